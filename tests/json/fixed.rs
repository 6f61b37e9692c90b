//! Decimal fractions: numbers of any notation as scaled integers, exact, and back.

use std::fmt::Debug;

use nanojsonrpc::json::Rounding;
use nanojsonrpc::{ErrorKind, Fixed, RawValue, Writer};

const RULES: [Rounding; 3] = [Rounding::Refuse, Rounding::TiesToEven, Rounding::TowardZero];

fn number(text: &str) -> RawValue<'_> {
    RawValue::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The decimal digits of `text` times 10^`decimals`, rounded: computed on strings of digits. The exponents of these texts are small.
fn reference(text: &str, decimals: u8, rule: Rounding) -> Option<i128> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let shift = exponent.parse::<i64>().expect("a small exponent") + i64::from(decimals);
    let mut digits = format!("{whole}{fraction}");
    let mut point = whole.len() as i64 + shift;
    while point < 0 {
        digits.insert(0, '0');
        point += 1;
    }
    while (digits.len() as i64) < point {
        digits.push('0');
    }
    let (kept, dropped) = digits.split_at(point as usize);
    let kept = kept.trim_start_matches('0');
    if kept.len() > 30 {
        return None;
    }
    let mut units: i128 = if kept.is_empty() { 0 } else { kept.parse().expect("digits") };
    let dropped = dropped.trim_end_matches('0');
    match rule {
        Rounding::Refuse if !dropped.is_empty() => return None,
        // "5" is a tie; the strings have no zeros at their ends
        Rounding::TiesToEven if dropped > "5" || dropped == "5" && units % 2 == 1 => units += 1,
        _ => {}
    }
    Some(if negative { -units } else { units })
}

/// Reads `text` as every type and by every rule, and compares it with the reference.
fn is_exact(text: &str, decimals: u8) {
    fn as_type<T: TryFrom<i128> + PartialEq + Debug>(
        text: &str,
        units: Option<i128>,
        read: Result<T, nanojsonrpc::Error>,
    ) {
        let expected = units.and_then(|units| T::try_from(units).ok()).ok_or(ErrorKind::InvalidValue);
        assert_eq!(read.map_err(|error| error.kind()), expected, "{text}");
    }
    for rule in RULES {
        let units = reference(text, decimals, rule);
        macro_rules! types {
            ($($type:ty)*) => {$( as_type::<$type>(text, units, number(text).to_fixed(decimals, rule)); )*};
        }
        types!(i8 i16 i32 i64 u8 u16 u32 u64 isize usize);
    }
}

#[test]
fn a_number_of_any_notation_is_read_exactly() {
    for (text, units) in [
        ("21.53", 2153),
        ("2.153e1", 2153),
        ("2153E-2", 2153),
        ("0.02153e+3", 2153),
        ("-0.05", -5),
        ("-5e-2", -5),
        ("21.5", 2150),
        ("21.530000000000000000000000", 2153),
        ("21", 2100),
        ("0", 0),
        ("-0", 0),
        ("-0.00", 0),
        ("1e2", 10_000),
    ] {
        assert_eq!(number(text).to_fixed(2, Rounding::Refuse), Ok(units), "{text}");
    }
}

#[test]
fn a_rule_decides_about_further_decimals() {
    for (text, even, cut) in [
        ("0.124", 12, 12),
        ("0.125", 12, 12),
        ("0.1250000000000000000000000000001", 13, 12),
        ("0.126", 13, 12),
        ("0.135", 14, 13),
        ("-0.135", -14, -13),
        ("-0.125", -12, -12),
        ("0.995", 100, 99),
        ("0.005", 0, 0),
        ("0.0049999999999999999999", 0, 0),
        ("0.0050000000000000000001", 1, 0),
        ("0.0005", 0, 0),
        ("9e-3", 1, 0),
        ("9e-4", 0, 0),
        ("-0.001", 0, 0),
    ] {
        let by = |rule| number(text).to_fixed::<i32>(2, rule);
        assert_eq!((by(Rounding::TiesToEven), by(Rounding::TowardZero)), (Ok(even), Ok(cut)), "{text}");
        assert_eq!(by(Rounding::Refuse).map_err(|error| error.kind()), Err(ErrorKind::InvalidValue), "{text}");
    }
    assert_eq!(number("-0.4").to_fixed::<u8>(0, Rounding::TiesToEven), Ok(0));
    assert_eq!(number("255.5").to_fixed::<u8>(0, Rounding::TowardZero), Ok(255));
    assert!(number("255.5").to_fixed::<u8>(0, Rounding::TiesToEven).is_err());
}

