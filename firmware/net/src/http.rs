//! JSON-RPC with `POST /rpc`, notifications as events with `GET /rpc`, and MCP over Streamable HTTP at `/mcp`.
//!
//! Each connection has one buffer, first for the head and the body of a request, then for the part of the answer that does not fit the
//! socket. So an answer leaves the buffer that all connections share at once, and a slow reader delays no other connection.

use core::future::Future;

use embassy_futures::select::select;
use embassy_time::{Duration, Timer};
use httparse::{EMPTY_HEADER, Request, Status};
use nanojsonrpc::Server;
use nanojsonrpc::http::{self, CONTINUE, Chunked, KEEP_ALIVE, Length, Step};
use nanojsonrpc::mcp::Service;
use nanojsonrpc::mcp::http::{self as streamable, event};
use nanojsonrpc::mcp::service::feature::Features;

use crate::board::{Board, DeviceService, Shared};
use crate::link::{End, Link};

/// The maximum length of a head with its body.
pub const REQUEST: usize = 2048;
/// The send buffer of a socket.
pub const SENT: usize = 1024;
/// The maximum length of an answer.
pub const ANSWER: usize = SENT - HEAD + REQUEST;
/// The maximum length of the head of an answer.
const HEAD: usize = 192;
/// The maximum number of headers in a request.
const HEADERS: usize = 24;
/// The interval between the empty comments that keep a stream of events open.
const PAUSE: Duration = Duration::from_secs(10);

const RPC: http::Endpoint<'_> = http::Endpoint::new().at("/rpc").with_events().reading_chunks();
/// Checks the framing of a body for MCP, whose endpoint does not.
const BODY: http::Endpoint<'_> = http::Endpoint::new().reading_chunks();
const MCP: streamable::Endpoint<'_> = streamable::Endpoint::new();

fn tools() -> Server<Service<Board, impl Features<Board>>> {
    DeviceService::tools(Service::new("nanojsonrpc-net", env!("CARGO_PKG_VERSION"))).server()
}

/// A parsed head for both endpoints.
pub(crate) struct Parsed<'b> {
    pub(crate) rpc: http::Head<'b>,
    mcp: streamable::Head<'b>,
    pub(crate) len: usize,
}

/// Parses the head at the front of `text`, and passes each header to `other`. `None` if the head is incomplete.
pub(crate) fn parse<'b>(
    text: &'b [u8],
    mut other: impl FnMut(&'b str, &'b [u8]),
) -> Result<Option<Parsed<'b>>, httparse::Error> {
    let mut headers = [EMPTY_HEADER; HEADERS];
    let mut request = Request::new(&mut headers);
    let Status::Complete(len) = request.parse(text)? else { return Ok(None) };
    let (method, target) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
    let mut parsed = Parsed { rpc: http::Head::new(method, target), mcp: streamable::Head::new(method), len };
    parsed.rpc.minor_version = request.version;
    for header in request.headers.iter() {
        parsed.rpc.header(header.name, header.value);
        parsed.mcp.header(header.name, header.value);
        other(header.name, header.value);
    }
    Ok(Some(parsed))
}

impl Parsed<'_> {
    fn is_mcp(&self) -> bool {
        self.rpc.path() == "/mcp"
    }
}

/// The head of an answer.
pub(crate) struct Head {
    bytes: [u8; HEAD],
    len: usize,
}

impl Head {
    /// `len` is the length of the body; a stream has none, and ends with the connection.
    pub(crate) fn new(status: u16, headers: &[(&str, &str)], len: Option<usize>, closes: bool) -> Self {
        let mut head = Self { bytes: [0; HEAD], len: 0 };
        head.put("HTTP/1.1 ");
        head.number(status.into());
        head.put(" ");
        head.put(if status == 101 { "Switching Protocols" } else { http::reason(status) });
        head.put("\r\n");
        for (name, value) in headers {
            for part in [name, ": ", value, "\r\n"] {
                head.put(part);
            }
        }
        if closes {
            head.put("connection: close\r\n");
        }
        // "MUST NOT send a Content-Length header field in any response with a status code of 204" (RFC 9110 §8.6)
        if let Some(len) = len.filter(|_| status != 204) {
            head.put("content-length: ");
            head.number(len);
            head.put("\r\n");
        }
        head.put("\r\n");
        head
    }

    /// All heads are shorter than the buffer.
    fn put(&mut self, text: &str) {
        let end = self.len + text.len();
        self.bytes[self.len..end].copy_from_slice(text.as_bytes());
        self.len = end;
    }

