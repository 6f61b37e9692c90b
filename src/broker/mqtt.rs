//! MQTT 5: topics, response topics with correlation data, retained messages, expiry, and duplicates of QoS 1.
//!
//! Source: MQTT 5.0 §3.3, §4.3, §4.7, §4.10.

use super::topic::{Part, Syntax};
use super::{Recent, StoredAnswer, Topic, TopicError, TopicErrorKind};
use crate::ascii::split_once;
use crate::json::{Output, Writer};
use crate::message::{Dialect, ErrorCode, ErrorObject};
use crate::server::route::Routes;
use crate::server::{Exchange, Observer, Processed, Server};

pub(super) const SYNTAX: Syntax =
    Syntax { separator: b'/', one: b'+', rest: b'#', allows_empty_levels: true, allows_spaces: true };

/// The front of the filter of a shared subscription (MQTT 5 §4.8.2).
const SHARE: &str = "$share/";

/// Checks the name of a topic for publishing.
///
/// ```
/// use nanojsonrpc::broker::TopicErrorKind;
/// use nanojsonrpc::broker::mqtt::check_topic;
///
/// assert!(check_topic("home/lamp/rpc").is_ok());
/// let error = check_topic("home/+/rpc").unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (TopicErrorKind::Wildcard, 5));
/// ```
///
/// # Errors
/// If `topic` is empty, exceeds 65,535 bytes, has a wildcard, a control character or a noncharacter of Unicode, or begins with `$share/`.
/// No client can subscribe to a topic that begins with `$share/`, because a filter of this form means a shared subscription.
///
/// Source: MQTT 5 §1.5.4, §4.7.3, §4.8.2.
pub fn check_topic(topic: &str) -> Result<(), TopicError> {
    SYNTAX.check(topic, false)?;
    check_unshared(topic)
}

fn check_unshared(topic: &str) -> Result<(), TopicError> {
    if topic.starts_with(SHARE) { Err(TopicError::new(TopicErrorKind::SharedSubscription, 0)) } else { Ok(()) }
}

/// Checks a topic filter for a subscription: `+` matches one level, `#` all levels that follow.
///
/// # Errors
/// As [`check_topic`], but wildcards are allowed if they fill their level, and `#` at the end only. After `$share/` come the name of a
/// group without wildcards, a `/`, and a filter that is not shared. Neither the name nor the filter may be empty.
///
/// ```
/// use nanojsonrpc::broker::TopicErrorKind;
/// use nanojsonrpc::broker::mqtt::check_filter;
///
/// assert!(check_filter("home/+/rpc").is_ok() && check_filter("$share/workers/jobs/#").is_ok());
/// let error = check_filter("$share/workers").unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (TopicErrorKind::Empty, 14));
/// ```
///
/// Source: MQTT 5 §4.7.1, §4.8.2.
pub fn check_filter(filter: &str) -> Result<(), TopicError> {
    SYNTAX.check(filter, true)?;
    let Some(shared) = filter.strip_prefix(SHARE) else { return Ok(()) };
    let (group, inner) = split_once(shared, b'/').unwrap_or((shared, ""));
    SYNTAX.check(group, false).map_err(|error| error.behind(SHARE.len()))?;
    let inner_at = filter.len().saturating_sub(inner.len());
    SYNTAX.check(inner, true).and_then(|()| check_unshared(inner)).map_err(|error| error.behind(inner_at))
}

/// Whether `filter` matches `topic`; both must be valid. A wildcard at the front matches no topic that begins with `$`. The prefix
/// `$share/group/` of a filter is ignored; an invalid shared filter matches nothing.
///
/// ```
/// use nanojsonrpc::broker::mqtt::matches;
///
/// assert!(matches("home/+/rpc", "home/lamp/rpc"));
/// assert!(matches("$share/workers/home/#", "home"));
/// assert!(!matches("#", "$SYS/uptime"));
/// ```
///
/// Source: MQTT 5 §4.7.1, §4.7.2, §4.8.2.
pub fn matches(filter: &str, topic: &str) -> bool {
    let filter = match filter.strip_prefix(SHARE).map(|shared| split_once(shared, b'/')) {
        None => filter,
        Some(Some((_, inner))) if check_filter(filter).is_ok() => inner,
        Some(_) => return false,
    };
    !(topic.starts_with('$') && filter.starts_with(['+', '#'])) && SYNTAX.matches(filter, topic)
}

