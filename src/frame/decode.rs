//! The reading half of a frame.

use super::spans::Spans;
use super::{Control, Found, FrameErrorKind};

/// The reading half of a [`Frame`](super::Frame): finds the end of a message in a stream.
///
/// Implement it for a frame of your own. A framer calls [`step`](Self::step) when bytes have arrived; a step reads the unread bytes from the
/// front, by the methods of [`Spans`], which store or drop them. `examples/frames/mod.rs` has COBS and a length prefix.
///
/// ```
/// use nanojsonrpc::frame::{Decode, Found, Frame, FrameErrorKind, Framer, Head, Spans};
///
/// /// A byte before each message is its length.
/// struct Short {
///     /// The number of missing bytes; `None` before a length.
///     missing: Option<u8>,
///     is_dropping: bool,
/// }
///
/// impl Decode for Short {
///     const NEW: Self = Self { missing: None, is_dropping: false };
///
///     fn step(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Option<Found> {
///         loop {
///             let unread = spans.unread(bytes);
///             let Some(missing) = self.missing else {
///                 self.missing = Some(*unread.first()?);
///                 spans.drop(1);
///                 continue;
///             };
///             let len = unread.len().min(missing.into());
///             if self.is_dropping { spans.drop(len) } else { spans.keep(len) }
///             if len < missing.into() {
///                 self.missing = Some(missing - len as u8);
///                 if self.is_dropping || spans.len() < limit {
///                     return None;
///                 }
///                 self.is_dropping = true;
///                 return Some(Err(spans.error(FrameErrorKind::TooLong, 0)));
///             }
///             self.missing = None;
///             if !core::mem::take(&mut self.is_dropping) {
///                 return Some(Ok(spans.take()));
///             }
///         }
///     }
///
///     fn end(&mut self, _: &mut [u8], spans: &mut Spans) -> Option<Found> {
///         let Self { missing, is_dropping } = core::mem::replace(self, Self::NEW);
///         missing.filter(|_| !is_dropping).map(|_| Err(spans.error(FrameErrorKind::Truncated, 0)))
///     }
/// }
///
/// impl Frame for Short {
///     type Item<'b> = &'b [u8];
///
///     const MAX_MESSAGE_LEN: usize = 255;
///
///     fn head(len: usize) -> Head {
///         Head::new([len as u8])
///     }
///
///     fn tail() -> &'static [u8] {
///         b""
///     }
///
///     fn replace_line_ends(_: &mut [u8]) {}
///
///     fn item<'b>(&'b self, message: &'b [u8]) -> &'b [u8] {
///         message
///     }
/// }
///
/// let mut wire = [0; 16];
/// assert_eq!(Short::encode(b"{\"id\":1}", &mut wire), Ok(9));
/// let mut framer = Framer::<Short, 16>::new();
/// framer.push(&wire[..9]);
/// assert_eq!(framer.next(), Some(Ok(&b"{\"id\":1}"[..])));
/// ```
pub trait Decode: Sized {
    /// The state at the front of a stream.
    const NEW: Self;

    /// Whether messages stand on a stream without another protocol below, so that a stream that begins as HTTP, TLS or SSH ends with
    /// [`OtherProtocol`](FrameErrorKind::OtherProtocol). Without it, the first byte of each stream must tell the frame from these.
    const IS_BARE: bool = false;

    /// Reads the unread bytes up to the end of a message, a fault, or the last byte. `bytes` is the buffer, and `limit` its greatest length.
    ///
    /// Read each byte once, so that the messages do not depend on the cuts between chunks. Return `None` only if no byte is unread and the
    /// stored part is shorter than `limit`: a longer message is [`TooLong`](FrameErrorKind::TooLong), and the following steps must find its end.
    /// After a fault, a connection classifies the stored part of the message, so the step that follows drops it.
    fn step(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Option<Found>;

    /// Begins a new stream.
    fn restart(&mut self) {
        *self = Self::NEW;
    }

    /// Ends the stream, after every byte has been read: the last message, if it needs no end; [`Truncated`](FrameErrorKind::Truncated) if the
    /// stream ends inside a message; then `None`.
    fn end(&mut self, bytes: &mut [u8], spans: &mut Spans) -> Option<Found>;

    /// The action of a connection for the last message or fault, if only the frame is concerned, such as a ping.
    #[doc(hidden)]
    fn control<'m>(&self, _found: Result<&'m [u8], FrameErrorKind>) -> Control<'m> {
        Control::No
    }
}
