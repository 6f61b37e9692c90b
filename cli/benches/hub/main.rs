//! Prints what `jrpc hub` costs, as a table in Markdown: calls a second from a WebSocket to a device over TCP and back, round trips at half
//! of that load, memory of idle WebSockets, and the time of a start. Beside it, in the same rounds, a forwarder of axum and
//! `serde_json::Value`, with as many threads.
//!
//! Arguments choose parts: `codec`, `calls`, `load`, `idle`, `start`; all without one. `idle` needs 10,100 descriptors (`ulimit -n`).
//! With `smoke`, and in `cargo test`, the counts are small: then it only shows that each call has its answer.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a benchmark fails by a panic")]

mod codec;
mod device;
mod forwarder;
mod user;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use user::{Shapes, User};

/// How much is measured.
struct Plan {
    rounds: usize,
    time: Duration,
    idle: usize,
    starts: usize,
}

const WHOLE: Plan = Plan { rounds: 15, time: Duration::from_millis(400), idle: 5_000, starts: 20 };
const SMOKE: Plan = Plan { rounds: 1, time: Duration::from_millis(50), idle: 50, starts: 2 };

/// The WebSockets, and the calls that each has in flight.
const LOADS: [(usize, usize); 4] = [(1, 1), (1, 16), (1, 64), (8, 8)];
/// The load whose half is the one of the round trips.
const HALVED: usize = 1;

/// A hub or a forwarder as a child process.
struct Program {
    child: Child,
    host: String,
}

impl Program {
    /// Starts it, and waits for its first answer.
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("started");
        let mut lines = BufReader::new(child.stderr.take().expect("piped"));
        let mut line = String::new();
        while !line.starts_with("listening on ") {
            line.clear();
            assert_ne!(lines.read_line(&mut line).expect("a line"), 0, "the program has ended");
        }
        let host = line.trim_end().rsplit('/').next().expect("an address").to_owned();
        // what it says later goes nowhere
        thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        let mut stream = TcpStream::connect(&host).expect("connected");
        write!(stream, "GET /health HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        Self { child, host }
    }

    fn hub(folder: &std::path::Path, device: &str) -> Self {
        let path = folder.join("hub.toml");
        let text = format!(
            "[[listen]]\naddress = \"http://127.0.0.1:0\"\nconnections = 8192\n\n\
             [devices.lamp]\naddress = \"tcp://{device}\"\ncalls = 1024\nqueue = 1024\n"
        );
        std::fs::write(&path, text).expect("written");
        Self::start(Command::new(env!("CARGO_BIN_EXE_jrpc")).arg("hub").arg(path))
    }

    fn forwarder(device: &str) -> Self {
        Self::start(Command::new(std::env::current_exe().expect("a path")).args(["forwarder", device]))
    }

