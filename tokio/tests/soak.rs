//! A server under clients that break off, stall, send half a message, read slowly and make handlers panic, beside others that call: every
//! call of these ends as it must, and memory ends where it began. `NANOJSONRPC_SOAK_SECONDS` is its time in seconds; 4 by default.
#![cfg(target_os = "linux")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nanojsonrpc::ErrorObject;
use nanojsonrpc_tokio::{CallError, Client, Closed, Methods, Options, Server};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Clients at the same time: more than the server serves at once.
const CLIENTS: u64 = 48;
const CONNECTIONS: usize = 32;

#[derive(Default)]
struct Counts {
    begun: AtomicU64,
    ended: AtomicU64,
    faults: AtomicU64,
}

/// A small generator, so that each run differs but can be printed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

fn methods() -> Methods<()> {
    Methods::new(())
        .request("add", async |(), (a, b): (u64, u64)| Ok(a + b))
        .request("sleep", async |(), (millis,): (u64,)| {
            sleep(Duration::from_millis(millis)).await;
            Ok(millis)
        })
        .request("panic", async |(), ()| -> Result<(), ErrorObject<'static>> { panic!("as the test asks") })
        .request("zeros", async |(), (len,): (usize,)| Ok(vec![0_u8; len]))
}

/// Calls that must end with their own result or error; only the end of the connection may come instead.
async fn calls(address: SocketAddr, random: &mut Random, counts: &Arc<Counts>) {
    let Ok(stream) = TcpStream::connect(address).await else { return };
    let client = Client::over(stream);
    let mut tasks = JoinSet::new();
    for _ in 0..random.below(64) {
        let (client, counts, kind, number) = (client.clone(), Arc::clone(counts), random.below(8), random.below(1000));
        tasks.spawn(async move {
            counts.begun.fetch_add(1, Ordering::Relaxed);
            let outcome = match kind {
                0 => client.call::<()>("panic", &()).await.map(|()| false),
                1 => client.call::<u64>("sleep", &[60_000]).await.map(|_| false),
                2 => {
                    client.call::<Vec<u8>>("zeros", &[number * 50]).await.map(|zeros| zeros.len() as u64 == number * 50)
                }
                3 => client.call::<u64>("sleep", &[number % 30]).await.map(|millis| millis == number % 30),
                4 => client.call::<()>("none", &()).await.map(|()| false),
                // gives up: the call is forgotten
                5 => timeout(Duration::from_millis(1), client.call::<u64>("sleep", &[50]))
                    .await
                    .unwrap_or(Ok(50))
                    .map(|millis| millis == 50),
                _ => client.call::<u64>("add", &[number, 1]).await.map(|sum| sum == number + 1),
            };
            let shown = format!("{outcome:?}");
            let is_right = match outcome {
                Ok(is_right) => is_right,
                Err(CallError::Peer(error)) => matches!((kind, error.code.0), (0, -32603) | (1, -32001) | (4, -32601)),
                Err(CallError::Closed(Closed::ByPeer | Closed::Failed(_))) => true,
                Err(_) => false,
            };
            assert!(is_right, "a call of kind {kind} ended otherwise: {shown}");
            counts.ended.fetch_add(1, Ordering::Relaxed);
        });
    }
    while let Some(task) = tasks.join_next().await {
        task.unwrap();
    }
}

async fn fault(address: SocketAddr, random: &mut Random) {
    let Ok(mut stream) = TcpStream::connect(address).await else { return };
    let call = |method: &str, param: u64| {
        format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":[{param}],\"id\":1}}\n")
    };
    match random.below(6) {
        // breaks off while calls run
        0 => {
            _ = stream.write_all(call("sleep", 100).repeat(10).as_bytes()).await;
            let _ = stream.set_zero_linger();
        }
        // half a message, then nothing
        1 => {
            _ = stream.write_all(call("add", 1).as_bytes().split_at(20).0).await;
            sleep(Duration::from_millis(400)).await;
        }
        // half a message, then the end
        2 => {
            _ = stream.write_all(call("add", 1).as_bytes().split_at(25).0).await;
            _ = stream.shutdown().await;
            _ = timeout(Duration::from_secs(1), stream.read_to_end(&mut Vec::new())).await;
        }
        // reads slowly
        3 => {
            _ = timeout(Duration::from_millis(300), stream.write_all(call("zeros", 30_000).repeat(100).as_bytes()))
                .await;
            let mut bytes = [0; 512];
            for _ in 0..20 {
                _ = timeout(Duration::from_millis(5), stream.read(&mut bytes)).await;
                sleep(Duration::from_millis(5)).await;
            }
        }
        // nonsense, and a message that is too long
        4 => {
            _ = stream.write_all(b"{\n[]\n\xFF\xFF\nnull\n").await;
            _ = timeout(Duration::from_millis(300), stream.write_all(&vec![b'x'; 200_000])).await;
        }
        // another protocol
        _ => {
            _ = stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await;
            _ = timeout(Duration::from_millis(300), stream.read_to_end(&mut Vec::new())).await;
        }
    }
}

/// Resident memory in bytes.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    status.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_is_accounted_for_and_memory_ends_where_it_began() {
    let seconds = std::env::var("NANOJSONRPC_SOAK_SECONDS").map_or(4, |seconds| seconds.parse().unwrap());
    // the panics of handlers are no fault of this test
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload().downcast_ref::<&str>() != Some(&"as the test asks") {
            hook(panic);
        }
    }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let options = Options::new()
        .deadline(Duration::from_millis(200))
        .idle(Duration::from_millis(500))
        .max_len(100_000)
        .calls(16)
        .queue(100);
    let server = tokio::spawn(async move {
        Server::new(methods())
            .options(options)
            .connections(CONNECTIONS)
            .serve(listener, async { _ = stopped.await })
            .await;
    });
    let (counts, begun) = (Arc::new(Counts::default()), Instant::now());
    let (total, warm) = (Duration::from_secs(seconds), Duration::from_secs(seconds) / 4);
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let counts = Arc::clone(&counts);
        clients.spawn(async move {
            let mut random = Random(u64::from(std::process::id()) << 16 | number << 1 | 1);
            while begun.elapsed() < total {
                if number % 3 == 0 {
                    fault(address, &mut random).await;
                    counts.faults.fetch_add(1, Ordering::Relaxed);
                } else {
                    calls(address, &mut random, &counts).await;
                }
            }
        });
    }
    sleep(warm).await;
    let before = memory();
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
    stop.send(()).unwrap();
    timeout(Duration::from_secs(15), server).await.expect("a graceful end").unwrap();
    let after = memory();
    let (begun, ended, faults) = (
        counts.begun.load(Ordering::Relaxed),
        counts.ended.load(Ordering::Relaxed),
        counts.faults.load(Ordering::Relaxed),
    );
    println!("{ended} of {begun} calls, {faults} faults, {} KiB before, {} KiB after", before / 1024, after / 1024);
    assert_eq!(ended, begun);
    assert!(begun > 100 && faults > 10);
    // allocators keep some of the peak
    assert!(after < before + before / 4 + (16 << 20), "{before} bytes before, {after} after");
    // the last handles have closed their connections
    sleep(Duration::from_millis(100)).await;
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0);
}
