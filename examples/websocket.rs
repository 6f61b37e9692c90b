//! JSON-RPC 2.0 over WebSocket: a server with the methods of `methods/mod.rs`, and a client.
//!
//! ```sh
//! cargo run --example websocket --features websocket,http,embedded-io -- --listen 127.0.0.1:4000
//! cargo run --example websocket --features websocket,http,embedded-io -- 127.0.0.1:4000 subtract '[42,23]'
//! ```
//!
//! Each client has a thread with fixed buffers. `httparse` parses the heads of the opening handshake.

use core::time::Duration;
use std::io::{self, Write};
use std::net::TcpStream;
use std::process::ExitCode;

use embedded_io_adapters::std::FromStd;
use httparse::{EMPTY_HEADER, Header, Status};
use lexopt::Parser;
use lexopt::prelude::*;
use nanojsonrpc::RawValue;
use nanojsonrpc::connection::{Connection, serve};
use nanojsonrpc::frame::websocket::handshake::{Key, Request, Response, VERSION};
use nanojsonrpc::frame::websocket::{Client, Close, MaskingKey};
use nanojsonrpc::frame::{Framer, WebSocket};
use nanojsonrpc::http::{Endpoint, Head, Step};

mod arguments;
mod heads;
mod limits;
mod methods;
mod printable;

use arguments::{complain, print};
use heads::read_head;
use limits::{IDLE, PATIENCE, STACK, Timed, bind, hang_up};
use methods::{INPUT, OUTPUT, Session};
use printable::json;

const HELP: &str = "\
Serves JSON-RPC 2.0 over WebSocket, or calls a server and prints the answer.

Usage: websocket --listen ADDR:PORT
       websocket ADDR:PORT METHOD [PARAMS]

Prints \"listening on ADDR:PORT\" once clients can connect; or the result of a call.
Exit status: 1 for an error of the peer or the network, 2 if the command line is wrong.
";

/// The maximum length of the head of a handshake.
const HEAD: usize = 8 * 1024;
const _: () = assert!(INPUT + OUTPUT + HEAD < STACK / 2);
/// Accepts the handshakes of pages of this machine, and of clients that are not browsers.
const ENDPOINT: Endpoint<'_> = Endpoint::new().with_websocket();
/// The time limit for the connection and the answer.
const CALL: Duration = Duration::from_secs(10);
/// The maximum length of the input that follows a close.
const REST: usize = 1024 * 1024;

enum Task {
    Listen(String),
    Call { address: String, method: String, params: String },
}

/// The task of the command line; `None` for help.
fn task(parser: &mut Parser) -> Result<Option<Task>, lexopt::Error> {
    let (mut listen, mut words) = (None, Vec::new());
    while let Some(argument) = parser.next()? {
        match argument {
            Long("listen") if listen.is_none() && words.is_empty() => {
                listen = Some(arguments::address(parser.value()?)?)
            }
            Short('h') | Long("help") => return Ok(None),
            Value(word) if listen.is_none() && words.len() < 3 => words.push(word.string()?),
            _ => return Err(argument.unexpected()),
        }
    }
    if let Some(address) = listen {
        return Ok(Some(Task::Listen(address)));
    }
    let mut words = words.into_iter();
    let address = arguments::address(words.next().ok_or("ADDR:PORT is missing")?.into())?;
    let method = words.next().ok_or("METHOD is missing")?;
    Ok(Some(Task::Call { address, method, params: words.next().unwrap_or("[]".to_owned()) }))
}

fn main() -> ExitCode {
    let outcome = match arguments::parse(HELP, task) {
        Task::Listen(address) => listen(&address),
        Task::Call { address, method, params } => call(&address, &method, &params),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(error);
            ExitCode::FAILURE
        }
    }
}

fn listen(address: &str) -> io::Result<()> {
    let listener = bind(address).map_err(io::Error::other)?;
    print(&format!("listening on {}\n", listener.local_addr()?))?;
    limits::serve(&listener, |stream| talk(&stream))
}

/// Answers one client until it closes the connection.
fn talk(stream: &TcpStream) {
    // no delay, because each response is one write
    let _ = stream.set_nodelay(true);
    let mut framer = Framer::<WebSocket, INPUT>::new();
    match accept(stream, &mut framer) {
        Ok(true) => {}
        Ok(false) => return,
        Err(error) => return complain(format_args!("no handshake: {error}")),
    }
    // errors are those of a closed connection
    let _ = stream.set_read_timeout(Some(IDLE)).and_then(|()| stream.set_write_timeout(Some(IDLE)));
    let (mut output, mut server) = ([0; OUTPUT], methods::server());
    let (reader, writer) = (FromStd::new(stream), FromStd::new(stream));
    match serve(reader, writer, &mut framer, &mut output, &mut server, &mut Session::default()) {
        // an error if the client has gone first
        Ok(()) => drop(hang_up(stream, REST)),
        Err(error) => complain(format_args!("a client is lost: {error}")),
    }
}

