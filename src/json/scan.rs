//! The validating pass: UTF-8, grammar, depth, and the members that the caller wants to see, in one walk.
//!
//! One function over `slice::Iter` with one byte of look-ahead, because that was measured smaller and faster on
//! Cortex-M than a cursor behind `&mut self`. Nothing here can panic: places are found with `get`, sums wrap.

use super::names::{Names, Place};
use super::noted::Noted;
use crate::error::{Error, ErrorKind};

/// Brackets that may be open at once. Deeper texts are refused with [`ErrorKind::TooDeep`].
///
/// The open brackets are bits of one word, so this costs no memory and the stack use of a pass is constant.
pub const MAX_DEPTH: usize = 63;

// What may come next. An odd state may also meet the closing bracket.
pub(super) const VALUE: u32 = 0;
pub(super) const FIRST_VALUE: u32 = 1;
pub(super) const NAME: u32 = 2;
pub(super) const FIRST_NAME: u32 = 3;
pub(super) const COLON: u32 = 4;
pub(super) const AFTER_VALUE: u32 = 5;
pub(super) const END: u32 = 6;
/// What separates, for COLON, AFTER_VALUE and END: a byte each.
pub(super) const SEPARATORS: u32 = u32::from_le_bytes(*b":,\0\0");
/// What is missing when neither what is expected nor white space comes: a kind for each of the above.
pub(super) static MISSING: [ErrorKind; 8] = [
    ErrorKind::ExpectedValue,
    ErrorKind::ExpectedValue,
    ErrorKind::ExpectedName,
    ErrorKind::ExpectedName,
    ErrorKind::ExpectedColon,
    ErrorKind::ExpectedComma,
    ErrorKind::TrailingData,
    ErrorKind::TrailingData,
];

// Open brackets, the innermost in the lowest bit: 1 an object, 0 an array. The topmost set bit is a sentinel.
pub(super) const NONE_OPEN: u64 = 1;

// The parts of a number.
const INT: u32 = 0;
const FRAC: u32 = 1;
const EXP: u32 = 2;

const fn is_digit(byte: u32) -> bool {
    byte.wrapping_sub(b'0' as u32) < 10
}

pub(super) const fn is_white_space(byte: u32) -> bool {
    // ws = *( %x20 / %x09 / %x0A / %x0D )
    matches!(byte, 0x20 | 0x09 | 0x0A | 0x0D)
}

/// The bytes of `word` that end a run of plain string bytes: quote, backslash, control or not ASCII.
///
/// Bit 7 of the lowest such byte is set, and none below it. Bits above it mean nothing, because a borrow runs upwards.
pub(super) const fn special_bytes(word: usize) -> usize {
    const ONES: usize = usize::MAX / 255;
    let quote = (word ^ ONES.wrapping_mul(b'"' as usize)).wrapping_sub(ONES);
    let backslash = (word ^ ONES.wrapping_mul(b'\\' as usize)).wrapping_sub(ONES);
    let control = word.wrapping_sub(ONES.wrapping_mul(0x20));
    (word | quote | backslash | control) & ONES.wrapping_mul(0x80)
}

/// A place in a text, before which everything is valid, and what the grammar wants there.
#[derive(Clone, Copy)]
pub(super) struct Start {
    pub(super) at: usize,
    /// The brackets that are open.
    pub(super) open: u64,
    /// What may come next.
    pub(super) expect: u32,
    /// Whether it is within a string, between two chars.
    pub(super) in_string: bool,
}

impl Start {
    /// The front of a text.
    pub(super) const FRONT: Self = Self { at: 0, open: NONE_OPEN, expect: VALUE, in_string: false };
}

/// Validates `text` as one JSON text and notes the members of its outermost object that are in `names`.
///
/// # Limits
/// Nesting: [`MAX_DEPTH`]. Stack: constant. Time: each byte once.
///
/// Source: RFC 8259 §2 to §8; RFC 3629 §4.
#[inline(never)]
pub(crate) fn scan<'a>(text: &'a [u8], names: &Names, noted: &mut Noted<'a>) -> Result<(), Error> {
    pass(text, names, noted, Start::FRONT)
}

