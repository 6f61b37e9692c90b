//! Where a program listens: one text for every transport; and a service of calls on it.

use std::fmt;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::serve::ListenerExt as _;
use nanojsonrpc::http::Origins;
use nanojsonrpc_tokio::axum::{Http, websocket_with};
use nanojsonrpc_tokio::{CallService, Client, Listener, MakeService, Options, Server, Transport};
use rustix::fs::OFlags;
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio_serial::{SerialPort as _, SerialStream};
use tokio_util::io::InspectReader;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::args::FrameName;
use crate::disturb::{Disturbance, Through, Wire};
use crate::fault::Fault;
use crate::frames::{Bytes, framed};
use crate::peer::OUTPUT_IS_WIRE;
use crate::print::{line, say};

/// The time for the calls in flight at the end.
const GRACE: Duration = Duration::from_secs(10);
/// The clients at once; more wait.
const CONNECTIONS: usize = 1024;

/// Where a program listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Listen {
    /// `tcp://HOST:PORT`
    Tcp(String),
    /// `unix:PATH`
    Unix(PathBuf),
    /// `ws://HOST:PORT/PATH`: the host and the path
    WebSocket(String, String),
    /// `http://HOST:PORT/PATH`: the host and the path
    Http(String, String),
    /// `pty:`
    Pty,
    /// `-`
    Stdio,
}

const FORMS: &str = "expected tcp://HOST:PORT, unix:PATH, ws://HOST:PORT/PATH, http://HOST:PORT/PATH, pty: for a pseudo terminal, \
                     or - for standard input and output";

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            _ if text == "-" => return Ok(Self::Stdio),
            Some(("pty", "")) => return Ok(Self::Pty),
            Some(("unix", path)) if !path.is_empty() => return Ok(Self::Unix(path.into())),
            _ => {}
        }
        let (scheme, rest) = text.split_once("://").ok_or(FORMS)?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if host.rsplit_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
            return Err(format!("{host:?} is no HOST:PORT; port 0 is any free one"));
        }
        if !path.chars().all(|c| c.is_ascii_alphanumeric() || "/-._~".contains(c)) {
            return Err(format!("the path {path:?} has other characters than letters, digits, /, -, ., _ and ~"));
        }
        let both = || (host.to_owned(), if path.is_empty() { "/".to_owned() } else { path.to_owned() });
        match scheme {
            "tcp" if path.is_empty() => Ok(Self::Tcp(host.to_owned())),
            "ws" => Ok(both()).map(|(host, path)| Self::WebSocket(host, path)),
            "http" => Ok(both()).map(|(host, path)| Self::Http(host, path)),
            _ => Err(FORMS.to_owned()),
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(host) => write!(f, "tcp://{host}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::WebSocket(host, path) => write!(f, "ws://{host}{path}"),
            Self::Http(host, path) => write!(f, "http://{host}{path}"),
            Self::Pty => f.write_str("pty:"),
            Self::Stdio => f.write_str("-"),
        }
    }
}

/// A listener that is open.
enum Open {
    Tcp(TcpListener),
    Unix(UnixListener, Removed),
    WebSocket(TcpListener, String),
    Http(TcpListener, String),
    Pty(Box<dyn Bytes>),
    Stdio,
}

/// The file of a socket, which is removed at the end.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        // somebody else has removed it
        _ = std::fs::remove_file(&self.0);
    }
}

/// Opens a pseudo terminal, and prints its path. It stays open while clients come and go.
fn pty() -> std::io::Result<impl Bytes + use<>> {
    let (near, far) = SerialStream::pair()?;
    let path = far.name().unwrap_or_default();
    // it must not become the terminal of this program
    let flags = i32::try_from(OFlags::NOCTTY.bits()).unwrap_or_default();
    let far = std::fs::OpenOptions::new().read(true).write(true).custom_flags(flags).open(&path)?;
    say(format_args!("listening on serial://{path}"));
    // a client locks the terminal, and the next one could not open it
    Ok(InspectReader::new(near, move |_: &[u8]| _ = rustix::termios::ioctl_tiocnxcl(&far)))
}

