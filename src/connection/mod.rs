//! A byte stream to a peer: reader, writer, frame, and a buffer for each direction.
//!
//! [`serve`] serves a stream from its start to its end. [`Connection`] does the same in steps, for programs with other
//! work between messages: a server that sends notifications and requests, a client, a peer that is both. With the
//! feature `embedded-io-async`, the functions that end in `_async` do the same without blocking.
//!
//! The streams implement the traits of `embedded_io`. The crate `embedded-io-adapters` adapts other streams: `std::FromStd` those of the
//! standard library, such as `&TcpStream`; `tokio_1::FromTokio` those of tokio.

#[cfg(feature = "embedded-io-async")]
mod asynchronous;
mod blocking;
#[cfg(feature = "serde")]
mod call;
#[cfg(feature = "embedded-io-async")]
mod cancellation;
#[cfg(feature = "embedded-io-async")]
mod concurrent;
mod driver;
mod error;
mod outgoing;
#[cfg(feature = "serde")]
mod peer;
#[cfg(feature = "embedded-io-async")]
mod purpose;
mod recovery;
#[cfg(feature = "embedded-io-async")]
mod slots;
mod stream;
#[cfg(feature = "embedded-io-async")]
mod work;

use core::fmt;
use core::ops::Range;

use embedded_io::{ErrorKind, ErrorType};

#[cfg(feature = "embedded-io-async")]
pub use asynchronous::serve_async;
pub use blocking::serve;
#[cfg(feature = "serde")]
pub use call::CallError;
#[cfg(all(feature = "alloc", feature = "serde"))]
pub use call::OwnedCallError;
#[cfg(feature = "embedded-io-async")]
pub use cancellation::Cancellation;
#[cfg(feature = "embedded-io-async")]
pub use concurrent::Concurrent;
pub use error::ConnectionError;
#[cfg(feature = "serde")]
pub use peer::Peer;
pub use stream::Stream;

#[cfg(any(feature = "mcp", feature = "serde"))]
use crate::error::{Error, ErrorKind as FaultKind};
#[cfg(any(feature = "mcp", feature = "serde"))]
use crate::frame::FrameErrorKind;
use crate::frame::{Buffer, Control, Found, Frame, FrameError, FramerOver};
use crate::json::{Output, Room};
#[cfg(any(feature = "mcp", feature = "serde"))]
use crate::message::Refused;
use crate::server::{Event, Observer, Server};

