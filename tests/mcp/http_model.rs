//! Sessions over Streamable HTTP against a model of the specification: random requests of all revisions, with the right session, another
//! one, a closed one or none.
#![cfg(all(feature = "mcp", feature = "embedded-io-async"))]

use std::collections::BTreeMap;

use nanojsonrpc::mcp::http::{Endpoint, Head, Session, SessionChange};
use nanojsonrpc::mcp::{Revision, Service, ToolCall, schema};
use nanojsonrpc::{Dialect, Envelope, Params, Router, Server};
use serde_json::{Value, json};

use crate::tasks::Random;

const STATELESS: &str = "2026-07-28";
const REVISIONS: [&str; 6] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", STATELESS, "1999-01-01"];

/// The calls of handlers: the argument and the revision of each call, the numbers of notifications and of responses.
#[derive(Default)]
struct Seen {
    calls: Vec<(u64, Revision)>,
    others: u32,
}

fn revision(name: &str) -> Option<Revision> {
    Revision::ALL.into_iter().find(|revision| revision.as_str() == name)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Body {
    /// With the requested revision.
    Initialize(&'static str),
    Call,
    UnknownMethod,
    Notification,
    Response,
    Batch,
}

/// A request of HTTP, and the state of the program.
#[derive(Debug)]
struct Request {
    method: &'static str,
    is_foreign: bool,
    has_id: bool,
    version: Option<&'static str>,
    /// The revision in `_meta` of a request.
    meta: Option<&'static str>,
    mcp_method: Option<&'static str>,
    mcp_name: Option<&'static str>,
    body: Body,
    keeps_sessions: bool,
    listens: bool,
    session: Session,
}

/// The status, the code of the error, and whether a handler is called.
type Expected = (u16, Option<i64>, bool);

impl Request {
    fn is_stateless(&self) -> bool {
        self.version == Some(STATELESS)
    }

    fn is_unsupported(&self) -> bool {
        self.version.is_some_and(|version| revision(version).is_none())
    }

    fn name(&self) -> &'static str {
        match self.body {
            Body::Initialize(_) => "initialize",
            Body::Call => "tools/call",
            _ => "unknown/method",
        }
    }

    fn expected(&self) -> Expected {
        let listens = self.method == "GET" && self.listens && !self.is_stateless();
        let closes = self.method == "DELETE" && self.keeps_sessions && !self.is_stateless();
        if self.is_foreign {
            return (403, None, false);
        }
        let is_marked = self.version.is_some() || self.has_id;
        match self.method {
            "POST" => self.expected_of_post(),
            _ if listens && !self.keeps_sessions && !is_marked => (403, None, false),
            _ if !listens && !closes => (405, None, false),
            _ if self.is_unsupported() || self.session == Session::Absent => (400, None, false),
            _ if self.session == Session::Unknown => (404, None, false),
            _ => (200, None, false),
        }
    }

    fn expected_of_post(&self) -> Expected {
        let refused = |code: i64| (400, Some(code), false);
        match (self.body, self.meta) {
            (Body::Batch, _) => refused(-32600),
            (Body::Notification | Body::Response, _) => match self.session {
                _ if self.is_unsupported() => (400, None, false),
                _ if self.is_stateless() && self.body == Body::Response => (400, None, false),
                _ if self.is_stateless() => (202, None, true),
                Session::Absent => (400, None, false),
                Session::Unknown => (404, None, false),
                _ => (202, None, true),
            },
            (_, Some(meta)) if self.version != Some(meta) => refused(-32020),
            (_, Some(_)) if !self.is_stateless() => refused(-32022),
            (_, Some(_)) if self.mcp_method != Some(self.name()) => refused(-32020),
            (Body::Call, Some(_)) if !matches!(self.mcp_name, Some("work" | "=?base64?d29yaw==?=")) => refused(-32020),
            (Body::Call, Some(_)) => (200, None, true),
            (_, Some(_)) => (404, Some(-32601), false),
            (Body::Initialize(_), None) => match self.session {
                Session::Unknown => (404, None, false),
                Session::Open(_) => refused(-32600),
                _ => (200, None, false),
            },
            // the revision of the header needs `_meta`
            (_, None) if self.is_stateless() => refused(-32602),
            (_, None) if self.is_unsupported() => refused(-32022),
            (body, None) => match (self.session, body) {
                (Session::Unknown, _) => (404, None, false),
                (Session::Absent, _) => (400, None, false),
                (_, Body::Call) => (200, None, true),
                _ => (200, Some(-32601), false),
            },
        }
    }

    fn text(&self, step: u64) -> Value {
        let mut message = json!({"jsonrpc": "2.0", "id": step, "method": self.name()});
        match self.body {
            Body::Initialize(requested) => {
                let client = json!({"name": "tests", "version": "0"});
                message["params"] = json!({"protocolVersion": requested, "capabilities": {}, "clientInfo": client});
            }
            Body::Call => message["params"] = json!({"name": "work", "arguments": {"step": step}}),
            Body::UnknownMethod => message["params"] = json!({}),
            Body::Notification => return json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            Body::Response => return json!({"jsonrpc": "2.0", "id": step, "result": {}}),
            Body::Batch => return json!([message]),
        }
        if let Some(meta) = self.meta {
            message["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": meta,
                "io.modelcontextprotocol/clientCapabilities": {}});
        }
        message
    }
}

fn pick<T: Copy>(choices: &[T], random: &mut Random) -> T {
    choices[random.below(choices.len() as u64) as usize]
}

