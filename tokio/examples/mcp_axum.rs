//! An MCP server in an axum application: Streamable HTTP for all revisions, with sessions and with streams of events.
//!
//! ```sh
//! cargo run -p nanojsonrpc-tokio --features mcp --example mcp_axum -- --listen 127.0.0.1:4000   # then give a client http://127.0.0.1:4000/mcp
//! ```

use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use nanojsonrpc::http::Origins;
use nanojsonrpc::mcp::{Schema, Service, ToolCall, schema};
use nanojsonrpc::server::{AsyncRoutes, Replied};
use nanojsonrpc::{Dialect, Server};
use nanojsonrpc_tokio::axum::Mcp;
use nanojsonrpc_tokio::{Client, Options};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;

#[path = "../../examples/arguments/mod.rs"]
mod arguments;

/// The limit of the steps bounds the time of a call: before 2026-07-28, a client that disconnects does not cancel its call.
const COUNT: Schema<'_> = schema!(
    r#"{"type":"object","properties":{"steps":{"type":"integer","minimum":1,"maximum":100}},"required":["steps"]}"#
);
/// The greatest number of connections. More clients wait in the queue of the system.
const CLIENTS: usize = 128;
/// The greatest time for a head, for a body, and in which a client reads no byte.
const PATIENCE: Duration = Duration::from_secs(5);
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
    let address = arguments::listen("Serves the Model Context Protocol over HTTP, in an axum application.");
    let service = Service::new("nanojsonrpc-http", env!("CARGO_PKG_VERSION"));
    let service = service.tool_async("count", "Counts ten steps a second.", COUNT, count);
    let routes =
        service.router().boxed(|routes, client, call, exchange| Box::pin(routes.route(client, call, exchange)));
    let server = Server::new(routes).with_dialect(Dialect::MCP);
    let mcp = Mcp::with(server, |client| client, Options::new().idle(PATIENCE), Origins::Local);
    let bound = TcpListener::bind(&address).await;
    let listener = bound.map_err(|error| format!("cannot listen on {address}: {error}"))?;
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
    let router = axum::Router::new().route("/mcp", mcp.into());
    // `axum::serve` has no limits
    let places = Arc::new(Semaphore::new(CLIENTS));
    loop {
        let place = Arc::clone(&places).acquire_owned().await?;
        match listener.accept().await {
            Ok((stream, _)) => _ = tokio::spawn(serve(stream, router.clone(), place)),
            // the system has no more descriptors: wait until clients disconnect
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Serves the requests of a client until it disconnects, or is late.
async fn serve(stream: TcpStream, router: axum::Router, _place: OwnedSemaphorePermit) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(PATIENCE));
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    // an error is the end of a connection
    _ = server.serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router)).await;
}
