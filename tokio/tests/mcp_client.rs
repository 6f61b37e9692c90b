//! Clients of the Model Context Protocol, over streams and over HTTP, of both generations.

#[path = "common/scripted.rs"]
mod scripted;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use nanojsonrpc::frame::Lines;
use nanojsonrpc::mcp::client::{Call, Client as Identity};
use nanojsonrpc::mcp::types::{CallToolResult, Content, Tool};
use nanojsonrpc::mcp::{Revision, Schema, Service, ToolCall, method, schema};
use nanojsonrpc::server::{AsyncRoutes, BoxedRoutes};
use nanojsonrpc::{Dialect, ErrorCode, RawValue, Server};
use nanojsonrpc_tokio::axum::Mcp;
use nanojsonrpc_tokio::{
    CallError, Client, Closed, McpClient, Message, Methods, Options, Response, ServedAsync, Transport, http, stream,
};
use scripted::{Answer, Scripted, events, json, response};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep, timeout};

const SLEEP: Schema<'_> = schema!(r#"{"type":"object","properties":{"millis":{"type":"integer"}}}"#);

#[derive(serde::Deserialize, serde::Serialize)]
struct Sleep {
    millis: u64,
}

fn options() -> Options {
    Options::new().dialect(Dialect::MCP)
}

/// Set when the future of a tool is dropped before its end.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Tools that wait, notify and ask.
fn server(dropped: &Arc<AtomicBool>) -> Server<BoxedRoutes<Client>> {
    let dropped = Arc::clone(dropped);
    let routes = Service::new("tools", "2.0.0")
        .instructions("Sleep well.")
        .tool_async("sleep", "Sleeps.", SLEEP, async move |_: &mut Client, Sleep { millis }: Sleep| {
            let ending = Dropped(Arc::clone(&dropped));
            sleep(Duration::from_millis(millis)).await;
            std::mem::forget(ending);
            millis.to_string()
        })
        .tool_async("tell", "Notifies.", Schema::NO_ARGUMENTS, async |client: &mut Client, call: ToolCall<'_>| {
            _ = client.notify("notifications/told", &()).await;
            call.text("told")
        })
        .tool_async("ask", "Asks for roots.", Schema::NO_ARGUMENTS, async |client: &mut Client, call: ToolCall<'_>| {
            let pong = client.request("ping", &()).await.is_ok_and(|pong| pong.payload().is_some());
            let outcome = client.request("roots/list", &()).await;
            match outcome {
                Ok(roots) => call.text((roots.payload().map_or(String::new(), |roots| roots.to_string()), pong)),
                Err(error) => call.text(error.to_string()),
            }
        })
        .router()
        .boxed(|routes, peer, call, exchange| Box::pin(routes.route(peer, call, exchange)));
    Server::new(routes).with_dialect(Dialect::MCP)
}

async fn over_http(dropped: &Arc<AtomicBool>) -> impl Transport + 'static {
    let app = axum::Router::new().route("/mcp", Mcp::new(server(dropped), |peer| peer).into());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    http::connect(&address, Vec::new(), &options()).unwrap()
}

fn over_stream(dropped: &Arc<AtomicBool>) -> impl Transport + 'static {
    let (near, far) = tokio::io::duplex(4096);
    let server = server(dropped);
    let make = move |peer: &Client| ServedAsync::new(server.clone(), peer.clone());
    let serving = nanojsonrpc_tokio::Server::per_connection(make)
        .options(options().cancelled_by(nanojsonrpc::connection::Cancellation::MCP));
    tokio::spawn(async move { serving.serve_stream(far).await });
    stream::<Lines, _>(near, &options())
}

fn text(answer: &Message) -> String {
    let result = CallToolResult::read(answer.payload().unwrap()).unwrap();
    match result.content.iter().next() {
        Some(Content::Text(content)) => content.text.to_string(),
        other => panic!("{other:?}"),
    }
}

