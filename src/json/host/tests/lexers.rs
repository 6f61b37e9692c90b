//! Finds the ends of tokens, for every byte in every lane.

use super::super::lex::{LEN, Lex, Short, Window, number, numbers, space};
use super::super::word;
use super::std::{format, string::String, vec::Vec};
use super::{BYTES, NONE_OPEN, PLACES, Random, TEXTS, assert_twins_agree, read};
use crate::json::lex::table;

#[test]
fn every_byte_is_classified_in_every_lane() {
    for other in [b'a', b'0', b'9', b'"', 0x7F, 0x80, 0xFF].into_iter().step_by(TEXTS) {
        for byte in (0..=u8::MAX).step_by(BYTES) {
            for lane in 0..16 {
                let mut text = [other; 16];
                text[lane] = byte;
                let plain = |is: &dyn Fn(u8) -> bool| text.iter().position(|byte| is(*byte));
                let word = word::eight(&text, 0);
                let others = word::not_digit(word);
                assert_eq!(
                    word::bytes_below(others),
                    text[..8].iter().take_while(|byte| byte.is_ascii_digit()).count()
                );
                for (lane, byte) in text[..8].iter().enumerate().take_while(|(_, byte)| byte.is_ascii()) {
                    assert_eq!(others >> (lane * 8) & 0xFF == 0, byte.is_ascii_digit());
                }
                let quote = word::bytes_below(word::quote_or_backslash(word));
                assert_eq!(
                    (quote < 8).then_some(quote),
                    plain(&|byte| byte == b'"' || byte == b'\\').filter(|at| *at < 8)
                );
                for len in 0..=16 {
                    let has = text[..len].contains(&b'\\');
                    assert_eq!(word::has_backslash(&text[..len]), has);
                    assert_eq!(word::ascii_str(&text[..len]).is_some(), text[..len].is_ascii());
                }
            }
        }
    }
}

/// The offset of the first special byte from `at` on, byte by byte.
fn special(text: &[u8], at: usize) -> usize {
    let is_special = |byte: &u8| !(0x20..0x80).contains(byte) || *byte == b'"' || *byte == b'\\';
    text[at..].iter().position(is_special).map_or(text.len(), |found| at + found)
}

/// The end of the white space at `at`, byte by byte.
fn white_space(text: &[u8], at: usize) -> usize {
    let other = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    text[at..].iter().position(other).map_or(text.len(), |found| at + found)
}

#[test]
fn special_bytes_and_white_space_end_alike_in_texts_of_any_length() {
    for len in (0..3 * LEN).step_by(PLACES) {
        for byte in (0..=u8::MAX).step_by(BYTES) {
            // each text has one such byte, in a different lane
            let lane = (usize::from(byte) * 7 + len * 3) % (len + 1);
            for filling in *b"x " {
                let mut text: Vec<u8> = [filling].repeat(len);
                if let Some(place) = text.get_mut(lane) {
                    *place = byte;
                }
                for at in [0, lane / 2, lane, len] {
                    let mut window = Window::new();
                    assert_eq!(Short.special(&text, at), special(&text, at), "{byte:#x} in {lane} of {len}");
                    assert_eq!(window.special(&text, at), special(&text, at), "{byte:#x} in {lane} of {len}");
                    let end = white_space(&text, at);
                    let expected = (end, text.get(end).copied().unwrap_or_default());
                    assert_eq!(space(&text, &mut Short, at), expected, "{byte:#x} in {lane} of {len}");
                    assert_eq!(space(&text, &mut window, at), expected, "{byte:#x} in {lane} of {len}");
                }
            }
        }
    }
}

#[test]
fn two_specials_at_any_distance_are_found_in_one_window() {
    for first in (0..2 * LEN).step_by(PLACES) {
        for second in (first + 1..first + 2 * LEN).step_by(PLACES) {
            let mut text = [b'x'; 5 * LEN];
            (text[first], text[second]) = (b'"', b'\\');
            let mut window = Window::new();
            assert_eq!(window.special(&text, 0), first);
            assert_eq!(window.special(&text, first), first);
            assert_eq!(window.special(&text, first + 1), second);
            assert_eq!(window.special(&text, second + 1), text.len());
        }
    }
}

#[test]
fn eight_bytes_are_read_alike_before_every_end() {
    let text: Vec<u8> = (1..=40).collect();
    for len in 0..=text.len() {
        for at in 0..=len {
            let text = &text[..len];
            assert_eq!(word::eight_of_many(text, at), word::eight(text, at), "{at} of {len}");
            assert_eq!(word::eight_before_end(text, at), word::eight(text, at), "{at} of {len}");
        }
    }
}

