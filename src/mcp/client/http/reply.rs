//! The head of a response, and what it says of the body.

use crate::http::{InvalidHead, read_head, store};

/// The relevant part of the head of a response. The program parses HTTP and makes it of all headers; nothing is copied.
///
/// ```
/// use nanojsonrpc::mcp::client::http::Reply;
///
/// let mut reply = Reply::new(200);
/// for (name, value) in [("Content-Type", "text/event-stream"), ("MCP-Session-Id", "7f3a")] {
///     reply.header(name, value.as_bytes());
/// }
/// assert_eq!(reply.session_id, Some(&b"7f3a"[..]));
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Reply<'h> {
    /// The status of HTTP.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: Option<&'h [u8]>,
    /// `Content-Length`.
    pub content_length: Option<&'h [u8]>,
    /// `Transfer-Encoding`.
    pub transfer_encoding: Option<&'h [u8]>,
    /// `Mcp-Session-Id`.
    pub session_id: Option<&'h [u8]>,
    /// `WWW-Authenticate`: the challenge of a response with the status 401 or 403.
    pub www_authenticate: Option<&'h [u8]>,
}

impl<'h> Reply<'h> {
    /// The head of a response without headers.
    pub const fn new(status: u16) -> Self {
        Self {
            status,
            content_type: None,
            content_length: None,
            transfer_encoding: None,
            session_id: None,
            www_authenticate: None,
        }
    }

    /// Adds any header; unknown headers are ignored. Names are case-insensitive, and white space around the value is removed (RFC 9110
    /// §5.5). A repeated header counts as an invalid value.
    pub fn header(&mut self, name: &str, value: &'h [u8]) {
        self.field(name.as_bytes(), value);
    }

    #[inline(never)]
    fn field(&mut self, name: &[u8], value: &'h [u8]) {
        let fields = [
            (&b"content-type"[..], &mut self.content_type),
            (b"content-length", &mut self.content_length),
            (b"transfer-encoding", &mut self.transfer_encoding),
            (b"mcp-session-id", &mut self.session_id),
            (b"www-authenticate", &mut self.www_authenticate),
        ];
        for (known, field) in fields {
            if name.eq_ignore_ascii_case(known) {
                store(field, value);
            }
        }
    }

    /// Reads a head as [`read_head`] does. Returns the head and its length; `None` if it is incomplete.
    ///
    /// # Errors
    /// [`InvalidHead`].
    pub fn parse(text: &'h [u8]) -> Result<Option<(Self, usize)>, InvalidHead> {
        let mut reply = Self::new(0);
        let read = read_head(text, |name, value| reply.field(name, value))?;
        Ok(read.map(|(status, len)| (Self { status, ..reply }, len)))
    }

    /// Whether the body has this media type, in upper or lower case, with any parameters.
    #[inline(never)]
    pub(super) fn has_type(&self, name: &[u8]) -> bool {
        let value = self.content_type.unwrap_or_default();
        let is_type = value.get(..name.len()).is_some_and(|front| front.eq_ignore_ascii_case(name));
        is_type && matches!(value.get(name.len()), None | Some(b';' | b' ' | b'\t'))
    }
}

/// The media types of a message, and of a stream of events.
pub(super) const JSON: &[u8] = b"application/json";
pub(super) const EVENTS: &[u8] = b"text/event-stream";

/// The meaning of a response; see [`Remote::receive`](super::Remote::receive).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Body<'h> {
    /// The server has accepted a notification or a response; there is no message.
    Nothing,
    /// The body is one message.
    Message,
    /// The body is a stream of [events](crate::frame::Events), whose data are messages.
    Events,
    /// The server wants authorization, or another one: the status 401 or 403, and `WWW-Authenticate`.
    Unauthorized(u16, Option<&'h [u8]>),
    /// The session has ended: [connect](super::super::Client::connect) again.
    SessionEnded,
    /// The request has failed, and the body is no message. The server has not answered a call.
    Failed(u16),
}
