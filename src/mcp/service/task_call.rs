//! Tools that run as tasks: the registration of the tasks, and the calls.

use super::feature::{AsyncFeatures, Choice, Definition, Definitions, Features, OfRequest, Shown, TASKS, With, before};
use super::refusal::Refusal;
use super::request::{Frame, RequestContext, Target};
use super::subscriptions::Keeper;
use super::task_request::{TaskRequest, declares, lacks_extension};
use super::tasks::Tasks;
use super::{Service, ToolCall};
use crate::json::{Kind as Json, ObjectWriter, RawValue};
use crate::mcp::Revision;
use crate::mcp::types::{Task, TaskSupport};
use crate::mcp::value::Object;
use crate::message::{ErrorObject, Params};
use crate::server::{Replied, Reply};

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
    #[expect(clippy::type_complexity, reason = "the type is the list of registrations")]
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
