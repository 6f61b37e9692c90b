//! A handler of another context.
//! says: is not a handler of requests with the context `Board`
//! says: `C` is the type of the context: one type for all handlers of a router
#![allow(dead_code)]
use nanojsonrpc::Router;

struct Board {
    level: u8,
}

struct Lamp {
    on: bool,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let router = Router::new().request("level", |board: &mut Board| Ok(board.level));
    let _ = router.request("on", |lamp: &mut Lamp| Ok(lamp.on)); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().request("on", |lamp: &mut Lamp| Ok(lamp.on));
}
