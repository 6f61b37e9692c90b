//! The HTTP endpoint on loopback, with sessions. The state of a session is its revision and the minimum level of its log messages.

use core::hash::BuildHasher as _;
use std::hash::RandomState;
use std::io;
use std::sync::{Arc, LazyLock, Mutex};

use nanojsonrpc::mcp::Revision;
use nanojsonrpc::mcp::http::{Endpoint, Head, Session, SessionChange};
use nanojsonrpc::mcp::types::LoggingLevel;
use nanojsonrpc::server::route::Routes;
use nanojsonrpc::{Dialect, Envelope, RawValue, Server};

use super::page::limits::{self, bind};
use super::page::{self, Client, LEN};
use super::sessions::Sessions;
use super::{App, polling};

type Opened = Sessions<(Revision, LoggingLevel)>;
static SESSIONS: LazyLock<Mutex<Opened>> = LazyLock::new(|| Mutex::new(Sessions::new()));

/// Runs `task` with exclusive access to the sessions.
fn sessions<T>(task: impl FnOnce(&mut Opened) -> T) -> io::Result<T> {
    let mut sessions = SESSIONS.lock().map_err(|_| io::Error::other("a thread has panicked"))?;
    Ok(task(&mut sessions))
}

/// Serves each connection on a thread, with a separate server.
pub(crate) fn serve<R: Routes<App> + 'static>(
    address: &str,
    server: fn() -> Server<R>,
    tools: &'static [(&'static str, RawValue<'static>)],
) -> Result<(), Box<dyn core::error::Error>> {
    let listener = bind(address)?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    limits::serve(&listener, move |stream| {
        let stream = Arc::new(stream);
        let client = Client { stream: Arc::clone(&stream), is_streaming: false, closes: false };
        let mut app =
            App { client, level: LoggingLevel::Debug, id: String::new(), session: String::new(), polled: None };
        let (mut server, mut output) = (server(), vec![0; LEN]);
        let served = page::serve(&stream, |head, headers, body, closes| {
            app.client.closes = closes;
            let headers = headers.iter().map(|header| (header.name, header.value));
            if let Some(response) = Endpoint::new().refuse_params(tools, head, headers.clone(), body, &mut output) {
                return app.client.finish(&response, "");
            }
            let last = headers.clone().find(|(name, _)| name.eq_ignore_ascii_case("last-event-id"));
            answer(&mut server, &mut app, head, last.map(|(_, last)| last), body, &mut output)
        });
        // an error is the end of a connection
        drop(served);
    })
}

fn answer<R: Routes<App>>(
    server: &mut Server<R>,
    app: &mut App,
    head: &Head<'_>,
    last: Option<&[u8]>,
    body: &[u8],
    output: &mut [u8],
) -> io::Result<()> {
    let id = String::from_utf8_lossy(head.session_id.unwrap_or_default());
    let known = sessions(|sessions| sessions.used(&id).copied())?;
    let session = match known {
        Some((revision, _)) => Session::Open(revision),
        None if id.is_empty() => Session::Absent,
        None => Session::Unknown,
    };
    app.level = known.map_or(LoggingLevel::Debug, |(_, level)| level);
    app.id = Envelope::parse_as(body, Dialect::MCP)
        .ok()
        .and_then(|message| Some(message.id()?.as_json().to_owned()))
        .unwrap_or_default();
    let head = Head { session, ..*head };
    app.session.replace_range(.., &id);
    // a `GET` is refused, unless it resumes a stream
    let resumed = last.filter(|last| head.method == "GET" && polling::knows(&id, last));
    let endpoint = if resumed.is_some() { Endpoint::new().listening() } else { Endpoint::new() };
    let response = endpoint.answer(server, app, &head, body, output);
    if let Some(number) = app.polled.take() {
        polling::push(number, response.body(), true);
        // the connection is closed
        return Err(io::ErrorKind::NotConnected.into());
    }
    if let Some(last) = resumed.filter(|_| response.is_stream()) {
        return polling::resume(app, last);
    }
    let header = sessions(|sessions| match response.session_change() {
        SessionChange::Opened(revision) => {
            // only an example: real sessions need ids from a cryptographic generator
            let id = format!("{:016x}{:016x}", RandomState::new().hash_one(0), RandomState::new().hash_one(1));
            let header = format!("mcp-session-id: {id}\r\n");
            sessions.open(id, (revision, LoggingLevel::Debug));
            header
        }
        SessionChange::Closed => {
            sessions.close(&id);
            String::new()
        }
        _ => {
            if let Some((_, level)) = sessions.used(&id) {
                *level = app.level;
            }
            String::new()
        }
    })?;
    app.client.finish(&response, &header)
}
