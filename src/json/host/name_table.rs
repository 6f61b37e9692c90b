//! Names as words. Only here hosts read the table of names at run time: for a name with an escape.

use super::word::{begins_with, behind, bytes_below, eight};
use crate::json::RawStr;
use crate::json::name_table::{NameTable, Position, is_no_name};
use crate::json::string::hex_value;

impl Position {
    pub(super) const fn of_slot(slot: usize) -> Self {
        Self(slot)
    }

    /// This position, which is in the outermost object. The mask shows the compiler that its slot needs no bounds check.
    pub(super) const fn outer(self) -> Self {
        Self(self.0 & 7)
    }
}

impl NameTable {
    pub(super) const fn are_any(&self) -> bool {
        self.table.is_some()
    }

    /// The name in `slot` with its quotation mark and, if the word has room for it, a colon; a mask of these bytes; and
    /// the length with the colon.
    pub(super) const fn with_colon(&self, slot: usize) -> (u64, u64, usize) {
        let Some(table) = self.table else { return (0, 0, 0) };
        let Some((_, [name, ..])) = table.split_at_checked(slot) else { return (0, 0, 0) };
        if is_no_name(name) {
            return (0, 0, 0);
        }
        let name = u64::from_le_bytes(*name);
        let bits = 64u32.wrapping_sub(name.leading_zeros() & 0b11_1000);
        let len = (bits as usize >> 3).wrapping_add(1);
        match (b':' as u64).checked_shl(bits) {
            Some(colon) => (name | colon, u64::MAX >> (56u32.wrapping_sub(bits)), len),
            None => (name, u64::MAX, len),
        }
    }

    /// [`find`](Self::find) in a text that has not been validated: the position of the member whose name begins at `inside`, and the offset
    /// after its quotation mark. A name that is found is valid.
    #[inline(always)]
    pub(super) fn spelled_at(&self, text: &[u8], inside: usize, position: Position) -> Option<(Position, usize)> {
        let position = position.member(RawStr::first(text.get(inside..)?)?);
        let name = self.table?.get(position.slot())?;
        if is_no_name(name) {
            return None;
        }
        let mut known = u64::from_le_bytes(*name);
        let mut at = inside;
        // each round compares the plain characters up to an escape, and that escape
        loop {
            let differs = eight(text, at) ^ known;
            let after = known.leading_zeros() & 0b11_1000;
            if differs << after == 0 {
                return Some((position, at.wrapping_add(8usize.wrapping_sub(after as usize >> 3))));
            }
            let same = bytes_below(differs);
            let [character, ..] = behind(known, same).to_le_bytes();
            at = at.wrapping_add(same);
            // an escaped quotation mark does not end the name
            if character == b'"' || !is_escape_of(character, eight(text, at)) {
                return None;
            }
            at = at.wrapping_add(ESCAPE_LEN);
            known = behind(known, same) >> 8;
        }
    }
}

/// The bytes of an escape of the form \u and four hexadecimal digits.
const ESCAPE_LEN: usize = 6;

/// Whether the bytes at the front of `word` are such an escape of the ASCII `character`.
#[inline(always)]
const fn is_escape_of(character: u8, word: u64) -> bool {
    let [_, _, _, _, high, low, ..] = word.to_le_bytes();
    begins_with(word, br"\u00")
        && high == b'0' | character >> 4
        && low.is_ascii_hexdigit()
        && hex_value(low) == character & 0x0F
}
