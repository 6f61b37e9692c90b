//! `#[derive(Schema)]`: the JSON Schema of the texts that serde reads into a type.

mod attributes;
mod joined;
mod rename;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Result, Type, Variant, parse_quote};

use attributes::Attributes;
use rename::Case;

use crate::docs::description;
use crate::service::plain;

/// Expands the derive macro.
pub(crate) fn expand(item: TokenStream) -> Result<TokenStream> {
    let mut item: DeriveInput = syn::parse2(item)?;
    let container = Attributes::read(&item.attrs)?;
    let (node, is_object) = match &item.data {
        Data::Struct(data) => structure(&data.fields, &container, item.ident.span())?,
        Data::Enum(data) => enumeration(data.variants.iter(), &container)?,
        Data::Union(data) => return Err(Error::new(data.union_token.span(), "serde reads no unions")),
    };
    let node = described(&node, &container, &item.attrs);
    let node = container.value.as_ref().map_or(node, |text| quote!(json_schema::Node::Json { text: #text }));
    let checks = joined::checks(&item.data, &container)?;
    let types: Vec<_> = item.generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    let clause = item.generics.make_where_clause();
    for parameter in types {
        clause.predicates.push(parse_quote!(#parameter: json_schema::JsonSchema));
    }
    // an associated constant is evaluated where it is used: here, so that a refused field is reported without a use
    let name = &item.ident;
    let evaluated = (!checks.is_empty() && item.generics.params.is_empty())
        .then(|| quote!(const _: json_schema::Node = <#name as json_schema::JsonSchema>::SCHEMA;));
    let (parameters, arguments, clause) = item.generics.split_for_impl();
    Ok(quote! {
        const _: () = {
            use ::nanojsonrpc::json_schema;

            impl #parameters json_schema::JsonSchema for #name #arguments #clause {
                const SCHEMA: json_schema::Node = {
                    #(#checks)*
                    #node
                };
                const IS_OBJECT: bool = #is_object;
            }

            #evaluated
        };
    })
}

/// The schema of a param, without its description.
pub(crate) fn of_param(named: &Type, attributes: &[Attribute]) -> Result<TokenStream> {
    let attributes = Attributes { is_undescribed: true, ..Attributes::read(attributes)? };
    Ok(described(&value(named, &attributes), &attributes, &[]))
}

/// `node` with the description and the keywords of its type or field.
fn described(node: &TokenStream, attributes: &Attributes, docs: &[Attribute]) -> TokenStream {
    let text = description(docs);
    let description = (!text.is_empty() && !attributes.is_undescribed && !attributes.has("description"))
        .then(|| quote!(("description", json_schema::Node::Text { text: #text }),));
    let keywords = attributes.keywords.iter().map(|(keyword, value)| quote!((#keyword, #value),));
    if description.is_none() && attributes.keywords.is_empty() {
        return node.clone();
    }
    quote!(json_schema::Node::Over { members: &[#description #(#keywords)*], under: &#node })
}

/// The schema of a struct, and whether it is an object.
fn structure(fields: &Fields, container: &Attributes, span: Span) -> Result<(TokenStream, TokenStream)> {
    if container.is_transparent {
        let attributes = fields.iter().map(|field| Attributes::read(&field.attrs)).collect::<Result<Vec<_>>>()?;
        let mut kept = fields.iter().zip(&attributes).filter(|(_, attributes)| !attributes.is_skipped);
        let Some((field, attributes)) = kept.next() else {
            return Err(Error::new(span, "transparent without a field"));
        };
        let named = &field.ty;
        return Ok((value(named, attributes), quote!(<#named as json_schema::JsonSchema>::IS_OBJECT)));
    }
    match fields {
        Fields::Named(_) => Ok((object(fields, container, container.rename_all, None)?, quote!(true))),
        Fields::Unnamed(unnamed_fields) if unnamed_fields.unnamed.len() == 1 => {
            let named = unnamed_fields.unnamed.first().map(|field| &field.ty);
            Ok((unnamed(fields)?, quote!(<#named as json_schema::JsonSchema>::IS_OBJECT)))
        }
        _ => Ok((unnamed(fields)?, quote!(false))),
    }
}

/// The schema of the fields without names: of one alone its own.
fn unnamed(fields: &Fields) -> Result<TokenStream> {
    let mut values = Vec::new();
    for field in fields {
        let attributes = Attributes::read(&field.attrs)?;
        if attributes.is_skipped || attributes.has_default {
            return Err(Error::new(
                field.span(),
                "a field without a name that serde skips: the schema of an array has no gaps",
            ));
        }
        values.push(described(&value(&field.ty, &attributes), &attributes, &field.attrs));
    }
    Ok(match values.as_slice() {
        [] => quote!(<() as json_schema::JsonSchema>::SCHEMA),
        [value] => value.clone(),
        _ => {
            let count = values.len();
            quote! {
                json_schema::Node::Object {
                    members: &[
                        ("type", json_schema::Node::Json { text: "\"array\"" }),
                        ("prefixItems", json_schema::Node::Array { elements: &[#(#values),*] }),
                        ("minItems", json_schema::Node::Number { number: #count }),
                        ("maxItems", json_schema::Node::Number { number: #count }),
                    ],
                }
            }
        }
    })
}

/// The schema of a value of the type `named`.
fn value(named: &Type, attributes: &Attributes) -> TokenStream {
    match &attributes.value {
        Some(text) => quote!(json_schema::Node::Json { text: #text }),
        None => quote!(<#named as json_schema::JsonSchema>::SCHEMA),
    }
}

/// The schema of an object with `fields`, and with a member for the `tag` of a variant.
fn object(
    fields: &Fields,
    container: &Attributes,
    case: Option<Case>,
    tag: Option<(&str, &str)>,
) -> Result<TokenStream> {
    let (mut properties, mut required, mut flattened) = (Vec::new(), Vec::new(), Vec::new());
    if let Some((tag, name)) = tag {
        let tagged = constant(name);
        properties.push(quote!((#tag, #tagged)));
        required.push(quote!((#tag, true)));
    }
    for field in fields {
        let attributes = Attributes::read(&field.attrs)?;
        if attributes.is_skipped {
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
        let ident = field.ident.as_ref().map(plain).unwrap_or_default();
        let name = attributes.rename.clone().unwrap_or_else(|| case.map_or(ident.clone(), |case| case.field(&ident)));
        let named = &field.ty;
        let is_required = if attributes.has_default || container.has_default {
            quote!(false)
        } else if attributes.value.is_some() {
            let is_required = !crate::service::is_option(named);
            quote!(#is_required)
        } else {
            quote!(<#named as json_schema::JsonSchema>::IS_REQUIRED)
        };
        properties.push(quote!((#name, #schema)));
        required.push(quote!((#name, #is_required)));
    }
    let all_of =
        (!flattened.is_empty()).then(|| quote!(("allOf", json_schema::Node::Array { elements: &[#(#flattened),*] }),));
    let closed =
        container.denies_unknown.then(|| quote!(("additionalProperties", json_schema::Node::Json { text: "false" }),));
    Ok(quote! {
        json_schema::Node::Object {
            members: &[
                ("type", json_schema::Node::Json { text: "\"object\"" }),
                ("properties", json_schema::Node::Object { members: &[#(#properties),*] }),
                ("required", json_schema::Node::Names { names: &[#(#required),*] }),
                #all_of
                #closed
            ],
        }
    })
}

fn constant(text: &str) -> TokenStream {
    quote!(json_schema::Node::Object { members: &[("const", json_schema::Node::Text { text: #text })] })
}

/// An object with exactly the given members.
fn exactly(members: &[(String, TokenStream)]) -> TokenStream {
    let properties = members.iter().map(|(name, schema)| quote!((#name, #schema)));
    let required = members.iter().map(|(name, _)| quote!((#name, true)));
    quote! {
        json_schema::Node::Object {
            members: &[
                ("type", json_schema::Node::Json { text: "\"object\"" }),
                ("properties", json_schema::Node::Object { members: &[#(#properties),*] }),
                ("required", json_schema::Node::Names { names: &[#(#required),*] }),
            ],
        }
    }
}

/// The schema of an enum, and whether it is an object.
fn enumeration<'v>(
    variants: impl Iterator<Item = &'v Variant>,
    container: &Attributes,
) -> Result<(TokenStream, TokenStream)> {
    let mut choices = Vec::new();
    let (mut names, mut has_data, mut has_docs) = (Vec::new(), false, false);
    for variant in variants {
        let attributes = Attributes::read(&variant.attrs)?;
        if attributes.is_skipped {
            continue;
        }
        if attributes.is_untagged {
            return Err(Error::new(
                variant.span(),
                "`untagged` of single variants: put them into an enum of their own",
            ));
        }
        let ident = plain(&variant.ident);
        let name = attributes
            .rename
            .clone()
            .unwrap_or_else(|| container.rename_all.map_or(ident.clone(), |case| case.variant(&ident)));
        let is_unit = matches!(variant.fields, Fields::Unit);
        has_data |= !is_unit;
        has_docs |= !description(&variant.attrs).is_empty() || !attributes.keywords.is_empty();
        let schema = choice(variant, &attributes, container, &name)?;
        names.push(name);
        choices.push(described(&schema, &attributes, &variant.attrs));
    }
    let is_plain = !has_data && !container.is_untagged && container.tag.is_none();
    if is_plain && !has_docs {
        let names = names.iter().map(|name| quote!(json_schema::Node::Text { text: #name }));
        let list = quote!(json_schema::Node::Array { elements: &[#(#names),*] });
        return Ok((quote!(json_schema::Node::Object { members: &[("enum", #list)] }), quote!(false)));
    }
    let keyword = if container.is_untagged { "anyOf" } else { "oneOf" };
    let list = quote!(json_schema::Node::Array { elements: &[#(#choices),*] });
    let is_object = container.tag.is_some();
    let kind = is_object.then(|| quote!(("type", json_schema::Node::Json { text: "\"object\"" }),));
    Ok((quote!(json_schema::Node::Object { members: &[#kind (#keyword, #list)] }), quote!(#is_object)))
}

/// The schema of one variant called `name`.
fn choice(variant: &Variant, attributes: &Attributes, container: &Attributes, name: &str) -> Result<TokenStream> {
    let case = attributes.rename_all.or(container.rename_all_fields);
    let fields = &variant.fields;
    // `deny_unknown_fields` and `default` of the enum hold for the fields of its variants
    let content = match fields {
        Fields::Named(_) => object(fields, container, case, None)?,
        _ => unnamed(fields)?,
    };
    let is_unit = matches!(fields, Fields::Unit);
    Ok(match (&container.tag, &container.content) {
        _ if container.is_untagged => content,
        // serde takes `null` as the content of a variant without any
        (Some(tag), Some(key)) if is_unit => {
            let tagged = constant(name);
            quote! {
                json_schema::Node::Object {
                    members: &[
                        ("type", json_schema::Node::Json { text: "\"object\"" }),
                        (
                            "properties",
                            json_schema::Node::Object {
                                members: &[(#tag, #tagged), (#key, <() as json_schema::JsonSchema>::SCHEMA)],
                            },
                        ),
                        ("required", json_schema::Node::Names { names: &[(#tag, true)] }),
                    ],
                }
            }
        }
        (Some(tag), Some(key)) => exactly(&[(tag.clone(), constant(name)), (key.clone(), content)]),
        (Some(tag), None) => match fields {
            Fields::Named(_) => object(fields, container, case, Some((tag, name)))?,
            Fields::Unit => exactly(&[(tag.clone(), constant(name))]),
            Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 => {
                let tagged = exactly(&[(tag.clone(), constant(name))]);
                let all = quote!(json_schema::Node::Array { elements: &[#content] });
                quote!(json_schema::Node::Over { members: &[("allOf", #all)], under: &#tagged })
            }
            Fields::Unnamed(_) => return Err(Error::new(variant.span(), "serde has no tuples with a `tag`")),
        },
        (None, Some(_)) => return Err(Error::new(variant.span(), "`content` without `tag`")),
        (None, None) if is_unit => constant(name),
        (None, None) => {
            let wrapped = exactly(&[(name.to_owned(), content)]);
            let closed = quote!(("additionalProperties", json_schema::Node::Json { text: "false" }));
            quote!(json_schema::Node::Over { members: &[#closed], under: &#wrapped })
        }
    })
}
