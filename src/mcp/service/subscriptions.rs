//! Subscriptions to resources and lists.

use heapless::Vec;

use super::feature::Kind;
use crate::error::Error;
use crate::json::{ObjectWriter, RawStr, RawValue, Writer};
use crate::mcp::types::{SUBSCRIPTION_ID, Task};
use crate::mcp::value::Object;
use crate::mcp::{Revision, method};
use crate::message::{Notification, SUCCESS, put_end};

/// The subscriptions of the clients of a [`Service`](super::Service): to resources and lists, in sessions by `resources/subscribe`, in 2026-07-28
/// by streams that `subscriptions/listen` opens. It is part of the context; [`Service::subscriptions`](super::Service::subscriptions)
/// takes a function that finds it.
///
/// After a change the program calls [`updated`](Self::updated) or [`list_changed`](Self::list_changed), which write the
/// notifications, and then sends them, as `Connection::send_text` does.
///
/// # Limits
/// `COUNT` subscriptions. A session takes one subscription for each resource. A stream takes one for each resource, list and task, at least
/// one. A request for more is answered with -32603 and adds no subscription. A URI, the id of a task, and the id of a stream have at most `LEN` bytes as
/// spelled, with quotation marks.
///
/// ```
/// use nanojsonrpc::Writer;
/// use nanojsonrpc::mcp::service::feature::Kind;
/// use nanojsonrpc::mcp::{ReadCall, Service, Subscriptions};
///
/// #[derive(Default)]
/// struct Lamp {
///     is_on: bool,
///     subscriptions: Subscriptions<4>,
/// }
///
/// let mut server = Service::new("lamp", "1.0.0")
///     .resource("lamp:state", "state", "text/plain", |lamp: &mut Lamp, call: ReadCall<'_>| call.text(lamp.is_on))
///     .subscriptions(|lamp| &mut lamp.subscriptions)
///     .server();
/// let (mut lamp, mut output) = (Lamp::default(), [0; 256]);
/// let listen = br#"{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{
///     "notifications":{"resourceSubscriptions":["lamp:state"]},"_meta":{
///     "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
/// let acknowledged = server.process(&mut lamp, listen, &mut output).answer().unwrap_or_default();
/// assert!(acknowledged.starts_with(br#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","#));
///
/// lamp.is_on = true;
/// let mut out = Writer::new(&mut output);
/// lamp.subscriptions.updated("lamp:state", &mut out)?;
/// assert_eq!(
///     out.written(),
///     br#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"lamp:state","_meta":{"io.modelcontextprotocol/subscriptionId":7}}}"#
/// );
/// // no client is subscribed to the list of tools
/// out.clear();
/// lamp.subscriptions.list_changed(Kind::Tool, &mut out)?;
/// assert!(out.is_empty());
/// assert!(lamp.subscriptions.is_subscribed("lamp:state"));
/// lamp.subscriptions.end(&mut out)?;
/// assert!(lamp.subscriptions.is_empty());
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// The id of its request identifies a stream. Clients choose their ids independently, so each client needs its own `Subscriptions`.
///
/// Source: MCP 2025-11-25, Resources, Subscriptions; 2026-07-28, Subscriptions.
#[derive(Clone, Debug, Default)]
pub struct Subscriptions<const COUNT: usize, const LEN: usize = 64> {
    entries: Vec<Entry<LEN>, COUNT>,
    has_session: bool,
}

#[cfg(feature = "defmt")]
impl<const COUNT: usize, const LEN: usize> defmt::Format for Subscriptions<COUNT, LEN> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{} subscriptions", self.entries.len());
    }
}

#[derive(Clone, Debug)]
struct Entry<const LEN: usize> {
    /// The id of the request that opened the stream; empty in a session.
    stream: Vec<u8, LEN>,
    topic: Topic,
    /// The URI of a resource or the id of a task, a JSON string; otherwise empty.
    uri: Vec<u8, LEN>,
}

/// A list, or a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Topic {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// One resource.
    Resource,
    /// One task.
    Task,
    /// No list and no resource: the entry of a stream without subscriptions.
    Nothing,
}

