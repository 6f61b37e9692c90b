//! `jrpc bridge`: devices as the tools of one MCP server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clap::Args;
use futures_util::StreamExt as _;
use nanojsonrpc::connection::Cancellation;
use nanojsonrpc::http::Origins;
use nanojsonrpc::json::{Kind, ObjectWriter, ValueWriter, Written};
use nanojsonrpc::mcp::types::{PROTOCOL_VERSION, SERVER_INFO};
use nanojsonrpc::mcp::{Revision, Service, method};
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc::server::{AsyncRoutes as _, BoxedRoutes, Replied, Reply};
use nanojsonrpc::{Dialect, ErrorCode, ErrorObject, Params, RawValue, Router, ToJson};
use nanojsonrpc_tokio::axum::Mcp;
use nanojsonrpc_tokio::{Client, Options, ServedAsync, Server};
use serde::Serialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::address::Address;
use crate::args::PeerOptions;
use crate::device::{Device, Tool};
use crate::fault::Fault;
use crate::listen::{Listen, serve_web, stopped};
use crate::peer::Peer;
use crate::print::say;

/// Serve devices as the tools of one MCP server
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    jrpc bridge serial:///dev/ttyACM0 tcp://lamp.local:4000\n  \
    jrpc bridge lamp fan --listen http://127.0.0.1:8080/mcp\n  \
    jrpc bridge lamp 'mcp:exec:npx -y @modelcontextprotocol/server-everything'\n\n\
    A client of MCP starts the first one: {\"command\": \"jrpc\", \"args\": [\"bridge\", \"serial:///dev/ttyACM0\"]}")]
pub(crate) struct Bridge {
    /// Addresses, or names of the file of peers; mcp: before an address for an MCP server
    #[arg(required = true, value_name = "PEER")]
    devices: Vec<String>,
    /// Serve Streamable HTTP on http://HOST:PORT/PATH, not standard input and output
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<Listen>,
    #[command(flatten)]
    options: PeerOptions,
}

const NAME: &str = "jrpc-bridge";
/// The levels of logs, from the lowest.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
/// The level of the notifications of devices.
const INFO: usize = 1;

