//! Any bytes of a server, to a client of the Model Context Protocol. Without a stream: only what may be its answer ends a
//! call, once; progress belongs to a call in flight; the output is whole messages. Over a stream: every session
//! ends, has sent only whole messages, and stays within the allowed pages and rounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::client::{Call, Client, Incoming, MAX_ROUNDS, NO_CODE, Outcome, ToolResult, on_log, on_progress};
use nanojsonrpc::mcp::types::{LogMessage, Progress};
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::server::Reply;
use nanojsonrpc::{Dialect, Envelope, ErrorKind, Message, Params, RawValue, Router, Server, Writer};

const PAGES: u32 = 5;
const PARSE_ERROR: &[u8] = br#"{"jsonrpc":"2.0","error":{"code":-32700"#;

fuzz_target!(|input: &[u8]| {
    let [options, size, bytes @ ..] = input else { return };
    let room = usize::from(*size) * 8;
    without_a_stream(*options, bytes, room);
    over_a_stream(*options, bytes, room);
});

fn client<T, const N: usize>(options: u8) -> Client<T, N> {
    let client = Client::new("fuzzed", "1").roots().sampling().elicitation().max_pages(PAGES);
    let client = if options & 1 == 0 { client } else { client.lenient() };
    let client = if options & 2 == 0 { client } else { client.progress() };
    match options >> 2 & 7 {
        0 => client,
        1 => client.revision(Revision::V2026_07_28),
        2 => client.revision(Revision::V2025_06_18),
        3 | 4 => client.connected_as(Revision::V2025_11_25),
        _ => client.connected_as(Revision::V2026_07_28),
    }
}

/// The number that the id of a valid response spells; `None` without an id.
fn id_of_response(line: &[u8]) -> Option<i64> {
    let id = Envelope::parse_as(line, Dialect::LENIENT).ok()?.id()?;
    let spelled = id.as_str_raw().map_or_else(|| id.as_json().to_owned(), |text| text.to_string());
    let (whole, fraction) = spelled.split_once('.').unwrap_or((&spelled, ""));
    whole.parse().ok().filter(|_| fraction.bytes().all(|byte| byte == b'0'))
}

/// The message that the client has written; `None` if it answers a request whose id is too long to be read here.
fn written(text: &[u8]) -> Option<Message<'_>> {
    match Message::parse_as(text, Dialect::MCP) {
        Ok(message) => Some(message),
        Err(refused) => {
            assert_eq!(refused.kind(), ErrorKind::IdTooLong, "{}", text.escape_ascii());
            None
        }
    }
}

/// Nothing, or a message.
fn is_a_message(text: &[u8]) {
    if !text.is_empty() {
        _ = written(text);
    }
}

fn without_a_stream(options: u8, bytes: &[u8], room: usize) {
    let mut client: Client<u32, 3> = client(options);
    let mut buffer = vec![0; room];
    let mut out = Writer::new(&mut buffer);
    let tool = Call::tool("x", &true);
    let mut is_handshake = client.negotiated().is_none();
    if is_handshake {
        _ = client.connect(&mut out);
        is_a_message(out.written());
    }
    let (mut in_flight, mut tag): (Vec<(i64, u32)>, _) = (Vec::new(), 0);
    for line in bytes.split(|byte| *byte == b'\n').take(12) {
        while in_flight.len() < 3 {
            out.clear();
            tag += 1;
            let Ok(id) = client.send(&tool, tag, &mut out) else { break };
            assert!(in_flight.iter().all(|(other, _)| *other != id));
            is_a_message(out.written());
            in_flight.push((id, tag));
        }
        out.clear();
        let incoming = client.receive(line, &mut out);
        is_a_message(out.written());
        assert!(out.is_empty() || matches!(incoming, Incoming::ToSend | Incoming::Connected(_)));
        let is_in_flight = |id: i64| in_flight.iter().any(|(other, _)| *other == id);
        match incoming {
            Incoming::Answer(tag, outcome) => {
                let place = in_flight.iter().position(|(_, other)| *other == tag).expect("in flight");
                let is_only = in_flight.len() == 1;
                let id = in_flight.swap_remove(place).0;
                match outcome {
                    Outcome::Refused(_, text) => assert_eq!(text, line),
                    _ => assert!(id_of_response(line).map_or(is_only, |found| found == id)),
                }
                answered(options, line, outcome, &mut client);
            }
            Incoming::Progress(id, params) => {
                assert!(is_in_flight(id) && params.get("progressToken").and_then(RawValue::as_i64) == Some(id));
                _ = Progress::read(params);
            }
            Incoming::Log(params) => _ = LogMessage::read(params),
            Incoming::Unmatched(_) => assert!(!id_of_response(line).is_some_and(is_in_flight)),
            Incoming::Connected(server) => {
                assert!(is_handshake);
                is_handshake = false;
                _ = (server.capabilities(), server.server_info(), server.instructions());
            }
            Incoming::NotConnected(error) => {
                assert!(is_handshake);
                is_handshake = false;
                _ = error.to_string();
            }
            _ => {}
        }
        assert_eq!(client.in_flight().count(), in_flight.len());
        assert!(client.in_flight().all(|(id, tag)| in_flight.contains(&(id, *tag))));
    }
    client.drain(|id, tag| assert!(in_flight.contains(&(id, tag))));
}

