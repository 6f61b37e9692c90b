//! Escapes whose digits and halves stand in different blocks.

use super::super::block;
use super::std::format;
use super::std::vec::Vec;
use super::{PLACES, assert_twins_agree};

#[test]
fn all_four_digits_of_an_escape_are_judged_wherever_a_block_ends() {
    let digits = "0789abcdefgABCDEF";
    let pairs = digits.chars().flat_map(|one| digits.chars().map(move |other| format!("{one}{other}")));
    let texts: Vec<_> = pairs.step_by(if cfg!(miri) { 61 } else { 1 }).collect();
    for (nth, upper) in texts.iter().enumerate() {
        // whatever follows two digits, and whatever stands before them
        let lower = texts[(nth * 7 + 3) % texts.len()].as_str();
        for other in ["0d", "d8", "DB", "dc", "Df", "e0"] {
            let strings = [
                format!("\\u{upper}{lower}"),
                format!("\\u{lower}{upper}"),
                format!("\\u{upper}{lower}\\u{other}00"),
                format!("\\u{other}ff\\u{upper}{lower}"),
                format!("\\uD800\\udc00\\u{other}aF\\u{upper}{lower}\\n"),
            ];
            for (place, string) in strings.iter().enumerate() {
                let blanks = (nth * 5 + place) % block::LEN;
                assert_twins_agree(format!("\"{}{string}\"", "x".repeat(blanks)).as_bytes());
                assert_twins_agree(format!("[\"{}{string}\",\"{string}\"]", "x".repeat(blanks)).as_bytes());
            }
        }
    }
}

#[test]
fn half_a_pair_at_the_end_of_a_string_is_refused_wherever_a_block_ends() {
    for blanks in (0..3 * block::LEN).step_by(PLACES) {
        let front = "x".repeat(blanks);
        for escapes in ["\\uD8ab", "\\uDC00", "\\uD83D\\uDE00\\ud83d", "\\n\\t\\r\\uDBff", "\\ud83d\\ude00"] {
            // behind so many other escapes that blocks are made
            assert_twins_agree(format!("\"\\t\\t\\t{front}{escapes}\"").as_bytes());
            assert_twins_agree(format!("[\"{front}{escapes}\"]").as_bytes());
            assert_twins_agree(format!("[\"{front}{escapes}\",\"{escapes}\",1]").as_bytes());
            assert_twins_agree(format!("[\"{front}{escapes}").as_bytes());
        }
    }
}
