//! The subscriptions of a connection, which outlive its interruptions.

use std::sync::{Mutex, MutexGuard, PoisonError};

use nanojsonrpc::broker::mqtt::matches;
use rumqttc::v5::mqttbytes::v5::Publish;
use tokio::sync::mpsc;

/// The messages that wait for a subscriber. It reads quickly: it only starts tasks.
const WAITING: usize = 4096;

/// Filters with their subscribers.
#[derive(Debug, Default)]
pub(super) struct Registry(Mutex<Subscriptions>);

#[derive(Debug, Default)]
struct Subscriptions {
    filters: Vec<Filter>,
    next: usize,
    is_closed: bool,
}

/// A message, or `None` for an interruption of the connection.
pub(super) type Delivered = Option<Publish>;

/// A filter with the identifier of its subscription (MQTT 5 §3.8.2.1.2).
#[derive(Debug)]
struct Filter {
    id: usize,
    text: String,
    subscribers: Vec<(usize, mpsc::Sender<Delivered>)>,
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, Subscriptions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a subscriber. Returns its number, and the identifier of the subscription.
    pub(super) fn add(&self, filter: &str) -> (usize, usize, mpsc::Receiver<Delivered>) {
        let (sender, receiver) = mpsc::channel(WAITING);
        let subscriptions = &mut *self.lock();
        // 0 is no identifier
        subscriptions.next = subscriptions.next.saturating_add(1);
        let number = subscriptions.next;
        if subscriptions.is_closed {
            return (number, number, receiver);
        }
        let id = match subscriptions.filters.iter_mut().find(|known| known.text == filter) {
            Some(known) => {
                known.subscribers.push((number, sender));
                known.id
            }
            None => {
                let added = Filter { id: number, text: filter.to_owned(), subscribers: vec![(number, sender)] };
                subscriptions.filters.push(added);
                number
            }
        };
        (number, id, receiver)
    }

    /// Removes a subscriber. Returns the filter if it was the last one.
    pub(super) fn remove(&self, number: usize) -> Option<String> {
        let filters = &mut self.lock().filters;
        for filter in filters.iter_mut() {
            filter.subscribers.retain(|(other, _)| *other != number);
        }
        let unused = filters.iter().position(|filter| filter.subscribers.is_empty())?;
        Some(filters.swap_remove(unused).text)
    }

    /// The filters with their identifiers, for a broker that does not know them.
    pub(super) fn filters(&self) -> Vec<(String, usize)> {
        self.lock().filters.iter().map(|filter| (filter.text.clone(), filter.id)).collect()
    }

    /// Tells the subscribers that the connection was interrupted. One that is too slow to be told ends.
    pub(super) fn interrupt(&self) {
        for filter in &mut self.lock().filters {
            filter.subscribers.retain(|(_, subscriber)| subscriber.try_send(None).is_ok());
        }
    }

    /// Ends all subscribers.
    pub(super) fn close(&self) {
        *self.lock() = Subscriptions { is_closed: true, ..Subscriptions::default() };
    }

    /// Passes a message to the subscribers of its subscription. A broker that does not name it sends one message for all filters.
    pub(super) fn dispatch(&self, publish: &Publish) {
        let Ok(topic) = std::str::from_utf8(&publish.topic) else { return };
        let ids = publish.properties.as_ref().map_or(&[][..], |properties| &properties.subscription_identifiers);
        let mut is_known = false;
        for filter in &self.lock().filters {
            if if ids.is_empty() { matches(&filter.text, topic) } else { ids.contains(&filter.id) } {
                for (_, subscriber) in &filter.subscribers {
                    is_known = true;
                    if subscriber.try_send(Some(publish.clone())).is_err() {
                        tracing::warn!(topic, "message dropped: {WAITING} wait");
                    }
                }
            }
        }
        if !is_known {
            tracing::debug!(topic, "message without a subscriber");
        }
    }
}
