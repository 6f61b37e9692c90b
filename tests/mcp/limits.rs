//! Arguments and results of tools are held to the limits of their schemas, in each revision.
#![cfg(all(feature = "mcp", feature = "macros"))]

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use crate::peer::{Client, REVISIONS};
use nanojsonrpc::json_schema::schema_of;
use nanojsonrpc::mcp::{Schema, Service, Structured, schema};
use nanojsonrpc::server::{Checked, Event};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Serialize, Deserialize, nanojsonrpc::Schema)]
struct Dim {
    #[schema(minimum = 1, maximum = 100)]
    level: u8,
    #[serde(default)]
    scenes: heapless::Vec<Scene, 2>,
}

#[derive(Serialize, Deserialize, nanojsonrpc::Schema)]
struct Scene {
    #[schema(min_length = 1, pattern = "^[a-z]*$")]
    name: heapless::String<100>,
}

const DIM: Schema<'_> = schema!(schema_of!(Dim));

#[nanojsonrpc::service(mcp)]
trait Lamp {
    fn dim(&mut self, #[schema(maximum = 100)] level: u8, name: &str) -> Level;
    fn set(&mut self, scene: Scene) -> Result<Level, nanojsonrpc::ErrorObject<'static>>;
    async fn fade(&mut self, #[schema(multiple_of = 5)] level: u8) -> Dim;
}

#[derive(Serialize, Deserialize, nanojsonrpc::Schema)]
struct Level(#[schema(maximum = 90)] u8);

#[derive(Clone, Default)]
struct Bulb {
    level: u8,
    events: Vec<String>,
}

impl Lamp for Bulb {
    fn dim(&mut self, level: u8, _: &str) -> Level {
        self.level = level;
        Level(level)
    }

    fn set(&mut self, scene: Scene) -> Result<Level, nanojsonrpc::ErrorObject<'static>> {
        self.level = u8::try_from(scene.name.len()).unwrap_or(255);
        Ok(Level(self.level))
    }

    async fn fade(&mut self, level: u8) -> Dim {
        self.level = level;
        Dim { level, scenes: heapless::Vec::new() }
    }
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

fn hand_written() -> Service<Bulb, impl nanojsonrpc::mcp::service::feature::Features<Bulb> + Clone> {
    Service::new("lamp", "1")
        .tool("dim", "Dims.", DIM, |bulb: &mut Bulb, Checked(dim): Checked<Dim>| {
            bulb.level = dim.level;
            Structured(Checked(dim))
        })
        .tool("break", "Breaks.", Schema::NO_ARGUMENTS, |_: &mut Bulb| {
            Structured(Checked(Dim { level: 0, scenes: heapless::Vec::new() }))
        })
}

/// The path in the arguments, and the value, which hosts name.
fn found(path: &str, value: &str) -> String {
    let argument = path.split('[').next().unwrap_or(path);
    match cfg!(target_pointer_width = "64") {
        true => format!(", in arguments.{path}, found {value}"),
        false => format!(", in arguments.{argument}"),
    }
}

#[test]
fn arguments_that_violate_a_limit_are_refused_as_the_revision_prescribes() {
    for &revision in REVISIONS {
        let mut client = Client::new(hand_written(), Bulb::default(), revision);
        for (arguments, rule, path, value) in [
            (json!({"level": 0}), "minimum 1", "level", "0"),
            (json!({"level": 101, "other": "x"}), "maximum 100", "level", "101"),
            (json!({"level": 1, "scenes": [{"name": "a"}, {"name": ""}]}), "minLength 1", "scenes[1].name", ""),
            (json!({"level": 1, "scenes": [{"name": "B\""}]}), "pattern ^[a-z]*$", "scenes[0].name", "B\""),
        ] {
            let said = if revision < "2025-11-25" {
                let (code, message) = client.error("tools/call", call("dim", arguments));
                assert_eq!(code, -32602);
                message
            } else {
                let result = client.result("tools/call", call("dim", arguments));
                assert_eq!(result["isError"], true);
                result["content"][0]["text"].as_str().unwrap().to_owned()
            };
            assert!(said.starts_with("Invalid params: invalid value at byte "), "{said}");
            assert!(said.ends_with(&format!(", expected {rule}{}", found(path, value))), "{said}");
        }
        assert_eq!(client.context.level, 0);
        let long = json!({"level": 1, "scenes": [{"name": "X".repeat(70)}]});
        let said = client.ask("tools/call", call("dim", long)).to_string();
        assert!(said.contains(", in arguments.scenes") && !said.contains("found"), "{said}");
        let fits = json!({"level": 100, "scenes": [{"name": "ab"}]});
        assert_eq!(client.result("tools/call", call("dim", fits.clone()))["structuredContent"], fits);
    }
}

#[test]
fn a_result_that_violates_its_schema_is_not_sent() {
    for &revision in REVISIONS {
        let mut client = Client::new(hand_written(), Bulb::default(), revision);
        assert_eq!(client.error("tools/call", json!({"name": "break"})), (-32603, "Internal error".into()));
        let mut client = Client::new(LampService::tools_of(), Bulb::default(), revision);
        let fits = client.result("tools/call", call("dim", json!({"level": 90, "name": ""})));
        assert_eq!(fits["structuredContent"], json!({"result": 90}));
        let broken = client.error("tools/call", call("dim", json!({"level": 91, "name": "\u{e9}\n"})));
        assert_eq!(broken, (-32603, "Internal error".into()));
        assert_eq!(client.context.level, 91);
        let text = client.ask("tools/call", call("dim", json!({"level": 101, "name": ""}))).to_string();
        assert!(text.contains("expected maximum 100, in arguments.level"), "{text}");
        let text = client.ask("tools/call", call("set", json!({"scene": {"name": "A"}}))).to_string();
        assert!(text.contains("expected pattern ^[a-z]*$, in arguments.scene"), "{text}");
        assert_eq!(client.context.level, 91);
        let broken = client.error("tools/call", call("set", json!({"scene": {"name": "a".repeat(91)}})));
        assert_eq!(broken, (-32603, "Internal error".into()));
    }
}

#[nanojsonrpc::service(mcp, service = Blocking)]
trait Pair {
    fn dim(&mut self, #[schema(maximum = 100)] level: u8, name: &str) -> Level;
    fn set(&mut self, scene: Scene) -> Result<Level, nanojsonrpc::ErrorObject<'static>>;
}

impl Pair for Bulb {
    fn dim(&mut self, level: u8, name: &str) -> Level {
        Lamp::dim(self, level, name)
    }

    fn set(&mut self, scene: Scene) -> Result<Level, nanojsonrpc::ErrorObject<'static>> {
        Lamp::set(self, scene)
    }
}

impl LampService {
    /// The blocking tools.
    fn tools_of() -> Service<Bulb, impl nanojsonrpc::mcp::service::feature::Features<Bulb> + Clone> {
        Blocking::tools(Service::new("lamp", "1"))
    }
}

#[test]
fn async_tools_are_checked_too() {
    let service = LampService::tools(Service::new("lamp", "1")).tool_async(
        "typed",
        "Dims.",
        DIM,
        async |bulb: &mut Bulb, Checked(dim): Checked<Dim>| {
            bulb.level = dim.level;
            Structured(Checked(Dim { level: dim.level.wrapping_add(1), ..dim }))
        },
    );
    let mut server =
        service.server().observed_by(|bulb: &mut Bulb, event: Event<'_>| bulb.events.push(event.to_string()));
    let mut bulb = Bulb::default();
    let mut ask = |name: &str, arguments: Value| {
        let mut params = call(name, arguments);
        params["_meta"] = crate::peer::stateless();
        let text = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let mut output = [0; 1024];
        let answering = pin!(server.process_async(&mut bulb, text.as_bytes(), &mut output));
        let Poll::Ready(processed) = answering.poll(&mut Context::from_waker(Waker::noop())) else { panic!("waits") };
        serde_json::from_slice::<Value>(processed.answer().unwrap()).unwrap()
    };
    let refused = ask("typed", json!({"level": 101}));
    assert!(refused["result"]["content"][0]["text"].as_str().unwrap().contains("expected maximum 100"), "{refused}");
    assert_eq!(ask("typed", json!({"level": 99}))["result"]["structuredContent"]["level"], 100);
    assert_eq!(ask("typed", json!({"level": 100}))["error"]["code"], -32603);
    let refused = ask("fade", json!({"level": 3}));
    assert!(refused["result"]["content"][0]["text"].as_str().unwrap().contains("expected multipleOf 5"), "{refused}");
    assert_eq!(ask("fade", json!({"level": 5}))["result"]["structuredContent"]["level"], 5);
    // absent arguments have no limits, but the type needs a level
    assert_eq!(ask("fade", json!({"level": 105}))["error"]["code"], -32603);
    assert_eq!(bulb.events, ["reply to tools/call lost: invalid value at byte 0"; 2]);
}
