//! Recovery from a fault of the stream: for a new stream, or on a stream that goes on.

use super::{Connection, Outcome, blocking};
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

/// Defines `resume_output` or `resume_output_async`. The arguments: `async` and `.await`, or nothing; the module with `write_frame`; the
/// crate of the traits; the names of the methods.
macro_rules! resume {
    (
        { $($async:tt)* } { $($await:tt)* } $module:ident $traits:ident
        $(#[$doc:meta])* $resume:ident $open:ident $flush:ident
    ) => {
        impl<R: $traits::Read, W: $traits::Write, F: Frame, B: Buffer> Connection<'_, R, W, F, B> {
            $(#[$doc])*
            pub $($async)* fn $resume(&mut self) -> Outcome<(), R, W> {
                if F::tail().is_empty() {
                    return self.$open()$($await)*;
                }
                if self.framer.is_output_broken {
                    self.framer.is_unflushed = true;
                    let ended = $module::write_frame(&mut self.writer, self.framer, F::tail())$($await)*;
                    // the part is still open, even if no byte of the tail was written
                    self.framer.is_output_broken = ended.is_err();
                    ended?;
                }
                self.$flush()$($await)*
            }
        }
    };
}

resume! {
    {} {} blocking embedded_io
    /// Sends again after a message that was sent in part, on a stream that goes on, such as a serial line: writes the
    /// [tail](Frame::tail) of the frame, which ends that message, and flushes. The messages that have arrived are kept, and
    /// [`answer`](Self::answer) answers them. The message that was sent in part is lost: if it is an answer, its handler has run, and the
    /// observer has received [`Event::AnswerUnsent`](crate::server::Event::AnswerUnsent). If no message was sent in part, only repeats a flush
    /// that has failed.
    ///
    /// The peer receives that message as a text that it cannot read, or whole if only its tail was missing. A peer that reads
    /// [`Values`](crate::frame::Values) may lose the next message, too.
    ///
    /// ```
    /// use nanojsonrpc::connection::{Connection, ConnectionError};
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::memory::{Pipe, PipeError, Plan};
    /// use nanojsonrpc::{Notification, Router, Server};
    ///
    /// let mut pipe: Pipe<256> = Pipe::new();
    /// let (device, hub) = pipe.ends();
    /// // the line breaks off after 9 bytes, once
    /// let device = device.writing(Plan::WHOLE.fail_once_at(9));
    /// hub.try_write(b"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\n").unwrap();
    /// let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));
    /// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 256]);
    /// let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    /// connection.read().unwrap();
    /// assert_eq!(connection.send(&Notification::new("awake")), Err(ConnectionError::Write(PipeError::Fault)));
    /// assert_eq!(connection.answer(&mut server, &mut ()), Err(ConnectionError::OutputBroken));
    /// assert_eq!(connection.resume_output(), Ok(()));
    /// // the request that has arrived is not lost
    /// assert_eq!(connection.answer(&mut server, &mut ()), Ok(()));
    /// let mut received = [0; 64];
    /// let len = hub.try_read(&mut received).unwrap();
    /// assert_eq!(&received[..len], b"{\"jsonrpc\n{\"jsonrpc\":\"2.0\",\"result\":\"pong\",\"id\":1}\n");
    /// ```
    ///
    /// # Errors
    /// [`OutputBroken`](super::ConnectionError::OutputBroken) if the frame has no tail, as [`ContentLength`](crate::frame::ContentLength) and a
    /// WebSocket: their peer takes the next bytes for the rest of that message, so only a new stream helps. The errors of the writer; then
    /// the output is still broken.
    resume_output open flush
}

#[cfg(feature = "embedded-io-async")]
use super::asynchronous;

#[cfg(feature = "embedded-io-async")]
resume! {
    { async } { .await } asynchronous embedded_io_async
    /// [`resume_output`](Self::resume_output) without blocking. If the future is dropped, the output is still broken.
    ///
    /// # Errors
    /// As [`resume_output`](Self::resume_output).
    resume_output_async open_async flush_async
}
