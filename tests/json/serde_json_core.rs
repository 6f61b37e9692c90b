//! Together with serde-json-core: messages through its serializer, its errors as ours, its reader on our values; and
//! its faults, each pinned by a test that fails as soon as upstream mends it.
#![cfg(feature = "serde-json-core")]

use std::panic::catch_unwind;

use nanojsonrpc::{
    Error, ErrorCode, ErrorKind, ErrorObject, Id, Message, Notification, PayloadError, RawValue, Request, Response,
    Writer, message::ToMessage,
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Reading<'a> {
    sensor: &'a str,
    values: [i32; 3],
    unit: Option<&'a str>,
}

const READING: Reading<'_> = Reading { sensor: "t\"1\n", values: [1, -2, 3], unit: None };

fn raw(text: &str) -> RawValue<'_> {
    RawValue::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Byte for byte the output of our own writer.
fn same_text<M: ToMessage + Serialize>(message: &M) -> String {
    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    out.message(message).expect("room");
    let ours = str::from_utf8(out.written()).expect("UTF-8");
    let mut buffer = [0; 512];
    let len = serde_json_core::to_slice(message, &mut buffer).expect("room");
    assert_eq!(str::from_utf8(&buffer[..len]), Ok(ours));
    for room in 0..len {
        let full = serde_json_core::to_slice(message, &mut buffer[..room]).expect_err("no room");
        assert_eq!(Error::from(full).kind(), ErrorKind::OutputFull);
    }
    ours.to_string()
}

#[test]
fn messages_that_are_built_are_the_same() {
    let id = Id::<64>::try_from("a\"é").unwrap();
    same_text(&Request::new(1, "m\n").with_params(&READING));
    same_text(&Request::new(id.clone(), "m"));
    same_text(&Request::new(Id::Null, "m").with_params(&[1]));
    same_text(&Notification::new("m"));
    same_text(&Notification::new("m").with_params(&(1.5_f32, "x")));
    same_text(&Response::success(i64::MIN, &READING));
    same_text(&Response::success(id, &()));
    for error in [ErrorObject::PARSE_ERROR, ErrorObject::INTERNAL_ERROR, ErrorObject::new(i64::MAX, "\\")] {
        same_text(&Response::error(1, error));
        same_text(&Response::error(Id::Null, error.with_data(&READING)));
    }
    let problem = raw("[1]").read::<[bool; 1]>().expect_err("refused");
    let text = same_text(&Response::error(1, ErrorObject::from(problem)));
    assert!(text.contains("\"Invalid params: unexpected type at byte 1, expected a boolean\""), "{text}");
}

#[test]
fn messages_that_were_read_are_the_same() {
    for text in [
        r#"{"jsonrpc":"2.0","method":"m","id":1}"#,
        r#"{"jsonrpc":"2.0","method":"m","params":{"a":[1,-2,3.5,true,null,"x\n"],"b":{}},"id":"id"}"#,
        r#"{"jsonrpc":"2.0","method":"é","params":[{"":[[]]}]}"#,
        r#"{"jsonrpc":"2.0","result":18446744073709551615,"id":1}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"a\tb"},"id":1}"#,
        r#"{"jsonrpc":"2.0","error":{"code":7,"message":"😀","data":{"why":[false]}},"id":null}"#,
        r#"[{"jsonrpc":"2.0","method":"m"},1,{"jsonrpc":"2.0","method":"m","id":2}]"#,
    ] {
        assert_eq!(same_text(&Message::parse(text.as_bytes()).expect("a message")), text);
    }
    // a string with an escape goes through its formatter
    let text = r#"{"jsonrpc":"2.0","result":{"\u0061\"":"\ud83d\ude00\n"},"id":1}"#;
    let mut buffer = [0; 128];
    let len = serde_json_core::to_slice(&Message::parse(text.as_bytes()).unwrap(), &mut buffer).expect("room");
    assert_eq!(str::from_utf8(&buffer[..len]), Ok("{\"jsonrpc\":\"2.0\",\"result\":{\"a\\\"\":\"😀\\n\"},\"id\":1}"));
}

