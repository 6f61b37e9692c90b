//! The client side of the official conformance suite of the Model Context Protocol, over HTTP. The suite starts it with the URL of a server
//! and the name of a scenario in the environment.
//!
//! ```sh
//! cargo build --example mcp_conformance_client --features authorization
//! conformance client --command target/debug/examples/mcp_conformance_client --scenario auth/metadata-default
//! ```

use std::env;

use lexopt::Parser;
use lexopt::prelude::{Long, Short, Value as Word, ValueExt};
use nanojsonrpc::mcp::Revision;
use nanojsonrpc::mcp::client::{Call, Client, Incoming, Outcome};
use nanojsonrpc::{RawValue, Writer};

#[path = "../arguments/mod.rs"]
mod arguments;
mod authorization;
mod exchange;
mod http;
#[path = "../printable/mod.rs"]
mod printable;
#[path = "../reopened/mod.rs"]
mod reopened;
mod scenarios;
mod skills;

use authorization::{Authorization, Known};
use exchange::{Peer, exchange};
use printable::line;

const HELP: &str = "\
Runs one scenario of the conformance suite of the Model Context Protocol.

Usage: mcp_conformance_client URL

Options:
  -h, --help  Print this help

Environment, which the suite sets:
  MCP_CONFORMANCE_SCENARIO          The name of the scenario, such as auth/metadata-default
  MCP_CONFORMANCE_PROTOCOL_VERSION  The revision of the protocol [default: 2025-11-25]
  MCP_CONFORMANCE_CONTEXT           JSON: client_id, client_secret and issuer of the client, if it is registered
";

type Failure = Box<dyn core::error::Error>;

/// The length of the longest message.
const ROOM: usize = 65_536;

/// The URL of the command line; `None` for help.
fn options(parser: &mut Parser) -> Result<Option<String>, lexopt::Error> {
    let mut url = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Word(word) if url.is_none() => {
                let word = word.string()?;
                if !word.starts_with("http://") {
                    return Err(format!("expected http://HOST:PORT/PATH, not {word:?}").into());
                }
                url = Some(word);
            }
            Short('h') | Long("help") => return Ok(None),
            argument => return Err(argument.unexpected()),
        }
    }
    url.map(Some).ok_or_else(|| "URL is missing".into())
}

fn main() -> Result<(), Failure> {
    // for all threads
    let url: &'static str = arguments::parse(HELP, options).leak();
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let version = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").unwrap_or_default();
    let revision = Revision::ALL.into_iter().find(|revision| revision.as_str() == version);
    let revision = revision.unwrap_or(Revision::V2025_11_25);
    let outcome = match scenario.split_once('/') {
        Some(("auth", name)) => {
            let authorization = Authorization::new(url.to_owned(), Known::read(&context)?);
            let has_no_user = name.starts_with("client-credentials");
            let authorization = if has_no_user { authorization.without_user() } else { authorization };
            Peer::new(url, authorization).and_then(|peer| call_a_tool(peer, revision))
        }
        _ => scenarios::run(&scenario, url, revision, &context),
    };
    // the text of an error may be that of a peer
    outcome.map_err(|failure: Failure| line(failure).into())
}

/// Connects, lists the tools and calls the first one.
fn call_a_tool(mut peer: Peer, revision: Revision) -> Result<(), Failure> {
    let mut client: Client<(), 1> = Client::new("nanojsonrpc", env!("CARGO_PKG_VERSION")).revision(revision);
    let mut buffer = [0; ROOM];
    let mut out = Writer::new(&mut buffer);
    client.connect(&mut out)?;
    loop {
        let answer = exchange(&mut peer, out.written())?;
        out.clear();
        match client.receive(&answer.ok_or("no answer to the handshake")?, &mut out) {
            Incoming::ToSend => {}
            Incoming::Connected(about) => {
                peer.set_revision(about.revision);
                break;
            }
            Incoming::NotConnected(error) => return Err(error.to_string().into()),
            incoming => return Err(format!("unexpected: {incoming:?}").into()),
        }
    }
    if !out.is_empty() {
        // `notifications/initialized`
        exchange(&mut peer, out.written())?;
    }
    let tools = result_of(&mut client, &mut peer, &Call::page("tools/list", None))?;
    let tools = RawValue::parse(&tools)?.get("tools").ok_or("no tools")?;
    let name = tools.elements().next().and_then(|tool| tool.get("name")?.as_str()).ok_or("no tool")?;
    result_of(&mut client, &mut peer, &Call::tool(name, &())).map(drop)
}

/// Makes one call, and returns the text of its result.
fn result_of(client: &mut Client<(), 1>, peer: &mut Peer, call: &Call<'_>) -> Result<Vec<u8>, Failure> {
    let mut buffer = [0; ROOM];
    let mut out = Writer::new(&mut buffer);
    client.send(call, (), &mut out).map_err(|refused| refused.error)?;
    let answer = exchange(peer, out.written())?.ok_or("no answer to a call")?;
    out.clear();
    match client.receive(&answer, &mut out) {
        Incoming::Answer((), Outcome::Result(result)) => Ok(result.as_bytes().to_vec()),
        incoming => Err(format!("unexpected: {incoming:?}").into()),
    }
}
