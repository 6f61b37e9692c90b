//! Payloads are written as serde_json writes them, byte for byte, and whole or not at all.
//!
//! One type differs: serde_json's own `RawValue`, which only serde_json splices in; [`nanojsonrpc::RawValue`] does that here.
#![cfg(feature = "serde")]

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::{self, Debug, Display};

use crate::payload_types::*;
use nanojsonrpc::{Error, ErrorKind, RawStr, RawValue, Request, Writer};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};

/// Writes into a buffer of `room` bytes among others. The bytes behind the text must stay the same.
fn written<T: Serialize + ?Sized>(value: &T, room: usize) -> Result<Vec<u8>, Error> {
    let mut buffer = vec![0xAA_u8; room + 8];
    let mut out = Writer::new(&mut buffer[..room]);
    let result = out.value(value);
    let text = out.written().to_vec();
    let end = if result.is_ok() { text.len() } else { room };
    assert!(buffer[end..].iter().all(|byte| *byte == 0xAA), "written beyond its end");
    result.map(|()| text.clone()).inspect_err(|_| assert_eq!(text, b"", "half a value"))
}

/// The text of serde_json; every shorter buffer gives an error and no text.
fn same_text<T: Serialize + ?Sized>(value: &T) -> String {
    let text = serde_json::to_string(value).expect("to be written");
    assert_eq!(written(value, text.len()).map(|ours| String::from_utf8(ours).expect("UTF-8")), Ok(text.clone()));
    for room in (0..text.len()).step_by(if cfg!(miri) { 7 } else { 1 }) {
        let error = written(value, room).expect_err("no room");
        assert_eq!((error.kind(), error.offset()), (ErrorKind::OutputFull, room), "{text}");
    }
    text
}

macro_rules! tests {
    ($($name:ident: $type:ty = $strategy:expr;)*) => {
        /// Each type by name, so that a failure shows it.
        mod writes_as_serde_json_does {
            use super::*;
            $(
                #[test]
                fn $name() {
                    for_each(64, $strategy, |value| _ = same_text(&value));
                }
            )*
        }
    };
}
crate::with_every_type!(tests);

fn refused<T: Serialize + ?Sized>(value: &T) -> ErrorKind {
    written(value, 256).expect_err("to be refused").kind()
}

fn map<K, V>(key: K, value: V) -> OneMember<K, V> {
    OneMember(key, value)
}

struct OneMember<K, V>(K, V);

impl<K: Serialize, V: Serialize> Serialize for OneMember<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(&self.0, &self.1)])
    }
}

#[test]
fn floats_that_json_lacks_are_null() {
    assert_eq!(same_text(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]), "[null,null,null]");
    assert_eq!(same_text(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]), "[null,null,null]");
    assert_eq!(same_text(&Some(Newfloat(f64::NAN))), "null");
}

#[derive(Serialize)]
struct Newfloat(f64);

#[test]
fn every_exponent_is_written_as_serde_json_writes_it() {
    for exponent in (-330..=310).step_by(if cfg!(miri) { 64 } else { 1 }) {
        for mantissa in ["1", "1.5", "-9.999999999999999", "1.2345678901234567"] {
            let float: f64 = format!("{mantissa}e{exponent}").parse().expect("a float");
            if float.is_finite() {
                same_text(&float);
                same_text(&((float as f32).is_finite().then_some(float as f32)));
            }
        }
    }
}

/// [`same_text`] for a number, alone and among others, and at every greater length, too.
fn same_number<T: Serialize + PartialEq + Debug + DeserializeOwned>(number: T) {
    let text = same_text(&number);
    for spare in (0..=24).step_by(if cfg!(miri) { 12 } else { 1 }) {
        let ours = written(&number, text.len() + spare).expect("room");
        assert_eq!(ours.escape_ascii().to_string(), text, "{spare} bytes more than it takes");
    }
    assert_eq!(serde_json::from_str::<T>(&text).expect("a number"), number, "{text}");
    same_text(&[&number, &number]);
    same_text(&map(&number, &number));
}

#[test]
fn integers_on_either_side_of_every_power_of_ten_are_written_as_serde_json_writes_them() {
    for exponent in (0..=38).step_by(if cfg!(miri) { 6 } else { 1 }) {
        let power = 10_u128.pow(exponent);
        for magnitude in [power - 1, power, power + 1, power / 3, power / 9 * 7] {
            let both = [Some(magnitude), 0_u128.checked_sub(magnitude)];
            for magnitude in both.into_iter().flatten() {
                same_number(magnitude);
            }
            for integer in [magnitude as i128, -(magnitude as i128)] {
                same_number(integer);
                if let Ok(integer) = i64::try_from(integer) {
                    same_number(integer);
                }
                if let Ok(integer) = u64::try_from(integer) {
                    same_number(integer);
                }
                if let Ok(integer) = i32::try_from(integer) {
                    same_number(integer);
                }
                if let Ok(integer) = i8::try_from(integer) {
                    same_number(integer);
                }
            }
        }
    }
    same_number(i64::MIN);
    same_number(u64::MAX);
    same_number(i128::MIN);
    same_number(u128::MAX);
}

