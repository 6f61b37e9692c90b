//! Held messages are read: each is made from an [`Envelope`], its id and method copied, decoded, into buffers of fixed capacity.

use super::{Batch, Dialect, Envelope, EnvelopeKind, Id, Method, Notification, Refused, Request, Response};

impl<'a> Request<'a> {
    /// Reads one request from the whole of `text`, with the default capacities.
    ///
    /// # Limits
    /// Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH). Id and method: 64 bytes each. Stack: constant. Time: one pass.
    ///
    /// # Errors
    /// The errors of [`Envelope::parse`]; [`IdTooLong`] and [`MethodTooLong`]; [`UnexpectedMessage`] for a message
    /// of another kind.
    ///
    /// [`IdTooLong`]: crate::ErrorKind::IdTooLong
    /// [`MethodTooLong`]: crate::ErrorKind::MethodTooLong
    /// [`UnexpectedMessage`]: crate::ErrorKind::UnexpectedMessage
    pub fn parse(text: &'a [u8]) -> Result<Self, Refused<'a>> {
        Self::parse_as(text, Dialect::JSON_RPC)
    }

    /// [`parse`](Self::parse) with the rules of `dialect`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and the limits of `dialect`: see [`Envelope::parse_as`].
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Refused<'a>> {
        Envelope::parse_as(text, dialect)?.try_into()
    }
}

impl<'a, const ID: usize, const METHOD: usize> Request<'a, ID, METHOD> {
    /// Replaces the request by that in `envelope`. The conversion of an [`Envelope`], in place: on a device this avoids a move of the request,
    /// which links `memcpy`, 900 bytes of flash.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Refused<'static>> {
    /// use nanojsonrpc::{Envelope, Request};
    ///
    /// let mut request = Request::<16, 16>::default();
    /// request.hold(&Envelope::parse(br#"{"jsonrpc":"2.0","method":"led","params":[true],"id":1}"#)?)?;
    /// assert_eq!((request.method.as_str(), request.id.as_i64()), ("led", Some(1)));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`IdTooLong`](crate::ErrorKind::IdTooLong), [`MethodTooLong`](crate::ErrorKind::MethodTooLong), and
    /// [`UnexpectedMessage`](crate::ErrorKind::UnexpectedMessage) for a message of another kind. `self` is then unspecified.
    pub fn hold(&mut self, envelope: &Envelope<'a>) -> Result<(), Refused<'a>> {
        if envelope.kind() != EnvelopeKind::Request {
            return Err(envelope.unexpected());
        }
        self.params = envelope.params();
        self.method = Method::empty();
        envelope.hold(Some(&mut self.id), Some(&mut self.method))
    }
}

/// A request of other capacities, or that was an element of a batch.
///
/// ```
/// use nanojsonrpc::{Envelope, ErrorKind, Request};
///
/// let envelope = Envelope::parse(br#"{"jsonrpc":"2.0","method":"led","id":1}"#)?;
/// assert!(Request::<8, 16>::try_from(envelope).is_ok());
/// assert!(Request::<8, 2>::try_from(envelope).is_err_and(|refused| refused.kind() == ErrorKind::MethodTooLong));
/// # Ok::<(), nanojsonrpc::Refused<'_>>(())
/// ```
impl<'a, const ID: usize, const METHOD: usize> TryFrom<Envelope<'a>> for Request<'a, ID, METHOD> {
    type Error = Refused<'a>;

    /// # Errors
    /// As [`hold`](Request::hold).
    fn try_from(envelope: Envelope<'a>) -> Result<Self, Refused<'a>> {
        let mut request = Self::default();
        request.hold(&envelope).map(|()| request)
    }
}

impl<'a> Notification<'a> {
    /// Reads one notification from the whole of `text`, with the default capacity.
    ///
    /// # Errors
    /// As [`Request::parse`], with
    /// [`UnexpectedMessage`](crate::ErrorKind::UnexpectedMessage) for a message of another kind.
    pub fn parse(text: &'a [u8]) -> Result<Self, Refused<'a>> {
        Self::parse_as(text, Dialect::JSON_RPC)
    }

    /// [`parse`](Self::parse) with the rules of `dialect`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and the limits of `dialect`: see [`Envelope::parse_as`].
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Refused<'a>> {
        Envelope::parse_as(text, dialect)?.try_into()
    }
}

/// A notification of another capacity.
impl<'a, const METHOD: usize> TryFrom<Envelope<'a>> for Notification<'a, METHOD> {
    type Error = Refused<'a>;

    /// # Errors
    /// [`MethodTooLong`](crate::ErrorKind::MethodTooLong), and [`UnexpectedMessage`](crate::ErrorKind::UnexpectedMessage) for a message of
    /// another kind.
    fn try_from(envelope: Envelope<'a>) -> Result<Self, Refused<'a>> {
        if envelope.kind() != EnvelopeKind::Notification {
            return Err(envelope.unexpected());
        }
        let mut notification = Self { method: Method::empty(), params: envelope.params() };
        envelope.hold::<0, METHOD>(None, Some(&mut notification.method)).map(|()| notification)
    }
}

impl<'a> Response<'a> {
    /// Reads one response from the whole of `text`, with the default capacity.
    ///
    /// # Errors
    /// As [`Request::parse`], with
    /// [`UnexpectedMessage`](crate::ErrorKind::UnexpectedMessage) for a message of another kind.
    pub fn parse(text: &'a [u8]) -> Result<Self, Refused<'a>> {
        Self::parse_as(text, Dialect::JSON_RPC)
    }

    /// [`parse`](Self::parse) with the rules of `dialect`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and the limits of `dialect`: see [`Envelope::parse_as`].
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Refused<'a>> {
        Envelope::parse_as(text, dialect)?.try_into()
    }
}

/// A response of another capacity.
impl<'a, const ID: usize> TryFrom<Envelope<'a>> for Response<'a, ID> {
    type Error = Refused<'a>;

