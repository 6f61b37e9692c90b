//! Payloads are read as serde_json reads them: the same texts into the same values, the same texts refused.
//!
//! Of valid JSON, these differ from serde_json with the default limits:
//!
//! | text or type | serde_json | here |
//! |---|---|---|
//! | a string with an escape into `&str`, and a buffer is lent | refused | read, decoded into the buffer |
//! | a string with an escape, over `MAX_ESCAPED` bytes decoded, into a type that owns its text | read | refused, unless a buffer is lent, or with the feature `alloc` |
//! | half a surrogate pair where no text is wanted (ignored, bytes, raw) | read | no valid JSON |
//! | more than `MAX_DEPTH` brackets open, up to 127 | read | no valid JSON |
//! | a float, `-0` or an integer out of range, where a visitor asks for an integer and would take an `f64` | read | refused |
//! | an integer, where a visitor asks for a float | passed as an integer | passed as a float |
//! | params without the `Option`s at the end of a tuple | refused | read, `None` |
#![cfg(feature = "serde")]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use crate::payload_types::*;
use nanojsonrpc::json::{Deserializer, MAX_ESCAPED};
use nanojsonrpc::{ErrorKind, MAX_DEPTH, Params, RawValue};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

/// Every type gets every value; under Miri one of seven.
const STEP: usize = if cfg!(miri) { 7 } else { 1 };

/// Values of every kind, many of them at an edge.
const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "7",
    "127",
    "128",
    "-128",
    "-129",
    "255",
    "256",
    "32767",
    "32768",
    "65536",
    "2147483648",
    "-2147483649",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "-18446744073709551616",
    "170141183460469231731687303715884105727",
    "170141183460469231731687303715884105728",
    "-170141183460469231731687303715884105728",
    "-170141183460469231731687303715884105729",
    "340282366920938463463374607431768211455",
    "340282366920938463463374607431768211456",
    "1.0",
    "-1.5",
    "1e2",
    "1E+2",
    "10e-1",
    "1e39",
    "3.4028235677973366e38",
    "1e308",
    "1e400",
    "-1e400",
    "1e-400",
    "0.1",
    "16777217",
    "1.00000017881393432617187499",
    "0.0",
    "-0.0",
    "0e9",
    r#""""#,
    r#""a""#,
    r#""b""#,
    r#""red""#,
    r#""Unit""#,
    r#""Newtype""#,
    r#""Known""#,
    r#""\\""#,
    r#""\u0041""#,
    r#""\n""#,
    r#""\ud83d\ude00""#,
    r#""\/""#,
    r#""1""#,
    r#""-1""#,
    r#""1.0""#,
    r#"" 1""#,
    r#""true""#,
    r#""\u0031""#,
    r#""null""#,
    r#""127.0.0.1""#,
    "\"é\"",
    "\"😀\"",
    r#""abcdefghijklmnopqrstuvwxyz""#,
    "[]",
    "[ ]",
    "{}",
    "{ }",
    "[1]",
    "[1,2]",
    "[ 1 , 2 ]",
    "[1,2,3]",
    "[1,\"a\"]",
    "[null]",
    "[\"a\"]",
    "[\"t1\",[1],null]",
    "[[1,2],[3,4],[5,6]]",
    r#"{"a":1}"#,
    r#"{"a":1,"b":null}"#,
    r#"{"a":1,"b":"x","c":[{}]}"#,
    r#"{"1":1}"#,
    r#"{"true":1}"#,
    r#"{"Unit":null}"#,
    r#"{"Unit":1}"#,
    r#"{"Newtype":1}"#,
    r#"{"Newtype":null}"#,
    r#"{"Newtype":1,"Unit":null}"#,
    r#"{"Tuple":[1,"a"]}"#,
    r#"{"Tuple":[1]}"#,
    r#"{"Struct":{"a":1}}"#,
    r#"{"Struct":[1,"x"]}"#,
    r#"{"\u0055nit":null}"#,
    r#"{"type":"Unit"}"#,
    r#"{"a":1,"type":"Struct"}"#,
    r#"{"type":"Struct","a":1,"a":2}"#,
    r#"["Unit"]"#,
    r#"{"t":"Unit"}"#,
    r#"{"c":3,"t":"Newtype"}"#,
    r#"{"t":"Tuple","c":[1,"\n"]}"#,
    r#"{"c":{"a":9},"t":"Struct"}"#,
    r#"{"t":"Unit","c":null}"#,
    r#"{"sensor":"t1","values":[1],"unit":null}"#,
    r#"{"values":[],"sensor":"\u00e9"}"#,
    r#"{"Ok":1}"#,
    r#"{"Err":"\t"}"#,
    r#"{"color":"dark-green"}"#,
    r#"{"secs":1,"nanos":2000000000}"#,
];

