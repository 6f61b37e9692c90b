//! A NATS server, hubs with simulated devices, and a connection that can be cut.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nanojsonrpc::{ErrorObject, RawValue};
use nanojsonrpc_tokio::{Message, Options, Request, Response};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep};
use tower::service_fn;

use super::super::{Change, Cluster, Left, Settings, not_here};

/// Waits for a condition. Returns how long it took.
pub(super) async fn within(limit: Duration, what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < limit, "not within {limit:?}: {what}");
        sleep(Duration::from_millis(10)).await;
    }
    begun.elapsed()
}

pub(super) const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// A NATS server with JetStream.
pub(super) struct Nats {
    port: i32,
    folder: TempDir,
    child: Option<Child>,
}

impl Nats {
    pub(super) async fn start() -> Self {
        let mut nats = Self { port: -1, folder: tempfile::tempdir().unwrap(), child: None };
        nats.restart().await;
        nats
    }

    /// Starts it on the same port, with what is left of its store.
    pub(super) async fn restart(&mut self) {
        let path = format!("{}:/usr/sbin:/usr/local/sbin", std::env::var("PATH").unwrap_or_default());
        let store = self.folder.path().join("store");
        let child = Command::new("env")
            .arg(format!("PATH={path}"))
            .args(["nats-server", "-js", "-a", "127.0.0.1", "-p", &self.port.to_string(), "-sd"])
            .arg(store)
            .arg("--ports_file_dir")
            .arg(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let child = self.child.insert(child.expect("apt-get install nats-server"));
        let file = self.folder.path().join(format!("nats-server_{}.ports", child.id()));
        let mut port = None;
        within(seconds(20), "nats-server listens", || {
            port = read_port(&file);
            port.is_some()
        })
        .await;
        self.port = port.unwrap();
    }

    pub(super) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Removes its store.
    pub(super) fn empty(&self) {
        std::fs::remove_dir_all(self.folder.path().join("store")).unwrap();
    }

    /// The bytes of its store.
    pub(super) fn stored(&self) -> u64 {
        let mut folders = vec![self.folder.path().join("store")];
        let mut sum = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let (path, about) = entry.map(|entry| (entry.path(), entry.metadata().unwrap())).unwrap();
                if about.is_dir() { folders.push(path) } else { sum += about.len() }
            }
        }
        sum
    }

    pub(super) fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

/// The bytes of memory of this process.
pub(super) fn memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

fn read_port(file: &Path) -> Option<i32> {
    let ports: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
    ports["nats"][0].as_str()?.rsplit(':').next()?.parse().ok()
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A way to the NATS server that can be cut, or silenced.
pub(super) struct Way {
    port: u16,
    is_open: Arc<AtomicBool>,
    connections: Arc<Mutex<JoinSet<()>>>,
    accepting: JoinHandle<()>,
}

impl Way {
    pub(super) async fn to(nats: &Nats) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, target) = (listener.local_addr().unwrap().port(), nats.port);
        let (is_open, connections) = (Arc::new(AtomicBool::new(true)), Arc::new(Mutex::new(JoinSet::new())));
        let (open, all) = (Arc::clone(&is_open), Arc::clone(&connections));
        let accepting = tokio::spawn(async move {
            loop {
                let (mut near, _) = listener.accept().await.unwrap();
                if open.load(Ordering::Relaxed) {
                    let mut far = TcpStream::connect(format!("127.0.0.1:{target}")).await.unwrap();
                    all.lock().unwrap().spawn(async move {
                        _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                    });
                }
            }
        });
        Self { port, is_open, connections, accepting }
    }

    pub(super) fn cut(&self) {
        self.is_open.store(false, Ordering::Relaxed);
        self.connections.lock().unwrap().abort_all();
    }

    pub(super) fn mend(&self) {
        self.is_open.store(true, Ordering::Relaxed);
    }

    pub(super) fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

impl Drop for Way {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// What a hub with simulated devices has done.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) has: Mutex<BTreeSet<String>>,
    pub(super) takes: AtomicUsize,
    pub(super) leaves: AtomicUsize,
    pub(super) moves: Mutex<BTreeSet<String>>,
    /// How often a call with this tag has begun.
    pub(super) runs: Mutex<BTreeMap<String, usize>>,
    /// Whether it keeps the connections of devices that it leaves.
    pub(super) holds: AtomicBool,
    pub(super) held: Mutex<Vec<Left>>,
}

pub(super) struct Hub {
    pub(super) name: &'static str,
    pub(super) cluster: Arc<Cluster>,
    pub(super) notes: Arc<Notes>,
    following: JoinHandle<()>,
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.following.abort();
    }
}

