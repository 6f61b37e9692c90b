//! `async` handlers: their registration in a router, and the server loops that await them.

use super::outcome::HandlerError;
use super::outcome::{Outcome, Plain};
use super::route::{Call, Fallback, NotificationFallback, OnNotification, OnRequest};
use super::{
    AsyncHandler, AsyncListener, AsyncRoute, AsyncRoutes, Exchange, Observer, Processed, Replied, Reply, Router, Server,
};
use crate::json::{Output, Room, ToJson};
#[cfg(feature = "embedded-io-async")]
use crate::message::Envelope;
use crate::message::{Params, Str};

impl<C, R> Router<C, R> {
    /// [`request`](Self::request) with an `async` function or closure. If a router has an `async` handler, serve it with
    /// [`Server::process_async`], which also calls its other handlers.
    ///
    /// A closure is written as `async |context: &mut C, …| …`. The future of `|context: &mut C, …| async move { … }` cannot borrow the
    /// context: "lifetime may not live long enough".
    pub fn request_async<H: AsyncHandler<C, M>, M>(
        self,
        name: &'static str,
        handler: H,
    ) -> Router<C, AsyncRoute<R, OnRequest<H, Plain, M>>>
    where
        H::Output: Outcome<Plain>,
    {
        self.and_async(OnRequest::new(name, Plain, handler))
    }

    /// [`request_fallible`](Self::request_fallible) with an `async` function or closure.
    ///
    /// ```
    /// use nanojsonrpc::{Error, Router};
    ///
    /// let router = Router::new().request_fallible_async("write", async |written: &mut usize| -> Result<(), Error> {
    ///     *written += nanojsonrpc::Notification::new("blink").write(&mut [0; 16])?;
    ///     Ok(())
    /// });
    /// # _ = router;
    /// ```
    #[expect(clippy::type_complexity, reason = "the type is the list of routes")]
    pub fn request_fallible_async<H, M, T, E, K>(
        self,
        name: &'static str,
        handler: H,
    ) -> Router<C, AsyncRoute<R, OnRequest<H, E::Way, M>>>
    where
        H: AsyncHandler<C, M, Output = Result<T, E>>,
        T: ToJson,
        E: HandlerError<K>,
    {
        self.and_async(OnRequest::new(name, E::WAY, handler))
    }

    /// [`notification`](Self::notification) with an `async` function or closure.
    pub fn notification_async<L: AsyncListener<C, M>, M>(
        self,
        name: &'static str,
        listener: L,
    ) -> Router<C, AsyncRoute<R, OnNotification<L, M>>> {
        self.and_listener_async(OnNotification::new(name, listener))
    }

