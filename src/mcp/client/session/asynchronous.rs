//! A client that drives a connection without blocking.

use core::future::{Pending, pending};

use super::session;
use crate::json::Writer;
use crate::server::AsyncRoutes;

/// No deadline.
fn never() -> Pending<()> {
    pending()
}

session! {
    { async } { .await } embedded_io_async AsyncRoutes (Future) (Pending<()>) { P: FnMut(&mut C, &Task<'_>) -> T, T: Future<Output = bool> }
    /// A [`Session`](super::Session) that does not block, with handlers that may wait: see [`Client::over_async`].
    AsyncSession
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
    over_async
    /// Sets a deadline for each request. The session cancels a late request, at the server too. After a request was sent, the session calls
    /// `deadline`, which returns a future that is ready at the deadline: `|| Timer::after_secs(5)`. The session polls this future only
    /// while it waits for the server, so the deadline interrupts neither a message that is being sent nor a handler. Each page of a list
    /// and each round of a call is a request.
    until
    answer_subrequest_async answer_found_async answer_until_async wait_async read_until_async write_async open_async flush_async
}
