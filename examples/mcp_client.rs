//! Starts an MCP server, lists its tools and calls one. It also answers requests of the server.
//!
//! ```sh
//! cargo build --examples --features embedded-io,mcp
//! cargo run --example mcp_client --features embedded-io,mcp -- switch '{"on":true}' target/debug/examples/lamp
//! ```
//!
//! In place of the command, `http://127.0.0.1:8080/mcp` selects a server over Streamable HTTP.
//!
//! The option `--revision 2025-11-25` before these arguments selects that revision, without a probe.

use core::time::Duration;
use std::io::{Error, Stdout, Write, stdout};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use embedded_io_adapters::std::FromStd;
use lexopt::Parser;
use lexopt::prelude::{Long, Short, Value as Word, ValueExt};
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Events, Frame, Framer, Lines};
use nanojsonrpc::mcp::client::http::{Http, Remote};
use nanojsonrpc::mcp::client::{Client, on_log, on_progress};
use nanojsonrpc::mcp::types::{Content, LogMessage, Progress};
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::{Dialect, Params, RawValue, Router, Server};
use serde_json::Value;

mod arguments;
mod printable;
mod reopened;

use printable::{json, line};
use reopened::Tcp;

const HELP: &str = "\
Starts an MCP server, lists its tools, and calls one.

Usage: mcp_client [--revision REVISION] TOOL ARGUMENTS COMMAND [ARGUMENT]...
       mcp_client [--revision REVISION] TOOL ARGUMENTS http://HOST[:PORT]/PATH

ARGUMENTS is a JSON object. COMMAND starts the server.

Options:
      --revision REVISION  Select a revision of the protocol, without a probe
  -h, --help               Print this help
";

/// The time limit for all answers of the server, and for its end after that of the session.
const PATIENCE: Duration = Duration::from_secs(60);
const LINGER: Duration = Duration::from_secs(2);

type Failure = Box<dyn core::error::Error>;

struct Options {
    client: Client,
    tool: String,
    arguments: Value,
    server: Peer,
}

enum Peer {
    Program(Command),
    /// The host and the path of a server over Streamable HTTP.
    Http(String, String),
}

/// The options of the command line; `None` for help.
fn options(parser: &mut Parser) -> Result<Option<Options>, lexopt::Error> {
    let mut client = client();
    let tool = loop {
        match parser.next()?.ok_or("TOOL is missing")? {
            Long("revision") => {
                let revision = serde_json::json!(parser.value()?.string()?).to_string();
                let read = RawValue::parse(revision.as_bytes()).ok().and_then(|revision| Revision::read(revision).ok());
                client = client.revision(read.ok_or_else(|| format!("no revision: {revision}"))?);
            }
            Short('h') | Long("help") => return Ok(None),
            Word(tool) => break tool.string()?,
            argument => return Err(argument.unexpected()),
        }
    };
    let arguments = parser.value().map_err(|_| "ARGUMENTS are missing")?.string()?;
    let arguments = serde_json::from_str(&arguments).map_err(|error| format!("ARGUMENTS are not JSON: {error}"))?;
    let program = parser.value().map_err(|_| "COMMAND is missing")?;
    if let Some(url) = program.to_str().and_then(|url| url.strip_prefix("http://")) {
        let (host, path) = url.split_at(url.find('/').unwrap_or(url.len()));
        let port = if host.rsplit(']').next().is_some_and(|behind| behind.contains(':')) { "" } else { ":80" };
        let path = if path.is_empty() { "/" } else { path };
        let server = Peer::Http(format!("{host}{port}"), path.to_owned());
        return Ok(Some(Options { client, tool, arguments, server }));
    }
    let mut command = Command::new(program);
    command.args(parser.raw_args()?);
    Ok(Some(Options { client, tool, arguments, server: Peer::Program(command) }))
}

fn main() -> Result<(), Failure> {
    let Options { client, tool, arguments, server } = arguments::parse(HELP, options);
    let mut command = match server {
        Peer::Program(command) => command,
        Peer::Http(host, path) => return over_http(client, &host, &path, &tool, &arguments),
    };
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| format!("cannot start {}: {error}", command.get_program().display()))?;
    let (Some(writer), Some(reader)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::other("no pipes").into());
    };
    let (talking, over) = channel();
    let watching = thread::spawn(move || watch(child, &over));
    let outcome = talk::<_, _, Lines>(client, FromStd::new(reader), FromStd::new(writer), &tool, &arguments);
    drop(talking);
    watching.join().map_err(|_| "the thread that watches panicked")??;
    outcome
}

