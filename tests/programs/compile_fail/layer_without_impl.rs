//! A layer that does not implement `Layer`.
//! says: is not the observer or the layer of a server with the context `u8`
//! says: implement `nanojsonrpc::server::Layer<C>` for a layer
#![allow(dead_code)]
#[cfg(feature = "advised")]
use nanojsonrpc::server::Layer;
use nanojsonrpc::{Router, Server};

struct Guard;

#[cfg(feature = "advised")]
impl Layer<u8> for Guard {}

fn main() {
    let mut server = Server::new(Router::new().request("level", |level: &mut u8| Ok(*level))).with_layer(Guard);
    let _ = server.process(&mut 1, b"{}", &mut []).answer(); // wrong
}
