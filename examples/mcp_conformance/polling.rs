//! A tool whose stream the server closes before the answer, so that the client polls (2025-11-25, Sending Messages to the Server): it
//! reconnects with the id of the last event, and gets the messages behind that.

use core::time::Duration;
use std::io::{self, ErrorKind};
use std::net::Shutdown;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use nanojsonrpc::http::{Replay, Stored};
use nanojsonrpc::mcp::service::feature::Features;
use nanojsonrpc::mcp::{Revision, Schema, Service, ToolCall};
use nanojsonrpc::server::Replied;

use super::App;

/// The number of streams that are kept, and the length of all messages of one.
const KEPT: usize = 16;
const LEN: usize = 16 * 1024;
/// The client waits for this time before it reconnects; a reconnected one waits for the next message at most for the other.
const RETRY: &[u8] = b"retry: 100\n";
const PATIENCE: Duration = Duration::from_secs(10);

/// The messages of a stream that was closed.
struct Stream {
    session: String,
    events: Replay<LEN>,
    is_done: bool,
}

impl Stream {
    /// Whether this is the stream of the event `last`. No other session can read it.
    fn has(&self, session: &str, last: &[u8]) -> bool {
        self.session == session && !self.events.after(Some(last)).has_gap()
    }
}

/// The newest streams, oldest first. Each has its number, so ids of events are unique in a session.
#[derive(Default)]
struct Streams {
    streams: Vec<(u32, Stream)>,
    next: u32,
}

static STREAMS: Mutex<Streams> = Mutex::new(Streams { streams: Vec::new(), next: 0 });
static CHANGED: Condvar = Condvar::new();

fn streams() -> MutexGuard<'static, Streams> {
    STREAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of an event.
fn text(event: &Stored<'_>) -> io::Result<Vec<u8>> {
    let mut out = vec![0; LEN + 64];
    let len = event.encode(&mut out).map_err(|_| ErrorKind::OutOfMemory)?;
    out.truncate(len);
    Ok(out)
}

/// Opens the stream of a call with an event without data, whose id the client sends when it reconnects, and closes the connection.
fn begin(app: &mut App) -> io::Result<()> {
    let (number, first) = {
        let mut streams = streams();
        let number = streams.next;
        streams.next = number.wrapping_add(1);
        if streams.streams.len() == KEPT {
            streams.streams.remove(0);
        }
        let stream = Stream { session: app.session.clone(), events: Replay::new(number), is_done: false };
        let first = text(&Stored { id: stream.events.newest(), data: b"" })?;
        streams.streams.push((number, stream));
        (number, first)
    };
    app.polled = Some(number);
    app.client.closes = true;
    app.client.stream(&[RETRY, &first].concat())?;
    app.client.stream.shutdown(Shutdown::Both)
}

/// Stores a message of the stream with this number; the answer is the last.
pub(crate) fn push(number: u32, message: &[u8], is_done: bool) {
    if let Some((_, stream)) = streams().streams.iter_mut().find(|(known, _)| *known == number) {
        // a message that is too long is lost, and the client gets an end without an answer
        _ = stream.events.push(message);
        stream.is_done = is_done;
    }
    CHANGED.notify_all();
}

/// Whether a client of `session` can resume a stream behind the event `last`.
pub(crate) fn knows(session: &str, last: &[u8]) -> bool {
    streams().streams.iter().any(|(_, stream)| stream.has(session, last))
}

/// Sends the messages behind the event `last`, and those that follow, until the answer is sent.
pub(crate) fn resume(app: &mut App, last: &[u8]) -> io::Result<()> {
    let mut last = last.to_vec();
    app.client.closes = true;
    app.client.stream(&[])?;
    loop {
        let is_waiting = |streams: &mut Streams| {
            let found = streams.streams.iter().find(|(_, stream)| stream.has(&app.session, &last));
            found.is_some_and(|(_, stream)| !stream.is_done && stream.events.after(Some(&last)).count() == 0)
        };
        let (streams, _) =
            CHANGED.wait_timeout_while(streams(), PATIENCE, is_waiting).unwrap_or_else(PoisonError::into_inner);
        let found = streams.streams.iter().find(|(_, stream)| stream.has(&app.session, &last));
        let Some((_, stream)) = found else { break };
        let (mut events, is_done) = (Vec::new(), stream.is_done);
        for event in stream.events.after(Some(&last.clone())) {
            events.extend(text(&event)?);
            last = event.id.text().as_ref().to_vec();
        }
        drop(streams);
        app.client.stream(&events)?;
        if is_done || events.is_empty() {
            break;
        }
    }
    app.client.stream.shutdown(Shutdown::Both)
}

pub(crate) fn register<F: Features<App>>(service: Service<App, F>) -> Service<App, impl Features<App>> {
    service.tool("test_reconnection", "Closes its stream before it answers.", Schema::NO_ARGUMENTS, reconnect)
}

fn reconnect(app: &mut App, mut call: ToolCall<'_>) -> Replied {
    // clients of earlier revisions expect a message in each event; the next revision has no streams to resume
    if call.revision() == Revision::V2025_11_25 && begin(app).is_ok() {
        for step in 1..=2 {
            thread::sleep(Duration::from_millis(150));
            if let (Some(number), Some(message)) = (app.polled, call.progress(step, Some(2), None)) {
                push(number, message, false);
            }
        }
    }
    call.text("Reconnection test completed successfully")
}
