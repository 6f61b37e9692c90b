//! JSON-RPC over brokers: topics, subjects, duplicates, expiry, retained messages.
#![cfg(all(feature = "broker", feature = "serde"))]

use nanojsonrpc::broker::mqtt::{self, Delivery, Dropped, Publish};
use nanojsonrpc::broker::{Insertion, Recent, Topic, TopicError, TopicErrorKind, mcp, nats};
use nanojsonrpc::server::Event;
use nanojsonrpc::server::route::Routes;
use nanojsonrpc::{Router, Server};

const CALL: &[u8] = br#"{"jsonrpc":"2.0","method":"count","id":1}"#;
const NOTIFICATION: &[u8] = br#"{"jsonrpc":"2.0","method":"note"}"#;
const ANSWER: &[u8] = br#"{"jsonrpc":"2.0","result":1,"id":1}"#;

fn server() -> Server<impl Routes<u32>> {
    let count = |calls: &mut u32| {
        *calls += 1;
        Ok(*calls)
    };
    Server::new(Router::new().request("count", count).notification("note", |calls: &mut u32| *calls += 1))
}

/// The fault of a topic, as kind and offset.
fn fault<T: core::fmt::Debug>(result: Result<T, TopicError>) -> (TopicErrorKind, usize) {
    let error = result.expect_err("a fault");
    (error.kind(), error.offset())
}

#[test]
fn topics_of_mqtt_are_checked() {
    use TopicErrorKind::{ControlCharacter, Empty, MisplacedWildcard, TooLong, Wildcard};
    let long = "a".repeat(65_536);
    for topic in ["a", "/", "a//b", "a b", "$SYS", "ä/\u{1F600}", &long[1..]] {
        assert_eq!(mqtt::check_topic(topic), Ok(()));
        assert_eq!(mqtt::check_filter(topic), Ok(()));
    }
    for (topic, kind, at) in [
        ("", Empty, 0),
        ("a/+", Wildcard, 2),
        ("#", Wildcard, 0),
        ("a+", Wildcard, 1),
        ("a\0", ControlCharacter, 1),
        ("ä\n", ControlCharacter, 2),
        (&long, TooLong, 65_535),
    ] {
        assert_eq!(fault(mqtt::check_topic(topic)), (kind, at));
    }
    for filter in ["+", "#", "+/+", "a/+/b", "a/#", "+/#", "/+"] {
        assert_eq!(mqtt::check_filter(filter), Ok(()), "{filter}");
    }
    for (filter, at) in [("a+", 1), ("+a", 0), ("a/#/b", 2), ("a#", 1), ("#/", 0), ("##", 0), ("a/+#", 2)] {
        assert_eq!(fault(mqtt::check_filter(filter)), (MisplacedWildcard, at), "{filter}");
    }
}

#[test]
fn filters_of_mqtt_stand_for_topics() {
    // the examples of MQTT 5, sections 4.7.1 and 4.7.2
    for (filter, topic, is_match) in [
        ("sport/tennis/player1/#", "sport/tennis/player1", true),
        ("sport/tennis/player1/#", "sport/tennis/player1/ranking", true),
        ("sport/tennis/player1/#", "sport/tennis/player1/score/wimbledon", true),
        ("sport/#", "sport", true),
        ("#", "a/b", true),
        ("sport/tennis/+", "sport/tennis/player1", true),
        ("sport/tennis/+", "sport/tennis/player1/ranking", false),
        ("sport/+", "sport", false),
        ("sport/+", "sport/", true),
        ("+/+", "/finance", true),
        ("/+", "/finance", true),
        ("+", "/finance", false),
        ("#", "$SYS/monitor", false),
        ("+/monitor/Clients", "$SYS/monitor/Clients", false),
        ("$SYS/#", "$SYS/monitor", true),
        ("$SYS/monitor/+", "$SYS/monitor/Clients", true),
        ("$share/group/a/+", "a/b", true),
        ("a", "A", false),
        ("a/b", "a", false),
    ] {
        assert_eq!(mqtt::matches(filter, topic), is_match, "{filter} {topic}");
    }
    assert_eq!(mqtt::shared::<32>("g", "a/+").as_deref(), Ok("$share/g/a/+"));
    assert_eq!(fault(mqtt::shared::<32>("g/h", "a")), (TopicErrorKind::Separator, 8));
    assert_eq!(fault(mqtt::shared::<32>("+", "a")), (TopicErrorKind::Wildcard, 7));
}

