//! The registers of the LM3S6965, by address, each returned once. The names are those of its data sheet.
#![expect(unsafe_code, reason = "says where the registers are")]

use core::ptr::NonNull;

use arm_pl011_uart::{PL011Registers, Uart};
use safe_mmio::{UniqueMmioPointer, fields::ReadWrite};

/// A register of 32 bits, with its only owner.
pub struct Register(UniqueMmioPointer<'static, ReadWrite<u32>>);

impl Register {
    /// # Safety
    /// Call it once for each address. `ADDRESS` is that of a register whose writes do not affect memory.
    unsafe fn at<const ADDRESS: usize>() -> Self {
        // SAFETY: guaranteed by the caller.
        Self(unsafe { UniqueMmioPointer::new(pointer::<_, ADDRESS>()) })
    }

    pub fn read(&mut self) -> u32 {
        self.0.read()
    }

    pub fn write(&mut self, value: u32) {
        self.0.write(value);
    }

    pub fn set(&mut self, bits: u32) {
        let value = self.read();
        self.write(value | bits);
    }
}

const fn pointer<T, const ADDRESS: usize>() -> NonNull<T> {
    const { NonNull::new(core::ptr::without_provenance_mut(ADDRESS)).expect("no register is at address 0") }
}

/// The parts of the chip that the firmware uses.
pub struct Chip {
    pub uart: Uart<'static>,
    pub clock: Clock,
    pub led: Register,
}

/// The timer, and the converter that it triggers.
pub struct Clock {
    /// Ends the interrupt.
    pub clear: Register,
    pub fifo_status: Register,
    pub fifo: Register,
}

/// Hz.
pub const CORE_CLOCK: u32 = 50_000_000;
/// Hz.
pub const TICK_RATE: u32 = 100;

impl Chip {
    /// Sets up the chip and returns it. Returns `None` at later calls.
    pub fn take() -> Option<Self> {
        let _only_once = cortex_m::Peripherals::take()?;
        // SAFETY: here and below, each address appears once in this function, which runs once, and no other code has
        // addresses of registers.
        let (mut status, mut raw_status) = unsafe { (Register::at::<0x400F_E060>(), Register::at::<0x400F_E050>()) };
        // RCC: 8 MHz crystal, PLL, divided to 50 MHz; bypass the PLL until RIS reports that it is stable
        const BYPASS: u32 = 1 << 11;
        const PLL: u32 = 3 << 23 | 1 << 22 | 0xE << 6;
        status.write(PLL | BYPASS);
        while raw_status.read() & (1 << 6) == 0 {}
        status.write(PLL);
        // RCGC0 to RCGC2: clocks for the converter; UART0 and timer 0; ports A and F
        unsafe { Register::at::<0x400F_E100>() }.set(1 << 16);
        unsafe { Register::at::<0x400F_E104>() }.set(1 << 16 | 1);
        unsafe { Register::at::<0x400F_E108>() }.set(1 << 5 | 1);
        // port A, AFSEL and DEN: pins 0 and 1 are those of UART0
        unsafe { Register::at::<0x4000_4420>() }.set(3);
        unsafe { Register::at::<0x4000_451C>() }.set(3);
        // port F, DIR and DEN: pin 0 drives the LED
        unsafe { Register::at::<0x4002_5400>() }.set(1);
        unsafe { Register::at::<0x4002_551C>() }.set(1);
        // the converter: sequence 3 is one sample of the temperature, triggered by the timer
        unsafe { Register::at::<0x4003_8014>() }.write(5 << 12);
        unsafe { Register::at::<0x4003_80A4>() }.write(0b1110);
        unsafe { Register::at::<0x4003_8000>() }.write(1 << 3);
        // timer 0: CFG 32 bits, TAMR periodic, TAILR, IMR time-out, CTL triggers the converter and runs
        unsafe { Register::at::<0x4003_0000>() }.write(0);
        unsafe { Register::at::<0x4003_0004>() }.write(2);
        unsafe { Register::at::<0x4003_0028>() }.write(CORE_CLOCK / TICK_RATE - 1);
        unsafe { Register::at::<0x4003_0018>() }.write(1);
        unsafe { Register::at::<0x4003_000C>() }.write(1 << 5 | 1);
        Some(Self {
            uart: Uart::new(unsafe { UniqueMmioPointer::new(pointer::<PL011Registers, 0x4000_C000>()) }),
            clock: Clock {
                clear: unsafe { Register::at::<0x4003_0024>() },
                fifo_status: unsafe { Register::at::<0x4003_80AC>() },
                fifo: unsafe { Register::at::<0x4003_80A8>() },
            },
            // port F, DATA: the address selects pin 0 only
            led: unsafe { Register::at::<0x4002_5004>() },
        })
    }
}

/// Enables `interrupt`.
pub fn unmask(interrupt: lm3s6965::Interrupt) {
    // SAFETY: the data shared with interrupts is behind critical sections, which mask all interrupts.
    unsafe { cortex_m::peripheral::NVIC::unmask(interrupt) };
}
