//! The presence of peers.

use bytes::Bytes;
use futures_util::stream::{Stream, unfold};
use nanojsonrpc::broker::TopicError;
use nanojsonrpc::broker::mqtt::check_filter;

use super::Broker;

/// A change of presence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Presence {
    /// A peer is connected: the topic and its retained message.
    Online(String, Bytes),
    /// The peer with this topic has disconnected, or the broker has lost it.
    Offline(String),
    /// The connection of this program was interrupted, so the earlier changes no longer hold. An `Online` follows for each peer that is online.
    Interrupted,
}

impl Broker {
    /// The presences of the peers whose topics match `filter`, such as `home/+/presence`: first those that are online, then each change.
    /// The stream ends with the connection.
    ///
    /// # Errors
    /// An invalid filter.
    pub async fn presence(&self, filter: &str) -> Result<impl Stream<Item = Presence> + Send + use<>, TopicError> {
        check_filter(filter)?;
        let messages = self.subscribe(filter).await;
        Ok(unfold(messages, async |mut messages| {
            loop {
                let Some(publish) = messages.next().await? else { return Some((Presence::Interrupted, messages)) };
                let Ok(topic) = String::from_utf8(publish.topic.to_vec()) else { continue };
                let presence = match publish.payload {
                    empty if empty.is_empty() => Presence::Offline(topic),
                    message => Presence::Online(topic, message),
                };
                return Some((presence, messages));
            }
        }))
    }
}
