//! Connections over the blocking traits of `embedded_io`.

use super::driver::driver;
use crate::server::route::Routes;

/// Answers every message from `reader` until the stream ends. A message that is too long or broken is answered with an
/// error.
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
    {} {} embedded_io Routes process_in (FnMut() -> bool) unpinned false
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
    answer_until answer_found call_serving wait read_until write write_as open flush
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
