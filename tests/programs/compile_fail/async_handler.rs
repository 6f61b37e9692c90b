//! An `async` handler with `request`.
//! says: register an `async` handler with `request_async`
#![allow(dead_code)]
use nanojsonrpc::Router;

struct Board {
    level: u8,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().request("level", async |board: &mut Board| Ok(board.level)); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().request_async("level", async |board: &mut Board| Ok(board.level));
}
