//! The methods of a service as tools of MCP, and its OpenRPC document.
#![cfg(feature = "mcp")]

use std::task::{Context, Poll, Waker};

use nanojsonrpc::mcp::{self, Revision, Service, ToolCall};
use nanojsonrpc::server::{Failure, Processed};
use nanojsonrpc::{ErrorCode, ErrorObject, Schema, message::ToText};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How fast it turns.
#[derive(Serialize, Deserialize, Schema)]
pub(crate) struct Speed {
    rpm: u16,
}

pub(crate) struct TooFast;

impl Failure for TooFast {
    fn code(&self) -> ErrorCode {
        ErrorCode(-32001)
    }

    fn message(&self) -> impl ToText {
        "too fast: at most 3000"
    }
}

/// A fan in a room.
#[nanojsonrpc::service(prefix = "fan.", client = FanClient, mcp, openrpc)]
pub(crate) trait Fan {
    /// Sets the speed.
    #[tool(destructive = false, idempotent)]
    fn set(
        &mut self,
        /// In revolutions
        /// a minute.
        #[schema(maximum = 4000)]
        rpm: u16,
        name: Option<&str>,
    ) -> Result<Speed, TooFast>;
    #[doc = concat!("The name", ".")]
    #[tool(read_only)]
    fn name(&self) -> &str;
    fn halve(&mut self) -> Result<u16, ErrorObject<'static>>;
    #[method("off/now")]
    fn off(&mut self);
    #[notification]
    fn stalled(&mut self, at: u32);
}

struct Blower {
    rpm: u16,
    name: String,
}

impl Fan for Blower {
    fn set(&mut self, rpm: u16, name: Option<&str>) -> Result<Speed, TooFast> {
        if rpm > 3000 {
            return Err(TooFast);
        }
        self.rpm = rpm;
        if let Some(name) = name {
            self.name = name.to_owned();
        }
        Ok(Speed { rpm })
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn halve(&mut self) -> Result<u16, ErrorObject<'static>> {
        if self.rpm < 2 { Err(ErrorObject::new(-32002, "too slow")) } else { Ok(self.rpm / 2) }
    }

    fn off(&mut self) {
        self.rpm = 0;
    }

    fn stalled(&mut self, _: u32) {
        self.rpm = 0;
    }
}

fn blower() -> Blower {
    Blower { rpm: 1, name: String::from("north") }
}

