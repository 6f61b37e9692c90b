//! JSON (RFC 8259) without JSON-RPC: the iterators over a payload, the parts of a [`Writer`], the `Deserializer` for serde.
//!
//! Most programs need only the types at the root of the crate: [`RawValue`], [`RawStr`],
//! [`ToJson`] and [`Writer`].
//!
//! | task | item |
//! |---|---|
//! | walk an array or object without serde | [`Elements`], [`Members`], by `RawValue::elements` and `RawValue::members` |
//! | decode a string with escapes, character by character | [`Chars`], by `RawStr::chars` |
//! | write a type of your own | [`ValueWriter`], [`ObjectWriter`], [`ArrayWriter`], in an implementation of [`ToJson`] |
//! | find the member or element at an offset | [`Path`], by `RawValue::path_to` |

#[cfg(feature = "mcp")]
mod again;
#[cfg(feature = "alloc")]
mod beyond;
#[cfg(not(feature = "serde"))]
mod built_in;
mod captured;
#[cfg(feature = "serde")]
mod compound;
pub(crate) mod constant;
mod copy;
#[cfg(feature = "serde")]
pub(crate) mod de;
#[cfg(target_pointer_width = "64")]
mod digits;
mod grammar;
#[cfg(feature = "alloc")]
pub(crate) mod growing;
#[cfg(target_pointer_width = "64")]
mod host;
mod incremental;
mod lex;
mod names;
pub(crate) mod number;
#[cfg(target_pointer_width = "64")]
mod object;
mod offset;
pub(crate) mod output;
mod path;
mod pointer;
mod put;
pub(crate) mod scan;
#[cfg(feature = "serde")]
mod ser;
pub(crate) mod string;
pub(crate) mod to_json;
#[cfg(feature = "serde")]
mod transcode;
pub(crate) mod value;
mod walk;
#[cfg(target_pointer_width = "64")]
pub(crate) mod word;
pub(crate) mod write;

pub(crate) use copy::copy;
#[cfg(feature = "http")]
pub(crate) use copy::copy_down;
#[cfg(all(feature = "mcp", feature = "serde"))]
pub(crate) use path::Location;
pub use path::Path;
#[cfg(feature = "serde")]
pub(crate) use path::SHOWS_PATHS;
pub(crate) use scan::MAX_DEPTH;
pub use string::Chars;
pub(crate) use string::{RawStr, write_printable};
pub(crate) use to_json::ToJson;
pub use value::Kind;
pub(crate) use value::RawValue;
pub(crate) use value::{start_of, trim_start};
pub(crate) use walk::capture_object;
pub use walk::{Elements, Members};
pub(crate) use write::Writer;
pub use write::{ArrayWriter, ObjectWriter, ValueWriter, Written};

#[cfg(feature = "serde")]
pub(crate) use de::PayloadError;
#[cfg(feature = "serde")]
pub(crate) use de::from_parts;
#[cfg(feature = "serde")]
pub use de::{Deserializer, Fault, MAX_ESCAPED};
#[cfg(feature = "serde")]
pub(crate) use ser::RAW_VALUE;

pub(crate) use captured::Captured;
#[cfg(feature = "alloc")]
pub(crate) use growing::Growing;
#[cfg(target_pointer_width = "64")]
pub(crate) use host::{capture_nested, scan};
pub(crate) use incremental::Incremental;
pub(crate) use names::{Known, Names, NoNames, Place};
pub(crate) use offset::{offset_in, same};
pub(crate) use output::{Aside, Output, Room};
#[cfg(not(target_pointer_width = "64"))]
pub(crate) use scan::{capture_nested, scan};
