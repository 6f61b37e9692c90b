//! The ends of tokens, byte by byte.

pub(super) mod bytes;
pub(super) mod table;
