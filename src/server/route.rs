//! The types in a [`Router`](super::Router)'s list of routes. The compiler infers them, so programs rarely name them.
//!
//! # Naming a server's type
//! The type of a server contains the types of its routes, and the type of a closure has no name. There are three ways to keep such a
//! server in a struct, a function or a static. In each, the server is `Send` if its handlers are.
//!
//! A generic struct takes any type of routes:
//!
//! ```
//! use nanojsonrpc::server::route::Routes;
//! use nanojsonrpc::{Router, Server};
//!
//! struct Device<R> {
//!     server: Server<R>,
//!     level: u8,
//! }
//!
//! impl<R: Routes<u8>> Device<R> {
//!     fn answer<'o>(&mut self, text: &[u8], output: &'o mut [u8]) -> Option<&'o [u8]> {
//!         self.server.process(&mut self.level, text, output).answer()
//!     }
//! }
//!
//! fn is_send(_: &impl Send) {}
//!
//! let server = Server::new(Router::new().request("level", |level: &mut u8| Ok(*level)));
//! let mut device = Device { server, level: 7 };
//! is_send(&device);
//! let mut output = [0; 96];
//! let answer = device.answer(br#"{"jsonrpc":"2.0","method":"level","id":1}"#, &mut output);
//! assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":7,"id":1}"#[..]));
//! ```
//!
//! A function returns `impl Routes`. The compiler still sees whether the hidden type is `Send`:
//!
//! ```
//! use nanojsonrpc::server::route::Routes;
//! use nanojsonrpc::{Router, Server};
//!
//! fn server() -> Server<impl Routes<u8>> {
//!     Server::new(Router::new().request("level", |level: &mut u8| Ok(*level)))
//! }
//!
//! fn is_send(_: &impl Send) {}
//!
//! is_send(&server());
//! ```
//!
//! A type alias names the routes, with function pointers in place of closures. A static needs it:
//!
//! ```
//! # #[cfg(feature = "serde")] {
//! use std::sync::Mutex;
//!
//! use nanojsonrpc::server::route::{End, OnNotification, OnRequest, Route};
//! use nanojsonrpc::server::{Bare, Plain, Typed};
//! use nanojsonrpc::{ErrorObject, Router, Server};
//!
//! type Level = OnRequest<fn(&mut u8) -> Result<u8, ErrorObject<'static>>, Plain, Bare>;
//! type Set = OnNotification<fn(&mut u8, (u8,)), Typed<(u8,)>>;
//! type Lamp = Server<Route<Route<End, Level>, Set>>;
//!
//! fn lamp() -> Lamp {
//!     let router = Router::new().request("level", (|level| Ok(*level)) as fn(&mut u8) -> _);
//!     Server::new(router.notification("set", (|level, (new,)| *level = new) as fn(&mut u8, (u8,))))
//! }
//!
//! // on a chip a `StaticCell`, or the mutex of `critical-section`; in a static, the server must be `Send`
//! static LAMP: Mutex<Option<Lamp>> = Mutex::new(None);
//! *LAMP.lock().unwrap() = Some(lamp());
//! # }
//! ```
//!
//! An alias names the way to write the error, and the signature of the handler:
//!
//! | error of the handler | type |
//! |---|---|
//! | `request`: an [`ErrorObject`](crate::ErrorObject), or a [`Replied`](super::Replied) | [`Plain`](super::Plain) |
//! | `request_fallible`: an `E` that implements [`Failure`](super::Failure), such as a code and a text | [`ByFailure`](super::ByFailure) |
//! | `request_fallible`: another `E`, which converts into an [`ErrorObject`](crate::ErrorObject) | [`Converted<E>`](super::Converted) |
//!
//! | signature | type |
//! |---|---|
//! | `(&mut C)` | [`Bare`](super::Bare) |
//! | `(&mut C, P)` | `Typed<P>`, with the feature `serde` |
//! | `(&mut C, Params<'_>)` | [`Borrowing`](super::Borrowing) |
//! | `(&mut C, Params<'_>, Reply<'_>)` | [`Replying`](super::Replying) |
//!
//! ```
//! use nanojsonrpc::server::route::{End, OnRequest, Route};
//! use nanojsonrpc::server::{Borrowing, ByFailure, Plain, Replied, Reply, Replying};
//! use nanojsonrpc::{ErrorCode, Params, Router, Server};
//!
//! // for an error type that converts into an `ErrorObject`, `Converted<Fault>` instead of `ByFailure`
//! type Fault = (ErrorCode, &'static str);
//! type Dim = OnRequest<fn(&mut u8, Params<'_>) -> Result<u8, Fault>, ByFailure, Borrowing>;
//! type Name = OnRequest<fn(&mut u8, Params<'_>, Reply<'_>) -> Replied, Plain, Replying>;
//!
//! fn dim(level: &mut u8, _: Params<'_>) -> Result<u8, Fault> {
//!     *level = level.checked_sub(1).ok_or((ErrorCode(-32001), "already off"))?;
//!     Ok(*level)
//! }
//!
//! fn name(_: &mut u8, _: Params<'_>, reply: Reply<'_>) -> Replied {
//!     reply.success("lamp")
//! }
//!
//! let router = Router::new().request_fallible("dim", dim as fn(&mut u8, Params<'_>) -> _);
//! let mut lamp: Server<Route<Route<End, Dim>, Name>> =
//!     Server::new(router.request("name", name as fn(&mut u8, Params<'_>, Reply<'_>) -> _));
//! let mut output = [0; 96];
//! let answer = lamp.process(&mut 7, br#"{"jsonrpc":"2.0","method":"dim","id":1}"#, &mut output).answer();
//! assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":6,"id":1}"#[..]));
//! ```
//!
//! The type of a [`Registry`](super::Registry) has a short name.
//!
//! # Spawning
//! With `async` handlers, [`AsyncRoutes`](super::AsyncRoutes) replaces `Routes`. A type alias is not possible for them, because their
//! futures have no name. The future of such a server is `Send` only where the compiler knows the type of the routes, which `impl
//! AsyncRoutes<C>` hides; it hides `Clone`, too. For `tokio::spawn`, there are three ways:
//!
//! - A service that `#[nanojsonrpc::service]` declares (feature `macros`) has a type with a name. It needs nothing else.
//! - The `async` function that is spawned makes its router and its server itself.
//! - With the feature `alloc`, `Router::boxed` gives the routes the name `BoxedRoutes<C>`: a function returns them, also as a part for another
//!   router, and `concurrent` clones them. A call then allocates one box: 191 instructions more than 2,298 for a call with two numbers, on x86-64.
#![cfg_attr(
    all(feature = "alloc", feature = "mcp", feature = "serde"),
    doc = "
