//! What every firmware for the ATmega328P shares: the chip, and what is asked of the library on it.
#![no_std]
#![cfg_attr(target_arch = "avr", feature(asm_experimental_arch))]

#[cfg(target_arch = "avr")]
pub mod chip;
pub mod verdicts;
