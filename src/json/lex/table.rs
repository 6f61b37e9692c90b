//! Numbers, escapes and characters beyond ASCII as a table of transitions. It takes less flash than code.
//!
//! Devices find the ends of these tokens with [`token`]; on 64-bit hosts it is the fallback that determines the kind and the offset of
//! every error. The incremental pass takes one transition for each byte.

use Effect::{End, To};

use crate::error::ErrorKind;

/// The state before a byte of a token: the number of its row in [`ROWS`].
#[derive(Clone, Copy)]
#[repr(u8)]
enum Row {
    // number = [ minus ] int [ frac ] [ exp ], named after the part just read
    Zero,
    Int,
    Frac,
    Exp,
    Minus,
    Point,
    E,
    Sign,
    /// Before a character of a string.
    Char,
    // after the first bytes E0, ED, F0 and F4 of a character
    E0,
    Ed,
    F0,
    F4,
    // before the last three, two or one bytes of a character
    Tail3,
    Tail2,
    Tail1,
    /// After a backslash.
    Escape,
    // before the last four, three, two or one digits of 4HEXDIG
    Hex4,
    Hex3,
    Hex2,
    Hex1,
    /// After a D as the first of 4HEXDIG: every surrogate begins with it.
    Surrogate,
    // before the last two or one digits of a high surrogate, and in the low surrogate that must follow
    High2,
    High1,
    LowBackslash,
    LowU,
    LowD,
    LowHalf,
}

const ROW_COUNT: usize = Row::LowHalf as usize + 1;

/// The effect of a byte: the next row, or the result of the token.
#[derive(Clone, Copy)]
enum Effect {
    To(Row),
    End(u8),
}

/// The bytes from `low` to `high`, and their effect. If `is_folded`, also the same letters in upper case.
#[derive(Clone, Copy)]
struct Edge {
    low: u8,
    high: u8,
    is_folded: bool,
    effect: Effect,
}

const fn one(byte: u8, effect: Effect) -> Edge {
    range(byte, byte, effect)
}

const fn range(low: u8, high: u8, effect: Effect) -> Edge {
    Edge { low, high, is_folded: false, effect }
}

const fn letters(low: u8, high: u8, effect: Effect) -> Edge {
    Edge { low, high, is_folded: true, effect }
}

// The results of a token. They are larger than the offset of any row and than the first byte of any edge.
/// The token ended before this byte.
pub(in crate::json) const ENDED: u8 = 0xF5;
/// The token ends with this byte.
pub(in crate::json) const LAST: u8 = 0xF6;
// An error has the lowest four bits of the number of its kind, as `ErrorKind::syntax` expects.
const BAD_NUMBER: u8 = 0xF0 | ErrorKind::InvalidNumber as u8;
const BAD_ESCAPE: u8 = 0xF0 | ErrorKind::InvalidEscape as u8;
const LONE: u8 = 0xF0 | ErrorKind::LoneSurrogate as u8;
const BAD_UTF8: u8 = 0xF0 | ErrorKind::InvalidUtf8 as u8;
const CONTROL: u8 = 0xF0 | ErrorKind::ControlCharacter as u8;
const _: () = assert!(OFFSETS[ROW_COUNT] < ENDED && LAST < BAD_NUMBER && BAD_NUMBER < CONTROL);

/// No result: the edges of the next row follow.
const FALL: u8 = 0;

