//! The comparisons of a value with the limits of its type, its variants and its fields.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, Error, Field, Fields, Result, Type, Variant};

use super::attributes::Attributes;
use super::keywords::{is_checked, limits};
use super::maps::is_hashed;
use super::object::member_name;
use super::{constant_of, is_phantom};

/// The constant `HAS_LIMITS` of a type, and the bodies of its functions for limits.
#[derive(Default)]
pub(super) struct Holds {
    /// Constant expressions: whether a part has limits.
    has_limits: Vec<TokenStream>,
    /// Whether the parts satisfy their limits.
    parts: TokenStream,
    /// Whether the value satisfies the limits `__Limits` of its field.
    own: TokenStream,
}

impl Holds {
    /// Reads the limits of a type. A type with a complete schema has none: the program checks it.
    pub(super) fn read(data: &Data, container: &Attributes) -> Result<Self> {
        let mut holds = Self { parts: quote!(true), own: quote!(::core::option::Option::None), ..Self::default() };
        if container.value.is_some() {
            return Ok(holds);
        }
        match data {
            Data::Struct(data) => holds.structure(&data.fields, container)?,
            Data::Enum(data) => holds.enumeration(data.variants.iter(), container)?,
            Data::Union(_) => {}
        }
        if let Some(limits) = limits(container)? {
            holds.has_limits.push(quote!(true));
            let Self { parts, .. } = &holds;
            holds.parts = quote! {
                ({
                    #limits
                    match <Self as __json_schema::JsonSchema>::violates::<__Own>(self) {
                        ::core::option::Option::Some(__rule) => __place.refuse(__rule),
                        ::core::option::Option::None => true,
                    }
                }) && #parts
            };
        }
        Ok(holds)
    }

    /// The items of the implementation of `JsonSchema`.
    pub(super) fn items(&self) -> TokenStream {
        let Self { has_limits, parts, own } = self;
        let has_limits = (!has_limits.is_empty()).then(|| {
            quote! {
                const HAS_LIMITS: bool = false #(|| #has_limits)*;

                #[inline]
                fn holds(&self, __place: &__json_schema::Place<'_>) -> bool {
                    #parts
                }
            }
        });
        quote! {
            #has_limits

            #[inline]
            fn violates<__Limits: __json_schema::Limits>(&self) -> ::core::option::Option<__json_schema::Rule> {
                #own
            }
        }
    }

