//! Server-sent events.

use heapless::Vec;

use super::decode::Decode;
use super::encode::{self, Head};
use super::event::{DEFAULT_NAME, Event};
use super::event_reader::Reader;
use super::spans::Spans;
use super::{Control, Found, Frame, FrameErrorKind};

/// A message is the data of a server-sent event: the HTTP transports of the Model Context Protocol.
///
/// Lines end with CR, LF or CRLF; an empty line ends an event. `data` lines are joined with LF, in place in the buffer.
/// Comments and unknown fields take no room. There are two more buffers of `ID` bytes, for the ids of the last event
/// and of the current one, and one of `NAME` bytes for the event name.
///
/// As the standard requires, a byte order mark at the front of the stream is ignored. An event without a `data` line is dropped, but its id
/// becomes the [last event id](Self::last_event_id). An event that the end of the stream cuts off is dropped, and its id is ignored. An
/// event may have empty data: MCP begins a stream with one.
///
/// # Limits
/// The data, and the value of the current line, must together be shorter than the buffer: a buffer of 64 bytes holds 63. Id: `ID` bytes.
/// Event name: `NAME` bytes.
///
/// # Errors and recovery
/// - [`TooLong`](super::FrameErrorKind::TooLong), [`EventIdTooLong`](super::FrameErrorKind::EventIdTooLong),
///   [`EventNameTooLong`](super::FrameErrorKind::EventNameTooLong): the event is dropped up to its empty line. Its id still becomes the
///   last event id if it fits; otherwise the earlier id stays.
/// - [`Truncated`](super::FrameErrorKind::Truncated) at the end of the stream, if it is inside an event with data, or
///   inside a line that may hold data.
///
/// Source: WHATWG HTML, "Server-sent events": parsing and interpreting an event stream.
///
/// ```
/// use nanojsonrpc::frame::{Events, Frame, Framer};
///
/// let mut framer = Framer::<Events, 64>::new();
/// framer.push(b": hello\nid: 7\nevent: message\ndata: {\"a\":\ndata: 1}\n\n");
/// if let Some(Ok(event)) = framer.next() {
///     assert_eq!((event.event, event.id, event.data), (&b"message"[..], &b"7"[..], &b"{\"a\":\n1}"[..]));
/// }
/// assert_eq!(framer.frame().last_event_id(), b"7");
///
/// let mut wire = [0; 32];
/// assert_eq!(<Events>::encode(b"{\"a\":\n1}", &mut wire), Ok(16));
/// assert_eq!(&wire[..16], b"data: {\"a\": 1}\n\n");
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Events<const ID: usize = 64, const NAME: usize = 32> {
    reader: Reader,
    id: Vec<u8, ID>,
    /// The id of the current event.
    next_id: Vec<u8, ID>,
    event: Vec<u8, NAME>,
}

impl<const ID: usize, const NAME: usize> Events<ID, NAME> {
    /// The id of the last complete event, for the header `Last-Event-ID` of a reconnect; empty if there was no id.
    /// [`clear`](super::FramerOver::clear) keeps it.
    pub fn last_event_id(&self) -> &[u8] {
        &self.id
    }

    /// The time in milliseconds that a client should wait before a reconnect, at most `u32::MAX`; `None`
    /// if the server has sent none. [`clear`](super::FramerOver::clear) keeps it.
    ///
    /// ```
    /// use nanojsonrpc::frame::{Events, Framer};
    ///
    /// let mut framer = Framer::<Events, 64>::new();
    /// framer.push(b"retry: 2000\n\n");
    /// assert!(framer.next().is_none());
    /// assert_eq!(framer.frame().retry(), Some(2000));
    /// ```
    pub const fn retry(&self) -> Option<u32> {
        self.reader.retry()
    }
}

impl<const ID: usize, const NAME: usize> Decode for Events<ID, NAME> {
    const NEW: Self = Self { reader: Reader::NEW, id: Vec::new(), next_id: Vec::new(), event: Vec::new() };

    fn step(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Option<Found> {
        let (id, next_id) = (self.id.as_mut_view(), self.next_id.as_mut_view());
        self.reader.step(bytes, limit, spans, id, next_id, self.event.as_mut_view())
    }

    /// The next stream is that of a reconnect, so the last id and the time to wait stay.
    fn restart(&mut self) {
        self.reader = self.reader.restarted();
        self.event.clear();
    }

    fn end(&mut self, _: &mut [u8], spans: &mut Spans) -> Option<Found> {
        self.event.clear();
        self.reader.end(spans)
    }

    /// MCP's Streamable HTTP begins a stream with an event that has an id and empty data, so that the client can
    /// reconnect with this id.
    fn control<'m>(&self, found: Result<&'m [u8], FrameErrorKind>) -> Control<'m> {
        if found.is_ok_and(<[u8]>::is_empty) { Control::Idle } else { Control::No }
    }
}

impl<const ID: usize, const NAME: usize> Frame for Events<ID, NAME> {
    type Item<'b> = Event<'b>;

    fn head(_: usize) -> Head {
        Head::of(&[b"data: "])
    }

    fn tail() -> &'static [u8] {
        b"\n\n"
    }

    fn replace_line_ends(message: &mut [u8]) {
        encode::replace(message, encode::LINE_ENDS);
    }

    fn item<'b>(&'b self, message: &'b [u8]) -> Event<'b> {
        let event = if self.event.is_empty() { DEFAULT_NAME } else { &self.event };
        Event { event, id: &self.id, data: message }
    }
}
