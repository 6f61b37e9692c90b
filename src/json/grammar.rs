//! The structure of JSON: the tokens that may follow each token. RFC 8259 §2 to §5.
//!
//! [`State::step`] implements it for the byte-wise pass, for the incremental pass and for `const` evaluation. The pass of 64-bit hosts,
//! in `host/grammar.rs`, makes the same transitions in the same order; there the position in the code stands for `expect`.

use crate::error::ErrorKind;

/// The maximum number of brackets open at once. Deeper texts are refused with [`ErrorKind::TooDeep`].
///
/// The open brackets are bits of one word, so the nesting needs no memory and the stack use of a pass is constant.
///
/// Writing has no such limit. To be readable by this crate, a payload may have at most `MAX_DEPTH - 1` brackets open at once, because the
/// object of its message adds one; in a batch `MAX_DEPTH - 2`.
///
/// ```
/// use nanojsonrpc::{ErrorKind, MAX_DEPTH, RawValue};
///
/// let text = "[".repeat(MAX_DEPTH + 1) + &"]".repeat(MAX_DEPTH + 1);
/// let error = RawValue::parse(text.as_bytes()).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (ErrorKind::TooDeep, MAX_DEPTH));
/// ```
pub const MAX_DEPTH: usize = 63;

// The tokens that may come next. Bit 0: a name must come, which is also the bit of an object in `Open`. Bit 1: the closing bracket may come.
// The bits above: the separator that must come.
pub(super) const VALUE: u32 = 0;
/// A name must come.
pub(super) const NAME: u32 = 1;
/// The closing bracket may come, too.
const CLOSING: u32 = 2;
pub(super) const COLON: u32 = (b':' as u32) << 2;
pub(super) const AFTER_VALUE: u32 = (b',' as u32) << 2 | CLOSING;
/// After the text; no byte is this separator.
pub(super) const END: u32 = 0x3_0003 << 2;
// asserts that no separator has the bit of a name, and that each state has the number of its error
const _: () = assert!((COLON | AFTER_VALUE | END) & NAME == 0 && COLON & CLOSING == 0 && END & CLOSING == 0);
const _: () = {
    let mut states = [
        (VALUE, ErrorKind::ExpectedValue),
        (VALUE | CLOSING, ErrorKind::ExpectedValue),
        (NAME, ErrorKind::ExpectedName),
        (NAME | CLOSING, ErrorKind::ExpectedName),
        (COLON, ErrorKind::ExpectedColon),
        (AFTER_VALUE, ErrorKind::ExpectedComma),
        (END, ErrorKind::TrailingData),
    ]
    .as_slice();
    while let [(expect, kind), rest @ ..] = states {
        assert!(State { open: NONE_OPEN, expect: *expect }.missing() == *kind as u32);
        states = rest;
    }
};

/// The open brackets, the innermost in the lowest bit: 1 is an object, 0 an array. The highest set bit is a sentinel.
pub(super) type Open = u64;

/// No bracket is open.
pub(super) const NONE_OPEN: Open = 1;

/// The open brackets after one more opening bracket; `None` if the nesting is too deep.
#[inline(always)]
pub(super) const fn opened(open: Open, is_object: u32) -> Option<Open> {
    if open >> MAX_DEPTH != 0 { None } else { Some(open << 1 | is_object as u64) }
}

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
    /// Any other byte: possibly the first one of a number or literal. The lexer finds its kind and end.
    Scalar,
    /// A byte that begins no token that is allowed here.
    Misplaced,
    /// An opening bracket beyond the maximum depth.
    TooDeep,
}

impl State {
    /// The state before a text.
    pub(super) const FRONT: Self = Self { open: NONE_OPEN, expect: VALUE };

    /// Moves over a bracket or separator, or to a string or scalar; the caller finds the end of the latter two.
    ///
    /// `byte` is not white space. The caller calls [`value_ended`](Self::value_ended) after a closing bracket, a scalar, or a string that
    /// is not a name, and [`name_ended`](Self::name_ended) after a name.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the lowest bit is wanted")]
    pub(super) const fn step(&mut self, byte: u32) -> Token {
        let separator = self.expect >> 2;
        if separator != 0 {
            // name-separator = ws %x3A ws ; value-separator = ws %x2C ws
            if byte == separator {
                // after a comma NAME in an object, VALUE in an array
                self.expect = if self.expect == COLON { VALUE } else { self.open as u32 & NAME };
                return Token::Separator;
            }
        } else if byte == b'"' as u32 {
            // string = quotation-mark *char quotation-mark
            return Token::String;
        } else if byte | 0x20 != b'}' as u32 {
            return self.value_begins(byte);
        }
        // end-array = ws %x5D ws ; end-object = ws %x7D ws
        if self.expect & CLOSING == 0 || byte != b']' as u32 | (self.open as u32 & 1) << 5 {
            return Token::Misplaced;
        }
        self.open >>= 1;
        Token::Closing
    }

    /// [`step`](Self::step) for the first byte of a value that is no string, where a value or a name must come.
    #[inline(always)]
    const fn value_begins(&mut self, byte: u32) -> Token {
        if self.expect & NAME != 0 {
            return Token::Misplaced;
        }
        // begin-array = ws %x5B ws ; begin-object = ws %x7B ws
        if byte | 0x20 == b'{' as u32 {
            let is_object = byte >> 5 & 1;
            let Some(open) = opened(self.open, is_object) else { return Token::TooDeep };
            self.open = open;
            self.expect = CLOSING | is_object;
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

    /// Moves over the end of a value; `outermost` if it is the whole text.
    #[inline(always)]
    pub(super) const fn value_ended(&mut self, outermost: bool) {
        self.expect = if outermost { END } else { AFTER_VALUE };
    }

    /// Whether a whole text has been read.
    #[inline(always)]
    pub(super) const fn is_end(self) -> bool {
        self.expect == END
    }

    /// The [number](ErrorKind::syntax) of the error for a byte that begins no token that is allowed here.
    #[inline(always)]
    pub(super) const fn missing(self) -> u32 {
        // shifted last: 8 bytes of flash less (thumbv7m at `s`, 2026-11)
        (self.expect & 0x1C).wrapping_add((self.expect & NAME) << 2).wrapping_add(4) >> 2
    }
}
