//! For each type: texts that are made from its schema, right and wrong, are read by serde if and only if a validator of JSON
//! Schema 2020-12 accepts them, except for the differences that `nanojsonrpc::json_schema` documents; and a value that was read and
//! written again validates.

use std::fmt::Debug;

use nanojsonrpc::json_schema::{JsonSchema, schema_of};
use nanojsonrpc::{RawValue, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A generator of numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<'v>(&mut self, values: &'v [Value]) -> &'v Value {
        &values[self.below(values.len())]
    }
}

/// A value for `schema`, which is often right and sometimes wrong in one place.
fn value(schema: &Value, random: &mut Random) -> Value {
    if random.one_in(12) {
        return random
            .of(&[
                json!(null),
                json!(true),
                json!(-1),
                json!(0.5),
                json!("x"),
                json!([]),
                json!({}),
                json!(300),
                json!("Nothing"),
            ])
            .clone();
    }
    for keyword in ["enum", "oneOf", "anyOf"] {
        if let Some(choices) = schema[keyword].as_array() {
            let choice = random.of(choices);
            return if keyword == "enum" { choice.clone() } else { value(choice, random) };
        }
    }
    if !schema["const"].is_null() {
        return schema["const"].clone();
    }
    match schema["type"].as_str() {
        Some("null") => Value::Null,
        Some("boolean") => json!(random.one_in(2)),
        Some("integer") => integer(schema, random),
        Some("number") => random.of(&[json!(0), json!(-1.5), json!(1e300), json!(7)]).clone(),
        Some("string") => string(schema, random),
        Some("array") => array(schema, random),
        Some("object") => object(schema, random),
        _ => random.of(&[json!(null), json!([1, {"a": 2}]), json!("any")]).clone(),
    }
}

fn integer(schema: &Value, random: &mut Random) -> Value {
    // serde_json's own numbers end at 64 bits
    let bound = |name: &str, widest: i128| {
        schema[name].as_i64().map(i128::from).or(schema[name].as_u64().map(i128::from)).unwrap_or(widest)
    };
    let (least, most) = (bound("minimum", i128::from(i64::MIN)), bound("maximum", i128::from(u64::MAX)));
    let number = match random.below(7) {
        0 => least,
        1 => most,
        2 => least - 1,
        3 => most + 1,
        4 => 0,
        _ => random.below(200) as i128,
    };
    u64::try_from(number).map(Value::from).or(i64::try_from(number).map(Value::from)).unwrap_or(json!(0))
}

fn string(schema: &Value, random: &mut Random) -> Value {
    let most = schema["maxLength"].as_u64().unwrap_or(9) as usize;
    let len = [0, 1, most, most + 1, most / 2][random.below(5)];
    json!("a".repeat(len))
}

fn array(schema: &Value, random: &mut Random) -> Value {
    if let Some(prefix) = schema["prefixItems"].as_array() {
        let mut elements: Vec<_> = prefix.iter().map(|schema| value(schema, random)).collect();
        match random.below(8) {
            0 => elements.push(json!(1)),
            1 => _ = elements.pop(),
            _ => {}
        }
        return Value::Array(elements);
    }
    let (least, most) = (schema["minItems"].as_u64().unwrap_or(0), schema["maxItems"].as_u64().unwrap_or(4));
    let len = if random.one_in(4) { random.below(most as usize + 2) } else { least.max(most / 2) as usize };
    Value::Array((0..len).map(|_| value(&schema["items"], random)).collect())
}

fn object(schema: &Value, random: &mut Random) -> Value {
    let mut object = Map::new();
    let parts = schema["allOf"].as_array().into_iter().flatten().chain([schema]);
    for part in parts {
        for choices in [&part["oneOf"], &part["anyOf"]] {
            if let Some(choices) = choices.as_array() {
                if let Value::Object(members) = value(random.of(choices), random) {
                    object.extend(members);
                }
            }
        }
        let required = part["required"].as_array().cloned().unwrap_or_default();
        for (name, schema) in part["properties"].as_object().into_iter().flatten() {
            let is_left_out = random.one_in(if required.contains(&json!(name)) { 12 } else { 2 });
            if !is_left_out {
                object.insert(name.clone(), value(schema, random));
            }
        }
    }
    if let Some(items) = schema["additionalProperties"].as_object() {
        let (most, len) = (schema["maxProperties"].as_u64(), schema["propertyNames"]["maxLength"].as_u64());
        for place in 0..random.below(most.unwrap_or(1) as usize + 2) {
            let len = len.map_or(3, |len| len as usize + usize::from(random.one_in(12)));
            object.insert(format!("{place:k<len$}"), value(&Value::Object(items.clone()), random));
        }
    }
    if random.one_in(8) {
        object.insert("of a newer peer".into(), json!([1]));
    }
    Value::Object(object)
}

