//! On any head and any body, for a body buffer and an output of any size: exactly one status, which a model of the table has, too;
//! every call of a body that is read is answered with its id, or no handler was called and the status is 500.
#![no_main]

mod hosts;

// a part of it is for the other targets
#[allow(dead_code)]
mod reference;

use hosts::{is_host, may_be_foreign};
use libfuzzer_sys::fuzz_target;
use nanojsonrpc::http::{Endpoint, Head, Length, Step, reason};
use nanojsonrpc::{ErrorKind, Params, RawValue, Router, Server};
use reference::{Members, Rules, Verdict};
use serde_json::value::RawValue as Json;

const TYPES: [&str; 4] =
    ["application/json", "application/json-rpc", "application/jsonrequest", "application/vscode-jsonrpc"];

/// The headers of a request, by a model that shares no code with the library.
struct Model<'a> {
    method: &'a str,
    target: &'a str,
    headers: &'a [(&'a str, &'a [u8])],
}

impl<'a> Model<'a> {
    /// A header; `Err` if it is there more than once, or has a byte that no value may have.
    fn header(&self, name: &str) -> Result<Option<&'a [u8]>, ()> {
        let mut found = self.headers.iter().filter(|(known, _)| known.to_ascii_lowercase() == name);
        let first = found.next().map(|(_, value)| {
            let start = value.iter().position(|byte| !b" \t".contains(byte)).unwrap_or(value.len());
            let end = value.iter().rposition(|byte| !b" \t".contains(byte)).map_or(start, |at| at + 1);
            &value[start..end]
        });
        let is_valid = first.is_none_or(|value| !value.iter().any(|byte| b"\0\r\n".contains(byte)));
        if found.next().is_some() || !is_valid { Err(()) } else { Ok(first) }
    }

    fn is_foreign(&self) -> bool {
        let Ok(origin) = self.header("origin") else { return true };
        let Some(origin) = origin else { return false };
        let Ok(origin) = str::from_utf8(origin) else { return true };
        let Some(place) = origin.strip_prefix("http://").or(origin.strip_prefix("https://")) else { return true };
        !["localhost", "127.0.0.1", "[::1]"].iter().any(|host| {
            let port = place.strip_prefix(host).map(|rest| rest.strip_prefix(':').unwrap_or(rest).to_owned());
            let is_bare = place == *host;
            is_bare
                || port.is_some_and(|port| {
                    place.as_bytes().get(host.len()) == Some(&b':')
                        && !port.is_empty()
                        && port.bytes().all(|digit| digit.is_ascii_digit())
                })
        })
    }

    /// Whether the stream that this request without `Origin` opens may be that of a page of another site.
    fn opens_foreign_stream(&self) -> bool {
        let is_marked = self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("last-event-id"));
        let is_shown = match self.header("sec-fetch-site") {
            Ok(None) => is_marked,
            Ok(Some(site)) => matches!(site, b"none" | b"same-origin"),
            Err(_) => false,
        };
        let Ok(host) = self.header("host") else { return true };
        !is_shown || host.is_some_and(|host| may_be_foreign(&String::from_utf8_lossy(host)))
    }

    /// The allowed statuses of a request whose body is not read; empty if the body is read.
    fn refusal(&self, room: usize, is_elsewhere: bool, has_events: bool, chunks: bool) -> Option<Vec<u16>> {
        let one = |status| Some(vec![status]);
        if self.is_foreign() {
            return one(403);
        }
        if is_elsewhere {
            return one(404);
        }
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if self.headers.iter().any(|(name, _)| name.is_empty() || !name.chars().all(is_token)) {
            return one(400);
        }
        if !self.header("host").is_ok_and(|host| host.is_none_or(is_host)) {
            return one(400);
        }
        let coding = self.header("transfer-encoding").map(|coding| coding.map(<[u8]>::to_ascii_lowercase));
        let len = match (coding, self.header("content-length")) {
            (Err(()), _) | (_, Err(())) | (Ok(Some(_)), Ok(Some(_))) => return one(400),
            (Ok(Some(coding)), Ok(None)) if coding == b"chunked" => None,
            (Ok(Some(_)), Ok(None)) => return one(501),
            (Ok(None), Ok(None)) => None,
            (Ok(None), Ok(Some(len))) => {
                if len.is_empty() || !len.iter().all(u8::is_ascii_digit) {
                    return one(400);
                }
                Some(str::from_utf8(len).expect("digits").parse::<u128>().unwrap_or(u128::MAX))
            }
        };
        match self.method {
            "POST" => {}
            "GET" if has_events => {
                let is_refused = self.header("origin") == Ok(None) && self.opens_foreign_stream();
                return one(if is_refused { 403 } else { 200 });
            }
            _ => return one(405),
        }
        match self.header("content-encoding") {
            Ok(None) => {}
            Ok(Some(coding)) if coding.eq_ignore_ascii_case(b"identity") => {}
            _ => return one(415),
        }
        let kind = self.header("content-type").ok().flatten().map(|kind| String::from_utf8_lossy(kind).to_lowercase());
        let Some(kind) = kind else { return one(415) };
        let (essence, parameters) = kind.split_once(';').unwrap_or((&kind, ""));
        if !TYPES.contains(&essence.trim_matches([' ', '\t'])) {
            return one(415);
        }
        let rest = match len {
            None if chunks && self.header("transfer-encoding") != Ok(None) => None,
            None => Some(411),
            Some(len) if len > room as u128 => Some(413),
            Some(_) => None,
        };
        let rest = rest.or(match self.header("expect") {
            Ok(None) => None,
            Ok(Some(expect)) if expect.eq_ignore_ascii_case(b"100-continue") => None,
            _ => Some(417),
        });
        match (parameters.contains("utf"), rest) {
            (false, rest) => rest.map(|status| vec![status]),
            // an encoding is the library's to judge
            (true, Some(status)) => Some(vec![415, status]),
            (true, None) => Some(vec![415, 0]),
        }
    }
}

