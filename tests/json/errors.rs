//! A payload of the wrong type is refused with the expected type and the offset, and answered with -32602.
#![cfg(feature = "serde")]

use nanojsonrpc::{
    ErrorCode, ErrorKind, ErrorObject, Notification, PayloadError, RawStr, RawValue, Request, Response,
    json::MAX_ESCAPED,
};
use serde::Deserialize;

#[derive(Deserialize, PartialEq, Debug)]
struct Reading<'a> {
    sensor: &'a str,
    values: heapless::Vec<i32, 2>,
    unit: Option<heapless::String<4>>,
}

#[derive(Deserialize, PartialEq, Debug, Default)]
#[serde(deny_unknown_fields)]
struct Settings {
    retries: Option<u8>,
    verbose: Option<bool>,
}

/// Names that some hashes cannot tell apart.
#[derive(Deserialize, PartialEq, Debug)]
#[expect(non_snake_case)]
struct Alike {
    Aa: u8,
    BB: u8,
}

#[derive(Deserialize, PartialEq, Debug)]
enum Action {
    Stop,
    Move(i8),
    Turn { angle: i16 },
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(untagged)]
enum NameOrNumber {
    Name(String),
    Number(u8),
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(tag = "do")]
enum Tagged {
    Stop,
    Move { steps: u8 },
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(try_from = "u8")]
struct Even(u8);

impl TryFrom<u8> for Even {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Self, &'static str> {
        if number.is_multiple_of(2) { Ok(Self(number)) } else { Err("odd") }
    }
}

/// Has a capacity that is not in its type name.
#[derive(PartialEq, Debug)]
struct Short;

impl<'de> Deserialize<'de> for Short {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Letters;

        impl serde::de::Visitor<'_> for Letters {
            type Value = Short;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("at most 3 letters")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Short, E> {
                if text.len() > 3 { Err(E::invalid_length(text.len(), &self)) } else { Ok(Short) }
            }
        }

        deserializer.deserialize_str(Letters)
    }
}

#[derive(Deserialize, PartialEq, Debug)]
struct Wrapper<T> {
    id: u8,
    inner: T,
}

/// Reads `params`, in which `^` precedes the faulty byte, from a request with other members around them.
fn is_refused<T: for<'a> Reads<'a>>(params: &str, kind: ErrorKind, expected: &str, capacity: Option<u32>) {
    for white in ["", " ", "\n\t \r"] {
        let marked =
            format!("{white}{{\"id\":{white}7,\"params\":{white}{params},\"jsonrpc\":\"2.0\",\"method\":\"^\"}}");
        let offset = marked.find('^').expect("a mark");
        let text = marked.replacen('^', "", 1);
        let request = Request::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
        let error = T::refusal(&request).unwrap_or_else(|| panic!("not refused: {text}"));
        assert_eq!((error.kind(), error.offset(), error.expected()), (kind, offset, expected), "{text}");
        assert_eq!(error.capacity(), capacity, "{text}");

        let room = capacity.map_or(String::new(), |capacity| format!(", at most {capacity} long"));
        let words = format!("{kind} at byte {offset}, expected {expected}{room}");
        assert_eq!(error.to_string(), words);
        let answer = ErrorObject::from(error);
        let (code, start) = match kind {
            ErrorKind::EscapedString => (ErrorCode::INTERNAL_ERROR, "Internal error"),
            _ => (ErrorCode::INVALID_PARAMS, "Invalid params"),
        };
        let words = format!("{start}: {words}");
        assert_eq!(answer.to_string(), format!("error {code}: {words}"));
        assert_eq!((answer.code, answer.message.to_string()), (code, words.clone()));
        let mut out = [0; 256];
        let response = Response::error(7, answer);
        let len = response.write(&mut out).expect("room");
        let message = serde_json::to_string(&words).expect("text");
        let whole = format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":{message}}},"id":7}}"#);
        assert_eq!(str::from_utf8(&out[..len]), Ok(&*whole));
        assert_eq!(serde_json::to_string(&response).expect("text"), whole);
        // neither does the kind of the message matter
        let notification = text.replacen(&format!("\"id\":{white}7,"), "\"i\" :8,", 1);
        if let Ok(notification) = Notification::parse(notification.as_bytes()) {
            assert_eq!(T::refusal_of(&notification), Some(kind), "{text}");
        }
        let value = request.params.expect("params");
        let response = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}}", value.as_json());
        let response = Response::parse(response.as_bytes()).expect("a response");
        let shift = response.outcome.expect("a result").offset();
        assert_eq!(T::refusal_of_result(&response), Some(offset + shift - value.offset()));
    }
}

