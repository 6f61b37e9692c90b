//! Faults of a stream: kind and offset.

use core::fmt;

use crate::error::ErrorKind;
use crate::message::{ErrorObject, standard};

/// The kind of a fault in a stream of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum FrameErrorKind {
    /// The message does not fit the buffer of the [`Framer`](super::Framer).
    TooLong,
    /// The header section is longer than [`ContentLength::MAX_HEADER_LEN`](super::ContentLength::MAX_HEADER_LEN).
    HeaderTooLong,
    /// The id of a server-sent event does not fit the buffer of [`Events`](super::Events).
    EventIdTooLong,
    /// The name of a server-sent event does not fit the buffer of [`Events`](super::Events).
    EventNameTooLong,
    /// A `Content-Length` over `u32::MAX`.
    LengthTooLarge,
    /// The stream ends inside a message.
    Truncated,
    /// Not a header line: its name is not a token, or no colon follows it. RFC 9112 §5.
    InvalidHeader,
    /// The value of `Content-Length` is not a row of digits. RFC 9110 §8.6.
    InvalidLength,
    /// A header section without `Content-Length`.
    MissingLength,
    /// A second `Content-Length` in one header section.
    RepeatedLength,
    /// U+FEFF at the front of a message. The message is read next, so it is not [lost](FrameError::loses_message). RFC 8259
    /// §8.1.
    ByteOrderMark,
    /// A value in a stream of [`Values`](super::Values) is not JSON. Contains the kind of the syntax error.
    NotJson(ErrorKind),
    /// After a text that is not JSON, a stream of [`Values`](super::Values) has no line feed between two values, so the start of the next
    /// message is unknown. The stream is over.
    Unseparated,
    /// The bytes violate a frame of the program's own.
    Malformed,
    /// The stream begins as another protocol: with the request line or status line of HTTP, with a handshake or alert of TLS, or with the
    /// version of SSH. The stream is over, so that no line of a request that a web page sends runs as a call.
    OtherProtocol,
    /// WebSocket: one of the bits RSV1 to RSV3 is set, and no extension was negotiated. RFC 6455 §5.2.
    #[cfg(feature = "websocket")]
    ReservedBit,
    /// WebSocket: a reserved opcode: 3 to 7, 11 to 15. RFC 6455 §5.2.
    #[cfg(feature = "websocket")]
    ReservedOpcode,
    /// WebSocket: a frame of a client is not masked. RFC 6455 §5.1.
    #[cfg(feature = "websocket")]
    MissingMask,
    /// WebSocket: a frame of a server is masked. RFC 6455 §5.1.
    #[cfg(feature = "websocket")]
    UnexpectedMask,
    /// WebSocket: a length is encoded in more bytes than necessary. RFC 6455 §5.2.
    #[cfg(feature = "websocket")]
    LengthNotMinimal,
    /// WebSocket: a length of 2^63 or more. RFC 6455 §5.2.
    #[cfg(feature = "websocket")]
    LengthOutOfRange,
    /// WebSocket: a length over `u32::MAX`. The frame is valid, but too long to skip. RFC 6455 §10.4.
    #[cfg(feature = "websocket")]
    FrameTooLarge,
    /// WebSocket: a ping, pong or close in fragments. RFC 6455 §5.5.
    #[cfg(feature = "websocket")]
    FragmentedControl,
    /// WebSocket: a ping, pong or close of more than 125 bytes. RFC 6455 §5.5.
    #[cfg(feature = "websocket")]
    ControlTooLong,
    /// WebSocket: a fragment that continues no message. RFC 6455 §5.4.
    #[cfg(feature = "websocket")]
    UnexpectedContinuation,
    /// WebSocket: a new message begins before the last fragment of the previous message. RFC 6455 §5.4.
    #[cfg(feature = "websocket")]
    UnfinishedMessage,
    /// WebSocket: a text, or the reason of a close, is not UTF-8. RFC 6455 §8.1.
    #[cfg(feature = "websocket")]
    InvalidUtf8,
    /// WebSocket: a close with one byte. RFC 6455 §5.5.1.
    #[cfg(feature = "websocket")]
    InvalidClose,
    /// WebSocket: a close code that must not be sent. RFC 6455 §7.4.
    #[cfg(feature = "websocket")]
    InvalidCloseCode,
}

const TOO_LONG: &str = "message too long for the buffer";

