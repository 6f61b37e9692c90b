//! The ids of events and the time to wait, found while the bytes of a stream pass, for a request that resumes it.

use heapless::Vec;

use crate::http::number;

/// The greatest length of the id of an event. A stream whose last event has a longer one, or one with other bytes than visible ASCII and
/// spaces, cannot be resumed.
const MAX_ID_LEN: usize = 64;
/// The greatest length of a line that is read: the name of a field, a colon, a space and an id.
const MAX_LINE_LEN: usize = MAX_ID_LEN + 4;

/// The time in milliseconds to wait if the server has sent none.
const RETRY: u32 = 1_000;

/// The last id, and the time to wait. HTML, Server-sent events, "Interpreting an event stream".
#[derive(Clone, Debug)]
pub(super) struct EventIds {
    line: Vec<u8, MAX_LINE_LEN>,
    is_overlong: bool,
    is_behind_cr: bool,
    /// Whether the current event has lines.
    is_within: bool,
    /// The id of the current event, and that of the last complete one.
    next: Option<Vec<u8, MAX_ID_LEN>>,
    last: Vec<u8, MAX_ID_LEN>,
    retry: u32,
}

impl EventIds {
    pub(super) const fn new() -> Self {
        Self {
            line: Vec::new(),
            is_overlong: false,
            is_behind_cr: false,
            is_within: false,
            next: None,
            last: Vec::new(),
            retry: RETRY,
        }
    }

    /// The id of the last complete event; empty if there is none.
    pub(super) fn last(&self) -> &[u8] {
        &self.last
    }

    /// The time in milliseconds to wait before a request that resumes the stream.
    pub(super) const fn retry(&self) -> u32 {
        self.retry
    }

    /// Drops the event that has no end: the next byte is the first of another stream, which begins with this event.
    pub(super) fn cut(&mut self) {
        (self.line, self.next) = (Vec::new(), None);
        (self.is_overlong, self.is_behind_cr, self.is_within) = (false, false, false);
    }

    /// Takes the next byte. Returns whether it is outside of an event.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let is_behind_cr = core::mem::take(&mut self.is_behind_cr);
        match byte {
            b'\n' if is_behind_cr => {}
            b'\r' | b'\n' => {
                self.is_behind_cr = byte == b'\r';
                self.line_ended();
            }
            _ => {
                self.is_overlong |= self.line.push(byte).is_err();
                // a comment is not part of an event
                self.is_within |= self.line.first() != Some(&b':');
            }
        }
        !self.is_within
    }

    fn line_ended(&mut self) {
        if self.line.is_empty() {
            self.is_within = false;
            if let Some(id) = self.next.take() {
                self.last = id;
            }
        } else if let Some(id) = field(&self.line, b"id") {
            if !id.contains(&0) {
                // "If the field value does not contain U+0000 NULL"
                // no header can have other bytes in every server
                let is_sendable = !self.is_overlong && id.iter().all(|byte| matches!(byte, b' '..=b'~'));
                let id = if is_sendable { id } else { &[] };
                self.next = Some(Vec::from_slice(id).unwrap_or_default());
            }
        } else if let Some(retry) = field(&self.line, b"retry").and_then(number) {
            self.retry = u32::try_from(retry).unwrap_or(u32::MAX);
        }
        self.line.clear();
        self.is_overlong = false;
    }
}

/// The value of the field `name`, if `line` is such a field.
fn field<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let behind = line.strip_prefix(name)?;
    if behind.is_empty() {
        return Some(behind);
    }
    let value = behind.strip_prefix(b":")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::{EventIds, MAX_ID_LEN, RETRY};

    fn taken(text: &[u8]) -> (EventIds, bool) {
        let (mut ids, mut is_between) = (EventIds::new(), true);
        for byte in text {
            is_between = ids.take(*byte);
        }
        (ids, is_between)
    }

    #[test]
    fn complete_events_have_ids() {
        let (ids, is_between) = taken(b"retry: 500\r\nid: 7\r\ndata: x\r\n\r\nid:8\ndata");
        assert_eq!((ids.last(), ids.retry(), is_between), (&b"7"[..], 500, false));
        let (ids, is_between) = taken(b"id: 7\n\nid\n\n: still here\n");
        assert_eq!((ids.last(), ids.retry(), is_between), (&b""[..], RETRY, true));
        let (ids, _) = taken(b"id: 7\r\rid: a\0b\n\nidle: 3\n\nretry: soon\n\n");
        assert_eq!((ids.last(), ids.retry()), (&b"7"[..], RETRY));
        assert_eq!(taken("id: 7\n\nid: é\n\n".as_bytes()).0.last(), b"");
    }

    #[test]
    fn a_long_id_is_none() {
        let of_len = |len: usize| {
            let (mut ids, mut is_between) = (taken(b"id: 1\n\nid: ").0, false);
            for byte in core::iter::repeat_n(&b'9', len).chain(b"\n\n") {
                is_between = ids.take(*byte);
            }
            assert!(is_between);
            ids.last().len()
        };
        assert_eq!(of_len(MAX_ID_LEN), MAX_ID_LEN);
        assert_eq!(of_len(MAX_ID_LEN + 1), 0);
        assert_eq!(of_len(2 * MAX_ID_LEN), 0);
        assert_eq!(taken(b"retry: 99999999999\n\n").0.retry(), u32::MAX);
    }
}