#[test]
fn parts_of_topics_are_checked_and_the_offset_is_that_of_the_whole() {
    use TopicErrorKind::{Empty, Separator, TooLong, Wildcard};
    let layout = |prefix, name| mqtt::Layout { prefix, name };
    assert_eq!(fault(layout("a/b", "c/d").requests::<32>()), (Separator, 5));
    assert_eq!(fault(layout("a/+", "c").requests::<32>()), (Wildcard, 2));
    assert_eq!(fault(layout("", "c").answers::<32>()), (Empty, 0));
    assert_eq!(fault(layout("a", "").presence::<32>()), (Empty, 2));
    assert_eq!(fault(layout("a", "b").state::<32>("#")), (Wildcard, 10));
    for room in 0..7 {
        let topic: [Result<usize, TopicError>; 7] = [
            layout("a", "b").requests::<0>().map(|topic: Topic<0>| topic.len()),
            layout("a", "b").requests::<1>().map(|topic| topic.len()),
            layout("a", "b").requests::<2>().map(|topic| topic.len()),
            layout("a", "b").requests::<3>().map(|topic| topic.len()),
            layout("a", "b").requests::<4>().map(|topic| topic.len()),
            layout("a", "b").requests::<6>().map(|topic| topic.len()),
            layout("a", "b").requests::<7>().map(|topic| topic.len()),
        ];
        match topic[room] {
            Ok(len) => assert_eq!((room, len), (6, 7)),
            Err(error) => assert_eq!(error.kind(), TooLong, "{room}"),
        }
    }
}

#[test]
fn a_call_that_is_delivered_twice_is_answered_once() {
    let (mut server, mut calls, mut recent) = (server(), 0, Recent::<2>::new());
    let mut outcome = |data: &'static [u8], topic: &'static str, payload: &'static [u8]| {
        let mut output = [0; 128];
        let delivery =
            Delivery { payload, response_topic: Some(topic), correlation_data: Some(data), ..Delivery::default() };
        match mqtt::answer(&mut server, &mut calls, &mut recent, &delivery, &mut output) {
            mqtt::Outcome::Publish(publish) => {
                assert_eq!((publish.topic, publish.correlation_data), (topic, Some(data)));
                assert!(!publish.is_retained);
                publish.payload.to_vec()
            }
            mqtt::Outcome::Dropped(Dropped::Duplicate) => vec![],
            outcome => panic!("{outcome:?}"),
        }
    };
    assert_eq!(outcome(b"1", "a", CALL), ANSWER);
    assert!(outcome(b"1", "a", CALL).is_empty());
    // another caller, another call: same id of JSON-RPC
    assert!(!outcome(b"1", "b", CALL).is_empty());
    assert!(outcome(b"1", "a", CALL).is_empty());
    assert!(!outcome(b"2", "b", CALL).is_empty());
    // the oldest was evicted, not the one that came again last
    assert!(outcome(b"1", "b", CALL).is_empty());
    assert!(!outcome(b"1", "a", CALL).is_empty());
    assert!(!outcome(b"1", "b", CALL).is_empty());
    assert_eq!(calls, 5);
}

#[test]
fn another_payload_under_the_same_id_is_another_call() {
    let (mut server, mut calls, mut recent) = (server(), 0, Recent::<4>::new());
    let mut outcome = |payload: &'static [u8]| {
        let mut output = [0; 128];
        let delivery =
            Delivery { payload, response_topic: Some("a"), correlation_data: Some(b"1"), ..Delivery::default() };
        match mqtt::answer(&mut server, &mut calls, &mut recent, &delivery, &mut output) {
            mqtt::Outcome::Publish(_) => true,
            mqtt::Outcome::Dropped(Dropped::Duplicate) => false,
            outcome => panic!("{outcome:?}"),
        }
    };
    const OTHER: &[u8] = br#"{"jsonrpc":"2.0","method":"count","id":2}"#;
    assert_eq!((outcome(OTHER), outcome(CALL)), (true, true));
    // both are in the table
    assert_eq!((outcome(OTHER), outcome(CALL)), (false, false));
    assert_eq!(calls, 2);
}

