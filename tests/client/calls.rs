//! The client: ids, whole messages, and the match of responses with calls.

use std::collections::HashMap;

use crate::cases::cases;
use crate::written_by::written_by;
use nanojsonrpc::client::{Addressee, Answer, Client, Incoming};
use nanojsonrpc::{Dialect, Envelope, ErrorCode, ErrorKind, Id, RawValue, Request, Writer};
use proptest::prelude::*;

/// A response with this id, given as JSON.
fn response(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","result":0,"id":{id}}}"#)
}

/// The result of `client` for a response with this id, given as JSON.
fn answer<T, const N: usize, const ID: usize>(client: &mut Client<T, N, ID>, id: &str) -> Answer<T> {
    client.accept(&Envelope::parse(response(id).as_bytes()).expect("a response")).expect("a response")
}

/// The output of `write`, as text.
fn text(write: impl FnOnce(&mut Writer<'_>)) -> String {
    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    write(&mut out);
    str::from_utf8(out.written()).expect("text").to_string()
}

/// Makes a call with this tag, in a buffer that is large enough.
fn call<T, const N: usize, const ID: usize>(client: &mut Client<T, N, ID>, tag: T) -> i64 {
    client.call("m", &(), tag, &mut Writer::new(&mut [0; 64])).expect("a call")
}

fn own(id: &str) -> Request<'static> {
    Request::new(Id::read(RawValue::parse(id.as_bytes()).expect("JSON")).expect("an id"), "m")
}

/// Makes a call with this id, given as JSON.
fn request<T, const N: usize, const ID: usize>(
    client: &mut Client<T, N, ID>,
    id: &str,
    tag: T,
) -> Result<(), ErrorKind> {
    client.request(&own(id), tag, &mut Writer::new(&mut [0; 256])).map_err(|refused| refused.error.kind())
}

#[test]
fn a_client_without_room_for_strings_matches_integers() {
    let mut client: Client<char, 3, 0> = Client::new();
    assert_eq!(call(&mut client, 'a'), 1);
    assert_eq!(request(&mut client, "-9223372036854775808", 'b'), Ok(()));
    assert_eq!(call(&mut client, 'c'), 2);
    assert_eq!(request(&mut client, "\"\"", 'd'), Err(ErrorKind::TooManyCalls));
    let mut received = |id: &str| match client.receive(response(id).as_bytes()).next() {
        Some(Incoming::Response(answer, _)) => Ok(answer),
        Some(Incoming::Refused(rejection, _)) => Err(Some(rejection.kind())),
        _ => Err(None),
    };
    assert_eq!(received("\"1\""), Err(Some(ErrorKind::IdTooLong)));
    assert_eq!(received("-9223372036854775808"), Ok(Answer::To('b')));
    assert_eq!(request(&mut client, "\"x\"", 'd'), Err(ErrorKind::IdTooLong));
    let mut accepted = |id: &str| client.accept(&Envelope::parse(response(id).as_bytes()).expect("a response"));
    assert_eq!(accepted("\"2\""), Some(Answer::Misspelled('c')));
    assert_eq!(accepted("2"), Some(Answer::Duplicate));
    assert!(client.cancel(&1.into()).is_none(), "its refused answer has ended it");
    let mut client = client.with_dialect(Dialect::JSON_RPC.with_any_spelling());
    assert_eq!(call(&mut client, 'e'), 3);
    let mut accepted = |id: &str| client.accept(&Envelope::parse(response(id).as_bytes()).expect("a response"));
    assert_eq!((accepted("\"3\""), accepted("3.0")), (Some(Answer::To('e')), Some(Answer::Duplicate)));
}

#[test]
fn calls_are_numbered_from_1() {
    let mut client: Client<char, 3> = Client::new();
    assert!(client.is_empty());
    let written = text(|out| {
        assert_eq!(client.call("subtract", &[42, 23], 'a', out), Ok(1));
        assert_eq!(client.call("subtract", &(), 'b', out), Ok(2));
        assert_eq!(client.call("subtract", &["x"], 'c', out), Ok(3));
    });
    assert_eq!(
        written,
        concat!(
            r#"{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}"#,
            r#"{"jsonrpc":"2.0","method":"subtract","id":2}"#,
            r#"{"jsonrpc":"2.0","method":"subtract","params":["x"],"id":3}"#
        )
    );
    let mut in_flight: Vec<_> = client.in_flight().map(|(id, tag)| (id.as_i64(), *tag)).collect();
    in_flight.sort_unstable();
    assert_eq!(in_flight, [(Some(1), 'a'), (Some(2), 'b'), (Some(3), 'c')]);
    assert_eq!((client.len(), client.is_empty()), (3, false));
}

#[test]
fn a_client_can_be_a_static() {
    static CLIENT: std::sync::Mutex<Client<u8, 4>> =
        std::sync::Mutex::new(Client::new().with_first_id(7).with_dialect(Dialect::MCP.with_any_spelling()));
    assert_eq!(call(&mut CLIENT.lock().expect("the client"), 0), 7);
}

#[test]
fn only_params_that_are_null_are_left_out() {
    let client: Client<(), 0> = Client::new().with_dialect(Dialect::CAUCE);
    let null = written_by(|place| place.value(&RawValue::NULL));
    let nested = written_by(|place| place.object(|params| params.member("params", &RawValue::NULL)));
    let written = text(|out| {
        client.notify("m", &RawValue::NULL, out).expect("room");
        client.notify("m", &null, out).expect("room");
        client.notify("m", &nested, out).expect("room");
        client.notify("m", "null", out).expect("room");
        client.notify("m", ",\"params\":null", out).expect("room");
        client.notify(",\"params\":null", &(), out).expect("room");
    });
    assert_eq!(
        written,
        concat!(
            r#"{"jsonrpc":"2.0","method":"m"}"#,
            r#"{"jsonrpc":"2.0","method":"m"}"#,
            r#"{"jsonrpc":"2.0","method":"m","params":{"params":null}}"#,
            r#"{"jsonrpc":"2.0","method":"m","params":"null"}"#,
            r#"{"jsonrpc":"2.0","method":"m","params":",\"params\":null"}"#,
            r#"{"jsonrpc":"2.0","method":",\"params\":null"}"#
        )
    );
}

#[test]
fn a_response_answers_its_call_once() {
    let mut client: Client<char, 4> = Client::new();
    for tag in ['a', 'b', 'c'] {
        call(&mut client, tag);
    }
    assert_eq!(answer(&mut client, "2"), Answer::To('b'));
    assert_eq!(answer(&mut client, "2"), Answer::Duplicate);
    assert_eq!(answer(&mut client, "3"), Answer::To('c'));
    // only an error without an id is for the only call
    assert_eq!(answer(&mut client, "null"), Answer::NullId);
    assert_eq!(answer(&mut client, "1"), Answer::To('a'));
    for id in ["1", "2", "3", "\"1\"", "1.0"] {
        assert_eq!(answer(&mut client, id), Answer::Duplicate, "{id}");
    }
    for id in ["4", "0", "-1", "9223372036854775807", "-9223372036854775808", "1e0", "\"\"", "\"x\""] {
        assert_eq!(answer(&mut client, id), Answer::Unknown, "{id}");
    }
    assert_eq!(answer(&mut client, "null"), Answer::NullId);
    assert!(client.is_empty());
}

