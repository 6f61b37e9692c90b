//! Writes any message that a program can make and reads it again, alone and in a batch, in every dialect that allows
//! it; with less room nothing is written.
#![no_main]

// a part of it is for the other targets
#[allow(dead_code)]
mod grammar;

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use nanojsonrpc::{
    Dialect, ErrorKind, ErrorObject, Id, Message, Method, Notification, RawValue, Request, Response, Writer,
    json::Kind, message::BatchWriter,
};

/// The capacities of ids and methods.
const CAPACITY: usize = 64;

/// A value, as text.
#[derive(Debug)]
struct Payload(String);

impl<'a> Arbitrary<'a> for Payload {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut text = String::new();
        grammar::value(bytes, 3, &mut text)?;
        Ok(Self(text))
    }
}

impl Payload {
    fn view(&self) -> RawValue<'_> {
        RawValue::parse(self.0.as_bytes()).expect("JSON")
    }
}

/// The parts of an id.
#[derive(Debug)]
enum Ident {
    Null,
    Number(i64),
    Text(String),
    /// A number or a string, in any spelling.
    Spelled(String),
}

impl<'a> Arbitrary<'a> for Ident {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut spelled = String::new();
        Ok(match bytes.int_in_range(0..=4_u8)? {
            0 => Self::Null,
            1 => Self::Number(bytes.arbitrary()?),
            2 => Self::Text(grammar::word(bytes)?),
            kind => {
                if kind == 3 {
                    grammar::number(bytes, &mut spelled)?
                } else {
                    grammar::string(bytes, &mut spelled)?
                }
                Self::Spelled(spelled)
            }
        })
    }
}

impl Ident {
    /// The id, if it fits.
    fn id(&self) -> Option<Id> {
        match self {
            Self::Null => Some(Id::Null),
            Self::Number(number) => Some((*number).into()),
            Self::Text(text) => {
                let id = Id::try_from(text.as_str());
                assert_eq!(id.as_ref().map_err(|error| error.kind()).is_err(), text.len() > CAPACITY);
                id.ok()
            }
            Self::Spelled(text) => {
                let value = RawValue::parse(text.as_bytes()).expect("JSON");
                let id = Id::read(value);
                assert_eq!(value.read::<Id>().ok(), id.clone().ok(), "read through serde");
                id.ok()
            }
        }
    }
}

#[derive(Debug)]
enum Planned {
    Request { id: Ident, method: String, params: Option<Payload> },
    Notification { method: String, params: Option<Payload> },
    Success { id: Ident, result: Payload },
    Error { id: Ident, code: i64, message: String, data: Option<Payload> },
}

impl<'a> Arbitrary<'a> for Planned {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match bytes.int_in_range(0..=3_u8)? {
            0 => {
                let (id, method) = (bytes.arbitrary()?, grammar::word(bytes)?);
                Self::Request { id, method, params: bytes.arbitrary()? }
            }
            1 => Self::Notification { method: grammar::word(bytes)?, params: bytes.arbitrary()? },
            2 => Self::Success { id: bytes.arbitrary()?, result: bytes.arbitrary()? },
            _ => {
                let (id, code, message) = (bytes.arbitrary()?, bytes.arbitrary()?, grammar::word(bytes)?);
                Self::Error { id, code, message, data: bytes.arbitrary()? }
            }
        })
    }
}

impl Planned {
    /// The message, if its id fits.
    fn message(&self) -> Option<Message<'_>> {
        Some(match self {
            Self::Request { id, method, params } => {
                let method = Method::from(method.as_str());
                Message::Request(Request { id: id.id()?, method, params: view_of(params) })
            }
            Self::Notification { method, params } => {
                Message::Notification(Notification { method: Method::from(method.as_str()), params: view_of(params) })
            }
            Self::Success { id, result } => Message::Response(Response { id: id.id()?, outcome: Ok(result.view()) }),
            Self::Error { id, code, message, data } => {
                let error = ErrorObject { data: view_of(data), ..ErrorObject::new(*code, message) };
                Message::Response(Response { id: id.id()?, outcome: Err(error) })
            }
        })
    }
}

fn view_of(payload: &Option<Payload>) -> Option<RawValue<'_>> {
    payload.as_ref().map(Payload::view)
}

/// The expected reading of `message` after it was written.
fn wanted<'a>(message: &Message<'a>, dialect: Dialect) -> core::result::Result<Message<'a>, ErrorKind> {
    let is_strict = dialect != Dialect::JSON_RPC;
    let is_allowed_as_params = has_params(message, dialect);
    let mut message = message.clone();
    let (id, params, method) = match &mut message {
        Message::Request(request) => (Some(&request.id), Some(&mut request.params), Some(&request.method)),
        Message::Notification(notification) => (None, Some(&mut notification.params), Some(&notification.method)),
        Message::Response(response) => {
            // an error response may have no id to answer to
            (Some(&response.id).filter(|id| response.outcome.is_ok() || !id.is_null()), None, None)
        }
        Message::Batch(_) => unreachable!("nobody plans one"),
    };
    let is_allowed = match id {
        Some(Id::Null) => !is_strict,
        Some(Id::Decimal { text: number, .. }) => !is_strict || !number.as_str().contains(['.', 'e', 'E']),
        _ => true,
    };
    if !is_allowed {
        return Err(ErrorKind::InvalidId);
    }
    if let Some(params) = params {
        if !is_allowed_as_params {
            return Err(ErrorKind::InvalidParams);
        }
        // "null or absent: both mean no params", and null is not written
        *params = params.filter(|params| !params.is_null());
    }
    if method.is_some_and(|method| method.len() > CAPACITY) {
        return Err(ErrorKind::MethodTooLong);
    }
    Ok(message)
}

