//! The file of a hub.

mod file;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nanojsonrpc_tokio::Options;
use toml::Spanned;
use wildmatch::WildMatch;

use crate::address::{Address, is_this_machine};
use crate::args::{Header, PeerOptions};
use crate::device::Limits;
use crate::fault::Fault;
use crate::peer::Peer;
use file::{Cluster, Device, File, Listen, User};

/// What a hub does.
pub(crate) struct Config {
    pub(crate) name: String,
    pub(crate) log: Option<PathBuf>,
    /// Whether traffic and logs show params and results.
    pub(crate) payloads: bool,
    pub(crate) doors: Vec<Door>,
    pub(crate) devices: Vec<(String, Peer, Limits)>,
    /// Empty if anyone may call.
    pub(crate) users: Vec<(crate::user::User, String)>,
    pub(crate) webhooks: Vec<(Peer, crate::user::User)>,
    /// The server of NATS, and the front of subjects.
    pub(crate) cluster: Option<(String, String)>,
}

/// Where users come in.
pub(crate) enum Door {
    Web(Web),
    /// A topic or a subject, and the name of the user whose rights its callers have.
    Broker(Box<Peer>, Option<String>),
}

/// A listener of HTTP.
pub(crate) struct Web {
    pub(crate) host: String,
    /// The certificate and its key.
    pub(crate) tls: Option<(PathBuf, PathBuf)>,
    pub(crate) origins: Vec<String>,
    /// The connections of one client.
    pub(crate) connections: usize,
    pub(crate) max_len: usize,
}

/// The greatest length of a message of a user, unless the file says otherwise.
const MAX_LEN: usize = 1 << 20;
/// The connections of one client, unless the file says otherwise.
const CONNECTIONS: usize = 64;
/// The greatest number of calls of a device, at once or waiting.
const CALLS: usize = 65_536;
/// The least length of a token.
const TOKEN: usize = 16;

/// `text` with `${env:NAME}` and `${file:PATH}` replaced by the variable and by the first line of the file.
fn expanded(text: &str) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((front, behind)) = rest.split_once("${") {
        let (name, behind) = behind.split_once('}').ok_or("${ without }")?;
        let value = match name.split_once(':') {
            Some(("env", name)) => std::env::var(name).map_err(|_| format!("the variable {name} is not set"))?,
            Some(("file", path)) => {
                let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
                text.lines().next().unwrap_or_default().to_owned()
            }
            _ => return Err("expected ${env:NAME} or ${file:PATH}".to_owned()),
        };
        out.push_str(front);
        out.push_str(&value);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

const fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
}

/// Whether `name` can be a part of subjects, keys and names of methods.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

const NAME: &str = "a name is 1 to 64 letters, digits, - and _";

/// Reads a file, and keeps what is wrong with it.
#[derive(Default)]
struct Reader {
    faults: Vec<(usize, String)>,
}

impl Reader {
    fn wrong<T>(&mut self, place: &Spanned<T>, fault: impl Into<String>) {
        self.faults.push((place.span().start, fault.into()));
    }

    fn expanded(&mut self, text: &Spanned<String>) -> Option<String> {
        expanded(text.get_ref()).map_err(|fault| self.wrong(text, fault)).ok()
    }

    fn headers(&mut self, headers: &[Spanned<String>]) -> Vec<Header> {
        let read = |header: &Spanned<String>| {
            let text = self.expanded(header)?;
            text.parse().map_err(|fault: String| self.wrong(header, fault)).ok()
        };
        headers.iter().filter_map(read).collect()
    }