    /// [`fallback`](Self::fallback) with an `async` function or closure, for a gateway that passes calls on. On a `concurrent` connection,
    /// every request then takes a slot, even a request for a handler that does not wait.
    ///
    /// ```
    /// use nanojsonrpc::server::{Replied, Reply};
    /// use nanojsonrpc::{ErrorObject, Params, Router, message::Str};
    ///
    /// struct Upstream;
    ///
    /// impl Upstream {
    ///     async fn call(&mut self, _method: &str, _params: &Params<'_>) -> Option<u32> {
    ///         Some(42)
    ///     }
    /// }
    ///
    /// async fn pass_on(upstream: &mut Upstream, method: Str<'_>, params: Params<'_>, reply: Reply<'_>) -> Replied {
    ///     // `as_str` is `None` for a method with an escape, which `to_string` decodes
    ///     let Some(method) = method.as_str() else { return reply.error(ErrorObject::METHOD_NOT_FOUND) };
    ///     match upstream.call(method, &params).await {
    ///         Some(result) => reply.success(&result),
    ///         None => reply.error(ErrorObject::INTERNAL_ERROR.with_message("the upstream is gone")),
    ///     }
    /// }
    ///
    /// let router = Router::new()
    ///     .request("version", |_: &mut Upstream| Ok(1))
    ///     .fallback_async(pass_on)
    ///     .notification_fallback_async(async |upstream: &mut Upstream, _: Str<'_>, params: Params<'_>| {
    ///         upstream.call("notified", &params).await;
    ///     });
    /// # _ = router;
    /// ```
    pub fn fallback_async<F>(self, handler: F) -> Router<C, AsyncRoute<R, Fallback<F>>>
    where
        F: AsyncFnMut(&mut C, Str<'_>, Params<'_>, Reply<'_>) -> Replied,
    {
        self.and_async(Fallback(handler))
    }

    /// [`notification_fallback`](Self::notification_fallback) with an `async` function or closure.
    pub fn notification_fallback_async<F>(self, listener: F) -> Router<C, AsyncRoute<R, NotificationFallback<F>>>
    where
        F: AsyncFnMut(&mut C, Str<'_>, Params<'_>),
    {
        self.and_listener_async(NotificationFallback(listener))
    }

    fn and_async<P>(self, endpoint: P) -> Router<C, AsyncRoute<R, P>> {
        Router::of(AsyncRoute { before: self.routes, endpoint }, true)
    }

    fn and_listener_async<P>(self, endpoint: P) -> Router<C, AsyncRoute<R, P>> {
        Router::of(AsyncRoute { before: self.routes, endpoint }, self.is_for_requests)
    }
}

impl<R, H> Server<R, H> {
    /// Whether the route that takes `message` has an `async` handler; `None` if no route takes it. A program that runs calls side by side, each
    /// with a clone of the server, handles all others with the server itself, as `Connection::concurrent` does: a session of MCP is a state
    /// of its routes.
    ///
    /// ```
    /// use nanojsonrpc::{Envelope, Router, Server};
    ///
    /// let mut server = Server::new(Router::new().request("now", |_: &mut ()| Ok(1)).request_async("later", async |_: &mut ()| Ok(2)));
    /// let call = Envelope::parse(br#"{"jsonrpc":"2.0","method":"later","id":1}"#)?;
    /// assert_eq!(server.waits(&mut (), &call), Some(true));
    /// # Ok::<(), nanojsonrpc::Refused<'_>>(())
    /// ```
    #[cfg(feature = "embedded-io-async")]
    pub fn waits<C>(&mut self, context: &mut C, message: &Envelope<'_>) -> Option<bool>
    where
        R: AsyncRoutes<C>,
    {
        let mut call = Call::of(message);
        let waits = self.routes.waits(context, &call);
        if waits.is_none() && R::FALLS_BACK && call.fall_back() { self.routes.waits(context, &call) } else { waits }
    }

    /// Whether a route other than a fallback takes `message`.
    #[cfg(feature = "embedded-io-async")]
    pub(crate) fn has_route<C>(&mut self, context: &mut C, message: &Envelope<'_>) -> bool
    where
        R: AsyncRoutes<C>,
    {
        self.routes.waits(context, &Call::of(message)).is_some()
    }

    /// [`process`](Self::process) with `async` handlers. The calls of a batch run one after the other.
    ///
    /// The library spawns no task and boxes no future, except those of `BoxedRoutes`. The returned future contains the futures of the
    /// handlers; it is `Send` if the context, the handlers and their futures are: [spawning](super::route#spawning). If it is dropped before it is done, there is no answer.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use nanojsonrpc::{Router, Server};
    ///
    /// async fn measure(_: &mut (), (channel,): (u8,)) -> Result<u32, nanojsonrpc::ErrorObject<'static>> {
    ///     core::future::ready(()).await;
    ///     Ok(u32::from(channel) * 100)
    /// }
    ///
    /// let mut server = Server::new(Router::new().request_async("measure", measure));
    /// let (mut context, mut output) = ((), [0; 96]);
    /// let text = br#"{"jsonrpc":"2.0","method":"measure","params":[3],"id":1}"#;
    /// let mut answer = core::pin::pin!(server.process_async(&mut context, text, &mut output));
    /// let mut idle = core::task::Context::from_waker(core::task::Waker::noop());
    /// let core::task::Poll::Ready(processed) = Future::poll(answer.as_mut(), &mut idle) else { unreachable!() };
    /// assert_eq!(processed.answer(), Some(&br#"{"jsonrpc":"2.0","result":300,"id":1}"#[..]));
    /// # }
    /// ```
    pub fn process_async<'o, C, O: Output + ?Sized>(
        &mut self,
        context: &mut C,
        text: &[u8],
        output: &'o mut O,
    ) -> impl Future<Output = Processed<'o>>
    where
        R: AsyncRoutes<C>,
        H: Observer<C>,
    {
        self.process_in_async(context, text, output.room())
    }

    /// [`process_async`](Self::process_async) in a part of an output.
    pub(crate) async fn process_in_async<'o, C>(
        &mut self,
        context: &mut C,
        text: &[u8],
        output: Room<'o>,
    ) -> Processed<'o>
    where
        R: AsyncRoutes<C>,
        H: Observer<C>,
    {
        let mut exchange = Exchange::of(text, output, &self.dialect);
        exchange.ignore_unreadable(self.ignores_unreadable);
        while self.next_message(context, &mut exchange) {
            let mut call = Call::of(exchange.message());
            if H::HAS_LAYER && !self.enter(context, &call, &mut exchange) {
                continue;
            }
            // inlined by hand, because each nested future adds a level of types for the compiler
            loop {
                if self.routes.route(context, &call, &mut exchange).await {
                    self.routed(context, &call, &mut exchange);
                    break;
                }
                if !R::FALLS_BACK || !call.fall_back() {
                    let quiet = self.routes.quiet();
                    self.unrouted(context, &call, &mut exchange, quiet);
                    break;
                }
            }
        }
        self.end(context, &mut exchange)
    }

    /// Dispatches `call`.
    #[cfg(feature = "mcp")]
    pub(super) async fn route_async<C>(&mut self, context: &mut C, call: &mut Call<'_>, exchange: &mut Exchange<'_, '_>)
    where
        R: AsyncRoutes<C>,
        H: Observer<C>,
    {
        if H::HAS_LAYER && !self.enter(context, call, exchange) {
            return;
        }
        while !self.routes.route(context, call, exchange).await {
            if !R::FALLS_BACK || !call.fall_back() {
                let quiet = self.routes.quiet();
                return self.unrouted(context, call, exchange, quiet);
            }
        }
        self.routed(context, call, exchange);
    }

    /// [`process_async`](Self::process_async) with a filter: if `filter` returns `false`, the message reaches no handler, and `filter` has
    /// already replied to it. A separate function, because the future of a common function would hold the state of both.
    #[cfg(feature = "mcp")]
    pub(crate) async fn process_filtered_async<'o, C>(
        &mut self,
        context: &mut C,
        text: &[u8],
        output: Room<'o>,
        mut filter: impl FnMut(&mut R, &mut Exchange<'_, '_>) -> bool,
    ) -> Processed<'o>
    where
        R: AsyncRoutes<C>,
        H: Observer<C>,
    {
        let mut exchange = Exchange::of(text, output, &self.dialect);
        exchange.ignore_unreadable(self.ignores_unreadable);
        while self.next_message(context, &mut exchange) {
            if !filter(&mut self.routes, &mut exchange) {
                self.report(context, &Call::of(exchange.message()), &mut exchange);
                continue;
            }
            self.route_async(context, &mut Call::of(exchange.message()), &mut exchange).await;
        }
        self.end(context, &mut exchange)
    }
}
