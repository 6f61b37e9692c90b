//! Assertions about the types of fields. The compiler evaluates them, because the macro knows only the names of the types.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned as _;
use syn::{Data, Error, Field, Fields, Result};

use super::attributes::{Attributes, Keyword};
use super::holds::lacks_limits;
use super::maps::is_hashed;
use super::{constant_of, has_shape, is_member_required};
use crate::service::slice_of_bytes;

const LEFT_OUT: &str = "serde omits this member when it writes, but requires it when it reads: add `#[serde(default)]`";

const BYTES: &str = "serde writes `&[u8]` as an array and reads it from a string: take `heapless::Vec<u8, N>`, or `&str` with base64; or \
                     write the schema of the field with `#[schema(value = r#\"…\"#)]`";

/// The assertions about all fields of a type.
pub(super) fn checks(data: &Data, container: &Attributes) -> Result<Vec<TokenStream>> {
    let mut checks = Vec::new();
    match data {
        Data::Struct(data) => fields(&data.fields, container, None, &mut checks)?,
        Data::Enum(data) => {
            let is_tagged_within = container.tag.is_some() && container.content.is_none();
            for variant in &data.variants {
                let attributes = Attributes::read(&variant.attrs)?;
                if attributes.value.is_none() && !attributes.is_skipped {
                    let is_joined = is_tagged_within && matches!(variant.fields, Fields::Unnamed(_));
                    let tag = container.tag.as_deref().filter(|_| is_joined);
                    fields(&variant.fields, container, tag, &mut checks)?;
                }
            }
        }
        Data::Union(_) => {}
    }
    Ok(checks)
}

/// `tag`: the name of the tag, a member of the same object as the members of the field.
fn fields(fields: &Fields, container: &Attributes, tag: Option<&str>, checks: &mut Vec<TokenStream>) -> Result<()> {
    for field in fields {
        let attributes = Attributes::read(&field.attrs)?;
        if attributes.is_skipped {
            continue;
        }
        let has_default = attributes.has_default || container.has_default;
        if let Some(given) = &attributes.value {
            checks.extend(narrowed(&given.node, &attributes));
            if attributes.is_left_out && !has_default {
                checks.push(may_be_absent(field, &is_member_required(&field.ty, &attributes)));
            }
            continue;
        }
        if let Some(span) = slice_of_bytes(&field.ty) {
            return Err(Error::new(span, BYTES));
        }
        checks.push(is_not_bytes(field));
        if is_hashed(&field.ty) {
            checks.push(lacks_limits(&field.ty));
        }
        if attributes.is_flattened || tag.is_some() {
            checks.push(allows_more(field));
        }
        checks.extend(tag.map(|tag| lacks_tag(field, tag)));
        if attributes.is_left_out && !has_default && !attributes.is_flattened {
            checks.push(may_be_absent(field, &constant_of(&field.ty, "IS_REQUIRED")));
        }
        checks.extend(narrowed(&constant_of(&field.ty, "SCHEMA"), &attributes));
    }
    Ok(())
}

