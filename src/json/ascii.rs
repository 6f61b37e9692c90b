//! ASCII strings without escapes, which hosts borrow from the text. Devices copy them, as they copy other strings: less flash.

#[cfg(not(target_pointer_width = "64"))]
mod device;
#[cfg(target_pointer_width = "64")]
mod host;

#[cfg(not(target_pointer_width = "64"))]
pub(crate) use device::Ascii;
#[cfg(target_pointer_width = "64")]
pub(crate) use host::Ascii;

/// `text` if it is UTF-8. Most texts are ASCII, which `core` checks byte by byte if they are short.
#[inline(always)]
pub(super) fn utf8_str(text: &[u8]) -> Option<&str> {
    #[cfg(target_pointer_width = "64")]
    if let Some(text) = super::word::ascii_str(text) {
        return Some(text);
    }
    core::str::from_utf8(text).ok()
}
