//! Reads and writes the values of the protocol: a trait, a macro for objects, a macro for names.

use crate::error::{Error, ErrorKind};
use crate::json::{Kind, ObjectWriter, RawValue, ToJson, ValueWriter, Written, same};
use crate::message::Str;

/// A value of the protocol.
pub trait Value<'a>: ToJson + Sized {
    /// Reads the value `raw`.
    ///
    /// # Errors
    /// [`ErrorKind::UnexpectedType`], [`ErrorKind::MissingField`] or [`ErrorKind::UnknownVariant`], with the offset.
    fn read(raw: RawValue<'a>) -> Result<Self, Error>;

    /// Writes the value. A text of a message keeps its spelling, which serde would decode.
    fn write<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        self.write_json(out)
    }
}

/// The value of a required member, or an `Option` for an optional member.
pub(super) trait Member<'a>: Sized {
    fn read_from(object: RawValue<'a>, name: &str) -> Result<Self, Error>;
    fn write_to(&self, object: &mut ObjectWriter<'_, '_>, name: &str);
}

impl<'a, T: Value<'a>> Member<'a> for T {
    fn read_from(object: RawValue<'a>, name: &str) -> Result<Self, Error> {
        object.get(name).ok_or(Error::new(ErrorKind::MissingField, object.offset())).and_then(T::read)
    }

    fn write_to(&self, object: &mut ObjectWriter<'_, '_>, name: &str) {
        object.member_with(name, |out| self.write(out));
    }
}

impl<'a, T: Value<'a>> Member<'a> for Option<T> {
    fn read_from(object: RawValue<'a>, name: &str) -> Result<Self, Error> {
        optional(object, name).map(T::read).transpose()
    }

    fn write_to(&self, object: &mut ObjectWriter<'_, '_>, name: &str) {
        if let Some(value) = self {
            value.write_to(object, name);
        }
    }
}

/// The value of an optional member. Null counts as absent, because other implementations write null for an absent member.
pub(super) fn optional<'a>(object: RawValue<'a>, name: &str) -> Option<RawValue<'a>> {
    object.get(name).filter(|value| !value.is_null())
}

/// The error for a value of another type.
pub(super) const fn unexpected(raw: RawValue<'_>) -> Error {
    Error::new(ErrorKind::UnexpectedType, raw.offset())
}

/// `raw`, if it is an object.
pub(super) fn an_object(raw: RawValue<'_>) -> Result<RawValue<'_>, Error> {
    if raw.kind() == Kind::Object { Ok(raw) } else { Err(unexpected(raw)) }
}

/// Whether `value` is an object. If `is_lenient`, null, for an absent value, and `[]` count as an object without members: PHP, Lua and Perl
/// cannot tell an empty map from an empty list.
#[inline(never)]
pub(super) fn is_object(value: RawValue<'_>, is_lenient: bool) -> bool {
    value.kind() == Kind::Object || is_lenient && value.is_hollow()
}

/// The JSON value `text` of the program, which is valid.
pub(super) const fn constant(text: &'static str) -> RawValue<'static> {
    match RawValue::constant(text) {
        Some(value) => value,
        None => RawValue::NULL,
    }
}

/// Whether the capability `name` is among the `declared` ones.
pub(super) fn is_declared(declared: &[(&str, RawValue<'_>)], name: &str) -> bool {
    declared.iter().any(|(declared, _)| same(declared.as_bytes(), name.as_bytes()))
}

/// Appends a member that is a string. One copy: 100 bytes of flash.
#[inline(never)]
pub(super) fn write_text(object: &mut ObjectWriter<'_, '_>, name: &str, text: &str) {
    object.member(name, text);
}

/// [`write_text`], unless the string is empty.
pub(super) fn write_some_text(object: &mut ObjectWriter<'_, '_>, name: &str, text: &str) {
    if !text.is_empty() {
        write_text(object, name, text);
    }
}

impl<'a> Value<'a> for Str<'a> {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        raw.as_str_raw().map(Self::Raw).ok_or(unexpected(raw))
    }

    fn write<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.text(self)
    }
}

impl<'a> Value<'a> for bool {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        raw.as_bool().ok_or(unexpected(raw))
    }
}

impl<'a> Value<'a> for u64 {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        raw.to_integer()
    }
}

/// Any JSON value.
impl<'a> Value<'a> for RawValue<'a> {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        Ok(raw)
    }
}

/// A function that appends members. Not `dyn Fn`, whose table contains each closure twice: 900 bytes of flash.
pub(super) trait Members {
    fn write(&self, object: &mut ObjectWriter<'_, '_>);
}

impl<F: Fn(&mut ObjectWriter<'_, '_>)> Members for F {
    fn write(&self, object: &mut ObjectWriter<'_, '_>) {
        self(object);
    }
}

/// An object whose members a closure writes.
pub(super) struct Object<F>(pub(super) F);

impl<F: Fn(&mut ObjectWriter<'_, '_>)> ToJson for Object<F> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.object(&self.0)
    }
}

