//! A peer in the view of the user: its methods, or with the Model Context Protocol its tools.

use bytes::Bytes;
use nanojsonrpc::ErrorCode;
use nanojsonrpc_tokio::{Message, http, nats};

use crate::address::Address;
use crate::describe::{self, Method};
use crate::fault::Fault;
use crate::line::Line;
use crate::params;
use crate::peer::Peer;

/// An open session.
pub(crate) struct Session {
    line: Line,
    /// The id of the last call.
    id: u64,
    /// The code of the error with which the transport answers a call that nobody has answered.
    unanswered: Option<ErrorCode>,
}

/// A request, or without an id a notification; `params` and `id` are JSON.
pub(crate) fn message(method: &str, params: Option<&str>, id: Option<&str>) -> Result<Bytes, Fault> {
    let member = |name: &str, value: Option<&str>| value.map_or(String::new(), |value| format!(",\"{name}\":{value}"));
    let method = params::string(method)?;
    let (params, id) = (member("params", params), member("id", id));
    Ok(format!("{{\"jsonrpc\":\"2.0\",\"method\":{method}{params}{id}}}").into())
}

impl Session {
    pub(crate) async fn open(peer: &Peer) -> Result<Self, Fault> {
        let unanswered = match peer.address {
            Address::Http(_) => Some(http::UNANSWERED),
            Address::Nats { .. } => Some(nats::NO_RESPONDERS),
            _ => None,
        };
        Ok(Self { line: Line::open(peer).await?, id: 0, unanswered })
    }

    /// Calls `method` with params in JSON.
    pub(crate) async fn call(&mut self, method: &str, params: Option<&str>) -> Result<Message, Fault> {
        self.id = self.id.saturating_add(1);
        let id = self.id.to_string();
        self.call_as(&id, method, params).await
    }

    /// [`call`](Self::call) with an id in JSON.
    pub(crate) async fn call_as(&mut self, id: &str, method: &str, params: Option<&str>) -> Result<Message, Fault> {
        let answer = self.line.call(id, message(method, params, Some(id))?).await?;
        match answer.envelope().error_object() {
            // written by the transport, because nobody has answered
            Some(error) if Some(error.code) == self.unanswered => Err(Fault::Connection(error.message.to_string())),
            _ => Ok(answer),
        }
    }

    /// Sends a notification.
    pub(crate) async fn notify(&mut self, method: &str, params: Option<&str>) -> Result<(), Fault> {
        self.line.send(message(method, params, None)?).await
    }

    /// The methods that the peer describes; `None` if it describes none.
    pub(crate) async fn methods(&mut self) -> Result<Option<Vec<Method>>, Fault> {
        for source in describe::SOURCES {
            let answer = self.call(source.method, None).await?;
            if let Some(result) = answer.envelope().result() {
                return Ok(Some(source.read(result)?));
            }
        }
        Ok(None)
    }
}
