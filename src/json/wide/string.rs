//! Strings with escapes, with characters beyond ASCII, and long ones: sixty-four bytes at a time.

use wide::i8x16;

use super::super::scan;
use super::block::{self, Look, bits, control_or_not_ascii, equal};
use super::cursor::{Ahead, Cursor, sixteen, word};
use super::escapes::Escapes;
use super::planes::Planes;
use super::reached::Reached;
use super::utf8;
use super::word::byte;

/// What a block of a string leaves to the next.
#[derive(Default)]
struct Carry {
    /// Whether the next byte is escaped: 0 or 1.
    escaped: u64,
    /// Whether the byte before is beyond ASCII, so that its character may go on: 0 or 1.
    beyond_ascii: u64,
    escapes: Escapes,
}

/// string = quotation-mark *char quotation-mark
///
/// The string that is opened at `start` of what is ahead. Goes on to where it ends, and returns the word that follows;
/// `None` if it is not valid.
#[inline(always)]
pub(super) fn string(cursor: &mut Cursor<'_>, ahead: &Ahead, start: usize, reached: &mut Reached) -> Option<u64> {
    // mostly it is short and plain
    if let Some(end) = short_string(ahead, start) {
        cursor.skip(end)?;
        return Some(word(ahead, end));
    }
    match long_string(cursor.rest().get(start..)?) {
        Ok(len) => cursor.skip(start.wrapping_add(len))?,
        Err(valid) => return reached.char(cursor.at().wrapping_add(start).wrapping_add(valid)),
    }
    Some(cursor.word())
}

/// Where the string that is opened at `start` of what is ahead ends, if it is plain and that is seen.
#[inline(always)]
pub(super) fn short_string(ahead: &Ahead, start: usize) -> Option<usize> {
    let special = special(sixteen(ahead, start.wrapping_add(1)));
    let closing = start.wrapping_add(1).wrapping_add(special.trailing_zeros() as usize);
    if special != 0 && byte(ahead, closing) == b'"' { Some(closing.wrapping_add(1)) } else { None }
}

/// A bit for each of the bytes that end a run of plain ones: quotation mark, backslash, control, or not ASCII.
#[inline(always)]
pub(super) fn special(bytes: i8x16) -> u32 {
    bits(equal(bytes, b'"') | equal(bytes, b'\\') | control_or_not_ascii(bytes))
}

/// The bytes of the string at the front of `text`, which is long, escaped or not ASCII. If it is not valid, those up to
/// the last char of which it is known that it is.
#[inline(never)]
fn long_string(text: &[u8]) -> Result<usize, usize> {
    let (mut at, mut patience) = (1usize, 2u32);
    while let Some(bytes) = block::sixteen(text, at) {
        let special = special(bytes);
        if special == 0 {
            at = at.wrapping_add(16);
            continue;
        }
        at = at.wrapping_add(special.trailing_zeros() as usize);
        let first = byte(text, at);
        if first == b'"' {
            return Ok(at.wrapping_add(1));
        }
        // a short string may have one or two of these; where there are more, blocks are faster
        if patience == 0 || first < b' ' {
            break;
        }
        patience = patience.wrapping_sub(1);
        match scan::character(text, at.wrapping_add(1), u32::from(first)) {
            (end, None) => at = end,
            _ => return Err(at),
        }
    }
    rest(text, at)
}

/// string = quotation-mark *char quotation-mark
///
/// From any char of it at `at` to behind the quotation mark that closes it; as [`long_string`] if it is not valid.
#[inline(never)]
fn rest(text: &[u8], mut at: usize) -> Result<usize, usize> {
    let (mut carry, mut valid) = (Carry::default(), at);
    let mut next_look = at.wrapping_add(FAR);
    loop {
        let masks = Masks::of(text, at);
        let escaped = escaped(masks.backslash, &mut carry.escaped);
        let closing = masks.quote & !escaped;
        masks.chars(text, at, escaped, below_lowest(closing), &mut carry).ok_or(valid)?;
        if closing != 0 {
            return Ok(at.wrapping_add(closing.trailing_zeros() as usize).wrapping_add(1));
        }
        at = at.wrapping_add(block::LEN);
        if masks.low == u64::MAX {
            at = utf8::beyond_ascii(text, at);
        }
        if at >= next_look {
            valid = carry.char_near(text, at);
            next_look = at.wrapping_add(FAR);
        }
    }
}

/// After so many bytes of a string it is remembered that they are valid.
pub(super) const FAR: usize = 1024;

impl Carry {
    /// Where a char begins, at `at` or near it: there a block begins, and nothing before it is wrong.
    #[cold]
    #[inline(never)]
    fn char_near(&self, text: &[u8], at: usize) -> usize {
        if let Some(begun) = self.escapes.begun(at) {
            return begun;
        }
        if self.escaped != 0 {
            return at.wrapping_sub(1);
        }
        utf8::character_near(text, at)
    }
}

/// The strings of a text, block by block.
#[derive(Default)]
pub(super) struct Strings {
    carry: Carry,
    /// All bits if a string goes on.
    inside: u64,
}

