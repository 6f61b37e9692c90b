//! On any bytes: the library accepts what serde_json and the rules of JSON-RPC 2.0 accept, and tells each fault by its
//! kind and the byte where it stands.
#![no_main]

mod reference;

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::{Dialect, Envelope, Error, ErrorKind, MAX_DEPTH, Message, RawValue};
use reference::{Rules, Syntax};

fuzz_target!(|text: &[u8]| {
    match RawValue::parse(text) {
        Ok(value) => {
            assert_ne!(Syntax::of(text), Syntax::Invalid);
            assert_eq!(value.as_bytes(), text.trim_ascii());
            for rules in [Rules::JSON_RPC, Rules::CAUCE, Rules::MCP] {
                messages_are_told_apart(text, rules);
            }
        }
        Err(error) => {
            assert!(is_syntax_error(error.kind()));
            if error.kind() != ErrorKind::TooDeep {
                assert_ne!(Syntax::of(text), Syntax::Valid, "{error}");
            }
            // a syntax error beats a message error, whoever reads
            for dialect in [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP] {
                let refused = Envelope::parse_as(text, dialect).unwrap_err();
                assert!(refused.error == error && refused.id.is_none());
                let rejection = Message::parse_as(text, dialect).unwrap_err();
                assert!(rejection.error() == error && rejection.id().is_null());
            }
            fault_is_where_it_is_said_to_be(text, error);
        }
    }
});

fn is_syntax_error(kind: ErrorKind) -> bool {
    use ErrorKind::*;
    matches!(
        kind,
        UnexpectedEnd
            | ExpectedValue
            | ExpectedName
            | ExpectedColon
            | ExpectedComma
            | InvalidLiteral
            | InvalidNumber
            | InvalidEscape
            | LoneSurrogate
            | InvalidUtf8
            | ControlCharacter
            | TrailingData
            | TooDeep
    )
}

/// "For a syntax error the offset is that of the first byte with which the text can no longer become valid JSON."
fn fault_is_where_it_is_said_to_be(text: &[u8], error: Error) {
    if error.is_incomplete() {
        assert_eq!(error.offset(), text.len());
        if text.len() <= 1_024 {
            assert_ne!(Syntax::of(&completed(text)), Syntax::Invalid);
        }
        return;
    }
    let (before, upto) = (&text[..error.offset()], &text[..=error.offset()]);
    match RawValue::parse(before) {
        Ok(_) => assert!(matches!(error.kind(), ErrorKind::TrailingData | ErrorKind::InvalidNumber), "{error}"),
        Err(earlier) => assert!(earlier.is_incomplete() && earlier.offset() == before.len(), "{error}, {earlier}"),
    }
    assert_eq!(RawValue::parse(upto), Err(error));
    if error.kind() == ErrorKind::TooDeep {
        assert_eq!(reference::depth(upto), MAX_DEPTH + 1);
    }
}

/// `text`, which stops early, with what it takes to make it whole.
fn completed(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    loop {
        let is_completed = [
            &b"\""[..],
            b"}",
            b"]",
            b":",
            b"0",
            b"\\",
            b"u",
            b"d",
            b"c",
            b"r",
            b"e",
            b"a",
            b"l",
            b"s",
            b"\x80",
            b"\x90",
            b"\xA0",
        ]
        .iter()
        .find_map(|bytes| {
            let len = text.len();
            text.extend_from_slice(bytes);
            match RawValue::parse(&text) {
                Ok(_) => Some(true),
                Err(error) if error.is_incomplete() => Some(false),
                Err(_) => {
                    text.truncate(len);
                    None
                }
            }
        });
        match is_completed {
            Some(true) => return text,
            Some(false) => {}
            None => panic!("nothing completes {}", text.escape_ascii()),
        }
    }
}

fn messages_are_told_apart(text: &[u8], rules: Rules) {
    let message = Message::parse_as(text, rules.dialect());
    match (message, reference::batch(text, rules)) {
        (message, None) => rules.judge(text, text).assert_is(message, text),
        (Err(rejection), Some(Err(refused))) => refused.assert_is(Err(rejection), text),
        (Ok(Message::Batch(batch)), Some(Ok(elements))) => {
            assert_eq!(batch.count(), elements.len());
            for (judged, element) in batch.elements().zip(elements) {
                rules.judge(text, element).assert_is(judged, text);
            }
        }
        (message, Some(_)) => panic!("{message:?}"),
    }
}
