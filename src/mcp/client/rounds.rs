//! The input that a result requires, and the state that goes with it.

use crate::error::Error;
use crate::json::{Kind, ObjectWriter, RawValue, Writer};
use crate::mcp::value::{an_object, optional, unexpected};

/// The maximum number of repetitions of one call for input that the server requires. "Clients SHOULD bound the number of rounds"
/// (2026-07-28).
pub const MAX_ROUNDS: u8 = 16;

/// The maximum number of requests for the state of one task. At the least [delay](crate::mcp::types::Task::poll_delay_ms) of 50 milliseconds, a
/// session waits for eight minutes; at one second, for almost three hours.
pub const MAX_POLLS: u32 = 10_000;

/// The input that the server requires, if any.
pub(super) fn input_requests(required: RawValue<'_>) -> Result<Option<RawValue<'_>>, Error> {
    optional(required, "inputRequests").map(an_object).transpose()
}

/// Appends the `requestState` of the result.
pub(super) fn put_state(required: RawValue<'_>, out: &mut Writer<'_>) -> Result<(), Error> {
    let Some(state) = optional(required, "requestState") else { return Ok(()) };
    if state.kind() != Kind::String {
        return Err(unexpected(state));
    }
    ObjectWriter::over(out).member("requestState", &state);
    Ok(())
}
