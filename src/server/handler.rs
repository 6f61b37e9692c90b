//! Handlers and listeners: functions and closures with one of a few signatures.

use super::outcome::Outcome;
#[cfg(feature = "serde")]
use super::structured::{ByMembers, ObjectOrArray};
use super::{Replied, Reply};
use crate::error::{Error, ErrorKind};
#[cfg(feature = "serde")]
use crate::json::PayloadError;
use crate::json::RawValue;
use crate::message::{Params, Standard, standard};

/// A handler of requests: a function or closure with one of these signatures.
///
/// | params | return type |
/// |---|---|
/// | `(&mut C)` | `Result<R, E>`; non-empty params are refused, except in [`Dialect::MCP`](crate::Dialect::MCP), which ignores them |
/// | `(&mut C, P)`, where `P` is an owned type that serde reads from an object or array: a struct, by name or by position, then with every field present that has no `#[serde(default)]`; a tuple, which may lack the `Option`s at its end, `(u64,)` for one param; a scalar type such as `u64` is a compile error | `Result<R, E>` |
/// | `(&mut C, Checked<P>)`, where `P` has a JSON Schema, whose limits are checked: `server::Checked` | `Result<R, E>` |
/// | `(&mut C, Params<'_>)`, to inspect the params, or to read a type that borrows from the message | `Result<R, E>` |
/// | `(&mut C, Params<'_>, Reply<'_>)`, for replies that borrow | [`Replied`] |
///
/// `R` implements [`ToJson`](crate::ToJson). `E` is an [`ErrorObject`](crate::ErrorObject) without data; `?` converts the errors of this
/// crate into it, such as [`Error`] and `PayloadError`. With [`Router::request_fallible`](super::Router::request_fallible), `E` is an error
/// type of the program, or a code with words: `(ErrorCode, ("too hot: ", 90))`; `Shown(error)` makes words of any error with `Display`.
///
/// If the params do not fit `P`, the answer is -32602 with the expected type, and on 64-bit hosts with the path of the value
/// (`in params.values[3]`), or with the standard message if the output has no room for more. A capacity of `P`, such as that of a `heapless::String<8>`, is part of the method, so a longer text is a fault of the caller. `M`
/// is a marker for the signature, which the compiler infers.
///
/// # A borrowed struct
/// The compiler refuses `|_: &mut C, query: Query<'_>|` with "implementation of `Deserialize` is not general enough", because the handler
/// could keep a part of it. Take `params: Params<'_>` and call `params.read::<Query<'_>>()?` in the handler.
///
/// # A result that borrows
/// A function cannot return a result that borrows from the context. For a closure such as `|board: &mut Board| Ok(board.name.as_str())`,
/// the compiler says "lifetime may not live long enough". Take the fourth signature and pass the result to the reply:
///
/// ```
/// use nanojsonrpc::server::{Replied, Reply};
/// use nanojsonrpc::{Params, Router};
///
/// struct Board {
///     name: String,
/// }
///
/// let router = Router::new().request("name", |board: &mut Board, _: Params<'_>, reply: Reply<'_>| reply.success(board.name.as_str()));
/// # _ = router;
/// ```
///
/// # One param
/// Params are an object or an array, so a handler takes `(level,): (u64,)`, not `level: u64`. For the latter the compiler cannot infer a
/// type: it finds two implementations of `u64: ObjectOrArray<_>`, one of them named `OneParamNeedsATuple`. It cannot see that a type of
/// the program's own, such as an enum, is read from a scalar: no params fit such a type. For a dialect that allows scalar params, name the
/// signature:
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use nanojsonrpc::server::Typed;
/// use nanojsonrpc::{Dialect, Router, Server};
///
/// let router = Router::new().request::<_, Typed<u64>>("double", |_: &mut (), number: u64| Ok(number * 2));
/// let mut server = Server::new(router).with_dialect(Dialect::CAUCE);
/// let mut output = [0; 96];
/// let answer = server.process(&mut (), br#"{"jsonrpc":"2.0","method":"double","params":21,"id":1}"#, &mut output).answer();
/// assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":42,"id":1}"#[..]));
/// # }
/// ```
///
/// # Strings with escapes
/// Strings with escapes are decoded into the output, which is free while the handler runs. `Params::read` does so for the third
/// signature, `Reply::read` for the fourth. A string that does not fit there is no fault of the caller: the answer is -32603, a notification is
/// dropped, and the [observer](super::Server::observed_by) receives [`Event::Undecoded`](super::Event::Undecoded).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler of requests with the context `{C}`",
    label = "not a handler: the notes list the possible arguments",
    note = "register an `async` handler with `request_async`",
    note = "for a result that borrows from the context, take `Params<'_>` and `Reply<'_>`: \
            `|board: &mut Board, _: Params<'_>, reply: Reply<'_>| reply.success(&board.name)`",
    note = "`C` is the type of the context: one type for all handlers of a router and for the argument of `process`"
)]
#[cfg_attr(
    feature = "serde",
    diagnostic::on_unimplemented(
        note = "write the types of all arguments of a closure: `|board: &mut Board, (a, b): (i64, i64)|`",
        note = "a handler takes `&mut C`, `(&mut C, P)`, `(&mut C, Params<'_>)` or `(&mut C, Params<'_>, Reply<'_>)`",
        note = "`P` needs `#[derive(serde::Deserialize)]`, because serde reads it, and must not borrow",
        note = "to borrow from the message, take `Params<'_>` and call `params.read()` in the handler"
    )
)]
#[cfg_attr(
    not(feature = "serde"),
    diagnostic::on_unimplemented(
        note = "write the types of all arguments of a closure: `|board: &mut Board, params: Params<'_>|`",
        note = "a handler takes `&mut C`, `(&mut C, Params<'_>)` or `(&mut C, Params<'_>, Reply<'_>)`",
        note = "typed params, `(a, b): (i64, i64)`, need the feature `serde`"
    )
)]
pub trait Handler<C, M> {
    /// The return type of the function.
    type Output;

