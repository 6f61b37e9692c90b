//! Reads every shape with every reader, and prints a line for each: `shape TAB reader TAB bytes TAB nanoseconds a message
//! TAB times as fast as serde_json`. `benches/compare` makes tables of them.
//!
//! All readers take turns in every round, each on copies of the same texts. A ratio is the median of the rounds' ratios, so other load of
//! the machine affects all readers alike. Time is processor time, so other processes do not lengthen a round. Before that, each reader must
//! find the expected parts in every text. A reader that does not is not timed: a word with the reason replaces its numbers. The program
//! also prints the invalid texts that a reader accepts: `wrong TAB reader TAB text, text`.
//!
//! `parse --count SHAPE` reads some texts of one shape with each reader in the function `counted`, for Valgrind, and
//! prints `reader TAB texts`.

mod c;
mod readers;
#[path = "../../shapes/mod.rs"]
mod shapes;

use std::env;

use cpu_time::ThreadTime;
use readers::{Find, READERS, Reader};
use serde_json::Value;
use shapes::{Shape, Text};

const ROUNDS: usize = 101;
/// The number of bytes for each reader in a round: long enough to time, and short enough that most rounds are undisturbed.
const BYTES_PER_ROUND: usize = 100_000;
/// The number of bytes for each reader under Valgrind.
const BYTES_COUNTED: usize = 200_000;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments[..] {
        [] => {
            tell_what_is_accepted();
            shapes::all().iter().for_each(measure);
        }
        [mode, name] if mode == "--count" => {
            let name = shapes::NAMES.iter().find(|known| *known == name).expect("the name of a shape");
            count(&shapes::named(name));
        }
        _ => panic!("parse, or parse --count SHAPE"),
    }
}

/// The reason why `reader` is not compared on `shape`, if any.
fn fault(reader: &Reader, shape: &Shape) -> Option<&'static str> {
    shape.texts.iter().find_map(|text| {
        let mut copy = text.bytes.clone();
        let is_right = match reader.found {
            Find::Parts(find) => find(&mut copy, shape).map(|parts| parts == text.messages),
            Find::Methods(find) => find(&mut copy).map(|methods| {
                methods.iter().map(Option::as_deref).eq(text.messages.iter().map(|message| message.method.as_deref()))
            }),
            Find::Tree(find) => find(&mut copy)
                .map(|tree| serde_json::from_slice(&text.bytes).is_ok_and(|known| is_same(&tree, &known))),
            Find::Nothing => Some(true),
        };
        match is_right {
            None => return Some("refuses a text"),
            Some(false) => return Some("finds something else"),
            Some(true) => {}
        }
        // the timed function must return the same
        let mut copy = text.bytes.clone();
        if (reader.read)(&mut copy, shape) { None } else { Some("refuses a text") }
    })
}

/// Whether two trees are equal; -0 equals 0, and the last bit of a float is ignored.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| is_same(one, other)))
        }
        (Value::Number(one), Value::Number(other)) => match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => one == other || (one.to_bits().abs_diff(other.to_bits()) == 1),
            _ => false,
        },
        _ => one == other,
    }
}

fn measure(shape: &Shape) {
    shape.assert_read_right();
    let faults: Vec<_> = READERS.iter().map(|reader| fault(reader, shape)).collect();
    assert!(faults[..2] == [None, None], "{}: {:?}", shape.name, &faults[..2]);
    let per_round = (BYTES_PER_ROUND / shape.mean_len()).max(1);
    let mut texts = shape.texts.iter().cycle();
    let mut times = vec![Vec::new(); READERS.len()];
    for round in 0..=ROUNDS {
        let texts: Vec<&Text> = texts.by_ref().take(per_round).collect();
        for turn in 0..READERS.len() {
            let at = (turn + round) % READERS.len();
            if faults[at].is_some() {
                continue;
            }
            let mut copies: Vec<Vec<u8>> = texts.iter().map(|text| text.bytes.clone()).collect();
            let start = ThreadTime::now();
            for copy in &mut copies {
                (READERS[at].read)(copy, shape);
            }
            times[at].push(start.elapsed().as_nanos() as f64 / per_round as f64);
        }
    }
    for (at, reader) in READERS.iter().enumerate() {
        print!("{}\t{}\t{}\t", shape.name, reader.name, shape.mean_len());
        match faults[at] {
            Some(fault) => println!("–\t{fault}"),
            // the first round warms up
            None => println!(
                "{:.0}\t{:.2}",
                median(times[at][1..].iter().copied()),
                median(times[0][1..].iter().zip(&times[at][1..]).map(|(serde_json, own)| serde_json / own)),
            ),
        }
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn count(shape: &Shape) {
    let texts = &shape.texts[..(BYTES_COUNTED / shape.mean_len()).clamp(2, shape.texts.len())];
    for reader in READERS {
        if fault(&reader, shape).is_some() {
            continue;
        }
        let mut copies: Vec<Vec<u8>> = texts.iter().map(|text| text.bytes.clone()).collect();
        counted(&mut copies, reader.read, shape);
        println!("{}\t{}", reader.name, copies.len());
    }
}

/// `benches/compare` counts the instructions of this function by its name.
#[inline(never)]
fn counted(texts: &mut [Vec<u8>], read: fn(&mut [u8], &Shape) -> bool, shape: &Shape) {
    for text in texts {
        read(text, shape);
    }
}

/// Invalid JSON texts, each in place of a value.
const WRONG: [(&str, &[u8]); 12] = [
    ("bytes that are not UTF-8", b"\"\xFF\""),
    ("overlong UTF-8", b"\"\xC0\x80\""),
    ("a surrogate in UTF-8", b"\"\xED\xA0\x80\""),
    ("a raw line break in a string", b"\"\n\""),
    ("an unknown escape", b"\"\\x\""),
    ("an escape with a wrong digit", b"\"\\u12G4\""),
    ("a lone surrogate", b"\"\\ud800\""),
    ("a leading zero", b"01"),
    ("a fraction without digits", b"1."),
    ("a wrong literal", b"nulL"),
    ("a trailing comma", b"[1,]"),
    ("a wrong bracket", b"[1}"),
];

fn tell_what_is_accepted() {
    let shape = Shape { name: "wrong", is_request: true, is_batch: false, texts: Vec::new() };
    for reader in READERS.iter().filter(|reader| !matches!(reader.found, Find::Nothing)) {
        let reads = |value: &[u8], end: &[u8]| {
            let mut text = [&br#"{"jsonrpc":"2.0","method":"a","params":["#[..], value, br#"],"id":1}"#, end].concat();
            (reader.read)(&mut text, &shape)
        };
        let mut accepted: Vec<_> = WRONG.iter().filter(|(_, value)| reads(value, b"")).map(|(what, _)| *what).collect();
        if reads(b"1", b"]") {
            accepted.push("what follows the text");
        }
        println!("wrong\t{}\t{}", reader.name, accepted.join(", "));
    }
}
