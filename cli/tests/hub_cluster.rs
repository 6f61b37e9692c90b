//! Three hubs as one: processes that share a thousand devices on NATS, while one of them, and NATS, are killed.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by a panic")]

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::{LIMIT, Running};
use futures_util::future::join_all;
use nanojsonrpc_tokio::{CallError, Client, Methods, Options, Server, websocket};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::sleep;

const DEVICES: usize = 1000;
const HUBS: usize = 3;
/// The calls in flight at each hub.
const CALLERS: usize = 16;
/// The time in which the hubs agree.
const AGREED: Duration = Duration::from_secs(60);

/// A server of NATS.
struct Nats {
    child: Child,
    address: String,
}

impl Nats {
    /// Starts it on a port, or with -1 on any free one.
    fn start(folder: &Path, port: &str) -> Self {
        let path = format!("{}:/usr/sbin:/usr/local/sbin", std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("env");
        command.arg(format!("PATH={path}")).args(["nats-server", "-js", "-a", "127.0.0.1", "-p", port, "-sd"]);
        command.arg(folder.join("store")).arg("--ports_file_dir").arg(folder);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("apt-get install nats-server");
        let mut nats = Self { child, address: String::new() };
        let (file, begun) = (folder.join(format!("nats-server_{}.ports", nats.child.id())), Instant::now());
        loop {
            let ports = std::fs::read(&file).ok().and_then(|ports| serde_json::from_slice::<Value>(&ports).ok());
            if let Some(address) = ports.as_ref().and_then(|ports| ports.pointer("/nats/0")?.as_str()) {
                address.clone_into(&mut nats.address);
                return nats;
            }
            assert!(begun.elapsed() < LIMIT, "nats-server does not listen");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn kill(&mut self) {
        // it may have ended
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A device that answers with its number and the params, and counts what it has run.
async fn device(number: usize, runs: Arc<AtomicUsize>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let methods = Methods::new((number, runs));
    let methods = ["get", "set"].into_iter().fold(methods, |methods, name| {
        methods.request(name, async |(number, runs): (usize, Arc<AtomicUsize>), (call,): (u64,)| {
            runs.fetch_add(1, Ordering::Relaxed);
            Ok((number, call))
        })
    });
    tokio::spawn(async move { Server::new(methods).serve(listener, std::future::pending()).await });
    format!("tcp://{address}")
}

async fn socket(hub: &str) -> Client {
    let address = format!("ws://{hub}/ws");
    let transport = websocket::connect(&address, Vec::new(), &Options::new()).await.expect("connected");
    Client::with_transport(transport, Options::new())
}

/// Waits until all devices have a hub, in the view of this one.
async fn agreed(hub: &Client) {
    let begun = Instant::now();
    loop {
        let devices: Vec<Value> = hub.call("hub.devices", &()).await.expect("called");
        let without =
            devices.iter().filter(|device| device["hub"].is_null() || device["state"] == "connecting").count();
        if devices.len() == DEVICES && without == 0 {
            return;
        }
        assert!(begun.elapsed() < AGREED, "{without} devices have no hub");
        sleep(Duration::from_millis(50)).await;
    }
}

/// How calls have ended.
#[derive(Default)]
struct Ends {
    answers: AtomicUsize,
    errors: [AtomicUsize; 6],
    closed: AtomicUsize,
}

/// The errors that the documentation names.
const CODES: [i64; 6] = [-32000, -32001, -32003, -32004, -32005, -32006];

/// Calls devices in turn until the end.
async fn call(client: Client, first: u64, is_over: Arc<AtomicBool>, ends: Arc<Ends>) {
    let mut number = first;
    while !is_over.load(Ordering::Relaxed) {
        number += 1;
        let device = usize::try_from(number * 7919 % DEVICES as u64).expect("small");
        let method = format!("d{device}.{}", if number.is_multiple_of(2) { "get" } else { "set" });
        match client.call::<(usize, u64)>(&method, &(number,)).await {
            Ok(answer) => {
                assert_eq!(answer, (device, number), "the answer of another call");
                ends.answers.fetch_add(1, Ordering::Relaxed);
            }
            Err(CallError::Peer(error)) => {
                let place = CODES.iter().position(|code| *code == error.code.0);
                ends.errors[place.unwrap_or_else(|| panic!("{}", error.borrowed()))].fetch_add(1, Ordering::Relaxed);
                // no hub, or none yet
                sleep(Duration::from_millis(5)).await;
            }
            Err(CallError::Closed(_)) => {
                ends.closed.fetch_add(1, Ordering::Relaxed);
                return;
            }
            Err(error) => panic!("{method}: {error}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_is_lost_when_a_hub_or_nats_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut nats = Nats::start(folder.path(), "-1");
    let runs = Arc::new(AtomicUsize::new(0));
    let addresses = join_all((0..DEVICES).map(|number| device(number, Arc::clone(&runs)))).await;
    let mut text = format!(
        "name = \"${{env:NAME}}\"\n[cluster]\nnats = \"{}\"\n[[listen]]\naddress = \"http://127.0.0.1:0\"\n",
        nats.address
    );
    for (number, address) in addresses.iter().enumerate() {
        text.push_str(&format!("[devices.d{number}]\naddress = \"{address}\"\nrepeat = [\"get\"]\n"));
    }
    let file = folder.path().join("hub.toml");
    std::fs::write(&file, text).expect("written");
    let mut hubs: Vec<_> = (0..HUBS)
        .map(|number| {
            let arguments = ["hub", &file.display().to_string()];
            Running::start_with(&arguments, |command| _ = command.env("NAME", format!("hub{number}")))
        })
        .collect();
    let hosts: Vec<_> = hubs.iter().map(|hub| hub.next_address().replace("http://", "")).collect();
    let mut users = Vec::new();
    for host in &hosts {
        users.push(socket(host).await);
    }
    for user in &users {
        agreed(user).await;
    }
    // each device has one hub, and each hub a share of them
    let devices: Vec<Value> = users[0].call("hub.devices", &()).await.expect("called");
    for number in 0..HUBS {
        let share = devices.iter().filter(|device| device["hub"] == json!(format!("hub{number}"))).count();
        assert!((DEVICES / HUBS / 2..DEVICES / HUBS * 2).contains(&share), "hub{number} has {share}");
    }
    let (is_over, ends) = (Arc::new(AtomicBool::new(false)), Arc::new(Ends::default()));
    let callers: Vec<_> = (0..HUBS * CALLERS)
        .map(|number| {
            let first = number as u64 * 1_000_000_000;
            tokio::spawn(call(users[number % HUBS].clone(), first, Arc::clone(&is_over), Arc::clone(&ends)))
        })
        .collect();
    let more = async |count: usize| {
        let (begun, before) = (Instant::now(), ends.answers.load(Ordering::Relaxed));
        while ends.answers.load(Ordering::Relaxed) < before + count {
            assert!(begun.elapsed() < AGREED, "calls go on");
            sleep(Duration::from_millis(10)).await;
        }
    };
    more(2000).await;
    hubs.pop().expect("three").kill();
    agreed(&users[0]).await;
    more(2000).await;
    nats.kill();
    let port = nats.address.rsplit_once(':').expect("a port").1.to_owned();
    // the devices of each hub go on for its own users
    more(200).await;
    let _nats = Nats::start(folder.path(), &port);
    agreed(&users[0]).await;
    agreed(&users[1]).await;
    more(2000).await;
    is_over.store(true, Ordering::Relaxed);
    for caller in callers {
        tokio::time::timeout(LIMIT, caller).await.expect("each call ends in time").expect("no panic");
    }
    assert_eq!(ends.closed.load(Ordering::Relaxed), CALLERS, "the callers of the killed hub alone have lost it");
    // every answer was run, and nothing runs more often than its calls and their repetitions
    assert!(runs.load(Ordering::Relaxed) >= ends.answers.load(Ordering::Relaxed));
    for number in 0..DEVICES {
        let answer: (usize, u64) = users[number % 2].call(&format!("d{number}.get"), &(7,)).await.expect("an answer");
        assert_eq!(answer, (number, 7));
    }
    println!("{} answers, errors {:?}", ends.answers.load(Ordering::Relaxed), ends.errors);
}
