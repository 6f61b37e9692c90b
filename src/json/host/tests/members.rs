//! Unknown and repeated members, and escaped names.

use super::std::format;
use super::std::string::String;
use super::std::vec::Vec;
use super::{
    BYTES, Captured, Known, Members, PLACES, Position, SLOTS, TEXTS, assert_twins_agree, assert_walks_agree, read,
    read_bytes, sample_messages,
};

/// The bits of each value that was captured under a name tell whether it is a plain string, a number or a container. The
/// byte-wise pass leaves these bits out.
pub(super) fn assert_kinds_are_marked(captured: &Captured, text: &[u8], is_byte_wise: bool) {
    // a repeated value was replaced, but not its bits
    for slot in (0..SLOTS).filter(|slot| slot & 7 != Position::OTHER.slot() && !captured.has(Captured::REPEAT)) {
        let value = captured.get(slot);
        let is_plain = value.starts_with(b"\"") && value.is_ascii() && !value.contains(&b'\\');
        // both bits mark the value of the beginning
        let front = text.trim_ascii_start();
        let begins = slot == Position::OTHER.member(b'j').slot()
            && (front.starts_with(&Members::BEGINNING) || front.starts_with(br#"{"jsonrpc": "2.0""#));
        let expected =
            [is_plain, begins || matches!(value, [b'-' | b'0'..=b'9', ..]), matches!(value, [b'{' | b'[', ..])];
        let marked = [captured.is_plain(slot), captured.is_number(slot), captured.is_container(slot)];
        let expected = if is_byte_wise { [false; 3] } else { expected };
        assert_eq!(marked, expected, "plain, number, container: {}", text.escape_ascii());
    }
}

/// Spellings of names: exact, almost right, escaped, and wrong.
const SPELLINGS: [&str; 26] = [
    r#""id""#,
    r#""i\u0064""#,
    r#""\u0069\u0064""#,
    r#""error""#,
    r#""\u0065rror""#,
    r#""result""#,
    r#""res\u0075lt""#,
    r#""jsonrpc""#,
    r#""\u006a\u0073\u006F\u006E\u0072\u0070\u0063""#,
    r#""jsonrpc\u0022""#,
    r#""id\u0022""#,
    r#""id\u0000""#,
    r#""a""#,
    r#""""#,
    r#""exactly fifteen""#,
    r#""more than fifteen letters""#,
    r#""seven\u0041s""#,
    r#""\n""#,
    r#""é""#,
    r#""日本語\ud83d\ude00""#,
    r#""i\u006""#,
    r#""i\u00g4""#,
    r#""i\x0064""#,
    "\"i\td\"",
    r#""id"#,
    r#"id""#,
];

/// The text between a name and its value, the value, and the text after the value.
const BEHIND: [[&str; 3]; 12] = [
    [":", "1", ","],
    [": ", "\"x\"", ","],
    [" :  ", "null", " , "],
    [":\n", "[]", ",\n"],
    [":", "{}", ","],
    [":", "{\"id\":[1,{}]}", ","],
    [":", "123456789.5e3", ","],
    [":", "\"more than fifteen letters\\n\"", ","],
    [":", "{\"code\":1,\"c\\u006fde\":2,\"x\":3}", ","],
    ["", "1", ","],
    [":", "01", ","],
    [":", "1", " "],
];

#[test]
fn any_two_members_are_captured_alike_however_they_are_spelt() {
    for first in SPELLINGS.into_iter().step_by(TEXTS) {
        for second in SPELLINGS.into_iter().step_by(TEXTS) {
            for [colon, value, comma] in BEHIND.into_iter().step_by(TEXTS) {
                for front in ["{", "{\"jsonrpc\":\"2.0\",", "{ \"error\":{"] {
                    let text = format!("{front}{first}{colon}{value}{comma}{second}{colon}{value}{comma}{first}:1}}");
                    for text in [&*text, &format!("{text}}}")] {
                        assert_twins_agree(text.as_bytes());
                        if read_bytes(text.as_bytes()).0.is_ok() {
                            assert_walks_agree(text.as_bytes());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn the_second_value_of_the_first_repeated_name_is_kept() {
    const NAMES: [&str; 6] = ["id", "error", "method", "result", "params", "jsonrpc"];
    for first in NAMES {
        for second in NAMES.into_iter().filter(|second| *second != first) {
            let text = format!(r#"{{"{first}":1,"{second}":2,"{second}":3,"{first}":4,"{second}":5}}"#);
            for captured in [read(text.as_bytes()).1, read_bytes(text.as_bytes()).1] {
                assert!(captured.get(Captured::REPEAT).starts_with(b"3"), "{text}");
                for name in [first, second] {
                    let slot = Position::OTHER.member(name.as_bytes()[0]).slot();
                    assert_eq!(captured.get(slot), b"[]", "{name} in {text}");
                }
            }
        }
    }
}

#[test]
fn a_forgotten_value_leaves_no_mark() {
    let marks = |captured: &Captured, slot| {
        let kinds = [captured.is_plain(slot), captured.is_number(slot), captured.is_container(slot)];
        (captured.get(slot).is_empty(), captured.has(slot), kinds)
    };
    for value in [r#""2.0""#, r#""\n""#, "1", "[]", "{}", "null"] {
        let text = format!(r#"{{"jsonrpc":{value},"id":{value},"method":{value},"error":{value},"result":{value}}}"#);
        let captured = read(text.as_bytes()).1;
        for forgotten in 0..SLOTS {
            let mut left = captured;
            left.forget(forgotten);
            assert_eq!(marks(&left, forgotten), (true, false, [false; 3]), "slot {forgotten} of {text}");
            for slot in (0..SLOTS).filter(|slot| *slot != forgotten) {
                assert_eq!(marks(&left, slot), marks(&captured, slot), "slot {slot} of {text}");
            }
        }
    }
}

/// Plain and escaped names of all lengths, before values of all lengths.
#[test]
fn any_value_is_read_behind_a_name_however_long() {
    let values = [
        "1",
        "-12",
        "1234567",
        "12345678",
        "-1.25",
        "1e5",
        "123e-5",
        "1234e5",
        "12345E+5",
        "123456e5",
        "1234567e5",
        "-1.25e5",
        "12.5e",
        "01",
        "false",
        "null",
        "tru",
        "\"\"",
        "\"seven ch\"",
        "\"seventeen letters\"",
        "\"\\n\"",
        "[]",
        "{\"a\":1}",
        "[1e5]",
        "",
    ];
    for front in ["{", "{\"jsonrpc\":\"2.0\",", "{\"error\":{"] {
        for (escapes, letters) in (0..6)
            .flat_map(|escapes| (0..20).map(move |letters| (escapes, letters)))
            .step_by(if cfg!(miri) { 31 } else { 1 })
        {
            let name = ["\\u0061".repeat(escapes), "b".repeat(letters)].concat();
            for value in values.into_iter().step_by(TEXTS) {
                for [colon, end] in [[":", "}}"], [": ", ",\"id\":1}}"], [" :\n", " }"], [":", "}"]] {
                    let text = format!("{front}\"{name}\"{colon}{value}{end}");
                    assert_twins_agree(text.as_bytes());
                    if letters == 0 && read_bytes(text.as_bytes()).0.is_ok() {
                        assert_walks_agree(text.as_bytes());
                    }
                }
            }
        }
    }
}

/// Short messages with a value of every kind, and `padding` in different places.
fn messages(padding: &str) -> Vec<String> {
    let digits = padding.replace('x', "7");
    let mut messages = sample_messages(padding).to_vec();
    for value in [
        format!(r#"[{digits}1,-{digits}2,0.{digits}3,-1{digits}.5,2e{digits}1,-0.0E-{digits}9]"#),
        format!(r#"{{"{padding}":{{"a":[[],{{}},[{{"b":null}}]],"{padding}c":[true,false,""]}},"d":"{padding}"}}"#),
        format!(r#"[["{padding}"],["]","}}","{{",":",","],[[["{padding}"]],0]]"#),
        format!("{}\"{padding}\"{}", "[".repeat(50), "]".repeat(50)),
        format!("{}1{}", "{\"a\":".repeat(50), "}".repeat(50)),
    ] {
        messages.push(format!(r#"{{"jsonrpc":"2.0","method":"m","params":{value},"id":"{padding}"}}"#));
        messages.push(format!(r#"{{"jsonrpc":"2.0","id":{digits}8,"result":{value}}}"#));
        messages.push(format!(r#"{{"jsonrpc":"2.0","params":{value},"method":"{padding}"}}"#));
    }
    messages
}

/// `minified` with each member and element on a separate line, indented by `indent`.
fn lines(minified: &str, line: &str, indent: &str) -> String {
    let mut text = String::new();
    let (mut level, mut in_string) = (0usize, false);
    for byte in minified.chars() {
        in_string ^= byte == '"';
        let close = !in_string && matches!(byte, '}' | ']');
        if close {
            level -= 1;
            text += &format!("{line}{}", indent.repeat(level));
        }
        text.push(byte);
        if in_string || byte == '"' || close {
            continue;
        }
        match byte {
            '{' | '[' => level += 1,
            ':' => text.push(' '),
            _ => {}
        }
        if matches!(byte, '{' | '[' | ',') {
            text += &format!("{line}{}", indent.repeat(level));
        }
    }
    text + line
}

#[test]
fn messages_are_read_alike_in_any_spacing_wherever_a_block_ends() {
    for padding in (0..100).step_by(PLACES) {
        for message in messages(&"x".repeat(padding)).into_iter().step_by(TEXTS) {
            for text in [lines(&message, "\n", "  "), lines(&message, " ", ""), lines(&message, "\r\n", "\t")] {
                assert_twins_agree(text.as_bytes());
            }
            assert_twins_agree(message.as_bytes());
            assert_walks_agree(message.as_bytes());
        }
    }
}

#[test]
fn white_space_of_any_length_is_read_alike_at_every_gap() {
    let gaps = br#"{|"jsonrpc"|:|"2.0"|,|"params"|:|[|1|,|{|"a"|:|2|}|]|,|"method"|:|"m"|}"#;
    let parts: Vec<&[u8]> = gaps.split(|byte| *byte == b'|').collect();
    let spaces = [b' '; 70];
    for gap in (1..parts.len()).step_by(PLACES.min(4)) {
        let (before, after) = (parts[..gap].concat(), parts[gap..].concat());
        for len in (0..=spaces.len()).step_by(PLACES.min(15)) {
            for last in b" \n\r\t\x0Bx" {
                assert_twins_agree(&[&before, &spaces[..len], &[*last], &after].concat());
            }
        }
    }
}

#[test]
fn a_message_that_is_wrong_in_one_byte_is_refused_alike() {
    for message in messages("xxx").into_iter().step_by(TEXTS) {
        for text in [message.clone(), lines(&message, "\n", " ")] {
            let mut text = text.into_bytes();
            for at in (0..text.len()).step_by(PLACES) {
                let byte = text[at];
                for other in b"\"\\{}[]:,.-+eE019atn \n\x1F\x80".iter().copied().step_by(TEXTS) {
                    text[at] = other;
                    assert_twins_agree(&text);
                }
                text[at] = byte;
            }
            for other in *b" \n,}]x\0" {
                assert_twins_agree(&[&text[..], &[other]].concat());
            }
        }
    }
}

#[test]
fn batches_of_messages_are_read_alike_wherever_a_block_ends() {
    for padding in (0..140).step_by(PLACES) {
        let objects = sample_messages(&"x".repeat(padding));
        let rest = "1,".repeat(100);
        assert_twins_agree(format!("[{},{rest}{}]", objects.join(","), objects.join(",")).as_bytes());
        assert_twins_agree(format!("[{}]", objects.join(" ,\n ")).as_bytes());
        for wrong in ["01", "tru", "[1,]", "{\"a\":}", "\"\t\"", "]", "{]", "1\"a\""] {
            assert_twins_agree(format!(r#"[{},{{"jsonrpc":"2.0","params":{wrong}}},1]"#, objects.join(",")).as_bytes());
        }
    }
}

#[test]
fn a_beginning_that_differs_in_any_byte_is_read_alike() {
    for beginning in ["{\"jsonrpc\":\"2.0\"", "{\"jsonrpc\": \"2.0\""] {
        let text = [beginning, ", \"id\": 1, \"method\":\"m\"}"].concat();
        for at in 0..beginning.len() {
            for other in (0..=u8::MAX).step_by(BYTES) {
                let mut text = text.clone().into_bytes();
                text[at] = other;
                assert_twins_agree(&text);
                assert_twins_agree(&[b"[", &text[..], b"]"].concat());
            }
        }
    }
}
