//! The params of a call.

use crate::error::{Error, ErrorKind};
#[cfg(feature = "serde")]
use crate::json::PayloadError;
use crate::json::{Kind, RawValue, ToJson, Writer};
#[cfg(not(feature = "serde"))]
use crate::json::{ValueWriter, Written};

/// The member that is omitted.
const NULL: &[u8] = b",\"params\":null";
const NAME_LEN: usize = NULL.len() - b"null".len();

/// Appends the member `params`, if its value is of a kind whose [bits](Kind::bit) are `allowed`: "If present, parameters for the rpc call
/// MUST be provided as a Structured value" (JSON-RPC 2.0 §4.2). Null means absent, so it is omitted.
///
/// Writes the value only once, because writing may take long or have side effects. The first byte of the output shows its type.
pub(super) fn put_params(params: &(impl ToJson + ?Sized), allowed: u32, out: &mut Writer<'_>) {
    if out.is_full() {
        return;
    }
    let before = out.len();
    let start = before.wrapping_add(NAME_LEN);
    if out.bytes(NULL).is_err() {
        // Only null, or a value shorter than null, can still fit.
        let mut short = [0; 4];
        let mut short = Writer::new(&mut short);
        if short.value(params).is_err() {
            return out.fill();
        }
        if short.written() == b"null" {
            return;
        }
        out.put(NULL.get(..NAME_LEN).unwrap_or_default());
        out.put(short.written());
    } else {
        out.truncate(start);
        out.put_value(params);
    }
    let bit = Kind::bit(out.written().get(start..).unwrap_or_default());
    if bit & Kind::Null.bits() != 0 {
        out.truncate(before);
    } else if bit & allowed == 0 {
        out.fail(Error::new(ErrorKind::InvalidParams, start));
    }
}

/// The params of a call: "A Structured value that holds the parameter values [...] This member MAY be omitted" (JSON-RPC 2.0 §4). They
/// borrow from the message.
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
///
/// # Strings with escapes
/// Handlers receive params with a scratch buffer: the part of the output that is free while the handler runs. `read` decodes strings with
/// escapes there. It takes `self`, because its result may borrow from the buffer. A clone has no scratch buffer; params that are made from
/// a value have none either.
#[derive(Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Params<'a> {
    value: Option<RawValue<'a>>,
    #[cfg(feature = "serde")]
    scratch: &'a mut [u8],
    /// Whether a function without params ignores all members.
    is_extensible: bool,
}

impl<'a> Params<'a> {
    /// The value as received; `None` if the call has no params.
    pub const fn raw(&self) -> Option<RawValue<'a>> {
        self.value
    }

    /// Whether the params are absent, `null`, `[]` or `{}`.
    pub fn is_empty(&self) -> bool {
        self.value.is_none_or(RawValue::is_hollow)
    }

    /// The first param called `name`, if the params are given by name.
    // not inlined on devices: a server of MCP calls it 12 times
    #[inline(never)]
    pub fn get(&self, name: &str) -> Option<RawValue<'a>> {
        self.value?.get(name)
    }

    /// The param at `index`, counted from 0, if the params are given by position.
    pub fn element(&self, index: usize) -> Option<RawValue<'a>> {
        self.value?.element(index)
    }

    /// Reads the params into a type `T`, which may borrow from the message and from the scratch buffer; see
    /// [`Request::params`](super::Request::params).
    ///
    /// # Limits
    /// Each string with an escape takes its decoded length in the scratch buffer. A string that does not fit there can only be read into an
    /// owned type, up to [`MAX_ESCAPED`](crate::json::MAX_ESCAPED) bytes.
    ///
    /// # Errors
    /// [`PayloadError`]: the expected type and the offset in the message. It turns into an [`ErrorObject`](super::ErrorObject) with
    /// -32602, or with -32603 if there was no room to decode a string.
    #[cfg(feature = "serde")]
    pub fn read<T: serde::Deserialize<'a>>(self) -> Result<T, PayloadError> {
        RawValue::read_optional_with(self.value, self.scratch)
    }

    /// [`read`](Self::read) with a scratch buffer of the caller.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    #[cfg(feature = "serde")]
    pub fn read_with<T: serde::Deserialize<'a>>(&self, scratch: &'a mut [u8]) -> Result<T, PayloadError> {
        RawValue::read_optional_with(self.value, scratch)
    }

    /// Empty params as `()` or another unit type, which serde reads only from absent params.
    #[cfg(feature = "serde")]
    pub(crate) fn unit<T: serde::de::DeserializeOwned>(&self) -> Option<T> {
        // the size is a constant, so that no other type links code for this
        if size_of::<T>() == 0 && self.are_none() { Self::default().read().ok() } else { None }
    }

    /// A deserializer of the params, with the scratch buffer.
    #[cfg(feature = "serde")]
    pub(crate) fn reader(self) -> crate::json::Deserializer<'a> {
        crate::json::Deserializer::optional_with(self.value, self.scratch)
    }

    /// Whether a function without params may be called: in a dialect whose params are objects, unknown members are ignored.
    pub(crate) fn are_none(&self) -> bool {
        self.is_extensible || self.is_empty()
    }

    /// The params of a message of `dialect`.
    pub(crate) fn of(value: Option<RawValue<'a>>, is_extensible: bool) -> Self {
        Self { is_extensible, ..value.into() }
    }

    /// The same params with `scratch` as their scratch buffer.
    pub(crate) fn lend(&self, scratch: &'a mut [u8]) -> Self {
        #[cfg(not(feature = "serde"))]
        let _ = scratch;
        Self {
            value: self.value,
            #[cfg(feature = "serde")]
            scratch,
            is_extensible: self.is_extensible,
        }
    }
}

impl<'a> From<Option<RawValue<'a>>> for Params<'a> {
    fn from(value: Option<RawValue<'a>>) -> Self {
        Self {
            value,
            #[cfg(feature = "serde")]
            scratch: &mut [],
            is_extensible: false,
        }
    }
}

impl Clone for Params<'_> {
    /// The clone has no scratch buffer.
    fn clone(&self) -> Self {
        self.value.into()
    }
}

impl PartialEq for Params<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Params<'_> {}

/// Absent params serialize to null.
#[cfg(feature = "serde")]
impl serde::Serialize for Params<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

/// Absent params are written as null.
#[cfg(not(feature = "serde"))]
impl ToJson for Params<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.value(&self.value)
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::Params;
    use crate::json::{RawValue, Writer};

    #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    struct Level {
        name: heapless::String<8>,
        level: u8,
    }

    #[test]
    fn params_are_read_by_name_whatever_their_order_and_written_again() {
        let mut buffer = [0; 64];
        let mut out = Writer::new(&mut buffer);
        for text in [br#"{"name":"a\nb","level":7}"#.as_slice(), br#"{"level":7,"other":1,"name":"a\nb"}"#] {
            let params = Params::from(RawValue::parse(text).ok());
            assert_eq!(params.clone(), params);
            let mut scratch = [0; 8];
            let level = params.read_with::<Level>(&mut scratch);
            assert_eq!(level.as_ref().map(|level| (level.name.as_str(), level.level)), Ok(("a\nb", 7)));
            out.clear();
            assert!(level.is_ok_and(|level| out.value(&level).is_ok()));
            assert_eq!(out.written(), br#"{"name":"a\nb","level":7}"#);
        }
    }
}
