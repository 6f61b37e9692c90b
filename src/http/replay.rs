//! Stores the last events of a stream, for clients that reconnect.

use super::value::number;
use crate::copy::{copy, copy_down};
use crate::error::{Error, ErrorKind};
use crate::frame::Event;

/// Stores the last messages of a stream of server-sent events in a buffer of `LEN` bytes. New messages replace the oldest. Each message
/// has an id; a reconnecting client sends the last id that it has received as `Last-Event-ID`, and gets the messages after it.
///
/// ```
/// use nanojsonrpc::http::Replay;
///
/// // another number after each restart, so that ids of earlier runs differ
/// let mut events = Replay::<64>::new(7);
/// let id = events.push(br#"{"jsonrpc":"2.0","method":"a"}"#)?;
/// assert_eq!(id.text().as_ref(), b"7.1");
/// events.push(br#"{"jsonrpc":"2.0","method":"b"}"#)?;
///
/// let missed = events.after(Some(b"7.1"));
/// assert!(!missed.has_gap());
/// let mut out = [0; 64];
/// let mut len = 0;
/// for event in missed {
///     len = event.encode(&mut out)?;
/// }
/// assert_eq!(&out[..len], b"id: 7.2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n\n");
/// # Ok::<(), nanojsonrpc::Error>(())
/// ```
///
/// # Limits
/// Each message takes its length and two bytes, and has at most 65,535 bytes. Time of a [`push`](Self::push): up to `LEN` bytes are
/// moved. Number of events: 2^64 - 1.
///
/// Source: HTML, Server-sent events, §9.2.3 and §9.2.4.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Replay<const LEN: usize> {
    /// Records, oldest first: two bytes of length, then the message.
    bytes: [u8; LEN],
    len: usize,
    epoch: u32,
    /// The number of the oldest record, and that of the next record.
    first: u64,
    next: u64,
}

impl<const LEN: usize> Replay<LEN> {
    /// An empty buffer. Each id begins with `epoch`. Pass a different number after each restart: from a counter in flash, or a random
    /// source.
    pub const fn new(epoch: u32) -> Self {
        Self { bytes: [0; LEN], len: 0, epoch, first: 1, next: 1 }
    }

    /// Stores `message` as the newest event, and returns its id.
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull) if `message` does not fit the whole buffer, or has more than 65,535 bytes. Then nothing
    /// changes.
    pub fn push(&mut self, message: &[u8]) -> Result<EventId, Error> {
        let full = Error::new(ErrorKind::OutputFull, LEN);
        let header = u16::try_from(message.len()).map_err(|_| full)?.to_le_bytes();
        let room = LEN.checked_sub(message.len()).and_then(|room| room.checked_sub(header.len())).ok_or(full)?;
        let mut gone = 0usize;
        while self.len.saturating_sub(gone) > room {
            let (_, rest) = record(self.kept(gone)).ok_or(full)?;
            gone = self.len.saturating_sub(rest.len());
            self.first = self.first.wrapping_add(1);
        }
        if gone != 0 {
            self.len = self.len.saturating_sub(gone);
            copy_down(&mut self.bytes, gone, self.len);
        }
        for part in [&header[..], message] {
            copy(part, self.bytes.get_mut(self.len..).unwrap_or_default());
            self.len = self.len.wrapping_add(part.len());
        }
        let number = self.next;
        self.next = number.wrapping_add(1);
        Ok(EventId { epoch: self.epoch, number })
    }

    /// The id of the newest event. A client that sends this id as `Last-Event-ID` gets all later events. For a new client, call this before
    /// you send the head of the stream: as soon as the client has received the head, it may cause an event.
    pub const fn newest(&self) -> EventId {
        EventId { epoch: self.epoch, number: self.next.wrapping_sub(1) }
    }

    /// Returns the events after `last`, the value of `Last-Event-ID`. If `last` is `None`, the client is new and has missed nothing. If
    /// `last` has another epoch or is not an id of this buffer, all stored events follow, and there [is a gap](Missed::has_gap).
    pub fn after(&self, last: Option<&[u8]>) -> Missed<'_> {
        let seen = match last {
            None => Some(self.next.wrapping_sub(1)),
            Some(last) => {
                EventId::parse(last).filter(|id| id.epoch == self.epoch && id.number < self.next).map(|id| id.number)
            }
        };
        let wanted = seen.map_or(0, |seen| seen.wrapping_add(1));
        let mut missed =
            Missed { rest: self.kept(0), epoch: self.epoch, number: self.first, has_gap: wanted < self.first };
        while missed.number < wanted && missed.next().is_some() {}
        missed
    }

    fn kept(&self, from: usize) -> &[u8] {
        self.bytes.get(from..self.len).unwrap_or_default()
    }
}

