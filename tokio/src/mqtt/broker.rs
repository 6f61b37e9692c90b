//! One connection to a broker.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use nanojsonrpc::broker::TopicError;
use nanojsonrpc::broker::mqtt::Publish as Message;
use rumqttc::Outgoing;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{LastWill, Packet, PublishProperties, SubscribeProperties, SubscribeReasonCode};
use rumqttc::v5::{AsyncClient, ClientError, Event, EventLoop, MqttOptions};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::registry::{Delivered, Registry};
use crate::codec::MAX_LEN;

/// The packets that wait for the connection. More wait in their tasks.
const WAITING: usize = 256;
/// The shortest and the longest wait between attempts to connect.
const WAITS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// The time for the last packets.
const CLOSING: Duration = Duration::from_secs(5);

/// A connection to a broker, made again whenever it ends. Clones share it. It ends with [`close`](Self::close), or with the last clone:
/// then the broker publishes its last will.
///
/// # Limits
/// Received packets: [`MAX_LEN`], unless `options` set another limit.
#[derive(Clone)]
pub struct Broker(Arc<Inner>);

struct Inner {
    client: AsyncClient,
    registry: Arc<Registry>,
    /// The number of the connection; `None` while there is none.
    up: watch::Receiver<Option<u64>>,
    presence: Option<String>,
    task: AbortHandle,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The presence to publish after each connect.
type Online = Option<(String, Bytes)>;

impl Broker {
    /// Connects in a task of its own.
    ///
    /// # Panics
    /// Outside of a runtime of tokio.
    pub fn connect(options: MqttOptions) -> Self {
        Self::start(options, None)
    }

    /// [`connect`](Self::connect) with a presence: `message` is retained on `topic` while the connection is up. The last will removes it.
    ///
    /// # Errors
    /// An invalid topic.
    ///
    /// # Panics
    /// Outside of a runtime of tokio.
    pub fn connect_as(mut options: MqttOptions, topic: &str, message: impl Into<Bytes>) -> Result<Self, TopicError> {
        let will = Message::cleared(topic)?;
        options.set_last_will(LastWill::new(will.topic, will.payload, QoS::AtLeastOnce, will.is_retained, None));
        Ok(Self::start(options, Some((topic.to_owned(), message.into()))))
    }

    fn start(mut options: MqttOptions, online: Online) -> Self {
        if options.max_packet_size().is_none() {
            options.set_max_packet_size(u32::try_from(MAX_LEN).ok());
        }
        let (client, events) = AsyncClient::new(options, WAITING);
        let (registry, (sender, up)) = (Arc::new(Registry::default()), watch::channel(None));
        let presence = online.as_ref().map(|(topic, _)| topic.clone());
        let task = tokio::spawn(run(events, client.clone(), Arc::clone(&registry), sender, online)).abort_handle();
        Self(Arc::new(Inner { client, registry, up, presence, task }))
    }

    /// Waits until the connection is up.
    pub async fn ready(&self) {
        // an error means that it is closed
        _ = self.up().wait_for(Option::is_some).await;
    }

    /// Removes the presence and disconnects: services, clients and presences of this connection end.
    pub async fn close(&self) {
        let closing = async {
            if let Some(topic) = &self.0.presence {
                // an error means that it is closed
                _ = self.0.client.publish(topic, QoS::AtLeastOnce, true, Bytes::new()).await;
            }
            _ = self.0.client.disconnect().await;
            let mut up = self.up();
            while up.changed().await.is_ok() {}
        };
        if timeout(CLOSING, closing).await.is_err() {
            self.0.task.abort();
            self.0.registry.close();
        }
    }

    pub(super) fn up(&self) -> watch::Receiver<Option<u64>> {
        self.0.up.clone()
    }

    pub(super) async fn publish(
        &self,
        topic: &str,
        payload: Bytes,
        properties: PublishProperties,
    ) -> Result<(), ClientError> {
        self.0.client.publish_bytes_with_properties(topic, QoS::AtLeastOnce, false, payload, properties).await
    }

    /// Subscribes, now and after each interruption. The filter is valid.
    pub(super) async fn subscribe(&self, filter: &str) -> Subscription {
        let (number, id, messages) = self.0.registry.add(filter);
        let subscription = Subscription { broker: self.clone(), number, messages };
        let is_up = self.0.up.borrow().is_some();
        // otherwise that is done after connecting
        if is_up {
            subscribe(&self.0.client, filter.to_owned(), id).await;
        }
        subscription
    }
}

async fn subscribe(client: &AsyncClient, filter: String, id: usize) {
    let properties = SubscribeProperties { id: Some(id), user_properties: Vec::new() };
    if let Err(error) = client.subscribe_with_properties(filter, QoS::AtLeastOnce, properties).await {
        tracing::error!("not subscribed: {error}");
    }
}

/// Received messages. Dropping it unsubscribes.
pub(super) struct Subscription {
    broker: Broker,
    number: usize,
    messages: mpsc::Receiver<Delivered>,
}

impl Subscription {
    /// The next message; `None` when the connection is closed.
    pub(super) async fn next(&mut self) -> Option<Delivered> {
        self.messages.recv().await
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(filter) = self.broker.0.registry.remove(self.number) {
            // if that fails, messages without a subscriber are dropped
            _ = self.broker.0.client.try_unsubscribe(filter);
        }
    }
}

async fn run(
    mut events: EventLoop,
    client: AsyncClient,
    registry: Arc<Registry>,
    up: watch::Sender<Option<u64>>,
    online: Online,
) {
    let (mut connections, mut wait, mut is_closing) = (0_u64, WAITS.0, false);
    loop {
        match events.poll().await {
            Ok(Event::Incoming(Packet::ConnAck(_))) => {
                (connections, wait) = (connections.saturating_add(1), WAITS.0);
                up.send_replace(Some(connections));
                let (client, filters, online) = (client.clone(), registry.filters(), online.clone());
                // this task must not wait for itself
                tokio::spawn(async move {
                    for (filter, id) in filters {
                        subscribe(&client, filter, id).await;
                    }
                    if let Some((topic, message)) = online {
                        if let Err(error) = client.publish_bytes(topic, QoS::AtLeastOnce, true, message).await {
                            tracing::error!("presence not published: {error}");
                        }
                    }
                });
            }
            Ok(Event::Incoming(Packet::Publish(publish))) => registry.dispatch(&publish),
            Ok(Event::Incoming(Packet::SubAck(ack))) => {
                for code in ack.return_codes {
                    if !matches!(code, SubscribeReasonCode::Success(_)) {
                        tracing::error!("not subscribed: {code:?}");
                    }
                }
            }
            // Read to the end: bytes that nobody reads reset the connection, and a broker that sees a reset publishes the last will.
            Ok(Event::Outgoing(Outgoing::Disconnect)) => is_closing = true,
            Ok(_) => {}
            Err(_) if is_closing => return registry.close(),
            Err(error) => {
                if up.send_replace(None).is_some() {
                    registry.interrupt();
                }
                tracing::info!("no connection to the broker: {error}");
                sleep(wait).await;
                wait = wait.saturating_mul(2).min(WAITS.1);
            }
        }
    }
}

impl fmt::Debug for Broker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Broker").field("connection", &*self.0.up.borrow()).finish_non_exhaustive()
    }
}
