//! Processes one text without routes.

use super::processed::{Readable, min_answer_len};
use super::progress::Progress;
use super::{Processed, Reply};
use crate::error::{Error, ErrorKind};
use crate::json::{Elements, ObjectWriter, Output, RawValue, Room};
use crate::message::{Dialect, Envelope, EnvelopeKind, Envelopes, ErrorCode, refusal, standard};

/// Processes one text without routes: returns its messages one by one, collects the replies, and answers unreadable elements itself.
/// [`Server`](super::Server) is a loop over an exchange. A program can write its own loop, and may wait between a message and its reply.
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
///     exchange.finish().answer(),
///     Some(&br#"[{"jsonrpc":"2.0","result":42,"id":"a"},{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":2}]"#[..])
/// );
/// ```
///
/// # A call is never lost
/// Each request gets exactly one answer. The answer is -32603 if the program gives no reply, or a reply that does not fit `output`. In a
/// batch, room for this error is reserved for each later call, so a long answer never displaces another answer. A batch that needs more
/// room than `output` has is refused with -32600 before the exchange returns its first call.
///
/// # Limits
/// `output` needs [`MIN_ANSWER_LEN`](super::MIN_ANSWER_LEN) bytes and the id as spelled in the text for each call, one byte more for a
/// batch, and the additional room of longer replies. If `output` is too short for the shortest answers, the exchange returns no call of the text. The answer is then
/// -32600 with a null id: `id too long` for a single call, `batch too long` for a batch; or no answer, if this error does not fit either.
/// [`Processed::lacks_room`] then returns `true`. The length of an output that grows is its limit.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Exchange<'i, 'o> {
    messages: Envelopes<'i>,
    /// The envelope that messages are read into.
    envelope: Envelope<'i>,
    answers: Answers<'i, 'o>,
    ignores_unreadable: bool,
}

/// The answers so far, and the state of the current call.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Answers<'i, 'o> {
    output: Room<'o>,
    progress: Progress,
    /// The text in place of an unknown id: `null`, or nothing.
    unknown_id: &'static str,
    /// Whether an answer to an unreadable text has `jsonrpc`.
    writes_version: bool,
    /// The length reserved for later answers and the closing bracket.
    kept: usize,
    /// The id of the last call, as spelled in the text.
    open_id: &'i [u8],
    lacks_room: bool,
    readable: Readable,
}

impl<'i, 'o> Exchange<'i, 'o> {
    /// Begins to process `text`, one message or a batch, by the rules of `dialect`. The answer is written to `output`.
    pub fn new<O: Output + ?Sized>(text: &'i [u8], output: &'o mut O, dialect: Dialect) -> Self {
        Self::of(text, output.room(), &dialect)
    }

    /// [`new`](Self::new) with the dialect by reference, because a future that holds a copy of it links `memmove`. Inlined, because
    /// moving an exchange takes stack.
    #[inline(always)]
    pub(super) fn of(text: &'i [u8], output: Room<'o>, dialect: &Dialect) -> Self {
        Self {
            messages: Envelopes::new(text, *dialect),
            envelope: Envelope::unread(text, *dialect),
            answers: Answers::new(output, dialect),
            ignores_unreadable: false,
        }
    }

    /// Opens a call that the program has read itself; `id` is its id as JSON. Returns `false` if the call is refused because the output
    /// is too short.
    pub(super) fn open(&mut self, id: &'i [u8]) -> bool {
        self.answers.readable = Readable::Message;
        self.answers.open(id)
    }

    /// Sets whether unreadable texts and elements are dropped without an answer. Has no effect on a batch after its
    /// first message, because the room for its answers is reserved by then.
    ///
    /// ```
    /// use nanojsonrpc::{Dialect, server::Exchange};
    ///
    /// let mut output = [0; 128];
    /// let mut exchange = Exchange::new(b"not JSON", &mut output, Dialect::JSON_RPC);
    /// exchange.ignore_unreadable(true);
    /// assert!(exchange.next_message().is_none());
    /// let processed = exchange.finish();
    /// assert!(processed.answer().is_none() && !processed.lacks_room());
    /// ```
    pub const fn ignore_unreadable(&mut self, is_ignored: bool) {
        if !self.answers.progress.is_batch {
            self.ignores_unreadable = is_ignored;
        }
    }

    /// Stores the fault of a notification with params that do not fit its listener.
    pub(super) fn keep_fault(&mut self, outcome: Result<(), Error>) {
        if outcome.is_err() {
            self.answers.progress.fault = outcome.err();
        }
    }

    /// Answers a request whose handler was dropped at its time limit, unless it has an answer, and remembers that for the observer.
    #[inline(never)]
    pub(super) fn time_out(&mut self) {
        self.reply().standard_error(standard::TIMED_OUT);
        self.answers.progress.is_timed_out = true;
    }

