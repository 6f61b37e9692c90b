//! A client on a stream of any bytes: each call returns, and the client sends nothing but its calls and the refusals of valid requests, in
//! their order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::connection::{CallError, Connection, ConnectionError};
use nanojsonrpc::frame::{ContentLength, Frame, Framer, Lines, Values};
use nanojsonrpc::memory::{Pipe, Plan};
use nanojsonrpc::{Dialect, Envelope, EnvelopeKind, Router, Server};

/// The id of the first call.
const ID: i64 = 1 << 52;
const CALLS: i64 = 3;
/// The longest message that the client reads.
const CAPACITY: usize = 256;

fuzz_target!(|input: &[u8]| {
    let [options, chunk, incoming @ ..] = input else { return };
    let dialect = [Dialect::JSON_RPC, Dialect::LENIENT, Dialect::MCP, Dialect::CAUCE][usize::from(options >> 2 & 3)];
    match options & 3 {
        0 => talk::<Lines>(incoming, *chunk, dialect),
        1 => talk::<ContentLength>(incoming, *chunk, dialect),
        _ => talk::<Values>(incoming, *chunk, dialect),
    }
});

fn talk<F: Frame>(incoming: &[u8], chunk: u8, dialect: Dialect) {
    let mut pipe: Pipe<4096> = Pipe::new();
    let (device, hub) = pipe.ends();
    let Ok(len) = hub.try_write(incoming) else { return };
    let incoming = &incoming[..len];
    hub.close();
    let device = &device.reading(Plan::in_chunks(usize::from(chunk).max(1)));
    let (mut framer, mut output) = (Framer::<F, CAPACITY>::new(), [0; 2048]);
    let mut connection = Connection::new(device, device, &mut framer, &mut output);
    let mut server = Server::new(Router::<()>::new()).with_dialect(dialect);
    let mut sent_calls = 0;
    for _ in 0..CALLS {
        // a stream that has lost its place is over, so no call is sent on it
        let (mut context, is_over) = ((), CallError::Connection(ConnectionError::OutputBroken));
        let mut peer = connection.peer(&mut server, &mut context);
        sent_calls += i64::from(peer.call::<u32>("level", &()) != Err(is_over));
    }
    _ = connection.serve(&mut server, &mut ());

    let mut sent = [0; 4096];
    let len = hub.try_read(&mut sent).unwrap_or(0);
    let mut framer = Framer::<F, 4096>::new();
    framer.push(&sent[..len]);
    let mut calls = (ID..).map(call);
    let mut next_call = calls.next();
    let mut refusals = refusals::<F>(incoming, dialect).into_iter();
    while let Some(message) = framer.next() {
        let message = message.expect("a frame");
        let text = core::str::from_utf8(message.as_ref()).expect("UTF-8");
        if next_call.as_deref() == Some(text) {
            next_call = calls.next();
            continue;
        }
        // the refusal of an own call that has come back is absent while that call is in flight
        let refused = refusals.by_ref().find(|(refusal, is_echo)| refusal == text || !is_echo);
        assert_eq!(refused.map(|(refusal, _)| refusal).as_deref(), Some(text));
    }
    assert_eq!(next_call, Some(call(ID + sent_calls)), "a call was not sent");
}

/// The call with this id.
fn call(id: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"level","id":{id}}}"#)
}

/// The refusals of the valid requests, one for each message or batch, and whether the message is an own call.
fn refusals<F: Frame>(incoming: &[u8], dialect: Dialect) -> Vec<(String, bool)> {
    let (mut framer, mut rest, mut found) = (Framer::<F, CAPACITY>::new(), incoming, Vec::new());
    loop {
        rest = &rest[framer.push(rest)..];
        while let Some(message) = framer.next() {
            let Ok(message) = message else { continue };
            found.extend(refusal(message.as_ref(), dialect));
        }
        if rest.is_empty() {
            break;
        }
    }
    while let Some(message) = framer.finish() {
        if let Ok(message) = message {
            found.extend(refusal(message.as_ref(), dialect));
        }
    }
    found
}

/// The refusal of a message, if it is a request, or a batch with requests.
fn refusal(text: &[u8], dialect: Dialect) -> Option<(String, bool)> {
    let one = |request: Envelope<'_>| {
        let version = if request.get("jsonrpc").is_some() { r#""jsonrpc":"2.0","# } else { "" };
        let id = request.id().filter(|_| request.kind() == EnvelopeKind::Request)?;
        Some(format!(r#"{{{version}"error":{{"code":-32601,"message":"Method not found"}},"id":{id}}}"#))
    };
    let message = Envelope::parse_as(text, dialect).ok()?;
    let refusal = match message.batch() {
        Some(batch) => {
            let refusals: Vec<String> = batch.elements().flatten().filter_map(one).collect();
            (!refusals.is_empty()).then(|| format!("[{}]", refusals.join(",")))
        }
        None => one(message),
    };
    let bare: Vec<u8> = text.iter().copied().filter(|byte| *byte > b' ').collect();
    Some((refusal?, (ID..ID + CALLS).any(|id| call(id).as_bytes() == bare)))
}
