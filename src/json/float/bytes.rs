//! Integers of many bytes, the least significant one first.

use core::num::NonZeroU32;

/// The digits of a step. Up to 10^7, `byte * factor + carry` and `remainder * 256 + byte` fit in 32 bits, so no division of 64 bits is
/// linked: 930 bytes of flash.
pub(super) const STEP: i32 = 7;

/// Replaces `number` by `number * factor + carry`, which must fit. The factor is at most 10^[`STEP`], the carry less than that.
#[inline(never)]
pub(super) fn multiply(number: &mut [u8], factor: u32, mut carry: u32) {
    for byte in number {
        carry = carry.wrapping_add(u32::from(*byte).wrapping_mul(factor));
        [*byte, ..] = carry.to_le_bytes();
        carry >>= 8;
    }
}

/// Divides `remainder`, with `number` as its fraction of base 256, by `divisor`. The quotient replaces the number; returns the remainder.
/// The divisor is at most 10^[`STEP`], the remainder less than the divisor.
#[inline(never)]
pub(super) fn divide(number: &mut [u8], divisor: u32, mut remainder: u32) -> u32 {
    // never 0; a `NonZero` needs no check in the loop
    let divisor = NonZeroU32::MIN.saturating_add(divisor.wrapping_sub(1));
    for byte in number.iter_mut().rev() {
        remainder = remainder << 8 | u32::from(*byte);
        [*byte, ..] = (remainder / divisor).to_le_bytes();
        remainder %= divisor;
    }
    remainder
}
