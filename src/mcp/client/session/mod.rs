//! A client that drives a connection: one call at a time.

mod answer;
#[cfg(feature = "embedded-io-async")]
mod asynchronous;
mod blocking;
mod error;
mod methods;
mod tasks;

use core::fmt;
use core::ops::Range;

use embedded_io::ErrorType;

#[cfg(feature = "embedded-io-async")]
pub use asynchronous::AsyncSession;
pub use blocking::Session;
pub use error::SessionError;

use answer::{Answer, Ending, each_in, input_method, result_in, sort};
use methods::methods;
use tasks::{Awaited, Step, result_of, task_methods};

#[cfg(feature = "serde")]
use super::ToolResult;
use super::call::AnyCall;
use super::{Call, Client, Connected, MAX_ROUNDS, TaskParams, input_requests, put_state};
use crate::connection::{Connection, ConnectionError, Waited};
use crate::error::{Error, ErrorKind};
use crate::frame::{Buffer, Frame};
use crate::json::{RawStr, RawValue, Room, ToJson, Writer};
use crate::mcp::types::{
    CallToolResult, CompleteResult, GetPromptResult, GetSkillResult, InputRequest, LoggingLevel, Prompt,
    ReadDirectoryResult, ReadResourceResult, Reference, Resource, ResourceTemplate, Skill, Task, TaskStatus, Tool,
};
use crate::mcp::{Revision, method};
use crate::server::{Observer, Server};

/// Defines a session. The arguments: `async` and `.await`, or nothing; the crate with the traits of the streams; the trait of the routes; the
/// bound of a deadline, and the type of one that never passes; the parameter for a pause; the names of the session and of two of its functions with their
/// documentation, and those that [`methods`] takes.
macro_rules! session {
    (
        { $($async:tt)* } { $($await:tt)* } $traits:ident $routes:ident ($($deadline:tt)*) ($($never:tt)*) { $($pause:tt)* }
        $(#[$doc:meta])* $Session:ident
        $(#[$over_doc:meta])* $over:ident
        $(#[$until_doc:meta])* $until:ident
        $answer_subrequest:ident $($methods:ident)*
    ) => {
        #[cfg(feature = "serde")]
        use super::ToolResult;
        use super::{
            AnyCall, Awaited, Buffer, Call, CallToolResult, Client, CompleteResult, Connected, Connection, ConnectionError, Ending, Error,
            Answer, ErrorKind, Failed, Frame, GetPromptResult, GetSkillResult, InputRequest, LoggingLevel, MAX_ROUNDS, Observer, Prompt, Range, RawValue,
            RawStr, ReadDirectoryResult, ReadResourceResult, Reference, Resource, ResourceTemplate, Revision, Room, Server, SessionError, Skill, Step, Task, TaskParams, TaskStatus, ToJson, Tool, Waited,
            each_in, fmt, input_method, input_requests, method, methods, put_state, result_in, result_of, sort, task_methods,
        };

        $(#[$doc])*
        #[must_use = "only the methods of the session send requests"]
        pub struct $Session<'s, K, S, C, D = fn() -> $($never)*> {
            client: &'s mut Client,
            connection: &'s mut K,
            server: &'s mut S,
            context: &'s mut C,
            deadline: D,
        }

        impl<K, S, C, D> fmt::Debug for $Session<'_, K, S, C, D> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Session)).field("client", &self.client).finish_non_exhaustive()
            }
        }

        #[cfg(feature = "defmt")]
        impl<K, S, C, D> defmt::Format for $Session<'_, K, S, C, D> {
            fn format(&self, f: defmt::Formatter<'_>) {
                defmt::write!(f, "{=str}({})", stringify!($Session), self.client);
            }
        }

        impl Client {
            $(#[$over_doc])*
            pub const fn $over<'s, K, S, C>(
                &'s mut self,
                connection: &'s mut K,
                server: &'s mut S,
                context: &'s mut C,
            ) -> $Session<'s, K, S, C> {
                $Session { client: self, connection, server, context, deadline: never }
            }
        }

        impl<'s, K, S, C, D> $Session<'s, K, S, C, D> {
            $(#[$until_doc])*
            pub fn $until<E: FnMut() -> L, L: $($deadline)*>(self, deadline: E) -> $Session<'s, K, S, C, E> {
                let Self { client, connection, server, context, .. } = self;
                $Session { client, connection, server, context, deadline }
            }

            /// The client.
            pub const fn client(&self) -> &Client {
                self.client
            }

            /// The context of the handlers.
            pub const fn context(&mut self) -> &mut C {
                self.context
            }
        }

        impl<R, W, F, B, S, H, C, D, L> $Session<'_, Connection<'_, R, W, F, B>, Server<S, H>, C, D>
        where
            R: $traits::Read,
            W: $traits::Write,
            F: Frame,
            B: Buffer,
            S: $routes<C>,
            H: Observer<C>,
            D: FnMut() -> L,
            L: $($deadline)*,
        {
            methods! { { $($async)* } { $($await)* } $answer_subrequest $($methods)* }
            task_methods! { { $($async)* } { $($await)* } { $($pause)* } $answer_subrequest }
        }
    };
}

use session;

/// The reason why a call on a stream of `R` and `W` has no result.
type Failed<'a, R, W> = SessionError<'a, <R as ErrorType>::Error, <W as ErrorType>::Error>;

impl Client {
    /// Forgets the calls in flight.
    pub(super) fn forget(&mut self) {
        while self.pending.take_any().is_some() {}
    }

    /// Appends the notification that cancels the call in flight.
    pub(super) fn cancel_current(&mut self, out: &mut Writer<'_>) -> Result<(), Error> {
        let id = self.in_flight().next().map(|(id, ())| id);
        id.map_or(Err(Error::new(ErrorKind::UnexpectedMessage, 0)), |id| self.cancel(id, "", out).map(|_| ()))
    }
}
