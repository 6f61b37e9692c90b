//! Sessions whose futures are dropped, and whose flushes fail.
#![cfg(all(feature = "mcp", feature = "serde", feature = "embedded-io-async"))]

use core::cell::RefCell;
use core::pin::pin;

use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::Revision;
use nanojsonrpc::mcp::client::{Client, SessionError};
use nanojsonrpc::server::{Event, Observer, route::Routes};
use nanojsonrpc::{Dialect, Router, Server};

use crate::tasks::{Half, Turn, Wire, poll, run};

type Seen = Vec<String>;

fn server() -> Server<impl Routes<Seen> + nanojsonrpc::server::AsyncRoutes<Seen>, impl Observer<Seen>> {
    Server::new(Router::new().request("roots/list", |seen: &mut Seen| {
        seen.push("roots".into());
        Ok(1)
    }))
    .with_dialect(Dialect::MCP)
    .observed_by(|seen: &mut Seen, event: Event<'_>| seen.push(event.to_string()))
}

fn client() -> Client {
    Client::new("me", "1").revision(Revision::V2025_11_25)
}

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}"#;
const ROOTS: &str = r#"{"jsonrpc":"2.0","id":"a","method":"roots/list"}"#;

fn result(id: u32) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[]}}}}\n")
}

/// The peer sends these texts.
fn arrive(wire: &RefCell<Wire>, texts: &[&str]) {
    wire.borrow_mut().incoming.extend(texts.iter().flat_map(|text| text.trim().bytes().chain(*b"\n")));
}

/// A wire, and a connection over it.
macro_rules! connected {
    ($wire:ident, $connection:ident) => {
        let $wire = Wire::new("");
        let (mut framer, mut output) = (Framer::<Lines, 1024>::new(), [0; 1024]);
        let mut $connection = Connection::new(Half(&$wire), Half(&$wire), &mut framer, &mut output);
    };
}

