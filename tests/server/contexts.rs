//! Routes with a context of their own, or with a part of the router's.
#![cfg(feature = "serde")]

use nanojsonrpc::server::AsyncRoutes;
use nanojsonrpc::server::route::{End, Owning, Routes};
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

/// Keeps the number that a transport tells the routes.
struct Marked(u8);

impl<C> Routes<C> for Marked {
    fn route(
        &mut self,
        _: &mut C,
        _: &nanojsonrpc::server::route::Call<'_>,
        _: &mut nanojsonrpc::server::Exchange<'_, '_>,
    ) -> bool {
        false
    }

    fn mark(&mut self, mark: u8) {
        self.0 = mark;
    }
}

#[test]
fn a_mark_reaches_the_routes_inside() {
    let mut inner = Owning::new((), Marked(0));
    Routes::<u8>::mark(&mut inner, 7);
    let mut outer = Owning::new((), inner);
    Routes::<u8>::mark(&mut outer, 9);
    let mut none = Owning::new((), End);
    AsyncRoutes::<u8>::mark(&mut none, 7);
}
