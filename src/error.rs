//! The kind and the offset of a fault.

use core::fmt;

/// The kind of a fault in a text, or of a lack of room.
///
/// The kinds form groups, each with a code of JSON-RPC 2.0 (§5.1): a text that is not JSON, or too deep (-32700); a JSON text that is not
/// a message (-32600); a message beyond a capacity (-32600); params that do not fit their type (-32602), also if they exceed a capacity that is
/// part of it; params that cannot be read for lack of room, and a message that cannot be written (-32603).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
// a whole register, because a smaller field is extracted by masks
#[cfg_attr(target_pointer_width = "32", repr(u32))]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text stops before its value is complete. More bytes could help. RFC 8259 §2.
    UnexpectedEnd,
    /// A value is expected, and no value begins with this byte. RFC 8259 §3.
    ExpectedValue,
    /// A member name must begin here. RFC 8259 §4.
    ExpectedName,
    /// A name must be followed by a colon. RFC 8259 §4.
    ExpectedColon,
    /// Something other than white space after the value. RFC 8259 §2.
    TrailingData,
    /// A value in an object or array must be followed by a comma or by the matching bracket. RFC 8259 §4, §5.
    ExpectedComma,
    /// Neither `true` nor `false` nor `null`. RFC 8259 §3.
    InvalidLiteral,
    /// Not a number: a leading zero, a sign, fraction or exponent without a digit. RFC 8259 §6.
    InvalidNumber,
    /// A backslash followed by anything other than `"\/bfnrt` or `u` and four hexadecimal digits. RFC 8259 §7.
    InvalidEscape,
    /// A `\u` escape of one half of a surrogate pair, without the other half. RFC 8259 §8.2.
    LoneSurrogate,
    /// Not UTF-8. RFC 8259 §8.1, RFC 3629 §4.
    InvalidUtf8,
    /// A raw control character (below U+0020) in a string. RFC 8259 §7.
    ControlCharacter,
    /// More brackets are open than [`MAX_DEPTH`](crate::MAX_DEPTH). RFC 8259 §9.
    TooDeep,

    /// JSON, but neither an object nor an array. JSON-RPC 2.0 §4.
    NotAMessage,
    /// A batch without an element. JSON-RPC 2.0 §6.
    EmptyBatch,
    /// The [`Dialect`](crate::Dialect) does not allow batches.
    BatchNotAllowed,
    /// A member of the envelope, or of its error object, appears twice, so that two readers could disagree about it.
    /// RFC 8259 §4.
    RepeatedMember,
    /// No `jsonrpc` member. JSON-RPC 2.0 §4.
    MissingVersion,
    /// `jsonrpc` is not the string `2.0`. JSON-RPC 2.0 §4.
    InvalidVersion,
    /// `method`, `result` and `error` are all missing. JSON-RPC 2.0 §4, §5.
    MissingMember,
    /// `method` together with `result` or `error`, or `result` together with `error`. JSON-RPC 2.0 §5.
    ConflictingMembers,
    /// `method` is not a string, or it is empty, in a received message or in one to write. JSON-RPC 2.0 §4.
    InvalidMethod,
    /// A response without `id`. JSON-RPC 2.0 §5.
    MissingId,
    /// `id` is not a string, number or null, or not one that the [`Dialect`](crate::Dialect) allows. JSON-RPC 2.0 §4.
    InvalidId,
    /// `params` has a type that the [`Dialect`](crate::Dialect) does not allow, in a received message or in one to write. Or a call has
    /// params although its method takes none. JSON-RPC 2.0 §4.2 allows objects and arrays.
    InvalidParams,
    /// `error` is not an object, or it has no 64-bit integer `code` or no string `message`. JSON-RPC 2.0 §5.1.
    InvalidErrorObject,
    /// A valid message, but not of the requested kind.
    UnexpectedMessage,

    /// The id does not fit its buffer. In the answer of a server: the output has no room for the id and the shortest answer to the call.
    IdTooLong,
    /// The method does not fit its buffer.
    MethodTooLong,
    /// The batch has more elements than the [`Dialect`](crate::Dialect) allows. In the answer of a server: or the output has no room for
    /// the shortest answers to its calls.
    BatchTooLong,
    /// The text is longer than the [`Dialect`](crate::Dialect) allows.
    MessageTooLong,

    /// A value of another type is required here.
    UnexpectedType,
    /// A value of the right type that is not allowed, such as a number out of range.
    InvalidValue,
    /// The type requires another number of elements or bytes, or cannot hold so many.
    InvalidLength,
    /// A required member is absent.
    MissingField,
    /// The type refuses a member with this name (`deny_unknown_fields`).
    UnknownField,
    /// A member appears twice, but the type allows it once.
    RepeatedField,
    /// The enum has no variant with this name.
    UnknownVariant,
    /// The `Deserialize` of the type refused the value.
    Refused,

    /// There is no room to decode a string with an escape: a limit of the reader, so the code is -32603. A borrowed string needs a scratch
    /// buffer of its decoded length. A type that owns its text takes up to 256 decoded bytes without a scratch buffer, and any length with
    /// the feature `alloc`.
    EscapedString,

    /// The output is too short for the whole value; no part of it counts as written.
    OutputFull,
    /// The key of a map is not a string, number, boolean or character.
    InvalidKey,
    /// The `Serialize` of the value failed.
    Unserializable,
    /// The [`Registry`](crate::server::Registry) has no room for another handler.
    RegistryFull,
    /// The [`Client`](crate::Client) has no room for another call in flight.
    TooManyCalls,
    /// Another call with this id is in flight, so two responses would have the same id. JSON-RPC 2.0 §4.
    IdInFlight,
}

