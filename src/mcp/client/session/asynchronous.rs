//! A client that drives a connection without blocking.

use core::fmt;
use core::future::{Pending, pending};
use core::ops::Range;
use core::pin::pin;

#[cfg(feature = "serde")]
use super::ToolResult;
use super::{
    Buffer, Call, CallToolResult, Client, CompleteResult, Connected, Connection, ConnectionError, Ending, Error,
    ErrorKind, Event, Failed, Found, Frame, FrameError, GetPromptResult, InputRequest, Kind, LoggingLevel, MAX_ROUNDS,
    Observer, Prompt, RawValue, ReadResourceResult, Reference, Resource, ResourceTemplate, Revision, Server,
    SessionError, Step, Text, ToJson, Tool, input_method, input_requests, method, methods, put_state, result_in,
};
use crate::connection::read_until;
use crate::server::AsyncRoutes;

/// A [`Session`](super::Session) that does not block, with handlers that may wait: see [`Client::over_async`].
#[must_use = "only the methods of the session send requests"]
pub struct AsyncSession<'s, K, S, C, D = fn() -> Pending<()>> {
    client: &'s mut Client,
    connection: &'s mut K,
    server: &'s mut S,
    context: &'s mut C,
    deadline: D,
}

impl<K, S, C, D> fmt::Debug for AsyncSession<'_, K, S, C, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncSession").field("client", &self.client).finish_non_exhaustive()
    }
}

#[cfg(feature = "defmt")]
impl<K, S, C, D> defmt::Format for AsyncSession<'_, K, S, C, D> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "AsyncSession({})", self.client);
    }
}

impl Client {
    /// [`over`](Self::over) without blocking. Await the returned futures until they are done; a [deadline](AsyncSession::until) ends a call
    /// early. If a future is dropped, its call ends when the next method is called. A later answer to the call goes to `server`, as a
    /// response without a call. See also [cancel safety](Connection#cancel-safety).
    ///
    /// ```
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::mcp::client::Client;
    /// use nanojsonrpc::{Dialect, Router, Server};
    ///
    /// async fn is_there(reader: impl embedded_io_async::Read, writer: impl embedded_io_async::Write) -> bool {
    ///     let (mut framer, mut output) = (Framer::<Lines, 1024>::new(), [0; 1024]);
    ///     let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    ///     let mut server = Server::new(Router::<()>::new()).with_dialect(Dialect::MCP);
    ///     let mut client = Client::new("me", "1.0.0");
    ///     client.over_async(&mut connection, &mut server, &mut ()).connect().await.is_ok()
    /// }
    /// ```
    pub const fn over_async<'s, K, S, C>(
        &'s mut self,
        connection: &'s mut K,
        server: &'s mut S,
        context: &'s mut C,
    ) -> AsyncSession<'s, K, S, C> {
        AsyncSession { client: self, connection, server, context, deadline: pending::<()> }
    }
}

impl<'s, K, S, C, D> AsyncSession<'s, K, S, C, D> {
    /// Sets a deadline for each request. The session cancels a late request, at the server too. After a request was sent, the session calls
    /// `deadline`, which returns a future that is ready at the deadline: `|| Timer::after_secs(5)`. The session polls this future only
    /// while it waits for the server, so the deadline interrupts neither a message that is being sent nor a handler. Each page of a list
    /// and each round of a call is a request.
    pub fn until<E: FnMut() -> L, L: Future>(self, deadline: E) -> AsyncSession<'s, K, S, C, E> {
        let Self { client, connection, server, context, .. } = self;
        AsyncSession { client, connection, server, context, deadline }
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

impl<R, W, F, B, S, H, C, D, L> AsyncSession<'_, Connection<'_, R, W, F, B>, Server<S, H>, C, D>
where
    R: embedded_io_async::Read,
    W: embedded_io_async::Write,
    F: Frame,
    B: Buffer,
    S: AsyncRoutes<C>,
    H: Observer<C>,
    D: FnMut() -> L,
    L: Future,
{
    methods! { {async} {.await} answer_inside_async }

    async fn open(&mut self) -> Result<(), Failed<'static, R, W>> {
        Ok(self.connection.open_async().await?)
    }

    async fn write(&mut self, len: usize) -> Result<(), Failed<'static, R, W>> {
        Ok(self.connection.write_async(len).await?)
    }

    async fn flush(&mut self) -> Result<(), Failed<'static, R, W>> {
        Ok(self.connection.flush_async().await?)
    }

    async fn read(&mut self) -> Result<bool, Failed<'static, R, W>> {
        Ok(self.connection.read_async().await?)
    }

    async fn serve(&mut self, found: Result<Range<usize>, FrameError>) -> Result<(), Failed<'static, R, W>> {
        self.connection.check_output()?;
        Ok(self.connection.answer_found_async(found, self.server, self.context).await?)
    }

    /// Handles messages until one ends the wait.
    async fn wait(&mut self) -> Result<Found, Failed<'static, R, W>> {
        let mut deadline = pin!((self.deadline)());
        let mut is_late = false;
        loop {
            while let Some(found) = self.connection.next_found() {
                if let Some(found) = self.take(found).await? {
                    // a failed flush does not lose the answer; the next method flushes again
                    _ = self.flush().await;
                    return Ok(found);
                }
            }
            self.flush().await?;
            if self.connection.has_ended() {
                return Err(SessionError::Closed);
            }
            if is_late {
                return Err(SessionError::Late);
            }
            is_late = read_until(self.connection.read_async(), deadline.as_mut()).await?;
        }
    }
}
