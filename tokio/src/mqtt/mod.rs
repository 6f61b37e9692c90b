//! Calls over MQTT 5: a service on a topic, clients that call it, and presence.
//!
//! A [`Broker`] is one connection, which connects again by itself; services, clients and presences share it. The topics of a peer are those
//! of [`nanojsonrpc::broker::mqtt::Layout`]; any other topics do as well. All messages have QoS 1.
//!
//! ```no_run
//! use nanojsonrpc::broker::mqtt::Layout;
//! use nanojsonrpc_tokio::{Methods, Options, mqtt};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let (lamp, hub) = (Layout { prefix: "home", name: "lamp" }, Layout { prefix: "home", name: "hub" });
//!
//! // the lamp: its presence is retained while it is connected
//! let options = mqtt::MqttOptions::new("lamp", "127.0.0.1", 1883);
//! let broker = mqtt::Broker::connect_as(options, &lamp.presence::<64>()?, "online")?;
//! let service = mqtt::Server::new(Methods::new(()).request("level", async |(), ()| Ok(7)));
//! let topic = lamp.requests::<64>()?;
//! tokio::spawn(async move { service.serve(&broker, &topic, std::future::pending()).await });
//!
//! // the hub
//! let broker = mqtt::Broker::connect(mqtt::MqttOptions::new("hub", "127.0.0.1", 1883));
//! let client = broker.client(&lamp.requests::<64>()?, &hub.answers::<64>()?, Options::new())?;
//! let level: u8 = client.call("level", &()).await?;
//! # Ok(()) }
//! ```
//!
//! # Presence
//! [`Broker::connect_as`] and [`Broker::presence`]: a retained message while a peer is connected, and an empty one as its last will.

mod broker;
mod client;
mod presence;
mod registry;
mod server;

pub use broker::Broker;
pub use presence::Presence;
pub use rumqttc;
pub use rumqttc::v5::MqttOptions;
pub use server::Server;

use nanojsonrpc::broker::TopicError;
use std::io;

/// The greatest length of a topic that this module writes, in bytes.
const MAX_TOPIC: usize = 1024;

fn invalid(error: TopicError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error.to_string())
}
