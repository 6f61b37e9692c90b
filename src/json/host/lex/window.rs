//! Two ways to find the end of a token. Short texts: sixteen bytes at a time. Long texts: in the masks of a window of sixty-four bytes,
//! which is kept for the next tokens.

use super::lanes::{self, Block, LEN, special, white_space};
use super::text;
use crate::json::host::word::{byte, two};

/// The searches that the [grammar](crate::json::host::grammar) needs. All offsets are counted from the start of the text.
pub(in crate::json) trait Lex {
    /// Whether many bytes follow, so that a search for blocks of numbers pays.
    const IS_LONG: bool;

    /// The offset of the first special byte of a string from `at` on; the end of the text counts as special.
    fn special(&mut self, text: &[u8], at: usize) -> usize;

    /// [`special`](Self::special), if it is known without a read of the text.
    fn known_special(&self, at: usize) -> Option<usize>;

    /// The end of the white space that begins at `at`; `pair` reads the two bytes there.
    fn white_space(&mut self, text: &[u8], at: usize, pair: impl FnOnce() -> u16) -> usize;
}

/// *char quotation-mark
///
/// Finds the closing quotation mark of the string whose first character is at `at`. The error is the end of a character up to which the
/// string is valid.
#[inline(always)]
pub(in crate::json) fn string(text: &[u8], lex: &mut impl Lex, at: usize) -> Result<usize, usize> {
    let special = lex.special(text, at);
    string_from(text, lex, special)
}

/// [`string`] from its first `special` byte on.
#[inline(always)]
pub(in crate::json) fn string_from(text: &[u8], lex: &mut impl Lex, special: usize) -> Result<usize, usize> {
    if byte(text, special) == b'"' { Ok(special) } else { rest(text, lex, special) }
}

/// The number of escapes or non-ASCII characters that are read one by one; consecutive escapes count as one. If more follow, the rest is
/// read in blocks.
const FEW: u32 = 2;
/// [`FEW`] as long as the lexer knows where the next one stands, as in a path with backslashes.
const FEW_KNOWN: u32 = 4;

/// [`string`] from the `special` byte on, which is not the closing quotation mark.
#[inline(never)]
pub(in crate::json) fn rest(text: &[u8], lex: &mut impl Lex, special: usize) -> Result<usize, usize> {
    let mut at = special;
    for nth in 0..FEW_KNOWN {
        let end = match byte(text, at) {
            b'\\' => text::consecutive_escapes(text, at),
            _ => text::character(text, at),
        };
        let Some(end) = end else { return Err(at) };
        at = if nth < FEW {
            lex.special(text, end)
        } else {
            match lex.known_special(end) {
                Some(known) => known,
                None => return text::closing_quote(text, end),
            }
        };
        if byte(text, at) == b'"' {
            return Ok(at);
        }
    }
    text::closing_quote(text, at)
}

/// ws = *( %x20 / %x09 / %x0A / %x0D ), most often none, or one space. Returns its end and the byte there.
#[inline(always)]
pub(in crate::json) fn space(text: &[u8], lex: &mut impl Lex, at: usize) -> (usize, u8) {
    let first = byte(text, at);
    if first > b' ' {
        return (at, first);
    }
    let end = lex.white_space(text, at, || two(text, at));
    (end, byte(text, end))
}

/// [`space`] where white space is rare but long: a line break and an indent. More code, and no call.
#[inline(always)]
pub(in crate::json) fn long_space(text: &[u8], at: usize) -> (usize, u8) {
    let first = byte(text, at);
    if first > b' ' {
        return (at, first);
    }
    let end = white_space_end(text, at);
    (end, byte(text, end))
}

/// Whether the first of two bytes is a space, and the second no white space.
#[inline(always)]
const fn is_one_space(pair: u16) -> bool {
    let [first, next] = pair.to_le_bytes();
    first == b' ' && next > b' '
}

/// Sixteen bytes at a time.
pub(in crate::json) struct Short;

impl Lex for Short {
    const IS_LONG: bool = false;

    #[inline(always)]
    fn special(&mut self, text: &[u8], at: usize) -> usize {
        match lanes::first_of_sixteen(text, at, special) {
            Some(found) if found < 16 => at.wrapping_add(found),
            Some(_) => next_special(text, at.wrapping_add(16)),
            None => next_special(text, at),
        }
    }

    #[inline(always)]
    fn known_special(&self, _: usize) -> Option<usize> {
        None
    }

    #[inline(always)]
    fn white_space(&mut self, text: &[u8], at: usize, pair: impl FnOnce() -> u16) -> usize {
        if is_one_space(pair()) { at.wrapping_add(1) } else { long_white_space(text, at) }
    }
}

