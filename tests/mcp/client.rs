//! A client of the Model Context Protocol, over a stream in memory and without a stream.
#![cfg(all(feature = "mcp", feature = "embedded-io-async", feature = "serde"))]

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use crate::recorded_peer::{Peer, Script};
use nanojsonrpc::connection::{Connection, ConnectionError};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::client::{
    Call, Client, ConnectError, Incoming, MAX_ROUNDS, NO_CODE, Outcome, SessionError, ToolResult, on_log, on_progress,
    on_resource_updated,
};
use nanojsonrpc::mcp::types::{
    CallToolResult, Content, Implementation, InputRequest, InputRequests, InputRequiredResult, LogMessage,
    LoggingLevel, Progress, PromptArgument, Reference, ResourceUpdated, Role, Skill, SkillResources,
};
use nanojsonrpc::mcp::{
    CompletionCall, PromptCall, ReadCall, Revision, Schema, Service, ToolCall, method, uri_template,
};
use nanojsonrpc::memory::Pipe;
use nanojsonrpc::server::{AsyncRoutes, Event, Observer, Replied, route::Routes};
use nanojsonrpc::{Dialect, ErrorCode, ErrorKind, ErrorObject, Params, RawValue, Router, Server, Writer, message::Str};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The context of the handlers of the client.
#[derive(Default, Debug)]
struct Heard {
    lines: Vec<String>,
}

fn heard(heard: &mut Heard, line: impl Into<String>) {
    heard.lines.push(line.into());
}

fn handlers() -> Server<impl Routes<Heard> + AsyncRoutes<Heard>, impl Observer<Heard>> {
    let router = Router::new()
        .request(method::ROOTS_LIST, |_: &mut Heard| Ok(json!({"roots": [{"uri": "file:///a"}]})))
        .request(method::SAMPLING_CREATE_MESSAGE, |heard_: &mut Heard, params: Params<'_>| {
            heard(heard_, format!("sample {}", params.get("maxTokens").unwrap().as_json()));
            Ok(json!({"role": "assistant", "content": {"type": "text", "text": "Hi \"you\""}, "model": "m"}))
        })
        .request(method::ELICITATION_CREATE, |_: &mut Heard, params: Params<'_>| {
            if params.get("message").and_then(|message| message.as_str()) == Some("refuse") {
                return Err(ErrorObject::new(-32042, "no"));
            }
            Ok(json!({"action": "accept", "content": {"name": "Ada"}}))
        })
        .notification(
            method::MESSAGE,
            on_log(|context: &mut Heard, log: LogMessage<'_>| {
                heard(context, format!("log {} {}", log.level.as_str(), log.data.as_json()));
            }),
        )
        .notification(
            method::PROGRESS,
            on_progress(|context: &mut Heard, progress: Progress<'_>| {
                heard(context, format!("progress {:?} {:?}", progress.progress, progress.total));
            }),
        )
        .notification(
            method::RESOURCES_UPDATED,
            on_resource_updated(|context: &mut Heard, update: ResourceUpdated<'_>| {
                heard(context, format!("updated {}", update.uri));
            }),
        );
    Server::new(router)
        .with_dialect(Dialect::MCP)
        .observed_by(|context: &mut Heard, event: Event<'_>| heard(context, format!("dropped: {event}")))
}

/// Runs `session` on a stream whose other end is `peer`, and returns the lines that its handlers recorded.
macro_rules! session {
    ($client:expr, $peer:expr, |$session:ident| $body:expr) => {{
        let peer = &$peer;
        let mut client: Client = $client;
        let (mut framer, mut output) = (Framer::<Lines, 8192>::new(), vec![0; 8192]);
        let mut connection = Connection::new(peer, peer, &mut framer, &mut output);
        let (mut server, mut context) = (handlers(), Heard::default());
        {
            #[allow(unused_mut)]
            let mut $session = client.over(&mut connection, &mut server, &mut context);
            $body
        }
        context.lines
    }};
}

/// Polls a future that never has to wait for long.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..1_000 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
    panic!("it waits without end");
}

/// [`session`] for the asynchronous one.
macro_rules! async_session {
    ($client:expr, $peer:expr, |$session:ident| $body:expr) => {{
        let peer = &$peer;
        let mut client: Client = $client;
        let (mut framer, mut output) = (Framer::<Lines, 8192>::new(), vec![0; 8192]);
        let mut connection = Connection::new(peer, peer, &mut framer, &mut output);
        let (mut server, mut context) = (handlers(), Heard::default());
        block_on(async {
            #[allow(unused_mut)]
            let mut $session = client.over_async(&mut connection, &mut server, &mut context);
            $body
        });
        context.lines
    }};
}

