//! Many hubs as one, on NATS: each device has one hub, each call finds it, and the devices of a hub that vanishes move to the others.
//!
//! - `PREFIX.hubs`: each hub says each second that it lives. A subject, not a bucket: nothing is written to a disk, and hubs hear of each
//!   other while JetStream is down. See [`members`].
//! - The key-value bucket `PREFIX-devices`: the hub that has each device. See [`owners`].
//! - `PREFIX.hub.NAME.calls` and `PREFIX.hub.NAME.wanted`: calls for the devices of a hub, and devices that another hub should have.
//! - `PREFIX.events.NAME`: the notifications of its devices.

mod calls;
mod members;
mod owners;
#[cfg(test)]
mod tests;
mod view;

use std::future::ready;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::{ConnectOptions, Event, ServerAddr};
use bytes::Bytes;
use futures_util::StreamExt as _;
use nanojsonrpc::RawValue;
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc_tokio::{CallService, Message, Options, nats};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::told::Told;
use crate::fault::Fault;
use crate::print::{line, say};
use calls::Gate;
pub(crate) use calls::not_here;
use view::View;

/// The time for the calls of other hubs that are in flight when this one leaves. Less than the patience of calls that wait for its devices.
const GRACE: Duration = Duration::from_secs(3);
/// The greatest time of an attempt to tell NATS something at the end.
const FAREWELL: Duration = Duration::from_secs(3);
/// The events of other hubs that wait for each subscriber.
const EVENTS: usize = 1024;

pub(crate) struct Settings {
    /// The address of the NATS server, which may have credentials.
    pub(crate) nats: String,
    /// The front of all subjects and of the name of the bucket.
    pub(crate) prefix: String,
    /// The name of this hub, which no other hub has.
    pub(crate) name: String,
}

/// What this hub is to do with a device.
#[derive(Debug)]
pub(crate) enum Change {
    /// This hub has it now.
    Take(String),
    /// This hub no longer has it. Another hub may connect to it as soon as [`Left`] is dropped.
    Leave(String, Left),
    /// Another hub has it now, or none.
    Moved(String),
}

