//! Chunk sizes and faults of a pipe.

use super::PipeError;

/// The number of bytes that pass at a time in one direction of a [`PipeEnd`](super::PipeEnd), and the faults in that direction.
///
/// Offsets count the bytes that pass, from 0. Bytes before a fault pass.
///
/// ```
/// use nanojsonrpc::memory::{Pipe, PipeError, Plan};
///
/// let mut pipe: Pipe<64> = Pipe::new();
/// let (device, hub) = pipe.ends();
/// // chunks of 1 to 3 bytes, every second try is interrupted, and byte 8 fails once
/// let device = device.writing(Plan::in_random_chunks(7, 3).interrupt_every(2).fail_once_at(8));
/// let (mut rest, mut faults) = (&b"0123456789"[..], 0);
/// while !rest.is_empty() {
///     match device.try_write(rest) {
///         Ok(len) => rest = &rest[len..],
///         Err(PipeError::Fault) => faults += 1,
///         Err(error) => assert_eq!(error, PipeError::Interrupted),
///     }
/// }
/// assert!(faults == 1 && hub.is_readable() && hub.is_writable());
/// assert_ne!(Plan::WHOLE, Plan::WHOLE.fail_at(8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub struct Plan {
    chunks: Chunks,
    cut: Option<usize>,
    fail: Option<usize>,
    fails_once: bool,
    /// 0 if nothing is interrupted.
    interrupt_every: u32,
    /// The number of tries since the last interrupted one.
    tries: u32,
    flip: Option<(usize, u8)>,
    /// The number of bytes that have passed.
    passed: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Chunks {
    Fixed(usize),
    Random { state: u32, max: u32 },
}

impl Plan {
    /// All available bytes at once, without faults.
    pub const WHOLE: Self = Self::in_chunks(usize::MAX);

    /// At most `len` bytes at a time; 0 counts as 1.
    pub const fn in_chunks(len: usize) -> Self {
        let len = if len == 0 { 1 } else { len };
        Self {
            chunks: Chunks::Fixed(len),
            cut: None,
            fail: None,
            fails_once: false,
            interrupt_every: 0,
            tries: 0,
            flip: None,
            passed: 0,
        }
    }

    /// A random number of bytes each time, from 1 to at most `max` (0 counts as 1); `seed` starts the generator.
    pub const fn in_random_chunks(seed: u32, max: u32) -> Self {
        // a state of zero would stay zero
        let state = if seed == 0 { u32::MAX } else { seed };
        let max = if max == 0 { 1 } else { max };
        Self { chunks: Chunks::Random { state, max }, ..Self::WHOLE }
    }

    /// The connection ends after `place` bytes: a reader finds the end of the stream, a writer
    /// [`PipeError::Closed`].
    pub const fn cut_at(self, place: usize) -> Self {
        Self { cut: Some(place), ..self }
    }

    /// Every try at or after byte `place` returns [`PipeError::Fault`].
    pub const fn fail_at(self, place: usize) -> Self {
        Self { fail: Some(place), fails_once: false, ..self }
    }

    /// The first try at byte `place` returns [`PipeError::Fault`]; then the connection works again.
    pub const fn fail_once_at(self, place: usize) -> Self {
        Self { fail: Some(place), fails_once: true, ..self }
    }

    /// Every `tries`-th try to read, write or flush returns [`PipeError::Interrupted`]; less than 2 counts as 2.
    pub const fn interrupt_every(self, tries: u32) -> Self {
        Self { interrupt_every: if tries < 2 { 2 } else { tries }, tries: 0, ..self }
    }

    /// Counts a try. Returns whether it is interrupted.
    pub(super) fn count_try(&mut self) -> bool {
        self.tries = self.tries.saturating_add(1);
        if self.tries != self.interrupt_every {
            return false;
        }
        self.tries = 0;
        true
    }

    /// The number of bytes that may pass at this try.
    pub(super) fn next(&mut self) -> Result<usize, PipeError> {
        if self.count_try() {
            return Err(PipeError::Interrupted);
        }
        let left = self.left();
        if self.fails_once && left == Err(PipeError::Fault) {
            self.fail = None;
        }
        left
    }

    /// Byte `place` arrives with the bits of `mask` flipped.
    pub const fn flip_at(self, place: usize, mask: u8) -> Self {
        Self { flip: Some((place, mask)), ..self }
    }

    /// The number of bytes before the next fault.
    fn left(&self) -> Result<usize, PipeError> {
        let until = |place: Option<usize>| place.map_or(usize::MAX, |place| place.saturating_sub(self.passed));
        match (until(self.fail), until(self.cut)) {
            (0, _) => Err(PipeError::Fault),
            (_, 0) => Err(PipeError::Closed),
            (fail, cut) => Ok(fail.min(cut)),
        }
    }

    /// The length of the next chunk.
    pub(super) fn chunk(&mut self) -> usize {
        match &mut self.chunks {
            Chunks::Fixed(len) => *len,
            Chunks::Random { state, max } => {
                // xorshift of 32 bits, Marsaglia 2003
                *state ^= *state << 13;
                *state ^= *state >> 17;
                *state ^= *state << 5;
                let len = state.checked_rem(*max).unwrap_or_default().saturating_add(1);
                usize::try_from(len).unwrap_or(usize::MAX)
            }
        }
    }

    /// Lets a byte pass.
    pub(super) fn pass(&mut self, byte: u8) -> u8 {
        let mask = self.flip.filter(|(place, _)| *place == self.passed).map_or(0, |(_, mask)| mask);
        self.passed = self.passed.saturating_add(1);
        byte ^ mask
    }
}

impl Default for Plan {
    /// [`WHOLE`](Plan::WHOLE)
    fn default() -> Self {
        Self::WHOLE
    }
}
