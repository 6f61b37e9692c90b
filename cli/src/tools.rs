//! Devices as the tools of an MCP server.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt as _;
use nanojsonrpc::json::{Kind, ObjectWriter, ValueWriter, Written};
use nanojsonrpc::mcp::types::{PROTOCOL_VERSION, SERVER_INFO};
use nanojsonrpc::mcp::{Revision, Service, method};
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc::server::{AsyncRoutes as _, BoxedRoutes, Replied, Reply};
use nanojsonrpc::{Dialect, ErrorCode, ErrorObject, Params, RawValue, Router, ToJson};
use nanojsonrpc_tokio::Client;
use nanojsonrpc_tokio::axum::Mcp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::device::{Device, NO_ARGUMENTS, Tool};
use crate::print::say;
use crate::user::User;

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

static CAPABILITIES: [(&str, RawValue<'_>); 2] =
    [("logging", constant("{}")), ("tools", constant(r#"{"listChanged":true}"#))];

/// The devices, their tools, and the clients.
pub(crate) struct Tools {
    devices: Vec<Arc<Device>>,
    /// Each with the place of its device.
    list: Mutex<Vec<(usize, Tool)>>,
    clients: Mutex<Vec<(Clients, View)>>,
}

/// The tools that a user sees.
#[derive(Clone)]
pub(crate) struct View {
    tools: Arc<Tools>,
    user: Arc<User>,
    /// The lowest level of logs that the user receives, once a client has opened a session.
    level: Arc<AtomicUsize>,
}

impl View {
    pub(crate) fn new(tools: &Arc<Tools>, user: &Arc<User>) -> Self {
        let level = Arc::new(AtomicUsize::new(LEVELS.len()));
        Self { tools: Arc::clone(tools), user: Arc::clone(user), level }
    }

    /// Whether there is a session.
    fn hears(&self) -> bool {
        self.level.load(Ordering::Relaxed) < LEVELS.len()
    }

    /// Tells `clients` what the user may know.
    pub(crate) fn tell(&self, clients: Clients) {
        locked(&self.tools.clients).push((clients, self.clone()));
    }
}

/// How clients receive notifications.
#[derive(Clone)]
pub(crate) enum Clients {
    One(Client),
    Http(Mcp<View>),
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tools {
    /// Begins to list the tools of `devices`, and to pass their notifications on.
    pub(crate) fn of(devices: Vec<Arc<Device>>) -> Arc<Self> {
        let tools = Arc::new(Self { devices, list: Mutex::default(), clients: Mutex::default() });
        for (place, device) in tools.devices.iter().enumerate() {
            tokio::spawn(Arc::clone(&tools).follow(Arc::clone(device), place));
            tokio::spawn(Arc::clone(&tools).listen(Arc::clone(device)));
        }
        tools
    }

    fn find(&self, name: &str) -> Option<(usize, Tool)> {
        locked(&self.list).iter().find(|(_, tool)| tool.name == name).cloned()
    }

    /// Replaces the tools of the device at `place`, with names that no other tool has.
    fn replace(&self, place: usize, new: Vec<Tool>) -> bool {
        let mut tools = locked(&self.list);
        let mine: Vec<_> = tools.iter().filter(|(owner, _)| *owner == place).map(|(_, tool)| tool).collect();
        if mine.len() == new.len() && mine.iter().zip(&new).all(|(old, new)| new.is_like(old)) {
            return false;
        }
        tools.retain(|(owner, _)| *owner != place);
        let mut names: HashSet<_> = tools.iter().map(|(_, tool)| tool.name.clone()).collect();
        let mut numbers = HashMap::new();
        for mut tool in new {
            tool.make_unique(&names, &mut numbers);
            names.insert(tool.name.clone());
            tools.push((place, tool));
        }
        true
    }

    /// Sends a notification to the clients with a session whose users `may` know.
    async fn notify(&self, method: &str, params: &impl Serialize, may: impl Fn(&View) -> bool) {
        let clients = locked(&self.clients).clone();
        for (client, _) in clients.iter().filter(|(_, view)| view.hears() && may(view)) {
            match client {
                // an error means that the client has gone
                Clients::One(client) => _ = client.notify(method, params).await,
                // an error means that it is too long
                Clients::Http(mcp) => _ = mcp.notify(method, params),
            }
        }
    }

    /// Keeps the tools of a device up to date.
    async fn follow(self: Arc<Self>, device: Arc<Device>, place: usize) {
        while let Some(tools) = device.next_tools().await {
            if self.replace(place, tools) {
                self.notify(method::TOOLS_LIST_CHANGED, &json!({}), |view| view.user.sees(&device.name)).await;
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
                Ok(notification) => {
                    let whole = format!("{}.{}", device.name, notification.method());
                    let may = |view: &View| view.level.load(Ordering::Relaxed) <= INFO && view.user.may(&whole);
                    if !locked(&self.clients).iter().any(|(_, view)| may(view)) {
                        continue;
                    }
                    let params = notification.payload().and_then(|params| parsed(params).ok());
                    let data = json!({ "method": notification.method().to_string(), "params": params });
                    let log = json!({ "level": "info", "logger": device.name, "data": data });
                    self.notify(method::MESSAGE, &log, may).await;
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

async fn list(view: &mut View, params: Params<'_>, reply: Reply<'_>) -> Replied {
    let is_stateless = match is_stateless(&params) {
        Ok(is_stateless) => is_stateless,
        Err(error) => return reply.error(error),
    };
    let View { tools, user, .. } = view;
    for device in &tools.devices {
        device.tried().await;
    }
    let is_seen = |place: usize| tools.devices.get(place).is_some_and(|device| user.sees(&device.name));
    let seen: Vec<_> = locked(&tools.list).iter().filter(|(place, _)| is_seen(*place)).cloned().collect();
    let tools: Vec<_> = seen.iter().map(|(_, tool)| tool.definition()).collect();
    let members = |object: &mut ObjectWriter<'_, '_>| object.member("tools", &tools);
    reply.success(&Complete { is_stateless, is_list: true, members })
}

async fn call(view: &mut View, params: Params<'_>, reply: Reply<'_>) -> Replied {
    let is_stateless = match is_stateless(&params) {
        Ok(is_stateless) => is_stateless,
        Err(error) => return reply.error(error),
    };
    let name = params.get("name").and_then(|name| name.as_str_raw()).map(|name| name.to_string());
    let name = name.unwrap_or_default();
    let View { tools, user, .. } = view;
    let mut found = tools.find(&name);
    if found.is_none() {
        // a client may know the name from before
        for device in &tools.devices {
            device.tried().await;
        }
        found = tools.find(&name);
    }
    let device = found.as_ref().and_then(|(place, _)| tools.devices.get(*place));
    let device = device.filter(|device| user.sees(&device.name));
    let (Some((_, tool)), Some(device)) = (&found, device) else {
        let data = json!({ "name": name });
        return reply.error(ErrorObject::new(ErrorCode::INVALID_PARAMS, "Unknown tool").with_data(data));
    };
    let arguments = params.get("arguments").filter(|arguments| !arguments.is_null()).unwrap_or(NO_ARGUMENTS);
    if arguments.kind() != Kind::Object {
        let message = "Invalid params: expected an object as arguments";
        return reply.error(ErrorObject::new(ErrorCode::INVALID_PARAMS, message));
    }
    let answer = match user.admit(tool.method(arguments).map(|method| format!("{}.{method}", device.name)).as_deref()) {
        Ok(()) => device.call(&user.name, tool, arguments).await,
        Err(error) => Err(error.into()),
    };
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

fn set_level(view: &mut View, params: Params<'_>, reply: Reply<'_>) -> Replied {
    let level = params.get("level").and_then(|level| level.as_str_raw());
    match LEVELS.iter().position(|name| level.is_some_and(|level| level == **name)) {
        Some(level) => {
            view.level.store(level, Ordering::Relaxed);
            reply.success(&json!({}))
        }
        None => reply.error(ErrorObject::INVALID_PARAMS),
    }
}

/// The server of MCP for a [`View`].
pub(crate) fn server() -> nanojsonrpc::Server<BoxedRoutes<View>> {
    let service = Service::new(NAME, env!("CARGO_PKG_VERSION")).declaring(&CAPABILITIES);
    let router = Router::new()
        .request_async(method::TOOLS_LIST, list)
        .request_async(method::TOOLS_CALL, call)
        .request(method::LOGGING_SET_LEVEL, set_level)
        .notification(method::INITIALIZED, |view: &mut View| {
            // until then, a client of 2026-07-28 receives no notification
            _ = view.level.compare_exchange(LEVELS.len(), INFO, Ordering::Relaxed, Ordering::Relaxed);
        })
        .nest("", service.router());
    let routes = router.boxed(|routes, view, call, exchange| Box::pin(routes.route(view, call, exchange)));
    nanojsonrpc::Server::new(routes).with_dialect(Dialect::MCP)
}
