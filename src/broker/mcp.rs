//! Topic names of the Model Context Protocol (MCP) over MQTT, as EMQX defines them.
//!
//! A server has an id, which is also its MQTT client id, and a name of one or more levels, which several servers may share. A client has
//! an id. It finds servers by their presence topics, sends `initialize` to their control topic, and sends all other messages to the RPC
//! topic, on which it also receives the answers.
//!
//! Source: MCP over MQTT, Message Topics (docs.emqx.com).

use super::mqtt::SYNTAX;
use super::topic::Part;
use super::{Topic, TopicError};
use crate::ascii::split_once;

/// The levels that mark a presence or capability topic. They are no server ids: the control topic of a server with the id `presence` and
/// the name `a1/lamp` would be the presence topic of the server `a1`.
const RESERVED: &[&str] = &["presence", "capability"];

/// A server, which writes the names of its topics.
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
    /// The MQTT client id of the server: one level, which is not `presence` or `capability`.
    pub id: &'t str,
    /// The name of the server: one or more levels.
    pub name: &'t str,
}

impl Server<'_> {
    const fn id_part(&self) -> Part<'_> {
        Part::Id(self.id, RESERVED)
    }

    fn is_valid(&self) -> bool {
        SYNTAX.check_id(self.id, RESERVED).is_ok() && SYNTAX.check(self.name, false).is_ok()
    }

    /// The control topic: the server subscribes to it, clients send `initialize` to it.
    ///
    /// # Errors
    /// If the id is not one level or is reserved ([`ReservedId`](super::TopicErrorKind::ReservedId)), if the name has a wildcard, if the id
    /// or the name is empty, or if `N` is too short.
    pub fn control<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Fixed("$mcp-server"), self.id_part(), Part::Levels(self.name)])
    }

    /// The presence topic. It holds a retained message while the server is connected; the server's last will is the empty message.
    ///
    /// # Errors
    /// As [`control`](Self::control).
    pub fn presence<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Fixed("$mcp-server/presence"), self.id_part(), Part::Levels(self.name)])
    }

    /// The topic on which the server announces changed lists and resources.
    ///
    /// # Errors
    /// As [`control`](Self::control).
    pub fn capability<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Fixed("$mcp-server/capability"), self.id_part(), Part::Levels(self.name)])
    }

    /// The RPC topic of the server and the client with this id, for messages in both directions. Both subscribe with the option No Local,
    /// so that neither receives its own messages.
    ///
    /// # Errors
    /// As [`control`](Self::control), and if the id of the client is not one level.
    pub fn rpc<const N: usize>(&self, client: &str) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Fixed("$mcp-rpc"), Part::Level(client), self.id_part(), Part::Levels(self.name)])
    }

    /// The filter for the RPC topics of all clients of the server.
    ///
    /// # Errors
    /// As [`control`](Self::control).
    pub fn rpc_of_all<const N: usize>(&self) -> Result<Topic<N>, TopicError> {
        SYNTAX.join(&[Part::Fixed("$mcp-rpc/+"), self.id_part(), Part::Levels(self.name)])
    }
}

/// The filter by which a client finds servers. `names` is a filter for their names, such as `#` or `light/+`.
///
/// ```
/// use nanojsonrpc::broker::mcp::servers;
///
/// assert_eq!(servers::<64>("light/#").unwrap(), "$mcp-server/presence/+/light/#");
/// ```
///
/// # Errors
/// If `names` has a misplaced wildcard, or `N` is too short.
pub fn servers<const N: usize>(names: &str) -> Result<Topic<N>, TopicError> {
    SYNTAX.join(&[Part::Fixed("$mcp-server/presence/+"), Part::Filter(names)])
}

/// The presence topic of a client. Servers subscribe to it to learn that the client has disconnected.
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
/// If the id is not one level, or `N` is too short.
pub fn client_presence<const N: usize>(client: &str) -> Result<Topic<N>, TopicError> {
    SYNTAX.join(&[Part::Fixed("$mcp-client/presence"), Part::Level(client)])
}

/// The topic on which a client announces changed lists.
///
/// # Errors
/// As [`client_presence`].
pub fn client_capability<const N: usize>(client: &str) -> Result<Topic<N>, TopicError> {
    SYNTAX.join(&[Part::Fixed("$mcp-client/capability"), Part::Level(client)])
}

/// Returns the id and the name of the server in a presence topic; `None` for any other topic. A client calls this with the topic of a
/// received message.
///
/// ```
/// use nanojsonrpc::broker::mcp::{Server, server_in};
///
/// let lamp = Server { id: "a1", name: "light/lamp" };
/// assert_eq!(server_in("$mcp-server/presence/a1/light/lamp"), Some(lamp));
/// assert_eq!(server_in("$mcp-server/presence/a1"), None);
/// // no id of a server
/// assert_eq!(server_in("$mcp-server/presence/capability/lamp"), None);
/// ```
pub fn server_in(topic: &str) -> Option<Server<'_>> {
    let (id, name) = split_once(topic.strip_prefix("$mcp-server/presence/")?, b'/')?;
    let server = Server { id, name };
    server.is_valid().then_some(server)
}

/// Returns the id of the client, and the server, in an RPC topic; `None` for any other topic. A server calls this with the topic of a
/// received message.
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
    let server = Server { id, name };
    (SYNTAX.check_level(client).is_ok() && server.is_valid()).then_some((client, server))
}
