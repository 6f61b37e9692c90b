//! The same routes with handlers that wait.

use super::handler::reply_with;
use super::route::{Call, End, Endpoint, Nested, OnNotification, OnRequest, Route, Stage};
use super::{Bare, Borrowing, Exchange, Replied, Reply, Replying, Router, Server};
use crate::json::ToJson;
use crate::message::{ErrorObject, Params};

/// Answers requests in its own time. Implemented for `async` functions and closures of the shapes of
/// [`Handler`](super::Handler).
#[allow(async_fn_in_trait, reason = "no executor, and so no claim about threads")]
pub trait AsyncHandler<C, E, M> {
    /// Answers one request.
    async fn call(&mut self, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied;
}

/// Hears notifications in its own time. Implemented for `async` functions and closures of the shapes of
/// [`Listener`](super::Listener).
#[allow(async_fn_in_trait, reason = "no executor, and so no claim about threads")]
pub trait AsyncListener<C, M> {
    /// Hears one notification.
    async fn hear(&mut self, context: &mut C, params: Params<'_>);
}

impl<F, C, R, E, D> AsyncHandler<C, E, Bare<(R, D)>> for F
where
    F: AsyncFnMut(&mut C) -> Result<R, E>,
    R: ToJson,
    E: Into<ErrorObject<'static, D>>,
    D: ToJson,
{
    async fn call(&mut self, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied {
        if params.is_empty() { reply_with(reply, self(context).await) } else { reply.error(super::handler::NO_PARAMS) }
    }
}

#[cfg(feature = "serde")]
impl<F, C, P, R, E, D> AsyncHandler<C, E, super::Typed<(P, R, D)>> for F
where
    F: AsyncFnMut(&mut C, P) -> Result<R, E>,
    P: serde::de::DeserializeOwned,
    R: ToJson,
    E: Into<ErrorObject<'static, D>>,
    D: ToJson,
{
    async fn call(&mut self, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied {
        match params.read() {
            Ok(params) => reply_with(reply, self(context, params).await),
            Err(problem) => reply.error(ErrorObject::from(problem)),
        }
    }
}

impl<F, C, R, E, D> AsyncHandler<C, E, Borrowing<(R, D)>> for F
where
    F: AsyncFnMut(&mut C, Params<'_>) -> Result<R, E>,
    R: ToJson,
    E: Into<ErrorObject<'static, D>>,
    D: ToJson,
{
    async fn call(&mut self, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied {
        reply_with(reply, self(context, params).await)
    }
}

impl<F, C, E> AsyncHandler<C, E, Replying> for F
where
    F: AsyncFnMut(&mut C, Params<'_>, Reply<'_>) -> Replied,
{
    async fn call(&mut self, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied {
        self(context, params, reply).await
    }
}

impl<F, C, O> AsyncListener<C, Bare<O>> for F
where
    F: AsyncFnMut(&mut C) -> O,
{
    async fn hear(&mut self, context: &mut C, params: Params<'_>) {
        if params.is_empty() {
            self(context).await;
        }
    }
}

#[cfg(feature = "serde")]
impl<F, C, P, O> AsyncListener<C, super::Typed<(P, O)>> for F
where
    F: AsyncFnMut(&mut C, P) -> O,
    P: serde::de::DeserializeOwned,
{
    async fn hear(&mut self, context: &mut C, params: Params<'_>) {
        if let Ok(params) = params.read() {
            self(context, params).await;
        }
    }
}

impl<F, C, O> AsyncListener<C, Borrowing<O>> for F
where
    F: AsyncFnMut(&mut C, Params<'_>) -> O,
{
    async fn hear(&mut self, context: &mut C, params: Params<'_>) {
        self(context, params).await;
    }
}

/// A list of routes of which some may wait.
#[allow(async_fn_in_trait, reason = "no executor, and so no claim about threads")]
pub trait AsyncRoutes<C> {
    /// Hands `call` to the first that it is for, and says whether there is one.
    async fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool;
}

/// Routes, and one more, which may wait.
#[derive(Clone, Copy, Debug)]
pub struct AsyncRoute<R, P> {
    before: R,
    endpoint: P,
}

/// The end of one route that may wait.
#[allow(async_fn_in_trait, reason = "no executor, and so no claim about threads")]
pub trait AsyncEndpoint<C> {
    /// Takes `call` if it is for this one, and says so.
    async fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool;
}

impl<C> AsyncRoutes<C> for End {
    async fn route(&mut self, _: &mut C, _: &Call<'_>, _: &mut Exchange<'_, '_>) -> bool {
        false
    }
}

impl<C, R: AsyncRoutes<C>, P: Endpoint<C>> AsyncRoutes<C> for Route<R, P> {
    async fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        self.before.route(context, call, exchange).await || self.endpoint.take(context, call, exchange)
    }
}

impl<C, R: AsyncRoutes<C>, P: AsyncEndpoint<C>> AsyncRoutes<C> for AsyncRoute<R, P> {
    async fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        self.before.route(context, call, exchange).await || self.endpoint.take(context, call, exchange).await
    }
}

impl<C, R: AsyncRoutes<C>, S: AsyncRoutes<C>> AsyncRoutes<C> for Nested<R, S> {
    async fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        if self.before.route(context, call, exchange).await {
            return true;
        }
        match call.below(self.prefix) {
            Some(call) => self.routes.route(context, &call, exchange).await,
            None => false,
        }
    }
}

impl<C, H: AsyncHandler<C, E, M>, E, M> AsyncEndpoint<C> for OnRequest<H, E, M> {
    async fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        let is_for_this = call.is(Stage::Request, self.name);
        if is_for_this {
            self.handler.call(context, call.params, exchange.reply()).await;
        }
        is_for_this
    }
}

impl<C, L: AsyncListener<C, M>, M> AsyncEndpoint<C> for OnNotification<L, M> {
    async fn take(&mut self, context: &mut C, call: &Call<'_>, _: &mut Exchange<'_, '_>) -> bool {
        let is_for_this = call.is(Stage::Notification, self.name);
        if is_for_this {
            self.listener.hear(context, call.params).await;
        }
        is_for_this
    }
}

impl<C, R, E> Router<C, R, E> {
    /// [`request`](Self::request) with an `async` function or closure. A router that has one is served by
    /// [`Server::process_async`], together with those that do not wait.
    pub fn request_async<H: AsyncHandler<C, E, M>, M>(
        self,
        name: &'static str,
        handler: H,
    ) -> Router<C, AsyncRoute<R, OnRequest<H, E, M>>, E> {
        Router::of(AsyncRoute { before: self.routes, endpoint: OnRequest::new(name, handler) })
    }

    /// [`notification`](Self::notification) with an `async` function or closure.
    pub fn notification_async<L: AsyncListener<C, M>, M>(
        self,
        name: &'static str,
        listener: L,
    ) -> Router<C, AsyncRoute<R, OnNotification<L, M>>, E> {
        Router::of(AsyncRoute { before: self.routes, endpoint: OnNotification::new(name, listener) })
    }
}

impl<R> Server<R> {
    /// [`process`](Self::process) with handlers that may wait. The calls of a batch are answered one after the other.
    ///
    /// Nothing is spawned or boxed: the future holds what the handlers hold. Dropped before it is done, it leaves the
    /// output without an answer.
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
    /// let (mut context, mut output) = ((), [0; 64]);
    /// let text = br#"{"jsonrpc":"2.0","method":"measure","params":[3],"id":1}"#;
    /// let mut answer = core::pin::pin!(server.process_async(&mut context, text, &mut output));
    /// let mut idle = core::task::Context::from_waker(core::task::Waker::noop());
    /// let expected = br#"{"jsonrpc":"2.0","result":300,"id":1}"#;
    /// assert_eq!(Future::poll(answer.as_mut(), &mut idle), core::task::Poll::Ready(Some(&expected[..])));
    /// # }
    /// ```
    pub async fn process_async<'o, C>(&mut self, context: &mut C, text: &[u8], output: &'o mut [u8]) -> Option<&'o [u8]>
    where
        R: AsyncRoutes<C>,
    {
        let mut exchange = Exchange::new(text, output, self.dialect);
        exchange.ignore_unreadable(self.ignores_unreadable);
        while let Some(envelope) = exchange.next_message() {
            let mut call = Call::of(&envelope);
            while !self.routes.route(context, &call, &mut exchange).await {
                if !call.falls_back() {
                    exchange.reply().error(ErrorObject::METHOD_NOT_FOUND);
                    break;
                }
            }
        }
        exchange.answer()
    }
}
