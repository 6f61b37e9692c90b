//! On any bytes, for an output of any size: every call gets one answer with its id, and no other message is answered.
//! serde_json and the rules of JSON-RPC 2.0 find the calls.
#![no_main]

// a part of it is for the other targets
#[allow(dead_code)]
mod reference;

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use nanojsonrpc::server::{MIN_ANSWER_LEN, Replied, Reply};
use nanojsonrpc::{ErrorKind, ErrorObject, Params, RawValue, Router, Server, message::Str};
use reference::{Rules, Verdict};
use serde_json::value::RawValue as Json;

/// The answer that an element of a text requires.
#[derive(Clone, Debug)]
enum Wanted {
    /// A reply of the handler of `method`.
    Reply { id: String, method: String, params: Option<String> },
    /// An error: it is no message.
    Refusal { id: String },
    /// To be heard and not answered.
    Silence { is_notification: bool },
}

impl Wanted {
    fn id(&self) -> Option<&str> {
        match self {
            Self::Reply { id, .. } | Self::Refusal { id } => Some(id),
            Self::Silence { .. } => None,
        }
    }

    fn of(verdict: Verdict<'_>, element: &[u8]) -> Self {
        match verdict {
            Verdict::Request { id, method, params } => {
                Self::Reply { id: id.into(), method, params: params.map(Into::into) }
            }
            Verdict::Notification { .. } => Self::Silence { is_notification: true },
            Verdict::Success { .. } | Verdict::Error { .. } => Self::Silence { is_notification: false },
            // a server has no such limits
            Verdict::Refused { kind: ErrorKind::IdTooLong | ErrorKind::MethodTooLong, .. } => {
                let members: BTreeMap<String, &Json> = serde_json::from_slice(element).unwrap();
                let get = |name: &str| members.get(name).map(|value| value.get());
                match (get("method"), get("id")) {
                    (Some(method), Some(id)) => Self::Reply {
                        id: id.into(),
                        method: serde_json::from_str(method).unwrap(),
                        params: get("params").filter(|params| *params != "null").map(Into::into),
                    },
                    (method, _) => Self::Silence { is_notification: method.is_some() },
                }
            }
            Verdict::Refused { is_silent: true, .. } => Self::Silence { is_notification: false },
            Verdict::Refused { id, .. } => Self::Refusal { id: id.unwrap_or("null").into() },
        }
    }
}

/// The calls that the handlers received.
#[derive(Default)]
struct Log {
    requests: usize,
    notifications: usize,
    responses: usize,
}

fn echo(log: &mut Log, params: Params<'_>, reply: Reply<'_>) -> Replied {
    log.requests += 1;
    reply.success(&params)
}

fn long(log: &mut Log, _: Params<'_>, reply: Reply<'_>) -> Replied {
    log.requests += 1;
    reply.success("a result that is longer than others, so that it does not fit as often as they do")
}

fn other(log: &mut Log, _: Str<'_>, _: Params<'_>, reply: Reply<'_>) -> Replied {
    log.requests += 1;
    reply.error(ErrorObject::METHOD_NOT_FOUND)
}

const WITHOUT_ID: usize = r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":null}"#.len();

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer<'a> {
    jsonrpc: String,
    /// Also absent if it is null, because serde does not distinguish the two.
    #[serde(borrow, default)]
    id: Option<&'a Json>,
    #[serde(borrow, default)]
    result: Option<&'a Json>,
    #[serde(default)]
    error: Option<Problem>,
}