/// A byte stream to a peer: `R` is the reader, `W` the writer, `F` the frame, `B` the buffer of the framer.
///
/// # Limits
/// Incoming message: the buffer of the framer. Outgoing message: the output, less 40 bytes and the tail of the frame.
/// Of this room, a server needs [`MIN_ANSWER_LEN`](crate::server::MIN_ANSWER_LEN) bytes and the id for each call. An output that grows is freed
/// down to 64 KiB once a message is sent.
///
/// # TCP
/// Call `set_nodelay(true)` on the stream. Otherwise the system delays a small message until the peer acknowledges the last one: 40 ms on
/// common systems. Before a stream is dropped, shut its writing half down and read until the peer closes its end, as `examples/tokio.rs`
/// does: if there are unread bytes, some systems reset the stream, and answers on their way are lost.
///
/// # Faults of the stream
/// A connection retries after `Interrupted` of the reader or the writer, and continues a short write. Any other error before the first byte
/// of a message loses only this message; if it is an answer, the observer receives [`Event::AnswerUnsent`]. After an error in the middle of a message, the connection sends nothing more, because the next
/// message would follow a part of the last one. All methods that send or answer then flush the complete messages before it and return
/// [`OutputBroken`](ConnectionError::OutputBroken). This also holds for another connection with the same framer, until
/// [`resume_output`](Self::resume_output) has ended that message on the same stream, or [`reset`](Self::reset) or [`FramerOver::clear`]
/// declares a new one.
///
/// # Two peers that write
/// While a connection writes a message, it reads nothing. If two peers write at the same time, each more bytes than the buffers of the
/// stream hold, both wait without end. The same happens to a client that sends many calls before it reads an answer. Use a writer with a
/// time limit; or messages shorter than these buffers and few calls in flight; or read and write in two tasks, with a
/// [`Client`](crate::Client) and a [`FramerOver`].
///
/// # Unreadable texts
/// A text is unreadable if it holds neither a message nor an object with a readable id: no JSON, `{}`, or a batch of such elements; or if
/// it is too long to be read. A batch that is refused as a whole counts as readable. The answer to an unreadable text has null as each id.
/// After such an answer, further unreadable texts are not answered until a readable one has arrived. Otherwise two peers that cannot read
/// each other's answers would answer each other forever. [`unanswered`](Self::unanswered) counts the texts without an answer.
///
/// # Cancel safety
/// The future of a method that ends in `_async`, or of the `serve` of `concurrent`, can be dropped before it is done, for example by a
/// `select` with a timer. No message is sent twice, and no handler is called twice. The next methods, also those of another connection with
/// the same framer, find this state:
///
/// | dropped while | state |
/// |---|---|
/// | it reads | No byte is lost, if a dropped read of the reader loses none. |
/// | it writes a message | The output is [broken](ConnectionError::OutputBroken): the writer does not report the bytes that a dropped write has sent. |
/// | it flushes | The next method that sends or answers flushes again. |
/// | a handler waits | The handler is dropped, and its call or batch is not answered. The messages after it are kept. |
/// | a call waits for its answer | The answer goes to [`Router::response`](crate::Router::response). If the answer has arrived and the call waits only for a flush, the answer is lost. |
/// | handlers of `concurrent` wait | They are dropped. Their calls, a call that waits for a slot, and calls whose answers wait to be written are not answered. |
///
/// To limit the time of a call, use its deadline; to limit the time of a write or a flush, use a writer with a time limit, which ends the
/// future with an error. The deadline of a call drops a pending read, and so does `concurrent` at each event.
///
/// ```
/// # fn main() -> Result<(), Box<dyn core::error::Error>> {
/// use nanojsonrpc::connection::Connection;
/// use nanojsonrpc::frame::{Framer, Lines};
/// use nanojsonrpc::memory::Pipe;
/// use nanojsonrpc::{Notification, Router, Server};
///
/// let mut pipe: Pipe<256> = Pipe::new();
/// let (device, hub) = pipe.ends();
/// hub.try_write(b"{\"jsonrpc\":\"2.0\",\"method\":\"uptime\",\"id\":1}\n")?;
/// let mut server = Server::new(Router::new().request("uptime", |seconds: &mut u32| Ok(*seconds)));
/// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 256]);
/// let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
/// connection.send(&Notification::new("awake"))?;
/// connection.read()?;
/// connection.answer(&mut server, &mut 42)?;
/// let mut received = [0; 128];
/// let len = hub.try_read(&mut received)?;
/// let lines = b"{\"jsonrpc\":\"2.0\",\"method\":\"awake\"}\n{\"jsonrpc\":\"2.0\",\"result\":42,\"id\":1}\n";
/// assert_eq!(&received[..len], lines);
/// # Ok(()) }
/// ```
pub struct Connection<'b, R, W, F, B> {
    reader: R,
    writer: W,
    framer: &'b mut FramerOver<F, B>,
    output: Room<'b>,
    has_ended: bool,
    unanswered: u32,
}

/// The result of an operation on `R` and `W`.
type Outcome<T, R, W> = Result<T, ConnectionError<<R as ErrorType>::Error, <W as ErrorType>::Error>>;

