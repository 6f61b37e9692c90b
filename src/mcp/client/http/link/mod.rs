//! Streamable HTTP over byte streams, as one stream of events in both directions.

#[cfg(feature = "embedded-io-async")]
mod asynchronous;
mod blocking;
mod body;
mod error;
mod events;
mod inner;
mod version;

#[cfg(feature = "embedded-io-async")]
pub use asynchronous::OpenAsync;
pub use blocking::Open;
pub use error::HttpError;

use core::cell::RefCell;
use core::fmt;

use super::{Remote, Reply};
use inner::Inner;

/// A server over HTTP/1.1, as the stream of a [`Connection`](crate::connection::Connection) with the frame
/// [`Events`](crate::frame::Events): each written message is sent as a `POST`, and the messages of the responses are read as events. So a
/// [`Session`](crate::mcp::client::Session) works over HTTP as over any stream. A reference is both the reader and the writer.
///
/// `S` is a stream that can be opened again, because each message takes a connection of its own. There are two: the answer to a request of
/// the server is sent over the second one, while the response to the call is still open on the first one.
///
/// ```
/// use core::time::Duration;
/// use std::io::{Error, ErrorKind, Read as _, Write as _};
/// use std::net::{SocketAddr, TcpStream};
/// use std::thread::sleep;
///
/// use embedded_io::{ErrorType, Read, Write};
/// use nanojsonrpc::connection::Connection;
/// use nanojsonrpc::frame::{Events, Framer};
/// use nanojsonrpc::mcp::client::Client;
/// use nanojsonrpc::mcp::client::http::{Http, Open, Remote};
/// use nanojsonrpc::{Dialect, Router, Server};
///
/// struct Tcp(SocketAddr, Option<TcpStream>);
///
/// impl ErrorType for Tcp {
///     type Error = Error;
/// }
///
/// impl Read for Tcp {
///     fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Error> {
///         self.1.as_mut().ok_or(ErrorKind::NotConnected)?.read(bytes)
///     }
/// }
///
/// impl Write for Tcp {
///     fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
///         self.1.as_mut().ok_or(ErrorKind::NotConnected)?.write(bytes)
///     }
///
///     fn flush(&mut self) -> Result<(), Error> {
///         Ok(())
///     }
/// }
///
/// impl Open for Tcp {
///     fn open(&mut self) -> Result<(), Error> {
///         self.1 = Some(TcpStream::connect_timeout(&self.0, Duration::from_secs(5))?);
///         Ok(())
///     }
///
///     fn close(&mut self) {
///         self.1 = None;
///     }
///
///     fn pause(&mut self, milliseconds: u32) {
///         sleep(Duration::from_millis(milliseconds.into()));
///     }
/// }
///
/// fn call(address: SocketAddr) -> Result<(), String> {
///     let host = address.to_string();
///     let http: Http<'_, Tcp> = Http::new(Remote::new(&host, "/mcp"), Tcp(address, None), Tcp(address, None));
///     let (mut framer, mut output) = (Framer::<Events, 4096>::new(), [0; 1024]);
///     let mut connection = Connection::new(&http, &http, &mut framer, &mut output);
///     let mut server = Server::new(Router::<()>::new()).with_dialect(Dialect::MCP);
///     let (mut client, mut context) = (Client::new("me", "1.0.0"), ());
///     let mut session = client.over(&mut connection, &mut server, &mut context);
///     session.connect().map_err(|error| error.to_string())?;
///     session.call_tool("switch", &()).map_err(|error| error.to_string())?;
///     http.end().map_err(|error| error.to_string())
/// }
/// # assert!(call(([127, 0, 0, 1], 1).into()).is_err());
/// ```
///
/// # Limits
/// `HEAD` is the maximum length of the head of a request, and of a response; those of common servers have 200 to 500 bytes. A response has
/// at most 16 interim responses before it. The id of an event with which a stream is resumed has at most 64 bytes, visible ASCII and
/// spaces. The frame reports an event that breaks off as one whose name is
/// [too long](crate::frame::FrameErrorKind::EventNameTooLong), so its names have at most 64 bytes. A stream that breaks off again and again
/// is resumed without a limit: set a [deadline](crate::mcp::client::Session::until). A deadline interrupts neither a message that is sent
/// nor, if that has no answer, the wait for the head of its response.
///
/// # Cancellation
/// In 2026-07-28 a cancelled call closes its response; the notification that a [`Session`](crate::mcp::client::Session) writes after a
/// deadline does this. In earlier revisions it is sent.
///
/// # Errors
/// The methods of a session return them as [`ConnectionError`](crate::connection::ConnectionError). Later calls may succeed:
///
/// | error | what to do |
/// |---|---|
/// | [`Unauthorized`](HttpError::Unauthorized) | read the [challenge](Self::challenge), [set a token](Remote::set_token), and repeat the call |
/// | [`SessionEnded`](HttpError::SessionEnded) | [connect](crate::mcp::client::Session::connect) again, and repeat the call |
/// | others | the call may have had its effect |
///
/// # Cancel safety
/// A future that is dropped while it reads loses nothing. One that is dropped while it writes loses its message; then
/// [`reset`](crate::connection::Connection::reset) the connection.
///
/// Source: RFC 9112; 2026-07-28, Streamable HTTP; 2025-11-25, Transports.
pub struct Http<'t, S, const HEAD: usize = 1024> {
    inner: RefCell<Inner<'t, S, HEAD>>,
}

