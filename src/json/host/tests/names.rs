//! Names of members in every spelling.

use super::std::format;
use super::std::string::String;
use super::{BYTES, Known, Members, PLACES, Place};
use crate::json::{RawStr, RawValue};

/// `name` with the characters at two indices escaped, its quotation mark, and a value.
fn spelled(name: &str, escaped: [usize; 2], is_upper: bool) -> String {
    let mut spelling = String::new();
    for (index, character) in name.char_indices() {
        match escaped.contains(&index) {
            true if is_upper => spelling += &format!("\\u{:04X}", character as u32),
            true => spelling += &format!("\\u{:04x}", character as u32),
            false => spelling.push(character),
        }
    }
    spelling + "\":1}"
}

/// The length of a member of two characters, without its first quotation mark, and the end of its object: `id":1}`.
const SHORTEST: usize = 6;

/// The name at the front of `inside` is found if and only if it is a valid string that decodes to `name`, it is whole, and the text has room
/// for a value behind it.
fn assert_found_if_valid(inside: &[u8], name: &str, place: Place) {
    let end = (0..inside.len()).find(|at| {
        let text = [b"\"", &inside[..=*at]].concat();
        inside[*at] == b'"' && RawValue::parse(&text).is_ok()
    });
    let expected = end.filter(|end| RawStr::validated(&inside[..*end]) == *name).map(|end| end + 1);
    for len in 0..=inside.len() {
        // the text before the name is not read
        let text = [b"{\"", &inside[..len]].concat();
        let found = Members::NAMES.spelled_at(&text, 2, place).map(|(_, end)| end - 2);
        assert_eq!(found, expected.filter(|end| *end <= len && len >= SHORTEST), "{}", text.escape_ascii());
    }
}

#[test]
fn a_name_is_found_if_and_only_if_its_spelling_is_valid_and_decodes_to_it() {
    for (name, place) in [("jsonrpc", Place::OTHER), ("id", Place::OTHER), ("code", Place::NESTED.inside())] {
        // an escaped quotation mark does not end the name
        assert_found_if_valid((String::from(name) + "\\u0022\":1}").as_bytes(), name, place);
        for first in (0..=name.len()).step_by(PLACES) {
            for second in first..=name.len() {
                for is_upper in [false, true] {
                    let spelling = spelled(name, [first, second], is_upper);
                    assert_found_if_valid(spelling.as_bytes(), name, place);
                    for at in (0..spelling.len()).filter(|_| first == second) {
                        for byte in (0..=u8::MAX).step_by(BYTES) {
                            let mut mutant = spelling.clone().into_bytes();
                            mutant[at] = byte;
                            assert_found_if_valid(&mutant, name, place);
                        }
                    }
                }
            }
        }
    }
}
