//! The tools that run as tasks, and the store of their tasks, which all connections share. A task has no thread: its state follows from
//! the time since its creation, and from the answers of the client.

use core::hash::BuildHasher as _;
use core::time::Duration;
use std::collections::HashMap;
use std::hash::RandomState;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use nanojsonrpc::mcp::service::Tasks;
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::{
    CallToolResult, Content, InputRequest, InputRequests, InputRequiredResult, List, Task, TaskResult, TaskStatus,
    TaskSupport, Tool, ToolExecution,
};
use nanojsonrpc::mcp::{Schema, Service, ToolCall, method, schema};
use nanojsonrpc::server::Replied;
use nanojsonrpc::{ErrorObject, RawStr, RawValue, message::Str};

use super::App;

/// A longer time is shortened to this one.
const TTL: Duration = Duration::from_secs(600);
/// A client with more tasks is refused.
const MOST: usize = 256;

static JOBS: LazyLock<Mutex<HashMap<String, Job>>> = LazyLock::new(Mutex::default);

fn jobs() -> MutexGuard<'static, HashMap<String, Job>> {
    JOBS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The way in which a task ends.
#[derive(Clone)]
enum End {
    Text(String),
    ToolFails,
    CallFails,
}

#[derive(Clone)]
struct Job {
    created: Instant,
    created_at: String,
    ttl: Duration,
    runs: Duration,
    end: End,
    is_cancelled: bool,
    /// The keys of the questions that wait for an answer.
    questions: Vec<&'static str>,
}

impl Job {
    fn status(&self) -> TaskStatus {
        match self.end {
            _ if self.is_cancelled => TaskStatus::Cancelled,
            _ if !self.questions.is_empty() => TaskStatus::InputRequired,
            _ if self.created.elapsed() < self.runs => TaskStatus::Working,
            End::CallFails => TaskStatus::Failed,
            _ => TaskStatus::Completed,
        }
    }

    fn show(&self, id: &str, found: &mut dyn FnMut(&Task<'_>)) {
        let text = match &self.end {
            End::Text(text) => text,
            End::ToolFails | End::CallFails => "it failed, as it should",
        };
        let content = [Content::text(text)];
        let is_error = matches!(self.end, End::ToolFails).then_some(true);
        let result = CallToolResult { is_error, ..CallToolResult::new(List::of(&content)) };
        let questions: Vec<_> = self.questions.iter().map(|key| (*key, QUESTION)).collect();
        found(&Task {
            ttl_ms: u64::try_from(self.ttl.as_millis()).ok(),
            poll_interval_ms: Some(100),
            input_requests: Some(InputRequests::Entries(&questions)),
            result: (!matches!(self.end, End::CallFails)).then_some(TaskResult::Tool(&result)),
            error: Some(ErrorObject::INTERNAL_ERROR).filter(|_| matches!(self.end, End::CallFails)),
            // the time of the last change is not kept
            ..Task::new(Str::Plain(id), self.status(), Str::Plain(&self.created_at))
        });
    }
}

impl Tasks for App {
    fn get(&mut self, id: RawStr<'_>, found: &mut dyn FnMut(&Task<'_>)) {
        let id = id.to_string();
        // a copy, so that the lock is not held while the answer is written
        let job = jobs().get(&id).filter(|job| job.created.elapsed() < job.ttl).cloned();
        if let Some(job) = job {
            job.show(&id, found);
        }
    }

    fn cancel(&mut self, id: RawStr<'_>) {
        if let Some(job) = jobs().get_mut(&id.to_string()) {
            job.is_cancelled = true;
        }
    }

    fn update(&mut self, id: RawStr<'_>, key: RawStr<'_>, _: RawValue<'_>) {
        if let Some(job) = jobs().get_mut(&id.to_string()) {
            job.questions.retain(|question| key != **question);
        }
    }

