//! A hub between devices that misbehave and users who call, leave and break off: each call has one answer or one error, of its own and in
//! time, and memory and descriptors end where they began. `NANOJSONRPC_SOAK_SECONDS` is its time in seconds, 3 by default;
//! `NANOJSONRPC_SOAK_SEED` repeats the faults of a run.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

mod common;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::Running;
use fastrand::Rng;
use nanojsonrpc_tokio::{CallError, Client, Options, http, websocket};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The devices. The last one behaves.
const DEVICES: [&str; 5] = ["a", "b", "c", "d", "calm"];
/// The time of a device for an answer, and what a busy machine may add.
const TIME: Duration = Duration::from_millis(500);
const MARGIN: Duration = Duration::from_secs(10);
/// The errors of a hub: busy, late, away, lost, and an answer that cannot be read.
const CODES: [i64; 5] = [-32000, -32001, -32005, -32006, -32603];
/// The greatest length of an answer of a device, in bytes.
const MAX_LEN: usize = 65_536;

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// The answer to a call of the form that a hub writes.
fn answer(line: &str, id: &str) -> String {
    let params = line.split_once("\"params\":").and_then(|(_, rest)| Some(rest.rsplit_once(",\"id\":")?.0));
    match params {
        Some(params) => format!("{{\"jsonrpc\":\"2.0\",\"result\":{params},\"id\":{id}}}\n"),
        // the question for its methods
        None => format!("{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":-32601,\"message\":\"no\"}},\"id\":{id}}}\n"),
    }
}

/// Serves one connection, and misbehaves one time in `one_in`; never at 0.
async fn misbehave(stream: TcpStream, one_in: u32, mut random: Rng) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (input, mut output) = stream.into_split();
    let mut lines = BufReader::new(input).lines();
    let mut late: Vec<(Instant, String)> = Vec::new();
    loop {
        let Ok(line) = timeout(Duration::from_millis(50), lines.next_line()).await else {
            for (_, answer) in late.extract_if(.., |(due, _)| *due <= Instant::now()) {
                output.write_all(answer.as_bytes()).await?;
            }
            continue;
        };
        let Some(line) = line? else { return Ok(()) };
        let id = line.rsplit_once(",\"id\":").map_or("null", |(_, id)| id.trim_end_matches('}')).to_owned();
        let whole = answer(&line, &id);
        if one_in == 0 || random.u32(..one_in) != 0 {
            output.write_all(whole.as_bytes()).await?;
            continue;
        }
        match random.u8(..12) {
            // never answers
            0 => {}
            1 => output.write_all(whole.repeat(2).as_bytes()).await?,
            // too late, mostly
            2 | 3 => late.push((Instant::now() + TIME.mul_f64(random.f64() * 2.0), whole)),
            // half a line, then a stall, then the rest or the end
            4 => {
                let (half, rest) = whole.as_bytes().split_at(random.usize(..whole.len()));
                output.write_all(half).await?;
                sleep(TIME.mul_f64(random.f64() * 2.0)).await;
                if random.bool() {
                    return Ok(());
                }
                output.write_all(rest).await?;
            }
            5 => return Ok(()),
            // reads nothing for a time
            6 => sleep(TIME.mul_f64(random.f64())).await,
            // longer than the hub reads
            7 => {
                let len = MAX_LEN * random.usize(1..4);
                output.write_all(format!("{{\"id\":{id},\"result\":\"{}\"}}\n", "x".repeat(len)).as_bytes()).await?;
            }
            8 => {
                let bytes: Vec<u8> = (0..random.usize(1..200)).map(|_| random.u8(..)).collect();
                output.write_all(&bytes).await?;
                output.write_all(b"\n").await?;
            }
            // texts that are no answers, but have the id
            9 => {
                let both = format!("{{\"jsonrpc\":\"2.0\",\"result\":1,\"error\":{{}},\"id\":{id}}}\n");
                let old = format!("{{\"result\":1,\"id\":{id}}}\n");
                let wrong = format!("{{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":\"{id}\"}}\n");
                let texts = [both, old, wrong, "[]\n".to_owned(), "[".repeat(200) + "\n"];
                output.write_all(random.choice(texts).unwrap_or_default().as_bytes()).await?;
            }
            // answers to nobody, and a call of its own
            10 => {
                let other = answer(&line, "123456789");
                let call = "{\"jsonrpc\":\"2.0\",\"method\":\"pressed\",\"params\":[1]}\n{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"id\":1}\n";
                output.write_all(format!("{other}{call}{whole}").as_bytes()).await?;
            }
            // in many parts
            _ => {
                for part in whole.as_bytes().chunks(random.usize(1..64).max(whole.len() / 8)) {
                    output.write_all(part).await?;
                    tokio::task::yield_now().await;
                }
            }
        }
    }
}

