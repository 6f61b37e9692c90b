//! Payloads to write: params, results, error data.

use super::{ValueWriter, Writer, Written};
use crate::error::Error;

/// A type that can be written as one JSON value: params, results, error data.
///
/// With the feature `serde`, every type that implements `serde::Serialize` implements it. Without it: [`RawValue`](super::RawValue),
/// [`RawStr`](super::RawStr), `bool`, integers, strings, `()` as null, and options, slices, arrays of up to 32 elements and tuples of up to
/// 6 of these. In both cases, [`from_fn`] writes any other value with a closure. Write a longer array as a slice.
///
/// The trait is sealed, so that enabling a feature never breaks a build.
#[diagnostic::on_unimplemented(message = "`{Self}` cannot be written as JSON", label = "cannot be written as JSON")]
#[cfg_attr(
    feature = "serde",
    diagnostic::on_unimplemented(note = "add `#[derive(serde::Serialize)]` to a type of your own")
)]
#[cfg_attr(
    not(feature = "serde"),
    diagnostic::on_unimplemented(
        note = "write any type with `nanojsonrpc::json::from_fn`, or enable the feature `serde`"
    )
)]
pub trait ToJson: sealed::Sealed {
    /// Appends `self` as one JSON value.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if the value does not fit; [`Unserializable`](crate::ErrorKind::Unserializable) if its
    /// `Serialize` or `Display` fails; [`InvalidKey`](crate::ErrorKind::InvalidKey) for a map with keys that JSON does not have; the errors
    /// of the closure of [`from_fn`]. A part of the value may then have been written, which [`Writer::value`] discards.
    fn write_json(&self, out: &mut Writer<'_>) -> Result<(), Error>;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// A value written by a closure; see [`from_fn`].
#[derive(Clone, Copy, Debug)]
pub struct FromFn<F>(F);

#[cfg(feature = "defmt")]
impl<F> defmt::Format for FromFn<F> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "FromFn");
    }
}

/// Makes a value that the closure `write` writes.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::{Notification, json::from_fn};
///
/// let params = from_fn(|place| place.object(|led| led.member("on", &true)));
/// let mut buffer = [0; 64];
/// let len = Notification::new("led").with_params(&params).write(&mut buffer)?;
/// assert_eq!(&buffer[..len], br#"{"jsonrpc":"2.0","method":"led","params":{"on":true}}"#);
/// # Ok(()) }
/// ```
///
/// The types ensure that `write` writes exactly one value. No value does not compile, and neither do two:
///
/// ```compile_fail
/// let none = nanojsonrpc::json::from_fn(|place| Ok(()));
/// ```
///
/// ```compile_fail
/// let two = nanojsonrpc::json::from_fn(|place| {
///     place.value(&1)?;
///     place.value(&2)
/// });
/// ```
///
/// The proof that one value was written cannot be kept and used for another value:
///
/// ```compile_fail
/// let kept = core::cell::Cell::new(None);
/// let none = nanojsonrpc::json::from_fn(|place| match kept.take() {
///     Some(written) => Ok(written),
///     None => {
///         kept.set(Some(place.value(&1)?));
///         panic!()
///     }
/// });
/// ```
pub const fn from_fn<F: for<'o> Fn(ValueWriter<'o, '_>) -> Result<Written<'o>, Error>>(write: F) -> FromFn<F> {
    FromFn(write)
}

impl<F> sealed::Sealed for FromFn<F> {}

impl<F: for<'o> Fn(ValueWriter<'o, '_>) -> Result<Written<'o>, Error>> ToJson for FromFn<F> {
    fn write_json(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        (self.0)(ValueWriter::new(out)).map(|_| ())
    }
}

#[cfg(feature = "serde")]
impl<F> sealed::Sealed for &FromFn<F> {}

#[cfg(feature = "serde")]
impl<F: for<'o> Fn(ValueWriter<'o, '_>) -> Result<Written<'o>, Error>> ToJson for &FromFn<F> {
    fn write_json(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        (self.0)(ValueWriter::new(out)).map(|_| ())
    }
}

#[cfg(feature = "serde")]
impl<T: serde::Serialize + ?Sized> sealed::Sealed for T {}

#[cfg(feature = "serde")]
#[diagnostic::do_not_recommend]
impl<T: serde::Serialize + ?Sized> ToJson for T {
    fn write_json(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        let before = out.len();
        let written = self.serialize(super::ser::Serializer::new(out));
        // an error at an offset past the room is due to the end of the room
        out.finish(before).and(written)
    }
}
