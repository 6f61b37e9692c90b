//! Starts an MCP server, lists its tools and calls one. It also answers requests of the server.
//!
//! ```sh
//! cargo build --examples --features embedded-io,mcp
//! cargo run --example mcp_client --features embedded-io,mcp -- switch '{"on":true}' target/debug/examples/lamp
//! ```
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
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::client::{Client, on_log, on_progress};
use nanojsonrpc::mcp::types::{Content, LogMessage, Progress};
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::{Dialect, Params, RawValue, Router, Server};
use serde_json::Value;

mod arguments;
mod printable;

use printable::{json, line};

const HELP: &str = "\
Starts an MCP server, lists its tools, and calls one.

Usage: mcp_client [--revision REVISION] TOOL ARGUMENTS COMMAND [ARGUMENT]...

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
    command: Command,
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
    let mut command = Command::new(parser.value().map_err(|_| "COMMAND is missing")?);
    command.args(parser.raw_args()?);
    Ok(Some(Options { client, tool, arguments, command }))
}

fn main() -> Result<(), Failure> {
    let Options { client, tool, arguments, mut command } = arguments::parse(HELP, options);
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| format!("cannot start {}: {error}", command.get_program().display()))?;
    let (Some(writer), Some(reader)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::other("no pipes").into());
    };
    let (talking, over) = channel();
    let watching = thread::spawn(move || watch(child, &over));
    let outcome = talk(client, FromStd::new(reader), FromStd::new(writer), &tool, &arguments);
    drop(talking);
    watching.join().map_err(|_| "the thread that watches panicked")??;
    outcome
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

fn talk(
    mut client: Client,
    reader: impl embedded_io::Read<Error = Error>,
    writer: impl embedded_io::Write<Error = Error>,
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
    let mut framer = Framer::<Lines>::over(&mut buffer);
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
    if result.is_error == Some(true) { Err("the tool has failed".into()) } else { Ok(()) }
}