#[test]
fn its_reader_reads_our_values() {
    let text = r#"{"jsonrpc":"2.0","method":"m","params": {"sensor":"t1","values":[1,2,3],"unit":null},"id":1}"#;
    let params = Request::parse(text.as_bytes()).unwrap().params.unwrap();
    let expected = Reading { sensor: "t1", values: [1, 2, 3], unit: None };
    assert_eq!(params.read_with_serde_json_core(&mut []), Ok(expected));

    type Owned = (heapless::String<8>, heapless::String<8>);
    let value = raw(r#"["\u00e9\n", "\"a\/" ]"#);
    assert_eq!(
        value.read_with_serde_json_core::<Owned>(&mut [0; 3]),
        Ok(("é\n".try_into().unwrap(), "\"a/".try_into().unwrap()))
    );
    for room in 0..3 {
        let error = value.read_with_serde_json_core::<Owned>(&mut vec![0; room]).expect_err("too short");
        assert_eq!((error.kind(), error.offset()), (ErrorKind::EscapedString, 0), "{room}");
    }
}

#[test]
fn what_does_not_fit_is_refused_where_the_value_begins() {
    let text = r#"{"jsonrpc":"2.0","method":"m","params": ["a",300,[1,2],{"b":1}],"id":1}"#;
    let params = Request::parse(text.as_bytes()).unwrap().params.unwrap();
    macro_rules! refused {
        ($type:ty, $pointer:literal, $kind:ident) => {
            let value = params.pointer($pointer).expect("a value");
            let error = value.read_with_serde_json_core::<$type>(&mut [0; 16]).expect_err("refused");
            assert_eq!((error.kind(), error.offset()), (ErrorKind::$kind, value.offset()), "{value}");
            let object = ErrorObject::from(error);
            assert_eq!(object.code, ErrorCode::INVALID_PARAMS);
            let words =
                format!("Invalid params: {} at byte {}, expected another value", ErrorKind::$kind, value.offset());
            assert_eq!(object.message.to_string(), words);
        };
    }
    refused!(u8, "/0", UnexpectedType);
    refused!(bool, "/0", UnexpectedType);
    refused!(u8, "/1", InvalidValue);
    refused!([u8; 1], "/2", InvalidLength);
    refused!((u8, u8, u8), "/2", Refused);
    refused!(Reading<'_>, "/3", Refused);
    refused!(Reading<'_>, "", UnexpectedType);
    refused!(serde_json::Value, "", Refused);
}

/// A handler that reads and writes with serde-json-core.
fn handle<'b>(request: &Request<'_>, out: &'b mut [u8]) -> Result<&'b [u8], ErrorObject<'static>> {
    let params = request.params.ok_or(ErrorObject::INVALID_PARAMS)?;
    let ((a, b), _) = serde_json_core::from_slice::<(i32, i32)>(params.as_bytes())?;
    let len = serde_json_core::to_slice(&(a - b), out)?;
    Ok(&out[..len])
}

#[test]
fn its_errors_turn_into_answers_in_a_handler() {
    let request = |text| Request::parse(text).expect("a request");
    let fits = request(br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#);
    assert_eq!(handle(&fits, &mut [0; 8]), Ok(&b"19"[..]));
    let full = handle(&fits, &mut [0; 1]).expect_err("no room");
    assert_eq!((full.code, full.message.as_str()), (ErrorCode::INTERNAL_ERROR, Some("output full")));
    let unfit = request(br#"{"jsonrpc":"2.0","method":"subtract","params":["42",23],"id":1}"#);
    let error = handle(&unfit, &mut [0; 8]).expect_err("no integer");
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::INVALID_PARAMS, Some("unexpected type")));
    let missing = request(br#"{"jsonrpc":"2.0","method":"subtract","id":1}"#);
    assert_eq!(handle(&missing, &mut [0; 8]), Err(ErrorObject::INVALID_PARAMS));
}

#[test]
fn each_of_its_errors_has_a_kind() {
    use serde_json_core::de::Error::*;
    for (error, kind) in [
        (InvalidType, ErrorKind::UnexpectedType),
        (KeyMustBeAString, ErrorKind::UnexpectedType),
        (ExpectedSomeIdent, ErrorKind::UnexpectedType),
        (ExpectedSomeValue, ErrorKind::UnexpectedType),
        (InvalidNumber, ErrorKind::InvalidValue),
        (InvalidUnicodeCodePoint, ErrorKind::InvalidValue),
        (InvalidEscapeSequence, ErrorKind::InvalidValue),
        (EscapedStringIsTooLong, ErrorKind::EscapedString),
        (TrailingCharacters, ErrorKind::InvalidLength),
        (TrailingComma, ErrorKind::InvalidLength),
        (AnyIsUnsupported, ErrorKind::Refused),
        (BytesIsUnsupported, ErrorKind::Refused),
        (EofWhileParsingValue, ErrorKind::Refused),
        (CustomError, ErrorKind::Refused),
    ] {
        assert_eq!(Error::from(error).kind(), kind, "{error:?}");
        assert_eq!(PayloadError::from(error).kind(), kind, "{error:?}");
        let code = if kind == ErrorKind::EscapedString { ErrorCode::INTERNAL_ERROR } else { ErrorCode::INVALID_PARAMS };
        assert_eq!(ErrorObject::from(error).code, code, "{error:?}");
    }
    assert_eq!(Error::from(serde_json_core::ser::Error::BufferFull).kind(), ErrorKind::OutputFull);
    assert_eq!(ErrorObject::from(serde_json_core::ser::Error::BufferFull).code, ErrorCode::INTERNAL_ERROR);
}

#[test]
fn fault_it_refuses_every_surrogate_pair() {
    let value = raw(r#""\ud83d\ude00""#);
    let theirs = value.read_with_serde_json_core::<heapless::String<8>>(&mut [0; 16]);
    assert_eq!(theirs.map_err(PayloadError::kind), Err(ErrorKind::InvalidValue));
    assert_eq!(value.read::<heapless::String<8>>().as_deref(), Ok("😀"));
}

#[test]
fn fault_it_hands_out_undecoded_text_unless_it_is_given_a_buffer() {
    let text = r#""a\nb""#;
    assert_eq!(serde_json_core::from_str::<&str>(text), Ok((r"a\nb", 6)));
    assert_eq!(serde_json_core::from_str::<heapless::String<8>>(text).map(|(text, _)| text).as_deref(), Ok(r"a\nb"));
    // ours always decode
    assert_eq!(raw(text).read::<heapless::String<8>>().as_deref(), Ok("a\nb"));
    let empty = raw(text).read_with_serde_json_core::<heapless::String<8>>(&mut []);
    assert_eq!(empty.map_err(PayloadError::kind), Err(ErrorKind::EscapedString));
}

#[test]
fn fault_it_panics_where_a_character_or_a_tuple_variant_is_written() {
    #[derive(Serialize)]
    enum Shape {
        Rectangle(u8, u8),
    }
    fn panics<T: Serialize + std::panic::RefUnwindSafe>(value: &T) -> bool {
        catch_unwind(|| serde_json_core::to_slice(value, &mut [0; 64]).is_ok()).is_err()
    }
    assert!(panics(&'a'));
    assert!(panics(&Shape::Rectangle(1, 2)));
    let ours = |value: &dyn Fn(&mut Writer<'_>) -> Result<(), Error>| {
        let mut buffer = [0; 64];
        let mut out = Writer::new(&mut buffer);
        value(&mut out).expect("room");
        String::from_utf8(out.written().to_vec()).expect("UTF-8")
    };
    assert_eq!(ours(&|out| out.value(&'a')), r#""a""#);
    assert_eq!(ours(&|out| out.value(&Shape::Rectangle(1, 2))), r#"{"Rectangle":[1,2]}"#);
}

#[test]
fn fault_it_panics_where_the_key_of_a_map_is_a_number() {
    use std::collections::BTreeMap;
    let read = || serde_json_core::from_str::<BTreeMap<bool, u8>>(r#"{"true":1}"#).is_ok();
    assert!(catch_unwind(read).is_err());
    assert_eq!(raw(r#"{"true":1}"#).read::<BTreeMap<bool, u8>>(), Ok(BTreeMap::from([(true, 1)])));
}

#[test]
fn fault_it_recurses_where_it_skips() {
    #[derive(Deserialize, PartialEq, Debug)]
    struct Known {
        a: u8,
    }
    // A deep text would end the process. Our pass limits the depth, and the rest is read.
    let depth = nanojsonrpc::MAX_DEPTH - 1;
    let text = format!(r#"{{"skipped":{}{},"a":1}}"#, "[".repeat(depth), "]".repeat(depth));
    assert_eq!(raw(&text).read::<Known>(), Ok(Known { a: 1 }));
    assert_eq!(raw(&text).read_with_serde_json_core::<Known>(&mut []), Ok(Known { a: 1 }));
    let (shallow, deep) = (stack_while_skipping(16), stack_while_skipping(48));
    assert!(deep > shallow + 32 * 16, "it skips without recursion now: {shallow}, {deep}");
}

/// How many bytes of stack lie between here and the deepest call that skips.
fn stack_while_skipping(depth: usize) -> usize {
    use std::cell::Cell;
    use std::fmt;
    use std::hint::black_box;

    use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, SeqAccess, Visitor};

    thread_local!(static DEEPEST: Cell<usize> = const { Cell::new(usize::MAX) });

    /// `IgnoredAny` that measures the stack.
    struct Ignored;

    impl<'de> DeserializeSeed<'de> for Ignored {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_ignored_any(self)
        }
    }

    impl<'de> Visitor<'de> for Ignored {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            IgnoredAny.expecting(f)
        }

        fn visit_unit<E>(self) -> Result<(), E> {
            let here = black_box(0_u8);
            DEEPEST.set(DEEPEST.get().min((&raw const here).addr()));
            Ok(())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
            while elements.next_element_seed(Ignored)?.is_some() {}
            Ok(())
        }
    }

    let text = format!("{}null{}", "[".repeat(depth), "]".repeat(depth));
    let start = black_box(0_u8);
    DEEPEST.set(usize::MAX);
    let mut reader = serde_json_core::de::Deserializer::new(text.as_bytes(), None);
    Ignored.deserialize(&mut reader).expect("to be skipped");
    (&raw const start).addr().wrapping_sub(DEEPEST.get())
}
