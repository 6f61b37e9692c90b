//! Outputs that grow: the same answers as from fixed outputs of their limit, and the length of each answer that exceeds it.
#![cfg(all(
    feature = "alloc",
    feature = "embedded-io-async",
    feature = "http",
    feature = "mcp",
    feature = "serde",
    feature = "websocket"
))]

use core::cell::Cell;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::written_by::written_by;
use embedded_io_adapters::tokio_1::FromTokio;
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Frame, Framer, Lines, WebSocket};
use nanojsonrpc::memory::Pipe;
use nanojsonrpc::message::BatchWriter;
use nanojsonrpc::server::{Exchange, Replied, Reply};
use nanojsonrpc::{
    Client, Dialect, ErrorCode, ErrorKind, ErrorObject, Growing, Notification, Output, Params, Request, Response,
    Router, Server, Writer,
};
use proptest::prelude::*;
use serde::Serialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const UNLIMITED: usize = 1 << 24;

/// A result in which each way to write a value occurs.
#[derive(Serialize)]
struct Report<'a> {
    text: &'a str,
    none: [u8; 0],
    nested: Vec<BTreeMap<&'a str, Option<f64>>>,
    numbers: [i64; 4],
    empty: BTreeMap<u8, u8>,
    choice: Choice,
    wide: i128,
}

#[derive(Serialize)]
enum Choice {
    Newtype(char),
}

fn report(text: &str) -> Report<'_> {
    let map = || BTreeMap::from([("a\"b", Some(1.5)), ("c", None)]);
    Report {
        text,
        none: [],
        nested: vec![map(), BTreeMap::new(), map()],
        numbers: [0, -7, i64::MIN, 123_456_789_012],
        empty: BTreeMap::new(),
        choice: Choice::Newtype('\u{1}'),
        wide: i128::MIN,
    }
}

fn filled(count: usize) -> String {
    "a\"é\n".chars().cycle().take(count).collect()
}

type Counted = u32;

/// Routes whose answers are as long as the call wants, and that count the calls of their handlers.
fn server() -> Server<impl nanojsonrpc::server::route::Routes<Counted>> {
    Server::new(
        Router::new()
            .request("report", |called: &mut Counted, (count,): (usize,)| {
                *called += 1;
                struct Owned(String);
                impl Serialize for Owned {
                    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                        report(&self.0).serialize(serializer)
                    }
                }
                Ok(Owned(filled(count)))
            })
            .request("closure", |called: &mut Counted, params: Params<'_>, reply: Reply<'_>| -> Replied {
                *called += 1;
                let count = params.element(0).and_then(|count| count.as_u64()).unwrap_or(0);
                reply.success(&written_by(|place| {
                    place.array(|array| (0..count).for_each(|at| array.element(&[("at", at)])))
                }))
            })
            .request_fallible("fail", |called: &mut Counted, (count,): (usize,)| -> Result<(), (ErrorCode, String)> {
                *called += 1;
                Err((ErrorCode(-1), filled(count)))
            })
            .request("echo", |called: &mut Counted, params: Params<'_>, mut reply: Reply<'_>| -> Replied {
                *called += 1;
                match reply.read::<(&str,)>(&params) {
                    Ok((text,)) => reply.success(text),
                    Err(problem) => reply.error(problem.into()),
                }
            })
            .request("lent", |called: &mut Counted, params: Params<'_>| {
                *called += 1;
                let (text,): (&str,) = params.read()?;
                Ok(text.len())
            })
            .notification("told", |called: &mut Counted, params: Params<'_>| {
                *called += params.read::<(&str,)>().map_or(0, |(text,)| u32::try_from(text.len()).unwrap());
            }),
    )
}

fn process(text: &str, output: &mut (impl Output + ?Sized)) -> (Counted, Option<String>) {
    let mut called = 0;
    let answer = server().process(&mut called, text.as_bytes(), output).answer();
    let answer = answer.map(|answer| String::from_utf8(answer.to_vec()).unwrap());
    (called, answer)
}

fn call(method: &str, params: impl Serialize, id: usize) -> String {
    let params = serde_json::to_string(&params).unwrap();
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":{id}}}"#)
}

fn memory(growing: &Growing) -> usize {
    let shown = format!("{growing:?}");
    shown["Growing { len: ".len()..].split_once(',').unwrap().0.parse().unwrap()
}