/// [`scan`] from `start` on, without any notes.
#[cfg(target_pointer_width = "64")]
pub(super) fn resume(text: &[u8], start: Start) -> Result<(), Error> {
    pass(text, &Names::NONE, &mut Noted::new(text), start)
}

/// The pass, which notes only from the front of the text on. On a device that is the only place to start from, and costs
/// nothing.
#[expect(clippy::cast_possible_truncation, reason = "the lowest bits are what is wanted")]
#[cfg_attr(target_pointer_width = "64", inline(never))]
#[cfg_attr(not(target_pointer_width = "64"), inline(always))]
fn pass<'a>(text: &'a [u8], names: &Names, noted: &mut Noted<'a>, start: Start) -> Result<(), Error> {
    // Where the byte after `byte` is. The end of the text reads as 0, which is valid nowhere, and puts `at` beyond it.
    let mut at = start.at;
    macro_rules! next {
        () => {{
            let byte = text.get(at).map_or(0, |byte| *byte as u32);
            at = at.wrapping_add(1);
            byte
        }};
    }
    let Start { mut open, mut expect, mut in_string, .. } = start;
    let mut place = Place::OUTERMOST.within(NONE_OPEN.leading_zeros().wrapping_sub(open.leading_zeros()));
    // JSON-text = ws value ws
    let kind = 'refused: {
        'token: loop {
            // the end of the text comes in here, too
            let byte = if core::mem::take(&mut in_string) { u32::from(b'"') } else { next!() };
            if byte <= b' ' as u32 {
                // what `is_white_space` says, in less flash
                const BELOW_SPACE: u32 = 1 << b'\t' | 1 << b'\n' | 1 << b'\r';
                if byte != b' ' as u32 && BELOW_SPACE.wrapping_shr(byte) & 1 == 0 {
                    break 'token;
                }
                continue 'token;
            }
            'value: {
                // end-array = ws %x5D ws ; end-object = ws %x7D ws
                if byte | 0x20 == b'}' as u32 {
                    if expect & 1 == 0 || (byte >> 5 ^ open as u32) & 1 != 0 {
                        break 'token;
                    }
                    open >>= 1;
                    place = place.outside();
                    break 'value;
                }
                // name-separator = ws %x3A ws ; value-separator = ws %x2C ws
                if expect >= COLON {
                    if byte != SEPARATORS.wrapping_shr(expect << 3) & 0xFF {
                        break 'token;
                    }
                    // VALUE after a colon; after a comma NAME in an object, VALUE in an array
                    expect = (open as u32 & expect & 1) << 1;
                    continue 'token;
                }
                // string = quotation-mark *char quotation-mark
                if byte == b'"' as u32 {
                    let opened = at;
                    loop {
                        while let Some(word) = text.get(at..).and_then(|rest| rest.first_chunk()) {
                            let special = special_bytes(usize::from_le_bytes(*word));
                            if special != 0 {
                                at = at.wrapping_add((special.trailing_zeros() >> 3) as usize);
                                break;
                            }
                            at = at.wrapping_add(word.len());
                        }
                        let byte = next!();
                        if byte == b'"' as u32 {
                            break;
                        }
                        match character(text, at, byte) {
                            (next, None) => at = next,
                            (next, Some(kind)) => {
                                at = next;
                                break 'refused kind;
                            }
                        }
                    }
                    // member = string name-separator value
                    if expect & NAME == 0 {
                        break 'value;
                    }
                    if let (true, Some(inside)) = (place.is_noticed(), text.get(opened..)) {
                        place = noted.begin(names, place, inside);
                    }
                    expect = COLON;
                    continue 'token;
                }
                if expect & NAME != 0 {
                    break 'token;
                }
                // begin-array = ws %x5B ws ; begin-object = ws %x7B ws
                if byte | 0x20 == b'{' as u32 {
                    if open >> MAX_DEPTH != 0 {
                        break 'refused ErrorKind::TooDeep;
                    }
                    let is_object = byte >> 5 & 1;
                    open = open << 1 | u64::from(is_object);
                    place = place.inside(is_object != 0);
                    // FIRST_NAME in an object, FIRST_VALUE in an array
                    expect = FIRST_VALUE.wrapping_add(is_object.wrapping_mul(FIRST_NAME - FIRST_VALUE));
                    continue 'token;
                }
                // false / null / true / number
                match scalar(text, at, byte) {
                    (next, None) => at = next,
                    (next, Some(kind)) => {
                        at = next;
                        break 'refused kind;
                    }
                }
            }
            // a value has ended just before `at`
            if place.is_noticed() {
                noted.end(place, text.len().wrapping_sub(at));
            }
            expect = if place.is_outermost() { END } else { AFTER_VALUE };
        }
        if at > text.len() && expect == END {
            return Ok(());
        }
        MISSING.get(expect as usize & 7).copied().unwrap_or(ErrorKind::TrailingData)
    };
    let kind = if at > text.len() { ErrorKind::UnexpectedEnd } else { kind };
    Err(Error::new(kind, at.wrapping_sub(1)))
}

