//! A device of the bridge: its connection, and its methods as tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::Stream;
use nanojsonrpc::mcp::method;
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc::{ErrorCode, ErrorObject, RawValue};
use nanojsonrpc_tokio::{CallError, Client, ExponentialBuilder, Message, Missed};
use serde_json::{Map, Value, json};
use tokio::sync::{Notify, watch};

use crate::address::Address;
use crate::fault::Fault;
use crate::openrpc::{Document, Method, Structure};
use crate::peer::Peer;
use crate::print::{line, say};

/// The greatest length of the name of a tool that clients accept.
const NAME: usize = 64;
/// The greatest length of the part that names the device.
const PREFIX: usize = 32;
/// The pages of tools that an MCP server may have.
const PAGES: usize = 100;
/// The revision that is spoken to MCP servers.
const REVISION: &str = "2025-11-25";

/// A tool.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tool {
    /// Its name among those of all devices.
    pub(crate) name: String,
    /// Its name before it was made unique.
    base: String,
    definition: Map<String, Value>,
    route: Route,
}

/// What a call of a tool becomes.
#[derive(Clone, PartialEq, Debug)]
enum Route {
    /// A call of this method; with these names, if its params are passed by position.
    Method(String, Option<Vec<String>>),
    /// A call of the method in the arguments.
    Any,
    /// A call of this tool of an MCP server.
    Tool(String),
}

/// `text` as a part of the name of a tool: "letters, digits, underscores, hyphens" are what all clients accept.
fn plain(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let parts: Vec<_> = plain.split('_').filter(|part| !part.is_empty()).collect();
    parts.join("_")
}

/// A peer as clients see it: its name, or its address without what may be a secret.
fn shown(peer: &Peer) -> String {
    if !Address::is_address(&peer.name) {
        return peer.name.clone();
    }
    if let Address::Exec(command) = &peer.address {
        let program = command.split_whitespace().next().and_then(|program| program.rsplit('/').next());
        return program.unwrap_or_default().to_owned();
    }
    let text = peer.address.to_string();
    let text = text.split('?').next().unwrap_or_default();
    match text.split_once("://") {
        Some((scheme, rest)) => format!("{scheme}://{}", rest.rsplit('@').next().unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The last `len` bytes of `text`, which is ASCII.
fn last(text: &str, len: usize) -> &str {
    text.get(text.len().saturating_sub(len)..).unwrap_or_default()
}

impl Tool {
    fn new(prefix: &str, name: &str, definition: Map<String, Value>, route: Route) -> Self {
        let name = plain(name);
        // the ends tell more than the fronts: of a path, of a name with name spaces
        let name = last(&name, NAME - 1 - prefix.len().min(PREFIX / 2));
        let base = format!("{}_{name}", last(prefix, NAME - 1 - name.len()).trim_start_matches('_'));
        Self { name: base.clone(), base, definition, route }
    }

    fn of_method(prefix: &str, device: &str, document: &Document, method: &Method) -> Self {
        let is_by_position = method.structure == Structure::ByPosition;
        let names = || method.params.iter().map(|(name, ..)| name.clone()).collect();
        let mut description = method.description.clone();
        if !description.is_empty() {
            description.push('\n');
        }
        description.push_str(&format!("The method {} of the device {device}.", method.name));
        let mut definition = Map::new();
        definition.insert("description".to_owned(), description.into());
        definition.insert("inputSchema".to_owned(), document.by_name(method));
        Self::new(prefix, &method.name, definition, Route::Method(method.name.clone(), is_by_position.then(names)))
    }

    /// The tool of a device that does not tell its methods.
    fn any(prefix: &str, device: &str) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "method": { "type": "string" },
                "params": { "type": ["object", "array"], "description": "The params, by name or by position" }
            },
            "required": ["method"]
        });
        let mut definition = Map::new();
        let description = format!("Calls any method of the device {device}, which does not tell its methods.");
        definition.insert("description".to_owned(), description.into());
        definition.insert("inputSchema".to_owned(), schema);
        Self::new(prefix, "call", definition, Route::Any)
    }

    /// Gives it another name, if this one is taken.
    pub(crate) fn make_unique(&mut self, is_taken: impl Fn(&str) -> bool) {
        let mut number = 2;
        while is_taken(&self.name) {
            let end = format!("_{number}");
            let len = NAME.saturating_sub(end.len());
            self.name = format!("{}{end}", self.base.get(..len).unwrap_or(&self.base));
            number += 1;
        }
    }

    /// Whether it is the same but for the number in its name.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (&self.base, &self.definition, &self.route) == (&other.base, &other.definition, &other.route)
    }

    /// As lists show it.
    pub(crate) fn definition(&self) -> Value {
        let mut whole = self.definition.clone();
        whole.insert("name".to_owned(), self.name.as_str().into());
        Value::Object(whole)
    }

    /// The method and the params of a call with these arguments, an object. Values keep their text: a number beyond 64 bits, say.
    fn call(&self, arguments: RawValue<'_>) -> Result<(String, Option<String>), String> {
        let text = |value: RawValue<'_>| value.as_json().to_owned();
        Ok(match &self.route {
            Route::Tool(name) => {
                let params =
                    format!("{{\"name\":{},\"arguments\":{}}}", Value::from(name.as_str()), arguments.as_json());
                (method::TOOLS_CALL.to_owned(), Some(params))
            }
            Route::Any => match arguments.get("method").and_then(|method| method.as_str_raw()) {
                Some(method) => (method.to_string(), arguments.get("params").map(text)),
                None => return Err("expected a string as method".to_owned()),
            },
            Route::Method(method, None) => (method.clone(), arguments.members().next().map(|_| text(arguments))),
            Route::Method(method, Some(names)) => {
                let is_unknown = |given: &String| !names.contains(given);
                if let Some(name) = arguments.members().map(|(name, _)| name.to_string()).find(is_unknown) {
                    return Err(format!("no param is named {name:?}"));
                }
                let given = names.iter().rposition(|name| arguments.get(name).is_some()).map_or(0, |last| last + 1);
                let value = |name: &String| arguments.get(name).map_or("null".to_owned(), text);
                let values: Vec<_> = names.iter().take(given).map(value).collect();
                (method.clone(), Some(format!("[{}]", values.join(","))))
            }
        })
    }
}

