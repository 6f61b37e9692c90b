//! An error type of another crate with `request`.
//! says: the error of a handler is an `ErrorObject` without data, not `ParseIntError`
//! says: `.map_err(|error| (ErrorCode(-32001), Shown(error)))`
#![allow(dead_code)]
use nanojsonrpc::Router;

struct Board {
    level: u8,
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().request("set", |_: &mut Board| "7".parse::<u8>()); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    use nanojsonrpc::ErrorCode;
    use nanojsonrpc::message::Shown;

    let parse = |_: &mut Board| "7".parse::<u8>().map_err(|error| (ErrorCode(-32001), Shown(error)));
    let _ = Router::new().request_fallible("set", parse);
}
