//! Registrations of tools, resources, prompts and completions.

use super::answers::{Answers, ToolShape};
use super::call::{Completing, Getting, Reading};
use super::feature::{Definition, Kind, Registration, With};
use super::{CompletionCall, PromptCall, ReadCall};
use crate::mcp::types::{Prompt, PromptArgument, Resource, ResourceTemplate, Tool};
use crate::mcp::{Schema, Service, UriTemplate};
use crate::server::Replied;

/// A service with one more registration.
type Registers<C, F, H, K> = Service<C, With<F, Registration<H, K>>>;

impl<C, F> Service<C, F> {
    /// Registers a tool: its name, description, the schema of its arguments, and its handler.
    ///
    /// The handler takes the call, or the arguments in a type that serde reads. [`Answers`] lists the signatures, and
    /// [`ToolOutput`](super::ToolOutput) the results. Arguments that do not fit the type are refused as the revision prescribes: see
    /// [`ToolCall::invalid`](super::ToolCall::invalid). [`Schema`] shows how to derive the schema from the type.
    ///
    /// ```
    /// use nanojsonrpc::mcp::{Service, schema};
    ///
    /// struct Lamp {
    ///     level: u8,
    /// }
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Dim {
    ///     level: u8,
    /// }
    ///
    /// let dim = schema!(r#"{"type":"object","properties":{"level":{"type":"integer"}},"required":["level"]}"#);
    /// let mut server = Service::new("lamp", "1.0.0")
    ///     .tool("dim", "Dims the lamp.", dim, |lamp: &mut Lamp, Dim { level }: Dim| {
    ///         if level > 100 {
    ///             return Err("level: at most 100");
    ///         }
    ///         lamp.level = level;
    ///         Ok(("dimmed to ", level))
    ///     })
    ///     .server();
    /// # let open = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"0"}}}"#;
    /// # let mut output = [0; 256];
    /// # server.process(&mut Lamp { level: 0 }, open, &mut output).answer().ok_or(core::fmt::Error)?;
    /// let call = br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"dim","arguments":{"level":40}}}"#;
    /// assert_eq!(
    ///     server.process(&mut Lamp { level: 0 }, call, &mut output).answer(),
    ///     Some(&br#"{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"dimmed to 40"}]},"id":2}"#[..])
    /// );
    /// # Ok::<(), core::fmt::Error>(())
    /// ```
    pub fn tool<H: Answers<C, K>, K: ToolShape>(
        self,
        name: &'static str,
        description: &'static str,
        input_schema: Schema<'static>,
        handler: H,
    ) -> Registers<C, F, H, K> {
        self.and(Registration::new(Definition::tool(name, description, input_schema), handler))
    }

    /// Registers a resource: its URI, name, media type, and the handler that reads it.
    pub fn resource<H: FnMut(&mut C, ReadCall<'_>) -> Replied>(
        self,
        uri: &'static str,
        name: &'static str,
        mime_type: &'static str,
        handler: H,
    ) -> Registers<C, F, H, Reading> {
        self.and(Registration::new(Definition::resource(Kind::Resource, uri, name, mime_type), handler))
    }

    /// Registers all resources whose URIs match a template: `uri_template!("sensor:{id}")`,
    /// `uri_template!("note:///{day}/{+path}")`; see [`UriTemplate`]. The first registration that matches a URI gets
    /// the call.
    pub fn resource_template<H: FnMut(&mut C, ReadCall<'_>) -> Replied>(
        self,
        uri_template: UriTemplate<'static>,
        name: &'static str,
        mime_type: &'static str,
        handler: H,
    ) -> Registers<C, F, H, Reading> {
        self.and(Registration::new(
            Definition::resource(Kind::Template, uri_template.as_str(), name, mime_type),
            handler,
        ))
    }

    /// Registers a prompt: its name, description, arguments, and handler. If a required argument is missing, or one of `arguments` is not a
    /// string, the answer is -32602. Arguments that are not in `arguments` reach the handler unchecked.
    pub fn prompt<H: FnMut(&mut C, PromptCall<'_>) -> Replied>(
        self,
        name: &'static str,
        description: &'static str,
        arguments: &'static [PromptArgument<'static>],
        handler: H,
    ) -> Registers<C, F, H, Getting> {
        self.and(Registration::new(Definition::prompt(name, description, arguments), handler))
    }

