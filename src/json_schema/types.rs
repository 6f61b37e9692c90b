//! The schemas of common types.

use core::cell::{Cell, RefCell};
use core::cmp::Reverse;
use core::marker::PhantomData;
use core::num::Wrapping;

use super::{JsonSchema, Node};
use crate::json::fixed::Fixed;
use crate::json::{RawStr, RawValue};
use crate::message::Str;

const fn json(text: &'static str) -> Node {
    Node::Json { text }
}

const STRING: (&str, Node) = ("type", json("\"string\""));
const ARRAY: (&str, Node) = ("type", json("\"array\""));
const NULL: Node = Node::Object { members: &[("type", json("\"null\""))] };

macro_rules! integers {
    ($($type:ident $least:literal $most:literal)*) => {$(
        impl JsonSchema for $type {
            const SCHEMA: Node = Node::Object {
                members: &[("type", json("\"integer\"")), ("minimum", json($least)), ("maximum", json($most))],
            };
        }
    )*};
}
integers! {
    u8 "0" "255"
    u16 "0" "65535"
    u32 "0" "4294967295"
    u64 "0" "18446744073709551615"
    u128 "0" "340282366920938463463374607431768211455"
    i8 "-128" "127"
    i16 "-32768" "32767"
    i32 "-2147483648" "2147483647"
    i64 "-9223372036854775808" "9223372036854775807"
    i128 "-170141183460469231731687303715884105728" "170141183460469231731687303715884105727"
}

const POSITIVE: (&str, Node) = ("minimum", json("1"));
const NOT_ZERO: (&str, Node) = ("not", Node::Object { members: &[("const", json("0"))] });

macro_rules! nonzero {
    ($($type:ident $integer:ident $over:ident)*) => {$(
        impl JsonSchema for core::num::$type {
            const SCHEMA: Node = Node::Over { members: &[$over], under: &<$integer>::SCHEMA };
        }
    )*};
}
nonzero! {
    NonZeroU8 u8 POSITIVE
    NonZeroU16 u16 POSITIVE
    NonZeroU32 u32 POSITIVE
    NonZeroU64 u64 POSITIVE
    NonZeroU128 u128 POSITIVE
    NonZeroUsize usize POSITIVE
    NonZeroI8 i8 NOT_ZERO
    NonZeroI16 i16 NOT_ZERO
    NonZeroI32 i32 NOT_ZERO
    NonZeroI64 i64 NOT_ZERO
    NonZeroI128 i128 NOT_ZERO
    NonZeroIsize isize NOT_ZERO
}

macro_rules! simple {
    ($($([$($generics:tt)*])? $type:ty: { $($name:literal: $value:literal),* })*) => {$(
        impl $(<$($generics)*>)? JsonSchema for $type {
            const SCHEMA: Node = Node::Object { members: &[$(($name, json($value))),*] };
        }
    )*};
}
simple! {
    bool: { "type": "\"boolean\"" }
    f32: { "type": "\"number\"" }
    f64: { "type": "\"number\"" }
    char: { "type": "\"string\"", "minLength": "1", "maxLength": "1" }
    str: { "type": "\"string\"" }
    RawStr<'_>: { "type": "\"string\"" }
    Str<'_>: { "type": "\"string\"" }
    RawValue<'_>: {}
}

impl<T, const DECIMALS: u8> JsonSchema for Fixed<T, DECIMALS> {
    const SCHEMA: Node = f64::SCHEMA;
}

macro_rules! sizes {
    ($($size:ident: $narrow:ident $middle:ident $wide:ident)*) => {$(
        impl JsonSchema for $size {
            const SCHEMA: Node = match $size::BITS {
                16 => $narrow::SCHEMA,
                32 => $middle::SCHEMA,
                _ => $wide::SCHEMA,
            };
        }
    )*};
}
sizes! {
    usize: u16 u32 u64
    isize: i16 i32 i64
}

impl JsonSchema for () {
    const SCHEMA: Node = NULL;
}

impl<T: ?Sized> JsonSchema for PhantomData<T> {
    const SCHEMA: Node = NULL;
}

/// Types that serde reads and writes like the type inside.
macro_rules! through {
    ($($type:ident)*) => {$(
        impl<T: JsonSchema> JsonSchema for $type<T> {
            const SCHEMA: Node = T::SCHEMA;
            const IS_REQUIRED: bool = T::IS_REQUIRED;
            const IS_OBJECT: bool = T::IS_OBJECT;
        }
    )*};
}
through! { Cell RefCell Reverse Wrapping }

impl<T: JsonSchema> JsonSchema for Option<T> {
    const SCHEMA: Node = Node::Object { members: &[("anyOf", Node::Array { elements: &[T::SCHEMA, NULL] })] };
    const IS_REQUIRED: bool = false;
}

