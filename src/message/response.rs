//! The answer to a request.

use super::{ErrorObject, Id};
use crate::json::RawValue;

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
/// # fn main() -> Result<(), nanojsonrpc::Error> {
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
    /// A response with a result: a reference to a value, or a [`RawValue`]. For an id of another capacity, construct the struct directly.
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
