//! The payload types that can be written without serde: a subset of those that serde supports.

use super::fixed::{Fixed, FixedInteger};
use super::{RawStr, RawValue, ToJson, ValueWriter, Written};

macro_rules! to_json {
    ($([$($generics:tt)*] $type:ty, |$value:ident, $out:ident| $body:expr;)*) => {$(
        impl<$($generics)*> ToJson for $type {
            fn write_json<'o>(&self, $out: ValueWriter<'o, '_>) -> Written<'o> {
                let $value = self;
                $body
            }
        }
    )*};
}

to_json! {
    [] RawValue<'_>, |value, out| out.pieces(|out| out.put(value.as_bytes()));
    [] RawStr<'_>, |value, out| out.pieces(|out| {
        out.put_byte(b'"');
        out.put(value.as_bytes());
        out.put_byte(b'"');
    });
    [T: FixedInteger, const DECIMALS: u8] Fixed<T, DECIMALS>, |value, out| out.pieces(|out| out.put_fixed(value.units()));
    [T: ToJson + ?Sized] &T, |value, out| (**value).write_json(out);
    [T: ToJson] Option<T>, |value, out| match value {
        Some(value) => value.write_json(out),
        None => out.value(&()),
    };
    [] (), |_value, out| out.pieces(|out| out.put(b"null"));
    [] bool, |value, out| out.pieces(|out| out.put(if *value { b"true" } else { b"false" }));
    [] str, |value, out| out.pieces(|out| out.put_string(value));
    [const N: usize] heapless::String<N>, |value, out| out.value(value.as_str());
    [T: ToJson] [T], |value, out| out.array(|array| value.iter().for_each(|element| array.element(element)));
}

macro_rules! integers {
    ($($unsigned:ty)*, $($signed:ty)*) => {
        to_json! {
            $([] $unsigned, |value, out| out.pieces(|out| out.put_integer(false, *value as u64));)*
            $([] $signed, |value, out| out.pieces(|out| out.put_integer(*value < 0, value.unsigned_abs() as u64));)*
        }
    };
}
integers!(u8 u16 u32 u64 usize, i8 i16 i32 i64 isize);

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        to_json! {
            [$($name: ToJson),+] ($($name,)+), |value, out| {
                #[allow(non_snake_case)] // each variable has the name of its type
                let ($($name,)+) = value;
                out.array(|array| { $(array.element($name);)+ })
            };
        }
    )*};
}
tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E F; }

// the same lengths as in serde, so that the feature removes no implementation; a longer array is written as a slice
macro_rules! arrays {
    ($($len:literal)*) => {
        to_json! { $([T: ToJson] [T; $len], |value, out| value.as_slice().write_json(out);)* }
    };
}
arrays!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
