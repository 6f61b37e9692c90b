//! A server of the Model Context Protocol, in both generations: two tools, a text and a blob, a template, a prompt with an
//! argument, completion, pages.

use nanojsonrpc::Server;
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::PromptArgument;
use nanojsonrpc::mcp::{CompletionCall, PromptCall, ReadCall, Schema, Service, ToolCall, schema, uri_template};

const ADD: Schema<'_> =
    schema!(r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}"#);
const ECHO: Schema<'_> = schema!(r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#);
const GREET: &[PromptArgument<'_>] = &[PromptArgument::required("name", "Who is to be greeted.")];
const NAMES: &[&str] = &["Ada", "Alan", "Grace"];
static PIXEL: [u8; 67] = [0x89; 67];

pub fn server() -> Server<Service<(), impl Features<()>>> {
    Service::new("firmware", "0.1.0")
        .tool("add", "Adds two integers.", ADD, |_: &mut (), call: ToolCall<'_>| {
            let number = |name| call.get(name).and_then(|number| number.as_i64());
            let (Some(a), Some(b)) = (number("a"), number("b")) else {
                return call.invalid("a and b: expected integers of 64 bits");
            };
            match a.checked_add(b) {
                Some(sum) => call.text(sum),
                None => call.failed("the sum has more than 64 bits"),
            }
        })
        .tool("echo", "Says what it is told.", ECHO, |_: &mut (), call: ToolCall<'_>| {
            match call.get("text").and_then(|text| text.as_str_raw()) {
                Some(text) => call.text(text),
                None => call.invalid("text: expected a string"),
            }
        })
        .resource("note:///greeting", "greeting", "text/plain", |_: &mut (), call: ReadCall<'_>| call.text("Hello!"))
        .resource("note:///pixel", "pixel", "image/png", |_: &mut (), call: ReadCall<'_>| call.blob(&PIXEL))
        .resource_template(
            uri_template!("greeting:///{name}"),
            "greetings",
            "text/plain",
            |_: &mut (), call: ReadCall<'_>| match call.variable("name") {
                Some(name) => call.text(("Hello, ", name, "!")),
                None => call.not_found(),
            },
        )
        .prompt("greet", "Asks for a greeting.", GREET, |_: &mut (), call: PromptCall<'_>| {
            let name = call.argument("name").unwrap_or_default();
            call.user(("Write a greeting for ", name, "."))
        })
        .completion("greet", "name", |_: &mut (), call: CompletionCall<'_>| call.among(NAMES))
        .server()
}
