//! A client of the Model Context Protocol, in both generations: it connects, calls a tool and reads its texts and its structured
//! content, calls it again with the input that the result requires, and cancels it.
#![no_std]
#![no_main]

use core::hint::black_box;

use nanojsonrpc::Writer;
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

fn job(text: &[u8], out: &mut [u8]) -> bool {
    let mut client: Client = Client::new("firmware", "0.1.0").roots().progress();
    let mut out = Writer::new(out);
    let add = Add { a: black_box(40), b: 2 };
    let call = Call::tool("add", &add);
    used(&client.connect(&mut out).is_ok());
    for line in text.split(|byte| *byte == b'\n') {
        match client.receive(line, &mut out) {
            Incoming::Connected(_) => used(&client.send(&call, (), &mut out).is_ok()),
            Incoming::Answer((), Outcome::Result(result)) => read(ToolResult(result)),
            Incoming::Answer((), Outcome::InputRequired(required)) => {
                let roots = |_: InputRequest<'_>, out: &mut Writer<'_>| out.value(&["file:///"]);
                used(&client.repeat(&call, required, (), &mut out, roots).is_ok());
            }
            Incoming::Answer((), Outcome::Error(error)) => used(&error.code.0),
            Incoming::Progress(id, _) => used(&id),
            _ => {}
        }
    }
    used(&client.cancel(1, "late", &mut out).is_ok());
    used(out.written());
    true
}

probe::firmware!(job);
