//! Everything that is small: each text of a few structural bytes, each short sequence of UTF-8, each escape of a unit.
//!
//! Texts of up to 4 bytes; of up to 6 with `NANOJSONRPC_EXHAUSTIVE=full`, which `.ci/test exhaustive` sets. A text is judged by
//! serde_json, a sequence of UTF-8 by the standard library, and where it is refused by every shorter text.
#![cfg(feature = "serde")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, thread};

use crate::common::{Rules, json, reference, show, verdict};
use crate::entry_points::{comes_out_of_a_stream, is_one_kind, is_refused_by_all};
use crate::looked::Looked;
use nanojsonrpc::{Dialect, Error, ErrorKind, Message, RawValue};

/// The bytes that decide something, of structure, numbers, literals, strings and escapes; one that begins no character.
const ALPHABET: &[u8] = b"{}[]\":,\\-+.eE019tn u\xC3";

/// Whether all texts are tried, or as many as a second or two allows.
fn is_full() -> bool {
    env::var_os("NANOJSONRPC_EXHAUSTIVE").is_some_and(|value| value == "full")
}

/// Runs `work` on each of `parts`, on all processors, and returns the sum of the results.
fn on_all_processors(parts: usize, work: impl Fn(usize) -> usize + Sync) -> usize {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, |count| count.get());
    thread::scope(|scope| {
        let work = || {
            let mut sum = 0;
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= parts {
                    return sum;
                }
                sum += work(part);
            }
        };
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no failure")).sum()
    })
}

/// Whether serde_json takes `text`.
fn is_json(text: &[u8]) -> bool {
    // it refuses floats out of range, which are JSON, unless it ignores them
    serde_json::from_slice::<Looked>(text).is_ok() || holds(text, b"eE") && json(text).is_some()
}

fn holds(text: &[u8], any: &[u8]) -> bool {
    text.iter().any(|byte| any.contains(byte))
}

/// The context of the texts: the bytes before and after them.
struct Place {
    before: &'static [u8],
    behind: &'static [u8],
    /// Whether the text in it is read as a message.
    is_message: bool,
}

/// All texts that begin with `text`, up to `len` bytes. `parent` is the verdict without the last byte.
///
/// An error is "at the first byte with which the text can no longer become valid JSON". So a text whose front
/// has been refused is refused as that was; and any other is refused at its last byte, if it is.
fn check_from(text: &mut Vec<u8>, parent: Result<(), Error>, place: &Place, len: usize, whole: &mut Vec<u8>) -> usize {
    let front = check_front(text, parent, place, whole);
    check_whole(text, place, whole);
    let mut count = 1;
    if text.len() < len {
        for byte in ALPHABET {
            text.push(*byte);
            count += check_from(text, front, place, len, whole);
            text.pop();
        }
    }
    count
}

/// Whether the text before and `text` can still become JSON, which must follow from the verdict of its parent.
fn check_front(text: &[u8], parent: Result<(), Error>, place: &Place, whole: &mut Vec<u8>) -> Result<(), Error> {
    whole.truncate(place.before.len());
    whole.extend_from_slice(text);
    let front = RawValue::parse(whole).map(|_| ());
    match front {
        _ if parent.is_err_and(|error| !error.is_incomplete()) => assert_eq!(front, parent, "{}", show(whole)),
        Ok(()) => {}
        Err(error) if error.is_incomplete() => assert_eq!(error.offset(), whole.len(), "{}", show(whole)),
        Err(error) => assert_eq!(error.offset() + 1, whole.len(), "{error}: {}", show(whole)),
    }
    front
}

/// The verdict of serde_json on the whole text; every entry point must agree.
fn check_whole(text: &[u8], place: &Place, whole: &mut Vec<u8>) {
    whole.extend_from_slice(place.behind);
    let read = RawValue::parse(whole);
    assert_eq!(read.is_ok(), is_json(whole), "{read:?}: {}", show(whole));
    if place.before.is_empty() {
        comes_out_of_a_stream::<16>(whole, read);
    }
    match read {
        Err(error) => is_refused_by_all(whole, error, Dialect::JSON_RPC),
        // the others hold no message
        Ok(_) if !place.is_message => {}
        Ok(_) => {
            let expected = reference(whole, Rules::JsonRpc);
            assert_eq!(verdict(Message::parse(whole)), expected, "{}", show(text));
            is_one_kind(whole, Dialect::JSON_RPC);
        }
    }
}

