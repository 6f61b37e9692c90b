//! On any head and any body, to an endpoint of the Model Context Protocol with any session and an output of any size: one
//! response, with the status and the code of the specification, by a model that shares no code with the
//! library.
#![no_main]

mod hosts;

// a part of it is for the other targets
#[allow(dead_code)]
mod grammar;
#[allow(dead_code)]
mod reference;

use arbitrary::{Result, Unstructured};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use hosts::may_be_foreign;
use libfuzzer_sys::fuzz_target;
use nanojsonrpc::mcp::http::{Endpoint, Head, Session, SessionChange};
use nanojsonrpc::mcp::types::PROTOCOL_VERSION;
use nanojsonrpc::mcp::{PromptCall, ReadCall, Revision, Schema, Service, ToolCall, schema};
use nanojsonrpc::{ErrorKind, RawValue};
use reference::{Members, Rules, Verdict};

const ANYTHING: Schema<'_> = schema!(r#"{"type":"object"}"#);
const STATELESS: &str = "2026-07-28";
const SUPPORTED: [&str; 5] = [STATELESS, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const METHODS: [&str; 8] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/read",
    "prompts/get",
    "notifications/initialized",
];
const NAMES: [&str; 5] = ["echo", "größe", "=?base64?ZQ==?=", "file:///a", ""];
const VERSIONS: [&str; 6] = [STATELESS, STATELESS, "2025-11-25", "2025-06-18", "2025-03-26", ""];
const ORIGINS: [&str; 8] = [
    "http://localhost",
    "https://127.0.0.1:8080",
    "http://[::1]:1",
    "http://localhost:",
    "http://localhost.evil.com",
    "http://evil.com",
    "null",
    "http://localhost:8a",
];

/// The text of a request that is likely to be understood: head, an empty line, body.
fn spelled(bytes: &mut Unstructured<'_>) -> Result<String> {
    let method = *bytes.choose(&METHODS)?;
    let name = *bytes.choose(&NAMES)?;
    let version = *bytes.choose(&VERSIONS)?;
    let http = *bytes.choose(&["POST", "POST", "POST", "POST", "POST", "GET", "DELETE", "PUT"])?;
    let mut text = format!("{http}\n");
    // sometimes another value
    let mut header = |key: &str, value: &str, others: &[&str]| -> Result<()> {
        let value = if bytes.ratio(1_u8, 8_u8)? { bytes.choose(others)? } else { value };
        let value = match bytes.int_in_range(0..=9_u8)? {
            0 => return Ok(()),
            1 => format!("=?base64?{}?=", BASE64_STANDARD.encode(value)),
            2 => format!("\t {value} "),
            3 => format!("{value}\n{key}: {value}"),
            _ => value.to_owned(),
        };
        text.push_str(&format!("{key}: {value}\n"));
        Ok(())
    };
    header("MCP-Protocol-Version", version, &VERSIONS)?;
    header("mcp-method", method, &METHODS)?;
    header("Mcp-Name", name, &NAMES)?;
    header("ORIGIN", ORIGINS[0], &ORIGINS)?;
    header("Mcp-Session-Id", "a", &["b"])?;
    let said = if bytes.ratio(1_u8, 8_u8)? { bytes.choose(&VERSIONS)? } else { version };
    let mut any = String::new();
    grammar::value(bytes, 2, &mut any)?;
    let meta = match bytes.int_in_range(0..=5_u8)? {
        0 => any.clone(),
        1 => format!("{{\"{PROTOCOL_VERSION}\":{any}}}"),
        2 => "{}".into(),
        _ => format!("{{\"{PROTOCOL_VERSION}\":\"{said}\",\"io.modelcontextprotocol/clientCapabilities\":{{}}}}"),
    };
    let id = bytes.choose(&["\"id\":1,", "\"id\":\"a\",", "", "\"id\":null,"])?;
    let key = bytes.choose(&["name", "uri", "name", "x"])?;
    let body = match bytes.int_in_range(0..=7_u8)? {
        0 => format!("{{\"jsonrpc\":\"2.0\",{id}\"result\":{any}}}"),
        1 => any,
        _ => format!(
            "{{\"jsonrpc\":\"2.0\",{id}\"method\":\"{method}\",\"params\":{{\"{key}\":\"{name}\",\"_meta\":{meta}}}}}"
        ),
    };
    Ok(format!("{text}\n{body}"))
}

