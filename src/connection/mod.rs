//! A byte stream with a peer at its other end: reader, writer, frame, and a buffer for each direction.
//!
//! [`serve`] is the whole life of a server on a stream. [`Connection`] is the same in steps, for those who have more to
//! do than to wait: a server that sends notifications and requests of its own, a client, a peer that is both. With the
//! feature `embedded-io-async`, what ends in `_async` does the same without blocking.

#[cfg(feature = "embedded-io-async")]
mod asynchronous;
mod blocking;

use core::fmt;

use embedded_io::ErrorType;

#[cfg(feature = "embedded-io-async")]
pub use asynchronous::serve_async;
pub use blocking::serve;

use crate::error::Error;
use crate::frame::{Frame, FrameError, Framer, Head};
use crate::json::{Writer, copy};
use crate::message::Outgoing;

/// A byte stream with a peer at its other end: `R` and `W` are its two directions, `F` tells where a message ends.
///
/// # Limits
/// A message that is read: the `N` bytes of the framer. One that is written: the output, less 40 bytes and what the
/// frame puts behind a message.
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
///
/// let mut server = Server::new(Router::new().request("uptime", |seconds: &mut u32| Ok(*seconds)));
/// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 256]);
/// let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
/// connection.send(&Notification::new("awake"))?;
/// connection.read()?;
/// connection.answer(&mut server, &mut 42)?;
///
/// let mut heard = [0; 128];
/// let len = hub.try_read(&mut heard)?;
/// let lines = b"{\"jsonrpc\":\"2.0\",\"method\":\"awake\"}\n{\"jsonrpc\":\"2.0\",\"result\":42,\"id\":1}\n";
/// assert_eq!(&heard[..len], lines);
/// # Ok(()) }
/// ```
pub struct Connection<'b, R, W, F, const N: usize> {
    reader: R,
    writer: W,
    framer: &'b mut Framer<F, N>,
    output: &'b mut [u8],
    has_ended: bool,
}

/// Why a connection can go no further, or why a message was not sent on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ConnectionError<R, W> {
    /// The reader says so.
    Read(R),
    /// The writer says so.
    Write(W),
    /// The writer takes no more bytes.
    WriteZero,
    /// The message that was to be sent does not fit the output, or is none; nothing of it was sent.
    Message(Error),
}

/// What becomes of reading from `R` and writing to `W`.
type Outcome<T, R, W> = Result<T, ConnectionError<<R as ErrorType>::Error, <W as ErrorType>::Error>>;

impl<R: fmt::Display, W: fmt::Display> fmt::Display for ConnectionError<R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "reading: {error}"),
            Self::Write(error) => write!(f, "writing: {error}"),
            Self::WriteZero => f.write_str("writing: no more bytes are taken"),
            Self::Message(error) => write!(f, "message: {error}"),
        }
    }
}

impl<R: core::error::Error, W: core::error::Error> core::error::Error for ConnectionError<R, W> {}

impl<'b, R, W, F: Frame, const N: usize> Connection<'b, R, W, F, N> {
    /// A connection on what `framer` has not handed out yet and `reader` will bring.
    pub const fn new(reader: R, writer: W, framer: &'b mut Framer<F, N>, output: &'b mut [u8]) -> Self {
        Self { reader, writer, framer, output, has_ended: false }
    }

    /// Whether the peer has ended the stream.
    pub const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The next whole message that has been read, or what is wrong with the stream; `None` before more is read. For those
    /// who do not [`answer`](Self::answer) with a server.
    #[expect(clippy::should_implement_trait, reason = "the message borrows the buffer")]
    pub fn next(&mut self) -> Item<'_, F> {
        if self.has_ended { self.framer.finish() } else { self.framer.next() }
    }

    /// Gives reader and writer back.
    pub fn into_parts(self) -> (R, W) {
        (self.reader, self.writer)
    }

    /// Puts `message` into its room and returns its length.
    fn put(&mut self, message: &(impl Outgoing + ?Sized)) -> Result<usize, Error> {
        let mut out = Writer::new(room::<F>(self.output));
        out.message(message)?;
        Ok(out.len())
    }

    /// Puts a text that is one already into its room.
    fn put_text(&mut self, text: &[u8]) -> Result<usize, Error> {
        let mut out = Writer::new(room::<F>(self.output));
        out.bytes(text)?;
        Ok(out.len())
    }
}

impl<R, W, F, const N: usize> fmt::Debug for Connection<'_, R, W, F, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("has_ended", &self.has_ended).finish_non_exhaustive()
    }
}

#[cfg(feature = "defmt")]
impl<R, W, F, const N: usize> defmt::Format for Connection<'_, R, W, F, N> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Connection {{ has_ended: {} }}", self.has_ended);
    }
}

/// Where a message goes, so that its frame has room around it.
fn room<F: Frame>(output: &mut [u8]) -> &mut [u8] {
    let end = output.len().saturating_sub(F::tail().len());
    output.get_mut(Head::MAX_LEN..end).unwrap_or_default()
}

/// Puts the frame around a message of `len` bytes in its [`room`], so that one write sends all of it.
fn framed<F: Frame>(output: &mut [u8], len: usize) -> &[u8] {
    let end = Head::MAX_LEN.wrapping_add(len);
    F::smooth(output.get_mut(Head::MAX_LEN..end).unwrap_or_default());
    let (head, tail) = (F::head(len), F::tail());
    let start = Head::MAX_LEN.saturating_sub(head.as_ref().len());
    let behind = end.wrapping_add(tail.len());
    if let Some(place) = output.get_mut(start..Head::MAX_LEN) {
        copy(head.as_ref(), place);
    }
    if let Some(place) = output.get_mut(end..behind) {
        copy(tail, place);
    }
    output.get(start..behind).unwrap_or_default()
}

/// What comes next: a message, or what is wrong with the stream.
type Item<'b, F> = Option<Result<<F as Frame>::Item<'b>, FrameError>>;
