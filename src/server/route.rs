//! What a [`Router`](super::Router) is made of. Seldom named: the compiler works these types out.

use core::marker::PhantomData;

use super::{Exchange, Handler, Listener, Replied, Reply};
use crate::message::{Envelope, EnvelopeKind, Params, Response, Text};

/// A message that looks for its handler.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    pub(super) stage: Stage,
    pub(super) method: Text<'a>,
    pub(super) params: Params<'a>,
    pub(super) response: Option<&'a Envelope<'a>>,
}

/// What kind of handler it looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Request,
    Notification,
    Response,
    RequestFallback,
    NotificationFallback,
}

impl<'a> Call<'a> {
    pub(super) fn of(envelope: &'a Envelope<'a>) -> Self {
        let (stage, response) = match envelope.kind() {
            EnvelopeKind::Request => (Stage::Request, None),
            EnvelopeKind::Notification => (Stage::Notification, None),
            EnvelopeKind::Success | EnvelopeKind::Error | EnvelopeKind::Batch => (Stage::Response, Some(envelope)),
        };
        Self { stage, method: Text::Raw(envelope.method()), params: envelope.params().into(), response }
    }

    pub(super) const fn new(stage: Stage, method: &'a str, params: Params<'a>) -> Self {
        Self { stage, method: Text::Plain(method), params, response: None }
    }

    /// The same for routes whose names have the `prefix`, if it is for one of them.
    pub(super) fn below(&self, prefix: &str) -> Option<Self> {
        // a response has no method
        let method = if self.response.is_some() { Some(self.method) } else { self.method.strip_prefix(prefix) };
        Some(Self { method: method?, ..self.clone() })
    }

    /// After no name has fitted: whether there is somebody else to be asked.
    pub(super) fn falls_back(&mut self) -> bool {
        self.stage = match self.stage {
            Stage::Request => Stage::RequestFallback,
            Stage::Notification => Stage::NotificationFallback,
            _ => return false,
        };
        true
    }

    /// The params, if this is a request for the method `name`.
    #[cfg(feature = "mcp")]
    pub(crate) fn requests(&self, name: &str) -> Option<Params<'a>> {
        if self.is(Stage::Request, name) { Some(self.params) } else { None }
    }

    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(super) fn is(&self, stage: Stage, name: &str) -> bool {
        let is_called = match self.method {
            Text::Raw(raw) => raw == *name,
            Text::Plain(text) => text == name,
            // comparing the words of an error would link `core::fmt`, and no method has such a name
            #[cfg(feature = "serde")]
            Text::Payload(_) => false,
        };
        is_called && self.stage == stage
    }
}

/// A list of routes.
pub trait Routes<C> {
    /// Hands `call` to the first that it is for, and says whether there is one.
    fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool;
}

/// The end of one route.
pub trait Endpoint<C> {
    /// Takes `call` if it is for this one, and says so.
    fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool;
}

/// No route.
#[derive(Clone, Copy, Debug)]
pub struct End;

/// Routes, and one more.
#[derive(Clone, Copy, Debug)]
pub struct Route<R, P> {
    pub(super) before: R,
    pub(super) endpoint: P,
}

/// Routes, and others whose names have a prefix, if only an empty one.
#[derive(Clone, Copy, Debug)]
pub struct Nested<R, S> {
    pub(super) before: R,
    pub(super) prefix: &'static str,
    pub(super) routes: S,
}

impl<C> Routes<C> for End {
    fn route(&mut self, _: &mut C, _: &Call<'_>, _: &mut Exchange<'_, '_>) -> bool {
        false
    }
}

impl<C, R: Routes<C>, P: Endpoint<C>> Routes<C> for Route<R, P> {
    #[inline]
    fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        self.before.route(context, call, exchange) || self.endpoint.take(context, call, exchange)
    }
}

impl<C, R: Routes<C>, S: Routes<C>> Routes<C> for Nested<R, S> {
    fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        if self.before.route(context, call, exchange) {
            return true;
        }
        call.below(self.prefix).is_some_and(|call| self.routes.route(context, &call, exchange))
    }
}

/// Answers the requests for one method.
#[derive(Debug)]
pub struct OnRequest<H, E, M> {
    pub(super) name: &'static str,
    pub(super) handler: H,
    types: PhantomData<fn() -> (E, M)>,
}

/// Hears the notifications of one method.
#[derive(Debug)]
pub struct OnNotification<L, M> {
    pub(super) name: &'static str,
    pub(super) listener: L,
    types: PhantomData<fn() -> M>,
}

