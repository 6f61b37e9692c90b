//! Messages keep their meaning when they are written and read again, or read and written again.

use crate::common::{Rules, json, observed, reference, show, written};
use nanojsonrpc::{Message, RawValue, Request, Writer, json::Kind};
use proptest::prelude::*;
use serde_json::value::RawValue as Json;

/// One character, spelled in one of the ways that JSON has for it.
fn spelled(c: char, spelling: u8) -> String {
    let mut units = [0; 2];
    let escaped = |hex: fn(u16) -> String, units: &[u16]| units.iter().map(|unit| hex(*unit)).collect::<String>();
    let units = c.encode_utf16(&mut units);
    let short = match c {
        '"' => r#"\""#,
        '\\' => r"\\",
        '/' => r"\/",
        '\u{8}' => r"\b",
        '\u{c}' => r"\f",
        '\n' => r"\n",
        '\r' => r"\r",
        '\t' => r"\t",
        _ => "",
    };
    match spelling % 4 {
        0 => escaped(|unit| format!("\\u{unit:04x}"), units),
        1 => escaped(|unit| format!("\\u{unit:04X}"), units),
        _ if !short.is_empty() => short.to_string(),
        _ if c < ' ' => escaped(|unit| format!("\\u{unit:04X}"), units),
        _ => c.to_string(),
    }
}

/// A character where something could go wrong.
fn character() -> impl Strategy<Value = char> {
    let edges = "\0\u{1f} !\"\\/\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}\u{1f600}abn\n\t";
    prop_oneof![proptest::sample::select(edges.chars().collect::<Vec<_>>()), any::<char>()]
}

/// A string, and one of its spellings between quotation marks.
fn string(len: usize) -> impl Strategy<Value = (String, String)> {
    proptest::collection::vec((character(), any::<u8>()), 0..len).prop_map(|characters| {
        let text = characters.iter().map(|(c, _)| *c).collect();
        let inside: String = characters.iter().map(|(c, spelling)| spelled(*c, *spelling)).collect();
        (text, format!("\"{inside}\""))
    })
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        any::<i8>().prop_map(|number| number.to_string()),
        "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,8})?([eE][-+]?[0-9]{1,4})?",
        Just("-0".to_string()),
    ]
}

fn white_space() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec!["", "", "", " ", "\t", "\r\n", "  \n"])
}

fn value() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        proptest::sample::select(vec!["null", "true", "false"]).prop_map(str::to_string),
        number(),
        string(12).prop_map(|(_, text)| text),
    ];
    scalar.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            (proptest::collection::vec(inner.clone(), 0..6), white_space()).prop_map(|(elements, space)| format!(
                "[{space}{}{space}]",
                elements.join(&format!("{space},{space}"))
            )),
            (proptest::collection::vec((string(6), inner), 0..6), white_space()).prop_map(|(members, space)| {
                let members: Vec<String> =
                    members.into_iter().map(|((_, name), value)| format!("{name}{space}:{space}{value}")).collect();
                format!("{{{space}{}{space}}}", members.join(&format!(",{space}")))
            }),
        ]
    })
}

fn message() -> impl Strategy<Value = String> {
    let id = prop_oneof![number(), string(8).prop_map(|(_, text)| text), Just("null".to_string())];
    let method = string(10).prop_map(|(_, text)| text);
    let error = (any::<i64>(), string(20), proptest::option::of(value())).prop_map(|(code, (_, message), data)| {
        let data = data.map(|data| format!(",\"data\":{data}")).unwrap_or_default();
        format!("{{\"message\":{message}, \"code\":{code}{data}}}")
    });
    let body = prop_oneof![
        (method, proptest::option::of(value())).prop_map(|(method, params)| {
            let params = params.map(|params| format!(",\"params\":{params}")).unwrap_or_default();
            format!("\"method\":{method}{params}")
        }),
        value().prop_map(|result| format!("\"result\":{result}")),
        error.prop_map(|error| format!("\"error\":{error}")),
    ];
    (body, proptest::option::of(id), proptest::option::of(value()), white_space()).prop_map(
        |(body, id, unknown, space)| {
            let id = id.map(|id| format!(",{space}\"id\"{space}:{space}{id}")).unwrap_or_default();
            let unknown = unknown.map(|unknown| format!(",\"unknown\":{unknown},\"other\":1")).unwrap_or_default();
            format!("{space}{{\"jsonrpc\":{space}\"2.0\",{body}{unknown}{id}{space}}}{space}")
        },
    )
}

