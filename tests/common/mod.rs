//! Shared by the tests: the corpora, and a reference model on `serde_json` alone.
// Each test file uses its own part of this.
#![allow(dead_code)]

use std::{env, fmt, fs, path::PathBuf};

use nanojsonrpc::{Dialect, ErrorCode, ErrorObject, Id, MAX_DEPTH, Message, RawValue, Refused};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue as Json;

/// The folder of the corpora, or `None` with a note on standard error.
pub(crate) fn corpora() -> Option<PathBuf> {
    if let Some(folder) = env::var_os("NANOJSONRPC_CORPORA") {
        return Some(folder.into());
    }
    let is_required = env::var_os("NANOJSONRPC_REQUIRE_CORPORA").is_some_and(|value| value == "1");
    assert!(!is_required, "NANOJSONRPC_CORPORA is not set, and NANOJSONRPC_REQUIRE_CORPORA wants it");
    println!("skipped: NANOJSONRPC_CORPORA is not set");
    None
}

/// One file of the corpora, as text.
pub(crate) fn corpus(name: &str) -> Option<String> {
    let path = corpora()?.join(name);
    match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// Bytes as a failure should show them.
pub(crate) fn show(text: &[u8]) -> String {
    let shown: String = text.escape_ascii().to_string();
    if shown.len() > 400 { format!("{}... ({} bytes)", &shown[..400], text.len()) } else { shown }
}

/// An id with its type; a number as the text that came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ident {
    Null,
    Number(String),
    String(String),
}

/// The kind and the parts of a message. Payloads are undecoded text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Syntax,
    Refused { id: Ident },
    Request { id: Ident, method: String, params: Option<String> },
    Notification { method: String, params: Option<String> },
    Success { id: Ident, result: String },
    Error { id: Ident, code: i64, message: String, data: Option<String> },
    Batch(Vec<Verdict>),
}

/// The three columns of the table of dialects, in its order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rules {
    JsonRpc,
    Cauce,
    Mcp,
}

impl Rules {
    pub(crate) const ALL: [Self; 3] = [Self::JsonRpc, Self::Cauce, Self::Mcp];

    pub(crate) fn dialect(self) -> Dialect {
        match self {
            Self::JsonRpc => Dialect::JSON_RPC,
            Self::Cauce => Dialect::CAUCE,
            Self::Mcp => Dialect::MCP,
        }
    }
}

/// The members of an object in order, names decoded, with repeats.
pub(crate) struct Members(pub(crate) Vec<(String, Box<Json>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// `text` as one valid JSON text of bounded depth, by `serde_json`. It takes the value apart level by level: a raw value
/// of theirs has not seen its surrogates checked, and their typed reader has limits of depth and range that we lack.
pub(crate) fn json(text: &[u8]) -> Option<Box<Json>> {
    let value: Box<Json> = serde_json::from_slice(text).ok()?;
    is_valid(&value, 0).then_some(value)
}

fn is_valid(value: &Json, depth: usize) -> bool {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'{' | b'[') if depth == MAX_DEPTH => false,
        Some(b'{') => serde_json::from_str::<Members>(text)
            .is_ok_and(|members| members.0.iter().all(|(_, value)| is_valid(value, depth + 1))),
        Some(b'[') => serde_json::from_str::<Vec<Box<Json>>>(text)
            .is_ok_and(|elements| elements.iter().all(|element| is_valid(element, depth + 1))),
        Some(b'"') => serde_json::from_str::<String>(text).is_ok(),
        _ => true,
    }
}

/// The verdict of the reference model: `serde_json` and the rules of JSON-RPC, independent of the library.
pub(crate) fn reference(text: &[u8], rules: Rules) -> Verdict {
    let nobody = Verdict::Refused { id: Ident::Null };
    let Some(value) = json(text) else { return Verdict::Syntax };
    match value.get().as_bytes().first() {
        Some(b'{') => judged(&value, rules),
        Some(b'[') if rules == Rules::JsonRpc => {
            let elements: Vec<Box<Json>> = serde_json::from_str(value.get()).expect("an array");
            if elements.is_empty() {
                return nobody;
            }
            let judge = |element: &Json| if is(element, b"{") { judged(element, rules) } else { nobody.clone() };
            Verdict::Batch(elements.iter().map(|element| judge(element)).collect())
        }
        _ => nobody,
    }
}

/// Whether the value begins with one of `firsts`.
fn is(value: &Json, firsts: &[u8]) -> bool {
    value.get().bytes().next().is_some_and(|first| firsts.contains(&first))
}

fn string(value: &Json) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

fn ident(value: &Json, rules: Rules) -> Option<Ident> {
    let text = value.get();
    if text == "null" {
        return Some(Ident::Null);
    }
    if let Some(string) = string(value) {
        return Some(Ident::String(string));
    }
    let is_number = is(value, b"-0123456789") && (rules == Rules::JsonRpc || !text.contains(['.', 'e', 'E']));
    is_number.then(|| Ident::Number(text.to_string()))
}

