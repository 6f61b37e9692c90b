//! Byte offsets of slices.

/// The byte offset in `text` of its subslice `part`.
pub(crate) fn offset_in(text: &[u8], part: &[u8]) -> usize {
    part.as_ptr().addr().wrapping_sub(text.as_ptr().addr())
}