/// All texts of up to `len` bytes of the alphabet in `place`; returns their number.
fn every_text(place: &Place, len: usize) -> usize {
    let front = RawValue::parse(place.before).map(|_| ());
    let start = || place.before.to_vec();
    // the shortest ones here, and those with two given first bytes in other threads
    let (mut whole, count) = (start(), ALPHABET.len());
    let mut short = check_from(&mut Vec::new(), front, place, 0, &mut whole);
    for byte in ALPHABET {
        short += check_from(&mut vec![*byte], front, place, 1, &mut whole);
    }
    short
        + on_all_processors(count * count, |part| {
            let (first, second) = (ALPHABET[part / count], ALPHABET[part % count]);
            let mut whole = start();
            let parent = check_front(&[first], front, place, &mut whole);
            check_from(&mut vec![first, second], parent, place, len, &mut whole)
        })
}

fn check_every_text(place: &Place, len: usize) {
    let count = every_text(place, len);
    println!("{count} texts of up to {len} bytes");
    assert_eq!(count, (0..=len as u32).map(|len| ALPHABET.len().pow(len)).sum::<usize>());
}

#[test]
fn every_text_of_a_few_structural_bytes_gets_the_verdict_of_serde_json_from_everyone() {
    let place = Place { before: b"", behind: b"", is_message: true };
    check_every_text(&place, if is_full() { 6 } else { 4 });
}

#[test]
fn every_text_of_a_few_structural_bytes_as_params_gets_the_verdict_of_serde_json_from_everyone() {
    let before = br#" {"jsonrpc":"2.0","method":"m","params":"#;
    let place = Place { before, behind: b"}", is_message: true };
    check_every_text(&place, if is_full() { 6 } else { 3 });
}

#[test]
fn every_text_of_a_few_structural_bytes_in_the_windows_of_a_long_array_gets_the_verdict_of_serde_json() {
    let before = br#"[["an element so long that what follows begins a window","of sixty-four bytes"],{"a":"#;
    let behind = br#"},"and behind it stand more bytes than a window has, so that it is read as one of them"]"#;
    let place = Place { before, behind, is_message: false };
    check_every_text(&place, if is_full() { 5 } else { 3 });
}

/// How many bytes are read at once where many follow, and how many these are, to be sure.
const BLOCK: usize = 64;
const MANY: usize = 600;

/// A text between two elements, at a chosen offset.
struct Wide {
    opening: &'static [u8],
    closing: &'static [u8],
}

impl Wide {
    /// The text around `inside`, which begins at `at`, with `behind` bytes after it.
    fn around(&self, inside: &[u8], at: usize, behind: usize) -> Vec<u8> {
        let fill = at - b"[\"\",".len() - self.opening.len();
        let front = [b"[\"", &*vec![b'x'; fill], b"\",", self.opening].concat();
        [&front, inside, self.closing, b",\"", &vec![b'x'; behind], b"\"]"].concat()
    }
}

/// Checks all texts of `len` bytes across every edge between two blocks; returns their number.
fn check_at_edges(wide: &Wide, len: usize) -> usize {
    let count = ALPHABET.len();
    on_all_processors(count, |first| {
        let mut inside = vec![0; len];
        let starts: Vec<usize> = (2 * BLOCK - len..=2 * BLOCK).collect();
        let mut short = wide.around(&inside, 16, 1);
        let mut texts: Vec<_> = starts.iter().map(|at| wide.around(&inside, *at, MANY)).collect();
        let others = count.pow(len as u32 - 1);
        for number in 0..others {
            let mut rest = number;
            for place in inside.iter_mut().skip(1) {
                *place = ALPHABET[rest % count];
                rest /= count;
            }
            inside[0] = ALPHABET[first];
            short[16..16 + len].copy_from_slice(&inside);
            let expected = RawValue::parse(&short).map(|_| ());
            assert_eq!(expected.is_ok(), is_json(&short), "{expected:?}: {}", show(&short));
            for (text, at) in texts.iter_mut().zip(&starts) {
                text[*at..*at + len].copy_from_slice(&inside);
                let found = RawValue::parse(text).map(|_| ());
                match (found, expected) {
                    (Ok(()), Ok(())) => {}
                    // the rest is a string in one and none in the other only if both are refused further on
                    (Err(found), Err(expected)) if expected.offset() >= 16 + len + wide.closing.len() + 2 => {
                        assert!(found.offset() >= at + len, "{found}, not {expected}: {}", show(text));
                    }
                    (Err(found), Err(expected)) => {
                        let from_here = (found.kind(), found.offset() - at);
                        assert_eq!(from_here, (expected.kind(), expected.offset() - 16), "{}", show(text));
                    }
                    _ => panic!("{found:?}, not {expected:?}: {}", show(text)),
                }
            }
        }
        others
    })
}