    /// Answers one request. `errors` writes the error, if the function returns one.
    fn call<O>(&mut self, errors: O, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied
    where
        Self::Output: Outcome<O>;
}

/// A listener to notifications: a function or closure with one of the signatures of [`Handler`], except the last. Its return value is
/// dropped. A notification whose params do not fit is dropped, too, because "the Client would not be aware of any errors" (JSON-RPC 2.0
/// §4.1); the server's [observer](super::Server::observed_by) receives an event.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a listener to notifications with the context `{C}`",
    label = "not a listener: the notes list the possible arguments",
    note = "register an `async` listener with `notification_async`",
    note = "`C` is the type of the context: one type for all handlers of a router and for the argument of `process`"
)]
#[cfg_attr(
    feature = "serde",
    diagnostic::on_unimplemented(
        note = "write the types of all arguments of a closure: `|board: &mut Board, (on,): (bool,)|`",
        note = "a listener takes `&mut C`, `(&mut C, P)` or `(&mut C, Params<'_>)`",
        note = "`P` needs `#[derive(serde::Deserialize)]`, because serde reads it, and must not borrow",
        note = "to borrow from the message, take `Params<'_>` and call `params.read()` in the listener"
    )
)]
#[cfg_attr(
    not(feature = "serde"),
    diagnostic::on_unimplemented(
        note = "write the types of all arguments of a closure: `|board: &mut Board, params: Params<'_>|`",
        note = "a listener takes `&mut C` or `(&mut C, Params<'_>)`",
        note = "typed params, `(a, b): (i64, i64)`, need the feature `serde`"
    )
)]
pub trait Listener<C, M> {
    /// Handles one notification.
    ///
    /// # Errors
    /// The fault of params that do not fit. Then the function was not called.
    fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error>;
}

/// Marks a handler with the signature `(&mut C)`, in the [type of its route](super::route).
#[derive(Debug)]
pub struct Bare(());

/// Marks a handler with the signature `(&mut C, P)`, in the [type of its route](super::route).
#[cfg(feature = "serde")]
#[derive(Debug)]
pub struct Typed<P, K = ByMembers>(core::marker::PhantomData<fn() -> (P, K)>);

/// Marks a handler with the signature `(&mut C, Params<'_>)`, in the [type of its route](super::route).
#[derive(Debug)]
pub struct Borrowing(());

/// Marks a handler with the signature `(&mut C, Params<'_>, Reply<'_>)`, in the [type of its route](super::route).
#[derive(Debug)]
pub struct Replying(());

#[cfg(feature = "serde")]
impl Reply<'_> {
    /// Answers that the params cannot be read: -32602 with the expected type, the offset, and on 64-bit hosts the path of the value that does
    /// not fit; -32603 if there was no room to decode a string.
    ///
    /// ```
    /// use nanojsonrpc::server::{Replied, Reply};
    /// use nanojsonrpc::{Params, Router, Server};
    ///
    /// fn sum(_: &mut (), params: Params<'_>, mut reply: Reply<'_>) -> Replied {
    ///     match reply.read::<[[u8; 2]; 2]>(&params) {
    ///         Ok(rows) => reply.success(&rows.concat().iter().sum::<u8>()),
    ///         Err(problem) => reply.refuse(&params, problem),
    ///     }
    /// }
    ///
    /// let mut server = Server::new(Router::new().request("sum", sum));
    /// let mut output = [0; 160];
    /// let text = br#"{"jsonrpc":"2.0","method":"sum","params":[[1,2],[3,"4"]],"id":1}"#;
    /// let answer = server.process(&mut (), text, &mut output).answer().unwrap_or_default();
    /// # #[cfg(target_pointer_width = "64")]
    /// assert_eq!(
    ///     str::from_utf8(answer).unwrap(),
    ///     r#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params: unexpected type at byte 51, expected u8, in params[1][1]"},"id":1}"#
    /// );
    /// ```
    ///
    /// # Limits
    /// If the output has no room for more, the message is the standard one.
    pub fn refuse(mut self, params: &Params<'_>, problem: PayloadError) -> Replied {
        refuse(&mut self, params.raw(), problem)
    }
}