/// Begins a device, and returns its address.
async fn device(one_in: u32, mut random: Rng) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            // some connections end at once
            if one_in == 0 || random.u8(..4) != 0 {
                // an error means that the hub has ended the connection
                tokio::spawn(misbehave(stream, one_in, random.fork()));
            }
        }
    });
    format!("tcp://{address}")
}

/// The ends of calls by device and kind: `ok` or the code.
type Ends = Arc<Mutex<BTreeMap<(&'static str, String), u64>>>;

struct Sent {
    device: &'static str,
    method: &'static str,
    params: Value,
}

impl Sent {
    /// A call like no other one.
    fn new(user: u64, number: u64, random: &mut Rng) -> Self {
        let most = if random.u8(..16) == 0 { 500 } else { 5 };
        let text = "é\u{2028}\"\\ text".repeat(random.usize(..most));
        let device = random.choice(DEVICES).unwrap_or_default();
        let method = if random.bool() { "get" } else { "set" };
        Self { device, method, params: json!([user, number, text]) }
    }

    fn name(&self) -> String {
        format!("{}.{}", self.device, self.method)
    }
}

/// Checks and counts the end of a call.
fn account(ends: &Ends, call: &Sent, begun: Instant, outcome: Result<Value, CallError>) {
    let (time, Sent { device, method, params }) = (begun.elapsed(), call);
    assert!(time < TIME + MARGIN, "{device}: {time:?} for {outcome:?}");
    let end = match outcome {
        Ok(result) => {
            assert_eq!(result, *params, "the answer to another call");
            "ok".to_owned()
        }
        Err(CallError::Peer(error)) => {
            assert!(*device != "calm" && CODES.contains(&error.code.0), "{device}: {error}");
            // it is safe to repeat
            assert!(*method != "get" || error.code.0 != -32006, "{device}: {error}");
            error.code.0.to_string()
        }
        Err(error) => panic!("{device}: {error}"),
    };
    *ends.lock().expect("no panic").entry((*device, end)).or_default() += 1;
}

/// Calls until the end, some calls at a time, alone or in batches.
async fn call(client: Client, user: u64, end: Instant, ends: Ends, mut random: Rng) {
    let mut number = 0;
    while Instant::now() < end {
        let mut calls = JoinSet::new();
        for _ in 0..random.u64(1..16) {
            let (client, ends) = (client.clone(), Arc::clone(&ends));
            let some = (0..random.usize(1..4)).map(|_| {
                number += 1;
                Sent::new(user, number, &mut random)
            });
            let some: Vec<_> = some.collect();
            let begun = Instant::now();
            calls.spawn(async move {
                if let [call] = some.as_slice() {
                    let outcome = client.call(&call.name(), &call.params).await;
                    return account(&ends, call, begun, outcome);
                }
                let mut batch = client.batch();
                let slots = some.iter().map(|call| batch.call(&call.name(), &call.params));
                let slots: Vec<_> = slots.map(|slot| slot.expect("written")).collect();
                let mut answers = batch.send().await.expect("sent");
                for (slot, call) in slots.into_iter().zip(&some) {
                    account(&ends, call, begun, answers.take(slot));
                }
            });
        }
        while let Some(call) = calls.join_next().await {
            call.expect("no panic");
        }
    }
}

/// Connects, calls, and breaks off before the answers.
async fn break_off(host: String, end: Instant, mut random: Rng) {
    while Instant::now() < end {
        let address = format!("ws://{host}/ws");
        let transport = websocket::connect(&address, Vec::new(), &Options::new()).await.expect("connected");
        let client = Client::with_transport(transport, Options::new());
        client.call::<usize>("hub.subscribe", &json!({ "methods": ["*"] })).await.expect("subscribed");
        let mut calls = JoinSet::new();
        for number in 0..random.u64(1..64) {
            let (client, call) = (client.clone(), Sent::new(u64::MAX, number, &mut random));
            calls.spawn(async move { client.call::<Value>(&call.name(), &call.params).await.is_ok() });
        }
        sleep(Duration::from_millis(random.u64(..100))).await;
    }
}

/// Resident memory in bytes, and open descriptors.
fn held(process: u32) -> (u64, usize) {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).expect("the memory");
    let pages: u64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number");
    let open = std::fs::read_dir(format!("/proc/{process}/fd")).expect("the descriptors");
    (pages * 4096, open.count())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_is_accounted_for_and_memory_ends_where_it_began() {
    let total = Duration::from_secs(variable("NANOJSONRPC_SOAK_SECONDS").unwrap_or(3));
    let seed = variable("NANOJSONRPC_SOAK_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("NANOJSONRPC_SOAK_SEED={seed}");
    let mut random = Rng::with_seed(seed);
    // the connection of a user who has broken off lasts until its calls have ended
    let mut text = "[[listen]]\naddress = \"http://127.0.0.1:0\"\nconnections = 1024\n".to_owned();
    for (name, one_in) in DEVICES.iter().zip([16, 256, 2048, 16_384, 0]) {
        let address = device(one_in, random.fork()).await;
        // the device that behaves has the time of a busy machine
        let time = if one_in == 0 { MARGIN } else { TIME }.as_millis();
        text += &format!(
            "[devices.{name}]\naddress = \"{address}\"\ntimeout = \"{time}ms\"\nmax-len = {MAX_LEN}\nrepeat = [\"get\"]\n"
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hub.toml");
    std::fs::write(&path, text).expect("written");
    let mut hub = Running::start(&["hub", &path.display().to_string()]);
    let host = hub.next_address().strip_prefix("http://").expect("an address").to_owned();

    let first = held(hub.id());
    let (begun, ends) = (Instant::now(), Ends::default());
    let (end, options) = (begun + total, Options::new().patience(TIME + MARGIN * 2));
    let mut users = JoinSet::new();
    for user in 0..6 {
        let client = if user % 2 == 0 {
            let address = format!("ws://{host}/ws");
            let transport = websocket::connect(&address, Vec::new(), &options).await.expect("connected");
            Client::with_transport(transport, options.clone())
        } else {
            let transport = http::connect(&format!("http://{host}/rpc"), Vec::new(), &options).expect("an address");
            Client::with_transport(transport, options.clone())
        };
        users.spawn(call(client, user, end, Arc::clone(&ends), random.fork()));
    }
    for _ in 0..2 {
        users.spawn(break_off(host.clone(), end, random.fork()));
    }
    let mut ended = Box::pin(async move {
        while let Some(user) = users.join_next().await {
            user.expect("no panic");
        }
    });
    assert!(timeout(total / 4, &mut ended).await.is_err(), "all users have ended");
    let before = held(hub.id());
    ended.await;

    // the calls and connections of users who have gone end, too
    let transport = websocket::connect(&format!("ws://{host}/ws"), Vec::new(), &options).await.expect("connected");
    let client = Client::with_transport(transport, options);
    let idle = Instant::now() + TIME + MARGIN;
    let after = loop {
        let devices: Value = client.call("hub.devices", &()).await.expect("the devices");
        let mut in_flight = devices.as_array().expect("a list").iter().map(|device| &device["inFlight"]);
        let after = held(hub.id());
        if in_flight.all(|count| *count == 0) && after.1 <= first.1 + 8 {
            break after;
        }
        assert!(Instant::now() < idle, "{first:?} first, {after:?} after, {devices}");
        sleep(Duration::from_millis(20)).await;
    };
    let ends = ends.lock().expect("no panic").clone();
    for ((device, end), count) in &ends {
        println!("{device:>5} {end:>6} {count}");
    }
    println!(
        "{} KiB in the first quarter, {} KiB after; {} descriptors first, {} after",
        before.0 / 1024,
        after.0 / 1024,
        first.1,
        after.1
    );
    for device in DEVICES {
        assert!(ends.contains_key(&(device, "ok".to_owned())), "{device} has answered nothing");
    }
    assert!(ends.keys().any(|(_, end)| end != "ok"), "the devices have behaved");
    // allocators keep some of the peak
    assert!(after.0 < before.0 + before.0 / 4 + (16 << 20), "{before:?} before, {after:?} after");
    hub.send_signal("TERM");
    assert_eq!(hub.status().code(), Some(0));
}
