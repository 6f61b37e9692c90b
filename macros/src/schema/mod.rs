//! `#[derive(Schema)]`: derives the JSON Schema of the texts that serde reads into a type.

mod attributes;
mod bounds;
mod checks;
mod enumeration;
mod holds;
mod json;
mod keywords;
mod limits;
mod maps;
mod object;
mod pattern;
pub(crate) mod rename;
mod subset;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote};
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Error, Field, Fields, GenericParam, Generics, Result, Type, parse_quote};

use attributes::Attributes;
use holds::Holds;
pub(crate) use holds::lacks_limits;
pub(crate) use maps::is_hashed;

use crate::docs::description;
use crate::root;
use crate::shape::bare;

/// The three constants of `JsonSchema` for a type.
struct Described {
    node: TokenStream,
    is_object: TokenStream,
    is_required: TokenStream,
    /// Assertions about the keywords of variants.
    checks: Vec<TokenStream>,
}

impl Described {
    fn new(node: TokenStream, is_object: impl quote::ToTokens) -> Self {
        Self { node, is_object: is_object.into_token_stream(), is_required: quote!(true), checks: Vec::new() }
    }
}

/// Expands the derive macro.
pub(crate) fn expand(item: TokenStream) -> Result<TokenStream> {
    let mut item: DeriveInput = syn::parse2(item)?;
    let container = Attributes::read_of_type(&item.attrs)?;
    // with a complete schema, fields of any types are accepted
    let (read, mut checks) = match &container.value {
        Some(given) => (Described::new(given.node.clone(), given.is_object), checks::narrowed(&given.node, &container)),
        None => {
            let read = match &item.data {
                Data::Struct(data) => structure(&data.fields, &container, item.ident.span())?,
                Data::Enum(data) => enumeration::enumeration(data.variants.iter(), &container, item.ident.span())?,
                Data::Union(data) => {
                    return Err(Error::new(
                        data.union_token.span(),
                        "serde cannot read a union: declare an enum, with `#[serde(untagged)]` if the text does not name the variant",
                    ));
                }
            };
            let mut checks = checks::checks(&item.data, &container)?;
            checks.extend(checks::narrowed(&read.node, &container));
            (read, checks)
        }
    };
    let Described { node, is_object, is_required, checks: of_variants } = read;
    checks.extend(of_variants);
    let node = described(&node, &container, &item.attrs);
    let holds = Holds::read(&item.data, &container)?.items();
    let evaluated = evaluated(&item.ident, &item.generics).filter(|_| !checks.is_empty());
    if container.value.is_none() {
        let parameters = bounds::described(&item)?;
        let clause = item.generics.make_where_clause();
        for parameter in parameters {
            clause.predicates.push(parse_quote!(#parameter: __json_schema::JsonSchema));
        }
    }
    let root = container.root.unwrap_or_else(root::default);
    let name = &item.ident;
    let (parameters, arguments, clause) = item.generics.split_for_impl();
    Ok(quote! {
        // the type may be deprecated
        #[allow(deprecated)]
        const _: () = {
            use #root::json_schema as __json_schema;

            #[automatically_derived]
            impl #parameters __json_schema::JsonSchema for #name #arguments #clause {
                const SCHEMA: __json_schema::Node = {
                    #(#checks)*
                    #node
                };
                const IS_REQUIRED: bool = #is_required;
                const IS_OBJECT: bool = #is_object;

                #holds
            }

            #evaluated
        };
    })
}

/// Generates a use of the schema, because the compiler evaluates an associated constant, and reports a refused field, only if the constant
/// is used. The schema of a generic type is evaluated for each of its instances.
fn evaluated(name: &syn::Ident, generics: &Generics) -> Option<TokenStream> {
    let lifetime = |parameter: &GenericParam| match parameter {
        GenericParam::Lifetime(_) => Some(quote!('static)),
        _ => None,
    };
    let lifetimes = generics.params.iter().map(lifetime).collect::<Option<Vec<_>>>()?;
    Some(quote!(const _: __json_schema::Node = <#name<#(#lifetimes),*> as __json_schema::JsonSchema>::SCHEMA;))
}

/// The schema of a param, without its description.
pub(crate) fn of_param(named: &Type, attributes: &[Attribute]) -> Result<TokenStream> {
    let attributes = Attributes { is_undescribed: true, ..Attributes::read(attributes)? };
    let node = value(named, &attributes);
    let (checks, node) = (checks::narrowed(&node, &attributes), described(&node, &attributes, &[]));
    Ok(if checks.is_empty() { node } else { quote!({ #(#checks)* #node }) })
}

/// Whether serde refuses params without this one, as a constant expression.
pub(crate) fn is_param_required(named: &Type, attributes: &[Attribute]) -> Result<TokenStream> {
    Ok(is_required(named, &Attributes::read(attributes)?))
}

/// `node` with the description and the keywords of the type or field.
fn described(node: &TokenStream, attributes: &Attributes, docs: &[Attribute]) -> TokenStream {
    let description = description(docs)
        .filter(|_| !attributes.is_undescribed && !attributes.has("description"))
        .map(|text| quote!(("description", __json_schema::Node::Text { text: #text }),));
    let keywords = attributes.keywords.iter().map(|keyword| {
        let (name, value) = (keyword.name, &keyword.node);
        quote!((#name, #value),)
    });
    if description.is_none() && attributes.keywords.is_empty() {
        return node.clone();
    }
    quote!(__json_schema::Node::Over { members: &[#description #(#keywords)*], under: &#node })
}

/// The schema of a struct.
fn structure(fields: &Fields, container: &Attributes, span: Span) -> Result<Described> {
    if container.is_transparent {
        return transparent(fields, span);
    }
    if container.tag.is_some() && container.denies_unknown {
        return Err(Error::new(
            span,
            "serde writes the `tag` of a struct, but refuses to read it because of `deny_unknown_fields`: remove one of the two",
        ));
    }
    Ok(match fields {
        Fields::Named(_) => {
            Described::new(object::object(fields, container, container.rename_all, None)?, quote!(true))
        }
        Fields::Unnamed(list) => match list.unnamed.first() {
            Some(field) if list.unnamed.len() == 1 => {
                Described::new(unnamed(fields, container.has_default)?, is_object(field)?)
            }
            _ => Described::new(unnamed(fields, container.has_default)?, quote!(false)),
        },
        Fields::Unit => Described::new(unnamed(fields, false)?, quote!(false)),
    })
}

/// The schema of a struct that is read as its only field.
fn transparent(fields: &Fields, span: Span) -> Result<Described> {
    let mut kept = Vec::new();
    for field in fields {
        let attributes = Attributes::read(&field.attrs)?;
        if !attributes.is_skipped && !is_phantom(&field.ty) {
            kept.push((field, attributes));
        }
    }
    let [(field, attributes)] = kept.as_slice() else {
        return Err(Error::new(span, "`transparent` is for a struct with one field that serde does not skip"));
    };
    Ok(Described {
        node: described(&value(&field.ty, attributes), attributes, &field.attrs),
        is_object: is_object(field)?,
        is_required: is_member_required(&field.ty, attributes),
        checks: Vec::new(),
    })
}

/// Whether the value of a field is an object.
fn is_object(field: &Field) -> Result<TokenStream> {
    let named = &field.ty;
    Ok(match Attributes::read(&field.attrs)?.value {
        Some(given) => given.is_object.into_token_stream(),
        None => constant_of(named, "IS_OBJECT"),
    })
}

/// Whether serde refuses an object without this member. For an absent member, serde does not call a function of the program (`with`,
/// `deserialize_with`), not even for an `Option`. The exception is the function of a `transparent` type. The schema requires that member,
/// too, because the function may refuse.
fn is_member_required(named: &Type, attributes: &Attributes) -> TokenStream {
    if attributes.is_read_by_function { quote!(true) } else { is_required(named, attributes) }
}

/// Whether serde refuses to read an absent value as the type `named`.
fn is_required(named: &Type, attributes: &Attributes) -> TokenStream {
    if attributes.value.is_some() {
        // a field with `#[schema(value = …)]` may have a type without a schema
        let is_option = has_shape(named, "IS_OPTION");
        quote!(!#is_option)
    } else {
        constant_of(named, "IS_REQUIRED")
    }
}

/// Whether the type `named` has a property of `json_schema::Shape`, as a constant expression.
fn has_shape(named: &Type, property: &str) -> TokenStream {
    let property = syn::Ident::new(property, Span::call_site());
    quote! {
        {
            // unused if the type has the property
            #[allow(unused_imports)]
            use __json_schema::AnyShape as _;
            <__json_schema::Shape<#named>>::#property
        }
    }
}

fn is_phantom(named: &Type) -> bool {
    matches!(bare(named), Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "PhantomData"))
}

/// The schema of unnamed fields; a single field has its own schema. With a `default` of the type, serde reads an array that ends early.
fn unnamed(fields: &Fields, has_default: bool) -> Result<TokenStream> {
    let mut values = Vec::new();
    for field in fields {
        let attributes = Attributes::read(&field.attrs)?;
        if attributes.is_skipped || attributes.is_left_out || attributes.has_default {
            return Err(Error::new(
                field.span(),
                "serde skips this unnamed field: a schema of an array cannot describe the gap; name the fields, or add a schema to the type: \
                 `#[schema(value = r#\"…\"#)]`",
            ));
        }
        values.push(described(&value(&field.ty, &attributes), &attributes, &field.attrs));
    }
    Ok(match values.as_slice() {
        [] if matches!(fields, Fields::Unit) => quote!(<() as __json_schema::JsonSchema>::SCHEMA),
        [] => quote!(<[(); 0] as __json_schema::JsonSchema>::SCHEMA),
        [value] => value.clone(),
        _ => {
            let count = values.len();
            let least = (!has_default).then(|| quote!(("minItems", __json_schema::Node::Number { number: #count }),));
            quote! {
                __json_schema::Node::Object {
                    members: &[
                        ("type", __json_schema::Node::Json { text: "\"array\"" }),
                        ("prefixItems", __json_schema::Node::Array { elements: &[#(#values),*] }),
                        #least
                        ("maxItems", __json_schema::Node::Number { number: #count }),
                    ],
                }
            }
        }
    })
}

/// The schema of a value of the type `named`.
fn value(named: &Type, attributes: &Attributes) -> TokenStream {
    match &attributes.value {
        Some(given) => given.node.clone(),
        None => constant_of(named, "SCHEMA"),
    }
}

/// A constant of `JsonSchema` for the type `named`.
pub(crate) fn constant_of(named: &Type, constant: &str) -> TokenStream {
    let (named, constant) = (maps::described(named), syn::Ident::new(constant, Span::call_site()));
    quote!(<#named as __json_schema::JsonSchema>::#constant)
}

fn constant(text: &str) -> TokenStream {
    quote!(__json_schema::Node::Object { members: &[("const", __json_schema::Node::Text { text: #text })] })
}