#[test]
fn an_error_response_answers_its_call_as_a_result_does() {
    let mut client: Client<char, 1> = Client::new();
    call(&mut client, 'a');
    let null = br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}"#;
    assert_eq!(client.accept(&Envelope::parse(null).expect("a response")), Some(Answer::To('a')));
    call(&mut client, 'b');
    let error = br#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":2}"#;
    let response = Envelope::parse(error).expect("a response");
    assert_eq!(client.accept(&response), Some(Answer::To('b')));
    assert_eq!(response.error_object().map(|error| error.code), Some(ErrorCode::METHOD_NOT_FOUND));
}

#[test]
fn ids_match_exactly() {
    let mut client: Client<&str, 4> = Client::new();
    for id in ["1", "\"1\"", "1.0", "1e0"] {
        assert_eq!(request(&mut client, id, id), Ok(()));
    }
    for id in ["1E0", "\"1.0\"", "\"1 \""] {
        assert_eq!(answer(&mut client, id), Answer::Unknown, "{id}");
    }
    for id in ["1e0", "1.0", "\"\\u0031\""] {
        let tag = if id.starts_with('"') { "\"1\"" } else { id };
        assert_eq!(answer(&mut client, id), Answer::To(tag), "{id}");
    }
    assert_eq!(answer(&mut client, "1.00"), Answer::Misspelled("1"));
    assert!(client.is_empty());
}

#[test]
fn a_lenient_client_takes_the_number_in_another_spelling() {
    let mut client: Client<i64, 8> =
        Client::new().with_first_id(-10).with_dialect(Dialect::JSON_RPC.with_any_spelling());
    for number in [-10, -9, -8] {
        assert_eq!(call(&mut client, number), number);
    }
    let others =
        ["\"-010\"", "\"--10\"", "\" -10\"", "\"-10 \"", "\"-10.0\"", "-1e1", "-10.01", "\"\"", "\"-\"", "-10.1"];
    for id in others {
        assert_eq!(answer(&mut client, id), Answer::Unknown, "{id}");
    }
    assert_eq!(answer(&mut client, "\"-10\""), Answer::To(-10));
    assert_eq!(answer(&mut client, "-9.000"), Answer::To(-9));
    assert_eq!(answer(&mut client, "-8"), Answer::To(-8));
    for id in ["-10", "\"-10\"", "-10.0", "\"-9\"", "-8.0"] {
        assert_eq!(answer(&mut client, id), Answer::Duplicate, "{id}");
    }

    let mut client: Client<i64, 8> = Client::new().with_first_id(0).with_dialect(Dialect::JSON_RPC.with_any_spelling());
    assert_eq!(call(&mut client, 0), 0);
    for id in ["\"-0\"", "-0", "-0.0", "\"00\"", "\"+0\""] {
        assert_eq!(answer(&mut client, id), Answer::Unknown, "{id}");
    }
    assert_eq!(answer(&mut client, "0.00"), Answer::To(0));
}

#[test]
fn a_lenient_client_prefers_the_exact_id() {
    let mut client: Client<char, 4> = Client::new().with_dialect(Dialect::JSON_RPC.with_any_spelling());
    assert_eq!(call(&mut client, 'n'), 1);
    assert_eq!(request(&mut client, "\"1\"", 's'), Ok(()));
    assert_eq!(request(&mut client, "1.0", 'd'), Ok(()));
    assert_eq!(answer(&mut client, "\"1\""), Answer::To('s'));
    // not the number's answer, as long as the string is remembered
    assert_eq!(answer(&mut client, "\"1\""), Answer::Duplicate);
    assert_eq!(answer(&mut client, "1.0"), Answer::To('d'));
    assert_eq!(answer(&mut client, "1.0"), Answer::Duplicate);
    assert_eq!(answer(&mut client, "1.00"), Answer::To('n'));
    for id in ["\"1\"", "1", "1.0", "1.00"] {
        assert_eq!(answer(&mut client, id), Answer::Duplicate, "{id}");
    }
}

#[test]
fn an_id_in_flight_is_not_given_twice() {
    let mut client: Client<char, 4> = Client::new();
    assert_eq!(request(&mut client, "1", 'a'), Ok(()));
    assert_eq!(request(&mut client, "1", 'b'), Err(ErrorKind::IdInFlight));
    assert_eq!(request(&mut client, "\"x\"", 'c'), Ok(()));
    assert_eq!(request(&mut client, "\"x\"", 'd'), Err(ErrorKind::IdInFlight));
    assert_eq!(call(&mut client, 'e'), 2);
    assert_eq!(request(&mut client, "2", 'f'), Err(ErrorKind::IdInFlight));
    assert_eq!(answer(&mut client, "\"x\""), Answer::To('c'));
    assert_eq!(answer(&mut client, "\"x\""), Answer::Duplicate);
    assert_eq!(request(&mut client, "\"x\"", 'g'), Ok(()));
    assert_eq!(answer(&mut client, "\"x\""), Answer::To('g'));
    assert_eq!(client.len(), 2);
}

#[test]
fn an_id_that_cannot_be_remembered_is_refused() {
    let mut client: Client<char, 4, 3> = Client::new();
    assert_eq!(request(&mut client, "null", 'a'), Err(ErrorKind::InvalidId));
    assert_eq!(request(&mut client, "\"abcd\"", 'a'), Err(ErrorKind::IdTooLong));
    assert_eq!(request(&mut client, "1.25", 'a'), Err(ErrorKind::IdTooLong));
    assert!(client.is_empty());
    let written = text(|out| {
        assert_eq!(client.request(&own("\"abcd\""), 'a', out).map_err(|refused| refused.error.offset()), Err(3));
    });
    assert_eq!(written, "");
    for (id, tag) in [("\"abc\"", 'a'), ("1.5", 'b'), ("-9223372036854775808", 'c')] {
        assert_eq!(request(&mut client, id, tag), Ok(()));
        assert_eq!(answer(&mut client, id), Answer::To(tag));
    }
}

#[test]
fn a_finished_id_of_the_callers_own_is_known_until_its_place_is_taken() {
    let mut client: Client<u8, 3> = Client::new();
    assert_eq!(request(&mut client, "\"a\"", 0), Ok(()));
    assert_eq!(answer(&mut client, "\"a\""), Answer::To(0));
    // one call at a time takes turns with the places
    for tag in [1, 2] {
        let id = call(&mut client, tag);
        assert_eq!(answer(&mut client, "\"a\""), Answer::Duplicate);
        assert_eq!(client.cancel(&id.into()), Some(tag));
    }
    call(&mut client, 3);
    assert_eq!(answer(&mut client, "\"a\""), Answer::Unknown);
    // numbers are counted
    assert_eq!(answer(&mut client, "1"), Answer::Duplicate);
}