#[test]
fn exponents_of_any_length_are_read() {
    let many = "9".repeat(1000);
    for big in ["999999999", "4294967295", "4294967296", "18446744073709551615", "18446744073709551616", &many] {
        for rule in RULES {
            for zero in ["0", "-0", "0.000"] {
                for sign in ["", "+", "-"] {
                    let text = format!("{zero}e{sign}{big}");
                    assert_eq!(number(&text).to_fixed::<i32>(2, rule), Ok(0), "{text}");
                }
            }
            let text = format!("1e{big}");
            assert!(number(&text).to_fixed::<u64>(0, rule).is_err(), "{text}");
            let text = format!("9e-{big}");
            assert_eq!(number(&text).to_fixed::<i32>(2, rule).ok(), (rule != Rounding::Refuse).then_some(0), "{text}");
        }
    }
    // the exponent undoes a long mantissa
    let zeros = "0".repeat(5000);
    for text in [format!("2153{zeros}e-5002"), format!("0.{zeros}2153e5002"), format!("21.53{zeros}")] {
        assert_eq!(number(&text).to_fixed::<i32>(2, Rounding::Refuse), Ok(2153));
    }
    assert_eq!(number("3e-255").to_fixed::<u8>(255, Rounding::Refuse), Ok(3));
}

#[test]
fn the_limits_of_each_type_are_read_and_no_more() {
    for text in [
        "1.27",
        "1.28",
        "-1.28",
        "-1.29",
        "2.55",
        "2.56",
        "-0.01",
        "327.67",
        "327.68",
        "-327.68",
        "-327.69",
        "655.35",
        "655.36",
        "21474836.47",
        "21474836.48",
        "-21474836.48",
        "-21474836.49",
        "42949672.95",
        "42949672.96",
        "92233720368547758.07",
        "92233720368547758.08",
        "-92233720368547758.08",
        "-92233720368547758.09",
        "184467440737095516.15",
        "184467440737095516.16",
        "184467440737095516.2",
        "184467440737095516.154",
        "184467440737095516.155",
        "1844674407370955161.5",
        "999999999999999999999",
    ] {
        is_exact(text, 2);
    }
}

#[test]
fn a_value_that_is_no_number_is_of_an_unexpected_type() {
    let array = number(r#"[ "21.53", true, null, [], {} ]"#);
    for value in array.elements() {
        let error = value.to_fixed::<i32>(2, Rounding::TowardZero).expect_err("no number");
        assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedType, value.offset()));
    }
}

/// Writes a value through this crate's writer.
fn written<T: nanojsonrpc::ToJson>(value: &T) -> String {
    let mut room = [0; 64];
    let mut out = Writer::new(&mut room);
    out.value(value).expect("room");
    String::from_utf8(out.written().to_vec()).expect("UTF-8")
}

fn comes_back<const DECIMALS: u8>(units: i16) {
    let fixed = Fixed::<i16, DECIMALS>(units);
    let text = written(&fixed);
    let power = 10i32.pow(u32::from(DECIMALS));
    let (sign, magnitude) = (if units < 0 { "-" } else { "" }, i32::from(units).abs());
    let expected = match DECIMALS {
        0 => format!("{units}"),
        _ => format!("{sign}{}.{:0width$}", magnitude / power, magnitude % power, width = usize::from(DECIMALS)),
    };
    assert_eq!(text, expected);
    assert_eq!(fixed.to_string(), expected);
    assert_eq!(number(&text).to_fixed(DECIMALS, Rounding::Refuse), Ok(units), "{text}");
    #[cfg(feature = "serde")]
    assert_eq!(number(&text).read(), Ok(fixed), "{text}");
}

#[test]
fn every_integer_of_16_bits_comes_back_from_its_text() {
    for units in (i16::MIN..=i16::MAX).step_by(if cfg!(miri) { 997 } else { 1 }) {
        comes_back::<0>(units);
        comes_back::<1>(units);
        comes_back::<2>(units);
        comes_back::<3>(units);
        comes_back::<4>(units);
    }
}

