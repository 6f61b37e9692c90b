//! The structs that hold the params of methods.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, LitStr};

use super::declaration::Declaration;
use super::method::{Method, plain};

/// Generates a struct for each method with params: read by name or by position, written by name.
pub(crate) fn structs(declaration: &Declaration) -> TokenStream {
    let structs = declaration.methods.iter().filter(|method| !method.params.is_empty());
    let structs = structs.map(|method| holder(declaration, method));
    // serde's derive macros take a path as a string, which cannot hold the `$crate` of a macro of the program
    let import = declaration.has_own_root.then(|| {
        let (root, name) = (&declaration.root, serde_name(declaration));
        quote! {
            #[allow(unused_imports)]
            use #root::service::generated::serde as #name;
        }
    });
    quote!(#import #(#structs)*)
}

fn holder(declaration: &Declaration, method: &Method) -> TokenStream {
    let Method { holder, params, .. } = method;
    let root = &declaration.root;
    let visibility = &declaration.item.vis;
    let doc = format!("The params of the method `{}`.", method.name.value());
    let lifetime = lifetime(method);
    let serialize = declaration.client.as_ref().map(|_| quote!(#root::service::generated::serde::Serialize,));
    let schema = declaration.is_described().then(|| quote!(#root::Schema,));
    let undescribed = declaration.is_described().then(|| quote!(#[schema(undescribed, crate = #root)]));
    let fields = params.iter().map(|param| {
        let (ident, held, attributes) = (&param.ident, &param.held, &param.attributes);
        let borrow = param.is_borrowed.then(|| quote!(#[serde(borrow)]));
        let optional = param.is_optional.then(|| {
            let skip = serialize.as_ref().map(|_| quote!(, skip_serializing_if = "::core::option::Option::is_none"));
            quote!(#[serde(default #skip)])
        });
        let name = &param.name;
        let rename = (name.value() != plain(ident)).then(|| quote!(#[serde(rename = #name)]));
        quote! {
            #[allow(missing_docs)]
            #(#attributes)*
            #rename
            #borrow
            #optional
            #visibility #ident: #held
        }
    });
    let path = if declaration.has_own_root {
        LitStr::new(&serde_name(declaration).to_string(), holder.span())
    } else {
        LitStr::new("::nanojsonrpc::service::generated::serde", holder.span())
    };
    quote! {
        #[doc = #doc]
        #[allow(dead_code)]
        #[derive(#serialize #schema #root::service::generated::serde::Deserialize)]
        #[serde(crate = #path)]
        #undescribed
        #visibility struct #holder #lifetime {
            #(#fields),*
        }
    }
}

/// The name under which serde is imported beside the params.
fn serde_name(declaration: &Declaration) -> Ident {
    format_ident!("__serde_of_{}", declaration.service)
}

/// The lifetime parameter of a method's params.
pub(crate) fn lifetime(method: &Method) -> Option<TokenStream> {
    method.is_borrowing().then(|| quote!(<'params>))
}
