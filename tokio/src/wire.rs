//! A stream of bytes as a transport of texts.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes, BytesMut};
use futures_util::{Sink, Stream};
use nanojsonrpc::frame::Frame;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::codec::{Decoder as _, Encoder as _};
use tokio_util::io::poll_read_buf;

use crate::codec::{Codec, Received};

/// The room for a read, in bytes.
const READ: usize = 8 * 1024;
/// The length of the unsent bytes from which on the sink is full.
const UNSENT: usize = 64 * 1024;

/// As `Framed` of tokio-util, but idle streams hold no buffers: 16 KiB less each.
pub(crate) struct Wire<I, F> {
    io: I,
    codec: Codec<F>,
    received: BytesMut,
    unsent: BytesMut,
    has_ended: bool,
}

impl<I, F> Wire<I, F> {
    pub(crate) fn new(io: I, codec: Codec<F>) -> Self {
        Self { io, codec, received: BytesMut::new(), unsent: BytesMut::new(), has_ended: false }
    }
}

impl<I: AsyncRead + Unpin, F: Frame + Unpin> Stream for Wire<I, F> {
    type Item = io::Result<Received>;

    fn poll_next(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let wire = self.get_mut();
        loop {
            let found = if wire.has_ended {
                wire.codec.decode_eof(&mut wire.received)
            } else {
                wire.codec.decode(&mut wire.received)
            };
            match found {
                Ok(Some(found)) => return Poll::Ready(Some(Ok(found))),
                Ok(None) if wire.has_ended => return Poll::Ready(None),
                Ok(None) => {}
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
            wire.received.reserve(READ);
            match poll_read_buf(Pin::new(&mut wire.io), task, &mut wire.received) {
                Poll::Ready(Ok(0)) => wire.has_ended = true,
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Some(Err(error))),
                Poll::Pending => {
                    if wire.received.is_empty() {
                        wire.received = BytesMut::new();
                    }
                    return Poll::Pending;
                }
            }
        }
    }
}

impl<I: AsyncWrite + Unpin, F: Frame + Unpin> Wire<I, F> {
    fn poll_write(&mut self, task: &mut Context<'_>, len: usize) -> Poll<io::Result<()>> {
        while self.unsent.len() > len {
            let written = ready!(Pin::new(&mut self.io).poll_write(task, &self.unsent))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.unsent.advance(written);
        }
        Poll::Ready(Ok(()))
    }
}

impl<I: AsyncWrite + Unpin, F: Frame + Unpin> Sink<Bytes> for Wire<I, F> {
    type Error = io::Error;

    fn poll_ready(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_write(task, UNSENT)
    }

    fn start_send(self: Pin<&mut Self>, text: Bytes) -> io::Result<()> {
        let wire = self.get_mut();
        wire.codec.encode(text, &mut wire.unsent)
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        ready!(wire.poll_write(task, 0))?;
        wire.unsent = BytesMut::new();
        Pin::new(&mut wire.io).poll_flush(task)
    }

    fn poll_close(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(task))?;
        Pin::new(&mut self.get_mut().io).poll_shutdown(task)
    }
}