fn message(method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": Revision::V2026_07_28.as_str(),
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn request(fan: &mut Blower, method: &str, params: Value) -> Value {
    let mut server = FanService::tools(Service::new("fan", "1.0.0")).server();
    let text = message(method, params);
    let mut output = [0; 4096];
    let answer = server.process(fan, text.as_bytes(), &mut output).answer().unwrap_or_default();
    serde_json::from_slice(answer).unwrap()
}

fn call(fan: &mut Blower, name: &str, arguments: &Value) -> Value {
    request(fan, "tools/call", json!({"name": name, "arguments": arguments}))["result"].take()
}

#[test]
fn tools_are_listed_with_schemas_and_hints() {
    let listed = request(&mut blower(), "tools/list", json!({}));
    let number = json!({"type": "integer", "minimum": 0, "maximum": 65535});
    let limited = json!({"description": "In revolutions a minute.", "type": "integer", "minimum": 0, "maximum": 4000});
    let wrapped = |schema: &Value| json!({"type": "object", "properties": {"result": schema}, "required": ["result"]});
    assert_eq!(
        listed["result"]["tools"],
        json!([
            {
                "name": "fan_set",
                "description": "Sets the speed.",
                "inputSchema": {
                    "type": "object",
                    "properties": {"rpm": limited, "name": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
                    "required": ["rpm"]
                },
                "outputSchema": {
                    "description": "How fast it turns.",
                    "type": "object",
                    "properties": {"rpm": number},
                    "required": ["rpm"]
                },
                "annotations": {"destructiveHint": false, "idempotentHint": true}
            },
            {
                "name": "fan_name",
                "description": "The name.",
                "inputSchema": {"type": "object", "additionalProperties": false},
                "outputSchema": wrapped(&json!({"type": "string"})),
                "annotations": {"readOnlyHint": true}
            },
            {
                "name": "fan_halve",
                "inputSchema": {"type": "object", "additionalProperties": false},
                "outputSchema": wrapped(&number)
            },
            {"name": "fan_off_now", "inputSchema": {"type": "object", "additionalProperties": false}}
        ])
    );
}

#[test]
fn tools_answer_structured_results_and_failures() {
    let mut fan = blower();
    let answer = call(&mut fan, "fan_set", &json!({"rpm": 1200, "name": "s\u{fc}d \"1\""}));
    assert_eq!(answer["structuredContent"], json!({"rpm": 1200}));
    assert_eq!(answer["content"], json!([{"type": "text", "text": "{\"rpm\":1200}"}]));
    assert_eq!(call(&mut fan, "fan_name", &json!({}))["structuredContent"], json!({"result": "s\u{fc}d \"1\""}));
    assert_eq!(call(&mut fan, "fan_halve", &json!({}))["structuredContent"], json!({"result": 600}));
    let off = call(&mut fan, "fan_off_now", &json!({}));
    assert_eq!((&off["content"], &off["structuredContent"], fan.rpm), (&json!([]), &Value::Null, 0));
    for (name, arguments, words) in [
        ("fan_set", json!({"rpm": 3001}), "too fast: at most 3000"),
        ("fan_set", json!({"rpm": 4001}), "expected maximum 4000, in arguments.rpm, found 4001"),
        ("fan_halve", json!({}), "too slow"),
        ("fan_set", json!({"rpm": -1}), "u16"),
        ("fan_set", json!({}), "rpm"),
    ] {
        let failed = call(&mut fan, name, &arguments);
        assert_eq!(failed["isError"], true, "{name} {arguments}");
        assert!(failed["content"][0]["text"].as_str().unwrap().contains(words), "{failed}");
    }
}

#[test]
fn the_document_is_answered() {
    let document: Value = serde_json::from_str(FanService::OPENRPC).unwrap();
    assert_eq!(document["openrpc"], "1.3.2");
    assert_eq!(
        document["info"],
        json!({"title": "Fan", "version": env!("CARGO_PKG_VERSION"), "description": "A fan in a room."})
    );
    let names: Vec<_> =
        document["methods"].as_array().unwrap().iter().map(|method| method["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["fan.set", "fan.name", "fan.halve", "fan.off/now", "fan.stalled"]);
    assert_eq!(
        document["methods"][0]["params"],
        json!([
            {
                "name": "rpm",
                "description": "In revolutions a minute.",
                "required": true,
                "schema": {"type": "integer", "minimum": 0, "maximum": 4000}
            },
            {"name": "name", "required": false, "schema": {"anyOf": [{"type": "string"}, {"type": "null"}]}}
        ])
    );
    assert_eq!(document["methods"][3]["result"], json!({"name": "result", "schema": {"type": "null"}}));
    assert_eq!(document["methods"][4].get("result"), None);

    let mut server = FanService::server(blower());
    let mut output = [0; 4096];
    let text = br#"{"jsonrpc":"2.0","method":"rpc.discover","id":1}"#;
    let answer: Value = serde_json::from_slice(server.process(&mut (), text, &mut output).answer().unwrap()).unwrap();
    assert_eq!(answer["result"], document);
    // too short an output: an error, nothing half written
    let answer = server.process(&mut (), text, &mut output[..100]).answer().unwrap();
    assert!(answer.ends_with(br#""message":"Internal error"},"id":1}"#));
}

#[nanojsonrpc::service(mcp, client = WatchClient)]
trait Watch {
    async fn wait(&mut self, text: &str) -> String;
    /// Its params have the names of local variables of generated code.
    async fn local(&self, __service: u8, __call: &str, __problem: u8, __params: u8, __reply: u8, __caller: u8) -> u8;
}

struct Idle;

impl Watch for Idle {
    async fn wait(&mut self, text: &str) -> String {
        text.to_owned()
    }

    async fn local(&self, __service: u8, _: &str, _: u8, _: u8, _: u8, _: u8) -> u8 {
        __service
    }
}

#[test]
fn a_tool_that_reports_progress_is_registered_beside_declared_ones() {
    let spin = |_: &mut Blower, mut call: ToolCall<'_>| {
        let progress = call.progress(1, None, None).map(<[u8]>::len);
        call.text(if progress.is_some() { "reported" } else { "silent" })
    };
    let mut server =
        FanService::tools(Service::new("fan", "1")).tool("spin", "Spins.", mcp::Schema::NO_ARGUMENTS, spin).server();
    let mut text = message("tools/call", json!({"name": "spin"}));
    text = text.replace(r#""_meta":{"#, r#""_meta":{"progressToken":7,"#);
    let named = message("tools/call", json!({"name": "fan_name"}));
    for (text, expected) in [(text, "reported"), (named, r#"{"result":"north"}"#)] {
        let mut output = [0; 512];
        let answer = server.process(&mut blower(), text.as_bytes(), &mut output).answer().unwrap();
        let answer: Value = serde_json::from_slice(answer).unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], expected);
    }
}

#[test]
fn a_server_with_tools_has_a_clone_for_each_concurrent_call() {
    let mut server = WatchService::tools(Service::<Idle>::new("watch", "1")).server();
    let (mut copy, mut output) = (server, [0; 256]);
    let text = message("tools/call", json!({"name": "wait", "arguments": {"text": "x"}}));
    for server in [&mut server, &mut copy] {
        let mut idle = Idle;
        let answering = core::pin::pin!(server.process_async(&mut idle, text.as_bytes(), &mut output));
        let Poll::Ready(processed) = answering.poll(&mut Context::from_waker(Waker::noop())) else { panic!("waits") };
        let answer: Value = serde_json::from_slice(processed.answer().unwrap()).unwrap();
        assert_eq!(answer["result"]["structuredContent"], json!({"result": "x"}));
    }
}

#[test]
fn the_future_of_a_server_with_tools_is_send() {
    fn answer<'o, F: Future<Output = Processed<'o>> + Send>(answering: F) -> Value {
        match core::pin::pin!(answering).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(processed) => serde_json::from_slice(processed.answer().unwrap()).unwrap(),
            Poll::Pending => panic!("waits"),
        }
    }
    let mut output = [0; 512];
    let text = message("tools/call", json!({"name": "fan_name"}));
    let mut server = FanService::tools(Service::new("fan", "1")).server();
    let called = answer(server.process_async(&mut blower(), text.as_bytes(), &mut output));
    assert_eq!(called["result"]["structuredContent"], json!({"result": "north"}));
    let text = message("tools/call", json!({"name": "wait", "arguments": {"text": "x"}}));
    let mut server = WatchService::tools(Service::new("watch", "1")).server();
    let called = answer(server.process_async(&mut Idle, text.as_bytes(), &mut output));
    assert_eq!(called["result"]["structuredContent"], json!({"result": "x"}));
}

/// A fan that describes itself to a language model.
#[nanojsonrpc::service(mcp, openrpc)]
trait Described {
    /// Tells the speed.
    #[tool(text, read_only)]
    fn describe(&self) -> (&'static str, u16);
    #[tool(text)]
    fn rename(&mut self, name: &str) -> Result<&str, TooFast>;
    #[tool(text)]
    async fn wait(&mut self) -> u16;
}

impl Described for Blower {
    fn describe(&self) -> (&'static str, u16) {
        ("rpm: ", self.rpm)
    }

    fn rename(&mut self, name: &str) -> Result<&str, TooFast> {
        self.name = name.to_owned();
        if self.rpm > 3000 { Err(TooFast) } else { Ok(&self.name) }
    }

    async fn wait(&mut self) -> u16 {
        self.rpm
    }
}

#[test]
fn a_text_tool_answers_with_a_text_and_nothing_structured() {
    let server = DescribedService::tools(Service::new("fan", "1.0.0")).server();
    let answered = |fan: &mut Blower, method: &str, params: Value| -> Value {
        let (text, mut output) = (message(method, params), [0; 4096]);
        let mut server = server;
        let mut answering = std::pin::pin!(server.process_async(fan, text.as_bytes(), &mut output));
        let Poll::Ready(processed) = answering.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("no handler waits")
        };
        serde_json::from_slice::<Value>(processed.answer().unwrap_or_default()).unwrap()["result"].take()
    };
    let listed = answered(&mut blower(), "tools/list", json!({}));
    assert_eq!(
        listed["tools"][0],
        json!({
            "name": "describe",
            "description": "Tells the speed.",
            "inputSchema": {"type": "object", "additionalProperties": false},
            "annotations": {"readOnlyHint": true}
        })
    );
    assert_eq!(listed["tools"][1].get("annotations"), None);

    let text = |rpm: u16, name: &str, arguments: Value| {
        let mut fan = Blower { rpm, ..blower() };
        let mut result = answered(&mut fan, "tools/call", json!({"name": name, "arguments": arguments}));
        assert_eq!(result.get("structuredContent"), None, "{result}");
        let is_error = result.get("isError") == Some(&json!(true));
        (is_error, result["content"].take())
    };
    let of = |text: &str| json!([{"type": "text", "text": text}]);
    assert_eq!(text(1200, "describe", json!({})), (false, of("rpm: 1200")));
    assert_eq!(text(1, "rename", json!({"name": "\"so\"\n"})), (false, of("\"so\"\n")));
    assert_eq!(text(3001, "rename", json!({"name": "x"})), (true, of("too fast: at most 3000")));
    assert_eq!(text(7, "wait", json!({})), (false, of("7")));

    // the method of JSON-RPC has the result itself
    let (mut server, mut context, mut output) = (DescribedService::server(blower()), (), [0; 128]);
    let describe = br#"{"jsonrpc":"2.0","method":"describe","id":1}"#;
    let mut answering = std::pin::pin!(server.process_async(&mut context, describe, &mut output));
    let answer = answering.as_mut().poll(&mut Context::from_waker(Waker::noop())).map(|processed| processed.answer());
    assert_eq!(answer, Poll::Ready(Some(&br#"{"jsonrpc":"2.0","result":["rpm: ",1],"id":1}"#[..])));
}

#[test]
fn a_declared_tool_is_cloned_and_shown_without_its_service() {
    let tool = nanojsonrpc::service::generated::tools::Declared::<FanService, 2>::NEW;
    let cloned = Clone::clone(&tool);
    assert_eq!(format!("{cloned:?}"), "Declared(2)");
}