#[test]
fn the_longest_texts_are_written() {
    assert_eq!(written(&Fixed::<i64, 19>(i64::MIN)), "-0.9223372036854775808");
    assert_eq!(written(&Fixed::<i64, 19>(-5)), "-0.0000000000000000005");
    assert_eq!(written(&Fixed::<i64, 2>(i64::MIN)), "-92233720368547758.08");
    assert_eq!(written(&Fixed::<u64, 19>(u64::MAX)), "1.8446744073709551615");
    assert_eq!(written(&Fixed::<u64, 1>(u64::MAX)), "1844674407370955161.5");
    assert_eq!(written(&Fixed::<u8, 0>(7)), "7");
    assert_eq!(written(&(Fixed::<i8, 2>(-5), Some(Fixed::<u8, 2>(250)))), "[-0.05,2.50]");
    let mut room = [0; 4];
    assert!(Writer::new(&mut room).value(&Fixed::<i32, 2>(2153)).is_err());
}

#[test]
fn a_decimal_fraction_is_shown_like_an_integer() {
    let fixed = Fixed::<i32, 2>(-2150);
    assert_eq!(format!("{fixed} {fixed:?} {fixed:>8} {fixed:08}"), "-21.50 -21.50   -21.50 -0021.50");
    assert_eq!(format!("{:+}", Fixed::<u8, 1>(5)), "+0.5");
    assert!(Fixed::<i32, 2>(-1) < Fixed(0) && Fixed::<u8, 2>::default() == Fixed(0));
}

#[cfg(feature = "serde")]
mod through_serde {
    use std::collections::BTreeMap;

    use crate::payload_types::for_each;
    use nanojsonrpc::{ErrorKind, Fixed, RawValue};
    use proptest::prelude::*;
    use serde::{Deserialize, Serialize};

    #[test]
    fn random_numbers_equal_the_reference() {
        let whole = || prop_oneof![Just("0".to_owned()), "[1-9][0-9]{0,24}", "[1-9]"];
        let digits = || prop_oneof!["[0-9]{0,24}", "[05]{0,4}"];
        let exponent = proptest::option::of(-30i32..30);
        for_each(
            20_000,
            (any::<bool>(), whole(), digits(), exponent, 0u8..=20),
            |(negative, whole, fraction, exponent, decimals)| {
                let mut text = format!("{}{whole}", if negative { "-" } else { "" });
                if !fraction.is_empty() {
                    text = format!("{text}.{fraction}");
                }
                if let Some(exponent) = exponent {
                    text = format!("{text}e{exponent}");
                }
                super::is_exact(&text, decimals);
            },
        );
    }

