//! The close of a WebSocket by the program. RFC 6455 §7.1.2.

use super::{Connection, ConnectionError, Outcome, blocking};
use crate::frame::websocket::{MAX_CONTROL_LEN, Side};
use crate::frame::{Buffer, WebSocket};

/// The greatest length of a close: two bytes of its header, and a mask.
const MAX_LEN: usize = 6 + MAX_CONTROL_LEN;

/// Defines `close` or `close_async`. The arguments: `async` and `.await`, or nothing; the module with `write_frame`; the crate of the
/// traits; the names of the methods.
macro_rules! close {
    (
        { $($async:tt)* } { $($await:tt)* } $module:ident $traits:ident
        $(#[$doc:meta])* $close:ident $open:ident $read:ident $flush:ident
    ) => {
        impl<R: $traits::Read, W: $traits::Write, S: Side, B: Buffer> Connection<'_, R, W, WebSocket<S>, B> {
            $(#[$doc])*
            pub $($async)* fn $close(&mut self, code: u16, reason: &str) -> Outcome<(), R, W> {
                // if a close was sent, but its flush failed or was dropped, this flushes it
                self.$open()$($await)*?;
                let mut frame = [0; MAX_LEN];
                let len = WebSocket::<S>::close(code, reason, &mut frame).map_err(ConnectionError::Message)?;
                let frame = frame.get(..len).unwrap_or_default();
                $module::write_frame(&mut self.writer, self.framer, frame)$($await)*?;
                // nothing may follow a close
                self.framer.is_output_broken = true;
                self.$flush()$($await)*?;
                loop {
                    // drop messages that the peer sent before it received the close, and its own close
                    while self.framer.next_span(self.has_ended).is_some() {}
                    if !self.$read()$($await)*? {
                        return Ok(());
                    }
                }
            }
        }
    };
}

close! {
    {} {} blocking embedded_io
    /// Closes a WebSocket: sends a close with `code` and `reason`, drops the messages that still arrive, and waits for the close of the
    /// peer or the end of the stream. Then nothing can be sent. RFC 6455 §7.1.2.
    ///
    /// ```
    /// use nanojsonrpc::connection::{Connection, ConnectionError};
    /// use nanojsonrpc::frame::websocket::NORMAL;
    /// use nanojsonrpc::frame::{Framer, WebSocket};
    /// use nanojsonrpc::Notification;
    ///
    /// // the peer closes, too
    /// let (mut incoming, mut sent) = (&b"\x88\x82\0\0\0\0\x03\xe8"[..], [0; 16]);
    /// let (mut framer, mut output) = (Framer::<WebSocket, 64>::new(), [0; 64]);
    /// let mut connection = Connection::new(&mut incoming, &mut sent[..], &mut framer, &mut output);
    /// assert_eq!(connection.close(NORMAL, "done"), Ok(()));
    /// assert_eq!(connection.send(&Notification::new("tick")), Err(ConnectionError::OutputBroken));
    /// assert_eq!(&sent[..8], b"\x88\x06\x03\xe8done");
    /// ```
    ///
    /// # Limits
    /// `reason`: 123 bytes. Time: no limit, if the peer neither closes nor ends the stream. So the reader needs a time limit.
    ///
    /// # Errors
    /// The errors of the reader and the writer; [`OutputBroken`](ConnectionError::OutputBroken) after a close;
    /// [`Message`](ConnectionError::Message) for a code that must not be sent or a reason that is too long.
    close open read flush
}

#[cfg(feature = "embedded-io-async")]
use super::asynchronous;

#[cfg(feature = "embedded-io-async")]
close! {
    { async } { .await } asynchronous embedded_io_async
    /// [`close`](Self::close) without blocking. If the future is dropped, nothing can be sent, and the next method that sends or answers
    /// flushes the close.
    ///
    /// # Errors
    /// As [`close`](Self::close).
    close_async open_async read_async flush_async
}
