//! The automaton of the crate, learned from its verdicts alone: no grammar stands here. `tests/proofs/automaton.py` compares it with one that is
//! written from the RFCs.
//!
//! A state is the set of all texts that have the same verdicts on every text of `experiments`. Its open brackets are those that have to be closed
//! before the text is valid. The table has, for each state inside no, one or two open brackets, the effect of each byte. Behind other texts, and
//! inside more brackets up to the maximum, the same bytes must have the same effect; for the maximum, the table has rows of its own.

use std::collections::HashMap;
use std::fmt::Write;

use nanojsonrpc::{Envelope, ErrorCode, ErrorKind, MAX_DEPTH, RawValue};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Verdict {
    Valid,
    /// The text can become valid.
    More,
    /// At this offset, from the end of the text before the byte or experiment.
    Refused(ErrorKind, usize),
}

/// The verdict on `text` and `next`, where `text` can become valid.
fn verdict(text: &[u8], next: &[u8]) -> Verdict {
    let whole = [text, next].concat();
    let error = RawValue::parse(&whole).err();
    // the reader of messages has a pass of its own
    let of_message = Envelope::parse(&whole).err().map(|refused| refused.error);
    let is_syntax = of_message.filter(|error| error.code() == ErrorCode::PARSE_ERROR);
    assert_eq!(is_syntax, error, "{}", whole.escape_ascii());
    match error {
        None => Verdict::Valid,
        Some(error) if error.kind() == ErrorKind::UnexpectedEnd => {
            assert_eq!(error.offset(), whole.len(), "{}", whole.escape_ascii());
            Verdict::More
        }
        Some(error) => {
            let offset = error.offset().checked_sub(text.len());
            Verdict::Refused(error.kind(), offset.unwrap_or_else(|| panic!("{error:?}: {}", whole.escape_ascii())))
        }
    }
}

/// Texts that end any token.
fn tails() -> Vec<Vec<u8>> {
    let chars = ["", "n", "0000", "000", "00", "0", "00\\uDC00", "0\\uDC00", "\\uDC00", "uDC00", "DC00", "C00"];
    let bytes: [&[u8]; 6] = [b"\x80", b"\x80\x80", b"\x80\x80\x80", b"\xA0\x80", b"\x90\x80\x80", b"\x8F\x80\x80"];
    let in_string = chars.iter().map(|tail| tail.as_bytes()).chain(bytes).map(|tail| [tail, b"\""].concat());
    let others = ["", "0", "\"\"", ".0", "e0", "rue", "ue", "e", "alse", "lse", "se", "ull", "ll", "l"];
    in_string.chain(others.map(Vec::from)).collect()
}

/// The texts whose verdicts tell states apart. None opens a bracket, and none reads on behind a closing one.
fn experiments() -> Vec<Vec<u8>> {
    let ends = [":", ",", "]", "}", " 0"];
    let mut all: Vec<_> = tails().iter().flat_map(|tail| ends.map(|end| [tail, end.as_bytes()].concat())).collect();
    all.extend(
        [
            "0e0", "~", "0~", "00~", "000~", "D800", "DC00", "C", " ", "\t", "\"", "\\", "-", "+", "0", "9", "0.", ".",
            "e", "E", "t", "x",
        ]
        .map(Vec::from),
    );
    all.extend([0x00, 0x1F, 0x7F, 0x80, 0x90, 0xA0, 0xBF, 0xC2, 0xFF].map(|byte| vec![byte]));
    all
}

/// The behaviour of a text that can become valid: whether it is valid, and the result of each experiment.
type Behaviour = (bool, Vec<Option<(ErrorKind, usize)>>);

/// The effect of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    Refused(ErrorKind),
    /// `+` opens a bracket, `-` closes one, `=` neither; the next state.
    To(char, usize),
}

struct Row {
    state: usize,
    /// The closing brackets of those open, the innermost one first.
    stack: Vec<u8>,
    text: Vec<u8>,
    effects: Vec<Effect>,
}

struct Learner {
    tails: Vec<Vec<u8>>,
    experiments: Vec<Vec<u8>>,
    states: HashMap<Behaviour, usize>,
}

impl Learner {
    fn behaviour(&self, text: &[u8]) -> Behaviour {
        let result = |experiment: &Vec<u8>| match verdict(text, experiment) {
            Verdict::Refused(kind, at) => Some((kind, at)),
            Verdict::Valid | Verdict::More => None,
        };
        (verdict(text, b"") == Verdict::Valid, self.experiments.iter().map(result).collect())
    }

    fn state(&mut self, text: &[u8]) -> usize {
        let next = self.states.len();
        *self.states.entry(self.behaviour(text)).or_insert(next)
    }

    /// The brackets that `text` has to close: one more or less than `before`, or as many.
    fn stack(&self, text: &[u8], before: &[u8]) -> Vec<u8> {
        let outside = before.get(1..).unwrap_or_default();
        let stacks = [before.to_vec(), outside.to_vec(), [b"]", before].concat(), [b"}", before].concat()];
        let closes = |stack: &&Vec<u8>| {
            let ends = |tail: &Vec<u8>| {
                [&b""[..], b":0"].iter().any(|member| verdict(text, &[tail, *member, stack].concat()) == Verdict::Valid)
            };
            self.tails.iter().any(ends)
        };
        stacks.iter().find(closes).unwrap_or_else(|| panic!("never valid: {}", text.escape_ascii())).clone()
    }

