//! The head of a request: its first line, and the headers that a JSON-RPC endpoint reads.

use super::value::{INVALID, store, trimmed};
use crate::ascii::{is_token, split_once};

/// The parts of an HTTP request's head that an [`Endpoint`](super::Endpoint) reads. The program parses HTTP and creates it; nothing is
/// copied.
///
/// ```
/// use nanojsonrpc::http::Head;
///
/// // the headers of `httparse`: a name, and bytes
/// let headers = [("Host", &b"lamp"[..]), ("Content-Type", b"application/json"), ("content-length", b" 46\t")];
/// let head = Head::from_headers("POST", "/rpc", headers);
/// assert_eq!(head.content_length, Some(&b"46"[..]));
/// assert_eq!(head.expect, None);
/// ```
///
/// Source: RFC 9110 §5, RFC 9112 §3.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Head<'h> {
    /// The HTTP method in upper case, such as `POST`.
    pub method: &'h str,
    /// The target of the request, such as `/rpc?x=1`. It may begin with a scheme and a host.
    pub target: &'h str,
    /// `Content-Type`.
    pub content_type: Option<&'h [u8]>,
    /// `Content-Length`.
    pub content_length: Option<&'h [u8]>,
    /// `Content-Encoding`.
    pub content_encoding: Option<&'h [u8]>,
    /// `Transfer-Encoding`.
    pub transfer_encoding: Option<&'h [u8]>,
    /// `Expect`.
    pub expect: Option<&'h [u8]>,
    /// `Origin`: the web page that sends the request. Only browsers set it.
    pub origin: Option<&'h [u8]>,
    /// `Host`, or `:authority` of HTTP/2 and HTTP/3. If a `GET` opens a stream, [`Origins::allow_host`](super::Origins::allow_host) checks
    /// it.
    pub host: Option<&'h [u8]>,
    /// `Sec-Fetch-Site`: whether a page of another site sends the request. Browsers set it for HTTPS and for this machine. If a `GET`
    /// without `Origin` opens a stream, [it counts](super#streams).
    pub sec_fetch_site: Option<&'h [u8]>,
    /// `Last-Event-ID`, for [`Replay::after`](super::Replay::after).
    pub last_event_id: Option<&'h [u8]>,
    /// The minor version of HTTP/1, such as 1 for HTTP/1.1, which the program sets; `None` for HTTP/2 and HTTP/3.
    pub minor_version: Option<u8>,
    /// Whether `Connection` has the option `close`: the client sends no further request on the connection.
    pub is_last: bool,
}

impl<'h> Head<'h> {
    /// The head of a request without headers. `method` is case-sensitive.
    pub const fn new(method: &'h str, target: &'h str) -> Self {
        Self {
            method,
            target,
            content_type: None,
            content_length: None,
            content_encoding: None,
            transfer_encoding: None,
            expect: None,
            origin: None,
            host: None,
            sec_fetch_site: None,
            last_event_id: None,
            minor_version: None,
            is_last: false,
        }
    }

    /// The head of a request with these pairs of header names and values.
    pub fn from_headers<'n, V: AsRef<[u8]> + ?Sized + 'h>(
        method: &'h str,
        target: &'h str,
        headers: impl IntoIterator<Item = (&'n str, &'h V)>,
    ) -> Self {
        let mut head = Self::new(method, target);
        for (name, value) in headers {
            head.header(name, value.as_ref());
        }
        head
    }

