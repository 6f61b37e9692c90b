//! A device of the bridge or of the hub: its connection, its state, and its methods as tools.

mod flight;
mod link;
mod methods;
mod tool;

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use futures_util::Stream;
use nanojsonrpc::mcp::method;
use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc::{ErrorCode, ErrorObject, RawValue};
use nanojsonrpc_tokio::{CallError, Client, ExponentialBuilder, Message, Missed, error_object};
use serde_json::Value;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::{Instant, timeout_at};
use wildmatch::WildMatch;

use crate::address::Address;
use crate::peer::Peer;
use crate::print::line;
use flight::Flight;
pub(crate) use link::State;
use link::{Link, open};
pub(crate) use tool::{NO_ARGUMENTS, Tool};
use tool::{PREFIX, last, plain};

/// The device has no connection. The call was not sent.
pub(crate) const AWAY: ErrorCode = ErrorCode(-32005);
/// The connection was lost after the call was sent.
pub(crate) const LOST: ErrorCode = ErrorCode(-32006);
/// Too many calls wait.
const BUSY: (ErrorCode, &str) = (ErrorCode(-32000), "Device is busy");
/// The outcome of a call whose caller no longer waits, for counts and traffic.
const GONE: (ErrorCode, &str) = (LOST, "The caller has gone");
/// The time for the last texts of a connection.
const CLOSING: Duration = Duration::from_secs(1);

/// An error, with the reason.
fn error((code, message): (ErrorCode, &str), reason: Option<&str>) -> OwnedErrorObject {
    error_object(&ErrorObject { code, message: message.into(), data: reason })
}

/// The answer to a call whose connection was lost after it was sent.
pub(crate) fn lost(reason: &str) -> OwnedErrorObject {
    error((LOST, "Connection lost after the call was sent; it may have run"), Some(reason))
}

/// The answer to a call that the device has not answered in time.
pub(crate) fn late() -> OwnedErrorObject {
    error((ErrorCode::TIMED_OUT, "Request timed out"), None)
}

/// The answer to a call of a device without a connection.
pub(crate) fn away(reason: &str) -> OwnedErrorObject {
    error((AWAY, "Device is away"), Some(&line(reason.as_bytes())))
}

/// How calls of a device are treated.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// The calls that the device has at once.
    pub(crate) calls: usize,
    /// The calls that wait for them. More are refused.
    pub(crate) queue: usize,
    /// The methods that are safe to repeat.
    pub(crate) repeat: Vec<WildMatch>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { calls: 32, queue: 256, repeat: Vec::new() }
    }
}

/// The end of a call.
pub(crate) struct Seen<'s> {
    pub(crate) method: &'s str,
    pub(crate) params: Option<RawValue<'s>>,
    pub(crate) user: &'s str,
    pub(crate) time: Duration,
    /// `Ok(None)` for a notification.
    pub(crate) outcome: &'s Result<Option<Message>, OwnedErrorObject>,
}

type Outcome = Result<Message, OwnedErrorObject>;

/// What a hub does for its devices.
pub(crate) trait Around: Send + Sync {
    /// Calls a device to which another hub is connected.
    fn elsewhere<'c>(&'c self, call: Elsewhere<'c>) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'c>>;
    /// A call has ended.
    fn seen(&self, device: &Device, seen: &Seen<'_>);
}

/// A call for another hub.
pub(crate) struct Elsewhere<'c> {
    pub(crate) device: &'c str,
    pub(crate) method: &'c str,
    pub(crate) params: Option<RawValue<'c>>,
    pub(crate) may_repeat: bool,
    pub(crate) until: Instant,
}

/// The calls and notifications since the start.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) calls: AtomicU64,
    pub(crate) errors: AtomicU64,
    pub(crate) notifications: AtomicU64,
}

/// A device, and its connection.
pub(crate) struct Device {
    /// As the user calls it.
    pub(crate) name: String,
    prefix: String,
    pub(crate) peer: Peer,
    client: Client,
    link: Arc<Link>,
    limits: Limits,
    /// For all calls, and for those that the device has.
    places: Arc<Semaphore>,
    running: Arc<Semaphore>,
    pub(crate) counts: Counts,
    around: OnceLock<Arc<dyn Around>>,
    /// The document of OpenRPC that describes it.
    document: Mutex<Option<Value>>,
}

