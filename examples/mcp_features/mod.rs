//! An MCP server with tools (one of them slow), resources, a template, a prompt and completion. `mcp_stdio` and the page in `page/` serve
//! it.

use nanojsonrpc::Server;
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::PromptArgument;
use nanojsonrpc::mcp::{CompletionCall, PromptCall, ReadCall, Schema, Service, ToolCall, schema, uri_template};

/// A gray square, the smallest possible PNG.
const PIXEL: &[u8] = &[
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3A, 0x7E, 0x9B, 0x55, 0x00, 0x00, 0x00, 0x0A, 0x49,
    0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x68, 0x00, 0x00, 0x00, 0x82, 0x00, 0x81, 0xDA, 0x45, 0x08, 0x3B, 0x00, 0x00,
    0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
];

const ADD: Schema<'_> =
    schema!(r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}"#);
const ECHO: Schema<'_> = schema!(r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#);
const COUNT: Schema<'_> = schema!(
    r#"{"type":"object","properties":{"steps":{"type":"integer","minimum":1,"maximum":100}},"required":["steps"]}"#
);
const NAMES: &[&str] = &["Ada", "Alan", "Grace"];

/// The context of the handlers.
pub(crate) trait App {
    /// Sends a notification to the client.
    fn send(&mut self, notification: &[u8]);

    /// Sleeps for one step.
    fn rest(&mut self);
}

pub(crate) fn server<A: App>() -> Server<Service<A, impl Features<A>>> {
    Service::new("nanojsonrpc-example", env!("CARGO_PKG_VERSION"))
        .instructions("Adds, echoes, counts slowly, and greets.")
        .tool("add", "Adds two integers.", ADD, |_: &mut A, call: ToolCall<'_>| {
            let number = |name| call.get(name).and_then(|number| number.as_i64());
            let (Some(a), Some(b)) = (number("a"), number("b")) else {
                return call.invalid("a and b: expected integers of 64 bits");
            };
            match a.checked_add(b) {
                Some(sum) => call.text(sum),
                None => call.failed("the sum has more than 64 bits"),
            }
        })
        .tool("echo", "Says what it is told.", ECHO, |_: &mut A, call: ToolCall<'_>| {
            match call.get("text").and_then(|text| text.as_str_raw()) {
                Some(text) => call.text(text),
                None => call.invalid("text: expected a string"),
            }
        })
        .tool("count", "Counts, and takes its time.", COUNT, count)
        .resource("note:///greeting", "greeting", "text/plain", |_: &mut A, call: ReadCall<'_>| {
            call.text("Hello, world! \u{1F44B}")
        })
        .resource("note:///pixel", "pixel", "image/png", |_: &mut A, call: ReadCall<'_>| call.blob(PIXEL))
        .resource_template(
            uri_template!("greeting:///{name}"),
            "greetings",
            "text/plain",
            |_: &mut A, call: ReadCall<'_>| match call.variable("name") {
                Some(name) => call.text(("Hello, ", name, "!")),
                None => call.not_found(),
            },
        )
        .prompt("greet", "Asks for a greeting.", GREET, |_: &mut A, call: PromptCall<'_>| {
            let name = call.argument("name").unwrap_or_default();
            call.user(("Write a greeting for ", name, "."))
        })
        .completion("greet", "name", |_: &mut A, call: CompletionCall<'_>| call.among(NAMES))
        .completion("greeting:///{name}", "name", |_: &mut A, call: CompletionCall<'_>| call.among(NAMES))
        .server()
}

const GREET: &[PromptArgument<'_>] = &[PromptArgument::required("name", "Who is to be greeted.")];

/// Counts to `steps`, ten steps per second, and reports each step.
fn count<A: App>(app: &mut A, mut call: ToolCall<'_>) -> nanojsonrpc::server::Replied {
    let Some(steps) = call.get("steps").and_then(|steps| steps.as_i64()).filter(|steps| (1..=100).contains(steps))
    else {
        return call.invalid("steps: expected an integer from 1 to 100");
    };
    for step in 1..=steps {
        app.rest();
        if let Some(notification) = call.progress(step, Some(steps), Some("counting")) {
            app.send(notification);
        }
    }
    call.text(("counted to ", steps))
}