    fn effect(&mut self, text: &[u8], stack: &[u8], byte: u8) -> (Effect, Vec<u8>) {
        if let Verdict::Refused(kind, at) = verdict(text, &[byte]) {
            assert_eq!(at, 0, "{} {byte:#x}", text.escape_ascii());
            return (Effect::Refused(kind), Vec::new());
        }
        let text = [text, &[byte]].concat();
        let inside = self.stack(&text, stack);
        let action = match inside.len().cmp(&stack.len()) {
            std::cmp::Ordering::Greater => '+',
            std::cmp::Ordering::Less => '-',
            std::cmp::Ordering::Equal => '=',
        };
        (Effect::To(action, self.state(&text)), inside)
    }

    /// A row for each state inside each stack of at most two brackets.
    fn rows(&mut self) -> Vec<Row> {
        let mut rows = vec![Row { state: self.state(b""), stack: Vec::new(), text: Vec::new(), effects: Vec::new() }];
        let mut at = 0;
        while at < rows.len() {
            let (text, stack) = (rows[at].text.clone(), rows[at].stack.clone());
            for byte in 0..=u8::MAX {
                let (effect, inside) = self.effect(&text, &stack, byte);
                rows[at].effects.push(effect);
                let Effect::To(_, state) = effect else { continue };
                if inside.len() <= 2 && !rows.iter().any(|row| row.state == state && row.stack == inside) {
                    let text = [&text[..], &[byte]].concat();
                    rows.push(Row { state, stack: inside, text, effects: Vec::new() });
                }
            }
            at += 1;
        }
        rows
    }
}

/// The first and the last byte of each effect.
fn ends_of(effects: &[Effect]) -> Vec<u8> {
    let place = |effect: &Effect, mut places: std::ops::RangeInclusive<u8>| {
        let is = |byte: &u8| effects[usize::from(*byte)] == *effect;
        [places.clone().find(is), places.rfind(is)].into_iter().flatten()
    };
    let mut bytes: Vec<u8> = effects.iter().flat_map(|effect| place(effect, 0..=u8::MAX)).collect();
    bytes.sort_unstable();
    bytes.dedup();
    bytes
}

/// A text with `depth` open brackets, behind tokens that move it through the blocks in which hosts read.
fn front(depth: usize) -> Vec<u8> {
    let mut front = b" \n".repeat(depth * 11 % 31);
    for level in 0..depth {
        front.extend_from_slice(match (level + depth) % 5 {
            0 | 2 => b"[",
            1 => b"{\"a\":",
            3 => b"[1,",
            _ => b"{\"\\n\":0,\"\xC3\xA9\":",
        });
    }
    if depth.is_multiple_of(3) && front.ends_with(b"[") {
        front.extend_from_slice(&[&b"\""[..], &b"x".repeat(depth * 37 % 64), b"\","].concat());
    }
    front
}

#[test]
fn every_state_goes_on_alike_inside_any_brackets() {
    let mut learner = Learner { tails: tails(), experiments: experiments(), states: HashMap::new() };
    let rows = learner.rows();
    let written = std::env::var_os("NANOJSONRPC_AUTOMATON");
    let mut table = String::new();
    let mut write = |row: &Row, is_full: bool, effects: &[Effect]| {
        let valid = verdict(&row.text, b"") == Verdict::Valid;
        let stack = String::from_utf8_lossy(&row.stack);
        _ = write!(table, "{} .{stack} {} {}", row.state, u8::from(is_full), u8::from(valid));
        for effect in effects {
            _ = match effect {
                Effect::Refused(kind) => write!(table, " {kind:?}"),
                Effect::To(action, state) => write!(table, " {action}{state}"),
            };
        }
        table.push('\n');
    };
    for row in &rows {
        write(row, false, &row.effects);
    }
    // a sample, unless the table is to be proved
    let step = if written.is_some() { 1 } else { 7 };
    // a text that reaches a state another way goes on like that by which the state was found
    for row in rows.iter().step_by(step) {
        for byte in ends_of(&row.effects) {
            let Effect::To(_, state) = row.effects[usize::from(byte)] else { continue };
            let text = [&row.text[..], &[byte]].concat();
            let stack = learner.stack(&text, &row.stack);
            let Some(same) = rows.iter().find(|row| row.state == state && row.stack == stack) else { continue };
            for next in ends_of(&same.effects) {
                let found = learner.effect(&text, &stack, next).0;
                assert_eq!(found, same.effects[usize::from(next)], "{} {next:#x}", text.escape_ascii());
            }
        }
    }
    for depth in (0..=MAX_DEPTH - 2).rev().step_by(step) {
        let front = front(depth);
        for row in rows.iter().filter(|row| row.stack.len() == 2) {
            let text = [&front[..], &row.text].concat();
            assert_eq!(learner.states.get(&learner.behaviour(&text)), Some(&row.state), "{}", text.escape_ascii());
            let is_full = depth == MAX_DEPTH - 2;
            let mut effects = row.effects.clone();
            for (byte, effect) in (0..=u8::MAX).zip(&mut effects) {
                if let (true, Effect::To('+', _)) = (is_full, *effect) {
                    *effect = Effect::Refused(ErrorKind::TooDeep);
                }
                for more in [&b""[..], &[b' '; 70], &[b'1'; 70]] {
                    let found = match verdict(&text, &[&[byte], more].concat()) {
                        Verdict::Refused(kind, 0) => Some(kind),
                        _ => None,
                    };
                    let expected = if let Effect::Refused(kind) = *effect { Some(kind) } else { None };
                    assert_eq!(found, expected, "{} {byte:#x}", text.escape_ascii());
                }
            }
            if is_full {
                write(row, true, &effects);
            }
        }
    }
    assert!(rows.len() > 250, "{} rows", rows.len());
    if let Some(path) = written {
        std::fs::write(path, table).expect("the table is written");
    }
}
