//! A connection in memory, for tests: both ends, any chunking, faults on demand.
//!
//! A [`Pipe`] is two rings of `N` bytes, one for each direction, and has two [`PipeEnd`]s. A [`Plan`] for
//! each direction of each end sets how many bytes pass at once, and the faults. All of it stays in one thread; nothing allocates, and
//! the same seeds give the same run on every machine.
//!
//! ```
//! # fn main() -> Result<(), nanojsonrpc::memory::PipeError> {
//! use nanojsonrpc::memory::{Pipe, PipeError, Plan};
//!
//! let mut pipe: Pipe<64> = Pipe::new();
//! let (mut device, hub) = pipe.ends();
//! // the hub reads three bytes at a time, the second of them damaged, and loses the connection after five
//! let mut hub = hub.reading(Plan::in_chunks(3).flip_at(1, 0x20).cut_at(5));
//! assert_eq!(device.try_write(b"hello!")?, 6);
//!
//! let mut buffer = [0; 8];
//! assert_eq!(hub.try_read(&mut buffer)?, 3);
//! assert_eq!(&buffer[..3], b"hEl");
//! assert_eq!(hub.try_read(&mut buffer)?, 2);
//! assert_eq!(hub.try_read(&mut buffer)?, 0);
//! assert_eq!(device.try_read(&mut buffer), Err(PipeError::WouldBlock));
//! # Ok(()) }
//! ```
//!
//! With the feature `embedded-io` a reference to an end is an `embedded_io::Read` and `Write`; with `embedded-io-async` also the
//! asynchronous ones, which wait and are woken.

#[cfg(feature = "embedded-io-async")]
mod asynchronous;
#[cfg(feature = "embedded-io")]
mod blocking;
mod plan;

use core::cell::Cell;
use core::fmt;
use core::task::Waker;

pub use plan::Plan;

/// The reason why no byte passed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum PipeError {
    /// No byte can be read or written until the other end acts. Asynchronous ends wait instead.
    WouldBlock,
    /// Written bytes cannot arrive: an end is closed, or the [`Plan`] has [cut](Plan::cut_at) the connection.
    Closed,
    /// A fault of the [`Plan`], set with [`fail_at`](Plan::fail_at) or [`fail_once_at`](Plan::fail_once_at).
    Fault,
    /// The [`Plan`] interrupts ([`interrupt_every`](Plan::interrupt_every)). No byte has passed; the next try may succeed.
    Interrupted,
}

impl PipeError {
    /// The error in words, as [`Display`](fmt::Display) prints it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WouldBlock => "no byte can pass until the other end acts",
            Self::Closed => "the connection is closed",
            Self::Fault => "a fault set by the plan",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for PipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl core::error::Error for PipeError {}

/// One direction.
struct Lane<const N: usize> {
    bytes: [Cell<u8>; N],
    start: Cell<usize>,
    len: Cell<usize>,
    /// The writer or the reader is closed.
    is_closed: Cell<bool>,
    reader: Cell<Option<Waker>>,
    writer: Cell<Option<Waker>>,
}

impl<const N: usize> Lane<N> {
    const fn new() -> Self {
        Self {
            bytes: [const { Cell::new(0) }; N],
            start: Cell::new(0),
            len: Cell::new(0),
            is_closed: Cell::new(false),
            reader: Cell::new(None),
            writer: Cell::new(None),
        }
    }

    fn room(&self) -> usize {
        N.saturating_sub(self.len.get())
    }

    /// The cell that is `offset` bytes after the first one.
    fn cell(&self, offset: usize) -> Option<&Cell<u8>> {
        let index = self.start.get().saturating_add(offset);
        self.bytes.get(index.checked_sub(N).unwrap_or(index))
    }

    fn push(&self, byte: u8) {
        if let Some(cell) = self.cell(self.len.get()) {
            cell.set(byte);
            self.len.set(self.len.get().saturating_add(1));
        }
    }

    fn pop(&self) -> u8 {
        let byte = self.cell(0).map(Cell::get).unwrap_or_default();
        let next = self.start.get().saturating_add(1);
        self.start.set(if next == N { 0 } else { next });
        self.len.set(self.len.get().saturating_sub(1));
        byte
    }

    fn close(&self) {
        self.is_closed.set(true);
        wake(&self.reader);
        wake(&self.writer);
    }
}

fn wake(waiting: &Cell<Option<Waker>>) {
    if let Some(waker) = waiting.take() {
        waker.wake();
    }
}

/// A connection in memory with room for `N` bytes in each direction.
pub struct Pipe<const N: usize> {
    there: Lane<N>,
    back: Lane<N>,
}

impl<const N: usize> Pipe<N> {
    /// A new, empty connection.
    pub const fn new() -> Self {
        Self { there: Lane::new(), back: Lane::new() }
    }

    /// Both ends of a new connection. Bytes left in the pipe are lost.
    pub fn ends(&mut self) -> (PipeEnd<'_, N>, PipeEnd<'_, N>) {
        *self = Self::new();
        (PipeEnd::new(&self.back, &self.there), PipeEnd::new(&self.there, &self.back))
    }
}

impl<const N: usize> Default for Pipe<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> fmt::Debug for Pipe<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pipe {{ there: {} bytes, back: {} bytes }}", self.there.len.get(), self.back.len.get())
    }
}

