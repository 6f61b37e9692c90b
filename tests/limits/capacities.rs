//! Every capacity: an exact fit is accepted, one more is refused, and the error names the capacity.

use nanojsonrpc::{
    Dialect, Envelope, ErrorCode, ErrorKind, Id, Message, Notification, RawStr, RawValue, Refused, Request, Response,
    message::ParamsRule,
};

fn request(id: &str, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":{id}}}"#)
}

/// The refusal is a -32600 at `part`, and its answer names the limit in words.
fn names(rejection: Refused<'_>, kind: ErrorKind, offset: usize) {
    assert_eq!((rejection.kind(), rejection.offset()), (kind, offset));
    assert_eq!(rejection.code(), ErrorCode::INVALID_REQUEST);
    let answer = rejection.answer().expect("an answer");
    let error = answer.outcome.expect_err("an error");
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::INVALID_REQUEST, Some(kind.as_str())));
}

#[test]
fn a_string_id_of_64_bytes_fits_and_one_of_65_does_not() {
    let fits = request(&format!("{:?}", "i".repeat(64)), "m");
    let parsed = Request::parse(fits.as_bytes()).expect("to fit");
    assert_eq!(parsed.id.as_str(), Some("i".repeat(64).as_str()));
    let text = request(&format!("{:?}", "i".repeat(65)), "m");
    let offset = text.find("\"ii").expect("the id");
    names(Request::parse(text.as_bytes()).expect_err("too long"), ErrorKind::IdTooLong, offset);
    let rejection = Message::parse(text.as_bytes()).expect_err("too long");
    assert!(rejection.id.is_none());
    names(rejection, ErrorKind::IdTooLong, offset);
}

#[test]
fn an_id_is_measured_decoded() {
    for (spelled, bytes) in
        [(r"\u0041", 1), (r"\n", 1), (r"\u00e9", 2), ("é", 2), (r"\u20ac", 3), (r"\ud83d\ude00", 4), ("😀", 4)]
    {
        let fits = request(&format!("\"{}\"", spelled.repeat(64 / bytes)), "m");
        let parsed = Request::parse(fits.as_bytes()).unwrap_or_else(|rejection| panic!("{rejection}: {fits}"));
        assert_eq!(parsed.id.as_str().map(str::len), Some(64 / bytes * bytes), "{fits}");
        let text = request(&format!("\"{}\"", spelled.repeat(64 / bytes + 1)), "m");
        assert_eq!(Request::parse(text.as_bytes()).expect_err(&text).kind(), ErrorKind::IdTooLong, "{text}");
    }
}

#[test]
fn a_number_that_is_no_i64_is_measured_as_it_was_written() {
    let fits = request(&format!("0.{}", "1".repeat(62)), "m");
    assert!(
        matches!(Request::parse(fits.as_bytes()).expect("to fit").id, Id::Decimal { text, .. } if text.as_str().len() == 64)
    );
    let text = request(&format!("0.{}", "1".repeat(63)), "m");
    let offset = text.find("0.1").expect("the id");
    names(Request::parse(text.as_bytes()).expect_err("too long"), ErrorKind::IdTooLong, offset);
    // an i64 takes no room
    let text = request("-9223372036854775808", "m");
    assert_eq!(
        Envelope::parse(text.as_bytes()).and_then(Request::<0, 1>::try_from).expect("to fit").id,
        Id::Number(i64::MIN)
    );
    let text = request("9223372036854775808", "m");
    assert!(Envelope::parse(text.as_bytes()).and_then(Request::<19, 1>::try_from).is_ok());
    assert!(Envelope::parse(text.as_bytes()).and_then(Request::<18, 1>::try_from).is_err());
}

#[test]
fn a_method_of_64_bytes_fits_and_one_of_65_does_not() {
    let fits = request("1", &"m".repeat(64));
    assert_eq!(Request::parse(fits.as_bytes()).expect("to fit").method, "m".repeat(64).as_str());
    let text = request("\"a\"", &"m".repeat(65));
    let offset = text.find("\"mm").expect("the method");
    let rejection = Request::parse(text.as_bytes()).expect_err("too long");
    assert_eq!(rejection.id.and_then(RawValue::as_str), Some("a"));
    names(rejection, ErrorKind::MethodTooLong, offset);
    let rejection = Message::parse(text.as_bytes()).expect_err("too long");
    assert_eq!(rejection.id.and_then(RawValue::as_str), Some("a"));
    names(rejection, ErrorKind::MethodTooLong, offset);
    // decoded, an escape is a byte
    let fits = request("1", &r"\u006d".repeat(64));
    assert_eq!(Request::parse(fits.as_bytes()).expect("to fit").method, "m".repeat(64).as_str());
}

