//! The servers: the same methods and the same tool.

use std::io::Write as _;
use std::sync::Arc;

use axum::serve::ListenerExt as _;
use jsonrpsee::RpcModule;
use jsonrpsee::server::ServerConfig;
use jsonrpsee::types::ErrorObjectOwned;
use nanojsonrpc::mcp::{Schema, Service, schema};
use nanojsonrpc::server::{AsyncRoutes as _, BoxedRoutes};
use nanojsonrpc::{Dialect, ErrorObject};
use nanojsonrpc_tokio::axum::{Http, Mcp, websocket};
use nanojsonrpc_tokio::{Client, Methods, Options, ServedAsync, Server};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ServerCapabilities, ServerConfig as ServerInfo};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt as _, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;
use tokio::net::TcpListener;

use crate::Result as Outcome;
use crate::calls::Reading;

const CONNECTIONS: u32 = 20_000;

/// Runs the server `name` until the process is killed, or until standard input ends.
pub async fn serve(name: &str) -> Outcome<()> {
    match name {
        "stdio-ours" => {
            let server = tools();
            let server = Server::per_connection(move |peer: &Client| ServedAsync::new(server.clone(), peer.clone()));
            server.options(Options::new().dialect(Dialect::MCP)).serve_stdio().await;
            return Ok(());
        }
        "stdio-rmcp-pipes" => {
            Adder.serve(rmcp::transport::stdio_pipes()).await?.waiting().await?;
            return Ok(());
        }
        "stdio-rmcp" => {
            Adder.serve(rmcp::transport::stdio()).await?.waiting().await?;
            return Ok(());
        }
        _ => {}
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?.port());
    std::io::stdout().flush()?;
    let app = match name {
        "ws-jsonrpsee" | "http-jsonrpsee" => {
            let config = ServerConfig::builder().max_connections(CONNECTIONS).build();
            let server = jsonrpsee::server::Server::builder().set_config(config);
            server.build_from_tcp(listener.into_std()?)?.start(module()?).stopped().await;
            return Ok(());
        }
        "ws-ours" => {
            axum::Router::new().route("/", websocket(Server::new(methods()).connections(CONNECTIONS as usize)))
        }
        "http-ours" => axum::Router::new().route("/", Http::new(methods()).into()),
        "mcp-ours" => axum::Router::new().route("/mcp", Mcp::new(tools(), |peer| peer).into()),
        "mcp-rmcp" => rmcp_app(StreamableHttpServerConfig::default()),
        // what it answers fastest
        "mcp-rmcp-json" => {
            rmcp_app(StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true))
        }
        _ => return Err(format!("no server {name}").into()),
    };
    // as jsonrpsee does by itself; an error means that the client has gone
    let listener = listener.tap_io(|stream| _ = stream.set_nodelay(true));
    Ok(axum::serve(listener, app).await?)
}

fn methods() -> Methods<()> {
    Methods::new(())
        .request("add", async |(), (a, b): (i64, i64)| a.checked_add(b).ok_or(ErrorObject::INVALID_PARAMS))
        .request("store", async |(), (reading,): (Reading,)| Ok(reading))
}

fn module() -> Outcome<RpcModule<()>> {
    let mut module = RpcModule::new(());
    module.register_async_method("add", async |params, _, _| {
        let (a, b): (i64, i64) = params.parse()?;
        a.checked_add(b).ok_or_else(|| ErrorObjectOwned::owned(-32602, "Invalid params", None::<()>))
    })?;
    module.register_async_method("store", async |params, _, _| {
        let (reading,): (Reading,) = params.parse()?;
        Ok::<_, ErrorObjectOwned>(reading)
    })?;
    Ok(module)
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

const ADD: Schema<'_> =
    schema!(r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}"#);

fn tools() -> nanojsonrpc::Server<BoxedRoutes<Client>> {
    let service =
        Service::new("adder", "1.0.0")
            .tool_async("add", "Adds.", ADD, async |_: &mut Client, Add { a, b }: Add| a.saturating_add(b).to_string());
    let routes = service.router().boxed(|routes, peer, call, exchange| Box::pin(routes.route(peer, call, exchange)));
    nanojsonrpc::Server::new(routes).with_dialect(Dialect::MCP)
}

#[derive(Clone)]
struct Adder;

#[tool_router]
impl Adder {
    #[tool(description = "Adds.")]
    async fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
        a.saturating_add(b).to_string()
    }
}

#[tool_handler]
impl ServerHandler for Adder {
    fn get_info(&self) -> ServerInfo {
        ServerInfo::new(ServerCapabilities::builder().enable_tools().build())
    }
}

fn rmcp_app(config: StreamableHttpServerConfig) -> axum::Router {
    let service = StreamableHttpService::new(|| Ok(Adder), Arc::new(LocalSessionManager::default()), config);
    axum::Router::new().nest_service("/mcp", service)
}
