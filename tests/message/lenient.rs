//! The lenient dialect, and each of its rules alone.

use nanojsonrpc::client::{Answer, Client};
use nanojsonrpc::{
    Dialect, Envelope, EnvelopeKind, ErrorKind, Message, Notification, Response, Router, Server, Writer,
};
use serde_json::Value;

use crate::lenient_reference::reference;

const STRICT: Dialect = Dialect::JSON_RPC;
const LENIENT: Dialect = Dialect::LENIENT;

/// The verdict on a text, as text.
fn read(text: &str, dialect: Dialect) -> String {
    let part = |part: Option<nanojsonrpc::RawValue<'_>>| part.map_or("-".to_owned(), |part| part.to_string());
    match Envelope::parse_as(text.as_bytes(), dialect) {
        Ok(message) => {
            let payload = message.params().or(message.result()).or(message.error());
            format!("{:?} {} {} {}", message.kind(), part(message.id()), message.method(), part(payload))
        }
        Err(refused) => refused.kind().to_string(),
    }
}

#[test]
fn each_rule_is_a_setting_of_its_own() {
    let version = STRICT.with_any_version();
    let outcome = STRICT.with_any_outcome();
    let params = STRICT.with_any_params();
    let null = STRICT.with_null_id_as_notification();
    let cases = [
        (r#"{"id":1,"method":"m"}"#, version, "Request 1 m -", ErrorKind::MissingVersion),
        (r#"{"jsonrpc":2,"id":1,"method":"m"}"#, version, "Request 1 m -", ErrorKind::InvalidVersion),
        (r#"{"jsonrpc":"1.0","id":1,"result":0}"#, version, "Success 1  0", ErrorKind::InvalidVersion),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":0}"#, params, "Request 1 m 0", ErrorKind::InvalidParams),
        (r#"{"jsonrpc":"2.0","id":1,"result":5,"error":null}"#, outcome, "Success 1  5", ErrorKind::ConflictingMembers),
        (r#"{"jsonrpc":"2.0","id":1,"result":null,"error":5}"#, outcome, "Error 1  5", ErrorKind::ConflictingMembers),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":null,"error":null}"#,
            outcome,
            "Success 1  null",
            ErrorKind::ConflictingMembers,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"error":null}"#, outcome, "Success 1  null", ErrorKind::InvalidErrorObject),
        (r#"{"jsonrpc":"2.0","id":1,"error":"text"}"#, outcome, "Error 1  \"text\"", ErrorKind::InvalidErrorObject),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","result":5}"#, outcome, "Success 1  5", ErrorKind::ConflictingMembers),
        (
            r#"{"jsonrpc":"2.0","error":[404,"Not Found"]}"#,
            outcome,
            "Error -  [404,\"Not Found\"]",
            ErrorKind::MissingId,
        ),
        (r#"{"jsonrpc":"2.0","result":true}"#, outcome, "Success -  true", ErrorKind::MissingId),
    ];
    for (text, dialect, expected, refused) in cases {
        assert_eq!(read(text, dialect), expected, "{text}");
        assert_eq!(read(text, LENIENT), expected, "{text}");
        assert_eq!(read(text, STRICT), refused.to_string(), "{text}");
        for other in [version, outcome, params, null].into_iter().filter(|other| *other != dialect) {
            assert_eq!(read(text, other), refused.to_string(), "{text} {other:?}");
        }
    }
    let text = r#"{"jsonrpc":"2.0","method":"m","id":null}"#;
    assert_eq!((read(text, null), read(text, LENIENT)), ("Notification - m -".into(), "Notification - m -".into()));
    for other in [version, outcome, params, STRICT] {
        assert_eq!(read(text, other), "Request null m -", "{other:?}");
    }
}

#[test]
fn the_lenient_dialect_keeps_the_laws() {
    for (text, expected) in [
        (r#"{"id":1,"id":1,"method":"m"}"#, "repeated member"),
        (r#"{"ID":1,"METHOD":"m"}"#, "\"method\", \"result\" or \"error\" is missing"),
        (r#"{"id":1,"result":1,"error":1}"#, "conflicting members"),
        (r#"{"id":true,"method":"m"}"#, "invalid id"),
        (r#"{"id":1,"method":""}"#, "invalid method"),
        (r#"{"id":1,"method":"m""#, "unexpected end"),
        ("[]", "empty batch"),
        ("7", "not an object or array"),
    ] {
        let shown = read(text, LENIENT);
        assert!(shown == expected || Envelope::parse_as(text.as_bytes(), LENIENT).is_err(), "{text}: {shown}");
    }
    assert_eq!(format!("{STRICT:?}").matches("false").count() - format!("{LENIENT:?}").matches("false").count(), 4);
}

#[test]
fn a_server_answers_with_the_version_of_the_request() {
    let router = Router::new()
        .request("m", |seen: &mut Vec<String>| {
            seen.push("m".into());
            Ok(())
        })
        .notification("n", |seen: &mut Vec<String>| seen.push("n".into()));
    let mut seen = Vec::new();
    let mut answer = |text: &str, dialect| {
        let mut server = Server::new(router).with_dialect(dialect);
        let mut output = [0; 512];
        server
            .process(&mut seen, text.as_bytes(), &mut output)
            .answer()
            .map(|answer| String::from_utf8(answer.into()).unwrap())
    };
    let with = r#"{"jsonrpc":"2.0","result":null,"id":1}"#.to_owned();
    let without = r#"{"result":null,"id":1}"#.to_owned();
    assert_eq!(answer(r#"{"id":1,"method":"m"}"#, LENIENT), Some(without.clone()));
    assert_eq!(answer(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, LENIENT), Some(with.clone()));
    assert_eq!(answer(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, LENIENT.without_version()), Some(without.clone()));
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"m"},{"id":1,"method":"m"},7,{"id":1,"method":"x"}]"#;
    let invalid = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":null}"#;
    let unknown = r#"{"error":{"code":-32601,"message":"Method not found"},"id":1}"#;
    assert_eq!(answer(batch, LENIENT), Some(format!("[{with},{without},{invalid},{unknown}]")));
    assert_eq!(
        answer("{", LENIENT.without_version()),
        Some(r#"{"error":{"code":-32700,"message":"Parse error"},"id":null}"#.into())
    );
    assert_eq!(answer(r#"{"id":null,"method":"n"}"#, LENIENT), None);
    assert_eq!(answer(r#"{"id":null,"method":"m"}"#, LENIENT), None);
    assert_eq!(seen, ["m", "m", "m", "m", "m", "n"]);
    let mut server = Server::new(router).with_dialect(LENIENT.without_version());
    let refused = nanojsonrpc::ErrorObject::PARSE_ERROR;
    assert_eq!(
        server.refuse(refused, &mut [0; 96]).answer(),
        Some(&br#"{"error":{"code":-32700,"message":"Parse error"},"id":null}"#[..])
    );
    _ = server.process(&mut seen, b"{", &mut [0; 8]);
}

#[test]
fn a_message_is_written_without_a_version() {
    let old = LENIENT.without_version();
    let mut buffer = [0; 256];
    let mut out = Writer::new(&mut buffer);
    let mut client: Client<(), 4> = Client::new().with_dialect(old);
    client.call("a", &[1], (), &mut out).unwrap();
    client.notify("b", &(), &mut out).unwrap();
    out.message_as(&Response::success(7, &()), old).unwrap();
    out.message_as(&Notification::new("c"), old).unwrap();
    assert_eq!(
        out.written(),
        br#"{"method":"a","params":[1],"id":1}{"method":"b"}{"result":null,"id":7}{"method":"c"}"#
    );
    let request = Envelope::parse_as(br#"{"method":"m","id":"x"}"#, LENIENT).unwrap();
    let mut out = [0; 64];
    let len = request.write_response(Ok(&1), &mut out).unwrap();
    assert_eq!(&out[..len], br#"{"result":1,"id":"x"}"#);
    let held = Message::parse_as(br#"{"method":"m","id":"x"}"#, LENIENT).unwrap();
    assert!(matches!(held, Message::Request(_)));
}

#[test]
fn an_error_of_any_type_lends_its_code_and_message() {
    for (error, code, message, data) in [
        (r#"{"code":7,"message":"m","data":1}"#, 7, "m", Some("1")),
        (r#"{"message":"Must home","error":"WebRequestError"}"#, 0, "Must home", None),
        (r#"{"code":"E7","message":5}"#, 0, "", None),
        (r#"{"error":"WebRequestError"}"#, 0, "", Some(r#"{"error":"WebRequestError"}"#)),
        (r#"[20,{"code":5},", x"]"#, 0, "", Some(r#"[20,{"code":5},", x"]"#)),
        (r#""code""#, 0, "", Some(r#""code""#)),
        ("404", 0, "", Some("404")),
        ("[]", 0, "", Some("[]")),
        ("true", 0, "", Some("true")),
    ] {
        let text = format!(r#"{{"id":1,"error":{error}}}"#);
        let response = Envelope::parse_as(text.as_bytes(), LENIENT).unwrap();
        let object = response.error_object().unwrap();
        assert_eq!((object.code.0, object.message.to_string().as_str()), (code, message), "{error}");
        assert_eq!(object.data.map(|data| data.to_string()).as_deref(), data, "{error}");
        assert_eq!(response.error().unwrap().as_json(), error);
        assert_eq!(response.get("error").unwrap().as_json(), error);
    }
}

#[test]
fn a_lenient_client_takes_an_answer_without_an_id_for_its_only_call() {
    let mut client: Client<char, 2> = Client::new().with_dialect(LENIENT);
    let mut buffer = [0; 128];
    let mut out = Writer::new(&mut buffer);
    let answer =
        Envelope::parse_as(br#"{"method":"setPilot","env":"pro","result":{"success":true}}"#, LENIENT).unwrap();
    assert_eq!(client.accept(&answer), Some(Answer::NullId));
    client.call("setPilot", &(), 'a', &mut out).unwrap();
    client.call("setPilot", &(), 'b', &mut out).unwrap();
    assert_eq!(client.accept(&answer), Some(Answer::NullId));
    assert_eq!(client.cancel(&1.into()), Some('a'));
    assert_eq!(client.accept(&answer), Some(Answer::To('b')));
}

#[test]
fn another_member_is_read_alone_and_in_a_batch() {
    let one = br#"{"id":1,"src":"user_1","method":"m"}"#;
    let call = Envelope::parse_as(one, LENIENT).unwrap();
    assert_eq!(call.get("src").unwrap().as_json(), "\"user_1\"");
    assert!(call.get("dst").is_none());
    let batch = Envelope::parse_as(
        br#"[{"id":1,"src":1,"method":"m"},{"id":2,"src":2,"result":0},{"src":3,"error":0}]"#,
        LENIENT,
    )
    .unwrap();
    let found: Vec<_> =
        batch.batch().unwrap().elements().map(|one| one.unwrap().get("src").unwrap().as_i64()).collect();
    assert_eq!(found, [Some(1), Some(2), Some(3)]);
    assert_eq!(batch.kind(), EnvelopeKind::Batch);
    let mut client: Client<char, 2> = Client::new().with_dialect(LENIENT);
    let received: Vec<_> = client.receive(br#"[{"jsonrpc":"2.0","method":"a"},{"method":"b"}]"#).collect();
    assert!(
        received.iter().all(|incoming| matches!(incoming, nanojsonrpc::client::Incoming::Notification(_))),
        "{received:?}"
    );
}

#[test]
fn every_combination_of_members_is_read_as_the_reference_reads_it() {
    const VALUES: [Option<&str>; 6] =
        [None, Some("null"), Some("1"), Some("\"x\""), Some("[2]"), Some("{\"code\":1,\"message\":\"m\"}")];
    let members = ["jsonrpc", "id", "method", "params", "result", "error"];
    for case in 0..6usize.pow(6) {
        let mut rest = case;
        let mut text = String::from("{\"z\":0");
        for name in members {
            if let Some(value) = VALUES[rest % 6] {
                text += &format!(",\"{name}\":{value}");
            }
            rest /= 6;
        }
        text.push('}');
        let expected = reference(&serde_json::from_str(&text).unwrap());
        let found = Envelope::parse_as(text.as_bytes(), LENIENT).ok();
        let payload = |message: &Envelope<'_>| {
            let payload = message.params().or(message.result()).or(message.error());
            payload.map(|payload| serde_json::from_str::<Value>(payload.as_json()).unwrap())
        };
        assert_eq!(found.map(|message| (message.kind(), payload(&message))), expected, "{text}");
    }
}

#[test]
fn a_rule_that_is_set_again_changes_nothing_and_leaves_the_others() {
    let rules: [fn(Dialect) -> Dialect; 7] = [
        Dialect::with_any_version,
        Dialect::with_any_params,
        Dialect::with_any_outcome,
        Dialect::with_any_spelling,
        Dialect::with_null_id_as_notification,
        Dialect::without_version,
        |dialect| dialect.with_max_batch(7),
    ];
    for base in [STRICT, LENIENT, Dialect::MCP] {
        for first in rules {
            assert_eq!(first(first(base)), first(base), "{base:?}");
            for second in rules {
                assert_eq!(first(second(base)), second(first(base)), "{base:?}");
            }
        }
    }
    assert_eq!(LENIENT.with_max_batch(7).with_any_params().max_batch(), 7);
}

#[test]
fn a_server_that_writes_no_version_answers_a_message_without_one_in_kind() {
    let mut server =
        Server::new(Router::new().request("m", |_: &mut ()| Ok(1))).with_dialect(LENIENT.without_version());
    for text in [r#"{"id":1,"method":"m"}"#, r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#] {
        let mut output = [0; 128];
        let answer = server.process(&mut (), text.as_bytes(), &mut output).answer();
        assert_eq!(answer, Some(&br#"{"result":1,"id":1}"#[..]), "{text}");
    }
}