impl<'t, S, const HEAD: usize> Http<'t, S, HEAD> {
    /// A server at `remote`, over two streams that are not open yet.
    pub const fn new(remote: Remote<'t>, main: S, side: S) -> Self {
        Self { inner: RefCell::new(Inner::new(remote.closing(), main, side)) }
    }

    /// Calls `change` with the server, such as to set a token, or to read the id of the session. `None` while a future reads or writes.
    pub fn with_remote<T>(&self, change: impl FnOnce(&mut Remote<'t>) -> T) -> Option<T> {
        Some(change(&mut self.inner.try_borrow_mut().ok()?.remote))
    }

    /// Calls `read` with the `WWW-Authenticate` of the last response with the status 401 or 403, before the next request.
    pub fn challenge<T>(&self, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let inner = self.inner.try_borrow().ok()?;
        let (reply, _) = Reply::parse(inner.refused()).ok()??;
        reply.www_authenticate.map(read)
    }

    /// Opens a stream for messages of the server outside of calls, when no response is left to read: in
    /// [`handle_incoming`](crate::mcp::client::Session::handle_incoming). It ends with the next call. 2025-03-26 to 2025-11-25.
    pub fn listen(&self) {
        if let Ok(mut inner) = self.inner.try_borrow_mut() {
            inner.listens = true;
        }
    }
}

impl<S, const HEAD: usize> fmt::Debug for Http<'_, S, HEAD> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Http")
    }
}

#[cfg(feature = "defmt")]
impl<S, const HEAD: usize> defmt::Format for Http<'_, S, HEAD> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Http");
    }
}