const fn constant(text: &'static str) -> RawValue<'static> {
    match RawValue::constant(text) {
        Some(value) => value,
        None => RawValue::NULL,
    }
}

const NO_ARGUMENTS: RawValue<'_> = constant("{}");

static CAPABILITIES: [(&str, RawValue<'_>); 2] =
    [("logging", constant("{}")), ("tools", constant(r#"{"listChanged":true}"#))];

/// The devices, their tools, and the clients.
pub(crate) struct Shared {
    devices: Vec<Arc<Device>>,
    /// Each with the place of its device.
    tools: Mutex<Vec<(usize, Tool)>>,
    clients: Mutex<Clients>,
    /// The lowest level of logs that clients receive, once they have opened a session.
    level: AtomicUsize,
}

/// How clients receive notifications.
enum Clients {
    None,
    One(Client),
    Http(Mcp<Arc<Shared>>),
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Replaces the tools of the device at `place`, with names that no other tool has.
    fn replace(&self, place: usize, new: Vec<Tool>) -> bool {
        let mut tools = locked(&self.tools);
        let is_same = |(_, old): &&(usize, Tool)| new.iter().any(|tool| tool.is_like(old));
        let mine = tools.iter().filter(|(owner, _)| *owner == place);
        if mine.clone().count() == new.len() && mine.clone().all(|tool| is_same(&tool)) {
            return false;
        }
        tools.retain(|(owner, _)| *owner != place);
        for mut tool in new {
            tool.make_unique(|name| tools.iter().any(|(_, other)| other.name == name));
            tools.push((place, tool));
        }
        true
    }

    /// Sends a notification to all clients with a session.
    async fn notify(&self, method: &str, params: &impl Serialize) {
        if self.level.load(Ordering::Relaxed) >= LEVELS.len() {
            return;
        }
        let client = match &*locked(&self.clients) {
            Clients::One(client) => client.clone(),
            // an error means that it is too long
            Clients::Http(mcp) => {
                _ = mcp.notify(method, params);
                return;
            }
            Clients::None => return,
        };
        // an error means that the client has gone
        _ = client.notify(method, params).await;
    }

    /// Keeps the tools of a device up to date.
    async fn follow(self: Arc<Self>, device: Arc<Device>, place: usize) {
        while let Some(tools) = device.next_tools().await {
            if self.replace(place, tools) {
                self.notify(method::TOOLS_LIST_CHANGED, &json!({})).await;
            }
            device.listed();
        }
    }

    /// Passes the notifications of a device on.
    async fn listen(self: Arc<Self>, device: Arc<Device>) {
        let mut notifications = std::pin::pin!(device.notifications());
        while let Some(notification) = notifications.next().await {
            match notification {
                Err(missed) => say(format_args!("{}: {missed}", device.name)),
                Ok(changed) if device.is_mcp() && changed.method() == *method::TOOLS_LIST_CHANGED => {
                    device.list_again()
                }
                Ok(_) if self.level.load(Ordering::Relaxed) > INFO => {}
                Ok(notification) => {
                    let params = notification.payload().and_then(|params| parsed(params).ok());
                    let data = json!({ "method": notification.method().to_string(), "params": params });
                    let log = json!({ "level": "info", "logger": device.name, "data": data });
                    self.notify(method::MESSAGE, &log).await;
                }
            }
        }
    }
}

/// The members that a revision adds to a result, which is an object.
struct Complete<T> {
    is_stateless: bool,
    is_list: bool,
    members: T,
}

impl<T: Fn(&mut ObjectWriter<'_, '_>)> ToJson for Complete<T> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.object(|object| {
            if self.is_stateless {
                object.member("resultType", "complete");
            }
            (self.members)(object);
            if self.is_stateless {
                if self.is_list {
                    object.member("ttlMs", &0);
                    object.member("cacheScope", "private");
                }
                let info = json!({ "name": NAME, "version": env!("CARGO_PKG_VERSION") });
                object.member("_meta", &json!({ SERVER_INFO: info }));
            }
        })
    }
}

fn parsed(value: RawValue<'_>) -> serde_json::Result<Value> {
    serde_json::from_slice(value.as_bytes())
}

/// Whether a request is one of 2026-07-28; the answer if it is of an unknown revision.
fn is_stateless(params: &Params<'_>) -> Result<bool, ErrorObject<'static>> {
    let version = params.get("_meta").and_then(|meta| meta.get(PROTOCOL_VERSION));
    match version.map(|version| version.as_str_raw()) {
        None => Ok(false),
        Some(Some(version)) if version == *Revision::LATEST.as_str() => Ok(true),
        Some(_) => Err(ErrorObject::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version")),
    }
}

async fn list(shared: &mut Arc<Shared>, params: Params<'_>, reply: Reply<'_>) -> Replied {
    let is_stateless = match is_stateless(&params) {
        Ok(is_stateless) => is_stateless,
        Err(error) => return reply.error(error),
    };
    for device in &shared.devices {
        device.tried().await;
    }
    let tools: Vec<_> = locked(&shared.tools).iter().map(|(_, tool)| tool.definition()).collect();
    let members = |object: &mut ObjectWriter<'_, '_>| object.member("tools", &tools);
    reply.success(&Complete { is_stateless, is_list: true, members })
}

async fn call(shared: &mut Arc<Shared>, params: Params<'_>, reply: Reply<'_>) -> Replied {
    let is_stateless = match is_stateless(&params) {
        Ok(is_stateless) => is_stateless,
        Err(error) => return reply.error(error),
    };
    let name = params.get("name").and_then(|name| name.as_str_raw()).map(|name| name.to_string());
    let name = name.unwrap_or_default();
    let found = locked(&shared.tools).iter().find(|(_, tool)| tool.name == name).cloned();
    let device = found.as_ref().and_then(|(place, _)| shared.devices.get(*place));
    let (Some((_, tool)), Some(device)) = (&found, device) else {
        let data = json!({ "name": name });
        return reply.error(ErrorObject::new(ErrorCode::INVALID_PARAMS, "Unknown tool").with_data(data));
    };
    let arguments = params.get("arguments").filter(|arguments| !arguments.is_null()).unwrap_or(NO_ARGUMENTS);
    if arguments.kind() != Kind::Object {
        let message = "Invalid params: expected an object as arguments";
        return reply.error(ErrorObject::new(ErrorCode::INVALID_PARAMS, message));
    }
    let answer = device.call(tool, arguments).await;
    let outcome = match &answer {
        Ok(answer) => match (answer.envelope().result(), answer.envelope().error_object()) {
            (Some(result), _) => Ok(result),
            (None, Some(error)) => Err(OwnedErrorObject::from(error)),
            (None, None) => Err(ErrorObject::INTERNAL_ERROR.into()),
        },
        Err(error) => Err(error.clone()),
    };
    let members = |object: &mut ObjectWriter<'_, '_>| match &outcome {
        // the server at the device has written a result of MCP
        Ok(result) if device.is_mcp() => object.members(*result),
        Ok(result) => {
            object.member("content", &json!([{ "type": "text", "text": result.as_json() }]));
            if result.kind() == Kind::Object {
                object.member("structuredContent", result);
            }
        }
        Err(error) => {
            let data = error.borrowed().data.and_then(|data| parsed(data).ok());
            let mut text = json!({ "code": error.code.0, "message": error.message });
            if let (Some(text), Some(data)) = (text.as_object_mut(), data) {
                text.insert("data".to_owned(), data);
            }
            object.member("content", &json!([{ "type": "text", "text": text.to_string() }]));
            object.member("isError", &true);
        }
    };
    reply.success(&Complete { is_stateless, is_list: false, members })
}

fn set_level(shared: &mut Arc<Shared>, params: Params<'_>, reply: Reply<'_>) -> Replied {
    let level = params.get("level").and_then(|level| level.as_str_raw());
    match LEVELS.iter().position(|name| level.is_some_and(|level| level == **name)) {
        Some(level) => {
            shared.level.store(level, Ordering::Relaxed);
            reply.success(&json!({}))
        }
        None => reply.error(ErrorObject::INVALID_PARAMS),
    }
}

fn server() -> nanojsonrpc::Server<BoxedRoutes<Arc<Shared>>> {
    let service = Service::new(NAME, env!("CARGO_PKG_VERSION")).declaring(&CAPABILITIES);
    let router = Router::new()
        .request_async(method::TOOLS_LIST, list)
        .request_async(method::TOOLS_CALL, call)
        .request(method::LOGGING_SET_LEVEL, set_level)
        .notification(method::INITIALIZED, |shared: &mut Arc<Shared>| {
            // until then, a client of 2026-07-28 receives no notification
            _ = shared.level.compare_exchange(LEVELS.len(), INFO, Ordering::Relaxed, Ordering::Relaxed);
        })
        .nest("", service.router());
    let routes = router.boxed(|routes, shared, call, exchange| Box::pin(routes.route(shared, call, exchange)));
    nanojsonrpc::Server::new(routes).with_dialect(Dialect::MCP)
}

impl Bridge {
    pub(crate) async fn run(&self) -> Result<(), Fault> {
        let stopped = stopped()?;
        let peers = self.devices.iter().map(|name| {
            let (address, is_mcp) = name.strip_prefix("mcp:").map_or((name.as_str(), false), |address| (address, true));
            let options = PeerOptions { mcp: is_mcp || self.options.mcp, ..self.options.clone() };
            Peer::find(address, &options)
        });
        let peers = peers.collect::<Result<Vec<_>, _>>()?;
        if self.listen.is_none() && peers.iter().any(|peer| peer.address == Address::Stdio) {
            return Err(Fault::usage("standard input and output belong to the client of MCP; use --listen"));
        }
        let shared = Arc::new(Shared {
            devices: Device::all(peers),
            tools: Mutex::default(),
            clients: Mutex::new(Clients::None),
            level: AtomicUsize::new(LEVELS.len()),
        });
        for (place, device) in shared.devices.iter().enumerate() {
            tokio::spawn(Arc::clone(&shared).follow(Arc::clone(device), place));
            tokio::spawn(Arc::clone(&shared).listen(Arc::clone(device)));
        }
        let options = Options::new().dialect(Dialect::MCP).cancelled_by(Cancellation::MCP);
        match &self.listen {
            None => {
                let server = Server::per_connection(move |client: &Client| {
                    *locked(&shared.clients) = Clients::One(client.clone());
                    ServedAsync::new(server(), Arc::clone(&shared))
                });
                let server = server.options(options);
                tokio::select! {
                    _ = server.serve_stdio() => {}
                    () = stopped => {}
                }
            }
            Some(listen @ Listen::Http(_, path)) => {
                let (listener, host) = listen.tcp().await?;
                if !host.ip().is_loopback() {
                    say("other machines reach this server, which knows no passwords");
                }
                let context = Arc::clone(&shared);
                let mcp = Mcp::with(server(), move |_| Arc::clone(&context), options, Origins::Local);
                *locked(&shared.clients) = Clients::Http(mcp.clone());
                let (app, stop) = (axum::Router::new().route(path, mcp.into()), CancellationToken::new());
                let mut serving = std::pin::pin!(serve_web(listener, app, stop.clone()));
                tokio::select! {
                    () = &mut serving => {}
                    () = stopped => {
                        stop.cancel();
                        // streams of listeners have no end
                        _ = tokio::time::timeout(std::time::Duration::from_secs(1), serving).await;
                    }
                }
            }
            Some(_) => return Err(Fault::usage("expected --listen http://HOST:PORT/PATH")),
        }
        Ok(())
    }
}
