//! The limits and rules of a connection.

use std::time::Duration;

use nanojsonrpc::Dialect;
use nanojsonrpc::connection::Cancellation;

use crate::codec::MAX_LEN;

/// The limits and rules of a connection.
///
/// | limit | default | beyond it |
/// |---|---|---|
/// | [`max_len`](Self::max_len) of a received message | 10 MiB | the message is refused: -32600 |
/// | messages of a batch: of the [`dialect`](Self::dialect) | 1,024 | the batch is refused: -32600 |
/// | [`max_answer_len`](Self::max_answer_len) of an answer, or of the answers to a batch | 10 MiB | -32603 |
/// | [`calls`](Self::calls) that run at once | 1,024 | a call waits in the queue |
/// | [`queue`](Self::queue) of calls that wait | 1,024 | -32000 `Server is busy` |
/// | [`deadline`](Self::deadline) of a handler | none | its future is dropped: -32001 `Request timed out` |
/// | [`patience`](Self::patience) of a call of this program | 60 s | [`CallError::Late`](crate::CallError::Late) |
/// | [`idle`](Self::idle) time without a received byte | none | the connection ends |
/// | time without a text that the peer takes, while one waits for it | the idle time, or 60 s | the connection ends |
/// | [`rate`](Self::rate) of received messages | none | the connection reads more slowly |
/// | [`unread`](Self::unread) notifications | 1,024 | a subscriber loses the oldest ones, and is told how many |
#[derive(Clone, Debug)]
#[must_use]
pub struct Options {
    pub(crate) dialect: Dialect,
    pub(crate) max_len: usize,
    pub(crate) max_answer_len: usize,
    pub(crate) calls: usize,
    pub(crate) queue: usize,
    pub(crate) deadline: Option<Duration>,
    pub(crate) patience: Duration,
    pub(crate) idle: Option<Duration>,
    pub(crate) rate: Option<u64>,
    pub(crate) unread: usize,
    pub(crate) cancellation: Option<Cancellation>,
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Options {
    /// The defaults.
    pub const fn new() -> Self {
        Self {
            dialect: Dialect::JSON_RPC.with_max_batch(1024),
            max_len: MAX_LEN,
            max_answer_len: MAX_LEN,
            calls: 1024,
            queue: 1024,
            deadline: None,
            patience: Duration::from_secs(60),
            idle: None,
            rate: None,
            unread: 1024,
            cancellation: None,
        }
    }

    /// The rules for received messages and for calls of this program.
    pub fn dialect(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }

    /// The greatest length of a received message in bytes.
    pub fn max_len(self, len: usize) -> Self {
        Self { max_len: len, ..self }
    }

    /// The greatest length of an answer in bytes.
    pub fn max_answer_len(self, len: usize) -> Self {
        Self { max_answer_len: len, ..self }
    }

    /// The number of received calls that run at once; at least one.
    pub fn calls(self, count: usize) -> Self {
        Self { calls: count.max(1), ..self }
    }

    /// The number of received calls that wait until others have ended.
    pub fn queue(self, count: usize) -> Self {
        Self { queue: count, ..self }
    }

    /// The greatest time of a handler.
    pub fn deadline(self, time: Duration) -> Self {
        Self { deadline: Some(time), ..self }
    }

    /// The greatest time from a call of this program to its answer.
    pub fn patience(self, time: Duration) -> Self {
        Self { patience: time, ..self }
    }

    /// The greatest time without a received text.
    pub fn idle(self, time: Duration) -> Self {
        Self { idle: Some(time), ..self }
    }

    /// The greatest number of received bytes in a second, of messages as a whole. The first second may be used at once.
    pub fn rate(self, bytes: u64) -> Self {
        Self { rate: Some(bytes.max(1)), ..self }
    }

    /// The number of received notifications that wait for each [subscriber](crate::Client::notifications).
    pub fn unread(self, count: usize) -> Self {
        Self { unread: count.max(1), ..self }
    }

    /// The notification by which the peer cancels a call. The future of its handler is dropped.
    pub fn cancelled_by(self, cancellation: Cancellation) -> Self {
        Self { cancellation: Some(cancellation), ..self }
    }
}
