//! Functions without params: in the Model Context Protocol, whose params are objects, they ignore the members; each message may have `_meta`.

use nanojsonrpc::server::{AsyncRoutes, Event, Observer};
use nanojsonrpc::{Dialect, Router, Server};

type Seen = Vec<String>;

fn server(dialect: Dialect) -> Server<impl AsyncRoutes<Seen>, impl Observer<Seen>> {
    let router = Router::new()
        .request("level", |_: &mut Seen| Ok(7))
        .request_async("late", async |_: &mut Seen| Ok(7))
        .notification("changed", |seen: &mut Seen| seen.push("changed".into()))
        .notification_async("later", async |seen: &mut Seen| seen.push("later".into()));
    #[cfg(feature = "serde")]
    let router = router.request("unit", |_: &mut Seen, (): ()| Ok(7));
    Server::new(router)
        .with_dialect(dialect)
        .observed_by(|seen: &mut Seen, event: Event<'_>| seen.push(event.to_string()))
}

/// Whether the function is called with these params.
fn is_called(dialect: Dialect, method: &str, params: &str) -> bool {
    let is_request = matches!(method, "level" | "late" | "unit");
    let id = if is_request { r#","id":1"# } else { "" };
    let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}{id}}}"#);
    let (mut seen, mut output) = (Seen::new(), [0; 128]);
    let mut server = server(dialect);
    let answer = embassy_futures::block_on(server.process_async(&mut seen, text.as_bytes(), &mut output)).answer();
    let answer = answer.map(|answer| str::from_utf8(answer).unwrap());
    if is_request {
        let is_called = answer == Some(r#"{"jsonrpc":"2.0","result":7,"id":1}"#);
        assert!(is_called || answer.is_some_and(|answer| answer.contains("-32602")), "{text}: {answer:?}");
        is_called
    } else {
        assert_eq!(seen.len(), 1, "{text}");
        seen == [method]
    }
}

const METHODS: &[&str] = if cfg!(feature = "serde") {
    &["level", "late", "changed", "later", "unit"]
} else {
    &["level", "late", "changed", "later"]
};

#[test]
fn a_function_without_params_ignores_members_in_the_model_context_protocol() {
    for method in METHODS {
        for params in ["{}", r#"{"_meta":{"progressToken":2}}"#, r#"{"cursor":"a","_meta":{}}"#] {
            assert!(is_called(Dialect::MCP, method, params), "{method} {params}");
        }
    }
}

#[test]
fn it_refuses_params_in_every_other_dialect() {
    for dialect in [Dialect::JSON_RPC, Dialect::CAUCE, Dialect::LENIENT] {
        for method in METHODS {
            assert!(is_called(dialect, method, "{}"), "{method}");
            for params in [r#"{"_meta":{}}"#, "[1]"] {
                assert!(!is_called(dialect, method, params), "{method} {params}");
            }
        }
    }
}
