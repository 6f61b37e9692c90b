//! Fast path: arrays of numbers, nested or not, in blocks of sixty-four bytes.

use super::lanes::{self, Block, LEN, equal, not_digit, splat, white_space};
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

/// Reads `block`, in which a value begins; `None` if it is not valid or has values other than numbers and arrays.
#[inline(always)]
fn read(block: Block) -> Option<Read> {
    let [not_digit, zero] = block.masks(not_digit, |bytes| equal(bytes, b'0'));
    let [comma, point] = block.masks(|bytes| equal(bytes, b','), |bytes| equal(bytes, b'.'));
    let [opening, closing] = block.masks(|bytes| equal(bytes, b'['), |bytes| equal(bytes, b']'));
    let masks = Masks { digit: !not_digit, zero, comma, point, minus: block.equal(b'-'), opening, closing };
    let within = u64::MAX.checked_shr(comma.leading_zeros())?;
    // the same check three times: the compiler leaves out the parts of empty masks
    let others = within & !masks.all();
    if others == 0 {
        return masks.read(within, &Rare { e: 0, plus: 0, space: 0 });
    }
    let [e, plus] = block.masks(|bytes| equal(bytes | splat(0x20), b'e'), |bytes| equal(bytes, b'+'));
    let others = others & !(e | plus);
    if others == 0 {
        return masks.read(within, &Rare { e, plus, space: 0 });
    }
    let space = block.mask(white_space);
    if others & !space == 0 { masks.read(within, &Rare { e, plus, space }) } else { None }
}

/// Masks of the bytes that most blocks consist of.
struct Masks {
    digit: u64,
    zero: u64,
    comma: u64,
    point: u64,
    minus: u64,
    opening: u64,
    closing: u64,
}

/// Masks of the other bytes that a block may have.
struct Rare {
    e: u64,
    plus: u64,
    space: u64,
}

impl Masks {
    #[inline(always)]
    const fn all(&self) -> u64 {
        self.digit | self.comma | self.point | self.minus | self.opening | self.closing
    }

    /// Checks the bytes `within`, up to the last comma; no others than these and the `rare` ones.
    #[inline(always)]
    fn read(&self, within: u64, rare: &Rare) -> Option<Read> {
        let Self { digit, zero, comma, point, minus, opening, closing } = *self;
        let Rare { e, plus, space } = *rare;
        let behind = |mask: u64| mask << 1;
        // moves each bit on the first byte of white space to the byte after it: a carry runs through the white space
        let after_space = |mask: u64| mask & !space | (mask & space).wrapping_add(space) & !space;
        let start = after_space(behind(comma | opening) | 1);
        let (inside, outside) = (after_space(behind(opening)), after_space(behind(closing)));
        let sign = minus | plus;
        // a value begins with a digit, a minus or a bracket; an array may be empty
        let mut wrong = start & !(digit | minus | opening | closing & inside);
        // int = zero / ( digit1-9 *DIGIT )
        wrong |= behind(zero & (start | behind(minus & start))) & digit;
        // frac = decimal-point 1*DIGIT ; exp = e [ minus / plus ] 1*DIGIT
        wrong |= minus & !(start | behind(e)) | plus & !behind(e);
        wrong |= behind(sign | point) & !digit | behind(e) & !(digit | sign);
        wrong |= (point | e) & !behind(digit);
        // no point may follow a fraction; neither a point nor an e may follow an exponent
        let end = |first: u64| digit.wrapping_add(first & digit) & !digit;
        wrong |= end(behind(point)) & point | end(behind(e) | behind(sign & behind(e))) & (point | e);
        // separators, brackets and white space
        wrong |= opening & !start | (comma | closing) & !(after_space(behind(digit)) | outside | closing & inside);
        wrong |= outside & !(comma | closing) | behind(space) & !(space | start | comma | closing);
        let len = LEN.wrapping_sub(comma.leading_zeros() as usize);
        if wrong & within != 0 {
            None
        } else {
            Some(Read { len, opening: opening & within, closing: closing & within })
        }
    }
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
        let brackets = self.opening | self.closing;
        if brackets == 0 {
            return Some(open);
        }
        // "],[" changes nothing if its first bracket may close
        let mut pairs = self.closing & self.opening >> 2;
        let mut rest = brackets & !(pairs | pairs << 2);
        loop {
            let lowest = rest & rest.wrapping_neg();
            let before = pairs & lowest.wrapping_sub(1);
            if before != 0 {
                closed(open)?;
                pairs ^= before;
            }
            if lowest == 0 {
                return Some(open);
            }
            rest ^= lowest;
            open = if self.opening & lowest != 0 { opened(open, 0)? } else { closed(open)? };
        }
    }
}
