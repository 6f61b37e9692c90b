//! Messages that are written, and the one place where their envelope is spelled. JSON-RPC 2.0 §4, §5.

use self::sealed::Sealed as _;
use super::params::put_params;
use super::{Dialect, ErrorObject, Message, Notification, Request, Response};
use crate::error::{Error, ErrorKind};
use crate::json::{RawValue, ToJson, Writer};

/// A whole message that [`Writer::message`] writes: [`Request`], [`Notification`], [`Response`], [`Message`], [`Batch`](super::Batch).
///
/// Each type also has a method `write` that fills a byte buffer.
pub trait ToMessage: sealed::Sealed {}

impl<M: sealed::Sealed + ?Sized> ToMessage for M {}

/// The params or the result of a message: a reference to a value, or the text of a received message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as params or result",
    label = "cannot be written",
    note = "pass a reference to a type that implements `nanojsonrpc::ToJson`"
)]
pub trait Payload {
    /// The type of the value.
    type Value: ToJson + ?Sized;

    /// The value.
    fn value(&self) -> &Self::Value;
}

impl<T: ToJson + ?Sized> Payload for &T {
    type Value = T;

    fn value(&self) -> &T {
        self
    }
}

impl Payload for RawValue<'_> {
    type Value = Self;

    fn value(&self) -> &Self {
        self
    }
}

/// The beginning of a request or notification, up to the method.
pub(crate) const CALL: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":";
/// The length of the beginning with `jsonrpc`.
const VERSION_LEN: usize = b"{\"jsonrpc\":\"2.0\",".len();
/// The beginning of a success response, up to the result.
pub(crate) const SUCCESS: &[u8] = b"{\"jsonrpc\":\"2.0\",\"result\":";
/// The beginning of an error response, up to the error.
pub(crate) const ERROR: &[u8] = b"{\"jsonrpc\":\"2.0\",\"error\":";

/// Appends the id, which `put_id` appends, and the end of a message.
pub(crate) fn put_end<'w>(put_id: impl FnOnce(&mut Writer<'w>), out: &mut Writer<'w>) {
    out.put(b",\"id\":");
    put_id(out);
    out.put_byte(b'}');
}

/// Appends the `beginning` of a message, with `jsonrpc` or without it.
pub(crate) fn put_beginning(beginning: &[u8], has_version: bool, out: &mut Writer<'_>) {
    if has_version {
        out.put(beginning);
    } else {
        out.put_byte(b'{');
        out.put(beginning.get(VERSION_LEN..).unwrap_or_default());
    }
}

/// Appends the members that requests and notifications share, by the rules of `dialect`.
pub(crate) fn put_call(method: &str, params: Option<&(impl ToJson + ?Sized)>, dialect: Dialect, out: &mut Writer<'_>) {
    put_beginning(CALL, dialect.writes_version(), out);
    // "method [...] A String": refuses an empty method, as a reader does
    if method.is_empty() {
        out.fail(Error::new(ErrorKind::InvalidMethod, 0));
    }
    out.put_string(method);
    if let Some(params) = params {
        put_params(params, dialect.params_bits(), out);
    }
}

/// Appends a response whose id `put_id` appends.
pub(super) fn put_response<'w, R: ToJson + ?Sized, D: ToJson>(
    outcome: Result<&R, &ErrorObject<'_, D>>,
    put_id: impl FnOnce(&mut Writer<'w>),
    has_version: bool,
    out: &mut Writer<'w>,
) {
    match outcome {
        Ok(result) => {
            put_beginning(SUCCESS, has_version, out);
            out.put_value(result);
        }
        Err(error) => {
            put_beginning(ERROR, has_version, out);
            error.put_to(out);
        }
    }
    put_end(put_id, out);
}

