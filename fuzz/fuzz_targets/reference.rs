//! The rules of JSON and JSON-RPC 2.0 a second time, written for clarity over serde_json and sharing no code with the
//! library.

#[path = "../../tests/common/looked.rs"]
mod looked;

use core::fmt;

use looked::Looked;
use nanojsonrpc::{Dialect, ErrorKind, Id, Message, Refused};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The verdict of serde_json on a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    Valid,
    Invalid,
    /// serde_json refuses numbers beyond the range of an `f64` and more than 127 levels, which are valid JSON.
    Unknown,
}

impl Syntax {
    pub fn of(text: &[u8]) -> Self {
        match serde_json::from_slice::<Looked>(text) {
            Ok(Looked) => Self::Valid,
            // without numbers and levels, it still sees all faults but those inside strings
            Err(error) if is_own_limit(&error) && serde_json::from_slice::<IgnoredAny>(text).is_ok() => Self::Unknown,
            Err(_) => Self::Invalid,
        }
    }
}

fn is_own_limit(error: &serde_json::Error) -> bool {
    let error = error.to_string();
    error.starts_with("number out of range") || error.starts_with("recursion limit exceeded")
}

/// The members of an object in order, with those that repeat.
pub struct Members<'a>(pub Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = object.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl<'a> Members<'a> {
    pub fn of(text: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }

    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|member| member.0 == name).map(|member| member.1.get())
    }

    /// The first value whose name, one of `names`, stood there before.
    pub fn repeat(&self, names: &[&str]) -> Option<&'a str> {
        let repeats = |at: usize| self.0[..at].iter().any(|before| before.0 == self.0[at].0);
        let at = (0..self.0.len()).find(|at| names.contains(&&*self.0[*at].0) && repeats(*at))?;
        Some(self.0[at].1.get())
    }
}

/// How many brackets are open at the end of `text`, the front of a valid JSON text.
pub fn depth(text: &[u8]) -> usize {
    depths(text).last().unwrap_or(0)
}

/// The number of open brackets after each byte of `text`, the front of a valid JSON text.
pub fn depths(text: &[u8]) -> impl Iterator<Item = usize> {
    let (mut depth, mut in_string, mut is_escaped) = (0, false, false);
    text.iter().map(move |byte| {
        match byte {
            _ if is_escaped => {}
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth -= 1,
            _ => {}
        }
        is_escaped = *byte == b'\\' && !is_escaped;
        depth
    })
}

/// The expected reading of one message.
#[derive(Debug)]
pub enum Verdict<'a> {
    Request {
        id: &'a str,
        method: String,
        params: Option<&'a str>,
    },
    Notification {
        method: String,
        params: Option<&'a str>,
    },
    Success {
        id: &'a str,
        result: &'a str,
    },
    Error {
        id: Option<&'a str>,
        code: i64,
        message: String,
        data: Option<&'a str>,
    },
    /// `is_silent`: it gets no answer.
    Refused {
        kind: ErrorKind,
        at: &'a str,
        id: Option<&'a str>,
        is_silent: bool,
    },
}

impl Verdict<'_> {
    /// Fails unless the library has read the same from `text`.
    pub fn assert_is(self, message: Result<Message<'_>, Refused<'_>>, text: &[u8]) {
        match (self, &message) {
            (Self::Request { id, method, params }, Ok(Message::Request(request))) => {
                assert!(is_id(&request.id, id), "{request:?}");
                assert_eq!(*request.method, *method);
                assert_eq!(request.params.map(|params| params.as_json()), params);
            }
            (Self::Notification { method, params }, Ok(Message::Notification(notification))) => {
                assert_eq!(*notification.method, *method);
                assert_eq!(notification.params.map(|params| params.as_json()), params);
            }
            (Self::Success { id, result }, Ok(Message::Response(response))) => {
                assert!(is_id(&response.id, id), "{response:?}");
                assert_eq!(response.outcome.map(|result| result.as_json()), Ok(result));
            }
            (Self::Error { id, code, message, data }, Ok(Message::Response(response))) => {
                assert!(is_id(&response.id, id.unwrap_or("null")), "{response:?}");
                let error = response.outcome.unwrap_err();
                assert_eq!((error.code.0, error.message.to_string()), (code, message));
                assert_eq!(error.data.map(|data| data.as_json()), data);
            }
            (Self::Refused { kind, at, id, is_silent }, Err(refused)) => {
                let answer = refused.answer();
                assert_eq!((answer.is_none(), !refused.is_answerable()), (is_silent, is_silent));
                let offset = at.as_ptr().addr() - text.as_ptr().addr();
                assert_eq!((refused.kind(), refused.offset()), (kind, offset));
                // an id that was refused for its length cannot come back
                let spelled = id.filter(|_| kind != ErrorKind::IdTooLong);
                assert_eq!(refused.id.map(|id| id.as_json()), spelled);
                // nor can one that does not fit, in a held answer
                let id = id.filter(|id| id_len(id) <= CAPACITY).unwrap_or("null");
                assert!(is_id(&id_of(refused), id), "{refused:?}, not {id}");
                assert!(answer.is_none_or(|answer| is_id(&answer.id, id)), "{refused:?}, not {id}");
            }
            (verdict, _) => panic!("{message:?}, not {verdict:?}"),
        }
    }
}

