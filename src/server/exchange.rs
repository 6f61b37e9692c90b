//! One text in, one text out: reading, deciding and replying without any routing.

use super::Reply;
use super::lookahead::Lookahead;
use super::reply::Progress;
use crate::error::{Error, ErrorKind};
use crate::message::{Dialect, Envelope, EnvelopeKind, Envelopes, ErrorObject};

/// A text that arrived and the answer that goes back: hands out the messages one by one, takes their replies, and
/// answers unreadable ones. [`Server`](super::Server) is a loop over it; write such a loop yourself to wait between a call and
/// its reply.
///
/// ```
/// use nanojsonrpc::{Dialect, EnvelopeKind, ErrorObject, Params, server::Exchange};
///
/// let text = br#"[{"jsonrpc":"2.0","method":"double","params":[21],"id":"a"},{"jsonrpc":"2.0","method":"?","id":2}]"#;
/// let mut output = [0; 256];
/// let mut exchange = Exchange::new(text, &mut output, Dialect::JSON_RPC);
/// while let Some(message) = exchange.next_message() {
///     if message.kind() == EnvelopeKind::Request && message.method() == "double" {
///         let number = Params::from(message.params()).element(0).and_then(|number| number.as_i64());
///         exchange.reply().success(&number.map(|number| number * 2));
///     } else {
///         exchange.reply().error(ErrorObject::METHOD_NOT_FOUND);
///     }
/// }
/// assert_eq!(
///     exchange.finish(),
///     Some(&br#"[{"jsonrpc":"2.0","result":42,"id":"a"},{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":2}]"#[..])
/// );
/// ```
///
/// # A call is never lost
/// Each request is answered exactly once: with -32603 if it is given no reply or one that does not fit `output`. In a
/// batch, room for that is kept for every call yet to come, so an answer too long never takes the place of another; a
/// batch for which `output` cannot be long enough is refused with -32600 before its first call is handed out.
///
/// # Limits
/// `output`: [`MIN_ANSWER_LEN`] bytes and the id, as it is spelled in the text, for each call that is to be answered, one byte
/// more for a batch, and the rest of the replies. With less, no call of the text is handed out: the text is refused with null
/// as the id, or in silence if the output is too short for that too, and [`lacks_room`](Self::lacks_room) is true.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Exchange<'i, 'o> {
    messages: Envelopes<'i>,
    answers: Answers<'i, 'o>,
    ignores_unreadable: bool,
}

/// The answers so far, and the call in hand.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Answers<'i, 'o> {
    output: &'o mut [u8],
    progress: Progress,
    /// Room kept for the answers to come and the closing bracket.
    kept: usize,
    is_batch: bool,
    /// The id, as it came, of the last call.
    open_id: &'i [u8],
    lacks_room: bool,
    is_readable: bool,
}

impl<'i, 'o> Exchange<'i, 'o> {
    /// The exchange of `text`, which is one message or a batch, by the rules of `dialect`. The answer will be in `output`.
    pub fn new(text: &'i [u8], output: &'o mut [u8], dialect: Dialect) -> Self {
        Self::of(text, output, &dialect)
    }

    /// By reference, because a future that holds a copy of the dialect links `memmove`. Inlined, because moving an exchange is 64 bytes
    /// of stack.
    #[cfg_attr(not(target_pointer_width = "64"), inline(always))]
    pub(super) fn of(text: &'i [u8], output: &'o mut [u8], dialect: &Dialect) -> Self {
        let unknown_id = if dialect.allows_error_without_id() { "" } else { "null" };
        let progress = Progress { len: 0, is_open: false, fault: None, unknown_id };
        let answers = Answers {
            output,
            progress,
            kept: 0,
            is_batch: false,
            open_id: unknown_id.as_bytes(),
            lacks_room: false,
            is_readable: false,
        };
        Self { messages: Envelopes::new(text, *dialect), answers, ignores_unreadable: false }
    }

    /// Takes the call `id`, which has been read already, for the one that waits for its reply; `false` if it is refused because
    /// the output is too short.
    pub(super) fn open(&mut self, id: &'i [u8]) -> bool {
        self.answers.open(id)
    }

