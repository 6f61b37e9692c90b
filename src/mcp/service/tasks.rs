//! Requests about tasks, and calls that become tasks.

use core::cell::Cell;

use super::feature::{AsyncFeatures, Choice, Definition, Definitions, Features, OfRequest, Shown, TASKS, With, before};
use super::operation::TaskOperation;
use super::refusal::Refusal;
use super::request::{Frame, RequestContext, Target};
use super::subscriptions::Keeper;
use super::{Service, ToolCall, page};
use crate::json::{Kind as Json, ObjectWriter, RawStr, RawValue, ToJson, ValueWriter, Writer, Written};
use crate::mcp::Revision;
use crate::mcp::types::{
    CLIENT_CAPABILITIES, InputRequests, RELATED_TASK, TASKS_EXTENSION, Task, TaskStatus, TaskSupport,
};
use crate::mcp::value::{Member as _, Object};
use crate::message::{ErrorCode, ErrorObject, Params, Str};
use crate::server::{Replied, Reply};

/// The tasks of a program. The service knows the messages and their rules, the program its tasks: their ids, states and results.
///
/// Each method is called while a request is answered, with the context that [`Service::tasks`] takes the tasks from. So where a server has
/// users, the context knows the user of the request, and a task of another user does not exist.
///
/// ```
/// use nanojsonrpc::mcp::service::Tasks;
/// use nanojsonrpc::mcp::types::{CallToolResult, Content, List, Task, TaskResult, TaskStatus, TaskSupport, Tool, ToolExecution};
/// use nanojsonrpc::mcp::{Schema, Service, ToolCall};
/// use nanojsonrpc::RawStr;
/// use nanojsonrpc::message::Str;
///
/// /// At most one task, which dries.
/// struct Oven {
///     status: Option<TaskStatus>,
/// }
///
/// impl Oven {
///     fn task(&self) -> Option<Task<'static>> {
///         // a real id is random, and the times are those of a clock
///         Some(Task::new(Str::Plain("dry-1"), self.status?, Str::Plain("2026-07-28T10:30:00Z")))
///     }
/// }
///
/// impl Tasks for Oven {
///     fn get(&mut self, id: RawStr<'_>, found: &mut dyn FnMut(&Task<'_>)) {
///         let Some(task) = self.task().filter(|task| task.has_id(id)) else { return };
///         let content = [Content::text("dry")];
///         let result = CallToolResult::new(List::of(&content));
///         found(&Task { result: Some(TaskResult::Tool(&result)), ..task });
///     }
///
///     fn cancel(&mut self, _: RawStr<'_>) {
///         self.status = Some(TaskStatus::Cancelled);
///     }
/// }
///
/// static DRY: Tool = Tool {
///     execution: Some(ToolExecution { task_support: Some(TaskSupport::Required) }),
///     ..Tool::new(Str::Plain("dry"), Schema::NO_ARGUMENTS)
/// };
/// let mut server = Service::new("oven", "1.0.0")
///     .tool_as("dry", &DRY, |oven: &mut Oven, call: ToolCall<'_>| {
///         oven.status = Some(TaskStatus::Working);
///         match oven.task() {
///             Some(task) => call.task(&task),
///             None => call.failed("no task"),
///         }
///     })
///     .tasks(|oven| oven)
///     .server();
///
/// let (mut oven, mut output) = (Oven { status: None }, [0; 512]);
/// let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
///     "io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#;
/// let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"dry",{meta}}}}}"#);
/// let created = server.process(&mut oven, call.as_bytes(), &mut output).answer().unwrap_or_default();
/// assert!(created.starts_with(br#"{"jsonrpc":"2.0","result":{"resultType":"task","taskId":"dry-1","status":"working","#));
///
/// oven.status = Some(TaskStatus::Completed);
/// let get = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{{"taskId":"dry-1",{meta}}}}}"#);
/// let answer = server.process(&mut oven, get.as_bytes(), &mut output).answer().unwrap_or_default();
/// assert!(str::from_utf8(answer)?.contains(r#""result":{"content":[{"type":"text","text":"dry"}]}"#));
/// # Ok::<(), core::str::Utf8Error>(())
/// ```
///
/// Source: 2025-11-25, Tasks; extension `io.modelcontextprotocol/tasks` (SEP-2663).
pub trait Tasks {
    /// Calls `found` once with the task `id`, if there is one.
    fn get(&mut self, id: RawStr<'_>, found: &mut dyn FnMut(&Task<'_>));

    /// Cancels the task `id`, which has not ended. In 2025-11-25 its status then must be `Cancelled`; in 2026-07-28 it may end in another
    /// way.
    fn cancel(&mut self, id: RawStr<'_>);

    /// Takes the answer to the request `key` of the task `id`, one of its [requests](Task::input_requests) that wait. Check it like any
    /// argument. 2026-07-28.
    fn update(&mut self, id: RawStr<'_>, key: RawStr<'_>, answer: RawValue<'_>) {
        _ = (id, key, answer);
    }

    /// Returns when the task `id` has ended: for `tasks/result`, which "MUST block the response until the task reaches a terminal status"
    /// (2025-11-25). Clients call it for a task that requires input, too. If the task has not ended then, as after the default method, which
    /// does not wait, the answer is -32603.
    fn wait(&mut self, id: RawStr<'_>) {
        _ = id;
    }

    /// Calls `found` once with task number `index`, from 0, if there is one: for `tasks/list`. The service has this method only if the
    /// program [declares](Service::declaring) it: `("tasks", {"list":{},"cancel":{},"requests":{"tools":{"call":{}}}})`. A server that
    /// cannot tell its clients apart should not. 2025-11-25.
    ///
    /// # Limits
    /// A cursor is a number, so a list may omit a task if an earlier one was deleted since the page before.
    fn nth(&mut self, index: usize, found: &mut dyn FnMut(&Task<'_>)) {
        _ = (index, found);
    }
}

/// Finds the tasks in the context.
#[derive(Clone, Copy, Debug)]
pub struct HavingTasks<T>(T);

impl<C, F: Definitions> Service<C, F> {
    /// Lets tools answer with [tasks](ToolCall::task). `place` returns the [`Tasks`] in the context.
    ///
    /// The service then answers `tasks/get` and `tasks/cancel`, in 2025-11-25 `tasks/result`, and in 2026-07-28 `tasks/update`, and declares
    /// the capability of each revision. The definition of a tool ([`tool_as`](Self::tool_as)) says whether it runs as a task:
    ///
    /// | `execution` | 2025-11-25: call as a task; other call | 2026-07-28: client with tasks; without |
    /// |---|---|---|
    /// | none, or `Forbidden` | -32601; as usual | as usual |
    /// | `Optional` | as usual: the tool sees [`accepts_task`](ToolCall::accepts_task) | as usual |
    /// | `Required` | as usual; -32601 | as usual; -32021 |
    ///
    /// [`Subscriptions::task_changed`](super::Subscriptions::task_changed) notifies clients.
    pub fn tasks<T: Tasks>(
        self,
        place: fn(&mut C) -> &mut T,
    ) -> Service<C, With<F, HavingTasks<fn(&mut C) -> &mut T>>> {
        self.and(HavingTasks(place))
    }
}

impl<F: Definitions, T> Definitions for With<F, HavingTasks<T>> {
    fn find(&self, choice: &mut dyn Choice) -> Option<&Definition> {
        self.before.find(choice)
    }
}

impl<C, F: Features<C>, T: Tasks> Features<C> for With<F, HavingTasks<fn(&mut C) -> &mut T>> {}

impl<C, F: AsyncFeatures<C>, T: Tasks> AsyncFeatures<C> for With<F, HavingTasks<fn(&mut C) -> &mut T>> {
    const KINDS: u8 = F::KINDS | TASKS;
    const COUNT: usize = F::COUNT;

    before! { call call_async waits keeper }

    fn answer_task(&self, context: &mut C, asked: TaskRequest<'_>) {
        asked.answer((self.registration.0)(context));
    }
}

impl ToolCall<'_> {
    /// Whether the answer may be a [task](Self::task): in 2025-11-25 if the call has the param `task`, and in 2026-07-28 if the client declares
    /// the extension.
    pub fn accepts_task(&self) -> bool {
        accepts(self.request)
    }

    /// The time in milliseconds for which the client wants to keep the task. The server may choose another. 2025-11-25.
    pub fn task_ttl_ms(&self) -> Option<u64> {
        self.request.params.get("task")?.get("ttl")?.to_integer().ok()
    }

    /// Answers that the call runs as a task, which [`Tasks::get`] must find from now on. If the client does not
    /// [accept](Self::accepts_task) that, the answer is an error: -32021 in 2026-07-28, -32601 before.
    pub fn task(self, task: &Task<'_>) -> Replied {
        if !self.accepts_task() {
            return refuse_task(self.request, self.reply);
        }
        let revision = self.request.revision;
        let frame = Frame { result_type: "task", ..Frame::COMPLETE };
        self.request.answer_in(frame, self.reply, &|result: &mut ObjectWriter<'_, '_>| {
            if revision.is_stateless() {
                task.write_members(revision, false, result);
            } else {
                result.member(
                    "task",
                    &Object(|inner: &mut ObjectWriter<'_, '_>| {
                        task.write_members(revision, false, inner);
                    }),
                );
            }
        })
    }
}

