//! Where a peer is: one text for every transport.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// The bits a second of a serial port, unless the address says otherwise.
const BAUD: u32 = 115_200;
const MQTT_PORT: u16 = 1883;

/// The address of a peer.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Address {
    /// `serial:///dev/ttyACM0?baud=115200`
    Serial { path: String, baud: u32 },
    /// `tcp://HOST:PORT`
    Tcp(String),
    /// `unix:PATH`
    Unix(PathBuf),
    /// `ws://…`, `wss://…`
    WebSocket(String),
    /// `http://…`, `https://…`
    Http(String),
    /// `mqtt://[USER:PASSWORD@]HOST[:PORT]/TOPIC?answers=TOPIC`
    Mqtt { login: Option<(String, String)>, host: String, port: u16, topic: String, answers: Option<String> },
    /// `nats://HOST[:PORT]/SUBJECT?events=SUBJECT`
    Nats { server: String, subject: String, events: Option<String> },
    /// `exec:COMMAND`
    Exec(String),
    /// `-`
    Stdio,
}

/// What an address may be, for a message.
const FORMS: &str = "serial:///dev/ttyACM0?baud=115200, tcp://HOST:PORT, unix:PATH, ws://…, wss://…, http://…, https://…, \
                     mqtt://HOST/TOPIC, nats://HOST/SUBJECT, exec:COMMAND, or - for standard input and output";

impl Address {
    /// Whether `text` is an address, not the name of a peer.
    pub(crate) fn is_address(text: &str) -> bool {
        text == "-" || text.contains(':')
    }

    /// The address without what may be a secret: the name of a user, a password, settings, the arguments of a program.
    pub(crate) fn public(&self) -> String {
        if let Self::Exec(command) = self {
            let program = command.split_whitespace().next().and_then(|program| program.rsplit('/').next());
            return program.unwrap_or_default().to_owned();
        }
        let text = self.to_string();
        let text = text.split('?').next().unwrap_or_default();
        match text.split_once("://") {
            Some((scheme, rest)) => format!("{scheme}://{}", rest.rsplit('@').next().unwrap_or_default()),
            None => text.to_owned(),
        }
    }

    /// Whether messages are parts of a stream of bytes, so that a frame ends them.
    pub(crate) const fn is_stream(&self) -> bool {
        matches!(self, Self::Serial { .. } | Self::Tcp(_) | Self::Unix(_) | Self::Exec(_) | Self::Stdio)
    }
}

/// Whether `HOST` or `HOST:PORT` is this machine.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let is_port = |port: &str| port.bytes().all(|b| b.is_ascii_digit());
    let name = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The part before `mark`, and the part behind it.
fn cut<'t>(text: &'t str, mark: &str) -> (&'t str, Option<&'t str>) {
    text.split_once(mark).map_or((text, None), |(front, behind)| (front, Some(behind)))
}

/// The settings `name=value&…` of an address.
struct Settings<'t>(Vec<(&'t str, &'t str)>);

impl<'t> Settings<'t> {
    fn parse(text: Option<&'t str>, known: &[&str]) -> Result<Self, String> {
        let pairs = text.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let settings: Vec<_> = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
        match settings.iter().find(|(name, _)| !known.contains(name)) {
            Some((name, _)) if known.is_empty() => Err(format!("{name:?} is no setting of such an address")),
            Some((name, _)) => Err(format!("{name:?} is no setting of such an address, but {}", known.join(", "))),
            None => Ok(Self(settings)),
        }
    }

    fn get(&self, name: &str) -> Option<&'t str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

/// Refuses an address with white space or control characters, which no transport takes.
fn plain(text: &str) -> Result<String, String> {
    if text.is_empty() || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("the address is empty, or has white space".to_owned());
    }
    Ok(text.to_owned())
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "-" {
            return Ok(Self::Stdio);
        }
        let (scheme, rest) = text.split_once(':').ok_or_else(|| format!("{text:?} is no address: {FORMS}"))?;
        let behind = || rest.strip_prefix("//").ok_or_else(|| format!("expected {scheme}://…"));
        match scheme {
            "serial" => {
                let (path, settings) = cut(behind()?, "?");
                let settings = Settings::parse(settings, &["baud"])?;
                let baud = settings.get("baud").map(str::parse).transpose();
                let baud = baud.map_err(|_| "baud is no number of bits a second".to_owned())?.unwrap_or(BAUD);
                Ok(Self::Serial { path: plain(path)?, baud })
            }
            "tcp" => {
                let host = plain(behind()?)?;
                let port = host.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
                port.map(|_| Self::Tcp(host)).ok_or_else(|| "expected tcp://HOST:PORT".to_owned())
            }
            "unix" if !rest.is_empty() => Ok(Self::Unix(rest.into())),
            "ws" | "wss" => behind().and_then(plain).map(|rest| Self::WebSocket(format!("{scheme}://{rest}"))),
            "http" | "https" => behind().and_then(plain).map(|rest| Self::Http(format!("{scheme}://{rest}"))),
            "mqtt" => Self::mqtt(behind()?),
            "nats" => {
                let (server, subject) = cut(behind()?, "/");
                let (subject, settings) = cut(subject.ok_or("expected nats://HOST/SUBJECT")?, "?");
                let settings = Settings::parse(settings, &["events"])?;
                let events = settings.get("events").map(str::to_owned);
                Ok(Self::Nats { server: plain(server)?, subject: plain(subject)?, events })
            }
            "exec" if !rest.trim().is_empty() => Ok(Self::Exec(rest.to_owned())),
            "unix" | "exec" => Err(format!("expected something behind {scheme}:")),
            _ => Err(format!("{scheme:?} is no kind of address: {FORMS}")),
        }
    }
}

