//! The params of a tool that headers repeat.

use crate::error::Error;
#[cfg(doc)]
use crate::error::ErrorKind;
use crate::json::{RawStr, RawValue, Writer};
use crate::mcp::mirror::{each_param, put_param};

/// Names of tools, and their input schemas.
pub(super) type Tools<'t> = &'t [(&'t str, RawValue<'t>)];
pub(super) type PutParams = fn(Tools<'_>, RawStr<'_>, RawValue<'_>, &mut Writer<'_>) -> Result<(), Error>;

/// Checks the input schema of a tool for a client over HTTP: where it requests headers, `Mcp-Param-…`, that repeat params.
///
/// ```
/// use nanojsonrpc::RawValue;
/// use nanojsonrpc::mcp::client::http::headers_in;
///
/// let schema = RawValue::parse(br#"{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}}"#)?;
/// assert!(headers_in(schema).is_ok());
/// let schema = RawValue::parse(br#"{"type":"object","properties":{"zone":{"type":"number","x-mcp-header":"Zone"}}}"#)?;
/// assert_eq!(headers_in(schema).map_err(|error| error.offset()), Err(70));
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// # Errors
/// [`InvalidValue`](ErrorKind::InvalidValue) with the offset of an annotation that the specification forbids: "the client MUST exclude the
/// invalid tool". Also for a schema with more than 24 levels or 64 annotations.
///
/// Source: 2026-07-28, Streamable HTTP, Schema Extension.
pub fn headers_in(schema: RawValue<'_>) -> Result<(), Error> {
    each_param(schema, None, &mut |_, _| Ok(()))
}

/// Appends the headers for the params of the tool `name`.
pub(super) fn put_params(
    tools: Tools<'_>,
    name: RawStr<'_>,
    params: RawValue<'_>,
    head: &mut Writer<'_>,
) -> Result<(), Error> {
    let Some((_, schema)) = tools.iter().find(|(tool, _)| name == **tool) else { return Ok(()) };
    each_param(*schema, params.get("arguments"), &mut |header, value| {
        let Some(value) = value else { return Ok(()) };
        head.put(b"mcp-param-");
        header.bytes().for_each(|byte| head.put_byte(byte));
        head.put(b": ");
        put_param(value, head)?;
        head.put(b"\r\n");
        Ok(())
    })
}
