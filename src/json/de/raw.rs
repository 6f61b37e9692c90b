//! The undecoded views as fields of types that are read or written.

use core::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use super::DeError;
use crate::json::ser::RAW_VALUE;
use crate::json::{RawStr, RawValue};

/// The private struct name by which [`RawStr`] requests a string.
pub(super) const RAW_STR: &str = "$nanojsonrpc::RawStr";

/// The private struct name by which a [`Fixed`](crate::Fixed) requests a number.
pub(super) const FIXED: &str = "$nanojsonrpc::Fixed";

/// The private struct name by which serde_json's raw values request a map of one member, whose name is this name and whose value is the
/// text.
pub(super) const SERDE_JSON: &str = "$serde_json::private::RawValue";

/// The map of one member for serde_json's raw values.
pub(super) struct OneText<'de> {
    text: Option<&'de str>,
}

impl<'de> OneText<'de> {
    pub(super) fn new(value: RawValue<'de>) -> Self {
        Self { text: Some(value.as_json()) }
    }
}

impl<'de> MapAccess<'de> for OneText<'de> {
    type Error = DeError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, DeError> {
        self.text.map(|_| seed.deserialize(de::value::BorrowedStrDeserializer::new(SERDE_JSON))).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, DeError> {
        seed.deserialize(de::value::BorrowedStrDeserializer::new(self.text.take().unwrap_or_default()))
    }
}

/// Precedes the text and the offset of a validated value, and proves that they come from the deserializer of this crate.
///
/// The proof is the address of this static. Another deserializer can pass data of a peer as a sequence, such as `["1}",0]`, but that data
/// has another address. So the text needs no second validation.
static PROOF: [u8; 1] = [0];

/// Passes `value` to the visitor of [`RawValue`] as a sequence of the proof, its text and its offset.
pub(super) fn visit_value<'de, V: Visitor<'de>>(value: RawValue<'de>, visitor: V) -> Result<V::Value, DeError> {
    visitor.visit_seq(Parts { proof: Some(&PROOF), text: Some(value.as_bytes()), offset: value.offset() })
}

/// Reads the parts that [`visit_value`] passes; `expected` refuses any other sequence.
pub(crate) fn from_parts<'de, A: SeqAccess<'de>>(
    mut parts: A,
    expected: &dyn de::Expected,
) -> Result<RawValue<'de>, A::Error> {
    if matches!(parts.next_element::<&[u8]>(), Ok(Some(proof)) if core::ptr::eq(proof, &PROOF)) {
        if let (Some(text), Some(offset)) = (parts.next_element()?, parts.next_element()?) {
            return Ok(RawValue::at(text, offset));
        }
    }
    Err(de::Error::invalid_type(de::Unexpected::Seq, expected))
}

struct Parts<'de> {
    proof: Option<&'de [u8]>,
    text: Option<&'de [u8]>,
    offset: usize,
}

impl<'de> SeqAccess<'de> for Parts<'de> {
    type Error = DeError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, DeError> {
        match self.proof.take().or_else(|| self.text.take()) {
            Some(text) => seed.deserialize(de::value::BorrowedBytesDeserializer::new(text)).map(Some),
            None => seed.deserialize(self.offset.into_deserializer()).map(Some),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawValue<'a> {
    /// Works only with the deserializer of this crate, because others have not validated the text.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueVisitor;

        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = RawValue<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value read by nanojsonrpc")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<RawValue<'de>, A::Error> {
                from_parts(parts, &self)
            }
        }

        deserializer.deserialize_newtype_struct(RAW_VALUE, ValueVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawStr<'a> {
    /// Works only with the deserializer of this crate, because others have not validated the text.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StrVisitor;

        impl<'de> Visitor<'de> for StrVisitor {
            type Value = RawStr<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string read by nanojsonrpc")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<RawStr<'de>, A::Error> {
                let value = from_parts(parts, &self)?;
                value.as_str_raw().ok_or_else(|| de::Error::invalid_type(de::Unexpected::Other("another value"), &self))
            }
        }

        deserializer.deserialize_newtype_struct(RAW_STR, StrVisitor)
    }
}
