//! The server side: routes map methods to handlers, and a loop reads a text, calls the handlers and writes the answer.
//!
//! [`Server::process`] turns a received text, one message or a batch, into its answer. [`Exchange`] does the same without routes: the
//! program handles each message itself. To put something in front of all calls (log, count, authorise, limit), see [`Layer`].

mod async_handler;
mod async_route;
mod asynchronous;
#[cfg(feature = "alloc")]
mod boxed;
mod call;
#[cfg(feature = "serde")]
pub(crate) mod checked;
mod context;
mod endpoint;
mod event;
mod exchange;
mod failure;
mod handler;
mod held;
mod layer;
mod list;
mod outcome;
mod processed;
mod progress;
mod registry;
mod reply;
pub mod route;
mod router;
#[cfg(feature = "serde")]
pub(crate) mod structured;
#[cfg(all(feature = "mcp", feature = "embedded-io"))]
mod subrequest;
mod time_limit;

pub use async_handler::{AsyncHandler, AsyncListener};
pub use async_route::{AsyncEndpoint, AsyncRoute, AsyncRoutes};
#[cfg(feature = "alloc")]
pub use boxed::{BoxedRoutes, RouteFn};
#[cfg(feature = "serde")]
pub use checked::Checked;
#[cfg(feature = "log")]
pub use event::log_event;
pub use event::{Event, Observer, Unobserved};
pub use exchange::Exchange;
pub use failure::Failure;
pub use handler::{Handler, Listener};
pub use layer::{Layer, Layered};
pub use outcome::HandlerError;
pub(crate) use outcome::Outcome;
#[cfg(feature = "embedded-io-async")]
pub(crate) use processed::min_answer_len;
pub use processed::{MIN_ANSWER_LEN, Processed};
pub use progress::Replied;
pub use registry::{AnyHandler, AnyListener, Registry, handler, handler_fallible, listener};
pub use reply::Reply;
pub use router::Router;
pub use time_limit::TimeLimited;

// type parameters that a type alias of routes names: the signature of a handler, the way to write its error
#[cfg(feature = "serde")]
pub use handler::Typed;
pub use handler::{Bare, Borrowing, Replying};
pub use outcome::{ByFailure, Converted, Plain};

// type parameters that the compiler infers
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use crate::json::place::{Field, Limited, Place, Rule};
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use checked::ByLimits;
#[doc(hidden)]
pub use outcome::ByObject;

use route::{Call, Routes};

use crate::json::{Output, Room};
use crate::message::{Dialect, ErrorObject};

/// Reads JSON-RPC texts, calls the handlers of its routes, and writes the answers. In a struct or a static: see [`route`].
///
/// | input | answer |
/// |---|---|
/// | a request | the reply of its handler; -32601 if there is no handler, -32602 if its params do not fit, -32603 if a limit of the server prevents the reply: no room for the result or for a decoded string |
/// | a notification | nothing, whatever its listener does |
/// | a response | nothing; it goes to [`Router::response`] |
/// | an invalid response: an object with `result` or `error` and without `method` | nothing |
/// | a batch | the answers in one array; nothing if no element gets an answer |
/// | anything else (an unreadable text) | -32700 or -32600, with the id if readable; nothing if [silent](Self::ignoring_unreadable) |
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use nanojsonrpc::{Router, Server};
///
/// let mut server = Server::new(Router::new().request("subtract", |_: &mut (), (a, b): (i32, i32)| Ok(a - b)));
/// let mut output = [0; 128];
/// assert_eq!(
///     server.process(&mut (), br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#, &mut output).answer(),
///     Some(&br#"{"jsonrpc":"2.0","result":19,"id":1}"#[..])
/// );
/// # }
/// ```
///
/// # Limits
/// Output: see [`Exchange`]; [`Processed::lacks_room`] tells that a text was refused because it was too short. Length of texts and
/// batches: see [`Dialect`]. Ids and methods: any length. Stack: constant, plus the stack of the handlers.
///
/// Source: JSON-RPC 2.0 §4 to §6.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Server<R, H = Unobserved> {
    routes: R,
    observer: H,
    dialect: Dialect,
    ignores_unreadable: bool,
}

