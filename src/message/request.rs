//! A call that expects a response.

use super::{Id, Method};
use crate::error::Error;
use crate::json::{RawValue, ToJson};

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

/// An empty request for [`hold`](Request::hold): its id is null and its method empty, so it cannot be written.
impl<const ID: usize, const METHOD: usize, P> Default for Request<'_, ID, METHOD, P> {
    fn default() -> Self {
        Self { id: Id::Null, method: Method::empty(), params: None }
    }
}

impl<const ID: usize, const METHOD: usize, P> Request<'_, ID, METHOD, P> {
    /// The id and the method alone, which borrow nothing: to keep a request beyond the next read, and answer it later. Params to keep are
    /// copied by the program.
    ///
    /// ```
    /// use nanojsonrpc::{Envelope, Request};
    ///
    /// let mut waiting: heapless::Vec<Request<'static, 16, 16>, 4> = heapless::Vec::new();
    /// let mut buffer = *br#"{"jsonrpc":"2.0","method":"level","id":7}"#;
    /// let request = Request::<16, 16>::try_from(Envelope::parse(&buffer)?)?;
    /// waiting.push(request.without_params()?).expect("a free place");
    /// buffer.fill(0);
    /// let mut out = [0; 64];
    /// let request = waiting.pop().expect("a request");
    /// let len = request.write_response(Ok(&40), &mut out)?;
    /// assert_eq!((request.method.as_str(), &out[..len]), ("level", &br#"{"jsonrpc":"2.0","result":40,"id":7}"#[..]));
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Method::into_held`]; a received request has no such fault.
    pub fn without_params(self) -> Result<Request<'static, ID, METHOD>, Error> {
        Ok(Request { id: self.id, method: self.method.into_held()?, params: None })
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
