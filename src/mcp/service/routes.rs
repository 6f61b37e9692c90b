//! Requests and the handlers that answer them.

use super::feature::{AsyncFeatures, Definitions, Features, Kind, OfRequest, SKILLS, SUBSCRIPTIONS, Shown, TASKS};
use super::lifecycle::capabilities;
use super::operation::Operation;
use super::refusal::Refusal;
use super::request::{RequestContext, Target};
use super::task_request::TaskRequest;
use super::{Service, listen, page, skills, task_call};
use crate::json::ObjectWriter;
use crate::mcp::{Revision, method};
use crate::server::route::{Call as Incoming, Routes};
use crate::server::{AsyncRoutes, Exchange};

/// Answers a call of the service; `$called` calls the handler of the registration at `$index`, and may wait.
macro_rules! route {
    ($self:ident, $context:ident, $call:ident, $exchange:ident, |$features:ident, $index:ident, $target:ident, $reply:ident| $called:expr) => {{
        let Self { identity, features, session, unlisted, shown } = $self;
        let Some(operation) = Operation::of($call, F::KINDS) else {
            let is_cancelled = F::KINDS & SUBSCRIPTIONS != 0 && $call.notifies(method::CANCELLED);
            return is_cancelled
                && features
                    .keeper($context)
                    .is_some_and(|keeper| listen::cancel(keeper, $call.params().get("requestId")));
        };
        let $reply = $exchange.reply();
        let request = match RequestContext::new(operation, $call.params(), identity, *session) {
            Ok(request) => request,
            Err(refusal) => {
                refusal.reply($reply);
                return true;
            }
        };
        if !operation.exists(F::KINDS, request.revision.is_stateless()) {
            return false;
        }
        match operation {
            Operation::List(kind) => {
                page::list(&request, (kind, kind.list_name()), features, *shown, *unlisted, $context, $reply);
            }
            Operation::Use(kind) => match target(&request, kind, features, *shown, $context) {
                Ok(($target, $index)) => {
                    if F::KINDS & TASKS != 0 {
                        if let Some(unfit) = task_call::unfit(&$target, features, *shown, $context) {
                            unfit.reply(&request, $reply);
                            return true;
                        }
                    }
                    let $features = features;
                    $called;
                }
                Err(refusal) => _ = refusal.reply($reply),
            },
            Operation::Initialize => {
                let mut kinds = F::KINDS;
                if F::KINDS & TASKS != 0 {
                    kinds = task_call::kinds_of_session(kinds, &request.params);
                }
                let opened = request.initialize((kinds, capabilities(F::KINDS, false)), $reply);
                if F::KINDS & SUBSCRIPTIONS != 0 && opened.is_some() {
                    if let Some(keeper) = features.keeper($context) {
                        keeper.open_session();
                    }
                }
                *session = opened.or(*session);
            }
            Operation::Subscription(subscription) => {
                listen::answer(&request, subscription, features, *shown, $context, $reply);
            }
            Operation::Skill(operation) => {
                if F::KINDS & SKILLS != 0 {
                    skills::answer(&request, operation, features, *shown, *unlisted, $context, $reply);
                }
            }
            Operation::Task(operation) => {
                if F::KINDS & TASKS != 0 {
                    features.answer_task($context, TaskRequest { request: &request, operation, reply: $reply });
                }
            }
            Operation::Ping => _ = request.answer($reply, &|_: &mut ObjectWriter<'_, '_>| {}),
            Operation::Discover => request.discover((F::KINDS, capabilities(F::KINDS, true)), $reply),
        }
        true
    }};
}

/// Finds the target among the registrations that are shown to the request. Returns it with its index among all registrations. If an
/// argument has no completion, the index is the number of registrations. This function alone decides which handler answers, and so
/// whether the answer waits.
#[inline(never)]
fn target<'c, C>(
    request: &'c RequestContext<'c>,
    kind: Kind,
    definitions: &dyn Definitions,
    shown: Shown<C>,
    context: &C,
) -> Result<(Target<'c>, usize), Refusal<'c>> {
    let visible = OfRequest { definitions, shown, context, is_listing: false, request };
    let target = request.target(kind, &visible)?;
    match visible.find_target(&target) {
        (None, _) if kind != Kind::Completion => Err(target.unknown()),
        (found, index) => match found.and_then(|definition| target.lacks(definition)) {
            Some(refusal) => Err(refusal),
            None => Ok((target, index)),
        },
    }
}

/// The notifications of the protocol that a server may ignore.
const QUIET: &[&str] = &[method::INITIALIZED, method::CANCELLED, method::ROOTS_LIST_CHANGED];

impl<C, F: Features<C>> Routes<C> for Service<C, F> {
    const FALLS_BACK: bool = false;
    const QUIET: &'static [&'static str] = QUIET;

    fn route(&mut self, context: &mut C, call: &Incoming<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        route!(self, context, call, exchange, |features, index, target, reply| features
            .call(index, context, &target, reply))
    }

    fn mark(&mut self, mark: u8) {
        self.session = Revision::of_mark(mark);
    }
}

impl<C, F: AsyncFeatures<C>> AsyncRoutes<C> for Service<C, F> {
    const FALLS_BACK: bool = false;

    async fn route(&mut self, context: &mut C, call: &Incoming<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        route!(self, context, call, exchange, |features, index, target, reply| {
            if features.waits(index) {
                features.call_async(index, context, &target, reply).await;
            } else {
                features.call(index, context, &target, reply);
            }
        })
    }

    fn waits(&mut self, context: &mut C, call: &Incoming<'_>) -> Option<bool> {
        let Some(operation) = Operation::of(call, F::KINDS) else {
            let is_cancelled = F::KINDS & SUBSCRIPTIONS != 0 && call.notifies(method::CANCELLED);
            let keeper = if is_cancelled { self.features.keeper(context) } else { None };
            return listen::is_stream(keeper?, call.params().get("requestId")).then_some(false);
        };
        let Ok(request) = RequestContext::new(operation, call.params(), &self.identity, self.session) else {
            return Some(false);
        };
        if !operation.exists(F::KINDS, request.revision.is_stateless()) {
            return None;
        }
        let Operation::Use(kind) = operation else { return Some(false) };
        let target = target(&request, kind, &self.features, self.shown, context);
        Some(target.is_ok_and(|(_, index)| self.features.waits(index)))
    }

    fn quiet(&self) -> &'static [&'static str] {
        QUIET
    }

    fn mark(&mut self, mark: u8) {
        self.session = Revision::of_mark(mark);
    }
}