/// The edges of each row, and the result for any other byte. The first edge that fits counts.
const ROWS: [(Row, &[Edge], u8); ROW_COUNT] = [
    // int = zero / ( digit1-9 *DIGIT ) ; a digit in one of the rows Int, Frac and Exp stays there
    (Row::Zero, &[range(b'0', b'9', End(BAD_NUMBER))], FALL),
    (Row::Int, &[one(b'.', To(Row::Point))], FALL),
    (Row::Frac, &[letters(b'e', b'e', To(Row::E))], FALL),
    (Row::Exp, &[], ENDED),
    (Row::Minus, &[range(b'1', b'9', To(Row::Int)), one(b'0', To(Row::Zero))], BAD_NUMBER),
    // frac = decimal-point 1*DIGIT
    (Row::Point, &[range(b'0', b'9', To(Row::Frac))], BAD_NUMBER),
    // exp = e [ minus / plus ] 1*DIGIT
    (Row::E, &[one(b'-', To(Row::Sign)), one(b'+', To(Row::Sign))], FALL),
    (Row::Sign, &[range(b'0', b'9', To(Row::Exp))], BAD_NUMBER),
    // char = unescaped / escape ; unescaped = %x20-21 / %x23-5B / %x5D-10FFFF
    (
        Row::Char,
        &[
            one(b'\\', To(Row::Escape)),
            range(0x20, 0x7F, End(LAST)),
            range(0xC2, 0xDF, To(Row::Tail1)),
            one(0xE0, To(Row::E0)),
            one(0xED, To(Row::Ed)),
            range(0xE1, 0xEF, To(Row::Tail2)),
            one(0xF0, To(Row::F0)),
            one(0xF4, To(Row::F4)),
            range(0xF1, 0xF3, To(Row::Tail3)),
            range(0x80, 0xFF, End(BAD_UTF8)),
        ],
        CONTROL,
    ),
    // UTF8-3 = %xE0 %xA0-BF UTF8-tail / %xED %x80-9F UTF8-tail / ... ; UTF8-4 = %xF0 %x90-BF 2( UTF8-tail ) / %xF4 %x80-8F 2( UTF8-tail ) / ...
    (Row::E0, &[range(0xA0, 0xBF, To(Row::Tail1))], BAD_UTF8),
    (Row::Ed, &[range(0x80, 0x9F, To(Row::Tail1))], BAD_UTF8),
    (Row::F0, &[range(0x90, 0xBF, To(Row::Tail2))], BAD_UTF8),
    (Row::F4, &[range(0x80, 0x8F, To(Row::Tail2))], BAD_UTF8),
    // UTF8-tail = %x80-BF
    (Row::Tail3, &[range(0x80, 0xBF, To(Row::Tail2))], BAD_UTF8),
    (Row::Tail2, &[range(0x80, 0xBF, To(Row::Tail1))], BAD_UTF8),
    (Row::Tail1, &[range(0x80, 0xBF, End(LAST))], BAD_UTF8),
    // %x22 / %x5C / %x2F / %x62 / %x66 / %x6E / %x72 / %x74 / %x75 4HEXDIG
    (
        Row::Escape,
        &[
            one(b'"', End(LAST)),
            one(b'\\', End(LAST)),
            one(b'/', End(LAST)),
            one(b'b', End(LAST)),
            one(b'f', End(LAST)),
            one(b'n', End(LAST)),
            one(b'r', End(LAST)),
            one(b't', End(LAST)),
            one(b'u', To(Row::Hex4)),
        ],
        BAD_ESCAPE,
    ),
    (
        Row::Hex4,
        &[
            letters(b'd', b'd', To(Row::Surrogate)),
            range(b'0', b'9', To(Row::Hex3)),
            letters(b'a', b'f', To(Row::Hex3)),
        ],
        BAD_ESCAPE,
    ),
    (Row::Hex3, &[range(b'0', b'9', To(Row::Hex2)), letters(b'a', b'f', To(Row::Hex2))], BAD_ESCAPE),
    (Row::Hex2, &[range(b'0', b'9', To(Row::Hex1)), letters(b'a', b'f', To(Row::Hex1))], BAD_ESCAPE),
    (Row::Hex1, &[range(b'0', b'9', End(LAST)), letters(b'a', b'f', End(LAST))], BAD_ESCAPE),
    // D0 to D7: no surrogate; D8 to DB: a high one; DC to DF: a low one, without a high one before it
    (
        Row::Surrogate,
        &[
            range(b'0', b'7', To(Row::Hex2)),
            range(b'8', b'9', To(Row::High2)),
            letters(b'a', b'b', To(Row::High2)),
            letters(b'c', b'f', End(LONE)),
        ],
        BAD_ESCAPE,
    ),
    (Row::High2, &[range(b'0', b'9', To(Row::High1)), letters(b'a', b'f', To(Row::High1))], BAD_ESCAPE),
    (Row::High1, &[range(b'0', b'9', To(Row::LowBackslash)), letters(b'a', b'f', To(Row::LowBackslash))], BAD_ESCAPE),
    (Row::LowBackslash, &[one(b'\\', To(Row::LowU))], LONE),
    (Row::LowU, &[one(b'u', To(Row::LowD))], LONE),
    (Row::LowD, &[letters(b'd', b'd', To(Row::LowHalf))], LONE),
    (Row::LowHalf, &[letters(b'c', b'f', To(Row::Hex2))], LONE),
];

