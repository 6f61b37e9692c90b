//! The strings of ids and methods.

use core::fmt;
use core::mem::ManuallyDrop;
use core::ops::Deref;

use heapless::String;

/// A decoded string of at most `N` bytes, stored in place; it dereferences to `str`.
///
/// Like a `heapless::String`, but without drop code, which would need the address of each message with a string. Without link-time
/// optimisation, the message would then move through memory, and reading a short message would take a quarter longer.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::{Id, message::HeldString};
///
/// let id: Id = "req-7".try_into()?;
/// let Id::String(text) = id else { unreachable!() };
/// let text: HeldString<64> = text;
/// assert!(text.as_str() == "req-7" && text.len() == 5);
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct HeldString<const N: usize>(ManuallyDrop<String<N>>);

impl<const N: usize> HeldString<N> {
    pub(super) const fn new() -> Self {
        Self(ManuallyDrop::new(String::new()))
    }

    /// The empty buffer, for the caller to fill.
    pub(super) fn buffer(&mut self) -> &mut String<N> {
        &mut self.0
    }

    /// The string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const N: usize> Deref for HeldString<N> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<const N: usize> From<String<N>> for HeldString<N> {
    fn from(text: String<N>) -> Self {
        Self(ManuallyDrop::new(text))
    }
}

impl<const N: usize> PartialEq<str> for HeldString<N> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl<const N: usize> PartialEq<&str> for HeldString<N> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl<const N: usize> fmt::Debug for HeldString<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl<const N: usize> fmt::Display for HeldString<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

#[cfg(feature = "defmt")]
impl<const N: usize> defmt::Format for HeldString<N> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{=str:?}", self.as_str());
    }
}

#[cfg(test)]
mod tests {
    use core::fmt::Write as _;

    use heapless::String;

    use super::HeldString;

    #[test]
    fn a_held_string_is_compared_and_shown_as_its_text() {
        let held = HeldString::<8>::from(String::try_from("req-7").unwrap_or_default());
        assert!(held == *"req-7" && held == "req-7");
        assert!(held != *"req-8" && held != "req-8");
        let mut shown = String::<16>::new();
        assert!(write!(shown, "{held} {held:?}").is_ok());
        assert_eq!(shown, "req-7 \"req-7\"");
    }
}
