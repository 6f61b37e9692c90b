//! A client that drives a connection and blocks.

use super::session;
use crate::json::Writer;
use crate::server::route::Routes;

/// No deadline.
fn never() -> fn() -> bool {
    || false
}

session! {
    {} {} embedded_io Routes (FnMut() -> bool) (fn() -> bool) { P: FnMut(&mut C, &Task<'_>) -> bool }
    /// A [`Client`] over a [`Connection`]: see [`Client::over`].
    ///
    /// `K` is the connection. `S` is the program's [`Server`], which answers requests of the server and receives its notifications; `C` is the
    /// context of its handlers. `D` gives each request its deadline.
    Session
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
    /// to cancelled calls. It also receives texts that are no valid message, such as a banner: they get no answer, and end a call only if they
    /// may be its answer.
    over
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
    until
    answer_subrequest answer_found answer_until wait read_until write open flush
}
