//! Both passes on nearly valid texts.

use super::std::vec::Vec;
use super::{Random, assert_twins_agree, texts};

/// The pieces of the mutations, chosen so that a mutated text is almost valid.
const PIECES: [&[u8]; 64] = [
    b"\"",
    b"\\",
    b"\\\\",
    b"\\\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"{}",
    b"[]",
    b"0",
    b"1",
    b"-",
    b".",
    b"e",
    b"E+",
    b"e-",
    b"1.5",
    b"-0",
    b"00",
    b"1e5",
    b",1,2,3,4,5,6,7,8,",
    b"true",
    b"null",
    b"false",
    b"tru",
    b" ",
    b"  ",
    b"\n",
    b"\n    ",
    b"\t",
    b"\r",
    b"\0",
    b"\x1F",
    b"\x7F",
    b"\x80",
    b"\xBF",
    b"\xC0",
    b"\xC1",
    b"\xC3\xA9",
    b"\xE0\x9F",
    b"\xE0\xA0\x80",
    b"\xED\xA0\x80",
    b"\xED\x9F\xBF",
    b"\xEF\xBF\xBF",
    b"\xF0\x8F\xBF\xBF",
    b"\xF0\x9F\x98\x80",
    b"\xF4\x8F\xBF\xBF",
    b"\xF4\x90\x80\x80",
    b"\xF5",
    b"\xFF",
    b"\\u0041",
    b"\\u",
    b"\\ud83d",
    b"\\ude00",
    b"\\ud83d\\ude00",
    b"\\n",
    b"\"code\":1,",
    b"\"error\":{",
    b"\"id\":1,",
    b"\"\":1,",
    b"                                                                  ",
];

#[test]
fn mutated_texts_are_read_alike() {
    let rounds = match (cfg!(miri), cfg!(debug_assertions)) {
        (true, _) => 40,
        (false, true) => 200_000,
        (false, false) => 5_000_000,
    };
    let texts = texts();
    let mut random = Random(1);
    let mut text = Vec::new();
    for _ in 0..rounds {
        text.clear();
        text.extend_from_slice(texts[random.below(texts.len())].as_bytes());
        for _ in 0..=random.below(3) {
            let at = random.below(text.len() + 1);
            let end = (at + random.below(3) * random.below(8)).min(text.len());
            match random.below(4) {
                0 => _ = text.splice(at..end, core::iter::empty()),
                1 => {
                    let from = random.below(text.len() + 1);
                    let to = (from + random.below(20)).min(text.len());
                    let part = text[from..to].to_vec();
                    _ = text.splice(at..end, part);
                }
                _ => _ = text.splice(at..end, PIECES[random.below(PIECES.len())].iter().copied()),
            }
        }
        assert_twins_agree(&text);
    }
}
