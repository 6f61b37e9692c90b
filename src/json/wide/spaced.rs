//! Short messages with white space between their tokens, as people and editors write them: all of the text one object, line
//! breaks and blanks, no name twice that is asked for, none whose value is noted in turn, nothing in strings that is no plain
//! ASCII.
//!
//! Where tokens begin is told for all of the text before the first one is read. So nobody waits for where the one before it
//! ends, which is what takes the time where white space comes between. Whatever is not so is for the whole pass.

use wide::i8x16;

use super::super::names::{Names, Place};
use super::super::noted::Noted;
use super::block::{self, Block, LEN, Look, equal, not_plain, splat};
use super::object::OUTER;
use super::scalar::{literal, long_number};
use super::string::between;
use super::value::{OBJECT, Open, closing, opened};
use super::word::{byte, bytes_below, eight, not_digit};

/// Longer ones are sooner read in blocks.
const LONGEST: usize = 1024;

/// A bit for each byte of a text with which a token begins.
type Starts = [u64; LONGEST / LEN];

/// Notes the members of the object that is all of `text`. If it is not so, or not valid, those before whatever is not are
/// noted: the error is where the last one of them ends; or 0, and nothing is noted.
#[inline(always)]
pub(super) fn object<'a>(text: &'a [u8], names: &'static Names, noted: &mut Noted<'a>) -> Result<(), usize> {
    match text {
        [b'{', b' ' | b'\n', ..] if text.len() <= LONGEST => spaced(text, names, noted),
        _ => Err(0),
    }
}

#[inline(never)]
fn spaced<'a>(text: &'a [u8], names: &'static Names, noted: &mut Noted<'a>) -> Result<(), usize> {
    let mut starts = Starts::default();
    if !find(text, &mut starts) {
        return Err(0);
    }
    if members(text, &starts, names, noted).is_none() {
        return Err(noted.end_in(text));
    }
    noted.mark_all_unescaped();
    Ok(())
}

/// Finds where the tokens of `text` begin, and each run of other bytes; whether the strings among them are plain.
#[inline(always)]
fn find(text: &[u8], starts: &mut Starts) -> bool {
    let mut before = Before::default();
    for (at, starts) in (0..text.len()).step_by(LEN).zip(starts.iter_mut()) {
        // not `block::read`, which looks at two places: LLVM would gather the bits of one byte by byte
        let mut end = None;
        *starts = before.starts(Block::new(block::bytes(text, at, &mut end)));
    }
    // behind the end there are zeros
    if let Some(starts) = starts.get_mut(text.len() / LEN) {
        *starts &= !(u64::MAX << (text.len() % LEN));
    }
    before.odd == 0
}

/// What the blocks before one leave to it.
#[derive(Default)]
struct Before {
    /// All bits if a string goes on.
    inside: u64,
    /// Whether the last byte is in no token that has been told: 0 or 1.
    other: u64,
    /// Not empty if a string is not plain.
    odd: u64,
}

impl Before {
    /// Where tokens of `block` begin.
    #[inline(always)]
    fn starts(&mut self, block: Block) -> u64 {
        let (quote, structural, blank) = (block.equal(b'"'), block.mask(structural), block.mask(blank));
        // with the first quotation mark of each string, without the last
        let inside = between(quote) ^ self.inside;
        self.inside = 0u64.wrapping_sub(inside >> 63);
        self.odd |= block.mask(not_plain) & inside;
        let other = !(inside | quote | structural | blank);
        let other_starts = other & !(other << 1 | self.other);
        self.other = other >> 63;
        structural & !inside | quote & inside | other_starts
    }
}

/// begin-array, begin-object, end-array, end-object, name-separator, value-separator; and `Y`, `_`, `y` and DEL, with which
/// no token begins, and which are in none but strings.
#[inline(always)]
fn structural(bytes: i8x16) -> i8x16 {
    equal(bytes, b',') | equal(bytes, b':') | equal(bytes | splat(0x26), 0x7F)
}

/// Of white space what most programs write. To tell tabs and carriage returns, too, takes a twentieth of the time.
#[inline(always)]
fn blank(bytes: i8x16) -> i8x16 {
    equal(bytes, b' ') | equal(bytes, b'\n')
}