/// Whether the client of a stateless request declares the extension.
pub(super) fn declares(request: &RequestContext<'_>) -> bool {
    let capabilities = request.meta.get(CLIENT_CAPABILITIES).unwrap_or(RawValue::NULL);
    let extensions = capabilities.get("extensions").unwrap_or(RawValue::NULL);
    extensions.get(TASKS_EXTENSION).is_some_and(|settings| settings.kind() == Json::Object)
}

fn accepts(request: &RequestContext<'_>) -> bool {
    match request.revision {
        // a server "MUST ignore" the param of the earlier revision
        revision if revision.is_stateless() => declares(request),
        Revision::V2025_11_25 => request.params.get("task").is_some_and(|task| task.kind() == Json::Object),
        _ => false,
    }
}

/// Refuses a client that accepts no task.
fn refuse_task(request: &RequestContext<'_>, reply: Reply<'_>) -> Replied {
    if request.revision.is_stateless() {
        return lacks_extension(reply);
    }
    reply.error(ErrorObject::METHOD_NOT_FOUND.with_message("Method not found: the tool runs only as a task"))
}

/// Answers that the client lacks the extension.
pub(super) fn lacks_extension(reply: Reply<'_>) -> Replied {
    let extension = Object(|extensions: &mut ObjectWriter<'_, '_>| {
        extensions.member_with(TASKS_EXTENSION, |out| out.object(|_| {}));
    });
    let data = Object(|data: &mut ObjectWriter<'_, '_>| {
        data.member_with("requiredCapabilities", |out| {
            out.object(|required| required.member("extensions", &extension))
        });
    });
    let message = Str::Plain("Missing required client capability");
    reply.error(ErrorObject { code: ErrorCode::MISSING_CLIENT_CAPABILITY, message, data: Some(data) })
}

