//! No handler is called for a request that cannot be answered under its id, however short the output is.

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use nanojsonrpc::server::{Exchange, MIN_ANSWER_LEN, Registry, handler};
use nanojsonrpc::{Dialect, EnvelopeKind, ErrorObject, Id, Request, Response, Router, Server, message::BatchWriter};

/// Ids as spelled in a text; the last is longer in the text than decoded.
fn ids() -> [String; 7] {
    let long = format!(r#""{}""#, "x".repeat(200));
    ["1".into(), "null".into(), r#""""#.into(), "1.50".into(), r#""a\n\u00e9""#.into(), long, r#""\u0061""#.into()]
}

const DIALECTS: [Dialect; 3] = [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP];

fn call(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"count","id":{id}}}"#)
}

fn rooms(longest: usize) -> impl Iterator<Item = usize> {
    (0..longest).step_by(if cfg!(miri) { 13 } else { 1 })
}

/// How often the handler was called, the answers, and how many texts were refused for lack of room.
type Outcome = (u32, Option<String>, u32);

/// Answers a text by these rules with so many bytes of output.
type Serve = fn(&str, Dialect, usize) -> Outcome;

/// The ways to have one text answered.
const SERVERS: [(&str, Serve); 4] =
    [("router", by_router), ("async router", by_async_router), ("registry", by_registry), ("exchange", by_exchange)];

fn owned(answer: Option<&[u8]>) -> Option<String> {
    answer.map(|answer| String::from_utf8(answer.to_vec()).unwrap())
}

fn count(called: &mut u32) -> Result<u32, ErrorObject<'static>> {
    *called += 1;
    Ok(*called)
}

fn by_router(text: &str, dialect: Dialect, room: usize) -> Outcome {
    let mut server = Server::new(Router::new().request("count", count)).with_dialect(dialect);
    let (mut called, mut output) = (0, vec![0; room]);
    let processed = server.process(&mut called, text.as_bytes(), &mut output);
    (called, owned(processed.answer()), processed.lacks_room().into())
}

fn by_async_router(text: &str, dialect: Dialect, room: usize) -> Outcome {
    let router = Router::new().request_async("count", async |called: &mut u32| count(called));
    let mut server = Server::new(router).with_dialect(dialect);
    let (mut called, mut output) = (0, vec![0; room]);
    let (answer, lacks_room) = {
        let mut processed = pin!(server.process_async(&mut called, text.as_bytes(), &mut output));
        let Poll::Ready(processed) = processed.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("waits")
        };
        (owned(processed.answer()), processed.lacks_room())
    };
    (called, answer, lacks_room.into())
}

fn by_registry(text: &str, dialect: Dialect, room: usize) -> Outcome {
    let mut count = handler(count);
    let mut registry: Registry<'_, u32, 1> = Registry::new();
    registry.request("count", &mut count).unwrap();
    let mut server = Server::with_routes(registry).with_dialect(dialect);
    let (mut called, mut output) = (0, vec![0; room]);
    let processed = server.process(&mut called, text.as_bytes(), &mut output);
    (called, owned(processed.answer()), processed.lacks_room().into())
}

fn by_exchange(text: &str, dialect: Dialect, room: usize) -> Outcome {
    let (mut called, mut output) = (0, vec![0; room]);
    let mut exchange = Exchange::new(text.as_bytes(), &mut output, dialect);
    while let Some(message) = exchange.next_message() {
        assert_eq!(message.kind(), EnvelopeKind::Request);
        called += 1;
        exchange.reply().success(&called);
    }
    let processed = exchange.finish();
    (called, owned(processed.answer()), processed.lacks_room().into())
}

/// The ids of the answers, as spelled.
fn answered(answer: Option<&str>) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Answer {
        id: Option<Box<serde_json::value::RawValue>>,
    }
    let id = |answer: Answer| answer.id.map_or("null".into(), |id| id.get().to_string());
    match answer {
        None => Vec::new(),
        Some(batch) if batch.starts_with('[') => {
            serde_json::from_str::<Vec<Answer>>(batch).unwrap().into_iter().map(id).collect()
        }
        Some(one) => vec![id(serde_json::from_str(one).unwrap())],
    }
}

#[test]
fn the_room_for_an_answer_is_what_the_writer_takes() {
    // in a batch of two: a bracket or comma before each of them, and a bracket behind them
    let mut out = [0; 256];
    let mut batch = BatchWriter::new(&mut out);
    batch.push(&Response::error(1, ErrorObject::INVALID_REQUEST)).unwrap();
    batch.push(&Response::error(2, ErrorObject::INVALID_REQUEST)).unwrap();
    assert_eq!(batch.finish().len(), 2 * (MIN_ANSWER_LEN + 1) + 1);
    // and the answer in place of a reply that does not fit is not longer
    let len = Response::error(1, ErrorObject::INTERNAL_ERROR).write(&mut out).unwrap();
    assert!(len <= MIN_ANSWER_LEN + 1);
}

