//! A missing `Deserialize` of the params of a handler.
//! says: is not a handler of requests with the context
//! says: `P` needs `#[derive(serde::Deserialize)]`, because serde reads it, and must not borrow
//! says: to borrow from the message, take `Params<'_>` and call `params.read()` in the handler
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
    let _ = Router::new().request("led", |_: &mut Board, led: Led| Ok(led.level)); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().request("led", |_: &mut Board, led: Led| Ok(led.level));
}
