//! Connections over the blocking traits of `embedded_io`.

use super::driver::driver;
use crate::server::route::Routes;

/// Answers every message from `reader` until the stream ends. A message that is too long or broken is answered with an
/// error.
///
/// A stream that begins as HTTP, TLS or SSH gets one error, and `serve` returns;
/// see [`OtherProtocol`](crate::frame::FrameErrorKind::OtherProtocol).
///
/// Of several unreadable texts in a row, only the first is answered, with null as the id. Otherwise two peers that
/// cannot read each other's answers would answer each other without end.
///
/// # Limits
/// The limits of [`Connection`]. To answer each call, `output` needs 40 bytes, the tail of the frame, and
/// [`MIN_ANSWER_LEN`](crate::server::MIN_ANSWER_LEN) bytes and the id. If it is shorter, no handler of the text runs, and the calls get
/// an error or no answer: the observer of `server` receives [`Event::NoRoom`](crate::server::Event::NoRoom).
///
/// # Errors
/// The errors of the reader and the writer, except `Interrupted`, which is retried. After a message that was sent in
/// part, serving with the same framer returns [`ConnectionError::OutputBroken`] until the framer is
/// [cleared](FramerOver::clear) for a new stream.
///
/// ```
/// # fn main() -> Result<(), Box<dyn core::error::Error>> {
/// use nanojsonrpc::connection::serve;
/// use nanojsonrpc::frame::{Framer, Lines};
/// use nanojsonrpc::memory::Pipe;
/// use nanojsonrpc::{Router, Server};
///
/// let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));
/// let mut pipe: Pipe<64> = Pipe::new();
/// let (device, hub) = pipe.ends();
/// hub.try_write(b"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\n")?;
/// hub.close();
/// serve(&device, &device, &mut Framer::<Lines, 64>::new(), &mut [0; 128], &mut server, &mut ())?;
///
/// let mut received = [0; 64];
/// let len = hub.try_read(&mut received)?;
/// assert_eq!(&received[..len], b"{\"jsonrpc\":\"2.0\",\"result\":\"pong\",\"id\":1}\n");
/// # Ok(()) }
/// ```
pub fn serve<R: Read, W: Write, F: Frame, S: Routes<C>, H: Observer<C>, B: Buffer, C, O: Output + ?Sized>(
    reader: R,
    writer: W,
    framer: &mut FramerOver<F, B>,
    output: &mut O,
    server: &mut Server<S, H>,
    context: &mut C,
) -> Outcome<(), R, W> {
    Connection::new(reader, writer, framer, output).serve(server, context)
}

/// A deadline that needs no place of its own.
#[cfg(any(feature = "mcp", feature = "serde"))]
macro_rules! unpinned {
    ($deadline:ident) => {
        $deadline
    };
}

