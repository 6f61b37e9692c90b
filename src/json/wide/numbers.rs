//! Arrays of nothing but numbers, sixty-four bytes at a time.

use super::block::{self, Block, LEN, Look, equal, splat};

/// The bytes of blocks of numbers and commas, from the value at the front of `text` to another one.
///
/// None if anything else comes, be it valid or not: that is for others to tell.
#[inline(never)]
pub(super) fn skip(text: &[u8]) -> usize {
    let mut at = 0usize;
    while at.wrapping_add(LEN) <= text.len() {
        let end = block::read(text, at, block_of_numbers);
        if end == 0 {
            break;
        }
        at = at.wrapping_add(end);
    }
    at
}

/// How many bytes of `block`, up to and with its last comma, are `number value-separator`, again and again; 0 if others
/// are among them.
#[inline(always)]
fn block_of_numbers(block: Block) -> usize {
    let (digit, comma, point, minus) = (block.digit(), block.equal(b','), block.equal(b'.'), block.equal(b'-'));
    let len = 64u32.wrapping_sub(comma.leading_zeros());
    let within = u64::MAX.checked_shr(64u32.wrapping_sub(len)).unwrap_or(0);
    let bytes = within & !comma;
    let (mut e, mut plus) = (0, 0);
    if bytes & !(digit | point | minus) != 0 {
        e = block.mask(|bytes| equal(bytes | splat(0x20), b'e'));
        plus = block.equal(b'+');
    }
    let numbers = Numbers { digit, zero: block.equal(b'0'), point, minus, plus, e };
    let wrong = numbers.wrong(bytes, behind(comma) | 1) | comma & !behind(digit);
    if wrong & within == 0 { len as usize } else { 0 }
}

/// The bytes of which numbers are made.
pub(super) struct Numbers {
    pub(super) digit: u64,
    pub(super) zero: u64,
    pub(super) point: u64,
    pub(super) minus: u64,
    pub(super) plus: u64,
    pub(super) e: u64,
}

impl Numbers {
    /// Those of `bytes`, which are to be numbers that begin at `start`, that stand where they cannot, or what follows them.
    ///
    /// number = [ minus ] int [ frac ] [ exp ]
    #[inline(always)]
    pub(super) const fn wrong(&self, bytes: u64, start: u64) -> u64 {
        let Self { digit, zero, point, minus, plus, e } = *self;
        let sign = minus | plus;
        let mut wrong = bytes & !(digit | point | sign | e);
        // a value begins with a digit or minus
        wrong |= start & !(digit | minus);
        // int = zero / ( digit1-9 *DIGIT )
        wrong |= behind(zero & (start | behind(start & minus))) & digit;
        // what must come before a digit, or behind one
        wrong |= behind(sign | point) & !digit | point & !behind(digit);
        // there is one fraction
        wrong |= end_of_digits(digit, behind(point)) & point;
        if e | plus == 0 {
            return wrong | minus & !start;
        }
        // a sign stands in front or behind an e, which stands behind a digit, and nothing follows an exponent
        wrong |= minus & !(start | behind(e)) | plus & !behind(e);
        wrong |= behind(e) & !(digit | sign) | e & !behind(digit);
        wrong | end_of_digits(digit, behind(e) | behind(behind(e) & sign)) & (point | e)
    }
}

/// The bytes behind those of `mask`.
#[inline(always)]
const fn behind(mask: u64) -> u64 {
    mask << 1
}

/// What stands behind the runs of digits that begin at `starts`: adding to a run carries through it.
#[inline(always)]
const fn end_of_digits(digit: u64, starts: u64) -> u64 {
    digit.wrapping_add(starts & digit) & !digit
}