/// The capacities of ids and methods.
const CAPACITY: usize = 64;

fn id_of(refused: &Refused<'_>) -> Id {
    refused.id.and_then(|id| Id::read(id).ok()).unwrap_or_default()
}

fn is_id(id: &Id, text: &str) -> bool {
    match id {
        Id::Null => text == "null",
        Id::Number(number) => number.to_string() == text,
        Id::Decimal { text: number, .. } => number.as_str() == text && !is_i64(text),
        Id::String(string) => serde_json::from_str::<String>(text).is_ok_and(|text| *text == **string),
    }
}

fn is_i64(text: &str) -> bool {
    text.parse::<i64>().is_ok() && text != "-0"
}

/// The capacity that the id needs.
fn id_len(text: &str) -> usize {
    match serde_json::from_str::<String>(text) {
        Ok(string) => string.len(),
        Err(_) if is_i64(text) => 0,
        Err(_) => text.len(),
    }
}

/// The members that an error object may have. JSON-RPC 2.0 §5.1.
pub const ERROR_OBJECT: [&str; 3] = ["code", "message", "data"];

/// How the dialects differ.
#[derive(Clone, Copy)]
pub struct Rules {
    name: &'static str,
    any_number: bool,
    null_id: bool,
    pub error_without_id: bool,
    params: &'static str,
    batch: bool,
}

impl Rules {
    pub const JSON_RPC: Self =
        Self { name: "JSON-RPC", any_number: true, null_id: true, error_without_id: false, params: "{[n", batch: true };
    pub const CAUCE: Self = Self {
        name: "Cauce",
        any_number: false,
        null_id: false,
        error_without_id: false,
        params: "{[\"-0123456789tfn",
        batch: false,
    };
    pub const MCP: Self =
        Self { name: "MCP", any_number: false, null_id: false, error_without_id: true, params: "{", batch: false };

    pub fn dialect(self) -> Dialect {
        match self.name {
            "JSON-RPC" => Dialect::JSON_RPC,
            "Cauce" => Dialect::CAUCE,
            _ => Dialect::MCP,
        }
    }

    fn allows_id(self, id: &str, is_error: bool) -> bool {
        match id.as_bytes()[0] {
            b'"' => true,
            b'n' => self.null_id || is_error,
            b'-' | b'0'..=b'9' => self.any_number || !id.contains(['.', 'e', 'E']),
            _ => false,
        }
    }

