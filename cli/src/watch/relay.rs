//! Where the texts come from: the device, or clients and the device, whose texts are passed on.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::sink::drain;
use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use nanojsonrpc_tokio::{Received, Transport};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{Notify, mpsc};
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, sleep};

use crate::address::Address;
use crate::fault::Fault;
use crate::frames::framed;
use crate::peer::Peer;
use crate::print::say;
use crate::recording::Direction;

/// The time for texts on their way, once nothing more is printed.
pub(super) const GRACE: Duration = Duration::from_secs(1);
/// The waits between attempts to connect; a connection that has lasted for the longest one begins anew.
const WAITS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));

/// A text, or a fault of its frame, and the number of its session.
pub(super) struct Report {
    pub(super) session: u64,
    pub(super) direction: Direction,
    pub(super) received: Received,
}

/// Why texts are no longer passed on.
enum End {
    /// Nothing more comes.
    Source(String),
    /// Nobody takes texts any more.
    Target(String),
    /// Nothing more is to be printed.
    Stopped,
}

/// Reports each text, then passes it on.
async fn pump(
    source: &mut (impl Stream<Item = io::Result<Received>> + Unpin),
    target: &mut (impl Sink<Bytes, Error = io::Error> + Unpin),
    (session, direction): (u64, Direction),
    reports: &mpsc::Sender<Report>,
) -> End {
    loop {
        let received = tokio::select! {
            biased;
            () = reports.closed() => return End::Stopped,
            received = source.next() => received,
        };
        let received = match received {
            None => return End::Source("it has closed the stream".to_owned()),
            Some(Err(error)) => return End::Source(error.to_string()),
            Some(Ok(received)) => received,
        };
        let text = received.as_ref().map(|text| text.as_bytes().clone());
        if reports.send(Report { session, direction, received: received.clone() }).await.is_err() {
            return End::Stopped;
        }
        if let Ok(text) = text
            && let Err(error) = target.send(text).await
        {
            return End::Target(error.to_string());
        }
    }
}

/// A fault of a device that is not there, or no longer.
fn lost(peer: &Peer, reason: &str) -> Fault {
    Fault::Connection(format!("{}: {reason}", peer.name))
}

/// Reports the texts of the device.
pub(super) async fn listen(peer: &Peer, reconnects: bool, reports: mpsc::Sender<Report>) -> Result<(), Fault> {
    let mut wait = WAITS.0;
    let mut nowhere = drain().sink_map_err(|never| match never {});
    loop {
        let begun = Instant::now();
        let fault = match peer.open().await {
            Ok(mut device) => match pump(&mut device, &mut nowhere, (0, Direction::Received), &reports).await {
                End::Source(reason) | End::Target(reason) => lost(peer, &reason),
                End::Stopped => return Ok(()),
            },
            Err(fault) => fault,
        };
        if !reconnects || !matches!(fault, Fault::Connection(_) | Fault::Late) {
            return Err(fault);
        }
        if begun.elapsed() > WAITS.1 {
            wait = WAITS.0;
        }
        // for the printer
        yield_now().await;
        if reports.is_closed() {
            return Ok(());
        }
        say(format_args!("{fault}; connecting again in {} ms", wait.as_millis()));
        tokio::select! {
            () = sleep(wait) => {}
            () = reports.closed() => return Ok(()),
        }
        wait = wait.saturating_mul(2).min(WAITS.1);
    }
}

/// Passes the texts of clients and of the device on, and reports them. Each client has a connection of its own to the device.
pub(super) async fn serve(
    peer: &Peer,
    listener: &Listener,
    reconnects: bool,
    reports: mpsc::Sender<Report>,
) -> Result<(), Fault> {
    let newcomer = Arc::new(Notify::new());
    let mut sessions = JoinSet::new();
    let mut number = 0_u64;
    loop {
        tokio::select! {
            accepted = listener.accept(peer) => match accepted {
                Ok(client) => {
                    number = number.saturating_add(1);
                    newcomer.notify_waiters();
                    let (peer, reports, newcomer) = (peer.clone(), reports.clone(), Arc::clone(&newcomer));
                    sessions.spawn(async move { session(&peer, client, number, &reports, &newcomer).await });
                }
                Err(error) => {
                    say(format_args!("a client is lost: {error}"));
                    sleep(WAITS.0).await;
                }
            },
            Some(ended) = sessions.join_next() => match ended {
                Ok(Err(fault)) if reconnects => say(fault),
                Ok(Err(fault)) => return Err(fault),
                _ => {}
            },
            () = reports.closed() => {
                while sessions.join_next().await.is_some() {}
                return Ok(());
            }
        }
    }
}

/// The session of a client. The device may answer for the timeout after the client has closed its half, unless a new client comes, since
/// a serial port has only one user.
async fn session(
    peer: &Peer,
    client: Box<dyn Transport>,
    number: u64,
    reports: &mpsc::Sender<Report>,
    newcomer: &Notify,
) -> Result<(), Fault> {
    let (mut to_device, mut from_device) = peer.open().await?.split();
    let (mut to_client, mut from_client) = client.split();
    let mut down = pin!(pump(&mut from_device, &mut to_client, (number, Direction::Received), reports));
    let up = {
        let mut up = pin!(pump(&mut from_client, &mut to_device, (number, Direction::Sent), reports));
        tokio::select! {
            end = &mut up => end,
            end = &mut down => return match end {
                End::Source(reason) => Err(lost(peer, &reason)),
                End::Target(_) => Ok(()),
                End::Stopped => {
                    up.await;
                    Ok(())
                }
            },
        }
    };
    match up {
        End::Target(reason) => return Err(lost(peer, &reason)),
        End::Stopped => _ = down.await,
        End::Source(_) => {
            // an error means that the device has gone, too
            _ = to_device.close().await;
            tokio::select! {
                _ = down => {}
                () = newcomer.notified() => {}
                () = sleep(peer.timeout) => {}
            }
        }
    }
    Ok(())
}

/// Where clients connect.
pub(super) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// Says the address, once clients can connect.
    pub(super) async fn bind(address: &Address) -> Result<Self, Fault> {
        let fault = |error: io::Error| Fault::Connection(format!("{address}: {error}"));
        let listener = match address {
            Address::Tcp(host) => Self::Tcp(TcpListener::bind(host).await.map_err(fault)?),
            Address::Unix(path) => Self::Unix(UnixListener::bind(path).map_err(fault)?, path.clone()),
            _ => return Err(Fault::usage(format!("{address}: clients connect to tcp://HOST:PORT or unix:PATH"))),
        };
        say(format_args!("listening on {listener}"));
        Ok(listener)
    }

    /// The transport of the next client, in the frame of the device.
    async fn accept(&self, peer: &Peer) -> io::Result<Box<dyn Transport>> {
        Ok(match self {
            Self::Tcp(listener) => {
                let stream = listener.accept().await?.0;
                stream.set_nodelay(true)?;
                framed(stream, &peer.frame, &peer.options)
            }
            Self::Unix(listener, _) => framed(listener.accept().await?.0, &peer.frame, &peer.options),
        })
    }
}

impl fmt::Display for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(listener) => match listener.local_addr() {
                Ok(address) => write!(f, "tcp://{address}"),
                Err(error) => error.fmt(f),
            },
            Self::Unix(_, path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self {
            // it may be gone
            _ = std::fs::remove_file(path);
        }
    }
}
