//! Serving without blocking. A future that is polled after it has finished panics, as the language requires; other panics are faults.

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use nanojsonrpc::connection::{Cancellation, Connection, serve_async};
use nanojsonrpc::frame::{ContentLength, Framer, WebSocket};
use nanojsonrpc::mcp::http::{Endpoint, Head};
use nanojsonrpc::mcp::types::Tool;
use nanojsonrpc::mcp::{PromptCall, ReadCall, Schema, Service, ToolCall, uri_template};
use nanojsonrpc::memory::Pipe;
use nanojsonrpc::server::Reply;
use nanojsonrpc::{Envelope, ErrorObject, Notification, Params, Router, Server, Writer, message::Str};

use crate::server::jam;
use crate::{any, name, used};

/// Polls `future` until it is done, or has waited too often.
fn run<F: Future>(future: F, polls: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..polls {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
    }
    None
}

#[derive(serde::Deserialize)]
struct New {
    new: i32,
}

#[unsafe(no_mangle)]
pub fn serve_without_blocking(text: &[u8], out: &mut [u8]) {
    let router = Router::new()
        .request_async("level", async |level: &mut i32| Ok(*level))
        .limited_by(|call| core::future::ready(used(call.method())))
        .request_async("set", async |level: &mut i32, (new,): (i32,)| {
            *level = new;
            Ok(true)
        })
        .request_fallible_async("jam", async |level: &mut i32| jam(*level))
        .notification_async("led", async |level: &mut i32, New { new }: New| *level = new)
        .fallback_async(async |level: &mut i32, method: Str<'_>, _: Params<'_>, reply: Reply<'_>| {
            used(method);
            reply.success(level)
        })
        .notification_fallback_async(async |_: &mut i32, method: Str<'_>, _: Params<'_>| used(method));
    let mut server = Server::new(router);
    used(run(server.process_async(&mut 42, text, out), any(text)));
}

#[unsafe(no_mangle)]
pub fn serve_mcp_without_blocking(text: &[u8], out: &mut [u8]) {
    static TOOL: Tool<'_> = Tool::new(Str::Plain("whole"), Schema::NO_ARGUMENTS);
    let service = Service::new("lamp", "1.0.0")
        .tool_async("level", "Shows.", Schema::NO_ARGUMENTS, async |level: &mut i32| *level)
        .tool_async("set", "Sets.", Schema::NO_ARGUMENTS, async |level: &mut i32, New { new }: New| *level = new)
        .tool_as_async("whole", &TOOL, async |level: &mut i32, call: ToolCall<'_>| call.text(*level))
        .resource_async("lamp:level", "level", "text/plain", async |level: &mut i32, call: ReadCall<'_>| {
            call.text(*level)
        })
        .resource_template_async(
            uri_template!("lamp:{id}"),
            "lamps",
            "",
            async |level: &mut i32, call: ReadCall<'_>| call.text(*level),
        )
        .prompt_async("mood", "Sets a mood.", &[], async |level: &mut i32, call: PromptCall<'_>| call.user(*level));
    let mut server = service.server();
    used(run(server.process_async(&mut 42, text, out), any(text)));
    used(run(server.process_async(&mut 42, text, out), any(text)));
}

#[unsafe(no_mangle)]
pub fn answer_http_without_blocking(text: &[u8], headers: &[(&str, &[u8])], out: &mut [u8]) {
    let mut server = Server::new(Router::new().request_async("level", level));
    let head = Head::from_headers(name(text), headers.iter().copied());
    let (endpoint, mut context) = (Endpoint::new(), 42);
    let answering = endpoint.answer_async(&mut server, &mut context, &head, text, out);
    used(run(answering, any(text)).map(|response| response.status()));
}

async fn level(level: &mut i32) -> Result<i32, ErrorObject<'static>> {
    Ok(*level)
}

