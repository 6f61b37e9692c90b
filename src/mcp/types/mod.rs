//! The objects of the protocol's schema that a server or a client handles: definitions, content, results, notifications.
//!
//! Each type is read from a [`RawValue`](crate::RawValue) and written as any payload. Optional members are `Option`s. Nothing is
//! copied: strings and inner objects borrow from the message.
//!
//! | task | item |
//! |---|---|
//! | register a tool, prompt or resource with a title, icons or annotations | [`Tool`], [`Prompt`], [`PromptArgument`], [`Resource`], [`ResourceTemplate`] |
//! | read the result of a tool in a client | [`CallToolResult`], [`Content`] |
//! | list and verify the files of skills | [`Skill`], [`SkillResources`], [`SkillResource`], [`Digest`] |
//! | answer a request for input | [`InputRequest`], [`InputRequests`], [`InputRequiredResult`] |
//! | run a tool as a task | [`Task`], [`TaskStatus`], [`TaskResult`], [`ToolExecution`], [`TaskSupport`] |
//! | report progress, log messages and changes | [`Progress`], [`LogMessage`], [`ResourceUpdated`] |
//! | read the metadata of a request | the keys of `_meta`: [`PROTOCOL_VERSION`], [`CLIENT_INFO`], … |
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
//! # Params and results by their method
//!
//! ```
//! use nanojsonrpc::mcp::{method, types::*};
//! use nanojsonrpc::{Error, RawValue};
//!
//! fn check(method: &str, params: RawValue<'_>, result: RawValue<'_>) -> Result<(), Error> {
//!     match method {
//!         method::PROGRESS => Progress::read(params).map(drop),
//!         method::MESSAGE => LogMessage::read(params).map(drop),
//!         method::RESOURCES_UPDATED => ResourceUpdated::read(params).map(drop),
//!         method::TOOLS_CALL => CallToolResult::read(result).map(drop),
//!         method::SKILLS_GET => GetSkillResult::read(result).map(drop),
//!         method::RESOURCES_DIRECTORY_READ => ReadDirectoryResult::read(result).map(drop),
//!         method::PROMPTS_GET => GetPromptResult::read(result).map(drop),
//!         method::RESOURCES_READ => ReadResourceResult::read(result).map(drop),
//!         method::COMPLETION_COMPLETE => {
//!             // the prompt or template, and the argument
//!             params.get("ref").map(Reference::read).transpose()?;
//!             params.get("argument").map(Argument::read).transpose()?;
//!             CompleteResult::read(result).map(drop)
//!         }
//!         method::TASKS_GET => Task::read(result).map(drop),
//!         // of 2025-11-25, of the extension of 2026-07-28
//!         method::TASKS_STATUS | method::TASKS_CHANGED => Task::read(params).map(drop),
//!         // in 2025-11-25 also the task
//!         method::PING | method::TASKS_UPDATE | method::TASKS_CANCEL => EmptyResult::read(result).map(drop),
//!         method::TASKS_RESULT => CallToolResult::read(result).map(drop),
//!         // the parts of the result: `mcp::client::Connected`
//!         method::INITIALIZE | method::SERVER_DISCOVER => Ok(()),
//!         // without a type: `method::INITIALIZED`, `method::ELICITATION_COMPLETE`; lists: `method::TOOLS_LIST`,
//!         // `method::RESOURCES_LIST`, `method::RESOURCES_TEMPLATES_LIST`, `method::PROMPTS_LIST`, `method::SKILLS_LIST`, `method::TASKS_LIST`; changes of them:
//!         // `method::TOOLS_LIST_CHANGED`, `method::RESOURCES_LIST_CHANGED`, `method::PROMPTS_LIST_CHANGED`,
//!         // `method::ROOTS_LIST_CHANGED`
//!         _ => Ok(()),
//!     }
//! }
//!
//! let params = RawValue::parse(br#"{"progressToken":7,"progress":0.5}"#).unwrap();
//! assert!(check("notifications/progress", params, RawValue::NULL).is_ok());
//! // a `Token`: a string or an integer
//! let token: ProgressToken<'_> = Progress::read(params).unwrap().progress_token;
//! assert_eq!(token.raw().as_i64(), Some(7));
//!
//! let result = br#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"a","version":"1"}}"#;
//! let capabilities = RawValue::parse(result).unwrap().get("capabilities").unwrap();
//! let tools = ServerCapabilities::read(capabilities).unwrap().tools;
//! assert_eq!(tools, Some(Capability { list_changed: Some(true), subscribe: None }));
//! ```
//!
//! # Content with annotations
//!
//! ```
//! use nanojsonrpc::mcp::types::{
//!     Annotations, AudioContent, Base64, BlobResourceContents, Content, EmbeddedResource, Icon, ImageContent, List, Resource,
//!     ResourceContents, ResourceLink, Role, TextContent,
//! };
//! use nanojsonrpc::message::Str;
//!
//! let for_users = Annotations { audience: Some(List::of(&[Role::User])), ..Annotations::new() };
//! let icon = Icon { mime_type: Some(Str::Plain("image/png")), ..Icon::new(Str::Plain("https://example.com/lamp.png")) };
//! let icons = [icon];
//! let lamp = Resource { icons: Some(List::of(&icons)), ..Resource::new(Str::Plain("lamp:///1"), Str::Plain("lamp")) };
//! let (png, wav) = (Str::Plain("image/png"), Str::Plain("audio/wav"));
//! let firmware = BlobResourceContents::new(Str::Plain("file:///firmware"), Base64::Bytes(b"\x7FELF"));
//! let all = [
//!     Content::Text(TextContent { annotations: Some(for_users), ..TextContent::new(Str::Plain("on")) }),
//!     Content::Image(ImageContent::new(Base64::Bytes(b"\x89PNG"), png)),
//!     Content::Audio(AudioContent::new(Base64::Bytes(b"RIFF"), wav)),
//!     Content::Link(ResourceLink(lamp)),
//!     Content::Resource(EmbeddedResource::new(ResourceContents::Blob(firmware))),
//! ];
//! assert_eq!(all.len(), 5);
//! ```
//!
//! # The metadata of 2026-07-28, and its errors
//!
//! ```
//! use nanojsonrpc::mcp::types::{
//!     CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION, RELATED_TASK, ResultMeta, SERVER_INFO, SUBSCRIPTION_ID, TASKS_EXTENSION,
//!     UnsupportedVersion,
//! };
//! use nanojsonrpc::{ErrorCode, RawValue};
//!
//! let text = br#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}}"#;
//! let meta = RawValue::parse(text).unwrap();
//! assert!(meta.get(PROTOCOL_VERSION).is_some() && meta.get(CLIENT_INFO).is_none());
//! assert!(meta.get(CLIENT_CAPABILITIES).is_some_and(|capabilities| capabilities.get("roots").is_some()));
//! let extensions = meta.get(CLIENT_CAPABILITIES).and_then(|capabilities| capabilities.get("extensions"));
//! assert!(extensions.is_none_or(|extensions| extensions.get(TASKS_EXTENSION).is_none()) && meta.get(RELATED_TASK).is_none());
//! let meta = RawValue::parse(br#"{"io.modelcontextprotocol/subscriptionId":4}"#).unwrap();
//! assert!(meta.get(SUBSCRIPTION_ID).is_some() && meta.get(SERVER_INFO).is_none());
//! assert!(ResultMeta::read(meta).unwrap().subscription_id.is_some());
//!
//! // the data of an error response, by its code
//! fn check_data(code: ErrorCode, data: RawValue<'_>) -> bool {
//!     match code {
//!         ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => UnsupportedVersion::read(data).is_ok(),
//!         ErrorCode::MISSING_CLIENT_CAPABILITY => data.get("requiredCapabilities").is_some(),
//!         // without data of a fixed type
//!         ErrorCode::RESOURCE_NOT_FOUND | ErrorCode::HEADER_MISMATCH => true,
//!         _ => true,
//!     }
//! }
//! let data = RawValue::parse(br#"{"supported":["2026-07-28"],"requested":"1999-01-01"}"#).unwrap();
//! assert!(check_data(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, data));
//! assert!(!check_data(ErrorCode::MISSING_CLIENT_CAPABILITY, data));
//! ```

