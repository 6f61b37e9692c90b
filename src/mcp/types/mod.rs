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
//!
//! # The params of any message, by its method
//!
//! ```
//! use nanojsonrpc::mcp::{method, types::*};
//! use nanojsonrpc::{Error, RawValue};
//!
//! fn check_params(method: &str, params: RawValue<'_>) -> Result<(), Error> {
//!     match method {
//!         method::INITIALIZE => InitializeParams::read(params).map(drop),
//!         method::PING | method::SERVER_DISCOVER => EmptyParams::read(params).map(drop),
//!         method::TOOLS_LIST | method::PROMPTS_LIST => ListParams::read(params).map(drop),
//!         method::RESOURCES_LIST | method::RESOURCES_TEMPLATES_LIST => ListParams::read(params).map(drop),
//!         method::TOOLS_CALL => CallToolParams::read(params).map(drop),
//!         method::PROMPTS_GET => GetPromptParams::read(params).map(drop),
//!         method::RESOURCES_READ => ReadResourceParams::read(params).map(drop),
//!         method::COMPLETION_COMPLETE => CompleteParams::read(params).map(drop),
//!         method::LOGGING_SET_LEVEL => SetLevelParams::read(params).map(drop),
//!         method::SUBSCRIPTIONS_LISTEN => SubscriptionsListenParams::read(params).map(drop),
//!         method::CANCELLED => Cancelled::read(params).map(drop),
//!         method::PROGRESS => Progress::read(params).map(drop),
//!         method::MESSAGE => LogMessage::read(params).map(drop),
//!         method::RESOURCES_UPDATED => ResourceUpdated::read(params).map(drop),
//!         method::TOOLS_LIST_CHANGED | method::PROMPTS_LIST_CHANGED => ListChanged::read(params).map(drop),
//!         method::RESOURCES_LIST_CHANGED | method::ROOTS_LIST_CHANGED => ListChanged::read(params).map(drop),
//!         // without a type: `method::INITIALIZED`, `method::ELICITATION_COMPLETE`; tasks: `method::TASKS_LIST`,
//!         // `method::TASKS_CANCEL`, `method::TASKS_STATUS`, …
//!         _ => Ok(()),
//!     }
//! }
//!
//! let params = br#"{"ref":{"type":"ref/prompt","name":"dim"},"argument":{"name":"room","value":"h"}}"#;
//! let params = CompleteParams::read(RawValue::parse(params).unwrap()).unwrap();
//! let argument: Argument<'_> = params.argument;
//! assert!(argument.value == "h");
//!
//! let params = RawValue::parse(br#"{"name":"dim","arguments":{"level":40},"_meta":{"progressToken":7}}"#).unwrap();
//! assert!(check_params("tools/call", params).is_ok());
//! let meta = CallToolParams::read(params).unwrap().meta.unwrap_or_default();
//! // a `Token`: a string or an integer
//! let token: ProgressToken<'_> = meta.progress_token.unwrap();
//! assert_eq!(token.raw().as_i64(), Some(7));
//! ```
//!
//! # The result of any request
//!
//! ```
//! use nanojsonrpc::mcp::{method, types::*};
//! use nanojsonrpc::{Error, RawValue};
//!
//! fn check_result(method: &str, result: RawValue<'_>) -> Result<(), Error> {
//!     match method {
//!         method::INITIALIZE => InitializeResult::read(result).map(drop),
//!         method::SERVER_DISCOVER => DiscoverResult::read(result).map(drop),
//!         method::TOOLS_LIST => ListToolsResult::read(result).map(drop),
//!         method::PROMPTS_LIST => ListPromptsResult::read(result).map(drop),
//!         method::RESOURCES_LIST => ListResourcesResult::read(result).map(drop),
//!         method::RESOURCES_TEMPLATES_LIST => ListResourceTemplatesResult::read(result).map(drop),
//!         method::TOOLS_CALL => CallToolResult::read(result).map(drop),
//!         method::PROMPTS_GET => GetPromptResult::read(result).map(drop),
//!         method::RESOURCES_READ => ReadResourceResult::read(result).map(drop),
//!         method::COMPLETION_COMPLETE => CompleteResult::read(result).map(drop),
//!         _ => EmptyResult::read(result).map(drop),
//!     }
//! }
//!
//! let result = br#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"a","version":"1"}}"#;
//! let result = RawValue::parse(result).unwrap();
//! assert!(check_result("initialize", result).is_ok());
//! let capabilities: ServerCapabilities<'_> = InitializeResult::read(result).unwrap().capabilities;
//! assert_eq!(capabilities.tools, Some(Capability { list_changed: Some(true), subscribe: None }));
//! ```
//!
//! # Content with annotations
//!
//! ```
//! use nanojsonrpc::mcp::types::{
//!     Annotations, AudioContent, Base64, BlobResourceContents, Content, EmbeddedResource, Icon, ImageContent, List, Resource,
//!     ResourceContents, ResourceLink, Role, TextContent,
//! };
//! use nanojsonrpc::message::Text;
//!
//! let for_users = Annotations { audience: Some(List::of(&[Role::User])), ..Annotations::new() };
//! let icon = Icon { mime_type: Some(Text::Plain("image/png")), ..Icon::new(Text::Plain("https://example.com/lamp.png")) };
//! let icons = [icon];
//! let lamp = Resource { icons: Some(List::of(&icons)), ..Resource::new(Text::Plain("lamp:///1"), Text::Plain("lamp")) };
//! let (png, wav) = (Text::Plain("image/png"), Text::Plain("audio/wav"));
//! let firmware = BlobResourceContents::new(Text::Plain("file:///firmware"), Base64::Bytes(b"\x7FELF"));
//! let all = [
//!     Content::Text(TextContent { annotations: Some(for_users), ..TextContent::new(Text::Plain("on")) }),
//!     Content::Image(ImageContent::new(Base64::Bytes(b"\x89PNG"), png)),
//!     Content::Audio(AudioContent::new(Base64::Bytes(b"RIFF"), wav)),
//!     Content::Link(ResourceLink(lamp)),
//!     Content::Resource(EmbeddedResource::new(ResourceContents::Blob(firmware))),
//! ];
//! assert_eq!(all.len(), 5);
//! ```
//!
//! # The metadata of a request of 2026-07-28, and its errors
//!
//! ```
//! use nanojsonrpc::mcp::types::{
//!     CLIENT_CAPABILITIES, CLIENT_INFO, ClientCapabilities, MissingCapability, PROTOCOL_VERSION, RequestMeta, ResultMeta,
//!     SERVER_INFO, SUBSCRIPTION_ID, UnsupportedVersion,
//! };
//! use nanojsonrpc::{ErrorCode, RawValue};
//!
//! let text = br#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}}"#;
//! let meta = RawValue::parse(text).unwrap();
//! assert!(meta.get(PROTOCOL_VERSION).is_some() && meta.get(CLIENT_CAPABILITIES).is_some() && meta.get(CLIENT_INFO).is_none());
//! let capabilities: ClientCapabilities<'_> = RequestMeta::read(meta).unwrap().client_capabilities.unwrap();
//! assert!(capabilities.roots.is_some() && capabilities.sampling.is_none());
//! let meta = RawValue::parse(br#"{"io.modelcontextprotocol/subscriptionId":4}"#).unwrap();
//! assert!(meta.get(SUBSCRIPTION_ID).is_some() && meta.get(SERVER_INFO).is_none());
//! assert!(ResultMeta::read(meta).unwrap().subscription_id.is_some());
//!
//! // the data of an error response, by its code
//! fn check_data(code: ErrorCode, data: RawValue<'_>) -> bool {
//!     match code {
//!         ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => UnsupportedVersion::read(data).is_ok(),
//!         ErrorCode::MISSING_CLIENT_CAPABILITY => MissingCapability::read(data).is_ok(),
//!         // without data of a fixed type
//!         ErrorCode::RESOURCE_NOT_FOUND | ErrorCode::HEADER_MISMATCH => true,
//!         _ => true,
//!     }
//! }
//! let data = RawValue::parse(br#"{"supported":["2026-07-28"],"requested":"1999-01-01"}"#).unwrap();
//! assert!(check_data(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, data));
//! assert!(!check_data(ErrorCode::MISSING_CLIENT_CAPABILITY, data));
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