/// JSON-text = object ws
///
/// Notes the members.
#[inline(always)]
fn members<'a>(text: &'a [u8], starts: &Starts, names: &'static Names, noted: &mut Noted<'a>) -> Option<()> {
    let [rest, ..] = *starts;
    let mut tokens = Tokens { text, starts, block: 0, rest };
    tokens.expect(b'{')?;
    let other = Place::OUTERMOST.inside(true);
    loop {
        let (name, b'"') = tokens.next()? else { return None };
        let found = names.find_word(other, eight(text, name.wrapping_add(1)));
        let place = found.map_or(other, |(place, _)| place);
        if place == Place::NESTED || place != other && noted.has(place.slot()) {
            return None;
        }
        tokens.expect(b':')?;
        let (start, begins) = tokens.next()?;
        tokens.value(start, begins)?;
        let (end, next) = tokens.next()?;
        if place != other {
            noted.put(place, text.get(start..end)?.trim_ascii_end());
        }
        match next {
            b',' => {}
            b'}' => return if tokens.next().is_none() { Some(()) } else { None },
            _ => return None,
        }
    }
}

/// The tokens of a text, one after the other.
struct Tokens<'a> {
    text: &'a [u8],
    /// Where they begin, from this block on.
    starts: &'a [u64],
    /// Where the block begins.
    block: usize,
    /// Those of this block that are to come.
    rest: u64,
}

impl Tokens<'_> {
    /// Where the next one begins, and with which byte.
    #[inline(always)]
    fn next(&mut self) -> Option<(usize, u8)> {
        while self.rest == 0 {
            let [_, rest @ ..] = self.starts else { return None };
            self.starts = rest;
            self.rest = *rest.first()?;
            self.block = self.block.wrapping_add(LEN);
        }
        let at = self.block.wrapping_add(self.rest.trailing_zeros() as usize);
        self.rest &= self.rest.wrapping_sub(1);
        Some((at, byte(self.text, at)))
    }

    /// The next one is `token`.
    #[inline(always)]
    fn expect(&mut self, token: u8) -> Option<()> {
        let (_, begins) = self.next()?;
        if begins == token { Some(()) } else { None }
    }

    /// value = false / null / true / object / array / number / string
    ///
    /// The one that `begins` at `start`: goes on to its last token.
    #[inline(always)]
    fn value(&mut self, start: usize, begins: u8) -> Option<()> {
        match begins {
            b'"' => Some(()),
            b'{' | b'[' => self.container(start, begins),
            _ => self.scalar(start, begins),
        }
    }

    /// false / null / true / number
    #[inline(always)]
    fn scalar(&self, start: usize, begins: u8) -> Option<()> {
        let is_end = |len| matches!(byte(self.text, start.wrapping_add(len)), b',' | b']' | b'}' | b' ' | b'\n');
        let word = eight(self.text, start);
        if begins >= b'a' {
            return if is_end(literal(word)?) { Some(()) } else { None };
        }
        let digits = bytes_below(not_digit(word));
        if digits == 0 || digits > 1 && begins == b'0' || !is_end(digits) {
            let len = long_number(self.text.get(start..)?)?;
            return if is_end(len) { Some(()) } else { None };
        }
        Some(())
    }

    /// object = begin-object [ member *( value-separator member ) ] end-object
    /// array = begin-array [ value *( value-separator value ) ] end-array
    #[inline(always)]
    fn container(&mut self, mut start: usize, mut begins: u8) -> Option<()> {
        let mut open = OUTER;
        loop {
            // a value begins
            match begins {
                b'"' => {}
                b'{' | b'[' => {
                    // the two differ in this bit
                    open = opened(open, Open::from(begins >> 5 & 1))?;
                    (start, begins) = self.next()?;
                    if begins != closing(open) {
                        if open & OBJECT != 0 {
                            (start, begins) = self.named(begins)?;
                        }
                        continue;
                    }
                    open >>= 1;
                }
                _ => self.scalar(start, begins)?,
            }
            // a value has ended
            loop {
                if open == OUTER {
                    return Some(());
                }
                let (_, next) = self.next()?;
                if next == b',' {
                    (start, begins) = self.next()?;
                    if open & OBJECT != 0 {
                        (start, begins) = self.named(begins)?;
                    }
                    break;
                }
                if next != closing(open) {
                    return None;
                }
                open >>= 1;
            }
        }
    }

    /// string name-separator
    ///
    /// The token behind the name that `begins` here.
    #[inline(always)]
    fn named(&mut self, begins: u8) -> Option<(usize, u8)> {
        if begins != b'"' {
            return None;
        }
        self.expect(b':')?;
        self.next()
    }
}
