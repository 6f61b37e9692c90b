//! Any `serde::Serialize` into the writer.
//!
//! The text is what serde_json writes for the same value, so NaN and infinities are null, bytes are an array of numbers,
//! and the keys of a map are strings, or numbers, booleans and characters that are put into quotation marks.

use core::fmt::{self, Write};

use serde::{Serialize, ser};

use super::Writer;
use crate::error::{Error, ErrorKind};

/// The name under which [`RawValue`](super::RawValue) asks to be spliced in as it is.
pub(crate) const RAW_VALUE: &str = "$nanojsonrpc::RawValue";

/// Any value.
const VALUE: u8 = 0;
/// The key of a map, which must come out as a string.
const KEY: u8 = 1;
/// A text that is JSON already.
const RAW: u8 = 2;

/// Writes one value; `MODE` is what kind of place it stands in.
pub(super) struct Serializer<'o, 'w, const MODE: u8 = VALUE> {
    out: &'o mut Writer<'w>,
}

impl<'o, 'w> Serializer<'o, 'w> {
    pub(super) const fn new(out: &'o mut Writer<'w>) -> Self {
        Self { out }
    }
}

impl ser::Error for Error {
    /// The message is dropped: there is no room to keep it.
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self::new(ErrorKind::Unserializable, 0)
    }
}

impl<'o, 'w, const MODE: u8> Serializer<'o, 'w, MODE> {
    /// Writes what is a key only inside quotation marks.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
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

    #[cfg_attr(target_pointer_width = "64", inline(always))]
    fn integer(self, negative: bool, magnitude: u64) -> Result<(), Error> {
        self.scalar(|out| out.put_integer(negative, magnitude))
    }

    fn wide_integer(self, negative: bool, magnitude: u128) -> Result<(), Error> {
        let mut digits = [0u8; 39];
        let mut left = magnitude;
        let mut start = digits.len();
        for (at, place) in digits.iter_mut().enumerate().rev() {
            *place = b'0'.wrapping_add((left % 10) as u8);
            left /= 10;
            start = at;
            if left == 0 {
                break;
            }
        }
        self.scalar(|out| {
            out.put(if negative { b"-" } else { b"" });
            out.put(digits.get(start..).unwrap_or_default());
        })
    }

    // apart, because in the caller's frame the buffer of zmij doubled the time in some builds
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn float<F: zmij::Float + Copy>(self, float: F, is_finite: bool) -> Result<(), Error> {
        match is_finite {
            true => self.scalar(|out| out.put(zmij::Buffer::new().format_finite(float).as_bytes())),
            false => ser::Serializer::serialize_unit(self),
        }
    }

    fn not_as_key(self) -> Result<&'o mut Writer<'w>, Error> {
        if MODE == VALUE { Ok(self.out) } else { Err(Error::new(ErrorKind::InvalidKey, self.out.len())) }
    }

    /// Opens an object or array, inside `{"variant":` if there is one.
    fn open(self, variant: Option<&str>, begin: u8, end: u8) -> Result<Compound<'o, 'w>, Error> {
        let out = self.not_as_key()?;
        if let Some(variant) = variant {
            out.put_byte(b'{');
            out.put_string(variant);
            out.put_byte(b':');
        }
        out.put_byte(begin);
        Ok(Compound {
            out,
            end,
            is_variant: variant.is_some(),
            #[cfg(target_pointer_width = "64")]
            is_empty: true,
        })
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
        self.wide_integer(false, value)
    }

    fn serialize_i128(self, value: i128) -> Result<(), Error> {
        self.wide_integer(value < 0, value.unsigned_abs())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        #[cfg(target_pointer_width = "64")]
        if let Some(decimal) = super::wide::Decimal::of_single(value) {
            return self.scalar(|out| out.put_decimal(&decimal));
        }
        self.float(value, value.is_finite())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        #[cfg(target_pointer_width = "64")]
        if let Some(decimal) = super::wide::Decimal::of_double(value) {
            return self.scalar(|out| out.put_decimal(&decimal));
        }
        self.float(value, value.is_finite())
    }

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.scalar(|out| out.put(if value { b"true" } else { b"false" }))
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.out.put_string(value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.out.put_string(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        if MODE == RAW {
            self.out.put(value);
            return Ok(());
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

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), Error> {
        if MODE == VALUE && name == RAW_VALUE {
            return value.serialize(Serializer::<RAW> { out: self.out });
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

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<Compound<'o, 'w>, Error> {
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
        let formatted = write!(Inside(self.out), "{value}");
        self.out.put_byte(b'"');
        formatted.map_err(|_| ser::Error::custom(""))
    }

    /// A [`RawValue`](super::RawValue) gives a reader of JSON its structure, and this its text.
    fn is_human_readable(&self) -> bool {
        MODE != RAW
    }
}

/// The inside of a string that is being formatted.
struct Inside<'o, 'w>(&'o mut Writer<'w>);

impl Write for Inside<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.put_escaped(text);
        Ok(())
    }
}

/// An object or array that is being filled.
pub(super) struct Compound<'o, 'w> {
    out: &'o mut Writer<'w>,
    end: u8,
    /// Whether it is inside `{"variant":`.
    is_variant: bool,
    /// Whether it has no element. Devices look at what has been written instead, which takes no room on the stack.
    #[cfg(target_pointer_width = "64")]
    is_empty: bool,
}

impl Compound<'_, '_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        #[cfg(target_pointer_width = "64")]
        if !core::mem::replace(&mut self.is_empty, false) {
            self.out.put_byte(b',');
        }
        #[cfg(not(target_pointer_width = "64"))]
        self.out.put_comma();
        value.serialize(Serializer::new(self.out))
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        self.out.put_name(name);
        value.serialize(Serializer::new(self.out))
    }

    // who opens one knows how it ends, so this is a call
    #[inline(always)]
    fn close(self) -> Result<(), Error> {
        self.out.put_byte(self.end);
        if self.is_variant {
            self.out.put_byte(b'}');
        }
        Ok(())
    }
}

macro_rules! arrays {
    ($($trait:ident $method:ident;)*) => {$(
        impl ser::$trait for Compound<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.element(value)
            }

            fn end(self) -> Result<(), Error> {
                self.close()
            }
        }
    )*};
}
arrays! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

macro_rules! objects {
    ($($trait:ident)*) => {$(
        impl ser::$trait for Compound<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                self.member(name, value)
            }

            fn end(self) -> Result<(), Error> {
                self.close()
            }
        }
    )*};
}
objects!(SerializeStruct SerializeStructVariant);

impl ser::SerializeMap for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.out.put_comma();
        key.serialize(Serializer::<KEY> { out: self.out })
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.out.put_byte(b':');
        value.serialize(Serializer::new(self.out))
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}
