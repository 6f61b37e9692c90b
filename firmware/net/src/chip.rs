//! The registers of the LM3S6965, by address, and the free memory for the stack. Names are as in the data sheet.
#![expect(unsafe_code, reason = "says where registers and memory are")]

use core::cell::RefCell;
use core::ptr::NonNull;

use critical_section::Mutex;
use lm3s6965::interrupt;
use safe_mmio::{UniqueMmioPointer, fields::ReadWrite};
use static_cell::ConstStaticCell;
use stellaris_enet::mmio::{self, InterruptCauses, Registers};
use stellaris_enet::{Enet, Frames, Waiting};

/// A 32-bit register and its exclusive owner.
pub struct Register(UniqueMmioPointer<'static, ReadWrite<u32>>);

impl Register {
    /// # Safety
    /// Call it once for each address. `ADDRESS` is that of a register whose writes do not affect memory.
    unsafe fn at<const ADDRESS: usize>() -> Self {
        let register = const { NonNull::new(core::ptr::without_provenance_mut(ADDRESS)).expect("no register is at 0") };
        // SAFETY: guaranteed by the caller.
        Self(unsafe { UniqueMmioPointer::new(register) })
    }

    pub fn read(&mut self) -> u32 {
        self.0.read()
    }

    pub fn write(&mut self, value: u32) {
        self.0.write(value);
    }

    fn set(&mut self, bits: u32) {
        let value = self.read();
        self.write(value | bits);
    }
}

/// The parts of the chip that the firmware uses.
pub struct Chip {
    pub led: Register,
    pub enet: Enet<'static, Registers>,
    pub timer: cortex_m::peripheral::SYST,
    /// The hardware address.
    pub address: [u8; 6],
}

/// The clock frequency in Hz.
pub const CORE_CLOCK: u32 = 50_000_000;

static WAITING: Waiting = Waiting::new();
static FRAMES: ConstStaticCell<Frames> = ConstStaticCell::new(Frames::new());
static CAUSES: Mutex<RefCell<Option<InterruptCauses>>> = Mutex::new(RefCell::new(None));

impl Chip {
    /// Sets up the chip and returns it. Returns `None` at later calls.
    pub fn take() -> Option<Self> {
        let cortex = cortex_m::Peripherals::take()?;
        // SAFETY: here and below, each address appears once in this function, which runs once, and no other code accesses these
        // registers.
        let (mut status, mut raw_status) = unsafe { (Register::at::<0x400F_E060>(), Register::at::<0x400F_E050>()) };
        // RCC: 8 MHz crystal, PLL, divided to 50 MHz; bypass the PLL until RIS reports that it is stable
        const BYPASS: u32 = 1 << 11;
        const PLL: u32 = 3 << 23 | 1 << 22 | 0xE << 6;
        status.write(PLL | BYPASS);
        while raw_status.read() & (1 << 6) == 0 {}
        status.write(PLL);
        // RCGC2: enable the clocks of the Ethernet PHY and MAC, and of port F
        unsafe { Register::at::<0x400F_E108>() }.set(1 << 30 | 1 << 28 | 1 << 5);
        // port F, DIR and DEN: pin 0 is a digital output and drives the LED
        unsafe { Register::at::<0x4002_5400>() }.set(1);
        unsafe { Register::at::<0x4002_551C>() }.set(1);
        // USER_REG0 and 1: evaluation boards store the hardware address here
        let (mut low, mut high) = unsafe { (Register::at::<0x400F_E1E0>(), Register::at::<0x400F_E1E4>()) };
        let ([a, b, c, _], [d, e, f, _]) = (low.read().to_le_bytes(), high.read().to_le_bytes());
        let address = [a, b, c, d, e, f];
        let (registers, causes) = unsafe { mmio::at(0x4004_8000) };
        critical_section::with(|section| CAUSES.borrow_ref_mut(section).replace(causes));
        let enet = Enet::new(registers, &WAITING, FRAMES.take(), address);
        // SAFETY: a critical section guards the data that the interrupt shares.
        unsafe { cortex_m::peripheral::NVIC::unmask(lm3s6965::Interrupt::ETHERNET) };
        // port F, DATA: the address selects pin 0 only
        Some(Self { led: unsafe { Register::at::<0x4002_5004>() }, enet, timer: cortex.SYST, address })
    }
}

#[interrupt]
fn ETHERNET() {
    critical_section::with(|section| {
        if let Some(causes) = CAUSES.borrow_ref_mut(section).as_mut() {
            stellaris_enet::interrupt(causes, &WAITING);
        }
    });
}

/// The memory for the stack, filled with a pattern at the start.
pub mod stack {
    use core::ptr;

    unsafe extern "C" {
        static mut __sheap: u32;
        static _stack_start: u32;
    }

    const PAINT: u32 = 0x5AFE_57AC;

    /// Fills the memory below the current frame with the pattern. Call it first.
    #[inline(never)]
    pub fn paint() {
        // 64 words of margin for this function and for an interrupt
        let end = cortex_m::register::msp::read() as usize - 256;
        let mut word = &raw mut __sheap;
        while word.addr() < end {
            // SAFETY: no object lies between the end of the statics and the stack.
            unsafe { word.write_volatile(PAINT) };
            word = word.wrapping_add(1);
        }
    }

    /// Returns the peak use of the stack and its maximum size, in bytes.
    pub fn peak() -> (usize, usize) {
        let (end, mut word) = (ptr::addr_of!(_stack_start).addr(), (&raw const __sheap).cast_mut());
        let all = end - word.addr();
        // SAFETY: as above; the words are only read.
        while word.addr() < end && unsafe { word.read_volatile() } == PAINT {
            word = word.wrapping_add(1);
        }
        (end - word.addr(), all)
    }
}
