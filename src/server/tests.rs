//! The state of a server that no test of the public API reaches.
#![allow(clippy::arithmetic_side_effects, clippy::expect_used)] // a test may stop

use crate::server::{Event, Server};
use crate::{Request, Router};

const CALL: &[u8] = br#"{"jsonrpc":"2.0","method":"launch","id":"a"}"#;

/// A server that has refused `u32::MAX` texts for lack of room. Its context counts the calls and the events.
macro_rules! full {
    () => {{
        let launch = |seen: &mut (u32, u32)| {
            seen.0 += 1;
            Ok::<_, crate::ErrorObject<'static>>(true)
        };
        let server = Server::new(Router::new().request("launch", launch))
            .observed_by(|seen: &mut (u32, u32), event: Event<'_>| seen.1 += u32::from(event == Event::NoRoom));
        Server { lacked_room: u32::MAX, ..server }
    }};
}

#[test]
fn the_count_of_texts_without_room_wraps() {
    let (mut server, mut seen) = (full!(), (0, 0));
    assert_eq!(server.process(&mut seen, CALL, &mut [0; 32]), None);
    assert_eq!((server.lacked_room(), seen), (0, (0, 1)));
    let (mut server, request) = (full!(), Request::parse(CALL).expect("a request"));
    assert_eq!(server.handle(&mut seen, &request, &mut []), None);
    assert_eq!((server.lacked_room(), seen), (0, (0, 2)));
}

#[cfg(feature = "broker")]
#[test]
fn a_broker_is_told_of_the_refusal_behind_the_last_number() {
    use crate::broker::{Recent, mqtt};

    let (mut server, mut seen, mut recent) = (full!(), (0, 0), Recent::<2>::new());
    let delivery = mqtt::Delivery {
        payload: CALL,
        response_topic: Some("a"),
        correlation_data: Some(b"1"),
        ..mqtt::Delivery::default()
    };
    let mut output = [0; 32];
    let outcome = mqtt::answer(&mut server, &mut seen, &mut recent, &delivery, &mut output);
    assert_eq!(outcome, mqtt::Outcome::Dropped(mqtt::Dropped::NoRoom));
    // a second delivery is no duplicate
    let mut output = [0; 128];
    let outcome = mqtt::answer(&mut server, &mut seen, &mut recent, &delivery, &mut output);
    assert!(matches!(outcome, mqtt::Outcome::Publish(_)), "{outcome:?}");
    assert_eq!(seen, (1, 1));
}

#[cfg(feature = "http")]
#[test]
fn a_client_of_http_gets_500_behind_the_last_number() {
    use crate::http::{Endpoint, Head};

    let (mut server, mut seen) = (full!(), (0, 0));
    let headers = [("content-type", "application/json"), ("content-length", "44")];
    let head = Head::from_headers("POST", "/", headers);
    let mut output = [0; 32];
    let response = Endpoint::new().answer(&mut server, &mut seen, &head, CALL, &mut output);
    assert_eq!((response.status(), server.lacked_room(), seen), (500, 0, (0, 1)));
}
