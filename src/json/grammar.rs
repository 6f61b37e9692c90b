//! The structure of JSON: which token may follow which. RFC 8259 §2 to §5.
//!
//! [`State::step`] is the one place that decides it for the byte-wise pass, for the incremental pass and for the compiler. The
//! pass of 64-bit hosts, [`host`], makes the same moves in the same order; its `expect` is the place in the code.

#[cfg(target_pointer_width = "64")]
mod host;

use super::MAX_DEPTH;
use crate::error::ErrorKind;

// The tokens that may come next. An odd state also allows the closing bracket.
pub(super) const VALUE: u32 = 0;
const FIRST_VALUE: u32 = 1;
/// The bit of the two states that want a name.
pub(super) const NAME: u32 = 2;
const FIRST_NAME: u32 = 3;
pub(super) const COLON: u32 = 4;
pub(super) const AFTER_VALUE: u32 = 5;
pub(super) const END: u32 = 6;
/// The separators that COLON, AFTER_VALUE and END wait for: a byte each.
const SEPARATORS: u32 = u32::from_le_bytes(*b":,\0\0");
/// The error where neither the expected token nor white space comes: a kind for each of the above.
static MISSING: [ErrorKind; 8] = [
    ErrorKind::ExpectedValue,
    ErrorKind::ExpectedValue,
    ErrorKind::ExpectedName,
    ErrorKind::ExpectedName,
    ErrorKind::ExpectedColon,
    ErrorKind::ExpectedComma,
    ErrorKind::TrailingData,
    ErrorKind::TrailingData,
];

/// The open brackets, the innermost in the lowest bit: 1 an object, 0 an array. The topmost set bit is a sentinel.
pub(super) type Open = u64;

/// No bracket is open.
pub(super) const NONE_OPEN: Open = 1;

/// The state between two tokens: the open brackets, and the tokens that may come next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct State {
    pub(super) open: Open,
    pub(super) expect: u32,
}

/// The token that a byte begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A closing bracket, which ends a value.
    Closing,
    /// A comma or colon.
    Separator,
    /// The quotation mark before a name or a string.
    String,
    /// An opening bracket.
    Opening,
    /// Perhaps the first byte of a number or literal. The lexer finds its kind and end.
    Scalar,
    /// Not a token that may stand here.
    Misplaced,
    /// An opening bracket, of which too many are open.
    TooDeep,
}

impl State {
    /// Before a text.
    pub(super) const FRONT: Self = Self { open: NONE_OPEN, expect: VALUE };

    /// Moves over a bracket or separator, or to a string or scalar, whose end the caller finds.
    ///
    /// `byte` is not white space. After a closing bracket, a scalar and a string that is not a name the caller calls
    /// [`value_ended`](Self::value_ended); after a name, [`name_ended`](Self::name_ended).
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the lowest bit is wanted")]
    pub(super) const fn step(&mut self, byte: u32) -> Token {
        // end-array = ws %x5D ws ; end-object = ws %x7D ws
        if byte | 0x20 == b'}' as u32 {
            if self.expect & 1 == 0 || (byte >> 5 ^ self.open as u32) & 1 != 0 {
                return Token::Misplaced;
            }
            self.open >>= 1;
            return Token::Closing;
        }
        // name-separator = ws %x3A ws ; value-separator = ws %x2C ws
        if self.expect >= COLON {
            if byte != SEPARATORS.wrapping_shr(self.expect << 3) & 0xFF {
                return Token::Misplaced;
            }
            // VALUE after a colon; after a comma NAME in an object, VALUE in an array
            self.expect = (self.open as u32 & self.expect & 1) << 1;
            return Token::Separator;
        }
        // string = quotation-mark *char quotation-mark
        if byte == b'"' as u32 {
            return Token::String;
        }
        if self.expect & NAME != 0 {
            return Token::Misplaced;
        }
        // begin-array = ws %x5B ws ; begin-object = ws %x7B ws
        if byte | 0x20 == b'{' as u32 {
            if self.open >> MAX_DEPTH != 0 {
                return Token::TooDeep;
            }
            let is_object = byte >> 5 & 1;
            self.open = self.open << 1 | is_object as u64;
            // FIRST_NAME in an object, FIRST_VALUE in an array
            self.expect = FIRST_VALUE.wrapping_add(is_object.wrapping_mul(FIRST_NAME - FIRST_VALUE));
            return Token::Opening;
        }
        // false / null / true / number
        Token::Scalar
    }

    /// Whether the string that begins here is a name.
    #[inline(always)]
    pub(super) const fn is_name(self) -> bool {
        self.expect & NAME != 0
    }

    /// Moves over the end of a name.
    #[inline(always)]
    pub(super) const fn name_ended(&mut self) {
        self.expect = COLON;
    }

    /// Moves over the end of a value, the `outermost` or another one.
    #[inline(always)]
    pub(super) const fn value_ended(&mut self, outermost: bool) {
        self.expect = if outermost { END } else { AFTER_VALUE };
    }

    /// Whether a whole text has been read.
    #[inline(always)]
    pub(super) const fn is_end(self) -> bool {
        self.expect == END
    }

    /// The error of a byte that is not a token that may stand here.
    #[inline(always)]
    pub(super) fn missing(self) -> ErrorKind {
        MISSING.get(self.expect as usize & 7).copied().unwrap_or(ErrorKind::TrailingData)
    }
}

#[cfg(target_pointer_width = "64")]
pub(super) use host::{long, opened, refuse, value};