#[test]
fn the_count_goes_on_with_1_behind_the_greatest_number() {
    const MAX: i64 = (1 << 53) - 1;
    let mut client: Client<char, 4> = Client::new().with_first_id(MAX - 1);
    assert_eq!(request(&mut client, "1", 'o'), Ok(()));
    assert_eq!([call(&mut client, 'a'), call(&mut client, 'b'), call(&mut client, 'c')], [MAX - 1, MAX, 2]);
    assert_eq!(answer(&mut client, &MAX.to_string()), Answer::To('b'));
    assert_eq!(answer(&mut client, &(MAX - 1).to_string()), Answer::To('a'));
    assert_eq!(answer(&mut client, "2"), Answer::To('c'));
    assert_eq!(answer(&mut client, "2"), Answer::Duplicate);
    assert_eq!(answer(&mut client, "3"), Answer::Unknown);
    assert_eq!(answer(&mut client, "1"), Answer::To('o'));
    // numbers before the first one were never given
    let mut client: Client<char, 4> = Client::new().with_first_id(7);
    assert_eq!(call(&mut client, 'a'), 7);
    assert_eq!([answer(&mut client, "6"), answer(&mut client, "7")], [Answer::Unknown, Answer::To('a')]);
    // the new count is known without the table
    let mut client: Client<char, 1> = Client::new().with_first_id(MAX);
    for id in [MAX, 1, 2] {
        assert_eq!(call(&mut client, 'a'), id);
        assert_eq!(answer(&mut client, &id.to_string()), Answer::To('a'));
    }
    assert_eq!([answer(&mut client, "1"), answer(&mut client, "3")], [Answer::Duplicate, Answer::Unknown]);
}

/// A clock in nanoseconds, for example: the ids after it would not tell an earlier start from this one.
#[test]
fn of_a_first_id_that_not_every_reader_keeps_exact_the_lower_bits_count() {
    const MAX: i64 = (1 << 53) - 1;
    for (first, ids) in [
        (MAX + 1, [0, 1]),
        (MAX + 8, [7, 8]),
        (i64::MAX, [MAX, 1]),
        (1_764_208_060_000_000_000, [7_804_205_325_506_560, 7_804_205_325_506_561]),
        (-MAX, [-MAX, 1 - MAX]),
        (-MAX - 1, [0, 1]),
        (i64::MIN, [0, 1]),
    ] {
        let mut client: Client<char, 4> = Client::new().with_first_id(first);
        assert_eq!([call(&mut client, 'a'), call(&mut client, 'b')], ids, "{first}");
        assert_eq!(answer(&mut client, &ids[0].to_string()), Answer::To('a'));
        assert_eq!(answer(&mut client, &ids[0].to_string()), Answer::Duplicate);
    }
}

#[test]
fn a_full_table_is_an_error_that_names_its_capacity() {
    let mut client: Client<u8, 2> = Client::new();
    call(&mut client, 0);
    call(&mut client, 1);
    let written = text(|out| {
        let error = client.call("m", &(), 2, out).expect_err("full").error;
        assert_eq!((error.kind(), error.offset()), (ErrorKind::TooManyCalls, 2));
        assert_eq!((error.kind().as_str(), error.code()), ("too many calls in flight", ErrorCode::INTERNAL_ERROR));
        assert_eq!(
            client.request(&own("9"), 2, out).map_err(|refused| refused.error.kind()),
            Err(ErrorKind::TooManyCalls)
        );
        // its own fault comes before the table's
        assert_eq!(
            client.request(&own("2"), 2, out).map_err(|refused| refused.error.kind()),
            Err(ErrorKind::IdInFlight)
        );
    });
    assert_eq!(written, "");
    assert_eq!(answer(&mut client, "3"), Answer::Unknown);
    assert_eq!(answer(&mut client, "1"), Answer::To(0));
    assert_eq!(call(&mut client, 2), 3);
    let mut none: Client<u8, 0> = Client::new();
    let error = none.call("m", &(), 0, &mut Writer::new(&mut [0; 64])).expect_err("no room").error;
    assert_eq!((error.kind(), error.offset()), (ErrorKind::TooManyCalls, 0));
}

#[test]
fn a_call_is_written_and_remembered_or_neither() {
    let whole = r#"{"jsonrpc":"2.0","method":"sum","params":[1,2],"id":1}"#;
    let string = r#"{"jsonrpc":"2.0","method":"m","id":"abc"}"#;
    for room in (0..=whole.len()).step_by(if cfg!(miri) { 7 } else { 1 }) {
        let mut client: Client<char, 1> = Client::new();
        let mut buffer = [0; 64];
        let mut out = Writer::new(&mut buffer[..room]);
        let result = client.call("sum", &[1, 2], 'a', &mut out);
        if room == whole.len() {
            assert_eq!((result, out.written(), client.len()), (Ok(1), whole.as_bytes(), 1));
            continue;
        }
        assert_eq!(result.map_err(|refused| refused.error.kind()), Err(ErrorKind::OutputFull), "{room} bytes");
        assert_eq!((out.len(), client.len()), (0, 0), "{room} bytes");
        assert_eq!(answer(&mut client, "1"), Answer::Unknown, "{room} bytes");
        let mut out = Writer::new(&mut buffer[..room.min(string.len() - 1)]);
        assert!(client.request(&own("\"abc\""), 'a', &mut out).is_err(), "{room} bytes");
        assert_eq!((out.len(), client.len()), (0, 0), "{room} bytes");
        // the id was not used up
        assert_eq!(call(&mut client, 'b'), 1);
    }
    let mut client: Client<char, 1> = Client::new();
    let written = text(|out| {
        assert_eq!(
            client.call("", &(), 'a', out).map_err(|refused| refused.error.kind()),
            Err(ErrorKind::InvalidMethod)
        );
        assert_eq!(client.notify("", &(), out).map_err(|error| error.kind()), Err(ErrorKind::InvalidMethod));
    });
    assert_eq!((written.as_str(), client.len()), ("", 0));
}

