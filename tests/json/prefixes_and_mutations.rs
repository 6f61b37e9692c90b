//! Where a text stops early, and where one byte of it is another or missing.

use crate::common::{Rules, observed, reference, show};
use nanojsonrpc::{Envelope, Message, RawValue, Request};

/// Valid messages of every kind and shape, each an object or array, so that no strict prefix is one.
const MESSAGES: [&str; 20] = [
    r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#,
    r#"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": "req-3"}"#,
    r#"{"jsonrpc":"2.0","method":"update","params":[1,2,3,4,5]}"#,
    r#"{"jsonrpc":"2.0","method":"foobar"}"#,
    r#"{"jsonrpc":"2.0","result":19,"id":1}"#,
    r#"{"jsonrpc":"2.0","result":null,"id":null}"#,
    r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":"1"}"#,
    r#"{"jsonrpc":"2.0","error":{"code":1,"message":"\u00e9\ud83d\ude00","data":[{"a":[]},"b"]},"id":null}"#,
    r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b","id":2}]"#,
    r#"[1,2,3]"#,
    r#"[[],[{}],null]"#,
    "{\r\n\t\"jsonrpc\" : \"2.0\" ,\r\n\t\"method\" : \"pretty\" ,\r\n\t\"id\" : 7\r\n}",
    r#"{"id":-9223372036854775808,"method":"m\u0065thod","jsonrpc":"2.0"}"#,
    r#"{"id":1.5e-7,"params":[-0,0.0,1E+9,1e999,123456789012345678901234567890],"method":"m","jsonrpc":"2.0"}"#,
    r#"{"jsonrpc":"2.0","method":"m","params":["\"\\\/\b\f\n\r\t\u0000","\uDBFF\uDFFF"],"id":"\u0031"}"#,
    "{\"jsonrpc\":\"2.0\",\"method\":\"m\u{e9}t\u{20ac}\u{1f600}\",\"params\":{\"\u{10ffff}\":\"\u{7ff}\u{800}\"},\"id\":0}",
    r#"{"jsonrpc":"2.0","method":"m","params":[true,false,null,{"a":{"b":{"c":[[[]]]}}}],"id":2}"#,
    r#"{"unknown":{"id":1,"id":2},"jsonrpc":"2.0","method":"m","another":[],"id":1}"#,
    r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"get_weather","arguments":{"location":"New York"}},"id":2}"#,
    r#"{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"72\u00b0F, partly cloudy"}],"isError":false},"id":"x"}"#,
];

#[test]
fn every_strict_prefix_of_a_message_is_incomplete() {
    for message in MESSAGES {
        let text = message.as_bytes();
        assert!(Message::parse(text).is_ok(), "{message}");
        for len in (0..text.len()).step_by(if cfg!(miri) { 31 } else { 1 }) {
            let prefix = &text[..len];
            let error = RawValue::parse(prefix).expect_err("a prefix is no value");
            assert!(error.is_incomplete(), "{error}: {}", show(prefix));
            assert_eq!(error.offset(), len, "{error}: {}", show(prefix));
            for rules in Rules::ALL {
                let rejection = Message::parse_as(prefix, rules.dialect()).expect_err("a prefix is no message");
                assert_eq!((rejection.error, rejection.id.is_none()), (error, true), "{}", show(prefix));
            }
            assert_eq!(Envelope::parse(prefix).expect_err("a prefix is no message").error, error);
            assert_eq!(Request::parse(prefix).expect_err("a prefix is no request").error, error);
        }
    }
}

/// Five short messages, one of each kind.
const SHORT: [&str; 5] = [
    r#"{"jsonrpc":"2.0","method":"m\u0061","params":[1],"id":-1}"#,
    r#"{"jsonrpc":"2.0","method":"m","params":{"\ud83d\ude00":0.5}}"#,
    r#"{"jsonrpc":"2.0","result":"é€😀","id":"a\n"}"#,
    r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"a","data":1e2},"id":null}"#,
    r#"[{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","method":"n","id":10},1]"#,
];

fn agrees(text: &[u8], byte: usize) {
    for rules in Rules::ALL {
        assert_eq!(observed(text, rules), reference(text, rules), "{rules:?}, byte {byte}: {}", show(text));
    }
}

