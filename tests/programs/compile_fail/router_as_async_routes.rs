//! A router in place of its routes, with an `async` handler.
//! says: `process_async` cannot call these routes with the context
//! says: another context, or a type that does not implement `AsyncRoutes`
//! says: `Router::into_routes` gives the routes of a router
#![allow(dead_code)]
use nanojsonrpc::{Router, Server};

#[cfg(not(feature = "advised"))]
fn main() {
    let mut server = Server::with_routes(Router::new().request_async("level", async |level: &mut u8| Ok(*level)));
    drop(server.process_async(&mut 1, b"{}", &mut [])); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let router = Router::new().request_async("level", async |level: &mut u8| Ok(*level));
    drop(Server::with_routes(router.into_routes()).process_async(&mut 1, b"{}", &mut []));
}