/// A peer as clients see it: its name, or its address without what may be a secret.
fn shown(peer: &Peer) -> String {
    if Address::is_address(&peer.name) { peer.address.public() } else { peer.name.clone() }
}

impl Device {
    /// Begins to connect to all `peers`.
    pub(crate) fn all(peers: Vec<Peer>) -> Vec<Arc<Self>> {
        let mut prefixes: Vec<String> = Vec::new();
        let devices = peers.into_iter().map(|peer| {
            let text = shown(&peer);
            let base = last(&plain(&text), PREFIX).trim_start_matches(['_', '-']).to_owned();
            let base = if base.is_empty() { "device".to_owned() } else { base };
            let numbered = (2..).map(|number| format!("{base}_{number}"));
            let prefix = std::iter::once(base.clone()).chain(numbered).find(|prefix| !prefixes.contains(prefix));
            let prefix = prefix.unwrap_or_default();
            prefixes.push(prefix.clone());
            Arc::new(Self::new(text, prefix, peer, Limits::default(), true))
        });
        devices.collect()
    }

    /// Begins to connect, if it is wanted.
    pub(crate) fn new(name: String, prefix: String, peer: Peer, limits: Limits, is_wanted: bool) -> Self {
        let link = Arc::new(Link {
            name: name.clone(),
            begun: Notify::new(),
            is_new: AtomicBool::new(true),
            tried: watch::Sender::new(false),
            state: watch::Sender::new((State::Connecting, SystemTime::now())),
            is_wanted: watch::Sender::new(is_wanted),
        });
        let waits = ExponentialBuilder::default().with_min_delay(Duration::from_millis(100));
        let waits = waits.with_max_delay(Duration::from_secs(5)).without_max_times();
        let client = Client::reconnecting(
            {
                let (peer, link) = (peer.clone(), Arc::clone(&link));
                move || open(peer.clone(), Arc::clone(&link))
            },
            waits,
            peer.options.clone(),
        );
        Self {
            name,
            prefix,
            peer,
            client,
            link,
            places: Arc::new(Semaphore::new(limits.calls.saturating_add(limits.queue))),
            running: Arc::new(Semaphore::new(limits.calls)),
            limits,
            counts: Counts::default(),
            around: OnceLock::new(),
            document: Mutex::default(),
        }
    }

    /// Names the hub around it.
    pub(crate) fn enter(&self, around: Arc<dyn Around>) {
        // an error means that it is in a hub
        _ = self.around.set(around);
    }

    pub(crate) const fn is_mcp(&self) -> bool {
        self.peer.is_mcp
    }

    /// Connects, or leaves the device to another hub.
    pub(crate) fn want(&self, is_wanted: bool) {
        self.link.is_wanted.send_replace(is_wanted);
    }

    /// Whether this program connects to it.
    pub(crate) fn is_here(&self) -> bool {
        *self.link.is_wanted.borrow()
    }

    /// Its state now, and whenever it changes.
    pub(crate) fn state(&self) -> watch::Receiver<(State, SystemTime)> {
        self.link.state.subscribe()
    }

    /// The calls that have no answer yet.
    pub(crate) fn in_flight(&self) -> usize {
        self.limits.calls.saturating_add(self.limits.queue).saturating_sub(self.places.available_permits())
    }

