//! Calls every tool of `@modelcontextprotocol/server-everything`, and uses its other features, in one session. Prints a line for each
//! outcome; `.ci/peers mcp` checks the lines.
//!
//! ```sh
//! cargo run --example mcp_everything --features embedded-io,mcp -- npx @modelcontextprotocol/server-everything
//! ```
//!
//! In place of the command, `http://127.0.0.1:3001/mcp` selects a server over Streamable HTTP.

// This program is a test, so it may panic when it counts messages.
#![allow(clippy::arithmetic_side_effects)]

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use core::time::Duration;
use std::io::Error;
use std::process::{Command, Stdio};
use std::thread::{sleep, spawn};

use embedded_io_adapters::std::FromStd;
use lexopt::prelude::{Long, Short, Value as Word, ValueExt};
use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Events, Frame, Framer, Lines};
use nanojsonrpc::mcp::client::http::{Http, Remote};
use nanojsonrpc::mcp::client::{Call, Client, SessionError, on_log, on_progress, on_resource_updated};
use nanojsonrpc::mcp::types::{
    CallToolResult, Content, LogMessage, LoggingLevel, Progress, Reference, ResourceContents, ResourceUpdated,
};
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::server::{Observer, route::Routes};
use nanojsonrpc::{Dialect, Params, RawValue, Router, Server};
use serde::Deserialize;
use serde_json::json;

mod arguments;
mod printable;
mod reopened;

use printable::line;
use reopened::Tcp;

const HELP: &str = "\
Calls every tool of the MCP server `everything`, which COMMAND starts.

Usage: mcp_everything COMMAND [ARGUMENT]...
       mcp_everything http://HOST:PORT/PATH
";

type Failure = Box<dyn core::error::Error>;

/// The time limit for one read or write.
const PATIENCE: Duration = Duration::from_secs(30);

enum Peer {
    Program(Command),
    /// The URL of a server over Streamable HTTP.
    Http(String),
}

/// All modes of elicitation, and requests of the server as tasks, although this client answers at once.
const CAPABILITIES: &[(&str, RawValue<'static>)] = &[
    ("elicitation", RawValue::constant(r#"{"form":{},"url":{}}"#).unwrap()),
    (
        "tasks",
        RawValue::constant(r#"{"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}"#).unwrap(),
    ),
];

/// The structured content of `get-structured-content`.
#[derive(Deserialize, Debug)]
#[expect(dead_code, reason = "they are printed")]
struct Weather<'a> {
    temperature: u8,
    conditions: &'a str,
    humidity: u8,
}

/// Counts of the server's requests and notifications, in all streams of a session.
struct Received {
    logs: AtomicUsize,
    progress: AtomicUsize,
    updates: AtomicUsize,
    roots: AtomicUsize,
}

static RECEIVED: Received = Received {
    logs: AtomicUsize::new(0),
    progress: AtomicUsize::new(0),
    updates: AtomicUsize::new(0),
    roots: AtomicUsize::new(0),
};

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Relaxed);
}

fn main() -> Result<(), Failure> {
    let peer = arguments::parse(HELP, |parser| match parser.next()?.ok_or("COMMAND is missing")? {
        Short('h') | Long("help") => Ok(None),
        Word(url) if url.to_string_lossy().starts_with("http://") => Ok(Some(Peer::Http(url.string()?))),
        Word(program) => {
            let mut command = Command::new(program);
            command.args(parser.raw_args()?);
            Ok(Some(Peer::Program(command)))
        }
        argument => Err(argument.unexpected()),
    });
    let mut command = match peer {
        Peer::Program(command) => command,
        Peer::Http(url) => return over_http(url.leak()),
    };
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| format!("cannot start {}: {error}", command.get_program().display()))?;
    let (Some(writer), Some(reader)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::other("no pipes").into());
    };
    let outcome = talk::<_, _, Lines>(FromStd::new(reader), FromStd::new(writer), |_| {});
    // kill the server, because its timers keep it alive
    child.kill()?;
    child.wait()?;
    outcome
}

