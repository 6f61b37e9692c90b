//! URLs of HTTP as parts of their text, and text in URLs and forms.

use crate::ascii::split_once;
use crate::error::{Error, ErrorKind};
use crate::json::{RawStr, Writer};
use crate::message::Str;

/// The parts of a URL of `http` or `https`.
#[derive(Clone, Copy)]
pub(super) struct Url<'u> {
    /// The scheme and the host, with the port if there is one.
    pub origin: &'u str,
    /// The path, which is empty or begins with a slash.
    pub path: &'u str,
    /// The query with its question mark, or nothing.
    pub query: &'u str,
}

const SCHEMES: [&str; 2] = ["https://", "http://"];

impl<'u> Url<'u> {
    /// Splits `text`.
    ///
    /// # Errors
    /// [`InvalidValue`](ErrorKind::InvalidValue) with the offset of the fault: another scheme, no host, a user name, a fragment, or a byte that no URL
    /// has.
    pub(super) fn split(text: &'u str) -> Result<Self, Error> {
        let fault = |at| Error::new(ErrorKind::InvalidValue, at);
        let behind = behind_scheme(text).ok_or(fault(0))?;
        let is_allowed = |byte: u8| matches!(byte, b'!'..=b'~') && !b"\"#<>\\^`{|}".contains(&byte);
        if let Some(at) = text.bytes().position(|byte| !is_allowed(byte)) {
            return Err(fault(at));
        }
        let scheme = text.len().saturating_sub(behind.len());
        let host = behind.bytes().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(behind.len());
        let end = scheme.saturating_add(host);
        let (origin, rest) = text.split_at_checked(end).unwrap_or_default();
        let authority = origin.get(scheme..).unwrap_or_default();
        if !is_host(authority) {
            return Err(fault(scheme));
        }
        let path = rest.bytes().position(|byte| byte == b'?').unwrap_or(rest.len());
        let (path, query) = rest.split_at_checked(path).unwrap_or_default();
        Ok(Self { origin, path, query })
    }

    /// The path; nothing if it is one slash.
    pub(super) fn path_or_nothing(&self) -> &'u str {
        if self.path == "/" { "" } else { self.path }
    }

    /// Whether both have the same scheme, host and port. The default port counts as none.
    fn is_same_origin(&self, other: &Self) -> bool {
        without_port(self.origin).eq_ignore_ascii_case(without_port(other.origin))
    }

    /// Whether `self` identifies the resource at `other`, or one above it in its path.
    pub(super) fn contains(&self, other: &Self) -> bool {
        let path = self.path.strip_suffix('/').unwrap_or(self.path);
        let is_same = self.path == other.path && self.query == other.query;
        let is_above = || other.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.is_same_origin(other) && (is_same || self.query.is_empty() && is_above())
    }
}

/// Whether `authority` is a host with an optional port, and without a user name.
fn is_host(authority: &str) -> bool {
    let (host, port) = match authority.strip_prefix('[') {
        Some(literal) => split_once(literal, b']').unwrap_or_default(),
        None => {
            let len = authority.bytes().position(|byte| byte == b':').unwrap_or(authority.len());
            authority.split_at_checked(len).unwrap_or_default()
        }
    };
    let is_host = !host.is_empty() && !host.bytes().any(|byte| matches!(byte, b'@' | b'[' | b']'));
    is_host && port.bytes().enumerate().all(|(at, byte)| if at == 0 { byte == b':' } else { byte.is_ascii_digit() })
}

/// The text behind `http://` or `https://`.
fn behind_scheme(text: &str) -> Option<&str> {
    SCHEMES.into_iter().find_map(|scheme| {
        let (front, behind) = text.split_at_checked(scheme.len())?;
        front.eq_ignore_ascii_case(scheme).then_some(behind)
    })
}

/// The origin without the default port of its scheme.
fn without_port(origin: &str) -> &str {
    let is_secure = origin.get(..SCHEMES[0].len()).is_some_and(|front| front.eq_ignore_ascii_case(SCHEMES[0]));
    let port = if is_secure { ":443" } else { ":80" };
    origin.strip_suffix(port).unwrap_or(origin)
}

/// Whether `url` is one of `https`, or one of `http` at this machine: `localhost`, `127.0.0.1` or `[::1]`.
///
/// "All authorization server endpoints MUST be served over HTTPS." "All redirect URIs MUST be either `localhost` or use HTTPS."
/// (2026-07-28, Communication Security)
///
/// ```
/// use nanojsonrpc::mcp::authorization::is_secure;
///
/// assert!(is_secure("https://auth.example.com/token") && is_secure("http://localhost:3000/callback"));
/// assert!(!is_secure("http://auth.example.com/token") && !is_secure("http://localhost.example.com/"));
/// ```
pub fn is_secure(url: &str) -> bool {
    let Ok(Url { origin, .. }) = Url::split(url) else { return false };
    let host = origin.get(SCHEMES[1].len()..).unwrap_or_default();
    let is_https = !origin.get(..SCHEMES[1].len()).is_some_and(|front| front.eq_ignore_ascii_case(SCHEMES[1]));
    is_https
        || ["localhost", "127.0.0.1", "[::1]"].into_iter().any(|local| {
            let (name, port) = host.split_at_checked(local.len()).unwrap_or_default();
            name.eq_ignore_ascii_case(local) && (port.is_empty() || port.starts_with(':'))
        })
}

/// The bytes of `text`, percent-encoded: correct in a query and in a form.
///
/// Source: RFC 3986 §2.1, §2.3; RFC 6749, appendix B.
pub(super) fn encoded(text: Str<'_>) -> impl Iterator<Item = u8> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |value: u8| DIGITS.get(usize::from(value & 0xF)).copied().unwrap_or(b'0');
    bytes(text).flat_map(move |byte| {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let three = if is_plain { [0, 0, byte] } else { [b'%', digit(byte >> 4), digit(byte)] };
        three.into_iter().skip(if is_plain { 2 } else { 0 })
    })
}

/// The bytes of the decoded text.
pub(super) fn bytes(text: Str<'_>) -> impl Iterator<Item = u8> {
    let (raw, plain) = match text {
        Str::Raw(raw) => (raw, ""),
        text => (RawStr::default(), text.as_str().unwrap_or_default()),
    };
    raw.bytes().chain(plain.bytes())
}

/// Appends `name=value` of a form or a query, after an ampersand if `out` ends with another pair.
pub(super) fn put_pair(out: &mut Writer<'_>, name: &str, value: Str<'_>) {
    if !matches!(out.written().last(), None | Some(b'?' | b'&')) {
        out.put_byte(b'&');
    }
    out.put(name.as_bytes());
    out.put_byte(b'=');
    encoded(value).for_each(|byte| out.put_byte(byte));
}

/// The written text, which is ASCII.
///
/// # Errors
/// [`OutputFull`](ErrorKind::OutputFull) if it did not fit.
pub(super) fn written(mut out: Writer<'_>) -> Result<&str, Error> {
    out.finish(0)?;
    core::str::from_utf8(out.into_written()).map_err(|_| Error::new(ErrorKind::InvalidUtf8, 0))
}