/// Writes what `put` appends to the front of `out` and returns its length.
pub(super) fn written(out: &mut [u8], put: impl FnOnce(&mut Writer<'_>)) -> Result<usize, Error> {
    let mut out = Writer::new(out);
    put(&mut out);
    out.finish(0)?;
    Ok(out.len())
}

impl<const ID: usize, const METHOD: usize, P: Payload> Request<'_, ID, METHOD, P> {
    /// Writes the request to the front of `out` and returns its length in bytes.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if `out` is too short;
    /// [`InvalidMethod`](crate::ErrorKind::InvalidMethod) if the method is empty;
    /// [`InvalidParams`](crate::ErrorKind::InvalidParams) if the params serialize to a string, number or boolean; those of
    /// [`Writer::value`] for the params. After an error the content of `out` is unspecified.
    pub fn write(&self, out: &mut [u8]) -> Result<usize, Error> {
        self.write_as(out, Dialect::JSON_RPC)
    }

    /// [`write`](Self::write) with the params rule of `dialect`.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{Dialect, ErrorKind, Request};
    ///
    /// let mut buffer = [0; 64];
    /// let request = Request::new(1, "log").with_params("hello");
    /// assert_eq!(request.write(&mut buffer).map_err(|error| error.kind()), Err(ErrorKind::InvalidParams));
    /// let len = request.write_as(&mut buffer, Dialect::CAUCE)?;
    /// assert_eq!(&buffer[..len], br#"{"jsonrpc":"2.0","method":"log","params":"hello","id":1}"#);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`write`](Self::write), but [`InvalidParams`](crate::ErrorKind::InvalidParams) for params that `dialect` does not allow.
    pub fn write_as(&self, out: &mut [u8], dialect: Dialect) -> Result<usize, Error> {
        written(out, |out| self.put(out, dialect))
    }
}

impl<const METHOD: usize, P: Payload> Notification<'_, METHOD, P> {
    /// Writes the notification to the front of `out` and returns its length in bytes.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if `out` is too short;
    /// [`InvalidMethod`](crate::ErrorKind::InvalidMethod) if the method is empty;
    /// [`InvalidParams`](crate::ErrorKind::InvalidParams) if the params serialize to a string, number or boolean; those of
    /// [`Writer::value`] for the params. After an error the content of `out` is unspecified.
    pub fn write(&self, out: &mut [u8]) -> Result<usize, Error> {
        self.write_as(out, Dialect::JSON_RPC)
    }

    /// [`write`](Self::write) with the params rule of `dialect`.
    ///
    /// # Errors
    /// As [`write`](Self::write), but [`InvalidParams`](crate::ErrorKind::InvalidParams) for params that `dialect` does not allow.
    pub fn write_as(&self, out: &mut [u8], dialect: Dialect) -> Result<usize, Error> {
        written(out, |out| self.put(out, dialect))
    }
}

impl<const ID: usize, R: Payload, D: ToJson> Response<'_, ID, R, D> {
    /// Writes the response to the front of `out` and returns its length in bytes.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if `out` is too short; those of [`Writer::value`] for the result or the data of the
    /// error. After an error the content of `out` is unspecified.
    pub fn write(&self, out: &mut [u8]) -> Result<usize, Error> {
        written(out, |out| self.put(out, Dialect::JSON_RPC))
    }
}

impl<const ID: usize, const METHOD: usize> Message<'_, ID, METHOD> {
    /// Writes the message to the front of `out` and returns its length in bytes. A batch is written as received.
    ///
    /// # Errors
    /// As [`Request::write`].
    pub fn write(&self, out: &mut [u8]) -> Result<usize, Error> {
        self.write_as(out, Dialect::JSON_RPC)
    }

    /// [`write`](Self::write) with the rules of `dialect`, for a message that was read with these rules.
    ///
    /// # Errors
    /// As [`Request::write_as`].
    pub fn write_as(&self, out: &mut [u8], dialect: Dialect) -> Result<usize, Error> {
        written(out, |out| self.put(out, dialect))
    }
}

