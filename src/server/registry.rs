//! A table of handlers that is filled at run time.

use core::fmt;
use core::marker::PhantomData;

use heapless::Vec;

use super::outcome::HandlerError;
use super::route::{Call, Routes, Stage};
use super::{AsyncRoutes, Exchange, Handler, Listener, Outcome, Plain, Reply};
use crate::error::{Error, ErrorKind};
use crate::json::ToJson;
use crate::message::Params;

/// A table of up to `N` handlers, for routes that are not known at compile time. The table borrows its handlers and calls them through
/// `&mut dyn`.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::Server;
/// use nanojsonrpc::server::{Registry, handler};
///
/// let mut double = handler(|_: &mut (), (number,): (i32,)| Ok(number * 2));
/// let mut registry: Registry<'_, (), 4> = Registry::new();
/// registry.request("double", &mut double)?;
///
/// let mut server = Server::with_routes(registry);
/// let mut output = [0; 96];
/// assert_eq!(
///     server.process(&mut (), br#"{"jsonrpc":"2.0","method":"double","params":[21],"id":1}"#, &mut output).answer(),
///     Some(&br#"{"jsonrpc":"2.0","result":42,"id":1}"#[..])
/// );
/// # Ok(()) }
/// # }
/// ```
///
/// # Limits
/// `N` handlers and listeners in total. A look-up takes time linear in their number.
///
/// The handlers are `Send`, so that a registry can move to any thread, with any context. A value that must stay on its thread, such as an
/// `Rc` or a `&Cell`, belongs in the context or in a handler of a [`Router`](crate::Router), which need not be `Send`.
pub struct Registry<'h, C, const N: usize> {
    entries: Vec<Entry<'h, C>, N>,
}

struct Entry<'h, C> {
    name: &'h str,
    target: Target<'h, C>,
}

impl<C> Entry<'_, C> {
    fn is_for(&self, call: &Call<'_>) -> bool {
        call.matches(self.target.stage(), self.name)
    }
}

enum Target<'h, C> {
    Request(&'h mut dyn AnyHandler<C>),
    Notification(&'h mut dyn AnyListener<C>),
}

impl<C> Target<'_, C> {
    const fn stage(&self) -> Stage {
        match self {
            Self::Request(_) => Stage::Request,
            Self::Notification(_) => Stage::Notification,
        }
    }
}

/// A handler as a [`Registry`] stores it, made by [`handler`]. It is `Send`, so that the registry is `Send`, too.
pub trait AnyHandler<C>: Send {
    /// Answers one request.
    fn answer(&mut self, context: &mut C, params: Params<'_>, reply: Reply<'_>);
}

/// A listener as a [`Registry`] stores it, made by [`listener`]. It is `Send`, so that the registry is `Send`, too.
pub trait AnyListener<C>: Send {
    /// Handles one notification.
    ///
    /// # Errors
    /// As [`Listener::receive`].
    fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error>;
}

/// Hides the signature of a function from a [`Registry`]; see [`handler`] and [`listener`].
struct Shapeless<F, O, M> {
    function: F,
    outcome: O,
    shape: PhantomData<fn() -> M>,
}

/// Wraps a function or closure for a [`Registry`]; [`Handler`] lists the possible signatures.
///
/// Its error type is [`ErrorObject`](crate::ErrorObject), into which `?` converts the errors of this crate.
pub const fn handler<C, M, H: Handler<C, M> + Send>(function: H) -> impl AnyHandler<C>
where
    H::Output: Outcome<Plain>,
{
    Shapeless { function, outcome: Plain, shape: PhantomData }
}