impl Strings {
    /// Whether the next block must be looked at, even if there is no byte in it that a string holds only with an escape or
    /// beyond ASCII.
    #[inline(always)]
    pub(super) const fn are_odd(&self) -> bool {
        self.carry.escaped | self.carry.beyond_ascii != 0 || self.carry.escapes.are_unfinished()
    }

    /// The bytes of the next block, which has the quotation marks `quote` and nothing odd, that are in strings: with the
    /// first quotation mark of each, without the last.
    #[inline(always)]
    pub(super) const fn plain(&mut self, quote: u64) -> u64 {
        let inside = between(quote) ^ self.inside;
        self.inside = 0u64.wrapping_sub(inside >> 63);
        inside
    }

    /// Looks at what is odd in the strings of the block at `at`. Returns its quotation marks but escaped ones, and what is in
    /// strings.
    #[inline(always)]
    pub(super) fn odd(&mut self, text: &[u8], at: usize, planes: Planes) -> Option<(u64, u64)> {
        let masks = Masks {
            quote: planes.quote(),
            backslash: planes.backslash(),
            n: planes.n(),
            low: planes.control_or_not_ascii(),
        };
        let escaped = escaped(masks.backslash, &mut self.carry.escaped);
        let quote = masks.quote & !escaped;
        let inside = self.plain(quote);
        masks.chars(text, at, escaped, inside, &mut self.carry)?;
        Some((quote, inside))
    }

    /// Where the first block from `at` on is that does not wholly lie in the string that goes on there. Behind `far` it
    /// goes on beyond ASCII alone.
    #[inline(never)]
    pub(super) fn blocks(&mut self, text: &[u8], mut at: usize, far: usize) -> Option<usize> {
        let far = text.len().min(far);
        while at < far {
            let masks = Masks::of(text, at);
            let before = self.carry.escaped;
            let escaped = escaped(masks.backslash, &mut self.carry.escaped);
            if masks.quote & !escaped != 0 {
                self.carry.escaped = before;
                break;
            }
            masks.chars(text, at, escaped, u64::MAX, &mut self.carry)?;
            at = at.wrapping_add(block::LEN);
            if masks.low == u64::MAX {
                at = utf8::beyond_ascii(text, at);
            }
        }
        Some(at)
    }

    /// Where a char begins, at `at` or near it, if a string goes on there.
    pub(super) fn char_near(&self, text: &[u8], at: usize) -> Option<usize> {
        if self.inside == 0 { None } else { Some(self.carry.char_near(text, at)) }
    }
}

/// The bytes from each odd bit of `quotes` up to the next one: each bit is the parity of those at and below it.
#[inline(always)]
pub(super) const fn between(quotes: u64) -> u64 {
    let parity = quotes ^ quotes << 1;
    let parity = parity ^ parity << 2;
    let parity = parity ^ parity << 4;
    let parity = parity ^ parity << 8;
    let parity = parity ^ parity << 16;
    parity ^ parity << 32
}

/// What of a block matters in a string.
struct Masks {
    quote: u64,
    backslash: u64,
    n: u64,
    /// Control characters, and what is not ASCII.
    low: u64,
}

impl Masks {
    #[inline(always)]
    fn of(text: &[u8], at: usize) -> Self {
        let [quote, backslash, n, low] = block::read(text, at, |block| {
            [block.equal(b'"'), block.equal(b'\\'), block.equal(b'n'), block.mask(control_or_not_ascii)]
        });
        Self { quote, backslash, n, low }
    }

    /// Looks at those bytes of the block at `at` that are `inside` strings.
    #[inline(always)]
    fn chars(&self, text: &[u8], at: usize, escaped: u64, inside: u64, carry: &mut Carry) -> Option<()> {
        // \n \" \\ are the most of all and are known by their bits
        let other = escaped & inside & !(self.n | self.quote | self.backslash);
        if other != 0 || carry.escapes.are_unfinished() {
            carry.escapes.judge(text, at, other, inside)?;
        }
        // unescaped = %x20-21 / %x23-5B / %x5D-10FFFF
        if self.low & inside != 0 || carry.beyond_ascii != 0 {
            carry.beyond_ascii = utf8::characters(text, at, self.low & inside, inside)?;
        }
        Some(())
    }
}

/// The bits below the lowest one of `mask`; all if it is empty.
const fn below_lowest(mask: u64) -> u64 {
    mask.wrapping_sub(1) & !mask
}

/// The bytes that a backslash stands before which is not itself escaped.
#[inline(always)]
pub(super) fn escaped(backslash: u64, carry: &mut u64) -> u64 {
    let behind = backslash << 1 | *carry;
    if backslash & behind == 0 {
        *carry = backslash >> 63;
        return behind;
    }
    // Runs of backslashes: every other one escapes. A subtraction borrows through each run, and where it stops tells
    // whether the run began on an odd bit.
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    let escaping = backslash & !*carry;
    let stops = (escaping << 1 | ODD).wrapping_sub(escaping) ^ ODD;
    let escaped = stops ^ (backslash | *carry);
    *carry = (stops & backslash) >> 63;
    escaped
}
