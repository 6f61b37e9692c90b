//! The twelve functional requirements, one test each.

use nanojsonrpc::{
    Dialect, ErrorCode, ErrorKind, ErrorObject, Id, Message, Notification, RawValue, Request, Response,
    message::ErrorCodeKind,
};

/// The output of `write`, as text.
fn text(write: impl FnOnce(&mut [u8]) -> Result<usize, nanojsonrpc::Error>) -> String {
    let mut out = [0; 256];
    let len = write(&mut out).expect("room enough");
    str::from_utf8(&out[..len]).expect("text").to_string()
}

#[test]
fn fr_001_a_request_has_a_version_an_id_a_method_and_params() {
    let text = br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
    let Request { id, method, params } = Request::parse(text).expect("a request");
    assert_eq!((id, method.as_str(), params.map(|p| p.as_json())), (Id::Number(1), "subtract", Some("[42,23]")));
}

#[test]
fn fr_002_a_response_has_a_version_an_id_and_a_result_or_an_error() {
    let Response { id, outcome } = Response::parse(br#"{"jsonrpc":"2.0","result":19,"id":1}"#).expect("a response");
    assert_eq!((id, outcome.map(|result| result.as_i64())), (Id::Number(1), Ok(Some(19))));
    let text = br#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":"1"}"#;
    let Response { id, outcome } = Response::parse(text).expect("a response");
    assert_eq!((id.as_str(), outcome), (Some("1"), Err(ErrorObject::METHOD_NOT_FOUND)));
}

#[test]
fn fr_003_a_notification_has_a_version_a_method_and_params_but_no_id() {
    let text = br#"{"jsonrpc":"2.0","method":"update","params":{"a":1}}"#;
    let Notification { method, params } = Notification::parse(text).expect("a notification");
    assert_eq!((method.as_str(), params.map(|params| params.as_json())), ("update", Some(r#"{"a":1}"#)));
    let request = br#"{"jsonrpc":"2.0","method":"update","params":{"a":1},"id":1}"#;
    let rejection = Notification::parse(request).expect_err("a request");
    assert_eq!((rejection.kind(), rejection.id.and_then(RawValue::as_i64)), (ErrorKind::UnexpectedMessage, Some(1)));
}

#[test]
fn fr_004_an_error_has_a_code_a_message_and_data() {
    let text = br#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"cold \u2744","data":{"t":-40}},"id":1}"#;
    let error = Response::parse(text).expect("a response").outcome.expect_err("an error");
    assert_eq!(error.code, ErrorCode(-32001));
    assert_eq!((error.message.as_str(), error.message.to_string().as_str()), (None, "cold ❄"));
    assert_eq!(error.data.map(|data| data.as_json()), Some(r#"{"t":-40}"#));

    let standard = [
        (ErrorObject::PARSE_ERROR, ErrorCode::PARSE_ERROR, -32700, "Parse error"),
        (ErrorObject::INVALID_REQUEST, ErrorCode::INVALID_REQUEST, -32600, "Invalid Request"),
        (ErrorObject::METHOD_NOT_FOUND, ErrorCode::METHOD_NOT_FOUND, -32601, "Method not found"),
        (ErrorObject::INVALID_PARAMS, ErrorCode::INVALID_PARAMS, -32602, "Invalid params"),
        (ErrorObject::INTERNAL_ERROR, ErrorCode::INTERNAL_ERROR, -32603, "Internal error"),
    ];
    for (object, code, number, message) in standard {
        assert_eq!((object.code, code.0, object.message.as_str(), object.data), (code, number, Some(message), None));
        assert_eq!(code.kind(), ErrorCodeKind::Standard);
    }
    for (code, kind) in [
        (-32000, ErrorCodeKind::ServerDefined),
        (-32099, ErrorCodeKind::ServerDefined),
        (-32100, ErrorCodeKind::Reserved),
        (-32604, ErrorCodeKind::Reserved),
        (-32768, ErrorCodeKind::Reserved),
        (-32769, ErrorCodeKind::Application),
        (-31999, ErrorCodeKind::Application),
        (0, ErrorCodeKind::Application),
        (i64::MIN, ErrorCodeKind::Application),
        (i64::MAX, ErrorCodeKind::Application),
    ] {
        assert_eq!(ErrorCode(code).kind(), kind, "{code}");
    }
    assert_eq!((ErrorCode::from(i32::MIN).0, ErrorCode::from(i64::MIN).0), (i32::MIN.into(), i64::MIN));
}

#[test]
fn fr_005_an_id_is_null_or_a_number_or_a_string() {
    let id = |text: &'static [u8]| RawValue::parse(text).and_then(Id::<64>::read);
    assert_eq!(id(b"null"), Ok(Id::Null));
    assert_eq!(id(b"-7"), Ok(Id::Number(-7)));
    assert_eq!(id(b"9223372036854775807"), Ok(Id::Number(i64::MAX)));
    assert_eq!(id(b"-9223372036854775808"), Ok(Id::Number(i64::MIN)));
    assert_eq!(id(br#""a\u0062""#), Id::try_from("ab"));
    for text in [b"1.5".as_slice(), b"1e3", b"-0", b"1.0", b"18446744073709551616", b"9223372036854775808"] {
        let id = RawValue::parse(text).and_then(Id::<64>::read);
        assert!(matches!(&id, Ok(Id::Decimal { text: number, .. }) if number.as_str().as_bytes() == text), "{id:?}");
    }
    for text in [b"true".as_slice(), b"[]", b"{}"] {
        let error = RawValue::parse(text).and_then(Id::<64>::read).expect_err("no id");
        assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidId, 0));
    }
}

#[test]
fn fr_006_a_request_is_built_with_a_string_or_an_integer_as_its_id() {
    let by_string = Request::new(Id::try_from("req-1").expect("to fit"), "m");
    assert_eq!(text(|out| by_string.write(out)), r#"{"jsonrpc":"2.0","method":"m","id":"req-1"}"#);
    assert_eq!(text(|out| Request::new(1, "m").write(out)), r#"{"jsonrpc":"2.0","method":"m","id":1}"#);
    assert_eq!(
        text(|out| Request::new(i64::MIN, "m").write(out)),
        r#"{"jsonrpc":"2.0","method":"m","id":-9223372036854775808}"#
    );
    assert_eq!(text(|out| Request::new(7_u8, "m").write(out)), r#"{"jsonrpc":"2.0","method":"m","id":7}"#);
    for dialect in [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP] {
        for written in [text(|out| by_string.write(out)), text(|out| Request::new(1, "m").write(out))] {
            assert!(Request::parse_as(written.as_bytes(), dialect).is_ok(), "{written}");
        }
    }
}

#[test]
fn fr_007_the_version_is_written_and_checked() {
    for version in ["\"1.0\"", "\"2.1\"", "2.0", "2", "null", "\"\"", "\"2.0.0\""] {
        for rest in [r#""method":"m","id":1"#, r#""method":"m""#, r#""result":1,"id":1"#] {
            let text = format!(r#"{{"jsonrpc":{version},{rest}}}"#);
            let rejection = Message::parse(text.as_bytes()).expect_err(&text);
            assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::InvalidVersion, 11), "{text}");
            let text = format!("{{{rest}}}");
            let rejection = Message::parse(text.as_bytes()).expect_err(&text);
            assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::MissingVersion, 0), "{text}");
        }
    }
    for written in [
        text(|out| Request::new(1, "m").write(out)),
        text(|out| Notification::new("m").write(out)),
        text(|out| Response::success(1, &true).write(out)),
        text(|out| Response::error(1, ErrorObject::INTERNAL_ERROR).write(out)),
    ] {
        assert!(written.starts_with(r#"{"jsonrpc":"2.0","#), "{written}");
    }
}

#[test]
fn fr_008_success_and_error_each_have_a_helper() {
    let id = Id::try_from("a").expect("to fit");
    let success = text(|out| Response::success(id.clone(), &[1, 2]).write(out));
    assert_eq!(success, r#"{"jsonrpc":"2.0","result":[1,2],"id":"a"}"#);
    let error = ErrorObject::new(-1, "no").with_data(&"why");
    let error = text(|out| Response::error(id, error).write(out));
    assert_eq!(error, r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"no","data":"why"},"id":"a"}"#);
    let other = text(|out| Response::error(1, ErrorObject::INVALID_PARAMS.with_message("two numbers")).write(out));
    assert_eq!(other, r#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"two numbers"},"id":1}"#);
}

#[test]
fn fr_009_absent_params_and_data_are_omitted() {
    assert_eq!(text(|out| Request::new(1, "m").write(out)), r#"{"jsonrpc":"2.0","method":"m","id":1}"#);
    assert_eq!(text(|out| Notification::new("m").write(out)), r#"{"jsonrpc":"2.0","method":"m"}"#);
    let error = text(|out| Response::error(1, ErrorObject::new(1, "e")).write(out));
    assert_eq!(error, r#"{"jsonrpc":"2.0","error":{"code":1,"message":"e"},"id":1}"#);
    // null params count as absent, a null result is a result, null data is data
    let request = Request::parse(br#"{"jsonrpc":"2.0","method":"m","params":null,"id":1}"#).expect("a request");
    assert_eq!(text(|out| request.write(out)), r#"{"jsonrpc":"2.0","method":"m","id":1}"#);
    for kept in [
        r#"{"jsonrpc":"2.0","result":null,"id":1}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"e","data":null},"id":1}"#,
    ] {
        let response = Response::parse(kept.as_bytes()).expect(kept);
        assert_eq!(text(|out| response.write(out)), kept);
    }
}

#[test]
fn fr_010_an_id_keeps_its_type_through_a_round_trip() {
    for id in [
        "1",
        "\"1\"",
        "0",
        "-1",
        "\"\"",
        "null",
        "\"null\"",
        "1.0",
        "\"1.0\"",
        "1e3",
        "1E3",
        "-0",
        "0.10",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "18446744073709551616",
        "1e400",
        "\"\\\"\\\\\\n\"",
        "\"é😀\"",
    ] {
        let request = format!(r#"{{"jsonrpc":"2.0","method":"m","id":{id}}}"#);
        let parsed = Request::parse(request.as_bytes()).expect(&request);
        assert_eq!(text(|out| parsed.write(out)), request);
        let response = text(|out| Response::success(parsed.id.clone(), &0).write(out));
        assert_eq!(response, format!(r#"{{"jsonrpc":"2.0","result":0,"id":{id}}}"#));
        assert_eq!(Response::parse(response.as_bytes()).expect(&response).id, parsed.id);
    }
}

#[test]
fn fr_011_result_and_error_together_are_refused() {
    for text in [
        r#"{"jsonrpc":"2.0","result":1,"error":{"code":1,"message":""},"id":1}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":""},"result":1,"id":1}"#,
        r#"{"jsonrpc":"2.0","result":null,"error":{"code":1,"message":""},"id":1}"#,
        r#"{"jsonrpc":"2.0","result":1,"error":null,"id":1}"#,
    ] {
        for dialect in [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP] {
            let rejection = Response::parse_as(text.as_bytes(), dialect).expect_err(text);
            assert_eq!(
                (rejection.kind(), rejection.id.and_then(RawValue::as_i64)),
                (ErrorKind::ConflictingMembers, Some(1)),
                "{text}"
            );
        }
    }
}

#[test]
fn fr_012_an_error_response_may_have_a_null_id() {
    let written = text(|out| Response::error(Id::Null, ErrorObject::PARSE_ERROR).write(out));
    assert_eq!(written, r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#);
    for dialect in [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::MCP] {
        let response = Response::parse_as(written.as_bytes(), dialect).expect(&written);
        assert_eq!((response.id, response.outcome), (Id::Null, Err(ErrorObject::PARSE_ERROR)));
    }
}
