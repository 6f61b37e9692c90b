//! The outcome of a text: its answer, and why there may be none.

use crate::message::ErrorCode;

/// The outcome of a text that a server has processed: the answer, and whether the text was readable and had room.
///
/// ```
/// use nanojsonrpc::server::MIN_ANSWER_LEN;
/// use nanojsonrpc::{ErrorCode, Router, Server};
///
/// let mut server = Server::new(Router::new().request("launch", |launched: &mut u32| {
///     *launched += 1;
///     Ok(())
/// }));
/// let (mut launched, text) = (0, br#"{"jsonrpc":"2.0","method":"launch","id":"a"}"#);
/// let mut output = [0; 64];
/// let refused = server.process(&mut launched, text, &mut output);
/// assert!(refused.lacks_room() && refused.answer().is_none() && launched == 0);
///
/// let mut output = [0; MIN_ANSWER_LEN + br#""a""#.len()];
/// assert_eq!(server.process(&mut launched, text, &mut output).answer(), Some(&br#"{"jsonrpc":"2.0","result":null,"id":"a"}"#[..]));
/// let unreadable = server.process(&mut launched, b"{", &mut output);
/// assert!(!unreadable.is_readable() && unreadable.is_refused() && unreadable.code() == Some(ErrorCode::PARSE_ERROR));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Processed<'o> {
    pub(super) answer: Option<&'o [u8]>,
    pub(super) code: Option<ErrorCode>,
    pub(super) readable: Readable,
    pub(super) lacks_room: bool,
    pub(super) is_deferred: bool,
}

/// The readable content of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) enum Readable {
    /// No message, and no object with a readable id.
    Nothing,
    /// A batch that is refused as a whole, by the dialect or for lack of room.
    RefusedBatch,
    /// A valid message, or an invalid one with a readable id.
    Message,
}

impl<'o> Processed<'o> {
    /// An answer to a text that reached no exchange.
    pub(super) const fn unread(answer: Option<&'o [u8]>, code: Option<ErrorCode>, lacks_room: bool) -> Self {
        Self { answer, code, readable: Readable::Nothing, lacks_room, is_deferred: false }
    }

    /// The answer to send; `None` if there is none.
    pub const fn answer(&self) -> Option<&'o [u8]> {
        self.answer
    }

    /// The code of the answer if it is one error response; `None` for a result, for the array of a batch, and for no answer. A
    /// [`Layer`](super::Layer) sees the code of each call of a batch.
    pub const fn code(&self) -> Option<ErrorCode> {
        if self.answer.is_some() { self.code } else { None }
    }

    /// Whether the text had a message, or an object with a readable id that is no response. An answer to anything else tells the peer no more
    /// than that it was not understood. A dropped notification is readable: [`observed_by`](super::Server::observed_by) tells of it.
    pub const fn is_readable(&self) -> bool {
        !matches!(self.readable, Readable::Nothing)
    }

    /// Whether the text as a whole was refused: an unreadable text, or a batch that the dialect forbids or that lacks room.
    pub const fn is_refused(&self) -> bool {
        !matches!(self.readable, Readable::Message)
    }

    /// Whether the output was too short for the shortest answer to each call, so that no call reached a handler. Each call needs
    /// [`MIN_ANSWER_LEN`] bytes and its id.
    pub const fn lacks_room(&self) -> bool {
        self.lacks_room
    }

    /// Whether the answer is a message [in place of it](super::Reply::instead), and the call is answered later.
    pub const fn is_deferred(&self) -> bool {
        self.is_deferred
    }
}

/// The bytes of output that each call needs besides its id, so that an error response always fits. They hold the error `Invalid Request`,
/// and the comma or bracket before it in a batch.
///
/// ```
/// use nanojsonrpc::server::MIN_ANSWER_LEN;
///
/// let shortest = br#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":},"#;
/// assert_eq!(MIN_ANSWER_LEN, shortest.len());
/// ```
pub const MIN_ANSWER_LEN: usize =
    br#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":},"#.len();

/// The bytes of output that the call `id` needs.
pub(crate) const fn min_answer_len(id: &[u8]) -> usize {
    MIN_ANSWER_LEN.saturating_add(id.len())
}
