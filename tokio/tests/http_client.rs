//! Clients over HTTP, against the servers of this package and against servers that answer wrongly.

#[path = "common/scripted.rs"]
mod scripted;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use nanojsonrpc::Dialect;
use nanojsonrpc_tokio::axum::Http;
use nanojsonrpc_tokio::{CallError, Client, Closed, Methods, Options, http};
use scripted::{Answer, Scripted, events, json, response};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep, timeout};

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;

fn client(address: &str, options: &Options) -> Client {
    let headers = vec![("authorization".to_owned(), "Bearer secret".to_owned())];
    Client::with_transport(http::connect(address, headers, options).unwrap(), options.clone())
}

/// The message of an unanswered call, and its data.
async fn unanswered(client: &Client, method: &str) -> (String, String) {
    let outcome = timeout(Duration::from_secs(5), client.call::<u8>(method, &())).await.unwrap();
    let Err(CallError::Peer(error)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(error.code, http::UNANSWERED);
    let data = error.borrowed().data.map(|data| data.to_string());
    (error.message.to_string(), data.unwrap_or_default())
}

#[tokio::test]
async fn calls_run_side_by_side_and_share_connections() {
    let methods = Methods::new(())
        .request("sleep", async |(), (millis,): (u64,)| {
            sleep(Duration::from_millis(millis)).await;
            Ok(millis)
        })
        .notification("note", async |(), ()| {});
    let app = axum::Router::new().route("/rpc", Http::new(methods).into());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/rpc", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });

    let client = client(&address, &Options::new());
    let begun = Instant::now();
    let calls = (0..200).map(|_| client.call::<u64>("sleep", &[50]));
    assert!(futures_util::future::join_all(calls).await.iter().all(|outcome| matches!(outcome, Ok(50))));
    // 64 at once
    assert!((Duration::from_millis(200)..Duration::from_secs(3)).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    client.notify("note", &()).await.unwrap();
    let mut batch = client.batch();
    let (slow, unknown) = (batch.call("sleep", &[20]).unwrap(), batch.call("none", &()).unwrap());
    batch.notify("note", &()).unwrap();
    let mut answers = batch.send().await.unwrap();
    assert_eq!(answers.take::<u64>(slow).unwrap(), 20);
    assert!(matches!(answers.take::<u64>(unknown), Err(CallError::Peer(error)) if error.code.0 == -32601));
    client.close().await;
    assert!(matches!(client.call::<u64>("sleep", &[1]).await, Err(CallError::Closed(Closed::Here))));
}

#[tokio::test]
async fn a_failed_post_ends_its_call_with_the_reason() {
    let long = "1".repeat(2000);
    let long_text = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[{long}");
    let server = Scripted::start(move |request| {
        let has = |method: &str| request.contains(&format!("\"method\":\"{method}\""));
        assert!(request.contains("authorization: Bearer secret\r\n"), "{request}");
        match () {
            () if has("html") => response(500, "content-type: text/html\r\n", "<html>"),
            () if has("type") => response(200, "content-type: text/html\r\n", "<html>"),
            () if has("empty") => response(202, "", ""),
            () if has("moved") => response(302, "location: http://127.0.0.1:1/\r\n", ""),
            () if has("who") => response(401, "www-authenticate: Bearer realm=\"x\"\r\n", ""),
            () if has("long") => Answer::Open(long_text.clone()),
            () if has("half") => Answer::Bytes(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{".to_owned(),
            ),
            () if has("noise") => Answer::Bytes("SSH-2.0-x\r\n\r\n".to_owned()),
            () if has("other") => json(r#"{"jsonrpc":"2.0","result":1,"id":999}"#),
            () if has("events") => Answer::Bytes(events("data: {\"jsonrpc\":\"2.0\",\"method\":\"on\"}\n\n")),
            () => json(r#"{"jsonrpc":"2.0","result":7,"id":77}"#),
        }
    })
    .await;
    let client = client(&server.url(), &Options::new().max_len(1000));
    for (method, reason, data) in [
        ("html", "HTTP status 500", r#"{"status":500}"#),
        ("type", "HTTP status 200 without a message, media type text/html", r#"{"status":200}"#),
        ("empty", "HTTP status 202 without a message, media type none", r#"{"status":202}"#),
        ("moved", "HTTP status 302", r#"{"status":302}"#),
        (
            "who",
            "HTTP status 401, WWW-Authenticate: Bearer realm=\"x\"",
            r#"{"status":401,"challenge":"Bearer realm=\"x\""}"#,
        ),
        ("long", "a response longer than 1000 bytes", ""),
        ("half", "end of file", ""),
        ("noise", "invalid HTTP version", ""),
        ("other", "HTTP status 200 without the answer", r#"{"status":200}"#),
        ("events", "the stream of events has ended without the answer", ""),
    ] {
        let (message, found) = unanswered(&client, method).await;
        assert!(message.contains(reason) && found == data, "{method}: {message} {found}");
    }
    // all calls of a batch, and nothing else
    let mut batch = client.batch();
    let slots = [batch.call("html", &()).unwrap(), batch.call("html", &()).unwrap()];
    let mut answers = batch.send().await.unwrap();
    for slot in slots {
        assert!(matches!(answers.take::<u8>(slot), Err(CallError::Peer(error)) if error.code == http::UNANSWERED));
    }
    assert!(!client.is_closed());
}

#[tokio::test]
async fn a_refused_connection_ends_the_call() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let (message, _) = unanswered(&client(&format!("http://{free}/"), &Options::new()), "any").await;
    assert!(message.contains("refused"), "{message}");
}

#[test]
fn an_address_or_a_header_that_no_request_may_have_is_refused() {
    let header = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
    for (address, headers) in [
        ("ftp://127.0.0.1/", Vec::new()),
        ("127.0.0.1:80", Vec::new()),
        ("/path", Vec::new()),
        ("http://name:word@127.0.0.1/", Vec::new()),
        ("http://127.0.0.1/", header("mcp-session-id", "1")),
        ("http://127.0.0.1/", header("content-length", "1")),
        ("http://127.0.0.1/", header("x", "1\r\ny: 2")),
    ] {
        let refused = http::connect(address, headers, &Options::new()).err();
        assert!(refused.is_some_and(|error| error.kind() == std::io::ErrorKind::InvalidInput), "{address}");
    }
}

#[tokio::test]
async fn a_silent_server_holds_up_no_other_call() {
    let server = Scripted::start(|request| match request {
        silent if silent.contains("silent") => Answer::Open(String::new()),
        slow if slow.contains("slow") => {
            Answer::Open("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{".to_owned())
        }
        _ => json(r#"{"jsonrpc":"2.0","result":7,"id":3}"#),
    })
    .await;
    let client = client(&server.url(), &Options::new().patience(Duration::from_millis(300)));
    let begun = Instant::now();
    let (silent, slow, quick) =
        tokio::join!(client.call::<u8>("silent", &()), client.call::<u8>("slow", &()), client.call::<u8>("quick", &()));
    assert!(quick.is_ok_and(|level| level == 7));
    for outcome in [silent, slow] {
        let is_late = match &outcome {
            Err(CallError::Late) => true,
            Err(CallError::Peer(error)) => error.message.to_string().contains("in time"),
            _ => false,
        };
        assert!(is_late && begun.elapsed() < Duration::from_secs(2), "{outcome:?}");
    }
    // the requests are dropped, too
    server.wait_for("closed").await;
}

/// Begins a session, as a client of MCP does.
async fn begin(client: &Client) {
    let params = nanojsonrpc::RawValue::parse(br#"{"protocolVersion":"2025-06-18","capabilities":{}}"#).unwrap();
    client.request("initialize", &params).await.unwrap();
    client.notify("notifications/initialized", &()).await.unwrap();
}

fn session(request: &str) -> Option<Answer> {
    let headers = "content-type: application/json\r\nmcp-session-id: s-1\r\n";
    match request {
        first if first.contains("\"initialize\"") => Some(response(200, headers, INITIALIZED)),
        notification if notification.contains("\"notifications/") => Some(response(202, "", "")),
        end if end.starts_with("DELETE") => Some(response(204, "", "")),
        _ => None,
    }
}

fn mcp() -> Options {
    Options::new().dialect(Dialect::MCP)
}

#[tokio::test]
async fn a_session_is_kept_and_ended() {
    let server = Scripted::start(|request| {
        session(request).unwrap_or_else(|| match request {
            get if get.starts_with("GET") => response(405, "", ""),
            _ => json(r#"{"jsonrpc":"2.0","id":2,"result":7}"#),
        })
    })
    .await;
    let client = client(&server.url(), &mcp());
    begin(&client).await;
    assert_eq!(client.call::<u8>("tools/list", &()).await.unwrap(), 7);
    server.wait_for("GET /mcp?a=1 ").await;
    drop(client);
    server.wait_for("DELETE /mcp?a=1 ").await;
    let seen = server.seen();
    assert!(!seen[0].contains("mcp-session-id") && !seen[0].contains("mcp-protocol-version"), "{}", seen[0]);
    assert!(seen[1].contains("notifications/initialized"), "{seen:#?}");
    for request in &seen[1..] {
        assert!(request.contains("mcp-session-id: s-1\r\n"), "{request}");
        assert!(request.contains("mcp-protocol-version: 2025-06-18\r\n"), "{request}");
        assert!(request.contains("authorization: Bearer secret\r\n"), "{request}");
    }
    assert_eq!(seen.len(), 5, "{seen:#?}");
}

#[tokio::test]
async fn calls_of_a_session_that_has_ended_end() {
    let server = Scripted::start(|request| session(request).unwrap_or_else(|| response(404, "", ""))).await;
    let server_of_calls = Scripted::start(|request| {
        session(request).unwrap_or_else(|| match request {
            get if get.starts_with("GET") => response(405, "", ""),
            silent if silent.contains("silent") => Answer::Open(String::new()),
            _ => response(404, "", ""),
        })
    })
    .await;
    // found by the stream of messages outside of calls
    let client_of_stream = client(&server.url(), &mcp());
    begin(&client_of_stream).await;
    timeout(Duration::from_secs(5), async {
        while !client_of_stream.is_closed() {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .unwrap();
    // found by a call
    let client = client(&server_of_calls.url(), &mcp());
    begin(&client).await;
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.call::<u8>("silent", &()).await }
    });
    server_of_calls.wait_for("silent").await;
    let (message, _) = unanswered(&client, "tools/list").await;
    assert_eq!(message, "HTTP status 404: the session has ended");
    let other = timeout(Duration::from_secs(5), waiting).await.unwrap().unwrap();
    assert!(matches!(other, Err(CallError::Closed(Closed::Failed(_)))), "{other:?}");
    assert!(client.is_closed());
}

#[tokio::test]
async fn messages_outside_of_calls_arrive_and_their_stream_is_resumed() {
    let server = Scripted::start(|request| {
        session(request).unwrap_or_else(|| match request {
            second if second.contains("last-event-id: e-7") => {
                Answer::Open(events("id: e-8\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"second\"}\n\n"))
            }
            first if first.starts_with("GET") => Answer::Bytes(events(concat!(
                "retry: 150\nid: e-7\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"first\"}\n\n",
                "id: e-9\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"cut"
            ))),
            _ => response(500, "", ""),
        })
    })
    .await;
    let client = client(&server.url(), &mcp());
    let mut notifications = Box::pin(client.notifications());
    begin(&client).await;
    for expected in ["first", "second"] {
        let next = timeout(Duration::from_secs(5), notifications.next()).await.unwrap();
        assert!(next.is_some_and(|next| next.is_ok_and(|message| message.method() == expected)));
    }
    let begun = Instant::now();
    client.close().await;
    server.wait_for("closed").await;
    server.wait_for("DELETE").await;
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_call_whose_stream_breaks_off_is_resumed() {
    let resumed = AtomicUsize::new(0);
    let server = Scripted::start(move |request| {
        session(request).unwrap_or_else(|| match request {
            listening if listening.starts_with("GET") && !listening.contains("last-event-id") => response(405, "", ""),
            // a server that polls
            get if get.starts_with("GET") && resumed.fetch_add(1, Ordering::Relaxed) < 2 => {
                Answer::Bytes(events("retry: 100\nid: c-1\ndata:\n\n"))
            }
            get if get.starts_with("GET") => {
                assert!(get.contains("last-event-id: c-1\r\n"), "{get}");
                Answer::Open(events("id: c-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":9}\n\n"))
            }
            _ => Answer::Bytes(events("retry: 100\nid: c-1\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"resu")),
        })
    })
    .await;
    let client = client(&server.url(), &mcp());
    begin(&client).await;
    assert_eq!(timeout(Duration::from_secs(5), client.call::<u8>("slow", &())).await.unwrap().unwrap(), 9);
    assert_eq!(server.seen().iter().filter(|request| request.contains("last-event-id")).count(), 3);
    // a server that does not end the stream after the answer
    server.wait_for("closed").await;
}

#[tokio::test]
async fn a_cancelled_call_of_2026_07_28_closes_its_response() {
    let server = Scripted::start(|_| Answer::Open(events(": wait\n\n"))).await;
    let client = client(&server.url(), &mcp());
    let meta = r#"{"name":"dry","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
    let params = nanojsonrpc::RawValue::parse(meta.as_bytes()).unwrap();
    let calling = tokio::spawn({
        let (client, params) = (client.clone(), params);
        async move { client.request("tools/call", &params).await }
    });
    let request = server.wait_for("tools/call").await;
    assert!(request.contains("mcp-method: tools/call\r\nmcp-name: dry\r\n"), "{request}");
    let cancelled = nanojsonrpc::RawValue::parse(br#"{"requestId":1}"#).unwrap();
    client.notify("notifications/cancelled", &cancelled).await.unwrap();
    server.wait_for("closed").await;
    assert_eq!(server.seen().len(), 2, "{:#?}", server.seen());
    calling.abort();
}

#[cfg(feature = "rustls")]
#[tokio::test]
async fn an_address_of_https_needs_a_server_of_https() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("https://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 x\r\n\r\n").await.unwrap();
        // the end would overtake the response
        sleep(Duration::from_secs(5)).await;
    });
    let (message, _) = unanswered(&client(&address, &Options::new()), "any").await;
    assert!(message.contains("corrupt message"), "{message}");
}