#[test]
fn a_handler_is_called_exactly_if_the_shortest_answer_fits() {
    for dialect in DIALECTS {
        for id in ids() {
            if dialect != Dialect::JSON_RPC && (id == "null" || id == "1.50") {
                continue;
            }
            let text = call(&id);
            for room in rooms(MIN_ANSWER_LEN + id.len() + 30) {
                let fits = room >= MIN_ANSWER_LEN + id.len();
                for (name, server) in SERVERS {
                    let (called, answer, lacked_room) = server(&text, dialect, room);
                    let shown = format!("{name}, {room} bytes: {text} {answer:?}");
                    assert_eq!((called, lacked_room), (u32::from(fits), u32::from(!fits)), "{shown}");
                    let seen = answered(answer.as_deref());
                    if fits {
                        assert_eq!(seen, [id.as_str()], "{shown}");
                    } else {
                        // it is not the answer to another call
                        assert!(seen.iter().all(|seen| seen == "null"), "{shown}");
                        assert_eq!(!seen.is_empty(), answer.is_some_and(|answer| answer.contains("-3260")), "{shown}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_call_without_room_for_its_id_is_told_why_where_null_fits() {
    let text = call(&ids()[5]);
    for (name, server) in SERVERS {
        let (called, answer, lacked_room) = server(&text, Dialect::JSON_RPC, 128);
        let expected = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"id too long"},"id":null}"#;
        assert_eq!((called, answer.as_deref(), lacked_room), (0, Some(expected), 1), "{name}");
    }
}

#[test]
fn the_calls_of_a_batch_are_all_handed_out_or_none_of_them() {
    for id in ids() {
        for (text, ids) in [
            (format!("[{}]", call(&id)), vec![id.as_str()]),
            (format!("[{},{}]", call("7"), call(&id)), vec!["7", &id]),
            (format!("[{},{},{}]", call(&id), call("7"), call(&id)), vec![&id, "7", &id]),
        ] {
            let needed = 1 + ids.iter().map(|id| MIN_ANSWER_LEN + id.len()).sum::<usize>();
            for room in rooms(needed + 20) {
                let fits = room >= needed;
                for (name, server) in SERVERS {
                    let (called, answer, lacked_room) = server(&text, Dialect::JSON_RPC, room);
                    let shown = format!("{name}, {room} bytes: {text} {answer:?}");
                    assert_eq!(called, if fits { u32::try_from(ids.len()).unwrap() } else { 0 }, "{shown}");
                    assert_eq!(lacked_room, u32::from(!fits), "{shown}");
                    let seen = answered(answer.as_deref());
                    assert!(if fits { seen == ids } else { seen.iter().all(|seen| seen == "null") }, "{shown}");
                }
            }
        }
    }
}

#[test]
fn a_request_that_was_read_before_is_handled_only_if_it_can_be_answered() {
    for id in ["a", "a\n\u{1}\"é", &"x".repeat(64)] {
        let request = Request::new(Id::try_from(id).unwrap(), "count");
        let mut spelled = [0; 512];
        let spelled = Response::success(request.id.clone(), &0).write(&mut spelled).unwrap()
            - r#"{"jsonrpc":"2.0","result":0,"id":}"#.len();
        for room in rooms(MIN_ANSWER_LEN + 2 * spelled + 20) {
            let mut server = Server::new(Router::new().request("count", count));
            let (mut called, mut output) = (0, vec![0; room]);
            // the id is held in the output until it is written
            let processed = server.handle(&mut called, &request, &mut output);
            let (answer, lacks_room) = (owned(processed.answer()), processed.lacks_room());
            let fits = room >= MIN_ANSWER_LEN + 2 * spelled;
            assert_eq!((called, lacks_room), (u32::from(fits), !fits), "{id:?}, {room} bytes");
            let read = answer.as_deref().map(|answer| Response::parse(answer.as_bytes()).unwrap().id);
            assert_eq!(read.is_some_and(|read| read == request.id), fits, "{id:?}, {room} bytes: {answer:?}");
        }
    }
}

#[test]
fn a_refused_text_that_cannot_be_answered_under_its_id_is_counted() {
    for id in ids() {
        let text = format!(r#"{{"jsonrpc":"2.0","method":1,"id":{id}}}"#);
        for room in rooms(MIN_ANSWER_LEN + id.len() + 2) {
            let (called, answer, lacked_room) = by_router(&text, Dialect::JSON_RPC, room);
            let fits = room >= MIN_ANSWER_LEN + id.len();
            assert_eq!((called, lacked_room), (0, u32::from(!fits)), "{room} bytes: {text} {answer:?}");
            let seen = answered(answer.as_deref());
            assert!(
                if fits { seen == [id.as_str()] } else { seen.iter().all(|seen| seen == "null") },
                "{text} {answer:?}"
            );
        }
    }
}

#[test]
fn a_text_that_is_not_answered_needs_no_room() {
    for text in [
        r#"{"jsonrpc":"2.0","method":"count"}"#,
        r#"{"jsonrpc":"2.0","result":1,"id":1}"#,
        r#"{"jsonrpc":"2.0","result":1,"error":1,"id":1}"#,
        r#"[{"jsonrpc":"2.0","method":"count"},{"jsonrpc":"2.0","result":1,"id":1}]"#,
    ] {
        let (_, answer, lacked_room) = by_router(text, Dialect::JSON_RPC, 0);
        assert_eq!((answer, lacked_room), (None, 0), "{text}");
    }
}

#[test]
fn what_has_no_answer_has_no_code() {
    let mut server = Server::new(Router::new().request("count", count));
    let texts: [&[u8]; 4] =
        [br#"{"jsonrpc":"2.0","method":"none","id":1}"#, b"", b"[]", br#"{"jsonrpc":"2.0","method":1,"id":1}"#];
    let (mut answered, mut silent) = (0, 0);
    for text in texts {
        for room in 0..160 {
            let mut output = vec![0; room];
            let processed = server.process(&mut 0, text, &mut output[..]);
            let code = processed.answer().map(|answer| Response::parse(answer).unwrap().outcome.unwrap_err().code);
            assert_eq!(processed.code(), code, "{room} bytes for {}", text.escape_ascii());
            if code.is_some() { answered += 1 } else { silent += 1 }
        }
    }
    assert!(answered > 200 && silent > 200, "{answered}, {silent}");
}
