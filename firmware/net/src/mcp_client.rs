//! A client of the Model Context Protocol over Streamable HTTP: the device calls the tools of a server, and answers its requests for
//! input.

use core::net::Ipv4Addr;

use embassy_net::Stack;
use embassy_net::tcp::{ConnectError, Error, TcpSocket};
use embassy_time::{Duration, Timer, with_timeout};
use embedded_io_async::{ErrorKind, ErrorType, Read, Write};
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Events, Framer};
use nanojsonrpc::mcp::client::http::{Http, OpenAsync, Remote};
use nanojsonrpc::mcp::client::{Client, SessionError, on_progress};
use nanojsonrpc::mcp::types::{CallToolResult, Content, Progress};
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::{Dialect, Params, Router, Server};
use serde::{Deserialize, Serialize};

use crate::chip::stack;

/// The address of the server, and the same as the header `host`.
pub const SERVER: (Ipv4Addr, u16) = (Ipv4Addr::new(10, 0, 2, 100), 8000);
const HOST: &str = "10.0.2.100:8000";
/// The maximum length of a message of the server.
const INPUT: usize = 6144;
/// The maximum length of a message of the device.
const OUTPUT: usize = 1536;
/// The maximum length of the head of a request or a response.
const HEAD: usize = 640;
/// The time limit for an answer, and for opening a connection.
const PATIENCE: Duration = Duration::from_secs(8);
/// The time limit for a call that is to be cancelled.
const BRIEF: Duration = Duration::from_secs(1);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// A socket that can be connected again.
struct Tcp<'s>(TcpSocket<'s>);

impl<'s> Tcp<'s> {
    fn new(stack: Stack<'s>, (received, sent): &'s mut Buffers) -> Self {
        let mut socket = TcpSocket::new(stack, received, sent);
        socket.set_timeout(Some(PATIENCE));
        socket.set_nagle_enabled(false);
        Self(socket)
    }
}

impl ErrorType for Tcp<'_> {
    type Error = ErrorKind;
}

impl Read for Tcp<'_> {
    async fn read(&mut self, room: &mut [u8]) -> Result<usize, ErrorKind> {
        self.0.read(room).await.map_err(|Error::ConnectionReset| ErrorKind::ConnectionReset)
    }
}

impl Write for Tcp<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        self.0.write(bytes).await.map_err(|Error::ConnectionReset| ErrorKind::ConnectionReset)
    }

    /// Does not wait for the acknowledgement of the peer, which is late by 10 to 40 ms: embassy-net sends written bytes without a flush.
    async fn flush(&mut self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

impl OpenAsync for Tcp<'_> {
    async fn open(&mut self) -> Result<(), ErrorKind> {
        self.0.abort();
        let opened = async {
            // the reset of the last connection leaves first
            _ = self.0.flush().await;
            self.0.connect(SERVER).await
        };
        match with_timeout(PATIENCE, opened).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(ConnectError::ConnectionReset)) => Err(ErrorKind::ConnectionRefused),
            Ok(Err(_)) => Err(ErrorKind::NotConnected),
            Err(_) => Err(ErrorKind::TimedOut),
        }
    }

    fn close(&mut self) {
        self.0.abort();
    }

    async fn pause(&mut self, milliseconds: u32) {
        Timer::after_millis(milliseconds.into()).await;
    }
}

/// The receive and the send buffer of a socket.
type Buffers = ([u8; 1024], [u8; 1024]);

/// Buffers, to be stored in a static.
pub struct Memory {
    framer: Framer<Events, INPUT>,
    output: [u8; OUTPUT],
    sockets: [Buffers; 2],
}

