//! Floats.

#[cfg(feature = "serde")]
use crate::json::Writer;
use crate::json::float;

/// The longest text that `fast-float2` reads: of an exponent beyond 65,536, it reads only the first digits.
pub(super) const MAX_LEN: usize = 65_000;

/// `f32` or `f64`.
#[cfg(feature = "serde")]
pub(in crate::json) trait Decimal: fast_float2::FastFloat + float::Decimal + zmij::Float {}
/// `f32` or `f64`.
#[cfg(not(feature = "serde"))]
pub(in crate::json) trait Decimal: fast_float2::FastFloat + float::Decimal {}

impl Decimal for f32 {}
impl Decimal for f64 {}

/// The float nearest to a validated number, infinite if it is too large.
pub(in crate::json) fn float<F: Decimal>(number: &[u8]) -> Option<F> {
    // the code of devices counts digits in 31 bits
    let is_long = (MAX_LEN..i32::MAX as usize).contains(&number.len());
    if is_long { Some(F::read(number)) } else { fast_float2::parse(number).ok() }
}

#[cfg(feature = "serde")]
impl Writer<'_> {
    /// Appends the shortest text of a finite float.
    #[inline(always)]
    pub(crate) fn put_float<F: Decimal>(&mut self, float: F) {
        self.put(zmij::Buffer::new().format_finite(float).as_bytes());
    }
}
