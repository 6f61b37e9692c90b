//! Prints the cost of texts that are made to be slow: those of `hostile.txt` without a found worst text. For each kind, valid and with a
//! wrong last byte: the time per byte at growing lengths, and the ratio of serde_json's time for the same text to that of this crate.
//!
//! serde_json reads a message as one `&RawValue`, which validates the text and builds nothing, and a batch as a vector of them, because its
//! elements are read one by one. `cargo bench --bench hostile -- --check` ends with status 1 if this crate reads a text of 64 KB or more
//! slower than serde_json, or if a byte of a text of 16 MB takes more than three times as long as a byte of a text of 64 KB.
//!
//! `hostile --count FILE` reads each text of a file once in the function `counted`, for `benches/count`, which counts the instructions.

mod readers;

use core::hint::black_box;
use std::{env, fs, process::ExitCode, time::Instant};

use nanojsonrpc::{ErrorCode, Message};
use readers::{Reader, Record};
use serde_json::value::RawValue;

const LENGTHS: [usize; 4] = [1 << 10, 1 << 16, 1 << 20, 1 << 24];

/// A kind of text: a repeated part between two others. Together they are a whole message or batch.
struct Kind {
    reader: Reader,
    name: &'static str,
    parts: [Vec<u8>; 3],
}

/// All kinds of `hostile.txt`. `benches/hostile.py` describes the file.
fn kinds() -> impl Iterator<Item = Kind> {
    include_str!("hostile.txt").lines().map(|line| {
        let Ok([reader, name, parts @ ..]) = <[&str; 5]>::try_from(line.split('\t').collect::<Vec<_>>()) else {
            panic!("not five columns: {line}")
        };
        Kind { reader: readers::named(reader), name, parts: parts.map(bytes) }
    })
}

impl Kind {
    /// Whether serde_json reads the text, too.
    fn is_compared(&self) -> bool {
        !["usual", "worst", "worst on a device"].contains(&self.name)
    }
}

/// The bytes of a part, which are the text itself except for `\xNN`.
fn bytes(part: &str) -> Vec<u8> {
    let mut pieces = part.split("\\x");
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let (byte, text) = piece.split_at(2);
        bytes.push(u8::from_str_radix(byte, 16).expect("two digits"));
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--count") {
        count(&fs::read(&arguments[at + 1]).expect("the file with the texts"));
        return ExitCode::SUCCESS;
    }
    // `cargo bench` passes `--bench`, `cargo test` does not
    let lengths = if arguments.iter().any(|argument| argument == "--bench") { &LENGTHS[..] } else { &LENGTHS[..1] };
    let mut missed = Vec::new();
    println!("| text | last byte | ns a byte: {} | ratio |", lengths.map_names());
    println!("|---|---|{}---:|", "---:|".repeat(lengths.len()));
    for kind in kinds().filter(|kind| kind.name == "usual") {
        let text = text(&kind, LENGTHS[0], false);
        let mut output = vec![0; readers::OUTPUT * text.len()];
        output[..text.len()].copy_from_slice(&text);
        assert!((kind.reader)(&text, &mut output), "refused: {}", text.escape_ascii());
    }
    for kind in kinds().filter(Kind::is_compared) {
        for is_broken in [false, true] {
            let name = kind.name;
            let mut costs = Vec::new();
            for len in lengths {
                costs.push(measure(kind.reader, &text(&kind, *len, is_broken), is_broken));
            }
            let print = |values: Vec<String>| values.join(" | ");
            println!(
                "| {name} | {} | {} | {} |",
                if is_broken { "wrong" } else { "right" },
                print(costs.iter().map(|(ours, _)| format!("{ours:.2}")).collect()),
                costs.iter().map(|(ours, theirs)| format!("{:.1}", theirs / ours)).collect::<Vec<_>>().join(", "),
            );
            let is_slow = costs.iter().skip(1).any(|(ours, theirs)| ours > theirs);
            let grows = costs.len() > 1 && costs[costs.len() - 1].0 > 3.0 * costs[1].0;
            if is_slow || grows {
                missed.push(format!("{name}{}", if is_broken { ", broken" } else { "" }));
            }
        }
    }
    if missed.is_empty() || !arguments.iter().any(|argument| argument == "--check") {
        return ExitCode::SUCCESS;
    }
    eprintln!("slow: {}", missed.join("; "));
    ExitCode::FAILURE
}

/// A text of a kind, with a length of about `len` bytes.
fn text(kind: &Kind, len: usize, is_broken: bool) -> Vec<u8> {
    let [start, repeated, end] = &kind.parts;
    let mut text = [&start[..], &repeated.repeat(len / repeated.len()), end].concat();
    if is_broken {
        *text.last_mut().unwrap() = b'!';
    }
    text
}

fn read_with_serde_json(text: &[u8], _: &mut [u8]) -> bool {
    if text.starts_with(b"[") {
        black_box(&serde_json::from_slice::<Vec<&RawValue>>(text)).is_ok()
    } else {
        black_box(&serde_json::from_slice::<&RawValue>(text)).is_ok()
    }
}

fn count(mut records: &[u8]) {
    // one allocation, because the allocator may clear a second one byte by byte
    let mut output = vec![0; readers::OUTPUT * records.len()];
    while let Some((head, behind)) = records.split_first_chunk() {
        let record = Record::of(head);
        let (text, behind) = behind.split_at(record.len);
        records = behind;
        let reader = if record.name == "serde_json" { read_with_serde_json } else { record.reader() };
        let output = &mut output[..readers::OUTPUT * record.len];
        output[..record.len].copy_from_slice(text);
        counted(reader, text, output);
    }
}

/// `benches/count` counts the instructions of this function by its name.
#[inline(never)]
fn counted(read: Reader, text: &[u8], output: &mut [u8]) {
    _ = read(black_box(text), black_box(output));
}

/// Nanoseconds per byte, of this crate and of serde_json, each the best of several alternating rounds.
fn measure(reader: Reader, text: &[u8], is_broken: bool) -> (f64, f64) {
    let repeats = (1 << 16) / text.len() + 1;
    let rounds = if text.len() > 1 << 20 { 3 } else { 9 };
    let mut best = (f64::MAX, f64::MAX);
    assert_eq!(serde_json::from_slice::<&RawValue>(text).is_err(), is_broken);
    assert_eq!(Message::parse(text).is_err_and(|refused| refused.code() == ErrorCode::PARSE_ERROR), is_broken);
    let time = |read: Reader| {
        let start = Instant::now();
        (0..repeats).for_each(|_| _ = read(black_box(text), &mut []));
        start.elapsed().as_nanos() as f64 / (repeats * text.len()) as f64
    };
    for _ in 0..rounds {
        best.0 = best.0.min(time(reader));
        best.1 = best.1.min(time(read_with_serde_json));
    }
    best
}

trait Names {
    fn map_names(&self) -> String;
}

impl Names for [usize] {
    fn map_names(&self) -> String {
        let name = |len: &usize| if *len < 1 << 20 { format!("{} KB", len >> 10) } else { format!("{} MB", len >> 20) };
        self.iter().map(name).collect::<Vec<_>>().join(" | ")
    }
}
