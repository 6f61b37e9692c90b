//! Code in front of all calls.

use super::route::Call;
use super::{Event, Observer, Server};
use crate::json::ObjectWriter;
use crate::message::{ErrorCode, ErrorObject};

/// Something in front of all calls of a [`Server`]: to log, count, authorise or limit them. [`Server::with_layer`] puts it there.
///
/// The server calls [`before`](Self::before) with each request, notification and response, also with one that has no route, and then
/// [`after`](Self::after) with its outcome. Each element of a batch is a call of its own. The [`Call`] shows kind, method, id and params;
/// the method has the prefixes of nested routes.
///
/// # Log, with the time of each call
/// A server handles one call at a time, so a layer may keep a value from `before` to `after`.
///
/// ```
/// use std::time::Instant;
///
/// use nanojsonrpc::server::{Layer, route::Call};
/// use nanojsonrpc::{ErrorCode, ErrorObject, Router, Server};
///
/// #[derive(Default)]
/// struct Log {
///     begun: Option<Instant>,
///     lines: Vec<String>,
/// }
///
/// impl<C> Layer<C> for Log {
///     fn before(&mut self, _: &mut C, _: &Call<'_>) -> Result<(), ErrorObject<'static>> {
///         self.begun = Some(Instant::now());
///         Ok(())
///     }
///
///     fn after(&mut self, _: &mut C, call: &Call<'_>, outcome: Result<(), ErrorCode>) {
///         let time = self.begun.take().map(|begun| begun.elapsed()).unwrap_or_default();
///         // `{:?}`, so that no method can forge a line
///         let method = call.method().to_string();
///         self.lines.push(match outcome {
///             Ok(()) => format!("{method:?} in {time:?}"),
///             Err(code) => format!("{method:?} in {time:?}: error {}", code.0),
///         });
///     }
/// }
///
/// let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong"))).with_layer(Log::default());
/// server.process(&mut (), br#"{"jsonrpc":"2.0","method":"pang","id":1}"#, &mut [0; 128]);
/// let line = server.layer_mut().lines.pop().unwrap();
/// assert!(line.starts_with("\"pang\" in ") && line.ends_with(": error -32601"));
/// ```
///
/// # Authorise
/// `before` reads the context: the user of the connection, or the token of the HTTP request. A tool of MCP is called by the method
/// `tools/call`; its name is the param `name`.
///
/// ```
/// use nanojsonrpc::server::{Layer, route::Call};
/// use nanojsonrpc::{ErrorObject, Router, Server};
///
/// struct Caller {
///     is_admin: bool,
/// }
///
/// struct Guard;
///
/// impl Layer<Caller> for Guard {
///     fn before(&mut self, caller: &mut Caller, call: &Call<'_>) -> Result<(), ErrorObject<'static>> {
///         let is_open = call.method() == "status";
///         if is_open || caller.is_admin { Ok(()) } else { Err(ErrorObject::new(-32001, "Forbidden")) }
///     }
/// }
///
/// let router = Router::new().request("status", |_: &mut Caller| Ok("on")).request("reset", |_: &mut Caller| Ok(()));
/// let mut server = Server::new(router).with_layer(Guard);
/// let (mut caller, mut output) = (Caller { is_admin: false }, [0; 96]);
/// let answer = server.process(&mut caller, br#"{"jsonrpc":"2.0","method":"reset","id":1}"#, &mut output).answer();
/// assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Forbidden"},"id":1}"#[..]));
/// ```
///
/// # Count and limit
/// A counter is a field of the layer, or of the context if several connections share it.
///
/// ```
/// use nanojsonrpc::server::{Layer, route::Call};
/// use nanojsonrpc::{ErrorObject, Router, Server};
///
/// struct AtMost(u32);
///
/// impl<C> Layer<C> for AtMost {
///     fn before(&mut self, _: &mut C, _: &Call<'_>) -> Result<(), ErrorObject<'static>> {
///         self.0 = self.0.checked_sub(1).ok_or(ErrorObject::new(-32000, "Busy"))?;
///         Ok(())
///     }
/// }
///
/// let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong"))).with_layer(AtMost(1));
/// let (text, mut output) = (br#"{"jsonrpc":"2.0","method":"ping","id":1}"#, [0; 96]);
/// assert_eq!(server.process(&mut (), text, &mut output).answer(), Some(&br#"{"jsonrpc":"2.0","result":"pong","id":1}"#[..]));
/// assert!(server.process(&mut (), text, &mut output).answer().is_some_and(|answer| answer.windows(4).any(|part| part == b"Busy")));
/// ```
///
/// # Limits
/// - If the future of an `async` handler is dropped, `after` is not called: a cancelled call, or a connection that ends.
/// - `Connection::concurrent` handles a request that waits with a clone of the server, so of the layer, too. What such a layer counts
///   belongs in the context, or behind a reference or an `Arc`.
/// - A layer does not see what reaches no route: an unreadable text and a text without room for its answers, which the
///   [observer](Server::observed_by) receives; a message that `http::Endpoint` or `mcp::http::Endpoint` refuses by the HTTP head; a
///   response that ends a call of the program's own; a request that a `concurrent` connection refuses because all slots are taken, and a
///   notification that cancels a call there.
pub trait Layer<C> {
    /// Is called before the routes of `call`. If it returns an error, `call` goes no further in: a request is answered with the error, any
    /// other message is dropped.
    ///
    /// # Errors
    /// The error that refuses `call`.
    fn before(&mut self, context: &mut C, call: &Call<'_>) -> Result<(), ErrorObject<'static>> {
        let _ = (context, call);
        Ok(())
    }

    /// Is called after `call`, also if [`before`](Self::before) has refused it.
    ///
    /// `outcome` of a request is the answer as written: `Ok` for a result, otherwise the code of the error, which is -32603 if a reply did
    /// not fit. A result of MCP with `isError` is a result. `outcome` of any other message is `Ok` if a listener took it, or the code that
    /// would tell why not: -32601 without a listener, -32602 if its params do not fit, -32603 without room to decode one, -32001 at the time limit of its listener, the code of a refusal.
    fn after(&mut self, context: &mut C, call: &Call<'_>, outcome: Result<(), ErrorCode>) {
        let _ = (context, call, outcome);
    }

    /// Adds members to a message that the program sends; each layer may add some. No name may be that of another member.
    ///
    /// With `call`, the message is the answer to this request, also if a layer has refused it. If the members do not fit, the answer is sent
    /// without them, and the observer receives [`Event::MembersLost`]. With `None`, it is a call or a notification by
    /// `Connection::peer`, to which this server belongs; it is not sent if the members do not fit.
    ///
    /// No other message gets members: the answer to an unreadable text, a [message in place of an answer](super::Reply::instead) and the answer
    /// after it, and what a connection sends without a server.
    ///
    /// ```
    /// use nanojsonrpc::json::ObjectWriter;
    /// use nanojsonrpc::server::{Layer, route::Call};
    /// use nanojsonrpc::{Dialect, Router, Server};
    ///
    /// /// As on devices of Shelly: the names of the sender and the receiver.
    /// struct Addresses;
    ///
    /// impl<C> Layer<C> for Addresses {
    ///     fn members(&mut self, _: &mut C, call: Option<&Call<'_>>, members: &mut ObjectWriter<'_, '_>) {
    ///         members.member("src", "switch-1");
    ///         if let Some(source) = call.and_then(|call| call.get("src")) {
    ///             members.member("dst", &source);
    ///         }
    ///     }
    /// }
    ///
    /// let router = Router::new().request("on", |_: &mut ()| Ok(true));
    /// let mut server = Server::new(router).with_dialect(Dialect::LENIENT).with_layer(Addresses);
    /// let mut output = [0; 96];
    /// let answer = server.process(&mut (), br#"{"id":1,"src":"hub","method":"on"}"#, &mut output).answer();
    /// assert_eq!(answer, Some(&br#"{"result":true,"id":1,"src":"switch-1","dst":"hub"}"#[..]));
    /// ```
    fn members(&mut self, context: &mut C, call: Option<&Call<'_>>, members: &mut ObjectWriter<'_, '_>) {
        let _ = (context, call, members);
    }
}

/// A [`Layer`] around an observer, in the type of a [`Server`] with a layer: `Server<R, Layered<Unobserved, Guard>>`.
///
/// ```
/// use nanojsonrpc::server::route::{Call, End};
/// use nanojsonrpc::server::{Layer, Layered, Unobserved};
/// use nanojsonrpc::{Router, Server};
///
/// struct Guard;
///
/// impl Layer<u8> for Guard {}
///
/// struct Device {
///     server: Server<End, Layered<Unobserved, Guard>>,
/// }
///
/// let device = Device { server: Server::new(Router::<u8>::new()).with_layer(Guard) };
/// # _ = device.server;
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Layered<H, L> {
    observer: H,
    layer: L,
    /// Whether a layer further out has refused the last call. Not in the future of the call, which would then contain the type of this
    /// layer with its context.
    is_refused: bool,
}

impl<C, H: Observer<C>, L: Layer<C>> Observer<C> for Layered<H, L> {
    const IS_ACTIVE: bool = H::IS_ACTIVE;
    const HAS_LAYER: bool = true;