    fn structure(&mut self, fields: &Fields, container: &Attributes) -> Result<()> {
        let kept = kept(fields)?;
        let this = |index: usize, field: &Field| match &field.ident {
            Some(ident) => quote!(&self.#ident),
            None => {
                let index = syn::Index::from(index);
                quote!(&self.#index)
            }
        };
        let is_one = container.is_transparent || matches!(fields, Fields::Unnamed(list) if list.unnamed.len() == 1);
        if !is_one {
            refuse_unique(container)?;
            self.parts = self.fields(fields, container, None, &quote!(__place), &this)?;
            if let Fields::Unnamed(list) = fields {
                let count = list.unnamed.len();
                self.own = quote!(__json_schema::held::items::<__Limits>(#count));
            }
            return Ok(());
        }
        let Some((index, field, attributes)) = kept.into_iter().find(|(_, field, _)| !is_phantom(&field.ty)) else {
            return Ok(());
        };
        let value = this(index, field);
        self.parts = self.value(field, &attributes, &value, &quote!(__place), &quote!(at), &quote!())?;
        if container.is_unique() {
            let parts = &self.parts;
            let unique = unique(container, &value, &quote!(__place));
            self.parts = quote!(#unique && #parts);
            self.has_limits.push(quote!(true));
        }
        self.own = passed_on(field, &attributes, &value);
        Ok(())
    }

    /// The comparisons of the described fields. `this` is the expression for a reference to a field.
    fn fields(
        &mut self,
        fields: &Fields,
        container: &Attributes,
        case: Option<super::rename::Case>,
        place: &TokenStream,
        this: &dyn Fn(usize, &Field) -> TokenStream,
    ) -> Result<TokenStream> {
        let is_array = matches!(fields, Fields::Unnamed(list) if list.unnamed.len() > 1);
        let mut all = quote!(true);
        // serde does not read skipped fields, so they have no place in an array
        for (place_in_array, (index, field, attributes)) in kept(fields)?.into_iter().enumerate() {
            let value = this(index, field);
            let (function, arguments) = if is_array {
                (quote!(element), quote!(, #place_in_array))
            } else if attributes.is_flattened || field.ident.is_none() {
                (quote!(at), quote!())
            } else {
                let name = member_name(field, &attributes, case.or(container.rename_all));
                (quote!(member), quote!(, &__json_schema::Field { name: #name, index: #place_in_array }))
            };
            let compared = self.value(field, &attributes, &value, place, &function, &arguments)?;
            all.extend(quote!(&& #compared));
        }
        Ok(all)
    }

    /// The comparisons of one field.
    fn value(
        &mut self,
        field: &Field,
        attributes: &Attributes,
        value: &TokenStream,
        place: &TokenStream,
        function: &TokenStream,
        arguments: &TokenStream,
    ) -> Result<TokenStream> {
        // the program checks a field with a complete schema
        if attributes.value.is_some() || is_phantom(&field.ty) {
            return Ok(quote!(true));
        }
        let limits = limits(attributes)?;
        if is_hashed(&field.ty) {
            return match attributes.keywords.iter().find(|keyword| is_checked(keyword)) {
                Some(keyword) => Err(Error::new(keyword.span, HASHED)),
                None => Ok(quote!(true)),
            };
        }
        self.has_limits.push(match limits.is_some() || attributes.is_unique() {
            true => quote!(true),
            false => constant_of(&field.ty, "HAS_LIMITS"),
        });
        let span = Span::call_site().located_at(field.ty.span());
        let kind = if limits.is_some() { quote!(__Own) } else { quote!(__json_schema::NoLimits) };
        let unique = attributes.is_unique().then(|| {
            let place = if arguments.is_empty() {
                place.clone()
            } else {
                let arguments = arguments.clone().into_iter().skip(1).collect::<TokenStream>();
                quote!(&__json_schema::Place::#function(#place, #arguments))
            };
            let unique = unique(attributes, value, &place);
            quote!(&& #unique)
        });
        Ok(quote_spanned! {span=>
            ({ #limits __json_schema::held::#function::<#kind, _>(#value, #place #arguments) } #unique)
        })
    }

    fn enumeration<'v>(&mut self, variants: impl Iterator<Item = &'v Variant>, container: &Attributes) -> Result<()> {
        refuse_unique(container)?;
        let (mut parts, mut own) = (Vec::new(), Vec::new());
        for variant in variants {
            let attributes = Attributes::read(&variant.attrs)?;
            if attributes.is_skipped || attributes.value.is_some() {
                continue;
            }
            let ident = &variant.ident;
            let bound = |index: usize, _: &Field| format_ident!("__field_{index}").to_token_stream();
            let kept = kept(&variant.fields)?;
            let patterns = kept.iter().map(|(index, field, _)| {
                let (name, value) = (field.ident.as_ref(), format_ident!("__field_{index}"));
                match name {
                    Some(name) => quote!(#name: #value),
                    None => {
                        let index = syn::Index::from(*index);
                        quote!(#index: #value)
                    }
                }
            });
            let pattern = quote!(Self::#ident { #(#patterns,)* .. });
            let name = super::enumeration::variant_name(variant, &attributes, container);
            let place = match (&container.tag, &container.content) {
                (None, _) if !container.is_untagged => {
                    quote!(&__place.member(&__json_schema::Field { name: #name, index: 0 }))
                }
                (Some(_), Some(content)) => quote!(&__place.member(&__json_schema::Field { name: #content, index: 1 })),
                _ => quote!(__place),
            };
            let case = attributes.rename_all.or(container.rename_all_fields);
            let no_case = Attributes::default();
            let mut compared = self.fields(&variant.fields, &no_case, case, &place, &bound)?;
            let is_string = container.tag.is_none()
                && !container.is_untagged
                && variant.fields.is_empty()
                && matches!(variant.fields, Fields::Unit);
            let of_own = match (&variant.fields, kept.as_slice()) {
                _ if is_string => Some(quote!(__json_schema::held::text::<__Limits>(#name))),
                _ if !container.is_untagged => None,
                (Fields::Unnamed(list), [(index, field, attributes)]) if list.unnamed.len() == 1 => {
                    Some(passed_on(field, attributes, &bound(*index, field)))
                }
                (Fields::Unnamed(list), _) => {
                    let count = list.unnamed.len();
                    Some(quote!(__json_schema::held::items::<__Limits>(#count)))
                }
                _ => None,
            };
            if let (Some(limits), Some(of_own)) = (limits(&attributes)?, &of_own) {
                self.has_limits.push(quote!(true));
                compared = quote! {
                    ({
                        #limits
                        type __Limits = __Own;
                        match #of_own {
                            ::core::option::Option::Some(__rule) => #place.refuse(__rule),
                            ::core::option::Option::None => true,
                        }
                    }) && #compared
                };
            }
            if attributes.is_unique() {
                let [(index, field, _)] = kept.as_slice() else { return refuse_unique(&attributes) };
                let unique = unique(&attributes, &bound(*index, field), &place);
                self.has_limits.push(quote!(true));
                compared = quote!(#unique && #compared);
            }
            parts.push(quote!(#pattern => #compared,));
            own.extend(of_own.map(|of_own| quote!(#pattern => #of_own,)));
        }
        self.parts = quote!({
            #[allow(unused_variables, unreachable_patterns)]
            match self { #(#parts)* _ => true }
        });
        self.own = quote!({
            #[allow(unused_variables, unreachable_patterns)]
            match self { #(#own)* _ => ::core::option::Option::None }
        });
        Ok(())
    }
}

const HASHED: &str = "the elements of a `HashMap` or `HashSet` are not checked: take a `BTreeMap` or `BTreeSet`, or write the schema of the \
                      field with `#[schema(value = r#\"…\"#)]`";

/// The described fields, with their indices.
fn kept(fields: &Fields) -> Result<Vec<(usize, &Field, Attributes)>> {
    let mut kept = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let attributes = Attributes::read(&field.attrs)?;
        if !attributes.is_skipped {
            kept.push((index, field, attributes));
        }
    }
    Ok(kept)
}

/// Passes the limits of a type with one field on to the field.
fn passed_on(field: &Field, attributes: &Attributes, value: &TokenStream) -> TokenStream {
    if attributes.value.is_some() || is_phantom(&field.ty) || is_hashed(&field.ty) {
        return quote!(::core::option::Option::None);
    }
    quote!(__json_schema::JsonSchema::violates::<__Limits>(#value))
}

/// Asserts that the elements of a `HashMap` or `HashSet` in the type have no limits.
pub(crate) fn lacks_limits(named: &Type) -> TokenStream {
    let has_limits = constant_of(named, "HAS_LIMITS");
    quote_spanned!(named.span()=> ::core::assert!(!#has_limits, #HASHED);)
}

fn refuse_unique(attributes: &Attributes) -> Result<()> {
    match attributes.keywords.iter().find(|keyword| keyword.name == "uniqueItems") {
        Some(keyword) => {
            Err(Error::new(keyword.span, "`unique_items` is for a field, or a type of one field, that is a list"))
        }
        None => Ok(()),
    }
}

/// The comparison of the elements of a list with each other, at the span of the keyword.
fn unique(attributes: &Attributes, value: &TokenStream, place: &TokenStream) -> TokenStream {
    let keyword = attributes.keywords.iter().find(|keyword| keyword.name == "uniqueItems");
    let span = Span::call_site().located_at(keyword.map_or_else(Span::call_site, |keyword| keyword.span));
    // an error about the elements points at the argument
    quote_spanned!(span=> ({ let __list = #value; __json_schema::held::unique(__list, #place) }))
}
