//! JSON Schemas of types, computed at compile time.
//!
//! ```
//! use nanojsonrpc::Schema;
//! use nanojsonrpc::json_schema::schema_of;
//! use serde::Deserialize;
//!
//! /// How fast to change the speed.
//! #[derive(Deserialize, Schema)]
//! #[serde(rename_all = "camelCase")]
//! struct Ramp {
//!     /// The time it takes.
//!     #[schema(maximum = 60)]
//!     in_seconds: u8,
//!     curve: Option<Curve>,
//! }
//!
//! #[derive(Deserialize, Schema)]
//! enum Curve {
//!     Linear,
//!     Smooth,
//! }
//!
//! const RAMP: &str = schema_of!(Ramp);
//! assert_eq!(
//!     RAMP,
//!     concat!(
//!         r#"{"description":"How fast to change the speed.","type":"object","properties":{"#,
//!         r#""inSeconds":{"description":"The time it takes.","maximum":60,"type":"integer","minimum":0},"#,
//!         r#""curve":{"anyOf":[{"type":"string","enum":["Linear","Smooth"]},{"type":"null"}]}},"#,
//!         r#""required":["inSeconds"]}"#,
//!     )
//! );
//! ```
//!
//! # The rules
//! The dialect is JSON Schema 2020-12. A schema describes the texts that serde reads into the type. The limits of `#[schema(…)]` are
//! checked: [Limits](#limits).
//!
//! | in the type | in the schema |
//! |---|---|
//! | doc comments | `description`: the first paragraph, its lines joined by spaces; `#[doc = concat!(…)]` and `include_str!` keep the line feeds |
//! | `rename`, `rename_all`, `rename_all_fields` | the names |
//! | `Option<T>`, `default` | not in `required`; without `default` serde requires an `Option` that a function reads (`with`, `deserialize_with`) |
//! | `skip`, `skip_deserializing` | the field or variant is left out |
//! | `deny_unknown_fields` | `additionalProperties` is false |
//! | `flatten` of structs and tagged enums | `allOf` |
//! | `tag`, `content`, `untagged`; enums without attributes | `oneOf`; `anyOf` if untagged; `enum` if no variant has data. If each variant is a string, `type` is `string` |
//! | `transparent`, a struct of one unnamed field | the schema of the field |
//! | integers, `NonZero` | `minimum` and `maximum` of the type |
//! | `heapless::String<N>`, `heapless::Vec<T, N>` | `maxLength`, `maxItems` |
//! | with the feature `alloc`: `BTreeMap<String, T>`, `HashMap<String, T>` | `additionalProperties`. The macro knows `HashMap` and `HashSet` by these names, with any path and hasher, inside of fields and params. Elsewhere, such as for the whole result of a tool, take `BTreeMap`, or a `transparent` struct with the map |
//! | arrays, tuples | `minItems` and `maxItems`, `prefixItems`; no `minItems` for a tuple struct with `default` |
//! | `#[schema(minimum = 1, maximum = 9, pattern = "…", format = "…", min_length, max_length, min_items, max_items, unique_items, multiple_of, title, description)]` | the keyword. It may narrow the limits of the type, but not widen them; it may not replace its `pattern` or `format`, and its `multiple_of` only by a multiple; lengths are integers. `minimum`, `maximum` and `multiple_of` are for numbers, lengths and `pattern` for strings, `min_items`, `max_items` and `unique_items` for arrays |
//! | `#[schema(value = r#"{"type":"string"}"#)]` | this schema in place of the schema of the field, the variant (with its tag) or the type. The program checks the value itself |
//! | `#[schema(crate = rpc)]` at the type | the path of this crate, if the program has renamed it or uses it through another crate |
//!
//! The compiler refuses types that a schema cannot describe, and suggests a correction:
//! - Other attributes of serde that change the texts: `with`, `from`, `into`, `alias`, `other` and their like. With `#[schema(value = …)]`
//!   at the type, these attributes are accepted, and its fields are ignored.
//! - Texts that serde writes but does not read: `skip_serializing_if` without `default` at a required field, `skip_deserializing` with
//!   `deny_unknown_fields`, the `tag` of such a struct, `&[u8]`.
//! - Flattened fields of other types, such as maps and `Option`.
//! - Internally tagged variants whose struct has a member with the name of the tag, which serde writes twice.
//! - Enums without variants that serde reads.
//! - A `pattern` that is no regular expression, or beyond the subset that is [checked](#limits).
//! - Limits of the elements of a `HashMap` or `HashSet`, and of a [`RawValue`], which are not checked.
//!
//! # Limits
//! Whoever reads a type with limits, checks them, right after serde has read the value and without a second pass over the text:
//!
//! | value | is checked | a violation is |
//! |---|---|---|
//! | params of a [service](mod@crate::service) with `mcp`, `openrpc` or `checked`; [`Checked`](crate::server::Checked) params of a handler | before the method | -32602; for a notification the event `Unfit` |
//! | arguments of its tools; `Checked` arguments of a tool | before the tool | `isError` since 2025-11-25, -32602 before |
//! | the result of a tool of a service, and with `openrpc` of a method; a `Checked` result | before it is sent | -32603 and the event `ReplyLost`, because it is a fault of the program |
//! | any other, by the program | [`check`] | a `PayloadError` |
//!
//! The message names the keyword with its value, and the offset; on 64-bit hosts also the path, and the value if it has at most 64 bytes:
//! `invalid value at byte 85, expected maximum 60, in params.ramp.inSeconds, found 61`.
//!
//! | keyword | rule |
//! |---|---|
//! | `minimum`, `maximum`, `exclusive_minimum`, `exclusive_maximum` | integers and [`Fixed`](crate::Fixed) exactly; floats as floats of their type. NaN violates each |
//! | `multiple_of` | integers and `Fixed` exactly; for floats the quotient has no fraction, or, if the keyword is an integer, the remainder is 0 |
//! | `min_length`, `max_length` | Unicode characters |
//! | `pattern` | ECMA-262, of which this subset: `^`, then characters, `.`, classes such as `[^a-z_]`, and `\d`, `\w`, `\D`, `\W`, `\n`, `\r`, `\t`, escaped punctuation, each with a count (`?`, `*`, `+`, `{2}`, `{2,}`, `{2,8}`), then `$` if nothing may follow. A class that may repeat shares no character with the next one. The time is linear in the text |
//! | `format` | `ipv4`, `ipv6`, `uuid` of texts. Any other is not checked |
//! | `min_items`, `max_items` | |
//! | `unique_items` | compares each two elements with `PartialEq`; arrays, slices, `Vec` and `heapless::Vec` |
//! | types, capacities, `enum`, `const`, `required`, `additionalProperties` | serde checks them |
//!
//! What `#[schema(value = …)]` describes, and the text of `mcp::schema!`, is not checked: this is the task of the program.
//!
//! Flash on thumbv7m at opt-level `s`: six limits of one method, among them a `pattern`, take 1,376 bytes. Types without limits take none.
//!
//! # Where serde and the schema differ
//! - serde also reads a struct from an array, and a variant without data from an object with `null`.
//! - `1.0`, `1e0` and `-0` are integers for a validator but not for serde, except `-0` for an `i128`; `1e400`, and `1e39` for an `f32`, are numbers only for a validator.
//! - A number beyond the range or the decimals of a [`Fixed`](crate::Fixed) is a number only for a validator.
//! - A float that is NaN or infinite is written as `null`, which is no number for a validator, also in the result of an MCP tool: return an
//!   `Option` or an error instead.
//! - `maxLength` counts characters, but a capacity counts bytes: a non-ASCII text may be valid and not fit.
//! - A repeated member is an error in serde; a validator sees one member.
//! - A member that is absent takes its default, which is not checked when it is read, as a validator does. In a result, a field that serde leaves out
//!   (`skip_serializing_if`) is checked.
//! - A `u128` beyond 2^127 - 1 is compared as this number.
//! - If a struct and its flattened field, or two flattened fields, have a member of the same name, the text has one such member. Both
//!   schemas accept it, but serde reads it into one of the two fields, and the other is missing.
//! - serde buffers the members of internally tagged enums, of untagged enums and of flattened fields, and reads the buffer by other rules:
//!   - It refuses any `u128`, `i128` and `RawValue`.
//!   - It reads `1e39` as an infinite `f32`.
//!   - It reads `{}` as `()`, and `{}` and `[]` as a unit struct, also as a `content` that precedes its `tag`, but not in untagged enums.
//!   - In an internally tagged enum inside the buffer, it accepts a number as the tag: the index of the variant.
//! - serde writes `&[u8]` as an array and reads it from a string. The compiler refuses it as a field, but not as an alias inside of another
//!   type, such as `[Bytes<'a>; 2]` with `type Bytes<'a> = &'a [u8]`.
//! - A type that contains itself has no schema: the compiler reports a cycle.
//!
//! The limits were compared with PyPI `jsonschema` 4.26 (`tests/interop/mcp/limits.py`). The differences:
//! - `multiple_of` with a fraction: `jsonschema` divides floats also for integers and for [`Fixed`](crate::Fixed), so it refuses 0.3 as a
//!   multiple of 0.1. An `f64` has its verdict.
//! - An `f32` is compared with the limit as an `f32`: 0.1000000001 satisfies a `maximum` of 0.1.
//! - Python's `$` also matches before a line feed at the end, its `\d` and `\w` match digits and letters of other scripts, its `.` matches
//!   U+000D, U+2028 and U+2029. Here they are those of ECMA-262.
//! - `format` is an annotation for `jsonschema` unless it is asked to check it. Its `ipv6` and `uuid` are those of Python.
//! - `unique_items` takes two elements for equal if `PartialEq` does.
//!
//! # Long schemas
//! The compiler evaluates a schema byte by byte. The generated code allows the lint `long_running_const_eval`, which the compiler denies at
//! about 100 KB of text. At about 200 KB the compiler also gives a warning, which no attribute turns off: split the service into several.
//!
//! A schema with more than 63 open brackets does not compile. The brackets of an answer are added: 4 enclose a schema in `tools/list`, 6 in
//! `rpc.discover`, and a reader of this crate refuses more than 63 in all. Deeply nested types can also exceed the depth of evaluation of the
//! compiler (`E0080`, stack frames).

