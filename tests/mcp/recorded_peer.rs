//! The other end of a client's stream: a function that answers each line, or a script.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{Error, ErrorKind};

/// Puts the answer to a line into the output and returns its length.
type Answers<'p> = Box<dyn FnMut(&[u8], &mut [u8]) -> Option<usize> + 'p>;

/// A stream whose other end answers at once. Its context type is only a name.
pub(crate) struct Peer<C> {
    state: RefCell<State<'static>>,
    context: core::marker::PhantomData<C>,
}

struct State<'p> {
    answers: Answers<'p>,
    /// Written and not flushed; the other end receives it after the flush.
    unflushed: Vec<u8>,
    line: Vec<u8>,
    incoming: VecDeque<u8>,
}

impl<C> Peer<C> {
    pub(crate) fn new(answers: Answers<'static>) -> Self {
        let state = RefCell::new(State { answers, unflushed: Vec::new(), line: Vec::new(), incoming: VecDeque::new() });
        Self { state, context: core::marker::PhantomData }
    }
}

impl State<'_> {
    fn write(&mut self, bytes: &[u8]) -> usize {
        self.unflushed.extend(bytes);
        bytes.len()
    }

    fn flush(&mut self) {
        for byte in core::mem::take(&mut self.unflushed) {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let line = core::mem::take(&mut self.line);
            let mut output = vec![0; 1 << 16];
            if let Some(len) = (self.answers)(&line, &mut output) {
                self.incoming.extend(&output[..len]);
                self.incoming.push_back(b'\n');
            }
        }
    }

    fn read(&mut self, room: &mut [u8]) -> usize {
        // in pieces, as a wire has it
        let len = room.len().min(self.incoming.len()).min(37);
        for (place, byte) in room.iter_mut().zip(self.incoming.drain(..len)) {
            *place = byte;
        }
        len
    }
}

impl<C> embedded_io::ErrorType for &Peer<C> {
    type Error = Error;
}

impl<C> embedded_io::Read for &Peer<C> {
    fn read(&mut self, room: &mut [u8]) -> Result<usize, Error> {
        Ok(self.state.borrow_mut().read(room))
    }
}

impl<C> embedded_io::Write for &Peer<C> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        Ok(self.state.borrow_mut().write(bytes))
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.state.borrow_mut().flush();
        Ok(())
    }
}

impl<C> embedded_io_async::Read for &Peer<C> {
    async fn read(&mut self, room: &mut [u8]) -> Result<usize, Error> {
        Ok(self.state.borrow_mut().read(room))
    }
}

impl<C> embedded_io_async::Write for &Peer<C> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        Ok(self.state.borrow_mut().write(bytes))
    }

    async fn flush(&mut self) -> Result<(), Error> {
        self.state.borrow_mut().flush();
        Ok(())
    }
}

/// A stream that delivers `incoming`, independent of the sent bytes. Behind it the stream is silent, or ends.
pub(crate) struct Script {
    incoming: RefCell<VecDeque<u8>>,
    unflushed: RefCell<Vec<u8>>,
    pub(crate) sent: RefCell<Vec<u8>>,
    is_silent: bool,
    is_deaf: bool,
}

impl Script {
    pub(crate) fn new(lines: &[&str]) -> Self {
        let incoming = lines.iter().flat_map(|line| line.bytes().chain([b'\n'])).collect();
        Self {
            incoming: RefCell::new(incoming),
            unflushed: RefCell::default(),
            sent: RefCell::default(),
            is_silent: false,
            is_deaf: false,
        }
    }

    /// The same, and a read at the end waits in vain.
    pub(crate) fn then_silent(self) -> Self {
        Self { is_silent: true, ..self }
    }

    /// The same, but every write fails.
    pub(crate) fn deaf(self) -> Self {
        Self { is_deaf: true, ..self }
    }

    fn hear(&self, bytes: &[u8]) -> Result<usize, Error> {
        if self.is_deaf {
            return Err(ErrorKind::BrokenPipe.into());
        }
        self.unflushed.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }

    /// The lines that were sent.
    pub(crate) fn lines(&self) -> Vec<serde_json::Value> {
        let sent = self.sent.borrow();
        sent.split_inclusive(|byte| *byte == b'\n').map(|line| serde_json::from_slice(line).expect("JSON")).collect()
    }

    fn next(&self, room: &mut [u8]) -> usize {
        let mut incoming = self.incoming.borrow_mut();
        let len = room.len().min(incoming.len());
        for (place, byte) in room.iter_mut().zip(incoming.drain(..len)) {
            *place = byte;
        }
        len
    }
}

impl embedded_io::ErrorType for &Script {
    type Error = Error;
}

impl embedded_io::Read for &Script {
    fn read(&mut self, room: &mut [u8]) -> Result<usize, Error> {
        match self.next(room) {
            0 if self.is_silent => Err(ErrorKind::TimedOut.into()),
            len => Ok(len),
        }
    }
}

impl embedded_io::Write for &Script {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        self.hear(bytes)
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.sent.borrow_mut().append(&mut self.unflushed.borrow_mut());
        Ok(())
    }
}

impl embedded_io_async::Read for &Script {
    async fn read(&mut self, room: &mut [u8]) -> Result<usize, Error> {
        match self.next(room) {
            0 if self.is_silent => core::future::pending().await,
            len => Ok(len),
        }
    }
}

impl embedded_io_async::Write for &Script {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        self.hear(bytes)
    }

    async fn flush(&mut self) -> Result<(), Error> {
        self.sent.borrow_mut().append(&mut self.unflushed.borrow_mut());
        Ok(())
    }
}
