//! Ids are read from any deserializer, and written exactly.

use core::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::error::ErrorKind;
use crate::json::{Kind, RAW_VALUE, RawValue, Writer, from_parts};
use crate::message::Id;

impl<const N: usize> Serialize for Id<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::Decimal { text } => {
                let text = text.as_bytes();
                RawValue::validated(text, text).serialize(serializer)
            }
            Self::String(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de, const N: usize> Deserialize<'de> for Id<N> {
    /// Exact with the deserializer of this crate. Other deserializers, and the copies that serde makes for flattened, untagged and
    /// internally tagged types, are exact for integers of 64 bits. Longer integers are exact only if the deserializer passes them as
    /// integers. Any other number arrives as an `f64`, and the id becomes the shortest text of that `f64`. With its feature
    /// `arbitrary_precision`, serde_json passes such a number as its text, which is the id; but the copies that serde makes are refused,
    /// as they are for an `f64`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW_VALUE, IdVisitor)
    }
}

struct IdVisitor<const N: usize>;

impl<const N: usize> IdVisitor<N> {
    /// The id for the number `text`.
    fn number<E: de::Error>(&self, text: &[u8]) -> Result<Id<N>, E> {
        Id::of(text).ok_or_else(|| E::invalid_length(text.len(), self))
    }

    /// The id for an integer of 128 bits.
    fn wide_integer<E: de::Error>(&self, is_negative: bool, magnitude: u128) -> Result<Id<N>, E> {
        let mut room = [0; 40];
        let mut out = Writer::new(&mut room);
        out.put_wide_integer(is_negative, magnitude);
        self.number(out.written())
    }
}

impl<'de, const N: usize> Visitor<'de> for IdVisitor<N> {
    type Value = Id<N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a string of at most {N} bytes, a number or null")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Id<N>, D::Error> {
        deserializer.deserialize_any(self)
    }

    /// Reads the parts of a value that this crate's pass has validated. An array is not an id.
    fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<Id<N>, A::Error> {
        let value = from_parts(parts, &self)?;
        Id::read(value).map_err(|error| match error.kind() {
            ErrorKind::IdTooLong => de::Error::invalid_length(value.as_bytes().len(), &self),
            _ => de::Error::invalid_type(de::Unexpected::Other("another value"), &self),
        })
    }

    fn visit_unit<E: de::Error>(self) -> Result<Id<N>, E> {
        Ok(Id::Null)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Id<N>, E> {
        Ok(Id::Number(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Id<N>, E> {
        if let Ok(number) = i64::try_from(number) {
            return Ok(Id::Number(number));
        }
        let mut room = [0; 20];
        let mut out = Writer::new(&mut room);
        out.put_integer(false, number);
        self.number(out.written())
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<Id<N>, E> {
        self.wide_integer(number < 0, number.unsigned_abs())
    }

    fn visit_u128<E: de::Error>(self, number: u128) -> Result<Id<N>, E> {
        self.wide_integer(false, number)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Id<N>, E> {
        match number.is_finite() {
            true => {
                let mut room = [0; 24];
                let mut out = Writer::new(&mut room);
                out.put_float(number);
                self.number(out.written())
            }
            false => Err(E::invalid_value(de::Unexpected::Float(number), &self)),
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Id<N>, E> {
        Id::try_from(text).map_err(|_| E::invalid_length(text.len(), &self))
    }

    /// Reads a number that serde_json passes as a map of one member, with its feature `arbitrary_precision`.
    fn visit_map<A: MapAccess<'de>>(self, mut number: A) -> Result<Id<N>, A::Error> {
        match number.next_key()? {
            Some(SERDE_JSON_NUMBER) => number.next_value_seed(NumberSeed(self)),
            _ => Err(de::Error::invalid_type(de::Unexpected::Map, &self)),
        }
    }
}

/// The name of the member that holds the text of a number of serde_json.
const SERDE_JSON_NUMBER: &str = "$serde_json::private::Number";

/// Reads the text of a number.
///
/// Requests a newtype, because serde_json passes the text to the visitor of a newtype, too, but no string of a peer's object: every
/// deserializer of JSON calls `visit_newtype_struct`, which refuses.
struct NumberSeed<const N: usize>(IdVisitor<N>);

impl<'de, const N: usize> DeserializeSeed<'de> for NumberSeed<N> {
    type Value = Id<N>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Id<N>, D::Error> {
        deserializer.deserialize_newtype_struct(SERDE_JSON_NUMBER, self)
    }
}

impl<'de, const N: usize> Visitor<'de> for NumberSeed<N> {
    type Value = Id<N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Id<N>, E> {
        match RawValue::parse(text.as_bytes()) {
            Ok(number) if number.kind() == Kind::Number => self.0.number(number.as_bytes()),
            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }
}
