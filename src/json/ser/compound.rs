//! Objects and arrays that [`Serializer`] writes element by element.

use core::any::type_name;

use serde::{Serialize, ser};

use super::{KEY, Serializer, TEXT};
use crate::error::{Error, ErrorKind};
use crate::json::Writer;

/// `end` of a struct that is replaced by the text of its member, before and after that text is written. Such a struct
/// has no closing bracket.
const BEFORE_TEXT: u8 = 0;
const AFTER_TEXT: u8 = 1;

/// An object or array that is not yet closed.
pub(in crate::json) struct Compound<'o, 'w> {
    out: &'o mut Writer<'w>,
    end: u8,
    /// Whether it is inside `{"variant":`.
    is_variant: bool,
    /// Whether it has no element. Devices look at the written text instead, which needs no stack.
    #[cfg(target_pointer_width = "64")]
    is_empty: bool,
}

impl<'o, 'w> Compound<'o, 'w> {
    pub(super) const fn new(out: &'o mut Writer<'w>, end: u8, is_variant: bool) -> Self {
        Self {
            out,
            end,
            is_variant,
            #[cfg(target_pointer_width = "64")]
            is_empty: true,
        }
    }

    /// A struct that is written as the text of its one member.
    pub(super) const fn spliced(out: &'o mut Writer<'w>) -> Self {
        Self::new(out, BEFORE_TEXT, false)
    }

    pub(super) fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        #[cfg(target_pointer_width = "64")]
        if !core::mem::replace(&mut self.is_empty, false) {
            self.out.put_byte(b',');
        }
        #[cfg(not(target_pointer_width = "64"))]
        self.out.put_comma();
        value.serialize(Serializer::new(self.out))
    }

    pub(super) fn member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        self.out.put_name(name);
        value.serialize(Serializer::new(self.out))
    }

    /// Appends a member of a struct, or the text of a struct that is spliced in.
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        // serde_json passes a `str` or a `String`; the compiler removes the test for all other types
        if matches!(type_name::<T>(), "str" | "alloc::string::String") && self.end == BEFORE_TEXT {
            self.end = AFTER_TEXT;
            return value.serialize(Serializer::<TEXT> { out: self.out });
        }
        self.name(name);
        value.serialize(Serializer::new(self.out))
    }

    shared_on_devices! {
        /// Appends the name of a member. A struct that is replaced by its text must have no other member, so a name then
        /// marks the output as full.
        fn name(&mut self, name: &str) {
            if self.end > AFTER_TEXT {
                self.out.put_name(name);
            } else {
                self.out.fill();
            }
        }
    }

    /// [`close`](Self::close) of a struct.
    #[inline(always)]
    fn close_struct(self) -> Result<(), Error> {
        match self.end {
            BEFORE_TEXT => Err(Error::new(ErrorKind::Unserializable, self.out.len())),
            AFTER_TEXT => Ok(()),
            _ => self.close(),
        }
    }

    // inlined: the caller knows `end` and `is_variant` as constants, so little more than a call of `put_byte` remains
    #[inline(always)]
    pub(super) fn close(self) -> Result<(), Error> {
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
    ($($trait:ident $field:ident $close:ident;)*) => {$(
        impl ser::$trait for Compound<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                self.$field(name, value)
            }

            fn end(self) -> Result<(), Error> {
                self.$close()
            }
        }
    )*};
}
objects! {
    SerializeStruct field close_struct;
    SerializeStructVariant member close;
}

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