impl Answer<'_> {
    fn id(&self) -> &str {
        self.id.map_or("null", |id| id.get())
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Problem {
    code: i64,
    message: String,
}

fuzz_target!(|bytes: &[u8]| {
    let [size, more, options, text @ ..] = bytes else { return };
    let room = usize::from(*size) + usize::from(more & 7) * 256;
    let rules = [Rules::JSON_RPC, Rules::CAUCE, Rules::MCP][usize::from(options >> 1) % 3];
    let is_silent = options & 1 == 1;

    let router = Router::new()
        .request("a", echo)
        .request("b", long)
        .fallback(other)
        .notification_fallback(|log: &mut Log, _, _| log.notifications += 1)
        .response(|log: &mut Log, _| log.responses += 1);
    let mut server = Server::new(router).with_dialect(rules.dialect());
    if is_silent {
        server = server.ignoring_unreadable();
    }
    let mut output = vec![b'~'; room];
    let mut log = Log::default();
    let answer = server.process(&mut log, text, &mut output).answer().map(|answer| answer.to_vec());
    check(text, room, rules, is_silent, answer.as_deref(), &log);
});

fn check(text: &[u8], room: usize, rules: Rules, is_silent: bool, answer: Option<&[u8]>, log: &Log) {
    assert!(answer.is_none_or(|answer| !answer.is_empty() && answer.len() <= room));
    let null = || "null".to_string();
    if RawValue::parse(text).is_err() {
        assert_eq!(log.requests + log.notifications + log.responses, 0);
        return single(&Wanted::Refusal { id: null() }, -32700, room, rules, is_silent, answer);
    }
    let elements = match reference::batch(text, rules) {
        None => {
            let wanted = Wanted::of(rules.judge(text, text), text);
            let is_handed_out = wanted.id().is_none_or(|id| room >= MIN_ANSWER_LEN + id.len());
            heard(if is_handed_out { core::slice::from_ref(&wanted) } else { &[] }, log);
            return single(&wanted, -32600, room, rules, is_silent, answer);
        }
        Some(Err(_)) => {
            heard(&[], log);
            return single(&Wanted::Refusal { id: null() }, -32600, room, rules, is_silent, answer);
        }
        Some(Ok(elements)) => elements,
    };
    let mut wanted: Vec<_> =
        elements.into_iter().map(|element| Wanted::of(rules.judge(text, element), element)).collect();
    if is_silent {
        wanted.retain(|wanted| !matches!(wanted, Wanted::Refusal { .. }));
    }
    let answered: Vec<_> = wanted.iter().filter(|wanted| wanted.id().is_some()).collect();
    if answered.is_empty() {
        heard(&wanted, log);
        assert_eq!(answer, None);
        return;
    }
    let needed: usize = answered.iter().filter_map(|wanted| wanted.id()).map(|id| MIN_ANSWER_LEN + id.len()).sum();
    if needed + 1 > room {
        heard(&[], log);
        return single(&Wanted::Refusal { id: null() }, -32600, room, rules, false, answer);
    }
    heard(&wanted, log);
    let answers: Vec<Answer<'_>> = serde_json::from_slice(answer.expect("an answer")).expect("an array of responses");
    assert_eq!(answers.len(), answered.len());
    for (answer, wanted) in answers.iter().zip(answered) {
        assert_eq!(Some(answer.id()), wanted.id());
        right(answer, wanted, -32600);
    }
}

/// The handlers have received the expected calls, in any order.
fn heard(wanted: &[Wanted], log: &Log) {
    let count = |is: fn(&Wanted) -> bool| wanted.iter().filter(|wanted| is(wanted)).count();
    assert_eq!(log.requests, count(|wanted| matches!(wanted, Wanted::Reply { .. })));
    assert_eq!(log.notifications, count(|wanted| matches!(wanted, Wanted::Silence { is_notification: true })));
    // a response with an id that is too long for a `Response` is dropped
    assert!(log.responses <= count(|wanted| matches!(wanted, Wanted::Silence { is_notification: false })));
}

/// `answer` is right for a text that is not a batch, or that is refused whole with `code`.
fn single(wanted: &Wanted, code: i64, room: usize, rules: Rules, is_silent: bool, answer: Option<&[u8]>) {
    let Some(id) = wanted.id().filter(|_| !(is_silent && matches!(wanted, Wanted::Refusal { .. }))) else {
        assert_eq!(answer, None);
        return;
    };
    let Some(answer) = answer else {
        assert!(room < WITHOUT_ID && room < MIN_ANSWER_LEN + id.len());
        return;
    };
    let is_null = answer.ends_with(b",\"id\":null}");
    let answer: Answer<'_> = serde_json::from_slice(answer).expect("a response");
    // an unreadable id is null, or absent where null is no id
    assert_eq!(is_null, answer.id() == "null" && !rules.error_without_id);
    if answer.id() != id {
        assert!(room < MIN_ANSWER_LEN + id.len());
        assert_eq!(answer.id(), "null");
        assert!(answer.error.is_some_and(|error| [code, -32600, -32603].contains(&error.code)));
        return;
    }
    // a syntax error has the shorter message
    if room >= MIN_ANSWER_LEN + id.len() {
        right(&answer, wanted, code);
    }
}

fn right(answer: &Answer<'_>, wanted: &Wanted, code: i64) {
    assert_eq!(answer.jsonrpc, "2.0");
    let problem = answer.error.as_ref().map(|error| (error.code, error.message.as_str()));
    match (wanted, answer.result, problem) {
        // `result` is there even if it is null, which serde sees as absent
        (Wanted::Reply { method, params, .. }, result, None) => match (method.as_str(), params) {
            ("a", Some(params)) => assert_eq!(result.map(|result| result.get()), Some(&**params)),
            ("a", None) => assert!(result.is_none_or(|result| result.get() == "null")),
            ("b", _) => assert!(result.is_some_and(|result| result.get().contains("longer than others"))),
            _ => panic!("nobody handles {method}"),
        },
        (Wanted::Reply { method, .. }, None, Some((-32601, message))) => {
            assert!(method != "a" && method != "b" && message == "Method not found");
        }
        (Wanted::Reply { .. }, None, Some((-32603, message))) => assert_eq!(message, "Internal error"),
        (Wanted::Refusal { .. }, None, Some((found, _))) => {
            // a limit has longer words, which may not fit
            assert!(found == code || code == -32600 && found == -32603, "{found}, not {code}");
        }
        (wanted, ..) => panic!("{wanted:?} has got {problem:?}"),
    }
}