impl Writer<'_> {
    /// Appends one message.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if it does not fit; [`InvalidMethod`](crate::ErrorKind::InvalidMethod) if its method is
    /// empty; [`InvalidParams`](crate::ErrorKind::InvalidParams) if the params serialize to a string, number or boolean; those of
    /// [`Writer::value`] for the payload. No part is written.
    pub fn message(&mut self, message: &(impl ToMessage + ?Sized)) -> Result<(), Error> {
        self.message_as(message, Dialect::JSON_RPC)
    }

    /// Appends one message with the rules of `dialect`.
    ///
    /// ```
    /// use nanojsonrpc::{Dialect, Notification, Writer};
    ///
    /// let mut buffer = [0; 64];
    /// let mut out = Writer::new(&mut buffer);
    /// // a scalar as params is refused by JSON-RPC 2.0
    /// assert!(out.message(&Notification::new("level").with_params(&7)).is_err());
    /// out.message_as(&Notification::new("level").with_params(&7), Dialect::CAUCE)?;
    /// assert_eq!(out.written(), br#"{"jsonrpc":"2.0","method":"level","params":7}"#);
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`message`](Self::message), but [`InvalidParams`](crate::ErrorKind::InvalidParams) for params that `dialect` does not allow.
    pub fn message_as(&mut self, message: &(impl ToMessage + ?Sized), dialect: Dialect) -> Result<(), Error> {
        let before = self.len();
        message.put(self, dialect);
        self.finish(before)
    }

    /// Appends `opening`, and what `put` appends, as an element of a batch, whose closing bracket then still fits; or a message alone, if
    /// `opening` is empty. On an error, appends nothing.
    pub(crate) fn batched(&mut self, opening: &[u8], put: impl FnOnce(&mut Self)) -> Result<(), Error> {
        let before = self.len();
        self.put(opening);
        put(self);
        let bracket: &[u8] = if opening.is_empty() { b"" } else { b"]" };
        self.put(bracket);
        self.finish(before)?;
        self.truncate(self.len().wrapping_sub(bracket.len()));
        Ok(())
    }
}

pub(crate) mod sealed {
    use super::super::{Batch, Dialect, Message, Notification, Request, Response};
    use super::{Payload, put_call, put_end, put_response};
    use crate::json::{ToJson, Writer};

    pub trait Sealed {
        /// Appends the message, with the params rule of `dialect`.
        fn put(&self, out: &mut Writer<'_>, dialect: Dialect);

        /// Whether the message is a batch.
        fn is_batch(&self) -> bool {
            false
        }
    }

    impl<const ID: usize, const METHOD: usize, P: Payload> Sealed for Request<'_, ID, METHOD, P> {
        fn put(&self, out: &mut Writer<'_>, dialect: Dialect) {
            put_call(&self.method, self.params.as_ref().map(P::value), dialect, out);
            put_end(|out| self.id.put_to(out), out);
        }
    }

    impl<const METHOD: usize, P: Payload> Sealed for Notification<'_, METHOD, P> {
        fn put(&self, out: &mut Writer<'_>, dialect: Dialect) {
            put_call(&self.method, self.params.as_ref().map(P::value), dialect, out);
            out.put_byte(b'}');
        }
    }

    impl<const ID: usize, R: Payload, D: ToJson> Sealed for Response<'_, ID, R, D> {
        fn put(&self, out: &mut Writer<'_>, dialect: Dialect) {
            put_response(self.outcome.as_ref().map(R::value), |out| self.id.put_to(out), dialect.writes_version(), out);
        }
    }

    impl<const ID: usize, const METHOD: usize> Sealed for Message<'_, ID, METHOD> {
        fn put(&self, out: &mut Writer<'_>, dialect: Dialect) {
            match self {
                Self::Request(request) => request.put(out, dialect),
                Self::Notification(notification) => notification.put(out, dialect),
                Self::Response(response) => response.put(out, dialect),
                Self::Batch(batch) => batch.put(out, dialect),
            }
        }

        fn is_batch(&self) -> bool {
            matches!(self, Self::Batch(_))
        }
    }

    impl Sealed for Batch<'_> {
        fn put(&self, out: &mut Writer<'_>, _: Dialect) {
            out.put(self.raw().as_bytes());
        }

        fn is_batch(&self) -> bool {
            true
        }
    }
}
