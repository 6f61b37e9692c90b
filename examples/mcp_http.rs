//! An MCP server over HTTP, for all revisions. `httparse` parses the heads; each connection has a thread.
//!
//! ```sh
//! cargo run --example mcp_http --features mcp -- --listen 127.0.0.1:4000   # then give a client http://127.0.0.1:4000/mcp
//! ```

use core::time::Duration;
use std::io::{self, ErrorKind, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;

use httparse::{EMPTY_HEADER, Header, Request, Status};
use nanojsonrpc::http::{self, CONTINUE, Length, Step};
use nanojsonrpc::mcp::http::{Endpoint, Head, Response, event};
use nanojsonrpc::mcp::{Schema, Service, ToolCall, schema};
use nanojsonrpc::server::Replied;

pub(crate) mod arguments;
mod heads;
pub(crate) mod limits;
use heads::{read_body, read_head};
use limits::{PATIENCE, Timed, bind, hang_up};

type Done = io::Result<()>;
/// The maximum length of a head, a body and a response.
pub(crate) const LEN: usize = 256 * 1024;
/// Decides by the head of a `POST` whether to read its body. The endpoint of MCP does not check this.
const BODY: http::Endpoint<'_> = http::Endpoint::new().reading_chunks();
/// The limit of the steps bounds the time of a call: before 2026-07-28, a client that disconnects does not cancel its call.
const COUNT: Schema<'_> = schema!(
    r#"{"type":"object","properties":{"steps":{"type":"integer","minimum":1,"maximum":100}},"required":["steps"]}"#
);

fn count(client: &mut Client, mut call: ToolCall<'_>) -> Replied {
    let Some(steps) = call.get("steps").and_then(|steps| steps.as_i64()).filter(|steps| (1..=100).contains(steps))
    else {
        return call.invalid("steps: expected an integer from 1 to 100");
    };
    for step in 1..=steps {
        thread::sleep(Duration::from_millis(100));
        let is_sent = call.progress(step, Some(steps), None).is_none_or(|message| client.send(message).is_ok());
        if call.revision().is_stateless() && (!is_sent || client.is_gone()) {
            println!("cancelled at {step}");
            return call.failed("cancelled");
        }
    }
    call.text(("counted to ", steps))
}

/// The client of a connection. A handler can send notifications to it before the response.
pub(crate) struct Client {
    /// Shared with the reader, because a clone of a `TcpStream` would need a second descriptor.
    pub(crate) stream: Arc<TcpStream>,
    /// Whether a stream of events has begun.
    pub(crate) is_streaming: bool,
    /// Whether the connection closes after the response.
    pub(crate) closes: bool,
}

impl Client {
    fn write(&self, bytes: &[u8]) -> Done {
        Timed::new(&self.stream, PATIENCE).write_all(bytes)
    }

    fn head(&mut self, response: &Response<'_>, more: &str) -> Done {
        let mut head = format!("HTTP/1.1 {} \r\n", response.status());
        response.headers().iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        let close = if self.closes { "connection: close\r\n" } else { "" };
        self.write((head + more + close + "\r\n").as_bytes())
    }

    /// Sends events. They are a chunk, unless the end of the connection ends the stream: HTTP/1.0 has no chunks.
    fn chunk(&mut self, events: &[u8], end: &[u8]) -> Done {
        if self.closes {
            return self.write(events);
        }
        self.write(&[format!("{:x}\r\n", events.len()).as_bytes(), events, end].concat())
    }

    /// Sends events before the response; the HTTP response is then a stream of events.
    pub(crate) fn stream(&mut self, events: &[u8]) -> Done {
        if !core::mem::replace(&mut self.is_streaming, true) {
            self.head(&Response::STREAM, if self.closes { "" } else { "transfer-encoding: chunked\r\n" })?;
        }
        self.chunk(events, b"\r\n")
    }

    /// Sends a message before the response.
    pub(crate) fn send(&mut self, message: &[u8]) -> Done {
        self.stream(&text_of(message))
    }

