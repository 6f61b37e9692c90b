//! A server of tools, resources and prompts.

mod answers;
mod call;
mod completion;
#[cfg(feature = "macros")]
pub(crate) mod declared;
mod definition;
pub mod feature;
mod lifecycle;
mod listen;
mod operation;
mod output;
mod page;
mod prompt;
mod refusal;
mod register;
mod request;
mod resource;
mod routes;
mod skills;
mod subscriptions;
mod task_call;
mod task_request;
mod tasks;
mod tool;
mod typed;
mod waiting;

pub use answers::{Answers, AnswersAsync, ToolShape};
pub use call::{Call, Completing, Getting, Reading, ToolUse};
pub use completion::CompletionCall;
pub use listen::Subscribing;
pub use output::{Structured, ToolFailure, ToolOutput};
pub use prompt::PromptCall;
pub use resource::ReadCall;
pub use skills::ListedSkill;
pub use subscriptions::{Keeper, Subscriptions};
pub use task_call::HavingTasks;
pub use tasks::Tasks;
pub use tool::ToolCall;

use feature::{AsyncFeatures, Candidate, Nothing, Shown, With};
pub(super) use refusal::{NO_VERSION, Refusal};
pub(super) use request::string_in;

use super::{Revision, dialect};
use crate::json::{RawValue, ToJson};
use crate::mcp::types::{CacheScope, Implementation};
use crate::server::{Router, Server};

/// A server of the Model Context Protocol: tools, resources and prompts, one line each.
///
/// `C` is the context of every handler, `F` the list of registrations.
///
/// | method | answered |
/// |---|---|
/// | `initialize`, `ping`, `notifications/initialized` | in sessions, see [`Revision`] |
/// | `server/discover` | in 2026-07-28 |
/// | `tools/list`, `tools/call` | if there is a [tool](Self::tool) |
/// | `resources/list`, `resources/templates/list`, `resources/read` | if there is a [resource](Self::resource) or a [template](Self::resource_template) |
/// | `prompts/list`, `prompts/get` | if there is a [prompt](Self::prompt) |
/// | `completion/complete` | if there is a [completion](Self::completion) |
/// | `resources/subscribe`, `resources/unsubscribe`, `subscriptions/listen` | if there are [subscriptions](Self::subscriptions) |
/// | `skills/list`, `skills/get`, `resources/directory/read` | if there is a [skill](Self::skill) |
/// | `tasks/get`, `tasks/cancel`, `tasks/update`, `tasks/result` | if there are [tasks](Self::tasks) |
/// | any other | -32601, unless a [`Router`] with a route for it [contains](Self::router) the service |
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
///     assert_eq!(server.process(&mut lamp, text.as_bytes(), &mut output).answer(), Some(answer.as_bytes()));
/// }
/// ```
///
/// # Spawning
/// A function that returns a service with `async` handlers as `impl AsyncRoutes` hides that its futures are `Send`.
/// [`route`](crate::server::route#spawning) shows the ways to serve it in a task. Tools that `#[nanojsonrpc::service]` declares have a type
/// with a name, and need none of them.
///
/// # Sessions
/// The service stores the revision of `initialize`, so each stream with a client of a revision with sessions needs its own server. A
/// later `initialize` on the stream, of a host that connects again, is answered, too: then its revision counts, and subscriptions end. Behind
/// [`mcp::http`](crate::mcp::http), one server answers all clients: the endpoint passes the revision with each request. Requests of
/// 2026-07-28 are independent of each other.
///
/// # Limits
/// Registrations: about 120, because the compiler limits the nesting of types; in a future about 45 with `async` handlers, or 60 with
/// blocking handlers. A crate with more raises the limit as the compiler proposes: `#![recursion_limit = "256"]`. Names and URIs have any
/// length. An answer that does not fit the output becomes -32603; a list that does not fit is sent in pages with a cursor. A definition
/// that alone does not fit the output is omitted, and the function in [`unlisted`](Self::unlisted) is called with it. If no definition
/// fits, the answer is -32603.
#[derive(Debug)]
pub struct Service<C, F = Nothing> {
    identity: Identity,
    features: F,
    session: Option<Revision>,
    unlisted: page::Unlisted<C>,
    shown: Shown<C>,
}

