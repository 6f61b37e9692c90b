//! The structs that hold the params of methods.

use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;

use super::declaration::Declaration;
use super::method::Method;

/// Generates a struct for each method with params: read by name or by position, written by name.
pub(crate) fn structs(declaration: &Declaration) -> TokenStream {
    let structs = declaration.methods.iter().filter(|method| !method.params.is_empty());
    let structs = structs.map(|method| holder(declaration, method));
    quote!(#(#structs)*)
}

fn holder(declaration: &Declaration, method: &Method) -> TokenStream {
    let Method { holder, params, .. } = method;
    let visibility = &declaration.item.vis;
    let doc = format!("The params of the method `{}`.", method.name.value());
    let lifetime = lifetime(method);
    let serialize = declaration.client.as_ref().map(|_| quote!(::nanojsonrpc::service::generated::serde::Serialize,));
    let schema = declaration.is_described().then(|| quote!(::nanojsonrpc::Schema,));
    let undescribed = declaration.is_described().then(|| quote!(#[schema(undescribed)]));
    let fields = params.iter().map(|param| {
        let (ident, held, attributes) = (&param.ident, &param.held, &param.attributes);
        let borrow = param.is_borrowed.then(|| quote!(#[serde(borrow)]));
        let optional = param.is_optional.then(|| {
            let skip = serialize.as_ref().map(|_| quote!(, skip_serializing_if = "::core::option::Option::is_none"));
            quote!(#[serde(default #skip)])
        });
        quote! {
            #[allow(missing_docs)]
            #(#attributes)*
            #borrow
            #optional
            #visibility #ident: #held
        }
    });
    let path = LitStr::new("::nanojsonrpc::service::generated::serde", holder.span());
    quote! {
        #[doc = #doc]
        #[allow(dead_code)]
        #[derive(#serialize #schema ::nanojsonrpc::service::generated::serde::Deserialize)]
        #[serde(crate = #path)]
        #undescribed
        #visibility struct #holder #lifetime {
            #(#fields),*
        }
    }
}

/// The lifetime parameter of a method's params.
pub(crate) fn lifetime(method: &Method) -> Option<TokenStream> {
    method.is_borrowing().then(|| quote!(<'params>))
}
