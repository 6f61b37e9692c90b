//! The examples of the JSON-RPC 2.0 specification, section 7, read as a server and as a client would.

use crate::common::{Ident, Rules, Verdict, corpus, observed, reference};
use nanojsonrpc::{
    ErrorKind, ErrorObject, Id, Message, Notification, Refused, Request, Response, message::BatchWriter,
};
use serde::Deserialize;
use serde_json::Value;

fn request(text: &str) -> Request<'_> {
    Request::parse(text.as_bytes()).unwrap_or_else(|rejection| panic!("{rejection}: {text}"))
}

fn refused(text: &str) -> Refused<'_> {
    Message::parse(text.as_bytes()).expect_err(text)
}

/// The answer on the wire to a refused text.
fn answer(rejection: Refused<'_>) -> Value {
    let mut out = [0; 128];
    let len = rejection.answer().expect("an answer").write(&mut out).expect("room enough");
    serde_json::from_slice(&out[..len]).expect("JSON")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn rpc_call_with_positional_parameters() {
    for (text, params, id) in [
        (r#"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#, [42, 23], 1),
        (r#"{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}"#, [23, 42], 2),
    ] {
        let request = request(text);
        assert_eq!((request.method.as_str(), &request.id), ("subtract", &Id::Number(id)));
        let found: Vec<Option<i64>> = request.params.expect("params").elements().map(|value| value.as_i64()).collect();
        assert_eq!(found, params.map(Some));
    }
    for (text, result, id) in [
        (r#"{"jsonrpc": "2.0", "result": 19, "id": 1}"#, 19, 1),
        (r#"{"jsonrpc": "2.0", "result": -19, "id": 2}"#, -19, 2),
    ] {
        let response = Response::parse(text.as_bytes()).expect(text);
        assert_eq!((response.id, response.outcome.expect(text).as_i64()), (Id::Number(id), Some(result)));
        let mut out = [0; 64];
        let len = Response::success(id, &result).write(&mut out).expect("room enough");
        assert_eq!(serde_json::from_slice::<Value>(&out[..len]).expect("JSON"), json(text));
    }
}

#[test]
fn rpc_call_with_named_parameters() {
    for (text, names) in [
        (
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#,
            ["subtrahend", "minuend"],
        ),
        (
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}"#,
            ["minuend", "subtrahend"],
        ),
    ] {
        let members: Vec<_> = request(text).params.expect("params").members().collect();
        let found: Vec<_> = members.iter().map(|(name, _)| name.as_str().expect("a name")).collect();
        assert_eq!(found, names);
        let sum: i64 = members.iter().map(|(_, value)| value.as_i64().expect("an integer")).sum();
        assert_eq!(sum, 65);
    }
}

#[test]
fn a_notification() {
    for (text, method, params) in [
        (r#"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#, "update", Some("[1,2,3,4,5]")),
        (r#"{"jsonrpc": "2.0", "method": "foobar"}"#, "foobar", None),
    ] {
        let notification = Notification::parse(text.as_bytes()).expect(text);
        assert_eq!(notification.method, method);
        assert_eq!(notification.params.map(|params| params.as_json()), params);
        // a reader of requests alone gives no answer either
        assert_eq!(Request::parse(text.as_bytes()).expect_err(text).answer(), None);
    }
}

#[test]
fn rpc_call_of_non_existent_method() {
    let text = r#"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#;
    let id = request(text).id;
    assert_eq!(id.as_str(), Some("1"));
    let mut out = [0; 128];
    let len = Response::error(id, ErrorObject::METHOD_NOT_FOUND).write(&mut out).expect("room enough");
    let expected = r#"{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "1"}"#;
    assert_eq!(serde_json::from_slice::<Value>(&out[..len]).expect("JSON"), json(expected));
}

#[test]
fn rpc_call_with_invalid_json() {
    let rejection = refused(r#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#);
    assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::ExpectedComma, 39));
    let expected = r#"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#;
    assert_eq!(answer(rejection), json(expected));
}

#[test]
fn rpc_call_with_invalid_request_object() {
    let rejection = refused(r#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#);
    assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::InvalidMethod, 29));
    let expected = r#"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}"#;
    assert_eq!(answer(rejection), json(expected));
}

#[test]
fn rpc_call_batch_with_invalid_json() {
    let text = concat!(
        "[\n  {\"jsonrpc\": \"2.0\", \"method\": \"sum\", \"params\": [1,2,4], \"id\": \"1\"},\n",
        "  {\"jsonrpc\": \"2.0\", \"method\"\n]"
    );
    let rejection = refused(text);
    assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::ExpectedColon, text.len() - 1));
    let expected = r#"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#;
    assert_eq!(answer(rejection), json(expected));
}

#[test]
fn rpc_call_with_an_empty_array() {
    let rejection = refused("[]");
    assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::EmptyBatch, 0));
    let expected = r#"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}"#;
    assert_eq!(answer(rejection), json(expected));
}

#[test]
fn rpc_call_with_an_invalid_batch_that_is_not_empty() {
    for text in ["[1]", "[1,2,3]"] {
        let Ok(Message::Batch(batch)) = Message::parse(text.as_bytes()) else { panic!("no batch: {text}") };
        let mut out = [0; 256];
        let mut answers = BatchWriter::new(&mut out);
        for (index, element) in batch.elements().enumerate() {
            let rejection = element.expect_err(text);
            assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::NotAMessage, 1 + 2 * index), "{text}");
            answers.push(&rejection.answer().expect("an answer")).expect("room enough");
        }
        let one = r#"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}"#;
        let expected = format!("[{}]", vec![one; batch.count()].join(","));
        assert_eq!(serde_json::from_slice::<Value>(answers.finish()).expect("JSON"), json(&expected));
    }
}

