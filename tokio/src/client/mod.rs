//! The handle of a connection, from which any task calls the peer.

mod batch;
mod reconnect;

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use nanojsonrpc::service::AsyncCaller;
use nanojsonrpc::{Growing, ToJson, Writer};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::{broadcast, mpsc, oneshot};

use crate::connection::Call;
use crate::error::Closed;
use crate::{CallError, Message, Options};

pub use batch::{Batch, BatchAnswers, Slot};
#[cfg(feature = "mcp-client")]
pub(crate) use reconnect::connect_transport;
pub use reconnect::{connect, connect_framed, stream};

/// What a handle tells its connection.
pub(crate) enum Command {
    /// A text with calls, which wait for their answers.
    Calls(Bytes, Vec<Call>),
    /// A text without calls.
    Text(Bytes),
    /// The caller no longer waits.
    Forget(i64),
    Close,
}

/// The commands that wait for their connection. More wait in their tasks.
const COMMANDS: usize = 256;
/// The greatest id: every JSON reader keeps it exact (RFC 8259 §6).
const MAX_ID: i64 = (1 << 53) - 1;

/// A handle to call the peer of a connection, from any task and thread. Clones share the connection; it ends with the last of them.
///
/// ```
/// use nanojsonrpc_tokio::{CallError, Client, Options};
///
/// async fn level(client: &Client) -> Result<u8, CallError> {
///     client.call("level", &()).await
/// }
/// ```
///
/// A call whose future is dropped is forgotten: its late answer is dropped. To tell the peer, too, send its cancelling notification.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

pub(crate) struct Inner {
    commands: mpsc::Sender<Command>,
    /// Its memory grows with [`Options::unread`], so it is made for the first subscriber.
    notifications: Mutex<Option<broadcast::Sender<Message>>>,
    next: AtomicI64,
    options: Options,
    /// Why the connection has ended for good.
    reason: OnceLock<Closed>,
}

/// A handle that does not keep the connection.
#[derive(Clone)]
pub(crate) struct Weak(std::sync::Weak<Inner>);

impl Weak {
    pub(crate) fn upgrade(&self) -> Option<Client> {
        self.0.upgrade().map(Client)
    }
}

/// The fault of a notification that was not sent.
pub type NotifyError = CallError;

impl Client {
    /// A handle, and the other end of its channel.
    pub(crate) fn channel(options: &Options) -> (Self, mpsc::Receiver<Command>, Weak) {
        Self::channel_from(1, options)
    }

    /// A handle whose calls count from `first`.
    pub(crate) fn channel_from(first: i64, options: &Options) -> (Self, mpsc::Receiver<Command>, Weak) {
        let (commands, receiver) = mpsc::channel(COMMANDS);
        let next = AtomicI64::new(first);
        let inner = Inner {
            commands,
            notifications: Mutex::default(),
            next,
            options: options.clone(),
            reason: OnceLock::new(),
        };
        let inner = Arc::new(inner);
        let weak = Weak(Arc::downgrade(&inner));
        (Self(inner), receiver, weak)
    }

    /// Passes a notification to the subscribers. Returns whether there is one.
    pub(crate) fn notify_subscribers(&self, notification: &Message) -> bool {
        self.subscribers().as_ref().is_some_and(|subscribers| subscribers.send(notification.clone()).is_ok())
    }

    fn subscribers(&self) -> MutexGuard<'_, Option<broadcast::Sender<Message>>> {
        self.0.notifications.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection has ended for good.
    pub(crate) fn end(&self, reason: Closed) {
        // an error means that it had ended before
        _ = self.0.reason.set(reason);
        // which ends their streams
        *self.subscribers() = None;
    }

    /// The end of a call on a connection that has ended.
    pub(crate) fn why_closed(&self) -> CallError {
        CallError::Closed(self.0.reason.get().cloned().unwrap_or(Closed::Here))
    }

