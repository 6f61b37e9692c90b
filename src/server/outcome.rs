//! Turns the return values of handlers into replies.

use core::fmt;
use core::marker::PhantomData;

use super::{Failure, Replied, Reply};
use crate::json::{RawValue, ToJson};
use crate::message::ErrorObject;

/// The return type of a handler. `O` is the way to write its error, which the compiler infers: an [`ErrorObject`] as it is, or any
/// other error by its [`Failure`](super::Failure).
///
/// No type for `O` has a lifetime parameter or names a lifetime of the error. To prove that a future is `Send`, the compiler replaces every
/// lifetime in it by an unknown lifetime, so a route must not depend on `ErrorObject<'static>`.
#[diagnostic::on_unimplemented(
    message = "a handler does not return `{Self}`",
    label = "this handler returns `{Self}` instead of a `Result`",
    note = "a handler returns a `Result`: end it with `Ok(value)`, or with `Ok(())` if it has no result",
    note = "register an `async` handler with `request_async`"
)]
// public, because the `async` method of a public trait cannot name a private one
pub trait Outcome<O>: Sized {
    /// Writes the reply.
    fn reply(self, errors: O, reply: Reply<'_>) -> Replied;
}

/// Accepts `E` as the error of a handler that has no error type of its own. Only [`ErrorObject`] is accepted, so that the compiler can
/// infer the error type of `|_| Ok(1)`.
#[diagnostic::on_unimplemented(
    message = "the error of a handler is an `ErrorObject` without data, not `{E}`",
    label = "this handler fails with `{E}`",
    note = "an error of a code and a text is `ErrorObject::new(-32001, \"too fast\")`",
    note = "for an error type of your own, or for data, use `request_fallible` instead of `request`, `request_fallible_async` instead \
            of `request_async`, `handler_fallible` instead of `handler`",
    note = "pass data to `with_data` by value: a reference does not outlive the handler",
    note = "or implement `From<{E}> for ErrorObject<'static>`, so that `?` converts the error",
    note = "if `{E}` is a type of another crate: `.map_err(|error| (ErrorCode(-32001), Shown(error)))` and `request_fallible`, with \
            `nanojsonrpc::message::Shown`"
)]
pub(crate) trait PlainError<E> {
    /// Writes the error as the reply.
    fn error(error: E, reply: Reply<'_>) -> Replied;
}

/// The error type is [`ErrorObject`]: for the handlers of [`Router::request`](super::Router::request).
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl PlainError<ErrorObject<'_, RawValue<'_>>> for Plain {
    fn error(error: ErrorObject<'_, RawValue<'_>>, reply: Reply<'_>) -> Replied {
        reply.error(error)
    }
}

impl<R: ToJson, E> Outcome<Plain> for Result<R, E>
where
    Plain: PlainError<E>,
{
    fn reply(self, _: Plain, reply: Reply<'_>) -> Replied {
        match self {
            Ok(result) => reply.success(&result),
            Err(error) => Plain::error(error, reply),
        }
    }
}

/// A handler that has written its reply itself.
#[diagnostic::do_not_recommend]
impl Outcome<Plain> for Replied {
    fn reply(self, _: Plain, _: Reply<'_>) -> Replied {
        self
    }
}

/// The error type `E` converts into an [`ErrorObject`]: for handlers of [`Router::request_fallible`](super::Router::request_fallible). The
/// conversion is a function pointer, because the type of the error's data may contain a lifetime.
pub struct Converted<E>(fn(E, Reply<'_>) -> Replied);

impl<E> Converted<E> {
    /// `K` marks the conversion of `E`; see [`HandlerError`].
    pub(crate) const fn of<K>() -> Self
    where
        E: HandlerError<K>,
    {
        Self(E::reply)
    }
}

impl<E> Clone for Converted<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Converted<E> {}

impl<E> fmt::Debug for Converted<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Converted")
    }
}

impl<R: ToJson, E: Failure> Outcome<ByFailure> for Result<R, E> {
    fn reply(self, _: ByFailure, reply: Reply<'_>) -> Replied {
        match self {
            Ok(result) => reply.success(&result),
            Err(error) => reply.failure(&error),
        }
    }
}

impl<R: ToJson, E> Outcome<Converted<E>> for Result<R, E> {
    fn reply(self, errors: Converted<E>, reply: Reply<'_>) -> Replied {
        match self {
            Ok(result) => reply.success(&result),
            Err(error) => (errors.0)(error, reply),
        }
    }
}

/// An error type that a handler may return. It implements [`Failure`], or converts into an [`ErrorObject`] with data of a type `D`. `K`
/// marks one of these two conversions. The compiler infers it, and rejects a type that has both.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an error that a handler can return",
    label = "`{Self}` neither implements `Failure` nor converts into an `ErrorObject`",
    note = "implement `nanojsonrpc::server::Failure` for `{Self}`: a code, a message and data, if there are any",
    note = "or implement `From<{Self}> for ErrorObject<'static>`, or `for ErrorObject<'static, D>` with data of the type `D`",
    note = "or return `(ErrorCode, W)`: a code and a message, as in `(ErrorCode(-32001), \"too fast\")`",
    note = "if `{Self}` is a type of another crate, return `(ErrorCode, Shown<{Self}>)`, with `nanojsonrpc::message::Shown`: \
            `.map_err(|error| (ErrorCode(-32001), Shown(error)))`",
    note = "or return a type of your own that implements `Failure` and `From<{Self}>`, so that `?` converts the error"
)]
pub trait HandlerError<K>: Sized {
    /// The way to write the error, in the type of the route: [`ByFailure`], or [`Converted`] with the error type.
    type Way: Copy + Send;
    #[doc(hidden)]
    const WAY: Self::Way;

