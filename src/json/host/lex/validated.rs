//! Finds the ends of values in validated text, where only quotation marks, brackets and separators matter.

use super::lanes::{self, equal};
use super::text::escaped;
use crate::json::host::word::{byte, bytes_below, eight_before_end, not_digit};

/// The end of the value that begins with `first` at `at`.
#[inline(always)]
pub(in crate::json) fn value(text: &[u8], at: usize, first: u8) -> usize {
    match first {
        b'"' => string(text, at.wrapping_add(1)).wrapping_add(1),
        b'{' | b'[' => container(text, at),
        _ => scalar(text, at),
    }
}

/// The closing quotation mark of the string whose first character is at `at`.
#[inline(always)]
pub(in crate::json) fn string(text: &[u8], at: usize) -> usize {
    match lanes::first_of_sixteen(text, at, |bytes| equal(bytes, b'"') | equal(bytes, b'\\')) {
        Some(found) if byte(text, at.wrapping_add(found)) == b'"' && found < 16 => at.wrapping_add(found),
        _ => other_string(text, at),
    }
}

/// [`string`] for a long or escaped string, or one at the end of the text.
#[inline(never)]
fn other_string(text: &[u8], mut at: usize) -> usize {
    loop {
        at = quote_or_backslash(text, at);
        if byte(text, at) != b'\\' {
            return at;
        }
        at = at.wrapping_add(2);
    }
}

/// The first quotation mark or backslash from `at` on, or the end of the text.
#[inline(always)]
pub(in crate::json) fn quote_or_backslash(text: &[u8], mut at: usize) -> usize {
    let is = |bytes| equal(bytes, b'"') | equal(bytes, b'\\');
    while let Some(found) = lanes::first_of_sixteen(text, at, is) {
        if found < 16 {
            return at.wrapping_add(found);
        }
        at = at.wrapping_add(16);
    }
    match lanes::first_before_end(text, at, is) {
        Some(found) => at.wrapping_add(found),
        None => {
            let rest = text.get(at..).unwrap_or_default();
            let found = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'));
            at.wrapping_add(found.unwrap_or(rest.len()))
        }
    }
}

/// The end of the number or literal at `at`: the next bracket, comma or white space.
#[inline(always)]
fn scalar(text: &[u8], at: usize) -> usize {
    // up to eight digits as one word, because the end of a loop over a few bytes is mispredicted
    let mut at = at.wrapping_add(bytes_below(not_digit(eight_before_end(text, at))));
    loop {
        let byte = byte(text, at);
        // white space and the plus of an exponent are below the comma; the closing brackets differ in one bit
        if byte <= b',' && byte != b'+' || byte | 0x20 == b'}' {
            return at;
        }
        at = at.wrapping_add(1);
    }
}

/// The end of the object or array at `at`. Reads sixteen bytes at a time, because most are short.
#[inline(always)]
fn container(text: &[u8], at: usize) -> usize {
    // begins inside the opening bracket
    let (mut at, mut depth, mut in_string) = (at.wrapping_add(1), 1u32, 0);
    while at < text.len() {
        let [backslash, mut opening, mut quote, mut closing] = lanes::brackets(text, at);
        let mut len = 16;
        if backslash != 0 {
            let escaped = escaped(backslash, 0);
            quote &= !escaped;
            // a backslash in the last byte escapes the next one, so the next sixteen bytes begin with that backslash
            len = 16usize.wrapping_sub(usize::from((backslash & !escaped) >> 15 & 1 != 0));
        }
        if quote | in_string != 0 {
            let strings = between(quote) ^ in_string;
            in_string = 0u64.wrapping_sub(strings >> 15 & 1);
            (opening, closing) = (opening & !strings, closing & !strings);
        }
        while closing != 0 {
            let lowest = closing & closing.wrapping_neg();
            let mut before = opening & lowest.wrapping_sub(1);
            opening ^= before;
            closing ^= lowest;
            // most often there is one; not every x86-64 processor has an instruction that counts bits
            while before != 0 {
                before &= before.wrapping_sub(1);
                depth = depth.wrapping_add(1);
            }
            depth = depth.wrapping_sub(1);
            if depth == 0 {
                return at.wrapping_add(lowest.trailing_zeros() as usize).wrapping_add(1);
            }
        }
        depth = depth.wrapping_add(opening.count_ones());
        at = at.wrapping_add(len);
    }
    text.len()
}

/// The bytes inside strings: from each odd one of the sixteen `quotes` to the next quote. A bit is the parity of the bits up to it.
#[inline(always)]
const fn between(quotes: u64) -> u64 {
    let parity = quotes ^ quotes << 1;
    let parity = parity ^ parity << 2;
    let parity = parity ^ parity << 4;
    parity ^ parity << 8
}
