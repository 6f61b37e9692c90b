//! The state of the answers to a text between two replies.

use crate::error::Error;
use crate::message::ErrorCode;

/// The length of the answers so far, and whether a call is open. A [`Reply`](super::Reply) that is dropped leaves its call open.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Progress {
    /// The length of all answers.
    pub(super) len: usize,
    pub(super) is_open: bool,
    /// Whether the answers are those to a batch.
    pub(super) is_batch: bool,
    /// Whether the answer to the current call has `jsonrpc`.
    pub(super) has_version: bool,
    /// The code of the error in the last reply; `None` for a result.
    pub(super) code: Option<ErrorCode>,
    /// Whether the last reply was written. If not, -32603 stands in its place.
    pub(super) is_whole: bool,
    /// Whether the last call has a message in place of its answer.
    pub(super) is_deferred: bool,
    /// Whether the handler of the last message was dropped at its time limit.
    pub(super) is_timed_out: bool,
    /// The fault of the last message, for the observer of the server: unfit params, or a reply that could not be written.
    pub(super) fault: Option<Error>,
}

impl Progress {
    pub(super) const fn new(is_open: bool, has_version: bool) -> Self {
        Self {
            len: 0,
            is_open,
            is_batch: false,
            has_version,
            code: None,
            is_whole: true,
            is_deferred: false,
            is_timed_out: false,
            fault: None,
        }
    }

    /// The code of the error that answers the last call; `None` for a result.
    pub(super) const fn code(&self) -> Option<ErrorCode> {
        if self.is_whole { self.code } else { Some(ErrorCode::INTERNAL_ERROR) }
    }
}

/// Proof that a handler has replied: only the methods of [`Reply`](super::Reply) return one.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Replied {
    pub(super) is_whole: bool,
}

impl Replied {
    /// Whether the whole reply was written. If not, it did not fit the output, or no call was open.
    pub const fn is_whole(&self) -> bool {
        self.is_whole
    }
}
