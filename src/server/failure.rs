//! Handler errors of types that the program defines.

use crate::json::ToJson;
use crate::message::{ErrorCode, ToText};

/// Converts an error type of the program into the `error` member of a response, for handlers that are registered with
/// [`Router::request_fallible`](super::Router::request_fallible).
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use nanojsonrpc::server::Failure;
/// use nanojsonrpc::{ErrorCode, Router, Server, ToJson, message::ToText};
///
/// enum Fault {
///     TooHot { degrees: i32 },
/// }
///
/// impl Failure for Fault {
///     fn code(&self) -> ErrorCode {
///         ErrorCode(-32001)
///     }
///
///     fn message(&self) -> impl ToText {
///         let Self::TooHot { degrees } = self;
///         (*degrees, " degrees are too hot")
///     }
///
///     fn data(&self) -> Option<impl ToJson> {
///         let Self::TooHot { degrees } = self;
///         Some(degrees)
///     }
/// }
///
/// fn start(degrees: &mut i32) -> Result<(), Fault> {
///     if *degrees > 80 { Err(Fault::TooHot { degrees: *degrees }) } else { Ok(()) }
/// }
///
/// let mut server = Server::new(Router::new().request_fallible("start", start));
/// let mut output = [0; 128];
/// assert_eq!(
///     server.process(&mut 81, br#"{"jsonrpc":"2.0","method":"start","id":1}"#, &mut output).answer(),
///     Some(&br#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"81 degrees are too hot","data":81},"id":1}"#[..])
/// );
/// # }
/// ```
///
/// # Limits
/// An error that does not fit the output is answered with -32603. A type with `Display` can return
/// [`Shown(self)`](crate::message::Shown) as its message, which links `core::fmt`; other texts do not.
///
/// Source: JSON-RPC 2.0 §5.1.
pub trait Failure {
    /// The code: from -32099 to -32000, or any code outside of -32768 to -32000.
    fn code(&self) -> ErrorCode;

    /// The message, "a concise single sentence". It is written directly into the output.
    fn message(&self) -> impl ToText;

    /// The data; none by default.
    fn data(&self) -> Option<impl ToJson> {
        None::<()>
    }
}

/// An error from a code and a message that may be built at run time: `Err((ErrorCode(-32001), ("too hot: ", degrees)))`, or with the
/// feature `alloc` `Err((ErrorCode(-32001), format!("too hot: {degrees}")))`.
impl<W: ToText> Failure for (ErrorCode, W) {
    fn code(&self) -> ErrorCode {
        self.0
    }

    fn message(&self) -> impl ToText {
        &self.1
    }
}

/// The error of another server, passed on with its code, message and data.
#[cfg(feature = "alloc")]
impl Failure for crate::message::OwnedErrorObject {
    fn code(&self) -> ErrorCode {
        self.code
    }

    fn message(&self) -> impl ToText {
        self.message.as_str()
    }

    fn data(&self) -> Option<impl ToJson> {
        self.borrowed().data
    }
}
