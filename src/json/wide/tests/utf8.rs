//! UTF-8 by blocks, against the standard library.

use super::super::{block, utf8};
use super::std::{format, string::String, vec::Vec};
use super::{BYTES, PLACES, Random, assert_twins_agree};

/// Whether blocks find `text` valid, all of which is inside a string.
fn is_valid(text: &[u8]) -> bool {
    let mut goes_on = 0;
    for (at, part) in text.chunks(block::LEN).enumerate() {
        let low = part.iter().rev().fold(0, |low, byte| low << 1 | u64::from(!(0x20..0x80).contains(byte)));
        if low | goes_on != 0 {
            match utf8::characters(text, at * block::LEN, low, u64::MAX) {
                Some(beyond) => goes_on = beyond,
                None => return false,
            }
        }
    }
    true
}

/// The same by the standard library.
fn is_plainly_valid(text: &[u8]) -> bool {
    core::str::from_utf8(text).is_ok() && text.iter().all(|byte| *byte >= 0x20)
}

/// Where the blocks from `at` on end that are beyond ASCII and valid, by the standard library.
fn plainly_beyond_ascii(text: &[u8], mut at: usize) -> usize {
    // what is needed of the text behind a block is not asked for
    while let Some(block) = text.get(at..at + block::LEN) {
        let is_valid =
            core::str::from_utf8(&text[..at + block::LEN]).map_or_else(|e| e.error_len().is_none(), |_| true);
        if block.is_ascii() || block.iter().any(u8::is_ascii) || !is_valid {
            break;
        }
        at += block::LEN;
    }
    at
}

#[test]
fn every_two_bytes_are_judged_wherever_a_block_or_vector_ends() {
    for first in (0x20..=u8::MAX).step_by(BYTES) {
        for second in (0x20..=u8::MAX).step_by(BYTES) {
            for lane in [0, 2, 3, 14, 15, 16, 30, 47, 61, 62, 63, 64, 94, 126].into_iter().step_by(PLACES) {
                for tail in [&b""[..], b"\x80", b"\x80\x80", b"\x80\x80\x80"] {
                    let mut text = [b'x'; 3 * block::LEN];
                    text[lane..lane + 2].copy_from_slice(&[first, second]);
                    text[lane + 2..][..tail.len()].copy_from_slice(tail);
                    assert_eq!(
                        is_valid(&text),
                        is_plainly_valid(&text),
                        "{first:#x}, {second:#x}, {tail:x?} at {lane}"
                    );
                }
            }
        }
    }
}

/// Those on both sides of each border of RFC 3629 §4.
const CHARACTERS: [char; 18] = [
    '\u{80}',
    'é',
    '\u{7FF}',
    '\u{800}',
    '\u{FFF}',
    '\u{1000}',
    '日',
    '\u{CFFF}',
    '\u{D000}',
    '\u{D7FF}',
    '\u{E000}',
    '\u{FFFF}',
    '\u{10000}',
    '😀',
    '\u{3FFFF}',
    '\u{40000}',
    '\u{FFFFF}',
    '\u{10FFFF}',
];

#[test]
fn any_byte_among_characters_of_all_lengths_is_judged() {
    let mut random = Random(29);
    for round in (0..400).step_by(if cfg!(miri) { 80 } else { 1 }) {
        // a third of the texts have ASCII in them
        let text: Vec<u8> = (0..100)
            .map(|_| match random.below(if round % 3 == 0 { 30 } else { CHARACTERS.len() }) {
                at if at < CHARACTERS.len() => format!("{}", CHARACTERS[at]),
                _ => "x".into(),
            })
            .collect::<String>()
            .into_bytes();
        assert!(is_valid(&text));
        for _ in 0..if cfg!(miri) { 20 } else { 200 } {
            let mut text = text.clone();
            for _ in 0..=random.below(2) {
                let at = random.below(text.len());
                text[at] = match random.below(3) {
                    0 => [0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF][random.below(10)],
                    1 => [0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF][random.below(12)],
                    _ => text[random.below(text.len())],
                };
            }
            assert_eq!(is_valid(&text), is_plainly_valid(&text), "{}", text.escape_ascii());
            let Some(at) = (3..text.len()).find(|at| {
                let before = &text[..*at];
                text[at - 1] >= 0x80 && core::str::from_utf8(before).map_or_else(|e| e.error_len().is_none(), |_| true)
            }) else {
                continue;
            };
            assert_eq!(
                utf8::beyond_ascii(&text, at),
                plainly_beyond_ascii(&text, at),
                "{at} of {}",
                text.escape_ascii()
            );
        }
    }
}

#[test]
fn every_byte_among_characters_is_judged_alike() {
    for byte in (0..=u8::MAX).step_by(BYTES) {
        for front in ["", "é", "日", "😀", "all of it is ASCII "] {
            for lane in (0..2 * block::LEN).step_by(PLACES) {
                // whole characters and some plain ones
                let mut text = format!("\"{}\"", format!("{front}a ").repeat(300 / (front.len() + 2))).into_bytes();
                text[1 + lane] = byte;
                assert_twins_agree(&text);
            }
        }
    }
}

#[test]
fn bytes_behind_a_string_do_not_make_it_wrong() {
    for len in (0..block::LEN).step_by(PLACES) {
        let (mut text, inside) = ([0xFF; 2 * block::LEN], (1 << len) - 1);
        text[..len].fill(b'x');
        text[len.saturating_sub(2)..len].copy_from_slice(if len < 2 {
            &"x".as_bytes()[..len]
        } else {
            "é".as_bytes()
        });
        let low = if len < 2 { 0 } else { 3 << (len - 2) };
        assert_eq!(utf8::characters(&text, 0, low, inside), Some(0), "{len}");
    }
}

#[test]
fn a_character_is_found_by_any_of_its_bytes() {
    for character in CHARACTERS {
        let text = format!("xxx{character}xxx");
        let bytes = text.as_bytes();
        for at in 3..bytes.len() {
            let begins = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
            assert_eq!(utf8::character_near(bytes, at), begins, "{text}, {at}");
        }
    }
}

#[test]
fn a_character_that_ends_too_soon_is_seen_wherever_a_block_ends() {
    for len in (0..5 * block::LEN).step_by(PLACES) {
        for begun in [&b"\xC3"[..], b"\xE6\x97", b"\xF0\x9F\x98"] {
            for (front, end) in [("\"\\té", "x\""), ("[\"é", "x\"]"), ("{\"a\":\"é", "x\"}")] {
                let text = [front.as_bytes(), &b"x".repeat(len), begun, end.as_bytes()].concat();
                assert_twins_agree(&text);
            }
        }
    }
}
