//! Routes with `async` handlers that a function returns, in tasks of a runtime with many threads.
#![cfg(all(feature = "alloc", feature = "embedded-io-async", feature = "mcp", feature = "serde"))]

use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use embedded_io_adapters::tokio_1::FromTokio;
use nanojsonrpc::connection::{Connection, serve_async};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::mcp::{Schema, Service, ToolCall};
use nanojsonrpc::server::{AsyncRoutes, BoxedRoutes, Event};
use nanojsonrpc::{Dialect, ErrorObject, Router, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

#[derive(Default)]
struct Board {
    calls: AtomicU32,
    lost: AtomicU32,
}

type Shared = Arc<Board>;

async fn count(board: &mut Shared, (steps,): (u32,)) -> Result<u32, ErrorObject<'static>> {
    for _ in 0..steps {
        tokio::task::yield_now().await;
        board.calls.fetch_add(1, Ordering::Relaxed);
    }
    Ok(steps)
}

fn part() -> Router<Shared, BoxedRoutes<Shared>> {
    let router = Router::new()
        .request_async("count", count)
        .request("now", |board: &mut Shared| Ok(board.calls.load(Ordering::Relaxed)));
    router.boxed(|routes, board, call, exchange| Box::pin(routes.route(board, call, exchange)))
}

fn router() -> Server<BoxedRoutes<Shared>> {
    let router = Router::new()
        .request_async("count", count)
        .notification_async("add", async |board: &mut Shared, (steps,): (u32,)| {
            _ = count(board, (steps,)).await;
        })
        .nest("part.", part())
        .fallback_async(async |_: &mut Shared, _, _, reply| {
            tokio::task::yield_now().await;
            reply.success("fallback")
        });
    Server::new(router.boxed(|routes, board, call, exchange| Box::pin(routes.route(board, call, exchange))))
}

fn service() -> Router<Shared, BoxedRoutes<Shared>> {
    let service = Service::new("board", "1.0.0").tool_async(
        "count",
        "Counts.",
        Schema::NO_ARGUMENTS,
        async |board: &mut Shared, call: ToolCall<'_>| {
            _ = count(board, (3,)).await;
            call.text("counted")
        },
    );
    service.router().boxed(|routes, board, call, exchange| Box::pin(routes.route(board, call, exchange)))
}

fn is_shared(_: &(impl Clone + Send + Sync)) {}

/// The lines that a served stream answers.
async fn talk<S: Future + Send + 'static>(text: &str, serve: impl FnOnce(tokio::io::DuplexStream) -> S) -> Vec<String>
where
    S::Output: Send,
{
    let (mut client, server) = duplex(1 << 16);
    let task = tokio::spawn(serve(server));
    client.write_all(text.as_bytes()).await.unwrap();
    client.shutdown().await.unwrap();
    let mut answers = String::new();
    client.read_to_string(&mut answers).await.unwrap();
    task.await.unwrap();
    let mut answers: Vec<_> = answers.lines().map(String::from).collect();
    answers.sort();
    answers
}

const LINES: &str = r#"{"jsonrpc":"2.0","method":"count","params":[3],"id":1}
{"jsonrpc":"2.0","method":"add","params":[2]}
{"jsonrpc":"2.0","method":"part.count","params":[4],"id":2}
{"jsonrpc":"2.0","method":"other","id":3}
[{"jsonrpc":"2.0","method":"part.count","params":[1],"id":4},{"jsonrpc":"2.0","method":"count","params":[],"id":5}]
"#;

