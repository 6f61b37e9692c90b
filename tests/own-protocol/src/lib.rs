//! A protocol over JSON-RPC, as a program writes it: clients subscribe to topics, and each published value goes to the clients that
//! subscribed to the beginning of its topic. A value is copied once, from the input into the output.
//!
//! | request | answer |
//! |---|---|
//! | `subscribe` with `{"topic":…}` | the notification `subscribed`; the result, the number of values, follows at the end |
//! | `unsubscribe` with `{"id":…}`, the id of that request | the result of both requests |
//! | `publish` with `{"topic":…,"value":…}` | the number of clients; before it, a notification `value` to each |
#![no_std]
#![forbid(unsafe_code)]

use heapless::Vec;
use nanojsonrpc::json::{ValueWriter, Written};
use nanojsonrpc::message::Str;
use nanojsonrpc::server::route::Routes;
use nanojsonrpc::server::{Event, Observer, Replied, Reply};
use nanojsonrpc::{
    ErrorCode, ErrorObject, Id, Notification, Params, RawStr, RawValue, Response, Router, Server, ToJson, Writer,
};

/// The error for a subscription beyond the capacity.
pub const TOO_MANY: ErrorObject<'static> =
    ErrorObject { code: ErrorCode(-32050), message: Str::Plain("Too many subscriptions"), data: None };

/// The subscriptions, and the output for messages to their clients.
pub struct Broker<'w, const COUNT: usize> {
    subscriptions: Vec<Subscription, COUNT>,
    out: Writer<'w>,
    /// The number of messages that found no room.
    pub lost: usize,
}

struct Subscription {
    /// The id of the request that is answered when the subscription ends.
    id: Id,
    /// The beginning of its topics, at most 32 bytes.
    topic: heapless::String<32>,
    count: u32,
}

/// A published value, as it goes to one client.
struct Value<'a> {
    subscription: &'a Id,
    topic: RawValue<'a>,
    value: RawValue<'a>,
}

impl ToJson for Value<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.object(|object| {
            object.member("subscription", self.subscription);
            object.member("topic", &self.topic);
            object.member("value", &self.value);
        })
    }
}

impl<'w, const COUNT: usize> Broker<'w, COUNT> {
    /// Without subscriptions. Messages to clients go to `out`.
    pub fn new(out: &'w mut [u8]) -> Self {
        Self { subscriptions: Vec::new(), out: Writer::new(out), lost: 0 }
    }

    /// The messages to clients, each without a frame.
    pub fn sent(&self) -> &[u8] {
        self.out.written()
    }

    /// Forgets the messages that the program has sent.
    pub fn clear(&mut self) {
        self.out.clear();
    }

    fn subscribe(&mut self, params: Params<'_>, reply: Reply<'_>) -> Replied {
        let Some(topic) = params.get("topic").and_then(RawValue::as_str_raw).and_then(RawStr::to_heapless) else {
            return reply.error(ErrorObject::INVALID_PARAMS);
        };
        let Some(id) = reply.id().and_then(|id| Id::read(id).ok()) else {
            return reply.error(ErrorObject::INVALID_REQUEST);
        };
        if self.subscriptions.push(Subscription { id, topic, count: 0 }).is_err() {
            return reply.error(TOO_MANY);
        }
        let replied = reply.instead(&Notification::new("subscribed").with_params(&params));
        if !replied.is_whole() {
            self.subscriptions.pop();
        }
        replied
    }

    fn unsubscribe(&mut self, params: Params<'_>, reply: Reply<'_>) -> Replied {
        let id = params.get("id").and_then(|id| Id::read(id).ok());
        let place = self.subscriptions.iter().position(|subscription| Some(&subscription.id) == id.as_ref());
        let Some(ended) = place.map(|place| self.subscriptions.swap_remove(place)) else {
            return reply.error(ErrorObject::INVALID_PARAMS);
        };
        let sent = self.out.message(&Response::success(ended.id, &ended.count));
        self.lost += usize::from(sent.is_err());
        reply.success(&ended.count)
    }

    fn publish(&mut self, params: Params<'_>, reply: Reply<'_>) -> Replied {
        let (Some(topic), Some(value)) = (params.get("topic"), params.get("value")) else {
            return reply.error(ErrorObject::INVALID_PARAMS);
        };
        let Some(name) = topic.as_str_raw() else { return reply.error(ErrorObject::INVALID_PARAMS) };
        let mut count = 0;
        for subscription in &mut self.subscriptions {
            if name.strip_prefix(&subscription.topic).is_none() {
                continue;
            }
            let message = Value { subscription: &subscription.id, topic, value };
            match self.out.message(&Notification::new("value").with_params(&message)) {
                Ok(()) => (subscription.count, count) = (subscription.count + 1, count + 1),
                Err(_) => self.lost += 1,
            }
        }
        reply.success(&count)
    }
}

/// The routes of the protocol.
pub fn router<'w, const COUNT: usize>() -> Router<Broker<'w, COUNT>, impl Routes<Broker<'w, COUNT>>> {
    Router::new()
        .request("subscribe", |broker: &mut Broker<'w, COUNT>, params: Params<'_>, reply: Reply<'_>| {
            broker.subscribe(params, reply)
        })
        .request("unsubscribe", |broker: &mut Broker<'w, COUNT>, params: Params<'_>, reply: Reply<'_>| {
            broker.unsubscribe(params, reply)
        })
        .request("publish", |broker: &mut Broker<'w, COUNT>, params: Params<'_>, reply: Reply<'_>| {
            broker.publish(params, reply)
        })
}

/// Lets `server` answer `text` in `room` and passes the answer to `send`, which returns whether it was sent. If not, the observer of the
/// server learns it. Returns whether the stream of the client stays open, because the call is answered later.
pub fn transfer<C, R: Routes<C>, H: Observer<C>>(
    server: &mut Server<R, H>,
    context: &mut C,
    text: &[u8],
    room: &mut [u8],
    send: impl FnOnce(&[u8]) -> bool,
) -> bool {
    let processed = server.process(context, text, room);
    let is_sent = processed.answer().is_none_or(send);
    if !is_sent {
        server.observe(context, Event::AnswerUnsent(text));
    }
    is_sent && processed.is_deferred()
}
