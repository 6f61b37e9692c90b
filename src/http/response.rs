//! The HTTP response: a status, headers and a body.

use crate::error::Error;
use crate::json::Writer;

/// The interim response to `Expect: 100-continue`: the client then sends the body of its request (RFC 9110 §10.1.1).
pub const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// An empty comment in a stream of events, which keeps the stream open (HTML, Server-sent events).
pub const KEEP_ALIVE: &[u8] = b":\n\n";

/// The response to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Response<'o> {
    status: u16,
    headers: Headers,
    body: &'o [u8],
    closes: bool,
}

type Headers = &'static [(&'static str, &'static str)];

pub(super) const EVENTS: Headers = &[("content-type", "text/event-stream"), ("cache-control", "no-cache")];

impl<'o> Response<'o> {
    /// A response without a body.
    pub(super) const fn empty(status: u16, headers: Headers, closes: bool) -> Self {
        Self { status, headers, body: &[], closes }
    }

    /// A response with a message as its body, or with an empty body.
    pub(super) const fn message(status: u16, body: &'o [u8], closes: bool) -> Self {
        let headers: Headers = if body.is_empty() { &[] } else { &[("content-type", "application/json")] };
        Self { status, headers, body, closes }
    }

    /// The response to a `GET`, which no cache may store.
    pub(super) const fn uncached(self) -> Self {
        let headers: Headers = &[("content-type", "application/json"), ("cache-control", "no-store")];
        Self { headers, ..self }
    }

    /// The HTTP status.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// Pairs of a name and a value. Not included: `Content-Length` and `Connection`, which the program or [`write_head`](Self::write_head)
    /// adds.
    pub const fn headers(&self) -> &'static [(&'static str, &'static str)] {
        self.headers
    }

    /// The body: one message or batch as JSON. It is empty if there is no answer.
    pub const fn body(&self) -> &'o [u8] {
        self.body
    }

    /// Whether the connection must be closed after this response: the body of the request was not read, or the request was the
    /// [last](super::Head::closes). A program that ends or that limits the requests of a connection closes it, too (RFC 9112 §9.6).
    pub const fn closes(&self) -> bool {
        self.closes
    }

    /// Writes the status line, all headers of HTTP/1.1 and the empty line to the front of `out`, and returns their length. The
    /// [body](Self::body) follows. A stream of events has no length, and ends with the connection.
    ///
    /// ```
    /// use nanojsonrpc::http::{Endpoint, Head, Step};
    ///
    /// let Step::Respond(response) = Endpoint::new().begin(&Head::new("PUT", "/"), 256) else { unreachable!() };
    /// let mut out = [0; 128];
    /// let len = response.write_head(&mut out).unwrap_or_default();
    /// assert_eq!(&out[..len], b"HTTP/1.1 405 Method Not Allowed\r\nallow: POST\r\ncontent-length: 0\r\n\r\n");
    /// ```
    ///
    /// # Errors
    /// [`OutputFull`](crate::ErrorKind::OutputFull) if `out` is too short; 160 bytes are enough for every response.
    pub fn write_head(&self, out: &mut [u8]) -> Result<usize, Error> {
        let mut out = Writer::new(out);
        out.put(b"HTTP/1.1 ");
        out.put_integer(false, self.status.into());
        out.put_byte(b' ');
        out.put(reason(self.status).as_bytes());
        out.put(b"\r\n");
        for (name, value) in self.headers {
            put_header(&mut out, name, value);
        }
        if self.headers == EVENTS || self.closes {
            put_header(&mut out, "connection", "close");
        }
        // "MUST NOT send a Content-Length header field in any response with a status code of […] 204" (RFC 9110 §8.6)
        if self.headers != EVENTS && self.status != 204 {
            put_content_length(&mut out, self.body.len());
        }
        out.put(b"\r\n");
        out.finish(0)?;
        Ok(out.len())
    }
}

/// The reason phrase of a status that an [`Endpoint`](super::Endpoint) returns; empty for others (RFC 9110 §15).
///
/// ```
/// use nanojsonrpc::http::reason;
///
/// assert_eq!(reason(413), "Content Too Large");
/// ```
pub const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        _ => "",
    }
}

/// Appends a header with its line end.
pub(crate) fn put_header(out: &mut Writer<'_>, name: &str, value: &str) {
    for part in [name, ": ", value, "\r\n"] {
        out.put(part.as_bytes());
    }
}

/// Appends the header with the length of the body.
pub(crate) fn put_content_length(out: &mut Writer<'_>, len: usize) {
    out.put(b"content-length: ");
    out.put_integer(false, len as u64);
    out.put(b"\r\n");
}
