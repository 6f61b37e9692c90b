//! The buffers of framers.

#[cfg(feature = "alloc")]
use crate::json::Growing;

/// A buffer of a [`FramerOver`](super::FramerOver): an array, `[u8; N]`, a borrowed slice, `&mut [u8]`, or, with the
/// feature `alloc`, growing memory, `nanojsonrpc::Growing`.
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

#[cfg(feature = "alloc")]
impl store::Store for Growing {
    fn bytes(&self) -> &[u8] {
        self.bytes()
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes_mut()
    }

    fn limit(&self) -> usize {
        self.limit()
    }

    fn spare(&mut self, end: usize) -> &mut [u8] {
        if end == self.bytes().len() {
            self.double();
        }
        self.bytes_mut().get_mut(end..).unwrap_or_default()
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
