//! The table of names, and names in every spelling.

extern crate std;

use std::format;
use std::string::String;

use super::{NO_NAME, NameTable, Position, SLOTS};
use crate::json::{RawStr, RawValue};

const NOTHING: [[u8; 8]; SLOTS] = [NO_NAME; SLOTS];
const B: [u8; 8] = *b"be\"\0\0\0\0\0";

#[test]
fn a_name_may_stand_in_its_slot() {
    static NAMES: [[u8; 8]; SLOTS] = {
        let mut names = NOTHING;
        names[0] = B;
        names
    };
    _ = NameTable::new(&NAMES);
}

/// A table with `name` in `slot` alone is refused for the `fault`.
macro_rules! refused {
    ($($test:ident $name:literal $slot:literal $fault:literal;)*) => {$(
        #[test]
        #[should_panic(expected = $fault)]
        fn $test() {
            static NAMES: [[u8; 8]; SLOTS] = {
                let mut names = NOTHING;
                names[$slot] = *$name;
                names
            };
            _ = NameTable::new(&NAMES);
        }
    )*};
}
refused! {
    a_name_in_the_slot_of_another_is_refused b"b\"\0\0\0\0\0\0" 4 "not the slot of this name";
    a_name_in_the_slot_of_unknown_members_is_refused b"a\"\0\0\0\0\0\0" 7 "not the slot of this name";
    a_name_in_the_slot_of_repeated_members_is_refused b"c\"\0\0\0\0\0\0" 1 "not the slot of this name";
    a_name_of_one_character_is_refused b"b\"\0\0\0\0\0\0" 0 "a name of one character";
}

#[test]
fn names_are_put_into_the_slots_of_their_first_bytes() {
    let table = NameTable::table(&[B, *b"id\"\0\0\0\0\0"], &[*b"code\"\0\0\0"]);
    for (slot, name) in table.iter().enumerate() {
        let expected: &[u8; 8] = match slot {
            0 => &B,
            5 => b"id\"\0\0\0\0\0",
            9 => b"code\"\0\0\0",
            _ => &NO_NAME,
        };
        assert_eq!(name, expected, "slot {slot}");
    }
    assert_eq!([Position::outer_slot(b'b'), Position::outer_slot(b'i'), Position::inner_slot(b'c')], [0, 5, 9]);
}

/// `name` with the characters at two indices escaped, its quotation mark, and the end of a text.
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

/// Calls `check` with the text after the quotation mark before a name: `name` in many spellings, and each of these with any byte at any
/// position.
pub(in crate::json) fn for_each_spelling(name: &str, mut check: impl FnMut(&[u8])) {
    // Miri takes a millisecond for each byte
    let (positions, bytes) = if cfg!(miri) { (97, 67) } else { (1, 1) };
    // an escaped quotation mark does not end the name
    check((String::from(name) + "\\u0022\":1}").as_bytes());
    for first in (0..=name.len()).step_by(positions) {
        for second in first..=name.len() {
            for is_upper in [false, true] {
                let spelling = spelled(name, [first, second], is_upper);
                check(spelling.as_bytes());
                for at in (0..spelling.len()).filter(|_| first == second) {
                    for byte in (0..=u8::MAX).step_by(bytes) {
                        let mut mutant = spelling.clone().into_bytes();
                        mutant[at] = byte;
                        check(&mutant);
                    }
                }
            }
        }
    }
}

/// The length of the string whose inside begins with `inside`, with its closing quotation mark, if it is valid.
pub(in crate::json) fn string_len(inside: &[u8]) -> Option<usize> {
    (1..=inside.len())
        .find(|len| inside[len - 1] == b'"' && RawValue::parse(&[b"\"", &inside[..*len]].concat()).is_ok())
}

#[test]
fn a_name_is_found_if_and_only_if_its_spelling_decodes_to_it() {
    static TABLE: [[u8; 8]; SLOTS] =
        NameTable::table(&[*b"jsonrpc\"", *b"id\"\0\0\0\0\0", *b"error\"\0\0"], &[*b"code\"\0\0\0"]);
    let names = NameTable::new(&TABLE);
    let outer = ["jsonrpc", "id", "error"].map(|name| (name, Position::OTHER));
    for (name, position) in outer.into_iter().chain([("code", Position::NESTED.inside())]) {
        for_each_spelling(name, |inside| {
            // a pass looks for a name only if the text is valid up to its end
            let Some(len) = string_len(inside) else { return };
            let (spelling, behind) = inside.split_at(len);
            // no valid text has a zero; behind the name it may be skipped
            if behind.starts_with(b"\0") {
                return;
            }
            let is_equal = RawStr::validated(&spelling[..len - 1]) == *name;
            let found = names.find(position, inside).map(|(_, behind)| behind);
            assert_eq!(found, is_equal.then_some(behind), "{}", inside.escape_ascii());
        });
    }
}