#[test]
fn every_text_of_a_few_structural_bytes_is_judged_alike_across_the_edges_of_blocks() {
    let places = [("", ""), ("[", "]"), ("{", "}"), ("{\"n\":", "}"), ("{\"n\"", "}")];
    let longest = if is_full() { 5 } else { 3 };
    for (opening, closing) in places {
        let wide = Wide { opening: opening.as_bytes(), closing: closing.as_bytes() };
        let count: usize = (1..=longest).map(|len| check_at_edges(&wide, len)).sum();
        println!("{count} texts of up to {longest} bytes across an edge, between {opening:?} and {closing:?}");
        assert_eq!(count, (1..=longest as u32).map(|len| ALPHABET.len().pow(len)).sum::<usize>());
    }
}

/// The offset at which `inside`, at `at` in the text, is no longer UTF-8, by the standard library.
fn fault_of_utf8(inside: &[u8], at: usize) -> Option<usize> {
    let error = core::str::from_utf8(inside).err()?;
    let lead = inside[error.valid_up_to()];
    Some(match error.error_len() {
        // the quotation mark is too early
        None => at + inside.len(),
        // a byte that cannot follow its lead byte, or an invalid lead byte
        Some(len) => at + error.valid_up_to() + if (0xC2..=0xF4).contains(&lead) { len } else { 0 },
    })
}

/// Checks `inside` in a string: short, and behind more bytes than a window has.
fn check_utf8(inside: &[u8], texts: &mut [Vec<u8>; 2]) {
    for (text, before) in texts.iter_mut().zip([2, 80]) {
        text.truncate(before);
        text.extend_from_slice(inside);
        text.extend_from_slice(b"\"]");
        let verdict = RawValue::parse(text);
        // other bytes mean something else in a string
        if holds(inside, b"\"\\") || inside.iter().any(|byte| *byte < b' ') {
            assert_eq!(verdict.is_ok(), is_json(text), "{verdict:?}: {}", show(text));
            continue;
        }
        match (verdict, fault_of_utf8(inside, before)) {
            (Ok(_), None) => {}
            (Err(error), Some(at)) => {
                assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidUtf8, at), "{}", show(text));
            }
            (verdict, at) => panic!("{verdict:?}, not at {at:?}: {}", show(text)),
        }
    }
}

fn texts_of_utf8() -> [Vec<u8>; 2] {
    [b"[\"".to_vec(), [b"[\"".as_slice(), &[b'a'; 78]].concat()]
}

/// Bytes on both sides of every border that a byte behind a lead has.
const BORDERS: [u8; 16] =
    [0x00, 0x1F, b'"', b'A', b'\\', 0x7F, 0x80, 0x81, 0x8F, 0x90, 0x9F, 0xA0, 0xBE, 0xBF, 0xC0, 0xFF];

#[test]
fn every_sequence_of_two_and_three_bytes_in_a_string_gets_the_verdict_of_the_standard_library() {
    let thirds: Vec<u8> = if is_full() { (0..=u8::MAX).collect() } else { BORDERS.to_vec() };
    let count = on_all_processors(256, |first| {
        let mut texts = texts_of_utf8();
        for second in 0..=u8::MAX {
            check_utf8(&[first as u8, second], &mut texts);
            thirds.iter().for_each(|third| check_utf8(&[first as u8, second, *third], &mut texts));
        }
        256 * (1 + thirds.len())
    });
    println!("{count} sequences");
    assert_eq!(count, 65_536 * (1 + thirds.len()));
}