#[test]
fn integers_of_every_length_are_written_as_serde_json_writes_them() {
    let mut dice = Dice(1);
    for _ in 0..if cfg!(miri) { 1 } else { 400 } {
        for len in 1..=20 {
            let digits: String = (0..len).map(|_| char::from(b'0' + dice.below(10) as u8)).collect();
            let Ok(magnitude) = digits.parse::<u64>() else { continue };
            same_number(magnitude);
            same_number(0_i64.wrapping_sub_unsigned(magnitude));
        }
    }
}

#[test]
fn floats_beside_short_decimals_are_written_as_serde_json_writes_them() {
    let mut dice = Dice(1);
    for _ in 0..if cfg!(miri) { 1 } else { 12 } {
        for whole in 0..=10 {
            for places in (0..=10).step_by(if cfg!(miri) { 5 } else { 1 }) {
                let mut digits =
                    |len| -> String { (0..len).map(|_| char::from(b'0' + dice.below(10) as u8)).collect() };
                let text = format!("0{}.{}0", digits(whole), digits(places));
                let double: f64 = text.parse().expect("a float");
                for float in [double, double.next_up(), double.next_down()] {
                    same_number(float);
                    same_number(-float);
                }
                let single = double as f32;
                for float in [single, single.next_up(), single.next_down()] {
                    same_number(float);
                    same_number(-float);
                }
            }
        }
    }
}

#[test]
fn floats_at_the_edges_of_short_decimals_are_written_as_serde_json_writes_them() {
    let fixed = ["0", "1e-7", "9.9e-6", "9.99999e-6", "1e-5", "1.01e-5", "1.23e-5", "0.0000123", "0.0001", "0.1", "1"];
    let long = ["1023.9999", "1024", "1024.0001", "9999999.9999999", "1e7", "99999999.9999999", "1e8", "100000000.5"];
    let powers_of_two = ["0.5", "0.0078125", "0.00390625", "0.00048828125", "0.000244140625", "8388608", "16777216"];
    let longer = ["1e12", "999999999999999", "1e15", "9007199254740993", "1e16", "1e300", "5e-324"];
    let all = fixed.iter().chain(&long).chain(&powers_of_two).chain(&longer);
    for text in all.step_by(if cfg!(miri) { 6 } else { 1 }) {
        let double: f64 = text.parse().expect("a float");
        for float in [double, double.next_up(), double.next_down()] {
            same_number(float);
            same_number(-float);
        }
        let single = double as f32;
        for float in [single, single.next_up(), single.next_down()].into_iter().filter(|float| float.is_finite()) {
            same_number(float);
            same_number(-float);
        }
    }
    same_number(f64::MAX);
    same_number(f64::MIN_POSITIVE);
    same_number(f32::MAX);
    same_number(f32::MIN_POSITIVE);
    // a number is equal to zero with either sign
    assert_eq!(same_text(&[-0.0, 0.0]), "[-0.0,0.0]");
    assert_eq!(same_text(&[-0.0_f32, 0.0]), "[-0.0,0.0]");
}

