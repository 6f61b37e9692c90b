//! All entry points that read a text, and checks that they agree.
// Each user takes its own part of this.
#![allow(dead_code)]

use nanojsonrpc::frame::{FrameErrorKind, Framer, Values};
use nanojsonrpc::{
    Dialect, Envelope, EnvelopeKind, Envelopes, Error, ErrorKind, Message, Notification, RawValue, Refused, Request,
    Response,
    message::{ClientMessage, ServerMessage},
};

/// Each reader by its name, and its error for `text`.
fn refusals(text: &[u8], dialect: Dialect) -> [(&'static str, Option<Error>); 6] {
    let error = |rejection: Refused<'_>| rejection.error;
    [
        ("Message", Message::parse_as(text, dialect).err().map(error)),
        ("Request", Request::parse_as(text, dialect).err().map(error)),
        ("Notification", Notification::parse_as(text, dialect).err().map(error)),
        ("Response", Response::parse_as(text, dialect).err().map(error)),
        (
            "ClientMessage",
            Envelope::parse_as(text, dialect).and_then(ClientMessage::<64, 64>::try_from).err().map(error),
        ),
        (
            "ServerMessage",
            Envelope::parse_as(text, dialect).and_then(ServerMessage::<64, 64>::try_from).err().map(error),
        ),
    ]
}

/// "A syntax error beats a message error", and everyone names the same.
pub(crate) fn is_refused_by_all(text: &[u8], error: Error, dialect: Dialect) {
    let envelope =
        Envelope::parse_as(text, dialect).map(|_| ()).map_err(|refused| (refused.error, refused.id.is_some()));
    assert_eq!(envelope, Err((error, false)), "{}", text.escape_ascii());
    let mut envelopes = Envelopes::new(text, dialect).map(|envelope| envelope.err().map(|refused| refused.error));
    assert_eq!((envelopes.next(), envelopes.next()), (Some(Some(error)), None), "{}", text.escape_ascii());
    for (name, refusal) in refusals(text, dialect) {
        assert_eq!(refusal, Some(error), "{name}: {}", text.escape_ascii());
    }
}

/// Every reader gives a JSON text the same kind of message or the same error. No part of it exceeds a capacity.
pub(crate) fn is_one_kind(text: &[u8], dialect: Dialect) {
    use EnvelopeKind::{Batch, Error as Failure, Notification, Request, Success};
    let offset = text.iter().position(|byte| *byte > b' ').expect("a value");
    let (kind, refusal) = match Envelope::parse_as(text, dialect) {
        Ok(envelope) => (Some(envelope.kind()), (ErrorKind::UnexpectedMessage, offset)),
        Err(refused) => (None, (refused.error.kind(), refused.error.offset())),
    };
    let taken: [&[EnvelopeKind]; 6] = [
        &[Request, Notification, Success, Failure, Batch],
        &[Request],
        &[Notification],
        &[Success, Failure],
        &[Request, Notification, Batch],
        &[Notification, Success, Failure, Batch],
    ];
    for ((name, error), taken) in refusals(text, dialect).into_iter().zip(taken) {
        let is_taken = kind.is_some_and(|kind| taken.contains(&kind));
        let expected = Some(refusal).filter(|_| !is_taken);
        assert_eq!(error.map(|error| (error.kind(), error.offset())), expected, "{name}: {}", text.escape_ascii());
    }
}

/// The incremental reader gives the same verdict on the first value or fault; `verdict` is that on
/// the whole text, which has less than `N` bytes.
pub(crate) fn comes_out_of_a_stream<const N: usize>(text: &[u8], verdict: Result<RawValue<'_>, Error>) {
    let mut framer = Framer::<Values, N>::new();
    assert_eq!(framer.push(text), text.len());
    let mut found = framer.next();
    if found.is_none() {
        found = framer.finish();
    }
    let found = found.map(|found| found.map(RawValue::as_bytes).map_err(|error| (error.kind(), error.offset())));
    let expected = match verdict {
        Ok(value) => Some(Ok(value.as_bytes())),
        Err(error) => match (error.kind(), error.offset() as u64) {
            // no separator is required between two values
            (ErrorKind::TrailingData, _) => Some(Ok(text[..error.offset()].trim_ascii())),
            (ErrorKind::UnexpectedEnd, _) if text.trim_ascii().is_empty() => None,
            _ if begins_as_another_protocol(text, N.min(1024)) => Some(Err((FrameErrorKind::OtherProtocol, 0))),
            (ErrorKind::UnexpectedEnd, offset) => Some(Err((FrameErrorKind::Truncated, offset))),
            // a text that begins with one is refused for it
            (ErrorKind::ExpectedValue, offset) if begins_with_a_byte_order_mark(text) => {
                Some(Err((FrameErrorKind::ByteOrderMark, offset)))
            }
            (kind, offset) => Some(Err((FrameErrorKind::NotJson(kind), offset))),
        },
    };
    assert_eq!(found, expected, "{}", text.escape_ascii());
}

/// Behind the white space of JSON.
fn begins_with_a_byte_order_mark(text: &[u8]) -> bool {
    let start = text.iter().position(|byte| !b" \t\r\n".contains(byte));
    start.is_some_and(|start| text[start..].starts_with(b"\xEF\xBB\xBF"))
}

/// The framer judges by the first `limit` bytes; a row that they end is taken for the whole.
fn begins_as_another_protocol(text: &[u8], limit: usize) -> bool {
    let front = &text[..text.len().min(limit)];
    let is_full = front.len() == limit;
    let mut words = front.splitn(3, |byte| *byte == b' ');
    let (method, target, version) = (words.next().unwrap(), words.next(), words.next());
    let is_method = !method.is_empty() && method.iter().all(u8::is_ascii_uppercase);
    let is_target = |target: &[u8]| target.starts_with(b"/") && target.iter().all(|byte| *byte > b' ');
    let is_request_line = is_method
        && match (target, version) {
            (Some(target), Some(version)) => {
                is_target(target) && (version.starts_with(b"HTTP/1.") || is_full && b"HTTP/1.".starts_with(version))
            }
            (Some(target), None) => is_full && (target.is_empty() || is_target(target)),
            (None, _) => false,
        };
    let starts = [&b"\x16\x03"[..], b"\x15\x03", b"SSH-1.", b"SSH-2.", b"HTTP/1."];
    starts.iter().any(|start| front.starts_with(start) || is_full && start.starts_with(front)) || is_request_line
}
