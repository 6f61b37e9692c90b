//! Tools that run as tasks, on both ends, in 2025-11-25 and with the extension of 2026-07-28.
#![cfg(feature = "mcp")]

use crate::peer::{Client, SESSIONS, STATELESS, stateless};
use nanojsonrpc::RawStr;
use nanojsonrpc::Writer;
use nanojsonrpc::mcp::client::http::Remote;
use nanojsonrpc::mcp::client::{Call, Client as McpClient, TASKS};
use nanojsonrpc::mcp::http::{Endpoint, Head};
use nanojsonrpc::mcp::service::Tasks;
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::types::{
    CallToolResult, Content, InputRequest, InputRequests, List, RELATED_TASK, Skill, SkillResources, TASKS_EXTENSION,
    Task, TaskResult, TaskStatus, TaskSupport, Tool, ToolExecution,
};
use nanojsonrpc::mcp::{Revision, Schema, Service, Subscriptions, ToolCall, method};
use nanojsonrpc::server::Replied;
use nanojsonrpc::{ErrorCode, ErrorKind, ErrorObject, RawValue, message::Str};
use serde_json::{Value, json};

const SESSION: &str = "2025-11-25";
const CREATED: &str = "2026-07-28T10:30:00Z";

/// Tasks with the ids `t0`, `t1`, …
#[derive(Default)]
pub(crate) struct App {
    pub(crate) tasks: Vec<Job>,
    subscriptions: Subscriptions<4, 24>,
    /// What `wait` does.
    pub(crate) ends: bool,
}

#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) status: TaskStatus,
    text: &'static str,
    is_error: bool,
    /// The keys of the requests that wait.
    pub(crate) keys: Vec<&'static str>,
    answers: Vec<String>,
    /// A stored result or an error.
    raw: Option<&'static str>,
    error: Option<ErrorObject<'static>>,
}

impl Job {
    fn with<T>(&self, id: usize, then: impl FnOnce(&Task<'_>) -> T) -> T {
        let id = format!("t{id}");
        let content = [Content::text(self.text)];
        let result =
            CallToolResult { is_error: self.is_error.then_some(true), ..CallToolResult::new(List::of(&content)) };
        let stored = self.raw.map(|raw| RawValue::parse(raw.as_bytes()).unwrap());
        let requests: Vec<_> =
            self.keys.iter().map(|key| (*key, InputRequest::new(Str::Plain(method::ROOTS_LIST)))).collect();
        then(&Task {
            ttl_ms: Some(60_000),
            poll_interval_ms: Some(5),
            input_requests: Some(InputRequests::Entries(&requests)),
            result: match (stored, self.error) {
                (Some(stored), _) => Some(TaskResult::Raw(stored)),
                (None, None) => Some(TaskResult::Tool(&result)),
                _ => None,
            },
            error: self.error,
            ..Task::new(Str::Plain(&id), self.status, Str::Plain(CREATED))
        })
    }
}

fn working() -> Job {
    let (keys, answers) = (Vec::new(), Vec::new());
    Job { status: TaskStatus::Working, text: "done", is_error: false, keys, answers, raw: None, error: None }
}

impl App {
    fn index(&self, id: RawStr<'_>) -> Option<usize> {
        (0..self.tasks.len()).find(|index| id == *format!("t{index}").as_str())
    }
}

impl Tasks for App {
    fn get(&mut self, id: RawStr<'_>, found: &mut dyn FnMut(&Task<'_>)) {
        if let Some(index) = self.index(id) {
            self.tasks[index].with(index, found);
        }
    }

    fn cancel(&mut self, id: RawStr<'_>) {
        let index = self.index(id).unwrap();
        assert!(!self.tasks[index].status.is_terminal());
        self.tasks[index].status = TaskStatus::Cancelled;
    }

    fn update(&mut self, id: RawStr<'_>, key: RawStr<'_>, answer: RawValue<'_>) {
        let index = self.index(id).unwrap();
        let task = &mut self.tasks[index];
        task.keys.retain(|known| key != **known);
        task.answers.push(format!("{key} {}", answer.as_json()));
        if task.keys.is_empty() {
            task.status = TaskStatus::Completed;
        }
    }

    fn wait(&mut self, id: RawStr<'_>) {
        let index = self.index(id).unwrap();
        if self.ends {
            self.tasks[index].status = TaskStatus::Completed;
        }
    }

