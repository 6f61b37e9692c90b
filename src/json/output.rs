//! The memory that messages are written to.

use core::fmt;

#[cfg(feature = "alloc")]
use super::growing::{Growing, Growth, lengthen};
use super::{RawValue, Writer};

/// Memory for outgoing messages: bytes of a fixed length, such as `[u8; N]`, `[u8]` and `Vec<u8>`, or, with the feature `alloc`,
/// `Growing`, which grows up to a limit.
///
/// ```
/// use nanojsonrpc::{Notification, Output, Writer};
///
/// fn blink(output: &mut impl Output) -> Result<usize, nanojsonrpc::Error> {
///     let mut out = Writer::new(output);
///     out.message(&Notification::new("blink"))?;
///     Ok(out.len())
/// }
///
/// assert_eq!(blink(&mut [0; 64]), Ok(34));
/// assert!(blink(&mut [0; 16]).is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an output",
    label = "not an output",
    note = "pass bytes: `&mut [0; 512]`, `&mut output[..]`",
    note = "with the feature `alloc`, `&mut Growing::new(limit)` grows"
)]
pub trait Output: access::HasRoom {}

impl<O: access::HasRoom + ?Sized> Output for O {}

pub(crate) mod access {
    /// The access to an output. Sealed, because a writer relies on bytes that stay in place.
    pub trait HasRoom {
        /// The output, empty.
        fn room(&mut self) -> super::Room<'_>;
    }
}

impl<O: AsMut<[u8]> + ?Sized> access::HasRoom for O {
    #[inline(always)]
    fn room(&mut self) -> Room<'_> {
        Room(Memory::Fixed(self.as_mut()))
    }
}

#[cfg(feature = "alloc")]
impl access::HasRoom for Growing {
    fn room(&mut self) -> Room<'_> {
        let Self { bytes, limit, growth } = self;
        Self::release(bytes);
        growth.begin(0, *limit);
        Room(Memory::Growing(Part { bytes, growth, start: 0, end: *limit }))
    }
}

#[cfg(all(feature = "alloc", feature = "embedded-io-async"))]
impl Growing {
    /// The output with its content, of which [`room`](access::HasRoom::room) frees a part.
    pub(crate) fn filled(&mut self) -> Room<'_> {
        let Self { bytes, limit, growth } = self;
        Room(Memory::Growing(Part { bytes, growth, start: 0, end: *limit }))
    }
}

impl<'w> Writer<'w> {
    /// Creates a writer that begins at the front of `out`.
    #[inline(always)]
    pub fn new<O: Output + ?Sized>(out: &'w mut O) -> Self {
        let room = out.room();
        let len = room.len();
        room.writer(0, len)
    }
}

impl access::HasRoom for Room<'_> {
    #[inline(always)]
    fn room(&mut self) -> Room<'_> {
        self.reborrow()
    }
}

/// A part of an output.
pub struct Room<'o>(Memory<'o>);

enum Memory<'o> {
    Fixed(&'o mut [u8]),
    #[cfg(feature = "alloc")]
    Growing(Part<'o>),
}

/// A part of an output that grows.
#[cfg(feature = "alloc")]
struct Part<'o> {
    bytes: &'o mut alloc::vec::Vec<u8>,
    growth: &'o mut Growth,
    /// The span of the part in the whole memory.
    start: usize,
    end: usize,
}

/// Memory beside a room that grows.
#[derive(Default)]
pub(crate) struct Aside(#[cfg(feature = "alloc")] alloc::vec::Vec<u8>);

impl Default for Room<'_> {
    #[inline(always)]
    fn default() -> Self {
        Room(Memory::Fixed(&mut []))
    }
}

impl<'o> Room<'o> {
    /// Bytes of a fixed length.
    #[cfg(any(feature = "embedded-io-async", all(feature = "mcp", feature = "embedded-io")))]
    pub(crate) const fn of(bytes: &'o mut [u8]) -> Self {
        Self(Memory::Fixed(bytes))
    }

