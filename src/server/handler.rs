//! What can be registered: functions and closures, of a few shapes.

use core::marker::PhantomData;

use super::{Replied, Reply};
use crate::json::ToJson;
use crate::message::{ErrorCode, ErrorObject, Params};

/// Answers requests. Implemented for the functions and closures that take
///
/// | | and give |
/// |---|---|
/// | `(&mut C)` | `Result<R, E>`; any params are refused |
/// | `(&mut C, P)`, where `P` is anything that serde reads and that owns what it holds | `Result<R, E>` |
/// | `(&mut C, Params<'_>)`, to look into the params or to read what borrows from the message | `Result<R, E>` |
/// | `(&mut C, Params<'_>, Reply<'_>)`, for replies that borrow | [`Replied`] |
///
/// `R` is anything that can be written ([`ToJson`]), `E` converts into an [`ErrorObject`]. Params that do not fit `P` are
/// answered with -32602 and what was expected. `M` tells the shapes apart, and is left to the compiler.
pub trait Handler<C, E, M> {
    /// Answers one request.
    fn call(&mut self, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied;
}

/// Hears notifications. Implemented for the same functions and closures as [`Handler`] but the last; whatever they give is
/// dropped, and so is a notification whose params do not fit: "the Client would not be aware of any errors" (JSON-RPC 2.0
/// §4.1).
pub trait Listener<C, M> {
    /// Hears one notification.
    fn hear(&mut self, context: &mut C, params: Params<'_>);
}

/// The shape `(&mut C)`.
#[derive(Debug)]
pub struct Bare<T>(PhantomData<fn() -> T>);

/// The shape `(&mut C, P)`.
#[cfg(feature = "serde")]
#[derive(Debug)]
pub struct Typed<T>(PhantomData<fn() -> T>);

/// The shape `(&mut C, Params<'_>)`.
#[derive(Debug)]
pub struct Borrowing<T>(PhantomData<fn() -> T>);

/// The shape `(&mut C, Params<'_>, Reply<'_>)`.
#[derive(Debug)]
pub struct Replying(());

pub(super) fn reply_with<R: ToJson, E: Into<ErrorObject<'static, D>>, D: ToJson>(
    reply: Reply<'_>,
    outcome: Result<R, E>,
) -> Replied {
    match outcome {
        Ok(result) => reply.success(&result),
        Err(error) => reply.error(error.into()),
    }
}

pub(super) const NO_PARAMS: ErrorObject<'static> =
    ErrorObject::plain(ErrorCode::INVALID_PARAMS, "Invalid params: expected none");

impl<F, C, R, E, D> Handler<C, E, Bare<(R, D)>> for F
where
    F: FnMut(&mut C) -> Result<R, E>,
    R: ToJson,
    E: Into<ErrorObject<'static, D>>,
    D: ToJson,
{
    fn call(&mut self, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied {
        if params.is_empty() { reply_with(reply, self(context)) } else { reply.error(NO_PARAMS) }
    }
}

#[cfg(feature = "serde")]
impl<F, C, P, R, E, D> Handler<C, E, Typed<(P, R, D)>> for F
where
    F: FnMut(&mut C, P) -> Result<R, E>,
    P: serde::de::DeserializeOwned,
    R: ToJson,
    E: Into<ErrorObject<'static, D>>,
    D: ToJson,
{
    fn call(&mut self, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied {
        match params.read() {
            Ok(params) => reply_with(reply, self(context, params)),
            Err(problem) => reply.error(ErrorObject::from(problem)),
        }
    }
}

impl<F, C, R, E, D> Handler<C, E, Borrowing<(R, D)>> for F
where
    F: FnMut(&mut C, Params<'_>) -> Result<R, E>,
    R: ToJson,
    E: Into<ErrorObject<'static, D>>,
    D: ToJson,
{
    fn call(&mut self, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied {
        reply_with(reply, self(context, params))
    }
}

impl<F, C, E> Handler<C, E, Replying> for F
where
    F: FnMut(&mut C, Params<'_>, Reply<'_>) -> Replied,
{
    fn call(&mut self, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied {
        self(context, params, reply)
    }
}

impl<F, C, O> Listener<C, Bare<O>> for F
where
    F: FnMut(&mut C) -> O,
{
    fn hear(&mut self, context: &mut C, params: Params<'_>) {
        if params.is_empty() {
            self(context);
        }
    }
}

#[cfg(feature = "serde")]
impl<F, C, P, O> Listener<C, Typed<(P, O)>> for F
where
    F: FnMut(&mut C, P) -> O,
    P: serde::de::DeserializeOwned,
{
    fn hear(&mut self, context: &mut C, params: Params<'_>) {
        if let Ok(params) = params.read() {
            self(context, params);
        }
    }
}

impl<F, C, O> Listener<C, Borrowing<O>> for F
where
    F: FnMut(&mut C, Params<'_>) -> O,
{
    fn hear(&mut self, context: &mut C, params: Params<'_>) {
        self(context, params);
    }
}