#[test]
fn an_answer_grows_to_the_limit_and_names_its_length_beyond_it() {
    for method in ["report", "closure", "fail"] {
        for count in [0, 1, 30, 300, 5_000] {
            let text = call(method, [count], 1);
            let (_, whole) = process(&text, &mut vec![0; UNLIMITED]);
            let whole = whole.unwrap();
            for limit in [whole.len().max(77), whole.len() + 50, UNLIMITED] {
                assert_eq!(
                    process(&text, &mut Growing::new(limit)),
                    (1, Some(whole.clone())),
                    "{method} {count} {limit}"
                );
            }
            // without room for the text of the longer error, the shorter one
            for limit in [whole.len() - 1, whole.len() / 2, 76, 90] {
                let told = format!(
                    r#"{{"jsonrpc":"2.0","error":{{"code":-32603,"message":"answer too long: {} bytes"}},"id":1}}"#,
                    whole.len()
                );
                let short = r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#;
                let expected = match limit {
                    _ if limit < 77 || limit >= whole.len() => continue,
                    _ if limit < told.len() => short,
                    _ => &told,
                };
                assert_eq!(
                    process(&text, &mut Growing::new(limit)),
                    (1, Some(expected.into())),
                    "{method} {count} {limit}"
                );
            }
        }
    }
}

