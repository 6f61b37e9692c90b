//! Every kind of error: an input that causes it, its offset, and its code for a peer.
//!
//! A kind without an example here fails [`every_kind_has_its_example`].
#![cfg(feature = "serde")]

use core::fmt::Debug;
use std::collections::{BTreeMap, BTreeSet};

use crate::written_by::written_by;
use nanojsonrpc::client::Client;
use nanojsonrpc::server::{Registry, handler};
use nanojsonrpc::{
    Dialect, Envelope, Error, ErrorKind, MAX_DEPTH, Message, Notification, RawValue, Refused, Request, Response, Writer,
};
use serde::{Deserialize, Serialize, Serializer, ser};

/// The error of `text` as a value.
fn value(text: &[u8]) -> Error {
    RawValue::parse(text).unwrap_err()
}

/// The error of `text` as a message.
fn message(text: &str) -> Error {
    message_as(text, Dialect::JSON_RPC)
}

fn message_as(text: &str, dialect: Dialect) -> Error {
    Message::parse_as(text.as_bytes(), dialect).unwrap_err().error
}

/// The error of `text` with room for four bytes of id and four of method.
fn short(text: &str) -> Error {
    let read: Result<_, Refused<'_>> = Envelope::parse(text.as_bytes()).and_then(Message::<4, 4>::try_from);
    read.unwrap_err().error
}

/// The error of `text` as a `T`.
fn payload<'a, T: Deserialize<'a> + Debug>(text: &'a str) -> Error {
    RawValue::parse(text.as_bytes()).unwrap().read::<T>().unwrap_err().error()
}

/// The error of a value that is written after `[1,2` and before what does not fit either. The writer is then as before.
fn written(value: &impl Serialize) -> Error {
    let mut room = [0; 16];
    let mut out = Writer::new(&mut room);
    let array = written_by(|out| {
        out.array(|array| {
            array.element(&1);
            array.element(&2);
            array.element(value);
            array.element("more than there is room for");
        })
    });
    let error = out.value(&array).unwrap_err();
    assert!(out.is_empty());
    assert_eq!(out.value("more than there is room for").map_err(Error::kind), Err(ErrorKind::OutputFull));
    assert!(out.value(&1).is_ok());
    error
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it is never read")]
struct Led {
    pin: u8,
    on: Option<bool>,
}

#[derive(Deserialize, Debug)]
enum Color {
    Red,
}

/// A value that can be neither read nor written.
#[derive(Debug)]
struct Contrary;

impl<'de> Deserialize<'de> for Contrary {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u8::deserialize(deserializer).and_then(|_| Err(serde::de::Error::custom("never")))
    }
}

impl Serialize for Contrary {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(ser::Error::custom("never"))
    }
}

fn with_a_call_in_flight<const N: usize>(id: i64) -> Error {
    let mut client: Client<(), N> = Client::new();
    let mut room = [0; 128];
    let mut out = Writer::new(&mut room);
    client.request(&Request::new(7, "m"), (), &mut out).unwrap();
    client.request(&Request::new(id, "m"), (), &mut out).unwrap_err().error
}

fn registered_twice() -> Error {
    let (mut one, mut other) = (handler(|_: &mut ()| Ok(1)), handler(|_: &mut ()| Ok(2)));
    let mut registry: Registry<'_, (), 1> = Registry::new();
    registry.request("a", &mut one).unwrap();
    registry.request("b", &mut other).unwrap_err()
}

/// The text of an error: its kind, and its byte if it has a position in a text.
fn shown(error: Error) -> String {
    match error.kind() {
        kind @ (ErrorKind::RegistryFull | ErrorKind::TooManyCalls | ErrorKind::IdInFlight) => kind.as_str().to_owned(),
        kind => format!("{kind} at byte {}", error.offset()),
    }
}