/// A device, and its connection.
pub(crate) struct Device {
    /// As the user calls it.
    pub(crate) name: String,
    prefix: String,
    peer: Peer,
    client: Client,
    link: Arc<Link>,
}

/// What an attempt to connect tells.
struct Link {
    /// The tools are to be listed.
    begun: Notify,
    /// Whether the connection is one without a handshake yet.
    is_new: AtomicBool,
    /// The first attempt has failed, or its tools are listed.
    tried: watch::Sender<bool>,
    /// Whether the last attempt has failed, which is said once.
    has_failed: AtomicBool,
}

impl Device {
    /// Begins to connect to all `peers`.
    pub(crate) fn all(peers: Vec<Peer>) -> Vec<Arc<Self>> {
        let mut prefixes: Vec<String> = Vec::new();
        let devices = peers.into_iter().map(|peer| {
            let text = shown(&peer);
            let base = last(&plain(&text), PREFIX).trim_start_matches(['_', '-']).to_owned();
            let base = if base.is_empty() { "device".to_owned() } else { base };
            let numbered = (2..).map(|number| format!("{base}_{number}"));
            let prefix = std::iter::once(base.clone()).chain(numbered).find(|prefix| !prefixes.contains(prefix));
            let prefix = prefix.unwrap_or_default();
            prefixes.push(prefix.clone());
            Arc::new(Self::new(text, prefix, peer))
        });
        devices.collect()
    }

    fn new(name: String, prefix: String, peer: Peer) -> Self {
        let link = Link {
            begun: Notify::new(),
            is_new: AtomicBool::new(true),
            tried: watch::Sender::new(false),
            has_failed: AtomicBool::new(false),
        };
        let link = Arc::new(link);
        let waits = ExponentialBuilder::default().with_min_delay(Duration::from_millis(100));
        let waits = waits.with_max_delay(Duration::from_secs(5)).without_max_times();
        let client = Client::reconnecting(
            {
                let (peer, link, name) = (peer.clone(), Arc::clone(&link), name.clone());
                move || {
                    let (peer, link, name) = (peer.clone(), Arc::clone(&link), name.clone());
                    async move { open(&peer, &link, &name).await.map_err(|fault| std::io::Error::other(fault.to_string())) }
                }
            },
            waits,
            peer.options.clone(),
        );
        Self { name, prefix, peer, client, link }
    }

