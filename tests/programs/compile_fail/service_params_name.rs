//! A method whose params would have the name of the client.
//! says: the params of `client` would have the name `FanClient`, which another generated item has
#![allow(dead_code)]
#[cfg(not(feature = "advised"))]
#[nanojsonrpc::service(client = FanClient)]
trait Fan {
    fn client(&mut self, id: u16); // wrong
}

#[cfg(feature = "advised")]
#[nanojsonrpc::service(client = FanClient)]
trait Fan {
    #[method("client")]
    fn client_of(&mut self, id: u16);
}

fn main() {}
