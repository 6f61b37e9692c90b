//! Requests that subscribe to resources and lists.

use super::Service;
use super::feature::{AsyncFeatures, Choice, Definition, Definitions, Features, Kind, OfRequest, Shown, With, before};
use super::feature::{PROMPTS, RESOURCES, SUBSCRIPTIONS, TASKS, TOOLS};
use super::operation::Subscription;
use super::refusal::Refusal;
use super::request::{RequestContext, Target};
use super::subscriptions::{Keeper, Subscriptions, Topic, decoded, write_meta};
use super::task_request::{TaskRequest, declares, lacks_extension};
use crate::json::{Kind as Json, ObjectWriter, RawValue};
use crate::mcp::method;
use crate::mcp::types::RequestId;
use crate::mcp::value::Object;
use crate::message::{ErrorCode, Notification};
use crate::server::{Replied, Reply};

/// The lists whose changes a stream can receive: the name in the filter, the capability, the topic.
const LISTS: [(&str, u8, Topic); 3] = [
    ("toolsListChanged", TOOLS, Topic::Tools),
    ("promptsListChanged", PROMPTS, Topic::Prompts),
    ("resourcesListChanged", RESOURCES, Topic::Resources),
];

/// Finds the subscriptions of the clients in the context.
#[derive(Clone, Copy, Debug)]
pub struct Subscribing<S>(pub(super) S);

impl<C, F: Definitions> Service<C, F> {
    /// Lets clients subscribe to resources and to changes of lists. `place` returns the [`Subscriptions`]
    /// in the context.
    ///
    /// The service then answers `resources/subscribe` and `resources/unsubscribe` in sessions and `subscriptions/listen` in 2026-07-28, and
    /// declares the capabilities. A client cannot subscribe to an unknown or hidden resource. The first message for `subscriptions/listen`
    /// is the notification that acknowledges it; [`Subscriptions::end`] writes the answer later. `notifications/cancelled` ends a stream
    /// without an answer.
    #[expect(clippy::type_complexity, reason = "the type is the list of registrations")]
    pub fn subscriptions<const COUNT: usize, const LEN: usize>(
        self,
        place: fn(&mut C) -> &mut Subscriptions<COUNT, LEN>,
    ) -> Service<C, With<F, Subscribing<fn(&mut C) -> &mut Subscriptions<COUNT, LEN>>>> {
        self.and(Subscribing(place))
    }
}

impl<F: Definitions, S> Definitions for With<F, Subscribing<S>> {
    fn find(&self, choice: &mut dyn Choice) -> Option<&Definition> {
        self.before.find(choice)
    }
}

impl<C, F: Features<C>, const COUNT: usize, const LEN: usize> Features<C>
    for With<F, Subscribing<fn(&mut C) -> &mut Subscriptions<COUNT, LEN>>>
{
}

impl<C, F: AsyncFeatures<C>, const COUNT: usize, const LEN: usize> AsyncFeatures<C>
    for With<F, Subscribing<fn(&mut C) -> &mut Subscriptions<COUNT, LEN>>>
{
    const KINDS: u8 = F::KINDS | SUBSCRIPTIONS;
    const COUNT: usize = F::COUNT;

    before! { call call_async waits answer_task }

    fn keeper<'c>(&self, context: &'c mut C) -> Option<&'c mut dyn Keeper> {
        Some((self.registration.0)(context))
    }
}

/// Answers a request that subscribes to something or ends a subscription.
pub(super) fn answer<C, F: AsyncFeatures<C>>(
    request: &RequestContext<'_>,
    operation: Subscription,
    features: &F,
    shown: Shown<C>,
    context: &mut C,
    reply: Reply<'_>,
) {
    let is_refused = F::KINDS & TASKS != 0 && task_ids(request, F::KINDS).next().is_some() && !declares(request);
    if is_refused && operation == Subscription::Listen {
        lacks_extension(reply);
        return;
    }
    let stream = reply.id().map_or(&[][..], RawValue::as_bytes);
    let refusal = match operation {
        Subscription::Listen => listen(request, features, shown, context, stream),
        _ => subscribe(request, operation, features, shown, context),
    };
    match (refusal, operation) {
        (Some(refusal), _) => _ = refusal.reply(reply),
        (None, Subscription::Listen) => {
            let is_acknowledged = acknowledge(request, F::KINDS, features, shown, context, reply).is_whole();
            if let (false, Some(keeper)) = (is_acknowledged, features.keeper(context)) {
                keeper.remove(&|known, _| known == stream);
            }
        }
        (None, _) => _ = request.answer(reply, &|_: &mut ObjectWriter<'_, '_>| {}),
    }
}

fn subscribe<'c, C, F: AsyncFeatures<C>>(
    request: &'c RequestContext<'c>,
    operation: Subscription,
    features: &F,
    shown: Shown<C>,
    context: &mut C,
) -> Option<Refusal<'c>> {
    let target = match request.target(Kind::Resource, features) {
        Ok(target) => target,
        Err(refusal) => return Some(refusal),
    };
    let uri = target.key();
    let is_known = is_shown(request, uri, features, shown, context);
    let keeper = features.keeper(context)?;
    let is_it = |stream: &[u8], known: &[u8]| stream.is_empty() && decoded(known) == uri.as_str_raw();
    // a repeated subscription keeps the first URI, whose spelling may be shorter
    let keeps = is_known && operation == Subscription::Subscribe;
    let was_subscribed = !keeps && keeper.remove(&is_it);
    match operation {
        Subscription::Unsubscribe => None,
        _ if !is_known && !was_subscribed => Some(target.unknown()),
        _ if keeper.add(&[], Topic::Resource, uri.as_bytes()) => None,
        _ => Some(TOO_MANY),
    }
}

