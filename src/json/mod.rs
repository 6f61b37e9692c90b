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
//! | round a decimal fraction, without floats | [`Rounding`], in `RawValue::to_fixed` |

/// A function that hosts inline. On devices the compiler decides.
macro_rules! inlined_on_hosts {
    ($function:item) => {
        #[cfg_attr(target_pointer_width = "64", inline)]
        $function
    };
}

/// A function that hosts inline. Devices keep one copy: less flash.
macro_rules! shared_on_devices {
    ($function:item) => {
        inlined_on_hosts! {
            #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
            $function
        }
    };
}

#[cfg(feature = "mcp")]
mod again;
#[cfg(feature = "alloc")]
mod beyond;
#[cfg(not(feature = "serde"))]
mod built_in;
pub(crate) mod constant;
#[cfg(feature = "serde")]
pub(crate) mod de;
#[cfg(any(all(test, feature = "serde"), not(target_pointer_width = "64")))]
mod decimal;
#[cfg(not(target_pointer_width = "64"))]
mod device;
pub(crate) mod fixed;
mod float;
pub(crate) mod grammar;
#[cfg(feature = "alloc")]
pub(crate) mod growing;
#[cfg(target_pointer_width = "64")]
mod host;
mod incremental;
mod lex;
mod name_table;
pub(crate) mod number;
mod offset;
pub(crate) mod output;
mod path;
#[cfg(feature = "serde")]
pub(crate) mod place;
mod pointer;
mod put;
mod readable;
mod scan;
#[cfg(feature = "serde")]
mod ser;
pub(crate) mod string;
pub(crate) mod to_json;
pub(crate) mod value;
mod walk;
pub(crate) mod write;

// what differs between hosts and devices; the two have the same functions
#[cfg(not(target_pointer_width = "64"))]
use device as machine;
#[cfg(target_pointer_width = "64")]
use host as machine;

#[cfg(feature = "mcp")]
pub(crate) use again::Again;
pub use fixed::Rounding;
#[cfg(all(feature = "mcp", feature = "serde"))]
pub(crate) use machine::Location;
#[cfg(feature = "serde")]
pub(crate) use machine::SHOWS_PATHS;
#[cfg(feature = "websocket")]
pub(crate) use machine::whole_characters;
pub(crate) use machine::{Captured, capture_nested, capture_object, same, scan};
pub use path::Path;
pub use string::Chars;
pub(crate) use string::{RawStr, write_printable};
pub(crate) use to_json::ToJson;
pub use to_json::{ArrayWriter, ObjectWriter, ValueWriter, Written};
pub use value::Kind;
pub(crate) use value::RawValue;
pub use walk::{Elements, Members};
pub(crate) use write::Writer;

#[cfg(feature = "serde")]
pub(crate) use de::PayloadError;
#[cfg(feature = "serde")]
pub(crate) use de::from_parts;
#[cfg(feature = "serde")]
pub use de::{DeError, Deserializer, MAX_ESCAPED};
#[cfg(feature = "serde")]
pub(crate) use ser::RAW_VALUE;

#[cfg(feature = "alloc")]
pub(crate) use growing::Growing;
pub(crate) use incremental::Incremental;
pub(crate) use name_table::{Keep, Known, NameTable, NoNames, Position};
use offset::trim_end;
pub(crate) use offset::{offset_in, start_of, trim_start};
pub(crate) use output::{Aside, Output, Room};
pub(crate) use readable::ReadableMembers;
