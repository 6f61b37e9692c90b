//! The steps of a writer at the end of its memory: it grows, counts, or is full.

#[cfg(feature = "serde")]
use super::RawValue;
use super::growing::{Count, Growth};
use super::write::{FULL, Writer};

impl<'w> Writer<'w> {
    /// Creates a writer over memory that grows.
    #[inline(always)]
    pub(super) const fn growing(out: &'w mut [u8], growth: &'w mut Growth) -> Self {
        Self { out, len: 0, fault: None, growth: Some(growth) }
    }

    /// Whether the writer grows.
    pub(crate) const fn grows(&self) -> bool {
        self.growth.is_some()
    }

    /// Lets a writer that grows only count the bytes of the next text, which may have any length. Returns its memory.
    pub(crate) fn begin_count(&mut self) -> &'w mut [u8] {
        if let Some(growth) = &mut self.growth {
            growth.count = Some(Count { last: 0, escapes: 0 });
        }
        self.len = 0;
        core::mem::take(&mut self.out)
    }

    /// Ends a count, and returns it. The writer is empty again, over its memory.
    pub(crate) fn end_count(&mut self, memory: &'w mut [u8]) -> usize {
        if let Some(growth) = &mut self.growth {
            growth.count = None;
        }
        self.out = memory;
        core::mem::take(&mut self.len)
    }

    fn counted(&mut self) -> Option<&mut Count> {
        self.growth.as_mut()?.count.as_mut()
    }

    /// The last byte of a counted text.
    pub(super) fn last_counted(&self) -> Option<&u8> {
        Some(&self.growth.as_ref()?.count.as_ref()?.last)
    }

    /// The number of bytes of a counted text that need an escape. Begins with 0 again.
    #[cfg(feature = "mcp")]
    pub(super) fn take_escapes(&mut self) -> Option<usize> {
        Some(core::mem::take(&mut self.counted()?.escapes))
    }

    /// The greatest length.
    #[cfg(feature = "mcp")]
    pub(super) fn limit(&self) -> usize {
        match &self.growth {
            Some(growth) if growth.count.is_some() => FULL,
            Some(growth) => growth.limit,
            None => self.out.len(),
        }
    }

    /// Lowers the greatest length by `len` bytes, which were taken from the memory.
    #[cfg(feature = "serde")]
    pub(super) fn lower_limit(&mut self, len: usize) {
        if let Some(growth) = &mut self.growth {
            growth.limit = growth.limit.saturating_sub(len);
        }
    }

    /// Makes room for a text of `end` bytes, which exceeds the memory. Returns `false` if there is none; then counts the bytes, or marks the
    /// output as full.
    pub(super) fn grow(&mut self, end: usize) -> bool {
        if self.len == FULL {
            return false;
        }
        let len = self.len;
        if let Some(count) = self.counted() {
            if end != len {
                count.last = 0;
            }
            self.len = end;
            return false;
        }
        self.reserve(end);
        let has_room = end <= self.out.len();
        if !has_room {
            self.len = FULL;
        }
        has_room
    }

    /// [`put`](Self::put) at the end of the memory.
    #[cold]
    #[inline(never)]
    pub(super) fn put_beyond(&mut self, bytes: &[u8]) {
        if self.grow(self.len.saturating_add(bytes.len())) {
            return self.put(bytes);
        }
        if let Some(Count { last, escapes }) = self.counted() {
            *last = bytes.last().copied().unwrap_or(*last);
            let more = bytes.iter().filter(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).count();
            *escapes = escapes.saturating_add(more);
        }
    }

    /// [`put_integer`](Self::put_integer) of `len` bytes at the end of the memory.
    #[cold]
    #[inline(never)]
    pub(super) fn put_integer_beyond(&mut self, len: usize, negative: bool, magnitude: u64) {
        if self.grow(self.len.saturating_add(len)) {
            self.put_integer(negative, magnitude);
        }
    }

    /// Whether `len` more bytes exceed the memory.
    #[inline(always)]
    pub(super) fn lacks(&self, len: usize) -> bool {
        self.out.get(self.len..self.len.wrapping_add(len)).is_none()
    }

    /// Makes room for a text of `end` bytes, if the memory grows so far.
    pub(crate) fn reserve(&mut self, end: usize) {
        if end <= self.out.len() || self.growth.as_ref().is_none_or(|growth| end > growth.limit) {
            return;
        }
        if let Some(growth) = self.growth.take() {
            let text = self.out.get(..self.len).unwrap_or_default();
            let (out, growth) = growth.grow(text, self.out.len(), end);
            (self.out, self.growth) = (out, Some(growth));
        }
    }

    /// Makes room for the strings with escapes of `params`.
    #[cfg(feature = "serde")]
    #[inline(never)]
    pub(crate) fn reserve_escaped(&mut self, params: Option<RawValue<'_>>) {
        let len = self.out.len();
        let limit = self.growth.as_ref().map_or(0, |growth| growth.limit);
        // most params fit without a walk over their strings
        let needed = params.filter(|params| params.as_bytes().len() > len).map_or(0, RawValue::escaped_len);
        // strings that no handler reads may be beyond the limit
        self.reserve(needed.min(limit));
    }
}

#[cfg(all(test, feature = "mcp"))]
mod tests {
    use super::Writer;

    #[test]
    fn the_limit_of_a_slice_is_its_length() {
        assert_eq!(Writer::new(&mut [0; 8]).limit(), 8);
    }
}