/// The id of each call in `body`, and whether anything in it is a message.
fn calls(body: &[u8]) -> (Vec<String>, bool) {
    let elements = match reference::batch(body, Rules::JSON_RPC) {
        _ if RawValue::parse(body).is_err() => return (vec![], false),
        None => vec![body],
        Some(Err(_)) => return (vec![], false),
        Some(Ok(elements)) => elements,
    };
    let mut ids = vec![];
    let mut is_message = false;
    for element in elements {
        match Rules::JSON_RPC.judge(body, element) {
            Verdict::Request { id, .. } => ids.push(id.to_owned()),
            Verdict::Notification { .. } | Verdict::Success { .. } | Verdict::Error { .. } => {}
            // a server has no such limits
            Verdict::Refused { kind: ErrorKind::IdTooLong | ErrorKind::MethodTooLong, .. } => {
                let members = Members::of(element).expect("an object");
                match (members.get("method"), members.get("id")) {
                    (Some(_), Some(id)) => ids.push(id.to_owned()),
                    (Some(_), None) | (None, Some(_)) => {}
                    (None, None) => continue,
                }
            }
            Verdict::Refused { id, is_silent: false, .. } if id.is_some_and(|id| id != "null") => {}
            Verdict::Refused { .. } => continue,
        }
        is_message = true;
    }
    (ids, is_message)
}

