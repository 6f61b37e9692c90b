//! Prints how many times faster than serde_json's `from_slice` this crate reads requests with typed params, as a Markdown table: the message
//! is validated and its params are read into a type that owns its text. Both read the same types from the same texts, in turn.

mod turns;

use core::hint::black_box;
use std::{borrow::Cow, env};

use nanojsonrpc::Request;
use serde::{Deserialize, Serialize};

/// A request for serde_json.
#[derive(Serialize, Deserialize)]
struct Typed<'a, P> {
    jsonrpc: Cow<'a, str>,
    method: Cow<'a, str>,
    params: P,
    id: i64,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Progress {
    token: String,
    progress: u32,
    total: u32,
    done: bool,
    message: String,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Device {
    id: String,
    name: String,
    value: i32,
    online: bool,
    tags: [String; 2],
    parent: Option<u32>,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Position {
    line: u32,
    character: u32,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Diagnostic {
    uri: String,
    start: Position,
    end: Position,
    message: String,
}

fn main() {
    // `cargo bench` passes `--bench`, `cargo test` does not
    let rounds = if env::args().any(|argument| argument == "--bench") { 101 } else { 1 };
    println!("{}", turns::HEAD);
    measure(rounds, "pair of integers", |n| [n * 37 % 1000, n * 91 % 1000]);
    measure(rounds, "progress", |n| Progress {
        token: format!("{n:08x}"),
        progress: n * 13,
        total: 4_000,
        done: n.is_multiple_of(2),
        message: "the sensor reads".into(),
    });
    let device = |n: u32| Device {
        id: format!("{n:08x}"),
        name: "kitchen window".into(),
        value: (n as i32 - 64) * 317,
        online: !n.is_multiple_of(4),
        tags: ["north".into(), "temperature".into()],
        parent: None,
    };
    measure(rounds, "15 structs", |n| (n..n + 15).map(device).collect::<Vec<_>>());
    let diagnostic = |n: u32| Diagnostic {
        uri: format!("file:///home/user/project/src/module_{}/file{n}.rs", n % 7),
        start: Position { line: n * 7, character: n % 80 },
        end: Position { line: n * 7 + n % 3, character: (n + 9) % 80 },
        message: format!("cannot find value `x{n}` in this scope\nhelp: there is a local variable `\"y\"`"),
    };
    measure(rounds, "9 diagnostics", |n| (n..n + 9).map(diagnostic).collect::<Vec<_>>());
    let line = |n: u32| format!("    if (value[{n}] == \"on\") {{\n\treturn C:\\temp\\{n};\n    }}\n");
    measure(rounds, "a file with escapes", |n| [(n..n + 40).map(line).collect::<String>()]);
    measure(rounds, "a text without escapes", |n| [format!("line {n} of a text, ").repeat(500)]);
    let word = |n: u32| "abcdefghijklmnopqrstuvwxyz"[..n as usize % 23].to_string();
    measure(rounds, "100 words", |n| (0..100).map(|i| word(i * 7 + n)).collect::<Vec<_>>());
    let integer = |n: u32| i64::from(n) * 131 % 1_000_003 - 500_000;
    measure(rounds, "300 integers", |n| (0..300).map(|i| integer(i * 7919 + n)).collect::<Vec<_>>());
    let float = |n: u32| f64::from(n % 100_003) / 100.0;
    measure(rounds, "300 floats", |n| (0..300).map(|i| float(i * 7919 + n)).collect::<Vec<_>>());
}

fn measure<P>(rounds: usize, name: &str, params: impl Fn(u32) -> P)
where
    P: Serialize + for<'a> Deserialize<'a> + PartialEq,
{
    let text = |n| Typed { jsonrpc: "2.0".into(), method: "thing/changed".into(), params: params(n), id: i64::from(n) };
    let texts: Vec<Vec<u8>> = (0..128).map(|n| serde_json::to_vec(&text(n)).unwrap()).collect();
    let theirs = |text: &[u8]| serde_json::from_slice::<Typed<'_, P>>(text).unwrap().params;
    let ours = |text: &[u8]| match <Request<'_>>::parse(text) {
        Ok(request) => request.params::<P>().unwrap(),
        Err(_) => panic!("{name} is refused"),
    };
    for text in &texts {
        assert!(ours(text) == theirs(text), "{name}");
    }
    turns::row(
        rounds,
        name,
        texts.len(),
        texts.iter().map(Vec::len).sum::<usize>() / texts.len(),
        || texts.iter().for_each(|text| _ = black_box(theirs(text))),
        || texts.iter().for_each(|text| _ = black_box(ours(text))),
    );
}
