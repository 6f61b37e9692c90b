//! The validating pass for bytes that arrive one by one. It validates a value to find its end.
//!
//! It is a state machine that can stop after any byte and resume. Tests compare its verdict, kind and offset with those of
//! [`scan`](super::scan).

use super::grammar::{self, NONE_OPEN, State};
use super::lex::bytes::{is_white_space, literal, special_bytes};
use super::lex::table;
use crate::error::ErrorKind;

/// The token to which the next byte belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Token {
    /// At the beginning of a token, or between two tokens.
    None,
    /// Between two characters of a string.
    String,
    /// In `false`, `null` or `true`: `word` holds the missing bytes.
    Literal,
    /// In a number, an escape or a character beyond ASCII: `word` is a row of the [`table`].
    Row,
}

/// The effect of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// Valid so far; the value continues.
    More,
    /// The byte ends the value.
    Last,
    /// The value is a number and ended before this byte.
    Behind,
    /// A number in the value ended before this byte.
    Again,
    /// The byte is an error.
    Wrong(ErrorKind),
}

/// The state of the pass within a value.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) struct Incremental {
    state: State,
    word: u32,
    token: Token,
}

impl Incremental {
    pub(crate) const NEW: Self = Self { state: State::FRONT, word: 0, token: Token::None };

    /// Whether no byte of a value has arrived.
    pub(crate) fn is_new(&self) -> bool {
        self.state == State::FRONT && self.token == Token::None
    }

    /// Whether the text so far is a complete number. Values of all other kinds end at their last byte.
    pub(crate) fn is_number(&self) -> bool {
        let is_at_end = || table::step(self.word, b' '.into()) == table::ENDED.into();
        self.state.open == NONE_OPEN && self.token == Token::Row && is_at_end()
    }

    /// Reads `bytes` up to the end of the value. Returns the number of valid bytes, and `None` if the value continues, `Some(Ok(()))` at
    /// its end, or the kind of the error in the next byte. After an end or an error the pass must not be used again.
    ///
    /// # Limits
    /// As [`scan`](super::scan): nesting [`MAX_DEPTH`](crate::MAX_DEPTH), stack constant, each byte once.
    #[inline(never)]
    pub(crate) fn take(&mut self, bytes: &[u8]) -> (usize, Option<Result<(), ErrorKind>>) {
        let mut at = 0usize;
        loop {
            if self.token == Token::String {
                at = at.wrapping_add(plain_len(bytes.get(at..).unwrap_or_default()));
            }
            if self.token == Token::Row && table::keeps_digits(self.word) {
                at = table::after_digits(bytes, at);
            }
            let Some(byte) = bytes.get(at) else { return (at, None) };
            match self.byte(*byte) {
                Step::More => {}
                Step::Again => continue,
                Step::Last => return (at.wrapping_add(1), Some(Ok(()))),
                Step::Behind => return (at, Some(Ok(()))),
                Step::Wrong(kind) => return (at, Some(Err(kind))),
            }
            at = at.wrapping_add(1);
        }
    }

    fn goes_on(&mut self, token: Token) -> Step {
        self.token = token;
        Step::More
    }

    fn byte(&mut self, byte: u8) -> Step {
        match self.token {
            Token::None => self.between(byte),
            Token::String => match byte {
                b'"' => {
                    self.token = Token::None;
                    if !self.state.is_name() {
                        return self.value_ended();
                    }
                    self.state.name_ended();
                    Step::More
                }
                b' '..0x80 if byte != b'\\' => Step::More,
                _ => self.look_up(table::CHAR, byte),
            },
            Token::Literal => {
                if u32::from(byte) != self.word & 0xFF {
                    return Step::Wrong(ErrorKind::InvalidLiteral);
                }
                self.word >>= 8;
                if self.word == 0 { self.value_ended() } else { Step::More }
            }
            Token::Row => self.look_up(self.word, byte),
        }
    }

    /// Looks `byte` up in `row` of the table.
    fn look_up(&mut self, row: u32, byte: u8) -> Step {
        let next = table::next(row, byte.into());
        if next == table::ENDED.into() {
            return match self.value_ended() {
                Step::Last => Step::Behind,
                _ => Step::Again,
            };
        }
        if next == table::LAST.into() {
            return self.goes_on(Token::String);
        }
        if table::is_error(next) {
            return Step::Wrong(ErrorKind::syntax(next));
        }
        self.goes_on_in(next)
    }

    /// Goes on in `row` of the table.
    fn goes_on_in(&mut self, row: u32) -> Step {
        self.word = row;
        self.goes_on(Token::Row)
    }

    /// Between tokens, or at the first byte of one.
    fn between(&mut self, byte: u8) -> Step {
        let wide = u32::from(byte);
        if is_white_space(wide) {
            return Step::More;
        }
        match self.state.step(wide) {
            grammar::Token::Closing => self.value_ended(),
            grammar::Token::Separator | grammar::Token::Opening => Step::More,
            grammar::Token::String => self.goes_on(Token::String),
            grammar::Token::Scalar => match (table::number(wide), literal(wide)) {
                (Some(row), _) => self.goes_on_in(row),
                (None, Some(rest)) => {
                    self.word = rest;
                    self.goes_on(Token::Literal)
                }
                (None, None) => Step::Wrong(ErrorKind::ExpectedValue),
            },
            grammar::Token::Misplaced => Step::Wrong(ErrorKind::syntax(self.state.missing())),
            grammar::Token::TooDeep => Step::Wrong(ErrorKind::TooDeep),
        }
    }

    // on devices, the compiler otherwise computes the next state for every byte at opt-level `z`
    #[inline(never)]
    fn value_ended(&mut self) -> Step {
        let is_outermost = self.state.open == NONE_OPEN;
        self.token = Token::None;
        self.state.value_ended(is_outermost);
        if is_outermost { Step::Last } else { Step::More }
    }
}

/// The number of plain bytes at the front of a string.
fn plain_len(bytes: &[u8]) -> usize {
    let mut at = 0usize;
    while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let special = special_bytes(usize::from_le_bytes(*word));
        if special != 0 {
            return at.wrapping_add((special.trailing_zeros() >> 3) as usize);
        }
        at = at.wrapping_add(word.len());
    }
    at
}
