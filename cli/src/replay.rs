//! `jrpc replay`: sends what a recording has sent, and compares the answers with the recorded ones.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use nanojsonrpc::json::Kind;
use nanojsonrpc::{Dialect, EnvelopeKind, RawValue};
use nanojsonrpc_tokio::{Message, Text};
use tokio::time::Instant;

use crate::args::PeerOptions;
use crate::fault::Fault;
use crate::line::{Answer, Line};
use crate::peer::Peer;
use crate::print::{line, out, say};
use crate::recording::{self, Direction, Entry, pause};

/// Send the texts of a recording again, and compare the answers
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    jrpc watch lamp --listen tcp://127.0.0.1:4000 --record session.jsonl\n  \
    jrpc replay session.jsonl lamp --now --ignore /result/uptime --ignore '/result/log/*/time'\n\n\
    Status: 0 the same answers, 1 differences.")]
pub(crate) struct Replay {
    /// A recording of jrpc watch
    file: PathBuf,
    /// An address, or a name of the file of peers
    peer: String,
    /// Divide the recorded pauses by this factor
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = factor)]
    speed: f64,
    /// Send each text when the calls of the one before are answered, without pauses
    #[arg(long, conflicts_with = "speed")]
    now: bool,
    /// Do not compare this part of answers: a JSON pointer, in which * is any name or index
    #[arg(long = "ignore", value_name = "POINTER")]
    ignored: Vec<Pointer>,
    #[command(flatten)]
    options: PeerOptions,
}

fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor| (0.001..=1e6).contains(factor));
    factor.ok_or_else(|| "a factor is between 0.001 and 1000000".to_owned())
}

/// The tokens of a JSON pointer. RFC 6901 §3.
#[derive(Clone, Debug)]
struct Pointer(Vec<String>);

impl FromStr for Pointer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let tokens = text.strip_prefix('/').ok_or("a pointer begins with /, such as /result/time")?;
        Ok(Self(tokens.split('/').map(|token| token.replace("~1", "/").replace("~0", "~")).collect()))
    }
}

impl Pointer {
    fn is_at(&self, path: &[String]) -> bool {
        let is_same = |(token, name): (&String, &String)| token == "*" || token == name;
        self.0.len() == path.len() && self.0.iter().zip(path).all(is_same)
    }
}

/// A recorded call that was answered.
struct Call {
    /// The place of its text in the recording.
    place: usize,
    name: String,
    recorded: Message,
}

/// The calls of a recording that were answered, and their ids. An answer belongs to the last unanswered call with its id.
fn calls(entries: &[Entry], dialect: Dialect) -> (Vec<Call>, Vec<String>) {
    let mut calls: Vec<(usize, String, String, Option<Message>)> = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        for message in Text::parse(entry.text.clone(), dialect).messages().flatten() {
            let Some(id) = message.id().map(|id| id.to_string()) else { continue };
            match (entry.direction, message.kind()) {
                (Direction::Sent, EnvelopeKind::Request) => calls.push((place, id, message.method().to_string(), None)),
                (Direction::Received, EnvelopeKind::Success | EnvelopeKind::Error) => {
                    let mut waiting = calls.iter_mut().rev();
                    if let Some(call) = waiting.find(|(_, sent, _, answer)| *sent == id && answer.is_none()) {
                        call.3 = Some(message);
                    }
                }
                _ => {}
            }
        }
    }
    let answered = calls.into_iter().filter_map(|(place, id, method, answer)| {
        Some((Call { place, name: format!("{method}, id {id}"), recorded: answer? }, id))
    });
    answered.unzip()
}

