//! Payloads to write (params, results, error data) and the places of values that they are written to.

use core::marker::PhantomData;

use super::{RawValue, Writer};
use crate::error::{Error, ErrorKind};

/// A type that is written as one JSON value: params, results, error data.
///
/// With the feature `serde`, every type that implements `serde::Serialize` implements it. Without it: [`RawValue`](super::RawValue),
/// [`RawStr`](super::RawStr), [`Fixed`](crate::Fixed), `bool`, integers, strings, `()` as null, and references, options, slices, arrays of up to 32 elements and tuples
/// of up to 6 of these. Write a longer array as a slice. In both cases, a type of your own can implement it:
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::{Notification, ToJson, json::{ValueWriter, Written}};
///
/// struct Led {
///     on: bool,
/// }
///
/// impl ToJson for Led {
///     fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
///         out.object(|led| led.member("on", &self.on))
///     }
/// }
///
/// let mut buffer = [0; 64];
/// let len = Notification::new("led").with_params(&Led { on: true }).write(&mut buffer)?;
/// assert_eq!(&buffer[..len], br#"{"jsonrpc":"2.0","method":"led","params":{"on":true}}"#);
/// # Ok(()) }
/// ```
///
/// # Limits
/// With the feature `serde`, a type cannot implement both this trait and `serde::Serialize`, and references, options and lists of a type
/// implement this trait only if the type implements `Serialize`.
#[cfg_attr(
    feature = "serde",
    diagnostic::on_unimplemented(note = "add `#[derive(serde::Serialize)]` to a type of your own")
)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as JSON",
    label = "cannot be written as JSON",
    note = "a type of your own can implement `nanojsonrpc::ToJson`"
)]
pub trait ToJson {
    /// Writes `self` to the place `out`. What does not fit is dropped; the caller then drops the whole value.
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o>;
}

#[cfg(feature = "serde")]
#[diagnostic::do_not_recommend]
impl<T: serde::Serialize + ?Sized> ToJson for T {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.pieces(|out| {
            if let Err(error) = self.serialize(super::ser::Serializer::new(out)) {
                out.fail(error);
            }
        })
    }
}

impl Writer<'_> {
    /// Appends one value.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if the value does not fit; [`Unserializable`](crate::ErrorKind::Unserializable) if its
    /// `Serialize` or `Display` fails; [`InvalidKey`](crate::ErrorKind::InvalidKey) for a map with keys that JSON does not have. No part is
    /// written then.
    pub fn value<T: ToJson + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let before = self.len;
        self.put_value(value);
        self.finish(before)
    }

    /// Appends a value.
    pub(crate) fn put_value<T: ToJson + ?Sized>(&mut self, value: &T) {
        _ = value.write_json(ValueWriter { out: self });
    }
}

/// The place of one value, for an implementation of [`ToJson`]. Each method takes the place and returns the proof that a value was written,
/// so exactly one value is written. Two do not compile:
///
/// ```compile_fail
/// # use nanojsonrpc::{ToJson, json::{ValueWriter, Written}};
/// struct Two;
///
/// impl ToJson for Two {
///     fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
///         out.value(&1);
///         out.value(&2)
///     }
/// }
/// ```
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ValueWriter<'o, 'w> {
    out: &'o mut Writer<'w>,
}

/// Proof that a value was written to the place of `'o`. It cannot be kept and used for another place:
///
/// ```compile_fail
/// # use nanojsonrpc::{ToJson, json::{ValueWriter, Written}};
/// struct Kept<'o>(core::cell::Cell<Option<Written<'o>>>);
///
/// impl ToJson for Kept<'_> {
///     fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
///         self.0.take().unwrap_or_else(|| out.value(&1))
///     }
/// }
/// ```
// invariant in the lifetime, so that it belongs to one place
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "the result of `write_json`"]
pub struct Written<'o>(PhantomData<fn(&'o ()) -> &'o ()>);

impl<'o, 'w> ValueWriter<'o, 'w> {
    /// Writes the pieces of one value with `put`.
    #[inline(always)]
    pub(crate) fn pieces(self, put: impl FnOnce(&mut Writer<'w>)) -> Written<'o> {
        put(self.out);
        Written(PhantomData)
    }

    /// Writes `value`.
    pub fn value<T: ToJson + ?Sized>(self, value: &T) -> Written<'o> {
        value.write_json(self)
    }

    /// Writes an object whose members `write` appends.
    pub fn object(self, write: impl FnOnce(&mut ObjectWriter<'_, 'w>)) -> Written<'o> {
        self.pieces(|out| {
            out.put_byte(b'{');
            write(&mut ObjectWriter { out });
            out.put_byte(b'}');
        })
    }

    /// Writes an array whose elements `write` appends.
    pub fn array(self, write: impl FnOnce(&mut ArrayWriter<'_, 'w>)) -> Written<'o> {
        self.pieces(|out| {
            out.put_byte(b'[');
            write(&mut ArrayWriter { out });
            out.put_byte(b']');
        })
    }
}

/// Appends the members of an object; see [`ValueWriter::object`].
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ObjectWriter<'o, 'w> {
    pub(super) out: &'o mut Writer<'w>,
}