    /// Registers a handler that completes the argument `argument` of a prompt, given by its name, or of a resource template, given
    /// as its text.
    pub fn completion<H: FnMut(&mut C, CompletionCall<'_>) -> Replied>(
        self,
        of: &'static str,
        argument: &'static str,
        handler: H,
    ) -> Registers<C, F, H, Completing> {
        self.and(Registration::new(Definition::completion(of, argument), handler))
    }

    /// [`tool`](Self::tool) with a full definition. `name` is its name.
    ///
    /// ```
    /// use nanojsonrpc::mcp::types::{List, Prompt, PromptArgument, Resource, ResourceTemplate, Tool, ToolAnnotations};
    /// use nanojsonrpc::mcp::{PromptCall, ReadCall, Service, ToolCall, schema, uri_template};
    /// use nanojsonrpc::message::Str;
    ///
    /// static READ_ONLY: ToolAnnotations = ToolAnnotations { read_only_hint: Some(true), ..ToolAnnotations::new() };
    /// static LEVEL: Tool = Tool {
    ///     title: Some(Str::Plain("Level of the lamp")),
    ///     annotations: Some(READ_ONLY),
    ///     ..Tool::new(Str::Plain("level"), schema!(r#"{"type":"object"}"#))
    /// };
    /// static LOG: Resource = Resource { size: Some(4096), ..Resource::new(Str::Plain("lamp:///log"), Str::Plain("log")) };
    /// static DAY: ResourceTemplate =
    ///     ResourceTemplate::new(Str::Plain("lamp:///log/{day}"), Str::Plain("log of a day"));
    /// static MOODS: &[PromptArgument] = &[PromptArgument::optional("mood", "The mood of the user.")];
    /// static DIM: Prompt = Prompt { arguments: Some(List::of(MOODS)), ..Prompt::new(Str::Plain("dim")) };
    ///
    /// let server = Service::new("lamp", "1.0.0")
    ///     .tool_as("level", &LEVEL, |level: &mut u8, call: ToolCall<'_>| call.text(*level))
    ///     .resource_as("lamp:///log", &LOG, |_: &mut u8, call: ReadCall<'_>| call.text("on, off"))
    ///     .resource_template_as(uri_template!("lamp:///log/{day}"), &DAY, |_: &mut u8, call: ReadCall<'_>| call.not_found())
    ///     .prompt_as("dim", &DIM, |_: &mut u8, call: PromptCall<'_>| call.user("Dim the lamp."))
    ///     .server();
    /// # _ = server;
    /// ```
    pub fn tool_as<H: Answers<C, K>, K: ToolShape>(
        self,
        name: &'static str,
        definition: &'static Tool<'static>,
        handler: H,
    ) -> Registers<C, F, H, K> {
        self.and(Registration::new(Definition::full_tool(name, definition), handler))
    }

    /// [`resource`](Self::resource) with a full definition. `uri` is its URI.
    pub fn resource_as<H: FnMut(&mut C, ReadCall<'_>) -> Replied>(
        self,
        uri: &'static str,
        definition: &'static Resource<'static>,
        handler: H,
    ) -> Registers<C, F, H, Reading> {
        self.and(Registration::new(Definition::full(Kind::Resource, uri, definition), handler))
    }

    /// [`resource_template`](Self::resource_template) with a full definition. `uri_template` is its
    /// template.
    pub fn resource_template_as<H: FnMut(&mut C, ReadCall<'_>) -> Replied>(
        self,
        uri_template: UriTemplate<'static>,
        definition: &'static ResourceTemplate<'static>,
        handler: H,
    ) -> Registers<C, F, H, Reading> {
        self.and(Registration::new(Definition::full(Kind::Template, uri_template.as_str(), definition), handler))
    }

    /// [`prompt`](Self::prompt) with a full definition. `name` is its name. The handler itself checks that the arguments
    /// are present.
    pub fn prompt_as<H: FnMut(&mut C, PromptCall<'_>) -> Replied>(
        self,
        name: &'static str,
        definition: &'static Prompt<'static>,
        handler: H,
    ) -> Registers<C, F, H, Getting> {
        self.and(Registration::new(Definition::full(Kind::Prompt, name, definition), handler))
    }
}
