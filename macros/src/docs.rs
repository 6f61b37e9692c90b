//! Doc comments as descriptions.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::{Attribute, Expr, Lit, Meta};

/// The text of the doc comments among `attributes` as a constant expression: the first paragraph, its lines joined by spaces. `None` if
/// there is no text. If a doc comment is `#[doc = concat!(…)]` or `include_str!`, the compiler evaluates it, and the paragraph keeps its
/// line feeds. The expression needs the import `__json_schema`.
pub(crate) fn description(attributes: &[Attribute]) -> Option<TokenStream> {
    let mut lines: Vec<String> = Vec::new();
    let mut docs = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => Some(&doc.value),
        _ => None,
    });
    while let Some(value) = docs.next() {
        let Some(text) = literal(value) else {
            let parts = [value].into_iter().chain(docs).map(|value| quote!(#value, "\n"));
            return Some(quote!(__json_schema::Node::paragraph(::core::concat!(#(#lines, "\n",)* #(#parts),*))));
        };
        for line in block(&text) {
            match (line.trim(), lines.is_empty()) {
                ("", true) => {}
                ("", false) => return Some(lines.join(" ").to_token_stream()),
                (line, _) => lines.push(line.to_owned()),
            }
        }
    }
    (!lines.is_empty()).then(|| lines.join(" ").to_token_stream())
}

fn literal(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

/// The lines of a doc comment, without the `*` before each line but the first of a block comment.
fn block(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().map(str::trim).collect();
    // the line of the closing `*/` is empty
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    if let Some((first, rest)) = lines.split_first_mut() {
        // a list in Markdown begins with `*` in its first line, too
        if !first.starts_with('*') && rest.iter().all(|line| line.starts_with('*')) {
            for line in rest {
                *line = line.strip_prefix('*').unwrap_or(line);
            }
        }
    }
    // an empty doc comment is an empty line
    if lines.is_empty() { vec![""] } else { lines }
}
