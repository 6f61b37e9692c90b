//! The opening handshake, as functions of header values. RFC 6455 §4.
//!
//! The program parses the heads with `httparse` or its own server, and passes each header; unknown headers are ignored. The program itself
//! checks the method `GET`, HTTP/1.1 or later, `Host` and `Origin`. A server that uses a subprotocol selects it from the request's
//! `Sec-WebSocket-Protocol`. A client passes the subprotocols that it has requested to [`Response::with_protocols`].
//!
//! ```
//! use nanojsonrpc::frame::websocket::handshake::{Key, Request, Response};
//!
//! // the client: 16 random bytes; the key of RFC 6455 §1.3
//! let key = Key::new(*b"the sample nonce");
//! assert_eq!(key.as_str(), "dGhlIHNhbXBsZSBub25jZQ==");
//!
//! // the server
//! let mut request = Request::new();
//! for (name, value) in [
//!     ("Host", "server.example.com"),
//!     ("Upgrade", "websocket"),
//!     ("Connection", "keep-alive, Upgrade"),
//!     ("Sec-WebSocket-Key", key.as_str()),
//!     ("Sec-WebSocket-Version", "13"),
//! ] {
//!     request.header(name, value.as_bytes());
//! }
//! let accept = request.accept().unwrap();
//! assert_eq!(accept.as_str(), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
//! // HTTP/1.1 101 Switching Protocols, with these headers
//! let answer = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept.as_str())];
//!
//! // the client
//! let mut response = Response::new(101);
//! for (name, value) in answer {
//!     response.header(name, value.as_bytes());
//! }
//! assert_eq!(response.check(&key), Ok(()));
//! ```

use core::fmt;

use sha1::block_api::compress;

use crate::base64::{decode_four, encode};

/// The protocol version: the value of `Sec-WebSocket-Version`. RFC 6455 §4.1.
pub const VERSION: &str = "13";

/// The constant that is appended to every key. RFC 6455 §1.3.
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The reason for a refused handshake.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Refusal {
    /// `Upgrade` of the request does not contain `websocket`, or that of the response is not `websocket`. RFC 6455 §4.1, §4.2.1.
    MissingUpgrade,
    /// `Connection` does not contain `Upgrade`. RFC 6455 §4.1, §4.2.1.
    MissingConnection,
    /// `Sec-WebSocket-Version` is missing, or not [`VERSION`]. RFC 6455 §4.2.2.
    UnsupportedVersion,
    /// `Sec-WebSocket-Key` is missing, repeated, or not 16 bytes in Base64. RFC 6455 §4.2.1.
    InvalidKey,
    /// The status of the response is not 101. RFC 6455 §4.1.
    Status(u16),
    /// `Sec-WebSocket-Accept` is missing, repeated, or belongs to another key. RFC 6455 §4.1.
    InvalidAccept,
    /// The response selects an extension, but the request offered none. RFC 6455 §4.1.
    UnrequestedExtension,
    /// The response selects a subprotocol that the client did not request, or more than one. RFC 6455 §4.1.
    UnrequestedProtocol,
}

impl Refusal {
    /// The status of the server's refusal: 426 if the client should upgrade or use another version, otherwise 400. With 426, send the
    /// headers `Upgrade: websocket` and `Sec-WebSocket-Version: 13`. RFC 6455 §4.2.2, §4.4.
    pub const fn status(self) -> u16 {
        match self {
            Self::MissingUpgrade | Self::UnsupportedVersion => 426,
            _ => 400,
        }
    }

    /// A description of the refusal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MissingUpgrade => "Upgrade is not websocket",
            Self::MissingConnection => "Connection lacks Upgrade",
            Self::UnsupportedVersion => "unsupported Sec-WebSocket-Version",
            Self::InvalidKey => "invalid Sec-WebSocket-Key",
            Self::Status(_) => "status is not 101",
            Self::InvalidAccept => "invalid Sec-WebSocket-Accept",
            Self::UnrequestedExtension => "unrequested Sec-WebSocket-Extensions",
            Self::UnrequestedProtocol => "unrequested Sec-WebSocket-Protocol",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl core::error::Error for Refusal {}

/// The value of a header that must occur once.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Once<'h> {
    Missing,
    Value(&'h [u8]),
    Repeated,
}

impl<'h> Once<'h> {
    fn set(&mut self, value: &'h [u8]) {
        *self = if matches!(self, Self::Missing) { Self::Value(value.trim_ascii()) } else { Self::Repeated };
    }

