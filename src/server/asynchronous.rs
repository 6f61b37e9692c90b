//! The same routes with handlers that wait.

use super::ahead::Ahead;
use super::failure::HandlerError;
use super::handler::none_of;
#[cfg(feature = "serde")]
use super::handler::refuse;
use super::outcome::{Converted, Outcome, Plain};
use super::route::{Call, End, Endpoint, Nested, OnNotification, OnRequest, Route, Stage};
use super::{Bare, Borrowing, Exchange, Observer, Replied, Reply, Replying, Router, Server};
use crate::error::Error;
use crate::json::ToJson;
#[cfg(any(feature = "embedded-io-async", feature = "mcp"))]
use crate::message::Envelope;
#[cfg(feature = "embedded-io-async")]
use crate::message::EnvelopeKind;
use crate::message::Params;

/// Answers requests in its own time. Implemented for `async` functions and closures of the shapes of
/// [`Handler`](super::Handler).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an `async` handler of requests with the context `{C}`",
    label = "not an `async` handler: see the notes for what it may take",
    note = "it is an `async` function or closure; others are registered with `request`",
    note = "a handler takes `&mut C`, `(&mut C, P)`, `(&mut C, Params<'_>)` or `(&mut C, Params<'_>, Reply<'_>)`",
    note = "`P` owns what it holds and is read by serde: add `#[derive(serde::Deserialize)]` to it",
    note = "to borrow from the message, take `Params<'_>` and call `params.read()` in the handler",
    note = "`C` is the context, the same for every handler of a router, and what `process` is called with"
)]
#[allow(async_fn_in_trait, reason = "no executor, and so no claim about threads")]
pub trait AsyncHandler<C, M> {
    /// The return type of the function.
    type Output;

