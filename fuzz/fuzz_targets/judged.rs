//! The laws of any text: the library accepts the texts of serde_json and the rules of JSON-RPC 2.0, reads the same values,
//! and reports the same kind and offset for a fault at each entry point.

use nanojsonrpc::{Dialect, Envelope, Error, ErrorKind, MAX_DEPTH, Message, RawValue, Refused, Request};

use crate::entry_points::{comes_out_of_a_stream, is_one_kind, is_refused_by_all};
use crate::reference::{self, Rules, Syntax};

/// The capacity of a stream.
const ROOM: usize = 2_048;

/// Texts up to this length are checked with every prefix; each prefix takes one pass.
const SHORT: usize = 256;

pub fn is_judged_as_by_the_reference(text: &[u8]) {
    let read = RawValue::parse(text);
    if text.len() < ROOM {
        comes_out_of_a_stream::<ROOM>(text, read);
    }
    if text.len() <= SHORT {
        every_prefix_is_refused_where_the_whole_is(text, read.err());
    }
    match read {
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
            for rules in [Rules::JSON_RPC, Rules::CAUCE, Rules::MCP] {
                is_refused_by_all(text, error, rules.dialect());
            }
            fault_is_where_it_is_said_to_be(text, error);
        }
    }
}

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

/// Each front of a text is incomplete, or already a value, up to the byte of the fault.
fn every_prefix_is_refused_where_the_whole_is(text: &[u8], error: Option<Error>) {
    for len in 0..text.len() {
        match (RawValue::parse(&text[..len]), error) {
            (Err(found), Some(error)) if error.offset() < len => assert_eq!(found, error),
            (Err(found), _) => assert!(found.is_incomplete() && found.offset() == len, "{found} of {len}"),
            (Ok(_), error) => assert!(error.is_none_or(|error| error.offset() >= len), "{error:?} and {len}"),
        }
    }
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

/// `text`, which stops early, completed.
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

fn is_capacity(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::IdTooLong | ErrorKind::MethodTooLong)
}

fn messages_are_told_apart(text: &[u8], rules: Rules) {
    let message = Message::parse_as(text, rules.dialect());
    if !message.as_ref().is_err_and(|refused| is_capacity(refused.kind())) {
        is_one_kind(text, rules.dialect());
    }
    is_held_in_place_alike(text, rules.dialect(), &message);
    match (message, reference::batch(text, rules)) {
        (message, None) => rules.judge(text, text).assert_is(message, text),
        (Err(refused), Some(Err(expected))) => expected.assert_is(Err(refused), text),
        (Ok(Message::Batch(batch)), Some(Ok(elements))) => {
            assert_eq!(batch.count(), elements.len());
            for (judged, element) in batch.elements().zip(elements) {
                rules.judge(text, element).assert_is(judged.and_then(Message::try_from), text);
            }
        }
        (message, Some(_)) => panic!("{message:?}"),
    }
}

/// `Message::hold` and `Request::hold` give the same messages and refusals as `Message::parse_as`, the elements of the batch, converted, and
/// `Request::parse_as`. A message that was held before leaves nothing behind.
fn is_held_in_place_alike(text: &[u8], dialect: Dialect, returned: &Result<Message<'_>, Refused<'_>>) {
    let envelope = Envelope::parse_as(text, dialect);
    let mut kept: Message<'_> = Message::default();
    let outcome = envelope.and_then(|envelope| kept.hold(&envelope)).map(|()| kept);
    assert_eq!(&outcome, returned);
    let mut request: Request<'_> = Request::default();
    let outcome = envelope.and_then(|envelope| request.hold(&envelope)).map(|()| request);
    assert_eq!(outcome, Request::parse_as(text, dialect));
    let Ok(Message::Batch(batch)) = returned else { return };
    let (mut kept, mut request): (Message<'_>, Request<'_>) = (Message::default(), Request::default());
    let mut elements = batch.elements();
    for element in *batch {
        let outcome = elements.next().map(|one| one.and_then(|one| kept.hold(&one)).map(|()| kept.clone()));
        assert_eq!(outcome, Some(element.and_then(Message::try_from)));
        let outcome = element.and_then(|one| request.hold(&one)).map(|()| request.clone());
        assert_eq!(outcome, element.and_then(Request::try_from));
    }
    assert_eq!(elements.next(), None);
}
