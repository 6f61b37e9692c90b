//! Messages through the serializers of others, and ids and codes through any deserializer.
#![cfg(feature = "serde")]

use nanojsonrpc::{
    ErrorCode, ErrorKind, ErrorObject, Id, Message, Notification, PayloadError, RawValue, Request, Response, Writer,
    message::{BatchWriter, ToMessage},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Reading<'a> {
    sensor: &'a str,
    values: [i32; 3],
    unit: Option<&'a str>,
}

const READING: Reading<'_> = Reading { sensor: "t\"1\n", values: [1, -2, 3], unit: None };

fn text<M: ToMessage>(message: &M) -> String {
    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    out.message(message).expect("room");
    str::from_utf8(out.written()).expect("UTF-8").to_string()
}

/// Byte for byte the output of `serde_json`.
fn same_text<M: ToMessage + Serialize>(message: &M) -> String {
    let ours = text(message);
    assert_eq!(serde_json::to_string(message).expect("to be written"), ours);
    // inside a value of ours it is the same, too
    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    out.value(message).expect("room");
    assert_eq!(str::from_utf8(out.written()), Ok(&*ours));
    ours
}

#[test]
fn messages_that_are_built_are_the_same_through_serde_json() {
    let id = Id::<64>::try_from("a\"\u{1}é").unwrap();
    assert_eq!(
        same_text(&Request::new(1, "m\n").with_params(&READING)),
        r#"{"jsonrpc":"2.0","method":"m\n","params":{"sensor":"t\"1\n","values":[1,-2,3],"unit":null},"id":1}"#
    );
    assert_eq!(same_text(&Request::new(id.clone(), "m")), r#"{"jsonrpc":"2.0","method":"m","id":"a\"\u0001é"}"#);
    assert_eq!(
        same_text(&Request::new(Id::Null, "m").with_params(&[1])),
        r#"{"jsonrpc":"2.0","method":"m","params":[1],"id":null}"#
    );
    assert_eq!(same_text(&Notification::new("m")), r#"{"jsonrpc":"2.0","method":"m"}"#);
    assert_eq!(
        same_text(&Notification::new("m").with_params(&(1.5, "x"))),
        r#"{"jsonrpc":"2.0","method":"m","params":[1.5,"x"]}"#
    );
    assert_eq!(
        same_text(&Response::success(i64::MIN, &READING)),
        r#"{"jsonrpc":"2.0","result":{"sensor":"t\"1\n","values":[1,-2,3],"unit":null},"id":-9223372036854775808}"#
    );
    assert_eq!(same_text(&Response::success(id, &())), r#"{"jsonrpc":"2.0","result":null,"id":"a\"\u0001é"}"#);
    for error in [
        ErrorObject::PARSE_ERROR,
        ErrorObject::INVALID_REQUEST,
        ErrorObject::METHOD_NOT_FOUND,
        ErrorObject::INVALID_PARAMS,
        ErrorObject::INTERNAL_ERROR,
        ErrorObject::new(i64::MAX, "\\"),
    ] {
        same_text(&Response::error(1, error));
        same_text(&Response::error(Id::Null, error.with_data(&READING)));
    }
    let problem = RawValue::parse(b"[1]").unwrap().read::<[bool; 1]>().expect_err("refused");
    assert_eq!(
        same_text(&Response::error(1, ErrorObject::from(problem))),
        r#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params: unexpected type at byte 1, expected a boolean"},"id":1}"#
    );
}

/// Messages with members in the order in which they are written.
pub(crate) const MESSAGES: &[&str] = &[
    r#"{"jsonrpc":"2.0","method":"m","id":1}"#,
    r#"{"jsonrpc":"2.0","method":"m","params":{"a":[1,-2,3.5,true,null,"x\n"],"b":{}},"id":"id"}"#,
    r#"{"jsonrpc":"2.0","method":"m","params":[],"id":null}"#,
    r#"{"jsonrpc":"2.0","method":"é","params":[{"":[[]]}]}"#,
    r#"{"jsonrpc":"2.0","result":18446744073709551615,"id":1}"#,
    r#"{"jsonrpc":"2.0","result":"\"","id":-9223372036854775808}"#,
    r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"a\tb"},"id":1}"#,
    r#"{"jsonrpc":"2.0","error":{"code":7,"message":"😀","data":{"why":[false]}},"id":null}"#,
    r#"[{"jsonrpc":"2.0","method":"m"},1,{"jsonrpc":"2.0","method":"m","id":2}]"#,
];

#[test]
fn messages_that_were_read_are_the_same_through_serde_json() {
    for text in MESSAGES {
        let message = Message::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(same_text(&message), *text);
    }
}

#[test]
fn what_serde_json_writes_in_other_words_means_the_same() {
    // escapes, white space and numbers are written as serde_json writes them; ours keeps the text
    for text in [
        r#"{"jsonrpc":"2.0","method":"\u006d\/","params":{ "\u0061" : "\u00e9\ud83d\ude00" , "n":[1.0,1e2,-0,0.10] },"id":1.50}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"\u0041\"","data":"\u0041"},"id":1e3}"#,
        r#" [ {"jsonrpc":"2.0","method":"\u006d"} ] "#,
    ] {
        let message = Message::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
        let theirs = serde_json::to_string(&message).expect("to be written");
        let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(value(&theirs), value(text));
        assert_eq!(value(&self::text(&message)), value(text));
    }
}

#[test]
fn a_batch_of_answers_is_what_serde_json_makes_of_the_answers() {
    let answers = [Response::success(1, &READING), Response::success(2, &READING)];
    let mut buffer = [0; 512];
    let mut batch = BatchWriter::new(&mut buffer);
    answers.iter().for_each(|answer| batch.push(answer).expect("room"));
    assert_eq!(serde_json::to_vec(&answers).expect("to be written"), batch.finish());
}

#[test]
fn ids_come_back_through_serde_json_and_through_ours() {
    for text in
        [r#""a""#, r#""""#, r#""\u00e9\n😀""#, "1", "-1", "0", "9223372036854775807", "-9223372036854775808", "null"]
    {
        let ours: Id = RawValue::parse(text.as_bytes()).unwrap().read().expect("an id");
        let theirs: Id = serde_json::from_str(text).expect("an id");
        assert_eq!(
            (&ours, &Id::read(RawValue::parse(text.as_bytes()).unwrap()).unwrap()),
            (&theirs, &theirs),
            "{text}"
        );
        let written = serde_json::to_string(&ours).expect("to be written");
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(serde_json::from_str::<Id>(&written).expect("an id"), ours);
    }
    // other numbers are exact in ours alone
    for text in ["1.50", "1e3", "-0", "18446744073709551616", "9223372036854775808"] {
        let ours: Id = RawValue::parse(text.as_bytes()).unwrap().read().expect("an id");
        assert_eq!(ours.to_string(), text);
        let theirs: Id = serde_json::from_str(text).expect("an id");
        let float: f64 = text.parse().unwrap();
        assert_eq!(theirs.to_string().parse(), Ok(float), "{text}");
    }
    for text in ["true", "[]", "[1,2]", "{}", r#"{"a":1}"#, r#"{"$serde_json::private::Number":"1.5"}"#] {
        let error = RawValue::parse(text.as_bytes()).unwrap().read::<Id>().expect_err("no id");
        assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedType, 0), "{text}");
        assert!(serde_json::from_str::<Id>(text).is_err(), "{text}");
    }
    let message = serde_json::from_str::<Id<4>>("true").expect_err("no id").to_string();
    assert!(message.contains("expected a string of at most 4 bytes, a number or null"), "{message}");
    let long = RawValue::parse(br#"[ "12345"]"#).unwrap();
    let error = long.read::<[Id<4>; 1]>().expect_err("too long");
    assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidLength, 2));
    assert!(serde_json::from_str::<Id<4>>(r#""12345""#).is_err());
    assert_eq!(long.read::<[Id<5>; 1]>().map(|[id]| id.to_string()).as_deref(), Ok("12345"));
}

#[test]
fn ids_stand_in_structs_options_maps_and_untagged_enums() {
    #[derive(Deserialize, Serialize, PartialEq, Debug)]
    struct Cancel {
        id: Id,
        other: Option<Id<8>>,
    }
    let text = r#"{"id":"a","other":7}"#;
    let cancel: Cancel = RawValue::parse(text.as_bytes()).unwrap().read().expect("to fit");
    assert_eq!(cancel, Cancel { id: "a".try_into().unwrap(), other: Some(7.into()) });
    assert_eq!(serde_json::from_str::<Cancel>(text).expect("to fit"), cancel);
    assert_eq!(serde_json::to_string(&cancel).unwrap(), text);
    #[derive(Deserialize, PartialEq, Debug)]
    #[serde(untagged)]
    enum Either {
        Id { id: Id },
        Flag(bool),
    }
    for text in [r#"{"id":"a\n"}"#, r#"{"id":-7}"#, r#"{"id":null}"#, "true"] {
        let ours = RawValue::parse(text.as_bytes()).unwrap().read::<Either>().expect("to fit");
        assert_eq!(ours, serde_json::from_str::<Either>(text).expect("to fit"), "{text}");
    }
}

#[test]
fn codes_are_integers_of_64_bits() {
    for text in ["-32700", "0", "9223372036854775807", "-9223372036854775808"] {
        let ours: ErrorCode = RawValue::parse(text.as_bytes()).unwrap().read().expect("a code");
        assert_eq!(serde_json::from_str::<ErrorCode>(text).expect("a code"), ours);
        assert_eq!((serde_json::to_string(&ours).unwrap(), ours.to_string()), (text.to_string(), text.to_string()));
    }
    for (text, kind) in [
        ("1.0", ErrorKind::UnexpectedType),
        ("\"1\"", ErrorKind::UnexpectedType),
        ("9223372036854775808", ErrorKind::InvalidValue),
    ] {
        assert!(serde_json::from_str::<ErrorCode>(text).is_err(), "{text}");
        let ours = RawValue::parse(text.as_bytes()).unwrap().read::<ErrorCode>();
        assert_eq!(ours.map_err(PayloadError::kind), Err(kind), "{text}");
    }
}

#[test]
fn an_empty_method_is_not_written_by_anybody() {
    assert!(serde_json::to_string(&Request::new(1, "")).is_err());
    assert!(serde_json::to_string(&Notification::new("")).is_err());
}
