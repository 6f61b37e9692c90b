//! The parsing tests of JSONTestSuite: `y_` must be accepted, `n_` refused, `i_` is decided here, one by one.

use std::fs;

use crate::common::{Rules, corpora, json, show};
use nanojsonrpc::{Envelope, EnvelopeKind, ErrorCode, Message, RawValue};

/// The files whose names begin with `prefix`.
fn files(prefix: &str) -> Option<Vec<(String, Vec<u8>)>> {
    let folder = corpora()?.join("JSONTestSuite");
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a file").path())
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), path))
        .filter(|(name, _)| name.starts_with(prefix))
        .map(|(name, path)| (name, fs::read(path).expect("a file that can be read")))
        .collect();
    files.sort();
    Some(files)
}

/// The value where a message has its params, as the last member and as the first.
fn as_params(value: &[u8]) -> [Vec<u8>; 2] {
    [
        [br#"{"jsonrpc":"2.0","method":"m","id":1,"params":"#, value, b"}"].concat(),
        [br#"{"params":"#, value, br#","jsonrpc":"2.0","method":"m","id":1}"#].concat(),
    ]
}

/// The value in an unknown member.
fn as_ignored(value: &[u8]) -> Vec<u8> {
    [br#"{"jsonrpc":"2.0","ignored":"#, value, br#","method":"m","id":1}"#].concat()
}

#[test]
fn every_text_that_must_be_accepted_is() {
    let Some(files) = files("y_") else { return };
    assert_eq!(files.len(), 95);
    for (name, text) in files {
        let value = RawValue::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}: {}", show(&text)));
        assert_eq!(value.as_bytes(), text.trim_ascii(), "{name}");
        for message in as_params(&text) {
            // this dialect allows any value as params
            let envelope = Envelope::parse_as(&message, Rules::Cauce.dialect())
                .unwrap_or_else(|refused| panic!("{name}: {refused}: {}", show(&message)));
            assert_eq!(envelope.kind(), EnvelopeKind::Request, "{name}");
            let params = envelope.params().unwrap_or(RawValue::NULL);
            assert_eq!(params.as_bytes(), value.as_bytes(), "{name}");
            for rules in Rules::ALL {
                let code = Message::parse_as(&message, rules.dialect()).map_err(|refused| refused.code());
                assert!(code != Err(ErrorCode::PARSE_ERROR), "{name}: {rules:?}");
            }
        }
        for rules in Rules::ALL {
            let message = as_ignored(&text);
            let parsed = Message::parse_as(&message, rules.dialect());
            assert!(matches!(&parsed, Ok(Message::Request(request)) if request.params.is_none()), "{name}: {parsed:?}");
        }
    }
}

#[test]
fn every_text_that_must_be_refused_is() {
    let Some(files) = files("n_") else { return };
    assert_eq!(files.len(), 188);
    for (name, text) in files {
        let error = RawValue::parse(&text).expect_err(&name);
        assert_eq!(error.code(), ErrorCode::PARSE_ERROR, "{name}");
        let [last, first] = as_params(&text);
        for message in [last, first, as_ignored(&text)] {
            assert!(json(&message).is_none(), "{name}: the wrapping has made it valid: {}", show(&message));
            for rules in Rules::ALL {
                let rejection = Message::parse_as(&message, rules.dialect()).expect_err(&name);
                assert_eq!(rejection.code(), ErrorCode::PARSE_ERROR, "{name}: {rejection}: {}", show(&message));
                assert!(rejection.id.is_none(), "{name}");
            }
        }
    }
}

const ACCEPTED: &str = "";
const ANY_SIZE: &str = "RFC 8259 sets no limit to a number; it is kept as text, nothing is rounded";
const SURROGATE: &str = "half a pair decodes to no Unicode text, and every string that is handed out decodes";
const UTF8: &str = "RFC 8259 §8.1: UTF-8, and nothing else";
const MARK: &str = "RFC 8259 §8.1: a byte order mark is not added; a reader may ignore one, this one says where it is";
const DEEP: &str = "RFC 8259 §9 lets a reader limit the depth";

/// The texts that the suite leaves to the reader: the verdict (empty, or the error) and the reason.
const OURS: [(&str, &str, &str); 35] = [
    ("i_number_double_huge_neg_exp.json", ACCEPTED, ANY_SIZE),
    ("i_number_huge_exp.json", ACCEPTED, ANY_SIZE),
    ("i_number_neg_int_huge_exp.json", ACCEPTED, ANY_SIZE),
    ("i_number_pos_double_huge_exp.json", ACCEPTED, ANY_SIZE),
    ("i_number_real_neg_overflow.json", ACCEPTED, ANY_SIZE),
    ("i_number_real_pos_overflow.json", ACCEPTED, ANY_SIZE),
    ("i_number_real_underflow.json", ACCEPTED, ANY_SIZE),
    ("i_number_too_big_neg_int.json", ACCEPTED, ANY_SIZE),
    ("i_number_too_big_pos_int.json", ACCEPTED, ANY_SIZE),
    ("i_number_very_big_negative_int.json", ACCEPTED, ANY_SIZE),
    ("i_object_key_lone_2nd_surrogate.json", "lone surrogate at byte 5", SURROGATE),
    ("i_string_1st_surrogate_but_2nd_missing.json", "lone surrogate at byte 8", SURROGATE),
    ("i_string_1st_valid_surrogate_2nd_invalid.json", "lone surrogate at byte 10", SURROGATE),
    ("i_string_UTF-16LE_with_BOM.json", "expected a value at byte 0", UTF8),
    ("i_string_UTF-8_invalid_sequence.json", "invalid UTF-8 at byte 7", UTF8),
    ("i_string_UTF8_surrogate_U+D800.json", "invalid UTF-8 at byte 3", UTF8),
    ("i_string_incomplete_surrogate_and_escape_valid.json", "lone surrogate at byte 9", SURROGATE),
    ("i_string_incomplete_surrogate_pair.json", "lone surrogate at byte 5", SURROGATE),
    ("i_string_incomplete_surrogates_escape_valid.json", "lone surrogate at byte 11", SURROGATE),
    ("i_string_invalid_lonely_surrogate.json", "lone surrogate at byte 8", SURROGATE),
    ("i_string_invalid_surrogate.json", "lone surrogate at byte 8", SURROGATE),
    ("i_string_invalid_utf-8.json", "invalid UTF-8 at byte 2", UTF8),
    ("i_string_inverted_surrogates_U+1D11E.json", "lone surrogate at byte 5", SURROGATE),
    ("i_string_iso_latin_1.json", "invalid UTF-8 at byte 3", UTF8),
    ("i_string_lone_second_surrogate.json", "lone surrogate at byte 5", SURROGATE),
    ("i_string_lone_utf8_continuation_byte.json", "invalid UTF-8 at byte 2", UTF8),
    ("i_string_not_in_unicode_range.json", "invalid UTF-8 at byte 3", UTF8),
    ("i_string_overlong_sequence_2_bytes.json", "invalid UTF-8 at byte 2", UTF8),
    ("i_string_overlong_sequence_6_bytes.json", "invalid UTF-8 at byte 2", UTF8),
    ("i_string_overlong_sequence_6_bytes_null.json", "invalid UTF-8 at byte 2", UTF8),
    ("i_string_truncated-utf-8.json", "invalid UTF-8 at byte 3", UTF8),
    ("i_string_utf16BE_no_BOM.json", "expected a value at byte 0", UTF8),
    ("i_string_utf16LE_no_BOM.json", "expected a value at byte 1", UTF8),
    ("i_structure_500_nested_arrays.json", "nested too deeply at byte 63", DEEP),
    ("i_structure_UTF-8_BOM_empty_object.json", "expected a value at byte 0", MARK),
];

#[test]
fn every_text_that_is_ours_to_decide_gets_the_verdict_of_the_table() {
    let Some(files) = files("i_") else { return };
    let mut wrong = Vec::new();
    for (name, text) in &files {
        let Some((_, verdict, reason)) = OURS.iter().find(|(known, _, _)| known == name) else {
            panic!("not in the table: {name}");
        };
        let found = RawValue::parse(text).map_or_else(|error| error.to_string(), |_| String::new());
        if found != *verdict {
            wrong.push(format!("{name}: {found:?}, but {verdict:?} because {reason}: {}", show(text)));
        }
        let message = as_ignored(text);
        let is_accepted = Message::parse(&message).is_ok();
        assert_eq!(is_accepted, verdict.is_empty(), "{name} as an ignored member: {}", show(&message));
    }
    assert_eq!(wrong, [""; 0]);
    assert_eq!(files.len(), OURS.len());
}
