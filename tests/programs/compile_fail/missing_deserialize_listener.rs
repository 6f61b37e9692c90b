//! A missing `Deserialize` of the params of a listener.
//! says: is not a listener to notifications with the context
//! says: `P` needs `#[derive(serde::Deserialize)]`, because serde reads it, and must not borrow
#![allow(dead_code)]
use nanojsonrpc::Router;

struct Board {
    level: u8,
}

#[cfg_attr(feature = "advised", derive(serde::Deserialize))]
struct Led {
    level: u8,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().notification("led", |board: &mut Board, led: Led| board.level = led.level); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().notification("led", |board: &mut Board, led: Led| board.level = led.level);
}
