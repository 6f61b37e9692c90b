//! The hints of a tool.

use quote::format_ident;
use syn::spanned::Spanned as _;
use syn::token::Paren;
use syn::{Attribute, Error, Ident, Meta, Result, Token};

use crate::mistakes;

/// The names of the hints, and the fields of `ToolAnnotations`.
const HINTS: [(&str, &str); 4] = [
    ("read_only", "read_only_hint"),
    ("destructive", "destructive_hint"),
    ("idempotent", "idempotent_hint"),
    ("open_world", "open_world_hint"),
];

/// Reads `#[tool(read_only, destructive = false, idempotent, open_world)]`.
pub(crate) fn read(attribute: &Attribute) -> Result<Vec<(Ident, bool)>> {
    if let Meta::Path(path) = &attribute.meta {
        let message = "each method is a tool already: write hints, as in `#[tool(read_only)]`, or remove the attribute";
        return Err(Error::new(path.span(), message));
    }
    let mut hints: Vec<(&str, &str, bool)> = Vec::new();
    attribute.parse_nested_meta(|meta| {
        let span = meta.path.span();
        let Some((name, field)) = HINTS.iter().find(|(name, _)| meta.path.is_ident(name)) else {
            return Err(Error::new(
                span,
                "the hints of a tool are `read_only`, `destructive`, `idempotent` and `open_world`, or one of them with `= false`; its \
                 name is that of the method, its description is the doc comment of the method",
            ));
        };
        let refused = |span| Error::new(span, format!("write `{name}` or `{name} = false`"));
        let is_so = if meta.input.peek(Token![=]) {
            let value = meta.value()?;
            let start = value.span();
            value.parse::<syn::LitBool>().map_err(|_| refused(start))?.value
        } else if meta.input.peek(Paren) {
            return Err(refused(span));
        } else {
            true
        };
        if hints.iter().any(|(earlier, ..)| earlier == name) {
            return Err(mistakes::repeated(span, name));
        }
        hints.push((name, field, is_so));
        // MCP 2025-11-25, ToolAnnotations: `destructiveHint` is meaningful only if `readOnlyHint` is false
        if ["read_only", "destructive"].iter().all(|name| hints.iter().any(|(own, _, is_so)| own == name && *is_so)) {
            let message = "a tool that only reads destroys nothing: remove `read_only` or `destructive`";
            return Err(Error::new(span, message));
        }
        Ok(())
    })?;
    Ok(hints.into_iter().map(|(_, field, is_so)| (format_ident!("{field}"), is_so)).collect())
}
