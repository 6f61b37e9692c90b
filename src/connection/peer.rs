//! The peer of a connection, with a server for its messages.

#[cfg(feature = "embedded-io-async")]
use core::future::{Pending, pending};

use serde::{Deserialize, Serialize};

use super::call::Called;
use super::{Connection, Outcome};
use crate::frame::{Buffer, Frame};
use crate::json::ToJson;
use crate::server::route::Routes;
use crate::server::{Observer, Server};

/// The peer of a [`Connection`]: calls it, while `server` handles the messages of the peer. Generated clients call over `&mut Peer`.
#[derive(Debug)]
pub struct Peer<'p, 'b, R, W, F, B, S, H, C, L = fn() -> bool> {
    connection: &'p mut Connection<'b, R, W, F, B>,
    server: &'p mut Server<S, H>,
    context: &'p mut C,
    deadline: L,
}

/// The deadline of `async` calls without a limit.
#[cfg(feature = "embedded-io-async")]
type Never = fn() -> Pending<()>;

impl<'b, R, W, F: Frame, B: Buffer> Connection<'b, R, W, F, B> {
    /// Returns the peer for calls during which `server` handles all other messages: it answers requests, calls the listeners of
    /// notifications, and passes other responses to [`Router::response`](crate::Router::response). [`Peer::call`] calls by name, and the
    /// client of a `service` by its functions: `FanClient::speed(&mut peer)`.
    ///
    /// ```
    /// use nanojsonrpc::connection::{CallError, Connection};
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::{Router, Server};
    ///
    /// // the peer sends a call of its own, and two answers
    /// let mut incoming = &b"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\n\
    ///     {\"jsonrpc\":\"2.0\",\"result\":1200,\"id\":4503599627370496}\n\
    ///     {\"jsonrpc\":\"2.0\",\"result\":false,\"id\":4503599627370497}\n"[..];
    /// let mut sent = [0; 256];
    /// let mut outgoing = &mut sent[..];
    /// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 256]);
    /// let mut connection = Connection::new(&mut incoming, &mut outgoing, &mut framer, &mut output);
    ///
    /// let mut server = Server::new(Router::new().request("ping", |pings: &mut u8| {
    ///     *pings += 1;
    ///     Ok("pong")
    /// }));
    /// let mut pings = 0;
    /// let mut peer = connection.peer(&mut server, &mut pings);
    /// assert_eq!(peer.call("fan.speed", &()), Ok(1200));
    /// assert!(matches!(peer.call::<u16>("fan.speed", &()), Err(CallError::Payload(_))));
    /// assert_eq!(pings, 1);
    /// ```
    pub const fn peer<'p, S, H, C>(
        &'p mut self,
        server: &'p mut Server<S, H>,
        context: &'p mut C,
    ) -> Peer<'p, 'b, R, W, F, B, S, H, C> {
        Peer { connection: self, server, context, deadline: || false }
    }

    /// Returns the peer for the methods that end in `_async`, of [`Peer`] and of the client of a `service`.
    ///
    /// ```
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::{Router, Server};
    ///
    /// async fn speed(reader: impl embedded_io_async::Read, writer: impl embedded_io_async::Write) -> Option<u32> {
    ///     let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
    ///     let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    ///     let (mut server, mut context) = (Server::new(Router::<()>::new()), ());
    ///     let mut peer = connection.peer_async(&mut server, &mut context);
    ///     peer.notify_async("fan.wake", &()).await.ok()?;
    ///     peer.call_async("fan.speed", &()).await.ok()
    /// }
    /// ```
    #[cfg(feature = "embedded-io-async")]
    pub const fn peer_async<'p, S, H, C>(
        &'p mut self,
        server: &'p mut Server<S, H>,
        context: &'p mut C,
    ) -> Peer<'p, 'b, R, W, F, B, S, H, C, Never> {
        Peer { connection: self, server, context, deadline: pending }
    }
}

