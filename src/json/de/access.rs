//! Access to objects and arrays, one element or member at a time.

use serde::de::value::UnitDeserializer;
use serde::de::{self, DeserializeSeed, Visitor};

use super::key::Key;
use super::{Deserializer, Fault};

/// Access to the elements of an array.
pub(super) struct Sequence<'d, 'de> {
    array: &'d mut Deserializer<'de>,
    /// Whether an `Option` after the last element is `None`.
    may_lack_options: bool,
}

impl<'d, 'de> Sequence<'d, 'de> {
    pub(super) fn new(array: &'d mut Deserializer<'de>, may_lack_options: bool) -> Self {
        Self { array, may_lack_options }
    }
}

impl<'de> de::SeqAccess<'de> for Sequence<'_, 'de> {
    type Error = Fault;

    #[cfg_attr(target_pointer_width = "64", inline)]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        if self.array.more() {
            return self.array.placed(seed).map(Some);
        }
        // the name is a constant, and so is the result of the test: no other type links code for this
        if core::any::type_name::<S::Value>().starts_with("core::option::Option<") && self.may_lack_options {
            return seed.deserialize(UnitDeserializer::new()).map(Some);
        }
        Ok(None)
    }
}

/// Access to the members of an object; `STRUCT`: of a type with known field names, otherwise of a map.
pub(super) struct Members<'d, 'de, const STRUCT: bool> {
    object: &'d mut Deserializer<'de>,
    fields: &'static [&'static str],
    /// The expected names, usually in this order.
    #[cfg(target_pointer_width = "64")]
    next: core::slice::Iter<'static, &'static str>,
}

impl<'d, 'de, const STRUCT: bool> Members<'d, 'de, STRUCT> {
    pub(super) fn new(object: &'d mut Deserializer<'de>, fields: &'static [&'static str]) -> Self {
        Self {
            object,
            fields,
            #[cfg(target_pointer_width = "64")]
            next: fields.iter(),
        }
    }
}

impl<'de, const STRUCT: bool> de::MapAccess<'de> for Members<'_, 'de, STRUCT> {
    type Error = Fault;

    #[cfg_attr(target_pointer_width = "64", inline)]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        if !self.object.more() {
            return Ok(None);
        }
        let key = Key::<STRUCT> {
            name: &mut *self.object,
            fields: self.fields,
            #[cfg(target_pointer_width = "64")]
            next: self.next.next().copied().unwrap_or_default(),
        };
        seed.deserialize(key).map(Some)
    }

    #[cfg_attr(target_pointer_width = "64", inline)]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        self.object.more();
        self.object.placed(seed)
    }
}

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

    fn lacks_value<T>(self) -> Result<T, Fault> {
        Err(self.name.blame_on(Fault::UNEXPECTED_TYPE, self.place, &"a variant with a value"))
    }
}

impl<'de> de::EnumAccess<'de> for UnitVariant<'_, 'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Fault> {
        Ok((seed.deserialize(&mut *self.name)?, self))
    }
}

impl<'de> de::VariantAccess<'de> for UnitVariant<'_, 'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _seed: S) -> Result<S::Value, Fault> {
        self.lacks_value()
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, _visitor: V) -> Result<V::Value, Fault> {
        self.lacks_value()
    }

    fn struct_variant<V: Visitor<'de>>(self, _fields: &'static [&'static str], _visitor: V) -> Result<V::Value, Fault> {
        self.lacks_value()
    }
}

/// A variant as the only member of an object, whose bracket has been consumed.
pub(super) struct Variant<'d, 'de>(pub(super) &'d mut Deserializer<'de>);

impl<'de> de::EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Fault> {
        let name = seed.deserialize(&mut *self.0)?;
        self.0.more();
        Ok((name, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        de::Deserialize::deserialize(self.0)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        self.0.placed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        de::Deserializer::deserialize_tuple(self.0, len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Fault> {
        de::Deserializer::deserialize_struct(self.0, "", fields, visitor)
    }
}