#[test]
fn an_unreadable_text_takes_no_slot() {
    let (mut server, mut calls, mut recent) = (server(), 0, Recent::<1>::new());
    let mut outcome = |data: &'static [u8], payload: &'static [u8]| {
        let mut output = [0; 256];
        let delivery =
            Delivery { payload, response_topic: Some("a"), correlation_data: Some(data), ..Delivery::default() };
        match mqtt::answer(&mut server, &mut calls, &mut recent, &delivery, &mut output) {
            mqtt::Outcome::Publish(_) => true,
            mqtt::Outcome::Dropped(Dropped::Duplicate) => false,
            outcome => panic!("{outcome:?}"),
        }
    };
    assert!(outcome(b"1", CALL));
    for text in [&b"garbage"[..], b"", b"{}", b"[]", b"[{}]", b"[1,"] {
        assert!(outcome(b"2", text));
        assert!(outcome(b"2", text));
        assert!(!outcome(b"1", CALL), "{}", text.escape_ascii());
    }
    assert_eq!(calls, 1);
}

#[test]
fn the_table_evicts_the_oldest_and_compares_whole_ids() {
    let mut recent = Recent::<3, 8>::new();
    for round in 0..4_u8 {
        for id in 0..4_u8 {
            assert_eq!(recent.insert(&[&[round, id]], b""), Insertion::New);
            for earlier in 0..4_u8.min(id + 1) {
                let is_kept = id - earlier.min(id) < 3;
                if is_kept {
                    assert_eq!(recent.insert(&[&[round, earlier]], b""), Insertion::Seen, "{round} {id} {earlier}");
                }
            }
        }
    }
    // parts do not run together
    let mut recent = Recent::<4, 8>::new();
    assert_eq!(recent.insert(&[b"ab", b"c"], b""), Insertion::New);
    assert_eq!(recent.insert(&[b"a", b"bc"], b""), Insertion::New);
    assert_eq!(recent.insert(&[b"ab", b"c"], b""), Insertion::Seen);
    // an id over the capacity is not shortened
    assert_eq!(recent.insert(&[b"123456"], b""), Insertion::New);
    assert_eq!(recent.insert(&[b"1234567"], b""), Insertion::Unknown);
    assert_eq!(recent.insert(&[b"1234567"], b""), Insertion::Unknown);
    assert_eq!(Recent::<0>::new().insert(&[b"1"], b""), Insertion::Unknown);
}

#[test]
fn the_table_compares_payloads_under_any_key() {
    for key in [0, 1, u64::MAX] {
        let mut recent = Recent::<3>::new().keyed_by(key);
        for payload in [&b""[..], b"\0", b"\0\0"] {
            assert!(!recent.contains(&[b"1"], payload));
            assert_eq!(recent.insert(&[b"1"], payload), Insertion::New, "{key} {payload:?}");
            assert_eq!(recent.insert(&[b"1"], payload), Insertion::Seen, "{key} {payload:?}");
        }
        assert!(recent.contains(&[b"1"], b"") && !recent.contains(&[b"2"], b""));
    }
}

