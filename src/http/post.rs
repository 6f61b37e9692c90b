//! The client direction: writes a message as an HTTP request, and finds the answer in the response.

use core::fmt;

use super::host;
use super::response::{put_content_length, put_header};
use super::value::is_json;
use crate::ascii::{is_token, split_once};
use crate::error::{Error, ErrorKind};
use crate::json::Writer;
use crate::message::ToMessage;

/// The target of outgoing messages: a webhook for notifications, or a server that answers calls in the body of its response.
///
/// ```
/// # fn main() -> Result<(), nanojsonrpc::Error> {
/// use nanojsonrpc::Notification;
/// use nanojsonrpc::http::Post;
///
/// let post = Post::new("hub.local:8080", "/hooks/lamp").with_headers(&[("authorization", "Bearer abc")]);
/// let mut out = [0; 256];
/// let request = post.write(&Notification::new("on"), &mut out)?;
/// assert_eq!(request.head, b"POST /hooks/lamp HTTP/1.1\r\nhost: hub.local:8080\r\ncontent-type: application/json\r\n\
///     accept: application/json\r\nauthorization: Bearer abc\r\ncontent-length: 31\r\n\r\n");
/// assert_eq!(request.body, br#"{"jsonrpc":"2.0","method":"on"}"#);
/// # Ok(()) }
/// ```
///
/// Source: RFC 9110 §9.3.3; RFC 9112 §3.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub struct Post<'t> {
    host: &'t str,
    target: &'t str,
    headers: &'t [(&'t str, &'t str)],
}

/// A written request. Send the head, then the body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Request<'o> {
    /// The request line, the headers and the empty line.
    pub head: &'o [u8],
    /// The message.
    pub body: &'o [u8],
}

impl<'o> Request<'o> {
    /// The headers in the [head](Self::head), as pairs of a name and a value, for an HTTP client that writes the head itself.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::Notification;
    /// use nanojsonrpc::http::Post;
    ///
    /// let mut out = [0; 256];
    /// let request = Post::new("hub.local", "/hooks").write(&Notification::new("on"), &mut out)?;
    /// assert_eq!(request.headers().next(), Some(("host", "hub.local")));
    /// # Ok(()) }
    /// ```
    pub fn headers(&self) -> impl Iterator<Item = (&'o str, &'o str)> {
        let head = core::str::from_utf8(self.head).unwrap_or_default();
        let mut rest = split_once(head, b'\n').map_or("", |(_, lines)| lines);
        core::iter::from_fn(move || {
            let (line, behind) = split_once(rest, b'\r')?;
            rest = behind.get(1..)?;
            let (name, value) = split_once(line, b':')?;
            Some((name, value.get(1..)?))
        })
    }
}

impl<'t> Post<'t> {
    /// Requests to `target`, a path with an optional query, at `host`. `host` has neither a scheme nor a user name. It includes the port,
    /// unless that is the default port. An IPv6 address is in brackets.
    pub const fn new(host: &'t str, target: &'t str) -> Self {
        Self { host, target, headers: &[] }
    }

    /// Adds headers: pairs of a name and a value. `Host`, `Content-Type`, `Accept` and `Content-Length` are not allowed, because
    /// [`write`](Self::write) writes them; neither is `Transfer-Encoding`, because the body has no chunks.
    ///
    /// ```
    /// use nanojsonrpc::http::Post;
    /// use nanojsonrpc::{ErrorKind, Notification};
    ///
    /// let post = Post::new("hub.local", "/hooks").with_headers(&[("Content-Length", "0")]);
    /// let error = post.write(&Notification::new("on"), &mut [0; 256]).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::InvalidValue);
    /// ```
    pub const fn with_headers(self, headers: &'t [(&'t str, &'t str)]) -> Self {
        Self { headers, ..self }
    }

