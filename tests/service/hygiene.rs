//! Generated code refers to no name of the program, and to none of the prelude.
#![cfg(feature = "mcp")]

use nanojsonrpc::json_schema::{JsonSchema, schema_of};
use nanojsonrpc::mcp::{Revision, Service};
use serde_json::{Value, json};

/// Types, modules, traits and constants that are called as parts of generated code could be.
mod captured {
    use nanojsonrpc::{ErrorObject, Schema, service};
    use serde::{Deserialize, Serialize};

    macro_rules! types {
        ($($name:ident)*) => {$(
            #[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
            pub(crate) struct $name {
                pub(crate) rpm: u8,
            }
        )*};
    }
    types! {
        Document Node Schema JsonSchema Output Tool ToolAnnotations Str RawValue Params Reply Call Exchange Endpoint Routes
    }

    macro_rules! modules {
        ($($name:ident)*) => {$(
            #[allow(non_snake_case)]
            pub(crate) mod $name {
                use nanojsonrpc::Schema;
                use serde::{Deserialize, Serialize};

                #[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
                pub(crate) struct Report {
                    pub(crate) rpm: u8,
                }
            }
        )*};
    }
    modules! { tools json_schema generated mcp core std Option Result }

    /// Methods of every type, which are found before those of generated code that take `&self`.
    #[allow(dead_code, clippy::wrong_self_convention)]
    trait Everything: Sized {
        fn into(self) {}
        fn from(self) {}
        fn read(self) {}
        fn is_empty(self) {}
        fn success(self) {}
        fn error(self) {}
        fn content(self) {}
        fn invalid(self) {}
        fn map_err(self) {}
        fn requests(self) {}
        fn notifies(self) {}
        fn take(self) {}
        fn route(self) {}
        fn tool_as(self) {}
        fn tool_as_async(self) {}
        fn allows_more(self) {}
        fn is_narrowed_by(self) {}
        fn is_affected_by(self) {}
        fn is_satisfiable_with(self) {}
        fn call(self) {}
        fn notify(self) {}
    }
    impl<T> Everything for T {}

    /// Lengths that are called as constants of `schema_of!`.
    pub(crate) const TEXT: usize = 4;
    pub(crate) const SCHEMA: usize = 5;

    #[derive(Serialize, Deserialize, Schema)]
    pub(crate) struct Fields {
        #[serde(flatten)]
        report: json_schema::Report,
        #[schema(maximum = 9)]
        limited: u16,
        document: Document,
        node: Node,
        #[serde(skip_serializing_if = "::core::option::Option::is_none")]
        left_out: ::core::option::Option<generated::Report>,
    }

    #[service(client = CapturedClient, mcp, openrpc)]
    pub(crate) trait Captured {
        fn document(&self, document: Document, node: Node, tools: tools::Report) -> Node;
        fn node(&self, schema: Schema, json_schema: JsonSchema, output: Output, tool: Tool) -> Document;
        fn report(&self, generated: generated::Report, mcp: mcp::Report, core: core::Report) -> tools::Report;
        fn described(&self, value: json_schema::Report) -> ::core::result::Result<Reply, ErrorObject<'static>>;
        fn lent(&self, text: Str, params: &str, is: bool) -> &Params;
        fn sized(
            &self,
            text: heapless::String<TEXT>,
            call: heapless::Vec<Call, SCHEMA>,
        ) -> ::core::result::Result<&str, ErrorObject<'static>>;
        #[notification]
        fn heard(&mut self, text: &str, exchange: Exchange, std: std::Report);
    }

    #[service(client = CapturedLaterClient, mcp, openrpc)]
    pub(crate) trait CapturedLater {
        async fn later(&mut self, call: Call, context: Endpoint, option: Option::Report) -> Routes;
        async fn soon(&self, text: &str) -> ::core::result::Result<RawValue, ErrorObject<'static>>;
        #[notification]
        async fn heard(&mut self, text: &str, result: Result::Report);
        fn now(&self, hints: ToolAnnotations) -> Output;
    }
}

/// A program that denies warnings may derive the schema of a deprecated type.
#[deny(deprecated)]
#[allow(dead_code, reason = "types that only have a schema")]
mod deprecated {
    #[deprecated]
    #[derive(serde::Serialize, serde::Deserialize, nanojsonrpc::Schema)]
    pub(crate) struct Old {
        #[deprecated]
        #[schema(maximum = 9)]
        pub(crate) rpm: u8,
    }

    #[deprecated]
    #[derive(serde::Serialize, serde::Deserialize, nanojsonrpc::Schema)]
    pub(crate) enum OldRamp<T> {
        #[deprecated]
        Slow,
        Fast {
            #[deprecated]
            by: T,
        },
    }
}

/// Nothing is in scope.
mod without_prelude {
    #![no_implicit_prelude]

