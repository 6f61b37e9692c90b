//! Serving without blocking. A future that is polled after it has finished panics, as the language has it; nothing else may.

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use nanojsonrpc::connection::{Connection, serve_async};
use nanojsonrpc::frame::{ContentLength, Framer};
use nanojsonrpc::memory::Pipe;
use nanojsonrpc::{ErrorObject, Notification, Router, Server};

use crate::{any, name, used};

/// Goes on until `future` is done, or has waited too often.
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

#[unsafe(no_mangle)]
pub fn serve_without_blocking(text: &[u8], out: &mut [u8]) {
    let router = Router::new()
        .request_async("level", async |level: &mut i32| Ok(*level))
        .request_async("set", async |level: &mut i32, (new,): (i32,)| {
            *level = new;
            Ok(true)
        })
        .notification_async("led", async |level: &mut i32, (new,): (i32,)| *level = new);
    let mut server = Server::new(router);
    used(run(server.process_async(&mut 42, text, out), any(text)));
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
    used(run(connection.serve_async(&mut server, &mut 42), polls));
    used(run(serve_async(&device, &device, &mut framer, out, &mut server, &mut 42), polls));
}
