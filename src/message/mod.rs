//! Less common types of JSON-RPC 2.0. The message types are at the root of the crate.
//!
//! | task | item |
//! |---|---|
//! | read a batch | [`Envelopes`], [`Batch`] |
//! | write a batch | [`BatchWriter`] |
//! | read the messages of one direction | [`ClientMessage`], [`ServerMessage`] |
//! | write an error message in parts, without a heap | [`ToText`], [`Shown`] |
//! | keep an error object (feature `alloc`) | `OwnedErrorObject` |
//! | rules for params | [`ParamsRule`], in a [`Dialect`] |

mod answer;
pub(crate) mod batch;
mod classify;
pub(crate) mod dialect;
mod direction;
pub(crate) mod envelope;
pub(crate) mod envelopes;
pub(crate) mod error_object;
pub(crate) mod hold;
pub(crate) mod id;
pub(crate) mod kind;
pub(crate) mod method;
pub(crate) mod notification;
#[cfg(feature = "alloc")]
mod owned;
pub(crate) mod params;
#[cfg(feature = "serde")]
mod payload;
pub(crate) mod refused;
pub(crate) mod request;
pub(crate) mod response;
#[cfg(feature = "serde-json-core")]
mod serde_json_core;
mod string;
mod to_message;
mod to_text;

pub use batch::BatchWriter;

pub(crate) use dialect::Dialect;
pub use dialect::ParamsRule;
pub use direction::{ClientMessage, ServerMessage};
pub(crate) use envelope::{Envelope, member};
pub(crate) use envelopes::{Batch, Envelopes};
pub use error_object::ErrorCodeKind;
pub(crate) use error_object::put_error;
pub(crate) use error_object::{ErrorCode, ErrorObject};
pub(crate) use error_object::{Standard, refusal, standard};
pub(crate) use hold::Message;
pub(crate) use id::Id;
pub(crate) use kind::EnvelopeKind;

pub(crate) use method::Method;
pub(crate) use notification::Notification;
#[cfg(feature = "alloc")]
pub use owned::OwnedErrorObject;
pub(crate) use params::Params;
pub(crate) use refused::Refused;
pub(crate) use request::Request;
pub(crate) use response::Response;
pub use string::Str;
#[cfg(feature = "mcp")]
pub(crate) use to_message::CALL;
pub use to_message::ToMessage;
pub(crate) use to_message::sealed;
pub(crate) use to_message::{ERROR, Payload, SUCCESS, put_beginning, put_call, put_end};
pub use to_text::{Shown, ToText};