/// The bytes of an edge in [`TABLE`]: `low`; the distance to `high`, plus [`FOLDED`]; and the offset of the next row, or a result.
const EDGE_LEN: u8 = 3;
const FOLDED: u8 = 0x80;

/// The offset in [`TABLE`] of the first edge of each row. The passes name a row by it. A result follows the edges of a row, except after
/// [`FALL`].
#[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "evaluated by the compiler")]
const OFFSETS: [u8; ROW_COUNT + 1] = {
    let mut offsets = [0; ROW_COUNT + 1];
    let mut row = 0;
    while row < ROW_COUNT {
        let (name, edges, other) = ROWS[row];
        assert!(name as usize == row, "the rows are in the order of their names");
        offsets[row + 1] = offsets[row] + edges.len() as u8 * EDGE_LEN + if other == FALL { 0 } else { 1 };
        row += 1;
    }
    offsets
};

#[expect(clippy::indexing_slicing, reason = "each row has an offset")]
const fn offset(row: Row) -> u32 {
    OFFSETS[row as usize] as u32
}

/// All rows. The last result is followed by two zeros, so that it can be read as an edge.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static TABLE: [u8; OFFSETS[ROW_COUNT] as usize + EDGE_LEN as usize - 1] = {
    let mut table = [0; OFFSETS[ROW_COUNT] as usize + EDGE_LEN as usize - 1];
    let mut row = 0;
    while row < ROW_COUNT {
        let (_, edges, other) = ROWS[row];
        let mut edge = 0;
        while edge < edges.len() {
            let Edge { low, high, is_folded, effect } = edges[edge];
            let at = OFFSETS[row] as usize + edge * EDGE_LEN as usize;
            table[at] = low;
            table[at + 1] = (high - low) | if is_folded { FOLDED } else { 0 };
            table[at + 2] = match effect {
                To(row) => OFFSETS[row as usize],
                End(result) => result,
            };
            edge += 1;
        }
        if other != FALL {
            table[OFFSETS[row] as usize + edges.len() * EDGE_LEN as usize] = other;
        }
        row += 1;
    }
    table
};

/// The row before a character of a string.
pub(in crate::json) const CHAR: u32 = offset(Row::Char);
const MINUS: u32 = offset(Row::Minus);
const ZERO: u32 = offset(Row::Zero);
const INT: u32 = offset(Row::Int);
const EXP: u32 = offset(Row::Exp);

/// The row after the `first` byte of a number.
#[inline(always)]
pub(in crate::json) const fn number(first: u32) -> Option<u32> {
    if first == b'-' as u32 {
        Some(MINUS)
    } else if first == b'0' as u32 {
        Some(ZERO)
    } else if first.wrapping_sub(b'1' as u32) < 9 {
        Some(INT)
    } else {
        None
    }
}

/// Whether digits stay in `row`: it is Int, Frac or Exp.
#[inline(always)]
pub(in crate::json) const fn keeps_digits(row: u32) -> bool {
    row.wrapping_sub(INT) <= EXP.wrapping_sub(INT)
}

/// Whether `result` is an error, and not [`ENDED`] or [`LAST`].
#[inline(always)]
pub(in crate::json) const fn is_error(result: u32) -> bool {
    result > LAST as u32
}