fn expected() -> Vec<String> {
    let mut lines = [
        r#"{"jsonrpc":"2.0","result":3,"id":1}"#,
        r#"{"jsonrpc":"2.0","result":4,"id":2}"#,
        r#"{"jsonrpc":"2.0","result":"fallback","id":3}"#,
        r#"[{"jsonrpc":"2.0","result":1,"id":4},{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params: invalid length at byte 104, expected an array"},"id":5}]"#,
    ]
    .map(String::from);
    lines.sort();
    lines.into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_router_from_a_function_is_served_in_a_task() {
    is_shared(&router());
    let board = Shared::default();
    let context = board.clone();
    let answers = talk(LINES, |stream| async move {
        let (reader, writer) = tokio::io::split(stream);
        let (mut framer, mut output, mut context) = (Framer::<Lines, 512>::new(), [0; 1024], context);
        let (reader, writer) = (FromTokio::new(reader), FromTokio::new(writer));
        serve_async(reader, writer, &mut framer, &mut output, &mut router(), &mut context).await.unwrap();
    })
    .await;
    assert_eq!(answers, expected());
    assert_eq!(board.calls.load(Ordering::Relaxed), 10);

    // `concurrent` clones the server
    let context = board.clone();
    let answers = talk(LINES, |stream| async move {
        let (reader, writer) = tokio::io::split(stream);
        let (mut framer, mut output, mut context) = (Framer::<Lines, 512>::new(), [0; 1024], context);
        let mut connection = Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
        connection.concurrent::<2, 512, 512>().serve(&mut router(), &mut context).await.unwrap();
    })
    .await;
    assert_eq!(answers, expected());
    assert_eq!(board.calls.load(Ordering::Relaxed), 20);

    let task = tokio::spawn(async move {
        let (mut server, mut context) = (router(), board);
        let text = br#"{"jsonrpc":"2.0","method":"part.now","id":1}"#;
        server.process_async(&mut context, text, &mut [0; 96]).await.answer().map(<[u8]>::to_vec)
    });
    assert_eq!(task.await.unwrap().unwrap(), br#"{"jsonrpc":"2.0","result":20,"id":1}"#);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_of_mcp_from_a_function_is_served_in_a_task() {
    const LINES: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"0"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","method":"unknown"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"count"}}
"#;
    let board = Shared::default();
    // once alone, once as a part of another router; the observer does not report the notification that MCP may ignore
    for is_part in [false, true] {
        let context = board.clone();
        let answers = talk(LINES, move |stream| async move {
            let router = if is_part {
                let router = Router::new().request("x", |_: &mut Shared| Ok(())).nest("", service());
                router.boxed(|routes, board, call, exchange| Box::pin(routes.route(board, call, exchange)))
            } else {
                service()
            };
            let mut server =
                Server::new(router).with_dialect(Dialect::MCP).observed_by(|board: &mut Shared, event: Event<'_>| {
                    assert_eq!(event.to_string(), "notification without listener: unknown");
                    board.lost.fetch_add(1, Ordering::Relaxed);
                });
            let (reader, writer) = tokio::io::split(stream);
            let (mut framer, mut output, mut context) = (Framer::<Lines, 512>::new(), [0; 1024], context);
            let mut connection =
                Connection::new(FromTokio::new(reader), FromTokio::new(writer), &mut framer, &mut output);
            connection.concurrent::<2, 512, 512>().serve(&mut server, &mut context).await.unwrap();
        })
        .await;
        assert_eq!(answers.len(), 2);
        assert!(
            answers.contains(
                &r#"{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"counted"}]},"id":2}"#.into()
            )
        );
    }
    assert_eq!((board.calls.load(Ordering::Relaxed), board.lost.load(Ordering::Relaxed)), (6, 2));
}

#[test]
fn boxed_routes_pass_the_mark_of_a_transport_on() {
    use nanojsonrpc::server::AsyncRoutes;

    #[derive(Clone)]
    struct Marked(std::sync::Arc<core::sync::atomic::AtomicU8>);

    impl AsyncRoutes<()> for Marked {
        async fn route(
            &mut self,
            (): &mut (),
            _: &nanojsonrpc::server::route::Call<'_>,
            _: &mut nanojsonrpc::server::Exchange<'_, '_>,
        ) -> bool {
            false
        }

        fn waits(&mut self, (): &mut (), _: &nanojsonrpc::server::route::Call<'_>) -> Option<bool> {
            None
        }

        fn mark(&mut self, mark: u8) {
            self.0.store(mark, core::sync::atomic::Ordering::Relaxed);
        }
    }

    let seen = std::sync::Arc::default();
    let router = Router::with_routes(Marked(std::sync::Arc::clone(&seen)));
    let mut routes =
        router.boxed(|routes, context, call, exchange| Box::pin(routes.route(context, call, exchange))).into_routes();
    routes.mark(7);
    assert_eq!(seen.load(core::sync::atomic::Ordering::Relaxed), 7);
    assert_eq!(format!("{routes:?}"), "BoxedRoutes");
}

#[test]
fn whether_a_call_waits_is_asked_of_the_routes_inside() {
    let mut server = Server::new(part());
    for (method, waits) in [("count", Some(true)), ("now", Some(false)), ("never", None)] {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":1}}"#);
        let call = nanojsonrpc::Envelope::parse(text.as_bytes()).unwrap();
        assert_eq!(server.waits(&mut Shared::default(), &call), waits, "{method}");
    }
}
