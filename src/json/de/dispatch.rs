//! The `deserialize_*` methods: they dispatch by the requested type.

use core::fmt;

use serde::de::{self, Visitor};

use super::variant::{UnitVariant, Variant};
use super::{ANYTHING, ARRAY, DeError, Deserializer, MAY_BE_ABSENT, NAME, OBJECT, STRING, STRUCT, VARIANT, raw};
use crate::json::RAW_VALUE;

macro_rules! integers {
    ($($method:ident $kind:ident $expected:literal)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
            self.$kind(visitor, &$expected)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = DeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        match self.byte() {
            b'{' => self.object::<V, false>(visitor, &[]),
            b'[' => self.array(visitor, false),
            b'"' => self.string(visitor, ANYTHING),
            b't' | b'f' => self.deserialize_bool(visitor),
            0 | b'n' => self.deserialize_unit(visitor),
            _ => self.number(visitor),
        }
    }

    integers! {
        deserialize_i8 signed "i8" deserialize_i16 signed "i16" deserialize_i32 signed "i32" deserialize_i64 signed "i64"
        deserialize_u8 unsigned "u8" deserialize_u16 unsigned "u16" deserialize_u32 unsigned "u32"
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.u64(visitor)
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.wide_integer(visitor, &"i128", |visitor, negative, magnitude| {
            match (negative, i128::try_from(magnitude)) {
                (false, Ok(magnitude)) => visitor.visit_i128(magnitude),
                (true, Ok(magnitude)) => visitor.visit_i128(magnitude.wrapping_neg()),
                (true, Err(_)) if magnitude == i128::MIN.unsigned_abs() => visitor.visit_i128(i128::MIN),
                _ => Err(DeError::INVALID_VALUE),
            }
        })
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.wide_integer(visitor, &"u128", |visitor, negative, magnitude| match negative {
            false => visitor.visit_u128(magnitude),
            true => Err(DeError::INVALID_VALUE),
        })
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.float(visitor, V::visit_f32)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.float(visitor, V::visit_f64)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        let taken = self.take_bool();
        self.scalar(taken, |value| visitor.visit_bool(value))
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.string(visitor, &"a character")
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.string(visitor, STRING)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.string(visitor, STRING)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        match self.byte() {
            b'[' => self.array(visitor, false),
            _ => self.string(AsBytes(visitor), &"bytes"),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        if self.take_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.begin(&"null");
        let taken = self.take_null().then_some(());
        self.scalar(taken, |()| visitor.visit_unit())
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, DeError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, DeError> {
        match name {
            RAW_VALUE => raw::visit_value(self.take_value(), visitor),
            raw::RAW_STR if self.byte() != b'"' => Err(self.unexpected(STRING)),
            raw::RAW_STR => raw::visit_value(self.take_value(), visitor),
            raw::FIXED => self.fixed(visitor),
            raw::SERDE_JSON => visitor.visit_map(raw::OneText::new(self.take_value())),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        match self.byte() {
            0 | b'[' => self.array(visitor, false),
            _ => Err(self.unexpected(ARRAY)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, DeError> {
        match self.byte() {
            0 | b'[' => {
                // not for a tuple inside of another value
                let may_lack_options = self.last == MAY_BE_ABSENT;
                self.array(visitor, may_lack_options)
            }
            _ => Err(self.unexpected(ARRAY)),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        match self.byte() {
            0 | b'{' => self.object::<V, false>(visitor, &[]),
            _ => Err(self.unexpected(OBJECT)),
        }
    }

    /// Members by name or by position. JSON-RPC 2.0 §4.2.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        match self.byte() {
            b'[' => self.array(visitor, false),
            0 | b'{' => self.object::<V, true>(visitor, fields),
            _ => Err(self.unexpected(STRUCT)),
        }
    }

    /// `"unit"`, or an object with one member: `{"newtype":…}`, `{"tuple":[…]}`, `{"struct":{…}}`.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        let place = self.rest.len();
        match self.byte() {
            b'"' => visitor.visit_enum(UnitVariant::new(self)).map_err(|fault| self.blame_on(fault, place, VARIANT)),
            b'{' => {
                self.open();
                self.more();
                let value = visitor.visit_enum(Variant(self)).map_err(|fault| {
                    self.blame_on(fault, place, VARIANT);
                    self.leave()
                })?;
                self.close()?;
                Ok(value)
            }
            _ => Err(self.unexpected(VARIANT)),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.string(visitor, NAME)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.skip_value();
        visitor.visit_unit()
    }
}

impl<'de> Deserializer<'de> {
    /// Consumes the next value if it is a boolean.
    fn take_bool(&mut self) -> Option<bool> {
        self.begin(&"a boolean");
        let is_true = match self.byte() {
            b't' => true,
            b'f' => false,
            _ => return None,
        };
        self.skip_value();
        Some(is_true)
    }

    /// Passes a scalar to a visitor. If none was taken, [`begin`](Self::begin) has recorded the fault.
    #[inline]
    pub(super) fn scalar<T, U>(
        &mut self,
        taken: Option<T>,
        visit: impl FnOnce(T) -> Result<U, DeError>,
    ) -> Result<U, DeError> {
        match taken {
            Some(scalar) => visit(scalar).map_err(|fault| self.blame_scalar(fault)),
            None => Err(self.blame_scalar(DeError::PLACED)),
        }
    }
}

/// Passes text to a visitor for bytes.
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
