//! A client that drives a connection: one call at a time.

#[cfg(feature = "embedded-io-async")]
mod asynchronous;
mod error;
mod found;
mod methods;

use core::fmt;
use core::ops::Range;

use embedded_io::{Error as _, ErrorType};

#[cfg(feature = "embedded-io-async")]
pub use asynchronous::AsyncSession;
pub use error::SessionError;

use found::{Ending, Found, Step, input_method, result_in};
use methods::methods;

#[cfg(feature = "serde")]
use super::ToolResult;
use super::{Call, Client, Connected, MAX_ROUNDS, input_requests, put_state};
use crate::connection::{Connection, ConnectionError};
use crate::error::{Error, ErrorKind};
use crate::frame::{Buffer, Frame, FrameError};
use crate::json::{Kind, RawValue, ToJson, Writer};
use crate::mcp::types::{
    CallToolResult, CompleteResult, GetPromptResult, InputRequest, LoggingLevel, Prompt, ReadResourceResult, Reference,
    Resource, ResourceTemplate, Tool,
};
use crate::mcp::{Revision, method};
use crate::message::Text;
use crate::server::route::Routes;
use crate::server::{Event, Observer, Server};

/// A [`Client`] over a [`Connection`]: see [`Client::over`].
///
/// `K` is the connection. `S` is the program's [`Server`], which answers requests of the server and receives its notifications; `C` is the
/// context of its handlers. `D` gives each request its deadline.
#[must_use = "only the methods of the session send requests"]
pub struct Session<'s, K, S, C, D = fn() -> fn() -> bool> {
    client: &'s mut Client,
    connection: &'s mut K,
    server: &'s mut S,
    context: &'s mut C,
    deadline: D,
}

impl<K, S, C, D> fmt::Debug for Session<'_, K, S, C, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("client", &self.client).finish_non_exhaustive()
    }
}

#[cfg(feature = "defmt")]
impl<K, S, C, D> defmt::Format for Session<'_, K, S, C, D> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Session({})", self.client);
    }
}

/// The reason why a call on a stream of `R` and `W` has no result.
type Failed<'a, R, W> = SessionError<'a, <R as ErrorType>::Error, <W as ErrorType>::Error>;

/// No deadline.
fn never() -> fn() -> bool {
    || false
}

impl Client {
    /// Drives the client over `connection`. While a call waits, requests and notifications of the server go to `server`, with `context`.
    /// The client itself answers a `ping`.
    ///
    /// The requests inside a result (2026-07-28) go to the same handlers, but only [`ROOTS_LIST`](method::ROOTS_LIST),
    /// [`SAMPLING_CREATE_MESSAGE`](method::SAMPLING_CREATE_MESSAGE) and [`ELICITATION_CREATE`](method::ELICITATION_CREATE).
    ///
    /// The same client, connection and server may drive several sessions, one after the other; a new stream must be
    /// [connected](Session::connect) again.
    ///
    /// # Limits
    /// The limits of [`Connection`]: an incoming message fits the buffer of the framer, an outgoing message the output, less 40 bytes.
    /// One call at a time. The answers to input requests and the call itself together fit the output.
    ///
    /// # Dropped messages
    /// The observer of `server` receives messages without a listener: notifications without a listener, progress of another call, answers
    /// to cancelled calls.
    pub const fn over<'s, K, S, C>(
        &'s mut self,
        connection: &'s mut K,
        server: &'s mut S,
        context: &'s mut C,
    ) -> Session<'s, K, S, C> {
        Session { client: self, connection, server, context, deadline: never }
    }

    /// Forgets the calls in flight.
    pub(super) fn forget(&mut self) {
        while self.pending.take_any().is_some() {}
    }

    /// Appends the notification that cancels the call in flight.
    pub(super) fn cancel_current(&mut self, out: &mut Writer<'_>) -> Result<(), Error> {
        let id = self.in_flight().next().map(|(id, ())| id);
        id.map_or(Err(Error::new(ErrorKind::UnexpectedMessage, 0)), |id| self.cancel(id, "", out).map(|_| ()))
    }
}

impl<'s, K, S, C, D> Session<'s, K, S, C, D> {
    /// Sets a deadline for each request. The session cancels a late request, at the server too. After a request was sent, the session calls
    /// `deadline`, which returns a function. The session calls that function before each read and after a failed read; `true` means that
    /// the deadline has passed. A reader that can wait forever needs its own timeout. Each page of a list and each round of a call is a
    /// request.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    ///
    /// let in_five_seconds = || {
    ///     let end = Instant::now() + Duration::from_secs(5);
    ///     move || Instant::now() >= end
    /// };
    /// let mut is_late = in_five_seconds(); // as session.until(in_five_seconds) does
    /// assert!(!is_late());
    /// ```
    pub fn until<E: FnMut() -> L, L: FnMut() -> bool>(self, deadline: E) -> Session<'s, K, S, C, E> {
        let Self { client, connection, server, context, .. } = self;
        Session { client, connection, server, context, deadline }
    }

    /// The client.
    pub const fn client(&self) -> &Client {
        self.client
    }

    /// The context of the handlers.
    pub const fn context(&mut self) -> &mut C {
        self.context
    }
}

impl<R, W, F, B, S, H, C, D, L> Session<'_, Connection<'_, R, W, F, B>, Server<S, H>, C, D>
where
    R: embedded_io::Read,
    W: embedded_io::Write,
    F: Frame,
    B: Buffer,
    S: Routes<C>,
    H: Observer<C>,
    D: FnMut() -> L,
    L: FnMut() -> bool,
{
    methods! { {} {} answer_inside }

    fn open(&mut self) -> Result<(), Failed<'static, R, W>> {
        Ok(self.connection.open()?)
    }

    fn write(&mut self, len: usize) -> Result<(), Failed<'static, R, W>> {
        Ok(self.connection.write(len)?)
    }

    fn flush(&mut self) -> Result<(), Failed<'static, R, W>> {
        Ok(self.connection.flush()?)
    }

    fn read(&mut self) -> Result<bool, Failed<'static, R, W>> {
        match self.connection.read() {
            Err(ConnectionError::Read(error)) if error.kind() == embedded_io::ErrorKind::TimedOut => Ok(true),
            read => Ok(read?),
        }
    }

    fn serve(&mut self, found: Result<Range<usize>, FrameError>) -> Result<(), Failed<'static, R, W>> {
        self.connection.check_output()?;
        Ok(self.connection.answer_found(found, self.server, self.context)?)
    }

    /// Handles messages until one ends the wait.
    fn wait(&mut self) -> Result<Found, Failed<'static, R, W>> {
        let mut is_late = (self.deadline)();
        loop {
            while let Some(found) = self.connection.next_found() {
                if let Some(found) = self.take(found)? {
                    // a failed flush does not lose the answer; the next method flushes again
                    _ = self.flush();
                    return Ok(found);
                }
            }
            self.flush()?;
            if self.connection.has_ended() {
                return Err(SessionError::Closed);
            }
            if is_late() {
                return Err(SessionError::Late);
            }
            match self.connection.read() {
                // the adapters of std report a timeout of the socket as another error, so only the clock shows a late call
                Err(ConnectionError::Read(_)) if is_late() => return Err(SessionError::Late),
                Err(ConnectionError::Read(error)) if error.kind() == embedded_io::ErrorKind::TimedOut => {}
                read => _ = read?,
            }
        }
    }
}
