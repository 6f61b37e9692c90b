//! Doc comments as descriptions.

use syn::{Attribute, Expr, Lit, Meta};

/// The text of the doc comments among `attributes`: the first paragraph, its lines joined by spaces.
pub(crate) fn description(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes {
        let Meta::NameValue(doc) = &attribute.meta else { continue };
        let Expr::Lit(literal) = &doc.value else { continue };
        let Lit::Str(line) = &literal.lit else { continue };
        if !doc.path.is_ident("doc") {
            continue;
        }
        let line = line.value();
        let line = line.trim();
        if line.is_empty() && !text.is_empty() {
            break;
        }
        if !line.is_empty() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(line);
        }
    }
    text
}
