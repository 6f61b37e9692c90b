//! JSON-RPC over message brokers, without a broker client: topics and properties of MQTT 5, subjects of NATS, and duplicate calls.
//!
//! The program brings its own broker client. It subscribes to the topics that these functions write, passes each received message to
//! [`mqtt::answer`] or [`nats::answer`], and publishes the answer.
//!
//! ```
//! # #[cfg(feature = "serde")] {
//! use nanojsonrpc::broker::{Recent, mqtt};
//! use nanojsonrpc::{Router, Server};
//!
//! let mut server = Server::new(Router::new().request("toggle", |on: &mut bool| {
//!     *on = !*on;
//!     Ok(*on)
//! }));
//! let (mut recent, mut on, mut output) = (Recent::<16>::new(), false, [0; 128]);
//! let layout = mqtt::Layout { prefix: "home", name: "lamp" };
//! assert_eq!(layout.requests::<64>().unwrap(), "home/lamp/rpc");
//!
//! let call = mqtt::Delivery {
//!     payload: br#"{"jsonrpc":"2.0","method":"toggle","id":1}"#,
//!     response_topic: Some("home/switch/answers"),
//!     correlation_data: Some(b"\x01"),
//!     ..mqtt::Delivery::default()
//! };
//! let mqtt::Outcome::Publish(answer) = mqtt::answer(&mut server, &mut on, &mut recent, &call, &mut output) else {
//!     unreachable!()
//! };
//! assert_eq!((answer.topic, answer.correlation_data), ("home/switch/answers", Some(&b"\x01"[..])));
//! assert_eq!(answer.payload, br#"{"jsonrpc":"2.0","result":true,"id":1}"#);
//!
//! // a message with QoS 1 may arrive twice, which its DUP flag shows: the handler is called once, and the answer is the first one
//! let again = mqtt::Delivery { is_dup: true, ..call };
//! let mqtt::Outcome::Publish(answer) = mqtt::answer(&mut server, &mut on, &mut recent, &again, &mut output) else {
//!     unreachable!()
//! };
//! assert_eq!((answer.payload, on), (&br#"{"jsonrpc":"2.0","result":true,"id":1}"#[..], true));
//!
//! // a second press
//! mqtt::answer(&mut server, &mut on, &mut recent, &call, &mut output);
//! assert!(!on);
//! # }
//! ```

mod error;
pub mod mcp;
pub mod mqtt;
pub mod nats;
mod recent;
mod topic;

pub use error::{TopicError, TopicErrorKind};
pub use recent::{Recent, StoredAnswer};

/// A topic or a subject, in a buffer of `N` bytes.
pub type Topic<const N: usize> = heapless::String<N>;