/// Asserts that the schema of the field allows the members of the surrounding object.
fn allows_more(field: &Field) -> TokenStream {
    let schema = constant_of(&field.ty, "SCHEMA");
    quote_spanned! {field.ty.span()=>
        ::core::assert!(
            __json_schema::Node::allows_more(&#schema),
            "a flattened type is a struct or a tagged enum without `deny_unknown_fields`, because other members stand beside its own; \
             or write the schema of the field with `#[schema(value = r#\"…\"#)]`"
        );
    }
}

/// Asserts that the type of the field has no member with the name of the tag, which serde would write twice and never read.
fn lacks_tag(field: &Field, tag: &str) -> TokenStream {
    let schema = constant_of(&field.ty, "SCHEMA");
    let advice = format!("a member of this type has the name of the tag, `{tag}`: rename one of the two");
    quote_spanned! {field.ty.span()=>
        ::core::assert!(!__json_schema::Node::has_property(&#schema, #tag), #advice);
    }
}

/// Asserts that serde reads the text that it writes without the field.
fn may_be_absent(field: &Field, is_required: &TokenStream) -> TokenStream {
    quote_spanned!(field.ty.span()=> ::core::assert!(!#is_required, #LEFT_OUT);)
}

/// Asserts that the type of the field is no alias of `&[u8]`.
fn is_not_bytes(field: &Field) -> TokenStream {
    let is_bytes = has_shape(&field.ty, "IS_SLICE_OF_BYTES");
    quote_spanned!(field.ty.span()=> ::core::assert!(!#is_bytes, #BYTES);)
}

/// Assertions about the keywords of a field, a variant or a type with the schema `node`, a constant. Each keyword limits its values; no
/// limit is wider than that of the schema or refuses all values; no keyword replaces a keyword of the schema.
pub(super) fn narrowed(node: &TokenStream, attributes: &Attributes) -> Vec<TokenStream> {
    let mut checks = limiting(node, attributes);
    for keyword in &attributes.keywords {
        let (name, value) = (keyword.name, &keyword.node);
        if let Some(advice) = replacing(keyword) {
            checks.push(quote_spanned! {keyword.span=>
                ::core::assert!(__json_schema::Node::is_replaced_by(&#node, #name, &#value), #advice);
            });
        }
        let (name, Some(number)) = (keyword.name, &keyword.number) else { continue };
        checks.push(quote_spanned! {keyword.span=>
            ::core::assert!(
                __json_schema::Node::is_narrowed_by(&#node, #name, #number),
                "this limit is wider than the range of the type"
            );
            ::core::assert!(
                __json_schema::Node::is_satisfiable_with(&#node, #name, #number),
                "no value of the type satisfies this limit"
            );
        });
    }
    checks
}

/// The message for a keyword that would replace the keyword of the type. `None` for a keyword that may replace it, and for a limit, which
/// is compared.
fn replacing(keyword: &Keyword) -> Option<String> {
    let name = keyword.attribute;
    match keyword.name {
        "multipleOf" => Some(format!("`{name}` replaces the `{name}` of the type: write a multiple of it")),
        "pattern" | "format" => Some(format!(
            "`{name}` would replace the `{name}` of the type: remove one of the two, or write the schema of the field with \
             `#[schema(value = r#\"…\"#)]`"
        )),
        _ => None,
    }
}

/// Asserts that the keywords limit the values of `node`.
fn limiting(node: &TokenStream, attributes: &Attributes) -> Vec<TokenStream> {
    let check = |keyword: &Keyword| {
        let (name, advice) = (keyword.name, advice(keyword)?);
        Some(quote_spanned! {keyword.span=>
            ::core::assert!(__json_schema::Node::is_affected_by(&#node, #name), #advice);
        })
    };
    attributes.keywords.iter().filter_map(check).collect()
}

/// The message for a keyword that limits the values of another type. `None` for a keyword that applies to all types.
fn advice(keyword: &Keyword) -> Option<String> {
    let (own, others) = match keyword.name {
        "minimum" | "exclusiveMinimum" => {
            ("numbers, but no value of this type is a number", "`min_length` limits a string, `min_items` an array")
        }
        "maximum" | "exclusiveMaximum" => {
            ("numbers, but no value of this type is a number", "`max_length` limits a string, `max_items` an array")
        }
        "multipleOf" => ("numbers, but no value of this type is a number", "remove it"),
        "minLength" => {
            ("strings, but no value of this type is a string", "`minimum` limits a number, `min_items` an array")
        }
        "maxLength" => {
            ("strings, but no value of this type is a string", "`maximum` limits a number, `max_items` an array")
        }
        "pattern" => ("strings, but no value of this type is a string", "remove it"),
        "minItems" => {
            ("arrays, but no value of this type is an array", "`minimum` limits a number, `min_length` a string")
        }
        "uniqueItems" => ("arrays, but no value of this type is an array", "remove it"),
        "maxItems" => {
            ("arrays, but no value of this type is an array", "`maximum` limits a number, `max_length` a string")
        }
        _ => return None,
    };
    Some(format!("`{}` limits {own}: {others}", keyword.attribute))
}
