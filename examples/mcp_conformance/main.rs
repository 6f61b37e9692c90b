//! What the official conformance suite of the Model Context Protocol asks a server to have, on standard input and output.
//! With `--empty`: a server that has nothing.
//!
//! In the revisions with a session a tool may ask the client something while it runs: it then reads the answer itself. The
//! stateless revision has multi round-trip requests for that.

use std::io::{self, BufRead, StdinLock, StdoutLock, Write};

use nanojsonrpc::mcp::{
    CompletionCall, Content, EmptyResult, LOG_LEVEL, LogMessage, LoggingLevel, PROTOCOL_VERSION, PromptArgument,
    PromptCall, PromptMessage, ReadCall, Role, Service, ToolCall, method,
};
use nanojsonrpc::server::route::Routes;
use nanojsonrpc::server::{Replied, Reply};
use nanojsonrpc::{Dialect, ErrorObject, Id, Message, Notification, Params, RawValue, Request, Router, Server, Text};

mod asking;
mod first;
mod fixtures;

use fixtures::{IMAGE, embedded};

/// The id of what a tool asks: never is more than one such question open.
const ASKED: i64 = 1;
/// The longest answer.
const OUTPUT: usize = 256 * 1024;

/// What the handlers share: the client, and from which level on it wants log messages.
struct App {
    input: StdinLock<'static>,
    out: StdoutLock<'static>,
    level: LoggingLevel,
}

impl App {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.out.write_all(message)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }

    /// The next line; `None` at the end of input.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let read = self.input.read_until(b'\n', &mut line)?;
        Ok((read > 0).then_some(line))
    }

    /// Asks the client, and waits for its answer, which `then` gets; `None` if there is none.
    fn ask<T>(
        &mut self,
        call: &mut ToolCall<'_>,
        method: &str,
        params: RawValue<'_>,
        then: impl FnOnce(RawValue<'_>) -> T,
    ) -> Option<T> {
        self.send(call.ahead(&Request::new(ASKED, method).with_params(&params))?).ok()?;
        while let Some(line) = self.line().ok()? {
            match Message::parse_as(&line, Dialect::MCP) {
                Ok(Message::Response(response)) if response.id == Id::from(ASKED) => {
                    return response.outcome.ok().map(then);
                }
                // the client of the suite says nothing else meanwhile
                _ => {}
            }
        }
        None
    }

    /// Sends a log message at level info, if the client wants it.
    fn log(&mut self, call: &mut ToolCall<'_>, text: &'static str) {
        let level = match call.meta() {
            Some(meta) if call.revision().is_stateless() => {
                meta.get(LOG_LEVEL).and_then(|level| LoggingLevel::read(level).ok())
            }
            _ => Some(self.level),
        };
        if level.is_some_and(|level| level <= LoggingLevel::Info) {
            // plain ASCII, which Debug quotes as JSON does
            let quoted = format!("{text:?}");
            let data = RawValue::parse(quoted.as_bytes()).unwrap_or(RawValue::NULL);
            let params = LogMessage::new(LoggingLevel::Info, data);
            if let Some(message) = call.ahead(&Notification::new(method::MESSAGE).with_params(&params)) {
                // a client that is gone is noticed when it is answered
                _ = self.send(message);
            }
        }
    }
}

fn server() -> Server<impl Routes<App>> {
    let service = Service::new("nanojsonrpc-conformance", env!("CARGO_PKG_VERSION")).declaring(&fixtures::LOGGING);
    let service = first::register(asking::register(fixtures::register(service)))
        .resource("test://static-text", "static-text", "text/plain", |_: &mut App, call: ReadCall<'_>| {
            call.text("This is the content of the static text resource.")
        })
        .resource("test://static-binary", "static-binary", "image/png", |_: &mut App, call: ReadCall<'_>| {
            call.blob(IMAGE)
        })
        .resource_template(
            "test://template/{id}/data",
            "template",
            "application/json",
            |_: &mut App, call: ReadCall<'_>| {
                let id = call.variable("id").unwrap_or_default();
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
                let uri = Text::Raw(call.argument("resourceUri").unwrap_or_default());
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
    let router = Router::new().request(method::LOGGING_SET_LEVEL, set_level).merge(service.router());
    Server::new(router).with_dialect(Dialect::MCP)
}

const TWO: &[PromptArgument<'_>] =
    &[PromptArgument::required("arg1", "The first."), PromptArgument::required("arg2", "The second.")];
const URI: &[PromptArgument<'_>] = &[PromptArgument::required("resourceUri", "What to embed.")];

/// `logging/setLevel`, which only sessions have.
fn set_level(app: &mut App, params: Params<'_>, reply: Reply<'_>) -> Replied {
    if params.get("_meta").is_some_and(|meta| meta.get(PROTOCOL_VERSION).is_some()) {
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

fn serve(server: &mut Server<impl Routes<App>>) -> io::Result<()> {
    let mut app = App { input: io::stdin().lock(), out: io::stdout().lock(), level: LoggingLevel::Debug };
    let mut output = vec![0; OUTPUT];
    while let Some(line) = app.line()? {
        if let Some(answer) = server.process(&mut app, &line, &mut output) {
            app.send(answer)?;
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    if std::env::args().any(|argument| argument == "--empty") {
        return serve(&mut Service::new("nanojsonrpc-empty", env!("CARGO_PKG_VERSION")).server());
    }
    serve(&mut server())
}