    const fn value(self) -> Option<&'h [u8]> {
        if let Self::Value(value) = self { Some(value) } else { None }
    }
}

/// Whether a list separated by commas contains `token`, in upper or lower case.
fn lists(list: &[u8], token: &[u8]) -> bool {
    list.split(|byte| *byte == b',').any(|element| element.trim_ascii().eq_ignore_ascii_case(token))
}

/// The head of a client's request, as read by the server.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Request<'h> {
    has_upgrade: bool,
    has_connection: bool,
    key: Once<'h>,
    version: Once<'h>,
}

impl<'h> Request<'h> {
    /// Creates a head without headers.
    pub const fn new() -> Self {
        Self { has_upgrade: false, has_connection: false, key: Once::Missing, version: Once::Missing }
    }

    /// Adds a header. Its name is case-insensitive.
    pub fn header(&mut self, name: &str, value: &'h [u8]) {
        if name.eq_ignore_ascii_case("Upgrade") {
            self.has_upgrade |= lists(value, b"websocket");
        } else if name.eq_ignore_ascii_case("Connection") {
            self.has_connection |= lists(value, b"upgrade");
        } else if name.eq_ignore_ascii_case("Sec-WebSocket-Key") {
            self.key.set(value);
        } else if name.eq_ignore_ascii_case("Sec-WebSocket-Version") {
            self.version.set(value);
        }
    }

    /// Checks the request, and returns the value of `Sec-WebSocket-Accept` for the response with status 101. The bytes after the head of
    /// the request belong to the framer.
    ///
    /// # Errors
    /// The first [`Refusal`]. Its [`status`](Refusal::status) is for the response.
    pub fn accept(&self) -> Result<Accept, Refusal> {
        if !self.has_upgrade {
            return Err(Refusal::MissingUpgrade);
        }
        if !self.has_connection {
            return Err(Refusal::MissingConnection);
        }
        if self.version.value() != Some(VERSION.as_bytes()) {
            return Err(Refusal::UnsupportedVersion);
        }
        let key = self.key.value().unwrap_or_default().try_into().map_err(|_| Refusal::InvalidKey)?;
        if decoded_len(key) == Some(16) { Ok(Accept::of(key)) } else { Err(Refusal::InvalidKey) }
    }
}

impl Default for Request<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// The head of a server's response, as read by the client.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Response<'h> {
    status: u16,
    upgrade: Once<'h>,
    has_connection: bool,
    accept: Once<'h>,
    has_extension: bool,
    protocol: Once<'h>,
    /// The subprotocols that the client has requested.
    protocols: &'h [&'h str],
}

impl<'h> Response<'h> {
    /// Creates a head without headers.
    pub const fn new(status: u16) -> Self {
        Self {
            status,
            upgrade: Once::Missing,
            has_connection: false,
            accept: Once::Missing,
            has_extension: false,
            protocol: Once::Missing,
            protocols: &[],
        }
    }

