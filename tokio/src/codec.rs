//! The frames of the core as a codec of tokio-util.

use std::io;

use bytes::{Buf as _, BytesMut};
use nanojsonrpc::Dialect;
use nanojsonrpc::frame::{ContentLength, Frame, FrameError, Head, Lines, Splitter, Values};
use tokio_util::codec::{Decoder, Encoder};

use crate::Text;

/// A text, or a fault of the frame, after which reading continues.
pub type Received = Result<Text, FrameError>;

/// The greatest length of a message, unless another one is set: 10 MiB.
pub const MAX_LEN: usize = 10 << 20;

/// Cuts a stream of bytes into owned, validated texts, and writes texts in their frame.
///
/// Texts are split off the buffer without a copy. A text that is no message, and a fault of the frame, are items; the stream ends only if
/// it fails, or if it begins as another protocol.
///
/// ```
/// use futures_util::{SinkExt as _, StreamExt as _};
/// use nanojsonrpc_tokio::Codec;
/// use tokio_util::codec::Framed;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (near, far) = tokio::io::duplex(64);
/// let (mut near, mut far) = (Framed::new(near, Codec::lines()), Framed::new(far, Codec::lines()));
/// near.send(r#"{"jsonrpc":"2.0","method":"ping"}"#).await?;
/// let text = far.next().await.unwrap()?.unwrap();
/// assert!(text.messages().all(|message| message.is_ok_and(|message| message.method() == "ping")));
/// # Ok::<(), std::io::Error>(()) }).unwrap();
/// ```
///
/// # Limits
/// Message: [`MAX_LEN`], or [`with_max_len`](Self::with_max_len). The buffer grows with the received bytes.
#[derive(Debug)]
pub struct Codec<F> {
    splitter: Splitter<F>,
    max_len: usize,
    dialect: Dialect,
}

impl Codec<Lines> {
    /// A message is a line.
    pub const fn lines() -> Self {
        Self::new()
    }
}

impl Codec<ContentLength> {
    /// A message has a head with its length, as in the Language Server Protocol.
    pub const fn content_length() -> Self {
        Self::new()
    }
}

impl Codec<Values> {
    /// A message is a JSON value, with nothing between two of them.
    pub const fn values() -> Self {
        Self::new()
    }
}

impl<F: Frame> Codec<F> {
    /// A codec for the frame `F`, such as [`Delimited`](nanojsonrpc::frame::Delimited) or one of your own.
    pub const fn new() -> Self {
        Self { splitter: Splitter::new(), max_len: MAX_LEN, dialect: Dialect::JSON_RPC }
    }

    /// Sets the greatest length of a received message in bytes; 0 counts as 1. A longer one is a fault.
    #[must_use]
    pub fn with_max_len(self, len: usize) -> Self {
        Self { max_len: len, ..self }
    }

    /// Reads texts by the rules of `dialect`.
    #[must_use]
    pub fn with_dialect(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }

    /// The frame, which has the id of the last event.
    #[cfg(feature = "http-client")]
    pub(crate) const fn frame(&self) -> &F {
        self.splitter.frame()
    }

    fn split(&mut self, bytes: &mut BytesMut, has_ended: bool) -> io::Result<Option<Received>> {
        if self.splitter.is_over() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the stream has another protocol"));
        }
        let found =
            if has_ended { self.splitter.finish(bytes, self.max_len) } else { self.splitter.next(bytes, self.max_len) };
        let kept = self.splitter.kept(bytes);
        bytes.truncate(kept.end);
        Ok(match found {
            Some(Ok(span)) => {
                let mut text = bytes.split_to(kept.start);
                text.truncate(span.end);
                text.advance(span.start);
                Some(Ok(Text::parse(text.freeze(), self.dialect)))
            }
            other => {
                bytes.advance(kept.start);
                other.and_then(Result::err).map(Err)
            }
        })
    }
}

impl<F: Frame> Default for Codec<F> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: Frame> Decoder for Codec<F> {
    type Item = Received;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<Received>> {
        self.split(bytes, false)
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> io::Result<Option<Received>> {
        if self.splitter.is_over() { Ok(None) } else { self.split(bytes, true) }
    }
}

impl<F: Frame, T: AsRef<[u8]>> Encoder<T> for Codec<F> {
    type Error = io::Error;

    fn encode(&mut self, text: T, out: &mut BytesMut) -> io::Result<()> {
        let (text, before) = (text.as_ref(), out.len());
        let too_long = || io::Error::new(io::ErrorKind::InvalidInput, "the frame cannot hold so long a message");
        if text.len() > F::MAX_MESSAGE_LEN {
            return Err(too_long());
        }
        // most frames add a head and a tail; those that change the message may need more room
        let mut room = text.len().saturating_add(Head::MAX_LEN).saturating_add(Head::MAX_TAIL_LEN);
        loop {
            out.resize(before.saturating_add(room), 0);
            let written = F::encode(text, out.get_mut(before..).unwrap_or_default());
            out.truncate(before.saturating_add(*written.as_ref().unwrap_or(&0)));
            match written {
                Ok(_) => return Ok(()),
                Err(_) if room <= text.len().saturating_mul(2) => {
                    room = room.saturating_mul(2).saturating_add(Head::MAX_LEN)
                }
                Err(_) => return Err(too_long()),
            }
        }
    }
}
