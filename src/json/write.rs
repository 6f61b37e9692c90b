//! Writes JSON into a borrowed buffer: whole values or nothing.

use crate::error::Error;

/// The length after an overflow.
pub(super) const FULL: usize = usize::MAX;

/// Appends JSON values to a borrowed [`Output`](crate::Output).
///
/// A value is written whole or not at all: if it does not fit, the length stays as it was, so
/// [`written`](Self::written) never ends in half a value.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::Writer;
///
/// let mut buffer = [0; 16];
/// let mut out = Writer::new(&mut buffer);
/// out.value(&[1, 2, 3])?;
/// assert!(out.value("far too long for it").is_err());
/// assert_eq!(out.written(), b"[1,2,3]");
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Writer<'w> {
    pub(super) out: &'w mut [u8],
    /// After an overflow inside a value this is larger than any length, and the writer accepts nothing more.
    pub(super) len: usize,
    /// Why the writer accepts nothing more, if it is not the end of the room.
    pub(super) fault: Option<Error>,
    #[cfg(feature = "alloc")]
    pub(super) growth: Option<&'w mut super::growing::Growth>,
}

impl<'w> Writer<'w> {
    /// Creates a writer of bytes that do not grow.
    #[inline(always)]
    pub(crate) const fn over(out: &'w mut [u8]) -> Self {
        Self {
            out,
            len: 0,
            fault: None,
            #[cfg(feature = "alloc")]
            growth: None,
        }
    }

    /// The number of written bytes.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether no byte has been written.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The written text.
    pub fn written(&self) -> &[u8] {
        self.out.get(..self.len).unwrap_or_default()
    }

    /// Discards everything that was written, so that the buffer can be used again.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::Writer;
    ///
    /// let mut buffer = [0; 4];
    /// let mut out = Writer::new(&mut buffer);
    /// out.value("ab")?;
    /// out.clear();
    /// out.value("cd")?;
    /// assert_eq!(out.written(), b"\"cd\"");
    /// # Ok(()) }
    /// ```
    pub const fn clear(&mut self) {
        self.len = 0;
    }

    /// The written text, with the lifetime of the buffer.
    ///
    /// ```
    /// use nanojsonrpc::Writer;
    ///
    /// fn greeting(buffer: &mut [u8]) -> &[u8] {
    ///     let mut out = Writer::new(buffer);
    ///     if out.value("hello").is_err() {
    ///         return &[];
    ///     }
    ///     out.into_written()
    /// }
    ///
    /// assert_eq!(greeting(&mut [0; 16]), b"\"hello\"");
    /// ```
    pub fn into_written(self) -> &'w [u8] {
        let len = self.len;
        let out: &'w [u8] = self.out;
        out.get(..len).unwrap_or_default()
    }

    /// Discards everything after the first `len` bytes, so that several values are written together or not at all.
    ///
    /// ```
    /// use nanojsonrpc::Writer;
    ///
    /// let mut buffer = [0; 4];
    /// let mut out = Writer::new(&mut buffer);
    /// let before = out.len();
    /// if out.value(&12).and_then(|()| out.value(&"ab")).is_err() {
    ///     out.truncate(before);
    /// }
    /// assert!(out.is_empty());
    /// ```
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        self.fault = None;
    }

    /// The `len` bytes after the written text, which [`truncate`](Self::truncate) has discarded.
    pub(crate) fn taken_back(&self, len: usize) -> &[u8] {
        self.out.get(self.len..self.len.wrapping_add(len)).unwrap_or_default()
    }

    /// The whole buffer.
    pub(crate) const fn buffer(&mut self) -> &mut [u8] {
        self.out
    }

    /// The free room after the written text.
    #[cfg(all(feature = "mcp", feature = "embedded-io"))]
    pub(crate) fn rest(&mut self) -> &mut [u8] {
        #[cfg(feature = "alloc")]
        self.reserve(self.len.saturating_add(self.room()));
        self.out.get_mut(self.len..).unwrap_or_default()
    }

    /// Takes the last `len` bytes of the free room, if at least `kept` bytes of it remain; otherwise none.
    #[cfg(feature = "serde")]
    pub(crate) fn take_end(&mut self, len: usize, kept: usize) -> &'w mut [u8] {
        #[cfg(feature = "alloc")]
        self.reserve(self.len.saturating_add(kept).saturating_add(len));
        let out = core::mem::take(&mut self.out);
        let rest =
            out.len().checked_sub(len).filter(|rest| *rest >= self.len.saturating_add(kept)).unwrap_or(out.len());
        let (out, taken) = out.split_at_mut_checked(rest).unwrap_or_default();
        self.out = out;
        #[cfg(feature = "alloc")]
        self.lower_limit(taken.len());
        taken
    }

    /// Appends bytes that are valid JSON at this position.
    #[inline(never)]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let before = self.len;
        self.put(bytes);
        self.finish(before)
    }
}
