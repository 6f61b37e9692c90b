//! A call that waits for its answer on a connection, while a server handles all other messages.
#![cfg(all(feature = "serde", feature = "embedded-io"))]

use nanojsonrpc::connection::{CallError, Connection, ConnectionError};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::memory::{Pipe, PipeError, Plan};
use nanojsonrpc::server::{AsyncRoutes, Event, Observer, route::Routes};
use nanojsonrpc::{Envelope, Router, Server};

const FIRST: i64 = 1 << 52;

/// The messages that arrived between the answers.
type Log = Vec<String>;

fn server() -> Server<impl Routes<Log> + AsyncRoutes<Log>, impl Observer<Log>> {
    let router = Router::new()
        .request("ping", |log: &mut Log| {
            log.push("ping".into());
            Ok("pong")
        })
        .notification("tick", |log: &mut Log| log.push("tick".into()))
        .response(|log: &mut Log, response: &Envelope<'_>| {
            log.push(format!("response {:?}", response.id().and_then(|id| id.as_i64())))
        });
    Server::new(router).observed_by(|log: &mut Log, event: Event<'_>| log.push(event.to_string()))
}

fn line(members: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",{members}}}\n")
}

fn result(id: i64, value: &str) -> String {
    line(&format!(r#""result":{value},"id":{id}"#))
}

type Wire = Pipe<4096>;

/// Every outcome of a call, as text, for each length of the chunks.
fn called(incoming: &str, is_ended: bool, plan: Plan) -> (String, Log, String) {
    let mut pipe: Wire = Pipe::new();
    let (device, hub) = pipe.ends();
    let device = device.reading(plan);
    hub.try_write(incoming.as_bytes()).unwrap();
    if is_ended {
        hub.close();
    }
    let (mut framer, mut output, mut log) = (Framer::<Lines, 512>::new(), [0; 256], Log::new());
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let found = match connection.peer(&mut server(), &mut log).call::<&str>("name", &[1]) {
        Ok(name) => format!("Ok({name})"),
        Err(error) => error.to_string(),
    };
    let mut sent = [0; 1024];
    let len = hub.try_read(&mut sent).unwrap();
    (found, log, String::from_utf8_lossy(sent.get(..len).unwrap()).into_owned())
}

#[test]
fn what_arrives_before_the_answer_goes_to_the_server() {
    let incoming = [
        line(r#""method":"tick""#),
        line(r#""method":"ping","id":"a""#),
        result(1, "1"),
        line(r#""error":{"code":-32700,"message":"Parse error"},"id":2"#),
        "?\n".into(),
        result(FIRST, r#""t\u00e9""#),
        line(r#""method":"tick""#),
    ];
    for len in 1..40 {
        let (found, log, sent) = called(&incoming.concat(), false, Plan::in_chunks(len));
        assert_eq!(found, "Ok(té)");
        assert_eq!(
            log,
            ["tick", "ping", "response Some(1)", "response Some(2)", "unreadable message: expected a value at byte 0"]
        );
        let expected = [
            line(&format!(r#""method":"name","params":[1],"id":{FIRST}"#)),
            line(r#""result":"pong","id":"a""#),
            line(r#""error":{"code":-32700,"message":"Parse error"},"id":null"#),
        ];
        assert_eq!(sent, expected.concat());
    }
}

#[test]
fn every_end_of_a_call_is_told_apart() {
    let peer = line(&format!(r#""error":{{"code":7,"message":"no","data":1}},"id":{FIRST}"#));
    let refused = line(&format!(r#""error":{{"code":7}},"id":{FIRST}"#));
    for (incoming, expected) in [
        (peer.as_str(), "error 7: no"),
        (&refused, "answer: invalid error object at byte 25"),
        (&result(FIRST, "1"), "result: unexpected type at byte 26, expected a string"),
        ("", "the stream ended before the answer"),
        (&result(FIRST + 1, "1"), "the stream ended before the answer"),
    ] {
        assert_eq!(called(incoming, true, Plan::WHOLE).0, expected);
    }
    assert!(called("", false, Plan::WHOLE.fail_at(0)).0.starts_with("reading: "));
}

#[test]
fn a_call_is_given_up_when_the_clock_says_so_and_its_answer_is_unexpected() {
    let mut pipe: Wire = Pipe::new();
    let (device, hub) = pipe.ends();
    let (mut framer, mut output, mut log) = (Framer::<Lines, 512>::new(), [0; 256], Log::new());
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    hub.try_write(line(r#""method":"tick""#).as_bytes()).unwrap();
    let (mut looks, mut server) = (0, server());
    let mut peer = connection.peer(&mut server, &mut log).until(|| {
        looks += 1;
        looks == 2
    });
    let late = peer.call::<u8>("name", &());
    assert!(matches!(late, Err(CallError::Late)), "{late:?}");
    hub.try_write((result(FIRST, "1") + &result(FIRST + 1, "2")).as_bytes()).unwrap();
    assert_eq!(connection.peer(&mut server, &mut log).call("name", &()), Ok(2));
    assert_eq!(log, ["tick".to_owned(), format!("response Some({FIRST})")]);
}

#[test]
fn another_connection_on_the_same_stream_goes_on_counting() {
    let mut pipe: Wire = Pipe::new();
    let (device, hub) = pipe.ends();
    let (mut framer, mut output, mut log) = (Framer::<Lines, 512>::new(), [0; 256], Log::new());
    hub.try_write((result(FIRST, "1") + &result(FIRST + 1, "2")).as_bytes()).unwrap();
    for expected in [1, 2] {
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        assert_eq!(connection.peer(&mut server(), &mut log).call("name", &()), Ok(expected));
    }
}

#[test]
fn a_call_that_does_not_fit_is_not_sent() {
    let mut pipe: Wire = Pipe::new();
    let (device, hub) = pipe.ends();
    let (mut framer, mut output, mut log) = (Framer::<Lines, 512>::new(), [0; 96], Log::new());
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let mut server = server();
    let mut peer = connection.peer(&mut server, &mut log);
    let long = peer.call::<u8>("name", &["x".repeat(90)]);
    assert!(matches!(long, Err(CallError::Connection(ConnectionError::<PipeError, PipeError>::Message(_)))));
    assert_eq!(hub.try_read(&mut [0; 8]), Err(PipeError::WouldBlock));
}

/// A serial line may echo each call, and a frame may change the white space of a call.
#[test]
fn a_returned_call_is_not_served_whatever_its_white_space() {
    let call = line(&format!(r#""method":"name","params":[1],"id":{FIRST}"#));
    let spaced = format!("{{ \"jsonrpc\" :\t\"2.0\",\"method\": \"name\",\"params\":[ 1 ],\"id\":{FIRST} }}\n");
    let refusal = line(&format!(r#""error":{{"code":-32601,"message":"Method not found"}},"id":{FIRST}"#));
    for (returned, answered) in [
        (call.clone(), ""),
        (spaced.clone(), ""),
        (call.replace("[1]", "[2]"), &*refusal),
        (spaced.replace(" 1 ", " 2 "), &*refusal),
    ] {
        let (outcome, _, sent) = called(&(returned.clone() + &result(FIRST, r#""x""#)), true, Plan::WHOLE);
        assert_eq!((outcome.as_str(), sent), ("Ok(x)", call.clone() + answered), "{returned}");
    }
}

#[test]
fn a_failed_read_ends_a_call_late_only_if_the_clock_says_so() {
    for (late_at, expected) in [(1, "Err(Late)"), (2, "Err(Late)"), (3, "Err(Connection(Read(Fault)))")] {
        let mut pipe: Wire = Pipe::new();
        let (device, _hub) = pipe.ends();
        let device = device.reading(Plan::WHOLE.fail_at(0));
        let (mut framer, mut output, mut looks) = (Framer::<Lines, 512>::new(), [0; 256], 0);
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        let outcome = connection.call_until::<u8>("name", &(), || {
            looks += 1;
            looks >= late_at
        });
        assert_eq!(format!("{outcome:?}"), expected, "{late_at}");
    }
}

/// A client without a server: it refuses the calls of the peer, and drops its notifications.
#[test]
fn a_call_needs_no_server() {
    let incoming = [
        line(r#""method":"tick""#),
        line(r#""method":"ping","id":"a""#),
        result(7, "1"),
        result(FIRST, r#""t\u00e9""#),
        result(FIRST + 1, "2"),
    ];
    let mut pipe: Wire = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write(incoming.concat().as_bytes()).unwrap();
    let (mut framer, mut output) = (Framer::<Lines, 512>::new(), [0; 256]);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    assert_eq!(connection.call::<&str>("name", &[1]), Ok("té"));
    assert_eq!(connection.call_until("name", &(), || false), Ok(2));
    assert!(matches!(connection.call_until::<u8>("name", &(), || true), Err(CallError::Late)));
    let mut sent = [0; 1024];
    let len = hub.try_read(&mut sent).unwrap();
    let expected = [
        line(&format!(r#""method":"name","params":[1],"id":{FIRST}"#)),
        line(r#""error":{"code":-32601,"message":"Method not found"},"id":"a""#),
        line(&format!(r#""method":"name","id":{}"#, FIRST + 1)),
        line(&format!(r#""method":"name","id":{}"#, FIRST + 2)),
    ];
    assert_eq!(str::from_utf8(&sent[..len]), Ok(expected.concat().as_str()));
}

#[cfg(feature = "alloc")]
#[test]
fn a_function_that_owns_the_connection_returns_the_error_of_the_peer() {
    use nanojsonrpc::ErrorCode;
    use nanojsonrpc::connection::OwnedCallError;

    fn name<const N: usize>(device: &nanojsonrpc::memory::PipeEnd<'_, N>) -> Result<u8, OwnedCallError<PipeError>> {
        let (mut framer, mut output) = (Framer::<Lines, 512>::new(), [0; 256]);
        let mut connection = Connection::new(device, device, &mut framer, &mut output);
        let twice: u8 = connection.call("name", &())?;
        connection.send(&nanojsonrpc::Notification::new("named"))?;
        Ok(twice)
    }

    let peer = |data: &str| line(&format!(r#""error":{{"code":-32001,"message":"t\u00e9"{data}}},"id":{FIRST}"#));
    for (incoming, expected, data) in [
        (peer(r#","data" : {"at": [7]}"#), "error -32001: té", Some(r#"{"at": [7]}"#)),
        (peer(""), "error -32001: té", None),
        (result(FIRST, "256"), "result: invalid value at byte 26, expected u8", None),
        (line(&format!(r#""error":{{"code":7}},"id":{FIRST}"#)), "answer: invalid error object at byte 25", None),
        (String::new(), "the stream ended before the answer", None),
    ] {
        let mut pipe: Wire = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write(incoming.as_bytes()).unwrap();
        hub.close();
        let error = name(&device).unwrap_err();
        assert_eq!(error.to_string(), expected);
        let CallError::Peer(error) = error else { continue };
        assert_eq!((error.code, error.message.as_str()), (ErrorCode(-32001), "té"));
        assert_eq!(error.borrowed().data.map(|data| data.as_bytes()), data.map(str::as_bytes));
        // a gateway passes the error on
        let router = nanojsonrpc::Router::new()
            .request_fallible("name", |error: &mut nanojsonrpc::message::OwnedErrorObject| Err::<(), _>(error.clone()));
        let (mut output, mut context) = ([0; 256], error);
        let call = br#"{"jsonrpc":"2.0","method":"name","id":1}"#;
        let answer = Server::new(router).process(&mut context, call, &mut output).answer().map(<[u8]>::to_vec).unwrap();
        let data = data.map(|data| format!(r#","data":{data}"#)).unwrap_or_default();
        let passed_on = format!(r#"{{"jsonrpc":"2.0","error":{{"code":-32001,"message":"té"{data}}},"id":1}}"#);
        assert_eq!(String::from_utf8(answer), Ok(passed_on));
    }
    // a boxed error keeps them, too
    fn boxed() -> Result<(), Box<dyn core::error::Error + Send + Sync>> {
        let (mut framer, mut output) = (Framer::<Lines, 512>::new(), [0; 256]);
        let mut pipe: Wire = Pipe::new();
        let (device, hub) = pipe.ends();
        hub.try_write(line(&format!(r#""error":{{"code":7,"message":"no"}},"id":{FIRST}"#)).as_bytes())?;
        Connection::new(&device, &device, &mut framer, &mut output)
            .call::<()>("a", &())
            .map_err(OwnedCallError::from)?;
        Ok(())
    }
    let error = boxed().unwrap_err().downcast::<OwnedCallError<PipeError>>().unwrap();
    assert!(matches!(*error, CallError::Peer(error) if error.code == ErrorCode(7)));
}

#[cfg(feature = "embedded-io-async")]
#[test]
fn a_call_waits_without_blocking_until_its_answer_or_its_deadline() {
    use core::pin::pin;
    use core::task::{Context, Poll, Waker};

    let mut pipe: Wire = Pipe::new();
    let (device, hub) = pipe.ends();
    let (mut framer, mut output, mut log) = (Framer::<Lines, 512>::new(), [0; 256], Log::new());
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let mut idle = Context::from_waker(Waker::noop());
    let mut server = server();
    {
        let mut peer = connection.peer_async(&mut server, &mut log);
        let mut call = pin!(peer.call_async::<u8>("name", &()));
        assert!(call.as_mut().poll(&mut idle).is_pending());
        hub.try_write((line(r#""method":"tick""#) + &result(FIRST, "5")).as_bytes()).unwrap();
        assert_eq!(call.as_mut().poll(&mut idle), Poll::Ready(Ok(5)));
    }
    let mut looks = 0;
    let mut look = |_: &mut Context<'_>| {
        looks += 1;
        if looks == 2 { Poll::Ready(()) } else { Poll::Pending }
    };
    let deadline = async || core::future::poll_fn(&mut look).await;
    {
        let mut peer = connection.peer_async(&mut server, &mut log).until_async(deadline);
        let mut call = pin!(peer.call_async::<u8>("name", &()));
        assert!(call.as_mut().poll(&mut idle).is_pending());
        assert_eq!(call.as_mut().poll(&mut idle), Poll::Ready(Err(CallError::Late)));
    }
    assert_eq!(log, ["tick"]);
}

#[cfg(feature = "embedded-io-async")]
#[test]
fn a_call_whose_answer_has_arrived_returns_it_although_a_flush_fails() {
    use crate::tasks::{Half, Turn, Wire, run};

    for is_async in [false, true] {
        // the flush behind the call passes, the flush behind the answer to `ping` fails
        let wire = Wire::new("");
        let (mut framer, mut output, mut log) = (Framer::<Lines, 512>::new(), [0; 256], Log::new());
        let mut connection = Connection::new(Half(&wire), Half(&wire), &mut framer, &mut output);
        wire.borrow_mut().incoming.extend((line(r#""method":"ping","id":"a""#) + &result(FIRST, "5")).bytes());
        connection.read().unwrap();
        wire.borrow_mut().flush = Turn::Fails;
        let mut server = server();
        let found = if is_async {
            run(connection.peer_async(&mut server, &mut log).call_async("name", &())).ok()
        } else {
            connection.peer(&mut server, &mut log).call("name", &()).ok()
        };
        assert_eq!((found, log.as_slice()), (Some(5), &["ping".to_owned()][..]));
        assert_eq!(wire.borrow_mut().take(), "");
        connection.answer(&mut server, &mut log).unwrap();
        let expected = line(&format!(r#""method":"name","id":{FIRST}"#)) + &line(r#""result":"pong","id":"a""#);
        assert_eq!(wire.borrow_mut().take(), expected);
    }
}

#[cfg(feature = "alloc")]
#[test]
fn an_owned_error_says_what_the_borrowed_one_says() {
    use nanojsonrpc::connection::{CallError, ConnectionError, OwnedCallError};
    use nanojsonrpc::memory::PipeError;

    type Borrowed<'a> = CallError<nanojsonrpc::ErrorObject<'a>, &'a [u8], PipeError, PipeError>;
    let refused = nanojsonrpc::Envelope::parse(b"{").unwrap_err().error;
    let mut framer = Framer::<nanojsonrpc::frame::ContentLength, 64>::new();
    framer.push(b"Content-Length: x\r\n\r\n");
    let misframed = framer.next().unwrap().unwrap_err();
    let payload = nanojsonrpc::RawValue::parse(b"1").unwrap().read::<&str>().unwrap_err();
    let errors: [Borrowed<'_>; 7] = [
        CallError::Peer(nanojsonrpc::ErrorObject::METHOD_NOT_FOUND),
        CallError::Payload(payload),
        CallError::Refused(refused, b"{"),
        CallError::Misframed(misframed),
        CallError::Late,
        CallError::Closed,
        CallError::Connection(ConnectionError::Read(PipeError::Fault)),
    ];
    for error in errors {
        assert_eq!(OwnedCallError::from(error).to_string(), error.to_string());
    }
}

#[test]
fn an_answer_without_an_id_or_with_others_in_its_batch_ends_no_call() {
    let batch = [result(FIRST, "\"t\""), result(7, "1")].map(|answer| answer.trim_end().to_owned()).join(",");
    for (incoming, heard) in [
        (line(r#""result":1,"id":null"#), vec!["response None".to_owned()]),
        (format!("[{batch}]\n"), vec![format!("response Some({FIRST})"), "response Some(7)".to_owned()]),
    ] {
        let (found, log, _) = called(&incoming, true, Plan::WHOLE);
        assert_eq!((found.as_str(), log), ("the stream ended before the answer", heard), "{incoming}");
    }
}

#[test]
fn neither_a_call_nor_a_notification_follows_a_message_that_was_sent_in_part() {
    let mut pipe: Wire = Pipe::new();
    let (device, hub) = pipe.ends();
    let device = device.writing(Plan::WHOLE.fail_once_at(5));
    let (mut framer, mut output, mut server, mut log) = (Framer::<Lines, 512>::new(), [0; 256], server(), Log::new());
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let mut peer = connection.peer(&mut server, &mut log);
    let fault = ConnectionError::Write(PipeError::Fault);
    assert!(matches!(peer.call::<u8>("name", &[1]), Err(CallError::Connection(error)) if error == fault));
    let broken = ConnectionError::OutputBroken;
    assert!(matches!(peer.call::<u8>("name", &[1]), Err(CallError::Connection(error)) if error == broken));
    assert_eq!(peer.notify("tick", &()), Err(broken));
    let mut sent = [0; 64];
    assert_eq!((hub.try_read(&mut sent), &sent[..5]), (Ok(5), &b"{\"jso"[..]));
}
