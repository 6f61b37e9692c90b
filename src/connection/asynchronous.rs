//! Connections over the asynchronous traits of `embedded_io_async`.

use core::ops::Range;

use embedded_io_async::{Read, Write};

use super::outgoing::{MESSAGE, first_len, framed, room, write_frame};
use super::{Connection, ConnectionError, Outcome, advance, is_interrupted};
use crate::frame::{Buffer, Found, Frame, FramerOver, Head};
use crate::json::{Output, Room, copy};
use crate::message::Outgoing;
use crate::server::{AsyncRoutes, Event, Observer, Server};

/// The length of the longest [`Frame::tail`].
const MAX_TAIL: usize = 2;

/// [`serve`](super::serve) without blocking, with `async` handlers. Await the future until it is done; if it is dropped earlier, see
/// [cancel safety](Connection#cancel-safety).
///
/// ```
/// use nanojsonrpc::connection::serve_async;
/// use nanojsonrpc::frame::{Framer, Lines};
/// use nanojsonrpc::memory::{Pipe, Plan};
/// use nanojsonrpc::{Router, Server};
///
/// let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));
/// let (mut framer, mut output) = (Framer::<Lines, 64>::new(), [0; 128]);
/// let mut pipe = Pipe::<64>::new();
/// let (device, hub) = pipe.ends();
/// let len = hub.try_write(b"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\n").unwrap();
/// // the stream ends after the message
/// let device = device.reading(Plan::in_chunks(8).cut_at(len));
/// let mut context = ();
/// let served = serve_async(&device, &device, &mut framer, &mut output, &mut server, &mut context);
/// assert_eq!(embassy_futures::block_on(served), Ok(()));
/// let mut answer = [0; 64];
/// let len = hub.try_read(&mut answer).unwrap();
/// assert_eq!(&answer[..len], b"{\"jsonrpc\":\"2.0\",\"result\":\"pong\",\"id\":1}\n");
/// ```
///
/// # Errors
/// As [`serve`](super::serve).
pub async fn serve_async<
    R: Read,
    W: Write,
    F: Frame,
    S: AsyncRoutes<C>,
    H: Observer<C>,
    B: Buffer,
    C,
    O: Output + ?Sized,
>(
    reader: R,
    writer: W,
    framer: &mut FramerOver<F, B>,
    output: &mut O,
    server: &mut Server<S, H>,
    context: &mut C,
) -> Outcome<(), R, W> {
    Connection::new(reader, writer, framer, output).serve_async(server, context).await
}

