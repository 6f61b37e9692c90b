//! Routes with a context of their own.
#![cfg(feature = "serde")]

use core::cell::Cell;

use nanojsonrpc::server::route::{Call, Routes};
use nanojsonrpc::server::{AsyncRoutes, Exchange};
use nanojsonrpc::{Router, Server};

fn text(method: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#).into_bytes()
}

fn router() -> Router<u32, impl Routes<u32> + AsyncRoutes<u32>> {
    let count = || {
        Router::new().request("count", |count: &mut u32| {
            *count += 1;
            Ok(*count)
        })
    };
    Router::new().request("calls", |calls: &mut u32| Ok(*calls)).nest("own.", count().owning(10)).nest("same.", count())
}

const EXPECTED: [(&str, &str); 6] = [
    ("own.count", r#""result":11"#),
    ("same.count", r#""result":1"#),
    ("own.count", r#""result":12"#),
    ("same.count", r#""result":2"#),
    ("calls", r#""result":2"#),
    ("count", r#""code":-32601"#),
];

#[test]
fn each_list_of_routes_has_its_context() {
    let (mut calls, mut output) = (0, [0; 128]);
    let mut server = Server::new(router());
    for (method, expected) in EXPECTED {
        let answer = server.process(&mut calls, &text(method), &mut output).answer().unwrap();
        assert!(String::from_utf8_lossy(answer).contains(expected), "{method}");
    }
    assert_eq!(calls, 2);
}

#[test]
fn so_it_is_without_blocking() {
    let (mut calls, mut output) = (0, [0; 128]);
    let mut server = Server::new(router());
    for (method, expected) in EXPECTED {
        let text = text(method);
        let answer = embassy_futures::block_on(server.process_async(&mut calls, &text, &mut output)).answer().unwrap();
        assert!(String::from_utf8_lossy(answer).contains(expected), "{method}");
    }
    assert_eq!(calls, 2);
}

/// Stores the number from the transport.
struct Marked<'m>(&'m Cell<u8>);

impl<C> Routes<C> for Marked<'_> {
    fn route(&mut self, _: &mut C, _: &Call<'_>, _: &mut Exchange<'_, '_>) -> bool {
        false
    }

    fn mark(&mut self, mark: u8) {
        self.0.set(mark);
    }
}

impl<C> AsyncRoutes<C> for Marked<'_> {
    async fn route(&mut self, _: &mut C, _: &Call<'_>, _: &mut Exchange<'_, '_>) -> bool {
        false
    }

    fn waits(&mut self, _: &mut C, _: &Call<'_>) -> Option<bool> {
        None
    }

    fn mark(&mut self, mark: u8) {
        self.0.set(mark);
    }
}

#[test]
fn a_mark_reaches_the_routes_inside() {
    let own = Cell::new(0);
    let router = Router::<u32>::new()
        .nest("own.", Router::<(), _>::with_routes(Marked(&own)).owning(()))
        .request("calls", |calls: &mut u32| Ok(*calls));
    let mut server = Server::new(router);
    let routes = server.routes_mut();
    Routes::<u32>::mark(routes, 7);
    assert_eq!(own.get(), 7);
    AsyncRoutes::<u32>::mark(routes, 9);
    assert_eq!(own.get(), 9);
    let router = Router::with_routes(Marked(&own)).request_async("later", async |_: &mut u32| Ok(2));
    router.into_routes().mark(5);
    assert_eq!(own.get(), 5);
}

#[cfg(feature = "embedded-io-async")]
#[test]
fn whether_a_call_waits_is_asked_of_the_routes_inside() {
    let own = Router::new().request("now", |_: &mut u32| Ok(1)).request_async("later", async |_: &mut u32| Ok(2));
    let mut server = Server::new(Router::<()>::new().nest("own.", own.owning(10)));
    for (method, waits) in [("own.now", Some(false)), ("own.later", Some(true)), ("own.never", None), ("later", None)] {
        let text = text(method);
        assert_eq!(server.waits(&mut (), &nanojsonrpc::Envelope::parse(&text).unwrap()), waits, "{method}");
    }
}