macro_rules! examples {
    ($($name:ident($error:expr, $kind:ident at $offset:expr))*) => {
        $(
            #[test]
            fn $name() {
                let error: Error = $error;
                assert_eq!((error.kind(), error.offset()), (ErrorKind::$kind, $offset), "{error}");
                assert_eq!(error.is_incomplete(), error.kind() == ErrorKind::UnexpectedEnd);
                assert_eq!(error.to_string(), shown(error), "{error:?}");
            }
        )*

        /// The kinds that have an example.
        const KINDS: &[&str] = &[$(stringify!($kind)),*];
    };
}

examples! {
    a_text_that_stops_is_an_unexpected_end(value(br#"{"a":"#), UnexpectedEnd at 5)
    a_comma_where_a_value_must_begin_is_no_value(value(b"[1,,2]"), ExpectedValue at 3)
    a_number_where_a_name_must_begin_is_no_name(value(b"{1:2}"), ExpectedName at 1)
    a_name_without_a_colon_wants_one(value(br#"{"a" 1}"#), ExpectedColon at 5)
    two_elements_in_a_row_want_a_comma(value(b"[1 2]"), ExpectedComma at 3)
    a_misspelt_literal_is_none(value(b"[trux]"), InvalidLiteral at 4)
    a_leading_zero_makes_no_number(value(b"[01]"), InvalidNumber at 2)
    an_unknown_escape_is_none(value(br#"["\x"]"#), InvalidEscape at 3)
    half_a_surrogate_pair_is_lone(value(br#"["\ud800"]"#), LoneSurrogate at 8)
    a_byte_that_leads_nothing_is_no_utf8(value(b"[\"a\xff\"]"), InvalidUtf8 at 3)
    a_raw_line_feed_is_a_control_character(value(b"[\"a\n\"]"), ControlCharacter at 3)
    a_second_value_is_trailing_data(value(b"1 2"), TrailingData at 2)
    one_bracket_more_than_the_depth_is_too_deep(value(&[b'['; MAX_DEPTH + 1]), TooDeep at MAX_DEPTH)

    a_number_is_not_a_message(message(" 1"), NotAMessage at 1)
    an_empty_array_is_an_empty_batch(message(" []"), EmptyBatch at 1)
    a_batch_is_not_allowed_where_the_dialect_has_none(message_as(" [1]", Dialect::MCP), BatchNotAllowed at 1)
    a_second_id_is_a_repeated_member(message(r#"{"id":1,"id":2}"#), RepeatedMember at 13)
    an_object_without_jsonrpc_misses_its_version(message(r#"  {"method":"m"}"#), MissingVersion at 2)
    another_version_is_invalid(message(r#"{"jsonrpc":"1.0","method":"m"}"#), InvalidVersion at 11)
    an_object_without_method_result_and_error_misses_a_member(message(r#" {"jsonrpc":"2.0"}"#), MissingMember at 1)
    a_method_beside_a_result_conflicts(
        message(r#"{"jsonrpc":"2.0","method":"m","result":1}"#),
        ConflictingMembers at 39
    )
    an_empty_method_is_invalid(message(r#"{"jsonrpc":"2.0","method":""}"#), InvalidMethod at 26)
    a_result_without_id_misses_it(message(r#" {"jsonrpc":"2.0","result":1}"#), MissingId at 1)
    a_boolean_is_an_invalid_id(message(r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#), InvalidId at 22)
    a_string_is_invalid_params(message(r#"{"jsonrpc":"2.0","method":"m","params":"p"}"#), InvalidParams at 39)
    an_error_without_a_code_is_an_invalid_error_object(
        message(r#"{"jsonrpc":"2.0","error":{"message":""},"id":1}"#),
        InvalidErrorObject at 25
    )
    a_notification_where_a_request_was_asked_for_is_unexpected(
        Request::parse(br#" {"jsonrpc":"2.0","method":"m"}"#).unwrap_err().error,
        UnexpectedMessage at 1
    )

    an_id_beyond_its_room_is_too_long(short(r#"{"jsonrpc":"2.0","id":"abcde","method":"m"}"#), IdTooLong at 22)
    a_method_beyond_its_room_is_too_long(short(r#"{"jsonrpc":"2.0","method":"abcde"}"#), MethodTooLong at 26)
    an_element_beyond_those_allowed_makes_a_batch_too_long(
        message_as("[1,2,3]", Dialect::JSON_RPC.with_max_batch(2)),
        BatchTooLong at 5
    )
    a_text_beyond_the_length_allowed_is_too_long(message_as("[1,2]", Dialect::JSON_RPC.with_max_len(4)), MessageTooLong at 4)

    a_string_for_an_integer_is_of_an_unexpected_type(payload::<(u8, u8)>(r#"[1,"2"]"#), UnexpectedType at 3)
    an_integer_out_of_range_is_an_invalid_value(payload::<(u8, u8)>("[1,256]"), InvalidValue at 3)
    an_element_too_many_is_an_invalid_length(payload::<(u8, u8)>("[1,2 ,3]"), InvalidLength at 6)
    an_escape_in_text_that_is_borrowed_is_refused(payload::<(u8, &str)>(r#"[1,"\n"]"#), EscapedString at 3)
    a_struct_without_its_field_misses_it(payload::<(u8, Led)>(r#"[1,{"on":true}]"#), MissingField at 3)
    a_field_that_a_strict_struct_has_not_is_unknown(payload::<Led>(r#"{"pin":1,"off":2}"#), UnknownField at 9)
    a_field_that_comes_twice_is_repeated(payload::<Led>(r#"{"pin":1,"pin":2}"#), RepeatedField at 0)
    a_variant_that_the_enum_has_not_is_unknown(payload::<(u8, Color)>(r#"[1,"Blue"]"#), UnknownVariant at 3)
    a_type_may_refuse_for_a_reason_of_its_own(payload::<(u8, Contrary)>("[1,2]"), Refused at 3)

    what_does_not_fit_finds_the_output_full(written(&"0123456789012345"), OutputFull at 16)
    an_array_is_no_key(written(&BTreeMap::from([([1], 2)])), InvalidKey at 6)
    a_value_that_refuses_cannot_be_serialized(written(&Contrary), Unserializable at 0)
    a_registry_has_room_for_so_many(registered_twice(), RegistryFull at 1)
    a_client_has_room_for_so_many_calls(with_a_call_in_flight::<1>(8), TooManyCalls at 1)
    a_second_call_with_an_id_finds_it_in_flight(with_a_call_in_flight::<2>(7), IdInFlight at 0)
}

/// The kinds, as their definition lists them.
fn defined() -> BTreeSet<&'static str> {
    let source = include_str!("../../src/error.rs");
    let (_, behind) = source.split_once("pub enum ErrorKind {").unwrap();
    let (variants, _) = behind.split_once("\n}").unwrap();
    let lines = variants.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.map(|line| line.strip_suffix(',').unwrap()).collect()
}

#[test]
fn every_kind_has_its_example() {
    let defined = defined();
    assert!(defined.contains("UnexpectedEnd") && defined.contains("IdInFlight"));
    let shown: BTreeSet<_> = KINDS.iter().copied().collect();
    assert_eq!(defined.difference(&shown).collect::<Vec<_>>(), Vec::<&&str>::new(), "kinds without an example");
    assert_eq!(KINDS.len(), shown.len(), "one example for each");
}

#[test]
fn a_notification_and_a_response_that_are_too_long_are_never_answered() {
    let call = br#"{"jsonrpc":"2.0","method":"abcde","id":1}"#;
    let refused: Refused<'_> = Envelope::parse(call).and_then(Request::<64, 4>::try_from).unwrap_err();
    assert!(refused.answer().is_some());
    let notification = br#"{"jsonrpc":"2.0","method":"abcde"}"#;
    assert!(Envelope::parse(notification).and_then(Notification::<4>::try_from).unwrap_err().answer().is_none());
    let response = br#"{"jsonrpc":"2.0","result":1,"id":"abcde"}"#;
    assert!(Envelope::parse(response).and_then(Response::<4>::try_from).unwrap_err().answer().is_none());
}