    /// Whether the handler of the last message was dropped at its time limit.
    pub(super) const fn take_timed_out(&mut self) -> bool {
        core::mem::replace(&mut self.answers.progress.is_timed_out, false)
    }

    /// The fault of the last message: params that do not fit its listener, or a reply that was not written.
    pub(super) const fn take_fault(&mut self) -> Option<Error> {
        self.answers.progress.fault.take()
    }

    /// The code of the error that answers the last call; `None` for a result.
    pub(super) const fn code(&self) -> Option<ErrorCode> {
        self.answers.progress.code()
    }

    /// Appends the members that `write` writes to the answer to the last call. If they do not fit, the answer stays as it was. A message in
    /// place of the answer gets none.
    pub(super) fn add_members(&mut self, write: impl FnOnce(&mut ObjectWriter<'_, '_>)) -> Result<(), Error> {
        let Answers { output, progress, kept, .. } = &mut self.answers;
        let Some(inner) = progress.len.checked_sub(1).filter(|_| !progress.is_deferred) else { return Ok(()) };
        let end = output.len().saturating_sub(*kept);
        // the closing brace moves behind the members
        let mut out = output.reborrow().writer(inner, end);
        write(&mut ObjectWriter::over(&mut out));
        out.put_byte(b'}');
        let written = out.finish(0);
        if written.is_err() {
            out.put_byte(b'}');
        }
        progress.len = inner.wrapping_add(out.len());
        written
    }

    /// Answers the last call with -32603 if it has no reply, which is a fault.
    pub(super) fn settle(&mut self) {
        self.answers.settle();
    }

    /// Returns the next message: a request, to be answered through [`reply`](Self::reply), a notification or a response.
    pub fn next_message(&mut self) -> Option<Envelope<'i>> {
        if self.next_with(|_, _| {}) { Some(self.envelope) } else { None }
    }

    /// The message that [`next_with`](Self::next_with) has read; unspecified after a call that returned `false`.
    pub(crate) const fn message(&self) -> &Envelope<'i> {
        &self.envelope
    }

    /// Reads the next message into the envelope that [`message`](Self::message) returns; `false` after the last message. Calls `unreadable`
    /// with each text or element that is not a message, and its error. Not inlined on devices: less flash and stack.
    ///
    /// A batch is read twice: first to reserve room for the shortest answer to each element, then element by element.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    #[cfg_attr(not(target_pointer_width = "64"), inline(never))]
    pub(super) fn next_with(&mut self, mut unreadable: impl FnMut(&Envelope<'i>, Error)) -> bool {
        self.answers.settle();
        // `Some` in the first reading of a batch: the elements to read again, and the room so far
        let mut count: Option<(Elements<'i>, usize)> = None;
        loop {
            // a variable: 228 bytes of flash less (thumbv7m at `s`, 2026-11)
            let next = self.messages.next_into(&mut self.envelope);
            let Some(outcome) = next else {
                let Some((again, room)) = count.take() else { return false };
                self.messages.set_rest(again);
                self.answers.kept = room;
                self.answers.progress.is_batch = true;
                continue;
            };
            let is_answered =
                self.envelope.kind() == EnvelopeKind::Request && (outcome.is_ok() || !self.ignores_unreadable);
            if let Some((_, room)) = &mut count {
                if !is_answered {
                    continue;
                }
                // the id in the answer
                let id = match self.envelope.id_text() {
                    [] => NULL,
                    id => id,
                };
                *room = room.saturating_add(min_answer_len(id));
                if *room > self.answers.output.len() {
                    self.messages.set_rest(Elements::none());
                    self.answers.lacks_room = true;
                    self.answers.refuse(&[], Error::new(ErrorKind::BatchTooLong, 0));
                    return false;
                }
                continue;
            }
            match outcome {
                Ok(()) if self.envelope.kind() == EnvelopeKind::Batch => {
                    // one byte for `]`; `[` takes the byte of the first comma
                    count = Some((self.messages.rest(), 1));
                }
                Ok(()) => {
                    if self.answers.open_request(&self.envelope) {
                        return true;
                    }
                }
                Err(error) => {
                    unreadable(&self.envelope, error);
                    if is_answered {
                        self.answers.refuse(self.envelope.id_text(), error);
                    }
                }
            }
        }
    }

    /// Returns the writer of the reply to the last request. The reply is not written if the last message was not a request, or already has
    /// a reply.
    pub fn reply(&mut self) -> Reply<'_> {
        self.answers.reply()
    }

    /// The part of the output after the answers so far. It is free until the next reply. If it grows, the strings with escapes of `params` fit.
    pub(super) fn scratch(&mut self, params: Option<RawValue<'_>>) -> &mut [u8] {
        let Answers { output, progress, .. } = &mut self.answers;
        output.reborrow().scratch(progress.len, params)
    }

    /// Returns the answer, which a later call no longer has. Takes `&mut self`, because moving an exchange links `memcpy`.
    pub fn finish(&mut self) -> Processed<'o> {
        // the program may stop early: answer the remaining messages
        while self.next_message().is_some() {}
        self.end()
    }

    /// Ends the answer and returns it.
    #[inline]
    pub(super) fn end(&mut self) -> Processed<'o> {
        self.answers.end()
    }
}

