//! Services declared as traits: a macro generates routes, params, a client and a list of methods.
//!
//! ```
//! use nanojsonrpc::server::Failure;
//! use nanojsonrpc::{Client, ErrorCode, Writer, message::ToText};
//!
//! #[nanojsonrpc::service(prefix = "fan.", client = FanClient)]
//! pub trait Fan {
//!     /// Sets the speed.
//!     #[method("set")]
//!     fn set_speed(&mut self, rpm: u16, ramp: Option<u8>) -> Result<u16, TooFast>;
//!     /// The speed now.
//!     fn speed(&self) -> u16;
//!     /// The fan has stalled.
//!     #[notification]
//!     fn stalled(&mut self, at: u32);
//! }
//!
//! pub struct TooFast;
//!
//! impl Failure for TooFast {
//!     fn code(&self) -> ErrorCode {
//!         ErrorCode(-32001)
//!     }
//!
//!     fn message(&self) -> impl ToText {
//!         "too fast"
//!     }
//! }
//!
//! struct Blower {
//!     rpm: u16,
//! }
//!
//! impl Fan for Blower {
//!     fn set_speed(&mut self, rpm: u16, _: Option<u8>) -> Result<u16, TooFast> {
//!         if rpm > 3000 {
//!             return Err(TooFast);
//!         }
//!         self.rpm = rpm;
//!         Ok(rpm)
//!     }
//!
//!     fn speed(&self) -> u16 {
//!         self.rpm
//!     }
//!
//!     fn stalled(&mut self, _: u32) {
//!         self.rpm = 0;
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn core::error::Error>> {
//! // the client writes a call
//! let mut client: Client<(), 4> = Client::new();
//! let (mut call, mut output) = ([0; 128], [0; 128]);
//! let mut out = Writer::new(&mut call);
//! let sent = FanClient::set_speed(client.sending((), &mut out), 1200, None)?;
//! assert_eq!(out.written(), br#"{"jsonrpc":"2.0","method":"fan.set","params":{"rpm":1200},"id":1}"#);
//!
//! // the server answers it
//! let mut server = FanService::server(Blower { rpm: 0 });
//! let answer = server.process(&mut (), out.written(), &mut output).answer().unwrap_or_default();
//! assert_eq!(answer, br#"{"jsonrpc":"2.0","result":1200,"id":1}"#);
//!
//! // the type of the result is that of the declaration
//! let response = nanojsonrpc::Response::parse(answer).map_err(nanojsonrpc::Error::from)?;
//! assert_eq!(sent.read(&response), Ok(1200_u16));
//! # Ok(()) }
//! ```
//!
//! # The declaration
//! | part | meaning |
//! |---|---|
//! | `prefix = "fan."` | the prefix of each method name |
//! | `service = Name` | the name of the service; default: the trait name and `Service` |
//! | `client = Name` | the name of the client; without it, no client is generated |
//! | `by_position` | the client sends params as an array, for peers that read no names, such as Ethereum nodes; without it, as an object |
//! | `mcp` | the methods become tools of MCP, too (feature `mcp`) |
//! | `openrpc` | generates an OpenRPC document, which `rpc.discover` returns |
//! | `checked` | the limits of params are checked, as with `mcp` and `openrpc`, although nothing publishes them: [limits](crate::json_schema#limits) |
//! | `crate = rpc` | the path of this crate, if the program has renamed it or uses it through another crate |
//! | `#[method("set")]` | the method name; without it, the name of the function |
//! | `#[param("minSpeed")]` at a param | its name in the message; without it, the name in the declaration |
//! | `#[notification]`, `#[notification("name")]` | notifications call the method; it has no result |
//! | `#[tool(read_only, destructive = false, idempotent, open_world)]` | the hints of the tool |
//! | `#[tool(text)]` | the tool answers with a text, without structured content; the result is [`ToText`](crate::message::ToText) |
//! | `async fn` | the handler waits; `process_async` serves such a service. With `Connection::concurrent`, `self` is a clone, whose changes are lost |
//! | `&self`, `&mut self` | required; put bounds on `Self` on the trait |
//! | doc comments and `#[schema(…)]` of a param | the description and limits of the param in schemas (with `mcp` or `openrpc`). With `mcp`, `openrpc` or `checked`, params that violate a limit are refused before the method is called: [limits](crate::json_schema#limits) |
//! | params | any type that serde reads, including types that borrow from the message, such as `&str` and `Label<'_>`; no `'static` references and no slices |
//! | `Option<T>` | the param may be absent. Through an alias, `type Maybe = Option<T>`, it may be absent only in params by name, and a client sends `null` |
//! | `-> Result<T, E>`, or an alias `-> FanResult<T>` whose name ends in `Result` | `E` implements [`Failure`](crate::server::Failure) or converts into an [`ErrorObject`](crate::ErrorObject), or is a code with a text, `(ErrorCode, &str)` |
//! | `-> T`, nothing | the method does not fail; without a return type the result is `null` |
//!
//! The trait has no generic parameters; its methods may have lifetimes as parameters, as in
//! `fn find<'p>(&self, name: &'p str) -> Result<u8, Unknown<'p>>`. Results and errors may borrow from the service or from a param. The
//! macro sees a lifetime only if the type names it: write `Result<u8, Unknown<'_>>`, not `Result<u8, Unknown>`. An error that borrows
//! implements [`Failure`](crate::server::Failure) or is a code with a text: an [`ErrorObject`](crate::ErrorObject), and a type that converts
//! into one, must not borrow, or the compiler reports that "borrowed data escapes outside of closure".
//!
//! # Generated items
//! - `FanService::server(fan)` returns a [`Server`](crate::Server) that owns `fan`; `FanService::routes(fan)` returns its
//!   [`Router`](crate::Router), for any context.
//! - `FanService` is the list of routes for a context that implements `Fan`: `Server::with_routes(FanService)`,
//!   `Router::with_routes(FanService)`. The type of such a server, for a static, is `Server<FanService>`. Routers
//!   [nest](crate::Router::nest) with other routes.
//! - `FanSetSpeed` holds the params of the method `set_speed`, read by name or by position. A missing param other than an `Option` is an
//!   error (-32602). Unknown names are ignored, so a newer client may send more params.
//! - `FanClient::set_speed(caller, 1200, None)` makes a call over any [`Caller`], `FanClient::set_speed_async` over any [`AsyncCaller`].
//!   `FanClient` sends params by name, so an older server ignores unknown ones. With `by_position` it sends an array, in which an `Option`
//!   that is `None` is `null`, or is left out at the end. For a result that borrows, even for `'static` (`&'static str`, `Label<'static>`,
//!   but not `Cow<'static, str>`), the caller chooses the type to read: `FanClient::name::<_, String>(caller)`.
//! - `FanService::METHODS` lists each [`Method`] with its description and params.
//! - `impl Fan for &mut T`, so a service can be borrowed.
//! - With `mcp`, `FanService::tools(server)` adds a tool to an MCP server (`mcp::Service`) for each method except notifications. The context
//!   of the MCP server is the type that implements `Fan`. The MCP server must be `Clone` and stays `Clone`, which `Connection::concurrent`
//!   requires. Params and results have schemas, so their types derive [`Schema`](macro@crate::Schema). A table below compares
//!   [a method and its tool](#a-method-and-its-tool).
//! - With `openrpc`, the constant `FanService::OPENRPC` is the OpenRPC 1.3.2 document. The types derive `Schema` for it, too. The document
//!   has the method names of the declaration, so put a prefix in the declaration, not in [`nest`](crate::Router::nest). If a router has
//!   several services with a document, the first one answers `rpc.discover`. If the document does not fit the output, the answer is -32603.
//!   OpenRPC requires that required params precede optional ones, and that a method and a notification have different names; the compiler
//!   refuses other declarations.
//!   For a document of more than 200 KB, the compiler warns of a long evaluation: [long schemas](crate::json_schema#long-schemas).
//!
//! # A method and its tool
//! With `mcp`, one declaration makes a method of JSON-RPC and a tool of MCP:
//!
//! | in the trait | the method | the tool |
//! |---|---|---|
//! | `fn set_speed` with `#[method("set")]` and `prefix = "fan."` | `fan.set` | `fan_set`: `_` for `.` and `/`; up to 64 ASCII letters, digits, `_` and `-` |
//! | the first paragraph of the doc comment | the description in `METHODS` and in the OpenRPC document | `description`, by which a language model chooses the tool; without a doc comment there is none |
//! | `rpm: u16`, `#[param("minRpm")] least: u16` | a member `rpm`, `minRpm` of `params`, or an element by position | a required property of `inputSchema` |
//! | a doc comment and `#[schema(…)]` of a param | its description and limits in the OpenRPC document | its description and limits in `inputSchema` |
//! | `ramp: Option<u8>` | may be absent or null | a property that is not required |
//! | no params | `params` is absent or empty, else -32602 | an `inputSchema` without properties |
//! | `-> Speed`, written as an object | `result` | `structuredContent`, and its JSON as a text; `outputSchema` |
//! | `-> u16`, `-> &str` and others | `result`: `1200` | `structuredContent`: `{"result":1200}`, and its JSON as a text; `outputSchema` |
//! | `-> T` with `#[tool(text)]`, where `T` is [`ToText`](crate::message::ToText): `&str`, `String`, an integer, a tuple of these | `result`: the value | a text, not quoted as JSON is; no `structuredContent`, no `outputSchema` |
//! | no return type | `result`: `null` | empty `content`, no `outputSchema` |
//! | `Err(error)` | the error object: code, message, data | `isError`, and the message as a text; code and data are not sent |
//! | params that do not fit | -32602, with the expected type and the offset in the message, and on 64-bit hosts with the path: `in params.values[3]` | the reason with `isError`; up to revision 2025-06-18 also -32602 |
//! | a param that is a `&str` or a text with an escape, and the output has no room to decode it | -32603; a notification is dropped and [observed](crate::server::Event::Undecoded) | -32603 |
//! | `#[tool(read_only)]` | – | `annotations` |
//! | `#[notification]` | a notification | none |
//!
//! A method does not receive the request. Write a tool that reports progress or reads `_meta` as a function with a `ToolCall`, and register
//! it with `mcp::Service::tool` at the same server as the tools of `FanService::tools(server)`.
//!
//! # Compatibility between versions
//! - **A new param.** A client sends params by name. An older server ignores the new one. An older client does not send it, so a newer
//!   server declares it as an `Option`. With `by_position`, declare it last: an older server refuses a longer array, so a client of an
//!   older server passes `None`.
//! - **The first param of a method.** An older server, which declares the method without params, refuses any param (-32602). So a newer
//!   client passes `None`: it then sends `{}`, which the older server accepts.
//! - **A new method.** An older server refuses it (-32601).
//! - **A new field of a result.** An older client ignores it. A newer client reads it with `#[serde(default)]`.
//!
//! The macro generates the handlers that a program would register by hand: a comparison and a call for each method.

mod caller;
#[doc(hidden)]
pub mod generated;
mod sending;

pub use caller::{AsyncCaller, Caller};
pub use sending::{ResultError, Sending, SendingInBatch, Sent};

/// A method of a service, as declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Method {
    /// The method name, with the prefix.
    pub name: &'static str,
    /// The first paragraph of its documentation.
    pub description: &'static str,
    /// Whether notifications call it.
    pub is_notification: bool,
    /// The name of each param, and whether it is required. An alias of `Option` counts as optional only with `mcp` or `openrpc`.
    pub params: &'static [(&'static str, bool)],
}

/// Writes the name of a type only.
#[cfg(feature = "defmt")]
mod format {
    use defmt::{Format, Formatter, write};

    impl<T> Format for super::Sent<T> {
        fn format(&self, f: Formatter<'_>) {
            write!(f, "Sent {{ id: {} }}", self.id());
        }
    }

    impl<T, const N: usize, const ID: usize> Format for super::Sending<'_, '_, T, N, ID> {
        fn format(&self, f: Formatter<'_>) {
            write!(f, "Sending");
        }
    }

    impl<T, const N: usize, const ID: usize> Format for super::SendingInBatch<'_, '_, '_, T, N, ID> {
        fn format(&self, f: Formatter<'_>) {
            write!(f, "SendingInBatch");
        }
    }
}
