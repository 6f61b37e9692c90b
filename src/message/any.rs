//! Whatever arrived.

#[cfg(target_pointer_width = "64")]
use heapless::String;

#[cfg(target_pointer_width = "64")]
use super::envelope::view;
use super::outgoing::write_alone;
use super::{Batch, Dialect, EnvelopeKind, Notification, Outgoing, Rejection, Request, Response, examine};
#[cfg(target_pointer_width = "64")]
use super::{Id, Method};
use crate::error::Error;
use crate::json::{Noted, Writer};
#[cfg(target_pointer_width = "64")]
use crate::json::{RawStr, number};

/// Any message that JSON-RPC 2.0 has. JSON-RPC 2.0 §4 to §6.
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
    /// A call that wants an answer.
    Request(Request<'a, ID, METHOD>),
    /// A call that wants none.
    Notification(Notification<'a, METHOD>),
    /// An answer.
    Response(Response<'a, ID>),
    /// Several of these in an array.
    Batch(Batch<'a, ID, METHOD>),
}

impl<'a> Message<'a> {
    /// Reads one message, or a batch, from the whole of `text`, with the default capacities.
    ///
    /// # Limits
    /// Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH). Id and method: 64 bytes each. Stack: constant. Time: one pass.
    ///
    /// # Errors
    /// Whatever keeps `text` from being a message, as for [`Envelope::parse`](super::Envelope::parse);
    /// [`IdTooLong`](crate::ErrorKind::IdTooLong) and [`MethodTooLong`](crate::ErrorKind::MethodTooLong).
    pub fn parse(text: &'a [u8]) -> Result<Self, Rejection> {
        Self::parse_as(text, Dialect::JSON_RPC)
    }

    /// [`parse`](Self::parse) by the rules of `dialect`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_as(text: &'a [u8], dialect: Dialect) -> Result<Self, Rejection> {
        Self::parse_bounded(text, dialect)
    }
}

impl<'a, const ID: usize, const METHOD: usize> Message<'a, ID, METHOD> {
    /// [`parse_as`](Message::parse_as) with capacities of your own.
    ///
    /// # Errors
    /// As [`parse`](Message::parse).
    pub fn parse_bounded(text: &'a [u8], dialect: Dialect) -> Result<Self, Rejection<ID>> {
        let mut noted = Noted::new(text);
        let examined = examine::text(text, dialect, &mut noted);
        Self::of(examined, text, &noted, dialect)
    }

    /// What is most of all, a call with a method that can be borrowed and an id that is short or a number, is put together
    /// at once.
    #[cfg(target_pointer_width = "64")]
    #[inline(always)]
    pub(super) fn of(
        examined: Result<EnvelopeKind, Error>,
        text: &'a [u8],
        noted: &Noted<'a>,
        dialect: Dialect,
    ) -> Result<Self, Rejection<ID>> {
        let is_call = matches!(examined, Ok(EnvelopeKind::Request | EnvelopeKind::Notification));
        let method = noted.unescaped(examine::METHOD).or_else(|| RawStr::unescaped(noted.get(examine::METHOD)));
        if let (true, Some(method)) = (is_call, method.and_then(Method::unescaped)) {
            let params = view(text, noted.get(examine::PARAMS));
            if examined == Ok(EnvelopeKind::Notification) {
                return Ok(Self::Notification(Notification { method, params }));
            }
            if let Some(number) = number::short(text, noted.get(examine::ID)) {
                return Ok(Self::Request(Request { id: Id::Number(number.into()), method, params }));
            }
            let id = noted.unescaped(examine::ID).and_then(RawStr::as_plain_str);
            if let Some(id) = id.and_then(|id| String::try_from(id).ok()) {
                return Ok(Self::Request(Request { id: Id::String(id), method, params }));
            }
        }
        Self::of_any(examined, text, noted, dialect)
    }

    /// The same, in place: what is filled in there is not moved.
    #[cfg(target_pointer_width = "64")]
    #[inline(never)]
    fn of_any(
        examined: Result<EnvelopeKind, Error>,
        text: &'a [u8],
        noted: &Noted<'a>,
        dialect: Dialect,
    ) -> Result<Self, Rejection<ID>> {
        let mut read = match examined {
            Ok(EnvelopeKind::Request) => Ok(Self::Request(Request::unfilled(text, noted))),
            Ok(EnvelopeKind::Notification) => Ok(Self::Notification(Notification::unfilled(text, noted))),
            Ok(EnvelopeKind::Success | EnvelopeKind::Error) => Ok(Self::Response(Response::unfilled(text, noted))),
            Ok(EnvelopeKind::Batch) => Ok(Self::Batch(Batch::of(text, dialect))),
            Err(_) => Err(Rejection::unexpected(examined, text)),
        };
        let filled = match &mut read {
            Ok(Self::Request(request)) => request.fill(text, noted),
            Ok(Self::Notification(notification)) => notification.fill(text, noted),
            Ok(Self::Response(response)) => response.fill(text, noted),
            Ok(Self::Batch(_)) => Ok(()),
            Err(rejection) => {
                rejection.fill(noted);
                Ok(())
            }
        };
        if let Err(error) = filled {
            read = Err(match examined {
                Ok(EnvelopeKind::Request) => Rejection::of(Err(error), text, noted),
                _ => Rejection::silent(error),
            });
        }
        read
    }

    /// On a device this takes less stack.
    #[cfg(not(target_pointer_width = "64"))]
    pub(super) fn of(
        examined: Result<EnvelopeKind, Error>,
        text: &'a [u8],
        noted: &Noted<'a>,
        dialect: Dialect,
    ) -> Result<Self, Rejection<ID>> {
        Ok(match examined {
            Ok(EnvelopeKind::Request) => Self::Request(Request::of(examined, text, noted)?),
            Ok(EnvelopeKind::Notification) => {
                Self::Notification(Notification::of(text, noted).map_err(Rejection::silent)?)
            }
            Ok(EnvelopeKind::Success | EnvelopeKind::Error) => {
                Self::Response(Response::of(text, noted).map_err(Rejection::silent)?)
            }
            Ok(EnvelopeKind::Batch) => Self::Batch(Batch::of(text, dialect)),
            Err(_) => return Err(Rejection::of(examined, text, noted)),
        })
    }

    /// Writes it to the front of `out` and returns its length in bytes. A batch is written as it came.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if `out` is too short; then what `out` holds is unspecified.
    pub fn write(&self, out: &mut [u8]) -> Result<usize, Error> {
        write_alone(self, out)
    }
}

impl<const ID: usize, const METHOD: usize> Outgoing for Message<'_, ID, METHOD> {
    fn write_to(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        match self {
            Self::Request(request) => request.write_to(out),
            Self::Notification(notification) => notification.write_to(out),
            Self::Response(response) => response.write_to(out),
            Self::Batch(batch) => batch.write_to(out),
        }
    }
}
