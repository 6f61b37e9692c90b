//! A tool whose schema comes from `#[derive(schemars::JsonSchema)]`, on hosts: nothing but a text, which `mcp::Schema` checks at run time.

use nanojsonrpc::mcp::{Schema, Service, schema};
use nanojsonrpc::{Error, ErrorKind};
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::{Value, json};

/// The schema of `T`, made once for the life of the program.
///
/// # Errors
/// Those of [`Schema::parse`]: the schema of `T` is not that of an object, as the protocol requires of arguments.
fn schema_of<T: JsonSchema>() -> Result<Schema<'static>, Error> {
    Schema::parse(schema_for!(T).as_value().to_string().leak())
}

/// How to bake.
#[derive(Deserialize, JsonSchema)]
struct Bake {
    /// The temperature in degrees Celsius.
    #[schemars(range(min = 50, max = 250))]
    degrees: u16,
    #[serde(default)]
    heat: Heat,
    minutes: Option<u8>,
}

#[derive(Deserialize, JsonSchema, Default, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
enum Heat {
    #[default]
    Below,
    Above,
}

/// The answer to a request of 2026-07-28.
fn ask(oven: &mut Vec<(u16, Heat, Option<u8>)>, method: &str, mut params: Value) -> Value {
    let bake = schema_of::<Bake>().expect("an object");
    let mut server = Service::new("oven", "1.0.0")
        .tool("bake", "Bakes.", bake, |oven: &mut Vec<_>, Bake { degrees, heat, minutes }: Bake| {
            oven.push((degrees, heat, minutes));
            "baking"
        })
        .server();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let mut output = [0; 2048];
    let answer = server.process(oven, request.as_bytes(), &mut output).answer().expect("an answer");
    serde_json::from_slice(answer).expect("JSON")
}

#[test]
fn the_schema_is_listed_and_serde_reads_the_arguments() {
    let mut oven = Vec::new();
    let tools = &ask(&mut oven, "tools/list", json!({}))["result"]["tools"];
    let listed = &tools[0]["inputSchema"];
    assert_eq!(*listed, *schema_for!(Bake).as_value());
    assert_eq!(listed["properties"]["degrees"]["maximum"], 250);
    assert_eq!(listed["properties"]["degrees"]["description"], "The temperature in degrees Celsius.");

    let arguments = json!({"degrees": 180, "heat": "above"});
    let result = &ask(&mut oven, "tools/call", json!({"name": "bake", "arguments": arguments}))["result"];
    assert_eq!(result["content"][0]["text"], "baking");
    assert_eq!(oven, [(180, Heat::Above, None)]);
    for wrong in [json!({}), json!({"degrees": "hot"}), json!({"degrees": 180, "heat": "beside"})] {
        let result = &ask(&mut oven, "tools/call", json!({"name": "bake", "arguments": wrong}))["result"];
        assert_eq!(result["isError"], true, "{wrong}");
    }
    assert_eq!(oven.len(), 1);
}

#[test]
fn the_arguments_that_serde_reads_have_the_schema_but_for_its_limits() {
    let validator = jsonschema::validator_for(schema_for!(Bake).as_value()).expect("a schema");
    for (arguments, is_valid, is_read) in [
        (json!({"degrees": 180}), true, true),
        (json!({"degrees": 180, "heat": "below", "minutes": 20}), true, true),
        (json!({"degrees": 180, "minutes": null}), true, true),
        (json!({"degrees": -1}), false, false),
        (json!({"degrees": 180, "heat": "beside"}), false, false),
        (json!({"heat": "above"}), false, false),
        // a limit of the schema alone, which the handler checks
        (json!({"degrees": 300}), false, true),
    ] {
        assert_eq!(validator.is_valid(&arguments), is_valid, "{arguments}");
        let mut oven = Vec::new();
        ask(&mut oven, "tools/call", json!({"name": "bake", "arguments": arguments}));
        assert_eq!(oven.len() == 1, is_read, "{arguments}");
    }
}

#[test]
fn a_type_that_is_no_object_is_refused() {
    assert_eq!(schema_of::<Vec<u8>>().map(|_| ()).map_err(Error::kind), Err(ErrorKind::InvalidValue));
    assert_eq!(schema_of::<Value>().map(|_| ()).map_err(Error::kind), Err(ErrorKind::MissingField));
    // without arguments
    #[derive(JsonSchema)]
    struct Nothing {}
    let nothing = schema_of::<Nothing>().expect("an object");
    assert_eq!(nothing.raw().get("type"), schema!(r#"{"type":"object"}"#).raw().get("type"));
}