    /// # Errors
    /// [`IdTooLong`](crate::ErrorKind::IdTooLong), and [`UnexpectedMessage`](crate::ErrorKind::UnexpectedMessage) for a message of another
    /// kind.
    fn try_from(envelope: Envelope<'a>) -> Result<Self, Refused<'a>> {
        if !matches!(envelope.kind(), EnvelopeKind::Success | EnvelopeKind::Error) {
            return Err(envelope.unexpected());
        }
        let mut response = Self { id: Id::Null, outcome: envelope.outcome() };
        envelope.hold::<ID, 0>(Some(&mut response.id), None).map(|()| response)
    }
}

/// Any message of JSON-RPC 2.0, §4 to §6.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Refused<'static>> {
/// use nanojsonrpc::Message;
///
/// match Message::parse(br#"{"jsonrpc":"2.0","result":19,"id":1}"#)? {
///     Message::Response(response) => assert_eq!(response.id.as_i64(), Some(1)),
///     Message::Request(_) | Message::Notification(_) | Message::Batch(_) => {}
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Message<'a, const ID: usize = 64, const METHOD: usize = 64> {
    /// A call that expects a response.
    Request(Request<'a, ID, METHOD>),
    /// A call without a response.
    Notification(Notification<'a, METHOD>),
    /// The answer to a request.
    Response(Response<'a, ID>),
    /// An array of messages.
    Batch(Batch<'a>),
}

/// An empty message for [`hold`](Message::hold): a notification with an empty method, which cannot be written.
impl<const ID: usize, const METHOD: usize> Default for Message<'_, ID, METHOD> {
    fn default() -> Self {
        Self::Notification(Notification { method: Method::empty(), params: None })
    }
}

impl<'a> Message<'a> {
    /// Reads one message, or a batch, from the whole of `text`, with the default capacities.
    ///
    /// # Limits
    /// Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH). Id and method: 64 bytes each. Stack: constant. Time: one pass.
    ///
    /// # Errors
    /// The errors of [`Envelope::parse`];
    /// [`IdTooLong`](crate::ErrorKind::IdTooLong) and [`MethodTooLong`](crate::ErrorKind::MethodTooLong).
    pub fn parse(text: &'a [u8]) -> Result<Self, Refused<'a>> {
        Self::parse_as(text, Dialect::JSON_RPC)
    }

    /// [`parse`](Self::parse) with the rules of `dialect`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and the limits of `dialect`: see [`Envelope::parse_as`].
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Refused<'a>> {
        Envelope::parse_as(text, dialect)?.try_into()
    }
}

/// A message of other capacities, or that was an element of a batch.
impl<'a, const ID: usize, const METHOD: usize> TryFrom<Envelope<'a>> for Message<'a, ID, METHOD> {
    type Error = Refused<'a>;

    /// # Errors
    /// As [`hold`](Message::hold).
    fn try_from(envelope: Envelope<'a>) -> Result<Self, Refused<'a>> {
        let mut message = Self::default();
        message.hold(&envelope).map(|()| message)
    }
}

impl<'a, const ID: usize, const METHOD: usize> Message<'a, ID, METHOD> {
    /// Replaces the message by that in `envelope`. The conversion of an [`Envelope`], in place, as [`Request::hold`] is.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Refused<'static>> {
    /// use nanojsonrpc::{Envelope, Message};
    ///
    /// let mut message = Message::<16, 16>::default();
    /// message.hold(&Envelope::parse(br#"{"jsonrpc":"2.0","method":"led","params":[true]}"#)?)?;
    /// assert!(matches!(&message, Message::Notification(led) if led.method == "led"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`IdTooLong`](crate::ErrorKind::IdTooLong), [`MethodTooLong`](crate::ErrorKind::MethodTooLong). `self` is then unspecified.
    pub fn hold(&mut self, envelope: &Envelope<'a>) -> Result<(), Refused<'a>> {
        let params = envelope.params();
        // an assignment for each kind, because the result of the match would be moved
        match envelope.kind() {
            EnvelopeKind::Request => *self = Self::Request(Request { id: Id::Null, method: Method::empty(), params }),
            EnvelopeKind::Notification => {
                *self = Self::Notification(Notification { method: Method::empty(), params });
            }
            EnvelopeKind::Success | EnvelopeKind::Error => {
                *self = Self::Response(Response { id: Id::Null, outcome: envelope.outcome() });
            }
            EnvelopeKind::Batch => *self = Self::Batch(envelope.as_batch()),
        }
        let (id, method) = match self {
            Self::Request(request) => (Some(&mut request.id), Some(&mut request.method)),
            Self::Notification(notification) => (None, Some(&mut notification.method)),
            Self::Response(response) => (Some(&mut response.id), None),
            Self::Batch(_) => (None, None),
        };
        envelope.hold(id, method)
    }
}
