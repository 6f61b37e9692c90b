//! An embassy-net driver for the Ethernet controller of the LM3S6965 and related chips ("Stellaris").
//!
//! | file | contents | `unsafe` |
//! |---|---|---|
//! | `register` | names, offsets and bits of the registers; the trait [`Bus`] | – |
//! | `mmio` | access to the registers of the chip | takes the address |
//! | `driver` | sends and receives frames; the interrupt | – |
//! | `model` | a software model of the controller, for the tests | – |
//!
//! ```ignore
//! static WAITING: Waiting = Waiting::new();
//! static FRAMES: ConstStaticCell<Frames> = ConstStaticCell::new(Frames::new());
//!
//! // SAFETY: the address of the controller, used once.
//! let (registers, causes) = unsafe { mmio::at(0x4004_8000) };
//! let enet = Enet::new(registers, &WAITING, FRAMES.take(), [0x52, 0x54, 0, 0x12, 0x34, 0x56]);
//! // in the interrupt ETHERNET
//! interrupt(&mut causes, &WAITING);
//! ```
//!
//! The program enables the clock of the controller before it calls [`Enet::new`], and the interrupt after that.
//!
//! Not supported: the timer and the management interface of the PHY. [`Driver::link_state`](embassy_net_driver::Driver) always returns
//! `Up`, which is true on the emulator; a driver for a board must read the PHY.
//!
//! Source: LM3S6965 data sheet, chapter "Ethernet Controller".
#![no_std]
#![deny(unsafe_code)]

#[cfg(test)]
extern crate std;

mod driver;
pub mod mmio;
#[cfg(test)]
mod model;
mod register;
#[cfg(test)]
mod tests;

pub use driver::{Enet, Frames, MAX_FRAME, Received, Sending, Waiting, interrupt};
pub use register::{Bus, Causes, Register};