/// Returns the message at the front of `records`, and the rest.
fn record(records: &[u8]) -> Option<(&[u8], &[u8])> {
    let (header, rest) = records.split_first_chunk()?;
    rest.split_at_checked(u16::from_le_bytes(*header).into())
}

/// The events that a client has missed, oldest first.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Missed<'r> {
    rest: &'r [u8],
    epoch: u32,
    number: u64,
    has_gap: bool,
}

impl Missed<'_> {
    /// Whether the client has missed events that are no longer stored. It should then request the whole state.
    pub const fn has_gap(&self) -> bool {
        self.has_gap
    }
}

impl<'r> Iterator for Missed<'r> {
    type Item = Stored<'r>;

    fn next(&mut self) -> Option<Stored<'r>> {
        let (data, rest) = record(self.rest)?;
        let id = EventId { epoch: self.epoch, number: self.number };
        self.rest = rest;
        self.number = self.number.wrapping_add(1);
        Some(Stored { id, data })
    }
}

impl core::iter::FusedIterator for Missed<'_> {}

/// A stored event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Stored<'r> {
    /// Its id.
    pub id: EventId,
    /// The message.
    pub data: &'r [u8],
}

impl Stored<'_> {
    /// Writes the event with its id to the front of `out`, and returns its length.
    ///
    /// # Errors
    /// [`OutputFull`](ErrorKind::OutputFull) if it does not fit.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, Error> {
        Event { event: b"", id: self.id.text().as_ref(), data: self.data }.encode(out)
    }
}

/// The id of an event: the epoch of its buffer, and its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct EventId {
    epoch: u32,
    number: u64,
}

/// The text of an [`EventId`]: `7.1`.
struct IdText {
    bytes: [u8; 31],
    first: usize,
}

impl AsRef<[u8]> for IdText {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(self.first..).unwrap_or_default()
    }
}

impl EventId {
    /// The id as text: two decimal numbers separated by a dot, at most 31 bytes.
    pub fn text(&self) -> impl AsRef<[u8]> + use<> {
        let mut text = IdText { bytes: [0; 31], first: 31 };
        text.number(self.number);
        text.put(b'.');
        text.number(self.epoch.into());
        text
    }

    /// Reads an id that is spelled exactly as [`text`](Self::text) spells it.
    fn parse(text: &[u8]) -> Option<Self> {
        let dot = text.iter().position(|byte| *byte == b'.')?;
        let (epoch, behind) = text.split_at_checked(dot)?;
        let id = Self { epoch: u32::try_from(number(epoch)?).ok()?, number: number(behind.get(1..)?)? };
        (id.text().as_ref() == text).then_some(id)
    }
}

impl IdText {
    /// Prepends a byte.
    fn put(&mut self, byte: u8) {
        self.first = self.first.saturating_sub(1);
        if let Some(place) = self.bytes.get_mut(self.first) {
            *place = byte;
        }
    }

    fn number(&mut self, mut number: u64) {
        loop {
            self.put(b'0' | (number % 10).to_le_bytes()[0]);
            number /= 10;
            if number == 0 {
                break;
            }
        }
    }
}
