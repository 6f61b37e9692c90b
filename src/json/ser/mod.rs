//! Writes any `serde::Serialize`.
//!
//! The text equals that of serde_json for the same value: NaN and infinities are null, bytes are an array of numbers, and the keys of a map
//! are strings; numbers, booleans and characters as keys get quotation marks.

mod compound;
mod fixed;
mod transcode;

use core::any::type_name;
use core::fmt;

use serde::{Serialize, ser};

use super::fixed::Units;
use super::number::Float;
use super::{RawValue, Writer};
use crate::error::{Error, ErrorKind};
use compound::Compound;
use transcode::Content;

/// The private struct name that marks a [`RawValue`], so that its text is written unchanged.
pub(crate) const RAW_VALUE: &str = "$nanojsonrpc::RawValue";

/// Whether a type has this name. The compiler evaluates comparisons of constant arrays at every opt-level; for slices it links a function
/// at opt-level z.
#[inline(always)]
fn is_raw_value(name: &str) -> bool {
    const NAME: &[u8; RAW_VALUE.len()] = match RAW_VALUE.as_bytes().first_chunk() {
        Some(name) => name,
        None => unreachable!(),
    };
    match name.as_bytes().first_chunk() {
        Some(front) => name.len() == NAME.len() && front == NAME,
        None => false,
    }
}

/// The mode for any value.
const VALUE: u8 = 0;
/// The mode for the key of a map, which must become a string.
const KEY: u8 = 1;
/// The mode for the bytes of a [`RawValue`], which are JSON.
const RAW: u8 = 2;
/// The mode for bytes of another type under the name of a [`RawValue`]. They are validated first.
const BYTES: u8 = 3;
/// The mode for the text of a raw value of serde_json. It is validated first.
const TEXT: u8 = 4;
/// The mode for the [`Units`] of a decimal fraction.
const FIXED: u8 = 5;

/// The prefix of the private struct names of serde_json's raw values, and of its numbers with the feature
/// `arbitrary_precision`. Such a struct has one member, the text.
const SERDE_JSON: &str = "$serde_json::private::";

/// Writes one value; `MODE` is its position.
pub(super) struct Serializer<'o, 'w, const MODE: u8 = VALUE> {
    out: &'o mut Writer<'w>,
}

impl<'o, 'w> Serializer<'o, 'w> {
    pub(super) const fn new(out: &'o mut Writer<'w>) -> Self {
        Self { out }
    }
}

impl ser::Error for Error {
    /// Drops the message, because an error has no room for it.
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self::new(ErrorKind::Unserializable, 0)
    }
}

impl<'o, 'w, const MODE: u8> Serializer<'o, 'w, MODE> {
    inlined_on_hosts! {
        /// Writes a scalar. As a key it gets quotation marks.
        fn scalar(self, write: impl FnOnce(&mut Writer<'w>)) -> Result<(), Error> {
            if MODE == KEY {
                self.out.put_byte(b'"');
            }
            write(self.out);
            if MODE == KEY {
                self.out.put_byte(b'"');
            }
            Ok(())
        }
    }

    #[inline(always)]
    fn integer(self, negative: bool, magnitude: u64) -> Result<(), Error> {
        self.scalar(|out| out.put_integer(negative, magnitude))
    }

    fn wide_integer(self, negative: bool, magnitude: u128) -> Result<(), Error> {
        self.scalar(|out| out.put_wide_integer(negative, magnitude))
    }

    // a separate function: in the caller's frame the buffer of zmij doubled the time in some builds
    #[inline(never)]
    fn float<F: Float>(self, float: F) -> Result<(), Error> {
        match float.is_finite() {
            true => self.scalar(|out| out.put_float(float)),
            false => ser::Serializer::serialize_unit(self),
        }
    }

    fn not_as_key(self) -> Result<&'o mut Writer<'w>, Error> {
        if MODE == KEY { Err(Error::new(ErrorKind::InvalidKey, self.out.len())) } else { Ok(self.out) }
    }

    /// Opens an object or array. A variant is opened inside `{"variant":`.
    fn open(self, variant: Option<&str>, begin: u8, end: u8) -> Result<Compound<'o, 'w>, Error> {
        let out = self.not_as_key()?;
        if let Some(variant) = variant {
            out.put_byte(b'{');
            out.put_string(variant);
            out.put_byte(b':');
        }
        out.put_byte(begin);
        Ok(Compound::new(out, end, variant.is_some()))
    }
}

macro_rules! integers {
    ($($name:ident $type:ty, |$value:ident| $negative:expr, $magnitude:expr;)*) => {$(
        fn $name(self, $value: $type) -> Result<(), Error> {
            self.integer($negative, $magnitude)
        }
    )*};
}

impl<'o, 'w, const MODE: u8> ser::Serializer for Serializer<'o, 'w, MODE> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'o, 'w>;
    type SerializeTuple = Compound<'o, 'w>;
    type SerializeTupleStruct = Compound<'o, 'w>;
    type SerializeTupleVariant = Compound<'o, 'w>;
    type SerializeMap = Compound<'o, 'w>;
    type SerializeStruct = Compound<'o, 'w>;
    type SerializeStructVariant = Compound<'o, 'w>;

