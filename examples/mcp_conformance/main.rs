//! A server on loopback over HTTP with all features that the official conformance suite of the Model Context Protocol tests. With
//! `--empty`, it has no features.
//!
//! In revisions with sessions, a tool may send a request to the client while it runs. The answer is the body of another HTTP request, on
//! another connection. The stateless revision has multi round-trip requests instead.

use core::sync::atomic::{AtomicI64, Ordering};
use core::time::Duration;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use lexopt::prelude::*;
use nanojsonrpc::mcp::types::{
    Content, EmptyResult, LOG_LEVEL, LogMessage, LoggingLevel, PromptArgument, PromptMessage, Role,
};
use nanojsonrpc::mcp::{CompletionCall, PromptCall, ReadCall, Service, ToolCall, method, uri_template};
use nanojsonrpc::server::route::Routes;
use nanojsonrpc::server::{Replied, Reply};
use nanojsonrpc::{
    Dialect, Envelope, ErrorObject, Id, Notification, Params, RawValue, Request, Router, Server, message::Str,
};

mod asking;
mod first;
mod fixtures;
mod http;
mod listening;
mod polling;
mod skills;
// this example also uses its HTTP code
#[path = "../mcp_http.rs"]
#[allow(dead_code)]
mod page;
#[path = "../sessions/mod.rs"]
mod sessions;
mod tasks;

use fixtures::{IMAGE, embedded};
use page::arguments::{self, LOCAL, address};

const HELP: &str = "\
Serves the features that the conformance suite of the Model Context Protocol tests, over HTTP.

Usage: mcp_conformance [OPTIONS]

Options:
      --listen ADDR:PORT  Where to listen; port 0 takes a free one [default: 127.0.0.1:0]
      --empty             Have no features
  -h, --help              Print this help
";

/// The context of the handlers: the client, and the minimum level of its log messages.
struct App {
    client: page::Client,
    level: LoggingLevel,
    /// The id of the request that the handler answers.
    id: String,
    session: String,
    /// The stream that its handler has closed.
    polled: Option<u32>,
}

/// The tools that wait for an answer of their client, by the id of the request.
static WAITING: Mutex<Option<HashMap<Id, Sender<String>>>> = Mutex::new(None);

