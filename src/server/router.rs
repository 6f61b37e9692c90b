//! Dispatch by a list of routes that is known at compile time.

use core::marker::PhantomData;

use super::outcome::{HandlerError, Outcome, Plain};
use super::route::{End, Fallback, Nested, NotificationFallback, OnNotification, OnRequest, OnResponse, Owning, Route};
use super::{Handler, Listener, Registry, Replied, Reply};
use crate::json::ToJson;
use crate::message::{Envelope, Params, Str};

/// A list of routes that is known at compile time: no table, no allocation, no dynamic dispatch.
///
/// `C` is the context, which every handler receives; `R` is the list of routes.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use nanojsonrpc::{ErrorObject, Router, Server};
///
/// #[derive(Default)]
/// struct Board {
///     led: bool,
/// }
///
/// let mut server = Server::new(
///     Router::new()
///         .request("subtract", |_: &mut Board, (a, b): (i64, i64)| {
///             a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS)
///         })
///         .request("led.state", |board: &mut Board| Ok(board.led))
///         .notification("led.set", |board: &mut Board, (on,): (bool,)| board.led = on),
/// );
/// let (mut board, mut output) = (Board::default(), [0; 128]);
/// assert_eq!(server.process(&mut board, br#"{"jsonrpc":"2.0","method":"led.set","params":[true]}"#, &mut output).answer(), None);
/// assert!(board.led);
/// let answer = server.process(&mut board, br#"{"jsonrpc":"2.0","method":"led.state","id":1}"#, &mut output).answer();
/// assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":true,"id":1}"#[..]));
/// # }
/// ```
///
/// The type of a router contains those of its handlers: [`route`](super::route) shows how to keep a server in a struct, a function or a
/// static.
///
/// # Order
/// Of two routes with one name, the first takes the call. If no name matches, the first fallback takes it.
///
/// # Limits
/// Number of routes: about 120, because the compiler limits the nesting of types; in a future, such as that of
/// [`Server::process_async`](super::Server::process_async), about 45. A crate with more routes raises the limit as the compiler proposes:
/// `#![recursion_limit = "256"]` is enough for 100 `async` handlers. A service that `#[nanojsonrpc::service]` declares (feature `macros`)
/// has any number of methods, and counts as one route.
#[derive(Debug)]
#[must_use]
pub struct Router<C, R = End> {
    pub(super) routes: R,
    /// Whether any route takes requests. Without one, a server writes no error for a text that is not a request.
    pub(super) is_for_requests: bool,
    context: PhantomData<fn(&mut C)>,
}

impl<C, R: Clone> Clone for Router<C, R> {
    fn clone(&self) -> Self {
        Self { routes: self.routes.clone(), ..*self }
    }
}

impl<C, R: Copy> Copy for Router<C, R> {}

impl<C> Router<C> {
    /// A router without routes. The compiler infers the context `C` from the first handler. A router that stays empty needs the type:
    /// `Router::<()>::new()`.
    pub const fn new() -> Self {
        Self::of(End, false)
    }
}

impl<C> Default for Router<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C, R> Router<C, R> {
    /// Creates a router from a list of routes that the program has built itself.
    pub const fn with_routes(routes: R) -> Self {
        Self::of(routes, true)
    }

    pub(super) const fn of(routes: R, is_for_requests: bool) -> Self {
        Self { routes, is_for_requests, context: PhantomData }
    }

    /// The routes, for routes of the program's own that contain them, or for [`Server::with_routes`](super::Server::with_routes).
    ///
    /// ```
    /// use nanojsonrpc::server::route::{Call, Routes};
    /// use nanojsonrpc::{Router, Server, server::Exchange};
    ///
    /// /// Routes that can be switched off.
    /// struct Switched<R> {
    ///     is_on: bool,
    ///     routes: R,
    /// }
    ///
    /// impl<C, R: Routes<C>> Routes<C> for Switched<R> {
    ///     fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
    ///         self.is_on && self.routes.route(context, call, exchange)
    ///     }
    /// }
    ///
    /// let routes = Router::new().request("ping", |_: &mut ()| Ok("pong")).into_routes();
    /// let mut server = Server::with_routes(Switched { is_on: false, routes });
    /// let (text, mut output) = (br#"{"jsonrpc":"2.0","method":"ping","id":1}"#, [0; 96]);
    /// assert!(server.process(&mut (), text, &mut output).answer().is_some_and(|answer| answer.starts_with(br#"{"jsonrpc":"2.0","error""#)));
    /// server.routes_mut().is_on = true;
    /// assert_eq!(server.process(&mut (), text, &mut output).answer(), Some(&br#"{"jsonrpc":"2.0","result":"pong","id":1}"#[..]));
    /// ```
    pub fn into_routes(self) -> R {
        self.routes
    }