#[test]
fn a_batch_is_answered_in_any_order() {
    let mut client: Client<char, 4> = Client::new();
    let written = text(|out| {
        out.value(&0).expect("room");
        let mut batch = client.batch(out);
        assert!(batch.is_empty());
        assert_eq!(batch.call("a", &[1], 'a'), Ok(1));
        assert_eq!(batch.notify("b", &(1, 2)), Ok(()));
        assert_eq!(batch.request(&own("\"x\""), 'x'), Ok(()));
        assert_eq!(batch.call("c", &(), 'c'), Ok(2));
        assert_eq!((batch.is_empty(), batch.len(), batch.finish()), (false, 4, 4));
    });
    assert_eq!(
        written,
        concat!(
            r#"0[{"jsonrpc":"2.0","method":"a","params":[1],"id":1},{"jsonrpc":"2.0","method":"b","params":[1,2]},"#,
            r#"{"jsonrpc":"2.0","method":"m","id":"x"},{"jsonrpc":"2.0","method":"c","id":2}]"#
        )
    );
    let text = format!("[{},{},1,{},{}]", response("2"), response("\"x\""), response("1"), response("2"));
    let answers: Vec<_> = client
        .receive(text.as_bytes())
        .map(|incoming| match incoming {
            Incoming::Response(answer, response) => Ok((answer, response.id.to_string())),
            Incoming::Refused(rejection, _) => Err(rejection.kind()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        answers,
        [
            Ok((Answer::To('c'), "2".into())),
            Ok((Answer::To('x'), "x".into())),
            Err(ErrorKind::NotAMessage),
            Ok((Answer::To('a'), "1".into())),
            Ok((Answer::Duplicate, "2".into())),
        ]
    );
}

#[test]
fn a_batch_that_is_not_finished_is_taken_back() {
    let mut client: Client<char, 4> = Client::new();
    call(&mut client, 'z');
    let written = text(|out| {
        out.value(&7).expect("room");
        let mut batch = client.batch(out);
        batch.call("a", &(), 'a').expect("room");
        batch.request(&own("\"x\""), 'x').expect("room");
        drop(batch);
        assert_eq!(client.batch(out).finish(), 0);
    });
    assert_eq!((written.as_str(), client.len()), ("7", 1));
    // given, but never sent: not to be taken for a stranger's
    assert_eq!(answer(&mut client, "2"), Answer::Duplicate);
    assert_eq!(answer(&mut client, "\"x\""), Answer::Duplicate);
    assert_eq!(answer(&mut client, "1"), Answer::To('z'));
    assert_eq!(call(&mut client, 'b'), 3);
}

#[test]
fn what_does_not_fit_a_batch_leaves_the_rest_of_it_whole() {
    let element = r#"{"jsonrpc":"2.0","method":"m","id":1}"#.len();
    // brackets and a comma
    for room in (0..=2 * element + 3).step_by(if cfg!(miri) { 7 } else { 1 }) {
        let mut client: Client<char, 4> = Client::new();
        let mut buffer = [0; 128];
        let mut out = Writer::new(&mut buffer[..room]);
        let mut batch = client.batch(&mut out);
        let first = batch.call("m", &(), 'a').is_ok();
        let notified =
            batch.notify("m", &"a long text that is too long for what is left of the buffer, however long it is");
        assert_eq!(notified.map_err(|error| error.kind()), Err(ErrorKind::OutputFull));
        let second = batch.call("m", &(), 'b').is_ok();
        let third = batch.call("m", &(), 'c').is_ok();
        assert_eq!((first, second, third), (room >= element + 2, room == 2 * element + 3, false), "{room} bytes");
        assert_eq!(batch.finish(), usize::from(first) + usize::from(second));
        assert_eq!(client.len(), usize::from(first) + usize::from(second));
        match out.written() {
            b"" => assert!(!first),
            written => assert!(RawValue::parse(written).is_ok_and(|batch| batch.elements().count() == client.len())),
        }
    }
    let mut client: Client<char, 1> = Client::new();
    let written = text(|out| {
        let mut batch = client.batch(out);
        assert_eq!(batch.call("a", &(), 'a'), Ok(1));
        assert_eq!(batch.call("b", &(), 'b').map_err(|refused| refused.error.kind()), Err(ErrorKind::TooManyCalls));
        assert_eq!(batch.request(&own("1"), 'c').map_err(|refused| refused.error.kind()), Err(ErrorKind::IdInFlight));
        assert_eq!(batch.notify("d", &()), Ok(()));
        assert_eq!(batch.finish(), 2);
    });
    assert_eq!(written, r#"[{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"d"}]"#);
}

#[test]
fn a_batch_is_no_longer_than_the_dialect_allows() {
    let mut client: Client<char, 4> = Client::new().with_dialect(Dialect::MCP);
    let written = text(|out| {
        let mut batch = client.batch(out);
        assert_eq!(batch.call("a", &(), 'a').map_err(|refused| refused.error.kind()), Err(ErrorKind::BatchNotAllowed));
        assert_eq!(batch.finish(), 0);
    });
    assert_eq!((written.as_str(), client.len()), ("", 0));
    let mut client: Client<char, 4> = Client::new().with_dialect(Dialect::JSON_RPC.with_max_batch(2));
    let written = text(|out| {
        let mut batch = client.batch(out);
        assert_eq!(batch.call("a", &(), 'a'), Ok(1));
        assert_eq!(batch.notify("b", &()), Ok(()));
        assert_eq!(batch.notify("c", &()).map_err(|error| error.kind()), Err(ErrorKind::BatchTooLong));
        assert_eq!(batch.request(&own("7"), 'd').map_err(|refused| refused.error.kind()), Err(ErrorKind::BatchTooLong));
        assert_eq!(batch.finish(), 2);
    });
    assert_eq!(written, r#"[{"jsonrpc":"2.0","method":"a","id":1},{"jsonrpc":"2.0","method":"b"}]"#);
}

#[test]
fn what_the_server_sends_by_itself_is_handed_back() {
    let mut client: Client<char, 2> = Client::new().with_dialect(Dialect::MCP);
    call(&mut client, 'a');
    let mut one = |text: &str| {
        let mut received = client.receive(text.as_bytes());
        let shown = match received.next().expect("something") {
            Incoming::Request(request) => format!("request {} {}", request.method, request.id),
            Incoming::Notification(notification) => format!("notification {}", notification.method),
            Incoming::Response(answer, response) => format!("{answer:?} {}", response.id),
            Incoming::Refused(rejection, answer) => {
                format!("{rejection}, id {}, {answer:?}", rejection.id.map_or("null", |id| id.as_json()))
            }
        };
        assert!(received.next().is_none() && received.next().is_none(), "{text}");
        shown
    };
    assert_eq!(one(r#"{"jsonrpc":"2.0","method":"ping","id":1}"#), "request ping 1");
    assert_eq!(one(r#"{"jsonrpc":"2.0","method":"tick"}"#), "notification tick");
    // the client reads by its dialect
    assert_eq!(one(r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#), "To('a') null");
    assert_eq!(one(r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#), "NullId null");
    assert_eq!(one(r#"{"jsonrpc":"2.0","result":0,"id":1}"#), "Duplicate 1");
    assert_eq!(one(r#"{"jsonrpc":"2.0","error":0,"id":1}"#), "invalid error object at byte 25, id 1, Duplicate");
}

/// Texts of a server, and the calls of 1, 2 and "x" that each ends: alone in flight, and all three in flight.
const REFUSED: [(&str, &str, &str); 23] = [
    // the id is read
    (r#"{"id":1,"result":nan}"#, "1", "1"),
    (r#"{"result":[{"a":1},,],"id":1}"#, "1", ""),
    (r#"{"jsonrpc":"2.0","error":0,"id":"\u0078"}"#, "x", "x"),
    (r#"{"error":{"message":"m"},"id":2}"#, "2", "2"),
    (r#"{"id":2,"jsonrpc":"1.0","method":"m","result":0}"#, "2", "2"),
    (r#" [ {"id":1,"result":0},]"#, "1", "1"),
    (r#"{"result":0,"id":"1"} ?"#, "1", "1"),
    (r#"{"id":7,"result":nan}"#, "", ""),
    // a number in place of a name
    (r#"{"id":1,2:3,"result":0}"#, "1", "1"),
    // the id is not read
    (r#"{"result":[net],"id":1}"#, "1", ""),
    (r#"{"jsonrpc":"2.0","result":0,"id":1"#, "1", ""),
    (r#"{"id":""x"","result":0}"#, "x", ""),
    (r#"{"error":[404,"Not Found"]}"#, "1", ""),
    (r#"{"id":null,"error":"text"}"#, "1", ""),
    (r#"{"id":tru,"result":0}"#, "1", ""),
    ("{", "1", ""),
    // a call of the server
    (r#"{"jsonrpc":"2.0","method":"m","params":[nan],"id":1}"#, "", ""),
    (r#"{"id":1,"method":"m","params":nan"#, "", ""),
    (r#"{"method":nan,"id":1}"#, "", ""),
    // no answer
    (r#"{"params":{"a":0},"key":345}"#, "", ""),
    ("[db] Connected", "", ""),
    ("I (345) boot {\"id\":1}", "", ""),
    ("1", "", ""),
];

#[test]
fn a_refused_text_ends_the_call_that_it_may_answer() {
    for (text, alone, together) in REFUSED {
        for id in ["1", "2", "x"] {
            let mut client: Client<&str, 3> = Client::new();
            let own = Request::new(
                if id == "x" { Id::try_from("x").unwrap() } else { id.parse::<i64>().unwrap().into() },
                "m",
            );
            client.request(&own, id, &mut Writer::new(&mut [0; 64])).unwrap();
            let ended: Vec<_> = client.receive(text.as_bytes()).collect();
            let is_ended = matches!(ended[..], [Incoming::Refused(_, Answer::To(_) | Answer::Misspelled(_))]);
            // an id that was not read is that of the only call
            let expected = alone == id || together.is_empty() && !alone.is_empty();
            assert_eq!((is_ended, client.is_empty()), (expected, expected), "{text}: {ended:?}");
        }
        let mut client: Client<&str, 3> = Client::new();
        let mut buffer = [0; 256];
        let mut out = Writer::new(&mut buffer);
        client.call("m", &(), "1", &mut out).unwrap();
        client.call("m", &(), "2", &mut out).unwrap();
        client.request(&Request::new(Id::try_from("x").unwrap(), "m"), "x", &mut out).unwrap();
        let ended: Vec<_> = client.receive(text.as_bytes()).collect();
        let left: Vec<_> = client.in_flight().map(|(_, tag)| *tag).filter(|tag| *tag == together).collect();
        assert_eq!((client.len(), left.len()), (3 - usize::from(!together.is_empty()), 0), "{text}: {ended:?}");
    }
}

#[test]
fn a_call_that_stays_gets_every_answer_and_ends_at_the_word_of_the_program() {
    let mut client: Client<u32, 2> = Client::new();
    assert_eq!(client.keep(&1.into()), None);
    client.call("stream", &(), 0, &mut Writer::new(&mut [0; 64])).unwrap();
    *client.keep(&1.into()).unwrap() = 7;
    let mut accept = |text: &str| match Envelope::parse(text.as_bytes()) {
        Ok(message) => client.accept(&message).unwrap(),
        Err(refused) => client.accept_refused(&refused),
    };
    assert_eq!(accept(&response("1")), Answer::More);
    assert_eq!(accept(&response("\"1\"")), Answer::More);
    assert_eq!(accept(r#"{"id":1,"result":nan}"#), Answer::More);
    assert_eq!(accept(r#"{"result":nan,"id":1}"#), Answer::NullId);
    assert_eq!(accept(r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":null}"#), Answer::NullId);
    assert_eq!((client.cancel(&1.into()), client.is_empty()), (Some(7), true));
}

#[test]
fn an_error_without_an_id_answers_the_batch_that_is_alone_in_flight() {
    let error = r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"m"},"id":null}"#;
    let mut client: Client<char, 4> = Client::new();
    let mut buffer = [0; 512];
    let mut out = Writer::new(&mut buffer);
    for round in 0..4 {
        let mut batch = client.batch(&mut out);
        batch.call("m", &(), 'a').unwrap();
        if round != 3 {
            batch.call("m", &(), 'b').unwrap();
        }
        batch.finish();
        out.clear();
        if round == 1 {
            client.call("m", &(), 'c', &mut out).unwrap();
        }
        if round >= 2 {
            let mut batch = client.batch(&mut out);
            batch.call("m", &(), 'd').unwrap();
            batch.finish();
        }
        out.clear();
        let expected = if round == 0 { Answer::ToBatch } else { Answer::NullId };
        assert_eq!(client.accept(&Envelope::parse(error.as_bytes()).unwrap()), Some(expected), "{round}");
        let [Incoming::Refused(_, answer)] = client.receive(br#"{"error":"none"}"#).collect::<Vec<_>>()[..] else {
            panic!()
        };
        assert_eq!(answer, expected, "{round}");
        client.drain().for_each(drop);
    }
    // no call, and one
    assert_eq!(client.accept(&Envelope::parse(error.as_bytes()).unwrap()), Some(Answer::NullId));
    client.call("m", &(), 'e', &mut Writer::new(&mut [0; 64])).unwrap();
    assert_eq!(client.accept(&Envelope::parse(br#"{"jsonrpc":"2.0","method":"m","id":1}"#).unwrap()), None);
    assert_eq!(client.accept(&Envelope::parse(error.as_bytes()).unwrap()), Some(Answer::To('e')));
}

/// A batch has a number of 16 bits, and three of these numbers mean something else.
#[test]
fn batches_are_told_apart_after_any_number_of_batches() {
    let error = Envelope::parse(br#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":null}"#).unwrap();
    let mut client: Client<char, 3> = Client::new();
    let mut buffer = [0; 256];
    for round in 0..=u16::MAX {
        let mut out = Writer::new(&mut buffer);
        let mut batch = client.batch(&mut out);
        if round < u16::MAX - 8 {
            drop(batch);
            continue;
        }
        let first = batch.call("m", &(), 'a').unwrap();
        batch.call("m", &(), 'b').unwrap();
        batch.call("m", &(), 'c').unwrap();
        batch.finish();
        assert_eq!(answer(&mut client, &first.to_string()), Answer::To('a'), "{round}");
        assert_eq!(client.accept(&error), Some(Answer::ToBatch), "{round}");
        assert_eq!(client.drain().count(), 2, "{round}");
    }
}

#[test]
fn all_that_a_server_may_say_is_told_apart_alone_and_in_a_batch() {
    let mut client: Client<char, 2> = Client::new();
    let said = [
        (r#"{"jsonrpc":"2.0","result":0,"id":1}"#, "To('a') 1"),
        (r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":1}"#, "To('a') 1"),
        (r#"{"jsonrpc":"2.0","method":"ping","id":1}"#, "request ping"),
        (r#"{"jsonrpc":"2.0","method":"tick"}"#, "notification tick"),
        (r#"{"jsonrpc":"2.0","error":0,"id":1}"#, "invalid error object"),
    ];
    for (text, expected) in said {
        for (text, others) in [(text.to_owned(), 0), (format!("[{text}]"), 0), (format!("[1,{text},2]"), 2)] {
            client.drain().for_each(drop);
            client.request(&own("1"), 'a', &mut Writer::new(&mut [0; 64])).unwrap();
            let mut shown: Vec<String> = client
                .receive(text.as_bytes())
                .map(|incoming| match incoming {
                    Incoming::Request(request) => format!("request {}", request.method),
                    Incoming::Notification(notification) => format!("notification {}", notification.method),
                    Incoming::Response(answer, response) => format!("{answer:?} {}", response.id),
                    Incoming::Refused(rejection, _) => rejection.kind().to_string(),
                })
                .collect();
            assert_eq!(shown.len(), 1 + others, "{text}: {shown:?}");
            assert_eq!(shown.swap_remove(others / 2), expected, "{text}");
            assert!(shown.iter().all(|other| *other == ErrorKind::NotAMessage.as_str()), "{shown:?}");
            // only an answer ends a call, even one that is refused
            assert_eq!(client.is_empty(), expected.starts_with("To") || expected.starts_with("invalid"), "{text}");
        }
    }
}

#[test]
fn a_batch_with_a_syntax_error_ends_the_call_of_its_first_response() {
    let mut client: Client<char, 2> = Client::new();
    call(&mut client, 'a');
    let text = format!("[{},]", response("1"));
    let received: Vec<_> = client.receive(text.as_bytes()).collect();
    assert!(
        matches!(&received[..], [Incoming::Refused(refused, Answer::To('a'))] if refused.kind() == ErrorKind::ExpectedValue),
        "{received:?}"
    );
}

#[test]
fn a_cancelled_call_is_not_answered() {
    let mut client: Client<char, 2> = Client::new();
    let id = call(&mut client, 'a');
    assert_eq!(request(&mut client, "\"x\"", 'x'), Ok(()));
    assert_eq!(client.cancel(&Id::Number(7)), None);
    assert_eq!(client.cancel(&Id::Null), None);
    assert_eq!(client.cancel(&id.into()), Some('a'));
    assert_eq!(client.cancel(&id.into()), None);
    assert_eq!(client.cancel(&Id::try_from("x").expect("an id")), Some('x'));
    assert_eq!(answer(&mut client, "1"), Answer::Duplicate);
    assert_eq!(answer(&mut client, "\"x\""), Answer::Duplicate);
}

#[test]
fn a_lost_connection_gives_back_all_calls() {
    let mut client: Client<String, 4> = Client::new();
    for tag in ["a", "b", "c"] {
        call(&mut client, tag.to_string());
    }
    assert_eq!(client.drain().next().map(|(id, tag)| (id.as_i64(), tag)), Some((Some(1), "a".into())));
    assert_eq!(client.len(), 2);
    let rest: Vec<_> = client.drain().map(|(_, tag)| tag).collect();
    assert_eq!((rest, client.len(), client.drain().count()), (vec!["b".to_string(), "c".into()], 0, 0));
    assert_eq!(answer(&mut client, "1"), Answer::Duplicate);
}

#[test]
fn calls_are_ended_by_their_ids_and_tags() {
    let mut client: Client<String, 4> = Client::new();
    for tag in ["a", "b", "a", "c"] {
        call(&mut client, tag.to_string());
    }
    assert_eq!(client.cancel(&Id::Number(4)), Some("c".into()));
    let mut seen = Vec::new();
    let first = client
        .extract_if(|id, tag| {
            seen.push((id.as_i64().unwrap(), tag.clone()));
            tag == "a"
        })
        .next()
        .map(|(id, tag)| (id.as_i64(), tag));
    assert_eq!((first, seen), (Some((Some(1), "a".into())), vec![(1, "a".into())]), "one step reaches one call");
    assert_eq!(client.extract_if(|id, _| id.as_i64() > Some(2)).map(|(_, tag)| tag).collect::<Vec<_>>(), ["a"]);
    assert_eq!(client.in_flight().map(|(id, _)| id.as_i64()).collect::<Vec<_>>(), [Some(2)]);
    assert_eq!(client.extract_if(|_, _| false).count(), 0);
    assert_eq!((answer(&mut client, "3"), answer(&mut client, "2")), (Answer::Duplicate, Answer::To("b".into())));
}

#[test]
fn a_call_expires_at_its_deadline_and_not_before_on_a_clock_that_wraps() {
    for now in [0u32, 1_000, u32::MAX - 250, u32::MAX - 1_000, (1 << 31) - 250, 1 << 31] {
        let at = |ticks: u32| now.wrapping_add(ticks);
        let mut client: Client<u32, 8> = Client::new();
        call(&mut client, 0);
        let mut buffer = [0; 512];
        let mut out = Writer::new(&mut buffer);
        assert_eq!(client.ticks_left(now), None);
        client.until(at(1 << 31)).call("m", &(), 1 << 31, &mut out).expect("room");
        assert_eq!(client.ticks_left(now), Some(1 << 31));
        client.until(at(500)).call("m", &(), 500, &mut out).expect("room");
        client.until(at(300)).request(&own("\"x\""), 300, &mut out).expect("room");
        let mut batch = client.until(at(400)).batch(&mut out);
        batch.call("m", &(), 400).expect("room");
        batch.request(&own("\"y\""), 400).expect("room");
        batch.finish();

        assert_eq!(client.ticks_left(now), Some(300));
        assert_eq!(client.expire(at(299)).count(), 0, "at {now}");
        let (id, tag) = client.expire(at(300)).next().expect("the first deadline");
        assert_eq!((id.as_str(), tag), (Some("x"), 300), "at {now}");
        assert_eq!(client.ticks_left(at(399)), Some(1));
        assert_eq!(client.ticks_left(at(450)), Some(0), "a deadline that has come is still the next one");
        // one that is not selected stays
        assert_eq!(client.expire(at(500)).next().map(|(_, tag)| tag == 400 || tag == 500), Some(true));
        assert_eq!(client.len(), 4);
        assert_eq!(client.expire(at(500)).count(), 2);
        assert_eq!(client.ticks_left(at(500)), Some((1 << 31) - 500));
        assert_eq!(client.expire(at((1 << 31) - 1)).count(), 0, "at {now}");
        assert_eq!(client.expire(at(1 << 31)).map(|(_, tag)| tag).collect::<Vec<_>>(), [1 << 31], "at {now}");
        // without a deadline a call waits forever
        assert_eq!((client.len(), client.ticks_left(now)), (1, None));
        assert_eq!(answer(&mut client, "\"x\""), Answer::Duplicate);
        assert_eq!(answer(&mut client, "1"), Answer::To(0));
    }
}

#[test]
fn a_place_that_had_a_deadline_has_none_for_the_next_call() {
    let mut client: Client<char, 1> = Client::new();
    client.until(5).call("m", &(), 'a', &mut Writer::new(&mut [0; 64])).expect("room");
    assert_eq!(answer(&mut client, "1"), Answer::To('a'));
    call(&mut client, 'b');
    assert_eq!(client.expire(6).count(), 0);
    assert_eq!(client.len(), 1);
}

/// An operation on a client.
#[derive(Clone, Debug)]
enum Step {
    Call { deadline: Option<u32>, room: usize },
    Own { id: usize, deadline: Option<u32> },
    Batch { elements: Vec<Option<usize>>, deadline: Option<u32>, is_finished: bool },
    Answers(Vec<(usize, bool)>),
    Cancel(usize),
    Pass(u32),
    Expire(usize),
    Drain(usize),
}

/// Ids of the caller's own, as JSON.
const OWN: [&str; 6] = ["\"a\"", "\"b\"", "2", "\"3\"", "4.0", "-1"];

fn step() -> impl Strategy<Value = Step> {
    let deadline = || proptest::option::of(0..2_000u32);
    prop_oneof![
        3 => (deadline(), 0..80usize).prop_map(|(deadline, room)| Step::Call { deadline, room: room + 30 }),
        2 => (0..OWN.len(), deadline()).prop_map(|(id, deadline)| Step::Own { id, deadline }),
        2 => (proptest::collection::vec(proptest::option::of(0..OWN.len() + 3), 0..5), deadline(), any::<bool>())
            .prop_map(|(elements, deadline, is_finished)| Step::Batch { elements, deadline, is_finished }),
        4 => proptest::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..5)
            .prop_map(|picks| Step::Answers(picks.into_iter().map(|(pick, lenient)| (pick.index(16), lenient)).collect())),
        1 => (0..16usize).prop_map(Step::Cancel),
        1 => (0..900u32).prop_map(Step::Pass),
        1 => (0..4usize).prop_map(Step::Expire),
        1 => (0..2usize).prop_map(Step::Drain),
    ]
}

/// A simple model of the client.
struct Model {
    in_flight: HashMap<String, (u32, Option<u64>)>,
    next: i64,
    /// Every id that a call ever had, in order.
    known: Vec<String>,
    now: u64,
    tags: u32,
}

const PLACES: usize = 4;

impl Model {
    /// The next id, if the table has room.
    fn number(&self) -> Result<i64, ErrorKind> {
        if self.in_flight.len() == PLACES {
            return Err(ErrorKind::TooManyCalls);
        }
        (self.next..).find(|number| !self.in_flight.contains_key(&number.to_string())).ok_or(ErrorKind::TooManyCalls)
    }

    fn own(&self, id: &str) -> Result<(), ErrorKind> {
        if self.in_flight.contains_key(id) {
            return Err(ErrorKind::IdInFlight);
        }
        if self.in_flight.len() == PLACES { Err(ErrorKind::TooManyCalls) } else { Ok(()) }
    }

    fn add(&mut self, id: String, deadline: Option<u32>) {
        let deadline = deadline.map(|ticks| self.now + u64::from(ticks));
        assert!(self.in_flight.insert(id.clone(), (self.tags, deadline)).is_none());
        self.known.push(id);
    }

    fn count(&mut self, number: i64, deadline: Option<u32>) {
        self.next = number + 1;
        self.add(number.to_string(), deadline);
    }

    /// The id that a response names when it picks the one given `back` calls ago.
    fn pick(&self, back: usize) -> String {
        let index = self.known.len().checked_sub(back + 1);
        index.map_or_else(|| format!("{}", self.next + back as i64), |index| self.known[index].clone())
    }

    /// Ends the call with this id.
    fn remove(&mut self, id: &Id<8>) -> (u32, Option<u64>) {
        let is_it = |known: &&String| Id::read(RawValue::parse(known.as_bytes()).expect("JSON")).as_ref() == Ok(id);
        let known = self.in_flight.keys().find(is_it).cloned().expect("a call in flight");
        self.in_flight.remove(&known).expect("a call in flight")
    }

    /// The expected result for a response with this id.
    fn answer(&mut self, id: &str, answer: Answer<u32>) {
        // an id that was sent literally is stored as such, and differs from another spelling of the number
        let is_used = self.known.iter().any(|known| known == id);
        if is_used && !self.in_flight.contains_key(id) && answer == Answer::Duplicate {
            return;
        }
        let number = id.trim_matches('"').split('.').next().unwrap_or_default();
        let id = if self.in_flight.contains_key(id) { id } else { number };
        if let Some((tag, _)) = self.in_flight.remove(id) {
            assert_eq!(answer, Answer::To(tag), "{id}");
        } else if id.parse().is_ok_and(|number: i64| number >= 1 && number < self.next) {
            assert_eq!(answer, Answer::Duplicate, "{id}");
        } else if self.known.iter().any(|known| known.trim_matches('"').trim_end_matches(".0") == number) {
            assert!(matches!(answer, Answer::Duplicate | Answer::Unknown), "{id}: {answer:?}");
        } else {
            assert_eq!(answer, Answer::Unknown, "{id}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(2_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_client_does_what_a_map_would_do(
        steps in proptest::collection::vec(step(), 0..if cfg!(miri) { 12 } else { 60 }),
        start in prop_oneof![Just(0u32), Just(u32::MAX - 1_500), any::<u32>()],
    ) {
        let mut client: Client<u32, PLACES, 8> = Client::new().with_dialect(Dialect::JSON_RPC.with_any_spelling());
        let mut model = Model { in_flight: HashMap::new(), next: 1, known: Vec::new(), now: u64::from(start), tags: 0 };
        for step in steps {
            model.tags += 1;
            let (now, tag) = (model.now as u32, model.tags);
            let mut buffer = [0; 1_024];
            let mut out = Writer::new(&mut buffer);
            match step {
                Step::Call { deadline, room } => {
                    let mut out = Writer::new(&mut buffer[..room]);
                    let expected = model.number();
                    let result = match deadline {
                        Some(ticks) => client.until(now.wrapping_add(ticks)).call("sum", &[1, 2], tag, &mut out),
                        None => client.call("sum", &[1, 2], tag, &mut out),
                    };
                    let result = result.map_err(|refused| refused.error.kind());
                    let text = r#"{"jsonrpc":"2.0","method":"sum","params":[1,2],"id":"#;
                    let text = format!("{text}{}}}", expected.unwrap_or_default());
                    if expected.is_ok() && room < text.len() {
                        prop_assert_eq!(result, Err(ErrorKind::OutputFull));
                        prop_assert!(out.is_empty());
                    } else {
                        prop_assert_eq!(result, expected);
                    }
                    if let Ok(number) = result {
                        prop_assert_eq!(out.written(), text.as_bytes());
                        model.count(number, deadline);
                    }
                }
                Step::Own { id, deadline } => {
                    let expected = model.own(OWN[id]);
                    let result = match deadline {
                        Some(ticks) => client.until(now.wrapping_add(ticks)).request(&own(OWN[id]), tag, &mut out),
                        None => client.request(&own(OWN[id]), tag, &mut out),
                    };
                    prop_assert_eq!(result.map_err(|refused| refused.error.kind()), expected);
                    prop_assert_eq!(out.is_empty(), expected.is_err());
                    if expected.is_ok() {
                        model.add(OWN[id].to_string(), deadline);
                    }
                }
                Step::Batch { elements, deadline, is_finished } => {
                    let before = model.in_flight.clone();
                    let mut written = 0;
                    let mut batch = match deadline {
                        Some(ticks) => client.until(now.wrapping_add(ticks)).batch(&mut out),
                        None => client.batch(&mut out),
                    };
                    for element in elements {
                        match element.map(|element| OWN.get(element)) {
                            None => prop_assert_eq!(batch.notify("m", &()), Ok(())),
                            Some(None) => {
                                let expected = model.number();
                                prop_assert_eq!(batch.call("m", &(), tag).map_err(|refused| refused.error.kind()), expected);
                                let Ok(number) = expected else { continue };
                                model.count(number, deadline);
                            }
                            Some(Some(id)) => {
                                let expected = model.own(id);
                                let result = batch.request(&own(id), tag).map_err(|refused| refused.error.kind());
                                prop_assert_eq!(result, expected);
                                if expected.is_err() {
                                    continue;
                                }
                                model.add(id.to_string(), deadline);
                            }
                        }
                        written += 1;
                    }
                    if is_finished {
                        prop_assert_eq!(batch.finish(), written);
                    } else {
                        drop(batch);
                        model.in_flight = before;
                    }
                    if is_finished && written > 0 {
                        let array = RawValue::parse(out.written()).expect("an array");
                        prop_assert_eq!(array.elements().count(), written);
                    } else {
                        prop_assert!(out.is_empty());
                    }
                }
                Step::Answers(picks) => {
                    let ids: Vec<String> = picks
                        .iter()
                        .map(|(back, is_other)| {
                            let id = model.pick(*back);
                            let is_number = id.parse::<i64>().is_ok();
                            match (is_number && *is_other, back % 2) {
                                (false, _) => id,
                                (true, 0) => format!("\"{id}\""),
                                (true, _) => format!("{id}.0"),
                            }
                        })
                        .collect();
                    let texts: Vec<String> = ids.iter().map(|id| response(id)).collect();
                    let text = if texts.len() == 1 { texts[0].clone() } else { format!("[{}]", texts.join(",")) };
                    let mut ids = ids.iter();
                    for incoming in client.receive(text.as_bytes()) {
                        let Incoming::Response(answer, _) = incoming else { panic!("{incoming:?}") };
                        model.answer(ids.next().expect("as many as sent"), answer);
                    }
                    prop_assert!(ids.next().is_none());
                }
                Step::Cancel(back) => {
                    let id = model.pick(back);
                    let read = Id::read(RawValue::parse(id.as_bytes()).expect("JSON")).expect("an id");
                    prop_assert_eq!(client.cancel(&read), model.in_flight.remove(&id).map(|(tag, _)| tag));
                }
                Step::Pass(ticks) => model.now += u64::from(ticks),
                Step::Expire(count) => {
                    let is_late = |deadline: &Option<u64>| deadline.is_some_and(|deadline| deadline <= model.now);
                    let late = model.in_flight.values().filter(|(_, deadline)| is_late(deadline)).count();
                    let expired: Vec<_> = client.expire(now).take(count).map(|(id, tag)| (id.clone(), tag)).collect();
                    prop_assert_eq!(expired.len(), late.min(count));
                    for (id, tag) in expired {
                        let (expired, deadline) = model.remove(&id);
                        prop_assert!(expired == tag && deadline.is_some_and(|deadline| deadline <= model.now));
                    }
                }
                Step::Drain(count) => {
                    let drained: Vec<_> = client.drain().take(count).map(|(id, tag)| (id.clone(), tag)).collect();
                    prop_assert_eq!(drained.len(), model.in_flight.len().min(count));
                    for (id, tag) in drained {
                        prop_assert_eq!(model.remove(&id).0, tag);
                    }
                }
            }
            prop_assert_eq!(client.len(), model.in_flight.len());
            let mut tags: Vec<_> = client.in_flight().map(|(_, tag)| *tag).collect();
            let mut expected: Vec<_> = model.in_flight.values().map(|(tag, _)| *tag).collect();
            tags.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(tags, expected);
            let deadline = model.in_flight.values().filter_map(|(_, deadline)| *deadline).min();
            let left = deadline.map(|deadline| deadline.saturating_sub(model.now) as u32);
            prop_assert_eq!(client.ticks_left(model.now as u32), left);
        }
    }
}

#[test]
fn a_text_tells_the_call_that_it_answers() {
    let of = |text: &str| match Envelope::parse(text.as_bytes()) {
        Ok(message) => Addressee::of(&message, Dialect::JSON_RPC).number(),
        Err(refused) => Addressee::of_refused(&refused).number(),
    };
    assert_eq!(
        [of(&response("7")), of(&response("7.0")), of(&response("\"8\""))],
        [Some((7, true)), Some((7, false)), Some((8, false))]
    );
    assert_eq!([of(r#"{"id":7,"result":nan}"#), of("{"), of(&response("\"x\""))], [Some((7, true)), None, None]);
    let tick = Envelope::parse(br#"{"jsonrpc":"2.0","method":"tick"}"#).expect("a notification");
    assert_eq!(Addressee::of(&tick, Dialect::JSON_RPC), Addressee::None);
    let error = Envelope::parse(br#"{"jsonrpc":"2.0","error":{"code":1,"message":""},"id":null}"#).expect("an error");
    assert_eq!(Addressee::of(&error, Dialect::JSON_RPC), Addressee::Only);
}