impl Listen {
    fn failed(&self, error: &std::io::Error) -> Fault {
        Fault::Connection(format!("cannot listen on {self}: {error}"))
    }

    /// Opens the TCP listener, and prints where.
    pub(crate) async fn tcp(&self) -> Result<(TcpListener, SocketAddr), Fault> {
        let mut shown = self.clone();
        let (Self::Tcp(host) | Self::WebSocket(host, _) | Self::Http(host, _)) = &mut shown else {
            return Err(Fault::usage(format!("{self} has no port")));
        };
        let listener = TcpListener::bind(&*host).await.map_err(|error| self.failed(&error))?;
        let address = listener.local_addr().map_err(|error| self.failed(&error))?;
        *host = address.to_string();
        say(format_args!("listening on {shown}"));
        Ok((listener, address))
    }

    /// Opens the listener, and prints where.
    async fn open(&self) -> Result<Open, Fault> {
        Ok(match self {
            Self::Tcp(_) => Open::Tcp(self.tcp().await?.0),
            Self::WebSocket(_, path) => Open::WebSocket(self.tcp().await?.0, path.clone()),
            Self::Http(_, path) => Open::Http(self.tcp().await?.0, path.clone()),
            Self::Unix(path) => {
                let is_socket = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
                // the file of a program that could not remove it
                if is_socket && UnixStream::connect(path).await.is_err() {
                    std::fs::remove_file(path).map_err(|error| self.failed(&error))?;
                }
                let listener = UnixListener::bind(path).map_err(|error| self.failed(&error))?;
                say(format_args!("listening on {self}"));
                Open::Unix(listener, Removed(path.clone()))
            }
            Self::Pty => Open::Pty(Box::new(pty().map_err(|error| self.failed(&error))?)),
            Self::Stdio => {
                OUTPUT_IS_WIRE.store(true, Ordering::Relaxed);
                say("listening on -");
                Open::Stdio
            }
        })
    }
}

/// Serves an application of axum until `stop`, with the requests in flight.
pub(crate) async fn serve_web(listener: TcpListener, app: axum::Router, stop: CancellationToken) {
    // an error means that the client has gone
    let listener = listener.tap_io(|stream| _ = stream.set_nodelay(true));
    // it never fails
    _ = axum::serve(listener, app).with_graceful_shutdown(stop.cancelled_owned()).await;
}