fuzz_target!(|input: &[u8]| {
    let [size, room, options, text @ ..] = input else { return };
    let at = text.windows(2).position(|pair| pair == b"\n\n").unwrap_or(text.len());
    let (head, body) = (&text[..at], text.get(at + 2..).unwrap_or_default());
    let mut lines = head.split(|byte| *byte == b'\n');
    let Ok(first) = str::from_utf8(lines.next().unwrap_or_default()) else { return };
    let (method, target) = first.split_once(' ').unwrap_or((first, "/"));
    let method = if options & 1 == 0 { "POST" } else { method };
    let len = body.len().to_string();
    let mut headers: Vec<(&str, &[u8])> = lines
        .filter_map(|line| {
            let colon = line.iter().position(|byte| *byte == b':')?;
            Some((str::from_utf8(&line[..colon]).ok()?, &line[colon + 1..]))
        })
        .collect();
    // so that many bodies are read
    if options & 2 == 0 {
        headers.push(("Content-Type", b" application/json"));
    }
    if options & 4 == 0 {
        headers.push(("content-LENGTH", len.as_bytes()));
    }
    let (has_events, chunks, has_path) = (options & 8 != 0, options & 16 != 0, options & 32 != 0);
    let mut endpoint = Endpoint::new();
    endpoint = if has_events { endpoint.with_events() } else { endpoint };
    endpoint = if chunks { endpoint.reading_chunks() } else { endpoint };
    endpoint = if has_path { endpoint.at("/rpc") } else { endpoint };
    endpoint = if options & 64 != 0 { endpoint.accepting() } else { endpoint };
    let silence = if options & 64 != 0 { 202 } else { 204 };

    let head = Head::from_headers(method, target, headers.iter().copied());
    let model = Model { method, target, headers: &headers };
    let is_elsewhere = {
        let target = model.target.split('?').next().unwrap_or_default();
        let absolute =
            target.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(&&*scheme.to_ascii_lowercase()));
        let path = match absolute {
            Some((_, rest)) => rest.split_once('/').map_or("/".to_owned(), |(_, path)| format!("/{path}")),
            None => target.to_owned(),
        };
        has_path && path != "/rpc"
    };
    let room = usize::from(*room) * 16;
    let refusal = model.refusal(room, is_elsewhere, has_events, chunks);
    let is_read = match endpoint.begin(&head, room) {
        Step::Respond(response) => {
            let mut out = [0; 160];
            assert!(response.write_head(&mut out).is_ok());
            assert!(response.body().is_empty());
            let refusal = refusal.unwrap_or_else(|| panic!("{response:?}"));
            assert!(refusal.contains(&response.status()), "{response:?} {refusal:?}");
            assert_eq!(response.headers().iter().any(|(name, _)| *name == "allow"), response.status() == 405);
            false
        }
        Step::Read { length, .. } => {
            assert!(refusal.is_none_or(|refusal| refusal.contains(&0)));
            assert!(!matches!(length, Length::Known(len) if len > room));
            match length {
                Length::Known(len) => len == body.len(),
                _ => true,
            }
        }
        _ => unreachable!("no other step"),
    };

    let router = Router::new()
        .request("a", |called: &mut usize, params: Params<'_>, reply: nanojsonrpc::server::Reply<'_>| {
            *called += 1;
            reply.success(&params)
        })
        .notification_fallback(|called: &mut usize, _, _| *called += 1);
    let mut output = vec![0; usize::from(*size) * 8];
    let mut called = 0;
    let response = endpoint.answer(&mut Server::new(router), &mut called, &head, body, &mut output);
    assert_ne!(reason(response.status()), "", "{response:?}");
    let mut out = [0; 160];
    assert!(response.write_head(&mut out).is_ok());
    if !is_read {
        // a body longer than the caller's buffer is read here, too
        let is_over = matches!(endpoint.begin(&head, room), Step::Respond(response) if response.status() == 413);
        assert!(is_over || called == 0 && response.body().is_empty());
        return;
    }
    let (ids, is_message) = calls(body);
    match response.status() {
        500 => assert_eq!(called, 0),
        400 => assert!(!is_message && called == 0, "{response:?}"),
        200 => {
            let text = response.body();
            let answers: Vec<&Json> = serde_json::from_slice(text)
                .or_else(|_| serde_json::from_slice(text).map(|one| vec![one]))
                .expect("JSON");
            let mut answered: Vec<String> = answers
                .iter()
                .map(|answer| Members::of(answer.get().as_bytes()).expect("an object").get("id").expect("an id").into())
                .collect();
            for id in &ids {
                let at = answered.iter().position(|answered| answered == id);
                answered.swap_remove(at.unwrap_or_else(|| panic!("no answer to {id}: {}", text.escape_ascii())));
            }
            assert!(is_message);
        }
        status => {
            assert_eq!(status, silence);
            assert!(ids.is_empty() && is_message && response.body().is_empty());
        }
    }
});
