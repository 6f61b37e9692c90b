//! A param of a handler for a `Registry` that is neither an object nor an array.
//! says: structured::ObjectOrArray<_>` found
//! says: OneParamNeedsATuple
#![allow(dead_code)]
use nanojsonrpc::server::handler;

struct Board {
    level: u8,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = handler(|board: &mut Board, name: heapless::String<8>| Ok(board.level == 1 && name == "a")); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = handler(|board: &mut Board, (name,): (heapless::String<8>,)| Ok(board.level == 1 && name == "a"));
}
