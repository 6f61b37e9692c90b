//! The check of [`utf8`](super) by tables of sixteen bytes; 64-bit ARM looks up sixteen bytes in one instruction.

use wide::u8x16;

use super::{Near, Verdict, from, sixteen, splat};

/// The set of the half bytes from `first` to `last`, a bit for each.
const fn halves(first: u32, last: u32) -> u16 {
    u16::MAX << first & u16::MAX >> 15u32.wrapping_sub(last)
}

const ANY: u16 = u16::MAX;
const ASCII: u16 = halves(0, 7);
const TAIL: u16 = halves(8, 0xB);
const LEAD: u16 = halves(0xC, 0xF);

/// The pairs of bytes that valid UTF-8 cannot have. Each rule has three sets: the high half of the first byte, its low half, and the high
/// half of the second byte. The last rule does not hold inside characters of three or four bytes.
const RULES: [[u16; 3]; 8] = [
    [ASCII, ANY, TAIL],
    [LEAD, ANY, ASCII | LEAD],
    // C0 and C1
    [1 << 0xC, halves(0, 1), TAIL],
    // E0 80-9F
    [1 << 0xE, 1, halves(8, 9)],
    // ED A0-BF
    [1 << 0xE, 1 << 0xD, halves(0xA, 0xB)],
    // F0 80-8F, and F5 to FF
    [1 << 0xF, 1 | halves(5, 0xF), 1 << 8],
    // F4 90-BF, and F5 to FF
    [1 << 0xF, halves(4, 0xF), halves(9, 0xB)],
    [TAIL, ANY, TAIL],
];

const LAST_RULE: u8 = 1 << 7;

/// For each half byte, a bit for each rule whose `part` contains it.
const fn table(part: usize) -> u8x16 {
    let mut bytes = [0u8; 16];
    let (mut rest, mut half): (&mut [u8], _) = (&mut bytes, 0u32);
    while let [byte, tail @ ..] = rest {
        let mut rules = RULES.as_slice();
        while let [before @ .., [high, low, next]] = rules {
            let set = match part {
                0 => *high,
                1 => *low,
                _ => *next,
            };
            *byte = *byte << 1 | (set >> half & 1 != 0) as u8;
            rules = before;
        }
        half = half.wrapping_add(1);
        rest = tail;
    }
    u8x16::new(bytes)
}

/// LLVM compiles the shift of each lane to one instruction; `wide` has none for bytes.
#[inline(always)]
fn high_half(bytes: u8x16) -> u8x16 {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = bytes.to_array();
    u8x16::new([
        a >> 4,
        b >> 4,
        c >> 4,
        d >> 4,
        e >> 4,
        f >> 4,
        g >> 4,
        h >> 4,
        i >> 4,
        j >> 4,
        k >> 4,
        l >> 4,
        m >> 4,
        n >> 4,
        o >> 4,
        p >> 4,
    ])
}

#[inline(always)]
fn low_half(bytes: u8x16) -> u8x16 {
    bytes & splat(0x0F)
}

#[inline(always)]
pub(super) fn check(near: &Near, quarters: [u8x16; 4]) -> Verdict {
    let (mut wrong, mut least) = (splat(0), splat(u8::MAX));
    for (bytes, quarter) in quarters.into_iter().zip([0usize, 16, 32, 48]) {
        let before_3 = sixteen(near, quarter);
        let before_2 = sixteen(near, quarter.wrapping_add(1));
        let before = sixteen(near, quarter.wrapping_add(2));
        let broken = const { table(0) }.swizzle_relaxed(high_half(before))
            & const { table(1) }.swizzle_relaxed(low_half(before))
            & const { table(2) }.swizzle_relaxed(high_half(bytes));
        // the third and fourth bytes of a character follow a continuation byte
        let continues = from(before_2, 0xE0) | from(before_3, 0xF0);
        wrong |= broken ^ continues & splat(LAST_RULE);
        least = least.min(bytes);
    }
    let control = least.cmp_eq(least.min(splat(0x1F)));
    Verdict { wrong: wrong.cmp_eq(splat(0)) ^ splat(u8::MAX), control }
}

#[cfg(test)]
mod tests {
    use super::{halves, table};

    #[test]
    fn a_table_has_a_bit_for_each_rule_that_a_half_is_in() {
        assert_eq!(halves(2, 4), 0b1_1100);
        // 0 to 7 are ASCII, 8 to B go on, C to F begin
        let high = table(0).to_array().map(|rules| rules & 0b1000_0011);
        assert_eq!(high, [1, 1, 1, 1, 1, 1, 1, 1, 0x80, 0x80, 0x80, 0x80, 2, 2, 2, 2]);
        assert_eq!(table(1).to_array().map(|rules| rules & 4 != 0).iter().filter(|is_in| **is_in).count(), 2);
        assert!(table(2).to_array().iter().all(|rules| *rules != 0));
    }
}
