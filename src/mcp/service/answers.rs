//! The functions that a service takes.

use super::Call;
use super::call::{Completing, Getting, Reading, ToolUse};
use super::feature::{Definition, Purpose};
use super::request::Target;
use crate::server::Replied;
use crate::server::Reply;

/// A handler of a tool, resource, prompt or completion. Implemented for functions and closures:
///
/// | arguments | return type |
/// |---|---|
/// | `(&mut C, ToolCall<'_>)`, `(&mut C, ReadCall<'_>)`, `(&mut C, PromptCall<'_>)`, `(&mut C, CompletionCall<'_>)` | [`Replied`] |
/// | of a tool without arguments: `(&mut C)` | a [`ToolOutput`](super::ToolOutput) |
/// | of a tool: `(&mut C, T)`, where `T` is a struct, `DeserializeOwned`, and is read from the arguments; a scalar or a tuple is a compile error | a [`ToolOutput`](super::ToolOutput) |
///
/// Registrations that end in `_async` take `async` functions with the same signatures. `K` marks the signature; the compiler infers it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not answer requests of this kind with the context `{C}`",
    label = "not a handler of this kind: the notes list the possible arguments and results",
    note = "a handler takes `(&mut C, ToolCall<'_>)` (or `ReadCall`, `PromptCall`, `CompletionCall`) and returns `Replied`",
    note = "a tool may also take `&mut C`, or `(&mut C, T)`, where `T` is a struct that implements `serde::Deserialize` and does not borrow; it then \
            returns words (`&str`, `String` with the feature `alloc`), `()`, `Structured(value)` for a struct, or a `Result` of these",
    note = "write the types of both arguments in the closure: `|lamp: &mut Lamp, call: ToolCall<'_>|`",
    note = "register an `async` function with `tool_async`, `resource_async` or `prompt_async`"
)]
pub trait Answers<C, K> {
    /// Answers one request.
    #[doc(hidden)]
    fn answer(&mut self, context: &mut C, target: &Target<'_>, definition: &Definition, reply: Reply<'_>) -> Replied;
}

/// [`Answers`] for `async` functions and closures.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an `async` handler of this kind with the context `{C}`",
    label = "not an `async` handler of this kind: the notes list the possible arguments and results",
    note = "a method that ends in `_async` takes `async` functions and closures; register other handlers with `tool`, `resource` or `prompt`",
    note = "a handler takes `(&mut C, ToolCall<'_>)` (or `ReadCall`, `PromptCall`) and returns `Replied`",
    note = "a tool may also take `&mut C`, or `(&mut C, T)`, where `T` is a struct that implements `serde::Deserialize` and does not borrow; it then \
            returns words (`&str`, `String` with the feature `alloc`), `()`, `Structured(value)` for a struct, or a `Result` of these",
    note = "write the types of both arguments in the closure: `async |lamp: &mut Lamp, call: ToolCall<'_>|`"
)]
#[allow(async_fn_in_trait, reason = "no executor, and so no claim about threads")]
pub trait AnswersAsync<C, K> {
    /// Answers one request.
    #[doc(hidden)]
    async fn answer(
        &mut self,
        context: &mut C,
        target: &Target<'_>,
        definition: &Definition,
        reply: Reply<'_>,
    ) -> Replied;
}

macro_rules! calls {
    ($($kind:ty)*) => {$(
        impl<H: FnMut(&mut C, Call<'_, $kind>) -> Replied, C> Answers<C, $kind> for H {
            #[inline]
            fn answer(&mut self, context: &mut C, target: &Target<'_>, definition: &Definition, reply: Reply<'_>) -> Replied {
                self(context, Call::new(target.request, definition, reply))
            }
        }

        impl<H: AsyncFnMut(&mut C, Call<'_, $kind>) -> Replied, C> AnswersAsync<C, $kind> for H {
            async fn answer(&mut self, context: &mut C, target: &Target<'_>, definition: &Definition, reply: Reply<'_>) -> Replied {
                self(context, Call::new(target.request, definition, reply)).await
            }
        }
    )*};
}
calls! { ToolUse Reading Getting Completing }

/// Shapes of tools.
pub trait ToolShape: Purpose {}

impl ToolShape for ToolUse {}
