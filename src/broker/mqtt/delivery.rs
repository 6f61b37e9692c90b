//! Messages from a broker and to it.

use super::topics::{check_topic, join};
use crate::broker::topic::Part;
use crate::broker::{Recent, StoredAnswer, Topic, TopicError, TopicErrorKind};
use crate::json::{Output, RawValue, Writer};
use crate::message::{Dialect, ErrorCode, ErrorObject};
use crate::server::route::Routes;
use crate::server::{Exchange, Observer, Processed, Server};

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
    /// Packet Identifier; a message with QoS 0 has none. If the client of the program does not show it, DUP and equal bytes make a duplicate,
    /// also of another call that was lost on its first way.
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
///
/// ```
/// use nanojsonrpc::broker::Recent;
/// use nanojsonrpc::broker::mqtt::{Delivery, Dropped, Outcome, answer};
/// use nanojsonrpc::{Router, Server};
///
/// let mut server = Server::new(Router::<()>::new());
/// let delivery = Delivery { payload: b"{}", expiry: Some(5), waited: 5, ..Delivery::default() };
/// let mut output = [0; 128];
/// let outcome = answer(&mut server, &mut (), &mut Recent::<4>::new(), &delivery, &mut output);
/// assert_eq!(outcome, Outcome::Dropped(Dropped::Expired));
/// ```
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
    /// The output is too short for the shortest answer to each call, or for the stored answer to a duplicate. A later delivery of the
    /// message does not count as a duplicate of this one. If a refusal with a null id fits, the outcome is that refusal.
    NoRoom,
}

/// The error that answers a duplicate of a call whose answer [`Recent`] no longer has. The handler has been called once, and its result is
/// unknown.
///
/// ```
/// use nanojsonrpc::broker::Recent;
/// use nanojsonrpc::broker::mqtt::{ANSWER_LOST, Delivery, Outcome, answer};
/// use nanojsonrpc::{Response, Router, Server};
///
/// let mut server = Server::new(Router::<()>::new());
/// let payload = br#"{"jsonrpc":"2.0","method":"m","id":1}"#;
/// let delivery = Delivery { payload, response_topic: Some("a"), ..Delivery::default() };
/// // no room for answers
/// let (mut recent, mut output) = (Recent::<4, 0>::new(), [0; 128]);
/// answer(&mut server, &mut (), &mut recent, &delivery, &mut output);
/// let again = Delivery { is_dup: true, ..delivery };
/// let Outcome::Publish(answer) = answer(&mut server, &mut (), &mut recent, &again, &mut output) else { unreachable!() };
/// assert_eq!(Response::parse(answer.payload)?.outcome.unwrap_err().code, ANSWER_LOST.code);
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
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
/// The caller names the topic of the answer, and any topic without wildcards is accepted: check it with [`matches()`](super::matches())
/// before publishing, or let the broker restrict the topics to which the server may publish.
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

/// Reads the topic of the answer from the member `src` of a request, for MQTT 3.1.1, which has no response topic: `{src}/rpc`, as devices of
/// Shelly publish their answers. `None` if the text is not JSON or has no string `src`. Then, and if the topic is refused, a program
/// answers on a topic of its own or not at all.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use nanojsonrpc::broker::{Recent, Topic, TopicErrorKind, mqtt};
/// use nanojsonrpc::{Router, Server};
///
/// let mut server = Server::new(Router::new().request("Switch.Toggle", |on: &mut bool| {
///     *on = !*on;
///     Ok(*on)
/// }));
/// let (mut recent, mut on, mut output) = (Recent::<16>::new(), false, [0; 128]);
/// let payload = br#"{"jsonrpc":"2.0","id":1,"src":"user_1","method":"Switch.Toggle"}"#;
///
/// let topic: Option<Topic<64>> = mqtt::source_topic(payload).unwrap();
/// let response_topic = topic.as_deref().or(Some("lamp/answers"));
/// let call = mqtt::Delivery { payload, response_topic, ..mqtt::Delivery::default() };
/// let mqtt::Outcome::Publish(answer) = mqtt::answer(&mut server, &mut on, &mut recent, &call, &mut output) else {
///     unreachable!()
/// };
/// assert_eq!((answer.topic, on), ("user_1/rpc", true));
///
/// let error = mqtt::source_topic::<64>(br##"{"src":"#"}"##).unwrap_err();
/// assert_eq!(error.kind(), TopicErrorKind::Wildcard);
/// # }
/// ```
///
/// # Errors
/// As [`check_topic`], and if `N` is too short. The offset is that in the topic.
///
/// Source: Shelly, RPC Channels: MQTT.
pub fn source_topic<const N: usize>(payload: &[u8]) -> Result<Option<Topic<N>>, TopicError> {
    let Some(source) = RawValue::parse(payload).ok().and_then(|message| message.get("src")?.as_str_raw()) else {
        return Ok(None);
    };
    let source = source.to_heapless::<N>().ok_or(TopicError::new(TopicErrorKind::TooLong, N))?;
    join(&[Part::Levels(&source), Part::Fixed("rpc")]).map(Some)
}