    /// The peer at an address.
    fn peer(&mut self, name: &str, place: &Spanned<String>, options: &PeerOptions) -> Option<Peer> {
        let address = self.expanded(place)?;
        // a variable or a file may hold a secret
        let is_literal = address == *place.get_ref();
        let found = if Address::is_address(&address) {
            let shown = |fault: Fault| if is_literal { fault.to_string() } else { "no address".to_owned() };
            Peer::find(&address, options).map_err(shown)
        } else {
            Err("expected an address".to_owned())
        };
        match found {
            Ok(peer) if peer.address == Address::Stdio => {
                self.wrong(place, "a hub has no use for standard input and output");
                None
            }
            // the hub ends its devices after the calls in flight
            Ok(peer) => Some(Peer { name: name.to_owned(), is_apart: true, ..peer }),
            Err(fault) => {
                self.wrong(place, fault);
                None
            }
        }
    }

    fn device(&mut self, name: &Spanned<String>, device: &Device) -> Option<(String, Peer, Limits)> {
        if !is_name(name.get_ref()) || name.get_ref() == "hub" {
            self.wrong(name, format!("{NAME}, and not \"hub\""));
        }
        let options = PeerOptions {
            frame: device.frame.clone(),
            dialect: device.dialect,
            mcp: device.mcp,
            timeout: device.timeout,
            headers: self.headers(&device.headers),
            max_len: device.max_len,
            peers: None,
        };
        let usual = Limits::default();
        for (count, least) in [(&device.calls, 1), (&device.queue, 0)] {
            if let Some(count) = count.as_ref().filter(|count| !(least..=CALLS).contains(count.get_ref())) {
                self.wrong(count, format!("expected a number from {least} to {CALLS}"));
            }
        }
        let limits = Limits {
            calls: device.calls.as_ref().map_or(usual.calls, |calls| *calls.get_ref()),
            queue: device.queue.as_ref().map_or(usual.queue, |queue| *queue.get_ref()),
            repeat: device.repeat.iter().map(|pattern| WildMatch::new(pattern)).collect(),
        };
        let peer = self.peer(name.get_ref(), &device.address, &options)?;
        Some((name.get_ref().clone(), peer, limits))
    }

    fn user(&mut self, name: &str, user: &User) -> (crate::user::User, String) {
        let token = self.expanded(&user.token);
        let is_good = |token: &String| token.len() >= TOKEN && token.bytes().all(is_of_token);
        if !user.token.get_ref().starts_with("${") {
            self.wrong(&user.token, "a token stands in ${file:PATH} or in ${env:NAME}, not here");
        } else if token.as_ref().is_some_and(|token| !is_good(token)) {
            // b64token of RFC 6750 §2.1
            self.wrong(&user.token, format!("a token has at least {TOKEN} letters, digits and -._~+/="));
        }
        (crate::user::User::new(name, &user.methods, user.rate), token.unwrap_or_default())
    }

