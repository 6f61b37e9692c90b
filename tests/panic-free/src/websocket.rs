//! WebSocket: frames of both sides, replies, the handshake, and a connection.

use nanojsonrpc::connection::Connection;
use nanojsonrpc::frame::websocket::handshake::{Key, Request, Response};
use nanojsonrpc::frame::websocket::{Client, MaskingKey, Received, Server, Side};
use nanojsonrpc::frame::{Frame, FrameErrorKind, Framer, WebSocket};
use nanojsonrpc::memory::Pipe;
use nanojsonrpc::{Notification, Router};

use crate::{any, name, used};

struct Keys;

impl MaskingKey for Keys {
    fn next_key() -> [u8; 4] {
        core::hint::black_box([1, 2, 3, 4])
    }
}

fn side<S: Side>(chunk: &[u8], out: &mut [u8]) {
    let mut framer = Framer::<WebSocket<S>, 64>::new();
    used(framer.push(chunk));
    while let Some(found) = framer.next() {
        if let Ok(Received::Close(close)) = found {
            used((close.code(), close.reason()));
        }
        used(found.map(|item| item.reply::<S>(out)));
    }
    used(framer.finish().is_some());
    used((framer.frame().is_over(), framer.frame().peer_close()));
    used(WebSocket::<S>::encode(chunk, out));
    used(WebSocket::<S>::head(any(chunk)).as_ref());
    used(WebSocket::<S>::ping(chunk, out));
    used(WebSocket::<S>::pong(chunk, out));
    used(WebSocket::<S>::close(any(chunk) as u16, name(chunk), out));
}

#[unsafe(no_mangle)]
pub fn websocket(chunk: &[u8], out: &mut [u8], kind: FrameErrorKind) {
    side::<Server>(chunk, out);
    side::<Client<Keys>>(chunk, out);
    used((kind.as_str(), kind.close_code()));
}

#[unsafe(no_mangle)]
pub fn websocket_stream(bytes: &[u8], out: &mut [u8]) {
    let mut pipe: Pipe<64> = Pipe::new();
    let (device, hub) = pipe.ends();
    used(hub.try_write(bytes));
    let mut server = nanojsonrpc::Server::new(Router::new().request("level", |level: &mut i32| Ok(*level)));
    let mut framer = Framer::<WebSocket<Client<Keys>>, 64>::new();
    let mut connection = Connection::new(&device, &device, &mut framer, out);
    used(connection.send(&Notification::new(name(bytes))));
    used(connection.close(any(bytes) as u16, name(bytes)));
    used(connection.serve(&mut server, &mut 42));
}

#[unsafe(no_mangle)]
pub fn websocket_handshake(value: &[u8]) {
    let key = Key::new(core::array::from_fn(|at| value.get(at).copied().unwrap_or_default()));
    used(key.as_str());
    let mut request = Request::new();
    request.header(name(value), value);
    let accept = request.accept();
    used(accept.map_err(|refusal| (refusal.status(), refusal.as_str())).map(|accept| used(accept.as_str())));
    let mut response = Response::new(any(value) as u16);
    response.header(name(value), value);
    used(response.check(&key));
    used(response.with_protocols(&["jsonrpc"]).check(&key));
}