    fn and<P>(self, endpoint: P) -> Router<C, Route<R, P>> {
        Router::of(Route { before: self.routes, endpoint }, true)
    }

    fn and_listener<P>(self, endpoint: P) -> Router<C, Route<R, P>> {
        Router::of(Route { before: self.routes, endpoint }, self.is_for_requests)
    }

    /// Answers requests for the method `name` with `handler`; [`Handler`] lists the possible signatures. The error type is
    /// [`ErrorObject`](crate::ErrorObject) without data, so that the compiler can infer it for `|_| Ok(1)`.
    pub fn request<H: Handler<C, M>, M>(
        self,
        name: &'static str,
        handler: H,
    ) -> Router<C, Route<R, OnRequest<H, Plain, M>>>
    where
        H::Output: Outcome<Plain>,
    {
        self.and(OnRequest::new(name, Plain, handler))
    }

    /// [`request`](Self::request) for a handler with its own error type. The type implements [`Failure`](super::Failure), with a code, a
    /// message that may be built at run time, and data; or it converts into an [`ErrorObject`](crate::ErrorObject), with or without data.
    /// A future of such a server is not `Send` if the handler returns `ErrorObject<'static, D>` itself ("implementation of `Outcome` is not
    /// general enough"): return a type of your own that converts into it.
    ///
    /// ```
    /// use nanojsonrpc::{ErrorObject, Router, Server};
    ///
    /// enum Fault {
    ///     TooHot { degrees: i32 },
    /// }
    ///
    /// impl From<Fault> for ErrorObject<'static, i32> {
    ///     fn from(Fault::TooHot { degrees }: Fault) -> Self {
    ///         ErrorObject::new(-32001, "Too hot").with_data(degrees)
    ///     }
    /// }
    ///
    /// fn start(degrees: &mut i32) -> Result<(), Fault> {
    ///     if *degrees > 80 { Err(Fault::TooHot { degrees: *degrees }) } else { Ok(()) }
    /// }
    ///
    /// let mut server = Server::new(Router::new().request("degrees", |degrees: &mut i32| Ok(*degrees)).request_fallible("start", start));
    /// let mut output = [0; 128];
    /// assert_eq!(
    ///     server.process(&mut 81, br#"{"jsonrpc":"2.0","method":"start","id":1}"#, &mut output).answer(),
    ///     Some(&br#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Too hot","data":81},"id":1}"#[..])
    /// );
    /// ```
    #[expect(clippy::type_complexity, reason = "the type is the list of routes")]
    pub fn request_fallible<H, M, T, E, K>(
        self,
        name: &'static str,
        handler: H,
    ) -> Router<C, Route<R, OnRequest<H, E::Way, M>>>
    where
        H: Handler<C, M, Output = Result<T, E>>,
        T: ToJson,
        E: HandlerError<K>,
    {
        self.and(OnRequest::new(name, E::WAY, handler))
    }

    /// Calls `listener` with the notifications of the method `name`; [`Listener`] lists the possible signatures.
    pub fn notification<L: Listener<C, M>, M>(
        self,
        name: &'static str,
        listener: L,
    ) -> Router<C, Route<R, OnNotification<L, M>>> {
        self.and_listener(OnNotification::new(name, listener))
    }

