//! A layer sees every call before its handler and after its answer, and may refuse it.
#![cfg(feature = "serde")]

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use nanojsonrpc::server::route::Call;
use nanojsonrpc::server::{AnyHandler, Event, Layer, Registry, Reply, handler};
use nanojsonrpc::{EnvelopeKind, ErrorCode, ErrorObject, Notification, Params, Request, Response, Router, Server};

type Log = Vec<String>;

/// Writes a line before and a line after each call, and refuses the calls of one method.
#[derive(Clone)]
struct Logger {
    name: &'static str,
    refused: &'static str,
}

const LOGGER: Logger = Logger { name: "", refused: "forbidden" };

fn shown(call: &Call<'_>) -> String {
    let id = call.id().map_or_else(|| "-".to_owned(), |id| id.to_string());
    let params = call.params().raw().map_or_else(|| "-".to_owned(), |params| params.to_string());
    format!("{:?} {} {id} {params}", call.kind(), call.method())
}

impl Layer<Log> for Logger {
    fn before(&mut self, log: &mut Log, call: &Call<'_>) -> Result<(), ErrorObject<'static>> {
        log.push(format!("{}> {}", self.name, shown(call)));
        if call.method() == self.refused { Err(ErrorObject::new(-32001, "Forbidden")) } else { Ok(()) }
    }

    fn after(&mut self, log: &mut Log, call: &Call<'_>, outcome: Result<(), ErrorCode>) {
        let outcome = outcome.map_or_else(|code| code.0.to_string(), |()| "ok".to_owned());
        log.push(format!("{}< {} {outcome}", self.name, shown(call)));
    }
}

/// A handler without a reply.
struct Mute;

impl AnyHandler<Log> for Mute {
    fn answer(&mut self, _: &mut Log, _: Params<'_>, _: Reply<'_>) {}
}

macro_rules! router {
    () => {
        Router::new()
            .request("ping", |log: &mut Log| {
                log.push("handler".to_owned());
                Ok("pong")
            })
            .request("forbidden", |_: &mut Log| -> Result<(), ErrorObject<'static>> { panic!("a refused call") })
            .request("hot", |_: &mut Log| -> Result<(), ErrorObject<'static>> { Err(ErrorObject::new(-5, "hot")) })
            .request("long", |_: &mut Log| Ok("x".repeat(500)))
            .request("typed", |_: &mut Log, (_,): (u8,)| Ok(()))
            .notification("forbidden", |_: &mut Log| panic!("a refused notification"))
            .notification("led", |_: &mut Log, (_,): (u8,)| {})
            .nest("deep.", Router::new().request("ping", |_: &mut Log| Ok("pong")))
    };
}

fn text(members: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0",{members}}}"#)
}

/// The members of a message, the call as a layer sees it, and the outcome.
const CASES: [(&str, &str, &str); 13] = [
    (r#""method":"hot","id":"a""#, r#"Request hot "a" -"#, "-5"),
    (r#""method":"forbidden","id":1"#, "Request forbidden 1 -", "-32001"),
    (r#""method":"long","id":1.50"#, "Request long 1.50 -", "-32603"),
    (r#""method":"typed","params":[7],"id":1"#, "Request typed 1 [7]", "ok"),
    (r#""method":"typed","params":{"a":7},"id":1"#, r#"Request typed 1 {"a":7}"#, "-32602"),
    (r#""method":"deep.ping","id":1"#, "Request deep.ping 1 -", "ok"),
    (r#""method":"none","id":null"#, "Request none null -", "-32601"),
    (r#""method":"forbidden""#, "Notification forbidden - -", "-32001"),
    (r#""method":"led","params":[256]"#, "Notification led - [256]", "-32602"),
    (r#""method":"led","params":[255]"#, "Notification led - [255]", "ok"),
    (r#""method":"none""#, "Notification none - -", "-32601"),
    (r#""result":1,"id":7"#, "Success  7 -", "-32601"),
    (r#""error":{"code":1,"message":""},"id":7"#, "Error  7 -", "-32601"),
];

fn lines(call: &str, outcome: &str) -> [String; 2] {
    [format!("> {call}"), format!("< {call} {outcome}")]
}

#[test]
fn each_call_is_seen_before_and_after_with_the_code_that_was_sent() {
    let mut server = Server::new(router!()).with_layer(LOGGER);
    for (members, call, outcome) in CASES {
        let (mut log, mut output) = (Log::new(), [0; 128]);
        let answer = server.process(&mut log, text(members).as_bytes(), &mut output).answer();
        assert_eq!(log, lines(call, outcome), "{members}");
        let code =
            answer.map(|answer| Response::parse(answer).unwrap().outcome.map_or_else(|error| error.code.0, |_| 0));
        let is_request = call.starts_with("Request");
        assert_eq!(code, is_request.then(|| outcome.parse().unwrap_or(0)), "{members}");
    }
}

#[test]
fn each_element_of_a_batch_is_a_call_of_its_own() {
    let elements: Vec<String> = CASES.iter().map(|(members, ..)| text(members)).collect();
    let batch = format!("[1,{}]", elements.join(","));
    let mut expected: Log = CASES.iter().flat_map(|(_, call, outcome)| lines(call, outcome)).collect();
    // in the room of a batch the long reply fits
    expected[5] = "< Request long 1.50 - ok".to_owned();
    let mut log = Log::new();
    Server::new(router!()).with_layer(LOGGER).process(&mut log, batch.as_bytes(), &mut [0; 2048]);
    assert_eq!(log, expected);
    let mut log = Log::new();
    let mut server = Server::new(router!()).with_layer(LOGGER);
    let mut output = [0; 2048];
    {
        let mut served = pin!(server.process_async(&mut log, batch.as_bytes(), &mut output));
        assert!(served.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    }
    assert_eq!(log, expected);
}

#[test]
fn a_handler_without_a_reply_and_a_refusal_that_does_not_fit_are_internal_errors() {
    let (mut mute, mut log, mut output) = (Mute, Log::new(), [0; 128]);
    let mut registry: Registry<'_, Log, 1> = Registry::new();
    registry.request("mute", &mut mute).unwrap();
    let mut server = Server::with_routes(registry).with_layer(LOGGER);
    server.process(&mut log, text(r#""method":"mute","id":1"#).as_bytes(), &mut output);
    assert_eq!(log, lines("Request mute 1 -", "-32603"));

    struct Verbose;
    impl Layer<Log> for Verbose {
        fn before(&mut self, _: &mut Log, _: &Call<'_>) -> Result<(), ErrorObject<'static>> {
            Err(ErrorObject::new(-1, "a long text that does not fit into the room of the shortest answer to a call"))
        }

        fn after(&mut self, log: &mut Log, _: &Call<'_>, outcome: Result<(), ErrorCode>) {
            log.push(format!("{outcome:?}"));
        }
    }
    log.clear();
    let mut server = Server::new(router!()).with_layer(Verbose);
    let answer =
        server.process(&mut log, text(r#""method":"ping","id":1"#).as_bytes(), &mut output[..96]).answer().unwrap();
    assert!(answer.starts_with(br#"{"jsonrpc":"2.0","error":{"code":-32603"#), "{answer:?}");
    assert_eq!(log, ["Err(ErrorCode(-32603))"]);
}

#[test]
fn a_call_of_a_fallback_and_a_response_with_a_listener_are_seen_once() {
    let router = router!()
        .fallback(|_: &mut Log, _, _, reply| reply.success(&1))
        .notification_fallback(|_: &mut Log, _, _| {})
        .response(|_: &mut Log, _| {});
    let mut server = Server::new(router).with_layer(LOGGER);
    let mut log = Log::new();
    for members in [r#""method":"none","id":1"#, r#""method":"none""#, r#""result":1,"id":7"#] {
        server.process(&mut log, text(members).as_bytes(), &mut [0; 128]);
    }
    let calls = ["Request none 1 -", "Notification none - -", "Success  7 -"];
    assert_eq!(log, calls.map(|call| lines(call, "ok")).concat());
}

#[test]
fn a_refused_response_reaches_no_listener() {
    struct Closed;
    impl Layer<u32> for Closed {
        fn before(&mut self, _: &mut u32, _: &Call<'_>) -> Result<(), ErrorObject<'static>> {
            Err(ErrorObject::INVALID_REQUEST)
        }
    }
    let mut server = Server::new(Router::new().response(|seen: &mut u32, _| *seen += 1)).with_layer(Closed);
    let mut seen = 0;
    assert_eq!(server.process(&mut seen, text(r#""result":1,"id":7"#).as_bytes(), &mut [0; 128]).answer(), None);
    assert_eq!(seen, 0);
}

#[test]
fn the_last_layer_is_the_outermost_and_a_refused_call_goes_no_further_in() {
    let inner = Logger { name: "inner", refused: "hot" };
    let outer = Logger { name: "outer", refused: "typed" };
    let mut server = Server::new(router!()).with_layer(inner).with_layer(outer);
    let mut seen = |members: &str| {
        let mut log = Log::new();
        server.process(&mut log, text(members).as_bytes(), &mut [0; 128]);
        log.iter().map(|line| line.split_whitespace().next().unwrap().to_owned()).collect::<Log>()
    };
    assert_eq!(seen(r#""method":"ping","id":1"#), ["outer>", "inner>", "handler", "inner<", "outer<"]);
    assert_eq!(seen(r#""method":"hot","id":1"#), ["outer>", "inner>", "inner<", "outer<"]);
    assert_eq!(seen(r#""method":"typed","id":1"#), ["outer>", "outer<"]);
    assert_eq!(seen(r#""method":"none""#), ["outer>", "inner>", "inner<", "outer<"]);
}

#[test]
fn the_observer_is_called_as_without_a_layer() {
    let observe = |log: &mut Log, event: Event<'_>| log.push(event.to_string());
    for (members, call, outcome) in CASES.iter().filter(|(members, ..)| !members.contains("forbidden")) {
        let (mut alone, mut below) = (Log::new(), Log::new());
        let text = text(members);
        Server::new(router!()).observed_by(observe).process(&mut alone, text.as_bytes(), &mut [0; 128]);
        let server = Server::new(router!()).observed_by(observe);
        server.with_layer(LOGGER).process(&mut below, text.as_bytes(), &mut [0; 128]);
        let seen = lines(call, outcome);
        below.retain(|line| !seen.contains(line));
        assert_eq!(below, alone, "{members}");
    }
}

#[test]
fn a_call_that_the_program_has_read_is_seen() {
    let mut server = Server::new(router!()).with_layer(LOGGER);
    let (mut log, mut output) = (Log::new(), [0; 256]);
    let call = text(r#""method":"ping","id":"a""#);
    let request: Request<'_> = Request::parse(call.as_bytes()).unwrap();
    assert!(server.handle(&mut log, &request, &mut output).answer().is_some());
    server.notify(&mut log, &<Notification<'_>>::new("none"));
    let seen = [
        &["> Request ping \"a\" -", "handler", "< Request ping \"a\" - ok"][..],
        &["> Notification none - -", "< Notification none - - -32601"],
    ];
    assert_eq!(log, seen.concat());
}

#[test]
fn a_dropped_future_has_no_after() {
    let router = Router::new().request_async("wait", async |_: &mut Log| {
        core::future::pending::<()>().await;
        Ok(())
    });
    let mut server = Server::new(router).with_layer(LOGGER);
    let mut log = Log::new();
    {
        let (wait, mut output) = (text(r#""method":"wait","id":1"#), [0; 128]);
        let mut served = pin!(server.process_async(&mut log, wait.as_bytes(), &mut output));
        assert_eq!(served.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending);
    }
    assert_eq!(log, ["> Request wait 1 -"]);
}

#[test]
fn a_layer_does_not_hide_whether_a_server_is_send_and_a_call_shows_its_kind() {
    fn is_send(_: &impl Send) {}
    let router = Router::new().request_async("ping", async |_: &mut Log| Ok("pong"));
    let mut server = Server::new(router).with_layer(LOGGER);
    let mut log = Log::new();
    is_send(&server.process_async(&mut log, b"{}", &mut []));

    struct Kinds;
    impl Layer<Vec<EnvelopeKind>> for Kinds {
        fn before(&mut self, kinds: &mut Vec<EnvelopeKind>, call: &Call<'_>) -> Result<(), ErrorObject<'static>> {
            kinds.push(call.kind());
            Ok(())
        }
    }
    let mut kinds = Vec::new();
    let mut double = handler(|_: &mut Vec<EnvelopeKind>, (number,): (i32,)| Ok(number * 2));
    let mut registry: Registry<'_, Vec<EnvelopeKind>, 1> = Registry::new();
    registry.request("double", &mut double).unwrap();
    let mut server = Server::with_routes(registry).with_layer(Kinds);
    server.process(&mut kinds, text(r#""method":"double","params":[1],"id":1"#).as_bytes(), &mut [0; 128]);
    assert_eq!(kinds, [EnvelopeKind::Request]);
}

/// A log that connections and their waiting handlers share.
#[cfg(feature = "embedded-io-async")]
#[derive(Clone, Default)]
struct Shared(std::rc::Rc<core::cell::RefCell<Log>>);

#[cfg(feature = "embedded-io-async")]
impl Layer<Shared> for Logger {
    fn before(&mut self, log: &mut Shared, call: &Call<'_>) -> Result<(), ErrorObject<'static>> {
        Layer::<Log>::before(self, &mut log.0.borrow_mut(), call)
    }

    fn after(&mut self, log: &mut Shared, call: &Call<'_>, outcome: Result<(), ErrorCode>) {
        Layer::<Log>::after(self, &mut log.0.borrow_mut(), call, outcome);
    }
}

#[cfg(feature = "embedded-io-async")]
#[test]
fn a_concurrent_connection_calls_the_layer_of_each_waiting_handler() {
    use nanojsonrpc::connection::{Cancellation, Connection};
    use nanojsonrpc::frame::{Framer, Lines};
    use nanojsonrpc::memory::Pipe;

    let router = Router::new()
        .request_async("wait", async |_: &mut Shared| {
            core::future::pending::<()>().await;
            Ok(())
        })
        .request_async("forbidden", async |_: &mut Shared| -> Result<(), ErrorObject<'static>> {
            panic!("a refused call")
        })
        .request_async("late", async |_: &mut Shared| Err::<u8, _>(ErrorObject::new(-7, "late")))
        .request("ping", |_: &mut Shared| Ok("pong"));
    let mut server = Server::new(router).with_layer(LOGGER);
    let mut pipe: Pipe<1024> = Pipe::new();
    let (device, hub) = pipe.ends();
    let lines = [
        r#""method":"wait","id":1"#,
        r#""method":"late","id":2"#,
        r#""method":"forbidden","id":3"#,
        r#""method":"ping","id":4"#,
        r#""method":"notifications/cancelled","params":{"requestId":1}"#,
    ];
    hub.try_write(lines.map(|members| text(members) + "\n").concat().as_bytes()).unwrap();
    hub.close();
    let (mut framer, mut output) = (Framer::<Lines, 512>::new(), [0; 512]);
    let mut connection = Connection::new(&device, &device, &mut framer, &mut output);
    let log = Shared::default();
    {
        let mut context = log.clone();
        let serving = connection.concurrent::<4, 256, 256>().cancelled_by(Cancellation::MCP);
        embassy_futures::block_on(serving.serve(&mut server, &mut context)).unwrap();
    }
    let mut log = log.0.take();
    log.sort();
    let mut expected = vec!["> Request wait 1 -".to_owned()];
    for (call, outcome) in [("late 2", "-7"), ("forbidden 3", "-32001"), ("ping 4", "ok")] {
        expected.extend(lines_of(call, outcome));
    }
    expected.sort();
    assert_eq!(log, expected);
}

#[cfg(feature = "embedded-io-async")]
fn lines_of(call: &str, outcome: &str) -> [String; 2] {
    lines(&format!("Request {call} -"), outcome)
}

#[test]
fn a_layer_without_methods_changes_nothing_and_is_reached_behind_its_server() {
    struct Idle(u8);

    impl<C> Layer<C> for Idle {}

    let routes = Router::new().request("ping", |_: &mut ()| Ok("pong")).into_routes();
    let mut server = Server::with_routes(routes).with_layer(Idle(7));
    let (ping, mut output) = (text(r#""method":"ping","id":1"#), [0; 128]);
    let answer = server.process(&mut (), ping.as_bytes(), &mut output).answer();
    assert_eq!(answer, Some(&br#"{"jsonrpc":"2.0","result":"pong","id":1}"#[..]));
    assert_eq!(server.layer_mut().0, 7);
}

#[cfg(feature = "macros")]
#[nanojsonrpc::service]
trait Lamp {
    fn level(&self) -> u8;
    #[notification]
    fn dim(&mut self, by: u8);
    #[notification]
    fn say(&mut self, words: &str);
}

#[cfg(feature = "macros")]
struct Desk;

#[cfg(feature = "macros")]
impl Lamp for Desk {
    fn level(&self) -> u8 {
        7
    }

    fn dim(&mut self, _: u8) {}

    fn say(&mut self, _: &str) {}
}

#[cfg(feature = "macros")]
#[test]
fn the_calls_of_a_declared_service_are_seen() {
    let mut server = LampService::server(Desk).with_layer(LOGGER);
    let mut log = Log::new();
    for members in [r#""method":"level","id":1"#, r#""method":"dim","params":[1]"#, r#""method":"dim","params":[]"#] {
        server.process(&mut log, text(members).as_bytes(), &mut [0; 128]);
    }
    let calls = [("Request level 1 -", "ok"), ("Notification dim - [1]", "ok"), ("Notification dim - []", "-32602")];
    assert_eq!(log, calls.map(|(call, outcome)| lines(call, outcome)).concat());
}

#[cfg(feature = "macros")]
#[test]
fn a_notification_without_room_to_decode_it_is_an_internal_error() {
    let mut server = LampService::server(Desk).with_layer(LOGGER);
    for (room, outcome) in [(0, "-32603"), (1, "ok")] {
        let mut log = Log::new();
        server.process(&mut log, text(r#""method":"say","params":["\n"]"#).as_bytes(), &mut vec![0; room]);
        assert_eq!(log, lines(r#"Notification say - ["\n"]"#, outcome));
    }
}

#[cfg(feature = "mcp")]
#[test]
fn the_calls_of_an_mcp_service_are_seen_over_http_and_without_it() {
    use nanojsonrpc::mcp::http::{Endpoint, Head};
    use nanojsonrpc::mcp::{Schema, Service, ToolCall};

    /// Lets through all tools but one.
    struct Tools;
    impl Layer<Log> for Tools {
        fn before(&mut self, _: &mut Log, call: &Call<'_>) -> Result<(), ErrorObject<'static>> {
            let name = call.params().get("name").and_then(|name| name.as_str_raw());
            if call.requests("tools/call") && name.is_some_and(|name| name == "reset") {
                Err(ErrorObject::new(-32001, "Forbidden"))
            } else {
                Ok(())
            }
        }

        fn after(&mut self, log: &mut Log, call: &Call<'_>, outcome: Result<(), ErrorCode>) {
            log.push(format!("{} {outcome:?}", call.method()));
        }
    }

    let mut server = Service::new("lamp", "1.0.0")
        .tool("on", "Switches on.", Schema::NO_ARGUMENTS, |_: &mut Log, call: ToolCall<'_>| call.text("on"))
        .tool("reset", "Resets.", Schema::NO_ARGUMENTS, |_: &mut Log, _: ToolCall<'_>| panic!("a refused tool"))
        .server()
        .with_layer(Tools);
    let mut log = Log::new();
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
    for (name, id) in [("on", 1), ("reset", 2), ("none", 3)] {
        let body = text(&format!(r#""method":"tools/call","params":{{"name":"{name}",{meta}}},"id":{id}"#));
        let mut output = [0; 512];
        assert!(server.process(&mut log, body.as_bytes(), &mut output).answer().is_some());
        let mut head = Head::new("POST");
        head.version = Some(b"2026-07-28");
        head.mcp_method = Some(b"tools/call");
        head.mcp_name = Some(name.as_bytes());
        let response = Endpoint::new().answer(&mut server, &mut log, &head, body.as_bytes(), &mut output);
        assert!(!response.body().is_empty());
    }
    server.process(&mut log, text(r#""method":"notifications/initialized""#).as_bytes(), &mut []);
    server.process(&mut log, text(r#""method":"nothing""#).as_bytes(), &mut []);
    let seen = ["Ok(())", "Err(ErrorCode(-32001))", "Err(ErrorCode(-32602))"].map(|one| format!("tools/call {one}"));
    let mut expected: Log = seen.iter().flat_map(|one| [one.clone(), one.clone()]).collect();
    expected.push("notifications/initialized Ok(())".to_owned());
    expected.push("nothing Err(ErrorCode(-32601))".to_owned());
    assert_eq!(log, expected);
}

#[cfg(feature = "http")]
#[test]
fn the_calls_of_an_http_endpoint_are_seen_and_a_refused_head_is_not() {
    use nanojsonrpc::http::{Endpoint, Head};

    let mut server = Server::new(router!()).with_layer(LOGGER);
    let (mut log, mut output) = (Log::new(), [0; 256]);
    let body = text(r#""method":"forbidden","id":1"#);
    let length = body.len().to_string();
    let headers = [("content-type", "application/json"), ("content-length", &*length)];
    let head = |method: &'static str| Head::from_headers(method, "/", headers);
    let response = Endpoint::new().answer(&mut server, &mut log, &head("POST"), body.as_bytes(), &mut output);
    assert_eq!(response.status(), 200);
    assert_eq!(log, lines("Request forbidden 1 -", "-32001"));
    log.clear();
    Endpoint::new().answer(&mut server, &mut log, &head("PUT"), body.as_bytes(), &mut output);
    assert!(log.is_empty());
}

/// Notes the member `src` of each message before the routes.
struct Sources;

impl Layer<Vec<Option<i64>>> for Sources {
    fn before(&mut self, seen: &mut Vec<Option<i64>>, call: &Call<'_>) -> Result<(), ErrorObject<'static>> {
        seen.push(call.get("src").and_then(|src| src.as_i64()));
        Ok(())
    }
}

#[test]
fn a_layer_reads_the_other_members_of_every_message() {
    let router = Router::new().response(|_: &mut Vec<Option<i64>>, _| {});
    let mut server = Server::new(router).with_layer(Sources);
    let (mut seen, mut output) = (Vec::new(), [0; 256]);
    let batch = r#"[{"jsonrpc":"2.0","src":1,"method":"a","id":1},{"jsonrpc":"2.0","src":2,"method":"b"},{"jsonrpc":"2.0","src":3,"result":0,"id":2},{"jsonrpc":"2.0","method":"c","id":4}]"#;
    server.process(&mut seen, batch.as_bytes(), &mut output);
    server.process(&mut seen, br#"{"src":5,"jsonrpc":"2.0","result":0,"id":2}"#, &mut output);
    server.handle(&mut seen, &nanojsonrpc::Request::<64, 64>::new(1, "d"), &mut output);
    assert_eq!(seen, [Some(1), Some(2), Some(3), None, Some(5), None]);
}

#[test]
fn only_answers_have_members_of_a_layer() {
    struct Counting;

    impl Layer<u32> for Counting {
        fn members(
            &mut self,
            count: &mut u32,
            call: Option<&Call<'_>>,
            members: &mut nanojsonrpc::json::ObjectWriter<'_, '_>,
        ) {
            assert!(call.is_some_and(|call| call.requests("a")));
            members.member("src", "lamp");
            *count += 1;
        }
    }

    let router = Router::new().request("a", |_: &mut u32| Ok(1)).response(|_: &mut u32, _| {});
    let mut server = Server::new(router).with_layer(Counting);
    let batch =
        r#"[{"jsonrpc":"2.0","result":0,"id":2},{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"a","id":1}]"#;
    let (mut count, mut output) = (0, [0; 256]);
    let answer = server.process(&mut count, batch.as_bytes(), &mut output).answer();
    assert_eq!(answer, Some(&br#"[{"jsonrpc":"2.0","result":1,"id":1,"src":"lamp"}]"#[..]));
    assert_eq!(count, 1);
}
