//! The fields of an event stream, read line by line.

use heapless::VecView;

use super::event::line_len;
use super::spans::Spans;
use super::{BYTE_ORDER_MARK, Found, FrameErrorKind};

/// The name of a field as one number.
const fn packed(name: &[u8]) -> u64 {
    let mut packed = NO_NAME;
    let mut rest = name;
    while let [byte, tail @ ..] = rest {
        packed = longer(packed, *byte);
        rest = tail;
    }
    packed
}

const NO_NAME: u64 = 0;
/// Any unknown name.
const OTHER_NAME: u64 = u64::MAX;

/// Appends a byte to a packed name; no known name has more than five.
const fn longer(name: u64, byte: u8) -> u64 {
    // a NUL in front would be lost
    if byte == 0 || name >> 32 != 0 { OTHER_NAME } else { name << 8 | byte as u64 }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Field {
    /// None yet: the reader is within a name. The first, so that a new reader is all zeros, which takes less flash than other bytes.
    Unread,
    Data,
    Id,
    Event,
    Retry,
    /// A comment or an unknown field.
    Other,
}

impl Field {
    const fn of(name: u64) -> Self {
        const DATA: u64 = packed(b"data");
        const ID: u64 = packed(b"id");
        const EVENT: u64 = packed(b"event");
        const RETRY: u64 = packed(b"retry");
        match name {
            DATA => Self::Data,
            ID => Self::Id,
            EVENT => Self::Event,
            RETRY => Self::Retry,
            _ => Self::Other,
        }
    }
}

/// The part of [`Events`](super::Events) that does not depend on its capacities. The buffer holds the data of the
/// current event, and after it the value of the current line.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Reader {
    /// The packed name of the current field, as far as it was read.
    name: u64,
    /// The field of the current value.
    field: Field,
    data_len: usize,
    retry: Option<u32>,
    /// The number of bytes read of a byte order mark; `u8::MAX` if no mark can follow.
    marked: u8,
    has_data: bool,
    /// Whether the current event has an id.
    has_id: bool,
    /// Whether the next byte is the first after the colon: a space there is not part of the value.
    is_at_value: bool,
    /// Whether the last byte was a CR: a LF as the next byte belongs to the same line end.
    is_behind_cr: bool,
    /// Whether an error has been reported for this event.
    is_lost: bool,
    /// Whether the event, or its fault, has been returned.
    is_done: bool,
}

impl Reader {
    pub(super) const NEW: Self = Self {
        name: NO_NAME,
        field: Field::Unread,
        data_len: 0,
        retry: None,
        marked: 0,
        has_data: false,
        has_id: false,
        is_at_value: false,
        is_behind_cr: false,
        is_lost: false,
        is_done: false,
    };

    #[inline(never)]
    pub(super) fn step(
        &mut self,
        bytes: &mut [u8],
        limit: usize,
        spans: &mut Spans,
        id: &mut VecView<u8>,
        next_id: &mut VecView<u8>,
        event: &mut VecView<u8>,
    ) -> Option<Found> {
        if self.is_done {
            self.is_done = false;
            (self.data_len, self.has_data) = (0, false);
            event.clear();
            spans.truncate(0);
        }
        loop {
            let unread = spans.unread(bytes);
            let byte = *unread.first()?;
            if core::mem::take(&mut self.is_behind_cr) && byte == b'\n' {
                spans.pass(1);
                continue;
            }
            // an error is at the last byte (`back` is 1), or, in a value, at the next one
            let (outcome, back) = match (self.field, byte) {
                (_, b'\r' | b'\n') => {
                    self.is_behind_cr = byte == b'\r';
                    self.marked = u8::MAX;
                    spans.pass(1);
                    if self.field == Field::Unread && self.name == NO_NAME {
                        // "Set the last event ID string of the event source to the value of the last event ID buffer."
                        if core::mem::take(&mut self.has_id) {
                            _ = store(next_id, id, FrameErrorKind::EventIdTooLong);
                        }
                        if self.event_ended() {
                            self.is_done = true;
                            return Some(Ok(spans.take()));
                        }
                        spans.drop(0);
                        event.clear();
                        continue;
                    }
                    (self.line_ended(bytes, limit, spans, next_id, event), 1)
                }
                (Field::Unread, _) => {
                    spans.pass(1);
                    (self.name(byte, bytes, limit, spans), 1)
                }
                (_, b' ') if self.is_at_value => {
                    self.is_at_value = false;
                    spans.pass(1);
                    continue;
                }
                (field, _) => {
                    self.is_at_value = false;
                    let len = line_len(unread);
                    (self.value(field, len, bytes, limit, spans), 0)
                }
            };
            if let Err(kind) = outcome {
                if self.field != Field::Unread {
                    self.field = Field::Other;
                }
                if !core::mem::replace(&mut self.is_lost, true) {
                    // the next step drops the stored part of the event, which is still shown as lost
                    self.is_done = true;
                    return Some(Err(spans.error(kind, back)));
                }
            }
        }
    }

