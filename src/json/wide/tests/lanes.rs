//! What is told of many bytes at once, for every byte in every lane.

use super::super::planes::Planes;
use super::super::{block, numbers, plain_str, space, string, word};
use super::std::format;
use super::{BYTES, PLACES, TEXTS};
use crate::json::RawStr;

#[test]
fn every_byte_is_told_in_every_lane() {
    for other in [b'a', b'0', b'9', b'"', 0x7F, 0x80, 0xFF].into_iter().step_by(TEXTS) {
        for byte in (0..=u8::MAX).step_by(BYTES) {
            for lane in 0..16 {
                let mut text = [other; 16];
                text[lane] = byte;
                let plain = |is: &dyn Fn(u8) -> bool| text.iter().position(|byte| is(*byte));
                let lowest = |mask: u32| (mask != 0).then(|| mask.trailing_zeros() as usize);
                let bytes = block::sixteen(&text, 0).unwrap_or_default();
                assert_eq!(
                    lowest(string::special(bytes)),
                    plain(&|byte| !(0x20..0x80).contains(&byte) || byte == b'"' || byte == b'\\'),
                    "{byte:#x} in lane {lane} of {other:#x}"
                );
                assert_eq!(lowest(!block::bits(block::digit(bytes)) & 0xFFFF), plain(&|byte| !byte.is_ascii_digit()));
                assert_eq!(word::is_plain(&text), plain(&|byte| byte >= 0x80 || byte == b'\\').is_none());
                for len in 0..16 {
                    let front = &text[..len];
                    assert_eq!(word::is_plain(front), front.iter().all(|byte| *byte < 0x80 && *byte != b'\\'));
                }
                assert_eq!(word::has_backslash(&text), text.contains(&b'\\'));
                let all_digits = word::eight(&text, 0);
                for (lane, byte) in text[..8].iter().enumerate() {
                    assert_eq!(word::not_digit(all_digits) >> (lane * 8) & 0xFF == 0, byte.is_ascii_digit());
                }
                let quote = word::bytes_below(word::quote_or_backslash(all_digits));
                assert_eq!(
                    (quote < 8).then_some(quote),
                    plain(&|byte| byte == b'"' || byte == b'\\').filter(|at| *at < 8)
                );
                let spaces = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
                assert_eq!(space::lines(&text), plain(&|byte| !spaces(byte)).unwrap_or(16));
            }
        }
    }
}

/// What a kind of byte is called, how a block tells it, and how one does.
type ByteKind = (&'static str, fn(Planes) -> u64, fn(u8) -> bool);

#[test]
fn every_byte_is_told_by_its_bits_in_every_lane() {
    let kinds: [ByteKind; 18] = [
        ("quote", Planes::quote, |byte| byte == b'"'),
        ("blank", Planes::blank, |byte| byte == b' '),
        ("comma", Planes::comma, |byte| byte == b','),
        ("colon", Planes::colon, |byte| byte == b':'),
        ("minus", Planes::minus, |byte| byte == b'-'),
        ("plus", Planes::plus, |byte| byte == b'+'),
        ("point", Planes::point, |byte| byte == b'.'),
        ("digit", Planes::digit, |byte| byte.is_ascii_digit()),
        ("zero", Planes::zero, |byte| byte == b'0'),
        ("opening", Planes::opening, |byte| byte == b'[' || byte == b'{'),
        ("closing", Planes::closing, |byte| byte == b']' || byte == b'}'),
        ("brace", |planes| planes.brace() & (planes.opening() | planes.closing()), |byte| byte == b'{' || byte == b'}'),
        ("backslash", Planes::backslash, |byte| byte == b'\\'),
        ("letter", Planes::letter, |byte| (0x60..0x80).contains(&byte)),
        ("e", Planes::e, |byte| byte == b'e' || byte == b'E'),
        ("n", Planes::n, |byte| byte == b'n'),
        ("control or not ASCII", Planes::control_or_not_ascii, |byte| !(0x20..0x80).contains(&byte)),
        ("line break or tab", Planes::line_break_or_tab, |byte| matches!(byte, b'\n' | b'\r' | b'\t')),
    ];
    for byte in (0..=u8::MAX).step_by(BYTES) {
        for lane in (0..block::LEN).step_by(if cfg!(miri) { 21 } else { 1 }) {
            // its neighbours differ from it in one bit each
            let mut text = [byte; block::LEN];
            for (at, other) in text.iter_mut().enumerate().filter(|(at, _)| *at != lane) {
                *other ^= 1 << (at & 7);
            }
            for (kind, told, plain) in kinds {
                let expected = text.iter().rev().fold(0, |mask, byte| mask << 1 | u64::from(plain(*byte)));
                assert_eq!(told(Planes::of(&text)), expected, "{kind}, {byte:#x} in lane {lane}");
            }
        }
    }
}

#[test]
fn every_byte_of_a_literal_is_judged_in_every_lane() {
    for literal in ["null", "true", "false"] {
        for lane in (0..=block::LEN - literal.len()).step_by(PLACES) {
            let mut text = [b','; block::LEN];
            // another one stands near, where there is room
            let other = if lane < 20 { 40 } else { 0 };
            text[other..other + 4].copy_from_slice(b"true");
            text[lane..lane + literal.len()].copy_from_slice(literal.as_bytes());
            let start = (1 << lane) | (1 << other);
            let bytes = (((1 << literal.len()) - 1) << lane) | (0xF << other);
            for at in lane..lane + literal.len() {
                let right = text[at];
                for byte in (0..=u8::MAX).step_by(BYTES) {
                    text[at] = byte;
                    let expected = if byte == right { Some(bytes) } else { None };
                    assert_eq!(Planes::of(&text).literals(start), expected, "{}", text.escape_ascii());
                }
                text[at] = right;
            }
        }
    }
}

#[test]
fn plain_text_is_borrowed_the_quick_way() {
    for (text, plain) in
        [("", true), ("a", true), ("sixteen bytes ok", true), ("é", false), ("sixteen byte\\n ok", false)]
    {
        assert_eq!(plain_str(text.as_bytes()), plain.then_some(text), "{text}");
        assert_eq!(RawStr::trusted(text.as_bytes()).as_plain_str(), plain.then_some(text), "{text}");
    }
}

#[test]
fn blocks_of_numbers_are_skipped_whole() {
    for number in
        ["1", "22", "0", "-3", "4.5", "-0.25", "6e7", "8E+9", "1.5e-10", "123456789012345"].into_iter().step_by(TEXTS)
    {
        let text = format!("{number},").repeat(200);
        let (len, each) = (numbers::skip(text.as_bytes()), number.len() + 1);
        // as many as whole blocks hold, so that less than a block is left
        assert!(len % each == 0 && len > text.len() - block::LEN, "{len} of {}: {number}", text.len());
        for other in
            ["x", "\"", " 1", "01", "-", "1.", "1e", ".5", "1.2.3", "1e2e3", "+1", "--1", "1-", "[", "", "1e+-2"]
        {
            let wrong = format!("{}{other},{}", format!("{number},").repeat(100), format!("{number},").repeat(100));
            assert!(numbers::skip(wrong.as_bytes()) <= 100 * each, "{other} behind {number}");
        }
    }
}
