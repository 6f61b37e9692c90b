//! A notification with a result.
//! says: a notification has no answer (JSON-RPC 2.0 §4.1): remove the return type, or `#[notification]`
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service]
trait Fan {
    #[notification]
    fn stalled(&mut self) -> u8; // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service]
trait Fan {
    #[notification]
    fn stalled(&mut self);
}

fn main() {}
