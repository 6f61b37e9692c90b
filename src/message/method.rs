//! Method names.

use core::fmt;

use super::{HeldString, classify};
use crate::error::{Error, ErrorKind};
use crate::json::{Captured, RawStr, Writer};

/// "A String containing the name of the method to be invoked" (JSON-RPC 2.0 §4).
///
/// The method of a received message is decoded in a buffer of `M` bytes. 64-bit hosts borrow a method without escapes from the text
/// instead. A message to be written borrows its method.
#[derive(Clone)]
pub struct Method<'a, const M: usize = 64>(Name<'a, M>);

#[derive(Clone)]
enum Name<'a, const M: usize> {
    /// The decoded method of a received message.
    Held(HeldString<M>),
    /// A method from the program, of any length.
    Borrowed(&'a str),
    /// A method borrowed from a text: ASCII without escapes. On devices an empty variant would still cost up to 72 bytes of flash.
    #[cfg(target_pointer_width = "64")]
    Plain(crate::json::Ascii<'a>),
}

impl<'a, const M: usize> Method<'a, M> {
    /// An empty method, for [`fill`](Self::fill).
    pub(super) const fn empty() -> Self {
        Self(Name::Held(HeldString::new()))
    }

    pub(super) const fn borrowed(name: &'a str) -> Self {
        Self(Name::Borrowed(name))
    }

    /// The string in the slot of the method, if it is ASCII without escapes and not too long.
    #[inline(always)]
    pub(super) fn borrowed_from(text: &'a [u8], captured: &Captured<'a>) -> Option<Self> {
        let name = captured.plain(classify::METHOD, text).filter(|name| name.len() <= M)?;
        #[cfg(target_pointer_width = "64")]
        let name = Name::Plain(name);
        #[cfg(not(target_pointer_width = "64"))]
        let name = Name::Borrowed(name.as_str());
        Some(Self(name))
    }

    /// Fills an empty method with the string in its slot; `false` if it does not fit. Works in place, because moving a method links
    /// `memcpy`.
    #[inline(always)]
    pub(super) fn fill_captured(&mut self, text: &'a [u8], captured: &Captured<'a>) -> bool {
        if let Some(borrowed) = Self::borrowed_from(text, captured) {
            *self = borrowed;
            return true;
        }
        self.fill(captured)
    }

    fn fill(&mut self, captured: &Captured<'a>) -> bool {
        self.fill_from(RawStr::of(captured.get(classify::METHOD)).unwrap_or_default())
    }

    /// Fills an empty method with `name`; `false` if it does not fit.
    #[inline]
    pub(super) fn fill_from(&mut self, name: RawStr<'a>) -> bool {
        match &mut self.0 {
            Name::Held(held) => name.append_to(held.buffer()),
            _ => false,
        }
    }
}

impl<const M: usize> Method<'_, M> {
    /// The name, decoded.
    #[inline]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Name::Held(name) => name,
            Name::Borrowed(name) => name,
            // checks UTF-8 only here, because comparisons do not need the check
            #[cfg(target_pointer_width = "64")]
            Name::Plain(name) => name.as_str(),
        }
    }

    /// The name, decoded, as bytes.
    fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            #[cfg(target_pointer_width = "64")]
            Name::Plain(name) => name.as_bytes(),
            _ => self.as_str().as_bytes(),
        }
    }
}

impl<const M: usize> fmt::Debug for Method<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(feature = "defmt")]
impl<const M: usize> defmt::Format for Method<'_, M> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{=str:?}", self.as_str());
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
        self.as_bytes() == other.as_bytes()
    }
}

impl<const M: usize> Eq for Method<'_, M> {}

impl<const M: usize> PartialEq<str> for Method<'_, M> {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const M: usize> PartialEq<&str> for Method<'_, M> {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<'a, const M: usize> From<&'a str> for Method<'a, M> {
    fn from(name: &'a str) -> Self {
        Self::borrowed(name)
    }
}

impl<const M: usize> fmt::Display for Method<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl<const M: usize> Method<'_, M> {
    /// "method [...] A String": refuses an empty method, as a reader does.
    pub(super) fn write_to(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        if self.is_empty() {
            return Err(Error::new(ErrorKind::InvalidMethod, 0));
        }
        out.string(self)
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::Name;
    use crate::{Dialect, ErrorKind, Notification};

    #[test]
    fn a_name_without_escapes_is_borrowed_as_it_stands() {
        let is_borrowed = |text: &'static str| {
            Notification::<4>::parse_bounded(text.as_bytes(), Dialect::JSON_RPC)
                .map(|notification| matches!(notification.method.0, Name::Plain(_)))
                .map_err(|rejection| rejection.kind())
        };
        assert_eq!(is_borrowed(r#"{"jsonrpc":"2.0","method":"ping"}"#), Ok(true));
        assert_eq!(is_borrowed(r#"{"jsonrpc":"2.0","method":"p\n"}"#), Ok(false));
        assert_eq!(is_borrowed(r#"{"jsonrpc":"2.0","method":"pings"}"#), Err(ErrorKind::MethodTooLong));
    }
}