#[unsafe(no_mangle)]
pub fn stream_without_blocking(bytes: &[u8], out: &mut [u8]) {
    let mut pipe: Pipe<64> = Pipe::new();
    let (device, hub) = pipe.ends();
    used(hub.try_write(bytes));
    let mut server = Server::new(Router::new().request_async("level", level));
    let mut framer = Framer::<ContentLength, 64>::new();
    let polls = any(bytes);
    let mut connection = Connection::new(&device, &device, &mut framer, out);
    used(run(connection.send_async(&Notification::new(name(bytes))), polls));
    used(run(connection.send_text_async(bytes), polls));
    used(run(connection.read_async(), polls));
    used(run(connection.answer_async(&mut server, &mut 42), polls));
    used(run(connection.call_async::<i32>(name(bytes), &()), polls).is_some());
    let call = connection.call_until_async::<i32>(name(bytes), &[1], core::future::ready(()));
    used(run(call, polls).is_some());
    let mut context = 42;
    let mut peer = connection.peer_async(&mut server, &mut context).until_async(|| core::future::ready(()));
    used(run(peer.call_async::<i32>(name(bytes), &[1]), polls).is_some());
    used(run(peer.notify_async(name(bytes), &()), polls));
    used(run(connection.serve_async(&mut server, &mut 42), polls));
    used(run(connection.resume_output_async(), polls));
    used(run(serve_async(&device, &device, &mut framer, out, &mut server, &mut 42), polls));
}

#[unsafe(no_mangle)]
pub fn close_without_blocking(bytes: &[u8], out: &mut [u8]) {
    let mut pipe: Pipe<64> = Pipe::new();
    let (device, hub) = pipe.ends();
    used(hub.try_write(bytes));
    let mut framer = Framer::<WebSocket, 64>::new();
    let mut connection = Connection::new(&device, &device, &mut framer, out);
    used(run(connection.close_async(any(bytes) as u16, name(bytes)), any(bytes)));
}

#[unsafe(no_mangle)]
pub fn serve_concurrently(bytes: &[u8], out: &mut [u8]) {
    let mut pipe: Pipe<64> = Pipe::new();
    let (device, hub) = pipe.ends();
    used(hub.try_write(bytes));
    let mut server = Server::new(Router::new().request_async("level", level));
    let mut framer = Framer::<ContentLength, 64>::new();
    let mut connection = Connection::new(&device, &device, &mut framer, out);
    let cancellation = Cancellation::new("stop", "id").answered_with(ErrorObject::INTERNAL_ERROR);
    if let Ok(message) = Envelope::parse(bytes) {
        used((cancellation.cancels(&message), cancellation.answer(), server.waits(&mut 42, &message)));
    }
    let queue = async |out: &mut Writer<'_>| out.message(&Notification::new(name(bytes)));
    let serving = connection
        .concurrent::<3, 32, 128>()
        .cancelled_by(cancellation)
        .refusing(ErrorObject::INTERNAL_ERROR)
        .queued_by(queue);
    used(run(serving.until(core::future::ready(())).serve(&mut server, &mut 42), any(bytes)));
}

/// A stream that receives these bytes whenever it is opened.
struct Again<'b>(&'b [u8], &'b [u8]);

impl embedded_io::ErrorType for Again<'_> {
    type Error = embedded_io::ErrorKind;
}

impl embedded_io_async::Read for Again<'_> {
    async fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Self::Error> {
        embedded_io::Read::read(&mut self.1, bytes).map_err(|error| match error {})
    }
}

impl embedded_io_async::Write for Again<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
        used(bytes);
        Ok(bytes.len())
    }

    async fn flush(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

impl nanojsonrpc::mcp::client::http::OpenAsync for Again<'_> {
    async fn open(&mut self) -> Result<(), Self::Error> {
        self.1 = self.0;
        Ok(())
    }

    fn close(&mut self) {
        self.1 = &[];
    }

    async fn pause(&mut self, milliseconds: u32) {
        used(milliseconds);
    }
}

#[unsafe(no_mangle)]
pub fn mcp_session_over_http_without_blocking(text: &[u8], out: &mut [u8]) {
    use nanojsonrpc::frame::Events;
    use nanojsonrpc::mcp::client::Client;
    use nanojsonrpc::mcp::client::http::{Http, Remote};

    let (host, streams) = (name(text), (Again(text, text), Again(text, text)));
    let http: Http<'_, Again<'_>, 256> = Http::new(Remote::new(host, host), streams.0, streams.1);
    let mut server = Server::new(Router::new().request_async("roots/list", level));
    let mut framer = Framer::<Events, 64>::new();
    let mut connection = Connection::new(&http, &http, &mut framer, out);
    let (mut client, mut context): (Client, _) = (Client::new("tests", "1"), 0);
    let mut session = client.over_async(&mut connection, &mut server, &mut context);
    let talk = async {
        used(session.connect().await.is_ok());
        used(session.call_tool(name(text), &()).await.is_ok());
        used(http.end_async().await.is_ok());
    };
    used(run(talk, any(text)));
}