/// Whether serde reads `value` although the schema refuses it: a struct from an array, a variant without data from an object
/// with null. Or, with the type of `schema` unknown, whether there is any array or null that could be such.
fn is_documented(value: &Value) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Object(object) => {
            object.len() == 1 && object.values().all(Value::is_null) || object.values().any(is_documented)
        }
        _ => false,
    }
}

fn agree<T: Serialize + DeserializeOwned + Debug + JsonSchema>(name: &str, schema: &str) {
    let schema: Value = serde_json::from_str(schema).unwrap();
    assert!(jsonschema::meta::is_valid(&schema), "{name}: {schema}");
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut read_count, mut refused_count, mut excepted) = (0, 0, 0);
    for _ in 0..20_000 {
        let value = value(&schema, &mut random);
        let text = value.to_string();
        let read = RawValue::parse(text.as_bytes()).unwrap().read::<T>();
        match (validator.is_valid(&value), read) {
            (true, Ok(read)) => {
                read_count += 1;
                let written = serde_json::to_value(&read).unwrap();
                assert!(
                    validator.is_valid(&written),
                    "{name}: {text} is read, {written} is written, which does not validate"
                );
            }
            (false, Err(_)) => refused_count += 1,
            (false, Ok(_)) if is_documented(&value) => excepted += 1,
            (is_valid, read) => panic!("{name}: {text}: validates: {is_valid}, serde: {read:?}\n{schema}"),
        }
    }
    println!(
        "{name}: {read_count} read, {refused_count} refused, {excepted} read though the schema refuses them, as documented"
    );
    assert!(read_count > 500 && refused_count > 500, "{name}: {read_count} and {refused_count} prove too little");
}

macro_rules! agree {
    ($($type:ty),* $(,)?) => {$(agree::<$type>(stringify!($type), schema_of!($type));)*};
}

#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Closed {
    first_field: u8,
    text: Option<heapless::String<5>>,
    #[serde(default)]
    list: heapless::Vec<i16, 3>,
    #[serde(skip)]
    hidden: u8,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Open {
    pair: (bool, [i8; 2]),
    nested: Option<Box<Closed>>,
    map: std::collections::BTreeMap<String, u8>,
    hashed: Option<std::collections::HashMap<String, std::collections::HashSet<u8>>>,
    unit: (),
}

#[derive(Debug, Default, Serialize, Deserialize, Schema)]
#[serde(default)]
struct Defaulted {
    a: i64,
    b: u64,
}

#[derive(Debug, Default, Serialize, Deserialize, Schema)]
#[serde(default)]
struct DefaultedPair(i8, bool);

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Flattened {
    own: bool,
    #[serde(flatten)]
    rest: Defaulted,
    #[serde(flatten)]
    kind: Internal,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(transparent)]
struct Through(Vec<u8>);

#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(rename_all = "kebab-case")]
enum Plain {
    OneTwo,
    #[serde(rename = "3")]
    Three,
    #[serde(skip)]
    Never,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
enum External {
    Nothing,
    One(u8),
    Two(u8, bool),
    Fields { a: u8, b: Option<bool> },
}

#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Internal {
    Off,
    On { level: u8 },
    Other(Defaulted),
}

#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Nothing,
    One(u8),
    Fields { a: u8 },
}

#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Fields { a: u8 },
    Text(heapless::String<4>),
}

/// Everything is closed: the object of tag and content, too.
#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(tag = "t", content = "c", deny_unknown_fields)]
enum AdjacentClosed {
    Nothing,
    Maybe(Option<u8>),
    Empty(),
    Pair(u8, bool),
    Fields { a: u8 },
}

#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(tag = "t", deny_unknown_fields)]
enum InternalClosed {
    Nothing,
    Fields { a: u8 },
    None {},
}

