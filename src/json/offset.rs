//! Byte offsets of slices.

/// The byte offset in `text` of its subslice `part`.
pub(crate) fn offset_in(text: &[u8], part: &[u8]) -> usize {
    part.as_ptr().addr().wrapping_sub(text.as_ptr().addr())
}

/// Whether two slices have the same bytes. Devices use a loop: `memcmp` is 116 bytes of flash.
#[cfg_attr(target_pointer_width = "64", inline(always))]
#[cfg_attr(not(target_pointer_width = "64"), inline(never))]
pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    if cfg!(target_pointer_width = "64") { one == other } else { one.iter().eq(other) }
}
