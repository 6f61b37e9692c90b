//! ASCII strings without escapes, which hosts borrow from the text. Devices copy them, as they copy other strings: less flash.

#[cfg(not(target_pointer_width = "64"))]
mod device;
#[cfg(target_pointer_width = "64")]
mod host;

#[cfg(not(target_pointer_width = "64"))]
pub(crate) use device::Ascii;
#[cfg(target_pointer_width = "64")]
pub(crate) use host::Ascii;
