//! Routes with a context of their own, or with a part of the router's.
#![cfg(feature = "serde")]

use core::cell::Cell;

use nanojsonrpc::server::route::{Call, Routes};
use nanojsonrpc::server::{AsyncRoutes, Exchange};
use nanojsonrpc::{Router, Server};

#[derive(Default)]
struct Device {
    calls: u32,
    uptime: u32,
}

fn text(method: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#).into_bytes()
}

fn router() -> Router<Device, impl Routes<Device> + AsyncRoutes<Device>> {
    let count = || {
        Router::new().request("count", |count: &mut u32| {
            *count += 1;
            Ok(*count)
        })
    };
    Router::new()
        .request("calls", |device: &mut Device| Ok(device.calls))
        .nest("own.", count().owning(10))
        .nest("part.", count().focused(|device: &mut Device| &mut device.uptime))
}

const EXPECTED: [(&str, &str); 6] = [
    ("own.count", r#""result":11"#),
    ("part.count", r#""result":1"#),
    ("own.count", r#""result":12"#),
    ("part.count", r#""result":2"#),
    ("calls", r#""result":0"#),
    ("count", r#""code":-32601"#),
];

#[test]
fn each_list_of_routes_has_its_context() {
    let (mut device, mut output) = (Device::default(), [0; 128]);
    let mut server = Server::new(router());
    for (method, expected) in EXPECTED {
        let answer = server.process(&mut device, &text(method), &mut output).unwrap();
        assert!(String::from_utf8_lossy(answer).contains(expected), "{method}");
    }
    assert_eq!((device.calls, device.uptime), (0, 2));
}

#[test]
fn so_it_is_without_blocking() {
    let (mut device, mut output) = (Device::default(), [0; 128]);
    let mut server = Server::new(router());
    for (method, expected) in EXPECTED {
        let text = text(method);
        let answer = embassy_futures::block_on(server.process_async(&mut device, &text, &mut output)).unwrap();
        assert!(String::from_utf8_lossy(answer).contains(expected), "{method}");
    }
    assert_eq!((device.calls, device.uptime), (0, 2));
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
    let (own, part) = (Cell::new(0), Cell::new(0));
    let router = Router::<Device>::new()
        .nest("own.", Router::<(), _>::with_routes(Marked(&own)).owning(()))
        .nest("part.", Router::with_routes(Marked(&part)).focused(|device: &mut Device| &mut device.calls));
    let mut server = Server::new(router);
    let routes = server.routes_mut();
    Routes::mark(routes, 7);
    assert_eq!((own.get(), part.get()), (7, 7));
    AsyncRoutes::mark(routes, 9);
    assert_eq!((own.get(), part.get()), (9, 9));
}
