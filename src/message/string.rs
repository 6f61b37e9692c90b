//! A string of a message or of the program.

use core::fmt;

#[cfg(feature = "serde")]
use crate::json::PayloadError;
use crate::json::{RawStr, Writer, write_printable};

/// The start of the message for a [`PayloadError`].
#[cfg(feature = "serde")]
fn start(problem: PayloadError) -> &'static str {
    if problem.is_shortage() { "Internal error: " } else { "Invalid params: " }
}

/// A string: an undecoded one of a message, one of the program, or the text of the fault of a payload.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Str<'a> {
    /// The undecoded string of a message.
    Raw(RawStr<'a>),
    /// A string of the program.
    Plain(&'a str),
    /// The fault of a payload, formatted when it is written.
    #[cfg(feature = "serde")]
    Payload(PayloadError),
}

impl<'a> Str<'a> {
    /// The text, borrowed; `None` if it is undecoded and has an escape.
    pub fn as_str(self) -> Option<&'a str> {
        match self {
            Self::Raw(raw) => raw.as_str(),
            Self::Plain(text) => Some(text),
            #[cfg(feature = "serde")]
            Self::Payload(_) => None,
        }
    }
}

impl PartialEq<str> for Str<'_> {
    fn eq(&self, other: &str) -> bool {
        match self {
            Self::Raw(raw) => raw == other,
            Self::Plain(text) => *text == other,
            #[cfg(feature = "serde")]
            Self::Payload(_) => Rest::of(other.chars()).matches(self),
        }
    }
}

impl PartialEq<&str> for Str<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl PartialEq for Str<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Raw(one), Self::Raw(other)) => one == other,
            (one, Self::Plain(text)) | (Self::Plain(text), one) => one == text,
            #[cfg(feature = "serde")]
            (Self::Payload(one), Self::Payload(other)) => one == other,
            #[cfg(feature = "serde")]
            (shown @ Self::Payload(_), Self::Raw(raw)) | (Self::Raw(raw), shown) => {
                Rest::of(raw.chars()).matches(shown)
            }
        }
    }
}

impl Eq for Str<'_> {}

impl<'a> From<&'a str> for Str<'a> {
    fn from(text: &'a str) -> Self {
        Self::Plain(text)
    }
}

#[cfg(feature = "serde")]
impl From<PayloadError> for Str<'_> {
    fn from(problem: PayloadError) -> Self {
        Self::Payload(problem)
    }
}

impl fmt::Display for Str<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raw(raw) => raw.fmt(f),
            Self::Plain(text) => f.write_str(text),
            #[cfg(feature = "serde")]
            Self::Payload(problem) => write!(f, "{}{problem}", start(*problem)),
        }
    }
}

/// Displays a [`Str`] in one line of a log: with escapes for characters that are not printed.
pub(crate) struct Sanitized<'t>(Str<'t>);

impl fmt::Display for Sanitized<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Str::Raw(raw) => write_printable(f, raw.chars()),
            Str::Plain(text) => write_printable(f, text.chars()),
            #[cfg(feature = "serde")]
            text @ Str::Payload(_) => text.fmt(f),
        }
    }
}

impl<'a> Str<'a> {
    /// The text for one line of a log.
    pub(crate) const fn sanitized(self) -> Sanitized<'a> {
        Sanitized(self)
    }

    /// Appends the text without quotation marks, until the output is full.
    pub(crate) fn put_inside(&self, out: &mut Writer<'_>) {
        match self {
            Self::Raw(raw) => out.put(raw.as_bytes()),
            Self::Plain(text) => out.put_escaped(text),
            #[cfg(feature = "serde")]
            Self::Payload(problem) => {
                out.put_escaped(start(*problem));
                problem.put_to(out);
            }
        }
    }
}

// with serde, the `Serialize` of a text does this
#[cfg(not(feature = "serde"))]
impl crate::json::ToJson for Str<'_> {
    fn write_json<'o>(&self, out: crate::json::ValueWriter<'o, '_>) -> crate::json::Written<'o> {
        out.text(self)
    }
}

/// The rest of a text that is compared with formatted output piece by piece.
#[cfg(feature = "serde")]
struct Rest<I>(I);

#[cfg(feature = "serde")]
impl<I: Iterator<Item = char>> Rest<I> {
    const fn of(chars: I) -> Self {
        Self(chars)
    }

    fn matches(mut self, shown: &impl fmt::Display) -> bool {
        fmt::Write::write_fmt(&mut self, format_args!("{shown}")).is_ok() && self.0.next().is_none()
    }
}

#[cfg(feature = "serde")]
impl<I: Iterator<Item = char>> fmt::Write for Rest<I> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.chars().all(|c| self.0.next() == Some(c)) { Ok(()) } else { Err(fmt::Error) }
    }
}
