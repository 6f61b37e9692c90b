//! Services on topics.

use std::collections::HashSet;
use std::future::{Future, ready};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{BufMut as _, Bytes, BytesMut};
use nanojsonrpc::broker::mqtt::{ANSWER_LOST, check_filter, check_topic, shared};
use nanojsonrpc::broker::{Recent, StoredAnswer};
use rumqttc::v5::mqttbytes::v5::{Publish, PublishProperties};
use tokio::time::Instant;
use tower::service_fn;

use super::client::random;
use super::{Broker, MAX_TOPIC, invalid};
use crate::ends::received;
use crate::once::once_received;
use crate::peers::{Answer, Answering, GRACE};
use crate::{BoxError, CallService, Options, Response};

/// Serves a service of calls, such as [`Methods`](crate::Methods), on a topic. See the [module](super).
///
/// # Duplicates
/// A message that the broker marks as delivered again (DUP), with the packet identifier, response topic, correlation data and payload of an
/// earlier one, calls no handler: the first answer is published again, or [`ANSWER_LOST`] if the last 256 calls and 64 KiB of answers no
/// longer have it. A message is acknowledged when it is received, before its handler is called: a call whose process is killed is not
/// delivered again.
///
/// # Limits
/// Those of [`Options`], with these differences: [`calls`](Options::calls) and [`queue`](Options::queue) count messages, where a batch is
/// one; [`idle`](Options::idle), [`rate`](Options::rate) and [`cancelled_by`](Options::cancelled_by) have no effect. The
/// [peer](crate::Request::peer) of a request is a closed handle.
#[derive(Debug)]
#[must_use]
pub struct Server<S> {
    service: S,
    options: Options,
    group: Option<String>,
    grace: Duration,
}

impl<S> Server<S> {
    /// Serves `service`.
    pub const fn new(service: S) -> Self {
        Self { service, options: Options::new(), group: None, grace: GRACE }
    }

    /// The limits and rules.
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Shares the subscription with a group: the broker gives each message to one member, so several processes share the calls.
    pub fn group(self, name: impl Into<String>) -> Self {
        Self { group: Some(name.into()), ..self }
    }

    /// The time for the calls in flight at the end; 10 s by default.
    pub fn grace(self, time: Duration) -> Self {
        Self { grace: time, ..self }
    }
}

impl<S> Server<S>
where
    S: CallService,
{
    /// Answers the messages of `topic`, which may have wildcards, until `stop` is done. Then it answers what it has received, for at most the
    /// [grace](Self::grace), and returns. The connection may be interrupted meanwhile.
    ///
    /// # Errors
    /// An invalid topic or name of the group; [`io::ErrorKind::NotConnected`] if the connection was [closed](Broker::close).
    pub async fn serve(self, broker: &Broker, topic: &str, stop: impl Future<Output = ()> + Send) -> io::Result<()> {
        let filter = match &self.group {
            Some(group) => shared::<MAX_TOPIC>(group, topic).map_err(invalid)?.as_str().to_owned(),
            None => topic.to_owned(),
        };
        check_filter(&filter).map_err(invalid)?;
        let mut messages = broker.subscribe(&filter).await;
        let mut stop = std::pin::pin!(stop);
        let seen = Arc::new(Seen::new());
        let mut answering = Answering::new(self.service, self.options.clone());
        let outcome = loop {
            let publish = tokio::select! {
                () = &mut stop => break Ok(()),
                publish = messages.next() => publish,
            };
            let publish = match publish {
                Some(Some(publish)) => publish,
                Some(None) => continue,
                None => break Err(io::ErrorKind::NotConnected.into()),
            };
            let Some((delivery, payload)) = Delivery::new(broker, publish) else { continue };
            let Some(first) = seen.find(&delivery) else {
                let seen = Arc::clone(&seen);
                let publish = move |answer: Answer| async move {
                    seen.insert(&delivery, &answer);
                    delivery.publish(answer.text).await;
                };
                answering.answer(payload, publish).await;
                continue;
            };
            match first {
                First::Kept(answer) => delivery.publish(Some(answer)).await,
                First::Lost => {
                    let lost = service_fn(|_| ready(Result::<_, BoxError>::Ok(Response::error(ANSWER_LOST))));
                    delivery.publish(once_received(received(payload, &self.options), lost, &self.options).await).await;
                }
                First::Running | First::Silent => tracing::debug!("duplicate"),
            }
        };
        drop(messages);
        answering.finish(self.grace).await;
        outcome
    }
}

