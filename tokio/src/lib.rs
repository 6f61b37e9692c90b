//! nanojsonrpc on hosts: a codec, a server and a client for tokio, whose calls are services of tower.
//!
//! nanojsonrpc itself never allocates and knows no runtime. This crate adds what hosts expect of both: messages that own their text
//! ([`Text`], [`Message`]), a [`Codec`] of tokio-util, a [`Server`] whose calls run side by side, and a [`Client`] that any task may share.
//! Validation, messages, dialects and frames are those of the core.
#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::missing_errors_doc)]

#[cfg(feature = "axum")]
#[cfg_attr(docsrs, doc(cfg(feature = "axum")))]
pub mod axum;
mod client;
mod codec;
mod connection;
#[cfg(any(feature = "http-client", feature = "mqtt", feature = "nats"))]
mod ends;
mod error;
#[cfg(feature = "http-client")]
#[cfg_attr(docsrs, doc(cfg(feature = "http-client")))]
pub mod http;
#[cfg(feature = "mcp-client")]
mod mcp;
#[cfg(any(feature = "axum", feature = "websocket"))]
mod messages;
mod methods;
#[cfg(feature = "mqtt")]
#[cfg_attr(docsrs, doc(cfg(feature = "mqtt")))]
pub mod mqtt;
#[cfg(feature = "nats")]
#[cfg_attr(docsrs, doc(cfg(feature = "nats")))]
pub mod nats;
#[cfg(any(feature = "axum", feature = "mqtt", feature = "nats"))]
mod once;
mod options;
#[cfg(any(feature = "mqtt", feature = "nats"))]
mod peers;
mod request;
mod response;
#[cfg(feature = "serial")]
#[cfg_attr(docsrs, doc(cfg(feature = "serial")))]
pub mod serial;
mod served;
mod server;
mod text;
mod trace;
#[cfg(feature = "websocket")]
#[cfg_attr(docsrs, doc(cfg(feature = "websocket")))]
pub mod websocket;
mod wire;

pub use nanojsonrpc;

pub use backon::ExponentialBuilder;
pub use client::{Batch, BatchAnswers, Client, Missed, NotifyError, Slot, connect, connect_framed, stream};
pub use codec::{Codec, MAX_LEN, Received};
pub use connection::{CallService, Transport};
pub use error::{BoxError, CallError, Closed, error_object};
#[cfg(feature = "mcp-client")]
#[cfg_attr(docsrs, doc(cfg(feature = "mcp-client")))]
pub use mcp::McpClient;
pub use methods::{Answering, Methods};
pub use options::Options;
pub use request::Request;
pub use response::Response;
pub use served::{Served, ServedAsync};
pub use server::{Listener, MakeService, Same, Server};
pub use text::{Message, Text, Unreadable};
pub use trace::{Trace, Traced};
