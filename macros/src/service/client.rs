//! The client of a service.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Path, Visibility};

use super::declaration::Declaration;
use super::local;
use super::method::{Method, Output, plain};
use crate::root;

/// Generates the unit struct of the client, with two functions for each method.
pub(crate) fn client(declaration: &Declaration) -> TokenStream {
    let Some(client) = &declaration.client else { return TokenStream::new() };
    let Declaration { item, methods, root, .. } = declaration;
    let visibility = &item.vis;
    let functions = methods.iter().map(|method| functions(root, visibility, method));
    let doc = format!(
        "Calls the service [`{}`]: a function for each method, and one that ends in `_async`. The first argument is a {}, \
         that of an `_async` function an {}.",
        item.ident,
        root::linked(root, "service::Caller"),
        root::linked(root, "service::AsyncCaller")
    );
    quote! {
        #[doc = #doc]
        #[allow(dead_code)]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::default::Default)]
        #visibility struct #client;

        // a program may call only some of the methods
        #[allow(dead_code)]
        impl #client {
            #(#functions)*
        }
    }
}

fn functions(root: &Path, visibility: &Visibility, method: &Method) -> TokenStream {
    let Method { name, ident, docs, holder, params, .. } = method;
    let (idents, types): (Vec<_>, Vec<_>) = params.iter().map(|param| (&param.ident, &param.declared)).unzip();
    let ident_async = format_ident!("{}_async", plain(ident));
    let peer = local("__caller");
    let caller = quote!(#root::service::Caller);
    let caller_async = quote!(#root::service::AsyncCaller);
    // `()` stands for no params; the member `params` is then omitted
    let written = if params.is_empty() { quote!(&()) } else { quote!(&#holder { #(#idents),* }) };
    let allow = quote!(#[allow(missing_docs, clippy::missing_errors_doc, clippy::too_many_arguments)]);
    if method.is_notification {
        return quote! {
            #(#docs)*
            #allow
            #visibility fn #ident<__Peer: #caller>(#peer: __Peer, #(#idents: #types),*) -> __Peer::Notified {
                <__Peer as #caller>::notify(#peer, #name, #written)
            }

            #(#docs)*
            #allow
            #visibility async fn #ident_async<__Peer: #caller_async>(
                #peer: __Peer,
                #(#idents: #types),*
            ) -> ::core::result::Result<(), __Peer::NotifyError> {
                <__Peer as #caller_async>::notify(#peer, #name, #written).await
            }
        };
    }
    // for a borrowed result the caller chooses the type to read
    let (parameter, result) = match &method.output {
        _ if method.is_read_as_another() => {
            (Some(quote!(, __Output: #root::service::generated::DeserializeOwned)), quote!(__Output))
        }
        Output::Unit => (None, quote!(())),
        Output::Fallible(result) | Output::Plain(result) => (None, quote!(#result)),
    };
    // the error for a result type that serde cannot read points at its declaration
    let span = Span::call_site().located_at(result.span());
    let call = quote_spanned!(span=> <__Peer as #caller>::call::<#result>(#peer, #name, #written));
    let wait = quote_spanned!(span=> <__Peer as #caller_async>::call::<#result>(#peer, #name, #written).await);
    quote! {
        #(#docs)*
        #allow
        #visibility fn #ident<__Peer: #caller #parameter>(#peer: __Peer, #(#idents: #types),*) -> __Peer::Outcome<#result> {
            #call
        }

        #(#docs)*
        #allow
        #visibility async fn #ident_async<__Peer: #caller_async #parameter>(
            #peer: __Peer,
            #(#idents: #types),*
        ) -> ::core::result::Result<#result, __Peer::Error> {
            #wait
        }
    }
}
