//! Every state of the grammar with every byte, against an automaton that is written from RFC 8259 and RFC 3629 alone.
//!
//! A state is the innermost bracket, with no, some or the maximum number of open ones, the set of allowed tokens, and the progress of a token. One
//! text that leads to each state is found by a search; it is read with each byte behind it, in front of more bytes and at the end of
//! the text, behind paddings that move it through the blocks in which hosts read.

use std::collections::{HashSet, VecDeque};

use nanojsonrpc::{Error, ErrorKind, MAX_DEPTH, RawValue};

/// The progress of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Token {
    /// Between two tokens.
    None,
    String,
    Escape,
    /// `\u` and this many digits: the first two show a surrogate.
    Digits(u8, Unit),
    /// Behind a high surrogate: the number of read bytes of `\u`.
    LowHalf(u8),
    /// In a UTF-8 sequence: the number of missing bytes, and the range of the next one.
    Sequence(u8, u8, u8),
    /// In a literal: its missing rest.
    Literal(&'static [u8]),
    Minus,
    Zero,
    Int,
    Point,
    Frac,
    E,
    Sign,
    Exp,
}

/// The code points that the digits of an escape may still spell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Unit {
    /// No digit has been read.
    Any,
    /// `d` has been read, so it may be half of a pair.
    D,
    High,
    /// No half of a pair.
    Other,
    /// The low half behind a high one: no digit, `d`, and two digits and more.
    Low0,
    Low1,
    Low2,
}

/// The allowed next tokens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Next {
    Value,
    /// Behind an opening square bracket.
    FirstValue,
    Name,
    /// Behind an opening brace.
    FirstName,
    Colon,
    /// Behind a value in a bracket.
    Comma,
    End,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    /// Whether each open bracket is a brace.
    open: Vec<bool>,
    next: Next,
    token: Token,
}

impl State {
    fn new() -> Self {
        Self { open: Vec::new(), next: Next::Value, token: Token::None }
    }

    fn is_name(&self) -> bool {
        matches!(self.next, Next::Name | Next::FirstName)
    }

    fn to(mut self, token: Token) -> Option<Self> {
        self.token = token;
        Some(self)
    }

    /// Behind a name, or a value.
    fn ended(mut self) -> Self {
        self.token = Token::None;
        self.next = match self.open.last() {
            _ if self.is_name() => Next::Colon,
            Some(_) => Next::Comma,
            None => Next::End,
        };
        self
    }

    /// Whether the text may end here.
    fn is_end(&self) -> bool {
        let number_ended = matches!(self.token, Token::Zero | Token::Int | Token::Frac | Token::Exp);
        self.open.is_empty() && (self.next == Next::End || number_ended)
    }

