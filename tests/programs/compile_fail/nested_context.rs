//! A router of another context. The sentence is the compiler's own.
//! says: expected `Router<Board, _>`, found `Router<Lamp
#![allow(dead_code)]
use nanojsonrpc::Router;

struct Board {
    level: u8,
    lamp: Lamp,
}

struct Lamp {
    on: bool,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let lamp = Router::new().request("on", |lamp: &mut Lamp| Ok(lamp.on));
    let router = Router::new().request("level", |board: &mut Board| Ok(board.level));
    let _ = router.nest("lamp.", lamp); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let lamp = Router::new().request("on", |board: &mut Board| Ok(board.lamp.on));
    let router = Router::new().request("level", |board: &mut Board| Ok(board.level));
    let _ = router.nest("lamp.", lamp);
}