#[test]
fn a_call_that_reached_no_handler_is_answered_when_it_comes_again() {
    let (mut server, mut calls, mut recent) = (server(), 0, Recent::<2>::new());
    let delivery =
        Delivery { payload: CALL, response_topic: Some("a"), correlation_data: Some(b"1"), ..Delivery::default() };
    for room in 0..77 {
        let mut output = vec![0; room];
        match mqtt::answer(&mut server, &mut calls, &mut recent, &delivery, &mut output) {
            mqtt::Outcome::Dropped(Dropped::NoRoom) => {}
            // the refusal may fit where the shortest answer under the id would not
            mqtt::Outcome::Publish(publish) => assert!(publish.payload.ends_with(b"\"id\":null}")),
            outcome => panic!("{room}: {outcome:?}"),
        }
    }
    assert_eq!(calls, 0);
    let mut output = [0; 128];
    let outcome = mqtt::answer(&mut server, &mut calls, &mut recent, &delivery, &mut output);
    assert!(matches!(outcome, mqtt::Outcome::Publish(Publish { payload: ANSWER, .. })), "{outcome:?}");
    assert_eq!(calls, 1);
}

#[test]
fn a_message_from_a_consumer_is_acknowledged_after_an_answer_with_room() {
    let (mut server, mut calls, mut recent) = (server(), 0, Recent::<2>::new());
    for room in 0..38 {
        let mut output = vec![0; room];
        let outcome = nats::answer(&mut server, &mut calls, CALL, None, &mut output);
        assert_eq!(outcome, nats::Outcome::NoRoom, "{room}");
    }
    let batch = [b"[", CALL, b",", NOTIFICATION, b"]"].concat();
    assert_eq!(nats::answer(&mut server, &mut calls, &batch, Some("a"), &mut [0; 38]), nats::Outcome::NoRoom);
    assert_eq!(calls, 0);
    // the order that the documentation shows
    let mut is_acknowledged = |room: usize| {
        let mut output = vec![0; room];
        if recent.contains(&[b"1"], CALL) {
            return true;
        }
        let outcome = nats::answer(&mut server, &mut calls, CALL, None, &mut output);
        outcome != nats::Outcome::NoRoom && recent.insert(&[b"1"], CALL) == Insertion::New
    };
    assert_eq!([is_acknowledged(0), is_acknowledged(128), is_acknowledged(128)], [false, true, true]);
    assert_eq!(calls, 1);
}

#[test]
fn a_call_without_correlation_data_is_answered_each_time() {
    let (mut server, mut calls, mut recent) = (server(), 0, Recent::<2>::default());
    let delivery = Delivery { payload: CALL, response_topic: Some("a"), ..Delivery::default() };
    for _ in 0..2 {
        let mut output = [0; 128];
        let outcome = mqtt::answer(&mut server, &mut calls, &mut recent, &delivery, &mut output);
        assert!(matches!(outcome, mqtt::Outcome::Publish(Publish { correlation_data: None, .. })), "{outcome:?}");
    }
    assert_eq!(calls, 2);
}

#[test]
fn expired_and_retained_calls_reach_no_handler() {
    let (mut server, mut calls, mut recent) = (server(), 0, Recent::<2>::new());
    let delivery = Delivery { payload: CALL, response_topic: Some("a"), ..Delivery::default() };
    let mut outcome = |delivery: Delivery<'_>| {
        let mut output = [0; 128];
        match mqtt::answer(&mut server, &mut calls, &mut recent, &delivery, &mut output) {
            mqtt::Outcome::Publish(publish) => Ok(publish.expiry),
            mqtt::Outcome::Dropped(dropped) => Err(dropped),
            outcome => panic!("{outcome:?}"),
        }
    };
    assert_eq!(outcome(Delivery { is_retained: true, ..delivery }), Err(Dropped::Retained));
    assert_eq!(outcome(Delivery { expiry: Some(0), ..delivery }), Err(Dropped::Expired));
    assert_eq!(outcome(Delivery { expiry: Some(5), waited: 5, ..delivery }), Err(Dropped::Expired));
    assert_eq!(outcome(Delivery { expiry: Some(5), waited: u32::MAX, ..delivery }), Err(Dropped::Expired));
    assert_eq!(outcome(Delivery { expiry: Some(5), waited: 2, ..delivery }), Ok(Some(3)));
    assert_eq!(outcome(Delivery { waited: 9, ..delivery }), Ok(None));
    // a dropped call is not stored: its next delivery is answered
    assert_eq!(calls, 2);
}

