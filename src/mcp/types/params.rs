//! The params of requests.

use super::{Implementation, LoggingLevel, ProgressToken, SubscriptionFilter};
use crate::error::{Error, ErrorKind};
use crate::json::{RawValue, Writer};
use crate::mcp::value::{Value, names, object, payload, put_object, put_text};
use crate::message::Text;

/// The name in `_meta` of the revision of the request. 2026-07-28.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The name in `_meta` of the capabilities of the client. 2026-07-28.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The name in `_meta` of the implementation of the client. 2026-07-28.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The name in `_meta` of the least severe level of log messages for a request. 2026-07-28.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The name in `_meta` of the implementation of the server. 2026-07-28.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The name in `_meta` of the stream that a notification belongs to. 2026-07-28.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

object! {
    /// The `_meta` of a request. In 2026-07-28 revision and capabilities are required; earlier revisions have only the
    /// token.
    RequestMeta
    required {}
    optional {
        /// The revision of the request.
        protocol_version: Text<'a> = "io.modelcontextprotocol/protocolVersion",
        /// The implementation of the client.
        client_info: Implementation<'a> = "io.modelcontextprotocol/clientInfo",
        /// The capabilities of the client.
        client_capabilities: ClientCapabilities<'a> = "io.modelcontextprotocol/clientCapabilities",
        /// The least severe level of log messages; if absent, no log messages.
        log_level: LoggingLevel = "io.modelcontextprotocol/logLevel",
        /// The token for notifications of progress; if absent, no progress.
        progress_token: ProgressToken<'a> = "progressToken",
    }
}

object! {
    /// The capabilities of a client; each is an object, present if the client has it.
    ClientCapabilities
    required {}
    optional {
        /// Capabilities outside of the protocol.
        experimental: RawValue<'a> = "experimental",
        /// The client reports its working folders.
        roots: RawValue<'a> = "roots",
        /// The client queries its language model.
        sampling: RawValue<'a> = "sampling",
        /// The client queries its user.
        elicitation: RawValue<'a> = "elicitation",
        /// The client runs requests as tasks. 2025-11-25.
        tasks: RawValue<'a> = "tasks",
        /// Extensions of the protocol. 2026-07-28.
        extensions: RawValue<'a> = "extensions",
    }
}

object! {
    /// The params of `initialize`.
    InitializeParams
    required {
        /// The revision that the client requests.
        protocol_version: Text<'a> = "protocolVersion",
        /// Its capabilities.
        capabilities: ClientCapabilities<'a> = "capabilities",
        /// The implementation.
        client_info: Implementation<'a> = "clientInfo",
    }
    optional {
        /// Metadata.
        meta: RequestMeta<'a> = "_meta",
    }
}

object! {
    /// The params of `server/discover`, `ping` and others that have only metadata.
    EmptyParams
    required {}
    optional {
        /// Metadata.
        meta: RequestMeta<'a> = "_meta",
    }
}

object! {
    /// The params of the methods that list.
    ListParams
    required {}
    optional {
        /// The cursor of the page before.
        cursor: Text<'a> = "cursor",
        /// Metadata.
        meta: RequestMeta<'a> = "_meta",
    }
}

object! {
    /// The params of `tools/call`.
    CallToolParams
    required {
        /// The name of the tool.
        name: Text<'a> = "name",
    }
    optional {
        /// The arguments, an object.
        arguments: RawValue<'a> = "arguments",
        /// The answers to the [input requests](super::InputRequiredResult), an object with the same keys. 2026-07-28.
        input_responses: RawValue<'a> = "inputResponses",
        /// The `requestState` of the server's result. 2026-07-28.
        request_state: Text<'a> = "requestState",
        /// Metadata.
        meta: RequestMeta<'a> = "_meta",
    }
}

object! {
    /// The params of `resources/read`.
    ReadResourceParams
    required {
        /// The URI of the resource.
        uri: Text<'a> = "uri",
    }
    optional {
        /// As in [`CallToolParams`].
        input_responses: RawValue<'a> = "inputResponses",
        /// As in [`CallToolParams`].
        request_state: Text<'a> = "requestState",
        /// Metadata.
        meta: RequestMeta<'a> = "_meta",
    }
}