/// The part that is the same in every answer.
#[derive(Clone, Copy)]
struct Identity {
    name: &'static str,
    version: &'static str,
    /// Replaces name and version.
    implementation: Option<&'static (dyn ToJson + Sync)>,
    instructions: &'static str,
    declared: &'static [(&'static str, RawValue<'static>)],
    page_len: usize,
    cache: (u32, CacheScope),
    is_lenient: bool,
}

impl core::fmt::Debug for Identity {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

impl<C, F: Clone> Clone for Service<C, F> {
    fn clone(&self) -> Self {
        Self { features: self.features.clone(), ..*self }
    }
}

impl<C, F: Copy> Copy for Service<C, F> {}

impl<C> Service<C> {
    /// A server with this name and version, and no registrations.
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        let identity = Identity {
            name,
            version,
            implementation: None,
            instructions: "",
            declared: &[],
            page_len: usize::MAX,
            cache: (0, CacheScope::Private),
            is_lenient: false,
        };
        Self { identity, features: Nothing, session: None, unlisted: None, shown: None }
    }
}

impl<C, F> Service<C, F> {
    /// Sets a full description of the server, beyond name and version.
    ///
    /// ```
    /// use nanojsonrpc::mcp::Service;
    /// use nanojsonrpc::mcp::types::Implementation;
    /// use nanojsonrpc::message::Str;
    ///
    /// static LAMP: Implementation = Implementation {
    ///     title: Some(Str::Plain("A lamp on a desk")),
    ///     ..Implementation::new(Str::Plain("lamp"), Str::Plain("1.0.0"))
    /// };
    /// let service = Service::<()>::new("lamp", "1.0.0").implementation(&LAMP);
    /// # _ = service;
    /// ```
    pub fn implementation(mut self, implementation: &'static Implementation<'static>) -> Self {
        self.identity.implementation = Some(implementation);
        self
    }

    /// Sets the instructions for the language model.
    pub fn instructions(mut self, instructions: &'static str) -> Self {
        self.identity.instructions = instructions;
        self
    }

    /// Declares capabilities that do not follow from the registrations: notifications that the program sends, methods of the
    /// [`Router`] around the service. Each is a name and an object: `("tools", {"listChanged":true})`.
    pub fn declaring(mut self, capabilities: &'static [(&'static str, RawValue<'static>)]) -> Self {
        self.identity.declared = capabilities;
        self
    }

    /// Limits each page of a list to `len` tools, resources, templates or prompts; 0 counts as 1. A page also ends where the output is
    /// full.
    pub fn page_len(mut self, len: usize) -> Self {
        self.identity.page_len = len.max(1);
        self
    }

    /// Allows clients to cache lists and the answer to `server/discover` for `ttl_ms` milliseconds. Default: no caching.
    ///
    /// ```
    /// use nanojsonrpc::mcp::types::CacheScope;
    /// use nanojsonrpc::mcp::Service;
    ///
    /// // lists of ten at most, which any client may keep for a minute
    /// let mut server = Service::<()>::new("lamp", "1.0.0").page_len(10).cached(60_000, CacheScope::Public).server();
    /// # let _ = &mut server;
    /// ```
    pub fn cached(mut self, ttl_ms: u32, scope: CacheScope) -> Self {
        self.identity.cache = (ttl_ms, scope);
        self
    }

    /// Also accepts messages of devices and clients that violate the specification. By default, the server refuses them with -32602, and
    /// params that are null or `[]` with -32600:
    ///
    /// - null or `[]` in place of an object without members: `params`, `arguments`, `capabilities`, `clientInfo`, `_meta` and the capabilities
    ///   in it, of which the required ones may also be absent;
    /// - `initialize` without `protocolVersion`, which opens a session of 2024-11-05;
    /// - a list from `"cursor":""`, which begins at the front.
    ///
    /// [`Enveloped`](super::Enveloped) reads the envelope that voice devices put around a message.
    ///
    /// ```
    /// use nanojsonrpc::mcp::Service;
    ///
    /// let mut server = Service::<()>::new("lamp", "1.0.0").lenient().server();
    /// let text = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":[],"clientInfo":null}}"#;
    /// assert_eq!(server.process(&mut (), text, &mut [0; 256]).code(), None);
    /// assert_eq!(server.process(&mut (), br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, &mut [0; 96]).code(), None);
    /// ```
    pub fn lenient(mut self) -> Self {
        self.identity.is_lenient = true;
        self
    }