#[test]
fn a_notification_has_the_same_capacity_for_its_method() {
    let text = format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "m".repeat(65));
    let rejection = Notification::parse(text.as_bytes()).expect_err("too long");
    assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::MethodTooLong, 26));
    assert_eq!(rejection.code(), ErrorCode::INVALID_REQUEST);
    let text = text.replace("mm", "m");
    assert!(Envelope::parse(text.as_bytes()).and_then(Notification::<33>::try_from).is_ok());
    assert!(Envelope::parse(text.as_bytes()).and_then(Notification::<32>::try_from).is_err());
}

#[test]
fn every_capacity_is_a_const_generic() {
    let text = request("\"abc\"", "method");
    let text = text.as_bytes();
    assert!(Envelope::parse(text).and_then(Request::<3, 6>::try_from).is_ok());
    assert!(Envelope::parse(text).and_then(Message::<3, 6>::try_from).is_ok());
    let rejection = Envelope::parse(text).and_then(Request::<2, 6>::try_from).expect_err("too long");
    names(rejection, ErrorKind::IdTooLong, 40);
    let rejection = Envelope::parse(text).and_then(Request::<3, 5>::try_from).expect_err("too long");
    assert_eq!(rejection.id.and_then(RawValue::as_str), Some("abc"));
    names(rejection, ErrorKind::MethodTooLong, 26);
    let rejection = Envelope::parse(text).and_then(Message::<2, 5>::try_from).expect_err("too long");
    assert_eq!(rejection.code(), ErrorCode::INVALID_REQUEST);
    let text = br#"{"jsonrpc":"2.0","result":1,"id":"abc"}"#;
    assert!(Envelope::parse(text).and_then(Response::<3>::try_from).is_ok());
    let rejection = Envelope::parse(text).and_then(Response::<2>::try_from).expect_err("too long");
    assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::IdTooLong, 33));
}

