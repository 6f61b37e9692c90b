//! Data of a peer is never taken for a part that was validated, whatever type serde reads it through.
#![cfg(feature = "serde")]

use std::collections::BTreeMap;

use nanojsonrpc::json::Deserializer;
use nanojsonrpc::{Fixed, Id, RawStr, RawValue, Request, Response, Router, Server, Writer};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde::de::value::{Error, SeqDeserializer};
use serde::de::{self, DeserializeSeed, SeqAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

/// Values that imitate the private parts of a validated value, and values at the limits of types.
const VALUES: &[&str] = &[
    r#"["1}",0]"#,
    r#"[",1",0]"#,
    r#"["42",0]"#,
    r#"["nonsense",0]"#,
    r#"["\"a\"",0]"#,
    r#"["",0]"#,
    r#"["1",18446744073709551615]"#,
    r#"["1}"]"#,
    r#"["1}",0,0]"#,
    r#"[[49,125],0]"#,
    r#"[["1}",0]]"#,
    r#"["\u0031}",0]"#,
    r#"[0,"1}"]"#,
    r#"["1}",-1]"#,
    r#"[null,"1}",0]"#,
    r#"["1}","0"]"#,
    r#"{"$nanojsonrpc::RawValue":"1}"}"#,
    r#"{"$nanojsonrpc::RawValue":["1}",0]}"#,
    r#"{"$nanojsonrpc::RawStr":"\""}"#,
    r#"{"$serde_json::private::RawValue":"1}"}"#,
    r#"{"$serde_json::private::Number":"1}"}"#,
    r#"{"text":"1}","offset":0}"#,
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "[[]]",
    r#"{"id":1}"#,
    r#"[1]"#,
    r#""1}""#,
    r#""""#,
    r#""a""#,
    r#""abc""#,
    r#""abcd""#,
    r#""\n""#,
    r#""\ud83d\ude00""#,
    r#""\u0000""#,
    "0",
    "-0",
    "7",
    "-1",
    "999",
    "1.5",
    "1.50",
    "1e3",
    "1e400",
    "-1e400",
    "1e-400",
    "5e-324",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211455",
    "340282366920938463463374607431768211456",
    "0.1",
];

#[test]
fn forged_parts_are_refused_in_every_carrier() {
    VALUES.iter().for_each(|value| crate::carriers::every_carrier_holds(value));
}

#[test]
fn any_value_in_every_carrier_is_what_it_is() {
    let word =
        prop::sample::select(&["1}", ",1", "42", "1", "\"", "", "null", "id", "t", "c", "$nanojsonrpc::RawValue"][..]);
    let leaf = prop_oneof![
        word.clone().prop_map(|word| serde_json::to_string(word).unwrap()),
        "\\PC{0,5}".prop_map(|text| serde_json::to_string(&text).unwrap()),
        prop::sample::select(VALUES).prop_map(String::from),
        any::<u64>().prop_map(|number| number.to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<i128>().prop_map(|number| number.to_string()),
        any::<f64>().prop_filter_map("finite", |number| serde_json::to_string(&number).ok()),
    ];
    let value = leaf.prop_recursive(3, 8, 3, move |inner| {
        let member = (word.clone(), inner.clone())
            .prop_map(|(name, value)| format!("{}:{value}", serde_json::to_string(name).unwrap()));
        prop_oneof![
            (inner.clone(), any::<u64>()).prop_map(|(text, offset)| format!("[{text},{offset}]")),
            prop::collection::vec(inner, 0..3).prop_map(|values| format!("[{}]", values.join(","))),
            prop::collection::vec(member, 0..3).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    });
    let config =
        Config { cases: crate::payload_types::cases::cases(400), failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&value, |value| {
            crate::carriers::every_carrier_holds(&value);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn a_peer_cannot_forge_an_id_that_a_handler_answers_with() {
    #[derive(Deserialize)]
    struct Cancel {
        id: Id,
    }
    #[derive(Deserialize)]
    struct Params {
        #[serde(flatten)]
        cancel: Cancel,
    }
    let mut server = Server::new(Router::new().request("cancel", |answer: &mut Vec<u8>, params: Params| {
        let mut out = [0; 128];
        let len = Response::success(params.cancel.id, &1).write(&mut out)?;
        answer.extend(&out[..len]);
        Ok(())
    }));
    for forged in [r#"["1}",0]"#, r#"[",1",0]"#, r#"["42",0]"#, r#"["nonsense",0]"#] {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"cancel","params":{{"id":{forged}}},"id":1}}"#);
        assert!(Request::parse(text.as_bytes()).expect("a request").params::<Params>().is_err(), "{forged}");
        let (mut answer, mut output) = (Vec::new(), [0; 256]);
        let output = server.process(&mut answer, text.as_bytes(), &mut output).answer().expect("an answer");
        assert_eq!(RawValue::parse(output).unwrap().pointer("/error/code").and_then(RawValue::as_i64), Some(-32602));
        assert_eq!(answer.escape_ascii().to_string(), "");
    }
}

/// Bytes under a name, as a newtype or as a struct of one member.
struct Named {
    name: &'static str,
    bytes: &'static [u8],
    way: u8,
}

struct Bytes(&'static [u8]);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = str::from_utf8(self.bytes).expect("UTF-8");
        match self.way {
            0 => serializer.serialize_newtype_struct(self.name, &Bytes(self.bytes)),
            1 => serializer.serialize_newtype_struct(self.name, text),
            2 => serializer.serialize_newtype_struct(self.name, &7),
            way => {
                let mut object = serializer.serialize_struct(self.name, 1)?;
                match way {
                    3 => object.serialize_field(self.name, text)?,
                    4 => object.serialize_field(self.name, &text.to_string())?,
                    5 => object.serialize_field("other", text)?,
                    6 => object.serialize_field(self.name, &7)?,
                    7 => object.serialize_field(self.name, &Bytes(self.bytes))?,
                    8 => object.serialize_field(self.name, &(1, text))?,
                    9 => {
                        object.serialize_field(self.name, text)?;
                        object.serialize_field(self.name, text)?;
                    }
                    _ => {}
                }
                object.end()
            }
        }
    }
}

const NAMES: &[&str] = &[
    "$nanojsonrpc::RawValue",
    "$nanojsonrpc::RawStr",
    "$serde_json::private::RawValue",
    "$serde_json::private::Number",
    "Named",
];

#[test]
fn a_name_that_asks_to_be_spliced_in_never_writes_what_is_not_json() {
    let texts: &[&[u8]] =
        &[b"1}", b",1", b"", b" ", b"1 2", b"nonsense", b"\"", b"[", b"1", b" [1] ", b"\"a\"", b"{\"a\":1}"];
    for (name, bytes, way) in
        NAMES.iter().flat_map(|name| texts.iter().flat_map(move |bytes| (0..=10).map(move |way| (*name, *bytes, way))))
    {
        let value = Named { name, bytes, way };
        let is_valid = RawValue::parse(bytes).is_ok();
        let mut out = [0; 256];
        let written = Response::success(1, &value).write(&mut out).map(|len| &out[..len]);
        if let Ok(text) = written {
            let result = RawValue::parse(text).unwrap_or_else(|error| panic!("{error}: {}", text.escape_ascii()));
            let is_private = name.starts_with("$serde_json") && result.as_json().contains(name);
            assert!(!is_private, "{}", text.escape_ascii());
        } else {
            assert!(!is_valid || way > 4, "{name} {way}: {}", bytes.escape_ascii());
        }
        // as the key and as the value of a map, and in an array
        for wrap in 0..3 {
            let mut out = [0; 256];
            let mut out = Writer::new(&mut out);
            let written = match wrap {
                0 => out.value(&Keyed(&value)),
                1 => out.value(&[(1, &value), (2, &value)]),
                _ => out.value(&Some(&value)),
            };
            let text = out.written();
            assert_eq!(written.is_ok(), RawValue::parse(text).is_ok(), "{name} {way}: {}", text.escape_ascii());
            assert!(written.is_ok() || text.is_empty());
        }
    }
}

#[test]
fn a_newtype_of_a_similar_name_is_no_raw_value() {
    for name in ["Named", "$nanojsonrpc::RawValuE", "$nanojsonrpc::RawValue_"] {
        let mut out = [0; 16];
        let mut out = Writer::new(&mut out);
        out.value(&Named { name, bytes: b"[1]", way: 0 }).unwrap();
        assert_eq!(out.written(), b"[91,49,93]", "{name}");
    }
}

/// A map with one key.
struct Keyed<'a>(&'a Named);

impl Serialize for Keyed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.0, self.0)])
    }
}

