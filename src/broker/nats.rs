//! NATS: subjects, reply subjects, queue groups.
//!
//! Source: NATS documentation, Subject-Based Messaging, Request-Reply, Queue Groups.

use super::topic::{Part, Syntax};
use super::{Topic, TopicError};
use crate::json::Output;
use crate::server::route::Routes;
use crate::server::{Observer, Server};

const SYNTAX: Syntax =
    Syntax { separator: b'.', one: b'*', rest: b'>', allows_empty_levels: false, allows_spaces: false };

/// Checks a subject for publishing: tokens separated by dots, none of them empty.
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
/// If `subject` or one of its tokens is empty, or if `subject` exceeds 65,535 bytes or has a wildcard, white space, a control character or
/// a noncharacter of Unicode.
pub fn check_subject(subject: &str) -> Result<(), TopicError> {
    SYNTAX.check(subject, false)
}

/// Checks a subject for a subscription: `*` matches one token, `>` at the end matches one or more.
///
/// # Errors
/// As [`check_subject`], but wildcards are allowed if they fill their token, and `>` at the end only.
pub fn check_filter(filter: &str) -> Result<(), TopicError> {
    SYNTAX.check(filter, true)
}

/// Checks the name of a queue group: one token. The broker sends each message to one member of the group.
///
/// ```
/// use nanojsonrpc::broker::nats::check_queue_group;
///
/// assert!(check_queue_group("lamps").is_ok());
/// assert!(check_queue_group("lamps.*").is_err());
/// ```
///
/// # Errors
/// As [`check_subject`], and if `group` has a dot.
pub fn check_queue_group(group: &str) -> Result<(), TopicError> {
    SYNTAX.check_level(group)
}

/// Whether `filter` matches `subject`; both must be valid.
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

/// The subjects of a peer: `{prefix}.{name}.…`, and `_INBOX.{name}.…` for answers. The prefix may have several tokens, the name has one.
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
    /// The tokens before the name.
    pub prefix: &'t str,
    /// The name of the peer: one token.
    pub name: &'t str,
}

impl Layout<'_> {
    fn subject<const N: usize>(&self, kind: &'static str) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Levels(self.prefix), Part::Level(self.name), Part::Fixed(kind)])
    }

    /// The subject to which others send calls and notifications. The peer subscribes to it, alone or in a queue group.
    ///
    /// # Errors
    /// As [`check_subject`], if the name has several tokens, or if `N` is too short.
    pub fn requests<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        self.subject("rpc")
    }

    /// The subject on which the peer publishes notifications.
    ///
    /// # Errors
    /// As [`requests`](Self::requests).
    pub fn events<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        self.subject("events")
    }

    /// The reply subject for a call of the peer: `_INBOX.{name}.{token}`, without the prefix of the layout. Use a different `token` for
    /// each call.
    ///
    /// # Errors
    /// As [`requests`](Self::requests).
    pub fn inbox<const N: usize>(&self, token: &str) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Fixed("_INBOX"), Part::Level(self.name), Part::Level(token)])
    }
}

/// The outcome of a received message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Outcome<'o> {
    /// Publish this answer.
    Publish {
        /// The reply subject of the call.
        subject: &'o str,
        /// The answer.
        payload: &'o [u8],
    },
    /// The answer to a call without a reply subject, or with an invalid reply subject.
    Unaddressed(&'o [u8]),
    /// There is no answer: the message holds only notifications or responses, or the server ignores it as unreadable.
    Silent,
    /// No handler was called: the output is too short for the shortest answer to each call. If a refusal with a null id fits, the outcome
    /// is that refusal.
    NoRoom,
}

/// Reads the message in `payload`, calls the handlers of `server`, and returns the answer, with its payload in `output`. `reply` is the
/// reply subject of the received message. The caller names it, and any subject without wildcards is accepted: check it with [`matches()`]
/// before publishing, or let the broker restrict the subjects to which the server may publish.
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
/// The limits of [`Server::process`]. Core NATS delivers a message at most once.
///
/// # JetStream
/// The reply subject of a message from a JetStream consumer is `$JS.ACK.…`: an answer there would acknowledge the message and reach no
/// caller. Pass `None` for `reply`, publish the [unaddressed](Outcome::Unaddressed) answer to a subject that the caller has named, for
/// example in a header of the message, and acknowledge the message yourself.
///
/// A consumer may deliver a message twice. Pass an id that the caller has set, such as the header `Nats-Msg-Id`, to
/// [`Recent::find`](super::Recent::find) before the answer, and to [`Recent::insert`](super::Recent::insert) after it. Store and
/// acknowledge no message without [room](Outcome::NoRoom): no handler was called, and a later delivery of a stored message would get no
/// answer.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use nanojsonrpc::broker::nats::{self, Outcome};
/// use nanojsonrpc::broker::{Recent, StoredAnswer};
/// use nanojsonrpc::{Router, Server};
///
/// let mut server = Server::new(Router::new().request("count", |calls: &mut u32| {
///     *calls += 1;
///     Ok(*calls)
/// }));
/// let (mut calls, mut recent) = (0, Recent::<16>::new());
/// /// Returns whether the program acknowledges the message.
/// let mut receive = |msg_id: &str, payload: &[u8], output: &mut [u8]| {
///     let id = [msg_id.as_bytes(), payload];
///     if let Some(first) = recent.find(&id) {
///         if let StoredAnswer::Kept(_answer) = first { /* publish it again */ }
///         return true;
///     }
///     match nats::answer(&mut server, &mut calls, payload, None, output) {
///         Outcome::NoRoom => return false,
///         Outcome::Unaddressed(answer) => {
///             // publish it to the subject that the caller has named
///             recent.insert(&id, Some(answer));
///         }
///         _ => recent.insert(&id, None),
///     }
///     true
/// };
/// let call = br#"{"jsonrpc":"2.0","method":"count","id":1}"#;
/// assert!(!receive("n1", call, &mut [0; 16]));
/// assert!(receive("n1", call, &mut [0; 128]));
/// assert!(receive("n1", call, &mut [0; 128]));
/// assert_eq!(calls, 1);
/// # }
/// ```
pub fn answer<'o, C, R, H, O: Output + ?Sized>(
    server: &mut Server<R, H>,
    context: &mut C,
    payload: &[u8],
    reply: Option<&'o str>,
    output: &'o mut O,
) -> Outcome<'o>
where
    R: Routes<C>,
    H: Observer<C>,
{
    let processed = server.process(context, payload, output);
    match (processed.answer(), reply) {
        (None, _) if processed.lacks_room() => Outcome::NoRoom,
        (None, _) => Outcome::Silent,
        (Some(payload), Some(subject)) if check_subject(subject).is_ok() => Outcome::Publish { subject, payload },
        (Some(payload), _) => Outcome::Unaddressed(payload),
    }
}
