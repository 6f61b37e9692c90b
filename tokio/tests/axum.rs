//! JSON-RPC in an axum application, over real sockets.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::StreamExt as _;
use nanojsonrpc_tokio::axum::{Answer, Call, Events, Http, websocket};
use nanojsonrpc_tokio::{CallError, Client, Closed, Methods, Options, Response, Server, websocket as ws};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

fn methods() -> Methods<()> {
    Methods::new(())
        .request("add", async |(), (a, b): (i64, i64)| Ok(a + b))
        .request("sleep", async |(), (millis,): (u64,)| {
            sleep(Duration::from_millis(millis)).await;
            Ok(millis)
        })
        .notification("note", async |(), (): ()| {})
}

async fn serve() -> (SocketAddr, Events) {
    let events = Events::new(7);
    let http = Http::new(methods())
        .events(events.clone())
        .options(Options::new().max_len(1000).deadline(Duration::from_millis(500)));
    let socket = Server::new(methods()).options(Options::new().max_len(1000)).connections(2);
    let double = async |Call(call): Call| {
        let response = call.params::<(u32,)>().map_or_else(
            |error| Response::error(nanojsonrpc::ErrorObject::from(error)),
            |(number,)| Response::result(number * 2),
        );
        Answer(call, response)
    };
    let app = axum::Router::new()
        .route("/double", axum::routing::post(double))
        .route("/rpc", http.into())
        .route("/ws", websocket(socket));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    (address, events)
}

/// Sends a request and reads the response until the server closes, or until it has `enough`.
async fn exchange(address: SocketAddr, head: &str, body: &str, enough: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    let close = if enough.is_empty() { "connection: close\r\n" } else { "" };
    stream.write_all(format!("{head}\r\nhost: localhost\r\n{length}{close}\r\n{body}").as_bytes()).await.unwrap();
    let mut received = String::new();
    let reading = async {
        let mut bytes = [0; 4096];
        while enough.is_empty() || !received.contains(enough) {
            match stream.read(&mut bytes).await.unwrap() {
                0 => break,
                len => received.push_str(std::str::from_utf8(&bytes[..len]).unwrap()),
            }
        }
    };
    timeout(Duration::from_secs(5), reading).await.unwrap();
    received
}

async fn post(address: SocketAddr, body: &str) -> (u16, String) {
    let response = exchange(address, "POST /rpc HTTP/1.1\r\ncontent-type: application/json", body, "").await;
    (response[9..12].parse().unwrap(), response.split_once("\r\n\r\n").unwrap().1.to_owned())
}

