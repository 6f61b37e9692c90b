//! Prints how many times faster than serde_json's `to_writer` this crate writes messages into a fixed buffer, as a Markdown table. Both
//! write the same values through the same `Serialize`, in turn; the ratio is the median of the rounds' ratios.

mod turns;

use core::hint::black_box;
use std::env;

use nanojsonrpc::{Notification, Request, Response};
use serde::Serialize;

/// A message for serde_json.
#[derive(Serialize)]
struct Message<'a, P> {
    jsonrpc: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
}

#[derive(Serialize)]
struct Progress {
    token: &'static str,
    progress: u32,
    total: u32,
    done: bool,
    message: &'static str,
}

#[derive(Serialize)]
struct Device {
    id: String,
    name: &'static str,
    value: i32,
    unit: &'static str,
    online: bool,
    tags: [&'static str; 2],
    parent: Option<u32>,
}

/// A multiplier that spreads numbers over all bits: 2^64 by the golden ratio.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

fn main() {
    // `cargo bench` passes `--bench`, `cargo test` does not
    let rounds = if env::args().any(|argument| argument == "--bench") { 101 } else { 1 };
    println!("{}", turns::HEAD);
    let pairs: Vec<[i32; 2]> = (0..128).map(|n| [n * 37 % 1000, n * 91 % 1000]).collect();
    measure(rounds, "tiny request", Some("subtract"), true, &pairs);
    let progress = |n: u32| Progress {
        token: "a1b2c3d4",
        progress: n * 13,
        total: 4_000,
        done: n.is_multiple_of(2),
        message: "the sensor reads",
    };
    measure(rounds, "notification", Some("notifications/progress"), false, &(0..128).map(progress).collect::<Vec<_>>());
    let device = |n: u32| Device {
        id: format!("{n:08x}"),
        name: "kitchen window",
        value: (n as i32 - 64) * 317,
        unit: "hPa",
        online: !n.is_multiple_of(4),
        tags: ["north", "temperature"],
        parent: None,
    };
    let devices: Vec<Vec<Device>> = (0..128).map(|n| (n..n + 15).map(device).collect()).collect();
    measure(rounds, "response, 15 structs", None, true, &devices);
    let texts: Vec<String> =
        (0..128).map(|n| format!("line {n}: \"quoted\" and\tpath C:\\temp\n").repeat(500)).collect();
    measure(rounds, "text with escapes", None, true, &texts);
    let texts: Vec<String> =
        (0..128).map(|n| format!("line {n} of a text that has nothing to escape, ").repeat(400)).collect();
    measure(rounds, "text without", None, true, &texts);
    let integers: Vec<Vec<i64>> =
        (0..128i64).map(|n| (0..4000).map(|i| (i * 7919 + n) * 131 % 1_000_003 - 500_000).collect()).collect();
    measure(rounds, "4,000 integers", None, true, &integers);
    // short and long numbers are equally frequent, and every other one is negative
    let any_length = |bits: u64| (bits as i64) >> (bits % 63);
    let lengths = |n: u64| (0..4000).map(|i| any_length((i * 7919 + n).wrapping_mul(ODD))).collect();
    measure(rounds, "4,000 integers of any length", None, true, &(0..128).map(lengths).collect::<Vec<Vec<i64>>>());
    let floats: Vec<Vec<f64>> =
        (0..128i64).map(|n| (0..1000).map(|i| ((i * 7919 + n) % 100_003) as f64 / 100.0).collect()).collect();
    measure(rounds, "1,000 floats", None, true, &floats);
    let long = |n: u64| (0..1000).map(|i| (i * 7919 + n).wrapping_mul(ODD) as f64 / 2.0_f64.powi(64)).collect();
    measure(rounds, "1,000 floats of 17 digits", None, true, &(0..128).map(long).collect::<Vec<Vec<f64>>>());
}

fn measure<P: Serialize>(rounds: usize, name: &str, method: Option<&str>, has_id: bool, payloads: &[P]) {
    let (mut one, mut other) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    let ours = |payload: &P, out: &mut [u8]| match (method, has_id) {
        (Some(method), true) => Request::new(7, method).with_params(payload).write(out).unwrap(),
        (Some(method), false) => Notification::new(method).with_params(payload).write(out).unwrap(),
        _ => Response::success(7, payload).write(out).unwrap(),
    };
    let theirs = |payload: &P, out: &mut [u8]| {
        let (params, result) = if method.is_some() { (Some(payload), None) } else { (None, Some(payload)) };
        let message = Message { jsonrpc: "2.0", method, params, result, id: has_id.then_some(7) };
        let room = out.len();
        let mut rest = out;
        serde_json::to_writer(&mut rest, &message).unwrap();
        room - rest.len()
    };
    let mut bytes = 0;
    for payload in payloads {
        let len = ours(payload, &mut one);
        let same = theirs(payload, &mut other);
        assert_eq!(&one[..len], &other[..same], "{name}");
        bytes += len;
    }
    turns::row(
        rounds,
        name,
        payloads.len(),
        bytes / payloads.len(),
        || payloads.iter().for_each(|payload| _ = black_box(theirs(payload, &mut one))),
        || payloads.iter().for_each(|payload| _ = black_box(ours(payload, &mut other))),
    );
}
