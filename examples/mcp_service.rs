//! An MCP server on standard input and output. Its tools are the methods of one declaration; the macro derives their schemas, hints and
//! results from the types, and holds the arguments to the limits of the schemas.

use std::io::{stdin, stdout};

use embedded_io_adapters::std::FromStd;
use nanojsonrpc::Schema;
use nanojsonrpc::connection::serve;
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::Service;
use serde::{Deserialize, Serialize};

mod arguments;

/// A scene of the room.
#[derive(Deserialize, Serialize, Schema)]
struct Scene {
    /// The brightness.
    #[schema(maximum = 100)]
    level: u8,
    colour: Option<Colour>,
}

#[derive(Clone, Copy, Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Colour {
    Warm,
    Cold,
}

#[nanojsonrpc::service(mcp)]
trait Room {
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

fn main() -> Result<(), Box<dyn core::error::Error>> {
    arguments::words("Serves the Model Context Protocol on standard input and output.", []);
    let mut server = RoomService::tools(Service::new("room", "1.0.0")).server();
    let (mut framer, mut output) = (Framer::<Lines, 4096>::new(), [0; 4096]);
    let (reader, writer) = (FromStd::new(stdin()), FromStd::new(stdout()));
    let mut scene = Scene { level: 0, colour: None };
    serve(reader, writer, &mut framer, &mut output, &mut server, &mut scene)?;
    Ok(())
}
