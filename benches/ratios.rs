//! Prints how many times faster than serde_json each way of reading is, as a Markdown table.
//!
//! All readers take turns in every round on the same texts. The ratio is the median of the rounds' ratios, so other load of the machine
//! affects all readers alike. `cargo bench --bench ratios -- --at-least 1.3` ends with status 1 if `Message::parse` is less than 1.3 times
//! as fast on any shape.

mod shapes;

use core::hint::black_box;
use std::{env, process::ExitCode, time::Instant};

use nanojsonrpc::{Envelope, Request};
use shapes::{Shape, Text, read_with_nanojsonrpc, read_with_serde_json};

/// The number of bytes for each reader in a round: long enough to time, and short enough that most rounds are undisturbed.
const BYTES_PER_ROUND: usize = 1_000_000;

type Reader<'a> = &'a dyn Fn(&[&Text]);

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    // `cargo bench` passes `--bench`, `cargo test` does not
    let rounds = if arguments.iter().any(|argument| argument == "--bench") { 101 } else { 1 };
    let at_least = arguments.iter().position(|argument| argument == "--at-least").map(|at| {
        let ratio = arguments.get(at + 1).and_then(|ratio| ratio.parse::<f64>().ok());
        ratio.expect("--at-least is followed by a number")
    });

    println!(
        "| shape | bytes | serde_json, ns | `Message::parse`, ns | ratio | `Request::parse`, ratio | `Envelope::parse`, ratio |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let mut missed = Vec::new();
    for shape in shapes::all() {
        shape.assert_read_right();
        let ratio = measure(&shape, rounds);
        if at_least.is_some_and(|at_least| ratio < at_least) {
            missed.push(shape.name);
        }
    }
    if missed.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("too slow: {}", missed.join(", "));
    ExitCode::FAILURE
}

/// Prints the row of `shape` and returns the ratio of `Message::parse`.
fn measure(shape: &Shape, rounds: usize) -> f64 {
    let is_batch = shape.is_batch;
    let serde_json = |texts: &[&Text]| texts.iter().for_each(|text| _ = read_with_serde_json(&text.bytes, is_batch));
    let message = |texts: &[&Text]| texts.iter().for_each(|text| _ = read_with_nanojsonrpc(&text.bytes));
    let request = |texts: &[&Text]| texts.iter().for_each(|text| _ = black_box(&Request::parse(&text.bytes)));
    let envelope = |texts: &[&Text]| texts.iter().for_each(|text| _ = black_box(&Envelope::parse(&text.bytes)));
    // not every shape is a request, and an envelope of a batch does not read the elements
    let readers: [Option<Reader<'_>>; 4] = [
        Some(&serde_json),
        Some(&message),
        if shape.is_request { Some(&request) } else { None },
        if is_batch { None } else { Some(&envelope) },
    ];

    let per_round = (BYTES_PER_ROUND / shape.mean_len()).max(1);
    let mut texts = shape.texts.iter().cycle();
    let mut times = [const { Vec::new() }; 4];
    for round in 0..=rounds {
        let texts: Vec<&Text> = texts.by_ref().take(per_round).collect();
        for turn in 0..readers.len() {
            // the first reader loads the texts into the cache, so the readers take turns to be first
            let at = (turn + round) % readers.len();
            let Some(read) = readers[at] else { continue };
            let start = Instant::now();
            read(&texts);
            times[at].push(start.elapsed().as_nanos() as f64 / per_round as f64);
        }
    }
    // the first round warms up
    for times in &mut times {
        times.drain(..1.min(times.len()));
    }

    let ratio = |at: usize| median(times[0].iter().zip(&times[at]).map(|(serde_json, ours)| serde_json / ours));
    let print = |at: usize| ratio(at).map_or(String::from("–"), |ratio| format!("{ratio:.2}"));
    println!(
        "| {} | {} | {:.0} | {:.0} | {} | {} | {} |",
        shape.name,
        shape.mean_len(),
        median(times[0].iter().copied()).unwrap_or_default(),
        median(times[1].iter().copied()).unwrap_or_default(),
        print(1),
        print(2),
        print(3),
    );
    ratio(1).unwrap_or_default()
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