#[test]
fn every_class_of_four_bytes_in_a_string_gets_the_verdict_of_the_standard_library() {
    let leads: Vec<u8> = (0xEC..=u8::MAX).chain([0x41, 0x80, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1]).collect();
    let seconds: Vec<u8> = if is_full() { (0..=u8::MAX).collect() } else { BORDERS.to_vec() };
    let count = on_all_processors(leads.len(), |part| {
        let mut texts = texts_of_utf8();
        for second in &seconds {
            for third in &seconds {
                BORDERS.iter().for_each(|fourth| check_utf8(&[leads[part], *second, *third, *fourth], &mut texts));
            }
        }
        seconds.len() * seconds.len() * BORDERS.len()
    });
    println!("{count} sequences");
    assert_eq!(count, leads.len() * seconds.len().pow(2) * BORDERS.len());
}

/// `units` as escapes, in lower or upper case.
fn escaped(units: &[u16], is_upper: bool) -> Vec<u8> {
    let spell = |unit: &u16| if is_upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
    format!("\"{}\"", units.iter().map(spell).collect::<String>()).into_bytes()
}

/// The text that `units` make, or the digit with which they can no longer make one.
fn check_units(units: &[u16]) {
    let is_high = |unit: u16| (0xD800..0xDC00).contains(&unit);
    let is_low = |unit: u16| (0xDC00..0xE000).contains(&unit);
    let expected = String::from_utf16(units);
    for is_upper in [false, true] {
        let text = escaped(units, is_upper);
        let error = match (RawValue::parse(&text), &expected) {
            (Ok(value), Ok(expected)) => {
                let read = value.as_str_raw().unwrap();
                assert!(read == **expected && read.to_string() == *expected, "{}", show(&text));
                continue;
            }
            (Err(error), Err(_)) => error,
            (verdict, _) => panic!("{verdict:?}, not {expected:?}: {}", show(&text)),
        };
        // the first unit that is half a pair, and not made whole by the next one
        let mut at = 0;
        let lone = loop {
            match (units[at], units.get(at + 1)) {
                (high, Some(low)) if is_high(high) && is_low(*low) => at += 2,
                (unit, _) if is_high(unit) || is_low(unit) => break at,
                _ => at += 1,
            }
        };
        let start = 1 + 6 * lone;
        let offset = match units.get(lone + 1) {
            // by its second digit a low surrogate
            _ if is_low(units[lone]) => start + 3,
            // a quotation mark in place of the low surrogate
            None => start + 6,
            // by its first or second digit not a low surrogate
            Some(next) => start + 8 + usize::from(next >> 12 == 0xD),
        };
        assert_eq!((error.kind(), error.offset()), (ErrorKind::LoneSurrogate, offset), "{}", show(&text));
    }
}

#[test]
fn every_unit_and_every_class_of_pairs_in_escapes_gets_the_verdict_of_the_standard_library() {
    let edges = [0, 0x22, 0x41, 0x7FF, 0xD7FF, 0xD800, 0xD801, 0xDBFF, 0xDC00, 0xDC01, 0xDFFF, 0xE000, 0xFFFF];
    let count = on_all_processors(256, |part| {
        let mut count = 0;
        for unit in (part as u16) << 8..=(part as u16) << 8 | 0xFF {
            check_units(&[unit]);
            count += 1;
            if is_full() || BORDERS.contains(&(unit as u8)) {
                for edge in edges {
                    check_units(&[unit, edge]);
                    check_units(&[edge, unit]);
                }
                count += 2 * edges.len();
            }
        }
        count
    });
    assert!(count >= 65_536 + 2 * 256 * BORDERS.len() * edges.len());
    for first in edges {
        for second in edges {
            edges.iter().for_each(|third| check_units(&[first, second, *third]));
        }
    }
    println!("{} escapes", count + edges.len().pow(3));
}

#[test]
fn every_byte_in_every_place_of_a_pair_of_escapes_gets_the_verdict_of_serde_json() {
    for pair in [r#"["\ud83d\ude00"]"#, r#"["\uDBFF\uDFFF"]"#, r#"["\u0041\u00e9"]"#] {
        for at in 0..pair.len() {
            for byte in 0..=u8::MAX {
                let mut text = pair.as_bytes().to_vec();
                text[at] = byte;
                let verdict = RawValue::parse(&text);
                assert_eq!(verdict.is_ok(), is_json(&text), "{verdict:?}: {}", show(&text));
            }
        }
    }
}
