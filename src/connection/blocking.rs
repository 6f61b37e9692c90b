//! Over the blocking traits of `embedded_io`.

use embedded_io::{Read, Write};

use super::{Connection, ConnectionError, Outcome, framed, room};
use crate::frame::{Frame, Framer};
use crate::message::Outgoing;
use crate::server::Server;
use crate::server::route::Routes;

/// Answers all that `reader` brings, until it ends. Messages that are too long or broken are answered, too, and passed
/// over.
///
/// # Limits
/// Those of [`Connection`].
///
/// # Errors
/// What the reader or the writer say, after which nothing more can pass.
///
/// ```
/// # fn main() -> Result<(), Box<dyn core::error::Error>> {
/// use nanojsonrpc::connection::serve;
/// use nanojsonrpc::frame::{Framer, Lines};
/// use nanojsonrpc::memory::Pipe;
/// use nanojsonrpc::{Router, Server};
///
/// let mut server = Server::new(Router::new().request("ping", |_: &mut ()| Ok("pong")));
/// let mut pipe: Pipe<64> = Pipe::new();
/// let (device, hub) = pipe.ends();
/// hub.try_write(b"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\n")?;
/// hub.close();
/// serve(&device, &device, &mut Framer::<Lines, 64>::new(), &mut [0; 128], &mut server, &mut ())?;
///
/// let mut heard = [0; 64];
/// let len = hub.try_read(&mut heard)?;
/// assert_eq!(&heard[..len], b"{\"jsonrpc\":\"2.0\",\"result\":\"pong\",\"id\":1}\n");
/// # Ok(()) }
/// ```
pub fn serve<R: Read, W: Write, F: Frame, S: Routes<C>, C, const N: usize>(
    reader: R,
    writer: W,
    framer: &mut Framer<F, N>,
    output: &mut [u8],
    server: &mut Server<S>,
    context: &mut C,
) -> Outcome<(), R, W> {
    Connection::new(reader, writer, framer, output).serve(server, context)
}

impl<R: Read, W: Write, F: Frame, const N: usize> Connection<'_, R, W, F, N> {
    /// Reads once, and says whether the stream goes on. Reads nothing while the framer is full, which it is not once
    /// [`answer`](Self::answer) or [`next`](Self::next) has handed out what is there.
    ///
    /// # Errors
    /// What the reader says.
    pub fn read(&mut self) -> Outcome<bool, R, W> {
        let spare = self.framer.spare();
        // a reader that is lent no room gives 0, as at the end
        if spare.is_empty() {
            return Ok(true);
        }
        let len = self.reader.read(spare).map_err(ConnectionError::Read)?;
        self.framer.filled(len);
        self.has_ended = len == 0;
        Ok(len != 0)
    }

    /// Answers every message that has been read whole; at the end of the stream also what is left.
    ///
    /// # Errors
    /// What the writer says.
    pub fn answer<S: Routes<C>, C>(&mut self, server: &mut Server<S>, context: &mut C) -> Outcome<(), R, W> {
        loop {
            let room = room::<F>(self.output);
            let answer = match if self.has_ended { self.framer.finish() } else { self.framer.next() } {
                Some(Ok(message)) if F::is_idle(message.as_ref()) => None,
                Some(Ok(message)) => server.process(context, message.as_ref(), room),
                Some(Err(error)) => server.refuse(error, room),
                None => return Ok(()),
            };
            if let Some(len) = answer.map(<[u8]>::len) {
                self.write(len)?;
            }
        }
    }

    /// [`read`](Self::read) and [`answer`](Self::answer) until the stream ends.
    ///
    /// # Errors
    /// What the reader or the writer say.
    pub fn serve<S: Routes<C>, C>(&mut self, server: &mut Server<S>, context: &mut C) -> Outcome<(), R, W> {
        while self.read()? {
            self.answer(server, context)?;
        }
        self.answer(server, context)
    }

    /// Sends a message of its own: a request, a notification, a response.
    ///
    /// # Errors
    /// [`ConnectionError::Message`] if it does not fit, and what the writer says.
    pub fn send(&mut self, message: &(impl Outgoing + ?Sized)) -> Outcome<(), R, W> {
        let len = self.put(message).map_err(ConnectionError::Message)?;
        self.write(len)
    }

    /// Sends a text that is one or more messages already, as a [`Client`](crate::Client) writes it. Of an empty one, which
    /// is what a batch without messages comes to, nothing is sent.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn send_text(&mut self, text: &[u8]) -> Outcome<(), R, W> {
        if text.is_empty() {
            return Ok(());
        }
        let len = self.put_text(text).map_err(ConnectionError::Message)?;
        self.write(len)
    }

    /// Sends the message of `len` bytes that stands in its room. The `write_all` of `embedded_io` panics if a writer takes
    /// none.
    fn write(&mut self, len: usize) -> Outcome<(), R, W> {
        let mut rest = framed::<F>(self.output, len);
        while !rest.is_empty() {
            match self.writer.write(rest).map_err(ConnectionError::Write)? {
                0 => return Err(ConnectionError::WriteZero),
                len => rest = rest.get(len..).unwrap_or_default(),
            }
        }
        self.writer.flush().map_err(ConnectionError::Write)
    }
}
