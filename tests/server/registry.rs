//! Handlers that are registered while the program runs.
#![cfg(feature = "serde")]

use nanojsonrpc::server::{Registry, handler, listener};
use nanojsonrpc::{ErrorKind, Params, Router, Server};

fn ask<R: nanojsonrpc::server::route::Routes<i32>>(server: &mut Server<R>, context: &mut i32, text: &str) -> String {
    let mut output = [0; 128];
    let answer = server.process(context, text.as_bytes(), &mut output).answer();
    String::from_utf8(answer.unwrap_or(b"").to_vec()).unwrap()
}

#[test]
fn handlers_are_registered_replaced_and_removed() {
    let (mut one, mut two) = (handler(|_: &mut i32| Ok(1)), handler(|_: &mut i32, (n,): (i32,)| Ok(n)));
    let mut set =
        listener(|level: &mut i32, params: Params<'_>| *level = params.element(0).unwrap().to_integer().unwrap());
    let mut extra = handler(|_: &mut i32| Ok(3));
    let mut registry: Registry<'_, i32, 2> = Registry::new();
    registry.request("a", &mut one).unwrap();
    registry.notification("a", &mut set).unwrap();
    let full = registry.request("b", &mut extra).unwrap_err();
    assert_eq!((full.kind(), full.offset()), (ErrorKind::RegistryFull, 2));
    assert_eq!((registry.len(), registry.is_empty()), (2, false));

    let mut level = 0;
    let mut server = Server::with_routes(registry);
    let call = r#"{"jsonrpc":"2.0","method":"a","params":[7],"id":1}"#;
    assert!(ask(&mut server, &mut level, call).contains("expected none"));
    server.routes_mut().request("a", &mut two).unwrap();
    assert_eq!(ask(&mut server, &mut level, call), r#"{"jsonrpc":"2.0","result":7,"id":1}"#);
    assert_eq!(ask(&mut server, &mut level, r#"{"jsonrpc":"2.0","method":"a","params":[9]}"#), "");
    assert_eq!(level, 9);
    assert!(server.routes_mut().remove("a"));
    assert!(!server.routes_mut().remove("a"));
    assert!(server.routes_mut().is_empty());
    assert!(ask(&mut server, &mut level, call).contains("-32601"));
}

#[test]
fn a_registry_stands_beside_the_routes_of_a_router() {
    let mut late = handler(|_: &mut i32| Ok("late"));
    let mut registry: Registry<'_, i32, 1> = Registry::new();
    registry.request("late", &mut late).unwrap();
    let mut server = Server::new(Router::new().request("early", |_: &mut i32| Ok("early")).registry(registry));
    for name in ["early", "late"] {
        let answer = ask(&mut server, &mut 0, &format!(r#"{{"jsonrpc":"2.0","method":"{name}","id":1}}"#));
        assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0","result":"{name}","id":1}}"#));
    }
}
