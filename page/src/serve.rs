//! The servers of the examples.

use nanojsonrpc::Server;
use nanojsonrpc::frame::{Frame, Lines};
use nanojsonrpc::server::Event;
use nanojsonrpc::server::route::Routes;

use crate::memory::{Kept, Page, text};
use crate::out::Out;
use crate::{mcp_features, methods};

/// A server with its session.
pub(crate) trait Speaker {
    /// Answers `text`; `buffer` is room for one answer.
    fn answer(&mut self, text: &[u8], buffer: &mut [u8], said: &mut Out<'_>);
}

/// Appends `<` and a message of the server.
fn message(message: &[u8], said: &mut Out<'_>) {
    let start = said.len().wrapping_add(1);
    said.bytes(b"<");
    said.bytes(message);
    Lines::replace_line_ends(said.since(start));
    said.bytes(b"\n");
}

/// Appends `!` and the messages that the server dropped without an answer. `core::fmt`, which would write any [`Event`], is 3 KB.
fn dropped(event: Event<'_>, said: &mut Out<'_>) {
    let (what, method) = match event {
        Event::NoListener(method) => ("notification without listener: ", method.as_str().unwrap_or_default()),
        Event::UnexpectedResponse => ("response without listener", ""),
        // it is answered
        _ => return,
    };
    said.bytes(b"!");
    said.bytes(what.as_bytes());
    said.bytes(method.as_bytes());
    said.bytes(b"\n");
}

/// Sends the text to a server, and returns the length of the lines.
pub(crate) fn serve(page: Page<'_>, server: u32, len: usize) -> usize {
    let text = text(page.text, len);
    let mut said = Out::new(page.output);
    if server == 1 {
        if page.mcp.get().is_none() {
            start(page.mcp);
        }
        if let Some(mcp) = page.mcp.get() {
            mcp.answer(text, page.buffer, &mut said);
        }
        return said.len();
    }
    let session = page.session.get_or_insert_default();
    let buffer = page.buffer.get_mut(..methods::OUTPUT).unwrap_or_default();
    let mut server =
        methods::server().observed_by(|_: &mut methods::Session, event: Event<'_>| dropped(event, &mut said));
    if let Some(answer) = server.process(session, text, buffer).answer() {
        message(answer, &mut said);
    }
    said.len()
}

/// Starts the server of the Model Context Protocol.
fn start(place: &mut Kept) {
    // without an observer, which is 700 bytes
    place.put(Mcp { server: mcp_features::server(), app: App { bytes: [0; 8192], len: 0 } });
}

/// Forgets the sessions.
pub(crate) fn restart(page: Page<'_>) {
    *page.session = None;
    page.mcp.clear();
}

/// The context of the Model Context Protocol's handlers: the messages that they send before their answers.
struct App {
    bytes: [u8; 8192],
    len: usize,
}

impl mcp_features::App for App {
    fn send(&mut self, notification: &[u8]) {
        let mut said = Out::new(self.bytes.get_mut(self.len..).unwrap_or_default());
        message(notification, &mut said);
        self.len = self.len.wrapping_add(said.len());
    }

    /// The page does not wait.
    fn rest(&mut self) {}
}

struct Mcp<R> {
    server: Server<R>,
    app: App,
}

impl<R: Routes<App>> Speaker for Mcp<R> {
    fn answer(&mut self, text: &[u8], buffer: &mut [u8], said: &mut Out<'_>) {
        self.app.len = 0;
        let answer = self.server.process(&mut self.app, text, buffer).answer();
        said.bytes(self.app.bytes.get(..self.app.len).unwrap_or_default());
        if let Some(answer) = answer {
            message(answer, said);
        }
    }
}
