//! Escapes whose digits and halves stand in different blocks.

use super::super::block;
use super::super::escapes::{Escapes, are_few, is_one_letter};
use super::std::format;
use super::std::string::String;
use super::std::vec::Vec;
use super::{PLACES, assert_twins_agree};

#[test]
fn all_four_digits_of_an_escape_are_judged_wherever_a_block_ends() {
    let digits = "0789abcdefgABCDEF";
    let pairs = digits.chars().flat_map(|one| digits.chars().map(move |other| format!("{one}{other}")));
    let texts: Vec<_> = pairs.step_by(if cfg!(miri) { 61 } else { 1 }).collect();
    for (nth, upper) in texts.iter().enumerate() {
        // whatever follows two digits, and whatever stands before them
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
                let blanks = (nth * 5 + place) % block::LEN;
                assert_twins_agree(format!("\"{}{string}\"", "x".repeat(blanks)).as_bytes());
                assert_twins_agree(format!("[\"{}{string}\",\"{string}\"]", "x".repeat(blanks)).as_bytes());
            }
        }
    }
}

#[test]
fn half_a_pair_at_the_end_of_a_string_is_refused_wherever_a_block_ends() {
    for blanks in (0..3 * block::LEN).step_by(PLACES) {
        let front = "x".repeat(blanks);
        for escapes in [
            "\\uD8ab",
            "\\uDC00",
            "\\uD83D\\uDE00\\ud83d",
            "\\n\\t\\r\\uDBff",
            "\\ud83d\\ude00",
            // a half, but for a digit that is none
            "\\ud:00",
            "\\udz00",
        ] {
            // behind so many other escapes that blocks are made
            assert_twins_agree(format!("\"\\t\\t\\t{front}{escapes}\"").as_bytes());
            assert_twins_agree(format!("[\"{front}{escapes}\"]").as_bytes());
            assert_twins_agree(format!("[\"{front}{escapes}\",\"{escapes}\",1]").as_bytes());
            assert_twins_agree(format!("[\"{front}{escapes}").as_bytes());
        }
    }
}

/// Which bytes of the block at `at` are escaped, but %x22 / %x5C / %x6E.
fn escaped(text: &str, at: usize) -> u64 {
    let mut bits = 0;
    let mut rest = text.bytes().enumerate();
    while rest.by_ref().any(|(_, byte)| byte == b'\\') {
        match rest.next() {
            Some((_, b'"' | b'\\' | b'n')) | None => {}
            Some((place, _)) => bits |= u64::from((at..at + block::LEN).contains(&place)) << (place % block::LEN),
        }
    }
    bits
}

#[test]
fn a_letter_alone_is_told_at_a_look() {
    for byte in 0..=u8::MAX {
        let text = [byte; block::LEN];
        for lane in [0, 1, 62, 63] {
            assert_eq!(is_one_letter(&text, 0, 1 << lane), b"/bfrt".contains(&byte), "{byte}");
        }
        assert!(!is_one_letter(&text, 0, 0b11));
        assert!(!is_one_letter(&text, 0, 1 << 63 | 1));
    }
}

#[test]
fn two_escapes_are_told_one_by_one() {
    for text in
        [r"\/", r"\b\f", r"\r\t", r"\u00e9", r"\uD7ff\r", r"\u0915\t", r"\u00d8\u00D9", r"\u8888", r"\n\t\n\t\n"]
    {
        assert!(are_few(text.as_bytes(), 0, escaped(text, 0)), "{text}");
    }
    // the halves of pairs, more than two, and what is no escape
    for text in [
        r"\ud83d\ude00",
        r"\uD800",
        r"\uDfff",
        r"\t\t\t",
        r"\u0041\u0042\u0043",
        r"\x",
        r"\t\x",
        r"\x\t",
        r"\u00g0",
        r"\t\u00e",
        r"\u",
    ] {
        assert!(!are_few(text.as_bytes(), 0, escaped(text, 0)), "{text}");
    }
}

#[test]
fn escapes_are_unfinished_until_the_next_block_has_been_seen() {
    for place in 8..block::LEN {
        let behind = "x".repeat(block::LEN);
        for (escape, first) in [(r"\u00e9", 60), (r"\ud83d\uDE00", 54)] {
            // behind more of them than are told one by one, and with its `u` at `place`
            let text: String = [r"\t\t\t", &"x".repeat(place - 7), escape, &behind].concat();
            let (at, mut escapes) = (block::LEN, Escapes::default());
            assert!(escapes.judge(text.as_bytes(), 0, escaped(&text, 0), u64::MAX).is_some());
            assert_eq!(escapes.are_unfinished(), place >= first, "{place}");
            assert!(escapes.judge(text.as_bytes(), at, escaped(&text, at), u64::MAX).is_some());
            assert!(!escapes.are_unfinished(), "{place}");
        }
    }
}
