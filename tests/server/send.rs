//! Types and futures are `Send` and `Sync` when the program's own parts are, so that a server runs on any executor or thread.
#![cfg(feature = "serde")]

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use nanojsonrpc::client::Client;
use nanojsonrpc::frame::{ContentLength, Events, Framer, Lines, Values};
use nanojsonrpc::server::{Registry, Replied, Reply, handler, listener};
use nanojsonrpc::{ErrorCode, ErrorObject, Params, RawValue, Router, Server, Writer, message::Str};

const fn shared<T: Send + Sync>(_: &T) {}

/// The bounds of an executor with threads on a task.
fn spawn<F: Future<Output: Send> + Send + 'static>(future: F) -> F::Output {
    let thread = std::thread::spawn(move || {
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return output;
            }
        }
    });
    thread.join().unwrap()
}

#[derive(serde::Deserialize)]
struct Point {
    x: i32,
}

struct Fault;

impl From<Fault> for ErrorObject<'static> {
    fn from(_: Fault) -> Self {
        ErrorObject::new(-32001, "Fault")
    }
}

struct TooHot(i32);

impl From<TooHot> for ErrorObject<'static, i32> {
    fn from(TooHot(celsius): TooHot) -> Self {
        ErrorObject { code: (-32002).into(), message: Str::Plain("Too hot"), data: Some(celsius) }
    }
}

#[derive(Default)]
struct Board {
    led: bool,
}

async fn wait() {
    core::future::ready(()).await;
}

async fn measure(_: &mut Board, (channel,): (u8,)) -> Result<u32, ErrorObject<'static>> {
    wait().await;
    Ok(u32::from(channel))
}

const fn coded(_: &mut Board) -> Result<u8, (ErrorCode, &'static str)> {
    Err((ErrorCode(-32003), "coded"))
}

async fn late_coded(_: &mut Board) -> Result<u8, (ErrorCode, &'static str)> {
    wait().await;
    Err((ErrorCode(-32003), "coded"))
}

/// Every kind of route, with closures and functions, and every kind of error.
macro_rules! server {
    () => {
        Server::new(
            Router::new()
                .request_async("measure", measure)
                .request_async("point", async |_: &mut Board, point: Point| {
                    wait().await;
                    Ok(point.x)
                })
                .request_async("words", async |_: &mut Board| Ok("some"))
                .limited_by(|_| core::future::pending::<()>())
                .request_async("first", async |_: &mut Board, params: Params<'_>| {
                    wait().await;
                    let first: &str =
                        params.element(0).and_then(RawValue::as_str).ok_or(ErrorObject::INVALID_PARAMS)?;
                    Ok(first.len())
                })
                .request_async("echo", async |_: &mut Board, params: Params<'_>, reply: Reply<'_>| {
                    wait().await;
                    reply.success(&params)
                })
                .notification_async("set", async |board: &mut Board, (led,): (bool,)| {
                    wait().await;
                    board.led = led;
                })
                .request("ping", |_: &mut Board| Ok("pong"))
                .request("sum", |_: &mut Board, (a, b): (i32, i32)| a.checked_add(b).ok_or(ErrorObject::INVALID_PARAMS))
                .request("back", |_: &mut Board, params: Params<'_>, reply: Reply<'_>| -> Replied {
                    reply.success(&params)
                })
                .notification("led", |board: &mut Board, (led,): (bool,)| board.led = led)
                .fallback(|_: &mut Board, _, _, reply| reply.success(&()))
                .notification_fallback(|_: &mut Board, _, _| {})
                .response(|_: &mut Board, _| {})
                .nest("slow.", Router::new().request_async("measure", measure))
                .request_fallible("fault", |_: &mut Board| Err::<(), _>(Fault))
                .request_fallible_async("late fault", async |_: &mut Board| {
                    wait().await;
                    Err::<(), _>(Fault)
                })
                .request_fallible("hot", |_: &mut Board| Err::<(), _>(TooHot(81)))
                .request_fallible_async("late hot", async |_: &mut Board, (degrees,): (i32,)| {
                    wait().await;
                    if degrees > 80 { Err(TooHot(degrees)) } else { Ok(()) }
                }),
        )
    };
}