#[inline(never)]
fn next_special(text: &[u8], mut at: usize) -> usize {
    // the compiler then knows the length, and each read takes one test
    if text.len() < 16 {
        return special_in_short(text, at);
    }
    while let Some(found) = lanes::first_of_sixteen(text, at, special) {
        if found < 16 {
            return at.wrapping_add(found);
        }
        at = at.wrapping_add(16);
    }
    lanes::first_before_end(text, at, special).map_or(at, |found| at.wrapping_add(found))
}

/// [`next_special`] in a text of less than sixteen bytes.
#[inline(never)]
fn special_in_short(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let plain = rest.iter().take_while(|byte| matches!(byte, 0x20..0x80) && !matches!(byte, b'"' | b'\\'));
    at.wrapping_add(plain.count())
}

#[inline(never)]
fn long_white_space(text: &[u8], at: usize) -> usize {
    white_space_end(text, at)
}

#[inline(always)]
fn white_space_end(text: &[u8], mut at: usize) -> usize {
    let other = |bytes| white_space(bytes) ^ lanes::splat(u8::MAX);
    // the compiler then knows the length, and each read takes one test
    if text.len() >= 16 {
        while let Some(found) = lanes::first_of_sixteen(text, at, other) {
            if found < 16 {
                return at.wrapping_add(found);
            }
            at = at.wrapping_add(16);
        }
    }
    while matches!(byte(text, at), b' ' | b'\t' | b'\n' | b'\r') {
        at = at.wrapping_add(1);
    }
    at
}

/// The masks of a window of sixty-four bytes.
pub(in crate::json) struct Window {
    base: usize,
    special: u64,
    /// All bytes except white space. Filled only after the first run of white space longer than one space, because most texts have none.
    not_space: u64,
    is_spaced: bool,
}

impl Window {
    /// A window far from any offset in a text.
    pub(in crate::json) const fn new() -> Self {
        Self { base: usize::MAX / 2, special: 0, not_space: 0, is_spaced: false }
    }

    #[inline(always)]
    fn set(&mut self, at: usize, block: Block, within: u64) {
        self.base = at;
        self.special = block.mask(special) | !within;
        if self.is_spaced {
            self.not_space = !(block.mask(white_space) & within);
        }
    }

    #[inline(never)]
    fn next_special(&mut self, text: &[u8], at: usize) -> usize {
        self.next(text, at, |window| window.special)
    }

    #[inline(never)]
    fn white_space_end(&mut self, text: &[u8], at: usize) -> usize {
        self.is_spaced = true;
        self.next(text, at, |window| window.not_space)
    }

    /// The offset of the first byte from `at` on whose bit is set in `mask`.
    #[inline(always)]
    fn next(&mut self, text: &[u8], mut at: usize, mask: impl Fn(&Self) -> u64) -> usize {
        // two tests with different results: LLVM merges tests with equal results into one slower test
        let Some(mut rest) = text.get(at..) else { return at };
        while let Some((block, behind)) = rest.split_first_chunk() {
            self.set(at, Block::new(block), u64::MAX);
            if mask(self) != 0 {
                return at.wrapping_add(mask(self).trailing_zeros() as usize);
            }
            (at, rest) = (at.wrapping_add(LEN), behind);
        }
        self.last(text, at, mask)
    }

    /// [`next`](Self::next) in the last bytes of `text`. The bytes after the end count as special and as other than white space.
    #[inline(never)]
    fn last(&mut self, text: &[u8], at: usize, mask: impl Fn(&Self) -> u64) -> usize {
        let (block, within) = lanes::rest(text, at);
        self.set(at, block, within);
        at.wrapping_add(mask(self).trailing_zeros() as usize)
    }
}

impl Lex for Window {
    const IS_LONG: bool = true;

    #[inline(always)]
    fn special(&mut self, text: &[u8], at: usize) -> usize {
        if let Some(known) = self.known_special(at) {
            return known;
        }
        if at.wrapping_sub(self.base) < LEN {
            // a separate call, so that the processor loads the next window before it knows `at`
            return self.next_special(text, self.base.wrapping_add(LEN));
        }
        self.next_special(text, at)
    }

    #[inline(always)]
    fn known_special(&self, at: usize) -> Option<usize> {
        let from = at.wrapping_sub(self.base);
        let rest = if from < LEN { self.special >> from } else { 0 };
        if rest == 0 { None } else { Some(at.wrapping_add(rest.trailing_zeros() as usize)) }
    }

    #[inline(always)]
    fn white_space(&mut self, text: &[u8], at: usize, pair: impl FnOnce() -> u16) -> usize {
        if !self.is_spaced {
            return if is_one_space(pair()) { at.wrapping_add(1) } else { self.white_space_end(text, at) };
        }
        let from = at.wrapping_sub(self.base);
        if from < LEN {
            let rest = self.not_space >> from;
            if rest != 0 {
                return at.wrapping_add(rest.trailing_zeros() as usize);
            }
            // a separate call, as above
            return self.white_space_end(text, self.base.wrapping_add(LEN));
        }
        self.white_space_end(text, at)
    }
}
