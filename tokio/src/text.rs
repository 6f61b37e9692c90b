//! Owned messages: the bytes of a text, and the parts of its messages, which borrow from it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use nanojsonrpc::message::Str;
use nanojsonrpc::{Dialect, Envelope, EnvelopeKind, Params, PayloadError, RawValue, Refused};
use self_cell::self_cell;
use serde::de::DeserializeOwned;

self_cell!(
    struct Parsed {
        owner: Bytes,
        #[covariant]
        dependent: Elements,
    }
);

/// The messages of a text.
enum Elements<'a> {
    One(Result<Envelope<'a>, Refused<'a>>),
    /// With the span of each element.
    Batch(Vec<(Range<usize>, Result<Envelope<'a>, Refused<'a>>)>),
}

/// A received text, validated once: one message or a batch. Clones share it.
#[derive(Clone)]
pub struct Text(Arc<Parsed>);

impl Text {
    /// Reads `text` by the rules of `dialect`. A text that breaks them is one [`Unreadable`] message.
    ///
    /// ```
    /// use nanojsonrpc::Dialect;
    /// use nanojsonrpc_tokio::Text;
    ///
    /// let text = Text::parse(&br#"[{"jsonrpc":"2.0","method":"on","id":1},7]"#[..], Dialect::JSON_RPC);
    /// let messages: Vec<_> = text.messages().collect();
    /// assert!(text.is_batch());
    /// assert!(messages[0].as_ref().is_ok_and(|message| message.method() == "on"));
    /// assert!(messages[1].as_ref().is_err_and(|unreadable| unreadable.refused().offset() == 40));
    /// ```
    pub fn parse(text: impl Into<Bytes>, dialect: Dialect) -> Self {
        Self(Arc::new(Parsed::new(text.into(), |text| match Envelope::parse_as(text, dialect) {
            Ok(envelope) => match envelope.batch() {
                Some(batch) => {
                    let spans = batch
                        .raw()
                        .elements()
                        .map(|element| element.offset()..element.offset().saturating_add(element.as_bytes().len()));
                    Elements::Batch(spans.zip(batch.elements()).collect())
                }
                None => Elements::One(Ok(envelope)),
            },
            Err(refused) => Elements::One(Err(refused)),
        })))
    }

    /// Whether the text is a batch.
    pub fn is_batch(&self) -> bool {
        matches!(self.0.borrow_dependent(), Elements::Batch(_))
    }

    /// The bytes of the text.
    pub fn as_bytes(&self) -> &Bytes {
        self.0.borrow_owner()
    }

    /// The messages in order: one, or the elements of a batch.
    pub fn messages(&self) -> impl Iterator<Item = Result<Message, Unreadable>> + use<> {
        let len = match self.0.borrow_dependent() {
            Elements::One(_) => 1,
            Elements::Batch(elements) => elements.len(),
        };
        let parsed = Arc::clone(&self.0);
        (0..len).map(move |index| {
            let element = Element { parsed: Arc::clone(&parsed), index };
            if element.read().is_ok() { Ok(Message(element)) } else { Err(Unreadable(element)) }
        })
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({})", self.as_bytes().escape_ascii())
    }
}

/// A message of a text.
#[derive(Clone)]
struct Element {
    parsed: Arc<Parsed>,
    index: usize,
}

/// What an index beyond the elements reads: never happens.
const NOTHING: &[u8] = b"";

impl Element {
    fn read(&self) -> Result<&Envelope<'_>, Option<&Refused<'_>>> {
        let read = match self.parsed.borrow_dependent() {
            Elements::One(read) => Some(read),
            Elements::Batch(elements) => elements.get(self.index).map(|(_, read)| read),
        };
        read.ok_or(None)?.as_ref().map_err(Some)
    }

    fn text(&self) -> Bytes {
        let whole = self.parsed.borrow_owner();
        match self.parsed.borrow_dependent() {
            Elements::One(_) => whole.clone(),
            Elements::Batch(elements) => {
                elements.get(self.index).map_or(Bytes::from_static(NOTHING), |(span, _)| whole.slice(span.clone()))
            }
        }
    }
}

/// One valid message: a request, a notification or a response. Owns its text; clones share it.
#[derive(Clone)]
pub struct Message(Element);

impl Message {
    /// Reads one message by the rules of JSON-RPC 2.0.
    ///
    /// # Errors
    /// [`Unreadable`] if `text` is not one valid message.
    pub fn parse(text: impl Into<Bytes>) -> Result<Self, Unreadable> {
        let text = Text::parse(text, Dialect::JSON_RPC);
        let element = Element { parsed: text.0, index: 0 };
        let is_message = matches!(element.parsed.borrow_dependent(), Elements::One(Ok(_)));
        if is_message { Ok(Self(element)) } else { Err(Unreadable(element)) }
    }

    /// The message, borrowed: kind, id, method and payload, and the other members.
    pub fn envelope(&self) -> Envelope<'_> {
        match self.0.read() {
            Ok(envelope) => *envelope,
            Err(_) => unreachable!("only a valid element is a message"),
        }
    }

    /// The kind of the message; never that of a batch.
    pub fn kind(&self) -> EnvelopeKind {
        self.envelope().kind()
    }

    /// The decoded method; empty for a response.
    pub fn method(&self) -> Str<'_> {
        Str::Raw(self.envelope().method())
    }

    /// The id as it was sent.
    pub fn id(&self) -> Option<RawValue<'_>> {
        self.envelope().id()
    }

    /// The params of a request or notification.
    ///
    /// # Errors
    /// Params that do not fit `T`.
    pub fn params<T: DeserializeOwned>(&self) -> Result<T, PayloadError> {
        Params::from(self.envelope().params()).read()
    }

    /// The text of the message; of an element of a batch, its part.
    pub fn text(&self) -> Bytes {
        self.0.text()
    }

    /// The params, the result or the error object, as the text that it is.
    pub fn payload(&self) -> Option<RawValue<'_>> {
        let envelope = self.envelope();
        envelope.params().or_else(|| envelope.result()).or_else(|| envelope.error())
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Message({})", self.text().escape_ascii())
    }
}

/// A text, or an element of a batch, that is no valid message.
#[derive(Clone)]
pub struct Unreadable(Element);

impl Unreadable {
    /// The fault, its offset in the whole text, and the id, if it could be read.
    pub fn refused(&self) -> Refused<'_> {
        match self.0.read() {
            Err(Some(refused)) => *refused,
            // a batch where one message was expected, which the empty text stands for
            _ => match Envelope::parse(NOTHING) {
                Err(refused) => refused,
                Ok(_) => unreachable!(),
            },
        }
    }

    /// The whole text.
    pub fn text(&self) -> &Bytes {
        self.0.parsed.borrow_owner()
    }
}

impl fmt::Debug for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unreadable({}: {})", self.refused(), self.text().escape_ascii())
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.refused().fmt(f)
    }
}

impl std::error::Error for Unreadable {}
