//! A service that is declared once, without a heap and without `std`. The example `mcp_service` serves it on standard streams and over HTTP,
//! the firmware `room` on the UART of a chip.

use nanojsonrpc::mcp::Service;
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::{Schema, Server};
use serde::{Deserialize, Serialize};

/// A scene of the room.
#[derive(Deserialize, Serialize, Schema)]
pub(crate) struct Scene {
    /// The brightness.
    #[schema(maximum = 100)]
    level: u8,
    colour: Option<Colour>,
}

#[derive(Clone, Copy, Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Colour {
    Warm,
    Cold,
}

#[nanojsonrpc::service(mcp)]
pub(crate) trait Room {
    /// Sets the scene, and returns the one before.
    #[tool(destructive = false, idempotent)]
    fn set_scene(&mut self, scene: Scene) -> Scene;
    /// The brightness now.
    #[tool(read_only)]
    fn level(&self) -> u8;
}

impl Room for Scene {
    fn set_scene(&mut self, scene: Scene) -> Scene {
        core::mem::replace(self, scene)
    }

    fn level(&self) -> u8 {
        self.level
    }
}

impl Scene {
    /// The scene at the start.
    pub(crate) const DARK: Self = Self { level: 0, colour: None };
}

/// The server, with a scene as the context.
pub(crate) fn server() -> Server<Service<Scene, impl Features<Scene>>> {
    RoomService::tools(Service::new("room", "1.0.0")).server()
}
