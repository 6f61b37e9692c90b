//! A server of tools, resources and prompts.

mod asked;
mod call;
mod completion;
pub mod feature;
mod lifecycle;
mod operation;
mod page;
mod prompt;
mod resource;
mod tool;

use core::marker::PhantomData;

pub use call::{Call, Completing, Getting, Reading, ToolUse};
pub use completion::CompletionCall;
pub use prompt::PromptCall;
pub use resource::ReadCall;
pub use tool::ToolCall;

use asked::Asked;
use feature::{Definition, Features, Kind, Nothing, Offer, With};
use operation::Operation;

use super::{CacheScope, Implementation, Prompt, PromptArgument, Resource, ResourceTemplate, Revision, Schema, Tool};
use crate::json::{RawValue, ToJson, Writer};
use crate::message::Dialect;
use crate::server::route::{Call as Incoming, Routes};
use crate::server::{AsyncRoutes, Exchange, Replied, Router, Server};

/// A server of the Model Context Protocol: tools, resources and prompts, one line each.
///
/// What it can do is what is registered. `C` is the context that every handler gets, `F` the list of what is registered.
///
/// | method | answered |
/// |---|---|
/// | `initialize`, `ping`, `notifications/initialized` | in sessions, see [`Revision`] |
/// | `server/discover` | in 2026-07-28 |
/// | `tools/list`, `tools/call` | if there is a [tool](Self::tool) |
/// | `resources/list`, `resources/templates/list`, `resources/read` | if there is a [resource](Self::resource) or a [template](Self::resource_template) |
/// | `prompts/list`, `prompts/get` | if there is a [prompt](Self::prompt) |
/// | `completion/complete` | if there is a [completion](Self::completion) |
/// | any other | -32601, or by the [`Router`] that it is [merged](Self::router) into |
///
/// ```
/// use nanojsonrpc::mcp::{ReadCall, Service, ToolCall, schema};
///
/// struct Lamp {
///     is_on: bool,
/// }
///
/// let switch = schema!(r#"{"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"]}"#);
/// let mut server = Service::new("lamp", "1.0.0")
///     .tool("switch", "Switches the lamp.", switch, |lamp: &mut Lamp, call: ToolCall<'_>| {
///         let Some(on) = call.get("on").and_then(|on| on.as_bool()) else { return call.invalid("on: true or false") };
///         lamp.is_on = on;
///         call.text(if on { "on" } else { "off" })
///     })
///     .resource("lamp:state", "state", "text/plain", |lamp: &mut Lamp, call: ReadCall<'_>| {
///         call.text(if lamp.is_on { "on" } else { "off" })
///     })
///     .server();
/// let mut lamp = Lamp { is_on: false };
/// let mut output = [0; 512];
/// for (text, answer) in [
///     (
///         r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"0"}}}"#,
///         r#"{"jsonrpc":"2.0","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"lamp","version":"1.0.0"}},"id":1}"#,
///     ),
///     (
///         r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"switch","arguments":{"on":true}}}"#,
///         r#"{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"on"}]},"id":2}"#,
///     ),
///     (
///         r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"lamp:state"}}"#,
///         r#"{"jsonrpc":"2.0","result":{"contents":[{"uri":"lamp:state","mimeType":"text/plain","text":"on"}]},"id":3}"#,
///     ),
/// ] {
///     assert_eq!(server.process(&mut lamp, text.as_bytes(), &mut output), Some(answer.as_bytes()));
/// }
/// ```
///
/// # Sessions
/// The revision that `initialize` has agreed on is remembered, and nothing else; one service is for one client of the older
/// generation. A request of 2026-07-28 depends on no other.
///
/// # Limits
/// As many registrations as the compiler nests types, which is about 120 before a crate must raise its `recursion_limit`.
/// Names and URIs have any length. What does not fit the output is answered with -32603; of a list that does not fit, as
/// much as does, and a cursor for the rest.
#[derive(Debug)]
pub struct Service<C, F = Nothing> {
    identity: Identity,
    features: F,
    session: Option<Revision>,
    types: PhantomData<fn(&mut C)>,
}

/// What is the same in every answer.
#[derive(Clone, Copy)]
struct Identity {
    name: &'static str,
    version: &'static str,
    /// In place of name and version.
    implementation: Option<&'static dyn ToJson>,
    instructions: &'static str,
    declared: &'static [(&'static str, RawValue<'static>)],
    page_len: usize,
    cache: (u32, CacheScope),
}

