//! The callers that send the calls of a generated client.

#[cfg(feature = "embedded-io")]
mod stream;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Sends the calls of a generated client; it is the first argument of the client's functions.
///
/// | caller | outcome of a call |
/// |---|---|
/// | `&mut Connection` (feature `embedded-io`) | the result, after it has arrived |
/// | `&mut Peer`, from `Connection::peer` | the same; a server handles the other messages, and a call may have a deadline |
/// | [`Sending`](super::Sending), from [`Client::sending`](crate::Client::sending); [`SendingInBatch`](super::SendingInBatch), from [`CallBatch::sending`](crate::client::CallBatch::sending) | a [`Sent`](super::Sent), which reads the result from the response |
///
/// Implement it for other transports, such as a message queue, or for tests.
///
/// ```
/// use nanojsonrpc::service::Caller;
///
/// /// Records the methods of the calls.
/// struct Recorder<'r>(&'r mut Vec<String>);
///
/// impl Caller for Recorder<'_> {
///     type Outcome<T> = ();
///     type Notified = ();
///
///     fn call<T: serde::de::DeserializeOwned>(self, method: &str, _: &impl serde::Serialize) {
///         self.0.push(method.to_owned());
///     }
///
///     fn notify(self, method: &str, _: &impl serde::Serialize) {
///         self.0.push(method.to_owned());
///     }
/// }
///
/// #[nanojsonrpc::service(prefix = "fan.", client = FanClient)]
/// trait Fan {
///     fn speed(&self) -> u32;
/// }
///
/// let mut methods = Vec::new();
/// FanClient::speed(Recorder(&mut methods));
/// assert_eq!(methods, ["fan.speed"]);
/// ```
pub trait Caller {
    /// The outcome of a call with a result of type `T`.
    type Outcome<T>;

    /// The outcome of a notification.
    type Notified;

    /// Calls `method`.
    fn call<T: DeserializeOwned>(self, method: &str, params: &impl Serialize) -> Self::Outcome<T>;

    /// Sends a notification.
    fn notify(self, method: &str, params: &impl Serialize) -> Self::Notified;
}

/// A [`Caller`] that waits without blocking: `&mut Connection`, or `&mut Peer` from `Connection::peer_async`. The errors are those of the
/// blocking form.
#[allow(async_fn_in_trait, reason = "the library knows no executor, so it requires no `Send`")]
pub trait AsyncCaller {
    /// The reason for a call without a result.
    type Error;

    /// The reason for a notification that was not sent.
    type NotifyError;

    /// Calls `method` and waits for the result.
    ///
    /// # Errors
    /// The errors of the transport; an error object of the peer; a result of another type.
    async fn call<T: DeserializeOwned>(self, method: &str, params: &impl Serialize) -> Result<T, Self::Error>;

    /// Sends a notification.
    ///
    /// # Errors
    /// The errors of the transport.
    async fn notify(self, method: &str, params: &impl Serialize) -> Result<(), Self::NotifyError>;
}