impl<'b, R, W, F: Frame, B: Buffer> Connection<'b, R, W, F, B> {
    /// A connection that first returns the messages in `framer`, and then reads from `reader`. The example of [`read`](Self::read) shares one
    /// driver that both reads and writes.
    ///
    /// For a new stream, such as after a reconnect, [clear](FramerOver::clear) the framer first. After an error such as a timeout, the
    /// stream may continue, so the framer keeps a part of a message for the next connection. Only after [`serve`](Self::serve) has returned
    /// without an error is `clear` unnecessary. After a close, the framer of a WebSocket ignores all input until it is cleared.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::memory::Pipe;
    /// use nanojsonrpc::{Router, Server};
    ///
    /// let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));
    /// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
    /// // the first stream breaks off inside a message
    /// for incoming in ["{\"jsonrpc\":", "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\n"] {
    ///     let mut pipe: Pipe<128> = Pipe::new();
    ///     let (device, hub) = pipe.ends();
    ///     assert!(hub.try_write(incoming.as_bytes()).is_ok());
    ///     framer.clear();
    ///     let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    ///     assert_eq!(connection.read(), Ok(true));
    ///     assert_eq!(connection.answer(&mut server, &mut ()), Ok(()));
    ///     let mut answer = [0; 64];
    ///     let answered = hub.try_read(&mut answer).is_ok();
    ///     assert_eq!(answered, incoming.ends_with('\n'));
    ///     assert!(!answered || answer.starts_with(b"{\"jsonrpc\":\"2.0\",\"result\":\"pong\",\"id\":1}\n"));
    /// }
    /// # }
    /// ```
    pub fn new<O: Output + ?Sized>(reader: R, writer: W, framer: &'b mut FramerOver<F, B>, output: &'b mut O) -> Self
    where
        R: Stream,
        W: Stream,
    {
        Self { reader, writer, framer, output: output.room(), has_ended: false, unanswered: 0 }
    }

    /// The number of unreadable texts without an answer, because the text before them was unreadable, too. The count
    /// stops at `u32::MAX`.
    pub const fn unanswered(&self) -> u32 {
        self.unanswered
    }

    /// Returns `len`, the length of the answer, if the answer is to be sent. Counts the second of two answers in a row to unreadable texts,
    /// and returns `None`.
    fn suppress_repeated(&mut self, len: Option<usize>, is_readable: bool) -> Option<usize> {
        if !is_readable && len.is_some() && core::mem::replace(&mut self.framer.has_answered_unreadable, true) {
            self.unanswered = self.unanswered.saturating_add(1);
            return None;
        }
        self.framer.has_answered_unreadable &= !is_readable;
        len
    }

    /// Allows an answer to the next unreadable text, after a message or at the end of a stream.
    pub(crate) const fn allow_unreadable_answer(&mut self) {
        self.framer.has_answered_unreadable = false;
    }

    /// Returns an error after a message that was sent in part.
    pub(crate) fn check_output<E, G>(&self) -> Result<(), ConnectionError<E, G>> {
        if self.framer.is_output_broken { Err(ConnectionError::OutputBroken) } else { Ok(()) }
    }

    /// Returns an error after a message that was sent in part, and after a close.
    pub(crate) fn check_open<E, G>(&self) -> Result<(), ConnectionError<E, G>> {
        if self.framer.is_over() { Err(ConnectionError::OutputBroken) } else { self.check_output() }
    }

    /// Whether the peer has ended the stream.
    pub const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The next whole message, or a fault of the stream; `None` if more bytes must be read. For programs that do not
    /// [`answer`](Self::answer) with a server.
    #[expect(clippy::should_implement_trait, reason = "the message borrows the buffer")]
    pub fn next(&mut self) -> Item<'_, F> {
        if self.has_ended { self.framer.finish() } else { self.framer.next() }
    }

    /// The next whole message, or a fault of the stream. After a message that was written in part, nothing: the complete ones before it
    /// are flushed, and nothing is answered.
    pub(crate) fn next_to_answer(&mut self) -> Option<Found> {
        if self.framer.is_output_broken { None } else { self.framer.next_span(self.has_ended) }
    }

    /// The message at the span that was found last, and the room for an outgoing message.
    #[cfg(feature = "mcp")]
    pub(crate) fn text_and_room(&mut self, span: Range<usize>) -> (&[u8], Room<'_>) {
        (self.framer.text(span), outgoing::room::<F>(self.output.reborrow()))
    }

    /// Returns the reader and the writer.
    pub fn into_parts(self) -> (R, W) {
        (self.reader, self.writer)
    }

    /// Whether the message or fault that was found last belongs to the frame only, so that no handler and no caller
    /// gets it.
    pub(crate) fn is_own(&self, found: &Found) -> bool {
        !matches!(control(self.framer, found), Control::No)
    }

    /// As [`suppress_repeated`](Self::suppress_repeated); the observer receives [`Event::Unanswered`] for an answer that is not sent.
    fn settle<S, H: Observer<C>, C>(
        &mut self,
        len: Option<usize>,
        server: &mut Server<S, H>,
        context: &mut C,
        is_readable: bool,
    ) -> Option<usize> {
        let sendable = self.suppress_repeated(len, is_readable);
        if len.is_some() && sendable.is_none() {
            server.observe(context, Event::Unanswered);
        }
        #[cfg(feature = "alloc")]
        if sendable.is_none() {
            self.output.release();
        }
        sendable
    }

    /// Reports that the answer to the message at the span `handled` could not be sent.
    fn report_unsent<S, H: Observer<C>, C>(
        &self,
        handled: Option<Range<usize>>,
        server: &mut Server<S, H>,
        context: &mut C,
    ) {
        if let Some(span) = handled {
            server.observe(context, Event::AnswerUnsent(self.framer.text(span)));
        }
    }
}