fuzz_target!(|input: &[u8]| {
    let [size, options, rest @ ..] = input else { return };
    let text = match options & 1 {
        0 => rest.into(),
        _ => spelled(&mut Unstructured::new(rest)).unwrap_or_default().into_bytes(),
    };
    let at = text.windows(2).position(|pair| pair == b"\n\n").unwrap_or(text.len());
    let (head, body) = (&text[..at], text.get(at + 2..).unwrap_or_default());
    let mut lines = head.split(|byte| *byte == b'\n');
    let Ok(method) = str::from_utf8(lines.next().unwrap_or_default()) else { return };
    let headers: Vec<(&str, &[u8])> = lines
        .filter_map(|line| {
            let colon = line.iter().position(|byte| *byte == b':')?;
            Some((str::from_utf8(&line[..colon]).ok()?, &line[colon + 1..]))
        })
        .collect();
    let session = match options >> 2 & 3 {
        0 => Session::NotKept,
        1 => Session::Absent,
        2 => Session::Unknown,
        _ => Session::Open(Revision::V2025_06_18),
    };
    let is_short = options & 16 != 0;
    let mut output = vec![0; if is_short { usize::from(*size) } else { 1 << 16 }];
    let listens = options & 2 != 0;
    let mut server = Service::new("fuzzed", "1")
        .tool("echo", "Says what it is told.", ANYTHING, |calls: &mut usize, call: ToolCall<'_>| {
            *calls += 1;
            call.text("said")
        })
        .tool("größe", "Is beyond ASCII.", ANYTHING, |calls: &mut usize, call: ToolCall<'_>| {
            *calls += 1;
            call.lacking("sampling")
        })
        .resource("file:///a", "a", "text/plain", |_: &mut usize, call: ReadCall<'_>| call.text("A\u{1F44B}"))
        .prompt("=?base64?ZQ==?=", "Looks encoded.", &[], |_: &mut usize, call: PromptCall<'_>| call.user("Greet."))
        .server();
    let endpoint = if listens { Endpoint::new().listening() } else { Endpoint::new() };
    let mut head = Head::from_headers(method, headers.iter().copied());
    head.session = session;
    let mut calls = 0;
    let response = endpoint.answer(&mut server, &mut calls, &head, body, &mut output);

    let body_of_answer = response.body();
    let code = (!body_of_answer.is_empty()).then(|| {
        let whole = Members::of(body_of_answer).unwrap_or_else(|| panic!("{}", body_of_answer.escape_ascii()));
        assert_eq!(whole.get("jsonrpc"), Some("\"2.0\""));
        assert!(whole.get("method").is_none());
        let error = Members::of(whole.get("error")?.as_bytes()).expect("an object");
        Some(serde_json::from_str::<i64>(error.get("code")?).expect("an integer"))
    });
    let code = code.flatten();
    let model = Model { method, headers: &headers, session, listens, body };
    let wanted = model.wanted();
    let status = match wanted.outcome {
        Outcome::Answer if wanted.shows_errors => status_of(code),
        _ => wanted.status,
    };
    if is_short && status != response.status() {
        // where no answer fits, or another one
        assert!(
            response.status() == 500 || response.status() == 200 && code == Some(-32603),
            "{response:?}, {wanted:?}"
        );
        return;
    }
    match wanted.outcome {
        Outcome::Silent => assert!(body_of_answer.is_empty(), "{response:?}, {wanted:?}"),
        Outcome::Error(error) => assert!(code == Some(error) || is_short, "{response:?}, {wanted:?}"),
        // the server decides; the status follows from it
        Outcome::Answer => assert!(!body_of_answer.is_empty(), "{response:?}, {wanted:?}"),
    }
    assert_eq!(response.status(), status, "{wanted:?} {}", body_of_answer.escape_ascii());
    assert!(calls == 0 || matches!(wanted.outcome, Outcome::Answer), "a handler was called");
    let opened = matches!(response.session_change(), SessionChange::Opened(_));
    assert_eq!(opened, wanted.opens && code.is_none(), "{response:?}");
    assert_eq!(response.session_change() == SessionChange::Closed, method == "DELETE" && status == 200);
    let names: Vec<&str> = response.headers().iter().map(|(name, _)| *name).collect();
    assert_eq!(names.contains(&"allow"), status == 405);
    assert_eq!(response.is_stream(), method == "GET" && status == 200);
    assert_eq!(names.contains(&"content-type"), response.is_stream() || !body_of_answer.is_empty());
});

