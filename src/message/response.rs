//! The answer to a request.

use super::outgoing::{Payload, write_alone};
use super::{Dialect, ErrorObject, Id, Outgoing};
use crate::error::Error;
use crate::json::{RawValue, ToJson, Writer};

/// A response: "Either the result member or error member MUST be included, but both members MUST NOT be included" (JSON-RPC 2.0 §5). The
/// [`Result`] in `outcome` guarantees this.
///
/// `R` and `D` are the types of the result and of the error's data: the validated text of a received message, or a reference to any value
/// that can be written.
///
/// # Limits
/// The id has at most `ID` bytes, 64 by default.
///
/// ```
/// # fn main() -> Result<(), Box<dyn core::error::Error>> {
/// use nanojsonrpc::{ErrorObject, Id, Response};
///
/// let mut buffer = [0; 96];
/// let len = Response::success(1, &19).write(&mut buffer)?;
/// assert_eq!(&buffer[..len], br#"{"jsonrpc":"2.0","result":19,"id":1}"#);
/// let response = Response::parse(&buffer[..len])?;
/// assert_eq!(response.outcome.ok().and_then(|result| result.as_i64()), Some(19));
///
/// let len = Response::error(Id::Null, ErrorObject::PARSE_ERROR).write(&mut buffer)?;
/// assert_eq!(
///     &buffer[..len],
///     br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#
/// );
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Response<'a, const ID: usize = 64, R = RawValue<'a>, D = RawValue<'a>> {
    /// The id of the request; null if it is unknown.
    pub id: Id<ID>,
    /// The result, or the error object.
    pub outcome: Result<R, ErrorObject<'a, D>>,
}

impl<R> Response<'_, 64, R> {
    /// A response with a result. For an id of another capacity, construct the struct directly.
    pub fn success(id: impl Into<Id>, result: R) -> Self {
        Self { id: id.into(), outcome: Ok(result) }
    }
}

impl<'a, D> Response<'a, 64, RawValue<'a>, D> {
    /// A response with an error. For an id of another capacity, construct the struct directly.
    pub fn error(id: impl Into<Id>, error: ErrorObject<'a, D>) -> Self {
        Self { id: id.into(), outcome: Err(error) }
    }
}

impl<const ID: usize, R: Payload, D: ToJson> Response<'_, ID, R, D> {
    /// Writes the response to the front of `out` and returns its length in bytes.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if `out` is too short; those of [`Writer::value`] for the result or the data of the
    /// error. After an error the content of `out` is unspecified.
    pub fn write(&self, out: &mut [u8]) -> Result<usize, Error> {
        write_alone(self, out, Dialect::JSON_RPC)
    }
}

impl<const ID: usize, R: Payload, D: ToJson> Outgoing for Response<'_, ID, R, D> {
    fn write_to_as(&self, out: &mut Writer<'_>, _dialect: Dialect) -> Result<(), Error> {
        // a result that does not fit would leave the writer full
        out.whole(|out| write_response(self.outcome.as_ref().map(R::value), |out| self.id.put_to(out), out))
    }
}

/// Writes a response whose id `put_id` appends. JSON-RPC 2.0 §5.
pub(super) fn write_response<R: ToJson + ?Sized, D: ToJson>(
    outcome: Result<&R, &ErrorObject<'_, D>>,
    put_id: impl FnOnce(&mut Writer<'_>),
    out: &mut Writer<'_>,
) -> Result<(), Error> {
    let before = out.len();
    out.put(b"{\"jsonrpc\":\"2.0\",");
    match outcome {
        Ok(result) => {
            out.put(b"\"result\":");
            out.put_value(result);
        }
        Err(error) => {
            out.put(b"\"error\":");
            error.put_to(out);
        }
    }
    out.put(b",\"id\":");
    put_id(out);
    out.put_byte(b'}');
    out.finish(before)
}
