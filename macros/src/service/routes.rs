//! The routes of a service: one comparison and one call for each method.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::declaration::Declaration;
use super::local;
use super::method::{Method, Output};
use crate::schema::is_hashed;

/// Generates the unit struct of the service, which is its list of routes.
pub(crate) fn service(declaration: &Declaration) -> TokenStream {
    let Declaration { item, service, methods, root, .. } = declaration;
    let (visibility, name) = (&item.vis, &item.ident);
    let doc = format!("The routes of the service [`{name}`]; see [`routes`](Self::routes).");
    // the errors about an endpoint point at the return type of its method
    let endpoints: Vec<_> = methods
        .iter()
        .map(|method| (Span::call_site().located_at(method.output_span), endpoint(declaration, method)))
        .collect();
    let blocks = endpoints.iter().map(|(span, endpoint)| {
        quote_spanned!(*span=> __generated::Endpoint::take(&mut #endpoint, __context, __call, __exchange))
    });
    let discover = declaration.has_document.then(|| {
        quote!(|| __generated::Endpoint::take(
            &mut __generated::discover::<__Context>(const { __generated::RawValue::constant(Self::OPENRPC) }),
            __context,
            __call,
            __exchange
        ))
    });
    let blocking = (!declaration.is_async()).then(|| {
        quote! {
            impl<__Context: #name> __generated::Routes<__Context> for #service {
                const FALLS_BACK: bool = false;

                #[inline]
                fn route(
                    &mut self,
                    __context: &mut __Context,
                    __call: &__generated::Call<'_>,
                    __exchange: &mut __generated::Exchange<'_, '_>,
                ) -> bool {
                    false #(|| #blocks)* #discover
                }
            }
        }
    });
    let takes = methods.iter().zip(&endpoints).map(|(method, (span, endpoint))| {
        if method.is_async {
            quote_spanned!(*span=> __generated::take_async(#endpoint, __context, __call, __exchange).await)
        } else {
            quote_spanned!(*span=> __generated::Endpoint::take(&mut #endpoint, __context, __call, __exchange))
        }
    });
    let discover_waits = declaration.has_document.then(|| {
        quote! {
            if __generated::Call::requests(__call, "rpc.discover") {
                return __generated::Some(false);
            }
        }
    });
    let waits = methods.iter().map(|Method { name, is_async, is_notification, .. }| {
        let is_for = if *is_notification { quote!(notifies) } else { quote!(requests) };
        quote! {
            if __generated::Call::#is_for(__call, #name) {
                return __generated::Some(#is_async);
            }
        }
    });
    quote! {
        #[doc = #doc]
        #[allow(dead_code)]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::default::Default)]
        #visibility struct #service;

        #[allow(deprecated)]
        const _: () = {
            use #root::service::generated as __generated;

            #[allow(dead_code)]
            impl #service {
                /// The routes of `service`, for a router with any context. They own `service`, which may be a `&mut`.
                #visibility const fn routes<__Context, __Service: #name>(
                    service: __Service,
                ) -> #root::Router<__Context, __generated::Owning<__Service, Self>> {
                    #root::Router::with_routes(__generated::Owning::new(service, Self))
                }

                /// A server that owns `service` and has no other routes. Its context may have any type, such as `()`.
                #visibility fn server<__Service: #name>(
                    service: __Service,
                ) -> #root::Server<__generated::Owning<__Service, Self>> {
                    #root::Server::with_routes(__generated::Owning::new(service, Self))
                }
            }

            #blocking

            impl<__Context: #name> __generated::AsyncRoutes<__Context> for #service {
                const FALLS_BACK: bool = false;

                async fn route(
                    &mut self,
                    __context: &mut __Context,
                    __call: &__generated::Call<'_>,
                    __exchange: &mut __generated::Exchange<'_, '_>,
                ) -> bool {
                    false #(|| #takes)* #discover
                }

                fn waits(
                    &mut self,
                    _: &mut __Context,
                    __call: &__generated::Call<'_>,
                ) -> __generated::Option<bool> {
                    let _ = __call;
                    #(#waits)*
                    #discover_waits
                    __generated::None
                }
            }
        };
    }
}

