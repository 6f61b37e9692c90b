//! Answering calls: routes to handlers, and the loop that reads, decides and replies.
//!
//! [`Server::process`] does it all: a text in, an answer out. [`Exchange`] is the same without routes, for those who
//! would rather decide themselves.

mod asynchronous;
mod exchange;
mod handler;
mod registry;
mod reply;
pub mod route;
mod router;

pub use asynchronous::{AsyncEndpoint, AsyncHandler, AsyncListener, AsyncRoute, AsyncRoutes};
pub use exchange::Exchange;
#[cfg(feature = "serde")]
pub use handler::Typed;
pub use handler::{Bare, Borrowing, Handler, Listener, Replying};
pub use registry::{AnyHandler, AnyListener, Registry, Shapeless, handler, listener};
pub use reply::{Replied, Reply};
pub use router::Router;

use route::{Call, Routes, Stage};

use crate::message::{Dialect, ErrorObject, Notification, Request};

/// Answers texts: routes, and the rules by which they are read.
///
/// | what arrives | what goes back |
/// |---|---|
/// | a request | the reply of its handler; -32601 if there is none, -32602 if its params do not fit |
/// | a notification | nothing, whatever its handler does |
/// | a response | nothing; it goes to [`Router::response`] |
/// | a batch | the answers in one array; nothing if there are none |
/// | anything else | -32700 or -32600, with the id where it could be read; nothing if [silent](Self::ignoring_unreadable) |
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use nanojsonrpc::{Router, Server};
///
/// let mut server = Server::new(Router::new().request("subtract", |_: &mut (), (a, b): (i32, i32)| Ok(a - b)));
/// let mut output = [0; 128];
/// assert_eq!(
///     server.process(&mut (), br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#, &mut output),
///     Some(&br#"{"jsonrpc":"2.0","result":19,"id":1}"#[..])
/// );
/// # }
/// ```
///
/// # Limits
/// Those of [`Exchange`], for the length of the output, and of the [`Dialect`]. Ids and methods may have any length. Stack:
/// constant, but for what the handlers take.
///
/// Source: JSON-RPC 2.0 §4 to §6.
#[derive(Clone, Copy, Debug)]
pub struct Server<R> {
    routes: R,
    dialect: Dialect,
    ignores_unreadable: bool,
}

impl<R> Server<R> {
    /// A server with the routes of `router`, which reads by the rules of JSON-RPC 2.0 and answers what it cannot read.
    pub fn new<C, E>(router: Router<C, R, E>) -> Self {
        Self::with_routes(router.routes)
    }

    /// The same with routes that do not come from a [`Router`]: a [`Registry`].
    pub fn with_routes(routes: R) -> Self {
        Self { routes, dialect: Dialect::JSON_RPC, ignores_unreadable: false }
    }

    /// The routes.
    pub const fn routes_mut(&mut self) -> &mut R {
        &mut self.routes
    }

    /// The same by the rules and limits of `dialect`.
    pub fn with_dialect(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }

    /// The same, but what is no message is passed over in silence: for a bus that others share, or for a line with noise.
    pub fn ignoring_unreadable(self) -> Self {
        Self { ignores_unreadable: true, ..self }
    }

    /// The rules by which it reads.
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Reads `text`, one message or a batch, calls the handlers, and returns the answer, which is written to `output`;
    /// `None` if there is nothing to be sent.
    pub fn process<'o, C>(&mut self, context: &mut C, text: &[u8], output: &'o mut [u8]) -> Option<&'o [u8]>
    where
        R: Routes<C>,
    {
        let mut exchange = Exchange::new(text, output, self.dialect);
        exchange.ignore_unreadable(self.ignores_unreadable);
        while let Some(envelope) = exchange.next_message() {
            self.route(context, Call::of(&envelope), &mut exchange);
        }
        exchange.answer()
    }

    /// Answers a message that did not even arrive whole, as [`process`](Self::process) answers one that it cannot read: with
    /// `error`, which is or turns into an [`ErrorObject`], as [`FrameError`](crate::frame::FrameError) does.
    pub fn refuse<'o>(&self, error: impl Into<ErrorObject<'static>>, output: &'o mut [u8]) -> Option<&'o [u8]> {
        let mut exchange = Exchange::new(&[], output, self.dialect);
        if !self.ignores_unreadable {
            exchange.ask_unknown();
            exchange.reply().error(error.into());
        }
        exchange.answer()
    }

    /// Answers a request that has been read already. The answer is written to `output`.
    ///
    /// # Limits
    /// As [`Exchange`], with room for the id twice.
    pub fn handle<'o, C, const ID: usize, const METHOD: usize>(
        &mut self,
        context: &mut C,
        request: &Request<'_, ID, METHOD>,
        output: &'o mut [u8],
    ) -> Option<&'o [u8]>
    where
        R: Routes<C>,
    {
        let (output, id) = request.id.at_end_of(output)?;
        let mut exchange = Exchange::new(&[], output, self.dialect);
        exchange.ask(id);
        self.route(context, Call::new(Stage::Request, &request.method, request.params.into()), &mut exchange);
        exchange.answer()
    }

    /// Hands a notification that has been read already to its listener.
    pub fn notify<C, const METHOD: usize>(&mut self, context: &mut C, notification: &Notification<'_, METHOD>)
    where
        R: Routes<C>,
    {
        let mut exchange = Exchange::new(&[], &mut [], self.dialect);
        let call = Call::new(Stage::Notification, &notification.method, notification.params.into());
        self.route(context, call, &mut exchange);
    }

    fn route<C>(&mut self, context: &mut C, mut call: Call<'_>, exchange: &mut Exchange<'_, '_>)
    where
        R: Routes<C>,
    {
        while !self.routes.route(context, &call, exchange) {
            if !call.falls_back() {
                exchange.reply().error(ErrorObject::METHOD_NOT_FOUND);
                return;
            }
        }
    }
}
