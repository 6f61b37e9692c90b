//! JSON-RPC 2.0 over WebSocket: a server with the methods of `methods/mod.rs`, and a client.
//!
//! ```sh
//! cargo run --example websocket --features websocket,http,embedded-io -- --listen 127.0.0.1:4000
//! cargo run --example websocket --features websocket,http,embedded-io -- 127.0.0.1:4000 subtract '[42,23]'
//! ```
//!
//! Each client has a thread with fixed buffers. `httparse` parses the heads of the opening handshake.

use core::time::Duration;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::ExitCode;
use std::thread;

use embedded_io_adapters::std::FromStd;
use httparse::{EMPTY_HEADER, Header, Status};
use nanojsonrpc::RawValue;
use nanojsonrpc::connection::{CallError, Connection, serve};
use nanojsonrpc::frame::websocket::handshake::{Key, Request, Response, VERSION};
use nanojsonrpc::frame::websocket::{self, Client, MaskingKey};
use nanojsonrpc::frame::{Frame, Framer, WebSocket};
use nanojsonrpc::http::{Endpoint, Head, Step};

mod methods;

use methods::{INPUT, OUTPUT, Session};

const USAGE: &str = "\
Usage: websocket --listen ADDR:PORT
       websocket ADDR:PORT METHOD [PARAMS]

Prints \"listening on ADDR:PORT\" once clients can connect; or the result of a call.
Exit status: 1 for an error of the peer or the network, 2 if the command line is wrong.
";