    /// Takes a call whose id could not be told for the one that waits for its reply.
    pub(super) fn open_unknown(&mut self) {
        self.answers.begin(self.answers.progress.unknown_id.as_bytes());
    }

    /// Whether a text or element that is not a message is skipped in silence instead of answered. The rule does not change
    /// within a batch, because room for its answers was reserved by it.
    pub const fn ignore_unreadable(&mut self, is_ignored: bool) {
        if !self.answers.is_batch {
            self.ignores_unreadable = is_ignored;
        }
    }

    /// Whether the text was refused because the output is too short for the shortest answer to each call.
    pub const fn lacks_room(&self) -> bool {
        self.answers.lacks_room
    }

    /// Whether a message could be read, or refused under its own id.
    pub(super) const fn is_readable(&self) -> bool {
        self.answers.is_readable
    }

    /// Keeps why a notification was not heard.
    pub(super) fn keep_fault(&mut self, outcome: Result<(), Error>) {
        if outcome.is_err() {
            self.answers.progress.fault = outcome.err();
        }
    }

    /// Why the last message was not heard, or its reply was not written.
    pub(super) const fn take_fault(&mut self) -> Option<Error> {
        self.answers.progress.fault.take()
    }

    /// The next message: a request, which wants a [reply](Self::reply), a notification or a response.
    pub fn next_message(&mut self) -> Option<Envelope<'i>> {
        self.next_with(&mut Lookahead::<0>::new(), |_| {})
    }

    /// [`next_message`](Self::next_message), with room for elements of a batch that were judged `ahead`: the same room for each
    /// call of it. `unreadable` is called for each text or element that is none.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub(super) fn next_with<const N: usize>(
        &mut self,
        lookahead: &mut Lookahead<'i, N>,
        mut unreadable: impl FnMut(Error),
    ) -> Option<Envelope<'i>> {
        loop {
            self.answers.settle();
            let next = match lookahead.take() {
                Some((next, is_response)) => {
                    self.messages.again(is_response);
                    next
                }
                None => self.messages.next_judged()?,
            };
            if self.messages.is_batch() && !self.answers.is_batch {
                if let Err(error) = self.keep_room(lookahead) {
                    lookahead.clear();
                    self.messages = Envelopes::none();
                    self.answers.lacks_room = true;
                    self.answers.refuse(None, error);
                    continue;
                }
                if N != 0 {
                    // it comes again, as the first of those that are kept
                    continue;
                }
            }
            match next {
                Ok(envelope) => {
                    if self.answers.admit(&envelope) {
                        return Some(envelope);
                    }
                }
                Err((error, _)) if self.ignores_unreadable || self.messages.is_response() => unreadable(error),
                Err((error, id)) => {
                    unreadable(error);
                    self.answers.refuse(id.map(|id| id.as_bytes()), error);
                }
            }
        }
    }

    /// Begins a batch, the first element of which has been judged, and keeps room for the shortest answer to each of them that
    /// is answered.
    ///
    /// # Errors
    /// [`ErrorKind::BatchTooLong`] if the output is too short.
    fn keep_room<const N: usize>(&mut self, lookahead: &mut Lookahead<'i, N>) -> Result<(), Error> {
        let mut elements = self.messages.rewound();
        // the text behind the kept elements
        let mut rest = None;
        // the closing bracket; the opening one takes the place of the first comma
        let mut room = 1usize;
        while let Some(element) = elements.next_judged() {
            if N != 0 && lookahead.keep(element, elements.is_response()) {
                rest = Some(elements.clone());
            }
            // the id with which it is answered
            let id = match element {
                Ok(envelope) if envelope.kind() == EnvelopeKind::Request => envelope.id(),
                Ok(_) => continue,
                Err(_) if self.ignores_unreadable || elements.is_response() => continue,
                Err((_, id)) => id,
            };
            let id = id.map_or(NULL, |id| id.as_bytes());
            room = room.saturating_add(min_answer_len(id));
            if room > self.answers.output.len() {
                return Err(Error::new(ErrorKind::BatchTooLong, 0));
            }
        }
        if N != 0 {
            self.messages = rest.unwrap_or(elements);
        }
        self.answers.kept = room;
        self.answers.is_batch = true;
        Ok(())
    }

    /// Where the reply to the request that was handed out last goes. Leads nowhere if there is none, or if it has got its
    /// reply.
    pub fn reply(&mut self) -> Reply<'_> {
        self.answers.reply()
    }

    /// The part of the output that holds no answer yet: free until the next reply.
    pub(super) fn scratch(&mut self) -> &mut [u8] {
        self.answers.output.get_mut(self.answers.progress.len..).unwrap_or_default()
    }

    /// The answer: `None` if nothing is to be sent.
    pub fn finish(mut self) -> Option<&'o [u8]> {
        // calls that were not handed out need an answer too
        while self.next_message().is_some() {}
        self.answer()
    }

    /// The answer. By reference, because moving an exchange links `memcpy`.
    pub(super) fn answer(&mut self) -> Option<&'o [u8]> {
        self.answers.settle();
        self.answers.finish()
    }
}

