//! Messages that a server drops, and replies that are lost.

use core::fmt;

use super::route::Call;
use super::{Exchange, Server};
use crate::error::{Error, ErrorKind};
use crate::frame::FrameError;
use crate::json::ObjectWriter;
use crate::message::{ErrorCode, ErrorObject, Refused, Str, standard};

/// A message that a server dropped, or an answer that it could not write; see
/// [`Server::observed_by`](super::Server::observed_by).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Event<'a> {
    /// A text, or an element of a batch, is not a message. The server answers it, except if the server is
    /// [silent](super::Server::ignoring_unreadable) or the text is an invalid response, which is not
    /// [answerable](Refused::is_answerable). The id of an invalid response is that of a call of the program, which gets no other answer:
    /// end it with [`Client::cancel`](crate::Client::cancel).
    ///
    /// ```
    /// use nanojsonrpc::server::Event;
    /// use nanojsonrpc::{Client, Id, Router, Server, Writer};
    ///
    /// type Calls = Client<&'static str, 4>;
    ///
    /// let mut client = Calls::new();
    /// client.call("level", &(), "level", &mut Writer::new(&mut [0; 64]))?;
    /// let mut server = Server::new(Router::<Calls>::new()).observed_by(|client: &mut Calls, event: Event<'_>| {
    ///     if let Event::Unreadable(refused) = event {
    ///         let id = refused.id.filter(|_| !refused.is_answerable()).and_then(|id| Id::read(id).ok());
    ///         assert_eq!(id.and_then(|id| client.cancel(&id)), Some("level"));
    ///     }
    /// });
    /// // the code is not an integer
    /// let answer = br#"{"jsonrpc":"2.0","error":{"code":"E7","message":"no"},"id":1}"#;
    /// assert_eq!(server.process(&mut client, answer, &mut [0; 64]).answer(), None);
    /// assert!(client.is_empty());
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    Unreadable(Refused<'a>),
    /// The bytes of a stream are not a valid frame.
    Misframed(FrameError),
    /// A connection did not answer an unreadable text, because the text before it was unreadable, too. This event follows the
    /// [`Unreadable`](Self::Unreadable) or [`Misframed`](Self::Misframed) event of the text.
    Unanswered,
    /// A notification has no listener. Contains its method.
    NoListener(Str<'a>),
    /// The params of a notification do not fit its listener. Contains the method and the first fault.
    Unfit(Str<'a>, Error),
    /// There was no room to decode a string in the params of a call. A request was answered with -32603, a notification was dropped. Contains
    /// the method and the position of the string.
    Undecoded(Str<'a>, Error),
    /// A response arrived, and the server has no listener for responses.
    UnexpectedResponse,
    /// A request came back with the id and the bytes of a call that waits for its answer: a half-duplex line, such as RS-485, or a console
    /// returns the sent bytes. The request was dropped. Contains its text.
    Echo(&'a [u8]),
    /// A reply could not be written, or the handler gave no reply, so the call was answered with -32603. Contains the method and the
    /// reason.
    ReplyLost(Str<'a>, Error),
    /// The members that a [`Layer`](super::Layer::members) adds to the answer to a call could not be written, so it was sent without them.
    /// Contains the method and the reason.
    MembersLost(Str<'a>, Error),
    /// The handler or listener of a call was dropped at its time limit, which [`Router::limited_by`](crate::Router::limited_by) sets. Contains
    /// the method. A request has an answer, [`ErrorCode::TIMED_OUT`] unless the handler had replied.
    TimedOut(Str<'a>),
    /// A message in a connection's queue could not be written.
    Unsent(Error),
    /// The stream failed while a connection wrote the answer to a message, or before, so the peer does not get it, although the handlers were
    /// called. Contains the text of the message, one request or a batch. The method of the connection returns the fault of the stream. Not
    /// reported by `Connection::concurrent` for answers of `async` handlers, which ends with that fault.
    AnswerUnsent(&'a [u8]),
    /// A request or batch for an `async` handler is too long for a slot of `Connection::concurrent`, or the shortest answers to its calls are.
    /// So it is handled in place, and until then the connection reads nothing and sends nothing else. Contains the `MESSAGE` that it needs,
    /// and the room in `ANSWER`. This event precedes the handler.
    InPlace {
        /// The length of the text in bytes.
        message: usize,
        /// The length of the shortest answer to all calls of the text, without its frame.
        answer: usize,
    },
    /// The output is too short for the shortest answer to each call of a text, so no call of it reached a handler.
    NoRoom,
}

/// In one line: a method is shown with escapes for backslashes, control characters and other characters that are not printed.
impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "unreadable message: {error}"),
            Self::Misframed(error) => write!(f, "misframed bytes: {error}"),
            Self::Unanswered => f.write_str("unreadable message left unanswered"),
            Self::NoListener(method) => write!(f, "notification without listener: {}", method.sanitized()),
            Self::Unfit(method, error) => {
                write!(f, "notification {} dropped, params do not fit: {error}", method.sanitized())
            }
            Self::Undecoded(method, error) => write!(f, "params of {} not read: {error}", method.sanitized()),
            Self::UnexpectedResponse => f.write_str("response without listener"),
            Self::ReplyLost(method, error) => write!(f, "reply to {} lost: {error}", method.sanitized()),
            Self::MembersLost(method, error) => {
                write!(f, "reply to {} without members: {error}", method.sanitized())
            }
            Self::Echo(text) => write!(f, "echo of an own call of {} bytes", text.len()),
            Self::TimedOut(method) => write!(f, "handler of {} dropped at its time limit", method.sanitized()),
            Self::Unsent(error) => write!(f, "queued message not sent: {error}"),
            Self::AnswerUnsent(text) => write!(f, "answer to a message of {} bytes not sent", text.len()),
            Self::InPlace { message, answer } => {
                write!(f, "request handled in place: message of {message} bytes, shortest answer of {answer}")
            }
            Self::NoRoom => f.write_str("call refused: no room for an answer"),
        }
    }
}

/// Receives each [`Event`]: a function or closure that takes the context and the event.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the observer or the layer of a server with the context `{C}`",
    label = "not an observer or a layer for the context `{C}`",
    note = "an observer is a function or closure with the arguments `&mut C` and `Event<'_>`",
    note = "implement `nanojsonrpc::server::Layer<C>` for a layer, with the context of the server as `C`"
)]
pub trait Observer<C> {
    /// Whether the observer does anything. If not, no code for events is linked.
    const IS_ACTIVE: bool = true;

    /// Receives `event`.
    fn observe(&mut self, context: &mut C, event: Event<'_>);

    /// Whether the server has a [`Layer`](super::Layer). If not, no code for layers is linked.
    #[doc(hidden)]
    const HAS_LAYER: bool = false;

    /// Calls the layers before the routes of `call`, from the outermost to the first that refuses it. `is_refused` for a call that a layer
    /// further out has refused.
    ///
    /// # Errors
    /// The error of the layer.
    #[doc(hidden)]
    fn enter(&mut self, _: &mut C, _: &Call<'_>, _is_refused: bool) -> Result<(), ErrorObject<'static>> {
        Ok(())
    }

    /// Calls the layers that `enter` has called, from the innermost.
    #[doc(hidden)]
    fn leave(&mut self, _: &mut C, _: &Call<'_>, _outcome: Result<(), ErrorCode>) {}

    /// Lets all layers add members, from the innermost; see [`Layer::members`](super::Layer::members).
    #[doc(hidden)]
    fn put_members(&mut self, _: &mut C, _: Option<&Call<'_>>, _: &mut ObjectWriter<'_, '_>) {}
}

impl<C, F: FnMut(&mut C, Event<'_>)> Observer<C> for F {
    fn observe(&mut self, context: &mut C, event: Event<'_>) {
        self(context, event);
    }
}

/// The observer that ignores every event: the default of a server.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Unobserved;

impl<C> Observer<C> for Unobserved {
    const IS_ACTIVE: bool = false;

    fn observe(&mut self, _: &mut C, _: Event<'_>) {}
}

impl<R, H> Server<R, H> {
    /// Reports the fault that the handler of `call` left in `exchange`, if there is one. A missing reply is a fault, too.
    pub(super) fn routed<C>(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>)
    where
        H: Observer<C>,
    {
        if H::IS_ACTIVE || H::HAS_LAYER {
            exchange.settle();
            self.leave(context, call, exchange, Ok(()));
        }
    }

    /// Calls the layers before the routes of `call`. Returns `false` if a layer has refused it; then it is answered.
    pub(super) fn enter<C>(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool
    where
        H: Observer<C>,
    {
        let entered = self.observer.enter(context, call, false);
        if let Err(error) = &entered {
            exchange.reply().put_error(error);
            self.leave(context, call, exchange, Err(error.code));
        }
        entered.is_ok()
    }

    /// Reports the fault that `call` left in `exchange`, and calls the layers. `unanswered` is the outcome of a call without an answer and
    /// without a fault.
    fn leave<C>(
        &mut self,
        context: &mut C,
        call: &Call<'_>,
        exchange: &mut Exchange<'_, '_>,
        unanswered: Result<(), ErrorCode>,
    ) where
        H: Observer<C>,
    {
        // the answer to a subrequest, which has no id, is a part of another message
        if H::HAS_LAYER && call.is_request() && call.id().is_some() {
            let added = exchange.add_members(|members| self.observer.put_members(context, Some(call), members));
            if let Err(error) = added {
                self.observer.observe(context, Event::MembersLost(call.method(), error));
            }
        }
        let is_timed_out = exchange.take_timed_out();
        if is_timed_out && H::IS_ACTIVE {
            self.observer.observe(context, Event::TimedOut(call.method()));
        }
        let fault = self.report(context, call, exchange);
        if H::HAS_LAYER {
            let outcome = match fault.map(Error::kind) {
                _ if call.is_request() => exchange.code().map_or(Ok(()), Err),
                _ if is_timed_out => Err(ErrorCode::TIMED_OUT),
                None => unanswered,
                Some(ErrorKind::EscapedString) => Err(ErrorCode::INTERNAL_ERROR),
                Some(_) => Err(ErrorCode::INVALID_PARAMS),
            };
            self.observer.leave(context, call, outcome);
        }
    }

    /// Takes the fault that `call` left in `exchange`, and reports it. A fault that stayed there would be reported for the next message.
    /// Returns it.
    pub(super) fn report<C>(
        &mut self,
        context: &mut C,
        call: &Call<'_>,
        exchange: &mut Exchange<'_, '_>,
    ) -> Option<Error>
    where
        H: Observer<C>,
    {
        if !(H::IS_ACTIVE || H::HAS_LAYER) {
            return None;
        }
        let fault = exchange.take_fault();
        if let Some(error) = fault.filter(|_| H::IS_ACTIVE) {
            let event = match error.kind() {
                ErrorKind::EscapedString => Event::Undecoded,
                _ if call.is_request() => Event::ReplyLost,
                _ => Event::Unfit,
            };
            self.observer.observe(context, event(call.method(), error));
        }
        fault
    }

    /// Handles a message without a route: answers a request with -32601, and reports any other message as dropped, except the `quiet`
    /// notifications.
    pub(super) fn unrouted<C>(
        &mut self,
        context: &mut C,
        call: &Call<'_>,
        exchange: &mut Exchange<'_, '_>,
        quiet: &[&str],
    ) where
        H: Observer<C>,
    {
        exchange.reply().standard_error(standard::METHOD_NOT_FOUND);
        if !(H::IS_ACTIVE || H::HAS_LAYER) {
            return;
        }
        let is_quiet = quiet.iter().any(|name| call.matches(call.stage, name));
        let unanswered = if is_quiet { Ok(()) } else { Err(ErrorCode::METHOD_NOT_FOUND) };
        self.leave(context, call, exchange, unanswered);
        if H::IS_ACTIVE && !call.is_request() && !is_quiet {
            let event = if call.is_response() { Event::UnexpectedResponse } else { Event::NoListener(call.method()) };
            self.observer.observe(context, event);
        }
    }
}

/// An observer that writes each event to the `log` crate, as a warning. A peer cannot forge a line of the log, because methods are shown
/// with escapes.
///
/// ```
/// use nanojsonrpc::{Router, Server, server::log_event};
///
/// let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong"))).observed_by(log_event);
/// assert_eq!(server.process(&mut (), br#"{"jsonrpc":"2.0","method":"pang"}"#, &mut []).answer(), None); // and a line in the log
/// ```
#[cfg(feature = "log")]
pub fn log_event<C>(_: &mut C, event: Event<'_>) {
    log::warn!(target: "nanojsonrpc", "{event}");
}
