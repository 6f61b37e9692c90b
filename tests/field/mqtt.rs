//! Messages of MQTT as clients of the field send them, and their kinds.

use nanojsonrpc::broker::Recent;
use nanojsonrpc::broker::mqtt::{self, Delivery, Outcome};
use nanojsonrpc::{Router, Server};

use crate::inputs;

/// The payload in the words of an input.
fn payload(words: &str) -> &str {
    &words[words.find('{').expect("a payload")..]
}

/// Delivers each message, and returns the topic and the data of the last answer, and the number of calls.
fn delivered<const N: usize>(recent: &mut Recent<N>, deliveries: &[Delivery<'_>]) -> (String, Option<Vec<u8>>, u32) {
    let (mut calls, mut answered) = (0, (String::new(), None));
    for delivery in deliveries {
        let router = Router::new().fallback(|calls: &mut u32, _, _, reply| {
            *calls += 1;
            reply.success(calls)
        });
        let mut output = [0; 128];
        match mqtt::answer(&mut Server::new(router), &mut calls, recent, delivery, &mut output) {
            Outcome::Publish(answer) => {
                answered = (answer.topic.to_owned(), answer.correlation_data.map(<[u8]>::to_vec));
            }
            outcome => panic!("{outcome:?}"),
        }
    }
    (answered.0, answered.1, calls)
}

#[test]
fn a_client_with_constant_correlation_data_presses_twice() {
    for (_, words) in inputs("mqtt").iter().filter(|(n, _)| *n == 97) {
        let press = Delivery {
            payload: payload(words).as_bytes(),
            response_topic: Some("extern/desktop/reply"),
            correlation_data: Some(b"0"),
            packet_id: Some(1),
            ..Delivery::default()
        };
        let answer = |calls| ("extern/desktop/reply".to_owned(), Some(b"0".to_vec()), calls);
        let after_5_s = Delivery { packet_id: Some(2), now: 5000, ..press };
        assert_eq!(delivered(&mut Recent::<16>::new(), &[press, after_5_s]), answer(2));
        // the broker takes the identifier of an acknowledged message again
        assert_eq!(delivered(&mut Recent::<16>::new(), &[press, Delivery { now: 5000, ..press }]), answer(2));
        assert_eq!(delivered(&mut Recent::<16>::new().within(1000), &[press, after_5_s]), answer(2));
        // a message that comes again is one press
        let again = Delivery { is_dup: true, ..press };
        assert_eq!(delivered(&mut Recent::<16>::new(), &[press, again, again]), answer(1));
        assert_eq!(delivered(&mut Recent::<16>::new().within(5001), &[press, after_5_s]), answer(1));
    }
}

#[test]
fn an_answer_without_correlation_data_has_none() {
    for (_, words) in inputs("mqtt").iter().filter(|(n, _)| *n == 98) {
        let delivery =
            Delivery { payload: payload(words).as_bytes(), response_topic: Some("rr/abc"), ..Delivery::default() };
        assert_eq!(delivered(&mut Recent::<16>::new(), &[delivery; 2]), ("rr/abc".into(), None, 2));
    }
}
