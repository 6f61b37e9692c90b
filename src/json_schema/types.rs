//! The schemas of common types.

use core::cell::{Cell, RefCell};
use core::cmp::Reverse;
use core::marker::PhantomData;
use core::num::Wrapping;

use super::limits::{Limits, NoLimits};
use super::range::{float, integer, multiple};
use super::{JsonSchema, Node, held};
use crate::json::fixed::{Fixed, FixedInteger};
use crate::json::place::{Place, Rule};
use crate::json::{RawStr, RawValue};
use crate::message::Str;

const fn json(text: &'static str) -> Node {
    Node::Json { text }
}

const STRING: (&str, Node) = ("type", json("\"string\""));
const ARRAY: (&str, Node) = ("type", json("\"array\""));
const NULL: Node = Node::Object { members: &[("type", json("\"null\""))] };

macro_rules! integers {
    ($($type:ident $least:literal $most:literal $magnitude:path, $unsigned:ident;)*) => {$(
        impl JsonSchema for $type {
            const SCHEMA: Node = Node::Object {
                members: &[("type", json("\"integer\"")), ("minimum", json($least)), ("maximum", json($most))],
            };

            #[inline]
            fn violates<L: Limits>(&self) -> Option<Rule> {
                // beyond an `i128`, a `u128` counts as the greatest `i128`
                #[allow(clippy::unnecessary_fallible_conversions, reason = "not of a `u128`")]
                let wide = i128::try_from(*self).unwrap_or(i128::MAX);
                integer::<L, 0>(wide).or(multiple!($magnitude(*self), $unsigned, L, 0))
            }
        }
    )*};
}
integers! {
    u8 "0" "255" u8::from, u8;
    u16 "0" "65535" u16::from, u16;
    u32 "0" "4294967295" u32::from, u32;
    u64 "0" "18446744073709551615" u64::from, u64;
    u128 "0" "340282366920938463463374607431768211455" u128::from, u128;
    i8 "-128" "127" i8::unsigned_abs, u8;
    i16 "-32768" "32767" i16::unsigned_abs, u16;
    i32 "-2147483648" "2147483647" i32::unsigned_abs, u32;
    i64 "-9223372036854775808" "9223372036854775807" i64::unsigned_abs, u64;
    i128 "-170141183460469231731687303715884105728" "170141183460469231731687303715884105727" i128::unsigned_abs, u128;
}

const POSITIVE: (&str, Node) = ("minimum", json("1"));
const NOT_ZERO: (&str, Node) = ("not", Node::Object { members: &[("const", json("0"))] });

macro_rules! nonzero {
    ($($type:ident $integer:ident $over:ident)*) => {$(
        impl JsonSchema for core::num::$type {
            const SCHEMA: Node = Node::Over { members: &[$over], under: &<$integer>::SCHEMA };

            #[inline]
            fn violates<L: Limits>(&self) -> Option<Rule> {
                self.get().violates::<L>()
            }
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
    ($($type:ty: { $($name:literal: $value:literal),* } <$limits:ident> |$own:ident| $violates:expr;)*) => {$(
        impl JsonSchema for $type {
            const SCHEMA: Node = Node::Object { members: &[$(($name, json($value))),*] };

            #[inline]
            fn violates<$limits: Limits>(&self) -> Option<Rule> {
                let $own = self;
                $violates
            }
        }
    )*};
}
simple! {
    bool: { "type": "\"boolean\"" } <L> |_own| None;
    f32: { "type": "\"number\"" } <L> |own| float!(*own, L, short);
    f64: { "type": "\"number\"" } <L> |own| float!(*own, L, wide);
    char: { "type": "\"string\"", "minLength": "1", "maxLength": "1" } <L>
        |own| held::text::<L>(own.encode_utf8(&mut [0; 4]));
    str: { "type": "\"string\"" } <L> |own| held::text::<L>(own);
    RawStr<'_>: { "type": "\"string\"" } <L> |own| held::raw_text::<L>(*own);
    Str<'_>: { "type": "\"string\"" } <L> |own| match own {
        Str::Raw(text) => held::raw_text::<L>(*text),
        Str::Plain(text) => held::text::<L>(text),
        Str::Payload(_) => None,
    };
}

/// Its keywords are not checked: the program reads it.
impl JsonSchema for RawValue<'_> {
    const SCHEMA: Node = Node::Object { members: &[] };
}

impl<T: FixedInteger, const DECIMALS: u8> JsonSchema for Fixed<T, DECIMALS> {
    const SCHEMA: Node = f64::SCHEMA;

    #[inline]
    fn violates<L: Limits>(&self) -> Option<Rule> {
        let (is_negative, magnitude) = self.0.into_parts();
        let value = i128::from(magnitude);
        integer::<L, DECIMALS>(if is_negative { value.wrapping_neg() } else { value })
            .or(multiple!(magnitude, u64, L, DECIMALS))
    }
}

macro_rules! sizes {
    ($($size:ident: $narrow:ident $middle:ident $wide:ident)*) => {$(
        impl JsonSchema for $size {
            const SCHEMA: Node = match $size::BITS {
                16 => $narrow::SCHEMA,
                32 => $middle::SCHEMA,
                _ => $wide::SCHEMA,
            };

            #[inline]
            #[allow(clippy::cast_possible_truncation, reason = "no pointer has more than 64 bits")]
            fn violates<L: Limits>(&self) -> Option<Rule> {
                (*self as $wide).violates::<L>()
            }
        }
    )*};
}
sizes! {
    usize: u16 u32 u64
    isize: i16 i32 i64
}

/// No keyword applies to null.
macro_rules! null {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> JsonSchema for $type {
            const SCHEMA: Node = NULL;

            fn violates<L: Limits>(&self) -> Option<Rule> {
                None
            }
        }
    )*};
}
null! {
    [] ();
    [T: ?Sized] PhantomData<T>;
}