    fn number(&mut self, number: usize) {
        if number >= 10 {
            self.number(number / 10);
        }
        let digit = [b'0' | (number % 10).to_le_bytes()[0]];
        self.put(core::str::from_utf8(&digit).unwrap_or_default());
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The next step for the received bytes of a connection.
enum Next {
    /// Wait for more bytes.
    Read,
    /// Send `100 Continue`, for which the client waits, then wait for more bytes.
    Continue,
    /// Answer the request that ends at this offset.
    Answer(usize),
    /// Decode the chunks of the body, which begins at this offset.
    Decode(usize),
    /// Send this status. Then close, or go on after the head, which ends at `end`.
    Respond { status: u16, headers: &'static [(&'static str, &'static str)], end: usize, closes: bool },
    /// Send the notifications as events.
    Listen,
}

fn decide(text: &[u8]) -> Next {
    let fail = |status| Next::Respond { status, headers: &[], end: 0, closes: true };
    let parsed = match parse(text, |_, _| {}) {
        Err(_) => return fail(400),
        Ok(None) if text.len() == REQUEST => return fail(431),
        Ok(None) => return Next::Read,
        Ok(Some(parsed)) => parsed,
    };
    if parsed.is_mcp() && parsed.rpc.method != "POST" {
        let has_body = parsed.rpc.content_length.is_some() || parsed.rpc.transfer_encoding.is_some();
        return match (parsed.rpc.lacks_host(), has_body) {
            (true, _) => fail(400),
            (_, true) => fail(405),
            _ => Next::Answer(parsed.len),
        };
    }
    match if parsed.is_mcp() { BODY } else { RPC }.begin(&parsed.rpc, REQUEST - parsed.len) {
        Step::Read { length: Length::Known(len), .. } if parsed.len + len <= text.len() => {
            Next::Answer(parsed.len + len)
        }
        Step::Read { is_awaited: true, .. } if text.len() == parsed.len => Next::Continue,
        Step::Read { length: Length::Known(_), .. } => Next::Read,
        Step::Read { .. } => Next::Decode(parsed.len),
        Step::Respond(response) if response.status() == 200 => Next::Listen,
        Step::Respond(response) => Next::Respond {
            status: response.status(),
            headers: response.headers(),
            end: parsed.len,
            closes: response.closes(),
        },
        _ => fail(500),
    }
}

/// Serves one connection.
pub async fn serve(link: &mut Link<'_>, buffer: &mut [u8; REQUEST], shared: &Shared<ANSWER>) -> End {
    serve_behind(link, buffer, 0, shared).await
}

/// Serves a connection whose first `filled` bytes are already in the buffer.
pub(crate) async fn serve_behind(
    link: &mut Link<'_>,
    buffer: &mut [u8; REQUEST],
    filled: usize,
    shared: &Shared<ANSWER>,
) -> End {
    match requests(link, buffer, filled, shared).await {
        Ok(()) => End::Done,
        Err(end) => end,
    }
}

async fn requests(
    link: &mut Link<'_>,
    buffer: &mut [u8; REQUEST],
    mut filled: usize,
    shared: &Shared<ANSWER>,
) -> Result<(), End> {
    // the decoder of a body in chunks, and the end of the decoded part
    let mut chunks = None;
    loop {
        let next = match decide(&buffer[..filled]) {
            Next::Decode(start) => {
                let (chunked, end) = chunks.get_or_insert((Chunked::new(), start));
                decode(chunked, end, buffer, &mut filled)
            }
            next => next,
        };
        match next {
            Next::Read | Next::Decode(_) => {}
            Next::Continue => link.write(CONTINUE).await?,
            Next::Listen => return listen(link, &buffer[..filled], shared).await,
            Next::Respond { status, headers, end, closes } => {
                link.write(Head::new(status, headers, Some(0), closes).text()).await?;
                link.note();
                if closes {
                    return Ok(());
                }
                buffer.copy_within(end..filled, 0);
                filled -= end;
                continue;
            }
            Next::Answer(end) => {
                chunks = None;
                link.make_room(SENT).await?;
                let answered = shared.with_output(|board, output| answer(link, buffer, end, filled, board, output));
                let Answered { rest, closes, is_stream } = answered?;
                filled -= end;
                link.write(&buffer[filled..filled + rest]).await?;
                link.note();
                if is_stream {
                    return keep_open(link).await;
                }
                if closes {
                    return Ok(());
                }
                continue;
            }
        }
        let len = link.read(&mut buffer[filled..], core::future::pending()).await?;
        filled += len.unwrap_or(0);
    }
}

/// Decodes the chunks in `buffer[end..filled]` in place, and moves `end` behind their data. The request then is a head and its body, and the
/// next request may follow.
fn decode(chunked: &mut Chunked, end: &mut usize, buffer: &mut [u8; REQUEST], filled: &mut usize) -> Next {
    let fail = |status| Next::Respond { status, headers: &[], end: 0, closes: true };
    let Ok(decoded) = chunked.decode(&mut buffer[*end..*filled]) else { return fail(400) };
    let rest = *end + decoded.read;
    *end += decoded.len;
    buffer.copy_within(rest..*filled, *end);
    *filled -= rest - *end;
    match decoded.is_complete {
        true => Next::Answer(*end),
        false if *filled == REQUEST => fail(413),
        false => Next::Read,
    }
}

struct Answered {
    /// The length of the unsent rest of the answer. It is in the buffer after the next request.
    rest: usize,
    closes: bool,
    is_stream: bool,
}

/// Answers the request in `buffer[..end]`, and moves the bytes after it to the front.
fn answer(
    link: &mut Link<'_>,
    buffer: &mut [u8; REQUEST],
    end: usize,
    filled: usize,
    board: &mut Board,
    output: &mut [u8],
) -> Result<Answered, End> {
    let behind = filled - end;
    let output = &mut output[..ANSWER - behind];
    let Ok(Some(parsed)) = parse(&buffer[..end], |_, _| {}) else { return Err(End::Broken) };
    let body = &buffer[parsed.len..end];
    let closes = parsed.rpc.closes();
    let (status, headers, is_stream, text) = if parsed.is_mcp() {
        let response = MCP.answer(&mut tools(), board, &parsed.mcp, body, output);
        (response.status(), response.headers(), response.is_stream(), response.body())
    } else {
        let response = RPC.answer(&mut Server::with_routes(DeviceService), board, &parsed.rpc, body, output);
        (response.status(), response.headers(), false, response.body())
    };
    link.put(Head::new(status, headers, (!is_stream).then_some(text.len()), closes || is_stream).text())?;
    buffer.copy_within(end..filled, 0);
    if is_stream {
        // the stream consists of one short notification
        event(text).try_for_each(|piece| link.put(piece))?;
        return Ok(Answered { rest: 0, closes, is_stream });
    }
    let (now, later) = text.split_at(text.len().min(link.room()));
    link.put(now)?;
    buffer[behind..behind + later.len()].copy_from_slice(later);
    Ok(Answered { rest: later.len(), closes, is_stream })
}

/// Sends the notifications after the last one that the client has received.
async fn listen(link: &mut Link<'_>, text: &[u8], shared: &Shared<ANSWER>) -> Result<(), End> {
    const EVENTS: &[(&str, &str)] = &[("content-type", "text/event-stream"), ("cache-control", "no-cache")];
    let parsed = parse(text, |_, _| {}).ok().flatten();
    let Some(mut news) = shared.news(parsed.and_then(|parsed| parsed.rpc.last_event_id)) else {
        return link.write(Head::new(500, &[], Some(0), true).text()).await;
    };
    link.write(Head::new(200, EVENTS, None, true).text()).await?;
    loop {
        let mut event = [0; 160];
        while let Some(done) = news.next(|stored| {
            let len = stored.encode(&mut event).ok().filter(|len| link.room() >= *len)?;
            Some(link.put(&event[..len]))
        }) {
            done?;
        }
        pause(link, news.changed()).await?;
    }
}

/// Keeps a stream open without sending events.
async fn keep_open(link: &mut Link<'_>) -> Result<(), End> {
    loop {
        pause(link, core::future::pending()).await?;
    }
}

/// Waits for `news`, or until the next comment that keeps the stream open is due. A peer that receives the comments is not idle.
async fn pause(link: &mut Link<'_>, news: impl Future<Output = ()>) -> Result<(), End> {
    let keep = async {
        Timer::after(PAUSE).await;
    };
    let mut is_over = false;
    let mut rest = [0; 32];
    let other = async {
        is_over = matches!(select(news, keep).await, embassy_futures::select::Either::Second(()));
    };
    link.read(&mut rest, other).await?;
    if link.is_flushed() {
        link.note();
    }
    if is_over && link.room() >= KEEP_ALIVE.len() {
        link.put(KEEP_ALIVE)?;
    }
    Ok(())
}