    /// Writes the error as the reply.
    fn reply(self, reply: Reply<'_>) -> Replied;
}

/// The error type implements [`Failure`]: for handlers of [`Router::request_fallible`](super::Router::request_fallible).
#[derive(Clone, Copy, Debug)]
pub struct ByFailure(());

/// Marks the conversion into an [`ErrorObject`] with data of type `D`.
#[derive(Debug)]
pub struct ByObject<D>(PhantomData<fn() -> D>);

#[diagnostic::do_not_recommend]
impl<E: Failure> HandlerError<ByFailure> for E {
    type Way = ByFailure;
    const WAY: ByFailure = ByFailure(());

    fn reply(self, reply: Reply<'_>) -> Replied {
        reply.failure(&self)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<ErrorObject<'static, D>>, D: ToJson> HandlerError<ByObject<D>> for E {
    type Way = Converted<E>;
    const WAY: Converted<E> = Converted::of::<ByObject<D>>();

    fn reply(self, reply: Reply<'_>) -> Replied {
        reply.error(self.into())
    }
}

#[cfg(test)]
#[allow(clippy::std_instead_of_core, clippy::clone_on_copy, reason = "the implementation is called")]
mod tests {
    extern crate std;

    use super::Converted;
    use crate::message::ErrorObject;

    #[test]
    fn a_conversion_is_copied_and_shown() {
        let converted: Converted<ErrorObject<'static>> = Converted::of();
        let again = converted.clone();
        assert!(core::ptr::fn_addr_eq(converted.0, again.0));
        assert_eq!(std::format!("{again:?}"), "Converted");
    }
}

#[cfg(test)]
mod replied {
    use super::{Outcome as _, Plain, Replied};
    use crate::json::Writer;
    use crate::server::Reply;
    use crate::server::progress::Progress;

    #[test]
    fn a_reply_that_a_handler_has_written_stays() {
        let (mut progress, mut out) = (Progress::new(false, true), [0; 8]);
        let reply = Reply::new(Writer::new(&mut out), &mut progress, b"");
        assert!(Replied { is_whole: true }.reply(Plain, reply).is_whole());
    }
}
