//! Futures without an executor, and a stream that waits and fails when the test says so.
#![allow(dead_code, unused_imports, reason = "each set of features, and each group of tests, uses a part")]

use core::pin::{Pin, pin};
use core::task::{Context, Poll, Waker};

use nanojsonrpc::memory::PipeEnd;

/// Polls once.
pub(crate) fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// The output of a future, and the number of polls in which it waited.
pub(crate) fn run_counted<F: Future>(future: F) -> (F::Output, usize) {
    let mut future = pin!(future);
    for waits in 0..1_000_000 {
        if let Poll::Ready(output) = poll(future.as_mut()) {
            return (output, waits);
        }
    }
    panic!("never done");
}

/// Polls a future until it is done.
pub(crate) fn run<F: Future>(future: F) -> F::Output {
    run_counted(future).0
}

/// Waits in one poll.
pub(crate) async fn wait() {
    let mut is_first = true;
    core::future::poll_fn(|_| if core::mem::take(&mut is_first) { Poll::Pending } else { Poll::Ready(()) }).await;
}

/// The text that has arrived at this end.
pub(crate) fn sent<const N: usize>(hub: &PipeEnd<'_, N>) -> String {
    let mut bytes = [0; N];
    let len = hub.try_read(&mut bytes).unwrap_or(0);
    String::from_utf8_lossy(&bytes[..len]).into_owned()
}

#[cfg(feature = "embedded-io-async")]
pub(crate) use wire::{Half, Random, Turn, Wire};

#[cfg(feature = "embedded-io-async")]
mod wire {
    use core::cell::RefCell;
    use core::future::poll_fn;
    use core::task::Poll;
    use std::collections::VecDeque;

    use embedded_io::{ErrorType, Read, Write};
    use nanojsonrpc::memory::PipeError;

