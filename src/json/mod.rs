//! RFC 8259: one validating pass, and views of what it has validated.
//!
//! This module knows nothing of JSON-RPC: the caller passes the member names that the pass captures.

#[cfg(not(feature = "serde"))]
mod built_in;
mod captured;
#[cfg(feature = "serde")]
mod compound;
pub(crate) mod constant;
#[cfg(feature = "serde")]
mod de;
#[cfg(all(target_pointer_width = "64", feature = "serde"))]
mod decimal;
#[cfg(target_pointer_width = "64")]
mod digits;
mod grammar;
#[cfg(target_pointer_width = "64")]
mod host;
mod incremental;
mod lex;
mod names;
pub(crate) mod number;
#[cfg(target_pointer_width = "64")]
mod object;
mod offset;
mod path;
mod pointer;
mod put;
mod scan;
#[cfg(feature = "serde")]
mod ser;
mod string;
mod to_json;
#[cfg(feature = "serde")]
mod transcode;
mod value;
mod walk;
#[cfg(target_pointer_width = "64")]
pub(crate) mod word;
mod write;

pub use path::Path;
pub(crate) use put::copy;
#[cfg(feature = "http")]
pub(crate) use put::copy_down;
pub use scan::MAX_DEPTH;
pub use string::{Chars, RawStr};
#[cfg(any(not(feature = "serde"), feature = "mcp"))]
pub(crate) use to_json::sealed;
pub use to_json::{FromFn, ToJson, from_fn};
pub(crate) use value::trim_start;
pub use value::{Kind, RawValue};
pub(crate) use walk::capture_object;
pub use walk::{Elements, Members};
pub use write::{ArrayWriter, ObjectWriter, ValueWriter, Writer, Written};

#[cfg(feature = "serde")]
pub(crate) use de::from_parts;
#[cfg(feature = "serde")]
pub use de::{Deserializer, Fault, MAX_ESCAPED, PayloadError};
#[cfg(feature = "serde")]
pub(crate) use ser::RAW_VALUE;

pub(crate) use captured::Captured;
#[cfg(target_pointer_width = "64")]
pub(crate) use host::scan;
pub(crate) use incremental::Incremental;
pub(crate) use names::{Known, Names, NoNames};
pub(crate) use offset::{offset_in, same};
#[cfg(not(target_pointer_width = "64"))]
pub(crate) use scan::scan_known as scan;
#[cfg(target_pointer_width = "64")]
pub(crate) use word::Ascii;
