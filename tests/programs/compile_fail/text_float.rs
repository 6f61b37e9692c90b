//! A float in the message of an error.
//! says: `f32` is no part of a text
//! says: wrap a value that implements `Display`, such as a float, in `nanojsonrpc::message::Shown`
#![allow(dead_code)]
use nanojsonrpc::ErrorCode;
use nanojsonrpc::message::{Shown, ToText};
use nanojsonrpc::server::Failure;

struct TooHot(f32);

impl Failure for TooHot {
    fn code(&self) -> ErrorCode {
        ErrorCode(-32001)
    }

    #[cfg(not(feature = "advised"))]
    fn message(&self) -> impl ToText { // wrong
        ("too hot: ", self.0)
    }

    #[cfg(feature = "advised")]
    fn message(&self) -> impl ToText {
        ("too hot: ", Shown(self.0))
    }
}

fn main() {}
