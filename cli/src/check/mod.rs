//! `jrpc check`: what of the specification a peer or a recorded session breaks.

mod mcp;
mod peer;
mod probe;
mod session;

use std::path::Path;

use bytes::Bytes;
use clap::Args;
use nanojsonrpc::{Growing, Writer};
use serde::Serialize;

use crate::args::PeerOptions;
use crate::fault::Fault;
use crate::params;
use crate::print::{Marked, out, say};
use crate::rules::Rule;

/// Check what of the specification a peer or a recorded session breaks
#[derive(Args, Debug)]
#[command(after_help = "Status: 0 without findings, 1 with.\n\n\
    A peer is called with methods that exist nowhere, and with texts that are no requests.\n\nExamples:\n  \
    jrpc check tcp://lamp.local:4000 --method lamp.level\n  \
    jrpc check --mcp 'exec:npx -y @modelcontextprotocol/server-everything'\n  \
    jrpc check session.jsonl --json")]
pub(crate) struct Check {
    /// An address, a name of the file of peers, or a recording
    target: String,
    /// Call this harmless method of the peer, too, with params as those of jrpc call
    #[arg(long, num_args = 1.., value_names = ["NAME", "PARAMS"], allow_hyphen_values = true)]
    method: Vec<String>,
    /// Print the findings as lines of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: PeerOptions,
}

impl Check {
    pub(crate) async fn run(&self) -> Result<(), Fault> {
        let mut report = Report { is_json: self.json, findings: 0, probes: 0 };
        let path = Path::new(&self.target);
        let checked = if path.is_file() {
            let entries = crate::recording::read(path)?;
            let findings = session::check(&entries, self.options.known_dialect(), self.options.mcp);
            findings.iter().try_for_each(|finding| report.add(finding))?;
            format!("{} texts", entries.len())
        } else {
            let method = match self.method.split_first() {
                Some((name, arguments)) => Some((params::string(name)?, params::read(arguments)?)),
                None => None,
            };
            peer::check(&self.target, &self.options, method, &mut report).await?;
            format!("{} probes", report.probes)
        };
        let findings = report.findings;
        let summary = format!("{checked}, {findings} {}", if findings == 1 { "finding" } else { "findings" });
        if self.json {
            say(summary)
        } else {
            out(summary)?
        }
        if findings == 0 { Ok(()) } else { Err(Fault::Refused) }
    }
}

/// A broken rule.
#[derive(Serialize)]
pub(super) struct Finding {
    /// The line of a recording and its direction, or the name of a probe.
    place: String,
    #[serde(flatten)]
    rule: Rule,
    /// What a peer has done; empty if the rule says it.
    #[serde(skip_serializing_if = "String::is_empty")]
    found: String,
    /// What a strict client or server does because of it.
    effect: String,
    offset: usize,
    #[serde(serialize_with = "lossy")]
    text: Bytes,
}

fn lossy<S: serde::Serializer>(text: &Bytes, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&String::from_utf8_lossy(text))
}

impl Finding {
    /// The effect is that of the rule.
    fn new(place: String, rule: Rule, found: impl Into<String>, text: &Bytes, offset: usize) -> Self {
        Self { place, rule, found: found.into(), text: text.clone(), offset, effect: rule.effect.to_owned() }
    }
}

/// Prints and counts findings.
pub(super) struct Report {
    is_json: bool,
    findings: usize,
    probes: usize,
}

impl Report {
    fn add(&mut self, finding: &Finding) -> Result<(), Fault> {
        self.findings = self.findings.saturating_add(1);
        if self.is_json {
            let mut buffer = Growing::new(usize::MAX);
            let mut line = Writer::new(&mut buffer);
            line.value(finding).map_err(|error| Fault::File(error.to_string()))?;
            return out(String::from_utf8_lossy(line.written()));
        }
        let Finding { place, rule: Rule { section, sentence, .. }, found, text, offset, effect } = finding;
        let found = if found.is_empty() { String::new() } else { format!("{found}; ") };
        let marked = Marked { text, offset: *offset };
        out(format_args!("broken  {place}: {found}{sentence} ({section})\n{marked}\n  {effect}"))
    }

    /// The outcome of a probe.
    fn row(&mut self, name: &str, finding: Option<Finding>) -> Result<(), Fault> {
        self.probes = self.probes.saturating_add(1);
        match finding {
            Some(finding) => self.add(&finding),
            None if self.is_json => Ok(()),
            None => out(format_args!("ok      {name}")),
        }
    }
}