impl Topic {
    const fn method(self) -> &'static str {
        match self {
            Self::Tools => method::TOOLS_LIST_CHANGED,
            Self::Prompts => method::PROMPTS_LIST_CHANGED,
            Self::Resources => method::RESOURCES_LIST_CHANGED,
            Self::Resource => method::RESOURCES_UPDATED,
            Self::Task => method::TASKS_CHANGED,
            // the only notification of such a stream
            Self::Nothing => method::SUBSCRIPTIONS_ACKNOWLEDGED,
        }
    }
}

impl<const COUNT: usize, const LEN: usize> Subscriptions<COUNT, LEN> {
    /// Without subscriptions.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), has_session: false }
    }

    /// The number of subscriptions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no subscriptions.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether a client is subscribed to the resource `uri`.
    pub fn is_subscribed(&self, uri: &str) -> bool {
        self.of(Topic::Resource, uri).next().is_some()
    }

    fn of<'s>(&'s self, topic: Topic, uri: &'s str) -> impl Iterator<Item = &'s Entry<LEN>> {
        self.entries.iter().filter(move |entry| {
            let is_resource = || decoded(&entry.uri).is_some_and(|known| known == *uri);
            entry.topic == topic && (topic != Topic::Resource || is_resource())
        })
    }

    /// Writes `notifications/resources/updated` for each stream and the session that subscribed to the resource `uri`.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull); no part is written.
    pub fn updated(&self, uri: &str, out: &mut Writer<'_>) -> Result<(), Error> {
        let before = out.len();
        let notified = self.of(Topic::Resource, uri).try_for_each(|entry| notify(entry, Some(uri), out));
        notified.inspect_err(|_| out.truncate(before))
    }

    /// Writes `notifications/…/list_changed` for each stream that is subscribed to the list of `kind`, and for the session.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull); no part is written.
    pub fn list_changed(&self, kind: Kind, out: &mut Writer<'_>) -> Result<(), Error> {
        let topic = match kind {
            Kind::Tool => Topic::Tools,
            Kind::Prompt | Kind::Completion => Topic::Prompts,
            Kind::Resource | Kind::Template | Kind::Skill => Topic::Resources,
        };
        let before = out.len();
        if self.has_session {
            out.message(&Notification::new(topic.method()))?;
        }
        let notified = self.of(topic, "").try_for_each(|entry| notify(entry, None, out));
        notified.inspect_err(|_| out.truncate(before))
    }

    /// Writes the state of `task`, when it has changed: `notifications/tasks` for each stream that is subscribed to the task, and
    /// `notifications/tasks/status` for the session. The service must have [`tasks`](super::Service::tasks).
    ///
    /// ```
    /// use nanojsonrpc::Writer;
    /// use nanojsonrpc::mcp::Subscriptions;
    /// use nanojsonrpc::mcp::types::{Task, TaskStatus};
    /// use nanojsonrpc::message::Str;
    ///
    /// let (mut buffer, subscriptions) = ([0; 256], Subscriptions::<4>::new());
    /// let task = Task::new(Str::Plain("dry-1"), TaskStatus::Completed, Str::Plain("2026-07-28T10:30:00Z"));
    /// let mut out = Writer::new(&mut buffer);
    /// subscriptions.task_changed(&task, &mut out)?;
    /// assert!(out.is_empty()); // no client is subscribed
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull); no part is written.
    pub fn task_changed(&self, task: &Task<'_>, out: &mut Writer<'_>) -> Result<(), Error> {
        let before = out.len();
        if self.has_session {
            let params = Object(|params: &mut ObjectWriter<'_, '_>| {
                task.write_members(Revision::LATEST_SESSION, false, params);
            });
            out.message(&Notification::new(method::TASKS_STATUS).with_params(&params))?;
        }
        let of_task =
            |entry: &&Entry<LEN>| entry.topic == Topic::Task && decoded(&entry.uri).is_some_and(|id| task.has_id(id));
        let notified = self.entries.iter().filter(of_task).try_for_each(|entry| {
            let params = Object(|params: &mut ObjectWriter<'_, '_>| {
                task.write_members(Revision::LATEST, true, params);
                write_meta(&entry.stream, params);
            });
            out.message(&Notification::new(entry.topic.method()).with_params(&params))
        });
        notified.inspect_err(|_| out.truncate(before))
    }

    /// Ends all subscriptions, as when the server shuts down, and writes the results of the requests that opened streams.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull); no part is written, and no subscription ends.
    pub fn end(&mut self, out: &mut Writer<'_>) -> Result<(), Error> {
        let (start, mut before) = (out.len(), &[][..]);
        for Entry { stream, .. } in &self.entries {
            if !stream.is_empty() && before != stream.as_slice() {
                out.put(SUCCESS);
                out.put(b"{\"resultType\":\"complete\"");
                write_meta(stream, &mut ObjectWriter::over(out));
                out.put_byte(b'}');
                put_end(|out| out.put(stream), out);
            }
            before = stream;
        }
        out.finish(start)?;
        self.entries.clear();
        Ok(())
    }
}