const NULL: &[u8] = b"null";

impl<'i, 'o> Answers<'i, 'o> {
    #[inline(always)]
    pub(super) fn new(output: Room<'o>, dialect: &Dialect) -> Self {
        let unknown_id = dialect.unknown_id();
        Self {
            output,
            progress: Progress::new(false, dialect.writes_version()),
            unknown_id,
            writes_version: dialect.writes_version(),
            kept: 0,
            open_id: unknown_id.as_bytes(),
            lacks_room: false,
            readable: Readable::Nothing,
        }
    }

    /// Opens the call `id` and releases its reserved room for the reply. Returns `false` if the output is too short for the shortest
    /// answer; the reply then has the unknown id.
    #[inline(never)]
    fn begin(&mut self, id: &'i [u8]) -> bool {
        self.progress.is_open = true;
        self.progress.code = None;
        self.open_id = id;
        let len = min_answer_len(id);
        if self.progress.is_batch {
            self.kept = self.kept.saturating_sub(len);
        } else if len > self.output.len() {
            self.lacks_room = true;
            self.open_id = self.unknown_id.as_bytes();
        }
        !self.lacks_room
    }

    /// Answers the last call with -32603 if it has no reply.
    fn settle(&mut self) {
        if self.progress.is_open {
            self.answer_open();
        }
    }

    #[cfg_attr(feature = "alloc", cold, inline(never))]
    fn answer_open(&mut self) {
        self.reply().internal_error();
    }

    /// Opens the call of a request. Returns `false` if the call is refused because the output is too short.
    fn open_request(&mut self, envelope: &Envelope<'i>) -> bool {
        self.readable = Readable::Message;
        self.progress.has_version = envelope.has_version();
        envelope.kind() != EnvelopeKind::Request || self.open(envelope.id_text())
    }

    /// Opens the call `id`. Returns `false` if the call is refused because the output is too short.
    fn open(&mut self, id: &'i [u8]) -> bool {
        let is_open = self.begin(id);
        if !is_open {
            self.refuse(&[], Error::new(ErrorKind::IdTooLong, 0));
        }
        is_open
    }

    /// Answers with an error. `id` is the id of the message, empty if unknown. Not inlined, because each copy would link the
    /// writing of an error again.
    #[inline(never)]
    fn refuse(&mut self, id: &'i [u8], error: Error) {
        let id = match id {
            // null counts as an unknown id, too
            [] | [b'n', ..] => self.unknown_id.as_bytes(),
            id => {
                self.readable = Readable::Message;
                id
            }
        };
        if let ErrorKind::BatchNotAllowed | ErrorKind::BatchTooLong = error.kind() {
            self.readable = Readable::RefusedBatch;
        }
        self.begin(id);
        self.progress.has_version = self.writes_version;
        self.reply().standard_error(refusal(error.kind()));
    }

    #[inline(never)]
    fn reply(&mut self) -> Reply<'_> {
        let id = if self.progress.is_open { self.open_id } else { &[] };
        let end = self.output.len().saturating_sub(self.kept);
        let out = self.output.reborrow().writer(self.progress.len, end);
        Reply::new(out, &mut self.progress, id)
    }

    /// Ends the answer and returns it. Takes `&mut self`, because moving the answers links `memcpy`.
    #[inline]
    pub(super) fn end(&mut self) -> Processed<'o> {
        self.settle();
        Processed {
            code: self.progress.code().filter(|_| !self.progress.is_batch),
            readable: self.readable,
            lacks_room: self.lacks_room,
            is_deferred: self.progress.is_deferred,
            answer: self.written(),
        }
    }

    fn written(&mut self) -> Option<&'o [u8]> {
        let output = core::mem::take(&mut self.output);
        let mut len = self.progress.len;
        let output = output.bytes(0, len.wrapping_add(1));
        if self.progress.is_batch && len != 0 {
            *output.get_mut(len)? = b']';
            len = len.wrapping_add(1);
        }
        let output: &'o [u8] = output;
        output.get(..len).filter(|answer| !answer.is_empty())
    }
}