    #[derive(::serde::Serialize, ::serde::Deserialize, ::nanojsonrpc::Schema)]
    pub(crate) struct Speed {
        #[schema(maximum = 9)]
        pub(crate) rpm: u8,
        #[serde(default, skip_serializing_if = "::core::option::Option::is_none")]
        pub(crate) ramp: ::core::option::Option<Ramp>,
    }

    #[derive(::serde::Serialize, ::serde::Deserialize, ::nanojsonrpc::Schema)]
    #[serde(tag = "type")]
    pub(crate) enum Ramp {
        Slow,
        Fast { by: u8 },
    }

    const _: ::nanojsonrpc::mcp::Schema<'static> = ::nanojsonrpc::mcp::schema!(r#"{"type":"object"}"#);
    pub(crate) const FANS: ::nanojsonrpc::mcp::UriTemplate<'static> = ::nanojsonrpc::mcp::uri_template!("fan://{name}");

    #[::nanojsonrpc::service(prefix = "fan.", client = FanClient, mcp, openrpc)]
    pub(crate) trait Fan {
        /// Sets the speed.
        #[tool(idempotent)]
        fn set(
            &mut self,
            rpm: u8,
            name: ::core::option::Option<&str>,
        ) -> ::core::result::Result<Speed, ::nanojsonrpc::ErrorObject<'static>>;
        fn name(&self, of: &str) -> &str;
        fn off(&mut self);
        #[notification]
        fn stalled(&mut self, at: &str);
    }

    #[::nanojsonrpc::service(client = LaterClient, mcp, openrpc)]
    pub(crate) trait Later {
        async fn set(&mut self, name: &str) -> ::core::result::Result<Speed, ::nanojsonrpc::ErrorObject<'static>>;
        async fn off(&mut self);
        #[notification]
        async fn stalled(&mut self, at: &str);
    }
}

struct Blower;

impl without_prelude::Fan for Blower {
    fn set(&mut self, rpm: u8, _: Option<&str>) -> Result<without_prelude::Speed, nanojsonrpc::ErrorObject<'static>> {
        Ok(without_prelude::Speed { rpm, ramp: None })
    }

    fn name(&self, _: &str) -> &str {
        "north"
    }

    fn off(&mut self) {}

    fn stalled(&mut self, _: &str) {}
}

#[test]
fn a_service_without_a_prelude_is_served() {
    let mut output = [0; 4096];
    let mut server = without_prelude::FanService::server(Blower);
    for (method, params, result) in
        [("fan.set", json!([7]), json!({"rpm": 7})), ("fan.name", json!({"of": "a"}), json!("north"))]
    {
        let text = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let answer: Value =
            serde_json::from_slice(server.process(&mut (), text.as_bytes(), &mut output).answer().unwrap()).unwrap();
        assert_eq!(answer["result"], result);
    }
    let mut server = without_prelude::FanService::tools(Service::new("fan", "1.0.0")).server();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": Revision::V2026_07_28.as_str(),
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "fan_set", "arguments": {"rpm": 8}, "_meta": meta});
    let text = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let answer: Value =
        serde_json::from_slice(server.process(&mut Blower, text.as_bytes(), &mut output).answer().unwrap()).unwrap();
    assert_eq!(answer["result"]["structuredContent"], json!({"rpm": 8}));
}

#[test]
fn types_of_any_name_are_described() {
    let own = json!({
        "type": "object",
        "properties": {"rpm": {"type": "integer", "minimum": 0, "maximum": 255}},
        "required": ["rpm"],
    });
    let document: Value = serde_json::from_str(captured::CapturedService::OPENRPC).unwrap();
    assert_eq!(document["openrpc"], "1.3.2");
    for method in &document["methods"].as_array().unwrap()[..4] {
        assert_eq!(method["result"]["schema"], own, "{method}");
        for param in method["params"].as_array().unwrap() {
            assert_eq!(param["schema"], own, "{param}");
        }
    }
    assert_eq!(document["methods"][5]["params"][0]["schema"]["maxLength"], json!(captured::TEXT));
    assert_eq!(document["methods"][5]["params"][1]["schema"]["maxItems"], json!(captured::SCHEMA));
    let later: Value = serde_json::from_str(captured::CapturedLaterService::OPENRPC).unwrap();
    assert_eq!(later["methods"][0]["result"]["schema"], own);
    let fields: Value = serde_json::from_str(schema_of!(captured::Fields)).unwrap();
    assert_eq!((&fields["allOf"][0], &fields["properties"]["node"]), (&own, &own));
    const { assert!(<captured::Document as JsonSchema>::IS_OBJECT) };
    assert_eq!(without_prelude::LaterService::METHODS.len(), 3);
    assert_eq!(without_prelude::FANS.as_str(), "fan://{name}");
}