/// Writes the filter of a shared subscription: the broker sends each message to one member of `group`.
///
/// ```
/// use nanojsonrpc::broker::Topic;
/// use nanojsonrpc::broker::mqtt::{check_filter, matches, shared};
///
/// let filter: Topic<64> = shared("workers", "jobs/+")?;
/// assert_eq!(filter, "$share/workers/jobs/+");
/// assert!(check_filter(&filter).is_ok() && matches(&filter, "jobs/7"));
/// # Ok::<(), nanojsonrpc::broker::TopicError>(())
/// ```
///
/// # Errors
/// As [`check_filter`], if `group` is not one level, if `filter` is shared itself, or if `N` is too short.
///
/// Source: MQTT 5 §4.8.2.
pub fn shared<const N: usize>(group: &str, filter: &str) -> Result<Topic<N>, TopicError> {
    let shared = SYNTAX.join(&[Part::Fixed("$share"), Part::Level(group), Part::Filter(filter)])?;
    check_filter(&shared)?;
    Ok(shared)
}

/// Joins the parts of a topic for publishing.
fn join<const N: usize>(parts: &[Part<'_>]) -> Result<Topic<N>, TopicError> {
    let topic = SYNTAX.join(parts)?;
    check_unshared(&topic)?;
    Ok(topic)
}

/// The topics of a peer: `{prefix}/{name}/…`. The prefix may have several levels, the name has one.
///
/// ```
/// use nanojsonrpc::broker::mqtt::Layout;
///
/// let lamp = Layout { prefix: "site/7", name: "lamp" };
/// assert_eq!(lamp.requests::<64>().unwrap(), "site/7/lamp/rpc");
/// assert_eq!(lamp.answers::<64>().unwrap(), "site/7/lamp/answers");
/// assert_eq!(lamp.presence::<64>().unwrap(), "site/7/lamp/presence");
/// assert_eq!(lamp.state::<64>("level").unwrap(), "site/7/lamp/state/level");
/// assert_eq!(lamp.requests::<14>().unwrap_err().to_string(), "topic too long at byte 14");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Layout<'t> {
    /// The levels before the name.
    pub prefix: &'t str,
    /// The name of the peer: one level.
    pub name: &'t str,
}

impl Layout<'_> {
    fn topic<const N: usize>(&self, kind: &'static str) -> Result<Topic<N>, TopicError> {
        join(&[Part::Levels(self.prefix), Part::Level(self.name), Part::Fixed(kind)])
    }

    /// The topic to which others send calls and notifications. The peer subscribes to it.
    ///
    /// # Errors
    /// As [`check_topic`], if the name has several levels, or if `N` is too short.
    pub fn requests<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        self.topic("rpc")
    }

    /// The response topic for the peer's own calls. The peer subscribes to it.
    ///
    /// # Errors
    /// As [`requests`](Self::requests).
    pub fn answers<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        self.topic("answers")
    }

    /// The presence topic. Publish [`Publish::retained`] after connecting, and set [`Publish::cleared`] as the last will.
    ///
    /// # Errors
    /// As [`requests`](Self::requests).
    pub fn presence<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        self.topic("presence")
    }

    /// The topic of a retained value of the peer. `value` has one or more levels.
    ///
    /// # Errors
    /// As [`requests`](Self::requests).
    pub fn state<const N: usize>(&self, value: &str) -> Result<Topic<N>, TopicError> {
        join(&[Part::Levels(self.prefix), Part::Level(self.name), Part::Fixed("state"), Part::Levels(value)])
    }
}

