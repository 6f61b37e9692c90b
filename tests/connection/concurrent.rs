//! A connection that reads on while handlers wait.
#![cfg(all(feature = "serde", feature = "embedded-io-async"))]

use core::time::Duration;
use std::sync::{Arc, Mutex};

use embedded_io_adapters::tokio_1::FromTokio;
use nanojsonrpc::connection::{CallError, Cancellation, Connection, ConnectionError};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::server::{Event, MIN_ANSWER_LEN, Reply};
use nanojsonrpc::{ErrorObject, Notification, Params, RawValue, Router, Server, Writer, message::Str};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines as TextLines, ReadHalf, WriteHalf};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The context that handlers share.
#[derive(Default)]
struct Board {
    gate: Gate,
    seen: Mutex<Vec<String>>,
    queue: Mutex<Option<mpsc::UnboundedSender<u32>>>,
}

impl Board {
    fn note(&self, text: impl Into<String>) {
        self.seen.lock().unwrap().push(text.into());
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

/// Opens once and for all.
#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Notify,
}

impl Gate {
    async fn passed(&self) {
        loop {
            let opened = self.opened.notified();
            if *self.is_open.lock().unwrap() {
                return;
            }
            opened.await;
        }
    }

    fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.opened.notify_waiters();
    }
}

type Shared = Arc<Board>;

/// Records that a handler is dropped before it is done.
struct Guard(Shared);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.note("dropped");
    }
}

async fn passed(board: &mut Shared, (name,): (String,)) -> Result<String, ErrorObject<'static>> {
    board.note(format!("{name} waits"));
    let guard = Guard(board.clone());
    board.gate.passed().await;
    core::mem::forget(guard);
    Ok(name)
}

async fn open_late(board: &mut Shared) -> Result<(), ErrorObject<'static>> {
    tokio::time::sleep(Duration::from_millis(5)).await;
    board.gate.open();
    Ok(())
}

async fn next(count: &mut u8) -> Result<u8, ErrorObject<'static>> {
    tokio::task::yield_now().await;
    *count += 1;
    Ok(*count)
}

async fn work(board: &mut Shared) -> Result<&'static str, ErrorObject<'static>> {
    tokio::task::yield_now().await;
    for step in 0..3 {
        board.queue.lock().unwrap().as_ref().unwrap().send(step).unwrap();
        tokio::task::yield_now().await;
    }
    board.queue.lock().unwrap().as_ref().unwrap().send(100).unwrap();
    Ok("done")
}