    /// Shows a registration only to requests for which `shown` returns `true`: for permissions. A hidden registration is not listed, and
    /// calling or reading it fails as for an unknown one. The cursor of a list counts only visible registrations. `shown` may be called more
    /// than once for a request, so its answer must depend only on the context and the [`Candidate`].
    ///
    /// ```
    /// use nanojsonrpc::mcp::{Schema, Service, ToolCall};
    ///
    /// struct User {
    ///     is_admin: bool,
    /// }
    ///
    /// let mut server = Service::new("door", "1.0.0")
    ///     .tool("open", "Opens.", Schema::NO_ARGUMENTS, |_: &mut User, call: ToolCall<'_>| call.text("open"))
    ///     .tool("reset", "Resets.", Schema::NO_ARGUMENTS, |_: &mut User, call: ToolCall<'_>| call.text("reset"))
    ///     .shown_if(|user, offering| user.is_admin || offering.name != "reset")
    ///     .server();
    /// let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"reset","_meta":{
    ///     "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    /// let mut output = [0; 256];
    /// assert_eq!(
    ///     server.process(&mut User { is_admin: false }, call, &mut output).answer(),
    ///     Some(&br#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"Unknown tool","data":{"name":"reset"}},"id":1}"#[..])
    /// );
    /// let answer = server.process(&mut User { is_admin: true }, call, &mut output).answer().unwrap_or_default();
    /// assert!(answer.starts_with(br#"{"jsonrpc":"2.0","result":"#));
    /// ```
    pub fn shown_if(self, shown: fn(&C, Candidate<'_>) -> bool) -> Self {
        Self { shown: Some(shown), ..self }
    }

    fn and<P>(self, registration: P) -> Service<C, With<F, P>> {
        let features = With { before: self.features, registration };
        Service { identity: self.identity, features, session: self.session, unlisted: self.unlisted, shown: self.shown }
    }
}

impl<C, F: AsyncFeatures<C>> Service<C, F> {
    /// Makes a server of the service, with [`Dialect::MCP`](crate::Dialect::MCP); that of a [lenient](Self::lenient) service reads
    /// [any params](crate::Dialect::with_any_params).
    pub fn server(self) -> Server<Self> {
        let dialect = dialect(self.identity.is_lenient);
        Server::with_routes(self).with_dialect(dialect)
    }

    /// Makes routes of the service, to [nest](Router::nest) in others; the server needs [`Dialect::MCP`](crate::Dialect::MCP), for a lenient service
    /// [with any params](crate::Dialect::with_any_params). A method of MCP that such a route answers is declared with
    /// [`declaring`](Self::declaring):
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::mcp::types::{EmptyResult, LoggingLevel};
    /// use nanojsonrpc::mcp::{Service, method};
    /// use nanojsonrpc::server::{Replied, Reply};
    /// use nanojsonrpc::{Dialect, ErrorObject, Params, RawValue, Router, Server};
    ///
    /// /// Revisions up to 2025-11-25. Later ones have the level in `_meta` of each request, and not this method.
    /// fn set_level(minimum: &mut LoggingLevel, params: Params<'_>, reply: Reply<'_>) -> Replied {
    ///     match params.get("level").map(LoggingLevel::read) {
    ///         Some(Ok(level)) => {
    ///             *minimum = level;
    ///             reply.success(&EmptyResult::new())
    ///         }
    ///         _ => reply.error(ErrorObject::INVALID_PARAMS),
    ///     }
    /// }
    ///
    /// static LOGGING: [(&str, RawValue<'_>); 1] = [("logging", RawValue::constant("{}").unwrap())];
    /// let service = Service::new("lamp", "1.0.0").declaring(&LOGGING);
    /// let router = Router::new().request(method::LOGGING_SET_LEVEL, set_level).nest("", service.router());
    /// let mut server = Server::new(router).with_dialect(Dialect::MCP);
    /// assert_eq!(server.dialect(), Dialect::MCP);
    ///
    /// let (mut minimum, mut output) = (LoggingLevel::Info, [0; 128]);
    /// let call = br#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}"#;
    /// let answer = server.process(&mut minimum, call, &mut output).answer();
    /// assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":{},"id":1}"#[..]));
    /// assert_eq!(minimum, LoggingLevel::Error);
    /// # Ok(()) }
    /// ```
    pub fn router(self) -> Router<C, Self> {
        Router::with_routes(self)
    }
}
