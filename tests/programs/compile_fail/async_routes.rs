//! Routes that wait with `process`.
//! says: `process` cannot call these routes with the context
//! says: serve a router with an `async` handler by `process_async`
#![allow(dead_code)]
use nanojsonrpc::{Router, Server};

struct Board {
    level: u8,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let mut server = Server::new(Router::new().request_async("level", async |board: &mut Board| Ok(board.level)));
    let _ = server.process(&mut Board { level: 1 }, b"{}", &mut []).answer(); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let mut server = Server::new(Router::new().request_async("level", async |board: &mut Board| Ok(board.level)));
    drop(server.process_async(&mut Board { level: 1 }, b"{}", &mut []));
}
