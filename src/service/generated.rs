//! The items that generated code uses. They are not part of the public API: only macros of the same version call them.

#[cfg(feature = "mcp")]
pub mod tools;

pub use core::option::Option::{self, None, Some};
pub use core::result::Result::{self, Err, Ok};

pub use serde;
pub use serde::de::DeserializeOwned;

pub use crate::error::Error;
pub use crate::server::Checked;
pub use crate::{ErrorObject, Params, PayloadError, RawValue};

pub use crate::server::route::{Call, Endpoint, OnNotification, OnRequest, Owning, Routes};
pub use crate::server::{AsyncEndpoint, AsyncRoutes, Exchange, Plain, Replied, Reply};

use crate::json::{ToJson, place};
use crate::json_schema::JsonSchema;
use crate::message::Str;
use crate::server::{AsyncListener, Handler, HandlerError, Listener};

/// The route of a request whose handler fails with an `E`.
#[inline(always)]
pub fn request_fallible<C, H, M, T: ToJson, E: HandlerError<K>, K>(
    name: &'static str,
    handler: H,
) -> OnRequest<H, E::Way, M>
where
    H: Handler<C, M, Output = Result<T, E>>,
{
    OnRequest::new(name, E::WAY, handler)
}

/// Checks the limits of params or arguments. `text` is what they were read from.
///
/// # Errors
/// The first violation.
#[inline(always)]
pub fn check<T: JsonSchema>(params: &T, text: Option<RawValue<'_>>) -> Result<(), PayloadError> {
    place::check_read(params, text)
}

/// The type of a listener that reads the params itself and reports errors in them.
#[derive(Debug)]
pub struct Reporting(());

impl<F, C> Listener<C, Reporting> for F
where
    F: FnMut(&mut C, Params<'_>) -> Result<(), Error>,
{
    fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
        self(context, params)
    }
}

impl<F, C> AsyncListener<C, Reporting> for F
where
    F: AsyncFnMut(&mut C, Params<'_>) -> Result<(), Error>,
{
    async fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
        self(context, params).await
    }
}

/// Handles `call` if `endpoint` accepts it. Returns whether it does.
pub async fn take_async<C, E: AsyncEndpoint<C>>(
    mut endpoint: E,
    context: &mut C,
    call: &Call<'_>,
    exchange: &mut Exchange<'_, '_>,
) -> bool {
    let is_for_this = endpoint.is_for(call);
    if is_for_this {
        endpoint.take(context, call, exchange).await;
    }
    is_for_this
}

/// Writes the result or the error of a method as the reply.
#[inline]
pub fn reply<T: ToJson, E: HandlerError<K>, K>(result: Result<T, E>, reply: Reply<'_>) -> Replied {
    match result {
        Ok(result) => reply.success(&result),
        Err(error) => error.reply(reply),
    }
}

/// The error for params of a method without params.
pub const NO_PARAMS: ErrorObject<'static> =
    ErrorObject { message: Str::Plain("Invalid params: expected none"), ..ErrorObject::INVALID_PARAMS };

/// The route of `rpc.discover`, which returns an OpenRPC document.
pub fn discover<C>(document: Option<RawValue<'static>>) -> impl Endpoint<C> {
    OnRequest::new("rpc.discover", Plain, move |_: &mut C| document.ok_or(ErrorObject::INTERNAL_ERROR))
}
