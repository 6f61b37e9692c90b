//! Tasks: calls of tools whose result the client fetches later.

use super::{CallToolResult, InputRequests};
use crate::error::{Error, ErrorKind};
use crate::json::{ObjectWriter, RawStr, RawValue};
use crate::mcp::Revision;
use crate::mcp::value::{Member, Value, an_object, names, optional, unexpected, write_text};
use crate::message::{ErrorCode, ErrorObject, Str};

/// The name of the extension that has tasks, among the `extensions` of the capabilities. 2026-07-28.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";
/// The key in `_meta` of a message that belongs to a task: an object with its `taskId`. 2025-11-25.
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

names! {
    /// The status of a task.
    TaskStatus {
        /// The task runs. Each task begins so.
        Working = "working",
        /// The task waits for input of the client.
        InputRequired = "input_required",
        /// The task has a result.
        Completed = "completed",
        /// The task has failed.
        Failed = "failed",
        /// The task was cancelled.
        Cancelled = "cancelled",
    }
}

impl TaskStatus {
    /// Whether the task has ended, so that its status no longer changes.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// The result of a task.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum TaskResult<'a> {
    /// A received object, or one that the program has stored: the result of the call, as without a task.
    Raw(RawValue<'a>),
    /// A result of the program.
    Tool(&'a CallToolResult<'a>),
}

impl<'a> TaskResult<'a> {
    /// Whether the tool failed.
    pub fn is_error(self) -> bool {
        match self {
            Self::Raw(raw) => raw.get("isError").and_then(RawValue::as_bool).unwrap_or_default(),
            Self::Tool(result) => result.is_error.unwrap_or_default(),
        }
    }

    /// Appends the members of the result, except for those of its [frame](Self::meta).
    pub(in crate::mcp) fn write_members(self, object: &mut ObjectWriter<'_, '_>) {
        match self {
            Self::Raw(raw) => {
                let inner = raw.members().filter(|(name, _)| *name != *"_meta" && *name != *"resultType");
                inner.for_each(|(name, value)| object.raw_member(name, value));
            }
            Self::Tool(result) => CallToolResult { meta: None, result_type: None, ..*result }.write_members(object),
        }
    }

    /// The metadata of the result.
    pub(in crate::mcp) fn meta(self) -> Option<RawValue<'a>> {
        match self {
            Self::Raw(raw) => optional(raw, "_meta"),
            Self::Tool(result) => result.meta,
        }
    }
}

/// A task: a call of a tool whose result the client fetches later. One type for 2025-11-25, where tasks are a part of the protocol, and for
/// the extension of 2026-07-28. Messages of 2025-11-25 have neither `input_requests` nor `result` nor `error`.
///
/// Times are texts in ISO 8601, such as `2026-07-28T10:30:00Z`.
///
/// ```
/// use nanojsonrpc::RawValue;
/// use nanojsonrpc::mcp::types::{Task, TaskResult, TaskStatus};
///
/// let text = br#"{"resultType":"complete","taskId":"t-1","status":"completed","createdAt":"2026-07-28T10:30:00Z",
///     "lastUpdatedAt":"2026-07-28T10:31:00Z","ttlMs":null,"pollIntervalMs":500,"result":{"content":[],"isError":true}}"#;
/// let task = Task::read(RawValue::parse(text)?)?;
/// assert!(task.id == "t-1" && task.status.is_terminal() && task.ttl_ms.is_none());
/// assert!(task.result.is_some_and(TaskResult::is_error));
/// let working = Task { ttl_ms: Some(60_000), ..Task::new(task.id, TaskStatus::Working, task.created_at) };
/// assert_eq!(working.poll_delay_ms(), 1_000);
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// Source: 2025-11-25, Tasks; extension `io.modelcontextprotocol/tasks` (SEP-2663).
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Task<'a> {
    /// Its id, which the server gives. In a server without authorization, whoever knows it has access to the task, so it must be a secret.
    pub id: Str<'a>,
    /// Its status.
    pub status: TaskStatus,
    /// The time of its creation.
    pub created_at: Str<'a>,
    /// The time of its last change.
    pub last_updated_at: Str<'a>,
    /// Its status in words.
    pub status_message: Option<Str<'a>>,
    /// The time from its creation, in milliseconds, after which the server may delete it; `None`: unlimited.
    pub ttl_ms: Option<u64>,
    /// The time in milliseconds that a client waits between two requests for its state.
    pub poll_interval_ms: Option<u64>,
    /// With the status `InputRequired`: the requests that wait for an answer. Each has a key of its own in the whole life of the task.
    pub input_requests: Option<InputRequests<'a>>,
    /// With the status `Completed`: the result. A tool that failed has a result, too.
    pub result: Option<TaskResult<'a>>,
    /// With the status `Failed`: the error that answers the call.
    pub error: Option<ErrorObject<'a>>,
}

/// The delay of a task without an interval, and the limits of the delay.
const DELAY_MS: u64 = 1_000;
const LEAST_DELAY_MS: u64 = 50;
const GREATEST_DELAY_MS: u64 = 3_600_000;

impl<'a> Task<'a> {
    /// A task with only the required members, last changed when it was created.
    pub const fn new(id: Str<'a>, status: TaskStatus, created_at: Str<'a>) -> Self {
        Self {
            id,
            status,
            created_at,
            last_updated_at: created_at,
            status_message: None,
            ttl_ms: None,
            poll_interval_ms: None,
            input_requests: None,
            result: None,
            error: None,
        }
    }