    fn nth(&mut self, index: usize, found: &mut dyn FnMut(&Task<'_>)) {
        if let Some(task) = self.tasks.get(index) {
            task.with(index, found);
        }
    }
}

const fn tool(name: &'static str, task_support: TaskSupport) -> Tool<'static> {
    let execution = Some(ToolExecution { task_support: Some(task_support) });
    Tool { execution, ..Tool::new(Str::Plain(name), Schema::NO_ARGUMENTS) }
}

static OPTIONAL: Tool<'_> = tool("optional", TaskSupport::Optional);
static REQUIRED: Tool<'_> = tool("required", TaskSupport::Required);
static FORBIDDEN: Tool<'_> = tool("forbidden", TaskSupport::Forbidden);

fn create(app: &mut App, call: ToolCall<'_>) -> Replied {
    app.tasks.push(working());
    let index = app.tasks.len() - 1;
    let ttl_ms = call.task_ttl_ms();
    working().with(index, |task| call.task(&Task { ttl_ms, ..*task }))
}

pub(crate) fn service() -> Service<App, impl Features<App>> {
    Service::new("tests", "1.2.3")
        .tool("plain", "Answers.", Schema::NO_ARGUMENTS, |_: &mut App, call: ToolCall<'_>| call.text("plain"))
        .tool_as(
            "optional",
            &OPTIONAL,
            |app: &mut App, call: ToolCall<'_>| {
                if call.accepts_task() { create(app, call) } else { call.text("at once") }
            },
        )
        .tool_as("required", &REQUIRED, create)
        .tool_as("forbidden", &FORBIDDEN, |_: &mut App, call: ToolCall<'_>| call.text("at once"))
        // a tool whose definition says nothing, although it answers with a task
        .tool("undeclared", "Creates.", Schema::NO_ARGUMENTS, create)
        .tasks(|app| app)
        .subscriptions(|app| &mut app.subscriptions)
}

fn client(revision: &'static str) -> Client<App, impl Features<App>> {
    Client::new(service(), App::default(), revision)
}

/// The params of a client that declares the extension, with `params`.
fn declaring(mut params: Value) -> Value {
    params["_meta"] = stateless();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"extensions": {TASKS_EXTENSION: {}}});
    params
}

/// The answer in 2026-07-28 to a client that declares the extension.
fn ask<F: Features<App>>(client: &mut Client<App, F>, method: &str, params: Value) -> Value {
    client.send(&json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": declaring(params)})).unwrap()
}

fn without_meta(mut answer: Value) -> Value {
    answer["result"].as_object_mut().unwrap().remove("_meta");
    answer["result"].take()
}

fn state(id: &str, status: &str) -> Value {
    json!({"taskId": id, "status": status, "createdAt": CREATED, "lastUpdatedAt": CREATED, "ttl": 60_000, "pollInterval": 5})
}

/// [`state`] in 2026-07-28, with more members.
fn state_of_extension(id: &str, status: &str, more: Value) -> Value {
    let mut state = json!({"resultType": "complete", "taskId": id, "status": status, "createdAt": CREATED,
        "lastUpdatedAt": CREATED, "ttlMs": 60_000, "pollIntervalMs": 5});
    for (name, value) in more.as_object().unwrap() {
        state[name] = value.clone();
    }
    state
}

#[test]
fn each_revision_declares_the_capability_in_its_own_form() {
    let in_session = json!({"cancel": {}, "requests": {"tools": {"call": {}}}});
    for revision in SESSIONS {
        let mut client = client(SESSION);
        let hello =
            json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
        let capabilities = client.result("initialize", hello)["capabilities"].clone();
        assert_eq!(capabilities.get("tasks"), (revision == SESSION).then_some(&in_session), "{revision}");
        assert!(capabilities.get("extensions").is_none());
    }
    let capabilities = client(STATELESS).result("server/discover", json!({}))["capabilities"].clone();
    assert_eq!(capabilities["extensions"], json!({TASKS_EXTENSION: {}}));
    assert!(capabilities.get("tasks").is_none());
    // and without subscriptions
    let service =
        || Service::new("tests", "1.2.3").tool("plain", "", Schema::NO_ARGUMENTS, create).tasks(|app: &mut App| app);
    let mut stateless = Client::new(service(), App::default(), STATELESS);
    let capabilities = stateless.result("server/discover", json!({}))["capabilities"].clone();
    assert_eq!(capabilities, json!({"tools": {}, "extensions": {TASKS_EXTENSION: {}}}));
    // a service without tasks has neither, and none of the methods
    let plain = Service::new("tests", "1.2.3").tool("plain", "", Schema::NO_ARGUMENTS, create);
    let mut plain = Client::new(plain, App::default(), SESSION);
    assert_eq!(plain.error("tasks/get", json!({"taskId": "t0"})).0, -32601);
}

#[test]
fn a_call_becomes_a_task_if_the_client_accepts_that() {
    let mut client = client(SESSION);
    let call = |name: &str, task: Value| json!({"name": name, "task": task});
    for (id, name) in [("t0", "optional"), ("t1", "required")] {
        let created = client.result("tools/call", call(name, json!({"ttl": 60_000})));
        assert_eq!(created, json!({"task": state(id, "working")}));
    }
    // without a time, the task has no limit
    let created = client.result("tools/call", call("optional", json!({})));
    assert_eq!(created["task"]["ttl"], Value::Null);
    // null stands for an absent member
    let at_once = json!([{"type": "text", "text": "at once"}]);
    for params in [json!({"name": "optional"}), call("optional", Value::Null), json!({"name": "forbidden"})] {
        assert_eq!(client.result("tools/call", params)["content"], at_once);
    }
    for (params, code) in [
        (json!({"name": "required"}), -32601),
        (json!({"name": "undeclared"}), -32601),
        (call("required", Value::Null), -32601),
        (call("forbidden", json!({})), -32601),
        (call("plain", json!({})), -32601),
        (call("undeclared", json!({})), -32601),
        (call("optional", json!(7)), -32602),
        (call("required", json!([])), -32602),
    ] {
        assert_eq!(client.error("tools/call", params.clone()).0, code, "{params}");
    }
}

#[test]
fn the_extension_lets_the_server_decide() {
    let mut client = client(STATELESS);
    let mut created = without_meta(ask(&mut client, "tools/call", json!({"name": "required"})));
    assert_eq!(created["ttlMs"].take(), Value::Null);
    created["ttlMs"] = json!(60_000);
    assert_eq!(created, state_of_extension("t0", "working", json!({"resultType": "task"})));
    // "servers MUST ignore it": the param of the earlier revision
    for task in [json!({"ttl": 60_000}), json!(7)] {
        let plain = without_meta(ask(&mut client, "tools/call", json!({"name": "plain", "task": task})));
        assert_eq!(plain, json!({"resultType": "complete", "content": [{"type": "text", "text": "plain"}]}));
    }
    // a client without the extension
    assert_eq!(client.result("tools/call", json!({"name": "optional", "task": {}}))["content"][0]["text"], "at once");
    let required = json!({"requiredCapabilities": {"extensions": {TASKS_EXTENSION: {}}}});
    let task = json!({"taskId": "t0", "inputResponses": {}});
    for (method, params) in [
        ("tools/call", json!({"name": "required"})),
        ("tools/call", json!({"name": "undeclared"})),
        ("tasks/get", task.clone()),
        ("tasks/update", task.clone()),
        ("tasks/cancel", task.clone()),
        ("subscriptions/listen", json!({"notifications": {"taskIds": ["t0"]}})),
    ] {
        let error = client.ask(method, params)["error"].clone();
        assert_eq!((error["code"].as_i64(), &error["data"]), (Some(-32021), &required), "{method}");
    }
    // "MUST receive -32601"
    for method in ["tasks/result", "tasks/list"] {
        assert_eq!(ask(&mut client, method, task.clone())["error"]["code"], -32601);
    }
    // settings that are no object declare nothing
    let mut params = declaring(task);
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"][TASKS_EXTENSION] = json!(true);
    let answer = client.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tasks/get", "params": params})).unwrap();
    assert_eq!(answer["error"]["code"], -32021);
}

#[test]
fn other_revisions_have_no_tasks() {
    for revision in SESSIONS.into_iter().filter(|revision| *revision != SESSION) {
        let mut client = client(revision);
        assert_eq!(
            client.result("tools/call", json!({"name": "optional", "task": {}}))["content"][0]["text"],
            "at once"
        );
        assert_eq!(client.error("tools/call", json!({"name": "required", "task": {}})).0, -32601);
        for method in ["tasks/get", "tasks/result", "tasks/cancel", "tasks/list", "tasks/update"] {
            assert_eq!(client.error(method, json!({"taskId": "t0"})).0, -32601, "{revision} {method}");
        }
    }
}

#[test]
fn the_state_of_a_task_has_what_its_status_requires() {
    let mut client = client(STATELESS);
    let keys = vec!["a", "b"];
    let error = Some(ErrorObject::new(-32042, "broken").with_data(RawValue::constant("[1]").unwrap()));
    client.context.tasks = vec![
        working(),
        Job { status: TaskStatus::InputRequired, keys, ..working() },
        Job { status: TaskStatus::Completed, ..working() },
        Job { status: TaskStatus::Completed, is_error: true, ..working() },
        Job { status: TaskStatus::Failed, error, ..working() },
        Job { status: TaskStatus::Cancelled, ..working() },
        // the word of 2025-11-25 for a tool that failed
        Job {
            status: TaskStatus::Failed,
            raw: Some(r#"{"content":[],"isError":true,"_meta":{"a":1},"resultType":"complete"}"#),
            ..working()
        },
    ];
    let done = json!({"content": [{"type": "text", "text": "done"}]});
    let wrong = json!({"content": [{"type": "text", "text": "done"}], "isError": true});
    let broken = json!({"code": -32042, "message": "broken", "data": [1]});
    let roots = json!({"method": "roots/list"});
    for (index, status, more) in [
        (0, "working", json!({})),
        (1, "input_required", json!({"inputRequests": {"a": roots, "b": roots}})),
        (2, "completed", json!({"result": done})),
        (3, "completed", json!({"result": wrong})),
        (4, "failed", json!({"error": broken})),
        (5, "cancelled", json!({})),
        (6, "completed", json!({"result": {"content": [], "isError": true, "_meta": {"a": 1}}})),
    ] {
        let id = format!("t{index}");
        let answer = without_meta(ask(&mut client, "tasks/get", json!({"taskId": id})));
        assert_eq!(answer, state_of_extension(&id, status, more));
        // the client reads what the server writes
        let text = answer.to_string();
        let task = Task::read(RawValue::parse(text.as_bytes()).unwrap()).unwrap();
        assert_eq!((task.status.as_str(), task.ttl_ms, task.poll_delay_ms()), (status, Some(60_000), 50));
        assert_eq!(task.error.map(|error| error.code), (index == 4).then_some(ErrorCode(-32042)));
    }

    let tasks = core::mem::take(&mut client.context.tasks);
    let mut client = self::client(SESSION);
    client.context.tasks = tasks;
    for (index, status) in
        ["working", "input_required", "completed", "failed", "failed", "cancelled", "failed"].into_iter().enumerate()
    {
        let id = format!("t{index}");
        assert_eq!(client.result("tasks/get", json!({"taskId": id})), state(&id, status));
    }
    let related = |id: &str| json!({RELATED_TASK: {"taskId": id}});
    let mut result = |id: &str| client.ask("tasks/result", json!({"taskId": id}));
    assert_eq!(result("t2")["result"], json!({"content": done["content"], "_meta": related("t2")}));
    let failed = json!({"content": wrong["content"], "isError": true, "_meta": related("t3")});
    assert_eq!(result("t3")["result"], failed);
    assert_eq!(result("t4")["error"], broken);
    let stored = json!({"content": [], "isError": true, "_meta": {"a": 1, RELATED_TASK: {"taskId": "t6"}}});
    assert_eq!(result("t6")["result"], stored);
    // the program does not wait
    assert_eq!(result("t0")["error"]["code"], -32603);
    client.context.ends = true;
    let waited = client.ask("tasks/result", json!({"taskId": "t0"}));
    assert_eq!(waited["result"]["content"], done["content"]);
}

#[test]
fn answers_reach_only_requests_that_wait() {
    let mut client = client(STATELESS);
    let waiting = || Job { status: TaskStatus::InputRequired, keys: vec!["a", "b"], ..working() };
    client.context.tasks = vec![waiting(), working()];
    let mut update = |id: &str, answers: Value| {
        let answer = ask(&mut client, "tasks/update", json!({"taskId": id, "inputResponses": answers}));
        (answer["error"]["code"].as_i64(), answer["result"].as_object().map(|result| result.len()))
    };
    let acknowledged = (None, Some(2));
    assert_eq!(update("t0", json!({"x": 1, "b": {"roots": []}})), acknowledged);
    assert_eq!(update("t0", json!({"b": 2})), acknowledged);
    assert_eq!(update("t0", json!({})), acknowledged);
    assert_eq!(update("t1", json!({"a": 1})), acknowledged);
    for wrong in [json!([]), Value::Null, json!("a")] {
        assert_eq!(update("t0", wrong), (Some(-32602), None));
    }
    assert_eq!(client.context.tasks[0].answers, [r#"b {"roots":[]}"#]);
    assert_eq!(client.context.tasks[0].status, TaskStatus::InputRequired);
    // a repeated key is read once
    let params = declaring(json!({"taskId": "t0"})).to_string();
    let params = params.trim_start_matches('{');
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tasks/update","params":{{"inputResponses":{{"\u0061":1,"a":2}},{params}}}"#
    );
    assert_eq!(client.text(&text).unwrap()["result"]["resultType"], "complete");
    assert_eq!(client.context.tasks[0].answers, [r#"b {"roots":[]}"#, r"a 1"]);
    assert_eq!(client.context.tasks[0].status, TaskStatus::Completed);
}

#[test]
fn a_task_is_cancelled_once() {
    let mut client = client(STATELESS);
    client.context.tasks = vec![working()];
    for _ in 0..2 {
        let answer = without_meta(ask(&mut client, "tasks/cancel", json!({"taskId": "t0"})));
        assert_eq!(answer, json!({"resultType": "complete"}));
        assert_eq!(client.context.tasks[0].status, TaskStatus::Cancelled);
    }
    let mut client = self::client(SESSION);
    client.context.tasks = vec![working()];
    assert_eq!(client.result("tasks/cancel", json!({"taskId": "t0"})), state("t0", "cancelled"));
    // "MUST reject cancellation requests for tasks already in a terminal status"
    assert_eq!(client.error("tasks/cancel", json!({"taskId": "t0"})).0, -32602);
    assert_eq!(client.ask("tasks/result", json!({"taskId": "t0"}))["result"]["_meta"][RELATED_TASK]["taskId"], "t0");
}

#[test]
fn unknown_and_wrong_ids_are_refused() {
    let mut client = client(SESSION);
    client.context.tasks = vec![working()];
    let long = "t".repeat(3_000);
    let ids = [json!("t1"), json!(""), json!(long), json!(0), Value::Null, json!(["t0"])];
    for id in ids {
        for method in ["tasks/get", "tasks/cancel", "tasks/result"] {
            assert_eq!(client.error(method, json!({"taskId": id})).0, -32602, "{method} {id:.20}");
        }
        let mut client = self::client(STATELESS);
        client.context.tasks = vec![working()];
        for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
            let answer = ask(&mut client, method, json!({"taskId": id, "inputResponses": {}}));
            assert_eq!(answer["error"]["code"], -32602, "{method}");
        }
    }
    assert_eq!(client.error("tasks/get", json!({})).0, -32602);
    // of a repeated id, the first counts; escapes are decoded
    let answer =
        client.text(r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"\u00740","taskId":"t9"}}"#);
    assert_eq!(answer.unwrap()["result"]["taskId"], "t0");
}

#[test]
fn a_list_is_there_if_the_program_declares_it() {
    let ids = |page: &Value| -> Vec<String> {
        page["tasks"].as_array().unwrap().iter().map(|task| task["taskId"].as_str().unwrap().to_owned()).collect()
    };
    let mut client = client(SESSION);
    assert_eq!(client.error("tasks/list", json!({})).0, -32601);

    static DECLARED: [(&str, RawValue<'_>); 1] =
        [("tasks", RawValue::constant(r#"{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}"#).unwrap())];
    let listed = || service().declaring(&DECLARED);
    let mut client = Client::new(listed(), App::default(), SESSION);
    assert_eq!(client.result("tasks/list", json!({})), json!({"tasks": []}));
    client.context.tasks = vec![working(); 5];
    assert_eq!(ids(&client.result("tasks/list", json!({"cursor": null}))), ["t0", "t1", "t2", "t3", "t4"]);
    for cursor in [json!("5"), json!("0"), json!("01"), json!("x"), json!(""), json!(1), json!("99999999999999999999")]
    {
        assert_eq!(client.error("tasks/list", json!({"cursor": cursor})).0, -32602, "{cursor}");
    }
    // pages by number, and by the room
    for (page_len, room) in [(2, 4096), (9, 480)] {
        let mut client = Client::new(listed().page_len(page_len), App::default(), SESSION);
        client.context.tasks = vec![working(); 5];
        client.room = room;
        let (mut all, mut params) = (Vec::new(), json!({}));
        loop {
            let page = client.result("tasks/list", params);
            assert!((1..=2).contains(&ids(&page).len()), "{page}");
            all.extend(ids(&page));
            let Some(cursor) = page.get("nextCursor") else { break };
            params = json!({"cursor": cursor});
        }
        assert_eq!(all, ["t0", "t1", "t2", "t3", "t4"]);
    }
    client.room = 150;
    assert_eq!(client.error("tasks/list", json!({})).0, -32603);
}

#[test]
fn clients_are_told_of_changes() {
    let written = |client: &Client<App, _>, index: usize| -> Vec<Value> {
        let mut buffer = [0; 2048];
        let mut out = Writer::new(&mut buffer);
        let app: &App = &client.context;
        app.tasks[index].with(index, |task| app.subscriptions.task_changed(task, &mut out)).unwrap();
        serde_json::Deserializer::from_slice(out.written()).into_iter::<Value>().map(Result::unwrap).collect()
    };
    let mut client = client(STATELESS);
    client.context.tasks = vec![Job { status: TaskStatus::Completed, ..working() }, working()];
    assert!(written(&client, 0).is_empty());
    let filter = json!({"notifications": {"taskIds": ["t0", 7, "t0"]}});
    let acknowledged = ask(&mut client, "subscriptions/listen", filter);
    assert_eq!(acknowledged["params"]["notifications"], json!({"taskIds": ["t0", "t0"]}));
    let mut expected =
        state_of_extension("t0", "completed", json!({"result": {"content": [{"type": "text", "text": "done"}]}}));
    expected.as_object_mut().unwrap().remove("resultType");
    expected["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": 7});
    assert_eq!(written(&client, 0), [json!({"jsonrpc": "2.0", "method": "notifications/tasks", "params": expected})]);
    assert!(written(&client, 1).is_empty());
    // more than fit
    let filter = json!({"notifications": {"taskIds": ["1", "2", "3", "4", "5"]}});
    assert_eq!(ask(&mut client, "subscriptions/listen", filter)["error"]["code"], -32603);

    let client = self::client(SESSION);
    let mut client = client;
    client.context.tasks = vec![working()];
    let expected = json!({"jsonrpc": "2.0", "method": "notifications/tasks/status", "params": state("t0", "working")});
    assert_eq!(written(&client, 0), [expected]);
    let mut small = [0; 40];
    let mut out = Writer::new(&mut small);
    let app = &client.context;
    let full = app.tasks[0].with(0, |task| app.subscriptions.task_changed(task, &mut out));
    assert_eq!((full.map_err(|error| error.kind()), out.len()), (Err(ErrorKind::OutputFull), 0));
}

#[test]
fn hostile_states_are_read_or_refused() {
    let read = |text: &str| Task::read(RawValue::parse(text.as_bytes()).unwrap()).map(|task| task.poll_delay_ms());
    let state = |more: &str| format!(r#"{{"taskId":"a","status":"working","createdAt":"","lastUpdatedAt":""{more}}}"#);
    for (more, delay) in [
        ("", 1_000),
        (r#","pollIntervalMs":null"#, 1_000),
        (r#","pollInterval":0"#, 50),
        (r#","pollIntervalMs":49"#, 50),
        (r#","pollIntervalMs":51,"pollInterval":7000"#, 51),
        (r#","pollIntervalMs":3599999"#, 3_599_999),
        (r#","pollIntervalMs":18446744073709551615"#, 3_600_000),
        (r#","pollIntervalMs":60,"pollIntervalMs":70"#, 60),
    ] {
        assert_eq!(read(&state(more)), Ok(delay), "{more}");
    }
    for (more, kind) in [
        (r#","pollIntervalMs":18446744073709551616"#, ErrorKind::InvalidValue),
        (r#","pollIntervalMs":-1"#, ErrorKind::InvalidValue),
        (r#","ttlMs":1.5"#, ErrorKind::UnexpectedType),
        (r#","statusMessage":1"#, ErrorKind::UnexpectedType),
        (r#","error":[]"#, ErrorKind::UnexpectedType),
        (r#","ttl":"1""#, ErrorKind::UnexpectedType),
        (r#","result":[]"#, ErrorKind::UnexpectedType),
        (r#","error":{"message":""}"#, ErrorKind::MissingField),
        (r#","error":{"code":"1","message":""}"#, ErrorKind::UnexpectedType),
        (r#","error":{"code":1}"#, ErrorKind::MissingField),
        (r#","inputRequests":{"a":{}}"#, ErrorKind::MissingField),
    ] {
        assert_eq!(read(&state(more)).map_err(|error| error.kind()), Err(kind), "{more}");
    }
    for lacking in [
        r#"{"status":"working","createdAt":"","lastUpdatedAt":""}"#,
        r#"{"taskId":"a","createdAt":"","lastUpdatedAt":""}"#,
        r#"{"taskId":"a","status":"working","lastUpdatedAt":""}"#,
        r#"{"taskId":"a","status":"working","createdAt":""}"#,
    ] {
        assert_eq!(read(lacking).map_err(|error| error.kind()), Err(ErrorKind::MissingField), "{lacking}");
    }
    let missing = Task::read(RawValue::parse(br#"{"taskId":"a","status":"idle"}"#).unwrap());
    assert_eq!(missing.map(drop).map_err(|error| error.kind()), Err(ErrorKind::UnknownVariant));
    // 2025-11-25 wraps the task of a call
    let created = br#"{"task":{"taskId":"a","status":"working","createdAt":"1","lastUpdatedAt":"2","ttl":3}}"#;
    let task = Task::read_created(RawValue::parse(created).unwrap()).unwrap();
    assert_eq!((task.id == "a", task.ttl_ms), (true, Some(3)));
    let definition = br#"{"name":"a","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}"#;
    let tool = Tool::read(RawValue::parse(definition).unwrap()).unwrap();
    assert_eq!(tool.execution.and_then(|execution| execution.task_support), Some(TaskSupport::Optional));
}

/// "the client MUST set the `Mcp-Name` header to the value of `params.taskId`", and the server compares them.
#[test]
fn a_header_repeats_the_id() {
    let post = |header: Option<&str>, method: &str| {
        let (mut server, mut app, mut output) = (service().server(), App::default(), [0; 1024]);
        app.tasks = vec![working()];
        let params = declaring(json!({"taskId": "t0", "inputResponses": {}}));
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let headers = [("MCP-Protocol-Version", STATELESS), ("Mcp-Method", method), ("Accept", "application/json")];
        let headers = headers.into_iter().chain(header.map(|id| ("Mcp-Name", id)));
        let head = Head::from_headers("POST", headers);
        let response = Endpoint::new().answer(&mut server, &mut app, &head, body.as_bytes(), &mut output);
        let answer: Value = serde_json::from_slice(response.body()).unwrap();
        (response.status(), answer["error"]["code"].as_i64())
    };
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        for (header, expected) in [
            (Some("t0"), (200, None)),
            (Some("=?base64?dDA=?="), (200, None)),
            (Some("t1"), (400, Some(-32020))),
            (None, (400, Some(-32020))),
        ] {
            assert_eq!(post(header, method), expected, "{method} {header:?}");
        }
        let mut client: McpClient<(), 1> =
            McpClient::new("me", "1.0.0").declaring(&[TASKS]).connected_as(Revision::V2026_07_28);
        let (mut message, mut head) = ([0; 512], [0; 1024]);
        let mut out = Writer::new(&mut message);
        client.send(&Call::task(method, Str::Plain("t\u{e9}")), (), &mut out).unwrap();
        let mut remote = Remote::new("lamp.local", "/mcp");
        let request = remote.post(out.written(), &mut head).unwrap();
        let name = request.headers().find(|(name, _)| *name == "mcp-name").map(|(_, value)| value);
        assert_eq!(name, Some("=?base64?dMOp?="));
    }
    // methods that the extension lacks have no such header
    assert_eq!(post(None, "tasks/result"), (404, Some(-32601)));
}

#[test]
fn what_a_program_leaves_out_does_nothing() {
    struct Bare;

    impl Tasks for Bare {
        fn get(&mut self, _: RawStr<'_>, _: &mut dyn FnMut(&Task<'_>)) {}

        fn cancel(&mut self, _: RawStr<'_>) {}
    }

    let text = RawValue::parse(br#""t""#).unwrap();
    let (id, mut found) = (text.as_str_raw().unwrap(), 0);
    let mut tasks = Bare;
    tasks.update(id, id, text);
    tasks.wait(id);
    tasks.nth(0, &mut |_| found += 1);
    tasks.get(id, &mut |_| found += 1);
    tasks.cancel(id);
    assert_eq!(found, 0);
}

#[test]
fn the_execution_of_a_tool_is_written_as_it_was_read() {
    let text = br#"{"taskSupport":"optional"}"#;
    let tool = br#"{"name":"t","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}"#;
    let execution = Tool::read(RawValue::parse(tool).unwrap()).unwrap().execution.unwrap();
    let mut out = [0; 64];
    let mut out = Writer::new(&mut out);
    out.value(&execution).unwrap();
    assert_eq!(out.written(), text);
}

#[test]
fn a_received_task_has_its_id_and_its_result() {
    let text = br#"{"taskId":"t1","status":"working","ttl":1,"createdAt":"1","lastUpdatedAt":"1"}"#;
    let task = Task::read(RawValue::parse(text).unwrap()).unwrap();
    let id = |text: &'static [u8]| RawValue::parse(text).unwrap().as_str_raw().unwrap();
    assert!(task.has_id(id(br#""t\u0031""#)) && !task.has_id(id(br#""t2""#)));
    let failed = RawValue::parse(br#"{"content":[],"isError":true}"#).unwrap();
    assert!(TaskResult::Raw(failed).is_error() && !TaskResult::Raw(RawValue::NULL).is_error());
}

/// One task, which may be deleted when it is cancelled.
struct One {
    task: Option<Task<'static>>,
    is_deleted: bool,
    updates: usize,
    subscriptions: Subscriptions<4, 24>,
}

impl Tasks for One {
    fn get(&mut self, _: RawStr<'_>, found: &mut dyn FnMut(&Task<'_>)) {
        self.task.as_ref().into_iter().for_each(found);
    }

    fn cancel(&mut self, _: RawStr<'_>) {
        if self.is_deleted {
            self.task = None;
        }
    }

    fn update(&mut self, _: RawStr<'_>, _: RawStr<'_>, _: RawValue<'_>) {
        self.updates += 1;
    }
}

fn of_one(task: Task<'static>, revision: &'static str) -> Client<One, impl Features<One>> {
    static DECLARED: [(&str, RawValue<'_>); 2] =
        [("logging", RawValue::constant("{}").unwrap()), ("tasks", RawValue::constant(r#"{"cancel":{}}"#).unwrap())];
    const LATER: Skill<'_> = Skill::new(
        Str::Plain("skill://later/SKILL.md"),
        RawValue::constant(r#"{"name":"later","description":""}"#).unwrap(),
        SkillResources::Dynamic,
    );
    let service = Service::new("tests", "1")
        .tool("plain", "", Schema::NO_ARGUMENTS, |_: &mut One, call: ToolCall<'_>| call.text(""))
        .resource("a:b", "b", "", |_: &mut One, call: nanojsonrpc::mcp::ReadCall<'_>| call.text(""))
        .tasks(|one| one)
        .subscriptions(|one| &mut one.subscriptions)
        // registrations behind the tasks and subscriptions hide neither of them
        .resource("a:later", "later", "", |_: &mut One, call: nanojsonrpc::mcp::ReadCall<'_>| call.text(""))
        .skill("skill://later/SKILL.md", &LATER)
        .declaring(&DECLARED);
    let one = One { task: Some(task), is_deleted: true, updates: 0, subscriptions: Subscriptions::new() };
    Client::new(service, one, revision)
}

const fn task(status: TaskStatus) -> Task<'static> {
    Task::new(Str::Plain("t0"), status, Str::Plain(CREATED))
}

#[test]
fn a_task_that_is_deleted_while_it_is_cancelled_is_not_found() {
    let mut client = of_one(task(TaskStatus::Working), SESSION);
    let answer = client.error("tasks/cancel", json!({"taskId": "t0"}));
    assert_eq!(answer, (-32602, "Task not found".to_owned()));
    assert!(client.context.task.is_none());
}

#[test]
fn a_task_without_a_result_has_an_error_in_its_place() {
    for status in [TaskStatus::Completed, TaskStatus::Failed, TaskStatus::Cancelled] {
        let mut client = of_one(task(status), SESSION);
        let answer = client.error("tasks/result", json!({"taskId": "t0"}));
        assert_eq!(answer, (-32603, "Internal error: the task has no result".to_owned()), "{status:?}");
    }
    // one with both has failed
    let result = Some(TaskResult::Raw(RawValue::constant(r#"{"content":[]}"#).unwrap()));
    let error = Some(ErrorObject::new(-7, "broken"));
    for (error, status) in [(None, "completed"), (error, "failed")] {
        let mut client = of_one(Task { result, error, ..task(TaskStatus::Failed) }, STATELESS);
        let params = declaring(json!({"taskId": "t0"}));
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": params});
        assert_eq!(client.send(&request).unwrap()["result"]["status"], status);
    }
}

#[test]
fn answers_reach_requests_that_the_program_has_stored() {
    let requests = RawValue::constant(r#"{"\u0061":{"method":"roots/list"}}"#).unwrap();
    let stored = InputRequests::read(requests).unwrap();
    for (input_requests, updates) in [(Some(stored), 1), (None, 0)] {
        let mut client = of_one(Task { input_requests, ..task(TaskStatus::InputRequired) }, STATELESS);
        let params = declaring(json!({"taskId": "t0", "inputResponses": {"a": {}, "b": {}}}));
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/update", "params": params});
        assert_eq!(client.send(&request).unwrap()["result"]["resultType"], "complete");
        assert_eq!(client.context.updates, updates);
    }
}

#[test]
fn only_the_list_of_the_declared_capability_adds_the_method() {
    let mut client = of_one(task(TaskStatus::Working), SESSION);
    assert_eq!(client.error("tasks/list", json!({})).0, -32601);
}

#[test]
fn a_stream_and_a_session_without_tasks_need_no_extension() {
    let mut client = of_one(task(TaskStatus::Working), SESSION);
    let listen = |id: u8, filter: Value| {
        let params = json!({"notifications": filter, "_meta": stateless()});
        json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params})
    };
    let answer = client.send(&listen(1, json!({"toolsListChanged": true}))).unwrap();
    assert_eq!(answer["params"]["notifications"], json!({"toolsListChanged": true}));
    let answer = client.send(&listen(2, json!({"taskIds": ["t0"]}))).unwrap();
    assert_eq!(answer["error"]["code"], -32021);
    // a session has no filter, and ignores the member
    let params = json!({"uri": "a:b", "notifications": {"taskIds": ["t0"]}});
    assert_eq!(client.result("resources/subscribe", params), json!({}));
    assert_eq!(client.result("resources/read", json!({"uri": "a:b"}))["contents"][0]["text"], "");
    // the streams of lists and resources are not told of a task
    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    client.context.subscriptions.task_changed(&task(TaskStatus::Working), &mut out).unwrap();
    assert_eq!(out.written().iter().filter(|byte| **byte == b'{').count(), 2, "the session alone");
}

#[test]
fn every_notification_is_written_whole_or_not_at_all() {
    type Notify<'n> = &'n dyn Fn(&mut Writer<'_>) -> Result<(), nanojsonrpc::Error>;

    let mut client = of_one(task(TaskStatus::Completed), SESSION);
    let filter = json!({"toolsListChanged": true, "resourceSubscriptions": ["a:b"], "taskIds": ["t0"]});
    let params = declaring(json!({"notifications": filter}));
    let request = json!({"jsonrpc": "2.0", "id": "s", "method": "subscriptions/listen", "params": params});
    assert_eq!(client.send(&request).unwrap()["params"]["notifications"], filter);
    assert_eq!(client.result("resources/subscribe", json!({"uri": "a:b"})), json!({}));
    let subscriptions = &client.context.subscriptions;
    let notify: [Notify<'_>; 3] = [
        &|out| subscriptions.updated("a:b", out),
        &|out| subscriptions.list_changed(nanojsonrpc::mcp::service::feature::Kind::Tool, out),
        &|out| subscriptions.task_changed(&task(TaskStatus::Completed), out),
    ];
    for write in notify {
        let mut buffer = [0; 1024];
        let mut out = Writer::new(&mut buffer);
        write(&mut out).unwrap();
        let whole = out.len();
        for room in 0..whole {
            let mut out = Writer::new(&mut buffer[..room]);
            assert_eq!(write(&mut out).map_err(|error| error.kind()), Err(ErrorKind::OutputFull), "{room}");
            assert_eq!(out.len(), 0);
        }
    }
}

#[test]
fn the_definitions_of_tools_with_tasks_are_listed() {
    let tools = client(SESSION).result("tools/list", json!({}));
    let support: Vec<_> =
        tools["tools"].as_array().unwrap().iter().map(|tool| &tool["execution"]["taskSupport"]).collect();
    assert_eq!(support, [&Value::Null, &json!("optional"), &json!("required"), &json!("forbidden"), &Value::Null]);
}
