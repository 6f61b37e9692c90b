//! Floats.

pub(in crate::json) use core::str::FromStr as Parsed;

/// The float nearest to a validated number, infinite if it is too large.
pub(in crate::json) fn float<F: Parsed>(number: &[u8]) -> Option<F> {
    core::str::from_utf8(number).ok()?.parse().ok()
}
