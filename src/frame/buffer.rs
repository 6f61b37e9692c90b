//! The buffers of framers.

#[cfg(feature = "alloc")]
use core::fmt;

/// A buffer of a [`FramerOver`](super::FramerOver): an array, `[u8; N]`, a borrowed slice, `&mut [u8]`, or, with the
/// feature `alloc`, growing memory, `Growing`.
pub trait Buffer: store::Store {}

impl<B: store::Store> Buffer for B {}

impl<const N: usize> store::Store for [u8; N] {
    fn bytes(&self) -> &[u8] {
        self
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self
    }
}

impl store::Store for &mut [u8] {
    fn bytes(&self) -> &[u8] {
        self
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self
    }
}

/// A buffer that grows; see [`FramerOver::growing`](super::FramerOver::growing).
#[cfg(feature = "alloc")]
pub struct Growing {
    bytes: alloc::vec::Vec<u8>,
    limit: usize,
}

#[cfg(feature = "alloc")]
impl Growing {
    /// The length of the first allocation.
    const FIRST: usize = 1024;

    pub(super) const fn new(limit: usize) -> Self {
        Self { bytes: alloc::vec::Vec::new(), limit }
    }
}

#[cfg(feature = "alloc")]
impl store::Store for Growing {
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    fn limit(&self) -> usize {
        self.limit
    }

    fn spare(&mut self, end: usize) -> &mut [u8] {
        let len = self.bytes.len();
        if end == len {
            let wanted = len.saturating_mul(2).max(Self::FIRST).min(self.limit);
            // `resize` alone may reserve more than the limit
            self.bytes.reserve_exact(wanted.saturating_sub(len));
            self.bytes.resize(wanted, 0);
        }
        self.bytes.get_mut(end..).unwrap_or_default()
    }
}

#[cfg(feature = "alloc")]
impl fmt::Debug for Growing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Growing").field("len", &self.bytes.len()).field("limit", &self.limit).finish()
    }
}

#[cfg(all(feature = "alloc", feature = "defmt"))]
impl defmt::Format for Growing {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Growing {{ len: {=usize}, limit: {=usize} }}", self.bytes.len(), self.limit);
    }
}

pub(super) mod store {
    /// The access of a framer to its buffer. Sealed, because a framer relies on bytes that stay in place.
    pub trait Store {
        fn bytes(&self) -> &[u8];

        fn bytes_mut(&mut self) -> &mut [u8];

        /// The greatest length of the buffer.
        fn limit(&self) -> usize {
            self.bytes().len()
        }

        /// The bytes from `end` on; empty only if `end` is the limit.
        fn spare(&mut self, end: usize) -> &mut [u8] {
            self.bytes_mut().get_mut(end..).unwrap_or_default()
        }
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::Growing;

    #[test]
    fn debug_shows_length_and_limit() {
        let growing = Growing { bytes: alloc::vec![0; 2], limit: 3 };
        assert_eq!(alloc::format!("{growing:?}"), "Growing { len: 2, limit: 3 }");
    }
}
