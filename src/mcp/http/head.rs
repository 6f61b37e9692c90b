//! The head of a request: the values that the protocol uses.

use crate::http::store;
use crate::mcp::Revision;

/// The relevant part of the head of an HTTP request. The program parses HTTP and makes a `Head` of all headers or field by field;
/// nothing is copied.
///
/// ```
/// use nanojsonrpc::mcp::http::Head;
///
/// // headers of `httparse`, `http` and `picoserve`: a name, and bytes
/// let headers = [("Host", &b"lamp"[..]), ("MCP-Protocol-Version", b"2026-07-28"), ("mcp-method", b" ping\t")];
/// let head = Head::from_headers("POST", headers);
/// assert_eq!(head.version, Some(&b"2026-07-28"[..]));
/// assert_eq!(head.mcp_method, Some(&b"ping"[..]));
/// assert_eq!(head.origin, None);
///
/// // headers of `edge-http`: a name, and a text
/// let mut head = Head::new("POST");
/// for (name, value) in [("origin", "http://localhost:8080")] {
///     head.header(name, value.as_bytes());
/// }
/// assert_eq!(head.origin, Some(&b"http://localhost:8080"[..]));
/// ```
///
/// Source: 2026-07-28, Streamable HTTP, Request Metadata; 2025-11-25, Transports; RFC 9110 §5.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Head<'h> {
    /// The method of HTTP, in upper case: `POST`.
    pub method: &'h str,
    /// `Origin`: the web page that sends the request. Only browsers send it.
    pub origin: Option<&'h [u8]>,
    /// `Host`, or `:authority` of HTTP/2 and HTTP/3. If a `GET` opens a stream, [`Origins::allow_host`](crate::http::Origins::allow_host)
    /// checks it.
    pub host: Option<&'h [u8]>,
    /// `MCP-Protocol-Version`.
    pub version: Option<&'h [u8]>,
    /// `Mcp-Method`.
    pub mcp_method: Option<&'h [u8]>,
    /// `Mcp-Name`.
    pub mcp_name: Option<&'h [u8]>,
    /// `Mcp-Session-Id`, for a program that stores sessions.
    pub session_id: Option<&'h [u8]>,
    /// The state of that session.
    pub session: Session,
}

impl<'h> Head<'h> {
    /// The head of a request without headers. `method` is case-sensitive.
    pub const fn new(method: &'h str) -> Self {
        Self {
            method,
            origin: None,
            host: None,
            version: None,
            mcp_method: None,
            mcp_name: None,
            session_id: None,
            session: Session::NotKept,
        }
    }

    /// The head of a request with these headers, each a name and a value.
    pub fn from_headers<'n, V: AsRef<[u8]> + ?Sized + 'h>(
        method: &'h str,
        headers: impl IntoIterator<Item = (&'n str, &'h V)>,
    ) -> Self {
        let mut head = Self::new(method);
        for (name, value) in headers {
            head.header(name, value.as_ref());
        }
        // `header` does not change `session`, but the optimiser does not know this: 500 bytes of flash if no sessions are kept.
        head.session = Session::NotKept;
        head
    }

    /// Adds any header; unknown headers are ignored. Names are case-insensitive, and white space around the value is removed (RFC 9110
    /// §5.5). A repeated header counts as an invalid value, because a proxy in front of the server may have read the other value.
    #[inline(never)]
    pub fn header(&mut self, name: &str, value: &'h [u8]) {
        // each of them has a different length
        let (known, field) = match name.len() {
            4 => ("host", &mut self.host),
            6 => ("origin", &mut self.origin),
            8 => ("mcp-name", &mut self.mcp_name),
            10 => ("mcp-method", &mut self.mcp_method),
            14 => ("mcp-session-id", &mut self.session_id),
            20 => ("mcp-protocol-version", &mut self.version),
            _ => return,
        };
        if name.eq_ignore_ascii_case(known) {
            store(field, value);
        }
    }
}

/// The state of the session of a request, which the program looks up. Revisions before 2026-07-28 have sessions, which are optional; a
/// request of 2026-07-28 has no session, even with the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Session {
    /// The program stores no sessions: it assigns no ids, and ignores the id of a request.
    #[default]
    NotKept,
    /// The program stores sessions, and the request has no session id.
    Absent,
    /// The id of the request is unknown, or its session has ended.
    Unknown,
    /// The request names an open session of this revision.
    Open(Revision),
}
