//! The results for JavaScript: words of 32 bits, and texts after their lengths.

/// Words in a buffer, little-endian. Words that do not fit are omitted; the page requests fewer.
pub(crate) struct Out<'o> {
    room: &'o mut [u8],
    len: usize,
}

impl<'o> Out<'o> {
    pub(crate) const fn new(room: &'o mut [u8]) -> Self {
        Self { room, len: 0 }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Appends bytes, as far as they fit.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        for (to, from) in self.room.get_mut(self.len..).unwrap_or_default().iter_mut().zip(bytes) {
            *to = *from;
            self.len = self.len.wrapping_add(1);
        }
    }

    /// Appends a word.
    pub(crate) fn word(&mut self, word: u32) {
        self.bytes(&word.to_le_bytes());
    }

    /// Appends words. A `usize` of WebAssembly has 32 bits.
    pub(crate) fn words(&mut self, words: &[usize]) {
        for word in words {
            self.word(*word as u32);
        }
    }

    /// Appends a text of at most `u32::MAX` bytes.
    pub(crate) fn text(&mut self, text: &[u8]) {
        self.words(&[text.len()]);
        self.bytes(text);
    }

    /// The remaining room.
    pub(crate) fn rest(&mut self) -> &mut [u8] {
        self.room.get_mut(self.len..).unwrap_or_default()
    }

    /// Counts the bytes written to [`rest`](Self::rest).
    pub(crate) const fn skip(&mut self, len: usize) {
        self.len = self.len.wrapping_add(len);
    }

    /// Takes everything back.
    pub(crate) const fn clear(&mut self) {
        self.len = 0;
    }

    /// The bytes appended from `start` on.
    pub(crate) fn since(&mut self, start: usize) -> &mut [u8] {
        self.room.get_mut(start..self.len).unwrap_or_default()
    }
}