/// Talks to a server over Streamable HTTP, and ends the session.
fn over_http(client: Client, host: &str, path: &str, tool: &str, arguments: &Value) -> Result<(), Failure> {
    let (main, side) = (Tcp::new(host, PATIENCE), Tcp::new(host, PATIENCE));
    let http: Http<'_, Tcp> = Http::new(Remote::new(host, path), main, side);
    let outcome = talk::<_, _, Events>(client, &http, &http, tool, arguments);
    let ended = http.end().map_err(|error| error.to_string());
    outcome.and(ended.map_err(Failure::from))
}

/// Ends a server that does not answer in time, or runs on after the end of the session.
fn watch(mut child: Child, over: &Receiver<()>) -> Result<(), Error> {
    if over.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        // the standard input of the child has ended
        let end = Instant::now();
        while end.elapsed() < LINGER {
            if child.try_wait()?.is_some() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
    child.kill()?;
    child.wait().map(drop)
}

/// The capabilities of this client, which match the handlers below.
fn client() -> Client {
    Client::new("mcp_client", env!("CARGO_PKG_VERSION")).roots().sampling().elicitation().progress()
}

fn talk<R: embedded_io::Read, W: embedded_io::Write, F: Frame>(
    mut client: Client,
    reader: R,
    writer: W,
    tool: &str,
    arguments: &Value,
) -> Result<(), Failure> {
    // handles requests and notifications of the server during a call
    let router = Router::new()
        .request(method::ROOTS_LIST, |_: &mut Stdout| {
            Ok(serde_json::json!({"roots": [{"uri": "file:///tmp", "name": "tmp"}]}))
        })
        .request(method::SAMPLING_CREATE_MESSAGE, |_: &mut Stdout, asked: Params<'_>| {
            let tokens = asked.get("maxTokens").and_then(|tokens| tokens.as_u64()).unwrap_or_default();
            let text = format!("I am no model, so I need none of {tokens} tokens.");
            Ok(serde_json::json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "none"}))
        })
        .request(method::ELICITATION_CREATE, |out: &mut Stdout, asked: Params<'_>| {
            let question = asked.get("message").and_then(|message| message.as_str_raw());
            _ = writeln!(out, "asked: {}", question.map_or_else(String::new, line));
            Ok(serde_json::json!({"action": "accept", "content": {"name": "Ada"}}))
        })
        .notification(
            method::MESSAGE,
            on_log(|out: &mut Stdout, log: LogMessage<'_>| {
                _ = writeln!(out, "{}: {}", log.level.as_str(), json(log.data));
            }),
        )
        .notification(
            method::PROGRESS,
            on_progress(|out: &mut Stdout, progress: Progress<'_>| {
                _ = writeln!(out, "progress: {}", line(progress.message.unwrap_or("no words".into())));
            }),
        );
    let mut server = Server::new(router).with_dialect(Dialect::MCP);
    let (mut buffer, mut output, mut out) = (vec![0; 1 << 20], vec![0; 1 << 20], stdout());
    let mut framer = Framer::<F>::over(&mut buffer);
    let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    let mut session = client.over(&mut connection, &mut server, &mut out);

    // convert the error to text, because it borrows from the connection, which this function drops
    let about = session.connect().map_err(|error| error.to_string())?;
    let name = about.server_info().map_or("somebody".into(), |server| line(server.name));
    println!("{name} speaks {}", about.revision.as_str());
    session
        .list_tools(|out, tool| {
            let description = tool.description.unwrap_or("".into());
            _ = writeln!(out, "{}: {}", line(tool.name), line(description));
        })
        .map_err(|error| error.to_string())?;
    let result = session.call_tool(tool, arguments).map_err(|error| error.to_string())?;
    for content in result.content.iter() {
        match content {
            Content::Text(text) => println!("{}", line(text.text)),
            other => println!("{}", line(format_args!("{other:?}"))),
        }
    }
    if let Some(structured) = result.structured_content {
        println!("structured: {}", json(structured));
    }
    if result.is_error == Some(true) { Err("the tool has failed".into()) } else { Ok(()) }
}