/// The row after `byte`, or a result. `byte` is no digit if `row` [keeps digits](keeps_digits).
#[inline(always)]
pub(in crate::json) fn step(row: u32, byte: u32) -> u32 {
    let mut at = row;
    while let Some([low, further, effect]) = TABLE.get(at as usize..).and_then(|edges| edges.first_chunk()) {
        let (low, further) = (u32::from(*low), u32::from(*further));
        if low >= ENDED.into() {
            return low;
        }
        // moves FOLDED to the bit that differs between upper and lower case
        let folded = byte | further >> 2 & 0x20;
        if folded.wrapping_sub(low) <= further & !u32::from(FOLDED) {
            return u32::from(*effect);
        }
        at = at.wrapping_add(EDGE_LEN.into());
    }
    // not reached, because the table ends with a result
    ENDED.into()
}

/// [`step`] for any byte.
#[inline(always)]
pub(in crate::json) fn next(row: u32, byte: u32) -> u32 {
    // most numbers end here, so their ends are not looked up in the table
    if keeps_digits(row) && byte != b'.'.into() && byte | 0x20 != b'e'.into() {
        return if byte.wrapping_sub(b'0'.into()) <= 9 { row } else { ENDED.into() };
    }
    step(row, byte)
}

/// The offset of the first byte from `at` on that is no digit.
#[inline(always)]
pub(in crate::json) fn after_digits(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b'0'..=b'9')) {
        at = at.wrapping_add(1);
    }
    at
}

/// Reads the token at `at` from `row` on. Returns the offset after the token and no error; or the offset after the wrong byte
/// and an [error](is_error). After the end of the text, the bytes are zeros, which occur in no token.
#[inline(never)]
pub(in crate::json) fn token(text: &[u8], mut at: usize, row: u32) -> (usize, u32) {
    // a row, and at the end a result
    let mut next = row;
    while next < ENDED.into() {
        if keeps_digits(next) {
            at = after_digits(text, at);
            let other = text.get(at).copied().unwrap_or(0);
            // most numbers end here, so their ends are not looked up in the table
            if other != b'.' && other | 0x20 != b'e' {
                return (at, ENDED.into());
            }
        }
        let byte = text.get(at).map_or(0, |byte| u32::from(*byte));
        at = at.wrapping_add(1);
        next = step(next, byte);
    }
    if next == ENDED.into() {
        at = at.wrapping_sub(1);
    }
    (at, next)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may stop")]
mod tests {
    use super::Effect::{End, To};
    use super::{Edge, FALL, LAST, ROWS, Row, keeps_digits, letters, offset, one, range, step};

    fn fits(edge: &Edge, byte: u8) -> bool {
        let bytes = edge.low..=edge.high;
        bytes.contains(&byte)
            || edge.is_folded && byte.is_ascii_uppercase() && bytes.contains(&byte.to_ascii_lowercase())
    }

    /// The row after `byte`, or a result, by the rows themselves.
    fn by_rows(row: Row, byte: u8) -> Option<u32> {
        ROWS[row as usize..].iter().find_map(|(_, edges, other)| {
            let edge = edges.iter().find(|edge| fits(edge, byte));
            match edge.map(|edge| edge.effect) {
                Some(To(next)) => Some(offset(next)),
                Some(End(result)) => Some(result.into()),
                None => (*other != FALL).then_some((*other).into()),
            }
        })
    }

    #[test]
    fn the_table_has_the_edges_of_the_rows() {
        for (row, ..) in ROWS {
            for byte in 0..=u8::MAX {
                if !(keeps_digits(offset(row)) && byte.is_ascii_digit()) {
                    let expected = by_rows(row, byte);
                    assert_eq!(Some(step(offset(row), byte.into())), expected, "{byte:#x} in row {}", row as u8);
                }
            }
        }
    }

    #[test]
    fn an_edge_has_the_bytes_of_its_name() {
        for byte in 0..=u8::MAX {
            assert_eq!(fits(&one(b'.', End(LAST)), byte), byte == b'.');
            assert_eq!(fits(&range(b'8', b'9', End(LAST)), byte), matches!(byte, b'8' | b'9'));
            assert_eq!(fits(&letters(b'a', b'f', End(LAST)), byte), matches!(byte, b'a'..=b'f' | b'A'..=b'F'));
        }
    }
}