impl<R, W, F, B> fmt::Debug for Connection<'_, R, W, F, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("has_ended", &self.has_ended).finish_non_exhaustive()
    }
}

#[cfg(feature = "defmt")]
impl<R, W, F, B> defmt::Format for Connection<'_, R, W, F, B> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Connection {{ has_ended: {} }}", self.has_ended);
    }
}

/// Who takes a message.
#[cfg_attr(not(any(feature = "mcp", feature = "serde")), expect(dead_code, reason = "only a client waits"))]
pub(crate) enum Sorted<T> {
    ToServer,
    /// The method that waits has handled it, and has written a message of `len` bytes, if any. `awaited` ends the wait.
    Handled {
        len: Option<usize>,
        awaited: Option<T>,
    },
}

/// The message that a fault has lost, of which `front` was received: its refusal, or the fault itself if nothing of the message is known.
/// `None` if no answer can be lost.
#[cfg(any(feature = "mcp", feature = "serde"))]
pub(crate) fn lost(fault: FrameError, front: &[u8]) -> Option<Result<Refused<'_>, FrameError>> {
    let kind = match fault.kind() {
        FrameErrorKind::TooLong => FaultKind::MessageTooLong,
        FrameErrorKind::NotJson(kind) => kind,
        FrameErrorKind::InvalidLength
        | FrameErrorKind::RepeatedLength
        | FrameErrorKind::LengthTooLarge
        | FrameErrorKind::Malformed
        | FrameErrorKind::OtherProtocol
        | FrameErrorKind::Unseparated => return Some(Err(fault)),
        _ => return None,
    };
    Some(Ok(Refused::unread(Error::new(kind, front.len()), front)))
}

/// The end of a wait.
#[cfg(any(feature = "mcp", feature = "serde"))]
pub(crate) enum Waited<T> {
    /// For the message at this span.
    For(Range<usize>, T),
    Late,
    Closed,
}

/// The control action for the last item found.
fn control<'m, F: Frame, B: Buffer>(framer: &'m FramerOver<F, B>, found: &Found) -> Control<'m> {
    framer.frame().control(match found {
        Ok(span) => Ok(framer.text(span.clone())),
        Err(error) => Err(error.kind()),
    })
}

/// Drops from `rest` the bytes that one write has taken. The `write_all` of `embedded_io` panics if a writer takes none.
fn advance<E, G: embedded_io::Error>(rest: &mut &[u8], written: Result<usize, G>) -> Result<(), ConnectionError<E, G>> {
    match written {
        Ok(0) => Err(ConnectionError::WriteZero),
        Ok(len) => {
            *rest = rest.get(len..).unwrap_or_default();
            Ok(())
        }
        Err(error) if is_interrupted(&error) => Ok(()),
        Err(error) => Err(ConnectionError::Write(error)),
    }
}

/// Whether to retry.
fn is_interrupted(error: &impl embedded_io::Error) -> bool {
    error.kind() == ErrorKind::Interrupted
}

/// The next message, or a fault of the stream.
type Item<'b, F> = Option<Result<<F as Frame>::Item<'b>, FrameError>>;
