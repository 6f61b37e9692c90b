//! The traits of `embedded_io`.

use embedded_io::{Error, ErrorKind, ErrorType, Read, ReadReady, Write, WriteReady};

use super::{PipeEnd, PipeError};

impl Error for PipeError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::WouldBlock => ErrorKind::TimedOut,
            Self::Closed => ErrorKind::BrokenPipe,
            Self::Fault => ErrorKind::Other,
            Self::Interrupted => ErrorKind::Interrupted,
        }
    }
}

impl<const N: usize> ErrorType for &PipeEnd<'_, N> {
    type Error = PipeError;
}

/// Where a device would block, this returns [`PipeError::WouldBlock`]: in one thread, no other code could end the wait.
impl<const N: usize> Read for &PipeEnd<'_, N> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, PipeError> {
        self.try_read(buffer)
    }
}

/// Where a device would block, this returns [`PipeError::WouldBlock`]: in one thread, no other code could end the wait.
impl<const N: usize> Write for &PipeEnd<'_, N> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, PipeError> {
        self.try_write(bytes)
    }

    fn flush(&mut self) -> Result<(), PipeError> {
        self.try_flush()
    }
}

impl<const N: usize> ReadReady for &PipeEnd<'_, N> {
    fn read_ready(&mut self) -> Result<bool, PipeError> {
        Ok(self.is_readable())
    }
}

impl<const N: usize> WriteReady for &PipeEnd<'_, N> {
    fn write_ready(&mut self) -> Result<bool, PipeError> {
        Ok(self.is_writable())
    }
}
