//! The undecoded views as parts of a type that is read or written.

use core::fmt;

use serde::de::{self, Deserialize, Deserializer, IntoDeserializer, SeqAccess, Visitor};

use super::Fault;
use crate::json::ser::RAW_VALUE;
use crate::json::{RawStr, RawValue};

/// The name under which [`RawStr`] asks for the inside of a string.
pub(super) const RAW_STR: &str = "$nanojsonrpc::RawStr";

/// Gives `value` to the visitor of [`RawValue`] as a sequence of its text and its offset.
pub(super) fn visit_value<'de, V: Visitor<'de>>(value: RawValue<'de>, visitor: V) -> Result<V::Value, Fault> {
    visitor.visit_seq(Parts { text: Some(value.as_bytes()), offset: value.offset() })
}

struct Parts<'de> {
    text: Option<&'de [u8]>,
    offset: usize,
}

impl<'de> SeqAccess<'de> for Parts<'de> {
    type Error = Fault;

    fn next_element_seed<S: de::DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        match self.text.take() {
            Some(text) => seed.deserialize(de::value::BorrowedBytesDeserializer::new(text)).map(Some),
            None => seed.deserialize(self.offset.into_deserializer()).map(Some),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawValue<'a> {
    /// Works with the deserializer of this crate only, which alone knows that the text is valid.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueVisitor;

        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = RawValue<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value read by nanojsonrpc")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<RawValue<'de>, A::Error> {
                match (parts.next_element()?, parts.next_element()?) {
                    (Some(text), Some(offset)) => Ok(RawValue::at(text, offset)),
                    _ => Err(de::Error::invalid_length(0, &self)),
                }
            }
        }

        deserializer.deserialize_newtype_struct(RAW_VALUE, ValueVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawStr<'a> {
    /// Works with the deserializer of this crate only, which alone knows that the text is valid.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StrVisitor;

        impl<'de> Visitor<'de> for StrVisitor {
            type Value = RawStr<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string read by nanojsonrpc")
            }

            fn visit_borrowed_bytes<E: de::Error>(self, inside: &'de [u8]) -> Result<RawStr<'de>, E> {
                Ok(RawStr::trusted(inside))
            }
        }

        deserializer.deserialize_newtype_struct(RAW_STR, StrVisitor)
    }
}
