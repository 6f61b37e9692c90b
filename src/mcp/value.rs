//! Reads and writes the values of the protocol: a trait, a macro for objects, a macro for names.

use crate::error::{Error, ErrorKind};
use crate::json::{Kind, RawValue, ToJson, ValueWriter, Writer, Written, same};
use crate::message::Str;

/// A value of the protocol.
pub trait Value<'a>: Sized {
    /// Reads the value `raw`.
    ///
    /// # Errors
    /// [`ErrorKind::UnexpectedType`], [`ErrorKind::MissingField`] or [`ErrorKind::UnknownVariant`], with the offset.
    fn read(raw: RawValue<'a>) -> Result<Self, Error>;

    /// Appends the value. After the output is full, nothing more is written.
    fn put(&self, out: &mut Writer<'_>);
}

/// The value of a required member, or an `Option` for an optional member.
pub(super) trait Member<'a>: Sized {
    fn read_from(object: RawValue<'a>, name: &str) -> Result<Self, Error>;
    fn put_as(&self, name: &str, out: &mut Writer<'_>);
}

impl<'a, T: Value<'a>> Member<'a> for T {
    fn read_from(object: RawValue<'a>, name: &str) -> Result<Self, Error> {
        object.get(name).ok_or(Error::new(ErrorKind::MissingField, object.offset())).and_then(T::read)
    }

    fn put_as(&self, name: &str, out: &mut Writer<'_>) {
        out.put_name(name);
        self.put(out);
    }
}

impl<'a, T: Value<'a>> Member<'a> for Option<T> {
    fn read_from(object: RawValue<'a>, name: &str) -> Result<Self, Error> {
        optional(object, name).map(T::read).transpose()
    }

    fn put_as(&self, name: &str, out: &mut Writer<'_>) {
        if let Some(value) = self {
            value.put_as(name, out);
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

/// Whether the capability `name` is among the `declared` ones.
pub(super) fn is_declared(declared: &[(&str, RawValue<'_>)], name: &str) -> bool {
    declared.iter().any(|(declared, _)| same(declared.as_bytes(), name.as_bytes()))
}

/// Appends an object with the members that `members` writes.
pub(super) fn put_object(out: &mut Writer<'_>, members: impl FnOnce(&mut Writer<'_>)) {
    out.put_byte(b'{');
    members(out);
    out.put_byte(b'}');
}

/// Appends a member that is a string.
#[inline(never)]
pub(super) fn put_text(out: &mut Writer<'_>, name: &str, text: &str) {
    out.put_name(name);
    out.put_string(text);
}

/// Appends a member that is a string, unless that is empty.
pub(super) fn put_some_text(out: &mut Writer<'_>, name: &str, text: &str) {
    if !text.is_empty() {
        put_text(out, name, text);
    }
}

impl<'a> Value<'a> for Str<'a> {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        raw.as_str_raw().map(Self::Raw).ok_or(unexpected(raw))
    }

    fn put(&self, out: &mut Writer<'_>) {
        out.put_byte(b'"');
        self.put_inside(out);
        out.put_byte(b'"');
    }
}

impl<'a> Value<'a> for bool {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        raw.as_bool().ok_or(unexpected(raw))
    }

    fn put(&self, out: &mut Writer<'_>) {
        out.put(if *self { b"true" } else { b"false" });
    }
}

impl<'a> Value<'a> for u64 {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        raw.to_integer()
    }

    fn put(&self, out: &mut Writer<'_>) {
        out.put_integer(false, *self);
    }
}

/// Any JSON value.
impl<'a> Value<'a> for RawValue<'a> {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        Ok(raw)
    }

    fn put(&self, out: &mut Writer<'_>) {
        out.put(self.as_bytes());
    }
}

/// A function that appends text. Not `dyn Fn`, whose table contains each closure twice: 900 bytes of flash.
pub(super) trait Puts {
    fn puts(&self, out: &mut Writer<'_>);
}

impl<F: Fn(&mut Writer<'_>)> Puts for F {
    fn puts(&self, out: &mut Writer<'_>) {
        self(out);
    }
}

/// A value that a closure writes.
pub(super) struct Put<F>(pub(super) F);

impl<F: Fn(&mut Writer<'_>)> ToJson for Put<F> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.pieces(&self.0)
    }
}

/// Implements reading and writing as a payload for a type of the protocol.
macro_rules! payload {
    ($name:ident $(<$($lifetime:lifetime),*>)?) => {
        impl $(<$($lifetime),*>)? crate::json::ToJson for $name $(<$($lifetime),*>)? {
            fn write_json<'o>(&self, out: crate::json::ValueWriter<'o, '_>) -> crate::json::Written<'o> {
                out.pieces(|out| crate::mcp::value::Value::put(self, out))
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
        required { $($(#[$required_meta:meta])* $required:ident: $required_type:ty = $required_name:literal,)* }
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
                    $($required: crate::mcp::value::Member::read_from(object, $required_name)?,)*
                    $($optional: crate::mcp::value::Member::read_from(object, $optional_name)?,)*
                })
            }

            pub(in crate::mcp) fn put_members(&self, out: &mut crate::json::Writer<'_>) {
                $(crate::mcp::value::put_text(out, "type", $tag);)?
                $(crate::mcp::value::Member::put_as(&self.$required, $required_name, out);)*
                $(crate::mcp::value::Member::put_as(&self.$optional, $optional_name, out);)*
            }
        }

        impl<'a> crate::mcp::value::Value<'a> for $name<'a> {
            fn read(raw: crate::json::RawValue<'a>) -> Result<Self, crate::error::Error> {
                $name::read(raw)
            }

            fn put(&self, out: &mut crate::json::Writer<'_>) {
                crate::mcp::value::put_object(out, |out| self.put_members(out));
            }
        }

        crate::mcp::value::payload!($name<'a>);
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

        impl<'a> crate::mcp::value::Value<'a> for $name {
            fn read(raw: crate::json::RawValue<'a>) -> Result<Self, crate::error::Error> {
                $name::read(raw)
            }

            fn put(&self, out: &mut crate::json::Writer<'_>) {
                out.put_string(self.as_str());
            }
        }

        crate::mcp::value::payload!($name);
    };
}

pub(super) use {names, object, payload};