/// A message from the broker: the fields of PUBLISH that [`answer`] reads.
///
/// Source: MQTT 5 §3.3.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Delivery<'d> {
    /// The payload: one message or batch.
    pub payload: &'d [u8],
    /// Whether the broker retained the message before the subscription.
    pub is_retained: bool,
    /// Response Topic.
    pub response_topic: Option<&'d str>,
    /// Correlation Data. It comes back with the answer.
    pub correlation_data: Option<&'d [u8]>,
    /// DUP: the broker may have sent the message before.
    pub is_dup: bool,
    /// Packet Identifier, if the client of the program shows it. A message with QoS 0 has none.
    pub packet_id: Option<u16>,
    /// The time of the delivery for [`Recent::within`], in ticks of the program.
    pub now: u64,
    /// Message Expiry Interval in seconds, as received.
    pub expiry: Option<u32>,
    /// The seconds since the program received the message.
    pub waited: u32,
}

/// A message to the broker, to be published with QoS 1.
///
/// Source: MQTT 5 §3.3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Publish<'p> {
    /// The topic.
    pub topic: &'p str,
    /// The payload.
    pub payload: &'p [u8],
    /// Whether the broker retains the message for later subscribers.
    pub is_retained: bool,
    /// Response Topic.
    pub response_topic: Option<&'p str>,
    /// Correlation Data.
    pub correlation_data: Option<&'p [u8]>,
    /// Message Expiry Interval in seconds.
    pub expiry: Option<u32>,
}

impl<'p> Publish<'p> {
    /// A message that is not retained, such as a notification.
    ///
    /// # Errors
    /// As [`check_topic`].
    pub fn new(topic: &'p str, payload: &'p [u8]) -> Result<Self, TopicError> {
        check_topic(topic)?;
        Ok(Self { topic, payload, is_retained: false, response_topic: None, correlation_data: None, expiry: None })
    }

    /// A call. Its answer is published to `response_topic` with the same `correlation_data`; use different data for each call, so that a
    /// server can tell it from a second delivery. `expiry` is the time in seconds for which the caller waits.
    ///
    /// # Errors
    /// As [`check_topic`], for both topics.
    pub fn call(
        topic: &'p str,
        payload: &'p [u8],
        response_topic: &'p str,
        correlation_data: &'p [u8],
        expiry: Option<u32>,
    ) -> Result<Self, TopicError> {
        check_topic(response_topic)?;
        let correlation_data = Some(correlation_data);
        Ok(Self { response_topic: Some(response_topic), correlation_data, expiry, ..Self::new(topic, payload)? })
    }

    /// A message that the broker retains: a presence, or a value.
    ///
    /// ```
    /// use nanojsonrpc::broker::mqtt::Publish;
    ///
    /// let online = Publish::retained("lamps/7/presence", b"online")?;
    /// assert!(online.is_retained);
    /// // for the last will
    /// assert_eq!(Publish::cleared("lamps/7/presence")?.payload, b"");
    /// # Ok::<(), nanojsonrpc::broker::TopicError>(())
    /// ```
    ///
    /// # Errors
    /// As [`check_topic`].
    pub fn retained(topic: &'p str, payload: &'p [u8]) -> Result<Self, TopicError> {
        Ok(Self { is_retained: true, ..Self::new(topic, payload)? })
    }

    /// An empty message, which removes the retained one (MQTT 5 §3.3.1.3): for a last will, and before disconnecting.
    ///
    /// # Errors
    /// As [`check_topic`].
    pub fn cleared(topic: &'p str) -> Result<Self, TopicError> {
        Self::retained(topic, b"")
    }
}

/// The outcome of a received message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Outcome<'o> {
    /// Publish this answer.
    Publish(Publish<'o>),
    /// The answer to a call without a response topic, or with an invalid response topic.
    Unaddressed(&'o [u8]),
    /// There is no answer: the message holds only notifications or responses, or the server ignores it as unreadable.
    Silent,
    /// No handler was called.
    Dropped(Dropped),
}

/// The reason why no handler was called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Dropped {
    /// The message is a duplicate of an earlier one that got no answer. A duplicate of a call is answered.
    Duplicate,
    /// The message has expired: its caller no longer waits.
    Expired,
    /// The broker had retained the message, so its handler would run again at each subscription.
    Retained,
    /// The output is too short for the shortest answer to each call, or for the stored answer to a duplicate. A second delivery of the message
    /// does not count as a duplicate of this one. If a refusal with a null id fits, the outcome is that refusal.
    NoRoom,
}

