//! A registration, as lists show it.

use crate::json::{RawStr, ToJson, ValueWriter, Written};
use crate::mcp::Schema;
use crate::mcp::types::{List, PromptArgument, TaskSupport, Tool, ToolExecution};
use crate::mcp::value::{write_some_text, write_text};

/// The kinds of registrations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Kind {
    /// A tool.
    Tool,
    /// A resource.
    Resource,
    /// A resource template.
    Template,
    /// A prompt.
    Prompt,
    /// The completion of an argument.
    Completion,
    /// A skill.
    Skill,
}

impl Kind {
    /// The bit of the capability that the kind belongs to.
    pub(super) const fn capability(self) -> u8 {
        match self {
            Self::Tool => TOOLS,
            Self::Resource | Self::Template => RESOURCES,
            Self::Prompt => PROMPTS,
            Self::Completion => COMPLETIONS,
            Self::Skill => SKILLS,
        }
    }

    /// The member of a list. That of skills is in `skills`, so that other services do not link it.
    pub(super) const fn list_name(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Resource => "resources",
            Self::Template => "resourceTemplates",
            Self::Prompt | Self::Completion | Self::Skill => "prompts",
        }
    }
}

pub(super) const TOOLS: u8 = 1;
pub(super) const RESOURCES: u8 = 2;
pub(super) const PROMPTS: u8 = 4;
pub(super) const COMPLETIONS: u8 = 8;
pub(super) const SUBSCRIPTIONS: u8 = 16;
pub(super) const SKILLS: u8 = 64;
pub(super) const TASKS: u8 = 32;

/// A registration, as lists show it.
#[derive(Clone, Copy)]
pub struct Definition {
    pub(super) kind: Kind,
    /// The name, the URI or its template; of a completion the prompt or template with the argument.
    pub(super) key: &'static str,
    /// The description of a tool or prompt, the name of a resource or template, the argument of a completion; empty in a full
    /// definition.
    text: &'static str,
    details: Details,
}

#[derive(Clone, Copy)]
enum Details {
    Nothing,
    Schema(Schema<'static>),
    MimeType(&'static str),
    Arguments(&'static [PromptArgument<'static>]),
    /// The whole definition.
    Full(&'static (dyn ToJson + Sync)),
    /// The whole definition of a tool that may run as a task.
    MayBeTask(&'static (dyn ToJson + Sync)),
    /// The whole definition of a tool that always runs as a task.
    IsTask(&'static (dyn ToJson + Sync)),
}

impl Definition {
    pub(super) const fn tool(name: &'static str, description: &'static str, schema: Schema<'static>) -> Self {
        Self { kind: Kind::Tool, key: name, text: description, details: Details::Schema(schema) }
    }

    pub(super) const fn resource(kind: Kind, uri: &'static str, name: &'static str, mime_type: &'static str) -> Self {
        Self { kind, key: uri, text: name, details: Details::MimeType(mime_type) }
    }

    pub(super) const fn prompt(
        name: &'static str,
        description: &'static str,
        arguments: &'static [PromptArgument<'static>],
    ) -> Self {
        Self { kind: Kind::Prompt, key: name, text: description, details: Details::Arguments(arguments) }
    }

    pub(super) const fn completion(key: &'static str, argument: &'static str) -> Self {
        Self { kind: Kind::Completion, key, text: argument, details: Details::Nothing }
    }

    pub(super) const fn full(kind: Kind, key: &'static str, definition: &'static (dyn ToJson + Sync)) -> Self {
        Self { kind, key, text: "", details: Details::Full(definition) }
    }

    pub(super) const fn full_tool(key: &'static str, definition: &'static Tool<'static>) -> Self {
        let details = match definition.execution {
            Some(ToolExecution { task_support: Some(TaskSupport::Optional) }) => Details::MayBeTask(definition),
            Some(ToolExecution { task_support: Some(TaskSupport::Required) }) => Details::IsTask(definition),
            _ => Details::Full(definition),
        };
        Self { kind: Kind::Tool, key, text: "", details }
    }

    /// Whether this tool runs as a task; `None` for other kinds.
    pub(super) fn task_support(&self) -> Option<TaskSupport> {
        match (self.kind, self.details) {
            (Kind::Tool, Details::MayBeTask(_)) => Some(TaskSupport::Optional),
            (Kind::Tool, Details::IsTask(_)) => Some(TaskSupport::Required),
            (Kind::Tool, _) => Some(TaskSupport::Forbidden),
            _ => None,
        }
    }

    /// The media type; empty for a full definition, and for other kinds.
    pub(super) const fn mime_type(&self) -> &'static str {
        match self.details {
            Details::MimeType(mime_type) => mime_type,
            _ => "",
        }
    }

    /// The arguments, if they are known here.
    pub(super) const fn arguments(&self) -> &'static [PromptArgument<'static>] {
        match self.details {
            Details::Arguments(arguments) => arguments,
            _ => &[],
        }
    }

    /// Whether this completion is for the argument `name`.
    pub(super) fn completes(&self, name: RawStr<'_>) -> bool {
        name == *self.text
    }
}

impl ToJson for Definition {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        if let Details::Full(definition) | Details::MayBeTask(definition) | Details::IsTask(definition) = self.details {
            return out.value(definition);
        }
        let (key, text) = match self.kind {
            Kind::Resource => ("uri", "name"),
            Kind::Template => ("uriTemplate", "name"),
            _ => ("name", "description"),
        };
        out.object(|object| {
            write_text(object, key, self.key);
            write_text(object, text, self.text);
            match self.details {
                Details::Schema(schema) => object.member("inputSchema", &schema),
                Details::MimeType(mime_type) => write_some_text(object, "mimeType", mime_type),
                Details::Arguments(arguments) if !arguments.is_empty() => {
                    object.member("arguments", &List::of(arguments));
                }
                _ => {}
            }
        })
    }
}

impl core::fmt::Debug for Definition {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:?} {}", self.kind, self.key)
    }
}

/// A choice of definitions. Not `dyn FnMut`, whose table contains each closure twice.
pub trait Choice {
    /// Whether it accepts `definition`.
    fn is(&mut self, definition: &Definition) -> bool;
}

impl<F: FnMut(&Definition) -> bool> Choice for F {
    fn is(&mut self, definition: &Definition) -> bool {
        self(definition)
    }
}

/// A list of definitions.
pub trait Definitions {
    /// Calls `choice` once for each definition, in order, until it accepts one, and returns that. An index in
    /// [`AsyncFeatures`](super::feature::AsyncFeatures) counts in the same order.
    fn find(&self, choice: &mut dyn Choice) -> Option<&Definition>;
}

/// The shape of a handler.
pub trait Purpose: sealed::Sealed {
    /// The bit of its capability.
    #[doc(hidden)]
    const CAPABILITY: u8;
}

pub(super) mod sealed {
    pub trait Sealed {}
}