#[tokio::test]
async fn a_post_is_answered() {
    let (address, _) = serve().await;
    let call = r#"{"jsonrpc":"2.0","method":"add","params":[40,2],"id":"a"}"#;
    assert_eq!(post(address, call).await, (200, r#"{"jsonrpc":"2.0","result":42,"id":"a"}"#.to_owned()));
    let batch = format!("[{call},1,{{\"jsonrpc\":\"2.0\",\"method\":\"note\"}}]");
    let (status, answers) = post(address, &batch).await;
    assert_eq!(status, 200);
    assert_eq!(
        answers,
        r#"[{"jsonrpc":"2.0","result":42,"id":"a"},{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":null}]"#
    );
    assert_eq!(post(address, r#"{"jsonrpc":"2.0","method":"note"}"#).await, (204, String::new()));
    let (status, answer) = post(address, "{").await;
    assert!(status == 400 && answer.contains("-32700"), "{answer}");
    let (status, answer) = post(address, r#"{"jsonrpc":"2.0","method":"sleep","params":[5000],"id":1}"#).await;
    assert!(status == 200 && answer.contains("-32001"), "{answer}");
    assert_eq!(post(address, &format!("[{}]", "1,".repeat(600))).await.0, 413);
}

#[tokio::test]
async fn a_handler_of_axum_takes_a_call_and_returns_its_answer() {
    let (address, _) = serve().await;
    for (body, status, answer) in [
        (
            r#"{"jsonrpc":"2.0","method":"x","params":[21],"id":"d"}"#,
            "200",
            r#"{"jsonrpc":"2.0","result":42,"id":"d"}"#,
        ),
        (r#"{"jsonrpc":"2.0","method":"x","params":[21]}"#, "204", ""),
        (r#"{"jsonrpc":"2.0","method":"x","params":["a"],"id":1}"#, "200", "-32602"),
        (r#"{"jsonrpc":"2.0","method":7,"id":1}"#, "400", r#""id":1}"#),
        ("[]", "400", "-32600"),
    ] {
        let response = exchange(address, "POST /double HTTP/1.1", body, "").await;
        assert!(
            &response[9..12] == status && response.ends_with(answer) | response.contains(answer),
            "{body}: {response}"
        );
    }
}

#[tokio::test]
async fn requests_of_pages_are_refused_by_their_heads() {
    let (address, _) = serve().await;
    for (head, status) in [
        ("POST /rpc HTTP/1.1\r\ncontent-type: application/json\r\norigin: http://evil.example", "403"),
        ("POST /rpc HTTP/1.1\r\ncontent-type: text/plain", "415"),
        ("PUT /rpc HTTP/1.1\r\ncontent-type: application/json", "405"),
        ("GET /rpc HTTP/1.1\r\naccept: image/*", "403"),
        ("GET /ws HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\norigin: http://evil.example", "403"),
    ] {
        let response = exchange(address, head, r#"{"jsonrpc":"2.0","method":"note"}"#, "").await;
        assert_eq!(&response[9..12], status, "{head}");
    }
}

#[tokio::test]
async fn a_get_receives_events_and_missed_ones() {
    let (address, events) = serve().await;
    events.notify("early", &()).unwrap();
    let listening = tokio::spawn(exchange(address, "GET /rpc HTTP/1.1\r\nsec-fetch-site: none", "", "live"));
    sleep(Duration::from_millis(100)).await;
    events.notify("live", &[1]).unwrap();
    let response = listening.await.unwrap();
    assert!(response.contains("text/event-stream") && !response.contains("early"), "{response}");
    assert!(
        response.contains("id: 7.2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"live\",\"params\":[1]}\n\n"),
        "{response}"
    );
    let response = exchange(address, "GET /rpc HTTP/1.1\r\nlast-event-id: 7.1", "", "live").await;
    assert!(response.contains("id: 7.2\n"), "{response}");
}

#[tokio::test]
async fn a_websocket_is_a_connection() {
    let (address, _) = serve().await;
    let connect = async || {
        Client::with_transport(
            ws::connect(&format!("ws://{address}/ws"), Vec::new(), &Options::new()).await.unwrap(),
            Options::new(),
        )
    };
    let client = connect().await;
    let (slow, sum) = tokio::join!(client.call::<u64>("sleep", &[100]), client.call::<i64>("add", &[1, 2]));
    assert_eq!((slow.unwrap(), sum.unwrap()), (100, 3));
    let mut batch = client.batch();
    let sum = batch.call("add", &[3, 4]).unwrap();
    assert_eq!(batch.send().await.unwrap().take::<i64>(sum).unwrap(), 7);
    // a third connection has no place
    let second = connect().await;
    assert_eq!(second.call::<i64>("add", &[1, 1]).await.unwrap(), 2);
    assert!(ws::connect(&format!("ws://{address}/ws"), Vec::new(), &Options::new()).await.is_err());
    // too long for the server, which ends the connection
    let long = second.call::<i64>("add", &["x".repeat(2000)]).await;
    assert!(matches!(long, Err(CallError::Closed(Closed::ByPeer | Closed::Failed(_)))), "{long:?}");
}

#[tokio::test]
async fn a_websocket_without_axum() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let transport = ws::accept(stream, &Options::new()).await.unwrap();
        Server::per_connection(|peer: &Client| {
            let peer = peer.clone();
            tokio::spawn(async move { peer.notify("hello", &()).await });
            methods()
        })
        .serve_transport(transport)
        .await
    });
    let transport = ws::connect(&format!("ws://{address}"), Vec::new(), &Options::new()).await.unwrap();
    let client = Client::with_transport(transport, Options::new());
    let mut notifications = std::pin::pin!(client.notifications());
    assert_eq!(client.call::<i64>("add", &[1, 2]).await.unwrap(), 3);
    assert_eq!(
        timeout(Duration::from_secs(5), notifications.next()).await.unwrap().unwrap().unwrap().method(),
        *"hello"
    );
}

#[cfg(feature = "mcp")]
#[tokio::test]
async fn a_tool_that_is_late_or_panics_is_answered() {
    use nanojsonrpc::mcp::{Schema, Service};
    use nanojsonrpc::server::AsyncRoutes;
    use nanojsonrpc_tokio::axum::Mcp;

    let service = Service::new("t", "1")
        .tool_async("sleep", "Sleeps.", Schema::NO_ARGUMENTS, async |_: &mut Client, (): ()| {
            sleep(Duration::from_secs(60)).await;
            "late"
        })
        .tool_async("panic", "Panics.", Schema::NO_ARGUMENTS, async |_: &mut Client, (): ()| -> &'static str {
            panic!("as the test asks")
        });
    let routes = service.router().boxed(|routes, peer, call, exchange| Box::pin(routes.route(peer, call, exchange)));
    let server = nanojsonrpc::Server::new(routes).with_dialect(nanojsonrpc::Dialect::MCP);
    let options = Options::new().deadline(Duration::from_millis(50));
    let mcp = Mcp::with(server, |peer| peer, options, nanojsonrpc::http::Origins::Local);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, axum::Router::new().route("/mcp", mcp.into())).await });
    for (tool, code) in [("sleep", "-32001"), ("panic", "-32603")] {
        let head = format!(
            "POST /mcp HTTP/1.1\r\ncontent-type: application/json\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {tool}"
        );
        let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{{"name":"{tool}","_meta":{meta}}}}}"#
        );
        let response = exchange(address, &head, &body, "").await;
        assert!(
            response.starts_with("HTTP/1.1 200") && response.contains(code) && response.contains("\"id\":\"a\""),
            "{response}"
        );
    }
}
