//! The two sides of a connection.

use core::marker::PhantomData;

/// The side of a [`WebSocket`](super::WebSocket): [`Server`] or [`Client`].
pub trait Side: sealed::Side {}

impl<S: sealed::Side> Side for S {}

/// The side that accepts connections. It requires a mask on every received frame, and sends frames without masks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Server;

/// The side that opens connections. It refuses masks on received frames, and masks every sent frame with a key from `K`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Client<K>(PhantomData<fn() -> K>);

/// The source of masking keys for a [`Client`].
///
/// "The masking key needs to be unpredictable; thus, the masking key MUST be derived from a strong source of entropy": otherwise the
/// author of a payload could choose the bytes on the wire, and so deceive a proxy. RFC 6455 §5.3, §10.3.
pub trait MaskingKey {
    /// Returns the key for the next frame: four random bytes.
    fn next_key() -> [u8; 4];
}

mod sealed {
    use super::{Client, MaskingKey, Server};

    pub trait Side {
        /// Whether the frames of the peer are masked.
        const HAS_MASKED_INPUT: bool;

        /// The key for the next sent frame; `None` on a side that sends no masks.
        fn key() -> Option<[u8; 4]>;
    }

    impl Side for Server {
        const HAS_MASKED_INPUT: bool = true;

        fn key() -> Option<[u8; 4]> {
            None
        }
    }

    impl<K: MaskingKey> Side for Client<K> {
        const HAS_MASKED_INPUT: bool = false;

        fn key() -> Option<[u8; 4]> {
            Some(K::next_key())
        }
    }
}
