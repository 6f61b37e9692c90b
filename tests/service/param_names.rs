//! Params whose names in messages are not those of the declaration.

use nanojsonrpc::{Client, Writer};

#[nanojsonrpc::service(client = LampClient)]
trait Lamp {
    fn dim(&mut self, level: u8, #[param("fadeSeconds")] fade: Option<u8>, #[param("a \"b\"")] note: &str) -> String;
}

struct Memory;

impl Lamp for Memory {
    fn dim(&mut self, level: u8, fade: Option<u8>, note: &str) -> String {
        format!("{level} {fade:?} {note}")
    }
}

fn answer(params: &str) -> String {
    let text = format!(r#"{{"jsonrpc":"2.0","method":"dim","params":{params},"id":1}}"#);
    let mut output = [0; 160];
    let answer = LampService::server(Memory).process(&mut (), text.as_bytes(), &mut output).answer().unwrap();
    String::from_utf8(answer.to_vec()).unwrap()
}

#[test]
fn a_param_has_its_own_name_in_the_message() {
    let read = r#"{"jsonrpc":"2.0","result":"7 Some(2) c","id":1}"#;
    assert_eq!(answer(r#"{"a \"b\"":"c","fadeSeconds":2,"level":7}"#), read);
    assert_eq!(answer(r#"[7,2,"c"]"#), read);
    // the name of the declaration is an unknown one
    let unknown = r#"{"jsonrpc":"2.0","result":"7 None c","id":1}"#;
    assert_eq!(answer(r#"{"level":7,"fade":2,"a \"b\"":"c"}"#), unknown);
    let missing = answer(r#"{"level":7}"#);
    assert!(missing.contains(r#"missing member at byte 41, expected a \"b\""#), "{missing}");
}

#[test]
fn the_client_and_the_list_have_the_name_of_the_message() {
    let (mut client, mut text): (Client<(), 1>, _) = (Client::new(), [0; 128]);
    let mut out = Writer::new(&mut text);
    let _call = LampClient::dim(client.sending((), &mut out), 7, Some(2), "c");
    let params = br#""params":{"level":7,"fadeSeconds":2,"a \"b\"":"c"}"#;
    assert!(out.written().windows(params.len()).any(|part| part == params), "{:?}", out.written());
    assert_eq!(LampService::METHODS[0].params, [("level", true), ("fadeSeconds", false), ("a \"b\"", true)]);
}

#[cfg(feature = "mcp")]
#[test]
fn tools_and_documents_have_the_name_of_the_message() {
    use serde_json::{Value, json};

    #[nanojsonrpc::service(mcp, openrpc)]
    trait Heater {
        fn heat(
            &self,
            /// In degrees.
            #[param("maxDegrees")]
            #[schema(maximum = 90)]
            most: u8,
        );
    }

    struct Coil;

    impl Heater for Coil {
        fn heat(&self, _: u8) {}
    }

    let document: Value = serde_json::from_str(HeaterService::OPENRPC).unwrap();
    let param = &document["methods"][0]["params"][0];
    assert_eq!(
        (&param["name"], &param["description"], &param["schema"]["maximum"]),
        (&json!("maxDegrees"), &json!("In degrees."), &json!(90))
    );
    let mut server = HeaterService::tools(nanojsonrpc::mcp::Service::new("heater", "1")).server();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": nanojsonrpc::mcp::Revision::V2026_07_28.as_str(),
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let text = json!({"jsonrpc": "2.0", "method": "tools/list", "params": {"_meta": meta}, "id": 1}).to_string();
    let mut output = [0; 1024];
    let list = server.process(&mut Coil, text.as_bytes(), &mut output).answer().unwrap();
    let list: Value = serde_json::from_slice(list).unwrap();
    let schema = &list["result"]["tools"][0]["inputSchema"];
    assert_eq!(schema["required"], json!(["maxDegrees"]), "{list}");
    assert_eq!(schema["properties"]["maxDegrees"]["maximum"], json!(90));
}
