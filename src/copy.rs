//! Copies of bytes. `copy_from_slice` panics if the lengths differ, and links that panic unless the optimiser proves them equal.

/// Copies as many bytes as both slices have.
#[cfg_attr(target_pointer_width = "64", inline(always))]
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    #[cfg(target_pointer_width = "64")]
    {
        let len = from.len().min(to.len());
        let (Some(from), Some(to)) = (from.get(..len), to.get_mut(..len)) else { return };
        // The compiler makes one call of `memcpy` of this loop. Of an iterator over both slices it makes none, and without link-time
        // optimisation it then leaves calls of functions of `core` for each copy.
        for at in 0..len {
            if let (Some(from), Some(to)) = (from.get(at), to.get_mut(at)) {
                *to = *from;
            }
        }
    }
    #[cfg(not(target_pointer_width = "64"))]
    for (from, to) in from.iter().zip(to) {
        // `black_box` keeps the loop: `memcpy` is 756 bytes of flash
        *to = core::hint::black_box(*from);
    }
}

/// Moves the `len` bytes from `start` to the front.
#[cfg(any(feature = "broker", feature = "http"))]
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
