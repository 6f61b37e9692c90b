//! Streams of bytes as transports, by the name of their frame.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use nanojsonrpc::frame::{ContentLength, Delimited, Delimiter, Events, Frame, FrameError, Lines, Splitter, Values};
use nanojsonrpc_tokio::{Options, Transport, stream};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};

use crate::args::FrameName;

/// A stream of bytes in both directions.
pub(crate) trait Bytes: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<I: AsyncRead + AsyncWrite + Unpin + Send + 'static> Bytes for I {}

macro_rules! delimiters {
    ($($name:ident $ends:literal)*) => {$(
        struct $name;

        impl Delimiter for $name {
            const ENDS: &'static [u8] = $ends;
        }
    )*};
}

delimiters! { Cr b"\r" Nul b"\0" Etx b"\x03" }

/// Lines whose writer ends them with CR and LF.
struct CrLf;

impl Delimiter for CrLf {
    const ENDS: &'static [u8] = b"\n";
    const TAIL: &'static [u8] = b"\r\n";
}

/// The transport over `io` of messages in this frame.
pub(crate) fn framed(io: impl Bytes, frame: &FrameName, options: &Options) -> Box<dyn Transport> {
    match frame {
        FrameName::Lf => Box::new(stream::<Lines, _>(io, options)),
        FrameName::Cr => Box::new(stream::<Delimited<Cr>, _>(io, options)),
        FrameName::CrLf => Box::new(stream::<Delimited<CrLf>, _>(io, options)),
        FrameName::Nul => Box::new(stream::<Delimited<Nul>, _>(io, options)),
        FrameName::Etx => Box::new(stream::<Delimited<Etx>, _>(io, options)),
        FrameName::Bytes(end) => Box::new(stream::<Lines, _>(Ended::new(io, end.clone()), options)),
        FrameName::ContentLength => Box::new(stream::<ContentLength, _>(io, options)),
        FrameName::Values => Box::new(stream::<Values, _>(io, options)),
        FrameName::Events => Box::new(stream::<Events, _>(io, options)),
    }
}

/// The bytes of a part of [`in_parts`].
const PART: usize = 16;

