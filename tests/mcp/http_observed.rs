//! The events of a server behind Streamable HTTP.
#![cfg(feature = "mcp")]

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use nanojsonrpc::mcp::Service;
use nanojsonrpc::mcp::http::{Endpoint, Head, Session};
use nanojsonrpc::server::{Event, MIN_ANSWER_LEN};

type Log = Vec<String>;

#[test]
fn a_refusal_by_the_head_that_does_not_fit_is_an_event() {
    let body = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    // a value that cannot be quoted
    let (endpoint, head) = (Endpoint::new(), Head { version: Some(b"\""), ..Head::new("POST") });
    let mut server = Service::<Log>::new("desk", "1.0.0")
        .server()
        .observed_by(|log: &mut Log, event: Event<'_>| log.push(event.to_string()));
    let (mut log, mut output) = (Log::new(), [0; MIN_ANSWER_LEN + 1]);
    let response = endpoint.answer(&mut server, &mut log, &head, body, &mut output);
    let lost = br#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#;
    assert_eq!(response.body(), lost);
    {
        let mut answering = pin!(endpoint.answer_async(&mut server, &mut log, &head, body, &mut output));
        let Poll::Ready(response) = answering.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("pending")
        };
        assert_eq!(response.body(), lost);
    }
    assert_eq!(log, ["reply to ping lost: output full at byte 77"; 2]);
    // the status alone is the answer
    let unknown = Head { session: Session::Unknown, version: None, ..head };
    let response = endpoint.answer(&mut server, &mut log, &unknown, body, &mut output);
    assert_eq!((response.status(), response.body().len(), log.len()), (404, 0, 2));
}
