//! The serial line. An interrupt receives into a ring buffer; the main loop takes bytes from it and sleeps when it is empty.

use arm_pl011_uart::{DataBits, FifoLevel, Interrupts, LineConfig, Parity, StopBits, Uart};
use heapless::Deque;
use lm3s6965::interrupt;

use crate::chip::{self, CORE_CLOCK};
use crate::shared::Shared;

const BAUD_RATE: u32 = 115_200;
/// The FIFO is half full, or no byte has arrived for a while.
const RECEIVED: Interrupts = Interrupts::RXI.union(Interrupts::RTI);

/// The state that the interrupt shares with the main loop.
struct Line {
    uart: Uart<'static>,
    received: Deque<u8, 256>,
    damaged: u32,
}

static PORT: Shared<Line> = Shared::new();

pub fn start(mut uart: Uart<'static>) {
    let line = LineConfig { data_bits: DataBits::Bits8, parity: Parity::None, stop_bits: StopBits::One };
    if uart.enable(line, BAUD_RATE, CORE_CLOCK).is_err() {
        defmt::error!("{} baud cannot be made from {} Hz", BAUD_RATE, CORE_CLOCK);
    }
    uart.set_interrupt_fifo_levels(FifoLevel::Bytes16, FifoLevel::Bytes16);
    uart.set_interrupt_masks(RECEIVED);
    PORT.put(Line { uart, received: Deque::new(), damaged: 0 });
    chip::unmask(lm3s6965::Interrupt::UART0);
}

/// Takes received bytes, up to the length of `place`.
pub fn read(place: &mut [u8]) -> usize {
    PORT.with(|port| {
        let mut len = 0;
        for (place, byte) in place.iter_mut().zip(core::iter::from_fn(|| port.received.pop_front())) {
            *place = byte;
            len += 1;
        }
        // the ring may have been full: receive the rest from the FIFO
        port.receive();
        len
    })
}

/// Bytes that the line has damaged or lost.
pub fn damaged() -> u32 {
    PORT.with(|port| port.damaged)
}

/// Sends all of `bytes`. Meanwhile, the interrupt receives bytes.
pub fn write(bytes: &[u8]) {
    let mut rest = bytes.iter();
    while !rest.as_slice().is_empty() {
        PORT.with(|port| {
            while !port.uart.is_tx_fifo_full() {
                let Some(byte) = rest.next() else { return };
                port.uart.write_word(*byte);
            }
        });
    }
}

/// Sleeps until an interrupt, unless there is something to read.
pub fn sleep() {
    // an interrupt inside the critical section ends the sleep; its handler runs after the section
    PORT.with(|port| {
        if port.received.is_empty() {
            cortex_m::asm::wfi();
        }
    });
}

/// The serial line as a stream, which has no end.
#[derive(Clone, Copy)]
pub struct Port;

impl embedded_io::ErrorType for Port {
    type Error = core::convert::Infallible;
}

impl embedded_io::Read for Port {
    /// Sleeps until a byte arrives.
    fn read(&mut self, place: &mut [u8]) -> Result<usize, Self::Error> {
        loop {
            match read(place) {
                0 if !place.is_empty() => sleep(),
                len => return Ok(len),
            }
        }
    }
}

impl embedded_io::Write for Port {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
        write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

#[interrupt]
fn UART0() {
    PORT.with(Line::receive);
}

impl Line {
    /// Moves received bytes into the ring. If the ring is full, the FIFO keeps the next bytes, without an interrupt.
    fn receive(&mut self) {
        // clear before reading the FIFO, so that later bytes raise the interrupt again
        self.uart.clear_interrupts(RECEIVED);
        while !self.received.is_full() {
            match self.uart.read_word() {
                Ok(Some(byte)) => _ = self.received.push_back(byte),
                Ok(None) => return self.uart.set_interrupt_masks(RECEIVED),
                Err(_) => self.damaged = self.damaged.wrapping_add(1),
            }
        }
        self.uart.set_interrupt_masks(Interrupts::empty());
    }
}
