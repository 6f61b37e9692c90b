//! The example `websocket` as a server of many connections, a tenth of which break off anywhere: each call of the others is
//! answered, no thread is left, and the memory stays flat.
//!
//! `NANOJSONRPC_CONNECTIONS` sets their number.
#![cfg(all(
    target_os = "linux",
    not(miri),
    feature = "websocket",
    feature = "embedded-io",
    feature = "http",
    feature = "serde"
))]

use core::sync::atomic::{AtomicU32, Ordering};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::example::example;
use embedded_io_adapters::std::FromStd;
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::websocket::handshake::{Key, Request};
use nanojsonrpc::frame::websocket::{Client, MaskingKey};
use nanojsonrpc::frame::{Frame, Framer, WebSocket};

struct Keys;

impl MaskingKey for Keys {
    fn next_key() -> [u8; 4] {
        [0xA5, 0x01, 0xFF, 0x7E]
    }
}

type ToServer = WebSocket<Client<Keys>>;

/// The server, which ends with the test.
struct Example {
    child: Child,
    address: String,
}

impl Example {
    fn start() -> Self {
        let mut child = example("websocket")
            .args(["--listen", "127.0.0.1:0"])
            .stderr(Stdio::null())
            .spawn()
            .expect("the example to start");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on ").expect("an address").to_owned();
        Self { child, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("the server");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream.set_nodelay(true).expect("an option");
        stream
    }

    /// A number in the status of the process, such as `VmRSS` in KiB.
    fn status(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).expect("a line");
        line.split_whitespace().next().expect("a number").parse().expect("a number")
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn head() -> Vec<u8> {
    head_with("Host: x\r\n")
}

/// The head of a handshake; `headers` are the lines of `Host` and `Origin`.
fn head_with(headers: &str) -> Vec<u8> {
    let key = Key::new(*b"the sample nonce");
    format!(
        "GET / HTTP/1.1\r\n{headers}Upgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: {}\r\nSec-WebSocket-Version: 13\r\n\r\n",
        key.as_str()
    )
    .into_bytes()
}

const CALLS: u32 = 5;

/// Calls, closes, and receives the close and the end of the stream.
fn calls(mut stream: TcpStream, number: u32) {
    stream.write_all(&head()).expect("the server to read");
    let mut reply = Vec::new();
    while !reply.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).expect("a head");
        reply.extend(byte);
    }
    assert!(reply.starts_with(b"HTTP/1.1 101 "));
    let (mut framer, mut output) = (Framer::<ToServer, 256>::new(), [0; 256]);
    let mut connection = Connection::new(FromStd::new(&stream), FromStd::new(&stream), &mut framer, &mut output);
    for call in 0..CALLS {
        let sum = connection.call::<u32>("sum", &[number, call]);
        assert_eq!(sum.map_err(|error| error.to_string()), Ok(number + call));
    }
    let mut out = [0; 16];
    let len = ToServer::close(1000, "", &mut out).expect("room");
    stream.write_all(&out[..len]).expect("the server to read");
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).expect("the end");
    assert_eq!(rest, b"\x88\x02\x03\xE8");
}

/// Sends the front of the output of `calls`.
fn broken(mut stream: TcpStream, number: u32, random: usize) {
    let mut all = head();
    for call in 0..CALLS {
        let mut out = [0; 256];
        let text = format!(r#"{{"jsonrpc":"2.0","method":"sum","params":[{number},{call}],"id":{call}}}"#);
        let len = ToServer::encode(text.as_bytes(), &mut out).expect("room");
        all.extend(&out[..len]);
    }
    stream.write_all(&all[..random % all.len()]).expect("the server to read");
    if random.is_multiple_of(2) {
        // some of the answers are read; the others reset the stream
        let mut some = [0; 100];
        let _ = stream.set_read_timeout(Some(Duration::from_millis(1)));
        let _ = stream.read(&mut some);
    }
}

#[test]
fn many_connections_of_which_a_tenth_break_off() {
    let connections: u32 =
        std::env::var("NANOJSONRPC_CONNECTIONS").map_or(300, |count| count.parse().expect("a number"));
    let server = Example::start();
    let (next, idle) = (AtomicU32::new(0), server.status("Threads"));
    let run = |end: u32| {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= end {
                            break;
                        }
                        if number % 10 == 3 {
                            let random = u64::from(number).wrapping_mul(6_364_136_223_846_793_005) >> 33;
                            broken(server.connect(), number, random as usize);
                        } else {
                            calls(server.connect(), number);
                        }
                    }
                });
            }
        });
        next.store(end, Ordering::Relaxed);
        let late = Instant::now() + Duration::from_secs(20);
        while server.status("Threads") > idle {
            assert!(Instant::now() < late, "{} threads are left", server.status("Threads"));
            std::thread::sleep(Duration::from_millis(10));
        }
        server.status("VmRSS")
    };
    let before = run(connections / 4);
    let after = run(connections);
    println!("{connections} connections: {before} KiB after a quarter, {after} KiB at the end");
    // the allocator keeps an arena for some threads
    assert!(after < before + before / 4 + 1024, "{before} KiB, then {after} KiB");
}

