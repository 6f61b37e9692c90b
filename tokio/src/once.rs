//! Texts that arrive without a stream, such as the body of an HTTP request.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::{Sink, Stream};
use tower::Service;

use crate::codec::Received;
use crate::connection::{Connection, Shared};
use crate::{BoxError, Client, Options, Request, Response, Text};

/// A transport of one text, which keeps the answer.
#[derive(Debug, Default)]
struct Once {
    text: Option<Text>,
    answer: Option<Bytes>,
}

impl Stream for &mut Once {
    type Item = io::Result<Received>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.get_mut().text.take().map(|text| Ok(Ok(text))))
    }
}

impl Sink<Bytes> for &mut Once {
    type Error = io::Error;

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn start_send(self: Pin<&mut Self>, text: Bytes) -> io::Result<()> {
        let once = self.get_mut();
        // the text has one answer, which is the last; before it, a handler may notify, which nobody hears
        if let Some(unheard) = once.answer.replace(text) {
            tracing::debug!("not sent: {}", unheard.escape_ascii());
        }
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Answers one text, a message or a batch, as a connection would: with its limits, deadlines and panics. `None` without an answer. If the
/// future is dropped, its calls are aborted.
pub(crate) async fn once<S>(text: Text, service: S, options: &Options) -> Option<Bytes>
where
    S: Service<Request, Response = Response> + Send + Unpin,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
{
    let (peer, commands, handle) = Client::channel(options);
    let (mut once, mut shared) = (Once { text: Some(text), answer: None }, Shared::new(commands, handle));
    Connection::new(&mut once, Some(service), &mut shared, options.clone()).await;
    drop(peer);
    once.answer
}
