//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use nanojsonrpc::Dialect;
use serde::Deserialize;

/// Finds, calls, watches, checks and simulates JSON-RPC and MCP devices.
#[derive(Parser, Debug)]
#[command(name = "jrpc", version, max_term_width = 100)]
#[command(after_help = "A PEER is an address or a name of the file of peers:\n  \
    serial:///dev/ttyACM0?baud=115200  tcp://HOST:PORT  unix:PATH  exec:COMMAND  -\n  \
    ws://…  wss://…  http://…  https://…  mqtt://HOST/TOPIC  nats://HOST/SUBJECT\n\n\
    Status: 0 done, 1 the peer's error, 2 usage, 3 no answer in time, 4 unreadable answer, 5 no connection, 6 a file.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Bench(crate::bench::Bench),
    Call(crate::call::Call),
    List(crate::list::List),
    /// Print the manual page of jrpc, or of a command
    Man {
        /// The command
        command: Option<String>,
    },
    Repl(crate::repl::Repl),
    Replay(crate::replay::Replay),
    Watch(crate::watch::Watch),
    Mock(crate::mock::Mock),
    Bridge(crate::bridge::Bridge),
    Hub(crate::hub::HubCommand),
    Check(crate::check::Check),
    Explain(crate::explain::Explain),
}

/// How to reach and to read a peer; the same settings as in the file of peers.
#[derive(Args, Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[command(next_help_heading = "Peer")]
pub(crate) struct PeerOptions {
    /// Where a message ends in a stream: lf, cr, crlf, nul, etx, bytes:HEX, content-length, values or events [default: lf]
    #[arg(long, global = true)]
    pub(crate) frame: Option<FrameName>,
    /// The rules for messages [default: strict; mcp with --mcp]
    #[arg(long, global = true)]
    pub(crate) dialect: Option<DialectName>,
    /// Speak the Model Context Protocol: methods are tools
    #[arg(long, global = true)]
    pub(crate) mcp: bool,
    /// Wait at most so long for an answer or a connection: 500ms, 10s, 2m [default: 10s]
    #[arg(long, global = true, value_name = "TIME")]
    pub(crate) timeout: Option<Timeout>,
    /// A header of HTTP or WebSocket requests: 'Authorization: Bearer …'
    #[arg(long = "header", global = true, value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<Header>,
    /// The greatest length of a received message in bytes [default: 10485760]
    #[arg(long, global = true, value_name = "BYTES")]
    pub(crate) max_len: Option<usize>,
    /// The file of names of peers [default: jrpc/peers.toml in the folder of configurations]
    #[arg(long, global = true, value_name = "FILE", env = "JRPC_PEERS")]
    #[serde(skip)]
    pub(crate) peers: Option<PathBuf>,
}

impl PeerOptions {
    /// The dialect of texts that no peer sends.
    pub(crate) fn known_dialect(&self) -> Dialect {
        let usual = if self.mcp { DialectName::Mcp } else { DialectName::Strict };
        let dialect = self.dialect.unwrap_or(usual).dialect();
        self.max_len.map_or(dialect, |len| dialect.with_max_len(len))
    }
}

/// A span of time: a number and `ms`, `s` or `m`; seconds without a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Timeout(pub(crate) Duration);

impl std::str::FromStr for Timeout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let scale = match unit {
            "ms" => 0.001,
            "s" | "" => 1.0,
            "m" => 60.0,
            _ => return Err(format!("{unit:?} is no unit of time: ms, s or m")),
        };
        let seconds: f64 = number.parse().map_err(|_| format!("{number:?} is no number"))?;
        // a day is more than any caller waits
        let time = Duration::try_from_secs_f64(seconds * scale).ok().filter(|time| time.as_secs() <= 86_400);
        time.map(Self).ok_or_else(|| "a time is between 0 and 1440m".to_owned())
    }
}

impl TryFrom<String> for Timeout {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// A header: its name and its value, which may be a secret.
#[derive(Clone, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Header(pub(crate) String, pub(crate) String);

impl std::str::FromStr for Header {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once(':').ok_or("expected NAME: VALUE")?;
        Ok(Self(name.trim().to_owned(), value.trim().to_owned()))
    }
}

impl TryFrom<String> for Header {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl std::fmt::Debug for Header {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: …", self.0)
    }
}

/// The rules for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DialectName {
    /// JSON-RPC 2.0 to the letter
    Strict,
    /// What devices and peers of JSON-RPC 1.0 write, too
    Lenient,
    /// Those of the Model Context Protocol
    Mcp,
}

impl DialectName {
    pub(crate) const fn dialect(self) -> Dialect {
        match self {
            Self::Strict => Dialect::JSON_RPC,
            Self::Lenient => Dialect::LENIENT,
            Self::Mcp => Dialect::MCP,
        }
    }
}

/// Where a message ends in a stream of bytes.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum FrameName {
    Lf,
    Cr,
    CrLf,
    Nul,
    Etx,
    /// Any bytes
    Bytes(Vec<u8>),
    ContentLength,
    Values,
    Events,
}

impl std::str::FromStr for FrameName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "lf" => Self::Lf,
            "cr" => Self::Cr,
            "crlf" => Self::CrLf,
            "nul" => Self::Nul,
            "etx" => Self::Etx,
            "content-length" => Self::ContentLength,
            "values" => Self::Values,
            "events" => Self::Events,
            _ => {
                let digits = text.strip_prefix("bytes:").ok_or_else(|| {
                    format!("{text:?} is no frame: lf, cr, crlf, nul, etx, bytes:HEX, content-length, values, events")
                })?;
                let is_hex =
                    !digits.is_empty() && digits.len() % 2 == 0 && digits.bytes().all(|d| d.is_ascii_hexdigit());
                let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap_or_default());
                let bytes: Result<Vec<u8>, _> = pairs.map(|pair| u8::from_str_radix(pair, 16)).collect();
                let bytes = bytes.ok().filter(|_| is_hex);
                Self::Bytes(
                    bytes.ok_or_else(|| format!("{digits:?} is not hexadecimal, such as bytes:1e or bytes:0d0a"))?,
                )
            }
        })
    }
}

impl TryFrom<String> for FrameName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}