#[unsafe(no_mangle)]
pub fn mcp_session_without_blocking(text: &[u8], out: &mut [u8]) {
    use nanojsonrpc::mcp::client::{Call, Client};
    use nanojsonrpc::mcp::types::{LoggingLevel, Reference};

    let mut pipe: Pipe<64> = Pipe::new();
    let (device, hub) = pipe.ends();
    used(hub.try_write(text));
    let mut server = Server::new(Router::new().request_async("roots/list", level));
    let mut framer = Framer::<ContentLength, 64>::new();
    let mut connection = Connection::new(&device, &device, &mut framer, out);
    let (mut client, mut context): (Client, _) = (Client::new("tests", "1"), 0);
    let session = client.over_async(&mut connection, &mut server, &mut context);
    let mut session = session.until(|| core::future::ready(()));
    let talk = async {
        used(session.connect().await.is_ok());
        used(session.list_tools(|_, tool| used(tool)).await.is_ok());
        used(session.list_resources(|_, resource| used(resource)).await.is_ok());
        used(session.list_resource_templates(|_, template| used(template)).await.is_ok());
        used(session.list_prompts(|_, prompt| used(prompt)).await.is_ok());
        used(session.list_skills(|_, skill| used(skill)).await.is_ok());
        used(session.get_skill(name(text)).await.is_ok());
        used(session.read_directory(name(text)).await.is_ok());
        used(session.call_tool(name(text), &(1, "a")).await.is_ok());
        used(session.call_tool_as::<(u8, &str), _>(name(text), &(1, "a")).await.is_ok());
        let pause = |_: &mut i32, _: &nanojsonrpc::mcp::types::Task<'_>| core::future::ready(any(text) == 0);
        used(session.call_tool_task(name(text), &(1, "a"), Some(1), pause).await.is_ok());
        used(session.await_task(nanojsonrpc::RawStr::default(), pause).await.is_ok());
        used(session.read_resource(name(text)).await.is_ok());
        used(session.get_prompt(name(text), &(1, "a")).await.is_ok());
        used(session.complete(Reference::prompt(name(text)), name(text), name(text)).await.is_ok());
        used(session.set_log_level(LoggingLevel::Info).await.is_ok());
        used(session.call(&Call::new(name(text))).await.is_ok());
        used(session.handle_incoming().await.is_ok());
        used((session.client().negotiated(), *session.context()));
    };
    used(run(talk, any(text)));
}

#[nanojsonrpc::service(client = LateClient)]
trait Late {
    async fn level(&self, name: &str) -> Result<i32, ErrorObject<'static>>;
    #[notification]
    async fn heard(&mut self, text: &str);
}

impl Late for i32 {
    async fn level(&self, _: &str) -> Result<i32, ErrorObject<'static>> {
        Ok(*self)
    }

    async fn heard(&mut self, text: &str) {
        used(text.len());
    }
}

#[unsafe(no_mangle)]
pub fn a_service_without_blocking(text: &[u8], out: &mut [u8], polls: usize) {
    used(run(LateService::server(7).process_async(&mut (), text, out), polls));
    let (mut pipe, mut server, mut output) = (Pipe::<64>::new(), Server::new(Router::<()>::new()), [0; 128]);
    let (near, _far) = pipe.ends();
    let (mut framer, mut context) = (Framer::<ContentLength, 64>::new(), ());
    let mut connection = Connection::new(&near, &near, &mut framer, &mut output);
    let mut peer = connection.peer_async(&mut server, &mut context);
    used(run(LateClient::level_async(&mut peer, name(text)), polls).is_some());
    used(run(LateClient::heard_async(&mut peer, name(text)), polls).is_some());
}
