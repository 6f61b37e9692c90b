//! The entries of lists: tools, resources, templates and prompts; their hints and icons; and the implementation that offers them.

use super::{List, Number};
use crate::error::Error;
use crate::json::{RawValue, ToJson, ValueWriter, Written};
use crate::mcp::Schema;
use crate::mcp::value::{Member, Value, an_object, names, object};
use crate::message::Str;

names! {
    /// The sender or the audience of content.
    Role {
        /// The person.
        User = "user",
        /// The language model.
        Assistant = "assistant",
    }
}

object! {
    /// Hints for the use and display of content.
    Annotations
    required {}
    optional {
        /// The audience.
        audience: List<'a, Role> = "audience",
        /// The importance, from 0 to 1.
        priority: Number<'a> = "priority",
        /// The time of the last change, in ISO 8601.
        last_modified: Str<'a> = "lastModified",
    }
}

object! {
    /// An icon.
    Icon
    required {
        /// The URI of the icon; it may be a `data:` URI.
        src: Str<'a> = "src",
    }
    optional {
        /// The media type.
        mime_type: Str<'a> = "mimeType",
        /// The sizes for which it is made: `48x48`, `any`.
        sizes: List<'a, Str<'a>> = "sizes",
        /// The background for which it is made: `dark` or `light`.
        theme: Str<'a> = "theme",
    }
}

impl Icon<'_> {
    /// Whether a client may fetch the icon: its URI has the scheme `https` or `data`. "Consumers MUST reject icon URIs that use unsafe schemes
    /// and redirects, such as `javascript:`, `file:`, `ftp:`, `ws:`, or local app URI schemes" (2025-11-25, Icons). The text may not be an image,
    /// and an SVG may have scripts.
    ///
    /// ```
    /// use nanojsonrpc::mcp::types::Icon;
    /// use nanojsonrpc::message::Str;
    ///
    /// assert!(Icon::new(Str::Plain("HTTPS://example.com/lamp.png")).is_safe());
    /// assert!(!Icon::new(Str::Plain("javascript:alert(1)")).is_safe());
    /// ```
    pub fn is_safe(&self) -> bool {
        let has = |scheme: &str| match self.src {
            Str::Raw(text) => begins(text.bytes(), scheme),
            Str::Plain(text) => begins(text.bytes(), scheme),
            #[cfg(feature = "serde")]
            Str::Payload(_) => false,
        };
        has("https:") || has("data:")
    }
}

/// Whether `text` begins with `front`, in upper or lower case.
fn begins(mut text: impl Iterator<Item = u8>, front: &str) -> bool {
    front.bytes().all(|expected| text.next().is_some_and(|byte| byte.eq_ignore_ascii_case(&expected)))
}

object! {
    /// The identity of a server or client.
    Implementation
    required {
        /// Its name, for programs.
        name: Str<'a> = "name",
        /// Its version.
        version: Str<'a> = "version",
    }
    optional {
        /// Its name, for people.
        title: Str<'a> = "title",
        /// A description. From 2025-11-25 on.
        description: Str<'a> = "description",
        /// The URL of a website about it. From 2025-11-25 on.
        website_url: Str<'a> = "websiteUrl",
        /// Its icons. From 2025-11-25 on.
        icons: List<'a, Icon<'a>> = "icons",
    }
}

names! {
    /// Whether a tool runs as a task.
    TaskSupport {
        /// It never does.
        Forbidden = "forbidden",
        /// It may.
        Optional = "optional",
        /// It always does.
        Required = "required",
    }
}

/// The way in which a tool runs. 2025-11-25.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ToolExecution {
    /// Whether the tool runs as a task; without it, never.
    pub task_support: Option<TaskSupport>,
}

impl<'a> Value<'a> for ToolExecution {
    fn read(raw: RawValue<'a>) -> Result<Self, Error> {
        Ok(Self { task_support: Member::read_from(an_object(raw)?, "taskSupport")? })
    }
}

impl ToJson for ToolExecution {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        out.object(|object| self.task_support.write_to(object, "taskSupport"))
    }
}

