//! What a method is called with.

#[cfg(feature = "serde")]
use crate::json::PayloadError;
use crate::json::RawValue;
#[cfg(not(feature = "serde"))]
use crate::json::{ToJson, Writer, sealed};

/// The params of a call: "A Structured value that holds the parameter values [...] This member MAY be omitted" (JSON-RPC
/// 2.0 §4). They borrow from the message.
///
/// ```
/// # fn main() -> Result<(), Box<dyn core::error::Error>> {
/// use nanojsonrpc::{Envelope, Params};
///
/// let envelope = Envelope::parse(br#"{"jsonrpc":"2.0","method":"led","params":{"name":"red","on":true}}"#)?;
/// let params = Params::from(envelope.params());
/// assert_eq!(params.get("on").and_then(|on| on.as_bool()), Some(true));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Params<'a>(Option<RawValue<'a>>);

impl<'a> Params<'a> {
    /// The value as it came; `None` if the call has no params.
    pub const fn raw(self) -> Option<RawValue<'a>> {
        self.0
    }

    /// Whether nothing is given: absent, `null`, `[]` or `{}`.
    pub fn is_empty(self) -> bool {
        self.0.is_none_or(RawValue::is_hollow)
    }

    /// The first param called `name`, if they are given by name.
    pub fn get(self, name: &str) -> Option<RawValue<'a>> {
        self.0?.get(name)
    }

    /// The param at `index`, counted from 0, if they are given by position.
    pub fn element(self, index: usize) -> Option<RawValue<'a>> {
        self.0?.element(index)
    }

    /// Reads them into a type of yours, which may borrow from the message; see [`Request::params`](super::Request::params).
    ///
    /// # Errors
    /// What was expected, and at which byte of the message. It turns into an [`ErrorObject`](super::ErrorObject) with
    /// -32602.
    #[cfg(feature = "serde")]
    pub fn read<T: serde::Deserialize<'a>>(self) -> Result<T, PayloadError> {
        RawValue::read_optional(self.0)
    }
}

impl<'a> From<Option<RawValue<'a>>> for Params<'a> {
    fn from(raw: Option<RawValue<'a>>) -> Self {
        Self(raw)
    }
}

/// Absent ones are null.
#[cfg(feature = "serde")]
impl serde::Serialize for Params<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

#[cfg(not(feature = "serde"))]
impl sealed::Sealed for Params<'_> {}

/// Absent ones are null.
#[cfg(not(feature = "serde"))]
impl ToJson for Params<'_> {
    fn write_json(&self, out: &mut Writer<'_>) -> Result<(), crate::Error> {
        self.0.write_json(out)
    }
}
