//! The outcome of a call, on its way back.

use std::fmt;

use bytes::Bytes;
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc::{EnvelopeKind, ErrorCode, ErrorKind, ErrorObject, PayloadError, RawValue, ToJson};

use crate::Message;

/// The outcome of a call: a result, an error, or the answer of another server. It has no id: the connection writes that of the call.
pub struct Response(Outcome);

enum Outcome {
    /// Written when it is sent, straight to its place.
    Result(Box<dyn ToJson + Send>),
    Error(OwnedErrorObject),
    /// A response of another server, whose payload is passed on as the text that it is.
    Passed(Message),
    /// A whole answer, with the id of the call; empty for none.
    Whole(Bytes, Option<ErrorCode>),
}

impl Response {
    /// A result.
    pub fn result(result: impl ToJson + Send + 'static) -> Self {
        Self(Outcome::Result(Box::new(result)))
    }

    /// An error: an [`ErrorObject`], an [`OwnedErrorObject`], a [`PayloadError`] or a [`CallError`](crate::CallError).
    pub fn error(error: impl Into<OwnedErrorObject>) -> Self {
        Self(Outcome::Error(error.into()))
    }

    /// The result or the error object of `response`, which another server has sent, byte for byte.
    pub const fn pass(response: Message) -> Self {
        Self(Outcome::Passed(response))
    }

    /// An answer that was written with the id of the call; empty for none.
    pub(crate) const fn whole(answer: Bytes, code: Option<ErrorCode>) -> Self {
        Self(Outcome::Whole(answer, code))
    }

    /// The outcome of a handler.
    pub(crate) fn of<T: ToJson + Send + 'static>(outcome: Result<T, impl Into<OwnedErrorObject>>) -> Self {
        match outcome {
            Ok(result) => Self::result(result),
            Err(error) => Self::error(error),
        }
    }

    /// Params that do not fit: -32602.
    pub(crate) fn invalid_params(error: PayloadError) -> Self {
        Self::error(ErrorObject::from(error))
    }

    /// The code of the error; `None` for a result.
    pub fn code(&self) -> Option<ErrorCode> {
        match &self.0 {
            Outcome::Result(_) => None,
            Outcome::Error(error) => Some(error.code),
            Outcome::Passed(message) => message.envelope().error_object().map(|error| error.code),
            Outcome::Whole(_, code) => *code,
        }
    }

    /// Writes the answer to `request`; nothing for a notification. `scratch` is memory that is used again. An answer beyond `limit` bytes is
    /// -32603.
    pub(crate) fn write(self, request: &Message, scratch: &mut Vec<u8>, limit: usize) -> Option<Bytes> {
        let envelope = request.envelope();
        if envelope.kind() != EnvelopeKind::Request {
            return None;
        }
        if let Outcome::Whole(answer, _) = self.0 {
            return (!answer.is_empty()).then_some(answer);
        }
        let mut room = FIRST.min(limit);
        loop {
            lengthen(scratch, room);
            let written = match &self.0 {
                Outcome::Result(result) => envelope.write_response(Ok(&**result), scratch),
                Outcome::Error(error) => envelope.write_response::<RawValue<'_>>(Err(&error.borrowed()), scratch),
                Outcome::Passed(response) => match response.envelope().error_object() {
                    Some(error) => envelope.write_response::<RawValue<'_>>(Err(&error), scratch),
                    None => envelope.write_response(Ok(&response.payload()), scratch),
                },
                Outcome::Whole(..) => return None,
            };
            let fault = match written {
                Ok(len) => return Some(taken(scratch, len)),
                Err(error) if error.kind() == ErrorKind::OutputFull && room < limit => {
                    room = room.saturating_mul(4).min(limit);
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::OutputFull => format!("answer longer than {limit} bytes"),
                Err(error) => format!("answer: {error}"),
            };
            tracing::error!(method = %request.method(), "{fault}");
            return Self::error(ErrorObject::new(ErrorCode::INTERNAL_ERROR, &fault)).write_error(request, scratch);
        }
    }

    /// Writes an error, which fits beside any id.
    fn write_error(self, request: &Message, scratch: &mut Vec<u8>) -> Option<Bytes> {
        let room = FIRST.saturating_add(request.id().map_or(0, |id| id.as_bytes().len()));
        lengthen(scratch, room);
        let Outcome::Error(error) = self.0 else { return None };
        let len = request.envelope().write_response::<RawValue<'_>>(Err(&error.borrowed()), scratch).ok()?;
        Some(taken(scratch, len))
    }
}

/// The least room for an answer, in bytes.
const FIRST: usize = 512;
/// The greatest length of memory that is used again, in bytes.
const KEPT: usize = 4096;

/// Makes room for `len` bytes. Only new memory is zeroed.
fn lengthen(scratch: &mut Vec<u8>, len: usize) {
    if scratch.len() < len {
        scratch.resize(len, 0);
    }
}

/// The first `len` bytes: a copy, or the memory itself where a copy would cost more.
fn taken(scratch: &mut Vec<u8>, len: usize) -> Bytes {
    if scratch.len() <= KEPT || len < scratch.len() / 2 {
        let answer = Bytes::copy_from_slice(scratch.get(..len).unwrap_or_default());
        if scratch.len() > KEPT {
            *scratch = Vec::new();
        }
        return answer;
    }
    let mut answer = std::mem::take(scratch);
    answer.truncate(len);
    answer.into()
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code() {
            Some(code) => write!(f, "Response(error {})", code.0),
            None => f.write_str("Response(result)"),
        }
    }
}