/// The params of a call.
fn params<'a>(message: &Message<'a>) -> Option<RawValue<'a>> {
    match message {
        Message::Request(request) => request.params,
        Message::Notification(notification) => notification.params,
        Message::Response(_) | Message::Batch(_) => None,
    }
}

/// Whether `dialect` allows such params. Null is omitted.
fn has_params(message: &Message<'_>, dialect: Dialect) -> bool {
    params(message).is_none_or(|params| match params.kind() {
        Kind::Null | Kind::Object => true,
        Kind::Array => dialect != Dialect::MCP,
        _ => dialect == Dialect::CAUCE,
    })
}

/// The text of `message`, which is whole or not there at all.
fn written(message: &Message<'_>) -> core::result::Result<Vec<u8>, ErrorKind> {
    let mut room = vec![0; 1 << 10];
    // by the dialect that has all of them
    let mut len = message.write_as(&mut room, Dialect::CAUCE).map_err(|error| error.kind());
    if len == Err(ErrorKind::OutputFull) {
        // few are so long
        room = vec![0; 1 << 24];
        len = message.write_as(&mut room, Dialect::CAUCE).map_err(|error| error.kind());
    }
    let len = len?;
    room.truncate(len);
    for dialect in [Dialect::JSON_RPC, Dialect::MCP] {
        let written = message.write_as(&mut vec![0; len], dialect).map_err(|error| error.kind());
        let wanted = if has_params(message, dialect) { Ok(len) } else { Err(ErrorKind::InvalidParams) };
        assert_eq!(written, wanted);
    }
    if !has_params(message, Dialect::JSON_RPC) {
        return Ok(room);
    }
    for less in [0, len / 3, len / 2, len - 1] {
        let mut short = vec![0xAA; len];
        let (short, behind) = short.split_at_mut(less);
        let full = message.write(short).map_err(|error| (error.kind(), error.offset()));
        assert_eq!(full, Err((ErrorKind::OutputFull, less)));
        assert!(behind.iter().all(|byte| *byte == 0xAA));
        // behind others: they stay, and no part of it is written
        let mut out = Writer::new(short);
        let before = out.value(&7).map_or(&b""[..], |()| b"7");
        assert!(out.message(message).is_err());
        assert_eq!(out.written(), before);
    }
    // and through serde, which writes null where params are absent
    if params(message).is_some_and(RawValue::is_null) {
        return Ok(room);
    }
    let mut again = vec![0; len];
    let mut out = Writer::new(&mut again);
    assert_eq!(out.value(message), Ok(()));
    assert_eq!(out.written(), room);
    Ok(room)
}

fuzz_target!(|planned: Vec<Planned>| {
    let messages: Vec<_> = planned.iter().filter_map(Planned::message).take(8).collect();
    let texts: Vec<_> = messages.iter().map(written).collect();
    let len: usize = texts.iter().flatten().map(|text| text.len() + 1).sum();
    let mut room = vec![0; len + 1];
    let mut batch = BatchWriter::new(&mut room);
    let mut sent = Vec::new();
    for (message, text) in messages.iter().zip(texts) {
        let is_named = match message {
            Message::Request(Request { method, .. }) | Message::Notification(Notification { method, .. }) => {
                !method.is_empty()
            }
            Message::Response(_) | Message::Batch(_) => true,
        };
        assert_eq!(text.as_ref().err(), Some(&ErrorKind::InvalidMethod).filter(|_| !is_named));
        let is_sent = is_named && has_params(message, Dialect::JSON_RPC);
        assert_eq!(batch.push(message).is_ok(), is_sent);
        let Ok(text) = text else { continue };
        let json = serde_json::from_slice::<serde::de::IgnoredAny>(&text);
        assert!(json.is_ok(), "{}", text.escape_ascii());
        for dialect in [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP] {
            let read = Message::parse_as(&text, dialect);
            assert_eq!(read.map_err(|refused| refused.kind()), wanted(message, dialect), "{}", text.escape_ascii());
        }
        if is_sent {
            sent.push((message, text.len()));
        }
    }
    let text = batch.finish();
    if sent.is_empty() {
        return assert!(text.is_empty());
    }
    let Ok(Message::Batch(batch)) = Message::parse(text) else { panic!("no batch: {}", text.escape_ascii()) };
    let held = batch.elements().map(|element| element.and_then(Message::try_from));
    let read: Vec<_> = held.map(|message| message.map_err(|refused| refused.kind())).collect();
    let wanted: Vec<_> = sent.iter().map(|(message, _)| wanted(message, Dialect::JSON_RPC)).collect();
    assert_eq!(read, wanted, "{}", text.escape_ascii());
    batch_is_cut_at_a_message(&sent);
});

/// In a shorter buffer a batch has the messages that fit, each whole.
fn batch_is_cut_at_a_message(messages: &[(&Message<'_>, usize)]) {
    let room = messages.iter().map(|(_, len)| len).sum::<usize>() * 2 / 3;
    let mut buffer = vec![0; room];
    let mut batch = BatchWriter::new(&mut buffer);
    let (mut len, mut count) = (1, 0);
    for (message, alone) in messages {
        // with a bracket or comma before it, and one bracket behind the last
        let fits = len + usize::from(count > 0) + alone + 1 <= room;
        assert_eq!(batch.push(*message).is_ok(), fits);
        if fits {
            len += usize::from(count > 0) + alone;
            count += 1;
        }
    }
    let text = batch.finish();
    assert_eq!(text.len(), if count == 0 { 0 } else { len + 1 });
    assert_eq!(serde_json::from_slice::<Vec<serde::de::IgnoredAny>>(text).map_or(0, |elements| elements.len()), count);
}
