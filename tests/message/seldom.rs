//! Rarely used parts: conversions, rare types of keys and values, messages handed on.
#![cfg(feature = "serde")]

use std::collections::BTreeMap;
use std::fmt;

use nanojsonrpc::memory::Plan;
use nanojsonrpc::{
    Dialect, Envelope, Error, ErrorCode, ErrorKind, ErrorObject, Id, Message, Notification, Params, RawStr, RawValue,
    Request, Response, Router, Server, Writer,
    json::{DeError, Deserializer},
    message::{ServerMessage, Str},
};
use serde::Deserialize;
use serde::de::Visitor;

fn raw(text: &str) -> RawValue<'_> {
    RawValue::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_refusal_becomes_an_answer_with_its_id_or_an_error() {
    for (text, id) in [
        (r#"{"jsonrpc":"2.0","method":1,"id":"a"}"#, Id::try_from("a").unwrap()),
        (r#"{"jsonrpc":"2.0","method":1}"#, Id::Null),
        (r#"{"jsonrpc":"2.0","method":1,"id":{}}"#, Id::Null),
    ] {
        let refused = Envelope::parse(text.as_bytes()).expect_err(text);
        assert_eq!(
            (refused.to_string(), refused.code()),
            ("invalid method at byte 26".to_string(), ErrorCode::INVALID_REQUEST)
        );
        assert_eq!(refused.answer().map(|answer| answer.id), Some(id), "{text}");
        assert_eq!(Error::from(refused), refused.error, "{text}");
    }
}

#[test]
fn an_envelope_becomes_a_response_if_it_is_one() {
    let response = |text: &'static str| Response::<2>::try_from(Envelope::parse(text.as_bytes()).expect(text));
    let success = response(r#"{"jsonrpc":"2.0","result":[1],"id":"ab"}"#).expect("a response");
    assert_eq!((success.id.as_str(), success.outcome.map(RawValue::as_json)), (Some("ab"), Ok("[1]")));
    let error =
        response(r#"{"jsonrpc":"2.0","error":{"code":7,"message":"m","data":0},"id":null}"#).expect("a response");
    let object = error.outcome.expect_err("an error");
    assert_eq!((error.id, object.code.0, object.data.map(RawValue::as_json)), (Id::Null, 7, Some("0")));
    assert!(object.message == "m");
    for (text, kind, is_answerable) in [
        (r#"{"jsonrpc":"2.0","result":[1],"id":"abc"}"#, ErrorKind::IdTooLong, false),
        (r#"{"jsonrpc":"2.0","method":"m"}"#, ErrorKind::UnexpectedMessage, false),
        (r#"{"jsonrpc":"2.0","method":"m","id":1}"#, ErrorKind::UnexpectedMessage, true),
        (r#"[{"jsonrpc":"2.0","method":"m","id":1}]"#, ErrorKind::UnexpectedMessage, true),
    ] {
        let refused = response(text).expect_err(text);
        assert_eq!((refused.kind(), refused.is_answerable()), (kind, is_answerable), "{text}");
    }
}

#[test]
fn a_refused_element_has_its_own_members() {
    let text = br#" [ {"id":1,"x":0} ,{"jsonrpc":"2.0","method":"m","id":2}
        ,{"jsonrpc":"2.0","result":0,"id":"three"}, {"id":4},[ {"id":5} ],6, {"id":true}]"#;
    let batch = Envelope::parse(text).unwrap().batch().unwrap();
    let ids = batch.elements().map(|element| {
        // refused for its fault, for its kind, for the length of its id
        let refused = element.and_then(Response::<2>::try_from).expect_err("no response");
        let id = refused.get("id")?;
        assert_eq!(text.get(id.offset()..).map(|rest| rest.starts_with(id.as_bytes())), Some(true), "{id}");
        Some(id.to_string())
    });
    let ids: Vec<_> = ids.map(Option::unwrap_or_default).collect();
    assert_eq!(ids, ["1", "2", r#""three""#, "4", "5", "", "true"]);
}

#[test]
fn a_batch_that_is_refused_as_a_whole_has_the_members_of_its_first_element() {
    for text in [r#"[{"id":1},{"id":2}]"#, r#" [ {"id":1},{"id":2},"#, r#"[{"id":1},{"id":2}]]"#] {
        for dialect in [Dialect::MCP, Dialect::JSON_RPC.with_max_batch(1)] {
            let refused = Envelope::parse_as(text.as_bytes(), dialect).expect_err(text);
            assert_eq!(refused.get("id").and_then(RawValue::as_i64), Some(1), "{text}: {refused}");
        }
    }
}

#[test]
fn the_elements_of_a_batch_are_its_text_without_the_space_around_it() {
    let batch = b" \t[ 1,{} ]\r\n";
    let elements = Envelope::parse(batch).expect("a batch").batch().expect("elements").raw();
    assert_eq!((elements.as_json(), elements.offset()), ("[ 1,{} ]", 2));
    assert_eq!(Envelope::parse(br#"{"jsonrpc":"2.0","method":"m"}"#).expect("no batch").batch(), None);
}

#[test]
fn what_a_server_sends_is_read_by_the_usual_rules_unless_told_otherwise() {
    let response = br#"{"jsonrpc":"2.0","result":1,"id":1.5}"#;
    assert!(matches!(
        Envelope::parse(response).and_then(ServerMessage::<64, 64>::try_from),
        Ok(ServerMessage::Response(_))
    ));
    let rejection =
        Envelope::parse_as(response, Dialect::MCP).and_then(ServerMessage::<64, 64>::try_from).expect_err("no integer");
    assert_eq!(rejection.kind(), ErrorKind::InvalidId);
}

#[test]
fn every_error_has_the_code_and_the_words_of_its_kind() {
    let errors: [(Error, i64, &str); 5] = [
        (RawValue::parse(b"[").expect_err("half"), -32700, "Parse error"),
        (Envelope::parse(b"1").expect_err("a number").error, -32600, "Invalid Request"),
        (
            Envelope::parse(br#"{"jsonrpc":"2.0","method":"m","id":"ab"}"#)
                .and_then(Request::<1>::try_from)
                .map(|_| ())
                .expect_err("long")
                .error,
            -32600,
            "id too long",
        ),
        (raw("[1]").read::<bool>().expect_err("an array").error(), -32602, "unexpected type"),
        (Request::new(1, "m").write(&mut [0; 4]).expect_err("short"), -32603, "output full"),
    ];
    for (error, code, words) in errors {
        let object = ErrorObject::from(error);
        assert_eq!((error.code().0, object.code.0, object.message.as_str()), (code, code, Some(words)), "{error}");
    }
    let problem = raw("[1]").read::<bool>().expect_err("an array");
    assert_eq!(Error::from(problem), problem.error());
    assert_eq!((problem.kind(), problem.offset()), (problem.error().kind(), problem.error().offset()));
}

#[test]
fn an_integer_of_any_length_is_the_same_id_wherever_it_stands() {
    let mut numbers: Vec<String> =
        (1..=20).flat_map(|len| [1, 4, 9].map(|digit| digit.to_string().repeat(len))).collect();
    numbers.extend((1..=19).map(|len| format!("1{}", "0".repeat(len - 1))));
    numbers.extend((1..=8).flat_map(|at| {
        [format!("{}.5", "7".repeat(at)), format!("{}e1", "3".repeat(at)), format!("-{}", "6".repeat(at))]
    }));
    numbers.extend(["0", "-0", "12345678", "87654321", "1.0", "9e0", "0.1"].map(String::from));
    for number in numbers {
        let expected = number.parse::<i64>().ok().filter(|_| number != "-0");
        for text in [
            format!(r#"{{"jsonrpc":"2.0","method":"m","id":{number}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"m"}}"#),
            format!(r#"{{"id":{number},"jsonrpc":"2.0","method":"m"}}"#),
        ] {
            let assert_same = |message: Result<Message<'_>, _>| {
                let Ok(Message::Request(request)) = message else { panic!("{text}") };
                assert_eq!(request.id.as_i64(), expected, "{text}");
                assert_eq!(request.id.to_string(), number, "{text}");
            };
            assert_same(Message::parse(text.as_bytes()));
            let batch = format!("[{text},{text}]");
            let Ok(Message::Batch(batch)) = Message::parse(batch.as_bytes()) else { panic!("{text}") };
            batch.elements().for_each(|element| assert_same(element.and_then(Message::try_from)));
        }
    }
}

#[test]
fn ids_of_every_kind_are_told_apart() {
    let ids: [Id; 5] = [
        Id::Null,
        7.into(),
        Id::read(raw("7.0")).expect("a number"),
        Id::from(heapless::String::try_from("7").expect("room")),
        Id::from(heapless::String::new()),
    ];
    for (place, id) in ids.iter().enumerate() {
        for (other_place, other) in ids.iter().enumerate() {
            assert_eq!(id == other, place == other_place, "{id:?}, {other:?}");
        }
        assert_eq!(id.as_str(), [None, None, None, Some("7"), Some("")][place]);
        assert_eq!(id.as_i64(), (place == 1).then_some(7));
    }
}

#[test]
fn an_id_that_no_text_can_hold_is_refused_by_other_readers() {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, F64Deserializer};

    let read = |number: f64| {
        let deserializer: F64Deserializer<Error> = number.into_deserializer();
        Id::<64>::deserialize(deserializer)
    };
    assert_eq!(read(1.5).expect("finite"), Id::read(raw("1.5")).expect("a number"));
    assert!(read(f64::NAN).is_err() && read(f64::INFINITY).is_err());
}

#[test]
fn texts_are_equal_if_they_are_spelt_equal_wherever_they_come_from() {
    let problem = |text: &str| Str::Payload(raw(text).read::<bool>().expect_err("no boolean"));
    let came =
        raw(r#""Inv\u0061lid params: unexpected type at byte 0, expected a boolean""#).as_str_raw().expect("a string");
    let shown = problem("[1]").to_string();
    assert_eq!(shown, came.to_string());
    assert!(problem("[1]") == problem("[2]") && problem("[1]") != problem(" [1]"));
    assert!(Str::Raw(came) == problem("[1]") && problem("[1]") == Str::Raw(came));
    assert!(problem("[1]") == *shown.as_str() && problem("[1]") != *"Invalid params");
    assert_eq!(problem("[1]").as_str(), None);
}

#[test]
fn a_fault_shows_its_kind_where_there_is_no_place() {
    let fault = <DeError as serde::de::Error>::missing_field("name");
    assert_eq!((fault.to_string().as_str(), format!("{fault:?}").as_str()), ("missing member", "MissingField"));
    // the deserializer knows more
    let mut deserializer = Deserializer::new(raw("[1]"));
    let fault = bool::deserialize(&mut deserializer).expect_err("an array");
    assert_eq!(
        (fault.to_string().as_str(), deserializer.explain(fault).kind()),
        ("refused", ErrorKind::UnexpectedType)
    );
    assert_eq!(raw("[1, 2]").to_string(), "[1, 2]");
}

#[derive(Deserialize, Debug, PartialEq)]
enum Shape {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
    Struct { a: u8 },
}

#[test]
fn a_variant_that_holds_something_is_no_mere_name() {
    assert_eq!(raw(r#""Unit""#).read(), Ok(Shape::Unit));
    assert_eq!(raw(r#"{"Struct":{"a":1}}"#).read(), Ok(Shape::Struct { a: 1 }));
    assert_eq!(raw(r#"{"Tuple":[1,2]}"#).read(), Ok(Shape::Tuple(1, 2)));
    assert_eq!(raw(r#"{"Newtype":1}"#).read(), Ok(Shape::Newtype(1)));
    for text in [r#""Newtype""#, r#""Tuple""#, r#""Struct""#] {
        let problem = raw(text).read::<Shape>().expect_err(text);
        assert!(serde_json::from_str::<Shape>(text).is_err(), "{text}");
        assert_eq!(problem.offset(), 0, "{problem}: {text}");
    }
}

/// Raw bytes.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Taken;
        impl Visitor<'_> for Taken {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes to take")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_byte_buf(Taken)
    }
}

#[test]
fn keys_of_every_type_are_read() {
    let bytes = raw(r#"{"ab":1,"c\n":2}"#).read::<BTreeMap<Bytes, u8>>().expect("bytes");
    assert_eq!(bytes.into_iter().collect::<Vec<_>>(), [(Bytes(b"ab".to_vec()), 1), (Bytes(b"c\n".to_vec()), 2)]);
    let optional = raw(r#"{"ab":1}"#).read::<BTreeMap<Option<String>, u8>>().expect("optional");
    assert_eq!(optional.into_iter().collect::<Vec<_>>(), [(Some("ab".to_string()), 1)]);
    let numbers = raw(r#"{"1":1,"-2":2}"#).read::<BTreeMap<i8, u8>>().expect("numbers");
    assert_eq!(numbers.into_iter().collect::<Vec<_>>(), [(-2, 2), (1, 1)]);
    let problem = raw(r#"{"1":1,"300":2}"#).read::<BTreeMap<u8, u8>>().expect_err("too large");
    assert_eq!((problem.kind(), problem.offset()), (ErrorKind::InvalidValue, 8));
    // a number, and nothing around it
    for text in
        [r#"{" 1":1}"#, r#"{"1 ":1}"#, r#"{"\n1":1}"#, r#"{"":1}"#, r#"{"1,":1}"#, r#"{"null":1}"#, r#"{"[1]":1}"#]
    {
        assert!(raw(text).read::<BTreeMap<u8, u8>>().is_err(), "{text}");
        assert!(serde_json::from_str::<BTreeMap<u8, u8>>(text).is_err(), "{text}");
    }
    assert!(raw("1").read::<Bytes>().is_err());
    let undecoded = raw(r#"{"a":1,"t\u0031":2}"#).read::<heapless::LinearMap<RawStr<'_>, u8, 2>>().expect("strings");
    let keys: Vec<_> = undecoded.iter().map(|(key, value)| (key.as_bytes(), *value)).collect();
    assert_eq!(keys, [(&b"a"[..], 1), (&br"t\u0031"[..], 2)]);
}

#[test]
fn a_string_is_read_undecoded_if_that_is_wanted() {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        name: RawStr<'a>,
        #[serde(borrow, default)]
        rest: Option<RawValue<'a>>,
    }
    let named: Named<'_> = raw(r#"{"name":"t\u0031","rest":[1, 2]}"#).read().expect("a string");
    assert_eq!((named.name.as_bytes(), named.name == "t1"), (&br"t\u0031"[..], true));
    assert_eq!(named.rest.map(|rest| (rest.as_json(), rest.offset())), Some(("[1, 2]", 25)));
    let problem = raw(r#"{"name":1}"#).read::<Named<'_>>().map(|_| ()).expect_err("a number");
    assert_eq!((problem.kind(), problem.offset()), (ErrorKind::UnexpectedType, 8));
    // other deserializers have not validated the text
    let problem = serde_json::from_str::<RawStr<'_>>("\"t1\"").expect_err("serde_json");
    assert!(problem.to_string().contains("expected a string read by nanojsonrpc"), "{problem}");
    let problem = serde_json::from_str::<RawValue<'_>>("[1]").expect_err("serde_json");
    assert!(problem.to_string().contains("expected a value read by nanojsonrpc"), "{problem}");
}

#[test]
fn a_name_is_read_undecoded_if_that_is_wanted() {
    struct Names(Vec<String>);
    impl<'de> Deserialize<'de> for Names {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Undecoded;
            impl<'de> Visitor<'de> for Undecoded {
                type Value = Names;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("an object")
                }

                fn visit_map<A: serde::de::MapAccess<'de>>(self, mut members: A) -> Result<Names, A::Error> {
                    let mut names = Vec::new();
                    while let Some((name, _)) = members.next_entry::<RawStr<'de>, u8>()? {
                        names.push(str::from_utf8(name.as_bytes()).unwrap().to_owned());
                        // as a string with its quotation marks, too
                        if let Some((name, _)) = members.next_entry::<RawValue<'de>, u8>()? {
                            names.push(name.as_json().to_owned());
                        }
                    }
                    Ok(Names(names))
                }
            }
            deserializer.deserialize_map(Undecoded)
        }
    }
    let names = raw(r#"{"a":1,"b\n":1,"t\u0031":2, "1" : 2,"":3}"#).read::<Names>().expect("numbers");
    assert_eq!(names.0, ["a", r#""b\n""#, r"t\u0031", r#""1""#, ""]);
}

#[test]
fn whoever_asks_for_an_integer_gets_one() {
    #[derive(Debug, PartialEq)]
    struct Lenient(f64);
    impl<'de> Deserialize<'de> for Lenient {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Any;
            impl Visitor<'_> for Any {
                type Value = Lenient;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a number")
                }

                fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Lenient, E> {
                    Ok(Lenient(number as f64))
                }

                fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Lenient, E> {
                    Ok(Lenient(number))
                }
            }
            deserializer.deserialize_u64(Any)
        }
    }
    assert_eq!(raw("7").read::<Lenient>().expect("an integer"), Lenient(7.0));
    for (text, kind) in [
        ("1.5", ErrorKind::UnexpectedType),
        ("1e3", ErrorKind::UnexpectedType),
        ("-0", ErrorKind::UnexpectedType),
        ("18446744073709551616", ErrorKind::InvalidValue),
    ] {
        assert!(serde_json::from_str::<Lenient>(text).is_ok(), "{text}");
        assert_eq!(raw(text).read::<Lenient>().map_err(|error| error.kind()), Err(kind), "{text}");
    }
}

#[test]
fn an_error_response_has_no_result_to_read() {
    let response =
        Response::parse(br#"{"jsonrpc":"2.0","error":{"code":7,"message":"m"},"id":1}"#).expect("a response");
    assert_eq!(response.result::<u8>().expect("no payload").expect_err("an error").code.0, 7);
}

#[test]
fn other_serializers_get_a_number_only_if_they_can_hold_it() {
    assert!(serde_json::to_string(&raw("[1,-1,1.5]")).is_ok());
    let number = raw("1e400");
    assert!(serde_json::to_value(number).is_err_and(|error| error.to_string().contains("out of range")));
}

#[test]
fn a_message_that_was_read_before_finds_a_nested_route() {
    let routes = || {
        Router::new().request("on", |board: &mut u8, params: Params<'_>| {
            *board += 1;
            Ok(params.is_empty())
        })
    };
    let heard = |board: &mut u8| *board += 10;
    let router = Router::new().nest("led.", routes()).nest("fan.", Router::new().notification("off", heard));
    let router = router.nest("", Router::new().response(|board: &mut u8, _| *board += 100));
    let mut server = Server::new(router);
    let (mut board, mut out) = (0, [0; 96]);
    let answer = server.handle(&mut board, &Request::<64, 64>::new(1, "led.on"), &mut out).answer().map(<[u8]>::to_vec);
    assert_eq!((answer.as_deref(), board), (Some(&br#"{"jsonrpc":"2.0","result":true,"id":1}"#[..]), 1));
    let notification = nanojsonrpc::Notification::<64>::new("fan.off");
    server.notify(&mut board, &notification);
    assert_eq!(board, 11);
    assert_eq!(server.process(&mut board, br#"{"jsonrpc":"2.0","result":1,"id":1}"#, &mut out).answer(), None);
    assert_eq!(board, 111);
    let missing =
        server.handle(&mut board, &Request::<64, 64>::new(1, "fan.on"), &mut out).answer().map(<[u8]>::to_vec);
    assert!(missing.is_some_and(|answer| answer.windows(6).any(|text| text == b"-32601")) && board == 111);
}

#[test]
fn a_router_is_cloned_with_what_its_handlers_hold() {
    let (answer, note) = (String::from("pong"), String::from("n"));
    let router = Router::new()
        .request("ping", move |_: &mut usize| Ok::<_, ErrorObject<'static>>(answer.len()))
        .notification("note", move |total: &mut usize| *total += note.len());
    for mut server in [Server::new(router.clone()), Server::new(router)] {
        let (mut total, mut out) = (0, [0; 96]);
        let call = br#"{"jsonrpc":"2.0","method":"ping","id":1}"#;
        assert_eq!(
            server.process(&mut total, call, &mut out).answer(),
            Some(&br#"{"jsonrpc":"2.0","result":4,"id":1}"#[..])
        );
        assert_eq!(server.process(&mut total, br#"{"jsonrpc":"2.0","method":"note"}"#, &mut out).answer(), None);
        assert_eq!(total, 1);
    }
}

#[test]
fn the_usual_plan_is_that_nothing_goes_wrong() {
    assert_eq!(Plan::default(), Plan::WHOLE);
}

#[test]
fn a_message_without_room_leaves_the_writer_usable() {
    let text = br#"[{"jsonrpc":"2.0","method":"m","id":1},{"jsonrpc":"2.0","result":[1,2],"id":2}]"#;
    let batch = Message::<64, 64>::parse(text).expect("a batch");
    let error = ErrorObject::INVALID_PARAMS.with_data(&"data");
    type Write<'w> = &'w dyn Fn(&mut Writer<'_>) -> Result<(), Error>;
    let messages: [Write<'_>; 6] = [
        &|out| out.message(&Request::<64, 64>::new(1, "m").with_params(&[1, 2])),
        &|out| out.message(&Notification::<64>::new("m").with_params(&[1, 2])),
        &|out| out.message(&Response::success(1, &[1, 2])),
        &|out| out.message(&Response::<64, RawValue<'_>, _>::error(1, error)),
        &|out| out.message(&Message::<64, 64>::parse(br#"{"jsonrpc":"2.0","result":[1,2],"id":2}"#).expect("one")),
        &|out| out.message(&batch),
    ];
    for (index, write) in messages.iter().enumerate() {
        for room in 0..256 {
            let mut buffer = vec![0; room + 1];
            let mut out = Writer::new(&mut buffer);
            assert_eq!(out.value(&7), Ok(()));
            if write(&mut out).is_ok() {
                assert!(room > 30, "message {index} in {room} bytes");
                break;
            }
            assert_eq!(out.written(), b"7", "message {index} in {room} bytes");
        }
    }
}

#[test]
fn a_request_is_answered_from_its_text_or_kept_beyond_it() {
    let mut text = *br#"{"jsonrpc":"2.0","method":"l\u0065vel","params":[1],"id":"\u0061"}"#;
    let mut out = [0; 96];
    let envelope = Envelope::parse(&text).unwrap();
    let len = envelope.write_response(Ok(&40), &mut out).unwrap();
    assert_eq!(out[..len], *br#"{"jsonrpc":"2.0","result":40,"id":"\u0061"}"#);
    let len = envelope.write_response(Err::<&(), _>(&ErrorObject::METHOD_NOT_FOUND), &mut out).unwrap();
    assert!(out[..len].ends_with(br#""id":"\u0061"}"#));
    assert_eq!(envelope.write_response(Ok(&40), &mut out[..30]).map_err(Error::kind), Err(ErrorKind::OutputFull));
    let kept = Request::<8, 8>::try_from(envelope).unwrap().without_params().unwrap();
    text.fill(b' ');
    assert_eq!((kept.method.as_str(), kept.id.as_str(), kept.params), ("level", Some("a"), None));
    assert_eq!(kept.method.to_string(), "level");
    for other in [&br#"{"jsonrpc":"2.0","method":"m"}"#[..], br#"{"jsonrpc":"2.0","result":1,"id":1}"#, b"[1]"] {
        let written = Envelope::parse(other).unwrap().write_response(Ok(&1), &mut out);
        assert_eq!(written.map_err(Error::kind), Err(ErrorKind::UnexpectedMessage));
    }
    let built = |method| Request::new(1, method).without_params();
    assert_eq!(built("level").map(|request| request.method == kept.method), Ok(true));
    let long = "m".repeat(65);
    assert_eq!(built(&long).map_err(|error| (error.kind(), error.offset())), Err((ErrorKind::MethodTooLong, 64)));
}

#[test]
fn an_id_is_read_from_the_map_that_serde_json_makes_of_a_number() {
    use serde::de::value::{BorrowedStrDeserializer, Error as ValueError, MapDeserializer};
    let id = |key: &'static str, text: &'static str| {
        let number = (BorrowedStrDeserializer::<ValueError>::new(key), text);
        Id::<8>::deserialize(MapDeserializer::<_, ValueError>::new([number].into_iter()))
    };
    assert_eq!(id("$serde_json::private::Number", "1.50").map(|id| id.to_string()), Ok("1.50".into()));
    for (key, text) in [
        ("$serde_json::private::Number", "x"),
        ("$serde_json::private::Number", "true"),
        ("$serde_json::private::Number", "1.23456789"),
        ("n", "1"),
    ] {
        assert!(
            id(key, text).is_err_and(|error| error.to_string().contains("a string of at most 8 bytes")),
            "{key} {text}"
        );
    }
}

#[test]
fn a_method_of_the_program_is_compared_and_an_exchange_is_shown() {
    let (method, other) = (nanojsonrpc::Method::<8>::from("level"), nanojsonrpc::Method::<4>::from("level"));
    assert!(method == other && method == "level" && method != *"l" && method.len() == 5);
    let (mut output, rules) = ([0; 64], Dialect::JSON_RPC);
    let exchange = nanojsonrpc::server::Exchange::new(b"{}", &mut output, rules);
    assert!(format!("{exchange:?}").contains("Room { len: 64 }"));
}
