//! Members of the objects of authorization servers.

use crate::error::{Error, ErrorKind};
use crate::json::{RawStr, RawValue};
use crate::mcp::value::{optional, unexpected};

/// The string of a required member.
pub(super) fn required_text<'a>(object: RawValue<'a>, name: &str) -> Result<RawStr<'a>, Error> {
    optional_text(object, name)?.ok_or(Error::new(ErrorKind::MissingField, object.offset()))
}

/// The string of an optional member.
pub(super) fn optional_text<'a>(object: RawValue<'a>, name: &str) -> Result<Option<RawStr<'a>>, Error> {
    optional(object, name).map(|value| value.as_str_raw().ok_or(unexpected(value))).transpose()
}

/// The strings of an array, in order; other elements are skipped, and another value has none.
pub(super) fn texts<'a>(array: Option<RawValue<'a>>) -> impl Iterator<Item = RawStr<'a>> + Clone + use<'a> {
    array.into_iter().flat_map(RawValue::elements).filter_map(RawValue::as_str_raw)
}
