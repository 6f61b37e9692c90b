//! `#[service]`: generates the routes, params, client and method list of a service from a trait.

mod client;
mod declaration;
mod document;
mod hints;
mod lifetimes;
mod list;
mod method;
mod params;
mod refused;
mod routes;
mod signature;
mod tools;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{FnArg, Ident, Item, ItemTrait, Pat, Result, TraitItem, parse_quote};

use declaration::{Arguments, Declaration};
pub(crate) use method::plain;
pub(crate) use refused::slice_of_bytes;

use crate::shape::is_mutable;

/// Expands the attribute macro.
pub(crate) fn expand(arguments: TokenStream, declaration: TokenStream) -> Result<TokenStream> {
    let arguments: Arguments = syn::parse2(arguments)?;
    let item: Item = syn::parse2(declaration)?;
    let mut declaration = Declaration::read(arguments, item)?;
    if declaration.is_async() {
        declaration.item.attrs.push(parse_quote!(#[allow(async_fn_in_trait)]));
    }
    let item = &declaration.item;
    let lent = lent(item);
    let params = params::structs(&declaration);
    let routes = routes::service(&declaration);
    let list = list::methods(&declaration)?;
    let client = client::client(&declaration);
    let tools = tools::tools(&declaration);
    let document = document::document(&declaration)?;
    Ok(quote! {
        #item
        #lent
        #params
        #routes
        #list
        #client
        #tools
        #document
    })
}

/// The name of a local variable of generated code. By macro hygiene, it differs from a param with the same text.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Implements the trait for `&mut T`, so that a service can be borrowed by its routes.
fn lent(item: &ItemTrait) -> TokenStream {
    let name = &item.ident;
    let methods = item.items.iter().filter_map(|entry| match entry {
        TraitItem::Fn(function) => Some(function),
        _ => None,
    });
    let methods = methods.map(|function| {
        let mut signature = function.sig.clone();
        let (mut receiver, mut arguments) = (TokenStream::new(), Vec::new());
        for argument in &mut signature.inputs {
            match argument {
                FnArg::Receiver(own) => {
                    own.mutability = None;
                    // the token of the declaration, because the hygiene of another macro may apply to it
                    let token = own.self_token;
                    receiver = if is_mutable(own) == Some(true) { quote!(&mut **#token) } else { quote!(&**#token) };
                }
                FnArg::Typed(argument) => {
                    if let Pat::Ident(pattern) = &mut *argument.pat {
                        pattern.mutability = None;
                        arguments.push(pattern.ident.clone());
                    }
                }
            }
        }
        let ident = &signature.ident;
        let wait = signature.asyncness.map(|_| quote!(.await));
        quote! {
            #signature {
                <__Service as #name>::#ident(#receiver, #(#arguments),*) #wait
            }
        }
    });
    // requires the supertraits of `&mut T`, which may lack one, such as `Clone`
    let supertraits = &item.supertraits;
    let clause = (!supertraits.is_empty()).then(|| quote!(where Self: #supertraits));
    quote! {
        #[allow(deprecated)]
        impl<__Service: #name + ?::core::marker::Sized> #name for &mut __Service #clause {
            #(#methods)*
        }
    }
}