impl FrameErrorKind {
    /// The kind in words, as [`Display`](fmt::Display) prints it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TooLong => TOO_LONG,
            Self::HeaderTooLong => "header section too long",
            Self::EventIdTooLong => "event id too long",
            Self::EventNameTooLong => "event name too long",
            Self::LengthTooLarge => "Content-Length too large",
            Self::Truncated => "stream ends inside a message",
            Self::InvalidHeader => "invalid header",
            Self::InvalidLength => "invalid Content-Length",
            Self::MissingLength => "missing Content-Length",
            Self::RepeatedLength => "repeated Content-Length",
            Self::ByteOrderMark => "byte order mark",
            Self::NotJson(kind) => kind.as_str(),
            Self::Malformed => "malformed frame",
            Self::OtherProtocol => "stream begins as another protocol",
            Self::Unseparated => "no line feed after a text that is not JSON",
            #[cfg(feature = "websocket")]
            _ => self.websocket(),
        }
    }

    /// The text of a fault that only WebSocket has.
    #[cfg(feature = "websocket")]
    const fn websocket(self) -> &'static str {
        match self {
            Self::ReservedBit => "reserved bit set",
            Self::ReservedOpcode => "reserved opcode",
            Self::MissingMask => "frame of a client without a mask",
            Self::UnexpectedMask => "frame of a server with a mask",
            Self::LengthNotMinimal => "length in too many bytes",
            Self::LengthOutOfRange => "length of 2^63 or more",
            Self::FragmentedControl => "control frame in fragments",
            Self::ControlTooLong => "control frame over 125 bytes",
            Self::UnexpectedContinuation => "continuation without a message",
            Self::UnfinishedMessage => "message inside a message",
            Self::FrameTooLarge => "frame over 4 GiB",
            Self::InvalidClose => "close with one byte",
            Self::InvalidCloseCode => "invalid close code",
            _ => "text is not UTF-8",
        }
    }

    /// The code of the close that ends a WebSocket after this fault: 1002 for a violation of the protocol, 1007 for a text
    /// that is not UTF-8, 1009 for a frame that is too large; `None` if the stream continues. RFC 6455 §7.4.1.
    ///
    /// ```
    /// use nanojsonrpc::frame::FrameErrorKind;
    /// use nanojsonrpc::frame::websocket::Close;
    ///
    /// assert_eq!(FrameErrorKind::MissingMask.close_code(), Some(Close::PROTOCOL_ERROR));
    /// assert_eq!(FrameErrorKind::InvalidUtf8.close_code(), Some(Close::INVALID_PAYLOAD));
    /// assert_eq!(FrameErrorKind::FrameTooLarge.close_code(), Some(Close::TOO_BIG));
    /// assert_eq!(FrameErrorKind::TooLong.close_code(), None);
    /// // for a program that stops, not for a fault
    /// assert_eq!(Close::GOING_AWAY, 1001);
    /// ```
    #[cfg(feature = "websocket")]
    pub const fn close_code(self) -> Option<u16> {
        match self {
            Self::ReservedBit
            | Self::ReservedOpcode
            | Self::MissingMask
            | Self::UnexpectedMask
            | Self::LengthNotMinimal
            | Self::LengthOutOfRange
            | Self::FragmentedControl
            | Self::ControlTooLong
            | Self::UnexpectedContinuation
            | Self::UnfinishedMessage
            | Self::InvalidClose
            | Self::InvalidCloseCode => Some(super::websocket::Close::PROTOCOL_ERROR),
            Self::InvalidUtf8 => Some(super::websocket::Close::INVALID_PAYLOAD),
            Self::FrameTooLarge => Some(super::websocket::Close::TOO_BIG),
            _ => None,
        }
    }

    /// Whether the fault is an exceeded capacity. Otherwise the bytes violate the frame or JSON.
    ///
    /// ```
    /// use nanojsonrpc::frame::FrameErrorKind;
    ///
    /// assert!(FrameErrorKind::TooLong.is_limit());
    /// assert!(!FrameErrorKind::Truncated.is_limit());
    /// ```
    pub const fn is_limit(self) -> bool {
        #[cfg(feature = "websocket")]
        if let Self::FrameTooLarge = self {
            return true;
        }
        matches!(
            self,
            Self::TooLong | Self::HeaderTooLong | Self::EventIdTooLong | Self::EventNameTooLong | Self::LengthTooLarge
        )
    }
}

impl fmt::Display for FrameErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A fault of a stream: its kind and its offset.
///
/// Each lost stretch of the stream is one error. After an error, the [`Framer`](super::Framer) itself finds the next message; the
/// documentation of each frame describes how.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct FrameError {
    kind: FrameErrorKind,
    offset: u64,
}

const _: () = assert!(size_of::<FrameError>() <= 16);

impl FrameError {
    pub(super) const fn new(kind: FrameErrorKind, offset: u64) -> Self {
        Self { kind, offset }
    }

    /// The kind of the fault.
    pub const fn kind(self) -> FrameErrorKind {
        self.kind
    }

    /// The offset at which the fault was detected, in bytes from the front of the stream.
    pub const fn offset(self) -> u64 {
        self.offset
    }

    /// Whether a message is lost, so that the peer gets an error. `false` for a byte order mark: the message after the mark is read next
    /// and gets its own answer.
    pub const fn loses_message(self) -> bool {
        !matches!(self.kind, FrameErrorKind::ByteOrderMark)
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {} of the stream", self.kind, self.offset)
    }
}

impl core::error::Error for FrameError {}

/// The error for the peer, if a message is lost; see [`FrameError::loses_message`]. By this conversion,
/// [`Server::refuse`](crate::Server::refuse) takes a [`FrameError`].
impl From<FrameError> for Option<ErrorObject<'static>> {
    fn from(error: FrameError) -> Self {
        // not by a closure, which moves the error object: 116 bytes of flash in a server
        if error.loses_message() { Some(error.into()) } else { None }
    }
}

/// -32600 with the message `message too long for the buffer` if the error [is a limit](FrameErrorKind::is_limit), otherwise -32700. All
/// limits have this one text: a text for each would be 200 bytes of flash in each server.
impl From<FrameError> for ErrorObject<'static> {
    fn from(error: FrameError) -> Self {
        let is_limit = error.kind().is_limit();
        Self::standard(if is_limit { (standard::INVALID_REQUEST.0, TOO_LONG) } else { standard::PARSE_ERROR })
    }
}