#[test]
fn an_answer_without_an_address_is_handed_out() {
    let mut recent = Recent::<2>::new();
    for topic in [None, Some(""), Some("a/#"), Some("a\0")] {
        let delivery = Delivery { payload: CALL, response_topic: topic, ..Delivery::default() };
        let mut output = [0; 128];
        let outcome = mqtt::answer(&mut server(), &mut 0, &mut recent, &delivery, &mut output);
        assert_eq!(outcome, mqtt::Outcome::Unaddressed(ANSWER), "{topic:?}");
    }
    for reply in [None, Some(""), Some("a.>"), Some("a b"), Some("a\r\nPUB x 1")] {
        let mut output = [0; 128];
        let outcome = nats::answer(&mut server(), &mut 0, CALL, reply, &mut output);
        assert_eq!(outcome, nats::Outcome::Unaddressed(ANSWER), "{reply:?}");
    }
    let delivery = Delivery { payload: NOTIFICATION, response_topic: Some("a"), ..Delivery::default() };
    assert_eq!(mqtt::answer(&mut server(), &mut 0, &mut recent, &delivery, &mut []), mqtt::Outcome::Silent);
    assert_eq!(nats::answer(&mut server(), &mut 0, NOTIFICATION, Some("a"), &mut []), nats::Outcome::Silent);
}

#[test]
fn a_filter_decides_where_an_answer_may_go() {
    let mut recent = Recent::<2>::new();
    for (topic, is_allowed) in [("site/switch/answers", true), ("$SYS/x", false), ("site/lamp/rpc", false)] {
        let delivery = Delivery { payload: CALL, response_topic: Some(topic), ..Delivery::default() };
        let mut output = [0; 128];
        let mqtt::Outcome::Publish(answer) = mqtt::answer(&mut server(), &mut 0, &mut recent, &delivery, &mut output)
        else {
            panic!("{topic}")
        };
        assert_eq!(mqtt::matches("site/+/answers", answer.topic), is_allowed, "{topic}");
    }
    for (reply, is_allowed) in [("_INBOX.a.1", true), ("$SYS.x", false), ("$JS.ACK.1", false)] {
        let mut output = [0; 128];
        let outcome = nats::answer(&mut server(), &mut 0, CALL, Some(reply), &mut output);
        let nats::Outcome::Publish { subject, .. } = outcome else { panic!("{reply}") };
        assert_eq!(nats::matches("_INBOX.>", subject), is_allowed, "{reply}");
    }
}

#[test]
fn publications_say_whether_they_are_kept() {
    let presence = Publish::retained("a/presence", NOTIFICATION).expect("a topic");
    assert!(presence.is_retained);
    let will = Publish::cleared("a/presence").expect("a topic");
    assert!(will.is_retained && will.payload.is_empty());
    assert!(!Publish::new("a", CALL).expect("a topic").is_retained);
    let call = Publish::call("a", CALL, "b", b"1", Some(9)).expect("topics");
    assert_eq!((call.response_topic, call.correlation_data, call.expiry), (Some("b"), Some(&b"1"[..]), Some(9)));
    assert_eq!(fault(Publish::call("a", CALL, "b/#", b"1", None)), (TopicErrorKind::Wildcard, 2));
    assert_eq!(fault(Publish::new("+", CALL)), (TopicErrorKind::Wildcard, 0));
}