/// The positions of the values in `value`, with the names of members.
fn places(value: RawValue<'_>, found: &mut Vec<(usize, usize)>) {
    found.push((value.offset(), value.as_bytes().len()));
    value.elements().for_each(|element| places(element, found));
    value.members().for_each(|(_, value)| places(value, found));
}

/// The members of some object in `text`, each with its name and its value, as text.
fn an_object<'a>(text: &'a str, dice: &mut Dice) -> Option<(usize, usize, Vec<&'a str>)> {
    let mut found = Vec::new();
    places(RawValue::parse(text.as_bytes()).ok()?, &mut found);
    found.retain(|(at, _)| text.as_bytes()[*at] == b'{');
    let (at, len) = *found.get(dice.below(found.len()))?;
    let object = RawValue::parse(&text.as_bytes()[at..at + len]).ok()?;
    let members = object.members().map(|(name, value)| {
        let start = name.as_bytes().as_ptr().addr() - text.as_ptr().addr() - 1;
        &text[start..at + value.offset() + value.as_bytes().len()]
    });
    Some((at, len, members.collect()))
}

/// The value of a member, given with its name.
fn member_value(member: &str) -> String {
    let wrapped = format!("{{{member}}}");
    let object = RawValue::parse(wrapped.as_bytes()).expect("an object");
    object.members().next().expect("a member").1.as_json().to_string()
}

