//! Connections over messages with other ends, and over a frame that writes line separators as escapes.
#![cfg(all(feature = "embedded-io-async", feature = "serde"))]

use core::cell::Cell;
use core::future::{pending, poll_fn};
use core::task::Poll;

use embassy_futures::block_on;
use nanojsonrpc::connection::{Connection, ConnectionError, serve};
use nanojsonrpc::frame::{Delimited, Delimiter, Framer};
use nanojsonrpc::memory::{Pipe, PipeEnd, Plan};
use nanojsonrpc::server::Reply;
use nanojsonrpc::{ErrorKind, Notification, Params, Router, Server, Writer};

const PIPE: usize = 1024;

struct Etx;

impl Delimiter for Etx {
    const ENDS: &'static [u8] = b"\x03";
}

struct Node;

impl Delimiter for Node {
    const ENDS: &'static [u8] = b"\n";
    const ESCAPES_LINE_SEPARATORS: bool = true;
}

fn arrived(end: &PipeEnd<'_, PIPE>) -> String {
    let mut bytes = [0; PIPE];
    let len = end.try_read(&mut bytes).unwrap_or_default();
    String::from_utf8(bytes[..len].to_vec()).unwrap()
}

#[test]
fn a_connection_serves_and_calls_over_other_ends() {
    for size in [1, 2, 3, PIPE] {
        let mut pipe = Pipe::<PIPE>::new();
        let (device, hub) = pipe.ends();
        hub.try_write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\n\"method\":\"ping\"}\x03\x03oops\x03{\"jsonrpc\":\"2.0\",\"result\":7,\"id\":4503599627370496}\x03").unwrap();
        hub.close();
        let device = device.reading(Plan::in_chunks(size));
        let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));
        let (mut framer, mut output) = (Framer::<Delimited<Etx>, 128>::new(), [0; 256]);
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        assert_eq!(connection.peer(&mut server, &mut ()).call("level", &()), Ok(7));
        let sent = arrived(&hub);
        let mut texts = sent.split('\u{3}');
        assert!(texts.next().unwrap().contains("\"method\":\"level\""), "{sent}");
        assert_eq!(texts.next(), Some(r#"{"jsonrpc":"2.0","result":"pong","id":1}"#));
    }
}

/// The answer to a call with these params, which are passed on as they came.
fn answer(params: &str, output: &mut [u8]) -> String {
    let mut pipe = Pipe::<PIPE>::new();
    let (device, hub) = pipe.ends();
    let call = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"\u{2028}\",\"method\":\"echo\",\"params\":{params}}}\n");
    hub.try_write(call.as_bytes()).unwrap();
    hub.close();
    let mut server = Server::new(
        Router::new().request("echo", |_: &mut (), params: Params<'_>, reply: Reply<'_>| reply.success(&params)),
    );
    serve(&device, &device, &mut Framer::<Delimited<Node>, 512>::new(), output, &mut server, &mut ()).unwrap();
    arrived(&hub)
}

#[test]
fn every_line_separator_is_an_escape_or_the_output_is_full() {
    let escaped = |text: &str| text.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    let result = |params: &str| escaped(&format!("{{\"jsonrpc\":\"2.0\",\"result\":{params},\"id\":\"\u{2028}\"}}\n"));
    for count in 0..60 {
        let params = format!("[\"{}\",{{\"\u{2029}\":\"é\"}}]", "\u{2028}".repeat(count));
        for room in [300, 400, 1000] {
            let found = answer(&params, &mut vec![0; room]);
            let raw_len = "{\"jsonrpc\":\"2.0\",\"result\":,\"id\":\"\u{2028}\"}".len() + params.len();
            let expected = if raw_len <= (room - 41) / 2 {
                result(&params)
            } else {
                escaped(
                    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"Internal error\"},\"id\":\"\u{2028}\"}\n",
                )
            };
            assert_eq!(found, expected, "{count} in {room}");
        }
    }
}

#[test]
fn sent_and_queued_messages_have_escapes_too() {
    let mut pipe = Pipe::<PIPE>::new();
    let (device, hub) = pipe.ends();
    let (mut framer, mut output) = (Framer::<Delimited<Node>, 128>::new(), [0; 400]);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let note = |text: &'static str| Notification::new(text);
    assert_eq!(connection.send(&note("a\u{2028}")), Ok(()));
    assert_eq!(connection.send_text("[\"\u{2029}\"]\n{}".as_bytes()), Ok(()));
    let error = connection.send_text(&[b'1'; 181]).unwrap_err();
    assert!(matches!(error, ConnectionError::Message(error) if error.kind() == ErrorKind::OutputFull));
    assert_eq!(arrived(&hub), "{\"jsonrpc\":\"2.0\",\"method\":\"a\\u2028\"}\n[\"\\u2029\"] \n{}\n");

    let (sent, done) = (Cell::new(false), Cell::new(false));
    let queue = async |out: &mut Writer<'_>| {
        if sent.replace(true) {
            done.set(true);
            return pending().await;
        }
        out.message(&note("\u{2028}\u{2028}\u{2028}"))?;
        out.message(&note("b"))?;
        out.message(&note("\u{2029}"))
    };
    let stopped = poll_fn(|_| if done.get() { Poll::Ready(()) } else { Poll::Pending });
    let mut server = Server::new(Router::<()>::new());
    block_on(connection.concurrent::<1, 64, 64>().queued_by(queue).until(stopped).serve(&mut server, &mut ())).unwrap();
    let expected = ["\\u2028\\u2028\\u2028", "b", "\\u2029"]
        .map(|method| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\"}}\n"));
    assert_eq!(arrived(&hub), expected.concat());
}
