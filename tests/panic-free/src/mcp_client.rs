//! A client of the Model Context Protocol, without a stream and over the connection in memory.

use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::{Events, Framer, Lines};
use nanojsonrpc::mcp::client::http::{Http, Open, Remote, Reply, headers_in};
use nanojsonrpc::mcp::client::{
    Call, Client, Connected, Incoming, Outcome, Pages, TASKS, TaskParams, ToolResult, on_log, on_progress,
    on_resource_updated,
};
use nanojsonrpc::mcp::types::{Implementation, LogMessage, LoggingLevel, Progress, Reference, ResourceUpdated};
use nanojsonrpc::mcp::{Revision, method};
use nanojsonrpc::memory::Pipe;
use nanojsonrpc::{Dialect, Params, RawStr, RawValue, Router, Server, Writer, message::Str};

use crate::{any, name, used};

static LAMP: Implementation<'static> = Implementation::new(Str::Plain("lamp"), Str::Plain("1.0.0"));

fn client<const N: usize>(text: &[u8]) -> Client<u8, N> {
    let client = Client::new("tests", "1").implementation(&LAMP).roots().sampling().elicitation();
    let client = client.declaring(&[("tasks", RawValue::NULL), TASKS]).progress().log_level(LoggingLevel::Info);
    let client = client.max_pages(any(text) as u32);
    match any(text) {
        0 => client,
        1 => client.revision(Revision::V2024_11_05),
        2 => client.connected_as(Revision::V2026_07_28),
        _ => client.lenient(),
    }
}

fn connected(server: Connected<'_>) {
    used((server.capabilities().is_ok(), server.server_info().is_ok(), server.instructions()));
}

#[unsafe(no_mangle)]
pub fn mcp_client(text: &[u8], more: &[u8], out: &mut [u8]) {
    let mut client = client::<2>(text);
    let mut out = Writer::new(out);
    used(client.connect(&mut out));
    used(client.fall_back(&mut out));
    let arguments = (any(text), name(more));
    used(client.send(&Call::tool(name(text), &arguments), 1, &mut out).is_ok());
    used(client.send(&Call::prompt(name(text), &arguments), 2, &mut out).is_ok());
    used(client.send(&Call::of(name(text), &arguments), 3, &mut out).is_ok());
    let params = TaskParams { name: name(text), arguments: &arguments, ttl_ms: Some(any(text) as u64) };
    used(client.send(&Call::of(name(text), &params), 3, &mut out).is_ok());
    let reference = if any(text) == 0 { Reference::prompt(name(text)) } else { Reference::resource(name(text)) };
    for call in [
        Call::new(name(text)),
        Call::page(name(text), Some(Str::Plain(name(more)))),
        Call::resource(name(text)),
        Call::skill(name(text)),
        Call::directory(name(text)),
        Call::subscribe(name(text)),
        Call::unsubscribe(name(text)),
        Call::set_level(LoggingLevel::Alert),
        Call::task(name(text), Str::Plain(name(more))),
        Call::completion(reference, name(text), name(more)),
    ] {
        used(call.method());
        let meta = [(name(more), RawValue::NULL)];
        used(client.send(&call.with_meta(&meta), 5, &mut out).is_ok());
        used(client.send(&call, 4, &mut out).is_ok());
    }
    for line in [text, more] {
        match client.receive(line, &mut out) {
            Incoming::Connected(server) => connected(server),
            Incoming::Answer(tag, Outcome::Result(result)) => {
                let result = ToolResult(result);
                result.texts().for_each(used);
                used((tag, result.is_error(), result.structured(), result.read().is_ok()));
                used(client.next_cursor(result.0));
            }
            Incoming::Answer(tag, Outcome::InputRequired(required)) => {
                let call = Call::tool(name(text), &arguments);
                used(client.repeat(&call, required, tag, &mut out, |request, out| out.value(&request)).is_ok());
            }
            incoming => used(incoming),
        }
    }
    client.in_flight().for_each(used);
    used(client.cancel(any(text) as i64, name(more), &mut out));
    used(client.negotiated());
    client.drain(|id, tag| used((id, tag)));
    let mut pages: Pages = client.pages();
    used((pages.repeats(Str::Plain(name(text))), pages.count_page(Str::Plain(name(more)))));
    let mut pages = Pages::new(any(text) as u32);
    used(pages.count_page(Str::Plain(name(text))));
}