    pub(crate) const fn is_mcp(&self) -> bool {
        self.peer.is_mcp
    }

    /// Waits until the tools are listed, or the first attempt to connect has failed.
    pub(crate) async fn tried(&self) {
        // it never closes before the device
        _ = self.link.tried.subscribe().wait_for(|tried| *tried).await;
    }

    /// The tools that the last of [`next_tools`](Self::next_tools) gave are listed.
    pub(crate) fn listed(&self) {
        self.link.tried.send_replace(true);
    }

    /// The list of an MCP server has changed.
    pub(crate) fn list_again(&self) {
        self.link.begun.notify_one();
    }

    /// The notifications of the device.
    pub(crate) fn notifications(&self) -> impl Stream<Item = Result<Message, Missed>> + use<> {
        self.client.notifications()
    }

    /// The tools of the device, whenever it has connected; `None` if it never does again.
    pub(crate) async fn next_tools(&self) -> Option<Vec<Tool>> {
        loop {
            self.link.begun.notified().await;
            let tools = if self.is_mcp() { self.mcp_tools().await } else { self.described_tools().await };
            match tools {
                Ok(tools) => return Some(tools),
                Err(CallError::Closed(_)) if self.client.is_closed() => return None,
                Err(error) => {
                    say(format_args!("{}: no tools: {}", self.name, line(error.to_string().as_bytes())));
                    self.listed();
                }
            }
        }
    }

    /// The tools of a device that `rpc.discover` describes, or one tool for all methods.
    async fn described_tools(&self) -> Result<Vec<Tool>, CallError> {
        let document = match self.client.request("rpc.discover", &()).await {
            Ok(answer) => answer.envelope().result().map(|result| {
                serde_json::from_slice(result.as_bytes()).map_err(|error| error.to_string()).and_then(Document::read)
            }),
            Err(error @ CallError::Closed(_)) => return Err(error),
            Err(_) => None,
        };
        let document = document.and_then(|document| {
            let failed = |fault: &String| say(format_args!("{}: {}", self.name, line(fault.as_bytes())));
            document.inspect_err(failed).ok()
        });
        let Some(document) = document else { return Ok(vec![Tool::any(&self.prefix, &self.name)]) };
        let methods = document.methods.iter().filter(|method| method.name != "rpc.discover");
        Ok(methods.map(|method| Tool::of_method(&self.prefix, &self.name, &document, method)).collect())
    }

    /// The tools of an MCP server, after its handshake.
    async fn mcp_tools(&self) -> Result<Vec<Tool>, CallError> {
        let hello = json!({ "protocolVersion": REVISION, "capabilities": {},
            "clientInfo": { "name": "jrpc", "version": env!("CARGO_PKG_VERSION") } });
        if self.link.is_new.swap(false, Ordering::Relaxed) {
            self.client.call::<Value>(method::INITIALIZE, &hello).await?;
            self.client.notify(method::INITIALIZED, &()).await?;
        }
        let (mut tools, mut params) = (Vec::new(), None);
        for _ in 0..PAGES {
            let page: Value = self.client.call(method::TOOLS_LIST, &params).await?;
            for tool in page.get("tools").and_then(Value::as_array).into_iter().flatten() {
                let (Some(tool), Some(name)) = (tool.as_object(), tool.get("name").and_then(Value::as_str)) else {
                    continue;
                };
                tools.push(Tool::new(&self.prefix, name, tool.clone(), Route::Tool(name.to_owned())));
            }
            let Some(cursor) = page.get("nextCursor").filter(|cursor| cursor.is_string()) else { break };
            params = Some(json!({ "cursor": cursor }));
        }
        Ok(tools)
    }