```
use nanojsonrpc::mcp::{Schema, Service};
use nanojsonrpc::server::{AsyncRoutes, BoxedRoutes};
use nanojsonrpc::{Dialect, Router, Server};

fn sensors() -> Router<u32, BoxedRoutes<u32>> {
    let router = Router::new().request_async(\"read\", async |celsius: &mut u32| Ok(*celsius));
    router.boxed(|routes, celsius, call, exchange| Box::pin(routes.route(celsius, call, exchange)))
}

// a router with that part, or a service of MCP
fn server() -> Server<BoxedRoutes<u32>> {
    let service = Service::new(\"thermometer\", \"1.0.0\")
        .tool_async(\"read\", \"Reads the temperature.\", Schema::NO_ARGUMENTS, async |celsius: &mut u32, (): ()| *celsius);
    let router = service.router().nest(\"sensors.\", sensors());
    Server::new(router.boxed(|routes, celsius, call, exchange| Box::pin(routes.route(celsius, call, exchange))))
        .with_dialect(Dialect::MCP)
}

# tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap().block_on(async {
let task = tokio::spawn(async {
    let (mut server, text) = (server(), br#\"{\"jsonrpc\":\"2.0\",\"method\":\"sensors.read\",\"id\":1}\"#);
    server.process_async(&mut 21, text, &mut [0; 96]).await.answer().map(<[u8]>::to_vec)
});
assert_eq!(task.await.unwrap().unwrap(), br#\"{\"jsonrpc\":\"2.0\",\"result\":21,\"id\":1}\"#);
# });
```
"
)]

pub use super::call::Call;
pub(super) use super::call::Stage;
pub use super::context::Owning;
pub use super::endpoint::{Endpoint, Fallback, NotificationFallback, OnNotification, OnRequest, OnResponse};
pub use super::list::{End, Nested, Route, Routes};

/// Formats only the name of a type, because functions have no format.
#[cfg(feature = "defmt")]
macro_rules! shown_by_name {
    ($([$($generics:tt)*] $type:ty, $name:literal;)*) => {$(
        impl<$($generics)*> defmt::Format for $type {
            fn format(&self, f: defmt::Formatter<'_>) {
                defmt::write!(f, $name);
            }
        }
    )*};
}
#[cfg(feature = "defmt")]
shown_by_name! {
    [] Call<'_>, "Call";
    [] End, "End";
    [R, P] Route<R, P>, "Route";
    [R, P] super::AsyncRoute<R, P>, "AsyncRoute";
    [R, S] Nested<R, S>, "Nested";
    [C, R] Owning<C, R>, "Owning";
    [H, O, M] OnRequest<H, O, M>, "OnRequest";
    [L, M] OnNotification<L, M>, "OnNotification";
    [F] Fallback<F>, "Fallback";
    [F] NotificationFallback<F>, "NotificationFallback";
    [F] OnResponse<F>, "OnResponse";
    [] super::Plain, "Plain";
    [E] super::Converted<E>, "Converted";
    [] super::ByFailure, "ByFailure";
    [D] super::ByObject<D>, "ByObject";
    [R, T] super::TimeLimited<R, T>, "TimeLimited";
    [C, R] super::Router<C, R>, "Router";
    [R, H] super::Server<R, H>, "Server";
    [C, const N: usize] super::Registry<'_, C, N>, "Registry";
}
