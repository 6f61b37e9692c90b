//! A message of any kind.

use super::outgoing::write_alone;
use super::{Batch, Dialect, EnvelopeKind, Notification, Outgoing, Rejection, Request, Response, classify};
#[cfg(target_pointer_width = "64")]
use super::{Id, Method};
use crate::error::{Error, ErrorKind};
use crate::json::{Captured, Writer};
#[cfg(target_pointer_width = "64")]
use crate::json::{RawValue, number};

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
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub fn parse(text: &'a [u8]) -> Result<Self, Rejection> {
        Self::parse_as(text, Dialect::JSON_RPC)
    }

    /// [`parse`](Self::parse) with the rules of `dialect`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Rejection> {
        Self::parse_bounded(text, dialect)
    }
}

impl<'a, const ID: usize, const METHOD: usize> Message<'a, ID, METHOD> {
    /// [`parse_as`](Message::parse_as) with other capacities.
    ///
    /// # Errors
    /// As [`parse`](Message::parse).
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub fn parse_bounded(text: &'a [u8], dialect: Dialect) -> Result<Self, Rejection<ID>> {
        let mut captured = Captured::new(text);
        let classified = classify::text(text, dialect, &mut captured);
        Self::of(classified, text, &captured, dialect)
    }

    /// Builds the message in place, because moving it links `memcpy`.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub(super) fn of(
        classified: Result<EnvelopeKind, Error>,
        text: &'a [u8],
        captured: &Captured<'a>,
        dialect: Dialect,
    ) -> Result<Self, Rejection<ID>> {
        #[cfg(target_pointer_width = "64")]
        if let Some(call) = Self::in_registers(classified, text, captured) {
            return Ok(call);
        }
        let mut read = match classified {
            Ok(EnvelopeKind::Request) => Ok(Self::Request(Request::unfilled(text, captured))),
            Ok(EnvelopeKind::Notification) => Ok(Self::Notification(Notification::unfilled(text, captured))),
            Ok(EnvelopeKind::Success | EnvelopeKind::Error) => Ok(Self::Response(Response::unfilled(text, captured))),
            Ok(EnvelopeKind::Batch) => Ok(Self::Batch(Batch::of(text, dialect))),
            Err(_) => Err(Rejection::unexpected(classified, text, captured)),
        };
        let method = match &mut read {
            Ok(Self::Request(request)) => Some(&mut request.method),
            Ok(Self::Notification(notification)) => Some(&mut notification.method),
            _ => None,
        };
        if method.is_some_and(|method| !method.fill_captured(text, captured)) {
            read = Err(Rejection::unread(ErrorKind::MethodTooLong, classified, text, captured, classify::METHOD));
        }
        let id = match &mut read {
            Ok(Self::Request(request)) => Some(&mut request.id),
            Ok(Self::Response(response)) => Some(&mut response.id),
            Err(rejection) => Some(rejection.id_mut()),
            _ => None,
        };
        if id.is_some_and(|id| !id.fill_captured(text, captured)) && classified.is_ok() {
            read = Err(Rejection::unread(ErrorKind::IdTooLong, classified, text, captured, classify::ID));
        }
        read
    }

    /// Fast path: a message whose method is borrowed and whose id is an integer. The address of no part is taken, so the message is moved
    /// in parts, and no load waits for an earlier store.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    fn in_registers(classified: Result<EnvelopeKind, Error>, text: &'a [u8], captured: &Captured<'a>) -> Option<Self> {
        let Ok(kind) = classified else { return None };
        let view = |slot| captured.find(slot).map(|value| RawValue::validated(text, value));
        let id = || number::signed_in(text, captured.find(classify::ID)?).map(Id::Number);
        match kind {
            EnvelopeKind::Request => {
                let (method, params) = (Method::borrowed_from(text, captured)?, view(classify::PARAMS));
                Some(match id() {
                    Some(id) => Self::Request(Request { id, method, params }),
                    None => Self::Request(Request { id: Id::short(text, captured)?, method, params }),
                })
            }
            EnvelopeKind::Notification => {
                let (method, params) = (Method::borrowed_from(text, captured)?, view(classify::PARAMS));
                Some(Self::Notification(Notification { method, params }))
            }
            EnvelopeKind::Success => Some(Self::Response(Response { id: id()?, outcome: Ok(view(classify::RESULT)?) })),
            EnvelopeKind::Error | EnvelopeKind::Batch => None,
        }
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
