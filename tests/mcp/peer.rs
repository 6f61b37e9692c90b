//! A client of the Model Context Protocol that checks every message it receives.

use nanojsonrpc::mcp::Service;
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::{Dialect, Message, Server};
use serde_json::{Value, json};

/// The revisions with a session.
pub(crate) const SESSIONS: [&str; 4] = ["2024-11-05", "2025-06-18", "2025-11-25", "2025-03-26"];
/// The one without.
pub(crate) const STATELESS: &str = "2026-07-28";
/// All that a server speaks; under Miri one of each generation.
#[allow(dead_code, reason = "some tests are about one of them")]
pub(crate) const REVISIONS: &[&str] = if cfg!(miri) {
    &[SESSIONS[2], STATELESS]
} else {
    &[SESSIONS[0], SESSIONS[1], SESSIONS[2], SESSIONS[3], STATELESS]
};

/// A client and the server that it talks to.
pub(crate) struct Client<C, F> {
    pub(crate) server: Server<Service<C, F>>,
    pub(crate) context: C,
    /// The room that the server has for an answer.
    pub(crate) room: usize,
    /// The revision of the requests.
    revision: &'static str,
}

impl<C, F: Features<C>> Client<C, F> {
    /// A client of this revision, in a session if that has one.
    pub(crate) fn new(service: Service<C, F>, context: C, revision: &'static str) -> Self {
        let mut client = Self { server: service.server(), context, room: 4096, revision };
        if SESSIONS.contains(&revision) {
            let opened = client.result("initialize", hello(revision));
            assert_eq!(opened["protocolVersion"], revision);
            assert_eq!(client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})), None);
        }
        client
    }

    /// The answer to `text`.
    pub(crate) fn text(&mut self, text: &str) -> Option<Value> {
        let mut output = vec![0; self.room];
        let answer = self.server.process(&mut self.context, text.as_bytes(), &mut output).answer()?;
        if let Err(rejection) = Message::parse_as(answer, Dialect::MCP) {
            panic!("{rejection}: {}", answer.escape_ascii());
        }
        let answer: Value = serde_json::from_slice(answer).expect("JSON");
        // "MUST NOT emit these codes" (2026-07-28, Error codes); older revisions define no other code of this range
        let code = answer["error"]["code"].as_i64().unwrap_or(-32600);
        assert_ne!((self.revision, code), (STATELESS, -32002), "{answer}");
        Some(answer)
    }

    pub(crate) fn send(&mut self, message: &Value) -> Option<Value> {
        self.text(&message.to_string())
    }

    /// The answer to a request that is made by this client's revision.
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> Value {
        if self.revision == STATELESS {
            for (name, value) in stateless().as_object().expect("an object") {
                params["_meta"][name] = value.clone();
            }
        }
        let answer = self.send(&json!({"jsonrpc": "2.0", "id": "é1", "method": method, "params": params}));
        let answer = answer.expect("an answer");
        assert_eq!(answer["id"], "é1", "{answer}");
        answer
    }

    /// The result of such a request, without the members that this revision adds to each result.
    pub(crate) fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        let result = answer["result"].as_object_mut().unwrap_or_else(|| panic!("no result: {method}"));
        let kept = [
            "server/discover",
            "tools/list",
            "resources/list",
            "resources/templates/list",
            "prompts/list",
            "resources/read",
            "skills/list",
            "skills/get",
        ];
        if self.revision == STATELESS {
            assert!(result.remove("resultType").is_some_and(|kind| kind == "complete" || kind == "input_required"));
            assert!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"].is_string());
            let is_kept = result.contains_key("ttlMs") && result.contains_key("cacheScope");
            assert_eq!(is_kept, kept.contains(&method), "{method}");
        } else {
            for name in ["resultType", "ttlMs", "cacheScope", "_meta"] {
                assert!(!result.contains_key(name), "{method}: {name} in {}", self.revision);
            }
        }
        for name in ["ttlMs", "cacheScope", "_meta"] {
            result.remove(name);
        }
        Value::Object(result.clone())
    }

    /// The code and the message of the error of such a request.
    pub(crate) fn error(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.ask(method, params);
        let error = &answer["error"];
        (
            error["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}")),
            error["message"].as_str().expect("a message").to_owned(),
        )
    }
}

/// The params of `initialize`.
pub(crate) fn hello(revision: &str) -> Value {
    json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "tests", "version": "0"}})
}

/// The `_meta` of a request of the stateless revision.
pub(crate) fn stateless() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "0"},
    })
}
