//! Arguments of tools that are no object: a scalar and a tuple.
//! says: typed::Object<_>` found
//! says: ArgumentsNeedAStruct
#![allow(dead_code)]
use nanojsonrpc::mcp::{Schema, Service};

#[derive(serde::Deserialize)]
struct Level {
    level: u8,
}

const LEVEL: Schema<'_> = nanojsonrpc::mcp::schema!(r#"{"type":"object","properties":{"level":{"type":"integer"}}}"#);

#[cfg(not(feature = "advised"))]
fn main() {
    let service = Service::new("lamp", "1.0.0");
    let service = service.tool("set", "Sets.", LEVEL, |lamp: &mut u8, level: u8| *lamp = level); // wrong
    let _ = service.tool_async("dim", "Dims.", LEVEL, async |lamp: &mut u8, (level,): (u8,)| *lamp -= level); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let service = Service::new("lamp", "1.0.0");
    let service = service.tool("set", "Sets.", LEVEL, |lamp: &mut u8, new: Level| *lamp = new.level);
    let _ = service.tool_async("dim", "Dims.", LEVEL, async |lamp: &mut u8, by: Level| *lamp -= by.level);
}
