//! Faults that must be found: panics, masks that are gathered byte by byte, iterators that are not inlined.

use crate::used;

/// Panics on an empty text, and on one that is not UTF-8.
#[unsafe(no_mangle)]
pub fn planted(text: &[u8]) {
    used(text[0]);
    used(core::str::from_utf8(text).unwrap());
}

/// Calls an adapter of iterators that is not inlined without link-time optimisation.
#[unsafe(no_mangle)]
pub fn planted_copy(from: &[u8], to: &mut [u8]) {
    from.iter().zip(to).for_each(|(from, to)| *to = *from);
}

/// A mask whose bits LLVM gathers byte by byte.
#[unsafe(no_mangle)]
pub fn planted_mask(bytes: &[u8; 64]) -> u64 {
    bytes.iter().enumerate().fold(0, |mask, (at, byte)| mask | u64::from(*byte == b'"') << at)
}
