//! Floats.

#[cfg(feature = "serde")]
use crate::json::Writer;
pub(in crate::json) use crate::json::float::Decimal;

/// The float nearest to a validated number, infinite if it is too large.
#[inline(always)]
#[expect(clippy::unnecessary_wraps, reason = "as on hosts")]
pub(in crate::json) fn float<F: Decimal>(number: &[u8]) -> Option<F> {
    Some(F::read(number))
}

#[cfg(feature = "serde")]
impl Writer<'_> {
    /// Appends the shortest text of a finite float.
    #[inline(always)]
    pub(crate) fn put_float<F: Decimal>(&mut self, float: F) {
        float.put(self);
    }
}
