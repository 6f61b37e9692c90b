//! Writes calls into a buffer, for programs with their own transport.

use core::fmt;
use core::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Caller;
use crate::client::{CallBatch, CallRefused, Client, WithDeadline};
use crate::error::Error;
use crate::json::{PayloadError, Writer};
use crate::message::{ErrorObject, Response};

/// Writes one call of a generated client; see [`Client::sending`] and [`WithDeadline::sending`].
#[derive(Debug)]
#[must_use = "a function of the generated client writes the call"]
pub struct Sending<'c, 'w, T, const N: usize, const ID: usize = 64> {
    client: &'c mut Client<T, N, ID>,
    deadline: Option<u32>,
    tag: T,
    out: &'c mut Writer<'w>,
}

/// Writes one call of a generated client into a batch; see [`CallBatch::sending`].
#[derive(Debug)]
#[must_use = "a function of the generated client writes the call"]
pub struct SendingInBatch<'b, 'c, 'w, T, const N: usize, const ID: usize = 64> {
    calls: &'b mut CallBatch<'c, 'w, T, N, ID>,
    tag: T,
}

/// A written call: its id, and the type of its result.
pub struct Sent<T> {
    id: i64,
    result: PhantomData<fn() -> T>,
}

/// The reason for a call without a result, from [`Sent::read`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ResultError<'a> {
    /// The peer answered with this error object.
    Peer(ErrorObject<'a>),
    /// The result does not fit the type.
    Payload(PayloadError),
}

impl<T, const N: usize, const ID: usize> Client<T, N, ID> {
    /// A caller for one call or notification of a [service](mod@crate::service)'s client, such as `FanClient::speed(client.sending("speed",
    /// &mut out))`. It appends the message to `out`, like [`call`](Self::call) and [`notify`](Self::notify).
    pub const fn sending<'c, 'w>(&'c mut self, tag: T, out: &'c mut Writer<'w>) -> Sending<'c, 'w, T, N, ID> {
        Sending { client: self, deadline: None, tag, out }
    }
}

impl<T, const N: usize, const ID: usize> WithDeadline<'_, T, N, ID> {
    /// [`Client::sending`] with a deadline.
    pub const fn sending<'s, 'w>(&'s mut self, tag: T, out: &'s mut Writer<'w>) -> Sending<'s, 'w, T, N, ID> {
        Sending { client: self.client, deadline: Some(self.deadline), tag, out }
    }
}

impl<'c, 'w, T, const N: usize, const ID: usize> CallBatch<'c, 'w, T, N, ID> {
    /// A caller for one call or notification of a [service](mod@crate::service)'s client. It appends the message to the batch.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{Client, Writer};
    ///
    /// #[nanojsonrpc::service(client = FanClient)]
    /// trait Fan {
    ///     fn speed(&self) -> u16;
    ///     #[notification]
    ///     fn stalled(&mut self, at: u32);
    /// }
    ///
    /// let mut client: Client<char, 2> = Client::new();
    /// let mut buffer = [0; 128];
    /// let mut out = Writer::new(&mut buffer);
    /// let mut batch = client.batch(&mut out);
    /// let speed = FanClient::speed(batch.sending('s'))?;
    /// FanClient::stalled(batch.sending('n'), 5)?;
    /// batch.finish();
    /// assert_eq!(speed.id(), 1);
    /// assert_eq!(
    ///     out.written(),
    ///     br#"[{"jsonrpc":"2.0","method":"speed","id":1},{"jsonrpc":"2.0","method":"stalled","params":{"at":5}}]"#
    /// );
    /// # Ok(()) }
    /// ```
    pub const fn sending<'b>(&'b mut self, tag: T) -> SendingInBatch<'b, 'c, 'w, T, N, ID> {
        SendingInBatch { calls: self, tag }
    }
}

impl<T, const N: usize, const ID: usize> Caller for Sending<'_, '_, T, N, ID> {
    type Outcome<R> = Result<Sent<R>, CallRefused<T>>;
    type Notified = Result<(), Error>;

    fn call<R: DeserializeOwned>(self, method: &str, params: &impl Serialize) -> Self::Outcome<R> {
        let id = match self.deadline {
            Some(deadline) => self.client.until(deadline).call(method, params, self.tag, self.out)?,
            None => self.client.call(method, params, self.tag, self.out)?,
        };
        Ok(Sent { id, result: PhantomData })
    }

    fn notify(self, method: &str, params: &impl Serialize) -> Self::Notified {
        self.client.notify(method, params, self.out)
    }
}

impl<T, const N: usize, const ID: usize> Caller for SendingInBatch<'_, '_, '_, T, N, ID> {
    type Outcome<R> = Result<Sent<R>, CallRefused<T>>;
    type Notified = Result<(), Error>;

    fn call<R: DeserializeOwned>(self, method: &str, params: &impl Serialize) -> Self::Outcome<R> {
        let id = self.calls.call(method, params, self.tag)?;
        Ok(Sent { id, result: PhantomData })
    }

    fn notify(self, method: &str, params: &impl Serialize) -> Self::Notified {
        self.calls.notify(method, params)
    }
}

impl<T> Sent<T> {
    /// The id of the call.
    pub const fn id(&self) -> i64 {
        self.id
    }
}

impl<T: DeserializeOwned> Sent<T> {
    /// Reads the result from the `response` to this call. The program finds the response with [`Client::accept`] or [`Client::receive`].
    ///
    /// # Errors
    /// The error object of the peer; a result of another type.
    pub fn read<'a, const A: usize>(&self, response: &Response<'a, A>) -> Result<T, ResultError<'a>> {
        match response.outcome {
            Ok(result) => result.read().map_err(ResultError::Payload),
            Err(error) => Err(ResultError::Peer(error)),
        }
    }
}

impl<T> Clone for Sent<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Sent<T> {}

impl<T> fmt::Debug for Sent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sent").field("id", &self.id).finish()
    }
}

impl fmt::Display for ResultError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(error) => error.fmt(f),
            Self::Payload(problem) => write!(f, "result: {problem}"),
        }
    }
}

impl core::error::Error for ResultError<'_> {}