driver! {
    {} {} embedded_io Routes process_in (FnMut() -> bool) (|| false) unpinned false
    /// Reads once. Returns `false` at the end of the stream. Reads nothing while the framer is full: [`answer`](Self::answer)
    /// and [`next`](Self::next) make room.
    ///
    /// Blocks until the reader has bytes. In a loop with other work, such as polling a sensor, call `ReadReady::read_ready` first. If one
    /// driver both reads and writes, share it between two handles:
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use core::cell::RefCell;
    /// use embedded_io::{ErrorType, Read, ReadReady, Write};
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::{Notification, Router, Server};
    ///
    /// /// A reader or a writer; each borrows the driver only for the time of a call.
    /// struct Half<'u, U>(&'u RefCell<U>);
    ///
    /// impl<U: ErrorType> ErrorType for Half<'_, U> {
    ///     type Error = U::Error;
    /// }
    ///
    /// impl<U: Read> Read for Half<'_, U> {
    ///     fn read(&mut self, bytes: &mut [u8]) -> Result<usize, U::Error> {
    ///         self.0.borrow_mut().read(bytes)
    ///     }
    /// }
    ///
    /// impl<U: Write> Write for Half<'_, U> {
    ///     fn write(&mut self, bytes: &[u8]) -> Result<usize, U::Error> {
    ///         self.0.borrow_mut().write(bytes)
    ///     }
    ///
    ///     fn flush(&mut self) -> Result<(), U::Error> {
    ///         self.0.borrow_mut().flush()
    ///     }
    /// }
    ///
    /// # let mut pipe: nanojsonrpc::memory::Pipe<256> = nanojsonrpc::memory::Pipe::new();
    /// # let (uart, hub) = pipe.ends();
    /// # hub.try_write(b"{\"jsonrpc\":\"2.0\",\"method\":\"level\",\"id\":1}\n").unwrap();
    /// let uart = RefCell::new(&uart);
    /// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 256]);
    /// let mut connection = Connection::new(Half(&uart), Half(&uart), &mut framer, &mut output);
    /// let mut server = Server::new(Router::new().request("level", |level: &mut u8| Ok(*level)));
    /// let mut level = 0;
    /// for _ in 0..3 {
    ///     if uart.borrow_mut().read_ready().unwrap() {
    ///         connection.read().unwrap();
    ///         connection.answer(&mut server, &mut level).unwrap();
    ///     }
    ///     level += 1;
    ///     connection.send(&Notification::new("level").with_params(&[level])).unwrap();
    /// }
    /// # let mut received = [0; 256];
    /// # let len = hub.try_read(&mut received).unwrap();
    /// # assert!(received[..len].starts_with(b"{\"jsonrpc\":\"2.0\",\"result\":0,\"id\":1}\n{"));
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of the reader, except `Interrupted`.
    read
    /// Answers every complete message in the framer; at the end of the stream, also an incomplete one. Flushes the writer
    /// once, after the last answer.
    ///
    /// # Errors
    /// The errors of the writer; [`ConnectionError::OutputBroken`], before a handler is called.
    answer
    /// [`answer`](Self::answer) and [`read`](Self::read) until the stream ends.
    ///
    /// # Errors
    /// The errors of the reader and the writer; [`ConnectionError::OutputBroken`].
    serve
    /// Sends a message by the rules of JSON-RPC 2.0: a request, a notification, a response. To send one of another dialect, write it with
    /// [`Writer::message_as`](crate::Writer::message_as), and send the text with [`send_text`](Self::send_text).
    ///
    /// # Errors
    /// [`ConnectionError::Message`] if the message does not fit or is not valid, [`ConnectionError::OutputBroken`], and the errors of the
    /// writer.
    send
    /// Sends the consecutive messages and batches in `text`, as a [`Client`](crate::Client) writes them, each in its own frame.
    /// [Clear](crate::Writer::clear) the writer before the next calls: otherwise its text still contains the calls that are sent. For an
    /// empty text, such as that of an empty batch, this method only repeats a flush that has failed.
    ///
    /// # Limits
    /// Each message: as [`send`](Self::send). Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH).
    ///
    /// # Errors
    /// [`ConnectionError::Message`] if a message does not fit the output or is not JSON; then none is sent.
    /// [`ConnectionError::OutputBroken`], and the errors of the writer: then the messages before the fault are sent.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn core::error::Error>> {
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::{Client, Writer};
    ///
    /// let mut sent = [0; 128];
    /// let mut outgoing = &mut sent[..];
    /// let (mut framer, mut output) = (Framer::<Lines, 64>::new(), [0; 128]);
    /// let mut connection = Connection::new(&b""[..], &mut outgoing, &mut framer, &mut output);
    ///
    /// let mut client: Client<char, 2> = Client::new();
    /// let mut buffer = [0; 128];
    /// let mut calls = Writer::new(&mut buffer);
    /// client.call("led", &[true], 'l', &mut calls)?;
    /// client.call("uptime", &(), 'u', &mut calls)?;
    /// connection.send_text(calls.written())?;
    /// let lines = b"{\"jsonrpc\":\"2.0\",\"method\":\"led\",\"params\":[true],\"id\":1}\n\
    ///     {\"jsonrpc\":\"2.0\",\"method\":\"uptime\",\"id\":2}\n";
    /// assert!(sent.starts_with(lines));
    /// # Ok(()) }
    /// ```
    send_text
    /// Calls `method` of the peer and waits for the result: for a client. Requests of the peer are answered with -32601 meanwhile; its
    /// notifications, late answers and unreadable texts are dropped. A program that handles or observes them calls over
    /// [`peer`](Self::peer), with a server.
    ///
    /// `T` is the type of the result, which may borrow from the connection. For many calls in flight at once, write them with a
    /// [`Client`](crate::Client).
    ///
    /// ```
    /// use nanojsonrpc::connection::{CallError, Connection};
    /// use nanojsonrpc::frame::{Framer, Lines};
    ///
    /// let mut incoming = &b"{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":4503599627370496}\n\
    ///     {\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"no\"},\"id\":4503599627370497}\n"[..];
    /// let mut sent = [0; 256];
    /// let mut outgoing = &mut sent[..];
    /// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 256]);
    /// let mut connection = Connection::new(&mut incoming, &mut outgoing, &mut framer, &mut output);
    ///
    /// assert_eq!(connection.call("subtract", &[42, 23]), Ok(19));
    /// let refused = connection.call::<i32>("subtract", &[1]);
    /// assert!(matches!(refused, Err(CallError::Peer(error)) if error.message == "no"));
    /// ```
    ///
    /// # Limits
    /// The limits of [`Connection`]. The decoded strings with escapes in the result must together fit the output. An answer that does not
    /// fit the buffer of the framer is lost and ends no call: only a deadline ends it, and the observer of the server of a
    /// [`peer`](Self::peer) receives the fault. Two other texts end no call, although they contain its id: an array, which answers a batch,
    /// and an object without `result` and `error`, which is not a response. The ids are integers from 2^52 on. A peer without 64-bit numbers
    /// sends back another number, or null: call such a peer with a [`Client`](crate::Client), whose ids begin at 1. Rules: those of JSON-RPC
    /// 2.0; with a [`peer`](Self::peer), those of the server's dialect.
    ///
    /// # Errors
    /// See [`CallError`]. An error response without an id, which answers a text that the peer could not read, ends no call. If a flush
    /// fails when the answer has arrived, the call returns the answer, and the next method that sends or answers flushes again.
    call
    /// [`call`](Self::call) with a deadline. The method calls `is_late` before each read and after a failed read, and ends when `is_late`
    /// returns `true`. A reader that can wait forever needs its own timeout. Before the deadline, the call repeats a read that fails with
    /// the kind `TimedOut`; any other failed read ends it with [`CallError::Connection`]. A timeout of a std socket can have another kind.
    /// So let `is_late` set the timeout of the next read to the remaining time:
    ///
    /// ```no_run
    /// use std::net::TcpStream;
    /// use std::time::{Duration, Instant};
    ///
    /// /// The `is_late` of a call that ends after `limit`.
    /// fn late_after(limit: Duration, stream: TcpStream) -> impl FnMut() -> bool {
    ///     let start = Instant::now();
    ///     move || {
    ///         let left = limit.saturating_sub(start.elapsed());
    ///         left.is_zero() || stream.set_read_timeout(Some(left)).is_err()
    ///     }
    /// }
    /// # _ = late_after;
    /// ```
    ///
    /// With a reader in memory:
    ///
    /// ```
    /// use nanojsonrpc::connection::{CallError, Connection};
    /// use nanojsonrpc::frame::{Framer, Lines};
    ///
    /// let mut incoming = &b"{\"jsonrpc\":\"2.0\",\"method\":\"tick\"}\n"[..];
    /// let mut sent = [0; 128];
    /// let mut outgoing = &mut sent[..];
    /// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
    /// let mut connection = Connection::new(&mut incoming, &mut outgoing, &mut framer, &mut output);
    /// let mut reads = 0;
    /// let is_late = || {
    ///     reads += 1;
    ///     reads > 1
    /// };
    /// let late = connection.call_until::<i32>("subtract", &[42, 23], is_late);
    /// assert!(matches!(late, Err(CallError::Late)));
    /// ```
    ///
    /// # Errors
    /// As [`call`](Self::call); [`CallError::Late`].
    call_until
    /// Sends again after a message that was sent in part, on a stream that goes on, such as a serial line: writes the
    /// [tail](Frame::tail) of the frame, which ends that message, and flushes. The messages that have arrived are kept, and
    /// [`answer`](Self::answer) answers them. The message that was sent in part is lost: if it is an answer, its handler has run, and the
    /// observer has received [`Event::AnswerUnsent`]. If no message was sent in part, only repeats a flush
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
    resume_output
    /// Closes a WebSocket: sends a close with `code` and `reason`, drops the messages that still arrive, and waits for the close of the
    /// peer or the end of the stream. Then nothing can be sent. RFC 6455 §7.1.2.
    ///
    /// ```
    /// use nanojsonrpc::connection::{Connection, ConnectionError};
    /// use nanojsonrpc::frame::websocket::Close;
    /// use nanojsonrpc::frame::{Framer, WebSocket};
    /// use nanojsonrpc::Notification;
    ///
    /// // the peer closes, too
    /// let (mut incoming, mut sent) = (&b"\x88\x82\0\0\0\0\x03\xe8"[..], [0; 16]);
    /// let (mut framer, mut output) = (Framer::<WebSocket, 64>::new(), [0; 64]);
    /// let mut connection = Connection::new(&mut incoming, &mut sent[..], &mut framer, &mut output);
    /// assert_eq!(connection.close(Close::NORMAL, "done"), Ok(()));
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
    close
    answer_until answer_found call_serving notify_serving wait read_until write write_as open flush
}

#[cfg(any(feature = "mcp", feature = "serde"))]
impl<R: Read, W: Write, F: Frame, B: Buffer> Connection<'_, R, W, F, B> {
    /// Reads once, and returns whether it is late. A read that fails with `TimedOut` is repeated until then.
    pub(crate) fn read_until(&mut self, mut is_late: impl FnMut() -> bool) -> Outcome<bool, R, W> {
        use embedded_io::{Error, ErrorKind};

        if is_late() {
            return Ok(true);
        }
        match self.read() {
            // the adapters of std return a socket timeout as another error, so the clock decides
            Err(ConnectionError::Read(_)) if is_late() => Ok(true),
            Err(ConnectionError::Read(error)) if error.kind() == ErrorKind::TimedOut => Ok(false),
            read => read.map(|_| false),
        }
    }
}
