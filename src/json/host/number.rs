//! Floats.

#[cfg(feature = "serde")]
use crate::json::Writer;

/// `f32` or `f64`.
#[cfg(feature = "serde")]
pub(in crate::json) trait Decimal: fast_float2::FastFloat + zmij::Float {}
/// `f32` or `f64`.
#[cfg(not(feature = "serde"))]
pub(in crate::json) trait Decimal: fast_float2::FastFloat {}

impl Decimal for f32 {}
impl Decimal for f64 {}

/// The float nearest to a validated number, infinite if it is too large.
pub(in crate::json) fn float<F: Decimal>(number: &[u8]) -> Option<F> {
    fast_float2::parse(number).ok()
}

#[cfg(feature = "serde")]
impl Writer<'_> {
    /// Appends the shortest text of a finite float.
    #[inline(always)]
    pub(crate) fn put_float<F: Decimal>(&mut self, float: F) {
        self.put(zmij::Buffer::new().format_finite(float).as_bytes());
    }
}
