//! The route that takes a message on a connection with concurrent handlers, and the messages that go elsewhere.
#![cfg(all(feature = "serde", feature = "embedded-io-async"))]

use core::cell::{Cell, RefCell};
use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::{Context, Poll, Waker};

use embassy_futures::block_on;
use nanojsonrpc::connection::{Cancellation, Connection};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::memory::Pipe;
use nanojsonrpc::server::route::{Call, Routes};
use nanojsonrpc::server::{AsyncRoutes, Exchange, MIN_ANSWER_LEN, Registry, Reply, listener};
use nanojsonrpc::{Envelope, ErrorObject, Id, Notification, Params, Router, Server, Writer, message::Str};

/// The lines that the routes answer to these lines, with the method `notifications/cancelled` as cancellation.
fn served<C: Clone, R: AsyncRoutes<C> + Clone>(router: Router<C, R>, context: &mut C, lines: &[&str]) -> Vec<String> {
    let mut pipe: Pipe<2048> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write((lines.join("\n") + "\n").as_bytes()).unwrap();
    hub.close();
    let (mut framer, mut output) = (Framer::<Lines, 1024>::new(), [0; 1024]);
    let mut server = Server::new(router);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let serving = connection.concurrent::<2, 1024, 1024>().cancelled_by(Cancellation::MCP);
    let mut serving = pin!(serving.serve(&mut server, context));
    let served = (0..100).find_map(|_| match serving.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(served) => Some(served),
        Poll::Pending => None,
    });
    served.expect("a handler waits without end").unwrap();
    let mut received = [0; 2048];
    let len = hub.try_read(&mut received).unwrap();
    String::from_utf8_lossy(&received[..len]).lines().map(str::to_owned).collect()
}

#[cfg(feature = "mcp")]
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

fn call(method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#)
}

fn results(numbers: &[u32]) -> Vec<String> {
    numbers.iter().map(|number| format!(r#"{{"jsonrpc":"2.0","result":{number},"id":1}}"#)).collect()
}

/// A late handler frees its slot, so that requests which wait for one are read.
#[test]
fn a_time_limit_frees_the_slot_of_a_late_handler() {
    let late = async |_: &mut u32| core::future::pending::<Result<u32, _>>().await;
    let router = Router::new().request_async("late", late).limited_by(|_| {
        let mut left = 3;
        poll_fn(move |_| {
            left -= 1;
            if left == 0 { Poll::Ready(()) } else { Poll::Pending }
        })
    });
    let router = router.request("count", count);
    let lines = [&*call("late"), &*call("late"), &*call("late"), &*call("count")];
    let timed_out = r#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Request timed out"},"id":1}"#;
    let mut answers = served(router, &mut 0, &lines);
    answers.sort();
    assert_eq!(answers, [timed_out, timed_out, timed_out, &*results(&[1])[0]]);
}

fn count(number: &mut u32) -> Result<u32, ErrorObject<'static>> {
    *number += 1;
    Ok(*number)
}

async fn count_late(number: &mut u32) -> Result<u32, ErrorObject<'static>> {
    count(number)
}

/// A handler that does not wait has the context of the connection, whatever waits behind it; one that waits has a clone.
#[test]
fn the_first_route_decides_whether_a_call_is_copied() {
    let fallback = async |number: &mut u32, _: Str<'_>, _: Params<'_>, reply: Reply<'_>| {
        *number += 10;
        reply.success(number)
    };
    let two = [&*call("count"), &*call("count")];
    let mut number = 0;
    let routes = Router::new().request("count", count).nest("", Router::new().request_async("count", count_late));
    assert_eq!(served(routes, &mut number, &two), results(&[1, 2]));
    let routes = Router::new().request_async("count", count_late).nest("", Router::new().request("count", count));
    assert_eq!(served(routes, &mut number, &two), results(&[3, 3]));
    let nested = Router::new().nest("", Router::new().request("count", count));
    assert_eq!(served(nested.fallback_async(fallback), &mut number, &two), results(&[3, 4]));
    // the fallback comes after every route
    let routes = Router::new().fallback_async(fallback).request("count", count);
    assert_eq!(served(routes, &mut number, &two), results(&[5, 6]));
    let routes = Router::new().request("other", count).fallback_async(fallback);
    assert_eq!(served(routes, &mut number, &two), results(&[16, 16]));
    let routes = Router::new().fallback(|number: &mut u32, _: Str<'_>, _: Params<'_>, reply: Reply<'_>| {
        *number += 100;
        reply.success(number)
    });
    assert_eq!(served(routes.fallback_async(fallback), &mut number, &two), results(&[106, 206]));
    assert_eq!(number, 206);
}

