//! JSON-RPC over HTTP/1.1. `httparse` parses the heads; each connection has a thread.
//!
//! ```sh
//! cargo run --example http --features http -- 127.0.0.1:4000
//! curl --json '{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}' http://127.0.0.1:4000/rpc
//! # the notifications of other clients, as events; the header says that no page sends the request
//! curl --no-buffer --header 'Sec-Fetch-Site: none' http://127.0.0.1:4000/rpc
//! ```

// the code checks lengths when it receives bytes
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use core::hash::BuildHasher;
use core::time::Duration;
use std::hash::RandomState;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;

use httparse::{EMPTY_HEADER, Request, Status};
use nanojsonrpc::http::{CONTINUE, Endpoint, Head, KEEP_ALIVE, Length, Replay, Response, Step};
use nanojsonrpc::{ErrorObject, Notification, Router, Server};

mod closing;
use closing::{hang_up, is_close};

/// The maximum length of a head, a body and a response.
const LEN: usize = 64 * 1024;
const ENDPOINT: Endpoint<'_> = Endpoint::new().at("/rpc").with_events();
/// The last notifications, for clients that listen to events. The random epoch makes their ids differ from those before a restart.
static EVENTS: LazyLock<Mutex<Replay<4096>>> = LazyLock::new(|| {
    let [a, b, c, d, ..] = RandomState::new().hash_one(()).to_le_bytes();
    Mutex::new(Replay::new(u32::from_le_bytes([a, b, c, d])))
});

fn events() -> MutexGuard<'static, Replay<4096>> {
    EVENTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn send(stream: &mut TcpStream, response: &Response<'_>) -> io::Result<()> {
    let mut head = [0; 160];
    let len = response.write_head(&mut head).map_err(io::Error::other)?;
    stream.write_all(&[&head[..len], response.body()].concat())
}

/// Sends the head of a stream, the events after the last one that the client has received, and each new event, until the client
/// disconnects.
fn listen(stream: &mut TcpStream, head: &Response<'_>, last: Option<&[u8]>) -> io::Result<()> {
    // before the head is sent: a client that has received the head gets every event from then on
    let mut last = match last {
        Some(last) => last.to_vec(),
        None => events().newest().text().as_ref().to_vec(),
    };
    send(stream, head)?;
    loop {
        let mut text = KEEP_ALIVE.to_vec();
        for event in events().after(Some(&last)) {
            let mut out = [0; 4096];
            let len = event.encode(&mut out).map_err(io::Error::other)?;
            text.extend_from_slice(&out[..len]);
            last = event.id.text().as_ref().to_vec();
        }
        stream.write_all(&text)?;
        thread::sleep(Duration::from_millis(100));
    }
}

fn serve(mut stream: TcpStream) -> io::Result<()> {
    let router = Router::new()
        .request("subtract", |_: &mut (), (a, b): (i64, i64)| a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS))
        .notification("say", |_: &mut (), (words,): (String,)| {
            let mut message = [0; 1024];
            if let Ok(len) = Notification::new("said").with_params(&[words.as_str()]).write(&mut message) {
                let _ = events().push(&message[..len]);
            }
        });
    let mut server = Server::new(router);
    let (mut buffer, mut output) = (Vec::new(), vec![0; LEN]);
    loop {
        let mut headers = [EMPTY_HEADER; 64];
        let mut request = Request::new(&mut headers);
        let text = buffer.clone();
        let parsed = request.parse(&text);
        if parsed == Ok(Status::Partial) {
            if buffer.len() > LEN || !receive(&mut stream, &mut buffer)? {
                return Ok(());
            }
            continue;
        }
        let is_http_1_0 = request.version == Some(0);
        let has_host = request.headers.iter().any(|header| header.name.eq_ignore_ascii_case("host"));
        let head_len = match parsed {
            // only HTTP/1.0 has requests without `Host` (RFC 9112 §3.2)
            Ok(Status::Complete(len)) if has_host || is_http_1_0 => len,
            _ => {
                stream.write_all(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")?;
                return hang_up(&stream, LEN);
            }
        };
        let closes = is_http_1_0 || request.headers.iter().any(is_close);
        let headers = request.headers.iter().map(|header| (header.name, header.value));
        let (method, target) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
        let head = Head::from_headers(method, target, headers);
        let len = match ENDPOINT.begin(&head, LEN) {
            Step::Read { length: Length::Known(len), is_awaited } => {
                // HTTP/1.0 has no interim responses (RFC 9110 §10.1.1)
                if is_awaited && !is_http_1_0 && buffer.len() == head_len {
                    stream.write_all(CONTINUE)?;
                }
                len
            }
            Step::Respond(response) => {
                let response = if closes { response.closing() } else { response };
                if response.status() == 200 {
                    return listen(&mut stream, &response, head.last_event_id);
                }
                send(&mut stream, &response)?;
                if response.closes() {
                    return hang_up(&stream, LEN);
                }
                buffer.drain(..head_len);
                continue;
            }
            // this server does not read chunked bodies
            _ => return Ok(()),
        };
        while buffer.len() < head_len + len {
            if !receive(&mut stream, &mut buffer)? {
                return Ok(());
            }
        }
        let body = &buffer[head_len..head_len + len];
        let response = ENDPOINT.answer(&mut server, &mut (), &head, body, &mut output);
        let response = if closes { response.closing() } else { response };
        send(&mut stream, &response)?;
        if response.closes() {
            return hang_up(&stream, LEN);
        }
        buffer.drain(..head_len + len);
    }
}

/// Appends received bytes to `buffer`; `false` if the client has disconnected.
fn receive(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<bool> {
    let mut chunk = [0; 4096];
    let len = stream.read(&mut chunk)?;
    buffer.extend_from_slice(&chunk[..len]);
    Ok(len != 0)
}

fn main() -> io::Result<()> {
    let listener = TcpListener::bind(std::env::args().nth(1).as_deref().unwrap_or("127.0.0.1:0"))?;
    println!("listening on http://{}/rpc", listener.local_addr()?);
    loop {
        let served = listener.accept().and_then(|(stream, _)| thread::Builder::new().spawn(move || serve(stream)));
        if let Err(error) = served {
            let _ = writeln!(io::stderr(), "cannot serve a client: {error}");
            // the system has no more threads or descriptors: wait until clients disconnect
            thread::sleep(Duration::from_millis(50));
        }
    }
}