/// What holds over any transport and in each revision.
async fn everything_works(
    transport: impl Transport + 'static,
    identity: Identity<(), 1>,
    revision: Revision,
    dropped: &AtomicBool,
) {
    let roots = Methods::new(()).raw("roots/list", async |(), _| Response::result([7]));
    let client = McpClient::connect(transport, identity.roots(), roots, options()).await.unwrap();
    let hello = client.server();
    assert_eq!(hello.revision, revision);
    assert!(hello.capabilities().unwrap().tools.is_some());
    assert_eq!(hello.server_info().unwrap().name.to_string(), "tools");
    assert_eq!(hello.instructions().unwrap().to_string(), "Sleep well.");

    let pages = client.list(method::TOOLS_LIST).await.unwrap();
    let tools = pages.iter().flat_map(|page| page.payload().unwrap().get("tools").unwrap().elements());
    let names: Vec<_> = tools.map(|tool| Tool::read(tool).unwrap().name.to_string()).collect();
    assert_eq!(names, ["sleep", "tell", "ask"]);

    let begun = Instant::now();
    let sleeping = (0..20).map(|_| async { client.call(&Call::tool("sleep", &Sleep { millis: 100 })).await });
    for answer in futures_util::future::join_all(sleeping).await {
        assert_eq!(text(&answer.unwrap()), "100");
    }
    assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());

    let mut notifications = Box::pin(client.notifications());
    assert_eq!(text(&client.call(&Call::tool("tell", &())).await.unwrap()), "told");
    let told = timeout(Duration::from_secs(5), notifications.next()).await.unwrap().unwrap().unwrap();
    assert!(told.method() == "notifications/told");
    if !revision.is_stateless() {
        assert_eq!(text(&client.call(&Call::tool("ask", &())).await.unwrap()), "[7]true");
    }

    let unknown = client.call(&Call::new("resources/read")).await;
    assert!(
        matches!(&unknown, Err(CallError::Peer(error)) if error.code == ErrorCode::METHOD_NOT_FOUND),
        "{unknown:?}"
    );
    let late = client.call_within(Duration::from_millis(50), &Call::tool("sleep", &Sleep { millis: 60_000 })).await;
    assert!(matches!(late, Err(CallError::Late)), "{late:?}");
    let begun = Instant::now();
    while !dropped.load(Ordering::Relaxed) {
        assert!(begun.elapsed() < Duration::from_secs(5), "the server still runs the call");
        sleep(Duration::from_millis(10)).await;
    }
    client.notify("notifications/roots/list_changed", &()).await.unwrap();
    client.close().await;
    let closed = client.call(&Call::tool("tell", &())).await;
    assert!(matches!(closed, Err(CallError::Closed(Closed::Here))), "{closed:?}");
    let begun = Instant::now();
    while !client.is_closed() {
        assert!(begun.elapsed() < Duration::from_secs(5), "the connection does not end");
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_server_over_http_is_called_without_a_session() {
    let dropped = Arc::default();
    everything_works(over_http(&dropped).await, Identity::new("host", "1"), Revision::V2026_07_28, &dropped).await;
}

#[tokio::test]
async fn a_server_over_http_is_called_in_a_session() {
    let dropped = Arc::default();
    let identity = Identity::new("host", "1").revision(Revision::V2025_06_18);
    everything_works(over_http(&dropped).await, identity, Revision::V2025_06_18, &dropped).await;
}

#[tokio::test]
async fn a_server_over_a_stream_is_called_without_a_session() {
    let dropped = Arc::default();
    everything_works(over_stream(&dropped), Identity::new("host", "1"), Revision::V2026_07_28, &dropped).await;
}

#[tokio::test]
async fn a_server_over_a_stream_is_called_in_a_session() {
    let dropped = Arc::default();
    let identity = Identity::new("host", "1").revision(Revision::V2024_11_05);
    everything_works(over_stream(&dropped), identity, Revision::V2024_11_05, &dropped).await;
}

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;

#[tokio::test]
async fn a_server_of_an_earlier_revision_refuses_by_its_status() {
    let server = Scripted::start(|request| match request {
        discover if discover.contains("server/discover") => response(400, "content-type: text/plain\r\n", "what?"),
        initialize if initialize.contains("\"initialize\"") => json(INITIALIZED),
        notification if notification.contains("notifications/") => response(202, "", ""),
        get if get.starts_with("GET") => response(405, "", ""),
        _ => Answer::Open(events("data: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}\n\n")),
    })
    .await;
    let transport = http::connect(&server.url(), Vec::new(), &options()).unwrap();
    let client = McpClient::connect(transport, Identity::new("host", "1"), Methods::new(()), options()).await.unwrap();
    assert_eq!(client.server().revision, Revision::V2025_11_25);
    let answer = client.call(&Call::tool("any", &())).await.unwrap();
    assert!(CallToolResult::read(answer.payload().unwrap_or(RawValue::NULL)).is_ok());
    assert!(server.wait_for("tools/call").await.contains("mcp-protocol-version: 2025-11-25\r\n"));
}

#[tokio::test]
async fn a_server_that_does_not_answer_over_http_is_an_error() {
    let server = Scripted::start(|_| response(401, "www-authenticate: Bearer scope=\"a\"\r\n", "")).await;
    let transport = http::connect(&server.url(), Vec::new(), &options()).unwrap();
    let refused = McpClient::connect(transport, Identity::new("host", "1"), Methods::new(()), options()).await;
    let Err(CallError::Peer(error)) = refused else { panic!("{refused:?}") };
    assert_eq!(error.code, http::UNANSWERED);
    assert!(error.borrowed().data.is_some_and(|data| data.to_string().contains("Bearer scope=")));
}

/// A server over a stream that answers by `answers`, in order, and passes the rest of its input on.
fn written(answers: &'static [&'static str]) -> (DuplexStream, tokio::task::JoinHandle<Vec<String>>) {
    let (near, far) = tokio::io::duplex(4096);
    let reading = tokio::spawn(async move {
        let (input, mut output) = tokio::io::split(far);
        let (mut lines, mut seen) = (BufReader::new(input).lines(), Vec::new());
        let mut answers = answers.iter();
        while let Ok(Some(line)) = lines.next_line().await {
            let is_request = line.contains("\"id\":");
            seen.push(line);
            if let Some(answer) = answers.next().filter(|_| is_request) {
                output.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
            }
        }
        seen
    });
    (near, reading)
}

