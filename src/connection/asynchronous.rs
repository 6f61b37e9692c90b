//! Connections over the asynchronous traits of `embedded_io_async`.

#[cfg(any(feature = "mcp", feature = "serde"))]
use core::future::poll_fn;
#[cfg(any(feature = "mcp", feature = "serde"))]
use core::pin::{Pin, pin};
#[cfg(any(feature = "mcp", feature = "serde"))]
use core::task::Poll;

use super::driver::driver;
use super::outgoing::escaped;
use crate::copy::copy;
use crate::frame::Head;
use crate::server::AsyncRoutes;

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

driver! {
    { async } { .await } embedded_io_async AsyncRoutes process_in_async (Future) (core::future::pending::<()>()) pin true
    /// [`read`](Self::read) without blocking. A future that is dropped early loses no more than a dropped read of the
    /// reader, so it can be used in a `select` with a timer.
    ///
    /// # Errors
    /// The errors of the reader, except `Interrupted`.
    read_async
    /// [`answer`](Self::answer) without blocking, with `async` handlers. Await the future until it is done: if it is dropped
    /// earlier, a call may lose its answer, or the output may be [broken](ConnectionError::OutputBroken); see
    /// [cancel safety](Self#cancel-safety).
    ///
    /// # Errors
    /// The errors of the writer; [`ConnectionError::OutputBroken`], before a handler is called.
    answer_async
    /// [`answer_async`](Self::answer_async) and [`read_async`](Self::read_async) until the stream ends. Await the future
    /// until it is done; if it is dropped earlier, see [cancel safety](Self#cancel-safety).
    ///
    /// # Errors
    /// The errors of the reader and the writer; [`ConnectionError::OutputBroken`].
    serve_async
    /// [`send`](Self::send) without blocking. Await the future until it is done; if it is dropped earlier, see
    /// [cancel safety](Self#cancel-safety).
    ///
    /// # Errors
    /// [`ConnectionError::Message`] if the message does not fit or is not valid, [`ConnectionError::OutputBroken`], and the errors of the
    /// writer.
    send_async
    /// [`send_text`](Self::send_text) without blocking. Await the future until it is done; if it is dropped earlier, see
    /// [cancel safety](Self#cancel-safety).
    ///
    /// # Errors
    /// As [`send_text`](Self::send_text).
    send_text_async
    /// [`call`](Self::call) without blocking. Await the future until it is done;
    /// [`call_until_async`](Self::call_until_async) has a deadline. If it is dropped earlier, see [cancel safety](Self#cancel-safety).
    ///
    /// ```
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    ///
    /// async fn subtract(
    ///     reader: impl embedded_io_async::Read,
    ///     writer: impl embedded_io_async::Write,
    ///     deadline: impl Future,
    /// ) -> Option<i64> {
    ///     let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
    ///     let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    ///     let first = connection.call_async::<i64>("subtract", &[42, 23]).await.ok()?;
    ///     connection.call_until_async("subtract", &[first, 1], deadline).await.ok()
    /// }
    /// ```
    ///
    /// # Errors
    /// As [`call`](Self::call).
    call_async
    /// [`call_async`](Self::call_async) with a deadline: it ends when `deadline` is ready. The deadline is polled only at each read, so
    /// it interrupts neither a message that is being sent nor a handler that waits. An answer that was read when the deadline passes is
    /// still returned.
    ///
    /// # Errors
    /// As [`call`](Self::call); [`CallError::Late`].
    call_until_async
    /// [`resume_output`](Self::resume_output) without blocking. If the future is dropped, the output is still broken.
    ///
    /// # Errors
    /// As [`resume_output`](Self::resume_output).
    resume_output_async
    /// [`close`](Self::close) without blocking. If the future is dropped, nothing can be sent, and the next method that sends or answers
    /// flushes the close.
    ///
    /// # Errors
    /// As [`close`](Self::close).
    close_async
    answer_until_async answer_found_async call_serving_async notify_serving_async wait_async read_until_async write_async write_as_async open_async flush_async
}

impl<R: Read, W: Write, F: Frame, B: Buffer> Connection<'_, R, W, F, B> {
    /// Reads once, at most until `deadline`, and returns whether that has passed. It is also polled when the read is ready at once, because
    /// a peer that sends without a pause would otherwise delay it forever.
    #[cfg(any(feature = "mcp", feature = "serde"))]
    pub(crate) async fn read_until_async(&mut self, mut deadline: impl Future + Unpin) -> Outcome<bool, R, W> {
        let mut read = pin!(self.read_async());
        poll_fn(|task| {
            let read = read.as_mut().poll(task);
            let is_late = Pin::new(&mut deadline).poll(task).is_ready();
            match read {
                Poll::Ready(read) => Poll::Ready(read.map(|_| is_late)),
                Poll::Pending if is_late => Poll::Ready(Ok(true)),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    /// Writes the messages in the first `len` bytes of the room, each in its own frame.
    pub(super) async fn write_each_async(&mut self, len: usize) -> Outcome<(), R, W> {
        let len = escaped::<F>(self.output.reborrow(), len);
        let mut start = 0usize;
        while start < len {
            let longest = len.wrapping_sub(start).wrapping_add(Head::MAX_LEN).wrapping_add(Head::MAX_TAIL_LEN);
            let output = self.output.reborrow().bytes(start, longest);
            let rest = Head::MAX_LEN..Head::MAX_LEN.wrapping_add(len.wrapping_sub(start));
            let first = first_len(output.get(rest).unwrap_or_default());
            // the tail of the frame overwrites the front of the next message
            let tail = F::tail().len();
            debug_assert!(tail <= Head::MAX_TAIL_LEN, "a longer tail");
            let behind = Head::MAX_LEN.wrapping_add(first);
            let mut kept = [0; Head::MAX_TAIL_LEN];
            copy(output.get(behind..).unwrap_or_default(), &mut kept);
            let frame = framed::<F>(Room::of(output), first, MESSAGE);
            write_frame(&mut self.writer, self.framer, frame).await?;
            copy(kept.get(..tail).unwrap_or_default(), output.get_mut(behind..).unwrap_or_default());
            start = start.wrapping_add(first);
        }
        #[cfg(feature = "alloc")]
        self.output.release();
        Ok(())
    }
}
