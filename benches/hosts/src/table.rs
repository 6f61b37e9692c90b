//! The tables of the page.

use std::fmt;
use std::fs;
use std::path::Path;

use crate::Result;
use crate::load::{Latency, Round};

const MARKS: (&str, &str) = ("<!-- hosts: written by benches/hosts -->\n", "<!-- hosts: end -->\n");

/// Rows of Markdown.
#[derive(Default)]
pub struct Table {
    rates: String,
    latencies: String,
    memory: String,
}

pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    quantile(values, 0.5)
}

fn quantile(values: impl Iterator<Item = f64>, part: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * part).round() as usize]
}

impl Table {
    /// The first of the names is that of nanojsonrpc.
    pub fn rates(&mut self, case: &str, names: &[&str], rounds: &[Vec<Round>]) {
        let rate = |own: &[Round]| median(own.iter().map(|round| round.rate));
        let processor = |own: &[Round]| median(own.iter().map(|round| round.processor)) / 1e3;
        let ours = &rounds[0];
        for (name, theirs) in names.iter().zip(rounds).skip(1) {
            let ratios = || ours.iter().zip(theirs).map(|(ours, theirs)| ours.rate / theirs.rate);
            let used = median(ours.iter().zip(theirs).map(|(ours, theirs)| theirs.processor / ours.processor));
            let row = format!(
                "| {case} | {name} | {:.0} | {:.0} | **{:.2}** | {:.2} to {:.2} | {:.1} | {:.1} | {used:.2} |\n",
                rate(ours),
                rate(theirs),
                median(ratios()),
                quantile(ratios(), 0.25),
                quantile(ratios(), 0.75),
                processor(ours),
                processor(theirs),
            );
            eprint!("{row}");
            self.rates += &row;
        }
    }

    pub fn latencies(&mut self, case: &str, names: &[&str], rounds: &[Vec<Latency>]) {
        let ours = &rounds[0];
        let middle = |own: &[Latency], of: fn(&Latency) -> f64| median(own.iter().map(of));
        for (name, theirs) in names.iter().zip(rounds).skip(1) {
            let ratio =
                |of: fn(&Latency) -> f64| median(ours.iter().zip(theirs).map(|(ours, theirs)| of(theirs) / of(ours)));
            let row = format!(
                "| {case} | {name} | {:.0} | {:.0} | {:.2} | {:.0} | {:.0} | {:.2} |\n",
                middle(ours, |own| own.median),
                middle(theirs, |own| own.median),
                ratio(|own| own.median),
                middle(ours, |own| own.slow),
                middle(theirs, |own| own.slow),
                ratio(|own| own.slow),
            );
            eprint!("{row}");
            self.latencies += &row;
        }
    }

    /// The bytes of each connection.
    pub fn memory(&mut self, count: u64, names: &[&str], bytes: &[f64]) {
        for (name, theirs) in names.iter().zip(bytes).skip(1) {
            let (ours, theirs) = (bytes[0] / 1024.0, theirs / 1024.0);
            self.memory += &format!("| {count} | {name} | {ours:.1} | {theirs:.1} | {:.2} |\n", theirs / ours);
        }
    }

    /// Replaces the tables of the page.
    pub fn write(&self) -> Result<()> {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hosts.md");
        let text = fs::read_to_string(&page)?;
        let (before, rest) = text.split_once(MARKS.0).ok_or("no mark of the begin")?;
        let (_, after) = rest.split_once(MARKS.1).ok_or("no mark of the end")?;
        Ok(fs::write(page, format!("{before}{}{self}{}{after}", MARKS.0, MARKS.1))?)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (
                &self.rates,
                "| calls | beside | calls/s | theirs | ratio | middle half of the rounds | µs of the server for a call | theirs | ratio |\n\
                 |---|---|---:|---:|---:|---|---:|---:|---:|\n",
            ),
            (
                &self.latencies,
                "| at a fixed rate | beside | p50, µs | theirs | ratio | p99, µs | theirs | ratio |\n|---|---|---:|---:|---:|---:|---:|---:|\n",
            ),
            (
                &self.memory,
                "| idle WebSockets | beside | KiB of the server for each | theirs | ratio |\n|---:|---|---:|---:|---:|\n",
            ),
        ];
        let mut is_first = true;
        for (rows, head) in parts.into_iter().filter(|(rows, _)| !rows.is_empty()) {
            if !std::mem::take(&mut is_first) {
                f.write_str("\n")?;
            }
            write!(f, "{head}{rows}")?;
        }
        Ok(())
    }
}