    /// Moves over `byte`; `None` if no valid text continues with it.
    fn step(self, byte: u8) -> Option<Self> {
        use Token::*;
        let hex = byte.is_ascii_hexdigit();
        match self.token {
            None => self.between(byte),
            String => match byte {
                b'"' => Some(self.ended()),
                b'\\' => self.to(Escape),
                0x20..0x80 => Some(self),
                // UTF8-2 / UTF8-3 / UTF8-4 of RFC 3629 §4
                0xC2..=0xDF => self.to(Sequence(1, 0x80, 0xBF)),
                0xE0 => self.to(Sequence(2, 0xA0, 0xBF)),
                0xED => self.to(Sequence(2, 0x80, 0x9F)),
                0xE1..=0xEF => self.to(Sequence(2, 0x80, 0xBF)),
                0xF0 => self.to(Sequence(3, 0x90, 0xBF)),
                0xF1..=0xF3 => self.to(Sequence(3, 0x80, 0xBF)),
                0xF4 => self.to(Sequence(3, 0x80, 0x8F)),
                _ => Option::None,
            },
            Sequence(left, low, high) if (low..=high).contains(&byte) => {
                self.to(if left == 1 { String } else { Sequence(left - 1, 0x80, 0xBF) })
            }
            Escape if byte == b'u' => self.to(Digits(0, Unit::Any)),
            Escape if b"\"\\/bfnrt".contains(&byte) => self.to(String),
            Digits(came, unit) if hex => {
                let unit = match (unit, byte.to_ascii_lowercase()) {
                    (Unit::Any, b'd') => Unit::D,
                    (Unit::Any, _) => Unit::Other,
                    (Unit::D, b'8'..=b'9' | b'a'..=b'b') => Unit::High,
                    // a low half that no high one announced
                    (Unit::D, b'c'..=b'f') => return Option::None,
                    (Unit::D, _) => Unit::Other,
                    (Unit::Low0, b'd') => Unit::Low1,
                    (Unit::Low1, b'c'..=b'f') => Unit::Low2,
                    (Unit::Low0 | Unit::Low1, _) => return Option::None,
                    (unit, _) => unit,
                };
                match (came, unit) {
                    (3, Unit::High) => self.to(LowHalf(0)),
                    (3, _) => self.to(String),
                    _ => self.to(Digits(came + 1, unit)),
                }
            }
            LowHalf(0) if byte == b'\\' => self.to(LowHalf(1)),
            LowHalf(1) if byte == b'u' => self.to(Digits(0, Unit::Low0)),
            Literal(rest) if byte == rest[0] => {
                if rest.len() == 1 {
                    Some(self.ended())
                } else {
                    self.to(Literal(&rest[1..]))
                }
            }
            // number = [ minus ] int [ frac ] [ exp ]
            Minus if byte == b'0' => self.to(Zero),
            Minus | Int if byte.is_ascii_digit() => self.to(Int),
            Zero | Int if byte == b'.' => self.to(Point),
            Point | Frac if byte.is_ascii_digit() => self.to(Frac),
            Zero | Int | Frac if byte | 0x20 == b'e' => self.to(E),
            E if matches!(byte, b'-' | b'+') => self.to(Sign),
            E | Sign | Exp if byte.is_ascii_digit() => self.to(Exp),
            Zero if byte.is_ascii_digit() => Option::None,
            Zero | Int | Frac | Exp => self.ended().between(byte),
            _ => Option::None,
        }
    }

    fn between(mut self, byte: u8) -> Option<Self> {
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            return Some(self);
        }
        let is_value = matches!(self.next, Next::Value | Next::FirstValue);
        match byte {
            b'"' if is_value || self.is_name() => self.to(Token::String),
            b'[' | b'{' if is_value && self.open.len() < MAX_DEPTH => {
                self.open.push(byte == b'{');
                self.next = if byte == b'{' { Next::FirstName } else { Next::FirstValue };
                Some(self)
            }
            b']' | b'}' => {
                let may_end = matches!(self.next, Next::Comma | Next::FirstValue | Next::FirstName);
                if !may_end || self.open.pop() != Some(byte == b'}') {
                    return None;
                }
                self.next = Next::Value;
                Some(self.ended())
            }
            b',' if self.next == Next::Comma => {
                self.next = if self.open.last() == Some(&true) { Next::Name } else { Next::Value };
                Some(self)
            }
            b':' if self.next == Next::Colon => {
                self.next = Next::Value;
                Some(self)
            }
            b't' if is_value => self.to(Token::Literal(b"rue")),
            b'f' if is_value => self.to(Token::Literal(b"alse")),
            b'n' if is_value => self.to(Token::Literal(b"ull")),
            b'-' if is_value => self.to(Token::Minus),
            b'0' if is_value => self.to(Token::Zero),
            b'1'..=b'9' if is_value => self.to(Token::Int),
            _ => None,
        }
    }
}

/// `Ok` if `text` is valid; otherwise the offset of the first byte that no valid text has there, or of its end.
fn reference(text: &[u8]) -> Result<(), usize> {
    let mut state = State::new();
    for (at, byte) in text.iter().enumerate() {
        state = state.step(*byte).ok_or(at)?;
    }
    if state.is_end() { Ok(()) } else { Err(text.len()) }
}

/// A shortest text that leads to each state, with at most two open brackets.
fn ways() -> Vec<Vec<u8>> {
    let mut seen = HashSet::from([State::new()]);
    let mut queue = VecDeque::from([(State::new(), Vec::new())]);
    let mut ways = Vec::new();
    while let Some((state, way)) = queue.pop_front() {
        for byte in 0..=u8::MAX {
            let Some(next) = state.clone().step(byte) else { continue };
            if next.open.len() <= 2 && seen.insert(next.clone()) {
                queue.push_back((next, [&way[..], &[byte]].concat()));
            }
        }
        ways.push(way);
    }
    ways
}

