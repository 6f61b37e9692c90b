//! The Model Context Protocol without a heap: a [server](Service) of tools, resources and prompts, a [client], and the
//! [objects of the messages](types).
//!
//! [`Service`] is the server: it offers the registered tools, resources and prompts. It serves both generations of the protocol at once,
//! because each request shows its generation:
//!
//! | | sessions: 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 | stateless: 2026-07-28 |
//! |---|---|---|
//! | begins with | `initialize` | anything; `server/discover` lists the capabilities |
//! | revision and capabilities | of the session | in the `_meta` of each request |
//! | results | without additions | with `resultType`, `_meta` and, if clients may cache them, `ttlMs` and `cacheScope` |
//! | unknown resource | -32002 | -32602 |
//!
//! ```
//! use nanojsonrpc::mcp::{Service, ToolCall, schema};
//!
//! let mut server = Service::new("thermometer", "1.0.0")
//!     .tool("read", "The temperature, in degrees.", schema!(r#"{"type":"object"}"#), |celsius: &mut i32, call: ToolCall<'_>| {
//!         call.text((*celsius, " degrees"))
//!     })
//!     .server();
//! let mut output = [0; 256];
//! let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","_meta":{
//!     "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
//! assert_eq!(
//!     server.process(&mut 21, call, &mut output).answer(),
//!     Some(&br#"{"jsonrpc":"2.0","result":{"resultType":"complete","content":[{"type":"text","text":"21 degrees"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"thermometer","version":"1.0.0"}}},"id":1}"#[..])
//! );
//! ```
//!
//! | task | item |
//! |---|---|
//! | serve tools, resources, prompts | [`Service`], [`Schema`], [`schema!`](schema), [`ToolCall`], [`ReadCall`], [`PromptCall`] |
//! | offer skills | [`Service::skill`] |
//! | match URIs | [`UriTemplate`], [`uri_template!`](uri_template) |
//! | notify subscribers | [`Subscriptions`] |
//! | run tools as tasks | [`Service::tasks`], [`service::Tasks`], [`ToolCall::task`] |
//! | receive the level of `logging/setLevel` | a route of [`Service::router`] |
//! | call a server | [`client::Client`] |
//! | serve over Streamable HTTP | [`http::Endpoint`] |
//! | get a token for a server, or demand one | module `authorization`, with the feature of that name |
//! | read and write params, results and notifications | [`types`], [`method`] |
//!
//! # Not supported
//! Requests to a client that run as tasks there (2025-11-25). `logging/setLevel` is answered with
//! -32601 unless the program [adds a route](Service::router) for it.
//!
//! Source: the schemas of the revisions.

mod annotations;
#[cfg(feature = "authorization")]
pub mod authorization;
pub mod client;
mod enveloped;
mod file_path;
pub mod http;
pub mod method;
mod mirror;
mod revision;
mod schema;
pub mod service;
mod template;
pub mod types;
mod value;

/// The rules of the messages that a service or a client reads.
const fn dialect(is_lenient: bool) -> crate::Dialect {
    if is_lenient { crate::Dialect::MCP.with_any_params() } else { crate::Dialect::MCP }
}

#[doc(inline)]
pub use crate::__mcp_schema as schema;
#[doc(inline)]
pub use crate::__mcp_uri_template as uri_template;
pub use enveloped::Enveloped;
pub use revision::Revision;
pub use schema::Schema;
pub use service::{CompletionCall, PromptCall, ReadCall, Service, Structured, Subscriptions, ToolCall};
pub use template::UriTemplate;