    /// Answers one request. `errors` writes the error, if the function returns one.
    async fn call<O>(&mut self, errors: O, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied
    where
        Self::Output: Outcome<O>;
}

/// Hears notifications in its own time. Implemented for `async` functions and closures of the shapes of
/// [`Listener`](super::Listener).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an `async` listener to notifications with the context `{C}`",
    label = "not an `async` listener: see the notes for what it may take",
    note = "it is an `async` function or closure; others are registered with `notification`",
    note = "a listener takes `&mut C`, `(&mut C, P)` or `(&mut C, Params<'_>)`",
    note = "`P` owns what it holds and is read by serde: add `#[derive(serde::Deserialize)]` to it",
    note = "to borrow from the message, take `Params<'_>` and call `params.read()` in the listener",
    note = "`C` is the context, the same for every handler of a router, and what `process` is called with"
)]
#[allow(async_fn_in_trait, reason = "no executor, and so no claim about threads")]
pub trait AsyncListener<C, M> {
    /// Hears one notification.
    ///
    /// # Errors
    /// Why the params do not fit; then nothing was heard.
    async fn hear(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error>;
}

impl<F, C, T> AsyncHandler<C, Bare> for F
where
    F: AsyncFnMut(&mut C) -> T,
{
    type Output = T;

    async fn call<O>(&mut self, errors: O, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied
    where
        T: Outcome<O>,
    {
        if params.is_empty() {
            self(context).await.reply(errors, reply)
        } else {
            reply.error(super::handler::NO_PARAMS)
        }
    }
}

#[cfg(feature = "serde")]
impl<F, C, P, T> AsyncHandler<C, super::Typed<P>> for F
where
    F: AsyncFnMut(&mut C, P) -> T,
    P: serde::de::DeserializeOwned,
{
    type Output = T;

    async fn call<O>(&mut self, errors: O, context: &mut C, params: Params<'_>, mut reply: Reply<'_>) -> Replied
    where
        T: Outcome<O>,
    {
        // a future does not keep the reader while the handler waits
        let params = {
            let mut reader = params.lend(reply.scratch()).reader();
            reader.read_value().map_err(|fault| reader.explain(fault))
        };
        match params {
            Ok(params) => self(context, params).await.reply(errors, reply),
            Err(problem) => refuse(reply, problem),
        }
    }
}

impl<F, C, T> AsyncHandler<C, Borrowing> for F
where
    F: AsyncFnMut(&mut C, Params<'_>) -> T,
{
    type Output = T;

    async fn call<O>(&mut self, errors: O, context: &mut C, params: Params<'_>, mut reply: Reply<'_>) -> Replied
    where
        T: Outcome<O>,
    {
        let returned = self(context, params.lend(reply.scratch())).await;
        returned.reply(errors, reply)
    }
}

impl<F, C> AsyncHandler<C, Replying> for F
where
    F: AsyncFnMut(&mut C, Params<'_>, Reply<'_>) -> Replied,
{
    type Output = Replied;

    async fn call<O>(&mut self, _: O, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied
    where
        Replied: Outcome<O>,
    {
        self(context, params, reply).await
    }
}

impl<F, C, O> AsyncListener<C, Bare> for F
where
    F: AsyncFnMut(&mut C) -> O,
{
    async fn hear(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
        none_of(&params)?;
        self(context).await;
        Ok(())
    }
}

#[cfg(feature = "serde")]
impl<F, C, P, O> AsyncListener<C, super::Typed<P>> for F
where
    F: AsyncFnMut(&mut C, P) -> O,
    P: serde::de::DeserializeOwned,
{
    async fn hear(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
        let params = params.read().map_err(crate::json::PayloadError::error)?;
        self(context, params).await;
        Ok(())
    }
}

impl<F, C, O> AsyncListener<C, Borrowing> for F
where
    F: AsyncFnMut(&mut C, Params<'_>) -> O,
{
    async fn hear(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
        self(context, params).await;
        Ok(())
    }
}

/// A list of routes of which some may wait.
#[diagnostic::on_unimplemented(
    message = "these routes are not for the context `{C}`",
    label = "not routes for the context `{C}`",
    note = "`process_async` is called with the context that every handler of the router takes"
)]
#[allow(async_fn_in_trait, reason = "no executor, and so no claim about threads")]
pub trait AsyncRoutes<C> {
    /// As [`Routes::FALLS_BACK`](super::route::Routes::FALLS_BACK).
    const FALLS_BACK: bool = true;

    /// Hands `call` to the first that it is for, and says whether there is one.
    async fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool;

    /// Whether a handler that may wait takes `call`. `false` unless told otherwise; then a connection that serves several handlers
    /// at a time handles it in order.
    fn waits(&self, _: &Call<'_>) -> bool {
        false
    }

    /// As [`Routes::mark`](super::route::Routes::mark).
    #[doc(hidden)]
    fn mark(&mut self, _: u8) {}
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
    /// As [`Routes::FALLS_BACK`](super::route::Routes::FALLS_BACK).
    const FALLS_BACK: bool = true;

    /// Whether it takes `call`.
    fn is_for(&self, call: &Call<'_>) -> bool;

    /// Takes `call`, which is for this one.
    async fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>);
}

impl<C> AsyncRoutes<C> for End {
    const FALLS_BACK: bool = false;

    async fn route(&mut self, _: &mut C, _: &Call<'_>, _: &mut Exchange<'_, '_>) -> bool {
        false
    }
}

impl<C, R: AsyncRoutes<C>, P: Endpoint<C>> AsyncRoutes<C> for Route<R, P> {
    const FALLS_BACK: bool = R::FALLS_BACK || P::FALLS_BACK;

    async fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        self.before.route(context, call, exchange).await || self.endpoint.take(context, call, exchange)
    }

    fn waits(&self, call: &Call<'_>) -> bool {
        self.before.waits(call)
    }

    fn mark(&mut self, mark: u8) {
        self.before.mark(mark);
    }
}

impl<C, R: AsyncRoutes<C>, P: AsyncEndpoint<C>> AsyncRoutes<C> for AsyncRoute<R, P> {
    const FALLS_BACK: bool = R::FALLS_BACK || P::FALLS_BACK;

    async fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        if self.before.route(context, call, exchange).await {
            return true;
        }
        let is_for_this = self.endpoint.is_for(call);
        if is_for_this {
            self.endpoint.take(context, call, exchange).await;
        }
        is_for_this
    }

    fn waits(&self, call: &Call<'_>) -> bool {
        self.before.waits(call) || self.endpoint.is_for(call)
    }

    fn mark(&mut self, mark: u8) {
        self.before.mark(mark);
    }
}

impl<C, R: AsyncRoutes<C>, S: AsyncRoutes<C>> AsyncRoutes<C> for Nested<R, S> {
    const FALLS_BACK: bool = R::FALLS_BACK || S::FALLS_BACK;

    async fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        if self.before.route(context, call, exchange).await {
            return true;
        }
        match call.below(self.prefix) {
            Some(call) => self.routes.route(context, &call, exchange).await,
            None => false,
        }
    }

    fn waits(&self, call: &Call<'_>) -> bool {
        self.before.waits(call) || call.below(self.prefix).is_some_and(|call| self.routes.waits(&call))
    }

    fn mark(&mut self, mark: u8) {
        self.before.mark(mark);
        self.routes.mark(mark);
    }
}

impl<C, H: AsyncHandler<C, M>, O: Copy, M> AsyncEndpoint<C> for OnRequest<H, O, M>
where
    H::Output: Outcome<O>,
{
    const FALLS_BACK: bool = false;

    fn is_for(&self, call: &Call<'_>) -> bool {
        call.is(Stage::Request, self.name)
    }

    async fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) {
        self.handler.call(self.outcome, context, call.params.into(), exchange.reply()).await;
    }
}

impl<C, L: AsyncListener<C, M>, M> AsyncEndpoint<C> for OnNotification<L, M> {
    const FALLS_BACK: bool = false;

