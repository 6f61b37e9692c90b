//! Calls over a connection.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Caller;
use crate::connection::{CallError, Connection, ConnectionError};
use crate::frame::{Buffer, Frame};

use crate::message::{ByRules, Notification};
use crate::server::route::Routes;
use crate::server::{Observer, Server};

/// The peer of a [`Connection`], as a [`Caller`](super::Caller) for generated clients. During a call `server` handles the messages of the
/// peer.
#[derive(Debug)]
pub struct Peer<'p, 'b, R, W, F, B, S, H, C, L> {
    connection: &'p mut Connection<'b, R, W, F, B>,
    server: &'p mut Server<S, H>,
    context: &'p mut C,
    deadline: L,
}

impl<'b, R, W, F: Frame, B: Buffer> Connection<'b, R, W, F, B> {
    /// Returns the peer as a caller for the client of a [service](mod@crate::service): `FanClient::speed(&mut peer)`.
    ///
    /// ```
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::{Router, Server};
    ///
    /// #[nanojsonrpc::service(prefix = "fan.", client = FanClient)]
    /// trait Fan {
    ///     fn speed(&self) -> u16;
    /// }
    ///
    /// let mut incoming = &b"{\"jsonrpc\":\"2.0\",\"result\":1200,\"id\":4503599627370496}\n"[..];
    /// let mut sent = [0; 256];
    /// let mut outgoing = &mut sent[..];
    /// let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 256]);
    /// let mut connection = Connection::new(&mut incoming, &mut outgoing, &mut framer, &mut output);
    /// let (mut server, mut context) = (Server::new(Router::<()>::new()), ());
    ///
    /// let mut peer = connection.peer(&mut server, &mut context, || false);
    /// assert_eq!(FanClient::speed(&mut peer), Ok(1200));
    /// ```
    ///
    /// A call fails with [`CallError::Late`] when `is_late` returns `true`; see [`call_until`](Self::call_until).
    ///
    /// A [`CallError`] borrows from the connection, so a function that owns the connection cannot return it with `?`: the compiler reports
    /// "returns a value referencing data owned by the current function". Convert it first:
    /// `FanClient::speed(&mut peer).map_err(|error| error.to_string())?`.
    pub const fn peer<'p, S, H, C, L: FnMut() -> bool>(
        &'p mut self,
        server: &'p mut Server<S, H>,
        context: &'p mut C,
        is_late: L,
    ) -> Peer<'p, 'b, R, W, F, B, S, H, C, L> {
        Peer { connection: self, server, context, deadline: is_late }
    }

    /// Returns the peer as a caller for the `_async` functions of a [service](mod@crate::service)'s client. Each call ends when the future
    /// of `deadline` is ready. With [`core::future::pending::<()>`](core::future::pending) there is no deadline. In a spawned task, write a
    /// deadline that captures a value as `async move || tokio::time::sleep(limit).await`: otherwise the compiler reports that an
    /// "implementation of `Send` is not general enough".
    ///
    /// ```
    /// use nanojsonrpc::connection::Connection;
    /// use nanojsonrpc::frame::{Framer, Lines};
    /// use nanojsonrpc::{Router, Server};
    ///
    /// #[nanojsonrpc::service(client = FanClient)]
    /// trait Fan {
    ///     fn speed(&self) -> u32;
    /// }
    ///
    /// async fn speed(reader: impl embedded_io_async::Read, writer: impl embedded_io_async::Write) -> Option<u32> {
    ///     let (mut framer, mut output) = (Framer::<Lines, 128>::new(), [0; 128]);
    ///     let mut connection = Connection::new(reader, writer, &mut framer, &mut output);
    ///     let (mut server, mut context) = (Server::new(Router::<()>::new()), ());
    ///     let mut peer = connection.peer_async(&mut server, &mut context, core::future::pending::<()>);
    ///     FanClient::speed_async(&mut peer).await.ok()
    /// }
    /// ```
    #[cfg(feature = "embedded-io-async")]
    pub const fn peer_async<'p, S, H, C, L: AsyncFnMut()>(
        &'p mut self,
        server: &'p mut Server<S, H>,
        context: &'p mut C,
        deadline: L,
    ) -> Peer<'p, 'b, R, W, F, B, S, H, C, L> {
        Peer { connection: self, server, context, deadline }
    }
}

impl<'c, R, W, F, B, S, H, C, L> Caller for &'c mut Peer<'_, '_, R, W, F, B, S, H, C, L>
where
    R: embedded_io::Read,
    W: embedded_io::Write,
    F: Frame,
    B: Buffer,
    S: Routes<C>,
    H: Observer<C>,
    L: FnMut() -> bool,
{
    type Outcome<T> = Result<T, CallError<'c, R::Error, W::Error>>;
    type Notified = Result<(), ConnectionError<R::Error, W::Error>>;

    fn call<T: DeserializeOwned>(self, method: &str, params: &impl Serialize) -> Self::Outcome<T> {
        self.connection.call_until(self.server, self.context, method, params, &mut self.deadline)
    }

    fn notify(self, method: &str, params: &impl Serialize) -> Self::Notified {
        self.connection.send(&ByRules(Notification::new(method).with_params(params), self.server.dialect()))
    }
}

#[cfg(feature = "embedded-io-async")]
impl<'c, R, W, F, B, S, H, C, L> super::AsyncCaller for &'c mut Peer<'_, '_, R, W, F, B, S, H, C, L>
where
    R: embedded_io_async::Read,
    W: embedded_io_async::Write,
    F: Frame,
    B: Buffer,
    S: crate::server::AsyncRoutes<C>,
    H: Observer<C>,
    L: AsyncFnMut(),
{
    type Error = CallError<'c, R::Error, W::Error>;

    async fn call<T: DeserializeOwned>(self, method: &str, params: &impl Serialize) -> Result<T, Self::Error> {
        let deadline = (self.deadline)();
        self.connection.call_until_async(self.server, self.context, method, params, deadline).await
    }

    async fn notify(self, method: &str, params: &impl Serialize) -> Result<(), Self::Error> {
        let notification = ByRules(Notification::new(method).with_params(params), self.server.dialect());
        Ok(self.connection.send_async(&notification).await?)
    }
}
