//! A peer in the view of the user: its methods, or with the Model Context Protocol its tools.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt as _;
use nanojsonrpc::mcp::client::{self as mcp, Call};
use nanojsonrpc::mcp::method;
use nanojsonrpc::{ErrorCode, ErrorObject, RawValue};
use nanojsonrpc_tokio::{CallError, Client, McpClient, Message, Methods, http, nats};

use crate::address::Address;
use crate::describe::{self, Method};
use crate::fault::Fault;
use crate::line::{Line, Tell, summary};
use crate::params;
use crate::peer::Peer;
use crate::print::{Escaped, Shown, Style, line, out, say};

/// An open session.
pub(crate) struct Session {
    kind: Kind,
    /// The code of the error with which the transport answers a call that nobody has answered.
    unanswered: Option<ErrorCode>,
    tell: Tell,
}

enum Kind {
    /// With the id of the last call.
    Rpc(Line, u64),
    Mcp(McpClient),
}

/// A request, or without an id a notification; `params` and `id` are JSON.
pub(crate) fn message(method: &str, params: Option<&str>, id: Option<&str>) -> Result<Bytes, Fault> {
    let member = |name: &str, value: Option<&str>| value.map_or(String::new(), |value| format!(",\"{name}\":{value}"));
    let method = params::string(method)?;
    let (params, id) = (member("params", params), member("id", id));
    Ok(format!("{{\"jsonrpc\":\"2.0\",\"method\":{method}{params}{id}}}").into())
}

/// The fronts of the methods of the Model Context Protocol that a user may call beside tools.
const METHODS: &[&str] = &["ping", "tools/", "resources/", "prompts/", "completion/", "logging/", "skills/", "tasks/"];

impl Session {
    /// Tells people on standard error what the peer sends beside answers, and its errors.
    pub(crate) async fn open(peer: &Peer) -> Result<Self, Fault> {
        Self::open_with(peer, Arc::new(say)).await
    }

    pub(crate) async fn open_with(peer: &Peer, tell: Tell) -> Result<Self, Fault> {
        let unanswered = match peer.address {
            Address::Http(_) => Some(http::UNANSWERED),
            Address::Nats { .. } => Some(nats::NO_RESPONDERS),
            _ => None,
        };
        let kind = if peer.is_mcp {
            let client = connect(peer, unanswered, &tell).await?;
            let mut notifications = Box::pin(client.notifications());
            let tell = Arc::clone(&tell);
            tokio::spawn(async move {
                while let Some(notification) = notifications.next().await {
                    match notification {
                        Ok(notification) => tell(summary(&notification, Style::Line)),
                        Err(missed) => tell(missed.to_string()),
                    }
                }
            });
            Kind::Mcp(client)
        } else {
            Kind::Rpc(Line::open(peer, Arc::clone(&tell)).await?, 0)
        };
        Ok(Self { kind, unanswered, tell })
    }

    /// Calls a method or a tool with params in JSON, and says what an error object of the peer says.
    pub(crate) async fn call(&mut self, name: &str, params: Option<&str>) -> Result<Message, Fault> {
        let id = match &mut self.kind {
            Kind::Rpc(_, id) => {
                *id = id.saturating_add(1);
                id.to_string()
            }
            Kind::Mcp(_) => String::new(),
        };
        self.call_as(&id, name, params).await
    }

    /// [`call`](Self::call) with an id in JSON; in MCP, the client numbers its calls.
    pub(crate) async fn call_as(&mut self, id: &str, name: &str, params: Option<&str>) -> Result<Message, Fault> {
        let answer = match &mut self.kind {
            Kind::Rpc(line, _) => line.call(id, message(name, params, Some(id))?).await?,
            Kind::Mcp(client) => {
                let params = params.map(|params| RawValue::parse(params.as_bytes())).transpose();
                let params = params.map_err(|error| Fault::usage(error.to_string()))?;
                tool(client, name, params).await.map_err(|error| fault(error, self.unanswered, &self.tell))?
            }
        };
        let envelope = answer.envelope();
        if let Some(error) = envelope.error_object() {
            return Err(refused(&error, self.unanswered, &self.tell));
        }
        // an error of another shape, which a lenient dialect reads
        if let Some(error) = envelope.error().filter(|_| envelope.result().is_none()) {
            (self.tell)(format!("error: {}", Shown(error, Style::Line)));
            return Err(Fault::Refused);
        }
        Ok(answer)
    }

    /// Sends a notification.
    pub(crate) async fn notify(&mut self, method: &str, params: Option<&str>) -> Result<(), Fault> {
        match &mut self.kind {
            Kind::Rpc(line, _) => line.send(message(method, params, None)?).await,
            Kind::Mcp(client) => {
                let params = params.map(|params| RawValue::parse(params.as_bytes())).transpose();
                let params = params.map_err(|error| Fault::usage(error.to_string()))?;
                client.notify(method, &params).await.map_err(Fault::from)
            }
        }
    }

