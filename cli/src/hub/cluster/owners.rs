//! The bucket that says which hub has which device. This hub has a device when the bucket says so, and never because it has asked for it.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use async_nats::Subscriber;
use async_nats::jetstream;
use async_nats::jetstream::kv::{Entry, Operation, Store, UpdateErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use nanojsonrpc_tokio::BoxError;
use tokio::sync::oneshot;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::members::TICK;
use super::view::{CALM, Owner, View, is_before};
use super::{Change, GRACE, Left, Settings, Shared};
use crate::print::{line, say};

/// The wait after a fault of JetStream.
const AGAIN: Duration = Duration::from_millis(500);
/// The puts to the bucket that are in flight at once.
const PUTS: usize = 256;
/// The ticks for which a hub lets each better one claim first.
const TURN: u32 = 2;
/// The ticks for which a hub lets each better one ask for a device first.
const ASK: u32 = 40;
/// The devices that a hub asks another one for in a tick.
const ASKED: usize = 64;

/// What has become of a put, which the bucket tells unless it has failed.
enum Put {
    Done,
    /// It may have to be put again.
    Failed,
    /// The device has been left in vain.
    NotGiven(String),
}

struct Keeper {
    shared: Arc<Shared>,
    devices: HashSet<String>,
    wanted: Subscriber,
    /// The devices to be claimed.
    queue: Vec<String>,
    /// The devices to be asked for.
    wishes: Vec<String>,
    puts: FuturesUnordered<BoxFuture<'static, Put>>,
    /// The ticks for which devices have had no hub.
    orphans: HashMap<String, u32>,
    /// Whether a device may have to be claimed, or to be asked for.
    is_open: bool,
}

pub(super) async fn keep(shared: Arc<Shared>, devices: Vec<String>, wanted: Subscriber) {
    let devices = devices.into_iter().collect();
    let (queue, wishes, puts, orphans) = (Vec::new(), Vec::new(), FuturesUnordered::new(), HashMap::new());
    let mut keeper = Keeper { shared, devices, wanted, queue, wishes, puts, orphans, is_open: true };
    let mut last = String::new();
    loop {
        let Err(error) = keeper.run().await;
        let error = line(error.to_string().as_bytes());
        if error != last && keeper.shared.link.borrow().is_up {
            say(format_args!("the devices of hubs: {error}"));
            last = error;
        }
        sleep(AGAIN).await;
    }
}

impl Shared {
    async fn bucket(&self) -> Result<Store, BoxError> {
        let bucket = format!("{}-devices", self.settings.prefix.replace('.', "_"));
        let context = jetstream::new(self.nats.clone());
        // one that the user has made may have replicas
        if let Ok(store) = context.get_key_value(&bucket).await {
            return Ok(store);
        }
        // `create_key_value` asks for the account, whose description by NATS 2.9 it cannot read
        let stream = Config {
            name: format!("KV_{bucket}"),
            subjects: vec![format!("$KV.{bucket}.>")],
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            allow_rollup: true,
            deny_delete: true,
            allow_direct: true,
            ..Config::default()
        };
        context.create_stream(stream).await?;
        Ok(context.get_key_value(&bucket).await?)
    }
}

impl Keeper {
    /// Follows the bucket while the connection is the same: after an interruption, the bucket may be another one.
    async fn run(&mut self) -> Result<Infallible, BoxError> {
        let shared = Arc::clone(&self.shared);
        let mut link = shared.link.clone();
        link.wait_for(|link| link.is_up).await?;
        let mut members = shared.members.subscribe();
        let store = shared.bucket().await?;
        // with one revision for each key, all revisions are the last ones: NATS 2.9 takes over 10 s to find the last ones of a million keys
        let mut watch = match store.stream.cached_info().config.max_messages_per_subject {
            1 => store.watch_all_from_revision(1).await?,
            _ => store.watch_with_history(">").await?,
        };
        self.queue.clear();
        self.wishes.clear();
        self.puts.clear();
        for device in shared.view().given_in_vain() {
            shared.change(Change::Take(device));
        }
        // the devices of which this bucket has said nothing yet
        let mut unseen = Some(shared.view().devices());
        if store.stream.cached_info().state.messages == 0 {
            self.begin(unseen.take());
        }
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            while self.puts.len() < PUTS
                && let Some(device) = self.queue.pop()
            {
                self.claim(&store, device);
            }
            tokio::select! {
                biased;
                _ = link.changed() => return Err("the connection was interrupted".into()),
                entry = watch.next() => {
                    let entry = entry.ok_or("the bucket has ended")??;
                    if let Some(unseen) = &mut unseen {
                        unseen.remove(&entry.key);
                    }
                    let is_whole = entry.seen_current;
                    self.read(entry);
                    if is_whole {
                        self.begin(unseen.take());
                    }
                }
                Some(put) = self.puts.next() => {
                    if let Put::NotGiven(device) = &put && shared.view().given(device) && shared.view().is_mine(device) {
                        shared.change(Change::Take(device.clone()));
                    }
                    self.is_open |= !matches!(put, Put::Done);
                }
                Some(message) = self.wanted.next() => self.give(&store, &message.payload),
                _ = ticks.tick() => {
                    self.is_open |= members.has_changed()?;
                    members.mark_unchanged();
                    if unseen.is_none() && self.queue.is_empty() && self.puts.is_empty() {
                        if self.is_open && self.wishes.is_empty() {
                            self.look();
                        }
                        self.ask().await;
                    }
                }
            }
        }
    }

    /// All that the bucket holds is read. What this hub has and the bucket does not know is claimed anew, and stays in use.
    fn begin(&mut self, unseen: Option<HashSet<String>>) {
        for device in unseen.into_iter().flatten() {
            if self.devices.contains(&device) && self.shared.view().is_mine(&device) {
                let hub = Some(self.shared.settings.name.as_str().into());
                self.shared.view().set(&device, Owner { hub, revision: 0 });
                self.queue.push(device);
            } else {
                self.learn(device, Owner::default());
            }
        }
        self.is_open = true;
    }

    fn read(&mut self, entry: Entry) {
        let hub = (entry.operation == Operation::Put).then(|| String::from_utf8_lossy(&entry.value).as_ref().into());
        self.learn(entry.key, Owner { hub, revision: entry.revision });
    }

    /// The bucket says which hub has the device.
    fn learn(&mut self, device: String, owner: Owner) {
        let (me, hub) = (self.shared.settings.name.as_str(), owner.hub.clone());
        let is_mine = hub.as_deref() == Some(me);
        let (before, is_given) = {
            let mut view = self.shared.view();
            (view.set(&device, owner), !is_mine && view.given(&device))
        };
        let was_mine = before.hub.as_deref() == Some(me);
        if hub.is_some() {
            self.orphans.remove(&device);
        }
        self.is_open |= !is_mine;
        let is_known = self.devices.contains(&device);
        // a device that has just lost its hub needs no look at all the others
        let is_next = |view: &View| view.calm().is_some_and(|calm| calm >= CALM) && view.rank(&device) == 0;
        if is_mine != is_known && (is_mine || hub.is_none() && is_next(&self.shared.view())) {
            self.queue.push(device.clone());
        }
        if before.hub == hub {
            return;
        }
        if was_mine && is_known && !is_given {
            self.shared.change(Change::Leave(device.clone(), Left(oneshot::channel().0)));
        }
        if is_mine && is_known {
            self.shared.change(Change::Take(device));
            self.shared.moved([]);
        } else {
            self.shared.moved([device]);
        }
    }

    /// Looks for devices to be claimed, and for devices that this hub should have rather than another one.
    fn look(&mut self) {
        let (me, view) = (&self.shared.settings.name, self.shared.view());
        let Some(calm) = view.calm().filter(|calm| *calm >= CALM) else { return };
        self.is_open = false;
        for device in &self.devices {
            let Owner { hub, revision } = view.entry(device);
            match hub {
                Some(hub) if *hub == **me && revision > 0 => {}
                Some(hub) if *hub == **me => self.queue.push(device.clone()),
                // one that leaves has it until it is gone
                Some(hub) if view.hub(&hub).is_some() => {
                    if view.is_live(&hub) && is_before(me, &hub, device) {
                        self.is_open = true;
                        if calm - CALM >= view.rank(device) * ASK {
                            self.wishes.push(device.clone());
                        }
                    }
                }
                _ => {
                    let waited = self.orphans.entry(device.clone()).or_default();
                    if *waited >= view.rank(device).min(4) * TURN {
                        self.queue.push(device.clone());
                    } else {
                        *waited += 1;
                        self.is_open = true;
                    }
                }
            }
        }
    }

    /// Asks other hubs for some devices, so few that a hub that comes and goes moves few of them.
    async fn ask(&mut self) {
        let Settings { name: me, prefix, .. } = &self.shared.settings;
        let mut asked: HashMap<Arc<str>, String> = HashMap::new();
        {
            let view = self.shared.view();
            if view.calm().is_none_or(|calm| calm < CALM) {
                return self.wishes.clear();
            }
            for device in self.wishes.drain(self.wishes.len().saturating_sub(ASKED)..) {
                let hub = view.entry(&device).hub.filter(|hub| view.is_live(hub) && is_before(me, hub, &device));
                if let Some(hub) = hub {
                    let text = asked.entry(hub).or_insert_with(|| me.clone());
                    text.push('\n');
                    text.push_str(&device);
                }
            }
        }
        for (hub, text) in asked {
            // an error means that the connection is closed
            _ = self.shared.nats.publish(format!("{prefix}.hub.{hub}.wanted"), text.into()).await;
        }
    }

    /// Claims a device, unless another hub has it by now; gives it back, if this hub has it and does not know it.
    fn claim(&mut self, store: &Store, device: String) {
        let (me, store) = (self.shared.settings.name.clone(), store.clone());
        let (revision, is_known) = {
            let view = self.shared.view();
            let (Owner { hub, revision }, is_known) = (view.entry(&device), self.devices.contains(&device));
            let is_mine = hub.as_deref() == Some(&me);
            let is_settled =
                if is_mine { is_known && revision > 0 } else { hub.is_some_and(|hub| view.hub(&hub).is_some()) };
            if is_settled {
                return;
            }
            (revision, is_known)
        };
        self.puts.push(Box::pin(async move {
            if !is_known {
                // an error means that it is no longer the device of this hub, or that it is given back after the next interruption
                _ = store.delete_expect_revision(device, Some(revision)).await;
                return Put::Done;
            }
            match store.update(device, me.into(), revision).await {
                // another hub was faster, and the bucket will say so
                Err(error) if error.kind() != UpdateErrorKind::WrongLastRevision => Put::Failed,
                _ => Put::Done,
            }
        }));
    }

    /// Another hub should have some devices of this hub, and asks for them.
    fn give(&mut self, store: &Store, message: &[u8]) {
        let mut lines = str::from_utf8(message).unwrap_or_default().lines();
        let Some(hub) = lines.next() else { return };
        for device in lines {
            let revision = {
                let mut view = self.shared.view();
                let is_better = view.is_live(hub) && is_before(hub, &self.shared.settings.name, device);
                if !is_better || !view.give(device) {
                    continue;
                }
                view.entry(device).revision
            };
            let (left, is_left) = oneshot::channel();
            self.shared.change(Change::Leave(device.to_owned(), Left(left)));
            let (store, device) = (store.clone(), device.to_owned());
            self.puts.push(Box::pin(async move {
                // an error means that it is left
                _ = timeout(GRACE, is_left).await;
                match store.delete_expect_revision(&device, Some(revision)).await {
                    Ok(()) => Put::Done,
                    Err(_) => Put::NotGiven(device),
                }
            }));
        }
    }
}