impl Address {
    fn mqtt(text: &str) -> Result<Self, String> {
        let (broker, topic) = cut(text, "/");
        let (topic, settings) = cut(topic.ok_or("expected mqtt://HOST/TOPIC")?, "?");
        let settings = Settings::parse(settings, &["answers"])?;
        let (login, broker) = broker.rsplit_once('@').map_or((None, broker), |(login, broker)| (Some(login), broker));
        let login = login.map(|login| cut(login, ":")).map(|(user, password)| (user, password.unwrap_or_default()));
        // a colon inside of brackets belongs to an IPv6 address
        let port = broker.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'));
        let (host, port) = match port {
            Some((host, port)) => (host, port.parse().map_err(|_| format!("{port:?} is no port"))?),
            None => (broker, MQTT_PORT),
        };
        Ok(Self::Mqtt {
            login: login.map(|(user, password)| (user.to_owned(), password.to_owned())),
            host: plain(host.trim_start_matches('[').trim_end_matches(']'))?,
            port,
            topic: plain(topic)?,
            answers: settings.get("answers").map(str::to_owned),
        })
    }
}

/// Without a password.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Serial { path, baud } => write!(f, "serial://{path}?baud={baud}"),
            Self::Tcp(host) => write!(f, "tcp://{host}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::WebSocket(address) | Self::Http(address) => f.write_str(address),
            Self::Mqtt { host, port, topic, .. } => write!(f, "mqtt://{host}:{port}/{topic}"),
            Self::Nats { server, subject, .. } => {
                let host = server.rsplit_once('@').map_or(server.as_str(), |(_, host)| host);
                write!(f, "nats://{host}/{subject}")
            }
            Self::Exec(command) => write!(f, "exec:{command}"),
            Self::Stdio => f.write_str("-"),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read() {
        for (text, shown) in [
            ("serial:///dev/ttyACM0", "serial:///dev/ttyACM0?baud=115200"),
            ("serial://COM3?baud=9600", "serial://COM3?baud=9600"),
            ("tcp://[::1]:4000", "tcp://[::1]:4000"),
            ("unix:/run/lamp.sock", "unix:/run/lamp.sock"),
            ("ws://lamp.local/rpc?token=1", "ws://lamp.local/rpc?token=1"),
            ("https://lamp.local/mcp", "https://lamp.local/mcp"),
            ("mqtt://me:secret@broker:1884/home/lamp/rpc?answers=me", "mqtt://broker:1884/home/lamp/rpc"),
            ("mqtt://broker/lamp", "mqtt://broker:1883/lamp"),
            ("nats://me:secret@127.0.0.1:4222/home.lamp", "nats://127.0.0.1:4222/home.lamp"),
            ("exec:lamp --port 1", "exec:lamp --port 1"),
            ("-", "-"),
        ] {
            assert_eq!(text.parse::<Address>().map(|address| address.to_string()), Ok(shown.to_owned()));
        }
    }

    #[test]
    fn other_texts_are_refused_with_a_reason() {
        for (text, reason) in [
            ("lamp", "is no address"),
            ("tcp://lamp", "expected tcp://HOST:PORT"),
            ("tcp://lamp:99999", "expected tcp://HOST:PORT"),
            ("tcp:lamp:1", "expected tcp://…"),
            ("serial:///dev/x?baud=fast", "baud is no number"),
            ("serial:///dev/x?speed=1", "\"speed\" is no setting"),
            ("mqtt://broker", "expected mqtt://HOST/TOPIC"),
            ("mqtt://broker:x/lamp", "\"x\" is no port"),
            ("nats://server", "expected nats://HOST/SUBJECT"),
            ("exec: ", "expected something behind exec:"),
            ("ftp://lamp", "\"ftp\" is no kind of address"),
            ("ws://a b", "white space"),
        ] {
            let fault = text.parse::<Address>().expect_err("refused");
            assert!(fault.contains(reason), "{text}: {fault}");
        }
    }
}
