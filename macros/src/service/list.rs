//! The list of a service's methods.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::Result;

use super::declaration::Declaration;
use super::lifetimes::with_static;
use super::method::{Method, Param};
use crate::schema::is_param_required;

/// Generates the constant `METHODS` of the service.
pub(crate) fn methods(declaration: &Declaration) -> Result<TokenStream> {
    let Declaration { item, service, methods, root, .. } = declaration;
    let visibility = &item.vis;
    let entries = methods.iter().map(|method| {
        let Method { name, is_notification, .. } = method;
        let description = method.description.clone().unwrap_or_else(|| quote!(""));
        let params = method.params.iter().map(|param| {
            let (name, is_required) = (&param.name, is_required(declaration, param)?);
            Ok(quote!((#name, #is_required)))
        });
        let params = params.collect::<Result<Vec<_>>>()?;
        Ok(quote! {
            #root::service::Method {
                name: #name,
                description: #description,
                is_notification: #is_notification,
                params: &[#(#params),*],
            }
        })
    });
    let entries = entries.collect::<Result<Vec<_>>>()?;
    Ok(quote! {
        #[allow(dead_code)]
        impl #service {
            /// The methods of the service, in the order of their declaration.
            #visibility const METHODS: &'static [#root::service::Method] = {
                // for descriptions and schemas, if there are any
                #[allow(unused_imports)]
                use #root::json_schema as __json_schema;

                &[#(#entries),*]
            };
        }
    })
}

/// Whether a param is required. The macro cannot recognize an alias of `Option`; the schema of the type can.
fn is_required(declaration: &Declaration, param: &Param) -> Result<TokenStream> {
    if declaration.is_described() && !param.is_optional {
        is_param_required(&with_static(&param.held), &param.attributes)
    } else {
        Ok((!param.is_optional).into_token_stream())
    }
}
