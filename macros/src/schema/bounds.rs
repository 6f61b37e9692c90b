//! The type parameters that need a schema.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Data, DeriveInput, Fields, Ident, Result};

use super::attributes::Attributes;
use super::{is_phantom, maps};

/// The type parameters in the types of the described fields. Skipped fields, fields with a complete schema and `PhantomData` do not count.
pub(super) fn described(item: &DeriveInput) -> Result<Vec<Ident>> {
    let mut types = TokenStream::new();
    match &item.data {
        Data::Struct(data) => collect(&data.fields, &mut types)?,
        Data::Enum(data) => {
            for variant in &data.variants {
                if is_described(&Attributes::read(&variant.attrs)?) {
                    collect(&variant.fields, &mut types)?;
                }
            }
        }
        Data::Union(_) => {}
    }
    let parameters = item.generics.type_params().map(|parameter| parameter.ident.clone());
    Ok(parameters.filter(|parameter| has(&types, parameter)).collect())
}

/// Appends the types of the described fields.
fn collect(fields: &Fields, types: &mut TokenStream) -> Result<()> {
    for field in fields {
        if is_described(&Attributes::read(&field.attrs)?) && !is_phantom(&field.ty) {
            maps::described(&field.ty).to_tokens(types);
        }
    }
    Ok(())
}

fn is_described(attributes: &Attributes) -> bool {
    !attributes.is_skipped && attributes.value.is_none()
}

/// Whether `ident` occurs in `types`.
fn has(types: &TokenStream, ident: &Ident) -> bool {
    types.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => has(&group.stream(), ident),
        TokenTree::Ident(other) => other == *ident,
        _ => false,
    })
}
