//! The loop that reads, polls the handlers and writes.

use core::future::poll_fn;
use core::ops::Range;
use core::pin::pin;
use core::task::{Context, Poll};

use embedded_io_async::{ErrorType, Read, Write};
use heapless::Vec;

use super::{Concurrent, Settings};
use crate::connection::asynchronous::{read_some, write_frame};
use crate::connection::outgoing::{MESSAGE as MESSAGE_OPCODE, framed, place, room};
use crate::connection::purpose::{Purpose, classify};
use crate::connection::slots::{Count, Pinned};
use crate::connection::work::{Answer, Copied, Workers, idle, work};
use crate::connection::{Connection, Outcome, Sorted};
use crate::error::Error;
use crate::frame::{Buffer, Frame, FrameError};
use crate::json::{Room, Writer};
use crate::message::{ErrorObject, Id, Response};
use crate::server::{AsyncRoutes, Event, Observer, Server};

/// The greatest number of queued messages in a row, while other work is ready.
const BURST: u32 = 64;

impl<R, W, F, B, const COUNT: usize, const MESSAGE: usize, const ANSWER: usize, Q, U>
    Concurrent<'_, '_, R, W, F, B, COUNT, MESSAGE, ANSWER, Q, U>
{
    /// Answers every message until the stream ends and all handlers are done. Await the future until it is done; if it is
    /// dropped earlier, see [cancel safety](Connection#cancel-safety). To end it in order, use [`until`](Self::until). Handlers are awaited
    /// after the end of the stream, because a peer may close only its writing half. To drop them, use a reader that returns an error at its
    /// end.
    ///
    /// A queued message that cannot be written is dropped, and the server's observer receives [`Event::Unsent`].
    ///
    /// # Silent peers
    /// A reader with a time limit ends the connection of a peer that sends nothing. A writer with a time limit ends that of a peer that
    /// reads nothing. At every other event, for example when a handler is done, the future of the read is dropped. So the reader must store
    /// its deadline:
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use core::time::Duration;
    /// use embedded_io_adapters::tokio_1::FromTokio;
    /// use embedded_io_async::{ErrorType, Read};
    /// use nanojsonrpc::connection::{Connection, ConnectionError};
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::{Router, Server};
    /// use std::io;
    /// use tokio::time::{Instant, timeout_at};
    ///
    /// /// Longer than any handler takes, because a peer may send nothing until it receives its answer.
    /// const PATIENCE: Duration = Duration::from_secs(60);
    ///
    /// struct Patient<R> {
    ///     reader: R,
    ///     deadline: Instant,
    /// }
    ///
    /// impl<R: ErrorType<Error = io::Error>> ErrorType for Patient<R> {
    ///     type Error = io::Error;
    /// }
    ///
    /// impl<R: Read<Error = io::Error>> Read for Patient<R> {
    ///     async fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
    ///         let len = timeout_at(self.deadline, self.reader.read(bytes)).await??;
    ///         self.deadline = Instant::now() + PATIENCE;
    ///         Ok(len)
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// # let (stream, _peer) = tokio::io::duplex(64);
    /// # let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));
    /// # let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
    /// let (reader, writer) = tokio::io::split(stream);
    /// let reader = Patient { reader: FromTokio::new(reader), deadline: Instant::now() + PATIENCE };
    /// let mut connection = Connection::new(reader, FromTokio::new(writer), &mut framer, &mut output);
    /// match connection.concurrent::<2, 128, 128>().serve(&mut server, &mut ()).await {
    ///     Err(ConnectionError::Read(error)) => assert_eq!(error.kind(), io::ErrorKind::TimedOut),
    ///     other => panic!("{other:?}"),
    /// }
    /// # });
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of the reader and the writer; [`ConnectionError::OutputBroken`](crate::connection::ConnectionError::OutputBroken). Before
    /// the method returns an error, it sends the answers of handlers that are done, up to the first answer that the writer does not take.
    /// Handlers that wait are dropped.
    pub async fn serve<S, H, C>(self, server: &mut Server<S, H>, context: &mut C) -> Outcome<(), R, W>
    where
        R: Read,
        W: Write,
        F: Frame,
        B: Buffer,
        S: AsyncRoutes<C> + Clone,
        H: Observer<C> + Clone,
        C: Clone,
        Q: AsyncFnMut(&mut Writer<'_>) -> Result<(), Error>,
        U: Future,
        Count<COUNT>: Pinned,
    {
        let Self { connection, settings, mut queue, stop } = self;
        let Settings { cancellation, refusal, .. } = settings;
        #[cfg(feature = "alloc")]
        let answer_len = settings.limit.unwrap_or(ANSWER);
        #[cfg(not(feature = "alloc"))]
        let answer_len = ANSWER;
        let answer_len = place::<F>(answer_len).len();
        let work = work::<F, S, H, C, MESSAGE, ANSWER>;
        let slots = pin!(idle::<COUNT, _, _, _, _, _>(&work));
        let mut workers = Workers::<_, _, COUNT>::new(slots);
        let mut stop = pin!(stop);
        let (mut is_stopped, mut is_queue_over, mut has_unread) = (false, false, true);
        // the number of queued messages since the last other event
        let mut burst = 0u32;
        // the span of a call that waits for a slot
        let mut held: Option<Range<usize>> = None;
        // the answer that is being written; the loop and the code after it share this variable
        let mut done: Option<Answer<ANSWER>> = None;
        let served: Outcome<(), R, W> = async {
            loop {
                connection.check_output()?;
                // flush when the loop is about to wait
                if connection.framer.is_unflushed && (held.is_some() || !has_unread) && !workers.has_done() {
                    workers.alongside(connection.flush_async()).await?;
                }
                let is_over = is_stopped || connection.has_ended;
                // nothing is sent after a close: the queue keeps its messages
                let is_queue_heard = !is_queue_over && !connection.framer.is_over();
                let step = {
                    let Connection { reader, framer, output, has_ended, .. } = &mut *connection;
                    let mut out = room::<F>(output.reborrow()).into_writer();
                    let mut queued = pin!(async {
                        queue(&mut out).await?;
                        Ok(out.len())
                    });
                    let mut read = pin!(read_some::<R, W::Error, F, B>(reader, framer, has_ended));
                    poll_fn(|task| {
                        workers.poll(task);
                        let is_first = burst < BURST;
                        let mut hear = |task: &mut Context<'_>| {
                            if is_queue_heard { queued.as_mut().poll(task).map(Step::Queued) } else { Poll::Pending }
                        };
                        if is_first {
                            if let Poll::Ready(step) = hear(task) {
                                return Poll::Ready(step);
                            }
                        }
                        done = workers.take_done();
                        if done.is_some() {
                            return Poll::Ready(Step::Done);
                        }
                        if !is_stopped && stop.as_mut().poll(task).is_ready() {
                            return Poll::Ready(Step::Stopped);
                        }
                        let has_message = if held.is_some() { workers.idle().is_some() } else { has_unread };
                        if has_message {
                            return Poll::Ready(Step::Message);
                        }
                        let reads = held.is_none() && !is_over;
                        if reads {
                            if let Poll::Ready(read) = read.as_mut().poll(task) {
                                return Poll::Ready(Step::Read(read));
                            }
                        } else if !workers.is_busy() {
                            return Poll::Ready(Step::End);
                        }
                        if is_first { Poll::Pending } else { hear(task) }
                    })
                    .await
                };
                burst = if matches!(step, Step::Queued(_)) { burst.saturating_add(1) } else { 0 };
                match step {
                    Step::Queued(Ok(0)) => is_queue_over = true,
                    // a close is the last message
                    Step::Done if connection.framer.is_over() => {}
                    Step::Queued(Ok(len)) => workers.alongside(connection.write_each_async(len)).await?,
                    Step::Queued(Err(error)) => server.observe(context, Event::Unsent(error)),
                    Step::Done => {
                        let Some(answer) = &mut done else { continue };
                        workers.alongside(connection.write_answer(answer)).await?;
                    }
                    Step::Stopped => is_stopped = true,
                    Step::Message => {
                        let found = match held.take() {
                            Some(span) => Some(Ok(span)),
                            None => connection.framer.next_span(connection.has_ended),
                        };
                        let Some(found) = found else {
                            has_unread = false;
                            continue;
                        };
                        if connection.is_own(&found) {
                            workers.alongside(connection.answer_found_async(found, server, context, to_server)).await?;
                            continue;
                        }
                        let text = found.as_ref().map_or(&[][..], |span| connection.framer.text(span.clone()));
                        let refused = match classify(text, server, context, cancellation, MESSAGE, answer_len) {
                            Purpose::Cancels(id, is_heard) => {
                                connection.allow_unreadable_answer();
                                let answer = cancellation.and_then(|cancellation| cancellation.answer());
                                let is_cancelled = workers.cancel(&id);
                                if is_heard && !is_cancelled {
                                    workers
                                        .alongside(connection.answer_found_async(found, server, context, to_server))
                                        .await?;
                                }
                                answer.filter(|_| is_cancelled).map(|error| (id, error))
                            }
                            Purpose::Waits(id) => {
                                if let Some(index) = workers.idle() {
                                    let message = Copied {
                                        text: Vec::from_slice(text).unwrap_or_default(),
                                        #[cfg(feature = "alloc")]
                                        limit: settings.limit,
                                    };
                                    workers.start(index, id, work(server.clone(), context.clone(), message));
                                    connection.allow_unreadable_answer();
                                    None
                                } else if let Some(error) = refusal.filter(|_| id != Id::Null) {
                                    connection.allow_unreadable_answer();
                                    Some((id, error))
                                } else {
                                    held = found.ok();
                                    None
                                }
                            }
                            purpose => {
                                if let Purpose::InPlace(answer) = purpose {
                                    let event = Event::InPlace { message: text.len(), answer };
                                    server.observe(context, event);
                                }
                                workers
                                    .alongside(connection.answer_found_async(found, server, context, to_server))
                                    .await?;
                                None
                            }
                        };
                        if let Some((id, error)) = refused {
                            match connection.put_error(id, error) {
                                Ok(len) => workers.alongside(connection.write_async(len)).await?,
                                Err(error) => server.observe(context, Event::Unsent(error)),
                            }
                        }
                    }
                    Step::Read(read) => {
                        read?;
                        has_unread = true;
                    }
                    Step::End => {
                        if connection.has_ended {
                            // as in `serve`
                            connection.allow_unreadable_answer();
                        }
                        return Ok(());
                    }
                }
            }
        }
        .await;
        if served.is_err() {
            // send the other answers, unless the writer is broken or closed
            while !connection.framer.is_output_broken && !connection.framer.is_over() {
                done = workers.take_done();
                let Some(answer) = &mut done else { break };
                if workers.alongside(connection.write_answer(answer)).await.is_err() {
                    break;
                }
            }
            _ = workers.alongside(connection.flush_async()).await;
        }
        served
    }
}