object! {
    /// The params of `prompts/get`.
    GetPromptParams
    required {
        /// The name of the prompt.
        name: Text<'a> = "name",
    }
    optional {
        /// The arguments, an object of strings.
        arguments: RawValue<'a> = "arguments",
        /// As in [`CallToolParams`].
        input_responses: RawValue<'a> = "inputResponses",
        /// As in [`CallToolParams`].
        request_state: Text<'a> = "requestState",
        /// Metadata.
        meta: RequestMeta<'a> = "_meta",
    }
}

/// A prompt or resource template with arguments to complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Reference<'a> {
    /// The prompt with this name.
    Prompt(Text<'a>),
    /// The resource template with this text, or one that matches this URI.
    Resource(Text<'a>),
}

impl<'a> Reference<'a> {
    /// The prompt with this name.
    pub const fn prompt(name: &'a str) -> Self {
        Self::Prompt(Text::Plain(name))
    }

    /// The resource template `uri_template`.
    pub const fn resource(uri_template: &'a str) -> Self {
        Self::Resource(Text::Plain(uri_template))
    }

    /// Reads a reference by its `type`.
    ///
    /// # Errors
    /// [`MissingField`](ErrorKind::MissingField), [`UnexpectedType`](ErrorKind::UnexpectedType),
    /// [`UnknownVariant`](ErrorKind::UnknownVariant), with the offset.
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        let member = |name| raw.get(name).ok_or(Error::new(ErrorKind::MissingField, raw.offset()));
        let tag = member("type")?;
        let name = <Text<'_> as Value<'_>>::read(tag)?;
        if name == "ref/prompt" {
            Value::read(member("name")?).map(Self::Prompt)
        } else if name == "ref/resource" {
            Value::read(member("uri")?).map(Self::Resource)
        } else {
            Err(Error::new(ErrorKind::UnknownVariant, tag.offset()))
        }
    }
}

impl<'a> Value<'a> for Reference<'a> {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        Reference::read(raw)
    }

    fn put(&self, out: &mut Writer<'_>) {
        let (tag, name, text) = match self {
            Self::Prompt(text) => ("ref/prompt", "name", text),
            Self::Resource(text) => ("ref/resource", "uri", text),
        };
        put_object(out, |out| {
            put_text(out, "type", tag);
            out.put_name(name);
            text.put(out);
        });
    }
}

payload!(Reference<'a>);

object! {
    /// The argument to complete.
    Argument
    required {
        /// Its name.
        name: Text<'a> = "name",
        /// The beginning of its value.
        value: Text<'a> = "value",
    }
    optional {}
}

object! {
    /// The params of `completion/complete`.
    CompleteParams
    required {
        /// The prompt or template with the argument.
        reference: Reference<'a> = "ref",
        /// The argument.
        argument: Argument<'a> = "argument",
    }
    optional {
        /// The values of other arguments, an object with `arguments`.
        context: RawValue<'a> = "context",
        /// Metadata.
        meta: RequestMeta<'a> = "_meta",
    }
}

object! {
    /// The params of `subscriptions/listen`. 2026-07-28.
    SubscriptionsListenParams
    required {
        /// The notifications that the client subscribes to.
        notifications: SubscriptionFilter<'a> = "notifications",
    }
    optional {
        /// Metadata.
        meta: RequestMeta<'a> = "_meta",
    }
}

object! {
    /// The params of `logging/setLevel`. 2024-11-05 to 2025-11-25.
    SetLevelParams
    required {
        /// The least severe level of log messages to send.
        level: LoggingLevel = "level",
    }
    optional {
        /// Metadata.
        meta: RequestMeta<'a> = "_meta",
    }
}

names! {
    /// The parties that may cache an answer. 2026-07-28.
    CacheScope {
        /// Any cache: the result has no personal data.
        Public = "public",
        /// The client alone.
        Private = "private",
    }
}