impl Replay {
    pub(crate) async fn run(&self) -> Result<(), Fault> {
        let peer = Peer::find(&self.peer, &self.options)?;
        let entries = recording::read(&self.file)?;
        if entries.iter().all(|entry| entry.direction != Direction::Sent) {
            return Err(Fault::usage(format!("{}: no text was sent", self.file.display())));
        }
        let (calls, ids) = calls(&entries, peer.dialect);
        let mut answers = vec![None; calls.len()];
        let mut line = Line::open(&peer, Arc::new(say)).await?;
        let outcome = self.play(&mut line, peer.timeout, &entries, &calls, &ids, &mut answers).await;
        let (mut same, mut different) = (0_u64, 0_u64);
        for (call, answer) in calls.iter().zip(&answers) {
            // after a fault, answers that have not come are no differences
            let is_expected = answer.is_some() || outcome.is_ok();
            match self.difference(call, answer.as_ref()).filter(|_| is_expected) {
                Some(text) => {
                    different = different.saturating_add(1);
                    out(text)?;
                }
                None => same = same.saturating_add(u64::from(answer.is_some())),
            }
        }
        say(format_args!("{same} answers are the same, {different} differ"));
        outcome?;
        if different == 0 { Ok(()) } else { Err(Fault::Refused) }
    }

    async fn play(
        &self,
        line: &mut Line,
        timeout: Duration,
        entries: &[Entry],
        calls: &[Call],
        ids: &[String],
        answers: &mut [Option<Answer>],
    ) -> Result<(), Fault> {
        let mut due = Instant::now();
        let mut before: Option<&Entry> = None;
        for (place, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.direction == Direction::Sent) {
            let count = calls.partition_point(|call| call.place < place);
            let (ids, answers) = (ids.get(..count).unwrap_or_default(), answers.get_mut(..count).unwrap_or_default());
            if self.now {
                receive(line, ids, answers, Instant::now() + timeout, true).await?;
            } else {
                let wait = before.map_or(Duration::ZERO, |before| pause(before, entry));
                let wait = Duration::try_from_secs_f64(wait.as_secs_f64() / self.speed).unwrap_or(Duration::MAX);
                due = due.checked_add(wait).unwrap_or(due);
                receive(line, ids, answers, due, false).await?;
            }
            line.send(entry.text.clone()).await?;
            before = Some(entry);
        }
        receive(line, ids, answers, Instant::now() + timeout, true).await
    }

    /// What differs between the recorded answer and the one that has come.
    fn difference(&self, call: &Call, answer: Option<&Answer>) -> Option<String> {
        let (what, received) = match answer {
            None => ("no answer in time".to_owned(), String::new()),
            Some(Err(unreadable)) => (unreadable.refused().error.to_string(), line(unreadable.text())),
            Some(Ok(answer)) => {
                let (recorded, received) = (call.recorded.envelope(), answer.envelope());
                let mut path = Vec::new();
                let sides =
                    [("result", recorded.result(), received.result()), ("error", recorded.error(), received.error())];
                let is_different = sides.into_iter().any(|(name, a, b)| self.differ(a, b, name, &mut path));
                (is_different.then(|| format!("/{} differs", path.join("/")))?, line(&answer.text()))
            }
        };
        let received = if received.is_empty() { String::new() } else { format!("\n  received: {received}") };
        Some(format!(
            "{}: {}\n  recorded: {}{received}",
            line(call.name.as_bytes()),
            line(what.as_bytes()),
            line(&call.recorded.text())
        ))
    }

    /// Whether two values differ, of which either may be absent. Then `path` is that of the first difference.
    fn differ(&self, a: Option<RawValue<'_>>, b: Option<RawValue<'_>>, name: &str, path: &mut Vec<String>) -> bool {
        path.push(name.to_owned());
        let is_different = !self.ignored.iter().any(|pointer| pointer.is_at(path))
            && match (a, b) {
                (None, None) => false,
                (Some(a), Some(b)) if a.kind() == b.kind() => match a.kind() {
                    Kind::Object => {
                        let (a, b) = (members(a), members(b));
                        let names = a.keys().chain(b.keys().filter(|&name| !a.contains_key(name)));
                        let mut pairs = names.map(|name| (name, a.get(name).copied(), b.get(name).copied()));
                        pairs.any(|(name, a, b)| self.differ(a, b, name, path))
                    }
                    Kind::Array => {
                        let (mut a, mut b) = (a.elements(), b.elements());
                        let pairs = std::iter::from_fn(|| match (a.next(), b.next()) {
                            (None, None) => None,
                            pair => Some(pair),
                        });
                        pairs.enumerate().any(|(index, (a, b))| self.differ(a, b, &index.to_string(), path))
                    }
                    Kind::Number => !is_same_number(a, b),
                    Kind::String => a.as_str_raw() != b.as_str_raw(),
                    _ => a != b,
                },
                _ => true,
            };
        if !is_different {
            path.pop();
        }
        is_different
    }
}