const ADD: Schema<'_> = nanojsonrpc::mcp::schema!(r#"{"type":"object"}"#);
const GREET: &[PromptArgument<'_>] = &[PromptArgument::required("name", "Who.")];
const NAMES: &[&str] = &["Ada", "Alan", "Grace"];

const fn skill(uri: &'static str) -> Skill<'static> {
    Skill::new(Str::Plain(uri), RawValue::NULL, SkillResources::Dynamic)
}
static ONE: Skill<'_> = skill("skill://one/SKILL.md");
static TWO: Skill<'_> = skill("skill://two/SKILL.md");
static THREE: Skill<'_> = skill("skill://three/SKILL.md");

#[derive(Serialize)]
struct Add {
    a: i32,
    b: i32,
}

#[derive(Deserialize, PartialEq, Debug)]
struct Sum<'a> {
    sum: i32,
    #[serde(borrow)]
    words: &'a str,
}

/// The requests of the server before it answers `ask`: one round for each unit of its argument.
fn ask(_: &mut usize, call: ToolCall<'_>) -> Replied {
    let rounds = call.get("rounds").and_then(|rounds| rounds.as_i64()).unwrap_or(1);
    let done = call
        .params()
        .and_then(|params| params.get("requestState"))
        .and_then(|state| state.as_str())
        .map_or(0, str::len);
    let answers = call.params().and_then(|params| params.get("inputResponses"));
    if done > 0 {
        // as the handlers answer
        let name = answers.and_then(|answers| answers.pointer("/who\u{e9} \"x\"/content/name"));
        assert_eq!(name.and_then(|name| name.as_str()), Some("Ada"));
        assert!(answers.and_then(|answers| answers.pointer("/roots/roots/0/uri")).is_some());
    }
    if done as i64 == rounds {
        let text =
            answers.and_then(|answers| answers.pointer("/model/content/text")).and_then(|text| text.as_str_raw());
        return call.text(("model: ", text.unwrap_or_default()));
    }
    let message =
        RawValue::parse(br#"{"message":"who?","requestedSchema":{"type":"object","properties":{}}}"#).unwrap();
    let sampling = RawValue::parse(br#"{"messages":[],"maxTokens":7}"#).unwrap();
    let requests = [
        ("who\u{e9} \"x\"", InputRequest { params: Some(message), ..InputRequest::new("elicitation/create".into()) }),
        ("model", InputRequest { params: Some(sampling), ..InputRequest::new("sampling/createMessage".into()) }),
        ("roots", InputRequest::new("roots/list".into())),
    ];
    let state = "s".repeat(done + 1);
    call.input_required(&InputRequiredResult {
        input_requests: Some(InputRequests::Entries(&requests)),
        request_state: Some(Str::Plain(&state)),
        ..InputRequiredResult::new()
    })
}

/// A server with all features that a client can use.
fn everything() -> Peer<usize> {
    let service = Service::new("everything", "1.2.3")
        .instructions("Ask away.")
        .page_len(2)
        .tool("add", "Adds.", ADD, |_: &mut usize, call: ToolCall<'_>| {
            let number = |name| call.get(name).and_then(|number| number.as_i64());
            let (Some(a), Some(b)) = (number("a"), number("b")) else { return call.failed("a and b") };
            let structured = json!({"sum": a + b, "words": "\u{1F44B} \"sum\""});
            call.structured(&structured)
        })
        .tool("ask", "Asks.", ADD, ask)
        .tool("bare", "Says nothing.", Schema::NO_ARGUMENTS, |_: &mut usize, call: ToolCall<'_>| {
            assert!(call.params().unwrap().get("arguments").is_none());
            call.text("bare")
        })
        .resource("note:///1", "one", "text/plain", |_: &mut usize, call: ReadCall<'_>| call.text("One"))
        .resource("note:///2", "two", "text/plain", |_: &mut usize, call: ReadCall<'_>| call.text("Two"))
        .resource("note:///3", "three", "text/plain", |_: &mut usize, call: ReadCall<'_>| call.text("Three"))
        .resource_template(uri_template!("hi:///{name}"), "hi", "text/plain", |_: &mut usize, call: ReadCall<'_>| {
            call.text("Hi")
        })
        .prompt("greet", "Greets.", GREET, |_: &mut usize, call: PromptCall<'_>| {
            let name = call.argument("name").unwrap_or_default();
            call.user(("Greet ", name, "."))
        })
        .skill("skill://one/SKILL.md", &ONE)
        .skill("skill://two/SKILL.md", &TWO)
        .skill("skill://three/SKILL.md", &THREE)
        .completion("greet", "name", |_: &mut usize, call: CompletionCall<'_>| call.among(NAMES));
    let mut server = service.server();
    let mut context = 0;
    Peer::new(Box::new(move |line, output| server.process(&mut context, line, output).answer().map(<[u8]>::len)))
}

fn client() -> Client {
    Client::new("tests", "1").roots().sampling().elicitation()
}

/// The checks of each session with [`everything`]; a macro because the two sessions are two types.
macro_rules! ask_everything {
    ($session:ident, $revision:expr, $($await:tt)*) => {{
        let connected = $session.connect()$($await)*.unwrap();
        assert_eq!(connected.revision, $revision);
        assert!(connected.server_info().unwrap().name == "everything");
        assert!(connected.capabilities().unwrap().tools.is_some());
        assert!(connected.instructions().unwrap() == "Ask away.");
        assert_eq!($session.client().negotiated(), Some($revision));

        $session.list_tools(|context, tool| heard(context, format!("tool {}", tool.name)))$($await)*.unwrap();
        $session.list_resources(|context, resource| heard(context, format!("resource {}", resource.uri)))$($await)*.unwrap();
        $session.list_resource_templates(|context, template| heard(context, format!("template {}", template.uri_template)))$($await)*.unwrap();
        $session.list_prompts(|context, prompt| heard(context, format!("prompt {}", prompt.name)))$($await)*.unwrap();
        let mut lists = core::mem::take(&mut $session.context().lines);
        $session.list_skills(|context, skill| heard(context, format!("skill {}", skill.uri)))$($await)*.unwrap();
        lists.append(&mut $session.context().lines);
        assert_eq!(lists, [
            "tool add", "tool ask", "tool bare",
            "resource note:///1", "resource note:///2", "resource note:///3",
            "template hi:///{name}", "prompt greet",
            "skill skill://one/SKILL.md", "skill skill://two/SKILL.md", "skill skill://three/SKILL.md",
        ]);

        let result = $session.call_tool("add", &Add { a: 40, b: 2 })$($await)*.unwrap();
        assert!(matches!(result.content.iter().next(), Some(Content::Text(content)) if content.text.as_str().is_none()));
        let sum: Sum<'_> = $session.call_tool_as("add", &Add { a: 40, b: 2 })$($await)*.unwrap();
        assert_eq!(sum, Sum { sum: 42, words: "\u{1F44B} \"sum\"" });
        let misfit = $session.call_tool_as::<(u8,), _>("add", &Add { a: 40, b: 2 })$($await)*;
        assert!(matches!(misfit, Err(SessionError::Payload(_))), "{misfit:?}");
        let failed = $session.call_tool_as::<Sum<'_>, _>("add", &())$($await)*;
        assert!(matches!(failed, Err(SessionError::Tool(result)) if result.is_error() && result.read().is_ok()), "{failed:?}");
        let unstructured = $session.call_tool_as::<Sum<'_>, _>("bare", &())$($await)*;
        assert!(matches!(unstructured, Err(SessionError::Refused(error, _)) if error.kind() == ErrorKind::MissingField));
        assert_eq!($session.call_tool("add", &())$($await)*.unwrap().is_error, Some(true));

        let read = $session.read_resource("note:///2")$($await)*.unwrap();
        assert_eq!(read.contents.iter().count(), 1);
        let error = $session.read_resource("note:///9")$($await)*;
        assert!(matches!(error, Err(SessionError::Peer(error)) if error.message == "Resource not found" || error.code.0 == -32602 || error.code.0 == -32002), "{error:?}");
        let found = $session.get_skill("skill://two/SKILL.md")$($await)*.unwrap();
        assert!(matches!(found.skill.resources, SkillResources::Dynamic) && found.skill.uri == "skill://two/SKILL.md");
        let error = $session.get_skill("skill://four/SKILL.md")$($await)*;
        assert!(matches!(error, Err(SessionError::Peer(error)) if error.message == "Unknown skill"), "{error:?}");
        let directory = $session.read_directory("note://")$($await)*.unwrap();
        assert_eq!(directory.resources.iter().map(|file| file.name.to_string()).collect::<Vec<_>>(), ["one", "two", "three"]);
        let prompt = $session.get_prompt("greet", &json!({"name": "Ada"}))$($await)*.unwrap();
        assert_eq!(prompt.messages.iter().map(|message| message.role).collect::<Vec<_>>(), [Role::User]);
        let completed = $session.complete(Reference::prompt("greet"), "name", "A")$($await)*.unwrap();
        assert_eq!(completed.completion.values.iter().count(), 2);
        let refused = $session.call(&Call::new("no/such"))$($await)*;
        assert!(matches!(refused, Err(SessionError::Peer(error)) if error.code == ErrorCode::METHOD_NOT_FOUND));
    }};
}

#[test]
fn a_server_of_each_generation_is_found_out_and_asked_for_everything() {
    for (client, revision) in [
        (client(), Revision::V2026_07_28),
        (client().revision(Revision::V2026_07_28), Revision::V2026_07_28),
        (client().revision(Revision::V2025_11_25), Revision::V2025_11_25),
        (client().revision(Revision::V2025_06_18), Revision::V2025_06_18),
    ] {
        let received = session!(client, everything(), |session| ask_everything!(session, revision,));
        assert_eq!(received, [""; 0]);
    }
}

#[test]
fn without_blocking_it_is_the_same() {
    for revision in [Revision::V2026_07_28, Revision::V2025_11_25] {
        let received = async_session!(client().revision(revision), everything(), |session| {
            ask_everything!(session, revision, .await);
        });
        assert_eq!(received, [""; 0]);
    }
}

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;
const UNKNOWN: &str = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#;

/// A client that is connected to a server of this revision.
fn connected(revision: Revision) -> Client {
    client().connected_as(revision)
}

fn stateless() -> Client {
    connected(Revision::V2026_07_28)
}

fn in_session() -> Client {
    connected(Revision::V2025_11_25)
}

/// Runs `session` on the lines of a script, and returns the recorded lines and the sent messages.
macro_rules! scripted {
    ($client:expr, $script:expr, |$session:ident| $body:expr) => {{
        let script = $script;
        let blocking = session!($client, script, |$session| $body);
        (blocking, script.lines())
    }};
}

/// The refusal of a revision by a server that lists the revision `supported`.
fn unsupported(id: u8, supported: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32022,"message":"no","data":{{"supported":["1999-01-01","{supported}"],"requested":"2026-07-28"}}}}}}"#
    )
}

#[test]
fn a_refused_probe_that_does_not_fit_again_is_the_end() {
    let mut client: Client<(), 1> = Client::new("me", "1");
    let mut buffer = [0; 512];
    client.connect(&mut Writer::new(&mut buffer)).unwrap();
    let refused = unsupported(1, "2026-07-28");
    let incoming = client.receive(refused.as_bytes(), &mut Writer::new(&mut []));
    assert!(
        matches!(incoming, Incoming::NotConnected(ConnectError::Refused(error, _)) if error.kind() == ErrorKind::OutputFull)
    );
}

#[test]
fn the_probe_falls_back_to_a_session() {
    for first in [
        UNKNOWN,
        // a server that declares only other revisions
        r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2025-06-18"],"capabilities":{}}}"#,
        // no result of the method
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        // no response
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#,
    ] {
        let (received, sent) = scripted!(client(), Script::new(&[first, INITIALIZED]), |session| {
            let connected = session.connect().unwrap();
            assert_eq!(connected.revision, Revision::V2025_06_18);
            assert!(connected.server_info().unwrap().name == "s");
            assert_eq!(connected.instructions(), None);
        });
        assert_eq!(received, [""; 0]);
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"roots": {}, "sampling": {}, "elicitation": {}},
        });
        assert_eq!(
            sent,
            [
                json!({"jsonrpc": "2.0", "method": "server/discover", "params": {"_meta": meta}, "id": 1}),
                json!({"jsonrpc": "2.0", "method": "initialize", "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {"roots": {}, "sampling": {}, "elicitation": {}},
                "clientInfo": {"name": "tests", "version": "1"},
            }, "id": 2}),
                json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            ],
            "{first}"
        );
    }
}

#[test]
fn a_server_that_does_not_answer_the_probe_in_time_is_asked_for_a_session() {
    let script = Script::new(&[]).then_silent();
    let received = session!(client(), script, |session| {
        let mut session = session.until(|| || true);
        assert!(matches!(session.connect(), Err(SessionError::Late)));
    });
    assert_eq!(received, [""; 0]);
    let methods: Vec<Value> = script.lines().iter().map(|line| line["method"].clone()).collect();
    assert_eq!(methods, ["server/discover", "initialize"]);
    let script = Script::new(&[]).then_silent();
    session!(client().revision(Revision::V2026_07_28), script, |session| {
        assert!(matches!(session.until(|| || true).connect(), Err(SessionError::Late)));
    });
    assert_eq!(script.lines().len(), 1);
    let script = Script::new(&[]).then_silent();
    async_session!(client(), script, |session| {
        let mut session = session.until(|| core::future::ready(()));
        assert!(matches!(session.connect().await, Err(SessionError::Late)));
    });
    assert_eq!(script.lines().len(), 2);
}

#[test]
fn a_late_connection_and_a_late_call_go_the_same_ways_as_those_in_time() {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;
    let result = r#"{"jsonrpc":"2.0","id":3,"result":{"content":[]}}"#;
    let scripts = || {
        [
            Script::new(&[]).then_silent(),
            Script::new(&[error, INITIALIZED]).then_silent(),
            Script::new(&[error, INITIALIZED, result]).then_silent(),
            Script::new(&[error, INITIALIZED, "{"]).then_silent(),
            Script::new(&[error]),
        ]
    };
    let mut outcomes = Vec::new();
    for script in scripts() {
        session!(client(), script, |session| {
            let mut session = session.until(|| {
                let mut asked = 0;
                move || {
                    asked += 1;
                    asked > 3
                }
            });
            let connected = session.connect().map(|connected| connected.revision).ok();
            outcomes.push((connected, connected.map(|_| session.call_tool("x", &()).is_ok())));
        });
    }
    let revision = Some(Revision::V2025_06_18);
    assert_eq!(
        outcomes,
        [(None, None), (revision, Some(false)), (revision, Some(true)), (revision, Some(false)), (None, None)]
    );
    for script in scripts() {
        async_session!(client(), script, |session| {
            let mut session = session.until(|| core::future::ready(()));
            let connected = session.connect().await.is_ok();
            _ = connected && session.call_tool("x", &()).await.is_ok();
        });
    }
}

