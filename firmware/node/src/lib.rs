//! Support for firmware on an LM3S6965 with newline-delimited JSON-RPC on its UART: the board, the serial line, the
//! log, and the loop that sleeps until a message arrives.
//!
//! | file | contents | `unsafe` |
//! |---|---|---|
//! | `chip` | addresses of registers, the clock tree | names the addresses |
//! | `serial` | the UART: an interrupt receives | – |
//! | `clock` | a timer that counts time and triggers measurements of the temperature | – |
//! | `shared` | data that an interrupt shares with the main loop | – |
//! | `board` | the context of the methods | – |
//! | `log` | defmt to the standard error of the host | implements the unsafe trait |
#![no_std]
#![deny(unsafe_code)]

mod board;
mod chip;
mod clock;
mod log;
mod serial;
mod shared;

use cortex_m_semihosting::debug;
use nanojsonrpc::frame::{FrameError, Framer, Lines};

pub use board::{Blinked, Board, Errors, Temperature};
pub use serial::Port;

/// A line with only this text ends the emulation, because the input of a UART has no end.
const END: &[u8] = b"\x04";

/// Buffers, to be stored in a static: `LINE` bytes for an incoming line with its line end, `ANSWER` bytes for an outgoing
/// line without it.
pub struct Buffers<const LINE: usize, const ANSWER: usize> {
    framer: Framer<Lines, LINE>,
    output: [u8; ANSWER],
}

impl<const LINE: usize, const ANSWER: usize> Buffers<LINE, ANSWER> {
    pub const fn new() -> Self {
        Self { framer: Framer::new(), output: [0; ANSWER] }
    }
}

impl<const LINE: usize, const ANSWER: usize> Default for Buffers<LINE, ANSWER> {
    fn default() -> Self {
        Self::new()
    }
}

/// Starts the board, and sleeps until a line arrives or the LED must blink. Calls `answer` with the line and the room
/// for its answer.
pub fn run<A, const LINE: usize, const ANSWER: usize>(buffers: &'static mut Buffers<LINE, ANSWER>, mut answer: A) -> !
where
    A: for<'o> FnMut(&mut Board, Result<&[u8], FrameError>, &'o mut [u8]) -> Option<&'o [u8]>,
{
    log::start();
    let Some(chip) = chip::Chip::take() else { end(debug::EXIT_FAILURE) };
    let mut board = Board::new(chip.led);
    clock::start(chip.clock);
    serial::start(chip.uart);
    defmt::info!("awake, lines of up to {} bytes", LINE);
    let Buffers { framer, output } = buffers;
    loop {
        if let Some(line) = board.blink(output) {
            send(line);
        }
        let len = serial::read(framer.spare());
        framer.filled(len);
        while let Some(line) = framer.next() {
            match line {
                Ok(END) => {
                    defmt::info!("asleep after {} ms, {}", clock::millis(), board.errors());
                    end(debug::EXIT_SUCCESS)
                }
                line => {
                    board.note(&line);
                    if let Some(line) = answer(&mut board, line, output) {
                        send(line);
                    }
                }
            }
        }
        serial::sleep();
    }
}

/// Starts the board, runs `talk` on the serial line, and ends the emulation: with a failure if `talk` returns `false`.
pub fn run_once(talk: impl FnOnce(Port) -> bool) -> ! {
    log::start();
    let Some(chip) = chip::Chip::take() else { end(debug::EXIT_FAILURE) };
    clock::start(chip.clock);
    serial::start(chip.uart);
    let is_done = talk(Port);
    defmt::info!("{=str}", if is_done { "done" } else { "failed" });
    end(if is_done { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE })
}

fn send(line: &[u8]) {
    serial::write(line);
    serial::write(b"\n");
}

fn end(status: debug::ExitStatus) -> ! {
    debug::exit(status);
    // without a host for semihosting, sleep
    loop {
        cortex_m::asm::wfi();
    }
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    // never linked: `measure` fails if a panic is linked
    end(debug::EXIT_FAILURE)
}