mod format;
#[doc(hidden)]
pub mod held;
mod limits;
mod narrow;
mod node;
mod pattern;
mod range;
mod shape;
mod types;

pub use node::Node;

#[doc(hidden)]
pub use crate::json::place::{Field, Place, Rule};
#[doc(hidden)]
pub use format::Format;
#[doc(hidden)]
pub use limits::{Length, Limit, Limits, NoLimits};
#[doc(hidden)]
pub use pattern::{Pattern, Piece};
#[doc(hidden)]
pub use shape::{AnyShape, HashMap, HashSet, Shape};

use crate::json::{PayloadError, RawValue};

/// A type with a JSON Schema. The macro [`Schema`](macro@crate::Schema) derives it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no JSON Schema",
    label = "no schema for `{Self}`",
    note = "add `#[derive(nanojsonrpc::Schema)]` to a type of your own",
    note = "for a type of another crate, add the schema to the field: `#[schema(value = r#\"{{\"type\":\"string\"}}\"#)]`"
)]
pub trait JsonSchema {
    /// The schema of the type.
    const SCHEMA: Node;
    /// Whether serde refuses a struct in which a field of this type is absent.
    const IS_REQUIRED: bool = true;
    /// Whether the type is written as an object.
    const IS_OBJECT: bool = false;
    /// Whether a value can violate a limit of `#[schema(…)]`. If not, no code for limits is linked.
    const HAS_LIMITS: bool = false;

