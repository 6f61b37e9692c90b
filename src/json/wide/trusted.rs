//! Validated text, in which only quotation marks, brackets and separators are looked for.
//!
//! A value may be all there is of its text, or be one of those before a [`Cursor`].

use wide::i8x16;

use super::block::{self, LEN, Look, bits, equal, sixteen, splat};
use super::cursor::{self, Ahead, Cursor};
use super::string::{between, escaped};
use super::word::{self, behind, byte, first};

/// Where the string ends whose first char, behind the quotation mark, is at `at`.
#[inline(always)]
pub(super) fn string(text: &[u8], at: usize) -> usize {
    // mostly it is short and plain
    if let Some(bytes) = sixteen(text, at) {
        let found = bits(equal(bytes, b'"') | equal(bytes, b'\\'));
        let end = at.wrapping_add(found.trailing_zeros() as usize);
        if found != 0 && byte(text, end) == b'"' {
            return end.wrapping_add(1);
        }
    }
    long_string(text, at)
}

/// The same for one that is long or escaped, or stands near the end of the text.
#[inline(never)]
fn long_string(text: &[u8], mut at: usize) -> usize {
    while at < text.len() {
        let found = word::quote_or_backslash(word::eight(text, at));
        at = at.wrapping_add(word::bytes_below(found));
        if found != 0 {
            if byte(text, at) == b'"' {
                return at.wrapping_add(1);
            }
            at = at.wrapping_add(2);
        }
    }
    text.len()
}

/// The string that is opened at `start` of what is ahead. Goes on to where it ends, and returns the word that follows.
#[inline(always)]
pub(super) fn next_string(cursor: &mut Cursor<'_>, ahead: &Ahead, start: usize) -> Option<u64> {
    let bytes = cursor::sixteen(ahead, start.wrapping_add(1));
    let found = bits(equal(bytes, b'"') | equal(bytes, b'\\'));
    if found != 0 {
        let closing = start.wrapping_add(1).wrapping_add(found.trailing_zeros() as usize);
        let next = cursor::word(ahead, closing);
        if first(next) == b'"' {
            cursor.skip(closing.wrapping_add(1))?;
            return Some(behind(next, 1));
        }
    }
    cursor.skip(start)?;
    cursor.skip(long_string(cursor.rest(), 1))?;
    Some(cursor.word())
}

/// The value at `start` of what is ahead. Goes on to where it ends, and returns the word that follows.
#[inline(always)]
pub(super) fn next_value(cursor: &mut Cursor<'_>, ahead: &Ahead, start: usize) -> Option<u64> {
    match cursor::byte(ahead, start) {
        b'"' => next_string(cursor, ahead, start),
        b'{' | b'[' => {
            if let Some(len) = short_container(cursor::sixteen(ahead, start.wrapping_add(1))) {
                let end = start.wrapping_add(len);
                cursor.skip(end)?;
                return Some(cursor::word(ahead, end));
            }
            cursor.skip(start)?;
            cursor.skip(container(cursor.rest(), 0))?;
            Some(cursor.word())
        }
        _ => {
            cursor.skip(start)?;
            cursor.skip(scalar(cursor.rest(), 0))?;
            Some(cursor.word())
        }
    }
}

/// Where the value at `at` ends.
#[inline(always)]
pub(super) fn value(text: &[u8], at: usize) -> usize {
    match byte(text, at) {
        b'"' => string(text, at.wrapping_add(1)),
        b'{' | b'[' => match sixteen(text, at.wrapping_add(1)).and_then(short_container) {
            Some(len) => at.wrapping_add(len),
            None => container(text, at),
        },
        _ => scalar(text, at),
    }
}

/// Where the number or literal at `at` ends: before a bracket, a comma or white space.
#[inline(always)]
fn scalar(text: &[u8], mut at: usize) -> usize {
    loop {
        let byte = byte(text, at);
        // white space is below the comma, and so is the sign of an exponent; closing brackets differ in one bit
        if byte <= b',' && byte != b'+' || byte | 0x20 == b'}' {
            return at;
        }
        at = at.wrapping_add(1);
    }
}

/// The bytes of the object or array behind whose opening bracket `bytes` stand, if they hold its end, no other one and
/// no backslash.
#[inline(always)]
pub(super) fn short_container(bytes: i8x16) -> Option<usize> {
    // brackets and braces differ in one bit
    let folded = bytes | splat(0x20);
    let quote = bits(equal(bytes, b'"'));
    // the parity of the quotation marks up to each byte
    let strings = quote ^ quote << 1;
    let strings = strings ^ strings << 2;
    let strings = strings ^ strings << 4;
    let strings = strings ^ strings << 8;
    let closing = bits(equal(folded, b'}')) & !strings;
    let before = closing.wrapping_sub(1) & !closing;
    let others = bits(equal(folded, b'{')) & !strings | bits(equal(bytes, b'\\'));
    if closing == 0 || others & before != 0 {
        return None;
    }
    Some((closing.trailing_zeros() as usize).wrapping_add(2))
}

/// Where the object or array at `at` ends.
#[inline(never)]
pub(super) fn container(text: &[u8], mut at: usize) -> usize {
    let mut depth = 0u32;
    let (mut carry, mut in_string) = (0, 0);
    while at < text.len() {
        let [quote, backslash, mut opening, mut closing] = block::read(text, at, |block| {
            // brackets and braces differ in one bit
            let bracket = |closing| block.mask(|bytes| equal(bytes | splat(0x20), closing));
            [block.equal(b'"'), block.equal(b'\\'), bracket(b'{'), bracket(b'}')]
        });
        let strings = between(quote & !escaped(backslash, &mut carry)) ^ in_string;
        in_string = 0u64.wrapping_sub(strings >> 63);
        opening &= !strings;
        closing &= !strings;
        while closing != 0 {
            let lowest = closing & closing.wrapping_neg();
            let before = opening & lowest.wrapping_sub(1);
            opening ^= before;
            closing ^= lowest;
            depth = depth.wrapping_add(before.count_ones()).wrapping_sub(1);
            if depth == 0 {
                return at.wrapping_add(lowest.trailing_zeros() as usize).wrapping_add(1);
            }
        }
        depth = depth.wrapping_add(opening.count_ones());
        at = at.wrapping_add(LEN);
    }
    text.len()
}