object! {
    /// A tool: a function that a client can call.
    Tool
    required {
        /// Its name: 1 to 128 ASCII letters, digits, `_`, `-` and `.` (2025-11-25, Tools, Tool Names). The macro of a service allows 64.
        name: Str<'a> = "name",
        /// The schema of its arguments.
        input_schema: Schema<'a> = "inputSchema",
    }
    optional {
        /// Its name, for people.
        title: Str<'a> = "title",
        /// A description.
        description: Str<'a> = "description",
        /// The JSON Schema of its structured content.
        output_schema: RawValue<'a> = "outputSchema",
        /// Hints on its behaviour.
        annotations: ToolAnnotations<'a> = "annotations",
        /// Its support for tasks. 2025-11-25. A [`Service`](crate::mcp::Service) with [tasks](crate::mcp::Service::tasks) obeys it.
        execution: ToolExecution = "execution",
        /// Its icons. From 2025-11-25 on.
        icons: List<'a, Icon<'a>> = "icons",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// Hints on the behaviour of a tool. A client must not trust them.
    ToolAnnotations
    required {}
    optional {
        /// Its name, for people.
        title: Str<'a> = "title",
        /// The tool changes nothing.
        read_only_hint: bool = "readOnlyHint",
        /// It may destroy data.
        destructive_hint: bool = "destructiveHint",
        /// Repeated calls have no further effect.
        idempotent_hint: bool = "idempotentHint",
        /// The tool works with things outside of the server.
        open_world_hint: bool = "openWorldHint",
    }
}

object! {
    /// A resource: data that a client can read.
    Resource
    required {
        /// Its URI.
        uri: Str<'a> = "uri",
        /// Its name, for programs.
        name: Str<'a> = "name",
    }
    optional {
        /// Its name, for people.
        title: Str<'a> = "title",
        /// A description.
        description: Str<'a> = "description",
        /// The media type.
        mime_type: Str<'a> = "mimeType",
        /// Its length in bytes, before base64.
        size: u64 = "size",
        /// Hints.
        annotations: Annotations<'a> = "annotations",
        /// Its icons. From 2025-11-25 on.
        icons: List<'a, Icon<'a>> = "icons",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// A template for the URIs of many resources (RFC 6570).
    ResourceTemplate
    required {
        /// The URI template.
        uri_template: Str<'a> = "uriTemplate",
        /// Its name, for programs.
        name: Str<'a> = "name",
    }
    optional {
        /// Its name, for people.
        title: Str<'a> = "title",
        /// A description.
        description: Str<'a> = "description",
        /// The media type, if all resources have the same.
        mime_type: Str<'a> = "mimeType",
        /// Hints.
        annotations: Annotations<'a> = "annotations",
        /// Its icons. From 2025-11-25 on.
        icons: List<'a, Icon<'a>> = "icons",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// A prompt: one or more messages that begin a conversation.
    Prompt
    required {
        /// Its name, for programs.
        name: Str<'a> = "name",
    }
    optional {
        /// Its name, for people.
        title: Str<'a> = "title",
        /// A description.
        description: Str<'a> = "description",
        /// Its arguments.
        arguments: List<'a, PromptArgument<'a>> = "arguments",
        /// Its icons. From 2025-11-25 on.
        icons: List<'a, Icon<'a>> = "icons",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// An argument of a prompt.
    PromptArgument
    required {
        /// Its name, for programs.
        name: Str<'a> = "name",
    }
    optional {
        /// Its name, for people.
        title: Str<'a> = "title",
        /// A description.
        description: Str<'a> = "description",
        /// Whether it is required.
        required: bool = "required",
    }
}

impl<'a> PromptArgument<'a> {
    /// A required argument.
    pub const fn required(name: &'a str, description: &'a str) -> Self {
        Self { required: Some(true), ..Self::optional(name, description) }
    }

    /// An optional argument.
    pub const fn optional(name: &'a str, description: &'a str) -> Self {
        Self { description: Some(Str::Plain(description)), ..Self::new(Str::Plain(name)) }
    }
}
