//! Calls that run as tasks, for the blocking and the asynchronous session.

use heapless::Vec;

use super::answer::{Answer, Ending, result_in};
use crate::error::{Error, ErrorKind};
use crate::json::{RawStr, RawValue};
use crate::mcp::Revision;
use crate::mcp::client::pages::hash;
use crate::mcp::client::{MAX_POLLS, MAX_ROUNDS};
use crate::mcp::types::{InputRequests, Task, TaskStatus};
use crate::message::Str;

/// The greatest length of the id of a task, as spelled.
const MAX_ID: usize = 128;

/// A task that a session waits for.
pub(super) struct Awaited {
    id: Vec<u8, MAX_ID>,
    is_stateless: bool,
    polls: u32,
    /// Hashes of the keys of the requests that were answered: "Clients SHOULD deduplicate `inputRequests` keys across consecutive polls".
    answered: Vec<u64, { MAX_ROUNDS as usize }>,
}

/// The next request about a task.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Its state, after a pause.
    Wait,
    /// Its state at once.
    Get,
    /// Its result, which in 2025-11-25 the server sends when the task has ended. Before, it sends the requests for the required input.
    Result,
    /// The answers to its requests.
    Update,
    /// None: the task has ended, and its state has its result.
    End,
    /// None: the task was cancelled, and its state has no details. 2025-11-25.
    Cancelled,
}

impl Awaited {
    /// The task `id`, in the spelling of JSON.
    ///
    /// # Errors
    /// [`IdTooLong`](ErrorKind::IdTooLong) for a longer id.
    pub(super) fn new(id: &[u8], revision: Option<Revision>) -> Result<Self, Error> {
        let id = Vec::from_slice(id).map_err(|_| Error::new(ErrorKind::IdTooLong, 0))?;
        let is_stateless = revision.is_some_and(Revision::is_stateless);
        Ok(Self { id, is_stateless, polls: 0, answered: Vec::new() })
    }

    /// The task that `answer`, the text of an answer to a call, has created; `None` if it has a result.
    pub(super) fn created(
        answer: &Answer,
        text: &[u8],
        revision: Option<Revision>,
    ) -> Result<Option<(Self, Step)>, Error> {
        let result = result_in(text);
        let is_task = match answer.ending {
            Ending::Task => true,
            Ending::Result => revision == Some(Revision::V2025_11_25) && result.get("task").is_some(),
            _ => false,
        };
        if !is_task {
            return Ok(None);
        }
        let task = Task::read_created(result)?;
        let Str::Raw(id) = task.id else { return Ok(None) };
        let awaited = Self::new(id.as_bytes(), revision).map_err(|error| Error::new(error.kind(), result.offset()))?;
        let step = match awaited.step(&task) {
            // the result of the call has no details
            Step::End | Step::Update => Step::Get,
            step => step,
        };
        Ok(Some((awaited, step)))
    }

    pub(super) fn id(&self) -> RawStr<'_> {
        RawStr::validated(&self.id)
    }

    /// Counts a request for the state; `false` if there were too many.
    pub(super) fn count_poll(&mut self) -> bool {
        self.polls = self.polls.saturating_add(1);
        self.polls <= MAX_POLLS
    }

    /// The next request after the state `task`.
    pub(super) fn step(&self, task: &Task<'_>) -> Step {
        match (task.status, self.is_stateless) {
            (TaskStatus::Working, _) => Step::Wait,
            (TaskStatus::InputRequired, true) if self.requires_more(task) => Step::Update,
            // the answers are on their way: "eventually consistent"
            (TaskStatus::InputRequired, true) => Step::Wait,
            (TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Cancelled, true) => Step::End,
            (TaskStatus::Cancelled, false) => Step::Cancelled,
            (TaskStatus::InputRequired | TaskStatus::Completed | TaskStatus::Failed, false) => Step::Result,
        }
    }

    fn requires_more(&self, task: &Task<'_>) -> bool {
        let Some(InputRequests::Raw(requests)) = task.input_requests else { return false };
        requests.members().any(|(key, _)| !self.has_answered(key))
    }

    pub(super) fn has_answered(&self, key: RawStr<'_>) -> bool {
        self.answered.contains(&hash(Str::Raw(key)))
    }

    /// Stores that the request `key` is answered; `false` if there were too many.
    pub(super) fn answer(&mut self, key: RawStr<'_>) -> bool {
        self.answered.push(hash(Str::Raw(key))).is_ok()
    }
}

