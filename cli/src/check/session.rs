//! The rules of a session over both directions.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use nanojsonrpc::client::Addressee;
use nanojsonrpc::message::ErrorCodeKind;
use nanojsonrpc::{Dialect, Envelope, EnvelopeKind, Envelopes, RawValue, Refused};

use super::{Finding, mcp};
use crate::explain::{addressee, effects};
use crate::recording::{Direction, Entry};
use crate::rules::{self, Rule};

/// An id, decoded if it is a string, so that the spellings of a string are the same. No number begins with a quotation mark.
pub(super) fn key(id: Option<RawValue<'_>>) -> Vec<u8> {
    let id = id.unwrap_or(RawValue::NULL);
    match id.as_str_raw() {
        Some(string) => std::iter::once(b'"').chain(string.bytes()).collect(),
        None => id.as_bytes().to_vec(),
    }
}

/// A request that waits for its answer.
struct Flight {
    text: Bytes,
    /// The integer that its id spells.
    number: Option<i64>,
    offset: usize,
    line: usize,
    method: String,
    is_batch: bool,
    /// No finding if it is never answered.
    is_quiet: bool,
}

/// What one side has sent.
#[derive(Default)]
struct Side {
    flights: HashMap<Vec<u8>, Flight>,
    answered: HashSet<Vec<u8>>,
    /// Texts that get an error with the id null.
    unreadable: usize,
    /// Whether its last message is a notification.
    notifies: bool,
}

struct Session {
    dialect: Dialect,
    mcp: Option<mcp::Lifecycle>,
    sent: Side,
    received: Side,
    /// Whether the direction of texts is known; if not, both sides are one.
    has_directions: bool,
    findings: Vec<Finding>,
    // the message that is checked
    direction: Direction,
    text: Bytes,
    line: usize,
    is_batch: bool,
    /// The findings that it may still have.
    left: usize,
}

/// The findings in one text that are reported: each has the text, and a batch may have millions.
const IN_TEXT: usize = 100;

/// The findings in all texts of a session.
pub(super) fn check(entries: &[Entry], dialect: Dialect, is_mcp: bool) -> Vec<Finding> {
    let mut session = Session {
        dialect,
        mcp: is_mcp.then(mcp::Lifecycle::default),
        sent: Side::default(),
        received: Side::default(),
        has_directions: entries.iter().any(|entry| entry.direction == Direction::Sent),
        findings: Vec::new(),
        direction: Direction::Sent,
        text: Bytes::new(),
        line: 0,
        is_batch: false,
        left: 0,
    };
    entries.iter().for_each(|entry| session.read(entry));
    for (direction, side) in [(Direction::Sent, session.sent), (Direction::Received, session.received)] {
        let mut unanswered: Vec<_> = side.flights.into_values().filter(|flight| !flight.is_quiet).collect();
        unanswered.sort_by_key(|flight| (flight.line, flight.offset));
        session.findings.extend(
            unanswered.into_iter().map(|flight| {
                Finding::new(place(direction, flight.line), rules::ANSWER, "", &flight.text, flight.offset)
            }),
        );
    }
    session.findings
}

fn place(direction: Direction, line: usize) -> String {
    format!("line {line}, {}", if direction == Direction::Sent { "sent" } else { "received" })
}

impl Session {
    fn side(&mut self) -> &mut Side {
        if self.direction == Direction::Sent && self.has_directions { &mut self.sent } else { &mut self.received }
    }

    /// The side that this one answers.
    fn other(&mut self) -> &mut Side {
        if self.direction == Direction::Sent || !self.has_directions { &mut self.received } else { &mut self.sent }
    }

