//! The laws of the design, as far as the public API can show them.

use crate::common::{Ident, Rules, Verdict, held, id_of, json, observed, verdict};
use crate::written_by::written_by;
use nanojsonrpc::{
    Envelope, Error, ErrorKind, ErrorObject, Id, Message, Notification, Params, RawValue, Refused, Request, Response,
    Router, Server,
    json::{ValueWriter, Written},
    message::{BatchWriter, ClientMessage, ServerMessage},
};

/// Texts of every kind: valid, refused by the rules, refused by the grammar, batches.
const TEXTS: [&str; 24] = [
    r#"{"jsonrpc":"2.0","method":"m","id":1}"#,
    r#"{"jsonrpc":"2.0","method":"m"}"#,
    r#"{"jsonrpc":"2.0","result":1,"id":1}"#,
    r#"{"jsonrpc":"2.0","error":{"code":1,"message":"e"},"id":null}"#,
    r#"[{"jsonrpc":"2.0","method":"m"}]"#,
    "",
    "{",
    "[]",
    "1",
    "tru",
    r#"{"jsonrpc":"2.0"}"#,
    r#"{"jsonrpc":"1.0","method":"m","id":1}"#,
    r#"{"method":"m","id":1}"#,
    r#"{"jsonrpc":"2.0","method":1,"id":"a"}"#,
    r#"{"jsonrpc":"2.0","method":"m","id":[]}"#,
    r#"{"jsonrpc":"2.0","method":"m","params":1,"id":2}"#,
    r#"{"jsonrpc":"2.0","method":"m","id":1,"id":1}"#,
    r#"{"jsonrpc":"2.0","result":1}"#,
    r#"{"jsonrpc":"2.0","result":1,"error":1,"id":1.5}"#,
    r#"{"jsonrpc":"2.0","error":{},"id":1}"#,
    r#"{"jsonrpc":"2.0","method":"m","id":1}}"#,
    r#"{"jsonrpc":"2.0","method":"m","id":01}"#,
    r#"{"jsonrpc":"2.0","method":"\ud800","id":1}"#,
    r#"[{"jsonrpc":"2.0","method":"m"},]"#,
];

