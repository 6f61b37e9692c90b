//! Values are held to the limits that their schemas publish.

use nanojsonrpc::json_schema::{JsonSchema, check};
use nanojsonrpc::{Fixed, RawStr, RawValue, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The rule that the value in `text` violates, and the path to the value.
fn found<'t, T: Deserialize<'t> + JsonSchema>(text: &'t str) -> Option<(&'static str, String)> {
    let text = RawValue::parse(text.as_bytes()).unwrap();
    let value: T = text.read().unwrap();
    let violation = check(&value, Some(text)).err()?;
    Some((violation.expected(), text.path_to(violation.offset()).to_string()))
}

fn rule<'t, T: Deserialize<'t> + JsonSchema>(text: &'t str) -> Option<&'static str> {
    found::<T>(text).map(|(rule, _)| rule)
}

/// Asserts the rule that each text violates; an empty one for none.
fn assert_rules<T: DeserializeOwned + JsonSchema>(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(rule::<T>(text).unwrap_or_default(), *expected, "{} {text}", std::any::type_name::<T>());
    }
}

macro_rules! limited {
    ($($name:ident: $type:ty, [$($keywords:tt)*];)*) => {$(
        #[derive(Serialize, Deserialize, Schema, Debug)]
        struct $name(#[schema($($keywords)*)] $type);
    )*};
}
limited! {
    Byte: u8, [minimum = 5, maximum = 60, multiple_of = 5];
    Signed: i16, [exclusive_minimum = -3, exclusive_maximum = 1.5];
    Odd: i8, [minimum = -2.5, maximum = 2.5, multiple_of = 0.5];
    Far: i8, [multiple_of = 128];
    Long: u64, [minimum = 18446744073709551614, multiple_of = 3];
    Wide: u128, [minimum = 7, multiple_of = 7];
    WideSigned: i128, [maximum = -7, multiple_of = 7];
    Size: usize, [maximum = 9];
    Positive: core::num::NonZeroU8, [maximum = 9];
    Float: f64, [minimum = 0.1, exclusive_maximum = 2];
    Open: f64, [exclusive_minimum = 0.5, maximum = 1.5];
    Step: f64, [multiple_of = 0.25];
    Decimal: f64, [multiple_of = 0.1];
    Double: f64, [multiple_of = 2];
    Tiny: f64, [multiple_of = 0.000000000000000000000000000000000000000001];
    Short: f32, [minimum = 0.1, maximum = 0.3, multiple_of = 0.1];
    Money: Fixed<i32, 2>, [minimum = -1.5, exclusive_maximum = 10, multiple_of = 0.25];
    Coins: Fixed<u8, 1>, [multiple_of = 0.25];
    Word: heapless::String<24>, [min_length = 2, max_length = 4];
    Name: heapless::String<16>, [pattern = "^[a-z][a-z0-9_]{1,3}-?é$"];
    Front: heapless::String<16>, [pattern = r"^\d+\.\w*"];
    Others: heapless::String<16>, [pattern = "^[^a-c]*[ab]$"];
    Letter: char, [pattern = "^[a-f]$"];
    V4: heapless::String<48>, [format = "ipv4"];
    V6: heapless::String<48>, [format = "ipv6"];
    Id: heapless::String<48>, [format = "uuid"];
    Link: heapless::String<48>, [format = "uri"];
    List: heapless::Vec<u8, 8>, [min_items = 1, max_items = 3, unique_items];
    Ring: heapless::Deque<u8, 8>, [max_items = 1];
    Pair: (u8, u8), [min_items = 2];
    Triple: [f32; 3], [unique_items];
}

#[test]
fn integers_are_compared_at_their_limits() {
    assert_rules::<Byte>(&[("4", "minimum 5"), ("5", ""), ("60", ""), ("65", "maximum 60"), ("7", "multipleOf 5")]);
    assert_rules::<Signed>(&[("-3", "exclusiveMinimum -3"), ("-2", ""), ("1", ""), ("2", "exclusiveMaximum 1.5")]);
    assert_rules::<Odd>(&[("-3", "minimum -2.5"), ("-2", ""), ("2", ""), ("3", "maximum 2.5")]);
    assert_rules::<Far>(&[("-128", ""), ("0", ""), ("127", "multipleOf 128"), ("-1", "multipleOf 128")]);
    assert_rules::<Long>(&[
        ("18446744073709551615", ""),
        ("18446744073709551614", "multipleOf 3"),
        ("18446744073709551613", "minimum 18446744073709551614"),
    ]);
    assert_rules::<Wide>(&[("7", ""), ("6", "minimum 7"), ("340282366920938463463374607431768211455", "multipleOf 7")]);
    assert_rules::<WideSigned>(&[("-7", ""), ("0", "maximum -7"), ("-8", "multipleOf 7")]);
    assert_rules::<Size>(&[("9", ""), ("10", "maximum 9")]);
    assert_rules::<Positive>(&[("9", ""), ("10", "maximum 9")]);
}

#[test]
fn fractions_are_compared_at_their_limits() {
    assert_rules::<Float>(&[("0.1", ""), ("0.09999", "minimum 0.1"), ("1.999", ""), ("2", "exclusiveMaximum 2")]);
    assert_rules::<Open>(&[("0.5", "exclusiveMinimum 0.5"), ("0.51", ""), ("1.5", ""), ("1.51", "maximum 1.5")]);
    assert_rules::<Step>(&[("0.5", ""), ("-1.25", ""), ("0", ""), ("0.3", "multipleOf 0.25"), ("1e300", "")]);
    // as PyPI `jsonschema`: 0.3 / 0.1 is 2.9999999999999996
    assert_rules::<Decimal>(&[("0.2", ""), ("0.3", "multipleOf 0.1"), ("5", "")]);
    assert_rules::<Double>(&[("4", ""), ("4e10", ""), ("3", "multipleOf 2"), ("4.5", "multipleOf 2")]);
    assert_rules::<Tiny>(&[("1e300", "multipleOf 0.000000000000000000000000000000000000000001"), ("0", "")]);
    assert_rules::<Short>(&[("0.1", ""), ("0.2", ""), ("0.3", ""), ("0.31", "maximum 0.3"), ("0.05", "minimum 0.1")]);
    assert_rules::<Short>(&[("0.15", "multipleOf 0.1")]);
    assert_rules::<Money>(&[("-1.5", ""), ("-1.51", "minimum -1.5"), ("9.75", ""), ("10", "exclusiveMaximum 10")]);
    assert_rules::<Money>(&[("9.8", "multipleOf 0.25"), ("-0.25", "")]);
    assert_rules::<Coins>(&[("0.5", ""), ("2.5", ""), ("0.1", "multipleOf 0.25")]);
    assert_eq!(check(&Step(f64::NAN), None).unwrap_err().expected(), "multipleOf 0.25");
    assert_eq!(check(&Float(f64::NAN), None).unwrap_err().expected(), "minimum 0.1");
}

#[test]
fn texts_are_measured_in_characters() {
    assert_rules::<Word>(&[
        (r#""""#, "minLength 2"),
        (r#""é""#, "minLength 2"),
        (r#""éé""#, ""),
        (r#""\ud83d\ude00😀😀😀""#, ""),
        (r#""abcde""#, "maxLength 4"),
    ]);
    assert_rules::<Letter>(&[(r#""f""#, ""), (r#""g""#, "pattern ^[a-f]$")]);
}

#[test]
fn patterns_match_from_the_front() {
    const NAME: &str = "pattern ^[a-z][a-z0-9_]{1,3}-?é$";
    assert_rules::<Name>(&[
        (r#""aé""#, NAME),
        (r#""a0é""#, ""),
        (r#""a0__-é""#, ""),
        (r#""a0___é""#, NAME),
        (r#""A0é""#, NAME),
        (r#""a0éé""#, NAME),
        (r#""""#, NAME),
    ]);
    assert_rules::<Front>(&[
        (r#""12.a b""#, ""),
        (r#""12""#, r"pattern ^\d+\.\w*"),
        (r#""x1.""#, r"pattern ^\d+\.\w*"),
    ]);
    assert_rules::<Others>(&[
        (r#""xyza""#, ""),
        (r#""xyz""#, "pattern ^[^a-c]*[ab]$"),
        (r#""ab""#, "pattern ^[^a-c]*[ab]$"),
    ]);
}

#[test]
fn some_formats_are_checked() {
    assert_rules::<V4>(&[
        (r#""10.0.0.255""#, ""),
        (r#""10.0.0.256""#, "format ipv4"),
        (r#""10.0.0.01""#, "format ipv4"),
    ]);
    assert_rules::<V6>(&[(r#""fe80::1""#, ""), (r#""fe80::1%eth0""#, "format ipv6"), (r#""1.2.3.4""#, "format ipv6")]);
    assert_rules::<Id>(&[
        (r#""123e4567-e89b-12d3-a456-426614174000""#, ""),
        (r#""123e4567-e89b-12d3-a456-42661417400""#, "format uuid"),
        (r#""123e4567-e89b-12d3-a456_426614174000""#, "format uuid"),
        (r#""123e4567-e89b-12d3-a456-42661417400g""#, "format uuid"),
    ]);
    assert_rules::<Link>(&[(r#""not a link""#, "")]);
}

#[test]
fn lists_are_counted_and_compared() {
    assert_rules::<List>(&[
        ("[]", "minItems 1"),
        ("[1]", ""),
        ("[1,2,3]", ""),
        ("[1,2,3,4]", "maxItems 3"),
        ("[1,2,1]", "uniqueItems"),
    ]);
    assert_rules::<Ring>(&[("[1]", ""), ("[1,1]", "maxItems 1")]);
    assert_rules::<Pair>(&[("[1,1]", "")]);
    assert_rules::<Triple>(&[("[1,2,3]", ""), ("[1,2,1.0]", "uniqueItems")]);
}

#[derive(Serialize, Deserialize, Schema)]
#[schema(unique_items)]
struct Ids(Option<heapless::Vec<Byte, 4>>);

#[derive(Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase")]
struct Plan {
    first_step: Byte,
    #[schema(unique_items)]
    steps: [Byte; 2],
    #[serde(rename = "limit:s")]
    limits: (Option<Byte>, bool, Word),
    ids: Ids,
    #[serde(flatten)]
    kind: Kind,
    #[serde(default)]
    #[schema(minimum = 1)]
    defaulted: u8,
    #[schema(minimum = 1)]
    optional: Option<u8>,
    #[serde(skip)]
    _skipped: u8,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Kind {
    OnTime {
        #[schema(maximum = 59)]
        the_minute: u8,
    },
    AtOnce(Detail),
    Never,
}

#[derive(Serialize, Deserialize, Schema)]
struct Detail {
    #[schema(max_length = 2)]
    reason: heapless::String<8>,
}

const PLAN: &str = r#"{"firstStep":5,"steps":[5,10],"limit:s":[null,true,"ab"],"ids":[5,10],"kind":"never"}"#;

#[test]
fn the_path_to_a_value_is_found() {
    assert_eq!(found::<Plan>(PLAN), None);
    for (part, other, rule, path) in [
        ("\"firstStep\":5", "\"first\\u0053tep\":6", "multipleOf 5", ".first\\u0053tep"),
        ("[5,10],\"limit", "[5,3],\"limit", "minimum 5", ".steps[1]"),
        ("[5,10],\"limit", "[5,5],\"limit", "", ""),
        ("[null,", "[61,", "maximum 60", "[\"limit:s\"][0]"),
        ("\"ab\"", "\"abcde\"", "maxLength 4", "[\"limit:s\"][2]"),
        ("\"ids\":[5,10]", "\"ids\":[5,10,1]", "minimum 5", ".ids[2]"),
        ("\"ids\":[5,10]", "\"ids\":null", "", ""),
        ("\"never\"", "\"on_time\",\"theMinute\":60", "maximum 59", ".theMinute"),
        ("\"never\"", "\"at_once\",\"reason\":\"abc\"", "maxLength 2", ".reason"),
        ("\"never\"", "\"never\",\"defaulted\":0", "minimum 1", ".defaulted"),
        ("\"never\"", "\"never\",\"optional\":0", "minimum 1", ".optional"),
        ("\"never\"", "\"never\",\"optional\":null", "", ""),
    ] {
        let text = PLAN.replace(part, other);
        let path = path.replace("\\u0053", "S").replace(".firstStep", "[\"first\\u0053tep\"]");
        let expected = (!rule.is_empty()).then_some((rule, path));
        assert_eq!(found::<Plan>(&text), expected, "{text}");
    }
}

// elements that can be compared
impl PartialEq for Byte {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 && self.0 != 5
    }
}

#[derive(Serialize, Deserialize, Schema)]
enum External {
    Nothing,
    One(Byte),
    Two(Byte, bool),
    Many {
        byte: Byte,
    },
    #[serde(skip)]
    _Skipped,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    One(Byte),
    Two(Byte, #[schema(maximum = 1)] u8),
    Many { byte: Byte },
    Nothing,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Untagged {
    #[schema(maximum = 9)]
    Number(u8),
    #[schema(unique_items)]
    List(heapless::Vec<u8, 3>),
    #[schema(min_items = 2)]
    Two(bool, Byte),
    Text(Word),
    #[schema(value = r#"{"type":"number","maximum":3}"#)]
    Float(f64),
    Object {
        byte: Byte,
    },
}

#[test]
fn the_values_of_enums_are_checked() {
    for (text, rule, path) in [
        ("\"Nothing\"", "", ""),
        ("{\"One\":5}", "", ""),
        ("{\"One\":6}", "multipleOf 5", ".One"),
        ("{\"Two\":[6,true]}", "multipleOf 5", ".Two[0]"),
        ("{\"Many\":{\"byte\":6}}", "multipleOf 5", ".Many.byte"),
        ("{\"Many\":[6]}", "multipleOf 5", ".Many[0]"),
    ] {
        assert_eq!(found::<External>(text), (!rule.is_empty()).then(|| (rule, path.to_owned())), "{text}");
    }
    for (text, rule, path) in [
        (r#"{"t":"Nothing"}"#, "", ""),
        (r#"{"c":6,"t":"One"}"#, "multipleOf 5", ".c"),
        (r#"{"t":"Two","c":[5,2]}"#, "maximum 1", ".c[1]"),
        (r#"{"t":"Many","c":{"byte":6}}"#, "multipleOf 5", ".c.byte"),
        (r#"["One",6]"#, "multipleOf 5", "[1]"),
    ] {
        assert_eq!(found::<Adjacent>(text), (!rule.is_empty()).then(|| (rule, path.to_owned())), "{text}");
    }
    for (text, rule, path) in [
        ("9", "", ""),
        ("10", "maximum 9", ""),
        ("[1,2,1]", "uniqueItems", ""),
        ("[true,6]", "multipleOf 5", "[1]"),
        ("\"abcde\"", "maxLength 4", ""),
        ("3.5", "", ""),
        ("{\"byte\":6}", "multipleOf 5", ".byte"),
    ] {
        assert_eq!(found::<Untagged>(text), (!rule.is_empty()).then(|| (rule, path.to_owned())), "{text}");
    }
}

/// Keywords of the field, for the values of other types.
#[derive(Serialize, Deserialize, Schema)]
struct Around<'a> {
    #[schema(max_length = 4)]
    external: External,
    #[schema(maximum = 8, max_items = 2, max_length = 3)]
    untagged: Untagged,
    #[schema(maximum = 10)]
    through: Through,
    #[schema(maximum = 10, title = "of a reference")]
    cell: core::cell::Cell<u8>,
    #[schema(maximum = 10)]
    wrapping: core::num::Wrapping<u8>,
    #[schema(max_length = 2, format = "ipv4")]
    #[serde(borrow)]
    raw: Option<RawStr<'a>>,
    #[schema(format = "uuid")]
    number: u8,
    #[schema(max_length = 3, pattern = "^a")]
    text: &'a str,
    #[schema(format = "uuid")]
    reverse: core::cmp::Reverse<core::cell::RefCell<bool>>,
    #[schema(format = "uuid", title = "no limit of an object")]
    detail: Detail,
    #[schema(format = "uuid")]
    unit: (),
    #[schema(format = "uuid")]
    map: heapless::LinearMap<heapless::String<4>, Byte, 2>,
    #[schema(format = "uuid")]
    nothing: core::marker::PhantomData<u8>,
}

/// Read as a number between 1 and 100.
#[derive(Serialize, Deserialize, Schema)]
#[serde(transparent)]
#[schema(minimum = 1)]
struct Through {
    #[schema(maximum = 100)]
    number: u8,
    _mark: core::marker::PhantomData<str>,
}

const AROUND: &str = r#"{"external":{"One":5},"untagged":8,"through":10,"cell":10,"wrapping":10,"raw":null,"number":1,"text":"abc","reverse":true,"detail":{"reason":""},"unit":null,"map":{"a":5,"b":5},"nothing":null}"#;

#[test]
fn the_keywords_of_a_field_apply_to_the_values_of_its_type() {
    assert_eq!(found::<Around>(AROUND), None);
    for (part, other, rule, path) in [
        (r#"{"One":5}"#, r#""Nothing""#, "maxLength 4", ".external"),
        ("\"untagged\":8", "\"untagged\":9", "maximum 8", ".untagged"),
        ("\"untagged\":8", "\"untagged\":[1,2,3]", "maxItems 2", ".untagged"),
        ("\"untagged\":8", "\"untagged\":[true,5]", "", ""),
        ("\"untagged\":8", "\"untagged\":\"abcd\"", "maxLength 3", ".untagged"),
        ("\"untagged\":8", "\"untagged\":3.5", "", ""),
        ("\"untagged\":8", "\"untagged\":{\"byte\":5}", "", ""),
        ("\"through\":10", "\"through\":11", "maximum 10", ".through"),
        ("\"through\":10", "\"through\":0", "minimum 1", ".through"),
        ("\"cell\":10", "\"cell\":11", "maximum 10", ".cell"),
        ("\"wrapping\":10", "\"wrapping\":11", "maximum 10", ".wrapping"),
        ("\"raw\":null", r#""raw":"\u0061b""#, "format ipv4", ".raw"),
        ("\"raw\":null", r#""raw":"\u0061bc""#, "maxLength 2", ".raw"),
        ("\"abc\"", "\"abcd\"", "maxLength 3", ".text"),
        ("\"abc\"", "\"b\"", "pattern ^a", ".text"),
        ("\"b\":5", "\"b\":6", "multipleOf 5", ".map.b"),
        (r#"{"reason":""}"#, r#"{"reason":"abc"}"#, "maxLength 2", ".detail.reason"),
    ] {
        let text = AROUND.replace(part, other);
        assert_eq!(found::<Around>(&text), (!rule.is_empty()).then(|| (rule, path.to_owned())), "{text}");
    }
}

#[derive(Serialize, Deserialize, Schema)]
#[schema(value = r#"{"type":"integer","maximum":3}"#)]
struct Given(u8);

#[derive(Serialize, Deserialize, Schema)]
struct OwnTask {
    #[schema(value = r#"{"maximum":3}"#, minimum = 2, pattern = "(a|b)")]
    given: u8,
    #[schema(maximum = 2)]
    of_type: Given,
}

#[test]
fn limits_inside_of_other_types_are_checked() {
    type Inside = (core::cell::RefCell<Byte>, core::cmp::Reverse<[Option<Byte>; 1]>);
    assert_eq!(found::<Inside>("[5,[null]]"), None);
    assert_eq!(found::<Inside>("[6,[5]]"), Some(("multipleOf 5", "[0]".to_owned())));
    assert_eq!(found::<Inside>("[5,[61]]"), Some(("maximum 60", "[1][0]".to_owned())));
    // borrowed elsewhere, so it cannot be checked
    let cell = core::cell::RefCell::new(Byte(6));
    assert!(check(&cell, None).is_err());
    let borrowed = cell.borrow_mut();
    assert!(check(&cell, None).is_ok());
    drop(borrowed);
    let plain = nanojsonrpc::message::Str::Plain("abc");
    assert_eq!(check(&Texts { text: plain }, None).map_err(|violation| violation.expected()), Err("maxLength 2"));
    let raw = RawValue::parse(br#""a\tbc""#).unwrap().as_str_raw().unwrap();
    let raw = nanojsonrpc::message::Str::Raw(raw);
    assert!(check(&Texts { text: raw }, None).is_err());
}

#[derive(Deserialize, Schema)]
struct Undecoded<'a> {
    #[serde(borrow)]
    #[schema(pattern = "^a+$")]
    name: Option<RawStr<'a>>,
    #[serde(borrow)]
    #[schema(format = "ipv4")]
    address: Option<RawStr<'a>>,
    #[serde(default = "twice")]
    #[schema(unique_items)]
    pair: [u8; 2],
}

const fn twice() -> [u8; 2] {
    [1, 1]
}

#[test]
fn texts_are_checked_with_their_escapes_and_absent_members_are_not() {
    let long = format!(r#"{{"address":"{}"}}"#, "1".repeat(49));
    for (text, rule) in [
        (r#"{"name":"\u0061a"}"#, ""),
        (r#"{"name":"\u0061\n"}"#, "pattern ^a+$"),
        (r#"{"address":"\u0031.2.3.4"}"#, ""),
        (r#"{"address":"1.2.3"}"#, "format ipv4"),
        (&long, "format ipv4"),
        (r#"{"pair":[1,2]}"#, ""),
        (r#"{"pair":[1,1]}"#, "uniqueItems"),
        // the default
        ("{}", ""),
    ] {
        assert_eq!(self::rule::<Undecoded>(text).unwrap_or_default(), rule, "{text}");
    }
}

#[derive(Serialize, Schema)]
struct Texts<'a> {
    #[schema(max_length = 2)]
    text: nanojsonrpc::message::Str<'a>,
}

/// A schema by hand, whose limits the program checks.
struct ByHand;

impl JsonSchema for ByHand {
    const SCHEMA: nanojsonrpc::json_schema::Node = <u8 as JsonSchema>::SCHEMA;
    const HAS_LIMITS: bool = true;
}

#[test]
fn a_type_with_a_schema_by_hand_is_not_checked() {
    assert!(check(&ByHand, None).is_ok());
    assert_eq!(ByHand.violates::<nanojsonrpc::json_schema::NoLimits>(), None);
}

#[test]
fn a_complete_schema_is_the_task_of_the_program() {
    assert_eq!(rule::<OwnTask>(r#"{"given":9,"of_type":9}"#), None);
    const { assert!(!Given::HAS_LIMITS && !<(u8, Option<[bool; 3]>)>::HAS_LIMITS && Byte::HAS_LIMITS) }
}

#[test]
fn a_value_without_a_text_is_checked() {
    let violation = check(&Detail { reason: "abc".try_into().unwrap() }, None).unwrap_err();
    assert_eq!((violation.expected(), violation.offset()), ("maxLength 2", 0));
    assert_eq!(violation.to_string(), "invalid value at byte 0, expected maxLength 2");
    assert_eq!(violation.capacity(), None);
    assert_eq!(nanojsonrpc::Error::from(violation).to_string(), "invalid value at byte 0");
}

#[cfg(feature = "alloc")]
mod allocated {
    use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};

    use super::*;

    #[derive(Serialize, Deserialize, Schema, PartialEq, Eq, PartialOrd, Ord)]
    struct Small(#[schema(maximum = 9)] u8);

    #[derive(Serialize, Deserialize, Schema, Default)]
    #[serde(default)]
    struct Lists<'a> {
        #[schema(max_items = 1, unique_items)]
        vec: Vec<u8>,
        #[schema(unique_items)]
        boxed: Box<[u8]>,
        deque: VecDeque<Small>,
        linked: LinkedList<Small>,
        set: BTreeSet<Small>,
        heap: BinaryHeap<Small>,
        map: BTreeMap<String, Small>,
        hashed: HashMap<String, HashSet<u8>>,
        #[schema(max_length = 2)]
        text: String,
        #[schema(max_length = 2)]
        cow: std::borrow::Cow<'a, str>,
        #[schema(maximum = 2)]
        in_box: Box<u8>,
        #[schema(format = "uuid")]
        no_text: BTreeMap<String, u8>,
    }

    #[test]
    fn lists_and_maps_on_the_heap_are_checked() {
        for (text, rule, path) in [
            (r#"{"hashed":{"a":[1]}}"#, "", ""),
            (r#"{"vec":[1,2]}"#, "maxItems 1", ".vec"),
            (r#"{"boxed":[1,1]}"#, "uniqueItems", ".boxed"),
            (r#"{"deque":[1,10]}"#, "maximum 9", ".deque[1]"),
            (r#"{"linked":[1,10]}"#, "maximum 9", ".linked[1]"),
            (r#"{"set":[10]}"#, "maximum 9", ".set[0]"),
            (r#"{"heap":[10]}"#, "maximum 9", ".heap[0]"),
            (r#"{"map":{"b":1,"a":10}}"#, "maximum 9", ".map.a"),
            (r#"{"text":"abc"}"#, "maxLength 2", ".text"),
            (r#"{"cow":"abc"}"#, "maxLength 2", ".cow"),
            (r#"{"in_box":3}"#, "maximum 2", ".in_box"),
            (r#"{"no_text":{"a":1}}"#, "", ""),
        ] {
            assert_eq!(found::<Lists>(text), (!rule.is_empty()).then(|| (rule, path.to_owned())), "{text}");
        }
    }
}
