//! The output of tools with typed arguments.

use super::ToolCall;
use crate::json::ToJson;
use crate::message::{ErrorObject, ToText};
use crate::server::Replied;

/// The output of a tool with typed arguments.
///
/// | | is answered with |
/// |---|---|
/// | [`ToText`]: a string (`String` with the feature `alloc`), an integer, a tuple of these, `format_args!` | a text |
/// | `()` | no content |
/// | [`Structured`] | structured content, and its JSON as a text |
/// | `Ok` of any of these | the same |
/// | `Err` of [`ToText`] | the text of a failure, `isError`, which a language model sees |
/// | `Err` of an [`ErrorObject`] | an error of the protocol |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the output of a tool",
    label = "not the output of a tool",
    note = "a tool returns a text (`&str`, `String` with the feature `alloc`, an integer, a tuple of these), `()`, `Structured(value)`, or a `Result` of these",
    note = "wrap a value that implements `Serialize` in `Structured`",
    note = "the error of a `Result` is a text, or an `ErrorObject`"
)]
pub trait ToolOutput {
    /// Answers the call.
    #[doc(hidden)]
    fn answer(self, call: ToolCall<'_>) -> Replied;
}

/// The failure of a tool with typed arguments: a text ([`ToText`]) for a language model, or an [`ErrorObject`] for the client.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the failure of a tool",
    label = "not the failure of a tool",
    note = "a failure is a text (`&str`, `String` with the feature `alloc`, an integer, a tuple of these), or an `ErrorObject`",
    note = "`Shown(error)` makes a text of an error that implements `Display`"
)]
pub trait ToolFailure {
    /// Answers the call.
    #[doc(hidden)]
    fn answer(self, call: ToolCall<'_>) -> Replied;
}

/// A value for programs: [`ToolCall::structured`] as the [output](ToolOutput) of a tool. Before 2026-07-28 the protocol requires an object,
/// which is not checked. `Structured(Checked(value))` holds the value to the limits of its schema: `server::Checked`.
///
/// ```
/// use nanojsonrpc::mcp::{Schema, Service, Structured};
///
/// #[derive(serde::Serialize)]
/// struct Reading {
///     celsius: i32,
/// }
///
/// let server = Service::new("thermometer", "1.0.0")
///     .tool("read", "Reads the temperature.", Schema::NO_ARGUMENTS, |celsius: &mut i32, (): ()| {
///         Structured(Reading { celsius: *celsius })
///     })
///     .server();
/// # _ = server;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Structured<T>(pub T);

impl<W: ToText> ToolOutput for W {
    fn answer(self, call: ToolCall<'_>) -> Replied {
        call.text(self)
    }
}

impl ToolOutput for () {
    fn answer(self, call: ToolCall<'_>) -> Replied {
        call.content(&[])
    }
}

impl<T: ToJson> ToolOutput for Structured<T> {
    fn answer(self, call: ToolCall<'_>) -> Replied {
        call.structured(&self.0)
    }
}

impl<T: ToolOutput, E: ToolFailure> ToolOutput for Result<T, E> {
    fn answer(self, call: ToolCall<'_>) -> Replied {
        match self {
            Ok(output) => output.answer(call),
            Err(failure) => failure.answer(call),
        }
    }
}

impl<W: ToText> ToolFailure for W {
    fn answer(self, call: ToolCall<'_>) -> Replied {
        call.failed(self)
    }
}

impl<D: ToJson> ToolFailure for ErrorObject<'_, D> {
    fn answer(self, call: ToolCall<'_>) -> Replied {
        call.error(self)
    }
}
