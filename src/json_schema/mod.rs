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
//! The dialect is JSON Schema 2020-12. A schema describes the texts that serde reads into the type. The limits of `#[schema(…)]` are for
//! the sender; serde does not check them.
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
//! | `#[schema(minimum = 1, maximum = 9, pattern = "…", format = "…", min_length, max_length, min_items, max_items, multiple_of, title, description)]` | the keyword. It may narrow the limits of the type, but not widen them; it may not replace its `pattern` or `format`, and its `multiple_of` only by a multiple; lengths are integers. `minimum`, `maximum` and `multiple_of` are for numbers, lengths and `pattern` for strings, `min_items` and `max_items` for arrays |
//! | `#[schema(value = r#"{"type":"string"}"#)]` | this schema in place of the schema of the field, the variant (with its tag) or the type |
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
//! - A `pattern` with unbalanced brackets or a quantifier without an operand. Other faults of regular expressions are not found.
//!
//! # Where serde and the schema differ
//! - serde also reads a struct from an array, and a variant without data from an object with `null`.
//! - `1.0`, `1e0` and `-0` are integers for a validator but not for serde, except `-0` for an `i128`; `1e400`, and `1e39` for an `f32`, are numbers only for a validator.
//! - A number beyond the range or the decimals of a [`Fixed`](crate::Fixed) is a number only for a validator.
//! - A float that is NaN or infinite is written as `null`, which is no number for a validator, also in the result of an MCP tool: return an
//!   `Option` or an error instead.
//! - `maxLength` counts characters, but a capacity counts bytes: a non-ASCII text may be valid and not fit.
//! - A repeated member is an error in serde; a validator sees one member.
//! - serde does not check the keywords of `#[schema(…)]`: the program must check them.
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
//! # Long schemas
//! The compiler evaluates a schema byte by byte. The generated code allows the lint `long_running_const_eval`, which the compiler denies at
//! about 100 KB of text. At about 200 KB the compiler also gives a warning, which no attribute turns off: split the service into several.
//!
//! A schema with more than 63 open brackets does not compile. The brackets of an answer are added: 4 enclose a schema in `tools/list`, 6 in
//! `rpc.discover`, and a reader of this crate refuses more than 63 in all. Deeply nested types can also exceed the depth of evaluation of the
//! compiler (`E0080`, stack frames).

mod narrow;
mod node;
mod shape;
mod types;

pub use node::Node;
#[doc(hidden)]
pub use shape::{AnyShape, HashMap, HashSet, Shape};

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
