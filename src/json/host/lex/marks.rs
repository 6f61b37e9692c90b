//! Finds the marked lanes of a vector. In a marked lane all bits are set, in any other lane none.

#[cfg(any(test, not(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))))]
mod bits;
#[cfg(all(any(test, all(target_arch = "aarch64", target_feature = "neon")), target_endian = "little"))]
mod neon;

#[cfg(not(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")))]
pub(super) use bits::{any, first, first_from, mask, masks};
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub(super) use neon::{any, first, first_from, mask, masks};

/// Whether one instruction looks up a table of sixteen bytes. On x86-64 only processors with SSSE3 have one.
pub(super) const HAS_TABLES: bool =
    cfg!(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"));

#[cfg(test)]
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a test stops"
)]
mod tests {
    use wide::u8x16;

    use super::bits;
    #[cfg(target_endian = "little")]
    use super::neon;
    // there is no other way on big-endian targets
    #[cfg(target_endian = "big")]
    use super::bits as neon;

    #[test]
    fn marks_are_found_alike_in_every_pair_of_lanes() {
        for lane in 0..64 {
            for other in lane..64 {
                let mut bytes = [[0; 16]; 4];
                (bytes[lane / 16][lane % 16], bytes[other / 16][other % 16]) = (0xFF, 0xFF);
                let marks = bytes.map(u8x16::new);
                let mask = 1 << lane | 1 << other;
                assert_eq!((bits::mask(marks), neon::mask(marks)), (mask, mask));
                let all = [u8x16::splat(0xFF); 4];
                assert_eq!((bits::masks(marks, all), neon::masks(marks, all)), ([mask, u64::MAX], [mask, u64::MAX]));
                for (quarter, marks) in marks.into_iter().enumerate() {
                    let is_there = |lane: &usize| mask >> (quarter * 16 + lane) & 1 != 0;
                    let found = (0..16).find(is_there);
                    assert_eq!((bits::any(marks), neon::any(marks)), (found.is_some(), found.is_some()));
                    assert_eq!(neon::first(marks).min(16), found.unwrap_or(16));
                    assert_eq!(bits::first(marks).min(16), found.unwrap_or(16));
                    for from in 0..=16 {
                        let found = (from..16).find(is_there).unwrap_or(16) - from;
                        assert_eq!(neon::first_from(marks, from as u32), found);
                        assert_eq!(bits::first_from(marks, from as u32), found);
                    }
                }
            }
        }
    }
}
