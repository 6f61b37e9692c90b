//! Every capacity: an exact fit is accepted, one more is refused, and the error names the capacity.

use nanojsonrpc::{
    Dialect, ErrorCode, ErrorKind, Id, Message, Notification, RawStr, RawValue, Rejection, Request, Response,
    message::{NumberText, ParamsRule},
};

fn request(id: &str, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":{id}}}"#)
}

/// The refusal is a -32600 at `part`, and its answer names the limit in words.
fn names<const N: usize>(rejection: Rejection<N>, kind: ErrorKind, offset: usize) {
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
    assert!(rejection.id().is_null());
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
        matches!(Request::parse(fits.as_bytes()).expect("to fit").id, Id::Decimal(text) if text.as_str().len() == 64)
    );
    let text = request(&format!("0.{}", "1".repeat(63)), "m");
    let offset = text.find("0.1").expect("the id");
    names(Request::parse(text.as_bytes()).expect_err("too long"), ErrorKind::IdTooLong, offset);
    // an i64 takes no room
    let text = request("-9223372036854775808", "m");
    assert_eq!(
        Request::<0, 1>::parse_bounded(text.as_bytes(), Dialect::JSON_RPC).expect("to fit").id,
        Id::Number(i64::MIN)
    );
    let text = request("9223372036854775808", "m");
    assert!(Request::<19, 1>::parse_bounded(text.as_bytes(), Dialect::JSON_RPC).is_ok());
    assert!(Request::<18, 1>::parse_bounded(text.as_bytes(), Dialect::JSON_RPC).is_err());
}

#[test]
fn a_method_of_64_bytes_fits_and_one_of_65_does_not() {
    let fits = request("1", &"m".repeat(64));
    assert_eq!(Request::parse(fits.as_bytes()).expect("to fit").method, "m".repeat(64).as_str());
    let text = request("\"a\"", &"m".repeat(65));
    let offset = text.find("\"mm").expect("the method");
    let rejection = Request::parse(text.as_bytes()).expect_err("too long");
    assert_eq!(rejection.id().as_str(), Some("a"));
    names(rejection, ErrorKind::MethodTooLong, offset);
    let rejection = Message::parse(text.as_bytes()).expect_err("too long");
    assert_eq!(rejection.id().as_str(), Some("a"));
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
    assert!(Notification::<33>::parse_bounded(text.as_bytes(), Dialect::JSON_RPC).is_ok());
    assert!(Notification::<32>::parse_bounded(text.as_bytes(), Dialect::JSON_RPC).is_err());
}

#[test]
fn every_capacity_is_a_const_generic() {
    let text = request("\"abc\"", "method");
    let text = text.as_bytes();
    assert!(Request::<3, 6>::parse_bounded(text, Dialect::JSON_RPC).is_ok());
    assert!(Message::<3, 6>::parse_bounded(text, Dialect::JSON_RPC).is_ok());
    let rejection = Request::<2, 6>::parse_bounded(text, Dialect::JSON_RPC).expect_err("too long");
    names(rejection, ErrorKind::IdTooLong, 40);
    let rejection = Request::<3, 5>::parse_bounded(text, Dialect::JSON_RPC).expect_err("too long");
    assert_eq!(rejection.id().as_str(), Some("abc"));
    names(rejection, ErrorKind::MethodTooLong, 26);
    let rejection = Message::<2, 5>::parse_bounded(text, Dialect::JSON_RPC).expect_err("too long");
    assert_eq!(rejection.code(), ErrorCode::INVALID_REQUEST);
    let text = br#"{"jsonrpc":"2.0","result":1,"id":"abc"}"#;
    assert!(Response::<3>::parse_bounded(text, Dialect::JSON_RPC).is_ok());
    let rejection = Response::<2>::parse_bounded(text, Dialect::JSON_RPC).expect_err("too long");
    assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::IdTooLong, 33));
}

#[test]
fn an_id_that_is_too_long_to_recover_is_null() {
    let text = br#"{"jsonrpc":"2.0","method":1,"id":"abcd"}"#;
    let rejection = Request::<4, 8>::parse_bounded(text, Dialect::JSON_RPC).expect_err("no method");
    assert_eq!(rejection.id().as_str(), Some("abcd"));
    let rejection = Request::<3, 8>::parse_bounded(text, Dialect::JSON_RPC).expect_err("no method");
    assert_eq!((rejection.kind(), rejection.id()), (ErrorKind::InvalidMethod, &Id::Null));
}

#[test]
fn an_id_that_is_built_has_the_same_capacity() {
    assert!(Id::<64>::try_from("i".repeat(64).as_str()).is_ok());
    assert_eq!(Id::<64>::try_from("i".repeat(65).as_str()).map_err(|error| error.kind()), Err(ErrorKind::IdTooLong));
    assert!(Id::<4>::try_from("😀").is_ok());
    assert!(Id::<3>::try_from("😀").is_err());
    let value = RawValue::parse(b" 1.5").expect("a number");
    assert_eq!(Id::<3>::read(value).map(|id| matches!(id, Id::Decimal(text) if number(&text) == "1.5")), Ok(true));
    assert_eq!(Id::<2>::read(value).map_err(|error| (error.kind(), error.offset())), Err((ErrorKind::IdTooLong, 1)));
}

fn number<const N: usize>(text: &NumberText<N>) -> &str {
    text.as_str()
}

#[test]
fn each_dialect_has_its_rule_for_params() {
    let rules = [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP].map(Dialect::params);
    assert_eq!(rules, [ParamsRule::Structured, ParamsRule::Any, ParamsRule::Object]);
}

#[test]
fn the_text_of_a_number_is_a_str() {
    let value = RawValue::parse(b"1.50").expect("a number");
    let Ok(Id::<8>::Decimal(text)) = Id::read(value) else { panic!("a decimal") };
    assert!(text == "1.50" && text == *"1.50" && text != "1.5");
    assert_eq!((text.to_string(), text.len(), &text[..2]), ("1.50".to_owned(), 4, "1."));
}

#[test]
fn a_batch_may_have_as_many_elements_as_the_dialect_says() {
    let text = b"[10,[2,2],{\"a\":[]}]";
    for (max, offset) in [(1, 4), (2, 10)] {
        let rejection = Message::parse_as(text, Dialect::JSON_RPC.with_max_batch(max)).expect_err("too long");
        assert!(rejection.id().is_null());
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
    // 24 bits hold the limit
    let most = (1 << 24) - 2;
    for (len, limit) in [(most, most), (most + 1, usize::MAX), (1 << 24, usize::MAX), (usize::MAX, usize::MAX)] {
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
