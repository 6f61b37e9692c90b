//! Where one message ends in a stream of bytes.
//!
//! | frame | a message is | for |
//! |---|---|---|
//! | [`Lines`] | a line | the stdio transport of MCP, JSON Lines |
//! | [`ContentLength`] | what `Content-Length: 42` announces | the Language Server Protocol |
//! | [`Events`] | the data of a server-sent event | the HTTP transports of MCP |
//! | [`Values`] | a JSON value | bare sockets and serial lines |
//!
//! A [`Framer`] reads, over one fixed buffer. Writing goes through the [`Frame`] itself: [`Frame::encode`] into a
//! buffer, or [`Frame::head`] and [`Frame::tail`] around a message that is sent from where it stands.
//!
//! ```
//! # fn main() -> Result<(), nanojsonrpc::Error> {
//! use nanojsonrpc::frame::{ContentLength, Frame, Framer};
//!
//! let mut wire = [0; 32];
//! let len = ContentLength::encode(b"{\"id\":1}", &mut wire)?;
//! assert_eq!(&wire[..len], b"Content-Length: 8\r\n\r\n{\"id\":1}");
//!
//! let mut framer = Framer::<ContentLength, 64>::new();
//! framer.push(&wire[..len]);
//! assert_eq!(framer.next(), Some(Ok(&b"{\"id\":1}"[..])));
//! # Ok(()) }
//! ```

mod content_length;
mod encode;
mod error;
mod event;
mod events;
mod framer;
mod lines;
mod places;
mod values;

use core::ops::Range;

pub use content_length::{ContentLength, MAX_HEADER_LEN};
pub use encode::Head;
pub use error::{FrameError, FrameErrorKind};
pub use event::Event;
pub use events::Events;
pub use framer::Framer;
pub use lines::Lines;
pub use values::Values;

use crate::error::Error;

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Where the next message is in the buffer, or what is wrong.
type Found = Result<Range<usize>, FrameError>;

/// A way to tell where a message ends: [`Lines`], [`ContentLength`], [`Events`], [`Values`].
pub trait Frame: decode::Decode {
    /// What a [`Framer`] hands out. `as_ref` gives the message.
    type Item<'b>: AsRef<[u8]>
    where
        Self: 'b;

    /// What is sent before a message of `len` bytes.
    fn head(len: usize) -> Head;

    /// What is sent behind a message.
    fn tail() -> &'static [u8];

    /// Makes a space of every byte of a JSON text that would break the frame.
    ///
    /// A raw CR or LF in a valid JSON text stands between tokens, where a space means the same. RFC 8259 §2, §7.
    /// [`encode`](Self::encode) does this by itself.
    fn smooth(message: &mut [u8]);

    /// Writes `message`, a JSON text, in its frame to the front of `out`, and returns the length of all.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if there is no room for the whole; then nothing counts as written.
    fn encode(message: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let (place, len) = encode::around(Self::head(message.len()).as_ref(), message, Self::tail(), out)?;
        Self::smooth(out.get_mut(place).unwrap_or_default());
        Ok(len)
    }

    /// Whether a server has nothing to say to `message`: it is there for the frame's own sake.
    #[doc(hidden)]
    fn is_idle(_message: &[u8]) -> bool {
        false
    }

    #[doc(hidden)]
    fn item<'b>(&'b self, message: &'b [u8]) -> Self::Item<'b>;
}

mod decode {
    use super::Found;
    use super::places::Places;

    /// The half of a frame that reads. Nobody else can implement it.
    pub trait Decode: Sized {
        const NEW: Self;

        /// Looks at the unread bytes up to the end of a message, an error, or the last of them.
        fn step(&mut self, bytes: &mut [u8], places: &mut Places) -> Option<Found>;

        /// The stream has ended, and every byte has been looked at.
        fn end(&mut self, bytes: &mut [u8], places: &mut Places) -> Option<Found>;
    }
}
