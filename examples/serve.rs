//! A lamp that answers JSON-RPC on standard input and output, one message per line. It registers its handlers without macros.

use std::io::{BufRead, Write, stdin, stdout};

use nanojsonrpc::{ErrorObject, Router, Server};
use serde::Deserialize;

mod arguments;

#[derive(Deserialize)]
struct Lamp {
    level: u8,
}

fn main() -> std::io::Result<()> {
    arguments::words("Answers the calls of standard input, one per line.", []);
    let mut server = Server::new(
        Router::new()
            .request("subtract", |_: &mut Lamp, (a, b): (i64, i64)| a.checked_sub(b).ok_or(ErrorObject::INVALID_PARAMS))
            .request("level", |lamp: &mut Lamp| Ok(lamp.level))
            .notification("set", |lamp: &mut Lamp, new: Lamp| *lamp = new),
    );
    let (mut lamp, mut output) = (Lamp { level: 3 }, [0; 256]);
    for line in stdin().lock().split(b'\n') {
        if let Some(answer) = server.process(&mut lamp, &line?, &mut output).answer() {
            stdout().write_all(answer)?;
            stdout().write_all(b"\n")?;
        }
    }
    Ok(())
}