fn status_of(code: Option<i64>) -> u16 {
    match code {
        Some(-32601) => 404,
        Some(-32700 | -32600 | -32602 | -32020 | -32021 | -32022) => 400,
        _ => 200,
    }
}

#[derive(Debug)]
enum Outcome {
    Silent,
    Error(i64),
    Answer,
}

#[derive(Debug)]
struct Wanted {
    status: u16,
    outcome: Outcome,
    /// Whether the status follows from the code of an error.
    shows_errors: bool,
    opens: bool,
}

impl Wanted {
    fn silent(status: u16) -> Self {
        Self { status, outcome: Outcome::Silent, shows_errors: false, opens: false }
    }

    fn error(code: i64) -> Self {
        Self { outcome: Outcome::Error(code), ..Self::silent(400) }
    }

    fn answer(shows_errors: bool, opens: bool) -> Self {
        Self { status: 200, outcome: Outcome::Answer, shows_errors, opens }
    }
}

/// The kind of the body.
enum Kind<'a> {
    Nothing { code: Option<i64> },
    Request { method: String, params: Option<&'a str> },
    Notification,
    Response,
}

struct Model<'a> {
    method: &'a str,
    headers: &'a [(&'a str, &'a [u8])],
    session: Session,
    listens: bool,
    body: &'a [u8],
}

impl<'a> Model<'a> {
    /// A header; `Err` if it is there more than once or has bytes that no header may have.
    fn header(&self, name: &str) -> std::result::Result<Option<String>, ()> {
        let mut found = self.headers.iter().filter(|(known, _)| known.to_ascii_lowercase() == name);
        let first = found.next();
        if found.next().is_some() {
            return Err(());
        }
        let Some((_, value)) = first else { return Ok(None) };
        let is_allowed = |byte: &u8| *byte == b'\t' || (0x20..0x7F).contains(byte);
        match value.iter().all(is_allowed) {
            true => Ok(Some(String::from_utf8_lossy(value).trim_matches([' ', '\t']).to_owned())),
            false => Err(()),
        }
    }

    fn is_foreign(&self) -> bool {
        match self.header("origin") {
            Ok(None) => {
                let is_stateless = self.header("mcp-protocol-version") == Ok(Some(STATELESS.to_owned()));
                self.listens && !is_stateless && self.method == "GET" && self.opens_foreign_stream()
            }
            Err(()) => true,
            Ok(Some(origin)) => {
                let Some((scheme, place)) = origin.split_once("://") else { return true };
                let (host, port) = match place.rsplit_once(':').filter(|_| !place.ends_with(']')) {
                    Some((host, port)) => (host, Some(port)),
                    None => (place, None),
                };
                let is_port = |port: &str| !port.is_empty() && port.chars().all(|digit| digit.is_ascii_digit());
                !["http", "https"].contains(&scheme)
                    || !["localhost", "127.0.0.1", "[::1]"].contains(&host)
                    || !port.is_none_or(is_port)
            }
        }
    }

    /// Whether the stream that this request without `Origin` opens may be that of a page of another site.
    fn opens_foreign_stream(&self) -> bool {
        let is_marked = ["mcp-protocol-version", "mcp-session-id"].iter().any(|name| self.header(name) != Ok(None));
        let is_shown = is_marked || self.session != Session::NotKept;
        let Ok(host) = self.header("host") else { return true };
        !is_shown || host.is_some_and(|host| may_be_foreign(&host))
    }

    fn wanted(&self) -> Wanted {
        let version = self.header("mcp-protocol-version");
        let is_supported =
            !matches!(&version, Err(())) && version.iter().flatten().all(|name| SUPPORTED.contains(&&**name));
        let is_stateless = version == Ok(Some(STATELESS.to_owned()));
        if self.is_foreign() {
            return Wanted::silent(403);
        }
        if self.method != "POST" {
            let keeps_sessions = self.session != Session::NotKept;
            let is_served = self.method == "GET" && self.listens || self.method == "DELETE" && keeps_sessions;
            return Wanted::silent(match self.session {
                _ if !is_served || is_stateless => 405,
                _ if !is_supported => 400,
                Session::Absent => 400,
                Session::Unknown => 404,
                _ => 200,
            });
        }
        match self.kind() {
            Kind::Nothing { code } => code.map_or(Wanted::silent(400), Wanted::error),
            Kind::Notification | Kind::Response if !is_supported => Wanted::silent(400),
            Kind::Notification if is_stateless => Wanted::silent(202),
            Kind::Response if is_stateless => Wanted::silent(400),
            Kind::Notification | Kind::Response => self.in_session(Wanted::silent(202), false),
            Kind::Request { method, params } => self.request(&method, params, version, is_supported),
        }
    }