#[test]
fn a_cancellation_of_no_waiting_call_has_its_listener() {
    let routes = Router::new()
        .request_async("count", count_late)
        .notification("notifications/cancelled", |number: &mut u32, _: Params<'_>| *number += 5);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    let mut number = 0;
    assert_eq!(served(routes, &mut number, &[cancel, &call("count")]), results(&[6]));
    assert_eq!(number, 5);
    // A fallback receives none: it may pass notifications on to a peer with ids of its own.
    let routes = Router::new()
        .request_async("count", count_late)
        .notification_fallback_async(async |number: &mut u32, _: Str<'_>, _: Params<'_>| *number += 5);
    assert_eq!(served(routes, &mut number, &[cancel, &call("count")]), results(&[6]));
    assert_eq!(number, 5);
    // without a listener it is dropped
    let routes = Router::new().request("count", count);
    assert_eq!(served(routes, &mut number, &[cancel, &call("count")]), results(&[6]));
}

/// A registry that the copies of a server share; a registry itself borrows its handlers, and cannot be copied.
#[derive(Clone, Copy)]
struct Shared<'r, 'h>(&'r RefCell<Registry<'h, u32, 2>>);

impl AsyncRoutes<u32> for Shared<'_, '_> {
    async fn route(&mut self, number: &mut u32, call: &Call<'_>, exchange: &mut Exchange<'_, '_>) -> bool {
        Routes::route(&mut *self.0.borrow_mut(), number, call, exchange)
    }

    fn waits(&mut self, number: &mut u32, call: &Call<'_>) -> Option<bool> {
        self.0.borrow_mut().waits(number, call)
    }
}

#[test]
fn a_cancellation_has_the_listener_of_a_registry() {
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    let mut cancelled = listener(|number: &mut u32, params: Params<'_>| {
        *number += params.get("requestId").map_or(0, |id| id.to_integer().unwrap());
    });
    let registry: RefCell<Registry<'_, u32, 2>> = RefCell::default();
    let routes = || Router::new().request_async("count", count_late).nest("", Router::with_routes(Shared(&registry)));
    let mut number = 0;
    assert_eq!(served(routes(), &mut number, &[cancel, &call("count")]), results(&[1]));
    assert_eq!(number, 0);
    registry.borrow_mut().notification("notifications/cancelled", &mut cancelled).unwrap();
    assert_eq!(served(routes(), &mut number, &[cancel, &call("count")]), results(&[8]));
    assert_eq!(number, 7);
}

/// A door that opens once, and a request that passes it.
fn door() -> Router<&'static Cell<bool>, impl AsyncRoutes<&'static Cell<bool>> + Clone> {
    Router::new()
        .request_async("pass", async |door: &mut &Cell<bool>| {
            poll_fn(|_| if door.get() { Poll::Ready(()) } else { Poll::Pending }).await;
            Ok("passed")
        })
        .notification("open", |door: &mut &Cell<bool>| door.set(true))
}

/// The lines that a connection with one slot answers, and whether it is done. It refuses requests beyond its slot.
fn refusing(lines: &[&str]) -> (Vec<String>, bool) {
    let mut pipe: Pipe<2048> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.try_write((lines.join("\n") + "\n").as_bytes()).unwrap();
    hub.close();
    let (mut framer, mut output, mut server) = (Framer::<Lines, 512>::new(), [0; 512], Server::new(door()));
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let serving = connection.concurrent::<1, 256, 256>().refusing(ErrorObject::new(-32000, "Busy"));
    let mut context: &Cell<bool> = Box::leak(Box::new(Cell::new(false)));
    let serving = serving.cancelled_by(Cancellation::LANGUAGE_SERVER);
    let is_done =
        pin!(serving.serve(&mut server, &mut context)).poll(&mut Context::from_waker(Waker::noop())).is_ready();
    let mut received = [0; 2048];
    let len = hub.try_read(&mut received).unwrap_or_default();
    (String::from_utf8_lossy(&received[..len]).lines().map(str::to_owned).collect(), is_done)
}

