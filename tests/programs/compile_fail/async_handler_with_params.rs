//! An `async` handler that is registered like one that does not wait.
//! says: is not a handler of requests with the context
//! says: register an `async` handler with `request_async`
//! says: write the types of all arguments of a closure
use nanojsonrpc::{ErrorObject, Router};

struct Board;

async fn level(_: &mut Board, (level,): (u8,)) -> Result<u8, ErrorObject<'static>> {
    Ok(level)
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().request("level", level); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().request_async("level", level);
}
