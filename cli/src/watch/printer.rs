//! The lines of texts: which of them are printed, and which are recorded.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use nanojsonrpc::EnvelopeKind;
use nanojsonrpc_tokio::Message;
use wildmatch::WildMatch;

use super::Watch;
use super::relay::Report;
use crate::fault::Fault;
use crate::line::summary;
use crate::print::{Style, line, out};
use crate::recording::{Direction, Entry};

/// What a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Kind {
    Request,
    Notification,
    Answer,
    Error,
    Unreadable,
}

impl Kind {
    fn of(message: &Message) -> Self {
        match message.kind() {
            EnvelopeKind::Request => Self::Request,
            EnvelopeKind::Notification => Self::Notification,
            EnvelopeKind::Error => Self::Error,
            _ => Self::Answer,
        }
    }
}

/// A pattern of methods, or of those that are left out.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    excludes: bool,
    pattern: WildMatch,
}

impl FromStr for Glob {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let inverse = text.strip_prefix('!');
        Ok(Self { excludes: inverse.is_some(), pattern: WildMatch::new(inverse.unwrap_or(text)) })
    }
}

/// Whether messages of this method pass the patterns.
fn passes(globs: &[Glob], method: &str) -> bool {
    let (without, with): (Vec<_>, Vec<_>) = globs.iter().partition(|glob| glob.excludes);
    let matches = |glob: &&Glob| glob.pattern.matches(method);
    (with.is_empty() || with.iter().any(matches)) && !without.iter().any(matches)
}

/// The calls in flight whose methods are remembered, for their answers.
const CALLS: usize = 4096;

/// A call: its session, its direction and its id.
type Call = (u64, bool, String);

pub(super) struct Printer<'w> {
    watch: &'w Watch,
    record: Option<(PathBuf, File)>,
    left: Option<u64>,
    calls: HashMap<Call, String>,
}

impl<'w> Printer<'w> {
    pub(super) fn new(watch: &'w Watch) -> Result<Self, Fault> {
        let open = |path: &PathBuf| match OpenOptions::new().append(true).create(true).open(path) {
            Ok(file) => Ok((path.clone(), file)),
            Err(error) => Err(Fault::file(path.display(), &error)),
        };
        let record = watch.record.as_ref().map(open).transpose()?;
        Ok(Self { watch, record, left: watch.count, calls: HashMap::new() })
    }

    /// Records a text, and prints its messages. Whether more are to come.
    pub(super) fn print(&mut self, report: &Report) -> Result<bool, Fault> {
        let text = report.received.as_ref().map(|text| text.as_bytes().clone());
        let entry = Entry::now(report.direction, text.unwrap_or_default());
        if let (Ok(_), Some((path, file))) = (&report.received, &mut self.record) {
            let line = entry.to_line()? + "\n";
            file.write_all(line.as_bytes()).map_err(|error| Fault::file(path.display(), &error))?;
        }
        match &report.received {
            Err(fault) => self.show(&entry, Kind::Unreadable, "", &format!("\x1b[31munreadable\x1b[0m {fault}")),
            Ok(text) => {
                for message in text.messages() {
                    let is_left = match message {
                        Ok(message) => {
                            let method = self.method(report, &message);
                            self.show(&entry, Kind::of(&message), &method, &summary(&message, Style::Colour))
                        }
                        Err(unreadable) => {
                            let refused = unreadable.refused();
                            let shown = line(unreadable.text());
                            let line = format!("\x1b[31munreadable\x1b[0m {shown} ({})", refused.error);
                            self.show(&entry, Kind::Unreadable, "", &line)
                        }
                    };
                    if !is_left? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// The method of a message; of an answer, that of its call.
    fn method(&mut self, report: &Report, message: &Message) -> String {
        let is_call = message.kind() == EnvelopeKind::Request;
        let id = message.id().map_or(String::new(), |id| id.to_string());
        let call = (report.session, (report.direction == Direction::Sent) == is_call, id);
        match message.kind() {
            EnvelopeKind::Notification => message.method().to_string(),
            EnvelopeKind::Request => {
                // calls without an answer
                if self.calls.len() >= CALLS {
                    self.calls.clear();
                }
                self.calls.insert(call, message.method().to_string());
                message.method().to_string()
            }
            _ => self.calls.remove(&call).unwrap_or_default(),
        }
    }

    fn show(&mut self, entry: &Entry, kind: Kind, method: &str, text: &str) -> Result<bool, Fault> {
        let is_kind = self.watch.kinds.is_empty() || self.watch.kinds.contains(&kind);
        if is_kind && passes(&self.watch.methods, method) {
            let arrow = match entry.direction {
                Direction::Received => "\x1b[36m←\x1b[0m",
                Direction::Sent => "\x1b[35m→\x1b[0m",
            };
            out(format_args!("{} {arrow} {}", entry.time_of_day(), text.trim_end()))?;
            self.left = self.left.map(|left| left.saturating_sub(1));
        }
        Ok(self.left != Some(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_methods_include_and_exclude() {
        for (globs, method, expected) in [
            (&[][..], "lamp.set", true),
            (&["lamp.*"], "lamp.set", true),
            (&["lamp.*"], "fan.set", false),
            (&["lamp.*"], "", false),
            (&["fan.*", "lamp.s?t"], "lamp.set", true),
            (&["!*.tick"], "lamp.tick", false),
            (&["!*.tick"], "", true),
            (&["lamp.*", "!lamp.tick"], "lamp.tick", false),
            (&["lamp.*", "!lamp.tick"], "lamp.set", true),
        ] {
            let globs: Vec<Glob> = globs.iter().flat_map(|glob| glob.parse()).collect();
            assert_eq!(passes(&globs, method), expected, "{globs:?} {method}");
        }
    }
}
