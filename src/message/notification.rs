//! A call without a response.

use super::Method;
use crate::json::{RawValue, ToJson};

/// "A Notification is a Request object without an "id" member" (JSON-RPC 2.0 §4.1). It has no response.
///
/// # Limits
/// The method of a received notification has at most `METHOD` bytes, 64 by default.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::Notification;
///
/// let mut buffer = [0; 64];
/// let len = Notification::new("ping").write(&mut buffer)?;
/// assert_eq!(&buffer[..len], br#"{"jsonrpc":"2.0","method":"ping"}"#);
/// assert_eq!(Notification::parse(&buffer[..len])?.method, "ping");
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Notification<'a, const METHOD: usize = 64, P = RawValue<'a>> {
    /// The method to call.
    pub method: Method<'a, METHOD>,
    /// The params of the call; `None` if absent or null.
    pub params: Option<P>,
}

impl<'a> Notification<'a> {
    /// Creates a notification without params. The method is borrowed; an empty method is refused on writing.
    pub fn new(method: &'a str) -> Self {
        Self { method: Method::borrowed(method), params: None }
    }
}

impl<'a, const METHOD: usize, P> Notification<'a, METHOD, P> {
    /// Sets the params, an array or object. Params that serialize to null are omitted. Other scalars are refused on [writing](Self::write),
    /// unless [a dialect](Self::write_as) allows them.
    #[must_use]
    pub fn with_params<T: ToJson + ?Sized>(self, params: &T) -> Notification<'a, METHOD, &T> {
        Notification { method: self.method, params: Some(params) }
    }
}
