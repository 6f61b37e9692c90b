//! One connection: reads texts, runs the calls of the peer, and sends and matches the calls of this program.

mod answers;
mod calls;
mod limits;
mod received;
mod running;

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{Sink, Stream};
use nanojsonrpc::EnvelopeKind;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::client::{Command, Weak};
use crate::codec::Received;
use crate::error::Closed;
use crate::{BoxError, Options, Request, Response};
use answers::{Answers, Place};
pub(crate) use calls::{Call, Calls};
use limits::Limits;
use running::{Job, Running};

/// A stream of received texts, and a sink of texts to send: [`Framed`](tokio_util::codec::Framed) with a [`Codec`](crate::Codec), a
/// WebSocket, a topic of a broker.
pub trait Transport: Stream<Item = io::Result<Received>> + Sink<Bytes, Error = io::Error> + Unpin + Send {}

impl<T: Stream<Item = io::Result<Received>> + Sink<Bytes, Error = io::Error> + Unpin + Send> Transport for T {}

/// A service of calls, such as [`Methods`](crate::Methods) with layers of tower around them; every such [`Service`] implements it.
///
/// An error of the service is the answer to its call: -32001 for `Elapsed` of tower's timeout, -32000 for `Overloaded` of its load shed, the
/// object itself for an [`OwnedErrorObject`](nanojsonrpc::message::OwnedErrorObject) or a [`CallError`](crate::CallError), and -32603 for
/// others, which are logged.
pub trait CallService:
    Service<Request, Response = Response, Error: Into<BoxError>, Future: Send + 'static> + Send + 'static
{
}

impl<S> CallService for S where
    S: Service<Request, Response = Response, Error: Into<BoxError>, Future: Send + 'static> + Send + 'static
{
}

/// Texts that wait for a slow peer, in bytes, from which on nothing more is read.
const UNSENT: usize = 1 << 20;
/// Steps in a row before other tasks have their turn.
const STEPS: usize = 64;

/// The future of one connection; it ends with the stream. Dropping it aborts the calls of the peer, and ends the calls of this program.
#[must_use = "a connection does nothing unless polled or spawned"]
pub(crate) struct Connection<'c, T, S> {
    transport: T,
    /// `None` if this program is only a client: it answers requests with -32601, and nothing else.
    service: Option<S>,
    shared: &'c mut Shared,
    options: Options,
    limits: Limits,
    answers: Answers,
    running: Running,
    waiting: VecDeque<Job>,
    /// Each with whether it answers the peer.
    outbox: VecDeque<(Bytes, bool)>,
    /// The bytes in the outbox, and those of answers alone.
    unsent: usize,
    unsent_answers: usize,
    /// The number of texts that the transport has taken.
    sent: u64,
    scratch: Vec<u8>,
    /// Whether an unreadable text was answered, and no message was read since.
    has_answered_unreadable: bool,
    is_unflushed: bool,
    stop: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    state: State,
}

/// What outlives a connection, for the next one to the same peer.
pub(crate) struct Shared {
    pub(crate) commands: mpsc::Receiver<Command>,
    pub(crate) handle: Weak,
    pub(crate) calls: Calls,
    /// Why the last connection has ended.
    reason: Closed,
}

/// Tells the handles why, before their channel closes.
impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(client) = self.handle.upgrade() {
            client.end(self.reason.clone());
        }
    }
}

enum State {
    Open,
    /// Reads nothing more, and answers the received calls.
    Draining(Closed),
    /// Everything is sent: waits until the peer has received it and has closed its end.
    Lingering(Closed),
}

impl Shared {
    pub(crate) fn new(commands: mpsc::Receiver<Command>, handle: Weak) -> Self {
        Self { commands, handle, calls: Calls::default(), reason: Closed::Here }
    }
}

