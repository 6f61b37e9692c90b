//! The arguments of `#[tool(…)]`.

use proc_macro2::Span;
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

/// The arguments of `#[tool(text, read_only, destructive = false, idempotent, open_world)]`.
#[derive(Default)]
pub(crate) struct Arguments {
    /// The position of `text`: the tool answers with a text, without structured content.
    pub(crate) text: Option<Span>,
    /// The fields of `ToolAnnotations` and their values.
    pub(crate) hints: Vec<(Ident, bool)>,
}

/// Reads the arguments.
pub(crate) fn read(attribute: &Attribute) -> Result<Arguments> {
    if let Meta::Path(path) = &attribute.meta {
        let message = "each method is a tool already: write hints, as in `#[tool(read_only)]`, or remove the attribute";
        return Err(Error::new(path.span(), message));
    }
    let mut text = None;
    let mut hints: Vec<(&str, &str, bool)> = Vec::new();
    attribute.parse_nested_meta(|meta| {
        let span = meta.path.span();
        if meta.path.is_ident("text") {
            return mistakes::once(&mut text, span, span, "text");
        }
        let Some((name, field)) = HINTS.iter().find(|(name, _)| meta.path.is_ident(name)) else {
            return Err(Error::new(
                span,
                "the hints of a tool are `read_only`, `destructive`, `idempotent` and `open_world`, or one of them with `= false`; \
                 `text` makes its result a text; its name is that of the method, its description is the doc comment of the method",
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
    let hints = hints.into_iter().map(|(_, field, is_so)| (format_ident!("{field}"), is_so)).collect();
    Ok(Arguments { text, hints })
}
