//! Calls of generated clients over a connection.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Caller;
use crate::connection::{CallError, Connection, ConnectionError, Peer};
use crate::frame::{Buffer, Frame};
use crate::message::{ErrorObject, Notification};
use crate::server::Observer;
use crate::server::route::Routes;

impl<'c, R, W, F, B> Caller for &'c mut Connection<'_, R, W, F, B>
where
    R: embedded_io::Read,
    W: embedded_io::Write,
    F: Frame,
    B: Buffer,
{
    type Outcome<T> = Result<T, CallError<ErrorObject<'c>, &'c [u8], R::Error, W::Error>>;
    type Notified = Result<(), ConnectionError<R::Error, W::Error>>;

    fn call<T: DeserializeOwned>(self, method: &str, params: &impl Serialize) -> Self::Outcome<T> {
        Connection::call(self, method, params)
    }

    fn notify(self, method: &str, params: &impl Serialize) -> Self::Notified {
        self.send(&Notification::new(method).with_params(params))
    }
}

impl<'c, R, W, F, B, S, H, C, L> Caller for &'c mut Peer<'_, '_, R, W, F, B, S, H, C, L>
where
    R: embedded_io::Read,
    W: embedded_io::Write,
    F: Frame,
    B: Buffer,
    S: Routes<C>,
    H: Observer<C>,
    L: FnMut() -> bool,
{
    type Outcome<T> = Result<T, CallError<ErrorObject<'c>, &'c [u8], R::Error, W::Error>>;
    type Notified = Result<(), ConnectionError<R::Error, W::Error>>;

    fn call<T: DeserializeOwned>(self, method: &str, params: &impl Serialize) -> Self::Outcome<T> {
        Peer::call(self, method, params)
    }

    fn notify(self, method: &str, params: &impl Serialize) -> Self::Notified {
        Peer::notify(self, method, params)
    }
}

#[cfg(feature = "embedded-io-async")]
impl<'c, R, W, F, B> super::AsyncCaller for &'c mut Connection<'_, R, W, F, B>
where
    R: embedded_io_async::Read,
    W: embedded_io_async::Write,
    F: Frame,
    B: Buffer,
{
    type Error = CallError<ErrorObject<'c>, &'c [u8], R::Error, W::Error>;
    type NotifyError = ConnectionError<R::Error, W::Error>;

    async fn call<T: DeserializeOwned>(self, method: &str, params: &impl Serialize) -> Result<T, Self::Error> {
        self.call_async(method, params).await
    }

    async fn notify(self, method: &str, params: &impl Serialize) -> Result<(), Self::NotifyError> {
        self.send_async(&Notification::new(method).with_params(params)).await
    }
}

#[cfg(feature = "embedded-io-async")]
impl<'c, R, W, F, B, S, H, C, L> super::AsyncCaller for &'c mut Peer<'_, '_, R, W, F, B, S, H, C, L>
where
    R: embedded_io_async::Read,
    W: embedded_io_async::Write,
    F: Frame,
    B: Buffer,
    S: crate::server::AsyncRoutes<C>,
    H: Observer<C>,
    L: AsyncFnMut(),
{
    type Error = CallError<ErrorObject<'c>, &'c [u8], R::Error, W::Error>;
    type NotifyError = ConnectionError<R::Error, W::Error>;

    async fn call<T: DeserializeOwned>(self, method: &str, params: &impl Serialize) -> Result<T, Self::Error> {
        self.call_async(method, params).await
    }

    async fn notify(self, method: &str, params: &impl Serialize) -> Result<(), Self::NotifyError> {
        self.notify_async(method, params).await
    }
}
