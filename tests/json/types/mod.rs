//! The types that payloads are read into and written from: one of every shape that serde has, each with values.
// Each test file uses its own part of this.
#![allow(dead_code, unused_imports)]

#[path = "../../common/cases.rs"]
pub(crate) mod cases;
mod shapes;
mod values;

use std::fmt::Debug;

pub(crate) use shapes::*;
pub(crate) use values::*;

use nanojsonrpc::RawValue;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde::Deserialize;

/// A generator of pseudo-random numbers, xorshift64*.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number from 0 up to, not including, `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit.max(1)
    }
}

/// Runs `test` on `cases` values of `strategy`, and prints a value that fails. Does not simplify it: with the runner of proptest, which does,
/// these tests take a third longer to compile.
pub(crate) fn for_each<T: Debug>(cases: u32, strategy: impl Strategy<Value = T>, test: impl Fn(T)) {
    let mut runner = TestRunner::default();
    for _ in 0..cases::cases(cases) {
        let value = strategy.new_tree(&mut runner).unwrap().current();
        let _shown = ShownInPanic(format!("{value:?}"));
        test(value);
    }
}

/// Printed if it is dropped in a panic.
struct ShownInPanic(String);

impl Drop for ShownInPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the value: {}", self.0);
        }
    }
}

/// Reads `text` with both and compares verdict and value; returns the value, shown, if there is one.
///
/// The comparison is by `Debug`, which distinguishes -0.0 from 0.0.
pub(crate) fn agreed<'a, T: Deserialize<'a> + Debug>(text: &'a str) -> Option<String> {
    let value = RawValue::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    let ours = value.read::<T>();
    // not from a `str`, because serde_json's keys of type `bool` would split its first character
    let theirs = serde_json::from_slice::<T>(text.as_bytes());
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            let ours = format!("{ours:?}");
            assert_eq!(ours, format!("{theirs:?}"), "{text}");
            Some(ours)
        }
        (Err(error), Err(_)) => {
            assert!(error.offset() <= text.len(), "{error}: {text}");
            assert!(!error.expected().is_empty(), "{error:?}: {text}");
            None
        }
        (Ok(ours), Err(theirs)) => panic!("only serde_json refuses {text}\n{theirs}\nours: {ours:?}"),
        (Err(ours), Ok(theirs)) => panic!("only we refuse {text}\n{ours}\ntheirs: {theirs:?}"),
    }
}

