//! Lists of routes.

use super::Exchange;
use super::call::Call;
use super::endpoint::Endpoint;

/// A list of routes.
#[diagnostic::on_unimplemented(
    message = "`process` cannot call these routes with the context `{C}`",
    label = "an `async` handler, another context, or a type that does not implement `Routes`",
    note = "pass `process` the context that the handlers of the router take",
    note = "serve a router with an `async` handler by `process_async`",
    note = "`Server::with_routes` and routes of your own take the routes of a router, not the router: `Router::into_routes` gives the \
            routes of a router"
)]
pub trait Routes<C> {
    /// Whether the list can contain fallbacks. If so, a call that matches no method walks the list a second time; `false` saves the
    /// second walk.
    const FALLS_BACK: bool = true;

    /// The notifications that need no listener: without a listener they are dropped, and no event reports them.
    #[doc(hidden)]
    const QUIET: &'static [&'static str] = &[];

    /// Dispatches `call` to the first route that takes it. Returns whether there is one.
    ///
    /// A list that contains another list passes its own `exchange` on and reads no message from it, because a listener for responses
    /// reads the response from the exchange.
    fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool;

    /// Receives a number for the next message, by which the transport of MCP over HTTP passes the state of the session. Routes other than
    /// those of an MCP service ignore it, or pass it on.
    #[doc(hidden)]
    fn mark(&mut self, _: u8) {}
}

/// The empty list of routes.
#[derive(Clone, Copy, Debug)]
pub struct End;

/// A list of routes, followed by one more route.
#[derive(Clone, Copy, Debug)]
pub struct Route<R, P> {
    pub(super) before: R,
    pub(super) endpoint: P,
}

/// A list of routes, followed by another list under a prefix, which may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Nested<R, S> {
    pub(super) before: R,
    pub(super) prefix: &'static str,
    pub(super) routes: S,
}

impl<C> Routes<C> for End {
    const FALLS_BACK: bool = false;

    fn route(&mut self, _: &mut C, _: &Call<'_>, _: &mut Exchange<'_, '_>) -> bool {
        false
    }
}

impl<C, R: Routes<C>, P: Endpoint<C>> Routes<C> for Route<R, P> {
    const FALLS_BACK: bool = R::FALLS_BACK || P::FALLS_BACK;
    const QUIET: &'static [&'static str] = R::QUIET;

    #[inline]
    fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        self.before.route(context, call, exchange) || self.endpoint.take(context, call, exchange)
    }

    fn mark(&mut self, mark: u8) {
        self.before.mark(mark);
    }
}

impl<C, R: Routes<C>, S: Routes<C>> Routes<C> for Nested<R, S> {
    const FALLS_BACK: bool = R::FALLS_BACK || S::FALLS_BACK;
    const QUIET: &'static [&'static str] = if S::QUIET.is_empty() { R::QUIET } else { S::QUIET };

    fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        if self.before.route(context, call, exchange) {
            return true;
        }
        call.strip_prefix(self.prefix).is_some_and(|call| self.routes.route(context, &call, exchange))
    }

    fn mark(&mut self, mark: u8) {
        self.before.mark(mark);
        self.routes.mark(mark);
    }
}
