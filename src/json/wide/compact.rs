//! Short messages as most programs write them: all of the text one object, the first member as foreseen, no name that is
//! not asked for, none twice, none whose value is noted in turn; no white space, and nothing in strings that is no plain ASCII.
//!
//! Where strings and numbers end is known for sixty-four bytes together, so that it need not be looked for byte by byte. One
//! that is shorter still is often [`Flat`]. Whatever is not so is for the whole pass.

use wide::i8x16;

use super::super::names::{Names, Place};
use super::super::noted::Noted;
use super::block::{Halves, LEN, Look, digit, not_plain};
use super::flat::Flat;
use super::object::OUTER;
use super::scalar::{literal, long_number};
use super::value::{OBJECT, Open, closing, opened};
use super::word::byte;

/// Longer ones are sooner read in blocks.
const LONGEST: usize = 512;
/// Of these one look behind the first sixteen bytes sees everything.
const SEEN: usize = 16 + LEN;

/// Notes the members of the object that is all of `text`. If it is not usual, or not valid, those before whatever is not
/// are noted: the error is where the last one of them ends; or 0, and nothing is noted.
#[inline(always)]
pub(super) fn object<'a>(text: &'a [u8], names: &'static Names, noted: &mut Noted<'a>) -> Result<(), usize> {
    if text.len() > LONGEST {
        return Err(0);
    }
    let Some(flat) = first_member(text, names, noted) else { return Err(0) };
    let end = match flat {
        Some(flat) => flat_members(text, &flat, names, noted),
        None => members(text, names, noted),
    };
    if end.and_then(|end| text.get(end..)) != Some(b"}") {
        // who keeps it all the way is a register short
        return Err(noted.end_in(text));
    }
    noted.mark_all_unescaped();
    Ok(())
}

/// Notes the first member, which is sixteen bytes with the brace, and says what one look at all others tells.
#[inline(always)]
#[expect(clippy::option_option, reason = "the outer one declines")]
fn first_member<'a>(text: &'a [u8], names: &'static Names, noted: &mut Noted<'a>) -> Option<Option<Flat>> {
    let (place, value) = names.beginning_of(*text.first_chunk()?)?;
    let flat = if text.len() <= SEEN { Flat::of(text.get(16..)?, Halves::of(text, 16)?) } else { None };
    if flat.is_none() && !is_plain(text)? {
        return None;
    }
    noted.put(place, text.get(value..16)?);
    Some(flat)
}

/// *( value-separator member )
///
/// Notes those behind the first member, of which one look has told everything. Returns where they end.
#[inline(always)]
fn flat_members<'a>(text: &'a [u8], flat: &Flat, names: &'static Names, noted: &mut Noted<'a>) -> Option<usize> {
    let (mut at, mut rest) = (16usize, flat.begins);
    while rest != 0 {
        let (place, start) = member(text, at, names, noted)?;
        rest &= rest.wrapping_sub(1);
        at = ((rest | flat.end).trailing_zeros() as usize).wrapping_add(16);
        noted.put(place, text.get(start..at)?);
    }
    Some(at)
}

/// The same value by value.
#[inline(always)]
fn members<'a>(text: &'a [u8], names: &'static Names, noted: &mut Noted<'a>) -> Option<usize> {
    let mut at = 16usize;
    let mut sight = Sight { text, from: 0, quote: 0, digit: 0 };
    sight.look(at)?;
    while sight.byte(at) == b',' {
        let (place, start) = member(text, at, names, noted)?;
        at = sight.value(start)?;
        noted.put(place, text.get(start..at)?);
    }
    Some(at)
}

/// Which of the names stands behind the comma at `at`, for the first time, and where its value begins.
#[inline(always)]
fn member(text: &[u8], at: usize, names: &'static Names, noted: &Noted<'_>) -> Option<(Place, usize)> {
    let (place, start) = names.find_next(words(text, at)?)?;
    if noted.has(place.slot()) { None } else { Some((place, at.wrapping_add(start))) }
}

/// Whether there are no controls, no backslashes, and nothing beyond ASCII; `None` if it is shorter than a look.
#[inline(always)]
fn is_plain(text: &[u8]) -> Option<bool> {
    let odd = |bytes: &[u8; 16]| not_plain(i8x16::new(bytes.map(u8::cast_signed)));
    // some of the last ones are looked at twice
    let mut found = odd(text.last_chunk()?);
    let mut rest = text;
    while let Some((chunk, behind)) = rest.split_first_chunk() {
        found |= odd(chunk);
        rest = behind;
    }
    Some(found.move_mask() == 0)
}

/// The sixteen bytes from `at` on, the first one lowest. Beyond its end the text reads as zeros.
#[inline(always)]
fn words(text: &[u8], at: usize) -> Option<[u64; 2]> {
    let words = match text.get(at..)?.first_chunk() {
        Some(bytes) => u128::from_le_bytes(*bytes),
        None => {
            let beyond = at.wrapping_add(16).wrapping_sub(text.len());
            u128::from_le_bytes(*text.last_chunk()?).checked_shr(u32::try_from(beyond << 3).ok()?)?
        }
    };
    #[expect(clippy::cast_possible_truncation, reason = "the other half is there, too")]
    Some([words as u64, (words >> 64) as u64])
}