    integers! {
        serialize_u8 u8, |value| false, value.into();
        serialize_u16 u16, |value| false, value.into();
        serialize_u32 u32, |value| false, value.into();
        serialize_u64 u64, |value| false, value;
        serialize_i8 i8, |value| value < 0, value.unsigned_abs().into();
        serialize_i16 i16, |value| value < 0, value.unsigned_abs().into();
        serialize_i32 i32, |value| value < 0, value.unsigned_abs().into();
        serialize_i64 i64, |value| value < 0, value.unsigned_abs();
    }

    fn serialize_u128(self, value: u128) -> Result<(), Error> {
        match MODE {
            FIXED => self.out.put_fixed(Units::unpack(value)),
            // units whose type is hidden, by `erased_serde` for example
            BYTES => return Err(Error::new(ErrorKind::Unserializable, self.out.len())),
            _ => return self.wide_integer(false, value),
        }
        Ok(())
    }

    fn serialize_i128(self, value: i128) -> Result<(), Error> {
        self.wide_integer(value < 0, value.unsigned_abs())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.float(value)
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.float(value)
    }

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.scalar(|out| out.put(if value { b"true" } else { b"false" }))
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.out.put_string(value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        if MODE == TEXT {
            return splice(value.as_bytes(), self.out);
        }
        self.out.put_string(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        if MODE == RAW {
            self.out.put(value);
            return Ok(());
        }
        if MODE == BYTES {
            return splice(value, self.out);
        }
        let mut array = self.open(None, b'[', b']')?;
        value.iter().try_for_each(|byte| array.element(byte))?;
        array.close()
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.not_as_key()?.put(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<(), Error> {
        self.out.put_string(variant);
        Ok(())
    }

    // inlined, so that the compiler evaluates the comparison of names: otherwise a `RawValue` would link the parser of floats, which only
    // other serializers need
    #[inline(always)]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), Error> {
        if MODE == VALUE && is_raw_value(name) {
            // Any type can use this name. The serialized data cannot prove the type, but the compiler knows it.
            return if type_name::<T>() == type_name::<Content<'_>>() {
                value.serialize(Serializer::<RAW> { out: self.out })
            } else if type_name::<T>() == type_name::<Units>() {
                value.serialize(Serializer::<FIXED> { out: self.out })
            } else {
                value.serialize(Serializer::<BYTES> { out: self.out })
            };
        }
        if MODE == KEY && type_name::<T>() == type_name::<Units>() {
            self.out.put_byte(b'"');
            value.serialize(Serializer::<FIXED> { out: self.out })?;
            self.out.put_byte(b'"');
            return Ok(());
        }
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let mut object = self.open(None, b'{', b'}')?;
        object.member(variant, value)?;
        object.close()
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Compound<'o, 'w>, Error> {
        self.open(None, b'[', b']')
    }

    fn serialize_tuple(self, _len: usize) -> Result<Compound<'o, 'w>, Error> {
        self.open(None, b'[', b']')
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<Compound<'o, 'w>, Error> {
        self.open(None, b'[', b']')
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Compound<'o, 'w>, Error> {
        self.open(Some(variant), b'[', b']')
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Compound<'o, 'w>, Error> {
        self.open(None, b'{', b'}')
    }

    fn serialize_struct(self, name: &'static str, _len: usize) -> Result<Compound<'o, 'w>, Error> {
        if name.starts_with(SERDE_JSON) {
            return Ok(Compound::spliced(self.not_as_key()?));
        }
        self.open(None, b'{', b'}')
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Compound<'o, 'w>, Error> {
        self.open(Some(variant), b'{', b'}')
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.out.put_byte(b'"');
        let formatted = self.out.put_formatted(format_args!("{value}"));
        self.out.put_byte(b'"');
        formatted.map_err(|_| ser::Error::custom(""))
    }

    /// A [`RawValue`] serializes its structure for readable formats; `false` makes it serialize its text instead.
    fn is_human_readable(&self) -> bool {
        MODE != RAW && MODE != BYTES && MODE != FIXED
    }
}

/// Appends `text` if it is JSON.
#[inline(never)]
fn splice(text: &[u8], out: &mut Writer<'_>) -> Result<(), Error> {
    let value = RawValue::parse(text).map_err(|_| Error::new(ErrorKind::Unserializable, out.len()))?;
    out.put(value.as_bytes());
    Ok(())
}
