//! The types of this crate that serde reads, inside every kind of type through which serde hands them a value.
//!
//! A flattened, untagged or tagged type reads its value into a copy first and replays it later. So a visitor of this
//! crate sees values that its own deserializer did not validate, and must not take them for parts that it did.
// Each test file uses its own part of this.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fmt::Debug;

use nanojsonrpc::{ErrorCode, Id, RawStr, RawValue, Response, json::Kind};
use serde::de::DeserializeOwned;
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize, Debug)]
struct Plain<T> {
    id: T,
}

#[derive(Deserialize, Serialize, Debug)]
struct Flattened<T> {
    #[serde(flatten)]
    inner: Plain<T>,
}

#[derive(Deserialize, Serialize, Debug)]
struct FlattenedTwice<T> {
    #[serde(flatten)]
    inner: Flattened<T>,
}

#[derive(Deserialize, Serialize, Debug)]
struct FlattenedMap<T> {
    #[serde(flatten)]
    rest: BTreeMap<String, T>,
}

#[derive(Deserialize, Serialize, Debug)]
#[serde(untagged)]
enum UntaggedValue<T> {
    Value(T),
}

#[derive(Deserialize, Serialize, Debug)]
#[serde(untagged)]
enum UntaggedMember<T> {
    Member { id: T },
}

#[derive(Deserialize, Serialize, Debug)]
#[serde(tag = "t")]
enum TaggedInside<T> {
    Member { id: T },
    Inner(Plain<T>),
}

#[derive(Deserialize, Serialize, Debug)]
#[serde(tag = "t", content = "c")]
enum TaggedBeside<T> {
    Value(T),
    Member { id: T },
    Pair((), T),
}

#[derive(Deserialize, Serialize, Debug)]
enum TaggedOutside<T> {
    Value(T),
    Member { id: T },
}

#[derive(Deserialize, Serialize, Debug)]
struct Newtype<T>(T);

#[derive(Deserialize, Serialize, Debug)]
#[serde(transparent)]
struct Transparent<T>(T);

/// A type that is read for the value in it.
trait Carrier<T> {
    fn value(self) -> T;
}

macro_rules! carriers {
    ($($type:ident: $pattern:pat => $value:expr;)*) => {$(
        impl<T> Carrier<T> for $type<T> {
            fn value(self) -> T {
                match self { $pattern => $value }
            }
        }
    )*};
}
carriers! {
    Plain: Plain { id } => id;
    Flattened: Flattened { inner } => inner.id;
    FlattenedTwice: FlattenedTwice { inner } => inner.inner.id;
    FlattenedMap: FlattenedMap { rest } => rest.into_values().next().expect("the one member");
    UntaggedValue: UntaggedValue::Value(id) => id;
    UntaggedMember: UntaggedMember::Member { id } => id;
    TaggedInside: TaggedInside::Member { id } | TaggedInside::Inner(Plain { id }) => id;
    TaggedBeside: TaggedBeside::Value(id) | TaggedBeside::Member { id } | TaggedBeside::Pair((), id) => id;
    TaggedOutside: TaggedOutside::Value(id) | TaggedOutside::Member { id } => id;
    Newtype: Newtype(id) => id;
    Transparent: Transparent(id) => id;
}

/// The ways to read a type of this crate from a text.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    /// By the deserializer of this crate, in place.
    Ours,
    /// By the same, from a copy that serde made.
    OursCopied,
    /// By the deserializer of serde_json.
    Theirs,
}

/// A type of this crate.
trait Ours: Serialize + Debug + Sized {
    /// Checks that `read` equals `value`.
    fn holds(read: Option<Self>, value: RawValue<'_>, way: Way);
}

impl<const N: usize> Ours for Id<N> {
    fn holds(read: Option<Self>, value: RawValue<'_>, way: Way) {
        let expected = Id::<N>::read(value).ok();
        let is_integer = value.as_i64().is_some() || value.as_u64().is_some();
        if let Some(id) = &read {
            let mut out = [0; 512];
            let response: Response<'_, N, &i32> = Response { id: id.clone(), outcome: Ok(&1) };
            let len = response.write(&mut out).expect("room");
            let written = parsed(&out[..len]).get("id").expect("an id");
            assert_eq!(Id::read(written).as_ref(), Ok(id), "{value}");
        }
        // others hand over a number beyond 64 bits or with a fraction as the nearest float
        if value.kind() == Kind::Number && !is_integer && way != Way::Ours {
            if let Some(read) = read {
                assert_eq!(read.to_string().parse::<f64>(), value.as_json().parse(), "{value}, {way:?}");
            }
        } else {
            assert_eq!(read, expected, "{value}, {way:?}");
        }
    }
}

impl Ours for ErrorCode {
    fn holds(read: Option<Self>, value: RawValue<'_>, way: Way) {
        let code = read.map(|code| code.0);
        // a copy of serde_json takes `-0` for an integer, with its feature `arbitrary_precision`
        if way != Way::Theirs || value.as_json() != "-0" || code != Some(0) {
            assert_eq!(code, value.as_i64(), "{value}, {way:?}");
        }
    }
}

impl Ours for RawValue<'_> {
    fn holds(read: Option<Self>, value: RawValue<'_>, way: Way) {
        assert_eq!(read, Some(value).filter(|_| way == Way::Ours), "{way:?}");
    }
}

impl Ours for RawStr<'_> {
    fn holds(read: Option<Self>, value: RawValue<'_>, way: Way) {
        assert_eq!(read, value.as_str_raw().filter(|_| way == Way::Ours), "{value}, {way:?}");
    }
}

