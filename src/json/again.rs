//! Values that are written twice: as JSON, and as the text of a string that holds this JSON.

use super::Writer;

/// A written value, to be written once more.
pub(crate) struct Again {
    start: usize,
    end: usize,
    /// The number of its bytes that need an escape, if it was only counted.
    #[cfg(feature = "alloc")]
    escapes: Option<usize>,
}

impl Writer<'_> {
    /// Begins a value that [`put_again_escaped`](Self::put_again_escaped) appends once more. Returns its start.
    pub(crate) fn begin_again(&mut self) -> usize {
        #[cfg(feature = "alloc")]
        self.take_escapes();
        self.len
    }

    /// Ends a value that began at `start`.
    pub(crate) fn end_again(&mut self, start: usize) -> Again {
        Again {
            start,
            end: self.len,
            #[cfg(feature = "alloc")]
            escapes: self.take_escapes(),
        }
    }

    /// Appends a value that has been written before, escaped for the inside of a string.
    pub(crate) fn put_again_escaped(&mut self, again: &Again) {
        let Again { start, end, .. } = *again;
        #[cfg(feature = "alloc")]
        if let Some(escapes) = again.escapes {
            self.len = self.len.saturating_add(end.saturating_sub(start)).saturating_add(escapes);
            return;
        }
        for at in start..end {
            let Some(byte) = self.out.get(at).copied() else { return };
            match byte {
                b'"' | b'\\' | 0..0x20 => self.put_escape(byte),
                _ => self.put_byte(byte),
            }
        }
    }
}