/// The result of a task that has ended, an object of its state; `Err` with the state of another one.
pub(super) fn result_of(state: RawValue<'_>) -> Result<Result<RawValue<'_>, Task<'_>>, Error> {
    let task = Task::read(state)?;
    match (task.status, state.get("result")) {
        (TaskStatus::Completed, Some(result)) => Ok(Ok(result)),
        (TaskStatus::Completed, None) => Err(Error::new(ErrorKind::MissingField, state.offset())),
        _ => Ok(Err(task)),
    }
}

/// The methods of a session for tasks. The arguments: `async` and `.await`, or nothing; the bound of a pause.
macro_rules! task_methods {
    (
        { $($async:tt)* } { $($await:tt)* } { $($pause:tt)* }
        $answer_subrequest:ident
    ) => {
        /// Calls a tool that may run as a task, and returns its result when the task has ended. The arguments are an object, or `&()`.
        ///
        /// In 2025-11-25, the call runs as a task, which the server keeps for `ttl_ms` milliseconds; the definition of the tool must
        /// [allow](Tool::execution) that. In 2026-07-28 the server decides, if the client [declares](Client::declaring)
        /// [`TASKS`](super::super::TASKS). In earlier revisions, this is [`call_tool`](Self::call_tool).
        ///
        /// `pause` is called with the state of a task that runs, and waits for [`Task::poll_delay_ms`]. If it returns `false`, the task is
        /// cancelled. Required input goes to the handlers of the program's server.
        ///
        /// # Limits
        /// An id has at most 128 bytes. At most [`MAX_POLLS`](super::super::MAX_POLLS) requests for the state, and answers to
        /// [`MAX_ROUNDS`] requests for input.
        ///
        /// # Errors
        /// See [`SessionError`]: [`TaskCancelled`](SessionError::TaskCancelled), [`Polls`](SessionError::Polls).
        pub $($async)* fn call_tool_task<A: ToJson, $($pause)*>(
            &mut self,
            name: &str,
            arguments: &A,
            ttl_ms: Option<u64>,
            pause: P,
        ) -> Result<CallToolResult<'_>, Failed<'_, R, W>> {
            let revision = self.client.negotiated();
            let answer = if revision == Some(Revision::V2025_11_25) {
                let params = TaskParams { name, arguments, ttl_ms };
                self.answered(Call::of(method::TOOLS_CALL, &params).any())$($await)*?
            } else {
                self.answered(Call::tool(name, arguments).any())$($await)*?
            };
            let (text, _) = self.connection.text_and_room(answer.span.clone());
            match Awaited::created(&answer, text, revision) {
                Ok(Some((task, step))) => self.ended(task, step, Some(answer.span), pause)$($await)*,
                Ok(None) => self.connection.result(&answer, CallToolResult::read),
                Err(error) => Err(SessionError::Refused(error, self.connection.text_and_room(answer.span).0)),
            }
        }

        /// Waits for the task `id`, which the program has kept, as [`call_tool_task`](Self::call_tool_task) does. `pause` shows the ids.
        ///
        /// # Errors
        /// As [`call_tool_task`](Self::call_tool_task).
        pub $($async)* fn await_task<$($pause)*>(
            &mut self,
            id: RawStr<'_>,
            pause: P,
        ) -> Result<CallToolResult<'_>, Failed<'_, R, W>> {
            let task = Awaited::new(id.as_bytes(), self.client.negotiated());
            let task = task.map_err(|error| SessionError::Refused(error, &[]))?;
            self.ended(task, Step::Get, None, pause)$($await)*
        }

        /// Waits for the end of a task, and reads its result. `span` is that of the last answer, which has its state.
        $($async)* fn ended<$($pause)*>(
            &mut self,
            mut task: Awaited,
            mut step: Step,
            mut span: Option<Range<usize>>,
            mut pause: P,
        ) -> Result<CallToolResult<'_>, Failed<'_, R, W>> {
            loop {
                let next = match step {
                    Step::Wait => {
                        let (text, _) = self.connection.text_and_room(span.clone().unwrap_or(0..0));
                        // it was read before; the answer to the call may have it in a member
                        let state = result_in(text);
                        let goes_on = match Task::read(state).or_else(|_| Task::read_created(state)) {
                            Ok(state) => pause(self.context, &state)$($await)*,
                            Err(_) => true,
                        };
                        if !goes_on {
                            // the answer does not matter: the task may have ended meanwhile
                            self.answered(Call::of_task(method::TASKS_CANCEL, task.id()).any())$($await)*?;
                            return Err(SessionError::TaskCancelled);
                        }
                        method::TASKS_GET
                    }
                    Step::Cancelled => return Err(SessionError::TaskCancelled),
                    Step::Get => method::TASKS_GET,
                    Step::Result => method::TASKS_RESULT,
                    Step::Update => {
                        let required = span.clone().unwrap_or(0..0);
                        let len = match self.updated(&mut task, required.clone())$($await)*? {
                            Ok(len) => len,
                            Err(error) => {
                                return Err(SessionError::Refused(error, self.connection.text_and_room(required).0));
                            }
                        };
                        let answer = self.sent(len)$($await)*?;
                        if answer.ending != Ending::Result {
                            return self.connection.result(&answer, CallToolResult::read);
                        }
                        method::TASKS_GET
                    }
                    Step::End => {
                        let (text, _) = self.connection.text_and_room(span.unwrap_or(0..0));
                        return match result_of(result_in(text)) {
                            Ok(Ok(result)) => CallToolResult::read(result).map_err(|error| SessionError::Refused(error, text)),
                            Ok(Err(Task { error: Some(error), .. })) => Err(SessionError::Peer(error)),
                            Ok(Err(Task { status: TaskStatus::Cancelled, .. })) => Err(SessionError::TaskCancelled),
                            Ok(Err(_)) => {
                                let error = Error::new(ErrorKind::MissingField, result_in(text).offset());
                                Err(SessionError::Refused(error, text))
                            }
                            Err(error) => Err(SessionError::Refused(error, text)),
                        };
                    }
                };
                if !task.count_poll() {
                    return Err(SessionError::Polls);
                }
                let answer = self.answered(Call::of_task(next, task.id()).any())$($await)*?;
                if answer.ending != Ending::Result || step == Step::Result {
                    return self.connection.result(&answer, CallToolResult::read);
                }
                let (text, _) = self.connection.text_and_room(answer.span.clone());
                step = match Task::read(result_in(text)) {
                    Ok(state) => task.step(&state),
                    Err(error) => return Err(SessionError::Refused(error, self.connection.text_and_room(answer.span).0)),
                };
                span = Some(answer.span);
            }
        }

        /// Writes the answers to the required input of a task, and returns their length, or the fault of the required input.
        $($async)* fn updated(
            &mut self,
            task: &mut Awaited,
            required: Range<usize>,
        ) -> Result<Result<usize, Error>, Failed<'static, R, W>> {
            self.begin()$($await)*?;
            let Self { client, connection, server, context, .. } = self;
            let (text, mut room) = connection.text_and_room(required);
            let mut out = Writer::new(&mut room);
            // without metadata of the program
            let opened = Call::of_task(method::TASKS_UPDATE, task.id()).open(&mut out).map(drop);
            opened.map_err(ConnectionError::Message)?;
            let requests = match input_requests(result_in(text)) {
                Ok(requests) => requests.unwrap_or(RawValue::NULL),
                Err(error) => return Ok(Err(error)),
            };
            out.put_name("inputResponses");
            out.put_byte(b'{');
            for (key, request) in requests.members() {
                if task.has_answered(key) {
                    continue;
                }
                if !task.answer(key) {
                    return Err(SessionError::Rounds);
                }
                let InputRequest { method, params, .. } = match InputRequest::read(request) {
                    Ok(request) => request,
                    Err(error) => return Ok(Err(error)),
                };
                out.put_raw_name(key);
                let method = input_method(method).map_err(SessionError::Input)?;
                let written = server.$answer_subrequest(context, method, params, out.rest())$($await)*;
                out.put_in_place(written.map_err(SessionError::Input)?);
            }
            out.put_byte(b'}');
            let sent = client.send_with((), &mut out, |_| Ok(None));
            sent.map_err(|refused| ConnectionError::Message(refused.error))?;
            Ok(Ok(out.len()))
        }
    };
}

pub(super) use task_methods;
