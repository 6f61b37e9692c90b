//! The HTTP endpoint on loopback, with sessions. The state of a session is its revision and the minimum level of its log messages.

use core::hash::BuildHasher as _;
use std::collections::HashMap;
use std::hash::RandomState;
use std::io::{self, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use nanojsonrpc::mcp::Revision;
use nanojsonrpc::mcp::http::{Endpoint, Head, Session, SessionChange};
use nanojsonrpc::mcp::types::LoggingLevel;
use nanojsonrpc::server::route::Routes;
use nanojsonrpc::{Dialect, Envelope, Server};

use super::App;
use super::page::{self, Client, LEN};

type Sessions = HashMap<Vec<u8>, (Revision, LoggingLevel)>;
static SESSIONS: Mutex<Option<Sessions>> = Mutex::new(None);

/// Runs `task` with exclusive access to the sessions.
fn sessions<T>(task: impl FnOnce(&mut Sessions) -> T) -> io::Result<T> {
    let mut sessions = SESSIONS.lock().map_err(|_| io::Error::other("a thread has panicked"))?;
    Ok(task(sessions.get_or_insert_default()))
}

/// Serves each connection on a thread, with a separate server.
pub(crate) fn serve<R: Routes<App> + 'static>(server: fn() -> Server<R>) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    io::stdout().flush()?;
    page::listen(&listener, move |stream| {
        let stream = Arc::new(stream);
        let client = Client { stream: Arc::clone(&stream), is_streaming: false, closes: false };
        let mut app = App { client, level: LoggingLevel::Debug, id: String::new() };
        let (mut server, mut output) = (server(), vec![0; LEN]);
        page::serve(&stream, |head, body, closes| {
            app.client.closes = closes;
            answer(&mut server, &mut app, head, body, &mut output)
        })
    })
}

fn answer<R: Routes<App>>(
    server: &mut Server<R>,
    app: &mut App,
    head: &Head<'_>,
    body: &[u8],
    output: &mut [u8],
) -> io::Result<()> {
    let id = head.session_id.unwrap_or_default();
    let known = sessions(|sessions| sessions.get(id).copied())?;
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
    let response = Endpoint::new().answer(server, app, &head, body, output);
    let header = sessions(|sessions| match response.session_change() {
        SessionChange::Opened(revision) => {
            // only an example: real sessions need ids from a cryptographic generator
            let id = format!("{:016x}{:016x}", RandomState::new().hash_one(0), RandomState::new().hash_one(1));
            sessions.insert(id.clone().into_bytes(), (revision, LoggingLevel::Debug));
            format!("mcp-session-id: {id}\r\n")
        }
        SessionChange::Closed => sessions.remove(id).map_or_else(String::new, |_| String::new()),
        _ => {
            sessions.entry(id.to_vec()).and_modify(|(_, level)| *level = app.level);
            String::new()
        }
    })?;
    app.client.finish(&response, &header)
}