    /// The document that describes it, as far as it has been read.
    pub(crate) fn document(&self) -> Option<Value> {
        self.document.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn describe(&self, document: Option<Value>) {
        *self.document.lock().unwrap_or_else(PoisonError::into_inner) = document;
    }

    /// The notifications of the device.
    pub(crate) fn notifications(&self) -> impl Stream<Item = Result<Message, Missed>> + use<> {
        self.client.notifications()
    }

    /// Calls a tool, within the time of the device. The error is its own, or tells why there is no answer.
    pub(crate) async fn call(&self, user: &str, tool: &Tool, arguments: RawValue<'_>) -> Outcome {
        let invalid = |fault: String| {
            OwnedErrorObject::from(ErrorObject::new(ErrorCode::INVALID_PARAMS, &format!("Invalid params: {fault}")))
        };
        let (method, params) = tool.call(arguments).map_err(invalid)?;
        let params = params.as_ref().and_then(|params| RawValue::parse(params.as_bytes()).ok());
        self.request(user, &method, params).await
    }

    /// Calls a method of the device, or a tool of an MCP server.
    pub(crate) async fn invoke(&self, user: &str, method: &str, params: Option<RawValue<'_>>) -> Outcome {
        if !self.is_mcp() || !self.is_here() {
            return self.request(user, method, params).await;
        }
        let text = Tool::of_server(method, params.unwrap_or(NO_ARGUMENTS));
        let params = RawValue::parse(text.as_bytes()).ok();
        self.request_as(user, method, method::TOOLS_CALL, params).await
    }

    async fn request(&self, user: &str, method: &str, params: Option<RawValue<'_>>) -> Outcome {
        self.request_as(user, method, method, params).await
    }

    /// Calls `method` of the device, which users know by `name`, within its time and its limits.
    async fn request_as(&self, user: &str, name: &str, method: &str, params: Option<RawValue<'_>>) -> Outcome {
        let begun = Instant::now();
        let until = begun.checked_add(self.peer.timeout).unwrap_or(begun);
        let mut flight = Flight { device: self, user, name, params, begun, until, permits: None, has_ended: false };
        let outcome = match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => match timeout_at(until, Arc::clone(&self.running).acquire_owned()).await {
                Ok(Ok(running)) => {
                    flight.permits = Some((place, running));
                    self.attempts(method, params, until).await
                }
                Ok(Err(_)) | Err(_) => Err(late()),
            },
            Err(_) => Err(error(BUSY, None)),
        };
        flight.end(&outcome);
        outcome
    }

    /// Calls the device, again after a lost connection if the method is safe to repeat.
    async fn attempts(&self, method: &str, params: Option<RawValue<'_>>, until: Instant) -> Outcome {
        let may_repeat = self.limits.repeat.iter().any(|pattern| pattern.matches(method));
        let mut state = self.state();
        loop {
            if let Some(around) = self.around.get().filter(|_| !self.is_here()) {
                return around.elsewhere(Elsewhere { device: &self.name, method, params, may_repeat, until }).await;
            }
            let settled = |(state, _): &(State, SystemTime)| match state {
                State::Up => true,
                // otherwise it is about to connect
                State::Elsewhere => !self.is_here(),
                State::Down(_) => !may_repeat,
                State::Connecting => false,
            };
            // this device never closes before its calls, so an error means that it is late
            let is_late = !matches!(timeout_at(until, state.wait_for(settled)).await, Ok(Ok(_)));
            match &state.borrow().0 {
                State::Down(fault) => return Err(away(fault)),
                _ if is_late => return Err(late()),
                State::Elsewhere => continue,
                _ => {}
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.client.request_within(left, method, &params).await {
                Ok(answer) => return Ok(answer),
                Err(CallError::Closed(_)) if may_repeat && !self.client.is_closed() => {}
                Err(CallError::Closed(reason)) => {
                    return Err(lost(&reason.to_string()));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Sends a notification, if there is a connection that takes it now: nobody waits for the outcome, and late it could do harm.
    pub(crate) async fn notify(&self, user: &str, method: &str, params: Option<RawValue<'_>>) {
        let begun = Instant::now();
        let is_up = self.link.state.borrow().0 == State::Up;
        let until = begun.checked_add(self.peer.timeout).unwrap_or(begun);
        let flight = Flight { device: self, user, name: method, params, begun, until, permits: None, has_ended: false };
        let outcome = match self.running.try_acquire() {
            _ if !is_up => Err(away("the notification is dropped")),
            Err(_) => Err(error(BUSY, None)),
            Ok(_running) => match timeout_at(until, self.client.notify(method, &params)).await {
                Ok(sent) => sent.map_err(OwnedErrorObject::from).map(|()| None),
                Err(_) => Err(late()),
            },
        };
        flight.end_as(&outcome);
    }

    /// Ends the connection for good.
    pub(crate) async fn close(&self) {
        // a device that takes nothing ends with the program
        _ = tokio::time::timeout(CLOSING, self.client.close()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_shown_to_clients() {
        for (address, expected) in [
            ("ws://me:secret@lamp.local/rpc?token=secret", "ws://lamp.local/rpc"),
            ("serial:///dev/ttyACM0", "serial:///dev/ttyACM0"),
            ("exec:/usr/bin/lamp --token secret", "lamp"),
            ("unix:/run/lamp.sock", "unix:/run/lamp.sock"),
        ] {
            let peer = Peer::find(address, &crate::args::PeerOptions::default()).expect("a peer");
            assert_eq!(shown(&peer), expected);
        }
    }
}
