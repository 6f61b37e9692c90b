//! Fast path: arrays of numbers, nested or not, in blocks of sixty-four bytes.

use super::lanes::{self, Block, LEN, equal, not_digit, splat};
use crate::json::grammar::{Open, opened};

/// Skips the blocks from the value at `at` on that consist of numbers, arrays and commas. Returns the offset after the last comma, and the
/// open brackets there. Closes only arrays inside arrays, so an object or the sentinel around them stays open.
///
/// Stops before the first block with any other byte, valid or not; the caller reads it.
#[inline(never)]
pub(in crate::json) fn skip(text: &[u8], mut at: usize, mut open: Open) -> (usize, Open) {
    while let Some(block) = lanes::whole(text, at) {
        let Some(read) = read(block) else { break };
        let Some(inside) = read.brackets(open) else { break };
        at = at.wrapping_add(read.len);
        open = inside;
    }
    (at, open)
}

/// The bytes of a block up to and including its last comma.
struct Read {
    len: usize,
    opening: u64,
    closing: u64,
}

/// Reads `block`, in which a value begins; `None` if it is not valid or has other values than numbers and arrays.
#[inline(always)]
fn read(block: Block) -> Option<Read> {
    let (digit, zero) = (!block.mask(not_digit), block.equal(b'0'));
    let (comma, point, minus) = (block.equal(b','), block.equal(b'.'), block.equal(b'-'));
    let (opening, closing) = (block.equal(b'['), block.equal(b']'));
    let len = LEN.wrapping_sub(comma.leading_zeros() as usize);
    let within = u64::MAX.checked_shr(comma.leading_zeros())?;
    let behind = |mask: u64| mask << 1;
    // exponents are rare
    let (mut e, mut plus) = (0, 0);
    if within & !(comma | digit | point | minus | opening | closing) != 0 {
        (e, plus) = (block.mask(|bytes| equal(bytes | splat(0x20), b'e')), block.equal(b'+'));
    }
    let start = behind(comma | opening) | 1;
    let sign = minus | plus;
    let mut wrong = !(comma | digit | point | sign | opening | closing | e);
    // a value begins with a digit, a minus or a bracket; an array may be empty
    wrong |= start & !(digit | minus | opening | closing & behind(opening));
    // int = zero / ( digit1-9 *DIGIT )
    wrong |= behind(zero & (start | behind(minus & start))) & digit;
    // frac = decimal-point 1*DIGIT ; exp = e [ minus / plus ] 1*DIGIT
    wrong |= minus & !(start | behind(e)) | plus & !behind(e);
    wrong |= behind(sign | point) & !digit | behind(e) & !(digit | sign);
    wrong |= (point | e) & !behind(digit);
    // no point may follow a fraction; neither a point nor an e may follow an exponent
    let end = |first: u64| digit.wrapping_add(first & digit) & !digit;
    wrong |= end(behind(point)) & point | end(behind(e) | behind(sign & behind(e))) & (point | e);
    // separators and brackets
    wrong |= opening & !start | (comma | closing) & !(behind(digit | closing) | closing & behind(opening));
    wrong |= behind(closing) & !(comma | closing);
    if wrong & within != 0 { None } else { Some(Read { len, opening: opening & within, closing: closing & within }) }
}

impl Read {
    /// The open brackets at the end; all those that the block opens or closes are arrays.
    #[inline(always)]
    fn brackets(&self, mut open: Open) -> Option<Open> {
        let closed = |open: Open| {
            let outside = open >> 1;
            // the bracket outside is an object or the sentinel
            if outside & 1 != 0 { None } else { Some(outside) }
        };
        let mut rest = self.opening | self.closing;
        if rest == 0 {
            return Some(open);
        }
        // fast path for "],[": in an array of arrays it leaves the open brackets unchanged
        let again = self.closing & self.opening >> 2;
        if rest == again | again << 2 {
            return closed(open).map(|_| open);
        }
        while rest != 0 {
            let lowest = rest & rest.wrapping_neg();
            rest ^= lowest;
            open = if self.opening & lowest != 0 { opened(open, false)? } else { closed(open)? };
        }
        Some(open)
    }
}
