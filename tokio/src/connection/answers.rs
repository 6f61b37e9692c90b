//! The answers to batches, which are sent as a whole.

use std::collections::HashMap;

use bytes::{BufMut as _, Bytes, BytesMut};

/// Where the answer to a call belongs: alone, or at an index of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) batch: Option<u64>,
    pub(super) index: usize,
}

/// The batches whose calls are not all answered.
#[derive(Debug, Default)]
pub(super) struct Answers {
    batches: HashMap<u64, Batch>,
    next: u64,
}

#[derive(Debug)]
struct Batch {
    answers: Vec<Option<Bytes>>,
    missing: usize,
    len: usize,
}

impl Answers {
    /// Opens a batch of `len` messages.
    pub(super) fn open(&mut self, len: usize) -> u64 {
        self.next = self.next.wrapping_add(1);
        self.batches.insert(self.next, Batch { answers: vec![None; len], missing: len, len: 0 });
        self.next
    }

    /// The bytes of the answers to the batch so far.
    pub(super) fn len(&self, place: Place) -> usize {
        place.batch.and_then(|key| self.batches.get(&key)).map_or(0, |batch| batch.len)
    }

    /// Puts the answer, or that there is none, to its place. Returns the text to send, if it is complete.
    pub(super) fn put(&mut self, place: Place, answer: Option<Bytes>) -> Option<Bytes> {
        let Some(key) = place.batch else { return answer };
        let batch = self.batches.get_mut(&key)?;
        batch.len = batch.len.saturating_add(answer.as_ref().map_or(0, Bytes::len));
        if let Some(slot) = batch.answers.get_mut(place.index) {
            *slot = answer;
        }
        batch.missing = batch.missing.saturating_sub(1);
        if batch.missing != 0 {
            return None;
        }
        let answers = self.batches.remove(&key)?.answers;
        let len = answers.iter().flatten().map(|answer| answer.len().saturating_add(1)).sum::<usize>();
        let mut text = BytesMut::with_capacity(len.saturating_add(1));
        for answer in answers.iter().flatten() {
            text.put_u8(if text.is_empty() { b'[' } else { b',' });
            text.put_slice(answer);
        }
        // "the Server MUST NOT return an empty Array and should return nothing at all" (JSON-RPC 2.0 §6)
        if text.is_empty() {
            return None;
        }
        text.put_u8(b']');
        Some(text.freeze())
    }
}