impl<T: JsonSchema + ?Sized> JsonSchema for &T {
    const SCHEMA: Node = T::SCHEMA;
    const IS_REQUIRED: bool = T::IS_REQUIRED;
    const IS_OBJECT: bool = T::IS_OBJECT;
}

impl<T: JsonSchema> JsonSchema for [T] {
    const SCHEMA: Node = Node::Object { members: &[ARRAY, ("items", T::SCHEMA)] };
}

impl<T: JsonSchema, const N: usize> JsonSchema for [T; N] {
    const SCHEMA: Node = Node::Object {
        members: &[
            ARRAY,
            ("items", T::SCHEMA),
            ("minItems", Node::Number { number: N }),
            ("maxItems", Node::Number { number: N }),
        ],
    };
}

impl<T: JsonSchema, const N: usize> JsonSchema for heapless::Vec<T, N> {
    const SCHEMA: Node =
        Node::Object { members: &[ARRAY, ("items", T::SCHEMA), ("maxItems", Node::Number { number: N })] };
}

impl<T: JsonSchema, const N: usize> JsonSchema for heapless::Deque<T, N> {
    const SCHEMA: Node = <heapless::Vec<T, N>>::SCHEMA;
}

impl<T: JsonSchema, const N: usize, const LEN: usize> JsonSchema for heapless::LinearMap<heapless::String<LEN>, T, N> {
    const SCHEMA: Node = Node::Object {
        members: &[
            ("type", json("\"object\"")),
            ("additionalProperties", T::SCHEMA),
            ("propertyNames", Node::Object { members: &[("maxLength", Node::Number { number: LEN })] }),
            ("maxProperties", Node::Number { number: N }),
        ],
    };
    const IS_OBJECT: bool = true;
}

impl<const N: usize> JsonSchema for heapless::String<N> {
    const SCHEMA: Node = Node::Object { members: &[STRING, ("maxLength", Node::Number { number: N })] };
}

macro_rules! tuples {
    ($($count:literal: $($type:ident)*;)*) => {$(
        impl<$($type: JsonSchema),*> JsonSchema for ($($type,)*) {
            const SCHEMA: Node = Node::Object {
                members: &[
                    ARRAY,
                    ("prefixItems", Node::Array { elements: &[$($type::SCHEMA),*] }),
                    ("minItems", Node::Number { number: $count }),
                    ("maxItems", Node::Number { number: $count }),
                ],
            };
        }
    )*};
}
tuples! {
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
    5: A B C D E;
    6: A B C D E F;
    7: A B C D E F G;
    8: A B C D E F G H;
    9: A B C D E F G H I;
    10: A B C D E F G H I J;
    11: A B C D E F G H I J K;
    12: A B C D E F G H I J K L;
}

#[cfg(feature = "alloc")]
mod allocated {
    use alloc::borrow::{Cow, ToOwned};
    use alloc::boxed::Box;
    use alloc::collections::{BTreeMap, BTreeSet, BinaryHeap, LinkedList, VecDeque};
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::{JsonSchema, Node, json};
    use crate::json_schema::{HashMap, HashSet};

    impl JsonSchema for String {
        const SCHEMA: Node = str::SCHEMA;
    }

    macro_rules! lists {
        ($($type:ident)*) => {$(
            impl<T: JsonSchema> JsonSchema for $type<T> {
                const SCHEMA: Node = <[T]>::SCHEMA;
            }
        )*};
    }
    lists! { Vec VecDeque LinkedList BTreeSet BinaryHeap HashSet }

    impl<T: JsonSchema + ?Sized> JsonSchema for Box<T> {
        const SCHEMA: Node = T::SCHEMA;
        const IS_REQUIRED: bool = T::IS_REQUIRED;
        const IS_OBJECT: bool = T::IS_OBJECT;
    }

    impl<T: JsonSchema + ToOwned + ?Sized> JsonSchema for Cow<'_, T> {
        const SCHEMA: Node = T::SCHEMA;
        const IS_REQUIRED: bool = T::IS_REQUIRED;
        const IS_OBJECT: bool = T::IS_OBJECT;
    }

    impl<T: JsonSchema> JsonSchema for BTreeMap<String, T> {
        const SCHEMA: Node =
            Node::Object { members: &[("type", json("\"object\"")), ("additionalProperties", T::SCHEMA)] };
        const IS_OBJECT: bool = true;
    }

    impl<T: JsonSchema> JsonSchema for HashMap<String, T> {
        const SCHEMA: Node = <BTreeMap<String, T>>::SCHEMA;
        const IS_OBJECT: bool = true;
    }
}

#[cfg(test)]
mod tests {
    use super::{Node, json};

    #[test]
    fn a_text_is_a_schema_as_it_is() {
        assert!(matches!(json("{\"minimum\":1}"), Node::Json { text: "{\"minimum\":1}" }));
    }
}
