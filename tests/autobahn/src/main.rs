//! Sends each message back: `autobahn server PORT` for the fuzzing client of the suite, `autobahn client PORT` for its
//! fuzzing server.

use std::io::{Error, Read, Result, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

use httparse::{EMPTY_HEADER, Header};
use nanojsonrpc::frame::websocket::handshake::{Key, Request, Response};
use nanojsonrpc::frame::websocket::{Client, MaskingKey, Received, Server, Side};
use nanojsonrpc::frame::{Frame, Framer, WebSocket};

/// The longest message of the suite has 16 MiB.
const MESSAGE: usize = 16 << 20;
/// A text frame, and a binary one.
const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;

struct Random;

impl MaskingKey for Random {
    fn next_key() -> [u8; 4] {
        getrandom::u32().expect("random numbers").to_ne_bytes()
    }
}

/// Sends each message back until the peer closes, and hands texts to `see`.
fn echo<S: Side + 'static>(mut stream: &TcpStream, rest: &[u8], see: &mut dyn FnMut(&str)) -> Result<()> {
    let (mut buffer, mut out) = (vec![0; MESSAGE], vec![0; MESSAGE + 16]);
    let mut framer = Framer::<WebSocket<S>, 0>::over(&mut buffer[..]);
    framer.push(rest);
    loop {
        while let Some(found) = framer.next() {
            let len = match found {
                Ok(Received::Text(text)) => {
                    see(core::str::from_utf8(text).expect("checked by the reader"));
                    WebSocket::<S>::encode(text, &mut out)
                }
                Ok(Received::Binary(bytes)) => {
                    let len = WebSocket::<S>::encode(bytes, &mut out);
                    assert_eq!(std::mem::replace(&mut out[0], BINARY), TEXT);
                    len
                }
                Ok(control) => control.reply::<S>(&mut out),
                Err(error) => {
                    let code = error.kind().close_code().expect("no message of the suite is too long");
                    WebSocket::<S>::close(code, "", &mut out)
                }
            };
            stream.write_all(&out[..len.expect("room enough")])?;
        }
        if framer.frame().is_over() {
            return hang_up(stream);
        }
        match stream.read(framer.spare())? {
            0 => return Ok(()),
            len => framer.filled(len),
        }
    }
}

/// Ends a connection so that the peer reads the last bytes.
fn hang_up(mut stream: &TcpStream) -> Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    let mut rest = [0; 1024];
    while matches!(stream.read(&mut rest), Ok(1..)) {}
    Ok(())
}

/// Reads a head, and hands its headers to `see`. Returns the bytes behind it.
fn read_head(mut stream: &TcpStream, is_request: bool, mut see: impl FnMut(u16, &[Header<'_>])) -> Result<Vec<u8>> {
    let (mut text, mut chunk) = (Vec::new(), [0; 1024]);
    loop {
        let len = stream.read(&mut chunk)?;
        if len == 0 {
            return Err(Error::other("no head"));
        }
        text.extend(&chunk[..len]);
        let mut headers = [EMPTY_HEADER; 64];
        let status = if is_request {
            let mut head = httparse::Request::new(&mut headers);
            head.parse(&text).map(|status| (status, 0))
        } else {
            let mut head = httparse::Response::new(&mut headers);
            head.parse(&text).map(|status| (status, head.code.unwrap_or_default()))
        };
        if let (httparse::Status::Complete(end), code) = status.map_err(Error::other)? {
            see(code, &headers);
            return Ok(text.split_off(end));
        }
    }
}

fn serve(mut stream: &TcpStream) -> Result<()> {
    let mut accept = None;
    let rest = read_head(stream, true, |_, headers| {
        let mut request = Request::new();
        headers.iter().for_each(|header| request.header(header.name, header.value));
        accept = request.accept().ok();
    })?;
    let accept = accept.ok_or_else(|| Error::other("refused"))?;
    let head =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ";
    stream.write_all(format!("{head}{}\r\n\r\n", accept.as_str()).as_bytes())?;
    echo::<Server>(stream, &rest, &mut |_| {})
}

fn open(port: &str, target: &str, see: &mut dyn FnMut(&str)) -> Result<()> {
    let mut stream = &TcpStream::connect(format!("127.0.0.1:{port}"))?;
    stream.set_nodelay(true)?;
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(Error::other)?;
    let key = Key::new(random);
    let head =
        format!("GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
    let end = format!("Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {}\r\n\r\n", key.as_str());
    stream.write_all((head + &end).as_bytes())?;
    let mut checked = Ok(());
    let rest = read_head(stream, false, |code, headers| {
        let mut response = Response::new(code);
        headers.iter().for_each(|header| response.header(header.name, header.value));
        checked = response.check(&key);
    })?;
    checked.map_err(Error::other)?;
    echo::<Client<Random>>(stream, &rest, see)
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [side, port] = &arguments[..] else { panic!("usage: autobahn server|client PORT") };
    if side == "server" {
        for stream in TcpListener::bind(format!("127.0.0.1:{port}"))?.incoming() {
            let stream = stream?;
            stream.set_nodelay(true)?;
            // a case of the suite may break off the connection
            std::thread::spawn(move || serve(&stream));
        }
        return Ok(());
    }
    let mut cases = 0;
    open(port, "/getCaseCount", &mut |count| cases = count.parse().expect("a number"))?;
    for case in 1..=cases {
        // the same
        let _ = open(port, &format!("/runCase?case={case}&agent=nanojsonrpc"), &mut |_| {});
    }
    open(port, "/updateReports?agent=nanojsonrpc", &mut |_| {})
}
