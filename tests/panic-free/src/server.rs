//! Serving, in each way.

use nanojsonrpc::frame::FrameError;
use nanojsonrpc::json::ObjectWriter;
use nanojsonrpc::server::route::Call;
use nanojsonrpc::server::{
    Event, Exchange, Failure, Layer, Registry, Replied, Reply, handler, handler_fallible, listener,
};
use nanojsonrpc::{
    Dialect, Envelope, ErrorCode, ErrorObject, Notification, Params, Request, Router, Server, ToJson,
    message::{Str, ToText},
};

use crate::{any, name, used};

#[derive(Default)]
struct Board {
    level: i32,
    heard: usize,
}

#[derive(serde::Deserialize)]
struct Led {
    on: bool,
    #[serde(default)]
    level: i32,
}

struct Fault(i32);

impl From<Fault> for ErrorObject<'static, i32> {
    fn from(Fault(level): Fault) -> Self {
        ErrorObject { code: (-32001).into(), message: "Too hot".into(), data: Some(level) }
    }
}

/// With a message that is made when it is written.
pub(crate) struct Jammed<'a> {
    part: &'a str,
    step: i64,
}

impl Failure for Jammed<'_> {
    fn code(&self) -> ErrorCode {
        ErrorCode(7)
    }

    fn message(&self) -> impl ToText {
        (self.part, " jammed at step ", self.step)
    }

    fn data(&self) -> Option<impl ToJson> {
        (self.step > 0).then_some(self.step)
    }
}

pub(crate) fn jam(level: i32) -> Result<(), Jammed<'static>> {
    if level > 0 { Err(Jammed { part: "lid", step: level.into() }) } else { Ok(()) }
}

fn subtract(_: &mut Board, (a, b): (i64, i64)) -> Result<i64, ErrorObject<'static>> {
    a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS)
}

fn echo(_: &mut Board, params: Params<'_>, mut reply: Reply<'_>) -> Replied {
    used(reply.read::<(&str, u8)>(&params));
    used(reply.ahead(&Notification::new("soon").with_params(&params)));
    reply.success(&params)
}

fn watch(board: &mut Board, _: Params<'_>, reply: Reply<'_>) -> Replied {
    board.heard = reply.id().map_or(0, |id| id.as_bytes().len());
    reply.instead(&Notification::new("watched"))
}

fn unknown(board: &mut Board, method: Str<'_>, _: Params<'_>, reply: Reply<'_>) -> Replied {
    board.heard = method.as_str().map_or(0, str::len);
    reply.error(ErrorObject::METHOD_NOT_FOUND.with_data("?"))
}

/// A layer.
struct Gate;

impl Layer<Board> for Gate {
    fn before(&mut self, board: &mut Board, call: &Call<'_>) -> Result<(), ErrorObject<'static>> {
        board.heard = call.id().map_or(0, |id| id.as_bytes().len());
        let is_open = call.params().raw().is_none() || call.method() == "led";
        if is_open { Ok(()) } else { Err(ErrorObject::new(7, "closed")) }
    }

    fn after(&mut self, board: &mut Board, call: &Call<'_>, outcome: Result<(), ErrorCode>) {
        used((call.kind(), outcome));
        board.level = 1;
    }

    fn members(&mut self, board: &mut Board, call: Option<&Call<'_>>, members: &mut ObjectWriter<'_, '_>) {
        members.member("level", &board.level);
        members.member("to", &call.and_then(|call| call.get("from")));
    }
}

#[unsafe(no_mangle)]
pub fn serve(text: &[u8], out: &mut [u8]) {
    let mut board = Board::default();
    let fan = Router::default().request("on", |_: &mut Board| Ok(true));
    let router = Router::new()
        .request("subtract", subtract)
        .request("find", |_: &mut Board, params: Params<'_>| {
            params.get("level").and_then(|level| level.as_i64()).ok_or(ErrorObject::INVALID_PARAMS)
        })
        .request("echo", echo)
        .request("watch", watch)
        .notification("led", |board: &mut Board, led: Led| board.level = if led.on { led.level } else { 0 })
        .fallback(unknown)
        .notification_fallback(|board: &mut Board, _, _| board.heard = 0)
        .response(|_: &mut Board, response: &Envelope<'_>| used(response.id().is_none()))
        .nest("", fan)
        .nest("fan.", fan)
        .request_fallible(
            "level",
            |board: &mut Board| if board.level < 90 { Ok(board.level) } else { Err(Fault(board.level)) },
        )
        .request_fallible("jam", |board: &mut Board| jam(board.level));
    let mut server = Server::new(router).with_dialect(Dialect::JSON_RPC.with_max_batch(any(text)));
    used(server.dialect());
    used(server.routes_mut());
    used(server.process(&mut board, text, out).answer());
    let mut server = server.ignoring_unreadable();
    used(server.process(&mut board, text, out).answer());
    let mut server = server.observed_by(|board: &mut Board, event: Event<'_>| {
        used(event);
        board.heard = 1;
    });
    used(server.process(&mut board, text, out).answer());
    let mut server = server.with_layer(Gate);
    used(server.process(&mut board, text, out).answer());
    used(server.layer_mut());
    server.observe(&mut board, Event::NoRoom);
    if let Ok(request) = Envelope::parse(text).and_then(Request::<16, 16>::try_from) {
        used(server.handle(&mut board, &request, out).answer());
    }
    if let Ok(notification) = Notification::parse(text) {
        server.notify(&mut board, &notification);
    }
    used(&board);
}

#[unsafe(no_mangle)]
pub fn refuse(error: FrameError, out: &mut [u8]) {
    used(Server::new(Router::<()>::new()).refuse(error, out).answer());
    used(Server::new(Router::<()>::new()).refuse(ErrorObject::INTERNAL_ERROR, out).answer());
}

#[unsafe(no_mangle)]
pub fn exchange(text: &[u8], out: &mut [u8]) {
    let mut exchange = Exchange::new(text, out, Dialect::JSON_RPC);
    exchange.ignore_unreadable(any(text) == 0);
    while let Some(message) = exchange.next_message() {
        match message.params() {
            Some(params) if params.is_null() => {
                used(exchange.reply().failure(&Jammed { part: name(text), step: any(text) as i64 }));
            }
            Some(params) => used(exchange.reply().success(&params)),
            None => used(exchange.reply().error(ErrorObject::new(7, name(text))).is_whole()),
        }
    }
    let processed = exchange.finish();
    used((
        processed.answer(),
        processed.code(),
        processed.is_readable(),
        processed.is_refused(),
        processed.lacks_room(),
        processed.is_deferred(),
    ));
}

#[unsafe(no_mangle)]
pub fn registry(text: &[u8], out: &mut [u8]) {
    let mut double = handler(|_: &mut Board, (number,): (i32,)| Ok(number.wrapping_mul(2)));
    let mut jam = handler_fallible(|board: &mut Board| jam(board.level));
    let mut hear = listener(|board: &mut Board| board.heard = 0);
    let mut registry: Registry<'_, Board, 3> = Registry::new();
    used(registry.request(name(text), &mut double));
    used(registry.request("jam", &mut jam));
    used(registry.notification(name(text), &mut hear));
    used((registry.len(), registry.is_empty(), registry.remove(name(text))));
    let mut server = Server::with_routes(registry);
    used(server.process(&mut Board::default(), text, out).answer());
    let router = Router::new().registry(Registry::<'_, Board, 2>::new());
    let mut server = Server::with_routes(router.into_routes());
    used(server.process(&mut Board::default(), text, out).answer());
}