    /// Its resident memory in bytes.
    fn memory(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("the status");
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // it may have ended
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Calls a second of some WebSockets with so many calls in flight each.
fn calls(program: &Program, (sockets, in_flight): (usize, usize), time: Duration) -> f64 {
    let users: Vec<_> = (0..sockets).map(|_| User::connect(&program.host)).collect();
    let running: Vec<_> =
        users.into_iter().map(|mut user| thread::spawn(move || user.run(&Shapes::new(), in_flight, time))).collect();
    running.into_iter().map(|user| user.join().expect("no panic")).sum()
}

/// The rates of hub and forwarder for each of [`LOADS`].
fn measure_calls(plan: &Plan, pair: &[Program; 2]) -> Vec<[f64; 2]> {
    let mut rates = vec![[const { Vec::new() }; 2]; LOADS.len()];
    for _ in 0..plan.rounds {
        for (load, rates) in LOADS.iter().zip(&mut rates) {
            for (program, rates) in pair.iter().zip(rates) {
                rates.push(calls(program, *load, plan.time));
            }
        }
    }
    println!(
        "| WebSockets x calls in flight | hub, calls/s | forwarder, calls/s | hub / forwarder |\n|---|---|---|---|"
    );
    let row = |(load, rates): (&(usize, usize), [Vec<f64>; 2])| {
        let ratios = rates[0].iter().zip(&rates[1]).map(|(hub, forwarder)| hub / forwarder).collect();
        let [hub, forwarder] = rates.map(median);
        println!("| {} x {} | {hub:.0} | {forwarder:.0} | {:.2} |", load.0, load.1, median(ratios));
        [hub, forwarder]
    };
    let medians = LOADS.iter().zip(rates).map(row).collect();
    println!();
    medians
}

/// Round trips at half of the lower rate.
fn measure_load(plan: &Plan, pair: &[Program; 2], rates: [f64; 2]) {
    let rate = rates[0].min(rates[1]) / 2.0;
    let mut times = [const { [const { Vec::new() }; 2] }; 2];
    for _ in 0..plan.rounds {
        for (program, times) in pair.iter().zip(&mut times) {
            let histogram = User::connect(&program.host).pace(&Shapes::new(), rate, plan.time);
            for (times, quantile) in times.iter_mut().zip([0.5, 0.99]) {
                times.push(histogram.value_at_quantile(quantile) as f64 / 1000.0);
            }
        }
    }
    println!("| at {rate:.0} calls/s | p50, µs | p99, µs |\n|---|---|---|");
    for (name, times) in ["hub", "forwarder"].iter().zip(times) {
        let [half, most] = times.map(median);
        println!("| {name} | {half:.0} | {most:.0} |");
    }
    println!();
}

/// Memory of WebSockets without traffic.
fn measure_idle(plan: &Plan, pair: &[Program; 2]) {
    println!("| | without | {} idle WebSockets | for each |\n|---|---|---|---|", plan.idle);
    for (name, program) in ["hub", "forwarder"].iter().zip(pair) {
        let before = program.memory();
        let users: Vec<_> = (0..plan.idle).map(|_| User::connect(&program.host)).collect();
        let after = program.memory();
        let each = after.saturating_sub(before) / users.len() as u64;
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        println!("| {name} | {:.1} MiB | {:.1} MiB | {each} B |", mib(before), mib(after));
    }
    println!();
}

/// From the start of the program to its first answer.
fn measure_start(plan: &Plan, start: [&dyn Fn() -> Program; 2]) {
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..plan.starts {
        for (start, times) in start.iter().zip(&mut times) {
            let begun = Instant::now();
            let program = start();
            times.push(begun.elapsed().as_secs_f64() * 1000.0);
            drop(program);
        }
    }
    let [hub, forwarder] = times.map(median);
    println!("| start to the first answer | ms |\n|---|---|\n| hub | {hub:.1} |\n| forwarder | {forwarder:.1} |\n");
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [name, device] = arguments.as_slice()
        && name == "forwarder"
    {
        return forwarder::run(device);
    }
    let has = |arguments: &[String], name: &str| arguments.iter().any(|argument| argument == name);
    // `cargo test` leaves `--bench` out
    let plan = if has(&arguments, "smoke") || !has(&arguments, "--bench") { SMOKE } else { WHOLE };
    arguments.retain(|argument| !argument.starts_with('-') && argument != "smoke");
    let is_chosen = |name: &str| arguments.is_empty() || has(&arguments, name);
    let folder = tempfile::tempdir().expect("a folder");
    let device = device::start();
    let start: [&dyn Fn() -> Program; 2] = [&|| Program::hub(folder.path(), &device), &|| Program::forwarder(&device)];
    if is_chosen("codec") {
        codec::measure(plan.rounds, plan.time);
    }
    if is_chosen("calls") || is_chosen("load") {
        let pair = start.map(|start| start());
        let rates = measure_calls(&plan, &pair);
        if is_chosen("load") {
            measure_load(&plan, &pair, rates[HALVED]);
        }
    }
    if is_chosen("idle") {
        measure_idle(&plan, &start.map(|start| start()));
    }
    if is_chosen("start") {
        measure_start(&plan, start);
    }
}
