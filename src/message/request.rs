//! A call that wants an answer.

use super::envelope::view;
use super::outgoing::write_alone;
use super::{Dialect, EnvelopeKind, Id, Method, Outgoing, Rejection, examine};
use crate::error::{Error, ErrorKind};
use crate::json::{Noted, RawValue, ToJson, Writer, offset_in};

/// A request: a method, params or none, and the id that its response will carry. JSON-RPC 2.0 §4.
///
/// `P` is what the params are made of: the validated text of a message that was read, or a reference to any value
/// that can be written.
///
/// # Limits
/// The id has at most `ID` bytes and a method that was read at most `METHOD` bytes, each 64 unless told otherwise.
///
/// ```
/// # fn main() -> Result<(), Box<dyn core::error::Error>> {
/// use nanojsonrpc::Request;
///
/// let text = br#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#;
/// let request = Request::parse(text)?;
/// assert_eq!(request.method, "subtract");
///
/// let mut buffer = [0; 64];
/// let len = Request::new(1, "subtract").with_params(&[42, 23]).write(&mut buffer)?;
/// assert_eq!(&buffer[..len], text);
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Request<'a, const ID: usize = 64, const METHOD: usize = 64, P = RawValue<'a>> {
    /// What the response will be known by.
    pub id: Id<ID>,
    /// What is called.
    pub method: Method<'a, METHOD>,
    /// What it is called with; `None` if absent or null.
    pub params: Option<P>,
}

impl<'a> Request<'a> {
    /// Reads one request from the whole of `text`, with the default capacities.
    ///
    /// # Limits
    /// Nesting: [`MAX_DEPTH`](crate::MAX_DEPTH). Id and method: 64 bytes each. Stack: constant. Time: one pass.
    ///
    /// # Errors
    /// Whatever keeps `text` from being a message, as for [`Envelope::parse`](super::Envelope::parse); [`IdTooLong`] and
    /// [`MethodTooLong`]; [`UnexpectedMessage`] if it is a message, but not a request.
    ///
    /// [`IdTooLong`]: crate::ErrorKind::IdTooLong
    /// [`MethodTooLong`]: crate::ErrorKind::MethodTooLong
    /// [`UnexpectedMessage`]: crate::ErrorKind::UnexpectedMessage
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

    /// A request without params.
    ///
    /// The method is borrowed, so it may be longer than a reader of default capacity takes; an empty one is refused
    /// when the request is written.
    pub fn new(id: impl Into<Id>, method: &'a str) -> Self {
        Self { id: id.into(), method: Method::borrowed(method), params: None }
    }
}

impl<'a, const ID: usize, const METHOD: usize> Request<'a, ID, METHOD> {
    /// [`parse_as`](Request::parse_as) with capacities of your own.
    ///
    /// ```
    /// use nanojsonrpc::{Dialect, Request};
    ///
    /// let text = br#"{"jsonrpc":"2.0","method":"led","id":1}"#;
    /// assert!(Request::<8, 16>::parse_bounded(text, Dialect::JSON_RPC).is_ok());
    /// assert!(Request::<8, 2>::parse_bounded(text, Dialect::JSON_RPC).is_err());
    /// ```
    ///
    /// # Errors
    /// As [`parse`](Request::parse).
    pub fn parse_bounded(text: &'a [u8], dialect: Dialect) -> Result<Self, Rejection<ID>> {
        let mut noted = Noted::new(text);
        let examined = examine::text(text, dialect, &mut noted);
        Self::of(examined, text, &noted)
    }

    /// The id and the method are filled in where they stay, because moving them links `memcpy`.
    pub(super) fn of(
        examined: Result<EnvelopeKind, Error>,
        text: &'a [u8],
        noted: &Noted<'a>,
    ) -> Result<Self, Rejection<ID>> {
        let (id, method) = (noted.get(examine::ID), noted.get(examine::METHOD));
        let mut read;
        if let Ok(EnvelopeKind::Request) = examined {
            let params = view(text, noted.get(examine::PARAMS));
            read = Ok(Self { id: Id::Null, method: Method::empty(), params });
        } else {
            read = Err(Rejection::unexpected(examined, text));
        }
        if let Ok(request) = &mut read {
            if !request.method.fill(method) {
                read = Err(Error::new(ErrorKind::MethodTooLong, offset_in(text, method)).into());
            }
        }
        let place = match &mut read {
            Ok(request) => &mut request.id,
            Err(rejection) => rejection.id_mut(),
        };
        if !place.fill(id) && examined == Ok(EnvelopeKind::Request) {
            read = Err(Error::new(ErrorKind::IdTooLong, offset_in(text, id)).into());
        }
        read
    }

    /// A request to be [filled](Self::fill).
    #[cfg(target_pointer_width = "64")]
    pub(super) fn unfilled(text: &'a [u8], noted: &Noted<'a>) -> Self {
        Self { id: Id::Null, method: Method::empty(), params: view(text, noted.get(examine::PARAMS)) }
    }

    /// Fills in the id and the method. An id that does not fit is the first to be complained about, because then there
    /// is none to answer with.
    #[cfg(target_pointer_width = "64")]
    pub(super) fn fill(&mut self, text: &'a [u8], noted: &Noted<'a>) -> Result<(), Error> {
        let (id, method) = (noted.get(examine::ID), noted.get(examine::METHOD));
        let fits = self.method.fill(method);
        if !self.id.fill(id) {
            return Err(Error::new(ErrorKind::IdTooLong, offset_in(text, id)));
        }
        if fits { Ok(()) } else { Err(Error::new(ErrorKind::MethodTooLong, offset_in(text, method))) }
    }
}

impl<'a, const ID: usize, const METHOD: usize, P> Request<'a, ID, METHOD, P> {
    /// The same request with `params`.
    pub fn with_params<T: ToJson + ?Sized>(self, params: &T) -> Request<'a, ID, METHOD, &T> {
        Request { id: self.id, method: self.method, params: Some(params) }
    }
}

impl<const ID: usize, const METHOD: usize, P: ToJson> Request<'_, ID, METHOD, P> {
    /// Writes it to the front of `out` and returns its length in bytes.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if `out` is too short;
    /// [`InvalidMethod`](crate::ErrorKind::InvalidMethod) if the method is empty. Then what `out` holds is unspecified.
    pub fn write(&self, out: &mut [u8]) -> Result<usize, Error> {
        write_alone(self, out)
    }
}

/// Writes what a request and a notification share. JSON-RPC 2.0 §4.
pub(crate) fn write_call<const M: usize>(
    method: &Method<'_, M>,
    params: Option<&(impl ToJson + ?Sized)>,
    out: &mut Writer<'_>,
) -> Result<(), Error> {
    out.bytes(b"{\"jsonrpc\":\"2.0\",\"method\":")?;
    method.write_to(out)?;
    if let Some(params) = params {
        out.bytes(b",\"params\":")?;
        params.write_json(out)?;
    }
    Ok(())
}

impl<const ID: usize, const METHOD: usize, P: ToJson> Outgoing for Request<'_, ID, METHOD, P> {
    fn write_to(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        write_call(&self.method, self.params.as_ref(), out)?;
        out.bytes(b",\"id\":")?;
        self.id.write_to(out)?;
        out.bytes(b"}")
    }
}
