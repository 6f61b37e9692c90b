//! Which keywords limit the values of a schema.
#![allow(dead_code, reason = "types that only have a schema")]

use nanojsonrpc::Schema;
use nanojsonrpc::json_schema::{JsonSchema, Node, schema_of};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Schema)]
enum Plain {
    Slow,
    Fast,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Mixed {
    Number(u8),
    Text(heapless::String<4>),
}

/// Its values are strings and objects.
#[derive(Serialize, Deserialize, Schema)]
enum External {
    Nothing,
    One(u8),
}

#[derive(Serialize, Deserialize, Schema)]
#[schema(value = r#"{"type":["integer","null"]}"#)]
struct Given;

#[derive(Serialize, Deserialize, Schema)]
#[schema(value = r#"{"enum":[-1,2.5,"x",[],{},null,true]}"#)]
struct Listed;

#[derive(Serialize, Deserialize, Schema)]
#[schema(value = r#"{"enum":[null,true,false,{}]}"#)]
struct Unlimited;

#[derive(Serialize, Deserialize, Schema)]
#[schema(value = r#"{"const":3}"#)]
struct Constant;

/// The keywords of a type are those of its schema.
#[derive(Serialize, Deserialize, Schema)]
#[schema(minimum = 1, maximum = 100, title = "Percent")]
struct Percent(u8);

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Level {
    #[schema(maximum = 9)]
    Number(u8),
    #[schema(pattern = "^[a-z]+$")]
    Text(heapless::String<4>),
}

fn is_affected<T: JsonSchema>(name: &str) -> bool {
    T::SCHEMA.is_affected_by(name)
}

const OF_NUMBERS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const OF_STRINGS: [&str; 3] = ["minLength", "maxLength", "pattern"];
const OF_ARRAYS: [&str; 2] = ["minItems", "maxItems"];

#[test]
fn a_keyword_limits_the_values_of_one_type() {
    // at run time, as the compiler does it
    type Check = fn(&str) -> bool;
    let types: [(&str, Check, [bool; 3]); 22] = [
        ("u8", is_affected::<u8>, [true, false, false]),
        ("f32", is_affected::<f32>, [true, false, false]),
        ("NonZeroI8", is_affected::<core::num::NonZeroI8>, [true, false, false]),
        ("Percent", is_affected::<Percent>, [true, false, false]),
        ("bool", is_affected::<bool>, [false, false, false]),
        ("()", is_affected::<()>, [false, false, false]),
        ("char", is_affected::<char>, [false, true, false]),
        ("&str", is_affected::<&str>, [false, true, false]),
        ("String<4>", is_affected::<heapless::String<4>>, [false, true, false]),
        ("Option<String<4>>", is_affected::<Option<heapless::String<4>>>, [false, true, false]),
        ("Option<u8>", is_affected::<Option<u8>>, [true, false, false]),
        ("Vec<u8, 4>", is_affected::<heapless::Vec<u8, 4>>, [false, false, true]),
        ("(u8, u8)", is_affected::<(u8, u8)>, [false, false, true]),
        ("Plain", is_affected::<Plain>, [false, true, false]),
        ("Mixed", is_affected::<Mixed>, [true, true, false]),
        ("External", is_affected::<External>, [false, true, false]),
        ("Given", is_affected::<Given>, [true, false, false]),
        ("Listed", is_affected::<Listed>, [true, true, true]),
        ("Unlimited", is_affected::<Unlimited>, [false, false, false]),
        ("Constant", is_affected::<Constant>, [true, false, false]),
        // any value
        ("RawValue", is_affected::<nanojsonrpc::RawValue<'_>>, [true, true, true]),
        ("LinearMap", is_affected::<heapless::LinearMap<heapless::String<4>, u8, 2>>, [false, false, false]),
    ];
    for (name, check, [of_numbers, of_strings, of_arrays]) in types {
        for keyword in OF_NUMBERS {
            assert_eq!(check(keyword), of_numbers, "{name} {keyword}");
        }
        for keyword in OF_STRINGS {
            assert_eq!(check(keyword), of_strings, "{name} {keyword}");
        }
        for keyword in OF_ARRAYS {
            assert_eq!(check(keyword), of_arrays, "{name} {keyword}");
        }
        for keyword in ["description", "title", "format"] {
            assert!(check(keyword), "{name} {keyword}");
        }
    }
    // schemas that are not made here
    const COUNT: Node = Node::Object { members: &[("enum", Node::Array { elements: &[Node::Number { number: 1 }] })] };
    assert!(COUNT.is_affected_by("minimum") && !COUNT.is_affected_by("minLength"));
    const ODD: Node =
        Node::Object { members: &[("type", Node::Number { number: 1 }), ("enum", Node::Number { number: 1 })] };
    const UNNAMED: Node = Node::Object { members: &[("type", Node::Json { text: "1" })] };
    assert!(ODD.is_affected_by("minimum") && UNNAMED.is_affected_by("minimum"));
    assert!(Node::Json { text: "true" }.is_affected_by("minimum"));
}

#[test]
fn keywords_of_types_and_variants_are_written() {
    assert_eq!(
        schema_of!(Percent),
        r#"{"description":"The keywords of a type are those of its schema.","minimum":1,"maximum":100,"title":"Percent","type":"integer"}"#
    );
    assert_eq!(
        schema_of!(Level),
        r#"{"anyOf":[{"maximum":9,"type":"integer","minimum":0},{"pattern":"^[a-z]+$","type":"string","maxLength":4}]}"#
    );
}

#[derive(Serialize, Deserialize, Schema)]
struct Step(#[schema(exclusive_minimum = 5, multiple_of = 3)] u8);

#[derive(Serialize, Deserialize, Schema)]
struct Half(#[schema(multiple_of = 0.5)] f64);

#[derive(Serialize, Deserialize, Schema)]
struct Link(#[schema(pattern = "^a", format = "uri")] heapless::String<8>);

#[test]
fn a_keyword_that_replaces_another_refuses_the_same_values() {
    // at run time, as the compiler does it
    let is_multiple = |schema: Node, text: &'static str| schema.is_replaced_by("multipleOf", &Node::Json { text });
    for (text, of_step, of_half) in [
        ("3", true, true),
        ("6", true, true),
        ("3.0", true, true),
        ("2", false, true),
        ("1.5", false, true),
        ("0.5", false, true),
        ("0.25", false, false),
        ("0.75", false, false),
        ("340282366920938463463374607431768211455", true, false),
        ("340282366920938463463374607431768211456", false, false),
        ("1e3", false, false),
    ] {
        assert_eq!(is_multiple(Step::SCHEMA, text), of_step, "{text}");
        assert_eq!(is_multiple(Half::SCHEMA, text), of_half, "{text}");
        assert!(is_multiple(u8::SCHEMA, text));
    }
    for (name, text, expected) in [
        ("pattern", "^a", true),
        ("pattern", "^b", false),
        ("format", "uri", true),
        ("format", "email", false),
        ("title", "x", true),
    ] {
        assert_eq!(Link::SCHEMA.is_replaced_by(name, &Node::Text { text }), expected, "{name} {text}");
        // beside the choice of an `Option`, both apply
        assert!(<Option<Link>>::SCHEMA.is_replaced_by(name, &Node::Text { text }));
    }
    assert!(
        !Step::SCHEMA.is_narrowed_by("exclusiveMinimum", "4.5") && Step::SCHEMA.is_narrowed_by("exclusiveMinimum", "5")
    );
}

#[derive(Serialize, Deserialize, Schema)]
struct Narrowed {
    #[schema(exclusive_minimum = 8, multiple_of = 6)]
    step: Step,
    #[schema(pattern = "^a", title = "Link")]
    link: Link,
    #[schema(pattern = "^b")]
    other: Option<Link>,
}

#[test]
fn each_keyword_of_a_type_holds_in_its_fields() {
    assert_eq!(
        schema_of!(Narrowed),
        concat!(
            r#"{"type":"object","properties":{"step":{"exclusiveMinimum":8,"multipleOf":6,"type":"integer","minimum":0,"maximum":255},"#,
            r#""link":{"pattern":"^a","title":"Link","format":"uri","type":"string","maxLength":8},"#,
            r#""other":{"pattern":"^b","anyOf":[{"pattern":"^a","format":"uri","type":"string","maxLength":8},{"type":"null"}]}},"#,
            r#""required":["step","link"]}"#,
        )
    );
}

#[derive(Serialize, Deserialize, Schema)]
struct Outer {
    depth: u8,
    #[serde(flatten)]
    link: Tagged,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind")]
enum Tagged {
    Near { metres: u8 },
    Far,
}

#[test]
fn the_members_of_all_parts_of_a_schema_are_found() {
    for (name, expected) in
        [("depth", true), ("kind", true), ("metres", true), ("link", false), ("Far", false), ("depths", false)]
    {
        assert_eq!(Outer::SCHEMA.has_property(name), expected, "{name}");
    }
    assert!(!u8::SCHEMA.has_property("type"));
    assert!(<Option<Outer>>::SCHEMA.has_property("metres") && !<Option<Outer>>::SCHEMA.has_property("Far"));
}

type Maybe<T> = Option<T>;

/// Has no schema of its own.
#[derive(Serialize, Deserialize)]
struct Bare;

#[derive(Serialize, Deserialize, Schema)]
struct Aliased<T> {
    #[schema(value = "{}")]
    one: Maybe<Bare>,
    #[schema(value = "{}")]
    #[serde(skip_serializing_if = "Maybe::is_none")]
    two: Maybe<T>,
    #[schema(value = "{}")]
    three: T,
}

#[test]
fn an_alias_of_option_with_a_given_schema_is_not_required() {
    assert!(schema_of!(Aliased<u8>).ends_with(r#""required":["three"]}"#));
    // serde agrees
    let text = nanojsonrpc::RawValue::parse(br#"{"three":1}"#);
    assert!(text.is_ok_and(|text| text.read::<Aliased<u8>>().is_ok()));
}

#[test]
fn limits_with_an_exponent_are_not_compared() {
    let given =
        Node::Object { members: &[("minimum", Node::Json { text: "9e-2" }), ("maxLength", Node::Text { text: "5" })] };
    // as if there were no limit
    assert!(given.is_narrowed_by("minimum", "5") && given.is_satisfiable_with("maximum", "5"));
    assert!(given.is_narrowed_by("maxLength", "5"));
    assert!(given.is_replaced_by("multipleOf", &Node::Json { text: "2" }));
    // any limit replaces another one, and no text the numbers
    assert!(given.is_replaced_by("minimum", &Node::Json { text: "1" }));
    let multiple = Node::Object { members: &[("multipleOf", Node::Json { text: "2" })] };
    assert!(!multiple.is_replaced_by("multipleOf", &Node::Text { text: "4" }));
    assert!(!u8::SCHEMA.is_narrowed_by("maximum", "300") && u8::SCHEMA.is_narrowed_by("maximum", "30"));
}
