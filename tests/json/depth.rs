//! Nesting: exactly the limit is accepted, one more is refused, for any text, with constant stack.

use std::thread;

use crate::common::Rules;
use nanojsonrpc::{ErrorCode, ErrorKind, MAX_DEPTH, Message, RawValue};

/// Runs `test` where little stack is to be had. Debug builds take more of it than a device would.
fn in_a_small_stack(test: fn()) {
    let thread = thread::Builder::new().stack_size(64 * 1024).spawn(test).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// `depth` brackets around nothing, each chosen by `is_object`.
fn nested(depth: usize, is_object: impl Fn(usize) -> bool) -> Vec<u8> {
    let mut text = Vec::new();
    for level in 0..depth {
        match (is_object(level), level + 1 == depth) {
            (true, false) => text.extend_from_slice(b"{\"a\":"),
            (true, true) => text.push(b'{'),
            (false, _) => text.push(b'['),
        }
    }
    for level in (0..depth).rev() {
        text.push(if is_object(level) { b'}' } else { b']' });
    }
    text
}

const MIXES: [fn(usize) -> bool; 5] =
    [|_| false, |_| true, |level| level % 2 == 0, |level| level % 3 == 0, |level| level.count_ones() % 2 == 0];

#[test]
fn the_limit_is_accepted_and_one_more_is_refused_at_its_bracket() {
    in_a_small_stack(|| {
        for is_object in MIXES.into_iter().step_by(if cfg!(miri) { 4 } else { 1 }) {
            for depth in (1..=MAX_DEPTH).step_by(if cfg!(miri) { 21 } else { 1 }) {
                let text = nested(depth, is_object);
                assert!(RawValue::parse(&text).is_ok(), "depth {depth}: {}", crate::common::show(&text));
            }
            for depth in (MAX_DEPTH + 1..MAX_DEPTH + 70).step_by(if cfg!(miri) { 34 } else { 1 }) {
                let text = nested(depth, is_object);
                let objects = (0..MAX_DEPTH).filter(|level| is_object(*level)).count();
                // an object on the way takes `{"a":`, an array its bracket
                let offset = MAX_DEPTH + 4 * objects;
                let error = RawValue::parse(&text).expect_err("to be refused");
                assert_eq!((error.kind(), error.offset()), (ErrorKind::TooDeep, offset), "depth {depth}");
                assert_eq!(error.code(), ErrorCode::PARSE_ERROR);
                assert!(!error.is_incomplete());
            }
        }
    });
}

#[test]
fn a_message_counts_its_own_brackets() {
    in_a_small_stack(|| {
        for is_object in MIXES.into_iter().step_by(if cfg!(miri) { 4 } else { 1 }) {
            let params = nested(MAX_DEPTH - 1, is_object);
            let message = [br#"{"jsonrpc":"2.0","method":"m","id":1,"params":"#, params.as_slice(), b"}"].concat();
            for rules in [Rules::JsonRpc, Rules::Cauce] {
                assert!(Message::parse_as(&message, rules.dialect()).is_ok(), "{}", crate::common::show(&message));
            }
            let batch = [b"[", message.as_slice(), b"]"].concat();
            let rejection = Message::parse(&batch).expect_err("to be refused");
            assert_eq!((rejection.kind(), rejection.code()), (ErrorKind::TooDeep, ErrorCode::PARSE_ERROR));
            let ignored = [br#"{"jsonrpc":"2.0","method":"m","id":1,"x":["#, params.as_slice(), b"]}"].concat();
            assert_eq!(Message::parse(&ignored).expect_err("to be refused").kind(), ErrorKind::TooDeep);
        }
    });
}

#[test]
fn a_message_one_bracket_too_deep_is_refused_however_it_is_written() {
    in_a_small_stack(|| {
        for is_object in MIXES.into_iter().step_by(if cfg!(miri) { 4 } else { 1 }) {
            for [open, colon, comma, close] in
                [["{", ":", ",", "}"], ["{", ": ", ", ", "}"], ["{\n  ", ": ", ",\n  ", "\n}\n"], [" {", ":", ",", "}"]]
            {
                let head =
                    format!("{open}\"jsonrpc\"{colon}\"2.0\"{comma}\"method\"{colon}\"m\"{comma}\"params\"{colon}");
                let text = |depth| [head.as_bytes(), &nested(depth, is_object), close.as_bytes()].concat();
                let deepest = text(MAX_DEPTH - 1);
                assert!(Message::parse(&deepest).is_ok(), "{}", crate::common::show(&deepest));
                let deeper = text(MAX_DEPTH);
                let rejection = Message::parse(&deeper).expect_err("to be refused");
                let brackets = (head.len()..deeper.len()).filter(|at| matches!(deeper[*at], b'[' | b'{'));
                let last = brackets.max().expect("brackets");
                assert_eq!(
                    (rejection.kind(), rejection.offset()),
                    (ErrorKind::TooDeep, last),
                    "{}",
                    crate::common::show(&deeper)
                );
            }
        }
    });
}

#[test]
fn depth_is_nesting_and_not_the_number_of_brackets() {
    in_a_small_stack(|| {
        let text = format!("[{}[]]", "[{}],".repeat(50_000));
        let value = RawValue::parse(text.as_bytes()).expect("a flat array");
        assert_eq!(value.elements().count(), 50_001);
        let text =
            format!("[{}0]", format!("{},", str::from_utf8(&nested(MAX_DEPTH - 1, |_| true)).unwrap()).repeat(500));
        let value = RawValue::parse(text.as_bytes()).expect("many deep values");
        assert_eq!(value.elements().count(), 501);
    });
}

#[test]
fn a_megabyte_of_brackets_is_refused() {
    in_a_small_stack(|| {
        for bracket in [b"[".as_slice(), b"{\"a\":", b"[{\"a\":", b" [ "] {
            let text = bracket.repeat(1024 * 1024 / bracket.len());
            let error = RawValue::parse(&text).expect_err("to be refused");
            assert_eq!(error.kind(), ErrorKind::TooDeep);
            assert!(error.offset() < 64 * 5);
            for rules in Rules::ALL {
                let rejection = Message::parse_as(&text, rules.dialect()).expect_err("to be refused");
                assert_eq!(rejection.error, error);
            }
        }
    });
}

#[test]
fn a_megabyte_of_closing_brackets_or_of_anything_long_needs_no_more_stack() {
    in_a_small_stack(|| {
        let closing = vec![b']'; 1024 * 1024];
        assert_eq!(RawValue::parse(&closing).expect_err("to be refused").kind(), ErrorKind::ExpectedValue);
        let string = format!("\"{}\"", "\\ud83d\\ude00".repeat(80_000));
        let value = RawValue::parse(string.as_bytes()).expect("a long string");
        assert_eq!(value.as_str_raw().map(|text| text.chars().count()), Some(80_000));
        let number = "1".repeat(1024 * 1024);
        assert_eq!(RawValue::parse(number.as_bytes()).map(|value| value.as_i64()), Ok(None));
        let batch = format!("[{}1]", "1,".repeat(500_000));
        let Ok(Message::Batch(batch)) = Message::parse(batch.as_bytes()) else { panic!("no batch") };
        assert_eq!(batch.elements().filter(|element| element.is_err()).count(), 500_001);
    });
}