/// Implements the traits of the streams. The arguments: `async` and `.await`, or nothing; the crate of the traits; the trait of a stream
/// that can be opened; the names of its methods, and of the method that ends a session, with its documentation.
macro_rules! linked {
    (
        { $($async:tt)* } { $($await:tt)* } $traits:ident $Open:ident
        $(#[$end_doc:meta])* $end:ident
    ) => {
        use $traits::{Read, Write};
        use embedded_io::{Error as _, ErrorKind};

        use super::inner::{Inner, MAX_INTERIM, Next, Outgoing, settle};
        use super::{Http, HttpError};

        impl<S: $Open, const HEAD: usize> Http<'_, S, HEAD> {
            $(#[$end_doc])*
            pub $($async)* fn $end(&self) -> Result<(), HttpError<S::Error>> {
                let Ok(mut inner) = self.inner.try_borrow_mut() else { return Err(HttpError::NoAnswer) };
                if inner.remote.session_id().is_none() {
                    return Ok(());
                }
                inner.forget_response();
                let head = inner.head(|remote, _, out| remote.put_delete(out))?;
                let outcome = exchange(&mut inner, head, b"", false)$($await)*;
                inner.remote.forget_session();
                match outcome {
                    Err(HttpError::SessionEnded | HttpError::Status(405)) => Ok(()),
                    outcome => outcome,
                }
            }
        }

        impl<S: $Open, const HEAD: usize> Read for &Http<'_, S, HEAD> {
            #[allow(clippy::await_holding_refcell_ref, reason = "a second borrow is refused with an error")]
            $($async)* fn read(&mut self, bytes: &mut [u8]) -> Result<usize, HttpError<S::Error>> {
                let Ok(mut borrowed) = self.inner.try_borrow_mut() else { return Err(HttpError::NoAnswer) };
                let inner = &mut *borrowed;
                loop {
                    match inner.next(bytes)? {
                        Next::Bytes(len) => return Ok(len),
                        Next::Head => {
                            let len = received(&mut inner.main, inner.room.get_mut(inner.end..).unwrap_or_default())$($await)*?;
                            inner.head_received(len)?;
                        }
                        Next::Body => {
                            let len = match received(&mut inner.main, bytes)$($await)* {
                                Err(HttpError::Stream(error)) if inner.survives(error.kind()) => 0,
                                outcome => outcome?,
                            };
                            let len = inner.body_received(bytes, len)?;
                            if len != 0 {
                                return Ok(len);
                            }
                        }
                        Next::Pause(milliseconds) => {
                            inner.main.pause(milliseconds)$($await)*;
                            inner.paused(milliseconds);
                        }
                        Next::Resume => {
                            inner.begin();
                            let head = inner.head(|remote, last_id, out| remote.put_get(last_id, out))?;
                            inner.main.open()$($await)*.map_err(HttpError::Stream)?;
                            send(&mut inner.main, inner.room.get(head).unwrap_or_default())$($await)*?;
                            inner.main.flush()$($await)*.map_err(HttpError::Stream)?;
                            inner.await_head();
                        }
                    }
                }
            }
        }

        impl<S: $Open, const HEAD: usize> Write for &Http<'_, S, HEAD> {
            #[allow(clippy::await_holding_refcell_ref, reason = "a second borrow is refused with an error")]
            $($async)* fn write(&mut self, bytes: &[u8]) -> Result<usize, HttpError<S::Error>> {
                let Ok(mut borrowed) = self.inner.try_borrow_mut() else { return Err(HttpError::NoAnswer) };
                let inner = &mut *borrowed;
                match inner.outgoing(bytes)? {
                    // "On Streamable HTTP, closing the response stream is itself the cancellation signal"
                    Outgoing::Close => {
                        inner.forget_response();
                        inner.main.close();
                    }
                    Outgoing::Request(head, text) => {
                        inner.main.open()$($await)*.map_err(HttpError::Stream)?;
                        send(&mut inner.main, inner.room.get(head).unwrap_or_default())$($await)*?;
                        send(&mut inner.main, text)$($await)*?;
                        inner.main.flush()$($await)*.map_err(HttpError::Stream)?;
                        inner.await_head();
                    }
                    Outgoing::Other(head, text, is_aside) => {
                        exchange(inner, head, text, is_aside)$($await)*?;
                    }
                }
                Ok(bytes.len())
            }

            $($async)* fn flush(&mut self) -> Result<(), HttpError<S::Error>> {
                Ok(())
            }
        }

        /// Sends a head of the room and a body on a stream of its own, and receives the head of the response into the room, where it begins
        /// as the head did. Fails unless the response has a status of success.
        $($async)* fn exchange<S: $Open, const HEAD: usize>(
            inner: &mut Inner<'_, S, HEAD>,
            head: core::ops::Range<usize>,
            body: &[u8],
            is_aside: bool,
        ) -> Result<(), HttpError<S::Error>> {
            let stream = if is_aside { &mut inner.side } else { &mut inner.main };
            let start = head.start;
            stream.open()$($await)*.map_err(HttpError::Stream)?;
            send(stream, inner.room.get(head).unwrap_or_default())$($await)*?;
            send(stream, body)$($await)*?;
            stream.flush()$($await)*.map_err(HttpError::Stream)?;
            let (mut end, mut interim) = (start, MAX_INTERIM);
            let outcome = loop {
                let room = inner.room.get_mut(end..).unwrap_or_default();
                if room.is_empty() {
                    break Err(HttpError::HeadTooLong);
                }
                let len = received(stream, room)$($await)*?;
                let part = inner.room.get_mut(start..end.wrapping_add(len)).unwrap_or_default();
                match settle(part, len, &mut interim) {
                    Ok((len, is_complete)) => {
                        end = start.wrapping_add(len);
                        if is_complete {
                            break Ok(());
                        }
                    }
                    Err(error) => break Err(error),
                }
            };
            stream.close();
            inner.refused = start..end;
            outcome?;
            inner.accept()
        }

        /// Receives some bytes; 0 at the end of the stream.
        $($async)* fn received<S: $Open>(stream: &mut S, bytes: &mut [u8]) -> Result<usize, HttpError<S::Error>> {
            loop {
                match stream.read(bytes)$($await)* {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    outcome => return outcome.map_err(HttpError::Stream),
                }
            }
        }

        /// Sends all of `rest`.
        $($async)* fn send<S: $Open>(stream: &mut S, mut rest: &[u8]) -> Result<(), HttpError<S::Error>> {
            while !rest.is_empty() {
                match stream.write(rest)$($await)* {
                    Ok(0) => return Err(HttpError::WriteZero),
                    Ok(len) => rest = rest.get(len..).unwrap_or_default(),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(HttpError::Stream(error)),
                }
            }
            Ok(())
        }
    };
}

use linked;

impl<S: embedded_io::ErrorType, const HEAD: usize> embedded_io::ErrorType for &Http<'_, S, HEAD> {
    type Error = HttpError<S::Error>;
}
