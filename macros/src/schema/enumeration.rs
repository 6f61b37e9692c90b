//! The schemas of enums: a choice for each variant.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned as _;
use syn::{Error, Fields, Result, Variant};

use super::attributes::Attributes;
use super::checks::narrowed;
use super::object::{Member, object, with_members};
use super::{Described, constant, described, is_required, unnamed};
use crate::docs::description;
use crate::service::plain;

/// The schema of an enum.
pub(super) fn enumeration<'v>(
    variants: impl Iterator<Item = &'v Variant>,
    container: &Attributes,
    span: Span,
) -> Result<Described> {
    let (mut choices, mut checks) = (Vec::new(), Vec::new());
    let mut names = Vec::new();
    // whether each variant is a string, and whether none has keywords of its own
    let (mut is_string, mut is_plain) = (!container.is_untagged && container.tag.is_none(), true);
    for variant in variants {
        let attributes = Attributes::read(&variant.attrs)?;
        if attributes.is_skipped {
            if !attributes.is_left_out {
                let message = "serde writes this variant but does not read it: use `skip`";
                return Err(Error::new(variant.span(), message));
            }
            continue;
        }
        if attributes.is_untagged {
            return Err(Error::new(
                variant.span(),
                "a schema cannot describe `untagged` of a single variant: put such variants into a separate enum",
            ));
        }
        let name = variant_name(variant, &attributes, container);
        if names.contains(&name) && !container.is_untagged {
            return Err(Error::new(variant.span(), format!("two variants have the name `{name}`")));
        }
        is_string &= matches!(variant.fields, Fields::Unit) && attributes.value.is_none();
        is_plain &= description(&variant.attrs).is_none() && attributes.keywords.is_empty();
        let schema = match &attributes.value {
            Some(given) => given.node.clone(),
            None => choice(variant, &attributes, container, &name)?,
        };
        checks.extend(narrowed(&schema, &attributes));
        names.push(name);
        choices.push(described(&schema, &attributes, &variant.attrs));
    }
    // an array of choices is not empty (JSON Schema 2020-12 §10.2.1)
    if choices.is_empty() {
        return Err(Error::new(
            span,
            "serde reads no value of an enum without variants: add a variant, or add a schema to the type: `#[schema(value = \"false\")]`",
        ));
    }
    let kind = |name: &str| quote!(("type", __json_schema::Node::Json { text: #name }),);
    if is_string && is_plain {
        let names = names.iter().map(|name| quote!(__json_schema::Node::Text { text: #name }));
        let list = quote!(__json_schema::Node::Array { elements: &[#(#names),*] });
        let kind = kind("\"string\"");
        let node = quote!(__json_schema::Node::Object { members: &[#kind ("enum", #list)] });
        return Ok(Described::new(node, quote!(false)));
    }
    let keyword = if container.is_untagged { "anyOf" } else { "oneOf" };
    let list = quote!(__json_schema::Node::Array { elements: &[#(#choices),*] });
    let is_object = container.tag.is_some();
    let kind = is_object.then(|| kind("\"object\"")).or_else(|| is_string.then(|| kind("\"string\"")));
    let node = quote!(__json_schema::Node::Object { members: &[#kind (#keyword, #list)] });
    Ok(Described { checks, ..Described::new(node, is_object) })
}

/// The name of a variant in the text.
pub(super) fn variant_name(variant: &Variant, attributes: &Attributes, container: &Attributes) -> String {
    let ident = plain(&variant.ident);
    let name = attributes.rename.clone();
    name.unwrap_or_else(|| container.rename_all.map_or(ident.clone(), |case| case.variant(&ident)))
}

/// The schema of one variant called `name`.
fn choice(variant: &Variant, attributes: &Attributes, container: &Attributes, name: &str) -> Result<TokenStream> {
    let case = attributes.rename_all.or(container.rename_all_fields);
    let fields = &variant.fields;
    // `deny_unknown_fields` of the enum also applies to the fields of its variants
    let content = match fields {
        Fields::Named(_) => object(fields, container, case, None)?,
        _ => unnamed(fields, false)?,
    };
    let is_unit = matches!(fields, Fields::Unit);
    Ok(match (&container.tag, &container.content) {
        _ if container.is_untagged => content,
        (Some(tag), Some(key)) => {
            let is_required = match fields {
                // a variant without data may lack its content
                Fields::Unit => quote!(false),
                // and so may a variant with an `Option`, which is then `None`
                Fields::Unnamed(list) if list.unnamed.len() == 1 => match list.unnamed.first() {
                    Some(field) => is_required(&field.ty, &Attributes::read(&field.attrs)?),
                    None => quote!(true),
                },
                _ => quote!(true),
            };
            let content = Member { name: key.clone(), schema: content, is_required };
            with_members(&[Member::required(tag, constant(name)), content], None, container.denies_unknown)
        }
        (Some(tag), None) => match fields {
            Fields::Named(_) => object(fields, container, case, Some((tag, name)))?,
            Fields::Unit => with_members(&[Member::required(tag, constant(name))], None, false),
            Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 => {
                let tagged = with_members(&[Member::required(tag, constant(name))], None, false);
                let all = quote!(__json_schema::Node::Array { elements: &[#content] });
                quote!(__json_schema::Node::Over { members: &[("allOf", #all)], under: &#tagged })
            }
            Fields::Unnamed(_) => return Err(Error::new(variant.span(), "a tuple variant with `tag` needs `content`")),
        },
        (None, Some(_)) => return Err(Error::new(variant.span(), "`content` needs `tag`")),
        (None, None) if is_unit => constant(name),
        (None, None) => {
            let wrapped = with_members(&[Member::required(name, content)], None, false);
            let closed = quote!(("additionalProperties", __json_schema::Node::Json { text: "false" }));
            quote!(__json_schema::Node::Over { members: &[#closed], under: &#wrapped })
        }
    })
}
