//! The validating pass for bytes that arrive one by one. It validates a value to find its end.
//!
//! It is a state machine that can stop after any byte and resume. Tests compare its verdict, kind and offset with those of
//! [`scan`](super::scan).

use super::grammar::{self, NONE_OPEN, State};
use super::lex::bytes::{hex_digit, is_white_space, special_bytes};
use crate::error::ErrorKind;

/// The token to which the next byte belongs, and the position in that token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Token {
    /// At the beginning of a token, or between two tokens.
    None,
    String,
    /// After a backslash.
    Escape,
    /// In `4HEXDIG`: `word` is a leading 1 and the digits so far.
    Unicode,
    /// Before the low half of a surrogate pair: `word` is the number of bytes of `\uDC` that have arrived.
    LowHalf,
    /// In a UTF-8 sequence: `word` holds the range of the next byte, and a one for each missing byte.
    Sequence,
    /// In `false`, `null` or `true`: `word` holds the missing bytes.
    Literal,
    // number = [ minus ] int [ frac ] [ exp ], named after the part just read
    Minus,
    Zero,
    Int,
    Point,
    Frac,
    E,
    Sign,
    Exp,
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
        self.state.open == NONE_OPEN && matches!(self.token, Token::Zero | Token::Int | Token::Frac | Token::Exp)
    }

    /// Reads `bytes` up to the end of the value. Returns the number of valid bytes, and `None` if the value continues, `Some(Ok(()))` at
    /// its end, or the kind of the error in the next byte. After an end or an error the pass must not be used again.
    ///
    /// # Limits
    /// As [`scan`](super::scan): nesting [`MAX_DEPTH`], stack constant, each byte once.
    #[inline(never)]
    pub(crate) fn take(&mut self, bytes: &[u8]) -> (usize, Option<Result<(), ErrorKind>>) {
        let mut at = 0usize;
        loop {
            if self.token == Token::String {
                at = at.wrapping_add(plain_len(bytes.get(at..).unwrap_or_default()));
            }
            let Some(byte) = bytes.get(at) else { return (at, None) };
            match self.byte(*byte) {
                Step::More => {}
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
                b'\\' => self.goes_on(Token::Escape),
                // unescaped = %x20-21 / %x23-5B / %x5D-10FFFF
                0..0x20 => Step::Wrong(ErrorKind::ControlCharacter),
                0x20..0x80 => Step::More,
                _ => self.sequence(byte),
            },
            // %x5C ( %x22 / %x5C / %x2F / %x62 / %x66 / %x6E / %x72 / %x74 / %x75 4HEXDIG )
            Token::Escape => match byte {
                b'u' => {
                    self.word = 1;
                    self.goes_on(Token::Unicode)
                }
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.goes_on(Token::String),
                _ => Step::Wrong(ErrorKind::InvalidEscape),
            },
            Token::Unicode => self.hexadecimal(byte),
            Token::LowHalf => {
                let fits = match self.word {
                    0 => byte == b'\\',
                    1 => byte == b'u',
                    2 => byte | 0x20 == b'd',
                    _ => matches!(byte | 0x20, b'c'..=b'f'),
                };
                if !fits {
                    return Step::Wrong(ErrorKind::LoneSurrogate);
                }
                self.word = self.word.wrapping_add(1);
                if self.word == 4 {
                    // two digits of the low surrogate remain
                    self.word = 0x100;
                    self.token = Token::Unicode;
                }
                Step::More
            }
            Token::Sequence => {
                let [low, high, ones, _] = self.word.to_le_bytes();
                if byte < low || byte > high {
                    return Step::Wrong(ErrorKind::InvalidUtf8);
                }
                self.follow(0x80, 0xBF, ones << 1)
            }
            Token::Literal => {
                if u32::from(byte) != self.word & 0xFF {
                    return Step::Wrong(ErrorKind::InvalidLiteral);
                }
                self.word >>= 8;
                if self.word == 0 { self.value_ended() } else { Step::More }
            }
            _ => self.number(byte),
        }
    }

    /// UTF8-2 / UTF8-3 / UTF8-4, with the narrower second byte after E0, ED, F0 and F4. RFC 3629 §4.
    fn sequence(&mut self, first: u8) -> Step {
        let (low, high) = match first {
            0xE0 => (0xA0, 0xBF),
            0xED => (0x80, 0x9F),
            0xF0 => (0x90, 0xBF),
            0xF4 => (0x80, 0x8F),
            0xC2..=0xF4 => (0x80, 0xBF),
            _ => return Step::Wrong(ErrorKind::InvalidUtf8),
        };
        // the lead byte has one more leading one than continuation bytes follow
        self.follow(low, high, first << 1)
    }

    fn follow(&mut self, low: u8, high: u8, ones: u8) -> Step {
        self.word = u32::from_le_bytes([low, high, ones, 0]);
        self.goes_on(if ones & 0x80 == 0 { Token::String } else { Token::Sequence })
    }

    /// 4HEXDIG, and the rules for surrogates.
    fn hexadecimal(&mut self, byte: u8) -> Step {
        let Some(digit) = hex_digit(u32::from(byte)) else { return Step::Wrong(ErrorKind::InvalidEscape) };
        self.word = self.word << 4 | digit;
        // DC to DF: a low surrogate without a high one before it
        if self.word >> 2 == 0x1DC >> 2 {
            return Step::Wrong(ErrorKind::LoneSurrogate);
        }
        // a high surrogate must be followed by a low one
        if self.word >> 10 == 0x1_D800 >> 10 {
            self.word = 0;
            return self.goes_on(Token::LowHalf);
        }
        if self.word >> 16 != 0 {
            self.token = Token::String;
        }
        Step::More
    }

    /// number = [ minus ] int [ frac ] [ exp ]
    fn number(&mut self, byte: u8) -> Step {
        let next = match (self.token, byte) {
            // int = zero / ( digit1-9 *DIGIT )
            (Token::Minus, b'0') => Token::Zero,
            (Token::Minus | Token::Int, b'0'..=b'9') => Token::Int,
            // frac = decimal-point 1*DIGIT
            (Token::Zero | Token::Int, b'.') => Token::Point,
            (Token::Point | Token::Frac, b'0'..=b'9') => Token::Frac,
            // exp = e [ minus / plus ] 1*DIGIT
            (Token::Zero | Token::Int | Token::Frac, b'e' | b'E') => Token::E,
            (Token::E, b'-' | b'+') => Token::Sign,
            (Token::E | Token::Sign | Token::Exp, b'0'..=b'9') => Token::Exp,
            (Token::Minus | Token::Point | Token::E | Token::Sign, _) | (Token::Zero, b'0'..=b'9') => {
                return Step::Wrong(ErrorKind::InvalidNumber);
            }
            _ => {
                return match self.value_ended() {
                    Step::Last => Step::Behind,
                    _ => self.between(byte),
                };
            }
        };
        self.goes_on(next)
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
            grammar::Token::Scalar => match byte {
                b't' => self.literal(*b"rue\0"),
                b'f' => self.literal(*b"alse"),
                b'n' => self.literal(*b"ull\0"),
                b'-' => self.goes_on(Token::Minus),
                b'0' => self.goes_on(Token::Zero),
                b'1'..=b'9' => self.goes_on(Token::Int),
                _ => Step::Wrong(self.state.missing()),
            },
            grammar::Token::Misplaced => Step::Wrong(self.state.missing()),
            grammar::Token::TooDeep => Step::Wrong(ErrorKind::TooDeep),
        }
    }

    fn literal(&mut self, rest: [u8; 4]) -> Step {
        self.word = u32::from_le_bytes(rest);
        self.goes_on(Token::Literal)
    }

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