/// Answers params that cannot be read. Not inlined, because each handler would link another copy of this code.
#[cfg(feature = "serde")]
#[inline(never)]
pub(super) fn refuse(reply: &mut Reply<'_>, params: Option<RawValue<'_>>, problem: PayloadError) -> Replied {
    let replied = reply.put_problem(params, problem);
    // a whole reply, or -32603
    if replied.is_whole() || problem.is_shortage() { replied } else { reply.again(standard::INVALID_PARAMS) }
}

pub(super) const NO_PARAMS: Standard = (standard::INVALID_PARAMS.0, "Invalid params: expected none");

/// Returns an error unless the params are empty.
pub(super) fn expect_none(params: &Params<'_>) -> Result<(), Error> {
    let offset = params.raw().map_or(0, RawValue::offset);
    if params.are_none() { Ok(()) } else { Err(Error::new(ErrorKind::InvalidParams, offset)) }
}

impl<F, C, T> Handler<C, Bare> for F
where
    F: FnMut(&mut C) -> T,
{
    type Output = T;

    fn call<O>(&mut self, errors: O, context: &mut C, params: Params<'_>, mut reply: Reply<'_>) -> Replied
    where
        T: Outcome<O>,
    {
        if params.are_none() { self(context).reply(errors, reply) } else { reply.standard_error(NO_PARAMS) }
    }
}

#[cfg(feature = "serde")]
impl<F, C, P, T, K> Handler<C, Typed<P, K>> for F
where
    F: FnMut(&mut C, P) -> T,
    P: ObjectOrArray<K>,
{
    type Output = T;

    fn call<O>(&mut self, errors: O, context: &mut C, params: Params<'_>, mut reply: Reply<'_>) -> Replied
    where
        T: Outcome<O>,
    {
        if let Some(unit) = params.unit() {
            return self(context, P::from_read(unit)).reply(errors, reply);
        }
        let mut reader = params.lend(reply.scratch(&params)).reader();
        match reader.read_value() {
            Ok(read) => match P::check(&read, params.raw()) {
                Ok(()) => self(context, P::from_read(read)).reply(errors, reply),
                Err(violation) => refuse(&mut reply, params.raw(), violation),
            },
            Err(fault) => {
                let problem = reader.explain(fault);
                refuse(&mut reply, params.raw(), problem)
            }
        }
    }
}

impl<F, C, T> Handler<C, Borrowing> for F
where
    F: FnMut(&mut C, Params<'_>) -> T,
{
    type Output = T;

    fn call<O>(&mut self, errors: O, context: &mut C, params: Params<'_>, mut reply: Reply<'_>) -> Replied
    where
        T: Outcome<O>,
    {
        let returned = self(context, params.lend(reply.scratch(&params)));
        returned.reply(errors, reply)
    }
}

impl<F, C> Handler<C, Replying> for F
where
    F: FnMut(&mut C, Params<'_>, Reply<'_>) -> Replied,
{
    type Output = Replied;

    fn call<O>(&mut self, _: O, context: &mut C, params: Params<'_>, reply: Reply<'_>) -> Replied
    where
        Replied: Outcome<O>,
    {
        self(context, params, reply)
    }
}

impl<F, C, O> Listener<C, Bare> for F
where
    F: FnMut(&mut C) -> O,
{
    fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
        expect_none(&params)?;
        self(context);
        Ok(())
    }
}

#[cfg(feature = "serde")]
impl<F, C, P, O, K> Listener<C, Typed<P, K>> for F
where
    F: FnMut(&mut C, P) -> O,
    P: ObjectOrArray<K>,
{
    fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
        if let Some(unit) = params.unit() {
            self(context, P::from_read(unit));
            return Ok(());
        }
        let text = params.raw();
        let mut reader = params.reader();
        match reader.read_value() {
            Ok(read) => {
                P::check(&read, text).map_err(PayloadError::error)?;
                self(context, P::from_read(read));
                Ok(())
            }
            Err(fault) => Err(reader.explain(fault).error()),
        }
    }
}

impl<F, C, O> Listener<C, Borrowing> for F
where
    F: FnMut(&mut C, Params<'_>) -> O,
{
    fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
        self(context, params);
        Ok(())
    }
}
