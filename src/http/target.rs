//! Calls in the target of a `GET`.

use super::endpoint::length;
use super::{Endpoint, Head, Response};
use crate::error::{Error, ErrorKind};
use crate::json::{RawValue, Writer};
use crate::server::Processed;

/// The maximum number of params in the target of a `GET`.
///
/// ```
/// use nanojsonrpc::http::{MAX_TARGET_PARAMS, call_in_target};
///
/// assert_eq!(MAX_TARGET_PARAMS, 64);
/// let target: String = (0..65).map(|name| format!("&{name}")).collect();
/// assert!(call_in_target(&format!("/a?{target}"), "", &mut [0; 1024]).is_err());
/// ```
pub const MAX_TARGET_PARAMS: usize = 64;

impl Endpoint<'_> {
    /// Reads a `GET` below the path of the endpoint as a call, as in `curl 'http://lamp.local/rpc/Switch.Set?id=0&on=true'`. Writes the
    /// request to the front of `out` as [`call_in_target`] does; the server's answer to it becomes a [response](Self::respond). `None` for any
    /// other request: continue with [`begin`](Self::begin). On plain HTTP, a page of another site [may have sent](crate::http#calls-by-get)
    /// the call.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use nanojsonrpc::http::{Endpoint, Head};
    /// use nanojsonrpc::{Params, Router, Server};
    ///
    /// let level = |_: &mut (), params: Params<'_>| Ok(params.get("id").and_then(|id| id.as_i64()));
    /// let mut server = Server::new(Router::new().request("Level.Get", level));
    /// let (endpoint, mut buffer, mut output) = (Endpoint::new().at("/rpc"), [0; 128], [0; 128]);
    /// let mut status = |headers: &[(&str, &str)]| {
    ///     let head = Head::from_headers("GET", "/rpc/Level.Get?id=3", headers.iter().copied());
    ///     let response = match endpoint.read_target(&head, &mut buffer) {
    ///         Ok(Some(call)) => endpoint.respond(&head, server.process(&mut (), call, &mut output)),
    ///         Ok(None) => unreachable!(), // `endpoint.begin`
    ///         Err(response) => response,
    ///     };
    ///     assert_eq!(response.body().is_empty(), response.status() != 200);
    ///     response.status()
    /// };
    /// assert_eq!(status(&[("Host", "lamp.local")]), 200);
    /// // a page that has rebound its name, and one whose browser tells
    /// assert_eq!(status(&[("Host", "evil.example")]), 403);
    /// assert_eq!(status(&[("Host", "lamp.local"), ("Sec-Fetch-Site", "cross-site")]), 403);
    /// # }
    /// ```
    ///
    /// # Errors
    /// The response to send: 403 to a page of another site; 400 to a request with a body, to an invalid `Host`, and to a target that is not a
    /// call; 413 if `out` is too short.
    pub fn read_target<'o>(&self, head: &Head<'_>, out: &'o mut [u8]) -> Result<Option<&'o [u8]>, Response<'static>> {
        let path = self.path.unwrap_or_default();
        if head.method != "GET" || method_in(head.target, path).is_none() {
            return Ok(None);
        }
        let refused = Err(Response::empty(403, &[], true));
        if !self.origins.allow_request(head.origin) {
            return refused;
        }
        if head.transfer_encoding.is_some() || !matches!(length(head), Ok(None | Some(0))) {
            return Err(self.malformed());
        }
        let is_marked = head.sec_fetch_site.is_none() || head.is_marked();
        if head.origin.is_none() && !self.origins.allow_stream(head.host, is_marked) {
            return refused;
        }
        call_in_target(head.target, path, out).map_err(|error| match error.kind() {
            ErrorKind::OutputFull => self.too_long(),
            _ => self.malformed(),
        })
    }

    /// The response with the answer of a server to a call of [`read_target`](Self::read_target). No cache may store it.
    pub fn respond<'o>(&self, head: &Head<'_>, processed: Processed<'o>) -> Response<'o> {
        self.finish(head, processed).uncached()
    }
}