/// Answers the requests that no name fits.
#[derive(Clone, Copy, Debug)]
pub struct Fallback<F>(pub(super) F);

/// Hears the notifications that no name fits.
#[derive(Clone, Copy, Debug)]
pub struct NotificationFallback<F>(pub(super) F);

/// Hears the responses.
#[derive(Clone, Copy, Debug)]
pub struct OnResponse<F>(pub(super) F);

impl<H, E, M> OnRequest<H, E, M> {
    pub(super) const fn new(name: &'static str, handler: H) -> Self {
        Self { name, handler, types: PhantomData }
    }
}

impl<L, M> OnNotification<L, M> {
    pub(super) const fn new(name: &'static str, listener: L) -> Self {
        Self { name, listener, types: PhantomData }
    }
}

impl<H: Clone, E, M> Clone for OnRequest<H, E, M> {
    fn clone(&self) -> Self {
        Self::new(self.name, self.handler.clone())
    }
}

impl<L: Clone, M> Clone for OnNotification<L, M> {
    fn clone(&self) -> Self {
        Self::new(self.name, self.listener.clone())
    }
}

impl<H: Copy, E, M> Copy for OnRequest<H, E, M> {}

impl<L: Copy, M> Copy for OnNotification<L, M> {}

impl<C, H: Handler<C, E, M>, E, M> Endpoint<C> for OnRequest<H, E, M> {
    fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        let is_for_this = call.is(Stage::Request, self.name);
        if is_for_this {
            self.handler.call(context, call.params, exchange.reply());
        }
        is_for_this
    }
}

impl<C, L: Listener<C, M>, M> Endpoint<C> for OnNotification<L, M> {
    fn take(&mut self, context: &mut C, call: &Call<'_>, _: &mut Exchange<'_, '_>) -> bool {
        let is_for_this = call.is(Stage::Notification, self.name);
        if is_for_this {
            self.listener.hear(context, call.params);
        }
        is_for_this
    }
}

impl<C, F: FnMut(&mut C, Text<'_>, Params<'_>, Reply<'_>) -> Replied> Endpoint<C> for Fallback<F> {
    fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        let is_for_this = call.stage == Stage::RequestFallback;
        if is_for_this {
            (self.0)(context, call.method, call.params, exchange.reply());
        }
        is_for_this
    }
}

impl<C, F: FnMut(&mut C, Text<'_>, Params<'_>)> Endpoint<C> for NotificationFallback<F> {
    fn take(&mut self, context: &mut C, call: &Call<'_>, _: &mut Exchange<'_, '_>) -> bool {
        let is_for_this = call.stage == Stage::NotificationFallback;
        if is_for_this {
            (self.0)(context, call.method, call.params);
        }
        is_for_this
    }
}

impl<C, F: FnMut(&mut C, Response<'_>)> Endpoint<C> for OnResponse<F> {
    fn take(&mut self, context: &mut C, call: &Call<'_>, _: &mut Exchange<'_, '_>) -> bool {
        let Some(envelope) = call.response else { return false };
        let Ok(response) = Response::try_from(*envelope) else { return false };
        (self.0)(context, response);
        true
    }
}

/// Functions have nothing to show.
#[cfg(feature = "defmt")]
macro_rules! shown_by_name {
    ($([$($generics:tt)*] $type:ty, $name:literal;)*) => {$(
        impl<$($generics)*> defmt::Format for $type {
            fn format(&self, f: defmt::Formatter<'_>) {
                defmt::write!(f, $name);
            }
        }
    )*};
}
#[cfg(feature = "defmt")]
shown_by_name! {
    [] Call<'_>, "Call";
    [] End, "End";
    [R, P] Route<R, P>, "Route";
    [R, P] super::AsyncRoute<R, P>, "AsyncRoute";
    [R, S] Nested<R, S>, "Nested";
    [H, E, M] OnRequest<H, E, M>, "OnRequest";
    [L, M] OnNotification<L, M>, "OnNotification";
    [F] Fallback<F>, "Fallback";
    [F] NotificationFallback<F>, "NotificationFallback";
    [F] OnResponse<F>, "OnResponse";
    [C, R, E] super::Router<C, R, E>, "Router";
    [R] super::Server<R>, "Server";
    [C, const N: usize] super::Registry<'_, C, N>, "Registry";
    [F, M] super::Shapeless<F, M>, "Shapeless";
}
