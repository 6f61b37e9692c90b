//! Subscriptions. The resources of this server never change, so a subscribed client receives no notification.

use core::time::Duration;
use std::thread;

use nanojsonrpc::mcp::method;
use nanojsonrpc::mcp::types::{
    EmptyResult, PROTOCOL_VERSION, RequestId, SubscriptionFilter, SubscriptionMeta, SubscriptionsAcknowledged,
};
use nanojsonrpc::server::route::Routes;
use nanojsonrpc::server::{Replied, Reply};
use nanojsonrpc::{ErrorObject, Notification, Params, RawValue, Router};

use super::App;

pub(crate) fn register<R: Routes<App>>(router: Router<App, R>) -> Router<App, impl Routes<App>> {
    router
        .request(method::RESOURCES_SUBSCRIBE, subscribe)
        .request(method::RESOURCES_UNSUBSCRIBE, subscribe)
        .request(method::SUBSCRIPTIONS_LISTEN, listen)
}

/// Whether a request belongs to the revision 2026-07-28.
pub(crate) fn is_stateless(params: &Params<'_>) -> bool {
    params.get("_meta").is_some_and(|meta| meta.get(PROTOCOL_VERSION).is_some())
}

/// `resources/subscribe` and `resources/unsubscribe`, which only revisions with sessions have.
fn subscribe(_: &mut App, params: Params<'_>, reply: Reply<'_>) -> Replied {
    match params.get("uri").and_then(|uri| uri.as_str_raw()) {
        _ if is_stateless(&params) => reply.error(ErrorObject::METHOD_NOT_FOUND),
        Some(_) => reply.success(&EmptyResult::new()),
        None => reply.error(ErrorObject::INVALID_PARAMS),
    }
}

/// `subscriptions/listen`: a stream that stays open until the client closes it.
fn listen(app: &mut App, params: Params<'_>, mut reply: Reply<'_>) -> Replied {
    if !is_stateless(&params) {
        return reply.error(ErrorObject::METHOD_NOT_FOUND);
    }
    let id = app.id.clone();
    let Some(id) = RawValue::parse(id.as_bytes()).ok().and_then(|id| RequestId::read(id).ok()) else {
        return reply.error(ErrorObject::INTERNAL_ERROR);
    };
    // the granted subscriptions: none, or resources that never change
    let asked = params.get("notifications").and_then(|asked| SubscriptionFilter::read(asked).ok()).unwrap_or_default();
    let agreed =
        SubscriptionFilter { resource_subscriptions: asked.resource_subscriptions, ..SubscriptionFilter::new() };
    let meta = Some(SubscriptionMeta { subscription_id: Some(id) });
    let acknowledged = SubscriptionsAcknowledged { meta, ..SubscriptionsAcknowledged::new(agreed) };
    let notification = Notification::new(method::SUBSCRIPTIONS_ACKNOWLEDGED).with_params(&acknowledged);
    let is_sent = reply.ahead(&notification).is_ok_and(|message| app.client.send(message).is_ok());
    while is_sent && !app.client.is_gone() {
        thread::sleep(Duration::from_millis(50));
    }
    // the client has disconnected
    reply.error(ErrorObject::INTERNAL_ERROR)
}
