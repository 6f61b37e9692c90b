//! Arrays of nothing but numbers, sixty-four bytes at a time.

use super::block::{self, Block, LEN, equal, splat};

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
    let (digit, comma, point) = (block.digit(), block.equal(b','), block.equal(b'.'));
    let (minus, zero) = (block.equal(b'-'), block.equal(b'0'));
    let len = 64u32.wrapping_sub(comma.leading_zeros());
    let within = u64::MAX.checked_shr(64u32.wrapping_sub(len)).unwrap_or(0);
    let (mut e, mut plus) = (0, 0);
    if within & !(digit | comma | point | minus) != 0 {
        e = block.mask(|bytes| equal(bytes | splat(0x20), b'e'));
        plus = block.equal(b'+');
    }
    let sign = minus | plus;
    let start = behind(comma) | 1;

    let mut wrong = !(digit | comma | point | sign | e);
    // a value begins with a digit or minus, and a sign stands there or behind an e
    wrong |= start & !(digit | minus);
    wrong |= minus & !(start | behind(e)) | plus & !behind(e);
    // what must come before a digit, or behind one
    wrong |= behind(sign | point) & !digit | behind(e) & !(digit | sign);
    wrong |= (comma | point | e) & !behind(digit);
    // int = zero / ( digit1-9 *DIGIT )
    wrong |= behind(zero & (start | behind(start & minus))) & digit;
    // there is one fraction, and nothing follows an exponent
    wrong |= end_of_digits(digit, behind(point)) & point;
    wrong |= end_of_digits(digit, behind(e) | behind(behind(e) & sign)) & (point | e);
    if wrong & within == 0 { len as usize } else { 0 }
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
