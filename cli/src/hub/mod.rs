//! `jrpc hub`: devices below, users above.

mod brokers;
mod cluster;
mod config;
mod demo;
mod service;
mod told;
mod web;

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use futures_util::StreamExt as _;
use nanojsonrpc::RawValue;
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc_tokio::axum::Events;
use nanojsonrpc_tokio::{Message, Options};
use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::device::{Around, Device, Elsewhere, Seen, State, away};
use crate::fault::Fault;
use crate::listen::stopped;
use crate::print::{line, say};
use crate::tools::Tools;
use crate::user::User;
use cluster::{Change, Cluster};
use config::Config;
use service::{Caller, methods};
use told::{DEVICE, Told};

/// Serve many devices to many users, over HTTP, WebSocket, MCP, MQTT and NATS
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    jrpc hub home.toml\n  \
    jrpc hub home.toml --check\n  \
    jrpc hub --demo\n\n\
    A file:\n  \
    [[listen]]\n  \
    address = \"http://127.0.0.1:8080\"\n\n  \
    [devices.lamp]\n  \
    address = \"serial:///dev/ttyACM0\"\n\n\
    All settings: docs/hub.md")]
pub(crate) struct HubCommand {
    /// The file of the hub
    #[arg(required_unless_present = "demo")]
    file: Option<PathBuf>,
    /// Say what is wrong with the file, and end
    #[arg(long)]
    check: bool,
    /// Serve two simulated devices on this machine
    #[arg(long, conflicts_with_all = ["file", "check"])]
    demo: bool,
}

/// The time for the calls in flight at the end.
const GRACE: Duration = Duration::from_secs(10);
/// The notifications that wait for a slow user.
const UNREAD: usize = 1024;
/// The greatest length of a notification in bytes, so that those that wait take at most 64 MiB.
const TOLD: usize = 64 * 1024;

/// The devices, and who listens.
pub(crate) struct Hub {
    name: String,
    devices: BTreeMap<String, Arc<Device>>,
    told: broadcast::Sender<Arc<Told>>,
    /// The streams of traffic, each with its user.
    traffic: OnceLock<Vec<(Arc<User>, Events)>>,
    /// The other hubs.
    cluster: OnceLock<Arc<Cluster>>,
    payloads: bool,
}