/// The maximum length of the head of a handshake.
const HEAD: usize = 8 * 1024;
/// The stack of a thread: the buffers, and the frames of std.
const STACK: usize = 512 * 1024;
const _: () = assert!(INPUT + OUTPUT + HEAD < STACK / 2);
/// Accepts the handshakes of pages of this machine, and of clients that are not browsers.
const ENDPOINT: Endpoint<'_> = Endpoint::new().with_websocket();
/// The time limit for the handshake, and for the last bytes after a close.
const PATIENCE: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match *arguments {
        ["--listen", address] => listen(address),
        ["--help"] => print(USAGE),
        [address, method] if !address.starts_with('-') => call(address, method, "[]"),
        [address, method, params] if !address.starts_with('-') => call(address, method, params),
        _ => {
            complain(USAGE);
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("websocket: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

/// Prints without `println!` and `eprintln!`, which panic if their output is closed.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

fn complain(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

fn listen(address: &str) -> io::Result<()> {
    let listener = TcpListener::bind(address)?;
    print(&format!("listening on {}\n", listener.local_addr()?))?;
    loop {
        let served = listener
            .accept()
            .and_then(|(stream, _)| thread::Builder::new().stack_size(STACK).spawn(move || talk(&stream)).map(|_| ()));
        if let Err(error) = served {
            complain(&format!("websocket: cannot serve a client: {error}\n"));
            // the system has no more threads or descriptors: wait until clients disconnect
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Answers one client until it closes the connection.
fn talk(stream: &TcpStream) {
    // no delay, because each response is one write
    let _ = stream.set_nodelay(true);
    let mut framer = Framer::<WebSocket, INPUT>::new();
    match accept(stream, &mut framer) {
        Ok(true) => {}
        Ok(false) => return,
        Err(error) => return complain(&format!("websocket: no handshake: {error}\n")),
    }
    let (mut output, mut server) = ([0; OUTPUT], methods::server());
    let (reader, writer) = (FromStd::new(stream), FromStd::new(stream));
    match serve(reader, writer, &mut framer, &mut output, &mut server, &mut Session::default()) {
        Ok(()) => hang_up(stream),
        Err(error) => complain(&format!("websocket: a client is lost: {error}\n")),
    }
}

/// Closes a connection after the peer has read the last bytes. A stream with unread input would be reset.
fn hang_up(mut stream: &TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let mut rest = [0; 1024];
    for _ in 0..1024 {
        if !matches!(stream.read(&mut rest), Ok(1..)) {
            break;
        }
    }
}

/// Reads a whole head, whose end `parse` finds. Passes the bytes after it to the framer.
fn read_head<F: Frame, const N: usize, T>(
    mut stream: &TcpStream,
    framer: &mut Framer<F, N>,
    mut parse: impl FnMut(&[u8]) -> Result<Option<(T, usize)>, httparse::Error>,
) -> io::Result<T> {
    let mut head = Vec::new();
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut chunk = [0; 1024];
    while head.len() < HEAD {
        let len = stream.read(&mut chunk)?;
        if len == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(chunk.get(..len).unwrap_or_default());
        if let Some((parsed, end)) = parse(&head).map_err(io::Error::other)? {
            framer.push(head.get(end..).unwrap_or_default());
            stream.set_read_timeout(None)?;
            return Ok(parsed);
        }
    }
    Err(io::Error::other("head too long"))
}

/// The handshake of the server. Returns whether it accepts the connection.
fn accept<const N: usize>(mut stream: &TcpStream, framer: &mut Framer<WebSocket, N>) -> io::Result<bool> {
    let outcome = read_head(stream, framer, |head| {
        let mut headers = [EMPTY_HEADER; 64];
        let mut parsed = httparse::Request::new(&mut headers);
        let Status::Complete(end) = parsed.parse(head)? else { return Ok(None) };
        let answer = match (parsed.method, parsed.version) {
            (Some("GET"), Some(1)) => answer(parsed.path.unwrap_or_default(), parsed.headers),
            _ => Err("405 \r\nAllow: GET".to_owned()),
        };
        Ok(Some((answer, end)))
    });
    let (answer, error) = match outcome {
        Ok(answer) => (answer, None),
        Err(error) => (Err("400 ".to_owned()), Some(error)),
    };
    let is_accepted = answer.is_ok();
    let head = answer.unwrap_or_else(|refused| refused + "\r\nContent-Length: 0\r\nConnection: close");
    stream.write_all(format!("HTTP/1.1 {head}\r\n\r\n").as_bytes())?;
    if !is_accepted {
        hang_up(stream);
    }
    error.map_or(Ok(is_accepted), Err)
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
    let mut stream = &TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let key = Key::new(random);
    let head = format!(
        "GET / HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: {}\r\nSec-WebSocket-Version: {VERSION}\r\n\r\n",
        key.as_str()
    );
    stream.write_all(head.as_bytes())?;

    let mut framer = Box::new(Framer::<ToServer, OUTPUT>::new());
    let checked = read_head(stream, &mut *framer, |head| {
        let mut headers = [EMPTY_HEADER; 64];
        let mut parsed = httparse::Response::new(&mut headers);
        let Status::Complete(end) = parsed.parse(head)? else { return Ok(None) };
        let mut response = Response::new(parsed.code.unwrap_or_default());
        parsed.headers.iter().for_each(|header| response.header(header.name, header.value));
        Ok(Some((response.check(&key), end)))
    });
    checked?.map_err(io::Error::other)?;

    let mut output = [0; OUTPUT];
    let (reader, writer) = (FromStd::new(stream), FromStd::new(stream));
    let mut connection = Connection::new(reader, writer, &mut *framer, &mut output);
    let outcome = match connection.call::<RawValue<'_>>(method, &params) {
        Ok(result) => print(&format!("{}\n", String::from_utf8_lossy(result.as_bytes()))),
        Err(CallError::Peer(error)) => Err(io::Error::other(format!("error {}: {}", error.code, error.message))),
        Err(error) => Err(io::Error::other(error.to_string())),
    };
    // refused if the connection has already answered a close of the server: each side sends one (RFC 6455 §5.5.1)
    stream.set_read_timeout(Some(PATIENCE))?;
    let _ = connection.close(websocket::NORMAL, "");
    hang_up(stream);
    outcome
}
