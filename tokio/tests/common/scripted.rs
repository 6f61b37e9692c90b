//! A server of a test whose responses are written by hand.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

/// The answer to a request: these bytes, and then the end of the connection; or silence.
pub(crate) enum Answer {
    Bytes(String),
    /// These bytes, and then silence until the client closes.
    Open(String),
}

/// A response with a body.
pub(crate) fn response(status: u16, headers: &str, body: &str) -> Answer {
    Answer::Bytes(format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len()))
}

pub(crate) fn json(body: &str) -> Answer {
    response(200, "content-type: application/json\r\n", body)
}

/// The head of a stream of events, and its first ones.
pub(crate) fn events(events: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{events}")
}

/// A running server and the requests that it has received; a line `closed` is the end of a silent connection.
#[derive(Clone)]
pub(crate) struct Scripted {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    pub(crate) async fn start(script: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Self { address, seen: Arc::default() };
        let (script, seen) = (Arc::new(script), Arc::clone(&server.seen));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (script, seen) = (Arc::clone(&script), Arc::clone(&seen));
                tokio::spawn(async move { serve(stream, &*script, &seen).await });
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp?a=1", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits for a request with `part`.
    pub(crate) async fn wait_for(&self, part: &str) -> String {
        let begun = Instant::now();
        loop {
            if let Some(seen) = self.seen().into_iter().find(|request| request.contains(part)) {
                return seen;
            }
            assert!(begun.elapsed() < Duration::from_secs(10), "no {part} in {:#?}", self.seen());
            sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Answers one request.
async fn serve(mut stream: TcpStream, script: &(impl Fn(&str) -> Answer + Sync), seen: &Mutex<Vec<String>>) {
    let Some(request) = read(&mut stream).await else { return };
    seen.lock().unwrap().push(request.clone());
    match script(&request) {
        Answer::Bytes(bytes) => _ = stream.write_all(bytes.as_bytes()).await,
        Answer::Open(bytes) => {
            stream.write_all(bytes.as_bytes()).await.unwrap();
            let ended = stream.read(&mut [0; 64]).await;
            assert!(!matches!(ended, Ok(1..)));
            seen.lock().unwrap().push("closed".to_owned());
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<String> {
    let (mut received, mut bytes) = (String::new(), [0; 4096]);
    loop {
        if let Some((head, body)) = received.split_once("\r\n\r\n") {
            let len = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |len| len.parse().unwrap());
            if body.len() >= len {
                return Some(received);
            }
        }
        match stream.read(&mut bytes).await {
            Ok(0) | Err(_) => return None,
            Ok(len) => received.push_str(std::str::from_utf8(&bytes[..len]).unwrap()),
        }
    }
}
