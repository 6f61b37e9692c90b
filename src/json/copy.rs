//! Copies of bytes. `copy_from_slice` panics if the lengths differ, and links that panic unless the optimiser proves them equal.

#[cfg(target_pointer_width = "64")]
use super::host::word::{last_chunk, last_chunk_mut};

/// Copies as many bytes as both slices have.
///
/// Two blocks that may overlap cover all lengths up to twice their own, so the pieces of a message, which are short, are copied without a
/// loop or a call.
#[cfg(target_pointer_width = "64")]
#[inline(always)]
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    let len = from.len().min(to.len());
    let (Some(from), Some(to)) = (from.get(..len), to.get_mut(..len)) else { return };
    if len > 32 {
        // The compiler makes one call of `memcpy` of this loop. Of an iterator over both slices it makes none, and without link-time
        // optimisation it then leaves calls of functions of `core` for each copy.
        for at in 0..len {
            if let (Some(from), Some(to)) = (from.get(at), to.get_mut(at)) {
                *to = *from;
            }
        }
        return;
    }
    let is_copied = in_two_blocks::<16>(from, to)
        || in_two_blocks::<8>(from, to)
        || in_two_blocks::<4>(from, to)
        || in_two_blocks::<2>(from, to);
    if let (false, Some(from), Some(to)) = (is_copied, from.first(), to.first_mut()) {
        *to = *from;
    }
}

/// Copies from `N` to `2 N` bytes between slices of equal length; `false` if there are fewer.
#[cfg(target_pointer_width = "64")]
#[inline(always)]
fn in_two_blocks<const N: usize>(from: &[u8], to: &mut [u8]) -> bool {
    let (Some(first), Some(last)) = (from.first_chunk::<N>(), last_chunk::<N>(from)) else { return false };
    if let Some(place) = to.first_chunk_mut() {
        *place = *first;
    }
    if let Some(place) = last_chunk_mut(to) {
        *place = *last;
    }
    true
}

/// Copies as many bytes as both slices have.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    for (from, to) in from.iter().zip(to) {
        // `black_box` keeps the loop: `memcpy` is 756 bytes of flash
        *to = core::hint::black_box(*from);
    }
}

/// Moves the `len` bytes from `start` to the front.
#[cfg(feature = "http")]
pub(crate) fn copy_down(bytes: &mut [u8], start: usize, len: usize) {
    for at in 0..len {
        let byte = bytes.get(start.wrapping_add(at)).copied();
        if let (Some(byte), Some(place)) = (byte, bytes.get_mut(at)) {
            // `black_box` keeps the loop: `memmove` is 700 bytes of flash
            #[cfg(not(target_pointer_width = "64"))]
            let byte = core::hint::black_box(byte);
            *place = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::copy;

    #[test]
    fn as_many_bytes_are_copied_as_both_slices_have() {
        let from: [u8; 100] = core::array::from_fn(|at| u8::try_from(at).unwrap_or_default() | 0x80);
        for len in 0..from.len() {
            for room in [len, len.saturating_sub(1), len.saturating_sub(7), 0, len + 1, len + 40] {
                let mut to = [1; 140];
                if let (Some(from), Some(to)) = (from.get(..len), to.get_mut(..room)) {
                    copy(from, to);
                }
                for (at, byte) in to.iter().enumerate() {
                    let copied = from.get(at).filter(|_| at < len.min(room));
                    assert_eq!(byte, copied.unwrap_or(&1), "byte {at} of {len} in {room}");
                }
            }
        }
    }
}
