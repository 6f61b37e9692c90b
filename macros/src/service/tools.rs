//! The methods of a service as tools of MCP.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;

use super::declaration::Declaration;
use super::lifetimes::with_static;
use super::local;
use super::method::{Method, Output};

/// Generates the function `tools` of the service.
pub(crate) fn tools(declaration: &Declaration) -> TokenStream {
    if !declaration.has_tools {
        return TokenStream::new();
    }
    let Declaration { item, service, methods, root, .. } = declaration;
    let (visibility, name) = (&item.vis, &item.ident);
    let features = if declaration.is_async() { quote!(AsyncFeatures) } else { quote!(Features) };
    let tools: Vec<_> = methods.iter().filter_map(|method| Some((method, method.tool_name()?))).collect();
    let handlers = tools.iter().enumerate().map(|(index, (method, _))| handler(declaration, method, index));
    let registrations = tools.iter().enumerate().map(|(index, (method, name))| registration(root, method, name, index));
    let list = tools.iter().enumerate().fold(quote!(__Others), |before, (index, (method, _))| {
        let registration = if method.is_async { quote!(AsyncRegistration) } else { quote!(Registration) };
        quote!(__tools::With<#before, __tools::#registration<__tools::Declared<Self, #index>, __tools::ToolUse>>)
    });
    quote! {
        #[allow(deprecated)]
        const _: () = {
            use #root::json_schema as __json_schema;
            use #root::service::generated::tools as __tools;

            #[allow(dead_code)]
            impl #service {
                /// Adds a tool for each method to `server`, whose context is the service. Notifications are not tools. The
                /// name of a tool is that of the method, with `_` in place of any `.` or `/`.
                #visibility fn tools<__Context: #name, __Others: __tools::#features<__Context> + ::core::clone::Clone>(
                    server: __tools::Service<__Context, __Others>,
                ) -> __tools::Service<__Context, #list> {
                    server #(#registrations)*
                }
            }

            #(#handlers)*
        };
    }
}

/// The registration of the method: its name and its definition.
fn registration(root: &Path, method: &Method, name: &str, index: usize) -> TokenStream {
    let Method { holder, description, params, tool_arguments, .. } = method;
    let for_schema = method.is_borrowing().then(|| quote!(<'static>));
    let input = if params.is_empty() {
        quote!(__tools::Schema::NO_ARGUMENTS)
    } else {
        quote!(#root::mcp::schema!(__json_schema::schema_of!(#holder #for_schema)))
    };
    let span = Span::call_site().located_at(method.output_span);
    let output = match &method.output {
        // without structured content there is no schema
        _ if tool_arguments.text.is_some() => quote!(::core::option::Option::None),
        Output::Unit => quote!(::core::option::Option::None),
        Output::Fallible(result) | Output::Plain(result) => {
            let result = with_static(result);
            quote_spanned!(span=> #root::service::generated::RawValue::constant(
                __json_schema::schema_of!(__tools::Output<#result>)
            ))
        }
    };
    let description = description
        .as_ref()
        .map(|description| quote!(description: ::core::option::Option::Some(__tools::Str::Plain(#description)),));
    let hints = &tool_arguments.hints;
    let hints = (!hints.is_empty()).then(|| {
        let hints = hints.iter().map(|(field, is_so)| quote!(#field: ::core::option::Option::Some(#is_so)));
        quote! {
            annotations: ::core::option::Option::Some(__tools::ToolAnnotations {
                #(#hints,)*
                ..__tools::ToolAnnotations::new()
            }),
        }
    });
    let register = if method.is_async { quote!(tool_as_async) } else { quote!(tool_as) };
    quote! {
        .#register(
            #name,
            const {
                &__tools::Tool {
                    #description
                    output_schema: #output,
                    #hints
                    ..__tools::Tool::new(__tools::Str::Plain(#name), #input)
                }
            },
            __tools::Declared::<Self, #index>::NEW,
        )
    }
}

/// The implementation of the tool at `index`: the method reads its arguments and answers.
fn handler(declaration: &Declaration, method: &Method, index: usize) -> TokenStream {
    let (name, service) = (&declaration.item.ident, &declaration.service);
    let Method { ident, holder, params, .. } = method;
    let idents: Vec<_> = params.iter().map(|param| &param.ident).collect();
    let [own, call, problem, given] = ["__service", "__call", "__problem", "__given"].map(local);
    let for_call = method.is_borrowing().then(|| quote!(<'_>));
    let span = Span::call_site().located_at(method.output_span);
    let (tool, asynchronous, wait) = if method.is_async {
        (quote!(DeclaredAsyncTool), Some(quote!(async)), Some(quote_spanned!(span=> .await)))
    } else {
        (quote!(DeclaredTool), None, None)
    };
    let arguments = quote!(#own, #(#idents),*);
    let called = quote_spanned!(span=> <__Context as #name>::#ident(#arguments) #wait);
    let reply = match &method.output {
        Output::Fallible(_) if method.tool_arguments.text.is_some() => {
            quote_spanned!(span=> __tools::reply_text(#called, #call))
        }
        Output::Plain(_) if method.tool_arguments.text.is_some() => {
            quote_spanned!(span=> __tools::ToolCall::text(#call, #called))
        }
        Output::Fallible(_) => quote_spanned!(span=> __tools::reply(#called, #call)),
        Output::Unit => quote!({
            #called;
            __tools::ToolCall::content(#call, &[])
        }),
        Output::Plain(_) => quote_spanned!(span=> __tools::success(&#called, #call)),
    };
    let (mutable, body) = if params.is_empty() {
        (None, reply)
    } else {
        let body = quote! {
            match __tools::ToolCall::read::<#holder #for_call>(&mut #call) {
                ::core::result::Result::Ok(#given) => match __tools::check(&#given, __tools::ToolCall::arguments(&#call)) {
                    ::core::result::Result::Ok(()) => {
                        let #holder { #(#idents),* } = #given;
                        #reply
                    }
                    ::core::result::Result::Err(#problem) => __tools::ToolCall::invalid(#call, #problem),
                },
                ::core::result::Result::Err(#problem) => __tools::ToolCall::invalid(#call, #problem),
            }
        };
        (Some(quote!(mut)), body)
    };
    quote! {
        impl<__Context: #name> __tools::#tool<__Context, #index> for #service {
            #asynchronous fn answer(#own: &mut __Context, #mutable #call: __tools::ToolCall<'_>) -> __tools::Replied {
                #body
            }
        }
    }
}