/// [`handler`] for a function with its own error type, as for [`Router::request_fallible`](super::Router::request_fallible).
///
/// ```
/// use nanojsonrpc::server::{Registry, handler_fallible};
/// use nanojsonrpc::{Error, Notification, Router};
///
/// let mut blink = handler_fallible(|room: &mut [u8; 8]| Notification::new("blink").write(room));
/// let mut registry: Registry<'_, [u8; 8], 4> = Registry::new();
/// registry.request("blink", &mut blink)?;
/// let router = Router::new().request("ping", |_: &mut [u8; 8]| Ok("pong")).registry(registry);
/// # _ = router;
/// # Ok::<(), Error>(())
/// ```
pub const fn handler_fallible<C, M, H, T, E, K>(function: H) -> impl AnyHandler<C>
where
    H: Handler<C, M, Output = Result<T, E>> + Send,
    T: ToJson,
    E: HandlerError<K>,
    Result<T, E>: Outcome<E::Way>,
{
    Shapeless { function, outcome: E::WAY, shape: PhantomData }
}

/// Wraps a function or closure for a [`Registry`]; [`Listener`] lists the possible signatures.
pub const fn listener<C, M, L: Listener<C, M> + Send>(function: L) -> impl AnyListener<C> {
    Shapeless { function, outcome: (), shape: PhantomData }
}

impl<C, M, H: Handler<C, M> + Send, O: Copy + Send> AnyHandler<C> for Shapeless<H, O, M>
where
    H::Output: Outcome<O>,
{
    fn answer(&mut self, context: &mut C, params: Params<'_>, reply: Reply<'_>) {
        self.function.call(self.outcome, context, params, reply);
    }
}

impl<C, M, L: Listener<C, M> + Send> AnyListener<C> for Shapeless<L, (), M> {
    fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
        self.function.receive(context, params)
    }
}

impl<'h, C, const N: usize> Registry<'h, C, N> {
    /// An empty registry.
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Answers requests for the method `name` with `handler`. It replaces an earlier handler of that method.
    ///
    /// # Errors
    /// [`ErrorKind::RegistryFull`] if the registry already has `N` other entries.
    pub fn request(&mut self, name: &'h str, handler: &'h mut dyn AnyHandler<C>) -> Result<(), Error> {
        self.put(Entry { name, target: Target::Request(handler) })
    }

    /// Calls `listener` with the notifications of the method `name`. It replaces an earlier listener of that method.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn notification(&mut self, name: &'h str, listener: &'h mut dyn AnyListener<C>) -> Result<(), Error> {
        self.put(Entry { name, target: Target::Notification(listener) })
    }

    /// Removes the handler and the listener of the method `name`. Returns whether there was one.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.name != name);
        self.entries.len() != before
    }

    /// The number of handlers and listeners.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the registry has no handler and no listener.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn put(&mut self, new: Entry<'h, C>) -> Result<(), Error> {
        let stage = new.target.stage();
        match self.entries.iter_mut().find(|entry| entry.name == new.name && entry.target.stage() == stage) {
            Some(entry) => *entry = new,
            None => self.entries.push(new).map_err(|_| Error::new(ErrorKind::RegistryFull, N))?,
        }
        Ok(())
    }

    fn take(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.is_for(call)) else { return false };
        match &mut entry.target {
            Target::Request(handler) => handler.answer(context, call.params(), exchange.reply()),
            Target::Notification(listener) => {
                let outcome = listener.receive(context, call.params_in(exchange));
                exchange.keep_fault(outcome);
            }
        }
        true
    }
}

impl<C, const N: usize> Default for Registry<'_, C, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C, const N: usize> fmt::Debug for Registry<'_, C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.entries.iter().map(|entry| (entry.name, entry.target.stage()))).finish()
    }
}

impl<C, const N: usize> Routes<C> for Registry<'_, C, N> {
    const FALLS_BACK: bool = false;

    fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        self.take(context, call, exchange)
    }
}

impl<C, const N: usize> AsyncRoutes<C> for Registry<'_, C, N> {
    const FALLS_BACK: bool = false;

    async fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        self.take(context, call, exchange)
    }

    fn waits(&mut self, _: &mut C, call: &Call<'_>) -> Option<bool> {
        self.entries.iter().any(|entry| entry.is_for(call)).then_some(false)
    }
}