/// The groups of [`ErrorKind`]s that the JSON-RPC 2.0 specification distinguishes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Not a JSON text, or nested too deeply.
    Syntax,
    /// Not a JSON-RPC message.
    Message,
    /// Beyond a capacity, which the message names.
    Limit,
    /// A payload that does not fit its type.
    Payload,
    /// A payload that cannot be read for lack of room. The peer cannot correct this.
    Room,
    /// A message that cannot be written. The peer cannot correct this.
    Output,
}

impl ErrorKind {
    /// The kind whose number has these lowest four bits; only syntax errors have smaller numbers. The compiler makes a mask of it.
    #[inline(always)]
    pub(crate) const fn syntax(number: u32) -> Self {
        match number & 15 {
            0 => Self::UnexpectedEnd,
            1 => Self::ExpectedValue,
            2 => Self::ExpectedName,
            3 => Self::ExpectedColon,
            4 => Self::TrailingData,
            5 => Self::ExpectedComma,
            6 => Self::InvalidLiteral,
            7 => Self::InvalidNumber,
            8 => Self::InvalidEscape,
            9 => Self::LoneSurrogate,
            10 => Self::InvalidUtf8,
            11 => Self::ControlCharacter,
            12 => Self::TooDeep,
            // not in use, but then the compiler needs no comparison
            13 => Self::NotAMessage,
            14 => Self::EmptyBatch,
            _ => Self::BatchNotAllowed,
        }
    }

    /// Compares the order of the kinds. A match on the kinds would become a table of one byte for each kind, at each inlined call.
    pub(crate) const fn class(self) -> Class {
        let kind = self as u32;
        if kind <= Self::TooDeep as u32 {
            Class::Syntax
        } else if kind <= Self::UnexpectedMessage as u32 {
            Class::Message
        } else if kind <= Self::MessageTooLong as u32 {
            Class::Limit
        } else if kind <= Self::Refused as u32 {
            Class::Payload
        } else if kind <= Self::EscapedString as u32 {
            Class::Room
        } else {
            Class::Output
        }
    }

    /// The kind as text, as [`Display`](fmt::Display) shows it.
    pub const fn as_str(self) -> &'static str {
        use ErrorKind::*;
        match self {
            UnexpectedEnd => "unexpected end",
            ExpectedValue => "expected a value",
            ExpectedName => "expected a member name",
            ExpectedColon => "expected a colon",
            ExpectedComma => "expected a comma or the closing bracket",
            InvalidLiteral => "invalid literal",
            InvalidNumber => "invalid number",
            InvalidEscape => "invalid escape",
            LoneSurrogate => "lone surrogate",
            InvalidUtf8 => "invalid UTF-8",
            ControlCharacter => "control character in a string",
            TrailingData => "data after the value",
            TooDeep => "nested too deeply",
            NotAMessage => "not an object or array",
            EmptyBatch => "empty batch",
            BatchNotAllowed => "batch not allowed",
            RepeatedMember => "repeated member",
            MissingVersion => "missing jsonrpc",
            InvalidVersion => "jsonrpc is not \"2.0\"",
            MissingMember => "no method, result or error",
            ConflictingMembers => "more than one of method, result and error",
            InvalidMethod => "invalid method",
            MissingId => "missing id",
            InvalidId => "invalid id",
            InvalidParams => "invalid params",
            InvalidErrorObject => "invalid error object",
            UnexpectedMessage => "another kind of message",
            IdTooLong | MethodTooLong | BatchTooLong | MessageTooLong => self.limit(),
            UnexpectedType | InvalidValue | InvalidLength | MissingField | UnknownField | RepeatedField
            | UnknownVariant | Refused | EscapedString => self.payload(),
            OutputFull | InvalidKey | Unserializable | RegistryFull | TooManyCalls | IdInFlight => self.output(),
        }
    }

    // The texts of limits, which responses contain, are in a separate function. A server that shows no other text then links none of the
    // others, which are 1,300 bytes of flash.

    /// The text for a limit.
    pub(crate) const fn limit(self) -> &'static str {
        match self {
            Self::IdTooLong => "id too long",
            Self::MethodTooLong => "method too long",
            Self::BatchTooLong => "batch too long",
            _ => "message too long",
        }
    }

    /// The text for a message that cannot be written.
    pub(crate) const fn output(self) -> &'static str {
        match self {
            Self::OutputFull => "output full",
            Self::InvalidKey => "invalid key",
            Self::RegistryFull => "registry full",
            Self::TooManyCalls => "too many calls in flight",
            Self::IdInFlight => "id already in flight",
            _ => "value cannot be serialized",
        }
    }

    /// The text for a payload that cannot be read.
    pub(crate) const fn payload(self) -> &'static str {
        match self {
            Self::UnexpectedType => "unexpected type",
            Self::InvalidValue => "invalid value",
            Self::InvalidLength => "invalid length",
            Self::MissingField => "missing member",
            Self::UnknownField => "unknown member",
            Self::RepeatedField => "repeated member",
            Self::UnknownVariant => "unknown variant",
            Self::Refused => "refused",
            _ => "no room to decode a string",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The kind and the offset of a fault.
///
/// The offset depends on the kind:
/// - a syntax error: the first byte after which the text can no longer become valid JSON, or the length of an incomplete text;
/// - a refused message or payload: the invalid value, or the object that lacks a member;
/// - [`MessageTooLong`](ErrorKind::MessageTooLong): the maximum length;
/// - [`OutputFull`](ErrorKind::OutputFull): the capacity of the output, in bytes;
/// - [`IdTooLong`](ErrorKind::IdTooLong) for an id of the program: the capacity of the id, in bytes;
/// - [`RegistryFull`](ErrorKind::RegistryFull), [`TooManyCalls`](ErrorKind::TooManyCalls): the number of slots;
/// - another fault of a message to write: a position in the output, or 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Error {
    kind: ErrorKind,
    offset: usize,
}