#[test]
fn a_call_follows_a_dropped_one_whose_answer_is_unexpected() {
    connected!(wire, connection);
    let (mut server, mut seen, mut client) = (server(), Seen::new(), client());
    let mut session = client.over_async(&mut connection, &mut server, &mut seen);
    // a dropped connect, too
    assert!(poll(pin!(session.connect())).is_pending());
    arrive(&wire, &[&INITIALIZED.replace("\"id\":1", "\"id\":2")]);
    assert!(run(session.connect()).is_ok());
    assert!(poll(pin!(session.call_tool("lost", &()))).is_pending());
    arrive(&wire, &[&result(3), &result(4)]);
    assert!(run(session.call_tool("kept", &())).is_ok());
    assert!(poll(pin!(session.list_tools(|_, _| {}))).is_pending());
    arrive(&wire, &[r#"{"jsonrpc":"2.0","id":6,"result":{"tools":[]}}"#]);
    assert!(run(session.list_tools(|_, _| {})).is_ok());
    assert_eq!(session.client().in_flight().count(), 0);
    assert_eq!(seen.len(), 1, "{seen:?}");
}

#[test]
fn the_answer_to_a_dropped_call_is_neither_that_of_a_handshake_nor_lost() {
    connected!(wire, connection);
    let (mut server, mut seen, mut client) = (server(), Seen::new(), client());
    let mut session = client.over_async(&mut connection, &mut server, &mut seen);
    arrive(&wire, &[INITIALIZED]);
    assert!(run(session.connect()).is_ok());
    assert!(poll(pin!(session.call_tool("lost", &()))).is_pending());
    arrive(&wire, &[&result(2), &INITIALIZED.replace("\"id\":1", "\"id\":3")]);
    assert!(run(session.connect()).is_ok_and(|server| server.capabilities().is_ok()));
    assert!(poll(pin!(session.call_tool("lost", &()))).is_pending());
    arrive(&wire, &[&result(4)]);
    assert!(matches!(run(session.handle_incoming()), Ok(true)));
    assert_eq!(seen, ["response without listener"; 2]);
}

#[test]
fn a_call_whose_answer_has_arrived_returns_it_although_a_flush_fails() {
    for is_async in [false, true] {
        connected!(wire, connection);
        let (mut server, mut seen, mut client) = (server(), Seen::new(), client());
        arrive(&wire, &[INITIALIZED]);
        wire.borrow_mut().fails_flush = Some(1);
        if is_async {
            let mut session = client.over_async(&mut connection, &mut server, &mut seen);
            assert!(run(session.connect()).is_ok());
            arrive(&wire, &[ROOTS, ROOTS, &result(2)]);
            wire.borrow_mut().fails_flush = Some(1);
            assert!(run(session.call_tool("t", &())).is_ok());
        } else {
            let mut session = client.over(&mut connection, &mut server, &mut seen);
            assert!(session.connect().is_ok());
            arrive(&wire, &[ROOTS, ROOTS, &result(2)]);
            wire.borrow_mut().fails_flush = Some(1);
            assert!(session.call_tool("t", &()).is_ok());
        }
        assert_eq!(seen, ["roots", "roots"]);
        // the request and the notification have reached the server, the answers wait for a flush
        assert_eq!(wire.borrow_mut().take().lines().count(), 3);
        connection.send_text(b"").unwrap();
        assert_eq!(wire.borrow_mut().take().lines().count(), 2);
        assert_eq!(wire.borrow().flush, Turn::Passes);
    }
}

#[test]
fn whole_answers_before_a_part_of_one_are_flushed() {
    // the methods of a session that follow
    for (is_async, method) in [(false, 0), (false, 1), (false, 2), (true, 0), (true, 1), (true, 2)] {
        connected!(wire, connection);
        let (mut server, mut seen) = (server(), Seen::new());
        let mut client = client().connected_as(Revision::V2025_11_25);
        arrive(&wire, &[ROOTS, ROOTS]);
        wire.borrow_mut().fails_at = Some(50);
        let outcome = if is_async {
            let mut session = client.over_async(&mut connection, &mut server, &mut seen);
            assert!(run(session.handle_incoming()).is_err());
            match method {
                0 => run(session.handle_incoming()).map(|_| ()),
                1 => run(session.call_tool("t", &())).map(|_| ()),
                _ => run(session.connect()).map(|_| ()),
            }
            .map_err(|error| error.to_string())
        } else {
            let mut session = client.over(&mut connection, &mut server, &mut seen);
            assert!(session.handle_incoming().is_err());
            match method {
                0 => session.handle_incoming().map(|_| ()),
                1 => session.call_tool("t", &()).map(|_| ()),
                _ => session.connect().map(|_| ()),
            }
            .map_err(|error| error.to_string())
        };
        assert!(outcome.is_err_and(|error| error.contains("sent in part")));
        let sent = wire.borrow_mut().take();
        assert!(
            sent.starts_with("{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":\"a\"}\n"),
            "{is_async}, {method}: {sent:?}"
        );
        let lost = format!("answer to a message of {} bytes not sent", ROOTS.trim_end().len());
        assert_eq!(seen, ["roots", "roots", &lost]);
    }
}

#[test]
fn a_flush_that_fails_ends_a_handshake_and_a_late_call() {
    // the probe, then `initialize`; the call, then its cancellation
    for (passed, is_call) in [(0, false), (1, false), (0, true), (1, true)] {
        connected!(wire, connection);
        let (mut server, mut seen, mut client) = (server(), Seen::new(), Client::new("me", "1"));
        if is_call {
            client = client.connected_as(Revision::V2025_11_25);
        }
        wire.borrow_mut().fails_flush = Some(passed);
        let mut session = client.over_async(&mut connection, &mut server, &mut seen).until(|| core::future::ready(()));
        let outcome =
            if is_call { run(session.call_tool("t", &())).map(drop) } else { run(session.connect()).map(drop) };
        assert!(matches!(outcome, Err(SessionError::Connection(_))), "{passed} {is_call}: {outcome:?}");
        assert_eq!(session.client().in_flight().count(), 0);
        assert_eq!(wire.borrow_mut().take().lines().count(), passed);
    }
}

#[test]
fn an_answer_that_cannot_be_sent_between_calls_is_an_error() {
    connected!(wire, connection);
    let (mut server, mut seen, mut client) = (server(), Seen::new(), client());
    let mut session = client.over_async(&mut connection, &mut server, &mut seen);
    arrive(&wire, &[ROOTS]);
    wire.borrow_mut().fails_at = Some(5);
    assert!(run(session.handle_incoming()).is_err());
    assert!(run(session.handle_incoming()).is_err_and(|error| error.to_string().contains("sent in part")));
}

#[test]
fn the_answer_to_a_dropped_handshake_connects_between_calls() {
    connected!(wire, connection);
    let (mut server, mut seen, mut client) = (server(), Seen::new(), client());
    let mut session = client.over_async(&mut connection, &mut server, &mut seen);
    assert!(poll(pin!(session.connect())).is_pending());
    arrive(&wire, &[ROOTS, INITIALIZED, ROOTS]);
    assert!(matches!(run(session.handle_incoming()), Ok(true)));
    assert_eq!(session.client().negotiated(), Some(Revision::V2025_11_25));
    assert_eq!(seen, ["roots", "roots"]);
}