/// Writes the call that a target holds to the front of `out`, as a request with the id 1. The part of the path behind `path` and a slash is
/// the method, the query has the params by name, and both are percent-decoded. `None` if the target has no method.
///
/// | query | param |
/// |---|---|
/// | `id=0`, `on=true`, `level=null`, `list=[1,2]`, `text="0"`: a JSON text | that value |
/// | `name=hall`, `name=01`, `name=`, `name`: any other text | a string |
/// | `+`; `%2B` | a space; a plus |
/// | none, or empty | no params |
///
/// ```
/// use nanojsonrpc::http::call_in_target;
///
/// let call = |target| call_in_target(target, "/rpc", &mut [0; 256]).map(|call| call.map(<[u8]>::to_vec));
/// assert_eq!(
///     call("/rpc/Switch.Set?id=0&on=true&by=Ann+B.")?.unwrap_or_default(),
///     br#"{"jsonrpc":"2.0","method":"Switch.Set","params":{"id":0,"on":true,"by":"Ann B."},"id":1}"#
/// );
/// let expected = br#"{"jsonrpc":"2.0","method":"Sys.GetStatus","id":1}"#;
/// assert_eq!(call("/rpc/Sys.GetStatus")?.unwrap_or_default(), expected);
/// assert_eq!(call("/rpc?id=0")?, None);
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// # Limits
/// `out`: the request, and the longest method, name or value as it is in the target. [`MAX_TARGET_PARAMS`] params. Time: each name is
/// compared with those before it.
///
/// # Errors
/// With the offset in the target: [`InvalidValue`](ErrorKind::InvalidValue) for a percent sign without two hexadecimal digits;
/// [`InvalidUtf8`](ErrorKind::InvalidUtf8); [`RepeatedField`](ErrorKind::RepeatedField) for a name that appears twice;
/// [`InvalidLength`](ErrorKind::InvalidLength) for too many params. [`OutputFull`](ErrorKind::OutputFull) if `out` is too short.
///
/// Source: RFC 3986 §2.1; URL, application/x-www-form-urlencoded parsing.
pub fn call_in_target<'o>(target: &str, path: &str, out: &'o mut [u8]) -> Result<Option<&'o [u8]>, Error> {
    let Some(method) = method_in(target, path) else { return Ok(None) };
    let (before, query) = until(target.as_bytes(), b'?');
    let method = Part { text: method.as_bytes(), offset: before.len().saturating_sub(method.len()), is_query: false };
    let params = Params { rest: query, offset: before.len().wrapping_add(1) };
    let longest = params.clone().map(|(name, value)| name.text.len().max(value.text.len())).max();
    let longest = longest.unwrap_or_default().max(method.text.len());
    let full = Error::new(ErrorKind::OutputFull, out.len());
    let (room, scratch) = out.len().checked_sub(longest).and_then(|at| out.split_at_mut_checked(at)).ok_or(full)?;

    let mut request = Writer::new(room);
    request.put(b"{\"jsonrpc\":\"2.0\",\"method\":");
    request.put_value(method.decode(scratch)?);
    for (index, (name, value)) in params.clone().enumerate() {
        if index >= MAX_TARGET_PARAMS {
            return Err(Error::new(ErrorKind::InvalidLength, name.offset));
        }
        request.put(if index == 0 { b",\"params\":{" } else { b"," });
        request.put_value(name.decode(scratch)?);
        if params.clone().take(index).any(|(earlier, _)| earlier.bytes().eq(name.bytes())) {
            return Err(Error::new(ErrorKind::RepeatedField, name.offset));
        }
        request.put_byte(b':');
        let text = value.decode(scratch)?;
        match RawValue::parse(text.as_bytes()) {
            Ok(json) => request.put_value(&json),
            Err(_) => request.put_value(text),
        }
    }
    request.put(if params.clone().next().is_some() { b"},\"id\":1}" } else { b",\"id\":1}" });
    request.finish(0)?;
    Ok(Some(request.into_written()))
}

/// The method in a target, percent-encoded: the part of the path behind `path` and a slash. `None` if it is empty.
fn method_in<'t>(target: &'t str, path: &str) -> Option<&'t str> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let method = Head::new("GET", target).path().strip_prefix(path)?.strip_prefix('/')?;
    (!method.is_empty()).then_some(method)
}

/// A part of a target.
#[derive(Clone, Copy)]
struct Part<'t> {
    text: &'t [u8],
    /// The offset in the target.
    offset: usize,
    is_query: bool,
}

impl<'t> Part<'t> {
    /// Decodes into `scratch`, which is as long as the text.
    fn decode<'s>(&self, scratch: &'s mut [u8]) -> Result<&'s str, Error> {
        let (mut bytes, mut len) = (self.bytes(), 0usize);
        let mut at = self.offset;
        for place in &mut *scratch {
            let Some(byte) = bytes.next() else { break };
            *place = byte.ok_or(Error::new(ErrorKind::InvalidValue, at))?;
            len = len.wrapping_add(1);
            at = self.offset.saturating_add(self.text.len()).saturating_sub(bytes.rest.len());
        }
        let text = scratch.get(..len).unwrap_or_default();
        core::str::from_utf8(text).map_err(|_| Error::new(ErrorKind::InvalidUtf8, self.offset))
    }

    const fn bytes(&self) -> Bytes<'t> {
        Bytes { rest: self.text, is_query: self.is_query }
    }
}

/// The decoded bytes of a part; `None` for an invalid percent sign.
struct Bytes<'t> {
    rest: &'t [u8],
    is_query: bool,
}

impl Iterator for Bytes<'_> {
    type Item = Option<u8>;

    fn next(&mut self) -> Option<Option<u8>> {
        let (byte, rest) = match self.rest {
            [] => return None,
            [b'%', high, low, rest @ ..] => (hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low), rest),
            [b'%', rest @ ..] => (None, rest),
            [b'+', rest @ ..] if self.is_query => (Some(b' '), rest),
            [byte, rest @ ..] => (Some(*byte), rest),
        };
        self.rest = rest;
        Some(byte)
    }
}

const fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit & 0xF),
        b'a'..=b'f' | b'A'..=b'F' => Some((digit & 0xF).wrapping_add(9)),
        _ => None,
    }
}

/// The names and values in a query. Empty pairs, as between two `&`, are skipped.
#[derive(Clone)]
struct Params<'t> {
    rest: &'t [u8],
    /// The offset of the rest in the target.
    offset: usize,
}

impl<'t> Iterator for Params<'t> {
    type Item = (Part<'t>, Part<'t>);

    fn next(&mut self) -> Option<(Part<'t>, Part<'t>)> {
        while !self.rest.is_empty() {
            let part = |text, offset| Part { text, offset, is_query: true };
            let (pair, behind) = until(self.rest, b'&');
            let offset = self.offset;
            self.offset = offset.wrapping_add(pair.len()).wrapping_add(1);
            self.rest = behind;
            if !pair.is_empty() {
                let (name, value) = until(pair, b'=');
                return Some((part(name, offset), part(value, offset.wrapping_add(name.len()).wrapping_add(1))));
            }
        }
        None
    }
}

/// The text before the first `separator`, and the text after it.
fn until(text: &[u8], separator: u8) -> (&[u8], &[u8]) {
    let len = text.iter().take_while(|byte| **byte != separator).count();
    let (before, rest) = text.split_at_checked(len).unwrap_or_default();
    (before, rest.get(1..).unwrap_or_default())
}