    #[test]
    fn a_decimal_fraction_is_a_part_of_a_message() {
        use nanojsonrpc::{ErrorCode, Router, Server};

        let router = Router::new()
            .request_fallible("m", |level: &mut Celsius| Err::<(), _>((ErrorCode(1), ("too hot: ", *level))));
        let mut output = [0; 96];
        let answer = Server::new(router)
            .process(&mut Fixed(-5), br#"{"jsonrpc":"2.0","method":"m","id":1}"#, &mut output)
            .answer();
        let expected = br#"{"jsonrpc":"2.0","error":{"code":1,"message":"too hot: -0.05"},"id":1}"#;
        assert_eq!(answer, Some(&expected[..]));
    }

    type Celsius = Fixed<i32, 2>;

    #[derive(Deserialize, Serialize, PartialEq, Debug)]
    struct Reading {
        temperature: Celsius,
        humidity: Option<Fixed<u16, 1>>,
    }

    const TEXT: &str = r#"{"temperature":-0.05,"humidity":45.5}"#;
    const READING: Reading = Reading { temperature: Fixed(-5), humidity: Some(Fixed(455)) };

    #[test]
    fn a_field_is_read_and_written() {
        let read = |text: &str| RawValue::parse(text.as_bytes()).expect("JSON").read::<Reading>();
        assert_eq!(read(TEXT), Ok(READING));
        assert_eq!(super::written(&READING), TEXT);
        let absent = Reading { temperature: Fixed(100), humidity: None };
        assert_eq!(read(r#"{"temperature":1}"#).as_ref(), Ok(&absent));
        assert_eq!(super::written(&absent), r#"{"temperature":1.00,"humidity":null}"#);
    }

    #[test]
    fn a_fault_has_the_offset_of_its_number() {
        let error = |text: &str| {
            let read = RawValue::parse(text.as_bytes()).expect("JSON").read::<(u8, Celsius, u8)>();
            read.map(|_| ()).map_err(|error| (error.kind(), error.offset()))
        };
        assert_eq!(error("[1,21.535,3]"), Err((ErrorKind::InvalidValue, 3)));
        assert_eq!(error("[1,21474836.48,3]"), Err((ErrorKind::InvalidValue, 3)));
        for value in ["\"1.5\"", "null", "true", "[1]", "{}", r#"["1.5",0]"#] {
            let text = format!("[1, {value},3]");
            assert_eq!(error(&text), Err((ErrorKind::UnexpectedType, 4)), "{value}");
        }
        let text = RawValue::parse(b"[1.234]").expect("JSON").read::<(Celsius,)>().expect_err("refused").to_string();
        assert_eq!(text, "invalid value at byte 1, expected a number with the range and the decimals of its type");
    }

    #[test]
    fn copies_of_serde_and_other_deserializers_pass_floats() {
        #[derive(Deserialize, Serialize, PartialEq, Debug)]
        struct Outer {
            #[serde(flatten)]
            inner: Reading,
        }
        #[derive(Deserialize, Serialize, PartialEq, Debug)]
        #[serde(untagged)]
        enum Either {
            Fixed(Celsius),
            Text(String),
        }
        let value = RawValue::parse(TEXT.as_bytes()).expect("JSON");
        assert_eq!(value.read(), Ok(Outer { inner: READING }));
        assert_eq!(super::written(&Outer { inner: READING }), TEXT);
        assert_eq!(
            RawValue::parse(b"[21.53,\"a\"]").expect("JSON").read(),
            Ok((Either::Fixed(Fixed(2153)), Either::Text("a".into())))
        );

        for (text, units) in [
            ("21.53", 2153),
            ("2.153e1", 2153),
            ("-0.05", -5),
            ("-7", -700),
            ("7", 700),
            ("-0.0", 0),
            ("21474836.47", i32::MAX),
        ] {
            assert_eq!(serde_json::from_str::<Celsius>(text).ok(), Some(Fixed(units)), "{text}");
            let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
            assert_eq!(serde_json::from_value::<Celsius>(value).ok(), Some(Fixed(units)), "{text}");
        }
        for text in ["21.535", "21474836.48", "1e300", "\"1\"", "null", "[1]", r#"["1",0]"#, "{}"] {
            assert!(serde_json::from_str::<Celsius>(text).is_err(), "{text}");
        }
        let refused = serde_json::from_str::<Fixed<i16, 2>>("true").unwrap_err().to_string();
        assert!(refused.contains("a number with at most 2 decimals, in range"), "{refused}");
        assert_eq!(serde_json::from_str::<Fixed<u64, 0>>("18446744073709551615").ok(), Some(Fixed(u64::MAX)));
        assert_eq!(serde_json::from_str::<Fixed<i64, 0>>("-9223372036854775808").ok(), Some(Fixed(i64::MIN)));
        let floats = serde::de::value::F32Deserializer::<serde::de::value::Error>::new;
        assert_eq!(Celsius::deserialize(floats(21.53)).ok(), Some(Fixed(2153)));
        assert!(Celsius::deserialize(floats(f32::NAN)).is_err());
        let floats = serde::de::value::F64Deserializer::<serde::de::value::Error>::new;
        assert!(Celsius::deserialize(floats(f64::INFINITY)).is_err());
        assert_eq!(RawValue::parse(b"21.53").expect("JSON").as_f32(), Some(21.53));
        assert_eq!(RawValue::parse(b"true").expect("JSON").as_f32(), None);
    }

    #[test]
    fn a_key_is_exact() {
        type Wide = Fixed<i64, 2>;
        for (units, text) in
            [(i64::MAX, "92233720368547758.07"), (-5, "-0.05"), (9_007_199_254_740_993, "90071992547409.93")]
        {
            let map = BTreeMap::from([(Fixed(units), 1)]);
            let written = super::written(&map);
            assert_eq!(written, format!("{{\"{text}\":1}}"));
            assert_eq!(RawValue::parse(written.as_bytes()).expect("JSON").read::<BTreeMap<Wide, u8>>(), Ok(map));
        }
        let refused = RawValue::parse(b"{\"1.005\":1}").expect("JSON").read::<BTreeMap<Wide, u8>>();
        assert_eq!(refused.map_err(|problem| problem.error().offset()), Err(2));
    }

    /// The units of a fraction under another type, as `erased_serde` passes them.
    struct Hidden(u128);

    impl Serialize for Hidden {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match serializer.is_human_readable() {
                true => serializer.serialize_newtype_struct("$nanojsonrpc::RawValue", self),
                false => serializer.serialize_u128(self.0),
            }
        }
    }

    #[test]
    fn a_hidden_type_is_refused() {
        let mut buffer = [0; 64];
        let refused = nanojsonrpc::Writer::new(&mut buffer).value(&Hidden(2150));
        assert_eq!(refused.map_err(|error| error.kind()), Err(ErrorKind::Unserializable));
    }

    #[test]
    fn other_serializers_receive_the_nearest_float() {
        assert_eq!(serde_json::to_string(&READING).expect("JSON"), TEXT);
        assert_eq!(
            serde_json::to_string(&(Celsius::default(), Fixed::<i8, 0>(-3), Fixed::<i32, 2>(2150))).expect("JSON"),
            "[0.0,-3,21.5]"
        );
        let map = BTreeMap::from([("t".to_owned(), Fixed::<i16, 1>(-1))]);
        assert_eq!(super::written(&map), r#"{"t":-0.1}"#);
    }

    /// The integer that a value serializes, in a binary format.
    struct OneInteger;

    type No = serde::ser::Impossible<i32, serde::de::value::Error>;

    macro_rules! refuses {
        ($($method:ident($($of:ty),*) $(-> $compound:ty)?;)*) => {$(
            fn $method(self $(, _: $of)*) -> Result<refuses!(@ $($compound)?), Self::Error> {
                Err(serde::ser::Error::custom("no i32"))
            }
        )*};
        (@) => { i32 };
        (@ $compound:ty) => { $compound };
    }

    impl serde::Serializer for OneInteger {
        type Ok = i32;
        type Error = serde::de::value::Error;
        type SerializeSeq = No;
        type SerializeTuple = No;
        type SerializeTupleStruct = No;
        type SerializeTupleVariant = No;
        type SerializeMap = No;
        type SerializeStruct = No;
        type SerializeStructVariant = No;

        fn is_human_readable(&self) -> bool {
            false
        }

        fn serialize_i32(self, integer: i32) -> Result<i32, Self::Error> {
            Ok(integer)
        }

        refuses! {
            serialize_bool(bool);
            serialize_i8(i8);
            serialize_i16(i16);
            serialize_i64(i64);
            serialize_u8(u8);
            serialize_u16(u16);
            serialize_u32(u32);
            serialize_u64(u64);
            serialize_f32(f32);
            serialize_f64(f64);
            serialize_char(char);
            serialize_str(&str);
            serialize_bytes(&[u8]);
            serialize_none();
            serialize_unit();
            serialize_unit_struct(&'static str);
            serialize_unit_variant(&'static str, u32, &'static str);
            serialize_seq(Option<usize>) -> No;
            serialize_tuple(usize) -> No;
            serialize_tuple_struct(&'static str, usize) -> No;
            serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No;
            serialize_map(Option<usize>) -> No;
            serialize_struct(&'static str, usize) -> No;
            serialize_struct_variant(&'static str, u32, &'static str, usize) -> No;
        }

        fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<i32, Self::Error> {
            Err(serde::ser::Error::custom("no i32"))
        }

        fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<i32, Self::Error> {
            Err(serde::ser::Error::custom("no i32"))
        }

        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Result<i32, Self::Error> {
            Err(serde::ser::Error::custom("no i32"))
        }
    }

    /// As postcard does, which is no self-describing format: requests an integer.
    #[test]
    fn a_binary_format_holds_the_integer() {
        struct Binary(i64);
        impl<'de> serde::Deserializer<'de> for Binary {
            type Error = serde::de::value::Error;
            fn is_human_readable(&self) -> bool {
                false
            }
            fn deserialize_any<V: serde::de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
                visitor.visit_i64(self.0)
            }
            serde::forward_to_deserialize_any! {
                bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
                seq tuple tuple_struct map struct enum identifier ignored_any
            }
        }
        assert_eq!(Celsius::deserialize(Binary(2153)).ok(), Some(Fixed(2153)));
        assert_eq!(READING.temperature.serialize(OneInteger).ok(), Some(-5));
    }
}
