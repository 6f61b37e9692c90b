//! The fields of a struct.

use crate::json::de::Deserializer;

/// All fields of a struct.
#[derive(Clone, Copy)]
pub(in crate::json) struct Fields(&'static [&'static str]);

pub(in crate::json) use Fields as Candidates;

impl Fields {
    pub(in crate::json) const fn new(all: &'static [&'static str]) -> Self {
        Self(all)
    }

    /// The fields for the next member.
    pub(in crate::json) const fn next(&mut self) -> Candidates {
        *self
    }
}

impl Deserializer<'_> {
    /// [`take_field`](Self::take_field).
    pub(in crate::json) fn take_field_of(&mut self, fields: Candidates) -> &'static str {
        self.take_field(fields.0)
    }
}
