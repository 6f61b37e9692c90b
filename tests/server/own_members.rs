//! A layer adds members to every answer, and to what the program sends over a connection with the server.
#![cfg(feature = "serde")]

use core::pin::pin;
use core::task::{Context, Waker};

use nanojsonrpc::json::ObjectWriter;
use nanojsonrpc::server::route::{Call, Routes};
use nanojsonrpc::server::{AsyncRoutes, Event, Layer, Observer};
use nanojsonrpc::{Dialect, ErrorKind, ErrorObject, RawValue, Router, Server, Writer};

/// Writes the sender and the receiver, as devices of Shelly do.
#[derive(Clone)]
struct Addresses(&'static str);

impl<C> Layer<C> for Addresses {
    fn before(&mut self, _: &mut C, call: &Call<'_>) -> Result<(), ErrorObject<'static>> {
        if call.method() == "forbidden" { Err(ErrorObject::new(-1, "no")) } else { Ok(()) }
    }

    fn members(&mut self, _: &mut C, call: Option<&Call<'_>>, members: &mut ObjectWriter<'_, '_>) {
        members.member(self.0, "switch");
        if let Some(source) = call.and_then(|call| call.get("src")) {
            members.member("dst", &source);
        }
    }
}

type Events = Vec<String>;

fn server() -> Server<impl Routes<Events> + AsyncRoutes<Events>, impl Observer<Events>> {
    let router = Router::new()
        .request("on", |_: &mut Events| Ok(true))
        .request("long", |_: &mut Events| Ok("x".repeat(500)))
        .notification("led", |_: &mut Events| {});
    Server::new(router)
        .with_dialect(Dialect::LENIENT)
        .observed_by(|events: &mut Events, event: Event<'_>| events.push(event.to_string()))
        .with_layer(Addresses("src"))
}

/// The answer and the events.
fn answered(text: &str, len: usize) -> (Option<String>, Events) {
    let (mut events, mut output) = (Events::new(), vec![0; len]);
    let answer = server().process(&mut events, text.as_bytes(), &mut output[..]).answer().map(<[u8]>::to_vec);
    let (mut events_async, mut output) = (Events::new(), vec![0; len]);
    {
        let mut server = server();
        let mut served = pin!(server.process_async(&mut events_async, text.as_bytes(), &mut output[..]));
        assert!(served.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    }
    assert_eq!(events_async, events, "{text}");
    assert!(output.starts_with(answer.as_deref().unwrap_or_default()), "{text}");
    (answer.map(|answer| String::from_utf8(answer).unwrap()), events)
}

#[test]
fn each_answer_to_a_call_has_the_members() {
    for (text, answer) in [
        (r#"{"src":"hub","method":"on","id":"a"}"#, Some(r#"{"result":true,"id":"a","src":"switch","dst":"hub"}"#)),
        (
            r#"{"id":1,"method":"on","src":{"a":[1, 2]}}"#,
            Some(r#"{"result":true,"id":1,"src":"switch","dst":{"a":[1, 2]}}"#),
        ),
        (
            r#"{"id":1,"method":"off"}"#,
            Some(r#"{"error":{"code":-32601,"message":"Method not found"},"id":1,"src":"switch"}"#),
        ),
        (r#"{"id":1,"method":"forbidden"}"#, Some(r#"{"error":{"code":-1,"message":"no"},"id":1,"src":"switch"}"#)),
        (
            r#"[{"id":1,"method":"on"},{"method":"led"},{"id":2,"method":"on","src":"b"}]"#,
            Some(r#"[{"result":true,"id":1,"src":"switch"},{"result":true,"id":2,"src":"switch","dst":"b"}]"#),
        ),
        (r#"{"method":"led","src":"hub"}"#, None),
        // no call was read
        ("{", Some(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#)),
    ] {
        let (found, _) = answered(text, 256);
        assert_eq!(found.as_deref(), answer, "{text}");
        assert!(found.is_none_or(|found| RawValue::parse(found.as_bytes()).is_ok()));
    }
}

#[test]
fn members_of_two_layers_stand_side_by_side() {
    let mut server = Server::new(Router::new().request("on", |_: &mut ()| Ok(true)));
    server = server.with_dialect(Dialect::JSON_RPC);
    let mut server = server.with_layer(Addresses("inner")).with_layer(Addresses("outer"));
    let (text, mut output) = (br#"{"jsonrpc":"2.0","method":"forbidden","id":1}"#, [0; 128]);
    let answer = server.process(&mut (), text, &mut output).answer().unwrap();
    let expected = br#"{"jsonrpc":"2.0","error":{"code":-1,"message":"no"},"id":1,"inner":"switch","outer":"switch"}"#;
    assert_eq!(answer, expected);
}

#[test]
fn an_answer_without_room_for_the_members_is_sent_as_it_is() {
    const LONG: &str = "a name that is longer than the room of an error, which a server keeps free for each answer of a batch, and \
                        than the room that two short results leave to the last one of three, which is the longest of them";
    let call = r#"{"id":1,"method":"on"}"#;
    for (text, count) in [(call.to_owned(), 1), (format!("[{}]", [call; 3].join(",")), 3)] {
        let mut seen = [false; 4];
        for len in 0..900 {
            let (mut events, mut output) = (Events::new(), vec![0; len]);
            let mut server = server().with_layer(Addresses(LONG));
            let Some(answer) = server.process(&mut events, text.as_bytes(), &mut output[..]).answer() else { continue };
            let answer = RawValue::parse(answer).expect("a whole answer");
            let all: Vec<RawValue<'_>> = if count == 1 { vec![answer] } else { answer.elements().collect() };
            if all.first().is_none_or(|first| first.get("result").is_none()) {
                continue;
            }
            let with = all.iter().filter(|answer| answer.get(LONG).is_some()).count();
            let bare = all.iter().filter(|answer| answer.as_json() == r#"{"result":true,"id":1}"#).count();
            let lost = events.iter().filter(|event| event.contains("reply to on without members: output full")).count();
            assert_eq!((all.len(), with + bare, bare), (count, count, lost), "{len}: {answer} {events:?}");
            seen[lost] = true;
        }
        assert_eq!(seen[..=count], vec![true; count + 1]);
    }
}

#[test]
fn a_message_in_place_of_an_answer_gets_no_members() {
    use nanojsonrpc::server::Reply;
    use nanojsonrpc::{Envelope, Notification, Params};

    const BATCH: &[u8] = br#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]"#;
    let router = Router::new()
        .request("one", |_: &mut (), _: Params<'_>, reply: Reply<'_>| reply.instead(&Notification::new("opened")))
        .request("two", |_: &mut (), _: Params<'_>, reply: Reply<'_>| {
            reply.instead(&Envelope::parse(BATCH).unwrap().batch().unwrap())
        });
    let mut server = Server::new(router).with_layer(Addresses("src"));
    for (method, expected) in [("one", &br#"{"jsonrpc":"2.0","method":"opened"}"#[..]), ("two", BATCH)] {
        let (text, mut output) = (format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#), [0; 128]);
        assert_eq!(server.process(&mut (), text.as_bytes(), &mut output).answer(), Some(expected));
        // a batch has no place for it
        let (batch, mut output) = (format!("[{text}]"), [0; 128]);
        let refused =
            &br#"[{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1,"src":"switch"}]"#[..];
        assert_eq!(server.process(&mut (), batch.as_bytes(), &mut output).answer(), Some(refused));
    }
}

#[test]
fn members_are_added_to_written_text_or_it_stays() {
    let mut buffer = [0; 24];
    let mut out = Writer::new(&mut buffer);
    let add =
        |out: &mut Writer<'_>| out.add_members(|members| members.member("b", &[1, 2])).map_err(|error| error.kind());
    assert_eq!(add(&mut out), Err(ErrorKind::NotAMessage));
    out.value(&[1]).unwrap();
    assert_eq!((add(&mut out), out.written()), (Err(ErrorKind::NotAMessage), &b"[1]"[..]));
    out.clear();
    out.value(&RawValue::parse(b"{}").unwrap()).unwrap();
    assert_eq!((add(&mut out), out.written()), (Ok(()), &br#"{"b":[1,2]}"#[..]));
    assert_eq!((add(&mut out), out.written()), (Ok(()), &br#"{"b":[1,2],"b":[1,2]}"#[..]));
    assert_eq!((add(&mut out), out.written()), (Err(ErrorKind::OutputFull), &br#"{"b":[1,2],"b":[1,2]}"#[..]));
    assert_eq!((out.add_members(|_| {}), out.written().len()), (Ok(()), 21));
    out.clear();
    out.value(&RawValue::parse(b"{ \n }").unwrap()).unwrap();
    assert_eq!((add(&mut out), out.written()), (Ok(()), &br#"{"b":[1,2]}"#[..]));
}

#[cfg(feature = "embedded-io")]
#[test]
fn a_peer_sends_calls_and_notifications_with_the_members() {
    use nanojsonrpc::connection::{CallError, Connection, ConnectionError};
    use nanojsonrpc::frame::{Framer, Lines};
    use nanojsonrpc::memory::Pipe;

    for len in [60, 256] {
        let mut pipe: Pipe<1024> = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write(b"{\"id\":4503599627370496,\"result\":7}\n").unwrap();
        let (mut framer, mut output, mut events) = (Framer::<Lines, 512>::new(), vec![0; 40 + len], Events::new());
        let mut server = server();
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output[..]);
        let mut peer = connection.peer(&mut server, &mut events);
        let level = peer.call::<u8>("level", &());
        let is_sent = len != 60;
        if is_sent {
            assert_eq!(level, Ok(7));
            peer.notify("Notify", &[1]).unwrap();
        } else {
            assert!(
                matches!(level, Err(CallError::Connection(ConnectionError::Message(error))) if error.kind() == ErrorKind::OutputFull)
            );
        }
        let mut sent = [0; 256];
        let sent_len = hub.try_read(&mut sent).unwrap_or(0);
        let lines = b"{\"jsonrpc\":\"2.0\",\"method\":\"level\",\"id\":4503599627370496,\"src\":\"switch\"}\n\
            {\"jsonrpc\":\"2.0\",\"method\":\"Notify\",\"params\":[1],\"src\":\"switch\"}\n";
        assert_eq!(
            sent[..sent_len].escape_ascii().to_string(),
            if is_sent { lines.escape_ascii().to_string() } else { String::new() }
        );
    }
}

#[cfg(feature = "embedded-io-async")]
#[test]
fn an_async_peer_sends_calls_and_notifications_with_the_members() {
    use nanojsonrpc::connection::Connection;
    use nanojsonrpc::frame::{Framer, Lines};
    use nanojsonrpc::memory::Pipe;

    let mut pipe: Pipe<1024> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write(b"{\"id\":4503599627370496,\"result\":7}\n").unwrap();
    let (mut framer, mut output, mut events) = (Framer::<Lines, 512>::new(), [0; 256], Events::new());
    let mut server = server();
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let mut peer = connection.peer_async(&mut server, &mut events);
    assert_eq!(embassy_futures::block_on(peer.call_async::<u8>("level", &())), Ok(7));
    embassy_futures::block_on(peer.notify_async("Notify", &[1])).unwrap();
    let mut sent = [0; 256];
    let len = hub.try_read(&mut sent).unwrap();
    let lines = String::from_utf8_lossy(&sent[..len]).into_owned();
    assert!(lines.lines().count() == 2 && lines.lines().all(|line| line.ends_with(r#","src":"switch"}"#)), "{lines}");
}
