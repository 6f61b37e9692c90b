//! Recovery from a fault of the stream: for a new stream, or on a stream that goes on.

use super::Connection;
use crate::frame::{Buffer, Frame};

impl<R, W, F: Frame, B: Buffer> Connection<'_, R, W, F, B> {
    /// Resets the connection for a new stream of the same reader and writer: drops the unread bytes, and the marks that
    /// [`FramerOver::clear`](crate::frame::FramerOver::clear) names. Returns the number of whole messages among these bytes, which have arrived and are neither answered nor
    /// passed on; [`next`](Self::next) returns them before. If the stream goes on, as a serial line does, use
    /// [`resume_output`](Self::resume_output), which drops nothing.
    ///
    /// ```
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::{Router, Server};
    ///
    /// let (incoming, mut sent) = (b"half a message", [0; 128]);
    /// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
    /// let mut connection = Connection::new(&incoming[..], &mut sent[..], &mut framer, &mut output);
    /// assert_eq!(connection.read(), Ok(true));
    /// // no whole message is lost
    /// assert_eq!(connection.reset(), 0);
    /// // an unreadable text is answered once; `unanswered` counts the next ones
    /// assert_eq!(connection.answer(&mut Server::new(Router::<()>::new()), &mut ()), Ok(()));
    /// assert_eq!(connection.unanswered(), 0);
    /// let (rest, room) = connection.into_parts();
    /// assert_eq!((rest.len(), room.len()), (0, 128));
    /// ```
    pub fn reset(&mut self) -> usize {
        let mut dropped = 0usize;
        while let Some(found) = self.framer.next_span(false) {
            dropped = dropped.wrapping_add(usize::from(found.is_ok() && !self.is_own(&found)));
        }
        self.framer.clear();
        self.has_ended = false;
        dropped
    }

    /// The writer, for its own settings and state: a time limit, a fault that the driver keeps until it is cleared. Bytes that the program
    /// writes reach the peer outside of any frame.
    ///
    /// ```
    /// use embedded_io::{ErrorKind, ErrorType, Write};
    /// use nanojsonrpc::Notification;
    /// use nanojsonrpc::connection::{Connection, ConnectionError};
    /// use nanojsonrpc::frame::{Framer, Lines};
    ///
    /// /// A driver that takes nothing until its fault is cleared.
    /// struct Uart {
    ///     has_fault: bool,
    /// }
    ///
    /// impl ErrorType for Uart {
    ///     type Error = ErrorKind;
    /// }
    ///
    /// impl Write for Uart {
    ///     fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
    ///         if self.has_fault { Err(ErrorKind::Other) } else { Ok(bytes.len()) }
    ///     }
    ///
    ///     fn flush(&mut self) -> Result<(), ErrorKind> {
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let (mut framer, mut output) = (Framer::<Lines, 64>::new(), [0; 128]);
    /// let mut connection = Connection::new(&b""[..], Uart { has_fault: true }, &mut framer, &mut output);
    /// let note = Notification::new("awake");
    /// assert!(matches!(connection.send(&note), Err(ConnectionError::Write(ErrorKind::Other))));
    /// connection.writer_mut().has_fault = false;
    /// assert!(connection.send(&note).is_ok());
    /// ```
    pub const fn writer_mut(&mut self) -> &mut W {
        &mut self.writer
    }
}
