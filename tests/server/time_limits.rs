//! Handlers that take longer than their time limit are dropped, and their calls are answered.
#![cfg(feature = "serde")]

use core::cell::{Cell, RefCell};
use core::future::{pending, poll_fn};
use core::task::Poll;

use nanojsonrpc::json::ObjectWriter;
use nanojsonrpc::server::route::Call;
use nanojsonrpc::server::{AsyncRoutes, Event, Layer, Observer, Replied, Reply};
use nanojsonrpc::{ErrorCode, ErrorObject, Params, Router, Server};

use crate::tasks::{run, wait};

const LATE: &str = r#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Request timed out"},"id":1}"#;

/// Waits in as many polls.
async fn polls(count: u32) {
    for _ in 0..count {
        wait().await;
    }
}

/// Counts dropped values.
struct Guard<'d>(&'d Cell<u32>);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

fn answer<C, R: AsyncRoutes<C>, H: Observer<C>>(server: &mut Server<R, H>, context: &mut C, text: &str) -> String {
    let mut output = [0; 256];
    let answer = run(server.process_async(context, text.as_bytes(), &mut output)).answer();
    String::from_utf8(answer.unwrap_or_default().to_vec()).unwrap()
}

fn call(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params},"id":1}}"#)
}

#[test]
fn a_late_handler_is_dropped_and_its_call_answered() {
    let (dropped, timers) = (Cell::new(0), Cell::new(0));
    let router = Router::new()
        .request_async("wait", async |total: &mut u32, (count,): (u32,)| {
            let _guard = Guard(&dropped);
            *total += 1;
            polls(count).await;
            *total += 100;
            Ok(*total)
        })
        .request("now", |total: &mut u32| Ok(*total))
        .limited_by(|_| {
            timers.set(timers.get() + 1);
            polls(3)
        });
    let (mut server, mut total) = (Server::new(router), 0);
    assert_eq!(answer(&mut server, &mut total, &call("wait", "[9]")), LATE);
    assert_eq!((total, dropped.get(), timers.get()), (1, 1, 1));
    // the context is free again
    total += 1;
    assert_eq!(answer(&mut server, &mut total, &call("wait", "[3]")), r#"{"jsonrpc":"2.0","result":103,"id":1}"#);
    assert_eq!((dropped.get(), timers.get()), (2, 2));
    // a handler that does not wait makes no timer
    assert_eq!(answer(&mut server, &mut total, &call("wait", "[0]")), r#"{"jsonrpc":"2.0","result":204,"id":1}"#);
    assert_eq!(answer(&mut server, &mut total, &call("now", "[]")), r#"{"jsonrpc":"2.0","result":204,"id":1}"#);
    assert!(answer(&mut server, &mut total, &call("nothing", "[]")).contains("-32601"));
    assert_eq!(timers.get(), 2);
}

#[test]
fn each_call_of_a_batch_has_its_own_limit() {
    let router = Router::new()
        .request_async("wait", async |_: &mut (), (count,): (u32,)| {
            polls(count).await;
            Ok(count)
        })
        .limited_by(|_| polls(3));
    let batch = format!("[{},{},{}]", call("wait", "[2]"), call("wait", "[9]"), call("wait", "[3]"));
    let expected = format!(r#"[{{"jsonrpc":"2.0","result":2,"id":1}},{LATE},{{"jsonrpc":"2.0","result":3,"id":1}}]"#);
    assert_eq!(answer(&mut Server::new(router), &mut (), &batch), expected);
}

#[test]
fn a_reply_that_was_written_before_the_limit_stays() {
    async fn early(_: &mut Vec<String>, params: Params<'_>, reply: Reply<'_>) -> Replied {
        let replied = reply.success(&params);
        pending::<()>().await;
        replied
    }
    let router = Router::new().request_async("early", early).limited_by(|_| polls(1));
    let mut server =
        Server::new(router).observed_by(|events: &mut Vec<String>, event: Event<'_>| events.push(event.to_string()));
    let mut events = Vec::new();
    assert_eq!(answer(&mut server, &mut events, &call("early", "[7]")), r#"{"jsonrpc":"2.0","result":[7],"id":1}"#);
    assert_eq!(events, ["handler of early dropped at its time limit"]);
}

#[derive(Default)]
struct Log {
    events: Vec<String>,
    outcomes: Vec<Result<(), i64>>,
}

struct Recorder;

impl Layer<Log> for Recorder {
    fn after(&mut self, log: &mut Log, _: &Call<'_>, outcome: Result<(), ErrorCode>) {
        log.outcomes.push(outcome.map_err(|code| code.0));
    }

    fn members(&mut self, _: &mut Log, call: Option<&Call<'_>>, members: &mut ObjectWriter<'_, '_>) {
        if call.is_some_and(|call| call.method() == "long") {
            members.member("src", &"x".repeat(256));
        }
    }
}

#[test]
fn observers_and_layers_see_a_time_limit() {
    let router = Router::new()
        .request_async("ask", async |_: &mut Log| pending::<Result<u8, _>>().await)
        .notification_async("tell", async |_: &mut Log| pending::<()>().await)
        .notification_async("note", async |_: &mut Log| ())
        .request("long", |_: &mut Log| Ok(7))
        .notification("set", |_: &mut Log, (_,): (u8,)| ())
        .limited_by(|_| polls(1));
    let mut server = Server::new(router)
        .observed_by(|log: &mut Log, event: Event<'_>| log.events.push(event.to_string()))
        .with_layer(Recorder);
    let mut log = Log::default();
    assert_eq!(answer(&mut server, &mut log, r#"{"jsonrpc":"2.0","method":"ask","id":1}"#), LATE);
    assert_eq!(answer(&mut server, &mut log, r#"{"jsonrpc":"2.0","method":"tell"}"#), "");
    assert_eq!(answer(&mut server, &mut log, r#"{"jsonrpc":"2.0","method":"note"}"#), "");
    let dropped = |method| format!("handler of {method} dropped at its time limit");
    assert_eq!(core::mem::take(&mut log.events), [dropped("ask"), dropped("tell")]);
    assert_eq!(core::mem::take(&mut log.outcomes), [Err(-32001), Err(-32001), Ok(())]);
    // and the other faults of the same server
    let long = answer(&mut server, &mut log, r#"{"jsonrpc":"2.0","method":"long","id":1}"#);
    assert_eq!(long, r#"{"jsonrpc":"2.0","result":7,"id":1}"#);
    assert_eq!(answer(&mut server, &mut log, r#"{"jsonrpc":"2.0","method":"set","params":["x"]}"#), "");
    assert_eq!(log.outcomes, [Ok(()), Err(-32602)]);
    assert_eq!(log.events.len(), 2, "{:?}", log.events);
    assert!(log.events[0].starts_with("reply to long without members: "), "{}", log.events[0]);
    assert!(log.events[1].starts_with("notification set dropped, "), "{}", log.events[1]);
    assert_eq!(ErrorCode::TIMED_OUT, ErrorCode(-32001));
}

#[test]
fn a_layer_sees_a_time_limit_without_an_observer() {
    let router = Router::new()
        .request_async("ask", async |_: &mut Log| pending::<Result<u8, _>>().await)
        .notification_async("tell", async |_: &mut Log| pending::<()>().await)
        .limited_by(|_| polls(1));
    let (mut server, mut log) = (Server::new(router).with_layer(Recorder), Log::default());
    assert_eq!(answer(&mut server, &mut log, r#"{"jsonrpc":"2.0","method":"ask","id":1}"#), LATE);
    assert_eq!(answer(&mut server, &mut log, r#"{"jsonrpc":"2.0","method":"tell"}"#), "");
    assert_eq!(log.outcomes, [Err(-32001), Err(-32001)]);
}

#[test]
fn without_room_for_the_error_the_answer_is_the_shortest_one() {
    let router = Router::new()
        .request_async("ask", async |_: &mut Vec<String>| pending::<Result<u8, _>>().await)
        .limited_by(|_| polls(1));
    let mut server =
        Server::new(router).observed_by(|events: &mut Vec<String>, event: Event<'_>| events.push(event.to_string()));
    let (mut events, mut output) = (Vec::new(), [0; 77]);
    let answer = run(server.process_async(&mut events, br#"{"jsonrpc":"2.0","method":"ask","id":1}"#, &mut output));
    let shortest = br#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}"#;
    assert_eq!(answer.answer(), Some(&shortest[..]));
    assert_eq!(events.len(), 2, "{events:?}");
}

#[test]
fn a_limit_is_for_the_routes_before_it_and_the_shortest_one_counts() {
    async fn count(_: &mut (), (count,): (u32,)) -> Result<u32, ErrorObject<'static>> {
        polls(count).await;
        Ok(count)
    }
    let router = Router::new()
        .request_async("short", count)
        .limited_by(|_| polls(2))
        .request_async("long", count)
        .limited_by(|call| polls(if call.method() == "long" { 5 } else { 50 }))
        .request_async("free", count)
        .nest("part.", Router::new().request_async("short", count).limited_by(|_| polls(3)));
    let mut server = Server::new(router);
    for (method, limit) in [("short", 2), ("long", 5), ("part.short", 3)] {
        let in_time = format!(r#"{{"jsonrpc":"2.0","result":{limit},"id":1}}"#);
        assert_eq!(answer(&mut server, &mut (), &call(method, &format!("[{limit}]"))), in_time, "{method}");
        assert_eq!(answer(&mut server, &mut (), &call(method, &format!("[{}]", limit + 1))), LATE, "{method}");
    }
    assert!(answer(&mut server, &mut (), &call("free", "[1000]")).contains("1000"));
}

#[test]
fn a_timer_is_polled_with_the_waker_of_the_task() {
    let wakers = RefCell::new(Vec::new());
    let router =
        Router::new().request_async("ask", async |_: &mut ()| pending::<Result<u8, _>>().await).limited_by(|_| {
            poll_fn(|task| {
                wakers.borrow_mut().push(task.waker().clone());
                if wakers.borrow().len() < 2 { Poll::Pending } else { Poll::Ready(()) }
            })
        });
    assert_eq!(answer(&mut Server::new(router), &mut (), r#"{"jsonrpc":"2.0","method":"ask","id":1}"#), LATE);
    assert_eq!(wakers.borrow().len(), 2);
}
