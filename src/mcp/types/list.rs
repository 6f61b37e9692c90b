//! Arrays of one type, and numbers.

use core::fmt;

use crate::error::{Error, ErrorKind};
use crate::json::{Elements, Kind, RawValue, ToJson, ValueWriter, Written};
use crate::mcp::value::{Value, unexpected, value};

/// Values of one type: an array of a message, or a slice of the program.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::mcp::types::{List, Role};
///
/// let came = List::<Role>::read(nanojsonrpc::RawValue::parse(br#"["user","assistant"]"#)?)?;
/// assert!(came.iter().eq([Role::User, Role::Assistant]));
/// assert_eq!(List::from(&[Role::User]).iter().count(), 1);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct List<'a, T>(Source<'a, T>);

#[derive(Clone, Copy)]
enum Source<'a, T> {
    /// Validated: each element has been read once.
    Raw(RawValue<'a>),
    Slice(&'a [T]),
}

impl<'a, T> List<'a, T> {
    /// The values of `slice`.
    pub const fn of(slice: &'a [T]) -> Self {
        Self(Source::Slice(slice))
    }
}

impl<'a, T: Value<'a> + Copy> List<'a, T> {
    /// Reads an array.
    ///
    /// # Errors
    /// [`UnexpectedType`](ErrorKind::UnexpectedType) for another kind of value, and the errors of its elements.
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        if raw.kind() != Kind::Array {
            return Err(unexpected(raw));
        }
        raw.elements().try_for_each(|element| T::read(element).map(|_| ()))?;
        Ok(Self(Source::Raw(raw)))
    }

    /// The values, in order.
    pub fn iter(&self) -> Iter<'a, T> {
        Iter(match self.0 {
            Source::Raw(raw) => Ends::Raw(raw.elements()),
            Source::Slice(slice) => Ends::Slice(slice.iter()),
        })
    }
}

impl<'a, T> From<&'a [T]> for List<'a, T> {
    fn from(slice: &'a [T]) -> Self {
        Self::of(slice)
    }
}

impl<'a, T, const N: usize> From<&'a [T; N]> for List<'a, T> {
    fn from(array: &'a [T; N]) -> Self {
        Self::of(array)
    }
}

/// The values of a [`List`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Iter<'a, T>(Ends<'a, T>);

#[derive(Clone, Debug)]
enum Ends<'a, T> {
    Raw(Elements<'a>),
    Slice(core::slice::Iter<'a, T>),
}

#[cfg(feature = "defmt")]
impl<T> defmt::Format for Ends<'_, T> {
    fn format(&self, f: defmt::Formatter<'_>) {
        match self {
            Self::Raw(rest) => defmt::write!(f, "{}", rest),
            Self::Slice(rest) => defmt::write!(f, "{=usize} more", rest.len()),
        }
    }
}

impl<'a, T: Value<'a> + Copy> Iterator for Iter<'a, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match &mut self.0 {
            Ends::Raw(rest) => T::read(rest.next()?).ok(),
            Ends::Slice(rest) => rest.next().copied(),
        }
    }
}

impl<'a, T: Value<'a>> ToJson for List<'a, T> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match self.0 {
            Source::Raw(raw) => out.value(&raw),
            Source::Slice(slice) => {
                out.array(|array| slice.iter().for_each(|value| array.element_with(|out| value.write(out))))
            }
        }
    }
}

impl<'a, T: Value<'a> + Copy> Value<'a> for List<'a, T> {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        List::read(raw)
    }
}

impl<T: fmt::Debug> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Source::Raw(raw) => raw.fmt(f),
            Source::Slice(slice) => slice.fmt(f),
        }
    }
}

#[cfg(feature = "defmt")]
impl<T: defmt::Format> defmt::Format for List<'_, T> {
    fn format(&self, f: defmt::Formatter<'_>) {
        match self.0 {
            Source::Raw(raw) => raw.format(f),
            Source::Slice(slice) => slice.format(f),
        }
    }
}

/// A number: an integer, or the text of any other number, so that this type uses no float.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::{RawValue, mcp::types::Number};
///
/// assert_eq!(Number::read(RawValue::parse(b"50")?)?, Number::Integer(50));
/// assert_eq!(Number::read(RawValue::parse(b"0.5")?)?, Number::Decimal(RawValue::parse(b"0.5")?));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Number<'a> {
    /// An integer of 64 bits.
    Integer(i64),
    /// Any other number, as spelled in the message.
    Decimal(RawValue<'a>),
}

impl<'a> Number<'a> {
    /// Reads a number.
    ///
    /// # Errors
    /// [`UnexpectedType`](ErrorKind::UnexpectedType) for another kind of value.
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        match raw.as_i64() {
            Some(integer) => Ok(Self::Integer(integer)),
            None if raw.kind() == Kind::Number => Ok(Self::Decimal(raw)),
            None => Err(unexpected(raw)),
        }
    }
}

impl ToJson for Number<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match self {
            Self::Integer(integer) => out.value(integer),
            Self::Decimal(raw) => out.value(raw),
        }
    }
}

value!(Number<'a>);

impl From<i64> for Number<'_> {
    fn from(integer: i64) -> Self {
        Self::Integer(integer)
    }
}

/// Ties notifications to a request: a string or integer, the id of the request or its progress token.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Token<'a>(RawValue<'a>);

/// "A progress token, used to associate progress notifications with the original request": a string or an integer.
pub type ProgressToken<'a> = Token<'a>;

/// The id of a request, as another message refers to it: a string or an integer.
pub type RequestId<'a> = Token<'a>;

impl<'a> Token<'a> {
    /// Reads a string or an integer.
    ///
    /// # Errors
    /// [`UnexpectedType`](ErrorKind::UnexpectedType) for another kind of value.
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        let is_token = raw.kind() == Kind::String || raw.is_integer();
        if is_token { Ok(Self(raw)) } else { Err(Error::new(ErrorKind::UnexpectedType, raw.offset())) }
    }

    /// The value as received.
    pub const fn raw(self) -> RawValue<'a> {
        self.0
    }
}

/// Two tokens are equal if they are of the same kind and have the same decoded text.
impl PartialEq for Token<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.0.as_str_raw(), other.0.as_str_raw()) {
            (Some(one), Some(other)) => one == other,
            _ => self.0 == other.0,
        }
    }
}

impl Eq for Token<'_> {}

impl ToJson for Token<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.value(&self.0)
    }
}

value!(Token<'a>);
