//! HTTP: the endpoint, webhooks, events that are replayed.

use nanojsonrpc::http::{
    Chunked, Endpoint, Head, Origins, Post, Replay, answer_in, call_in_target, is_json, read_head, reason,
};
use nanojsonrpc::{Notification, Router, Server};

use crate::{any, name, used};

#[unsafe(no_mangle)]
pub fn http(text: &[u8], out: &mut [u8], context: &mut u32) {
    let mut server = Server::new(Router::new().request("count", |count: &mut u32| Ok(*count)));
    let headers = [(name(text), text)];
    let mut head = Head::from_headers(name(text), name(text), headers);
    head.header(name(text), text);
    let origins = [name(text)];
    used(Origins::Only(&origins).allow(text));
    used(Origins::Local.allow(text));
    used(Origins::By(|origin| any(origin) > 7).allow(text));
    used(Origins::Only(&origins).allow_host(text));
    let endpoint = Endpoint::new().at(name(text)).with_origins(Origins::Only(&origins)).with_events();
    let endpoint = endpoint.reading_chunks().reading_untyped().accepting();
    used(endpoint.begin(&head, any(text)));
    used((endpoint.too_long(), endpoint.malformed()));
    used(endpoint.read_target(&head, out));
    used(call_in_target(name(text), name(text), out));
    let call = endpoint.respond(&head, server.process(context, text, out));
    used((call.status(), call.body()));
    let mut written = [0; 64];
    let response = endpoint.answer(&mut server, context, &head, text, out);
    used((response.status(), response.headers(), response.body(), response.closes(), reason(response.status())));
    used(response.write_head(&mut written));
    used(Head::new(name(text), name(text)));
    head.minor_version = text.first().copied();
    used((head.closes(), head.lacks_host(), head.path()));
    used(Endpoint::new().with_websocket().begin(&head, any(text)));
    let message = Notification::new(name(text));
    used(Post::new(name(text), name(text)).with_headers(&[(name(text), name(text))]).write(&message, &mut written));
    used(Post::new(name(text), name(text)).write_text(text, &mut written));
    used(answer_in(any(text) as u16, Some(text), text));
    used(is_json(text));
    used(read_head(text, |name, value| used((name, value))));
    let mut events = Replay::<128>::new(any(text) as u32);
    used(events.push(text));
    used(events.newest().text().as_ref());
    let missed = events.after(Some(text));
    used(missed.has_gap());
    for event in missed {
        used(event.encode(&mut written));
    }
}

#[unsafe(no_mangle)]
pub fn chunks(piece: &mut [u8], chunked: &mut Chunked) {
    used(chunked.decode(piece).map_err(|error| (error.kind().as_str(), error.offset())));
    *chunked = Chunked::new();
}