const _: () = assert!(size_of::<Error>() <= 2 * size_of::<usize>());

impl Error {
    /// The error of an output of `len` bytes that is full, for a [`Frame`](crate::frame::Frame) of your own.
    ///
    /// ```
    /// use nanojsonrpc::{Error, ErrorKind};
    ///
    /// assert_eq!(Error::output_full(8).kind(), ErrorKind::OutputFull);
    /// ```
    pub const fn output_full(len: usize) -> Self {
        Self::new(ErrorKind::OutputFull, len)
    }

    pub(crate) const fn new(kind: ErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    /// The kind of the fault.
    pub const fn kind(self) -> ErrorKind {
        self.kind
    }

    /// The offset of the fault, in bytes from the front of the text; for some kinds another number, see [`Error`].
    pub const fn offset(self) -> usize {
        self.offset
    }

    /// Whether the text is a strict prefix of a valid one, so that more bytes could help.
    ///
    /// ```
    /// use nanojsonrpc::Message;
    ///
    /// assert!(Message::parse(br#"{"jsonrpc":"2.0","met"#).unwrap_err().error.is_incomplete());
    /// assert!(!Message::parse(b"{]").unwrap_err().error.is_incomplete());
    /// ```
    pub const fn is_incomplete(self) -> bool {
        matches!(self.kind, ErrorKind::UnexpectedEnd)
    }
}

/// The kind and the offset, `invalid number at byte 7`. A maximum length and a capacity are shown in the same way, as the offset of the first
/// byte without room: `output full at byte 64`. [`RegistryFull`](ErrorKind::RegistryFull), [`TooManyCalls`](ErrorKind::TooManyCalls) and
/// [`IdInFlight`](ErrorKind::IdInFlight) are shown without a number.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::RegistryFull | ErrorKind::TooManyCalls | ErrorKind::IdInFlight => self.kind.fmt(f),
            kind => write!(f, "{kind} at byte {}", self.offset),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::{Class, ErrorKind};

    macro_rules! kinds {
        ($($class:ident: $($kind:ident)*;)*) => {
            const KINDS: &[(ErrorKind, Class)] = &[$($((ErrorKind::$kind, Class::$class),)*)*];

            /// Does not compile if a kind is missing here.
            const fn listed(kind: ErrorKind) {
                match kind {
                    $($(ErrorKind::$kind => {})*)*
                }
            }
        };
    }
    kinds! {
        Syntax: UnexpectedEnd ExpectedValue ExpectedName ExpectedColon ExpectedComma InvalidLiteral InvalidNumber
            InvalidEscape LoneSurrogate InvalidUtf8 ControlCharacter TrailingData TooDeep;
        Message: NotAMessage EmptyBatch BatchNotAllowed RepeatedMember MissingVersion InvalidVersion MissingMember
            ConflictingMembers InvalidMethod MissingId InvalidId InvalidParams InvalidErrorObject UnexpectedMessage;
        Limit: IdTooLong MethodTooLong BatchTooLong MessageTooLong;
        Payload: UnexpectedType InvalidValue InvalidLength MissingField UnknownField RepeatedField UnknownVariant Refused;
        Room: EscapedString;
        Output: OutputFull InvalidKey Unserializable RegistryFull TooManyCalls IdInFlight;
    }

    #[test]
    fn the_order_of_the_kinds_is_that_of_their_classes() {
        for (kind, class) in KINDS {
            listed(*kind);
            assert_eq!(kind.class(), *class, "{kind:?}");
        }
    }

    #[test]
    fn a_syntax_error_is_found_by_the_lowest_bits_of_its_number() {
        for number in 0..64 {
            assert_eq!(ErrorKind::syntax(number) as u32, number % 16);
        }
    }
}
