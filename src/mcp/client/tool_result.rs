//! The result of a tool, of which each part is read on access.

use crate::error::Error;
use crate::json::{RawStr, RawValue};
use crate::mcp::types::CallToolResult;
use crate::mcp::value::optional;

/// The result of a tool; each part is read on access. [`CallToolResult`], which reads all kinds of content, takes 6 KB of
/// flash.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::{RawValue, mcp::client::ToolResult};
///
/// let text = br#"{"content":[{"type":"text","text":"21 degrees"},{"type":"smell"}],"structuredContent":{"celsius":21}}"#;
/// let result = ToolResult(RawValue::parse(text)?);
/// assert!(!result.is_error());
/// assert_eq!(result.texts().map(|text| text.to_string()).collect::<Vec<_>>(), ["21 degrees"]);
/// assert_eq!(result.structured().and_then(|content| content.get("celsius")?.as_i64()), Some(21));
/// assert!(result.read().is_err());
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ToolResult<'a>(pub RawValue<'a>);

impl<'a> ToolResult<'a> {
    /// Whether the tool failed.
    pub fn is_error(&self) -> bool {
        self.0.get("isError").and_then(RawValue::as_bool).unwrap_or_default()
    }

    /// The texts among the content, in order.
    pub fn texts(&self) -> impl Iterator<Item = RawStr<'a>> + use<'a> {
        let content = self.0.get("content").unwrap_or(RawValue::NULL);
        content.elements().filter_map(|content| {
            let is_text = content.get("type").and_then(RawValue::as_str_raw).is_some_and(|kind| kind == *"text");
            content.get("text").filter(|_| is_text).and_then(RawValue::as_str_raw)
        })
    }

    /// The structured content, for a program.
    pub fn structured(&self) -> Option<RawValue<'a>> {
        optional(self.0, "structuredContent")
    }

    /// The whole result.
    ///
    /// # Errors
    /// The errors of [`CallToolResult::read`].
    pub fn read(&self) -> Result<CallToolResult<'a>, Error> {
        CallToolResult::read(self.0)
    }
}