impl<R, W: Write, F: Frame, B: Buffer> Connection<'_, R, W, F, B> {
    /// Puts the error for the call `id` into the output: `error`, or the shortest one, for which there is room.
    fn put_error(&mut self, id: Id, error: ErrorObject<'static>) -> Result<usize, Error> {
        let answer = Response::<64>::error(id, error);
        self.put(&answer).or_else(|_| self.put(&Response::<64>::error(answer.id, ErrorObject::INTERNAL_ERROR)))
    }

    /// Writes the answer of a handler.
    async fn write_answer<const ANSWER: usize>(&mut self, answer: &mut Answer<ANSWER>) -> Outcome<(), R, W>
    where
        R: ErrorType,
    {
        let Some(len) = answer.len else { return Ok(()) };
        let frame = framed::<F>(answer.output(), len, MESSAGE_OPCODE);
        write_frame(&mut self.writer, self.framer, frame).await
    }
}

fn to_server<S, H, C>(_: &mut Server<S, H>, _: &mut C, _: &[u8], _: Option<FrameError>, _: Room<'_>) -> Sorted<()> {
    Sorted::ToServer
}

/// The next event of the loop.
enum Step<T> {
    /// The queue has written a message.
    Queued(Result<usize, Error>),
    /// A handler is done.
    Done,
    Stopped,
    /// The framer may hold a whole message.
    Message,
    Read(T),
    End,
}
