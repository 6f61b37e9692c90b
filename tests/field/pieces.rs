//! A stream that arrives in pieces.

use core::convert::Infallible;

use embedded_io::{ErrorType, Read};

/// The lengths of the pieces of a stream of `len` bytes: whole, in two at each byte, in pieces of one, two and three bytes, and a sample
/// of three pieces.
pub(crate) fn cuts(len: usize) -> impl Iterator<Item = Vec<usize>> {
    let two = (1..len).map(move |at| vec![at, len - at]);
    let equal = (1..4).map(move |piece| vec![piece; len.div_ceil(piece)]);
    let three =
        (1..len).step_by(7).flat_map(move |at| (at + 1..len).step_by(11).map(move |end| vec![at, end - at, len]));
    let cuts = [vec![len]].into_iter().chain(two).chain(equal).chain(three);
    cuts.step_by(if cfg!(miri) { 29 } else { 1 })
}

/// Reads `rest` in pieces of these lengths, then its end.
pub(crate) struct Pieces<'t> {
    pub(crate) rest: &'t [u8],
    pub(crate) lens: Vec<usize>,
}

impl<'t> Pieces<'t> {
    pub(crate) fn new(stream: &'t [u8], lens: &[usize]) -> Self {
        Self { rest: stream, lens: lens.iter().rev().copied().collect() }
    }
}

impl ErrorType for Pieces<'_> {
    type Error = Infallible;
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Infallible> {
        let piece = self.lens.pop().unwrap_or(self.rest.len());
        let len = piece.min(self.rest.len()).min(buffer.len());
        if piece > len {
            self.lens.push(piece - len);
        }
        buffer[..len].copy_from_slice(&self.rest[..len]);
        self.rest = &self.rest[len..];
        Ok(len)
    }
}
