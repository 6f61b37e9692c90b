//! Access to the registers of the chip.
#![expect(unsafe_code, reason = "takes the address of the controller")]

use core::ptr::NonNull;

use safe_mmio::{UniqueMmioPointer, fields::ReadWrite};

use crate::register::{Bus, Causes, Register};

/// All register words of the controller.
type Words = [ReadWrite<u32>; 15];

/// The registers for the driver.
pub struct Registers(UniqueMmioPointer<'static, Words>);

/// The register for the interrupt handler.
pub struct InterruptCauses(UniqueMmioPointer<'static, ReadWrite<u32>>);

/// Returns the registers of the controller at `address`: those for the driver, and that for the interrupt handler.
///
/// # Safety
/// `address` is the address of an Ethernet controller of this type, whose clock is enabled. Call this function once for each address.
///
/// # Panics
/// If `address` is 0.
pub unsafe fn at(address: usize) -> (Registers, InterruptCauses) {
    let words =
        NonNull::new(core::ptr::without_provenance_mut::<Words>(address)).expect("no controller is at address 0");
    // SAFETY: the caller guarantees the address and that it is used once. `Registers` has no name for the first word,
    // so the two pointers access different registers.
    unsafe { (Registers(UniqueMmioPointer::new(words)), InterruptCauses(UniqueMmioPointer::new(words.cast()))) }
}

impl Bus for Registers {
    fn read(&mut self, register: Register) -> u32 {
        self.0.get(register as usize).map_or(0, |mut register| register.read())
    }

    fn write(&mut self, register: Register, value: u32) {
        if let Some(mut register) = self.0.get(register as usize) {
            register.write(value);
        }
    }
}

impl Causes for InterruptCauses {
    fn acknowledge(&mut self, causes: u32) {
        self.0.write(causes);
    }
}