impl Hub {
    pub(super) async fn join(address: &str, name: &'static str, devices: &[String]) -> Self {
        let notes = Arc::<Notes>::default();
        let served = Arc::clone(&notes);
        let local = service_fn(move |request: Request| answer(request, name, Arc::clone(&served)));
        let (changes, mut changed) = mpsc::unbounded_channel();
        let settings = Settings { nats: address.to_owned(), prefix: "home".to_owned(), name: name.to_owned() };
        let cluster = Cluster::join(settings, devices.to_vec(), local, Options::new(), changes).await.unwrap();
        let following = Arc::clone(&notes);
        let following = tokio::spawn(async move {
            while let Some(change) = changed.recv().await {
                match change {
                    Change::Take(device) => {
                        assert!(following.has.lock().unwrap().insert(device));
                        following.takes.fetch_add(1, Ordering::Relaxed);
                    }
                    Change::Leave(device, left) => {
                        assert!(following.has.lock().unwrap().remove(&device));
                        following.leaves.fetch_add(1, Ordering::Relaxed);
                        if following.holds.load(Ordering::Relaxed) {
                            following.held.lock().unwrap().push(left);
                        }
                    }
                    Change::Moved(device) => _ = following.moves.lock().unwrap().insert(device),
                }
            }
        });
        Self { name, cluster, notes, following }
    }

    pub(super) fn has(&self) -> BTreeSet<String> {
        self.notes.has.lock().unwrap().clone()
    }

    /// How many devices it has taken.
    pub(super) fn takes(&self) -> usize {
        self.notes.takes.load(Ordering::Relaxed)
    }

    /// Calls, and returns the text of the result, or the code of the error.
    pub(super) fn call(
        &self,
        device: &str,
        method: &str,
        params: &str,
        may_repeat: bool,
        limit: Duration,
    ) -> JoinHandle<Result<String, i64>> {
        let (cluster, device, params) = (Arc::clone(&self.cluster), device.to_owned(), params.to_owned());
        let method = format!("{device}.{method}");
        tokio::spawn(async move {
            let params = RawValue::parse(params.as_bytes()).ok();
            let until = Instant::now() + limit;
            let answer =
                cluster.call(&device, &method, params, may_repeat, until).await.map_err(|error| error.code.0)?;
            outcome(&answer)
        })
    }
}

fn outcome(answer: &Message) -> Result<String, i64> {
    match answer.envelope().error_object() {
        Some(error) => Err(error.code.0),
        None => Ok(answer.payload().unwrap().as_json().to_owned()),
    }
}

/// `name`: of the hub; `echo`: the params; `long`: more than NATS takes; `fail`: an error with the code of a hub without the device; `sleep`: params are the
/// milliseconds and a tag.
async fn answer(request: Request, hub: &'static str, notes: Arc<Notes>) -> Result<Response, Infallible> {
    let method = request.method().to_string();
    let (device, method) = method.split_once('.').unwrap();
    if !notes.has.lock().unwrap().contains(device) {
        return Ok(Response::error(not_here()));
    }
    let run = |tag: &str| *notes.runs.lock().unwrap().entry(tag.to_owned()).or_default() += 1;
    Ok(match method {
        "name" => Response::result(hub),
        "long" => Response::result("x".repeat(1 << 20)),
        "echo" => Response::pass(echo(&request)),
        "sleep" => {
            let (millis, tag): (u64, String) = request.params().unwrap();
            run(&tag);
            sleep(Duration::from_millis(millis)).await;
            Response::result(hub)
        }
        _ => {
            run("fail");
            Response::error(ErrorObject::new(-32003, "too cold"))
        }
    })
}

fn echo(request: &Request) -> Message {
    let params = request.message().payload().unwrap();
    Message::parse(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, params.as_json())).unwrap()
}

/// The names of `count` devices.
pub(super) fn devices(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("d{number}")).collect()
}

/// Whether each device has one of the hubs, and all hubs know it.
pub(super) fn is_settled(hubs: &[&Hub], devices: &[String]) -> bool {
    let has: Vec<_> = hubs.iter().map(|hub| hub.has()).collect();
    has.iter().map(BTreeSet::len).sum::<usize>() == devices.len()
        && devices.iter().all(|device| {
            let owner = hubs.iter().zip(&has).find(|(_, has)| has.contains(device)).map(|(hub, _)| hub.name);
            hubs.iter().all(|hub| hub.cluster.hub_of(device).as_deref() == owner && owner.is_some())
        })
}