fn answered(options: u8, line: &[u8], outcome: Outcome<'_>, client: &mut Client<u32, 3>) {
    let parsed = Message::<'_>::parse_as(line, Dialect::MCP);
    match outcome {
        Outcome::Result(result) => {
            assert!(parsed.is_ok() || options & 1 != 0);
            let result = ToolResult(result);
            _ = (result.is_error(), result.structured(), result.texts().count(), result.read());
            _ = client.next_cursor(result.0);
        }
        Outcome::Error(error) => {
            let is_without_code = parsed.is_err_and(|refused| refused.kind() == ErrorKind::InvalidErrorObject);
            assert!(!is_without_code || options & 1 != 0 && error.code == NO_CODE);
        }
        Outcome::InputRequired(required) => {
            let mut buffer = [0; 1024];
            let mut out = Writer::new(&mut buffer);
            let sent = client.repeat(&Call::tool("x", &true), required, 1000, &mut out, |_, out| out.value(&1));
            is_a_message(out.written());
            assert_eq!(sent.is_ok(), !out.is_empty());
            if let Ok(id) = sent {
                // repeated ones differ only by their ids
                assert_eq!(client.cancel(id, "no", &mut Writer::new(&mut [0; 256])), Ok(Some(1000)));
            }
        }
        _ => {}
    }
}

fn over_a_stream(options: u8, bytes: &[u8], room: usize) {
    let (mut sent, mut output) = (vec![0; 1 << 16], vec![0; room]);
    let mut unsent = &mut sent[..];
    {
        let router = Router::new()
            .request(method::ROOTS_LIST, |_: &mut u32| Ok([1, 2]))
            .request(method::ELICITATION_CREATE, |_: &mut u32, params: Params<'_>, reply: Reply<'_>| {
                reply.success(&params)
            })
            .notification(method::MESSAGE, on_log(|count: &mut u32, _: LogMessage<'_>| *count += 1))
            .notification(method::PROGRESS, on_progress(|count: &mut u32, _: Progress<'_>| *count += 1));
        let mut server = Server::new(router).with_dialect(Dialect::MCP);
        let mut framer = Framer::<Lines, 1024>::new();
        let mut connection = Connection::new(bytes, &mut unsent, &mut framer, &mut output);
        let (mut client, mut count): (Client, u32) = (client(options), 0);
        let mut session = client.over(&mut connection, &mut server, &mut count);
        if session.client().negotiated().is_some() || session.connect().is_ok() {
            _ = session.list_tools(|_, _| {});
            _ = session.call_tool("x", &RawValue::NULL).map(|result| result.content.iter().count());
            _ = session.call_tool_as::<(u8, &str), _>("x", &true);
            _ = session.read_resource("x:").map(|result| result.contents.iter().count());
            assert_eq!(session.client().in_flight().count(), 0);
        }
    }
    let unsent = unsent.len();
    let sent = &sent[..sent.len() - unsent];
    let (mut pages, mut calls) = (0, 0);
    for line in sent.split_inclusive(|byte| *byte == b'\n') {
        let whole = line.strip_suffix(b"\n");
        assert!(whole.is_some() || unsent == 0);
        let Some(line) = whole else { break };
        match written(line) {
            Some(Message::Request(request)) => {
                pages += u32::from(request.method == method::TOOLS_LIST);
                calls += u32::from(request.method == method::TOOLS_CALL);
            }
            // only valid requests are answered
            Some(Message::Response(response)) => {
                assert!(response.outcome.is_ok() || !line.starts_with(PARSE_ERROR));
            }
            _ => {}
        }
    }
    assert!(pages <= PAGES && calls <= 2 * (u32::from(MAX_ROUNDS) + 1), "{pages} pages, {calls} calls");
}