/// The views of `value` return the same parts as `serde_json`.
fn same(value: RawValue<'_>, text: &str) -> Result<(), TestCaseError> {
    prop_assert_eq!(value.as_json(), text);
    match value.kind() {
        Kind::Array => {
            let theirs: Vec<Box<Json>> = serde_json::from_str(text).expect("an array");
            prop_assert_eq!(value.elements().count(), theirs.len());
            value.elements().zip(&theirs).try_for_each(|(ours, theirs)| same(ours, theirs.get()))?;
        }
        Kind::Object => {
            let crate::common::Members(theirs) = serde_json::from_str(text).expect("an object");
            prop_assert_eq!(value.members().count(), theirs.len());
            for ((name, value), (their_name, their_value)) in value.members().zip(&theirs) {
                prop_assert!(name == their_name.as_str(), "{name:?} in {text}");
                same(value, their_value.get())?;
            }
        }
        Kind::String => {
            let theirs: String = serde_json::from_str(text).expect("a string");
            prop_assert!(value.as_str_raw().is_some_and(|ours| ours == theirs.as_str()), "{}", text);
        }
        Kind::Number => {
            let exact = if text == "-0" { None } else { text.parse().ok() };
            prop_assert_eq!(value.as_i64(), exact);
            prop_assert_eq!(value.as_u64(), text.parse().ok());
        }
        Kind::Bool => prop_assert_eq!(value.as_bool().map(|value| value.to_string()), Some(text.to_string())),
        Kind::Null => prop_assert!(value.is_null()),
    }
    Ok(())
}

