//! An MCP server in an axum application: Streamable HTTP for all revisions, with sessions and with streams of events.
//!
//! ```sh
//! cd examples/axum && cargo run -- --listen 127.0.0.1:4000   # then give a client http://127.0.0.1:4000/mcp
//! ```

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use axum::routing::any;
use futures_util::{Stream, StreamExt as _, stream};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use nanojsonrpc::mcp::http::{self, Endpoint, Head, Session, SessionChange};
use nanojsonrpc::mcp::{Revision, Schema, Service, ToolCall, schema};
use nanojsonrpc::server::Replied;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

#[path = "../../arguments/mod.rs"]
mod arguments;
#[path = "../../sessions/mod.rs"]
mod sessions;

use sessions::Sessions;

/// The maximum length of a body and of an answer, in bytes.
const LEN: usize = 256 * 1024;
/// The maximum number of connections. More clients wait in the queue of the system.
const CLIENTS: usize = 128;
/// The maximum number of requests at the same time, those of clients that have gone included. More get 503.
const REQUESTS: usize = 64;
/// The maximum time for a head and for a body, and in which a client reads no byte.
const PATIENCE: Duration = Duration::from_secs(5);
/// The maximum time of a stream that a client has opened. It may open another one.
const STREAM: Duration = Duration::from_secs(600);
/// The maximum number of messages that wait for a slow reader.
const WAITING: usize = 16;
/// A request to each client that listens. It keeps the stream open, and the client answers it with a `POST`, which gets 202.
const PING: &[u8] = br#"{"jsonrpc":"2.0","id":"alive","method":"ping"}"#;
const PING_EVERY: Duration = Duration::from_secs(15);
/// The limit of the steps bounds the time of a call: before 2026-07-28, a client that disconnects does not cancel its call.
const COUNT: Schema<'_> = schema!(
    r#"{"type":"object","properties":{"steps":{"type":"integer","minimum":1,"maximum":100}},"required":["steps"]}"#
);

struct App {
    sessions: Mutex<Sessions<Open>>,
    requests: Arc<Semaphore>,
}

/// A session.
struct Open {
    revision: Revision,
    /// The stream that the client has opened with `GET`.
    listener: Option<Sender<Vec<u8>>>,
}

impl App {
    fn sessions(&self) -> MutexGuard<'_, Sessions<Open>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message to every client that listens. A client that does not read its stream loses the message.
    fn tell(&self, message: &[u8]) {
        for session in self.sessions().states() {
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
    let Some(steps) = call.get("steps").and_then(|steps| steps.as_i64()).filter(|steps| (1..=100).contains(steps))
    else {
        return call.invalid("steps: expected an integer from 1 to 100");
    };
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
        Some(id) => app.sessions().used(id).map_or(Session::Unknown, |session| Session::Open(session.revision)),
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
        SessionChange::Opened(revision) => {
            // random, so that no other client can guess it
            let id =
                [(); 2].map(|()| format!("{:016x}", getrandom::u64().expect("random numbers of the system"))).concat();
            response = response.header("mcp-session-id", &id);
            sessions.open(id, Open { revision, listener: None });
        }
        SessionChange::Closed => sessions.close(&id.unwrap_or_default()),
        _ if answered.is_stream() => {
            if let Some(session) = id.and_then(|id| sessions.used(&id)) {
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

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn received(mut messages: Receiver<Vec<u8>>) -> impl Stream<Item = Vec<u8>> {
    stream::poll_fn(move |task| messages.poll_recv(task))
}

async fn mcp(State(app): State<Arc<App>>, method: Method, headers: HeaderMap, body: Body) -> Response {
    let body = match timeout(PATIENCE, to_bytes(body, LEN)).await {
        Ok(Ok(body)) => body,
        // too long, or broken off
        Ok(Err(_)) => return empty(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => return empty(StatusCode::REQUEST_TIMEOUT),
    };
    let Ok(place) = Arc::clone(&app.requests).try_acquire_owned() else {
        return empty(StatusCode::SERVICE_UNAVAILABLE);
    };
    let version = headers.get("mcp-protocol-version");
    let is_stateless = version.is_some_and(|version| version == Revision::V2026_07_28.as_str());
    let (ahead, mut early) = channel(WAITING);
    let task = tokio::spawn(async move {
        // until the answer, also if the client has gone
        let _place = place;
        answer(app, method, headers, body, ahead).await
    });
    let answering = Answering { task, is_stateless };
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
            Some(Answer { response, messages: Some(messages), .. }) => {
                response.body(events(received(messages).take_until(sleep(STREAM))))
            }
            Some(Answer { response, body, .. }) => response.body(Body::from(body)),
            None => Response::builder().status(StatusCode::INTERNAL_SERVER_ERROR).body(Body::empty()),
        }
    };
    built.expect("valid names and values")
}

/// Serves the requests of a client until it disconnects, or is late.
async fn serve(stream: TcpStream, router: Router, _place: OwnedSemaphorePermit) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(PATIENCE));
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    // an error is the end of a connection
    _ = server.serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router)).await;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = arguments::listen("Serves the Model Context Protocol over HTTP, in an axum application.");
    let bound = TcpListener::bind(&address).await;
    let listener = bound.map_err(|error| format!("cannot listen on {address}: {error}"))?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    let requests = Arc::new(Semaphore::new(REQUESTS));
    let app = Arc::new(App { sessions: Mutex::new(Sessions::new()), requests });
    let router = Router::new().route("/mcp", any(mcp)).with_state(Arc::clone(&app));
    tokio::spawn(async move {
        let mut clock = tokio::time::interval(PING_EVERY);
        loop {
            clock.tick().await;
            app.tell(PING);
        }
    });
    // `axum::serve` has no limits
    let places = Arc::new(Semaphore::new(CLIENTS));
    loop {
        let place = Arc::clone(&places).acquire_owned().await?;
        match listener.accept().await {
            Ok((stream, _)) => _ = tokio::spawn(serve(stream, router.clone(), place)),
            Err(error) => {
                arguments::complain(format_args!("cannot serve a client: {error}"));
                // the system has no more descriptors: wait until clients disconnect
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}