    /// Reads the result of `tasks/get` or the params of a notification, of both revisions: `ttlMs` or `ttl`, `pollIntervalMs` or
    /// `pollInterval`. Unknown members are ignored, and so is null as an optional member.
    ///
    /// # Errors
    /// [`MissingField`](ErrorKind::MissingField), [`UnexpectedType`](ErrorKind::UnexpectedType) or
    /// [`UnknownVariant`](ErrorKind::UnknownVariant), with the offset; [`InvalidValue`](ErrorKind::InvalidValue) for a time that is
    /// negative or has more than 64 bits.
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        let object = an_object(raw)?;
        let ms = |name, earlier| {
            let found = optional(object, name).or_else(|| optional(object, earlier));
            found.map(u64::read).transpose()
        };
        let inner = |name| optional(object, name).map(an_object).transpose();
        Ok(Self {
            id: Member::read_from(object, "taskId")?,
            status: Member::read_from(object, "status")?,
            created_at: Member::read_from(object, "createdAt")?,
            last_updated_at: Member::read_from(object, "lastUpdatedAt")?,
            status_message: Member::read_from(object, "statusMessage")?,
            ttl_ms: ms("ttlMs", "ttl")?,
            poll_interval_ms: ms("pollIntervalMs", "pollInterval")?,
            input_requests: Member::read_from(object, "inputRequests")?,
            result: inner("result")?.map(TaskResult::Raw),
            error: inner("error")?.map(error).transpose()?,
        })
    }

    /// Reads the result of a call that has become a task: in 2025-11-25 the task is its member `task`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_created(raw: RawValue<'a>) -> Result<Self, Error> {
        Self::read(optional(raw, "task").unwrap_or(raw))
    }

    /// Whether its id is `id`.
    pub fn has_id(&self, id: RawStr<'_>) -> bool {
        match self.id {
            Str::Raw(known) => known == id,
            Str::Plain(known) => id == *known,
            // no id is such a text, and comparing it links `core::fmt`
            #[cfg(feature = "serde")]
            Str::Payload(_) => false,
        }
    }

    /// The time in milliseconds to wait before the next request for the state: the interval of the server, 1,000 without one, at least 50,
    /// and at most an hour.
    pub const fn poll_delay_ms(&self) -> u64 {
        match self.poll_interval_ms {
            None => DELAY_MS,
            Some(..LEAST_DELAY_MS) => LEAST_DELAY_MS,
            Some(interval @ ..GREATEST_DELAY_MS) => interval,
            Some(_) => GREATEST_DELAY_MS,
        }
    }

    /// Appends the members in the form of `revision`; in 2026-07-28 with the details that belong to the status, if it `is_detailed`.
    pub(in crate::mcp) fn write_members(
        &self,
        revision: Revision,
        is_detailed: bool,
        object: &mut ObjectWriter<'_, '_>,
    ) {
        let is_stateless = revision.is_stateless();
        let (ttl, interval) = if is_stateless { ("ttlMs", "pollIntervalMs") } else { ("ttl", "pollInterval") };
        self.id.write_to(object, "taskId");
        write_text(object, "status", self.status_in(revision).as_str());
        self.status_message.write_to(object, "statusMessage");
        self.created_at.write_to(object, "createdAt");
        self.last_updated_at.write_to(object, "lastUpdatedAt");
        match self.ttl_ms {
            Some(ms) => object.member(ttl, &ms),
            None => object.member(ttl, &RawValue::NULL),
        }
        self.poll_interval_ms.write_to(object, interval);
        if !is_stateless || !is_detailed {
            return;
        }
        match self.status_in(revision) {
            TaskStatus::InputRequired => self.input_requests.write_to(object, "inputRequests"),
            TaskStatus::Failed => {
                let error = self.error.unwrap_or(ErrorObject::INTERNAL_ERROR);
                object.member_with("error", |out| out.pieces(|out| error.put_to(out)));
            }
            TaskStatus::Completed => object.member_with("result", |out| {
                out.object(|inner| {
                    let Some(result) = self.result else { return };
                    result.write_members(inner);
                    result.meta().write_to(inner, "_meta");
                })
            }),
            _ => {}
        }
    }

    /// The status in messages of `revision`: a tool that failed has completed its task in 2026-07-28, and not in 2025-11-25.
    fn status_in(&self, revision: Revision) -> TaskStatus {
        match (self.status, self.result) {
            (TaskStatus::Completed, Some(result)) if !revision.is_stateless() && result.is_error() => {
                TaskStatus::Failed
            }
            (TaskStatus::Failed, Some(_)) if revision.is_stateless() && self.error.is_none() => TaskStatus::Completed,
            (status, _) => status,
        }
    }
}

/// Reads an error object.
fn error(raw: RawValue<'_>) -> Result<ErrorObject<'_>, Error> {
    let code = raw.get("code").ok_or(Error::new(ErrorKind::MissingField, raw.offset()))?;
    Ok(ErrorObject {
        code: ErrorCode(code.as_i64().ok_or(unexpected(code))?),
        message: Member::read_from(raw, "message")?,
        data: raw.get("data"),
    })
}