async fn connect(io: DuplexStream, options: Options) -> Result<McpClient, CallError> {
    McpClient::connect(stream::<Lines, _>(io, &options), Identity::new("host", "1"), Methods::new(()), options).await
}

const DISCOVERED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#;

#[tokio::test]
async fn a_result_that_needs_input_is_an_error() {
    let (io, _) = written(&[
        DISCOVERED,
        r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"s"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","tools":[],"nextCursor":"a"}}"#,
        r#"{"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","tools":[],"nextCursor":"a"}}"#,
        r#"{"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","tools":[],"nextCursor":"a"}}"#,
    ]);
    let client = connect(io, options()).await.unwrap();
    let required = client.call(&Call::tool("any", &())).await;
    assert!(matches!(&required, Err(CallError::Incomplete(text)) if text.ends_with(b"\"s\"}}")), "{required:?}");
    // a list without an end
    let endless = client.list(method::TOOLS_LIST).await;
    assert!(matches!(endless, Err(CallError::Incomplete(_))), "{endless:?}");
}

#[tokio::test]
async fn a_server_without_a_common_revision_is_refused() {
    let (io, seen) = written(&[
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#,
    ]);
    let refused = connect(io, options()).await;
    let Err(CallError::Peer(error)) = refused else { panic!("{refused:?}") };
    assert_eq!(error.code, ErrorCode::UNSUPPORTED_PROTOCOL_VERSION);
    assert!(error.message.to_string().contains("1999-01-01"));
    assert_eq!(timeout(Duration::from_secs(5), seen).await.unwrap().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ignores_the_first_message_is_of_an_earlier_revision() {
    let (near, far) = tokio::io::duplex(4096);
    tokio::spawn(async move {
        let (input, mut output) = tokio::io::split(far);
        let mut lines = BufReader::new(input).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if line.contains("\"initialize\"") {
                output.write_all(format!("{INITIALIZED}\n").as_bytes()).await.unwrap();
            }
        }
    });
    let begun = Instant::now();
    let client = connect(near, options()).await.unwrap();
    assert_eq!(client.server().revision, Revision::V2025_11_25);
    assert!((10..12).contains(&begun.elapsed().as_secs()));
    // no answer at all
    let (silent, _silent) = tokio::io::duplex(4096);
    assert!(matches!(connect(silent, options().patience(Duration::from_secs(20))).await, Err(CallError::Late)));
}

#[tokio::test]
async fn a_dropped_call_is_cancelled() {
    let (io, seen) = written(&[DISCOVERED]);
    let client = connect(io, options()).await.unwrap();
    let call = timeout(Duration::from_millis(50), async { client.call(&Call::tool("any", &())).await }).await;
    assert!(call.is_err());
    client.close().await;
    let seen = timeout(Duration::from_secs(5), seen).await.unwrap().unwrap();
    assert_eq!(seen.len(), 3, "{seen:#?}");
    assert_eq!(seen[2], r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#);
}
