//! Values read without a type: the lazy view finds the same parts as serde_json.
#![cfg(feature = "serde")]

use crate::common::corpus;
use crate::payload_types::{Dice, edge_i64, edge_u64, for_each, json, text};
use crate::written_by::written_by;
use nanojsonrpc::{
    Error, ErrorKind, ErrorObject, RawValue, Writer,
    json::{Kind, ValueWriter, Written},
};
use proptest::prelude::*;
use serde_json::Value;

fn raw(text: &str) -> RawValue<'_> {
    RawValue::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Compares all results of the view, for a value and its parts, with serde_json; `whole` is the text around it.
fn is_seen_as(view: RawValue<'_>, value: &Value, whole: &str) {
    let text = view.as_json();
    assert_eq!(view.as_bytes(), text.as_bytes());
    assert_eq!(whole.get(view.offset()..view.offset() + text.len()), Some(text), "offset");
    assert_eq!(serde_json::from_str::<Value>(text).as_ref().ok(), Some(value));
    assert_eq!(view.to_string(), text);
    let kind = match value {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Bool,
        Value::Number(_) => Kind::Number,
        Value::String(_) => Kind::String,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    };
    assert_eq!(view.kind(), kind, "{text}");
    assert_eq!((view.is_null(), view.as_bool()), (value.is_null(), value.as_bool()), "{text}");
    assert_eq!((view.as_i64(), view.as_u64()), (value.as_i64(), value.as_u64()), "{text}");
    assert_eq!(view.as_f64().map(f64::to_bits), value.as_f64().map(f64::to_bits), "{text}");

    let decoded = view.as_str_raw();
    assert_eq!(decoded.map(|text| text.to_string()).as_deref(), value.as_str(), "{text}");
    if let (Some(raw), Some(known)) = (decoded, value.as_str()) {
        assert!(raw == known && raw.chars().eq(known.chars()), "{text}");
        assert_eq!((raw.is_escaped(), raw.is_empty()), (text.contains('\\'), known.is_empty()), "{text}");
        assert_eq!(raw.as_str(), (!raw.is_escaped()).then_some(known), "{text}");
        assert_eq!(view.as_str(), raw.as_str(), "{text}");
        // every room for a short string, those that matter for one of kilobytes
        let len = known.len();
        let rooms = if len < 64 { (0..len + 2).collect() } else { vec![0, 1, len / 2, len - 1, len, len + 1] };
        for room in rooms {
            let mut buffer = vec![0; room];
            let decoded = raw.decode(&mut buffer).map_err(Error::kind);
            assert_eq!(decoded, if room < known.len() { Err(ErrorKind::OutputFull) } else { Ok(known) }, "{text}");
        }
        let held: Option<heapless::String<8>> = raw.to_heapless();
        assert_eq!(held.as_deref(), (known.len() <= 8).then_some(known), "{text}");
    }

    assert!(decoded.is_some() || view.as_str().is_none(), "{text}");

    let elements = value.as_array().map(Vec::as_slice).unwrap_or_default();
    assert_eq!(view.elements().count(), elements.len(), "{text}");
    for (index, (view_of, value)) in view.elements().zip(elements).enumerate() {
        assert_eq!(view.element(index), Some(view_of));
        assert_eq!(view.element(index).map(RawValue::offset), Some(view_of.offset()));
        is_seen_as(view_of, value, whole);
    }
    assert_eq!(view.element(elements.len()), None);
    assert_eq!(view.element(usize::MAX), None);

    let members = value.as_object();
    for (name, member) in view.members() {
        let name = name.to_string();
        let of_this_name: Vec<_> = view.members().filter(|(other, _)| *other == *name).collect();
        assert_eq!(view.get(&name).map(|first| first.offset()), of_this_name.first().map(|(_, first)| first.offset()));
        let known = members.and_then(|members| members.get(&name)).expect("a member");
        if of_this_name.len() == 1 {
            is_seen_as(member, known, whole);
        } else {
            // serde_json keeps the last of several members with one name
            let last = of_this_name.last().map(|(_, last)| last.as_json()).expect("one");
            assert_eq!(serde_json::from_str::<Value>(last).ok().as_ref(), Some(known));
        }
    }
    let names: std::collections::BTreeSet<_> = view.members().map(|(name, _)| name.to_string()).collect();
    assert_eq!(names.len(), members.map_or(0, serde_json::Map::len), "{text}");
    assert_eq!(view.get("no such name"), None);
}

