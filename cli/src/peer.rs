//! Peers: from an address or a name to an open transport.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use nanojsonrpc::Dialect;
use nanojsonrpc_tokio::mqtt::{Broker, MqttOptions};
use nanojsonrpc_tokio::{MAX_LEN, Options, Transport, http, nats, serial, websocket};
use tokio::io::{AsyncWrite, join};
use tokio::net::{TcpStream, UnixStream};
use tokio::process::{ChildStdin, Command};

use crate::address::Address;
use crate::args::{DialectName, FrameName, Header, PeerOptions, Timeout};
use crate::fault::Fault;
use crate::folders;
use crate::frames::{framed, in_parts};

/// The time to wait for an answer or a connection, unless another one is set.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How to reach a peer, complete.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// As the user calls it.
    pub(crate) name: String,
    pub(crate) address: Address,
    pub(crate) frame: FrameName,
    pub(crate) is_mcp: bool,
    pub(crate) timeout: Duration,
    pub(crate) headers: Vec<Header>,
    pub(crate) dialect: Dialect,
    pub(crate) options: Options,
    /// Whether messages are written to a stream in parts.
    pub(crate) in_parts: bool,
    /// Whether its program is not in the foreground, where Ctrl-C ends it.
    pub(crate) is_apart: bool,
}

/// Whether standard output belongs to the peer, so that results go to standard error.
pub(crate) static OUTPUT_IS_WIRE: AtomicBool = AtomicBool::new(false);

/// The file of peers: that of the arguments, or the one of the user.
fn file(given: Option<&Path>) -> Option<(PathBuf, bool)> {
    if let Some(path) = given {
        return Some((path.to_owned(), true));
    }
    Some((folders::file("XDG_CONFIG_HOME", ".config", "peers.toml")?, false))
}

/// The table of names; empty without a file.
pub(crate) fn names(options: &PeerOptions) -> Result<toml::Table, Fault> {
    let Some((path, is_given)) = file(options.peers.as_deref()) else { return Ok(toml::Table::new()) };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_given => return Ok(toml::Table::new()),
        Err(error) => return Err(Fault::file(path.display(), &error)),
    };
    text.parse().map_err(|error| Fault::usage(format!("{}: {error}", path.display())))
}

impl Peer {
    /// The peer that the user calls `name`: an address, or a name of the file. The arguments win over the file.
    pub(crate) fn find(name: &str, arguments: &PeerOptions) -> Result<Self, Fault> {
        let (address, known) = if Address::is_address(name) {
            (name.to_owned(), PeerOptions::default())
        } else {
            Self::named(name, arguments)?
        };
        let address = address.parse().map_err(|fault| Fault::usage(format!("{name}: {fault}")))?;
        let is_mcp = arguments.mcp || known.mcp;
        let usual = if is_mcp { DialectName::Mcp } else { DialectName::Strict };
        let dialect = arguments.dialect.or(known.dialect).unwrap_or(usual).dialect();
        let timeout = arguments.timeout.or(known.timeout).map_or(TIMEOUT, |Timeout(time)| time);
        let max_len = arguments.max_len.or(known.max_len).unwrap_or(MAX_LEN);
        let headers = [known.headers.as_slice(), &arguments.headers].concat();
        Ok(Self {
            name: name.to_owned(),
            address,
            frame: arguments.frame.clone().or(known.frame).unwrap_or(FrameName::Lf),
            is_mcp,
            timeout,
            headers,
            dialect,
            options: Options::new().dialect(dialect).patience(timeout).max_len(max_len),
            in_parts: false,
            is_apart: false,
        })
    }

