//! The undecoded views out of any serializer: as they are into our own, value by value into others.

use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};

use super::ser::RAW_VALUE;
use super::{Kind, RawStr, RawValue};

impl Serialize for RawValue<'_> {
    /// Into this crate's messages the text goes as it is. Another serializer of a readable format gets the structure,
    /// value by value: numbers beyond 64 bits or with a fraction as `f64`, and an error where that is infinite. One of a
    /// binary format gets the text as bytes.
    ///
    /// # Limits
    /// Calls nest as deep as the value, at most [`MAX_DEPTH`](crate::MAX_DEPTH), in serializers other than this crate's.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(RAW_VALUE, &Content(*self))
    }
}

/// A value to splice in.
pub(super) struct Content<'a>(RawValue<'a>);

impl Serialize for Content<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.0;
        if !serializer.is_human_readable() {
            // bytes, because telling anew that they are UTF-8 is 600 bytes of flash
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
    /// The decoded text. One with an escape needs a serializer that can format, which serde-json-core's cannot.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_str() {
            Some(text) => serializer.serialize_str(text),
            None => serializer.collect_str(self),
        }
    }
}
