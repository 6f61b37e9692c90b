//! The results of requests.
//!
//! In 2026-07-28 each has a `result_type`, which is `complete` except for an [`InputRequiredResult`], and cacheable results have
//! `ttl_ms` and `cache_scope`. Earlier revisions have none of these. A [`Service`](crate::mcp::Service) writes the members of the
//! request's revision.

use super::{CacheScope, Content, Implementation, List, RequestId, ResourceContents, Role};
use crate::error::Error;
use crate::json::{RawValue, ToJson, ValueWriter, Written};
use crate::mcp::value::{Member, Value, an_object, object, value};
use crate::message::Str;

/// The changes that a server announces: of a list, and of single resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Capability {
    /// The server sends a notification when the list has changed.
    pub list_changed: Option<bool>,
    /// Of resources: the server sends a notification when a resource has changed.
    pub subscribe: Option<bool>,
}

impl<'a> Value<'a> for Capability {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        let object = an_object(raw)?;
        Ok(Self {
            list_changed: Member::read_from(object, "listChanged")?,
            subscribe: Member::read_from(object, "subscribe")?,
        })
    }
}

impl ToJson for Capability {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.object(|object| {
            self.list_changed.write_to(object, "listChanged");
            self.subscribe.write_to(object, "subscribe");
        })
    }
}

object! {
    /// The capabilities of a server: each member is present if the server has it.
    ServerCapabilities
    required {}
    optional {
        /// The server completes arguments; an object.
        completions: RawValue<'a> = "completions",
        /// The server sends log messages; an object.
        logging: RawValue<'a> = "logging",
        /// The server has prompts.
        prompts: Capability = "prompts",
        /// The server has resources.
        resources: Capability = "resources",
        /// The server has tools.
        tools: Capability = "tools",
        /// The server runs requests as tasks; an object. 2025-11-25.
        tasks: RawValue<'a> = "tasks",
        /// Capabilities outside of the protocol, an object.
        experimental: RawValue<'a> = "experimental",
        /// Extensions of the protocol, an object. 2026-07-28.
        extensions: RawValue<'a> = "extensions",
    }
}

object! {
    /// The `_meta` of a result. 2026-07-28.
    ResultMeta
    required {}
    optional {
        /// The implementation of the server.
        server_info: Implementation<'a> = "io.modelcontextprotocol/serverInfo",
        /// The stream of notifications that ends.
        subscription_id: RequestId<'a> = "io.modelcontextprotocol/subscriptionId",
    }
}

object! {
    /// A result without members of its own: of `ping`, and of `subscriptions/listen` when the stream ends.
    EmptyResult
    required {}
    optional {
        /// `complete`.
        result_type: Str<'a> = "resultType",
        /// Metadata.
        meta: ResultMeta<'a> = "_meta",
    }
}

object! {
    /// The result of `tools/call`.
    CallToolResult
    required {
        /// The content of the tool. If it is absent, which the specification does not allow, it is read as empty.
        content: List<'a, Content<'a>> = "content" or List::of(&[]),
    }
    optional {
        /// The result for programs: an object; in 2026-07-28 any value.
        structured_content: RawValue<'a> = "structuredContent",
        /// Whether the tool failed; the content then has the reason.
        is_error: bool = "isError",
        /// `complete`.
        result_type: Str<'a> = "resultType",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// The result of `resources/read`.
    ReadResourceResult
    required {
        /// The contents of the resource, or of each of its parts.
        contents: List<'a, ResourceContents<'a>> = "contents",
    }
    optional {
        /// `complete`.
        result_type: Str<'a> = "resultType",
        /// The time in milliseconds during which the result may be cached.
        ttl_ms: u64 = "ttlMs",
        /// The parties that may cache the result.
        cache_scope: CacheScope = "cacheScope",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// One message of a conversation.
    PromptMessage
    required {
        /// The role of the sender.
        role: Role = "role",
        /// The content.
        content: Content<'a> = "content",
    }
    optional {}
}

object! {
    /// The result of `prompts/get`.
    GetPromptResult
    required {
        /// The conversation.
        messages: List<'a, PromptMessage<'a>> = "messages",
    }
    optional {
        /// A description.
        description: Str<'a> = "description",
        /// `complete`.
        result_type: Str<'a> = "resultType",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// Possible values of an argument.
    Completion
    required {
        /// Up to 100 values, the best first.
        values: List<'a, Str<'a>> = "values",
    }
    optional {
        /// The number of all values.
        total: u64 = "total",
        /// Whether more values exist.
        has_more: bool = "hasMore",
    }
}

object! {
    /// The result of `completion/complete`.
    CompleteResult
    required {
        /// Possible values of the argument.
        completion: Completion<'a> = "completion",
    }
    optional {
        /// `complete`.
        result_type: Str<'a> = "resultType",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// A request to the client that the server must make before it can answer: `elicitation/create`, `sampling/createMessage` or `roots/list`.
    InputRequest
    required {
        /// The method.
        method: Str<'a> = "method",
    }
    optional {
        /// The params, an object.
        params: RawValue<'a> = "params",
    }
}

/// The requests of a server to its client, each under its own key.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum InputRequests<'a> {
    /// A received object.
    Raw(RawValue<'a>),
    /// An object of the program.
    Entries(&'a [(&'a str, InputRequest<'a>)]),
}

impl<'a> InputRequests<'a> {
    /// Reads an object of requests.
    ///
    /// # Errors
    /// [`UnexpectedType`](crate::ErrorKind::UnexpectedType) for another kind of value, and the errors of [`InputRequest::read`].
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        let object = an_object(raw)?;
        object.members().try_for_each(|(_, request)| InputRequest::read(request).map(|_| ()))?;
        Ok(Self::Raw(object))
    }
}

impl ToJson for InputRequests<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match self {
            Self::Raw(raw) => out.value(raw),
            Self::Entries(requests) => {
                out.object(|object| requests.iter().for_each(|(key, request)| object.member(key, request)))
            }
        }
    }
}

value!(InputRequests<'a>);

object! {
    /// The result of a request that needs more input: the client repeats the request with the answers, and with the same state.
    /// `input_requests` or `request_state` is required. 2026-07-28.
    ///
    /// The client sends the state back and may have changed it: validate it like any argument.
    InputRequiredResult
    required {}
    optional {
        /// The requests.
        input_requests: InputRequests<'a> = "inputRequests",
        /// The state that the client must send back.
        request_state: Str<'a> = "requestState",
        /// `input_required`.
        result_type: Str<'a> = "resultType",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}
