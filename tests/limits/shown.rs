//! `Display` and `Debug` of errors, texts and states.
#![cfg(feature = "serde")]

use nanojsonrpc::client::Client;
use nanojsonrpc::frame::{ContentLength, Events, FrameErrorKind, Framer, Lines};
use nanojsonrpc::memory::{Pipe, PipeError};
use nanojsonrpc::server::{Registry, handler, listener};
use nanojsonrpc::{
    Dialect, Envelopes, ErrorKind, ErrorObject, Message, Params, RawValue, Request, Response, Router, Server,
    message::{ParamsRule, Str},
};

#[test]
fn every_kind_of_error_has_words_of_its_own() {
    use ErrorKind::*;
    let kinds = [
        UnexpectedEnd,
        ExpectedValue,
        ExpectedName,
        ExpectedColon,
        ExpectedComma,
        InvalidLiteral,
        InvalidNumber,
        InvalidEscape,
        LoneSurrogate,
        InvalidUtf8,
        ControlCharacter,
        TrailingData,
        TooDeep,
        NotAMessage,
        EmptyBatch,
        BatchNotAllowed,
        RepeatedMember,
        MissingVersion,
        InvalidVersion,
        MissingMember,
        ConflictingMembers,
        InvalidMethod,
        MissingId,
        InvalidId,
        InvalidParams,
        InvalidErrorObject,
        UnexpectedMessage,
        IdTooLong,
        MethodTooLong,
        BatchTooLong,
        MessageTooLong,
        UnexpectedType,
        InvalidValue,
        InvalidLength,
        EscapedString,
        MissingField,
        UnknownField,
        UnknownVariant,
        Refused,
        OutputFull,
        InvalidKey,
        Unserializable,
        RegistryFull,
        TooManyCalls,
        IdInFlight,
    ];
    for (index, kind) in kinds.iter().enumerate() {
        assert!(kinds.iter().skip(index + 1).all(|other| other.as_str() != kind.as_str()), "{kind:?}");
        assert_eq!(kind.to_string(), kind.as_str());
    }
    // the same of a member of an envelope and of a payload
    assert_eq!(RepeatedField.as_str(), RepeatedMember.as_str());
}

#[test]
fn every_kind_of_frame_error_has_words_of_its_own() {
    use FrameErrorKind::*;
    let kinds = [
        TooLong,
        HeaderTooLong,
        EventIdTooLong,
        EventNameTooLong,
        Truncated,
        InvalidHeader,
        InvalidLength,
        MissingLength,
        RepeatedLength,
        LengthTooLarge,
        ByteOrderMark,
        NotJson(ErrorKind::InvalidUtf8),
        Unseparated,
        OtherProtocol,
        Malformed,
    ];
    for (index, kind) in kinds.iter().enumerate() {
        assert!(kinds.iter().skip(index + 1).all(|other| other.as_str() != kind.as_str()), "{kind:?}");
        assert_eq!(kind.to_string(), kind.as_str());
    }
    let limits = kinds.iter().filter(|kind| kind.is_limit()).count();
    assert_eq!(limits, 5);
}