    fn find(&mut self, rule: Rule, found: impl Into<String>, offset: usize) {
        let finding = Finding::new(place(self.direction, self.line), rule, found, &self.text, offset);
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            self.findings.push(finding);
        }
    }

    fn read(&mut self, entry: &Entry) {
        self.left = IN_TEXT;
        (self.direction, self.text, self.line) = (entry.direction, entry.text.clone(), self.line.saturating_add(1));
        let mut messages = Envelopes::new(&entry.text, self.dialect);
        let (mut batches, first) = (HashSet::new(), messages.next());
        self.is_batch = messages.is_batch();
        let batch = RawValue::parse(&entry.text).ok().filter(|_| self.is_batch);
        let mut elements = batch.unwrap_or(RawValue::NULL).elements().map(RawValue::as_bytes);
        for read in first.into_iter().chain(messages) {
            let element = elements.next();
            let message = match read {
                Ok(message) => message,
                Err(refused) => {
                    self.refused(&refused, element);
                    continue;
                }
            };
            self.side().notifies = message.kind() == EnvelopeKind::Notification;
            if let Some((rule, offset)) = self.mcp.as_mut().and_then(|mcp| mcp.message(entry.direction, &message)) {
                self.find(rule, "", offset);
            }
            let id = message.id().unwrap_or(RawValue::NULL);
            match message.kind() {
                EnvelopeKind::Request => {
                    if self.side().flights.contains_key(&key(Some(id))) {
                        self.find(rules::ID_IN_FLIGHT, "", id.offset());
                    }
                    self.fly(id, message.method().to_string(), false);
                }
                EnvelopeKind::Notification => {
                    let cancelled = message.params().and_then(|params| params.get("requestId"));
                    if self.mcp.is_some() && message.method() == nanojsonrpc::mcp::method::CANCELLED {
                        self.side()
                            .flights
                            .get_mut(&key(cancelled))
                            .into_iter()
                            .for_each(|flight| flight.is_quiet = true);
                    }
                }
                _ => batches.extend(self.response(&message)),
            }
        }
        for batch in batches {
            let flights = self.other().flights.values_mut().filter(|flight| flight.is_batch && flight.line == batch);
            if flights.map(|flight| flight.is_quiet = true).count() > 0 {
                self.find(rules::WHOLE_BATCH, "", 0);
            }
        }
    }

    fn fly(&mut self, id: RawValue<'_>, method: String, is_quiet: bool) {
        let flight = Flight {
            text: self.text.clone(),
            number: Addressee::Call(id).number().map(|(number, _)| number),
            offset: id.offset(),
            line: self.line,
            method,
            is_batch: self.is_batch,
            is_quiet,
        };
        let (id, side) = (key(Some(id)), self.side());
        side.answered.remove(&id);
        side.flights.insert(id, flight);
    }

    fn refused(&mut self, refused: &Refused<'_>, element: Option<&[u8]>) {
        if self.left > 0 {
            self.find(Rule::of(refused.kind()), refused.kind().to_string(), refused.offset());
            let effect = effects(refused, element, self.dialect).join("; ");
            self.findings.last_mut().into_iter().for_each(|finding| finding.effect.clone_from(&effect));
        }
        match addressee(refused, element, self.dialect) {
            Addressee::Call(id) => {
                let (id, other) = (key(Some(id)), self.other());
                if other.flights.remove(&id).is_some() {
                    other.answered.insert(id);
                }
            }
            Addressee::Only => self.take_only(),
            Addressee::None => {}
        }
        match refused.id.filter(|id| !id.is_null()) {
            _ if !refused.is_answerable() => {}
            Some(id) => self.fly(id, String::new(), true),
            None => self.side().unreadable = self.side().unreadable.saturating_add(1),
        }
    }

    /// Ends the only call that the other side waits for.
    fn take_only(&mut self) {
        let other = self.other();
        if other.flights.len() == 1 {
            other.flights.clear();
        }
    }

    /// Checks a response, and returns the line of the batch that it answers a call of.
    fn response(&mut self, response: &Envelope<'_>) -> Option<usize> {
        if let Some(error) = response.error_object().filter(|error| error.code.kind() == ErrorCodeKind::Reserved) {
            let offset = response.error().and_then(|error| error.get("code")).map_or(0, RawValue::offset);
            self.find(rules::RESERVED, format!("code {}", error.code), offset);
        }
        let (id, offset) = (key(response.id()), response.id().map_or(0, RawValue::offset));
        let Some(flight) = self.other().flights.remove(&id) else {
            if let Some(rule) = self.unmatched(response, &id) {
                self.find(rule, "", offset);
            }
            return None;
        };
        self.other().answered.insert(id);
        if let Some(result) = response.result().filter(|_| self.mcp.is_some()) {
            mcp::result(&flight.method, result).into_iter().for_each(|(rule, offset)| self.find(rule, "", offset));
        }
        if flight.is_batch != self.is_batch {
            self.find(rules::ONE_ARRAY, "", if self.is_batch { 0 } else { offset });
        }
        (flight.is_batch && self.is_batch).then_some(flight.line)
    }

    /// The rule that a response breaks whose id no call in flight has.
    fn unmatched(&mut self, response: &Envelope<'_>, id: &[u8]) -> Option<Rule> {
        let (is_lenient, is_null) = (self.dialect.allows_any_spelling(), response.id().is_none_or(RawValue::is_null));
        let is_error = response.kind() == EnvelopeKind::Error;
        let is_own = self.has_directions && self.side().answered.contains(id);
        let other = self.other();
        let number = response.id().and_then(|id| Addressee::Call(id).number()).map(|(number, _)| number);
        let meant = other.flights.iter().find(|(_, flight)| number.is_some() && flight.number == number);
        if is_null && is_error && other.unreadable > 0 {
            other.unreadable = other.unreadable.saturating_sub(1);
            None
        } else if other.answered.contains(id) {
            Some(rules::ONE_ANSWER)
        } else if let Some(meant) = meant.map(|(id, _)| id.clone()) {
            other.flights.remove(&meant);
            (!is_lenient).then_some(rules::ANSWER_ID)
        } else if is_own {
            Some(rules::RESPONSE)
        } else if is_null && other.notifies {
            Some(rules::NOTIFICATION)
        } else if is_null && is_error {
            self.take_only();
            Some(rules::NULL_ID)
        } else {
            Some(rules::NO_REQUEST)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The findings of a session whose texts begin with `>` if they are sent, with `<` if they are received.
    fn findings(texts: &[&str], is_mcp: bool) -> Vec<(Rule, String, usize)> {
        let entry = |text: &&str| {
            let (direction, text) = match text.split_at(1) {
                (">", text) => (Direction::Sent, text),
                (_, text) => (Direction::Received, text),
            };
            Entry::now(direction, Bytes::copy_from_slice(text.as_bytes()))
        };
        let entries: Vec<_> = texts.iter().map(entry).collect();
        let dialect = if is_mcp { Dialect::MCP } else { Dialect::JSON_RPC };
        check(&entries, dialect, is_mcp)
            .into_iter()
            .map(|finding| (finding.rule, finding.place, finding.offset))
            .collect()
    }

    /// Asserts that exactly one rule is broken, in this line where it has `part`.
    #[track_caller]
    fn breaks(rule: Rule, line: usize, part: &str, texts: &[&str]) {
        let found = findings(texts, false);
        let sent = texts[line - 1].starts_with('>');
        let place = format!("line {line}, {}", if sent { "sent" } else { "received" });
        assert!(matches!(&found[..], [one] if (one.0, &one.1) == (rule, &place)), "{found:?}");
        let at = &texts[line - 1][1 + found[0].2..];
        assert!(at.starts_with(part), "{at}");
    }

    const CALL: &str = r#">{"jsonrpc":"2.0","method":"a","id":1}"#;
    const ANSWER: &str = r#"<{"jsonrpc":"2.0","result":0,"id":1}"#;
    const NULL_ERROR: &str = r#"<{"jsonrpc":"2.0","error":{"code":-32600,"message":""},"id":null}"#;
    const NOTIFICATION: &str = r#">{"jsonrpc":"2.0","method":"on"}"#;
    const BATCH: &str = r#">[{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"a","id":"b"}]"#;

    #[test]
    fn a_session_of_the_specification_has_no_finding() {
        let batched = r#"<[{"jsonrpc":"2.0","result":0,"id":"\u0062"},{"jsonrpc":"2.0","result":0,"id":1}]"#;
        let asked = [r#"<{"jsonrpc":"2.0","method":"q","id":1}"#, r#">{"jsonrpc":"2.0","result":0,"id":1}"#];
        let null = [r#">{"jsonrpc":"2.0","method":"a","id":null}"#, r#"<{"jsonrpc":"2.0","result":0,"id":null}"#];
        assert_eq!(
            findings(&[CALL, asked[0], asked[1], ANSWER, NOTIFICATION, CALL, ANSWER, BATCH, batched], false),
            []
        );
        assert_eq!(findings(&null, false), []);
        // both sides in one log without directions
        assert_eq!(findings(&[&CALL.replace('>', "<"), ANSWER], false), []);
    }

    #[test]
    fn each_rule_of_a_session_is_found_where_it_is_broken() {
        breaks(rules::ANSWER, 1, "1}", &[CALL]);
        breaks(rules::NO_REQUEST, 3, "2}", &[CALL, ANSWER, r#"<{"jsonrpc":"2.0","result":0,"id":2}"#]);
        breaks(rules::ONE_ANSWER, 3, "1}", &[CALL, ANSWER, ANSWER]);
        breaks(rules::ANSWER_ID, 2, "\"1\"}", &[CALL, r#"<{"jsonrpc":"2.0","result":0,"id":"1"}"#]);
        breaks(rules::ID_IN_FLIGHT, 2, "1}", &[CALL, CALL, ANSWER]);
        breaks(
            rules::NOTIFICATION,
            4,
            "null}",
            &[CALL, ANSWER, NOTIFICATION, r#"<{"jsonrpc":"2.0","result":0,"id":null}"#],
        );
        breaks(rules::NULL_ID, 2, "null}", &[CALL, NULL_ERROR]);
        breaks(
            rules::RESPONSE,
            3,
            "1}",
            &[r#"<{"jsonrpc":"2.0","method":"a","id":1}"#, r#">{"jsonrpc":"2.0","result":0,"id":1}"#, ANSWER],
        );
        breaks(
            rules::RESERVED,
            2,
            "-32500",
            &[CALL, r#"<{"jsonrpc":"2.0","error":{"code":-32500,"message":""},"id":1}"#],
        );
    }

    #[test]
    fn each_rule_of_batches_is_found() {
        breaks(rules::ONE_ARRAY, 2, "[", &[CALL, &format!("<[{}]", &ANSWER[1..])]);
        let (a, b) = (r#"{"jsonrpc":"2.0","result":0,"id":1}"#, r#"{"jsonrpc":"2.0","result":0,"id":"b"}"#);
        breaks(rules::WHOLE_BATCH, 2, "[", &[BATCH, &format!("<[{a}]")]);
        breaks(rules::NO_REQUEST, 2, "9}", &[BATCH, &format!("<[{a},{b},{}]", a.replace(":1}", ":9}"))]);
        let apart = findings(&[BATCH, &format!("<{a}"), &format!("<{b}")], false);
        assert_eq!(apart.iter().map(|found| found.0).collect::<Vec<_>>(), [rules::ONE_ARRAY; 2]);
    }

    #[test]
    fn a_refused_text_is_found_once_and_its_error_is_its_answer() {
        breaks(Rule::of(nanojsonrpc::ErrorKind::UnexpectedEnd), 1, "", &[">{", NULL_ERROR]);
        breaks(Rule::of(nanojsonrpc::ErrorKind::EmptyBatch), 1, "[", &[">[]", NULL_ERROR]);
        let both = r#"<{"jsonrpc":"2.0","result":0,"error":null,"id":1}"#;
        breaks(Rule::of(nanojsonrpc::ErrorKind::ConflictingMembers), 2, "null,", &[CALL, both]);
        let code = r#"<{"jsonrpc":"2.0","error":{"code":1.5,"message":""},"id":1}"#;
        breaks(Rule::of(nanojsonrpc::ErrorKind::InvalidErrorObject), 2, "{\"code\"", &[CALL, code]);
        let refused = [r#">{"jsonrpc":"2.0","method":7,"id":1}"#, &NULL_ERROR.replace("null", "1")];
        breaks(Rule::of(nanojsonrpc::ErrorKind::InvalidMethod), 1, "7", &refused);
    }

    #[test]
    fn each_rule_of_mcp_is_found() {
        let call = |id: u8, method: &str, params: &str| {
            format!(r#">{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":{id}}}"#)
        };
        let answer = |id: u8, result: &str| format!(r#"<{{"jsonrpc":"2.0","result":{result},"id":{id}}}"#);
        let begin = call(1, "initialize", "{}");
        let begun =
            answer(1, r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}"#);
        let ready = r#">{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned();
        let empty = |id| answer(id, "{}");
        let rules = |texts: &[&String]| {
            let texts: Vec<_> = texts.iter().map(|text| text.as_str()).collect();
            findings(&texts, true).into_iter().map(|(rule, place, _)| (rule, place)).collect::<Vec<_>>()
        };
        let at = |rule, line: usize, direction: &str| vec![(rule, format!("line {line}, {direction}"))];
        let list = call(2, "prompts/list", "{}");
        assert_eq!(rules(&[&begin, &begun, &ready, &list, &empty(2)]), []);
        assert_eq!(rules(&[&list, &empty(2)]), at(rules::FIRST, 1, "sent"));
        assert_eq!(rules(&[&begin, &begun, &list, &empty(2), &ready]), at(rules::INITIALIZED, 3, "sent"));
        let early = r#"<{"jsonrpc":"2.0","method":"notifications/progress"}"#.to_owned();
        assert_eq!(rules(&[&begin, &early, &begun, &ready]), at(rules::EARLY, 2, "received"));
        let stateless =
            call(1, "prompts/list", r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#);
        assert_eq!(rules(&[&stateless, &empty(1)]), []);
        assert_eq!(rules(&[&begin, &empty(1), &ready]), at(rules::RESULT, 2, "received"));
        let cancelled = r#">{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#.to_owned();
        assert_eq!(rules(&[&begin, &begun, &ready, &list, &cancelled]), []);
        for (method, result, rule) in [
            ("tools/call", r#"{"content":[{"type":"text","text":""}]}"#, None),
            ("tools/call", r#"{"content":[{"type":"text"}]}"#, Some(rules::RESULT)),
            ("tools/call", r#"{"structuredContent":{}}"#, Some(rules::RESULT)),
            ("tools/list", r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}"#, None),
            ("tools/list", r#"{"tools":[{"name":"a","inputSchema":{"type":"array"}}]}"#, Some(rules::TOOL)),
            ("tools/list", r#"{"tools":[{"name":"a"}]}"#, Some(rules::TOOL)),
            ("tools/list", "{}", Some(rules::RESULT)),
        ] {
            let found = rules(&[&begin, &begun, &ready, &call(2, method, "{}"), &answer(2, result)]);
            assert_eq!(found, rule.map_or(Vec::new(), |rule| at(rule, 5, "received")), "{method} {result}");
        }
    }
}