/// The same stream, whose messages are written in parts with a pause between them.
pub(crate) fn in_parts(io: impl Bytes) -> impl Bytes {
    let (near, far) = tokio::io::duplex(PART);
    let ((mut input, mut output), (mut sent, mut received)) = (tokio::io::split(io), tokio::io::split(far));
    tokio::spawn(async move { tokio::io::copy(&mut input, &mut received).await });
    tokio::spawn(async move {
        let mut part = [0; PART];
        while let Ok(len @ 1..) = sent.read(&mut part).await {
            output.write_all(part.get(..len).unwrap_or_default()).await?;
            output.flush().await?;
            // without it, a peer could receive them in one read
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        output.shutdown().await
    });
    near
}

/// Calls `each` with the messages of a whole stream, and with its faults.
pub(crate) fn split<E>(
    bytes: &mut [u8],
    frame: &FrameName,
    mut each: impl FnMut(Result<&[u8], FrameError>) -> Result<(), E>,
) -> Result<(), E> {
    match frame {
        FrameName::Lf => cut::<Lines, E>(bytes, each),
        FrameName::Cr => cut::<Delimited<Cr>, E>(bytes, each),
        FrameName::CrLf => cut::<Delimited<CrLf>, E>(bytes, each),
        FrameName::Nul => cut::<Delimited<Nul>, E>(bytes, each),
        FrameName::Etx => cut::<Delimited<Etx>, E>(bytes, each),
        FrameName::Bytes(end) => {
            let mut rest = &*bytes;
            while !rest.is_empty() {
                let len = rest.windows(end.len().max(1)).position(|window| window == end).unwrap_or(rest.len());
                let (message, behind) = rest.split_at(len);
                rest = behind.get(end.len()..).unwrap_or_default();
                if !message.trim_ascii().is_empty() {
                    each(Ok(message))?;
                }
            }
            Ok(())
        }
        FrameName::ContentLength => cut::<ContentLength, E>(bytes, each),
        FrameName::Values => cut::<Values, E>(bytes, each),
        FrameName::Events => cut::<Events, E>(bytes, each),
    }
}

fn cut<F: Frame, E>(
    mut bytes: &mut [u8],
    mut each: impl FnMut(Result<&[u8], FrameError>) -> Result<(), E>,
) -> Result<(), E> {
    let mut splitter = Splitter::<F>::new();
    while !splitter.is_over() {
        match splitter.finish(bytes, usize::MAX) {
            Some(found) => each(found.map(|span| bytes.get(span).unwrap_or_default()))?,
            None => break,
        }
        let kept = splitter.kept(bytes);
        bytes = bytes.get_mut(kept).unwrap_or_default();
    }
    Ok(())
}

/// A stream whose messages end with any bytes, as a stream of lines: the end becomes LF, and LF a space, which JSON allows between tokens
/// (RFC 8259 §2).
struct Ended<I> {
    io: I,
    end: Vec<u8>,
    /// The length of the front of `end` that the received bytes end with.
    matched: usize,
    received: Vec<u8>,
    unsent: Vec<u8>,
}

impl<I> Ended<I> {
    fn new(io: I, end: Vec<u8>) -> Self {
        Self { io, end, matched: 0, received: Vec::new(), unsent: Vec::new() }
    }

    fn receive(&mut self, byte: u8) {
        self.received.push(if byte == b'\n' { b' ' } else { byte });
        // the longest front of the end that the bytes up to this one end with; ends are short
        let front = |len: usize| self.end.get(..len).unwrap_or_default();
        let mut seen = front(self.matched).to_vec();
        seen.push(byte);
        self.matched = (0..=seen.len().min(self.end.len())).rev().find(|&len| seen.ends_with(front(len))).unwrap_or(0);
        if self.matched == self.end.len() {
            self.matched = 0;
            self.received.truncate(self.received.len().saturating_sub(self.end.len()));
            self.received.push(b'\n');
        }
    }
}

/// The room for a read, in bytes.
const READ: usize = 4096;

impl<I: AsyncRead + Unpin> AsyncRead for Ended<I> {
    fn poll_read(self: Pin<&mut Self>, task: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // bytes that may be a part of the end wait for the rest of it
        while this.received.len() <= this.matched {
            let mut buffer = [0; READ];
            let mut read = ReadBuf::new(&mut buffer);
            ready!(Pin::new(&mut this.io).poll_read(task, &mut read))?;
            if read.filled().is_empty() {
                this.matched = 0;
                break;
            }
            read.filled().iter().for_each(|&byte| this.receive(byte));
        }
        let len = this.received.len().saturating_sub(this.matched).min(out.remaining());
        out.put_slice(this.received.get(..len).unwrap_or_default());
        this.received.drain(..len);
        Poll::Ready(Ok(()))
    }
}

impl<I: AsyncWrite + Unpin> Ended<I> {
    fn poll_send(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unsent.is_empty() {
            match ready!(Pin::new(&mut self.io).poll_write(task, &self.unsent))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                len => _ = self.unsent.drain(..len),
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Ended<I> {
    fn poll_write(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_send(task))?;
        for &byte in bytes {
            // the frame of lines writes LF at the end of a message alone
            if byte == b'\n' { this.unsent.extend_from_slice(&this.end) } else { this.unsent.push(byte) }
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_send(task))?;
        Pin::new(&mut this.io).poll_flush(task)
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_send(task))?;
        Pin::new(&mut this.io).poll_shutdown(task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn any_bytes_end_a_message() {
        for end in ["\u{1e}", "<>", "aab", "\r\n"] {
            for chunk in [1, 3, 100] {
                let (near, mut far) = tokio::io::duplex(64);
                let mut near = Ended::new(near, end.as_bytes().to_vec());
                let sent = format!("{{\n1}}{end}<a{end}a");
                let writing = async {
                    for part in sent.as_bytes().chunks(chunk) {
                        far.write_all(part).await.expect("written");
                    }
                    far.shutdown().await.expect("closed");
                };
                let mut read = String::new();
                let (_, len) = tokio::join!(writing, near.read_to_string(&mut read));
                assert_eq!((len.expect("read"), read.as_str()), (read.len(), "{ 1}\n<a\na"), "{end:?}");
            }
        }
        let (near, mut far) = tokio::io::duplex(64);
        let mut near = Ended::new(near, b"<>".to_vec());
        near.write_all(b"[1]\n[2]\n").await.expect("written");
        near.shutdown().await.expect("closed");
        drop(near);
        let mut read = String::new();
        far.read_to_string(&mut read).await.expect("read");
        assert_eq!(read, "[1]<>[2]<>");
    }
}
