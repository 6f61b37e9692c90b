//! A forwarder as it is written without a library for JSON-RPC: each text becomes a `serde_json::Value`, and its id is replaced.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::get;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, BufWriter};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

struct Forwarder {
    lines: mpsc::Sender<String>,
    next: AtomicU64,
    /// The id of the user, and where its answer goes.
    waiting: Mutex<HashMap<u64, (Value, mpsc::Sender<String>)>>,
}

pub(crate) fn run(device: &str) {
    // as many threads as the hub
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let device = TcpStream::connect(device).await.expect("connected");
        device.set_nodelay(true).expect("set");
        let (input, output) = device.into_split();
        let (lines, queue) = mpsc::channel(1024);
        let forwarder = Arc::new(Forwarder { lines, next: AtomicU64::new(1), waiting: Mutex::default() });
        tokio::spawn(write(output, queue));
        tokio::spawn(read(input, Arc::clone(&forwarder)));
        let upgrade = async |State(forwarder): State<Arc<Forwarder>>, socket: WebSocketUpgrade| {
            socket.on_upgrade(move |socket| serve(socket, forwarder))
        };
        let app = Router::new().route("/health", get(async || "ok\n")).route("/ws", get(upgrade)).with_state(forwarder);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        eprintln!("listening on http://{}", listener.local_addr().expect("an address"));
        let listener = axum::serve::ListenerExt::tap_io(listener, |stream| stream.set_nodelay(true).expect("set"));
        axum::serve(listener, app).await.expect("served");
    });
}

async fn write(output: OwnedWriteHalf, mut queue: mpsc::Receiver<String>) {
    let mut output = BufWriter::new(output);
    while let Some(line) = queue.recv().await {
        output.write_all(line.as_bytes()).await.expect("sent");
        while let Ok(line) = queue.try_recv() {
            output.write_all(line.as_bytes()).await.expect("sent");
        }
        output.flush().await.expect("sent");
    }
}

async fn read(input: OwnedReadHalf, forwarder: Arc<Forwarder>) {
    let mut lines = BufReader::new(input).lines();
    while let Some(line) = lines.next_line().await.expect("a line") {
        let Ok(mut answer) = serde_json::from_str::<Value>(&line) else { continue };
        let id = answer["id"].as_u64().unwrap_or_default();
        let waiting = forwarder.waiting.lock().expect("no panic").remove(&id);
        if let Some((id, answers)) = waiting {
            answer["id"] = id;
            // the user may have gone
            _ = answers.send(answer.to_string()).await;
        }
    }
}

async fn serve(socket: WebSocket, forwarder: Arc<Forwarder>) {
    let (mut sink, mut stream) = socket.split();
    let (answers, mut queue) = mpsc::channel::<String>(1024);
    tokio::spawn(async move {
        while let Some(answer) = queue.recv().await {
            if sink.feed(Message::Text(answer.into())).await.is_err() {
                return;
            }
            while let Ok(answer) = queue.try_recv() {
                if sink.feed(Message::Text(answer.into())).await.is_err() {
                    return;
                }
            }
            if sink.flush().await.is_err() {
                return;
            }
        }
    });
    while let Some(Ok(message)) = stream.next().await {
        let Message::Text(text) = message else { continue };
        let Ok(mut call) = serde_json::from_str::<Value>(&text) else { continue };
        let method = call["method"].as_str().and_then(|method| method.strip_prefix("lamp.")).map(str::to_owned);
        let Some(method) = method else {
            let error = json!({ "code": -32601, "message": "Method not found" });
            let answer = json!({ "jsonrpc": "2.0", "error": error, "id": call["id"] });
            // the user may have gone
            _ = answers.send(answer.to_string()).await;
            continue;
        };
        let number = forwarder.next.fetch_add(1, Ordering::Relaxed);
        call["method"] = method.into();
        let id = std::mem::replace(&mut call["id"], number.into());
        forwarder.waiting.lock().expect("no panic").insert(number, (id, answers.clone()));
        forwarder.lines.send(format!("{call}\n")).await.expect("open");
    }
}