/// Reads the next frame of a client; `None` at the end of the stream. Returns its opcode and its unmasked payload.
fn read_frame(stream: &mut impl Read) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 2];
    stream.read_exact(&mut head).ok()?;
    let [first, second] = head;
    assert!(first & 0xF0 == 0x80 && (0x80..0xFE).contains(&second), "a short masked frame: {head:x?}");
    let (mut key, mut payload) = ([0; 4], vec![0; usize::from(second & 0x7F)]);
    stream.read_exact(&mut key).expect("a key");
    stream.read_exact(&mut payload).expect("a payload");
    payload.iter_mut().zip(key.iter().cycle()).for_each(|(byte, key)| *byte ^= key);
    Some((first & 0x0F, payload))
}

/// "The application MUST NOT send any more data frames after sending a Close frame", and each side sends one (RFC 6455 §5.5.1).
#[test]
fn a_client_sends_one_close() {
    // the id of the first call of a connection is 2^52
    let answer = &b"\x81\x33{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":4503599627370496}"[..];
    let close = &b"\x88\x02\x03\xE9"[..];
    for (sent, is_closed, is_answered) in [
        (vec![answer], false, true),
        // the server closes in place of an answer, and behind one
        (vec![close], true, false),
        (vec![answer, close], true, true),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let client = example("websocket").args([&address, "subtract", "[42,23]"]).stderr(Stdio::null()).spawn();
        let (stream, _) = listener.accept().expect("the client");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        let mut stream = BufReader::new(stream);
        let mut request = Request::new();
        let mut lines = stream.by_ref().lines().map(|line| line.expect("a head")).take_while(|line| !line.is_empty());
        assert_eq!(lines.next().as_deref(), Some("GET / HTTP/1.1"));
        let lines: Vec<String> = lines.collect();
        lines
            .iter()
            .filter_map(|line| line.split_once(": "))
            .for_each(|(name, value)| request.header(name, value.as_bytes()));
        let accept = request.accept().expect("a handshake");
        let head = format!(
            "HTTP/1.1 101 \r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {}\r\n\r\n",
            accept.as_str()
        );
        stream.get_mut().write_all(head.as_bytes()).expect("the client to read");
        assert_eq!(read_frame(&mut stream).map(|(opcode, _)| opcode), Some(1));
        stream.get_mut().write_all(&sent.concat()).expect("the client to read");
        let (opcode, payload) = read_frame(&mut stream).expect("a close");
        let code = u16::from_be_bytes(payload.try_into().expect("a code"));
        assert_eq!((opcode, code), (8, if is_answered { 1000 } else { 1001 }));
        if !is_closed {
            stream.get_mut().write_all(b"\x88\x02\x03\xE8").expect("the client to read");
        }
        assert_eq!(read_frame(&mut stream), None);
        drop(stream);
        let output = client.and_then(Child::wait_with_output).expect("the client to end");
        assert_eq!(
            (output.status.success(), output.stdout),
            (is_answered, if is_answered { b"19\n".into() } else { vec![] })
        );
    }
}

/// With DNS rebinding, the name of a foreign site resolves to this machine, so its pages have the same `Host` and `Origin`.
#[test]
fn a_handshake_of_a_foreign_page_is_refused() {
    let server = Example::start();
    let port = server.address.rsplit(':').next().expect("a port");
    for (host, origins, wanted) in [
        ("evil.example", &["http://evil.example"][..], "403"),
        ("localhost", &["http://evil.example"], "403"),
        ("localhost", &["http://localhost", "http://evil.example"], "403"),
        ("evil.example", &[], "403"),
        ("127.0.0.1", &["http://127.0.0.1"], "101"),
        ("localhost", &["https://localhost"], "101"),
        ("127.0.0.1", &[], "101"),
    ] {
        let mut headers = format!("Host: {host}:{port}\r\n");
        origins.iter().for_each(|origin| headers += &format!("Origin: {origin}:{port}\r\n"));
        let mut stream = server.connect();
        stream.write_all(&head_with(&headers)).expect("the server to read");
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).expect("a line");
        assert_eq!(line.get(9..12), Some(wanted), "{headers}");
    }
}
