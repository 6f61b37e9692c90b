//! A param of a notification that is neither an object nor an array.
//! says: structured::ObjectOrArray<_>` found
//! says: OneParamNeedsATuple
#![allow(dead_code)]
use nanojsonrpc::Router;

struct Board {
    on: bool,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().notification("on", |board: &mut Board, on: Option<bool>| board.on = on.unwrap_or(true)); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().notification("on", |board: &mut Board, (on,): (Option<bool>,)| board.on = on.unwrap_or(true));
}