/// The same value in other words: white space between tokens, characters as escapes, members twice.
fn in_other_words(value: &Value, dice: &mut Dice, out: &mut String) {
    let white = |dice: &mut Dice, out: &mut String| out.push_str(["", "", " ", "\n", "\t\r ", "  "][dice.below(6)]);
    let string = |text: &str, dice: &mut Dice, out: &mut String| {
        out.push('"');
        for c in text.chars() {
            match dice.below(4) {
                0 => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| match dice.below(2) {
                    0 => out.push_str(&format!("\\u{unit:04x}")),
                    _ => out.push_str(&format!("\\u{unit:04X}")),
                }),
                1 if c == '/' => out.push_str("\\/"),
                _ => {
                    let quoted = serde_json::to_string(&c).expect("text");
                    out.push_str(&quoted[1..quoted.len() - 1]);
                }
            }
        }
        out.push('"');
    };
    white(dice, out);
    match value {
        Value::String(text) => string(text, dice, out),
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                in_other_words(element, dice, out);
            }
            white(dice, out);
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            let mut is_first = true;
            for (name, member) in members {
                for copy in (0..=usize::from(dice.below(6) == 0)).rev() {
                    if !std::mem::take(&mut is_first) {
                        out.push(',');
                    }
                    white(dice, out);
                    string(name, dice, out);
                    white(dice, out);
                    out.push(':');
                    let other = Value::from(vec![copy]);
                    in_other_words(if copy == 0 { member } else { &other }, dice, out);
                }
            }
            white(dice, out);
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
    white(dice, out);
}

#[test]
fn every_value_is_seen_as_serde_json_sees_it() {
    for_each(512, (json(), any::<u64>()), |(value, seed)| {
        let plain = value.to_string();
        is_seen_as(raw(&plain), &value, &plain);
        let mut other = String::new();
        in_other_words(&value, &mut Dice(seed | 1), &mut other);
        assert_eq!(serde_json::from_str::<Value>(&other).ok().as_ref(), Some(&value), "{other}");
        is_seen_as(raw(&other), &value, &other);
    });
}

#[test]
fn a_text_with_a_backslash_equals_its_escape_only() {
    for (string, text, other) in [(r#""\n""#, "\n", r"\n"), (r#""\\n""#, r"\n", r"\\n"), (r#""\\""#, r"\", r"\\")] {
        let string = raw(string).as_str_raw().unwrap();
        assert!(string == text && string != other, "{string:?}");
    }
}

#[test]
fn brackets_and_quotes_in_strings_do_not_end_a_value() {
    for text in [
        r#"{"a":"}","b]":["{","]","\"]","\\"],"c\"}":{"d":"\\\"}"}}"#,
        r#"["\\","\\\\",["\"",{"\"":"["}],"]"]"#,
        r#"[[],{},"",[[]],[{}],{"":{}},{"":[]}]"#,
        r#"[0 ,-1	,true
,false,null , "x" ]"#,
        "[1]",
        "{\"\":0}",
    ] {
        is_seen_as(raw(text), &serde_json::from_str(text).expect("JSON"), text);
    }
}

macro_rules! integers {
    ($($type:ident, $read:expr;)*) => {$(
        mod $type {
            use super::*;

            const READ: fn(RawValue<'_>) -> Option<$type> = $read;

            #[test]
            fn is_exact_at_both_ends_and_nothing_beyond() {
                let (least, most) = (i128::from($type::MIN), i128::from($type::MAX));
                for integer in [least, least + 1, -1, 0, 1, 9, 10, 99, 100, most - 1, most] {
                    let text = integer.to_string();
                    let expected = $type::try_from(integer).ok();
                    assert_eq!(READ(raw(&text)), expected, "{text}");
                    if let Some(expected) = expected {
                        assert_eq!(raw(&text).to_integer(), Ok(expected));
                    }
                }
                for beyond in [least - 1, most + 1, most * 10, i128::MAX, i128::MIN] {
                    let text = format!("[ {beyond} ]");
                    let value = raw(&text).element(0).expect("one");
                    assert_eq!(READ(value), None, "{text}");
                    let error = value.to_integer::<$type>().expect_err("out of range");
                    assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidValue, 2), "{text}");
                }
            }

            #[test]
            fn is_no_float_and_no_other_value() {
                for text in ["-0", "1.0", "1e0", "0.0", "1E2", "10e-1", "-1.5", "\"1\"", "true", "null", "[]", "[1]", "{}", "\"\""] {
                    assert_eq!(READ(raw(text)), None, "{text}");
                    let error = raw(text).to_integer::<$type>().expect_err("no integer");
                    assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedType, 0), "{text}");
                }
            }

            #[test]
            fn agrees_with_the_parser_of_the_standard_library() {
                for_each(256, (edge_i64(), edge_u64(), 0_u32..64), |(signed, unsigned, shift)| {
                    for text in [(signed >> shift).to_string(), (unsigned >> shift).to_string()] {
                        assert_eq!(READ(raw(&text)), text.parse().ok(), "{text}");
                    }
                });
            }
        }
    )*};
}
integers! {
    i8, |value| value.to_integer().ok();
    i16, |value| value.to_integer().ok();
    i32, |value| value.to_integer().ok();
    i64, |value| value.as_i64();
    u8, |value| value.to_integer().ok();
    u16, |value| value.to_integer().ok();
    u32, |value| value.to_integer().ok();
    u64, |value| value.as_u64();
}