/// How many bytes of output each call needs besides its id, so that it can be answered whatever happens: the shortest error
/// response, and the comma or bracket before it in a batch.
///
/// ```
/// use nanojsonrpc::server::MIN_ANSWER_LEN;
///
/// let shortest = br#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":},"#;
/// assert_eq!(MIN_ANSWER_LEN, shortest.len());
/// ```
pub const MIN_ANSWER_LEN: usize =
    br#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":},"#.len();

const fn min_answer_len(id: &[u8]) -> usize {
    MIN_ANSWER_LEN.saturating_add(id.len())
}

const NULL: &[u8] = b"null";

impl<'i, 'o> Answers<'i, 'o> {
    /// Gives the room that was kept for the call `id` to its reply; `false` in an output that is too short for the shortest
    /// answer to it. Then the reply is given no id.
    fn begin(&mut self, id: &'i [u8]) -> bool {
        self.progress.is_open = true;
        self.open_id = id;
        let len = min_answer_len(id);
        if self.is_batch {
            self.kept = self.kept.saturating_sub(len);
        } else if len > self.output.len() {
            self.lacks_room = true;
            self.open_id = self.progress.unknown_id.as_bytes();
        }
        !self.lacks_room
    }

    /// Answers the last call if it has no reply.
    fn settle(&mut self) {
        if self.progress.is_open {
            self.reply().internal_error();
        }
    }

    /// Takes note of a message; `false` if it is a call that is refused because the output is too short.
    fn admit(&mut self, envelope: &Envelope<'i>) -> bool {
        self.is_readable = true;
        envelope.kind() != EnvelopeKind::Request || self.open(envelope.id().map_or(NULL, |id| id.as_bytes()))
    }

    /// Opens the call `id`; `false` if it is refused because the output is too short.
    fn open(&mut self, id: &'i [u8]) -> bool {
        let is_open = self.begin(id);
        if !is_open {
            self.refuse(None, Error::new(ErrorKind::IdTooLong, 0));
        }
        is_open
    }

    /// In one place, because each would link the writing of an error again.
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    fn refuse(&mut self, id: Option<&'i [u8]>, error: Error) {
        let id = match id {
            // null, too, is one that could not be told
            None | Some([b'n', ..]) => self.progress.unknown_id.as_bytes(),
            Some(id) => {
                self.is_readable = true;
                id
            }
        };
        self.begin(id);
        self.reply().error(ErrorObject::refusing(error));
    }

    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    fn reply(&mut self) -> Reply<'_> {
        let id = if self.progress.is_open { Some(self.open_id) } else { None };
        let end = self.output.len().saturating_sub(self.kept);
        let room = self.output.get_mut(self.progress.len..end).unwrap_or_default();
        Reply::new(room, &mut self.progress, id, self.is_batch)
    }

    fn finish(&mut self) -> Option<&'o [u8]> {
        let output = core::mem::take(&mut self.output);
        let mut len = self.progress.len;
        if self.is_batch && len != 0 {
            *output.get_mut(len)? = b']';
            len = len.wrapping_add(1);
        }
        let output: &'o [u8] = output;
        output.get(..len).filter(|answer| !answer.is_empty())
    }
}