/// Types that serde reads and writes like the type inside: a call with it, if it can be borrowed.
macro_rules! through {
    ($([$($generics:tt)*] $type:ty: $inner:ty, |$own:ident, $check:ident| $call:expr;)*) => {$(
        impl<$($generics)*> JsonSchema for $type {
            const SCHEMA: Node = <$inner>::SCHEMA;
            const IS_REQUIRED: bool = <$inner>::IS_REQUIRED;
            const IS_OBJECT: bool = <$inner>::IS_OBJECT;
            const HAS_LIMITS: bool = <$inner>::HAS_LIMITS;

            #[inline]
            fn holds(&self, place: &Place<'_>) -> bool {
                let ($own, $check) = (self, |inner: &$inner| Some(inner.holds(place)));
                $call.unwrap_or(true)
            }

            #[inline]
            fn violates<L: Limits>(&self) -> Option<Rule> {
                let ($own, $check) = (self, |inner: &$inner| inner.violates::<L>());
                $call
            }
        }
    )*};
}
through! {
    // serde requires `Copy`, too
    [T: JsonSchema + Copy] Cell<T>: T, |own, check| check(&own.get());
    [T: JsonSchema] RefCell<T>: T, |own, check| own.try_borrow().ok().and_then(|inner| check(&inner));
    [T: JsonSchema] Reverse<T>: T, |own, check| check(&own.0);
    [T: JsonSchema] Wrapping<T>: T, |own, check| check(&own.0);
    [T: JsonSchema + ?Sized] &T: T, |own, check| check(own);
}

impl<T: JsonSchema> JsonSchema for Option<T> {
    const SCHEMA: Node = Node::Object { members: &[("anyOf", Node::Array { elements: &[T::SCHEMA, NULL] })] };
    const IS_REQUIRED: bool = false;
    const HAS_LIMITS: bool = T::HAS_LIMITS;

    #[inline]
    fn holds(&self, place: &Place<'_>) -> bool {
        self.as_ref().is_none_or(|value| value.holds(place))
    }

    #[inline]
    fn violates<L: Limits>(&self) -> Option<Rule> {
        self.as_ref().and_then(|value| value.violates::<L>())
    }
}