/// Talks to a server over Streamable HTTP, and ends the session.
fn over_http(url: &'static str) -> Result<(), Failure> {
    let behind = url.trim_start_matches("http://");
    let (host, path) = behind.split_at(behind.find('/').unwrap_or(behind.len()));
    let http: Http<'_, Tcp> = Http::new(Remote::new(host, path), Tcp::new(host, PATIENCE), Tcp::new(host, PATIENCE));
    talk::<_, _, Events>(&http, &http, |revision| {
        if let Some(remote) = http.with_remote(|remote| remote.clone()) {
            spawn(move || listen(remote, host, revision));
            // the server needs the stream before the next call
            sleep(Duration::from_millis(500));
        }
    })?;
    Ok(http.end().map_err(|error| error.to_string())?)
}

/// Opens a second stream of the session, on which the server sends messages that belong to no call, until the session ends.
fn listen(remote: Remote<'static>, host: &str, revision: Revision) {
    let http: Http<'_, Tcp> = Http::new(remote, Tcp::new(host, PATIENCE), Tcp::new(host, PATIENCE));
    http.listen();
    let (mut framer, mut output, mut server) = (Framer::<Events, 65_536>::new(), vec![0; 1 << 16], server());
    let mut connection = Connection::new(&http, &http, &mut framer, &mut output);
    let (mut client, mut context) = (client().connected_as(revision), ());
    let mut session = client.over(&mut connection, &mut server, &mut context);
    while session.handle_incoming().is_ok_and(|goes_on| goes_on) {}
}

fn client() -> Client {
    Client::new("mcp_everything", "1").roots().sampling().declaring(CAPABILITIES).progress()
}

/// The texts of a result, and the kind of any other content.
fn shown(result: &CallToolResult<'_>) -> String {
    let shown = result.content.iter().map(|content| match content {
        Content::Text(text) => text.text.to_string(),
        Content::Image(image) => format!("image {}", image.mime_type),
        Content::Audio(audio) => format!("audio {}", audio.mime_type),
        Content::Link(link) => format!("link {}", link.0.uri),
        Content::Resource(resource) => match resource.resource {
            ResourceContents::Text(text) => format!("resource {}", text.uri),
            ResourceContents::Blob(blob) => format!("resource {}", blob.uri),
            _ => "resource".into(),
        },
        other => format!("{other:?}"),
    });
    line(shown.collect::<Vec<_>>().join(" | ").replace('\n', " "))
}

