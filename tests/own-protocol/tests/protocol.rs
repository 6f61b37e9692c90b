//! A protocol of a program: subscriptions, values and their ends.

use nanojsonrpc::Server;
use nanojsonrpc::server::Event;
use nanojsonrpc::server::route::Routes;
use own_protocol::{Broker, router, transfer};

/// The answer to `text`.
fn answer<'w, const N: usize>(
    server: &mut Server<impl Routes<Broker<'w, N>>>,
    broker: &mut Broker<'w, N>,
    text: &str,
) -> String {
    let mut output = [0; 256];
    let answer = server.process(broker, text.as_bytes(), &mut output).answer().unwrap_or_default();
    String::from_utf8_lossy(answer).into_owned()
}

#[test]
fn a_value_goes_to_each_client_that_subscribed_to_the_beginning_of_its_topic() {
    let mut out = [0; 512];
    let (mut server, mut broker) = (Server::new(router()), Broker::<4>::new(&mut out));
    let mut output = [0; 256];
    for (id, topic) in [("1", "lamp/"), ("\"b\"", "l\\u0061mp/hall"), ("3", "door/")] {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"subscribe","params":{{"topic":"{topic}"}},"id":{id}}}"#);
        let processed = server.process(&mut broker, text.as_bytes(), &mut output);
        assert!(processed.is_deferred());
        let subscribed = format!(r#"{{"jsonrpc":"2.0","method":"subscribed","params":{{"topic":"{topic}"}}}}"#);
        assert_eq!(processed.answer(), Some(subscribed.as_bytes()));
    }
    let publish =
        r#"{"jsonrpc":"2.0","method":"publish","params":{"topic":"lamp\/hall","value":{ "on": 1.50 }},"id":9}"#;
    assert_eq!(answer(&mut server, &mut broker, publish), r#"{"jsonrpc":"2.0","result":2,"id":9}"#);
    // topic and value as the client spelled them
    let value = |id| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"value","params":{{"subscription":{id},"topic":"lamp\/hall","value":{{ "on": 1.50 }}}}}}"#
        )
    };
    assert_eq!(str::from_utf8(broker.sent()).unwrap(), value("1") + &value("\"b\""));
}

#[test]
fn the_end_of_a_subscription_answers_its_request() {
    let mut out = [0; 256];
    let (mut server, mut broker) = (Server::new(router()), Broker::<1>::new(&mut out));
    answer(&mut server, &mut broker, r#"{"jsonrpc":"2.0","method":"subscribe","params":{"topic":""},"id":"s"}"#);
    let second = r#"{"jsonrpc":"2.0","method":"subscribe","params":{"topic":""},"id":2}"#;
    assert!(answer(&mut server, &mut broker, second).contains("Too many subscriptions"));
    answer(
        &mut server,
        &mut broker,
        r#"{"jsonrpc":"2.0","method":"publish","params":{"topic":"t","value":null},"id":3}"#,
    );
    broker.clear();
    let end = r#"{"jsonrpc":"2.0","method":"unsubscribe","params":{"id":"s"},"id":4}"#;
    assert_eq!(answer(&mut server, &mut broker, end), r#"{"jsonrpc":"2.0","result":1,"id":4}"#);
    assert_eq!(broker.sent(), br#"{"jsonrpc":"2.0","result":1,"id":"s"}"#);
    assert!(answer(&mut server, &mut broker, end).contains("-32602"));
}

#[test]
fn a_subscription_in_a_batch_is_refused_because_its_answer_comes_later() {
    let mut out = [0; 64];
    let (mut server, mut broker) = (Server::new(router()), Broker::<1>::new(&mut out));
    let batch = r#"[{"jsonrpc":"2.0","method":"subscribe","params":{"topic":"t"},"id":1}]"#;
    assert!(answer(&mut server, &mut broker, batch).contains("-32603"));
    let publish = r#"{"jsonrpc":"2.0","method":"publish","params":{"topic":"t","value":1},"id":2}"#;
    assert_eq!(answer(&mut server, &mut broker, publish), r#"{"jsonrpc":"2.0","result":0,"id":2}"#);
}

#[test]
fn a_value_without_room_is_lost_whole() {
    let mut out = [0; 80];
    let (mut server, mut broker) = (Server::new(router()), Broker::<1>::new(&mut out));
    answer(&mut server, &mut broker, r#"{"jsonrpc":"2.0","method":"subscribe","params":{"topic":"t"},"id":1}"#);
    let publish =
        r#"{"jsonrpc":"2.0","method":"publish","params":{"topic":"t","value":"longer than the room"},"id":2}"#;
    assert_eq!(answer(&mut server, &mut broker, publish), r#"{"jsonrpc":"2.0","result":0,"id":2}"#);
    assert_eq!((broker.sent(), broker.lost), (&b""[..], 1));
}

#[test]
fn a_transport_of_the_program_reports_an_answer_that_it_cannot_send() {
    let mut out = [0; 64];
    let mut broker = Broker::<1>::new(&mut out);
    let mut server = Server::new(router()).observed_by(|broker: &mut Broker<'_, 1>, event: Event<'_>| {
        broker.lost += usize::from(matches!(event, Event::AnswerUnsent(_)));
    });
    let text = br#"{"jsonrpc":"2.0","method":"subscribe","params":{"topic":"t"},"id":1}"#;
    let (mut room, mut sent) = ([0; 96], Vec::new());
    assert!(transfer(&mut server, &mut broker, text, &mut room, |answer| {
        sent.extend_from_slice(answer);
        true
    }));
    assert_eq!(sent, br#"{"jsonrpc":"2.0","method":"subscribed","params":{"topic":"t"}}"#);
    assert!(!transfer(&mut server, &mut broker, text, &mut room, |_| false));
    assert_eq!(broker.lost, 1);
}