    fn is_for(&self, call: &Call<'_>) -> bool {
        call.is(Stage::Notification, self.name)
    }

    async fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) {
        let heard = self.listener.hear(context, call.params_in(exchange)).await;
        exchange.heard(heard);
    }
}

impl<C, R> Router<C, R> {
    /// [`request`](Self::request) with an `async` function or closure. A router that has one is served by
    /// [`Server::process_async`], together with those that do not wait.
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
    #[expect(clippy::type_complexity, reason = "the type is the list of routes")]
    pub fn request_fallible_async<H, M, T, E, K>(
        self,
        name: &'static str,
        handler: H,
    ) -> Router<C, AsyncRoute<R, OnRequest<H, Converted<E>, M>>>
    where
        H: AsyncHandler<C, M, Output = Result<T, E>>,
        T: ToJson,
        E: HandlerError<K>,
    {
        self.and_async(OnRequest::new(name, Converted::of(), handler))
    }

    /// [`notification`](Self::notification) with an `async` function or closure.
    pub fn notification_async<L: AsyncListener<C, M>, M>(
        self,
        name: &'static str,
        listener: L,
    ) -> Router<C, AsyncRoute<R, OnNotification<L, M>>> {
        self.and_async(OnNotification::new(name, listener))
    }

    fn and_async<P>(self, endpoint: P) -> Router<C, AsyncRoute<R, P>> {
        Router::of(AsyncRoute { before: self.routes, endpoint })
    }
}

impl<R, H> Server<R, H> {
    /// Whether `message` is a request that a handler takes which may wait.
    #[cfg(feature = "embedded-io-async")]
    pub(crate) fn waits<C>(&self, message: &Envelope<'_>) -> bool
    where
        R: AsyncRoutes<C>,
    {
        message.kind() == EnvelopeKind::Request && self.routes.waits(&Call::of(message))
    }

    /// [`process`](Self::process) with handlers that may wait. The calls of a batch are answered one after the other.
    ///
    /// Nothing is spawned or boxed: the future holds the futures of the handlers, and is `Send` if the context and the handlers
    /// and their futures are. Dropped before it is done, it leaves the output without an answer.
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
    /// let expected = br#"{"jsonrpc":"2.0","result":300,"id":1}"#;
    /// assert_eq!(Future::poll(answer.as_mut(), &mut idle), core::task::Poll::Ready(Some(&expected[..])));
    /// # }
    /// ```
    pub async fn process_async<'o, C>(&mut self, context: &mut C, text: &[u8], output: &'o mut [u8]) -> Option<&'o [u8]>
    where
        R: AsyncRoutes<C>,
        H: Observer<C>,
    {
        let mut exchange = Exchange::of(text, output, &self.dialect);
        exchange.ignore_unreadable(self.ignores_unreadable);
        while let Some(envelope) = self.next_message(context, &mut exchange, &mut Ahead::<0>::new()) {
            let mut call = Call::of(&envelope);
            // not a function: one more future in each other is one more level for the compiler
            loop {
                if self.routes.route(context, &call, &mut exchange).await {
                    self.routed(context, &call, &mut exchange);
                    break;
                }
                if !R::FALLS_BACK || !call.falls_back() {
                    self.unrouted(context, &call, &mut exchange);
                    break;
                }
            }
        }
        self.note(context, &exchange);
        exchange.answer()
    }

    /// Hands `call` to the route that it is for.
    #[cfg(feature = "mcp")]
    pub(super) async fn route_async<C>(&mut self, context: &mut C, call: &mut Call<'_>, exchange: &mut Exchange<'_, '_>)
    where
        R: AsyncRoutes<C>,
        H: Observer<C>,
    {
        while !self.routes.route(context, call, exchange).await {
            if !R::FALLS_BACK || !call.falls_back() {
                return self.unrouted(context, call, exchange);
            }
        }
        self.routed(context, call, exchange);
    }

    /// [`process_async`](Self::process_async) of the messages that `admit` lets through; it replies to the others. A function of its
    /// own, because one future for both would be larger.
    #[cfg(feature = "mcp")]
    pub(crate) async fn process_admitted_async<'o, C>(
        &mut self,
        context: &mut C,
        text: &[u8],
        output: &'o mut [u8],
        mut admit: impl FnMut(&mut R, &Envelope<'_>, &mut Exchange<'_, '_>) -> bool,
    ) -> Option<&'o [u8]>
    where
        R: AsyncRoutes<C>,
        H: Observer<C>,
    {
        let mut exchange = Exchange::of(text, output, &self.dialect);
        exchange.ignore_unreadable(self.ignores_unreadable);
        while let Some(envelope) = self.next_message(context, &mut exchange, &mut Ahead::<0>::new()) {
            if !admit(&mut self.routes, &envelope, &mut exchange) {
                continue;
            }
            self.route_async(context, &mut Call::of(&envelope), &mut exchange).await;
        }
        self.note(context, &exchange);
        exchange.answer()
    }
}
