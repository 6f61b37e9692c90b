//! A stream, over the connection in memory.

use nanojsonrpc::connection::{Connection, serve};
use nanojsonrpc::frame::{Framer, Lines};
use nanojsonrpc::memory::{Pipe, Plan};
use nanojsonrpc::{Notification, Router, Server};

use crate::{any, name, used};

fn level(level: &mut i32) -> Result<i32, nanojsonrpc::ErrorObject<'static>> {
    Ok(*level)
}

#[unsafe(no_mangle)]
pub fn pipe(bytes: &[u8], out: &mut [u8]) {
    let mut pipe: Pipe<64> = Pipe::new();
    let (one, other) = pipe.ends();
    let plan = Plan::in_chunks(any(bytes)).cut_at(any(bytes)).fail_at(any(bytes)).flip_at(any(bytes), 1);
    let plan = plan.fail_once_at(any(bytes)).interrupt_every(any(bytes) as u32);
    let (one, other) = (one.writing(plan), other.reading(Plan::in_random_chunks(any(bytes) as u32, 7)));
    used(one.try_write(bytes));
    used((other.is_readable(), other.is_writable()));
    used(other.try_read(out).map_err(|error| error.as_str()));
    one.close();
}

#[unsafe(no_mangle)]
pub fn stream(bytes: &[u8], out: &mut [u8]) {
    let mut pipe: Pipe<64> = Pipe::new();
    let (device, hub) = pipe.ends();
    used(hub.try_write(bytes));
    let mut server = Server::new(Router::new().request("level", level));
    let mut framer = Framer::<Lines, 64>::new();
    let mut connection = Connection::new(&device, &device, &mut framer, out);
    used(connection.send(&Notification::new(name(bytes))));
    used(connection.send_text(bytes));
    used(connection.read());
    used(connection.next().is_some());
    used(connection.answer(&mut server, &mut 42));
    used(connection.call::<(u8, &str)>(name(bytes), &(1, "a")).is_ok());
    used(connection.call_until::<i32>(name(bytes), &(), || any(bytes) == 0).is_ok());
    let mut context = 42;
    let mut peer = connection.peer(&mut server, &mut context).until(|| any(bytes) == 0);
    used(peer.call::<i32>(name(bytes), &()).is_ok());
    used(peer.notify(name(bytes), &()));
    used(connection.serve(&mut server, &mut 42));
    used((connection.has_ended(), connection.unanswered()));
    used(connection.resume_output());
    used(connection.reset());
    used(connection.writer_mut().is_writable());
    used(connection.into_parts());
    used(serve(&device, &device, &mut framer, out, &mut server, &mut 42));
}
