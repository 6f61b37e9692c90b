//! Every row of the table of texts and of the table of dialects, for each dialect: kind, byte, code and recovered id.

use crate::common::{Ident, Rules, Verdict, held, id_of, observed, reference};
use nanojsonrpc::{Envelope, EnvelopeKind, Envelopes, Error, ErrorCode, Message, Refused, Response};

/// The fields of the answer to a refused text, besides the offset: kind, code, id.
type Refusal = (&'static str, i64, &'static str);

/// A row: the text, with `^` before the faulty byte, and the verdict of each dialect.
type Row = (&'static str, [Cell; 3]);

#[derive(Clone, Copy)]
enum Cell {
    Is(EnvelopeKind),
    Refused(Refusal),
}

const REQUEST: Cell = Cell::Is(EnvelopeKind::Request);
const NOTIFICATION: Cell = Cell::Is(EnvelopeKind::Notification);
const SUCCESS: Cell = Cell::Is(EnvelopeKind::Success);
const ERROR: Cell = Cell::Is(EnvelopeKind::Error);
const BATCH: Cell = Cell::Is(EnvelopeKind::Batch);

const fn syntax(kind: &'static str) -> [Cell; 3] {
    [Cell::Refused((kind, -32700, "null")); 3]
}

const fn no(kind: &'static str, id: &'static str) -> Cell {
    Cell::Refused((kind, -32600, id))
}

fn check(rows: &[Row]) {
    for (marked, cells) in rows {
        let offset = marked.find('^').unwrap_or(0);
        let text = marked.replace('^', "");
        for (rules, cell) in Rules::ALL.into_iter().zip(cells) {
            let parsed = Envelope::parse_as(text.as_bytes(), rules.dialect());
            match (cell, parsed) {
                (Cell::Is(kind), Ok(envelope)) => assert_eq!(envelope.kind(), *kind, "{rules:?}: {text}"),
                (Cell::Refused(refusal), Err(refused)) => {
                    let found = (format!("{:?}", refused.kind()), refused.code().0, refused.offset());
                    assert_eq!(found, (refusal.0.to_string(), refusal.1, offset), "{rules:?}: {text}");
                    let rejection = Message::parse_as(text.as_bytes(), rules.dialect()).expect_err("to be refused");
                    assert_eq!(rejection.error, refused.error, "{rules:?}: {text}");
                    answers(rejection, *refusal, &format!("{rules:?}: {text}"));
                }
                (_, parsed) => panic!("{rules:?}: {text}: {parsed:?}"),
            }
            assert_eq!(observed(text.as_bytes(), rules), reference(text.as_bytes(), rules), "{rules:?}: {text}");
        }
    }
}

/// The error response to send names code and id; a text that looks like a response may go without one.
fn answers(rejection: Refused<'_>, (_, code, id): Refusal, what: &str) {
    let shown = match held(&id_of(&rejection)) {
        Ident::Null => "null".to_string(),
        Ident::Number(number) => number,
        Ident::String(string) => format!("{string:?}"),
    };
    assert_eq!(shown, id, "{what}");
    let Some(answer) = rejection.answer() else {
        assert!(what.contains("\"result\"") || what.contains("\"error\""), "no answer to {what}");
        return;
    };
    let mut out = [0; 256];
    let len = answer.write(&mut out).expect("room enough");
    let answer = Response::parse(&out[..len]).expect("an answer");
    assert_eq!(answer.outcome.expect_err("an error").code, ErrorCode(code), "{what}");
    assert!(str::from_utf8(&out[..len]).expect("text").ends_with(&format!("\"id\":{id}}}")), "{what}");
}

#[test]
fn a_text_that_is_not_json_is_a_parse_error_without_an_id() {
    check(&[
        ("^", syntax("UnexpectedEnd")),
        ("  ^", syntax("UnexpectedEnd")),
        ("^\u{feff}{}", syntax("ExpectedValue")),
        (r#"{"jsonrpc":"2.0","method":"m","id":1^"#, syntax("UnexpectedEnd")),
        (r#"{"jsonrpc":"2.0","method":"m","id":1}^x"#, syntax("TrailingData")),
        (r#"{"jsonrpc":"2.0","method":"m","id":1}^{}"#, syntax("TrailingData")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m^"#, syntax("UnexpectedEnd")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"\^q"}"#, syntax("InvalidEscape")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"\ud800^"}"#, syntax("LoneSurrogate")),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"^\n\"}", syntax("ControlCharacter")),
        (r#"{"jsonrpc":"2.0","id":0^1,"method":"m"}"#, syntax("InvalidNumber")),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"m"},^]"#, syntax("ExpectedValue")),
    ]);
}

#[test]
fn a_text_beyond_the_depth_is_a_parse_error_that_says_depth() {
    let mut text = String::from(r#"{"jsonrpc":"2.0","method":"m","id":1,"params":"#);
    let offset = text.len() + nanojsonrpc::MAX_DEPTH - 1;
    text.push_str(&"[".repeat(nanojsonrpc::MAX_DEPTH));
    for rules in Rules::ALL {
        let rejection = Message::parse_as(text.as_bytes(), rules.dialect()).expect_err("to be refused");
        assert_eq!(rejection.to_string(), format!("nested too deeply at byte {offset}"));
        assert_eq!((rejection.code(), id_of(&rejection).is_null()), (ErrorCode::PARSE_ERROR, true));
    }
}

#[test]
fn a_scalar_is_no_message() {
    let refused = [no("NotAMessage", "null"); 3];
    check(&[
        ("^1", refused),
        ("^-0", refused),
        (" ^null", refused),
        ("^true", refused),
        ("^false", refused),
        (r#"^"2.0""#, refused),
    ]);
}

#[test]
fn an_array_is_a_batch_where_the_dialect_has_them() {
    let not_here = no("BatchNotAllowed", "null");
    check(&[
        ("^[]", [no("EmptyBatch", "null"), not_here, not_here]),
        (" ^[ ]", [no("EmptyBatch", "null"), not_here, not_here]),
        ("^[1]", [BATCH, not_here, not_here]),
        ("^[[]]", [BATCH, not_here, not_here]),
        (r#"^[{"jsonrpc":"2.0","method":"m"}]"#, [BATCH, not_here, not_here]),
    ]);
}

#[test]
fn each_element_of_a_batch_is_judged_alone() {
    let text = concat!(
        r#"[1,[],[{"jsonrpc":"2.0","method":"m","id":1}],null,"x",{},{"jsonrpc":"2.0","method":"m"},"#,
        r#" {"jsonrpc":"2.0","method":1,"id":"a"} , {"jsonrpc":"2.0","result":null,"id":1.50},"#,
        r#"{"jsonrpc":"2.0","method":"m","id":2,"x":1,"y":2,"z":{}},"#,
        r#"{"jsonrpc":"2.0","method":"m","id":3,"id":3},{"jsonrpc":"2.0","method":"m","id":[4]}]"#
    );
    assert_eq!(observed(text.as_bytes(), Rules::JsonRpc), reference(text.as_bytes(), Rules::JsonRpc));
    let Ok(Message::Batch(batch)) = Message::parse(text.as_bytes()) else { panic!("no batch: {text}") };
    let refused: Vec<String> =
        batch.elements().filter_map(Result::err).map(|refused| format!("{refused} for {}", id_of(&refused))).collect();
    let at = |part: &str| text.find(part).expect("a part");
    let expected = [
        "not an object or array at byte 1 for null".to_string(),
        "not an object or array at byte 3 for null".to_string(),
        "not an object or array at byte 6 for null".to_string(),
        format!("not an object or array at byte {} for null", at("null")),
        format!("not an object or array at byte {} for null", at("\"x\"")),
        format!("missing jsonrpc at byte {} for null", at("{}")),
        format!("invalid method at byte {} for a", at("1,\"id\":\"a\"")),
        format!("repeated member at byte {} for null", at("3},")),
        format!("invalid id at byte {} for null", at("[4]")),
    ];
    assert_eq!(refused, expected);
    // a server, which reads envelopes, refuses the same ones
    let errors: Vec<Error> = batch.elements().filter_map(Result::err).map(|refused| refused.error).collect();
    let envelopes = Envelopes::new(text.as_bytes(), Rules::JsonRpc.dialect());
    assert_eq!(envelopes.filter_map(Result::err).map(|refused| refused.error).collect::<Vec<_>>(), errors);
}

#[test]
fn the_version_is_the_string_2_0() {
    let missing = [no("MissingVersion", "1"); 3];
    let invalid = [no("InvalidVersion", "1"); 3];
    check(&[
        (r#"^{"method":"m","id":1}"#, missing),
        (r#" ^{"id":1,"result":1}"#, missing),
        (r#"^{"jsonRPC":"2.0","method":"m","id":1}"#, missing),
        (r#"{"jsonrpc":^2.0,"method":"m","id":1}"#, invalid),
        (r#"{"jsonrpc":^2,"method":"m","id":1}"#, invalid),
        (r#"{"jsonrpc":^null,"method":"m","id":1}"#, invalid),
        (r#"{"jsonrpc":^"1.0","method":"m","id":1}"#, invalid),
        (r#"{"jsonrpc":^"2","method":"m","id":1}"#, invalid),
        (r#"{"jsonrpc":^"2.0 ","method":"m","id":1}"#, invalid),
        (r#"{"jsonrpc":^"2.00","method":"m","id":1}"#, invalid),
        (r#"{"jsonrpc":^"","method":"m","id":1}"#, invalid),
        (r#"{"jsonrpc":^["2.0"],"method":"m","id":1}"#, invalid),
        (r#"{"jsonrpc":^{"method":"x","id":2},"method":"m","id":1}"#, invalid),
        (r#"{"jsonrpc":"\u0032.0","method":"m","id":1}"#, [REQUEST; 3]),
    ]);
}

#[test]
fn exactly_one_of_method_result_and_error_is_there() {
    let missing = [no("MissingMember", "1"); 3];
    let conflict = [no("ConflictingMembers", "1"); 3];
    check(&[
        (r#"^{"jsonrpc":"2.0","id":1}"#, missing),
        (r#"^{"jsonrpc":"2.0","params":[],"id":1}"#, missing),
        (r#"{"jsonrpc":"2.0","method":"m","result":^1,"id":1}"#, conflict),
        (r#"{"jsonrpc":"2.0","method":"m","error":^{"code":1,"message":""},"id":1}"#, conflict),
        (r#"{"jsonrpc":"2.0","result":1,"error":^{"code":1,"message":""},"id":1}"#, conflict),
        (r#"{"jsonrpc":"2.0","result":null,"error":^null,"id":1}"#, conflict),
        (r#"{"jsonrpc":"2.0","method":"m","result":1,"error":^null,"id":1}"#, conflict),
    ]);
}

#[test]
fn a_method_is_a_string_that_is_not_empty() {
    let refused = [no("InvalidMethod", "1"); 3];
    check(&[
        (r#"{"jsonrpc":"2.0","method":^1,"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","method":^null,"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","method":^["m"],"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","method":^"","id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","method":^1,"params":"bar"}"#, [no("InvalidMethod", "null"); 3]),
    ]);
}

#[test]
fn params_are_what_the_dialect_allows() {
    let refused = no("InvalidParams", "1");
    check(&[
        (r#"{"jsonrpc":"2.0","method":"m","id":1}"#, [REQUEST; 3]),
        (r#"{"jsonrpc":"2.0","method":"m","params":{},"id":1}"#, [REQUEST; 3]),
        (r#"{"jsonrpc":"2.0","method":"m","params":^[],"id":1}"#, [REQUEST, REQUEST, refused]),
        (r#"{"jsonrpc":"2.0","method":"m","params":^null,"id":1}"#, [REQUEST, REQUEST, refused]),
        (r#"{"jsonrpc":"2.0","method":"m","params":^1,"id":1}"#, [refused, REQUEST, refused]),
        (r#"{"jsonrpc":"2.0","method":"m","params":^"a","id":1}"#, [refused, REQUEST, refused]),
        (r#"{"jsonrpc":"2.0","method":"m","params":^false,"id":1}"#, [refused, REQUEST, refused]),
        // params beside a result are an unknown member
        (r#"{"jsonrpc":"2.0","result":1,"params":1,"id":1}"#, [SUCCESS; 3]),
    ]);
}

#[test]
fn the_id_tells_a_request_from_a_notification() {
    let refused = no("InvalidId", "null");
    check(&[
        (r#"{"jsonrpc":"2.0","method":"m"}"#, [NOTIFICATION; 3]),
        (r#"{"jsonrpc":"2.0","method":"m","ID":1}"#, [NOTIFICATION; 3]),
        (r#"{"jsonrpc":"2.0","method":"m","id":""}"#, [REQUEST; 3]),
        (r#"{"jsonrpc":"2.0","method":"m","id":9223372036854775808}"#, [REQUEST; 3]),
        (r#"{"jsonrpc":"2.0","method":"m","id":^null}"#, [REQUEST, refused, refused]),
        (r#"{"jsonrpc":"2.0","method":"m","id":^1.0}"#, [REQUEST, refused, refused]),
        (r#"{"jsonrpc":"2.0","method":"m","id":^1e3}"#, [REQUEST, refused, refused]),
        (r#"{"jsonrpc":"2.0","method":"m","id":^true}"#, [refused; 3]),
        (r#"{"jsonrpc":"2.0","method":"m","id":^[1]}"#, [refused; 3]),
        (r#"{"jsonrpc":"2.0","method":"m","id":^{}}"#, [refused; 3]),
    ]);
}

#[test]
fn a_result_is_any_value_under_an_id() {
    let refused = no("InvalidId", "null");
    check(&[
        (r#"{"jsonrpc":"2.0","result":null,"id":1}"#, [SUCCESS; 3]),
        (r#"{"jsonrpc":"2.0","result":false,"id":"a"}"#, [SUCCESS; 3]),
        (r#"{"jsonrpc":"2.0","result":1,"id":^null}"#, [SUCCESS, refused, refused]),
        (r#"{"jsonrpc":"2.0","result":1,"id":^1.5}"#, [SUCCESS, refused, refused]),
        (r#"{"jsonrpc":"2.0","result":1,"id":^false}"#, [refused; 3]),
        (r#"^{"jsonrpc":"2.0","result":1}"#, [no("MissingId", "null"); 3]),
    ]);
}

#[test]
fn an_error_is_an_object_with_code_and_message() {
    let refused = [no("InvalidErrorObject", "1"); 3];
    let missing = no("MissingId", "null");
    check(&[
        (r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"m"},"id":1}"#, [ERROR; 3]),
        (r#"{"jsonrpc":"2.0","error":{"x":1,"message":"","data":null,"code":7},"id":"a"}"#, [ERROR; 3]),
        (r#"{"jsonrpc":"2.0","error":{"code":9223372036854775807,"message":""},"id":null}"#, [ERROR; 3]),
        (r#"{"jsonrpc":"2.0","error":{"code":-9223372036854775808,"message":""},"id":1}"#, [ERROR; 3]),
        (r#"{"jsonrpc":"2.0","error":{"code":-0,"message":""},"id":1}"#, [ERROR; 3]),
        (r#"{"jsonrpc":"2.0","error":^{"code":-0.0,"message":""},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":{"c\u006fde":1,"\u006dessage":"m"},"id":1}"#, [ERROR; 3]),
        (r#"{"jsonrpc":"2.0","error":{"data":{"code":[],"message":1},"code":1,"message":"m"},"id":1}"#, [ERROR; 3]),
        (r#"{"jsonrpc":"2.0","result":{"error":{"code":1,"code":2}},"id":1}"#, [SUCCESS; 3]),
        (r#"^{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#, [missing, missing, ERROR]),
        (r#"{"jsonrpc":"2.0","error":^{"code":9223372036854775808,"message":""},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^{"code":-9223372036854775809,"message":""},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^{"code":18446744073709551617,"message":""},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^{"code":1.0,"message":""},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^{"code":1e3,"message":""},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^{"code":"1","message":""},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^{"code":1,"message":null},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^{"code":1},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^{"message":""},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^{},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^[],"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^[{"code":1,"message":"","code":2}],"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^"m","id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":^null,"id":1}"#, refused),
    ]);
}

#[test]
fn a_member_of_the_error_object_that_comes_twice_is_a_repeated_member() {
    check(&[
        (r#"{"jsonrpc":"2.0","error":{"code":1,"message":"","message":^""},"id":1}"#, [no("RepeatedMember", "1"); 3]),
        (r#"{"jsonrpc":"2.0","error":{"code":1,"message":"","c\u006fde":^1}}"#, [no("RepeatedMember", "null"); 3]),
        (r#"{"jsonrpc":"2.0","error":{"data":1,"data":^1},"method":"m","id":1}"#, [no("RepeatedMember", "1"); 3]),
    ]);
}

#[test]
fn names_may_be_escaped_from_their_first_letter_on() {
    check(&[
        (r#"{"\u006asonrpc":"2.0","\u006dethod":"m","\u0070arams":{},"\u0069d":1}"#, [REQUEST; 3]),
        (r#"{"jsonrpc":"2.0","\u0072esult":1,"id":1}"#, [SUCCESS; 3]),
        (r#"{"jsonrpc":"2.0","\u0065rror":{"\u0063ode":1,"\u006dessage":"m","\u0064ata":[1]},"id":1}"#, [ERROR; 3]),
        (r#"{"jsonrpc":"2.0","error":{"data":1,"\u0064ata":^1},"id":1}"#, [no("RepeatedMember", "1"); 3]),
        (r#"{"jsonrpc":"2.0","error":{},"\u0065rror":^{},"id":1}"#, [no("RepeatedMember", "1"); 3]),
        // an escaped quotation mark does not end a name
        (r#"{"jsonrpc":"2.0","method":"m","id\u0022":1}"#, [NOTIFICATION; 3]),
    ]);
}

#[test]
fn an_envelope_member_that_comes_twice_is_refused() {
    let refused = [no("RepeatedMember", "1"); 3];
    check(&[
        (r#"{"jsonrpc":"2.0","jsonrpc":^"2.0","method":"m","id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","method":"m","method":^"m","id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","method":"m","m\u0065thod":^"n","id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","params":{},"method":"m","params":^{},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","result":1,"result":^1,"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":null,"error":^null,"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","error":{"code":1,"message":""},"error":^{"code":1,"message":""},"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","method":"m","id":1,"id":^1}"#, [no("RepeatedMember", "null"); 3]),
        // the first of two
        (r#"{"jsonrpc":"2.0","method":"m","method":^"m","params":[],"params":[],"id":1}"#, refused),
        (r#"{"jsonrpc":"2.0","x":1,"x":2,"method":"m","y":1,"id":1}"#, [REQUEST; 3]),
        (r#"{"jsonrpc":"2.0","method":"m","x":{"id":1,"id":1},"id":1}"#, [REQUEST; 3]),
    ]);
}

#[test]
fn the_id_is_recovered_from_wherever_it_stands() {
    check(&[
        (r#"{"id":"a","jsonrpc":"2.0","method":^1}"#, [no("InvalidMethod", "\"a\""); 3]),
        (r#"{"jsonrpc":"2.0","method":^1,"id":-5}"#, [no("InvalidMethod", "-5"); 3]),
        (
            r#"{"jsonrpc":"2.0","method":^1,"id":1.50}"#,
            [no("InvalidMethod", "1.50"), no("InvalidMethod", "null"), no("InvalidMethod", "null")],
        ),
        (r#"{"jsonrpc":"2.0","method":^1,"id":{}}"#, [no("InvalidMethod", "null"); 3]),
        (r#"{"jsonrpc":"2.0","method":^1}"#, [no("InvalidMethod", "null"); 3]),
        (r#"{"jsonrpc":"2.0","method":^1,"x":{"id":1}}"#, [no("InvalidMethod", "null"); 3]),
    ]);
}

#[test]
fn an_object_of_a_kind_that_was_not_asked_for_says_where_it_begins() {
    let text = br#"  {"jsonrpc":"2.0","method":"m"}"#;
    assert_eq!(observed(text, Rules::Mcp), Verdict::Notification { method: "m".to_string(), params: None });
    let rejection = nanojsonrpc::Request::parse(text).expect_err("to be refused");
    assert_eq!(rejection.to_string(), "another kind of message at byte 2");
}

#[test]
fn a_message_from_the_wrong_side_says_where_it_begins_and_is_answered_only_if_it_is_a_request() {
    let response = br#"  {"jsonrpc":"2.0","result":1,"id":"a"}"#;
    let rejection = Envelope::parse(response)
        .and_then(nanojsonrpc::message::ClientMessage::<64, 64>::try_from)
        .expect_err("to be refused");
    assert_eq!(rejection.to_string(), "another kind of message at byte 2");
    assert!(rejection.answer().is_none());
    let request = br#"  {"jsonrpc":"2.0","method":"m","id":"a"}"#;
    let rejection = Envelope::parse(request)
        .and_then(nanojsonrpc::message::ServerMessage::<64, 64>::try_from)
        .expect_err("to be refused");
    assert_eq!(rejection.to_string(), "another kind of message at byte 2");
    assert_eq!(rejection.answer().expect("an answer").id.as_str(), Some("a"));
}

#[test]
fn a_name_in_any_spelling_may_stand_before_any_number() {
    for escapes in 0..8 {
        for letters in 0..8 {
            let name = ["\\u006d".repeat(escapes), "m".repeat(letters)].concat();
            for number in
                ["1", "-12", "1234567", "12345678", "1e5", "1234e5", "12345e5", "123456e5", "-1.25e5", "1.234567"]
            {
                for text in [
                    format!(r#"{{"jsonrpc":"2.0","method":"m","{name}":{number}}}"#),
                    format!(
                        r#"{{"jsonrpc":"2.0","{name}": {number},"error":{{"code":1,"message":"m","{name}":{number}}},"id":1}}"#
                    ),
                ] {
                    assert!(Message::parse(text.as_bytes()).is_ok(), "{text}");
                }
            }
        }
    }
}
