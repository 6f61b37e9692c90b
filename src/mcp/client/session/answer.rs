//! The answer that a session has received, as a span of the stream. It borrows nothing.

use core::ops::Range;

use crate::connection::{Connection, Sorted};
use crate::error::{Error, ErrorKind};
use crate::frame::{Buffer, Frame, FrameError};
use crate::json::{RawValue, Room, Writer};
use crate::mcp::client::handshake::supported;
use crate::mcp::client::incoming::error_object;
use crate::mcp::client::{Client, ConnectError, Incoming, Outcome, SessionError};
use crate::mcp::{Revision, method};
use crate::message::{ErrorCode, Str};
use crate::server::{Event, Observer, Server};

/// The message that ends the wait for an answer, and its span.
pub(super) struct Answer {
    pub(super) span: Range<usize>,
    pub(super) ending: Ending,
}

/// The way in which it ends the wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Result,
    InputRequired,
    Error,
    Refused(Error),
    Connected(Revision),
    Unsupported,
}

/// Passes the message `text` to `client`. The answer to the last request ends the wait. Requests and notifications that no client handles go to
/// the server of the program.
pub(super) fn sort<S, H: Observer<C>, C>(
    client: &mut Client,
    server: &mut Server<S, H>,
    context: &mut C,
    text: &[u8],
    fault: Option<FrameError>,
    mut room: Room<'_>,
) -> Sorted<Ending> {
    if fault.is_some() {
        return Sorted::ToServer;
    }
    let mut out = Writer::new(&mut room);
    let awaited = match client.receive(text, &mut out) {
        Incoming::Connected(server) => Some(Ending::Connected(server.revision)),
        Incoming::NotConnected(ConnectError::Peer(_)) | Incoming::Answer((), Outcome::Error(_)) => Some(Ending::Error),
        Incoming::NotConnected(ConnectError::Refused(error)) | Incoming::Answer((), Outcome::Refused(error)) => {
            Some(Ending::Refused(error))
        }
        Incoming::NotConnected(ConnectError::Unsupported(_)) => Some(Ending::Unsupported),
        Incoming::Answer((), Outcome::Result(_)) => Some(Ending::Result),
        Incoming::Answer((), Outcome::InputRequired(_)) => Some(Ending::InputRequired),
        Incoming::ToSend => None,
        // progress of a call that is not in flight
        Incoming::StaleProgress(_) => {
            let event = Event::Unfit(Str::Plain(method::PROGRESS), Error::new(ErrorKind::UnexpectedMessage, 0));
            server.observe(context, event);
            None
        }
        _ => return Sorted::ToServer,
    };
    Sorted::Handled { len: Some(out.len()).filter(|len| *len != 0), awaited }
}

impl<R, W, F: Frame, B: Buffer> Connection<'_, R, W, F, B> {
    /// Writes a message into the room and returns its length.
    pub(super) fn written<E>(&mut self, write: impl FnOnce(&mut Writer<'_>) -> Result<(), E>) -> Result<usize, E> {
        let (_, mut room) = self.text_and_room(0..0);
        let mut out = Writer::new(&mut room);
        write(&mut out)?;
        Ok(out.len())
    }

    /// The result in the answer that was received last.
    pub(super) fn result<'c, E, G>(&'c mut self, answer: &Answer) -> Result<RawValue<'c>, SessionError<'c, E, G>> {
        let (text, _) = self.text_and_room(answer.span.clone());
        let whole = RawValue::alone_in(text);
        let result = whole.get("result").unwrap_or(RawValue::NULL);
        match answer.ending {
            Ending::Result | Ending::Connected(_) => Ok(result),
            Ending::Error => Err(SessionError::Peer(error_object(whole.get("error").unwrap_or(RawValue::NULL)))),
            Ending::Refused(error) => Err(SessionError::Refused(error)),
            // a method that takes no input
            Ending::InputRequired => Err(SessionError::Refused(Error::new(ErrorKind::UnknownVariant, result.offset()))),
            Ending::Unsupported => Err(SessionError::Unsupported(supported(result))),
        }
    }
}

/// The result of the response `text`, which was validated before; null if it has none.
pub(super) fn result_in(text: &[u8]) -> RawValue<'_> {
    RawValue::alone_in(text).get("result").unwrap_or(RawValue::NULL)
}

/// The constant that equals `requested`, if a result may request that method. A result cannot call other handlers of the router.
///
/// # Errors
/// The code of the refusal.
pub(super) fn input_method(requested: Str<'_>) -> Result<&'static str, ErrorCode> {
    let inputs = [method::ROOTS_LIST, method::SAMPLING_CREATE_MESSAGE, method::ELICITATION_CREATE];
    // a `Str::Payload` is no method name, and its comparison links `core::fmt`
    let Str::Raw(requested) = requested else { return Err(ErrorCode::METHOD_NOT_FOUND) };
    inputs.into_iter().find(|name| requested == **name).ok_or(ErrorCode::METHOD_NOT_FOUND)
}