    fn observe(&mut self, context: &mut C, event: Event<'_>) {
        self.observer.observe(context, event);
    }

    fn enter(&mut self, context: &mut C, call: &Call<'_>, is_refused: bool) -> Result<(), ErrorObject<'static>> {
        self.is_refused = is_refused;
        let seen = if is_refused { Ok(()) } else { self.layer.before(context, call) };
        let further_in = self.observer.enter(context, call, is_refused || seen.is_err());
        seen.and(further_in)
    }

    fn put_members(&mut self, context: &mut C, call: Option<&Call<'_>>, members: &mut ObjectWriter<'_, '_>) {
        self.observer.put_members(context, call, members);
        self.layer.members(context, call, members);
    }

    fn leave(&mut self, context: &mut C, call: &Call<'_>, outcome: Result<(), ErrorCode>) {
        if !self.is_refused {
            self.observer.leave(context, call, outcome);
            self.layer.after(context, call, outcome);
        }
    }
}

impl<R, H> Server<R, H> {
    /// Puts `layer` in front of all calls: it sees each call before its handler and after its answer, and may refuse it. Of several layers,
    /// the last is the outermost. Without a layer, no code for layers is linked.
    pub fn with_layer<L>(self, layer: L) -> Server<R, Layered<H, L>> {
        self.map_observer(|observer| Layered { observer, layer, is_refused: false })
    }
}

#[cfg(all(feature = "embedded-io", feature = "serde"))]
impl<R, H> Server<R, H> {
    /// Lets the layers add members to the call or notification that ends the written text.
    pub(crate) fn put_members<C>(
        &mut self,
        context: &mut C,
        out: &mut crate::json::Writer<'_>,
    ) -> Result<(), crate::error::Error>
    where
        H: Observer<C>,
    {
        if H::HAS_LAYER {
            return out.add_members(|members| self.observer.put_members(context, None, members));
        }
        Ok(())
    }
}

impl<R, H, L> Server<R, Layered<H, L>> {
    /// The outermost layer.
    pub const fn layer_mut(&mut self) -> &mut L {
        &mut self.observer.layer
    }
}
