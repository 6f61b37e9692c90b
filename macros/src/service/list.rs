//! The list of a service's methods.

use proc_macro2::TokenStream;
use quote::quote;

use super::declaration::Declaration;
use super::method::{Method, plain};

/// Generates the constant `METHODS` of the service.
pub(crate) fn methods(declaration: &Declaration) -> TokenStream {
    let Declaration { item, service, methods, .. } = declaration;
    let visibility = &item.vis;
    let entries = methods.iter().map(|method| {
        let Method { name, is_notification, .. } = method;
        let description = method.description.clone().unwrap_or_else(|| quote!(""));
        let params = method.params.iter().map(|param| {
            let (name, is_optional) = (plain(&param.ident), param.is_optional);
            quote!((#name, !#is_optional))
        });
        quote! {
            ::nanojsonrpc::service::Method {
                name: #name,
                description: #description,
                is_notification: #is_notification,
                params: &[#(#params),*],
            }
        }
    });
    quote! {
        #[allow(dead_code)]
        impl #service {
            /// The methods of the service, in the order of their declaration.
            #visibility const METHODS: &'static [::nanojsonrpc::service::Method] = &[#(#entries),*];
        }
    }
}