impl<R: Read, W: Write, F: Frame, B: Buffer> Connection<'_, R, W, F, B> {
    /// [`read`](Self::read) without blocking. A future that is dropped early loses no more than a dropped read of the
    /// reader, so it can be used in a `select` with a timer.
    ///
    /// # Errors
    /// The errors of the reader, except `Interrupted`.
    pub async fn read_async(&mut self) -> Outcome<bool, R, W> {
        read_some(&mut self.reader, self.framer, &mut self.has_ended).await
    }

    /// [`answer`](Self::answer) without blocking, with `async` handlers. Await the future until it is done: if it is dropped
    /// earlier, a call may lose its answer, or the output may be [broken](ConnectionError::OutputBroken); see
    /// [cancel safety](Self#cancel-safety).
    ///
    /// # Errors
    /// The errors of the writer; [`ConnectionError::OutputBroken`], before a handler is called.
    pub async fn answer_async<S: AsyncRoutes<C>, H: Observer<C>, C>(
        &mut self,
        server: &mut Server<S, H>,
        context: &mut C,
    ) -> Outcome<(), R, W> {
        self.answer_until_async(server, context, |_| false).await.map(|_| ())
    }

    /// Answers every message before the first one for which `is_awaited` returns `true`, and returns the span of that
    /// one.
    pub(super) async fn answer_until_async<S: AsyncRoutes<C>, H: Observer<C>, C>(
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
                    _ = self.flush_async().await;
                    return Ok(Some(span));
                }
                Some(found) => self.answer_found_async(found, server, context).await?,
                None => {
                    self.flush_async().await?;
                    self.check_output()?;
                    return Ok(None);
                }
            }
        }
    }

    /// Answers the message, or the fault of the stream, that was found last.
    pub(crate) async fn answer_found_async<S: AsyncRoutes<C>, H: Observer<C>, C>(
        &mut self,
        found: Found,
        server: &mut Server<S, H>,
        context: &mut C,
    ) -> Outcome<(), R, W> {
        if let Err(error) = found {
            server.observe(context, Event::Misframed(error));
        }
        match self.put_own(&found).map_err(ConnectionError::Message)? {
            Some((Some(opcode), len)) => return self.write_as_async(opcode, len).await,
            Some(_) => return Ok(()),
            None => {}
        }
        let handled = if H::IS_ACTIVE { found.as_ref().ok().cloned() } else { None };
        let mut room = room::<F>(self.output.reborrow());
        let processed = match found {
            Ok(span) => server.process_in_async(context, self.framer.text(span), room.reborrow()).await,
            Err(error) => server.refuse(error, &mut room),
        };
        let (len, is_readable) = (processed.answer().map(<[u8]>::len), processed.is_readable());
        let Some(len) = self.settle(len, server, context, is_readable) else { return Ok(()) };
        let written = self.write_async(len).await;
        if written.is_err() {
            self.report_unsent(handled, server, context);
        }
        written
    }

    /// [`answer_async`](Self::answer_async) and [`read_async`](Self::read_async) until the stream ends. Await the future
    /// until it is done; if it is dropped earlier, see [cancel safety](Self#cancel-safety).
    ///
    /// # Errors
    /// The errors of the reader and the writer; [`ConnectionError::OutputBroken`].
    pub async fn serve_async<S: AsyncRoutes<C>, H: Observer<C>, C>(
        &mut self,
        server: &mut Server<S, H>,
        context: &mut C,
    ) -> Outcome<(), R, W> {
        loop {
            // the framer may hold messages already
            self.answer_async(server, context).await?;
            if self.has_ended {
                // a framer whose stream was served to its end needs no `clear` before the next one, except after a close of a WebSocket
                self.allow_unreadable_answer();
                return Ok(());
            }
            self.read_async().await?;
        }
    }

    /// [`send`](Self::send) without blocking. Await the future until it is done; if it is dropped earlier, see
    /// [cancel safety](Self#cancel-safety).
    ///
    /// # Errors
    /// [`ConnectionError::Message`] if the message does not fit or is not valid, [`ConnectionError::OutputBroken`], and the errors of the
    /// writer.
    pub async fn send_async(&mut self, message: &(impl Outgoing + ?Sized)) -> Outcome<(), R, W> {
        self.open_async().await?;
        let len = self.put(message).map_err(ConnectionError::Message)?;
        self.write_async(len).await?;
        self.flush_async().await
    }

    /// [`send_text`](Self::send_text) without blocking. Await the future until it is done; if it is dropped earlier, see
    /// [cancel safety](Self#cancel-safety).
    ///
    /// # Errors
    /// As [`send_text`](Self::send_text).
    pub async fn send_text_async(&mut self, text: &[u8]) -> Outcome<(), R, W> {
        if text.is_empty() {
            return self.flush_async().await;
        }
        self.open_async().await?;
        let (mut len, mut rest) = self.put_text(text).map_err(ConnectionError::Message)?;
        loop {
            self.write_async(len).await?;
            if rest.is_empty() {
                return self.flush_async().await;
            }
            (len, rest) = self.put_first(rest).map_err(ConnectionError::Message)?;
        }
    }

    /// Writes the message of `len` bytes from its room. [`flush_async`](Self::flush_async) follows the last of several
    /// messages.
    pub(crate) async fn write_async(&mut self, len: usize) -> Outcome<(), R, W> {
        self.write_as_async(MESSAGE, len).await
    }

    /// Writes the messages in the first `len` bytes of the room, each in its own frame.
    pub(super) async fn write_each_async(&mut self, len: usize) -> Outcome<(), R, W> {
        let mut start = 0usize;
        while start < len {
            let longest = len.wrapping_sub(start).wrapping_add(Head::MAX_LEN).wrapping_add(MAX_TAIL);
            let output = self.output.reborrow().bytes(start, longest);
            let rest = Head::MAX_LEN..Head::MAX_LEN.wrapping_add(len.wrapping_sub(start));
            let first = first_len(output.get(rest).unwrap_or_default()).unwrap_or(len);
            // the tail of the frame overwrites the front of the next message
            let tail = F::tail().len();
            debug_assert!(tail <= MAX_TAIL, "a longer tail");
            let behind = Head::MAX_LEN.wrapping_add(first);
            let mut kept = [0; MAX_TAIL];
            copy(output.get(behind..).unwrap_or_default(), &mut kept);
            self.framer.is_unflushed = true;
            let frame = framed::<F>(Room::of(output), first, MESSAGE);
            write_frame(&mut self.writer, &mut self.framer.is_output_broken, frame).await?;
            copy(kept.get(..tail).unwrap_or_default(), output.get_mut(behind..).unwrap_or_default());
            start = start.wrapping_add(first);
        }
        #[cfg(feature = "alloc")]
        self.output.release();
        Ok(())
    }

    /// Writes the message or reply of `len` bytes from its room.
    async fn write_as_async(&mut self, opcode: u8, len: usize) -> Outcome<(), R, W> {
        self.framer.is_unflushed = true;
        let frame = framed::<F>(self.output.reborrow(), len, opcode);
        write_frame(&mut self.writer, &mut self.framer.is_output_broken, frame).await?;
        #[cfg(feature = "alloc")]
        self.output.release();
        Ok(())
    }

    /// As [`check_open`](Self::check_open). Before it refuses to send, it flushes the messages that were written completely.
    pub(crate) async fn open_async(&mut self) -> Outcome<(), R, W> {
        let open = self.check_open();
        if open.is_err() {
            self.flush_async().await?;
        }
        open
    }

    /// Flushes the writer if a message was written since the last flush.
    pub(crate) async fn flush_async(&mut self) -> Outcome<(), R, W> {
        while self.framer.is_unflushed {
            match self.writer.flush().await {
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

/// Reads once. Returns `false` at the end of the stream.
pub(super) async fn read_some<R: Read, G, F: Frame, B: Buffer>(
    reader: &mut R,
    framer: &mut FramerOver<F, B>,
    has_ended: &mut bool,
) -> Result<bool, ConnectionError<R::Error, G>> {
    if framer.frame().is_over() {
        *has_ended = true;
        return Ok(false);
    }
    let spare = framer.spare();
    // a read into an empty slice would return 0, as at the end of the stream
    if spare.is_empty() {
        let goes_on = framer.limit() != 0;
        *has_ended |= !goes_on;
        return Ok(goes_on);
    }
    let len = loop {
        match reader.read(spare).await {
            Err(error) if is_interrupted(&error) => {}
            outcome => break outcome.map_err(ConnectionError::Read)?,
        }
    };
    framer.filled(len);
    *has_ended = len == 0;
    Ok(len != 0)
}

write_frame! { { async } { .await } Write }