/// Implements [`Value`] for a type with a function `read`.
macro_rules! value {
    ($name:ident $(<$lifetime:lifetime>)?) => {
        impl<'a> crate::mcp::value::Value<'a> for $name $(<$lifetime>)? {
            fn read(raw: crate::json::RawValue<'a>) -> Result<Self, crate::error::Error> {
                $name::read(raw)
            }
        }
    };
}

/// A struct for an object of the schema: required members, then optional ones, each with its name, and `tag`, the constant
/// member `type`.
macro_rules! object {
    ($(#[$meta:meta])* $name:ident $(tag $tag:literal)? required {} optional { $($optional:tt)* }) => {
        crate::mcp::value::object! {
            @members $(#[$meta])* $name $(tag $tag)? required {} optional { $($optional)* }
        }

        impl Default for $name<'_> {
            fn default() -> Self {
                Self::new()
            }
        }
    };
    ($(#[$meta:meta])* $name:ident $(tag $tag:literal)? required { $($required:tt)+ } optional { $($optional:tt)* }) => {
        crate::mcp::value::object! {
            @members $(#[$meta])* $name $(tag $tag)? required { $($required)+ } optional { $($optional)* }
        }
    };
    (
        @members
        $(#[$meta:meta])*
        $name:ident $(tag $tag:literal)?
        required {
            $($(#[$required_meta:meta])* $required:ident: $required_type:ty = $required_name:literal $(or $absent:expr)?,)*
        }
        optional { $($(#[$optional_meta:meta])* $optional:ident: $optional_type:ty = $optional_name:literal,)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        pub struct $name<'a> {
            $($(#[$required_meta])* pub $required: $required_type,)*
            $($(#[$optional_meta])* pub $optional: Option<$optional_type>,)*
        }

        impl<'a> $name<'a> {
            /// Creates an object with only the required members.
            pub const fn new($($required: $required_type),*) -> Self {
                Self { $($required,)* $($optional: None,)* }
            }

            /// Reads the object `raw`. Unknown members are ignored, and so is null as an optional member.
            ///
            /// # Errors
            /// [`MissingField`](crate::ErrorKind::MissingField), [`UnexpectedType`](crate::ErrorKind::UnexpectedType) or
            /// [`UnknownVariant`](crate::ErrorKind::UnknownVariant), with the offset.
            pub fn read(raw: crate::json::RawValue<'a>) -> Result<Self, crate::error::Error> {
                let object = crate::mcp::value::an_object(raw)?;
                Ok(Self {
                    $($required: {
                        let read = crate::mcp::value::Member::read_from(object, $required_name);
                        // other implementations omit it
                        $(let read = if object.get($required_name).is_none() { Ok($absent) } else { read };)?
                        read?
                    },)*
                    $($optional: crate::mcp::value::Member::read_from(object, $optional_name)?,)*
                })
            }

            pub(in crate::mcp) fn write_members(&self, object: &mut crate::json::ObjectWriter<'_, '_>) {
                $(crate::mcp::value::write_text(object, "type", $tag);)?
                $(crate::mcp::value::Member::write_to(&self.$required, object, $required_name);)*
                $(crate::mcp::value::Member::write_to(&self.$optional, object, $optional_name);)*
            }
        }

        impl crate::json::ToJson for $name<'_> {
            fn write_json<'o>(&self, out: crate::json::ValueWriter<'o, '_>) -> crate::json::Written<'o> {
                out.object(|object| self.write_members(object))
            }
        }

        crate::mcp::value::value!($name<'a>);
    };
}

/// An enum for a string of the schema with a fixed set of values.
macro_rules! names {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $name {
            /// The spelling in messages.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// Reads the name.
            ///
            /// # Errors
            /// [`UnexpectedType`](crate::ErrorKind::UnexpectedType) if it is not a string,
            /// [`UnknownVariant`](crate::ErrorKind::UnknownVariant) if the name is unknown.
            pub fn read(raw: crate::json::RawValue<'_>) -> Result<Self, crate::error::Error> {
                let text = raw.as_str_raw().ok_or(crate::mcp::value::unexpected(raw))?;
                for known in [$(Self::$variant),*] {
                    if text == *known.as_str() {
                        return Ok(known);
                    }
                }
                Err(crate::error::Error::new(crate::error::ErrorKind::UnknownVariant, raw.offset()))
            }
        }

        impl crate::json::ToJson for $name {
            fn write_json<'o>(&self, out: crate::json::ValueWriter<'o, '_>) -> crate::json::Written<'o> {
                out.value(self.as_str())
            }
        }

        crate::mcp::value::value!($name);
    };
}

pub(super) use {names, object, value};

#[cfg(test)]
mod tests {
    use super::{RawValue, constant};

    #[test]
    fn a_constant_is_its_value_and_null_if_it_is_none() {
        assert_eq!((constant(" {} ").as_json(), constant("{")), ("{}", RawValue::NULL));
    }
}