#[cfg(feature = "defmt")]
impl<const N: usize> defmt::Format for Pipe<N> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Pipe {{ there: {} bytes, back: {} bytes }}", self.there.len.get(), self.back.len.get());
    }
}

/// One end of a [`Pipe`]. Dropping it closes the connection: the other end reads the bytes still in the pipe, then the end of the stream,
/// and can write no more. Two references to one end can read and write it at the same time.
pub struct PipeEnd<'p, const N: usize> {
    from: &'p Lane<N>,
    to: &'p Lane<N>,
    reading: Cell<Plan>,
    writing: Cell<Plan>,
}

impl<'p, const N: usize> PipeEnd<'p, N> {
    const fn new(from: &'p Lane<N>, to: &'p Lane<N>) -> Self {
        Self { from, to, reading: Cell::new(Plan::WHOLE), writing: Cell::new(Plan::WHOLE) }
    }

    /// The same end, reading by `plan`.
    pub const fn reading(mut self, plan: Plan) -> Self {
        self.reading = Cell::new(plan);
        self
    }

    /// The same end, writing by `plan`.
    pub const fn writing(mut self, plan: Plan) -> Self {
        self.writing = Cell::new(plan);
        self
    }

    /// Reads the available bytes, as far as the [`Plan`] lets them pass, into `buffer` and returns their number: 0 at the end
    /// of the stream, and for an empty buffer.
    ///
    /// # Errors
    /// [`PipeError::WouldBlock`] if no byte has arrived; [`PipeError::Fault`] and [`PipeError::Interrupted`] by the plan.
    pub fn try_read(&self, buffer: &mut [u8]) -> Result<usize, PipeError> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let mut plan = self.reading.get();
        let left = plan.next();
        self.reading.set(plan);
        let left = match left {
            Ok(left) => left,
            Err(PipeError::Closed) => return Ok(0),
            Err(fault) => return Err(fault),
        };
        let there = self.from.len.get();
        if there == 0 {
            return if self.from.is_closed.get() { Ok(0) } else { Err(PipeError::WouldBlock) };
        }
        let len = buffer.len().min(there).min(left).min(plan.chunk());
        for byte in buffer.iter_mut().take(len) {
            *byte = plan.pass(self.from.pop());
        }
        self.reading.set(plan);
        wake(&self.from.writer);
        Ok(len)
    }

    /// Writes the front of `bytes`, as much as there is room for and the [`Plan`] lets pass, and returns its length: 0
    /// only if `bytes` is empty.
    ///
    /// # Errors
    /// [`PipeError::WouldBlock`] if there is no room yet; [`PipeError::Closed`] if the other end was dropped, this one was
    /// [closed](Self::close), or the plan has cut the connection; [`PipeError::Fault`] and [`PipeError::Interrupted`] by the plan.
    pub fn try_write(&self, bytes: &[u8]) -> Result<usize, PipeError> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let mut plan = self.writing.get();
        let left = plan.next();
        self.writing.set(plan);
        let left = left?;
        if self.to.is_closed.get() {
            return Err(PipeError::Closed);
        }
        let room = self.to.room();
        if room == 0 {
            return Err(PipeError::WouldBlock);
        }
        let len = bytes.len().min(room).min(left).min(plan.chunk());
        for byte in bytes.iter().take(len) {
            self.to.push(plan.pass(*byte));
        }
        self.writing.set(plan);
        wake(&self.to.reader);
        Ok(len)
    }

    /// Writing needs no flush, but the plan may interrupt one.
    #[cfg(feature = "embedded-io")]
    fn try_flush(&self) -> Result<(), PipeError> {
        let mut plan = self.writing.get();
        let is_interrupted = plan.count_try();
        self.writing.set(plan);
        if is_interrupted { Err(PipeError::Interrupted) } else { Ok(()) }
    }

    /// Closes the writing direction: the other end reads the bytes in the pipe, then the end of the stream. This end can still read.
    pub fn close(&self) {
        self.to.close();
    }

    /// Whether [`try_read`](Self::try_read) would return something other than [`WouldBlock`](PipeError::WouldBlock).
    pub fn is_readable(&self) -> bool {
        self.from.len.get() > 0 || self.from.is_closed.get() || self.reading.get().next().is_err()
    }

    /// Whether [`try_write`](Self::try_write) would return something other than [`WouldBlock`](PipeError::WouldBlock).
    pub fn is_writable(&self) -> bool {
        self.to.room() > 0 || self.to.is_closed.get() || self.writing.get().next().is_err()
    }
}

impl<const N: usize> Drop for PipeEnd<'_, N> {
    fn drop(&mut self) {
        self.to.close();
        self.from.close();
    }
}

impl<const N: usize> fmt::Debug for PipeEnd<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PipeEnd {{ to read: {} bytes, room to write: {} bytes }}", self.from.len.get(), self.to.room())
    }
}

#[cfg(feature = "defmt")]
impl<const N: usize> defmt::Format for PipeEnd<'_, N> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(
            f,
            "PipeEnd {{ to read: {} bytes, room to write: {} bytes }}",
            self.from.len.get(),
            self.to.room()
        );
    }
}