    /// The greatest length.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        match &self.0 {
            Memory::Fixed(bytes) => bytes.len(),
            #[cfg(feature = "alloc")]
            Memory::Growing(part) => part.end.saturating_sub(part.start),
        }
    }

    #[inline(always)]
    pub(crate) fn reborrow(&mut self) -> Room<'_> {
        Room(match &mut self.0 {
            Memory::Fixed(bytes) => Memory::Fixed(bytes),
            #[cfg(feature = "alloc")]
            Memory::Growing(Part { bytes, growth, start, end }) => {
                Memory::Growing(Part { bytes, growth, start: *start, end: *end })
            }
        })
    }

    /// The part from `from` to `to`; `None` if the room is shorter.
    #[cfg(any(feature = "embedded-io", feature = "mcp"))]
    #[inline(always)]
    pub(crate) fn part(self, from: usize, to: usize) -> Option<Self> {
        Some(Room(match self.0 {
            Memory::Fixed(bytes) => Memory::Fixed(bytes.get_mut(from..to)?),
            #[cfg(feature = "alloc")]
            Memory::Growing(part) => {
                let (from, to) = (part.start.saturating_add(from), part.start.saturating_add(to));
                if from > to || to > part.end {
                    return None;
                }
                Memory::Growing(Part { start: from, end: to, ..part })
            }
        }))
    }

    /// The bytes from `from` on, at least `len` of them if the room has so many.
    #[inline(always)]
    pub(crate) fn bytes(self, from: usize, len: usize) -> &'o mut [u8] {
        match self.0 {
            Memory::Fixed(bytes) => {
                _ = len;
                bytes.get_mut(from..).unwrap_or_default()
            }
            #[cfg(feature = "alloc")]
            Memory::Growing(part) => part.bytes(from, len),
        }
    }

    /// A writer for the whole room.
    #[cfg(feature = "embedded-io")]
    #[inline(always)]
    pub(crate) fn into_writer(self) -> Writer<'o> {
        let len = self.len();
        self.writer(0, len)
    }

    /// The bytes from `from` on. If they grow, the strings with escapes of `params` fit.
    pub(crate) fn scratch(self, from: usize, params: Option<RawValue<'_>>) -> &'o mut [u8] {
        #[cfg(all(feature = "alloc", feature = "serde"))]
        if let Memory::Growing(part) = &self.0 {
            // most params fit without a walk over their strings
            let len = part.bytes.len().saturating_sub(from);
            let needed = params.filter(|params| params.as_bytes().len() > len).map_or(0, RawValue::escaped_len);
            return self.bytes(from, needed);
        }
        _ = params;
        self.bytes(from, 0)
    }

    /// Splits off the last `len` bytes; if the room grows, takes them from `aside` instead. `None` if the room is shorter.
    #[inline(always)]
    pub(crate) fn split_end<'a>(self, len: usize, aside: &'a mut Aside) -> Option<(Self, &'a mut [u8])>
    where
        'o: 'a,
    {
        let start = self.len().checked_sub(len)?;
        match self.0 {
            Memory::Fixed(bytes) => {
                _ = aside;
                let (rest, end) = bytes.split_at_mut_checked(start)?;
                Some((Room(Memory::Fixed(rest)), end))
            }
            #[cfg(feature = "alloc")]
            Memory::Growing(_) => {
                lengthen(&mut aside.0, len);
                Some((self, aside.0.get_mut(..len)?))
            }
        }
    }

    /// A writer for the bytes from `from` to `to`.
    #[inline(always)]
    pub(crate) fn writer(self, from: usize, to: usize) -> Writer<'o> {
        match self.0 {
            Memory::Fixed(bytes) => Writer::over(bytes.get_mut(from..to).unwrap_or_default()),
            #[cfg(feature = "alloc")]
            Memory::Growing(part) => part.writer(from, to),
        }
    }

    /// Frees the memory that is not kept for the next message.
    #[cfg(all(feature = "alloc", feature = "embedded-io"))]
    pub(crate) fn release(&mut self) {
        if let Memory::Growing(part) = &mut self.0 {
            part.growth.begin(0, 0);
            Growing::release(part.bytes);
        }
    }
}

#[cfg(feature = "alloc")]
impl<'o> Part<'o> {
    /// [`Room::bytes`].
    fn bytes(self, from: usize, len: usize) -> &'o mut [u8] {
        let Self { bytes, growth, start, end } = self;
        growth.settle(bytes);
        let from = start.saturating_add(from);
        lengthen(bytes, from.saturating_add(len).min(end));
        let end = bytes.len().min(end);
        bytes.get_mut(from..end).unwrap_or_default()
    }

    /// [`Room::writer`].
    #[inline]
    fn writer(self, from: usize, to: usize) -> Writer<'o> {
        let Self { bytes, growth, start, .. } = self;
        growth.settle(bytes);
        let (from, to) = (start.saturating_add(from), start.saturating_add(to));
        growth.begin(from, to.saturating_sub(from));
        let to = bytes.len().min(to);
        Writer::growing(bytes.get_mut(from..to).unwrap_or_default(), growth)
    }
}

impl fmt::Debug for Room<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Room").field("len", &self.len()).finish()
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Room<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Room {{ len: {=usize} }}", self.len());
    }
}

#[cfg(test)]
mod tests {
    use super::Aside;
    use super::access::HasRoom as _;

    #[test]
    fn the_end_of_a_room_is_split_off_and_a_room_that_grows_keeps_its_own() {
        let (mut bytes, mut aside) = ([0; 8], Aside::default());
        let split = bytes.room().split_end(3, &mut aside).map(|(rest, end)| (rest.len(), end.len()));
        assert_eq!(split, Some((5, 3)));
        assert!(bytes.room().split_end(9, &mut Aside::default()).is_none());
        #[cfg(feature = "alloc")]
        {
            let mut grown = crate::Growing::new(64);
            let split = grown.room().split_end(3, &mut aside).map(|(rest, end)| (rest.len(), end.len()));
            assert_eq!(split, Some((64, 3)));
        }
    }
}