/// A text of at least 32 bytes, of which 64 have been looked at.
struct Sight<'a> {
    text: &'a [u8],
    /// The first of these.
    from: usize,
    /// A bit for each quotation mark.
    quote: u64,
    /// A bit for each digit.
    digit: u64,
}

impl Sight<'_> {
    /// Looks from `from` on.
    #[inline(always)]
    fn look(&mut self, from: usize) -> Option<()> {
        let halves = Halves::of(self.text, from)?;
        self.quote = halves.equal(b'"');
        self.digit = halves.mask(digit);
        self.from = from;
        Some(())
    }

    /// The byte at `at`; 0, which is valid nowhere, behind the end.
    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        byte(self.text, at)
    }

    /// Where the value at `start` ends.
    #[inline(always)]
    fn value(&mut self, start: usize) -> Option<usize> {
        match self.byte(start) {
            b'"' => self.string(start),
            b'{' | b'[' => self.container(start),
            begins => self.scalar(start, begins),
        }
    }

    /// Where the number or literal at `start` ends.
    #[inline(always)]
    fn scalar(&mut self, start: usize, begins: u8) -> Option<usize> {
        match begins {
            b'-' => self.number(start.wrapping_add(1)),
            b'0'..=b'9' => self.number(start),
            _ => self.literal(start),
        }
    }

    /// string = quotation-mark *char quotation-mark
    #[inline(always)]
    fn string(&mut self, start: usize) -> Option<usize> {
        // behind the one that opens it
        let seen = start.wrapping_sub(self.from);
        let closing = if seen < 64 { self.quote >> seen & !1 } else { 0 };
        if closing != 0 {
            return Some(start.wrapping_add(closing.trailing_zeros() as usize).wrapping_add(1));
        }
        self.long_string(start)
    }

    /// One that does not end where quotation marks are known.
    #[inline(always)]
    fn long_string(&mut self, start: usize) -> Option<usize> {
        let mut from = start;
        self.look(from)?;
        self.quote &= !1;
        while self.quote == 0 {
            from = from.wrapping_add(64);
            if from >= self.text.len() {
                return None;
            }
            self.look(from)?;
        }
        Some(from.wrapping_add(self.quote.trailing_zeros() as usize).wrapping_add(1))
    }

    /// false = %x66.61.6c.73.65 ; null = %x6e.75.6c.6c ; true = %x74.72.75.65
    #[inline(always)]
    fn literal(&self, start: usize) -> Option<usize> {
        let [word, _] = words(self.text, start)?;
        literal(word).map(|len| start.wrapping_add(len))
    }

    /// number = [ minus ] int [ frac ] [ exp ]
    ///
    /// One whose digits begin at `start`.
    #[inline(always)]
    fn number(&mut self, start: usize) -> Option<usize> {
        let seen = start.wrapping_sub(self.from);
        let mut others = if seen < 64 { !self.digit >> seen } else { 0 };
        let int = others.trailing_zeros() as usize;
        let mut end = start.wrapping_add(int);
        // int = zero / ( digit1-9 *DIGIT )
        if int == 0 || int > 1 && self.byte(start) == b'0' {
            return self.odd_number(start);
        }
        // frac = decimal-point 1*DIGIT
        if self.byte(end) == b'.' {
            others &= others.wrapping_sub(1);
            let frac = others.trailing_zeros() as usize;
            if frac == int.wrapping_add(1) {
                return None;
            }
            end = start.wrapping_add(frac);
        }
        let next = self.byte(end);
        if (others != 0) & ((next == b',') | (next | 0x20 == b'}')) { Some(end) } else { self.odd_number(start) }
    }

    /// One with an exponent, or that does not end where digits are known, or that is wrong.
    #[inline(never)]
    fn odd_number(&mut self, start: usize) -> Option<usize> {
        // behind a sign there is no other one
        if self.byte(start) == b'-' {
            return None;
        }
        // so that those behind it are seen
        self.look(start)?;
        long_number(self.text.get(start..)?).map(|len| start.wrapping_add(len))
    }

    /// object = begin-object [ member *( value-separator member ) ] end-object
    /// array = begin-array [ value *( value-separator value ) ] end-array
    #[inline(always)]
    fn container(&mut self, start: usize) -> Option<usize> {
        let mut open = OUTER;
        let mut at = start;
        loop {
            // a value begins
            match self.byte(at) {
                b'"' => at = self.string(at)?,
                begins @ (b'{' | b'[') => {
                    // the two differ in this bit
                    open = opened(open, Open::from(begins >> 5 & 1))?;
                    at = at.wrapping_add(1);
                    if self.byte(at) != closing(open) {
                        if open & OBJECT != 0 {
                            at = self.name(at)?;
                        }
                        continue;
                    }
                    at = at.wrapping_add(1);
                    open >>= 1;
                }
                begins => at = self.scalar(at, begins)?,
            }
            // a value has ended
            loop {
                if open == OUTER {
                    return Some(at);
                }
                let next = self.byte(at);
                at = at.wrapping_add(1);
                if next == b',' {
                    if open & OBJECT != 0 {
                        at = self.name(at)?;
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
    #[inline(always)]
    fn name(&mut self, start: usize) -> Option<usize> {
        if self.byte(start) != b'"' {
            return None;
        }
        let end = self.string(start)?;
        if self.byte(end) == b':' { Some(end.wrapping_add(1)) } else { None }
    }
}