#[test]
fn every_deletion_of_a_byte_gets_the_verdict_of_the_reference() {
    for message in SHORT {
        for byte in (0..message.len()).step_by(if cfg!(miri) { 19 } else { 1 }) {
            let mut text = message.as_bytes().to_vec();
            text.remove(byte);
            agrees(&text, byte);
        }
    }
}

fn every_replacement_agrees(message: &str) {
    let mut text = message.as_bytes().to_vec();
    agrees(&text, 0);
    for byte in (0..text.len()).step_by(if cfg!(miri) { 11 } else { 1 }) {
        let original = text[byte];
        for replacement in (0..=u8::MAX).step_by(if cfg!(miri) { 61 } else { 1 }) {
            text[byte] = replacement;
            agrees(&text, byte);
        }
        text[byte] = original;
    }
}

#[test]
fn every_replacement_of_a_byte_of_a_request_gets_the_verdict_of_the_reference() {
    every_replacement_agrees(SHORT[0]);
}

#[test]
fn every_replacement_of_a_byte_of_a_notification_gets_the_verdict_of_the_reference() {
    every_replacement_agrees(SHORT[1]);
}

#[test]
fn every_replacement_of_a_byte_of_a_success_response_gets_the_verdict_of_the_reference() {
    every_replacement_agrees(SHORT[2]);
}

#[test]
fn every_replacement_of_a_byte_of_an_error_response_gets_the_verdict_of_the_reference() {
    every_replacement_agrees(SHORT[3]);
}

#[test]
fn every_replacement_of_a_byte_of_a_batch_gets_the_verdict_of_the_reference() {
    every_replacement_agrees(SHORT[4]);
}

#[test]
fn every_insertion_of_a_structural_byte_gets_the_verdict_of_the_reference() {
    for message in SHORT {
        for byte in (0..=message.len()).step_by(if cfg!(miri) { 59 } else { 1 }) {
            for inserted in b"{}[]:,\"\\ 0-.eu\x00\x80" {
                let mut text = message.as_bytes().to_vec();
                text.insert(byte, *inserted);
                agrees(&text, byte);
            }
        }
    }
}

#[test]
fn every_member_twice_or_missing_or_moved_gets_the_verdict_of_the_reference() {
    let members = [
        r#""jsonrpc":"2.0""#,
        r#""id":1"#,
        r#""id":null"#,
        r#""method":"m""#,
        r#""params":[]"#,
        r#""result":0"#,
        r#""error":{"code":1,"message":""}"#,
        r#""x":1"#,
        r#""\u0069d":2.5"#,
    ];
    // every sequence of up to four members, as a message and as the element of a batch
    let mut sequences: Vec<Vec<&str>> = vec![vec![]];
    for _ in 0..if cfg!(miri) { 1 } else { 4 } {
        sequences = sequences
            .iter()
            .flat_map(|sequence| members.iter().map(move |member| [sequence.as_slice(), &[*member]].concat()))
            .collect();
        for sequence in &sequences {
            let object = format!("{{{}}}", sequence.join(","));
            agrees(object.as_bytes(), 0);
            let batch = format!("[{object}]");
            let seen = observed(batch.as_bytes(), Rules::JsonRpc);
            assert_eq!(seen, reference(batch.as_bytes(), Rules::JsonRpc), "{batch}");
        }
    }
}

#[test]
fn every_order_of_the_members_of_an_error_object_gets_the_verdict_of_the_reference() {
    let members = [
        r#""code":-1"#,
        r#""code":-0"#,
        r#""c\u006fde":9223372036854775808"#,
        r#""\u0063ode":2"#,
        r#""message":"m""#,
        r#""m\u0065ssage":"n""#,
        r#""message":null"#,
        r#""data":{"code":[1],"message":{}}"#,
        r#""d\u0061ta":null"#,
        r#""error":{"code":1}"#,
    ];
    let mut sequences: Vec<Vec<&str>> = vec![vec![]];
    for _ in 0..if cfg!(miri) { 1 } else { 3 } {
        sequences = sequences
            .iter()
            .flat_map(|sequence| members.iter().map(move |member| [sequence.as_slice(), &[*member]].concat()))
            .collect();
        for sequence in &sequences {
            let response = format!("{{\"jsonrpc\":\"2.0\",\"error\":{{{}}},\"id\":1}}", sequence.join(","));
            agrees(response.as_bytes(), 0);
            agrees(format!("[{response}]").as_bytes(), 0);
        }
    }
}
