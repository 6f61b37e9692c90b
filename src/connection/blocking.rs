//! Connections over the blocking traits of `embedded_io`.

use core::ops::Range;

use embedded_io::{Read, Write};

use super::outgoing::{MESSAGE, framed, room, write_frame};
use super::{Connection, ConnectionError, Outcome, advance, is_interrupted};
use crate::frame::{Buffer, Found, Frame, FramerOver};
use crate::json::Output;
use crate::message::Outgoing;
use crate::server::route::Routes;
use crate::server::{Event, Observer, Server};

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

impl<R: Read, W: Write, F: Frame, B: Buffer> Connection<'_, R, W, F, B> {
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
    /// let uart = RefCell::new(uart);
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
    pub fn read(&mut self) -> Outcome<bool, R, W> {
        if self.framer.frame().is_over() {
            self.has_ended = true;
            return Ok(false);
        }
        let spare = self.framer.spare();
        // a read into an empty slice would return 0, as at the end of the stream
        if spare.is_empty() {
            let goes_on = self.framer.limit() != 0;
            self.has_ended |= !goes_on;
            return Ok(goes_on);
        }
        let len = loop {
            match self.reader.read(spare) {
                Err(error) if is_interrupted(&error) => {}
                outcome => break outcome.map_err(ConnectionError::Read)?,
            }
        };
        self.framer.filled(len);
        self.has_ended = len == 0;
        Ok(len != 0)
    }

    /// Answers every complete message in the framer; at the end of the stream, also an incomplete one. Flushes the writer
    /// once, after the last answer.
    ///
    /// # Errors
    /// The errors of the writer; [`ConnectionError::OutputBroken`], before a handler is called.
    pub fn answer<S: Routes<C>, H: Observer<C>, C>(
        &mut self,
        server: &mut Server<S, H>,
        context: &mut C,
    ) -> Outcome<(), R, W> {
        self.answer_until(server, context, |_| false).map(|_| ())
    }

    /// Answers every message before the first one for which `is_awaited` returns `true`, and returns the span of that
    /// one.
    pub(super) fn answer_until<S: Routes<C>, H: Observer<C>, C>(
        &mut self,
        server: &mut Server<S, H>,
        context: &mut C,
        is_awaited: impl Fn(&[u8]) -> bool,
    ) -> Outcome<Option<Range<usize>>, R, W> {
        loop {
            // after a message that was written in part, flush the complete ones before it, and answer nothing
            let found = if self.framer.is_output_broken { None } else { self.framer.next_span(self.has_ended) };
            match found {
                Some(Ok(span)) if !self.is_own(&Ok(span.clone())) && is_awaited(self.framer.text(span.clone())) => {
                    self.allow_unreadable_answer();
                    // a failed flush does not lose the message; the next method flushes again
                    _ = self.flush();
                    return Ok(Some(span));
                }
                Some(found) => self.answer_found(found, server, context)?,
                None => {
                    self.flush()?;
                    self.check_output()?;
                    return Ok(None);
                }
            }
        }
    }

    /// Answers the message, or the fault of the stream, that was found last.
    pub(crate) fn answer_found<S: Routes<C>, H: Observer<C>, C>(
        &mut self,
        found: Found,
        server: &mut Server<S, H>,
        context: &mut C,
    ) -> Outcome<(), R, W> {
        if let Err(error) = found {
            server.observe(context, Event::Misframed(error));
        }
        match self.put_own(&found).map_err(ConnectionError::Message)? {
            Some((Some(opcode), len)) => return self.write_as(opcode, len),
            Some(_) => return Ok(()),
            None => {}
        }
        let handled = if H::IS_ACTIVE { found.as_ref().ok().cloned() } else { None };
        let mut room = room::<F>(self.output.reborrow());
        let processed = match found {
            Ok(span) => server.process(context, self.framer.text(span), &mut room),
            Err(error) => server.refuse(error, &mut room),
        };
        let (len, is_readable) = (processed.answer().map(<[u8]>::len), processed.is_readable());
        let Some(len) = self.settle(len, server, context, is_readable) else { return Ok(()) };
        let written = self.write(len);
        if written.is_err() {
            self.report_unsent(handled, server, context);
        }
        written
    }

    /// [`answer`](Self::answer) and [`read`](Self::read) until the stream ends.
    ///
    /// # Errors
    /// The errors of the reader and the writer; [`ConnectionError::OutputBroken`].
    pub fn serve<S: Routes<C>, H: Observer<C>, C>(
        &mut self,
        server: &mut Server<S, H>,
        context: &mut C,
    ) -> Outcome<(), R, W> {
        loop {
            // the framer may hold messages already
            self.answer(server, context)?;
            if self.has_ended {
                // a framer whose stream was served to its end needs no `clear` before the next one, except after a close of a WebSocket
                self.allow_unreadable_answer();
                return Ok(());
            }
            self.read()?;
        }
    }

    /// Sends a message by the rules of JSON-RPC 2.0: a request, a notification, a response. To send one of another dialect, write it with
    /// [`Writer::message_as`](crate::Writer::message_as), and send the text with [`send_text`](Self::send_text).
    ///
    /// # Errors
    /// [`ConnectionError::Message`] if the message does not fit or is not valid, [`ConnectionError::OutputBroken`], and the errors of the
    /// writer.
    pub fn send(&mut self, message: &(impl Outgoing + ?Sized)) -> Outcome<(), R, W> {
        self.open()?;
        let len = self.put(message).map_err(ConnectionError::Message)?;
        self.write(len)?;
        self.flush()
    }

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
    pub fn send_text(&mut self, text: &[u8]) -> Outcome<(), R, W> {
        if text.is_empty() {
            return self.flush();
        }
        self.open()?;
        let (mut len, mut rest) = self.put_text(text).map_err(ConnectionError::Message)?;
        loop {
            self.write(len)?;
            if rest.is_empty() {
                return self.flush();
            }
            (len, rest) = self.put_first(rest).map_err(ConnectionError::Message)?;
        }
    }

    /// Writes the message of `len` bytes from its room. [`flush`](Self::flush) follows the last of several messages.
    pub(crate) fn write(&mut self, len: usize) -> Outcome<(), R, W> {
        self.write_as(MESSAGE, len)
    }

    /// Writes the message or reply of `len` bytes from its room.
    fn write_as(&mut self, opcode: u8, len: usize) -> Outcome<(), R, W> {
        let frame = framed::<F>(self.output.reborrow(), len, opcode);
        write_frame(&mut self.writer, &mut self.framer.is_output_broken, frame)?;
        self.framer.is_unflushed = true;
        #[cfg(feature = "alloc")]
        self.output.release();
        Ok(())
    }

    /// As [`check_open`](Self::check_open). Before it refuses to send, it flushes the messages that were written completely.
    pub(crate) fn open(&mut self) -> Outcome<(), R, W> {
        let open = self.check_open();
        if open.is_err() {
            self.flush()?;
        }
        open
    }

    /// Flushes the writer if a message was written since the last flush. On a network, a flush may wait until the peer
    /// acknowledges, so several answers share one.
    pub(crate) fn flush(&mut self) -> Outcome<(), R, W> {
        while self.framer.is_unflushed {
            match self.writer.flush() {
                Err(error) if is_interrupted(&error) => {}
                outcome => {
                    outcome.map_err(ConnectionError::Write)?;
                    self.framer.is_unflushed = false;
                }
            }
        }
        Ok(())
    }
}

write_frame! { {} {} Write }