fn run(seed: u64) {
    let mut random = Random::new(seed);
    let service = Service::new("desk", "1").tool(
        "work",
        "Works.",
        schema!(r#"{"type":"object"}"#),
        |seen: &mut Seen, call: ToolCall<'_>| {
            let step = call.get("step").and_then(|step| step.as_i64()).unwrap_or_default();
            seen.calls.push((step.unsigned_abs(), call.revision()));
            call.text("done")
        },
    );
    let router = Router::new()
        .notification("notifications/initialized", |seen: &mut Seen, _: Params<'_>| seen.others += 1)
        .response(|seen: &mut Seen, _: &Envelope<'_>| seen.others += 1)
        .nest("", service.router());
    let mut server = Server::new(router).with_dialect(Dialect::MCP);
    let (keeps_sessions, listens) = (random.below(4) != 0, random.below(2) == 0);
    let endpoint = if listens { Endpoint::new().listening() } else { Endpoint::new() };
    let (mut sessions, mut opened, mut seen) = (BTreeMap::<String, Revision>::new(), 0, Seen::default());
    for step in 0..60 {
        // closed sessions keep their ids, so some of these are unknown
        let id = if random.below(4) == 0 { None } else { Some(random.below(opened + 2).to_string()) };
        let session = match &id {
            _ if !keeps_sessions => Session::NotKept,
            None => Session::Absent,
            Some(id) => sessions.get(id).map_or(Session::Unknown, |revision| Session::Open(*revision)),
        };
        let own = if let Session::Open(revision) = session { revision.as_str() } else { STATELESS };
        let version = pick(&[None, Some(own), Some(own), Some(pick(&REVISIONS, &mut random))], &mut random);
        let meta = pick(
            &[None, version.filter(|version| *version == STATELESS), Some(pick(&REVISIONS, &mut random))],
            &mut random,
        );
        let initialize = Body::Initialize(pick(&REVISIONS, &mut random));
        let bodies =
            [initialize, Body::Call, Body::Call, Body::UnknownMethod, Body::Notification, Body::Response, Body::Batch];
        let body = pick(&bodies, &mut random);
        let mut request = Request {
            method: pick(&["POST", "POST", "POST", "POST", "GET", "DELETE", "PUT", "post"], &mut random),
            is_foreign: random.below(12) == 0,
            has_id: id.is_some(),
            version,
            meta,
            mcp_method: None,
            mcp_name: pick(&[None, Some("work"), Some("other"), Some("=?base64?d29yaw==?=")], &mut random),
            body,
            keeps_sessions,
            listens,
            session,
        };
        request.mcp_method = pick(&[None, Some("other"), Some(request.name()), Some(request.name())], &mut random);
        let mut headers: Vec<(&str, &str)> = Vec::new();
        headers.extend(request.version.map(|version| ("MCP-Protocol-Version", version)));
        headers.extend(request.mcp_method.map(|method| ("Mcp-Method", method)));
        headers.extend(request.mcp_name.map(|name| ("Mcp-Name", name)));
        headers.extend(id.as_deref().map(|id| ("Mcp-Session-Id", id)));
        headers.extend(request.is_foreign.then_some(("Origin", "http://evil.example")));
        let mut head =
            Head::from_headers(request.method, headers.iter().map(|(name, value)| (*name, value.as_bytes())));
        assert_eq!(head.session_id, id.as_deref().map(str::as_bytes));
        head.session = session;
        let (text, before, mut output) =
            (request.text(step).to_string(), seen.calls.len() + seen.others as usize, [0; 1024]);
        let response = endpoint.answer(&mut server, &mut seen, &head, text.as_bytes(), &mut output);

        let answer: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        let was_called = seen.calls.len() + seen.others as usize != before;
        let got = (response.status(), answer["error"]["code"].as_i64(), was_called);
        assert_eq!(got, request.expected(), "{seed}: {request:?} {answer}");
        assert_eq!(response.is_stream(), got.0 == 200 && request.method == "GET", "{seed}: {request:?}");
        assert!(answer.is_null() || body == Body::Batch || answer["id"] == step, "{seed}: {answer}");
        if let Some((called, revision)) = seen.calls.last().filter(|_| was_called && body == Body::Call) {
            let opened = match session {
                Session::Open(revision) => Some(revision),
                _ => Some(Revision::V2025_03_26),
            };
            assert_eq!(
                (*called, Some(*revision)),
                (step, request.version.and_then(self::revision).or(opened)),
                "{seed}"
            );
        }
        match response.session_change() {
            SessionChange::Opened(revision) => {
                assert!(session == Session::Absent && matches!(body, Body::Initialize(_)), "{seed}: {request:?}");
                assert_eq!(answer["result"]["protocolVersion"], revision.as_str(), "{seed}");
                sessions.insert(opened.to_string(), revision);
                opened += 1;
            }
            SessionChange::Closed => {
                assert!(request.method == "DELETE" && sessions.remove(&id.unwrap_or_default()).is_some(), "{seed}");
            }
            _ => {
                let is_success = got.0 == 200 && got.1.is_none();
                let opens =
                    request.method == "POST" && matches!(body, Body::Initialize(_)) && session == Session::Absent;
                assert!(!is_success || request.method != "DELETE" && !opens, "{seed}: {request:?}");
            }
        }
    }
}

#[test]
fn sessions_follow_the_model() {
    for seed in 0..if cfg!(miri) { 2 } else { 1000 } {
        run(seed);
    }
}