async fn heard(board: &mut Shared, params: Params<'_>) {
    let number = params.element(0).and_then(RawValue::as_i64).unwrap();
    if number % 2 == 0 {
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    board.note(number.to_string());
}

/// A server on one end of a stream in memory.
struct Peer {
    board: Shared,
    lines: TextLines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    stop: oneshot::Sender<()>,
    server: JoinHandle<Result<usize, ConnectionError<std::io::Error, std::io::Error>>>,
}

/// `tokio::spawn` requires that the serving future is `Send`.
fn peer<const COUNT: usize>(cancellation: Option<Cancellation>) -> Peer
where
    Peer: Serves<COUNT>,
{
    <Peer as Serves<COUNT>>::serve(cancellation)
}

trait Serves<const COUNT: usize> {
    fn serve(cancellation: Option<Cancellation>) -> Peer;
}

macro_rules! serves {
    ($($count:literal)*) => {$(
        impl Serves<$count> for Peer {
            fn serve(cancellation: Option<Cancellation>) -> Peer {
                let (near, far) = tokio::io::duplex(4096);
                let (reader, writer) = tokio::io::split(near);
                let (stop, stopped) = oneshot::channel();
                let board = Shared::default();
                let mut context = board.clone();
                let (sender, mut queue) = mpsc::unbounded_channel();
                *board.queue.lock().unwrap() = Some(sender);
                let server = tokio::spawn(async move {
                    let router = Router::new()
                        .request("ping", |board: &mut Shared| {
                            board.note("ping");
                            Ok("pong")
                        })
                        .request_async("passed", passed)
                        .request_async("work", work)
                        .request_async("open.late", open_late)
                        .notification_async("count", heard)
                        .nest("deep.", Router::new().request_async("passed", passed))
                        .nest("own.", Router::new().request_async("next", next).owning(6))
                        .notification("open", |board: &mut Shared| board.gate.open());
                    let mut server = Server::new(router)
                        .observed_by(|board: &mut Shared, event: Event<'_>| board.note(event.to_string()));
                    let (mut framer, mut output) = (Framer::<Lines, 512>::new(), [0; 512]);
                    let mut connection =
                        Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
                    let serving = connection
                        .concurrent::<$count, 256, 200>()
                        .queued_by(async move |out: &mut Writer<'_>| match queue.recv().await {
                            Some(7) => out.message(&Notification::new("large").with_params(&["x".repeat(600)])),
                            Some(percent) => out.message(&Notification::new("progress").with_params(&[percent])),
                            None => Ok(()),
                        })
                        .until(stopped);
                    match cancellation {
                        Some(cancellation) => serving.cancelled_by(cancellation).serve(&mut server, &mut context).await,
                        None => serving.serve(&mut server, &mut context).await,
                    }?;
                    Ok(context.seen().iter().filter(|line| line.starts_with("call refused")).count())
                });
                let (reader, writer) = tokio::io::split(far);
                Peer { board, lines: BufReader::new(reader).lines(), writer, stop, server }
            }
        }
    )*};
}

serves!(1 2 3 16);

impl Peer {
    async fn send(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    async fn call(&mut self, id: u32, method: &str, params: &str) {
        self.send(&format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":{id}}}"#)).await;
    }

    async fn notify(&mut self, method: &str, params: &str) {
        self.send(&format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)).await;
    }

    async fn line(&mut self) -> Option<String> {
        timeout(Duration::from_secs(20), self.lines.next_line()).await.expect("an answer comes").unwrap()
    }

    /// The result and the id of the next answer.
    async fn answer(&mut self) -> (String, u32) {
        let line = self.line().await.unwrap();
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        let result = value.get("result").map_or_else(|| value["error"]["code"].to_string(), ToString::to_string);
        (result, u32::try_from(value["id"].as_u64().unwrap()).unwrap())
    }

    /// Waits until the handlers have reached this step.
    async fn until_seen(&self, count: usize) {
        for _ in 0..2000 {
            if self.board.seen().len() >= count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("only {:?}", self.board.seen());
    }

    async fn end(mut self) -> usize {
        self.writer.shutdown().await.unwrap();
        assert_eq!(self.line().await, None);
        self.server.await.unwrap().unwrap()
    }
}

fn owned(result: &str, id: u32) -> (String, u32) {
    (result.to_owned(), id)
}

#[tokio::test]
async fn a_call_whose_id_does_not_fit_a_copied_answer_is_answered_in_place() {
    // an answer of 200 bytes has room for an id of 83 bytes: less 40, the line break and `MIN_ANSWER_LEN`
    const FITS: usize = 200 - 40 - 1 - MIN_ANSWER_LEN;
    for len in [FITS - 1, FITS, FITS + 1, FITS + 60] {
        for is_batch in [false, true] {
            let mut peer = peer::<1>(None);
            let id = "i".repeat(len - 2);
            let call = format!(r#"{{"jsonrpc":"2.0","method":"passed","params":["a"],"id":"{id}"}}"#);
            peer.send(&if is_batch { format!("[{call}]") } else { call }).await;
            // a call that waits in place stops the reading; a batch needs one byte more
            let is_in_place = len + usize::from(is_batch) > FITS;
            peer.until_seen(1 + usize::from(is_in_place)).await;
            let seen = peer.board.seen();
            assert_eq!(seen.last().map(String::as_str), Some("a waits"));
            assert_eq!(is_in_place, seen[0].starts_with("request handled in place: "));
            peer.call(2, "ping", "[]").await;
            if !is_in_place {
                assert_eq!(peer.answer().await, owned("\"pong\"", 2));
            }
            peer.board.gate.open();
            let answer = peer.line().await.unwrap();
            assert!(
                answer.contains(r#""result":"a""#) && answer.contains(&format!(r#""id":"{id}""#)),
                "{len}: {answer}"
            );
            if is_in_place {
                assert_eq!(peer.answer().await, owned("\"pong\"", 2));
            }
            assert_eq!(peer.end().await, 0);
        }
    }
}

#[tokio::test]
async fn answers_overtake_each_other_and_none_is_lost() {
    let mut peer = peer::<2>(None);
    peer.call(1, "passed", r#"["a"]"#).await;
    peer.call(2, "ping", "[]").await;
    assert_eq!(peer.answer().await, owned("\"pong\"", 2));
    peer.call(3, "passed", r#"["b"]"#).await;
    peer.call(4, "ping", "[]").await;
    assert_eq!(peer.answer().await, owned("\"pong\"", 4));
    peer.notify("open", "[]").await;
    let mut answers = [peer.answer().await, peer.answer().await];
    answers.sort();
    assert_eq!(answers, [owned("\"a\"", 1), owned("\"b\"", 3)]);
    assert_eq!(peer.board.seen(), ["a waits", "ping", "b waits", "ping"]);
    assert_eq!(peer.end().await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_beyond_the_slots_waits_and_is_answered() {
    let mut peer = peer::<3>(None);
    for id in 0..40 {
        peer.call(id, "passed", &format!(r#"["{id}"]"#)).await;
    }
    peer.until_seen(3).await;
    // the fourth call holds back the messages behind it
    peer.notify("count", "[1]").await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(peer.board.seen().len(), 3);
    peer.board.gate.open();
    let mut ids = Vec::new();
    for _ in 0..40 {
        let (result, id) = peer.answer().await;
        assert_eq!(result, format!("\"{id}\""));
        ids.push(id);
    }
    ids.sort_unstable();
    assert_eq!(ids, (0..40).collect::<Vec<_>>());
    peer.until_seen(41).await;
    assert_eq!(peer.end().await, 0);
}

#[tokio::test]
async fn a_language_server_answers_what_is_cancelled() {
    let mut peer = peer::<2>(Some(Cancellation::LANGUAGE_SERVER));
    peer.call(1, "passed", r#"["a"]"#).await;
    peer.send(r#"{"jsonrpc":"2.0","method":"passed","params":["b"],"id":"two"}"#).await;
    peer.until_seen(2).await;
    // no call has these ids: no effect
    for params in [r#"{"id":2}"#, r#"{"id":"1"}"#, r#"{"id":null}"#, "{}", "[1]"] {
        peer.notify("$/cancelRequest", params).await;
    }
    peer.notify("$/cancelRequest", r#"{"id":"tw\u006f"}"#).await;
    assert_eq!(
        peer.line().await.unwrap(),
        r#"{"jsonrpc":"2.0","error":{"code":-32800,"message":"Request cancelled"},"id":"two"}"#
    );
    assert_eq!(peer.board.seen(), ["a waits", "b waits", "dropped"]);
    // the slot is free for the next, which is not cancelled
    peer.call(3, "passed", r#"["c"]"#).await;
    peer.until_seen(4).await;
    peer.notify("$/cancelRequest", r#"{"id":1}"#).await;
    assert_eq!(peer.answer().await, owned("-32800", 1));
    peer.notify("open", "[]").await;
    assert_eq!(peer.answer().await, owned("\"c\"", 3));
    // an answered call cannot be cancelled
    peer.notify("$/cancelRequest", r#"{"id":3}"#).await;
    assert_eq!(peer.board.seen(), ["a waits", "b waits", "dropped", "c waits", "dropped"]);
    assert_eq!(peer.end().await, 0);
}

#[tokio::test]
async fn what_the_model_context_protocol_cancels_is_not_answered() {
    let mut peer = peer::<1>(Some(Cancellation::MCP));
    peer.call(1, "passed", r#"["a"]"#).await;
    peer.until_seen(1).await;
    peer.notify("notifications/cancelled", r#"{"requestId":1,"reason":"enough"}"#).await;
    peer.until_seen(2).await;
    peer.call(2, "ping", "[]").await;
    assert_eq!(peer.answer().await, owned("\"pong\"", 2));
    assert_eq!(peer.board.seen(), ["a waits", "dropped", "ping"]);
    assert_eq!(peer.end().await, 0);
}

#[tokio::test]
async fn without_cancellation_its_notification_is_one_like_others() {
    let mut peer = peer::<1>(None);
    peer.call(1, "passed", r#"["a"]"#).await;
    peer.notify("$/cancelRequest", r#"{"id":1}"#).await;
    peer.notify("open", "[]").await;
    assert_eq!(peer.answer().await, owned("\"a\"", 1));
    assert_eq!(peer.board.seen(), ["a waits", "notification without listener: $/cancelRequest"]);
    assert_eq!(peer.end().await, 0);
}

#[tokio::test]
async fn notifications_are_heard_in_order_while_a_handler_waits() {
    let mut peer = peer::<1>(None);
    peer.call(1, "passed", r#"["a"]"#).await;
    for number in 0..20 {
        peer.notify("count", &format!("[{number}]")).await;
    }
    peer.notify("open", "[]").await;
    assert_eq!(peer.answer().await, owned("\"a\"", 1));
    let mut expected = vec!["a waits".to_owned()];
    expected.extend((0..20).map(|number| number.to_string()));
    assert_eq!(peer.board.seen(), expected);
    assert_eq!(peer.end().await, 0);
}

#[tokio::test]
async fn what_a_handler_queues_goes_out_before_its_answer() {
    let mut peer = peer::<2>(None);
    peer.call(1, "work", "[]").await;
    for step in [0, 1, 2, 100] {
        assert_eq!(peer.line().await.unwrap(), format!(r#"{{"jsonrpc":"2.0","method":"progress","params":[{step}]}}"#));
    }
    assert_eq!(peer.answer().await, owned("\"done\"", 1));
    // while this side is idle; a message that does not fit is reported
    let queue = peer.board.queue.lock().unwrap().clone().unwrap();
    queue.send(7).unwrap();
    queue.send(8).unwrap();
    assert_eq!(peer.line().await.unwrap(), r#"{"jsonrpc":"2.0","method":"progress","params":[8]}"#);
    assert_eq!(peer.board.seen(), ["queued message not sent: output full at byte 471"]);
    // a queue that has ended ends nothing else
    drop(queue);
    *peer.board.queue.lock().unwrap() = None;
    peer.call(2, "ping", "[]").await;
    assert_eq!(peer.answer().await, owned("\"pong\"", 2));
    assert_eq!(peer.end().await, 0);
}

#[tokio::test]
async fn stopping_reads_no_more_and_answers_what_was_read() {
    let mut peer = peer::<2>(None);
    peer.call(1, "passed", r#"["a"]"#).await;
    peer.call(2, "passed", r#"["b"]"#).await;
    peer.call(3, "passed", r#"["c"]"#).await;
    peer.until_seen(2).await;
    let (stop, _) = oneshot::channel();
    core::mem::replace(&mut peer.stop, stop).send(()).unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    peer.call(4, "ping", "[]").await;
    peer.board.gate.open();
    let mut answers = [peer.answer().await, peer.answer().await, peer.answer().await];
    answers.sort();
    assert_eq!(answers, [owned("\"a\"", 1), owned("\"b\"", 2), owned("\"c\"", 3)]);
    assert_eq!(peer.line().await, None);
    assert_eq!(peer.board.seen(), ["a waits", "b waits", "c waits"]);
    assert_eq!(peer.server.await.unwrap().unwrap(), 0);
}

#[tokio::test]
async fn a_stream_that_ends_is_answered_to_its_end() {
    let mut peer = peer::<16>(None);
    for id in 0..20 {
        peer.call(id, "passed", r#"["a"]"#).await;
    }
    // without a line feed
    peer.writer.write_all(br#"{"jsonrpc":"2.0","method":"open"}"#).await.unwrap();
    peer.until_seen(16).await;
    peer.writer.shutdown().await.unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    peer.board.gate.open();
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(peer.answer().await.1);
    }
    ids.sort_unstable();
    assert_eq!(ids, (0..20).collect::<Vec<_>>());
    assert_eq!(peer.end().await, 0);
}

#[tokio::test]
async fn a_call_too_long_for_a_slot_is_answered_in_place() {
    let mut peer = peer::<1>(None);
    let name = "x".repeat(250);
    peer.call(1, "passed", &format!(r#"["{name}"]"#)).await;
    peer.call(2, "ping", "[]").await;
    peer.until_seen(2).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    // the event, and the handler that waits
    assert_eq!(peer.board.seen().len(), 2);
    peer.board.gate.open();
    assert_eq!(peer.answer().await, (format!("\"{name}\""), 1));
    assert_eq!(peer.answer().await, owned("\"pong\"", 2));
    assert_eq!(peer.end().await, 0);
}

#[tokio::test]
async fn an_element_that_is_not_answered_needs_no_room() {
    let call = format!(r#"{{"jsonrpc":"2.0","method":"passed","params":["{}"],"id":1}}"#, "x".repeat(250));
    for (other, answers) in [
        ("", 1),
        (r#",{"jsonrpc":"2.0","result":1,"id":1}"#, 1),
        // an invalid response
        (r#",{"jsonrpc":"2.0","error":1,"id":1}"#, 1),
        (",1", 2),
    ] {
        let mut peer = peer::<1>(None);
        peer.send(&format!("[{call}{other}]")).await;
        peer.until_seen(1).await;
        let seen = peer.board.seen();
        let needed: usize = seen[0].rsplit(' ').next().unwrap().parse().unwrap();
        let least = MIN_ANSWER_LEN + 1;
        assert!(needed >= answers * least && needed < (answers + 1) * least, "{other}: {}", seen[0]);
        peer.board.gate.open();
        assert!(peer.line().await.unwrap().contains(r#""id":1}"#));
        assert_eq!(peer.end().await, 0);
    }
}

#[tokio::test]
async fn handlers_go_on_while_a_call_is_answered_in_place() {
    let mut peer = peer::<1>(None);
    peer.call(1, "open.late", "[]").await;
    let name = "x".repeat(250);
    peer.call(2, "passed", &format!(r#"["{name}"]"#)).await;
    let mut ids = [peer.answer().await.1, peer.answer().await.1];
    ids.sort_unstable();
    assert_eq!(ids, [1, 2]);
    assert_eq!(peer.end().await, 0);
}

#[tokio::test]
async fn a_batch_waits_in_one_slot_and_unreadable_texts_are_answered() {
    let mut peer = peer::<1>(Some(Cancellation::LANGUAGE_SERVER));
    let batch = [
        r#"{"jsonrpc":"2.0","method":"count","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"passed","params":["a"],"id":1}"#,
        r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#,
    ];
    peer.send(&format!("[{}]", batch.join(","))).await;
    peer.until_seen(2).await;
    peer.notify("$/cancelRequest", r#"{"id":1}"#).await;
    peer.notify("$/cancelRequest", r#"{"id":null}"#).await;
    peer.send("no").await;
    assert_eq!(
        peer.line().await.unwrap(),
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#
    );
    peer.send("no").await;
    peer.send("").await;
    peer.notify("open", "[]").await;
    assert_eq!(peer.line().await.unwrap(), r#"[{"jsonrpc":"2.0","result":"a","id":1}]"#);
    assert_eq!(
        peer.board.seen(),
        [
            "1",
            "a waits",
            "unreadable message: invalid literal at byte 1",
            "unreadable message: invalid literal at byte 1",
            "unreadable message left unanswered",
            "notification without listener: $/cancelRequest",
        ]
    );
    assert_eq!(peer.end().await, 0);
}

#[tokio::test]
async fn what_lacks_room_in_the_output_is_counted() {
    let mut peer = peer::<1>(None);
    let long = "i".repeat(420);
    peer.send(&format!(r#"{{"jsonrpc":"2.0","method":"passed","params":["a"],"id":"{long}"}}"#)).await;
    assert_eq!(
        peer.line().await.unwrap(),
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"id too long"},"id":null}"#
    );
    let in_place = "request handled in place: message of 478 bytes, shortest answer of 498";
    assert_eq!(peer.board.seen(), [in_place, "call refused: no room for an answer"]);
    assert_eq!(peer.end().await, 1);
}

#[tokio::test]
async fn a_peer_that_goes_away_ends_the_handlers() {
    let mut peer = peer::<2>(None);
    peer.call(1, "passed", r#"["a"]"#).await;
    peer.until_seen(1).await;
    let Peer { board, lines, writer, server, stop, .. } = peer;
    drop((lines, writer));
    board.gate.open();
    assert!(matches!(server.await.unwrap(), Err(ConnectionError::Write(_))));
    drop(stop);
}

#[tokio::test]
async fn a_nested_route_waits_and_is_cancelled_as_the_program_says() {
    let gone = Cancellation::new("gone", "call").answered_with(ErrorObject::new(-32000, "Gone"));
    let mut peer = peer::<2>(Some(gone));
    peer.call(1, "deep.passed", r#"["a"]"#).await;
    peer.call(2, "deep.none", "[]").await;
    assert_eq!(peer.answer().await, owned("-32601", 2));
    peer.notify("gone", r#"{"call":1}"#).await;
    assert_eq!(peer.answer().await, owned("-32000", 1));
    assert_eq!(peer.end().await, 0);
}

#[tokio::test]
async fn routes_with_another_context_wait_too() {
    let mut peer = peer::<2>(None);
    peer.call(1, "deep.passed", r#"["a"]"#).await;
    peer.call(2, "own.next", "[]").await;
    assert_eq!(peer.answer().await, owned("7", 2));
    peer.board.gate.open();
    assert_eq!(peer.answer().await, owned("\"a\"", 1));
    assert_eq!(peer.end().await, 0);
}

#[test]
fn it_is_shown() {
    let (mut framer, mut output) = (Framer::<Lines, 16>::new(), [0; 64]);
    let mut connection = Connection::new(&b""[..], &b""[..], &mut framer, &mut output);
    assert_eq!(
        format!("{:?}", connection.concurrent::<1, 16, 64>()),
        "Concurrent { connection: Connection { has_ended: false, .. }, .. }"
    );
    let broken: ConnectionError<core::fmt::Error, core::fmt::Error> = ConnectionError::OutputBroken;
    assert_eq!(broken.to_string(), "writing: nothing can follow a close, or a message that was sent in part");
    let late: CallError<core::fmt::Error, &[u8], core::fmt::Error, core::fmt::Error> = CallError::Late;
    assert_eq!(late.to_string(), "no answer in time");
}

#[tokio::test]
async fn a_fallback_that_waits_takes_a_slot_and_its_future_is_send() {
    let router = Router::new().request("near", |_: &mut Shared| Ok("here")).fallback_async(
        async |board: &mut Shared, method: Str<'_>, _: Params<'_>, reply: Reply<'_>| {
            board.gate.passed().await;
            reply.success(&method.as_str())
        },
    );
    let mut server = Server::new(router);
    let (near, far) = tokio::io::duplex(1024);
    let board = Shared::default();
    let mut context = board.clone();
    let serving = tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(near);
        let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
        let mut connection = Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
        connection.concurrent::<2, 128, 128>().serve(&mut server, &mut context).await.is_ok()
    });
    let (reader, mut writer) = tokio::io::split(far);
    let mut lines = BufReader::new(reader).lines();
    let mut line =
        async move || timeout(Duration::from_secs(20), lines.next_line()).await.expect("an answer").unwrap().unwrap();
    for (id, method) in ["far", "near"].iter().enumerate() {
        let call = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"id\":{id}}}\n");
        writer.write_all(call.as_bytes()).await.unwrap();
    }
    assert_eq!(line().await, r#"{"jsonrpc":"2.0","result":"here","id":1}"#);
    board.gate.open();
    assert_eq!(line().await, r#"{"jsonrpc":"2.0","result":"far","id":0}"#);
    drop((line, writer));
    assert!(serving.await.unwrap());
}
