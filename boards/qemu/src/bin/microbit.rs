//! The lamp on a BBC micro:bit (nRF51822, Cortex-M0).
#![no_std]
#![no_main]

use qemu::{Machine, Register, serve};

#[derive(Clone, Copy)]
struct Microbit;

// SAFETY: these are registers of the UART and of TIMER0; the names are those of the reference manual.
const START_RX: Register<u32> = unsafe { Register::at(0x4000_2000) };
const START_TX: Register<u32> = unsafe { Register::at(0x4000_2008) };
const RX_READY: Register<u32> = unsafe { Register::at(0x4000_2108) };
const TX_READY: Register<u32> = unsafe { Register::at(0x4000_211C) };
const ENABLE: Register<u32> = unsafe { Register::at(0x4000_2500) };
const RXD: Register<u32> = unsafe { Register::at(0x4000_2518) };
const TXD: Register<u32> = unsafe { Register::at(0x4000_251C) };
const START: Register<u32> = unsafe { Register::at(0x4000_8000) };
const CAPTURE: Register<u32> = unsafe { Register::at(0x4000_8040) };
const BIT_MODE: Register<u32> = unsafe { Register::at(0x4000_8508) };
const PRESCALER: Register<u32> = unsafe { Register::at(0x4000_8510) };
const CAPTURED: Register<u32> = unsafe { Register::at(0x4000_8540) };

impl Machine for Microbit {
    const RATE: u32 = 1_000_000;

    fn start(self) {
        ENABLE.write(4);
        START_RX.write(1);
        START_TX.write(1);
        // 32 bits, 16 MHz divided by 2^4
        BIT_MODE.write(3);
        PRESCALER.write(4);
        START.write(1);
    }

    fn receive(self) -> Option<u8> {
        if RX_READY.read() == 0 {
            return None;
        }
        // before the read, which sets it again for the next byte
        RX_READY.write(0);
        Some(RXD.read() as u8)
    }

    fn send(self, byte: u8) {
        TX_READY.write(0);
        TXD.write(byte.into());
        while TX_READY.read() == 0 {}
    }

    fn now(self) -> u32 {
        CAPTURE.write(1);
        CAPTURED.read()
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    serve(Microbit)
}
