//! Messages of MQTT as clients of the field send them, and their kinds.

use nanojsonrpc::broker::mqtt::{self, Delivery, Outcome};
use nanojsonrpc::broker::{Recent, Topic, TopicErrorKind};
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

/// MQTT 3.1.1 has neither a response topic nor correlation data.
#[test]
fn the_source_of_a_request_names_the_topic_of_its_answer() {
    for (_, words) in inputs("mqtt").iter().filter(|(n, _)| *n == 7) {
        let strict = payload(words).replacen('{', r#"{"jsonrpc":"2.0","#, 1);
        // without `jsonrpc` the answer is a refusal
        for (payload, expected) in [(&*strict, 1), (payload(words), 0)] {
            let topic: Option<Topic<64>> = mqtt::source_topic(payload.as_bytes()).expect("a topic");
            let delivery =
                Delivery { payload: payload.as_bytes(), response_topic: topic.as_deref(), ..Delivery::default() };
            assert_eq!(delivered(&mut Recent::<16>::new(), &[delivery]), ("user_1/rpc".into(), None, expected));
        }
    }
}

#[test]
fn a_source_that_names_no_topic_is_refused() {
    use TopicErrorKind::{ControlCharacter, Empty, SharedSubscription, TooLong, Wildcard};
    let topic = |source: &str| mqtt::source_topic::<16>(format!(r#"{{"id":1,"src":{source}}}"#).as_bytes());
    for (source, expected) in [("\"user_1\"", "user_1/rpc"), ("\"a/b\"", "a/b/rpc"), ("\"\\u0061\"", "a/rpc")] {
        assert_eq!(topic(source).expect("a topic").as_deref(), Some(expected));
    }
    for source in ["null", "1", "[]", "{\"src\":\"a\"}"] {
        assert_eq!(topic(source), Ok(None), "{source}");
    }
    for text in ["", "{", "[{\"src\":\"a\"}]", "\"src\"", "{\"id\":1}", "{\"SRC\":\"a\"}"] {
        assert_eq!(mqtt::source_topic::<16>(text.as_bytes()), Ok(None), "{text}");
    }
    for (source, kind, at) in [
        ("\"\"", Empty, 0),
        ("\"+\"", Wildcard, 0),
        ("\"user/#\"", Wildcard, 5),
        ("\"a\\u002b\"", Wildcard, 1),
        ("\"\\u0000\"", ControlCharacter, 0),
        ("\"$share/a\"", SharedSubscription, 0),
        // with `/rpc` one byte too long, and alone
        ("\"1234567890123\"", TooLong, 16),
        ("\"12345678901234567\"", TooLong, 16),
    ] {
        let error = topic(source).expect_err(source);
        assert_eq!((error.kind(), error.offset()), (kind, at), "{source}");
    }
    assert_eq!(topic("\"123456789012\"").expect("room").as_deref(), Some("123456789012/rpc"));
}
