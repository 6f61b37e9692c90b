//! Panics that must be found.

use crate::used;

/// Panics on an empty text, and on one that is not UTF-8.
#[unsafe(no_mangle)]
pub fn planted(text: &[u8]) {
    used(text[0]);
    used(core::str::from_utf8(text).unwrap());
}