/// `text` with something changed.
fn mutated(text: &str, dice: &mut Dice) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = dice.below(bytes.len());
    match dice.below(13) {
        12 => {
            let names = VALUES.iter().filter(|value| value.starts_with('"')).collect::<Vec<_>>();
            if let Some((at, len, members)) = an_object(text, dice) {
                let Some(member) = members.get(dice.below(members.len())) else { return text.to_string() };
                let value = member_value(member);
                let other = format!("{}:{value}", names[dice.below(names.len())]);
                let object = text[at..at + len].replacen(member, &other, 1);
                bytes.splice(at..at + len, object.into_bytes());
            }
        }
        0 => _ = bytes.remove(at),
        1 => bytes.insert(at, b"\"\\{}[],:0123456789-.eE tfnu"[dice.below(27)]),
        2 | 3 => bytes[at] = b"\"\\{}[],:0123456789-.eE tfnu"[dice.below(27)],
        4..=7 => {
            let mut found = Vec::new();
            places(RawValue::parse(text.as_bytes()).expect("valid"), &mut found);
            let (at, len) = found[dice.below(found.len())];
            bytes.splice(at..at + len, VALUES[dice.below(VALUES.len())].bytes());
        }
        change => {
            if let Some((at, len, mut members)) = an_object(text, dice) {
                let (one, other) = (dice.below(members.len()), dice.below(members.len()));
                let object = match change {
                    _ if members.is_empty() => format!("{{\"x\":{}}}", VALUES[dice.below(VALUES.len())]),
                    8 => {
                        members.remove(one);
                        format!("{{{}}}", members.join(","))
                    }
                    9 => {
                        members.insert(one, members[other]);
                        format!(" {{ {} }} ", members.join(" , "))
                    }
                    10 => {
                        members.swap(one, other);
                        let extra = format!("\"x\\n\":{}", VALUES[dice.below(VALUES.len())]);
                        members.push(&extra);
                        format!("{{{}}}", members.join(",\n"))
                    }
                    _ => {
                        let values: Vec<_> = members.iter().map(|member| member_value(member)).collect();
                        format!("[{}]", values.join(","))
                    }
                };
                bytes.splice(at..at + len, object.into_bytes());
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Every value of `strategy` is read back from its text, and changed texts get the verdict of serde_json.
fn agrees<T: Serialize + Debug>(strategy: impl Strategy<Value = T>, read: fn(&str) -> Option<String>) {
    for_each(96, (strategy, any::<u64>()), |(value, seed)| {
        let text = serde_json::to_string(&value).expect("to be written");
        assert_eq!(read(&text), Some(format!("{value:?}")), "{text}");
        let dice = &mut Dice(seed | 1);
        for _ in 0..if cfg!(miri) { 2 } else { 24 } {
            let mut changed = text.clone();
            for _ in 0..=dice.below(3) {
                let next = mutated(&changed, dice);
                if RawValue::parse(next.as_bytes()).is_ok() {
                    changed = next;
                }
            }
            read(&changed);
        }
    });
}

macro_rules! tests {
    ($($name:ident: $type:ty = $strategy:expr;)*) => {
        /// Each type by name, so that a failure shows it.
        mod reads_as_serde_json_does {
            use super::*;
            $(
                #[test]
                fn $name() {
                    VALUES.iter().step_by(STEP).for_each(|text| _ = agreed::<$type>(text));
                    agrees($strategy, |text| agreed::<$type>(text));
                }
            )*
        }
    };
}
crate::with_every_type!(tests);

#[test]
fn a_string_with_an_escape_is_borrowed_from_a_buffer_that_is_lent() {
    for text in [r#""\n""#, r#""\ud83d\ude00""#] {
        assert!(serde_json::from_str::<&str>(text).is_err());
        let value = RawValue::parse(text.as_bytes()).expect("valid");
        assert_eq!(value.read::<&str>().map_err(|error| error.kind()), Err(ErrorKind::EscapedString));
        let expected: String = serde_json::from_str(text).expect("text");
        assert_eq!(value.read_with::<&str>(&mut [0; 4]), Ok(&*expected));
    }
}

#[test]
fn a_long_string_with_an_escape_needs_a_buffer_or_an_allocator() {
    let text = format!("\"\\n{}\"", "a".repeat(MAX_ESCAPED));
    let expected: String = serde_json::from_str(&text).expect("text");
    let value = RawValue::parse(text.as_bytes()).expect("valid");
    #[cfg(not(feature = "alloc"))]
    assert_eq!(value.read::<String>().map_err(|error| error.kind()), Err(ErrorKind::EscapedString));
    #[cfg(feature = "alloc")]
    assert_eq!(value.read().as_ref(), Ok(&expected));
    assert_eq!(value.read_with(&mut [0; MAX_ESCAPED + 1]), Ok(expected));
}

#[test]
fn a_name_that_is_no_field_needs_no_room() {
    #[derive(serde::Deserialize, PartialEq, Debug)]
    struct One<'a> {
        #[serde(alias = "b")]
        a: &'a str,
    }
    let long = "x".repeat(MAX_ESCAPED);
    for name in ["a", "b", "\\u0061", "\\u0062"] {
        let text = format!("{{\"\\n{long}\":1,\"é\":2,\"\":3,\"{name}\":\"\\t\"}}");
        let value = RawValue::parse(text.as_bytes()).expect("valid");
        assert_eq!(value.read_with(&mut [0; 1]), Ok(One { a: "\t" }), "{text}");
    }
}

#[test]
fn a_name_ends_at_its_quotation_mark() {
    #[derive(serde::Deserialize, PartialEq, Debug)]
    struct Odd {
        #[serde(rename = "a\":", default)]
        behind: u8,
        #[serde(rename = "a\"", default)]
        quoted: u8,
        #[serde(rename = "a", default)]
        plain: u8,
    }
    for (text, read) in [
        (r#"{"a":"v"}"#, None),
        (r#"{"a":1}"#, Some(Odd { behind: 0, quoted: 0, plain: 1 })),
        (r#"{"a\"":1}"#, Some(Odd { behind: 0, quoted: 1, plain: 0 })),
        (r#"{"a\":":1,"a\"":2,"a":3,"a\":\"":4}"#, Some(Odd { behind: 1, quoted: 2, plain: 3 })),
    ] {
        assert_eq!(RawValue::parse(text.as_bytes()).expect("valid").read().ok(), read, "{text}");
    }
}

#[test]
fn half_a_surrogate_pair_is_no_json_even_where_no_text_is_wanted() {
    for text in [r#""\ud83d""#, r#"{"id":1,"rest":"\ude00"}"#, r#"["\ud83dx"]"#] {
        assert!(serde_json::from_str::<IgnoredAny>(text).is_ok());
        let error = RawValue::parse(text.as_bytes()).expect_err("no text");
        assert_eq!(error.kind(), ErrorKind::LoneSurrogate);
    }
}

#[test]
fn what_is_too_deep_is_refused_before_it_is_read() {
    for (depth, theirs, ours) in [(MAX_DEPTH, true, true), (MAX_DEPTH + 1, true, false), (127, true, false)] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), theirs, "{depth}");
        let value = RawValue::parse(text.as_bytes());
        assert_eq!(value.is_ok_and(|value| value.read::<serde_json::Value>().is_ok()), ours, "{depth}");
    }
}

#[test]
fn the_raw_value_of_serde_json_is_read_as_its_text() {
    let value = RawValue::parse(b"[1]").expect("valid");
    assert_eq!(value.read::<&serde_json::value::RawValue>().map(|theirs| theirs.get()), Ok("[1]"));
    assert_eq!(value.read::<RawValue<'_>>().map(RawValue::as_json), Ok("[1]"));
}

#[test]
fn the_requested_type_chooses_the_method_of_the_visitor() {
    struct Method;

    impl serde::de::Visitor<'_> for Method {
        type Value = (char, i128);

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an integer")
        }

        fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
            Ok(('i', number.into()))
        }

        fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
            Ok(('u', number.into()))
        }

        fn visit_f32<E>(self, number: f32) -> Result<Self::Value, E> {
            Ok(('s', number as i128))
        }

        fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
            Ok(('f', number as i128))
        }
    }

    macro_rules! visited {
        ($method:ident $text:literal) => {
            serde::Deserializer::$method(&mut Deserializer::new(RawValue::parse($text).unwrap()), Method).map_err(drop)
        };
    }
    assert_eq!(visited!(deserialize_i8 b"200"), Ok(('i', 200)));
    assert_eq!(visited!(deserialize_i64 b"-3"), Ok(('i', -3)));
    assert_eq!(visited!(deserialize_u32 b"4294967296"), Ok(('u', 1 << 32)));
    assert_eq!(visited!(deserialize_u64 b"18446744073709551615"), Ok(('u', u64::MAX.into())));
    // the visitor does not get an integer that cannot have the type
    assert_eq!(visited!(deserialize_u8 b"-1"), Err(()));
    assert_eq!(visited!(deserialize_i64 b"9223372036854775808"), Err(()));
    assert_eq!(visited!(deserialize_any b"-3"), Ok(('i', -3)));
    assert_eq!(visited!(deserialize_any b"3"), Ok(('u', 3)));
    assert_eq!(visited!(deserialize_any b"18446744073709551616"), Ok(('f', 1 << 64)));
    assert_eq!(visited!(deserialize_any b"-9223372036854775809"), Ok(('f', i128::from(i64::MIN))));
    assert_eq!(visited!(deserialize_f64 b"3"), Ok(('f', 3)));
    assert_eq!(visited!(deserialize_f64 b"-3.0e1"), Ok(('f', -30)));
    assert_eq!(visited!(deserialize_f32 b"3"), Ok(('s', 3)));
}

