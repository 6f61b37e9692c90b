//! Strategies of values, for the types and for their parts.

use std::fmt;
use std::sync::Mutex;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;

use super::shapes::*;

/// Any character, often one that has an escape or more than one byte.
pub(crate) fn letter() -> impl Strategy<Value = char> + Clone {
    let odd =
        ['"', '\\', '/', '\n', '\t', '\0', '\u{8}', '\u{c}', '\r', '\u{1f}', '\u{7f}', 'é', '€', '\u{2028}', '😀'];
    prop_oneof![4 => proptest::char::range('a', 'z'), 2 => proptest::sample::select(odd.to_vec()), 1 => any::<char>()]
}

/// Text with and without escapes, short enough for the stack buffer.
pub(crate) fn text() -> impl Strategy<Value = String> + Clone {
    prop_oneof![plain(), vec(letter(), 0..20).prop_map(|letters| letters.into_iter().collect())]
}

/// Text that needs no escape.
pub(crate) fn plain() -> impl Strategy<Value = String> + Clone {
    "[a-z0-9 éß€😀/]{0,12}"
}

/// Text that fits.
pub(crate) fn heapless_text<const N: usize>() -> impl Strategy<Value = heapless::String<N>> + Clone {
    text().prop_map(|text| {
        let mut held = heapless::String::new();
        text.chars().all(|c| held.push(c).is_ok());
        held
    })
}

/// Elements that fit.
pub(crate) fn heapless_vec<T: fmt::Debug, const N: usize>(
    element: impl Strategy<Value = T>,
) -> impl Strategy<Value = heapless::Vec<T, N>> {
    vec(element, 0..=N).prop_map(|elements| elements.into_iter().collect())
}

/// Members that fit.
pub(crate) fn heapless_map<K: Ord + Eq + fmt::Debug>(
    key: impl Strategy<Value = K>,
) -> impl Strategy<Value = heapless::LinearMap<K, i16, 3>> {
    btree_map(key, any::<i16>(), 0..=3).prop_map(|members| members.into_iter().collect())
}

/// Members that fit.
pub(crate) fn heapless_index_map() -> impl Strategy<Value = heapless::index_map::FnvIndexMap<u16, i16, 4>> {
    btree_map(any::<u16>(), any::<i16>(), 0..=4).prop_map(|members| members.into_iter().collect())
}

/// Floats that JSON has.
pub(crate) fn finite_f64() -> impl Strategy<Value = f64> {
    let edges = [0.0, -0.0, 1.0, -1.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 1e16, 1e15, 0.1, 1e-5, 1e21, 0.3];
    prop_oneof![any::<f64>(), proptest::sample::select(edges.to_vec())]
        .prop_map(|float| if float.is_finite() { float } else { 0.5 })
}

/// Floats that JSON has.
pub(crate) fn finite_f32() -> impl Strategy<Value = f32> {
    let edges = [0.0, -0.0, 1.0, -1.0, f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-45, 1e16, 0.1, 16_777_216.0];
    prop_oneof![any::<f32>(), proptest::sample::select(edges.to_vec())]
        .prop_map(|float| if float.is_finite() { float } else { 0.5 })
}

/// Any, often the extremes.
pub(crate) fn edge_u64() -> impl Strategy<Value = u64> {
    prop_oneof![any::<u64>(), proptest::sample::select(vec![0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 53) + 1])]
}

/// Any, often the extremes.
pub(crate) fn edge_i64() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), proptest::sample::select(vec![0, -1, i64::MAX, i64::MIN, i64::MIN + 1])]
}

/// Any, often the extremes.
pub(crate) fn edge_i128() -> impl Strategy<Value = i128> {
    prop_oneof![any::<i128>(), proptest::sample::select(vec![0, -1, i128::MAX, i128::MIN, i128::MIN + 1])]
}

/// Borrowed for as long as the tests run.
pub(crate) fn kept(text: String) -> &'static str {
    // so that no tool reports it as leaked
    static KEPT: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let text = Box::leak(text.into_boxed_str());
    KEPT.lock().expect("nobody panics here").push(text);
    text
}

pub(crate) fn reading() -> impl Strategy<Value = Reading> + Clone {
    (text(), vec(any::<i32>(), 0..=4), option::of(heapless_text::<16>())).prop_map(|(sensor, values, unit)| Reading {
        sensor,
        values: values.into_iter().collect(),
        unit,
    })
}

pub(crate) fn color() -> impl Strategy<Value = Color> {
    prop_oneof![Just(Color::Red), Just(Color::DarkGreen), Just(Color::Backslash)]
}

pub(crate) fn tree() -> impl Strategy<Value = Tree> {
    let leaf = any::<i8>().prop_map(|value| Tree { value, children: Vec::new() });
    leaf.prop_recursive(4, 12, 3, |inner| {
        (any::<i8>(), vec(inner, 0..3)).prop_map(|(value, children)| Tree { value, children })
    })
}

pub(crate) fn external() -> impl Strategy<Value = External> {
    prop_oneof![
        Just(External::Unit),
        any::<i32>().prop_map(External::Newtype),
        any::<Option<u8>>().prop_map(External::Optional),
        Just(External::Nothing(())),
        (any::<u8>(), text()).prop_map(|(a, b)| External::Tuple(a, b)),
        (any::<u8>(), option::of(text())).prop_map(|(a, b)| External::Struct { a, b }),
        reading().prop_map(External::Inner),
    ]
}

pub(crate) fn internal() -> impl Strategy<Value = Internal> {
    prop_oneof![
        Just(Internal::Unit),
        reading().prop_map(Internal::Newtype),
        (any::<u8>(), option::of(text())).prop_map(|(a, b)| Internal::Struct { a, b }),
    ]
}

pub(crate) fn adjacent() -> impl Strategy<Value = Adjacent> {
    prop_oneof![
        Just(Adjacent::Unit),
        any::<i32>().prop_map(Adjacent::Newtype),
        (any::<u8>(), text()).prop_map(|(a, b)| Adjacent::Tuple(a, b)),
        (any::<u8>(), option::of(text())).prop_map(|(a, b)| Adjacent::Struct { a, b }),
    ]
}

/// Each variant with values that no variant before it takes.
pub(crate) fn untagged() -> impl Strategy<Value = Untagged> {
    prop_oneof![
        Just(Untagged::Nothing),
        any::<bool>().prop_map(Untagged::Flag),
        any::<i16>().prop_map(Untagged::Small),
        (32_768_u64..).prop_map(Untagged::Large),
        finite_f64().prop_map(|float| Untagged::Float(if float == 0.0 { 0.25 } else { float })),
        letter().prop_map(Untagged::Letter),
        vec(letter(), 2..9).prop_map(|letters| Untagged::Text(letters.into_iter().collect())),
        (any::<u8>(), text()).prop_map(|(a, b)| Untagged::Pair(a, b)),
        vec(any::<u32>(), 0..4).prop_map(Untagged::List),
        (any::<u8>(), option::of(text())).prop_map(|(a, b)| Untagged::Struct { a, b }),
        color().prop_map(|color| Untagged::Color { color }),
    ]
}

/// Any JSON value.
pub(crate) fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        edge_i64().prop_map(Value::from),
        edge_u64().prop_map(Value::from),
        finite_f64().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(text(), inner, 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}
