//! What is inside brackets, one piece at a time.

use serde::de::{self, DeserializeSeed, Visitor};

use super::Deserializer;
use super::key::Key;
use super::problem::unplaced;
use crate::error::{Error, ErrorKind};

/// The elements of an array.
pub(super) struct Sequence<'d, 'de>(&'d mut Deserializer<'de>);

impl<'d, 'de> Sequence<'d, 'de> {
    pub(super) fn new(array: &'d mut Deserializer<'de>) -> Self {
        Self(array)
    }
}

impl<'de> de::SeqAccess<'de> for Sequence<'_, 'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        if self.0.peek() == b',' {
            self.0.bump();
        }
        match self.0.peek() {
            0 | b']' => Ok(None),
            _ => self.0.placed(seed).map(Some),
        }
    }
}

/// The members of an object.
pub(super) struct Members<'d, 'de>(&'d mut Deserializer<'de>);

impl<'d, 'de> Members<'d, 'de> {
    pub(super) fn new(object: &'d mut Deserializer<'de>) -> Self {
        Self(object)
    }
}

impl<'de> de::MapAccess<'de> for Members<'_, 'de> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        if self.0.peek() == b',' {
            self.0.bump();
        }
        match self.0.peek() {
            0 | b'}' => Ok(None),
            _ => seed.deserialize(Key(&mut *self.0)).map(Some),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        // the colon
        self.0.peek();
        self.0.bump();
        self.0.placed(seed)
    }
}

/// A variant that stands as a string.
pub(super) struct UnitVariant<'d, 'de> {
    pub(super) name: &'d mut Deserializer<'de>,
    /// Where the string begins.
    pub(super) offset: usize,
}

impl UnitVariant<'_, '_> {
    fn lacks_value<T>(self) -> Result<T, Error> {
        Err(self.name.place(unplaced(ErrorKind::UnexpectedType), self.offset, "a variant with a value"))
    }
}

impl<'de> de::EnumAccess<'de> for UnitVariant<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Error> {
        Ok((seed.deserialize(&mut *self.name)?, self))
    }
}

impl<'de> de::VariantAccess<'de> for UnitVariant<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _seed: S) -> Result<S::Value, Error> {
        self.lacks_value()
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, _visitor: V) -> Result<V::Value, Error> {
        self.lacks_value()
    }

    fn struct_variant<V: Visitor<'de>>(self, _fields: &'static [&'static str], _visitor: V) -> Result<V::Value, Error> {
        self.lacks_value()
    }
}

/// A variant that stands as the one member of an object, whose bracket has been consumed.
pub(super) struct Variant<'d, 'de>(pub(super) &'d mut Deserializer<'de>);

impl<'de> de::EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Error> {
        let name = seed.deserialize(&mut *self.0)?;
        // the colon
        self.0.peek();
        self.0.bump();
        Ok((name, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        de::Deserialize::deserialize(self.0)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        self.0.placed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        de::Deserializer::deserialize_tuple(self.0, len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        de::Deserializer::deserialize_struct(self.0, "", fields, visitor)
    }
}