#[test]
fn integers_of_other_widths_are_exact_too() {
    assert_eq!(raw("18446744073709551615").to_integer::<i128>(), Ok(i128::from(u64::MAX)));
    assert_eq!(raw("-9223372036854775808").to_integer::<i128>(), Ok(i128::from(i64::MIN)));
    for number in [0, 1, u64::MAX.into(), u128::from(u64::MAX) + 1, i128::MAX.unsigned_abs(), u128::MAX] {
        assert_eq!(raw(&number.to_string()).to_integer::<u128>(), Ok(number));
        assert_eq!(raw(&number.to_string()).to_integer::<i128>().ok(), i128::try_from(number).ok(), "{number}");
    }
    for number in [i128::MIN, i128::MIN + 1, i128::from(i64::MIN) - 1, -1, 0, 1, i128::MAX] {
        assert_eq!(raw(&number.to_string()).to_integer::<i128>(), Ok(number));
        assert_eq!(raw(&number.to_string()).to_integer::<u128>().ok(), u128::try_from(number).ok(), "{number}");
    }
    let most = format!("{}", u128::MAX);
    for beyond in [format!("{most}0"), format!("-{most}"), "340282366920938463463374607431768211456".to_string()] {
        assert_eq!(raw(&beyond).to_integer::<u128>().map_err(Error::kind), Err(ErrorKind::InvalidValue));
        assert_eq!(raw(&beyond).to_integer::<i128>().map_err(Error::kind), Err(ErrorKind::InvalidValue));
    }
    assert_eq!(raw("-170141183460469231731687303715884105729").to_integer::<i128>().ok(), None);
    for text in ["-0", "1.0", "1e0", "10e-1", "\"1\"", "true", "null", "[]", "[1]", "{}", "\"\""] {
        assert_eq!(raw(text).to_integer::<u128>().map_err(Error::kind), Err(ErrorKind::UnexpectedType), "{text}");
        assert_eq!(raw(text).to_integer::<i128>().map_err(Error::kind), Err(ErrorKind::UnexpectedType), "{text}");
    }
    assert_eq!(raw("7").to_integer::<usize>(), Ok(7));
    let object = ErrorObject::from(raw("300").to_integer::<u8>().expect_err("out of range"));
    assert_eq!((object.code.0, object.message.to_string().as_str()), (-32602, "invalid value"));
}

