//! JSON-RPC over brokers: topics, subjects, duplicates, expiry, retained messages.
#![cfg(all(feature = "broker", feature = "serde"))]

use nanojsonrpc::broker::mqtt::{self, Delivery, Dropped, Publish};
use nanojsonrpc::broker::{Recent, StoredAnswer, Topic, TopicError, TopicErrorKind, mcp, nats};
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

/// The payload that is published; empty for a duplicate without an answer.
fn published<const N: usize, const LEN: usize>(
    calls: &mut u32,
    recent: &mut Recent<N, LEN>,
    delivery: Delivery<'_>,
) -> String {
    let mut output = [0; 256];
    match mqtt::answer(&mut server(), calls, recent, &delivery, &mut output) {
        mqtt::Outcome::Publish(publish) => {
            assert_eq!((Some(publish.topic), publish.is_retained), (delivery.response_topic, false));
            assert_eq!(publish.correlation_data, delivery.correlation_data);
            String::from_utf8_lossy(publish.payload).into_owned()
        }
        mqtt::Outcome::Dropped(Dropped::Duplicate) => String::new(),
        outcome => panic!("{outcome:?}"),
    }
}

fn call(data: &'static [u8]) -> Delivery<'static> {
    let delivery = Delivery { payload: CALL, response_topic: Some("a"), ..Delivery::default() };
    Delivery { correlation_data: Some(data), packet_id: Some(7), ..delivery }
}

/// A result of the method `count`.
fn count(calls: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","result":{calls},"id":1}}"#)
}

#[test]
fn every_delivery_has_one_outcome() {
    let note = Delivery { payload: br#"{"jsonrpc":"2.0","method":"tick"}"#, ..call(b"n") };
    let again = |delivery: Delivery<'static>| Delivery { is_dup: true, ..delivery };
    let long = Delivery { payload: br#"{"jsonrpc":"2.0","method":"count","id":"aaaaaaaaaaaaaaaaaaaa"}"#, ..call(b"l") };
    let deliveries = [
        (Delivery { is_retained: true, ..call(b"1") }, 256, "Dropped(Retained)"),
        (Delivery { expiry: Some(3), waited: 3, ..call(b"1") }, 256, "Dropped(Expired)"),
        (call(b"1"), 8, "Dropped(NoRoom)"),
        (call(b"1"), 256, "Publish"),
        (again(call(b"1")), 256, "Publish"),
        (again(call(b"1")), 8, "Dropped(NoRoom)"),
        (Delivery { response_topic: None, ..call(b"1") }, 256, "Unaddressed"),
        (Delivery { response_topic: Some("a/+"), ..call(b"1") }, 256, "Unaddressed"),
        (note, 256, "Silent"),
        (again(note), 256, "Dropped(Duplicate)"),
        // its answer has found no room in the store
        (long, 256, "Publish"),
        (again(long), 256, "Publish"),
        (again(long), 8, "Dropped(NoRoom)"),
    ];
    let (mut calls, mut recent, mut output) = (0, Recent::<4, 40>::new(), [0; 256]);
    for (number, (delivery, room, expected)) in deliveries.into_iter().enumerate() {
        let outcome = mqtt::answer(&mut server(), &mut calls, &mut recent, &delivery, &mut output[..room]);
        assert!(format!("{outcome:?}").starts_with(expected), "{number}: {outcome:?}");
    }
}

#[test]
fn a_message_that_the_broker_sends_again_is_handled_once_and_answered_twice() {
    let (mut calls, mut recent) = (0, Recent::<4>::new());
    let mut published = |delivery| published(&mut calls, &mut recent, delivery);
    let again = |data| Delivery { is_dup: true, ..call(data) };
    assert_eq!(published(call(b"1")), count(1));
    assert_eq!(published(again(b"1")), count(1));
    assert_eq!(published(again(b"1")), count(1));
    // equal, but not sent again: another press
    assert_eq!(published(call(b"1")), count(2));
    // the newest one counts
    assert_eq!(published(again(b"1")), count(2));
    // DUP alone proves nothing: the first delivery was lost
    let mut handled = 2;
    for delivery in [
        again(b"2"),
        Delivery { packet_id: Some(8), ..again(b"1") },
        Delivery { packet_id: None, ..again(b"1") },
        Delivery { response_topic: Some("b"), ..again(b"1") },
        Delivery { payload: br#"{"jsonrpc":"2.0","method":"count" ,"id":1}"#, ..again(b"1") },
    ] {
        handled += 1;
        assert_eq!(published(delivery), count(handled), "{delivery:?}");
        assert_eq!(published(delivery), count(handled), "{delivery:?}");
    }
}

#[test]
fn a_message_without_data_or_identifier_that_the_broker_sends_again_is_a_duplicate() {
    let (mut calls, mut recent) = (0, Recent::<4>::new());
    for (at, first) in [
        Delivery { correlation_data: None, ..call(b"") },
        Delivery { packet_id: None, ..call(b"x") },
        Delivery { response_topic: None, correlation_data: None, payload: NOTIFICATION, ..call(b"") },
    ]
    .into_iter()
    .enumerate()
    {
        for (is_dup, handled) in [(false, 1), (true, 1), (false, 2)] {
            let delivery = Delivery { is_dup, ..first };
            let before = u32::try_from(at * 2).expect("a few");
            let mut output = [0; 128];
            let outcome = mqtt::answer(&mut server(), &mut calls, &mut recent, &delivery, &mut output);
            assert_eq!(calls, before + handled, "{delivery:?}");
            let is_silent = first.payload == NOTIFICATION;
            assert_eq!(outcome == mqtt::Outcome::Dropped(Dropped::Duplicate), is_silent && is_dup, "{outcome:?}");
        }
    }
}

#[test]
fn an_equal_message_is_a_duplicate_while_the_window_of_the_program_is_open() {
    let (mut calls, mut recent) = (0, Recent::<4>::new().within(100));
    let mut published = |delivery| published(&mut calls, &mut recent, delivery);
    // a client that reconnects sends the message again: no DUP, another identifier
    let at = |now, packet_id| Delivery { now, packet_id: Some(packet_id), ..call(b"1") };
    assert_eq!(published(at(1000, 1)), count(1));
    assert_eq!(published(at(1000, 2)), count(1));
    assert_eq!(published(at(1099, 3)), count(1));
    assert_eq!(published(Delivery { correlation_data: Some(b"2"), ..at(1099, 3) }), count(2));
    // a duplicate does not extend the window
    assert_eq!(published(at(1100, 4)), count(3));
    assert_eq!(published(at(1199, 5)), count(3));
    // the broker sends the first message again, long after the window
    assert_eq!(published(Delivery { is_dup: true, ..at(u64::MAX, 1) }), count(1));
    // a clock that was set back
    assert_eq!(published(at(5, 6)), count(4));
    // no window
    let (mut calls, mut recent) = (0, Recent::<4>::new());
    for handled in 1..4 {
        assert_eq!(crate::published(&mut calls, &mut recent, at(1000, 1)), count(handled));
    }
}

#[test]
fn a_duplicate_whose_answer_is_lost_gets_an_error_for_each_call() {
    let lost = |id| {
        let error = r#"{"code":-32000,"message":"Duplicate of a call whose answer is lost"}"#;
        assert_eq!(serde_json::to_string(&mqtt::ANSWER_LOST).expect("JSON"), error);
        format!(r#"{{"jsonrpc":"2.0","error":{error},"id":{id}}}"#)
    };
    let (mut calls, mut recent) = (0, Recent::<4, 37>::new());
    let again = |data| Delivery { is_dup: true, ..call(data) };
    assert_eq!(published(&mut calls, &mut recent, call(b"1")), count(1));
    assert_eq!(published(&mut calls, &mut recent, again(b"1")), count(1));
    // the answers have room for one
    assert_eq!(published(&mut calls, &mut recent, call(b"2")), count(2));
    assert_eq!(published(&mut calls, &mut recent, again(b"1")), lost(1));
    assert_eq!(published(&mut calls, &mut recent, again(b"2")), count(2));
    // an answer that is longer than the table displaces no other one
    let batch = [b"[", CALL, b",", NOTIFICATION, b",", CALL, b"]"].concat();
    let batch = Delivery { payload: &batch, ..call(b"3") };
    assert_eq!(published(&mut calls, &mut recent, batch), format!("[{},{}]", count(3), count(5)));
    let again_batch = Delivery { is_dup: true, ..batch };
    assert_eq!(published(&mut calls, &mut recent, again_batch), format!("[{},{}]", lost(1), lost(1)));
    assert_eq!(published(&mut calls, &mut recent, again(b"2")), count(2));
    assert_eq!(calls, 5);
    // no room for the error, and then for the stored answer
    for (delivery, len) in [(again(b"1"), 77), (again(b"2"), count(2).len())] {
        for room in 0..len {
            let mut output = vec![0; room];
            match mqtt::answer(&mut server(), &mut calls, &mut recent, &delivery, &mut output) {
                mqtt::Outcome::Dropped(Dropped::NoRoom) => {}
                // the refusal may fit where the shortest answer under the id would not
                mqtt::Outcome::Publish(publish) => assert!(publish.payload.ends_with(b"\"id\":null}"), "{room}"),
                outcome => panic!("{room}: {outcome:?}"),
            }
        }
    }
    assert_eq!(calls, 5);
}

#[test]
fn an_unreadable_text_takes_no_slot() {
    let (mut calls, mut recent) = (0, Recent::<1>::new().within(9));
    assert_eq!(published(&mut calls, &mut recent, call(b"1")), count(1));
    for text in [&b"garbage"[..], b"", b"{}", b"[]", b"[{}]", b"[1,"] {
        let unreadable = Delivery { payload: text, ..call(b"2") };
        for _ in 0..2 {
            assert!(published(&mut calls, &mut recent, unreadable).contains("-32"), "{}", text.escape_ascii());
        }
        assert_eq!(published(&mut calls, &mut recent, call(b"1")), count(1), "{}", text.escape_ascii());
    }
    assert_eq!(calls, 1);
}

/// A table as a list, which drops the oldest answers while they are too long, and the oldest calls while they are too many.
#[test]
fn the_table_keeps_the_newest_calls_and_answers_of_a_model() {
    const ROOM: usize = 20;
    fn check<const N: usize>(mut state: u32) {
        let mut recent = Recent::<N, ROOM>::new();
        // the id, the answer, and whether it is lost
        let mut model: Vec<(u8, Option<Vec<u8>>, bool)> = vec![];
        for round in 0..2000_u32 {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let [_, id, len, byte] = state.to_le_bytes();
            let answer = (len % 4 != 0).then(|| vec![byte; usize::from(len) % 23]);
            recent.insert(&[&[id % 5]], answer.as_deref());
            let is_long = answer.as_ref().is_some_and(|answer| answer.len() > ROOM);
            model.push((id % 5, answer, is_long));
            if model.len() > N {
                model.remove(0);
            }
            let kept = |model: &[(u8, Option<Vec<u8>>, bool)]| {
                model.iter().filter(|call| !call.2).filter_map(|call| call.1.as_ref()).map(Vec::len).sum::<usize>()
            };
            while kept(&model) > ROOM {
                let oldest = model.iter_mut().find(|call| !call.2 && call.1.is_some());
                oldest.expect("an answer").2 = true;
            }
            for id in 0..6 {
                let call = model.iter().rev().find(|call| call.0 == id);
                let expected = call.map(|call| match &call.1 {
                    None => StoredAnswer::Silent,
                    Some(_) if call.2 => StoredAnswer::Lost,
                    Some(answer) => StoredAnswer::Kept(answer),
                });
                assert_eq!(recent.find(&[&[id]]), expected, "{N} {round} {id}");
            }
        }
    }
    (1..20).for_each(|seed| {
        check::<0>(seed);
        check::<1>(seed);
        check::<3>(seed);
        check::<8>(seed);
    });
}

#[test]
fn the_table_compares_whole_parts_under_any_key() {
    for key in [0, 1, u64::MAX] {
        let mut recent = Recent::<4, 8>::new().keyed_by(key);
        let others: [&[&[u8]]; 6] =
            [&[b"a", b"bc"], &[b"abc"], &[b"ab", b"c", b""], &[b"", b"ab", b"c"], &[b"ab", b"c\0"], &[]];
        recent.insert(&[b"ab", b"c"], None);
        assert!(others.iter().all(|parts| recent.find(parts).is_none()), "{key}");
        assert_eq!(recent.find(&[b"ab", b"c"]), Some(StoredAnswer::Silent));
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
        if recent.find(&[b"1", CALL]).is_some() {
            return true;
        }
        let nats::Outcome::Unaddressed(answer) = nats::answer(&mut server, &mut calls, CALL, None, &mut output) else {
            return false;
        };
        recent.insert(&[b"1", CALL], Some(answer));
        true
    };
    assert_eq!([is_acknowledged(0), is_acknowledged(128), is_acknowledged(128)], [false, true, true]);
    assert_eq!(calls, 1);
    // a request has an answer for its sender, and a notification has none
    let (mut output, mut unused) = (vec![0; 128], vec![0; 128]);
    calls = 0;
    let outcome = nats::answer(&mut server, &mut calls, CALL, Some("a"), &mut output);
    assert_eq!(outcome, nats::Outcome::Publish { subject: "a", payload: ANSWER });
    assert_eq!(nats::answer(&mut server, &mut calls, NOTIFICATION, None, &mut unused), nats::Outcome::Silent);
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

#[test]
fn a_topic_of_another_layout_names_no_server() {
    for topic in ["", "a", "$mcp-server/a1/x", "$mcp-server/presence/", "$mcp-server/presence/a1", "$mcp-rpc/c9/a1/x"] {
        assert_eq!(mcp::server_in(topic), None, "{topic}");
    }
    for topic in ["", "a", "$mcp-rpc/", "$mcp-rpc/c9", "$mcp-rpc/c9/a1", "$mcp-server/presence/a1/x"] {
        assert_eq!(mcp::client_in(topic), None, "{topic}");
    }
}

#[test]
fn a_message_is_published_to_a_valid_topic_only() {
    use TopicErrorKind::{Empty, Wildcard};
    assert_eq!(fault(Publish::new("a/#", b"")), (Wildcard, 2));
    assert_eq!(fault(Publish::retained("", b"1")), (Empty, 0));
    assert_eq!(fault(Publish::cleared("+")), (Wildcard, 0));
    assert_eq!(fault(Publish::call("a/#", b"", "b", b"1", None)), (Wildcard, 2));
    assert_eq!(fault(Publish::call("a", b"", "bc+", b"1", None)), (Wildcard, 2));
}

#[test]
fn valid_parts_do_not_make_a_topic_longer_than_the_longest() {
    let half = "a".repeat(32_763);
    let layout = mqtt::Layout { prefix: &half, name: &half };
    assert_eq!(layout.requests::<70_000>().map(|topic| topic.len()), Ok(2 * half.len() + "//rpc".len()));
    let layout = mqtt::Layout { prefix: &half, name: &"a".repeat(32_768) };
    assert_eq!(fault(layout.requests::<70_000>()), (TopicErrorKind::TooLong, 65_535));
}
