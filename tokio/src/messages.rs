//! Messages of a WebSocket as texts.

use std::io;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{Sink, Stream};
use nanojsonrpc::Dialect;
use nanojsonrpc::frame::FrameError;

use crate::{Received, Text};

/// A message of a WebSocket library.
pub(crate) trait Message: Sized {
    /// The text of a message; `None` for a ping or pong. The error ends the stream: a close.
    fn into_text(self) -> Result<Option<Bytes>, Close>;

    fn from_text(text: Bytes) -> Option<Self>;
}

/// The peer closes the stream.
pub(crate) struct Close;

/// A WebSocket as a transport.
#[derive(Debug)]
pub(crate) struct Messages<W, M> {
    socket: W,
    dialect: Dialect,
    message: PhantomData<fn(M)>,
}

impl<W, M> Messages<W, M> {
    pub(crate) const fn new(socket: W, dialect: Dialect) -> Self {
        Self { socket, dialect, message: PhantomData }
    }
}

fn broken(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::other(error)
}

impl<W, M, E> Stream for Messages<W, M>
where
    W: Stream<Item = Result<M, E>> + Unpin,
    M: Message,
    E: std::error::Error + Send + Sync + 'static,
{
    type Item = io::Result<Received>;

    fn poll_next(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let messages = self.get_mut();
        loop {
            let text = match ready!(Pin::new(&mut messages.socket).poll_next(task)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(broken(error)))),
                Some(Ok(message)) => message.into_text(),
            };
            return match text {
                Ok(Some(text)) => Poll::Ready(Some(Ok(Ok::<_, FrameError>(Text::parse(text, messages.dialect))))),
                Ok(None) => continue,
                Err(Close) => Poll::Ready(None),
            };
        }
    }
}

impl<W, M> Sink<Bytes> for Messages<W, M>
where
    W: Sink<M, Error: std::error::Error + Send + Sync + 'static> + Unpin,
    M: Message,
{
    type Error = io::Error;

    fn poll_ready(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_ready(task).map_err(broken)
    }

    fn start_send(self: Pin<&mut Self>, text: Bytes) -> io::Result<()> {
        let message = M::from_text(text).ok_or(io::ErrorKind::InvalidInput)?;
        Pin::new(&mut self.get_mut().socket).start_send(message).map_err(broken)
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_flush(task).map_err(broken)
    }

    fn poll_close(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_close(task).map_err(broken)
    }
}