/// The four bytes of `text` from `at` on, the first in the highest bits. Behind the end there are zeros, which no token
/// has.
#[inline(never)]
fn window(text: &[u8], at: usize) -> u32 {
    (at..at.wrapping_add(4)).fold(0, |word, at| word << 8 | text.get(at).map_or(0, |byte| u32::from(*byte)))
}

/// Validates the char that begins with `first`, just before `at`: most often an escape or a UTF-8 sequence. Says where it
/// ends, or the place behind the byte that is wrong and what it is.
///
/// A function of its own because the pass is short of registers.
#[inline(never)]
pub(super) fn character(text: &[u8], mut at: usize, first: u32) -> (usize, Option<ErrorKind>) {
    // unescaped = %x20-21 / %x23-5B / %x5D-10FFFF
    if first < 0x20 {
        return (at, Some(ErrorKind::ControlCharacter));
    }
    macro_rules! next {
        () => {{
            let byte = text.get(at).map_or(0, |byte| *byte as u32);
            at = at.wrapping_add(1);
            byte
        }};
    }
    if first == b'\\' as u32 {
        // %x5C ( %x22 / %x5C / %x2F / %x62 / %x66 / %x6E / %x72 / %x74 / %x75 4HEXDIG )
        let escape = next!();
        if escape != b'u' as u32 {
            let is_known = b"\"\\/bfnrt".iter().any(|known| escape == *known as u32);
            return (at, if is_known { None } else { Some(ErrorKind::InvalidEscape) });
        }
        // the digits behind a 1, which the fourth of them moves into bit 16
        let mut unit = 1;
        while unit >> 16 == 0 {
            let Some(digit) = hex_digit(next!()) else { return (at, Some(ErrorKind::InvalidEscape)) };
            unit = unit << 4 | digit;
            // DC to DF: a low half that no high half announced
            if unit >> 2 == 0x1DC >> 2 {
                return (at, Some(ErrorKind::LoneSurrogate));
            }
            // a high half wants a low one behind it
            if unit >> 10 == 0x1_D800 >> 10 {
                // \u, then D, then C, or one of D to F, which have other bits than it
                let wrong = (window(text, at) | 0x2020) ^ u32::from_be_bytes(*b"\\udc");
                if !matches!(wrong, 0 | 5..=7) {
                    return (behind_first(wrong, at), Some(ErrorKind::LoneSurrogate));
                }
                // then two more digits
                at = at.wrapping_add(4);
                unit = 0x100;
            }
        }
        return (at, None);
    }
    if first < 0x80 {
        return (at, None);
    }
    // UTF8-2 / UTF8-3 / UTF8-4, with the narrower second byte after E0, ED, F0 and F4
    let mut low = 0x80;
    let mut high = 0xBF;
    if first == 0xE0 {
        low = 0xA0;
    }
    if first == 0xED {
        high = 0x9F;
    }
    if first == 0xF0 {
        low = 0x90;
    }
    if first == 0xF4 {
        high = 0x8F;
    }
    if !(0xC2..=0xF4).contains(&first) {
        return (at, Some(ErrorKind::InvalidUtf8));
    }
    // as many bytes follow as there are ones behind the first one
    let mut ones = first << 1;
    while ones & 0x80 != 0 {
        let byte = next!();
        if byte < low || byte > high {
            return (at, Some(ErrorKind::InvalidUtf8));
        }
        (low, high) = (0x80, 0xBF);
        ones <<= 1;
    }
    (at, None)
}

