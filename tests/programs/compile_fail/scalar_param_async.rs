//! A param of `async` handlers that is neither an object nor an array.
//! says: structured::ObjectOrArray<_>` found
//! says: OneParamNeedsATuple
#![allow(dead_code)]
use nanojsonrpc::Router;

struct Board {
    degrees: f32,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let router = Router::new().request_async("set", async |board: &mut Board, degrees: f32| Ok(board.degrees = degrees)); // wrong
    let _ = router.notification_async("heat", async |board: &mut Board, degrees: f32| board.degrees += degrees); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let router =
        Router::new().request_async("set", async |board: &mut Board, (degrees,): (f32,)| Ok(board.degrees = degrees));
    let _ = router.notification_async("heat", async |board: &mut Board, (degrees,): (f32,)| board.degrees += degrees);
}
