//! The fields of a struct. Its members most often come in the same order.

use crate::json::de::{Deserializer, NAME};

/// All fields of a struct, and those after its last member.
pub(in crate::json) struct Fields {
    all: &'static [&'static str],
    next: core::slice::Iter<'static, &'static str>,
}

/// All fields of a struct, and the likely one.
pub(in crate::json) struct Candidates {
    all: &'static [&'static str],
    likely: &'static str,
}

impl Fields {
    pub(in crate::json) fn new(all: &'static [&'static str]) -> Self {
        Self { all, next: all.iter() }
    }

    /// The fields for the next member.
    pub(in crate::json) fn next(&mut self) -> Candidates {
        Candidates { all: self.all, likely: self.next.next().copied().unwrap_or_default() }
    }
}

impl Deserializer<'_> {
    /// [`take_field`](Self::take_field); compares with the likely field first.
    #[inline]
    pub(in crate::json) fn take_field_of(&mut self, fields: Candidates) -> &'static str {
        let before = self.rest;
        match self.take_plain(NAME) {
            Some(name) if name == fields.likely.as_bytes() => fields.likely,
            _ => {
                self.rest = before;
                self.take_field(fields.all)
            }
        }
    }
}