#[test]
fn numbers_end_alike() {
    const PIECES: [&str; 17] =
        ["0", "1", "9", "00", "12345678", "7777777", "-", "+", ".", "e", "E", " ", ",", "]", "x", "\u{e9}", ":"];
    let mut random = Random(5);
    let mut valid = 0;
    for _ in 0..if cfg!(miri) { 200 } else { 400_000 } {
        let text: String = (0..1 + random.below(7)).map(|_| PIECES[random.below(PIECES.len())]).collect();
        let Some(first) = text.bytes().next() else { continue };
        let Some(row) = table::number(first.into()) else { continue };
        let (end, result) = table::token(text.as_bytes(), 1, row);
        let expected = if table::is_error(result) { None } else { Some(end) };
        assert_eq!(number(text.as_bytes(), 0, first, false), expected, "{text}");
        assert_eq!(number(text.as_bytes(), 0, first, true), expected, "{text}");
        valid += usize::from(expected.is_some());
    }
    assert!(valid > 50);
}

#[test]
fn blocks_of_numbers_are_skipped_whole() {
    for number in [
        "1",
        "22",
        "0",
        "-3",
        "4.5",
        "-0.25",
        "6e7",
        "8E+9",
        "100",
        "-200",
        "3.005",
        "2e-05",
        "1.5e-10",
        "123456789012345",
        " 7",
        "\r\n\t8.5 ",
        "[ ]",
        "[ -9 ]",
    ]
    .into_iter()
    .step_by(TEXTS)
    {
        let text = format!("{number},").repeat(200);
        let open = NONE_OPEN << 1;
        let ((len, inside), each) = (numbers::skip(text.as_bytes(), 0, open), number.len() + 1);
        assert_eq!(inside, open);
        // whole blocks are skipped, so less than a block is left
        assert!(len % each == 0 && len > text.len() - LEN, "{len} of {}: {number}", text.len());
        for other in [
            "x", "\"", "01", "-", "1.", "1e", ".5", "1.2.3", "1e2e3", "+1", "--1", "1-", "]", "}", "{", "", "1e+-2",
            "1 2", "- 1", "1 .5", "1. 5", "1 e5", "1e 5", "1e5 -", " ", "[1] 2", "[] []", "1 [", " 01", "\u{b}1",
        ] {
            let wrong = format!("{}{other},{}", format!("{number},").repeat(100), format!("{number},").repeat(100));
            let (len, _) = numbers::skip(wrong.as_bytes(), 0, open);
            assert!(len <= 100 * each, "{other} behind {number}");
        }
    }
}

#[test]
fn brackets_among_numbers_are_counted_in_every_lane() {
    for piece in ["1]", "[1", "[]", "[1]", "1],[1", "1]]", "[[1", "1],[[1", "1]],[1", "[1],[]"] {
        for lane in (0..2 * LEN).step_by(PLACES) {
            let front = " ".repeat(lane % 2) + &"1,".repeat(lane / 2);
            let text = format!("{front}{piece},{}", "1,".repeat(LEN));
            let around = NONE_OPEN << 4;
            let (len, open) = numbers::skip(text.as_bytes(), 0, around);
            let expected = text.bytes().take(len).fold(around, |open, byte| match byte {
                b'[' => open << 1,
                b']' => open >> 1,
                _ => open,
            });
            assert_eq!(open, expected, "{piece} in lane {lane}");
            assert!(len > text.len() - LEN, "{len} of {}: {piece} in lane {lane}", text.len());
        }
    }
}

#[test]
fn arrays_of_numbers_and_white_space_are_read_alike() {
    const VALUES: [&str; 12] =
        ["0", "1", "-22", "333.25", "-0.5", "4e5", "1E-7", "12345678901", "[]", "[ ]", "[1,2]", "[[-3], 4e0 ]"];
    const SPACES: [&str; 6] = ["", "", "", " ", "\n    ", "\t\r\n"];
    let mut random = Random(11);
    for _ in 0..if cfg!(miri) { 20 } else { 20_000 } {
        let has_spaces = random.below(3);
        let text: String = (0..20 + random.below(60))
            .map(|_| {
                let value = VALUES[random.below(VALUES.len())];
                let mut space = || if has_spaces == 0 { "" } else { SPACES[random.below(SPACES.len())] };
                format!("{}{value}{},", space(), space())
            })
            .collect();
        let mut text = format!("{{\"params\":[{text}0]}}").into_bytes();
        assert!(read(&text).0, "{}", text.escape_ascii());
        let at = 11 + random.below(text.len() - 13);
        text[at] = b"0123456789.,-+eE[] \t\n{}\"x\x0B"[random.below(26)];
        assert_twins_agree(&text);
    }
}
