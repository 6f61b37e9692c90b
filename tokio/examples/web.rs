//! JSON-RPC over HTTP and WebSocket, and MCP, in one axum application.

use axum::serve::ListenerExt as _;
use nanojsonrpc::mcp::{Schema, Service, schema};
use nanojsonrpc::server::AsyncRoutes;
use nanojsonrpc::{Dialect, Server};
use nanojsonrpc_tokio::axum::{Http, Mcp, websocket};
use nanojsonrpc_tokio::{Client, Methods};

const ADD: Schema<'_> = schema!(r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}"#);

#[derive(serde::Deserialize)]
struct Add {
    a: i64,
    b: i64,
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let methods = Methods::new(()).request("add", async |(), (a, b): (i64, i64)| Ok(a.saturating_add(b)));
    let tools =
        Service::new("adder", "1.0.0")
            .tool_async("add", "Adds.", ADD, async |_: &mut Client, Add { a, b }: Add| a.saturating_add(b).to_string());
    let routes = tools.router().boxed(|routes, peer, call, exchange| Box::pin(routes.route(peer, call, exchange)));
    let app = axum::Router::new()
        .route("/rpc", Http::new(methods.clone()).into())
        .route("/ws", websocket(nanojsonrpc_tokio::Server::new(methods)))
        .route("/mcp", Mcp::new(Server::new(routes).with_dialect(Dialect::MCP), |peer| peer).into());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    // otherwise a small message of a WebSocket may wait 40 ms; an error means that the client has gone
    axum::serve(listener.tap_io(|stream| _ = stream.set_nodelay(true)), app).await
}
