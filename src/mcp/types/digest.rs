//! SHA-256 at compile time and at run time.

use crate::error::{Error, ErrorKind};
use crate::json::{RawValue, ToJson, ValueWriter, Written};
use crate::mcp::value::{unexpected, value};

/// The SHA-256 of the content of a file. A message has it as `sha256:` and 64 hexadecimal digits.
///
/// ```
/// use nanojsonrpc::mcp::types::Digest;
///
/// // at compile time, of `include_bytes!("SKILL.md")` for example
/// const DIGEST: Digest = Digest::of(b"abc");
/// assert_eq!(DIGEST.as_bytes()[..4], [0xBA, 0x78, 0x16, 0xBF]);
/// ```
///
/// Source: FIPS 180-4 §5, §6.2; extension `io.modelcontextprotocol/skills` (SEP-2640), Integrity and Verification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Digest([u8; 32]);

const PREFIX: &[u8] = b"sha256:";

impl Digest {
    /// The digest of `content`.
    ///
    /// # Limits
    /// Time: one pass. A compiler evaluates about 1 MB in a second.
    pub const fn of(content: &[u8]) -> Self {
        let bits = (content.len() as u64).wrapping_mul(8);
        let (mut state, mut rest) = (INITIAL, content);
        while let Some((block, behind)) = rest.split_first_chunk() {
            state = compress(state, words(block));
            rest = behind;
        }
        // one bit, zeros, and the length in bits at the end of a block (§5.1.1)
        let mut last = [0; 64];
        let has_room = rest.len() < 56;
        let mut places: &mut [u8] = &mut last;
        while let [place, others @ ..] = places {
            let [byte, behind @ ..] = rest else {
                *place = 0x80;
                break;
            };
            *place = *byte;
            (rest, places) = (behind, others);
        }
        let mut last = words(&last);
        if !has_room {
            state = compress(state, last);
            last = [0; 16];
        }
        let [front @ .., _, _] = last;
        let [w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13] = front;
        let [b0, b1, b2, b3, b4, b5, b6, b7] = bits.to_be_bytes();
        let (high, low) = (u32::from_be_bytes([b0, b1, b2, b3]), u32::from_be_bytes([b4, b5, b6, b7]));
        state = compress(state, [w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, high, low]);
        Self(bytes(state))
    }

    /// Reads the text of a message.
    ///
    /// # Errors
    /// [`UnexpectedType`](ErrorKind::UnexpectedType) for another kind of value than a string; [`InvalidValue`](ErrorKind::InvalidValue) for
    /// another algorithm, another length, or another digit than `0` to `9` and `a` to `f`.
    pub fn read(raw: RawValue<'_>) -> Result<Self, Error> {
        let text = raw.as_str_raw().ok_or(unexpected(raw))?;
        let mut characters = text.bytes();
        let mut digest = [0; 32];
        let has_prefix = PREFIX.iter().all(|byte| characters.next() == Some(*byte));
        let are_digits = digest.iter_mut().all(|place| {
            let mut digit = || characters.next().and_then(digit);
            let (Some(high), Some(low)) = (digit(), digit()) else { return false };
            *place = high << 4 | low;
            true
        });
        if has_prefix && are_digits && characters.next().is_none() {
            Ok(Self(digest))
        } else {
            Err(Error::new(ErrorKind::InvalidValue, raw.offset()))
        }
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The value of a digit.
const fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character & 0xF),
        b'a'..=b'f' => Some((character & 0xF).wrapping_add(9)),
        _ => None,
    }
}

impl ToJson for Digest {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |value: u8| DIGITS.get(usize::from(value & 0xF)).copied().unwrap_or(b'0');
        out.pieces(|out| {
            out.put_byte(b'"');
            out.put(PREFIX);
            self.0.iter().for_each(|byte| out.put(&[digit(byte >> 4), digit(*byte)]));
            out.put_byte(b'"');
        })
    }
}

value!(Digest);

/// §5.3.3.
const INITIAL: [u32; 8] =
    [0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19];