    /// Calls the device, within its time. The error is its own, or tells why there is no answer.
    pub(crate) async fn call(&self, tool: &Tool, arguments: RawValue<'_>) -> Result<Message, OwnedErrorObject> {
        let invalid = |fault: String| {
            OwnedErrorObject::from(ErrorObject::new(ErrorCode::INVALID_PARAMS, &format!("Invalid params: {fault}")))
        };
        let (method, params) = tool.call(arguments).map_err(invalid)?;
        let params = params.as_ref().and_then(|params| RawValue::parse(params.as_bytes()).ok());
        self.client.request(&method, &params).await.map_err(OwnedErrorObject::from)
    }
}

/// Opens the connection, and says how that ends.
async fn open(peer: &Peer, link: &Link, name: &str) -> Result<Box<dyn nanojsonrpc_tokio::Transport>, Fault> {
    let opened = peer.open().await;
    match &opened {
        Ok(_) => {
            if link.has_failed.swap(false, Ordering::Relaxed) {
                say(format_args!("{name}: connected"));
            }
            link.is_new.store(true, Ordering::Relaxed);
            link.begun.notify_one();
        }
        Err(fault) => {
            if !link.has_failed.swap(true, Ordering::Relaxed) {
                say(format_args!("{name}: {fault}"));
            }
            link.tried.send_replace(true);
        }
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_what_clients_accept() {
        let name = |prefix, method| Tool::new(prefix, method, Map::new(), Route::Any).name;
        assert_eq!(name("lamp", "lamp.set/level"), "lamp_lamp_set_level");
        assert_eq!(name("lamp", &"ü.x".repeat(40)).len(), NAME);
        let mut tool = Tool::new("a", &"b".repeat(80), Map::new(), Route::Any);
        let taken = tool.name.clone();
        tool.make_unique(|name| name == taken || name.ends_with("_2"));
        assert!(tool.name.len() == NAME && tool.name.ends_with("_3"), "{}", tool.name);
    }

    #[test]
    fn no_secret_is_shown_to_clients() {
        for (address, expected) in [
            ("ws://me:secret@lamp.local/rpc?token=secret", "ws://lamp.local/rpc"),
            ("serial:///dev/ttyACM0", "serial:///dev/ttyACM0"),
            ("exec:/usr/bin/lamp --token secret", "lamp"),
            ("unix:/run/lamp.sock", "unix:/run/lamp.sock"),
        ] {
            let peer = Peer::find(address, &crate::args::PeerOptions::default()).expect("a peer");
            assert_eq!(shown(&peer), expected);
        }
    }

    #[test]
    fn arguments_become_params() {
        let call = |route, arguments: &str| {
            Tool::new("d", "m", Map::new(), route).call(RawValue::parse(arguments.as_bytes()).expect("JSON"))
        };
        let params = |params: &str| Ok(("m".to_owned(), Some(params.to_owned())));
        let names = || Route::Method("m".into(), Some(vec!["a".into(), "b".into(), "c".into()]));
        assert_eq!(call(names(), r#"{ "b": 1e999, "a": 1 }"#), params("[1,1e999]"));
        assert_eq!(call(names(), r#"{ "c": 3 }"#), params("[null,null,3]"));
        assert_eq!(call(names(), "{}"), params("[]"));
        assert_eq!(call(names(), r#"{ "d": 3 }"#), Err("no param is named \"d\"".into()));
        assert_eq!(call(Route::Method("m".into(), None), "{}"), Ok(("m".into(), None)));
        assert_eq!(call(Route::Method("m".into(), None), r#"{"n":9e99}"#), params(r#"{"n":9e99}"#));
        assert_eq!(call(Route::Any, r#"{"method":"m","params":[1.50]}"#), params("[1.50]"));
        assert!(call(Route::Any, "{}").is_err());
        let (method, params) = call(Route::Tool("a\"b".into()), r#"{"n":1.0}"#).expect("a call");
        assert_eq!(
            (method.as_str(), params.as_deref()),
            ("tools/call", Some(r#"{"name":"a\"b","arguments":{"n":1.0}}"#))
        );
    }
}