/// The route of one method. Its handler is the one that a program would register by hand.
fn endpoint(declaration: &Declaration, method: &Method) -> TokenStream {
    let service = &declaration.item.ident;
    let is_checked = declaration.is_described();
    let Method { name, ident, holder, params, .. } = method;
    let [own, given, reply_to, problem, text] = ["__service", "__params", "__reply", "__problem", "__text"].map(local);
    let span = Span::call_site().located_at(method.output_span);
    let idents: Vec<_> = params.iter().map(|param| &param.ident).collect();
    let (asynchronous, wait) =
        if method.is_async { (Some(quote!(async)), Some(quote_spanned!(span=> .await))) } else { (None, None) };
    let called = quote!(#own, #(#idents),*);
    let call = quote_spanned!(span=> <__Context as #service>::#ident(#called) #wait);
    // a result is held to the schema in the OpenRPC document
    let call = match &method.output {
        Output::Plain(result) if declaration.has_document && !is_hashed(result) => {
            quote_spanned!(span=> __generated::Checked(#call))
        }
        Output::Fallible(result) if declaration.has_document && !is_hashed(result) => {
            quote_spanned!(span=> __generated::Result::map(#call, __generated::Checked))
        }
        _ => call,
    };
    let pattern = quote!(#holder { #(#idents),* });
    // an `async` handler writes the reply itself: the compiler cannot prove that a future is `Send` if its type contains the error
    let is_waiting = method.is_async && matches!(method.output, Output::Fallible(_));
    if !method.is_borrowing() && !method.is_lending && !is_waiting {
        let params = (!params.is_empty()).then(|| match is_checked {
            true => quote!(, __generated::Checked(#pattern): __generated::Checked<#holder>),
            false => quote!(, #pattern: #holder),
        });
        let head = quote!(#asynchronous |#own: &mut __Context #params|);
        return match &method.output {
            _ if method.is_notification => quote!(__generated::OnNotification::new(#name, #head #call)),
            Output::Fallible(_) => quote_spanned!(span=> __generated::request_fallible(#name, #head { #call })),
            Output::Unit | Output::Plain(_) => {
                quote_spanned!(span=> __generated::OnRequest::new(#name, __generated::Plain, #head { __generated::Ok::<_, __generated::ErrorObject<'static>>(#call) }))
            }
        };
    }
    if method.is_notification {
        let check = is_checked.then(|| {
            quote! {
                if let __generated::Err(#problem) = __generated::check(&#given, #text) {
                    return __generated::Err(__generated::PayloadError::error(#problem));
                }
            }
        });
        let raw = is_checked.then(|| quote!(let #text = __generated::Params::raw(&#given);));
        return quote! {
            __generated::OnNotification::<_, __generated::Reporting>::new(#name, #asynchronous |#own: &mut __Context, #given: __generated::Params<'_>| {
                #raw
                let #given = match __generated::Params::read::<#holder<'_>>(#given) {
                    __generated::Ok(#given) => #given,
                    __generated::Err(#problem) => return __generated::Err(__generated::PayloadError::error(#problem)),
                };
                #check
                let #pattern = #given;
                #call;
                __generated::Ok(())
            })
        };
    }
    let reply = match &method.output {
        Output::Fallible(_) => quote_spanned!(span=> __generated::reply(#call, #reply_to)),
        Output::Unit | Output::Plain(_) => quote_spanned!(span=> __generated::Reply::success(#reply_to, &#call)),
    };
    let body = if params.is_empty() {
        quote!(if __generated::Params::is_empty(&#given) { #reply } else { __generated::Reply::error(#reply_to, __generated::NO_PARAMS) })
    } else {
        let lifetime = method.is_borrowing().then(|| quote!(<'_>));
        let read = if is_checked {
            quote! {
                __generated::Ok(#text) => match __generated::check(&#text, __generated::Params::raw(&#given)) {
                    __generated::Ok(()) => {
                        let #pattern = #text;
                        #reply
                    }
                    __generated::Err(#problem) => __generated::Reply::refuse(#reply_to, &#given, #problem),
                }
            }
        } else {
            quote!(__generated::Ok(#pattern) => #reply,)
        };
        quote! {
            match __generated::Reply::read::<#holder #lifetime>(&mut #reply_to, &#given) {
                #read
                __generated::Err(#problem) => __generated::Reply::refuse(#reply_to, &#given, #problem),
            }
        }
    };
    let mutable = (!params.is_empty()).then(|| quote!(mut));
    quote! {
        __generated::OnRequest::new(
            #name,
            __generated::Plain,
            #asynchronous |#own: &mut __Context, #given: __generated::Params<'_>, #mutable #reply_to: __generated::Reply<'_>| #body,
        )
    }
}
