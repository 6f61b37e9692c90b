//! The lamp on the machine `virt` (RISC-V, 32 bits).
#![no_std]
#![no_main]

use qemu::{Machine, Register, serve};

#[derive(Clone, Copy)]
struct Virt;

// SAFETY: these are registers of the UART, a 16550, and of the timer.
const DATA: Register<u8> = unsafe { Register::at(0x1000_0000) };
const STATUS: Register<u8> = unsafe { Register::at(0x1000_0005) };
/// The lower half of `mtime`.
const TIME: Register<u32> = unsafe { Register::at(0x0200_BFF8) };

const RECEIVED: u8 = 1;
const SENT: u8 = 1 << 5;

impl Machine for Virt {
    const RATE: u32 = 10_000_000;

    fn start(self) {}

    fn receive(self) -> Option<u8> {
        if STATUS.read() & RECEIVED == 0 { None } else { Some(DATA.read()) }
    }

    fn send(self, byte: u8) {
        while STATUS.read() & SENT == 0 {}
        DATA.write(byte);
    }

    fn now(self) -> u32 {
        TIME.read()
    }
}

#[riscv_rt::entry]
fn main() -> ! {
    serve(Virt)
}
