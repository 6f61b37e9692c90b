//! A router in place of its routes.
//! says: `process` cannot call these routes with the context
//! says: an `async` handler, another context, or a type that does not implement `Routes`
//! says: `Router::into_routes` gives the routes of a router
#![allow(dead_code)]
use nanojsonrpc::server::Exchange;
use nanojsonrpc::server::route::{Call, Routes};
use nanojsonrpc::{Router, Server};

struct Guard<R>(R);

impl<C, R: Routes<C>> Routes<C> for Guard<R> {
    fn route(&mut self, context: &mut C, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        call.requests("level") && self.0.route(context, call, exchange)
    }
}

#[cfg(not(feature = "advised"))]
fn main() {
    let mut server = Server::with_routes(Guard(Router::new().request("level", |level: &mut u8| Ok(*level))));
    let _ = server.process(&mut 1, b"{}", &mut []).answer(); // wrong
}

#[cfg(feature = "advised")]
fn main() {
    let routes = Router::new().request("level", |level: &mut u8| Ok(*level)).into_routes();
    let _ = Server::with_routes(Guard(routes)).process(&mut 1, b"{}", &mut []).answer();
}
