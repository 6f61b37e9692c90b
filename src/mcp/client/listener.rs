//! Listeners for notifications of a server, to register with a [`Router`](crate::Router).

use core::fmt;
use core::marker::PhantomData;

use crate::error::{Error, ErrorKind};
use crate::mcp::types::{LogMessage, Progress, ResourceUpdated};
use crate::message::Params;
use crate::server::Listener;

/// A [`Listener`] made of a function that takes the typed params of a notification; see [`on_log`].
#[derive(Clone, Copy)]
pub struct Listening<F, K> {
    function: F,
    kind: PhantomData<fn() -> K>,
}

impl<F, K> Listening<F, K> {
    const fn new(function: F) -> Self {
        Self { function, kind: PhantomData }
    }
}

impl<F, K> fmt::Debug for Listening<F, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listening")
    }
}

#[cfg(feature = "defmt")]
impl<F, K> defmt::Format for Listening<F, K> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Listening");
    }
}

macro_rules! listeners {
    ($($(#[$meta:meta])* $name:ident: $type:ident, $kind:ident;)*) => {$(
        /// A marker for each kind of listener.
        #[derive(Debug)]
        #[doc(hidden)]
        pub struct $kind(());

        $(#[$meta])*
        pub const fn $name<C, F: FnMut(&mut C, $type<'_>)>(function: F) -> Listening<F, $kind> {
            Listening::new(function)
        }

        impl<C, F: FnMut(&mut C, $type<'_>)> Listener<C, $kind> for Listening<F, $kind> {
            fn receive(&mut self, context: &mut C, params: Params<'_>) -> Result<(), Error> {
                let raw = params.raw().ok_or(Error::new(ErrorKind::InvalidParams, 0))?;
                (self.function)(context, $type::read(raw)?);
                Ok(())
            }
        }
    )*};
}

listeners! {
    /// A listener to [`notifications/message`](crate::mcp::method::MESSAGE). The [observer](crate::Server::observed_by) of the server
    /// receives params that cannot be read.
    ///
    /// ```
    /// use nanojsonrpc::mcp::types::LogMessage;
    /// use nanojsonrpc::mcp::{client::on_log, method};
    /// use nanojsonrpc::{Router, Server};
    ///
    /// let router = Router::new()
    ///     .notification(method::MESSAGE, on_log(|heard: &mut usize, log: LogMessage<'_>| *heard += log.data.as_bytes().len()));
    /// let (mut server, mut heard) = (Server::new(router), 0);
    /// let text = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"ready"}}"#;
    /// assert_eq!(server.process(&mut heard, text, &mut []).answer(), None);
    /// assert_eq!(heard, 7);
    /// ```
    on_log: LogMessage, OnLog;
    /// A listener to [`notifications/progress`](crate::mcp::method::PROGRESS).
    on_progress: Progress, OnProgress;
    /// A listener to [`notifications/resources/updated`](crate::mcp::method::RESOURCES_UPDATED).
    on_resource_updated: ResourceUpdated, OnResourceUpdated;
}
