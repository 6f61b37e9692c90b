//! The examples that listen, at hostile clients: those that send a part of a message and wait, read no answer, or leave. The servers
//! take no more than their maximum of clients, and afterwards have the threads, open files and memory with which they began.
#![cfg(all(
    target_os = "linux",
    // an emulator has memory of its own
    target_arch = "x86_64",
    not(miri),
    feature = "alloc",
    feature = "embedded-io-async",
    feature = "macros",
    feature = "mcp",
    feature = "websocket"
))]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use crate::arguments::SERVERS;
use crate::example::example;

/// The maximum number of clients of each example.
const CLIENTS: u64 = 128;
/// More than the maximum, and less than it and the queue of the system.
const FLOOD: usize = 200;
/// The time in which an example must have ended its clients: it waits a minute for a message.
const LATE: Duration = Duration::from_secs(100);
/// What the allocator may keep of the memory of ended clients, in KiB: a leak of the buffers of 40 clients is more.
const KEPT: u64 = 2 * 1024;
/// One arena for all threads, and buffers that return to the system (mallopt(3)).
const ALLOCATOR: [(&str, &str); 2] = [("MALLOC_ARENA_MAX", "1"), ("MALLOC_MMAP_THRESHOLD_", "16384")];

/// A server, which ends with the test.
struct Server {
    name: &'static str,
    child: Child,
    address: String,
}

impl Server {
    fn start(name: &'static str, said: &str) -> Self {
        let mut command = example(name);
        command.args(["--listen", "127.0.0.1:0"]).envs(ALLOCATOR).stderr(Stdio::null());
        let mut child = command.spawn().expect("it to start");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address =
            line.trim().strip_prefix(said).and_then(|said| said.split('/').next()).expect("an address").to_owned();
        Self { name, child, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("the server");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream.set_write_timeout(Some(Duration::from_millis(200))).expect("a timeout");
        stream
    }

    /// Threads, open files, and memory in KiB.
    fn uses(&self) -> (u64, u64, u64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a process");
        let number = |name: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
            line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
        };
        let files = std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).expect("a process").count();
        (number("Threads:"), files as u64, number("VmRSS:"))
    }

    /// Waits until the server has the threads and files of its start, and asserts that it has its memory.
    fn recovers(&self, (threads, files, memory): (u64, u64, u64), why: &str) {
        let begin = Instant::now();
        loop {
            let now = self.uses();
            if now.0 <= threads && now.1 <= files {
                assert!(now.2 <= memory + KEPT, "{}: {why}: {} KiB, then {} KiB", self.name, memory, now.2);
                println!(
                    "{}: {why}: as at its start after {:?}, {memory} KiB, then {} KiB",
                    self.name,
                    begin.elapsed(),
                    now.2
                );
                return;
            }
            assert!(begin.elapsed() < LATE, "{}: {why}: {threads} threads and {files} files, then {now:?}", self.name);
            sleep(Duration::from_millis(50));
        }
    }

    /// Asserts that the next client is answered.
    fn answers(&self, call: &str) {
        let mut stream = self.connect();
        stream.write_all(call.as_bytes()).expect("the server to read");
        assert!(stream.read(&mut [0; 64]).is_ok_and(|len| len > 0), "{}: the next client has no answer", self.name);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const CALL: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[42,23],\"id\":1}\n";

fn post(target: &str, headers: &str, body: &str) -> String {
    let len = body.len();
    format!(
        "POST {target} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{headers}content-length: {len}\r\n\r\n{body}"
    )
}

fn upgrade() -> String {
    let key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n";
    format!("GET / HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n{key}\r\n")
}

/// A masked frame with this text; its key is zero.
fn frame(text: &str) -> String {
    let len = char::from(0x80 | u8::try_from(text.len()).expect("a short text"));
    // both bytes are written as one each below
    format!("\u{81}{len}\0\0\0\0{text}")
}

/// A call that an honest client of the server sends, and what hostile clients send.
fn texts(name: &str) -> (String, Vec<String>) {
    let tool = |steps: u64| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"count","arguments":{{"steps":{steps}}}}}}}"#
        );
        post("/mcp", "mcp-protocol-version: 2025-11-25\r\n", &body)
    };
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
    match name {
        "http" => {
            let call = post("/rpc", "", CALL);
            let parts = [call.split_at(30).0.to_owned(), call.split_at(call.len() - 5).0.to_owned()];
            (
                call.clone(),
                [
                    &parts[..],
                    &[String::new(), call.repeat(1000), "GET /rpc HTTP/1.1\r\nhost: localhost\r\n\r\n".into()],
                ]
                .concat(),
            )
        }
        "mcp_http" | "mcp_conformance" => {
            let call = post("/mcp", "", hello);
            let parts = [call.split_at(30).0.to_owned(), call.split_at(call.len() - 5).0.to_owned()];
            (call.clone(), [&parts[..], &[String::new(), call.repeat(1000), tool(9_000_000_000_000_000)]].concat())
        }
        "websocket" => {
            let silent = upgrade();
            let call = frame(CALL.trim_end());
            (
                silent.clone(),
                vec![String::new(), silent.split_at(30).0.to_owned(), silent.clone(), silent + &call.repeat(10_000)],
            )
        }
        _ => (CALL.to_owned(), vec![String::new(), CALL.split_at(30).0.to_owned(), CALL.repeat(20_000)]),
    }
}