/// What a message says about its answer.
struct Delivery {
    broker: Broker,
    response_topic: Option<String>,
    correlation: Option<Bytes>,
    expiry: Option<u32>,
    at: Instant,
    /// All that makes a second delivery equal; `None` for QoS 0.
    key: Option<Bytes>,
    is_dup: bool,
}

impl Delivery {
    /// Splits a message from its payload; `None` if it is dropped.
    fn new(broker: &Broker, publish: Publish) -> Option<(Self, Bytes)> {
        let properties = publish.properties.unwrap_or_default();
        if publish.retain || properties.message_expiry_interval == Some(0) {
            tracing::debug!("dropped: retained or expired");
            return None;
        }
        let response_topic = properties.response_topic.filter(|topic| check_topic(topic).is_ok());
        let key = (publish.pkid != 0).then(|| {
            let correlation = properties.correlation_data.as_deref().unwrap_or_default();
            let mut key = BytesMut::new();
            key.put_u16(publish.pkid);
            for part in [response_topic.as_deref().unwrap_or_default().as_bytes(), correlation, &publish.payload] {
                key.put_u64(part.len() as u64);
                key.put_slice(part);
            }
            key.freeze()
        });
        let delivery = Self {
            broker: broker.clone(),
            response_topic,
            correlation: properties.correlation_data,
            expiry: properties.message_expiry_interval,
            at: Instant::now(),
            key,
            is_dup: publish.dup,
        };
        Some((delivery, publish.payload))
    }

    /// Publishes an answer. It expires with the call.
    async fn publish(&self, answer: Option<Bytes>) {
        let Some(answer) = answer else { return };
        let Some(topic) = &self.response_topic else {
            return tracing::debug!("answer to a call without a response topic");
        };
        let waited = u32::try_from(self.at.elapsed().as_secs()).unwrap_or(u32::MAX);
        let expiry = self.expiry.map(|expiry| expiry.saturating_sub(waited));
        if expiry == Some(0) {
            return tracing::debug!("answer to a call that has expired");
        }
        let properties = PublishProperties {
            correlation_data: self.correlation.clone(),
            message_expiry_interval: expiry,
            ..PublishProperties::default()
        };
        if let Err(error) = self.broker.publish(topic, answer, properties).await {
            tracing::warn!("answer not sent: {error}");
        }
    }
}

/// The calls that run, and the recent ones with their answers.
struct Seen(Mutex<(HashSet<Bytes>, Box<Recent<256, 65_536>>)>);

/// What the first delivery of a message got.
enum First {
    /// Its handlers run: their answer follows.
    Running,
    Kept(Bytes),
    Silent,
    Lost,
}

impl Seen {
    fn new() -> Self {
        Self(Mutex::new((HashSet::new(), Box::new(Recent::new().keyed_by(random())))))
    }

    fn lock(&self) -> MutexGuard<'_, (HashSet<Bytes>, Box<Recent<256, 65_536>>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first delivery of a duplicate. `None` for any other message, which is noted.
    fn find(&self, delivery: &Delivery) -> Option<First> {
        let key = delivery.key.as_ref()?;
        let (running, recent) = &mut *self.lock();
        if delivery.is_dup {
            if running.contains(key) {
                return Some(First::Running);
            }
            match recent.find(&[key]) {
                Some(StoredAnswer::Kept(answer)) => return Some(First::Kept(Bytes::copy_from_slice(answer))),
                Some(StoredAnswer::Silent) => return Some(First::Silent),
                Some(_) => return Some(First::Lost),
                None => {}
            }
        }
        running.insert(key.clone());
        None
    }

    /// Ends a call. One without a place may be delivered again.
    fn insert(&self, delivery: &Delivery, answer: &Answer) {
        let Some(key) = &delivery.key else { return };
        let (running, recent) = &mut *self.lock();
        running.remove(key);
        if answer.has_run {
            recent.insert(&[key], answer.text.as_deref());
        }
    }
}