    fn named(name: &str, arguments: &PeerOptions) -> Result<(String, PeerOptions), Fault> {
        let mut names = names(arguments)?;
        let known = || {
            let names: Vec<_> = names.keys().map(String::as_str).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        let Some(entry) = names.get(name) else {
            return Err(Fault::usage(format!("{name:?} is neither an address nor a name; known names: {}", known())));
        };
        let toml::Value::Table(mut entry) = entry.clone() else {
            return Err(Fault::usage(format!("the peer {name:?} is no table with an address")));
        };
        names.clear();
        let Some(toml::Value::String(address)) = entry.remove("address") else {
            return Err(Fault::usage(format!("the peer {name:?} has no address")));
        };
        let options = entry.try_into().map_err(|fault| Fault::usage(format!("the peer {name:?}: {fault}")))?;
        Ok((address, options))
    }

    /// Connects, within the time of the peer.
    pub(crate) async fn open(&self) -> Result<Box<dyn Transport>, Fault> {
        let opened = tokio::time::timeout(self.timeout, self.connect()).await;
        let opened = opened.unwrap_or_else(|_| Err("no connection in time".to_owned()));
        opened.map_err(|fault| Fault::Connection(format!("{}: {fault}", self.address.public())))
    }

    async fn connect(&self) -> Result<Box<dyn Transport>, String> {
        let text = |error: std::io::Error| error.to_string();
        Ok(match &self.address {
            Address::Serial { path, baud } => self.framed(serial::open(path, *baud).map_err(text)?),
            Address::Tcp(host) => {
                let stream = TcpStream::connect(host).await.map_err(text)?;
                // a small call would wait for the acknowledgement of the one before
                stream.set_nodelay(true).map_err(text)?;
                self.framed(stream)
            }
            Address::Unix(path) => self.framed(UnixStream::connect(path).await.map_err(text)?),
            Address::WebSocket(address) => {
                Box::new(websocket::connect(address, self.headers(), &self.options).await.map_err(text)?)
            }
            Address::Http(_) => self.posts().map_err(text)?,
            Address::Mqtt { login, host, port, topic, answers } => {
                let options = mqtt_options(login.as_ref(), host, *port);
                let answers = answers.clone().unwrap_or_else(|| format!("jrpc/{}", options.client_id()));
                let transport = Broker::connect(options).transport(topic, &answers, &self.options).await;
                Box::new(transport.map_err(text)?)
            }
            Address::Nats { server, subject, events } => {
                let server = async_nats::connect(server).await.map_err(|error| error.to_string())?;
                Box::new(nats::transport(&server, subject, events.as_deref(), &self.options).await.map_err(text)?)
            }
            Address::Exec(command) => self.framed(child(command, self.is_apart).map_err(text)?),
            Address::Stdio => {
                OUTPUT_IS_WIRE.store(true, Ordering::Relaxed);
                self.framed(join(tokio::io::stdin(), tokio::io::stdout()))
            }
        })
    }

    /// The transport over HTTP, which connects with the first text.
    pub(crate) fn posts(&self) -> std::io::Result<Box<dyn Transport>> {
        Ok(Box::new(http::connect(&self.address.to_string(), self.headers(), &self.options)?))
    }

    fn headers(&self) -> Vec<(String, String)> {
        self.headers.iter().map(|Header(name, value)| (name.clone(), value.clone())).collect()
    }

    fn framed(&self, io: impl crate::frames::Bytes) -> Box<dyn Transport> {
        if self.in_parts {
            return framed(in_parts(io), &self.frame, &self.options);
        }
        framed(io, &self.frame, &self.options)
    }
}

/// How to connect to a broker of MQTT, with an id of this program's own.
pub(crate) fn mqtt_options(login: Option<&(String, String)>, host: &str, port: u16) -> MqttOptions {
    let me = format!("jrpc-{}-{:x}", std::process::id(), now());
    let mut options = MqttOptions::new(&me, host, port);
    if let Some((user, password)) = login {
        options.set_credentials(user, password);
    }
    options
}

/// Nanoseconds since 1970.
fn now() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos())
}

/// The input of a program, which ends when it is shut down; that of tokio remains open.
struct Input(Option<ChildStdin>);

impl AsyncWrite for Input {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        match &mut self.0 {
            Some(input) => Pin::new(input).poll_write(task, bytes),
            None => Poll::Ready(Err(std::io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        // a pipe has no buffer here
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        self.0 = None;
        Poll::Ready(Ok(()))
    }
}

/// Starts a program of the shell. It ends with its input, or with this program.
fn child(command: &str, is_apart: bool) -> std::io::Result<impl crate::frames::Bytes + use<>> {
    let mut child = Command::new("sh");
    // the program itself, not a shell that waits for it
    child.arg("-c").arg(format!("exec {command}"));
    child.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).kill_on_drop(true);
    if is_apart {
        child.process_group(0);
    }
    let mut child = child.spawn()?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(std::io::ErrorKind::BrokenPipe.into());
    };
    tokio::spawn(async move { child.wait().await });
    Ok(join(output, Input(Some(input))))
}