/// The reason why a tool does not run as the client wants.
pub(super) enum Unfit {
    Params,
    NeedsTask,
    HasTask,
}

impl Unfit {
    pub(super) fn reply(&self, request: &RequestContext<'_>, reply: Reply<'_>) {
        _ = match self {
            Self::Params => Refusal::from("Invalid params: expected an object as task").reply(reply),
            Self::NeedsTask => refuse_task(request, reply),
            Self::HasTask => reply
                .error(ErrorObject::METHOD_NOT_FOUND.with_message("Method not found: the tool does not run as a task")),
        };
    }
}

/// The reason to refuse a call of the tool `target`; `None` for other requests.
pub(super) fn unfit<C>(
    target: &Target<'_>,
    definitions: &dyn Definitions,
    shown: Shown<C>,
    context: &C,
) -> Option<Unfit> {
    let request = target.request;
    let visible = OfRequest { definitions, shown, context, is_listing: false, request };
    let support = visible.find_target(target).0.and_then(Definition::task_support)?;
    let task = request.params.get("task").filter(|task| !task.is_null());
    let is_session = request.revision == Revision::V2025_11_25;
    match task {
        Some(task) if is_session && task.kind() != Json::Object => Some(Unfit::Params),
        _ if support == TaskSupport::Required && !accepts(request) => Some(Unfit::NeedsTask),
        Some(_) if is_session && support == TaskSupport::Forbidden => Some(Unfit::HasTask),
        _ => None,
    }
}

