//! Connections that are made again after they have ended.

use std::future::Future;
use std::io;
use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBuilder};
use nanojsonrpc::frame::{Frame, Lines};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep};

use crate::connection::{Connection, Shared, Transport};
use crate::error::Closed;
use crate::wire::Wire;
use crate::{CallService, Client, Codec, Options, Request, Response};

/// The service of a client: none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NoService {}

impl tower::Service<Request> for NoService {
    type Response = Response;
    type Error = std::convert::Infallible;
    type Future = std::future::Pending<Result<Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        match *self {}
    }

    fn call(&mut self, _: Request) -> Self::Future {
        match *self {}
    }
}

/// A connection that stays up for so long begins anew with the shortest wait.
const STABLE: Duration = Duration::from_secs(10);

impl Client {
    /// A client over a stream of bytes whose messages are lines. Spawns a task that reads and writes, which ends with the last clone of
    /// the client or with the stream.
    ///
    /// # Panics
    /// Outside of a runtime of tokio.
    pub fn over(io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        Self::framed::<Lines>(io, Options::new())
    }

    /// [`over`](Self::over) with another frame, and with limits and rules.
    ///
    /// # Panics
    /// Outside of a runtime of tokio.
    pub fn framed<F: Frame + Unpin + Send + 'static>(
        io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        options: Options,
    ) -> Self {
        Self::with_transport(stream::<F, _>(io, &options), options)
    }

    /// A client over any transport of texts.
    ///
    /// # Panics
    /// Outside of a runtime of tokio.
    pub fn with_transport(transport: impl Transport + 'static, options: Options) -> Self {
        connect_transport(transport, None::<NoService>, options)
    }

    /// A client that connects now and whenever the connection has ended, with growing waits between the attempts: `waits`. Calls in flight
    /// then end with [`CallError::Closed`](crate::CallError::Closed); a call without a connection waits for one, up to its
    /// [patience](Options::patience).
    ///
    /// # Panics
    /// Outside of a runtime of tokio.
    pub fn reconnecting<T, Fut>(
        connect: impl Fn() -> Fut + Send + 'static,
        waits: ExponentialBuilder,
        options: Options,
    ) -> Self
    where
        T: Transport + 'static,
        Fut: Future<Output = io::Result<T>> + Send,
    {
        let (client, commands, handle) = Self::channel(&options);
        tokio::spawn(async move {
            let mut shared = Shared::new(commands, handle);
            let mut left = waits.build();
            while shared.handle.upgrade().is_some() {
                match connect().await {
                    Ok(transport) => {
                        let begun = Instant::now();
                        let connection = Connection::new(transport, None::<NoService>, &mut shared, options.clone());
                        match connection.await {
                            Closed::Here => return,
                            reason => tracing::info!("reconnecting: {reason}"),
                        }
                        if begun.elapsed() > STABLE {
                            left = waits.build();
                        }
                    }
                    Err(error) => tracing::info!("cannot connect: {error}"),
                }
                let Some(wait) = left.next() else { return tracing::warn!("no further attempt to connect") };
                sleep(wait).await;
            }
        });
        client
    }
}

/// Serves `service` over a stream of bytes whose messages are lines, and calls the peer: spawns a task, which ends with the stream or with
/// the last clone of the client.
///
/// # Panics
/// Outside of a runtime of tokio.
pub fn connect<S>(io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static, service: S, options: Options) -> Client
where
    S: CallService + Unpin,
{
    connect_framed::<Lines, _>(io, service, options)
}

/// [`connect`] with another frame.
///
/// # Panics
/// Outside of a runtime of tokio.
pub fn connect_framed<F, S>(
    io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    service: S,
    options: Options,
) -> Client
where
    F: Frame + Unpin + Send + 'static,
    S: CallService + Unpin,
{
    connect_transport(stream::<F, _>(io, &options), Some(service), options)
}

pub(crate) fn connect_transport<S>(transport: impl Transport + 'static, service: Option<S>, options: Options) -> Client
where
    S: CallService + Unpin,
{
    let (client, commands, handle) = Client::channel(&options);
    tokio::spawn(async move {
        let mut shared = Shared::new(commands, handle);
        let reason = Connection::new(transport, service, &mut shared, options).await;
        tracing::debug!("ended: {reason}");
    });
    client
}

/// The transport of a stream of bytes whose messages stand in the frame `F`.
///
/// ```
/// use nanojsonrpc::frame::ContentLength;
/// use nanojsonrpc_tokio::{Client, Options, stream};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (near, _far) = tokio::io::duplex(64);
/// let client = Client::with_transport(stream::<ContentLength, _>(near, &Options::new()), Options::new());
/// # _ = client;
/// # });
/// ```
pub fn stream<F, I>(io: I, options: &Options) -> impl Transport + use<F, I>
where
    F: Frame + Unpin + Send,
    I: AsyncRead + AsyncWrite + Unpin + Send,
{
    Wire::new(io, Codec::<F>::new().with_max_len(options.max_len).with_dialect(options.dialect))
}