impl core::fmt::Debug for Identity {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

impl<C, F: Clone> Clone for Service<C, F> {
    fn clone(&self) -> Self {
        Self { identity: self.identity, features: self.features.clone(), session: self.session, types: PhantomData }
    }
}

impl<C, F: Copy> Copy for Service<C, F> {}

impl<C> Service<C> {
    /// A server called `name` that can do nothing yet.
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        let identity = Identity {
            name,
            version,
            implementation: None,
            instructions: "",
            declared: &[],
            page_len: usize::MAX,
            cache: (0, CacheScope::Private),
        };
        Self { identity, features: Nothing, session: None, types: PhantomData }
    }
}

impl<C, F> Service<C, F> {
    fn with_identity(self, identity: Identity) -> Self {
        Self { identity, ..self }
    }

    /// Tells more of the server than its name and version.
    pub fn implementation(self, implementation: &'static Implementation<'static>) -> Self {
        let identity = Identity { implementation: Some(implementation), ..self.identity };
        self.with_identity(identity)
    }

    /// Tells the language model how to use the server.
    pub fn instructions(self, instructions: &'static str) -> Self {
        let identity = Identity { instructions, ..self.identity };
        self.with_identity(identity)
    }

    /// Declares capabilities that do not follow from what is registered: notifications that the program sends, methods
    /// that the [`Router`] around the service has. Each by its name, with what is said of it, an object:
    /// `("tools", {"listChanged":true})`.
    pub fn declaring(self, capabilities: &'static [(&'static str, RawValue<'static>)]) -> Self {
        let identity = Identity { declared: capabilities, ..self.identity };
        self.with_identity(identity)
    }

    /// Lists at most `len` tools, resources, templates or prompts at once, and as many as fit the output. At least one.
    pub fn page_len(self, len: usize) -> Self {
        let identity = Identity { page_len: len.max(1), ..self.identity };
        self.with_identity(identity)
    }

    /// Lets lists and the answer to `server/discover` be kept for `ttl_ms` milliseconds. Without it: not at all.
    pub fn cached(self, ttl_ms: u32, scope: CacheScope) -> Self {
        let identity = Identity { cache: (ttl_ms, scope), ..self.identity };
        self.with_identity(identity)
    }

    fn and<P>(self, offer: P) -> Service<C, With<F, P>> {
        let features = With { before: self.features, offer };
        Service { identity: self.identity, features, session: self.session, types: PhantomData }
    }

