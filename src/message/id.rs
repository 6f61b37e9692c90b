//! The id that matches a response with its request.

use core::fmt;

use heapless::String;

use crate::error::{Error, ErrorKind};
use crate::json::{Aside, Kind, RawStr, RawValue, Room, Writer, number, same};

/// "An identifier established by the Client that MUST contain a String, Number, or NULL value" (JSON-RPC 2.0 §4).
///
/// A response repeats the id exactly: a string as a string, an integer as an integer, and any other number (`1.5`, `1e3`, `-0`, 2^64) as
/// its text. Two ids are equal only if they are of the same kind, so `1` equals neither `"1"` nor `1.0`.
///
/// # Limits
/// A string, decoded, and the text of a number that is not an `i64` have at most `N` bytes, 64 by default.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::Id;
///
/// let number: Id = 7.into();
/// let string: Id = "req-7".try_into()?;
/// assert_ne!(number, string);
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Id<const N: usize = 64> {
    /// `null`: in an error response, the id of the request is unknown.
    #[default]
    Null,
    /// An integer of 64 bits, with a sign.
    Number(i64),
    /// Any other number, as spelled in the message. Only a reader creates it, so the text is a valid number.
    #[non_exhaustive]
    Decimal {
        /// As spelled.
        text: String<N>,
    },
    /// A string, decoded.
    String(String<N>),
}

impl<const N: usize> Id<N> {
    /// Reads the id of a message.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidId`] if `value` is not a string, number or null; [`ErrorKind::IdTooLong`] if it does not fit.
    pub fn read(value: RawValue<'_>) -> Result<Self, Error> {
        let mut id = Self::Null;
        let kind = match value.kind() {
            Kind::Null | Kind::String | Kind::Number if id.fill(value.as_bytes()) => return Ok(id),
            Kind::Null | Kind::String | Kind::Number => ErrorKind::IdTooLong,
            _ => ErrorKind::InvalidId,
        };
        Err(Error::new(kind, value.offset()))
    }

    /// The id for `text`, which is a string, number or null; `None` if it does not fit.
    #[cfg(feature = "serde")]
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let mut id = Self::Null;
        if id.fill(text) { Some(id) } else { None }
    }

    /// Sets the id to `text`: a string, number, null, or empty for null. If it does not fit, sets null and returns `false`. Works in place,
    /// because moving an id links `memcpy`.
    pub(super) fn fill(&mut self, text: &[u8]) -> bool {
        // treat a number as a string without escapes
        let mut raw = RawStr::validated(text);
        *self = match text {
            [] | [b'n', ..] => Self::Null,
            [b'"', inside @ .., _] => {
                raw = RawStr::validated(inside);
                Self::String(String::new())
            }
            _ => number::signed(text).map_or(Self::Decimal { text: String::new() }, Self::Number),
        };
        let fits = match self {
            Self::String(text) | Self::Decimal { text } => raw.append_to(text),
            Self::Number(_) | Self::Null => true,
        };
        if !fits {
            *self = Self::Null;
        }
        fits
    }

    /// Copies `other` into `self`. If it does not fit, returns `false` and leaves `self` unchanged. Works in place, like
    /// [`fill`](Self::fill).
    pub(crate) fn copy_from<const M: usize>(&mut self, other: &Id<M>) -> bool {
        let (Id::String(text) | Id::Decimal { text }) = other else {
            *self = if let Id::Number(number) = other { Self::Number(*number) } else { Self::Null };
            return true;
        };
        if text.len() > N {
            return false;
        }
        *self = match other {
            Id::Decimal { .. } => Self::Decimal { text: String::new() },
            _ => Self::String(String::new()),
        };
        let (Self::String(copy) | Self::Decimal { text: copy }) = self else { return false };
        copy.push_str(text).is_ok()
    }

    /// Whether the ids are equal; their capacities may differ. Null identifies no call, so it equals no id.
    pub(crate) fn equals<const M: usize>(&self, other: &Id<M>) -> bool {
        match (self, other) {
            (Self::Number(one), Id::Number(other)) => one == other,
            (Self::String(one), Id::String(other)) => same(one.as_bytes(), other.as_bytes()),
            (Self::Decimal { text: one }, Id::Decimal { text: other }) => same(one.as_bytes(), other.as_bytes()),
            _ => false,
        }
    }

    /// Whether the id is [`Id::Null`].
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The integer; `None` for other ids.
    pub const fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The string; `None` for other ids.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}

impl<const N: usize> TryFrom<&str> for Id<N> {
    type Error = Error;

    /// # Errors
    /// [`ErrorKind::IdTooLong`] if `text` has more than `N` bytes.
    fn try_from(text: &str) -> Result<Self, Error> {
        String::try_from(text).map(Self::from).map_err(|_| Error::new(ErrorKind::IdTooLong, N))
    }
}

impl<const N: usize> From<String<N>> for Id<N> {
    fn from(text: String<N>) -> Self {
        Self::String(text)
    }
}

macro_rules! from_integers {
    ($($type:ty)*) => {$(
        impl<const N: usize> From<$type> for Id<N> {
            fn from(number: $type) -> Self {
                Self::Number(i64::from(number))
            }
        }
    )*};
}
from_integers!(u8 u16 u32 i8 i16 i32 i64);

impl<const N: usize> fmt::Display for Id<N> {
    /// Shows the string without quotation marks, or the number, or `null`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Number(number) => number.fmt(f),
            Self::Decimal { text } | Self::String(text) => f.write_str(text),
        }
    }
}

impl<const N: usize> Id<N> {
    /// Writes the id to the end of `room`, or into `aside` if the room grows. Returns the free part before it, and the text of the id;
    /// `None` if it does not fit.
    pub(crate) fn at_end_of<'a, 'o: 'a>(
        &self,
        mut room: Room<'o>,
        aside: &'a mut Aside,
    ) -> Option<(Room<'o>, &'a [u8])> {
        let size = room.len();
        let mut front = room.reborrow().writer(0, size);
        self.put_to(&mut front);
        front.finish(0).ok()?;
        let len = front.len();
        let (rest, id) = room.split_end(len, aside)?;
        // write again, because `copy_within` links a panic
        self.put_to(&mut Writer::over(id));
        Some((rest, id))
    }

    /// Appends the id; [`Writer::finish`] reports whether it fits.
    pub(super) fn put_to(&self, out: &mut Writer<'_>) {
        match self {
            Self::Null => out.put(b"null"),
            Self::Number(number) => out.put_signed(*number),
            Self::Decimal { text } => out.put(text.as_bytes()),
            Self::String(text) => out.put_string(text),
        }
    }
}

// with serde, the `Serialize` of an id does this
#[cfg(not(feature = "serde"))]
impl<const N: usize> crate::json::ToJson for Id<N> {
    fn write_json<'o>(&self, out: crate::json::ValueWriter<'o, '_>) -> crate::json::Written<'o> {
        out.pieces(|out| self.put_to(out))
    }
}
