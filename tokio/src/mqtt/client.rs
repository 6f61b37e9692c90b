//! Clients of services.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::sync::Arc;

use bytes::{BufMut as _, Bytes, BytesMut};
use futures_util::{sink, stream};
use nanojsonrpc::broker::TopicError;
use nanojsonrpc::broker::mqtt::Publish as Message;
use rumqttc::v5::mqttbytes::v5::PublishProperties;

use super::Broker;
use super::broker::Subscription;
use crate::codec::Received;
use crate::ends::{Ends, has_request, received};
use crate::peers::WAITS;
use crate::{Client, Options, Text, Transport};

/// A random number.
pub(super) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

impl Broker {
    /// A client of the service on the topic `requests`. Answers come to the topic `answers`; notifications on it are those of
    /// [`Client::notifications`]. Clients may share the topic of answers.
    ///
    /// Calls in flight end with [`CallError::Closed`](crate::CallError::Closed) when the connection is interrupted; later calls wait until it
    /// is up again, for at most their [patience](Options::patience), which is also the time for which the broker keeps the call. Without a
    /// service on the topic, a call is [late](crate::CallError::Late).
    ///
    /// # Errors
    /// An invalid topic.
    ///
    /// # Panics
    /// Outside of a runtime of tokio.
    pub fn client(&self, requests: &str, answers: &str, options: Options) -> Result<Client, TopicError> {
        let caller = Caller::new(self, requests, answers, &options)?;
        Ok(Client::reconnecting(move || Arc::clone(&caller).open(), WAITS, options))
    }

    /// The texts of a [`client`](Self::client), without its calls: for a program that passes messages on, or shows them. Waits until the
    /// connection is up; it ends when the connection is interrupted.
    ///
    /// # Errors
    /// An invalid topic, or the broker is [closed](Self::close).
    pub async fn transport(
        &self,
        requests: &str,
        answers: &str,
        options: &Options,
    ) -> io::Result<impl Transport + use<>> {
        let caller = Caller::new(self, requests, answers, options);
        caller.map_err(super::invalid)?.open().await
    }
}

struct Caller {
    broker: Broker,
    requests: String,
    answers: String,
    options: Options,
}

/// What receives the answers.
struct Receiving {
    caller: Arc<Caller>,
    answers: Subscription,
    /// The front of the correlation data of each call.
    key: u64,
}

impl Caller {
    fn new(broker: &Broker, requests: &str, answers: &str, options: &Options) -> Result<Arc<Self>, TopicError> {
        Message::call(requests, b"", answers, b"", None)?;
        let (requests, answers) = (requests.to_owned(), answers.to_owned());
        Ok(Arc::new(Self { broker: broker.clone(), requests, answers, options: options.clone() }))
    }

    async fn open(self: Arc<Self>) -> io::Result<Ends> {
        self.broker.up().wait_for(Option::is_some).await.map_err(|_| closed())?;
        let key = random();
        let answers = self.broker.subscribe(&self.answers).await;
        let sink = sink::unfold((Arc::clone(&self), key, 0_u64), async |(caller, key, number), text: Bytes| {
            caller.publish(key, number, text).await?;
            Ok((caller, key, number.wrapping_add(1)))
        });
        let receiving = Receiving { caller: self, answers, key };
        let stream = stream::unfold(receiving, async |mut receiving| Some((receiving.next().await, receiving)));
        Ok(Ends { stream: Box::pin(stream), sink: Box::pin(sink) })
    }

    async fn publish(&self, key: u64, number: u64, text: Bytes) -> io::Result<()> {
        let mut properties = PublishProperties::default();
        if has_request(&Text::parse(text.clone(), self.options.dialect)) {
            let mut correlation = BytesMut::new();
            correlation.put_u64(key);
            correlation.put_u64(number);
            properties.response_topic = Some(self.answers.clone());
            properties.correlation_data = Some(correlation.freeze());
            // rounded up, so that no call expires that its caller still waits for
            let patience = self.options.patience.as_secs().saturating_add(1);
            properties.message_expiry_interval = u32::try_from(patience).ok();
        }
        self.broker.publish(&self.requests, text, properties).await.map_err(|_| closed())
    }
}

impl Receiving {
    async fn next(&mut self) -> io::Result<Received> {
        loop {
            let publish = self.answers.next().await.ok_or_else(closed)?.ok_or(io::ErrorKind::ConnectionReset)?;
            let correlation = publish.properties.and_then(|properties| properties.correlation_data);
            // the answer to another client on the same topic; a server that sends no data answers by the id alone
            if correlation.is_some_and(|correlation| !correlation.starts_with(&self.key.to_be_bytes())) {
                continue;
            }
            return Ok(received(publish.payload, &self.caller.options));
        }
    }
}

fn closed() -> io::Error {
    io::ErrorKind::NotConnected.into()
}
