//! A message of any kind.

use super::envelope::view;
use super::outgoing::write_alone;
use super::{
    Batch, Dialect, EnvelopeKind, Id, Method, Notification, Outgoing, Refused, Rejection, Request, Response, classify,
};
use crate::error::{Error, ErrorKind};
use crate::json::{Captured, RawValue, Writer, number};

/// Any message of JSON-RPC 2.0, §4 to §6.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Rejection> {
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
    Batch(Batch<'a, ID, METHOD>),
}

impl<'a> Message<'a> {
    /// Reads one message, or a batch, from the whole of `text`, with the default capacities.
    ///
    /// # Limits
    /// Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH). Id and method: 64 bytes each. Stack: constant. Time: one pass.
    ///
    /// # Errors
    /// The errors of [`Envelope::parse`](super::Envelope::parse);
    /// [`IdTooLong`](crate::ErrorKind::IdTooLong) and [`MethodTooLong`](crate::ErrorKind::MethodTooLong).
    #[inline(always)]
    pub fn parse(text: &'a [u8]) -> Result<Self, Rejection> {
        Self::parse_as(text, Dialect::JSON_RPC)
    }

    /// [`parse`](Self::parse) with the rules of `dialect`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and the limits of `dialect`: see [`Envelope::parse_as`](super::Envelope::parse_as).
    #[inline(always)]
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Rejection> {
        Self::parse_bounded(text, dialect)
    }
}

impl<'a, const ID: usize, const METHOD: usize> Message<'a, ID, METHOD> {
    /// [`parse_as`](Message::parse_as) with other capacities.
    ///
    /// # Errors
    /// As [`parse`](Message::parse).
    #[inline(always)]
    pub fn parse_bounded(text: &'a [u8], dialect: Dialect) -> Result<Self, Rejection<ID>> {
        let mut captured = Captured::new(text);
        let classified = classify::text(text, dialect, &mut captured);
        Self::of(classified, text, &captured, dialect)
    }

    /// Reads one message, or a batch, from the whole of `text` into `self`, which it replaces. Like [`Request::parse_into`]: on a device
    /// this avoids moves of the message, which link `memcpy`. [`next_into`](crate::message::BatchElements::next_into) reads the elements of
    /// a batch.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::message::Refused<'static>> {
    /// use nanojsonrpc::{Dialect, Message};
    ///
    /// let mut message: Message<'_> = Message::default();
    /// message.parse_into(br#"{"jsonrpc":"2.0","method":"led","params":[true]}"#, Dialect::JSON_RPC)?;
    /// assert!(matches!(&message, Message::Notification(led) if led.method == "led"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`parse`](Message::parse). `self` is then unspecified.
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub fn parse_into(&mut self, text: &'a [u8], dialect: Dialect) -> Result<(), Refused<'a>> {
        let mut captured = Captured::new(text);
        let classified = classify::text(text, dialect, &mut captured);
        if classified == Ok(EnvelopeKind::Batch) {
            *self = Self::Batch(Batch::of(text, dialect));
            return Ok(());
        }
        self.fill(classified, text, &captured)
    }

    /// The message with the classified members `captured` in `text`.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(super) fn of(
        classified: Result<EnvelopeKind, Error>,
        text: &'a [u8],
        captured: &Captured<'a>,
        dialect: Dialect,
    ) -> Result<Self, Rejection<ID>> {
        if let Some(message) = Self::in_registers(classified, text, captured) {
            return Ok(message);
        }
        if let Some(request) = Self::with_plain_id(classified, text, captured) {
            return Ok(request);
        }
        // Fills the result in place, because each move links `memcpy`. A refused text is handled here, too, which saves a branch of `fill`
        // on hosts.
        let mut read = Ok(Self::default());
        let outcome = match (&mut read, classified) {
            (Ok(message), Ok(EnvelopeKind::Batch)) => {
                *message = Self::Batch(Batch::of(text, dialect));
                Ok(())
            }
            (Ok(message), Ok(_)) => message.fill(classified, text, captured),
            (_, Err(error)) => Err(Refused::of(error, text, captured)),
            // `read` is `Ok` here
            (Err(_), Ok(_)) => Ok(()),
        };
        if let Err(refused) = outcome {
            read = Err(Rejection::unfilled(&refused));
            if let Err(rejection) = &mut read {
                rejection.fill_from(refused.id);
            }
        }
        read
    }

