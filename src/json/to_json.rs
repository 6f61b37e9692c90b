//! Payloads to write: params, results, error data.

use super::{ValueWriter, Written};

/// A type that is written as one JSON value: params, results, error data.
///
/// With the feature `serde`, every type that implements `serde::Serialize` implements it. Without it: [`RawValue`](super::RawValue),
/// [`RawStr`](super::RawStr), `bool`, integers, strings, `()` as null, and references, options, slices, arrays of up to 32 elements and tuples
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