    /// Whether the parts of the value at `place` satisfy their limits.
    #[doc(hidden)]
    fn holds(&self, _place: &Place<'_>) -> bool {
        true
    }

    /// The first of the limits `L` of its field that the value violates. The compiler refuses a limit of a type that does not implement this.
    #[doc(hidden)]
    fn violates<L: Limits>(&self) -> Option<Rule> {
        const {
            assert!(
                !L::IS_ANY,
                "the limits of this type are not checked: remove them, or write the schema of the field with `#[schema(value = …)]`"
            );
        }
        None
    }
}

/// Checks the limits of a value that was read from `text`; without a text, of a value that will be written. Services, tools and
/// [`Checked`](crate::server::Checked) do so themselves.
///
/// A member that the text lacks is not checked, because serde has taken its default.
///
/// ```
/// use nanojsonrpc::RawValue;
/// use nanojsonrpc::json_schema::check;
///
/// #[derive(serde::Deserialize, nanojsonrpc::Schema)]
/// struct Reading {
///     #[schema(minimum = -40, maximum = 85)]
///     celsius: i8,
/// }
///
/// assert!(check(&Reading { celsius: 85 }, None).is_ok());
///
/// let text = RawValue::parse(br#"{"celsius":86}"#).unwrap();
/// let violation = check::<Reading>(&text.read().unwrap(), Some(text)).unwrap_err();
/// assert_eq!(violation.to_string(), "invalid value at byte 11, expected maximum 85");
/// assert_eq!(text.path_to(violation.offset()).to_string(), ".celsius");
/// ```
///
/// # Limits
/// Stack: constant for a type. Time: one comparison for each limit; for `unique_items` one for each pair.
///
/// # Errors
/// The first violation, in the order of the declaration: an [`InvalidValue`](crate::ErrorKind::InvalidValue) at the offset of the value, or at 0 without a
/// text. [`expected`](PayloadError::expected) is the keyword and its value.
pub fn check<T: JsonSchema + ?Sized>(value: &T, text: Option<RawValue<'_>>) -> Result<(), PayloadError> {
    crate::json::place::check(value, text)
}

/// The JSON Schema of a type as a `&'static str`, computed at compile time.
///
/// ```
/// assert_eq!(nanojsonrpc::json_schema::schema_of!(bool), r#"{"type":"boolean"}"#);
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __schema_of {
    ($type:ty) => {
        const {
            const __SCHEMA: $crate::json_schema::Node = <$type as $crate::json_schema::JsonSchema>::SCHEMA;
            // the time is linear in the length
            #[allow(long_running_const_eval)]
            const __TEXT: &[u8] = &__SCHEMA.text::<{ __SCHEMA.text_len() }>();
            const __SCHEMA_TEXT: &::core::primitive::str = match ::core::str::from_utf8(__TEXT) {
                ::core::result::Result::Ok(__text) => __text,
                ::core::result::Result::Err(_) => "",
            };
            #[allow(long_running_const_eval)]
            const _: () = ::core::assert!(
                $crate::RawValue::constant(__SCHEMA_TEXT).is_some(),
                "the schema has more than 63 open brackets, which this crate does not read"
            );
            __SCHEMA_TEXT
        }
    };
}
#[doc(inline)]
pub use __schema_of as schema_of;
