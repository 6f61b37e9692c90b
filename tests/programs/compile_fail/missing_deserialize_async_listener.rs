//! A missing `Deserialize` of the params of an `async` listener.
//! says: is not an `async` listener to notifications with the context
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
    let _ = Router::new().notification_async("led", async |board: &mut Board, led: Led| board.level = led.level); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().notification_async("led", async |board: &mut Board, led: Led| board.level = led.level);
}