/// Answers as the server of section 7 does.
fn serve(message: Result<Message<'_>, Refused<'_>>) -> Option<Vec<u8>> {
    let mut out = vec![0; 512];
    let sum = |request: &Request<'_>| -> i64 {
        request.params.iter().flat_map(|params| params.elements()).filter_map(|value| value.as_i64()).sum()
    };
    let len = match message {
        Err(rejection) => rejection.answer()?.write(&mut out),
        Ok(Message::Notification(_) | Message::Response(_)) => return None,
        Ok(Message::Request(request)) => match request.method.as_str() {
            "sum" => Response::success(request.id.clone(), &sum(&request)).write(&mut out),
            "subtract" => {
                let params = request.params.expect("params");
                let by_name = |wanted| params.members().find(|(name, _)| *name == wanted).map(|(_, value)| value);
                let operand = |place, name| params.elements().nth(place).or_else(|| by_name(name))?.as_i64();
                let (minuend, subtrahend) = (operand(0, "minuend"), operand(1, "subtrahend"));
                let difference = minuend.expect("a minuend") - subtrahend.expect("a subtrahend");
                Response::success(request.id, &difference).write(&mut out)
            }
            "get_data" => Response::success(request.id, &("hello", 5)).write(&mut out),
            _ => Response::error(request.id, ErrorObject::METHOD_NOT_FOUND).write(&mut out),
        },
        Ok(Message::Batch(batch)) => {
            let mut answers = BatchWriter::new(&mut out);
            for element in batch.elements() {
                if let Some(answer) = serve(element.and_then(Message::try_from)) {
                    let answer = Response::parse(&answer).expect("an answer");
                    answers.push(&answer).expect("room enough");
                }
            }
            let answers = answers.finish();
            return if answers.is_empty() { None } else { Some(answers.to_vec()) };
        }
    };
    out.truncate(len.expect("room enough"));
    Some(out)
}

#[test]
fn rpc_call_batch() {
    let text = concat!(
        "[\n        {\"jsonrpc\": \"2.0\", \"method\": \"sum\", \"params\": [1,2,4], \"id\": \"1\"},\n",
        "        {\"jsonrpc\": \"2.0\", \"method\": \"notify_hello\", \"params\": [7]},\n",
        "        {\"jsonrpc\": \"2.0\", \"method\": \"subtract\", \"params\": [42,23], \"id\": \"2\"},\n",
        "        {\"foo\": \"boo\"},\n",
        "        {\"jsonrpc\": \"2.0\", \"method\": \"foo.get\", \"params\": {\"name\": \"myself\"}, \"id\": \"5\"},\n",
        "        {\"jsonrpc\": \"2.0\", \"method\": \"get_data\", \"id\": \"9\"} \n    ]"
    );
    let Verdict::Batch(elements) = observed(text.as_bytes(), Rules::JsonRpc) else { panic!("no batch: {text}") };
    let request = |id: &str, method: &str, params: Option<&str>| Verdict::Request {
        id: Ident::String(id.to_string()),
        method: method.to_string(),
        params: params.map(str::to_string),
    };
    assert_eq!(
        elements,
        [
            request("1", "sum", Some("[1,2,4]")),
            Verdict::Notification { method: "notify_hello".to_string(), params: Some("[7]".to_string()) },
            request("2", "subtract", Some("[42,23]")),
            Verdict::Refused { id: Ident::Null },
            request("5", "foo.get", Some(r#"{"name": "myself"}"#)),
            request("9", "get_data", None),
        ]
    );
    let expected = concat!(
        r#"[{"jsonrpc": "2.0", "result": 7, "id": "1"},{"jsonrpc": "2.0", "result": 19, "id": "2"},"#,
        r#"{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null},"#,
        r#"{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "5"},"#,
        r#"{"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"}]"#
    );
    let answers = serve(Message::parse(text.as_bytes())).expect("answers");
    assert_eq!(serde_json::from_slice::<Value>(&answers).expect("JSON"), json(expected));
}

#[test]
fn rpc_call_batch_of_notifications_gets_no_answer() {
    let text = concat!(
        "[\n        {\"jsonrpc\": \"2.0\", \"method\": \"notify_sum\", \"params\": [1,2,4]},\n",
        "        {\"jsonrpc\": \"2.0\", \"method\": \"notify_hello\", \"params\": [7]}\n    ]"
    );
    assert_eq!(serve(Message::parse(text.as_bytes())), None);
}

#[derive(Deserialize)]
struct Pair {
    name: String,
    request: String,
    response: String,
}

#[test]
fn every_pair_of_the_corpus_is_answered_word_for_word() {
    let Some(text) = corpus("jsonrpc-spec-section-7.jsonl") else { return };
    let pairs: Vec<Pair> = text.lines().map(|line| serde_json::from_str(line).expect("a pair")).collect();
    assert_eq!(pairs.len(), 15);
    for Pair { name, request, response } in pairs {
        let seen = observed(request.as_bytes(), Rules::JsonRpc);
        assert_eq!(seen, reference(request.as_bytes(), Rules::JsonRpc), "{name}");
        match serve(Message::parse(request.as_bytes())) {
            None => assert_eq!(response, "", "{name}"),
            Some(answer) => {
                assert_eq!(serde_json::from_slice::<Value>(&answer).expect("JSON"), json(&response), "{name}");
                assert!(Message::parse(response.as_bytes()).is_ok(), "{name}");
            }
        }
    }
}
