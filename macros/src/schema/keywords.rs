//! The keywords of an attribute as constants that values are compared with.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::{Error, Result};

use super::attributes::{Attributes, Keyword};
use super::subset::Pattern;

/// The formats that are checked, and their variants of `Format`.
const FORMATS: [(&str, &str); 3] = [("ipv4", "Ipv4"), ("ipv6", "Ipv6"), ("uuid", "Uuid")];

/// Whether the keyword limits values.
pub(super) fn is_checked(keyword: &Keyword) -> bool {
    !matches!(keyword.name, "title" | "description")
}

/// The type `__Own` with the keywords; `None` if none of them is checked.
pub(super) fn limits(attributes: &Attributes) -> Result<Option<TokenStream>> {
    let mut constants = Vec::new();
    for keyword in &attributes.keywords {
        constants.extend(constant(keyword)?);
    }
    Ok((!constants.is_empty()).then(|| {
        quote! {
            struct __Own;
            impl __json_schema::Limits for __Own {
                #(#constants)*
            }
        }
    }))
}

/// The constant of `Limits` for a keyword.
fn constant(keyword: &Keyword) -> Result<Option<TokenStream>> {
    let some = |name: &str, kind: TokenStream, value: TokenStream| {
        let name = format_ident!("{name}");
        Ok(Some(
            quote!(const #name: ::core::option::Option<__json_schema::#kind> = ::core::option::Option::Some(#value);),
        ))
    };
    let text = keyword.number.as_ref().or(keyword.text.as_ref()).map_or("", String::as_str);
    let rule = format!("{} {text}", keyword.name);
    let constant = match keyword.name {
        "minimum" => "MINIMUM",
        "maximum" => "MAXIMUM",
        "exclusiveMinimum" => "EXCLUSIVE_MINIMUM",
        "exclusiveMaximum" => "EXCLUSIVE_MAXIMUM",
        "multipleOf" => "MULTIPLE_OF",
        "minLength" => "MIN_LENGTH",
        "maxLength" => "MAX_LENGTH",
        "minItems" => "MIN_ITEMS",
        "maxItems" => "MAX_ITEMS",
        "pattern" => {
            let refused = |beyond| {
                let message = format!(
                    "a `pattern` is checked, as a sequence of characters and classes with counts: `^[a-z][a-z0-9]{{0,7}}$`. It has \
                     {beyond}. To check the value in the program, write the schema of the field with `#[schema(value = r#\"…\"#)]`"
                );
                Error::new(keyword.value_span, message)
            };
            let pattern = Pattern::read(text).map_err(refused)?;
            return some("PATTERN", quote!(Pattern), pattern.constant(&rule));
        }
        "format" => {
            let Some((_, variant)) = FORMATS.iter().find(|(name, _)| *name == text) else { return Ok(None) };
            let variant = format_ident!("{variant}");
            return some("FORMAT", quote!(Format), quote!(__json_schema::Format::#variant));
        }
        _ => return Ok(None),
    };
    if constant.ends_with("LENGTH") || constant.ends_with("ITEMS") {
        // a longer value fits no memory
        let count = text.parse::<u64>().unwrap_or(u64::MAX);
        let count = quote!(if #count > ::core::primitive::usize::MAX as ::core::primitive::u64 {
            ::core::primitive::usize::MAX
        } else {
            #count as ::core::primitive::usize
        });
        return some(constant, quote!(Length), quote!(__json_schema::Length { rule: &#rule, count: #count }));
    }
    let (wide, short) = (float(text, "f64"), float(text, "f32"));
    some(
        constant,
        quote!(Limit),
        quote!(__json_schema::Limit { rule: &#rule, text: #text, wide: #wide, short: #short }),
    )
}

/// The nearest float of this type, which may be infinite.
fn float(text: &str, kind: &str) -> TokenStream {
    let (sign, digits) = text.strip_prefix('-').map_or((None, text), |digits| (Some(quote!(-)), digits));
    let (name, literal) = match kind {
        "f32" => (quote!(f32), digits.parse().ok().filter(|float: &f32| float.is_finite()).map(Literal::f32_suffixed)),
        _ => (quote!(f64), digits.parse().ok().filter(|float: &f64| float.is_finite()).map(Literal::f64_suffixed)),
    };
    match literal {
        Some(literal) => quote!(#sign #literal),
        None => quote!(#sign ::core::primitive::#name::INFINITY),
    }
}

/// The keywords of a type, a variant or a field can be checked. Without this, a pattern in a type without fields would stay unread.
pub(super) fn check(attributes: &Attributes) -> Result<()> {
    if attributes.value.is_none() {
        limits(attributes)?;
    }
    Ok(())
}
