//! The examples of the Model Context Protocol: whole messages are read and written again, the rest is JSON.

use crate::common::{Rules, corpus, observed, reference, written};
use nanojsonrpc::{Dialect, Message, RawValue};
use serde::Deserialize;
use serde_json::{Value, value::RawValue as Json};

#[derive(Deserialize)]
struct Example {
    name: String,
    json: Box<Json>,
}

#[test]
fn every_message_is_read_and_written_again_and_every_other_value_is_accepted() {
    let Some(text) = corpus("mcp-schema-examples.jsonl") else { return };
    let (mut messages, mut values) = (0, 0);
    for line in text.lines() {
        let Example { name, json } = serde_json::from_str(line).expect("an example");
        let text = json.get();
        let value: Value = serde_json::from_str(text).expect("JSON");
        let raw = RawValue::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}: {text}"));
        assert_eq!(raw.as_json(), text, "{name}");
        if value.get("jsonrpc").is_none() {
            values += 1;
            continue;
        }
        messages += 1;
        let message =
            Message::parse_as(text.as_bytes(), Dialect::MCP).unwrap_or_else(|e| panic!("{name}: {e}: {text}"));
        let again = written(&message, Dialect::MCP, text.len() + 64);
        let mut again: Value = serde_json::from_slice(&again).expect("JSON");
        if value.get("id").is_none() && again["id"].is_null() {
            // an error response that lacked its id is written with null
            again.as_object_mut().expect("an object").remove("id");
        }
        assert_eq!(again, value, "{name}");
        assert_eq!(observed(text.as_bytes(), Rules::Mcp), reference(text.as_bytes(), Rules::Mcp), "{name}");
    }
    assert_eq!((messages, values), (32, 97));
}
