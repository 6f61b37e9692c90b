//! HalfSipHash-2-4 with 64 bits of output: a keyed hash of short texts, in 32-bit arithmetic for small devices.
//!
//! Source: Aumasson and Bernstein, SipHash: a fast short-input PRF; reference implementation, `halfsiphash.c`.

/// The hash of `text` under `key`.
pub(super) fn hash(key: u64, text: &[u8]) -> [u32; 2] {
    let (low, high) = (word(&key.to_le_bytes()), word(&(key >> 32).to_le_bytes()));
    // the constants of the reference implementation; 0xEE and 0xDD mark an output of 64 bits
    let mut state = State([low, high ^ 0xEE, low ^ 0x6C79_6765, high ^ 0x7465_6462]);
    let mut words = text.chunks_exact(4);
    for chunk in &mut words {
        state.absorb(word(chunk));
    }
    let len = u32::from(text.len().to_le_bytes()[0]);
    state.absorb(word(words.remainder()) | len << 24);
    let first = state.finish(2, 0xEE);
    [first, state.finish(1, 0xDD)]
}

/// Up to four bytes as a little-endian number.
fn word(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

struct State([u32; 4]);

impl State {
    fn absorb(&mut self, word: u32) {
        self.0[3] ^= word;
        self.rounds(2);
        self.0[0] ^= word;
    }

    /// Mixes `mark` into the word at `at`, and returns half of the output.
    fn finish(&mut self, at: usize, mark: u32) -> u32 {
        if let Some(word) = self.0.get_mut(at) {
            *word ^= mark;
        }
        self.rounds(4);
        self.0[1] ^ self.0[3]
    }

    fn rounds(&mut self, count: u32) {
        let [mut a, mut b, mut c, mut d] = self.0;
        for _ in 0..count {
            a = a.wrapping_add(b);
            c = c.wrapping_add(d);
            b = b.rotate_left(5) ^ a;
            d = d.rotate_left(8) ^ c;
            a = a.rotate_left(16).wrapping_add(d);
            c = c.wrapping_add(b);
            b = b.rotate_left(13) ^ c;
            d = d.rotate_left(7) ^ a;
            c = c.rotate_left(16);
        }
        self.0 = [a, b, c, d];
    }
}

#[cfg(test)]
mod tests {
    use super::hash;

    #[test]
    fn the_vectors_of_the_reference_implementation_are_met() {
        // key 00 to 07, texts 00, 01, … of these lengths
        let vectors: [(usize, u64); 12] = [
            (0, 0x218d_1f59_b9b8_3cc8),
            (1, 0xbe55_2412_f838_7315),
            (2, 0x064f_39ef_7c50_eb57),
            (3, 0xce0f_1a45_f706_0679),
            (4, 0xd5e7_8a17_5be5_2ea1),
            (5, 0xcb9d_7c3f_2f3d_b580),
            (6, 0xce3e_9135_8aa2_bc25),
            (7, 0xff20_2728_b07b_c684),
            (8, 0xedfe_e820_bce4_858c),
            (15, 0x217d_0bcb_4e81_c902),
            (62, 0xf90b_3ab5_72d4_6693),
            (63, 0x2ea6_3c71_bf32_6087),
        ];
        let text: [u8; 64] = core::array::from_fn(|at| u8::try_from(at).unwrap_or_default());
        for (len, output) in vectors {
            let [first, second] = hash(0x0706_0504_0302_0100, text.get(..len).unwrap_or_default());
            assert_eq!(u64::from(first.swap_bytes()) << 32 | u64::from(second.swap_bytes()), output, "{len}");
        }
    }
}