#[test]
fn every_revision_with_a_session_is_negotiated_and_no_other() {
    for (supported, revision) in [
        ("2024-11-05", Some(Revision::V2024_11_05)),
        ("2025-06-18", Some(Revision::V2025_06_18)),
        ("2025-11-25", Some(Revision::V2025_11_25)),
        ("2026-07-28", None),
        ("2025-03-26", Some(Revision::V2025_03_26)),
        ("", None),
    ] {
        let answer = INITIALIZED.replace("\"id\":2", "\"id\":1").replace("2025-06-18", supported);
        let asked = client().revision(Revision::V2024_11_05);
        let (_, sent) = scripted!(asked, Script::new(&[&answer]), |session| {
            let connected = session.connect();
            match revision {
                Some(Revision::V2024_11_05) => assert_eq!(connected.unwrap().revision, Revision::V2024_11_05),
                _ => {
                    assert!(matches!(connected, Err(SessionError::Unsupported(raw)) if raw.as_str() == Some(supported)))
                }
            }
        });
        assert_eq!(sent[0]["params"]["protocolVersion"], "2024-11-05");
        // as a counter-offer
        scripted!(client(), Script::new(&[UNKNOWN, &INITIALIZED.replace("2025-06-18", supported)]), |session| {
            assert_eq!(session.connect().ok().map(|connected| connected.revision), revision);
            assert_eq!(session.client().negotiated(), revision);
        });
    }
}

#[test]
fn a_handshake_that_fails_says_why() {
    let failing = |first: &str, asked: Client, check: &dyn Fn(Result<(), String>)| {
        scripted!(asked, Script::new(&[first]), |session| {
            check(session.connect().map(|_| ()).map_err(|error| error.to_string()));
            assert_eq!(session.client().negotiated(), None);
            // no request is sent without a handshake
            let refused = session.call_tool("add", &());
            assert!(
                matches!(refused, Err(SessionError::Connection(ConnectionError::Message(error))) if error.kind() == ErrorKind::UnexpectedMessage)
            );
        });
    };
    let only = |revision| client().revision(revision);
    failing(UNKNOWN, only(Revision::V2026_07_28), &|result| {
        assert_eq!(result, Err("error -32601: Method not found".into()))
    });
    failing(UNKNOWN, only(Revision::V2025_11_25), &|result| {
        assert_eq!(result, Err("error -32601: Method not found".into()))
    });
    let supported = r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2027-01-01"],"capabilities":{}}}"#;
    failing(supported, only(Revision::V2026_07_28), &|result| {
        assert_eq!(result, Err(r#"no common revision: the server supports ["2027-01-01"]"#.into()));
    });
    let bare = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    failing(bare, only(Revision::V2025_11_25), &|result| {
        assert_eq!(result, Err("answer: missing member at byte 33".into()))
    });
    failing("", only(Revision::V2025_11_25), &|result| {
        assert_eq!(result, Err("the stream ended before the answer".into()))
    });
}

#[test]
fn the_server_asks_while_a_call_waits() {
    let lines = [
        r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"roots/list","params":{"_meta":{"progressToken":2}}}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"sampling/createMessage","params":{"maxTokens":3}}"#,
        r#"{"jsonrpc":"2.0","id":11,"method":"elicitation/create","params":{"message":"refuse"}}"#,
        r#"{"jsonrpc":"2.0","id":12,"method":"tasks/get"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":[1]}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":[1]}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note:///1"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":3}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":7}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"1","progress":7}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"a","result":{}}"#,
        "no message",
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#,
    ];
    let expected_received = [
        "sample 3",
        "log warning [1]",
        "dropped: notification notifications/message dropped, params do not fit: unknown variant at byte 68",
        "updated note:///1",
        "dropped: notification without listener: notifications/tools/list_changed",
        "progress Integer(1) Some(Integer(3))",
        "dropped: notification notifications/progress dropped, params do not fit: another kind of message at byte 0",
        "dropped: notification notifications/progress dropped, params do not fit: another kind of message at byte 0",
        "dropped: notification notifications/progress dropped, params do not fit: missing member at byte 60",
        "dropped: response without listener",
        "dropped: response without listener",
        "dropped: unreadable message: invalid literal at byte 1",
    ];
    let asked = || in_session().progress();
    let check = |sent: &[Value]| {
        assert_eq!(sent[0]["params"], json!({"name": "x", "_meta": {"progressToken": 1}}));
        assert_eq!(sent[1], json!({"jsonrpc": "2.0", "result": {}, "id": "p"}));
        assert_eq!(sent[2]["result"]["roots"][0]["uri"], "file:///a");
        assert_eq!(sent[3]["result"]["content"]["text"], "Hi \"you\"");
        assert_eq!(sent[4]["error"]["code"], -32042);
        assert_eq!(sent[5]["error"]["code"], -32601);
        assert_eq!(sent.len(), 6);
    };
    let (received, sent) = scripted!(asked(), Script::new(&lines), |session| {
        assert_eq!(session.call_tool("x", &()).unwrap().content.iter().count(), 0);
    });
    assert_eq!(received, expected_received);
    check(&sent);
    let script = Script::new(&lines);
    let received = async_session!(asked(), script, |session| {
        assert_eq!(session.call_tool("x", &()).await.unwrap().content.iter().count(), 0);
    });
    assert_eq!(received, expected_received);
    check(&script.lines());
}

