//! An MCP server in an axum application: Streamable HTTP for all revisions, with sessions and with streams of events.
//!
//! ```sh
//! cd examples/axum && cargo run -- 127.0.0.1:4000   # then give a client http://127.0.0.1:4000/mcp
//! ```

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use axum::routing::any;
use futures_util::{Stream, StreamExt as _, stream};
use nanojsonrpc::mcp::http::{self, Endpoint, Head, Session, SessionChange};
use nanojsonrpc::mcp::{Revision, Schema, Service, ToolCall, schema};
use nanojsonrpc::server::Replied;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

/// The maximum length of a body and of an answer, in bytes.
const LEN: usize = 256 * 1024;
/// The maximum number of sessions. A session ends with `DELETE`; a server for the public also ends idle ones.
const SESSIONS: usize = 1024;
/// The maximum number of messages that wait for a slow reader.
const WAITING: usize = 16;
/// A request to each client that listens. It keeps the stream open, and the client answers it with a `POST`, which gets 202.
const PING: &[u8] = br#"{"jsonrpc":"2.0","id":"alive","method":"ping"}"#;
const PING_EVERY: Duration = Duration::from_secs(15);
const COUNT: Schema<'_> =
    schema!(r#"{"type":"object","properties":{"steps":{"type":"integer"}},"required":["steps"]}"#);

#[derive(Default)]
struct App {
    sessions: Mutex<HashMap<String, Open>>,
}

/// A session.
struct Open {
    revision: Revision,
    /// The stream that the client has opened with `GET`.
    listener: Option<Sender<Vec<u8>>>,
}

impl App {
    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Open>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message to every client that listens. A client that does not read its stream loses the message.
    fn tell(&self, message: &[u8]) {
        for session in self.sessions().values() {
            if let Some(listener) = &session.listener {
                _ = listener.try_send(message.to_vec());
            }
        }
    }
}

/// The context of the handlers: takes the messages that precede the answer.
struct Client(Sender<Vec<u8>>);

/// Reports a call whose future is dropped before it is done.
struct Progress {
    step: i64,
    steps: i64,
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.step < self.steps {
            println!("cancelled at {}", self.step);
        }
    }
}

async fn count(client: &mut Client, mut call: ToolCall<'_>) -> Replied {
    let steps = call.get("steps").and_then(|steps| steps.as_i64()).unwrap_or(10);
    let mut progress = Progress { step: 0, steps };
    for step in 1..=steps {
        tokio::time::sleep(Duration::from_millis(100)).await;
        // `None` if the client has not requested progress
        if let Some(message) = call.progress(step, Some(steps), None) {
            // an error if the client has closed the stream
            _ = client.0.send(message.to_vec()).await;
        }
        progress.step = step;
    }
    call.text(("counted to ", steps))
}

/// The response to one request.
struct Answer {
    response: axum::http::response::Builder,
    body: Vec<u8>,
    /// The messages of a stream that the client has opened.
    messages: Option<Receiver<Vec<u8>>>,
}

