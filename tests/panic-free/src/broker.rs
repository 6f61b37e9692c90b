//! Brokers: topics, subjects, calls that are delivered twice.

use nanojsonrpc::broker::{Recent, mcp, mqtt, nats};
use nanojsonrpc::{Router, Server};

use crate::{any, name, used};

#[unsafe(no_mangle)]
pub fn topics(text: &[u8], other: &[u8]) {
    let (text, other) = (name(text), name(other));
    used(mqtt::check_topic(text).map_err(|error| (error.kind().as_str(), error.offset())));
    used(mqtt::check_filter(text));
    used(mqtt::matches(text, other));
    used(mqtt::shared::<32>(text, other));
    used(mqtt::source_topic::<32>(text.as_bytes()));
    let layout = mqtt::Layout { prefix: text, name: other };
    used((layout.requests::<32>(), layout.answers::<32>(), layout.presence::<32>(), layout.state::<32>(text)));
    used(mqtt::Publish::new(text, other.as_bytes()));
    used(mqtt::Publish::call(text, other.as_bytes(), other, text.as_bytes(), Some(any(text.as_bytes()) as u32)));
    used(mqtt::Publish::retained(text, other.as_bytes()));
    used(mqtt::Publish::cleared(text));
    used((nats::check_subject(text), nats::check_filter(text), nats::check_queue_group(text)));
    used(nats::matches(text, other));
    let layout = nats::Layout { prefix: text, name: other };
    used((layout.requests::<32>(), layout.events::<32>(), layout.inbox::<32>(text)));
    let server = mcp::Server { id: text, name: other };
    used((server.control::<64>(), server.presence::<64>(), server.capability::<64>()));
    used((server.rpc::<64>(other), server.rpc_of_all::<64>(), mcp::servers::<64>(text)));
    used((mcp::client_presence::<64>(text), mcp::client_capability::<64>(text)));
    used((mcp::server_in(text), mcp::client_in(text)));
}

#[unsafe(no_mangle)]
pub fn deliveries(text: &[u8], out: &mut [u8], recent: &mut Recent<4, 16>, context: &mut u32) {
    let mut server = Server::new(Router::new().request("count", |count: &mut u32| Ok(*count)));
    *recent = core::mem::take(recent).keyed_by(any(text) as u64).within(any(text) as u64);
    used(recent.find(&[text, text]));
    recent.insert(&[text], Some(text));
    let delivery = mqtt::Delivery {
        payload: text,
        is_retained: any(text) > 7,
        response_topic: Some(name(text)),
        correlation_data: Some(text),
        is_dup: any(text) > 9,
        packet_id: Some(any(text) as u16),
        now: any(text) as u64,
        expiry: Some(any(text) as u32),
        waited: any(text) as u32,
    };
    let (front, back) = out.split_at_mut_checked(64).unwrap_or_default();
    used(mqtt::answer(&mut server, context, recent, &delivery, front));
    used(nats::answer(&mut server, context, text, Some(name(text)), back));
}
