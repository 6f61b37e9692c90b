//! The schemas of objects with named fields.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned as _;
use syn::{Error, Field, Fields, Result};

use super::attributes::Attributes;
use super::rename::Case;
use super::{constant, described, is_member_required, value};
use crate::service::plain;

/// The schema of an object with `fields`, and with a member for the `tag` of a variant.
pub(super) fn object(
    fields: &Fields,
    container: &Attributes,
    case: Option<Case>,
    tag: Option<(&str, &str)>,
) -> Result<TokenStream> {
    let (mut members, mut flattened) = (Vec::new(), Vec::new());
    if let Some((tag, name)) = tag {
        members.push(Member { name: tag.to_owned(), schema: constant(name), is_required: quote!(true) });
    }
    for field in fields {
        let attributes = Attributes::read(&field.attrs)?;
        if attributes.is_skipped {
            if container.denies_unknown && !attributes.is_left_out {
                let message =
                    "serde writes this member, but refuses to read it because of `deny_unknown_fields`: use `skip`";
                return Err(Error::new(field.span(), message));
            }
            continue;
        }
        let schema = described(&value(&field.ty, &attributes), &attributes, &field.attrs);
        if attributes.is_flattened && container.denies_unknown {
            return Err(Error::new(field.span(), "serde does not support `flatten` with `deny_unknown_fields`"));
        }
        if attributes.is_flattened {
            flattened.push(schema);
            continue;
        }
        let name = member_name(field, &attributes, case);
        if members.iter().any(|earlier| earlier.name == name) {
            return Err(Error::new(field.span(), format!("two members of the object have the name `{name}`")));
        }
        let is_required = if attributes.has_default || container.has_default {
            quote!(false)
        } else {
            is_member_required(&field.ty, &attributes)
        };
        members.push(Member { name, schema, is_required });
    }
    let all_of = (!flattened.is_empty())
        .then(|| quote!(("allOf", __json_schema::Node::Array { elements: &[#(#flattened),*] }),));
    Ok(with_members(&members, all_of.as_ref(), container.denies_unknown))
}

/// The name of a field in the text.
pub(super) fn member_name(field: &Field, attributes: &Attributes, case: Option<Case>) -> String {
    let ident = field.ident.as_ref().map(plain).unwrap_or_default();
    attributes.rename.clone().unwrap_or_else(|| case.map_or(ident.clone(), |case| case.field(&ident)))
}

/// A member of an object.
pub(super) struct Member {
    pub(super) name: String,
    pub(super) schema: TokenStream,
    pub(super) is_required: TokenStream,
}

impl Member {
    pub(super) fn required(name: &str, schema: TokenStream) -> Self {
        Self { name: name.to_owned(), schema, is_required: quote!(true) }
    }
}

/// The schema of an object with `members`; `is_closed` refuses any others.
pub(super) fn with_members(members: &[Member], more: Option<&TokenStream>, is_closed: bool) -> TokenStream {
    let properties = members.iter().map(|Member { name, schema, .. }| quote!((#name, #schema)));
    let required = members.iter().map(|Member { name, is_required, .. }| quote!((#name, #is_required)));
    let closed = is_closed.then(|| quote!(("additionalProperties", __json_schema::Node::Json { text: "false" }),));
    quote! {
        __json_schema::Node::Object {
            members: &[
                ("type", __json_schema::Node::Json { text: "\"object\"" }),
                ("properties", __json_schema::Node::Object { members: &[#(#properties),*] }),
                ("required", __json_schema::Node::Names { names: &[#(#required),*] }),
                #more
                #closed
            ],
        }
    }
}