    /// Adds a header. An endpoint ignores all but the fields of this type. Names are case-insensitive; white space around the value is not
    /// part of it (RFC 9110 §5.5). A repeated header counts as an invalid value, because a proxy in front of the server may have used the
    /// other value. A name that is not a token (RFC 9110 §5.6.2), such as one with white space before its colon, makes the whole head
    /// invalid: this method then stores a value in `transfer_encoding` that the endpoint answers with 400.
    #[inline(never)]
    pub fn header(&mut self, name: &str, value: &'h [u8]) {
        // "A server MUST reject, with a response status code of 400 (Bad Request), any received request message that contains whitespace
        // between a header field name and colon" (RFC 9112 §5.1): a proxy may have used the header
        if name.is_empty() || !name.bytes().all(is_token) {
            self.transfer_encoding = Some(INVALID);
        }
        if name.eq_ignore_ascii_case("connection") {
            let mut options = value.split(|byte| *byte == b',');
            self.is_last |= options.any(|option| trimmed(option).eq_ignore_ascii_case(b"close"));
        }
        let fields = [
            ("content-type", &mut self.content_type),
            ("content-length", &mut self.content_length),
            ("content-encoding", &mut self.content_encoding),
            ("transfer-encoding", &mut self.transfer_encoding),
            ("expect", &mut self.expect),
            ("origin", &mut self.origin),
            ("host", &mut self.host),
            ("sec-fetch-site", &mut self.sec_fetch_site),
            ("last-event-id", &mut self.last_event_id),
        ];
        for (known, field) in fields {
            if name.eq_ignore_ascii_case(known) {
                store(field, value);
            }
        }
    }

    /// Whether the connection closes after the response: `Connection` has the option `close`, or the request is one of HTTP/1.0.
    ///
    /// ```
    /// use nanojsonrpc::http::Head;
    ///
    /// let mut head = Head::from_headers("POST", "/rpc", [("Host", "lamp.local"), ("Connection", "keep-alive, close")]);
    /// // `version` of `httparse`
    /// head.minor_version = Some(1);
    /// assert!(head.closes() && !head.lacks_host());
    /// ```
    ///
    /// Source: RFC 9112 §9.3, §9.6.
    pub fn closes(&self) -> bool {
        self.is_last || self.minor_version == Some(0)
    }

    /// Whether the request is one of HTTP/1.1 without `Host`, which gets 400. [`Endpoint::begin`](super::Endpoint::begin) checks this.
    ///
    /// Source: RFC 9112 §3.2.
    pub fn lacks_host(&self) -> bool {
        self.minor_version == Some(1) && self.host.is_none()
    }

    /// Whether a header shows that no page of another site sends the request. Such a page cannot set `Sec-Fetch-Site`, and sets
    /// `Last-Event-ID` only after a preflight, because it is no CORS-safelisted request-header (Fetch).
    pub(super) fn is_marked(&self) -> bool {
        // `none`: the user has caused the request, for example with the address bar (Fetch Metadata Request Headers, §2.4)
        match self.sec_fetch_site {
            Some(site) => matches!(site, b"same-origin" | b"none"),
            None => self.last_event_id.is_some(),
        }
    }

    /// The path in the target, without host and query.
    ///
    /// ```
    /// use nanojsonrpc::http::Head;
    ///
    /// assert_eq!(Head::new("POST", "http://lamp.local/mcp?x=1").path(), "/mcp");
    /// ```
    ///
    /// Source: RFC 9112 §3.2.
    pub fn path(&self) -> &'h str {
        // "a server MUST accept the absolute-form in requests" (RFC 9112 §3.2.2)
        let target = split_once(self.target, b'?').map_or(self.target, |(path, _)| path);
        match behind_scheme(target) {
            // an empty path is `/` (RFC 9110 §4.2.3)
            Some(authority) => {
                let at = authority.bytes().position(|byte| byte == b'/');
                at.and_then(|at| authority.get(at..)).unwrap_or("/")
            }
            None => target,
        }
    }
}

/// The authority and the path of an absolute target; `None` for other targets. Schemes are case-insensitive (RFC 3986 §3.1).
fn behind_scheme(target: &str) -> Option<&str> {
    let (scheme, rest) = split_once(target, b':')?;
    let is_http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    rest.strip_prefix("//").filter(|_| is_http)
}