impl<R> Server<R> {
    /// Creates a server with the routes of `router`. It applies the rules of JSON-RPC 2.0 and answers unreadable texts with an error. Without a
    /// route for requests, it is that of a client, and answers valid requests only, with -32601.
    pub fn new<C>(router: Router<C, R>) -> Self {
        Self { ignores_unreadable: !router.is_for_requests, ..Self::with_routes(router.routes) }
    }

    /// Creates a server from routes that are not built with a [`Router`], such as a [`Registry`].
    pub const fn with_routes(routes: R) -> Self {
        Self { routes, observer: Unobserved, dialect: Dialect::JSON_RPC, ignores_unreadable: false }
    }

    /// Calls `observer` with every dropped message and lost reply; see [`Event`]. Without an observer, no code for
    /// events is linked. Call it before [`with_layer`](Self::with_layer).
    ///
    /// ```
    /// use nanojsonrpc::server::Event;
    /// use nanojsonrpc::{Router, Server};
    ///
    /// #[derive(Default)]
    /// struct Board {
    ///     log: Vec<String>,
    /// }
    ///
    /// let router = Router::new().request("ping", |_: &mut Board| Ok("pong"));
    /// let mut server = Server::new(router).observed_by(|board: &mut Board, event: Event<'_>| board.log.push(event.to_string()));
    /// let (mut board, mut output) = (Board::default(), [0; 128]);
    /// assert_eq!(server.process(&mut board, br#"{"jsonrpc":"2.0","method":"ping"}"#, &mut output).answer(), None);
    /// assert_eq!(board.log, ["notification without listener: ping"]);
    /// ```
    pub fn observed_by<C, F: FnMut(&mut C, Event<'_>)>(self, observer: F) -> Server<R, F> {
        self.map_observer(|_| observer)
    }
}

impl<R, H> Server<R, H> {
    fn map_observer<O>(self, observer: impl FnOnce(H) -> O) -> Server<R, O> {
        Server {
            routes: self.routes,
            observer: observer(self.observer),
            dialect: self.dialect,
            ignores_unreadable: self.ignores_unreadable,
        }
    }

    /// The routes.
    ///
    /// ```
    /// use nanojsonrpc::Server;
    /// use nanojsonrpc::server::{Registry, listener};
    ///
    /// let mut blink = listener(|blinks: &mut u32| *blinks += 1);
    /// let mut server = Server::with_routes(Registry::<u32, 4>::new());
    /// server.routes_mut().notification("blink", &mut blink)?;
    /// let (mut blinks, mut output) = (0, [0; 64]);
    /// assert_eq!(server.process(&mut blinks, br#"{"jsonrpc":"2.0","method":"blink"}"#, &mut output).answer(), None);
    /// assert_eq!(blinks, 1);
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    pub const fn routes_mut(&mut self) -> &mut R {
        &mut self.routes
    }

    /// Applies the rules and limits of `dialect` to every text.
    pub fn with_dialect(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }

    /// Drops unreadable texts without an answer: for a bus with other protocols, or for a noisy line.
    pub fn ignoring_unreadable(self) -> Self {
        Self { ignores_unreadable: true, ..self }
    }

    /// The rules and limits that the server applies to every text.
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Ends `exchange`, and reports its text if the output was too short.
    fn end<'o, C>(&mut self, context: &mut C, exchange: &mut Exchange<'_, 'o>) -> Processed<'o>
    where
        H: Observer<C>,
    {
        let processed = exchange.end();
        if H::IS_ACTIVE && processed.lacks_room() {
            self.observer.observe(context, Event::NoRoom);
        }
        processed
    }

    /// Reads the next message into `exchange`, and reports unreadable ones to the observer. Returns `false` after the last.
    #[inline]
    fn next_message<C>(&mut self, context: &mut C, exchange: &mut Exchange<'_, '_>) -> bool
    where
        H: Observer<C>,
    {
        exchange.next_with(|message, error| {
            // 252 bytes on thumbv7m: the id is not read without an observer
            if H::IS_ACTIVE {
                self.observer.observe(context, Event::Unreadable(message.refused(error)));
            }
        })
    }

