//! The reasons why a request has no answer.

use std::fmt;

use nanojsonrpc::message::OwnedErrorObject;
use nanojsonrpc::{ErrorCode, ErrorObject};
use serde::Serialize;

use crate::error_object;

/// The code of the error of a call that the server has not answered. The client writes it, with the reason as the message: `HTTP status 502`.
/// If there was a status, the data are `{"status":401,"challenge":"Bearer …"}`, where `challenge` is the `WWW-Authenticate` of a server that
/// wants authorization.
pub const UNANSWERED: ErrorCode = ErrorCode(-32004);

/// Why a text has no answer.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    reason: String,
    status: Option<Status>,
    /// Whether the session has ended.
    pub(super) is_over: bool,
}

#[derive(Clone, Debug, Serialize)]
struct Status {
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge: Option<String>,
}

impl Fault {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), status: None, is_over: false }
    }

    /// The error of a connection, with its causes: that of hyper alone says little.
    pub(super) fn of(error: &(dyn std::error::Error + 'static)) -> Self {
        let causes = std::iter::successors(error.source(), |cause| cause.source());
        Self::new(causes.fold(error.to_string(), |said, cause| format!("{said}: {cause}")))
    }

    pub(super) fn status(status: u16, note: &str) -> Self {
        let status_alone = Status { status, challenge: None };
        Self { reason: format!("HTTP status {status}{note}"), status: Some(status_alone), is_over: false }
    }

    pub(super) fn unauthorized(status: u16, challenge: Option<&[u8]>) -> Self {
        let challenge = challenge.map(|challenge| String::from_utf8_lossy(challenge).into_owned());
        let note = challenge.as_ref().map_or(String::new(), |challenge| format!(", WWW-Authenticate: {challenge}"));
        let mut fault = Self::status(status, &note);
        fault.status = Some(Status { status, challenge });
        fault
    }

    pub(super) fn session_ended() -> Self {
        Self { is_over: true, ..Self::status(404, ": the session has ended") }
    }

    /// Whether the same request would fail again.
    pub(super) fn is_final(&self) -> bool {
        self.status.as_ref().is_some_and(|status| status.status < 500)
    }

    pub(super) fn error(&self) -> OwnedErrorObject {
        let error = ErrorObject::new(UNANSWERED, &self.reason);
        match &self.status {
            Some(status) => error_object(&error.with_data(status)),
            None => error.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}