    /// Replaces the message, in place, if it is no batch. After an error it is unspecified.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(super) fn fill(
        &mut self,
        classified: Result<EnvelopeKind, Error>,
        text: &'a [u8],
        captured: &Captured<'a>,
    ) -> Result<(), Refused<'a>> {
        let kind = classified.map_err(|error| Refused::of(error, text, captured))?;
        // an assignment for each kind, because the result of the match would be moved
        match kind {
            EnvelopeKind::Request => *self = Self::Request(Request::unfilled(text, captured)),
            EnvelopeKind::Notification => *self = Self::Notification(Notification::unfilled(text, captured)),
            EnvelopeKind::Success | EnvelopeKind::Error => *self = Self::Response(Response::unfilled(text, captured)),
            EnvelopeKind::Batch => return Ok(()),
        }
        let (id, method) = match self {
            Self::Request(request) => (Some(&mut request.id), Some(&mut request.method)),
            Self::Notification(notification) => (None, Some(&mut notification.method)),
            Self::Response(response) => (Some(&mut response.id), None),
            Self::Batch(_) => return Ok(()),
        };
        // check the id before the method: a refusal for the method needs an id for its response
        let (long, slot, id) = if id.is_some_and(|id| !id.fill(captured.get(classify::ID))) {
            (ErrorKind::IdTooLong, classify::ID, None)
        } else if method.is_some_and(|method| !method.fill_captured(text, captured)) {
            (ErrorKind::MethodTooLong, classify::METHOD, view(text, captured.get(classify::ID)))
        } else {
            return Ok(());
        };
        Err(Refused {
            error: classify::fault(long, text, captured, slot),
            id,
            is_silent: kind != EnvelopeKind::Request,
        })
    }

    /// Fast path: a message whose method is borrowed and whose id is an integer. No part has its address taken, so the message is moved in
    /// registers, and no load waits for an earlier store. On devices this compiles to nothing.
    #[inline(always)]
    fn in_registers(classified: Result<EnvelopeKind, Error>, text: &'a [u8], captured: &Captured<'a>) -> Option<Self> {
        let view = |slot| captured.find(slot).map(|value| RawValue::validated(text, value));
        let id = || {
            let number = captured.find(classify::ID).filter(|_| captured.is_number(classify::ID))?;
            number::signed_in(text, number).map(Id::Number)
        };
        let Ok(kind) = classified else { return None };
        match kind {
            EnvelopeKind::Request => {
                let (method, params) = (Method::borrowed_from(text, captured)?, view(classify::PARAMS));
                Some(Self::Request(Request { id: id()?, method, params }))
            }
            EnvelopeKind::Notification => {
                let (method, params) = (Method::borrowed_from(text, captured)?, view(classify::PARAMS));
                Some(Self::Notification(Notification { method, params }))
            }
            EnvelopeKind::Success => Some(Self::Response(Response { id: id()?, outcome: Ok(view(classify::RESULT)?) })),
            EnvelopeKind::Error | EnvelopeKind::Batch => None,
        }
    }

    /// [`in_registers`](Self::in_registers) for a request whose id is a string. A call of its own: in one call, each id would be moved like a
    /// string.
    #[inline(always)]
    fn with_plain_id(classified: Result<EnvelopeKind, Error>, text: &'a [u8], captured: &Captured<'a>) -> Option<Self> {
        if classified != Ok(EnvelopeKind::Request) {
            return None;
        }
        let (id, method) = (Id::plain(text, captured)?, Method::borrowed_from(text, captured)?);
        let params = captured.find(classify::PARAMS).map(|params| RawValue::validated(text, params));
        Some(Self::Request(Request { id, method, params }))
    }

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
        write_alone(self, out, dialect)
    }
}

/// An empty message for [`parse_into`](Message::parse_into): a notification with an empty method, which cannot be written.
impl<const ID: usize, const METHOD: usize> Default for Message<'_, ID, METHOD> {
    fn default() -> Self {
        Self::Notification(Notification { method: Method::empty(), params: None })
    }
}

impl<const ID: usize, const METHOD: usize> Outgoing for Message<'_, ID, METHOD> {
    fn write_to_as(&self, out: &mut Writer<'_>, dialect: Dialect) -> Result<(), Error> {
        match self {
            Self::Request(request) => request.write_to_as(out, dialect),
            Self::Notification(notification) => notification.write_to_as(out, dialect),
            Self::Response(response) => response.write_to_as(out, dialect),
            Self::Batch(batch) => batch.write_to_as(out, dialect),
        }
    }
}
