//! A connection that continues to read while handlers wait.

mod serve;

use core::fmt;
use core::future::{Pending, pending};

use super::{Cancellation, Connection};
use crate::error::Error;
use crate::frame::{Buffer, Frame};
use crate::json::Writer;
use crate::message::ErrorObject;

/// A connection that continues to read while up to `COUNT` handlers wait; see [`Connection::concurrent`].
#[must_use = "nothing is read until `serve` is called"]
pub struct Concurrent<
    'c,
    'b,
    R,
    W,
    F,
    B,
    const COUNT: usize,
    const MESSAGE: usize,
    const ANSWER: usize,
    Q = fn(&mut Writer<'_>) -> Pending<Result<(), Error>>,
    U = Pending<()>,
> {
    connection: &'c mut Connection<'b, R, W, F, B>,
    settings: Settings,
    queue: Q,
    stop: U,
}

#[derive(Clone, Copy, Default)]
struct Settings {
    cancellation: Option<Cancellation>,
    refusal: Option<ErrorObject<'static>>,
    /// The limit of answers that grow.
    #[cfg(feature = "alloc")]
    limit: Option<usize>,
}

impl<'b, R, W, F: Frame, B: Buffer> Connection<'b, R, W, F, B> {
    /// Serves with up to `COUNT` handlers at a time, and continues to read while they wait.
    ///
    /// A request for an `async` handler is copied, and answered when its handler is done, so the order of the answers may differ from that
    /// of the requests. While `COUNT` handlers wait, the next such request waits for a slot, and so do all messages after it. All other
    /// messages are handled in order, among them all notifications, even those with an `async` listener. A batch with a call for an `async`
    /// handler is copied as a whole, and its messages are handled one after the other. While an `async` listener waits, the connection
    /// reads nothing, and sends neither other answers nor queued messages.
    ///
    /// Each copied request or batch is handled with a clone of the context and of the routes. Changes that its handlers make in the clone
    /// are lost: make the context a handle, such as `&Board` or `Arc<Board>`.
    ///
    /// The messages after a request that waits for a slot are not read. If one of them is the message that a handler waits for, such as the
    /// answer to a call of its own, this handler never ends; if one of them is a cancellation, it has no effect until a slot is free.
    /// Choose `COUNT` greater than the number of calls that the peer has in flight, let further requests be
    /// [refused](Concurrent::refusing), or run [`Server::process_async`](crate::Server::process_async) with a clone of the server in a task
    /// for each message.
    ///
    /// # Handlers that panic
    /// The handlers run in the task that serves. A panic of one unwinds through [`serve`](Concurrent::serve), as through every other method
    /// that calls handlers: the connection ends, and all handlers that wait are dropped without an answer. To lose only the call that
    /// panics, run the work of such a handler in a task of its own, whose end the runtime reports:
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use nanojsonrpc::{ErrorObject, Router, Server};
    ///
    /// async fn divide(_: &mut (), (a, b): (u32, u32)) -> Result<u32, ErrorObject<'static>> {
    ///     let work = tokio::spawn(async move { a / b });
    ///     work.await.map_err(|_| ErrorObject::INTERNAL_ERROR.with_message("the handler panicked"))
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut server = Server::new(Router::new().request_async("divide", divide));
    /// let mut output = [0; 128];
    /// let call = br#"{"jsonrpc":"2.0","method":"divide","params":[1,0],"id":1}"#;
    /// let answer = server.process_async(&mut (), call, &mut output).await.answer().unwrap();
    /// assert!(answer.ends_with(br#""error":{"code":-32603,"message":"the handler panicked"},"id":1}"#));
    /// # });
    /// # }
    /// ```
    ///
    /// If the connection ends, dropping the handler detaches this task; abort it with an `AbortHandle` or a `JoinSet`.
    ///
    /// # Spawning
    /// A future is `Send` if the compiler can prove it. The last message below occurs at run time, all others are compile errors:
    ///
    /// | message | change |
    /// |---|---|
    /// | `impl Future<Output = bool>` cannot be sent between threads safely | `impl AsyncRoutes` hides the type of the routes: [spawning](crate::server::route#spawning) |
    /// | implementation of `Send` is not general enough, with `&[u8]` | [`queued_by`](Concurrent::queued_by): `async move` |
    /// | implementation of `Outcome` is not general enough | a handler of `request_fallible` returns a type of its own instead of `ErrorObject<'static, D>` |
    /// | not general enough, with `&'static str` or `&'static Board` | use no `'static` reference as the context or in queued messages, or wrap it in a type: `struct Note(&'static str)` |
    /// | queries overflow the depth limit; overflow evaluating the requirement `…: Send` | more than 45 routes: `#![recursion_limit = "256"]`; see the [limits of a router](crate::Router#limits) |
    /// | thread has overflowed its stack | the future of `concurrent` holds its messages and answers, and a debug build moves it: choose a smaller `MESSAGE` and `ANSWER`, or a larger stack (`thread_stack_size` of tokio) |
    ///
    /// # Limits
    /// `COUNT`: 1 to 16. A copied request or batch: `MESSAGE` bytes. Its answer: `ANSWER` bytes, less 40 and the tail of the frame; in it,
    /// each call needs [`MIN_ANSWER_LEN`](crate::server::MIN_ANSWER_LEN) bytes and its id. A text that is too long, or whose calls need
    /// more room, is handled in place. Until its handlers are done, the connection reads nothing, and sends neither other answers nor
    /// queued messages; a handler that waits for an answer of the peer then waits in vain. The server's observer receives
    /// [`Event::InPlace`](crate::server::Event::InPlace) for each such text. So choose `MESSAGE` as long as the longest
    /// request, `ANSWER` for the longest batch, and limit batches with [`Dialect::with_max_batch`](crate::Dialect::with_max_batch). The
    /// future of [`serve`](Concurrent::serve) holds `COUNT` messages and `COUNT + 1` answers.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use core::cell::Cell;
    /// use core::future::{Future, poll_fn};
    /// use core::task::{Context, Poll, Waker};
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::memory::Pipe;
    /// use nanojsonrpc::{Router, Server};
    ///
    /// #[derive(Default)]
    /// struct Door {
    ///     is_open: Cell<bool>,
    /// }
    ///
    /// let router = Router::new()
    ///     .request_async("passed", async |door: &mut &Door| {
    ///         poll_fn(|_| if door.is_open.get() { Poll::Ready(()) } else { Poll::Pending }).await;
    ///         Ok("through")
    ///     })
    ///     .notification("open", |door: &mut &Door| door.is_open.set(true));
    /// let mut server = Server::new(router);
    ///
    /// let mut pipe: Pipe<256> = Pipe::new();
    /// let (device, hub) = pipe.ends();
    /// hub.try_write(b"{\"jsonrpc\":\"2.0\",\"method\":\"passed\",\"id\":1}\n{\"jsonrpc\":\"2.0\",\"method\":\"open\"}\n").unwrap();
    /// hub.close();
    /// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
    /// let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    /// let door = Door::default();
    /// let mut context = &door;
    /// let mut serving = core::pin::pin!(connection.concurrent::<2, 128, 128>().serve(&mut server, &mut context));
    /// assert!(serving.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    ///
    /// let mut received = [0; 64];
    /// let len = hub.try_read(&mut received).unwrap();
    /// assert_eq!(&received[..len], b"{\"jsonrpc\":\"2.0\",\"result\":\"through\",\"id\":1}\n");
    /// # }
    /// ```
    pub fn concurrent<const COUNT: usize, const MESSAGE: usize, const ANSWER: usize>(
        &mut self,
    ) -> Concurrent<'_, 'b, R, W, F, B, COUNT, MESSAGE, ANSWER> {
        Concurrent { connection: self, settings: Settings::default(), queue: |_| pending(), stop: pending() }
    }
}

impl<'c, 'b, R, W, F, B, const COUNT: usize, const MESSAGE: usize, const ANSWER: usize, Q, U>
    Concurrent<'c, 'b, R, W, F, B, COUNT, MESSAGE, ANSWER, Q, U>
{
    /// Lets the peer cancel a call while its handler waits: the future of the handler is dropped, and no listener receives the
    /// notification. If no waiting call has the id, such as at the end of a stream of MCP, the listener for the method receives the
    /// notification; a fallback does not. Calls of a batch, and calls with an id of more than 64 bytes, are not cancelled.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use core::future::pending;
    /// use core::pin::pin;
    /// use core::task::{Context, Waker};
    /// use nanojsonrpc::connection::{Cancellation, Connection};
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::memory::Pipe;
    /// use nanojsonrpc::{Router, Server};
    ///
    /// let mut pipe: Pipe<256> = Pipe::new();
    /// let (device, hub) = pipe.ends();
    /// hub.try_write(b"{\"jsonrpc\":\"2.0\",\"method\":\"search\",\"id\":1}\n").unwrap();
    /// hub.try_write(b"{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":1}}\n").unwrap();
    /// let mut server = Server::new(Router::new().request_async("search", async |_: &mut ()| pending::<Result<u8, _>>().await));
    /// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
    /// let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    /// let serving = connection.concurrent::<1, 128, 128>().cancelled_by(Cancellation::LANGUAGE_SERVER);
    /// let mut context = ();
    /// let mut serving = pin!(serving.serve(&mut server, &mut context));
    /// assert!(serving.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    /// let mut received = [0; 128];
    /// let len = hub.try_read(&mut received).unwrap();
    /// let cancelled = b"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32800,\"message\":\"Request cancelled\"},\"id\":1}\n";
    /// assert_eq!(&received[..len], cancelled);
    /// # }
    /// ```
    pub fn cancelled_by(mut self, cancellation: Cancellation) -> Self {
        self.settings.cancellation = Some(cancellation);
        self
    }

    /// Answers a request for an `async` handler with `error` while `COUNT` handlers wait. Then no request waits for a slot, so the messages
    /// after it are read at once. A batch, and a request with an id of more than 64 bytes, still waits for a slot.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use core::future::pending;
    /// use core::pin::pin;
    /// use core::task::{Context, Waker};
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::memory::Pipe;
    /// use nanojsonrpc::{ErrorObject, Router, Server};
    ///
    /// let mut pipe: Pipe<256> = Pipe::new();
    /// let (device, hub) = pipe.ends();
    /// let call = "{\"jsonrpc\":\"2.0\",\"method\":\"measure\",\"id\":1}\n";
    /// hub.try_write((call.to_owned() + &call.replace('1', "2")).as_bytes()).unwrap();
    /// let mut server = Server::new(Router::new().request_async("measure", async |_: &mut ()| pending::<Result<u8, _>>().await));
    /// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
    /// let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    /// let serving = connection.concurrent::<1, 128, 128>().refusing(ErrorObject::new(-32000, "Busy"));
    /// let mut context = ();
    /// let mut serving = pin!(serving.serve(&mut server, &mut context));
    /// assert!(serving.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    /// let mut received = [0; 128];
    /// let len = hub.try_read(&mut received).unwrap();
    /// let busy = b"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"Busy\"},\"id\":2}\n";
    /// assert_eq!(&received[..len], busy);
    /// # }
    /// ```
    pub fn refusing(mut self, error: ErrorObject<'static>) -> Self {
        self.settings.refusal = Some(error);
        self
    }

    /// Lets each answer to a copied request grow up to `limit` bytes, instead of `ANSWER`, which can then be 0. The memory of an answer is
    /// freed when the answer is sent.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::memory::Pipe;
    /// use nanojsonrpc::{Growing, Router, Server};
    ///
    /// let mut server = Server::new(Router::new().request_async("log", async |_: &mut ()| Ok("…".repeat(1000))));
    /// let mut pipe: Pipe<4096> = Pipe::new();
    /// let (device, hub) = pipe.ends();
    /// hub.try_write(b"{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"id\":1}\n").unwrap();
    /// hub.close();
    /// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), Growing::new(1 << 20));
    /// let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    /// let serving = connection.concurrent::<2, 128, 0>().growing(1 << 20);
    /// embassy_futures::block_on(serving.serve(&mut server, &mut ())).unwrap();
    /// assert_eq!(hub.try_read(&mut [0; 4096]), Ok(3037));
    /// # }
    /// ```
    #[cfg(feature = "alloc")]
    pub fn growing(mut self, limit: usize) -> Self {
        self.settings.limit = Some(limit);
        self
    }

    /// Sends messages of a queue between the answers. `queue` waits for the next message and writes it; if it writes several, each is sent
    /// in its own frame. If `queue` returns without a message, it is not called again: a queue that skips messages must loop until it has
    /// one to send.
    ///
    /// Order: if queued messages are ready when a waiting handler is done, up to 64 of them are sent before its answer. If a handler does
    /// not wait, or its request is handled in place, its answer is sent before the messages that it puts into the queue. When serving ends,
    /// up to 64 queued messages follow the last answer, and the queue keeps the others. After a close, the connection does not call
    /// `queue`.
    ///
    /// At each event other than a queued message, the connection drops the future of `queue` and calls `queue` again. So a dropped future
    /// must lose no message, as the future of one `receive` of a channel. A timer in that future starts anew at each event: keep an interval
    /// outside of it, in the closure.
    ///
    /// ```
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::{Notification, Writer};
    /// # use nanojsonrpc::frame::{Framer, Lines};
    /// # use nanojsonrpc::{Router, Server, memory::Pipe};
    ///
    /// # let mut pipe: Pipe<256> = Pipe::new();
    /// # let (device, hub) = pipe.ends();
    /// # hub.close();
    /// # let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
    /// # let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    /// # let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let (sender, mut receiver) = tokio::sync::mpsc::channel::<u32>(8);
    /// # drop(sender);
    /// // `move`, so that the future is `Send`
    /// let queue = async move |out: &mut Writer<'_>| match receiver.recv().await {
    ///     Some(percent) => out.message(&Notification::new("progress").with_params(&[percent])),
    ///     None => Ok(()),
    /// };
    /// let serving = connection.concurrent::<2, 128, 128>().queued_by(queue);
    /// serving.serve(&mut server, &mut ()).await
    /// # }).unwrap();
    /// ```
    pub fn queued_by<T: AsyncFnMut(&mut Writer<'_>) -> Result<(), Error>>(
        self,
        queue: T,
    ) -> Concurrent<'c, 'b, R, W, F, B, COUNT, MESSAGE, ANSWER, T, U> {
        Concurrent { connection: self.connection, settings: self.settings, queue, stop: self.stop }
    }

    /// Stops reading once `stop` is ready. The messages that have been read are answered, then serving ends. A peer that reads no answer
    /// can delay the end without limit: limit the time of [`serve`](Self::serve) after `stop`. Then close the stream as in
    /// [TCP](Connection#tcp), so that answers on their way are not lost. A program that reads the standard input of tokio must end with
    /// `std::process::exit`, because the runtime waits for the pending read.
    pub fn until<T: Future>(self, stop: T) -> Concurrent<'c, 'b, R, W, F, B, COUNT, MESSAGE, ANSWER, Q, T> {
        Concurrent { connection: self.connection, settings: self.settings, queue: self.queue, stop }
    }
}

impl<R, W, F, B, const COUNT: usize, const MESSAGE: usize, const ANSWER: usize, Q, U> fmt::Debug
    for Concurrent<'_, '_, R, W, F, B, COUNT, MESSAGE, ANSWER, Q, U>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Concurrent").field("connection", self.connection).finish_non_exhaustive()
    }
}

#[cfg(feature = "defmt")]
impl<R, W, F, B, const COUNT: usize, const MESSAGE: usize, const ANSWER: usize, Q, U> defmt::Format
    for Concurrent<'_, '_, R, W, F, B, COUNT, MESSAGE, ANSWER, Q, U>
{
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Concurrent {{ connection: {} }}", self.connection);
    }
}
