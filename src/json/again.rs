//! Values that are written twice: as JSON, and as the text of a string that holds this JSON.

use super::{ObjectWriter, ToJson, Writer};

/// A written value, to be written once more.
pub(crate) struct Again {
    start: usize,
    end: usize,
    /// The number of its bytes that need an escape, if it was only counted.
    #[cfg(feature = "alloc")]
    escapes: Option<usize>,
}

impl ObjectWriter<'_, '_> {
    /// Appends one member, and returns its value.
    pub(crate) fn member_again<T: ToJson + ?Sized>(&mut self, name: &str, value: &T) -> Again {
        let out = &mut *self.out;
        out.put_name(name);
        #[cfg(feature = "alloc")]
        out.take_escapes();
        let start = out.len;
        out.put_value(value);
        Again {
            start,
            end: out.len,
            #[cfg(feature = "alloc")]
            escapes: out.take_escapes(),
        }
    }
}

impl Writer<'_> {
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
