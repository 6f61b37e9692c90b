//! The names of topics: checks, filters, and the topics of a peer.

use crate::ascii::split_once;
use crate::broker::topic::{Part, Syntax};
use crate::broker::{Topic, TopicError, TopicErrorKind};

pub(in crate::broker) const SYNTAX: Syntax =
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
pub(super) fn join<const N: usize>(parts: &[Part<'_>]) -> Result<Topic<N>, TopicError> {
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

    /// The presence topic. Publish [`Publish::retained`](super::Publish::retained) after connecting, and set
    /// [`Publish::cleared`](super::Publish::cleared) as the last will.
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