/// Calls `$callback!` with every type: a name, the type that is read, and a strategy of values whose text it reads.
#[macro_export]
macro_rules! with_every_type {
    ($callback:ident) => {
        $callback! {
            booleans: bool = any::<bool>();
            bytes_u8: u8 = any::<u8>();
            integers_u16: u16 = any::<u16>();
            integers_u32: u32 = any::<u32>();
            integers_u64: u64 = edge_u64();
            integers_u128: u128 = any::<u128>();
            integers_usize: usize = any::<usize>();
            integers_i8: i8 = any::<i8>();
            integers_i16: i16 = any::<i16>();
            integers_i32: i32 = any::<i32>();
            integers_i64: i64 = edge_i64();
            integers_i128: i128 = edge_i128();
            integers_isize: isize = any::<isize>();
            floats_f32: f32 = finite_f32();
            floats_f64: f64 = finite_f64();
            characters: char = letter();
            strings: String = text();
            borrowed_strings: &str = plain();
            heapless_strings: heapless::String<64> = heapless_text::<64>();
            short_heapless_strings: heapless::String<6> = heapless_text::<6>();
            cows: Cow<'_, str> = text();
            borrowed_cows: BorrowedCow<'_> = text().prop_map(|text| BorrowedCow { text: Cow::Owned(text) });
            options: Option<u8> = any::<Option<u8>>();
            options_of_options: Option<Option<u8>> = any::<Option<u8>>().prop_map(|value| value.map(Some));
            options_of_strings: Option<String> = option::of(text());
            options_of_units: Option<()> = Just(None::<()>);
            units: () = Just(());
            unit_structs: Unit = Just(Unit);
            newtypes: Newtype = any::<i32>().prop_map(Newtype);
            transparent_structs: Transparent = text().prop_map(|inner| Transparent { inner });
            tuple_structs: TupleStruct = (any::<u8>(), text(), any::<Option<bool>>()).prop_map(|(a, b, c)| TupleStruct(a, b, c));
            tuples_of_one: (i16,) = any::<(i16,)>();
            tuples_of_two: (u8, String) = (any::<u8>(), text());
            tuples_of_many: (u8, i8, bool, (), (u8, [u8; 2]), Option<()>) =
                any::<(u8, i8, bool, (u8, [u8; 2]))>().prop_map(|(a, b, c, d)| (a, b, c, (), d, None::<()>));
            empty_arrays: [u8; 0] = Just([0_u8; 0]);
            arrays: [i32; 4] = any::<[i32; 4]>();
            arrays_of_arrays: [[u8; 2]; 3] = any::<[[u8; 2]; 3]>();
            vectors: Vec<i64> = vec(any::<i64>(), 0..6);
            vectors_of_strings: Vec<String> = vec(text(), 0..4);
            vectors_of_floats: Vec<f32> = vec(finite_f32(), 0..4);
            heapless_vectors: heapless::Vec<u16, 4> = heapless_vec::<u16, 4>(any::<u16>());
            heapless_vectors_of_strings: heapless::Vec<heapless::String<8>, 3> = heapless_vec::<_, 3>(heapless_text::<8>());
            heapless_deques: heapless::Deque<u8, 4> = vec(any::<u8>(), 0..4).prop_map(|all| {
                let mut deque = heapless::Deque::<u8, 4>::new();
                all.into_iter().for_each(|one| deque.push_back(one).unwrap());
                deque
            });
            sets: BTreeSet<i8> = btree_set(any::<i8>(), 0..5);
            structs: Reading = reading();
            borrowed_structs: Borrowed<'_> = (plain(), option::of(plain()), any::<[u8; 2]>())
                .prop_map(|(sensor, unit, pair)| Borrowed { sensor: kept(sensor), unit: unit.map(kept), pair });
            structs_without_fields: NoFields = Just(NoFields {});
            renamed_fields: Renamed = (any::<u8>(), any::<bool>()).prop_map(|(first, second)| Renamed { first_field: first, second });
            aliased_fields: Aliased = any::<u8>().prop_map(|value| Aliased { value });
            fields_with_escaped_names: EscapedNames = any::<(u8, u8)>().prop_map(|(a, b)| EscapedNames { quote: a, letter: b });
            defaulted_fields: Defaulted = (any::<u8>(), text()).prop_map(|(count, name)| Defaulted { count, name, kept: 7 });
            skipped_fields: Skipped = any::<(u8, Option<u8>)>().prop_map(|(a, b)| Skipped { shown: a, hidden: 0, maybe: b });
            strict_structs: Strict = any::<(u8, Option<u8>)>().prop_map(|(a, b)| Strict { a, b });
            optional_structs: AllOptional = any::<(Option<u8>, Option<bool>)>().prop_map(|(a, b)| AllOptional { a, b });
            flattened_structs: Flattened = (any::<u8>(), reading()).prop_map(|(id, inner)| Flattened { id, inner });
            flattened_maps: FlattenedMap = (any::<u8>(), btree_map("[a-c]{1,2}", any::<i32>(), 0..3))
                .prop_map(|(id, rest)| FlattenedMap { id, rest });
            structs_with_functions: WithFunction = any::<u32>().prop_map(|hex| WithFunction { hex });
            nested_structs: Nested = (reading(), vec(reading(), 0..2), option::of(reading()))
                .prop_map(|(one, many, maybe)| Nested { one, many, maybe: maybe.map(Box::new) });
            recursive_types: Tree = tree();
            generic_structs: Page<Page<u8>> = any::<(u8, u8, Option<u8>)>().prop_map(|(a, b, next)| Page {
                items: std::vec![Page { items: std::vec![a, b], next: None }, Page { items: std::vec![], next }],
                next: None,
            });
            wide_structs: Wide = any::<(u128, i128, u64, i64)>().prop_map(|(a, b, c, d)| Wide { a, b, c, d });
            maps: BTreeMap<String, i32> = btree_map(text(), any::<i32>(), 0..5);
            maps_with_u8_keys: BTreeMap<u8, bool> = btree_map(any::<u8>(), any::<bool>(), 0..5);
            maps_with_i64_keys: BTreeMap<i64, String> = btree_map(edge_i64(), text(), 0..5);
            maps_with_u64_keys: BTreeMap<u64, u8> = btree_map(edge_u64(), any::<u8>(), 0..5);
            maps_with_i128_keys: BTreeMap<i128, u8> = btree_map(edge_i128(), any::<u8>(), 0..5);
            maps_with_u128_keys: BTreeMap<u128, u8> = btree_map(any::<u128>(), any::<u8>(), 0..5);
            maps_with_boolean_keys: BTreeMap<bool, u8> = btree_map(any::<bool>(), any::<u8>(), 0..3);
            maps_with_character_keys: BTreeMap<char, u8> = btree_map(letter(), any::<u8>(), 0..5);
            maps_with_variant_keys: BTreeMap<Color, u8> = btree_map(color(), any::<u8>(), 0..3);
            maps_with_newtype_keys: BTreeMap<Newtype, u8> = btree_map(any::<i32>().prop_map(Newtype), any::<u8>(), 0..3);
            maps_with_float_keys: Floats = vec((finite_f64(), any::<u8>()), 0..3).prop_map(Floats);
            maps_with_borrowed_keys: BTreeMap<&str, u8> = btree_map(plain(), any::<u8>(), 0..3);
            maps_of_maps: BTreeMap<String, BTreeMap<u16, Option<u8>>> =
                btree_map(text(), btree_map(any::<u16>(), any::<Option<u8>>(), 0..3), 0..3);
            heapless_linear_maps: heapless::LinearMap<heapless::String<12>, i16, 3> =
                heapless_map(heapless_text::<12>());
            heapless_index_maps: heapless::index_map::FnvIndexMap<u16, i16, 4> = heapless_index_map();
            enums_of_units: Color = color();
            enums_tagged_from_outside: External = external();
            vectors_of_enums: Vec<External> = vec(external(), 0..3);
            enums_tagged_inside: Internal = internal();
            enums_tagged_beside: Adjacent = adjacent();
            untagged_enums: Untagged = untagged();
            enums_in_options: Option<External> = option::of(external());
            enums_with_another_variant: WithOther = prop_oneof![Just(WithOther::Known), Just(WithOther::Known)];
            borrowed_enums: BorrowedEnum<'_> = prop_oneof![
                plain().prop_map(|name| BorrowedEnum::Name(kept(name))),
                any::<u8>().prop_map(|id| BorrowedEnum::Id { id }),
            ];
            results: Result<u8, String> = prop_oneof![any::<u8>().prop_map(Ok), text().prop_map(Err)];
            bytes: Bytes = vec(any::<u8>(), 0..6).prop_map(Bytes);
            byte_only_visitors: OnlyBytes = vec(any::<u8>(), 0..6).prop_map(OnlyBytes);
            ignored_values: Ignored = tree().prop_map(|tree| Ignored { id: 0, rest: Hidden(tree) });
            dynamic_values: serde_json::Value = json();
            structs_of_dynamic_values: Dynamic = (json(), json()).prop_map(|(any, maybe)| Dynamic { any, maybe: Some(maybe).filter(|maybe| !maybe.is_null()) });
            durations: std::time::Duration = any::<(u64, u32)>().prop_map(|(s, n)| std::time::Duration::new(s / 2, n % 1_000_000_000));
            addresses: std::net::IpAddr = any::<std::net::IpAddr>();
            socket_addresses: std::net::SocketAddrV4 = any::<(u32, u16)>().prop_map(|(ip, port)| std::net::SocketAddrV4::new(ip.into(), port));
            numbers_that_are_not_zero: std::num::NonZeroU16 = any::<std::num::NonZeroU16>();
            wrapping_numbers: std::num::Wrapping<i8> = any::<i8>().prop_map(std::num::Wrapping);
            ranges: std::ops::Range<u8> = any::<(u8, u8)>().prop_map(|(start, end)| start..end);
            bounds: std::ops::Bound<i8> = prop_oneof![
                any::<i8>().prop_map(std::ops::Bound::Included),
                Just(std::ops::Bound::Unbounded),
            ];
            phantoms: std::marker::PhantomData<u8> = Just(std::marker::PhantomData::<u8>);
            boxes: Box<str> = text().prop_map(String::into_boxed_str);
        }
    };
}
