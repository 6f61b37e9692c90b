//! The objects of the protocol's schema: params, results, definitions, content, notifications.
//!
//! Each type is read from a [`RawValue`](crate::RawValue) and written as any payload. Optional members are `Option`s. Nothing is
//! copied: strings and inner objects borrow from the message.
//!
//! | task | item |
//! |---|---|
//! | register a tool, prompt or resource with a title, icons or annotations | [`Tool`], [`Prompt`], [`PromptArgument`], [`Resource`], [`ResourceTemplate`] |
//! | read the result of a tool in a client | [`CallToolResult`], [`Content`] |
//! | answer a request for input | [`InputRequest`], [`InputRequests`], [`InputRequiredResult`] |
//! | report progress, log messages and changes | [`Progress`], [`LogMessage`], [`ResourceUpdated`], [`ListChanged`] |
//! | read the metadata of a request | [`RequestMeta`], and the keys of `_meta`: [`PROTOCOL_VERSION`], [`CLIENT_INFO`], … |
//!
//! ```
//! use nanojsonrpc::mcp::types::{LogMessage, LoggingLevel};
//! use nanojsonrpc::{Notification, RawValue, mcp::method};
//!
//! let text = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"hot"}}"#;
//! let notification = Notification::parse(text).unwrap();
//! assert_eq!(notification.method, method::MESSAGE);
//! let message = LogMessage::read(notification.params.unwrap_or(RawValue::NULL)).unwrap();
//! assert_eq!(message.level, LoggingLevel::Warning);
//! assert_eq!(message.data.as_str(), Some("hot"));
//! ```

mod base64;
mod content;
mod definition;
mod error;
mod list;
mod notification;
mod params;
mod result;

pub use base64::Base64;
pub use content::{
    Annotations, AudioContent, BlobResourceContents, Content, EmbeddedResource, Icon, ImageContent, ResourceContents,
    ResourceLink, Role, TextContent, TextResourceContents,
};
pub use definition::{Implementation, Prompt, PromptArgument, Resource, ResourceTemplate, Tool, ToolAnnotations};
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