/// The text of a message, which is JSON.
fn parsed(text: &[u8]) -> RawValue<'_> {
    RawValue::parse(text).unwrap_or_else(|error| panic!("{error}: {}", text.escape_ascii()))
}

/// Reads `value`, a JSON text, in every carrier, by this crate's deserializer and by serde_json's, as every type of this
/// crate that serde reads. Only validated text becomes a part, and the output is JSON.
pub(crate) fn every_carrier_holds(value: &str) {
    let value = parsed(value.as_bytes());
    in_every_carrier::<Id>(value);
    in_every_carrier::<Id<3>>(value);
    in_every_carrier::<Id<0>>(value);
    in_every_carrier::<ErrorCode>(value);
    let texts = Texts::new(value);
    texts.read::<RawValue<'_>>(value);
    texts.read::<RawStr<'_>>(value);
}

fn in_every_carrier<T: Ours + DeserializeOwned>(value: RawValue<'_>) {
    Texts::new(value).read::<T>(value);
    let Ok(tree) = serde_json::from_slice::<serde_json::Value>(value.as_bytes()) else { return };
    // serde_json reads an object with the name of its own raw values as the value that is spelled in it
    if tree.is_object() != (value.kind() == Kind::Object) {
        return;
    }
    // from an owned tree, and by deserializers that pass their value to any visitor
    let object = serde_json::Map::from_iter([("id".to_string(), tree.clone())]);
    let read = serde_json::from_value::<Flattened<T>>(object.into());
    T::holds(read.ok().map(Carrier::value), value, Way::Theirs);
    if let Some(elements) = tree.as_array() {
        let strings = elements.iter().map(|element| element.as_str().unwrap_or("0"));
        let bytes = strings.clone().map(str::as_bytes);
        assert!(T::deserialize(SeqDeserializer::<_, Error>::new(strings)).is_err(), "{value}");
        assert!(T::deserialize(SeqDeserializer::<_, Error>::new(bytes)).is_err(), "{value}");
    }
    if let Some(members) = tree.as_object() {
        let members = members.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap_or("0")));
        assert!(T::deserialize(MapDeserializer::<_, Error>::new(members)).is_err(), "{value}");
    }
}

/// The texts that contain a value, one for each carrier.
struct Texts {
    alone: String,
    member: String,
    inside: [String; 2],
    /// The name of the variant comes first.
    beside: [String; 3],
    /// The variant comes last.
    before: [String; 3],
    outside: [String; 2],
}

impl Texts {
    fn new(value: RawValue<'_>) -> Self {
        let member = format!(r#"{{"id":{value}}}"#);
        let contents = [("Value", value.to_string()), ("Member", member.clone()), ("Pair", format!("[null,{value}]"))];
        Self {
            inside: [format!(r#"{{"t":"Member","id":{value}}}"#), format!(r#"{{"id":{value},"t":"Inner"}}"#)],
            beside: contents.each_ref().map(|(name, content)| format!(r#"{{"t":"{name}","c":{content}}}"#)),
            before: contents.each_ref().map(|(name, content)| format!(r#"{{"c":{content},"t":"{name}"}}"#)),
            outside: [format!(r#"{{"Value":{value}}}"#), format!(r#"{{"Member":{member}}}"#)],
            alone: value.to_string(),
            member,
        }
    }

    fn read<'a, T: Ours + Deserialize<'a>>(&'a self, value: RawValue<'_>) {
        read::<T, Plain<T>>(&self.member, value, Way::Ours);
        read::<T, Newtype<T>>(&self.alone, value, Way::Ours);
        read::<T, Transparent<T>>(&self.alone, value, Way::Ours);
        self.outside.iter().for_each(|text| read::<T, TaggedOutside<T>>(text, value, Way::Ours));
        self.beside.iter().for_each(|text| read::<T, TaggedBeside<T>>(text, value, Way::Ours));
        self.before.iter().for_each(|text| read::<T, TaggedBeside<T>>(text, value, Way::OursCopied));
        self.inside.iter().for_each(|text| read::<T, TaggedInside<T>>(text, value, Way::OursCopied));
        read::<T, Flattened<T>>(&self.member, value, Way::OursCopied);
        read::<T, FlattenedTwice<T>>(&self.member, value, Way::OursCopied);
        read::<T, FlattenedMap<T>>(&self.member, value, Way::OursCopied);
        read::<T, UntaggedMember<T>>(&self.member, value, Way::OursCopied);
        read::<T, UntaggedValue<T>>(&self.alone, value, Way::OursCopied);
    }
}

/// Reads `text` with both deserializers, writes the value with both serializers, and compares it.
fn read<'a, T: Ours, C>(text: &'a str, value: RawValue<'_>, way: Way)
where
    C: Carrier<T> + Deserialize<'a> + Serialize,
{
    let ours = parsed(text.as_bytes()).read::<C>().ok();
    let theirs = serde_json::from_str::<C>(text).ok();
    for (read, way) in [(ours, way), (theirs, Way::Theirs)] {
        if let Some(carrier) = &read {
            let mut out = vec![0; 2 * text.len() + 512];
            let len = Response::success(1, carrier).write(&mut out).expect("room");
            parsed(&out[..len]);
            if let Ok(written) = serde_json::to_vec(carrier) {
                parsed(&written);
            }
        }
        T::holds(read.map(Carrier::value), value, way);
    }
}
