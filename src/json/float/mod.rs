//! Floats as decimal text and back, exactly: integers of bytes, without tables, float arithmetic and panics. The parser of `core` is 20 KB
//! of flash on thumbv7m and links a panic.
//!
//! Devices read and write all floats so, hosts read only texts of tens of thousands of digits. The tests run on both.

mod bytes;
mod read;
#[cfg(test)]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops"
)]
mod tests;
#[cfg(all(feature = "serde", any(test, not(target_pointer_width = "64"))))]
mod write;

#[cfg(all(feature = "serde", any(test, not(target_pointer_width = "64"))))]
use crate::json::Writer;

/// `f32` or `f64`.
pub(in crate::json) trait Decimal: Copy {
    /// The float nearest to a validated number, infinite if it is too large; of two, the even one.
    fn read(number: &[u8]) -> Self;

    /// Appends the shortest text that is read as this finite float, of these the nearest one.
    #[cfg(all(feature = "serde", any(test, not(target_pointer_width = "64"))))]
    fn put(self, out: &mut Writer<'_>);
}

macro_rules! decimal {
    ($($float:ident, $read:ident, $put:ident;)*) => {$(
        impl Decimal for $float {
            #[inline(always)]
            fn read(number: &[u8]) -> Self {
                read::$read(number)
            }

            #[cfg(all(feature = "serde", any(test, not(target_pointer_width = "64"))))]
            #[inline(always)]
            fn put(self, out: &mut Writer<'_>) {
                write::$put(self, out);
            }
        }
    )*};
}
decimal! {
    f32, read_f32, put_f32;
    f64, read_f64, put_f64;
}
