//! Requests about tasks.

use core::cell::Cell;

use super::operation::TaskOperation;
use super::refusal::Refusal;
use super::request::RequestContext;
use super::tasks::Tasks;
use crate::json::{Kind as Json, ObjectWriter, RawStr, RawValue, ToJson, ValueWriter, Writer, Written};
use crate::mcp::Revision;
use crate::mcp::types::{CLIENT_CAPABILITIES, InputRequests, RELATED_TASK, TASKS_EXTENSION, Task, TaskStatus};
use crate::mcp::value::{Member as _, Object};
use crate::message::{ErrorCode, ErrorObject, Str};
use crate::server::{Replied, Reply};

/// A request about tasks.
#[doc(hidden)]
pub struct TaskRequest<'c> {
    pub(super) request: &'c RequestContext<'c>,
    pub(super) operation: TaskOperation,
    pub(super) reply: Reply<'c>,
}

impl TaskRequest<'_> {
    pub(super) fn answer(self, tasks: &mut dyn Tasks) {
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

/// Whether the client of a stateless request declares the extension.
pub(super) fn declares(request: &RequestContext<'_>) -> bool {
    let capabilities = request.meta.get(CLIENT_CAPABILITIES).unwrap_or(RawValue::NULL);
    let extensions = capabilities.get("extensions").unwrap_or(RawValue::NULL);
    extensions.get(TASKS_EXTENSION).is_some_and(|settings| settings.kind() == Json::Object)
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
    let Some(start) = request.cursor() else { return Refusal::from("Invalid cursor").reply(reply) };
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
