//! An MCP server in an axum application: Streamable HTTP for all revisions, with sessions and with streams of events.
//!
//! ```sh
//! cargo run -p nanojsonrpc-tokio --features mcp --example mcp_axum -- --listen 127.0.0.1:4000   # then give a client http://127.0.0.1:4000/mcp
//! ```

use std::time::Duration;

use nanojsonrpc::mcp::{Schema, Service, ToolCall, schema};
use nanojsonrpc::server::{AsyncRoutes, Replied};
use nanojsonrpc::{Dialect, Server};
use nanojsonrpc_tokio::Client;
use nanojsonrpc_tokio::axum::Mcp;
use tokio::net::TcpListener;

/// The limit of the steps bounds the time of a call: before 2026-07-28, a client that disconnects does not cancel its call.
const COUNT: Schema<'_> = schema!(
    r#"{"type":"object","properties":{"steps":{"type":"integer","minimum":1,"maximum":100}},"required":["steps"]}"#
);
const PING_EVERY: Duration = Duration::from_secs(15);

/// Reports a call whose future is dropped before it is done.
struct Progress {
    step: i64,
    steps: i64,
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.step < self.steps {
            println!("cancelled at {}", self.step);
        }
    }
}

async fn count(client: &mut Client, mut call: ToolCall<'_>) -> Replied {
    let Some(steps) = call.get("steps").and_then(|steps| steps.as_i64()).filter(|steps| (1..=100).contains(steps))
    else {
        return call.invalid("steps: expected an integer from 1 to 100");
    };
    let mut progress = Progress { step: 0, steps };
    for step in 1..=steps {
        tokio::time::sleep(Duration::from_millis(100)).await;
        // `None` if the client has not requested progress
        if let Some(message) = call.progress(step, Some(steps), None).map(<[u8]>::to_vec) {
            // an error if the client has closed the stream
            _ = client.send_text(message).await;
        }
        progress.step = step;
    }
    call.text(("counted to ", steps))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1).skip_while(|word| word != "--listen");
    let address = words.nth(1).ok_or("usage: mcp_axum --listen ADDR:PORT")?;
    let service = Service::new("nanojsonrpc-http", env!("CARGO_PKG_VERSION"));
    let service = service.tool_async("count", "Counts ten steps a second.", COUNT, count);
    let routes =
        service.router().boxed(|routes, client, call, exchange| Box::pin(routes.route(client, call, exchange)));
    let mcp = Mcp::new(Server::new(routes).with_dialect(Dialect::MCP), |client| client);
    let listener = TcpListener::bind(&address).await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    let listeners = mcp.clone();
    tokio::spawn(async move {
        let mut clock = tokio::time::interval(PING_EVERY);
        loop {
            clock.tick().await;
            // keeps the streams of listeners open; they ignore it
            _ = listeners.notify("notifications/alive", &());
        }
    });
    axum::serve(listener, axum::Router::new().route("/mcp", mcp.into())).await?;
    Ok(())
}
