//! `jrpc bench`: the same call as fast as the peer answers, and how long the answers take.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use clap::Args;
use futures_util::future::join_all;
use hdrhistogram::Histogram;
use nanojsonrpc::{Growing, RawValue, Writer};
use nanojsonrpc_tokio::{CallError, Message};
use serde::{Serialize, Serializer};
use tokio::time::{Instant, interval};

use crate::args::{PeerOptions, Timeout};
use crate::fault::Fault;
use crate::params;
use crate::peer::Peer;
use crate::print::{line, out};
use crate::session::Caller;
use crate::stop::stop;

/// Call a method again and again, and print the rate and the round trips
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    jrpc bench tcp://lamp.local:4000 lamp.level\n  \
    jrpc bench lamp lamp.set level:=20 --in-flight 8 --count 10000 --json\n\n\
    The round trips of the first 5 % or 100 calls, whichever are fewer, do not count.\n\
    Status: 0 all calls have results, 1 some end with errors, 5 the connection has ended.")]
pub(crate) struct Bench {
    /// An address, or a name of the file of peers
    peer: String,
    method: String,
    /// The params, as in call
    params: Vec<String>,
    /// Begin calls for this time [default: 5s]
    #[arg(long = "for", value_name = "TIME", conflicts_with = "count")]
    time: Option<Timeout>,
    /// The number of calls
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// The number of calls that wait for their answers at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    in_flight: u16,
    /// Print one JSON object, with times in nanoseconds
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: PeerOptions,
}

const TIME: Duration = Duration::from_secs(5);
/// The most calls whose round trips do not count, because the peer is not yet warm.
const WARM_UP: u64 = 100;
/// The part of the calls or of the time for that.
const WARM_UP_PART: u32 = 20;
/// The greatest round trip in nanoseconds: that of the longest timeout.
const MAX: u64 = 86_400_000_000_000;
/// The upper end of the first range of round trips in nanoseconds; each other one is twice as long.
const SHORTEST: u64 = 1000;
const BAR: usize = 40;

/// The calls up to now.
struct Tally {
    begun: Instant,
    /// Calls that are begun.
    count: u64,
    answered: u64,
    errors: BTreeMap<String, u64>,
    histogram: Histogram<u64>,
    closed: Option<CallError>,
}

impl Tally {
    fn end(&mut self, is_warm: bool, time: Duration, outcome: Result<Message, CallError>) {
        let error = match outcome {
            Ok(answer) => {
                self.answered = self.answered.saturating_add(1);
                if is_warm {
                    self.histogram.saturating_record(u64::try_from(time.as_nanos()).unwrap_or(MAX));
                }
                match (answer.envelope().result(), answer.envelope().error_object()) {
                    (Some(_), _) => return,
                    (_, Some(error)) => format!("error {}: {}", error.code.0, error.message),
                    _ => "error".to_owned(),
                }
            }
            Err(error @ CallError::Closed(_)) => {
                self.closed = Some(error);
                return;
            }
            Err(error) => error.to_string(),
        };
        let count = self.errors.entry(line(error.as_bytes())).or_default();
        *count = count.saturating_add(1);
    }
}

