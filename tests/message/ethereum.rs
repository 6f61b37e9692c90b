//! Real requests and responses of Ethereum nodes: all are read, and written again they mean the same.

use crate::common::{Rules, corpus, observed, reference, show, written};
use nanojsonrpc::{Dialect, Message, Request, Response};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Pair {
    name: String,
    request: String,
    response: String,
}

fn pairs() -> Option<Vec<Pair>> {
    let pairs: Vec<Pair> = corpus("ethereum-execution-apis.jsonl")?
        .lines()
        .map(|line| serde_json::from_str(line).expect("a pair"))
        .collect();
    assert_eq!(pairs.len(), 236);
    Some(pairs)
}

fn is_written_again(name: &str, text: &str) {
    let message = Message::parse(text.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}: {}", show(text.as_bytes())));
    let again = written(&message, Dialect::JSON_RPC, text.len() + 64);
    let value = |text: &[u8]| serde_json::from_slice::<Value>(text).expect("JSON");
    assert_eq!(value(&again), value(text.as_bytes()), "{name}");
    assert_eq!(Message::parse(&again).as_ref(), Ok(&message), "{name}");
}

#[test]
fn every_request_is_read_and_written_again() {
    let Some(pairs) = pairs() else { return };
    for Pair { name, request, .. } in pairs {
        let parsed = Request::parse(request.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(Message::parse(request.as_bytes()), Ok(Message::Request(parsed)), "{name}");
        is_written_again(&name, &request);
    }
}

#[test]
fn every_response_is_read_and_written_again() {
    let Some(pairs) = pairs() else { return };
    for Pair { name, response, .. } in pairs {
        let parsed = Response::parse(response.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(Message::parse(response.as_bytes()), Ok(Message::Response(parsed)), "{name}");
        is_written_again(&name, &response);
    }
}

#[test]
fn a_request_and_its_response_carry_the_same_id() {
    let Some(pairs) = pairs() else { return };
    for Pair { name, request, response } in pairs {
        let request = Request::parse(request.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let response = Response::parse(response.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(request.id, response.id, "{name}");
    }
}

#[test]
fn every_text_holds_what_serde_json_finds_in_it() {
    let Some(pairs) = pairs() else { return };
    for Pair { name, request, response } in pairs {
        for text in [request, response] {
            for rules in [Rules::JsonRpc, Rules::Cauce, Rules::Mcp] {
                assert!(observed(text.as_bytes(), rules) == reference(text.as_bytes(), rules), "{name}: {rules:?}");
            }
        }
    }
}
