//! The key of a map: a string, out of which a number or boolean may be wanted.

use serde::de::{self, Visitor};

use super::Deserializer;
use super::access::UnitVariant;
use super::dispatch::AsBytes;
use crate::error::Error;
use crate::json::walk::value_len;
use crate::json::{Kind, RawValue};

/// Reads a member name.
pub(super) struct Key<'d, 'de>(pub(super) &'d mut Deserializer<'de>);

macro_rules! inside {
    ($($method:ident)*) => {$(
        /// The number or boolean between the quotation marks; a name that is none is left to `visitor` to refuse.
        fn $method<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
            match self.inside() {
                Some(value) => {
                    let mut inside = Deserializer::new(value);
                    let visited = de::Deserializer::$method(&mut inside, visitor);
                    self.0.expected = inside.expected;
                    self.0.take_string();
                    visited
                }
                None => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Key<'_, 'de> {
    fn inside(&mut self) -> Option<RawValue<'de>> {
        self.0.peek();
        let offset = self.0.position().wrapping_add(1);
        let inside = self.0.rest.get(1..value_len(self.0.rest).wrapping_sub(1))?;
        let value = RawValue::parse(inside).ok()?;
        let is_whole = value.as_bytes().len() == inside.len();
        let is_scalar = matches!(value.kind(), Kind::Number | Kind::Bool);
        if is_whole && is_scalar { Some(RawValue::at(inside, offset)) } else { None }
    }
}

impl<'de> de::Deserializer<'de> for Key<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.0.string(visitor, "a name")
    }

    inside! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64 deserialize_bool
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.0.string(AsBytes(visitor), "a name")
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        match name {
            super::raw::RAW_STR => self.0.deserialize_newtype_struct(name, visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.peek();
        let offset = self.0.position();
        let visited = visitor.visit_enum(UnitVariant { name: &mut *self.0, offset });
        visited.map_err(|fault| self.0.place(fault, offset, "a variant"))
    }

    serde::forward_to_deserialize_any! {
        char str string unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
