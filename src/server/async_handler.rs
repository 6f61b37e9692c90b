//! The signatures of `async` functions that a router accepts.

use super::handler::expect_none;
#[cfg(feature = "serde")]
use super::handler::refuse;
#[cfg(feature = "serde")]
use super::structured::ObjectOrArray;
use super::{Bare, Borrowing, Outcome, Replied, Reply, Replying};
use crate::error::Error;
use crate::message::Params;

/// An `async` handler of requests: an `async` function or closure with one of the signatures of [`Handler`](super::Handler).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an `async` handler of requests with the context `{C}`",
    label = "not an `async` handler: the notes list the possible arguments",
    note = "`request_async` takes `async` functions and closures; register other handlers with `request`",
    note = "for a result that borrows from the context, take `Params<'_>` and `Reply<'_>`: \
            `async |board: &mut Board, _: Params<'_>, reply: Reply<'_>| reply.success(&board.name)`",
    note = "`C` is the type of the context: one type for all handlers of a router and for the argument of `process`"
)]
#[cfg_attr(
    feature = "serde",
    diagnostic::on_unimplemented(
        note = "a handler takes `&mut C`, `(&mut C, P)`, `(&mut C, Params<'_>)` or `(&mut C, Params<'_>, Reply<'_>)`",
        note = "`P` needs `#[derive(serde::Deserialize)]`, because serde reads it, and must not borrow",
        note = "to borrow from the message, take `Params<'_>` and call `params.read()` in the handler"
    )
)]
#[cfg_attr(
    not(feature = "serde"),
    diagnostic::on_unimplemented(
        note = "a handler takes `&mut C`, `(&mut C, Params<'_>)` or `(&mut C, Params<'_>, Reply<'_>)`",
        note = "typed params, `(a, b): (i64, i64)`, need the feature `serde`"
    )
)]
#[allow(async_fn_in_trait, reason = "the library knows no executor, so it requires no `Send`")]
pub trait AsyncHandler<C, M> {
    /// The return type of the function.
    type Output;

    /// Answers one request. `errors` writes the error, if the function returns one.
    async fn call<O>(&mut self, errors: O, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied
    where
        Self::Output: Outcome<O>;
}

/// An `async` listener to notifications: an `async` function or closure with one of the signatures of [`Listener`](super::Listener).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an `async` listener to notifications with the context `{C}`",
    label = "not an `async` listener: the notes list the possible arguments",
    note = "`notification_async` takes `async` functions and closures; register other listeners with `notification`",
    note = "`C` is the type of the context: one type for all handlers of a router and for the argument of `process`"
)]
#[cfg_attr(
    feature = "serde",
    diagnostic::on_unimplemented(
        note = "a listener takes `&mut C`, `(&mut C, P)` or `(&mut C, Params<'_>)`",
        note = "`P` needs `#[derive(serde::Deserialize)]`, because serde reads it, and must not borrow",
        note = "to borrow from the message, take `Params<'_>` and call `params.read()` in the listener"
    )
)]
#[cfg_attr(
    not(feature = "serde"),
    diagnostic::on_unimplemented(
        note = "a listener takes `&mut C` or `(&mut C, Params<'_>)`",
        note = "typed params, `(a, b): (i64, i64)`, need the feature `serde`"
    )
)]
#[allow(async_fn_in_trait, reason = "the library knows no executor, so it requires no `Send`")]
pub trait AsyncListener<C, M> {
    /// Handles one notification.
    ///
    /// # Errors
    /// The fault of params that do not fit. Then the function was not called.
    async fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error>;
}

impl<F, C, T> AsyncHandler<C, Bare> for F
where
    F: AsyncFnMut(&mut C) -> T,
{
    type Output = T;

    async fn call<O>(&mut self, errors: O, context: &mut C, params: Params<'_>, mut reply: Reply<'_>) -> Replied
    where
        T: Outcome<O>,
    {
        if params.are_none() {
            self(context).await.reply(errors, reply)
        } else {
            reply.standard_error(super::handler::NO_PARAMS)
        }
    }
}

#[cfg(feature = "serde")]
impl<F, C, P, T, K> AsyncHandler<C, super::Typed<P, K>> for F
where
    F: AsyncFnMut(&mut C, P) -> T,
    P: ObjectOrArray<K>,
{
    type Output = T;

    async fn call<O>(&mut self, errors: O, context: &mut C, params: Params<'_>, mut reply: Reply<'_>) -> Replied
    where
        T: Outcome<O>,
    {
        // the reader is dropped before the `await`, so that the future does not hold it
        let raw = params.raw();
        let params = if let Some(params) = params.unit() {
            Ok(params)
        } else {
            let mut reader = params.lend(reply.scratch(&params)).reader();
            reader.read_value().map_err(|fault| reader.explain(fault))
        };
        match params.and_then(|read: P::Read| P::check(&read, raw).map(|()| read)) {
            Ok(read) => self(context, P::from_read(read)).await.reply(errors, reply),
            Err(problem) => refuse(&mut reply, raw, problem),
        }
    }
}

impl<F, C, T> AsyncHandler<C, Borrowing> for F
where
    F: AsyncFnMut(&mut C, Params<'_>) -> T,
{
    type Output = T;

    async fn call<O>(&mut self, errors: O, context: &mut C, params: Params<'_>, mut reply: Reply<'_>) -> Replied
    where
        T: Outcome<O>,
    {
        let returned = self(context, params.lend(reply.scratch(&params))).await;
        returned.reply(errors, reply)
    }
}

impl<F, C> AsyncHandler<C, Replying> for F
where
    F: AsyncFnMut(&mut C, Params<'_>, Reply<'_>) -> Replied,
{
    type Output = Replied;

    async fn call<O>(&mut self, _: O, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied
    where
        Replied: Outcome<O>,
    {
        self(context, params, reply).await
    }
}

impl<F, C, O> AsyncListener<C, Bare> for F
where
    F: AsyncFnMut(&mut C) -> O,
{
    async fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
        expect_none(&params)?;
        self(context).await;
        Ok(())
    }
}

#[cfg(feature = "serde")]
impl<F, C, P, O, K> AsyncListener<C, super::Typed<P, K>> for F
where
    F: AsyncFnMut(&mut C, P) -> O,
    P: ObjectOrArray<K>,
{
    async fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
        let raw = params.raw();
        let read = match params.unit() {
            Some(unit) => unit,
            None => params.read().map_err(crate::json::PayloadError::error)?,
        };
        P::check(&read, raw).map_err(crate::json::PayloadError::error)?;
        self(context, P::from_read(read)).await;
        Ok(())
    }
}

impl<F, C, O> AsyncListener<C, Borrowing> for F
where
    F: AsyncFnMut(&mut C, Params<'_>) -> O,
{
    async fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
        self(context, params).await;
        Ok(())
    }
}