#[unsafe(no_mangle)]
pub fn mcp_session(text: &[u8], out: &mut [u8]) {
    let mut pipe: Pipe<64> = Pipe::new();
    let (device, hub) = pipe.ends();
    used(hub.try_write(text));
    let router = Router::new()
        .request(method::ROOTS_LIST, |_: &mut u8, params: Params<'_>| Ok(params.is_empty()))
        .notification(method::MESSAGE, on_log(|_: &mut u8, log: LogMessage<'_>| used(log)))
        .notification(method::PROGRESS, on_progress(|_: &mut u8, progress: Progress<'_>| used(progress)))
        .notification(
            method::RESOURCES_UPDATED,
            on_resource_updated(|_: &mut u8, update: ResourceUpdated<'_>| used(update)),
        );
    let mut server = Server::new(router).with_dialect(Dialect::MCP);
    let mut framer = Framer::<Lines, 64>::new();
    let mut connection = Connection::new(&device, &device, &mut framer, out);
    let (mut client, mut context): (Client, _) = (Client::new("tests", "1"), 0);
    let mut session = client.over(&mut connection, &mut server, &mut context).until(|| || any(text) == 0);
    if let Ok(server) = session.connect() {
        connected(server);
    }
    used(session.list_tools(|_, tool| used(tool)).is_ok());
    used(session.list_resources(|_, resource| used(resource)).is_ok());
    used(session.list_resource_templates(|_, template| used(template)).is_ok());
    used(session.list_prompts(|_, prompt| used(prompt)).is_ok());
    used(session.list_skills(|_, skill| used(skill)).is_ok());
    used(session.get_skill(name(text)).is_ok());
    used(session.read_directory(name(text)).is_ok());
    used(session.call_tool(name(text), &(1, "a")).is_ok());
    used(session.call_tool_as::<(u8, &str), _>(name(text), &(1, "a")).is_ok());
    used(session.call_tool_task(name(text), &(1, "a"), Some(1), |_, task| task.poll_delay_ms() == 1).is_ok());
    used(session.await_task(RawStr::default(), |_, _| any(text) == 0).is_ok());
    used(session.read_resource(name(text)).is_ok());
    used(session.get_prompt(name(text), &(1, "a")).is_ok());
    used(session.complete(Reference::prompt(name(text)), name(text), name(text)).is_ok());
    used(session.set_log_level(LoggingLevel::Info).is_ok());
    used(session.call(&Call::new(name(text))).is_ok());
    used(session.handle_incoming().is_ok());
    used((session.client().negotiated(), *session.context()));
}

#[unsafe(no_mangle)]
pub fn mcp_client_http(text: &[u8], more: &[u8], out: &mut [u8]) {
    let tools = [(name(text), RawValue::parse(more).unwrap_or(RawValue::NULL))];
    let mut remote = Remote::new(name(text), name(more)).with_headers(&[("x", "y")]).with_tools(&tools);
    remote.set_token(Some(name(more)));
    remote.set_revision(Revision::V2025_11_25);
    used(remote.post(text, out).map(|request| request.headers().count()));
    used(remote.resume(more, out).map(|request| request.head.len()));
    used(remote.end(out).is_ok());
    if let Ok(Some((mut reply, len))) = Reply::parse(text) {
        used((reply.status, len));
        reply.header(name(more), more);
        used(remote.receive(&reply));
    }
    used(Reply::new(any(text) as u16).status);
    used(remote.session_id().map(<[u8]>::len));
    remote.forget_session();
    used(headers_in(tools[0].1).is_ok());
}

/// A stream that receives these bytes whenever it is opened.
struct Again<'b>(&'b [u8], &'b [u8]);

impl embedded_io::ErrorType for Again<'_> {
    type Error = embedded_io::ErrorKind;
}

impl embedded_io::Read for Again<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Self::Error> {
        self.1.read(bytes).map_err(|error| match error {})
    }
}

impl embedded_io::Write for Again<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
        used(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

impl Open for Again<'_> {
    fn open(&mut self) -> Result<(), Self::Error> {
        self.1 = self.0;
        Ok(())
    }

    fn close(&mut self) {
        self.1 = &[];
    }

    fn pause(&mut self, milliseconds: u32) {
        used(milliseconds);
    }
}

#[unsafe(no_mangle)]
pub fn mcp_session_over_http(text: &[u8], out: &mut [u8]) {
    let http: Http<'_, Again<'_>, 256> =
        Http::new(Remote::new(name(text), name(text)), Again(text, text), Again(text, text));
    let mut server = Server::new(Router::new().request("roots/list", |seen: &mut u8| Ok(*seen)));
    let mut framer = Framer::<Events, 64>::new();
    let mut connection = Connection::new(&http, &http, &mut framer, out);
    let (mut client, mut context) = (Client::new("tests", "1"), 0);
    let mut session = client.over(&mut connection, &mut server, &mut context);
    used(session.connect().is_ok());
    used(session.call_tool(name(text), &()).is_ok());
    http.listen();
    used(session.handle_incoming().is_ok());
    used(http.challenge(any));
    used(http.with_remote(|remote| remote.session_id().map(<[u8]>::len)));
    used(http.end().is_ok());
}