#[derive(Debug, Serialize, Deserialize, Schema)]
enum ExternalEmpty {
    Empty(),
    Maybe(Option<bool>),
    None {},
    #[schema(value = r#"{"const": "Given"}"#)]
    Given,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Empty();

#[derive(Debug, Serialize, Deserialize, Schema)]
struct NoFields {}

#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(transparent)]
struct Maybe<T> {
    inner: Option<u8>,
    kind: std::marker::PhantomData<T>,
}

/// A type that serde passes through may be absent, if that inside it may.
#[derive(Debug, Serialize, Deserialize, Schema)]
struct Absent {
    maybe: Maybe<u8>,
    newtype: Newtype,
    boxed: Box<Option<u8>>,
    cell: std::cell::RefCell<Option<std::num::Wrapping<u8>>>,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Newtype(Option<u8>);

#[derive(Debug, Serialize, Deserialize, Schema)]
struct LeftOut {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    list: Vec<bool>,
    #[serde(skip_serializing)]
    secret: Option<u8>,
    #[serde(skip_deserializing)]
    own: u8,
    /// Described.
    #[schema(value = r#"{ "type": "integer", "minimum": 0, "maximum": 9 }"#)]
    #[serde(with = "digit")]
    digit: u8,
}

mod digit {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(digit: &u8, to: S) -> Result<S::Ok, S::Error> {
        digit.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u8, D::Error> {
        let digit = u8::deserialize(from)?;
        if digit > 9 { Err(serde::de::Error::custom("more than a digit")) } else { Ok(digit) }
    }
}

#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(tag = "type")]
struct Tagged {
    a: u8,
}

#[derive(Clone, Debug, Serialize, Deserialize, Schema)]
#[serde(from = "u8", into = "u8")]
#[schema(value = r#"{"type":"integer","minimum":0,"maximum":255}"#)]
struct Given {
    of_another_crate: std::time::Duration,
}

impl From<u8> for Given {
    fn from(seconds: u8) -> Self {
        Self { of_another_crate: std::time::Duration::from_secs(seconds.into()) }
    }
}

impl From<Given> for u8 {
    fn from(given: Given) -> Self {
        given.of_another_crate.as_secs() as u8
    }
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Bounds<'a, T: Copy, const N: usize>
where
    T: Debug,
{
    array: heapless::Vec<T, N>,
    #[serde(skip)]
    text: std::marker::PhantomData<&'a str>,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Generic<T> {
    inner: T,
    more: Vec<T>,
}

#[test]
fn serde_and_the_validator_agree() {
    agree!(
        Closed,
        Open,
        Defaulted,
        DefaultedPair,
        Flattened,
        Through,
        Plain,
        External,
        Internal,
        Adjacent,
        Untagged,
        AdjacentClosed,
        InternalClosed,
        ExternalEmpty,
        Empty,
        NoFields,
        Absent,
        LeftOut,
        Tagged,
        Given,
        Bounds<'static, i8, 2>,
        Generic<Plain>,
        Generic<Option<External>>,
        u8,
        i32,
        std::num::NonZeroU8,
        std::num::NonZeroI16,
        heapless::String<3>,
        (u8, Option<bool>, Plain),
        Option<Closed>,
    );
}

#[test]
fn usual_types_agree() {
    use std::collections::{BTreeMap, BTreeSet, BinaryHeap, LinkedList, VecDeque};
    use std::num::{NonZeroI128, NonZeroIsize, NonZeroU128, NonZeroUsize, Wrapping};

    agree!(
        std::marker::PhantomData<str>,
        (u8, bool, (), (), (), (), (), (), (), (), (), ()),
        heapless::Deque<u8, 3>,
        heapless::LinearMap<heapless::String<4>, u8, 2>,
        BTreeMap<String, bool>,
        BTreeSet<u8>,
        BinaryHeap<u8>,
        LinkedList<bool>,
        VecDeque<u8>,
        Wrapping<u8>,
        std::cell::Cell<u8>,
        NonZeroU128,
        NonZeroI128,
        NonZeroUsize,
        NonZeroIsize,
        Box<str>,
        Box<[u8]>,
        char,
        f64,
        u128,
        [u8; 3],
        [u8; 0],
    );
}
