//! Division by ten, for decimal text.

#[cfg(target_pointer_width = "16")]
pub(super) use divide_by_ten_in_bytes as divide_by_ten;
#[cfg(not(target_pointer_width = "16"))]
pub(super) use divide_by_ten_in_pieces as divide_by_ten;

/// Quotient and remainder of a division by ten in 32-bit divisions, for targets with 32-bit registers. The general
/// 64-bit division is 930 bytes of flash.
#[cfg(any(test, not(target_pointer_width = "16")))]
#[expect(clippy::cast_possible_truncation, reason = "a remainder of ten, and halves")]
pub(super) const fn divide_by_ten_in_pieces(number: u64) -> (u64, u8) {
    let (high, low) = ((number >> 32) as u32, number as u32);
    let middle = ((high % 10) << 16) | (low >> 16);
    let lowest = ((middle % 10) << 16) | (low & 0xFFFF);
    // The middle quotient has 16 bits, because its dividend is less than ten times 2^16; so has the lowest.
    ((((high / 10) as u64) << 32) | (((middle / 10) << 16) | (lowest / 10)) as u64, (lowest % 10) as u8)
}

/// Quotient and remainder of a division by ten byte by byte, for targets with 16-bit registers. The general 32-bit division is 1,200
/// bytes of flash there.
#[cfg(any(test, target_pointer_width = "16"))]
pub(super) fn divide_by_ten_in_bytes(number: u64) -> (u64, u8) {
    let mut bytes = number.to_be_bytes();
    let mut rest = 0u8;
    for byte in &mut bytes {
        let dividend = u16::from_be_bytes([rest, *byte]);
        // less than 2,560, so a multiplication by 6,554 / 65,536 gives the quotient
        let [_, quotient, ..] = u32::from(dividend).wrapping_mul(6_554).to_be_bytes();
        *byte = quotient;
        let [_, digit] = dividend.wrapping_sub(u16::from(quotient).wrapping_mul(10)).to_be_bytes();
        rest = digit;
    }
    (u64::from_be_bytes(bytes), rest)
}

#[cfg(test)]
mod tests {
    use super::{divide_by_ten_in_bytes, divide_by_ten_in_pieces};

    #[test]
    fn division_in_pieces_is_division() {
        let mut number = 1u64;
        for _ in 0..if cfg!(miri) { 300 } else { 10_000 } {
            for number in [number, number >> 13, number >> 32, number >> 48, u64::MAX.wrapping_sub(number)] {
                let expected = (number / 10, (number % 10) as u8);
                assert_eq!(
                    (divide_by_ten_in_pieces(number), divide_by_ten_in_bytes(number)),
                    (expected, expected),
                    "{number}"
                );
            }
            // a step of Knuth's MMIX linear congruential generator
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        }
    }
}