    /// Reports `event` to the [observer](Self::observed_by), for a transport of the program, which may lose messages itself.
    ///
    /// ```
    /// use nanojsonrpc::server::Event;
    /// use nanojsonrpc::{Router, Server};
    ///
    /// let mut server = Server::new(Router::<u32>::new()).observed_by(|lost: &mut u32, _: Event<'_>| *lost += 1);
    /// let (mut lost, mut output) = (0, [0; 96]);
    /// let text = br#"{"jsonrpc":"2.0","method":"ping","id":1}"#;
    /// if server.process(&mut lost, text, &mut output).answer().is_some() {
    ///     // the stream takes no answer
    ///     server.observe(&mut lost, Event::AnswerUnsent(text));
    /// }
    /// assert_eq!(lost, 1);
    /// ```
    pub fn observe<C>(&mut self, context: &mut C, event: Event<'_>)
    where
        H: Observer<C>,
    {
        self.observer.observe(context, event);
    }

    /// Reads `text`, one message or a batch, calls the handlers, and writes the answer to `output`.
    pub fn process<'o, C, O: Output + ?Sized>(
        &mut self,
        context: &mut C,
        text: &[u8],
        output: &'o mut O,
    ) -> Processed<'o>
    where
        R: Routes<C>,
        H: Observer<C>,
    {
        self.process_in(context, text, output.room())
    }

    /// [`process`](Self::process) in a part of an output.
    pub(crate) fn process_in<'o, C>(&mut self, context: &mut C, text: &[u8], output: Room<'o>) -> Processed<'o>
    where
        R: Routes<C>,
        H: Observer<C>,
    {
        self.process_filtered(context, text, output, |_, _| true)
    }

    /// [`process`](Self::process) with a filter: if `filter` returns `false`, the message reaches no handler, and `filter` has already
    /// replied to it.
    #[inline]
    pub(crate) fn process_filtered<'o, C>(
        &mut self,
        context: &mut C,
        text: &[u8],
        output: Room<'o>,
        mut filter: impl FnMut(&mut R, &mut Exchange<'_, '_>) -> bool,
    ) -> Processed<'o>
    where
        R: Routes<C>,
        H: Observer<C>,
    {
        let mut exchange = Exchange::of(text, output, &self.dialect);
        exchange.ignore_unreadable(self.ignores_unreadable);
        while self.next_message(context, &mut exchange) {
            match filter(&mut self.routes, &mut exchange) {
                true => self.route(context, Call::of(exchange.message()), &mut exchange),
                false => _ = self.report(context, &Call::of(exchange.message()), &mut exchange),
            }
        }
        self.end(context, &mut exchange)
    }

    /// Answers a text that the framer could not deliver. `error` is an [`ErrorObject`] or a [`FrameError`](crate::frame::FrameError). The
    /// answer has a null id, or no id if the dialect omits unknown ids. No answer if the server [ignores](Self::ignoring_unreadable) such
    /// texts, or if the answer does not fit; none for an error that loses no message, such as a byte order mark, either: the message after
    /// the mark gets its own answer.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::{Router, Server};
    ///
    /// let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));
    /// let (mut framer, mut output) = (Framer::<Lines, 64>::new(), [0; 128]);
    /// framer.push(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\n");
    /// let mut answers = 0;
    /// while let Some(line) = framer.next() {
    ///     let answer = match line {
    ///         Ok(text) => server.process(&mut (), text, &mut output).answer(),
    ///         Err(error) => server.refuse(error, &mut output).answer(),
    ///     };
    ///     answers += usize::from(answer.is_some());
    /// }
    /// assert_eq!(answers, 1);
    /// # }
    /// ```
    pub fn refuse<'o, O: Output + ?Sized>(
        &self,
        error: impl Into<Option<ErrorObject<'static>>>,
        output: &'o mut O,
    ) -> Processed<'o> {
        match error.into().filter(|_| !self.ignores_unreadable) {
            Some(error) => reply::alone(&error, self.dialect, output.room()),
            None => Processed::unread(None, None, false),
        }
    }

    // not inlined: less stack while a message is read
    #[inline(never)]
    fn route<C>(&mut self, context: &mut C, mut call: Call<'_>, exchange: &mut Exchange<'_, '_>)
    where
        R: Routes<C>,
        H: Observer<C>,
    {
        if H::HAS_LAYER && !self.enter(context, &call, exchange) {
            return;
        }
        while !self.routes.route(context, &call, exchange) {
            if !R::FALLS_BACK || !call.fall_back() {
                return self.unrouted(context, &call, exchange, R::QUIET);
            }
        }
        self.routed(context, &call, exchange);
    }
}
