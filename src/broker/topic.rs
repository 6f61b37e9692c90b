//! Validation and writing of topics, shared by MQTT and NATS.

use super::Topic;
use super::error::{TopicError, TopicErrorKind};
use crate::ascii::split_once;

/// The grammar of a topic.
pub(super) struct Syntax {
    pub(super) separator: u8,
    /// The wildcard for one level, and the wildcard for all levels that follow.
    pub(super) one: u8,
    pub(super) rest: u8,
    pub(super) allows_empty_levels: bool,
    pub(super) allows_spaces: bool,
}

/// The length of the longest topic: MQTT encodes it in two bytes (MQTT 5 §1.5.4).
pub(super) const MAX_LEN: usize = 65_535;

const fn fault<T>(kind: TopicErrorKind, offset: usize) -> Result<T, TopicError> {
    Err(TopicError::new(kind, offset))
}

impl Syntax {
    /// Checks a topic, or a filter, which may have wildcards.
    pub(super) fn check(&self, text: &str, is_filter: bool) -> Result<(), TopicError> {
        if text.is_empty() {
            return fault(TopicErrorKind::Empty, 0);
        }
        if text.len() > MAX_LEN {
            return fault(TopicErrorKind::TooLong, MAX_LEN);
        }
        let bytes = text.as_bytes();
        let mut level = 0;
        for (at, c) in text.char_indices() {
            // the separator and the wildcards are ASCII
            let byte = u8::try_from(c).unwrap_or(u8::MAX);
            let is_wildcard = byte == self.one || byte == self.rest;
            let kind = match c {
                _ if byte == self.separator => {
                    if level == at && !self.allows_empty_levels {
                        return fault(TopicErrorKind::Empty, at);
                    }
                    level = at.wrapping_add(1);
                    continue;
                }
                _ if is_wildcard && !is_filter => TopicErrorKind::Wildcard,
                _ if is_wildcard => {
                    let next = bytes.get(at.wrapping_add(1)).copied();
                    let is_placed = next.is_none_or(|next| next == self.separator && byte == self.one);
                    if level == at && is_placed {
                        continue;
                    }
                    TopicErrorKind::MisplacedWildcard
                }
                ' ' | '\t' | '\r' | '\n' if !self.allows_spaces => TopicErrorKind::WhiteSpace,
                // "Control Characters U+0001..U+001F, U+007F..U+009F" and "non-characters" (MQTT 5 §1.5.4)
                '\0'..='\x1F' | '\x7F'..='\u{9F}' => TopicErrorKind::ControlCharacter,
                '\u{FDD0}'..='\u{FDEF}' => TopicErrorKind::Noncharacter,
                _ if u32::from(c) & 0xFFFE == 0xFFFE => TopicErrorKind::Noncharacter,
                _ => continue,
            };
            return fault(kind, at);
        }
        if level == text.len() && !self.allows_empty_levels {
            return fault(TopicErrorKind::Empty, level);
        }
        Ok(())
    }

    /// Checks that `text` is one level.
    pub(super) fn check_level(&self, text: &str) -> Result<(), TopicError> {
        if let Some(at) = text.bytes().position(|byte| byte == self.separator) {
            return fault(TopicErrorKind::Separator, at);
        }
        self.check(text, false)
    }

    /// Checks that `text` is one level, and none of the `reserved` ones.
    pub(super) fn check_id(&self, text: &str, reserved: &[&str]) -> Result<(), TopicError> {
        self.check_level(text)?;
        if reserved.contains(&text) { fault(TopicErrorKind::ReservedId, 0) } else { Ok(()) }
    }

    /// Whether `filter` matches `topic`. Both are valid.
    pub(super) fn matches(&self, filter: &str, topic: &str) -> bool {
        let (mut filter, mut topic) = (Some(filter), Some(topic));
        while let Some(wanted) = self.next_level(&mut filter) {
            if wanted.as_bytes() == [self.rest] {
                // MQTT's `a/#` also matches `a` (MQTT 5 §4.7.1.2); NATS's `a.>` does not
                return self.allows_empty_levels || topic.is_some();
            }
            match self.next_level(&mut topic) {
                Some(_) if wanted.as_bytes() == [self.one] => {}
                Some(level) if level == wanted => {}
                _ => return false,
            }
        }
        topic.is_none()
    }

    /// Removes the first level from `levels` and returns it.
    fn next_level<'t>(&self, levels: &mut Option<&'t str>) -> Option<&'t str> {
        let all = levels.take()?;
        let (level, rest) = split_once(all, self.separator).map_or((all, None), |(level, rest)| (level, Some(rest)));
        *levels = rest;
        Some(level)
    }

    /// Joins `parts`. Each is one level; [`Part::Levels`] and [`Part::Filter`] may be several.
    pub(super) fn join<const N: usize>(&self, parts: &[Part<'_>]) -> Result<Topic<N>, TopicError> {
        let mut topic = Topic::new();
        for part in parts {
            if !topic.is_empty() {
                push(&mut topic, core::str::from_utf8(&[self.separator]).unwrap_or_default())?;
            }
            let at = topic.len();
            let (text, checked) = match part {
                Part::Fixed(text) => (text, Ok(())),
                Part::Level(text) => (text, self.check_level(text)),
                Part::Id(text, reserved) => (text, self.check_id(text, reserved)),
                Part::Levels(text) => (text, self.check(text, false)),
                Part::Filter(text) => (text, self.check(text, true)),
            };
            checked.map_err(|error| error.behind(at))?;
            push(&mut topic, text)?;
        }
        match topic.len() {
            len if len > MAX_LEN => fault(TopicErrorKind::TooLong, MAX_LEN),
            _ => Ok(topic),
        }
    }
}

/// A part of a topic.
pub(super) enum Part<'t> {
    /// Valid text, which is not checked.
    Fixed(&'static str),
    Level(&'t str),
    /// One level that is none of the reserved ones.
    Id(&'t str, &'static [&'static str]),
    Levels(&'t str),
    /// May have wildcards.
    Filter(&'t str),
}

/// Appends `text`. On an error, the offset is the capacity of the topic.
fn push<const N: usize>(topic: &mut Topic<N>, text: &str) -> Result<(), TopicError> {
    topic.push_str(text).or(fault(TopicErrorKind::TooLong, N))
}
