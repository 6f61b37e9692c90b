//! The grammar of RFC 8259: refused texts with their offsets, accepted texts with their values.

use crate::common::{Rules, json, show};
use nanojsonrpc::{Envelope, ErrorCode, ErrorKind, MAX_DEPTH, Message, RawValue, Refused, json::Kind};

/// Every entry point returns this verdict, and the offset keeps its promise.
fn refused_at(text: &[u8], kind: ErrorKind, offset: usize) {
    let error = RawValue::parse(text).expect_err("to be refused");
    assert_eq!((error.kind(), error.offset()), (kind, offset), "{}", show(text));
    assert_eq!(error.code(), ErrorCode::PARSE_ERROR);
    assert_eq!(error.is_incomplete(), kind == ErrorKind::UnexpectedEnd);
    assert_eq!(error.to_string(), format!("{kind} at byte {offset}"));
    for rules in Rules::ALL {
        let refused = Envelope::parse_as(text, rules.dialect()).expect_err("to be refused");
        assert_eq!((refused.error, refused.id), (error, None), "{rules:?}: {}", show(text));
        let rejection: Refused<'_> = Message::parse_as(text, rules.dialect()).expect_err("to be refused");
        assert_eq!(rejection.error, error, "{rules:?}: {}", show(text));
        assert!(rejection.id.is_none());
    }
    obeys_the_offset_law(text);
}

/// A syntax error is at the first byte with which the text can no longer become valid.
fn obeys_the_offset_law(text: &[u8]) {
    let Err(error) = RawValue::parse(text) else { return };
    if error.is_incomplete() {
        assert_eq!(error.offset(), text.len(), "{}", show(text));
        return;
    }
    let offset = error.offset();
    assert!(offset < text.len(), "{error}: {}", show(text));
    for len in 0..=offset {
        let prefix = RawValue::parse(&text[..len]);
        assert!(prefix.is_ok() || prefix.is_err_and(|e| e.is_incomplete()), "{error}: {}", show(&text[..len]));
    }
    assert_eq!(RawValue::parse(&text[..=offset]).expect_err("to be refused"), error, "{}", show(text));
}

macro_rules! refused {
    ($($name:ident($text:expr, $kind:ident at $offset:expr))*) => {$(
        #[test]
        fn $name() {
            refused_at($text, ErrorKind::$kind, $offset);
        }
    )*};
}

