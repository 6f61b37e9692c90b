//! Tools declared by `#[service(mcp)]`. Their types have names, unlike those of closures, so that the compiler can see whether the future
//! of such a server is `Send`.

use core::fmt;
use core::marker::PhantomData;

use super::answers::{Answers, AnswersAsync};
use super::call::{Call, ToolUse};
use super::feature::Definition;
use super::request::Target;
use super::tool::ToolCall;
use crate::server::{Replied, Reply};

/// The handler of the tool at `INDEX` of the service `S`.
pub struct Declared<S, const INDEX: usize>(PhantomData<fn() -> S>);

/// A service with a tool at `INDEX`.
pub trait DeclaredTool<C, const INDEX: usize> {
    /// Answers a call of the tool.
    fn answer(context: &mut C, call: ToolCall<'_>) -> Replied;
}

/// [`DeclaredTool`] for an `async` method.
#[allow(async_fn_in_trait, reason = "no executor, and so no claim about threads")]
pub trait DeclaredAsyncTool<C, const INDEX: usize> {
    /// Answers a call of the tool.
    async fn answer(context: &mut C, call: ToolCall<'_>) -> Replied;
}

impl<S, const INDEX: usize> Declared<S, INDEX> {
    /// The handler.
    pub const NEW: Self = Self(PhantomData);
}

impl<S, const INDEX: usize> Clone for Declared<S, INDEX> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, const INDEX: usize> Copy for Declared<S, INDEX> {}

impl<S, const INDEX: usize> fmt::Debug for Declared<S, INDEX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Declared({INDEX})")
    }
}

impl<C, S: DeclaredTool<C, INDEX>, const INDEX: usize> Answers<C, ToolUse> for Declared<S, INDEX> {
    #[inline]
    fn answer(&mut self, context: &mut C, target: &Target<'_>, definition: &Definition, reply: Reply<'_>) -> Replied {
        S::answer(context, Call::new(target.request, definition, reply))
    }
}

impl<C, S: DeclaredAsyncTool<C, INDEX>, const INDEX: usize> AnswersAsync<C, ToolUse> for Declared<S, INDEX> {
    async fn answer(
        &mut self,
        context: &mut C,
        target: &Target<'_>,
        definition: &Definition,
        reply: Reply<'_>,
    ) -> Replied {
        S::answer(context, Call::new(target.request, definition, reply)).await
    }
}