/// The URI in a JSON string, which compares decoded; `None` if `uri` is not a string.
pub(super) fn decoded(uri: &[u8]) -> Option<RawStr<'_>> {
    RawValue::parse(uri).ok()?.as_str_raw()
}

/// Appends the `_meta` of a message on a stream: the id of its request, as spelled.
pub(super) fn write_meta(stream: &[u8], object: &mut ObjectWriter<'_, '_>) {
    object.member_with("_meta", |out| {
        out.object(|meta| meta.member_with(SUBSCRIPTION_ID, |out| out.pieces(|out| out.put(stream))))
    });
}

fn notify<const LEN: usize>(entry: &Entry<LEN>, uri: Option<&str>, out: &mut Writer<'_>) -> Result<(), Error> {
    let params = Object(|params: &mut ObjectWriter<'_, '_>| {
        if let Some(uri) = uri {
            params.member("uri", uri);
        }
        if !entry.stream.is_empty() {
            write_meta(&entry.stream, params);
        }
    });
    out.message(&Notification::new(entry.topic.method()).with_params(&params))
}

/// Storage of subscriptions, of any capacity.
pub trait Keeper: sealed::Keeper {}

mod sealed {
    use super::Topic;

    pub trait Keeper {
        /// Opens a session, which has no subscriptions.
        fn open_session(&mut self);
        /// Adds a subscription, unless it exists; `false` if it does not fit.
        fn add(&mut self, stream: &[u8], topic: Topic, uri: &[u8]) -> bool;
        /// Whether `is_sought` is true of the stream of a subscription.
        fn has(&self, is_sought: &dyn Fn(&[u8]) -> bool) -> bool;
        /// Removes the subscriptions for which `is_ended` is true of stream and URI; returns whether there were any.
        fn remove(&mut self, is_ended: &dyn Fn(&[u8], &[u8]) -> bool) -> bool;
    }
}

impl<const COUNT: usize, const LEN: usize> Keeper for Subscriptions<COUNT, LEN> {}
impl<const COUNT: usize, const LEN: usize> sealed::Keeper for Subscriptions<COUNT, LEN> {
    fn open_session(&mut self) {
        self.has_session = true;
        self.remove(&|stream, _| stream.is_empty());
    }

    fn add(&mut self, stream: &[u8], topic: Topic, uri: &[u8]) -> bool {
        let is_same =
            |entry: &Entry<LEN>| entry.stream == stream && entry.topic == topic && decoded(&entry.uri) == decoded(uri);
        if self.entries.iter().any(is_same) {
            return true;
        }
        let (Ok(stream), Ok(uri)) = (Vec::from_slice(stream), Vec::from_slice(uri)) else { return false };
        self.entries.push(Entry { stream, topic, uri }).is_ok()
    }

    fn has(&self, is_sought: &dyn Fn(&[u8]) -> bool) -> bool {
        self.entries.iter().any(|entry| is_sought(&entry.stream))
    }

    fn remove(&mut self, is_ended: &dyn Fn(&[u8], &[u8]) -> bool) -> bool {
        let before = self.entries.len();
        self.entries.retain(|entry| !is_ended(&entry.stream, &entry.uri));
        self.entries.len() != before
    }
}
