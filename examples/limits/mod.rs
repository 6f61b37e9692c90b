//! Limits of the examples that talk over TCP: no peer holds a thread without end, and there are at most [`CLIENTS`] threads.
#![allow(dead_code, reason = "each example uses a part")]

use core::time::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use super::arguments::complain;

/// The maximum number of clients that are served at the same time.
pub(crate) const CLIENTS: usize = 128;
/// The maximum time for a head, a body, an answer, and the last bytes after a close.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// The maximum time without a byte of a client that may send the next message at any time, and in which a client reads no byte.
pub(crate) const IDLE: Duration = Duration::from_secs(60);
/// The stack of a thread.
pub(crate) const STACK: usize = 512 * 1024;

/// A stream with one deadline for all reads and writes. The timeout of a socket is not enough: it begins again with each byte, and when a
/// read or write is repeated after a signal.
#[derive(Clone, Copy)]
pub(crate) struct Timed<'s> {
    stream: &'s TcpStream,
    begin: Instant,
    patience: Duration,
}

impl<'s> Timed<'s> {
    pub(crate) fn new(stream: &'s TcpStream, patience: Duration) -> Self {
        Self { stream, begin: Instant::now(), patience }
    }

    /// The time until the deadline, for the timeout of the socket.
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.patience.saturating_sub(self.begin.elapsed());
        if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(bytes)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

pub(crate) fn bind(address: &str) -> Result<TcpListener, String> {
    TcpListener::bind(address).map_err(|error| format!("cannot listen on {address}: {error}"))
}

/// Passes each client to `talk`, on a thread of its own.
pub(crate) fn serve(listener: &TcpListener, talk: impl Fn(TcpStream) + Copy + Send + 'static) -> ! {
    // each thread has a clone
    let clients = Arc::new(());
    loop {
        // more clients wait in the queue of the system
        if Arc::strong_count(&clients) <= CLIENTS {
            let client = Arc::clone(&clients);
            let talk = move |stream| {
                let _client = client;
                talk(stream);
            };
            let start = |stream| thread::Builder::new().stack_size(STACK).spawn(move || talk(stream));
            match listener.accept().and_then(|(stream, _)| start(stream)) {
                Ok(_) => continue,
                // the system has no more threads or descriptors
                Err(error) => complain(format_args!("cannot serve a client: {error}")),
            }
        }
        // until clients disconnect
        thread::sleep(Duration::from_millis(50));
    }
}

/// Closes a connection after the peer has read the last bytes; drops up to `limit` bytes of input meanwhile. A stream with unread input
/// would be reset.
pub(crate) fn hang_up(stream: &TcpStream, limit: usize) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    io::copy(&mut Timed::new(stream, PATIENCE).take(limit as u64), &mut io::sink()).map(drop)
}