#[derive(Serialize, Deserialize)]
struct Theirs<'a> {
    #[serde(borrow)]
    borrowed: &'a serde_json::value::RawValue,
    owned: Box<serde_json::value::RawValue>,
    many: Vec<Box<serde_json::value::RawValue>>,
    maybe: Option<Box<serde_json::value::RawValue>>,
}

#[test]
fn a_raw_value_of_serde_json_is_written_and_read_as_its_text() {
    for value in VALUES {
        let text = format!(r#"{{"borrowed":{value},"owned":{value},"many":[{value},1],"maybe":[{value}]}}"#);
        let theirs: Theirs<'_> = serde_json::from_str(&text).expect("JSON");
        let mut out = vec![0; text.len()];
        let mut out = Writer::new(&mut out);
        assert_eq!(out.value(&theirs), Ok(()), "{text}");
        assert_eq!(str::from_utf8(out.written()), Ok(&*text));
        let mut out = vec![0; text.len() - 1];
        assert!(Writer::new(&mut out).value(&theirs).is_err(), "{text}");
        let ours: Theirs<'_> = RawValue::parse(text.as_bytes()).unwrap().read().expect("to fit");
        assert_eq!(serde_json::to_string(&ours).expect("to be written"), text);
    }
    let spaced = RawValue::parse(b" { \"a\" : [ 1 , 2 ] } ").unwrap();
    let theirs: BTreeMap<String, &serde_json::value::RawValue> = spaced.read().expect("to fit");
    assert_eq!(theirs["a"].get(), "[ 1 , 2 ]");
    // params that are absent are null
    let absent = Request::parse(br#"{"jsonrpc":"2.0","method":"m","id":1}"#).unwrap();
    assert_eq!(absent.params::<Box<serde_json::value::RawValue>>().expect("null").get(), "null");
}

#[test]
fn a_raw_value_is_written_through_a_copy_that_serde_makes() {
    #[derive(Serialize)]
    enum Inner<'a> {
        Member { value: RawValue<'a>, text: RawStr<'a>, id: Id },
    }
    #[derive(Serialize)]
    #[serde(tag = "t")]
    enum Outer<'a> {
        Newtype(Inner<'a>),
    }
    let value = RawValue::parse(br#"[1,"a",{"b":null}]"#).unwrap();
    let text = RawValue::parse(br#""\n""#).unwrap().as_str_raw().unwrap();
    let id = Id::read(RawValue::parse(b"1.5").unwrap()).unwrap();
    let outer = Outer::Newtype(Inner::Member { value, text, id });
    let mut out = [0; 128];
    let mut out = Writer::new(&mut out);
    assert_eq!(out.value(&outer), Ok(()));
    assert_eq!(str::from_utf8(out.written()), Ok(&*serde_json::to_string(&outer).unwrap()));
}

#[test]
fn an_id_keeps_every_digit_of_any_integer_that_it_is_given() {
    use serde::de::IntoDeserializer;

    fn id<'de, const N: usize>(integer: impl IntoDeserializer<'de, Error>) -> Option<String> {
        Id::<N>::deserialize(integer.into_deserializer()).ok().map(|id| id.to_string())
    }
    for number in [0, 1, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
        assert_eq!(id::<20>(number), Some(number.to_string()));
        assert_eq!(serde_json::from_str::<Id>(&number.to_string()).unwrap().to_string(), number.to_string());
    }
    for number in [0, i64::MAX as u128, u64::MAX.into(), u128::from(u64::MAX) + 1, u128::MAX] {
        assert_eq!(id::<39>(number), Some(number.to_string()));
    }
    for number in [0, i128::MIN, i64::MIN.into(), i128::from(i64::MIN) - 1, i128::MAX] {
        assert_eq!(id::<40>(number), Some(number.to_string()));
    }
    // an integer of 64 bits is one word, and takes no room of a text
    assert_eq!(
        (id::<0>(i64::MAX as u128), id::<0>(i64::MIN)),
        (Some(i64::MAX.to_string()), Some(i64::MIN.to_string()))
    );
    assert_eq!((id::<19>(u64::MAX), id::<38>(u128::MAX), id::<39>(i128::MIN)), (None, None, None));
    let refused = serde_json::from_str::<Id<19>>("18446744073709551615").expect_err("too long").to_string();
    assert!(
        refused.contains("invalid length 20, expected a string of at most 19 bytes, a number or null"),
        "{refused}"
    );
    assert!(serde_json::from_str::<Id<2>>("1.5").is_err());
}

/// A deserializer that passes only the first elements of a sequence, and then its end or an error, or requests another type.
struct Lying<D> {
    inner: D,
    name: Option<&'static str>,
    len: usize,
    fails: bool,
}

struct Front<A> {
    inner: A,
    len: usize,
    fails: bool,
}

impl<'de, D: de::Deserializer<'de>> de::Deserializer<'de> for Lying<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        let Self { inner, name: other, len, fails } = self;
        inner.deserialize_newtype_struct(other.unwrap_or(name), Front { inner: visitor, len, fails })
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple tuple_struct
        map struct enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Front<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Front { inner: parts, len: self.len, fails: self.fails })
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Front<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        match self.len.checked_sub(1) {
            Some(len) => self.len = len,
            None if self.fails => return Err(de::Error::custom("no")),
            None => return Ok(None),
        }
        self.inner.next_element_seed(seed)
    }
}

