//! A listener of TCP, with or without TLS, with a limit for each client.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::super::config::Web;
use crate::fault::Fault;
use crate::frames::Bytes;

/// The time for the handshake of TLS.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// The time for the head of a request.
const HEAD: Duration = Duration::from_secs(30);
/// The handshakes at once; more clients wait.
const HANDSHAKES: usize = 256;
/// The wait after the system has no more descriptors.
const FULL: Duration = Duration::from_millis(50);

/// The connections of each client.
#[derive(Clone, Default)]
struct Clients(Arc<Mutex<HashMap<IpAddr, usize>>>);

impl Clients {
    fn locked(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more connection of the client.
    fn place(&self, client: IpAddr, limit: usize) -> Option<Place> {
        let mut clients = self.locked();
        let count = clients.entry(client).or_default();
        if *count >= limit {
            return None;
        }
        *count += 1;
        Some(Place { clients: self.clone(), client })
    }
}

/// A connection of a client, which is counted until it ends.
struct Place {
    clients: Clients,
    client: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut clients = self.clients.locked();
        if let Some(count) = clients.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                clients.remove(&self.client);
            }
        }
    }
}

/// A connection with its place.
struct Connection {
    io: Box<dyn Bytes>,
    _place: Place,
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, task: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(task, out)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(task, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(task)
    }
}

/// Accepts connections.
pub(super) struct Listener {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    clients: Clients,
    limit: usize,
    handshakes: JoinSet<Option<Connection>>,
}

fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, Fault> {
    let open = |path: &Path| File::open(path).map(BufReader::new).map_err(|error| Fault::file(path.display(), &error));
    let wrong = |path: &Path, fault: String| Fault::File(format!("{}: {fault}", path.display()));
    let chain = CertificateDer::pem_reader_iter(open(certificate)?).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| wrong(certificate, error.to_string()))?;
    let secret = PrivateKeyDer::from_pem_reader(open(key)?).map_err(|error| wrong(key, error.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().map(|config| config.with_no_client_auth());
    let config = config.and_then(|config| config.with_single_cert(chain, secret));
    Ok(TlsAcceptor::from(Arc::new(config.map_err(|error| wrong(certificate, error.to_string()))?)))
}

impl Listener {
    /// Opens it, and says where.
    pub(super) async fn open(web: &Web) -> Result<(Self, String), Fault> {
        let tls = web.tls.as_ref().map(|(certificate, key)| acceptor(certificate, key)).transpose()?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let failed = |error: io::Error| Fault::Connection(format!("cannot listen on {scheme}://{}: {error}", web.host));
        let listener = TcpListener::bind(&web.host).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (clients, limit) = (Clients::default(), web.connections);
        let opened = Self { listener, tls, clients, limit, handshakes: JoinSet::new() };
        Ok((opened, format!("{scheme}://{address}")))
    }

    /// A new connection; without TLS, ready.
    fn take(&mut self, stream: TcpStream, address: SocketAddr) -> Option<Connection> {
        let Some(place) = self.clients.place(address.ip(), self.limit) else {
            tracing::warn!(client = %address.ip(), "too many connections");
            return None;
        };
        // an error means that the client has gone
        _ = stream.set_nodelay(true);
        let Some(tls) = self.tls.clone() else {
            return Some(Connection { io: Box::new(stream), _place: place });
        };
        self.handshakes.spawn(async move {
            let io = timeout(HANDSHAKE, tls.accept(stream)).await.ok()?.ok()?;
            Some(Connection { io: Box::new(io), _place: place })
        });
        None
    }
}

impl Listener {
    /// The next connection.
    async fn accept(&mut self) -> Connection {
        loop {
            let is_full = self.handshakes.len() >= HANDSHAKES;
            let ready = tokio::select! {
                Some(done) = self.handshakes.join_next() => done.ok().flatten(),
                accepted = self.listener.accept(), if !is_full => match accepted {
                    Ok((stream, address)) => self.take(stream, address),
                    Err(error) => {
                        tracing::warn!("cannot accept: {error}");
                        sleep(FULL).await;
                        None
                    }
                },
            };
            if let Some(ready) = ready {
                return ready;
            }
        }
    }

    /// Serves `app` until `stop`, and then what is in flight.
    pub(super) async fn serve(mut self, app: Router, stop: CancellationToken) {
        let mut http = http1::Builder::new();
        // also the time between two requests of a connection
        http.timer(TokioTimer::new()).header_read_timeout(HEAD);
        let (service, connections) = (TowerToHyperService::new(app), TaskTracker::new());
        loop {
            let connection = tokio::select! {
                () = stop.cancelled() => break,
                connection = self.accept() => connection,
            };
            let serving = http.serve_connection(TokioIo::new(connection), service.clone()).with_upgrades();
            let stop = stop.clone();
            connections.spawn(async move {
                let mut serving = std::pin::pin!(serving);
                // an error means that the client has gone, or was too slow
                tokio::select! {
                    _ = serving.as_mut() => {}
                    () = stop.cancelled() => {
                        serving.as_mut().graceful_shutdown();
                        _ = serving.await;
                    }
                }
            });
        }
        drop(self);
        connections.close();
        connections.wait().await;
    }
}
