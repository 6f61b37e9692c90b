//! The byte strings of utf8tests, each as the inside of a JSON string: accepted if and only if they are UTF-8.

use crate::common::{corpus, json, show};
use base64::{Engine, prelude::BASE64_STANDARD};
use nanojsonrpc::{ErrorCode, ErrorKind, Message, RawValue};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    name: String,
    valid_utf8: bool,
    base64: String,
}

fn cases() -> Option<Vec<(String, bool, Vec<u8>)>> {
    let cases: Vec<_> = corpus("utf8tests.jsonl")?
        .lines()
        .map(|line| serde_json::from_str(line).expect("a case"))
        .map(|Case { name, valid_utf8, base64 }| (name, valid_utf8, BASE64_STANDARD.decode(base64).expect("bytes")))
        .collect();
    assert_eq!(cases.len(), 222);
    Some(cases)
}

/// Whether the bytes are plain characters of a string.
fn is_plain(bytes: &[u8]) -> bool {
    !bytes.iter().any(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'))
}

#[test]
fn a_string_is_accepted_if_and_only_if_it_is_utf8() {
    let Some(cases) = cases() else { return };
    for (name, valid_utf8, bytes) in cases {
        assert_eq!(str::from_utf8(&bytes).is_ok(), valid_utf8, "{name}: the corpus and the standard library differ");
        let text = [b"\"", bytes.as_slice(), b"\""].concat();
        let expected = valid_utf8 && is_plain(&bytes);
        assert_eq!(json(&text).is_some(), expected, "{name}: {}", show(&text));
        match RawValue::parse(&text) {
            Ok(value) => {
                assert!(expected, "{name}: accepted {}", show(&text));
                assert_eq!(value.as_str().map(str::as_bytes), Some(bytes.as_slice()), "{name}");
                let decoded: String = value.as_str_raw().expect("a string").chars().collect();
                assert_eq!(decoded.as_bytes(), bytes, "{name}");
            }
            Err(error) => {
                assert!(!expected, "{name}: {error}: {}", show(&text));
                // the first byte with which no valid text begins; the standard library reports the last valid one
                if is_plain(&bytes) {
                    let good = str::from_utf8(&bytes).expect_err("not UTF-8").valid_up_to();
                    let range = 1 + good..=1 + good + 3;
                    assert_eq!(error.kind(), ErrorKind::InvalidUtf8, "{name}: {error}: {}", show(&text));
                    assert!(range.contains(&error.offset()), "{name}: {error}, not in {range:?}: {}", show(&text));
                }
            }
        }
    }
}

#[test]
fn every_place_of_a_message_gets_the_same_verdict() {
    let Some(cases) = cases() else { return };
    for (name, valid_utf8, bytes) in cases {
        let frames: [(&[u8], &[u8]); 4] = [
            (br#"{"jsonrpc":"2.0","method":"m"#, br#"","id":1}"#),
            (br#"{"jsonrpc":"2.0","id":""#, br#"","method":"m"}"#),
            (br#"{"jsonrpc":"2.0","method":"m","id":1,"params":["0123456"#, br#"0123456789"]}"#),
            (br#"{"jsonrpc":"2.0","method":"m","id":1,"ignored"#, br#"":1}"#),
        ];
        for (before, after) in frames {
            let text = [before, bytes.as_slice(), after].concat();
            let is_syntax = match Message::parse(&text) {
                Ok(_) => false,
                Err(rejection) => rejection.code() == ErrorCode::PARSE_ERROR,
            };
            assert_eq!(is_syntax, !(valid_utf8 && is_plain(&bytes)), "{name}: {}", show(&text));
        }
    }
}