#[test]
fn subjects_of_nats_are_checked() {
    use TopicErrorKind::{ControlCharacter, Empty, MisplacedWildcard, Separator, TooLong, WhiteSpace, Wildcard};
    for (subject, kind, at) in [
        ("", Empty, 0),
        (".a", Empty, 0),
        ("a.", Empty, 2),
        ("a..b", Empty, 2),
        ("a b", WhiteSpace, 1),
        ("a\r\n", WhiteSpace, 1),
        ("a\x7F", ControlCharacter, 1),
        ("a.*", Wildcard, 2),
        (">", Wildcard, 0),
    ] {
        assert_eq!(fault(nats::check_subject(subject)), (kind, at), "{subject:?}");
    }
    for filter in ["a", "*", ">", "*.a.*", "a.>", "$SYS.>"] {
        assert_eq!(nats::check_filter(filter), Ok(()), "{filter}");
    }
    for (filter, at) in [("a*", 1), (">.a", 0), ("a.>>", 2), ("**", 0)] {
        assert_eq!(fault(nats::check_filter(filter)), (MisplacedWildcard, at), "{filter}");
    }
    for (filter, subject, is_match) in [
        ("a.*", "a.b", true),
        ("a.*", "a.b.c", false),
        ("a.>", "a.b.c", true),
        ("a.>", "a", false),
        (">", "a", true),
        ("a", "a.b", false),
    ] {
        assert_eq!(nats::matches(filter, subject), is_match, "{filter} {subject}");
    }
    assert_eq!(nats::check_queue_group("workers"), Ok(()));
    assert_eq!(fault(nats::check_queue_group("a.b")), (Separator, 1));
    assert_eq!(fault(nats::Layout { prefix: "a", name: "b" }.inbox::<32>("*")), (Wildcard, 9));
    assert_eq!(fault(nats::Layout { prefix: "a", name: "b" }.requests::<6>()), (TooLong, 6));
}

#[test]
fn topics_of_mcp_are_written_and_read() {
    let lamp = mcp::Server { id: "a1", name: "light/lamp" };
    let presence = lamp.presence::<64>().expect("room");
    assert_eq!(mcp::server_in(&presence), Some(lamp));
    assert!(mqtt::matches(&mcp::servers::<64>("#").expect("room"), &presence));
    assert!(mqtt::matches(&mcp::servers::<64>("light/+").expect("room"), &presence));
    let rpc = lamp.rpc::<64>("c9").expect("room");
    assert_eq!(mcp::client_in(&rpc), Some(("c9", lamp)));
    assert!(mqtt::matches(&lamp.rpc_of_all::<64>().expect("room"), &rpc));
    assert_eq!(mcp::client_presence::<32>("c9").as_deref(), Ok("$mcp-client/presence/c9"));
    assert_eq!(mcp::client_capability::<32>("c9").as_deref(), Ok("$mcp-client/capability/c9"));
    assert_eq!(fault(lamp.rpc::<64>("c/9")), (TopicErrorKind::Separator, 10));
    assert_eq!(fault(mcp::Server { id: "", ..lamp }.control::<64>()), (TopicErrorKind::Empty, 12));
    assert_eq!(fault(mcp::Server { name: "a/+", ..lamp }.control::<64>()), (TopicErrorKind::Wildcard, 17));
    for topic in ["", "$mcp-rpc/c9/a1", "$mcp-rpc//a1/b", "$mcp-rpc/c9//b", "$mcp-rpc/c9/a1/", "$mcp-rpc/c9/a1/#"] {
        assert_eq!(mcp::client_in(topic), None, "{topic}");
    }
}

#[test]
fn a_fault_is_told_in_words_with_its_offset() {
    use TopicErrorKind::*;

    for (kind, words) in [
        (Empty, "empty topic or level"),
        (TooLong, "topic too long"),
        (Wildcard, "wildcard in a topic name"),
        (MisplacedWildcard, "misplaced wildcard"),
        (Separator, "separator in a level"),
        (ControlCharacter, "control character in a topic"),
        (WhiteSpace, "white space in a subject"),
        (SharedSubscription, "misplaced shared subscription"),
        (Noncharacter, "noncharacter in a topic"),
        (ReservedId, "reserved id"),
    ] {
        assert_eq!((kind.as_str(), kind.to_string().as_str()), (words, words));
    }
    let error = nats::check_queue_group("a.b").expect_err("a separator");
    assert_eq!(error.to_string(), "separator in a level at byte 1");
}

#[test]
fn subjects_of_events_and_topics_of_capabilities_are_written() {
    assert_eq!(nats::Layout { prefix: "fan", name: "north" }.events::<32>().as_deref(), Ok("fan.north.events"));
    let topic = mcp::Server { id: "a1", name: "light/lamp" }.capability::<64>();
    assert_eq!(topic.as_deref(), Ok("$mcp-server/capability/a1/light/lamp"));
}

