//! Any bytes, twice, into a client with calls in flight: no panic, a call is answered at most once and only by a
//! response with its id, and unanswered calls can still be cancelled.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::client::{Answer, Client, Incoming};
use nanojsonrpc::{Dialect, Envelope, Id, Message, Method, RawValue, Refused, Request, Writer};

/// The ids in flight, which are also the tags.
const IN_FLIGHT: [&str; 8] = ["1", "2", "3", "\"a\"", "\"1\"", "1.0", "-7", "\"\\n\""];

/// The ids of calls that are finished, and still known.
const FINISHED: [&str; 3] = ["4", "\"b\"", "0.5"];

/// The capacity of ids.
const CAPACITY: usize = 16;

type Caller = Client<&'static str, 11, CAPACITY>;

fuzz_target!(|text: &[u8]| {
    for dialect in [Dialect::JSON_RPC, Dialect::MCP] {
        check(text, dialect, false);
        check(text, dialect.with_any_spelling(), true);
    }
    check(text, Dialect::LENIENT, true);
});

fn check(text: &[u8], dialect: Dialect, is_lenient: bool) {
    let mut client = Caller::new().with_dialect(dialect);
    call(&mut client);
    let mut left = IN_FLIGHT.to_vec();
    for round in 0..2 {
        let mut messages = messages(text, dialect).into_iter();
        for incoming in client.receive(text) {
            let message = messages.next().unwrap();
            match incoming {
                Incoming::Response(answer, response) => {
                    let ends = matches!(answer, Answer::To(_) | Answer::Misspelled(_));
                    assert!(round == 0 || !ends, "{answer:?} again");
                    is_right(answer, &response.id, &mut left, is_lenient);
                    assert_eq!(message, Ok(Message::Response(response)));
                }
                Incoming::Request(request) => assert_eq!(message, Ok(Message::Request(request))),
                Incoming::Notification(notification) => {
                    assert_eq!(message, Ok(Message::Notification(notification)))
                }
                Incoming::Refused(refused, answer) => {
                    if let Answer::To(number) | Answer::Misspelled(number) = answer {
                        left.retain(|left| *left != number);
                    }
                    assert_eq!(message, Err(refused));
                }
            }
        }
        assert!(messages.next().is_none());
        assert_eq!(client.len(), left.len());
    }
    for (given_up, tag) in client.drain() {
        assert_eq!(*given_up, id(tag));
        left.retain(|left| *left != tag);
    }
    assert!(left.is_empty() && client.is_empty());
}

fn id(text: &str) -> Id<CAPACITY> {
    Id::read(RawValue::parse(text.as_bytes()).unwrap()).unwrap()
}

/// Makes all calls, and finishes some.
fn call(client: &mut Caller) {
    let mut buffer = [0; 1_024];
    let mut out = Writer::new(&mut buffer);
    for tag in IN_FLIGHT.into_iter().chain(FINISHED) {
        match id(tag) {
            Id::Number(number) if number > 0 => assert_eq!(client.call("m", &(), tag, &mut out), Ok(number)),
            id => {
                let method: Method<'_> = "m".into();
                client.request(&Request { id, method, params: None::<RawValue<'_>> }, tag, &mut out).unwrap();
            }
        }
    }
    for tag in FINISHED {
        let response = format!("{{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":{tag}}}");
        let response = Envelope::parse(response.as_bytes()).unwrap();
        assert_eq!(client.accept(&response), Some(Answer::To(tag)));
    }
}

/// The kind of the text, without a client.
fn messages(text: &[u8], dialect: Dialect) -> Vec<Result<Message<'_, CAPACITY>, Refused<'_>>> {
    match Envelope::parse_as(text, dialect).and_then(Message::try_from) {
        Ok(Message::Batch(batch)) => batch.elements().map(|element| element.and_then(Message::try_from)).collect(),
        message => vec![message],
    }
}

fn is_right(answer: Answer<&'static str>, id: &Id<CAPACITY>, left: &mut Vec<&'static str>, is_lenient: bool) {
    let matches = |tag: &&&'static str| self::id(tag) == *id;
    let spelled = spelled(id);
    let is_spelled = |tag: &&&'static str| spelled.as_deref() == Some(**tag);
    let known = || IN_FLIGHT.iter().chain(&FINISHED);
    let exact = known().find(matches);
    let expected = match exact.or(known().find(is_spelled)) {
        _ if id.is_null() => Answer::NullId,
        Some(tag) if left.contains(tag) && (exact.is_some() || is_lenient) => Answer::To(*tag),
        Some(tag) if left.contains(tag) => Answer::Misspelled(*tag),
        Some(_) => Answer::Duplicate,
        None => Answer::Unknown,
    };
    assert_eq!(answer, expected, "{id:?}");
    if let Answer::To(tag) | Answer::Misspelled(tag) = answer {
        left.retain(|left| *left != tag);
    }
}

/// The integer that an id spells without being one.
fn spelled(id: &Id<CAPACITY>) -> Option<String> {
    let text = match id {
        Id::String(text) => text.to_string(),
        Id::Decimal { text, .. } => {
            let (integer, fraction) = text.as_str().split_once('.')?;
            fraction.bytes().all(|digit| digit == b'0').then(|| integer.to_string())?
        }
        Id::Null | Id::Number(_) => return None,
    };
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text).then_some(text)
}
