//! The traits of `embedded_io_async`.

use core::cell::Cell;
use core::future::poll_fn;
use core::task::{Context, Poll, Waker};

use embedded_io_async::{Read, Write};

use super::{PipeEnd, PipeError};

/// Waits until bytes arrive. One task at a time can wait.
impl<const N: usize> Read for &PipeEnd<'_, N> {
    async fn read(&mut self, buffer: &mut [u8]) -> Result<usize, PipeError> {
        poll_fn(|context| {
            let result = self.try_read(buffer);
            or_wait(result, &self.from.reader, context)
        })
        .await
    }
}

/// Waits until there is room to write. One task at a time can wait.
impl<const N: usize> Write for &PipeEnd<'_, N> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, PipeError> {
        poll_fn(|context| {
            let result = self.try_write(bytes);
            or_wait(result, &self.to.writer, context)
        })
        .await
    }

    async fn flush(&mut self) -> Result<(), PipeError> {
        self.try_flush()
    }
}

fn or_wait(
    result: Result<usize, PipeError>,
    waiting: &Cell<Option<Waker>>,
    context: &Context<'_>,
) -> Poll<Result<usize, PipeError>> {
    if result == Err(PipeError::WouldBlock) {
        waiting.set(Some(context.waker().clone()));
        return Poll::Pending;
    }
    Poll::Ready(result)
}
