//! Which handler a message is for: a list of routes that the compiler knows.

use core::marker::PhantomData;

use super::route::{End, Fallback, Nested, NotificationFallback, OnNotification, OnRequest, OnResponse, Route};
use super::{Handler, Listener, Registry, Replied, Reply};
use crate::message::{ErrorObject, Params, Response, Text};

/// Routes, one line each, known at compile time: no table, no allocation, no dynamic dispatch.
///
/// `C` is the context that every handler gets, `R` the list of routes, `E` the error of the handlers that are registered
/// next.
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
/// assert_eq!(server.process(&mut board, br#"{"jsonrpc":"2.0","method":"led.set","params":[true]}"#, &mut output), None);
/// assert!(board.led);
/// let answer = server.process(&mut board, br#"{"jsonrpc":"2.0","method":"led.state","id":1}"#, &mut output);
/// assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":true,"id":1}"#[..]));
/// # }
/// ```
///
/// # Order
/// Of two handlers for one name the first answers. Fallbacks are asked when no name fits, in the order in which they stand.
///
/// # Limits
/// As many routes as the compiler nests types, which is about 120 before a crate must raise its `recursion_limit`.
#[derive(Debug)]
pub struct Router<C, R = End, E = ErrorObject<'static>> {
    pub(super) routes: R,
    types: PhantomData<fn(&mut C) -> E>,
}

impl<C, R: Clone, E> Clone for Router<C, R, E> {
    fn clone(&self) -> Self {
        Self::of(self.routes.clone())
    }
}

impl<C, R: Copy, E> Copy for Router<C, R, E> {}

impl<C> Router<C> {
    /// Without routes.
    pub const fn new() -> Self {
        Self { routes: End, types: PhantomData }
    }
}

impl<C> Default for Router<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C, R, E> Router<C, R, E> {
    pub(crate) const fn of(routes: R) -> Self {
        Self { routes, types: PhantomData }
    }

    fn and<P>(self, endpoint: P) -> Router<C, Route<R, P>, E> {
        Router::of(Route { before: self.routes, endpoint })
    }

    /// Makes `E` the error of the handlers that follow. Until then it is [`ErrorObject`], into which `?` turns all that
    /// converts to it.
    ///
    /// ```
    /// use nanojsonrpc::{ErrorObject, Router};
    ///
    /// enum Fault {
    ///     TooHot(i32),
    /// }
    ///
    /// impl From<Fault> for ErrorObject<'static, i32> {
    ///     fn from(Fault::TooHot(celsius): Fault) -> Self {
    ///         ErrorObject { code: (-32001).into(), message: "Too hot".into(), data: Some(celsius) }
    ///     }
    /// }
    ///
    /// fn start(_: &mut ()) -> Result<(), Fault> {
    ///     Err(Fault::TooHot(90))
    /// }
    ///
    /// let mut server = nanojsonrpc::Server::new(Router::new().failing_with::<Fault>().request("start", start));
    /// let mut output = [0; 128];
    /// assert_eq!(
    ///     server.process(&mut (), br#"{"jsonrpc":"2.0","method":"start","id":1}"#, &mut output),
    ///     Some(&br#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Too hot","data":90},"id":1}"#[..])
    /// );
    /// ```
    pub fn failing_with<F>(self) -> Router<C, R, F> {
        Router::of(self.routes)
    }

    /// Answers requests for the method `name` with `handler`, of one of the shapes of [`Handler`].
    pub fn request<H: Handler<C, E, M>, M>(
        self,
        name: &'static str,
        handler: H,
    ) -> Router<C, Route<R, OnRequest<H, E, M>>, E> {
        self.and(OnRequest::new(name, handler))
    }

    /// Hands notifications of the method `name` to `listener`, of one of the shapes of [`Listener`].
    pub fn notification<L: Listener<C, M>, M>(
        self,
        name: &'static str,
        listener: L,
    ) -> Router<C, Route<R, OnNotification<L, M>>, E> {
        self.and(OnNotification::new(name, listener))
    }

    /// Answers requests that no name fits, which are otherwise answered with -32601.
    pub fn fallback<F>(self, handler: F) -> Router<C, Route<R, Fallback<F>>, E>
    where
        F: FnMut(&mut C, Text<'_>, Params<'_>, Reply<'_>) -> Replied,
    {
        self.and(Fallback(handler))
    }

    /// Hears notifications that no name fits.
    pub fn notification_fallback<F>(self, listener: F) -> Router<C, Route<R, NotificationFallback<F>>, E>
    where
        F: FnMut(&mut C, Text<'_>, Params<'_>),
    {
        self.and(NotificationFallback(listener))
    }

    /// Hands responses to `listener`, for a peer that is a client as well. Without it they are dropped. A server never
    /// answers them.
    pub fn response<F>(self, listener: F) -> Router<C, Route<R, OnResponse<F>>, E>
    where
        F: FnMut(&mut C, Response<'_>),
    {
        self.and(OnResponse(listener))
    }

    /// With the routes of `other`, too.
    pub fn merge<S, F>(self, other: Router<C, S, F>) -> Router<C, Nested<R, S>, E> {
        self.nest("", other)
    }

    /// With the routes of `other` for the methods whose names begin with `prefix`, which `other` does not see.
    ///
    /// ```
    /// use nanojsonrpc::{Router, Server};
    ///
    /// let led = Router::new().request("on", |_: &mut ()| Ok(true));
    /// let mut server = Server::new(Router::new().nest("led.", led));
    /// let mut output = [0; 64];
    /// assert_eq!(
    ///     server.process(&mut (), br#"{"jsonrpc":"2.0","method":"led.on","id":1}"#, &mut output),
    ///     Some(&br#"{"jsonrpc":"2.0","result":true,"id":1}"#[..])
    /// );
    /// ```
    pub fn nest<S, F>(self, prefix: &'static str, other: Router<C, S, F>) -> Router<C, Nested<R, S>, E> {
        Router::of(Nested { before: self.routes, prefix, routes: other.routes })
    }

    /// With routes that are not known when the program is compiled.
    pub fn registry<'h, const N: usize>(
        self,
        registry: Registry<'h, C, N>,
    ) -> Router<C, Nested<R, Registry<'h, C, N>>, E> {
        Router::of(Nested { before: self.routes, prefix: "", routes: registry })
    }
}
