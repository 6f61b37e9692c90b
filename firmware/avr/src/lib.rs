//! The common parts of all firmware for the ATmega328P: the chip, and the verdicts of the library.
#![no_std]
#![cfg_attr(target_arch = "avr", feature(asm_experimental_arch))]

#[cfg(target_arch = "avr")]
pub mod chip;
pub mod floats;
pub mod verdicts;
