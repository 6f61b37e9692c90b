//! Faults in topics and subjects: kind and offset.

use core::fmt;

/// The kind of a fault in a topic, a filter or a subject.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum TopicErrorKind {
    /// The topic is empty, or has an empty level where none is allowed. MQTT 5 §4.7.3.
    Empty,
    /// The topic does not fit the buffer, or exceeds 65,535 bytes. MQTT 5 §4.7.3.
    TooLong,
    /// A wildcard where none is allowed. MQTT 5 §3.3.2.1.
    Wildcard,
    /// A wildcard that does not fill its level, or a `#` or `>` before the end. MQTT 5 §4.7.1.
    MisplacedWildcard,
    /// A separator in text that must be a single level.
    Separator,
    /// A control character: U+0000 to U+001F, or U+007F to U+009F. U+0000 is forbidden; for the others, a broker may close the
    /// connection. MQTT 5 §1.5.4.
    ControlCharacter,
    /// White space in a subject.
    WhiteSpace,
    /// `$share/` at the front of a topic name, or of the filter in a shared filter. MQTT 5 §4.8.2.
    SharedSubscription,
    /// A noncharacter of Unicode, such as U+FFFF: a broker may close the connection. MQTT 5 §1.5.4.
    Noncharacter,
    /// An id of a server that the topics of MCP reserve: `presence` or `capability`.
    ReservedId,
}

impl TopicErrorKind {
    /// The kind in words, as [`Display`](fmt::Display) prints it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty topic or level",
            Self::TooLong => "topic too long",
            Self::Wildcard => "wildcard in a topic name",
            Self::MisplacedWildcard => "misplaced wildcard",
            Self::Separator => "separator in a level",
            Self::ControlCharacter => "control character in a topic",
            Self::WhiteSpace => "white space in a subject",
            Self::SharedSubscription => "misplaced shared subscription",
            Self::Noncharacter => "noncharacter in a topic",
            Self::ReservedId => "reserved id",
        }
    }
}

impl fmt::Display for TopicErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A fault of a topic, a filter or a subject: its kind and its offset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TopicError {
    kind: TopicErrorKind,
    offset: usize,
}

impl TopicError {
    pub(super) const fn new(kind: TopicErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    /// The same fault in a text that begins `start` bytes earlier.
    pub(super) const fn behind(self, start: usize) -> Self {
        Self { offset: self.offset.saturating_add(start), ..self }
    }

    /// The kind of the fault.
    pub const fn kind(self) -> TopicErrorKind {
        self.kind
    }

    /// The offset of the fault in bytes. If the topic is joined from parts, it counts from the start of the whole topic.
    pub const fn offset(self) -> usize {
        self.offset
    }
}

impl fmt::Display for TopicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.offset)
    }
}

impl core::error::Error for TopicError {}