impl<'p, 'b, R, W, F, B, S, H, C, L> Peer<'p, 'b, R, W, F, B, S, H, C, L> {
    /// Limits the time of each call: it fails with [`CallError::Late`](super::CallError::Late) when `is_late` returns `true`; see
    /// [`Connection::call_until`].
    ///
    /// ```
    /// use nanojsonrpc::connection::{CallError, Connection};
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::{Router, Server};
    ///
    /// let mut sent = [0; 64];
    /// let (mut framer, mut output) = (Framer::<Lines, 64>::new(), [0; 128]);
    /// let mut connection = Connection::new(&b"{"[..], &mut sent[..], &mut framer, &mut output);
    /// let (mut server, mut context) = (Server::new(Router::<()>::new()), ());
    /// let mut peer = connection.peer(&mut server, &mut context).until(|| true);
    /// assert!(matches!(peer.call::<u8>("level", &()), Err(CallError::Late)));
    /// ```
    pub fn until<D: FnMut() -> bool>(self, is_late: D) -> Peer<'p, 'b, R, W, F, B, S, H, C, D> {
        self.with_deadline(is_late)
    }

    /// Limits the time of each call over [`peer_async`](Connection::peer_async): it ends when the future of `deadline` is ready. In a
    /// spawned task, write a deadline that captures a value as `async move || tokio::time::sleep(limit).await`: otherwise the compiler
    /// reports that an "implementation of `Send` is not general enough".
    ///
    /// ```
    /// use core::time::Duration;
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::{Router, Server};
    ///
    /// async fn speed(reader: impl embedded_io_async::Read, writer: impl embedded_io_async::Write) -> Option<u32> {
    ///     let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
    ///     let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    ///     let (mut server, mut context, limit) = (Server::new(Router::<()>::new()), (), Duration::from_secs(5));
    ///     let peer = connection.peer_async(&mut server, &mut context);
    ///     peer.until_async(async move || tokio::time::sleep(limit).await).call_async("fan.speed", &()).await.ok()
    /// }
    /// ```
    #[cfg(feature = "embedded-io-async")]
    pub fn until_async<D: AsyncFnMut()>(self, deadline: D) -> Peer<'p, 'b, R, W, F, B, S, H, C, D> {
        self.with_deadline(deadline)
    }

    fn with_deadline<D>(self, deadline: D) -> Peer<'p, 'b, R, W, F, B, S, H, C, D> {
        let Self { connection, server, context, .. } = self;
        Peer { connection, server, context, deadline }
    }
}

impl<R, W, F, B, S, H, C, L> Peer<'_, '_, R, W, F, B, S, H, C, L>
where
    R: embedded_io::Read,
    W: embedded_io::Write,
    F: Frame,
    B: Buffer,
    S: Routes<C>,
    H: Observer<C>,
    L: FnMut() -> bool,
{
    /// Calls `method` and waits for the result; see [`Connection::call`]. Messages behind the answer stay in the framer until
    /// [`Connection::answer`], so call that before the next read.
    ///
    /// # Errors
    /// As [`Connection::call_until`].
    pub fn call<'c, T: Deserialize<'c>>(
        &'c mut self,
        method: &str,
        params: &(impl ToJson + ?Sized),
    ) -> Called<'c, T, R, W> {
        self.connection.call_serving(self.server, self.context, method, params, &mut self.deadline)
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// As [`Connection::send`].
    pub fn notify(&mut self, method: &str, params: &impl Serialize) -> Outcome<(), R, W> {
        self.connection.notify_serving(self.server, self.context, method, params)
    }
}

#[cfg(feature = "embedded-io-async")]
impl<R, W, F, B, S, H, C, L> Peer<'_, '_, R, W, F, B, S, H, C, L>
where
    R: embedded_io_async::Read,
    W: embedded_io_async::Write,
    F: Frame,
    B: Buffer,
    S: crate::server::AsyncRoutes<C>,
    H: Observer<C>,
    L: AsyncFnMut(),
{
    /// [`call`](Self::call) without blocking, for [`peer_async`](Connection::peer_async).
    ///
    /// # Errors
    /// As [`Connection::call_until_async`].
    pub async fn call_async<'c, T: Deserialize<'c>>(
        &'c mut self,
        method: &str,
        params: &(impl ToJson + ?Sized),
    ) -> Called<'c, T, R, W> {
        let deadline = (self.deadline)();
        self.connection.call_serving_async(self.server, self.context, method, params, deadline).await
    }

    /// [`notify`](Self::notify) without blocking.
    ///
    /// # Errors
    /// As [`Connection::send_async`].
    pub async fn notify_async(&mut self, method: &str, params: &impl Serialize) -> Outcome<(), R, W> {
        self.connection.notify_serving_async(self.server, self.context, method, params).await
    }
}

#[cfg(feature = "defmt")]
impl<R, W, F, B, S, H, C, L> defmt::Format for Peer<'_, '_, R, W, F, B, S, H, C, L> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Peer");
    }
}
