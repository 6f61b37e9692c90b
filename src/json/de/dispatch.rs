//! What each type asks for.

use core::fmt;

use serde::de::{self, Visitor};

use super::access::{UnitVariant, Variant};
use super::problem::unplaced;
use super::{Deserializer, raw};
use crate::error::{Error, ErrorKind};
use crate::json::{RAW_VALUE, RawValue, number};

macro_rules! integers {
    ($($method:ident $expected:literal)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.integer(visitor, $expected)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            b'{' => self.object(visitor),
            b'[' => self.array(visitor),
            b'"' => self.string(visitor, "another type"),
            b't' | b'f' => self.deserialize_bool(visitor),
            0 | b'n' => self.deserialize_unit(visitor),
            _ => self.number(visitor, visit_f64),
        }
    }

    integers! {
        deserialize_i8 "i8" deserialize_i16 "i16" deserialize_i32 "i32" deserialize_i64 "i64"
        deserialize_u8 "u8" deserialize_u16 "u16" deserialize_u32 "u32" deserialize_u64 "u64"
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.wide_integer(visitor, "i128", |visitor, negative, magnitude| match (negative, i128::try_from(magnitude)) {
            (false, Ok(magnitude)) => visitor.visit_i128(magnitude),
            (true, Ok(magnitude)) => visitor.visit_i128(magnitude.wrapping_neg()),
            (true, Err(_)) if magnitude == i128::MIN.unsigned_abs() => visitor.visit_i128(i128::MIN),
            _ => Err(unplaced(ErrorKind::InvalidValue)),
        })
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.wide_integer(visitor, "u128", |visitor, negative, magnitude| match negative {
            false => visitor.visit_u128(magnitude),
            true => Err(unplaced(ErrorKind::InvalidValue)),
        })
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.number(visitor, visit_f32)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.number(visitor, visit_f64)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        const EXPECTED: &str = "a boolean";
        if !matches!(self.peek(), b't' | b'f') {
            return self.unexpected(EXPECTED);
        }
        let value = self.take_value();
        let visited = visitor.visit_bool(value.as_bytes() == b"true");
        visited.map_err(|fault| self.place(fault, value.offset(), EXPECTED))
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.string(visitor, "a character")
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.string(visitor, "a string")
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.string(visitor, "a string")
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            b'[' => self.array(visitor),
            _ => self.string(AsBytes(visitor), "bytes"),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            0 => visitor.visit_none(),
            b'n' => {
                self.take_value();
                visitor.visit_none()
            }
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        const EXPECTED: &str = "null";
        if !matches!(self.peek(), 0 | b'n') {
            return self.unexpected(EXPECTED);
        }
        let offset = self.take_value().offset();
        visitor.visit_unit().map_err(|fault| self.place(fault, offset, EXPECTED))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        match name {
            RAW_VALUE => raw::visit_value(self.take_value(), visitor),
            raw::RAW_STR => match self.take_string() {
                Some(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
                None => self.unexpected("a string"),
            },
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            0 | b'[' => self.array(visitor),
            _ => self.unexpected("an array"),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            0 | b'{' => self.object(visitor),
            _ => self.unexpected("an object"),
        }
    }

    /// By name or by position. JSON-RPC 2.0 §4.2.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let outer = core::mem::replace(&mut self.fields, fields);
        let read = match self.peek() {
            b'[' => self.array(visitor),
            0 | b'{' => self.object(visitor),
            _ => self.unexpected("an object or array"),
        };
        self.fields = outer;
        read
    }

    /// `"unit"`, or an object with one member: `{"newtype":…}`, `{"tuple":[…]}`, `{"struct":{…}}`.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        const EXPECTED: &str = "a variant";
        let byte = self.peek();
        let offset = self.position();
        let visited = match byte {
            b'"' => visitor.visit_enum(UnitVariant { name: self, offset }),
            b'{' => {
                self.bump();
                let value = visitor.visit_enum(Variant(self)).map_err(|fault| self.place(fault, offset, EXPECTED))?;
                self.close(b'}')?;
                Ok(value)
            }
            _ => return self.unexpected(EXPECTED),
        };
        visited.map_err(|fault| self.place(fault, offset, EXPECTED))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.string(visitor, "a name")
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.take_value();
        visitor.visit_unit()
    }
}

impl<'de> Deserializer<'de> {
    fn wide_integer<V: Visitor<'de>>(
        &mut self,
        visitor: V,
        expected: &'static str,
        visit: impl FnOnce(V, bool, u128) -> Result<V::Value, Error>,
    ) -> Result<V::Value, Error> {
        if !matches!(self.peek(), b'-' | b'0'..=b'9') {
            return self.unexpected(expected);
        }
        let value = self.take_value();
        let refuse = |kind| Err(unplaced(kind));
        let visited = match number::wide_integer(value.as_bytes()) {
            Some((negative, magnitude)) => visit(visitor, negative, magnitude),
            None if value.is_integer() => refuse(ErrorKind::InvalidValue),
            None => refuse(ErrorKind::UnexpectedType),
        };
        visited.map_err(|fault| self.place(fault, value.offset(), expected))
    }
}

fn visit_f64<'de, V: Visitor<'de>>(visitor: V, value: RawValue<'de>) -> Option<Result<V::Value, Error>> {
    value.as_f64().map(|number| visitor.visit_f64(number))
}

/// By way of an `f64` a number would be rounded twice, and one that is too large for an `f32` would become infinite.
fn visit_f32<'de, V: Visitor<'de>>(visitor: V, value: RawValue<'de>) -> Option<Result<V::Value, Error>> {
    let number: f32 = value.as_json().parse().ok()?;
    if number.is_finite() { Some(visitor.visit_f32(number)) } else { None }
}

/// Gives text to a visitor that wants bytes.
pub(super) struct AsBytes<V>(pub(super) V);

impl<'de, V: Visitor<'de>> Visitor<'de> for AsBytes<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<V::Value, E> {
        self.0.visit_borrowed_bytes(text.as_bytes())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<V::Value, E> {
        self.0.visit_bytes(text.as_bytes())
    }
}
