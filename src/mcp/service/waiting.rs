//! Registrations of handlers that may wait.

use super::answers::{AnswersAsync, ToolShape};
use super::call::{Getting, Reading};
use super::feature::{AsyncRegistration, Definition, Kind, With};
use crate::mcp::types::{PromptArgument, Tool};
use crate::mcp::{Schema, Service, UriTemplate};

/// A service with one more handler that may wait.
type Waits<C, F, H, K> = Service<C, With<F, AsyncRegistration<H, K>>>;

impl<C, F> Service<C, F> {
    /// [`tool`](Self::tool) with an `async` function or closure. Serve a service with an `async` handler by
    /// [`Server::process_async`](crate::Server::process_async), which also calls the handlers that do not wait.
    ///
    /// ```
    /// use nanojsonrpc::mcp::types::Tool;
    /// use nanojsonrpc::mcp::{PromptCall, ReadCall, Schema, Service, ToolCall, schema, uri_template};
    /// use nanojsonrpc::message::Str;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Wait {
    ///     ms: u32,
    /// }
    ///
    /// static STOP: Tool = Tool::new(Str::Plain("stop"), Schema::NO_ARGUMENTS);
    /// let ms = schema!(r#"{"type":"object","properties":{"ms":{"type":"integer"}},"required":["ms"]}"#);
    /// let server = Service::new("timer", "1.0.0")
    ///     .tool_async("wait", "Waits.", ms, async |waited: &mut u32, Wait { ms }: Wait| {
    ///         // await the executor's timer here
    ///         *waited += ms;
    ///         ("waited for ", ms, " ms")
    ///     })
    ///     .tool_as_async("stop", &STOP, async |_: &mut u32, call: ToolCall<'_>| call.text("stopped"))
    ///     .resource_async("timer:", "timer", "text/plain", async |waited: &mut u32, call: ReadCall<'_>| call.text(*waited))
    ///     .resource_template_async(uri_template!("timer:{id}"), "timers", "text/plain", async |_: &mut u32, call: ReadCall<'_>| {
    ///         call.not_found()
    ///     })
    ///     .prompt_async("rest", "Suggests a pause.", &[], async |_: &mut u32, call: PromptCall<'_>| call.user("Let us rest."))
    ///     .server();
    /// # _ = server;
    /// ```
    pub fn tool_async<H: AnswersAsync<C, K>, K: ToolShape>(
        self,
        name: &'static str,
        description: &'static str,
        input_schema: Schema<'static>,
        handler: H,
    ) -> Waits<C, F, H, K> {
        self.and(AsyncRegistration::new(Definition::tool(name, description, input_schema), handler))
    }

    /// [`tool_as`](Self::tool_as) with an `async` function or closure.
    pub fn tool_as_async<H: AnswersAsync<C, K>, K: ToolShape>(
        self,
        name: &'static str,
        definition: &'static Tool<'static>,
        handler: H,
    ) -> Waits<C, F, H, K> {
        self.and(AsyncRegistration::new(Definition::full_tool(name, definition), handler))
    }

    /// [`resource`](Self::resource) with an `async` function or closure.
    pub fn resource_async<H: AnswersAsync<C, Reading>>(
        self,
        uri: &'static str,
        name: &'static str,
        mime_type: &'static str,
        handler: H,
    ) -> Waits<C, F, H, Reading> {
        self.and(AsyncRegistration::new(Definition::resource(Kind::Resource, uri, name, mime_type), handler))
    }

    /// [`resource_template`](Self::resource_template) with an `async` function or closure.
    pub fn resource_template_async<H: AnswersAsync<C, Reading>>(
        self,
        uri_template: UriTemplate<'static>,
        name: &'static str,
        mime_type: &'static str,
        handler: H,
    ) -> Waits<C, F, H, Reading> {
        self.and(AsyncRegistration::new(
            Definition::resource(Kind::Template, uri_template.as_str(), name, mime_type),
            handler,
        ))
    }

    /// [`prompt`](Self::prompt) with an `async` function or closure.
    pub fn prompt_async<H: AnswersAsync<C, Getting>>(
        self,
        name: &'static str,
        description: &'static str,
        arguments: &'static [PromptArgument<'static>],
        handler: H,
    ) -> Waits<C, F, H, Getting> {
        self.and(AsyncRegistration::new(Definition::prompt(name, description, arguments), handler))
    }
}
