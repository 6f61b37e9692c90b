//! The rotating calls, and the clients that make them.

use std::process::Stdio;
use std::sync::{Arc, LazyLock};

use jsonrpsee::core::client::ClientT as _;
use jsonrpsee::core::traits::ToRpcParams;
use jsonrpsee::http_client::HttpClient;
use jsonrpsee::ws_client::{WsClient, WsClientBuilder};
use nanojsonrpc_tokio::{Client, Options, websocket};
use rmcp::model::CallToolRequestParams;
use rmcp::service::RunningService;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{RoleClient, ServiceExt as _};
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::process::Process;

/// Different calls, because the branch predictor would learn a single one.
const CALLS: usize = 512;

/// What a sensor has read.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
pub struct Reading {
    pub sensor: String,
    pub unit: String,
    pub at: u64,
    pub values: Vec<f64>,
}

/// The params of `add`, and those of `store`, which returns them.
struct Params {
    add: (i64, i64),
    store: (Reading,),
}

static PARAMS: LazyLock<Vec<Params>> = LazyLock::new(|| {
    let params = |number: usize| {
        let seed = number as i64;
        let values = (0..number % 6).map(|value| (number * 37 + value * 11) as f64 / 8.0).collect();
        let sensor =
            format!("{}/{}", ["hall", "kitchen", "boiler room", "Küche", "roof\"top\""][number % 5], number * 7919);
        let reading = Reading { sensor, unit: "°C".into(), at: 1_764_000_000_000 + number as u64 * 977, values };
        Params { add: (seed * 7_919 % 100_003, seed * 104_729 % 1_009), store: (reading,) }
    };
    (0..CALLS).map(params).collect()
});

/// Serialises as jsonrpsee expects it.
struct Positional<'a, T>(&'a T);

impl<T: Serialize> ToRpcParams for Positional<'_, T> {
    fn to_rpc_params(self) -> std::result::Result<Option<Box<serde_json::value::RawValue>>, serde_json::Error> {
        serde_json::value::to_raw_value(self.0).map(Some)
    }
}

/// A client of a server.
#[derive(Clone)]
pub enum Peer {
    Ours(Client),
    WebSocket(Arc<WsClient>),
    Http(HttpClient),
    Mcp(Arc<RunningService<RoleClient, ()>>),
}

impl Peer {
    /// Makes the call of this number, and compares its result.
    pub async fn call(&self, number: usize) -> Result<()> {
        let Params { add, store } = &PARAMS[number % CALLS];
        let is_right = match self {
            Self::Mcp(client) => {
                let arguments = serde_json::json!({"a": add.0, "b": add.1});
                let params = CallToolRequestParams::new("add")
                    .with_arguments(arguments.as_object().cloned().unwrap_or_default());
                let result = client.call_tool(params).await?;
                result
                    .content
                    .first()
                    .and_then(|part| part.as_text())
                    .is_some_and(|part| part.text == (add.0 + add.1).to_string())
            }
            Self::Ours(client) if number % 2 == 0 => client.call::<i64>("add", add).await? == add.0 + add.1,
            Self::Ours(client) => client.call::<Reading>("store", store).await? == store.0,
            Self::WebSocket(client) if number % 2 == 0 => {
                client.request::<i64, _>("add", Positional(add)).await? == add.0 + add.1
            }
            Self::WebSocket(client) => client.request::<Reading, _>("store", Positional(store)).await? == store.0,
            Self::Http(client) if number % 2 == 0 => {
                client.request::<i64, _>("add", Positional(add)).await? == add.0 + add.1
            }
            Self::Http(client) => client.request::<Reading, _>("store", Positional(store)).await? == store.0,
        };
        if is_right { Ok(()) } else { Err("a wrong result".into()) }
    }
}

/// Starts the server `name` and a client of it.
pub async fn start(transport: &str, name: &str) -> Result<(Process, Peer)> {
    let server = format!("{transport}-{name}");
    if transport == "stdio" {
        let mut command = tokio::process::Command::new(std::env::current_exe()?);
        command.args(["serve", &server]).stderr(Stdio::inherit());
        let child = TokioChildProcess::new(command)?;
        let process = Process::running(child.id().ok_or("no process")?);
        return Ok((process, Peer::Mcp(Arc::new(().serve(child).await?))));
    }
    let process = Process::start(&server)?;
    let port = process.port;
    let peer = match (transport, name) {
        ("ws", "ours") => {
            let options = Options::new();
            let transport = websocket::connect(&format!("ws://127.0.0.1:{port}"), Vec::new(), &options).await?;
            Peer::Ours(Client::with_transport(transport, options))
        }
        ("ws", _) => {
            let client = WsClientBuilder::new().max_concurrent_requests(4096).build(format!("ws://127.0.0.1:{port}"));
            Peer::WebSocket(Arc::new(client.await?))
        }
        ("http", _) => Peer::Http(HttpClient::builder().build(format!("http://127.0.0.1:{port}"))?),
        _ => {
            let transport = StreamableHttpClientTransport::from_uri(format!("http://127.0.0.1:{port}/mcp"));
            Peer::Mcp(Arc::new(().serve(transport).await?))
        }
    };
    Ok((process, peer))
}
