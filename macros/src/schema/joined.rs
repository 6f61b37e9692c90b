//! Types whose members stand among those of another object: flattened fields, and the content of tagged variants.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned as _;
use syn::{Data, Field, Fields, Result};

use super::attributes::Attributes;

/// An assertion for each of these types: its schema must allow the members of the object around it.
pub(super) fn checks(data: &Data, container: &Attributes) -> Result<Vec<TokenStream>> {
    let mut checks = Vec::new();
    match data {
        Data::Struct(data) => flattened(&data.fields, &mut checks)?,
        Data::Enum(data) => {
            let is_tagged_within = container.tag.is_some() && container.content.is_none();
            for variant in &data.variants {
                match &variant.fields {
                    Fields::Named(_) => flattened(&variant.fields, &mut checks)?,
                    Fields::Unnamed(fields) if is_tagged_within => {
                        for field in &fields.unnamed {
                            check(field, &Attributes::read(&field.attrs)?, &mut checks);
                        }
                    }
                    _ => {}
                }
            }
        }
        Data::Union(_) => {}
    }
    Ok(checks)
}

fn flattened(fields: &Fields, checks: &mut Vec<TokenStream>) -> Result<()> {
    for field in fields {
        let attributes = Attributes::read(&field.attrs)?;
        if attributes.is_flattened {
            check(field, &attributes, checks);
        }
    }
    Ok(())
}

fn check(field: &Field, attributes: &Attributes, checks: &mut Vec<TokenStream>) {
    if attributes.value.is_some() {
        return;
    }
    let named = &field.ty;
    checks.push(quote_spanned! {named.span()=>
        ::core::assert!(
            <#named as json_schema::JsonSchema>::SCHEMA.allows_more(),
            "the members of this type stand among others: it is a struct or a tagged enum without `deny_unknown_fields`; \
             or write the schema of the field with `#[schema(value = r#\"…\"#)]`"
        );
    });
}
