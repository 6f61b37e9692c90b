//! Faults of topics and subjects: kind and offset.

use core::fmt;

/// The kind of a fault in a topic, a filter or a subject.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum TopicErrorKind {
    /// It is empty, or a part of it that must not be empty. MQTT 5 §4.7.3.
    Empty,
    /// It does not fit the buffer, or is longer than 65,535 bytes. MQTT 5 §4.7.3.
    TooLong,
    /// A wildcard where none may be. MQTT 5 §3.3.2.1.
    Wildcard,
    /// A wildcard that is not alone in its level, or `#` or `>` before the end. MQTT 5 §4.7.1.
    MisplacedWildcard,
    /// A separator in a single level.
    Separator,
    /// A control character. U+0000 is forbidden; brokers may close the connection for the others. MQTT 5 §1.5.4.
    ControlCharacter,
    /// White space in a subject.
    WhiteSpace,
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

    /// The kind of the fault.
    pub const fn kind(self) -> TopicErrorKind {
        self.kind
    }

    /// The offset of the fault, in bytes from the front of the topic, of the whole one where parts make it.
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