/// Waits for Ctrl-C or SIGTERM, from its call on.
pub(crate) fn stopped() -> Result<impl Future<Output = ()>, Fault> {
    let signal = |kind| signal(kind).map_err(|error| Fault::Connection(error.to_string()));
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// A service, and how it is served.
pub(crate) struct Serving<S> {
    pub(crate) service: S,
    /// Is called with each new connection.
    pub(crate) greet: Arc<dyn Fn(&Client) + Send + Sync>,
    pub(crate) frame: FrameName,
    pub(crate) options: Options,
    pub(crate) disturbance: Option<Arc<Disturbance>>,
    pub(crate) stop: CancellationToken,
}

impl<S: CallService + Clone + Sync + Unpin> Serving<S> {
    /// Serves on all of `listens` until Ctrl-C, SIGTERM or the end of standard input, and lets the calls in flight finish.
    pub(crate) async fn run(self, listens: &[Listen]) -> Result<(), Fault> {
        let stopped = stopped()?;
        let (serving, tasks) = (Arc::new(self), TaskTracker::new());
        for listen in listens {
            let open = listen.open().await?;
            tasks.spawn(Arc::clone(&serving).serve(open, tasks.clone()));
        }
        tasks.close();
        tokio::select! {
            () = stopped => {}
            () = tasks.wait() => {}
        }
        serving.stop.cancel();
        if tokio::time::timeout(GRACE, tasks.wait()).await.is_err() {
            say("some calls had no answer yet");
        }
        Ok(())
    }

    async fn serve(self: Arc<Self>, open: Open, tasks: TaskTracker) {
        match open {
            Open::Tcp(listener) => self.accept(listener, &tasks).await,
            Open::Unix(listener, _file) => self.accept(listener, &tasks).await,
            Open::Stdio => self.stream(tokio::io::join(tokio::io::stdin(), tokio::io::stdout())).await,
            Open::Pty(mut terminal) => loop {
                self.stream(terminal).await;
                if self.stop.is_cancelled() {
                    return;
                }
                // as a device that is plugged in again
                match pty() {
                    Ok(next) => terminal = Box::new(next),
                    Err(fault) => return say(fault),
                }
            },
            Open::WebSocket(listener, path) => {
                let serving = Arc::clone(&self);
                let sockets = websocket_with(Origins::Local, CONNECTIONS, self.options.clone(), move |transport| {
                    let serving = Arc::clone(&serving);
                    // not a part of the request, which the server waits for
                    tasks.track_future(async move { serving.transport(transport, None).await })
                });
                serve_web(listener, axum::Router::new().route(&path, sockets), self.stop.clone()).await;
            }
            Open::Http(listener, path) => {
                let http = Http::new(self.service.clone()).options(self.options.clone());
                let mut app = axum::Router::new().route(&path, http.into());
                if let Some(disturbance) = self.disturbance.clone() {
                    let state = (disturbance, self.stop.clone());
                    app = app.layer(axum::middleware::map_response_with_state(state, crate::disturb::response));
                }
                serve_web(listener, app, self.stop.clone()).await;
            }
        }
    }

    async fn accept(self: Arc<Self>, mut listener: impl Listener, tasks: &TaskTracker) {
        loop {
            let accepted = tokio::select! {
                () = self.stop.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((io, _)) => {
                    let serving = Arc::clone(&self);
                    tasks.spawn(async move { serving.stream(io).await });
                }
                Err(error) => {
                    say(format_args!("cannot accept a client: {}", line(error.to_string().as_bytes())));
                    // the system has no more descriptors: wait until clients disconnect
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    async fn stream(&self, io: impl Bytes) {
        if self.disturbance.is_none() {
            return self.transport(framed(io, &self.frame, &self.options), None).await;
        }
        let (io, wire) = Wire::new(io);
        self.transport(framed(io, &self.frame, &self.options), Some(wire)).await;
    }

    async fn transport(&self, transport: Box<dyn Transport>, wire: Option<crate::disturb::Raw>) {
        let transport = Through::new(transport, wire, self.disturbance.clone(), self.stop.clone());
        self.server().serve_transport(transport).await;
    }

    fn server(&self) -> Server<impl MakeService + use<S>> {
        let (greet, service) = (Arc::clone(&self.greet), self.service.clone());
        let make = move |peer: &Client| {
            greet(peer);
            service.clone()
        };
        Server::per_connection(make).options(self.options.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read() {
        for text in ["tcp://127.0.0.1:0", "unix:/run/x.sock", "ws://[::1]:80/a/b", "http://h:1/mcp", "pty:", "-"] {
            assert_eq!(text.parse::<Listen>().map(|listen| listen.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("ws://h:1".parse(), Ok(Listen::WebSocket("h:1".into(), "/".into())));
        for (text, reason) in [
            ("tcp://h", "is no HOST:PORT"),
            ("http://h:99999/", "is no HOST:PORT"),
            ("tcp://h:1/x", "expected tcp://"),
            ("unix:", "expected tcp://"),
            ("http://h:1/{x}", "other characters"),
            ("exec:sh", "expected tcp://"),
        ] {
            let fault = text.parse::<Listen>().expect_err("refused");
            assert!(fault.contains(reason), "{text}: {fault}");
        }
    }
}