    /// Writes `message` and the head of its request to `out`. A text that a [`Client`](crate::Client) has written is sent with
    /// [`write_text`](Self::write_text).
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull) if head and message do not fit; [`InvalidValue`](ErrorKind::InvalidValue) with the offset of
    /// the first forbidden byte: in the host, anything but a host and a port; in the target, white space, a control byte, `#` or a byte
    /// that is not ASCII; in a header, a control byte, and the first byte of a name that may not be [added](Self::with_headers). The errors
    /// of [`Writer::message`](crate::Writer::message).
    pub fn write<'o>(&self, message: &(impl ToMessage + ?Sized), out: &'o mut [u8]) -> Result<Request<'o>, Error> {
        self.written(|body| body.message(message), out)
    }

    /// [`write`](Self::write) for a message that has been written, such as the batch of a [`Client`](crate::Client). The text is sent as it
    /// is.
    ///
    /// ```
    /// # fn main() -> Result<(), nanojsonrpc::Error> {
    /// use nanojsonrpc::http::Post;
    /// use nanojsonrpc::{Client, Writer};
    ///
    /// let mut client: Client<(), 4> = Client::new();
    /// let mut buffer = [0; 64];
    /// let mut call = Writer::new(&mut buffer);
    /// client.call("eth_blockNumber", &(), (), &mut call)?;
    /// let mut out = [0; 256];
    /// let request = Post::new("node.local:8545", "/").write_text(call.written(), &mut out)?;
    /// assert!(request.head.ends_with(b"content-length: 51\r\n\r\n"));
    /// assert_eq!(request.body, br#"{"jsonrpc":"2.0","method":"eth_blockNumber","id":1}"#);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_text<'o>(&self, text: &[u8], out: &'o mut [u8]) -> Result<Request<'o>, Error> {
        self.written(|body| body.bytes(text), out)
    }

    fn written<'o>(
        &self,
        put: impl FnOnce(&mut Writer<'_>) -> Result<(), Error>,
        out: &'o mut [u8],
    ) -> Result<Request<'o>, Error> {
        self.check()?;
        let mut body = Writer::new(out);
        put(&mut body)?;
        let len = body.len();
        let (body, rest) = out.split_at_mut_checked(len).unwrap_or_default();
        let mut head = Writer::new(rest);
        self.put_line("POST ", &mut head);
        put_header(&mut head, "content-type", "application/json");
        put_header(&mut head, "accept", "application/json");
        self.put_headers(&mut head);
        put_content_length(&mut head, len);
        head.put(b"\r\n");
        head.finish(0)?;
        Ok(Request { head: head.into_written(), body })
    }

    /// Appends the request line and `Host`.
    pub(crate) fn put_line(&self, method: &str, head: &mut Writer<'_>) {
        for part in [method, self.target, " HTTP/1.1\r\n"] {
            head.put(part.as_bytes());
        }
        put_header(head, "host", self.host);
    }

    /// Appends the headers of the program.
    pub(crate) fn put_headers(&self, head: &mut Writer<'_>) {
        for (name, value) in self.headers {
            put_header(head, name, value);
        }
    }

    /// Whether the program adds a header whose name `matches`.
    #[cfg(feature = "mcp")]
    pub(crate) fn has_header(&self, mut matches: impl FnMut(&str) -> bool) -> bool {
        self.headers.iter().any(|(name, _)| matches(name))
    }

    /// Refuses bytes that would end a line or a part of a line, and headers that would change the framing.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let fault = |at| Err(Error::new(ErrorKind::InvalidValue, at));
        if let Some(at) = host::fault(self.host.as_bytes()) {
            return fault(at);
        }
        let is_path = self.target.starts_with('/');
        let in_target = |byte: u8| matches!(byte, b'!'..=b'~') && byte != b'#';
        if let Some(at) = self.target.bytes().position(|byte| !in_target(byte) || !is_path) {
            return fault(at);
        }
        if self.target.is_empty() {
            return fault(0);
        }
        for (name, value) in self.headers {
            let invalid = name.bytes().position(|byte| !is_token(byte));
            let invalid = invalid.or_else(|| value.bytes().position(|byte| byte.is_ascii_control() && byte != b'\t'));
            let is_own = OWN.iter().any(|own| name.eq_ignore_ascii_case(own));
            if let Some(at) = invalid.or((name.is_empty() || is_own).then_some(0)) {
                return fault(at);
            }
        }
        Ok(())
    }
}

/// The headers that [`Post::write`] writes, and the one that would replace its `Content-Length` (RFC 9112 §6.3).
const OWN: [&str; 5] = ["host", "content-type", "accept", "content-length", "transfer-encoding"];

/// The reason why a response holds no message. If the request held a call, the call has no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Unanswered {
    /// The status is 2xx, but the body is not JSON.
    MediaType,
    /// The status is below 200 or 3xx; or it is 400 or more, and the body is empty or not JSON.
    Status(u16),
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MediaType => f.write_str("a response that is not JSON"),
            Self::Status(status) => write!(f, "HTTP status {status}"),
        }
    }
}

impl core::error::Error for Unanswered {}

/// Returns the message in a response, given its status, its `Content-Type` and its body with chunks decoded; `None` if the status is 2xx
/// and there is no body. JSON with a status of 400 or more is a message, too, because servers send error responses with 400 and 500.
///
/// ```
/// use nanojsonrpc::client::Answer;
/// use nanojsonrpc::http::{Unanswered, answer_in};
/// use nanojsonrpc::{Client, Envelope, Writer};
///
/// # fn main() -> Result<(), Box<dyn core::error::Error>> {
/// let mut client: Client<&str, 4> = Client::new();
/// # let mut buffer = [0; 96];
/// client.call("subtract", &[42, 23], "difference", &mut Writer::new(&mut buffer))?;
/// let body = answer_in(200, Some(b"application/json"), br#"{"jsonrpc":"2.0","result":19,"id":1}"#)?.unwrap_or_default();
/// assert_eq!(client.accept(&Envelope::parse(body)?), Some(Answer::To("difference")));
///
/// assert_eq!(answer_in(204, None, b""), Ok(None));
/// assert_eq!(answer_in(502, Some(b"text/html"), b"<html>"), Err(Unanswered::Status(502)));
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`Unanswered`]: if the request held a call, there is no answer to it.
pub fn answer_in<'b>(status: u16, content_type: Option<&[u8]>, body: &'b [u8]) -> Result<Option<&'b [u8]>, Unanswered> {
    let is_success = matches!(status, 200..=299);
    if !body.is_empty() && content_type.is_some_and(is_json) && (is_success || status >= 400) {
        Ok(Some(body))
    } else if !is_success {
        Err(Unanswered::Status(status))
    } else if body.is_empty() {
        Ok(None)
    } else {
        Err(Unanswered::MediaType)
    }
}
