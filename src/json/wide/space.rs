//! ws = *( %x20 / %x09 / %x0A / %x0D )

use super::block::{bits, equal, sixteen};
use super::cursor::Cursor;
use super::word::{self, behind, first};

/// Skips white space, if there is any: mostly none, or one blank. Never fails, as little as [`Cursor::skip`].
#[inline(always)]
pub(super) fn skip(cursor: &mut Cursor<'_>) -> Option<()> {
    let word = cursor.word();
    if first(word) > b' ' {
        return Some(());
    }
    if first(word) == b' ' && first(behind(word, 1)) > b' ' {
        return cursor.skip(1);
    }
    cursor.skip(lines(cursor.rest()))
}

/// Skips white space behind the byte here, so that what follows stands behind the byte where it then is.
#[inline(always)]
pub(super) fn skip_behind(cursor: &mut Cursor<'_>) -> Option<()> {
    let word = behind(cursor.word(), 1);
    if first(word) == b' ' && first(behind(word, 1)) > b' ' {
        return cursor.skip(1);
    }
    cursor.skip(lines(cursor.rest().get(1..)?))
}

/// The bytes of white space at the front of `text`: lines and their indents.
#[inline(never)]
pub(super) fn lines(text: &[u8]) -> usize {
    let mut len = 0usize;
    while let Some(bytes) = sixteen(text, len) {
        let space = equal(bytes, b' ') | equal(bytes, b'\n') | equal(bytes, b'\r') | equal(bytes, b'\t');
        let found = bits(space);
        if found != 0xFFFF {
            return len.wrapping_add((!found).trailing_zeros() as usize);
        }
        len = len.wrapping_add(16);
    }
    while matches!(word::byte(text, len), b' ' | b'\t' | b'\n' | b'\r') {
        len = len.wrapping_add(1);
    }
    len
}
