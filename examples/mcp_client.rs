//! Starts an MCP server, lists its tools and calls one. It also answers requests of the server.
//!
//! ```sh
//! cargo build --examples --features embedded-io,mcp
//! cargo run --example mcp_client --features embedded-io,mcp -- switch '{"on":true}' target/debug/examples/lamp
//! ```
//!
//! The option `--revision 2025-11-25` before these arguments selects that revision, without a probe.

use std::io::{Error, Stdout, Write, stdout};
use std::process::{Command, Stdio};

use embedded_io_adapters::std::FromStd;
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::client::{Client, on_log, on_progress};
use nanojsonrpc::mcp::types::{Content, LogMessage, Progress};
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::{Dialect, Params, RawValue, Router, Server};
use serde_json::{Value, json};

type Failure = Box<dyn core::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (client, arguments) = match &arguments[..] {
        [option, revision, rest @ ..] if option == "--revision" => {
            let revision = Revision::read(RawValue::parse(json!(revision).to_string().as_bytes())?)?;
            (client().revision(revision), rest)
        }
        rest => (client(), rest),
    };
    let [tool, json, command, rest @ ..] = arguments else {
        return Err("usage: mcp_client [--revision REVISION] TOOL ARGUMENTS COMMAND [ARGUMENT…]".into());
    };
    let mut child = Command::new(command).args(rest).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (Some(writer), Some(reader)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::other("no pipes").into());
    };
    talk(client, FromStd::new(reader), FromStd::new(writer), tool, &serde_json::from_str(json)?)?;
    // the session is closed, so the standard input of the child has ended
    child.wait()?;
    Ok(())
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
        .request(method::ROOTS_LIST, |_: &mut Stdout| Ok(json!({"roots": [{"uri": "file:///tmp", "name": "tmp"}]})))
        .request(method::SAMPLING_CREATE_MESSAGE, |_: &mut Stdout, asked: Params<'_>| {
            let tokens = asked.get("maxTokens").and_then(|tokens| tokens.as_u64()).unwrap_or_default();
            let text = format!("I am no model, so I need none of {tokens} tokens.");
            Ok(json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "none"}))
        })
        .request(method::ELICITATION_CREATE, |out: &mut Stdout, asked: Params<'_>| {
            let question = asked.get("message").and_then(|message| message.as_str()).unwrap_or_default();
            _ = writeln!(out, "asked: {question}");
            Ok(json!({"action": "accept", "content": {"name": "Ada"}}))
        })
        .notification(
            method::MESSAGE,
            on_log(|out: &mut Stdout, log: LogMessage<'_>| {
                _ = writeln!(out, "{}: {}", log.level.as_str(), log.data.as_json());
            }),
        )
        .notification(
            method::PROGRESS,
            on_progress(|out: &mut Stdout, progress: Progress<'_>| {
                _ = writeln!(out, "progress: {}", progress.message.unwrap_or("no words".into()));
            }),
        );
    let mut server = Server::new(router).with_dialect(Dialect::MCP);
    let (mut buffer, mut output, mut out) = (vec![0; 1 << 20], vec![0; 1 << 20], stdout());
    let mut framer = Framer::<Lines>::over(&mut buffer);
    let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    let mut session = client.over(&mut connection, &mut server, &mut out);

    // convert the error to text, because it borrows from the connection, which this function drops
    let about = session.connect().map_err(|error| error.to_string())?;
    let name = about.server_info().map_or("somebody".into(), |server| server.name.to_string());
    println!("{name} speaks {}", about.revision.as_str());
    session
        .list_tools(|out, tool| {
            let description = tool.description.unwrap_or("".into());
            _ = writeln!(out, "{}: {description}", tool.name);
        })
        .map_err(|error| error.to_string())?;
    let result = session.call_tool(tool, arguments).map_err(|error| error.to_string())?;
    for content in result.content.iter() {
        match content {
            Content::Text(text) => println!("{}", text.text),
            other => println!("{other:?}"),
        }
    }
    if result.is_error == Some(true) { Err("the tool has failed".into()) } else { Ok(()) }
}
