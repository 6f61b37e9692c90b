//! An MCP server on the standard input and output of tokio. A slow tool reports progress and can be cancelled; other calls are answered
//! meanwhile.
//!
//! ```sh
//! cargo build --example mcp_tokio --features embedded-io-async,mcp   # then give a client the path of the program
//! ```

use core::time::Duration;

use embedded_io_adapters::tokio_1::FromTokio;
use nanojsonrpc::connection::{Cancellation, Connection};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::{Schema, Service, ToolCall, schema};
use nanojsonrpc::server::Replied;
use nanojsonrpc::{RawValue, Writer};
use tokio::io::{stdin, stdout};
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::sleep;

mod arguments;

/// The maximum number of tools that run at the same time; more calls wait.
const CALLS: usize = 4;
/// The maximum length of a call of a tool, and of its answer, in bytes.
const LEN: usize = 4096;
const COUNT: Schema<'_> = schema!(
    r#"{"type":"object","properties":{"steps":{"type":"integer","minimum":1,"maximum":100}},"required":["steps"]}"#
);

/// The context of the handlers: messages to the client. Each call has a clone.
type Outbox = Sender<Vec<u8>>;

/// Reports a cancelled call on standard error: the future of the call is dropped.
struct Steps {
    done: i64,
    all: i64,
}

impl Drop for Steps {
    fn drop(&mut self) {
        if self.done < self.all {
            eprintln!("cancelled at {} of {}", self.done, self.all);
        }
    }
}

async fn count(outbox: &mut Outbox, mut call: ToolCall<'_>) -> Replied {
    let Some(all) = call.get("steps").and_then(|steps| steps.as_i64()).filter(|all| (1..=100).contains(all)) else {
        return call.invalid("steps: expected an integer from 1 to 100");
    };
    let mut steps = Steps { done: 0, all };
    while steps.done < steps.all {
        sleep(Duration::from_millis(100)).await;
        steps.done = steps.done.saturating_add(1);
        // `None` if the client has not requested progress
        if let Some(message) = call.progress(steps.done, Some(all), None) {
            // an error only after the end of the connection
            _ = outbox.send(message.to_vec()).await;
        }
    }
    call.text(("counted to ", all))
}

#[tokio::main]
async fn main() {
    arguments::words("Serves the Model Context Protocol on standard input and output.", []);
    let mut server =
        Service::new("counter", "1.0.0").tool_async("count", "Counts ten steps a second.", COUNT, count).server();
    let (mut outbox, mut messages) = channel::<Vec<u8>>(CALLS);
    let (mut framer, mut output) = (Framer::<Lines, LEN>::new(), [0; LEN]);
    let (reader, writer) = (FromTokio::new(stdin()), FromTokio::new(stdout()));
    let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    // the progress of a call precedes its answer, because queued messages are sent first
    let queue = async move |out: &mut Writer<'_>| match messages.recv().await {
        Some(message) => out.value(&RawValue::parse(&message)?),
        None => Ok(()),
    };
    let serving = connection.concurrent::<CALLS, LEN, LEN>().cancelled_by(Cancellation::MCP).queued_by(queue);
    let served = serving.serve(&mut server, &mut outbox).await;
    if let Err(error) = &served {
        eprintln!("{error}");
    }
    // exits without `return`, because the runtime would wait for the pending read of standard input
    std::process::exit(i32::from(served.is_err()));
}
