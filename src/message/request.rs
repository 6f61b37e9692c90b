//! A call that expects a response.

use super::outgoing::{Payload, write_alone};
use super::params::write_params;
use super::response::write_response;
use super::{Dialect, ErrorObject, Id, Method, Outgoing};
use crate::error::Error;
use crate::json::{RawValue, ToJson, Writer};

/// A request: a method, optional params, and the id that its response repeats. JSON-RPC 2.0 §4.
///
/// `P` is the type of the params: the validated text of a received message, or a reference to any value that can be written.
///
/// # Limits
/// The id has at most `ID` bytes, and the method of a received request at most `METHOD` bytes, each 64 by default.
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
    /// The id that the response repeats.
    pub id: Id<ID>,
    /// The method to call.
    pub method: Method<'a, METHOD>,
    /// The params of the call; `None` if absent or null.
    pub params: Option<P>,
}

impl<'a> Request<'a> {
    /// Creates a request without params.
    ///
    /// The method is borrowed and may have any length; a reader with the default capacity refuses more than 64 bytes. An empty method is
    /// refused on writing.
    pub fn new(id: impl Into<Id>, method: &'a str) -> Self {
        Self { id: id.into(), method: Method::borrowed(method), params: None }
    }
}

impl<const ID: usize, const METHOD: usize> Request<'_, ID, METHOD> {
    /// Writes the response to this request to the front of `out` and returns its length in bytes. Writes the same text as a
    /// [`Response`](super::Response), but does not move the id: a move links `memcpy` on a device.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{ErrorObject, Request};
    ///
    /// let mut out = [0; 96];
    /// let len = match Request::parse(br#"{"jsonrpc":"2.0","method":"led","id":"a"}"#) {
    ///     Ok(request) if request.method == "led" => request.write_response(Ok(&true), &mut out)?,
    ///     Ok(request) => request.write_response(Err::<&(), _>(&ErrorObject::METHOD_NOT_FOUND), &mut out)?,
    ///     Err(refused) => refused.write_response(&mut out)?,
    /// };
    /// assert_eq!(&out[..len], br#"{"jsonrpc":"2.0","result":true,"id":"a"}"#);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`Response::write`](super::Response::write).
    pub fn write_response<R: ToJson + ?Sized>(
        &self,
        outcome: Result<&R, &ErrorObject<'_>>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let mut out = Writer::new(out);
        write_response(outcome, |out| self.id.put_to(out), &mut out)?;
        Ok(out.len())
    }
}

/// An empty request for [`hold`](Request::hold): its id is null and its method empty, so it cannot be written.
impl<const ID: usize, const METHOD: usize, P> Default for Request<'_, ID, METHOD, P> {
    fn default() -> Self {
        Self { id: Id::Null, method: Method::empty(), params: None }
    }
}

impl<'a, const ID: usize, const METHOD: usize, P> Request<'a, ID, METHOD, P> {
    /// Sets the params, an array or object. Params that serialize to null are omitted. Other scalars are refused on [writing](Self::write),
    /// unless [a dialect](Self::write_as) allows them.
    #[must_use]
    pub fn with_params<T: ToJson + ?Sized>(self, params: &T) -> Request<'a, ID, METHOD, &T> {
        Request { id: self.id, method: self.method, params: Some(params) }
    }
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
        write_alone(self, out, dialect)
    }
}

/// Writes the members that requests and notifications share, with params of a kind whose [bits](Dialect::params_bits) are `allowed`.
/// JSON-RPC 2.0 §4.
pub(crate) fn write_call<const M: usize>(
    method: &Method<'_, M>,
    params: Option<&(impl ToJson + ?Sized)>,
    allowed: u32,
    out: &mut Writer<'_>,
) -> Result<(), Error> {
    out.bytes(b"{\"jsonrpc\":\"2.0\",\"method\":")?;
    method.write_to(out)?;
    params.map_or(Ok(()), |params| write_params(params, allowed, out))
}

impl<const ID: usize, const METHOD: usize, P: Payload> Outgoing for Request<'_, ID, METHOD, P> {
    fn write_to_as(&self, out: &mut Writer<'_>, dialect: Dialect) -> Result<(), Error> {
        write_call(&self.method, self.params.as_ref().map(P::value), dialect.params_bits(), out)?;
        let before = out.len();
        out.put(b",\"id\":");
        self.id.put_to(out);
        out.put_byte(b'}');
        out.finish(before)
    }
}
