//! Access to objects and arrays, one element or member at a time.

use serde::de::value::UnitDeserializer;
use serde::de::{self, DeserializeSeed};

use super::key::Key;
use super::{DeError, Deserializer};
use crate::json::machine::Fields;

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
    type Error = DeError;

    inlined_on_hosts! {
        fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, DeError> {
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
}

/// Access to the members of an object; `STRUCT`: of a type with known field names, otherwise of a map.
pub(super) struct Members<'d, 'de, const STRUCT: bool> {
    object: &'d mut Deserializer<'de>,
    fields: Fields,
}

impl<'d, 'de, const STRUCT: bool> Members<'d, 'de, STRUCT> {
    pub(super) fn new(object: &'d mut Deserializer<'de>, fields: &'static [&'static str]) -> Self {
        Self { object, fields: Fields::new(fields) }
    }
}

impl<'de, const STRUCT: bool> de::MapAccess<'de> for Members<'_, 'de, STRUCT> {
    type Error = DeError;

    inlined_on_hosts! {
        fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, DeError> {
            if !self.object.more() {
                return Ok(None);
            }
            seed.deserialize(Key::<STRUCT> { name: &mut *self.object, fields: self.fields.next() }).map(Some)
        }
    }

    inlined_on_hosts! {
        fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, DeError> {
            self.object.more();
            self.object.placed(seed)
        }
    }
}
