//! The structs that hold the params of methods.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, LitStr, Path};

use super::declaration::Declaration;
use super::method::{Method, Param, plain};

/// Generates a struct for each method with params: read by name or by position, written as the declaration says.
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
    let has_names = declaration.client.is_some() && !declaration.is_by_position;
    let serialize = has_names.then(|| quote!(#root::service::generated::serde::Serialize,));
    let by_position = declaration.is_by_position.then(|| written_by_position(root, method));
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

        #by_position
    }
}

/// Implements `Serialize` for the params of `method`: an array, without the absent params at its end.
fn written_by_position(root: &Path, method: &Method) -> TokenStream {
    let Method { holder, params, .. } = method;
    let (lifetime, count) = (lifetime(method), params.len());
    // the params that an array may lack, from the last one
    let trailing = params.iter().enumerate().rev().take_while(|(_, param)| param.is_optional);
    let ends = trailing.map(|(index, Param { ident, .. })| {
        let len = index.saturating_add(1);
        quote!(if __len == #len && ::core::option::Option::is_none(&self.#ident) { __len = #index; })
    });
    let elements = params.iter().enumerate().map(|(index, Param { ident, .. })| {
        quote!(if #index < __len { __serde::ser::SerializeSeq::serialize_element(&mut __array, &self.#ident)?; })
    });
    quote! {
        const _: () = {
            use #root::service::generated::serde as __serde;

            #[automatically_derived]
            impl #lifetime __serde::Serialize for #holder #lifetime {
                fn serialize<__S: __serde::Serializer>(
                    &self,
                    __serializer: __S,
                ) -> ::core::result::Result<__S::Ok, __S::Error> {
                    #[allow(unused_mut)]
                    let mut __len = #count;
                    #(#ends)*
                    let mut __array = __serde::Serializer::serialize_seq(__serializer, ::core::option::Option::Some(__len))?;
                    #(#elements)*
                    __serde::ser::SerializeSeq::end(__array)
                }
            }
        };
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
