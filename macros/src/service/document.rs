//! The OpenRPC document of a service.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Result;
use syn::spanned::Spanned as _;

use super::declaration::Declaration;
use super::lifetimes::with_static;
use super::method::{Method, Output};
use crate::docs::description;
use crate::schema;

/// Generates the constant `OPENRPC` of the service.
pub(crate) fn document(declaration: &Declaration) -> Result<TokenStream> {
    if !declaration.has_document {
        return Ok(TokenStream::new());
    }
    let Declaration { item, service, methods, root, .. } = declaration;
    let visibility = &item.vis;
    let title = item.ident.to_string();
    let about = description_member(description(&item.attrs).as_ref());
    let orders = methods.iter().map(order).collect::<Result<Vec<_>>>()?;
    let results = methods.iter().filter_map(|method| match &method.output {
        Output::Fallible(result) | Output::Plain(result) if schema::is_hashed(result) => {
            let assertion = schema::lacks_limits(&with_static(result));
            Some(quote!(const _: () = #assertion))
        }
        _ => None,
    });
    let methods = methods.iter().map(method).collect::<Result<Vec<_>>>()?;
    Ok(quote! {
        #[allow(dead_code)]
        impl #service {
            /// The OpenRPC document of the service (OpenRPC 1.3.2), the result of the method `rpc.discover`.
            #visibility const OPENRPC: &'static str = {
                use #root::json_schema as __json_schema;

                #(#orders)*
                #(#results)*

                struct __Document;

                impl __json_schema::JsonSchema for __Document {
                    const SCHEMA: __json_schema::Node = __json_schema::Node::Object {
                        members: &[
                            ("openrpc", __json_schema::Node::Text { text: "1.3.2" }),
                            (
                                "info",
                                __json_schema::Node::Object {
                                    members: &[
                                        ("title", __json_schema::Node::Text { text: #title }),
                                        ("version", __json_schema::Node::Text { text: ::core::env!("CARGO_PKG_VERSION") }),
                                        #about
                                    ],
                                },
                            ),
                            ("methods", __json_schema::Node::Array { elements: &[#(#methods),*] }),
                        ],
                    };
                }

                __json_schema::schema_of!(__Document)
            };
        }
    })
}

/// The member `description` with `text`.
fn description_member(text: Option<&TokenStream>) -> Option<TokenStream> {
    text.map(|text| quote!(("description", __json_schema::Node::Text { text: #text }),))
}

/// Asserts that no optional param precedes a required one. "All optional params (content descriptor objects with "required": false) MUST be
/// positioned after all required params in the list" (OpenRPC 1.3.2, Method Object). The compiler decides, because a type may be an alias of
/// `Option`.
fn order(method: &Method) -> Result<TokenStream> {
    let mut checks = TokenStream::new();
    // whether a later param is required
    let mut later: Option<TokenStream> = None;
    for param in method.params.iter().rev() {
        let is_required = schema::is_param_required(&with_static(&param.held), &param.attributes)?;
        if let Some(later) = &later {
            let message = format!(
                "in an OpenRPC document, required params precede optional ones: move `{}` behind the required params, or make it required",
                param.name.value()
            );
            let span = Span::call_site().located_at(param.declared.span());
            checks.extend(quote_spanned!(span=> const _: () = ::core::assert!(#is_required || !(#later), #message);));
        }
        later = Some(later.map_or(is_required.clone(), |later| quote!(#is_required || #later)));
    }
    Ok(checks)
}

fn method(method: &Method) -> Result<TokenStream> {
    let name = &method.name;
    let about = description_member(method.description.as_ref());
    let params = method.params.iter().map(|param| {
        let name = &param.name;
        let about = description_member(description(&param.attributes).as_ref());
        let held = with_static(&param.held);
        let is_required = schema::is_param_required(&held, &param.attributes)?;
        let schema = schema::of_param(&held, &param.attributes)?;
        Ok(quote! {
            __json_schema::Node::Object {
                members: &[
                    ("name", __json_schema::Node::Text { text: #name }),
                    #about
                    ("required", __json_schema::Node::Json { text: if #is_required { "true" } else { "false" } }),
                    ("schema", #schema),
                ],
            }
        })
    });
    let params = params.collect::<Result<Vec<_>>>()?;
    let result = match &method.output {
        Output::Unit => quote!(<() as __json_schema::JsonSchema>::SCHEMA),
        Output::Fallible(result) | Output::Plain(result) => schema::constant_of(&with_static(result), "SCHEMA"),
    };
    // a method without a result is a notification (OpenRPC 1.3.2, Method Object)
    let result = (!method.is_notification).then(|| {
        quote! {
            (
                "result",
                __json_schema::Node::Object { members: &[("name", __json_schema::Node::Text { text: "result" }), ("schema", #result)] },
            ),
        }
    });
    Ok(quote! {
        __json_schema::Node::Object {
            members: &[
                ("name", __json_schema::Node::Text { text: #name }),
                #about
                ("paramStructure", __json_schema::Node::Text { text: "either" }),
                ("params", __json_schema::Node::Array { elements: &[#(#params),*] }),
                #result
            ],
        }
    })
}
