//! One text in, one text out: reading, deciding and replying without any routing.

use super::Reply;
use super::reply::Progress;
use crate::error::{Error, ErrorKind};
use crate::message::{Dialect, Envelope, EnvelopeKind, Envelopes, ErrorObject, Refused};

/// A text that arrived and the answer that goes back: hands out the messages one by one, takes their replies, and
/// answers what cannot be read. [`Server`](super::Server) is a loop over it; so can your own code be, with whatever
/// waiting it needs between the question and the reply.
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
/// `output`: 80 bytes and the id for each call of a text that is to be answered, and what the replies take beyond that. If
/// not even this is there for a single call, the error goes out without the id, and in less than 80 bytes not at all.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Exchange<'i, 'o> {
    messages: Envelopes<'i>,
    answers: Answers<'i, 'o>,
    ignores_unreadable: bool,
}

/// What has been answered, and what is to be.
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Answers<'i, 'o> {
    output: &'o mut [u8],
    progress: Progress,
    /// Room kept for the answers to come and the closing bracket.
    kept: usize,
    is_batch: bool,
    /// The id, as it came, of the last call.
    asked: &'i [u8],
}

impl<'i, 'o> Exchange<'i, 'o> {
    /// The exchange of `text`, which is one message or a batch, by the rules of `dialect`. The answer will be in `output`.
    pub fn new(text: &'i [u8], output: &'o mut [u8], dialect: Dialect) -> Self {
        let unknown = if dialect.allows_error_without_id() { "" } else { "null" };
        let progress = Progress { len: 0, is_asked: false, unknown };
        let answers = Answers { output, progress, kept: 0, is_batch: false, asked: unknown.as_bytes() };
        Self { messages: Envelopes::new(text, dialect), answers, ignores_unreadable: false }
    }

    /// Takes the call `id`, which has been read already, for the one that waits for its reply.
    pub(super) fn ask(&mut self, id: &'i [u8]) {
        self.answers.open(id);
    }

    /// Takes a call whose id could not be told for the one that waits for its reply.
    pub(super) fn ask_unknown(&mut self) {
        self.answers.open(self.answers.progress.unknown.as_bytes());
    }

    /// Whether a text or element that is no message is passed over in silence rather than answered.
    pub const fn ignore_unreadable(&mut self, is_ignored: bool) {
        self.ignores_unreadable = is_ignored;
    }

    /// The next message: a request, which wants a [reply](Self::reply), a notification or a response.
    pub fn next_message(&mut self) -> Option<Envelope<'i>> {
        loop {
            self.answers.settle();
            let next = self.messages.next()?;
            if self.messages.is_batch() && !self.answers.is_batch {
                if let Err(error) = self.answers.keep_room(self.messages.rewound(), self.ignores_unreadable) {
                    self.messages = Envelopes::none();
                    self.answers.refuse(&Refused { error, id: None });
                    continue;
                }
            }
            match next {
                Ok(envelope) => {
                    self.answers.ask(&envelope);
                    return Some(envelope);
                }
                Err(_) if self.ignores_unreadable => {}
                Err(refused) => self.answers.refuse(&refused),
            }
        }
    }

    /// Where the reply to the request that was handed out last goes. Leads nowhere if there is none, or if it has got its
    /// reply.
    pub fn reply(&mut self) -> Reply<'_> {
        self.answers.reply()
    }

    /// The answer: `None` if nothing is to be sent.
    pub fn finish(mut self) -> Option<&'o [u8]> {
        // what has not been handed out wants its answer, too
        while self.next_message().is_some() {}
        self.answer()
    }

    /// What has been answered. In place, because moving an exchange links `memcpy`.
    pub(super) fn answer(&mut self) -> Option<&'o [u8]> {
        self.answers.settle();
        self.answers.finish()
    }
}

/// Room for the shortest answer to a call, besides its id: -32600 with the standard message, and a comma.
const SHORTEST: usize = br#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":},"#.len();

const fn floor(id: &[u8]) -> usize {
    SHORTEST.saturating_add(id.len())
}

/// The id with which a message is answered.
fn id_of<'i>(element: &Result<Envelope<'i>, Refused<'i>>) -> Option<&'i [u8]> {
    match element {
        Ok(envelope) if envelope.kind() == EnvelopeKind::Request => envelope.id().map(|id| id.as_bytes()),
        Ok(_) => None,
        Err(refused) => Some(refused.id.map_or(NULL, |id| id.as_bytes())),
    }
}

const NULL: &[u8] = b"null";

impl<'i, 'o> Answers<'i, 'o> {
    /// Begins a batch and keeps room for the shortest answer to each of the `elements` that is answered.
    ///
    /// # Errors
    /// [`ErrorKind::BatchTooLong`] if the output is too short for them.
    fn keep_room(&mut self, elements: Envelopes<'i>, ignores_unreadable: bool) -> Result<(), Error> {
        // the closing bracket; the opening one takes the place of the first comma
        let mut room = 1usize;
        for element in elements {
            if element.is_err() && ignores_unreadable {
                continue;
            }
            let Some(id) = id_of(&element) else { continue };
            room = room.saturating_add(floor(id));
            if room > self.output.len() {
                return Err(Error::new(ErrorKind::BatchTooLong, 0));
            }
        }
        self.kept = room;
        self.is_batch = true;
        Ok(())
    }

    fn ask(&mut self, envelope: &Envelope<'i>) {
        if envelope.kind() == EnvelopeKind::Request {
            self.open(envelope.id().map_or(NULL, |id| id.as_bytes()));
        }
    }

    /// Gives the room that was kept for the call `id` to its reply.
    fn open(&mut self, id: &'i [u8]) {
        self.kept = self.kept.saturating_sub(if self.is_batch { floor(id) } else { 0 });
        self.asked = id;
        self.progress.is_asked = true;
    }

    /// Answers the last call if nobody has.
    fn settle(&mut self) {
        if self.progress.is_asked {
            self.reply().none();
        }
    }

    fn refuse(&mut self, refused: &Refused<'i>) {
        // null, too, is one that could not be told
        let id = refused.id.map_or(NULL, |id| id.as_bytes());
        self.open(if matches!(id, [b'n', ..]) { self.progress.unknown.as_bytes() } else { id });
        self.reply().error(ErrorObject::refusing(refused.error));
    }

    fn reply(&mut self) -> Reply<'_> {
        let id = if self.progress.is_asked { Some(self.asked) } else { None };
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