/// The error that answers a duplicate of a call whose answer [`Recent`] no longer has. The handler has been called once, and its result is
/// unknown.
pub const ANSWER_LOST: ErrorObject<'static> =
    ErrorObject::plain(ErrorCode(-32000), "Duplicate of a call whose answer is lost");

/// Reads the message in `delivery`, calls the handlers of `server`, and returns the answer, with its payload in `output`.
///
/// # Duplicates
/// With QoS 1 a message may arrive twice. Equal messages are two calls, because users press a button twice, and some clients give all their
/// calls the same correlation data. A message is a duplicate only if `recent` has one with the same response topic, correlation data and
/// payload, and
///
/// - the broker has set [DUP](Delivery::is_dup) and the [packet identifier](Delivery::packet_id) is the same, or
/// - the window of [`Recent::within`] is open. This finds the duplicates that a client sends again after a reconnection, too: the broker
///   does not mark them.
///
/// A duplicate calls no handler. It gets the stored answer of the first message, or [`ANSWER_LOST`]. An unreadable text is answered at each
/// delivery. The answer expires with the call. [`Recent`] describes hostile publishers. Use one table for each topic of requests.
///
/// # The topic of the answer
/// The caller names the topic of the answer, and any topic without wildcards is accepted: check it with [`matches()`] before publishing, or
/// let the broker restrict the topics to which the server may publish.
///
/// # Limits
/// The limits of [`Server::process`] and [`Recent`].
///
/// Source: MQTT 5 §3.3.1.1, §3.3.2.3.3, §4.3.2, §4.10.
pub fn answer<'o, C, R, H, O: Output + ?Sized, const N: usize, const LEN: usize>(
    server: &mut Server<R, H>,
    context: &mut C,
    recent: &mut Recent<N, LEN>,
    delivery: &Delivery<'o>,
    output: &'o mut O,
) -> Outcome<'o>
where
    R: Routes<C>,
    H: Observer<C>,
{
    if delivery.is_retained {
        return Outcome::Dropped(Dropped::Retained);
    }
    let expiry = delivery.expiry.map(|seconds| seconds.saturating_sub(delivery.waited));
    if expiry == Some(0) {
        return Outcome::Dropped(Dropped::Expired);
    }
    let Delivery { payload, correlation_data, packet_id, now, .. } = *delivery;
    let response_topic = delivery.response_topic.filter(|topic| !topic.is_empty());
    let topic = response_topic.unwrap_or_default().as_bytes();
    let hash = recent.hash(&[topic, correlation_data.unwrap_or_default(), payload]);
    let first =
        recent.find_call(hash, |call| delivery.is_dup && call.packet_id == packet_id || recent.is_open(call, now));
    let (answer, lacks_room) = match first {
        Some(StoredAnswer::Silent) => return Outcome::Dropped(Dropped::Duplicate),
        Some(StoredAnswer::Kept(answer)) => {
            let mut out = Writer::new(output);
            let is_written = out.bytes(answer).is_ok();
            (is_written.then(|| out.into_written()), !is_written)
        }
        Some(StoredAnswer::Lost) => {
            let refused = refuse_all(payload, server.dialect(), output);
            (refused.answer(), refused.lacks_room())
        }
        None => {
            let processed = server.process(context, payload, output);
            // a message that reached no handler may be delivered again
            if !(processed.lacks_room() || processed.is_refused()) {
                recent.insert_call(hash, packet_id, now, processed.answer());
            }
            (processed.answer(), processed.lacks_room())
        }
    };
    let Some(payload) = answer else {
        return if lacks_room { Outcome::Dropped(Dropped::NoRoom) } else { Outcome::Silent };
    };
    match response_topic.map(|topic| Publish::new(topic, payload)) {
        Some(Ok(publish)) => Outcome::Publish(Publish { correlation_data, expiry, ..publish }),
        _ => Outcome::Unaddressed(payload),
    }
}

/// Answers every call in `text` with [`ANSWER_LOST`].
fn refuse_all<'o, O: Output + ?Sized>(text: &[u8], dialect: Dialect, output: &'o mut O) -> Processed<'o> {
    let mut exchange = Exchange::new(text, output, dialect);
    while exchange.next_message().is_some() {
        exchange.reply().error(ANSWER_LOST);
    }
    exchange.finish()
}