/// Whether a resource with this `uri`, or a template that matches it, is shown to the request.
fn is_shown<'c, C>(
    request: &'c RequestContext<'c>,
    uri: RawValue<'c>,
    definitions: &dyn Definitions,
    shown: Shown<C>,
    context: &C,
) -> bool {
    let target = Target::of_resource(request, uri);
    OfRequest { definitions, shown, context, is_listing: false, request }.find_target(&target).0.is_some()
}

/// The URIs of the resources that a stream subscribes to; elements other than strings are skipped.
fn uris<'c>(request: &RequestContext<'c>) -> impl Iterator<Item = RawValue<'c>> {
    let filter = request.params.get("notifications").unwrap_or(RawValue::NULL);
    let uris = filter.get("resourceSubscriptions").unwrap_or(RawValue::NULL);
    uris.elements().filter(|uri| uri.kind() == Json::String)
}

/// The ids of the tasks that a stream subscribes to; elements other than strings are skipped.
fn task_ids<'c>(request: &RequestContext<'c>, kinds: u8) -> impl Iterator<Item = RawValue<'c>> {
    let filter = request.params.get("notifications").filter(|_| kinds & TASKS != 0).unwrap_or(RawValue::NULL);
    let ids = filter.get("taskIds").unwrap_or(RawValue::NULL);
    ids.elements().filter(|id| id.kind() == Json::String)
}

fn wants(request: &RequestContext<'_>, name: &str) -> bool {
    let filter = request.params.get("notifications").unwrap_or(RawValue::NULL);
    filter.get(name).and_then(|wants| wants.as_bool()) == Some(true)
}

fn listen<'c, C, F: AsyncFeatures<C>>(
    request: &RequestContext<'c>,
    features: &F,
    shown: Shown<C>,
    context: &mut C,
    stream: &[u8],
) -> Option<Refusal<'c>> {
    if let Err(reason) = request.object("notifications", NO_FILTER) {
        return Some(reason.into());
    }
    features.keeper(context)?.remove(&|known, _| known == stream);
    let (mut fits, mut is_empty) = (true, true);
    for (name, capability, topic) in LISTS {
        if F::KINDS & capability != 0 && wants(request, name) {
            is_empty = false;
            fits &= features.keeper(context)?.add(stream, topic, &[]);
        }
    }
    for uri in uris(request) {
        if is_shown(request, uri, features, shown, context) {
            is_empty = false;
            fits &= features.keeper(context)?.add(stream, Topic::Resource, uri.as_bytes());
        }
    }
    for id in task_ids(request, F::KINDS) {
        is_empty = false;
        fits &= features.keeper(context)?.add(stream, Topic::Task, id.as_bytes());
    }
    if is_empty {
        // the entry keeps the id of the request, which is answered when the stream ends
        fits = features.keeper(context)?.add(stream, Topic::Nothing, &[]);
    }
    if fits {
        return None;
    }
    features.keeper(context)?.remove(&|known, _| known == stream);
    Some(TOO_MANY)
}

/// Writes the first notification of a stream in the place of the answer to the request that opens it.
fn acknowledge<C>(
    request: &RequestContext<'_>,
    kinds: u8,
    definitions: &dyn Definitions,
    shown: Shown<C>,
    context: &C,
    reply: Reply<'_>,
) -> Replied {
    let stream = reply.id().map_or(&[][..], RawValue::as_bytes);
    let granted = Object(|granted: &mut ObjectWriter<'_, '_>| {
        for (name, capability, _) in LISTS {
            if kinds & capability != 0 && wants(request, name) {
                granted.member(name, &true);
            }
        }
        if uris(request).next().is_some() {
            let uris = uris(request).filter(|uri| is_shown(request, *uri, definitions, shown, context));
            granted.member_with("resourceSubscriptions", |out| {
                out.array(|array| uris.for_each(|uri| array.element(&uri)))
            });
        }
        if kinds & TASKS != 0 && task_ids(request, kinds).next().is_some() {
            granted.member_with("taskIds", |out| {
                out.array(|array| task_ids(request, kinds).for_each(|id| array.element(&id)))
            });
        }
    });
    let params = Object(|params: &mut ObjectWriter<'_, '_>| {
        params.member("notifications", &granted);
        write_meta(stream, params);
    });
    reply.instead(&Notification::new(method::SUBSCRIPTIONS_ACKNOWLEDGED).with_params(&params))
}

/// Ends the stream of a cancelled request; returns whether there was one.
pub(super) fn cancel(keeper: &mut dyn Keeper, request: Option<RawValue<'_>>) -> bool {
    let Some(Ok(id)) = request.map(RequestId::read) else { return false };
    keeper.remove(&|stream, _| has_id(stream, id))
}

/// Whether a stream has this request.
pub(super) fn is_stream(keeper: &dyn Keeper, request: Option<RawValue<'_>>) -> bool {
    let Some(Ok(id)) = request.map(RequestId::read) else { return false };
    keeper.has(&|stream| has_id(stream, id))
}

fn has_id(stream: &[u8], id: RequestId<'_>) -> bool {
    let stream = RawValue::parse(stream).map(RequestId::read);
    matches!(stream, Ok(Ok(stream)) if stream == id)
}

const NO_FILTER: &str = "Invalid params: expected an object as notifications";
const TOO_MANY: Refusal<'static> = Refusal::new(ErrorCode::INTERNAL_ERROR, "Internal error: too many subscriptions");
