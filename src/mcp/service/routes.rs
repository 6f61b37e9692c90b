//! Requests and the handlers that answer them.

use super::asked::{Asked, Refusal, Wanted};
use super::feature::{AsyncFeatures, Definition, Definitions, Features, Kind, OfRequest, SUBSCRIPTIONS, Shown};
use super::lifecycle::capabilities;
use super::operation::Operation;
use super::{Service, listen, page};
use crate::json::Writer;
use crate::mcp::{Revision, method};
use crate::server::route::{Call as Incoming, Routes};
use crate::server::{AsyncRoutes, Exchange};

/// Answers a call of the service; `$take` has the features take a request, and may wait.
macro_rules! route {
    ($self:ident, $context:ident, $call:ident, $exchange:ident, |$features:ident, $wanted:ident, $shown:ident| $take:expr) => {{
        let Self { identity, features, session, unlisted, shown } = $self;
        let Some(operation) = Operation::of($call, F::KINDS) else {
            let is_cancelled = F::KINDS & SUBSCRIPTIONS != 0 && $call.notifies(method::CANCELLED);
            return is_cancelled
                && features
                    .keeper($context)
                    .is_some_and(|keeper| listen::cancel(keeper, $call.params().get("requestId")));
        };
        let asked = match Asked::new(operation, $call.params(), identity, *session) {
            Ok(asked) => asked,
            Err(refusal) => {
                refusal.reply($exchange.reply());
                return true;
            }
        };
        match operation {
            Operation::List(kind) | Operation::Use(kind) if F::KINDS & kind.capability() == 0 => return false,
            Operation::List(kind) => {
                page::list(&asked, kind, features, *shown, *unlisted, $context, $exchange.reply());
            }
            Operation::Use(kind) => match wanted(&asked, kind, features, *shown, $context) {
                Ok($wanted) => {
                    let ($features, $shown) = (features, *shown);
                    if !$take {
                        $wanted.untaken($exchange.reply());
                    }
                }
                Err(refusal) => _ = refusal.reply($exchange.reply()),
            },
            Operation::Initialize | Operation::Ping if asked.revision.is_stateless() => return false,
            Operation::Initialize => {
                let opened = asked.initialize(capabilities(F::KINDS), $exchange.reply());
                if F::KINDS & SUBSCRIPTIONS != 0 && opened.is_some() {
                    if let Some(keeper) = features.keeper($context) {
                        keeper.open_session();
                    }
                }
                *session = opened.or(*session);
            }
            Operation::Subscription(subscription) => {
                return F::KINDS & SUBSCRIPTIONS != 0
                    && listen::answer(&asked, subscription, features, *shown, $context, $exchange.reply());
            }
            Operation::Ping => _ = asked.answer($exchange.reply(), &|_: &mut Writer<'_>| {}),
            Operation::Discover => asked.discover(capabilities(F::KINDS), $exchange.reply()),
        }
        true
    }};
}

/// The target of the request among the registrations that it sees.
#[inline(never)]
fn wanted<'c, C>(
    asked: &'c Asked<'c>,
    kind: Kind,
    definitions: &dyn Definitions,
    shown: Shown<C>,
    context: &C,
) -> Result<Wanted<'c>, Refusal<'c>> {
    asked.wanted(kind, &OfRequest { definitions, shown, context, is_listing: false, asked })
}

/// The notifications of the protocol that a server may ignore.
const QUIET: &[&str] = &[method::INITIALIZED, method::CANCELLED, method::ROOTS_LIST_CHANGED];

impl<C, F: Features<C>> Routes<C> for Service<C, F> {
    const FALLS_BACK: bool = false;
    const QUIET: &'static [&'static str] = QUIET;

    fn route(&mut self, context: &mut C, call: &Incoming<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        route!(self, context, call, exchange, |features, wanted, shown| features
            .take(context, &wanted, shown, exchange))
    }

    fn mark(&mut self, mark: u8) {
        self.session = Revision::of_mark(mark);
    }
}

impl<C, F: AsyncFeatures<C>> AsyncRoutes<C> for Service<C, F> {
    const FALLS_BACK: bool = false;
    const QUIET: &'static [&'static str] = QUIET;

    async fn route(&mut self, context: &mut C, call: &Incoming<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        route!(self, context, call, exchange, |features, wanted, shown| {
            let waits = features.waits(&mut |definition: &Definition| {
                wanted.is(definition) && definition.is_shown(shown, context, false, wanted.asked)
            });
            match waits {
                Some(true) => features.take_async(context, &wanted, shown, exchange).await,
                _ => features.take(context, &wanted, shown, exchange),
            }
        })
    }

    fn waits(&self, call: &Incoming<'_>) -> bool {
        let Some(Operation::Use(kind)) = Operation::of(call, F::KINDS) else { return false };
        let asked = Asked::new(Operation::Use(kind), call.params(), &self.identity, self.session);
        let wanted = asked.as_ref().ok().and_then(|asked| asked.wanted(kind, &self.features).ok());
        let waits = |wanted: Wanted<'_>| self.features.waits(&mut |definition: &Definition| wanted.is(definition));
        wanted.and_then(waits) == Some(true)
    }

    fn mark(&mut self, mark: u8) {
        self.session = Revision::of_mark(mark);
    }
}
