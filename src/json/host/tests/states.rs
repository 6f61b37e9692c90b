//! Every beginning of a few tokens, with every byte after it.

use super::std::vec::Vec;
use super::{BYTES, TEXTS, assert_twins_agree, read_bytes};
use crate::error::Error;

/// A token of each kind, names that are captured in the outer and in the nested object, and white space.
const TOKENS: [&[u8]; 11] = [b"{", b"}", b"[", b"]", b",", b":", b"\"error\"", b"\"code\"", b"\"a\\n\"", b"1", b" "];

/// Texts before the tokens: none, a captured member, the nested object, a member of another object, an element of a batch or of an array,
/// and more than a block.
const FRONTS: [&[u8]; 8] = [
    b"",
    b"{\"params\":",
    b"{\"error\":{\"data\":",
    b"{\"params\":{\"a\":1",
    b"[{\"id\":1},",
    b"[1,",
    b"{\"jsonrpc\":\"2.0\",\"id\":\"the sensor in the garden reads every minute and the gateway\",\"result\":",
    b"[[1,22,333,4444,55555,666666,7777777,88888888,999999999,0,1,22,333,4444],",
];

/// Texts after the byte: none, digits and spaces beyond the end of a block, and the ends of the texts before the tokens.
const ENDS: [&[u8]; 5] = [b"", &[b'1'; 70], &[b' '; 70], b"}", b"]"];

/// Whether a valid text begins with `text`.
fn is_beginning(text: &[u8]) -> bool {
    read_bytes(text).0.map_err(Error::offset).map_or_else(|at| at == text.len(), |()| true)
}

#[test]
fn every_byte_after_a_few_tokens_is_read_alike() {
    for front in FRONTS.into_iter().step_by(TEXTS) {
        let mut beginnings = Vec::from([Vec::new()]);
        for _ in 0..=if cfg!(miri) { 2 } else { 3 } {
            for beginning in &beginnings {
                for byte in (0..=u8::MAX).step_by(BYTES) {
                    for end in ENDS {
                        assert_twins_agree(&[front, beginning, &[byte], end].concat());
                    }
                }
            }
            let longer = beginnings.iter().flat_map(|text| TOKENS.map(|token| [text, token].concat()));
            beginnings = longer.filter(|text| is_beginning(&[front, text].concat())).collect();
        }
    }
}
