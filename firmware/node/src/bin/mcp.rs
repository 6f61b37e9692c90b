//! The server of `examples/mcp_stdio.rs` on a chip, with tools for the board: the Model Context Protocol on a UART.
//!
//! `firmware/run ELF` is the command of the server for an MCP client. The tools for the board are `temperature` and `led`.
#![no_std]
#![no_main]

use nanojsonrpc::Server;
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::PromptArgument;
use nanojsonrpc::mcp::{CompletionCall, PromptCall, ReadCall, Schema, Service, ToolCall, schema, uri_template};
use nanojsonrpc::server::Replied;
use node::{Board, Buffers};

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
const NOTHING: Schema<'_> = schema!(r#"{"type":"object"}"#);
const LED: Schema<'_> = schema!(r#"{"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"]}"#);
const GREET: &[PromptArgument<'_>] = &[PromptArgument::required("name", "Who is to be greeted.")];
const NAMES: &[&str] = &["Ada", "Alan", "Grace"];

fn server() -> Server<Service<Board, impl Features<Board>>> {
    Service::new("nanojsonrpc-chip", env!("CARGO_PKG_VERSION"))
        .instructions("Adds, echoes, counts slowly, greets, and knows its temperature and its LED.")
        .tool("add", "Adds two integers.", ADD, |_: &mut Board, call: ToolCall<'_>| {
            let number = |name| call.get(name).and_then(|number| number.as_i64());
            let (Some(a), Some(b)) = (number("a"), number("b")) else {
                return call.invalid("a and b: expected integers of 64 bits");
            };
            match a.checked_add(b) {
                Some(sum) => call.text(sum),
                None => call.failed("the sum has more than 64 bits"),
            }
        })
        .tool("echo", "Says what it is told.", ECHO, |_: &mut Board, call: ToolCall<'_>| {
            match call.get("text").and_then(|text| text.as_str_raw()) {
                Some(text) => call.text(text),
                None => call.invalid("text: expected a string"),
            }
        })
        .tool("count", "Counts, and takes its time.", COUNT, count)
        .tool("temperature", "Measures how warm the chip is.", NOTHING, |board: &mut Board, call: ToolCall<'_>| {
            match board.temperature() {
                Some(temperature) => {
                    call.text((i64::from(temperature.millicelsius), " thousandths of a degree Celsius"))
                }
                None => call.failed("not measured yet"),
            }
        })
        .tool("led", "Turns the LED on or off.", LED, |board: &mut Board, call: ToolCall<'_>| {
            match call.get("on").and_then(|on| on.as_bool()) {
                Some(is_on) => {
                    board.set_led(is_on);
                    call.text(if is_on { "on" } else { "off" })
                }
                None => call.invalid("on: expected true or false"),
            }
        })
        .resource("note:///greeting", "greeting", "text/plain", |_: &mut Board, call: ReadCall<'_>| {
            call.text("Hello, world! \u{1F44B}")
        })
        .resource("note:///pixel", "pixel", "image/png", |_: &mut Board, call: ReadCall<'_>| call.blob(PIXEL))
        .resource_template(
            uri_template!("greeting:///{name}"),
            "greetings",
            "text/plain",
            |_: &mut Board, call: ReadCall<'_>| match call.variable("name") {
                Some(name) => call.text(("Hello, ", name, "!")),
                None => call.not_found(),
            },
        )
        .prompt("greet", "Asks for a greeting.", GREET, |_: &mut Board, call: PromptCall<'_>| {
            let name = call.argument("name").unwrap_or_default();
            call.user(("Write a greeting for ", name, "."))
        })
        .completion("greet", "name", |_: &mut Board, call: CompletionCall<'_>| call.among(NAMES))
        .completion("greeting:///{name}", "name", |_: &mut Board, call: CompletionCall<'_>| call.among(NAMES))
        .server()
}

/// Counts to `steps`, ten steps a second, and sends a notification at each.
fn count(board: &mut Board, mut call: ToolCall<'_>) -> Replied {
    let Some(steps) = call.get("steps").and_then(|steps| steps.as_i64()).filter(|steps| (1..=100).contains(steps))
    else {
        return call.invalid("steps: expected an integer from 1 to 100");
    };
    for step in 1..=steps {
        board.wait(100);
        if let Some(notification) = call.progress(step, Some(steps), Some("counting")) {
            board.send(notification);
        }
    }
    call.text(("counted to ", steps))
}

#[cortex_m_rt::entry]
fn main() -> ! {
    static mut BUFFERS: Buffers<8192, 16384> = Buffers::new();
    let mut server = server();
    node::run(BUFFERS, |board, line, output| match line {
        Ok(text) => server.process(board, text, output).answer(),
        Err(error) => server.refuse(error, output).answer(),
    })
}
