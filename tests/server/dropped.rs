//! Everything that a server drops or cannot do is handed to its observer.
#![cfg(feature = "serde")]

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use nanojsonrpc::message::Str;
use nanojsonrpc::server::{AnyHandler, Event, MIN_ANSWER_LEN, Registry, Reply, handler, listener};
use nanojsonrpc::{Params, Request, Router, Server};

/// The events that the observer received.
type Log = Vec<String>;

fn keep(log: &mut Log, event: Event<'_>) {
    log.push(event.to_string());
}

macro_rules! server {
    () => {
        Server::new(
            Router::new()
                .request("ping", |_: &mut Log| Ok("pong"))
                .request("long", |_: &mut Log| Ok("x".repeat(500)))
                .notification("led", |_: &mut Log, (_, _): (u8, bool)| {})
                .notification("reset", |_: &mut Log| {}),
        )
        .observed_by(keep)
    };
}

fn text(members: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0",{members}}}"#)
}

const CASES: [(&str, &[&str]); 9] = [
    (r#""method":"ping","id":1"#, &[]),
    (r#""method":"led","params":[1,true]"#, &[]),
    (r#""method":"led","params":[1,2]"#, &["notification led dropped, params do not fit: unexpected type at byte 44"]),
    (r#""method":"reset","params":[1]"#, &["notification reset dropped, params do not fit: invalid params at byte 43"]),
    (r#""method":"nothing""#, &["notification without listener: nothing"]),
    (r#""method":"ping""#, &["notification without listener: ping"]),
    (r#""result":1,"id":1"#, &["response without listener"]),
    (r#""method":"long","id":1"#, &["reply to long lost: output full at byte 128"]),
    (r#""method":1"#, &["unreadable message: invalid method at byte 26"]),
];

#[test]
fn every_message_that_is_dropped_is_an_event() {
    for (members, events) in CASES {
        let (mut log, mut output) = (Log::new(), [0; 128]);
        server!().process(&mut log, text(members).as_bytes(), &mut output);
        assert_eq!(log, events, "{members}");
    }
}

#[test]
fn a_silent_server_drops_what_it_cannot_read_into_the_same_hook() {
    for unreadable in ["?", r#"{"jsonrpc":"2.0","result":1}"#, "[]"] {
        let mut log = Log::new();
        let answer = server!()
            .ignoring_unreadable()
            .process(&mut log, unreadable.as_bytes(), &mut [0; 128])
            .answer()
            .map(<[u8]>::len);
        assert_eq!((answer, log.len()), (None, 1), "{unreadable}: {log:?}");
    }
}

#[test]
fn each_element_of_a_batch_is_an_event_of_its_own() {
    let elements: Vec<String> = CASES.iter().map(|(members, _)| text(members)).collect();
    let (mut log, mut output) = (Log::new(), [0; 1024]);
    server!().process(&mut log, format!("[{}]", elements.join(",")).as_bytes(), &mut output);
    // in the room of a batch the long reply fits
    let alone: usize = CASES.iter().map(|(_, events)| events.len()).sum();
    assert_eq!(log.len().wrapping_add(1), alone, "{log:?}");
}

/// An answer that cannot be read is the only one of its call, so its event has the id.
#[test]
fn the_event_of_a_refused_answer_has_its_id() {
    use nanojsonrpc::{Client, Id, Writer};

    #[derive(Default)]
    struct Calls {
        client: Client<u8, 4>,
        ended: Vec<Option<u8>>,
    }

    fn dropped(calls: &mut Calls, event: Event<'_>) {
        let Event::Unreadable(refused) = event else { panic!("{event}") };
        let id = refused.id.filter(|_| !refused.is_answerable()).and_then(|id| Id::read(id).ok());
        calls.ended.push(id.and_then(|id| calls.client.cancel(&id)));
    }

    let answers = [
        text(r#""result":1,"error":null,"id":1"#),
        text(r#""error":{"code":"E7","message":"no"},"id":2"#),
        // not of a call
        text(r#""error":{"code":7},"id":9"#),
        text(r#""error":{"code":7},"id":[3]"#),
        // a refused request of the peer has an id of the peer
        text(r#""method":1,"id":3"#),
        r#"{"id":3,"result":1}"#.into(),
    ];
    let expected = [Some(1), Some(2), None, None, None, Some(3)];
    let each: Vec<Vec<String>> = vec![answers.to_vec(), vec![format!("[{}]", answers.join(","))]];
    for texts in each {
        for is_async in [false, true] {
            let mut calls = Calls::default();
            for tag in 1..4 {
                calls.client.call("m", &(), tag, &mut Writer::new(&mut [0; 64])).unwrap();
            }
            let mut server = Server::new(Router::new().response(|_: &mut Calls, _| {})).observed_by(dropped);
            let mut output = [0; 1024];
            for text in &texts {
                if is_async {
                    let mut processed = pin!(server.process_async(&mut calls, text.as_bytes(), &mut output));
                    assert!(processed.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
                } else {
                    server.process(&mut calls, text.as_bytes(), &mut output);
                }
            }
            assert_eq!((calls.ended.as_slice(), calls.client.len()), (&expected[..], 0));
        }
    }
}

/// A handler without a reply.
struct Mute;

impl AnyHandler<Log> for Mute {
    fn answer(&mut self, _: &mut Log, _: Params<'_>, _: Reply<'_>) {}
}

#[test]
fn a_lost_reply_is_an_event_of_its_own_call_and_not_of_the_next_one() {
    let behind = [r#""method":"reset""#, r#""method":"ping","id":2"#].map(text).join(",");
    let batch = |first: &str| format!("[{},{behind}]", text(first));
    // "Method not found" is a byte longer than the reserved "Invalid Request"
    let (mut log, mut output) = (Log::new(), [0; 2 * (MIN_ANSWER_LEN + 1) + 1]);
    let answer = server!().process(&mut log, batch(r#""method":"nothing","id":1"#).as_bytes(), &mut output).answer();
    let answer = str::from_utf8(answer.unwrap()).unwrap();
    assert!(answer.contains("-32603") && answer.ends_with(r#""result":"pong","id":2}]"#), "{answer}");
    assert_eq!(log, ["reply to nothing lost: output full at byte 77"]);

    let (mut mute, mut ping, mut reset) = (Mute, handler(|_: &mut Log| Ok("pong")), listener(|_: &mut Log| {}));
    let mut registry: Registry<'_, Log, 3> = Registry::new();
    registry.request("mute", &mut mute).unwrap();
    registry.request("ping", &mut ping).unwrap();
    registry.notification("reset", &mut reset).unwrap();
    let mut server = Server::with_routes(registry).observed_by(keep);
    for message in [text(r#""method":"mute","id":1"#), batch(r#""method":"mute","id":1"#)] {
        let (mut log, mut output) = (Log::new(), [0; 256]);
        let answer = server.process(&mut log, message.as_bytes(), &mut output).answer();
        assert!(str::from_utf8(answer.unwrap()).unwrap().contains("-32603"));
        assert_eq!(log, ["reply to mute lost: output full at byte 0"], "{message}");
    }
}

#[test]
fn a_call_without_room_for_an_answer_is_an_event() {
    let (mut log, call) = (Log::new(), text(r#""method":"ping","id":1"#));
    assert_eq!(server!().process(&mut log, call.as_bytes(), &mut [0; 64]).answer(), None);
    let request = Request::parse(call.as_bytes()).unwrap();
    assert_eq!(server!().handle(&mut log, &request, &mut []).answer(), None);
    assert_eq!(log, ["call refused: no room for an answer"; 2]);
}

#[test]
fn handlers_that_wait_and_registered_ones_are_observed_as_well() {
    let mut waiting = Server::new(
        Router::new()
            .request_async("long", async |_: &mut Log| Ok("x".repeat(500)))
            .notification_async("led", async |_: &mut Log, (_, _): (u8, bool)| {})
            .notification_async("reset", async |_: &mut Log| {}),
    )
    .observed_by(keep);
    let (mut one, mut other) = (handler(|_: &mut Log| Ok("x".repeat(500))), listener(|_: &mut Log, _: (u8, bool)| {}));
    let mut third = listener(|_: &mut Log| {});
    let mut registry: Registry<'_, Log, 3> = Registry::new();
    registry.request("long", &mut one).unwrap();
    registry.notification("led", &mut other).unwrap();
    registry.notification("reset", &mut third).unwrap();
    let mut registered = Server::with_routes(registry).observed_by(keep);
    for (members, events) in CASES {
        if members.contains("ping") {
            continue;
        }
        let (mut log, mut output) = (Log::new(), [0; 128]);
        {
            let message = text(members);
            let mut answer = pin!(waiting.process_async(&mut log, message.as_bytes(), &mut output));
            let Poll::Ready(_) = answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
                panic!("it waits")
            };
        }
        assert_eq!(log, events, "{members}");
        log.clear();
        registered.process(&mut log, text(members).as_bytes(), &mut output);
        assert_eq!(log, events, "{members}");
    }
}

#[test]
fn params_that_a_listener_looks_into_itself_are_its_own_affair() {
    let mut server = Server::new(Router::new().notification("any", |_: &mut Log, _: Params<'_>| {})).observed_by(keep);
    let mut log = Log::new();
    server.process(&mut log, text(r#""method":"any","params":[1]"#).as_bytes(), &mut []);
    assert!(log.is_empty());
}

#[cfg(feature = "embedded-io")]
#[test]
fn what_a_connection_drops_is_an_event() {
    use nanojsonrpc::connection::serve;
    use nanojsonrpc::frame::{Framer, Lines};

    let mut stream = &b"this line is too long for the framer, which holds 32 bytes\n?\n?\n"[..];
    let (mut log, mut sent) = (Log::new(), [0; 512]);
    let mut framer = Framer::<Lines, 32>::new();
    serve(&mut stream, &mut &mut sent[..], &mut framer, &mut [0; 256], &mut server!(), &mut log).unwrap();
    assert_eq!(
        log,
        [
            "misframed bytes: message too long for the buffer at byte 32 of the stream",
            "unreadable message: expected a value at byte 0",
            "unreadable message left unanswered",
            "unreadable message: expected a value at byte 0",
            "unreadable message left unanswered",
        ]
    );
}

#[cfg(feature = "log")]
#[test]
fn the_log_crate_gets_events_as_warnings() {
    use std::sync::Mutex;

    struct Kept(Mutex<Vec<String>>);
    impl log::Log for Kept {
        fn enabled(&self, _: &log::Metadata<'_>) -> bool {
            true
        }
        fn log(&self, record: &log::Record<'_>) {
            self.0.lock().unwrap().push(format!("{} {}: {}", record.level(), record.target(), record.args()));
        }
        fn flush(&self) {}
    }
    static KEPT: Kept = Kept(Mutex::new(Vec::new()));
    log::set_logger(&KEPT).unwrap();
    log::set_max_level(log::LevelFilter::Warn);
    let mut server =
        Server::new(Router::new().request("ping", |_: &mut ()| Ok(()))).observed_by(nanojsonrpc::server::log_event);
    server.process(&mut (), text(r#""method":"pang""#).as_bytes(), &mut []);
    assert_eq!(*KEPT.0.lock().unwrap(), ["WARN nanojsonrpc: notification without listener: pang"]);
}

#[test]
fn a_method_cannot_forge_a_line_of_a_log() {
    for (method, shown) in [
        (r"x\n[ERROR] \u001b[2J", r"x\n[ERROR] \u{1b}[2J"),
        (r"a\r\tb\u0000\u007f", r"a\r\tb\u{0}\u{7f}"),
        // terminals read U+009B as the start of a control sequence; U+202E reverses the order of the letters behind it
        ("\u{9B}2J\u{202E}\u{2028}\u{FEFF}", r"\u{9b}2J\u{202e}\u{2028}\u{feff}"),
        (r#"\\n é \u00e9 \""#, r#"\\n é é ""#),
    ] {
        let mut log = Log::new();
        let message = text(&format!(r#""method":"{method}""#));
        server!().process(&mut log, message.as_bytes(), &mut [0; 128]);
        let call = text(&format!(r#""method":"{method}","id":1"#));
        let router = Router::new().fallback(|_: &mut Log, _, _, reply| reply.success(&"x".repeat(500)));
        let mut server = Server::new(router).observed_by(keep);
        server.process(&mut log, call.as_bytes(), &mut [0; 128]);
        // a method that the program has decoded
        server.handle(&mut log, &Request::parse(call.as_bytes()).unwrap(), &mut [0; 128]);
        let (unheard, lost) = (format!("notification without listener: {shown}"), format!("reply to {shown} lost: "));
        assert_eq!((log.len(), &log[0]), (3, &unheard));
        assert!(log[1].starts_with(&lost) && log[2].starts_with(&lost), "{log:?}");
        let request = Request::parse(call.as_bytes()).unwrap();
        let error = nanojsonrpc::RawValue::parse(b"?").unwrap_err();
        let unfit = Event::Unfit(Str::Plain(&request.method), error).to_string();
        assert!(unfit.starts_with(&format!("notification {shown} dropped, ")), "{unfit}");
        let debug = format!("{:?}", Event::NoListener(Str::Plain(&request.method)));
        log.extend([unfit, debug]);
        assert!(!log.concat().contains(char::is_control), "{log:?}");
    }
}

#[test]
fn an_undecoded_string_is_debugged_with_escapes() {
    let value = nanojsonrpc::RawValue::parse(br#""a\"\n\u001b\\ \u00e9""#).unwrap();
    assert_eq!(format!("{:?}", value.as_str_raw().unwrap()), r#""a\"\n\u{1b}\\ é""#);
    // displayed, it is the text itself
    assert_eq!(value.as_str_raw().unwrap().to_string(), "a\"\n\u{1B}\\ é");
}

#[cfg(feature = "embedded-io")]
#[test]
fn the_message_of_a_peer_cannot_forge_a_line_of_a_log() {
    use core::convert::Infallible;
    use nanojsonrpc::connection::CallError;
    use nanojsonrpc::{ErrorCode, Response};

    let text = br#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"no \"x\"\n[ERROR] \u009b2J"},"id":1}"#;
    let response: Response<'_> = Response::parse(text).unwrap();
    let error = response.outcome.unwrap_err();
    assert_eq!(error.code, ErrorCode(-32000));
    let shown = CallError::<_, (), Infallible, Infallible>::Peer(error).to_string();
    assert_eq!(shown, r#"error -32000: no "x"\n[ERROR] \u{9b}2J"#);
}

/// Requests that are too long for a slot are handled in place, so that the connection reads nothing meanwhile.
#[cfg(feature = "embedded-io-async")]
#[test]
fn a_request_in_place_of_a_slot_is_an_event() {
    use nanojsonrpc::connection::Connection;
    use nanojsonrpc::frame::{Framer, Lines};
    use nanojsonrpc::memory::Pipe;
    use std::sync::{Arc, Mutex};

    let call = |id: u8| text(&format!(r#""method":"wait","id":{id}"#));
    let long = text(&format!(r#""method":"wait","params":["{}"],"id":1"#, "x".repeat(90)));
    let pair = format!("[{},{}]", call(1), call(2));
    let (long_len, pair_len) = (long.len(), pair.len());
    // the shortest answers of both, and a bracket
    let answers = 2 * (MIN_ANSWER_LEN + "1".len()) + 1;
    for (text, events) in [
        (call(1), vec![]),
        (long, vec![format!("request handled in place: message of {long_len} bytes, shortest answer of 77")]),
        (pair, vec![format!("request handled in place: message of {pair_len} bytes, shortest answer of {answers}")]),
        // these wait for nothing
        (text(&format!(r#""method":"ping","params":[{}],"id":1"#, " ".repeat(90))), vec![]),
        (text(&format!(r#""method":"none","params":["{}"],"id":1"#, "x".repeat(90))), vec![]),
    ] {
        let router = Router::new()
            .request_async("wait", async |_: &mut Arc<Mutex<Log>>, _: Params<'_>| Ok("done"))
            .request("ping", |_: &mut Arc<Mutex<Log>>| Ok("pong"));
        let mut server = Server::new(router)
            .observed_by(|log: &mut Arc<Mutex<Log>>, event: Event<'_>| log.lock().unwrap().push(event.to_string()));
        let mut pipe: Pipe<1024> = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write(text.as_bytes()).unwrap();
        hub.try_write(b"\n").unwrap();
        hub.close();
        let (mut framer, mut output, mut log) = (Framer::<Lines, 512>::new(), [0; 512], Arc::default());
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        crate::tasks::run(connection.concurrent::<1, 128, 160>().serve(&mut server, &mut log)).unwrap();
        assert_eq!(*log.lock().unwrap(), events, "{text}");
    }
}

/// An error for params is first written with the path of the value, then without: what is sent is whole.
#[test]
fn params_refused_in_a_short_output_are_no_lost_reply() {
    let router = Router::new().request("sum", |_: &mut Log, (_,): ([[u8; 2]; 2],)| Ok(0));
    let mut server = Server::new(router).observed_by(keep);
    for room in 100..200 {
        let (mut log, mut output) = (Log::new(), vec![0; room]);
        let answer = server
            .process(&mut log, text(r#""method":"sum","params":[[[1,2],[3,"4"]]],"id":1"#).as_bytes(), &mut output)
            .answer();
        let answer = String::from_utf8(answer.unwrap().to_vec()).unwrap();
        let is_whole = answer.contains("-32602");
        assert!(is_whole || answer.contains("-32603"), "{answer}");
        assert_eq!(log.is_empty(), is_whole, "{room}: {answer} {log:?}");
    }
}
