//! A stream in memory that, unlike the slices of `embedded_io`, does not panic.

use core::convert::Infallible;

/// Reads from a text, and writes to a buffer; bytes that do not fit are dropped.
pub struct Wire<'t> {
    pub text: core::slice::Iter<'t, u8>,
    pub out: core::slice::IterMut<'t, u8>,
}

impl embedded_io::ErrorType for Wire<'_> {
    type Error = Infallible;
}

impl Wire<'_> {
    fn take(&mut self, place: &mut [u8]) -> usize {
        let mut len = 0;
        for (place, byte) in place.iter_mut().zip(&mut self.text) {
            *place = *byte;
            len += 1;
        }
        len
    }

    fn put(&mut self, bytes: &[u8]) -> usize {
        for (place, byte) in (&mut self.out).zip(bytes) {
            *place = *byte;
        }
        bytes.len()
    }
}

impl embedded_io::Read for Wire<'_> {
    fn read(&mut self, place: &mut [u8]) -> Result<usize, Infallible> {
        Ok(self.take(place))
    }
}

impl embedded_io::Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        Ok(self.put(bytes))
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl embedded_io_async::Read for Wire<'_> {
    async fn read(&mut self, place: &mut [u8]) -> Result<usize, Infallible> {
        Ok(self.take(place))
    }
}

impl embedded_io_async::Write for Wire<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        Ok(self.put(bytes))
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
