//! The byte-wise pass: checks UTF-8, grammar and depth, and captures the requested members, in one walk.
//!
//! One function over bytes with one byte of look-ahead: on Cortex-M it was measured smaller and faster than a cursor behind `&mut self`. No
//! operation here can panic: bytes are read with `get`, sums wrap. On 64-bit hosts this pass is the fallback that determines the kind and
//! offset of every error.

use super::Captured;
use super::grammar::{State, Token};
use super::lex::bytes::{literal, special_bytes};
use super::lex::table::{CHAR, is_error, number, token};
use super::name_table::{NameTable, Position, REPEAT};
use super::trim_start;
use crate::error::{Error, ErrorKind};

/// An offset in a text before which everything is valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Checkpoint {
    pub(super) at: usize,
    /// The grammar state there.
    pub(super) state: State,
    /// Whether `at` is within a string, between two characters.
    pub(super) in_string: bool,
}

impl Checkpoint {
    /// The front of a text.
    pub(super) const FRONT: Self = Self { at: 0, state: State::FRONT, in_string: false };
}

impl<'a> Captured<'a> {
    /// The slot of the first repeated value: the second value under one name.
    pub(crate) const REPEAT: usize = REPEAT;

    /// Begins a member; its name is at the front of `inside`. Returns the position where its value is captured, or [`Position::OTHER`]. `position`
    /// is the last parameter, because `inside` then moves through fewer registers: 8 bytes of stack less.
    #[inline(never)]
    pub(super) fn begin(&mut self, names: &NameTable, inside: &'a [u8], position: Position) -> Position {
        let Some((position, behind)) = names.find(position, inside) else { return Position::OTHER };
        // the slice is shortened by `end` when the pass reaches the end of the value
        self.value(position, trim_start(behind))
    }
}

/// Validates `text`, a value at `position`, and captures the members that are in `names`.
#[inline(never)]
pub(super) fn scan_at<'a>(
    position: Position,
    text: &'a [u8],
    names: &NameTable,
    captured: &mut Captured<'a>,
) -> Result<(), Error> {
    pass(text, names, captured, Checkpoint::FRONT, position)
}

/// The pass. It captures only if it starts at the front of the text. On a device, every pass starts there, and the check costs nothing.
pub(super) fn pass<'a>(
    text: &'a [u8],
    names: &NameTable,
    captured: &mut Captured<'a>,
    checkpoint: Checkpoint,
    mut position: Position,
) -> Result<(), Error> {
    // The offset after `byte`. Past the end the text reads as 0, which is valid nowhere; `at` is then larger than the length.
    let mut at = checkpoint.at;
    macro_rules! next {
        () => {{
            let byte = text.get(at).map_or(0, |byte| *byte as u32);
            at = at.wrapping_add(1);
            byte
        }};
    }
    let Checkpoint { mut state, mut in_string, .. } = checkpoint;
    // JSON-text = ws value ws
    let number = 'refused: {
        'token: loop {
            // the end of the text also reaches this point, as a 0
            let byte = if core::mem::take(&mut in_string) { u32::from(b'"') } else { next!() };
            if byte <= b' ' as u32 {
                // the same as `is_white_space`, in less flash: bit 2 is the only difference between tab and carriage return
                if byte != b' ' as u32 && byte | 4 != b'\r' as u32 && byte != b'\n' as u32 {
                    break 'token;
                }
                continue 'token;
            }
            match state.step(byte) {
                Token::Closing => position = position.outside(),
                Token::Separator => continue 'token,
                Token::Opening => {
                    position = position.inside();
                    continue 'token;
                }
                Token::String => {
                    let opened = at;
                    loop {
                        while let Some(word) = text.get(at..).and_then(|rest| rest.first_chunk()) {
                            let special = special_bytes(usize::from_le_bytes(*word));
                            if special != 0 {
                                at = at.wrapping_add((special.trailing_zeros() >> 3) as usize);
                                break;
                            }
                            at = at.wrapping_add(word.len());
                        }
                        let result;
                        if text.get(at) == Some(&b'"') {
                            at = at.wrapping_add(1);
                            break;
                        }
                        (at, result) = token(text, at, CHAR);
                        if is_error(result) {
                            break 'refused result;
                        }
                    }
                    // member = string name-separator value
                    if state.is_name() {
                        if let (true, Some(inside)) = (position.is_captured(), text.get(opened..)) {
                            position = captured.begin(names, inside, position).beside(position);
                        }
                        state.name_ended();
                        continue 'token;
                    }
                }
                Token::Scalar => {
                    if let Some(row) = number(byte) {
                        let result;
                        (at, result) = token(text, at, row);
                        if is_error(result) {
                            break 'refused result;
                        }
                    } else {
                        let Some(mut rest) = literal(byte) else { break 'token };
                        while rest != 0 {
                            if next!() != rest & 0xFF {
                                break 'refused ErrorKind::InvalidLiteral as u32;
                            }
                            rest >>= 8;
                        }
                    }
                }
                Token::Misplaced => break 'token,
                Token::TooDeep => break 'refused ErrorKind::TooDeep as u32,
            }
            // a value has ended just before `at`
            if position.is_captured() {
                captured.end(position, text.len().wrapping_sub(at));
            }
            state.value_ended(position.is_outermost());
        }
        state.missing()
    };
    let number = if at <= text.len() {
        number
    } else if state.is_end() {
        return Ok(());
    } else {
        ErrorKind::UnexpectedEnd as u32
    };
    Err(Error::new(ErrorKind::syntax(number), at.wrapping_sub(1)))
}
