//! The entries of lists: tools, resources, templates and prompts; and the implementation that offers them.

use super::{Annotations, Icon, List};
use crate::json::RawValue;
use crate::mcp::Schema;
use crate::mcp::value::object;
use crate::message::Text;

object! {
    /// A program with the protocol, as server or client.
    Implementation
    required {
        /// Its name, for programs.
        name: Text<'a> = "name",
        /// Its version.
        version: Text<'a> = "version",
    }
    optional {
        /// Its name, for people.
        title: Text<'a> = "title",
        /// A description. From 2025-11-25 on.
        description: Text<'a> = "description",
        /// Where to read more. From 2025-11-25 on.
        website_url: Text<'a> = "websiteUrl",
        /// Its picture. From 2025-11-25 on.
        icons: List<'a, Icon<'a>> = "icons",
    }
}

object! {
    /// Something that can be called.
    Tool
    required {
        /// Its name: 1 to 128 letters, digits, `_`, `-` and `.`.
        name: Text<'a> = "name",
        /// The schema of its arguments.
        input_schema: Schema<'a> = "inputSchema",
    }
    optional {
        /// Its name, for people.
        title: Text<'a> = "title",
        /// A description.
        description: Text<'a> = "description",
        /// The JSON Schema of its structured content.
        output_schema: RawValue<'a> = "outputSchema",
        /// Hints on its behaviour.
        annotations: ToolAnnotations<'a> = "annotations",
        /// Whether it runs as a task, an object. 2025-11-25.
        execution: RawValue<'a> = "execution",
        /// Its picture. From 2025-11-25 on.
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
        title: Text<'a> = "title",
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
    /// Something that can be read.
    Resource
    required {
        /// Which one.
        uri: Text<'a> = "uri",
        /// Its name, for programs.
        name: Text<'a> = "name",
    }
    optional {
        /// Its name, for people.
        title: Text<'a> = "title",
        /// A description.
        description: Text<'a> = "description",
        /// The media type.
        mime_type: Text<'a> = "mimeType",
        /// How many bytes it has, before base64.
        size: u64 = "size",
        /// Hints.
        annotations: Annotations<'a> = "annotations",
        /// Its picture. From 2025-11-25 on.
        icons: List<'a, Icon<'a>> = "icons",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// Many resources, one for each filling of a URI template (RFC 6570).
    ResourceTemplate
    required {
        /// Which ones.
        uri_template: Text<'a> = "uriTemplate",
        /// Its name, for programs.
        name: Text<'a> = "name",
    }
    optional {
        /// Its name, for people.
        title: Text<'a> = "title",
        /// A description.
        description: Text<'a> = "description",
        /// The media type, if all resources have the same.
        mime_type: Text<'a> = "mimeType",
        /// Hints.
        annotations: Annotations<'a> = "annotations",
        /// Its picture. From 2025-11-25 on.
        icons: List<'a, Icon<'a>> = "icons",
        /// Metadata, an object.
        meta: RawValue<'a> = "_meta",
    }
}

object! {
    /// A message, or several, to begin a conversation with.
    Prompt
    required {
        /// Its name, for programs.
        name: Text<'a> = "name",
    }
    optional {
        /// Its name, for people.
        title: Text<'a> = "title",
        /// A description.
        description: Text<'a> = "description",
        /// Its arguments.
        arguments: List<'a, PromptArgument<'a>> = "arguments",
        /// Its picture. From 2025-11-25 on.
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
        name: Text<'a> = "name",
    }
    optional {
        /// Its name, for people.
        title: Text<'a> = "title",
        /// A description.
        description: Text<'a> = "description",
        /// Whether it must be given.
        required: bool = "required",
    }
}

impl<'a> PromptArgument<'a> {
    /// One that must be given.
    pub const fn required(name: &'a str, description: &'a str) -> Self {
        Self { required: Some(true), ..Self::optional(name, description) }
    }

    /// An optional argument.
    pub const fn optional(name: &'a str, description: &'a str) -> Self {
        Self { description: Some(Text::Plain(description)), ..Self::new(Text::Plain(name)) }
    }
}
