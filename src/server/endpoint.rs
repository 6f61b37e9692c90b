//! Single routes: a method name and a handler.

use core::marker::PhantomData;

use super::call::{Call, Stage};
use super::{Exchange, Handler, Listener, Outcome, Replied, Reply};
use crate::message::{Envelope, Params, Str};

/// The calls that a route takes.
pub(crate) trait Condition {
    /// Whether this route is a fallback; see [`Routes::FALLS_BACK`](super::route::Routes::FALLS_BACK).
    const FALLS_BACK: bool = true;

    /// Whether this route takes `call`.
    fn is_for(&self, call: &Call<'_>) -> bool;
}

/// One route: a condition and a handler.
pub trait Endpoint<C>: Condition {
    /// Handles `call` if this route takes it. Returns whether it does.
    fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool;
}

/// Answers the requests for one method.
#[derive(Debug)]
pub struct OnRequest<H, O, M> {
    pub(super) name: &'static str,
    pub(super) outcome: O,
    pub(super) handler: H,
    shape: PhantomData<fn() -> M>,
}

/// Handles the notifications for one method.
#[derive(Debug)]
pub struct OnNotification<L, M> {
    pub(super) name: &'static str,
    pub(super) listener: L,
    shape: PhantomData<fn() -> M>,
}

/// Answers the requests that match no other route.
#[derive(Clone, Copy, Debug)]
pub struct Fallback<F>(pub(super) F);

/// Handles the notifications that match no other route.
#[derive(Clone, Copy, Debug)]
pub struct NotificationFallback<F>(pub(super) F);

/// Handles the responses.
#[derive(Clone, Copy, Debug)]
pub struct OnResponse<F>(pub(super) F);

impl<H, O, M> OnRequest<H, O, M> {
    #[doc(hidden)]
    pub const fn new(name: &'static str, outcome: O, handler: H) -> Self {
        Self { name, outcome, handler, shape: PhantomData }
    }
}

impl<L, M> OnNotification<L, M> {
    #[doc(hidden)]
    pub const fn new(name: &'static str, listener: L) -> Self {
        Self { name, listener, shape: PhantomData }
    }
}

impl<H: Clone, O: Copy, M> Clone for OnRequest<H, O, M> {
    fn clone(&self) -> Self {
        Self::new(self.name, self.outcome, self.handler.clone())
    }
}

impl<L: Clone, M> Clone for OnNotification<L, M> {
    fn clone(&self) -> Self {
        Self::new(self.name, self.listener.clone())
    }
}

impl<H: Copy, O: Copy, M> Copy for OnRequest<H, O, M> {}

impl<L: Copy, M> Copy for OnNotification<L, M> {}

impl<H, O, M> Condition for OnRequest<H, O, M> {
    const FALLS_BACK: bool = false;

    fn is_for(&self, call: &Call<'_>) -> bool {
        call.matches(Stage::Request, self.name)
    }
}

impl<L, M> Condition for OnNotification<L, M> {
    const FALLS_BACK: bool = false;

    fn is_for(&self, call: &Call<'_>) -> bool {
        call.matches(Stage::Notification, self.name)
    }
}

impl<F> Condition for Fallback<F> {
    fn is_for(&self, call: &Call<'_>) -> bool {
        call.stage == Stage::RequestFallback
    }
}

impl<F> Condition for NotificationFallback<F> {
    fn is_for(&self, call: &Call<'_>) -> bool {
        call.stage == Stage::NotificationFallback
    }
}

impl<F> Condition for OnResponse<F> {
    const FALLS_BACK: bool = false;

    fn is_for(&self, call: &Call<'_>) -> bool {
        call.is_response()
    }
}

impl<C, H: Handler<C, M>, O: Copy, M> Endpoint<C> for OnRequest<H, O, M>
where
    H::Output: Outcome<O>,
{
    fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        let is_for_this = self.is_for(call);
        if is_for_this {
            self.handler.call(self.outcome, context, call.params(), exchange.reply());
        }
        is_for_this
    }
}

impl<C, L: Listener<C, M>, M> Endpoint<C> for OnNotification<L, M> {
    fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        let is_for_this = self.is_for(call);
        if is_for_this {
            let outcome = self.listener.receive(context, call.params_in(exchange));
            exchange.keep_fault(outcome);
        }
        is_for_this
    }
}

impl<C, F: FnMut(&mut C, Str<'_>, Params<'_>, Reply<'_>) -> Replied> Endpoint<C> for Fallback<F> {
    fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        let is_for_this = self.is_for(call);
        if is_for_this {
            (self.0)(context, call.method(), call.params(), exchange.reply());
        }
        is_for_this
    }
}

impl<C, F: FnMut(&mut C, Str<'_>, Params<'_>)> Endpoint<C> for NotificationFallback<F> {
    fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        let is_for_this = self.is_for(call);
        if is_for_this {
            (self.0)(context, call.method(), call.params_in(exchange));
        }
        is_for_this
    }
}

impl<C, F: FnMut(&mut C, &Envelope<'_>)> Endpoint<C> for OnResponse<F> {
    fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        let is_for_this = self.is_for(call);
        if is_for_this {
            (self.0)(context, exchange.message());
        }
        is_for_this
    }
}
