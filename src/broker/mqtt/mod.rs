//! MQTT 5 and 3.1.1: topics, response topics with correlation data, retained messages, expiry, and duplicates of QoS 1.
//!
//! Source: MQTT 5.0 §3.3, §4.3, §4.7, §4.10.

mod delivery;
mod topics;

pub use delivery::{ANSWER_LOST, Delivery, Dropped, Outcome, Publish, answer, source_topic};
pub(super) use topics::SYNTAX;
pub use topics::{Layout, check_filter, check_topic, matches, shared};
