//! Byte offsets of slices, and the white space and separators around the values of a validated text.

/// The byte offset in `text` of its subslice `part`.
pub(crate) fn offset_in(text: &[u8], part: &[u8]) -> usize {
    part.as_ptr().addr().wrapping_sub(text.as_ptr().addr())
}

shared_on_devices! {
    /// Trims white space, colons and commas off the front of a validated text, up to the next value.
    pub(crate) fn trim_start(mut text: &[u8]) -> &[u8] {
        while let [0..=b' ' | b':' | b',', rest @ ..] = text {
            text = rest;
        }
        text
    }
}

/// The offset of the value in a validated text.
#[inline(always)]
pub(crate) fn start_of(text: &[u8]) -> usize {
    offset_in(text, trim_start(text))
}

/// Trims white space off the end of a validated text.
pub(super) fn trim_end(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., 0..=b' '] = text {
        text = rest;
    }
    text
}
