//! Servers: the same service for every connection of a listener.

use std::fmt;
use std::future::Future;
use std::io;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use nanojsonrpc::frame::{Frame, Lines};
use tokio::io::{AsyncRead, AsyncWrite, join, stdin, stdout};
#[cfg(target_os = "linux")]
use tokio::net::unix::pipe::OpenOptions;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use crate::client::stream;
use crate::connection::{Connection, Shared, Transport};
use crate::error::Closed;
use crate::{CallService, Client, Options};

/// Accepts streams of bytes.
pub trait Listener: Send {
    /// A stream of one client.
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// Waits for the next client.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, String)>> + Send;
}

impl Listener for TcpListener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, String)> {
        let (stream, address) = Self::accept(self).await?;
        // a small answer would wait for the acknowledgement of the one before
        stream.set_nodelay(true)?;
        Ok((stream, address.to_string()))
    }
}

#[cfg(unix)]
impl Listener for tokio::net::UnixListener {
    type Stream = tokio::net::UnixStream;

    async fn accept(&mut self) -> io::Result<(Self::Stream, String)> {
        Ok((Self::accept(self).await?.0, String::new()))
    }
}

/// Serves a service of calls, such as [`Methods`](crate::Methods), over listeners and streams. The messages are lines, unless another
/// [frame](Self::frame) is set.
///
/// ```no_run
/// use nanojsonrpc_tokio::{Methods, Server};
/// use tokio::net::TcpListener;
///
/// # async fn run() -> std::io::Result<()> {
/// let methods = Methods::new(()).request("ping", async |_, ()| Ok("pong"));
/// let listener = TcpListener::bind("127.0.0.1:4000").await?;
/// Server::new(methods).serve(listener, async { _ = tokio::signal::ctrl_c().await }).await;
/// # Ok(()) }
/// ```
///
/// Each connection has a clone of the service. For a service that depends on the connection: [`per_connection`](Self::per_connection).
pub struct Server<M, F = Lines> {
    make: M,
    options: Options,
    connections: usize,
    grace: Duration,
    frame: PhantomData<fn() -> F>,
}

/// Makes the service of a connection from the handle that calls its peer.
pub trait MakeService: Send {
    /// The service.
    type Service: CallService + Unpin;

    /// The service of one connection.
    fn make(&self, peer: &Client) -> Self::Service;
}

/// The same service for every connection.
#[derive(Clone, Copy, Debug)]
pub struct Same<S>(S);

impl<S> MakeService for Same<S>
where
    S: CallService + Clone + Unpin,
{
    type Service = S;

    fn make(&self, _: &Client) -> S {
        self.0.clone()
    }
}

impl<S, F> MakeService for F
where
    F: Fn(&Client) -> S + Send,
    S: CallService + Unpin,
{
    type Service = S;

    fn make(&self, peer: &Client) -> S {
        self(peer)
    }
}

impl<S> Server<Same<S>> {
    /// Serves clones of `service`.
    pub const fn new(service: S) -> Self {
        Self::per_connection(Same(service))
    }
}

impl<M> Server<M> {
    /// Calls `make` with each connection: the handle calls the client, or holds what belongs to it.
    ///
    /// ```
    /// use nanojsonrpc_tokio::{Client, Methods, Server};
    ///
    /// let methods = Methods::new(None).request("subscribe", async |peer: Option<Client>, ()| {
    ///     if let Some(peer) = peer {
    ///         tokio::spawn(async move { peer.notify("tick", &[1]).await });
    ///     }
    ///     Ok(true)
    /// });
    /// let server = Server::per_connection(move |peer: &Client| methods.with_context(Some(peer.clone())));
    /// # _ = server;
    /// ```
    pub const fn per_connection(make: M) -> Self {
        Self { make, options: Options::new(), connections: 1024, grace: Duration::from_secs(10), frame: PhantomData }
    }
}

impl<M, F> Server<M, F> {
    /// The limits and rules of each connection.
    #[must_use]
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// The number of connections at once; 1,024 by default. More clients wait in the queue of the system.
    #[must_use]
    pub fn connections(self, count: usize) -> Self {
        Self { connections: count.max(1), ..self }
    }

    #[cfg(feature = "axum")]
    pub(crate) const fn max_connections(&self) -> usize {
        self.connections
    }