/// One byte for each character.
fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).expect("a byte")).collect()
}

#[test]
fn every_server_ends_hostile_clients() {
    let servers: Vec<_> = SERVERS.into_iter().map(|(name, said)| Server::start(name, said)).collect();
    let flood = |server: &Server| {
        let (_, hostile) = texts(server.name);
        let clients = (0..FLOOD).map(|n| {
            let mut stream = server.connect();
            stream.write_all(&latin(&hostile[n % 2])).expect("the system to take it");
            stream
        });
        let clients = clients.collect::<Vec<_>>();
        // until the server has them all
        sleep(Duration::from_millis(200));
        clients
    };
    let starts: Vec<_> = servers
        .iter()
        .map(|server| {
            // the threads and files of a server that has answered one client, and its memory after many
            let (threads, files, _) = server.uses();
            server.answers(&texts(server.name).0);
            server.recovers((threads, files, u64::MAX - KEPT), "a first client");
            drop(flood(server));
            server.recovers((threads, files, u64::MAX - KEPT), "a first flood");
            (threads, files, server.uses().2)
        })
        .collect();
    for (server, start) in servers.iter().zip(&starts) {
        let flood = flood(server);
        let (threads, files, _) = server.uses();
        assert!(
            threads <= start.0 + CLIENTS && files <= start.1 + CLIENTS,
            "{}: {threads} threads, {files} files",
            server.name
        );
        drop(flood);
        server.recovers(*start, "a flood of clients that leave");
    }
    // clients that stay, and read nothing
    let mut held = Vec::new();
    for server in &servers {
        let (call, hostile) = texts(server.name);
        for text in hostile.iter().cycle().take(40) {
            let mut stream = server.connect();
            // an error if the server does not read on
            let _ = stream.write_all(&latin(text));
            held.push(stream);
        }
        server.answers(&call);
    }
    scope(|scope| {
        for (server, start) in servers.iter().zip(&starts) {
            scope.spawn(move || {
                server.recovers(*start, "40 clients that stay");
                server.answers(&texts(server.name).0);
            });
        }
    });
}

/// A client that only opens sessions ends no session that another client uses, and keeps nobody from opening one.
#[test]
fn sessions_without_end_lock_nobody_out() {
    let server = Server::start("mcp_conformance", "listening on http://");
    let mut stream = BufReader::new(server.connect());
    let hello = texts("mcp_conformance").0;
    let mut ask = |request: &str| {
        stream.get_mut().write_all(request.as_bytes()).expect("the server to read");
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).expect("a line");
            if line == "\r\n" {
                break;
            }
            head.push(line.trim_end().to_owned());
        }
        let header =
            |name: &str| head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).map(str::to_owned);
        let len = header("content-length").expect("a length").parse().expect("a number");
        stream.read_exact(&mut vec![0; len]).expect("a body");
        (head[0].get(9..12).expect("a status").to_owned(), header("mcp-session-id"))
    };
    let ping = |id: &str| {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        post("/mcp", &format!("mcp-protocol-version: 2025-11-25\r\nmcp-session-id: {id}\r\n"), body)
    };
    let (status, used) = ask(&hello);
    let used = ping(&used.expect("an id"));
    assert_eq!((status.as_str(), ask(&used).0.as_str()), ("200", "200"));
    let (_, unused) = ask(&hello);
    for _ in 0..1024 {
        assert_eq!(ask(&hello).0, "200");
    }
    assert_eq!(ask(&used).0, "200", "a session that its client uses");
    assert_eq!(ask(&ping(&unused.expect("an id"))).0, "404", "the first that its client has not used");
}
