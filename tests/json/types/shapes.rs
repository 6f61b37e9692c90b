//! The types themselves.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Unit;

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug, Eq, PartialOrd, Ord)]
pub(crate) struct Newtype(pub(crate) i32);

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(transparent)]
pub(crate) struct Transparent {
    pub(crate) inner: String,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct TupleStruct(pub(crate) u8, pub(crate) String, pub(crate) Option<bool>);

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct NoFields {}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct BorrowedCow<'a> {
    #[serde(borrow)]
    pub(crate) text: Cow<'a, str>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Reading {
    pub(crate) sensor: String,
    pub(crate) values: heapless::Vec<i32, 4>,
    pub(crate) unit: Option<heapless::String<16>>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Borrowed<'a> {
    pub(crate) sensor: &'a str,
    pub(crate) unit: Option<&'a str>,
    pub(crate) pair: [u8; 2],
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Renamed {
    pub(crate) first_field: u8,
    #[serde(rename = "2nd")]
    pub(crate) second: bool,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Aliased {
    #[serde(alias = "old", alias = "older")]
    pub(crate) value: u8,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct EscapedNames {
    #[serde(rename = "\"\n")]
    pub(crate) quote: u8,
    #[serde(rename = "é😀")]
    pub(crate) letter: u8,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Defaulted {
    #[serde(default)]
    pub(crate) count: u8,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default = "seven")]
    pub(crate) kept: u8,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Skipped {
    pub(crate) shown: u8,
    #[serde(skip)]
    pub(crate) hidden: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) maybe: Option<u8>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct Strict {
    pub(crate) a: u8,
    pub(crate) b: Option<u8>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct AllOptional {
    pub(crate) a: Option<u8>,
    pub(crate) b: Option<bool>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Flattened {
    pub(crate) id: u8,
    #[serde(flatten)]
    pub(crate) inner: Reading,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct FlattenedMap {
    pub(crate) id: u8,
    #[serde(flatten)]
    pub(crate) rest: BTreeMap<String, i32>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct WithFunction {
    #[serde(serialize_with = "hex", deserialize_with = "unhex")]
    pub(crate) hex: u32,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Nested {
    pub(crate) one: Reading,
    pub(crate) many: Vec<Reading>,
    pub(crate) maybe: Option<Box<Reading>>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Tree {
    pub(crate) value: i8,
    pub(crate) children: Vec<Tree>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next: Option<u8>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Wide {
    pub(crate) a: u128,
    pub(crate) b: i128,
    pub(crate) c: u64,
    pub(crate) d: i64,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Dynamic {
    pub(crate) any: Value,
    pub(crate) maybe: Option<Value>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Color {
    Red,
    DarkGreen,
    #[serde(rename = "\\")]
    Backslash,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) enum External {
    Unit,
    Newtype(i32),
    Optional(Option<u8>),
    Nothing(()),
    Tuple(u8, String),
    Struct { a: u8, b: Option<String> },
    Inner(Reading),
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(tag = "type")]
pub(crate) enum Internal {
    Unit,
    Newtype(Reading),
    Struct { a: u8, b: Option<String> },
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(tag = "t", content = "c")]
pub(crate) enum Adjacent {
    Unit,
    Newtype(i32),
    Tuple(u8, String),
    Struct { a: u8, b: Option<String> },
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(untagged)]
pub(crate) enum Untagged {
    Nothing,
    Flag(bool),
    Small(i16),
    Large(u64),
    Float(f64),
    Letter(char),
    Text(String),
    Pair(u8, String),
    List(Vec<u32>),
    Struct { a: u8, b: Option<String> },
    Color { color: Color },
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) enum WithOther {
    Known,
    #[serde(other)]
    Other,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) enum BorrowedEnum<'a> {
    Name(&'a str),
    Id { id: u8 },
}

fn seven() -> u8 {
    7
}

fn hex<S: Serializer>(number: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:x}\t"))
}

fn unhex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let text = String::deserialize(deserializer)?;
    u32::from_str_radix(text.trim_end(), 16).map_err(de::Error::custom)
}

/// Bytes as serde_bytes has them: an array of numbers, or the text of a string.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

struct BytesVisitor {
    takes_text: bool,
}

impl<'de> Visitor<'de> for BytesVisitor {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<u8>, E> {
        match self.takes_text {
            true => Ok(text.as_bytes().to_vec()),
            false => Err(E::invalid_type(de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<u8>, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = elements.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(BytesVisitor { takes_text: true }).map(Self)
    }
}

/// A type that requests bytes and accepts nothing else.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct OnlyBytes(pub(crate) Vec<u8>);

impl Serialize for OnlyBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for OnlyBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(BytesVisitor { takes_text: false }).map(Self)
    }
}

/// A map whose keys are floats, in the order of the text.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Floats(pub(crate) Vec<(f64, u8)>);

impl Serialize for Floats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl<'de> Deserialize<'de> for Floats {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FloatsVisitor;
        impl<'de> Visitor<'de> for FloatsVisitor {
            type Value = Floats;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut members: A) -> Result<Floats, A::Error> {
                let mut floats = Vec::new();
                while let Some(member) = members.next_entry()? {
                    floats.push(member);
                }
                Ok(Floats(floats))
            }
        }
        deserializer.deserialize_map(FloatsVisitor)
    }
}

/// A member that is written, and ignored when it is read.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Ignored {
    pub(crate) id: u8,
    pub(crate) rest: Hidden,
}

/// A tree that is read as [`IgnoredAny`].
#[derive(Clone)]
pub(crate) struct Hidden(pub(crate) Tree);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hidden")
    }
}

impl Serialize for Hidden {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Hidden {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(Tree { value: 0, children: Vec::new() }))
    }
}