    fn door(&mut self, listen: &Listen, users: &BTreeMap<String, User>) -> Option<Door> {
        let place = &listen.address;
        let text = place.get_ref().as_str();
        let (scheme, host) = text.split_once("://").unwrap_or((text, ""));
        let tls = match (scheme, &listen.certificate, &listen.key) {
            ("mqtt" | "nats", None, None) => {
                let options = PeerOptions { max_len: listen.max_len, ..PeerOptions::default() };
                match &listen.user {
                    Some(user) if !users.contains_key(user.get_ref()) => self.wrong(user, "there is no such user"),
                    None if !users.is_empty() => {
                        self.wrong(place, "name the user whose rights callers have here: user = \"NAME\"");
                    }
                    _ => {}
                }
                let user = listen.user.as_ref().map(|user| user.get_ref().clone());
                return self.peer("", place, &options).map(|peer| Door::Broker(Box::new(peer), user));
            }
            ("http", None, None) => None,
            ("https", Some(certificate), Some(key)) => Some((certificate.clone(), key.clone())),
            ("https", ..) => {
                self.wrong(place, "https needs a certificate and a key");
                return None;
            }
            _ => {
                self.wrong(
                    place,
                    "expected http://HOST:PORT, https://HOST:PORT with certificate and key, mqtt://… or nats://…",
                );
                return None;
            }
        };
        if host.rsplit_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
            self.wrong(place, "expected HOST:PORT; port 0 is any free one");
            return None;
        }
        let is_loopback = is_this_machine(host);
        if !is_loopback && !listen.public {
            self.wrong(place, "other machines reach this address; if they should, add public = true");
        } else if !is_loopback && users.is_empty() {
            self.wrong(place, "a public listener needs users with tokens");
        }
        let connections = listen.connections.unwrap_or(CONNECTIONS);
        let max_len = listen.max_len.unwrap_or(MAX_LEN);
        Some(Door::Web(Web { host: host.to_owned(), tls, origins: listen.origins.clone(), connections, max_len }))
    }

    fn cluster(&mut self, cluster: &Cluster) -> (String, String) {
        let prefix = cluster.prefix.as_ref();
        if let Some(prefix) = prefix.filter(|prefix| !is_name(prefix.get_ref())) {
            self.wrong(prefix, NAME);
        }
        (
            self.expanded(&cluster.nats).unwrap_or_default(),
            prefix.map_or("jrpc".to_owned(), |prefix| prefix.get_ref().clone()),
        )
    }

    fn config(&mut self, file: &File) -> Config {
        let mut name = file.name.get_ref().clone();
        if file.cluster.is_some() {
            // so that processes may share a file
            name = expanded(&name).unwrap_or_default();
        }
        if !is_name(&name) {
            self.wrong(&file.name, NAME);
        }
        let users: Vec<_> = file.users.iter().map(|(name, user)| self.user(name, user)).collect();
        for (place, (_, token)) in users.iter().enumerate() {
            let is_taken = users.iter().take(place).any(|(_, other)| !token.is_empty() && other == token);
            if let Some(user) = file.users.values().nth(place).filter(|_| is_taken) {
                self.wrong(&user.token, "another user has this token");
            }
        }
        if file.listen.is_empty() && file.cluster.is_none() {
            self.wrong(&file.name, "nobody can reach the devices: add a [[listen]] with an address");
        }
        let webhooks = file.webhooks.iter().filter_map(|webhook| {
            let options = PeerOptions { headers: self.headers(&webhook.headers), ..PeerOptions::default() };
            let peer = self.peer("", &webhook.address, &options)?;
            if !matches!(peer.address, Address::Http(_)) {
                self.wrong(&webhook.address, "expected http:// or https://");
            }
            Some((peer, crate::user::User::new("", &webhook.methods, None)))
        });
        let webhooks = webhooks.collect();
        Config {
            name,
            log: file.log.clone(),
            payloads: file.payloads,
            doors: file.listen.iter().filter_map(|listen| self.door(listen, &file.users)).collect(),
            devices: file.devices.iter().filter_map(|(name, device)| self.device(name, device)).collect(),
            users,
            webhooks,
            cluster: file.cluster.as_ref().map(|cluster| self.cluster(cluster)),
        }
    }
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// All that is wrong with it, each with its line.
    pub(crate) fn read(path: &Path) -> Result<Self, Fault> {
        let text = std::fs::read_to_string(path).map_err(|error| Fault::file(path.display(), &error))?;
        Self::parse(&text).map_err(|faults| {
            let lines = faults.iter().map(|(line, fault)| format!("{}:{line}: {fault}", path.display()));
            Fault::usage(lines.collect::<Vec<_>>().join("\n"))
        })
    }

    /// Reads the text of a file. Faults have their lines.
    pub(super) fn parse(text: &str) -> Result<Self, Vec<(usize, String)>> {
        let line = |offset: usize| text.get(..offset).unwrap_or(text).matches('\n').count() + 1;
        let file: File = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            vec![(line(offset), error.message().to_owned())]
        })?;
        let mut reader = Reader::default();
        let config = reader.config(&file);
        if reader.faults.is_empty() {
            return Ok(config);
        }
        let mut faults: Vec<_> = reader.faults.into_iter().map(|(offset, fault)| (line(offset), fault)).collect();
        faults.sort();
        Err(faults)
    }
}

impl Web {
    /// The limits of connections of users.
    pub(crate) fn options(&self) -> Options {
        Options::new().max_len(self.max_len)
    }
}