/// The milliseconds since 1970.
fn millis(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

impl Hub {
    /// A device as users see it.
    fn state(&self, device: &Device) -> Value {
        let state = device.state();
        let (now, since) = &*state.borrow();
        let (word, fault) = match now {
            State::Connecting => ("connecting", None),
            State::Up => ("up", None),
            State::Down(fault) => ("down", Some(line(fault.as_bytes()))),
            State::Elsewhere => ("elsewhere", None),
        };
        let mut shown = json!({
            "name": device.name,
            "address": device.peer.address.public(),
            "state": word,
            "since": millis(*since),
            "calls": device.counts.calls.load(Ordering::Relaxed),
            "errors": device.counts.errors.load(Ordering::Relaxed),
            "notifications": device.counts.notifications.load(Ordering::Relaxed),
            "inFlight": device.in_flight(),
        });
        if let Some(shown) = shown.as_object_mut() {
            let elsewhere = || self.cluster.get().and_then(|cluster| cluster.hub_of(&device.name));
            let hub = if *now == State::Elsewhere { elsewhere() } else { Some(self.name.clone()) };
            if let Some(hub) = hub {
                shown.insert("hub".to_owned(), hub.into());
            }
            if let Some(fault) = fault {
                shown.insert("fault".to_owned(), fault.into());
            }
        }
        shown
    }

    /// The devices that a user sees.
    fn states(&self, user: &User) -> Vec<Value> {
        self.devices.values().filter(|device| user.sees(&device.name)).map(|device| self.state(device)).collect()
    }

    /// Tells users what a device of this hub tells; with a cluster, those of other hubs, too.
    async fn tell(&self, method: &str, params: Option<RawValue<'_>>, is_for_all: bool) {
        let told = match Told::new(method.to_owned(), params) {
            Ok(told) if told.text.len() > TOLD => {
                return tracing::warn!(method, len = told.text.len(), "not told: too long");
            }
            Ok(told) => Arc::new(told),
            Err(error) => return tracing::warn!(method, "not told: {error}"),
        };
        if let Some(cluster) = self.cluster.get().filter(|_| is_for_all) {
            cluster.publish(told.text.clone()).await;
        }
        // an error means that nobody listens
        _ = self.told.send(told);
    }

    /// Tells the state of a device.
    async fn tell_state(&self, device: &Device, is_for_all: bool) {
        let shown = self.state(device).to_string();
        self.tell(DEVICE, RawValue::parse(shown.as_bytes()).ok(), is_for_all).await;
    }

    /// Tells the states of a device.
    async fn watch(self: Arc<Self>, device: Arc<Device>) {
        let mut state = device.state();
        // the device never closes before this task
        while state.changed().await.is_ok() {
            let is_here = state.borrow_and_update().0 != State::Elsewhere;
            self.tell_state(&device, is_here).await;
        }
    }

    /// Does what the cluster says: connects to devices, and leaves them.
    async fn follow(self: Arc<Self>, mut changes: mpsc::UnboundedReceiver<Change>) {
        while let Some(change) = changes.recv().await {
            let (Change::Take(name) | Change::Leave(name, _) | Change::Moved(name)) = &change;
            let Some(device) = self.devices.get(name) else { continue };
            match change {
                Change::Take(_) => device.want(true),
                Change::Leave(_, left) => {
                    device.want(false);
                    let mut state = device.state();
                    tokio::spawn(async move {
                        // the device never closes before this task
                        _ = state.wait_for(|(state, _)| *state != State::Up).await;
                        drop(left);
                    });
                }
                Change::Moved(_) => {
                    device.list_again();
                    self.tell_state(device, false).await;
                }
            }
        }
    }

    /// Tells users what the devices of other hubs tell.
    async fn relay(self: Arc<Self>, mut events: broadcast::Receiver<Message>) {
        loop {
            match events.recv().await {
                Ok(event) => {
                    // an error means that nobody listens
                    _ = self.told.send(Arc::new(Told::again(&event)));
                }
                Err(broadcast::error::RecvError::Lagged(count)) => tracing::warn!(count, "events of other hubs lost"),
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }

    /// Shares the devices with the other hubs of the cluster.
    async fn join(self: &Arc<Self>, nats: String, prefix: String) -> Result<(), Fault> {
        let (sender, changes) = mpsc::unbounded_channel();
        let caller =
            Caller { hub: Arc::clone(self), user: Arc::new(User::anyone()), subscriptions: None, is_hub: true };
        let settings = cluster::Settings { nats, prefix, name: self.name.clone() };
        let names = self.devices.keys().cloned().collect();
        let cluster = Cluster::join(settings, names, methods(caller), Options::new(), sender).await?;
        tokio::spawn(Arc::clone(self).relay(cluster.events()));
        tokio::spawn(Arc::clone(self).follow(changes));
        // an error means that it is set
        _ = self.cluster.set(cluster);
        Ok(())
    }

    /// Tells the notifications of a device.
    async fn listen(self: Arc<Self>, device: Arc<Device>) {
        let mut notifications = std::pin::pin!(device.notifications());
        while let Some(notification) = notifications.next().await {
            let notification = match notification {
                Ok(notification) => notification,
                Err(missed) => {
                    tracing::warn!(device = device.name, "{missed}");
                    continue;
                }
            };
            device.counts.notifications.fetch_add(1, Ordering::Relaxed);
            let method = notification.method().to_string();
            self.tell(&format!("{}.{method}", device.name), notification.payload(), true).await;
            self.show(&device, &method, || {
                let mut shown = json!({ "device": device.name, "kind": "notification", "method": method,
                    "bytes": notification.text().len() });
                self.add(&mut shown, "params", notification.payload());
                shown
            });
        }
    }

    /// Adds a payload to what is shown, if the file says so.
    fn add(&self, shown: &mut Value, name: &str, payload: Option<RawValue<'_>>) {
        let payload =
            payload.filter(|_| self.payloads).and_then(|payload| serde_json::from_str(payload.as_json()).ok());
        if let (Some(shown), Some(payload)) = (shown.as_object_mut(), payload) {
            shown.insert(name.to_owned(), payload);
        }
    }

    /// Shows traffic to those who look at it, and may.
    fn show(&self, device: &Device, method: &str, shown: impl Fn() -> Value) {
        let whole = format!("{}.{method}", device.name);
        let looking = |(user, events): &&(Arc<User>, Events)| events.listeners() != 0 && user.may(&whole);
        let mut looking = self.traffic.get().into_iter().flatten().filter(looking).peekable();
        if looking.peek().is_some() {
            let shown = shown();
            // an error means that it is too long to be shown
            looking.for_each(|(_, events)| _ = events.notify("hub.traffic", &shown));
        }
    }
}

impl Around for Hub {
    fn elsewhere<'c>(
        &'c self,
        call: Elsewhere<'c>,
    ) -> Pin<Box<dyn Future<Output = Result<Message, OwnedErrorObject>> + Send + 'c>> {
        Box::pin(async move {
            let Elsewhere { device, method, params, may_repeat, until } = call;
            match self.cluster.get() {
                Some(cluster) => cluster.call(device, &format!("{device}.{method}"), params, may_repeat, until).await,
                None => Err(away("no hub has it yet")),
            }
        })
    }

    fn seen(&self, device: &Device, seen: &Seen<'_>) {
        let (code, bytes) = match seen.outcome {
            Ok(Some(answer)) => (answer.envelope().error_object().map(|error| error.code.0), answer.text().len()),
            Ok(None) => (None, 0),
            Err(error) => (Some(error.code.0), 0),
        };
        let micros = u64::try_from(seen.time.as_micros()).unwrap_or(u64::MAX);
        tracing::info!(device = device.name, method = seen.method, user = seen.user, code, micros, bytes, "call");
        self.show(device, seen.method, || {
            let mut shown = json!({ "device": device.name, "kind": "call", "method": seen.method, "user": seen.user,
                "micros": micros, "bytes": bytes });
            if let (Some(shown), Some(code)) = (shown.as_object_mut(), code) {
                shown.insert("code".to_owned(), code.into());
            }
            self.add(&mut shown, "params", seen.params);
            if let Ok(Some(answer)) = seen.outcome {
                self.add(&mut shown, "result", answer.envelope().result());
                self.add(&mut shown, "error", answer.envelope().error());
            }
            shown
        });
    }
}

/// Where the hub logs: a file with each call, or standard error with warnings.
fn log(config: &Config) -> Result<tracing_appender::non_blocking::WorkerGuard, Fault> {
    let (writer, level): (Box<dyn std::io::Write + Send>, _) = match &config.log {
        Some(path) => {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            (Box::new(file.map_err(|error| Fault::file(path.display(), &error))?), tracing::Level::INFO)
        }
        None => (Box::new(std::io::stderr()), tracing::Level::WARN),
    };
    // a disk that is slow or full holds no call up
    let (writer, guard) = tracing_appender::non_blocking(writer);
    let log = tracing_subscriber::fmt().with_writer(writer).with_ansi(false).with_max_level(level);
    // an error means that there is one
    _ = log.with_target(false).try_init();
    Ok(guard)
}

impl HubCommand {
    pub(crate) async fn run(&self) -> Result<(), Fault> {
        if self.demo {
            let demo = demo::start().await?;
            say("two simulated lamps, kitchen and hall: open the address of http in a browser; Ctrl-C ends");
            return serve(demo.config()?).await;
        }
        let Some(path) = &self.file else { return Err(Fault::usage("no file")) };
        let config = Config::read(path)?;
        if self.check {
            return crate::print::out(format_args!(
                "{}: devices: {}, listeners: {}, users: {}",
                path.display(),
                config.devices.len(),
                config.doors.len(),
                config.users.len()
            ));
        }
        serve(config).await
    }
}

/// Serves until Ctrl-C or SIGTERM, and lets the calls in flight finish.
async fn serve(config: Config) -> Result<(), Fault> {
    let stopped = stopped()?;
    let _log = log(&config)?;
    let devices = config.devices.into_iter().map(|(name, peer, limits)| {
        // in a cluster, the hubs agree first
        let device = Device::new(name.clone(), name.clone(), peer, limits, config.cluster.is_none());
        (name, Arc::new(device))
    });
    let devices: BTreeMap<_, _> = devices.collect();
    let (told, payloads) = (broadcast::Sender::new(UNREAD), config.payloads);
    let hub = Arc::new(Hub {
        name: config.name,
        devices,
        told,
        traffic: OnceLock::new(),
        cluster: OnceLock::new(),
        payloads,
    });
    for device in hub.devices.values() {
        device.enter(Arc::<Hub>::clone(&hub));
        tokio::spawn(Arc::clone(&hub).watch(Arc::clone(device)));
        tokio::spawn(Arc::clone(&hub).listen(Arc::clone(device)));
    }
    if let Some((nats, prefix)) = config.cluster {
        hub.join(nats, prefix).await?;
    }
    let tools = Tools::of(hub.devices.values().cloned().collect());
    let users: Vec<_> = match config.users {
        users if users.is_empty() => vec![(Arc::new(User::anyone()), None)],
        users => users.into_iter().map(|(user, token)| (Arc::new(user), Some(token))).collect(),
    };
    let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
    let (mut webs, mut brokers) = (Vec::new(), Vec::new());
    for door in config.doors {
        match door {
            config::Door::Web(web) => webs.push(web),
            config::Door::Broker(peer, name) => brokers.push((peer, name)),
        }
    }
    // they hear what is told from the first moment on
    for (peer, user) in config.webhooks {
        brokers::post(&peer, &hub, user)?;
    }
    web::serve(webs, &hub, &tools, &users, &stop, &tasks).await?;
    for (peer, name) in brokers {
        let user = users.iter().find(|(user, _)| name.as_ref().is_none_or(|name| user.name == *name));
        let Some((user, _)) = user else { continue };
        tasks.spawn(brokers::serve(peer, Arc::clone(&hub), Arc::clone(user), stop.clone()));
    }
    tasks.close();
    tokio::select! {
        () = stopped => {}
        () = tasks.wait(), if !tasks.is_empty() => {}
    }
    stop.cancel();
    if tokio::time::timeout(GRACE, tasks.wait()).await.is_err() {
        say("some calls had no answer yet");
    }
    if let Some(cluster) = hub.cluster.get() {
        cluster.leave().await;
    }
    futures_util::future::join_all(hub.devices.values().map(|device| device.close())).await;
    Ok(())
}