#[test]
fn the_examples_of_rfc_6901_point_where_it_says() {
    // RFC 6901 §5
    let text = r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#;
    for (pointer, expected) in [
        ("", text),
        ("/foo", r#"["bar","baz"]"#),
        ("/foo/0", r#""bar""#),
        ("/", "0"),
        ("/a~1b", "1"),
        ("/c%d", "2"),
        ("/e^f", "3"),
        ("/g|h", "4"),
        ("/i\\j", "5"),
        ("/k\"l", "6"),
        ("/ ", "7"),
        ("/m~0n", "8"),
    ] {
        assert_eq!(raw(text).pointer(pointer).map(RawValue::as_json), Some(expected), "{pointer}");
    }
}

#[test]
fn pointers_that_lead_nowhere_find_nothing() {
    let text = r#"{"a":[10,[20]],"~":1,"/":2,"~1":3,"0":{"0":4},"x":1,"\u0078":2,"":{"":5},"-":6,"~2":7,"n":null}"#;
    for pointer in [
        "a",
        "#",
        "#/a",
        "/b",
        "/a/2",
        "/a/-",
        "/a/01",
        "/a/00",
        "/a/+1",
        "/a/-1",
        "/a/1.0",
        "/a/ 1",
        "/a/",
        "/a/1/0/",
        "/a/0/0",
        "/a/18446744073709551616",
        "/a/٠",
        "/~",
        "/~2",
        "/a~",
        "//a",
        "/n/",
        "/x/0",
        " /a",
        "/A",
    ] {
        assert_eq!(raw(text).pointer(pointer), None, "{pointer}");
    }
    for (pointer, expected) in [
        ("/a/0", "10"),
        ("/a/1/0", "20"),
        ("/~0", "1"),
        ("/~1", "2"),
        ("/~01", "3"),
        ("/0/0", "4"),
        ("/x", "1"),
        ("//", "5"),
        ("/-", "6"),
        ("/~02", "7"),
        ("/n", "null"),
    ] {
        assert_eq!(raw(text).pointer(pointer).map(RawValue::as_json), Some(expected), "{pointer}");
    }
    let nested = format!("{}7{}", "[".repeat(60), "]".repeat(60));
    assert_eq!(raw(&nested).pointer(&"/0".repeat(60)).and_then(RawValue::as_u64), Some(7));
}

#[test]
fn every_value_is_found_by_its_pointer() {
    fn check(whole: &Value, view: RawValue<'_>, value: &Value, pointer: &str) {
        assert_eq!(whole.pointer(pointer), Some(value), "{pointer}");
        let found = view.pointer(pointer).unwrap_or_else(|| panic!("{pointer} in {view}"));
        assert_eq!(serde_json::from_str::<Value>(found.as_json()).ok().as_ref(), Some(value), "{pointer} in {view}");
        for (index, element) in value.as_array().into_iter().flatten().enumerate() {
            check(whole, view, element, &format!("{pointer}/{index}"));
        }
        for (name, member) in value.as_object().into_iter().flatten() {
            check(whole, view, member, &format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")));
        }
    }
    let names = prop_oneof![text(), "[~/01a-]{0,4}"];
    let value = json().prop_recursive(3, 16, 3, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(names.clone(), inner, 0..4).prop_map(|all| all.into_iter().collect()),
        ]
    });
    for_each(256, (value, "[/~01a2-]{0,8}"), |(value, guess)| {
        let text = value.to_string();
        check(&value, raw(&text), &value, "");
        // where each `~` is a valid escape, serde_json and we agree about any pointer
        if !guess.replace("~0", "").replace("~1", "").contains('~') {
            let found = raw(&text).pointer(&guess).and_then(|found| serde_json::from_str(found.as_json()).ok());
            assert_eq!(found.as_ref(), value.pointer(&guess), "{guess} in {text}");
        }
    });
}

/// Writes it again, member by member and element by element, from the view.
fn write_again<'o>(view: RawValue<'_>, out: ValueWriter<'o, '_>) -> Written<'o> {
    match view.kind() {
        Kind::Object => out.object(|object| {
            view.members().for_each(|(name, value)| {
                object.member(&name.to_string(), &written_by(|out| write_again(value, out)));
            });
        }),
        Kind::Array => out.array(|array| {
            view.elements().for_each(|value| array.element(&written_by(|out| write_again(value, out))));
        }),
        Kind::String => out.value(&*view.as_str_raw().expect("a string").to_string()),
        Kind::Bool => out.value(&view.as_bool()),
        Kind::Null => out.value(&()),
        Kind::Number => match (view.as_i64(), view.as_u64()) {
            (Some(integer), _) => out.value(&integer),
            (_, Some(integer)) => out.value(&integer),
            _ => out.value(&view),
        },
    }
}

fn is_walked_and_written_again(name: &str, text: &str) {
    let value: Value = serde_json::from_str(text).expect("JSON");
    is_seen_as(raw(text), &value, text);
    let mut buffer = vec![0; text.len() * 2];
    let mut out = Writer::new(&mut buffer);
    out.value(&written_by(|out| write_again(raw(text), out))).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(serde_json::from_slice::<Value>(out.written()).expect("JSON"), value, "{name}");
}

#[test]
fn real_messages_of_ethereum_are_walked_and_written_again() {
    let Some(lines) = corpus("ethereum-execution-apis.jsonl") else { return };
    let mut count = 0;
    for line in lines.lines() {
        let pair: Value = serde_json::from_str(line).expect("a pair");
        for side in ["request", "response"] {
            is_walked_and_written_again(&pair["name"].to_string(), pair[side].as_str().expect("text"));
        }
        count += 1;
    }
    assert_eq!(count, 236);
}

#[test]
fn examples_of_the_model_context_protocol_are_walked_and_written_again() {
    let Some(lines) = corpus("mcp-schema-examples.jsonl") else { return };
    let mut count = 0;
    for line in lines.lines() {
        let example = raw(line);
        let name = example.get("name").and_then(RawValue::as_str).expect("a name");
        is_walked_and_written_again(name, example.get("json").expect("an example").as_json());
        count += 1;
    }
    assert_eq!(count, 129);
}