#[test]
fn a_part_of_a_validated_value_is_refused() {
    const VALUE: Option<&str> = Some("$nanojsonrpc::RawValue");
    for (len, fails) in (0..3).flat_map(|len| [(len, false), (len, true)]) {
        let mut reader = Deserializer::new(RawValue::parse(b"\"a\"").unwrap());
        let lying = Lying { inner: &mut reader, name: None, len, fails };
        assert!(RawValue::deserialize(lying).is_err(), "{len} {fails}");
    }
    // the whole value is read as a value, and as a string only if it is one
    for (text, is_string) in [("\"a\"", true), ("7", false)] {
        let value = RawValue::parse(text.as_bytes()).unwrap();
        let (mut reader, mut other) = (Deserializer::new(value), Deserializer::new(value));
        let read = RawValue::deserialize(Lying { inner: &mut reader, name: VALUE, len: 3, fails: true });
        assert_eq!(read.ok(), Some(value));
        let read = RawStr::deserialize(Lying { inner: &mut other, name: VALUE, len: 3, fails: true });
        assert_eq!(read.is_ok_and(|text| text == "a"), is_string, "{text}");
    }
    // and a sequence of another deserializer is none
    let sequence = || SeqDeserializer::<_, Error>::new([1u8].into_iter());
    assert!(RawValue::deserialize(sequence()).is_err() && RawStr::deserialize(sequence()).is_err());
    assert!(Fixed::<i32, 2>::deserialize(sequence()).is_err());
}