#[test]
fn a_refusal_has_an_id_of_any_length_and_its_answer_one_of_64_bytes() {
    for (len, answered) in [(64, Some("i".repeat(64))), (65, None)] {
        let text = format!(r#"{{"jsonrpc":"2.0","method":1,"id":"{}"}}"#, "i".repeat(len));
        let refused = Request::parse(text.as_bytes()).expect_err("no method");
        assert_eq!(
            (refused.kind(), refused.id.map(|id| id.as_bytes().len())),
            (ErrorKind::InvalidMethod, Some(len + 2))
        );
        let answer = refused.answer().expect("an answer");
        assert_eq!(answer.id.as_str(), answered.as_deref());
        let mut out = [0; 160];
        let written = refused.write_response(&mut out).expect("room enough");
        assert!(out[..written].ends_with(&text.as_bytes()[text.len() - len - 8..]), "the id as it was spelled");
    }
}

#[test]
fn an_id_that_is_built_has_the_same_capacity() {
    assert!(Id::<64>::try_from("i".repeat(64).as_str()).is_ok());
    assert_eq!(Id::<64>::try_from("i".repeat(65).as_str()).map_err(|error| error.kind()), Err(ErrorKind::IdTooLong));
    assert!(Id::<4>::try_from("😀").is_ok());
    assert!(Id::<3>::try_from("😀").is_err());
    let value = RawValue::parse(b" 1.5").expect("a number");
    assert_eq!(Id::<3>::read(value).map(|id| matches!(id, Id::Decimal { text, .. } if text == "1.5")), Ok(true));
    assert_eq!(Id::<2>::read(value).map_err(|error| (error.kind(), error.offset())), Err((ErrorKind::IdTooLong, 1)));
}

#[test]
fn each_dialect_has_its_rule_for_params() {
    let rules = [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP].map(Dialect::params);
    assert_eq!(rules, [ParamsRule::Structured, ParamsRule::Any, ParamsRule::Object]);
}

#[test]
fn the_text_of_a_number_is_a_str() {
    let value = RawValue::parse(b"1.50").expect("a number");
    let Ok(Id::<8>::Decimal { text, .. }) = Id::read(value) else { panic!("a decimal") };
    assert!(text == "1.50" && text == *"1.50" && text != "1.5");
    assert_eq!((text.to_string(), text.len(), &text[..2]), ("1.50".to_owned(), 4, "1."));
}

#[test]
fn a_batch_may_have_as_many_elements_as_the_dialect_says() {
    let text = b"[10,[2,2],{\"a\":[]}]";
    for (max, offset) in [(1, 4), (2, 10)] {
        let rejection = Message::parse_as(text, Dialect::JSON_RPC.with_max_batch(max)).expect_err("too long");
        assert!(rejection.id.is_none());
        names(rejection, ErrorKind::BatchTooLong, offset);
    }
    for max in [3, 4, usize::MAX] {
        let Ok(Message::Batch(batch)) = Message::parse_as(text, Dialect::JSON_RPC.with_max_batch(max)) else {
            panic!("refused with {max}");
        };
        assert_eq!(batch.count(), 3);
    }
    let rejection = Message::parse_as(text, Dialect::JSON_RPC.with_max_batch(0)).expect_err("no batches");
    assert_eq!(rejection.kind(), ErrorKind::BatchNotAllowed);
    // a limit does not change the other verdicts
    let hub = Dialect::CAUCE.with_max_batch(1);
    assert!(matches!(Message::parse_as(b"[1]", hub), Ok(Message::Batch(_))));
    assert_eq!(Message::parse_as(b"[]", hub).map_err(|rejection| rejection.kind()), Err(ErrorKind::EmptyBatch));
    assert_eq!(Message::parse_as(b"[1,2,", hub).map_err(|rejection| rejection.kind()), Err(ErrorKind::UnexpectedEnd));
    assert_eq!((hub.max_batch(), Dialect::JSON_RPC.max_batch(), Dialect::MCP.max_batch()), (1, usize::MAX, 0));
    // 20 bits hold the limit
    let most = (1 << 20) - 2;
    for (len, limit) in [(most, most), (most + 1, usize::MAX), (1 << 20, usize::MAX), (usize::MAX, usize::MAX)] {
        let dialect = Dialect::MCP.with_max_batch(len);
        assert_eq!((dialect.max_batch(), dialect.max_len(), dialect.params()), (limit, usize::MAX, ParamsRule::Object));
        assert_eq!(dialect.with_max_batch(0), Dialect::MCP);
    }
}

#[test]
fn a_text_may_have_as_many_bytes_as_the_dialect_says() {
    let text = request("1", "m");
    let text = text.as_bytes();
    for dialect in [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP] {
        assert_eq!((dialect.max_len(), dialect.with_max_len(7).max_len()), (usize::MAX, 7));
        assert!(Message::parse_as(text, dialect.with_max_len(text.len())).is_ok());
        let rejection = Message::parse_as(text, dialect.with_max_len(text.len() - 1)).expect_err("too long");
        names(rejection, ErrorKind::MessageTooLong, text.len() - 1);
        let rejection = Request::parse_as(text, dialect.with_max_len(0)).expect_err("too long");
        names(rejection, ErrorKind::MessageTooLong, 0);
    }
}

#[test]
fn a_string_that_does_not_fit_is_not_cut() {
    let value = RawValue::parse(r#""a\u00e9😀\n""#.as_bytes()).expect("a string");
    let text: RawStr<'_> = value.as_str_raw().expect("a string");
    let decoded = "aé😀\n";
    for room in 0..12 {
        let mut buffer = [0xAA; 12];
        let result = text.decode(&mut buffer[..room]);
        if room < decoded.len() {
            assert_eq!(result.map_err(|error| error.kind()), Err(ErrorKind::OutputFull), "{room} bytes");
        } else {
            assert_eq!(result, Ok(decoded), "{room} bytes");
        }
        assert!(buffer[room..].iter().all(|byte| *byte == 0xAA));
    }
    assert_eq!(text.to_heapless::<8>().as_deref(), Some(decoded));
    assert_eq!(text.to_heapless::<7>(), None);
}
