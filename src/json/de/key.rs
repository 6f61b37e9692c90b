//! The key of a map: a string, which can also be read as a number or boolean.

use serde::de::{self, Visitor};

use super::dispatch::AsBytes;
use super::raw::{FIXED, RAW_STR};
use super::variant::UnitVariant;
use super::{DeError, Deserializer, NAME, VARIANT};
use crate::json::machine::{Candidates, value_len};
use crate::json::{Kind, RAW_VALUE, RawValue};

/// Reads a member name; `STRUCT`: of a type with known field names, otherwise of a map.
pub(super) struct Key<'d, 'de, const STRUCT: bool> {
    pub(super) name: &'d mut Deserializer<'de>,
    pub(super) fields: Candidates,
}

macro_rules! inside {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
            self.visit_inside(visitor, |inside, visitor| de::Deserializer::$method(inside, visitor))
        }
    )*};
}

impl<'de, const STRUCT: bool> Key<'_, 'de, STRUCT> {
    fn inside(&mut self) -> Option<RawValue<'de>> {
        let offset = self.name.end.wrapping_sub(self.name.rest.len()).wrapping_add(1);
        let inside = self.name.rest.get(1..value_len(self.name.rest).wrapping_sub(1))?;
        let value = RawValue::parse(inside).ok()?;
        let is_whole = value.as_bytes().len() == inside.len();
        let is_scalar = matches!(value.kind(), Kind::Number | Kind::Bool);
        if is_whole && is_scalar { Some(RawValue::at(inside, offset)) } else { None }
    }

    /// Reads the number or boolean between the quotation marks with `visit`. `visitor` refuses any other name.
    #[inline(always)]
    fn visit_inside<V: Visitor<'de>>(
        mut self,
        visitor: V,
        visit: impl FnOnce(&mut Deserializer<'de>, V) -> Result<V::Value, DeError>,
    ) -> Result<V::Value, DeError> {
        let Some(value) = self.inside() else { return de::Deserializer::deserialize_any(self, visitor) };
        let mut inside = Deserializer::new(value);
        let visited = visit(&mut inside, visitor);
        self.name.skip_value();
        visited.map_err(|fault| self.name.blame_inside(&mut inside, fault))
    }
}

impl<'de, const STRUCT: bool> de::Deserializer<'de> for Key<'_, 'de, STRUCT> {
    type Error = DeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.name.string(visitor, NAME)
    }

    inside! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64 deserialize_bool
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.name.string(AsBytes(visitor), NAME)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, DeError> {
        match name {
            RAW_VALUE | RAW_STR => self.name.deserialize_newtype_struct(name, visitor),
            FIXED => self.visit_inside(visitor, |inside, visitor| inside.fixed(visitor)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        let place = self.name.rest.len();
        let visited = visitor.visit_enum(UnitVariant::new(self.name));
        visited.map_err(|fault| self.name.blame_on(fault, place, VARIANT))
    }

    inlined_on_hosts! {
        fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
            if !STRUCT {
                return self.name.string(visitor, NAME);
            }
            let field = self.name.take_field_of(self.fields);
            visitor.visit_borrowed_str(field).map_err(|fault| self.name.blame_scalar(fault))
        }
    }

    serde::forward_to_deserialize_any! {
        char str string unit unit_struct seq tuple tuple_struct map struct ignored_any
    }
}

impl Deserializer<'_> {
    /// Records a fault of `inside`, which reads the inside of a string of this text.
    fn blame_inside(&mut self, inside: &mut Deserializer<'_>, fault: DeError) -> DeError {
        inside.blame(fault, inside.whole);
        let behind = self.end.wrapping_sub(inside.end);
        self.blame_on(inside.why, inside.place.wrapping_add(behind), inside.expected)
    }
}