#[test]
fn a_request_that_is_held_in_place_has_the_verdict_of_one_that_is_returned() {
    let (long, longest) = ("i".repeat(65), "\\u20ac".repeat(21));
    let more = [
        format!(r#"{{"jsonrpc":"2.0","method":"{long}","id":"{longest}"}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"m","id":"{long}"}}"#),
        format!(r#" {{"jsonrpc":"2.0","method":"{long}","id":"{long}"}}"#),
        format!(r#"{{"jsonrpc":"2.0","params":[1],"method":"{longest}","id":"é\ud83d\ude00\u0000"}}"#),
        r#"{"jsonrpc":"2.0","method":"m","id":null}"#.into(),
        r#"{"jsonrpc":"2.0","method":"m","id":-0}"#.into(),
    ];
    let mut request: Request<'_> = Request::default();
    for text in TEXTS.into_iter().chain(more.iter().map(String::as_str)) {
        for rules in Rules::ALL {
            let (bytes, dialect) = (text.as_bytes(), rules.dialect());
            let outcome = Envelope::parse_as(bytes, dialect).and_then(|envelope| request.hold(&envelope));
            match Request::parse_as(bytes, dialect) {
                Ok(returned) => assert_eq!((outcome, &request), (Ok(()), &returned), "{rules:?}: {text}"),
                Err(rejection) => assert_eq!(outcome, Err(rejection), "{rules:?}: {text}"),
            }
        }
    }
}

#[test]
fn a_message_that_is_held_in_place_has_the_verdict_of_one_that_is_returned() {
    let (long, longest) = ("i".repeat(65), "\\u20ac".repeat(21));
    let mut more = Vec::new();
    for id in [&long, &longest, "\\u0061"] {
        for method in [&long, &longest, "m"] {
            more.push(format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":"{id}"}}"#));
            more.push(format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":[1]}}"#));
            more.push(format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":1,"id":"{id}"}}"#));
        }
        more.push(format!(r#" {{"jsonrpc":"2.0","result":[],"id":"{id}"}}"#));
        more.push(format!(r#"{{"jsonrpc":"2.0","error":{{"code":-0,"message":"a","data":1}},"id":"{id}"}}"#));
    }
    let texts: Vec<&str> = TEXTS.into_iter().chain(more.iter().map(String::as_str)).collect();
    let batches = [
        format!("[{}]", more.join(",")),
        format!(" [ 1 ,{} , [], {{}} ]", more.join(" , ")),
        r#"["a]" , -0 ,[[{"id":1,"error":{}}],{"method":"m"}] ,true,{"jsonrpc":"2.0","method":"m"} ,"id"]"#.into(),
    ];
    let mut message: Message<'_> = Message::default();
    for text in texts.into_iter().chain(batches.iter().map(String::as_str)) {
        for rules in Rules::ALL {
            let (bytes, dialect) = (text.as_bytes(), rules.dialect());
            let outcome = Envelope::parse_as(bytes, dialect).and_then(|envelope| message.hold(&envelope));
            let returned = match Message::parse_as(bytes, dialect) {
                Ok(returned) => returned,
                Err(rejection) => {
                    assert_eq!(outcome, Err(rejection), "{rules:?}: {text}");
                    continue;
                }
            };
            assert_eq!((outcome, &message), (Ok(()), &returned), "{rules:?}: {text}");
            let Message::Batch(batch) = returned else { continue };
            let mut element: Message<'_> = Message::default();
            for envelope in batch.elements() {
                let outcome = envelope.and_then(|envelope| element.hold(&envelope));
                match envelope.and_then(Message::try_from) {
                    Ok(returned) => assert_eq!((outcome, &element), (Ok(()), &returned), "{rules:?}: {text}"),
                    Err(rejection) => assert_eq!(outcome, Err(rejection), "{rules:?}: {text}"),
                }
            }
        }
    }
}

#[test]
fn a_response_that_is_written_for_a_request_is_the_one_that_owns_the_id() {
    let mut request: Request<'_> = Request::default();
    let more = [r#"{"jsonrpc":"2.0","method":"m","id":"\u0061\n"}"#, r#"{"jsonrpc":"2.0","method":7,"id":"\u0061\n"}"#];
    let (mut answered, mut refused_texts) = (0, 0);
    for text in TEXTS.into_iter().chain(more) {
        for rules in Rules::ALL {
            let (mut ours, mut owned) = ([0; 160], [0; 160]);
            let read = |out: &[u8], len: usize| {
                Response::parse(&out[..len]).map(|response| format!("{response:?}")).map_err(Error::from)
            };
            let envelope = Envelope::parse_as(text.as_bytes(), rules.dialect());
            match envelope.and_then(|envelope| request.hold(&envelope)) {
                Ok(()) => {
                    let len = request.write_response(Ok(&[1, 2]), &mut ours).unwrap();
                    let owned_len = Response::success(request.id.clone(), &[1, 2]).write(&mut owned).unwrap();
                    assert_eq!(ours[..len], owned[..owned_len], "{rules:?}: {text}");
                    let len = request.write_response(Err::<&(), _>(&ErrorObject::INVALID_PARAMS), &mut ours).unwrap();
                    let owner = Response::error(request.id.clone(), ErrorObject::INVALID_PARAMS);
                    let owned_len = owner.write(&mut owned).unwrap();
                    assert_eq!(ours[..len], owned[..owned_len], "{rules:?}: {text}");
                    assert!(request.write_response(Ok(&[1, 2]), &mut ours[..20]).is_err());
                    answered += 1;
                }
                Err(refused) => {
                    let len = refused.write_response(&mut ours).unwrap();
                    let Some(owner) = refused.answer() else {
                        assert_eq!(len, 0, "{rules:?}: {text}");
                        continue;
                    };
                    // the id may be spelled otherwise
                    let owned_len = owner.write(&mut owned).unwrap();
                    assert_eq!(read(&ours, len), read(&owned, owned_len), "{rules:?}: {text}");
                    refused_texts += 1;
                }
            }
        }
    }
    assert!(answered > 5 && refused_texts > 20, "{answered}, {refused_texts}");
}

#[test]
fn law_4_every_entry_point_gives_the_same_verdict() {
    for text in TEXTS {
        for rules in Rules::ALL {
            let (bytes, dialect) = (text.as_bytes(), rules.dialect());
            let refusals: [Option<Refused<'_>>; 6] = [
                Request::parse_as(bytes, dialect).err(),
                Notification::parse_as(bytes, dialect).err(),
                Response::parse_as(bytes, dialect).err(),
                Message::parse_as(bytes, dialect).err(),
                Envelope::parse_as(bytes, dialect).and_then(ClientMessage::<64, 64>::try_from).err(),
                Envelope::parse_as(bytes, dialect).and_then(ServerMessage::<64, 64>::try_from).err(),
            ];
            match Envelope::parse_as(bytes, dialect) {
                Err(refused) => {
                    let id = id_of(&refused);
                    for rejection in refusals {
                        let rejection = rejection.unwrap_or_else(|| panic!("{rules:?}: accepted: {text}"));
                        assert_eq!(
                            (rejection.error, id_of(&rejection)),
                            (refused.error, id.clone()),
                            "{rules:?}: {text}"
                        );
                    }
                }
                Ok(_) => {
                    assert_eq!(refusals[3], None, "{rules:?}: {text}");
                    for rejection in refusals.into_iter().flatten() {
                        assert_eq!(rejection.kind(), ErrorKind::UnexpectedMessage, "{rules:?}: {text}");
                    }
                }
            }
            if let Err(error) = RawValue::parse(bytes) {
                assert_eq!(Envelope::parse_as(bytes, dialect).map_err(|refused| refused.error), Err(error), "{text}");
            }
        }
    }
}

#[test]
fn law_4_an_object_gets_the_same_verdict_alone_and_in_a_batch() {
    let more = [
        r#"{"jsonrpc":"2.0","method":"m","id":1,"x":1,"y":2}"#,
        r#"{"x":1,"x":2,"jsonrpc":"2.0","result":1,"id":1}"#,
        r#"{"":0,"":0,"jsonrpc":"2.0","method":"m"}"#,
        r#"{"abc":0,"\u0061":0,"odd":0,"jsonrpc":"2.0","method":1,"id":7}"#,
        r#"{"jsonrpc":"2.0","m\u0065thod":"m","\u0069d":"a","par\u0061ms":[1]}"#,
        r#"{"jsonrpc":"2.0","error":{"c\u006fde":1,"\u006dessage":"m","d\u0061ta":{"code":2}},"id":1}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"error":{"code":2,"message":"n"},"id":1}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"c\u006fde":2,"message":"m"},"id":1,"id":2}"#,
        r#"{"jsonrpc":"2.0","error":1,"error":{"code":2,"message":"n"},"id":1}"#,
        r#"{"jsonrpc":"2.0","method":"m","error":{"code":1,"code":2},"id":1}"#,
        r#"{"jsonrpc":"2.0","result":{"error":{"code":1,"code":2}},"id":1}"#,
        r#"{"x":{"error":{"code":1,"code":2}},"jsonrpc":"2.0","result":1,"id":1}"#,
    ];
    for text in TEXTS.into_iter().chain(more).filter(|text| text.starts_with('{') && json(text.as_bytes()).is_some()) {
        let batch = format!("[ {text} ]");
        let Ok(Message::Batch(elements)) = Message::parse(batch.as_bytes()) else { panic!("no batch: {batch}") };
        let element = elements.elements().next().expect("an element");
        let element = element.and_then(Message::try_from);
        match (Message::parse(text.as_bytes()), element) {
            (Err(alone), Err(element)) => {
                let alone = (alone.kind(), alone.offset() + 2, held(&id_of(&alone)));
                assert_eq!(alone, (element.kind(), element.offset(), held(&id_of(&element))), "{text}");
            }
            (alone, element) => assert_eq!(verdict(alone), verdict(element), "{text}"),
        }
    }
}

#[test]
fn law_5_a_syntax_error_beats_a_message_error() {
    let faults = [
        r#""jsonrpc":"1.0","method":"m","id":1"#,
        r#""jsonrpc":"2.0","method":1,"id":1"#,
        r#""jsonrpc":"2.0","method":"m","id":{}"#,
        r#""jsonrpc":"2.0","method":"m","id":1,"id":1"#,
        r#""jsonrpc":"2.0","result":1,"error":1,"id":1"#,
        r#""jsonrpc":"2.0","method":"m","params":1,"id":1"#,
        r#""x":1"#,
    ];
    for fault in faults {
        let whole = format!("{{{fault}}}");
        assert!(matches!(observed(whole.as_bytes(), Rules::JsonRpc), Verdict::Refused { .. }), "{whole}");
        for (tail, kind, offset) in [
            ("", ErrorKind::UnexpectedEnd, 0),
            (",}", ErrorKind::ExpectedName, 1),
            (",\"y\":nul}", ErrorKind::InvalidLiteral, 8),
            (",\"y\":\"\u{1}\"}", ErrorKind::ControlCharacter, 6),
            ("}]", ErrorKind::TrailingData, 1),
        ] {
            let text = format!("{{{fault}{tail}");
            let rejection = Message::parse(text.as_bytes()).expect_err(&text);
            assert_eq!((rejection.kind(), rejection.offset()), (kind, whole.len() - 1 + offset), "{text}");
            assert!(id_of(&rejection).is_null(), "{text}");
        }
    }
    for text in ["[[1],{}", "[1,2", "[\"a\u{1}\"]"] {
        assert_eq!(observed(text.as_bytes(), Rules::Mcp), Verdict::Syntax, "{text}");
    }
}

#[test]
fn law_6_names_match_byte_for_byte_after_unescaping() {
    let call = |name: &str| format!(r#"{{"jsonrpc":"2.0","{name}":"m"}}"#);
    for name in ["method", r"m\u0065thod", r"\u006dethod", r"metho\u0064", r"\u006D\u0065\u0074\u0068\u006F\u0064"] {
        let expected = Verdict::Notification { method: "m".to_string(), params: None };
        assert_eq!(observed(call(name).as_bytes(), Rules::JsonRpc), expected, "{name}");
    }
    for name in
        ["METHOD", "Method", "metho", "methods", "method ", " method", r"method\u0000", r"m\u0045thod", "mêthod", ""]
    {
        let text = call(name);
        let rejection = Message::parse(text.as_bytes()).expect_err(name);
        assert_eq!(rejection.kind(), ErrorKind::MissingMember, "{name}");
    }
    let others = [
        r"id\u0000",
        r"\u0069d\u0000\u0000",
        r"i\u0064x",
        "iD",
        "i",
        r"\u0000id",
        r"\u0000",
        "jsonrpc1",
        r"id\u0022",
        r#"id\""#,
    ];
    for name in others {
        let text = format!(r#"{{"{name}":{{}},"jsonrpc":"2.0","method":"m"}}"#);
        assert!(Notification::parse(text.as_bytes()).is_ok(), "{text}");
    }
    for name in ["id", r"\u0069d", r"i\u0064", r"\u0069\u0064"] {
        let text = format!(r#"{{"{name}":"a","jsonrpc":"2.0","method":"m"}}"#);
        assert!(Request::parse(text.as_bytes()).is_ok_and(|request| request.id.as_str() == Some("a")), "{text}");
        let text = format!(r#"{{"{name}":"a","jsonrpc":"2.0","method":"m","id":"a"}}"#);
        assert!(Request::parse(text.as_bytes()).is_err_and(|r| r.kind() == ErrorKind::RepeatedMember), "{text}");
    }
}

#[test]
fn law_7_a_call_is_never_lost() {
    let ids =
        ["1", "\"a\"", "null", "1.5", "-0", "true", "false", "[]", "[1]", "{}", "{\"id\":1}", "\"\"", "0", "1e999"];
    for id in ids.into_iter().step_by(if cfg!(miri) { 5 } else { 1 }) {
        for name in ["id", r"\u0069d"] {
            for text in [
                format!(r#"{{"jsonrpc":"2.0","method":"m","{name}":{id}}}"#),
                format!(r#"{{"{name}":{id},"params":[],"method":"m","jsonrpc":"2.0"}}"#),
                format!(r#"{{"{name}":{id},"x":0,"method":"m","jsonrpc":"2.0","id":{id}}}"#),
            ] {
                for rules in Rules::ALL {
                    let seen = observed(text.as_bytes(), rules);
                    assert!(!matches!(seen, Verdict::Notification { .. }), "{rules:?}: {text}");
                    assert!(Notification::parse_as(text.as_bytes(), rules.dialect()).is_err(), "{rules:?}: {text}");
                    if let Err(rejection) =
                        Envelope::parse_as(text.as_bytes(), rules.dialect()).and_then(ClientMessage::<64, 64>::try_from)
                    {
                        assert!(rejection.answer().is_some(), "{rules:?}: {text}");
                    }
                }
                let Verdict::Batch(elements) = observed(format!("[{text}]").as_bytes(), Rules::JsonRpc) else {
                    panic!("no batch: {text}");
                };
                assert!(!matches!(elements.as_slice(), [Verdict::Notification { .. }]), "{text}");
            }
        }
    }
}

#[test]
fn law_7_a_notification_is_never_answered() {
    let text = br#"{"jsonrpc":"2.0","method":"m","params":[1]}"#;
    assert_eq!(Request::parse(text).expect_err("no request").answer(), None);
    assert_eq!(Response::parse(text).expect_err("no response").answer(), None);
}

#[test]
fn law_7_a_notification_whose_method_is_too_long_is_not_answered_either() {
    let text = br#"{"jsonrpc":"2.0","method":"long"}"#;
    let rejection = Envelope::parse(text).and_then(Notification::<3>::try_from).expect_err("too long");
    assert_eq!((rejection.kind(), rejection.answer()), (ErrorKind::MethodTooLong, None));
    let rejection = Envelope::parse(text).and_then(Message::<8, 3>::try_from).expect_err("too long");
    assert_eq!((rejection.kind(), rejection.answer()), (ErrorKind::MethodTooLong, None));
    let batch = Envelope::parse(b"[{\"jsonrpc\":\"2.0\",\"method\":\"long\"}]").expect("a batch").batch();
    let element = batch.and_then(|batch| batch.elements().next()).expect("an element");
    assert_eq!(element.and_then(Message::<8, 3>::try_from).expect_err("too long").answer(), None);
}

#[test]
fn a_message_of_one_side_is_held_as_what_it_is() {
    let (call, told, answer) = (
        r#"{"jsonrpc":"2.0","method":"m","id":1}"#,
        r#"{"jsonrpc":"2.0","method":"m"}"#,
        r#"{"jsonrpc":"2.0","result":1,"id":1}"#,
    );
    let client = |text: &'static str| Envelope::parse(text.as_bytes()).and_then(ClientMessage::<8, 8>::try_from);
    let server = |text: &'static str| Envelope::parse(text.as_bytes()).and_then(ServerMessage::<8, 8>::try_from);
    assert!(matches!(client(call), Ok(ClientMessage::Request(_))));
    assert!(matches!(client(told), Ok(ClientMessage::Notification(_))));
    assert!(matches!(server(told), Ok(ServerMessage::Notification(_))));
    assert!(matches!(server(answer), Ok(ServerMessage::Response(_))));
    for refused in [client(answer).expect_err(answer), server(call).expect_err(call)] {
        assert_eq!(refused.kind(), ErrorKind::UnexpectedMessage);
    }
}

#[test]
fn params_are_equal_if_their_values_are() {
    let params = |text: &'static str| Params::from(RawValue::parse(text.as_bytes()).ok());
    assert_eq!(params("[1]"), params("[1]"));
    assert_eq!(params(""), Params::from(None));
    assert_ne!(params("[1]"), params("[2]"));
    assert_ne!(params("[1]"), params(""));
}

#[test]
fn law_7_a_response_is_never_answered_with_an_error() {
    for text in [
        r#"{"jsonrpc":"2.0","result":1,"id":"long"}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"e"},"id":"long"}"#,
    ] {
        let text = text.as_bytes();
        assert_eq!(Request::parse(text).expect_err("no request").answer(), None);
        assert_eq!(Notification::parse(text).expect_err("no notification").answer(), None);
        assert_eq!(
            Envelope::parse(text).and_then(ClientMessage::<64, 64>::try_from).expect_err("from a server").answer(),
            None
        );
        // neither if its id does not fit
        let rejection = Envelope::parse(text).and_then(Response::<3>::try_from).expect_err("too long");
        assert_eq!((rejection.kind(), rejection.answer()), (ErrorKind::IdTooLong, None));
        let rejection = Envelope::parse(text).and_then(Message::<3, 8>::try_from).expect_err("too long");
        assert_eq!((rejection.kind(), rejection.answer()), (ErrorKind::IdTooLong, None));
    }
}

/// A member of [`objects`]: its name and its values; the first value means absent.
const MEMBERS: [(&str, &[&str]); 5] = [
    ("jsonrpc", &["", "\"2.0\"", "\"1.0\""]),
    ("method", &["", "\"m\"", "1", "\"\""]),
    ("result", &["", "19", "null"]),
    ("error", &["", r#"{"code":1,"message":"e"}"#, r#"{"code":"1"}"#, "null"]),
    ("id", &["", "7", "\"a\"", "[]", "1.5", "null"]),
];

/// An object with each combination of [`MEMBERS`], with at most one of them repeated, and whether it is a response or a notification: it has
/// `result` or `error`, or a string as its `method` and no `id`.
fn objects(mut look: impl FnMut(&str, bool)) {
    let counts = MEMBERS.map(|(_, values)| values.len());
    let total: usize = counts.iter().product();
    for combination in (0..total).step_by(if cfg!(miri) { 37 } else { 1 }) {
        let mut rest = combination;
        let mut members = Vec::new();
        for (name, values) in MEMBERS {
            let value = values[rest % values.len()];
            rest /= values.len();
            if !value.is_empty() {
                members.push((name, value));
            }
        }
        let has = |wanted: &str| members.iter().any(|(name, _)| *name == wanted);
        let is_response = has("result") || has("error");
        let is_notification = !has("id") && members.contains(&("method", "\"m\""));
        for repeated in 0..=members.len() {
            let again = if repeated == 0 { None } else { Some(members[repeated - 1]) };
            let all = || members.iter().copied().chain(again);
            let plain: Vec<String> = all().map(|(name, value)| format!(r#""{name}":{value}"#)).collect();
            // the first letter of each name as an escape, and the last member first
            let escape = |name: &str| format!("\\u{:04x}{}", name.as_bytes()[0], &name[1..]);
            let mut escaped: Vec<String> =
                all().map(|(name, value)| format!(r#""{}" : {value}"#, escape(name))).collect();
            escaped.reverse();
            let is_unanswered = is_response || is_notification && again.is_none_or(|(name, _)| name != "method");
            look(&format!("{{{}}}", plain.join(",")), is_unanswered);
            look(&format!(" {{ {} }}", escaped.join(" , ")), is_unanswered);
        }
    }
}

#[test]
fn law_7_a_response_or_a_notification_is_never_answered_even_a_wrong_one() {
    objects(|text, is_response| {
        for rules in Rules::ALL {
            let (bytes, dialect) = (text.as_bytes(), rules.dialect());
            let rejections: [Option<Refused<'_>>; 6] = [
                Message::parse_as(bytes, dialect).err(),
                Request::parse_as(bytes, dialect).err(),
                Notification::parse_as(bytes, dialect).err(),
                Response::parse_as(bytes, dialect).err(),
                Envelope::parse_as(bytes, dialect).and_then(ClientMessage::<64, 64>::try_from).err(),
                Envelope::parse_as(bytes, dialect).and_then(ServerMessage::<64, 64>::try_from).err(),
            ];
            let refused = Envelope::parse_as(bytes, dialect).err();
            assert_eq!(refused.is_some(), rejections[0].is_some(), "{rules:?}: {text}");
            if let Some(refused) = refused {
                assert_eq!(!refused.is_answerable(), is_response, "{rules:?}: {text}");
                for rejection in rejections.into_iter().flatten().chain([refused]) {
                    // the id is there for the caller to see all the same
                    assert_eq!(held(&id_of(&rejection)), own_id(bytes, rules), "{rules:?}: {text}");
                    assert_eq!(!rejection.is_answerable(), is_response, "{rules:?}: {text}");
                    assert_eq!(rejection.answer().is_none(), is_response, "{rules:?}: {text}");
                }
            }
            let mut server = Server::new(Router::new().request("m", |_: &mut ()| Ok(1))).with_dialect(dialect);
            let mut output = [0; 256];
            let answer = server.process(&mut (), bytes, &mut output).answer().map(<[u8]>::len);
            let is_notification = matches!(observed(bytes, rules), Verdict::Notification { .. });
            assert_eq!(answer.is_none(), is_response || is_notification, "{rules:?}: {text}");
        }
        // alone in a batch, twice, and beside a call
        let mut server = Server::new(Router::new().request("m", |_: &mut ()| Ok(1)));
        let call = r#"{"jsonrpc":"2.0","method":"m","id":"call"}"#;
        for (batch, answers) in
            [(format!("[{text}]"), 0), (format!("[{text},{text}]"), 0), (format!("[{text},{call},{text}]"), 1)]
        {
            let Ok(Message::Batch(elements)) = Message::parse(batch.as_bytes()) else { panic!("no batch: {batch}") };
            for rejection in elements.elements().filter_map(Result::err) {
                assert_eq!(rejection.answer().is_none(), is_response, "{batch}");
            }
            let mut output = [0; 512];
            let answer = server.process(&mut (), batch.as_bytes(), &mut output).answer();
            if is_response {
                let seen = answer
                    .map(|answer| serde_json::from_slice::<Vec<Box<serde_json::value::RawValue>>>(answer).unwrap());
                assert_eq!(seen.map_or(0, |seen| seen.len()), answers, "{batch}");
            }
        }
    });
}

/// The id for the answer to the refused object `text`.
fn own_id(text: &[u8], rules: Rules) -> Ident {
    match crate::common::reference(text, rules) {
        Verdict::Refused { id } => id,
        other => panic!("{other:?}: {}", text.escape_ascii()),
    }
}

#[test]
fn law_7_a_text_with_a_syntax_error_is_answered_though_it_begins_as_a_response() {
    for text in [
        r#"{"jsonrpc":"2.0","result":19,"id":1"#,
        r#"{"jsonrpc":"2.0","result":19,"id":1,}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"e"},"id":1}}"#,
    ] {
        let text = text.as_bytes();
        let refused = Envelope::parse(text).expect_err("no JSON");
        assert!(refused.is_answerable() && refused.id.is_none());
        let rejection = Message::parse(text).expect_err("no JSON");
        assert_eq!(id_of(&rejection), Id::Null);
        assert!(rejection.answer().is_some());
        assert!(Request::parse(text).expect_err("no JSON").answer().is_some());
    }
}

#[test]
fn law_8_ids_come_back_exactly_in_the_answer_to_what_is_refused() {
    for id in
        ["1", "-1", "\"1\"", "\"\"", "\"\\u00e9\\n\"", "1.50", "1e3", "1E+03", "-0", "18446744073709551616", "null"]
    {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"","id":{id}}}"#);
        let rejection = Request::parse(text.as_bytes()).expect_err("no method");
        let mut out = [0; 160];
        let len = rejection.answer().expect("an answer").write(&mut out).expect("room enough");
        let Verdict::Error { id: back, .. } = observed(&out[..len], Rules::JsonRpc) else { panic!("no error: {text}") };
        let expected = match serde_json::from_str::<String>(id) {
            Ok(string) => Ident::String(string),
            Err(_) if id == "null" => Ident::Null,
            Err(_) => Ident::Number(id.to_string()),
        };
        assert_eq!(back, expected, "{text}");
    }
}

#[test]
fn law_9_a_value_of_a_type_of_the_program_is_one_value_or_none_of_it_is_there() {
    type Write = for<'o> fn(ValueWriter<'o, '_>) -> Written<'o>;
    let writes: [(&str, Write); 4] = [
        ("a scalar", |place| place.value(&true)),
        ("an object without members", |place| place.object(|_| {})),
        ("an object whose second member does not fit", |place| {
            place.object(|members| {
                members.member("a", &1);
                members.member("b", &"x".repeat(500)[..]);
                members.member("c", &2);
            })
        }),
        ("an array whose second element does not fit", |place| {
            place.array(|elements| {
                elements.element(&1);
                elements.element(&"x".repeat(500)[..]);
            })
        }),
    ];
    for (what, write) in writes {
        let mut out = [0; 128];
        let message =
            Request::new(1, "m").with_params(&written_by(write)).write(&mut out).map(|len| out[..len].to_vec());
        if let Ok(text) = message {
            assert!(json(&text).is_some(), "{what}: {}", crate::common::show(&text));
        }
        let mut out = [0; 128];
        let mut batch = BatchWriter::new(&mut out);
        let value = written_by(write);
        let pushed = batch.push(&Response::success(1, &value));
        let text = batch.finish();
        assert!(text.is_empty() || json(text).is_some(), "{what}: {pushed:?}: {}", crate::common::show(text));
    }
}

#[test]
fn law_7_a_response_is_never_answered_however_long_its_id() {
    let long = "x".repeat(65);
    for text in [
        format!(r#"{{"jsonrpc":"2.0","result":1,"id":"{long}"}}"#),
        format!(r#"{{"jsonrpc":"2.0","error":{{"code":1,"message":"m"}},"id":"{long}"}}"#),
        format!(r#"{{"jsonrpc":"2.0","result":1,"id":1.{}}}"#, "5".repeat(65)),
    ] {
        let text = text.as_bytes();
        let rejections = [
            Message::parse(text).map(|_| ()),
            Request::parse(text).map(|_| ()),
            Notification::parse(text).map(|_| ()),
            Response::parse(text).map(|_| ()),
        ];
        for rejection in rejections {
            assert!(rejection.is_err_and(|rejection| rejection.answer().is_none()), "{}", text.escape_ascii());
        }
        let unexpected = [Request::parse(text).map(|_| ()), Notification::parse(text).map(|_| ())];
        assert!(unexpected.into_iter().all(|read| read.is_err_and(|read| read.kind() == ErrorKind::UnexpectedMessage)));
    }
}

#[test]
fn an_envelope_that_is_no_response_says_where_it_begins() {
    for text in [r#" {"jsonrpc":"2.0","method":"m","id":1}"#, r#"{"jsonrpc":"2.0","method":"m"}"#, "\n [1]"] {
        let envelope = Envelope::parse(text.as_bytes()).unwrap();
        let converted = Response::<64>::try_from(envelope).unwrap_err().error;
        assert_eq!(converted, Response::parse(text.as_bytes()).unwrap_err().error, "{text}");
    }
}
