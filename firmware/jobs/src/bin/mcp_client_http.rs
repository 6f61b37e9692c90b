//! The job `mcp_client` over Streamable HTTP: each message is written as a request of HTTP, and the messages are read from the responses,
//! which are JSON or events.
#![no_std]
#![no_main]

use core::hint::black_box;

use nanojsonrpc::Writer;
use nanojsonrpc::frame::{Events, Framer};
use nanojsonrpc::mcp::client::http::{Body, Remote, Reply};
use nanojsonrpc::mcp::client::{Call, Client, Incoming, Outcome, ToolResult};
use nanojsonrpc::mcp::types::InputRequest;
use probe::used;
use serde::Serialize;

#[derive(Serialize)]
struct Add {
    a: i32,
    b: i32,
}

fn read(result: ToolResult<'_>) {
    result.texts().for_each(|text| used(&text));
    used(&result.structured().and_then(|content| content.get("sum")?.as_i64()));
    used(&result.is_error());
}

fn receive(client: &mut Client, remote: &mut Remote<'_>, call: &Call<'_, Add>, text: &[u8], out: &mut Writer<'_>) {
    match client.receive(text, out) {
        Incoming::Connected(server) => {
            remote.set_revision(server.revision);
            used(&client.send(call, (), out).is_ok());
        }
        Incoming::Answer((), Outcome::Result(result)) => read(ToolResult(result)),
        Incoming::Answer((), Outcome::InputRequired(required)) => {
            let roots = |_: InputRequest<'_>, out: &mut Writer<'_>| out.value(&["file:///"]);
            used(&client.repeat(call, required, (), out, roots).is_ok());
        }
        Incoming::Answer((), Outcome::Error(error)) => used(&error.code.0),
        Incoming::Progress(id, _) => used(&id),
        _ => {}
    }
}

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut client: Client = Client::new("firmware", "0.1.0").roots().progress();
    let mut remote = Remote::new(black_box("hub.local"), "/mcp");
    let (out, head) = out.split_at_mut(out.len() / 2);
    let mut out = Writer::new(out);
    let mut framer = Framer::<Events, 256>::new();
    let add = Add { a: black_box(40), b: 2 };
    let call = Call::tool("add", &add);
    used(&client.connect(&mut out).is_ok());
    for response in text.split(|byte| *byte == 0) {
        used(&remote.post(out.written(), head).map(|request| request.head.len()));
        out.clear();
        let Ok(Some((reply, len))) = Reply::parse(response) else { continue };
        let body = response.get(len..).unwrap_or_default();
        match remote.receive(&reply) {
            Body::Message => receive(&mut client, &mut remote, &call, body, &mut out),
            Body::Events => {
                framer.push(body);
                while let Some(Ok(event)) = framer.next() {
                    receive(&mut client, &mut remote, &call, event.data, &mut out);
                }
            }
            Body::Unauthorized(status, _) => used(&status),
            _ => used(&client.fall_back(&mut out).is_ok()),
        }
    }
    used(&client.cancel(1, "late", &mut out).is_ok());
    used(&remote.resume(b"7", head).is_ok());
    used(&remote.end(head).is_ok());
    used(out.written());
    true
}

probe::firmware!(job);