#[test]
fn a_server_of_every_kind_of_route_runs_as_a_task_that_may_move_to_another_thread() {
    let answers = spawn(async {
        let mut server = server!();
        shared(&server);
        let (mut board, mut output, mut answers) = (Board::default(), [0; 256], Vec::new());
        for method in ["measure", "slow.measure", "late hot", "fault", "nothing"] {
            let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":[81],"id":1}}"#);
            let answer = server.process_async(&mut board, text.as_bytes(), &mut output).await.answer();
            answers.push(String::from_utf8(answer.unwrap().to_vec()).unwrap());
        }
        answers
    });
    assert_eq!(
        answers,
        [
            r#"{"jsonrpc":"2.0","result":81,"id":1}"#,
            r#"{"jsonrpc":"2.0","result":81,"id":1}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32002,"message":"Too hot","data":81},"id":1}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params: expected none"},"id":1}"#,
            r#"{"jsonrpc":"2.0","result":null,"id":1}"#,
        ]
    );
}

/// The compiler proves that a future is `Send` with every lifetime in it replaced by an unknown one, also the `'static` of an error.
#[test]
fn a_server_whose_errors_have_static_texts_runs_as_a_task() {
    let answers = spawn(async {
        let router = Router::new()
            .request_fallible("coded", coded)
            .request_fallible("closure", |_: &mut Board| Err::<(), _>((ErrorCode(-32003), "coded")))
            .request_fallible_async("late", late_coded)
            .request_fallible_async("late closure", async |_: &mut Board| {
                wait().await;
                Err::<(), _>((ErrorCode(-32003), "coded"))
            });
        let (mut server, mut board, mut output, mut answers) =
            (Server::new(router), Board::default(), [0; 128], vec![]);
        for method in ["coded", "closure", "late", "late closure"] {
            let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#);
            let answer = server.process_async(&mut board, text.as_bytes(), &mut output).await.answer();
            answers.push(String::from_utf8(answer.unwrap().to_vec()).unwrap());
        }
        answers
    });
    assert_eq!(answers, [r#"{"jsonrpc":"2.0","error":{"code":-32003,"message":"coded"},"id":1}"#; 4]);
}

/// The compiler counts the levels of types in a future. Without a limit of its own, this crate compiles only if a route adds few levels.
#[test]
fn a_task_may_have_forty_routes() {
    macro_rules! router {
        ($router:expr; $($tens:literal)*) => { $router$(
            .request_async(concat!($tens, "0"), measure)
            .request_async(concat!($tens, "1"), measure)
            .request_async(concat!($tens, "2"), async |_: &mut Board| {
                wait().await;
                Ok($tens)
            })
            .request(concat!($tens, "3"), |_: &mut Board| Ok($tens))
            .notification_async(concat!($tens, "4"), async |_: &mut Board| wait().await)
        )* };
    }
    let answers = spawn(async {
        let mut server = Server::new(router!(Router::new(); 1 2 3 4 5 6 7 8));
        let (mut board, mut output, mut answers) = (Board::default(), [0; 128], vec![]);
        for method in ["12", "13", "82", "83", "84"] {
            let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#);
            let answer = server.process_async(&mut board, text.as_bytes(), &mut output).await.answer();
            answers.push(String::from_utf8(answer.unwrap().to_vec()).unwrap());
        }
        answers
    });
    let result = |number: u8| format!(r#"{{"jsonrpc":"2.0","result":{number},"id":1}}"#);
    let unknown = r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}"#.to_owned();
    assert_eq!(answers, [result(1), result(1), result(8), result(8), unknown]);
}

#[test]
fn a_server_moves_to_a_thread() {
    let mut server = Server::new(Router::new().request("ping", |_: &mut Board| Ok("pong")));
    let answer = std::thread::spawn(move || {
        let mut output = [0; 96];
        let answer =
            server.process(&mut Board::default(), br#"{"jsonrpc":"2.0","method":"ping","id":1}"#, &mut output).answer();
        answer.map(<[u8]>::to_vec)
    });
    assert_eq!(answer.join().unwrap().unwrap(), br#"{"jsonrpc":"2.0","result":"pong","id":1}"#);
}

#[test]
fn a_registry_moves_to_a_thread_with_what_its_handlers_hold() {
    const fn sent<T: Send>(_: &T) {}

    // `Send`, not `Sync`
    let calls = core::cell::Cell::new(0);
    let mut ping = handler(move |_: &mut Board| {
        calls.set(calls.get() + 1);
        Ok(calls.get())
    });
    let mut set = listener(|board: &mut Board, (led,): (bool,)| board.led = led);
    // the context need not be `Send`
    sent(&Registry::<'_, std::rc::Rc<u8>, 1>::new());
    let mut registry: Registry<'_, Board, 2> = Registry::new();
    registry.request("ping", &mut ping).unwrap();
    registry.notification("set", &mut set).unwrap();
    let mut server = Server::new(Router::new().registry(registry));
    let answers = std::thread::scope(|scope| {
        let serving = scope.spawn(move || {
            let (mut board, mut output) = (Board::default(), [0; 96]);
            let text =
                br#"[{"jsonrpc":"2.0","method":"ping","id":1},{"jsonrpc":"2.0","method":"set","params":[true]}]"#;
            let answer = {
                let future = pin!(server.process_async(&mut board, text, &mut output));
                sent(&future);
                match future.poll(&mut Context::from_waker(Waker::noop())) {
                    Poll::Ready(processed) => processed.answer().map(<[u8]>::to_vec),
                    Poll::Pending => None,
                }
            };
            Some((answer?, board.led))
        });
        serving.join().unwrap()
    });
    assert_eq!(answers, Some((br#"[{"jsonrpc":"2.0","result":1,"id":1}]"#.to_vec(), true)));
}

#[test]
fn clients_writers_and_framers_are_shared() {
    shared(&Client::<String, 4>::new());
    shared(&Writer::new(&mut []));
    shared(&Framer::<Lines, 8>::new());
    shared(&Framer::<ContentLength, 8>::new());
    shared(&Framer::<Lines>::over(&mut [0; 8]));
    shared(&Framer::<Values, 8>::new());
    shared(&Framer::<Events, 64>::new());
}

#[cfg(feature = "mcp")]
#[test]
fn a_service_runs_as_a_task_that_may_move_to_another_thread() {
    use nanojsonrpc::mcp::types::{Content, Implementation, Tool};
    use nanojsonrpc::mcp::{PromptCall, ReadCall, Schema, Service, ToolCall, uri_template};

    static TOOL: Tool<'static> = Tool::new(Str::Plain("full"), Schema::NO_ARGUMENTS);
    static SELF: Implementation<'static> = Implementation::new(Str::Plain("lamp"), Str::Plain("1"));
    let is_answered = spawn(async {
        let mut server = Service::new("lamp", "1.0.0")
            .implementation(&SELF)
            .tool("on", "Switches.", Schema::NO_ARGUMENTS, |_: &mut Board, call: ToolCall<'_>| {
                call.content(&[Content::text("on")])
            })
            .tool_as("full", &TOOL, |_: &mut Board, call: ToolCall<'_>| call.text("on"))
            .resource("lamp:a", "a", "text/plain", |_: &mut Board, call: ReadCall<'_>| call.text("a"))
            .resource_template(uri_template!("lamp:{id}"), "b", "text/plain", |_: &mut Board, call: ReadCall<'_>| {
                call.text("b")
            })
            .prompt("mood", "Mood.", &[], |_: &mut Board, call: PromptCall<'_>| call.user("calm"))
            .tool_async("wait", "Waits.", Schema::NO_ARGUMENTS, async |_: &mut Board| {
                tokio::task::yield_now().await;
                "waited"
            })
            .tool_async("typed", "Waits.", Schema::NO_ARGUMENTS, async |_: &mut Board, (): ()| {
                tokio::task::yield_now().await;
            })
            .tool_async("look", "Waits.", Schema::NO_ARGUMENTS, async |_: &mut Board, call: ToolCall<'_>| {
                tokio::task::yield_now().await;
                call.text("looked")
            })
            .resource_async("lamp:c", "c", "text/plain", async |_: &mut Board, call: ReadCall<'_>| {
                tokio::task::yield_now().await;
                call.text("c")
            })
            .unlisted(|_, _, _| {})
            .shown_if(|_, _| true)
            .server();
        shared(&server);
        let (mut board, mut output) = (Board::default(), [0; 512]);
        let text = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        server.process_async(&mut board, text, &mut output).await.answer().is_some()
    });
    assert!(is_answered);
}

#[cfg(feature = "embedded-io-async")]
#[test]
fn a_connection_runs_as_a_task_that_may_move_to_another_thread() {
    use nanojsonrpc::Notification;
    use nanojsonrpc::connection::{Connection, serve_async};

    let is_served = spawn(async {
        let (mut server, mut board) = (server!(), Board::default());
        let (mut framer, mut output) = (Framer::<Lines, 256>::new(), [0; 256]);
        let mut stream = &b"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\n"[..];
        let mut sent = [0; 256];
        let mut sink = &mut sent[..];
        serve_async(&mut stream, &mut sink, &mut framer, &mut output, &mut server, &mut board).await.is_ok() && {
            let mut connection = Connection::new(&mut stream, &mut sink, &mut framer, &mut output);
            shared(&connection);
            connection.peer_async(&mut server, &mut board).call_async::<u8>("ping", &()).await.is_err()
                && connection.send_async(&Notification::new("bye")).await.is_ok()
                && connection.read_async().await.is_ok()
                && connection.answer_async(&mut server, &mut board).await.is_ok()
        }
    });
    assert!(is_served);
}
