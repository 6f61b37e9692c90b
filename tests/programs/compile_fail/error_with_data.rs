//! An error with data.
//! says: the error of a handler is an `ErrorObject` without data
//! says: `request_fallible` instead of `request`
//! says: pass data to `with_data` by value
#![allow(dead_code)]
use nanojsonrpc::{ErrorObject, Router};

struct Board {
    level: u8,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new()
        .request("start", |board: &mut Board| Err::<u8, _>(ErrorObject::new(-32001, "Hot").with_data(&board.level))); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().request_fallible("start", |board: &mut Board| {
        Err::<u8, _>(ErrorObject::new(-32001, "Hot").with_data(board.level))
    });
}
