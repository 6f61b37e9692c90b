//! Payloads to write: params, results, error data.

use super::{ValueWriter, Writer, Written};
use crate::error::Error;

/// A type that can be written as one JSON value: params, results, error data.
///
/// With the feature `serde`, this is every type that implements `serde::Serialize`. Without it, it is [`RawValue`](super::RawValue),
/// [`RawStr`](super::RawStr), `bool`, integers, strings, `()` as null, and options, slices, arrays and tuples of these. Either way a value of
/// your own can be a closure in [`from_fn`].
///
/// It cannot be implemented elsewhere, so that turning a feature on never breaks a build.
pub trait ToJson: sealed::Sealed {
    /// Appends `self` as one JSON value.
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if there is no room for it; a part of it may then have been written, which
    /// [`Writer::value`] takes back.
    fn write_json(&self, out: &mut Writer<'_>) -> Result<(), Error>;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// A value that a closure writes; see [`from_fn`].
#[derive(Clone, Copy, Debug)]
pub struct FromFn<F>(F);

#[cfg(feature = "defmt")]
impl<F> defmt::Format for FromFn<F> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "FromFn");
    }
}

/// A value that `write` writes.
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
/// The types see to it that it is one value. None does not compile, and neither do two:
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
impl<T: serde::Serialize + ?Sized> ToJson for T {
    fn write_json(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        let before = out.len();
        let written = self.serialize(super::ser::Serializer::new(out));
        // an error behind the end of the room is due to the room
        out.finish(before).and(written)
    }
}
