//! The texts that a peer has to understand, and the comparison of its answers with those of the core's server.

use bytes::Bytes;
use nanojsonrpc::server::route::End;
use nanojsonrpc::{Dialect, Error, Growing, RawValue, Server};
use nanojsonrpc_tokio::{Message, Text, Unreadable};

use super::Finding;
use super::session::key;
use crate::print::line;
use crate::rules::{self, Rule};

/// Texts for a peer. `$` is a new id.
pub(super) struct Probe {
    pub(super) name: &'static str,
    /// The rule of a text that must not be answered, or that is answered with another code.
    rule: Rule,
    /// One for each message.
    pub(super) texts: &'static [&'static str],
    also: Also,
}

/// Right answers that differ from those of the core's server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Also {
    Nothing,
    Code(i64),
    /// A result, or any code.
    AnyOutcome,
    /// Any readable answer, or silence.
    Anything,
}

const fn probe(name: &'static str, rule: Rule, texts: &'static [&'static str]) -> Probe {
    Probe { name, rule, texts, also: Also::Nothing }
}

macro_rules! call {
    ($($more:literal)*) => {
        concat!(r#"{"jsonrpc":"2.0","method":"jrpc.check.none""#, $(",", $more,)* "}")
    };
}

pub(super) const PROBES: &[Probe] = &[
    probe("unknown method", rules::CODE, &[call!("\"id\":$")]),
    probe("id: a string", rules::CODE, &[call!("\"id\":\"jrpc-$\"")]),
    probe("id: a string with an escape", rules::CODE, &[call!("\"id\":\"\\u006arpc-\\n$\"")]),
    probe("id: an empty string", rules::CODE, &[call!("\"id\":\"\"")]),
    probe("id: a fraction", rules::CODE, &[call!("\"id\":$.5")]),
    probe("id: 2^53 + 1", rules::CODE, &[call!("\"id\":9007199254740993")]),
    probe("id: null", rules::CODE, &[call!("\"id\":null")]),
    probe("id: an object", rules::CODE, &[call!("\"id\":{}")]),
    probe("notification", rules::NOTIFICATION, &[call!()]),
    probe("response", rules::RESPONSE, &[r#"{"jsonrpc":"2.0","result":1,"id":$}"#]),
    probe("invalid response", rules::RESPONSE, &[r#"{"jsonrpc":"2.0","error":1,"id":$}"#]),
    probe("no JSON", rules::CODE, &["hello"]),
    probe("cut text", rules::CODE, &[r#"{"jsonrpc":"2.0","method":"jrpc.check.none","id":$"#]),
    probe("control character in a string", rules::CODE, &["{\"jsonrpc\":\"2.0\",\"method\":\"\u{1}\",\"id\":$}"]),
    probe("scalar", rules::CODE, &["$"]),
    probe("empty batch", rules::CODE, &["[]"]),
    probe("batch", rules::CODE, &[concat!("[", call!("\"id\":\"a$\""), ",", call!("\"id\":\"b$\""), "]")]),
    probe("batch of notifications", rules::NOTIFICATION, &[concat!("[", call!(), ",", call!(), "]")]),
    probe("batch with a scalar", rules::CODE, &[concat!("[1,", call!("\"id\":$"), ",", call!(), "]")]),
    Probe { also: Also::Code(-32602), ..probe("params: a scalar", rules::CODE, &[call!("\"params\":7" "\"id\":$")]) },
    probe("jsonrpc: 1.0", rules::CODE, &[r#"{"jsonrpc":"1.0","method":"jrpc.check.none","id":$}"#]),
    probe("without jsonrpc", rules::CODE, &[r#"{"method":"jrpc.check.none","id":$}"#]),
    probe("method: a number", rules::CODE, &[r#"{"jsonrpc":"2.0","method":1,"id":$}"#]),
    probe("name in another case", rules::CODE, &[r#"{"jsonrpc":"2.0","Method":"jrpc.check.none","id":$}"#]),
    probe("name with an escape", rules::CODE, &[r#"{"jsonrpc":"2.0","m\u0065thod":"jrpc.check.none","id":$}"#]),
    probe("repeated member", rules::CODE, &[call!("\"method\":\"jrpc.check.none\"" "\"id\":$")]),
    probe("extra members", rules::CODE, &[call!("\"ID\":0" "\"extra\":{\"id\":[1.5e3]}" "\"id\":$")]),
    probe(
        "white space",
        rules::CODE,
        &["\t {\t\"jsonrpc\" : \"2.0\", \"method\":  \"jrpc.check.none\" ,\t\"id\" :$ }\t "],
    ),
    // nested more deeply than parsers without limit can bear; it may be refused
    Probe { also: Also::Anything, ..probe("1000 levels", rules::CODE, &[call!("\"params\":@" "\"id\":$")]) },
    probe("two messages in one write", rules::CODE, &[call!("\"id\":\"c$\""), call!("\"id\":\"d$\"")]),
];

/// For lines that end with CR and LF.
pub(super) const CRLF: Probe = probe("CR and LF", rules::CODE, &[call!("\"id\":$")]);
pub(super) const PARTS: Probe = probe("one message in many writes", rules::CODE, &[call!("\"id\":$")]);
pub(super) const CALL: Probe = Probe { also: Also::AnyOutcome, ..probe("method", rules::CODE, &[]) };

/// The code of an answer, or none of a result, its id, and the offset of the id.
type Shape = (Option<i64>, Vec<u8>, usize);

/// The answers in a text in the order of their ids, and whether they are a batch. Or the fault of an answer.
fn shape(text: &Bytes, dialect: Dialect) -> Result<(bool, Vec<Shape>), Error> {
    let text = Text::parse(text.clone(), dialect);
    let shape = |message: Result<Message, Unreadable>| -> Result<Shape, Error> {
        let message = message.map_err(|unreadable| unreadable.refused().error)?;
        let (envelope, id) = (message.envelope(), message.id());
        Ok((envelope.error_object().map(|error| error.code.0), key(id), id.map_or(0, RawValue::offset)))
    };
    let mut shapes: Vec<_> = text.messages().map(shape).collect::<Result<_, Error>>()?;
    shapes.sort_by(|a, b| a.1.cmp(&b.1));
    Ok((text.is_batch(), shapes))
}

/// What the core's server, which has no methods, answers.
pub(super) fn expected(texts: &[Bytes], dialect: Dialect) -> Vec<Bytes> {
    let mut server = Server::with_routes(End).with_dialect(dialect);
    let answer = |text: &Bytes| {
        let mut output = Growing::new(usize::MAX);
        server.process(&mut (), text, &mut output).answer().map(Bytes::copy_from_slice)
    };
    texts.iter().filter_map(answer).collect()
}

impl Probe {
    /// The rule that the answers to the `sent` texts break.
    pub(super) fn judge(
        &self,
        name: &str,
        sent: &Bytes,
        answers: &[Bytes],
        dialect: Dialect,
        expected: &[Bytes],
    ) -> Option<Finding> {
        let found = |rule, found: String, text, offset| Some(Finding::new(name.to_owned(), rule, found, text, offset));
        let mut expected = expected.iter();
        for answer in answers {
            let (is_batch, shapes) = match shape(answer, dialect) {
                Ok(shape) => shape,
                Err(error) => {
                    return found(Rule::of(error.kind()), format!("the answer: {error}"), answer, error.offset());
                }
            };
            let wanted = expected.next().and_then(|text| shape(text, dialect).ok());
            let (wants_batch, wanted) = match wanted {
                _ if self.also == Also::Anything => continue,
                Some(wanted) => wanted,
                None if self.rule == rules::CODE => return found(rules::ONE_ANSWER, String::new(), answer, 0),
                None => return found(self.rule, String::new(), answer, 0),
            };
            if is_batch != wants_batch {
                return found(rules::ONE_ARRAY, if is_batch { "an array" } else { "no array" }.to_owned(), answer, 0);
            }
            if shapes.len() != wanted.len() {
                let count = format!("{} instead of {} answers", shapes.len(), wanted.len());
                return found(rules::WHOLE_BATCH, count, answer, 0);
            }
            for ((code, id, offset), (wanted_code, wanted_id, _)) in shapes.iter().zip(&wanted) {
                if id != wanted_id {
                    let ids = format!("id {} instead of {}", line(id), line(wanted_id));
                    return found(rules::ANSWER_ID, ids, answer, *offset);
                }
                let is_allowed =
                    self.also == Also::AnyOutcome || code.is_some_and(|code| self.also == Also::Code(code));
                if code != wanted_code && !is_allowed {
                    let shown = |code: &Option<i64>| code.map_or("a result".to_owned(), |code| code.to_string());
                    return found(self.rule, format!("{} instead of {}", shown(code), shown(wanted_code)), answer, 0);
                }
            }
        }
        let missing = expected.next().filter(|_| self.also != Also::Anything)?;
        let has_id = shape(missing, dialect).is_ok_and(|(_, shapes)| shapes.iter().any(|(_, id, _)| id != b"null"));
        found(if has_id { rules::ANSWER } else { rules::UNREADABLE }, "no answer".to_owned(), sent, 0)
    }
}
