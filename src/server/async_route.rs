//! Dispatch to a list of routes that includes `async` handlers.

use core::future::ready;

use super::endpoint::Condition;
use super::route::{Call, End, Endpoint, Fallback, Nested, NotificationFallback, OnNotification, OnRequest, Route};
use super::{AsyncHandler, AsyncListener, Exchange, Outcome, Replied, Reply};
use crate::message::{Params, Str};
use crate::one_of::OneOf;

/// A list of routes that includes `async` handlers.
#[diagnostic::on_unimplemented(
    message = "`process_async` cannot call these routes with the context `{C}`",
    label = "another context, or a type that does not implement `AsyncRoutes`",
    note = "pass `process_async` the context that the handlers of the router take",
    note = "`Server::with_routes` and routes of your own take the routes of a router, not the router: `Router::into_routes` gives the \
            routes of a router"
)]
#[allow(async_fn_in_trait, reason = "the library knows no executor, so it requires no `Send`")]
pub trait AsyncRoutes<C> {
    /// As [`Routes::FALLS_BACK`](super::route::Routes::FALLS_BACK).
    const FALLS_BACK: bool = true;

    /// Dispatches `call` to the first route that takes it. Returns whether there is one. A blocking handler may run before the future is
    /// polled.
    async fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool;

    /// Whether the first of these routes that takes `call` has an `async` handler; `None` if no route takes it, so that
    /// [`route`](Self::route) would return `false`. A connection with concurrent handlers copies a request for which this is `Some(true)`,
    /// and handles all others in order.
    fn waits(&mut self, context: &mut C, call: &Call<'_>) -> Option<bool>;

    /// As [`Routes::QUIET`](super::route::Routes::QUIET).
    #[doc(hidden)]
    fn quiet(&self) -> &'static [&'static str] {
        &[]
    }

    /// As [`Routes::mark`](super::route::Routes::mark).
    #[doc(hidden)]
    fn mark(&mut self, _: u8) {}
}

/// A list of routes, followed by one more route with an `async` handler.
#[derive(Clone, Copy, Debug)]
pub struct AsyncRoute<R, P> {
    pub(super) before: R,
    pub(super) endpoint: P,
}

/// One route with an `async` handler.
#[allow(async_fn_in_trait, reason = "the library knows no executor, so it requires no `Send`")]
pub trait AsyncEndpoint<C>: Condition {
    /// Handles `call`. The caller has checked that the route takes it.
    async fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>);
}

impl<C> AsyncRoutes<C> for End {
    const FALLS_BACK: bool = false;

    fn route(&mut self, _: &mut C, _: &Call<'_>, _: &mut Exchange<'_, '_>) -> impl Future<Output = bool> {
        ready(false)
    }

    fn waits(&mut self, _: &mut C, _: &Call<'_>) -> Option<bool> {
        None
    }
}

impl<C, R: AsyncRoutes<C>, P: Endpoint<C>> AsyncRoutes<C> for Route<R, P> {
    const FALLS_BACK: bool = R::FALLS_BACK || P::FALLS_BACK;

    fn route(
        &mut self,
        context: &mut C,
        call: &Call<'_>,
        exchange: &mut Exchange<'_, '_>,
    ) -> impl Future<Output = bool> {
        if self.endpoint.is_for(call) && self.before.waits(context, call).is_none() {
            _ = self.endpoint.take(context, call, exchange);
            return OneOf::Last { future: ready(()) };
        }
        OneOf::Earlier { future: self.before.route(context, call, exchange) }
    }

    fn waits(&mut self, context: &mut C, call: &Call<'_>) -> Option<bool> {
        self.before.waits(context, call).or_else(|| self.endpoint.is_for(call).then_some(false))
    }

    fn quiet(&self) -> &'static [&'static str] {
        self.before.quiet()
    }

    fn mark(&mut self, mark: u8) {
        self.before.mark(mark);
    }
}

impl<C, R: AsyncRoutes<C>, P: AsyncEndpoint<C>> AsyncRoutes<C> for AsyncRoute<R, P> {
    const FALLS_BACK: bool = R::FALLS_BACK || P::FALLS_BACK;

    fn route(
        &mut self,
        context: &mut C,
        call: &Call<'_>,
        exchange: &mut Exchange<'_, '_>,
    ) -> impl Future<Output = bool> {
        if self.endpoint.is_for(call) && self.before.waits(context, call).is_none() {
            return OneOf::Last { future: self.endpoint.take(context, call, exchange) };
        }
        OneOf::Earlier { future: self.before.route(context, call, exchange) }
    }

    fn waits(&mut self, context: &mut C, call: &Call<'_>) -> Option<bool> {
        self.before.waits(context, call).or_else(|| self.endpoint.is_for(call).then_some(true))
    }

    fn quiet(&self) -> &'static [&'static str] {
        self.before.quiet()
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
        match call.strip_prefix(self.prefix) {
            Some(call) => self.routes.route(context, &call, exchange).await,
            None => false,
        }
    }

    fn waits(&mut self, context: &mut C, call: &Call<'_>) -> Option<bool> {
        self.before.waits(context, call).or_else(|| self.routes.waits(context, &call.strip_prefix(self.prefix)?))
    }

    fn quiet(&self) -> &'static [&'static str] {
        let quiet = self.routes.quiet();
        if quiet.is_empty() { self.before.quiet() } else { quiet }
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
    async fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) {
        self.handler.call(self.outcome, context, call.params(), exchange.reply()).await;
    }
}

impl<C, L: AsyncListener<C, M>, M> AsyncEndpoint<C> for OnNotification<L, M> {
    async fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) {
        let outcome = self.listener.receive(context, call.params_in(exchange)).await;
        exchange.keep_fault(outcome);
    }
}

impl<C, F: AsyncFnMut(&mut C, Str<'_>, Params<'_>, Reply<'_>) -> Replied> AsyncEndpoint<C> for Fallback<F> {
    async fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) {
        (self.0)(context, call.method(), call.params(), exchange.reply()).await;
    }
}

impl<C, F: AsyncFnMut(&mut C, Str<'_>, Params<'_>)> AsyncEndpoint<C> for NotificationFallback<F> {
    async fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) {
        (self.0)(context, call.method(), call.params_in(exchange)).await;
    }
}
