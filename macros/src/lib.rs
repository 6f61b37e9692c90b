//! The procedural macros of `nanojsonrpc`, which re-exports and documents them with its feature `macros`. Depend on that
//! crate, not on this one.

mod docs;
mod mistakes;
mod root;
mod schema;
mod service;
mod shape;

use proc_macro::TokenStream;

/// Generates the routes, the params, and on request a client, MCP tools and an OpenRPC document from a trait. The module
/// `nanojsonrpc::service` documents it.
#[proc_macro_attribute]
pub fn service(arguments: TokenStream, declaration: TokenStream) -> TokenStream {
    service::expand(arguments.into(), declaration.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Derives the JSON Schema of a type. The module `nanojsonrpc::json_schema` documents the rules.
#[proc_macro_derive(Schema, attributes(schema, serde))]
pub fn derive_schema(item: TokenStream) -> TokenStream {
    schema::expand(item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