impl<'w> Writer<'w> {
    /// Appends members to the object that ends the written text, such as a call that [`Client::call`](crate::Client::call) has written. The
    /// caller knows that their names are not repeated.
    ///
    /// ```
    /// use nanojsonrpc::{Client, Writer};
    ///
    /// let mut client: Client<(), 1> = Client::new();
    /// let mut buffer = [0; 96];
    /// let mut out = Writer::new(&mut buffer);
    /// client.call("Switch.Toggle", &(), (), &mut out)?;
    /// out.add_members(|members| members.member("src", "hub"))?;
    /// assert_eq!(out.written(), br#"{"jsonrpc":"2.0","method":"Switch.Toggle","id":1,"src":"hub"}"#);
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull) if the members do not fit; [`NotAMessage`](ErrorKind::NotAMessage) if the text does not end with
    /// an object; those of [`Writer::value`] for their values. Then the text stays as it was, but for
    /// white space before its end.
    pub fn add_members(&mut self, write: impl FnOnce(&mut ObjectWriter<'_, 'w>)) -> Result<(), Error> {
        let before = self.len();
        let Some((b'}', inner)) = self.written().split_last() else {
            return Err(Error::new(ErrorKind::NotAMessage, before));
        };
        // no comma follows the bracket of an empty object
        let inner = inner.trim_ascii_end().len();
        self.truncate(inner);
        write(&mut ObjectWriter::over(self));
        self.put_byte(b'}');
        let outcome = self.finish(inner);
        if outcome.is_err() {
            self.put_byte(b'}');
        }
        outcome
    }
}

impl<'o, 'w> ObjectWriter<'o, 'w> {
    /// For an object whose brackets the caller writes.
    pub(crate) const fn over(out: &'o mut Writer<'w>) -> Self {
        Self { out }
    }

    /// Appends one member. If it does not fit, the whole value is discarded.
    pub fn member<T: ToJson + ?Sized>(&mut self, name: &str, value: &T) {
        self.out.put_name(name);
        self.out.put_value(value);
    }

    /// Appends one member, whose value `write` writes.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{ToJson, json::{ValueWriter, Written}};
    ///
    /// struct Leds(u8);
    ///
    /// impl ToJson for Leds {
    ///     fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
    ///         out.object(|leds| {
    ///             leds.member("count", &self.0);
    ///             leds.member_with("names", |names| {
    ///                 names.array(|names| (0..self.0).for_each(|led| names.element_with(|name| name.text(("led ", led)))))
    ///             });
    ///         })
    ///     }
    /// }
    ///
    /// let mut buffer = [0; 64];
    /// let mut out = nanojsonrpc::Writer::new(&mut buffer);
    /// out.value(&Leds(2))?;
    /// assert_eq!(out.written(), br#"{"count":2,"names":["led 0","led 1"]}"#);
    /// # Ok(()) }
    /// ```
    pub fn member_with(&mut self, name: &str, write: impl for<'p> FnOnce(ValueWriter<'p, 'w>) -> Written<'p>) {
        self.out.put_name(name);
        _ = write(ValueWriter { out: self.out });
    }

    /// Appends the members of `object`, as spelled; nothing if it is not an object. The caller knows that their names are not repeated.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::{RawValue, ToJson, json::{ValueWriter, Written}};
    ///
    /// struct Numbered<'a>(u8, RawValue<'a>);
    ///
    /// impl ToJson for Numbered<'_> {
    ///     fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
    ///         out.object(|object| {
    ///             object.member("number", &self.0);
    ///             object.members(self.1);
    ///         })
    ///     }
    /// }
    ///
    /// let mut buffer = [0; 64];
    /// let mut out = nanojsonrpc::Writer::new(&mut buffer);
    /// out.value(&Numbered(7, RawValue::parse(br#"{"on": true}"#)?))?;
    /// assert_eq!(out.written(), br#"{"number":7,"on": true}"#);
    /// # Ok(()) }
    /// ```
    pub fn members(&mut self, object: RawValue<'_>) {
        if let [b'{', members @ .., b'}'] = object.as_bytes() {
            let members = members.trim_ascii();
            if !members.is_empty() {
                self.out.put_comma();
                self.out.put(members);
            }
        }
    }

    /// Appends one member whose name is spelled as in a message.
    #[cfg(feature = "mcp")]
    pub(crate) fn raw_member(&mut self, name: super::RawStr<'_>, value: RawValue<'_>) {
        self.out.put_raw_name(name);
        self.out.put(value.as_bytes());
    }
}

/// Appends the elements of an array; see [`ValueWriter::array`].
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ArrayWriter<'o, 'w> {
    out: &'o mut Writer<'w>,
}

impl<'w> ArrayWriter<'_, 'w> {
    /// Appends one element. If it does not fit, the whole value is discarded.
    pub fn element<T: ToJson + ?Sized>(&mut self, value: &T) {
        self.out.put_comma();
        self.out.put_value(value);
    }

    /// Appends one element, which `write` writes.
    pub fn element_with(&mut self, write: impl for<'p> FnOnce(ValueWriter<'p, 'w>) -> Written<'p>) {
        self.out.put_comma();
        _ = write(ValueWriter { out: self.out });
    }
}
