//! The topics of the Model Context Protocol over MQTT, as EMQX has them.
//!
//! A server has an id, which is the id of its MQTT client, and a name of one or more levels that several servers may share. A
//! client has an id. It finds servers by their presence, sends `initialize` to their control topic, and all else to the RPC topic,
//! which has the answers, too.
//!
//! Source: MCP over MQTT, Message Topics (docs.emqx.com).

use super::mqtt::SYNTAX;
use super::topic::Part;
use super::{Topic, TopicError};
use crate::ascii::split_once;

/// A server in topics.
///
/// ```
/// use nanojsonrpc::broker::mcp::Server;
///
/// let lamp = Server { id: "a1", name: "light/lamp" };
/// assert_eq!(lamp.control::<64>().unwrap(), "$mcp-server/a1/light/lamp");
/// assert_eq!(lamp.presence::<64>().unwrap(), "$mcp-server/presence/a1/light/lamp");
/// assert_eq!(lamp.capability::<64>().unwrap(), "$mcp-server/capability/a1/light/lamp");
/// assert_eq!(lamp.rpc::<64>("c9").unwrap(), "$mcp-rpc/c9/a1/light/lamp");
/// assert_eq!(lamp.rpc_of_all::<64>().unwrap(), "$mcp-rpc/+/a1/light/lamp");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Server<'t> {
    /// The id of its MQTT client: one level.
    pub id: &'t str,
    /// Its name: one or more levels.
    pub name: &'t str,
}

impl Server<'_> {
    /// The topic of `initialize`, to which the server subscribes.
    ///
    /// # Errors
    /// An id that is not one level, a name with a wildcard, either of them empty, or `N` is too short.
    pub fn control<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Fixed("$mcp-server"), Part::Level(self.id), Part::Levels(self.name)])
    }

    /// The topic of a retained message while the server is there; an empty one is its last will.
    ///
    /// # Errors
    /// As [`control`](Self::control).
    pub fn presence<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Fixed("$mcp-server/presence"), Part::Level(self.id), Part::Levels(self.name)])
    }

    /// The topic of notifications on changed lists and resources.
    ///
    /// # Errors
    /// As [`control`](Self::control).
    pub fn capability<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Fixed("$mcp-server/capability"), Part::Level(self.id), Part::Levels(self.name)])
    }

    /// The topic of messages in both directions between the server and the client with this id. Both subscribe, with the option No
    /// Local, so that neither gets its own messages.
    ///
    /// # Errors
    /// As [`control`](Self::control), for the id of the client, too.
    pub fn rpc<const N: usize>(&self, client: &str) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Fixed("$mcp-rpc"), Part::Level(client), Part::Level(self.id), Part::Levels(self.name)])
    }

    /// The filter of the RPC topics of all clients of the server.
    ///
    /// # Errors
    /// As [`control`](Self::control).
    pub fn rpc_of_all<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Fixed("$mcp-rpc/+"), Part::Level(self.id), Part::Levels(self.name)])
    }
}

/// The filter by which a client finds the servers whose names `names` stands for, such as `#` or `light/+`.
///
/// ```
/// use nanojsonrpc::broker::mcp::servers;
///
/// assert_eq!(servers::<64>("light/#").unwrap(), "$mcp-server/presence/+/light/#");
/// ```
///
/// # Errors
/// A misplaced wildcard in `names`, or `N` is too short.
pub fn servers<const N: usize>(names: &str) -> Result<Topic<N>, TopicError> {
    SYNTAX.join(&[Part::Fixed("$mcp-server/presence/+"), Part::Filter(names)])
}

/// The topic of the presence of a client. Servers subscribe to it to learn that the client has left.
///
/// ```
/// use nanojsonrpc::broker::mcp::{client_capability, client_presence};
///
/// assert_eq!(client_presence::<64>("hub")?.as_str(), "$mcp-client/presence/hub");
/// assert_eq!(client_capability::<64>("hub")?.as_str(), "$mcp-client/capability/hub");
/// # Ok::<(), nanojsonrpc::broker::TopicError>(())
/// ```
///
/// # Errors
/// An id that is not one level, or `N` is too short.
pub fn client_presence<const N: usize>(client: &str) -> Result<Topic<N>, TopicError> {
    SYNTAX.join(&[Part::Fixed("$mcp-client/presence"), Part::Level(client)])
}

/// The topic of notifications on changed lists of a client.
///
/// # Errors
/// As [`client_presence`].
pub fn client_capability<const N: usize>(client: &str) -> Result<Topic<N>, TopicError> {
    SYNTAX.join(&[Part::Fixed("$mcp-client/capability"), Part::Level(client)])
}

/// The ids and the name in the topic of a server's presence. A client reads them from a delivery.
///
/// ```
/// use nanojsonrpc::broker::mcp::{Server, server_in};
///
/// let lamp = Server { id: "a1", name: "light/lamp" };
/// assert_eq!(server_in("$mcp-server/presence/a1/light/lamp"), Some(lamp));
/// assert_eq!(server_in("$mcp-server/presence/a1"), None);
/// ```
pub fn server_in(topic: &str) -> Option<Server<'_>> {
    let (id, name) = split_once(topic.strip_prefix("$mcp-server/presence/")?, b'/')?;
    let is_valid = SYNTAX.check_level(id).is_ok() && SYNTAX.check(name, false).is_ok();
    is_valid.then_some(Server { id, name })
}

/// The id of the client and the server in an RPC topic. A server reads them from a delivery.
///
/// ```
/// use nanojsonrpc::broker::mcp::{Server, client_in};
///
/// let lamp = Server { id: "a1", name: "light/lamp" };
/// assert_eq!(client_in("$mcp-rpc/c9/a1/light/lamp"), Some(("c9", lamp)));
/// ```
pub fn client_in(topic: &str) -> Option<(&str, Server<'_>)> {
    let (client, server) = split_once(topic.strip_prefix("$mcp-rpc/")?, b'/')?;
    let (id, name) = split_once(server, b'/')?;
    let levels = [client, id];
    let is_valid = levels.iter().all(|level| SYNTAX.check_level(level).is_ok()) && SYNTAX.check(name, false).is_ok();
    is_valid.then_some((client, Server { id, name }))
}
