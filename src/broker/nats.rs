//! NATS: subjects, reply subjects, queue groups.
//!
//! Source: NATS documentation, Subject-Based Messaging, Request-Reply, Queue Groups.

use super::topic::{Part, Syntax};
use super::{Topic, TopicError};
use crate::server::route::Routes;
use crate::server::{Observer, Server};

const SYNTAX: Syntax =
    Syntax { separator: b'.', one: b'*', rest: b'>', allows_empty_levels: false, allows_spaces: false };

/// Checks a subject to which a message is published: tokens between dots, none of them empty.
///
/// ```
/// use nanojsonrpc::broker::TopicErrorKind;
/// use nanojsonrpc::broker::nats::check_subject;
///
/// assert!(check_subject("home.lamp.rpc").is_ok());
/// let error = check_subject("home..rpc").unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (TopicErrorKind::Empty, 5));
/// ```
///
/// # Errors
/// Empty, an empty token, longer than 65,535 bytes, a wildcard, white space, or a control character.
pub fn check_subject(subject: &str) -> Result<(), TopicError> {
    SYNTAX.check(subject, false)
}

/// Checks a subject for a subscription: `*` is one token, `>` one or more at the end.
///
/// # Errors
/// As [`check_subject`], but for wildcards that are not alone in their token, and for `>` before the end.
pub fn check_filter(filter: &str) -> Result<(), TopicError> {
    SYNTAX.check(filter, true)
}

/// Checks the name of a queue group: one token. Each message goes to one member of the group.
///
/// ```
/// use nanojsonrpc::broker::nats::check_queue_group;
///
/// assert!(check_queue_group("lamps").is_ok());
/// assert!(check_queue_group("lamps.*").is_err());
/// ```
///
/// # Errors
/// As [`check_subject`], and for a dot.
pub fn check_queue_group(group: &str) -> Result<(), TopicError> {
    SYNTAX.check_level(group)
}

/// Whether `subject` is one of those that `filter` stands for, both being valid.
///
/// ```
/// use nanojsonrpc::broker::nats::matches;
///
/// assert!(matches("home.*.rpc", "home.lamp.rpc"));
/// assert!(matches("home.>", "home.lamp.rpc"));
/// assert!(!matches("home.>", "home"));
/// ```
pub fn matches(filter: &str, subject: &str) -> bool {
    SYNTAX.matches(filter, subject)
}

/// The subjects of a peer: `{prefix}.{name}.…`. The prefix may have several tokens, the name is one.
///
/// ```
/// use nanojsonrpc::broker::nats::Layout;
///
/// let lamp = Layout { prefix: "site.7", name: "lamp" };
/// assert_eq!(lamp.requests::<64>().unwrap(), "site.7.lamp.rpc");
/// assert_eq!(lamp.events::<64>().unwrap(), "site.7.lamp.events");
/// assert_eq!(lamp.inbox::<64>("n4x").unwrap(), "_INBOX.lamp.n4x");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Layout<'t> {
    /// The tokens in front.
    pub prefix: &'t str,
    /// The token of the peer.
    pub name: &'t str,
}

impl Layout<'_> {
    fn subject<const N: usize>(&self, kind: &'static str) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Levels(self.prefix), Part::Level(self.name), Part::Fixed(kind)])
    }

    /// The subject of calls and notifications to the peer, to which it subscribes, alone or in a queue group.
    ///
    /// # Errors
    /// Those of [`check_subject`], in the prefix or the name; a name of several tokens; `N` is too short.
    pub fn requests<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        self.subject("rpc")
    }

    /// The subject of the notifications of the peer.
    ///
    /// # Errors
    /// As [`requests`](Self::requests).
    pub fn events<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        self.subject("events")
    }

    /// The reply subject of a call of the peer: `token` is another one for each call.
    ///
    /// # Errors
    /// As [`requests`](Self::requests).
    pub fn inbox<const N: usize>(&self, token: &str) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Fixed("_INBOX"), Part::Level(self.name), Part::Level(token)])
    }
}

/// The outcome of a delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Outcome<'o> {
    /// The answer, to be published.
    Publish {
        /// The reply subject of the call.
        subject: &'o str,
        /// The answer.
        payload: &'o [u8],
    },
    /// The answer to a call that has no reply subject, or none to which a message may be published.
    Unaddressed(&'o [u8]),
    /// Nothing to publish.
    Silent,
}

/// Reads the message in `payload`, calls the handlers of `server`, and returns the answer, with its payload in `output`. `reply` is
/// the reply subject of the delivery.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use nanojsonrpc::broker::nats::{self, Outcome};
/// use nanojsonrpc::{Router, Server};
///
/// let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));
/// let (call, mut output) = (br#"{"jsonrpc":"2.0","method":"ping","id":1}"#, [0; 128]);
/// let Outcome::Publish { subject, payload } = nats::answer(&mut server, &mut (), call, Some("_INBOX.a.1"), &mut output)
/// else {
///     unreachable!()
/// };
/// assert_eq!(subject, "_INBOX.a.1");
/// assert_eq!(payload, br#"{"jsonrpc":"2.0","result":"pong","id":1}"#);
/// # }
/// ```
///
/// # Limits
/// Those of [`Server::process`]. Core NATS delivers at most once; a consumer of JetStream may deliver twice, and its message
/// id goes through [`Recent::admit`](super::Recent::admit) first.
pub fn answer<'o, C, R, H>(
    server: &mut Server<R, H>,
    context: &mut C,
    payload: &[u8],
    reply: Option<&'o str>,
    output: &'o mut [u8],
) -> Outcome<'o>
where
    R: Routes<C>,
    H: Observer<C>,
{
    match (server.process(context, payload, output), reply) {
        (None, _) => Outcome::Silent,
        (Some(payload), Some(subject)) if check_subject(subject).is_ok() => Outcome::Publish { subject, payload },
        (Some(payload), _) => Outcome::Unaddressed(payload),
    }
}