/// The results, as an object for programs or as lines for people.
#[derive(Serialize)]
struct Results<'t> {
    calls: u64,
    seconds: f64,
    calls_per_second: f64,
    errors: &'t BTreeMap<String, u64>,
    #[serde(serialize_with = "as_object")]
    round_trips: [(&'static str, u64); 6],
    /// The upper end of each range of round trips, and their number.
    histogram: Vec<(u64, u64)>,
}

fn as_object<S: Serializer>(times: &[(&'static str, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(times.iter().copied())
}

impl Bench {
    pub(crate) async fn run(&self) -> Result<(), Fault> {
        let peer = Peer::find(&self.peer, &self.options)?;
        let params = params::read(&self.params)?;
        let params = params.as_deref().map(|params| RawValue::parse(params.as_bytes())).transpose();
        let params = params.map_err(|error| Fault::usage(error.to_string()))?;
        let histogram = Histogram::new_with_bounds(1, MAX, 3).map_err(|error| Fault::usage(error.to_string()))?;
        let caller = Caller::open(&peer).await?;
        let (begun, errors) = (Instant::now(), BTreeMap::new());
        let tally = RefCell::new(Tally { begun, count: 0, answered: 0, errors, histogram, closed: None });
        let work = async || {
            loop {
                // a borrow does not last until the answer
                let next = self.begin(&mut tally.borrow_mut());
                let Some(is_warm) = next else { break };
                let begun = Instant::now();
                let outcome = caller.call(&self.method, params).await;
                tally.borrow_mut().end(is_warm, begun.elapsed(), outcome);
            }
        };
        tokio::select! {
            _ = join_all((0..self.in_flight).map(|_| work())) => {}
            () = stop(None) => {}
            () = self.show_progress(&tally) => {}
        }
        let tally = tally.into_inner();
        self.print(&tally)?;
        match tally.closed {
            Some(error) => Err(error.into()),
            None if tally.errors.is_empty() => Ok(()),
            None => Err(Fault::Refused),
        }
    }

    /// Begins a call: whether its round trip counts. `None` if there is none left.
    fn begin(&self, tally: &mut Tally) -> Option<bool> {
        let elapsed = tally.begun.elapsed();
        let time = self.time.map_or(TIME, |Timeout(time)| time);
        let (is_over, is_warm) = match self.count {
            Some(count) => (tally.count >= count, tally.count >= count / u64::from(WARM_UP_PART)),
            None => (elapsed >= time, elapsed >= time / WARM_UP_PART),
        };
        if is_over || tally.closed.is_some() {
            return None;
        }
        let is_warm = is_warm || tally.count >= WARM_UP;
        tally.count = tally.count.saturating_add(1);
        Some(is_warm)
    }

    /// A line on the terminal, again and again.
    async fn show_progress(&self, tally: &RefCell<Tally>) {
        if !std::io::stderr().is_terminal() {
            return std::future::pending().await;
        }
        let mut ticks = interval(Duration::from_millis(100));
        loop {
            ticks.tick().await;
            let tally = tally.borrow();
            let part = match self.count {
                Some(count) => tally.answered as f64 / count as f64,
                None => {
                    tally.begun.elapsed().as_secs_f64() / self.time.map_or(TIME, |Timeout(time)| time).as_secs_f64()
                }
            };
            let part = part.clamp(0.0, 1.0);
            let bar = "#".repeat((part * BAR as f64) as usize);
            // a closed output has no reader to tell
            _ = write!(std::io::stderr(), "\r[{bar:BAR$}] {:3.0} % {} answers ", part * 100.0, tally.answered);
        }
    }

    fn print(&self, tally: &Tally) -> Result<(), Fault> {
        if std::io::stderr().is_terminal() {
            _ = write!(std::io::stderr(), "\r\x1b[K");
        }
        let seconds = tally.begun.elapsed().as_secs_f64();
        let histogram = &tally.histogram;
        let at = |quantile| histogram.value_at_quantile(quantile);
        let results = Results {
            calls: tally.answered,
            seconds,
            calls_per_second: tally.answered as f64 / seconds,
            errors: &tally.errors,
            round_trips: [
                ("min", histogram.min()),
                ("p50", at(0.5)),
                ("p90", at(0.9)),
                ("p99", at(0.99)),
                ("p99.9", at(0.999)),
                ("max", histogram.max()),
            ],
            histogram: histogram
                .iter_log(SHORTEST, 2.0)
                .map(|range| (range.value_iterated_to(), range.count_since_last_iteration()))
                .skip_while(|(_, count)| *count == 0)
                .collect(),
        };
        if !self.json {
            return out(results);
        }
        let mut buffer = Growing::new(usize::MAX);
        let mut writer = Writer::new(&mut buffer);
        writer.value(&results).map_err(|error| Fault::File(error.to_string()))?;
        out(String::from_utf8_lossy(writer.written()))
    }
}

impl fmt::Display for Results<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, seconds, calls_per_second, .. } = self;
        write!(f, "{calls} answers in {seconds:.2} s: {calls_per_second:.1} calls a second")?;
        self.errors.iter().try_for_each(|(error, count)| write!(f, "\n{count} times {error}"))?;
        let most = self.histogram.iter().map(|(_, count)| *count).max().unwrap_or(0);
        if most == 0 {
            return Ok(());
        }
        f.write_str("\nround trips:")?;
        self.round_trips
            .iter()
            .try_for_each(|(name, time)| write!(f, "\n  {name:5} {:>9.2?}", Duration::from_nanos(*time)))?;
        for (end, count) in &self.histogram {
            let width = (*count as f64 / most as f64 * BAR as f64).ceil() as usize;
            write!(f, "\n  up to {:>9.2?} {:BAR$} {count}", Duration::from_nanos(*end), "#".repeat(width))?;
        }
        Ok(())
    }
}
