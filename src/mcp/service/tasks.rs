//! The tasks of a program.

#[cfg(doc)]
use super::Service;
use crate::json::{RawStr, RawValue};
use crate::mcp::types::Task;

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
    ///
    /// This method blocks, and an `async` service may not: it leaves the default, or has a route of its own for `tasks/result` in a
    /// [`Router`](crate::Router) around the service.
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
