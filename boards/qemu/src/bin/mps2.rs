//! The lamp on an MPS2 with the image AN386 (Cortex-M4).
#![no_std]
#![no_main]

use qemu::{Machine, Register, serve};

#[derive(Clone, Copy)]
struct Mps2;

// SAFETY: these are registers of UART0 and of the FPGA; the names are those of the application note.
const DATA: Register<u32> = unsafe { Register::at(0x4000_4000) };
const STATE: Register<u32> = unsafe { Register::at(0x4000_4004) };
const CONTROL: Register<u32> = unsafe { Register::at(0x4000_4008) };
const DIVIDER: Register<u32> = unsafe { Register::at(0x4000_4010) };
const CLOCK_100_HZ: Register<u32> = unsafe { Register::at(0x4002_8014) };

const TX_FULL: u32 = 1;
const RX_FULL: u32 = 2;

impl Machine for Mps2 {
    const RATE: u32 = 100;

    fn start(self) {
        // 25 MHz to 115,200 baud
        DIVIDER.write(217);
        CONTROL.write(3);
    }

    fn receive(self) -> Option<u8> {
        if STATE.read() & RX_FULL == 0 { None } else { Some(DATA.read() as u8) }
    }

    fn send(self, byte: u8) {
        while STATE.read() & TX_FULL != 0 {}
        DATA.write(byte.into());
    }

    fn now(self) -> u32 {
        CLOCK_100_HZ.read()
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    serve(Mps2)
}