/// Dropped when the connection to a device is closed.
#[derive(Debug)]
pub(crate) struct Left(#[expect(dead_code, reason = "its drop tells the receiver")] oneshot::Sender<()>);

/// The connection to NATS.
#[derive(Clone, Copy, Default)]
struct Link {
    is_up: bool,
    /// Counts how often it has come and gone.
    number: u64,
}

struct Shared {
    settings: Settings,
    /// Tells this process from an earlier one with the name of this hub.
    life: u64,
    nats: async_nats::Client,
    link: watch::Receiver<Link>,
    view: Mutex<View>,
    /// A hub has come or gone.
    members: watch::Sender<()>,
    /// A device or a hub has come or gone.
    moves: watch::Sender<()>,
    changes: mpsc::UnboundedSender<Change>,
    events: broadcast::Sender<Message>,
    /// Events that other hubs did not get.
    unsent: AtomicU64,
}

/// The handle of this hub among the others. Dropping it ends the connection, as a crash of the hub would.
pub(crate) struct Cluster {
    shared: Arc<Shared>,
    stop: CancellationToken,
    serving: Mutex<JoinSet<()>>,
    beating: AbortHandle,
    /// Aborts them when it is dropped.
    _tasks: JoinSet<()>,
}

impl Cluster {
    /// Begins to connect, to claim `devices`, and to serve `local` to the other hubs. Without NATS it goes on trying.
    pub(crate) async fn join<S>(
        settings: Settings,
        devices: Vec<String>,
        local: S,
        options: Options,
        changes: mpsc::UnboundedSender<Change>,
    ) -> Result<Arc<Self>, Fault>
    where
        S: CallService + Clone + Sync + Unpin,
    {
        let (nats, link) = connect(&settings).await?;
        let (prefix, name) = (settings.prefix.clone(), settings.name.clone());
        let life = fastrand::u64(..);
        let shared = Arc::new(Shared {
            view: Mutex::new(View::new(&name, life)),
            settings,
            life,
            nats: nats.clone(),
            link,
            members: watch::Sender::default(),
            moves: watch::Sender::default(),
            changes,
            events: broadcast::Sender::new(EVENTS),
            unsent: AtomicU64::new(0),
        });
        let subscribe = async |subject: String| {
            let fault = |error: async_nats::SubscribeError| Fault::usage(format!("NATS: {error}"));
            nats.subscribe(subject).await.map_err(fault)
        };
        let beats = subscribe(format!("{prefix}.hubs")).await?;
        let wanted = subscribe(format!("{prefix}.hub.{name}.wanted")).await?;
        let mut events = subscribe(format!("{prefix}.events.*")).await?;
        let mut tasks = JoinSet::new();
        let beating = tasks.spawn(members::keep(Arc::clone(&shared), beats));
        tasks.spawn(owners::keep(Arc::clone(&shared), devices, wanted));
        let (receiving, own) = (Arc::clone(&shared), format!("{prefix}.events.{name}"));
        tasks.spawn(async move {
            while let Some(event) = events.next().await {
                if event.subject.as_str() != own && receiving.events.receiver_count() > 0 {
                    match Message::parse(event.payload) {
                        // an error means that nobody listens any longer
                        Ok(message) => _ = receiving.events.send(message),
                        Err(fault) => say(format_args!("{}: {fault}", line(event.subject.as_bytes()))),
                    }
                }
            }
        });
        let stop = CancellationToken::new();
        let gate = Gate { local, shared: Arc::clone(&shared) };
        let server = nats::Server::new(gate).options(options).grace(GRACE);
        let (ended, calls) = (stop.clone().cancelled_owned(), format!("{prefix}.hub.{name}.calls"));
        let (mut serving, mut link) = (JoinSet::new(), shared.link.clone());
        serving.spawn(async move {
            // then the server knows the greatest length of an answer; an error means that the connection is closed
            _ = link.wait_for(|link| link.is_up).await;
            if let Err(error) = server.serve(&nats, &calls, ended).await {
                say(format_args!("NATS: no more calls of other hubs: {error}"));
            }
        });
        Ok(Arc::new(Self { shared, stop, serving: Mutex::new(serving), beating, _tasks: tasks }))
    }

    /// The live hub that has the device.
    pub(crate) fn hub_of(&self, device: &str) -> Option<String> {
        self.shared.view().owner(device).map(|(hub, _)| hub.to_owned())
    }

    /// Calls `method`, whose full name begins with the device, at the hub that has the device. A call that may have run is repeated only if
    /// it `may_repeat`.
    ///
    /// # Errors
    /// -32001: no answer until `until`; -32003: no hub has the device, for 5 s; -32006: the call was sent, and its hub or NATS has vanished.
    pub(crate) async fn call(
        &self,
        device: &str,
        method: &str,
        params: Option<RawValue<'_>>,
        may_repeat: bool,
        until: Instant,
    ) -> Result<Message, OwnedErrorObject> {
        self.shared.call(device, method, params, may_repeat, until).await
    }

    /// Sends a notification to a device of another hub, if there is one.
    pub(crate) async fn send(&self, device: &str, method: &str, params: Option<RawValue<'_>>) {
        let (Some(hub), Ok(told)) = (self.hub_of(device), Told::new(method.to_owned(), params)) else { return };
        let subject = format!("{}.hub.{hub}.calls", self.shared.settings.prefix);
        // nobody waits for the outcome
        _ = self.shared.nats.publish(subject, told.text).await;
    }

    /// Sends a notification of a device of this hub to the users of the other hubs.
    pub(crate) async fn publish(&self, notification: Bytes) {
        let Settings { prefix, name, .. } = &self.shared.settings;
        let is_up = self.shared.link.borrow().is_up;
        if !is_up || self.shared.nats.publish(format!("{prefix}.events.{name}"), notification).await.is_err() {
            self.shared.unsent.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The notifications of devices of other hubs.
    pub(crate) fn events(&self) -> broadcast::Receiver<Message> {
        self.shared.events.subscribe()
    }

    /// Gives the devices to the other hubs, after the calls that they have sent are answered, for at most 3 s.
    pub(crate) async fn leave(&self) {
        let shared = &self.shared;
        shared.view().leave();
        self.stop.cancel();
        if !shared.link.borrow().is_up {
            return say("no connection to NATS: the other hubs take the devices when they miss this one");
        }
        shared.tell("leaving").await;
        let mut serving = std::mem::take(&mut *lock(&self.serving));
        let served = async { while serving.join_next().await.is_some() {} };
        // the connection may end meanwhile
        _ = timeout(GRACE + FAREWELL, served).await;
        self.beating.abort();
        // what the bucket says of a hub that is gone does not count
        let farewell = async {
            shared.tell("gone").await;
            _ = shared.nats.flush().await;
        };
        if timeout(FAREWELL, farewell).await.is_err() {
            say("NATS does not answer: the other hubs take the devices when they miss this one");
        }
    }
}

impl Shared {
    fn view(&self) -> MutexGuard<'_, View> {
        lock(&self.view)
    }

    fn change(&self, change: Change) {
        // an error means that the hub has ended
        _ = self.changes.send(change);
    }

    /// Tells the hub, and the calls that wait, that these devices have moved.
    fn moved(&self, devices: impl IntoIterator<Item = String>) {
        devices.into_iter().for_each(|device| self.change(Change::Moved(device)));
        self.moves.send_replace(());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The connection, and what becomes of it.
async fn connect(settings: &Settings) -> Result<(async_nats::Client, watch::Receiver<Link>), Fault> {
    // an error would show the credentials
    let address: ServerAddr =
        settings.nats.parse().map_err(|_| Fault::usage("the address of NATS is not like nats://HOST:PORT"))?;
    let (sender, link) = watch::channel(Link::default());
    let said = Mutex::new(String::new());
    let event = move |event: Event| {
        let is_up = matches!(event, Event::Connected);
        if is_up || matches!(event, Event::Disconnected | Event::Closed) {
            let number = sender.borrow().number + 1;
            sender.send_replace(Link { is_up, number });
        }
        // each attempt to connect fails with the same words
        let text = line(event.to_string().as_bytes());
        if *lock(&said) != text {
            say(format_args!("NATS: {text}"));
            *lock(&said) = text;
        }
        ready(())
    };
    let options = ConnectOptions::new()
        .name(format!("jrpc hub {}", settings.name))
        .retry_on_initial_connect()
        // a cut cable is noticed after three of them
        .ping_interval(Duration::from_secs(2))
        // a hub must be back before the others take its devices
        .reconnect_delay_callback(|attempts| Duration::from_millis(50).saturating_mul(attempts.min(10) as u32))
        // a bucket of a million keys comes faster than it is read
        .subscription_capacity(1 << 20)
        .event_callback(event);
    let nats = options.connect(address).await.map_err(|error| Fault::Connection(format!("NATS: {error}")))?;
    Ok((nats, link))
}