impl<'c, T, S> Connection<'c, T, S>
where
    T: Transport,
    S: CallService,
{
    pub(crate) fn new(transport: T, service: Option<S>, shared: &'c mut Shared, options: Options) -> Self {
        Self {
            transport,
            service,
            shared,
            limits: Limits::new(&options),
            answers: Answers::default(),
            running: Running::new(&options),
            options,
            waiting: VecDeque::new(),
            outbox: VecDeque::new(),
            unsent: 0,
            unsent_answers: 0,
            sent: 0,
            scratch: Vec::new(),
            has_answered_unreadable: false,
            is_unflushed: false,
            stop: None,
            state: State::Open,
        }
    }

    /// Ends the connection when `token` is cancelled, after it has answered the received calls.
    pub(crate) fn until(mut self, token: CancellationToken) -> Self {
        self.stop = Some(Box::pin(token.cancelled_owned()));
        self
    }

    fn send(&mut self, text: Bytes, is_answer: bool) {
        self.unsent = self.unsent.saturating_add(text.len());
        self.unsent_answers = self.unsent_answers.saturating_add(if is_answer { text.len() } else { 0 });
        self.outbox.push_back((text, is_answer));
    }

    /// Answers the call at `place`.
    fn answer(&mut self, place: Place, answer: Option<Bytes>, task: &mut Context<'_>) {
        // what the handler has sent goes before its answer
        if self.poll_commands(task).is_err() {
            self.drain(Closed::Here);
        }
        if let Some(text) = self.answers.put(place, answer) {
            self.send(text, true);
        }
    }

    /// Starts the calls that wait, as far as the service and the limits allow.
    fn poll_start(&mut self, task: &mut Context<'_>) -> bool {
        let mut has_started = false;
        while self.running.len() < self.options.calls && !self.waiting.is_empty() {
            let Some(service) = &mut self.service else { break };
            let readiness = match service.poll_ready(task) {
                Poll::Pending => break,
                Poll::Ready(readiness) => readiness,
            };
            let Some(job) = self.waiting.pop_front() else { break };
            has_started = true;
            let outcome = match readiness {
                Ok(()) => self.running.start(service, &job, task),
                Err(error) => Some(Err(error.into())),
            };
            if let Some(outcome) = outcome {
                self.finish(job, outcome, task);
            }
        }
        // too many wait
        while self.waiting.len() > self.options.queue {
            let Some(job) = self.waiting.pop_back() else { break };
            self.finish(job, Ok(Response::error(running::BUSY)), task);
        }
        has_started
    }

    fn finish(&mut self, job: Job, outcome: Result<Response, BoxError>, task: &mut Context<'_>) {
        let response = running::response(outcome, &job.message);
        if job.message.kind() == EnvelopeKind::Notification {
            if let Some(code) = response.code() {
                tracing::warn!(method = %job.message.method(), code = code.0, "notification dropped");
            }
        }
        // the answers to a batch are one text
        let limit = self.options.max_answer_len.saturating_sub(self.answers.len(job.place));
        let answer = response.write(&job.message, &mut self.scratch, limit);
        self.answer(job.place, answer, task);
    }

    /// Takes the calls and notifications of this program. Returns whether there was one; `Err` if no handle is left.
    fn poll_commands(&mut self, task: &mut Context<'_>) -> Result<bool, ()> {
        let mut has_taken = false;
        while self.unsent < UNSENT {
            match self.shared.commands.poll_recv(task) {
                Poll::Pending => break,
                Poll::Ready(None) => return Err(()),
                Poll::Ready(Some(command)) => {
                    has_taken = true;
                    match command {
                        Command::Text(text) => self.send(text, false),
                        Command::Forget(id) => self.shared.calls.forget(id),
                        Command::Close => return Err(()),
                        // the callers have given up, such as during an outage
                        Command::Calls(_, calls)
                            if !calls.is_empty() && calls.iter().all(|call| call.answer.is_closed()) => {}
                        Command::Calls(text, calls) => {
                            self.shared.calls.add(calls);
                            match &self.state {
                                State::Open => self.send(text, false),
                                State::Draining(reason) | State::Lingering(reason) => self.shared.calls.end(reason),
                            }
                        }
                    }
                }
            }
        }
        Ok(has_taken)
    }

    fn poll_send(&mut self, task: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let mut has_sent = false;
        while !self.outbox.is_empty() {
            match Pin::new(&mut self.transport).poll_ready(task)? {
                Poll::Pending => break,
                Poll::Ready(()) => {}
            }
            let Some((text, is_answer)) = self.outbox.pop_front() else { break };
            self.unsent = self.unsent.saturating_sub(text.len());
            self.unsent_answers = self.unsent_answers.saturating_sub(if is_answer { text.len() } else { 0 });
            (has_sent, self.is_unflushed) = (true, true);
            self.sent = self.sent.wrapping_add(1);
            // a text that the frame cannot hold is no fault of the stream
            if let Err(error) = Pin::new(&mut self.transport).start_send(text) {
                if error.kind() != io::ErrorKind::InvalidInput {
                    return Poll::Ready(Err(error));
                }
                tracing::error!("not sent: {error}");
            }
        }
        Poll::Ready(Ok(has_sent))
    }

    /// Reads nothing more, and ends the calls of this program. Returns whether it has read until now.
    fn drain(&mut self, reason: Closed) -> bool {
        let was_open = matches!(self.state, State::Open);
        if was_open {
            // no answer will be read
            self.shared.calls.end(&reason);
            self.state = State::Draining(reason);
        }
        was_open
    }

    fn poll_step(&mut self, task: &mut Context<'_>) -> io::Result<bool> {
        let mut has_moved = matches!(self.poll_send(task)?, Poll::Ready(true));
        while let Some((job, outcome)) = self.running.poll_next(task) {
            has_moved = true;
            self.finish(job, outcome, task);
        }
        match self.poll_commands(task) {
            Ok(has_taken) => has_moved |= has_taken,
            Err(()) => has_moved |= self.drain(Closed::Here),
        }
        has_moved |= self.poll_start(task);
        if matches!(self.state, State::Open) && self.unsent_answers < UNSENT && self.limits.poll_may_read(task) {
            match Pin::new(&mut self.transport).poll_next(task) {
                Poll::Ready(Some(received)) => {
                    let received = received?;
                    self.limits.count(received.as_ref().map_or(0, |text| text.as_bytes().len()));
                    self.receive(received, task);
                    has_moved = true;
                }
                Poll::Ready(None) => {
                    has_moved |= self.drain(Closed::ByPeer);
                }
                Poll::Pending if self.limits.poll_is_idle(task) => has_moved |= self.drain(Closed::Idle),
                Poll::Pending => {}
            }
        }
        Ok(has_moved)
    }

    fn poll_end(&mut self, task: &mut Context<'_>) -> Poll<Result<Closed, Closed>> {
        if self.stop.as_mut().is_some_and(|stop| stop.as_mut().poll(task).is_ready()) {
            self.stop = None;
            self.drain(Closed::Here);
        }
        for _ in 0..STEPS {
            if let State::Lingering(reason) = &self.state {
                let reason = reason.clone();
                while !matches!(reason, Closed::ByPeer) && self.limits.poll_may_linger(task) {
                    match ready!(Pin::new(&mut self.transport).poll_next(task)) {
                        Some(Ok(_)) => {}
                        _ => break,
                    }
                }
                return Poll::Ready(Ok(reason));
            }
            if self.poll_step(task).map_err(Closed::from)? {
                continue;
            }
            self.poll_flush(task)?;
            if let State::Draining(reason) = &self.state {
                let is_done = self.running.len() == 0 && self.waiting.is_empty() && self.outbox.is_empty();
                if is_done && !self.is_unflushed {
                    let reason = reason.clone();
                    match Pin::new(&mut self.transport).poll_close(task).map_err(Closed::from)? {
                        Poll::Ready(()) => {
                            self.state = State::Lingering(reason);
                            continue;
                        }
                        // the peer does not read the end, either
                        Poll::Pending => self.is_unflushed = true,
                    }
                }
            }
            let is_stuck = self.is_unflushed || !self.outbox.is_empty();
            if self.limits.poll_has_stalled(is_stuck, self.sent, task) {
                return Poll::Ready(Err(io::Error::from(io::ErrorKind::TimedOut).into()));
            }
            return Poll::Pending;
        }
        // a peer that sends without a pause gets its answers, too
        self.poll_flush(task)?;
        task.waker().wake_by_ref();
        Poll::Pending
    }

    fn poll_flush(&mut self, task: &mut Context<'_>) -> Result<(), Closed> {
        if self.is_unflushed {
            self.is_unflushed = pin!(&mut self.transport).poll_flush(task).map_err(Closed::from)?.is_pending();
        }
        Ok(())
    }
}

impl<T, S> Future for Connection<'_, T, S>
where
    T: Transport,
    S: CallService + Unpin,
{
    type Output = Closed;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Closed> {
        let connection = self.get_mut();
        let reason = match ready!(connection.poll_end(task)) {
            Ok(reason) | Err(reason) => reason,
        };
        connection.shared.calls.end(&reason);
        connection.shared.reason = reason.clone();
        Poll::Ready(reason)
    }
}

impl<T, S> fmt::Debug for Connection<'_, T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("waiting", &self.waiting.len()).finish_non_exhaustive()
    }
}
