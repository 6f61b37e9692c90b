//! On any lines, to a server of the Model Context Protocol with an output of any size: every call gets one answer, a valid
//! response with its id, in the generation of the call; other messages get none.
#![no_main]

// a part of it is for the other targets
#[allow(dead_code)]
mod grammar;
#[allow(dead_code)]
mod reference;

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use nanojsonrpc::mcp::types::{PROTOCOL_VERSION, PromptArgument};
use nanojsonrpc::mcp::{CompletionCall, PromptCall, ReadCall, Schema, Service, ToolCall, schema, uri_template};
use nanojsonrpc::server::MIN_ANSWER_LEN;
use nanojsonrpc::{Dialect, Envelope, ErrorKind, RawValue, Response};
use reference::{Members, Rules, Verdict};

const ANYTHING: Schema<'_> = schema!(r#"{"type":"object"}"#);
const ARGUMENTS: &[PromptArgument<'_>] = &[PromptArgument::required("name", "Who it is for.")];
const STATELESS: &str = "2026-07-28";

/// The message that begins a session.
const INITIALIZE: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"0"}}}"#;

const METHODS: [&str; 12] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "notifications/initialized",
];

/// Members of params, each with likely values; `$` means any value.
const MEMBERS: [(&str, &[&str]); 11] = [
    ("name", &["\"echo\"", "\"fail\"", "\"late\"", "\"greet\"", "\"nobody\"", "$"]),
    ("arguments", &["{}", "{\"text\":$}", "{\"name\":\"Ada\"}", "{\"name\":$}", "$"]),
    ("uri", &["\"note:///a\"", "\"note:///blob\"", "\"greeting:///Ada\"", "\"greeting:///\"", "$"]),
    ("cursor", &["\"1\"", "\"2\"", "\"0\"", "\"\"", "$"]),
    ("protocolVersion", &["\"2025-06-18\"", "\"2025-11-25\"", "\"2026-07-28\"", "\"1999-01-01\"", "$"]),
    ("capabilities", &["{}", "{\"roots\":{\"listChanged\":true}}", "$"]),
    ("clientInfo", &["{\"name\":\"me\",\"version\":\"0\"}", "$"]),
    (
        "ref",
        &[
            "{\"type\":\"ref/prompt\",\"name\":\"greet\"}",
            "{\"type\":\"ref/resource\",\"uri\":\"greeting:///{name}\"}",
            "$",
        ],
    ),
    ("argument", &["{\"name\":\"name\",\"value\":\"A\"}", "{\"name\":\"name\",\"value\":$}", "$"]),
    (
        "_meta",
        &[
            "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}",
            "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{},\
             \"progressToken\":$}",
            "{\"io.modelcontextprotocol/protocolVersion\":$}",
            "{\"progressToken\":7}",
            "$",
        ],
    ),
    ("x", &["$"]),
];

