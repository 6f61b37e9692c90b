//! Calls that the peer cancels.

use crate::json::RawValue;
use crate::message::{Envelope, EnvelopeKind, ErrorCode, ErrorObject, Id};

/// The notification by which a peer cancels a call; its params contain the id of the call.
///
/// ```
/// use nanojsonrpc::ErrorObject;
/// use nanojsonrpc::connection::Cancellation;
///
/// // {"jsonrpc":"2.0","method":"job.stop","params":{"job":7}} cancels the call with the id 7, which is answered with an error
/// let stopped = Cancellation::new("job.stop", "job").answered_with(ErrorObject::new(-32000, "Stopped"));
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Cancellation {
    method: &'static str,
    member: &'static str,
    answer: Option<ErrorObject<'static>>,
}

impl Cancellation {
    /// `$/cancelRequest` with the member `id`. A cancelled call is answered with -32800.
    ///
    /// Source: Language Server Protocol 3.17, "Cancellation Support".
    pub const LANGUAGE_SERVER: Self =
        Self::new("$/cancelRequest", "id").answered_with(ErrorObject::plain(ErrorCode(-32800), "Request cancelled"));

    /// `notifications/cancelled` with the member `requestId`. A cancelled call is not answered. Example: `mcp_tokio`.
    ///
    /// Source: Model Context Protocol, "Cancellation".
    pub const MCP: Self = Self::new("notifications/cancelled", "requestId");

    /// The notification `method` with the id as the `member` of its params. A cancelled call is not answered.
    pub const fn new(method: &'static str, member: &'static str) -> Self {
        Self { method, member, answer: None }
    }

    /// Answers a cancelled call with `error`.
    #[must_use]
    pub const fn answered_with(self, error: ErrorObject<'static>) -> Self {
        Self { answer: Some(error), ..self }
    }

    /// The error that answers a cancelled call; `None` if it is not answered.
    pub const fn answer(&self) -> Option<ErrorObject<'static>> {
        self.answer
    }

    /// The id of the call that `message` cancels, null if the id cannot be read; `None` if `message` is not this
    /// notification.
    ///
    /// ```
    /// use nanojsonrpc::connection::Cancellation;
    /// use nanojsonrpc::{Envelope, Id};
    ///
    /// let message = Envelope::parse(br#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}"#)?;
    /// assert_eq!(Cancellation::LANGUAGE_SERVER.cancels(&message), Some(Id::Number(7)));
    /// assert!(Cancellation::LANGUAGE_SERVER.answer().is_some() && Cancellation::MCP.answer().is_none());
    /// # Ok::<(), nanojsonrpc::Refused<'_>>(())
    /// ```
    pub fn cancels(&self, message: &Envelope<'_>) -> Option<Id> {
        if message.kind() != EnvelopeKind::Notification || message.method() != *self.method {
            return None;
        }
        let id = message.params().and_then(|params| RawValue::get(params, self.member));
        Some(id.and_then(|id| Id::read(id).ok()).unwrap_or_default())
    }
}
