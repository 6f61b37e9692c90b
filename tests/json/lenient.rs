//! Types that drop the fault of a part, and go on behind that part. The reference reads a tree of values, in which a fault moves nothing.

use std::collections::BTreeMap;
use std::fmt::Debug;

use nanojsonrpc::RawValue;
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::Value;

/// A `T`, or its default in place of a value that does not fit.
#[derive(Default, PartialEq, Debug)]
struct Lenient<T>(T);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(T::deserialize(deserializer).unwrap_or_default()))
    }
}

#[derive(Deserialize, Default, PartialEq, Debug)]
struct Pair {
    x: u8,
    y: Option<bool>,
}

#[derive(Deserialize, Default, PartialEq, Debug)]
enum Choice {
    #[default]
    None,
    One(u8),
    Two(u8, bool),
    Named {
        x: u8,
    },
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(bound = "T: Deserialize<'de> + Default")]
struct Outer<T> {
    #[serde(default)]
    before: u8,
    value: Lenient<T>,
    #[serde(default)]
    x: u8,
    #[serde(default)]
    after: Vec<Lenient<T>>,
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(bound = "T: Deserialize<'de> + Default")]
enum Held<T> {
    Held(Lenient<T>),
    Tuple(Lenient<T>, u8),
}

const VALUES: &[&str] = &[
    "null",
    "true",
    "7",
    "-1",
    "300",
    "1.5",
    "99999999999999999999",
    r#""""#,
    r#""One""#,
    r#""\u004fne""#,
    r#""a\nb""#,
    "[]",
    "[1]",
    "[1,true]",
    "[1,300]",
    "[300,1]",
    "[[1],[300],[2]]",
    r#"[300,"x",true]"#,
    "[1,true,3]",
    "{}",
    r#"{"x":1}"#,
    r#"{"x":1,"y":true}"#,
    r#"{"x":300,"y":true}"#,
    r#"{"y":1,"x":2}"#,
    r#"{"y":true}"#,
    r#"{"x":{"x":[1,{}]},"y":[]}"#,
    r#"{"One":1}"#,
    r#"{"One":300}"#,
    r#"{"One":1,"Two":2}"#,
    r#"{"Two":[1,true]}"#,
    r#"{"Two":[1]}"#,
    r#"{"Two":[1,true,2]}"#,
    r#"{"Named":{"x":1}}"#,
    r#"{"Named":{}}"#,
    r#"{"Named":{"x":{}}}"#,
    r#"{"Other":[1]}"#,
    r#"{"1":2}"#,
    r#"{"a":[1,2]}"#,
];

/// Compares the reading of `text` with that of its tree.
fn agrees<T: DeserializeOwned + PartialEq + Debug>(text: &str) {
    let tree: Value = serde_json::from_str(text).unwrap();
    let expected = T::deserialize(tree).ok();
    for text in [text.to_owned(), text.replace(',', " ,\n ").replace(':', " : ").replace('}', " }").replace(']', " ]")]
    {
        let read = RawValue::parse(text.as_bytes()).unwrap().read::<T>().ok();
        assert_eq!(read, expected, "{text}");
    }
}