/// A type that may borrow from its text.
trait Reads<'a> {
    fn refusal(request: &Request<'a>) -> Option<PayloadError>;
    fn refusal_of(notification: &Notification<'a>) -> Option<ErrorKind>;
    fn refusal_of_result(response: &Response<'a>) -> Option<usize>;
}

macro_rules! refused {
    ($($name:ident($type:ty, $params:expr, $kind:ident, $expected:literal $(, at most $capacity:literal)?))*) => {
        $(
            #[test]
            fn $name() {
                type Target<'a> = $type;
                struct Of;
                impl<'a> Reads<'a> for Of {
                    fn refusal(request: &Request<'a>) -> Option<PayloadError> {
                        request.params::<Target<'a>>().err()
                    }

                    fn refusal_of(notification: &Notification<'a>) -> Option<ErrorKind> {
                        notification.params::<Target<'a>>().err().map(PayloadError::kind)
                    }

                    fn refusal_of_result(response: &Response<'a>) -> Option<usize> {
                        response.result::<Target<'a>>().err().map(PayloadError::offset)
                    }
                }
                is_refused::<Of>($params, ErrorKind::$kind, $expected, [$($capacity,)?].first().copied());
            }
        )*
    };
}

refused! {
    text_is_no_integer((u8, i64), r#"[1, ^"2"]"#, UnexpectedType, "i64")
    a_fraction_is_no_integer((u8, u16), "[1,^2.0]", UnexpectedType, "u16")
    an_exponent_is_no_integer((u32,), "[^1e2]", UnexpectedType, "u32")
    minus_zero_is_no_integer([i8; 1], "[^-0]", UnexpectedType, "i8")
    a_fraction_is_no_wide_integer([i128; 1], "[^0.5]", UnexpectedType, "i128")
    null_is_no_integer([i16; 2], "[1 , ^null]", UnexpectedType, "i16")
    null_is_no_boolean((bool,), "[^null]", UnexpectedType, "a boolean")
    text_is_no_number((f64,), r#"[^"1"]"#, UnexpectedType, "a number")
    a_number_is_no_text((&'a str,), "[^12]", UnexpectedType, "a string")
    a_list_is_no_text((String,), "[^[]]", UnexpectedType, "a string")
    a_number_is_no_character((char,), "[^1]", UnexpectedType, "a character")
    a_number_is_no_raw_text((RawStr<'a>,), "[^1]", UnexpectedType, "a string")
    zero_is_not_null(((), ()), "[null,^0]", UnexpectedType, "null")
    an_object_is_no_tuple((u8, u8), "^{}", UnexpectedType, "an array")
    an_array_is_no_map(std::collections::BTreeMap<&'a str, u8>, "^[]", UnexpectedType, "an object")
    text_is_no_struct((Settings,), r#"[^"a"]"#, UnexpectedType, "an object or array")
    a_number_is_no_variant((Action,), "[^1]", UnexpectedType, "a variant")
    an_empty_object_is_no_variant(Action, "{^}", UnexpectedType, "a name")
    a_number_is_no_byte_string((serde_json::value::Value, std::ffi::CString), "[0, ^true]", UnexpectedType, "bytes")
    a_variant_lacks_its_value((Action,), r#"[^"Move"]"#, UnexpectedType, "a variant with a value")
    a_variant_has_a_value_too_many(Action, r#"{"Stop":^1}"#, UnexpectedType, "null")
    an_enum_takes_one_variant(Action, r#"{"Move":1,^"Stop":null}"#, InvalidLength, "the closing bracket")
    an_integer_is_out_of_range((u8, u8), "[255,^256]", InvalidValue, "u8")
    a_negative_integer_is_out_of_range((u64,), "[^-1]", InvalidValue, "u64")
    the_least_integer_is_out_of_range((i64,), "[^-9223372036854775809]", InvalidValue, "i64")
    a_huge_integer_is_out_of_range((i32,), "[^99999999999999999999999999]", InvalidValue, "i32")
    a_wide_integer_is_out_of_range((u128,), "[^340282366920938463463374607431768211456]", InvalidValue, "u128")
    a_negative_wide_integer_is_out_of_range((u128,), "[^-1]", InvalidValue, "u128")
    a_float_is_out_of_range((f64,), "[^1e400]", InvalidValue, "a number")
    a_short_float_is_out_of_range((f32,), "[^1e39]", InvalidValue, "a number")
    two_characters_are_no_character((char,), r#"[^"ab"]"#, InvalidValue, "a character")
    a_member_of_a_member_is_out_of_range(Wrapper<Wrapper<i8>>, r#"{"id":1,"inner":{"id":2,"inner":^-129}}"#, InvalidValue, "i8")
    an_array_is_too_short((u8, u8, u8), "^[1,2]", InvalidLength, "an array")
    an_array_is_too_long((u8, u8), "[1,2 , ^3]", InvalidLength, "the closing bracket")
    an_array_is_too_long_for_a_struct(Settings, "[1,true,^2]", InvalidLength, "the closing bracket")
    an_array_is_too_short_for_a_struct((Wrapper<u8>,), "[^[1]]", InvalidLength, "an array")
    a_vector_has_no_room(Reading<'a>, r#"{"sensor":"a","values":^[1,2,3],"unit":null}"#, InvalidLength, "an array", at most 2)
    a_vector_of_nothing_has_no_room((heapless::Vec<u8, 0>,), "[^[1]]", InvalidLength, "an array", at most 0)
    a_vector_of_vectors_has_no_room(heapless::Vec<heapless::Vec<u8, 4>, 1>, "^[[1,2],[3]]", InvalidLength, "an array", at most 1)
    a_vector_in_a_vector_has_no_room(heapless::Vec<heapless::Vec<u8, 2>, 4>, "[[1,2], ^[3,4,5]]", InvalidLength, "an array", at most 2)
    a_tuple_that_ends_behind_an_array_is_too_short((heapless::Vec<u8, 2>, u8), "^[[1,2]]", InvalidLength, "an array")
    a_map_has_no_room(heapless::index_map::FnvIndexMap<u8, u8, 2>, r#"^{"1":1,"2":2,"3":3}"#, InvalidLength, "an object", at most 2)
    a_list_of_pairs_has_no_room((heapless::LinearMap<u8, u8, 1>,), r#"[^{"1":1,"2":2}]"#, InvalidLength, "an object", at most 1)
    a_string_has_no_room(Reading<'a>, r#"{"sensor":"a","values":[],"unit":^"12345"}"#, InvalidLength, "a string")
    an_escaped_string_has_no_room(Reading<'a>, r#"{"sensor":"a","values":[],"unit":^"\u00e9\u00e9\n"}"#, InvalidLength, "a string")
    a_string_of_twenty_bytes_has_no_room((u8, heapless::String<16>), r#"[1,^"12345678901234567890"]"#, InvalidLength, "a string")
    a_string_with_a_short_length_has_no_room([heapless::String<200, u8>; 1], &*format!("[^\"{}\"]", "x".repeat(201)), InvalidLength, "a string")
    a_key_has_no_room(heapless::LinearMap<heapless::String<1>, u8, 4>, r#"{"a":1,^"bc":1}"#, InvalidLength, "a name")
    an_optional_string_has_no_room((Option<heapless::String<3>>,), r#"[ ^"abcd"]"#, InvalidLength, "a string")
    a_refused_length_of_another_kind_is_no_capacity((Short,), r#"[^"abcd"]"#, InvalidLength, "a string")
    an_escaped_string_cannot_be_borrowed(Reading<'a>, r#"{"values":[],"sensor": ^"a\n","unit":null}"#, EscapedString, "a string")
    an_escaped_key_cannot_be_borrowed(std::collections::BTreeMap<&'a str, u8>, r#"{"a":1,^"\u0062":2}"#, EscapedString, "a string")
    a_member_is_missing(Reading<'a>, r#"^{"sensor":"a","unit":null}"#, MissingField, "values")
    a_member_of_a_member_is_missing(Wrapper<Wrapper<u8>>, r#"{"id":1,"inner": ^{"inner":2}}"#, MissingField, "id")
    a_missing_member_is_not_mistaken_for_another(Alike, r#"^{"Aa":1}"#, MissingField, "BB")
    a_key_is_out_of_range(std::collections::BTreeMap<u8, u8>, r#"{"^256":1}"#, InvalidValue, "u8")
    a_key_is_no_number(std::collections::BTreeMap<u8, u8>, r#"{"1":1, ^"x":1}"#, UnexpectedType, "a name")
    a_member_is_unknown(Settings, r#"{"retries":1,^"colour":2}"#, UnknownField, "a name")
    an_escaped_member_is_unknown(Settings, r#"{^"\u0072etrie":1}"#, UnknownField, "a name")
    a_member_is_repeated(Settings, r#"^{"retries":1,"\u0072etries":1}"#, RepeatedField, "retries")
    a_variant_is_unknown((Action,), r#"[^"Jump"]"#, UnknownVariant, "a name")
    a_variant_with_a_value_is_unknown(Action, r#"{^"Jump":1}"#, UnknownVariant, "a name")
    the_value_of_a_variant_does_not_fit(Action, r#"{"Turn":{"angle":^32768}}"#, InvalidValue, "i16")
    a_type_refuses_the_value((u8, Even), "[1,^3]", Refused, "another value")
    a_type_refuses_the_value_of_a_member(Wrapper<Even>, r#"{"id":1,"inner": ^5}"#, Refused, "another value")
    no_untagged_variant_fits(Wrapper<NameOrNumber>, r#"{"id":1,"inner":^[]}"#, Refused, "another value")
    no_untagged_variant_fits_the_whole(NameOrNumber, "^[]", Refused, "another value")
    a_tag_is_unknown((u8, Tagged), r#"[1,{"steps":1,"do":^"Jump"}]"#, UnknownVariant, "a name")
    a_tag_is_missing(Tagged, r#"^{"steps":1}"#, MissingField, "an object")
    a_tagged_member_is_out_of_range(Tagged, r#"^{"steps":256,"do":"Move"}"#, InvalidValue, "another value")
}

#[test]
fn absent_params_are_read_as_null_or_as_an_empty_object() {
    for text in [
        r#"{"jsonrpc":"2.0","method":"m","id":1}"#,
        r#" {"jsonrpc":"2.0","method":"m","params":null,"id":1}"#,
        r#"{"jsonrpc":"2.0","method":"m"}"#,
    ] {
        macro_rules! reads {
            ($type:ty, $expected:expr) => {
                match Request::parse(text.as_bytes()) {
                    Ok(request) => assert_eq!(request.params::<$type>(), Ok($expected)),
                    Err(_) => {
                        assert_eq!(Notification::parse(text.as_bytes()).unwrap().params::<$type>(), Ok($expected))
                    }
                }
            };
        }
        #[derive(Deserialize, PartialEq, Debug)]
        struct Unit;
        #[derive(Deserialize, PartialEq, Debug, Default)]
        #[serde(default)]
        struct Defaulted {
            count: u8,
        }
        reads!((), ());
        reads!(Unit, Unit);
        reads!(Settings, Settings::default());
        reads!(Defaulted, Defaulted::default());
        reads!(Option<Reading<'_>>, None);
        reads!(Option<u8>, None);
        reads!(std::collections::BTreeMap<String, u8>, Default::default());
        reads!(serde_json::Value, serde_json::Value::Null);
        reads!(RawValue<'_>, RawValue::NULL);
        reads!(Vec<u8>, vec![]);
        reads!([u8; 0], []);
    }
    let request = Request::parse(br#"{"jsonrpc":"2.0","method":"m","id":1}"#).unwrap();
    macro_rules! refuses {
        ($type:ty, $kind:ident, $expected:literal) => {
            let error = request.params::<$type>().expect_err("refused");
            assert_eq!((error.kind(), error.offset(), error.expected()), (ErrorKind::$kind, 0, $expected));
        };
    }
    refuses!(Reading<'_>, MissingField, "sensor");
    refuses!(u8, UnexpectedType, "u8");
    refuses!(i128, UnexpectedType, "i128");
    refuses!(bool, UnexpectedType, "a boolean");
    refuses!(f32, UnexpectedType, "a number");
    refuses!(&str, UnexpectedType, "a string");
    refuses!(RawStr<'_>, UnexpectedType, "a string");
    refuses!(Action, UnexpectedType, "a variant");
    refuses!((u8, u8), InvalidLength, "an array");
    refuses!(NameOrNumber, Refused, "another value");
    refuses!(Tagged, UnexpectedType, "null");
    refuses!(Even, UnexpectedType, "u8");
    let error = ErrorObject::new(1, "m");
    assert_eq!((error.data::<()>(), error.data::<Option<u8>>()), (Ok(()), Ok(None)));
    let text = br#"{"jsonrpc":"2.0","error":{"code":1,"message":"m","data":[true]},"id":1}"#;
    let error = Response::parse(text).unwrap().outcome.unwrap_err();
    assert_eq!(error.data::<[bool; 1]>(), Ok([true]));
    assert_eq!(error.data::<[u8; 1]>().map_err(PayloadError::offset), Err(57));
}

#[test]
fn lent_scratch_holds_every_escaped_string_at_once() {
    let text = br#"{"\u0061":"\ud83d\ude00","b":["\n","plain","\u00e9\u00e9"],"c":"\"\\\/"}"#;
    #[derive(Deserialize, PartialEq, Debug)]
    struct Borrowed<'a> {
        a: &'a str,
        #[serde(borrow)]
        b: [&'a str; 3],
        c: &'a str,
    }
    let value = RawValue::parse(text).unwrap();
    assert_eq!(value.read::<Borrowed<'_>>().map_err(PayloadError::kind), Err(ErrorKind::EscapedString));
    // four bytes, one, four, three; a name is compared where it stands
    let needed = 4 + 1 + 4 + 3;
    for room in 0..needed + 4 {
        let mut scratch = vec![0; room];
        let read = value.read_with::<Borrowed<'_>>(&mut scratch);
        if room >= needed {
            assert_eq!(read, Ok(Borrowed { a: "😀", b: ["\n", "plain", "éé"], c: "\"\\/" }), "{room}");
            continue;
        }
        let error = read.expect_err("no room");
        assert_eq!(error.kind(), ErrorKind::EscapedString, "{room}");
        let offset = match room {
            0..4 => r#""\ud83d"#,
            4 => r#""\n""#,
            5..9 => r#""\u00e9"#,
            _ => r#""\"\\"#,
        };
        let offset = str::from_utf8(text).unwrap().find(offset).expect("the string");
        assert_eq!(error.offset(), offset, "{room}");
    }
}

#[test]
fn scratch_that_is_too_short_does_no_harm_to_who_owns_his_text() {
    let value = RawValue::parse(br#"["\u00e9\u00e9","\ud83d\ude00",{"\n":1}]"#).unwrap();
    type Owned = (heapless::String<4>, String, std::collections::BTreeMap<String, u8>);
    let expected: Owned = ("éé".try_into().unwrap(), "😀".into(), [("\n".to_string(), 1)].into());
    for room in 0..16 {
        assert_eq!(value.read_with::<Owned>(&mut vec![0; room]), Ok(expected.clone()), "{room}");
    }
}

#[test]
fn what_is_decoded_fits_to_the_byte() {
    // the last byte of the capacity, in one and in several bytes for a character
    for (text, room) in [(r#""abcd""#, 4), (r#""\u0061bcd""#, 4), (r#""\u00e9\u00e9""#, 4), (r#""\ud83d\ude00""#, 4)] {
        assert_eq!(room, 4);
        let value = RawValue::parse(text.as_bytes()).unwrap();
        let expected: String = serde_json::from_str(text).unwrap();
        assert_eq!(value.read::<heapless::String<4>>().as_deref(), Ok(&*expected), "{text}");
        assert_eq!(
            value.read::<heapless::String<3>>().map_err(PayloadError::kind),
            Err(ErrorKind::InvalidLength),
            "{text}"
        );
    }
    let most = format!("\"\\n{}\"", "a".repeat(MAX_ESCAPED - 1));
    let value = RawValue::parse(most.as_bytes()).unwrap();
    assert_eq!(value.read::<String>().map(|text| text.len()), Ok(MAX_ESCAPED));
    let over = format!("\"\\n{}\"", "a".repeat(MAX_ESCAPED));
    let value = RawValue::parse(over.as_bytes()).unwrap();
    let too_long = if cfg!(feature = "alloc") { Ok(MAX_ESCAPED + 1) } else { Err(ErrorKind::EscapedString) };
    assert_eq!(value.read::<String>().map(|text| text.len()).map_err(PayloadError::kind), too_long);
    let mut scratch = [0; MAX_ESCAPED + 1];
    assert_eq!(value.read_with::<String>(&mut scratch).map(|text| text.len()), Ok(MAX_ESCAPED + 1));
}

#[test]
fn a_type_that_leaves_its_value_unread_is_refused() {
    /// Present, whatever the value is; it takes the value of nothing.
    #[derive(Debug, PartialEq)]
    struct Unread;
    impl<'de> Deserialize<'de> for Unread {
        fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
            Ok(Self)
        }
    }
    #[derive(Deserialize, Debug, PartialEq)]
    struct Account {
        name: Unread,
        role: String,
    }
    // the value of `name` must not be taken for the name of the next member
    let text = br#"{"name":"role","admin":0}"#;
    let refused = |result: Result<(), PayloadError>| result.map_err(|error| (error.kind(), error.offset()));
    let value = RawValue::parse(text).unwrap();
    assert_eq!(refused(value.read::<Account>().map(drop)), Err((ErrorKind::MissingField, 0)));
    assert!(serde_json::from_slice::<Account>(text).is_err());
    // an array of them has no end
    let value = RawValue::parse(b"[1]").unwrap();
    assert_eq!(refused(value.read::<Vec<Unread>>().map(drop)), Err((ErrorKind::InvalidLength, 1)));
    assert!(serde_json::from_str::<Vec<Unread>>("[1]").is_err());
}
