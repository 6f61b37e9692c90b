//! Parts of the params of requests, and the names of their metadata.

use crate::error::{Error, ErrorKind};
use crate::json::{RawValue, ToJson, ValueWriter, Written};
use crate::mcp::value::{Value, names, object, value};
use crate::message::Str;

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

/// A prompt or resource template with arguments to complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Reference<'a> {
    /// The prompt with this name.
    Prompt(Str<'a>),
    /// The resource template with this text, or one that matches this URI.
    Resource(Str<'a>),
}

impl<'a> Reference<'a> {
    /// The prompt with this name.
    pub const fn prompt(name: &'a str) -> Self {
        Self::Prompt(Str::Plain(name))
    }

    /// The resource template `uri_template`.
    pub const fn resource(uri_template: &'a str) -> Self {
        Self::Resource(Str::Plain(uri_template))
    }

    /// Reads a reference by its `type`.
    ///
    /// # Errors
    /// [`MissingField`](ErrorKind::MissingField), [`UnexpectedType`](ErrorKind::UnexpectedType),
    /// [`UnknownVariant`](ErrorKind::UnknownVariant), with the offset.
    pub fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        let member = |name| raw.get(name).ok_or(Error::new(ErrorKind::MissingField, raw.offset()));
        let tag = member("type")?;
        let name = <Str<'_> as Value<'_>>::read(tag)?;
        if name == "ref/prompt" {
            Value::read(member("name")?).map(Self::Prompt)
        } else if name == "ref/resource" {
            Value::read(member("uri")?).map(Self::Resource)
        } else {
            Err(Error::new(ErrorKind::UnknownVariant, tag.offset()))
        }
    }
}

impl ToJson for Reference<'_> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        let (tag, name, text) = match self {
            Self::Prompt(text) => ("ref/prompt", "name", text),
            Self::Resource(text) => ("ref/resource", "uri", text),
        };
        out.object(|object| {
            object.member("type", tag);
            object.member_with(name, |out| out.text(text));
        })
    }
}

value!(Reference<'a>);

object! {
    /// The argument to complete.
    Argument
    required {
        /// Its name.
        name: Str<'a> = "name",
        /// The beginning of its value.
        value: Str<'a> = "value",
    }
    optional {}
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
