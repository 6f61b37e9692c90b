//! Every call is answered exactly once, for any input and any length of output.
#![cfg(feature = "serde")]

use std::collections::BTreeMap;

use nanojsonrpc::server::{Exchange, Replied, Reply};
use nanojsonrpc::{
    Dialect, EnvelopeKind, ErrorCode, ErrorKind, ErrorObject, Notification, Params, RawValue, Router, Server,
};
use proptest::prelude::*;
use serde_json::Value;

/// An element of a batch.
#[derive(Clone, Debug)]
enum Element {
    /// Answered with so many bytes.
    Call(usize),
    /// Given no reply.
    Unanswered,
    Notification,
    Response,
    Broken,
}

fn element() -> impl Strategy<Value = Element> {
    prop_oneof![
        4 => (0usize..200).prop_map(Element::Call),
        1 => Just(Element::Unanswered),
        1 => Just(Element::Notification),
        1 => Just(Element::Response),
        1 => Just(Element::Broken),
    ]
}

fn text_of(elements: &[Element], is_batch: bool) -> String {
    let one = |(id, element): (usize, &Element)| match element {
        Element::Call(len) => format!(r#"{{"jsonrpc":"2.0","method":"m","params":[{len}],"id":{id}}}"#),
        Element::Unanswered => format!(r#"{{"jsonrpc":"2.0","method":"none","id":{id}}}"#),
        Element::Notification => r#"{"jsonrpc":"2.0","method":"m","params":[1]}"#.into(),
        Element::Response => format!(r#"{{"jsonrpc":"2.0","result":1,"id":{id}}}"#),
        Element::Broken => format!(r#"{{"jsonrpc":"2.0","method":1,"id":{id}}}"#),
    };
    let texts: Vec<String> = elements.iter().enumerate().map(one).collect();
    if is_batch { format!("[{}]", texts.join(",")) } else { texts[0].clone() }
}

/// The answers by id, and whether a batch was refused whole.
fn exchange(text: &str, room: usize) -> (BTreeMap<u64, Value>, Option<Value>, usize) {
    let mut output = vec![0; room];
    let mut exchange = Exchange::new(text.as_bytes(), &mut output, Dialect::JSON_RPC);
    let mut handed_out = 0;
    while let Some(message) = exchange.next_message() {
        handed_out += 1;
        if message.kind() == EnvelopeKind::Request && message.method() == "m" {
            let len = message.params().unwrap().element(0).unwrap().to_integer().unwrap();
            exchange.reply().success(&"x".repeat(len));
            // a second reply leads nowhere
            exchange.reply().error(ErrorObject::INTERNAL_ERROR);
        } else if message.kind() != EnvelopeKind::Request {
            exchange.reply().success(&"nobody asked");
        }
    }
    let Some(answer) = exchange.finish().answer() else { return (BTreeMap::new(), None, handed_out) };
    match serde_json::from_slice(answer).unwrap() {
        Value::Array(answers) => {
            let len = answers.len();
            let by_id: BTreeMap<u64, Value> = answers.into_iter().map(|a| (a["id"].as_u64().unwrap(), a)).collect();
            assert_eq!(by_id.len(), len, "an id was answered twice: {text}");
            (by_id, None, handed_out)
        }
        one => match one["id"].as_u64() {
            Some(id) => (BTreeMap::from([(id, one)]), None, handed_out),
            None => (BTreeMap::new(), Some(one), handed_out),
        },
    }
}

proptest! {
    #[test]
    fn every_call_of_a_batch_is_answered_once_or_none_is_handed_out(
        elements in prop::collection::vec(element(), 1..12),
        room in 0usize..2000,
    ) {
        let text = text_of(&elements, true);
        let (answers, refused, handed_out) = exchange(&text, room);
        let asked: Vec<u64> = elements
            .iter()
            .enumerate()
            .filter(|(_, e)| matches!(e, Element::Call(_) | Element::Unanswered | Element::Broken))
            .map(|(id, _)| id as u64)
            .collect();
        let shortest: usize = asked.iter().map(|id| 78 + id.to_string().len()).sum::<usize>();
        if answers.is_empty() && !asked.is_empty() {
            prop_assert_eq!(handed_out, 0);
            prop_assert!(room <= shortest, "{} bytes are enough for {}", room, text);
            if room >= 100 {
                prop_assert_eq!(&refused.unwrap()["error"]["message"], "batch too long");
            }
        } else {
            prop_assert_eq!(answers.keys().copied().collect::<Vec<_>>(), asked, "{}", text);
            for (id, answer) in &answers {
                match &elements[usize::try_from(*id).unwrap()] {
                    Element::Call(len) => {
                        let is_whole = answer["result"].as_str().is_some_and(|text| text.len() == *len);
                        prop_assert!(is_whole || answer["error"]["code"] == -32603);
                        prop_assert!(is_whole || room < 2000);
                    }
                    Element::Unanswered => prop_assert_eq!(&answer["error"]["code"], -32603),
                    _ => prop_assert_eq!(&answer["error"]["code"], -32600),
                }
            }
        }
    }

    #[test]
    fn a_single_message_is_answered_if_it_is_a_call(element in element(), room in 80usize..400) {
        let (answers, refused, _) = exchange(&text_of(core::slice::from_ref(&element), false), room);
        prop_assert_eq!(refused, None);
        let is_asked = matches!(element, Element::Call(_) | Element::Unanswered | Element::Broken);
        prop_assert_eq!(answers.len(), usize::from(is_asked));
    }
}

#[test]
fn what_was_not_handed_out_is_answered_when_the_exchange_ends() {
    let text = r#"[{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"b","id":2},3]"#;
    let mut output = [0; 512];
    let mut exchange = Exchange::new(text.as_bytes(), &mut output, Dialect::JSON_RPC);
    assert!(exchange.next_message().is_some_and(|first| first.method() == "a"));
    exchange.reply().success(&1);
    let answers: Value = serde_json::from_slice(exchange.finish().answer().unwrap()).unwrap();
    assert_eq!(answers[0]["result"], 1);
    assert_eq!(answers[1]["error"]["code"], -32603);
    assert_eq!(answers[2]["error"]["code"], -32600);
    // the answer is returned once
    assert!(exchange.next_message().is_none());
    assert_eq!(exchange.finish().answer(), None);
}

#[test]
fn a_reply_that_is_dropped_does_not_lose_the_call() {
    let text = br#"{"jsonrpc":"2.0","method":"m","id":1}"#;
    let mut output = [0; 128];
    let mut exchange = Exchange::new(text, &mut output, Dialect::JSON_RPC);
    assert!(exchange.next_message().is_some());
    _ = exchange.reply();
    let expected = br#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#;
    assert_eq!(
        exchange.finish().answer().map(<[u8]>::escape_ascii).unwrap().to_string(),
        expected.escape_ascii().to_string()
    );

    let mut exchange = Exchange::new(text, &mut output, Dialect::JSON_RPC);
    assert!(exchange.next_message().is_some());
    _ = exchange.reply();
    // it has got no reply yet
    exchange.reply().success(&7);
    exchange.reply().success(&8);
    assert_eq!(exchange.finish().answer(), Some(&br#"{"jsonrpc":"2.0","result":7,"id":1}"#[..]));
}

/// The answer in this room if `ignore_unreadable` is set before each message by `settings`.
fn with_settings(text: &str, room: usize, settings: &[bool]) -> Option<Vec<u8>> {
    let mut output = vec![0; room];
    let mut exchange = Exchange::new(text.as_bytes(), &mut output, Dialect::JSON_RPC);
    let mut settings = settings.iter();
    loop {
        if let Some(setting) = settings.next() {
            exchange.ignore_unreadable(*setting);
        }
        let Some(message) = exchange.next_message() else { break };
        if message.kind() == EnvelopeKind::Request {
            exchange.reply().success(&"a result that does not fit each room");
        }
    }
    exchange.finish().answer().map(<[u8]>::to_vec)
}

#[test]
fn a_batch_keeps_the_rule_for_unreadable_elements_that_it_began_with() {
    let call = |id: u32| format!(r#"{{"jsonrpc":"2.0","method":"m","id":{id}}}"#);
    for text in [
        format!("[{},1,{}]", call(1), call(2)),
        format!("[1,{},{{}},{},[]]", call(1), call(2)),
        format!("[{},{},1,2,3]", call(1), call(2)),
    ] {
        for first in [false, true] {
            for room in 0..500 {
                let expected = with_settings(&text, room, &[first]);
                for later in 0..8 {
                    let settings = [first, later & 1 != 0, later & 2 != 0, later & 4 != 0];
                    assert_eq!(with_settings(&text, room, &settings), expected, "{text} in {room}: {settings:?}");
                }
            }
        }
    }
}

#[test]
fn a_batch_of_any_length_is_answered_the_same_with_and_without_a_server() {
    const ELEMENTS: [&str; 7] = [
        r#"{"jsonrpc":"2.0","method":"echo","params":["#,
        r#"{"jsonrpc":"2.0","method":"echo","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"?","id":"\u0061"}"#,
        r#"{"jsonrpc":"2.0","result":1}"#,
        r#"{"jsonrpc":"1.0","method":"echo","id":7}"#,
        "1",
        "[]",
    ];
    for len in [1, 2, 63, 64, 65, 66, 130, 200] {
        let element = |at: usize| match at * at % 11 % 7 {
            0 => format!("{}{at}],\"id\":{at}}}", ELEMENTS[0]),
            other => ELEMENTS[other].to_string(),
        };
        let text = format!("[{}]", (0..len).map(element).collect::<Vec<_>>().join(" , "));
        for room in [0, 60, 90, 3_000, 60 * len, 90 * len, 40_000] {
            for is_silent in [false, true] {
                let (mut by_server, mut by_hand) = (vec![0; room], vec![0; room]);
                let echo = |_: &mut (), params: Params<'_>, reply: Reply<'_>| reply.success(&params);
                let mut server = Server::new(Router::new().request("echo", echo));
                if is_silent {
                    server = server.ignoring_unreadable();
                }
                let mut exchange = Exchange::new(text.as_bytes(), &mut by_hand, Dialect::JSON_RPC);
                exchange.ignore_unreadable(is_silent);
                while let Some(message) = exchange.next_message() {
                    if message.method() == "echo" {
                        exchange.reply().success(&Params::from(message.params()));
                    } else {
                        exchange.reply().error(ErrorObject::METHOD_NOT_FOUND);
                    }
                }
                let by_server = server.process(&mut (), text.as_bytes(), &mut by_server).answer();
                assert_eq!(by_server, exchange.finish().answer(), "{len} elements, {room} bytes, {is_silent}");
            }
        }
    }
}

#[test]
fn a_message_that_is_no_call_gets_no_reply() {
    let text = br#"{"jsonrpc":"2.0","method":"m","params":[[1]]}"#;
    let params = RawValue::parse(b"[[1]]").unwrap();
    let replies: [fn(Reply<'_>, RawValue<'_>) -> Replied; 5] = [
        |reply, _| reply.success(&1),
        |reply, _| reply.error(ErrorObject::INTERNAL_ERROR),
        |reply, _| reply.failure(&(ErrorCode(1), ("no", 1))),
        |reply, params| reply.refuse(&Some(params).into(), params.read::<[[bool; 1]; 1]>().unwrap_err()),
        |reply, _| reply.instead(&Notification::new("n")),
    ];
    for (place, reply) in replies.into_iter().enumerate() {
        let mut output = [0; 256];
        let mut exchange = Exchange::new(text, &mut output, Dialect::JSON_RPC);
        assert!(exchange.next_message().is_some());
        assert!(!reply(exchange.reply(), params).is_whole(), "{place}");
        assert_eq!(exchange.finish().answer(), None, "{place}");
    }
}

#[test]
fn a_message_ahead_of_the_reply_that_does_not_fit_leaves_no_trace() {
    let text = br#"{"jsonrpc":"2.0","method":"m","id":1}"#;
    let mut output = [0; 96];
    let mut exchange = Exchange::new(text, &mut output, Dialect::JSON_RPC);
    assert!(exchange.next_message().is_some());
    let (mut reply, long) = (exchange.reply(), ["x".repeat(96)]);
    let refused = reply.ahead(&Notification::new("n").with_params(&long)).map_err(|error| error.kind());
    assert_eq!(refused, Err(ErrorKind::OutputFull));
    assert!(reply.success(&1).is_whole());
    assert_eq!(exchange.finish().answer(), Some(&br#"{"jsonrpc":"2.0","result":1,"id":1}"#[..]));
}