fn judged(object: &Json, rules: Rules) -> Verdict {
    let Members(members) = serde_json::from_str(object.get()).expect("an object");
    let all = |name: &str| members.iter().filter(|(known, _)| known == name).map(|(_, value)| &**value).collect();
    let one = |name: &str| {
        let found: Vec<&Json> = all(name);
        (found.first().copied(), found.len() > 1)
    };
    let (id, repeated_id) = one("id");
    let own_id = id.filter(|_| !repeated_id).and_then(|id| ident(id, rules));
    message(&one, own_id.clone(), rules).unwrap_or(Verdict::Refused { id: own_id.unwrap_or(Ident::Null) })
}

/// The message, or `None` for another text.
fn message<'a>(one: &dyn Fn(&str) -> (Option<&'a Json>, bool), id: Option<Ident>, rules: Rules) -> Option<Verdict> {
    let names = ["jsonrpc", "id", "method", "params", "result", "error"];
    if names.iter().any(|name| one(name).1) || string(one("jsonrpc").0?)? != "2.0" {
        return None;
    }
    let has_id = one("id").0.is_some();
    if has_id && id.is_none() {
        return None;
    }
    let null_is_an_id = rules == Rules::JsonRpc;
    match (one("method").0, one("result").0, one("error").0) {
        (Some(method), None, None) => {
            let method = string(method).filter(|method| !method.is_empty())?;
            let params = one("params").0;
            let allowed: &[u8] = match rules {
                Rules::JsonRpc => b"{[n",
                Rules::Cauce => b"{[n\"tf-0123456789",
                Rules::Mcp => b"{",
            };
            if params.is_some_and(|params| !is(params, allowed)) {
                return None;
            }
            let params = params.map(|params| params.get().to_string()).filter(|params| params != "null");
            match id {
                None => Some(Verdict::Notification { method, params }),
                Some(Ident::Null) if !null_is_an_id => None,
                Some(id) => Some(Verdict::Request { id, method, params }),
            }
        }
        (None, Some(result), None) => {
            let id = id.filter(|id| null_is_an_id || *id != Ident::Null)?;
            Some(Verdict::Success { id, result: result.get().to_string() })
        }
        (None, None, Some(error)) => {
            let id = if rules == Rules::Mcp { id.unwrap_or(Ident::Null) } else { id? };
            let (code, message, data) = error_parts(error)?;
            Some(Verdict::Error { id, code, message, data })
        }
        _ => None,
    }
}

fn error_parts(error: &Json) -> Option<(i64, String, Option<String>)> {
    let Members(members) = serde_json::from_str(error.get()).ok()?;
    let part = |name: &str| {
        let mut found = members.iter().filter(|(known, _)| known == name).map(|(_, value)| value);
        let first = found.next();
        if found.next().is_some() { Err(()) } else { Ok(first) }
    };
    let code = part("code").ok()??.get().parse().ok();
    let message = string(part("message").ok()??)?;
    Some((code?, message, part("data").ok()?.map(|data| data.get().to_string())))
}

/// The verdict of the library.
pub(crate) fn observed(text: &[u8], rules: Rules) -> Verdict {
    verdict(Message::parse_as(text, rules.dialect()))
}

/// The verdict of the library, in the types of the reference model.
pub(crate) fn verdict(parsed: Result<Message<'_>, Refused<'_>>) -> Verdict {
    let params = |params: Option<RawValue<'_>>| params.map(|params| params.as_json().to_string());
    match parsed {
        Err(rejection) if rejection.code() == ErrorCode::PARSE_ERROR => Verdict::Syntax,
        Err(rejection) => {
            assert_eq!(rejection.code(), ErrorCode::INVALID_REQUEST, "{rejection}");
            Verdict::Refused { id: held(&id_of(&rejection)) }
        }
        Ok(Message::Request(request)) => Verdict::Request {
            id: held(&request.id),
            method: request.method.as_str().to_string(),
            params: params(request.params),
        },
        Ok(Message::Notification(notification)) => Verdict::Notification {
            method: notification.method.as_str().to_string(),
            params: params(notification.params),
        },
        Ok(Message::Response(response)) => match response.outcome {
            Ok(result) => Verdict::Success { id: held(&response.id), result: result.as_json().to_string() },
            Err(ErrorObject { code, message, data }) => Verdict::Error {
                id: held(&response.id),
                code: code.0,
                message: message.to_string(),
                data: params(data),
            },
        },
        Ok(Message::Batch(batch)) => {
            Verdict::Batch(batch.elements().map(|element| verdict(element.and_then(Message::try_from))).collect())
        }
    }
}

/// The id of a refused message; null if it is unknown or too long.
pub(crate) fn id_of(refused: &Refused<'_>) -> Id {
    refused.id.and_then(|id| Id::read(id).ok()).unwrap_or_default()
}

/// An id of ours in the terms of the reference.
pub(crate) fn held<const N: usize>(id: &Id<N>) -> Ident {
    match id {
        Id::Null => Ident::Null,
        Id::Number(number) => Ident::Number(number.to_string()),
        Id::Decimal { text, .. } => Ident::Number(text.as_str().to_string()),
        Id::String(text) => Ident::String(text.to_string()),
    }
}

/// The message written again by the rules of `dialect`, as text.
pub(crate) fn written(message: &Message<'_>, dialect: Dialect, room: usize) -> Vec<u8> {
    let mut out = vec![0; room];
    let len = message.write_as(&mut out, dialect).expect("room enough");
    out.truncate(len);
    out
}
