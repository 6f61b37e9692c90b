//! Params and results that are held to the limits of their JSON Schema.

use serde::de::DeserializeOwned;

use super::structured::ObjectOrArray;
use crate::json::place::{self, Limited};
use crate::json::{PayloadError, RawValue, ToJson, ValueWriter, Written};

/// Params of a handler, arguments of a tool, or a result of both, that are held to the limits of their JSON Schema, which
/// `#[derive(nanojsonrpc::Schema)]` publishes: `|_: &mut Fan, Checked(ramp): Checked<Ramp>|`. A `#[nanojsonrpc::service]` checks without this
/// type.
///
/// Params that violate a limit are a fault of the caller, and do not reach the handler. The answer is that of params that do not fit their
/// type: -32602, with the limit and the offset, and on 64-bit hosts with the path and the value. A notification is dropped, and the
/// [observer](super::Server::observed_by) receives [`Event::Unfit`](super::Event::Unfit).
///
/// A result that violates a limit is a fault of the server, and is not sent. The answer is -32603, and the observer receives
/// [`Event::ReplyLost`](super::Event::ReplyLost) with [`InvalidValue`](crate::ErrorKind::InvalidValue).
///
/// ```
/// # #[cfg(feature = "macros")] {
/// use nanojsonrpc::server::Checked;
/// use nanojsonrpc::{Router, Schema, Server};
///
/// #[derive(serde::Deserialize, serde::Serialize, Schema)]
/// struct Speed {
///     #[schema(maximum = 4000, multiple_of = 50)]
///     rpm: u16,
/// }
///
/// let router = Router::new().request("set", |last: &mut u16, Checked(speed): Checked<Speed>| {
///     *last = speed.rpm;
///     Ok(Checked(speed))
/// });
/// let (mut server, mut last, mut output) = (Server::new(router), 0, [0; 192]);
/// let call = br#"{"jsonrpc":"2.0","method":"set","params":{"rpm":4050},"id":1}"#;
/// let answer = server.process(&mut last, call, &mut output).answer();
/// let answer = String::from_utf8_lossy(answer.unwrap_or_default());
/// assert!(answer.contains("invalid value at byte 48, expected maximum 4000"));
/// # #[cfg(target_pointer_width = "64")]
/// assert!(answer.contains("expected maximum 4000, in params.rpm, found 4050"));
/// # }
/// ```
///
/// # Limits
/// A value of more than 64 bytes is not repeated. If the output has no room for the message, it is the standard one. Flash: only for types
/// with limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Checked<T>(pub T);

/// Marks params that are read and checked.
#[derive(Debug)]
#[doc(hidden)]
pub struct ByLimits(());

impl<T: DeserializeOwned + Limited> ObjectOrArray<ByLimits> for Checked<T> {
    type Read = T;

    #[inline(always)]
    fn check(read: &T, text: Option<RawValue<'_>>) -> Result<(), PayloadError> {
        place::check_read(read, text)
    }

    #[inline(always)]
    fn from_read(read: T) -> Self {
        Self(read)
    }
}

/// A value that violates a limit is not written: the writer fails with [`InvalidValue`](crate::ErrorKind::InvalidValue).
impl<T: ToJson + Limited> ToJson for Checked<T> {
    fn write_json<'o>(&self, out: ValueWriter<'o, '_>) -> Written<'o> {
        match place::check(&self.0, None) {
            Ok(()) => out.value(&self.0),
            Err(violation) => out.pieces(|out| out.fail(violation.error())),
        }
    }
}
