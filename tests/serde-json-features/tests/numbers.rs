//! Numbers as serde_json passes them with `arbitrary_precision`: an integer of 64 bits as such, another number as its text.

use nanojsonrpc::{ErrorCode, Id, RawValue};
use serde::Deserialize;
use serde_json::{Number, Value};

/// The id that serde_json reads from `text`, in place and from its own copy.
fn ids<const N: usize>(text: &str) -> [Option<String>; 3] {
    #[derive(Deserialize)]
    struct Cancel<const N: usize> {
        id: Id<N>,
    }
    let tree: Value = serde_json::from_str(text).unwrap();
    let cancel: Option<Cancel<N>> = serde_json::from_str(&format!(r#"{{"id":{text}}}"#)).ok();
    [serde_json::from_str(text).ok(), serde_json::from_value(tree).ok(), cancel.map(|cancel| cancel.id)]
        .map(|id: Option<Id<N>>| id.map(|id| id.to_string()))
}

#[test]
fn an_id_that_is_no_integer_of_64_bits_keeps_its_text() {
    for (text, id) in [
        ("7", "7"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "18446744073709551616"),
        ("1.50", "1.50"),
        ("0.0", "0.0"),
        // serde_json writes the sign of an exponent
        ("1e3", "1e+3"),
        ("1E-400", "1e-400"),
    ] {
        assert_eq!(ids::<64>(text), [Some(id); 3].map(|id| id.map(String::from)), "{text}");
    }
    assert_eq!(serde_json::from_str::<Id>("-0").unwrap().to_string(), "-0");
    assert_eq!((ids::<4>("1.50"), ids::<3>("1.50")), ([const { Some("1.50") }; 3].map(|id| id.map(String::from)), [const { None }; 3]));
}

#[test]
fn an_object_is_no_number() {
    #[derive(Deserialize)]
    struct Inner {
        id: Id,
    }
    #[derive(Deserialize)]
    struct Flattened {
        #[serde(flatten)]
        inner: Inner,
    }
    for text in [r#"{"$serde_json::private::Number":"1.5"}"#, r#"{"$serde_json::private::Number":"\u0031.5"}"#, "{}"] {
        assert!(serde_json::from_str::<Id>(text).is_err(), "{text}");
        assert!(RawValue::parse(text.as_bytes()).unwrap().read::<Id>().is_err(), "{text}");
        let flattened = format!(r#"{{"id":{text}}}"#);
        assert!(serde_json::from_str::<Flattened>(&flattened).is_err(), "{text}");
        let value = RawValue::parse(flattened.as_bytes()).unwrap();
        assert!(value.read::<Flattened>().map(|flattened| flattened.inner.id).is_err(), "{text}");
    }
}

#[test]
fn a_number_that_the_program_made_is_checked() {
    for text in ["", "1}", "1,", "[1]", "null", "\"a\"", "1 2"] {
        let number = Value::Number(Number::from_string_unchecked(text.into()));
        assert!(serde_json::from_value::<Id>(number).is_err(), "{text}");
    }
}

#[test]
fn a_code_is_an_integer() {
    for (text, code) in [("-32601", Some(-32601)), ("1.0", None), ("9223372036854775808", None)] {
        assert_eq!(serde_json::from_str::<ErrorCode>(text).ok(), code.map(ErrorCode), "{text}");
        let tree: Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::from_value::<ErrorCode>(tree).ok(), code.map(ErrorCode), "{text}");
    }
}

#[test]
fn every_number_of_serde_json_is_written_as_its_text() {
    let mut buffer = [0; 64];
    for text in ["7", "-0", "1.50", "18446744073709551616", "1e+400"] {
        let number: Number = serde_json::from_str(text).unwrap();
        let mut out = nanojsonrpc::Writer::new(&mut buffer);
        out.value(&number).unwrap();
        assert_eq!(str::from_utf8(out.written()), Ok(text));
    }
}