impl App {
    /// Sends a request to the client, and passes the answer to `then`; `None` without an answer.
    fn ask<T>(
        &mut self,
        call: &mut ToolCall<'_>,
        method: &str,
        params: RawValue<'_>,
        then: impl FnOnce(RawValue<'_>) -> T,
    ) -> Option<T> {
        static NEXT: AtomicI64 = AtomicI64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = channel();
        WAITING.lock().ok()?.get_or_insert_default().insert(Id::from(id), sender);
        self.client.send(call.ahead(&Request::new(id, method).with_params(&params))?).ok()?;
        let result = answer.recv_timeout(Duration::from_secs(20)).ok()?;
        RawValue::parse(result.as_bytes()).ok().map(then)
    }

    /// Passes the answer of a client to the tool that waits for it.
    fn answered(&mut self, response: &Envelope<'_>) {
        let id = response.id().and_then(|id| Id::read(id).ok());
        let waiting = id.and_then(|id| WAITING.lock().ok()?.as_mut()?.remove(&id));
        if let (Some(waiting), Some(result)) = (waiting, response.result()) {
            // an error means that the tool has timed out and dropped its receiver
            _ = waiting.send(result.as_json().to_owned());
        }
    }

    /// Sends a log message at level info, if the client's level includes it.
    fn log(&mut self, call: &mut ToolCall<'_>, text: &'static str) {
        let level = match call.meta() {
            Some(meta) if call.revision().is_stateless() => {
                meta.get(LOG_LEVEL).and_then(|level| LoggingLevel::read(level).ok())
            }
            _ => Some(self.level),
        };
        if level.is_some_and(|level| level <= LoggingLevel::Info) {
            // the text is ASCII without escapes, so `Debug` quotes it like JSON
            let quoted = format!("{text:?}");
            let data = RawValue::parse(quoted.as_bytes()).unwrap_or(RawValue::NULL);
            let params = LogMessage::new(LoggingLevel::Info, data);
            if let Some(message) = call.ahead(&Notification::new(method::MESSAGE).with_params(&params)) {
                // ignored: sending the response will fail, too, if the client has disconnected
                _ = self.client.send(message);
            }
        }
    }
}

fn server() -> Server<impl Routes<App>> {
    let service = Service::new("nanojsonrpc-conformance", env!("CARGO_PKG_VERSION")).declaring(&fixtures::DECLARED);
    let service = first::register(asking::register(polling::register(fixtures::register(service))));
    let service = tasks::register(skills::register(service))
        .resource("test://static-text", "static-text", "text/plain", |_: &mut App, call: ReadCall<'_>| {
            call.text("This is the content of the static text resource.")
        })
        .resource("test://static-binary", "static-binary", "image/png", |_: &mut App, call: ReadCall<'_>| {
            call.blob(IMAGE)
        })
        .resource_template(
            uri_template!("test://template/{id}/data"),
            "template",
            "application/json",
            |_: &mut App, call: ReadCall<'_>| {
                let mut buffer = [0; 64];
                let Some(id) = call.file_path("id", &mut buffer) else { return call.not_found() };
                call.text((r#"{"id":""#, id, r#"","templateTest":true,"data":"Data for ID: "#, id, r#""}"#))
            },
        )
        .prompt("test_simple_prompt", "A prompt without arguments.", &[], |_: &mut App, call: PromptCall<'_>| {
            call.user("This is a simple prompt for testing.")
        })
        .prompt(
            "test_prompt_with_arguments",
            "A prompt with two arguments.",
            TWO,
            |_: &mut App, call: PromptCall<'_>| {
                let argument = |name| call.argument(name).unwrap_or_default();
                let (one, two) = (argument("arg1"), argument("arg2"));
                call.user(("Prompt with arguments: arg1='", one, "', arg2='", two, "'"))
            },
        )
        .prompt(
            "test_prompt_with_embedded_resource",
            "A prompt with a resource.",
            URI,
            |_: &mut App, call: PromptCall<'_>| {
                let uri = Str::Raw(call.argument("resourceUri").unwrap_or_default());
                call.messages(&[
                    PromptMessage::new(
                        Role::User,
                        embedded(uri, "text/plain", "Embedded resource content for testing."),
                    ),
                    PromptMessage::new(Role::User, Content::text("Please process the embedded resource above.")),
                ])
            },
        )
        .prompt("test_prompt_with_image", "A prompt with an image.", &[], |_: &mut App, call: PromptCall<'_>| {
            call.messages(&[
                PromptMessage::new(Role::User, Content::image(IMAGE, "image/png")),
                PromptMessage::new(Role::User, Content::text("Please analyze the image above.")),
            ])
        })
        .completion("test_prompt_with_arguments", "arg1", |_: &mut App, call: CompletionCall<'_>| {
            call.among(&["paris", "park", "party"])
        });
    let router = listening::register(Router::new())
        .request(method::LOGGING_SET_LEVEL, set_level)
        .response(|app: &mut App, response: &Envelope<'_>| app.answered(response))
        .nest("", service.router());
    Server::new(router).with_dialect(Dialect::MCP)
}

const TWO: &[PromptArgument<'_>] =
    &[PromptArgument::required("arg1", "The first."), PromptArgument::required("arg2", "The second.")];
const URI: &[PromptArgument<'_>] = &[PromptArgument::required("resourceUri", "What to embed.")];

/// `logging/setLevel`, which only revisions with sessions have.
fn set_level(app: &mut App, params: Params<'_>, reply: Reply<'_>) -> Replied {
    if listening::is_stateless(&params) {
        return reply.error(ErrorObject::METHOD_NOT_FOUND);
    }
    match params.get("level").map(LoggingLevel::read) {
        Some(Ok(level)) => {
            app.level = level;
            reply.success(&EmptyResult::new())
        }
        _ => reply.error(ErrorObject::INVALID_PARAMS),
    }
}

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let (listen, is_empty) = arguments::parse(HELP, |parser| {
        let (mut listen, mut is_empty) = (LOCAL.to_owned(), false);
        while let Some(argument) = parser.next()? {
            match argument {
                Long("listen") => listen = address(parser.value()?)?,
                Long("empty") => is_empty = true,
                Short('h') | Long("help") => return Ok(None),
                _ => return Err(argument.unexpected()),
            }
        }
        Ok(Some((listen, is_empty)))
    });
    if is_empty {
        return http::serve(&listen, || Service::new("nanojsonrpc-empty", env!("CARGO_PKG_VERSION")).server(), &[]);
    }
    http::serve(&listen, server, &fixtures::TOOLS)
}
