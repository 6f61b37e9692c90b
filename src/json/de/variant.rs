//! Access to the variant of an enum.

use serde::de::{self, DeserializeSeed, Visitor};

use super::{DeError, Deserializer};

/// A variant without a value, which is a string.
pub(super) struct UnitVariant<'d, 'de> {
    name: &'d mut Deserializer<'de>,
    /// The position of the string.
    place: usize,
}

impl<'d, 'de> UnitVariant<'d, 'de> {
    pub(super) fn new(name: &'d mut Deserializer<'de>) -> Self {
        Self { place: name.rest.len(), name }
    }

    fn lacks_value<T>(self) -> Result<T, DeError> {
        Err(self.name.blame_on(DeError::UNEXPECTED_TYPE, self.place, &"a variant with a value"))
    }
}

impl<'de> de::EnumAccess<'de> for UnitVariant<'_, 'de> {
    type Error = DeError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), DeError> {
        Ok((seed.deserialize(&mut *self.name)?, self))
    }
}

impl<'de> de::VariantAccess<'de> for UnitVariant<'_, 'de> {
    type Error = DeError;

    fn unit_variant(self) -> Result<(), DeError> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _seed: S) -> Result<S::Value, DeError> {
        self.lacks_value()
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, _visitor: V) -> Result<V::Value, DeError> {
        self.lacks_value()
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, DeError> {
        self.lacks_value()
    }
}

/// A variant as the only member of an object, whose bracket has been consumed.
pub(super) struct Variant<'d, 'de>(pub(super) &'d mut Deserializer<'de>);

impl<'de> de::EnumAccess<'de> for Variant<'_, 'de> {
    type Error = DeError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), DeError> {
        let name = seed.deserialize(&mut *self.0)?;
        self.0.more();
        Ok((name, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'_, 'de> {
    type Error = DeError;

    fn unit_variant(self) -> Result<(), DeError> {
        de::Deserialize::deserialize(self.0)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, DeError> {
        self.0.placed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, DeError> {
        de::Deserializer::deserialize_tuple(self.0, len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, DeError> {
        de::Deserializer::deserialize_struct(self.0, "", fields, visitor)
    }
}
