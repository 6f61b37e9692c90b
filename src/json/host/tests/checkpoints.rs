//! Where the byte-wise pass reads a refused text on: at the last checkpoint before the fault.

use super::std::format;
use super::std::string::String;
use super::{PLACES, read, read_bytes};
use crate::error::Error;
use crate::json::host::resume;

#[test]
fn a_refused_text_is_read_on_from_near_what_is_wrong() {
    let long = "[1,\"two\",{\"three\":[4.5,null,{}],\"six\" : \"s\\n\"},[[true],\"\"],\n\t\"日本\"]";
    for part in [
        format!("{long},").repeat(50),
        format!("\"{}\",", "plain ".repeat(500)),
        format!("\"{}\",", "\\u00e9\\ud83d\\ude00é😀\\n\\\\".repeat(120)),
        format!("{{\"{}\":1}},", "é\\u0031".repeat(200)),
    ] {
        let whole = [
            format!("[{part}1]"),
            format!("{{\"id\":[{part}1],\"params\":[2],\"x\":3}}"),
            format!("{{\"error\":{{\"data\":[{part}1]}}}}"),
        ];
        for text in whole {
            for at in (0..text.len()).step_by(if cfg!(debug_assertions) { 7 * PLACES } else { 1 }) {
                for wrong in *b"!\\\x1F\x80" {
                    let mut text = text.clone().into_bytes();
                    text[at] = wrong;
                    let (is_valid, _, checkpoint) = read(&text);
                    if is_valid {
                        continue;
                    }
                    let verdict = read_bytes(&text).0;
                    let shown = String::from_utf8_lossy(&text);
                    assert_eq!(resume(&text, checkpoint), verdict, "byte {at} of {shown}");
                    let wrong = verdict.map_or_else(Error::offset, |()| 0);
                    let start = checkpoint.at;
                    assert!(start <= wrong && wrong - start < 100, "byte {wrong}, from {start} of {shown}");
                }
            }
        }
    }
}

#[test]
fn a_refused_string_is_read_on_from_a_char_wherever_a_block_ends() {
    for char in ["é", "日", "😀", "\\n", "\\u00e9", "\\ud83d\\ude00"] {
        // each shift moves another byte of the character to the end of a block
        for shift in 0..char.len() {
            let mut text = format!("[\"{}{}\"]", "x".repeat(shift), char.repeat(3000 / char.len())).into_bytes();
            let wrong = text.len() - 2;
            text[wrong] = 0x1F;
            let (is_valid, _, checkpoint) = read(&text);
            assert!(!is_valid);
            let verdict = resume(&text, checkpoint).map_err(Error::offset);
            assert_eq!(verdict, Err(wrong), "{char}, {shift} on, from {checkpoint:?}");
            assert!(wrong - checkpoint.at < 100, "{char}, {shift} on, from {checkpoint:?}");
        }
    }
}
