//! Payloads whose types a peer chooses.

use nanojsonrpc::RawValue;
use serde::Deserialize;

use crate::each;

type Notify<'a> = (&'a str, &'a str, &'a str, &'a str, Vec<&'a str>, &'a str, &'a str, &'a str, bool);

#[derive(Deserialize, PartialEq, Debug)]
struct Data {
    up: bool,
}

/// A status code, then data if the code is 0, as ubus answers.
#[derive(Deserialize, PartialEq, Debug)]
#[serde(untagged)]
enum Answer {
    Data(u32, Data),
    Code((u32,)),
}

fn value(text: &[u8]) -> RawValue<'_> {
    RawValue::parse(text).expect("JSON")
}

type Check = fn(&[u8]);

const PAYLOADS: [(u64, Check); 2] = [(13, wrong_element), (80, absent_element)];

#[test]
fn each_payload_is_read_whole_or_refused_at_its_first_fault() {
    each("serde-payload", &PAYLOADS, |_, text, check| check(text));
}

fn wrong_element(text: &[u8]) {
    let error = value(text).read::<Notify<'_>>().expect_err("a number for a string");
    assert_eq!((error.offset(), error.expected()), (6, "a string"));
}

fn absent_element(text: &[u8]) {
    // as serde_json refuses it
    let error = value(text).read::<(u32, Option<Data>)>().expect_err("one element for two");
    assert_eq!(error.to_string(), "invalid length at byte 0, expected an array");
    assert!(serde_json::from_slice::<(u32, Option<Data>)>(text).is_err());
    assert_eq!(value(text).element(0).and_then(RawValue::as_i64), Some(2));
    assert_eq!(value(text).read::<Answer>(), Ok(Answer::Code((2,))));
    let whole = value(br#"[0,{"up":true}]"#);
    assert_eq!(whole.read::<(u32, Data)>(), Ok((0, Data { up: true })));
    assert_eq!(whole.read::<Answer>(), Ok(Answer::Data(0, Data { up: true })));
}