    /// Receives what the peer sends while no call waits, until the connection has ended.
    pub(crate) async fn listen(&mut self) -> Fault {
        match &mut self.kind {
            Kind::Rpc(line, _) => loop {
                if let Err(fault) = line.receive(&[], &mut []).await {
                    return fault;
                }
            },
            // a task of its own tells the notifications
            Kind::Mcp(_) => std::future::pending().await,
        }
    }

    /// The answer to a call without params, whatever it is.
    async fn ask(&mut self, name: &str) -> Result<Message, Fault> {
        let Kind::Rpc(line, id) = &mut self.kind else { return Err(Fault::Refused) };
        *id = id.saturating_add(1);
        let id = id.to_string();
        line.call(&id, message(name, None, Some(&id))?).await
    }

    /// The methods that the peer describes; `None` if it describes none.
    pub(crate) async fn methods(&mut self) -> Result<Option<Vec<Method>>, Fault> {
        if let Kind::Mcp(client) = &self.kind {
            let pages =
                client.list(method::TOOLS_LIST).await.map_err(|error| fault(error, self.unanswered, &self.tell))?;
            let pages = pages.iter().filter_map(|page| serde_json::from_str(page.payload()?.as_json()).ok());
            return Ok(Some(pages.flat_map(|page: serde_json::Value| describe::tools(&page)).collect()));
        }
        for source in describe::SOURCES {
            let answer = self.ask(source.method).await?;
            let envelope = answer.envelope();
            match (envelope.result(), envelope.error_object()) {
                (Some(result), _) => return source.read(result).map(Some),
                (None, Some(error)) if Some(error.code) == self.unanswered => {
                    return Err(refused(&error, self.unanswered, &self.tell));
                }
                // the next source may be known
                (None, _) => {}
            }
        }
        Ok(None)
    }
}

async fn connect(peer: &Peer, unanswered: Option<ErrorCode>, tell: &Tell) -> Result<McpClient, Fault> {
    let identity = mcp::Client::new("jrpc", env!("CARGO_PKG_VERSION"));
    let connected = McpClient::connect(peer.open().await?, identity, Methods::new(()), peer.options.clone());
    connected.await.map_err(|error| fault(error, unanswered, tell))
}

/// Calls a tool, or a method of the protocol.
async fn tool(client: &McpClient, name: &str, params: Option<RawValue<'_>>) -> Result<Message, CallError> {
    let is_method = METHODS.iter().any(|front| name.starts_with(front));
    client.call(&if is_method { Call::of(name, &params) } else { Call::tool(name, &params) }).await
}

/// A session of many calls at once.
pub(crate) enum Caller {
    Rpc(Client),
    Mcp(McpClient),
}

impl Caller {
    pub(crate) async fn open(peer: &Peer) -> Result<Self, Fault> {
        let tell: Tell = Arc::new(say);
        Ok(if peer.is_mcp {
            Self::Mcp(connect(peer, None, &tell).await?)
        } else {
            Self::Rpc(Client::with_transport(peer.open().await?, peer.options.clone()))
        })
    }

    pub(crate) async fn call(&self, name: &str, params: Option<RawValue<'_>>) -> Result<Message, CallError> {
        match self {
            Self::Rpc(client) => client.request(name, &params).await,
            Self::Mcp(client) => tool(client, name, params).await,
        }
    }
}

/// Says what an error object says.
fn refused(error: &ErrorObject<'_>, unanswered: Option<ErrorCode>, tell: &Tell) -> Fault {
    let message = error.message.to_string();
    if Some(error.code) == unanswered {
        // written by the transport, because nobody has answered
        return Fault::Connection(message);
    }
    tell(format!("error {}: {}", error.code.0, line(message.as_bytes())));
    if let Some(data) = error.data {
        tell(format!("data: {}", Shown(data, Style::Line)));
    }
    Fault::Refused
}

fn fault(error: CallError, unanswered: Option<ErrorCode>, tell: &Tell) -> Fault {
    match error {
        CallError::Peer(error) => refused(&error.borrowed(), unanswered, tell),
        other => other.into(),
    }
}

/// Prints a result: of a tool, its structured content or its texts.
pub(crate) fn show(answer: &Message, is_mcp: bool, raw: bool, style: Style) -> Result<(), Fault> {
    let result = answer.envelope().result().unwrap_or(RawValue::NULL);
    if raw {
        return out(result.as_json());
    }
    let content = result.get("content").filter(|_| is_mcp);
    let Some(content) = content else { return out(Shown(result, style)) };
    let is_error = result.get("isError").and_then(RawValue::as_bool) == Some(true);
    let texts = content.elements().map(|block| block.get("text").and_then(RawValue::as_str_raw));
    let shown = match (result.get("structuredContent"), texts.collect::<Option<Vec<_>>>()) {
        (Some(structured), _) if !is_error => Shown(structured, style).to_string(),
        (_, Some(texts)) => {
            let texts: Vec<String> = texts.iter().map(|text| text.chars().collect()).collect();
            Escaped(texts.join("\n").as_bytes()).to_string()
        }
        _ => Shown(result, style).to_string(),
    };
    if is_error {
        say(format_args!("error: {shown}"));
        return Err(Fault::Refused);
    }
    out(shown)
}