#[test]
fn texts_are_equal_if_they_read_the_same() {
    let text = br#"{"jsonrpc":"2.0","error":{"code":1,"message":"caf\u00e9"},"id":1}"#;
    let raw = Response::parse(text).unwrap().outcome.unwrap_err().message;
    let plain = Str::from("café");
    assert_eq!(raw, plain);
    assert_eq!(plain, raw);
    assert_eq!(raw, "café");
    assert_ne!(raw, "cafe");
    assert_ne!(plain, Str::from("cafe"));
    assert_eq!((raw.as_str(), plain.as_str()), (None, Some("café")));
    assert_eq!((raw.to_string(), plain.to_string()), ("café".into(), "café".into()));

    let problem = RawValue::parse(b"[1]").unwrap().read::<bool>().unwrap_err();
    let shown: Str<'_> = ErrorObject::from(problem).message;
    let words = format!("Invalid params: {problem}");
    assert_eq!(shown, *words);
    assert_eq!(shown, Str::from(&*words));
    assert_eq!(Str::from(&*words), shown);
    assert_ne!(shown, *"Invalid params");
    assert_ne!(shown, *format!("{words}."));
    assert_eq!(shown.as_str(), None);
    let quoted = format!(r#"{{"jsonrpc":"2.0","error":{{"code":1,"message":"{words}"}},"id":1}}"#);
    let raw = Response::parse(quoted.as_bytes()).unwrap().outcome.unwrap_err().message;
    assert_eq!(shown, raw);
    assert_eq!(raw, shown);
}

#[test]
fn a_value_is_shown_as_it_came_and_a_string_decoded() {
    let value = RawValue::parse(br#" {"caf\u00e9" : [1.50, -0]} "#).unwrap();
    assert_eq!((format!("{value}"), format!("{value:?}")), (r#"{"caf\u00e9" : [1.50, -0]}"#.into(), value.to_string()));
    let (name, _) = value.members().next().unwrap();
    assert_eq!((format!("{name}"), format!("{name:?}")), ("café".into(), "\"café\"".into()));
}

#[test]
fn a_method_is_compared_and_shown_decoded() {
    let one = Request::parse(br#"{"jsonrpc":"2.0","method":"caf\u00e9","id":1}"#).unwrap();
    let other = Request::parse("{\"jsonrpc\":\"2.0\",\"method\":\"café\",\"id\":1}".as_bytes()).unwrap();
    assert_eq!(one.method, other.method);
    let plain = Request::parse(br#"{"jsonrpc":"2.0","method":"cafe","id":1}"#).unwrap();
    assert_ne!(one.method, plain.method);
    assert_eq!(plain.method, plain.method.clone());
    assert!(plain.method == "cafe" && plain.method == *"cafe" && plain.method != *"caff" && plain.method != "caff");
    assert_eq!(one.method, *"café");
    assert_eq!(one.method, "café");
    assert_ne!(one.method, "cafe");
    assert_eq!(one.method.to_string(), "café");
    assert!(format!("{:?}", one.method).contains("café"));
}

#[test]
fn params_are_found_by_name_and_by_position() {
    let text = br#"[{"jsonrpc":"2.0","method":"a","params":{"b":[7]}},{"jsonrpc":"2.0","method":"a"}]"#;
    let mut messages = Envelopes::new(text, Dialect::JSON_RPC);
    let params = Params::from(messages.next().unwrap().unwrap().params());
    let inner = Params::from(params.get("b"));
    assert_eq!((inner.element(0).unwrap().as_u64(), inner.element(1), inner.get("c")), (Some(7), None, None));
    let none = Params::from(messages.next().unwrap().unwrap().params());
    assert_eq!((none.raw(), none.get("b"), none.element(0), none.is_empty()), (None, None, None, true));
    assert!(messages.is_batch() && !params.is_empty());
    for (text, is_empty) in
        [("null", true), (" [ ] ", true), ("{\n}", true), ("[null]", false), ("0", false), ("\"\"", false)]
    {
        let given = Params::from(Some(RawValue::parse(text.as_bytes()).unwrap()));
        assert_eq!(given.is_empty(), is_empty, "{text}");
    }
}

#[test]
fn a_dialect_tells_its_rules() {
    let dialect = Dialect::MCP.with_max_len(5);
    assert_eq!((dialect.params(), dialect.max_batch(), dialect.max_len()), (ParamsRule::Object, 0, 5));
    assert_eq!(Dialect::default(), Dialect::JSON_RPC);
    assert_eq!(
        format!("{dialect:?}"),
        "Dialect { any_number_id: false, null_id: false, error_without_id: true, any_version: false, any_outcome: false, null_id_as_notification: false, any_spelling: false, version: true, params: Object, max_batch: 0, max_len: 5 }"
    );
    static ROUTES: std::sync::Mutex<Server<nanojsonrpc::server::route::End>> =
        std::sync::Mutex::new(Server::with_routes(nanojsonrpc::server::route::End));
    assert_eq!(ROUTES.lock().unwrap().dialect(), Dialect::JSON_RPC);
    assert_eq!(Server::with_routes(nanojsonrpc::server::route::End).with_dialect(dialect).dialect(), dialect);
}

#[test]
fn states_are_shown_to_programmers() {
    let mut pipe = Pipe::<8>::default();
    let (one, other) = pipe.ends();
    one.try_write(b"abc").unwrap();
    assert_eq!(format!("{other:?}"), "PipeEnd { to read: 3 bytes, room to write: 8 bytes }");
    drop((one, other));
    assert_eq!(format!("{pipe:?}"), "Pipe { there: 3 bytes, back: 0 bytes }");
    for error in [PipeError::WouldBlock, PipeError::Closed, PipeError::Fault] {
        assert_eq!(error.to_string(), error.as_str());
    }

    let (mut answer, mut hear) = (handler(|_: &mut ()| Ok(1)), listener(|_: &mut ()| ()));
    let mut registry: Registry<'_, (), 2> = Registry::default();
    registry.request("a", &mut answer).unwrap();
    registry.notification("b", &mut hear).unwrap();
    assert_eq!(format!("{registry:?}"), r#"{("a", Request), ("b", Notification)}"#);

    let value = RawValue::parse(br#"["a\n"]"#).unwrap();
    let inside = value.element(0).and_then(RawValue::as_str_raw).unwrap();
    assert_eq!(format!("{value:?} {inside:?}"), "[\"a\\n\"] \"a\\n\"");

    let mut framer = Framer::<Lines, 8>::default();
    framer.push(b"ab");
    assert!(format!("{framer:?}").starts_with("Framer { frame: Delimited"));
    framer.clear();
    assert_eq!(framer.finish(), None);
    let framers = format!("{:?} {:?}", Framer::<ContentLength, 8>::new(), Framer::<Events, 8>::new());
    assert!(framers.contains("ContentLength") && framers.contains("Events"), "{framers}");
    assert!(format!("{:?}", Client::<u8, 2>::default()).starts_with("Client"));
    assert!(format!("{:?}", Router::<()>::default().clone()).starts_with("Router"));
}

#[test]
fn a_batch_that_was_read_is_walked_by_value() {
    let Message::Batch(batch) = Message::parse(b"[1, 2]").unwrap() else { unreachable!() };
    assert_eq!((batch.count(), batch.raw().as_bytes()), (2, &b"[1, 2]"[..]));
    let offsets: Vec<usize> = batch.into_iter().map(|one| one.unwrap_err().offset()).collect();
    assert_eq!(offsets, [1, 4]);
}
