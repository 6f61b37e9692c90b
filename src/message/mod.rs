//! The JSON-RPC 2.0 objects, over the spans that [`json`](crate::json) found. No byte is looked at here.

mod any;
mod batch;
mod classify;
mod dialect;
mod direction;
mod envelope;
mod error_object;
mod id;
mod method;
mod notification;
mod outgoing;
mod params;
#[cfg(feature = "serde")]
mod payload;
mod rejection;
mod request;
mod response;
#[cfg(feature = "serde-json-core")]
mod serde_json_core;
mod text;
mod words;

pub use any::Message;
pub use batch::{Batch, BatchWriter, Elements as BatchElements};
pub use dialect::{Dialect, ParamsRule};
pub use direction::{ClientMessage, ServerMessage};
pub(crate) use envelope::Classified;
pub use envelope::{Envelope, EnvelopeKind, Envelopes, Refused};
pub use error_object::{ErrorCode, ErrorCodeKind, ErrorObject};
pub use id::{Id, NumberText};

pub use method::Method;
pub use notification::Notification;
#[cfg(feature = "mcp")]
pub(crate) use outgoing::sealed;
pub use outgoing::{BatchElement, Outgoing};
pub use params::Params;
pub use rejection::Rejection;
pub use request::Request;
pub(crate) use request::write_call;
pub use response::Response;
pub use text::Text;
pub use words::{Shown, Words};
