//! Names of members in every spelling.

use super::{Known, Members, NameTable, Position};
use crate::json::RawStr;
use crate::json::name_table::tests::{for_each_spelling, string_len};

/// The length of a member of two characters, without its first quotation mark, and the end of its object: `id":1}`.
const SHORTEST: usize = 6;

/// The name at the front of `inside` is found if and only if it is a valid string that decodes to `name`, it is whole, and the text has room
/// for a value behind it.
fn assert_found_if_valid(inside: &[u8], name: &str, position: Position) {
    let expected = string_len(inside).filter(|len| RawStr::validated(&inside[..len - 1]) == *name);
    for len in 0..=inside.len() {
        // the text before the name is not read
        let text = [b"{\"", &inside[..len]].concat();
        let found = Members::NAMES.spelled_at(&text, 2, position).map(|(_, end)| end - 2);
        assert_eq!(found, expected.filter(|end| *end <= len && len >= SHORTEST), "{}", text.escape_ascii());
    }
}

#[test]
fn a_name_is_compared_with_its_quotation_mark_and_colon() {
    let names = Members::NAMES;
    assert_eq!(names.with_colon(Position::outer_slot(b'i')), (u64::from_le_bytes(*b"id\":\0\0\0\0"), 0xFFFF_FFFF, 4));
    // the word has no room for the colon
    assert_eq!(names.with_colon(Position::outer_slot(b'j')), (u64::from_le_bytes(*b"jsonrpc\""), u64::MAX, 9));
    assert_eq!(names.with_colon(Position::OTHER.slot()), (0, 0, 0));
    assert!(names.are_any() && !NameTable::NONE.are_any());
}

#[test]
fn a_name_is_found_if_and_only_if_its_spelling_is_valid_and_decodes_to_it() {
    for (name, position) in [("jsonrpc", Position::OTHER), ("id", Position::OTHER), ("code", Position::NESTED.inside())]
    {
        for_each_spelling(name, |inside| assert_found_if_valid(inside, name, position));
    }
}