    /// Allows the server to select one of the subprotocols that the request named in `Sec-WebSocket-Protocol`, or none.
    ///
    /// ```
    /// use nanojsonrpc::frame::websocket::handshake::{Key, Refusal, Response};
    ///
    /// let key = Key::new(*b"the sample nonce");
    /// let mut response = Response::new(101);
    /// for (name, value) in [
    ///     ("Upgrade", "websocket"),
    ///     ("Connection", "Upgrade"),
    ///     ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
    ///     ("Sec-WebSocket-Protocol", "jsonrpc"),
    /// ] {
    ///     response.header(name, value.as_bytes());
    /// }
    /// assert_eq!(response.check(&key), Err(Refusal::UnrequestedProtocol));
    /// assert_eq!(response.with_protocols(&["jsonrpc"]).check(&key), Ok(()));
    /// ```
    #[must_use]
    pub const fn with_protocols(self, protocols: &'h [&'h str]) -> Self {
        Self { protocols, ..self }
    }

    /// Adds a header. Its name is case-insensitive.
    pub fn header(&mut self, name: &str, value: &'h [u8]) {
        if name.eq_ignore_ascii_case("Upgrade") {
            self.upgrade.set(value);
        } else if name.eq_ignore_ascii_case("Connection") {
            self.has_connection |= lists(value, b"upgrade");
        } else if name.eq_ignore_ascii_case("Sec-WebSocket-Accept") {
            self.accept.set(value);
        } else if name.eq_ignore_ascii_case("Sec-WebSocket-Extensions") {
            self.has_extension |= !value.trim_ascii().is_empty();
        } else if name.eq_ignore_ascii_case("Sec-WebSocket-Protocol") {
            self.protocol.set(value);
        }
    }

    /// Checks the response to the request with `key`. The bytes after the head belong to the framer.
    ///
    /// # Errors
    /// The first [`Refusal`]; the connection is then not open.
    pub fn check(&self, key: &Key) -> Result<(), Refusal> {
        if self.status != 101 {
            return Err(Refusal::Status(self.status));
        }
        if !self.upgrade.value().unwrap_or_default().eq_ignore_ascii_case(b"websocket") {
            return Err(Refusal::MissingUpgrade);
        }
        if !self.has_connection {
            return Err(Refusal::MissingConnection);
        }
        if self.accept.value() != Some(Accept::of(&key.0).as_str().as_bytes()) {
            return Err(Refusal::InvalidAccept);
        }
        if self.has_extension {
            return Err(Refusal::UnrequestedExtension);
        }
        match self.protocol {
            Once::Missing => Ok(()),
            Once::Value(selected) if self.protocols.iter().any(|name| name.as_bytes() == selected) => Ok(()),
            Once::Value(_) | Once::Repeated => Err(Refusal::UnrequestedProtocol),
        }
    }
}

/// Writes `bytes` to `out` in Base64.
fn put(bytes: &[u8], out: &mut [u8]) {
    for (three, place) in bytes.chunks(3).zip(out.chunks_exact_mut(4)) {
        crate::copy::copy(&encode(three), place);
    }
}

/// Returns the number of bytes that `key` encodes; `None` if `key` is not Base64.
fn decoded_len(key: &[u8; 24]) -> Option<usize> {
    let mut len = 0usize;
    for (index, four) in key.chunks_exact(4).enumerate() {
        // only the last group of four characters may be padded
        if len != index.wrapping_mul(3) {
            return None;
        }
        len = len.wrapping_add(decode_four(*four.first_chunk()?)?.1);
    }
    Some(len)
}

/// The value of `Sec-WebSocket-Key`. RFC 6455 §4.1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Key([u8; 24]);

impl Key {
    /// Creates a key from random bytes: "The nonce MUST be selected randomly for each connection."
    pub fn new(random: [u8; 16]) -> Self {
        // 16 bytes are 24 characters of Base64
        let mut key = [0; 24];
        put(&random, &mut key);
        Self(key)
    }

    /// The value of the header.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// The value of `Sec-WebSocket-Accept`. RFC 6455 §4.2.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Accept([u8; 28]);

impl Accept {
    /// Hashes the key and the constant with SHA-1. Uses only the crate's compression function, because its buffer for texts of any length
    /// would link panics.
    fn of(key: &[u8; 24]) -> Self {
        // 60 bytes, one bit, zeros, and the length in bits: two blocks. FIPS 180-4 §5.1.1
        let mut blocks = [[0; 64]; 2];
        let [first, [.., high, low]] = &mut blocks;
        for (place, byte) in first.iter_mut().zip(key.iter().chain(GUID).chain(&[0x80])) {
            *place = *byte;
        }
        [*high, *low] = (60u16 * 8).to_be_bytes();
        let mut state = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0];
        compress(&mut state, &blocks);
        let mut hash = [0; 20];
        for (place, word) in hash.chunks_exact_mut(4).zip(state) {
            crate::copy::copy(&word.to_be_bytes(), place);
        }
        // 20 bytes are 28 characters of Base64
        let mut accept = [0; 28];
        put(&hash, &mut accept);
        Self(accept)
    }

    /// The value of the header.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}
