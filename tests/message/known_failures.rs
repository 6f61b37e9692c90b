//! Failures of other libraries that no other test covers; and each test that `docs/known-failures.md` names exists.

use std::{collections::BTreeSet, fs, path::Path};

use nanojsonrpc::client::{Answer, Client};
use nanojsonrpc::frame::{ContentLength, FrameErrorKind, Framer};
use nanojsonrpc::{Envelope, ErrorKind, Id, Message, RawValue, Request, Response, Writer};

/// An answer of `id` to the call `id`.
fn answered(id: &str) -> String {
    let call = format!(r#"{{"jsonrpc":"2.0","method":"m","id":{id}}}"#);
    let request = Request::parse(call.as_bytes()).unwrap_or_else(|rejection| panic!("{rejection}: {call}"));
    let mut out = [0; 128];
    let len = Response::success(request.id, &true).write(&mut out).expect("room enough");
    String::from_utf8(out[..len].to_vec()).expect("UTF-8")
}

#[test]
fn ids_above_2_to_the_53_keep_every_digit() {
    for id in [
        "9007199254740992",
        "9007199254740993",
        "-9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "18446744073709551617",
        "123456789012345678901234567890123456789012345678901234567890.123",
        "1.0",
        "1e2",
    ] {
        assert_eq!(answered(id), format!(r#"{{"jsonrpc":"2.0","result":true,"id":{id}}}"#));
    }
}

#[test]
fn a_client_tells_ids_apart_that_are_one_float() {
    let mut client: Client<char, 2> = Client::new();
    let (mut buffer, even, odd) = ([0; 128], 9_007_199_254_740_992_i64, 9_007_199_254_740_993_i64);
    let mut out = Writer::new(&mut buffer);
    client.request(&Request::new(even, "m"), 'e', &mut out).expect("room");
    client.request(&Request::new(odd, "m"), 'o', &mut out).expect("room");
    for (id, tag) in [(odd, 'o'), (even, 'e')] {
        let response = format!(r#"{{"jsonrpc":"2.0","result":true,"id":{id}}}"#);
        assert_eq!(client.accept(&Envelope::parse(response.as_bytes()).expect("a response")), Some(Answer::To(tag)));
    }
}

#[test]
fn an_exponent_of_any_size_costs_no_more_than_its_digits() {
    for exponent in ["1e1000000000", "1E+99999999999999999999", "-1e1000000000", "0.1e999999999999"] {
        let value = RawValue::parse(exponent.as_bytes()).expect("a number");
        assert_eq!((value.as_i64(), value.as_u64(), value.as_f64()), (None, None, None), "{exponent}");
        assert_eq!(answered(exponent), format!(r#"{{"jsonrpc":"2.0","result":true,"id":{exponent}}}"#));
    }
    for exponent in ["1e-1000000000", "0e1000000000", "1E-99999999999999999999", "0.000e99999999999999999999"] {
        let value = RawValue::parse(exponent.as_bytes()).expect("a number");
        assert_eq!((value.as_i64(), value.as_f64()), (None, Some(0.0)), "{exponent}");
    }
}

#[test]
fn a_million_digits_are_a_number_and_too_long_for_an_id() {
    for digits in
        ["7".repeat(1_000_000), format!("0.{}", "7".repeat(1_000_000)), format!("1e{}", "7".repeat(1_000_000))]
    {
        let value = RawValue::parse(digits.as_bytes()).expect("a number");
        assert_eq!((value.as_bytes().len(), value.as_i64(), value.as_u64()), (digits.len(), None, None));
        let call = format!(r#"{{"jsonrpc":"2.0","method":"m","id":{digits}}}"#);
        let rejection = Message::parse(call.as_bytes()).expect_err("too long");
        assert_eq!((rejection.kind(), rejection.offset()), (ErrorKind::IdTooLong, 35));
        assert!(rejection.answer().is_some(), "a call is never lost");
    }
    let fraction = format!("0.{}", "3".repeat(1_000_000));
    assert_eq!(RawValue::parse(fraction.as_bytes()).expect("a number").as_f64(), Some(1.0 / 3.0));
}

#[test]
fn an_id_that_is_built_from_a_long_text_is_refused_and_not_cut() {
    // two bytes each, so that 63 or 65 bytes would cut one in half
    for (count, fits) in [(31, true), (32, true), (33, false)] {
        let text = "\u{e9}".repeat(count);
        assert_eq!(Id::<64>::try_from(text.as_str()).ok().as_ref().and_then(Id::as_str), fits.then_some(text.as_str()));
        let odd = format!("a{text}");
        assert_eq!(Id::<64>::try_from(odd.as_str()).is_ok(), odd.len() <= 64, "{odd}");
    }
}

#[test]
fn a_declared_length_is_believed_only_as_far_as_the_buffer() {
    for (length, kind) in [
        ("17", FrameErrorKind::TooLong),
        ("4294967295", FrameErrorKind::TooLong),
        ("4294967296", FrameErrorKind::LengthTooLarge),
        ("18446744073709551615", FrameErrorKind::LengthTooLarge),
        ("18446744073709551616", FrameErrorKind::LengthTooLarge),
        ("-1", FrameErrorKind::InvalidLength),
    ] {
        let mut framer = Framer::<ContentLength, 16>::new();
        // the front of the body fills the buffer
        let stream = format!("Content-Length: {length}\r\n\r\n{}", "{}".repeat(8));
        let (mut rest, mut errors) = (stream.as_bytes(), Vec::new());
        while !rest.is_empty() {
            rest = &rest[framer.push(rest)..];
            while let Some(found) = framer.next() {
                errors.push(found.map(<[u8]>::to_vec).map_err(|error| error.kind()));
            }
        }
        assert_eq!(errors, [Err(kind)], "{length}");
    }
}

#[test]
fn every_test_that_the_lists_of_known_failures_name_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/known-failures.md")).expect("the page");
    let (of_others, of_this_crate) = page.split_once("## Of this crate").expect("two lists");
    for (list, fewest) in [(of_others, 12), (of_this_crate, 45)] {
        let rows: Vec<_> = list.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
        assert!(rows.len() >= fewest, "a list of known failures has {} rows", rows.len());
        for row in rows {
            let tests = row.trim_end_matches('|').rsplit('|').next().expect("a last cell");
            let names: BTreeSet<_> = tests.split('`').skip(1).step_by(2).collect();
            assert!(!names.is_empty(), "no test in: {row}");
            for name in names {
                assert_exists(root, name);
            }
        }
    }
}

/// `name` is `folder/file::test` or `file::test`, below `tests`, or a file, or a command.
fn assert_exists(root: &Path, name: &str) {
    if let Some((file, test)) = name.split_once("::") {
        return assert_test_exists(root, file, test);
    }
    let file = name.split(' ').next().expect("a word");
    // the package of a registry lacks the scripts
    assert!(
        root.join(file).is_file() || file.starts_with(".ci/") && !root.join(".ci").is_dir(),
        "{file} does not exist"
    );
}

fn assert_test_exists(root: &Path, file: &str, test: &str) {
    let path = root.join("tests").join(file).with_extension("rs");
    let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // a function, or a line of a macro that makes one
    let lines = [format!("fn {test}("), format!("fn {test}<"), format!("    {test}(")];
    let exists = lines.iter().any(|line| source.contains(line.as_str()));
    assert!(exists, "{} has no test {test}", path.display());
}