/// An emulated machine gets each text so far from the last one.
fn emulated(step: usize) -> usize {
    if std::env::var_os("NANOJSONRPC_RUNNER").is_some() { step } else { 1 }
}

fn assert_verdict(text: &[u8]) {
    let expected = reference(text);
    let found = RawValue::parse(text).map(|_| ());
    let at = found.map_err(Error::offset);
    assert_eq!(at, expected, "{found:?}: {}", text.escape_ascii());
    let is_end = found.is_err_and(|error| error.kind() == ErrorKind::UnexpectedEnd);
    assert_eq!(is_end, expected == Err(text.len()), "{found:?}: {}", text.escape_ascii());
}

#[test]
fn every_state_takes_and_refuses_every_byte_as_the_rfc_says() {
    let ways = ways();
    assert!(ways.len() > 500, "{} states", ways.len());
    // no, some, one less than the maximum, and the maximum number of brackets, in and behind a string, a number and lines
    let paddings: Vec<Vec<u8>> = [
        Vec::new(),
        b" ".repeat(61),
        [&b"[\""[..], &b"x".repeat(58), b"\","].concat(),
        [&b"{\"a\":["[..], &b"1,".repeat(45), b"\"\\n\xC3\xA9\","].concat(),
        [&b"[\n"[..], &b"  \"a\",\r\n\t".repeat(9)].concat(),
        b"[".repeat(MAX_DEPTH - 2),
        [&b"{\"error\":"[..], &b"[".repeat(MAX_DEPTH - 1)].concat(),
        b"[".repeat(MAX_DEPTH),
    ]
    .into();
    let step = if cfg!(miri) { 997 } else { emulated(31) };
    let texts = paddings.iter().flat_map(|padding| ways.iter().map(move |way| [&padding[..], way].concat()));
    for text in texts.step_by(step) {
        let len = text.len();
        for byte in 0..=u8::MAX {
            let mut text = text.clone();
            text.push(byte);
            assert_verdict(&text);
            // the byte is not among the last ones, and more tokens follow
            text.resize(len + 1 + 70, b'1');
            assert_verdict(&text);
            text[len + 1..].fill(b' ');
            assert_verdict(&text);
        }
    }
}

#[test]
fn every_state_is_moved_through_the_lanes_of_a_block() {
    for way in ways().iter().step_by(if cfg!(miri) { 331 } else { emulated(7) }) {
        for padding in (0..70).step_by(if cfg!(miri) { 31 } else { 1 }) {
            for end in [&b""[..], b"\"", b"\x1F", b"}", b"]", b",", b"\\", b"\x80", b"0", b" "] {
                let front = [&b"[\""[..], &b"y".repeat(padding), b"\","].concat();
                assert_verdict(&[&front[..], way, end].concat());
                assert_verdict(&[&front[..], way, end, &b" ".repeat(70)].concat());
            }
        }
    }
}

#[test]
fn every_state_within_a_string_takes_and_refuses_every_byte_in_blocks() {
    let is_inside = |way: &Vec<u8>| {
        let state = way.iter().try_fold(State::new(), |state, byte| state.step(*byte));
        let inside = [Token::String, Token::Escape, Token::LowHalf(0), Token::LowHalf(1)];
        state.is_some_and(|State { token, open, .. }| {
            open.is_empty() && (inside.contains(&token) || matches!(token, Token::Digits(..) | Token::Sequence(..)))
        })
    };
    let ways: Vec<_> = ways().into_iter().filter(is_inside).collect();
    assert!(ways.len() > 20, "{} states", ways.len());
    for way in ways.iter().step_by(if cfg!(miri) { 7 } else { emulated(7) }) {
        let opened = way.iter().rposition(|byte| *byte == b'"').expect("a string has begun") + 1;
        for padding in (0..66).step_by(if cfg!(miri) { 31 } else { 1 }) {
            // behind so many escapes the string is read in blocks
            let front = [&way[..opened], &b"\\n".repeat(6), &b"x".repeat(padding), &way[opened..]].concat();
            for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 61 } else { 1 }) {
                for end in [&b""[..], b"\"", b"\x80\x80\x80", b"00dC0a"] {
                    assert_verdict(&[&front[..], &[byte], end].concat());
                    assert_verdict(&[&front[..], &[byte], end, &b"x".repeat(140), b"\""].concat());
                }
            }
        }
    }
}