#[test]
fn input_that_the_server_requires_is_given_and_the_call_repeated() {
    for rounds in [1, 2, MAX_ROUNDS] {
        let expected = vec!["sample 7"; usize::from(rounds)];
        let received = session!(stateless(), everything(), |session| {
            let result = session.call_tool("ask", &json!({"rounds": rounds})).unwrap();
            let Some(Content::Text(text)) = result.content.iter().next() else { panic!() };
            assert_eq!(text.text.to_string(), r#"model: Hi "you""#);
        });
        assert_eq!(received, expected);
        let received = async_session!(stateless(), everything(), |session| {
            let result = session.call_tool("ask", &json!({"rounds": rounds})).await.unwrap();
            assert_eq!(result.content.iter().count(), 1);
        });
        assert_eq!(received, expected);
    }
    session!(stateless(), everything(), |session| {
        let rounds = i64::from(MAX_ROUNDS) + 1;
        assert!(matches!(session.call_tool("ask", &json!({"rounds": rounds})), Err(SessionError::Rounds)));
        // and the next call is one like any other
        assert!(session.call_tool("bare", &()).is_ok());
    });
}

#[test]
fn input_that_is_refused_ends_the_call() {
    let required = |asked: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"input_required","inputRequests":{{"k":{asked}}}}}}}"#
        )
    };
    for (asked, code) in [
        (r#"{"method":"elicitation/create","params":{"message":"refuse"}}"#, -32042),
        // the router has a handler for it, but it is no input
        (r#"{"method":"notifications/message","params":{"level":"info","data":1}}"#, -32601),
        (r#"{"method":"tools/call"}"#, -32601),
    ] {
        let (_, sent) = scripted!(stateless(), Script::new(&[&required(asked)]), |session| {
            let refused = session.call_tool("x", &());
            assert!(matches!(refused, Err(SessionError::Input(refused)) if refused == ErrorCode(code)), "{refused:?}");
            assert_eq!(session.client().in_flight().count(), 0);
        });
        assert_eq!(sent.len(), 1);
    }
    for wrong in [
        required(r#"{"params":{}}"#),
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":[]}}"#.into(),
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"later","content":[]}}"#.into(),
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":1,"content":[]}}"#.into(),
    ] {
        scripted!(stateless(), Script::new(&[&wrong]), |session| {
            assert!(matches!(session.call_tool("x", &()), Err(SessionError::Refused(..))), "{wrong}");
        });
    }
    // a list needs no cursor
    let line = required(r#"{"method":"roots/list"}"#);
    scripted!(stateless(), Script::new(&[&line]), |session| {
        let refused = session.list_tools(|_, _| {});
        assert!(matches!(refused, Err(SessionError::Refused(error, _)) if error.kind() == ErrorKind::UnknownVariant));
    });
    // before there were such results, a member of that name was one like any other
    let line = required(r#"{"method":"roots/list"}"#);
    scripted!(in_session(), Script::new(&[&line]), |session| {
        assert!(session.call(&Call::tool("x", &())).is_ok());
    });
}

#[test]
fn a_call_from_before_a_new_handshake_may_require_input() {
    let mut buffer = [0; 1024];
    for (kind, is_right) in [
        ("\"input_required\"", (|outcome| matches!(outcome, Outcome::InputRequired(_))) as fn(&Outcome<'_>) -> bool),
        ("\"complete\"", |outcome| matches!(outcome, Outcome::Result(_))),
        ("\"later\"", |outcome| matches!(outcome, Outcome::Refused(..))),
    ] {
        let mut client: Client<char, 2> = Client::new("switchboard", "1.0.0").connected_as(Revision::LATEST);
        let mut out = Writer::new(&mut buffer);
        client.send(&Call::tool("x", &()), 'x', &mut out).unwrap();
        client.connect(&mut out).unwrap();
        let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":{kind},"requestState":"s"}}}}"#);
        match client.receive(answer.as_bytes(), &mut out) {
            Incoming::Answer('x', outcome) => assert!(is_right(&outcome), "{outcome:?}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn pages_are_followed_to_a_bound_and_no_cursor_twice() {
    let page = |id: usize, next: Option<&str>| {
        let next = next.map_or(String::new(), |next| format!(r#","nextCursor":{next}"#));
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{{"name":"t{id}","inputSchema":{{"type":"object"}}}}]{next}}}}}"#
        )
    };
    let run = |client: Client, cursors: &[Option<&str>]| {
        let pages: Vec<String> = cursors.iter().enumerate().map(|(at, next)| page(at + 1, *next)).collect();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let outcome;
        let (received, sent) = scripted!(client, Script::new(&pages), |session| {
            outcome = session
                .list_tools(|context, tool| heard(context, tool.name.to_string()))
                .map_err(|error| error.to_string());
        });
        let sent: Vec<Value> = sent.into_iter().map(|line| line["params"]["cursor"].clone()).collect();
        (outcome, received, sent)
    };
    let all = run(in_session(), &[Some(r#""a\u00e9\n""#), Some(r#""""#), None]);
    assert_eq!(
        all,
        (Ok(()), vec!["t1".into(), "t2".into(), "t3".into()], vec![Value::Null, json!("a\u{e9}\n"), json!("")])
    );
    // other implementations write null for an absent member
    assert_eq!(run(in_session(), &[Some("null")]), (Ok(()), vec!["t1".into()], vec![Value::Null]));
    // devices of the field mean the end by it
    let lenient = run(in_session().lenient(), &[Some(r#""""#)]);
    assert_eq!(lenient, (Ok(()), vec!["t1".into()], vec![Value::Null]));
    let same = run(in_session(), &[Some(r#""a""#), Some(r#""a""#), None]);
    assert_eq!(
        same,
        (
            Err("the list returns to an earlier page".into()),
            vec!["t1".into(), "t2".into()],
            vec![Value::Null, json!("a")]
        )
    );
    let circle: Vec<Option<&str>> =
        [Some(r#""a""#), Some(r#""b""#), Some(r#""c""#)].into_iter().cycle().take(99).collect();
    let (outcome, received, _) = run(in_session(), &circle);
    assert_eq!(outcome, Err("the list returns to an earlier page".into()));
    assert!(received.len() < 12);
    let many: Vec<String> = (0..9).map(|cursor| format!("\"{cursor}\"")).collect();
    let many: Vec<Option<&str>> = many.iter().map(|cursor| Some(cursor.as_str())).collect();
    let (outcome, received, sent) = run(in_session().max_pages(4), &many);
    assert_eq!((outcome, received.len(), sent.len()), (Err("the list has too many pages".into()), 4, 4));
    let wrong = run(in_session(), &[Some("7")]);
    assert_eq!((wrong.0, wrong.1.len()), (Err("answer: unexpected type at byte 103".into()), 1));
    for (line, problem) in [
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "answer: missing member at byte 33"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"tools":{}}}"#, "answer: unexpected type at byte 42"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t"}]}}"#, "answer: missing member at byte 43"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}"#, "error 1: no"),
    ] {
        scripted!(in_session(), Script::new(&[line]), |session| {
            let refused = session.list_tools(|_, _| {}).map_err(|error| error.to_string());
            assert_eq!(refused, Err(problem.into()));
        });
    }
}

#[test]
fn a_call_that_is_late_is_cancelled() {
    let script = Script::new(&[r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#]).then_silent();
    let received = session!(in_session(), script, |session| {
        let mut session = session.until(|| {
            let mut asked = 0;
            move || {
                asked += 1;
                asked > 3
            }
        });
        assert!(matches!(session.call_tool("x", &()), Err(SessionError::Late)));
        assert_eq!(session.client().in_flight().count(), 0);
        assert!(matches!(session.call_tool("y", &()), Err(SessionError::Late)));
    });
    assert_eq!(received.len(), 1);
    let sent = script.lines();
    assert_eq!(sent[1], json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    assert_eq!((sent.len(), &sent[3]["params"]["requestId"]), (4, &json!(2)));

    let script = Script::new(&[]).then_silent();
    async_session!(in_session(), script, |session| {
        let mut session = session.until(|| core::future::ready(()));
        assert!(matches!(session.call_tool("x", &()).await, Err(SessionError::Late)));
        assert_eq!(session.client().in_flight().count(), 0);
    });
    assert_eq!(script.lines()[1]["params"]["requestId"], 1);
    // the late answer is the observer's
    let script = Script::new(&[r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]).then_silent();
    let received = session!(in_session(), script, |session| {
        assert!(matches!(session.handle_incoming(), Ok(true)));
        assert!(matches!(session.handle_incoming(), Ok(true)));
    });
    assert_eq!(received, ["dropped: response without listener"]);
}

/// A stream in memory with `incoming`, and the bytes that a session has sent on it after each of its steps.
macro_rules! on_wire {
    ($frame:ty, $incoming:expr, |$session:ident| $($step:expr),+) => {{
        let mut pipe: Pipe<1024> = Pipe::new();
        let (near, far) = pipe.ends();
        far.try_write(&$incoming).unwrap();
        let (mut framer, mut output) = (Framer::<$frame, 512>::new(), [0; 512]);
        let mut connection = Connection::new(&near, &near, &mut framer, &mut output);
        let (mut client, mut server, mut context): (Client, _, _) = (in_session(), handlers(), Heard::default());
        let mut $session = client.over_async(&mut connection, &mut server, &mut context);
        [$({
            assert!(matches!(pin!(async { $step }).poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(true)));
            let mut sent = [0; 1024];
            let len = far.try_read(&mut sent).unwrap_or(0);
            sent[..len].to_vec()
        }),+]
    }};
}

#[test]
fn what_comes_with_the_last_answer_is_handled_without_a_read() {
    let incoming =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"p\"}\n";
    let [_, pong] = on_wire!(Lines, incoming.as_bytes(), |session| session.call(&Call::new("x")).await.is_ok(), {
        matches!(session.handle_incoming().await, Ok(true))
    });
    assert_eq!(String::from_utf8(pong).unwrap(), "{\"jsonrpc\":\"2.0\",\"result\":{},\"id\":\"p\"}\n");
}

#[cfg(feature = "websocket")]
#[test]
fn no_call_follows_a_close() {
    use nanojsonrpc::frame::websocket::{self, MaskingKey};
    use nanojsonrpc::frame::{Frame, WebSocket};

    struct Keys;
    impl MaskingKey for Keys {
        fn next_key() -> [u8; 4] {
            [1, 2, 3, 4]
        }
    }

    let mut incoming = [0; 256];
    let len = <WebSocket>::encode(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#, &mut incoming).unwrap();
    let end = len + <WebSocket>::close(1000, "", &mut incoming[len..]).unwrap();
    macro_rules! is_refused {
        ($call:expr) => {
            matches!($call.await, Err(SessionError::Connection(ConnectionError::OutputBroken)))
        };
    }
    let [_, close, call, list, connect] = on_wire!(
        WebSocket<websocket::Client<Keys>>,
        incoming[..end],
        |session| session.call(&Call::new("x")).await.is_ok(),
        matches!(session.handle_incoming().await, Ok(true)),
        is_refused!(session.call(&Call::new("y"))),
        is_refused!(session.list_tools(|_, _| {})),
        is_refused!(session.connect())
    );
    assert_eq!((close.len(), call.len(), list.len(), connect.len()), (8, 0, 0, 0));
}

#[test]
fn between_calls_what_comes_is_heard() {
    let lines = [r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#];
    let received = session!(in_session(), Script::new(&lines), |session| {
        assert!(matches!(session.handle_incoming(), Ok(true)));
        assert!(matches!(session.handle_incoming(), Ok(false)));
    });
    assert_eq!(received, ["log info 1"]);
    let received = async_session!(in_session(), Script::new(&lines), |session| {
        assert!(matches!(session.handle_incoming().await, Ok(true)));
        assert!(matches!(session.handle_incoming().await, Ok(false)));
    });
    assert_eq!(received, ["log info 1"]);
}

#[test]
fn answers_that_are_none_end_the_call_and_no_other() {
    for (line, problem) in [
        (r#"{"jsonrpc":"2.0","id":1,"result":[]}"#, "answer: unexpected type at byte 33"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"smell"}]}}"#, "answer: unknown variant at byte 53"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}"#, "answer: invalid error object at byte 32"),
        (r#"{"jsonrpc":"1.0","id":1,"result":{}}"#, "answer: jsonrpc is not \"2.0\" at byte 11"),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown \u0074ool"}}"#,
            "error -32602: Unknown tool",
        ),
        ("", "the stream ended before the answer"),
        (r#"{"jsonrpc":"2.0","id":1"#, "answer: unexpected end at byte 23"),
    ] {
        scripted!(in_session(), Script::new(&[line]), |session| {
            let outcome = session.call_tool("x", &()).map(|_| ()).map_err(|error| error.to_string());
            assert_eq!(outcome, Err(problem.into()), "{line}");
            assert_eq!(session.client().in_flight().count(), 0);
        });
    }
    // a message that does not fit the output is not sent
    let (_, sent) = scripted!(in_session(), Script::new(&[]), |session| {
        let refused = session.call_tool("x", &"a".repeat(9_000));
        assert!(
            matches!(refused, Err(SessionError::Connection(ConnectionError::Message(error))) if error.kind() == ErrorKind::OutputFull)
        );
        let refused = session.call(&Call::of("x", &[1, 2]));
        assert!(
            matches!(refused, Err(SessionError::Connection(ConnectionError::Message(error))) if error.kind() == ErrorKind::InvalidParams)
        );
        assert_eq!(session.client().in_flight().count(), 0);
    });
    assert_eq!(sent, [Value::Null; 0]);
}

#[test]
fn an_error_without_a_code_is_read_by_a_lenient_client_alone() {
    let corpus = std::env::var("NANOJSONRPC_CORPORA")
        .ok()
        .and_then(|folder| std::fs::read_to_string(folder + "/xiaozhi.jsonl").ok());
    let own = r#"{"jsonrpc":"2.0","id":3,"error":{"message":"Unknown tool: self.non_existent_tool"}}"#.to_owned();
    let of_corpus = corpus.map(|corpus| {
        let lines = corpus.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut lines = lines.filter(|line| line["name"].as_str().unwrap().starts_with("error without a code"));
        lines.next().unwrap()["message"].as_str().unwrap().to_owned()
    });
    for line in [Some(own), of_corpus].into_iter().flatten() {
        let line = line.replace("\"id\":3", "\"id\":1");
        scripted!(in_session().lenient(), Script::new(&[&line]), |session| {
            let Err(SessionError::Peer(error)) = session.call_tool("self.non_existent_tool", &()) else { panic!() };
            assert!(
                error.code == NO_CODE
                    && error.message == "Unknown tool: self.non_existent_tool"
                    && error.data.is_none()
            );
        });
        scripted!(in_session(), Script::new(&[&line]), |session| {
            let strict = session.call_tool("self.non_existent_tool", &());
            assert!(
                matches!(strict, Err(SessionError::Refused(error, _)) if error.kind() == ErrorKind::InvalidErrorObject)
            );
        });
    }
    // it does not read any other fault either
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"message":7}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"message":"a","message":"b"}}"#,
    ] {
        scripted!(in_session().lenient(), Script::new(&[line]), |session| {
            assert!(matches!(session.call_tool("x", &()), Err(SessionError::Refused(..))), "{line}");
        });
    }
}

#[test]
fn the_whole_talk_with_a_device_of_the_field_is_read() {
    let Some(corpus) = std::env::var("NANOJSONRPC_CORPORA")
        .ok()
        .and_then(|folder| std::fs::read_to_string(folder + "/xiaozhi.jsonl").ok())
    else {
        return;
    };
    let message = |name: &str| {
        let lines = corpus.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .filter(|line| line["name"].as_str().unwrap().starts_with(name))
            .map(|line| line["message"].as_str().unwrap().to_owned())
            .next()
            .unwrap()
    };
    let lines = [
        message("initialize answered by the device"),
        message("notification of the device"),
        message("tools with an empty nextCursor"),
        message("result of a tool"),
        message("unknown tool").replace("\"id\":3", "\"id\":4"),
        message("error without a code").replace("\"id\":3", "\"id\":5"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let received = session!(
        Client::new("hub", "1").revision(Revision::V2024_11_05).lenient(),
        Script::new(&lines),
        |session| {
            let device = session.connect().unwrap();
            assert!(device.revision == Revision::V2024_11_05 && device.server_info().unwrap().name == "board");
            session.list_tools(|context, tool| heard(context, tool.name.to_string())).unwrap();
            let result = session.call_tool("self.audio_speaker.set_volume", &json!({"volume": 50})).unwrap();
            assert!(matches!(result.content.iter().next(), Some(Content::Text(content)) if content.text == "true"));
            assert!(
                matches!(session.call_tool("no", &()), Err(SessionError::Peer(error)) if error.code == ErrorCode::METHOD_NOT_FOUND)
            );
            assert!(matches!(session.call_tool("no", &()), Err(SessionError::Peer(error)) if error.code == NO_CODE));
        }
    );
    assert_eq!(
        received,
        ["dropped: notification without listener: notifications/state_changed", "self.audio_speaker.set_volume",]
    );
}

#[test]
fn the_level_of_log_messages_is_set_as_the_revision_has_it() {
    let (_, sent) = scripted!(in_session(), Script::new(&[r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]), |session| {
        session.set_log_level(LoggingLevel::Notice).unwrap();
    });
    assert_eq!(sent, [json!({"jsonrpc": "2.0", "method": "logging/setLevel", "params": {"level": "notice"}, "id": 1})]);
    let (_, sent) =
        scripted!(stateless().progress(), Script::new(&[r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]), |session| {
            session.set_log_level(LoggingLevel::Notice).unwrap();
            session.call(&Call::subscribe("a:")).unwrap();
        });
    assert_eq!(
        sent[0]["params"],
        json!({"uri": "a:", "_meta": {
            "progressToken": 1,
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"roots": {}, "sampling": {}, "elicitation": {}},
            "io.modelcontextprotocol/logLevel": "notice",
        }})
    );
}

#[test]
fn without_a_stream_calls_are_matched_whatever_their_order() {
    let mut client: Client<char, 2> = Client::new("tests", "1").progress().connected_as(Revision::V2025_11_25);
    let mut buffer = [0; 1024];
    let mut out = Writer::new(&mut buffer);
    assert_eq!(client.send(&Call::tool("a", &()), 'a', &mut out), Ok(1));
    assert_eq!(client.send(&Call::of("b", &json!({"x": 1})), 'b', &mut out), Ok(2));
    let before = out.len();
    let refused = client.send(&Call::new("c"), 'c', &mut out).unwrap_err();
    assert_eq!((refused.error.kind(), refused.tag, out.len()), (ErrorKind::TooManyCalls, 'c', before));
    assert_eq!(
        out.written(),
        concat!(
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}},"id":1}"#,
            r#"{"jsonrpc":"2.0","method":"b","params":{"x":1,"_meta":{"progressToken":2}},"id":2}"#
        )
        .as_bytes()
    );
    out.clear();
    let progress =
        br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":0.5}}"#;
    assert!(matches!(client.receive(progress, &mut out), Incoming::Progress(2, _)));
    let nobodys = br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"?"}}"#;
    assert!(matches!(client.receive(nobodys, &mut out), Incoming::Unmatched(_)));
    assert!(matches!(
        client.receive(br#"{"jsonrpc":"2.0","id":2,"result":{}}"#, &mut out),
        Incoming::Answer('b', Outcome::Result(_))
    ));
    assert!(matches!(client.receive(progress, &mut out), Incoming::StaleProgress(_)));
    assert!(matches!(client.receive(br#"{"jsonrpc":"2.0","id":2,"result":{}}"#, &mut out), Incoming::Unmatched(_)));
    assert!(matches!(client.receive(b"[]", &mut out), Incoming::Unreadable(_)));
    let log = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;
    assert!(
        matches!(client.receive(log, &mut out), Incoming::Log(log) if LogMessage::read(log).unwrap().level == LoggingLevel::Info)
    );
    let changed = br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    assert!(matches!(client.receive(changed, &mut out), Incoming::Notification(_)));
    assert!(matches!(
        client.receive(br#"{"jsonrpc":"2.0","method":"roots/list","id":1}"#, &mut out),
        Incoming::Request(_)
    ));
    assert!(out.is_empty());
    // a ping whose answer does not fit is returned to the program
    let ping = br#"{"jsonrpc":"2.0","method":"ping","id":"x"}"#;
    assert!(matches!(client.receive(ping, &mut Writer::new(&mut [0; 8])), Incoming::Request(_)));
    assert!(matches!(client.receive(ping, &mut out), Incoming::ToSend));
    out.clear();

    assert_eq!(client.in_flight().map(|(id, tag)| (id, *tag)).collect::<Vec<_>>(), [(1, 'a')]);
    assert_eq!(client.cancel(2, "no", &mut out), Ok(None));
    assert!(client.cancel(1, "no", &mut Writer::new(&mut [0; 8])).is_err());
    assert_eq!(client.cancel(1, "no longer", &mut out), Ok(Some('a')));
    assert_eq!(
        out.written(),
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no longer"}}"#
    );
    assert!(matches!(client.receive(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#, &mut out), Incoming::Unmatched(_)));
    out.clear();
    assert_eq!(client.send(&Call::new("c"), 'c', &mut out), Ok(3));
    let mut left = Vec::new();
    client.drain(|id, tag| left.push((id, tag)));
    assert_eq!((left, client.negotiated()), (vec![(3, 'c')], None));
}

#[test]
fn without_a_stream_the_handshake_needs_room_too() {
    let mut client: Client<(), 1> = Client::new("tests", "1");
    assert!(client.connect(&mut Writer::new(&mut [0; 32])).is_err());
    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    assert_eq!(client.connect(&mut out), Ok(()));
    let id = if out.written().ends_with(b"\"id\":2}") { 2 } else { 1 };
    let error = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"?"}}}}"#);
    let failed = client.receive(error.as_bytes(), &mut Writer::new(&mut [0; 32]));
    assert!(
        matches!(failed, Incoming::NotConnected(ConnectError::Refused(error, _)) if error.kind() == ErrorKind::OutputFull)
    );
    assert_eq!(client.fall_back(&mut out), Ok(false));
}

/// Calls `step` with outputs of each length, until it succeeds. Before, it writes nothing.
fn in_each_room(mut step: impl FnMut(&mut Writer<'_>) -> Option<ErrorKind>) {
    let mut buffer = [0; 512];
    for room in 0..buffer.len() {
        let mut out = Writer::new(&mut buffer[..room]);
        match step(&mut out) {
            None => return assert_eq!(out.len(), room),
            fault => assert_eq!((fault, out.len()), (Some(ErrorKind::OutputFull), 0), "{room}"),
        }
    }
    panic!("no room is enough");
}

#[test]
fn a_handshake_and_a_call_are_written_whole_or_not_at_all() {
    let initialized = r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}"#;
    let kind = |error: nanojsonrpc::Error| error.kind();
    in_each_room(|out| Client::<(), 1>::new("me", "1").connect(out).err().map(kind));
    for texts in [&[&*unsupported(1, "2026-07-28")][..], &[UNKNOWN], &[UNKNOWN, initialized]] {
        let (last, before) = texts.split_last().unwrap();
        in_each_room(|out| {
            let (mut client, mut room) = (Client::<(), 1>::new("me", "1"), [0; 512]);
            client.connect(&mut Writer::new(&mut room)).unwrap();
            for text in before {
                assert!(matches!(client.receive(text.as_bytes(), &mut Writer::new(&mut room)), Incoming::ToSend));
            }
            match client.receive(last.as_bytes(), out) {
                Incoming::NotConnected(ConnectError::Refused(error, _)) => Some(error.kind()),
                Incoming::ToSend | Incoming::Connected(_) => None,
                incoming => panic!("{incoming:?}"),
            }
        });
    }
    let params = RawValue::parse(br#"{"name":"x","arguments":{"a":[1,2]}}"#).unwrap();
    let required = RawValue::parse(br#"{"inputRequests":{"k":{"method":"roots/list"}},"requestState":"s"}"#).unwrap();
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let call = Call::of(method::TOOLS_CALL, &params);
        in_each_room(|out| {
            Client::<(), 1>::new("me", "1")
                .connected_as(revision)
                .send(&call, (), out)
                .err()
                .map(|refused| kind(refused.error))
        });
        in_each_room(|out| {
            let mut client = Client::<(), 1>::new("me", "1").connected_as(revision);
            let repeated = client.repeat(&call, required, (), out, |_, out| out.value(&json!({})));
            assert_eq!(client.in_flight().count(), usize::from(repeated.is_ok()));
            repeated.err().map(|refused| kind(refused.error))
        });
        let list = RawValue::parse(b"[]").unwrap();
        let mut buffer = [0; 512];
        let mut out = Writer::new(&mut buffer);
        let repeated = Client::<(), 1>::new("me", "1").connected_as(revision).repeat(
            &Call::of("x", &list),
            required,
            (),
            &mut out,
            |_, _| Ok(()),
        );
        assert_eq!((repeated.map_err(|refused| kind(refused.error)), out.len()), (Err(ErrorKind::InvalidParams), 0));
    }
    // in a session, too, a call has metadata of the program
    let trace = [("traceparent", RawValue::parse(b"7").unwrap())];
    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    let mut client = Client::<(), 1>::new("me", "1").connected_as(Revision::V2025_11_25);
    client.send(&Call::new("x").with_meta(&trace), (), &mut out).unwrap();
    assert_eq!(out.written(), br#"{"jsonrpc":"2.0","method":"x","params":{"_meta":{"traceparent":7}},"id":1}"#);
}

#[test]
fn a_session_needs_room_for_its_first_message() {
    for room in [0, 64, 128] {
        let script = Script::new(&[]);
        let (mut framer, mut output) = (Framer::<Lines, 256>::new(), vec![0; room]);
        let mut connection = Connection::new(&script, &script, &mut framer, &mut output);
        let (mut server, mut context, mut client) = (handlers(), Heard::default(), client());
        let mut session = client.over(&mut connection, &mut server, &mut context);
        let outcome = session.connect().map(drop);
        let Err(SessionError::Connection(ConnectionError::Message(error))) = outcome else { panic!("{outcome:?}") };
        assert_eq!(error.kind(), ErrorKind::OutputFull);
        assert!(script.sent.borrow().is_empty());
    }
}

#[test]
fn what_a_server_says_of_itself_is_read_on_access() {
    const INFO: &str = r#"{"name":"a","version":"1"}"#;
    let missing = Err(ErrorKind::MissingField);
    let stateless = r#"{"supportedVersions":["2026-07-28"]"#;
    let session = r#"{"protocolVersion":"2025-11-25""#;
    for (revision, front, more, expected) in [
        (Revision::V2026_07_28, stateless, "".to_owned(), (missing, missing)),
        (Revision::V2026_07_28, stateless, r#","capabilities":{},"_meta":{}"#.into(), (Ok(()), missing)),
        (
            Revision::V2026_07_28,
            stateless,
            format!(r#","capabilities":{{}},"_meta":{{"io.modelcontextprotocol/serverInfo":{INFO}}}"#),
            (Ok(()), Ok(())),
        ),
        (Revision::V2025_11_25, session, "".into(), (missing, missing)),
        (Revision::V2025_11_25, session, format!(r#","capabilities":{{}},"serverInfo":{INFO}"#), (Ok(()), Ok(()))),
    ] {
        let mut client = Client::<(), 1>::new("me", "1").revision(revision);
        let mut buffer = [0; 512];
        let mut out = Writer::new(&mut buffer);
        client.connect(&mut out).unwrap();
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{front}{more}}}}}"#);
        let Incoming::Connected(server) = client.receive(text.as_bytes(), &mut out) else { panic!("{text}") };
        let found = (server.capabilities().map(drop), server.server_info().map(drop));
        let kind = |error: nanojsonrpc::Error| error.kind();
        assert_eq!((found.0.map_err(kind), found.1.map_err(kind)), expected, "{text}");
    }
}

#[test]
fn an_empty_cursor_ends_a_list_for_a_lenient_client_alone() {
    for (page, plain, lenient) in [
        (r#"{"nextCursor":""}"#, Some(""), None),
        (r#"{"nextCursor":"2"}"#, Some("2"), Some("2")),
        (r#"{"nextCursor":null}"#, None, None),
        ("{}", None, None),
    ] {
        for (client, expected) in
            [(Client::<(), 1>::new("me", "1"), plain), (Client::<(), 1>::new("me", "1").lenient(), lenient)]
        {
            let cursor = client.next_cursor(RawValue::parse(page.as_bytes()).unwrap()).unwrap();
            assert!(cursor.is_some() == expected.is_some() && cursor.is_none_or(|cursor| cursor == expected.unwrap()));
        }
    }
}

#[test]
fn a_notification_without_its_params_is_reported() {
    for method in [method::MESSAGE, method::PROGRESS, method::RESOURCES_UPDATED] {
        let (mut server, mut heard) = (handlers(), Heard::default());
        let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#);
        assert_eq!(server.process(&mut heard, text.as_bytes(), &mut [0; 64]).answer(), None);
        assert_eq!(heard.lines.len(), 1);
        assert!(heard.lines[0].starts_with(&format!("dropped: notification {method}")), "{:?}", heard.lines);
    }
}

#[test]
fn a_repeated_call_has_what_was_asked_for_and_nothing_if_that_fails() {
    let mut client: Client<(), 1> = Client::new("tests", "1").connected_as(Revision::V2026_07_28);
    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    let required = RawValue::parse(br#"{"inputRequests":{"k\"":{"method":"roots/list"}}}"#).unwrap();
    let failing =
        client.repeat(&Call::tool("a", &()), required, (), &mut out, |_, _| Err(RawValue::parse(b"").unwrap_err()));
    assert!(failing.is_err() && out.is_empty() && client.in_flight().count() == 0);
    for wrong in [r#"{"inputRequests":[]}"#, r#"{"inputRequests":{"k":{}}}"#, r#"{"requestState":7}"#] {
        let wrong = RawValue::parse(wrong.as_bytes()).unwrap();
        let refused = client.repeat(&Call::tool("a", &()), wrong, (), &mut out, |_, out| out.value(&1));
        assert!(refused.is_err() && out.is_empty() && client.in_flight().count() == 0);
    }
    let sent = client.repeat(&Call::tool("a", &()), required, (), &mut out, |request, out| {
        assert!(request.method == "roots/list");
        out.value(&json!({"roots": []}))
    });
    assert!(sent.is_ok());
    let line: Value = serde_json::from_slice(out.written()).unwrap();
    assert_eq!(line["params"]["inputResponses"], json!({"k\"": {"roots": []}}));
    assert_eq!(line["params"].get("requestState"), None);
    let result = RawValue::parse(br#"{"content":[]}"#).unwrap();
    assert!(CallToolResult::read(result).is_ok());
}

#[test]
fn all_that_a_client_says_of_itself_is_written() {
    static ABOUT: Implementation<'_> = Implementation::new(Str::Plain("whole"), Str::Plain("2"));
    let declared: &[(&str, RawValue<'static>)] = &[("tasks", RawValue::NULL)];
    let client = Client::new("tests", "1")
        .implementation(&ABOUT)
        .roots()
        .declaring(declared)
        .progress()
        .log_level(LoggingLevel::Error)
        .connected_as(Revision::V2026_07_28);
    let (_, sent) = scripted!(client, Script::new(&[r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]), |session| {
        session.call(&Call::unsubscribe("a:")).unwrap();
    });
    assert_eq!(
        sent[0],
        json!({"jsonrpc": "2.0", "id": 1, "method": "resources/unsubscribe", "params": {"uri": "a:", "_meta": {
            "progressToken": 1,
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "whole", "version": "2"},
            "io.modelcontextprotocol/clientCapabilities": {"roots": {}, "tasks": null},
            "io.modelcontextprotocol/logLevel": "error",
        }}})
    );
}

/// RFC 8259 §4: "The names within an object SHOULD be unique."
#[test]
fn a_declared_capability_replaces_the_plain_one() {
    const FORMS: RawValue<'static> = RawValue::constant(r#"{"form":{}}"#).unwrap();
    let mut client: Client<(), 1> = Client::new("tests", "1")
        .roots()
        .elicitation()
        .declaring(const { &[("elicitation", FORMS)] })
        .connected_as(Revision::V2026_07_28);
    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    client.send(&Call::tool("a", &()), (), &mut out).unwrap();
    let text = str::from_utf8(out.written()).unwrap();
    assert!(text.contains(r#"clientCapabilities":{"roots":{},"elicitation":{"form":{}}}"#), "{text}");
}

#[test]
fn a_completion_of_a_template_and_a_level_are_calls_like_others() {
    let result = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    for (call, method, params) in [
        (
            Call::completion(Reference::resource("a:{b}"), "b", "x"),
            "completion/complete",
            json!({"ref": {"type": "ref/resource", "uri": "a:{b}"}, "argument": {"name": "b", "value": "x"}}),
        ),
        (Call::set_level(LoggingLevel::Debug), "logging/setLevel", json!({"level": "debug"})),
    ] {
        assert_eq!(call.method(), method);
        let (_, sent) = scripted!(in_session(), Script::new(&[result]), |session| {
            assert!(session.call(&call).is_ok());
        });
        assert_eq!((&sent[0]["method"], &sent[0]["params"]), (&json!(method), &params));
    }
}

#[test]
fn the_texts_of_a_result_are_listed() {
    let text =
        r#"{"content":[{"type":"text","text":"a"},{"type":"image","text":"no"},1,{"type":"text","text":"\u00e9"}]}"#;
    let result = ToolResult(RawValue::parse(text.as_bytes()).unwrap());
    assert_eq!(result.texts().map(|text| text.to_string()).collect::<Vec<_>>(), ["a", "é"]);
    assert!(!result.is_error() && result.structured().is_none());
}

#[test]
fn sessions_and_errors_are_shown() {
    session!(in_session(), everything(), |session| {
        assert!(format!("{session:?}").starts_with("Session { client: Client { "));
        assert!(format!("{:?}", session.client()).contains("tests 1"));
    });
    async_session!(in_session(), everything(), |session| {
        assert!(format!("{session:?}").starts_with("AsyncSession { client: Client { "));
    });
    let listening = on_log(|_: &mut (), _: LogMessage<'_>| {});
    assert_eq!(format!("{listening:?}"), "Listening");

    let null = RawValue::NULL;
    let error = || ErrorObject::new(-7, "broken");
    let refused = || RawValue::parse(b"x").unwrap_err();
    let payload = RawValue::parse(b"[1]").unwrap().read::<bool>().unwrap_err();
    let errors: [(SessionError<'_, String, String>, &str); 11] = [
        (SessionError::Peer(error()), "error -7: broken"),
        (SessionError::Tool(ToolResult(null)), "the tool failed"),
        (SessionError::Refused(refused(), b"x"), "answer: expected a value at byte 0"),
        (SessionError::Payload(payload), "structured content: unexpected type at byte 0, expected a boolean"),
        (SessionError::Unsupported(null), "no common revision: the server supports null"),
        (SessionError::Input(ErrorCode(-9)), "required input refused: error -9"),
        (SessionError::Rounds, "the server requires input in too many rounds"),
        (SessionError::Pages, "the list has too many pages"),
        (SessionError::RepeatedCursor, "the list returns to an earlier page"),
        (SessionError::Late, "no answer in time"),
        (SessionError::Closed, "the stream ended before the answer"),
    ];
    for (error, words) in errors {
        let shown = error.to_string();
        assert!(shown.starts_with(&words[..words.len().min(24)]), "{shown}");
    }
    let broken: SessionError<'_, String, String> = SessionError::Connection(ConnectionError::OutputBroken);
    assert!(!broken.to_string().is_empty());
    for (error, words) in [
        (ConnectError::Peer(error()), "error -7: broken"),
        (ConnectError::Refused(refused(), b"x"), "answer: "),
        (ConnectError::Unsupported(null), "no common revision: the server supports null"),
    ] {
        assert!(error.to_string().starts_with(words), "{error}");
    }
}

#[test]
fn without_blocking_what_goes_wrong_is_the_same() {
    let required = |asked: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"input_required","inputRequests":{{"k":{asked}}}}}}}"#
        )
    };
    for (asked, code) in [
        (r#"{"method":"elicitation/create","params":{"message":"refuse"}}"#, -32042),
        (r#"{"method":"tools/call"}"#, -32601),
    ] {
        let script = Script::new(&[&required(asked)]);
        async_session!(stateless(), script, |session| {
            let refused = session.call_tool("x", &()).await;
            assert!(matches!(refused, Err(SessionError::Input(refused)) if refused == ErrorCode(code)), "{refused:?}");
            assert_eq!(session.client().in_flight().count(), 0);
        });
    }
    for wrong in [required(r#"{"params":{}}"#), r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":1}}"#.into()] {
        let script = Script::new(&[&wrong]);
        async_session!(stateless(), script, |session| {
            assert!(matches!(session.call_tool("x", &()).await, Err(SessionError::Refused(..))), "{wrong}");
        });
    }
    let unanswered = Server::new(Router::<Heard>::new()).with_dialect(Dialect::MCP);
    let (mut server, mut context, mut client) = (unanswered, Heard::default(), stateless());
    let script = Script::new(&[&required(r#"{"method":"roots/list"}"#)]);
    let (mut framer, mut output) = (Framer::<Lines, 8192>::new(), vec![0; 8192]);
    let mut connection = Connection::new(&script, &script, &mut framer, &mut output);
    block_on(async {
        let mut session = client.over_async(&mut connection, &mut server, &mut context);
        let refused = session.call_tool("x", &()).await;
        assert!(matches!(refused, Err(SessionError::Input(ErrorCode(-32601)))), "{refused:?}");
    });

    let page = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"a"}}"#;
    let again = page.replace("\"id\":1", "\"id\":2");
    let wrong = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[1]}}"#;
    let cases: [(&[&str], u32, &str); 9] = [
        (&[], 9, "the stream ended before the answer"),
        (&[r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}"#], 9, "error 1: no"),
        (&[r#"{"jsonrpc":"2.0","id":1,"result":{}}"#], 9, "answer: missing member at byte 33"),
        (&[r#"{"jsonrpc":"2.0","id":1,"result":{"tools":{}}}"#], 9, "answer: unexpected type at byte 42"),
        (&[wrong], 9, "answer: unexpected type at byte 43"),
        (&["nonsense", r#"{"jsonrpc":"2.0","id":1,"error":{"code":2,"message":"no"}}"#], 9, "error 2: no"),
        (&[page, &again], 9, "the list returns to an earlier page"),
        (&[page, &again], 1, "the list has too many pages"),
        (&[page, r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#], 9, ""),
    ];
    for (lines, pages, words) in cases {
        let script = Script::new(lines);
        async_session!(in_session().max_pages(pages), script, |session| {
            let outcome = session.list_tools(|_, _| {}).await;
            assert_eq!(outcome.err().map(|error| error.to_string()).unwrap_or_default(), words);
        });
    }
    let script =
        Script::new(&[r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#]);
    let received = async_session!(stateless(), script, |session| {
        session.set_log_level(LoggingLevel::Notice).await.unwrap();
        assert!(matches!(session.handle_incoming().await, Ok(true)));
        assert!(matches!(session.handle_incoming().await, Ok(false)));
    });
    assert_eq!(received, ["log info 1"]);
}

/// The kind of the fault of an answer.
fn refusal<T, R, W>(outcome: Result<T, SessionError<'_, R, W>>) -> Option<ErrorKind> {
    if let Err(SessionError::Refused(error, _)) = outcome { Some(error.kind()) } else { None }
}

/// An object when it is written first, then an array. Counts.
#[derive(Default)]
struct Changing(core::cell::Cell<u8>);

impl Serialize for Changing {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.set(self.0.get() + 1);
        if self.0.get() == 1 { json!({}).serialize(serializer) } else { json!([]).serialize(serializer) }
    }
}

/// The behaviour of both sessions on a broken stream; a macro because they are two types.
macro_rules! break_off {
    ($run:ident, $($await:tt)*) => {{
        let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"no"}}"#;
        for (line, words) in [
            (refused, "error 5: no"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}"#, "the tool failed"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#, "answer: missing member"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":"x"}}"#, "structured content: "),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":7}}"#, "7"),
        ] {
            let script = Script::new(&[line]);
            $run!(in_session(), script, |session| {
                let outcome = session.call_tool_as::<u8, _>("x", &())$($await)*;
                let said = outcome.map_or_else(|error| error.to_string(), |number| number.to_string());
                assert!(said.starts_with(words), "{said}");
            });
        }
        let initialized = r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}"#;
        let discovered = r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}"#;
        for (lines, words) in [
            (&[UNKNOWN, initialized][..], "2025-06-18"),
            (&[discovered], "2026-07-28"),
            (&[UNKNOWN, r#"{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"no"}}"#], "error 5: no"),
            // a server that refuses the revision it lists is asked once more, one that lists others for a session
            (&[&unsupported(1, "2026-07-28"), &discovered.replace("\"id\":1", "\"id\":2")], "2026-07-28"),
            (&[&unsupported(1, "2026-07-28"), &unsupported(2, "2026-07-28"), &initialized.replace("\"id\":2", "\"id\":3")], "2025-06-18"),
            (&[&unsupported(1, "2025-06-18"), initialized], "2025-06-18"),
            (&[UNKNOWN, r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"1999-01-01"}}"#], "no common revision"),
            (&[], "the stream ended before the answer"),
        ] {
            let script = Script::new(lines);
            $run!(client(), script, |session| {
                let outcome = session.connect()$($await)*;
                let said = match outcome {
                    Ok(server) => server.revision.as_str().to_owned(),
                    Err(error) => error.to_string(),
                };
                assert!(said.starts_with(words), "{said}: {lines:?}");
            });
        }
        let long = format!("[\"{}\"]", "x".repeat(9000));
        let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9,"progress":1}}"#;
        let script = Script::new(&[&long, progress, "", refused]);
        let received = $run!(in_session().progress(), script, |session| {
            assert!(matches!(session.call_tool("x", &())$($await)*, Err(SessionError::Peer(_))));
        });
        assert!(received[0].starts_with("dropped: misframed bytes: "), "{received:?}");
        assert!(received[1].starts_with("dropped: notification notifications/progress dropped"), "{received:?}");
        assert_eq!(received.len(), 2);
        let script = Script::new(&[]).deaf();
        $run!(in_session(), script, |session| {
            let outcome = session.call_tool("x", &())$($await)*;
            assert!(matches!(outcome, Err(SessionError::Connection(ConnectionError::Write(_)))), "{outcome:?}");
            assert_eq!(session.client().in_flight().count(), 0);
            assert!(matches!(session.connect()$($await)*, Err(SessionError::Connection(_))));
        });
        // a call, or its repetition, that does not fit the output of 8,192 bytes
        let long = "x".repeat(9000);
        let script = Script::new(&[]);
        $run!(in_session(), script, |session| {
            let outcome = session.call_tool(&long, &())$($await)*;
            assert!(matches!(outcome, Err(SessionError::Connection(ConnectionError::Message(_)))), "{outcome:?}");
        });
        let state = "x".repeat(7900);
        let arguments = json!({"a": "y".repeat(400)});
        let required = |id: u8, asked: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"input_required","requestState":"s","inputRequests":{asked}}}}}"#
            )
        };
        let roots = r#"{"k":{"method":"roots/list"}}"#;
        let done = r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}}"#.to_owned();
        for (lines, words) in [
            (vec![required(1, roots), done.clone()], ""),
            (vec![required(1, "[]")], "answer: unexpected type"),
            (vec![required(1, r#"{"k":{"params":{}}}"#)], "answer: missing member"),
            (vec![required(1, r#"{"k":{"method":"tools/call"}}"#)], "required input refused"),
            (
                vec![required(1, r#"{"k":{"method":"elicitation/create","params":{"message":"refuse"}}}"#)],
                "required input refused: error -32042",
            ),
            (vec![required(1, roots).replace(r#""s""#, &format!("\"{state}\""))], "message: "),
            ((1..=MAX_ROUNDS + 1).map(|id| required(id, roots)).collect(), "the server requires input in too many rounds"),
        ] {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let script = Script::new(&lines);
            $run!(stateless(), script, |session| {
                let outcome = session.call_tool("x", &arguments)$($await)*.map(|_| ()).map_err(|error| error.to_string());
                let said = outcome.err().unwrap_or_default();
                assert!(said.contains(words) && said.is_empty() == words.is_empty(), "{said}: {lines:?}");
                assert_eq!(session.client().in_flight().count(), 0);
            });
        }
        let page = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[],"nextCursor":"{state}{}"}}}}"#, "x".repeat(180));
        let script = Script::new(&[&page]);
        $run!(stateless(), script, |session| {
            let outcome = session.list_tools(|_, _| {})$($await)*;
            assert!(matches!(outcome, Err(SessionError::Connection(ConnectionError::Message(_)))), "{outcome:?}");
        });
        let asked = r#"{"jsonrpc":"2.0","id":"s","method":"ping"}"#;
        let script = Script::new(&[asked, refused]);
        $run!(in_session(), script, |session| {
            assert!(matches!(session.read_resource("a:")$($await)*, Err(SessionError::Peer(_))));
        });
        assert_eq!(script.lines()[1]["id"], "s");
        // an element of another type
        let lists = ["resources", "resourceTemplates", "prompts", "skills"].into_iter().zip(1..);
        let lists = lists.map(|(member, id)| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"{member}":[7]}}}}"#));
        let lists: Vec<_> = lists.collect();
        let script = Script::new(&lists.iter().map(String::as_str).collect::<Vec<_>>());
        $run!(in_session(), script, |session| {
            let wrong = Some(ErrorKind::UnexpectedType);
            assert_eq!(refusal(session.list_resources(|_, _| {})$($await)*), wrong);
            assert_eq!(refusal(session.list_resource_templates(|_, _| {})$($await)*), wrong);
            assert_eq!(refusal(session.list_prompts(|_, _| {})$($await)*), wrong);
            assert_eq!(refusal(session.list_skills(|_, _| {})$($await)*), wrong);
        });
        let script = Script::new(&[]);
        $run!(in_session(), script, |session| {
            assert!(matches!(session.call_tool("x", &())$($await)*, Err(SessionError::Closed)));
            assert!(matches!(session.call_tool_as::<u8, _>("x", &())$($await)*, Err(SessionError::Closed)));
            assert!(matches!(session.read_resource("a:")$($await)*, Err(SessionError::Closed)));
            assert!(matches!(session.get_prompt("x", &())$($await)*, Err(SessionError::Closed)));
        });
        // params that are no object when they are written again
        let script = Script::new(&[&required(1, roots)]);
        $run!(stateless(), script, |session| {
            let params = Changing::default();
            let outcome = session.call(&Call::of(method::TOOLS_CALL, &params))$($await)*;
            let kind = |error: ConnectionError<_, _>| if let ConnectionError::Message(error) = error { Some(error.kind()) } else { None };
            let found = match outcome {
                Err(SessionError::Connection(error)) => kind(error),
                _ => None,
            };
            assert_eq!((found, params.0.get()), (Some(ErrorKind::InvalidParams), 2));
        });
        for line in ["{", r#"{"jsonrpc":"2.0","id":1,"result":7}"#] {
            let script = Script::new(&[line]);
            $run!(in_session(), script, |session| {
                assert!(session.get_prompt("x", &())$($await)*.is_err(), "{line}");
                assert!(session.complete(Reference::prompt("x"), "y", "z")$($await)*.is_err(), "{line}");
                assert!(session.set_log_level(LoggingLevel::Debug)$($await)*.is_err(), "{line}");
                assert!(session.list_resources(|_, _| {})$($await)*.is_err());
                assert!(session.list_resource_templates(|_, _| {})$($await)*.is_err());
                assert!(session.list_prompts(|_, _| {})$($await)*.is_err());
                assert!(session.list_skills(|_, _| {})$($await)*.is_err());
                assert!(session.get_skill("a:")$($await)*.is_err(), "{line}");
                assert!(session.read_directory("a:")$($await)*.is_err(), "{line}");
            });
        }
    }};
}

#[test]
fn a_stream_that_breaks_leaves_no_call_open() {
    break_off!(session,);
    break_off!(async_session, .await);
}

#[test]
fn params_with_metadata_of_their_own_are_not_sent() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let mut client: Client<(), 1> = Client::new("me", "1").connected_as(revision);
        let mut buffer = [0; 512];
        let mut out = nanojsonrpc::Writer::new(&mut buffer);
        let params =
            RawValue::parse(br#"{"name":"x","\u005fmeta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}"#)
                .unwrap();
        let error = client.send(&Call::of("tools/call", &params), (), &mut out).unwrap_err();
        assert_eq!(
            (error.error.kind(), out.written().len(), client.in_flight().count()),
            (nanojsonrpc::ErrorKind::InvalidParams, 0, 0)
        );
    }
}

#[test]
fn a_call_has_metadata_of_the_program_in_each_round() {
    let trace = [("traceparent", RawValue::parse(br#""00-1-2-01""#).unwrap()), ("a/b", RawValue::NULL)];
    let required = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"w":{"method":"roots/list"}}}}"#;
    let answered = r#"{"jsonrpc":"2.0","id":2,"result":{}}"#;
    let client = || client().progress().connected_as(Revision::V2026_07_28);
    let (_, sent) = scripted!(client(), Script::new(&[required, answered]), |session| {
        session.call(&Call::tool("x", &()).with_meta(&trace)).unwrap();
    });
    for (sent, id) in sent.iter().zip([1, 2]) {
        let meta = &sent["params"]["_meta"];
        assert_eq!((&meta["traceparent"], &meta["a/b"]), (&json!("00-1-2-01"), &json!(null)), "{sent}");
        assert_eq!(
            (&meta["progressToken"], &meta["io.modelcontextprotocol/protocolVersion"]),
            (&json!(id), &json!("2026-07-28"))
        );
    }
    assert_eq!(sent.len(), 2);

    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    let mut client = client();
    for name in ["progressToken", "io.modelcontextprotocol/clientInfo"] {
        let refused = client.send(&Call::new("ping").with_meta(&[(name, RawValue::NULL)]), (), &mut out).unwrap_err();
        assert_eq!((refused.error.kind(), out.written()), (ErrorKind::InvalidParams, &b""[..]));
    }
    let required = RawValue::parse(br#"{"requestState":"s"}"#).unwrap();
    client.repeat(&Call::new("x").with_meta(&trace), required, (), &mut out, |_, _| Ok(())).unwrap();
    assert!(out.written().windows(13).any(|part| part == br#""traceparent""#));
}