#[test]
fn an_id_over_the_length_of_the_table_is_answered_each_time_and_observed() {
    let mut server = server().observed_by(|calls: &mut u32, event: Event<'_>| {
        assert_eq!(event.to_string(), "call not deduplicated: its id needs 13 bytes");
        assert_eq!(event, Event::NotDeduplicated(13));
        *calls += 100;
    });
    let (mut calls, mut recent) = (0, Recent::<2, 12>::new());
    let mut outcome = |data: &'static [u8]| {
        let delivery = Delivery {
            payload: CALL,
            response_topic: Some("topic"),
            correlation_data: Some(data),
            ..Delivery::default()
        };
        let mut output = [0; 128];
        let is_answered = match mqtt::answer(&mut server, &mut calls, &mut recent, &delivery, &mut output) {
            mqtt::Outcome::Publish(_) => true,
            mqtt::Outcome::Dropped(Dropped::Duplicate) => false,
            outcome => panic!("{outcome:?}"),
        };
        (is_answered, calls)
    };
    // 12 bytes: the topic, the data, and two bytes for each
    assert_eq!(outcome(b"123"), (true, 1));
    assert_eq!(outcome(b"123"), (false, 1));
    assert_eq!(outcome(b"1234"), (true, 102));
    assert_eq!(outcome(b"1234"), (true, 203));
    // a table without slots is the choice of the program, not an event
    let delivery =
        Delivery { payload: CALL, response_topic: Some("a"), correlation_data: Some(b"1"), ..Delivery::default() };
    let mut none = Recent::<0>::new();
    mqtt::answer(&mut server, &mut calls, &mut none, &delivery, &mut [0; 128]);
    assert_eq!(calls, 204);
}

#[test]
fn correlation_data_without_a_response_topic_identifies_no_call() {
    let (mut server, mut calls, mut recent) = (server(), 0, Recent::<4>::new());
    for response_topic in [None, None, Some(""), Some("")] {
        let delivery =
            Delivery { payload: NOTIFICATION, response_topic, correlation_data: Some(b"1"), ..Delivery::default() };
        let outcome = mqtt::answer(&mut server, &mut calls, &mut recent, &delivery, &mut []);
        assert_eq!(outcome, mqtt::Outcome::Silent, "{response_topic:?}");
    }
    assert_eq!(calls, 4);
}

#[test]
fn shared_filters_are_checked() {
    use TopicErrorKind::{Empty, MisplacedWildcard, SharedSubscription, Wildcard};
    for filter in ["$share/g/a", "$share/g/#", "$share/g//", "$share/g/$SYS/#", "$share", "$shared/+", "a/$share/b"] {
        assert_eq!(mqtt::check_filter(filter), Ok(()), "{filter}");
    }
    for (filter, kind, at) in [
        ("$share/", Empty, 7),
        ("$share/g", Empty, 8),
        ("$share/g/", Empty, 9),
        ("$share//a", Empty, 7),
        ("$share/+/a", Wildcard, 7),
        ("$share/#", Wildcard, 7),
        ("$share/g/a+", MisplacedWildcard, 10),
        ("$share/g/$share/h/a", SharedSubscription, 9),
    ] {
        assert_eq!(fault(mqtt::check_filter(filter)), (kind, at), "{filter}");
    }
    assert_eq!(fault(mqtt::shared::<32>("g", "$share/h/a")), (SharedSubscription, 9));
    assert_eq!(fault(mqtt::shared::<32>("", "a")), (Empty, 7));
    assert_eq!(fault(mqtt::shared::<32>("g", "")), (Empty, 9));
    // a filter that is no filter matches nothing
    for filter in ["$share/a", "$share//a", "$share/+/a", "$share/#", "$share/g/$share/h/a", "$share/#/a"] {
        for topic in ["a", "$share/a", "$share/h/a", ""] {
            assert!(!mqtt::matches(filter, topic), "{filter} {topic}");
        }
    }
}

