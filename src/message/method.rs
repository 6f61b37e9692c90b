//! The name of what is called.

use core::fmt;

use heapless::String;

use crate::error::{Error, ErrorKind};
use crate::json::{RawStr, Writer, offset_in};

/// "A String containing the name of the method to be invoked" (JSON-RPC 2.0 §4).
///
/// A message that was read holds it decoded in a buffer of `M` bytes; a message that is being built borrows it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Method<'a, const M: usize = 64> {
    /// Read from a message.
    Held(String<M>),
    /// The program's own, of any length.
    Borrowed(&'a str),
}

impl<const M: usize> Method<'_, M> {
    /// One to be [filled](Self::fill).
    pub(super) const fn empty() -> Self {
        Self::Held(String::new())
    }

    /// Fills an empty one with what the string `part` spells; `false` if it does not fit. In place, because moving it
    /// links `memcpy`.
    pub(super) fn fill(&mut self, part: &[u8]) -> bool {
        match self {
            Self::Held(name) => RawStr::of(part).unwrap_or_default().append_to(name),
            Self::Borrowed(_) => false,
        }
    }

    /// Reads the string `part` of `text`.
    pub(super) fn read(text: &[u8], part: &[u8]) -> Result<Self, Error> {
        let mut method = Self::empty();
        if method.fill(part) { Ok(method) } else { Err(Error::new(ErrorKind::MethodTooLong, offset_in(text, part))) }
    }

    /// The name, decoded.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Held(name) => name,
            Self::Borrowed(name) => name,
        }
    }
}

impl<const M: usize> core::ops::Deref for Method<'_, M> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<const M: usize, const O: usize> PartialEq<Method<'_, O>> for Method<'_, M> {
    fn eq(&self, other: &Method<'_, O>) -> bool {
        self.as_str() == other.as_str()
    }
}

impl<const M: usize> Eq for Method<'_, M> {}

impl<const M: usize> PartialEq<str> for Method<'_, M> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl<const M: usize> PartialEq<&str> for Method<'_, M> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl<'a, const M: usize> From<&'a str> for Method<'a, M> {
    fn from(name: &'a str) -> Self {
        Self::Borrowed(name)
    }
}

impl<const M: usize> fmt::Display for Method<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl<const M: usize> Method<'_, M> {
    /// "method [...] A String": an empty one is refused as it would be by a reader.
    pub(super) fn write_to(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        if self.is_empty() {
            return Err(Error::new(ErrorKind::InvalidMethod, 0));
        }
        out.string(self)
    }
}
