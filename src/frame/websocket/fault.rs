//! Violations of the protocol.

/// A violation of RFC 6455 by the peer, or a limit that ends the connection. Nothing is read behind it: the standard demands that the connection fails.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Fault {
    /// One of the bits RSV1 to RSV3 is set, and no extension was negotiated. RFC 6455 §5.2.
    ReservedBit,
    /// An opcode without a meaning: 3 to 7, 11 to 15. RFC 6455 §5.2.
    ReservedOpcode,
    /// A frame of a client is not masked. RFC 6455 §5.1.
    MissingMask,
    /// A frame of a server is masked. RFC 6455 §5.1.
    UnexpectedMask,
    /// A length in more bytes than it needs. RFC 6455 §5.2.
    LengthNotMinimal,
    /// A length of 2^63 or more. RFC 6455 §5.2.
    LengthOutOfRange,
    /// A length over `u32::MAX`. It is valid, but its end is too far to go on behind it. RFC 6455 §10.4.
    LengthTooLarge,
    /// A ping, pong or close in fragments. RFC 6455 §5.5.
    FragmentedControl,
    /// A ping, pong or close of more than 125 bytes. RFC 6455 §5.5.
    ControlTooLong,
    /// A fragment that continues no message. RFC 6455 §5.4.
    UnexpectedContinuation,
    /// A new message before the last fragment of the one before it. RFC 6455 §5.4.
    UnfinishedMessage,
    /// A text, or the reason of a close, is not UTF-8. RFC 6455 §8.1.
    InvalidUtf8,
    /// A close with one byte. RFC 6455 §5.5.1.
    InvalidClose,
    /// A close code that must not be sent. RFC 6455 §7.4.
    InvalidCloseCode,
}

impl Fault {
    /// The fault in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReservedBit => "reserved bit set",
            Self::ReservedOpcode => "reserved opcode",
            Self::MissingMask => "frame of a client without a mask",
            Self::UnexpectedMask => "frame of a server with a mask",
            Self::LengthNotMinimal => "length in too many bytes",
            Self::LengthOutOfRange => "length of 2^63 or more",
            Self::LengthTooLarge => "length over 4 GiB",
            Self::FragmentedControl => "control frame in fragments",
            Self::ControlTooLong => "control frame over 125 bytes",
            Self::UnexpectedContinuation => "continuation of no message",
            Self::UnfinishedMessage => "message inside a message",
            Self::InvalidUtf8 => "text is not UTF-8",
            Self::InvalidClose => "close with one byte",
            Self::InvalidCloseCode => "invalid close code",
        }
    }

    /// The code of the close with which the connection fails: 1007 for a text that is not UTF-8, 1009 for a length that
    /// is too large, otherwise 1002. RFC 6455 §7.4.1.
    pub const fn close_code(self) -> u16 {
        match self {
            Self::InvalidUtf8 => super::INVALID_PAYLOAD,
            Self::LengthTooLarge => super::TOO_BIG,
            _ => super::PROTOCOL_ERROR,
        }
    }
}
