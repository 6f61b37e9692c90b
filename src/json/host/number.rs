//! Floats.

pub(in crate::json) use fast_float2::FastFloat as Parsed;

/// The float nearest to a validated number, infinite if it is too large.
pub(in crate::json) fn float<F: Parsed>(number: &[u8]) -> Option<F> {
    fast_float2::parse(number).ok()
}