    fn wait(&mut self, id: RawStr<'_>) {
        let id = id.to_string();
        // each connection has a thread, and no client waits longer than a task exists
        while jobs().get(&id).is_some_and(|job| !job.status().is_terminal() && job.created.elapsed() < job.ttl) {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

const QUESTION: InputRequest<'_> = InputRequest {
    params: RawValue::constant(
        r#"{"message":"Really?","requestedSchema":{"type":"object","properties":{"confirm":{"type":"boolean"}}}}"#,
    ),
    ..InputRequest::new(Str::Plain(method::ELICITATION_CREATE))
};

const SECONDS: Schema<'_> = schema!(
    r#"{"type":"object","properties":{"seconds":{"type":"integer"},"label":{"type":"string"}},"required":["seconds"]}"#
);
const NAME: Schema<'_> = schema!(r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#);
const FILE: Schema<'_> =
    schema!(r#"{"type":"object","properties":{"filename":{"type":"string"}},"required":["filename"]}"#);

const fn tool(
    name: &'static str,
    description: &'static str,
    schema: Schema<'static>,
    task_support: TaskSupport,
) -> Tool<'static> {
    Tool {
        description: Some(Str::Plain(description)),
        execution: Some(ToolExecution { task_support: Some(task_support) }),
        ..Tool::new(Str::Plain(name), schema)
    }
}

static SLOW: Tool<'_> = tool("slow_compute", "Takes its time.", SECONDS, TaskSupport::Optional);
static FAILING: Tool<'_> = tool("failing_job", "Fails later.", Schema::NO_ARGUMENTS, TaskSupport::Required);
static BROKEN: Tool<'_> =
    tool("protocol_error_job", "Ends with an error of the protocol.", Schema::NO_ARGUMENTS, TaskSupport::Required);
static DELETE: Tool<'_> = tool("confirm_delete", "Asks before it deletes.", FILE, TaskSupport::Required);
static MULTI: Tool<'_> = tool("multi_input", "Asks twice at once.", Schema::NO_ARGUMENTS, TaskSupport::Required);
static AFTER: Tool<'_> =
    tool("test_tool_with_task", "Asks, then takes its time.", Schema::NO_ARGUMENTS, TaskSupport::Required);

/// Begins a task and answers with it.
fn begin(call: ToolCall<'_>, runs: Duration, end: End, questions: &[&'static str]) -> Replied {
    let wanted = call.task_ttl_ms().map_or(TTL, Duration::from_millis).min(TTL);
    let created_at = now();
    let job = Job {
        created: Instant::now(),
        created_at,
        ttl: wanted,
        runs,
        end,
        is_cancelled: false,
        questions: questions.to_vec(),
    };
    // only an example: real ids come from a cryptographic generator
    let id = format!("{:016x}{:016x}", RandomState::new().hash_one(0), RandomState::new().hash_one(1));
    {
        let mut jobs = jobs();
        jobs.retain(|_, job| job.created.elapsed() < job.ttl);
        if jobs.len() >= MOST {
            drop(jobs);
            return call.failed("too many tasks");
        }
        jobs.insert(id.clone(), job.clone());
    }
    let working = Task {
        ttl_ms: u64::try_from(job.ttl.as_millis()).ok(),
        poll_interval_ms: Some(100),
        ..Task::new(Str::Plain(&id), TaskStatus::Working, Str::Plain(&job.created_at))
    };
    call.task(&working)
}

/// The time in ISO 8601.
#[allow(clippy::arithmetic_side_effects, reason = "small numbers: the seconds since 1970, and their parts")]
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, seconds) = (since / 86_400, since % 86_400);
    // the date of a day number (H. Hinnant, civil_from_days)
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (year, month) =
        if month < 10 { (year_of_era + era * 400, month + 3) } else { (year_of_era + era * 400 + 1, month - 9) };
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}

pub(crate) fn register<F: Features<App>>(service: Service<App, F>) -> Service<App, impl Features<App>> {
    let second = Duration::from_secs(1);
    service
        .tool("greet", "Greets.", NAME, |_: &mut App, call: ToolCall<'_>| {
            match call.get("name").and_then(RawValue::as_str_raw) {
                Some(name) => call.text(("Hello, ", name, "!")),
                None => call.invalid("name: expected a string"),
            }
        })
        .tool_as("slow_compute", &SLOW, |_: &mut App, call: ToolCall<'_>| {
            let Some(seconds) = call.get("seconds").and_then(RawValue::as_u64) else {
                return call.invalid("seconds: expected a whole number");
            };
            if call.accepts_task() {
                return begin(call, Duration::from_secs(seconds.min(600)), End::Text("computed".into()), &[]);
            }
            std::thread::sleep(Duration::from_secs(seconds.min(20)));
            call.text("computed")
        })
        .tool_as("failing_job", &FAILING, move |_: &mut App, call: ToolCall<'_>| {
            begin(call, second, End::ToolFails, &[])
        })
        .tool_as("protocol_error_job", &BROKEN, move |_: &mut App, call: ToolCall<'_>| {
            begin(call, second, End::CallFails, &[])
        })
        .tool_as("confirm_delete", &DELETE, move |_: &mut App, call: ToolCall<'_>| {
            begin(call, second, End::Text("deleted".into()), &["confirm"])
        })
        .tool_as("multi_input", &MULTI, move |_: &mut App, call: ToolCall<'_>| {
            begin(call, second, End::Text("thank you".into()), &["first", "second"])
        })
        .tool_as("test_tool_with_task", &AFTER, move |_: &mut App, call: ToolCall<'_>| {
            let name = call.params().and_then(|params| params.pointer("/inputResponses/user_name/content/name"));
            match name.and_then(RawValue::as_str_raw) {
                Some(name) => begin(call, second, End::Text(format!("Hello, {name}!")), &[]),
                None => call.input_required(&InputRequiredResult {
                    input_requests: Some(InputRequests::Entries(&[("user_name", QUESTION)])),
                    ..InputRequiredResult::new()
                }),
            }
        })
        .tasks(|app| app)
}