    fn next_id(&self) -> i64 {
        self.0.next.fetch_add(1, Ordering::Relaxed) & MAX_ID
    }

    /// Writes one call. The core writes and numbers it; the handle only counts.
    fn write(&self, method: &str, params: &(impl ToJson + ?Sized)) -> Result<(i64, Bytes), CallError> {
        let id = self.next_id();
        let mut client = nanojsonrpc::Client::<(), 1, 0>::new().with_first_id(id).with_dialect(self.0.options.dialect);
        let mut text = Growing::new(usize::MAX);
        let mut out = Writer::new(&mut text);
        client.call(method, params, (), &mut out).map_err(|refused| CallError::Unwritable(refused.error))?;
        Ok((id, Bytes::copy_from_slice(out.written())))
    }

    async fn send(&self, command: Command) -> Result<(), CallError> {
        self.0.commands.send(command).await.map_err(|_| self.why_closed())
    }

    /// Calls `method`, waits for the answer, and reads the result.
    ///
    /// `params` is anything that serde writes as an array or an object; `&()` for none.
    ///
    /// # Errors
    /// [`CallError`]: the error object of the peer, a result of another type, or no answer.
    pub async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &(impl ToJson + ?Sized),
    ) -> Result<T, CallError> {
        read(&self.request(method, params).await?)
    }

    /// [`call`](Self::call) with the whole answer, for a program that passes its result on as the text that it is. An error object of the
    /// peer is an answer, too: [`Response::pass`](crate::Response::pass).
    ///
    /// # Errors
    /// As [`call`](Self::call), without those of the result.
    pub async fn request(&self, method: &str, params: &(impl ToJson + ?Sized)) -> Result<Message, CallError> {
        self.request_within(self.0.options.patience, method, params).await
    }

    /// [`request`](Self::request) with another limit of time.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn request_within(
        &self,
        patience: Duration,
        method: &str,
        params: &(impl ToJson + ?Sized),
    ) -> Result<Message, CallError> {
        let (id, text) = self.write(method, params)?;
        self.clone().answer_to(id, text, patience, Bytes::new()).await
    }

    /// Sends a written call and waits for its answer. If nobody waits any longer, sends `cancelled`, unless it is empty.
    pub(crate) async fn answer_to(
        self,
        id: i64,
        text: Bytes,
        patience: Duration,
        cancelled: Bytes,
    ) -> Result<Message, CallError> {
        let (answer, answered) = oneshot::channel();
        let mut sent = Sent { client: self, id: Some(id), cancelled };
        let waiting = async {
            sent.client.send(Command::Calls(text, vec![Call { id, answer }])).await?;
            answered.await.unwrap_or_else(|_| Err(sent.client.why_closed()))
        };
        let outcome = tokio::time::timeout(patience, waiting).await.unwrap_or(Err(CallError::Late));
        sent.end(&outcome);
        outcome
    }

    /// Sends a notification. Returns when it is on its way, not when it has arrived.
    ///
    /// # Errors
    /// [`CallError::Unwritable`], and [`CallError::Closed`] if the connection has ended.
    pub async fn notify(&self, method: &str, params: &(impl ToJson + ?Sized)) -> Result<(), NotifyError> {
        let client = nanojsonrpc::Client::<(), 1, 0>::new().with_dialect(self.0.options.dialect);
        let mut text = Growing::new(usize::MAX);
        let mut out = Writer::new(&mut text);
        client.notify(method, params, &mut out).map_err(CallError::Unwritable)?;
        self.send(Command::Text(Bytes::copy_from_slice(out.written()))).await
    }

    /// Sends a text that the program has written itself, such as a message of a layer of its own.
    ///
    /// # Errors
    /// [`CallError::Closed`] if the connection has ended.
    pub async fn send_text(&self, text: impl Into<Bytes>) -> Result<(), NotifyError> {
        self.send(Command::Text(text.into())).await
    }

    /// The notifications of the peer from now on, until the connection ends for good. A subscriber that reads too slowly loses the oldest ones: then the item is their number.
    pub fn notifications(&self) -> impl Stream<Item = Result<Message, Missed>> + Send + use<> {
        let mut subscribers = self.subscribers();
        let new = || broadcast::Sender::new(self.0.options.unread);
        let receiver = subscribers.get_or_insert_with(new).subscribe();
        if self.0.reason.get().is_some() {
            *subscribers = None;
        }
        unfold(receiver, async |mut receiver| match receiver.recv().await {
            Ok(message) => Some((Ok(message), receiver)),
            Err(broadcast::error::RecvError::Lagged(count)) => Some((Err(Missed(count)), receiver)),
            Err(broadcast::error::RecvError::Closed) => None,
        })
    }

    /// Ends the connection, after the calls that it has received are answered. Calls in flight end with [`CallError::Closed`].
    pub async fn close(&self) {
        // an error means that it has ended
        _ = self.send(Command::Close).await;
    }

    /// Whether the connection has ended for good.
    pub fn is_closed(&self) -> bool {
        self.0.commands.is_closed()
    }

    /// Waits until the connection has ended for good.
    pub async fn closed(&self) {
        self.0.commands.closed().await;
    }

    /// The limits and rules of the connection.
    pub fn options(&self) -> &Options {
        &self.0.options
    }
}