async fn answer(app: Arc<App>, method: Method, headers: HeaderMap, body: Bytes, ahead: Sender<Vec<u8>>) -> Answer {
    let mut head = Head::from_headers(method.as_str(), headers.iter().map(|(name, value)| (name.as_str(), value)));
    let id = head.session_id.map(|id| String::from_utf8_lossy(id).into_owned());
    head.session = match &id {
        None => Session::Absent,
        Some(id) => app.sessions().get(id).map_or(Session::Unknown, |session| Session::Open(session.revision)),
    };
    let service = Service::new("nanojsonrpc-http", env!("CARGO_PKG_VERSION"));
    let mut server = service.tool_async("count", "Counts ten steps a second.", COUNT, count).server();
    let mut output = vec![0; LEN];
    let endpoint = Endpoint::new().listening();
    let answered = endpoint.answer_async(&mut server, &mut Client(ahead), &head, &body, &mut output).await;

    let mut response = Response::builder().status(answered.status());
    for (name, value) in answered.headers() {
        response = response.header(*name, *value);
    }
    // the stream that a `GET` opens
    let mut messages = None;
    let mut sessions = app.sessions();
    match answered.session_change() {
        SessionChange::Opened(_) if sessions.len() >= SESSIONS => {
            let response = Response::builder().status(StatusCode::SERVICE_UNAVAILABLE);
            return Answer { response, body: Vec::new(), messages };
        }
        SessionChange::Opened(revision) => {
            // random, so that no other client can guess it
            let id =
                [(); 2].map(|()| format!("{:016x}", getrandom::u64().expect("random numbers of the system"))).concat();
            response = response.header("mcp-session-id", &id);
            sessions.insert(id, Open { revision, listener: None });
        }
        SessionChange::Closed => _ = id.and_then(|id| sessions.remove(&id)),
        _ if answered.is_stream() => {
            if let Some(session) = id.and_then(|id| sessions.get_mut(&id)) {
                let (listener, receiver) = channel(WAITING);
                (session.listener, messages) = (Some(listener), Some(receiver));
            }
        }
        _ => {}
    }
    Answer { response, body: answered.body().to_vec(), messages }
}

/// The task that answers a request. Since 2026-07-28, a client cancels a request by closing the connection; axum then drops this value.
struct Answering {
    task: JoinHandle<Answer>,
    is_stateless: bool,
}

impl Drop for Answering {
    fn drop(&mut self) {
        if self.is_stateless {
            self.task.abort();
        }
    }
}

impl Answering {
    /// The answer; `None` after a panic.
    async fn wait(mut self) -> Option<Answer> {
        (&mut self.task).await.ok()
    }
}

fn events(messages: impl Stream<Item = Vec<u8>> + Send + 'static) -> Body {
    Body::from_stream(messages.map(|message| Ok::<_, Infallible>(http::event(&message).collect::<Vec<_>>().concat())))
}

fn received(mut messages: Receiver<Vec<u8>>) -> impl Stream<Item = Vec<u8>> {
    stream::poll_fn(move |task| messages.poll_recv(task))
}

async fn mcp(State(app): State<Arc<App>>, method: Method, headers: HeaderMap, body: Bytes) -> Response {
    let version = headers.get("mcp-protocol-version");
    let is_stateless = version.is_some_and(|version| version == Revision::V2026_07_28.as_str());
    let (ahead, mut early) = channel(WAITING);
    let answering = Answering { task: tokio::spawn(answer(app, method, headers, body, ahead)), is_stateless };
    let built = if let Some(first) = early.recv().await {
        // a message precedes the answer, so the response is a stream, and the answer is its last event
        let last = async { answering.wait().await.map(|answer| answer.body) };
        let messages =
            stream::iter([first]).chain(received(early)).chain(stream::once(last).filter_map(async |last| last));
        let mut response = Response::builder().status(http::Response::STREAM.status());
        for (name, value) in http::Response::STREAM.headers() {
            response = response.header(*name, *value);
        }
        response.body(events(messages))
    } else {
        // the task has dropped the sender: it is done
        match answering.wait().await {
            Some(Answer { response, messages: Some(messages), .. }) => response.body(events(received(messages))),
            Some(Answer { response, body, .. }) => response.body(Body::from(body)),
            None => Response::builder().status(StatusCode::INTERNAL_SERVER_ERROR).body(Body::empty()),
        }
    };
    built.expect("valid names and values")
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".into());
    let listener = TcpListener::bind(address).await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    let app = Arc::new(App::default());
    let router = Router::new().route("/mcp", any(mcp)).layer(DefaultBodyLimit::max(LEN)).with_state(Arc::clone(&app));
    tokio::spawn(async move {
        let mut clock = tokio::time::interval(PING_EVERY);
        loop {
            clock.tick().await;
            app.tell(PING);
        }
    });
    axum::serve(listener, router).await
}