    /// Sends the response, with `more` headers.
    pub(crate) fn finish(&mut self, response: &Response<'_>, more: &str) -> Done {
        if core::mem::take(&mut self.is_streaming) {
            return self.chunk(&text_of(response.body()), b"\r\n0\r\n\r\n");
        }
        self.head(response, &format!("{more}content-length: {}\r\n", response.body().len()))?;
        self.write(response.body())
    }

    /// Whether the client has disconnected, which "MUST be treated by the server as cancellation" since 2026-07-28.
    pub(crate) fn is_gone(&self) -> bool {
        let peeked = self.stream.set_nonblocking(true).and_then(|()| self.stream.peek(&mut [0]));
        let is_open = peeked.map_or_else(|error| error.kind() == ErrorKind::WouldBlock, |len| len > 0);
        self.stream.set_nonblocking(false).is_err() || !is_open
    }
}

fn text_of(message: &[u8]) -> Vec<u8> {
    event(message).collect::<Vec<_>>().concat()
}

/// Answers without a body, and closes the connection.
fn refuse(stream: &TcpStream, response: &http::Response<'_>) -> Done {
    let headers: String = response.headers().iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("HTTP/1.1 {} \r\n{headers}connection: close\r\ncontent-length: 0\r\n\r\n", response.status());
    Timed::new(stream, PATIENCE).write_all(head.as_bytes())?;
    hang_up(stream, LEN)
}

/// Passes the requests of a connection to `answer`, one after the other: the head, all headers, the body, and whether the connection
/// closes after the response. Ends with an error if the client disconnects or is late.
pub(crate) fn serve(stream: &TcpStream, mut answer: impl FnMut(&Head<'_>, &[Header<'_>], &[u8], bool) -> Done) -> Done {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::new();
    loop {
        let (text, mut headers) = (read_head(stream, &mut buffer, LEN)?, [EMPTY_HEADER; 64]);
        let mut request = Request::new(&mut headers);
        if request.parse(&text) != Ok(Status::Complete(text.len())) {
            return refuse(stream, &BODY.malformed());
        }
        let (method, target) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
        let pairs = request.headers.iter().map(|header| (header.name, header.value));
        let mut head = http::Head::from_headers(method, target, pairs.clone());
        head.minor_version = request.version;
        let closes = head.closes();
        let length = match BODY.begin(&head, LEN) {
            Step::Read { length, is_awaited } => {
                if is_awaited && buffer.is_empty() {
                    Timed::new(stream, PATIENCE).write_all(CONTINUE)?;
                }
                length
            }
            // the endpoint of MCP answers other methods; a body of theirs is not read, and then the connection closes
            Step::Respond(response) if response.status() == 405 && (closes || !response.closes()) => Length::Known(0),
            Step::Respond(response) => return refuse(stream, &response),
            _ => return Ok(()),
        };
        let body = match read_body(stream, &mut buffer, length, LEN, &BODY)? {
            Ok(body) => body,
            Err(response) => return refuse(stream, &response),
        };
        answer(&Head::from_headers(method, pairs), request.headers, &body, closes)?;
        if closes {
            return hang_up(stream, LEN);
        }
    }
}

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let listener = bind(&arguments::listen("Serves the Model Context Protocol over HTTP."))?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    limits::serve(&listener, |stream| {
        let service = Service::new("nanojsonrpc-http", env!("CARGO_PKG_VERSION"));
        let mut server = service.tool("count", "Counts ten steps a second.", COUNT, count).server();
        let stream = Arc::new(stream);
        let mut client = Client { stream: Arc::clone(&stream), is_streaming: false, closes: false };
        let mut output = vec![0; LEN];
        let served = serve(&stream, |head, _, body, closes| {
            client.closes = closes;
            let response = Endpoint::new().answer(&mut server, &mut client, head, body, &mut output);
            client.finish(&response, "")
        });
        // an error is the end of a connection
        drop(served);
    })
}