/// A list with elements of the type `T`.
macro_rules! lists {
    ($($(#[$meta:meta])* [$($generics:tt)*] $type:ty: $schema:expr;)*) => {$(
        $(#[$meta])*
        impl<T: JsonSchema, $($generics)*> JsonSchema for $type {
            const SCHEMA: Node = $schema;
            const HAS_LIMITS: bool = T::HAS_LIMITS;

            #[inline]
            fn holds(&self, place: &Place<'_>) -> bool {
                held::elements(self.iter(), place)
            }

            #[inline]
            fn violates<L: Limits>(&self) -> Option<Rule> {
                held::items::<L>(self.len())
            }
        }
    )*};
}
lists! {
    [] [T]: Node::Object { members: &[ARRAY, ("items", T::SCHEMA)] };
    [const N: usize] [T; N]: Node::Object {
        members: &[
            ARRAY,
            ("items", T::SCHEMA),
            ("minItems", Node::Number { number: N }),
            ("maxItems", Node::Number { number: N }),
        ],
    };
    [const N: usize] heapless::Vec<T, N>:
        Node::Object { members: &[ARRAY, ("items", T::SCHEMA), ("maxItems", Node::Number { number: N })] };
    [const N: usize] heapless::Deque<T, N>: <heapless::Vec<T, N>>::SCHEMA;
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
    const HAS_LIMITS: bool = T::HAS_LIMITS;

    #[inline]
    fn holds(&self, place: &Place<'_>) -> bool {
        held::values(self.iter().map(|(name, value)| (name.as_str(), value)), place)
    }

    /// No keyword of numbers, strings or arrays applies to an object.
    fn violates<L: Limits>(&self) -> Option<Rule> {
        None
    }
}

impl<const N: usize> JsonSchema for heapless::String<N> {
    const SCHEMA: Node = Node::Object { members: &[STRING, ("maxLength", Node::Number { number: N })] };

    #[inline]
    fn violates<L: Limits>(&self) -> Option<Rule> {
        held::text::<L>(self)
    }
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
            const HAS_LIMITS: bool = false $(|| $type::HAS_LIMITS)*;

            #[inline]
            fn holds(&self, place: &Place<'_>) -> bool {
                #[allow(non_snake_case, reason = "the types' names serve for the values")]
                let ($($type,)*) = self;
                let mut count = 0usize..;
                true $(&& held::element::<NoLimits, $type>($type, place, count.next().unwrap_or_default()))*
            }

            #[inline]
            fn violates<Z: Limits>(&self) -> Option<Rule> {
                held::items::<Z>($count)
            }
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

    use super::{JsonSchema, Limits, Node, Place, Rule, held, json};
    use crate::json_schema::{HashMap, HashSet};

    impl JsonSchema for String {
        const SCHEMA: Node = str::SCHEMA;

        #[inline]
        fn violates<L: Limits>(&self) -> Option<Rule> {
            held::text::<L>(self)
        }
    }

    lists! {
        [] Vec<T>: <[T]>::SCHEMA;
        [] VecDeque<T>: <[T]>::SCHEMA;
        [] LinkedList<T>: <[T]>::SCHEMA;
        [] BTreeSet<T>: <[T]>::SCHEMA;
        [] BinaryHeap<T>: <[T]>::SCHEMA;
    }

    impl<T: JsonSchema> JsonSchema for HashSet<T> {
        const SCHEMA: Node = <[T]>::SCHEMA;
        const HAS_LIMITS: bool = T::HAS_LIMITS;
    }

    through! {
        [T: JsonSchema + ?Sized] Box<T>: T, |own, check| check(own);
        [T: JsonSchema + ToOwned + ?Sized] Cow<'_, T>: T, |own, check| check(own);
    }

    impl<T: JsonSchema> JsonSchema for BTreeMap<String, T> {
        const SCHEMA: Node =
            Node::Object { members: &[("type", json("\"object\"")), ("additionalProperties", T::SCHEMA)] };
        const IS_OBJECT: bool = true;
        const HAS_LIMITS: bool = T::HAS_LIMITS;

        #[inline]
        fn holds(&self, place: &Place<'_>) -> bool {
            held::values(self.iter().map(|(name, value)| (name.as_str(), value)), place)
        }

        /// No keyword of numbers, strings or arrays applies to an object.
        fn violates<L: Limits>(&self) -> Option<Rule> {
            None
        }
    }

    impl<T: JsonSchema> JsonSchema for HashMap<String, T> {
        const SCHEMA: Node = <BTreeMap<String, T>>::SCHEMA;
        const IS_OBJECT: bool = true;
        const HAS_LIMITS: bool = T::HAS_LIMITS;
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