#[test]
fn keys_that_are_no_text_are_put_in_quotation_marks() {
    assert_eq!(same_text(&map(1_u8, 2)), r#"{"1":2}"#);
    assert_eq!(same_text(&map(i64::MIN, 2)), r#"{"-9223372036854775808":2}"#);
    assert_eq!(same_text(&map(i128::MIN, 2)), r#"{"-170141183460469231731687303715884105728":2}"#);
    assert_eq!(same_text(&map(1.5, 2)), r#"{"1.5":2}"#);
    assert_eq!(same_text(&map(1e30_f32, 2)), r#"{"1e+30":2}"#);
    assert_eq!(same_text(&map(true, 2)), r#"{"true":2}"#);
    assert_eq!(same_text(&map('"', 2)), r#"{"\"":2}"#);
    assert_eq!(same_text(&map(Color::DarkGreen, 2)), r#"{"dark-green":2}"#);
    assert_eq!(same_text(&map(Some("a"), 2)), r#"{"a":2}"#);
    assert_eq!(same_text(&map(Newtype(-7), 2)), r#"{"-7":2}"#);
    assert_eq!(same_text(&map(std::net::Ipv4Addr::LOCALHOST, 2)), r#"{"127.0.0.1":2}"#);
    assert_eq!(same_text(&map("a\n\u{1f}", map(2_u8, ()))), r#"{"a\n\u001f":{"2":null}}"#);
}

#[test]
fn keys_that_cannot_be_text_are_refused_as_serde_json_refuses_them() {
    macro_rules! refuses {
        ($($key:expr),*) => {$(
            assert!(serde_json::to_string(&map($key, 2)).is_err(), "{}", stringify!($key));
            assert_eq!(refused(&map($key, 2)), ErrorKind::InvalidKey, "{}", stringify!($key));
            assert_eq!(refused(&[map("a", map($key, 2))]), ErrorKind::InvalidKey, "{}", stringify!($key));
        )*};
    }
    refuses!(
        (),
        None::<u8>,
        [1],
        (1, 2),
        Unit,
        TupleStruct(1, String::new(), None),
        NoFields {},
        External::Newtype(1),
        External::Tuple(1, String::new()),
        External::Struct { a: 1, b: None },
        Bytes(vec![1]),
        map(1, 2),
        f64::NAN,
        f32::INFINITY
    );
}

#[test]
fn a_raw_value_is_spliced_in_as_it_came_and_a_raw_string_keeps_its_meaning() {
    #[derive(Serialize)]
    struct Both<'a> {
        value: RawValue<'a>,
        text: RawStr<'a>,
        many: [RawValue<'a>; 2],
        maybe: Option<RawValue<'a>>,
    }
    let value = RawValue::parse(br#" { "a" : [ 1.50 , 1e400, "\u0041" ] } "#).expect("valid");
    let text = RawValue::parse(br#""\u0041\/\n""#).expect("valid");
    let both = Both { value, text: text.as_str_raw().expect("a string"), many: [value, text], maybe: None };
    assert_eq!(
        String::from_utf8(written(&both, 256).expect("room")).expect("UTF-8"),
        r#"{"value":{ "a" : [ 1.50 , 1e400, "\u0041" ] },"text":"A/\n","many":[{ "a" : [ 1.50 , 1e400, "\u0041" ] },"\u0041\/\n"],"maybe":null}"#
    );
    let key = |text: &'static str| map(RawValue::parse(text.as_bytes()).expect("valid"), 1);
    assert_eq!(written(&key(r#""\u0041""#), 64).as_deref(), Ok(&br#"{"A":1}"#[..]));
    assert_eq!(written(&key("7"), 64).as_deref(), Ok(&br#"{"7":1}"#[..]));
    assert_eq!(refused(&key("[7]")), ErrorKind::InvalidKey);
}

#[test]
fn a_type_whose_name_is_as_long_as_that_of_a_raw_value_is_written_as_any_other() {
    #[derive(Serialize)]
    #[serde(rename = "$nanojsonrpc::RawOther")]
    struct Other(u8);
    assert_eq!(same_text(&Other(7)), "7");
}

#[test]
fn a_value_that_refuses_leaves_nothing() {
    struct Refuses;
    impl Serialize for Refuses {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("no"))
        }
    }
    struct NotShown;
    impl Display for NotShown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("half")?;
            Err(fmt::Error)
        }
    }
    impl Serialize for NotShown {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self)
        }
    }
    #[derive(Serialize)]
    enum Variant {
        Inner(Refuses),
    }
    assert_eq!(refused(&Refuses), ErrorKind::Unserializable);
    assert_eq!(refused(&[Variant::Inner(Refuses)]), ErrorKind::Unserializable);
    assert_eq!(refused(&(1, map("a", [Refuses]))), ErrorKind::Unserializable);
    assert_eq!(refused(&(1, NotShown)), ErrorKind::Unserializable);

    let mut buffer = [0; 64];
    let mut out = Writer::new(&mut buffer);
    out.value(&1).expect("room");
    out.value(&(2, Refuses)).expect_err("refused");
    assert_eq!(out.written(), b"1");
    let error = Request::new(1, "m").with_params(&[Refuses]).write(&mut [0; 128]).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Unserializable);
}

#[test]
fn every_character_is_escaped_as_serde_json_escapes_it() {
    let escaped = (0..0x300)
        .step_by(if cfg!(miri) { 61 } else { 1 })
        .chain([0x2028, 0x2029, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x1_0000, 0x10_FFFF]);
    for c in escaped.filter_map(char::from_u32) {
        same_text(&c);
        same_text(&format!("a{c}{c}b"));
        same_text(&map(c, 1));
    }
}

#[test]
fn hash_maps_and_long_values_are_written_too() {
    same_text(&HashMap::from([("only", 1)]));
    same_text(&"long ".repeat(300));
    same_text(&vec![u64::MAX; 100]);
}

#[test]
fn the_raw_value_of_serde_json_is_written_as_its_text() {
    let raw = serde_json::value::RawValue::from_string("[1]".into()).expect("valid");
    let ours = written(&raw, 64).expect("room");
    assert_eq!(str::from_utf8(&ours), Ok("[1]"));
}
