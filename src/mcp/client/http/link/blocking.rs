//! Streamable HTTP that blocks.

use super::linked;

/// A stream to the server that can be opened again, such as a socket and the address of the server.
pub trait Open: embedded_io::Read + embedded_io::Write {
    /// Opens a new stream to the server. An earlier one is closed.
    ///
    /// # Errors
    /// No stream can be opened.
    fn open(&mut self) -> Result<(), Self::Error>;

    /// Closes the stream, if it is open.
    fn close(&mut self);

    /// Waits before a stream is resumed: "The client MUST respect the `retry` field" (2025-11-25, Sending Messages to the Server).
    /// The server chooses the time, up to 49 days, which is waited for in parts of at most one second: the session checks its deadline after
    /// each of them. The program may wait for less, or not at all.
    fn pause(&mut self, milliseconds: u32);
}

linked! {
    {} {} embedded_io Open
    /// Ends the session at the server, if there is one. Servers that do not allow this are not an error.
    ///
    /// # Errors
    /// [`HttpError`].
    end
}