/// Reads each value as a lenient `T` in each kind of compound, with values behind it that a wrong position would take.
fn goes_on<T: DeserializeOwned + Default + PartialEq + Debug>() {
    for value in VALUES {
        agrees::<Lenient<T>>(value);
        agrees::<Outer<T>>(&format!(r#"{{"before":1,"value":{value},"x":9,"after":[{value},{value}]}}"#));
        agrees::<Outer<T>>(&format!(r#"{{"value":{value}}}"#));
        agrees::<Outer<T>>(&format!(r#"[1,{value},9,[{value}]]"#));
        agrees::<(Lenient<T>, u8)>(&format!("[{value},9]"));
        agrees::<((Lenient<T>, Lenient<T>), u8)>(&format!("[[{value},{value}],9]"));
        agrees::<Vec<Lenient<Vec<Lenient<T>>>>>(&format!("[[{value},{value}],{value},[9]]"));
        agrees::<BTreeMap<String, Lenient<T>>>(&format!(r#"{{"a":{value},"b":{value}}}"#));
        agrees::<Held<T>>(&format!(r#"{{"Held":{value}}}"#));
        agrees::<Held<T>>(&format!(r#"{{"Tuple":[{value},9]}}"#));
        agrees::<Lenient<BTreeMap<u8, T>>>(&format!(r#"{{"1":{value},"x":{value},"2":{value}}}"#));
    }
}

macro_rules! kinds {
    ($($test:ident $type:ty;)*) => {$(
        #[test]
        fn $test() {
            goes_on::<$type>();
        }
    )*};
}
kinds! {
    a_lenient_integer_is_passed_as_a_whole u8;
    a_lenient_large_integer_is_passed_as_a_whole u64;
    a_lenient_float_is_passed_as_a_whole f64;
    a_lenient_boolean_is_passed_as_a_whole bool;
    a_lenient_null_is_passed_as_a_whole ();
    a_lenient_string_is_passed_as_a_whole String;
    a_lenient_string_with_a_capacity_is_passed_as_a_whole heapless::String<2>;
    a_lenient_character_is_passed_as_a_whole char;
    a_lenient_option_is_passed_as_a_whole Option<u8>;
    a_lenient_array_is_passed_as_a_whole Vec<u8>;
    a_lenient_array_with_a_capacity_is_passed_as_a_whole heapless::Vec<u8, 1>;
    a_lenient_array_of_arrays_is_passed_as_a_whole Vec<Vec<u8>>;
    a_lenient_tuple_is_passed_as_a_whole (u8, bool);
    a_lenient_map_is_passed_as_a_whole BTreeMap<String, u8>;
    a_lenient_map_with_other_keys_is_passed_as_a_whole BTreeMap<u8, u8>;
    a_lenient_struct_is_passed_as_a_whole Pair;
    a_lenient_enum_is_passed_as_a_whole Choice;
}

#[test]
fn a_peer_cannot_choose_a_member_through_a_lenient_one() {
    #[derive(Deserialize, PartialEq, Debug)]
    struct Account {
        #[serde(default)]
        tags: Lenient<Vec<u8>>,
        #[serde(default)]
        admin: bool,
        #[serde(default)]
        user: u8,
    }
    let expected = Account { tags: Lenient(Vec::new()), admin: false, user: 7 };
    let text = br#"{"tags":[300,"admin",true],"admin":false,"user":7}"#;
    assert_eq!(RawValue::parse(text).unwrap().read(), Ok(expected));
}

#[test]
fn a_repeated_member_and_a_wide_integer_are_passed_as_a_whole() {
    // a tree has only the last member of a name, and no integer of more than 64 bits
    let read: Outer<Pair> = RawValue::parse(br#"{"value":{"x":1,"x":2},"x":9}"#).unwrap().read().unwrap();
    assert_eq!(read, Outer { before: 0, value: Lenient(Pair::default()), x: 9, after: Vec::new() });
    let read: (Lenient<i128>, u8) = RawValue::parse(br#"["1",9]"#).unwrap().read().unwrap();
    assert_eq!(read, (Lenient(0), 9));
}

#[test]
fn an_error_is_no_result_to_read() {
    let response =
        nanojsonrpc::Response::parse(br#"{"jsonrpc":"2.0","error":{"code":1,"message":"no"},"id":1}"#).unwrap();
    let read = response.result_with::<u8>(&mut []).unwrap();
    assert_eq!(read.map_err(|error| error.code.0), Err(1));
    let response = nanojsonrpc::Response::parse(br#"{"jsonrpc":"2.0","result":7,"id":1}"#).unwrap();
    assert_eq!(response.result_with::<u8>(&mut []), Ok(Ok(7)));
}