mod asked;
mod base64;
mod content;
mod definition;
mod digest;
mod error;
mod list;
mod notification;
mod params;
mod result;
mod skill;
mod task;

pub use asked::{
    CreateMessage, CreateMessageResult, ElicitAction, ElicitForm, ElicitResult, ElicitUrl, Elicitation,
    ListRootsResult, Root, SamplingContent, SamplingMessage,
};
pub use base64::Base64;
pub use content::{
    AudioContent, BlobResourceContents, Content, EmbeddedResource, ImageContent, ResourceContents, ResourceLink,
    TextContent, TextResourceContents,
};
pub use definition::{
    Annotations, Icon, Implementation, Prompt, PromptArgument, Resource, ResourceTemplate, Role, TaskSupport, Tool,
    ToolAnnotations, ToolExecution,
};
pub use digest::Digest;
pub use error::UnsupportedVersion;
pub use list::{Iter, List, Number, ProgressToken, RequestId, Token};
pub use notification::{
    LogMessage, LoggingLevel, Progress, ResourceUpdated, SubscriptionFilter, SubscriptionMeta,
    SubscriptionsAcknowledged,
};
pub use params::{
    Argument, CLIENT_CAPABILITIES, CLIENT_INFO, CacheScope, LOG_LEVEL, PROTOCOL_VERSION, Reference, SERVER_INFO,
    SUBSCRIPTION_ID,
};
pub use result::{
    CallToolResult, Capability, CompleteResult, Completion, EmptyResult, GetPromptResult, InputRequest, InputRequests,
    InputRequiredResult, PromptMessage, ReadResourceResult, ResultMeta, ServerCapabilities,
};
pub use skill::{GetSkillResult, ReadDirectoryResult, Skill, SkillResource, SkillResources};
pub use task::{RELATED_TASK, TASKS_EXTENSION, Task, TaskResult, TaskStatus};
