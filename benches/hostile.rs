//! Prints the cost of texts that are made to be slow. For each kind, valid and with a wrong last byte: the time per byte at growing
//! lengths, and the ratio of serde_json's time for the same text to that of this crate.
//!
//! serde_json reads a message as one `&RawValue`, which validates the text and builds nothing, and a batch as a vector of them, because its
//! elements are read one by one. `cargo bench --bench hostile -- --check` ends with status 1 if this crate reads a text of 64 KB or more
//! slower than serde_json, or if a byte of a text of 16 MB takes more than three times as long as a byte of a text of 64 KB.
//!
//! `hostile --count` reads each text once in the function `counted`, for `benches/count`, which counts the instructions. It prints a line
//! for each text: kind, `right` or `wrong`, reader, bytes.

use core::hint::black_box;
use std::{env, process::ExitCode, time::Instant};

use nanojsonrpc::{ErrorCode, Message};
use serde_json::value::RawValue;

const LENGTHS: [usize; 4] = [1 << 10, 1 << 16, 1 << 20, 1 << 24];
/// The lengths of the texts for `--count`.
const COUNTED: [usize; 2] = [1 << 12, 1 << 15];

/// The name of a kind, and its parts: a repeated part between two others. Together they are a whole message or batch.
const KINDS: [(&str, &str, &str, &str); 31] = [
    ("plain text", r#"{"jsonrpc":"2.0","id":1,"result":""#, "plain text ", r#""}"#),
    ("\\u escapes", r#"{"jsonrpc":"2.0","id":1,"result":""#, "\\u00e9", r#""}"#),
    ("surrogate pairs", r#"{"jsonrpc":"2.0","id":1,"result":""#, "\\ud83d\\ude00", r#""}"#),
    ("\\t escapes", r#"{"jsonrpc":"2.0","id":1,"result":""#, "\\t", r#""}"#),
    ("backslashes", r#"{"jsonrpc":"2.0","id":1,"result":""#, "\\\\", r#""}"#),
    (
        "an escape in every block",
        r#"{"jsonrpc":"2.0","id":1,"result":""#,
        "sixty bytes of text without anything that is special \\/",
        r#""}"#,
    ),
    ("two bytes a character", r#"{"jsonrpc":"2.0","id":1,"result":""#, "é", r#""}"#),
    ("three bytes a character", r#"{"jsonrpc":"2.0","id":1,"result":""#, "日", r#""}"#),
    ("E0 and ED first", r#"{"jsonrpc":"2.0","id":1,"result":""#, "\u{800}\u{D7FF}", r#""}"#),
    ("four bytes a character", r#"{"jsonrpc":"2.0","id":1,"result":""#, "😀", r#""}"#),
    ("short strings beyond ASCII", r#"{"jsonrpc":"2.0","id":1,"result":["#, r#""é","#, r#"""]}"#),
    ("short escaped strings", r#"{"jsonrpc":"2.0","id":1,"result":["#, r#""\n","#, r#"""]}"#),
    ("strings of seventeen bytes", r#"{"jsonrpc":"2.0","id":1,"result":["#, r#""seventeen letters","#, r#"""]}"#),
    ("empty strings", r#"{"jsonrpc":"2.0","id":1,"result":["#, r#""","#, r#"""]}"#),
    (
        "brackets 60 deep",
        r#"{"jsonrpc":"2.0","id":1,"result":["#,
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],",
        "0]}",
    ),
    ("empty arrays", r#"{"jsonrpc":"2.0","id":1,"result":["#, "[],", "0]}"),
    ("empty objects", r#"{"jsonrpc":"2.0","id":1,"result":["#, "{},", "0]}"),
    ("digits", r#"{"jsonrpc":"2.0","id":1,"result":["#, "1,", "0]}"),
    ("numbers of nine digits", r#"{"jsonrpc":"2.0","id":1,"result":["#, "123456789,", "0]}"),
    ("exponents", r#"{"jsonrpc":"2.0","id":1,"result":["#, "1e1 ,", "0]}"),
    ("one number", r#"{"jsonrpc":"2.0","id":1,"result":"#, "1", "0}"),
    ("literals", r#"{"jsonrpc":"2.0","id":1,"result":["#, "null,", "0]}"),
    ("blanks", r#"{"jsonrpc":"2.0","id":1,"result":"#, " ", "0}"),
    ("line breaks", r#"{"jsonrpc":"2.0","id":1,"result":"#, "\n", "0}"),
    ("tabs and blanks around values", r#"{"jsonrpc":"2.0","id":1,"result":["#, "\t 1 \t,", "0]}"),
    ("unknown members", r#"{"jsonrpc":"2.0","id":1,"#, r#""a":1,"#, r#""result":0}"#),
    ("names like those of the envelope", r#"{"jsonrpc":"2.0","id":1,"#, r#""paramz":1,"#, r#""result":0}"#),
    (
        "an escaped name of the envelope, again and again",
        r#"{"jsonrpc":"2.0","id":1,"#,
        r#""m\u0065thod":1,"#,
        r#""result":0}"#,
    ),
    ("one long unknown name", r#"{"jsonrpc":"2.0","id":1,""#, "name", r#"":0,"result":0}"#),
    ("a batch of what is no message", "[", "{},", "0]"),
    ("a batch of notifications", "[", r#"{"jsonrpc":"2.0","method":"m"},"#, "0]"),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--count") {
        count();
        return ExitCode::SUCCESS;
    }
    // `cargo bench` passes `--bench`, `cargo test` does not
    let lengths = if arguments.iter().any(|argument| argument == "--bench") { &LENGTHS[..] } else { &LENGTHS[..1] };
    let mut missed = Vec::new();
    println!("| text | last byte | ns a byte: {} | ratio |", lengths.map_names());
    println!("|---|---|{}---:|", "---:|".repeat(lengths.len()));
    for kind in KINDS {
        for is_broken in [false, true] {
            let name = kind.0;
            let mut costs = Vec::new();
            for len in lengths {
                costs.push(measure(&text(kind, *len, is_broken), is_broken));
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
fn text((_, start, repeated, end): (&str, &str, &str, &str), len: usize, is_broken: bool) -> Vec<u8> {
    let mut text = format!("{start}{}{end}", repeated.repeat(len / repeated.len())).into_bytes();
    if is_broken {
        *text.last_mut().unwrap() = b'!';
    }
    text
}

fn read_with_nanojsonrpc(text: &[u8]) {
    match Message::parse(black_box(text)) {
        Ok(Message::Batch(batch)) => {
            for element in batch.elements() {
                // another member, of a refused element, too
                _ = black_box(element.map_or_else(|refused| refused.get("src"), |message| message.get("src")));
                _ = black_box(&element.and_then(Message::<64, 64>::try_from));
            }
        }
        message => _ = black_box(&message),
    }
}

fn read_with_serde_json(text: &[u8]) {
    if text.starts_with(b"[") {
        black_box(&serde_json::from_slice::<Vec<&RawValue>>(black_box(text)));
    } else {
        black_box(&serde_json::from_slice::<&RawValue>(black_box(text)));
    }
}

fn count() {
    for kind in KINDS {
        for (is_broken, name) in [(false, "right"), (true, "wrong")] {
            for len in COUNTED {
                let text = text(kind, len, is_broken);
                counted(&text, read_with_nanojsonrpc);
                println!("{}\t{name}\tnanojsonrpc\t{}", kind.0, text.len());
                counted(&text, read_with_serde_json);
                println!("{}\t{name}\tserde_json\t{}", kind.0, text.len());
            }
        }
    }
}

/// `benches/count` counts the instructions of this function by its name.
#[inline(never)]
fn counted(text: &[u8], read: fn(&[u8])) {
    read(text);
}

/// Nanoseconds per byte, of this crate and of serde_json, each the best of several alternating rounds.
fn measure(text: &[u8], is_broken: bool) -> (f64, f64) {
    let repeats = (1 << 16) / text.len() + 1;
    let rounds = if text.len() > 1 << 20 { 3 } else { 9 };
    let mut best = (f64::MAX, f64::MAX);
    assert_eq!(serde_json::from_slice::<&RawValue>(text).is_err(), is_broken);
    assert_eq!(Message::parse(text).is_err_and(|refused| refused.code() == ErrorCode::PARSE_ERROR), is_broken);
    let time = |read: &dyn Fn()| {
        let start = Instant::now();
        (0..repeats).for_each(|_| read());
        start.elapsed().as_nanos() as f64 / (repeats * text.len()) as f64
    };
    for _ in 0..rounds {
        best.0 = best.0.min(time(&|| read_with_nanojsonrpc(text)));
        best.1 = best.1.min(time(&|| read_with_serde_json(text)));
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
