//! Over the asynchronous traits of `embedded_io_async`.

use embedded_io_async::{Read, Write};

use super::{Connection, ConnectionError, Outcome, framed, room};
use crate::frame::{Frame, Framer};
use crate::message::Outgoing;
use crate::server::{AsyncRoutes, Server};

/// [`serve`](super::serve) without blocking, with handlers that may wait.
///
/// # Errors
/// As [`serve`](super::serve).
pub async fn serve_async<R: Read, W: Write, F: Frame, S: AsyncRoutes<C>, C, const N: usize>(
    reader: R,
    writer: W,
    framer: &mut Framer<F, N>,
    output: &mut [u8],
    server: &mut Server<S>,
    context: &mut C,
) -> Outcome<(), R, W> {
    Connection::new(reader, writer, framer, output).serve_async(server, context).await
}

impl<R: Read, W: Write, F: Frame, const N: usize> Connection<'_, R, W, F, N> {
    /// [`read`](Self::read) without blocking. If it is dropped before it is done, nothing is lost that a dropped read of
    /// the reader does not lose, so it can stand in a `select` beside a timer.
    ///
    /// # Errors
    /// What the reader says.
    pub async fn read_async(&mut self) -> Outcome<bool, R, W> {
        let spare = self.framer.spare();
        // a reader that is lent no room gives 0, as at the end
        if spare.is_empty() {
            return Ok(true);
        }
        let len = self.reader.read(spare).await.map_err(ConnectionError::Read)?;
        self.framer.filled(len);
        self.has_ended = len == 0;
        Ok(len != 0)
    }

    /// [`answer`](Self::answer) without blocking, with handlers that may wait. To be run to its end: dropped before, it may
    /// leave half an answer sent.
    ///
    /// # Errors
    /// What the writer says.
    pub async fn answer_async<S: AsyncRoutes<C>, C>(
        &mut self,
        server: &mut Server<S>,
        context: &mut C,
    ) -> Outcome<(), R, W> {
        loop {
            let room = room::<F>(self.output);
            let answer = match if self.has_ended { self.framer.finish() } else { self.framer.next() } {
                Some(Ok(message)) if F::is_idle(message.as_ref()) => None,
                Some(Ok(message)) => server.process_async(context, message.as_ref(), room).await,
                Some(Err(error)) => server.refuse(error, room),
                None => return Ok(()),
            };
            if let Some(len) = answer.map(<[u8]>::len) {
                self.write_async(len).await?;
            }
        }
    }

    /// [`read_async`](Self::read_async) and [`answer_async`](Self::answer_async) until the stream ends.
    ///
    /// # Errors
    /// What the reader or the writer say.
    pub async fn serve_async<S: AsyncRoutes<C>, C>(
        &mut self,
        server: &mut Server<S>,
        context: &mut C,
    ) -> Outcome<(), R, W> {
        while self.read_async().await? {
            self.answer_async(server, context).await?;
        }
        self.answer_async(server, context).await
    }

    /// [`send`](Self::send) without blocking. To be run to its end.
    ///
    /// # Errors
    /// [`ConnectionError::Message`] if it does not fit, and what the writer says.
    pub async fn send_async(&mut self, message: &(impl Outgoing + ?Sized)) -> Outcome<(), R, W> {
        let len = self.put(message).map_err(ConnectionError::Message)?;
        self.write_async(len).await
    }

    /// [`send_text`](Self::send_text) without blocking. To be run to its end.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub async fn send_text_async(&mut self, text: &[u8]) -> Outcome<(), R, W> {
        if text.is_empty() {
            return Ok(());
        }
        let len = self.put_text(text).map_err(ConnectionError::Message)?;
        self.write_async(len).await
    }

    async fn write_async(&mut self, len: usize) -> Outcome<(), R, W> {
        let mut rest = framed::<F>(self.output, len);
        while !rest.is_empty() {
            match self.writer.write(rest).await.map_err(ConnectionError::Write)? {
                0 => return Err(ConnectionError::WriteZero),
                len => rest = rest.get(len..).unwrap_or_default(),
            }
        }
        self.writer.flush().await.map_err(ConnectionError::Write)
    }
}
