//! An error type that does not convert.
//! says: `Fault` is not an error that a handler can return
//! says: implement `nanojsonrpc::server::Failure` for `Fault`
//! says: or implement `From<Fault> for ErrorObject<'static>`
#![allow(dead_code)]
use nanojsonrpc::Router;

struct Board {
    level: u8,
}

enum Fault {
    TooHot { degrees: i32 },
}

#[cfg(feature = "advised")]
impl nanojsonrpc::server::Failure for Fault {
    fn code(&self) -> nanojsonrpc::ErrorCode {
        nanojsonrpc::ErrorCode(-32001)
    }

    fn message(&self) -> impl nanojsonrpc::message::ToText {
        "Too hot"
    }
}

fn start(_: &mut Board) -> Result<u8, Fault> {
    Err(Fault::TooHot { degrees: 81 })
}

#[cfg(not(feature = "advised"))]
fn main() {
    let _ = Router::new().request_fallible("start", start); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let _ = Router::new().request_fallible("start", start);
}
