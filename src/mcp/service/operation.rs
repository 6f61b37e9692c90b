//! Which method asks for what.

use super::feature::Kind;
use crate::mcp::method;
use crate::message::Params;
use crate::server::route::Call as Incoming;

/// What the methods do.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Initialize,
    Ping,
    Discover,
    List(Kind),
    Use(Kind),
}

static METHODS: [(&str, Operation); 11] = [
    (method::INITIALIZE, Operation::Initialize),
    (method::PING, Operation::Ping),
    (method::SERVER_DISCOVER, Operation::Discover),
    (method::TOOLS_LIST, Operation::List(Kind::Tool)),
    (method::TOOLS_CALL, Operation::Use(Kind::Tool)),
    (method::RESOURCES_LIST, Operation::List(Kind::Resource)),
    (method::RESOURCES_TEMPLATES_LIST, Operation::List(Kind::Template)),
    (method::RESOURCES_READ, Operation::Use(Kind::Resource)),
    (method::PROMPTS_LIST, Operation::List(Kind::Prompt)),
    (method::PROMPTS_GET, Operation::Use(Kind::Prompt)),
    (method::COMPLETION_COMPLETE, Operation::Use(Kind::Completion)),
];

impl Operation {
    /// What `call` asks for, and with which params.
    pub(super) fn of<'a>(call: &Incoming<'a>) -> Option<(Self, Params<'a>)> {
        METHODS.iter().find_map(|(name, operation)| Some((*operation, call.requests(name)?)))
    }
}
