//! The ends of tokens: found byte by byte, or on 64-bit hosts sixteen and sixty-four bytes at a time.

pub(super) mod bytes;
#[cfg(target_pointer_width = "64")]
mod lanes;
#[cfg(target_pointer_width = "64")]
mod marks;
#[cfg(target_pointer_width = "64")]
mod number;
#[cfg(target_pointer_width = "64")]
pub(super) mod numbers;
pub(super) mod table;
#[cfg(target_pointer_width = "64")]
mod text;
#[cfg(target_pointer_width = "64")]
mod utf8;
#[cfg(target_pointer_width = "64")]
pub(super) mod validated;
#[cfg(target_pointer_width = "64")]
mod window;

/// The bytes in a window.
#[cfg(target_pointer_width = "64")]
pub(super) const LEN: usize = lanes::LEN;
#[cfg(target_pointer_width = "64")]
pub(super) use number::number;
#[cfg(target_pointer_width = "64")]
pub(super) use window::{Lex, Short, Window, long_space, rest, space, string, string_from};