#[test]
fn no_topic_is_a_shared_filter() {
    use TopicErrorKind::SharedSubscription;
    // a client cannot subscribe to such a topic, because its name is the filter of another one
    assert_eq!(fault(mqtt::check_topic("$share/x/a")), (SharedSubscription, 0));
    assert_eq!(mqtt::check_topic("$share"), Ok(()));
    assert_eq!(mqtt::check_topic("a/$share/b"), Ok(()));
    for (prefix, name) in [("$share/x", "a"), ("$share", "x")] {
        let layout = mqtt::Layout { prefix, name };
        assert_eq!(fault(layout.requests::<32>()), (SharedSubscription, 0));
        assert_eq!(fault(layout.state::<32>("b")), (SharedSubscription, 0));
    }
    assert_eq!(mqtt::Layout { prefix: "a", name: "b" }.state::<32>("$share/x").as_deref(), Ok("a/b/state/$share/x"));
    assert_eq!(mcp::servers::<64>("$share/x/#").as_deref(), Ok("$mcp-server/presence/+/$share/x/#"));
}

#[test]
fn control_characters_and_noncharacters_are_refused() {
    use TopicErrorKind::{ControlCharacter, Noncharacter};
    let controls = ('\0'..='\u{1F}').chain('\u{7F}'..='\u{9F}').map(|c| (c, ControlCharacter));
    let planes = (0..=0x10_u32).flat_map(|plane| [plane << 16 | 0xFFFE, plane << 16 | 0xFFFF]);
    let ends = planes.map(|code| char::from_u32(code).expect("a code point"));
    for (c, kind) in controls.chain(('\u{FDD0}'..='\u{FDEF}').chain(ends).map(|c| (c, Noncharacter))) {
        let topic = format!("ä/{c}b");
        assert_eq!(fault(mqtt::check_topic(&topic)), (kind, 3), "{c:?}");
        assert_eq!(fault(mqtt::check_filter(&topic)), (kind, 3), "{c:?}");
        assert_eq!(fault(mqtt::shared::<32>("g", &topic)), (kind, 12), "{c:?}");
        if !c.is_ascii() {
            assert_eq!(fault(nats::check_subject(&format!("a.{c}"))), (kind, 2), "{c:?}");
        }
    }
    for c in [' ', '~', '\u{A0}', '\u{FDCF}', '\u{FDF0}', '\u{FEFF}', '\u{FFFD}', '\u{10000}', '\u{10FFFD}'] {
        let topic = format!("a/{c}");
        assert_eq!((mqtt::check_topic(&topic), mqtt::check_filter(&topic)), (Ok(()), Ok(())), "{c:?}");
    }
}

#[test]
fn a_server_of_mcp_does_not_have_a_reserved_id() {
    use TopicErrorKind::ReservedId;
    for id in ["presence", "capability"] {
        // its control topic would be the presence topic of the server `a1`
        let server = mcp::Server { id, name: "a1/x" };
        assert_eq!(fault(server.control::<64>()), (ReservedId, 12));
        assert_eq!(fault(server.presence::<64>()), (ReservedId, 21));
        assert_eq!(fault(server.capability::<64>()), (ReservedId, 23));
        assert_eq!(fault(server.rpc::<64>("c9")), (ReservedId, 12));
        assert_eq!(fault(server.rpc_of_all::<64>()), (ReservedId, 11));
        assert_eq!(mcp::server_in(&format!("$mcp-server/presence/{id}/x")), None);
        assert_eq!(mcp::client_in(&format!("$mcp-rpc/c9/{id}/x")), None);
        // ids of clients and names are never the level behind `$mcp-server`
        assert!(mcp::client_presence::<64>(id).is_ok());
        assert!(mcp::Server { id: "a1", name: id }.control::<64>().is_ok());
        let lamp = mcp::Server { id: "a1", name: "x" };
        assert_eq!(mcp::client_in(&lamp.rpc::<64>(id).expect("room")), Some((id, lamp)));
    }
    assert!(mcp::Server { id: "Presence", name: "x" }.control::<64>().is_ok());
}