/// Handles requests and notifications of the server.
fn server() -> Server<impl Routes<()>, impl Observer<()>> {
    let router = Router::new()
        .request(method::ROOTS_LIST, |_: &mut ()| {
            count(&RECEIVED.roots);
            Ok(json!({"roots": [{"uri": "file:///here", "name": "here"}]}))
        })
        .request(method::SAMPLING_CREATE_MESSAGE, |_: &mut (), asked: Params<'_>| {
            let text = asked.raw().and_then(|raw| raw.pointer("/messages/0/content/text")).map(|text| text.as_json());
            let text = format!("heard {}", text.unwrap_or_default());
            Ok(json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "none"}))
        })
        .request(method::ELICITATION_CREATE, |_: &mut (), asked: Params<'_>| {
            let is_url = asked.get("mode").and_then(|mode| mode.as_str()) == Some("url");
            Ok(if is_url {
                json!({"action": "accept"})
            } else {
                json!({"action": "accept", "content": {"name": "Ada"}})
            })
        })
        .notification(method::MESSAGE, on_log(|_: &mut (), _: LogMessage<'_>| count(&RECEIVED.logs)))
        .notification(method::PROGRESS, on_progress(|_: &mut (), _: Progress<'_>| count(&RECEIVED.progress)))
        .notification(
            method::RESOURCES_UPDATED,
            on_resource_updated(|_: &mut (), _: ResourceUpdated<'_>| count(&RECEIVED.updates)),
        );
    Server::new(router).with_dialect(Dialect::MCP)
}

/// Calls `connected` with the revision of the session when it has begun.
fn talk<R: embedded_io::Read, W: embedded_io::Write, F: Frame>(
    reader: R,
    writer: W,
    connected: impl FnOnce(Revision),
) -> Result<(), Failure> {
    let (mut server, mut context) = (server(), ());
    let (mut buffer, mut output) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    let mut framer = Framer::<F>::over(&mut buffer);
    let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    let mut client = client();
    let mut session = client.over(&mut connection, &mut server, &mut context);
    // a macro, because an error borrows from the connection, which this function drops
    macro_rules! done {
        ($outcome:expr) => {
            $outcome.map_err(|error: SessionError<'_, _, _>| error.to_string())?
        };
    }

    let revision = done!(session.connect()).revision;
    println!("connected: {}", revision.as_str());
    connected(revision);
    done!(session.set_log_level(LoggingLevel::Debug));
    let mut lists = [const { Vec::new() }; 4];
    let [tools, resources, templates, prompts] = &mut lists;
    done!(session.list_tools(|_, tool| tools.push(tool.name.to_string())));
    done!(session.list_resources(|_, resource| resources.push(resource.uri.to_string())));
    done!(session.list_resource_templates(|_, template| templates.push(template.uri_template.to_string())));
    done!(session.list_prompts(|_, prompt| prompts.push(prompt.name.to_string())));
    for (name, list) in ["tools", "resources", "templates", "prompts"].into_iter().zip(&lists) {
        println!("{name}: {} {}", list.len(), line(list.join(" ")));
    }

    let uri = "demo://resource/dynamic/text/1";
    done!(session.call(&Call::subscribe(uri)));
    for (tool, arguments) in [
        ("echo", json!({"message": "\u{1F44B} \"echo\""})),
        ("get-annotated-message", json!({"messageType": "error", "includeImage": true})),
        ("get-env", json!({})),
        ("get-resource-links", json!({"count": 2})),
        ("get-resource-reference", json!({"resourceType": "Blob", "resourceId": 3})),
        ("get-structured-content", json!({"location": "New York"})),
        ("get-sum", json!({"a": 40, "b": 2})),
        ("get-tiny-image", json!({})),
        ("gzip-file-as-resource", json!({"name": "a.gz", "data": "data:text/plain,hello", "outputType": "resource"})),
        ("toggle-simulated-logging", json!({})),
        ("toggle-subscriber-updates", json!({})),
        ("trigger-long-running-operation", json!({"duration": 0.4, "steps": 4})),
        ("get-roots-list", json!({})),
        ("trigger-sampling-request", json!({"prompt": "Hi?", "maxTokens": 7})),
        ("trigger-elicitation-request", json!({})),
        ("trigger-url-elicitation", json!({"url": "https://example.com", "message": "Look.", "elicitationId": "e1"})),
        ("trigger-sampling-request-async", json!({"prompt": "Hi?", "maxTokens": 7})),
        ("trigger-elicitation-request-async", json!({})),
    ] {
        let result = done!(session.call_tool(tool, &arguments));
        println!("{tool}: {}", shown(&result));
    }
    let weather: Weather<'_> = done!(session.call_tool_as("get-structured-content", &json!({"location": "New York"})));
    println!("structured: {weather:?}");

    // a tool that runs as a task
    let mut polls = 0;
    let result =
        done!(session.call_tool_task("simulate-research-query", &json!({"topic": "rust"}), Some(60_000), |_, task| {
            polls += 1;
            sleep(Duration::from_millis(task.poll_delay_ms()));
            true
        }));
    println!("simulate-research-query: {}", shown(&result));
    println!("task: it worked at more than one poll: {}", polls > 1);

    let read = done!(session.read_resource(uri));
    println!("read: {} of {uri}", read.contents.iter().count());
    let prompt = done!(session.get_prompt("args-prompt", &json!({"city": "Paris"})));
    for message in prompt.messages.iter() {
        if let Content::Text(text) = message.content {
            println!("prompt: {}", line(text.text));
        }
    }
    let completed = done!(session.complete(Reference::prompt("completable-prompt"), "department", "S"));
    println!(
        "completed: {}",
        line(completed.completion.values.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(" "))
    );
    let refused =
        session.call_tool("no-such-tool", &()).map(|result| shown(&result)).map_err(|error| error.to_string());
    println!("no-such-tool: {refused:?}");
    done!(session.call(&Call::unsubscribe(uri)));
    done!(session.call(&Call::new(method::PING)));
    let Received { logs, progress, updates, roots } = &RECEIVED;
    let [logs, progress, updates, roots] = [logs, progress, updates, roots].map(|counter| counter.load(Relaxed));
    println!("received: logs {}, progress {progress}, updates {}, roots {roots}", logs > 0, updates > 0);
    Ok(())
}