impl Memory {
    pub const fn new() -> Self {
        Self { framer: Framer::new(), output: [0; OUTPUT], sockets: [([0; 1024], [0; 1024]); 2] }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

#[derive(Serialize)]
struct Add {
    a: i32,
    b: i32,
}

/// The structured content of `add`.
#[derive(Deserialize)]
struct Sum {
    result: i32,
}

#[derive(Serialize)]
struct Climb {
    steps: u8,
}

#[derive(Serialize)]
struct Answer {
    action: &'static str,
    content: Named,
}

#[derive(Serialize)]
struct Named {
    name: &'static str,
}

#[derive(Serialize)]
struct Message {
    role: &'static str,
    content: Words,
    model: &'static str,
}

#[derive(Serialize)]
struct Words {
    r#type: &'static str,
    text: &'static str,
}

#[derive(Serialize)]
struct Roots {
    roots: [Root; 1],
}

#[derive(Serialize)]
struct Root {
    uri: &'static str,
}

/// What the handlers have counted.
#[derive(Default)]
struct Counts {
    tools: u32,
    asked: u32,
    progress: u32,
}

/// The arguments of the tool `report`.
#[derive(Serialize)]
struct Report<'r> {
    /// The number of failed sessions before this one.
    failures: u32,
    revision: &'r str,
    tools: u32,
    sum: i32,
    asked: u32,
    /// The result of the tool that asks.
    said: &'r str,
    progress: u32,
    has_failed: bool,
    /// The code of the error for an unknown prompt.
    code: i64,
    is_late: bool,
    stack: usize,
    stack_room: usize,
}

/// Talks to the server in 2026-07-28, which the client finds by a probe, and then in a session of 2025-11-25. Begins a session again if it
/// fails.
pub async fn run(stack: Stack<'static>, memory: &'static mut Memory) {
    let Memory { framer, output, sockets: [main, side] } = memory;
    stack.wait_config_up().await;
    let http = Http::new(Remote::new(HOST, "/mcp"), Tcp::new(stack, main), Tcp::new(stack, side));
    let mut connection = Connection::new(&http, &http, framer, &mut output[..]);
    for revision in [None, Some(Revision::V2025_11_25)] {
        let mut failures = 0;
        loop {
            let client = Client::new("net", env!("CARGO_PKG_VERSION")).roots().sampling().elicitation().progress();
            let client = revision.into_iter().fold(client, Client::revision);
            let reported = talk(client, &mut connection, failures).await;
            let ended = http.end_async().await;
            if reported.is_some() && ended.is_ok() {
                break;
            }
            connection.reset();
            failures += 1;
            Timer::after(PAUSE).await;
        }
    }
}

type Link<'l, 's> = Connection<'l, &'l Http<'s, Tcp<'s>, HEAD>, &'l Http<'s, Tcp<'s>, HEAD>, Events, [u8; INPUT]>;

/// Runs a whole session, and reports it to the server. `None` at the first failure.
async fn talk(mut client: Client, connection: &mut Link<'_, '_>, failures: u32) -> Option<()> {
    let router = Router::new()
        .request_async(method::ELICITATION_CREATE, async |counts: &mut Counts, _: Params<'_>| {
            counts.asked += 1;
            // somebody presses a button
            Timer::after_millis(30).await;
            Ok(Answer { action: "accept", content: Named { name: "chip" } })
        })
        .request(method::SAMPLING_CREATE_MESSAGE, |counts: &mut Counts, _: Params<'_>| {
            counts.asked += 1;
            Ok(Message { role: "assistant", content: Words { r#type: "text", text: "warm" }, model: "none" })
        })
        .request(method::ROOTS_LIST, |counts: &mut Counts| {
            counts.asked += 1;
            Ok(Roots { roots: [Root { uri: "file:///flash" }] })
        })
        .notification(method::PROGRESS, on_progress(|counts: &mut Counts, _: Progress<'_>| counts.progress += 1));
    let (mut server, mut counts) = (Server::new(router).with_dialect(Dialect::MCP), Counts::default());
    let mut session = client.over_async(connection, &mut server, &mut counts).until(|| Timer::after(PATIENCE));
    let revision = session.connect().await.ok()?.revision;
    session.list_tools(|counts, _| counts.tools += 1).await.ok()?;
    let Sum { result: sum } = session.call_tool_as("add", &Add { a: 40, b: 2 }).await.ok()?;
    let mut said = [0; 48];
    let said = text(&session.call_tool("ask", &()).await.ok()?, &mut said)?;
    session.call_tool("climb", &Climb { steps: 3 }).await.ok()?;
    let has_failed = session.call_tool("fall", &()).await.ok()?.is_error == Some(true);
    let Err(SessionError::Peer(error)) = session.get_prompt("none", &()).await else { return None };
    let code = error.code.0;
    let mut brief = session.until(|| Timer::after(BRIEF));
    let is_late = matches!(brief.call_tool("sleep", &()).await, Err(SessionError::Late));
    let mut session = brief.until(|| Timer::after(PATIENCE));
    let Counts { tools, asked, progress } = *session.context();
    let (stack, stack_room) = stack::peak();
    let revision = revision.as_str();
    let report =
        Report { failures, revision, tools, sum, asked, said, progress, has_failed, code, is_late, stack, stack_room };
    session.call_tool("report", &report).await.ok().map(drop)
}

/// Copies the first text of a result.
fn text<'o>(result: &CallToolResult<'_>, out: &'o mut [u8]) -> Option<&'o str> {
    let Some(Content::Text(content)) = result.content.iter().next() else { return None };
    let text = content.text.as_str()?;
    let out = out.get_mut(..text.len())?;
    out.copy_from_slice(text.as_bytes());
    core::str::from_utf8(out).ok()
}