refused! {
    nothing_is_incomplete(b"", UnexpectedEnd at 0)
    white_space_is_incomplete(b" \t\r\n", UnexpectedEnd at 4)
    open_array_is_incomplete(b"[", UnexpectedEnd at 1)
    open_object_is_incomplete(b"{", UnexpectedEnd at 1)
    array_after_a_comma_is_incomplete(b"[1,", UnexpectedEnd at 3)
    object_after_a_name_is_incomplete(br#"{"a""#, UnexpectedEnd at 4)
    object_after_a_colon_is_incomplete(br#"{"a":"#, UnexpectedEnd at 5)
    object_after_a_value_is_incomplete(br#"{"a":1 "#, UnexpectedEnd at 7)
    minus_alone_is_incomplete(b"-", UnexpectedEnd at 1)
    point_without_digit_is_incomplete(b"1.", UnexpectedEnd at 2)
    exponent_without_digit_is_incomplete(b"1e", UnexpectedEnd at 2)
    exponent_sign_without_digit_is_incomplete(b"1E+", UnexpectedEnd at 3)
    half_a_literal_is_incomplete(b"tru", UnexpectedEnd at 3)
    open_string_is_incomplete(b"\"0123456789abcdef", UnexpectedEnd at 17)
    backslash_at_the_end_is_incomplete(br#""\"#, UnexpectedEnd at 2)
    half_an_escape_is_incomplete(br#""\u00"#, UnexpectedEnd at 5)
    high_surrogate_at_the_end_is_incomplete(br#""\ud800"#, UnexpectedEnd at 7)
    half_a_pair_is_incomplete(br#""\ud83d\ude0"#, UnexpectedEnd at 12)
    half_a_character_is_incomplete(b"\"\xf0\x9f\x98", UnexpectedEnd at 4)

    nul_alone_is_no_value(b"\0", ExpectedValue at 0)
    nul_after_white_space_is_no_value(b" \0", ExpectedValue at 1)
    byte_order_mark_is_no_value(b"\xef\xbb\xbf{}", ExpectedValue at 0)
    form_feed_is_no_white_space(b"\x0c1", ExpectedValue at 0)
    vertical_tab_is_no_white_space(b"[\x0b1]", ExpectedValue at 1)
    no_break_space_is_no_white_space(b"\xc2\xa01", ExpectedValue at 0)
    closing_bracket_alone_is_no_value(b"]", ExpectedValue at 0)
    comma_alone_is_no_value(b",", ExpectedValue at 0)
    plus_is_no_value(b"+1", ExpectedValue at 0)
    point_is_no_value(b".5", ExpectedValue at 0)
    capital_true_is_no_value(b"True", ExpectedValue at 0)
    single_quote_is_no_value(b"'a'", ExpectedValue at 0)
    comment_is_no_value(b"/**/1", ExpectedValue at 0)
    array_with_an_object_s_bracket_is_no_value(b"[}", ExpectedValue at 1)
    comma_first_in_an_array_is_no_value(b"[,1]", ExpectedValue at 1)
    comma_twice_in_an_array_is_no_value(b"[1,,2]", ExpectedValue at 3)
    comma_last_in_an_array_is_no_value(b"[1,]", ExpectedValue at 3)
    member_without_a_value_is_no_value(br#"{"a":}"#, ExpectedValue at 5)
    member_with_two_colons_is_no_value(br#"{"a"::1}"#, ExpectedValue at 5)

    number_is_no_name(b"{1:1}", ExpectedName at 1)
    bare_word_is_no_name(b"{a:1}", ExpectedName at 1)
    object_is_no_name(b"{{}:1}", ExpectedName at 1)
    comma_first_in_an_object_is_no_name(b"{,}", ExpectedName at 1)
    comma_last_in_an_object_is_no_name(br#"{"a":1,}"#, ExpectedName at 7)
    object_with_an_array_s_bracket_is_no_name(b"{]", ExpectedName at 1)
    nul_is_no_name(b"{\0", ExpectedName at 1)

    name_without_a_colon_is_refused(br#"{"a" 1}"#, ExpectedColon at 5)
    name_with_a_comma_is_refused(br#"{"a",1}"#, ExpectedColon at 4)
    name_with_a_closing_bracket_is_refused(br#"{"a"}"#, ExpectedColon at 4)

    two_elements_without_a_comma_are_refused(b"[1 2]", ExpectedComma at 3)
    two_members_without_a_comma_are_refused(br#"{"a":1 "b":2}"#, ExpectedComma at 7)
    array_closed_as_an_object_is_refused(b"[1}", ExpectedComma at 2)
    object_closed_as_an_array_is_refused(br#"{"a":1]"#, ExpectedComma at 6)
    colon_in_an_array_is_refused(br#"["a":1]"#, ExpectedComma at 4)
    literal_that_goes_on_is_refused(b"[nulll]", ExpectedComma at 5)
    nul_after_an_element_is_refused(b"[1\0", ExpectedComma at 2)

    misspelt_true_is_refused(b"trux", InvalidLiteral at 3)
    misspelt_false_is_refused(b"fals_", InvalidLiteral at 4)
    misspelt_null_is_refused(b"nulL", InvalidLiteral at 3)
    nul_in_a_literal_is_refused(b"n\0", InvalidLiteral at 1)

    leading_zero_is_refused(b"01", InvalidNumber at 1)
    leading_zero_after_minus_is_refused(b"-01", InvalidNumber at 2)
    zero_twice_is_refused(b"[00]", InvalidNumber at 2)
    minus_without_digit_is_refused(b"-a", InvalidNumber at 1)
    minus_twice_is_refused(b"--1", InvalidNumber at 1)
    minus_infinity_is_refused(b"-Infinity", InvalidNumber at 1)
    fraction_without_digit_is_refused(b"1.}", InvalidNumber at 2)
    fraction_without_digit_before_exponent_is_refused(b"1.e1", InvalidNumber at 2)
    exponent_without_digit_is_refused(b"1e ", InvalidNumber at 2)
    exponent_with_two_signs_is_refused(b"1e+-1", InvalidNumber at 3)
    nul_in_a_number_is_refused(b"1.\0", InvalidNumber at 2)

    unknown_escape_is_refused(br#""\x""#, InvalidEscape at 2)
    capital_u_escape_is_refused(br#""\U0041""#, InvalidEscape at 2)
    escape_without_hexadecimal_digit_is_refused(br#""\u00g0""#, InvalidEscape at 5)
    escape_cut_by_the_quote_is_refused(br#""\u00""#, InvalidEscape at 5)
    nul_after_a_backslash_is_refused(b"\"\\\0", InvalidEscape at 2)

    low_surrogate_first_is_refused(br#""\udc00""#, LoneSurrogate at 4)
    capital_low_surrogate_first_is_refused(br#""\uDFFF""#, LoneSurrogate at 4)
    high_surrogate_before_the_quote_is_refused(br#""\ud800""#, LoneSurrogate at 7)
    high_surrogate_before_a_letter_is_refused(br#""\uDBFFa""#, LoneSurrogate at 7)
    high_surrogate_before_another_escape_is_refused(br#""\ud800\n""#, LoneSurrogate at 8)
    high_surrogate_before_a_capital_u_is_refused(br#""\ud800\Udc00""#, LoneSurrogate at 8)
    high_surrogate_before_a_plain_character_is_refused(br#""\ud800\u0041""#, LoneSurrogate at 9)
    high_surrogate_twice_is_refused(br#""\ud800\ud800""#, LoneSurrogate at 10)
    pair_without_hexadecimal_digit_is_refused(br#""\ud800\udc0g""#, InvalidEscape at 12)

    continuation_byte_first_is_refused(b"\"\x80\"", InvalidUtf8 at 1)
    overlong_lead_is_refused(b"\"\xc0\xaf\"", InvalidUtf8 at 1)
    lead_beyond_unicode_is_refused(b"\"\xf5\x80\x80\x80\"", InvalidUtf8 at 1)
    overlong_in_three_bytes_is_refused(b"\"\xe0\x9f\xbf\"", InvalidUtf8 at 2)
    surrogate_in_utf8_is_refused(b"\"\xed\xa0\x80\"", InvalidUtf8 at 2)
    overlong_in_four_bytes_is_refused(b"\"\xf0\x8f\xbf\xbf\"", InvalidUtf8 at 2)
    beyond_unicode_in_four_bytes_is_refused(b"\"\xf4\x90\x80\x80\"", InvalidUtf8 at 2)
    character_cut_by_the_quote_is_refused(b"\"\xe2\x82\"", InvalidUtf8 at 3)
    invalid_utf8_after_eight_plain_bytes_is_refused(b"\"01234567\xff\"", InvalidUtf8 at 9)

    line_feed_in_a_string_is_refused(b"\"a\n\"", ControlCharacter at 2)
    nul_in_a_string_is_refused(b"\"a\0\"", ControlCharacter at 2)
    nul_last_in_an_open_string_is_refused(b"\"a\0", ControlCharacter at 2)
    last_control_character_in_a_string_is_refused(b"\"0123456789\x1f\"", ControlCharacter at 11)
    control_character_in_a_name_is_refused(b"{\"a\t\":1}", ControlCharacter at 3)

    second_value_is_refused(b"1 2", TrailingData at 2)
    second_object_is_refused(b"{}{}", TrailingData at 2)
    bracket_too_many_is_refused(b"[]]", TrailingData at 2)
    comma_after_the_value_is_refused(b"[1],", TrailingData at 3)
    second_point_is_refused(b"1.0.0", TrailingData at 3)
    second_exponent_is_refused(b"1e1e1", TrailingData at 3)
    hexadecimal_number_is_refused(b"0x1", TrailingData at 1)
    nul_after_the_value_is_refused(b"1\0", TrailingData at 1)
    nul_in_the_white_space_behind_is_refused(b"{} \0 ", TrailingData at 3)

    bracket_beyond_the_depth_is_refused(&[b'['; MAX_DEPTH + 1], TooDeep at MAX_DEPTH)
}

#[test]
fn every_kind_of_value_is_accepted() {
    let values: [(&[u8], Kind); 26] = [
        (b"null", Kind::Null),
        (b"true", Kind::Bool),
        (b"false", Kind::Bool),
        (b"0", Kind::Number),
        (b"-0", Kind::Number),
        (b"-1", Kind::Number),
        (b"10", Kind::Number),
        (b"0.0", Kind::Number),
        (b"-0.5e-7", Kind::Number),
        (b"1E+9", Kind::Number),
        (b"0e0", Kind::Number),
        (b"123456789012345678901234567890", Kind::Number),
        (b"1e999999999", Kind::Number),
        (br#""""#, Kind::String),
        (br#""\"\\\/\b\f\n\r\t\u0041\u0000""#, Kind::String),
        (br#""\ud83d\ude00\uDBFF\uDFFF\ud7ff\ue000""#, Kind::String),
        ("\"\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}\"".as_bytes(), Kind::String),
        (b"[]", Kind::Array),
        (b"[ ]", Kind::Array),
        (b"[[],{}]", Kind::Array),
        (b"[1,true,null,\"a\"]", Kind::Array),
        (b"{}", Kind::Object),
        (b"{ }", Kind::Object),
        (br#"{"":0}"#, Kind::Object),
        (br#"{"a":1,"a":2}"#, Kind::Object),
        (br#"{"a":[{"b":{}}],"c":{}}"#, Kind::Object),
    ];
    for (text, kind) in values {
        let padded = [b" \t\r\n", text, b"\n\r\t "].concat();
        let value = RawValue::parse(&padded).unwrap_or_else(|e| panic!("{e}: {}", show(text)));
        assert_eq!((value.kind(), value.as_bytes(), value.offset()), (kind, text, 4), "{}", show(text));
        assert_eq!(value.is_null(), kind == Kind::Null);
    }
}

#[test]
fn every_text_of_four_bytes_gets_the_verdict_of_serde_json_and_obeys_the_offset_law() {
    let alphabet = b"[]{},:\"\\ 10-.eEut\0\xc3\xa9";
    let mut texts: Vec<Vec<u8>> = vec![vec![]];
    for _ in 0..if cfg!(miri) { 1 } else { 4 } {
        texts = texts
            .iter()
            .flat_map(|text| alphabet.iter().map(move |byte| [text.as_slice(), &[*byte]].concat()))
            .collect();
        for text in &texts {
            assert_eq!(RawValue::parse(text).is_ok(), json(text).is_some(), "{}", show(text));
            obeys_the_offset_law(text);
        }
    }
}

#[test]
fn every_byte_between_two_values_and_in_a_string_gets_the_verdict_of_serde_json() {
    let frames: [(&[u8], &[u8]); 7] = [
        (b"[1", b"2]"),
        (b"[1,", b"2]"),
        (b"{\"a\"", b":1}"),
        (b"\"", b"\""),
        (b"\"0123456", b"9abcdef01\""),
        (b"\"\\", b"0041\""),
        (b"\"\\ud83d\\u", b"e00\""),
    ];
    for (before, after) in frames {
        for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 29 } else { 1 }) {
            let text = [before, &[byte], after].concat();
            assert_eq!(RawValue::parse(&text).is_ok(), json(&text).is_some(), "byte {}: {}", before.len(), show(&text));
            obeys_the_offset_law(&text);
        }
    }
}

#[test]
fn every_sequence_of_utf8_gets_the_verdict_of_the_standard_library() {
    // every lead with every second byte, and the edges of the third and fourth
    let edges = [0x00, 0x22, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff];
    for lead in 0x80..=0xff_u8 {
        for second in 0..=0xff_u8 {
            for third in edges {
                for fourth in edges {
                    let inside = [lead, second, third, fourth];
                    let text = [b"[\"", inside.as_slice(), b"\"]"].concat();
                    let expected = str::from_utf8(&text).is_ok() && json(&text).is_some();
                    assert_eq!(RawValue::parse(&text).is_ok(), expected, "{}", show(&text));
                }
            }
        }
    }
}
