//! Methods of a service as tools of MCP.

pub use super::check;
pub use crate::mcp::service::ToolUse;
pub use crate::mcp::service::declared::{Declared, DeclaredAsyncTool, DeclaredTool};
pub use crate::mcp::service::feature::{AsyncFeatures, AsyncRegistration, Features, Registration, With};
pub use crate::mcp::types::{Tool, ToolAnnotations};
pub use crate::mcp::{Schema, Service, ToolCall};
pub use crate::message::Str;
pub use crate::server::Replied;

use crate::json::ToJson;
use crate::json_schema::{Field, JsonSchema, NoLimits, Node, Place, held};
use crate::message::{ErrorObject, ToText};
use crate::server::{ByFailure, ByObject, Checked, Failure};

/// The result of a method as structured content. Structured content is an object, so any other result becomes the member `result` of an
/// object.
#[derive(Debug)]
pub struct Output<T>(pub T);

#[derive(serde::Serialize)]
struct Wrapped<'t, T> {
    result: &'t T,
}

impl<T: JsonSchema> JsonSchema for Output<T> {
    const SCHEMA: Node = if T::IS_OBJECT {
        T::SCHEMA
    } else {
        Node::Object {
            members: &[
                ("type", Node::Json { text: "\"object\"" }),
                ("properties", Node::Object { members: &[("result", T::SCHEMA)] }),
                ("required", Node::Names { names: &[("result", true)] }),
            ],
        }
    };
    const IS_OBJECT: bool = true;
}

impl<T: JsonSchema> JsonSchema for Wrapped<'_, T> {
    const SCHEMA: Node = Output::<T>::SCHEMA;
    const HAS_LIMITS: bool = T::HAS_LIMITS;

    fn holds(&self, place: &Place<'_>) -> bool {
        held::member::<NoLimits, T>(self.result, place, &Field { name: "result", index: 0 })
    }
}

/// Answers a call with a result, which is held to its schema.
#[inline]
pub fn success<T: serde::Serialize + JsonSchema>(result: &T, call: ToolCall<'_>) -> Replied {
    if T::IS_OBJECT { call.structured(&Checked(result)) } else { call.structured(&Checked(Wrapped { result })) }
}

/// Answers a call with a result or an error. A language model sees the message of a [`Failure`].
#[inline]
pub fn reply<T: serde::Serialize + JsonSchema, E: ToolError<K>, K>(
    result: Result<T, E>,
    call: ToolCall<'_>,
) -> Replied {
    match result {
        Ok(result) => success(&result, call),
        Err(error) => error.fail(call),
    }
}

/// Answers a call with a result as a text, or with an error.
#[inline]
pub fn reply_text<W: ToText, E: ToolError<K>, K>(result: Result<W, E>, call: ToolCall<'_>) -> Replied {
    match result {
        Ok(result) => call.text(result),
        Err(error) => error.fail(call),
    }
}

/// An error type of a method as the failure of a tool; see [`HandlerError`](crate::server::HandlerError).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an error that a tool can return",
    label = "`{Self}` neither implements `Failure` nor converts into an `ErrorObject`",
    note = "implement `nanojsonrpc::server::Failure` for `{Self}`: a code, a message and data, if there are any",
    note = "or return `(ErrorCode, W)`: a code and a message, as in `(ErrorCode(-32001), \"too fast\")`",
    note = "if `{Self}` is a type of another crate, return `(ErrorCode, Shown<{Self}>)`, with `nanojsonrpc::message::Shown`: \
            `.map_err(|error| (ErrorCode(-32001), Shown(error)))`",
    note = "or return a type of your own that implements `Failure` and `From<{Self}>`, so that `?` converts the error"
)]
pub trait ToolError<K> {
    /// Answers the call.
    fn fail(self, call: ToolCall<'_>) -> Replied;
}

#[diagnostic::do_not_recommend]
impl<E: Failure> ToolError<ByFailure> for E {
    fn fail(self, call: ToolCall<'_>) -> Replied {
        call.failed(self.message())
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<ErrorObject<'static, D>>, D: ToJson> ToolError<ByObject<D>> for E {
    fn fail(self, call: ToolCall<'_>) -> Replied {
        call.failed(self.into().message)
    }
}
