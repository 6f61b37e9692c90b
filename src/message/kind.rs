//! The kinds of messages.

/// The kind of message in an [`Envelope`](super::Envelope).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
// in a whole register
#[cfg_attr(target_pointer_width = "32", repr(u32))]
pub enum EnvelopeKind {
    /// `method` and `id`.
    Request,
    /// `method` without `id`.
    Notification,
    /// `result` and `id`.
    Success,
    /// `error` and `id`.
    Error,
    /// An array of messages that are not yet classified.
    Batch,
}

impl EnvelopeKind {
    /// Whether a message of this kind gets a response, even if it is refused.
    pub(crate) const fn is_answered(self) -> bool {
        matches!(self, Self::Request | Self::Batch)
    }
}
