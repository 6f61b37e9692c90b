//! What transports without one stream share: the two ends of a client, and answers to calls that no peer answers.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use futures_util::{Sink, Stream};

use crate::Text;
use crate::codec::Received;

/// Reads a message of a topic.
#[cfg(any(feature = "mqtt", feature = "nats"))]
pub(crate) fn received(payload: Bytes, options: &crate::Options) -> Received {
    use tokio_util::codec::Decoder as _;
    if payload.len() > options.max_len {
        // a line beyond the limit, for its fault
        let mut line = BytesMut::from(&b" \n"[..]);
        if let Ok(Some(Err(fault))) = crate::Codec::lines().with_max_len(0).decode_eof(&mut line) {
            return Err(fault);
        }
    }
    Ok(Text::parse(payload, options.dialect))
}

/// The answers `error` to the requests in a text; a batch if they were sent in one.
#[cfg(any(feature = "http-client", feature = "nats"))]
pub(crate) fn refuse(
    requests: impl IntoIterator<Item = crate::Message>,
    is_batch: bool,
    error: &nanojsonrpc::message::OwnedErrorObject,
) -> Bytes {
    let refusal = |request| crate::Response::error(error.clone()).write(&request, &mut Vec::new(), usize::MAX);
    let mut answers = requests.into_iter().filter_map(refusal);
    if !is_batch {
        return answers.next().unwrap_or_default();
    }
    let mut text = BytesMut::new();
    for answer in answers {
        text.extend_from_slice(if text.is_empty() { b"[" } else { b"," });
        text.extend_from_slice(&answer);
    }
    text.extend_from_slice(b"]");
    text.freeze()
}

/// Whether a text has a request, which is answered.
pub(crate) fn has_request(text: &Text) -> bool {
    text.messages().any(|message| message.map_or(true, |message| message.kind() == nanojsonrpc::EnvelopeKind::Request))
}

/// A transport of a stream and a sink that need not be pinned.
pub(crate) struct Ends {
    pub(crate) stream: Pin<Box<dyn Stream<Item = io::Result<Received>> + Send>>,
    pub(crate) sink: Pin<Box<dyn Sink<Bytes, Error = io::Error> + Send>>,
}

impl Stream for Ends {
    type Item = io::Result<Received>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.stream.as_mut().poll_next(task)
    }
}

impl Sink<Bytes> for Ends {
    type Error = io::Error;

    fn poll_ready(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.sink.as_mut().poll_ready(task)
    }

    fn start_send(mut self: Pin<&mut Self>, text: Bytes) -> io::Result<()> {
        self.sink.as_mut().start_send(text)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.sink.as_mut().poll_flush(task)
    }

    fn poll_close(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.sink.as_mut().poll_close(task)
    }
}