/// §4.2.2.
const CONSTANTS: [u32; 64] = [
    0x428A_2F98,
    0x7137_4491,
    0xB5C0_FBCF,
    0xE9B5_DBA5,
    0x3956_C25B,
    0x59F1_11F1,
    0x923F_82A4,
    0xAB1C_5ED5,
    0xD807_AA98,
    0x1283_5B01,
    0x2431_85BE,
    0x550C_7DC3,
    0x72BE_5D74,
    0x80DE_B1FE,
    0x9BDC_06A7,
    0xC19B_F174,
    0xE49B_69C1,
    0xEFBE_4786,
    0x0FC1_9DC6,
    0x240C_A1CC,
    0x2DE9_2C6F,
    0x4A74_84AA,
    0x5CB0_A9DC,
    0x76F9_88DA,
    0x983E_5152,
    0xA831_C66D,
    0xB003_27C8,
    0xBF59_7FC7,
    0xC6E0_0BF3,
    0xD5A7_9147,
    0x06CA_6351,
    0x1429_2967,
    0x27B7_0A85,
    0x2E1B_2138,
    0x4D2C_6DFC,
    0x5338_0D13,
    0x650A_7354,
    0x766A_0ABB,
    0x81C2_C92E,
    0x9272_2C85,
    0xA2BF_E8A1,
    0xA81A_664B,
    0xC24B_8B70,
    0xC76C_51A3,
    0xD192_E819,
    0xD699_0624,
    0xF40E_3585,
    0x106A_A070,
    0x19A4_C116,
    0x1E37_6C08,
    0x2748_774C,
    0x34B0_BCB5,
    0x391C_0CB3,
    0x4ED8_AA4A,
    0x5B9C_CA4F,
    0x682E_6FF3,
    0x748F_82EE,
    0x78A5_636F,
    0x84C8_7814,
    0x8CC7_0208,
    0x90BE_FFFA,
    0xA450_6CEB,
    0xBEF9_A3F7,
    0xC671_78F2,
];

/// The words of a block.
const fn words(block: &[u8; 64]) -> [u32; 16] {
    let (mut words, mut rest): ([u32; 16], &[u8]) = ([0; 16], block);
    while let Some((four, behind)) = rest.split_first_chunk() {
        words = push(words, u32::from_be_bytes(*four));
        rest = behind;
    }
    words
}

/// The words without the first, and `word` behind them.
const fn push(words: [u32; 16], word: u32) -> [u32; 16] {
    let [_, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15] = words;
    [w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15, word]
}

/// The state after one more block (§6.2.2). The window holds the 16 words of the schedule from that of the round on.
#[allow(clippy::many_single_char_names, reason = "the names of the standard")]
const fn compress(state: [u32; 8], mut window: [u32; 16]) -> [u32; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    let mut constants: &[u32] = &CONSTANTS;
    while let [constant, rest @ ..] = constants {
        let [word, w1, _, _, _, _, _, _, _, w9, _, _, _, _, w14, _] = window;
        let sum_1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = h.wrapping_add(sum_1).wrapping_add(choice).wrapping_add(*constant).wrapping_add(word);
        let sum_0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(sum_0.wrapping_add(majority)));
        let sigma_0 = w1.rotate_right(7) ^ w1.rotate_right(18) ^ w1.wrapping_shr(3);
        let sigma_1 = w14.rotate_right(17) ^ w14.rotate_right(19) ^ w14.wrapping_shr(10);
        window = push(window, word.wrapping_add(sigma_0).wrapping_add(w9).wrapping_add(sigma_1));
        constants = rest;
    }
    let [a0, b0, c0, d0, e0, f0, g0, h0] = state;
    [
        a0.wrapping_add(a),
        b0.wrapping_add(b),
        c0.wrapping_add(c),
        d0.wrapping_add(d),
        e0.wrapping_add(e),
        f0.wrapping_add(f),
        g0.wrapping_add(g),
        h0.wrapping_add(h),
    ]
}

/// The bytes of the state.
const fn bytes(state: [u32; 8]) -> [u8; 32] {
    let mut all = [0; 32];
    let (mut words, mut places): (&[u32], &mut [u8]) = (&state, &mut all);
    while let ([word, behind @ ..], Some((four, others))) = (words, places.split_first_chunk_mut()) {
        *four = word.to_be_bytes();
        (words, places) = (behind, others);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::Digest;

    /// The digests of the first `len` bytes of 0, 1, 2, … for each length around the end of a block, hashed together.
    #[test]
    fn each_length_is_padded_to_its_block() {
        let content: std::vec::Vec<u8> = (0..200).collect();
        let mut all = [0; 32 * 201];
        for (len, place) in all.chunks_mut(32).enumerate() {
            place.copy_from_slice(Digest::of(content.get(..len).unwrap_or_default()).as_bytes());
        }
        assert_eq!(hex(&all), EXPECTED);
    }

    fn hex(content: &[u8]) -> std::string::String {
        Digest::of(content).as_bytes().iter().map(|byte| std::format!("{byte:02x}")).collect()
    }

    extern crate std;
    const EXPECTED: &str = "64ef7c229fce2408b5336b6a542fea0e078c3a87d2da85cb3fc52e2008b65021";

    #[test]
    fn the_examples_of_the_standard_have_their_digests() {
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(
            hex(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
    }
}