proptest! {
    // a failure prints its smallest text; nothing is written beside the tests
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_message_has_the_verdict_and_the_contents_of_the_reference(text in message()) {
        let text = text.as_bytes();
        for rules in Rules::ALL {
            prop_assert_eq!(observed(text, rules), reference(text, rules), "{:?}: {}", rules, show(text));
        }
        let batch = [b"[", text, b",", text, b"]"].concat();
        prop_assert_eq!(observed(&batch, Rules::JsonRpc), reference(&batch, Rules::JsonRpc), "{}", show(&batch));
    }

    #[test]
    fn a_message_that_is_written_again_means_the_same(text in message()) {
        for rules in Rules::ALL {
            let Ok(message) = Message::parse_as(text.as_bytes(), rules.dialect()) else { continue };
            // an escape of two bytes may be written in six
            let again = written(&message, rules.dialect(), 6 * text.len() + 64);
            prop_assert_eq!(observed(&again, rules), observed(text.as_bytes(), rules), "{}", show(&again));
            prop_assert!(Message::parse_as(&again, rules.dialect()).as_ref() == Ok(&message), "{}", show(&again));
            let read = Message::parse_as(&again, rules.dialect()).expect("a message");
            let third = written(&read, rules.dialect(), again.len());
            prop_assert_eq!(&third, &again);
        }
    }

    #[test]
    fn a_message_with_a_byte_changed_has_the_verdict_of_the_reference(
        text in message(), place in any::<proptest::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut text = text.into_bytes();
        let place = place.index(text.len());
        text[place] = byte;
        prop_assert_eq!(observed(&text, Rules::JsonRpc), reference(&text, Rules::JsonRpc), "{}", show(&text));
    }

    #[test]
    fn any_bytes_have_the_verdict_of_serde_json(text in proptest::collection::vec(any::<u8>(), 0..40)) {
        prop_assert_eq!(RawValue::parse(&text).is_ok(), json(&text).is_some(), "{}", show(&text));
    }

    #[test]
    fn every_value_in_a_text_is_handed_out(text in value(), space in white_space()) {
        let padded = format!("{space}{text}{space}");
        let value = RawValue::parse(padded.as_bytes());
        prop_assert!(value.is_ok(), "{:?}: {}", value, padded);
        same(value.expect("a value"), &text)?;
    }

    #[test]
    fn every_value_knows_where_it_stands(text in value()) {
        let message = format!("  {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[0, {text} ]}}");
        let Ok(Message::Response(response)) = Message::parse(message.as_bytes()) else {
            return Err(TestCaseError::fail(message));
        };
        let result = response.outcome.expect("a result");
        for value in result.elements().chain(result.elements().flat_map(|e| e.elements())) {
            let place = value.offset()..value.offset() + value.as_bytes().len();
            prop_assert_eq!(&message.as_bytes()[place], value.as_bytes());
        }
    }

    #[test]
    fn a_string_decodes_to_what_serde_json_decodes(
        (text, spelled) in string(40), (other, other_spelled) in string(3),
    ) {
        prop_assert_eq!(&serde_json::from_str::<String>(&spelled).expect("a string"), &text);
        let value = RawValue::parse(spelled.as_bytes()).expect("a string");
        let ours = value.as_str_raw().expect("a string");
        prop_assert!(ours == text.as_str() && ours == *text);
        prop_assert_eq!(ours.chars().collect::<String>(), text.clone());
        prop_assert_eq!(ours.to_string(), text.clone());
        let (low, high) = ours.chars().size_hint();
        prop_assert!((low..=high.unwrap()).contains(&text.chars().count()));
        let mut buffer = vec![0; text.len()];
        prop_assert_eq!(ours.decode(&mut buffer), Ok(text.as_str()));
        if let Some(short) = text.len().checked_sub(1) {
            prop_assert!(ours.decode(&mut buffer[..short]).is_err());
        }
        prop_assert_eq!(ours.as_str(), if ours.is_escaped() { None } else { Some(text.as_str()) });
        let held = ours.to_heapless::<64>();
        prop_assert_eq!(held.as_deref(), Some(text.as_str()).filter(|text| text.len() <= 64));
        let theirs = RawValue::parse(other_spelled.as_bytes()).expect("a string");
        let theirs = theirs.as_str_raw().expect("a string");
        prop_assert_eq!(ours == theirs, text == other);
        prop_assert_eq!(ours == other.as_str(), text == other);
        prop_assert!(theirs == theirs && theirs == other.as_str());
    }

    #[test]
    fn a_string_that_is_written_is_read_back((text, _) in string(40)) {
        let mut buffer = [0; 512];
        let mut out = Writer::new(&mut buffer);
        out.value(text.as_str()).expect("room enough");
        let theirs = serde_json::to_string(&text).expect("a string");
        prop_assert_eq!(out.written(), theirs.as_bytes());
        let value = RawValue::parse(out.written()).expect("a string");
        prop_assert!(value.as_str_raw().is_some_and(|read| read == text.as_str()));
    }

    #[test]
    fn a_request_that_is_built_is_read_back((method, _) in string(12), id in any::<i64>(), params in any::<(i64, bool)>()) {
        prop_assume!(!method.is_empty());
        let mut out = [0; 512];
        let len = Request::new(id, &method).with_params(&params).write(&mut out).expect("room enough");
        let request = Request::parse(&out[..len]).expect("a request");
        prop_assert_eq!(request.id.as_i64(), Some(id));
        prop_assert_eq!(request.method.as_str(), method.as_str());
        let expected = format!("[{},{}]", params.0, params.1);
        prop_assert_eq!(request.params.map(|params| params.as_json()), Some(expected.as_str()));
    }
}