#[test]
fn a_string_with_an_escape_grows_the_output() {
    for count in [10, 2_000, 100_000] {
        let (text, params) = (filled(count), [filled(count)]);
        assert_eq!(process(&call("echo", &params, 1), &mut Growing::new(UNLIMITED)).1, {
            let result = serde_json::to_string(&text).unwrap();
            Some(format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#))
        });
        let answer = process(&call("lent", &params, 1), &mut Growing::new(UNLIMITED)).1.unwrap();
        assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0","result":{},"id":1}}"#, text.len()));
        let told = call("told", &params, 1).replace(r#","id":1"#, "");
        assert_eq!(process(&told, &mut Growing::new(UNLIMITED)), (u32::try_from(text.len()).unwrap(), None));
    }
    // taken room counts: whatever a handler reads, an output does not exceed its limit
    let mut output = Growing::new(10_000);
    let text = call("echo", [filled(6_000)], 1);
    assert!(process(&text, &mut output).1.unwrap().contains("answer too long"));
    assert!(memory(&output) <= 10_000);
}

#[test]
fn an_output_frees_the_memory_of_a_long_answer() {
    let mut output = Growing::new(UNLIMITED);
    assert_eq!(memory(&output), 0);
    process(&call("report", [1], 1), &mut output);
    assert_eq!(memory(&output), 1024);
    process(&call("report", [1_000_000], 1), &mut output);
    assert!(memory(&output) > 1_000_000);
    process(&call("report", [1], 1), &mut output);
    assert_eq!(memory(&output), 64 * 1024);

    // a connection does so once the answer is sent
    let line = call("report", [100_000], 1) + "\n";
    let mut sent = vec![0; 1 << 18];
    let mut writer = &mut sent[..];
    let mut framer = Framer::<Lines, 128>::new();
    Connection::new(line.as_bytes(), &mut writer, &mut framer, &mut output).serve(&mut server(), &mut 0).unwrap();
    let unsent = writer.len();
    assert!((1 << 18) - unsent > 100_000);
    assert_eq!(memory(&output), 64 * 1024);
}

fn streamed<F: Frame>(text: &str) -> String {
    let mut pipe: Pipe<{ 1 << 17 }> = Pipe::new();
    let (device, hub) = pipe.ends();
    let mut wire = vec![0; text.len() + 64];
    let len = F::encode(text.as_bytes(), &mut wire).unwrap();
    hub.try_write(&wire[..len]).unwrap();
    hub.close();
    let (mut framer, mut output) = (Framer::<F>::growing(1 << 20), Growing::new(1 << 20));
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    connection.send(&Notification::new("awake").with_params(&[filled(3_000)])).unwrap();
    connection.serve(&mut server(), &mut 0).unwrap();
    let mut received = vec![0; 1 << 20];
    let len = hub.try_read(&mut received).unwrap();
    String::from_utf8_lossy(&received[..len]).into_owned()
}

#[test]
fn a_connection_grows_in_each_frame() {
    let text = call("report", [20_000], 1);
    let answer = process(&text, &mut vec![0; UNLIMITED]).1.unwrap();
    let awake = serde_json::to_string(&[filled(3_000)]).unwrap();
    for sent in [streamed::<Lines>(&text), streamed::<nanojsonrpc::frame::ContentLength>(&text)] {
        assert!(sent.contains(&answer) && sent.contains(&awake));
    }
    let mut pipe: Pipe<{ 1 << 17 }> = Pipe::new();
    let (device, hub) = pipe.ends();
    let (mut framer, mut output) = (Framer::<WebSocket, 128>::new(), Growing::new(1 << 20));
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    connection.send(&Notification::new("awake").with_params(&[filled(3_000)])).unwrap();
    let mut received = vec![0; 1 << 20];
    let len = hub.try_read(&mut received).unwrap();
    assert!(String::from_utf8_lossy(&received[..len]).contains(&awake));
}

#[test]
fn a_call_grows_for_its_params_and_its_result() {
    let text = filled(5_000);
    let answer = Response::<64, _>::success(1i64 << 52, &text);
    let mut incoming = vec![0; 1 << 16];
    let len = answer.write(&mut incoming).unwrap();
    incoming.truncate(len);
    incoming.push(b'\n');
    let mut sent = vec![0; 1 << 16];
    let mut writer = &mut sent[..];
    let (mut framer, mut output) = (Framer::<Lines>::growing(1 << 20), Growing::new(1 << 20));
    let mut connection = Connection::new(&incoming[..], &mut writer, &mut framer, &mut output);
    let result: &str = connection.call("echo", &[&text]).unwrap();
    assert_eq!(result, text);
    let params = serde_json::to_string(&[&text]).unwrap();
    assert!(String::from_utf8_lossy(&sent).contains(&params));
}

#[test]
fn concurrent_answers_grow() {
    let router =
        Router::new().request_async("report", async |called: &mut &core::cell::Cell<u32>, (count,): (usize,)| {
            called.set(called.get() + 1);
            Ok(filled(count))
        });
    let mut server = Server::new(router);
    let (stream, mut hub) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(stream);
    let batch = format!("[{},{}]", call("report", [3], 3), call("report", [7_000], 4));
    // longer than what an output keeps for its next use
    let texts = [call("report", [90_000], 1), call("report", [100_000], 2), batch].map(|text| text + "\n").concat();
    let (mut framer, mut output) = (Framer::<Lines>::growing(1 << 20), Growing::new(1 << 20));
    let mut connection = Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
    let called = core::cell::Cell::new(0);
    let mut context = &called;
    let mut received = String::new();
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
        hub.write_all(texts.as_bytes()).await.unwrap();
        hub.shutdown().await.unwrap();
        let serving = connection.concurrent::<2, 1024, 0>().growing(160 << 10);
        serving.serve(&mut server, &mut context).await.unwrap();
        drop(connection);
        hub.read_to_string(&mut received).await.unwrap();
    });
    let result = |count, id| {
        let text = serde_json::to_string(&filled(count)).unwrap();
        format!(r#"{{"jsonrpc":"2.0","result":{text},"id":{id}}}"#)
    };
    assert!(received.contains(&result(90_000, 1)));
    let told = format!(r#"{{"code":-32603,"message":"answer too long: {} bytes"}},"id":2}}"#, result(100_000, 2).len());
    assert!(received.contains(&told), "{}", &received[received.len() - 200..]);
    assert!(received.contains(&format!("[{},{}]", result(3, 3), result(7_000, 4))));
    assert_eq!(called.get(), 4);
}

/// A handler reads one of two strings with escapes; the other alone exceeds the limit.
#[test]
fn a_string_that_is_decoded_needs_no_room_for_others() {
    #[derive(serde::Deserialize)]
    struct Short<'a> {
        short: &'a str,
    }
    let mut server = Server::new(Router::new().request("len", |_: &mut (), params: Params<'_>| {
        let Short { short } = params.read()?;
        Ok(short.len())
    }));
    for limit in [80, 100, 128, 200, 500] {
        for (short, len) in [("a\\n", 2), (&*"\\n".repeat(600), 600)] {
            let long = "\\n".repeat(300);
            let text =
                format!(r#"{{"jsonrpc":"2.0","method":"len","params":{{"short":"{short}","long":"{long}"}},"id":1}}"#);
            let (mut fixed, mut growing) = (vec![0; limit], Growing::new(limit));
            let expected = server.process(&mut (), text.as_bytes(), &mut fixed).answer().unwrap().to_vec();
            assert_eq!(
                server.process(&mut (), text.as_bytes(), &mut growing).answer().unwrap(),
                expected,
                "{limit} {len}"
            );
            let result = format!(r#"{{"jsonrpc":"2.0","result":{len},"id":1}}"#);
            assert_eq!(expected == result.as_bytes(), len <= limit, "{}", String::from_utf8_lossy(&expected));
        }
    }
}

#[test]
fn a_connection_frees_the_memory_of_a_message_without_an_answer() {
    let mut server = Server::new(Router::new().notification("say", |_: &mut (), params: Params<'_>| {
        assert!(params.element(0).is_some());
    }));
    let text = format!(r#"{{"jsonrpc":"2.0","method":"say","params":["{}"]}}"#, "\\n".repeat(200_000)) + "\n";
    let (mut framer, mut output) = (Framer::<Lines>::growing(1 << 20), Growing::new(1 << 20));
    let mut sent = [0; 64];
    let mut writer = &mut sent[..];
    let mut connection = Connection::new(text.as_bytes(), &mut writer, &mut framer, &mut output);
    connection.serve(&mut server, &mut ()).unwrap();
    assert_eq!(format!("{output:?}"), "Growing { len: 65536, limit: 1048576 }");
}

#[test]
fn writers_of_messages_grow() {
    let text = filled(3_000);
    let mut growing = Growing::new(10_000);
    let mut client = Client::<char, 4>::new();
    {
        let mut out = Writer::new(&mut growing);
        client.call("a", &[&text], 'a', &mut out).unwrap();
        let first = out.written().to_vec();
        assert_eq!(client.call("b", &[filled(9_000)], 'b', &mut out).unwrap_err().error.kind(), ErrorKind::OutputFull);
        assert_eq!(out.written(), first);
        client.call("c", &(), 'c', &mut out).unwrap();
        assert!(out.written().starts_with(&first));
        assert!(out.written().ends_with(br#"{"jsonrpc":"2.0","method":"c","id":2}"#));
    }
    let mut batch = BatchWriter::new(&mut growing);
    for id in 0..3 {
        batch
            .push(&Response::<64, _>::success(id, &filled(2_000)))
            .unwrap_or_else(|error| assert_eq!(error.kind(), ErrorKind::OutputFull));
    }
    let answers: serde_json::Value = serde_json::from_slice(batch.finish()).unwrap();
    assert_eq!(answers.as_array().unwrap().len(), 2);

    let request = Request::<64, 64>::new(nanojsonrpc::Id::try_from("x".repeat(50).as_str()).unwrap(), "report");
    let mut server = server();
    let answer = server.handle(&mut 0, &request, &mut growing).answer().unwrap();
    assert!(answer.ends_with(format!(r#""id":"{}"}}"#, "x".repeat(50)).as_bytes()));
    assert!(server.refuse(ErrorObject::INTERNAL_ERROR, &mut growing).answer().unwrap().ends_with(br#""id":null}"#));
}

#[test]
fn an_async_handler_and_an_exchange_grow() {
    let mut server =
        Server::new(Router::new().request_async("report", async |(): &mut (), (count,): (usize,)| Ok(filled(count))));
    let mut output = Growing::new(1 << 20);
    let text = call("report", [5_000], 1);
    let mut context = ();
    {
        let mut answer = pin!(server.process_async(&mut context, text.as_bytes(), &mut output));
        let Poll::Ready(answer) = answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) else { panic!() };
        assert!(answer.answer().unwrap().len() > 5_000);
    }
    let mut exchange = Exchange::new(text.as_bytes(), &mut output, Dialect::JSON_RPC);
    assert!(exchange.next_message().is_some());
    assert!(exchange.reply().ahead(&Notification::new("x").with_params(&[filled(4_000)])).unwrap().len() > 4_000);
    assert!(exchange.reply().success(&filled(5_000)).is_whole());
    assert!(exchange.finish().answer().unwrap().len() > 5_000);
}

#[test]
fn after_an_answer_that_was_too_long_a_notification_has_none() {
    let text = r#"[{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","method":"c","id":2}]"#;
    let mut output = Growing::new(300);
    let mut exchange = Exchange::new(text.as_bytes(), &mut output, Dialect::JSON_RPC);
    while exchange.next_message().is_some() {
        assert!(!exchange.reply().success(&filled(500)).is_whole());
    }
    let answer = String::from_utf8(exchange.finish().answer().unwrap().to_vec()).unwrap();
    assert_eq!(answer.matches("answer too long").count(), 2, "{answer}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&answer).unwrap().as_array().map(Vec::len), Some(2));
}

#[test]
fn a_string_with_an_escape_in_an_argument_grows_the_output() {
    use nanojsonrpc::mcp::{Schema, Service};

    #[derive(serde::Deserialize)]
    struct Said {
        text: String,
    }
    const ANY: Schema<'_> = nanojsonrpc::mcp::schema!(r#"{"type":"object"}"#);
    let mut server = Service::new("report", "1.0.0")
        .tool("count", "Counts.", ANY, |_: &mut (), said: Said| said.text.len().to_string())
        .server();
    let said = serde_json::to_string(&filled(5_000)).unwrap();
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"count","arguments":{{"text":{said}}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"me","version":"0"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    );
    let mut output = Growing::new(1 << 20);
    let answer = server.process(&mut (), text.as_bytes(), &mut output).answer().unwrap();
    let counted = format!(r#""text":"{}""#, filled(5_000).len());
    assert!(String::from_utf8_lossy(answer).contains(&counted), "{}", String::from_utf8_lossy(answer));
}

/// A result that cannot be serialized behind its first element.
struct Broken(usize);

impl Serialize for Broken {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::{Error as _, SerializeSeq as _};

        let mut elements = serializer.serialize_seq(None)?;
        elements.serialize_element(&filled(self.0))?;
        Err(S::Error::custom("broken"))
    }
}

#[test]
fn what_cannot_be_counted_is_an_internal_error() {
    let mut server = Server::new(Router::new().request("break", |(): &mut (), (count,): (usize,)| Ok(Broken(count))));
    for (count, limit) in [(10, UNLIMITED), (5_000, UNLIMITED), (5_000, 1_000)] {
        let mut output = Growing::new(limit);
        let answer = server.process(&mut (), call("break", [count], 1).as_bytes(), &mut output).answer().unwrap();
        let short = r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#;
        assert_eq!(String::from_utf8_lossy(answer), short, "{count} {limit}");
    }
}

#[test]
fn only_what_a_growing_output_cannot_hold_is_written_twice() {
    struct Noted<T>(Rc<Cell<u32>>, T);

    impl<T: Serialize> Serialize for Noted<T> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.0.set(self.0.get() + 1);
            self.1.serialize(serializer)
        }
    }

    let written = Rc::new(Cell::new(0));
    let (noted, broken) = (Rc::clone(&written), Rc::clone(&written));
    let router = Router::new()
        .request("noted", move |(): &mut (), (count,): (usize,)| Ok(Noted(Rc::clone(&noted), filled(count))))
        .request("break", move |(): &mut (), (count,): (usize,)| Ok(Noted(Rc::clone(&broken), Broken(count))));
    let mut server = Server::new(router);
    for (method, count, fixed, growing) in [("noted", 10, 1, 1), ("noted", 500, 1, 2), ("break", 10, 1, 1)] {
        let text = call(method, [count], 1);
        written.set(0);
        server.process(&mut (), text.as_bytes(), &mut [0; 256]);
        assert_eq!(written.take(), fixed, "{method} {count}");
        server.process(&mut (), text.as_bytes(), &mut Growing::new(256));
        assert_eq!(written.take(), growing, "{method} {count}");
    }
}

#[test]
fn the_error_of_a_layer_grows_to_the_limit() {
    use nanojsonrpc::server::Layer;
    use nanojsonrpc::server::route::Call;

    struct Closed(&'static str);

    impl Layer<()> for Closed {
        fn before(&mut self, (): &mut (), _: &Call<'_>) -> Result<(), ErrorObject<'static>> {
            Err(ErrorObject::new(-32000, self.0))
        }
    }
    let why = filled(500).leak();
    let mut server = Server::new(Router::new().request("open", |(): &mut ()| Ok(()))).with_layer(Closed(why));
    let text = r#"{"jsonrpc":"2.0","method":"open","id":1}"#;
    let whole = server.process(&mut (), text.as_bytes(), &mut vec![0; UNLIMITED]).answer().unwrap().to_vec();
    for limit in [whole.len(), whole.len() - 1] {
        let mut output = Growing::new(limit);
        let answer = server.process(&mut (), text.as_bytes(), &mut output).answer().unwrap();
        let told = format!("answer too long: {} bytes", whole.len());
        assert_eq!(answer == whole, limit == whole.len());
        assert_eq!(String::from_utf8_lossy(answer).contains(&told), limit != whole.len());
    }
}

#[test]
fn tools_and_endpoints_grow() {
    use nanojsonrpc::mcp::{Schema, Service, Structured};

    let mut server = Service::new("report", "1.0.0")
        .tool("report", "Reports.", Schema::NO_ARGUMENTS, |count: &mut usize, (): ()| {
            // a struct that borrows from a text that lives for the call
            Structured(serde_json::to_value(report(&filled(*count)).text).unwrap())
        })
        .server();
    let text = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"me","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    for count in [10, 5_000] {
        let mut fixed = vec![0; UNLIMITED];
        let whole = server.process(&mut { count }, text.as_bytes(), &mut fixed).answer().unwrap().to_vec();
        assert!(whole.len() > 2 * count, "{}", String::from_utf8_lossy(&whole));
        let mut output = Growing::new(whole.len());
        assert_eq!(server.process(&mut { count }, text.as_bytes(), &mut output).answer().unwrap(), whole);
        let mut output = Growing::new(whole.len() - 1);
        let answer = server.process(&mut { count }, text.as_bytes(), &mut output).answer().unwrap();
        let told = format!("answer too long: {} bytes", whole.len());
        assert!(String::from_utf8_lossy(answer).contains(&told), "{told} {}", String::from_utf8_lossy(answer));
    }

    let mut head = nanojsonrpc::http::Head::new("POST", "/");
    let body = call("report", [5_000], 1);
    let len = body.len().to_string();
    head.content_type = Some(b"application/json");
    head.content_length = Some(len.as_bytes());
    let mut output = Growing::new(1 << 20);
    let response =
        nanojsonrpc::http::Endpoint::new().answer(&mut self::server(), &mut 0, &head, body.as_bytes(), &mut output);
    assert_eq!(response.status(), 200);
    assert!(response.body().len() > 5_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::cases::cases(400)))]

    /// A growing output answers as a fixed one of its limit, call by call; only the error for an answer that is too long differs.
    #[test]
    fn a_batch_in_a_growing_output_is_whole(
        counts in prop::collection::vec((0..3usize, 0..2_000usize), 1..12),
        limit in 0..20_000usize,
        is_reused in any::<bool>(),
    ) {
        let calls: Vec<_> = counts.iter().enumerate().map(|(id, (method, count))| {
            call(["report", "closure", "echo"][*method], if *method == 2 {
                serde_json::json!([filled(*count)])
            } else {
                serde_json::json!([count / 8])
            }, id)
        }).collect();
        let text = format!("[{}]", calls.join(","));
        let mut output = Growing::new(limit);
        if is_reused {
            process(&call("report", [300], 1), &mut output);
        }
        let (called, answer) = process(&text, &mut output);
        let (called_fixed, fixed) = process(&text, &mut vec![0; limit]);
        prop_assert_eq!(called, called_fixed);
        prop_assert!(memory(&output) <= limit);
        let parsed = |answer: Option<String>| -> Cow<'static, [serde_json::Value]> {
            match answer.map(|answer| serde_json::from_str(&answer).unwrap()) {
                Some(serde_json::Value::Array(answers)) => answers.into(),
                Some(single) => vec![single].into(),
                None => Cow::Borrowed(&[]),
            }
        };
        let (answers, fixed) = (parsed(answer), parsed(fixed));
        prop_assert_eq!(answers.len(), fixed.len());
        for (answer, fixed) in answers.iter().zip(fixed.iter()) {
            prop_assert_eq!(&answer["id"], &fixed["id"]);
            let is_refused = |answer: &serde_json::Value| answer["error"]["code"] == -32603;
            if !is_refused(answer) && !is_refused(fixed) {
                prop_assert_eq!(answer, fixed);
            }
        }
        // an output of enough room refuses nothing
        let (_, whole) = process(&text, &mut Growing::new(UNLIMITED));
        prop_assert_eq!(whole, process(&text, &mut vec![0; UNLIMITED]).1);
    }
}
