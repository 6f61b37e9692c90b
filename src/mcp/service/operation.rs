//! From methods to operations.

use super::feature::{Kind, SKILLS, SUBSCRIPTIONS, TASKS};
use crate::mcp::method;
use crate::server::route::Call as Incoming;

/// The operations of the methods.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Initialize,
    Ping,
    Discover,
    List(Kind),
    Use(Kind),
    Subscription(Subscription),
    Skill(SkillOperation),
    Task(TaskOperation),
}

/// The operations on subscriptions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Subscription {
    Subscribe,
    Unsubscribe,
    Listen,
}

/// The operations on skills, and on directories.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SkillOperation {
    List,
    Get,
    ReadDirectory,
}

/// The operations on tasks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskOperation {
    Get,
    Update,
    Cancel,
    Result,
    List,
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

/// A separate table, which a service without subscriptions does not link.
static SUBSCRIBING: [(&str, Operation); 3] = [
    (method::RESOURCES_SUBSCRIBE, Operation::Subscription(Subscription::Subscribe)),
    (method::RESOURCES_UNSUBSCRIBE, Operation::Subscription(Subscription::Unsubscribe)),
    (method::SUBSCRIPTIONS_LISTEN, Operation::Subscription(Subscription::Listen)),
];

/// A separate table, which a service without skills does not link.
static SKILLED: [(&str, Operation); 3] = [
    (method::SKILLS_LIST, Operation::Skill(SkillOperation::List)),
    (method::SKILLS_GET, Operation::Skill(SkillOperation::Get)),
    (method::RESOURCES_DIRECTORY_READ, Operation::Skill(SkillOperation::ReadDirectory)),
];

/// A separate table, which a service without tasks does not link.
static TASKING: [(&str, Operation); 5] = [
    (method::TASKS_GET, Operation::Task(TaskOperation::Get)),
    (method::TASKS_UPDATE, Operation::Task(TaskOperation::Update)),
    (method::TASKS_CANCEL, Operation::Task(TaskOperation::Cancel)),
    (method::TASKS_RESULT, Operation::Task(TaskOperation::Result)),
    (method::TASKS_LIST, Operation::Task(TaskOperation::List)),
];

impl Operation {
    /// The operation of `call`.
    #[inline]
    pub(super) fn of(call: &Incoming<'_>, kinds: u8) -> Option<Self> {
        let mut known = Self::among(&METHODS, call);
        if known.is_none() && kinds & SUBSCRIPTIONS != 0 {
            known = Self::among(&SUBSCRIBING, call);
        }
        if known.is_none() && kinds & SKILLS != 0 {
            known = Self::among(&SKILLED, call);
        }
        if known.is_none() && kinds & TASKS != 0 {
            known = Self::among(&TASKING, call);
        }
        known
    }

    /// Whether a service with `kinds` has this operation in the generation of a request.
    #[inline(always)]
    pub(super) const fn exists(self, kinds: u8, is_stateless: bool) -> bool {
        match self {
            Self::List(kind) | Self::Use(kind) => kinds & kind.capability() != 0,
            Self::Initialize | Self::Ping => !is_stateless,
            Self::Discover => true,
            Self::Subscription(Subscription::Listen) => kinds & SUBSCRIPTIONS != 0 && is_stateless,
            Self::Subscription(_) => kinds & SUBSCRIPTIONS != 0 && !is_stateless,
            Self::Skill(_) => kinds & SKILLS != 0,
            Self::Task(TaskOperation::Get | TaskOperation::Cancel) => kinds & TASKS != 0,
            Self::Task(TaskOperation::Update) => kinds & TASKS != 0 && is_stateless,
            Self::Task(_) => kinds & TASKS != 0 && !is_stateless,
        }
    }

    #[inline(never)]
    fn among(methods: &[(&str, Self)], call: &Incoming<'_>) -> Option<Self> {
        methods.iter().find(|(name, _)| call.requests(name)).map(|(_, operation)| *operation)
    }
}