/// The verdict on `params` as a `T`; `None` if they are refused.
fn params<T: serde::de::DeserializeOwned>(params: &str) -> Option<T> {
    let text = format!(r#"{{"jsonrpc":"2.0","method":"m"{params},"id":1}}"#);
    let request: nanojsonrpc::Request<'_> = nanojsonrpc::Request::parse(text.as_bytes()).unwrap();
    let read = request.params().ok();
    let mut scratch = [0; 8];
    let again = request.params_with::<T>(&mut scratch).is_ok();
    let raw = Params::from(request.params).read::<T>().is_ok();
    assert_eq!((again, raw), (read.is_some(), read.is_some()), "{text}");
    read
}

#[test]
fn options_at_the_end_of_a_tuple_of_params_may_be_absent() {
    let pair = |text| params::<(u8, Option<u8>)>(text);
    assert_eq!(pair(r#","params":[1]"#), Some((1, None)));
    assert_eq!(pair(r#","params":[1,null]"#), Some((1, None)));
    assert_eq!(pair(r#","params":[1,2]"#), Some((1, Some(2))));
    for refused in [r#","params":[1,2,3]"#, r#","params":[1,"a"]"#, r#","params":[]"#, "", r#","params":{}"#] {
        assert_eq!(pair(refused), None, "{refused}");
    }
    for absent in ["", r#","params":[]"#, r#","params":null"#, r#","params":[ ]"#] {
        assert_eq!(params::<(Option<u8>, Option<bool>)>(absent), Some((None, None)), "{absent}");
    }
    assert_eq!(params::<[Option<u8>; 3]>(r#","params":[1]"#), Some([Some(1), None, None]));
    assert_eq!(params::<(u8, Option<Option<u8>>, ())>(r#","params":[1,2,null]"#), Some((1, Some(Some(2)), ())));
}

#[test]
fn nothing_else_may_be_absent_at_the_end_of_params() {
    assert_eq!(params::<(Option<u8>, u8)>(r#","params":[1]"#), None);
    assert_eq!(params::<(u8, Vec<u8>)>(r#","params":[1]"#), None);
    assert_eq!(params::<(u8, ())>(r#","params":[1]"#), None);
    assert_eq!(params::<(u8, serde_json::Value)>(r#","params":[1]"#), None);
    // not the params themselves
    assert_eq!(params::<(u8, (u8, Option<u8>))>(r#","params":[1,[2]]"#), None);
    assert_eq!(params::<((u8, Option<u8>),)>(r#","params":[[2]]"#), None);
    assert_eq!(RawValue::parse(b"[1]").unwrap().read::<(u8, Option<u8>)>().ok(), None);
    // as long as the array
    assert_eq!(params::<Vec<Option<u8>>>(r#","params":[1]"#), Some(vec![Some(1)]));
    // a struct by position says for each field whether it may be absent
    #[derive(serde::Deserialize, Debug, PartialEq)]
    struct Every(u8, Option<u8>);
    #[derive(serde::Deserialize, Debug, PartialEq)]
    struct Few {
        a: u8,
        #[serde(default)]
        b: Option<u8>,
        #[serde(default = "five")]
        c: Option<u8>,
    }
    fn five() -> Option<u8> {
        Some(5)
    }
    assert_eq!(params::<Every>(r#","params":[1]"#), None);
    assert_eq!(params::<Few>(r#","params":[1]"#), Some(Few { a: 1, b: None, c: Some(5) }));
}

/// Reads the first part of an array or object, and does not look behind it.
#[derive(Debug, PartialEq)]
struct First<const IS_MAP: bool>(u8);

impl<'de, const IS_MAP: bool> Deserialize<'de> for First<IS_MAP> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = u8;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a part")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut parts: A) -> Result<u8, A::Error> {
                parts.next_element().map(Option::unwrap_or_default)
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut parts: A) -> Result<u8, A::Error> {
                Ok(parts.next_entry::<&str, u8>()?.unwrap_or_default().1)
            }
        }
        let first = if IS_MAP { deserializer.deserialize_map(Visitor) } else { deserializer.deserialize_seq(Visitor) };
        first.map(Self)
    }
}

#[test]
fn a_type_that_leaves_a_part_unread_is_refused() {
    fn first<const IS_MAP: bool>(text: &str) -> Result<u8, (ErrorKind, usize, &'static str)> {
        let read = RawValue::parse(text.as_bytes()).expect("valid").read::<First<IS_MAP>>();
        read.map(|first| first.0).map_err(|error| (error.kind(), error.offset(), error.expected()))
    }
    assert_eq!((first::<false>("[ 5 ]"), first::<true>(r#"{ "a":5 }"#)), (Ok(5), Ok(5)));
    let refused = |offset| Err((ErrorKind::InvalidLength, offset, "the closing bracket"));
    assert_eq!(first::<false>("[5, 6,7]"), refused(4));
    assert_eq!(first::<true>(r#"{"a":5,"b":6}"#), refused(7));
}