/// The result in a response.
fn read<T: DeserializeOwned>(response: &Message) -> Result<T, CallError> {
    let envelope = response.envelope();
    match (envelope.result(), envelope.error_object()) {
        (Some(result), _) => {
            result.read().map_err(|error| CallError::Payload(error, Bytes::copy_from_slice(result.as_bytes())))
        }
        (None, Some(error)) => Err(CallError::Peer(error.into())),
        (None, None) => Err(CallError::Closed(Closed::Here)),
    }
}

/// A call that is forgotten when its future is dropped.
struct Sent {
    client: Client,
    id: Option<i64>,
    /// The notification for the peer that the call is forgotten; empty for none.
    cancelled: Bytes,
}

impl Sent {
    /// Only a late call is still in flight.
    fn end(&mut self, outcome: &Result<Message, CallError>) {
        if !matches!(outcome, Err(CallError::Late)) {
            self.id = None;
        }
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            // if the channel is full, a closed `oneshot` remains until the connection ends or the answer comes
            _ = self.client.0.commands.try_send(Command::Forget(id));
            if !self.cancelled.is_empty() {
                _ = self.client.0.commands.try_send(Command::Text(std::mem::take(&mut self.cancelled)));
            }
        }
    }
}

/// The number of notifications that a slow subscriber has lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missed(pub u64);

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} notifications were lost", self.0)
    }
}

impl std::error::Error for Missed {}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("is_closed", &self.is_closed()).finish_non_exhaustive()
    }
}

/// For generated clients: `FanClient::speed_async(&client)`.
impl AsyncCaller for &Client {
    type Error = CallError;
    type NotifyError = NotifyError;

    async fn call<T: DeserializeOwned>(self, method: &str, params: &impl Serialize) -> Result<T, CallError> {
        Client::call(self, method, params).await
    }

    async fn notify(self, method: &str, params: &impl Serialize) -> Result<(), NotifyError> {
        Client::notify(self, method, params).await
    }
}

/// What [`tower`] sees of a client: calls go out as they came in. The answer has the result of the peer as the text that it is.
impl tower::Service<crate::Request> for Client {
    type Response = crate::Response;
    type Error = CallError;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<crate::Response, CallError>> + Send>>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), CallError>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: crate::Request) -> Self::Future {
        let client = self.clone();
        Box::pin(async move {
            let (method, params) = (request.method().to_string(), request.message().payload());
            if request.is_notification() {
                client.notify(&method, &params).await?;
                return Ok(crate::Response::result(()));
            }
            Ok(crate::Response::pass(client.request(&method, &params).await?))
        })
    }
}