    /// Registers a tool: its name, what it does, what its arguments must be, and what is done when it is called.
    pub fn tool<H>(
        self,
        name: &'static str,
        description: &'static str,
        input_schema: Schema<'static>,
        handler: H,
    ) -> Service<C, With<F, Offer<H, ToolUse>>>
    where
        H: FnMut(&mut C, ToolCall<'_>) -> Replied,
    {
        self.and(Offer::new(Definition::tool(name, description, input_schema), handler))
    }

    /// Registers a resource: its URI, its name, its MIME type, and what is done when it is read.
    pub fn resource<H>(
        self,
        uri: &'static str,
        name: &'static str,
        mime_type: &'static str,
        handler: H,
    ) -> Service<C, With<F, Offer<H, Reading>>>
    where
        H: FnMut(&mut C, ReadCall<'_>) -> Replied,
    {
        self.and(Offer::new(Definition::resource(Kind::Resource, uri, name, mime_type), handler))
    }

    /// Registers all resources that a URI template stands for: `sensor:{id}`, `note:///{day}/{+path}`.
    ///
    /// # Limits
    /// Of RFC 6570 `{name}` and `{+name}`, each one variable and not empty. A URI that fits more than one registration goes to
    /// the first.
    pub fn resource_template<H>(
        self,
        uri_template: &'static str,
        name: &'static str,
        mime_type: &'static str,
        handler: H,
    ) -> Service<C, With<F, Offer<H, Reading>>>
    where
        H: FnMut(&mut C, ReadCall<'_>) -> Replied,
    {
        self.and(Offer::new(Definition::resource(Kind::Template, uri_template, name, mime_type), handler))
    }

    /// Registers a prompt: its name, what it is for, what it can be given, and what is done when it is wanted. A request
    /// without an argument that must be there is answered with -32602, and so is one with an argument that is no string.
    pub fn prompt<H>(
        self,
        name: &'static str,
        description: &'static str,
        arguments: &'static [PromptArgument<'static>],
        handler: H,
    ) -> Service<C, With<F, Offer<H, Getting>>>
    where
        H: FnMut(&mut C, PromptCall<'_>) -> Replied,
    {
        self.and(Offer::new(Definition::prompt(name, description, arguments), handler))
    }

    /// Registers who completes the argument `argument` of a prompt, which is named by its name, or of a resource template,
    /// which is named as it is.
    pub fn completion<H>(
        self,
        of: &'static str,
        argument: &'static str,
        handler: H,
    ) -> Service<C, With<F, Offer<H, Completing>>>
    where
        H: FnMut(&mut C, CompletionCall<'_>) -> Replied,
    {
        self.and(Offer::new(Definition::completion(of, argument), handler))
    }

    /// [`tool`](Self::tool) with all that there is to say about it. `name` is the one that `definition` has.
    pub fn tool_as<H>(
        self,
        name: &'static str,
        definition: &'static Tool<'static>,
        handler: H,
    ) -> Service<C, With<F, Offer<H, ToolUse>>>
    where
        H: FnMut(&mut C, ToolCall<'_>) -> Replied,
    {
        self.and(Offer::new(Definition::full(Kind::Tool, name, definition), handler))
    }

    /// [`resource`](Self::resource) with all that there is to say about it. `uri` is the one that `definition` has.
    pub fn resource_as<H>(
        self,
        uri: &'static str,
        definition: &'static Resource<'static>,
        handler: H,
    ) -> Service<C, With<F, Offer<H, Reading>>>
    where
        H: FnMut(&mut C, ReadCall<'_>) -> Replied,
    {
        self.and(Offer::new(Definition::full(Kind::Resource, uri, definition), handler))
    }

    /// [`resource_template`](Self::resource_template) with all that there is to say about it. `uri_template` is the one that
    /// `definition` has.
    pub fn resource_template_as<H>(
        self,
        uri_template: &'static str,
        definition: &'static ResourceTemplate<'static>,
        handler: H,
    ) -> Service<C, With<F, Offer<H, Reading>>>
    where
        H: FnMut(&mut C, ReadCall<'_>) -> Replied,
    {
        self.and(Offer::new(Definition::full(Kind::Template, uri_template, definition), handler))
    }

    /// [`prompt`](Self::prompt) with all that there is to say about it. `name` is the one that `definition` has; the handler
    /// looks for itself whether the arguments are there.
    pub fn prompt_as<H>(
        self,
        name: &'static str,
        definition: &'static Prompt<'static>,
        handler: H,
    ) -> Service<C, With<F, Offer<H, Getting>>>
    where
        H: FnMut(&mut C, PromptCall<'_>) -> Replied,
    {
        self.and(Offer::new(Definition::full(Kind::Prompt, name, definition), handler))
    }
}

impl<C, F: Features<C>> Service<C, F> {
    /// The service as a server of its own, which reads by [`Dialect::MCP`].
    pub fn server(self) -> Server<Self> {
        Server::with_routes(self).with_dialect(Dialect::MCP)
    }

    /// The service as routes, to be [merged](Router::merge) with others; the server wants [`Dialect::MCP`].
    ///
    /// ```
    /// use nanojsonrpc::mcp::{Service, method};
    /// use nanojsonrpc::{Dialect, Router, Server};
    ///
    /// let router = Router::new()
    ///     .request(method::LOGGING_SET_LEVEL, |_: &mut ()| Ok(()))
    ///     .merge(Service::new("lamp", "1.0.0").router());
    /// let server = Server::new(router).with_dialect(Dialect::MCP);
    /// assert_eq!(server.dialect(), Dialect::MCP);
    /// ```
    pub fn router(self) -> Router<C, Self> {
        Router::of(self)
    }
}

impl<C, F: Features<C>> Routes<C> for Service<C, F> {
    fn route(&mut self, context: &mut C, call: &Incoming<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        let Some((operation, params)) = Operation::of(call) else { return false };
        let Self { identity, features, session, .. } = self;
        let asked = match Asked::new(operation, params, identity, *session) {
            Ok(asked) => asked,
            Err(refusal) => {
                refusal.reply(exchange.reply());
                return true;
            }
        };
        match operation {
            Operation::Initialize | Operation::Ping if asked.revision.is_stateless() => return false,
            Operation::Initialize => *session = asked.initialize(F::KINDS, exchange.reply()).or(*session),
            Operation::Ping => _ = asked.answer(exchange.reply(), &|_: &mut Writer<'_>| {}),
            Operation::Discover => asked.discover(F::KINDS, exchange.reply()),
            Operation::List(kind) | Operation::Use(kind) if F::KINDS & kind.capability() == 0 => return false,
            Operation::List(kind) => asked.list(kind, features, exchange.reply()),
            Operation::Use(kind) => {
                let wanted = match asked.wanted(kind, features) {
                    Ok(wanted) => wanted,
                    Err(refusal) => {
                        refusal.reply(exchange.reply());
                        return true;
                    }
                };
                if !features.take(context, &wanted, exchange) {
                    wanted.untaken(exchange.reply());
                }
            }
        }
        true
    }
}

impl<C, F: Features<C>> AsyncRoutes<C> for Service<C, F> {
    async fn route(&mut self, context: &mut C, call: &Incoming<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        Routes::route(self, context, call, exchange)
    }
}