/// The place behind the first byte that is not 0 in `wrong`, which stands at `at`.
const fn behind_first(wrong: u32, at: usize) -> usize {
    at.wrapping_add((wrong.leading_zeros() >> 3) as usize).wrapping_add(1)
}

/// Validates the number or literal that begins with `first`, just before `at`. Says where it ends, or the place behind
/// the byte that is wrong and what it is.
#[inline(never)]
fn scalar(text: &[u8], at: usize, first: u32) -> (usize, Option<ErrorKind>) {
    let before = at.wrapping_sub(1);
    // false / null / true: the last four bytes of each
    let (start, literal) = if first == b't' as u32 {
        (before, *b"true")
    } else if first == b'f' as u32 {
        (at, *b"alse")
    } else if first == b'n' as u32 {
        (before, *b"null")
    } else if first == b'-' as u32 {
        return number(text, at);
    } else if is_digit(first) {
        return number(text, before);
    } else {
        return (at, Some(ErrorKind::ExpectedValue));
    };
    let wrong = window(text, start) ^ u32::from_be_bytes(literal);
    if wrong != 0 {
        return (behind_first(wrong, start), Some(ErrorKind::InvalidLiteral));
    }
    (start.wrapping_add(literal.len()), None)
}

/// number = [ minus ] int [ frac ] [ exp ], from behind the minus on.
fn number(text: &[u8], mut at: usize) -> (usize, Option<ErrorKind>) {
    let peek = |at: usize| text.get(at).map_or(0, |byte| *byte as u32);
    let mut part = INT;
    loop {
        // int = zero / ( digit1-9 *DIGIT ) ; frac = decimal-point 1*DIGIT ; exp = e [ minus / plus ] 1*DIGIT
        let start = at;
        let mut byte = peek(at);
        if byte == b'0' as u32 && part == INT {
            at = at.wrapping_add(1);
            byte = peek(at);
        } else {
            while is_digit(byte) {
                at = at.wrapping_add(1);
                byte = peek(at);
            }
        }
        if at == start || is_digit(byte) {
            return (at.wrapping_add(1), Some(ErrorKind::InvalidNumber));
        }
        if byte == b'.' as u32 && part == INT {
            part = FRAC;
        } else if byte | 0x20 == b'e' as u32 && part != EXP {
            part = EXP;
            if matches!(text.get(at.wrapping_add(1)), Some(b'-' | b'+')) {
                at = at.wrapping_add(1);
            }
        } else {
            return (at, None);
        }
        at = at.wrapping_add(1);
    }
}

/// HEXDIG, of either case.
pub(super) const fn hex_digit(byte: u32) -> Option<u32> {
    let digit = byte.wrapping_sub(b'0' as u32);
    if digit <= 9 {
        return Some(digit);
    }
    let letter = (byte | 0x20).wrapping_sub(b'a' as u32);
    if letter <= 5 { Some(letter.wrapping_add(10)) } else { None }
}
