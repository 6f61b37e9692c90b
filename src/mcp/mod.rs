//! The Model Context Protocol: its messages, typed and borrowed, a server for tools, resources and prompts that needs no
//! heap, and a [client] that needs none either.
//!
//! [`Service`] is the server: it offers the registered tools, resources and prompts. It speaks two generations of the protocol at
//! once, because each request tells its own:
//!
//! | | sessions: 2024-11-05, 2025-06-18, 2025-11-25 | stateless: 2026-07-28 |
//! |---|---|---|
//! | begins with | `initialize` | anything; `server/discover` lists the capabilities |
//! | revision and capabilities | of the session | in the `_meta` of each request |
//! | results | as they are | with `resultType`, `_meta` and, where they may be kept, `ttlMs` and `cacheScope` |
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
//!     server.process(&mut 21, call, &mut output),
//!     Some(&br#"{"jsonrpc":"2.0","result":{"resultType":"complete","content":[{"type":"text","text":"21 degrees"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"thermometer","version":"1.0.0"}}},"id":1}"#[..])
//! );
//! ```
//!
//! The other types are the messages themselves, one for each object of the schema: params, results, definitions, content,
//! notifications. Each is read from a [`RawValue`](crate::RawValue) and written wherever a payload goes, members that may be
//! absent are options, and nothing is copied.
//!
//! # Not here
//! A request of a server to its client (sampling, elicitation, roots) is a [`RawValue`](crate::RawValue) in an
//! [`InputRequest`]; `tasks` have names, but no types. `logging/setLevel` is answered with -32601 unless the
//! [`Router`](crate::Router) that the service is merged into has a route for it.
//!
//! Source: the schemas of the three revisions.

mod base64;
pub mod client;
mod content;
mod definition;
mod enveloped;
mod error;
pub mod http;
mod list;
pub mod method;
mod notification;
mod params;
mod result;
mod revision;
mod schema;
pub mod service;
mod template;
mod value;

#[doc(inline)]
pub use crate::__mcp_schema as schema;
#[doc(inline)]
pub use crate::__mcp_uri_template as uri_template;
pub use base64::Base64;
pub use content::{
    Annotations, AudioContent, BlobResourceContents, Content, EmbeddedResource, Icon, ImageContent, ResourceContents,
    ResourceLink, Role, TextContent, TextResourceContents,
};
pub use definition::{Implementation, Prompt, PromptArgument, Resource, ResourceTemplate, Tool, ToolAnnotations};
pub use enveloped::Enveloped;
pub use error::{MissingCapability, UnsupportedVersion};
pub use list::{Iter, List, Number, ProgressToken, RequestId, Token};
pub use notification::{
    Cancelled, ListChanged, LogMessage, LoggingLevel, Progress, ResourceUpdated, SubscriptionFilter, SubscriptionMeta,
    SubscriptionsAcknowledged,
};
pub use params::{
    Argument, CLIENT_CAPABILITIES, CLIENT_INFO, CacheScope, CallToolParams, ClientCapabilities, CompleteParams,
    EmptyParams, GetPromptParams, InitializeParams, LOG_LEVEL, ListParams, PROTOCOL_VERSION, ReadResourceParams,
    Reference, RequestMeta, SERVER_INFO, SUBSCRIPTION_ID, SetLevelParams, SubscriptionsListenParams,
};
pub use result::{
    CallToolResult, Capability, CompleteResult, Completion, DiscoverResult, EmptyResult, GetPromptResult,
    InitializeResult, InputRequest, InputRequests, InputRequiredResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PromptMessage, ReadResourceResult, ResultMeta, ServerCapabilities,
};
pub use revision::Revision;
pub use schema::Schema;
pub use service::{CompletionCall, PromptCall, ReadCall, Service, Structured, Subscriptions, ToolCall};
pub use template::UriTemplate;