    fn in_session(&self, well: Wanted, is_initialize: bool) -> Wanted {
        match self.session {
            Session::Unknown => Wanted::silent(404),
            Session::Absent if !is_initialize => Wanted::silent(400),
            Session::Absent => Wanted { opens: true, ..well },
            Session::Open(_) if is_initialize => Wanted::error(-32600),
            _ => well,
        }
    }

    fn request(
        &self,
        method: &str,
        params: Option<&str>,
        version: std::result::Result<Option<String>, ()>,
        is_supported: bool,
    ) -> Wanted {
        let params = params.and_then(|params| Members::of(params.as_bytes()));
        let string =
            |object: &Option<Members<'_>>, name: &str| serde_json::from_str::<String>(object.as_ref()?.get(name)?).ok();
        let meta = params.as_ref().and_then(|params| Members::of(params.get("_meta")?.as_bytes()));
        let is_initialize = method == "initialize";
        let Some(said) = string(&meta, PROTOCOL_VERSION) else {
            return match version.as_ref().map(Option::as_deref) {
                // the header is for the requests after it
                _ if is_initialize => self.in_session(Wanted::answer(false, false), true),
                Ok(Some(STATELESS)) => Wanted::error(-32602),
                // means 2025-03-26
                Ok(None) => self.in_session(Wanted::answer(false, false), false),
                Ok(Some(_)) if is_supported => self.in_session(Wanted::answer(false, false), is_initialize),
                // a text that the error can quote as it is
                Ok(Some(other))
                    if other.bytes().all(|byte| matches!(byte, b' '..=b'~') && !b"\"\\".contains(&byte)) =>
                {
                    Wanted::error(-32022)
                }
                _ => Wanted::error(-32020),
            };
        };
        if version != Ok(Some(said.clone())) {
            return Wanted::error(-32020);
        }
        if said != STATELESS {
            return Wanted::error(-32022);
        }
        if self.header("mcp-method") != Ok(Some(method.to_owned())) {
            return Wanted::error(-32020);
        }
        let member = match method {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return Wanted::answer(true, false),
        };
        match (self.header("mcp-name"), string(&params, member)) {
            (Ok(None), None) => Wanted::answer(true, false),
            (Ok(Some(header)), Some(name)) if decoded(&header) == Some(name.as_bytes().to_vec()) => {
                Wanted::answer(true, false)
            }
            _ => Wanted::error(-32020),
        }
    }

    fn kind(&self) -> Kind<'a> {
        let body = self.body;
        if RawValue::parse(body).is_err() {
            return Kind::Nothing { code: Some(-32700) };
        }
        if let Some(Err(_)) = reference::batch(body, Rules::MCP) {
            return Kind::Nothing { code: Some(-32600) };
        }
        match Rules::MCP.judge(body, body) {
            Verdict::Request { method, params, .. } => Kind::Request { method, params },
            Verdict::Notification { .. } => Kind::Notification,
            Verdict::Success { .. } | Verdict::Error { .. } => Kind::Response,
            // a server has no such limits
            Verdict::Refused { kind: ErrorKind::IdTooLong | ErrorKind::MethodTooLong, .. } => {
                let members = Members::of(body).expect("an object");
                let method = members.get("method").and_then(|method| serde_json::from_str(method).ok());
                match (method, members.get("id")) {
                    (Some(method), Some(_)) => Kind::Request { method, params: members.get("params") },
                    (Some(_), None) => Kind::Notification,
                    (None, _) => Kind::Response,
                }
            }
            Verdict::Refused { is_silent: true, .. } => Kind::Nothing { code: None },
            Verdict::Refused { .. } => Kind::Nothing { code: Some(-32600) },
        }
    }
}

/// The value of a header; `None` if it is marked as base64 but is not valid.
fn decoded(header: &str) -> Option<Vec<u8>> {
    let inside = header.strip_prefix("=?base64?").and_then(|behind| behind.strip_suffix("?="));
    match inside {
        Some(encoded) => BASE64_STANDARD.decode(encoded).ok(),
        None => Some(header.into()),
    }
}