/// The handshake of the server. Returns whether it accepts the connection.
fn accept<const N: usize>(stream: &TcpStream, framer: &mut Framer<WebSocket, N>) -> io::Result<bool> {
    let mut buffer = Vec::new();
    let text = read_head(stream, &mut buffer, HEAD)?;
    // the first frames
    framer.push(&buffer);
    let mut headers = [EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    let is_whole = request.parse(&text) == Ok(Status::Complete(text.len()));
    let answer = match (request.method, request.version) {
        _ if !is_whole => Err("400 ".to_owned()),
        (Some("GET"), Some(1)) => answer(request.path.unwrap_or_default(), request.headers),
        _ => Err("405 \r\nAllow: GET".to_owned()),
    };
    let is_accepted = answer.is_ok();
    let head = answer.unwrap_or_else(|refused| refused + "\r\nContent-Length: 0\r\nConnection: close");
    Timed::new(stream, PATIENCE).write_all(format!("HTTP/1.1 {head}\r\n\r\n").as_bytes())?;
    if !is_accepted {
        hang_up(stream, REST)?;
    }
    Ok(is_accepted)
}

/// The head of the response to a `GET` with these headers; an error if the request is refused.
fn answer(target: &str, headers: &[Header<'_>]) -> Result<String, String> {
    // any web page can open a connection to localhost. DNS rebinding makes its `Host` equal to its `Origin`, so do not compare these two
    let pairs = headers.iter().map(|header| (header.name, header.value));
    match ENDPOINT.begin(&Head::from_headers("GET", target, pairs), 0) {
        Step::Respond(response) if response.status() == 200 => {}
        Step::Respond(response) => return Err(format!("{} ", response.status())),
        _ => return Err("400 ".to_owned()),
    }
    let mut request = Request::new();
    headers.iter().for_each(|header| request.header(header.name, header.value));
    match request.accept() {
        Ok(accept) => Ok(format!(
            "101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {}",
            accept.as_str()
        )),
        Err(refusal) => Err(format!("{} \r\nUpgrade: websocket\r\nSec-WebSocket-Version: {VERSION}", refusal.status())),
    }
}

/// Masking keys from the operating system.
struct Random;

impl MaskingKey for Random {
    fn next_key() -> [u8; 4] {
        // without random numbers, the program must not connect
        getrandom::u32().unwrap_or_else(|_| std::process::abort()).to_ne_bytes()
    }
}

type ToServer = WebSocket<Client<Random>>;

/// Calls a method, prints its result, and closes the connection.
fn call(address: &str, method: &str, params: &str) -> io::Result<()> {
    let params = RawValue::parse(params.as_bytes()).map_err(io::Error::other)?;
    let stream = &TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut timed = Timed::new(stream, CALL);
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let key = Key::new(random);
    let head = format!(
        "GET / HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: {}\r\nSec-WebSocket-Version: {VERSION}\r\n\r\n",
        key.as_str()
    );
    timed.write_all(head.as_bytes())?;

    let mut framer = Box::new(Framer::<ToServer, OUTPUT>::new());
    let mut buffer = Vec::new();
    let text = read_head(stream, &mut buffer, HEAD)?;
    framer.push(&buffer);
    let mut headers = [EMPTY_HEADER; 64];
    let mut parsed = httparse::Response::new(&mut headers);
    if parsed.parse(&text).map_err(io::Error::other)? != Status::Complete(text.len()) {
        return Err(io::Error::other("head too long"));
    }
    let mut response = Response::new(parsed.code.unwrap_or_default());
    parsed.headers.iter().for_each(|header| response.header(header.name, header.value));
    response.check(&key).map_err(io::Error::other)?;

    let mut output = [0; OUTPUT];
    let (reader, writer) = (FromStd::new(timed), FromStd::new(timed));
    let mut connection = Connection::new(reader, writer, &mut *framer, &mut output);
    let outcome = match connection.call::<RawValue<'_>>(method, &params) {
        Ok(result) => print(&format!("{}\n", json(result))),
        Err(error) => Err(io::Error::other(error.to_string())),
    };
    // refused if the connection has already answered a close of the server: each side sends one (RFC 6455 §5.5.1)
    let _ = connection.close(Close::NORMAL, "");
    // an error if the server has gone first
    drop(hang_up(stream, REST));
    outcome
}
