//! The routes of a service: one comparison and one call for each method.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;

use super::declaration::Declaration;
use super::method::{Method, Output};

/// Generates the unit struct of the service, which is its list of routes.
pub(crate) fn service(declaration: &Declaration) -> TokenStream {
    let Declaration { item, service, methods, .. } = declaration;
    let (visibility, name) = (&item.vis, &item.ident);
    let doc = format!("The routes of the service [`{name}`]; see [`routes`](Self::routes).");
    let endpoints: Vec<_> = methods.iter().map(|method| endpoint(name, method)).collect();
    let discover = declaration.has_document.then(|| {
        quote!(|| generated::Endpoint::take(
            &mut generated::discover::<__Context>(const { generated::RawValue::constant(Self::OPENRPC) }),
            context,
            call,
            exchange
        ))
    });
    let blocking = (!declaration.is_async()).then(|| {
        quote! {
            impl<__Context: #name> generated::Routes<__Context> for #service {
                const FALLS_BACK: bool = false;

                #[inline]
                fn route(
                    &mut self,
                    context: &mut __Context,
                    call: &generated::Call<'_>,
                    exchange: &mut generated::Exchange<'_, '_>,
                ) -> bool {
                    false #(|| generated::Endpoint::take(&mut #endpoints, context, call, exchange))* #discover
                }
            }
        }
    });
    let takes = methods.iter().zip(&endpoints).map(|(method, endpoint)| {
        if method.is_async {
            quote!(generated::take_async(#endpoint, context, call, exchange).await)
        } else {
            quote!(generated::Endpoint::take(&mut #endpoint, context, call, exchange))
        }
    });
    let waits = methods.iter().filter(|method| method.is_async).map(|method| {
        let name = &method.name;
        if method.is_notification { quote!(call.notifies(#name)) } else { quote!(call.requests(#name)) }
    });
    quote! {
        #[doc = #doc]
        #[allow(dead_code)]
        #[derive(Clone, Copy, Debug, Default)]
        #visibility struct #service;

        #[allow(deprecated)]
        const _: () = {
            use ::nanojsonrpc::service::generated;

            #[allow(dead_code)]
            impl #service {
                /// The routes of `service`, for a router with any context. They own `service`, which may be a `&mut`.
                #visibility const fn routes<__Context, __Service: #name>(
                    service: __Service,
                ) -> ::nanojsonrpc::Router<__Context, generated::Owning<__Service, Self>> {
                    generated::owning(service, Self)
                }

                /// A server of `service` alone, which it owns; its context is `()`, or whatever the caller passes.
                #visibility fn server<__Service: #name>(
                    service: __Service,
                ) -> ::nanojsonrpc::Server<generated::Owning<__Service, Self>> {
                    ::nanojsonrpc::Server::with_routes(generated::Owning::new(service, Self))
                }
            }

            #blocking

            impl<__Context: #name> generated::AsyncRoutes<__Context> for #service {
                const FALLS_BACK: bool = false;

                async fn route(
                    &mut self,
                    context: &mut __Context,
                    call: &generated::Call<'_>,
                    exchange: &mut generated::Exchange<'_, '_>,
                ) -> bool {
                    false #(|| #takes)* #discover
                }

                fn waits(&self, call: &generated::Call<'_>) -> bool {
                    let _ = call;
                    false #(|| #waits)*
                }
            }
        };
    }
}

/// The route of one method, with the same handler that a program would register by hand.
fn endpoint(service: &Ident, method: &Method) -> TokenStream {
    let Method { name, ident, holder, params, .. } = method;
    let span = Span::call_site().located_at(method.output_span);
    let idents: Vec<_> = params.iter().map(|param| &param.ident).collect();
    let (asynchronous, wait) =
        if method.is_async { (Some(quote!(async)), Some(quote_spanned!(span=> .await))) } else { (None, None) };
    let called = quote!(__service, #(#idents),*);
    let call = quote_spanned!(span=> <__Context as #service>::#ident(#called) #wait);
    let pattern = quote!(#holder { #(#idents),* });
    // an `async` handler writes the reply itself: the compiler cannot prove that a future is `Send` if its type contains the error
    let is_waiting = method.is_async && matches!(method.output, Output::Fallible(_));
    if !method.is_borrowing() && !method.lends() && !is_waiting {
        let params = (!params.is_empty()).then(|| quote!(, #pattern: #holder));
        let head = quote!(#asynchronous |__service: &mut __Context #params|);
        return match &method.output {
            _ if method.is_notification => quote!(generated::notification(#name, #head #call)),
            Output::Fallible(_) => quote_spanned!(span=> generated::request_fallible(#name, #head { #call })),
            Output::Unit | Output::Plain(_) => {
                quote_spanned!(span=> generated::request(#name, #head { generated::Ok::<_, generated::ErrorObject<'static>>(#call) }))
            }
        };
    }
    if method.is_notification {
        return quote! {
            generated::notification_reporting(#name, #asynchronous |__service: &mut __Context, __params: generated::Params<'_>| {
                let #pattern = __params.read::<#holder<'_>>().map_err(generated::PayloadError::error)?;
                #call;
                generated::Ok(())
            })
        };
    }
    let reply = match &method.output {
        Output::Fallible(_) => quote_spanned!(span=> generated::reply(#call, __reply)),
        Output::Unit | Output::Plain(_) => quote_spanned!(span=> __reply.success(&#call)),
    };
    let body = if params.is_empty() {
        quote!(if __params.is_empty() { #reply } else { __reply.error(generated::NO_PARAMS) })
    } else {
        let lifetime = method.is_borrowing().then(|| quote!(<'_>));
        quote! {
            match __reply.read::<#holder #lifetime>(&__params) {
                generated::Ok(#pattern) => #reply,
                generated::Err(problem) => __reply.error(problem.into()),
            }
        }
    };
    let mutable = (!params.is_empty()).then(|| quote!(mut));
    quote! {
        generated::request(
            #name,
            #asynchronous |__service: &mut __Context, __params: generated::Params<'_>, #mutable __reply: generated::Reply<'_>| #body,
        )
    }
}
