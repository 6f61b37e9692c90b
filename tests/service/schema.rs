//! The text of derived schemas.
#![allow(dead_code, reason = "types that only have a schema")]

use nanojsonrpc::Schema;
use nanojsonrpc::json_schema::{self, Node, schema_of};
use serde::{Deserialize, Serialize};

/// A "quoted" text.
///
/// Not this.
#[derive(Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Named<'a> {
    /// First \ line,
    /// second.
    first_field: u8,
    #[serde(borrow)]
    text: Option<&'a str>,
    #[serde(default, rename = "d\"f")]
    r#default: heapless::Vec<i16, 3>,
    #[serde(skip)]
    hidden: u8,
    #[schema(minimum = -5, maximum = 1.5, description = "signed")]
    value: f32,
    #[schema(minimum = -0)]
    zero: u8,
    #[schema(value = r#"{"type":"string","format":"date"}"#)]
    date: heapless::String<10>,
}

#[derive(Serialize, Deserialize, Schema)]
struct Generic<T> {
    inner: T,
    pair: (bool, [T; 2]),
}

#[derive(Serialize, Deserialize, Schema)]
struct Newtype(#[schema(minimum = 1)] u16);

#[derive(Serialize, Deserialize, Schema)]
struct Pair(u8, ());

// an absent element has its default
#[derive(Default, Serialize, Deserialize, Schema)]
#[serde(default)]
struct DefaultedPair(u8, bool);

#[derive(Serialize, Deserialize, Schema)]
struct Unit;

#[derive(Serialize, Deserialize, Schema)]
#[serde(transparent)]
struct Through {
    inner: Newtype,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
enum Plain {
    OneTwo,
    #[serde(rename = "3")]
    Three,
    #[serde(skip)]
    Never,
}

#[derive(Serialize, Deserialize, Schema)]
enum Titled {
    /// As bright as possible.
    Bright,
    #[schema(title = "By eye")]
    Dim,
    Off,
}

#[derive(Serialize, Deserialize, Schema)]
enum OrNumber {
    Off,
    #[schema(value = r#"{"const":1}"#)]
    On,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Nulls {
    Nothing,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(rename_all_fields = "camelCase")]
enum External {
    Nothing,
    /// One number.
    One(u8),
    Two(u8, bool),
    Fields {
        in_seconds: u8,
    },
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Internal {
    Off,
    On { level: u8 },
    Other(Flat),
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    A,
    B(u8),
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Text(heapless::String<4>),
}

#[derive(Serialize, Deserialize, Schema)]
struct Flat {
    a: u8,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(default)]
#[derive(Default)]
struct Flattened {
    b: bool,
    #[serde(flatten)]
    flat: Option2,
}

#[derive(Default, Serialize, Deserialize, Schema)]
struct Option2 {
    c: Option<u8>,
}

const U8: &str = r#"{"type":"integer","minimum":0,"maximum":255}"#;

#[test]
fn structs() {
    assert_eq!(
        schema_of!(Named<'static>),
        [
            r#"{"description":"A \"quoted\" text.","type":"object","properties":{"firstField":{"description":"First \\ line, second.","#,
            r#""type":"integer","minimum":0,"maximum":255},"#,
            r#""text":{"anyOf":[{"type":"string"},{"type":"null"}]},"#,
            r#""d\"f":{"type":"array","items":{"type":"integer","minimum":-32768,"maximum":32767},"maxItems":3},"#,
            r#""value":{"minimum":-5,"maximum":1.5,"description":"signed","type":"number"},"#,
            r#""zero":{"minimum":-0,"type":"integer","maximum":255},"date":{"type":"string","format":"date"}},"#,
            r#""required":["firstField","value","zero","date"],"additionalProperties":false}"#,
        ]
        .concat()
    );
    assert_eq!(
        schema_of!(Generic<u8>),
        format!(
            r#"{{"type":"object","properties":{{"inner":{U8},"pair":{{"type":"array","prefixItems":[{{"type":"boolean"}},{{"type":"array","items":{U8},"minItems":2,"maxItems":2}}],"minItems":2,"maxItems":2}}}},"required":["inner","pair"]}}"#
        )
    );
    assert_eq!(schema_of!(Newtype), r#"{"minimum":1,"type":"integer","maximum":65535}"#);
    assert_eq!(schema_of!(Through), schema_of!(Newtype));
    assert_eq!(
        schema_of!(Pair),
        format!(r#"{{"type":"array","prefixItems":[{U8},{{"type":"null"}}],"minItems":2,"maxItems":2}}"#)
    );
    assert_eq!(
        schema_of!(DefaultedPair),
        format!(r#"{{"type":"array","prefixItems":[{U8},{{"type":"boolean"}}],"maxItems":2}}"#)
    );
    assert_eq!(schema_of!(Unit), r#"{"type":"null"}"#);
    assert_eq!(
        schema_of!(Flattened),
        r#"{"type":"object","properties":{"b":{"type":"boolean"}},"required":[],"allOf":[{"type":"object","properties":{"c":{"anyOf":[{"type":"integer","minimum":0,"maximum":255},{"type":"null"}]}},"required":[]}]}"#
    );
}

#[test]
fn enums() {
    assert_eq!(schema_of!(Plain), r#"{"type":"string","enum":["ONE-TWO","3"]}"#);
    assert_eq!(
        schema_of!(Titled),
        [
            r#"{"type":"string","oneOf":[{"description":"As bright as possible.","const":"Bright"},"#,
            r#"{"title":"By eye","const":"Dim"},{"const":"Off"}]}"#,
        ]
        .concat()
    );
    // it has no members, so it cannot be flattened
    assert!(!<Titled as json_schema::JsonSchema>::SCHEMA.allows_more());
    assert_eq!(schema_of!(OrNumber), r#"{"oneOf":[{"const":"Off"},{"const":1}]}"#);
    assert_eq!(schema_of!(Nulls), r#"{"anyOf":[{"type":"null"}]}"#);
    assert_eq!(
        schema_of!(External),
        [
            r#"{"oneOf":[{"const":"Nothing"},"#,
            r#"{"description":"One number.","additionalProperties":false,"type":"object","properties":{"One":{"type":"integer","minimum":0,"maximum":255}},"required":["One"]},"#,
            r#"{"additionalProperties":false,"type":"object","properties":{"Two":{"type":"array","prefixItems":[{"type":"integer","minimum":0,"maximum":255},{"type":"boolean"}],"minItems":2,"maxItems":2}},"required":["Two"]},"#,
            r#"{"additionalProperties":false,"type":"object","properties":{"Fields":{"type":"object","properties":{"inSeconds":{"type":"integer","minimum":0,"maximum":255}},"required":["inSeconds"]}},"required":["Fields"]}]}"#,
        ]
        .concat()
    );
    assert_eq!(
        schema_of!(Internal),
        [
            r#"{"type":"object","oneOf":[{"type":"object","properties":{"type":{"const":"off"}},"required":["type"]},"#,
            r#"{"type":"object","properties":{"type":{"const":"on"},"level":{"type":"integer","minimum":0,"maximum":255}},"required":["type","level"]},"#,
            r#"{"allOf":[{"type":"object","properties":{"a":{"type":"integer","minimum":0,"maximum":255}},"required":["a"]}],"type":"object","properties":{"type":{"const":"other"}},"required":["type"]}]}"#,
        ]
        .concat()
    );
    assert_eq!(
        schema_of!(Adjacent),
        r#"{"type":"object","oneOf":[{"type":"object","properties":{"t":{"const":"A"},"c":{"type":"null"}},"required":["t"]},{"type":"object","properties":{"t":{"const":"B"},"c":{"type":"integer","minimum":0,"maximum":255}},"required":["t","c"]}]}"#
    );
    assert_eq!(
        schema_of!(Untagged),
        r#"{"anyOf":[{"type":"integer","minimum":0,"maximum":255},{"type":"string","maxLength":4}]}"#
    );
}

#[test]
fn a_schema_is_valid_json() {
    for text in [schema_of!(Named<'static>), schema_of!(External), schema_of!(Internal), schema_of!((u8, Option<i128>))]
    {
        assert!(nanojsonrpc::RawValue::parse(text.as_bytes()).is_ok(), "{text}");
    }
}

#[test]
fn a_text_is_escaped_and_measured() {
    // at run time, as the compiler does it
    const NODE: Node = Node::Object {
        members: &[
            ("a\"b", Node::Text { text: "\\ \u{1f} \t é" }),
            ("n", Node::Array { elements: &[Node::Number { number: 0 }, Node::Number { number: 4096 }] }),
            ("r", Node::Names { names: &[("x", false), ("y", true), ("z", true)] }),
            ("o", Node::Over { members: &[("p", Node::Json { text: "1" })], under: &UNDER }),
            ("none", Node::Object { members: &[] }),
        ],
    };
    const UNDER: Node = Node::Over {
        members: &[("q", Node::Json { text: "2" })],
        under: &Node::Object {
            members: &[
                ("p", Node::Json { text: "3" }),
                ("q", Node::Json { text: "4" }),
                ("pq", Node::Json { text: "5" }),
            ],
        },
    };
    let expected = r#"{"a\"b":"\\ \u001f \u0009 é","n":[0,4096],"r":["y","z"],"o":{"p":1,"q":2,"pq":5},"none":{}}"#;
    assert_eq!(NODE.text_len(), expected.len());
    let text = NODE.text::<256>();
    assert_eq!(std::str::from_utf8(&text[..expected.len()]).unwrap(), expected);
    assert!(text[expected.len()..].iter().all(|byte| *byte == 0));
    // a shorter array holds the front
    assert_eq!(&NODE.text::<4>(), br#"{"a\"#);
}

#[test]
fn structs_and_tagged_enums_may_have_the_members_of_others() {
    // at run time, as the compiler does it
    fn allows_more<T: json_schema::JsonSchema>() -> bool {
        T::SCHEMA.allows_more()
    }
    assert!(
        allows_more::<Flat>() && allows_more::<Flattened>() && allows_more::<Internal>() && allows_more::<Adjacent>()
    );
    assert!(!allows_more::<Named<'_>>() && !allows_more::<External>() && !allows_more::<Untagged>());
    assert!(!allows_more::<Newtype>() && !allows_more::<Option<Flat>>() && !allows_more::<Pair>());
    // a schema that is not made here
    assert!(!Node::Json { text: "{}" }.allows_more());
    const CLOSED: Node = Node::Object { members: &[("additionalProperties", Node::Json { text: "false" })] };
    let choice = Node::Object {
        members: &[("type", Node::Json { text: "\"object\"" }), ("oneOf", Node::Array { elements: &[CLOSED] })],
    };
    assert!(!choice.allows_more());
}

#[derive(Serialize, Deserialize, Schema)]
struct Given {
    /// Described.
    #[schema(value = r#"{ "type": "string", "enum": ["\u00e9", 1.5e3, null, true] }"#, title = "t")]
    described: u8,
    #[schema(value = "true")]
    anything: Option<u8>,
    #[schema(value = "false")]
    nothing: u8,
}

/// serde does not call a function for an absent member.
#[derive(Deserialize, Schema)]
struct ReadByFunctions {
    #[serde(deserialize_with = "Deserialize::deserialize")]
    #[schema(value = "true")]
    absent: Option<u8>,
    #[serde(default, deserialize_with = "Deserialize::deserialize")]
    #[schema(value = "true")]
    defaulted: Option<u8>,
    #[serde(serialize_with = "Serialize::serialize")]
    #[schema(value = "true")]
    written: Option<u8>,
}

/// As the only value of a variant, an absent `Option` is read without the function.
#[derive(Deserialize, Schema)]
#[serde(tag = "t", content = "c")]
enum ReadByFunction {
    Only(
        #[serde(deserialize_with = "Deserialize::deserialize")]
        #[schema(value = "true")]
        Option<u8>,
    ),
}

#[derive(Serialize, Deserialize, Schema)]
#[schema(value = r#"{"type":"object"}"#, title = "Whole")]
struct Whole<T> {
    #[serde(with = "not::read")]
    inner: std::marker::PhantomData<T>,
}

mod not {
    pub(super) mod read {
        use std::marker::PhantomData;

        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        pub(in super::super) fn serialize<T, S: Serializer>(_: &PhantomData<T>, to: S) -> Result<S::Ok, S::Error> {
            ().serialize(to)
        }

        pub(in super::super) fn deserialize<'de, T, D: Deserializer<'de>>(from: D) -> Result<PhantomData<T>, D::Error> {
            <()>::deserialize(from).map(|()| PhantomData)
        }
    }
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(transparent)]
struct Limited {
    /// At most five.
    #[schema(maximum = 5, minimum = 0.0)]
    inner: Option<u8>,
}

#[test]
fn a_given_schema_stands_in_place_of_that_of_the_type() {
    assert_eq!(
        schema_of!(Given),
        [
            r#"{"type":"object","properties":{"described":{"description":"Described.","title":"t","type":"string","enum":["é",1.5e3,null,true]},"#,
            r#""anything":{},"nothing":{"not":{}}},"required":["described","nothing"]}"#,
        ]
        .concat()
    );
    assert_eq!(schema_of!(Whole<std::fs::File>), r#"{"title":"Whole","type":"object"}"#);
    const { assert!(<Whole<u8> as json_schema::JsonSchema>::IS_OBJECT && <Given as json_schema::JsonSchema>::IS_OBJECT) };
}

/// A type without a schema.
#[derive(Default)]
struct Undescribed;

#[derive(Serialize, Deserialize, Schema)]
struct Marked<T, U, V> {
    inner: [T; 2],
    #[serde(skip)]
    marker: std::marker::PhantomData<U>,
    kind: std::marker::PhantomData<V>,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Choice<T, U, V> {
    Inner(core::cmp::Reverse<T>),
    #[serde(skip)]
    Skipped(std::marker::PhantomData<U>),
    #[schema(value = "true")]
    Given(std::marker::PhantomData<V>),
}

#[derive(Serialize, Deserialize, Schema)]
struct Digit<T> {
    #[serde(skip)]
    marker: T,
    #[schema(value = r#"{"type":"integer"}"#)]
    digit: std::marker::PhantomData<T>,
}

#[test]
fn a_parameter_of_no_read_field_needs_no_schema() {
    assert_eq!(
        schema_of!(Marked<bool, Undescribed, Undescribed>),
        r#"{"type":"object","properties":{"inner":{"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2},"kind":{"type":"null"}},"required":["inner","kind"]}"#
    );
    assert_eq!(schema_of!(Choice<bool, Undescribed, Undescribed>), r#"{"anyOf":[{"type":"boolean"},{}]}"#);
    assert_eq!(
        schema_of!(Digit<Undescribed>),
        r#"{"type":"object","properties":{"digit":{"type":"integer"}},"required":["digit"]}"#
    );
}

#[test]
fn an_option_that_a_function_reads_is_required() {
    let schema = schema_of!(ReadByFunctions);
    assert!(schema.ends_with(r#""required":["absent"]}"#), "{schema}");
    assert!(serde_json::from_str::<ReadByFunctions>("{}").is_err());
    assert!(serde_json::from_str::<ReadByFunctions>(r#"{"absent":1}"#).is_ok());

    let schema = schema_of!(ReadByFunction);
    assert!(schema.ends_with(r#""required":["t"]}]}"#), "{schema}");
    assert!(serde_json::from_str::<ReadByFunction>(r#"{"t":"Only"}"#).is_ok());
}

#[test]
fn a_transparent_type_has_the_keywords_of_its_field() {
    assert_eq!(
        schema_of!(Limited),
        r#"{"description":"At most five.","maximum":5,"minimum":0,"anyOf":[{"type":"integer","minimum":0,"maximum":255},{"type":"null"}]}"#
    );
    const { assert!(!<Limited as json_schema::JsonSchema>::IS_REQUIRED) };
}

#[test]
fn keywords_allow_no_more_than_the_type() {
    // at run time, as the compiler does it
    use json_schema::JsonSchema;

    fn is_narrowed<T: JsonSchema>(name: &str, number: &str) -> bool {
        T::SCHEMA.is_narrowed_by(name, number)
    }
    for (number, is_narrower) in [("255", true), ("254.5", true), ("99", true), ("-1", true), ("0", true)]
        .into_iter()
        .chain([("256", false), ("255.5", false), ("255.0", true), ("1000", false)])
    {
        assert_eq!(is_narrowed::<u8>("maximum", number), is_narrower, "{number}");
        assert_eq!(is_narrowed::<Option<u8>>("maximum", number), is_narrower, "{number}");
    }
    for (number, is_narrower) in [("-128", true), ("-127.5", true), ("5", true), ("-129", false), ("-128.5", false)] {
        assert_eq!(is_narrowed::<i8>("minimum", number), is_narrower, "{number}");
    }
    assert!(is_narrowed::<i8>("maximum", "-1") && !is_narrowed::<u8>("minimum", "-1"));
    for zero in ["-0", "-0.0", "-00"] {
        assert!(is_narrowed::<u8>("minimum", zero) && is_narrowed::<i8>("maximum", zero), "{zero}");
    }
    assert!(!is_narrowed::<u8>("minimum", "-0.5") && !is_narrowed::<u8>("minimum", "-10"));
    assert!(is_narrowed::<f64>("maximum", "1") && is_narrowed::<u8>("multipleOf", "1000"));
    assert!(is_narrowed::<u8>("exclusiveMaximum", "1000"));
    // one of the variants has a wider range
    assert!(is_narrowed::<Widths>("maximum", "300"));
    // keywords without an order
    assert!(is_narrowed::<u8>("type", "1") && is_narrowed::<Option<u8>>("anyOf", "1"));
    assert!(
        is_narrowed::<heapless::String<8>>("maxLength", "8") && !is_narrowed::<heapless::String<8>>("maxLength", "9")
    );
    assert!(is_narrowed::<heapless::Vec<u8, 12>>("maxItems", "12") && !is_narrowed::<[u8; 3]>("minItems", "2"));
    assert!(is_narrowed::<heapless::String<8>>("minLength", "9"));
}

#[test]
fn a_value_of_the_type_can_satisfy_a_keyword() {
    // at run time, as the compiler does it
    use json_schema::JsonSchema;

    fn is_satisfiable<T: JsonSchema>(name: &str, number: &str) -> bool {
        T::SCHEMA.is_satisfiable_with(name, number)
    }
    for (name, number, expected) in [
        ("minimum", "255", true),
        ("minimum", "255.5", false),
        ("minimum", "300", false),
        ("exclusiveMinimum", "254", true),
        ("exclusiveMinimum", "255", false),
        ("maximum", "-0", true),
        ("maximum", "-1", false),
        ("exclusiveMaximum", "1", true),
        ("exclusiveMaximum", "0", false),
        ("exclusiveMaximum", "-1", false),
        ("multipleOf", "1000", true),
        ("minLength", "1000", true),
    ] {
        assert_eq!(is_satisfiable::<u8>(name, number), expected, "{name} {number}");
        assert_eq!(is_satisfiable::<Option<u8>>(name, number), expected, "{name} {number}");
        assert!(is_satisfiable::<f64>(name, number), "{name} {number}");
    }
    // the open limits of a type
    for (name, number, expected) in [
        ("minimum", "8.5", true),
        ("minimum", "9", false),
        ("exclusiveMinimum", "9", false),
        ("maximum", "1.5", true),
        ("maximum", "1", false),
    ] {
        assert_eq!(is_satisfiable::<Between>(name, number), expected, "{name} {number}");
    }
    assert!(is_satisfiable::<char>("minLength", "1") && !is_satisfiable::<char>("minLength", "2"));
    assert!(is_satisfiable::<char>("maxLength", "1") && !is_satisfiable::<char>("maxLength", "0"));
    assert!(is_satisfiable::<[u8; 3]>("maxItems", "3") && !is_satisfiable::<[u8; 3]>("maxItems", "2"));
    assert!(is_satisfiable::<[u8; 3]>("minItems", "3") && !is_satisfiable::<[u8; 3]>("minItems", "4"));
    // one of the variants satisfies the keyword
    assert!(is_satisfiable::<Widths>("minimum", "300"));
}

#[derive(Deserialize, Schema)]
#[serde(transparent)]
struct Between {
    #[schema(exclusive_minimum = 1, exclusive_maximum = 9)]
    inner: f64,
}

#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Widths {
    Narrow(u8),
    Wide(u16),
}

#[test]
fn an_object_over_another_value_has_its_own_members() {
    const OVER: Node = Node::Over {
        members: &[("a", Node::Json { text: "1" })],
        under: &Node::Over { members: &[("b", Node::Number { number: 2 })], under: &Node::Json { text: "true" } },
    };
    assert_eq!(OVER.text_len(), 13);
    assert_eq!(&OVER.text::<13>(), br#"{"a":1,"b":2}"#);
}

/// A schema whose evaluation takes more steps than the compiler allows without `long_running_const_eval`.
struct Long;

const SOURCE: &str = include_str!("declaration.rs");

impl json_schema::JsonSchema for Long {
    const SCHEMA: Node = Node::Array { elements: &[Node::Text { text: SOURCE }; 7] };
}

#[test]
fn a_schema_of_more_than_100_kb_is_evaluated() {
    const LONG: &str = schema_of!(Long);
    let texts: Vec<String> = serde_json::from_str(LONG).unwrap();
    assert!(LONG.len() > 100_000 && texts.len() == 7 && texts.iter().all(|text| text == SOURCE));
}

/// The maps and sets of `std`, which the macro knows by name.
#[cfg(feature = "alloc")]
#[test]
fn a_hash_map_has_the_schema_of_any_map() {
    use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
    use std::hash::RandomState;

    #[derive(Serialize, Deserialize, Schema)]
    struct Hashed<T> {
        plain: HashMap<String, T>,
        nested: Option<Vec<std::collections::HashMap<String, HashSet<u8, RandomState>>>>,
    }

    #[derive(Serialize, Deserialize, Schema)]
    struct Sorted<T> {
        plain: BTreeMap<String, T>,
        nested: Option<Vec<BTreeMap<String, BTreeSet<u8>>>>,
    }

    #[derive(Serialize, Deserialize, Schema)]
    #[serde(transparent)]
    struct Levels<S: std::hash::BuildHasher + Default>(HashMap<String, u8, S>);

    assert_eq!(schema_of!(Hashed<bool>), schema_of!(Sorted<bool>));
    assert_eq!(schema_of!(Levels<RandomState>), schema_of!(BTreeMap<String, u8>));
    const { assert!(<Levels<RandomState> as json_schema::JsonSchema>::IS_OBJECT) };
    let read: Hashed<bool> = serde_json::from_str(r#"{"plain":{"a":true},"nested":[{"b":[1]}]}"#).unwrap();
    assert!(read.plain["a"] && read.nested.is_some());
}