    /// Reads a byte of a name, or the colon after it.
    fn name(&mut self, byte: u8, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Result<(), FrameErrorKind> {
        // a byte order mark is possible only at the front of the stream
        if let Some(expected) = BYTE_ORDER_MARK.get(usize::from(self.marked)) {
            if byte == *expected {
                self.marked = self.marked.wrapping_add(1);
                return Ok(());
            }
            if self.marked != 0 {
                self.name = OTHER_NAME;
            }
            self.marked = u8::MAX;
        }
        if byte != b':' {
            self.name = longer(self.name, byte);
            return Ok(());
        }
        self.begin_value(bytes, limit, spans)
    }

    /// Ends the name and begins the value.
    fn begin_value(&mut self, bytes: &mut [u8], limit: usize, spans: &mut Spans) -> Result<(), FrameErrorKind> {
        let mut field = Field::of(self.name);
        if field == Field::Data && self.is_lost {
            field = Field::Other;
        }
        self.field = field;
        self.is_at_value = true;
        if field == Field::Data && self.has_data {
            if room(limit, spans) == 0 {
                return Err(FrameErrorKind::TooLong);
            }
            spans.append_byte(bytes, b'\n');
        }
        Ok(())
    }

    /// Reads the next `len` bytes, which belong to the value of `field`.
    fn value(
        &mut self,
        field: Field,
        len: usize,
        bytes: &mut [u8],
        limit: usize,
        spans: &mut Spans,
    ) -> Result<(), FrameErrorKind> {
        if field == Field::Other {
            spans.pass(len);
            return Ok(());
        }
        if spans.len() == 0 {
            spans.drop(0);
        }
        let fitting = len.min(room(limit, spans));
        spans.append(bytes, fitting);
        if fitting == len { Ok(()) } else { Err(FrameErrorKind::TooLong) }
    }

    /// Ends a line that is not empty.
    fn line_ended(
        &mut self,
        bytes: &mut [u8],
        limit: usize,
        spans: &mut Spans,
        next_id: &mut VecView<u8>,
        event: &mut VecView<u8>,
    ) -> Result<(), FrameErrorKind> {
        // without a colon the whole line is the name
        let begun = if self.field == Field::Unread { self.begin_value(bytes, limit, spans) } else { Ok(()) };
        self.name = NO_NAME;
        let field = core::mem::replace(&mut self.field, Field::Unread);
        begun?;
        if field == Field::Data {
            self.has_data = true;
            self.data_len = spans.len();
            return Ok(());
        }
        let value = spans.message(bytes).get(self.data_len..).unwrap_or_default();
        spans.truncate(self.data_len);
        match field {
            Field::Id if !value.contains(&0) => {
                store(value, next_id, FrameErrorKind::EventIdTooLong)?;
                self.has_id = true;
                Ok(())
            }
            Field::Event => store(value, event, FrameErrorKind::EventNameTooLong),
            Field::Retry => {
                self.retry = milliseconds(value).or(self.retry);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Ends the event at an empty line. Returns whether there is an event.
    fn event_ended(&mut self) -> bool {
        let is_event = self.has_data;
        (self.data_len, self.has_data, self.is_lost) = (0, false, false);
        is_event
    }

    /// Ends the stream; see [`Decode::end`](super::decode::Decode::end).
    pub(super) fn end(&mut self, spans: &mut Spans) -> Option<Found> {
        let Self { name, field, has_data, is_lost, retry, .. } = *self;
        let is_inside = has_data || field == Field::Data || field == Field::Unread && name != NO_NAME;
        *self = Self { retry, is_done: is_inside, ..Self::NEW };
        if is_inside && !is_lost { Some(Err(spans.error(FrameErrorKind::Truncated, 0))) } else { None }
    }

    /// The state before another stream; it keeps the value of `retry`.
    pub(super) const fn restarted(self) -> Self {
        Self { retry: self.retry, ..Self::NEW }
    }

    /// The value of the last `retry` field, in milliseconds.
    pub(super) const fn retry(&self) -> Option<u32> {
        self.retry
    }
}

/// The number of bytes that can still be stored. One byte of the buffer stays free for the next byte of the stream.
const fn room(limit: usize, spans: &Spans) -> usize {
    limit.saturating_sub(1).saturating_sub(spans.len())
}

/// Replaces the stored value, if the new one fits.
fn store(value: &[u8], held: &mut VecView<u8>, too_long: FrameErrorKind) -> Result<(), FrameErrorKind> {
    if value.len() > held.capacity() {
        return Err(too_long);
    }
    held.clear();
    // a copy of the whole slice would link `memcpy`
    value.iter().try_for_each(|byte| held.push(*byte)).map_err(|_| too_long)
}

/// The value of `retry`, if it consists of digits; at most `u32::MAX`.
fn milliseconds(value: &[u8]) -> Option<u32> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = value.iter().map(|byte| u32::from(byte.wrapping_sub(b'0')));
    Some(digits.fold(0, |sum: u32, digit| sum.saturating_mul(10).saturating_add(digit)))
}

#[cfg(test)]
mod tests {
    use super::{NO_NAME, OTHER_NAME, longer, packed};

    #[test]
    fn a_name_is_packed_as_its_bytes_come() {
        for name in [b"".as_slice(), b"id", b"data", b"event", b"retry", b"\xFF\xFF\xFF\xFF\xFF"] {
            assert_eq!(packed(name), name.iter().fold(NO_NAME, |packed, byte| longer(packed, *byte)), "{name:?}");
            assert_ne!(packed(name), OTHER_NAME, "{name:?}");
        }
        assert_eq!((packed(b"events"), packed(b"retry: 1000")), (OTHER_NAME, OTHER_NAME));
        assert_eq!(packed(b"\0id"), OTHER_NAME);
    }
}