    /// Answers requests that match no other route. Without a fallback, the server answers them with -32601.
    ///
    /// ```
    /// use nanojsonrpc::{Router, Server};
    ///
    /// let router = Router::new()
    ///     .fallback(|calls: &mut u8, _, _, reply| {
    ///         *calls += 1;
    ///         reply.success(calls)
    ///     })
    ///     .notification_fallback(|calls: &mut u8, _, _| *calls += 1);
    /// let (mut server, mut calls, mut output) = (Server::new(router), 0, [0; 96]);
    /// let answer = server.process(&mut calls, br#"{"jsonrpc":"2.0","method":"any","id":1}"#, &mut output).answer();
    /// assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":1,"id":1}"#[..]));
    /// assert_eq!(server.process(&mut calls, br#"{"jsonrpc":"2.0","method":"other"}"#, &mut output).answer(), None);
    /// assert_eq!(calls, 2);
    /// ```
    pub fn fallback<F>(self, handler: F) -> Router<C, Route<R, Fallback<F>>>
    where
        F: FnMut(&mut C, Str<'_>, Params<'_>, Reply<'_>) -> Replied,
    {
        self.and(Fallback(handler))
    }

    /// Calls `listener` with notifications that match no other route.
    pub fn notification_fallback<F>(self, listener: F) -> Router<C, Route<R, NotificationFallback<F>>>
    where
        F: FnMut(&mut C, Str<'_>, Params<'_>),
    {
        self.and_listener(NotificationFallback(listener))
    }

    /// Calls `listener` with responses: for a program that is a server and a client on one connection. Without a listener, the server
    /// drops responses. It never answers them. A response that cannot be read goes to the observer instead, with its id:
    /// [`Event::Unreadable`](super::Event::Unreadable).
    pub fn response<F>(self, listener: F) -> Router<C, Route<R, OnResponse<F>>>
    where
        F: FnMut(&mut C, &Envelope<'_>),
    {
        self.and_listener(OnResponse(listener))
    }

    /// Adds the routes of `other` under `prefix`: with the prefix `led.`, its route `on` handles the method `led.on`. With
    /// the empty prefix, the methods keep their names.
    ///
    /// ```
    /// use nanojsonrpc::{Router, Server};
    ///
    /// let led = Router::new().request("on", |_: &mut ()| Ok(true));
    /// let mut server = Server::new(Router::new().nest("led.", led));
    /// let mut output = [0; 96];
    /// assert_eq!(
    ///     server.process(&mut (), br#"{"jsonrpc":"2.0","method":"led.on","id":1}"#, &mut output).answer(),
    ///     Some(&br#"{"jsonrpc":"2.0","result":true,"id":1}"#[..])
    /// );
    /// ```
    pub fn nest<S>(self, prefix: &'static str, other: Router<C, S>) -> Router<C, Nested<R, S>> {
        let is_for_requests = self.is_for_requests || other.is_for_requests;
        Router::of(Nested { before: self.routes, prefix, routes: other.routes }, is_for_requests)
    }

    /// Gives these routes a `context` that they own, so that they fit into a router with any other context. For a
    /// context that is a part of the router's, the handlers take the router's.
    ///
    /// ```
    /// use nanojsonrpc::{Router, Server};
    ///
    /// struct Device {
    ///     is_on: bool,
    /// }
    ///
    /// let uptime = Router::new().request("uptime", |seconds: &mut u32| Ok(*seconds));
    /// let router = Router::new()
    ///     .request("power", |device: &mut Device| Ok(device.is_on))
    ///     .nest("", uptime.owning(60));
    /// let mut output = [0; 96];
    /// assert_eq!(
    ///     Server::new(router).process(&mut Device { is_on: true }, br#"{"jsonrpc":"2.0","method":"uptime","id":1}"#, &mut output).answer(),
    ///     Some(&br#"{"jsonrpc":"2.0","result":60,"id":1}"#[..])
    /// );
    /// ```
    pub fn owning<D>(self, context: C) -> Router<D, Owning<C, R>> {
        Router::of(Owning::new(context, self.routes), self.is_for_requests)
    }

    /// Adds routes that are not known at compile time.
    pub fn registry<'h, const N: usize>(
        self,
        registry: Registry<'h, C, N>,
    ) -> Router<C, Nested<R, Registry<'h, C, N>>> {
        Router::with_routes(Nested { before: self.routes, prefix: "", routes: registry })
    }
}
