//! A name of a param that is not a string.
//! says: write the name in the message as a string: `#[param("minSpeed")]`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, #[param(minSpeed)] min_speed: u16); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    fn set(&mut self, #[param("minSpeed")] min_speed: u16);
}

fn main() {}