/// The capabilities of a session that `initialize` with these params opens: only 2025-11-25 has tasks.
pub(super) fn kinds_of_session(kinds: u8, params: &Params<'_>) -> u8 {
    let requested = params.get("protocolVersion").and_then(RawValue::as_str_raw);
    let has_tasks = requested.is_some_and(|requested| Revision::negotiate(requested) == Revision::V2025_11_25);
    if has_tasks { kinds } else { kinds & !TASKS }
}

/// A request about tasks.
pub struct TaskRequest<'c> {
    pub(super) request: &'c RequestContext<'c>,
    pub(super) operation: TaskOperation,
    pub(super) reply: Reply<'c>,
}

impl TaskRequest<'_> {
    fn answer(self, tasks: &mut dyn Tasks) {
        answer(self.request, self.operation, tasks, self.reply);
    }
}

fn answer(request: &RequestContext<'_>, operation: TaskOperation, tasks: &mut dyn Tasks, reply: Reply<'_>) {
    let is_stateless = request.revision.is_stateless();
    if is_stateless && !declares(request) {
        lacks_extension(reply);
        return;
    }
    if request.revision < Revision::V2025_11_25 || operation == TaskOperation::List && !has_list(request) {
        reply.error(ErrorObject::METHOD_NOT_FOUND);
        return;
    }
    if operation == TaskOperation::List {
        list(request, tasks, reply);
        return;
    }
    let id = match request.string("taskId", NO_ID) {
        Ok(id) => id.as_str_raw().unwrap_or_default(),
        Err(reason) => {
            Refusal::from(reason).reply(reply);
            return;
        }
    };
    let mut status = None;
    tasks.get(id, &mut |task| status = Some(task.status));
    let has_ended = match status {
        Some(status) => status.is_terminal(),
        None => {
            NOT_FOUND.reply(reply);
            return;
        }
    };
    match operation {
        // "MUST reject cancellation requests for tasks already in a terminal status" (2025-11-25); in 2026-07-28 an acknowledgement
        TaskOperation::Cancel if has_ended && !is_stateless => {
            Refusal::from("Invalid params: the task has ended").reply(reply);
            return;
        }
        TaskOperation::Cancel if !has_ended => tasks.cancel(id),
        TaskOperation::Update => {
            if let Err(reason) = request.object("inputResponses", NO_ANSWERS) {
                Refusal::from(reason).reply(reply);
                return;
            }
            let answers = request.params.get("inputResponses").unwrap_or(RawValue::NULL);
            for (key, answer) in answers.members() {
                // "SHOULD ignore any [...] key that is not currently outstanding"
                let mut is_waiting = false;
                tasks.get(id, &mut |task| is_waiting = waits_for(task, key));
                if is_waiting {
                    tasks.update(id, key, answer);
                }
            }
        }
        TaskOperation::Result if !has_ended => tasks.wait(id),
        _ => {}
    }
    if is_stateless && operation != TaskOperation::Get {
        request.answer(reply, &|_: &mut ObjectWriter<'_, '_>| {});
        return;
    }
    let mut reply = Some(reply);
    tasks.get(id, &mut |task| {
        let Some(reply) = reply.take() else { return };
        if operation == TaskOperation::Result {
            result(request, task, reply);
        } else {
            request.answer(reply, &|object: &mut ObjectWriter<'_, '_>| {
                task.write_members(request.revision, true, object);
            });
        }
    });
    // it was deleted meanwhile
    if let Some(reply) = reply {
        NOT_FOUND.reply(reply);
    }
}

/// Whether the task waits for the answer to its request `key`.
fn waits_for(task: &Task<'_>, key: RawStr<'_>) -> bool {
    if task.status != TaskStatus::InputRequired {
        return false;
    }
    match task.input_requests {
        Some(InputRequests::Raw(requests)) => requests.members().any(|(known, _)| known == key),
        Some(InputRequests::Entries(requests)) => requests.iter().any(|(known, _)| key == **known),
        None => false,
    }
}

