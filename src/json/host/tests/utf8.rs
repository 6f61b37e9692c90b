//! Non-ASCII characters and escapes in strings, at every position of the end of a block.

use super::super::lex::{LEN, Short, rest, string};
use super::std::{format, string::String, vec::Vec};
use super::{BYTES, PLACES, Random, assert_twins_agree};

/// Whether `text` is valid in a string. The escapes before it make the lexer read in blocks.
fn is_valid(text: &[u8]) -> bool {
    let quoted = [b"\"\\t\\t\\t\\t\\t", text, b"\""].concat();
    string(&quoted, &mut Short, 1) == Ok(quoted.len() - 1)
}

/// The verdict of the standard library.
fn is_plainly_valid(text: &[u8]) -> bool {
    core::str::from_utf8(text).is_ok() && text.iter().all(|byte| *byte >= 0x20)
}

#[test]
fn every_two_bytes_are_checked_wherever_a_block_or_vector_ends() {
    for first in (0x20..=u8::MAX).filter(|byte| !b"\"\\".contains(byte)).step_by(BYTES) {
        for second in (0x20..=u8::MAX).filter(|byte| !b"\"\\".contains(byte)).step_by(BYTES) {
            for lane in [0, 2, 3, 14, 15, 16, 30, 47, 61, 62, 63, 64, 94, 126].into_iter().step_by(PLACES) {
                for tail in [&b""[..], b"\x80", b"\x80\x80", b"\x80\x80\x80"] {
                    let mut text = [b'x'; 3 * LEN];
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

#[test]
fn the_first_character_beyond_ascii_is_checked_alike() {
    const KINDS: [u8; 9] = [0x1F, b'x', 0x7F, 0x80, 0x8F, 0x9F, 0xBF, 0xC2, 0xFF];
    for first in (0x80..=u8::MAX).step_by(BYTES) {
        for second in (0x20..=u8::MAX).filter(|byte| !b"\"\\".contains(byte)).step_by(BYTES) {
            for (third, fourth) in KINDS.into_iter().flat_map(|third| KINDS.map(|fourth| (third, fourth))) {
                let text = [b'"', first, second, third, fourth, b'x', b'"'];
                let is_plainly_valid = is_plainly_valid(&text[1..6]);
                assert_eq!(string(&text, &mut Short, 1).is_ok(), is_plainly_valid, "{}", text.escape_ascii());
            }
        }
    }
}

/// The characters on both sides of each border in RFC 3629 §4.
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
fn any_byte_among_characters_of_all_lengths_is_checked() {
    let mut random = Random(29);
    for round in (0..400).step_by(if cfg!(miri) { 80 } else { 1 }) {
        // a third of the texts have some ASCII
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
        }
    }
}

#[test]
fn a_refused_string_ends_before_a_whole_character() {
    for character in CHARACTERS {
        for shift in (0..LEN).step_by(PLACES) {
            let front = format!("{}{}", "x".repeat(shift), format!("{character}").repeat(80));
            for wrong in [&b"\x1F"[..], b"\xFF", b"\\x", b"\x80"] {
                let text = [front.as_bytes(), wrong, b"xxx\""].concat();
                let Err(valid) = rest(&text, &mut Short, shift) else { panic!("{front}") };
                assert!(valid <= front.len() && front.is_char_boundary(valid), "{valid} of {front}");
                assert!(front.len() - valid < LEN + 4, "{valid} of {front}");
            }
        }
    }
}

#[test]
fn every_byte_among_characters_is_checked_alike() {
    for byte in (0..=u8::MAX).step_by(BYTES) {
        for front in ["", "é", "日", "😀", "all of it is ASCII "] {
            for lane in (0..2 * LEN).step_by(PLACES) {
                // whole characters and a few plain ones
                let mut text = format!("\"{}\"", format!("{front}a ").repeat(300 / (front.len() + 2))).into_bytes();
                text[1 + lane] = byte;
                assert_twins_agree(&text);
            }
        }
    }
}

#[test]
fn a_character_that_ends_too_soon_is_refused_wherever_a_block_ends() {
    for len in (0..5 * LEN).step_by(PLACES) {
        for begun in [&b"\xC3"[..], b"\xE6\x97", b"\xF0\x9F\x98"] {
            for (front, end) in [("\"\\té", "x\""), ("[\"é", "x\"]"), ("{\"a\":\"é", "x\"}")] {
                let text = [front.as_bytes(), &b"x".repeat(len), begun, end.as_bytes()].concat();
                assert_twins_agree(&text);
            }
        }
    }
}

#[test]
fn all_four_digits_of_an_escape_are_checked_wherever_a_block_ends() {
    let digits = "0789abcdefgABCDEF";
    let pairs = digits.chars().flat_map(|one| digits.chars().map(move |other| format!("{one}{other}")));
    let texts: Vec<_> = pairs.step_by(if cfg!(miri) { 61 } else { 1 }).collect();
    for (nth, upper) in texts.iter().enumerate() {
        // an arbitrary text after two digits, and an arbitrary text before them
        let lower = texts[(nth * 7 + 3) % texts.len()].as_str();
        for other in ["0d", "d8", "DB", "dc", "Df", "e0"] {
            let strings = [
                format!("\\u{upper}{lower}"),
                format!("\\u{lower}{upper}"),
                format!("\\u{upper}{lower}\\u{other}00"),
                format!("\\u{other}ff\\u{upper}{lower}"),
                format!("\\uD800\\udc00\\u{other}aF\\u{upper}{lower}\\n"),
            ];
            for (place, string) in strings.iter().enumerate() {
                let blanks = (nth * 5 + place) % LEN;
                assert_twins_agree(format!("\"{}{string}\"", "x".repeat(blanks)).as_bytes());
                assert_twins_agree(format!("[\"{}{string}\",\"{string}\"]", "x".repeat(blanks)).as_bytes());
            }
        }
    }
}

#[test]
fn half_a_pair_at_the_end_of_a_string_is_refused_wherever_a_block_ends() {
    for blanks in (0..3 * LEN).step_by(PLACES) {
        let front = "x".repeat(blanks);
        for escapes in [
            "\\uD8ab",
            "\\uDC00",
            "\\uD83D\\uDE00\\ud83d",
            "\\n\\t\\r\\uDBff",
            "\\ud83d\\ude00",
            // half of a surrogate pair with an invalid digit
            "\\ud:00",
            "\\udz00",
        ] {
            // after enough other escapes that blocks are used
            assert_twins_agree(format!("\"\\t\\t\\t{front}{escapes}\"").as_bytes());
            assert_twins_agree(format!("[\"{front}{escapes}\"]").as_bytes());
            assert_twins_agree(format!("[\"{front}{escapes}\",\"{escapes}\",1]").as_bytes());
            assert_twins_agree(format!("[\"{front}{escapes}").as_bytes());
        }
    }
}
