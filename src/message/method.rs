//! Method names.

use core::fmt;

use heapless::String;

use crate::error::{Error, ErrorKind};
use crate::json::{RawStr, same};

/// "A String containing the name of the method to be invoked" (JSON-RPC 2.0 §4).
///
/// The method of a received message is decoded in a buffer of `M` bytes. A message to be written borrows its method, of any length.
#[derive(Clone)]
pub struct Method<'a, const M: usize = 64>(Name<'a, M>);

#[derive(Clone)]
enum Name<'a, const M: usize> {
    /// The decoded method of a received message.
    Held(String<M>),
    /// A method from the program, of any length.
    Borrowed(&'a str),
}

impl<'a, const M: usize> Method<'a, M> {
    /// An empty method, for [`fill`](Self::fill).
    pub(super) const fn empty() -> Self {
        Self(Name::Held(String::new()))
    }

    pub(super) const fn borrowed(name: &'a str) -> Self {
        Self(Name::Borrowed(name))
    }

    /// Fills an empty method with `name`; `false` if it does not fit.
    #[inline]
    pub(super) fn fill(&mut self, name: RawStr<'a>) -> bool {
        let Name::Held(held) = &mut self.0 else { return false };
        name.append_to(held)
    }
}

impl<const M: usize> Method<'_, M> {
    /// The name, decoded.
    #[inline]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Name::Held(name) => name,
            Name::Borrowed(name) => name,
        }
    }

    /// The method in its own buffer, to keep beyond any text. That of a received message is there already.
    ///
    /// ```
    /// use nanojsonrpc::{ErrorKind, Method, Notification};
    ///
    /// let mut text = *br#"{"jsonrpc":"2.0","method":"ping"}"#;
    /// let method: Method<'static> = Notification::parse(&text)?.method.into_held()?;
    /// text.fill(0);
    /// assert_eq!(method, "ping");
    /// assert!(Method::<2>::from("ping").into_held().is_err_and(|error| error.kind() == ErrorKind::MethodTooLong));
    /// # Ok::<(), nanojsonrpc::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`MethodTooLong`](ErrorKind::MethodTooLong) if the program's method has more than `M` bytes.
    pub fn into_held(self) -> Result<Method<'static, M>, Error> {
        let held = match self.0 {
            Name::Held(held) => Ok(held),
            Name::Borrowed(name) => String::try_from(name).map_err(|_| Error::new(ErrorKind::MethodTooLong, M)),
        };
        held.map(|held| Method(Name::Held(held)))
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
        same(self.as_bytes(), other.as_bytes())
    }
}

impl<const M: usize> Eq for Method<'_, M> {}

impl<const M: usize> PartialEq<str> for Method<'_, M> {
    fn eq(&self, other: &str) -> bool {
        same(self.as_bytes(), other.as_bytes())
    }
}

impl<const M: usize> PartialEq<&str> for Method<'_, M> {
    fn eq(&self, other: &&str) -> bool {
        same(self.as_bytes(), other.as_bytes())
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