/// Answers `tasks/result`: "exactly what the underlying request would have returned", and the task in the metadata.
fn result(request: &RequestContext<'_>, task: &Task<'_>, reply: Reply<'_>) -> Replied {
    let error = match (task.result, task.error) {
        _ if !task.status.is_terminal() => {
            ErrorObject::INTERNAL_ERROR.with_message("Internal error: the task has not ended")
        }
        (Some(result), None) => {
            return request.answer(reply, &|object: &mut ObjectWriter<'_, '_>| {
                result.write_members(object);
                object.member_with("_meta", |out| {
                    out.object(|meta| {
                        meta.members(result.meta().unwrap_or(RawValue::NULL));
                        meta.member_with(RELATED_TASK, |out| out.object(|related| task.id.write_to(related, "taskId")));
                    })
                });
            });
        }
        (_, Some(error)) => error,
        (None, None) => ErrorObject::INTERNAL_ERROR.with_message("Internal error: the task has no result"),
    };
    reply.error(error)
}

/// Whether the program declares `tasks/list`.
fn has_list(request: &RequestContext<'_>) -> bool {
    let mut declared = request.identity.declared.iter();
    declared.any(|(name, value)| *name == "tasks" && value.get("list").is_some())
}

/// Answers `tasks/list`.
fn list(request: &RequestContext<'_>, tasks: &mut dyn Tasks, reply: Reply<'_>) -> Replied {
    let cursor = request.params.get("cursor").filter(|cursor| !cursor.is_null());
    let start = cursor.map_or(Some(0), |cursor| page::number(cursor.as_str_raw()?));
    let Some(start) = start else { return Refusal::from("Invalid cursor").reply(reply) };
    let mut is_there = start == 0;
    tasks.nth(start, &mut |_| is_there = true);
    if !is_there {
        return Refusal::from("Invalid cursor").reply(reply);
    }
    let page = TaskPage { request, start, closing: reply.closing_len(), tasks: Cell::new(Some(tasks)) };
    reply.success(&page)
}

/// The page of a list that is written.
struct TaskPage<'p> {
    request: &'p RequestContext<'p>,
    start: usize,
    /// The length of the text after the result.
    closing: usize,
    tasks: Cell<Option<&'p mut dyn Tasks>>,
}

impl ToJson for TaskPage<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.pieces(|out| self.put(out))
    }
}

/// The greatest length of the end of a page.
const END: usize = r#"],"nextCursor":"18446744073709551615"}"#.len();

impl TaskPage<'_> {
    fn put(&self, out: &mut Writer<'_>) {
        out.put(b"{\"tasks\":[");
        let (mut next, mut place) = (None, self.start);
        let tasks = self.tasks.take();
        if let Some(tasks) = tasks {
            loop {
                let (before, mut is_there) = (out.len(), false);
                tasks.nth(place, &mut |task| {
                    is_there = true;
                    out.put_comma();
                    out.put_value(&Object(|object: &mut ObjectWriter<'_, '_>| {
                        task.write_members(self.request.revision, false, object);
                    }));
                });
                if !is_there {
                    break;
                }
                let is_wanted = place.wrapping_sub(self.start) < self.request.identity.page_len;
                if !is_wanted || out.room() < self.closing.saturating_add(END) {
                    out.truncate(before);
                    next = Some(place);
                    break;
                }
                place = place.wrapping_add(1);
            }
        }
        if next == Some(self.start) {
            // a page without a task would repeat its own cursor
            out.fill();
        }
        out.put_byte(b']');
        if let Some(next) = next {
            ObjectWriter::over(out).member_with("nextCursor", |out| out.text(next));
        }
        out.put_byte(b'}');
    }
}

const NO_ID: &str = "Invalid params: expected a string as taskId";
const NO_ANSWERS: &str = "Invalid params: expected an object as inputResponses";
const NOT_FOUND: Refusal<'static> = Refusal::new(ErrorCode::INVALID_PARAMS, "Task not found");
