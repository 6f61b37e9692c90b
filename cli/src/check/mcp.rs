//! The rules of the Model Context Protocol.

use nanojsonrpc::json::Kind;
use nanojsonrpc::mcp::method;
use nanojsonrpc::mcp::types::{
    CallToolResult, EmptyResult, Implementation, PROTOCOL_VERSION, ServerCapabilities, Tool,
};
use nanojsonrpc::{Envelope, EnvelopeKind, Error, RawValue};

use crate::recording::Direction;
use crate::rules::{self, Rule};

/// The order of messages. Sent texts are those of the client.
#[derive(Default)]
pub(super) struct Lifecycle {
    has_begun: bool,
    is_initialized: bool,
    is_stateless: bool,
}

impl Lifecycle {
    /// The rule that the order of this message breaks, and the offset. Each rule is found once.
    pub(super) fn message(&mut self, direction: Direction, message: &Envelope<'_>) -> Option<(Rule, usize)> {
        let named = message.method();
        let is_request = message.kind() == EnvelopeKind::Request;
        let offset = message.get("method").map_or(0, RawValue::offset);
        if self.is_stateless || named.is_empty() || named == *method::PING {
            return None;
        }
        if direction == Direction::Received {
            let is_early = self.has_begun && !self.is_initialized && named != *method::MESSAGE;
            return is_early.then_some((rules::EARLY, offset));
        }
        let meta = message.params().and_then(|params| params.get("_meta"));
        if meta.is_some_and(|meta| meta.get(PROTOCOL_VERSION).is_some()) {
            self.is_stateless = true;
        } else if named == *method::INITIALIZE {
            self.has_begun = true;
        } else if !self.has_begun {
            (self.has_begun, self.is_initialized) = (true, true);
            return Some((rules::FIRST, offset));
        } else if named == *method::INITIALIZED {
            self.is_initialized = true;
        } else if is_request && !self.is_initialized {
            self.is_initialized = true;
            return Some((rules::INITIALIZED, offset));
        }
        None
    }
}

/// The rules that the result of `method` breaks, and the offsets.
pub(super) fn result(method: &str, result: RawValue<'_>) -> Vec<(Rule, usize)> {
    let is_string = |name| result.get(name).is_some_and(|value| value.as_str_raw().is_some());
    let part = |name| result.get(name).unwrap_or(RawValue::NULL);
    // a task, or questions, instead of the result
    if result.get("task").is_some() || result.get("resultType").is_some_and(|kind| kind.as_str() != Some("complete")) {
        return Vec::new();
    }
    let read: Result<(), Error> = match method {
        method::INITIALIZE if !is_string("protocolVersion") => return vec![(rules::RESULT, result.offset())],
        method::INITIALIZE => Implementation::read(part("serverInfo"))
            .and_then(|_| ServerCapabilities::read(part("capabilities")).map(drop)),
        method::TOOLS_CALL if result.get("content").is_none() => return vec![(rules::RESULT, result.offset())],
        method::TOOLS_CALL => CallToolResult::read(result).map(drop),
        method::PING => EmptyResult::read(result).map(drop),
        method::TOOLS_LIST if part("tools").kind() != Kind::Array => return vec![(rules::RESULT, result.offset())],
        method::TOOLS_LIST => {
            let is_object = |tool: RawValue<'_>| {
                tool.pointer("/inputSchema/type").and_then(RawValue::as_str) == Some("object")
                    && Tool::read(tool).is_ok()
            };
            let wrong = part("tools").elements().filter(|tool| !is_object(*tool));
            let place = |tool: RawValue<'_>| tool.get("inputSchema").unwrap_or(tool).offset();
            return wrong.map(|tool| (rules::TOOL, place(tool))).collect();
        }
        _ => Ok(()),
    };
    read.err().map(|error| (rules::RESULT, error.offset().max(result.offset()))).into_iter().collect()
}