/// Lines of requests that are likely to be understood.
fn spelled(bytes: &mut Unstructured<'_>) -> Result<String> {
    let mut lines = String::new();
    for _ in 0..bytes.int_in_range(1..=4_u8)? {
        let mut params = String::new();
        for (name, values) in MEMBERS {
            if bytes.ratio(1_u8, 3_u8)? {
                let mut any = String::new();
                grammar::value(bytes, 2, &mut any)?;
                params.push_str(if params.is_empty() { "" } else { "," });
                params.push_str(&format!("\"{name}\":{}", bytes.choose(values)?.replace('$', &any)));
            }
        }
        let id = bytes.choose(&["1", "\"a\"", "-7", "\"\\u0061\\n\"", "18446744073709551616"])?;
        let line =
            format!(r#"{{"jsonrpc":"2.0","method":"{}","params":{{{params}}},"id":{id}}}"#, bytes.choose(&METHODS)?);
        // a line has no others in it
        lines.push_str(&line.replace(['\n', '\r'], " "));
        lines.push('\n');
    }
    Ok(lines)
}

fuzz_target!(|input: &[u8]| {
    let [size, more, rest @ ..] = input else { return };
    let room = usize::from(*size) + usize::from(more & 7) * 256;
    let lines = match more & 8 {
        0 => rest.into(),
        _ => spelled(&mut Unstructured::new(rest)).unwrap_or_default().into_bytes(),
    };
    let service = Service::new("fuzzed", "1")
        .instructions("Whatever comes.")
        .page_len(2)
        .tool("echo", "Says what it is told.", ANYTHING, |_: &mut usize, call: ToolCall<'_>| {
            match call.get("text").and_then(|text| text.as_str_raw()) {
                Some(text) => call.text(text),
                None => call.invalid("text: expected a string"),
            }
        })
        .tool("fail", "Fails.", ANYTHING, |_: &mut usize, call: ToolCall<'_>| call.failed("as asked"))
        .tool("late", "Reports.", ANYTHING, |count: &mut usize, mut call: ToolCall<'_>| {
            if let Some(notification) = call.progress(1, Some(2), Some("half\n")) {
                is_a_notification(notification);
                *count += 1;
            }
            call.text(("two", 2))
        })
        .resource("note:///a", "a", "text/plain", |_: &mut usize, call: ReadCall<'_>| call.text("A\u{1F44B}"))
        .resource("note:///blob", "blob", "image/png", |_: &mut usize, call: ReadCall<'_>| call.blob(b"\x89PNG\r"))
        .resource_template(
            uri_template!("greeting:///{name}"),
            "greetings",
            "text/plain",
            |_: &mut usize, call: ReadCall<'_>| match call.variable("name") {
                Some(name) => call.text(("Hello, ", name, "!")),
                None => call.not_found(),
            },
        )
        .prompt("greet", "Asks for a greeting.", ARGUMENTS, |_: &mut usize, call: PromptCall<'_>| {
            let name = call.argument("name").unwrap_or_default();
            call.user(("Greet ", name, "."))
        })
        .completion("greet", "name", |_: &mut usize, call: CompletionCall<'_>| call.among(&["Ada", "Alan", "Grace"]));
    let mut server = service.server();
    let mut count = 0;
    let mut output = vec![0; room];
    let session = Some(INITIALIZE).filter(|_| more & 16 != 0);
    for line in session.into_iter().chain(lines.split(|byte| *byte == b'\n').take(8)) {
        let answer = server.process(&mut count, line, &mut output).answer();
        assert!(answer.is_none_or(|answer| !answer.is_empty() && answer.len() <= room));
        is_right(line, answer, room);
    }
});

fn is_a_notification(text: &[u8]) {
    let members = Members::of(text).expect("an object");
    assert_eq!(members.get("jsonrpc"), Some("\"2.0\""));
    assert!(members.get("method").is_some() && members.get("id").is_none());
}

/// The answer that a line requires.
enum Wanted<'a> {
    /// To be answered by its method.
    Answer { id: &'a str, method: String, params: Option<&'a str> },
    /// An error that names its fault.
    Refusal { id: &'a str, code: i64 },
    /// Nothing.
    Silence,
}

impl<'a> Wanted<'a> {
    fn of(line: &'a [u8]) -> Self {
        if RawValue::parse(line).is_err() {
            return Self::Refusal { id: "null", code: -32700 };
        }
        if let Some(Err(_)) = reference::batch(line, Rules::MCP) {
            return Self::Refusal { id: "null", code: -32600 };
        }
        match Rules::MCP.judge(line, line) {
            Verdict::Request { id, method, params } => Self::Answer { id, method, params },
            Verdict::Notification { .. } | Verdict::Success { .. } | Verdict::Error { .. } => Self::Silence,
            // a server has no such limits
            Verdict::Refused { kind: ErrorKind::IdTooLong | ErrorKind::MethodTooLong, .. } => {
                let members = Members::of(line).expect("an object");
                let method = members.get("method").and_then(|method| serde_json::from_str(method).ok());
                match (method, members.get("id")) {
                    (Some(method), Some(id)) => Self::Answer { id, method, params: members.get("params") },
                    _ => Self::Silence,
                }
            }
            Verdict::Refused { is_silent: true, .. } => Self::Silence,
            Verdict::Refused { id, .. } => Self::Refusal { id: id.unwrap_or("null"), code: -32600 },
        }
    }
}

/// The shortest possible answers.
const SHORTEST: usize = r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":}"#.len();

fn is_right(line: &[u8], answer: Option<&[u8]>, room: usize) {
    let (id, call) = match Wanted::of(line) {
        Wanted::Silence => return assert_eq!(answer, None),
        Wanted::Refusal { id, code } => (id, Err(code)),
        Wanted::Answer { id, method, params } => (id, Ok((method, params))),
    };
    let Some(answer) = answer else { return assert!(room < SHORTEST + 4) };
    let whole = Members::of(answer).unwrap_or_else(|| panic!("{}", answer.escape_ascii()));
    assert_eq!(whole.get("jsonrpc"), Some("\"2.0\""));
    assert!(
        Envelope::parse_as(answer, Dialect::MCP).and_then(Response::<256>::try_from).is_ok() || id.len() > 256,
        "{}",
        answer.escape_ascii()
    );
    let error = whole.get("error").map(|error| Members::of(error.as_bytes()).expect("an object"));
    let code: Option<i64> = error.map(|error| serde_json::from_str(error.get("code").unwrap()).unwrap());
    // "error responses may lack it"
    if whole.get("id").unwrap_or("null") != id {
        assert!(room < MIN_ANSWER_LEN + id.len(), "{}", answer.escape_ascii());
        assert!(code.is_some_and(|code| [-32700, -32600, -32603].contains(&code)), "{}", answer.escape_ascii());
        return;
    }
    match call {
        Err(wanted) => assert!(code == Some(wanted) || room < 256 && code == Some(-32603)),
        Ok((method, params)) => {
            let meta = params.and_then(|params| Members::of(params.as_bytes())?.get("_meta"));
            let revision = meta.and_then(|meta| Members::of(meta.as_bytes())?.get(PROTOCOL_VERSION));
            let is_stateless = revision.and_then(|revision| serde_json::from_str::<String>(revision).ok()).as_deref()
                == Some(STATELESS);
            if !METHODS.contains(&&*method) {
                assert!(code == Some(-32601) || room < 256, "{}", answer.escape_ascii());
            }
            assert!(!is_stateless || code != Some(-32002), "{}", answer.escape_ascii());
            if let Some(result) = whole.get("result") {
                let result = Members::of(result.as_bytes()).expect("an object");
                assert_eq!(result.get("resultType").is_some(), is_stateless, "{}", answer.escape_ascii());
            }
        }
    }
}
