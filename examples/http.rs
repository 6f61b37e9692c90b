//! JSON-RPC over HTTP/1.1. `httparse` parses the heads; each connection has a thread.
//!
//! ```sh
//! cargo run --example http --features http -- --listen 127.0.0.1:4000
//! curl --json '{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}' http://127.0.0.1:4000/rpc
//! # the notifications of other clients, as events; the header says that no page sends the request
//! curl --no-buffer --header 'Sec-Fetch-Site: none' http://127.0.0.1:4000/rpc
//! ```

use core::hash::BuildHasher;
use core::time::Duration;
use std::hash::RandomState;
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use httparse::{EMPTY_HEADER, Request, Status};
use nanojsonrpc::http::{CONTINUE, Endpoint, Head, KEEP_ALIVE, Replay, Response, Step};
use nanojsonrpc::{ErrorObject, Notification, Router, Server};

mod arguments;
mod heads;
mod limits;
use heads::{read_body, read_head};
use limits::{PATIENCE, Timed, bind, hang_up};

/// The maximum length of a head, a body and a response.
const LEN: usize = 64 * 1024;
const ENDPOINT: Endpoint<'_> = Endpoint::new().at("/rpc").with_events().reading_chunks();
/// The maximum time of a stream of events. The client then opens another one, and misses no event.
const STREAM: Duration = Duration::from_secs(60);
/// The last notifications, for clients that listen to events. The random epoch makes their ids differ from those before a restart.
static EVENTS: LazyLock<Mutex<Replay<4096>>> = LazyLock::new(|| {
    let [a, b, c, d, ..] = RandomState::new().hash_one(()).to_le_bytes();
    Mutex::new(Replay::new(u32::from_le_bytes([a, b, c, d])))
});

fn events() -> MutexGuard<'static, Replay<4096>> {
    EVENTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn send(stream: &TcpStream, response: &Response<'_>) -> io::Result<()> {
    let mut head = [0; 160];
    let len = response.write_head(&mut head).map_err(io::Error::other)?;
    let text = [head.get(..len).unwrap_or_default(), response.body()].concat();
    Timed::new(stream, PATIENCE).write_all(&text)
}

/// Sends the head of a stream, the events after the last one that the client has received, and each new event, until the client
/// disconnects or the time is up.
fn listen(stream: &TcpStream, head: &Response<'_>, last: Option<&[u8]>) -> io::Result<()> {
    // before the head is sent: a client that has received the head gets every event from then on
    let mut last = match last {
        Some(last) => last.to_vec(),
        None => events().newest().text().as_ref().to_vec(),
    };
    send(stream, head)?;
    let begin = Instant::now();
    while begin.elapsed() < STREAM {
        let mut text = KEEP_ALIVE.to_vec();
        for event in events().after(Some(&last)) {
            let mut out = [0; 4096];
            let len = event.encode(&mut out).map_err(io::Error::other)?;
            text.extend_from_slice(out.get(..len).unwrap_or_default());
            last = event.id.text().as_ref().to_vec();
        }
        Timed::new(stream, PATIENCE).write_all(&text)?;
        thread::sleep(Duration::from_millis(100));
    }
    hang_up(stream, LEN)
}

/// Answers a client until it disconnects or is late.
fn talk(stream: &TcpStream) -> io::Result<()> {
    let router = Router::new()
        .request("subtract", |_: &mut (), (a, b): (i64, i64)| a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS))
        .notification("say", |_: &mut (), (words,): (String,)| {
            let mut message = [0; 1024];
            if let Ok(len) = Notification::new("said").with_params(&[words.as_str()]).write(&mut message) {
                let _ = events().push(message.get(..len).unwrap_or_default());
            }
        });
    let mut server = Server::new(router);
    let (mut buffer, mut output) = (Vec::new(), vec![0; LEN]);
    loop {
        let (text, mut headers) = (read_head(stream, &mut buffer, LEN)?, [EMPTY_HEADER; 64]);
        let mut request = Request::new(&mut headers);
        if request.parse(&text) != Ok(Status::Complete(text.len())) {
            let refusal = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
            Timed::new(stream, PATIENCE).write_all(refusal)?;
            return hang_up(stream, LEN);
        }
        let headers = request.headers.iter().map(|header| (header.name, header.value));
        let (method, target) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
        let mut head = Head::from_headers(method, target, headers);
        head.minor_version = request.version;
        let body;
        let response = match ENDPOINT.begin(&head, LEN) {
            Step::Read { length, is_awaited } => {
                if is_awaited && buffer.is_empty() {
                    Timed::new(stream, PATIENCE).write_all(CONTINUE)?;
                }
                match read_body(stream, &mut buffer, length, LEN, &ENDPOINT)? {
                    Ok(read) => {
                        body = read;
                        ENDPOINT.answer(&mut server, &mut (), &head, &body, &mut output)
                    }
                    Err(response) => response,
                }
            }
            Step::Respond(response) if response.status() == 200 => {
                return listen(stream, &response, head.last_event_id);
            }
            Step::Respond(response) => response,
            _ => return Ok(()),
        };
        send(stream, &response)?;
        if response.closes() {
            return hang_up(stream, LEN);
        }
    }
}

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let listener = bind(&arguments::listen("Serves JSON-RPC 2.0 over HTTP."))?;
    println!("listening on http://{}/rpc", listener.local_addr()?);
    limits::serve(&listener, |stream| drop(talk(&stream)))
}
