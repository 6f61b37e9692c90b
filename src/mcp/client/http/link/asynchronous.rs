//! Streamable HTTP that does not block.

use core::future::Future;

use super::linked;

/// An [`Open`](super::Open) that does not block.
///
/// For a `TcpSocket` of embassy-net, `open` calls `abort`, awaits `flush`, because a reset that was not sent is lost, and then `connect` with
/// a timeout; `close` calls `abort`; `flush` returns at once, because that of the socket waits for an acknowledgement of the server, which
/// comes 10 to 40 ms late. `firmware/net/src/mcp_client.rs` in the repository is such a client.
///
/// ```
/// use core::convert::Infallible;
///
/// use embedded_io_async::{ErrorType, Read, Write};
/// use nanojsonrpc::mcp::client::http::{Http, OpenAsync, Remote};
///
/// /// In place of a socket and the address of a server.
/// struct Silent;
///
/// impl ErrorType for Silent {
///     type Error = Infallible;
/// }
///
/// impl Read for Silent {
///     async fn read(&mut self, _: &mut [u8]) -> Result<usize, Infallible> {
///         Ok(0)
///     }
/// }
///
/// impl Write for Silent {
///     async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
///         Ok(bytes.len())
///     }
///
///     async fn flush(&mut self) -> Result<(), Infallible> {
///         Ok(())
///     }
/// }
///
/// impl OpenAsync for Silent {
///     async fn open(&mut self) -> Result<(), Infallible> {
///         Ok(())
///     }
///
///     fn close(&mut self) {}
///
///     async fn pause(&mut self, _: u32) {}
/// }
///
/// let http: Http<'_, Silent> = Http::new(Remote::new("lamp.local", "/mcp"), Silent, Silent);
/// assert_eq!(http.with_remote(|remote| remote.session_id().is_none()), Some(true));
/// ```
pub trait OpenAsync: embedded_io_async::Read + embedded_io_async::Write {
    /// Opens a new stream to the server. An earlier one is closed.
    fn open(&mut self) -> impl Future<Output = Result<(), Self::Error>>;

    /// Closes the stream, if it is open.
    fn close(&mut self);

    /// Waits before a stream is resumed: "The client MUST respect the `retry` field" (2025-11-25, Sending Messages to the Server).
    /// The server chooses the time, up to 49 days, which is waited for in parts of at most one second.
    fn pause(&mut self, milliseconds: u32) -> impl Future<Output = ()>;
}

linked! {
    { async } { .await } embedded_io_async OpenAsync
    /// [`end`](Self::end) without blocking.
    ///
    /// # Errors
    /// [`HttpError`].
    #[allow(clippy::await_holding_refcell_ref, reason = "a second borrow is refused with an error")]
    end_async
}