    /// The outcome of the next operations.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub(crate) enum Turn {
        #[default]
        Passes,
        Waits,
        /// Once; the next operations pass.
        Interrupts,
        /// Once; the next operations pass.
        Fails,
    }

    impl Turn {
        fn take(&mut self) -> Result<(), PipeError> {
            let turn = *self;
            if turn != Self::Waits {
                *self = Self::Passes;
            }
            match turn {
                Self::Passes => Ok(()),
                Self::Waits => Err(PipeError::WouldBlock),
                Self::Interrupts => Err(PipeError::Interrupted),
                Self::Fails => Err(PipeError::Fault),
            }
        }
    }

    /// A stream. Written bytes reach the peer with a flush.
    #[derive(Debug, Default)]
    pub(crate) struct Wire {
        pub(crate) incoming: VecDeque<u8>,
        /// Whether the stream ends behind them.
        pub has_ended: bool,
        pub(crate) unflushed: Vec<u8>,
        /// The bytes that have reached the peer.
        pub(crate) flushed: Vec<u8>,
        pub(crate) read: Turn,
        pub(crate) write: Turn,
        pub(crate) flush: Turn,
        /// The writer takes so many bytes, then it waits.
        pub(crate) room: Option<usize>,
        /// The write that would pass this byte passes the bytes before it; the next one fails, once.
        pub(crate) fails_at: Option<usize>,
        /// So many flushes pass, then one fails.
        pub(crate) fails_flush: Option<usize>,
        /// The stream waits, interrupts and passes parts at random. Of so many operations, one fails; 0 for none.
        pub(crate) random: Option<(Random, u64)>,
    }

    /// Random numbers: xorshift of 64 bits, Marsaglia 2003.
    #[derive(Clone, Debug)]
    pub(crate) struct Random(u64);

    impl Random {
        pub(crate) fn new(seed: u64) -> Self {
            // a state of zero would stay zero
            Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
        }

        /// A number below `end`.
        pub(crate) fn below(&mut self, end: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 16) % end
        }
    }

    impl Wire {
        /// A stream from which the peer's `text` can be read.
        pub(crate) fn new(text: &str) -> RefCell<Self> {
            RefCell::new(Self { incoming: text.bytes().collect(), ..Self::default() })
        }

        /// Takes the text that has reached the peer.
        pub(crate) fn take(&mut self) -> String {
            String::from_utf8(core::mem::take(&mut self.flushed)).unwrap()
        }

        /// The most bytes that pass, by chance.
        fn chance(&mut self) -> Result<usize, PipeError> {
            let Some((random, fails)) = &mut self.random else { return Ok(usize::MAX) };
            if *fails != 0 && random.below(*fails) == 0 {
                return Err(PipeError::Fault);
            }
            match random.below(8) {
                0..3 => Err(PipeError::WouldBlock),
                3 => Err(PipeError::Interrupted),
                4 => Ok(usize::MAX),
                _ => Ok(1 + usize::try_from(random.below(30)).unwrap()),
            }
        }

        fn try_read(&mut self, room: &mut [u8]) -> Result<usize, PipeError> {
            self.read.take()?;
            let len = room.len().min(self.incoming.len()).min(self.chance()?);
            if len == 0 {
                return if self.has_ended { Ok(0) } else { Err(PipeError::WouldBlock) };
            }
            room.iter_mut().zip(self.incoming.drain(..len)).for_each(|(to, from)| *to = from);
            Ok(len)
        }

        fn try_write(&mut self, bytes: &[u8]) -> Result<usize, PipeError> {
            self.write.take()?;
            let until = self.fails_at.map_or(usize::MAX, |place| place - self.unflushed.len());
            if until == 0 {
                self.fails_at = None;
                return Err(PipeError::Fault);
            }
            let len = bytes.len().min(self.room.unwrap_or(usize::MAX)).min(until).min(self.chance()?);
            if len == 0 {
                return Err(PipeError::WouldBlock);
            }
            self.room = self.room.map(|room| room - len);
            self.unflushed.extend_from_slice(&bytes[..len]);
            Ok(len)
        }

        fn try_flush(&mut self) -> Result<(), PipeError> {
            self.flush.take()?;
            self.chance()?;
            if let Some(left) = self.fails_flush.take() {
                self.fails_flush = Some(left.checked_sub(1).ok_or(PipeError::Fault)?);
            }
            self.flushed.append(&mut self.unflushed);
            Ok(())
        }
    }

    /// The reader and the writer of a stream.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Half<'w>(pub(crate) &'w RefCell<Wire>);

    impl ErrorType for Half<'_> {
        type Error = PipeError;
    }

    impl Read for Half<'_> {
        fn read(&mut self, room: &mut [u8]) -> Result<usize, PipeError> {
            self.0.borrow_mut().try_read(room)
        }
    }

    impl Write for Half<'_> {
        fn write(&mut self, bytes: &[u8]) -> Result<usize, PipeError> {
            self.0.borrow_mut().try_write(bytes)
        }

        fn flush(&mut self) -> Result<(), PipeError> {
            self.0.borrow_mut().try_flush()
        }
    }

    /// Waits where a blocking stream has the error.
    async fn waiting<T>(mut outcome: impl FnMut() -> Result<T, PipeError>) -> Result<T, PipeError> {
        poll_fn(|_| match outcome() {
            Err(PipeError::WouldBlock) => Poll::Pending,
            outcome => Poll::Ready(outcome),
        })
        .await
    }

    impl embedded_io_async::Read for Half<'_> {
        async fn read(&mut self, room: &mut [u8]) -> Result<usize, PipeError> {
            waiting(|| self.0.borrow_mut().try_read(room)).await
        }
    }

    impl embedded_io_async::Write for Half<'_> {
        async fn write(&mut self, bytes: &[u8]) -> Result<usize, PipeError> {
            waiting(|| self.0.borrow_mut().try_write(bytes)).await
        }

        async fn flush(&mut self) -> Result<(), PipeError> {
            waiting(|| self.0.borrow_mut().try_flush()).await
        }
    }
}