    /// Judges `message`, one value of the valid JSON text `text`.
    pub fn judge<'a>(self, text: &'a [u8], message: &'a [u8]) -> Verdict<'a> {
        let whole = core::str::from_utf8(message.trim_ascii()).unwrap();
        debug_assert!(text.as_ptr_range().contains(&whole.as_ptr()));
        let Some(members) = Members::of(message) else {
            return Verdict::Refused { kind: ErrorKind::NotAMessage, at: whole, id: None, is_silent: false };
        };
        let envelope = ["jsonrpc", "id", "method", "params", "result", "error"];
        let [version, id, method, params, result, error] = envelope.map(|name| members.get(name));
        let own_id = id.filter(|id| members.repeat(&["id"]).is_none() && self.allows_id(id, true));
        // answers and notifications
        let is_response = result.is_some() || error.is_some();
        let is_notification = id.is_none()
            && members.repeat(&["method"]).is_none()
            && method.is_some_and(|method| method.starts_with('"') && method.len() > 2);
        let refused = |kind, at| Verdict::Refused { kind, at, id: own_id, is_silent: is_response || is_notification };

        // those of the error object count like those of the message; the first in the text is reported
        let inner = error.and_then(|error| Members::of(error.as_bytes())?.repeat(&ERROR_OBJECT));
        let repeats = [members.repeat(&envelope), inner];
        if let Some(repeat) = repeats.into_iter().flatten().min_by_key(|repeat| repeat.as_ptr().addr()) {
            return refused(ErrorKind::RepeatedMember, repeat);
        }
        let Some(version) = version else { return refused(ErrorKind::MissingVersion, whole) };
        if string(version).is_none_or(|version| version != "2.0") {
            return refused(ErrorKind::InvalidVersion, version);
        }
        if let (Some(later), Some(_), _) | (Some(later), _, Some(_)) | (_, Some(later), Some(_)) =
            (error, result, method)
        {
            return refused(ErrorKind::ConflictingMembers, later);
        }

        if let Some(name) = method {
            let Some(method) = string(name).filter(|method| !method.is_empty()) else {
                return refused(ErrorKind::InvalidMethod, name);
            };
            if let Some(id) = id.filter(|id| !self.allows_id(id, false)) {
                return refused(ErrorKind::InvalidId, id);
            }
            if let Some(params) = params.filter(|params| !self.params.contains(&params[..1])) {
                return refused(ErrorKind::InvalidParams, params);
            }
            if let Some(id) = id.filter(|id| id_len(id) > CAPACITY) {
                return refused(ErrorKind::IdTooLong, id);
            }
            if method.len() > CAPACITY {
                return refused(ErrorKind::MethodTooLong, name);
            }
            let params = params.filter(|params| *params != "null");
            return match id {
                Some(id) => Verdict::Request { id, method, params },
                None => Verdict::Notification { method, params },
            };
        }

        if result.is_none() && error.is_none() {
            return refused(ErrorKind::MissingMember, whole);
        }
        match id {
            None if error.is_none() || !self.error_without_id => return refused(ErrorKind::MissingId, whole),
            Some(id) if !self.allows_id(id, error.is_some()) => return refused(ErrorKind::InvalidId, id),
            _ => {}
        }
        let parts = error.map(|error| (error, error_parts(error)));
        if let Some((error, None)) = parts {
            return refused(ErrorKind::InvalidErrorObject, error);
        }
        if let Some(id) = id.filter(|id| id_len(id) > CAPACITY) {
            return refused(ErrorKind::IdTooLong, id);
        }
        match (parts, id, result) {
            (Some((_, Some((code, message, data)))), id, _) => Verdict::Error { id, code, message, data },
            (_, Some(id), Some(result)) => Verdict::Success { id, result },
            _ => unreachable!("a response has a result and an id, or an error"),
        }
    }
}

/// The elements of the batch `text`, or the reason of a refusal of the whole; `None` if it is not an array.
pub fn batch(text: &[u8], rules: Rules) -> Option<Result<Vec<&[u8]>, Verdict<'_>>> {
    let elements: Vec<&RawValue> = serde_json::from_slice(text).ok()?;
    let refused = |kind| {
        let at = core::str::from_utf8(text.trim_ascii()).unwrap();
        Some(Err(Verdict::Refused { kind, at, id: None, is_silent: false }))
    };
    if !rules.batch {
        return refused(ErrorKind::BatchNotAllowed);
    }
    if elements.is_empty() {
        return refused(ErrorKind::EmptyBatch);
    }
    Some(Ok(elements.iter().map(|element| element.get().as_bytes()).collect()))
}

fn string(value: &str) -> Option<String> {
    serde_json::from_str(value).ok()
}

/// Code, message and data of an error object.
fn error_parts(error: &str) -> Option<(i64, String, Option<&str>)> {
    let members = Members::of(error.as_bytes())?;
    let code = match members.get("code")? {
        "-0" => 0,
        code => serde_json::from_str(code).ok()?,
    };
    Some((code, string(members.get("message")?)?, members.get("data")))
}