#[test]
fn a_request_beyond_the_slots_is_refused_and_the_messages_after_it_are_read() {
    let pass = |id: &str| call("pass").replace("\"id\":1", &format!("\"id\":{id}"));
    let open = r#"{"jsonrpc":"2.0","method":"open"}"#;
    let busy = |id: &str| format!(r#"{{"jsonrpc":"2.0","error":{{"code":-32000,"message":"Busy"}},"id":{id}}}"#);
    let passed = |id: &str| format!(r#"{{"jsonrpc":"2.0","result":"passed","id":{id}}}"#);
    let found = refusing(&[&pass("1"), &pass("2"), &pass("\"\\u0033\""), &pass("4.0"), open]);
    assert_eq!(found, (vec![busy("2"), busy("\"3\""), busy("4.0"), passed("1")], true));
    // a cancellation arrives, and frees the slot for the next request
    let cancel = r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#;
    let cancelled = r#"{"jsonrpc":"2.0","error":{"code":-32800,"message":"Request cancelled"},"id":1}"#.to_owned();
    let found = refusing(&[&pass("1"), &pass("2"), cancel, &pass("3"), open]);
    assert_eq!(found, (vec![busy("2"), cancelled, passed("3")], true));
    // each answer of a batch is its own, so the batch waits; so does a call whose id has no room in a slot
    for waits in [format!("[{}]", pass("2")), pass(&format!("\"{}\"", "i".repeat(65)))] {
        assert_eq!(refusing(&[&pass("1"), &waits, open]), (vec![], false));
    }
}

#[cfg(feature = "mcp")]
#[test]
fn a_service_opens_its_session_beside_a_fallback_that_waits() {
    let service = nanojsonrpc::mcp::Service::new("s", "1").tool(
        "count",
        "",
        nanojsonrpc::mcp::Schema::NO_ARGUMENTS,
        |number: &mut u32| *number,
    );
    let fallback = async |_: &mut u32, _: Str<'_>, _: Params<'_>, reply: Reply<'_>| reply.success(&"elsewhere");
    let routes = service.router().fallback_async(fallback);
    let tool = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count"}}"#;
    let answers = served(routes, &mut 8, &[INITIALIZE, tool, &call("elsewhere"), &call("prompts/list")]);
    assert!(answers[1].contains(r#""text":"8""#), "{answers:?}");
    assert!(answers[2].contains("elsewhere") && answers[3].contains("elsewhere"), "{answers:?}");
}

/// A registration that `shown_if` hides decides nothing: neither whether a call is copied, nor who answers it.
#[cfg(feature = "mcp")]
#[test]
fn a_hidden_registration_does_not_decide_whether_a_call_is_copied() {
    use nanojsonrpc::mcp::{ReadCall, Service, uri_template};

    const READ: &str = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}"#;
    const OPEN: &str = r#"{"jsonrpc":"2.0","method":"open"}"#;
    let said = |answers: &[String]| -> Vec<String> {
        answers[1..].iter().map(|answer| answer.split(r#""text":""#).nth(1).unwrap_or(answer)[..1].to_owned()).collect()
    };
    // a handler that waits for the next message, behind a hidden blocking one
    let door = Router::new().notification("open", |door: &mut &Cell<u32>| door.set(1));
    let pass = async |door: &mut &Cell<u32>, call: ReadCall<'_>| {
        poll_fn(|_| if door.get() == 1 { Poll::Ready(()) } else { Poll::Pending }).await;
        call.text("1")
    };
    let service = Service::new("s", "1")
        .resource("a:b", "", "", |_: &mut &Cell<u32>, call: ReadCall<'_>| call.text("0"))
        .resource_template_async(uri_template!("a:{b}"), "", "", pass)
        .shown_if(|_, candidate| candidate.name != "a:b");
    let is_open = Cell::new(0);
    let answers = served(service.router().nest("", door), &mut &is_open, &[INITIALIZE, READ, OPEN]);
    assert_eq!(said(&answers), ["1"]);
    // a handler that changes its context, behind a hidden one that waits
    let service = Service::new("s", "1")
        .resource_async("a:b", "", "", async |_: &mut u32, call: ReadCall<'_>| call.text("0"))
        .resource_template(uri_template!("a:{b}"), "", "", |number: &mut u32, call: ReadCall<'_>| {
            *number += 1;
            call.text(*number)
        })
        .shown_if(|_, candidate| candidate.name != "a:b");
    assert_eq!(said(&served(service.router(), &mut 0, &[INITIALIZE, READ, READ])), ["1", "2"]);
}

/// Between the look at a message and its dispatch no other handler runs, which could show or hide a registration.
#[cfg(feature = "mcp")]
#[test]
fn a_registration_does_not_change_between_the_look_at_a_call_and_its_dispatch() {
    use nanojsonrpc::mcp::{ReadCall, Schema, Service, uri_template};

    const SHOW: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"show"}}"#;
    const READ: &str = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}"#;
    const OPEN: &str = r#"{"jsonrpc":"2.0","method":"open"}"#;
    #[derive(Default)]
    struct Door {
        hides_the_first: Cell<bool>,
        is_open: Cell<bool>,
    }
    for polls in 0..12 {
        let door = Router::new().notification("open", |door: &mut &Door| door.is_open.set(true));
        let hide = async move |door: &mut &Door| {
            let mut left = polls;
            poll_fn(|task| {
                task.waker().wake_by_ref();
                left -= i32::from(left != 0);
                if left == 0 { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            door.hides_the_first.set(true);
        };
        let pass = async |door: &mut &Door, call: ReadCall<'_>| {
            poll_fn(|_| if door.is_open.get() { Poll::Ready(()) } else { Poll::Pending }).await;
            call.text("late")
        };
        let service = Service::new("s", "1")
            .tool_async("show", "", Schema::NO_ARGUMENTS, hide)
            .resource("a:b", "", "", |_: &mut &Door, call: ReadCall<'_>| call.text("at once"))
            .resource_template_async(uri_template!("a:{b}"), "", "", pass)
            .shown_if(|door, candidate| candidate.name != "a:b" || !door.hides_the_first.get());
        let context = Door::default();
        let lines = [INITIALIZE, SHOW, READ, OPEN];
        assert_eq!(served(service.router().nest("", door), &mut &context, &lines).len(), 3, "{polls}");
    }
}

/// In a session, `subscriptions/listen` is no method of a service with subscriptions, so the fallback decides.
#[cfg(feature = "mcp")]
#[test]
fn a_request_of_the_other_generation_is_copied_for_a_fallback_that_waits() {
    use nanojsonrpc::mcp::{Service, Subscriptions};

    type Context = (Subscriptions<2>, u32);
    let fallback = async |(_, number): &mut Context, _: Str<'_>, _: Params<'_>, reply: Reply<'_>| {
        *number += 1;
        reply.success(number)
    };
    let service = Service::new("s", "1").subscriptions(|(kept, _): &mut Context| kept);
    let mut context = (Subscriptions::new(), 0);
    let answers =
        served(service.router().fallback_async(fallback), &mut context, &[INITIALIZE, &call("subscriptions/listen")]);
    assert_eq!(answers[1..], results(&[1]));
    assert_eq!(context.1, 0);
}

#[test]
fn only_the_notification_of_the_method_cancels() {
    for (members, expected) in [
        (r#""method":"$/cancelRequest","params":{"id":1}"#, Some(Id::Number(1))),
        (r#""method":"$/cancelRequest","params":[1]"#, Some(Id::Null)),
        (r#""method":"$/cancelRequest","params":{"id":1},"id":2"#, None),
        (r#""method":"$/cancelled","params":{"id":1}"#, None),
        (r#""method":"cancel","params":{"id":1},"id":2"#, None),
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0",{members}}}"#);
        let message = Envelope::parse(text.as_bytes()).unwrap();
        assert_eq!(Cancellation::LANGUAGE_SERVER.cancels(&message), expected, "{members}");
    }
}

/// `serve`: "To answer each call, `output` needs 40 bytes, the tail of the frame, `MIN_ANSWER_LEN` bytes and the id."
#[test]
fn a_cancelled_call_is_answered_in_the_shortest_output() {
    let room = 40 + 1 + MIN_ANSWER_LEN + 1;
    for (room, code) in [(room, "-32603"), (room + 20, "-32800")] {
        let mut pipe: Pipe<512> = Pipe::new();
        let (device, hub) = pipe.ends();
        let cancel = r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#;
        hub.try_write(format!("{}\n{cancel}\n", call("wait")).as_bytes()).unwrap();
        hub.close();
        let (mut framer, mut output) = (Framer::<Lines, 128>::new(), vec![0; room]);
        let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
        let wait = async |_: &mut u32| core::future::pending::<Result<u32, ErrorObject<'static>>>().await;
        let mut server = Server::new(Router::new().request_async("wait", wait));
        let serving = connection.concurrent::<1, 128, 128>().cancelled_by(Cancellation::LANGUAGE_SERVER);
        block_on(serving.serve(&mut server, &mut 0)).unwrap();
        let mut received = [0; 512];
        let len = hub.try_read(&mut received).unwrap();
        let answer = String::from_utf8_lossy(&received[..len]);
        assert!(answer.contains(code) && answer.ends_with("\"id\":1}\n"), "{room}: {answer}");
    }
}

#[test]
fn each_queued_message_has_its_own_frame() {
    let mut pipe: Pipe<512> = Pipe::new();
    let (device, hub) = pipe.ends();
    hub.close();
    let (mut framer, mut output) = (Framer::<Lines, 64>::new(), [0; 256]);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let mut is_written = false;
    let serving = connection.concurrent::<1, 64, 64>().queued_by(async |out: &mut Writer<'_>| {
        if !core::mem::replace(&mut is_written, true) {
            for number in 1..=3 {
                out.message(&Notification::new("n").with_params(&[number]))?;
            }
        }
        Ok(())
    });
    let mut server = Server::new(Router::new().request("count", count));
    block_on(serving.serve(&mut server, &mut 0)).unwrap();
    let mut received = [0; 512];
    let len = hub.try_read(&mut received).unwrap();
    let lines: Vec<_> =
        (1..=3).map(|n| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":[{n}]}}\n")).collect();
    assert_eq!(String::from_utf8_lossy(&received[..len]), lines.concat());
}
