//! The answer that a session has received, as a span of the stream. It borrows nothing.

use core::ops::Range;

use crate::connection::{Connection, Sorted, lost};
use crate::error::{Error, ErrorKind};
use crate::frame::{Buffer, Frame, FrameError};
use crate::json::{Kind, RawValue, Room, Writer};
use crate::mcp::client::handshake::supported;
use crate::mcp::client::incoming::{Verdict, error_object};
use crate::mcp::client::{Client, ConnectError, Incoming, Outcome, SessionError};
use crate::mcp::value::unexpected;
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
    Task,
    Error,
    Refused(Error),
    Misframed(FrameError),
    Connected(Revision),
    Unsupported,
}

/// Passes the message `text`, or the front of one that a `fault` has lost, to `client`. What may be the answer to the last request ends the
/// wait. Valid requests and notifications that no client handles go to the server of the program.
pub(super) fn sort<S, H: Observer<C>, C>(
    client: &mut Client,
    server: &mut Server<S, H>,
    context: &mut C,
    text: &[u8],
    fault: Option<FrameError>,
    mut room: Room<'_>,
) -> Sorted<Ending> {
    let mut out = Writer::new(&mut room);
    let mut unframed = None;
    let incoming = match fault.map(|fault| lost(fault, text)) {
        None => Some(client.receive(text, &mut out)),
        Some(Some(Ok(refused))) => Some(client.receive_refused(refused, &mut out)),
        Some(Some(Err(fault))) => {
            unframed = Some(fault);
            client.end(None, Verdict::Refused(Error::new(ErrorKind::UnexpectedEnd, 0)), &[], &mut out)
        }
        Some(None) => None,
    };
    // the connection has reported the fault
    let Some(incoming) = incoming else { return Sorted::Handled { len: None, awaited: None } };
    let awaited = match incoming {
        Incoming::Connected(server) => Some(Ending::Connected(server.revision)),
        Incoming::NotConnected(ConnectError::Peer(_)) | Incoming::Answer((), Outcome::Error(_)) => Some(Ending::Error),
        Incoming::NotConnected(ConnectError::Refused(error, _)) | Incoming::Answer((), Outcome::Refused(error, _)) => {
            Some(unframed.map_or(Ending::Refused(error), Ending::Misframed))
        }
        Incoming::NotConnected(ConnectError::Unsupported(_)) => Some(Ending::Unsupported),
        Incoming::Answer((), Outcome::Result(_)) => Some(Ending::Result),
        Incoming::Answer((), Outcome::InputRequired(_)) => Some(Ending::InputRequired),
        Incoming::Answer((), Outcome::Task(_)) => Some(Ending::Task),
        Incoming::ToSend => None,
        // progress of a call that is not in flight
        Incoming::StaleProgress(_) => {
            let event = Event::Unfit(Str::Plain(method::PROGRESS), Error::new(ErrorKind::UnexpectedMessage, 0));
            server.observe(context, event);
            None
        }
        Incoming::Echo(_) => {
            server.observe(context, Event::Echo(text));
            None
        }
        Incoming::Unreadable(refused) => {
            if fault.is_none() {
                server.observe(context, Event::Unreadable(refused));
            }
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

    /// Reads the result in the answer that was received last.
    pub(super) fn result<'c, T, E, G>(
        &'c mut self,
        answer: &Answer,
        read: impl FnOnce(RawValue<'c>) -> Result<T, Error>,
    ) -> Result<T, SessionError<'c, E, G>> {
        let (text, _) = self.text_and_room(answer.span.clone());
        let refused = |error| SessionError::Refused(error, text);
        Err(match answer.ending {
            Ending::Result | Ending::Connected(_) => return read(result_in(text)).map_err(refused),
            Ending::Error => {
                SessionError::Peer(error_object(RawValue::alone_in(text).get("error").unwrap_or(RawValue::NULL)))
            }
            Ending::Refused(error) => refused(error),
            Ending::Misframed(fault) => SessionError::Misframed(fault),
            // a method that takes no input, or makes no task
            Ending::InputRequired | Ending::Task => {
                refused(Error::new(ErrorKind::UnknownVariant, result_in(text).offset()))
            }
            Ending::Unsupported => SessionError::Unsupported(supported(result_in(text))),
        })
    }
}

/// The result of the response `text`, which was validated before; null if it has none.
pub(super) fn result_in(text: &[u8]) -> RawValue<'_> {
    RawValue::alone_in(text).get("result").unwrap_or(RawValue::NULL)
}

/// Calls `each` with the elements of the list `member` in the result `page`.
pub(super) fn each_in<'a>(
    page: RawValue<'a>,
    member: &str,
    each: impl FnMut(RawValue<'a>) -> Result<(), Error>,
) -> Result<(), Error> {
    let list = page.get(member).ok_or(Error::new(ErrorKind::MissingField, page.offset()))?;
    if list.kind() != Kind::Array {
        return Err(unexpected(list));
    }
    list.elements().try_for_each(each)
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
