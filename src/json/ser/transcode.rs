//! Serializes the undecoded views: as their text into this crate's messages, value by value with other serializers.

use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};

use super::RAW_VALUE;
use crate::json::{Kind, RawStr, RawValue};

impl Serialize for RawValue<'_> {
    /// This crate's serializer writes the text unchanged. Other serializers of readable formats receive the structure, value by value:
    /// numbers beyond 64 bits or with a fraction as `f64`, and an error if that is infinite. Serializers of binary formats receive the text
    /// as bytes.
    ///
    /// # Limits
    /// Calls nest as deep as the value, at most [`MAX_DEPTH`](crate::MAX_DEPTH), in serializers other than this crate's.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(RAW_VALUE, &Content(*self))
    }
}

/// A value whose text this crate's serializer writes unchanged.
pub(super) struct Content<'a>(RawValue<'a>);

impl Serialize for Content<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.0;
        if !serializer.is_human_readable() {
            // bytes, because a new check that they are UTF-8 is 600 bytes of flash
            return serializer.serialize_bytes(value.as_bytes());
        }
        match value.kind() {
            Kind::Null => serializer.serialize_unit(),
            Kind::Bool => serializer.serialize_bool(value.as_bool().unwrap_or_default()),
            Kind::Number => match (value.as_i64(), value.as_u64(), value.as_f64()) {
                (Some(number), _, _) => serializer.serialize_i64(number),
                (_, Some(number), _) => serializer.serialize_u64(number),
                (_, _, Some(number)) => serializer.serialize_f64(number),
                _ => Err(S::Error::custom("a number out of range")),
            },
            Kind::String => value.as_str_raw().unwrap_or_default().serialize(serializer),
            Kind::Array => {
                let mut array = serializer.serialize_seq(Some(value.elements().count()))?;
                value.elements().try_for_each(|element| array.serialize_element(&Content(element)))?;
                array.end()
            }
            Kind::Object => {
                let mut object = serializer.serialize_map(Some(value.members().count()))?;
                value.members().try_for_each(|(name, value)| object.serialize_entry(&name, &Content(value)))?;
                object.end()
            }
        }
    }
}

impl Serialize for RawStr<'_> {
    /// Serializes the decoded text. A string with an escape needs a serializer that can format; that of serde-json-core cannot.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_str() {
            Some(text) => serializer.serialize_str(text),
            None => serializer.collect_str(self),
        }
    }
}
