//! Responses that are matched without a copy.

use nanojsonrpc::client::Answer;
use nanojsonrpc::{Client, Dialect, Envelope, Envelopes, Id, Message, Request, Response, Writer};

/// Ids in every spelling: those of calls, others, and those that only a lenient client takes.
const IDS: [&str; 34] = [
    "1",
    "1",
    "\"2\"",
    "2",
    "3.0",
    "3",
    "9",
    "-1",
    "\"1\"",
    "\"2\"",
    "\"\\u0032\"",
    "\"02\"",
    "\"-0\"",
    "\"+1\"",
    "\" 1\"",
    "\"\"",
    "\"-\"",
    "2.0",
    "2.00",
    "2e0",
    "-0",
    "1.5",
    "1.5",
    "1.50",
    "\"a\"",
    "\"\\u0061\"",
    "\"a\"",
    "\"b\"",
    "\"caf\\u00e9\"",
    "\"café\"",
    "null",
    "\"123456789012345678901\"",
    "18446744073709551616",
    "18446744073709551616",
];

fn client(lenient: bool) -> Client<char, 8> {
    let mut client =
        if lenient { Client::new().with_dialect(Dialect::JSON_RPC.with_any_spelling()) } else { Client::new() };
    let mut buffer = [0; 1024];
    let mut out = Writer::new(&mut buffer);
    for tag in ['x', 'y', 'z'] {
        client.call("m", &(), tag, &mut out).expect("room");
    }
    for (id, tag) in [("\"a\"", 'a'), ("\"caf\\u00e9\"", 'e'), ("1.5", 'd'), ("18446744073709551616", 'w')] {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"m","id":{id}}}"#);
        let request = Request::parse(text.as_bytes()).expect("a request");
        client.request(&request, tag, &mut out).expect("room");
    }
    client
}

#[test]
fn another_spelling_of_an_id_ends_its_call_and_answers_it_only_for_a_lenient_client() {
    let (mut strict, mut lenient, mut misspelled) = (client(false), client(true), 0);
    for id in IDS.iter().chain(&IDS) {
        let text = format!(r#"{{"jsonrpc":"2.0","error":{{"code":-1,"message":"m"}},"id":{id}}}"#);
        let response = Envelope::parse(text.as_bytes()).expect("a response");
        match (strict.accept(&response), lenient.accept(&response)) {
            (Some(Answer::Misspelled(one)), Some(Answer::To(other))) if one == other => misspelled += 1,
            (one, other) => assert_eq!(one, other, "{id}"),
        }
        assert_eq!(response.error_object(), Response::parse(text.as_bytes()).expect("a response").outcome.err());
    }
    assert_eq!((misspelled, strict.len(), lenient.len()), (2, 0, 0));
}

#[test]
fn an_error_object_is_read_in_a_batch_and_in_every_spelling() {
    let objects = [
        r#"{"code":-32601,"message":"no \"m\""}"#,
        r#"{"data":{"code":1,"message":2,"data":3},"message":"","code":0}"#,
        r#" { "other" : [ 1 , {} ] , "c\u006fde" : -0 , "\u006dessage" : "\u00e9" , "data" : null } "#,
    ];
    for object in objects {
        let text = format!(r#"[1, {{"id":7,"error":{object},"jsonrpc":"2.0"}} ]"#);
        let mut messages = Envelopes::new(text.as_bytes(), Dialect::JSON_RPC);
        let envelope = messages.nth(1).expect("an element").expect("a response");
        let mut elements: Vec<Result<Envelope<'_>, _>> = Vec::new();
        if let Ok(Message::Batch(batch)) = Message::parse(text.as_bytes()) {
            elements = batch.elements().collect();
        }
        let Some(Ok(Message::Response(response))) =
            elements.pop().map(|element| element.and_then(Message::<64, 64>::try_from))
        else {
            panic!("{text}")
        };
        let (error, copied) = (envelope.error_object().expect("an error"), response.outcome.expect_err("an error"));
        assert_eq!(error, copied);
        // with the same offset
        assert_eq!(error.data.map(|data| data.offset()), copied.data.map(|data| data.offset()));
        if let Some(data) = error.data {
            assert!(text.get(data.offset()..).is_some_and(|rest| rest.starts_with(data.as_json())));
        }
    }
}

#[test]
fn only_responses_are_matched() {
    let mut client = client(true);
    for text in [r#"{"jsonrpc":"2.0","method":"m","id":1}"#, r#"{"jsonrpc":"2.0","method":"m"}"#, "[1]"] {
        let envelope = Envelope::parse(text.as_bytes()).expect("a message");
        assert_eq!(client.accept(&envelope), None, "{text}");
        assert_eq!(envelope.error_object(), None);
    }
    assert_eq!(client.len(), 7);
}

#[test]
fn an_id_of_any_length_is_matched() {
    let mut client: Client<char, 1, 3> = Client::new();
    client
        .request(&Request::new(Id::try_from("abc").expect("short"), "m"), 'a', &mut Writer::new(&mut [0; 64]))
        .expect("room");
    let text = format!(r#"{{"jsonrpc":"2.0","result":1,"id":"{}"}}"#, "abc".repeat(100));
    let long = Envelope::parse(text.as_bytes()).expect("a response");
    assert_eq!(client.accept(&long), Some(Answer::Unknown));
}