/// The members of an object by their decoded names.
fn members(object: RawValue<'_>) -> BTreeMap<String, RawValue<'_>> {
    object.members().map(|(name, value)| (name.to_string(), value)).collect()
}

/// Integers are compared exactly, other numbers as doubles.
fn is_same_number(a: RawValue<'_>, b: RawValue<'_>) -> bool {
    match (a.to_integer::<i128>(), b.to_integer::<i128>()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b || a.as_f64().is_some() && a.as_f64() == b.as_f64(),
    }
}

/// Receives texts up to this time, or only until all calls are answered.
async fn receive(
    line: &mut Line,
    ids: &[String],
    answers: &mut [Option<Answer>],
    until: Instant,
    only_answers: bool,
) -> Result<(), Fault> {
    while !(only_answers && answers.iter().all(Option::is_some)) {
        match line.receive_until(until, ids, answers).await {
            Err(Fault::Late) => break,
            received => received?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path of the first difference.
    fn difference(a: &str, b: &str, ignored: &[&str]) -> Option<String> {
        let replay = Replay {
            file: PathBuf::new(),
            peer: String::new(),
            speed: 1.0,
            now: true,
            ignored: ignored.iter().map(|text| text.parse().expect("a pointer")).collect(),
            options: PeerOptions::default(),
        };
        let parse = |text: &'static str| RawValue::parse(text.as_bytes()).expect("valid");
        let (a, b) = (parse(a.to_owned().leak()), parse(b.to_owned().leak()));
        let mut path = Vec::new();
        replay.differ(Some(a), Some(b), "result", &mut path).then(|| path.join("/"))
    }

    #[test]
    fn values_are_compared_by_meaning() {
        for (a, b) in [
            (r#"{"a":1,"b":[ ]}"#, r#"{ "b" : [], "\u0061":1}"#),
            (r#""\u0041\/""#, r#""A/""#),
            ("1.0", "1e0"),
            ("100", "1e2"),
            ("9007199254740993", "9007199254740993"),
            ("null", "null"),
        ] {
            assert_eq!(difference(a, b, &[]), None, "{a} {b}");
        }
    }

    #[test]
    fn the_first_difference_has_a_path() {
        for (a, b, path) in [
            ("1", "2", "result"),
            ("9007199254740993", "9007199254740992", "result"),
            ("1", "\"1\"", "result"),
            ("true", "false", "result"),
            (r#"{"a":{"b":[1,2]}}"#, r#"{"a":{"b":[1,3]}}"#, "result/a/b/1"),
            ("[1]", "[1,2]", "result/1"),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#, "result/b"),
            (r#"{"a":1,"b":null}"#, r#"{"a":1}"#, "result/b"),
        ] {
            assert_eq!(difference(a, b, &[]).as_deref(), Some(path), "{a} {b}");
        }
    }

    #[test]
    fn ignored_parts_may_differ_or_be_absent() {
        let (a, b) = (r#"{"a/b":1,"list":[{"t":1,"x":1},{"t":2,"x":1}]}"#, r#"{"list":[{"t":3,"x":1},{"x":2}]}"#);
        assert_eq!(difference(a, b, &["/result/a~1b", "/result/list/*/t", "/result/list/1/x"]), None);
        assert_eq!(difference(a, b, &["/result/a~1b", "/result/list/*/t"]).as_deref(), Some("result/list/1/x"));
        assert_eq!(difference(a, b, &["/result/*/*/*"]).as_deref(), Some("result/a/b"));
        assert!("result".parse::<Pointer>().is_err());
    }
}
