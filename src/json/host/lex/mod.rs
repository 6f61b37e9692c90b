//! The ends of tokens, sixteen and sixty-four bytes at a time.

mod lanes;
mod marks;
mod number;
pub(super) mod numbers;
mod text;
mod utf8;
pub(in crate::json) mod validated;
mod window;

/// The bytes in a window.
pub(super) const LEN: usize = lanes::LEN;
pub(super) use number::number;
pub(super) use window::{Lex, Short, Window, long_space, rest, space, string, string_from};