    #[cfg(feature = "axum")]
    pub(crate) const fn get_options(&self) -> &Options {
        &self.options
    }

    /// The time for the calls in flight at the end; 10 s by default.
    #[must_use]
    pub fn grace(self, time: Duration) -> Self {
        Self { grace: time, ..self }
    }

    /// Messages in another frame.
    #[must_use]
    pub fn frame<G: Frame>(self) -> Server<M, G> {
        Server {
            make: self.make,
            options: self.options,
            connections: self.connections,
            grace: self.grace,
            frame: PhantomData,
        }
    }
}

impl<M: MakeService + 'static, F: Frame + Unpin + Send + 'static> Server<M, F> {
    /// Serves the clients of `listener` until `stop` is done. Then it accepts no more, answers what it has read, for at most the
    /// [grace](Self::grace), and returns.
    pub async fn serve(&self, mut listener: impl Listener, stop: impl Future<Output = ()> + Send) {
        let (places, clients, stopped) =
            (Arc::new(Semaphore::new(self.connections)), TaskTracker::new(), CancellationToken::new());
        // the connections that remain at the end, or if this future is dropped
        let cut = CancellationToken::new();
        let _cut = cut.clone().drop_guard();
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = async {
                let place = Arc::clone(&places).acquire_owned().await.ok();
                (listener.accept().await, place)
            };
            let (accepted, place) = tokio::select! {
                () = &mut stop => break,
                accepted = accepted => accepted,
            };
            match accepted {
                Ok((io, address)) => {
                    let serving = self.connection(stream::<F, _>(io, &self.options), stopped.clone());
                    let span = tracing::debug_span!("connection", %address);
                    let cut = cut.clone();
                    let serving = async move {
                        tokio::select! {
                            reason = serving => tracing::debug!("ended: {reason}"),
                            () = cut.cancelled() => tracing::debug!("cut off"),
                        }
                        drop(place);
                    };
                    clients.spawn(serving.instrument(span));
                }
                Err(error) => {
                    tracing::error!("cannot accept a client: {error}");
                    // the system has no more descriptors: wait until clients disconnect
                    sleep(Duration::from_millis(50)).await;
                }
            }
        }
        stopped.cancel();
        clients.close();
        if timeout(self.grace, clients.wait()).await.is_err() {
            tracing::warn!("{} connections were cut off", clients.len());
        }
    }

    /// Serves one stream of bytes until it ends.
    pub async fn serve_stream(&self, io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Closed {
        self.serve_transport(stream::<F, _>(io, &self.options)).await
    }

    /// Serves standard input and output until the input ends.
    ///
    /// On Linux, pipes are read without threads. Any other input is read by a thread, and the runtime still waits for it at its end, so such
    /// a program exits by [`std::process::exit`], or with [`Runtime::shutdown_background`](tokio::runtime::Runtime::shutdown_background).
    pub async fn serve_stdio(&self) -> Closed {
        // opened again, so that what else uses the pipes is not made non-blocking, too
        #[cfg(target_os = "linux")]
        if let (Ok(input), Ok(output)) =
            (OpenOptions::new().open_receiver("/proc/self/fd/0"), OpenOptions::new().open_sender("/proc/self/fd/1"))
        {
            return self.serve_stream(join(input, output)).await;
        }
        self.serve_stream(join(stdin(), stdout())).await
    }

    /// Serves any transport of texts until it ends.
    pub async fn serve_transport(&self, transport: impl Transport + 'static) -> Closed {
        self.connection(transport, CancellationToken::new()).await
    }

    fn connection<T: Transport + 'static>(
        &self,
        transport: T,
        stopped: CancellationToken,
    ) -> impl Future<Output = Closed> + Send + use<M, F, T> {
        let (peer, commands, handle) = Client::channel(&self.options);
        let service = self.make.make(&peer);
        let options = self.options.clone();
        async move {
            // the handle keeps the connection
            let _peer = peer;
            let mut shared = Shared::new(commands, handle);
            Connection::new(transport, Some(service), &mut shared, options).until(stopped).await
        }
    }
}

impl<M, F> fmt::Debug for Server<M, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("options", &self.options).finish_non_exhaustive()
    }
}
