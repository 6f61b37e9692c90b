//! A place in a text, from which a fixed number of bytes can always be seen.

use wide::i8x16;

/// How many bytes are seen from any place: a short token, and a word of what follows it.
pub(super) const AHEAD: usize = 40;

/// The bytes from some place on. Beyond the end of the text they are zeros, which are valid nowhere.
pub(super) type Ahead = [u8; AHEAD];

/// The last bytes of a text, with zeros behind them; where the text is shorter, also before them.
pub(super) struct End([u8; 2 * AHEAD]);

impl End {
    /// To be [filled](Self::fill).
    pub(super) const EMPTY: Self = Self([0; 2 * AHEAD]);

    /// In place, because a copy of sixteen bytes is slow to follow others of eight.
    #[inline(always)]
    pub(super) fn fill(&mut self, text: &[u8]) {
        match (text.last_chunk::<AHEAD>(), self.0.first_chunk_mut()) {
            (Some(last), Some(copy)) => *copy = *last,
            _ => copy_short(text, &mut self.0),
        }
    }
}

#[cold]
#[inline(never)]
fn copy_short(text: &[u8], end: &mut [u8; 2 * AHEAD]) {
    for (copy, byte) in end.iter_mut().take(AHEAD).rev().zip(text.iter().rev()) {
        *copy = *byte;
    }
}

/// A place in a text. Only forward it goes.
///
/// What is left is a slice, so that one comparison serves all bytes of a token. Where less than [`AHEAD`] is left, that
/// slice is one of the [`End`].
#[derive(Clone, Copy)]
pub(super) struct Cursor<'s> {
    rest: &'s [u8],
    /// Where `rest` ends, counted from the front of the text.
    limit: usize,
    /// `None` once it has been entered.
    end: Option<&'s End>,
}

impl<'s> Cursor<'s> {
    /// The front of `text`, of which `end` is the end.
    #[inline(always)]
    pub(super) const fn new(text: &'s [u8], end: &'s End) -> Self {
        Self { rest: text, limit: text.len(), end: Some(end) }
    }

    /// What it is made of, so that it is handed on in registers: a struct of this size would be handed on in memory, and
    /// then stay there.
    #[inline(always)]
    pub(super) const fn parts(self) -> (&'s [u8], usize, Option<&'s End>) {
        (self.rest, self.limit, self.end)
    }

    /// The same place again.
    #[inline(always)]
    pub(super) const fn of_parts(rest: &'s [u8], limit: usize, end: Option<&'s End>) -> Self {
        Self { rest, limit, end }
    }

    /// Where it is, counted from the front of the text.
    #[inline(always)]
    pub(super) const fn at(&self) -> usize {
        self.limit.wrapping_sub(self.rest.len())
    }

    /// What is left of the text, perhaps with zeros behind it.
    #[inline(always)]
    pub(super) const fn rest(&self) -> &'s [u8] {
        self.rest
    }

    /// Goes on by `len` bytes, which have been seen. So it never fails, but a branch is cheaper than a default.
    #[inline(always)]
    #[must_use]
    pub(super) fn skip(&mut self, len: usize) -> Option<()> {
        self.rest = self.rest.get(len..)?;
        Some(())
    }

    /// What stands here.
    #[inline(always)]
    pub(super) fn ahead(&mut self) -> &'s Ahead {
        match self.rest.first_chunk() {
            Some(ahead) => ahead,
            None => self.enter_end(),
        }
    }

    #[inline(always)]
    fn enter_end(&mut self) -> &'s Ahead {
        if let Some(End(end)) = self.end.take() {
            self.rest = end.get(AHEAD.wrapping_sub(self.rest.len())..).unwrap_or_default();
            self.limit = self.limit.wrapping_add(AHEAD);
        }
        self.rest.first_chunk().unwrap_or(&[0; AHEAD])
    }

    /// The byte here.
    #[inline(always)]
    pub(super) fn byte(&mut self) -> u8 {
        byte(self.ahead(), 0)
    }

    /// The eight bytes from here on, the first one lowest.
    #[inline(always)]
    pub(super) fn word(&mut self) -> u64 {
        word(self.ahead(), 0)
    }
}

/// The byte at `offset`.
#[inline(always)]
pub(super) fn byte(ahead: &Ahead, offset: usize) -> u8 {
    ahead.get(offset).copied().unwrap_or(0)
}

/// The eight bytes from `offset` on, the first one lowest, if `offset` is at most 32.
#[inline(always)]
pub(super) fn word(ahead: &Ahead, offset: usize) -> u64 {
    let bytes = ahead.get(offset..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
    u64::from_le_bytes(bytes)
}

/// The sixteen bytes from `offset` on, if `offset` is at most 24.
#[inline(always)]
pub(super) fn sixteen(ahead: &Ahead, offset: usize) -> i8x16 {
    let bytes: [u8; 16] = ahead.get(offset..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
    i8x16::new(bytes.map(u8::cast_signed))
}
